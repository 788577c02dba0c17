"""Games and matches between two players."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np

from ludarium.agents import Agent
from ludarium.agents.players import Player, as_agent, legal_answer, name_of
from ludarium.arena.openings import opening_seed, play_opening
from ludarium.arena.sequential import decided_after
from ludarium.core.errors import IllegalActionError, show
from ludarium.core.game import Game, load_game
from ludarium.core.options import as_int
from ludarium.records.game_record import GameRecord
from ludarium.records.results import DRAWN, ILLEGAL, MAX_TURNS

CONFIDENCE = 0.95
LONGEST_ANSWER = 60  # letters of an illegal answer that a record keeps

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

    @property
    def scores(self) -> list[float]:
        """Score of a in each game: 1, 0 or -1."""
        scored = zip(self.records, self.seats, strict=True)
        return [record.result[seat] if record.result else 0.0 for record, seat in scored]

    @property
    def wins(self) -> int:
        """Games that a won, by an illegal answer of b too."""
        return sum(score > 0 for score in self.scores)

    @property
    def losses(self) -> int:
        """Games that a lost, by an illegal answer of its own too."""
        return sum(score < 0 for score in self.scores)

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
            for score, record in zip(self.scores, self.records, strict=True)
            if record.reason == ILLEGAL
        ]
        return sum(score < 0 for score in scores), sum(score > 0 for score in scores)

    @property
    def illegal_answers(self) -> tuple[str, ...]:
        """For each game that an illegal answer ended: who answered what, and where."""
        return tuple(
            f"game {number}: {record.players[record.result.index(-1.0)]} answered "
            f"{record.answer} after {len(record.turns)} turns"
            for number, record in enumerate(self.records, 1)
            if record.reason == ILLEGAL and record.result
        )

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
    """A player raised an exception, which is this one's ``__cause__``, or took too much time.

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
    number = as_int(value)
    if number is None or number < least:
        raise ValueError(f"{name}={show(value)} is not allowed: {name} is an int >= {least}")
    return number


@dataclass
class Clock:
    """The time that both players took.

    Attributes:
        limit: seconds that a player may take for one decision, None: any.
        seconds: taken in all, by player.
        turns: completed, by player.
    """

    limit: float | None = None
    seconds: list[float] = field(default_factory=lambda: [0.0, 0.0])
    turns: list[int] = field(default_factory=lambda: [0, 0])


def _seconds(name: str, value: Any) -> float | None:
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, (bool, str)) or not 0 < number < math.inf:
        raise ValueError(f"{name}={show(value)} is not allowed: {name} is a number > 0, or None")
    return number


def play_game(
    game: Game | str,
    a: Player,
    b: Player,
    seed: int = 0,
    *,
    opening: int | None = None,
    time_limit: float | None = None,
) -> GameRecord:
    """Play one game, `a` being player 0 and `b` player 1, and return its record.

    Args:
        game: a game, or the name of one.
        a: an agent, the spec of one, or a PettingZoo policy ``f(observation) -> action``.
        b: the same.
        seed: decides the set-up, where chance has a part in it, and the chance of both agents.
        opening: the seed of a few random turns to begin with, as the games of a match have them;
            None: the players play from the start.
        time_limit: seconds that a player may take for one decision.

    A player who answers an action that is not legal loses: the reason is ``illegal``.

    Raises:
        ValueError: The game, a spec, a seed or the limit is not allowed.
        PlayerError: A player raised an exception, or took longer than the limit.
    """
    loaded, agents = _game_of(game), (as_agent(a), as_agent(b))
    number, clock = _natural("seed", seed), Clock(_seconds("time_limit", time_limit))
    if opening is not None:
        opening = _natural("opening", opening)
    return _play(loaded, *agents, number, opening, clock)


