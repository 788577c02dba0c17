"""Measurements: one function for each group of rows.

A rate is the median of several runs in this process. Import, first steps and memory are measured
in new processes, with a temporary cache folder.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ludarium.bench import peers
from ludarium.core.game import Game, game_type, load_game
from ludarium.core.registry import list_games
from ludarium.environments.vector import VectorGame

RUNS = 7
COLD_RUNS = 3
BATCH = 1024


@dataclass(frozen=True)
class Row:
    """One measured figure.

    Attributes:
        group: the group of the row, a key of `GROUPS`.
        subject: what was measured: a game with its options, a library, or the package.
        value: median of the runs.
        unit: unit of the value.
        bar: value to reach, or None.
        more: whether larger values are better.
        runs: values of all runs.
        aim: value beyond the bar that is aimed at, or None.
        note: what is written for an action, and how simple the game is.
        against: of a row of another library, the group that it is compared with.
    """

    group: str
    subject: str
    value: float
    unit: str
    bar: float | None = None
    more: bool = True
    runs: list[float] = field(default_factory=list)
    aim: float | None = None
    note: str = ""
    against: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the value reaches the bar; None without a bar."""
        if self.bar is None:
            return None
        return self.value >= self.bar if self.more else self.value <= self.bar


# ---------------------------------------------------------------- measuring


def _rate(run: Callable[[], int], seconds: float = 0.4) -> list[float]:
    """Return the rate of each of several runs, per second; `run` returns a count."""
    run()
    rates = []
    for _ in range(RUNS):
        count, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            count += run()
        rates.append(count / spent)
    return rates


def _row(group: str, subject: str, runs: list[float], unit: str, **more: Any) -> Row:
    return Row(group, subject, statistics.median(runs), unit, runs=runs, **more)


def _sizes(games: list[str]) -> Iterator[tuple[Game, str, dict[str, float]]]:
    """Yield each game with its options, its title, and its bars by group."""
    for name in games:
        benchmarks = game_type(name).submodule("benchmarks")
        for options, bar in zip(benchmarks.SIZES, benchmarks.BAR, strict=True):
            title = " ".join([name, *(f"{k}={v}" for k, v in options.items())])
            yield load_game(name, **options), title, bar


def _fresh(code: str, cache: str) -> list[float]:
    """Run code in a new process; return the numbers that it prints as JSON."""
    environment = {**os.environ, "LUDARIUM_CACHE_DIR": cache}
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    numbers: list[float] = json.loads(result.stdout.splitlines()[-1])
    return numbers


# ---------------------------------------------------------------- speed


def vector(games: list[str]) -> Iterator[Row]:
    """Measure batches of 1,024 games: sampling in the kernel, step, masks and observations."""
    for game, title, bar in _sizes(games):
        batch = VectorGame(game, BATCH, copy=False)
        batch.reset()

        def run(batch: VectorGame = batch) -> int:
            for _ in range(10):
                batch.step(batch.sample_actions())
            return 10 * BATCH

        written = game.num_distinct_actions + math.prod(game.observation_shape)
        yield _row(
            "vector", title, _rate(run), "actions/s", bar=bar.get("vector"), aim=bar.get("aim"),
            note=f"{game.num_distinct_actions} actions; {written:,} bytes of mask and planes",
        )  # fmt: skip


def threads(games: list[str]) -> Iterator[Row]:
    """Measure how much faster two threads step a batch, in wall-clock time."""
    for game, title, _ in _sizes(games):
        batches = [VectorGame(game, BATCH, copy=False, num_threads=n) for n in (1, 2)]
        for batch in batches:
            batch.reset()
        quotients = []
        for _ in range(RUNS):  # in turn, so that a slow moment meets both
            seconds = []
            for batch in batches:
                start = time.perf_counter()
                for _ in range(60):
                    batch.step(batch.sample_actions())
                seconds.append(time.perf_counter() - start)
            quotients.append(seconds[0] / seconds[1])
        yield _row("threads", f"{title}: two against one", quotients, "times")


