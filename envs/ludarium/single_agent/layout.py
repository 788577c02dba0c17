"""The arrays that a batch shares with its kernels, and what stands where in them."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ludarium.agents.greedy import GreedyAgent
from ludarium.agents.random import RandomAgent

#: The template of kernels that plays these games.
LEARNER_KERNELS = "ludarium.single_agent.learner_kernels"

Ints: TypeAlias = npt.NDArray[np.int64]

# Kinds of opponents, as in learner_kernels.py; any agent that is none of these is outside.
IN_KERNEL: dict[type, int] = {RandomAgent: 0, GreedyAgent: 1}
OUTSIDE, UNIT = 2, 1 << 30

# Columns of the table, as in learner_kernels.py.
SEAT, SLOT, PROGRESS, ASKED = 0, 1, 14, 15
REWARD, TERMINATED, TRUNCATED, ENDED, COLUMNS = 16, 17, 18, 19, 20

# The numbers in infos, and their columns: of the game that is shown, and of the one that ended.
NUMBERS = ("seat", "opponent", "length", "turn", "stage", "result", "reason")
CURRENT, FINAL = slice(0, 7), slice(7, 14)

UNLIMITED = 1 << 62  # a length that no game reaches


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
