"""The shape of the package: imports, names, what an import brings, where a game is named."""

from __future__ import annotations

import ast
import importlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import architecture
import pytest

import ludarium

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "envs" / "ludarium"
GAMES = ludarium.list_games()
# what the rules of a game may import, besides modules of their own folder
COMPILER = {"numpy", "numba", "llvmlite", "__future__"}
LEAVES = {"ludarium.core.bits", "ludarium.core.status"}
# these need a library that is installed for tests/interop only
ADAPTERS = {"ludarium.wrappers.openspiel", "ludarium.wrappers.rllib"}


def modules() -> Iterator[tuple[str, Path]]:
    """Yield the full name and the file of each module of the package."""
    for name, path in architecture.modules().items():
        if path.suffix == ".py":
            yield name, path


def imports(path: Path, name: str) -> Iterator[str]:
    """Yield each module that a file imports, lazily or for types only, or names in a string."""
    for target, _ in architecture.imports(path, name, architecture.modules()):
        yield target


# ---------------------------------------------------------------- who imports whom


def test_every_import_goes_down() -> None:
    """No folder imports from its own floor or a higher one, and no files import each other."""
    assert architecture.faults(architecture.arrows()) == []


PLANTED = {
    "at the top": ("core/text.py", "from ludarium.drawing.canvas import Canvas"),
    "inside a function": ("core/files.py", "def f():\n    import ludarium.drawing.shapes"),
    "for types only": (
        "core/seeds.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
        "    from ludarium.drawing.themes import Theme",
    ),
    "in a string": ("core/errors.py", "LAZY = {'Agent': 'ludarium.agents.agent'}"),
    "in an entry point": ("core/jit.py", "POINT = 'ludarium.agents.greedy:GreedyAgent'"),
    "relative": ("core/lazy.py", "from ..cli import arguments"),
    "from its own floor": ("agents/greedy.py", f"import ludarium.games.{GAMES[0]}.rules"),
}


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy the sources of the package, and let the architecture be read from the copy."""
    folder = tmp_path / "ludarium"
    shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(architecture, "PACKAGE", folder)
    return folder


def test_planted_imports_are_caught(copied: Path) -> None:
    before = architecture.faults(architecture.arrows())
    for file, line in PLANTED.values():
        path = copied / file
        path.write_text(path.read_text("utf-8") + f"\n{line}\n", "utf-8")
    one = copied / "games" / GAMES[0] / "rules.py"
    one.write_text(f"{one.read_text('utf-8')}\nimport ludarium.games.{GAMES[1]}.rules\n", "utf-8")
    (copied / "bench" / "first.py").write_text("import ludarium.bench.second\n")
    (copied / "bench" / "second.py").write_text("from ludarium.bench import first\n")
    (copied / "attic").mkdir()
    (copied / "attic" / "__init__.py").write_text("import ludarium.core.text\n")
    bad = [line for line in architecture.faults(architecture.arrows()) if line not in before]
    for where, (file, _) in PLANTED.items():
        assert [line for line in bad if line.startswith(f"{file}:")], f"{where}: not in {bad}"
    expected = f"imports games/{GAMES[1]}/rules.py: one game knows another"
    assert [line for line in bad if line.endswith(expected)], bad
    assert "circle: bench/first.py, bench/second.py" in bad
    assert [line for line in bad if line.endswith("attic has no floor")]


def test_the_command_shows_the_architecture() -> None:
    """`make architecture`: a line for each folder, and an exit status."""
    command = [sys.executable, str(ROOT / "tests" / "architecture.py")]
    result = subprocess.run(command, capture_output=True, text=True)
    for folder in {architecture.place(path) for _, path in modules()}:
        assert re.search(rf"^floor \d+ +{folder} ", result.stdout, re.M), folder
    clean = not architecture.faults(architecture.arrows())
    assert result.returncode == (not clean)
    assert ("every import goes down" in result.stdout) == clean


def test_rules_import_only_the_compiler_and_two_leaves() -> None:
    """So that rules can be read, tested and compiled without the rest of the package."""
    known = dict(modules())
    for game in GAMES:
        waiting, seen = [f"ludarium.games.{game}.rules"], set()
        while waiting:
            name = waiting.pop()
            seen.add(name)
            for target in imports(known[name], name):
                if target.startswith(f"ludarium.games.{game}."):
                    waiting += {target} - seen
                    continue
                allowed = target in LEAVES or target.split(".")[0] in COMPILER
                assert allowed, f"{name} imports {target}"


def test_nobody_imports_the_source_root() -> None:
    """`import envs.ludarium` would make a second copy of every module."""
    files = [*ROOT.glob("tests/**/*.py"), *ROOT.glob("examples/*.py"), *PACKAGE.rglob("*.py")]
    for path in files:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.split(".")[0] == "envs"], path


def test_references_share_nothing() -> None:
    """What the kernels are tested against imports the standard library only."""
    for name in GAMES:
        for target in imports(ROOT / "tests" / name / "reference.py", "reference"):
            assert target.split(".")[0] in sys.stdlib_module_names, target


def test_examples_use_public_names() -> None:
    for path in ROOT.glob("examples/*.py"):
        text = path.read_text("utf-8")
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
            for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
                code = re.sub(r"#.*", "", line)
                if re.search(rf"\b{name}\b", code) and relative.parts[0] == "envs":
                    places.append(f"{relative}:{number}: {line.strip()}")
        code = [p for p in places if not _is_prose(p)]
        assert code == [], code
        lines = (ROOT / "pyproject.toml").read_text().splitlines()
        naming = [line for line in lines if re.search(rf"\b{name}\b", line)]
        assert len([line for line in naming if not line.startswith(("description", "#"))]) == 2


def _is_prose(place: str) -> bool:
    """Return whether a line that names a game is in a docstring, a help text or a message."""
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
