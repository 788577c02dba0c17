"""Why an action is not legal in Sphlag, in words for a person who typed it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ludarium.games.sphlag.actions import HOLE, hole_name
from ludarium.games.sphlag.notation import PLAYERS
from ludarium.games.sphlag.rules import HOLES, OWN_HALF, SUPPLY, half_turn, position_of

if TYPE_CHECKING:
    from ludarium.core.state import State

Hole = tuple[int, int, int]
Board = dict[Hole, str]  # R, W, B or . on each of the 29 holes in play

_HOLE = r"[A-Z][0-9]+/[0-9]"
_FORM = re.compile(rf"({_HOLE})(?:-({_HOLE}))?", re.ASCII)
SPHERES = {"R": "a red sphere", "W": "a white sphere", "B": "a black sphere"}
FAR = 4  # spaces that a sphere travels at most (S13)


def why_illegal(state: State, text: str) -> str | None:
    """Return why an action is not legal in a running state; None for what is not of its form.

    Args:
        state: the state.
        text: an action that is not legal there, such as ``E7/0`` or ``E7/0-C7/0``.
    """
    found = _FORM.fullmatch(text)
    if found is None:
        return None
    for name in found.groups():
        if name == "D4/3":
            return "D4/3 is never filled"
        if name is not None and name not in HOLE:
            return f"there is no hole {name}"
    levels, side, _, before, _ = state.to_string().split(" ")
    board = _board(levels)
    start, end = (None if name is None else HOLE[name] for name in found.groups())
    assert start is not None
    if end is None:
        after = {**board, start: side}
        reason = _why_not_placed(board, start, side)
    else:
        reason = _why_not_lifted(board, start, side)
        if reason is None:
            board = _lifted(board, start)
            after = {**board, end: side}
            reason = _why_not_entered(board, start, end)
    if reason is not None:
        return reason
    if after == _board(levels):
        return "the board would stay as it is"
    if before != "-" and after == _board(before):
        return "the board would be as it was before the last turn"
    if end is None:  # nothing else forbids a placing
        return None
    return f"no way of at most four spaces leads from {found[1]} to {found[2]}"


def _board(levels: str) -> Board:
    return dict(zip(HOLES, levels.replace("/", "")[: len(HOLES)], strict=True))


def _below(hole: Hole) -> list[Hole]:
    """Return the holes that a hole rests on."""
    k, i, j = hole
    return [(k - 1, i + di, j + dj) for di in (0, 1) for dj in (0, 1)] if k else []


def _on_top(board: Board, hole: Hole) -> list[Hole]:
    """Return the spheres directly on top of a hole."""
    return [upper for upper, found in board.items() if found != "." and hole in _below(upper)]


def _unsupported(board: Board, hole: Hole) -> str | None:
    for lower in _below(hole):
        if board[lower] == ".":
            return f"{hole_name(hole)} has no support: {hole_name(lower)} is empty"
    return None


def _why_not_placed(board: Board, hole: Hole, side: str) -> str | None:
    """Say what forbids a placing, ko apart (S8, S9)."""
    name, player = hole_name(hole), "WB".index(side)
    if board[hole] != ".":
        return f"{name} holds {SPHERES[board[hole]]}"
    if (half_turn(hole) if player else hole) not in OWN_HALF:
        where = "on the diagonal" if sum(position_of(hole)) == 6 else "in the other half"
        return f"{name} is {where}: spheres are placed in one's own half"
    if list(board.values()).count(side) >= SUPPLY:
        return f"{PLAYERS[player]} has no spheres left"
    return _unsupported(board, hole)


def _why_not_lifted(board: Board, hole: Hole, side: str) -> str | None:
    """Say why a sphere cannot be moved (S10)."""
    name, found = hole_name(hole), board[hole]
    if found == ".":
        return f"{name} is empty"
    if found == "R":
        return f"{name} holds a red sphere, which never moves"
    if found != side:
        return f"{name} holds {SPHERES[found]}, which is not {PLAYERS['WB'.index(side)]}'s"
    upper = _on_top(board, hole)
    if len(upper) > 1:
        names = " and ".join(map(hole_name, upper[:2]))
        return f"{name} is locked: two spheres or more rest on it, {names}"
    return None


def _lifted(board: Board, hole: Hole) -> Board:
    """Return the board after a sphere was lifted and what it carried has dropped (S10, S11)."""
    board = {**board, hole: "."}
    while upper := _on_top(board, hole):
        board[hole], board[upper[0]] = board[upper[0]], "."
        hole = upper[0]
    return board


def _why_not_entered(board: Board, start: Hole, end: Hole) -> str | None:
    """Say what forbids the hole where a lifted sphere is to go (S13, S14)."""
    name = hole_name(end)
    if start == end:
        return "a move ends in another hole"
    if board[end] != ".":
        return f"{name} holds {SPHERES[board[end]]}"
    reason = _unsupported(board, end)
    if reason is not None:
        return f"once {hole_name(start)} is lifted, {reason}"
    spaces = sum(abs(a - b) for a, b in zip(position_of(start), position_of(end), strict=True))
    if spaces > FAR:
        return f"{name} is {spaces} spaces from {hole_name(start)}: a sphere travels at most four"
    return None
