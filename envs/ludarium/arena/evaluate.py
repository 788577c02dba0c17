"""Evaluation: many games of an agent that answers in batches, and their score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ludarium.agents.players import Player
from ludarium.arena.match import wilson
from ludarium.core.errors import show
from ludarium.core.game import Game
from ludarium.core.state import State
from ludarium.single_agent.opponents import BatchAgent
from ludarium.single_agent.vector import SingleAgentVector


@dataclass(frozen=True)
class Score:
    """Numbers of games of one player; drawn and truncated games count as draws."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.draws + self.losses

    @property
    def win_rate(self) -> float:
        """(wins + draws / 2) / games."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the win rate."""
        return wilson(self.win_rate, self.games)


@runtime_checkable
class StatesAgent(Protocol):
    """An agent that answers for many states at once, like `AlphaZeroAgent`."""

    def search_actions(
        self, states: Sequence[State], rng: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """Return a legal action for each running state, int64 [n]."""
        ...


def evaluate(
    agent: BatchAgent | StatesAgent,
    game: Game,
    opponent: Player,
    games: int = 200,
    seed: int = 0,
) -> Score:
    """Play an agent that answers in batches against an opponent, half of the games in each seat.

    All games are played at once: faster than `ludarium.arena.play_match`, but no records are kept.

    Raises:
        ValueError: The number of games is not an even int >= 2.
    """
    if games < 2 or games % 2:
        raise ValueError(f"games={show(games)} is not allowed: games is an even int >= 2")
    scores = np.zeros((2, games // 2))
    for seat in (0, 1):
        batch = SingleAgentVector(
            game, games // 2, opponent, seat, observation="dict", autoreset="disabled"
        )
        rng = np.random.default_rng([seed, seat])
        seen, _ = batch.reset(seed=(2 * seed + seat) * games)
        ended = np.zeros(games // 2, np.bool_)
        while not ended.all():
            live = np.flatnonzero(seen["action_mask"].any(1))
            actions = np.zeros(games // 2, np.int64)
            if live.size and isinstance(agent, BatchAgent):
                rows = {key: array[live] for key, array in seen.items()}
                actions[live] = agent.select_actions(rows, rng)
            elif live.size and isinstance(agent, StatesAgent):
                states = batch.states()
                actions[live] = agent.search_actions([states[i] for i in live], rng)
            seen, rewards, terminated, truncated, _ = batch.step(actions)
            scores[seat] += rewards
            ended = terminated | truncated
    return Score(int((scores > 0).sum()), int((scores == 0).sum()), int((scores < 0).sum()))
