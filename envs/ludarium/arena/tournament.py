"""Tournaments: everybody against everybody, resumable, in one process or in many."""

from __future__ import annotations

import contextlib
import itertools
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ludarium.agents.players import Player, as_agent, name_of
from ludarium.arena.ledger import Entry, open_ledger
from ludarium.arena.match import (
    Clock,
    MatchResult,
    PlayerError,
    _game_of,
    _natural,
    _play,
    _seconds,
    game_seed,
    wilson,
)
from ludarium.arena.openings import opening_seed
from ludarium.arena.ratings import Rating, can_rate, connected, rate
from ludarium.arena.sequential import decided_after
from ludarium.arena.workers import check_workers, do_all
from ludarium.core.errors import show
from ludarium.core.game import Game

ANCHOR = "random"  # whose rating is 0

# ---------------------------------------------------------------- results


@dataclass(frozen=True)
class Standing:
    """One player's row in the table.

    Attributes:
        name: of the player.
        games: finished games.
        wins: games won, by an illegal answer of the other too.
        draws: games that the rules ended without a winner.
        truncations: games that `max_turns` ended without a winner.
        losses: games lost.
        illegal: of these, by an illegal answer.
        failures: games that the player broke off, by an exception or by taking too long; they count
            for nobody.
        win_rate: (wins + (draws + truncations) / 2) / games.
        interval: of the win rate, 95 %.
        rating: None without the library for it.
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
        game: that was played.
        players: their names, in the order in which they were given.
        entries: all games, by pair and round.
        early_stop: whether pairs stopped when a sequential test had decided.
        rounds: games asked for of each pair.
        seed: of the tournament.
    """

    game: Game
    players: tuple[str, ...]
    entries: tuple[Entry, ...]
    early_stop: bool
    rounds: int
    seed: int

    def match(self, a: str, b: str) -> MatchResult:
        """Return the finished games of two players, counted for `a`.

        Raises:
            ValueError: One of them did not take part, or they are the same.
        """
        for name in (a, b):
            if name not in self.players or a == b:
                raise ValueError(f"{name!r} is not allowed: two different ones of {self.players}")
        first, second = sorted((a, b))
        mine = [e for e in self.entries if (e.a, e.b) == (first, second) and e.failed is None]
        seats = tuple((e.round % 2) ^ (a != first) for e in mine)
        return MatchResult((a, b), tuple(e.record for e in mine), seats)

    @property
    def failures(self) -> tuple[Entry, ...]:
        """Games that a player broke off."""
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
        """Return the milliseconds that a player thought for a turn."""
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


# ---------------------------------------------------------------- one game, perhaps elsewhere


@dataclass(frozen=True)
class _Task:
    """A game to play: all that another process needs."""

    game: Game
    players: tuple[Player, Player]  # a and b
    names: tuple[str, str]
    round: int
    seed: int
    opening: int | None
    time_limit: float | None
    digests: tuple[str | None, str | None] = (None, None)

    @property
    def key(self) -> tuple[str, str, int]:
        return *self.names, self.round

    def play(self) -> Entry:
        """Play it."""
        seat = self.round % 2
        agents = [as_agent(player) for player in self.players]
        clock = Clock(self.time_limit)
        failed = failure = None
        try:
            record = _play(
                self.game, agents[seat], agents[1 - seat], self.seed, self.opening, clock
            )
        except PlayerError as error:
            record, failed, failure = error.record, error.player, str(error)
        return Entry(
            *self.names,
            self.round,
            record,
            self.opening,
            (round(clock.seconds[0], 6), round(clock.seconds[1], 6)),
            (clock.turns[0], clock.turns[1]),
            failed,
            failure,
            self.digests,
        )


def _play_task(task: _Task) -> Entry:
    return task.play()


# ---------------------------------------------------------------- the tournament


