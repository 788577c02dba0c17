"""Round-robin tournaments that can be continued, in one process or in many."""

from __future__ import annotations

import contextlib
import importlib
import itertools
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ludarium.agents.players import Player, as_agent, name_of
from ludarium.arena.arguments import (
    brief,
    check_callback,
    check_flag,
    check_game,
    check_int,
    check_seconds,
    check_seed,
)
from ludarium.arena.ledger import Entry, open_ledger
from ludarium.arena.match import (
    Clock,
    PlayerError,
    check_agents,
    game_seed,
    play,
)
from ludarium.arena.openings import opening_seed, play_opening
from ludarium.arena.sequential import decided_after
from ludarium.arena.standings import TournamentResult
from ludarium.arena.workers import check_workers, do_all
from ludarium.core.errors import show
from ludarium.core.game import Game

MOST_GAMES = 100_000  # limit for the games of each pair
MOST_WORKERS = 1000

# ---------------------------------------------------------------- one game, in any process


@dataclass(frozen=True)
class _Task:
    """A game to play, with everything that another process needs for it."""

    game: Game
    players: tuple[Player, Player]  # a and b
    names: tuple[str, str]
    round: int
    seed: int
    opening: int | None
    time_limit: float | None
    digests: tuple[str | None, str | None] = (None, None)
    is_timed: bool = False  # a player's spec has a time

    @property
    def key(self) -> tuple[str, str, int]:
        return *self.names, self.round

    def play(self) -> Entry:
        """Play the game and return its entry; a failure of a player is part of it."""
        seat = self.round % 2
        agents = [as_agent(player) for player in self.players]
        clock = Clock(self.time_limit)
        failed = failure = None
        try:
            record = play(self.game, agents[seat], agents[1 - seat], self.seed, self.opening, clock)
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
    """Play a round-robin tournament: a match between each pair of players.

    In each pair the players swap seats after every game, and a game and the next one with swapped
    seats have the same opening, as in `play_match`. With an odd number of games the player of a
    pair whose name comes first in the alphabet is player 0 once more, and the tables show it. The
    result depends only on the seed, not on workers or interruptions, unless players have random
    numbers or clocks of their own.

    Args:
        game: a game, or its name.
        agents: two or more players with different names: agents, specs, or PettingZoo policies.
        games: number of games of each pair; an even number gives equal seats.
        seed: seed of the openings and of the random numbers of all agents.
        record: path of a file to which each game is appended when it is over. Games that are in it
            are not played again: the same call continues where an earlier one was killed. The call
            may ask for more games or other agents.
        workers: number of processes; more than one needs joblib (``ludarium[arena]``). None: one,
            or with `ray` as many as the cluster has processors.
        ray: address of a Ray cluster that plays (``ludarium[ray]``): ``"auto"``, the one of this
            machine; ``"HOST:PORT"``; ``"ray://HOST:PORT"``, through Ray's client; ``"local"``
            starts one. This package, and the files that specs name, must be on all its machines.
            A program that is connected to a cluster already keeps that one.
        openings: whether games begin with random turns; False: all begin at the start.
        early_stop: whether to stop a pair when a sequential test has decided who is better.
        time_limit: seconds that a player may take for one decision; None: no limit.
        on_game: function that is called for each game, those of the file included, with the entry,
            the number of games that are over, and the maximum number of games.

    Returns:
        All games. A game in which a player raised an exception or took too long is among them as a
        failure, and counts for nobody.

    Raises:
        ValueError: An argument is not allowed, an agent cannot play the game, or the file is of
            another tournament.
        TypeError: `agents` is not a sequence of players.
        ImportError: A library that several workers need is not installed.
        ConnectionError: There is no Ray cluster at the address.
        OSError: The file cannot be written.

    >>> result = tournament("sphlag", ["random", "greedy"], games=2)
    >>> result.match("greedy", "random").games
    2
    """
    loaded = check_game(game)
    rounds, root = check_int("games", games, 1, MOST_GAMES), check_seed("seed", seed)
    limit = check_seconds("time_limit", time_limit)
    number = None if workers is None else check_int("workers", workers, 1, MOST_WORKERS)
    openings, early_stop = check_flag("openings", openings), check_flag("early_stop", early_stop)
    check_callback("on_game", on_game)
    if record is not None and (not isinstance(record, (str, os.PathLike)) or not os.fspath(record)):
        raise ValueError(f"record={brief(record)} is not allowed: record is a path, or None")
    players, digests, timed = _named(agents, loaded)
    check_workers(number, ray)
    if ray is not None or (number or 1) > 1:
        _check_pickle(players)
    tasks = _schedule(loaded, players, digests, timed, rounds, root, openings, limit)
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

        if ray is None and (number or 1) > 1 and len(found) < total:
            _compile_once(loaded, players)
        for entry in do_all(_play_task, wanted(), number, ray):
            if ledger is not None:
                ledger.add(entry)
            found[entry.key] = entry
            if on_game is not None:
                on_game(entry, len(found), total)
    kept = [e for e in found.values() if not (early_stop and _decided(found, e.key))]
    kept.sort(key=lambda entry: entry.key)
    return TournamentResult(loaded, tuple(players), tuple(kept), early_stop, rounds, root)


