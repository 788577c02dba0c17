"""The actions of Gliss as text: ``+c4``, ``c4``, ``-f6``, ``-f6*`` and ``-off``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ludarium.games.gliss.board import SIZE, TOP
from ludarium.games.gliss.rules import BUILD, CHOOSE, FLY_OFF, LAND_UNDER_ARM, meaning_of

COLUMNS = "abcdefghijklmnopqrs"


def vertex_name(n: int, row: int, column: int) -> str:
    """Return the name of a vertex of an n x n board, like ``c4``; rows count from 0 at the top."""
    return f"{COLUMNS[column]}{n - row}"


def num_actions(options: Mapping[str, Any]) -> int:
    """Return the number of actions: four planes of vertices, and flying off the board."""
    return 4 * int(options["board_size"]) ** 2 + 1


def action_to_string(state: npt.NDArray[np.int64], action: int) -> str:
    """Return the text of an action of the player to move."""
    plane, r, c = meaning_of(state, action)
    if plane == FLY_OFF:
        return "-off"
    name = vertex_name(int(state[SIZE]), r - TOP, c - 1)
    if plane == BUILD:
        return "+" + name
    if plane == CHOOSE:
        return name
    return f"-{name}*" if plane == LAND_UNDER_ARM else f"-{name}"
