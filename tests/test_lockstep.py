"""Every game against its slow reference, decision by decision.

`python tests/lockstep.py GAME --turns N` is the same at any length. CI runs this file three times:
jitted, with bounds checks, and without compilation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from lockstep import lockstep, walks_of

JITTED = not numba.config.DISABLE_JIT
TURNS = 4000 if JITTED else 150


@pytest.mark.parametrize("seed", [1, 2])
def test_walks_in_lock_step_with_the_reference(name: str, seed: int) -> None:
    with np.errstate(over="ignore"):  # plain Python warns where bits leave a word
        turns = list(lockstep(name, TURNS, seed))
    assert turns[-1] == TURNS


def test_every_kind_of_walk_is_made(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few turns are enough to reach all of a game's ways to choose."""
    walks, used = walks_of(name), []

    def spy(choose: Callable[..., str]) -> Callable[..., str]:
        def chosen(*arguments: Any) -> str:
            used.append(choose)
            return choose(*arguments)

        return chosen

    choosers = walks.CHOOSERS
    monkeypatch.setattr(walks, "CHOOSERS", [spy(choose) for choose in choosers])
    with np.errstate(over="ignore"):
        list(lockstep(name, TURNS if JITTED else 0, 1))
    assert set(used) == (set(choosers) if JITTED else set())