def _compile_once(game: Game, players: dict[str, Player]) -> None:
    """Compile in this process what the workers need.

    They would compile it all at the same time, and without a word to the person who waits.
    """
    play_opening(game.new_initial_state(0), 0)
    for player in players.values():
        prepare = getattr(as_agent(player), "prepare", None)
        if callable(prepare):
            with contextlib.suppress(Exception, SystemExit):  # the games will say what is wrong
                prepare(game)


def _check_pickle(players: dict[str, Player]) -> None:
    """Raise ValueError, naming the player, if a player cannot be sent to another process."""
    for module in ("cloudpickle", "joblib.externals.cloudpickle", "ray.cloudpickle"):
        with contextlib.suppress(ImportError):  # the module differs between versions of joblib
            dumps = importlib.import_module(module).dumps
            break
    else:
        return
    for name, player in players.items():
        try:
            dumps(player)
        except Exception as error:
            raise ValueError(
                f"player {name!r} cannot be sent to workers, because it cannot be pickled: {error}"
            ) from error


def _named(
    agents: Sequence[Player], game: Game
) -> tuple[dict[str, Player], dict[str, str | None], set[str]]:
    """Return the players by name, the hashes of their files, and who is limited by time."""
    if isinstance(agents, str) or not isinstance(agents, Sequence):
        raise TypeError(f"agents is a list of players, not {type(agents).__name__}")
    players: dict[str, Player] = {}
    digests: dict[str, str | None] = {}
    timed: set[str] = set()
    for player in agents:
        agent = as_agent(player)
        name = name_of(agent)
        if name in players:
            raise ValueError(f"two players are called {name!r}: their names must differ")
        check_agents(game, [agent])
        players[name], digests[name] = player, getattr(agent, "digest", None)
        if getattr(getattr(agent, "budget", None), "ms", None) is not None:
            timed.add(name)
    if len(players) < 2:
        raise ValueError(f"agents={show(list(players))} is not allowed: two or more are needed")
    return players, digests, timed


def _schedule(
    game: Game,
    players: dict[str, Player],
    digests: dict[str, str | None],
    timed: set[str],
    rounds: int,
    seed: int,
    openings: bool,
    limit: float | None,
) -> dict[tuple[str, str, int], _Task]:
    """Return all games, round by round.

    The seed of a game depends only on the names and the round, so a longer tournament, or one with
    more players, contains the games of a shorter one.
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
                limit, (digests[a], digests[b]), bool(timed & {a, b}),
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
    if task.is_timed and entry.spec_time != "turn":
        raise ValueError(
            f"{where} was played when a time in a spec, such as mcts:250ms, counted for one "
            "action; now it counts for a whole turn. Name another record file, or begin again: "
            "--restart at the command removes the file"
        )
    for player, then, now in zip(task.names, entry.digests, task.digests, strict=True):
        if then != now:
            raise ValueError(
                f"{where} was played by another {player}, whose file has changed since: move the "
                "record file away, or name another one"
            )


def _decided(found: dict[tuple[str, str, int], Entry], key: tuple[str, str, int]) -> bool:
    """Return whether the earlier games of a pair have decided who is better."""
    a, b, round_ = key
    scores = []
    for earlier in range(round_):
        entry = found.get((a, b, earlier))
        if entry is None:
            break
        result = entry.record.result
        scores.append(result[earlier % 2] if result else 0.0)
    return decided_after(scores) is not None
