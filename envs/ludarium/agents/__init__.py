"""Agents that play any game: `make_agent` by spec, `list_agents`, and the protocol `Agent`.

Those that search are each a `SearchAgent` too: its ``analyse(state, rng)`` returns an `Analysis`.
"""

from ludarium.agents.agent import Agent, SearchAgent, list_agents, make_agent
from ludarium.agents.analysis import Analysis

__all__ = ["Agent", "Analysis", "SearchAgent", "list_agents", "make_agent"]
