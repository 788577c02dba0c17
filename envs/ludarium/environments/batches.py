"""What all batches of games share: threads, and the checks of seeds, actions and resets."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import vector

from ludarium.core.errors import IllegalActionError
from ludarium.core.options import check_choice
from ludarium.core.seeds import seed_stream

# In the order of core.kernels: NEXT_STEP, SAME_STEP, DISABLED.
AUTORESET = ("next_step", "same_step", "disabled")

_MODES = getattr(vector, "AutoresetMode", None)  # Gymnasium 1.1 and later


class ThreadedVector(vector.VectorEnv[Any, Any, Any]):
    """A batch whose kernels run over slices of the games, in `num_threads` threads."""

    num_threads: int
    _pool: ThreadPoolExecutor | None = None
    _pool_owner = 0

    def _run(self, kernel: Callable[..., Any], *arguments: Any) -> None:
        """Call a kernel over all games, in slices when there are several threads."""
        n, threads = self.num_envs, self.num_threads
        if threads == 1:
            kernel(0, n, *arguments)
            return
        if self._pool is None or self._pool_owner != os.getpid():  # a fork has no threads
            self._pool = ThreadPoolExecutor(threads, "ludarium")
            self._pool_owner = os.getpid()
        cuts = [n * k // threads for k in range(threads + 1)]
        slices = list(itertools.pairwise(cuts))
        rest = [self._pool.submit(kernel, b, e, *arguments) for b, e in slices[1:]]
        kernel(*slices[0], *arguments)
        for job in rest:
            job.result()

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads."""
        if self._pool is not None and self._pool_owner == os.getpid():
            self._pool.shutdown()
        self._pool = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pool": None}


def autoreset_of(autoreset: Any) -> tuple[str, Any]:
    """Return an autoreset mode by name, and as Gymnasium has it in `metadata`, if it does.

    Raises:
        ValueError: It is none of the three.
    """
    if _MODES is not None and isinstance(autoreset, _MODES):
        autoreset = autoreset.name.lower()
    check_choice("autoreset", autoreset, AUTORESET)
    return autoreset, autoreset if _MODES is None else _MODES[autoreset.upper()]


def list_seeds(seed: int | Sequence[int] | None, num_envs: int) -> list[int | None]:
    """Return a seed for each game: from one int up, or those given, or None for each.

    Raises:
        ValueError: One is no seed, or they are more or fewer than games.
    """
    if not isinstance(seed, (list, tuple, np.ndarray)) or np.ndim(seed) == 0:
        number: Any = seed
        seed_stream(number)  # refuses what is no seed
        return [None if number is None else int(number) + i for i in range(num_envs)]
    seeds: list[int | None] = list(seed)
    for one in seeds:
        seed_stream(one)  # all of them, before a stream is changed
    if len(seeds) != num_envs:
        raise ValueError(
            f"{len(seeds)} seeds for {num_envs} games: one int, None, or {num_envs} of them"
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
    if options is not None and not isinstance(options, dict):
        raise ValueError(f"options are a dict or None, not {options!r}")
    if options and options.get("reset_mask") is not None:
        given = np.asarray(options["reset_mask"])
        if given.dtype != np.bool_ or given.shape != (num_envs,):
            raise ValueError(
                f"reset_mask is a bool array of shape ({num_envs},), not "
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
        raise ValueError(f"actions have shape {given.shape}, not ({num_envs},)")
    if not np.issubdtype(given.dtype, np.integer):
        raise ValueError(f"actions are integers, not {given.dtype}")
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
