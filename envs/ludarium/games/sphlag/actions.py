"""The actions of Sphlag: what each of the 268 numbers means, as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ludarium.games.sphlag.rules import (
    HOLES,
    MOVES,
    NUM_ACTIONS,
    OWN_HALF,
    PLAYER,
    half_turn,
    position_of,
)


def hole_name(hole: tuple[int, int, int]) -> str:
    """Return the name, like ``E7/0``, of a hole (level, row, column), counted inside its level."""
    column, row = position_of(hole)
    return f"{'ABCDEFG'[column]}{row + 1}/{hole[0]}"


#: The hole of each name.
HOLE = {hole_name(hole): hole for hole in HOLES}


def _names(player: int) -> list[str]:
    """Return the text of each action of a player, by number, from that player's view."""
    seen = {hole: hole_name(half_turn(hole) if player else hole) for hole in HOLES}
    return [seen[a] for a in OWN_HALF] + [f"{seen[a]}-{seen[b]}" for a, b in MOVES] + ["pass"]


#: The text of an action, as [player][action].
NAMES = (_names(0), _names(1))


def num_actions(options: Mapping[str, Any]) -> int:
    """Return the number of actions: 9 placings, 258 moves, the pass."""
    return NUM_ACTIONS


def action_to_string(state: npt.NDArray[np.uint64], action: int) -> str:
    """Return the text of an action of the player to move: ``E7/0``, ``E7/0-C7/0`` or ``pass``."""
    return NAMES[int(state[PLAYER])][action]
