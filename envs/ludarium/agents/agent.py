"""The protocol of agents, and how a spec like ``greedy`` or ``mcts:200`` becomes an agent.

Any installed package can add agents by entry points in the group ``ludarium.agents``. The name of
the entry point is the part of a spec before the colon. Its object is a function or class that takes
the text behind the colon (None without a colon) and returns the agent, or raises ValueError if the
text is not allowed.
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
    """An object that chooses actions from states of any game.

    Agents of this package can be pickled and have a ``name``, which tables show: the spec that
    makes an equal agent. Other attributes are optional. ``prepare(game)`` compiles or loads what
    the agent needs; the arena calls it before each game, off the clock. ``check(game)`` raises
    ValueError for games that the agent cannot play. ``digest`` is a hash of the file that the agent
    was loaded from, by which a tournament recognizes games of an older version of the file.
    ``stop_event`` is None or a `threading.Event` of whoever asks: once it is set, a search that
    runs in another thread answers soon, with the best action so far, and so does every later one
    until it is cleared.
    """

    def select_action(self, state: State, rng: np.random.Generator) -> int:
        """Return a legal action of a running state.

        Where a turn is two actions, the second is asked for separately.

        Args:
            state: the position; an agent may change it.
            rng: the only source of random numbers that the agent may use.
        """
        ...


@runtime_checkable
class SearchAgent(Agent, Protocol):
    """An agent that can also explain its decision in a position."""

    def analyse(self, state: State, rng: np.random.Generator) -> Analysis:
        """Return the action that `select_action` would return here, with its reasons.

        Args:
            state: a running state; unchanged.
            rng: random generator of the agent.
        """
        ...


def make_agent(spec: str) -> Agent:
    """Return a new agent.

    Args:
        spec: ``name`` or ``name:argument``; the name is one of `list_agents`.

    Raises:
        ValueError: There is no such agent, or it does not take this argument.
        TypeError: The spec is not a string.

    >>> make_agent("greedy").name
    'greedy'
    """
    agent: Agent = find_agent(spec)
    return agent


def no_argument(name: str, argument: str | None) -> None:
    """Raise ValueError if an agent's spec has an argument."""
    if argument is not None:
        raise ValueError(f"agent {name!r} takes no argument: {name}:{argument!s}")
