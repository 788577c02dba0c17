"""Why an action is not legal in Gygès, in words for a person who typed it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ludarium.core.text import counted
from ludarium.games.gyges.actions import NAMES
from ludarium.games.gyges.notation import PLAYERS
from ludarium.games.gyges.walks import pieces_of

if TYPE_CHECKING:
    from ludarium.core.state import State

_SETUP = re.compile(r"[0-9]{4,8}", re.ASCII)
_MOVE = re.compile(r"([a-z][0-9]+)-([a-z][0-9]+|goal)", re.ASCII)
_DROP = re.compile(r"=([a-z][0-9]+)", re.ASCII)


def why_illegal(state: State, text: str) -> str | None:
    """Return why an action is not legal in a running state; None for what is not of its form.

    Args:
        state: the state.
        text: an action that is not legal there, such as ``321123``, ``b1-d2`` or ``=c4``.
    """
    moved, dropped = _MOVE.fullmatch(text), _DROP.fullmatch(text)
    if not (moved or dropped or _SETUP.fullmatch(text)):
        return None
    example = state.action_to_string(state.legal_actions()[0])
    if state.stage() == "setup":
        if moved or dropped:
            return f"the pieces are set up first, such as {example}"
        return f"a first row has two pieces of each kind, such as {example}"
    if not (moved or dropped):
        return f"the pieces are set up already; now it is a turn such as {example}"
    for name in (moved or dropped).groups():  # type: ignore[union-attr]
        if name not in NAMES:
            return f"there is no cell {name}: cells are a1 to f6"
    if state.stage() == "drop":
        if moved:
            return f"the replaced piece is put down first, such as {example}"
        assert dropped is not None
        return _why_not_dropped(state, dropped[1])
    if dropped:
        return f"no piece is in hand; a turn begins with a move such as {example}"
    assert moved is not None
    return _why_not_moved(state, *moved.groups())


def _why_not_moved(state: State, start: str, end: str) -> str:
    """Say what forbids a move of a piece (G3-G10)."""
    pieces, player = pieces_of(state), PLAYERS[state.current_player()]
    if start not in pieces:
        return f"{start} is empty"
    starts = {state.action_to_string(action).partition("-")[0] for action in state.legal_actions()}
    row = next(iter(starts))[1]
    if start[1] != row:
        return f"{start} is not in row {row}, the row nearest to {player} whose pieces can move"
    rings = counted(pieces[start], "step")
    if start not in starts:
        return f"the piece on {start} has no walk of {rings} that ends on the board or in the goal"
    where = f"in {PLAYERS[1 - state.current_player()]}'s goal" if end == "goal" else f"on {end}"
    return (
        f"no walk of {rings}, or with bounces off other pieces, leads from {start} and ends {where}"
    )


def _why_not_dropped(state: State, cell: str) -> str:
    """Say what forbids a cell for the replaced piece (G11)."""
    pieces, player = pieces_of(state), state.current_player()
    if cell in pieces:
        return f"there is a piece on {cell}"
    rows = [int(name[1]) for name in pieces]
    first = min(rows) if player else max(rows)
    return f"{cell} is behind {PLAYERS[1 - player]}'s first row, row {first}"
