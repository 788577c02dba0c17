"""What tests of the command line share; conftest.py makes `run` and `broken` known to all."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ludarium
from ludarium.cli import main

Run = Callable[..., "tuple[int, str, str]"]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run a command in an empty folder; returns its exit status, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def ludarium_command(*words: str, stdin: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as left:
            main(words)
        out, err = capsys.readouterr()
        return left.value.code, out, err  # type: ignore[return-value]

    return ludarium_command


class Broken:
    """An agent of another package that answers or raises badly after some decisions."""

    def __init__(self, argument: str | None) -> None:
        self.name = f"broken:{argument}"
        self.kind, self.asked = argument, 0

    def select_action(self, state: Any, rng: Any) -> int:
        self.asked += 1
        if self.asked < 4:
            return state.legal_actions()[0]  # type: ignore[no-any-return]
        if self.kind == "raises":
            raise RuntimeError("out of luck")
        return -5


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let specs `broken:...` make the agent above."""
    make = ludarium.agents.make_agent
    monkeypatch.setattr(
        "ludarium.agents.make_agent",
        lambda spec: Broken(spec[7:]) if spec.startswith("broken:") else make(spec),
    )
