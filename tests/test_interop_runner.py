"""The command behind `make test-interop`, without building anything."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import run

PASSING = "def test_it(record_property):\n    record_property('checker', 'looked at')\n"
FAILING = "def test_it():\n    assert False, 'as it has to'\n"
SKIPPED = "import pytest\n\ndef test_it():\n    pytest.skip('not today')\n"


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let the runner try tests in a folder with this Python; returns a function that adds one."""
    folder = tmp_path / "tests" / "interop"
    folder.mkdir(parents=True)
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(run, "LOGS", tmp_path / "logs")
    monkeypatch.setattr(run, "build", lambda name, environment: name != "unbuilt")
    monkeypatch.setattr(run, "python_of", lambda name: sys.executable)
    environments: dict[str, Any] = {}
    monkeypatch.setattr(run, "ENVIRONMENTS", environments)

    def add(library: str, text: str | None, environment: str = "built") -> None:
        file = f"test_{library}.py"
        if text is not None:
            (folder / file).write_text(text)
        before = environments[environment].rows if environment in environments else ()
        row = run.Row(library, "pytest", file)
        environments[environment] = run.Environment("", (), (*before, row))

    return add


def try_all(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["run.py", *words])
    status: int = run.main()
    return status


def test_a_failed_row_does_not_stop_the_others(
    rows: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    rows("bad", FAILING)
    rows("away", None)
    rows("lazy", SKIPPED)
    rows("broken", "import nothing_of_this_name\n")
    rows("pip", PASSING, environment="unbuilt")
    rows("good", PASSING)
    assert try_all(monkeypatch) == 1
    printed = capsys.readouterr().out
    found = {line.split()[0]: line for line in printed.splitlines() if line}
    assert "1 of 1 not passed" in found["bad"] and "as it has to" in printed
    assert "no tests/interop/test_away.py" in found["away"]
    assert "1 of 1 not passed" in found["lazy"]
    assert "not passed" in found["broken"]
    assert "not installed" in found["pip"]
    assert "looked at" in found["good"] and "1 passed" in found["good"]
    assert pytest.__version__ in found["good"]
    assert printed.endswith("1 passed, 5 failed\n")


def test_all_rows_passed(rows: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    rows("good", PASSING)
    assert try_all(monkeypatch) == 0
    assert capsys.readouterr().out.endswith("1 passed, 0 failed\n")


def test_tests_that_never_end_are_given_up(
    rows: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    rows("slow", "import time\n\ndef test_it():\n    time.sleep(600)\n")
    monkeypatch.setattr(run, "TEST_SECONDS", 2)
    assert try_all(monkeypatch) == 1
    assert "given up after 2 s" in capsys.readouterr().out


def test_the_table_keeps_what_was_not_tried(
    rows: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows("old", FAILING)
    rows("good", PASSING)
    file = tmp_path / "README.md"
    kept = "| old | 1.0 | 3.10 | api | 7 passed |"
    file.write_text(
        f"above\n\n{run.MARK}\n| library | x |\n|---|---|\n{kept}\n\n{run.END_MARK}\nz\n"
    )
    before = file.read_text()
    assert try_all(monkeypatch, "--write", str(file)) == 1
    assert file.read_text() == before  # a row failed
    assert try_all(monkeypatch, "--only", "good", "--write", str(file)) == 0
    lines = file.read_text().splitlines()
    assert lines[:3] == ["above", "", run.MARK] and lines[-2:] == [run.END_MARK, "z"]
    assert lines[5] == kept
    assert lines[6].startswith(f"| good | {pytest.__version__} |")
    assert lines[6].endswith("| looked at | 1 passed |")
    assert list(tmp_path.glob(".README*")) == []


def test_mistakes_are_named(
    rows: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    rows("good", PASSING)
    (tmp_path / "plain.md").write_text("no marks")
    for words, message in (
        (["--only", "nothing"], "nothing: there is built, good"),
        (["--write", str(tmp_path / "plain.md")], "has no lines"),
        (["--write", str(tmp_path / "none.md")], "none.md"),
    ):
        with pytest.raises(SystemExit) as left:
            try_all(monkeypatch, *words)
        assert left.value.code == 2 and message in capsys.readouterr().err


def test_each_row_has_its_own_library() -> None:
    found = [row.library for environment in run.ENVIRONMENTS.values() for row in environment.rows]
    assert len(found) == len(set(found))
