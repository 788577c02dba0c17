"""Pointing at Gygès: the piece, then where it lands; where a replaced piece goes.

A first row is pointed at by the cells of its pieces of one ring, then by those of its pieces of two
rings; what is left is for the three.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludarium.drawing.pointing import Place
from ludarium.games.gyges.render import GOAL_HEIGHT, GOAL_Y, WIDTH, place_of
from ludarium.games.gyges.walks import COLUMNS, GOAL

if TYPE_CHECKING:
    from ludarium.core.state import State


def _cell(name: str, label: str = "") -> Place:
    return Place(*place_of(name), 0.5, 0.5, round=False, label=label)


def clicks(state: State) -> dict[int, tuple[Place, ...]]:
    """Return the places to click for each legal action."""
    player = state.current_player()
    goal = Place(WIDTH / 2, GOAL_Y[player - 1], 3, GOAL_HEIGHT / 2, round=False)  # the other's
    ways: dict[int, tuple[Place, ...]] = {}
    for action in state.legal_actions():
        text = state.action_to_string(action)
        if state.stage() == "setup":
            cells = [
                (rings, column + "16"[player]) for rings, column in zip(text, COLUMNS, strict=True)
            ]
            ways[action] = tuple(_cell(name, rings) for rings, name in sorted(cells)[:4])
        elif state.stage() == "drop":
            ways[action] = (_cell(text[1:]),)
        else:
            start, end = text.split("-")
            ways[action] = (_cell(start), goal if end == GOAL else _cell(end))
    return ways


def prompt(state: State, chosen: tuple[Place, ...]) -> str:
    """Return what to click next, in words."""
    if state.stage() == "setup":
        rings = "one ring" if len(chosen) < 2 else "two rings"
        which = "a" if len(chosen) % 2 == 0 else "the other"
        return f"click the cell of {which} piece of {rings}"
    if state.stage() == "drop":
        return "click where the piece in hand goes"
    return "click where the piece lands" if chosen else "click a piece of your first row"
