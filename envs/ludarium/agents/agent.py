"""What an agent is, and how a spec like ``greedy`` or ``mcts:200`` becomes one.

Any installed package adds agents by entry points in the group ``ludarium.agents``: the name before
the colon of a spec -> a function (or class) that takes the text behind the colon, None without a
colon, and returns the agent. It raises ValueError where it does not understand that text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ludarium.core.registry import find_agent, list_agents

if TYPE_CHECKING:
    import numpy as np

    from ludarium.agents.analysis import Analysis
    from ludarium.core.state import State

__all__ = ["Agent", "SearchAgent", "list_agents", "make_agent", "no_argument"]


@runtime_checkable
class Agent(Protocol):
    """Something that plays any game by looking at states.

    Agents of this package can be pickled and have a ``name``, the spec that makes another one like
    it; tables show it. Those that compile have ``prepare(game)`` too, which the arena calls before
    each game, off the clock. Those that play some games only have ``check(game)``, which raises
    ValueError for others; those that come from a file have ``digest``, a hash of it, so that a
    tournament does not take games of an older file for theirs.
    """

    def select_action(self, state: State, rng: np.random.Generator) -> int:
        """Return a legal action of a running state.

        Where a turn is two actions, the second is asked for separately.

        Args:
            state: the position; an agent may change it.
            rng: all the chance that the agent uses.
        """
        ...


@runtime_checkable
class SearchAgent(Agent, Protocol):
    """An agent that can say what it thinks of a position."""

    def analyse(self, state: State, rng: np.random.Generator) -> Analysis:
        """Return the action that `select_action` would return here, and what it is built on."""
        ...


def make_agent(spec: str) -> Agent:
    """Return a new agent.

    Args:
        spec: ``name`` or ``name:argument``; the name is one of `list_agents`.

    Raises:
        ValueError: There is no such agent, or it does not take this argument.
        TypeError: The spec is no string.

    >>> make_agent("greedy").name
    'greedy'
    """
    agent: Agent = find_agent(spec)
    return agent


def no_argument(name: str, argument: str | None) -> None:
    """Raise ValueError if there is anything behind the colon of an agent's spec."""
    if argument is not None:
        raise ValueError(f"agent {name!r} takes no argument: {name}:{argument!s}")
