"""A person who waits for the compiler is told so; pipes, files and later starts are not."""

from __future__ import annotations

import gc
import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ludarium
from ludarium.core import checked_cache, compiling

MATCH = ("match", "sphlag", "greedy", "random", "--games", "2")


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def at_a_terminal(cache: Path, *words: str, typed: str = "") -> str:
    """Run a command at a pseudo terminal with a cache; return all that the terminal showed.

    Args:
        cache: folder of compiled code.
        *words: the words of the command.
        typed: what is typed before the command has started.
    """
    primary, secondary = pty.openpty()
    os.write(primary, typed.encode())
    child = subprocess.Popen(
        [sys.executable, "-m", "ludarium", *words],
        stdin=secondary,
        stdout=secondary,
        stderr=secondary,
        cwd=cache,
        env=os.environ | {"LUDARIUM_CACHE_DIR": str(cache), "TERM": "xterm", "COLUMNS": "80"},
    )
    os.close(secondary)
    shown = b""
    while True:
        try:
            part = os.read(primary, 65536)
        except OSError:  # Linux: the other end was closed
            break
        if not part:
            break
        shown += part
    os.close(primary)
    assert child.wait() == 0, shown
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode()).replace("\r\n", "\n")
    # a progress bar goes back to the start of its line, erases it and writes it again
    return "\n".join(line.rpartition("\r")[2] for line in text.split("\n"))


def test_play_says_that_it_compiles_and_takes_what_was_typed_meanwhile(tmp_path: Path) -> None:
    """The word comes before the board; with compiled code there is none."""
    first = at_a_terminal(tmp_path, "play", "sphlag", typed="G3/0\nquit\n")
    word = "compiling the rules of Sphlag, first time only ...\n"
    assert first.count(word) == 1
    assert first.index(word) < first.index("you are White")
    assert "You play G3/0" in first or "greedy plays" in first
    assert "compiling" not in at_a_terminal(tmp_path, "play", "sphlag", typed="G3/0\nquit\n")


def test_a_match_says_what_it_compiles_on_lines_of_their_own(tmp_path: Path) -> None:
    """The progress bar is drawn at the same time."""
    lines = at_a_terminal(tmp_path, *MATCH).splitlines()
    said = [line.rstrip() for line in lines if "compiling" in line]
    parts = "the rules of", "the agents for"
    assert said == [f"compiling {part} Sphlag, first time only ..." for part in parts]


def test_nothing_is_said_in_pipes(tmp_path: Path) -> None:
    child = subprocess.run(
        [sys.executable, "-m", "ludarium", *MATCH],
        capture_output=True,
        text=True,
        env=os.environ | {"LUDARIUM_CACHE_DIR": str(tmp_path)},
    )
    assert (child.returncode, child.stderr) == (0, "")
    assert "compiling" not in child.stdout


def test_each_part_of_a_game_is_named_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    title, package = ludarium.load_game(name).type.title, f"ludarium.games.{name}"
    monkeypatch.setattr(compiling, "_told", set())
    monkeypatch.setattr("sys.stderr", Terminal())
    for _ in range(2):
        compiling.tell(f"{package}.rules", package, kept=True)
        compiling.tell("ludarium.core.kernels_for_x", package, kept=True)
        compiling.tell("ludarium.agents.mcts_kernels_for_x", package, kept=False)
    assert isinstance(sys.stderr, Terminal)
    assert sys.stderr.getvalue().splitlines() == [
        f"compiling the rules of {title}, first time only ...",
        f"compiling the agents for {title} ...",
    ]


def test_a_missing_or_closed_stream_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "_told", set())
    closed = Terminal()
    closed.close()
    for stream in (None, closed, io.StringIO()):
        monkeypatch.setattr("sys.stderr", stream)
        compiling.tell("ludarium.core.kernels", "ludarium.games.sphlag", kept=True)
    assert not compiling._told


@pytest.mark.parametrize("enabled", [True, False])
def test_collector_waits_while_compiled_code_is_loaded(
    enabled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def load(self: object, sig: object, context: object) -> None:
        seen.append(gc.isenabled())
        raise OSError("damaged")

    monkeypatch.setattr(checked_cache.FunctionCache, "load_overload", load)
    monkeypatch.setattr(checked_cache, "tell", lambda *_, **__: None)
    found = checked_cache._CheckedCache.__new__(checked_cache._CheckedCache)
    found._module = found._package = "ludarium"
    (gc.enable if enabled else gc.disable)()
    try:
        assert found.load_overload(None, None) is None
        assert gc.isenabled() is enabled
    finally:
        gc.enable()
    assert seen == [False]


def test_a_tournament_with_workers_compiles_once_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("tournament", "sphlag", "--agents", "random,greedy", "--games", "2", "--workers", "2")
    cache = tmp_path / "cache"
    cache.mkdir()
    monkeypatch.chdir(tmp_path)
    lines = at_a_terminal(cache, *words).splitlines()
    said = [line.rstrip() for line in lines if "compiling" in line]
    parts = "the rules of", "the agents for"
    assert said == [f"compiling {part} Sphlag, first time only ..." for part in parts]
