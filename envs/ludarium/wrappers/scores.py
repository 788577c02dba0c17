"""Many games of an agent that answers in batches, counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ludarium.arena.match import wilson
from ludarium.arena.players import Player
from ludarium.core.game import Game
from ludarium.wrappers.batch import SingleAgentVector
from ludarium.wrappers.opponents import BatchAgent


@dataclass(frozen=True)
class Score:
    """Games counted for one player; without a winner, drawn or truncated, is a draw."""

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
        """The 95 % interval of the win rate, Wilson's."""
        return wilson(self.win_rate, self.games)


def evaluate(
    agent: BatchAgent, game: Game, opponent: Player, games: int = 200, seed: int = 0
) -> Score:
    """Play an agent that answers in batches against an opponent, half of the games in each seat.

    All games at once: faster than `ludarium.arena.play_match`, but no records are kept.

    Raises:
        ValueError: The number of games is no even int >= 2.
    """
    if games < 2 or games % 2:
        raise ValueError(f"games={games!r} is not allowed: games is an even int >= 2")
    scores = np.zeros((2, games // 2))
    for seat in (0, 1):
        batch = SingleAgentVector(
            game, games // 2, opponent, seat, observation="dict", autoreset="disabled"
        )
        rng = np.random.default_rng([seed, seat])
        seen, _ = batch.reset(seed=(2 * seed + seat) * games)
        ended = np.zeros(games // 2, np.bool_)
        while not ended.all():
            live = seen["action_mask"].any(1)
            actions = np.zeros(games // 2, np.int64)
            if live.any():
                rows = {key: array[live] for key, array in seen.items()}
                actions[live] = agent.select_actions(rows, rng)
            seen, rewards, terminated, truncated, _ = batch.step(actions)
            scores[seat] += rewards
            ended = terminated | truncated
    return Score(int((scores > 0).sum()), int((scores == 0).sum()), int((scores < 0).sum()))