def tournament(
    game: Game | str,
    agents: Sequence[Player],
    games: int = 20,
    seed: int = 0,
    *,
    record: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    ray: str | None = None,
    openings: bool = True,
    early_stop: bool = False,
    time_limit: float | None = None,
    on_game: Callable[[Entry, int, int], object] | None = None,
) -> TournamentResult:
    """Let everybody play against everybody.

    In each pair the players swap seats after every game, and the two games of a round and its swap
    have the same opening, as in `play_match`. The result depends on the seed alone, not on workers
    or interruptions, unless players have chance or clocks of their own.

    Args:
        game: a game, or the name of one.
        agents: two or more players with different names: agents, specs, or PettingZoo policies.
        games: of each pair.
        seed: decides openings and the chance of all agents.
        record: a file to which each game is appended when it is over. Games that are in it already
            are not played again: the same call goes on where an earlier one was killed. It may ask
            for more games or other agents.
        workers: processes that play; more than one needs joblib (``ludarium[arena]``). None: one,
            or with `ray` as many as the cluster has processors.
        ray: address of a Ray cluster that plays (``ludarium[ray]``): ``"auto"``, the one of this
            machine; ``"HOST:PORT"``; ``"ray://HOST:PORT"``, through Ray's client; ``"local"``
            starts one. This package, and files that specs name, have to be on all its machines. A
            program that is connected to a cluster already keeps that one.
        openings: False: all games begin at the start.
        early_stop: stop a pair when a sequential test has decided who is better.
        time_limit: seconds that a player may take for one decision.
        on_game: called for each game, those of the file too, with the entry, how many are over, and
            how many there are at most.

    Returns:
        All games. One in which a player raised an exception or took too long is among them, as a
        failure, and counts for nobody.

    Raises:
        ValueError: An argument is not allowed, or the file is of another tournament.
        ImportError: A library for several workers is missing.
        ConnectionError: There is no Ray cluster at the address.
        OSError: The file cannot be written.
    """
    loaded = _game_of(game)
    rounds, root = _natural("games", games, 1), _natural("seed", seed)
    limit = _seconds("time_limit", time_limit)
    number = None if workers is None else _natural("workers", workers, 1)
    players, digests = _named(agents, loaded)
    check_workers(number, ray)
    tasks = _schedule(loaded, players, digests, rounds, root, openings, limit)
    total = len(tasks)
    found: dict[tuple[str, str, int], Entry] = {}
    with contextlib.ExitStack() as stack:
        ledger = stack.enter_context(open_ledger(record, loaded)) if record is not None else None
        for line, entry in enumerate(ledger.entries if ledger else (), 1):
            if entry.key in tasks and entry.key not in found:
                _check_entry(entry, tasks[entry.key], f"{record}: game {line}")
                found[entry.key] = entry
                if on_game is not None:
                    on_game(entry, len(found), total)

        def wanted() -> Iterator[_Task]:
            for key, task in tasks.items():
                if key not in found and not (early_stop and _decided(found, key)):
                    yield task

        for entry in do_all(_play_task, wanted(), number, ray):
            if ledger is not None:
                ledger.add(entry)
            found[entry.key] = entry
            if on_game is not None:
                on_game(entry, len(found), total)
    kept = [e for e in found.values() if not (early_stop and _decided(found, e.key))]
    kept.sort(key=lambda entry: entry.key)
    return TournamentResult(loaded, tuple(players), tuple(kept), early_stop, rounds, root)


def _named(agents: Sequence[Player], game: Game) -> tuple[dict[str, Player], dict[str, str | None]]:
    """Return the players, and the hashes of the files that they are made of, by name."""
    if isinstance(agents, str) or not isinstance(agents, Sequence):
        raise TypeError(f"agents is a list of players, not {type(agents).__name__}")
    players: dict[str, Player] = {}
    digests: dict[str, str | None] = {}
    for player in agents:
        agent = as_agent(player)
        name = name_of(agent)
        if name in players:
            raise ValueError(f"two players are called {name!r}: names must differ")
        getattr(agent, "check", lambda game: None)(game)
        players[name], digests[name] = player, getattr(agent, "digest", None)
    if len(players) < 2:
        raise ValueError(f"agents={show(list(players))} is not allowed: two or more are needed")
    return players, digests


def _schedule(
    game: Game,
    players: dict[str, Player],
    digests: dict[str, str | None],
    rounds: int,
    seed: int,
    openings: bool,
    limit: float | None,
) -> dict[tuple[str, str, int], _Task]:
    """Return all games, round by round.

    The seed of a game follows from the names and the round alone, so that a longer tournament, or
    one with more players, has the games of a shorter one among its own.
    """
    tasks = {}
    for round_ in range(rounds):
        for first, second in itertools.combinations(players, 2):
            a, b = sorted((first, second))
            words = np.random.SeedSequence([seed, zlib.crc32(a.encode()), zlib.crc32(b.encode())])
            root = int(words.generate_state(1, np.uint64)[0]) >> 11
            opening = opening_seed(seed, round_) if openings else None
            task = _Task(
                game, (players[a], players[b]), (a, b), round_, game_seed(root, round_), opening,
                limit, (digests[a], digests[b]),
            )  # fmt: skip
            tasks[task.key] = task
    return tasks


def _check_entry(entry: Entry, task: _Task, where: str) -> None:
    """Raise ValueError unless a game of the file is the one that this tournament would play."""
    record = entry.record
    expected: dict[str, tuple[Any, Any]] = {
        "game": (record.game, task.game.name),
        "version": (record.version, task.game.version),
        "options": (dict(record.options), dict(task.game.options)),
        "seed": (record.seed, task.seed),
        "opening": (entry.opening, task.opening),
    }
    for name, (there, here) in expected.items():
        if there != here:
            raise ValueError(f"{where} is of another tournament: {name} {there!r} and not {here!r}")
    for player, then, now in zip(task.names, entry.digests, task.digests, strict=True):
        if then != now:
            raise ValueError(
                f"{where} was played by another {player}, whose file has changed since: move the "
                "record away, or name another one"
            )


def _decided(found: dict[tuple[str, str, int], Entry], key: tuple[str, str, int]) -> bool:
    """Say whether the games of a pair before this one have decided who is better."""
    a, b, round_ = key
    scores = []
    for earlier in range(round_):
        entry = found.get((a, b, earlier))
        if entry is None:
            break
        result = entry.record.result
        scores.append(result[earlier % 2] if result else 0.0)
    return decided_after(scores) is not None