def limit(games: list[str]) -> Iterator[Row]:
    """Estimate a limit of `vector`: a playout without tensors, and writing mask and planes.

    It is optimistic, because it lists no mask: a kernel at this rate would know what to write
    without looking.
    """
    for game, title, _ in _sizes(games):
        start = game.new_initial_state(seed=0)._array
        kernel, stream = game.type.kernels.playouts, np.array([1], np.uint64)
        masks = np.zeros((BATCH, game.num_distinct_actions), np.int8)
        planes = np.zeros((BATCH, *game.observation_shape), np.int8)

        def play(kernel: Any = kernel, start: Any = start, stream: Any = stream) -> int:
            return int(kernel(start, stream, 100))

        def write(masks: Any = masks, planes: Any = planes) -> int:
            masks.fill(1)
            planes.fill(1)
            return BATCH

        both = zip(_rate(play), _rate(write), strict=True)
        rates = [1 / (1 / played + 1 / written) for played, written in both]
        yield _row("limit", title, rates, "actions/s")


def aec(games: list[str]) -> Iterator[Row]:
    """Measure the PettingZoo loop of `last()`, a random legal action and `step()`."""
    from ludarium.environments.aec import AECGame

    for game, title, bar in _sizes(games):
        env = AECGame(game)
        env.reset(seed=0)
        yield _row("aec", title, _rate(peers.aec_loop(env)), "steps/s", bar=bar.get("aec"))


def playout(games: list[str]) -> Iterator[Row]:
    """Measure uniformly random games inside the kernel, without tensors."""
    for game, title, bar in _sizes(games):
        start = game.new_initial_state(seed=0)._array
        kernel, stream = game.type.kernels.playouts, np.array([1], np.uint64)

        def run(kernel: Any = kernel, start: Any = start, stream: Any = stream) -> int:
            return int(kernel(start, stream, 100))

        yield _row("playout", title, _rate(run), "actions/s", bar=bar.get("playout"))


def kernel(games: list[str]) -> Iterator[Row]:
    """Measure the kernels that a game names."""
    for name in games:
        for title, (bar, make) in game_type(name).submodule("benchmarks").KERNELS.items():
            run = make(game_type(name).load())
            times = [1e9 / rate for rate in _rate(run)]
            yield _row("kernel", f"{name}: {title}", times, "ns", bar=bar, more=False)


def search(games: list[str]) -> Iterator[Row]:
    """Measure search agents: simulations from the initial state, positions after an opening."""
    from ludarium.agents import list_agents, make_agent
    from ludarium.arena.openings import play_opening

    if "mcts" not in list_agents():
        return
    for game, title, bar in _sizes(games):
        agent, rng = make_agent("mcts:2000"), np.random.default_rng(0)
        state = game.new_initial_state(seed=0)

        def run(agent: Any = agent, state: Any = state, rng: Any = rng) -> int:
            agent.select_action(state, rng)
            return 2000

        yield _row("search", f"{title}: mcts", _rate(run), "simulations/s", bar=bar.get("search"))

        alphabeta = make_agent("alphabeta:2")
        state = play_opening(state, seed=0)  # after some turns there is more to search

        def run_alphabeta(alphabeta: Any = alphabeta, state: Any = state, rng: Any = rng) -> int:
            return int(alphabeta.analyse(state, rng).effort)

        yield _row("search", f"{title}: alphabeta", _rate(run_alphabeta), "positions/s")


def render(games: list[str]) -> Iterator[Row]:
    """Measure pictures of 512 pixels, without the first."""
    for game, title, bar in _sizes(games):
        draw = game.type.submodule("render").draw
        states = [game.new_initial_state(seed=0)]
        rng = np.random.default_rng(0)
        while len(states) < 30 and not states[-1].is_terminal():
            states.append(states[-1].child(int(rng.choice(states[-1].legal_actions()))))

        def run(draw: Any = draw, states: Any = states) -> int:
            for state in states:
                draw(state, 512)
            return len(states)

        times = [1000 / rate for rate in _rate(run)]
        yield _row("render", title, times, "ms", bar=bar.get("render"), more=False)


# ---------------------------------------------------------------- start-up and memory

_IMPORT = "import time; t = time.perf_counter(); import ludarium; print([time.perf_counter() - t])"
_FIRST = """
import time; t = time.perf_counter()
import ludarium
{code}
print([time.perf_counter() - t])
"""
_STEP = (
    "env = ludarium.make({name!r}); env.reset(seed=0); env.last();"
    "env.step(env.game_state.legal_actions()[0])"
)
_VECTOR = "v = ludarium.make_vec({name!r}, num_envs=2); v.reset(); v.step(v.sample_actions())"
_PERFT = "ludarium.perft(ludarium.load_game({name!r}).new_initial_state(0), 1)"
_SEARCH = (
    "import numpy as np; ludarium.agents.make_agent('mcts:10').select_action("
    "ludarium.load_game({name!r}).new_initial_state(0), np.random.default_rng(0))"
)
_MEMORY = """
import resource, tracemalloc, ludarium
env = ludarium.make({name!r}); env.reset(seed=0)
tracemalloc.start()
kept = [ludarium.make({name!r}) for _ in range(20)]
for env in kept: env.reset(seed=0)
print([tracemalloc.get_traced_memory()[0] / 20 / 2**20])
"""
_GROWTH = """
import resource, ludarium
v = ludarium.make_vec({name!r}, num_envs=1024); v.reset()
def steps(n):
    for _ in range(n): v.step(v.sample_actions())
steps(200)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
steps(10_000_000 // 1024)
print([(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024])
"""


