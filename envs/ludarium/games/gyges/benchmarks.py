"""What the benchmark measures for Gygès, and the bar to reach on one core."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from ludarium.core.bits import JIT, lowest
from ludarium.core.game import Game
from ludarium.games.gyges.rules import ONE, PLAYER, SCRATCH_DTYPE, SCRATCH_SIZE, landings, playable

#: The options to measure with and, for each, the bar of every group of rows.
SIZES: list[dict[str, Any]] = [{}]
BAR: list[dict[str, float]] = [
    {"vector": 1.95e6, "aim": 2.4e6, "aec": 158e3, "playout": 2.6e6, "search": 355e3, "render": 3}
]
COLD = 6.0  # seconds for the first step with an empty cache
#: Processor seconds of a whole process with an empty cache, by use.
COLD_BARS = {"first env() step": 2.5, "make_vec": 2.5}


@njit(nogil=JIT["nogil"], error_model=JIT["error_model"])
def _masks(states):  # type: ignore[no-untyped-def]
    """List the landings of every piece that may move; returns the number of pieces."""
    scratch = np.empty(SCRATCH_SIZE, SCRATCH_DTYPE)
    found = 0
    for i in range(len(states)):
        movers = playable(states[i], np.int64(states[i, PLAYER]))
        while movers:
            cell = lowest(movers)
            movers &= movers - ONE
            landings(states[i], cell, scratch)
            found += 1
    return found


def _landing_masks(game: Game) -> Callable[[], int]:
    """Return a run over positions of uniform random play."""
    rng = np.random.default_rng(0)
    states: list[Any] = []
    while len(states) < 2000:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.stage() == "move":
                states.append(state._array.copy())
            state.apply_action(int(rng.choice(state.legal_actions())))
    array = np.array(states)
    return lambda: int(_masks(array))


#: Further kernels: the bar in nanoseconds, and a function that makes a run to be timed.
KERNELS: dict[str, tuple[float, Callable[[Game], Callable[[], int]]]] = {
    "one landing mask": (800.0, _landing_masks)
}
