"""The record file of a tournament: each game is appended when it is over, and is played only once.

A line is a game record (`ludarium.records` reads it) with one more field, ``match``: which game of
the tournament it is, and what cannot be read off the game.

    "match": {"a": "greedy", "b": "random", "round": 3, "opening": 517, "seconds": [0.1, 0.2],
              "turns": [9, 8], "failed": null, "failure": null, "digests": [null, null],
              "spec_time": "turn"}

A tournament that is killed leaves whole lines and perhaps the beginning of one more. Only such a
torn line of our own is ever removed; a file that holds anything else is refused and not changed.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import reprlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ludarium.core.game import Game
from ludarium.core.options import MAX_TURNS_LIMIT, as_float, as_int
from ludarium.core.text import counted
from ludarium.records.game_record import GameRecord

LONGEST_LINE = 1 << 26  # bytes; a game of a million turns fits
MOST_ROUNDS = MAX_TURNS_LIMIT
SEEDS = 1 << 53  # seeds are below this bound, which every reader of JSON represents exactly
#: The fields of a line in the order in which they are written -> what begins their values.
_BEGINNINGS = {
    "game": '"', "version": "0123456789", "options": "{", "seed": "0123456789n", "players": "[",
    "turns": "[", "result": "[n", "reason": '"', "start": '"', "answer": '"', "match": "{",
}  # fmt: skip
_OPTIONAL = ("start", "answer")

_brief = reprlib.Repr()  # for messages: hostile values may be long or deeply nested
_brief.maxstring = _brief.maxother = _brief.maxlong = 60


@dataclass(frozen=True)
class Entry:
    """One game of a tournament.

    Attributes:
        a: name of the first player of the pair, in alphabetical order.
        b: name of the second player.
        round: number of the game within the pair, from 0; `a` is player 0 in even rounds.
        record: the game; unfinished when a player failed.
        opening: seed of the opening, or None.
        seconds: thinking time of player 0 and of player 1, in seconds.
        turns: number of turns that player 0 and player 1 completed.
        failed: name of the player who raised an exception or took too long, or None.
        failure: description of the failure, or None.
        digests: hashes of the files that `a` and `b` were loaded from, None for other players.
        spec_time: what a time in a spec, such as ``mcts:250ms``, counted for: ``"turn"``, or
            ``"action"`` in files of older versions.
    """

    a: str
    b: str
    round: int
    record: GameRecord
    opening: int | None
    seconds: tuple[float, float]
    turns: tuple[int, int]
    failed: str | None = None
    failure: str | None = None
    digests: tuple[str | None, str | None] = (None, None)
    spec_time: str = "turn"

    @property
    def key(self) -> tuple[str, str, int]:
        """The pair and the round, which identify a game of a tournament."""
        return self.a, self.b, self.round

    def to_json(self) -> str:
        """Return the entry as one line of JSON, without a line end."""
        fields = json.loads(self.record.to_json())
        fields["match"] = {
            "a": self.a,
            "b": self.b,
            "round": self.round,
            "opening": self.opening,
            "seconds": list(self.seconds),
            "turns": list(self.turns),
            "failed": self.failed,
            "failure": self.failure,
            "digests": list(self.digests),
            "spec_time": self.spec_time,
        }
        return json.dumps(fields)

    @classmethod
    def from_json(cls, text: str, line: int) -> Entry:
        """Return the entry of a line.

        Args:
            text: the line.
            line: its number, for messages.

        Raises:
            ValueError: The line is not an entry; the message names the line and the field.
        """
        try:
            record = GameRecord.from_json(text, line)
            match = json.loads(text).get("match")
        except RecursionError as error:
            raise ValueError(f"line {line}: the JSON is nested too deeply") from error
        if not isinstance(match, dict):
            raise ValueError(
                f"line {line}: match {_brief.repr(match)} is not allowed: the line of a game of a "
                "tournament has an object there"
            )
        older = {"digests": [None, None], "spec_time": "action"}  # what older files lack
        values = {**older, **match}
        for name, (check, allowed) in _FIELDS.items():
            if name not in values:
                raise ValueError(f"line {line}: match.{name} is missing")
            if not check(values[name]):
                raise ValueError(
                    f"line {line}: match.{name} {_brief.repr(values[name])} is not allowed: "
                    f"{allowed}"
                )
        entry = cls(
            a=values["a"],
            b=values["b"],
            round=values["round"],
            record=record,
            opening=values["opening"],
            seconds=(float(values["seconds"][0]), float(values["seconds"][1])),
            turns=(values["turns"][0], values["turns"][1]),
            failed=values["failed"],
            failure=values["failure"],
            digests=(values["digests"][0], values["digests"][1]),
            spec_time=values["spec_time"],
        )
        entry._check(line)
        return entry

    def _check(self, line: int) -> None:
        """Raise ValueError unless the fields of the entry fit together."""
        record, names = self.record, (self.a, self.b)
        if self.a >= self.b:
            raise ValueError(f"line {line}: match.a and match.b are two names in order: {names!r}")
        seats = names if self.round % 2 == 0 else names[::-1]
        if record.players != seats:
            raise ValueError(
                f"line {line}: players {record.players!r} is not allowed: round {self.round} of "
                f"this pair has {seats!r}"
            )
        if self.failed not in (None, *names) or (self.failed is None) != (self.failure is None):
            raise ValueError(
                f"line {line}: match.failed {_brief.repr(self.failed)} is not allowed: the name of "
                "a player and match.failure with a text, or null for both"
            )
        if self.failed is not None:
            allowed: tuple[Any, ...] = (None,)
        else:
            allowed = (1, -1), (-1, 1), (0, 0)
        if record.result not in allowed:
            raise ValueError(
                f"line {line}: result {record.result!r} is not allowed: null if a player failed, "
                "otherwise [1, -1], [-1, 1] or [0, 0]"
            )


# ---------------------------------------------------------------- the fields of a line


def _is_int(value: Any, below: int) -> bool:
    number = as_int(value)
    return number is not None and 0 <= number < below


def _are_two(value: Any, check: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(check, value))


def _is_text_or_none(value: Any) -> bool:
    return value is None or isinstance(value, str)


#: Name of each field of ``match`` -> its check, and what it may be in words.
_FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "a": (lambda value: isinstance(value, str), "the name of a player"),
    "b": (lambda value: isinstance(value, str), "the name of a player"),
    "round": (lambda value: _is_int(value, MOST_ROUNDS), f"an int, 0 to {MOST_ROUNDS - 1}"),
    "opening": (
        lambda value: value is None or _is_int(value, SEEDS),
        "an int, 0 to 2**53 - 1, or null",
    ),
    "seconds": (
        lambda value: _are_two(value, lambda number: 0 <= as_float(number) < math.inf),
        "a list of two finite numbers >= 0",
    ),
    "turns": (
        lambda value: _are_two(value, lambda number: _is_int(number, MAX_TURNS_LIMIT + 1)),
        f"a list of two ints, 0 to {MAX_TURNS_LIMIT}",
    ),
    "failed": (_is_text_or_none, "the name of a player, or null"),
    "failure": (_is_text_or_none, "a text, or null"),
    "digests": (
        lambda value: _are_two(value, _is_text_or_none),
        "a list of two, each a text or null",
    ),
    "spec_time": (lambda value: value in ("turn", "action"), "'turn' or 'action'"),
}


def is_torn(tail: bytes, game: Game) -> bool:
    """Return whether bytes are the beginning, but not the whole, of the line of an entry.

    A writer that was killed leaves its fields in the order in which `Entry.to_json` writes them.

    Args:
        tail: the last line of a file, without a line end.
        game: the game of the tournament, whose name, version and options a line begins with.

    >>> from ludarium import load_game
    >>> game = load_game("gliss")
    >>> is_torn(b'{"game": "gliss", "vers', game), is_torn(b'{"game": "go", "vers', game)
    (True, False)
    """
    fields = {"game": game.name, "version": game.version, "options": dict(game.options)}
    head = json.dumps(fields)[:-1].encode()
    if not tail.isascii() or not (head.startswith(tail) or tail.startswith(head)):
        return False
    text, position, separator = tail.decode(), 0, "{"
    decoder, keys = json.JSONDecoder(), list(_BEGINNINGS)
    while keys:
        rest = text[position:]
        heads = {key: f'{separator}"{key}": ' for key in keys}
        if any(head.startswith(rest) for head in heads.values()):
            return True  # torn before the value
        key = next((key for key, head in heads.items() if rest.startswith(head)), None)
        if key is None or any(skipped not in _OPTIONAL for skipped in keys[: keys.index(key)]):
            return False
        position += len(heads[key])
        if text[position : position + 1] not in _BEGINNINGS[key]:
            return False
        try:
            _, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            return True  # torn within the value
        del keys[: keys.index(key) + 1]
        separator = ", "
    return text[position:] == ""


# ---------------------------------------------------------------- the file


class Ledger:
    """An open record file; see `open_ledger`.

    Attributes:
        path: path of the file.
        entries: the games that were in the file when it was opened.
    """

    def __init__(self, path: Path, file: BinaryIO, entries: list[Entry], torn: int | None) -> None:
        """Use `open_ledger`."""
        self.path, self.entries = path, entries
        self._file, self._torn = file, torn

    def __repr__(self) -> str:
        return f"<Ledger {str(self.path)!r}: {counted(len(self.entries), 'game')}>"

    def add(self, entry: Entry) -> None:
        """Append a game and wait until it is on the disk.

        A torn last line is removed first, so the file stays as it is until a game is added.

        Raises:
            OSError: The game cannot be written; the whole lines of the file are as before.
        """
        if self._torn is not None:
            self._file.truncate(self._torn)
            self._torn = None
        end = self._file.seek(0, os.SEEK_END)
        line = entry.to_json().encode() + b"\n"
        if end and not self._ends_in_newline(end):
            line = b"\n" + line
        try:
            written = os.write(self._file.fileno(), line)
            if written != len(line):
                raise OSError(f"only {written} of {len(line)} bytes could be written")
            os.fsync(self._file.fileno())
        except OSError:
            with contextlib.suppress(OSError):
                self._file.truncate(end)
            raise

    def _ends_in_newline(self, end: int) -> bool:
        self._file.seek(end - 1)
        return self._file.read(1) == b"\n"


@contextlib.contextmanager
def open_ledger(path: str | os.PathLike[str], game: Game) -> Iterator[Ledger]:
    """Open a record file to continue it, or create one.

    Args:
        path: path of the file.
        game: the game of the tournament.

    Raises:
        ValueError: The file holds something else, or another tournament is writing to it.
        OSError: The file cannot be read or written.
    """
    target = Path(path)
    with open(target, "ab+", buffering=0) as file:
        _lock(file, target)
        entries, torn = _read(target, game)
        yield Ledger(target, file, entries, torn)


def remove_ledger(path: str | os.PathLike[str], game: Game) -> None:
    """Delete a record file if there is one.

    Args:
        path: path of the file.
        game: the game of the tournament.

    Raises:
        ValueError: The file holds something else, or a tournament is writing to it.
        OSError: The file cannot be read or deleted.
    """
    if os.path.exists(path):
        with open_ledger(path, game):
            pass
        os.unlink(path)


def _read(path: Path, game: Game) -> tuple[list[Entry], int | None]:
    """Return the entries of a file, and where its torn last line begins, None without one."""
    entries: list[Entry] = []
    with open(path, "rb") as file:
        number = start = 0
        while line := file.readline(LONGEST_LINE):
            number += 1
            if len(line) == LONGEST_LINE:
                raise ValueError(f"{path}: line {number} is longer than {LONGEST_LINE} bytes")
            if line.strip():
                try:
                    entries.append(Entry.from_json(line.decode(), number))
                except ValueError as error:
                    if not line.endswith(b"\n") and is_torn(line, game):
                        return entries, start
                    reason = str(error)
                    if isinstance(error, UnicodeDecodeError):
                        reason = f"line {number}: not UTF-8 text"
                    raise ValueError(f"{path}: {reason}") from error
            start += len(line)
    return entries, None


def _lock(file: Any, path: Path) -> None:
    """Keep other tournaments out while the file is open; the lock ends with the process."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise ValueError(f"{path} is in use by another tournament") from error
