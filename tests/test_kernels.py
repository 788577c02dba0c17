"""Compiled kernels: memory, references, what is compiled, and games that are written plainly."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import ludarium
from ludarium.agents.alphazero import AlphaZeroSearch
from ludarium.arena.openings import opening_turns
from ludarium.core import bits
from ludarium.core.game import kernels_for
from ludarium.environments.vector import VectorGame
from ludarium.single_agent.vector import SingleAgentVector

PACKAGE = Path(ludarium.__file__).parent
JITTED = not numba.config.DISABLE_JIT

# ---------------------------------------------------------------- play of every kernel


def digest(game: Any, steps: int = 25, searches: bool = True) -> str:
    """Return a hash of what every kernel of a game answers in a fixed piece of play.

    Without `searches` it is only those of single games and batches, which compile sooner.
    """
    seen = hashlib.sha256()

    def add(*arrays: Any) -> None:
        for array in arrays:
            seen.update(np.ascontiguousarray(array).tobytes())

    for autoreset in ("next_step", "same_step"):
        games = VectorGame(game, 6, seed=2, autoreset=autoreset)
        games.reset()
        for _ in range(4 * steps):
            observations, rewards, terminated, truncated, info = games.step(games.sample_actions())
            add(*observations.values(), rewards, terminated, truncated, games._states)
            add(*(info[key] for key in ("turn", "stage", "result", "reason")))
    for state in games.states():
        add(state.observation_tensor(0), state.observation_tensor(1), state.legal_actions_mask())
    if not searches:
        return seen.hexdigest()
    stream = np.array([5], np.uint64)
    kernels = game.type.kernels
    add(kernels.playouts(game.new_initial_state(1)._array, stream, 20), stream)
    turn_kernels = kernels_for(game.type, "ludarium.agents.turn_kernels")
    rng = np.random.default_rng(3)
    for spec in ("greedy", "mcts:60", "alphabeta:1"):
        agent, state = ludarium.agents.make_agent(spec), game.new_initial_state(1)
        while not state.is_terminal() and len(state.history()) < steps:
            state.apply_action(int(agent.select_action(state, rng)))
        add(state.history(), ludarium.perft(state, 1))
        if not state.is_terminal():
            add(turn_kernels.list_turns(state._array), turn_kernels.best_result(state._array))

    def uniform(planes: Any, *_: Any) -> tuple[Any, Any]:
        """Answer like a network that knows nothing."""
        n = len(planes)
        return np.zeros((n, game.num_distinct_actions), np.float32), np.zeros(n, np.float32)

    search = AlphaZeroSearch(game, uniform, num_simulations=12)
    add(*search.search(games))
    for opponent in ("random", "greedy"):
        learners = SingleAgentVector(game, 4, opponent=opponent, seed=3)
        learners.reset(seed=3)
        for _ in range(steps):
            observations, rewards, *_ = learners.step(learners.sample_actions())
            add(observations, rewards)
    return seen.hexdigest()


def in_a_child(code: str, folder: Path, **environment: str) -> str:
    """Run code in a new process; return what it prints."""
    path = os.pathsep.join([str(folder), str(Path(__file__).parent), str(PACKAGE.parent)])
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path, **environment},
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


DIGEST = "import ludarium, test_kernels; print(test_kernels.digest(ludarium.load_game({name!r})))"


# ---------------------------------------------------------------- memory


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc only")
def test_no_kernel_reads_memory_that_was_freed(name: str, game: Any, tmp_path: Path) -> None:
    """With every freed block overwritten at once, all kernels answer as they do without."""
    code = DIGEST.format(name=name)
    assert in_a_child(code, tmp_path, MALLOC_PERTURB_="165").strip() == digest(game)


def kept_memory(name: str) -> dict[str, list[int]]:
    """Play with every kernel; return counts that must not differ, before and after."""
    from numba.core.runtime import rtsys

    game = ludarium.load_game(name)
    kernels, state = game.type.kernels, game.new_initial_state(1)
    planes = state.observation_tensor()
    arrays = (state._array, state._mask, planes)

    def play(times: int) -> tuple[list[int], Any]:
        for _ in range(times):
            kernels.start(state._array, np.array([7], np.uint64), state._mask)
            action = int(np.flatnonzero(state._mask)[0])
            kernels.step_and_observe(state._array, action, state._mask, planes)
            kernels.step(state._array, int(np.flatnonzero(state._mask)[-1]), state._mask)
            kernels.observe(state._array, 1, planes)
        digest(game, 5)
        return [sys.getrefcount(array) for array in arrays], rtsys.get_allocation_stats()

    before, blocks_before = play(3)
    after, blocks_after = play(300)
    gained = [new - old for new, old in zip(blocks_after, blocks_before, strict=True)]
    return {"references": [*before, *after], "blocks": gained}


def test_kernels_keep_no_reference_and_leak_no_memory(name: str, tmp_path: Path) -> None:
    """Arrays are referred to as often after many calls as before, and all blocks are freed."""
    code = f"import json, test_kernels; print(json.dumps(test_kernels.kept_memory({name!r})))"
    kept = json.loads(in_a_child(code, tmp_path, NUMBA_NRT_STATS="1"))
    assert kept["references"][:3] == kept["references"][3:]
    allocated, freed, arrays_made, arrays_freed = kept["blocks"]
    assert allocated == freed > 300
    assert arrays_made == arrays_freed > 300


@numba.njit
def _sum_of_rows(rows: Any, pair: Any) -> Any:
    rows, pair = bits.borrowed(rows), bits.borrowed(pair)
    total = 0
    for i in range(len(rows)):
        row = rows[i]
        for k in range(len(row)):
            total += row[k] * pair[1][i]
    return total


def test_borrowed_arrays_are_the_same_arrays_and_count_no_references() -> None:
    rows, weights = np.arange(12).reshape(3, 4), np.array([1, 10, 100])
    pair = (rows, weights)
    before = [sys.getrefcount(array) for array in (rows, weights)]
    for _ in range(100):
        assert _sum_of_rows(rows, pair) == 6 + 220 + 3800
    assert [sys.getrefcount(array) for array in (rows, weights)] == before
    if JITTED:  # the wrapper for Python counts its own; the function itself calls no counting
        (code,) = _sum_of_rows.inspect_llvm().values()
        body = re.search(r"define[^\n]*_sum_of_rows[^\n]*\{.*?\n\}", code, re.DOTALL)
        assert body and "NRT_incref" not in body[0]


@pytest.mark.parametrize("length", [0, 1, 5])
def test_put_copies_over_the_beginning(length: int) -> None:
    to, source = np.arange(8), np.arange(100, 100 + length)

    @numba.njit
    def copy(to: Any, source: Any) -> None:
        bits.put(to, source)

    copy(to, source)
    assert to.tolist() == [*range(100, 100 + length), *range(length, 8)]


# ---------------------------------------------------------------- what games may leave out


def test_a_game_without_borrowed_arrays_plays_the_same(
    name: str, game: Any, tmp_path: Path
) -> None:
    """Borrowing is for speed only: a copy of the package whose games never do it plays alike."""
    folder = tmp_path / "ludarium"
    shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    removed = 0
    for path in (folder / "games" / game.type.package.rpartition(".")[2]).glob("*.py"):
        text, n = re.subn(
            r"^    \w[\w, ]* = borrowed\(.*\n", "", path.read_text("utf-8"), flags=re.M
        )
        path.write_text(text, "utf-8")
        removed += n
    assert removed > 10
    code = (
        f"import ludarium, test_kernels; assert ludarium.__file__.startswith({str(tmp_path)!r})\n"
        f"print(test_kernels.digest(ludarium.load_game({name!r}), searches=False))"
    )
    assert in_a_child(code, tmp_path).strip() == digest(game, searches=False)


# ---------------------------------------------------------------- what is compiled

COMPILED = """
import json
from numba.core import event

