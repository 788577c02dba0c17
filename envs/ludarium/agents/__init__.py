"""Agents that play any game: `make_agent` by spec, `list_agents`, and the protocol `Agent`.

Those that search are each a `SearchAgent` too: its ``analyse(state, rng)`` returns an `Analysis`.
"""

from typing import Any

from ludarium.agents.agent import Agent, SearchAgent, list_agents, make_agent
from ludarium.agents.analysis import Analysis
from ludarium.core.lazy import submodule

__all__ = ["Agent", "Analysis", "SearchAgent", "list_agents", "make_agent"]


def __getattr__(name: str) -> Any:
    # `guided` is the other name of the search, as in the specs ``guided:N:FILE``
    return submodule(__name__, "alphazero" if name == "guided" else name)
