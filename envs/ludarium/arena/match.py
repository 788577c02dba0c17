"""Games and matches between two players."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from ludarium.agents import Agent
from ludarium.arena.players import Player, as_agent, legal_answer, name_of
from ludarium.core.errors import IllegalActionError
from ludarium.core.game import Game, _as_int
from ludarium.core.records import DRAWN, ILLEGAL, MAX_TURNS, GameRecord
from ludarium.core.registry import load_game

CONFIDENCE = 0.95

# ---------------------------------------------------------------- results


@dataclass(frozen=True)
class MatchResult:
    """The games of a match of two players, a and b, counted for a.

    Attributes:
        players: names of a and b.
        records: the games.
        seats: for each game which player, 0 or 1, was a.
    """

    players: tuple[str, str]
    records: tuple[GameRecord, ...] = ()
    seats: tuple[int, ...] = ()

    @property
    def games(self) -> int:
        """Number of games played."""
        return len(self.records)

    def _scores(self) -> list[float]:
        """Return the score of a in each game."""
        scored = zip(self.records, self.seats, strict=True)
        return [record.result[seat] if record.result else 0.0 for record, seat in scored]

    @property
    def wins(self) -> int:
        """Games that a won, by an illegal answer of b too."""
        return sum(score > 0 for score in self._scores())

    @property
    def losses(self) -> int:
        """Games that a lost, by an illegal answer of its own too."""
        return sum(score < 0 for score in self._scores())

    @property
    def draws(self) -> int:
        """Games that the rules ended without a winner."""
        return sum(record.reason == DRAWN for record in self.records)

    @property
    def truncations(self) -> int:
        """Games that `max_turns` ended without a winner."""
        return sum(record.reason == MAX_TURNS for record in self.records)

    @property
    def illegal(self) -> int:
        """Games that ended by an illegal answer of either player."""
        return sum(self.illegal_by)

    @property
    def illegal_by(self) -> tuple[int, int]:
        """Games that a, and that b, lost by an illegal answer."""
        scores = [
            score
            for score, record in zip(self._scores(), self.records, strict=True)
            if record.reason == ILLEGAL
        ]
        return sum(score < 0 for score in scores), sum(score > 0 for score in scores)

    @property
    def win_rate(self) -> float:
        """(wins + (draws + truncations) / 2) / games; nan without a game."""
        if not self.games:
            return math.nan
        return (self.wins + (self.draws + self.truncations) / 2) / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the win rate: Wilson's score interval.

        A game without a winner counts as half a success, which makes it wider than need be.
        """
        return wilson(self.win_rate, self.games)

    @property
    def by_seat(self) -> tuple[MatchResult, MatchResult]:
        """The games in which a was player 0, and those in which it was player 1."""
        first, second = (
            MatchResult(
                self.players,
                tuple(r for r, s in zip(self.records, self.seats, strict=True) if s == seat),
                tuple(s for s in self.seats if s == seat),
            )
            for seat in (0, 1)
        )
        return first, second

    def __repr__(self) -> str:
        low, high = self.interval
        return (
            f"<MatchResult {self.players[0]} against {self.players[1]}: games={self.games} "
            f"wins={self.wins} draws={self.draws} truncations={self.truncations} "
            f"losses={self.losses} illegal={self.illegal} win_rate={self.win_rate:.3f} "
            f"[{low:.3f}, {high:.3f}]>"
        )