names, literal = set(), set()

class Listener(event.Listener):
    def on_start(self, event):
        function = event.data["dispatcher"].py_func
        names.add(function.__module__)
        if any("Literal" in type(argument).__name__ for argument in event.data["args"]):
            literal.add(function.__module__ + "." + function.__qualname__)

    def on_end(self, event):
        pass

event.register("numba:compile", Listener())
import ludarium
from ludarium.arena import play_match

play_match(ludarium.load_game({name!r}), "greedy", "random", games=2, seed=1)
print(json.dumps([sorted(names), sorted(literal)]))
"""


def test_a_match_compiles_only_what_it_needs(name: str, tmp_path: Path) -> None:
    """No text of error messages, and no function once more for each literal it is called with.

    Slice assignments from array to array would compile Numba's functions for text.
    """
    out = in_a_child(COMPILED.format(name=name), tmp_path, LUDARIUM_CACHE_DIR=str(tmp_path))
    names, literal = json.loads(out.splitlines()[-1])
    assert any(name in module for module in names)
    assert [module for module in names if "unicode" in module] == []
    assert [function for function in literal if function.startswith("ludarium.")] == []


def test_an_opening_has_as_many_turns_as_perft_says(name: str) -> None:
    """The count of openings stops early; it decides as whole counts do."""
    for options in ({}, {"max_turns": 4}, {"max_turns": 3}):
        game = ludarium.load_game(name, **options)
        state = game.new_initial_state(0)
        room = [n for n in (2, 4, 6) if n < game.max_turns - state.turn_number()]
        enough = (n for n in room if n == 6 or ludarium.perft(state, n) >= 1000)
        assert opening_turns(game) == next(enough, max(room, default=0))