def start(games: list[str]) -> Iterator[Row]:
    """Measure the first steps of a new process with an empty (cold) and a filled (warm) cache."""
    from ludarium.agents import list_agents

    with tempfile.TemporaryDirectory() as cache:
        times = [_fresh(_IMPORT, cache)[0] for _ in range(RUNS)]
        yield _row("start", "import ludarium", times, "s", bar=0.4, more=False)
        first = {"make_vec": _VECTOR, "perft": _PERFT}
        if "mcts" in list_agents():
            first["mcts"] = _SEARCH
        for name in games:
            bar = game_type(name).submodule("benchmarks").COLD
            code = _FIRST.format(code=_STEP.format(name=name))
            cold = _fresh(code, cache)
            yield _row("start", f"{name}: first step, cold", cold, "s", bar=bar, more=False)
            warm = [_fresh(code, cache)[0] for _ in range(RUNS)]
            yield _row("start", f"{name}: first step, warm", warm, "s", bar=0.6, more=False)
            for title, body in first.items():
                code = _FIRST.format(code=body.format(name=name))
                _fresh(code, cache)
                warm = [_fresh(code, cache)[0] for _ in range(3)]
                yield _row("start", f"{name}: {title}, warm", warm, "s", bar=5, more=False)


_COLD = """
import ludarium, time
{code}
print([time.process_time()])
"""
_MATCH = (
    "from ludarium.cli import cli; import contextlib, io\n"
    "with contextlib.redirect_stdout(io.StringIO()):\n"
    "    cli.main(['match', {name!r}, 'greedy', 'random', '--games', '2'], standalone_mode=False)"
)


def cold(games: list[str]) -> Iterator[Row]:
    """Measure the processor time of whole processes with an empty cache, the imports included."""
    uses = {"first env() step": _STEP, "make_vec": _VECTOR, "match": _MATCH, "mcts": _SEARCH}
    for name in games:
        bars = game_type(name).submodule("benchmarks").COLD_BARS
        for title, body in uses.items():
            code = _COLD.format(code=body.format(name=name))
            times = []
            for _ in range(COLD_RUNS):
                with tempfile.TemporaryDirectory() as cache:
                    times += _fresh(code, cache)
            yield _row("cold", f"{name}: {title}", times, "s", bar=bars.get(title), more=False)


def memory(games: list[str]) -> Iterator[Row]:
    """Measure the memory of an environment, and its growth over ten million actions."""
    with tempfile.TemporaryDirectory() as cache:
        for name in games:
            sizes = _fresh(_MEMORY.format(name=name), cache)
            yield _row("memory", f"{name}: one environment", sizes, "MB", bar=1, more=False)
            if importlib.util.find_spec("resource") is not None:
                sizes = _fresh(_GROWTH.format(name=name), cache)
                title = f"{name}: growth over ten million actions"
                yield _row("memory", title, sizes, "MB", bar=5, more=False)


# ---------------------------------------------------------------- other libraries


def others(games: list[str]) -> Iterator[Row]:
    """Measure the same loops over other libraries, if they are installed."""
    for peer in peers.PEERS:
        if (run := peer.make()) is not None:
            yield _row(
                "peers", peer.subject, _rate(run), peer.unit, note=peer.note, against=peer.against
            )


GROUPS: dict[str, Callable[[list[str]], Iterator[Row]]] = {
    "vector": vector,
    "threads": threads,
    "limit": limit,
    "aec": aec,
    "playout": playout,
    "kernel": kernel,
    "search": search,
    "render": render,
    "start": start,
    "cold": cold,
    "memory": memory,
    "peers": others,
}


def measure(groups: list[str] | None = None, games: list[str] | None = None) -> Iterator[Row]:
    """Yield the measured rows.

    Args:
        groups: names of groups; all by default.
        games: names of games; all by default.
    """
    for group in groups or GROUPS:
        yield from GROUPS[group](games or list_games())
