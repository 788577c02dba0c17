"""The record file of a long run: each game is in it as soon as it is over, and is played once.

A line is a game record (`ludarium.records` reads it) with one name more, ``match``: which game of
the run it is, and what cannot be read off the game.

    "match": {"a": "greedy", "b": "random", "round": 3, "opening": 517, "seconds": [0.1, 0.2],
              "turns": [9, 8], "failed": null, "failure": null, "digests": [null, null]}

A run that is killed leaves whole lines, and perhaps the beginning of one, which is struck.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ludarium.records.game_record import GameRecord


@dataclass(frozen=True)
class Entry:
    """One game of a run.

    Attributes:
        a: name of the first of the pair, in alphabetical order.
        b: name of the second.
        round: which game of the pair, from 0; `a` is player 0 in the even ones.
        record: the game; unfinished when a player failed.
        opening: seed of its opening, or None.
        seconds: that each player thought.
        turns: that each player completed.
        failed: name of a player who raised an exception or took too long.
        failure: what happened then.
        digests: of the files that the players are made of, None for others.
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

    @property
    def key(self) -> tuple[str, str, int]:
        """Which game of the run this is."""
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
        }
        return json.dumps(fields)

    @classmethod
    def from_json(cls, text: str, line: int) -> Entry:
        """Return the entry of a line.

        Raises:
            ValueError: It is none.
        """
        record = GameRecord.from_json(text, line)
        match = json.loads(text).get("match")
        try:
            digests = match.get("digests", (None, None))  # not in older files
            return cls(
                a=str(match["a"]),
                b=str(match["b"]),
                round=int(match["round"]),
                record=record,
                opening=match["opening"],
                seconds=(float(match["seconds"][0]), float(match["seconds"][1])),
                turns=(int(match["turns"][0]), int(match["turns"][1])),
                failed=match["failed"],
                failure=match["failure"],
                digests=(digests[0], digests[1]),
            )
        except (AttributeError, TypeError, KeyError, IndexError, ValueError) as error:
            raise ValueError(f"line {line}: no game of a tournament: {error!r}") from error


class Ledger:
    """An open record file; see `open_ledger`.

    Attributes:
        path: of the file.
        entries: the games that were in it.
    """

    def __init__(self, path: Path, file: BinaryIO, entries: list[Entry]) -> None:
        """Use `open_ledger`."""
        self.path, self.entries = path, entries
        self._file = file

    def add(self, entry: Entry) -> None:
        """Append a game, and see it on the disk.

        Raises:
            OSError: It cannot be written; the file is as before.
        """
        line = entry.to_json().encode() + b"\n"
        end = self._file.seek(0, os.SEEK_END)
        try:
            written = os.write(self._file.fileno(), line)
            if written != len(line):
                raise OSError(f"only {written} of {len(line)} bytes could be written")
            os.fsync(self._file.fileno())
        except OSError:
            with contextlib.suppress(OSError):
                self._file.truncate(end)
            raise


@contextlib.contextmanager
def open_ledger(path: str | os.PathLike[str]) -> Iterator[Ledger]:
    """Open a record file to go on with it, or make a new one.

    Raises:
        ValueError: It holds something else, or another run is writing to it.
        OSError: It cannot be read or written.
    """
    target = Path(path)
    with open(target, "ab+", buffering=0) as file:
        _lock(file, target)
        file.seek(0)
        content = file.read()
        whole = content.rfind(b"\n") + 1
        lines = content[:whole].split(b"\n")[:-1]
        entries = []
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    entries.append(Entry.from_json(line.decode(), number))
                except (ValueError, UnicodeDecodeError) as error:
                    raise ValueError(f"{target}: {error}") from error
        if whole < len(content):  # the run was killed while it wrote this
            if content[whole:].lstrip()[:1] not in (b"{", b""):
                raise ValueError(f"{target}: line {len(lines) + 1}: no game of a tournament")
            file.truncate(whole)
        yield Ledger(target, file, entries)


def _lock(file: Any, path: Path) -> None:
    """Keep other runs out as long as the file is open; killed or not, it is free afterwards."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise ValueError(f"{path} is in use by another run") from error
