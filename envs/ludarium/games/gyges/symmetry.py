"""The symmetries of Gygès: the identity and the mirror that swaps left and right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ludarium.games.gyges.observation import SHAPE
from ludarium.games.gyges.rules import (
    ARRANGEMENTS,
    FIRST_DROP,
    FIRST_LANDING,
    LANDINGS,
    NUM_ACTIONS,
)

Gather = npt.NDArray[np.int64]


def symmetries(options: Mapping[str, Any]) -> list[tuple[Gather, Gather]]:
    """Return (observation, action) gathers of the two symmetries, identity first.

    The mirror is the same for both players, because the half-turn between their views commutes with
    it. Swapping the ends of the board only changes whose view it is, so it is not a symmetry here.
    """
    planes = np.arange(np.prod(SHAPE)).reshape(SHAPE)
    cells = np.arange(36).reshape(6, 6)[:, ::-1].reshape(-1)
    landings = np.arange(FIRST_LANDING, FIRST_DROP).reshape(6, LANDINGS)[::-1]
    mirror = np.concatenate(
        [
            [ARRANGEMENTS.index(row[::-1]) for row in ARRANGEMENTS],
            landings[:, [*cells, LANDINGS - 1]].reshape(-1),
            FIRST_DROP + cells,
        ]
    )
    return [
        (planes.reshape(-1), np.arange(NUM_ACTIONS)),
        (planes[:, ::-1].reshape(-1), mirror),
    ]
