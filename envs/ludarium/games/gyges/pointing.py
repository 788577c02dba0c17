"""Clicks of Gygès: a piece, then where it lands; or the cell of a replaced piece.

A first row is chosen by the cells of its pieces of one ring, then by those of its pieces of two
rings; the pieces of three rings take the cells that are left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludarium.drawing.pointing import ClickPath, Target
from ludarium.games.gyges.render import GOAL_HEIGHT, GOAL_Y, WIDTH, place_of
from ludarium.games.gyges.walks import COLUMNS, GOAL

if TYPE_CHECKING:
    from ludarium.core.state import State


def _cell(name: str, label: str = "") -> Target:
    return Target(*place_of(name), 0.5, 0.5, round=False, label=label)


def clicks(state: State) -> dict[int, ClickPath]:
    """Return the targets to click for each legal action."""
    player = state.current_player()
    goal = Target(WIDTH / 2, GOAL_Y[player - 1], 3, GOAL_HEIGHT / 2, round=False)  # of the opponent
    paths: dict[int, ClickPath] = {}
    for action in state.legal_actions():
        text = state.action_to_string(action)
        if state.stage() == "setup":
            cells = [
                (rings, column + "16"[player]) for rings, column in zip(text, COLUMNS, strict=True)
            ]
            paths[action] = tuple(_cell(name, rings) for rings, name in sorted(cells)[:4])
        elif state.stage() == "drop":
            paths[action] = (_cell(text[1:]),)
        else:
            start, end = text.split("-")
            paths[action] = (_cell(start), goal if end == GOAL else _cell(end))
    return paths


def marks(state: State) -> dict[int, ClickPath]:
    """Return the targets that an overlay marks: those of `clicks`, and all cells of a first row."""
    if state.is_terminal() or state.stage() != "setup":
        return clicks(state)
    row = "16"[state.current_player()]
    paths: dict[int, ClickPath] = {}
    for action in state.legal_actions():
        cells = sorted(zip(state.action_to_string(action), COLUMNS, strict=True))
        paths[action] = tuple(_cell(column + row, rings) for rings, column in cells)
    return paths


def prompt(state: State, chosen: ClickPath) -> str:
    """Return what to click next, in words."""
    if state.stage() == "setup":
        rings = "one ring" if len(chosen) < 2 else "two rings"
        which = "a" if len(chosen) % 2 == 0 else "the other"
        return f"click the cell of {which} piece of {rings}"
    if state.stage() == "drop":
        return "click where the piece in hand goes"
    return "click where the piece lands" if chosen else "click a piece of your first row"
