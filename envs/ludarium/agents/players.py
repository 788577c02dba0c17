"""Players: agents, specs of agents, and PettingZoo policies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ludarium.agents import Agent, make_agent
from ludarium.core.errors import show
from ludarium.core.state import State

Observation: TypeAlias = dict[str, npt.NDArray[np.int8]]
Policy: TypeAlias = Callable[[Observation], int]
Player: TypeAlias = "Agent | Policy | str"


class PolicyAgent:
    """A PettingZoo policy as an agent.

    Args:
        policy: function from ``{"observation": int8 [H, W, C], "action_mask": int8 [A]}``, as
            `env()` returns it to the agent to move, to an action. It uses random numbers of its
            own.
    """

    def __init__(self, policy: Policy) -> None:
        if not callable(policy):
            raise TypeError(f"policy is a function f(observation) -> action, not {show(policy)}")
        self.policy = policy
        self.name = name_of(policy)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    def select_action(self, state: State, rng: np.random.Generator) -> int:
        """Return the policy's answer to a running state, which the caller must check.

        The policy has random numbers of its own; `rng` is not used.
        """
        return self.policy(
            {"observation": state.observation_tensor(), "action_mask": state.legal_actions_mask()}
        )


def as_agent(player: Player) -> Agent:
    """Return the agent that a player stands for.

    Raises:
        ValueError: The spec names no agent.
        TypeError: The object is not a valid player.
    """
    if isinstance(player, str):
        return make_agent(player)
    if isinstance(player, type):
        raise TypeError(f"a player is an agent, not its class: {player.__name__}()?")
    if callable(getattr(player, "select_action", None)):
        agent: Agent = player  # type: ignore[assignment]
        return agent
    if callable(player):
        return PolicyAgent(player)
    raise TypeError(
        "a player is the spec of an agent, an object with select_action(state, rng), or a policy "
        f"f(observation) -> action, not {show(player)}"
    )


def name_of(player: Any) -> str:
    """Return the name of a player for tables and records."""
    for attribute in ("name", "__name__"):
        name = getattr(player, attribute, None)
        if isinstance(name, str):
            return name
    return type(player).__name__


def legal_answer(state: State, answer: Any) -> int:
    """Return an agent's answer as an action of a state.

    Raises:
        IllegalActionError: The answer is not a legal action.
    """
    number: int = state._legal(answer)
    return number
