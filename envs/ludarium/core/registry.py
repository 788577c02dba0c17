"""From package metadata to games and agents: the entry-point groups and the look-ups.

Any installed package adds a game by an entry point in the group ``ludarium.games`` (name -> its
`GameType`) and its id by one in ``pettingzoo.envs`` (``namespace/name-vN`` -> its `env` factory).
Nothing is imported until a game is asked for.
"""

from __future__ import annotations

import functools
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from ludarium.core.errors import MissingExtraError, join_or, show, with_question

GAMES, AGENTS, IDS = "ludarium.games", "ludarium.agents", "pettingzoo.envs"


def _package(point: EntryPoint) -> str:
    """Return the package that registers an entry point, as an installer calls it."""
    return point.dist.name if point.dist is not None else "an unnamed package"


def _by_name(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group by name.

    Raises:
        ValueError: Two packages register different objects under one name.
    """
    points: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=group)):
        other = points.setdefault(point.name, point)
        if other.value != point.value:
            raise ValueError(
                f"two packages register {point.name!r} in the group {group!r}: "
                f"{_package(other)} ({other.value}) and {_package(point)} ({point.value}); "
                "uninstall one of them"
            )
    return points


@functools.lru_cache(maxsize=1)
def _entry_points() -> dict[str, EntryPoint]:
    return _by_name(GAMES)


def list_games() -> list[str]:
    """Return the names of all installed games, in alphabetical order.

    >>> import ludarium
    >>> "sphlag" in ludarium.list_games()
    True
    """
    return sorted(_entry_points())


def find_game(name: str) -> Any:
    """Return the `GameType` of a game; see `ludarium.core.game.game_type`, which knows its type.

    Raises:
        ValueError: The game is unknown.
        TypeError: The name is not a string.
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of a game is a str, not {type(name).__name__}: {show(name)}")
    found = _entry_points().get(name)
    if found is None:
        names = list_games()
        message = f"there is no game {show(name)}: there is {join_or(names)}"
        raise ValueError(with_question(message, name, names))
    return found.load()


@functools.lru_cache(maxsize=1)
def _agent_points() -> dict[str, EntryPoint]:
    return _by_name(AGENTS)


def list_agents() -> list[str]:
    """Return the names of all installed agents, in alphabetical order."""
    return sorted(_agent_points())


def find_agent(spec: str) -> Any:
    """Return a new agent; see `ludarium.agents.make_agent`, which knows its type.

    Raises:
        ValueError: There is no such agent, or it does not take this argument.
        TypeError: The spec is not a string.
        ImportError: A library that the agent needs is not installed.
    """
    if not isinstance(spec, str):
        raise TypeError(f"the spec of an agent is a str, not {type(spec).__name__}: {show(spec)}")
    name, colon, argument = spec.partition(":")
    found = _agent_points().get(name)
    if found is None:
        names = list_agents()
        message = f"there is no agent {show(spec)}: there is {join_or(names)}"
        raise ValueError(with_question(message, name, names))
    given = argument if colon else None
    try:
        make = found.load()
    except MissingExtraError as error:
        error.check(given)
        raise
    return make(given)


@functools.lru_cache(maxsize=1)
def environment_ids() -> dict[str, str]:
    """Return id -> ``module`` of the environments of all packages that add games."""
    ours = {point.dist.name for point in _entry_points().values() if point.dist is not None}
    return {
        point.name: point.module
        for point in entry_points(group=IDS)
        if point.dist is not None and point.dist.name in ours
    }


@functools.lru_cache(maxsize=1)
def game_modules() -> dict[str, str]:
    """Return the module of each game's entry point -> the game's name."""
    return {point.module: name for name, point in _entry_points().items()}