def wilson(rate: float, games: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return Wilson's score interval (1927) of a rate observed over `games` games.

    >>> low, high = wilson(0.5, 100)
    >>> round(low, 3), round(high, 3)
    (0.404, 0.596)
    """
    if not games:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    centre = (rate + z * z / (2 * games)) / (1 + z * z / games)
    half = z / (1 + z * z / games) * math.sqrt(rate * (1 - rate) / games + (z / (2 * games)) ** 2)
    return max(0.0, centre - half), min(1.0, centre + half)


class PlayerError(RuntimeError):
    """A player raised an exception, which is this one's ``__cause__``.

    Attributes:
        player: the player's name.
        record: the game up to there, unfinished.
        result: in a match, the games finished before.
    """

    def __init__(
        self, message: str, player: str, record: GameRecord, result: MatchResult | None = None
    ) -> None:
        super().__init__(message)
        self.player, self.record, self.result = player, record, result

    def __reduce__(self) -> tuple[Any, ...]:
        return PlayerError, (self.args[0], self.player, self.record, self.result)


# ---------------------------------------------------------------- playing


def _game_of(game: Game | str) -> Game:
    if isinstance(game, Game):
        return game
    return load_game(game)


def _natural(name: str, value: Any, least: int = 0) -> int:
    number = _as_int(value)
    if number is None or number < least:
        raise ValueError(f"{name}={value!r} is not allowed: {name} is an int >= {least}")
    return number


def play_game(game: Game | str, a: Player, b: Player, seed: int = 0) -> GameRecord:
    """Play one game, `a` being player 0 and `b` player 1, and return its record.

    Args:
        game: a game, or the name of one.
        a: an agent, the spec of one, or a PettingZoo policy ``f(observation) -> action``.
        b: the same.
        seed: decides the set-up, where chance has a part in it, and the chance of both agents.

    A player who answers an action that is not legal loses: the reason is ``illegal``.

    Raises:
        ValueError: The game, a spec or the seed is not allowed.
        PlayerError: A player raised an exception.
    """
    return _play(_game_of(game), as_agent(a), as_agent(b), _natural("seed", seed))


def _play(game: Game, a: Agent, b: Agent, seed: int) -> GameRecord:
    state = game.new_initial_state(seed)
    names = name_of(a), name_of(b)
    chance = [np.random.default_rng([seed, player]) for player in (0, 1)]
    while not state.is_terminal():
        player = state.current_player()
        try:
            answer = (a, b)[player].select_action(state.clone(), chance[player])
        except Exception as error:
            record = GameRecord.from_state(state, names, seed)
            message = f"{names[player]} raised {type(error).__name__}: {error}"
            raise PlayerError(message, names[player], record) from error
        try:
            state.apply_action(legal_answer(state, answer))
        except IllegalActionError:
            result = (-1.0, 1.0) if player == 0 else (1.0, -1.0)
            return GameRecord.from_state(state, names, seed, result=result, reason=ILLEGAL)
    return GameRecord.from_state(state, names, seed)


def game_seed(seed: int, number: int) -> int:
    """Return the seed of game `number` of a match: `play_game` with it plays the same game."""
    words = np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)
    return int(words[0]) >> 11  # below 2**53: exact in every reader of JSON


def play_match(
    game: Game | str,
    a: Player,
    b: Player,
    games: int = 100,
    seed: int = 0,
    on_game: Callable[[GameRecord, int], object] | None = None,
) -> MatchResult:
    """Play a match: `a` is player 0 in the first game, player 1 in the second, and so on.

    Args:
        game: a game, or the name of one.
        a: an agent, the spec of one, or a PettingZoo policy ``f(observation) -> action``.
        b: the same.
        games: how many.
        seed: decides everything but the chance of policies, which have their own.
        on_game: called after each game with its record and which player, 0 or 1, was `a`.

    A player who answers an action that is not legal loses that game, which `illegal` counts.

    Raises:
        ValueError: The game, a spec, the number or the seed is not allowed.
        PlayerError: A player raised an exception; it has the result so far.
    """
    loaded, agents = _game_of(game), (as_agent(a), as_agent(b))
    number, root = _natural("games", games, 1), _natural("seed", seed)
    names = name_of(agents[0]), name_of(agents[1])
    records: list[GameRecord] = []
    seats: list[int] = []
    for index in range(number):
        seat = index % 2
        try:
            record = _play(loaded, agents[seat], agents[1 - seat], game_seed(root, index))
        except PlayerError as error:
            error.result = MatchResult(names, tuple(records), tuple(seats))
            raise
        records.append(record)
        seats.append(seat)
        if on_game is not None:
            on_game(record, seat)
    return MatchResult(names, tuple(records), tuple(seats))
