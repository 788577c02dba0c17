"""Games and matches between two players, and their results."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np

from ludarium.agents import Agent
from ludarium.agents.players import Player, as_agent, legal_answer, name_of
from ludarium.arena.arguments import (
    brief,
    check_callback,
    check_flag,
    check_game,
    check_int,
    check_seconds,
    check_seed,
)
from ludarium.arena.openings import opening_seed, play_opening
from ludarium.arena.sequential import decided_after
from ludarium.core.errors import IllegalActionError
from ludarium.core.game import Game
from ludarium.core.state import State
from ludarium.core.text import counted
from ludarium.records.game_record import GameRecord
from ludarium.records.results import DRAWN, ILLEGAL, MAX_TURNS

CONFIDENCE = 0.95
MOST_GAMES = 10_000_000  # of a match

# ---------------------------------------------------------------- results


@dataclass(frozen=True)
class MatchResult:
    """The games of a match between two players a and b, counted for a.

    Attributes:
        players: names of a and b.
        records: the games.
        seats: seat of a in each game, 0 or 1.
    """

    players: tuple[str, str]
    records: tuple[GameRecord, ...] = ()
    seats: tuple[int, ...] = ()

    @property
    def games(self) -> int:
        """Number of finished games."""
        return len(self.records)

    @property
    def scores(self) -> list[float]:
        """Score of a in each game: 1, 0 or -1."""
        scored = zip(self.records, self.seats, strict=True)
        return [record.result[seat] if record.result else 0.0 for record, seat in scored]

    @property
    def wins(self) -> int:
        """Number of games that a won, those by an illegal answer of b included."""
        return sum(score > 0 for score in self.scores)

    @property
    def losses(self) -> int:
        """Number of games that a lost, those by its own illegal answer included."""
        return sum(score < 0 for score in self.scores)

    @property
    def draws(self) -> int:
        """Number of games that ended without a winner by the rules."""
        return sum(record.reason == DRAWN for record in self.records)

    @property
    def truncations(self) -> int:
        """Number of games that `max_turns` ended without a winner."""
        return sum(record.reason == MAX_TURNS for record in self.records)

    @property
    def illegal(self) -> int:
        """Number of games that an illegal answer of either player ended."""
        return sum(self.illegal_by)

    @property
    def illegal_by(self) -> tuple[int, int]:
        """Number of games that a, and that b, lost by an illegal answer."""
        scores = [
            score
            for score, record in zip(self.scores, self.records, strict=True)
            if record.reason == ILLEGAL
        ]
        return sum(score < 0 for score in scores), sum(score > 0 for score in scores)

    @property
    def illegal_answers(self) -> tuple[str, ...]:
        """One line for each game that ended by an illegal answer: the player, answer and turn."""
        return tuple(
            f"game {number}: {record.players[record.result.index(-1.0)]} answered "
            f"{record.answer} after {counted(len(record.turns), 'turn')}"
            for number, record in enumerate(self.records, 1)
            if record.reason == ILLEGAL and record.result
        )

    @property
    def win_rate(self) -> float:
        """The share (wins + (draws + truncations) / 2) / games; nan if there is no game."""
        if not self.games:
            return math.nan
        return (self.wins + (self.draws + self.truncations) / 2) / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of the win rate: Wilson's score interval.

        A game without a winner counts as half a success, so the interval is conservative.
        """
        return wilson(self.win_rate, self.games)

    @property
    def by_seat(self) -> tuple[MatchResult, MatchResult]:
        """The results of the games with a as player 0, and of those with a as player 1."""
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
        first = self.seats.count(0)
        unequal = "" if 2 * first == self.games else f"(player 0 in {first}) "
        return (
            f"<MatchResult {self.players[0]} against {self.players[1]}: games={self.games} "
            f"{unequal}"
            f"wins={self.wins} draws={self.draws} truncations={self.truncations} "
            f"losses={self.losses} illegal={self.illegal} win_rate={self.win_rate:.3f} "
            f"[{low:.3f}, {high:.3f}]>"
        )


