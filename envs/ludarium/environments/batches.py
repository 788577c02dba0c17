"""What all batches of games share: threads, pictures, and the checks of seeds, actions, resets."""

from __future__ import annotations

import copy as copy_module
import itertools
import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import gymnasium.logger
import numpy as np
import numpy.typing as npt
from gymnasium import vector
from gymnasium.utils import seeding

from ludarium.core.errors import IllegalActionError, show
from ludarium.core.game import Game, check_is_game
from ludarium.core.options import (
    as_int,
    at_least_one,
    check_choice,
    check_orientation,
    check_reset_options,
    check_size,
)
from ludarium.core.seeds import seed_stream
from ludarium.core.state import State
from ludarium.core.text import counted

# In the order of core/status.py: NEXT_STEP, SAME_STEP, DISABLED.
AUTORESET = ("next_step", "same_step", "disabled")

_MODES = getattr(vector, "AutoresetMode", None)  # Gymnasium 1.1 and later
_SPELLINGS = {mode.replace("_", ""): mode for mode in AUTORESET}

RENDER_MODES = ("rgb_array",)  # of batches
RENDER_FPS = 2


MAX_NUM_ENVS = 2**24
MAX_NUM_THREADS = 1024


def check_batch(game: Game, num_envs: Any, num_threads: Any) -> tuple[int, int]:
    """Return the number of games of a batch, and of its threads, at most one for each game.

    Raises:
        ValueError: One is not an int in its range, or the arrays need more memory than there is.
        TypeError: The first argument is not a `Game`.
    """
    check_is_game(game)
    games = at_least_one("num_envs", num_envs, MAX_NUM_ENVS)
    threads = at_least_one("num_threads", num_threads, MAX_NUM_THREADS)
    planes = math.prod(game.observation_shape)
    needed = games * (game._blank.nbytes + 2 * game.num_distinct_actions + 2 * planes)
    memory = _memory()
    if needed > memory:
        raise ValueError(
            f"num_envs={games} is not allowed: {games} games of {game.name} need "
            f"{needed / 2**30:.1f} GiB of memory, and there are {memory / 2**30:.1f}"
        )
    return games, min(threads, games)


def _memory() -> float:
    """Return the size of the machine's memory in bytes, infinity where it is not known."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return math.inf


class ThreadedVector(vector.VectorEnv[Any, Any, Any]):
    """A batch whose kernels run over slices of the games, in `num_threads` threads.

    `close` stops the threads only: the batch can be used after it.
    """

    game: Game
    num_threads: int
    metadata: dict[str, Any]
    render_size: int
    orientation: int | str
    _started: bool
    _pool: ThreadPoolExecutor | None = None
    _pool_owner = 0
    _spec: Any = None

    def _describe(
        self, autoreset: Any, render_mode: Any, render_size: Any, orientation: Any
    ) -> None:
        """Check how finished games restart and how games are drawn, and set `metadata`.

        Raises:
            ValueError: An option is not allowed.
        """
        check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        self.render_mode = render_mode
        self.render_size = check_size(render_size, "render_size")
        self.orientation = check_orientation(orientation)
        self.autoreset, mode = autoreset_of(autoreset)
        self.metadata = {
            "name": f"{self.game.name}_v{self.game.version}",
            "autoreset_mode": mode,
            "render_modes": list(RENDER_MODES),
            "render_fps": RENDER_FPS,
        }

    @property
    def spec(self) -> Any:
        """Gymnasium's specification; its `max_episode_steps` is the game's `max_game_length`."""
        return self._spec

    @spec.setter
    def spec(self, spec: Any) -> None:
        self._spec = bounded_spec(spec, self.game)

    # ---- pictures

    def states(self) -> list[State]:
        """Return a `State` for each game, independent; its history begins here."""
        raise NotImplementedError  # abstract: each batch keeps its states in arrays of its own

    def render(self) -> tuple[npt.NDArray[np.uint8], ...] | None:
        """Return a picture of each game, uint8 [height, width, 3]; None without a `render_mode`.

        Raises:
            ValueError: `reset` was not called.
        """
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render() does nothing without a render_mode: make the batch with 'rgb_array'"
            )
            return None
        if not self._started:
            raise ValueError("reset() needs to be called before render()")
        draw = self.game.type.submodule("render").draw
        return tuple(
            draw(state, self.render_size, orientation=self.orientation) for state in self.states()
        )

    # ---- seeds

    def _note_seed(self, seed: int | Sequence[int] | None) -> None:
        """Keep the seed that was given for `np_random_seed`: an int, or a tuple of them."""
        if seed is None:
            return
        if np.ndim(seed) == 0:
            number = int(seed)  # type: ignore[arg-type]
            self._np_random, self._np_random_seed = seeding.np_random(number)
            return
        numbers: Any = tuple(None if one is None else int(one) for one in seed)  # type: ignore[union-attr]
        self._np_random = np.random.default_rng([number or 0 for number in numbers])
        self._np_random_seed = numbers

    # ---- threads

    def _run(self, kernel: Callable[..., Any], arguments: list[Any]) -> None:
        """Call a kernel over all games, in slices when there are several threads.

        The arguments are a list, as CPython 3.11 keeps each tuple of exactly twenty until its
        collector runs.
        """
        n, threads = self.num_envs, self.num_threads
        if threads == 1:
            kernel(0, n, *arguments)
            return
        if self._pool is None or self._pool_owner != os.getpid():  # a fork has no threads
            self._pool = ThreadPoolExecutor(threads, "ludarium")
            self._pool_owner = os.getpid()
            self.closed = False  # close() has something to stop again
        cuts = [n * k // threads for k in range(threads + 1)]
        slices = list(itertools.pairwise(cuts))
        rest = [self._pool.submit(kernel, b, e, *arguments) for b, e in slices[1:]]
        kernel(*slices[0], *arguments)
        for job in rest:
            job.result()

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads; the next step starts them again."""
        if self._pool is not None and self._pool_owner == os.getpid():
            self._pool.shutdown()
        self._pool = None

    def __copy__(self) -> Any:
        return copy_module.deepcopy(self)  # a shallow copy would share the games

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pool": None}


