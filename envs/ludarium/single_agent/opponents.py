"""Opponents of the learner: a spec, an agent, a policy, or a mixture of these."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from ludarium.agents import Agent
from ludarium.agents.players import Observation as Observation
from ludarium.agents.players import Player, as_agent, name_of
from ludarium.core.errors import IllegalActionError, show
from ludarium.core.options import as_float, as_int
from ludarium.core.state import State

Opponent: TypeAlias = "Player | Sequence[Player] | Mapping[Player, float]"


@runtime_checkable
class BatchAgent(Protocol):
    """An agent that also answers for many positions at once, from observations."""

    def select_actions(
        self, observations: Observation, rng: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """Return a legal action for each position, int64 [N].

        Args:
            observations: ``{"observation": int8 [N, H, W, C], "action_mask": int8 [N, A]}``, each
                from the view of its player to move.
            rng: the only source of random numbers that the agent may use.
        """
        ...


def as_mixture(opponent: Opponent) -> tuple[list[Agent], npt.NDArray[np.float64]]:
    """Return the agents of an opponent or mixture, and the probability of each, float64 [K].

    Raises:
        ValueError: A spec names no agent, the mixture is empty, or a weight is not allowed.
        TypeError: One of them is not a valid opponent.
    """
    players: Iterable[Any]
    if isinstance(opponent, Mapping):
        players, weights = opponent.keys(), list(opponent.values())
    elif isinstance(opponent, Sequence) and not isinstance(opponent, str):
        players, weights = opponent, [1.0] * len(opponent)
    else:
        players, weights = [opponent], [1.0]
    try:
        agents = [as_agent(player) for player in players]
    except TypeError as error:
        raise TypeError(
            f"opponent={show(opponent)} is not allowed: opponent is a player, or a list or dict of "
            f"players; {error}"
        ) from error
    if not agents:
        raise ValueError(f"opponent={show(opponent)} is not allowed: a mixture has at least one")
    for agent, weight in zip(agents, weights, strict=True):
        if not 0 <= as_float(weight) < math.inf:
            raise ValueError(
                f"the weight of opponent {name_of(agent)!r} is not allowed: {show(weight)} is not "
                "a number >= 0"
            )
    total = float(sum(weights))
    if total <= 0:
        raise ValueError(f"opponent={show(opponent)} is not allowed: all weights are 0")
    return agents, np.array(weights, np.float64) / total


def legal_answer(agent: Any, state: State, answer: Any) -> int:
    """Return an opponent's answer as an action of a state.

    Raises:
        IllegalActionError: The answer is not a legal action; the message names the opponent.
    """
    number = as_int(answer)
    if number is not None and 0 <= number < len(state._mask) and state._mask[number]:
        return number
    raise IllegalActionError(
        f"opponent {name_of(agent)!r} answered illegally: {state.illegal_action(answer)}"
    )


def illegal_rows(actions: npt.NDArray[Any], masks: npt.NDArray[np.int8]) -> list[int]:
    """Return the rows of actions [n] that are out of range or not in their mask, int8 [n, A]."""
    inside = (actions >= 0) & (actions < masks.shape[1])
    legal = masks[np.arange(len(actions)), np.where(inside, actions, 0)] != 0
    rows: list[int] = np.flatnonzero(~(inside & legal)).tolist()
    return rows


def ask_one_by_one(
    agent: Agent, states: Sequence[State], rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Return an agent's legal answers for states, int64 [n].

    Raises:
        IllegalActionError: An answer is not legal; the message names the agent.
    """
    answers = [
        legal_answer(agent, state, agent.select_action(state.clone(), rng)) for state in states
    ]
    return np.array(answers, np.int64)


def ask_together(
    agent: BatchAgent,
    seen: Observation,
    rng: np.random.Generator,
    state_of: Callable[[int], State],
) -> npt.NDArray[np.int64]:
    """Return an agent's legal answers for all positions seen, int64 [n].

    Args:
        agent: the agent that answers.
        seen: observations of the positions.
        rng: random numbers for the agent.
        state_of: function from a row to its state, for the message about an illegal answer.

    Raises:
        IllegalActionError: An answer is not legal; the message names the agent.
        ValueError: The number of answers is not the number of positions.
    """
    masks = seen["action_mask"]
    answers = np.asarray(agent.select_actions(seen, rng))
    if answers.shape != (len(masks),):
        raise ValueError(
            f"opponent {name_of(agent)!r} answered with shape {answers.shape}, not ({len(masks)},)"
        )
    whole = np.issubdtype(answers.dtype, np.integer)
    for k in illegal_rows(answers, masks) if whole else range(1):
        legal_answer(agent, state_of(k), answers[k])
    return answers.astype(np.int64)


def check_pickles(agents: Sequence[Agent]) -> None:
    """Raise ValueError, naming the first agent that cannot be pickled, if there is one."""
    for agent in agents:
        try:
            pickle.dumps(agent)
        except Exception as error:
            raise ValueError(
                f"opponent {name_of(agent)!r} cannot be pickled: {error}; a spec, or an object or "
                "function of an importable module, can"
            ) from error
