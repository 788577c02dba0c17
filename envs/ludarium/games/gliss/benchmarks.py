"""What the benchmark measures for Gliss, and the bar to reach on one core."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ludarium.core.game import Game

#: The options to measure with and, for each, the bar of every group of rows.
SIZES: list[dict[str, Any]] = [{"board_size": 12}, {"board_size": 19}]
BAR: list[dict[str, float]] = [
    {"vector": 2.4e6, "aim": 3e6, "aec": 148e3, "playout": 13.5e6, "search": 190e3, "render": 3},
    {"vector": 1.5e6, "aim": 2e6, "aec": 118e3, "playout": 12.5e6, "search": 115e3, "render": 3},
]
COLD = 10.0  # seconds for the first step with an empty cache
#: Processor seconds of a whole process with an empty cache, by use.
COLD_BARS = {"match": 7.5, "first env() step": 4.0, "make_vec": 4.0}

#: Further kernels: the bar in nanoseconds, and a function that makes a run to be timed.
KERNELS: dict[str, tuple[float, Callable[[Game], Callable[[], int]]]] = {}
