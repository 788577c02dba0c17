"""A first session at a terminal of 80 x 24: what it says at each moment, and what to type."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import ludarium
from ludarium import records

COLUMNS, ROWS = 80, 24
LONGEST_WAIT = 240  # seconds, for the compiler on a busy machine


class Person:
    """Somebody at a pseudo terminal who reads until a prompt and then types a line."""

    def __init__(self, folder: Path, *words: str) -> None:
        self._primary, secondary = pty.openpty()
        size = struct.pack("HHHH", ROWS, COLUMNS, 0, 0)
        fcntl.ioctl(secondary, termios.TIOCSWINSZ, size)
        self.child = subprocess.Popen(
            [sys.executable, "-m", "ludarium", *words],
            stdin=secondary,
            stdout=secondary,
            stderr=secondary,
            cwd=folder,
            env={**os.environ, "TERM": "dumb", "COLUMNS": str(COLUMNS), "LINES": str(ROWS)},
        )
        os.close(secondary)
        self.all = ""

    def read(self) -> str:
        """Return what is shown up to the next prompt, or to the end."""
        data, seen, deadline = b"", "", time.monotonic() + LONGEST_WAIT
        while not re.search(r"(?:^|\n)\w+> $", seen):
            assert time.monotonic() < deadline, seen
            if not select.select([self._primary], [], [], 1)[0]:
                continue
            try:
                part = os.read(self._primary, 65536)
            except OSError:  # the child has closed the terminal
                break
            if not part:
                break
            data += part  # which may end in the middle of a letter
            seen = data.decode(errors="ignore").replace("\r\n", "\n")
        self.all += seen
        return seen

    def type(self, line: str) -> str:
        """Type a line and return what is shown after it, up to the next prompt."""
        os.write(self._primary, f"{line}\n".encode())
        seen = self.read()
        assert seen.startswith(f"{line}\n"), seen  # the terminal's echo
        return seen.removeprefix(f"{line}\n")

    def close(self) -> None:
        self.child.kill()
        self.child.wait()
        os.close(self._primary)


@pytest.fixture
def person(name: str, tmp_path: Path) -> Iterator[Person]:
    """Somebody who has just started a game as the second player."""
    words = ("play", name, "--seat", "1", "--seed", "3", "--out", "game.jsonl")
    found = Person(tmp_path, *words)
    yield found
    found.close()


def test_a_first_session_can_be_understood(name: str, person: Person, tmp_path: Path) -> None:
    notation = ludarium.load_game(name).type.submodule("notation")
    start = person.read()
    assert f"you are {notation.PLAYERS[1]} and move second" in start
    assert "rules, ?, hint, undo, board, resign, help, quit" in start
    assert notation.LEGEND[:20] in start
    assert start.count("greedy plays") == 1
    assert f"{notation.PLAYERS[1]} to " in start  # whose turn it is

    rules = person.type("rules")
    assert f"ludarium rules {name}" in rules and len(rules.splitlines()) < ROWS
    assert not re.search(r"\*\*|`|\]\(", rules)
    for word in ("rules", "hint", "undo", "board", "resign", "quit"):
        assert re.search(rf"^  {word} ", person.type("help"), re.MULTILINE), word

    listed = person.type("?").split("\n")[:-1]
    actions = " ".join(listed).split()
    assert len(actions) > 5 and len(listed) < ROWS
    assert "is not legal here" in person.type("nonsense")
    hint = person.type("hint")
    turn = re.search(r"greedy would play (\S+)", hint)
    assert turn

    exchange = person.type(turn[1])
    assert exchange.count("greedy plays") == 1
    assert f"{notation.PLAYERS[1]} to " in person.type("undo")
    assert "nothing to take back" in person.type("undo")
    board = person.type("board")
    assert board.count(f"{notation.PLAYERS[1]} to ") == 1

    end = person.type("resign")
    assert "You have resigned: greedy wins." in end
    assert "The record is in game.jsonl" in end
    assert person.child.wait(60) == 0
    (record,) = records.read(tmp_path / "game.jsonl")
    assert record.reason == "resigned"
    too_long = [line for line in person.all.split("\n") if len(line) > COLUMNS]
    assert too_long == []


def test_an_exchange_shows_one_board(name: str, person: Person) -> None:
    state = ludarium.load_game(name).new_initial_state(3)
    height = len(str(state).splitlines())
    first = person.read()
    turn = re.search(r"would play (\S+)", person.type("hint"))
    assert turn
    answer = person.type(turn[1])
    letters = re.compile(r"^ +(?:[a-z] +)+[a-z]$|level 0 +level 1", re.MULTILINE)
    boards = 1 if name == "sphlag" else 2  # letters stand above and below most boards
    assert len(letters.findall(first)) == len(letters.findall(answer)) == boards
    assert height < ROWS


def test_player_1_sits_at_the_bottom(name: str, person: Person) -> None:
    def rows(text: str) -> list[str]:
        return re.findall(r"^ ?(\d+)(?:  |$)", text, re.MULTILINE)

    usual = rows(str(ludarium.load_game(name).new_initial_state(3)))
    assert rows(person.read()) == usual[::-1] and len(usual) >= 6


def test_the_middle_of_a_turn_says_what_is_to_be_decided(tmp_path: Path) -> None:
    text = "12/12/12/12/3RR1BB4/3RR1BB4/12/12/12/12/BB8RR/BB8RR R - 10"
    person = Person(tmp_path, "play", "gliss", "--position", text, "--seed", "1")
    try:
        assert "Red to move; 10 turns" in person.read()
        chosen = person.type("d8")
        assert "Red flies the glider with its core on d8 (*): -" in chosen
        assert "a b c d" not in chosen  # no board
        assert chosen.endswith("land> ")
        assert person.type("undo").count("Red to move") == 1
    finally:
        person.close()
