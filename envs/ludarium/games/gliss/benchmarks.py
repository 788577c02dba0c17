"""What the benchmark measures for Gliss, and the bar to reach on one core."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ludarium.core.game import Game

#: The options to measure with and, for each, the bar of every group of rows.
SIZES: list[dict[str, Any]] = [{"board_size": 12}, {"board_size": 19}]
BAR: list[dict[str, float]] = [
    {"vector": 1.3e6, "aec": 120e3, "playout": 7e6, "search": 120e3, "render": 3},
    {"vector": 850e3, "aec": 70e3, "playout": 6.5e6, "search": 70e3, "render": 3},
]
COLD = 10.0  # seconds for the first step with an empty cache

#: Further kernels: the bar in nanoseconds, and a function that makes a run to be timed.
KERNELS: dict[str, tuple[float, Callable[[Game], Callable[[], int]]]] = {}
