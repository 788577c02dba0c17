"""Gygès, by Claude Leroy (1984): pieces that belong to nobody bounce towards the far goal.

Read in this order: RULES.md, rules, actions, observation, notation, walks, symmetry, render.
"""

from collections.abc import Mapping
from typing import Any

from ludarium.core.game import GameType
from ludarium.core.options import Option
from ludarium.environments.factories import environments
from ludarium.games.gyges.walks import one_walk


def _max_game_length(options: Mapping[str, Any]) -> int:
    """Return the most actions of a game: two a turn, but one for a set-up, none for a drawn one."""
    turns, set_up = int(options["max_turns"]), min(2, int(options["max_turns"]))
    return 2 * (turns - set_up) + (set_up if options["setup"] == "chosen" else 0)


GAME = GameType(
    name="gyges",
    version=0,
    package=__name__,
    title="Gygès",
    designer="Claude Leroy",
    year=1984,
    max_turns=200,
    max_game_length=_max_game_length,
    options={
        "setup": Option(
            "chosen",
            ("chosen", "random"),
            "who arranges the first rows: the players, or chance, and play starts at turn 2",
        )
    },
)

env, raw_env, parallel_env = environments(GAME)

__all__ = ["GAME", "env", "one_walk", "parallel_env", "raw_env"]