def autoreset_of(autoreset: Any) -> tuple[str, Any]:
    """Return an autoreset mode by name, and as Gymnasium has it in `metadata`, if it does.

    Args:
        autoreset: ``"next_step"``, ``"same_step"`` or ``"disabled"``, in any of Gymnasium's
            spellings (``"NextStep"``, ``"NEXT_STEP"``), or Gymnasium's `AutoresetMode`.

    Raises:
        ValueError: It is none of the three.

    >>> autoreset_of("SameStep")[0]
    'same_step'
    """
    mode = autoreset
    if _MODES is not None and isinstance(mode, _MODES):
        mode = mode.name
    if isinstance(mode, str):
        mode = _SPELLINGS.get(mode.lower().replace("_", ""), autoreset)
    check_choice("autoreset", mode, AUTORESET)
    return mode, mode if _MODES is None else _MODES[mode.upper()]


def bounded_spec(spec: Any, game: Game) -> Any:
    """Return a copy of Gymnasium's specification with the game's bound as `max_episode_steps`.

    Gymnasium's own `TimeLimit` is not needed: no episode is longer than `max_game_length`.
    """
    if spec is None:
        return None
    bounded = copy_module.copy(spec)
    bounded.max_episode_steps = game.max_game_length
    return bounded


def list_seeds(seed: int | Sequence[int] | None, num_envs: int) -> list[int | None]:
    """Return a seed for each game: from one int up, or those given, or None for each.

    Raises:
        ValueError: One is not a seed, or their number is not that of the games.
    """
    if not isinstance(seed, (list, tuple, np.ndarray)) or np.ndim(seed) == 0:
        number: Any = seed
        seed_stream(number)  # raises ValueError for what is not a seed
        return [None if number is None else int(number) + i for i in range(num_envs)]
    seeds: list[int | None] = list(seed)
    for one in seeds:
        seed_stream(one)  # check all of them before a stream changes
    if len(seeds) != num_envs:
        raise ValueError(
            f"{counted(len(seeds), 'seed')} for {counted(num_envs, 'game')}: seed is an int >= 0, "
            f"None, or a list of {num_envs} of them"
        )
    return seeds


def rows_to_reset(
    options: dict[str, Any] | None, num_envs: int, started: bool
) -> npt.NDArray[np.bool_]:
    """Return which games a reset starts, bool [N]: ``options["reset_mask"]``, at first all.

    Raises:
        ValueError: The mask is not allowed.
    """
    chosen = np.ones(num_envs, np.bool_)
    check_reset_options(options)
    if options and options.get("reset_mask") is not None:
        given = np.asarray(options["reset_mask"])
        if given.dtype != np.bool_ or given.shape != (num_envs,):
            raise ValueError(
                f"reset_mask must be a bool array of shape ({num_envs},), not "
                f"{given.dtype} {given.shape}"
            )
        if started:
            chosen = given.copy()
    return chosen


def in_range(actions: Any, num_envs: int, num_actions: int) -> npt.NDArray[np.int64]:
    """Return actions, one for each game, as int64 [N].

    Raises:
        ValueError: They have a wrong length or type.
        IllegalActionError: One is out of range; the message names the games.
    """
    given = np.asarray(actions)
    if given.shape != (num_envs,):
        raise ValueError(f"actions have shape {given.shape}: it must be ({num_envs},)")
    if given.dtype.kind in "Of":  # what NumPy makes of ints that do not fit into 64 bits
        wide = [as_int(action) for action in actions]
        rows = [i for i, action in enumerate(wide) if action is not None and action >> 63]
        if rows and None not in wide:
            raise IllegalActionError(
                f"{name_games(rows)}: action {show(wide[rows[0]])} is out of range: "
                f"actions are 0 to {num_actions - 1}"
            )
    if not np.issubdtype(given.dtype, np.integer):
        raise ValueError(f"actions must be integers, not {given.dtype}")
    last = num_actions - 1
    if given.min() < 0 or given.max() > last:
        bad = np.flatnonzero((given < 0) | (given > last))
        raise IllegalActionError(
            f"{name_games(bad)}: action {given[bad[0]]} is out of range: actions are 0 to {last}"
        )
    return np.ascontiguousarray(given, np.int64)


def name_games(numbers: Sequence[int] | npt.NDArray[Any]) -> str:
    """Return ``game 3`` or ``games 3, 4, ...`` for a message."""
    some = ", ".join(str(int(i)) for i in numbers[:8]) + (", ..." if len(numbers) > 8 else "")
    return f"game{'s' * (len(numbers) > 1)} {some}"
