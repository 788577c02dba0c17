"""The result of a tournament: its games, the players' standings, and who can be compared."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from ludarium.arena.ledger import Entry
from ludarium.arena.match import MatchResult, wilson
from ludarium.arena.ratings import Rating, can_rate, connected, rate
from ludarium.core.game import Game
from ludarium.core.text import counted

ANCHOR = "random"  # the player whose rating is 0


@dataclass(frozen=True)
class Standing:
    """The row of a player in the table.

    Attributes:
        name: name of the player.
        games: number of finished games.
        wins: number of games won, those by an illegal answer of the opponent included.
        draws: number of games that ended without a winner by the rules.
        truncations: number of games that `max_turns` ended without a winner.
        losses: number of games lost.
        illegal: number of games lost by an illegal answer.
        failures: number of games that the player broke off by an exception or by taking too long;
            they count for nobody.
        win_rate: (wins + (draws + truncations) / 2) / games.
        interval: 95 % confidence interval of the win rate.
        rating: the rating; None if choix is not installed or no game connects the player with the
            largest group.
        ms_per_turn: mean thinking time of a turn, in milliseconds.
    """

    name: str
    games: int
    wins: int
    draws: int
    truncations: int
    losses: int
    illegal: int
    failures: int
    win_rate: float
    interval: tuple[float, float]
    rating: Rating | None
    ms_per_turn: float


@dataclass(frozen=True)
class TournamentResult:
    """The games of a tournament.

    Attributes:
        game: the game that was played.
        players: names of the players, in the order in which they were given.
        entries: all games, by pair and round.
        early_stop: whether pairs stopped when a sequential test had decided.
        rounds: number of games of each pair that were asked for.
        seed: seed of the tournament.
    """

    game: Game
    players: tuple[str, ...]
    entries: tuple[Entry, ...]
    early_stop: bool
    rounds: int
    seed: int

    def __repr__(self) -> str:
        return (
            f"<TournamentResult {self.game!r}: {counted(len(self.players), 'player')}, "
            f"{counted(len(self.entries), 'game')}, {counted(len(self.failures), 'failure')}>"
        )

    def match(self, a: str, b: str) -> MatchResult:
        """Return the finished games of two players, `a` and `b`, counted for `a`.

        Raises:
            ValueError: A player did not take part, or both are the same.
        """
        for name in (a, b):
            if name not in self.players or a == b:
                raise ValueError(
                    f"player {name!r} is not allowed: two different players of {self.players}"
                )
        first, second = sorted((a, b))
        mine = [e for e in self.entries if (e.a, e.b) == (first, second) and e.failed is None]
        seats = tuple((e.round % 2) ^ (a != first) for e in mine)
        return MatchResult((a, b), tuple(e.record for e in mine), seats)

    @property
    def failures(self) -> tuple[Entry, ...]:
        """The games that a player broke off."""
        return tuple(entry for entry in self.entries if entry.failed is not None)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Groups of players that finished games connect, the largest one, which is rated, first.

        There are several groups if all games between them failed; ratings cannot compare them.
        """
        place = {name: i for i, name in enumerate(self.players)}
        met = np.zeros((len(place), len(place)))
        for entry in self.entries:
            if entry.failed is None:
                a, b = place[entry.a], place[entry.b]
                met[a, b] = met[b, a] = 1
        return tuple(tuple(self.players[i] for i in group) for group in connected(met))

    def standings(self) -> list[Standing]:
        """Return the table, the best player first; players without a rating come last."""
        n = len(self.players)
        wins, draws = np.zeros((n, n)), np.zeros((n, n))
        illegal = np.zeros(n, int)
        ended = np.zeros((n, 2), int)
        for (i, a), (j, b) in itertools.combinations(enumerate(self.players), 2):
            found = self.match(a, b)
            wins[i, j], wins[j, i] = found.wins, found.losses
            draws[i, j] = draws[j, i] = found.draws + found.truncations
            ended[[i, j]] += found.draws, found.truncations
            illegal[[i, j]] += found.illegal_by
        ratings: list[Rating | None] = [None] * n
        rated = [self.players.index(name) for name in self.groups[0]]
        if can_rate() and len(rated) > 1:
            anchor = self.groups[0].index(ANCHOR) if ANCHOR in self.groups[0] else None
            chosen = np.ix_(rated, rated)
            for i, rating in zip(
                rated, rate(wins[chosen], draws[chosen], anchor, self.seed), strict=True
            ):
                ratings[i] = rating
        table = []
        for i, name in enumerate(self.players):
            won, lost, drawn = int(wins[i].sum()), int(wins[:, i].sum()), int(draws[i].sum())
            games = won + lost + drawn
            win_rate = (won + drawn / 2) / games if games else float("nan")
            broken = sum(entry.failed == name for entry in self.entries)
            table.append(
                Standing(
                    name, games, won, int(ended[i, 0]), int(ended[i, 1]), lost, int(illegal[i]),
                    broken, win_rate, wilson(win_rate, games), ratings[i], self._pace(name),
                )
            )  # fmt: skip
        return sorted(table, key=_strength, reverse=True)

    def _pace(self, name: str) -> float:
        """Return the mean thinking time of a player for a turn, in milliseconds."""
        seconds = turns = 0.0
        for entry in self.entries:
            for player in (0, 1):
                if entry.record.players[player] == name:
                    seconds += entry.seconds[player]
                    turns += entry.turns[player]
        return 1000 * seconds / turns if turns else float("nan")


def _strength(standing: Standing) -> tuple[bool, float, float]:
    rated, rating = standing.rating is not None, 0.0
    if standing.rating is not None:
        rating = standing.rating.value
    return rated, rating, standing.win_rate if standing.games else 0.0