def _play(
    game: Game, a: Agent, b: Agent, seed: int, opening: int | None, clock: Clock
) -> GameRecord:
    state = game.new_initial_state(seed)
    if opening is not None:
        state = play_opening(state, opening)
    names = name_of(a), name_of(b)
    for agent in (a, b):  # what it loads and compiles is not on its clock
        prepare = getattr(agent, "prepare", None)
        if callable(prepare):
            prepare(game)
    chance = [np.random.default_rng([seed, player]) for player in (0, 1)]
    while not state.is_terminal():
        player = state.current_player()
        start = time.perf_counter()
        try:
            answer = (a, b)[player].select_action(state.clone(), chance[player])
        except Exception as error:
            record = GameRecord.from_state(state, names, seed)
            message = f"{names[player]} raised {type(error).__name__}: {error}"
            raise PlayerError(message, names[player], record) from error
        spent = time.perf_counter() - start
        clock.seconds[player] += spent
        if clock.limit is not None and spent > clock.limit:
            record = GameRecord.from_state(state, names, seed)
            message = f"{names[player]} took {spent:.3g} s for a decision; it has {clock.limit:g} s"
            raise PlayerError(message, names[player], record)
        turn = state.turn_number()
        try:
            state.apply_action(legal_answer(state, answer))
        except IllegalActionError:
            result = (-1.0, 1.0) if player == 0 else (1.0, -1.0)
            return GameRecord.from_state(
                state, names, seed, result=result, reason=ILLEGAL, answer=_short(answer)
            )
        clock.turns[player] += state.turn_number() != turn or state.is_terminal()
    return GameRecord.from_state(state, names, seed)


def _short(answer: Any) -> str:
    """Return an answer as Python writes it, on one line that is not too long."""
    text = " ".join(repr(answer).split())
    return text if len(text) <= LONGEST_ANSWER else text[:LONGEST_ANSWER] + "..."


def game_seed(seed: int, number: int) -> int:
    """Return the seed of game `number` of a match.

    `play_game` with it, and with `opening_seed` for its opening, plays the same game.
    """
    words = np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)
    return int(words[0]) >> 11  # below 2**53: exact in every reader of JSON


def play_match(
    game: Game | str,
    a: Player,
    b: Player,
    games: int = 100,
    seed: int = 0,
    on_game: Callable[[GameRecord, int], object] | None = None,
    *,
    openings: bool = True,
    early_stop: bool = False,
    time_limit: float | None = None,
) -> MatchResult:
    """Play a match: `a` is player 0 in the first game, player 1 in the second, and so on.

    The two games of a pair begin with the same few random turns, each pair with others, so that
    agents without chance play different games; see `ludarium.arena.openings`.

    Args:
        game: a game, or the name of one.
        a: an agent, the spec of one, or a PettingZoo policy ``f(observation) -> action``.
        b: the same.
        games: how many, at most.
        seed: decides everything but the chance of policies, which have their own.
        on_game: called after each game with its record and which player, 0 or 1, was `a`.
        openings: False: all games begin at the start.
        early_stop: stop when a sequential test has decided who is better; see
            `ludarium.arena.sequential`.
        time_limit: seconds that a player may take for one decision.

    A player who answers an action that is not legal loses that game, which `illegal` counts.

    Raises:
        ValueError: The game, a spec, the number, the seed or the limit is not allowed.
        PlayerError: A player raised an exception or took too long; it has the result so far.
    """
    loaded, agents = _game_of(game), (as_agent(a), as_agent(b))
    number, root = _natural("games", games, 1), _natural("seed", seed)
    limit = _seconds("time_limit", time_limit)
    names = name_of(agents[0]), name_of(agents[1])
    records: list[GameRecord] = []
    seats: list[int] = []
    for index in range(number):
        seat = index % 2
        opening = opening_seed(root, index) if openings else None
        players = agents[seat], agents[1 - seat]
        try:
            record = _play(loaded, *players, game_seed(root, index), opening, Clock(limit))
        except PlayerError as error:
            error.result = MatchResult(names, tuple(records), tuple(seats))
            raise
        records.append(record)
        seats.append(seat)
        if on_game is not None:
            on_game(record, seat)
        if early_stop:
            result = MatchResult(names, tuple(records), tuple(seats))
            if decided_after(result.scores) is not None:
                return result
    return MatchResult(names, tuple(records), tuple(seats))
