"""The drivers of ``agents/kernels.py`` for one game."""

from __future__ import annotations

import functools
import importlib.util
from types import ModuleType

from ludarium.core.game import GameType
from ludarium.core.jit import import_jitted, instantiate


@functools.cache
def drivers_of(game_type: GameType) -> ModuleType:
    """Return the drivers for agents, compiled for a game when first called.

    A game may have an ``evaluation.py``: what agents know of it beyond its rules.
    """
    evaluation = None
    if importlib.util.find_spec(f"{game_type.package}.evaluation") is not None:
        evaluation = import_jitted(game_type.package, "evaluation")[0]
    return instantiate(
        "ludarium.agents.kernels",
        game_type.package,
        rules=game_type.rules,
        kernels=game_type.kernels,
        evaluation=evaluation,
    )
