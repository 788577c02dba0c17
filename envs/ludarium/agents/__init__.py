"""Agents that play any game: `make_agent` by spec, `list_agents`, and the protocol `Agent`.

Agents that search are a `SearchAgent` too: their ``analyse(state, rng)`` returns an `Analysis`.
"""

from typing import Any

from ludarium.agents.agent import Agent, SearchAgent, list_agents, make_agent
from ludarium.agents.analysis import Analysis
from ludarium.core.lazy import listed, submodule

__all__ = ["Agent", "Analysis", "SearchAgent", "list_agents", "make_agent"]


def __getattr__(name: str) -> Any:
    # `guided` is another name of `alphazero`, as in the specs ``guided:N:FILE``
    return submodule(__name__, "alphazero" if name == "guided" else name)


def __dir__() -> list[str]:
    return listed(__name__)
