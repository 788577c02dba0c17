"""The drivers of the agents, ``agents/*kernels.py``, for one game."""

from __future__ import annotations

import functools
import importlib.util
from types import ModuleType

from ludarium.core.game import GameType
from ludarium.core.jit import import_jitted, instantiate

#: Templates that use the drivers of another one: its name there, without ``_kernels``.
_NEEDED = {"alphabeta_kernels": ("mcts",)}


@functools.cache
def drivers_of(game_type: GameType, template: str = "turn_kernels") -> ModuleType:
    """Return the drivers for agents, compiled for a game when first called.

    A game may have an ``evaluation.py``: what agents know of it beyond its rules.

    Args:
        game_type: the game.
        template: name of the module of drivers in this package.
    """
    evaluation = None
    if importlib.util.find_spec(f"{game_type.package}.evaluation") is not None:
        evaluation = import_jitted(game_type.package, "evaluation")[0]
    return instantiate(
        f"ludarium.agents.{template}",
        game_type.package,
        rules=game_type.rules,
        kernels=game_type.kernels,
        evaluation=evaluation,
        **{name: drivers_of(game_type, f"{name}_kernels") for name in _NEEDED.get(template, ())},
    )
