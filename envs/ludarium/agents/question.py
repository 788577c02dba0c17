"""The checks of what agents are asked: a running state, and a generator of random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ludarium.core.errors import show
from ludarium.core.state import check_state


def check_question(state: Any, rng: Any) -> None:
    """Check the arguments of `select_action` and `analyse`.

    Raises:
        ValueError: The game is over.
        TypeError: An argument has a wrong type.
    """
    check_running(state)
    check_rng(rng)


def check_running(state: Any) -> None:
    """Raise TypeError unless `state` is a `State`, and ValueError if its game is over."""
    check_state(state)
    if state.is_terminal():
        raise ValueError("the game is over: no action is left to choose")


def check_rng(rng: Any) -> None:
    """Raise TypeError unless `rng` is a generator of NumPy."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(
            "rng is a numpy.random.Generator, such as numpy.random.default_rng(seed) returns, not "
            f"{type(rng).__name__}: {show(rng)}"
        )
