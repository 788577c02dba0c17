"""What CI runs: commands of the Makefile, lowest versions, one version of each tool."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # `build` brings it

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
pytestmark = pytest.mark.quick


def project() -> dict[str, Any]:
    """Return the table [project] of pyproject.toml."""
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return table


def pinned(file: str) -> list[str]:
    """Return the lines of a file of constraints that are not comments."""
    lines = (ROOT / ".ci" / file).read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def targets() -> set[str]:
    """Return the commands of the Makefile."""
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))


def test_the_lowest_versions_are_those_of_pyproject() -> None:
    lowest = []
    for line in project()["dependencies"]:
        requirement = Requirement(line)
        (least,) = (s.version for s in requirement.specifier if s.operator == ">=")
        marker = f"; {requirement.marker}".replace('"', "'") if requirement.marker else ""
        lowest.append(f"{requirement.name}=={least}{marker}")
    assert pinned("lowest.txt") == lowest


def test_ci_runs_commands_that_there_are() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    run = re.findall(r"^make (.+)$", script, re.M)
    assert run[0] == "test", "the tests come first: they say most"
    assert set(" ".join(run).split()) >= {"test", "test-interop", "doctest", "architecture", "lint"}
    for file in WORKFLOWS:
        run += re.findall(r"- run: make (.+)$", file.read_text("utf-8"), re.M)
    words = {word for line in run for word in line.split() if "=" not in word}
    assert words <= targets()


def test_every_python_is_tested() -> None:
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    (line,) = re.findall(r"python: \[(.+)\]", text)
    tested = re.findall(r'"([\d.]+)"', line)
    classifiers = [c.rpartition(" ")[2] for c in project()["classifiers"] if "Python :: 3." in c]
    assert tested == classifiers
    assert project()["requires-python"] == f">={tested[0]}"


def test_workflows_need_no_secrets() -> None:
    assert {file.stem for file in WORKFLOWS} == {"ci", "release"}
    for file in WORKFLOWS:
        text = file.read_text("utf-8")
        assert not re.search(r"secrets\.|password:|token:(?! write)", text), file.name
        assert "permissions:\n  contents: read" in text, file.name
        assert text.count("runs-on:") == text.count("timeout-minutes:"), file.name


def test_one_version_of_ruff() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    (version,) = re.findall(r"ruff-pre-commit\n +rev: v([\d.]+)", hooks)
    assert f"ruff=={version}" in pinned("constraints.txt")


def test_the_version_is_written_once_for_each_reader() -> None:
    version = project()["version"]
    package = (ROOT / "envs" / "ludarium" / "__init__.py").read_text("utf-8")
    assert f'__version__ = "{version}"' in package
    assert f"version: {version}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_the_script_is_sound() -> None:
    result = subprocess.run(["bash", "-n", str(ROOT / ".ci" / "run")], capture_output=True)
    assert result.returncode == 0, result.stderr