def wilson(rate: float, games: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return Wilson's score interval (1927) of a rate.

    Args:
        rate: observed rate of successes, from 0 to 1.
        games: number of games in which it was observed.
        confidence: probability that the interval covers the true rate.

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
    """A player raised an exception, which is the ``__cause__`` of this one, or took too long.

    Its message names the player and the game.

    Attributes:
        player: name of the player.
        record: the unfinished game up to the failure.
        result: in a match, the games that were finished before; otherwise None.
    """

    def __init__(
        self, message: str, player: str, record: GameRecord, result: MatchResult | None = None
    ) -> None:
        super().__init__(message)
        self.player, self.record, self.result = player, record, result

    def __reduce__(self) -> tuple[Any, ...]:
        return PlayerError, (self.args[0], self.player, self.record, self.result)


# ---------------------------------------------------------------- playing


@dataclass
class Clock:
    """The thinking times of both players in a game.

    Attributes:
        limit: seconds that a player may take for one decision; None: no limit.
        seconds: total time of each player, in seconds.
        turns: number of turns that each player completed.
    """

    limit: float | None = None
    seconds: list[float] = field(default_factory=lambda: [0.0, 0.0])
    turns: list[int] = field(default_factory=lambda: [0, 0])


def play_game(
    game: Game | str,
    a: Player,
    b: Player,
    seed: int = 0,
    *,
    opening: int | None = None,
    time_limit: float | None = None,
) -> GameRecord:
    """Play one game with `a` as player 0 and `b` as player 1, and return its record.

    A player who answers an action that is not legal loses: the reason is ``illegal``.

    Args:
        game: a game, or its name.
        a: an agent, the spec of an agent, or a PettingZoo policy ``f(observation) -> action``.
        b: the opponent, of the same kinds.
        seed: seed of a random set-up and of the random numbers of both agents, 0 to 2**128 - 1.
        opening: seed of a few random turns that the game begins with, as in the games of a match;
            None: the players play from the start.
        time_limit: seconds that a player may take for one decision; None: no limit.

    Raises:
        ValueError: The game, a spec, a seed or the limit is not allowed, or an agent cannot play
            this game.
        TypeError: A player is of none of these kinds.
        PlayerError: A player raised an exception, or took longer than the limit.

    >>> play_game("sphlag", "greedy", "random", seed=1).result
    (1.0, -1.0)
    """
    loaded, agents = check_game(game), _agents(a, b)
    number, clock = check_seed("seed", seed), Clock(check_seconds("time_limit", time_limit))
    if opening is not None:
        opening = check_seed("opening", opening)
    check_agents(loaded, agents)
    return play(loaded, *agents, number, opening, clock)


def _agents(a: Player, b: Player) -> tuple[Agent, Agent]:
    return as_agent(a), as_agent(b)


def check_agents(game: Game, agents: Iterable[Agent]) -> None:
    """Raise ValueError if an agent says that it cannot play a game."""
    for agent in agents:
        check = getattr(agent, "check", None)
        if callable(check):
            check(game)


def play(
    game: Game, a: Agent, b: Agent, seed: int, opening: int | None, clock: Clock
) -> GameRecord:
    """Play one game between agents; see `play_game`, which checks the arguments.

    Args:
        game: the game.
        a: player 0.
        b: player 1.
        seed: seed of the set-up and of both agents.
        opening: seed of the opening, or None.
        clock: has the time limit, and is given the times.

    Raises:
        PlayerError: A player raised an exception, or took longer than the limit.
    """
    state = game.new_initial_state(seed)
    if opening is not None:
        state = play_opening(state, opening)
    names = name_of(a), name_of(b)
    for name, agent in zip(names, (a, b), strict=True):  # loading and compiling is not timed
        prepare = getattr(agent, "prepare", None)
        if callable(prepare):
            try:
                prepare(game)
            except (Exception, SystemExit) as error:
                raise _failure(name, error, state, names, seed) from error
    chance = [np.random.default_rng([seed, player]) for player in (0, 1)]
    while not state.is_terminal():
        player = state.current_player()
        start = time.perf_counter()
        try:
            answer = (a, b)[player].select_action(state.clone(), chance[player])
        except (Exception, SystemExit) as error:
            raise _failure(names[player], error, state, names, seed) from error
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
                state, names, seed, result=result, reason=ILLEGAL, answer=brief(answer)
            )
        clock.turns[player] += state.turn_number() != turn or state.is_terminal()
    return GameRecord.from_state(state, names, seed)


def _failure(
    name: str, error: BaseException, state: State, names: tuple[str, str], seed: int
) -> PlayerError:
    """Return the error of a player who raised an exception."""
    try:
        message = f"{name} raised {type(error).__name__}: {error}"
    except Exception:  # of the exception's own text
        message = f"{name} raised {type(error).__name__}"
    return PlayerError(message, name, GameRecord.from_state(state, names, seed))


def game_seed(seed: int, number: int) -> int:
    """Return the seed of game `number` of a match, from 0.

    `play_game` with this seed, and with `opening_seed` for the opening, plays the same game.

    >>> game_seed(7, 0) == game_seed(7, 0) != game_seed(7, 1)
    True
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

    The two games of a pair begin with the same few random turns, and each pair with different
    ones, so that deterministic agents play different games; see `ludarium.arena.openings`. With
    an even number of games both players have both seats equally often; with an odd number `a` is
    player 0 once more, which the result says. A player who answers an action that is not legal,
    or a value of a wrong type, such as None, loses that game, which `illegal` counts.

    Args:
        game: a game, or its name.
        a: an agent, the spec of an agent, or a PettingZoo policy ``f(observation) -> action``.
        b: the opponent, of the same kinds.
        games: number of games, at most; an even number gives equal seats.
        seed: seed of everything but the random numbers of policies, which have their own.
        on_game: function that is called after each game with its record and the seat of `a`.
        openings: whether games begin with random turns; False: all begin at the start.
        early_stop: whether to stop when a sequential test has decided who is better; see
            `ludarium.arena.sequential`.
        time_limit: seconds that a player may take for one decision; None: no limit.

    Raises:
        ValueError: The game, a spec or another argument is not allowed, or an agent cannot play
            this game.
        TypeError: A player is of none of these kinds.
        PlayerError: A player raised an exception or took too long; it has the result so far.

    >>> play_match("sphlag", "greedy", "random", games=4, seed=1).wins
    4
    """
    loaded, agents = check_game(game), _agents(a, b)
    number, root = check_int("games", games, 1, MOST_GAMES), check_seed("seed", seed)
    limit = check_seconds("time_limit", time_limit)
    openings, early_stop = check_flag("openings", openings), check_flag("early_stop", early_stop)
    check_callback("on_game", on_game)
    check_agents(loaded, agents)
    names = name_of(agents[0]), name_of(agents[1])
    records: list[GameRecord] = []
    seats: list[int] = []
    for index in range(number):
        seat = index % 2
        opening = opening_seed(root, index) if openings else None
        players = agents[seat], agents[1 - seat]
        try:
            record = play(loaded, *players, game_seed(root, index), opening, Clock(limit))
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
