"""Game records: one game in one line of JSON, to write, read and replay.

    {"game": "sphlag", "version": 0, "options": {"max_turns": 200}, "seed": 1,
     "players": ["random", "greedy"], "turns": ["E7/0", "C3/0", ...],
     "result": [-1, 1], "reason": "won"}

``turns`` are the texts of whole turns; of an unfinished game the last one may be half made.
``start`` is the text of the first position; it is omitted where this is the game's only start.
``result`` is null while a game is unfinished, and [0, 0] when it ended without a winner.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from ludarium.core.files import replacing
from ludarium.core.game import Game
from ludarium.core.history import start_of
from ludarium.core.options import as_int
from ludarium.core.state import State
from ludarium.records.results import DRAWN, MAX_TURNS, UNFINISHED, WON

# ---------------------------------------------------------------- a record


@dataclass(frozen=True)
class GameRecord:
    """One game, finished or not.

    Attributes:
        game: name of the game.
        version: version of the game.
        options: all options of the game.
        seed: the seed of the game, if it is known.
        players: names of player 0 and player 1.
        turns: texts of the turns since the start; the last one may be half made.
        result: final scores of both players, or None for an unfinished game.
        reason: ``won``, ``drawn``, ``max_turns``, ``unfinished``, ``illegal`` (a player answered
            with an illegal action and lost), or a word of the recorder.
        start: text of the first position, None for the game's only start.
        answer: the illegal answer that ended the game, as its Python repr.
        line: number of the line in the file it was read from, from 1.
    """

    game: str
    version: int
    options: Mapping[str, Any]
    seed: int | None
    players: tuple[str, str]
    turns: tuple[str, ...]
    result: tuple[float, float] | None
    reason: str
    start: str | None = None
    answer: str | None = None
    line: int | None = field(default=None, compare=False)

    @classmethod
    def from_state(
        cls,
        state: State,
        players: tuple[str, str] = ("player_0", "player_1"),
        seed: int | None = None,
        *,
        result: tuple[float, float] | None = None,
        reason: str | None = None,
        answer: str | None = None,
    ) -> GameRecord:
        """Return the record of the game that led to a state, finished or not.

        Args:
            state: the last position, with its history.
            players: names of player 0 and player 1.
            seed: the seed of the game.
            result: scores of a game that did not end by the rules or by `max_turns`.
            reason: why that game ended.
            answer: the illegal answer that ended it, as text.
        """
        start = start_of(state)
        return record_of(
            state,
            start.to_string(),
            _turn_texts(start, state.history()),
            players,
            seed,
            result=result,
            reason=reason,
            answer=answer,
        )

    def to_json(self) -> str:
        """Return the record as one line of JSON, without a line end."""
        result = None if self.result is None else [_plain(score) for score in self.result]
        fields: dict[str, Any] = {
            "game": self.game,
            "version": self.version,
            "options": dict(self.options),
            "seed": self.seed,
            "players": list(self.players),
            "turns": list(self.turns),
            "result": result,
            "reason": self.reason,
        }
        for name in _OPTIONAL:
            if getattr(self, name) is not None:
                fields[name] = getattr(self, name)
        return json.dumps(fields)

    def _repr_html_(self) -> str:
        """Return the page to step through the game that a notebook shows."""
        from ludarium.records.html import frame_of

        return frame_of(self)

    @classmethod
    def from_json(cls, text: str, line: int | None = None) -> GameRecord:
        """Return the record of a line of JSON.

        Unknown fields are ignored.

        Raises:
            ValueError: The text is not a record; the message names the line and the field.
        """
        where = where_of(line)
        try:
            fields = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{where}not valid JSON: {error}") from error
        if not isinstance(fields, dict):
            raise ValueError(f"{where}a record is a JSON object, not {text[:40]!r}")
        values: dict[str, Any] = {}
        for name, (check, allowed) in _FIELDS.items():
            if name not in fields and name not in _OPTIONAL:
                raise ValueError(f"{where}{name!r} is missing")
            values[name] = fields.get(name)
            if not check(values[name]):
                raise ValueError(f"{where}{name} {values[name]!r} is not allowed: {allowed}")
        for name in ("players", "turns", "result"):
            if values[name] is not None:
                values[name] = tuple(values[name])
        return cls(**values, line=line)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_natural(value: Any) -> bool:
    number = as_int(value)
    return number is not None and number >= 0


def _is_list(value: Any, of: Any, length: int | None = None) -> bool:
    right = isinstance(value, list) and length in (None, len(value))
    return right and all(isinstance(item, of) and not isinstance(item, bool) for item in value)


_FIELDS: dict[str, tuple[Any, str]] = {
    "game": (_is_text, "the name of a game"),
    "version": (_is_natural, "an int >= 0"),
    "options": (lambda value: isinstance(value, dict), "an object, option by name"),
    "seed": (lambda value: value is None or _is_natural(value), "an int >= 0, or null"),
    "players": (lambda value: _is_list(value, str, 2), "a list of two names"),
    "turns": (lambda value: _is_list(value, str), "a list of texts"),
    "result": (
        lambda value: (
            value is None
            or (_is_list(value, (int, float), 2) and all(-1 <= score <= 1 for score in value))
        ),
        "a list of two numbers from -1 to 1, or null",
    ),
    "reason": (_is_text, "a text"),
    "start": (lambda value: value is None or _is_text(value), "the text of a position, or null"),
    "answer": (lambda value: value is None or _is_text(value), "a text, or null"),
}
_OPTIONAL = ("start", "answer")  # omitted where they are None


def where_of(line: int | None) -> str:
    """Return how a message about a record begins, which names its line if it has one."""
    return "" if line is None else f"line {line}: "


def _plain(score: float) -> float:
    """Return a whole number as an int."""
    return int(score) if score == int(score) else score


def record_of(
    last: State,
    start: str,
    turns: Iterable[str],
    players: tuple[str, str] = ("player_0", "player_1"),
    seed: int | None = None,
    *,
    result: tuple[float, float] | None = None,
    reason: str | None = None,
    answer: str | None = None,
) -> GameRecord:
    """Return the record of a game whose turns are known as texts; as `GameRecord.from_state`.

    Args:
        last: the last position.
        start: the text of the first position.
        turns: the text of each turn; the last one may be half made.
        players: names of player 0 and player 1.
        seed: the seed of the game, if it is known.
        result: scores of a game that did not end by the rules or by `max_turns`.
        reason: why that game ended.
        answer: the illegal answer that ended it, as text.
    """
    game = last.game
    if last.is_terminal():
        result, reason = verdict(last)
    return GameRecord(
        game=game.name,
        version=game.version,
        options=dict(game.options),
        seed=seed,
        players=players,
        turns=tuple(turns),
        result=result,
        reason=reason or UNFINISHED,
        start=None if start == standard_start(game) else start,
        answer=answer,
    )


def verdict(last: State) -> tuple[tuple[float, float] | None, str]:
    """Return the result and the reason that follow from the last position."""
    if not last.is_terminal():
        return None, UNFINISHED
    first, second = last.returns()
    return (first, second), MAX_TURNS if last.is_truncated() else WON if first else DRAWN


@functools.lru_cache(maxsize=32)
def standard_start(game: Game) -> str | None:
    """Return the text of a game's only start, or None where chance sets up the game."""
    texts = {game.new_initial_state(seed).to_string() for seed in range(8)}
    return texts.pop() if len(texts) == 1 else None


