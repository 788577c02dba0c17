"""Sphlag in text: a position in one line, and as a diagram.

    R.....R..R.....R/........./..../. W 0 - 0

The four levels from the ground up, each row by row from row 1 and column A; the side to move; how
many passes were made in a row; the levels before the last turn, or ``-``; the turns completed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ludarium.core.text import counted, natural
from ludarium.games.sphlag.actions import HOLE, hole_name
from ludarium.games.sphlag.rules import (
    BLACK,
    GOAL,
    HOLES,
    KO,
    NO_BOARD,
    PASSES,
    PLAYER,
    REDS,
    SUPPLY,
    TURN,
    WHITE,
    bit_of,
    check_end,
)

if TYPE_CHECKING:
    from ludarium.core.state import State

Array = npt.NDArray[np.uint64]
PLAYERS = ("White", "Black")
LEVELS = (16, 9, 4, 1)  # holes of each level, the top one, never filled, included


# ---------------------------------------------------------------- one line


def _levels(white: int, black: int) -> str:
    text = ""
    for hole in HOLES:
        if hole[1] == hole[2] == 0 and hole[0]:
            text += "/"
        bit = 1 << bit_of(hole)
        text += "R" if hole in REDS else "W" if white & bit else "B" if black & bit else "."
    return text + "/."


def to_text(state: Array) -> str:
    """Return the position of a state in one line."""
    before = "-"
    if state[KO] != NO_BOARD:
        before = _levels(int(state[KO]), int(state[KO + 1]))
    now = _levels(int(state[WHITE]), int(state[BLACK]))
    return f"{now} {'WB'[int(state[PLAYER])]} {int(state[PASSES])} {before} {int(state[TURN])}"


def _read_levels(text: str, field: str) -> tuple[int, int]:
    """Return the white and black boards of a text like ``R.....R..R.....R/........./..../.``."""
    levels = text.split("/")
    if tuple(len(level) for level in levels) != LEVELS:
        raise ValueError(f"{field} {text!r}: the four levels have 16, 9, 4 and 1 holes")
    boards = {"W": 0, "B": 0}
    filled = set(REDS)
    for hole, found in zip(HOLES, "".join(levels)[:-1], strict=True):
        if found not in "RWB.":
            raise ValueError(f"{field} {text!r}: {found!r} is none of R, W, B and .")
        if (found == "R") != (hole in REDS):
            raise ValueError(
                f"{field} {text!r}: {hole_name(hole)} has {found!r}; the reds are on A1, E3, C5, G7"
            )
        if found in boards:
            boards[found] |= 1 << bit_of(hole)
            filled.add(hole)
            k, i, j = hole
            below = [(k - 1, i + di, j + dj) for di in (0, 1) for dj in (0, 1)] if k else []
            if not filled.issuperset(below):
                raise ValueError(f"{field} {text!r}: {hole_name(hole)} rests on an empty hole")
    if levels[3] != ".":
        raise ValueError(f"{field} {text!r}: D4/3 has {levels[3]!r}; it can never be filled")
    for colour, board in boards.items():
        if board.bit_count() > SUPPLY:
            raise ValueError(f"{field} {text!r}: {board.bit_count()} {colour}; a player has 16")
    return boards["W"], boards["B"]


def from_text(text: str, blank: Array) -> Array:
    """Return the state of a line of text; `blank` is a state with the game's options.

    Raises:
        ValueError: The text is not a position; the message names the field.
    """
    fields = text.split(" ")
    if len(fields) != 5:
        raise ValueError(
            f"{text!r} has {len(fields)} fields, not 5: levels, side, passes, levels before, turns"
        )
    levels, side, passes, before, turns = fields
    state = blank.copy()
    state[WHITE], state[BLACK] = _read_levels(levels, "levels")
    if side not in ("W", "B"):
        raise ValueError(f"side {side!r}: the side to move is W or B")
    if passes not in ("0", "1", "2"):
        raise ValueError(f"passes {passes!r}: 0, 1 or 2 passes in a row")
    state[KO] = state[KO + 1] = NO_BOARD
    if before != "-":
        state[KO], state[KO + 1] = _read_levels(before, "levels before")
    state[PLAYER], state[PASSES] = "WB".index(side), int(passes)
    state[TURN] = natural(turns, "turns")
    check_end(state)
    return state


# ---------------------------------------------------------------- diagram


#: What the letters of a diagram stand for.
LEGEND = (
    "R: a red sphere, W and B: White's and Black's, .: an empty hole. Level 1 rests on level 0, "
    "level 2 on level 1"
)
_WIDTH = 13  # of a level, in characters


def diagram(state: State, turned: bool = False) -> str:
    """Return the four levels side by side, the upper flag at the top left, with coordinates.

    `LEGEND` explains the letters.

    Args:
        state: the state.
        turned: whether each level is turned by 180 degrees, so that Black sits at the bottom.
    """
    levels, side, passes, _, turns = state.to_string().split(" ")
    found = dict(zip(HOLES, levels.replace("/", "")[:-1], strict=True))
    way = -1 if turned else 1
    grids = []
    for level in range(3):
        columns = "ABCDEFG"[level : 7 - level][::way]
        lines = [f"   {columns}  ".ljust(_WIDTH)]
        for row in range(1 + level, 8 - level)[::way]:
            line = f"{row}  "
            for column in columns:
                hole = HOLE.get(f"{column}{row}/{level}")
                line += " " if hole is None else found[hole]
            lines.append(line.ljust(_WIDTH))
        grids.append([f"level {level}".ljust(_WIDTH), *lines] + [" " * _WIDTH] * (2 * level))
    rows = ["  ".join(parts).rstrip() for parts in zip(*grids, strict=True)]
    if state.is_terminal():
        status = outcome(state)
    else:
        status = f"{PLAYERS['WB'.index(side)]} to move"
        if passes == "1":
            status += ", the last turn was a pass"
    return "\n".join([*rows, f"{status}; {counted(int(turns), 'turn')}"])


def outcome(state: State) -> str:
    """Return the result of a finished game in words, with the reason (S19, S20)."""
    if state.is_truncated():
        return "no winner: max_turns reached"
    result = state.returns()[0]
    array = state._array
    contacts = [(int(array[player]) & int(GOAL[player])).bit_count() for player in (0, 1)]
    spheres = [int(array[player]).bit_count() for player in (0, 1)]
    if result == 0:
        return "draw: equal contacts and equal spheres after two passes"
    winner = 0 if result > 0 else 1
    if contacts[winner] > 1:
        reason = "two contacts" if contacts[winner] == 2 else "three contacts"
    elif contacts[winner] > contacts[1 - winner]:
        reason = "more contacts after two passes"
    else:
        reason = f"fewer spheres after two passes, {spheres[winner]} to {spheres[1 - winner]}"
    return f"{PLAYERS[winner]} has won: {reason}"
