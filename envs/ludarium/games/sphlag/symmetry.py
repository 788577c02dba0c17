"""The symmetries of Sphlag: the identity and the transposition about the flags (S6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ludarium.games.sphlag.observation import SHAPE
from ludarium.games.sphlag.rules import MOVES, NUM_ACTIONS, OWN_HALF

Gather = npt.NDArray[np.int64]


def symmetries(options: Mapping[str, Any]) -> list[tuple[Gather, Gather]]:
    """Return (observation, action) gathers of the two symmetries, identity first.

    The transposition swaps columns and rows. It maps each half of the board to itself, and it is
    the same for both players, because the half-turn between their views commutes with it.
    """
    planes = np.arange(np.prod(SHAPE)).reshape(SHAPE)
    placings = [(hole, hole) for hole in OWN_HALF]
    number = {pair: action for action, pair in enumerate([*placings, *MOVES])}
    actions = np.arange(NUM_ACTIONS)
    for ((k, i, j), (m, u, v)), action in number.items():
        actions[action] = number[(k, j, i), (m, v, u)]
    return [
        (planes.reshape(-1), np.arange(NUM_ACTIONS)),
        (planes.transpose(1, 0, 2).reshape(-1), actions),
    ]
