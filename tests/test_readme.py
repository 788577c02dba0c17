"""Every line of the README runs as it is pasted, from another folder, and names what there is."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import architecture
import pytest
import readme

from ludarium.cli import cli
from ludarium.environments import infos

ROOT = readme.ROOT
LIBRARIES = {
    "OpenSpiel": "pyspiel",
    "Shimmy": "shimmy",
    "SuperSuit": "supersuit",
    "RLlib": "ray",
    "Ray": "ray",
    "Tianshou": "tianshou",
    "TorchRL": "torchrl",
    "AgileRL": "agilerl",
    "alpha-zero-general": "MCTS",  # a folder of modules, not a distribution
}


def run(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder that is not the project's, warnings as errors."""
    command = [sys.executable, "-W", "error", *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder)


# ---------------------------------------------------------------- code


@pytest.mark.parametrize("code", readme.programs())
def test_python_runs_as_pasted(code: str, tmp_path: Path) -> None:
    result = run(["-c", code], tmp_path)
    assert result.returncode == 0, result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", readme.commands(), ids=" ".join)
def test_commands_run_as_pasted(words: list[str], tmp_path: Path) -> None:
    result = run(["-m", "ludarium", *words], tmp_path)
    assert result.returncode == 0, result.stderr
    assert "Warning" not in result.stderr
    expected = {words[at + 1] for at, word in enumerate(words) if word == "--out"}
    if words[0] == "tournament":
        expected.add("runs")  # the games, so that it can go on
    written = {path.name for path in tmp_path.iterdir()}
    assert written == (set() if "--help" in words else expected)


def test_there_is_code_to_run() -> None:
    """The tests above see the README: nothing is lost by another way of writing it."""
    assert len(readme.blocks("python")) >= 2 and len(readme.python_lines()) >= 4
    assert len(readme.programs()) >= 14 and len(readme.commands()) >= 12


@pytest.mark.parametrize(("library", "codes"), readme.table("library"))
def test_lines_for_other_libraries(library: str, codes: list[str], tmp_path: Path) -> None:
    """They run, or end in an ImportError that names what is not installed."""
    missing = importlib.util.find_spec(LIBRARIES[library]) is None
    if missing:
        codes = [code for code in codes if "ludarium" in code and not code.startswith("ludarium ")]
        for code in codes:
            result = run(["-c", f"import ludarium; {code}"], tmp_path)
            named = r"(ImportError: this needs .*: pip install |ModuleNotFoundError: )"
            last = result.stderr.strip().rpartition("\n")[2]
            assert result.returncode == 0 or re.match(named, last), result.stderr
    else:
        first = ["ludarium.wrappers.openspiel.register()"] if library == "Shimmy" else []
        codes = [code for code in codes if "(" in code and code != "register()"]
        code = "; ".join(["import ludarium", *first, *codes])
        if "PettingZooEnv(" in code and "import PettingZooEnv" not in code:
            code = f"from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv; {code}"
        # other libraries warn as they like
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=tmp_path)
        assert result.returncode == 0, result.stderr


def test_names_with_dots_are_there() -> None:
    """`ludarium.x.y` in prose can be typed after `import ludarium` alone."""
    names = {
        match[0]
        for span in readme.spans()
        for match in re.finditer(r"\bludarium(?:\.[A-Za-z_]\w*)+", span)
    }
    assert len(names) > 10
    for name in sorted(names - {"ludarium.games", "ludarium.agents"}):
        code = f"import ludarium; {name}"
        try:
            exec(code, {})
        except ImportError as error:
            assert "this needs" in str(error) and "pip install" in str(error), name


def test_commands_that_are_named_are_there() -> None:
    """The table names every command, and no other; `--help` of each works."""
    (codes,) = (codes for title, codes in readme.table("you want") if title == "the command line")
    named = [code for code in codes if re.fullmatch(r"[a-z]+(-[a-z]+)*", code)]
    assert sorted(named) == sorted(cli.commands)


def test_make_and_its_extras() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    text = readme.TEXT
    assert set(re.findall(r"(?:^|`)make ([a-z-]+)", text, re.M)) <= targets
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    extras = re.findall(r"(?:\.|ludarium)\[([a-z]+)\]", text) + re.findall(r"extra `(\w+)`", text)
    assert extras
    for extra in extras:
        assert re.search(rf"^{extra} = \[", project, re.M), extra


# ---------------------------------------------------------------- files


def test_links_and_paths_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md")]:
        text = page.read_text("utf-8")
        for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
        for path in re.findall(r'src="([^"]+)"', text):
            assert (page.parent / path).exists(), f"{page.name}: {path}"
        for path in re.findall(r"`((?:envs|examples|tests|docs)/[\w/.-]+)`", text):
            assert (ROOT / path).exists(), f"{page.name}: {path}"
    for example in re.findall(r"`(\d\d_\w+\.py)`", readme.TEXT):
        assert (ROOT / "examples" / example).exists(), example


def test_scripts_know_the_options_of_the_readme() -> None:
    lines = [line.split() for line in readme.shell_lines() if re.match(r"python \w+/", line)]
    assert len(lines) >= 2
    for _, script, *words in lines:
        result = run([str(ROOT / script), "--help"], ROOT)
        assert result.returncode == 0, result.stderr
        for word in words:
            assert not word.startswith("--") or word in result.stdout, f"{script} {word}"


def test_every_folder_has_its_floor_in_the_readme() -> None:
    table = dict(re.findall(r"^\| (\d) \| (.+?) \|", readme.TEXT, re.M))
    floors = {
        folder: int(floor)
        for floor, cell in table.items()
        for folder in re.findall(r"`(\w+)/`", cell)
    }
    folders = {path.parent.name for path in architecture.PACKAGE.glob("*/__init__.py")}
    assert floors == {folder: architecture.FLOORS[folder] for folder in folders}


def test_the_glossary_has_the_words_of_the_project() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    words = re.findall(r"^\| ([a-z]+) \|", text, re.M)[1:]
    assert words == sorted(words)
    expected = (
        "action turn phase player seat agent spec mask plane overlay share truncation record "
        "episode kernel template ruling evidence reference"
    )
    assert set(words) == set(expected.split())
    assert "(docs/glossary.md)" in readme.TEXT


def test_agents_of_the_table_are_known() -> None:
    specs = re.findall(r"^\| (`[^|]+`) \|", readme.TEXT.split("## Opponents")[1], re.M)
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    group = project.split('[project.entry-points."ludarium.agents"]')[1].split("\n[")[0]
    names = re.findall(r"^(\w+) =", group, re.M)
    assert {spec.partition(":")[0] for spec in readme.spans(" ".join(specs))} == set(names)


def test_the_codes_of_infos_are_those_of_the_package() -> None:
    text = (ROOT / "docs" / "infos.md").read_text("utf-8")
    results, reasons = (part for part in text.split("| code of ")[1:])
    assert tuple(re.findall(r"^\| \d \| (.+) \|$", results, re.M)) == infos.RESULTS
    assert tuple(re.findall(r"^\| \d \| (\w+) \|", reasons, re.M)) == infos.REASONS
