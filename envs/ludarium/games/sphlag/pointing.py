"""Clicks of Sphlag: a hole to place a sphere on; or a sphere, then the hole that it moves to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludarium.drawing.pointing import ClickPath, Target
from ludarium.games.sphlag.actions import HOLE
from ludarium.games.sphlag.render import LIFT, RADIUS, found_in, place_of

if TYPE_CHECKING:
    from ludarium.core.state import State


def clicks(state: State) -> dict[int, ClickPath]:
    """Return the targets to click for each legal action; none for the pass."""
    found = found_in(state)
    targets = {}
    for name, hole in HOLE.items():
        radius = RADIUS[hole[0]]
        # a sphere covers targets below it; an empty hole does not
        layer = 0 if found[hole] == "." else hole[0]
        lift = LIFT * hole[0]
        targets[name] = Target(*place_of(hole), radius, radius, layer=layer, lift=lift)
    paths = {}
    for action in state.legal_actions():
        text = state.action_to_string(action)
        names = () if text == "pass" else tuple(text.split("-"))
        paths[action] = tuple(targets[name] for name in names)
    return paths


def prompt(state: State, chosen: ClickPath) -> str:
    """Return what to click next, in words."""
    if chosen:
        return "click where the sphere goes"
    return "click a hole to place a sphere, or a sphere to move"
