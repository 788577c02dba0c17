"""What the benchmark measures of Sphlag, and what it has to reach on one core."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ludarium.core.game import Game

#: Options to measure with, and for each the bar by group of rows.
SIZES: list[dict[str, Any]] = [{}]
BAR: list[dict[str, float]] = [
    {"vector": 4e6, "aec": 150e3, "playout": 10e6, "search": 250e3, "render": 3}
]
COLD = 6.0  # seconds of a first step with nothing compiled

#: Further kernels: the bar in nanoseconds, and what makes a run that says how many it did.
KERNELS: dict[str, tuple[float, Callable[[Game], Callable[[], int]]]] = {}
