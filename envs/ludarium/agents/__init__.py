"""Agents that play any game: `make_agent` by spec, `list_agents`, and the protocol `Agent`.

Search agents have ``analyse(state, rng)`` too, which returns an `Analysis`.
"""

from ludarium.agents.agent import Agent, list_agents, make_agent
from ludarium.agents.analysis import Analysis

__all__ = ["Agent", "Analysis", "list_agents", "make_agent"]
