"""The arrays that a batch shares with its kernels, and what stands where in them."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ludarium.agents.greedy import GreedyAgent
from ludarium.agents.random import RandomAgent
from ludarium.records.results import DRAWN, ILLEGAL, MAX_TURNS, WON

#: The template of kernels that plays these games.
LEARNER_KERNELS = "ludarium.single_agent.learner_kernels"

Ints: TypeAlias = npt.NDArray[np.int64]

# Kinds of opponents, as in learner_kernels.py; any agent that is none of these is outside.
IN_KERNEL: dict[type, int] = {RandomAgent: 0, GreedyAgent: 1}
OUTSIDE, UNIT = 2, 1 << 30

# Columns of the table in single_agent/learner_kernels.py.
SEAT, SLOT, PROGRESS, ASKED, REWARD, TERMINATED, TRUNCATED = 0, 1, 2, 4, 5, 6, 7
ENDED, ENDED_SEAT, ENDED_SLOT, ENDED_LENGTH, COLUMNS = 8, 9, 10, 11, 12

# What single_agent/learner_kernels.py reports of a game that ended: result, reason.
ENDS: dict[int, tuple[tuple[int, int], str | None]] = {
    0: ((0, 0), None),
    1: ((1, -1), WON),
    2: ((-1, 1), WON),
    3: ((0, 0), DRAWN),
    4: ((0, 0), MAX_TURNS),
    5: ((-1, 0), ILLEGAL),
    6: ((0, -1), ILLEGAL),
}


class Games(NamedTuple):
    """The arrays of a batch in the order in which the kernels take them; described there."""

    settings: Ints
    opponents: Ints
    states: npt.NDArray[Any]
    chance: npt.NDArray[np.uint64]
    table: Ints
    masks: npt.NDArray[np.int8]
    planes: npt.NDArray[np.int8]
    final_planes: npt.NDArray[np.int8]
