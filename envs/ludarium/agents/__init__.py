"""Agents that play any game: `make_agent` by spec, `list_agents`, and the protocol `Agent`."""

from ludarium.agents.agent import Agent, list_agents, make_agent

__all__ = ["Agent", "list_agents", "make_agent"]
