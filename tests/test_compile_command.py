"""`ludarium compile`: after it no process compiles anything, whatever it uses of a game."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ludarium.arena import readiness
from ludarium.core import cache, compiling

GAME = "sphlag"
WORDS = [part for part, _ in readiness.PARTS]

# What users do, each in a process of its own, with the options that reach other kernels.
USES = {
    "AEC": "e = ludarium.make('sphlag'); e.reset(seed=1); e.last(); e.step(0); e.state()",
    "parallel": (
        "e = ludarium.sphlag.parallel_env(observation='flat', copy=False); e.reset(seed=1);"
        "e.step({'player_0': 0})"
    ),
    "state": (
        "s = ludarium.load_game('sphlag', max_turns=50).new_initial_state(); s.apply_action(0);"
        "s.observation_tensor(0); list(ludarium.turns(s)); ludarium.perft(s, 2); s.clone()"
    ),
    "batch": (
        "v = ludarium.make_vec('sphlag', 64, num_threads=2, autoreset='same_step', copy=False);"
        "v.reset(seed=3); [v.step(v.sample_actions()) for _ in range(300)];"
        "v.set_states(v.states())"
    ),
    "single": (
        "import gymnasium; e = gymnasium.make('ludarium:ludarium/Sphlag-v0', opponent='mcts:3');"
        "o, i = e.reset(seed=1); e.step(int(i['action_mask'].argmax()))"
    ),
    "learner": (
        "import gymnasium; e = gymnasium.make_vec('ludarium:ludarium/Sphlag-v0', 8,"
        " vectorization_mode='vector_entry_point', opponent=['random', 'greedy', 'mcts:2']);"
        "o, i = e.reset(seed=1); e.step(i['action_mask'].argmax(1))"
    ),
    "match": (
        "from ludarium.arena import play_match; play_match('sphlag', 'greedy', 'mcts:4', games=2)"
    ),
    "tournament": (
        "from ludarium.arena import tournament;"
        "tournament('sphlag', ['random', 'alphabeta:1', 'mcts:2'], games=2)"
    ),
    "record": (
        "from ludarium.arena import play_game; from ludarium.records import record_episode;"
        "record_episode(play_game('sphlag', 'random', 'greedy', seed=1), 'a.html', size=128)"
    ),
    "analysis": (
        "import numpy as np; from ludarium.agents import make_agent;"
        "s = ludarium.load_game('sphlag').new_initial_state();"
        "r = np.random.default_rng(0);"
        "[str(make_agent(a).analyse(s, r)) for a in ('alphabeta:2', 'mcts:9')]"
    ),
}


def run(folder: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=os.environ | {"LUDARIUM_CACHE_DIR": str(folder)},
    )


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A cache in which a game was made ready, and what the command said."""
    folder = tmp_path_factory.mktemp("cache")
    done = run(folder, "-m", "ludarium", "compile", GAME, cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    yield folder, done.stdout


def kept(folder: Path) -> set[Path]:
    """Return the files of compiled code: their names are new where something was compiled."""
    return {path for path in folder.rglob("*") if path.suffix in (".nbi", ".nbc")}


def test_it_says_what_it_did(ready: tuple[Path, str]) -> None:
    folder, said = ready
    lines = said.splitlines()
    assert [line.rpartition(": ")[0] for line in lines[:-1]] == [f"Sphlag: {w}" for w in WORDS]
    assert re.fullmatch(
        rf"\d+ functions compiled in \d+ s; [\d.]+ MB in {folder}/ludarium", lines[-1]
    )
    assert len(kept(folder)) > 20


@pytest.mark.parametrize("use", sorted(USES))
def test_nothing_is_compiled_after_it(ready: tuple[Path, str], use: str, tmp_path: Path) -> None:
    folder, _ = ready
    before = kept(folder)
    done = run(folder, "-c", f"import ludarium; {USES[use]}", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert kept(folder) - before == set()


def test_a_second_time_there_is_nothing_to_do(ready: tuple[Path, str], tmp_path: Path) -> None:
    folder, _ = ready
    done = run(folder, "-m", "ludarium", "compile", GAME, cwd=tmp_path)
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.count("ready already") == len(WORDS)
    assert "nothing had to be compiled" in done.stdout


def test_a_terminal_shows_a_bar_and_no_other_words(ready: tuple[Path, str], tmp_path: Path) -> None:
    folder, _ = ready
    primary, secondary = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "ludarium", "compile", GAME],
        stdout=subprocess.PIPE,
        stderr=secondary,
        cwd=tmp_path,
        env=os.environ | {"LUDARIUM_CACHE_DIR": str(folder)},
    )
    os.close(secondary)
    out, _ = child.communicate()
    shown = b""
    while True:
        try:
            part = os.read(primary, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(primary)
    assert child.returncode == 0 and b"nothing had to be compiled" in out
    assert b"Sphlag: " in shown and b"first time only" not in shown


def test_every_part_uses_every_game(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the code that the tests have compiled already."""
    import ludarium

    for _, use in readiness.PARTS:
        use(ludarium.load_game(name))


def test_a_cache_that_cannot_be_kept_is_an_error(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "make_private", lambda folder: False)
    status, out, err = run("compile", GAME)
    assert (status, out) == (2, "")
    assert "compiled code cannot be kept in " in err and "set LUDARIUM_CACHE_DIR" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("compile chess", "there is no game 'chess'"),
        ("compile -o board_size=13", "name the game"),
        ("compile gliss -o board_size=3", "board_size"),
    ],
)
def test_mistakes_are_named(run: Any, words: str, message: str) -> None:
    status, out, err = run(*words.split())
    assert (status, out) == (2, "") and message in err


def test_silence_ends_with_its_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "_silent", False)
    with pytest.raises(KeyError), compiling.silence():
        assert compiling._silent
        raise KeyError
    assert not compiling._silent
