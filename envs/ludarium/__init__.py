"""Ludarium: modern abstract board games for reinforcement learning.

Games are found by name: `list_games`, `load_game`, `make`, `make_vec`. Each game is also a module
with the factories `env`, `raw_env` and `parallel_env`, imported when it is first used:

    >>> import ludarium
    >>> env = ludarium.sphlag.env(max_turns=100)
    >>> env.reset(seed=1)
    >>> env.agent_selection
    'player_0'
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ludarium.core.errors import IllegalActionError
from ludarium.core.registry import find_game, list_games
from ludarium.registration import register_with_gymnasium, register_with_pettingzoo

if TYPE_CHECKING:
    from ludarium.core.game import Game as Game
    from ludarium.core.game import load_game as load_game
    from ludarium.core.state import State as State
    from ludarium.core.turns import perft as perft
    from ludarium.core.turns import turns as turns
    from ludarium.environments.aec import AECGame as AECGame
    from ludarium.environments.vector import make_vec as make_vec

__version__ = "0.1.0"

__all__ = [
    "Game",
    "IllegalActionError",
    "State",
    "agents",
    "arena",
    "list_games",
    "load_game",
    "make",
    "make_vec",
    "perft",
    "records",
    "turns",
    "wrappers",
]

# Public names whose import brings Numba or more, each with the module that defines it.
_LAZY = dict.fromkeys(("Game", "load_game"), "ludarium.core.game")
_LAZY["State"] = "ludarium.core.state"
_LAZY |= dict.fromkeys(("perft", "turns"), "ludarium.core.turns")
_LAZY["make_vec"] = "ludarium.environments.vector"
_MODULES = {
    "agents": "ludarium.agents",
    "arena": "ludarium.arena",
    "records": "ludarium.records",
    "wrappers": "ludarium.wrappers",
}


def make(name: str, **options: Any) -> AECGame:
    """Return the PettingZoo AEC environment of a game: its `env(**options)`.

        >>> import ludarium
        >>> env = ludarium.make("sphlag", max_turns=100)
        >>> env.reset(seed=1)
        >>> observation, reward, terminated, truncated, info = env.last()
        >>> observation["observation"].shape, int(observation["action_mask"].sum())
        ((7, 7, 25), 6)

    Args:
        name: name of the game, one of `list_games`.
        **options: the game's options and those of `ludarium.environments.aec.AECGame`.

    Raises:
        ValueError: The game or an option is unknown, or a value is not allowed.
    """
    env: AECGame = importlib.import_module(find_game(name).package).env(**options)
    return env


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if not name.startswith("_") and name in list_games():
        return importlib.import_module(find_game(name).package)
    raise AttributeError(f"module 'ludarium' has no attribute {name!r}")


def __dir__() -> list[str]:
    special = {name for name in globals() if name.startswith("__")}
    return sorted({*special, *__all__, *list_games()})


register_with_pettingzoo()
register_with_gymnasium()
