"""The shape of the package: names, imports and what they bring, where a game is named."""

from __future__ import annotations

import ast
import importlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ludarium

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "envs" / "ludarium"
GAMES = ludarium.list_games()
JITTED_BY_ALL = {"numpy", "numba", "llvmlite"}
# what they adapt to is installed for tests/interop only
ADAPTERS = {"ludarium.wrappers.openspiel", "ludarium.wrappers.rllib"}


def modules() -> Iterator[tuple[str, Path]]:
    """Yield the full name and the file of each module of the package."""
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def imports(path: Path, name: str) -> Iterator[tuple[str, bool]]:
    """Yield each module that a file imports, and whether that is for type checking only."""
    tree = ast.parse(path.read_text())
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, id(node) in typing_only
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                up = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*up, base] if base else up)
            for alias in node.names:
                full = f"{base}.{alias.name}"
                yield (full if full in dict(modules()) else base), id(node) in typing_only


# ---------------------------------------------------------------- who may import whom


@pytest.mark.parametrize(("module", "path"), list(modules()))
def test_imports_are_as_the_architecture_draws_them(module: str, path: Path) -> None:
    """rules: numpy and numba; a game: itself and core; core: no game, no agents; agents: core."""
    part = module.split(".")[1] if "." in module else ""
    for found, typing_only in imports(path, module):
        assert not found.startswith("envs"), f"{module} imports {found}: it doubles every module"
        if typing_only or not found.startswith("ludarium"):
            if module.endswith(".rules") and not typing_only:
                assert found.split(".")[0] in JITTED_BY_ALL, f"{module} imports {found}"
            continue
        target = found.split(".")[1] if "." in found else ""
        allowed = {
            "core": {"core"},
            "agents": {"core", "agents"},
            "arena": {"core", "agents", "arena"},
            "wrappers": {"core", "agents", "arena", "wrappers"},
        }
        if part in GAMES:
            allowed[part] = {"core", part}
            if module.endswith(".rules"):
                allowed[part] = {part}
        if part in allowed and found != "ludarium":
            assert target in allowed[part], f"{module} imports {found}"
        assert target not in GAMES or target == part, f"{module} imports the game {found}"


def test_tests_and_examples_import_no_envs() -> None:
    for path in [*ROOT.glob("tests/**/*.py"), *ROOT.glob("examples/*.py")]:
        for found, _ in imports(path, path.stem):
            assert not found.startswith("envs"), path


def test_references_share_nothing() -> None:
    """What the kernels are tested against imports the standard library only."""
    for name in GAMES:
        for found, _ in imports(ROOT / "tests" / name / "reference.py", "reference"):
            assert found.split(".")[0] in sys.stdlib_module_names, found


def test_examples_use_public_names() -> None:
    for path in ROOT.glob("examples/*.py"):
        text = path.read_text()
        # super()._x is of the library whose class an example fills in
        private = re.search(r"(?<!super\(\))\._(?!_)", text)
        assert "ludarium.core" not in text and not private, path
        assert 'if __name__ == "__main__":' in text, path


def test_nothing_but_its_folder_names_a_game() -> None:
    """A game is one folder, two lines in pyproject.toml and its evidence under tests/."""
    for name in GAMES:
        places = []
        for file in ROOT.rglob("*.py"):
            relative = file.relative_to(ROOT)
            if relative.parts[0] not in ("envs", "tests", "examples") or name in relative.parts:
                continue
            for number, line in enumerate(file.read_text().splitlines(), 1):
                code = re.sub(r"#.*", "", line)
                if re.search(rf"\b{name}\b", code) and relative.parts[0] == "envs":
                    places.append(f"{relative}:{number}: {line.strip()}")
        code = [p for p in places if not _is_prose(p)]
        assert code == [], code
        lines = (ROOT / "pyproject.toml").read_text().splitlines()
        naming = [line for line in lines if re.search(rf"\b{name}\b", line)]
        assert len([line for line in naming if not line.startswith(("description", "#"))]) == 2


def _is_prose(place: str) -> bool:
    """Say whether a line that names a game is documentation: in a docstring or a help text."""
    file, number, _ = place.split(":", 2)
    tree = ast.parse((ROOT / file).read_text())
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and " " in text:
            assert isinstance(node, ast.Constant)
            if node.lineno <= int(number) <= (node.end_lineno or 0):
                return True
    return False


