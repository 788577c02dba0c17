"""The symmetries of Gliss: the four turns of the board, and their mirror images."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ludarium.games.gliss.observation import NUM_PLANES

Gather = npt.NDArray[np.int64]


def symmetries(options: Mapping[str, Any]) -> list[tuple[Gather, Gather]]:
    """Return (observation, action) gathers of the eight symmetries, identity first.

    They are the same for both players, because the half-turn between their views commutes with all
    of them. The number of a build is that of the lower left corner of its base, and a symmetry may
    make another corner the lower left one. So the (n - 1) x (n - 1) grid of bases is transformed,
    not the plane of vertices. The numbers of the plane that name no base map to themselves.
    """
    n = int(options["board_size"])
    planes = np.arange(n * n * NUM_PLANES).reshape(n, n, NUM_PLANES)
    actions = np.arange(4 * n * n).reshape(4, n, n)
    found = []
    for mirrored in (False, True):
        for quarters in range(4):

            def image(grid: Gather, mirrored: bool = mirrored, quarters: int = quarters) -> Gather:
                """Apply one of the eight symmetries to a grid [rows, columns, ...]."""
                turned = np.rot90(grid, quarters)
                return turned[:, ::-1] if mirrored else turned

            moved = np.stack([image(plane) for plane in actions])
            moved[0] = actions[0]
            moved[0, 1:, :-1] = image(actions[0, 1:, :-1])
            off = np.array([4 * n * n])
            found.append((image(planes).reshape(-1), np.concatenate([moved.reshape(-1), off])))
    return found
