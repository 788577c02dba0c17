"""Gygès in text: a position in one line, and as a diagram.

    321123/000000/000000/000000/000000/321123 S move 2

The rows from South's, columns a-f, rings or 0 for an empty cell; the side to move, S or N; the
stage; the turns completed. The stage is ``setup``, ``move``, ``drop:d2:3`` (the piece that moved
stands on d2, a piece of three rings is in hand) or ``goal`` (a piece entered the goal and left the
board; the side named would have been next).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ludarium.core.history import LastTurn, last_turn_of
from ludarium.core.status import WON_0, WON_1
from ludarium.core.text import counted, natural
from ludarium.games.gyges.actions import COLUMNS, NAMES
from ludarium.games.gyges.rules import (
    ARRANGEMENTS,
    DROP,
    HAND,
    MOVE,
    MOVER,
    ONES,
    PHASE,
    PHASES,
    PLAYER,
    RANDOM,
    SETUP,
    STATUS,
    THREES,
    TURN,
    TWOS,
    check_end,
)
from ludarium.games.gyges.walks import pieces_of, walked

if TYPE_CHECKING:
    from ludarium.core.state import State

Array = npt.NDArray[np.uint64]

SIDES = "SN"
PLAYERS = ("South", "North")
EMPTY = "000000"
FIRST_ROWS = {"".join(map(str, row)) for row in ARRANGEMENTS}
_ROWS = re.compile(r"[0-3]{6}(/[0-3]{6}){5}", re.ASCII)
_STAGE = re.compile(r"setup|move|goal|drop:([a-f][1-6]):([1-3])", re.ASCII)


# ---------------------------------------------------------------- one line


def to_text(state: Array) -> str:
    """Return the position of a state in one line."""
    boards = [int(state[board]) for board in (ONES, TWOS, THREES)]
    digits = ["0"] * 36
    for rings, board in enumerate(boards, start=1):
        for cell in range(36):
            if board >> cell & 1:
                digits[cell] = str(rings)
    rows = ["".join(digits[first : first + 6]) for first in range(30, -1, -6)]
    stage = PHASES[int(state[PHASE])]
    if state[PHASE] == DROP:
        stage = f"drop:{NAMES[int(state[MOVER])]}:{int(state[HAND])}"
    elif int(state[STATUS]) in (WON_0, WON_1):
        stage = "goal"
    return f"{'/'.join(rows)} {SIDES[int(state[PLAYER])]} {stage} {int(state[TURN])}"


def from_text(text: str, blank: Array) -> Array:
    """Return the state of a line of text; `blank` is a state with the game's options.

    Raises:
        ValueError: The text is not a position; the message names the field.
    """
    fields = text.split(" ")
    if len(fields) != 4:
        raise ValueError(f"{text!r} has {len(fields)} fields, not 4: rows, side, stage, turns")
    rows, side, stage, turns = fields
    if not _ROWS.fullmatch(rows):
        raise ValueError(f"rows {rows!r}: six rows of six digits 0 to 3, with / between rows")
    if side not in ("S", "N"):
        raise ValueError(f"side {side!r}: the side to move is S or N")
    found = _STAGE.fullmatch(stage)
    if not found:
        raise ValueError(
            f"stage {stage!r}: setup, move, goal, or drop:CELL:RINGS with the cell where the piece "
            "that moved stands, a1 to f6, and the rings of the piece in hand, 1 to 3"
        )
    state = blank.copy()
    state[TURN] = natural(turns, "turns")
    state[PLAYER] = SIDES.index(side)
    if stage == "setup":
        _check_setup(rows, side, bool(state[RANDOM]))
        state[PHASE] = SETUP
    else:
        mover, hand = found.groups()
        _check_counts(rows, stage, mover, hand)
        state[PHASE] = DROP if mover else MOVE
        if mover:
            state[MOVER], state[HAND] = NAMES.index(mover), int(hand)
    for i, row in enumerate(rows.split("/")):
        for j, rings in enumerate(row):
            if rings != "0":
                state[int(rings) - 1] |= np.uint64(1 << (6 * (5 - i) + j))
    check_end(state)
    return state


def _check_setup(rows: str, side: str, drawn: bool) -> None:
    """Refuse rows that are not those of a set-up (G2)."""
    if drawn:
        raise ValueError("stage 'setup': with setup='random' nobody sets up; it is move or drop")
    first, *others = rows.split("/")
    if side == "N" and first not in FIRST_ROWS:
        raise ValueError(
            f"rows {rows!r}: row 1 is {first}, not South's set-up, an arrangement of 1,1,2,2,3,3"
        )
    if any(row != EMPTY for row in ((first, *others) if side == "S" else others)):
        raise ValueError(
            f"rows {rows!r}: all rows are empty before South sets up, all but row 1 before North"
        )


def _check_counts(rows: str, stage: str, mover: str | None, hand: str | None) -> None:
    """Refuse pieces that are not four of each kind, less one in the goal (G1, G10, G11)."""
    pieces = {rings: rows.count(rings) for rings in "123"}
    if stage == "goal":
        if sorted(pieces.values()) != [3, 4, 4]:
            raise ValueError(
                f"rows {rows!r}: {_named(pieces)}; with a piece in the goal eleven are left, four "
                "of two kinds and three of the third"
            )
        return
    where = f"rows {rows!r}"
    if mover is not None and hand is not None:
        where = f"rows {rows!r} with the piece in hand of stage {stage!r}"
        pieces[hand] += 1
        i, j = "123456".index(mover[1]), COLUMNS.index(mover[0])
        if rows.split("/")[i][j] == "0":
            raise ValueError(
                f"stage {stage!r}: {mover} is empty in rows {rows!r}; the piece that moved is there"
            )
    if set(pieces.values()) != {4}:
        raise ValueError(f"{where}: {_named(pieces)}; there are four of each kind")


def _named(pieces: dict[str, int]) -> str:
    """Return how many pieces of each kind there are, in words."""
    return ", ".join(f"{n} of {counted(int(rings), 'ring')}" for rings, n in pieces.items())


# ---------------------------------------------------------------- diagram


#: What the signs of a diagram stand for.
LEGEND = (
    "1, 2, 3: a piece with so many rings; .: an empty cell; []: the piece that has just moved. "
    "Pieces belong to nobody: you move one of the occupied row nearest to you"
)


def diagram(state: State, turned: bool = False, last_turn: LastTurn | None = None) -> str:
    """Return the board with both goals and coordinates, the last turn with its walk, the status.

    Digits are rings, dots empty cells. Between brackets stand the piece that has just moved while
    another is in hand, and the piece in a goal.

    Args:
        state: the state.
        turned: whether the board is turned by 180 degrees, so that North sits at the bottom.
        last_turn: what was played immediately before; None: replay the history to find it.
    """
    text = state.to_string()
    rows, side, stage, turns = text.split(" ")
    pieces = pieces_of(state)
    mover, _, hand = stage.removeprefix("drop:").partition(":")
    goals = [" ", " "]  # what is in the goal of South and of North
    if stage == "goal":
        missing = next(rings for rings in "123" if rows.count(rings) == 3)
        goals[SIDES.index(side)] = f"[{missing}]"
    way = -1 if turned else 1
    columns = COLUMNS[::way]
    letters = "     " + "  ".join(columns)
    cells = []
    for row in "654321"[::way]:
        line = f" {row}  "
        for column in columns:
            found = str(pieces.get(column + row, "."))
            line += f"[{found}]" if column + row == mover else f" {found} "
        cells.append(f"{line}  {row}")
    ends = [
        f"   {player}'s goal {goal}".rstrip() for player, goal in zip(PLAYERS, goals, strict=True)
    ]
    lines = [ends[0 if turned else 1], letters, *cells, letters, ends[1 if turned else 0]]
    if last_turn is None:
        last_turn = last_turn_of(state)
    last = walked(last_turn.begun or last_turn.whole)
    if last is not None:
        line = f"{PLAYERS[last.player]} played {last.text}"
        if last.walk:
            line += f": {counted(last.rings, 'ring')} by {' '.join(last.walk)}"
        if last.bounces:
            line += f", bouncing off {' '.join(last.bounces)}"
        lines.append(line)
    lines.append(f"{status(state, hand)}; {counted(int(turns), 'turn')}")
    return "\n".join(lines)


def status(state: State, hand: str = "") -> str:
    """Return the result, or who is to do what, in words."""
    if state.is_terminal():
        return outcome(state)
    player = PLAYERS[state.current_player()]
    if state.stage() == "setup":
        return f"{player} to set up"
    if state.stage() == "drop":
        return f"{player} to put down the replaced piece of {counted(int(hand), 'ring')}"
    return f"{player} to move"


def outcome(state: State) -> str:
    """Return the result of a finished game in words, with the reason (G14)."""
    if state.is_truncated():
        return "no winner: max_turns reached"
    return f"{PLAYERS[0 if state.returns()[0] > 0 else 1]} has won: a piece has reached the goal"
