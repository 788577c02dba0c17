"""Machines as they are: damaged caches, full disks, no home directory."""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pytest
from registered import part

import ludarium
from ludarium.core import cache, jit
from ludarium.single_agent.env import SingleAgentGame

PACKAGE = "game_of_test"
SOURCE = """
from numba import njit

@njit(cache=True, nogil=True)
def double(x):
    return x + x

@njit(cache=True, nogil=True)
def quadruple(x):
    return double(double(x))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package with two small kernels, and the folder in which they are cached."""
    checked_cache = importlib.import_module("ludarium.core.checked_cache")
    monkeypatch.setattr(checked_cache, "_warned", False)
    (tmp_path / PACKAGE).mkdir()
    (tmp_path / PACKAGE / "__init__.py").write_text("")
    (tmp_path / PACKAGE / "rules.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("LUDARIUM_CACHE_DIR", str(tmp_path / "cache"))
    yield tmp_path / "cache" / "ludarium"
    forget()


def forget() -> None:
    for name in (f"{PACKAGE}.rules", PACKAGE):
        sys.modules.pop(name, None)


def start() -> ModuleType:
    """Import the kernels as a new process does."""
    forget()
    return jit.import_jitted(PACKAGE, "rules")[0]


def hits(rules: ModuleType) -> int:
    """Call both kernels; return how many of them came from the cache."""
    assert (rules.double(5), rules.quadruple(5)) == (10, 20)
    return sum(sum(f.stats.cache_hits.values()) for f in (rules.double, rules.quadruple))


def cached(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.nb[ic]") if path.is_file())


# ---------------------------------------------------------------- damaged cache files


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def halve(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def flip(path: Path) -> None:
    """Change one byte in the middle, where machine code stands."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x55
    path.write_bytes(data)


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "file").write_text("in the way")


def lock(path: Path) -> None:
    path.chmod(0)


DAMAGES: list[Callable[[Path], Any]] = [
    lambda path: path.write_bytes(b""),
    lambda path: path.write_bytes(b"garbage" * 99),
    lambda path: path.write_bytes(b"\x80\x04."),
    lambda path: path.write_bytes(os.urandom(4000)),
    lambda path: path.unlink(),
    cut,
    halve,
    flip,
    replace_by_folder,
    lock,
]


@pytest.mark.parametrize("suffix", ["nbi", "nbc", "nb[ic]"])
@pytest.mark.parametrize("damage", range(len(DAMAGES)))
def test_a_damaged_cache_file_is_compiled_again_and_repaired(
    folder: Path, damage: int, suffix: str
) -> None:
    assert hits(start()) == 0
    assert hits(start()) == 2
    files = cached(folder)
    assert len(files) == 4
    for path in folder.rglob(f"*.{suffix}"):
        DAMAGES[damage](path)
    assert hits(start()) in (0, 2)  # root may read what is locked
    assert hits(start()) == 2
    assert cached(folder) == files


def test_a_damaged_cache_file_is_seen_when_a_kernel_is_first_called(folder: Path) -> None:
    hits(start())
    rules = start()
    for path in cached(folder):
        path.write_bytes(b"late")
    assert hits(rules) == 0
    assert hits(start()) == 2


@pytest.mark.parametrize("level", range(4))
@pytest.mark.parametrize("replacement", [None, "a file in its place"])
def test_a_cache_folder_that_vanishes_is_made_again(
    folder: Path, level: int, replacement: str | None
) -> None:
    hits(start())
    rules = start()
    inner = cached(folder)[0].parent
    lost = [inner, inner.parent, folder, folder.parent][level]
    shutil.rmtree(lost)
    if replacement is not None and level < 2:
        lost.write_text(replacement)
        rules = start()
    assert hits(rules) == 0
    assert hits(start()) == 2
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_damaged_cache_of_a_real_game(tmp_path: Path) -> None:
    """One file after the other is damaged in its own way; the game starts, once more and warm."""
    name = ludarium.list_games()[-1]
    code = (
        f"import ludarium; state = ludarium.load_game({name!r}).new_initial_state(1);"
        "print(ludarium.perft(state, 1))"
    )
    environment = {**os.environ, "LUDARIUM_CACHE_DIR": str(tmp_path)}

    def run() -> str:
        command = [sys.executable, "-W", "error", "-c", code]
        child = subprocess.run(
            command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert child.stderr == ""
        return child.stdout

    first = run()
    files = cached(tmp_path)
    assert len(files) > 8
    for number, path in enumerate(files):
        DAMAGES[number % len(DAMAGES)](path)
    assert run() == first
    assert cached(tmp_path) == files
    stamps = {path: path.stat().st_mtime_ns for path in files}
    assert run() == first
    assert {path: path.stat().st_mtime_ns for path in files} == stamps


# ---------------------------------------------------------------- no room for the cache


@contextlib.contextmanager
def disk_full(monkeypatch: pytest.MonkeyPatch, number: int) -> Iterator[None]:
    """Let every write of a cache file fail with this error."""

    class Full:
        def __init__(self, path: str) -> None:
            self.path = path

        def __enter__(self) -> Full:
            return self

        def __exit__(self, *error: object) -> None:
            Path(self.path).unlink(missing_ok=True)

        def write(self, data: bytes) -> int:
            raise OSError(number, os.strerror(number))

    def opened(path: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        if ".nb" in str(path) and "w" in mode:
            return Full(str(path))
        return open(path, mode, *arguments, **options)

    caching = importlib.import_module("numba.core.caching")
    with monkeypatch.context() as patch:
        patch.setattr(caching, "open", opened, raising=False)
        yield


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS])
def test_a_full_cache_disk_runs_uncached_with_one_warning(
    folder: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    with disk_full(monkeypatch, number):
        with pytest.warns(RuntimeWarning, match="LUDARIUM_CACHE_DIR") as caught:
            assert hits(start()) == hits(start()) == 0
        assert len(caught) == 1 and os.strerror(number) in str(caught[0].message)
    assert hits(start()) == 0  # there is room again, and no trace of what failed
    assert hits(start()) == 2


def test_a_limit_of_file_sizes_runs_uncached_with_one_warning(folder: Path) -> None:
    """As after `ulimit -f`: the kernel of the system sends SIGXFSZ, and write() says EFBIG."""
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048));"
        f"from ludarium.core.jit import import_jitted as load; rules, = load({PACKAGE!r}, 'rules');"
        "print(rules.double(3), rules.quadruple(3))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    child = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert (child.returncode, child.stdout) == (0, "6 12\n"), child.stderr
    assert child.stderr.count("RuntimeWarning") == 1


def test_without_any_folder_nothing_is_cached(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "make_private", lambda folder: False)
    monkeypatch.setattr(cache, "_temporary_root", lambda: None)
    with pytest.warns(RuntimeWarning, match="no folder can be written to") as caught:
        assert hits(start()) == hits(start()) == 0
    assert len(caught) == 1


def test_the_temporary_cache_folder_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "make_private", lambda folder: False)
    root = cache.cache_root()
    assert root is not None and root.is_dir() and root == cache.cache_root()


# ---------------------------------------------------------------- no home directory


PLATFORMS = ["linux", "darwin", "win32"]


@pytest.fixture(params=PLATFORMS)
def platform(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> str:
    """Each platform in turn, without any variable that names a folder."""
    monkeypatch.setattr(sys, "platform", request.param)
    for variable in ("LUDARIUM_CACHE_DIR", "NUMBA_CACHE_DIR", "LOCALAPPDATA", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return str(request.param)


def test_the_cache_folder_of_each_platform(platform: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    expected = {
        "linux": home / ".cache" / "ludarium",
        "darwin": home / "Library" / "Caches" / "ludarium",
        "win32": home / "AppData" / "Local" / "ludarium",
    }
    assert cache.cache_root() == expected[platform]


def test_no_home_directory_falls_back_to_the_temporary_folder(
    platform: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(user: int) -> Any:
        raise KeyError(f"getpwuid(): uid not found: {user}")

    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", unknown)
    root = cache.cache_root()
    assert root is not None and root.parent == tmp_path and root.name.startswith("ludarium-")


VARIABLES = ["LUDARIUM_CACHE_DIR", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"]


@pytest.mark.parametrize("variable", VARIABLES)
@pytest.mark.parametrize("value", ["~nouser", "~nouser/cache", ""])
def test_a_variable_with_an_unknown_user_is_passed_over(
    platform: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(variable, value)
    root = cache.cache_root()
    assert root is not None and root.is_dir() and root.is_relative_to(tmp_path)
    assert not list(tmp_path.glob("~*")) and not (tmp_path / "ludarium").exists()


def test_an_ordinary_start_does_not_warn(folder: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert hits(start()) == 0 and hits(start()) == 2


# ---------------------------------------------------------------- without a compiler

WITHOUT_JIT = """
import random, sys
import numpy as np
import ludarium

name = sys.argv[1]
vector = ludarium.make_vec(name, num_envs=3, seed=1)
vector.reset()
for _ in range(12):
    vector.step(vector.sample_actions())
chance = random.Random(1)
for options in eval(sys.argv[2]):
    state = ludarium.load_game(name, **options).new_initial_state(1)
    for _ in range(24):
        if state.is_terminal():
            break
        state.apply_action(chance.choice(state.legal_actions()))
    state.observation_tensor()
    assert state.game.state_from_string(state.to_string()) == state
state = ludarium.load_game(name).new_initial_state(1)
assert ludarium.perft(state, 1) == len(list(ludarium.turns(state)))
for spec in ("greedy", "mcts:3", "alphabeta:1"):
    if state.stage() != "setup":
        ludarium.agents.make_agent(spec).select_action(state, np.random.default_rng(0))
print(state.to_string(), vector.states()[0].to_string(), sep="|")
"""


def test_no_overflow_warning_without_jit(name: str) -> None:
    """Numbers wrap around as in compiled code, and the same games come out."""
    outputs = []
    options = repr([{}, *getattr(part(name, "walks"), "OPTIONS", [])])
    for disabled in ("0", "1"):
        child = subprocess.run(
            [sys.executable, "-W", "error", "-c", WITHOUT_JIT, name, options],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=False,
        )
        assert child.returncode == 0, child.stderr
        outputs.append(child.stdout)
    assert outputs[0] == outputs[1]


# ---------------------------------------------------------------- numbers without measure

HUGE = [10**19, 10**30, -(10**30), 10**5000, -(10**5000)]


@pytest.mark.parametrize("huge", HUGE, ids=lambda huge: f"{huge.bit_length()} bits")
def test_huge_ints_are_refused_by_name(name: str, huge: int) -> None:
    """Python writes out no int of more than 4300 digits; a message that tried it would raise."""
    game = ludarium.load_game(name)
    state, over = game.new_initial_state(1), ludarium.make(name, max_turns=1)
    over.reset(seed=1)
    while not any(over.terminations.values()) and not any(over.truncations.values()):
        over.step(over.game_state.legal_actions()[0])
    env, parallel = ludarium.make(name), getattr(ludarium, name).parallel_env()
    vector = ludarium.make_vec(name, num_envs=2)
    single = gymnasium.make(f"ludarium/{name.capitalize()}-v0").unwrapped
    for begun in (env, parallel, vector, single):
        begun.reset(seed=1)
    actions: list[Callable[[Any], Any]] = [
        state.apply_action,
        state.child,
        state.action_to_string,
        env.step,
        over.step,
        single.step,
        lambda value: parallel.step({"player_0": value, "player_1": 0}),
        lambda value: vector.step([0, value]),
    ]
    for use in actions:
        with pytest.raises(ludarium.IllegalActionError, match=r"action (an int of|-?1000)"):
            use(huge)
    options: dict[str, Callable[[Any], Any]] = {
        "player": state.observation_tensor,
        "depth": lambda value: ludarium.perft(state, value),
        "max_turns": lambda value: ludarium.load_game(name, max_turns=value),
        "illegal": lambda value: ludarium.make(name, illegal=value),
        "size": lambda value: state.render("rgb_array", size=value),
        "theme": lambda value: state.render("rgb_array", theme=value),
        "mode": state.render,
        "num_envs": lambda value: ludarium.make_vec(name, num_envs=value),
        "num_threads": lambda value: ludarium.make_vec(name, num_threads=value),
        "seat": lambda value: SingleAgentGame(game, seat=value),
    }
    for option, use in options.items():
        with pytest.raises(ValueError, match=rf"{option}=(an int of|-?1000)"):
            use(huge)
    for use in (game.state_from_string, state.string_to_action, ludarium.load_game):
        with pytest.raises(TypeError, match=r"int: (an int of|-?1000)"):
            use(huge)
    if huge > 0:
        assert game.new_initial_state(huge) == game.new_initial_state(huge)
    else:
        with pytest.raises(ValueError, match="seed="):
            env.reset(seed=huge)


@pytest.mark.parametrize("vectorize", [ludarium.make_vec, "gymnasium"])
def test_more_games_than_fit_into_memory(name: str, vectorize: Any) -> None:
    """They are refused before anything is allocated, naming the limit or the memory."""

    def make(number: int, **options: Any) -> Any:
        if vectorize != "gymnasium":
            return vectorize(name, num_envs=number, **options)
        key = f"ludarium/{name.capitalize()}-v0"
        mode = "vector_entry_point"
        return gymnasium.make_vec(key, num_envs=number, vectorization_mode=mode, **options)

    for number in (10**19, 2**63, 2**24 + 1, 10**5000):
        with pytest.raises(ValueError, match="num_envs is an int, 1 to 16777216"):
            make(number)
    batches = importlib.import_module("ludarium.environments.batches")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "_memory", lambda: 2.0**20)
        with pytest.raises(ValueError, match=r"GiB of memory, and there are 0\.0"):
            make(10**6)
    with pytest.raises(ValueError, match="num_threads is an int, 1 to 1024"):
        make(2, num_threads=10**19)


# ---------------------------------------------------------------- tampered pickles

TAMPER = """
import pickle, random, sys
import numpy as np
import ludarium

chance, refused, played = random.Random(1), 0, 0
for options in eval(sys.argv[2]):
    state = ludarium.load_game(sys.argv[1], **options).new_initial_state(1)
    for _ in range(5):
        restore, (game, array, start, history) = state.__reduce__()
        assert pickle.loads(pickle.dumps(state)) == state
        limits = np.iinfo(array.dtype)
        for cell in chance.sample(range(len(array)), min(len(array), 16)):
            values = [limits.min, limits.max, 0, 3, 200]
            values += [int(array[cell]) ^ (1 << chance.randrange(62)) for _ in range(2)]
            for value in values:
                other = array.copy()
                other[cell] = value
                try:
                    made = restore(game, other, other.copy(), [])
                except ValueError as error:
                    assert "a damaged state" in str(error)
                    refused += 1
                    continue
                for _ in range(3):
                    if made.legal_actions():
                        made.apply_action(chance.choice(made.legal_actions()))
                        made.observation_tensor(), str(made)
                        played += 1
        if state.is_terminal():
            break
        state.apply_action(chance.choice(state.legal_actions()))
print(refused > 99 and played > 9)
"""


def test_tampered_state_pickles_never_reach_the_kernels(name: str) -> None:
    """With checks of all indices in compiled code, whatever is in the array of a pickle."""
    options = repr([{}, *getattr(part(name, "walks"), "OPTIONS", [])[-1:]])
    child = subprocess.run(
        [sys.executable, "-c", TAMPER, name, options],
        env={**os.environ, "NUMBA_BOUNDSCHECK": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (child.returncode, child.stdout) == (0, "True\n"), child.stderr


def test_tampered_parts_of_a_state_pickle_are_refused(name: str) -> None:
    state = ludarium.load_game(name).new_initial_state(1)
    for _ in range(4):
        state.apply_action(state.legal_actions()[0])
    restore, (game, array, start, history) = state.__reduce__()
    assert restore(game, array, start, history) == state
    other = ludarium.load_game(name, max_turns=77)
    floats = array.astype(np.float64)
    floats[0] = np.nan
    wrong: list[tuple[Any, ...]] = [
        (None, array, start, history),
        (other, array, start, history),
        (game, array, start, history[:-1]),
        (game, array, start, [*history, history[-1]]),
        (game, array, start, [*history[:-1], -1]),
        (game, array, start, [*history[:-1], 10**5000]),
        (game, array, start, [*history[:-1], "x"]),
        (game, array, start, tuple(history)),
        (game, array, start, None),
        (game, start, start, history),
        (game, array, array[:-1], []),
        (game, array[:-1], start, history),
        (game, array, array[:0], []),
        (game, array, np.stack([start, start]), history),
        (game, floats, start, history),
        (game, array, floats, []),
        (game, array, start.astype(np.int32), history),
        (game, array, start.astype(object), history),
        (game, array, list(start), history),
        (game, None, start, history),
    ]
    for parts in wrong:
        with pytest.raises(ValueError, match="a damaged state"):
            restore(*parts)