def _turn_texts(start: State, history: list[int]) -> Iterator[str]:
    """Yield the text of each turn of a history, the last one perhaps half made."""
    state, text, turn = start.clone(), "", start.turn_number()
    for action in history:
        text += state.action_to_string(action)
        state.apply_action(action)
        if state.turn_number() != turn or state.is_terminal():
            yield text
            text, turn = "", state.turn_number()
    if text:
        yield text


# ---------------------------------------------------------------- files

TAIL = 1 << 16  # bytes at the end of a file that are checked before it grows


def read(path: str | os.PathLike[str]) -> list[GameRecord]:
    """Return all records of a file, each with the number of its line.

    Args:
        path: a file of JSON lines, as `write` makes it.

    Raises:
        ValueError: A line is not a record; the message names it.
        OSError: The file cannot be read.
    """
    with open(path, "rb") as file:
        lines = file.read().split(b"\n")
    records = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                text = line.decode()
            except UnicodeDecodeError as error:
                raise ValueError(f"line {number}: not valid UTF-8") from error
            records.append(GameRecord.from_json(text, number))
    return records


def check_records_file(path: str | os.PathLike[str]) -> None:
    """Check that records can be appended to a file: it is missing, empty, or holds records.

    The first line and those near the end are read, not a whole large file. A last line without a
    line end may be torn, after a record.

    Raises:
        ValueError: A line is not a record; the message names the file and the first such line.
        OSError: The file cannot be read.
    """
    if not os.path.exists(path):
        return
    with open(path, "rb") as file:
        _check_holds_records(file, path)


def _check_holds_records(file: BinaryIO, path: str | os.PathLike[str]) -> None:
    """Raise ValueError unless an open file is empty or holds records, as `check_records_file`."""
    file.seek(0)
    first = next((line for line in iter(lambda: file.readline(TAIL), b"") if line.strip()), b"")
    end = file.seek(0, os.SEEK_END)
    file.seek(max(0, end - TAIL))
    *lines, _ = file.read().split(b"\n")
    if end > TAIL:
        lines = lines[1:]  # the first one may be a part of a line
    if all(_is_record(line) for line in [first, *lines] if line.strip()):
        return
    file.seek(0)
    several = False
    for number, line in enumerate(file, 1):
        torn = several and not line.endswith(b"\n")
        if line.strip() and not torn and not _is_record(line):
            raise ValueError(
                f"{os.fspath(path)!r} does not hold game records and is not changed: line {number} "
                f"is not a record: {line[:40]!r}"
            )
        several = several or bool(line.strip())


def _is_record(line: bytes) -> bool:
    try:
        GameRecord.from_json(line.decode())
    except ValueError:
        return False
    return True


def write(
    records: GameRecord | Iterable[GameRecord],
    path: str | os.PathLike[str],
    overwrite: bool = False,
) -> None:
    """Append records to a file, one line each, all of them or none.

    Args:
        records: a record, or several.
        path: the file; it is made if it does not exist. A last line without a line end is ended
            first, so that no record is joined to it.
        overwrite: True: replace the file instead, whatever it holds.

    Raises:
        ValueError: The file holds something else than records; it is as before.
        OSError: The file cannot be written; it is as before.
    """
    several = [records] if isinstance(records, GameRecord) else list(records)
    lines = "".join(record.to_json() + "\n" for record in several).encode()
    if overwrite:
        with replacing(Path(path), overwrite=True) as file:
            file.write(lines)
        return
    with open(path, "ab+") as file:
        _check_holds_records(file, path)
        end = file.seek(0, os.SEEK_END)
        if end:
            file.seek(end - 1)
            if file.read(1) != b"\n":
                lines = b"\n" + lines
        try:
            written = os.write(file.fileno(), lines)  # one call: no reader sees half a line
            if written != len(lines):
                raise OSError(f"only {written} of {len(lines)} bytes could be written to {path}")
        except OSError:
            with contextlib.suppress(OSError):
                file.truncate(end)
            raise
