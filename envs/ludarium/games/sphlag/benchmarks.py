"""What the benchmark measures for Sphlag, and the bar to reach on one core."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ludarium.core.game import Game

#: The options to measure with and, for each, the bar of every group of rows.
SIZES: list[dict[str, Any]] = [{}]
BAR: list[dict[str, float]] = [
    {"vector": 5.5e6, "aim": 6.5e6, "aec": 175e3, "playout": 14.5e6, "search": 560e3, "render": 3}
]
COLD = 6.0  # seconds for the first step with an empty cache
#: Processor seconds of a whole process with an empty cache, by use.
COLD_BARS = {"match": 4.5, "first env() step": 2.5, "make_vec": 2.5}

#: Further kernels: the bar in nanoseconds, and a function that makes a run to be timed.
KERNELS: dict[str, tuple[float, Callable[[Game], Callable[[], int]]]] = {}
