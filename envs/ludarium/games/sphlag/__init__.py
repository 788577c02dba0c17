"""Sphlag, by Lars Rose (2011): capture the flag on a pyramid of spheres.

Read in this order: RULES.md, rules, actions, observation, notation, symmetry, render.
"""

from ludarium.core.game import GameType
from ludarium.environments.factories import environments

GAME = GameType(
    name="sphlag",
    version=0,
    package=__name__,
    title="Sphlag",
    designer="Lars Rose",
    year=2011,
    max_turns=200,
    max_game_length=lambda options: int(options["max_turns"]),
)

env, raw_env, parallel_env = environments(GAME)

__all__ = ["GAME", "env", "parallel_env", "raw_env"]
