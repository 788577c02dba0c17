"""Gliss, by Corey L. Clark (2024): bases, gliders and control towers on boards of 12 to 19 lines.

Read in this order: RULES.md, board, flight, landing, rules, actions, observation, notation,
symmetry, render.
"""

from ludarium.core.game import GameType
from ludarium.core.options import Option
from ludarium.environments.factories import environments

GAME = GameType(
    name="gliss",
    version=0,
    package=__name__,
    title="Gliss",
    designer="Corey L. Clark",
    year=2024,
    max_turns=lambda options: 3 * int(options["board_size"]) ** 2,
    max_game_length=lambda options: 2 * int(options["max_turns"]),
    options={"board_size": Option(12, range(12, 20), "lines of the board in each direction")},
)

env, raw_env, parallel_env = environments(GAME)

__all__ = ["GAME", "env", "parallel_env", "raw_env"]
