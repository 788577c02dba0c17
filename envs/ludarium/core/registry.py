"""From package metadata to games: the entry-point groups, the lookups, the ids of other libraries.

Any installed package adds a game by an entry point in the group ``ludarium.games`` (name -> its
`GameType`) and its id by one in ``pettingzoo.envs`` (``namespace/name-vN`` -> its `env` factory).
Nothing is imported until a game is asked for.
"""

from __future__ import annotations

import functools
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from ludarium.core.errors import one_of

if TYPE_CHECKING:
    from ludarium.core.game import Game, GameType

GAMES, AGENTS, IDS = "ludarium.games", "ludarium.agents", "pettingzoo.envs"


@functools.lru_cache(maxsize=1)
def _entry_points() -> dict[str, EntryPoint]:
    return {point.name: point for point in sorted(entry_points(group=GAMES))}


def list_games() -> list[str]:
    """Return the names of all installed games, in alphabetical order."""
    return sorted(_entry_points())


def load_game(name: str, **options: Any) -> Game:
    """Return a game with its options.

    Args:
        name: one of `list_games`.
        **options: the game's options; `max_turns` is one of every game.

    Raises:
        ValueError: The game or an option is unknown, or a value is not allowed.
        TypeError: The name is no string.
    """
    return game_type(name).load(**options)


def game_type(name: str) -> GameType:
    """Return a game before its options are chosen.

    Raises:
        ValueError: The game is unknown.
        TypeError: The name is no string.
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of a game is a str, not {type(name).__name__}: {name!r}")
    found = _entry_points().get(name)
    if found is None:
        raise ValueError(f"there is no game {name!r}: there is {one_of(list_games())}")
    loaded: GameType = found.load()
    return loaded


@functools.lru_cache(maxsize=1)
def _agent_points() -> dict[str, EntryPoint]:
    return {point.name: point for point in sorted(entry_points(group=AGENTS))}


def list_agents() -> list[str]:
    """Return the names of all installed agents, in alphabetical order."""
    return sorted(_agent_points())


def find_agent(spec: str) -> Any:
    """Return a new agent; see `ludarium.agents.make_agent`, which knows its type.

    Raises:
        ValueError: There is no such agent, or it does not take this argument.
        TypeError: The spec is no string.
    """
    if not isinstance(spec, str):
        raise TypeError(f"the spec of an agent is a str, not {type(spec).__name__}: {spec!r}")
    name, colon, argument = spec.partition(":")
    found = _agent_points().get(name)
    if found is None:
        raise ValueError(f"there is no agent {spec!r}: there is {one_of(list_agents())}")
    return found.load()(argument if colon else None)


def factory_of(name: str, factory: str) -> Any:
    """Return the `env`, `raw_env` or `parallel_env` of a game.

    Raises:
        ValueError: The game is unknown.
    """
    import importlib

    return getattr(importlib.import_module(game_type(name).package), factory)


@functools.lru_cache(maxsize=1)
def environment_ids() -> dict[str, str]:
    """Return id -> ``module`` of the environments of all packages that add games."""
    ours = {point.dist.name for point in _entry_points().values() if point.dist is not None}
    return {
        point.name: point.module
        for point in entry_points(group=IDS)
        if point.dist is not None and point.dist.name in ours
    }


def register_with_pettingzoo() -> None:
    """Register every id with PettingZoo, where it has a registry (1.26 and later).

    Importing twice or reloading changes nothing: an id that is there stays.
    """
    import pettingzoo

    if not hasattr(pettingzoo, "register"):
        return
    for id_, module in environment_ids().items():
        for kind, registry in (
            ("aec", pettingzoo.aec_registry),
            ("parallel", pettingzoo.parallel_registry),
        ):
            if id_ not in registry:
                factory = "env" if kind == "aec" else "parallel_env"
                pettingzoo.register(kind, id_, f"{module}:{factory}")


def register_with_gymnasium() -> None:
    """Register the single-agent environment of every id, ``Name-vN`` for ``name-vN``.

    Workers that are spawned find it by the id with the module before it:
    ``ludarium:ludarium/Name-vN``. Importing twice or reloading changes nothing.
    """
    import gymnasium

    games = {point.module: name for name, point in _entry_points().items()}
    for id_, module in environment_ids().items():
        namespace, _, name = id_.rpartition("/")
        gymnasium_id = f"{namespace}/{name[:1].upper()}{name[1:]}".lstrip("/")
        if module in games and gymnasium_id not in gymnasium.registry:
            gymnasium.register(
                id=gymnasium_id,
                entry_point="ludarium.wrappers.single:make_single",
                vector_entry_point="ludarium.wrappers.batch:make_batch",
                kwargs={"game": games[module]},
            )
