"""The actions of Gygès: what each of the 348 numbers means, as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ludarium.games.gyges.rules import (
    ARRANGEMENTS,
    FIRST_DROP,
    FIRST_LANDING,
    LANDINGS,
    NUM_ACTIONS,
    PLAYER,
    VIEW,
    first_row,
    playable,
)

COLUMNS = "abcdef"
#: Names of the cells by number, then of the goal, which is a landing too.
NAMES = (*(f"{COLUMNS[cell % 6]}{6 - cell // 6}" for cell in range(36)), "goal")


def num_actions(options: Mapping[str, Any]) -> int:
    """Return the number of actions: 90 first rows, 6 x 37 landings, 36 drop cells."""
    return NUM_ACTIONS


def action_to_string(state: npt.NDArray[np.uint64], action: int) -> str:
    """Return the text of an action of the player to move.

    It is a first row as read from column a to f, ``321123``; a landing, ``b1-d2`` or ``b1-goal``;
    or a drop, ``=c4``.
    """
    player = int(state[PLAYER])
    if action < FIRST_LANDING:
        row = "".join(map(str, ARRANGEMENTS[action]))
        return row[::-1] if player else row
    if action >= FIRST_DROP:
        return "=" + NAMES[VIEW[player, action - FIRST_DROP]]
    column, end = divmod(action - FIRST_LANDING, LANDINGS)
    start = int(first_row(playable(state, player), player)) + (5 - column if player else column)
    return f"{NAMES[start]}-{NAMES[VIEW[player, end]]}"