# ---------------------------------------------------------------- names


def test_exported_names() -> None:
    for name, path in modules():
        if "kernels" in path.name:
            continue  # templates, executed once for each game
        try:
            module = importlib.import_module(name)
        except ImportError as error:
            assert name in ADAPTERS and "pip install" in str(error)
            continue
        for exported in getattr(module, "__all__", ()):
            assert hasattr(module, exported), f"{name}.{exported}"
    assert set(ludarium.__all__) <= set(dir(ludarium))
    assert set(GAMES) <= set(dir(ludarium))
    with pytest.raises(AttributeError, match="checkers"):
        _ = ludarium.checkers  # type: ignore[attr-defined]
    for name in GAMES:
        module = getattr(ludarium, name)
        assert {"GAME", "env", "raw_env", "parallel_env"} <= set(module.__all__)


def test_every_game_has_the_same_files() -> None:
    parts = ("rules", "actions", "observation", "notation", "symmetry", "render", "benchmarks")
    shared = {f"{part}.py" for part in parts}
    for name in GAMES:
        files = {path.name for path in (PACKAGE / "games" / name).iterdir()}
        assert shared | {"RULES.md", "__init__.py"} <= files
        evidence = {path.name for path in (ROOT / "tests" / name).iterdir()}
        assert {"reference.py", "walks.py", "test_rules.py", "perft.txt"} <= evidence
        lines = (PACKAGE / "games" / name / "rules.py").read_text().count("\n")
        assert lines < 400, f"{name}/rules.py has {lines} lines"


# ---------------------------------------------------------------- what an import brings


def run(code: str, **environment: str) -> str:
    """Run code in a fresh process, warnings as errors, from another folder."""
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        cwd=os.path.dirname(sys.executable),
        env={**os.environ, **environment},
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_import_brings_little() -> None:
    """No game, no compiler, no window, no learning library; pygame is not needed (gym 2691)."""
    heavy = ("numba", "pygame", "torch", "stable_baselines3", "PIL", "rich", "matplotlib")
    games = [f"ludarium.games.{name}" for name in GAMES]
    out = run(f"import sys, ludarium; print([m for m in {[*heavy, *games]} if m in sys.modules])")
    assert out.strip() == "[]"


def test_training_brings_no_window() -> None:
    for name in GAMES:
        code = (
            f"import sys, ludarium; env = ludarium.make({name!r}); env.reset(); env.last();"
            "print([m for m in ('pygame', 'PIL', 'torch') if m in sys.modules])"
        )
        assert run(code, DISPLAY="").strip() == "[]"


def test_command_starts_light() -> None:
    code = "import sys, ludarium.cli; print([m for m in ('numba',) if m in sys.modules])"
    assert run(code).strip() == "[]"


# ---------------------------------------------------------------- compiled code on disk


def test_compiled_code_is_private(tmp_path: Path) -> None:
    """The cache is the user's own folder, and a folder of somebody else's is not used."""
    name = GAMES[0]
    code = f"import ludarium; ludarium.load_game({name!r}).new_initial_state()"
    run(code, LUDARIUM_CACHE_DIR=str(tmp_path))
    folder = tmp_path / "ludarium"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.name.split("-")[0] for path in folder.iterdir()} == {name}
    compiled = {path: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")}
    assert compiled
    run(code, LUDARIUM_CACHE_DIR=str(tmp_path))  # nothing is compiled again
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")} == compiled


def test_a_home_that_cannot_be_written(tmp_path: Path) -> None:
    """Numba alone would raise at import."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    environment = {"HOME": str(blocked), "XDG_CACHE_HOME": str(blocked / "x")}
    environment |= {"TMPDIR": str(tmp_path), "LUDARIUM_CACHE_DIR": str(blocked)}
    code = (
        f"import ludarium; game = ludarium.load_game({GAMES[0]!r});"
        "print(game.new_initial_state().turn_number())"
    )
    assert run(code, **environment).strip() == "0"


def test_numbas_own_setting_is_put_back() -> None:
    code = (
        "import numba, ludarium; before = numba.config.CACHE_DIR;"
        f"ludarium.load_game({GAMES[0]!r}).new_initial_state();"
        "print(before == numba.config.CACHE_DIR)"
    )
    assert run(code).strip() == "True"
