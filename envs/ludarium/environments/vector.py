"""Many games at once: `VectorGame` plays one action in each game per step, of both seats.

The kernels write into arrays; a step is one call of a kernel, or one per thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from ludarium.core.errors import IllegalActionError, show
from ludarium.core.game import Game, game_type
from ludarium.core.options import check_choice, split_options
from ludarium.core.seeds import seed_stream
from ludarium.core.state import State
from ludarium.core.text import counted
from ludarium.environments.aec import ILLEGAL_MODES
from ludarium.environments.batches import (
    AUTORESET,
    ThreadedVector,
    check_batch,
    in_range,
    list_seeds,
    name_games,
    rows_to_reset,
)
from ludarium.environments.infos import Info, batch_info

Observations: TypeAlias = dict[str, npt.NDArray[np.int8]]

NUMBERS = ("turn", "stage", "result", "reason")  # of infos, in the order of core.kernels


class VectorGame(ThreadedVector):
    """A batch of games of one kind, made by `ludarium.make_vec`.

    An observation is ``{"observation": int8 [N, H, W, C], "action_mask": int8 [N, A]}``, each game
    as seen by its player to move. Rewards are those of both players, float32 [N, 2].

    ``info`` has ``action_mask`` (the same array as in the observation), ``turn``, ``stage``,
    ``result`` and ``reason`` (int64 [N]); `ludarium.environments.infos` explains them.

    A game that is over has an all-zero mask and `current_player` -1 until it starts again:

    - ``"next_step"``: the next step ignores its action and starts a new game, with reward 0.
    - ``"same_step"``: the step that ends a game also starts the next one. Only then
      there are ``info["final_obs"]`` and ``info["final_info"]``, with the last observations and
      infos of the games that ended;
      ``info["_final_obs"]`` and ``info["_final_info"]``, bool [N], mark their rows.
    - ``"disabled"``: it waits for ``reset(options={"reset_mask": mask})``. Steps ignore its action
      and repeat its flags and info, with reward 0: the other games of the batch must go on.

    The observation of a game that is over is player 0's, as that of a `State`.

    Args:
        game: the game, with its options.
        num_envs: number of games, N.
        seed: game i is seeded as a single game with ``seed + i``; None: fresh seeds.
        autoreset: one of the three modes by name, in any of Gymnasium's spellings, or Gymnasium's
            `AutoresetMode`.
        num_threads: number of threads that share a step; results do not depend on it.
        illegal: what an illegal action in the range does. ``"terminate"``: -1 to the mover, 0 to
            the other, terminated. ``"raise"``: `IllegalActionError` naming the games, and no game
            has stepped. ``"penalize"``: -1, and the mover acts again; refused actions count with
            the played ones, and the game is truncated when there are ``game.max_game_length`` of
            them.
        copy: True: the arrays returned are the caller's own. False: they are views that the next
            step or reset overwrites.
        render_mode: None, or ``"rgb_array"``: `render` returns a tuple of N pictures.
        render_size: longer side of a picture in pixels, 128 to 2048; both sides are even.
        orientation: whose side of the board is at the bottom of a picture: 0, 1, or ``"mover"``,
            the player to move.

    Raises:
        ValueError: An option is not allowed.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int = 1,
        seed: int | None = 0,
        autoreset: Any = "next_step",
        num_threads: int = 1,
        illegal: str = "terminate",
        copy: bool = True,
        render_mode: str | None = None,
        render_size: int = 512,
        orientation: int | str = 0,
    ) -> None:
        check_choice("illegal", illegal, ILLEGAL_MODES)
        check_choice("copy", copy, (True, False))
        self.game = game
        self.num_envs, self.num_threads = check_batch(game, num_envs, num_threads)
        self.illegal, self.copy = illegal, bool(copy)
        self._describe(autoreset, render_mode, render_size, orientation)
        n, shape, actions = self.num_envs, game.observation_shape, game.num_distinct_actions
        planes, mask = spaces.Box(0, 1, shape, np.int8), spaces.Box(0, 1, (actions,), np.int8)
        self.single_observation_space = spaces.Dict(observation=planes, action_mask=mask)
        self.observation_space = spaces.Dict(
            observation=batch_space(planes, n), action_mask=batch_space(mask, n)
        )
        self.single_action_space = spaces.Discrete(actions)
        self.action_space = batch_space(self.single_action_space, n)

        self._started = False
        # what every step tells the kernel, in the order of core.kernels
        penalize = int(illegal == "penalize")
        how = [AUTORESET.index(self.autoreset), penalize, game.max_game_length]
        self._settings = np.array(how, np.int64)
        self._all, self._no_actions = np.ones(n, np.bool_), np.zeros(n, np.int64)
        self._states = np.tile(game._blank, (n, 1))
        self._setup = np.empty(n, np.uint64)
        self._sampling = np.empty(n, np.uint64)
        self._masks = np.zeros((n, actions), np.int8)
        self._planes = np.zeros((n, *shape), np.int8)
        self._current = np.full(n, -1, np.int8)
        self._sampled = np.zeros(n, np.int64)
        self._rewards = np.zeros((n, 2), np.float32)
        self._terminated = np.zeros(n, np.bool_)
        self._truncated = np.zeros(n, np.bool_)
        self._final = np.zeros(n, np.bool_)
        final_rows = n if self.autoreset == "same_step" else 0
        self._final_planes = np.zeros((final_rows, *shape), np.int8)
        self._lengths = np.zeros(n, np.int64)  # actions in each game, refused ones included
        self._info_numbers = np.zeros((len(NUMBERS), n), np.int64)
        self._final_info_numbers = np.zeros((len(NUMBERS), final_rows), np.int64)
        self._wants_samples = False  # sample_actions() was called: steps sample the next ones
        self._ready = False  # and have done so
        self._reseed(seed)

    # ---------------------------------------------------------------- starting

    def _reseed(self, seed: int | Sequence[int] | None, chosen: Any = None) -> None:
        """Set the random streams of the games."""
        n = self.num_envs
        seeds = list_seeds(seed, n)
        self._note_seed(seed)
        for i in range(n):
            if chosen is None or chosen[i]:
                self._setup[i : i + 1] = seed_stream(seeds[i])
                self._sampling[i : i + 1] = seed_stream(seeds[i], 1)

    def reset(
        self,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observations, Info]:
        """Start new games.

        Args:
            seed: as in the constructor, or a list with one seed per game; None: the streams go on.
            options: ``{"reset_mask": bool [N]}`` starts only those games; the first reset starts
                all. Other keys are ignored.

        Returns:
            Observations of all games, and infos.

        Raises:
            ValueError: A seed or the mask is not allowed.
        """
        chosen = rows_to_reset(options, self.num_envs, self._started)
        if seed is not None:
            self._reseed(seed, chosen)
        if self.copy:  # the caller owns the arrays of the last step
            self._rewards, self._terminated = self._rewards.copy(), self._terminated.copy()
            self._truncated = self._truncated.copy()
        self._rewards[chosen] = 0
        self._terminated[chosen] = False
        self._show_states(chosen, fresh=True)
        self._truncated[chosen] = self._current[chosen] < 0  # by max_turns, in the set-up
        self._started = True
        observations = self._observations()
        return observations, self._info(observations["action_mask"], self._info_numbers)

    def _show_states(self, chosen: npt.NDArray[np.bool_], fresh: bool) -> None:
        if self.copy:
            self._info_numbers = self._info_numbers.copy()
            self._planes = np.empty_like(self._planes)
        self._drive(self.game.type.kernels.RESET_BATCH, fresh, chosen, self._no_actions)
        self._ready = False

    def _drive(
        self,
        what: int,
        flag: bool,
        chosen: npt.NDArray[np.bool_],
        actions: npt.NDArray[np.int64],
        in_threads: bool = True,
    ) -> None:
        """Call the kernel for batches; `core.kernels.drive_batch` explains the arguments."""
        kernel = self.game.type.kernels.drive_batch
        arguments = [
            what,
            flag,
            chosen,
            actions,
            self._settings,
            self._states,
            self._setup,
            self._masks,
            self._rows(self._planes),
            self._current,
            self._sampling,
            self._sampled,
            self._lengths,
            self._info_numbers,
            self._rewards,
            self._terminated,
            self._truncated,
            self._final,
            self._rows(self._final_planes),
            self._final_info_numbers,
        ]
        if in_threads:
            self._run(kernel, arguments)
        else:
            kernel(0, self.num_envs, *arguments)

    # ---------------------------------------------------------------- stepping

    def step(
        self, actions: Any
    ) -> tuple[
        Observations,
        npt.NDArray[np.float32],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        Info,
    ]:
        """Play one action in each game.

        Args:
            actions: integers [N] in the range of the action space; those of games that are over
                are ignored, but must be in the range too.

        Returns:
            Observations; rewards float32 [N, 2]; terminated bool [N]; truncated bool [N]; infos.

        Raises:
            ValueError: `reset` was not called, or the actions have a wrong length or type.
            IllegalActionError: An action is out of range; or not legal, and `illegal` is
                ``"raise"``. The message names the games; none has stepped.
        """
        numbers = self._numbers(actions)
        if self.copy:
            # the caller owns the arrays of the last step
            self._planes = np.empty_like(self._planes)
            self._info_numbers = self._info_numbers.copy()
            self._rewards = np.empty_like(self._rewards)
            self._terminated = self._terminated.copy()
            self._truncated = self._truncated.copy()
        self._drive(self.game.type.kernels.STEP_BATCH, self._wants_samples, self._all, numbers)
        self._ready = self._wants_samples
        observations = self._observations()
        info = self._info(observations["action_mask"], self._info_numbers)
        if self.autoreset == "same_step" and self._final.any():
            masks = np.zeros_like(self._masks)
            final, ended = self._final_planes.copy(), self._final.copy()
            info["final_obs"] = {"observation": final, "action_mask": masks}
            info["final_info"] = batch_info(
                masks.copy(), NUMBERS, self._final_info_numbers.copy(), ended
            )
            info["_final_obs"], info["_final_info"] = ended, ended
        return observations, self._rewards, self._terminated, self._truncated, info

    def _info(self, masks: npt.NDArray[np.int8], numbers: npt.NDArray[np.int64]) -> Info:
        return batch_info(masks, NUMBERS, numbers, np.ones(self.num_envs, np.bool_))

    def _numbers(self, actions: Any) -> npt.NDArray[np.int64]:
        """Check actions, and return them as int64 [N]."""
        if not self._started:
            raise ValueError("reset() needs to be called before step()")
        numbers = in_range(actions, self.num_envs, self.game.num_distinct_actions)
        if self.illegal == "raise":
            first, bad_ones = -1, []
            while True:
                first = self.game.type.kernels.first_illegal(
                    numbers, self._current, self._masks, first + 1
                )
                if first == self.num_envs:
                    break
                bad_ones.append(first)
            if bad_ones:
                one = self._state(bad_ones[0])
                raise IllegalActionError(
                    f"{name_games(bad_ones)}: {one.illegal_action(int(numbers[bad_ones[0]]))}"
                )
        return numbers

    def _observations(self) -> Observations:
        masks = self._masks.copy() if self.copy else self._masks
        return {"observation": self._planes, "action_mask": masks}

    @staticmethod
    def _rows(planes: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
        """Return planes [N, H, W, C] as [N, F]."""
        return planes.reshape(planes.shape[0], -1 if planes.size else 0)

    # ---------------------------------------------------------------- sampling

    def sample_actions(self) -> npt.NDArray[np.int64]:
        """Return a uniformly random legal action for each game, int64 [N]; 0 where it is over.

        Each game has its own random stream, so its trajectory depends on its seed alone.

        Raises:
            ValueError: `reset` was not called.
        """
        if not self._started:
            raise ValueError("reset() needs to be called before sample_actions()")
        kernels = self.game.type.kernels
        # what the step has sampled is only handed over: to wake a thread for that takes longer
        self._drive(kernels.SAMPLE_BATCH, self._ready, self._all, self._no_actions, not self._ready)
        self._ready = False
        self._wants_samples = True
        return self._sampled.copy()

    # ---------------------------------------------------------------- looking and setting

    @property
    def current_player(self) -> npt.NDArray[np.int8]:
        """The player to move in each game, int8 [N]; -1 where it is over, and before `reset`."""
        return self._current.copy()

    def states(self) -> list[State]:
        """Return a `State` for each game, independent; its history begins here.

        Raises:
            ValueError: `reset` was not called.
        """
        if not self._started:
            raise ValueError("reset() needs to be called before states()")
        return [self._state(i) for i in range(self.num_envs)]

    def _state(self, i: int) -> State:
        return State.from_array(self.game, self._states[i])

    def set_states(self, states: Sequence[State]) -> Observations:
        """Go to these states, one per game, as if a reset had led there.

        Returns:
            Observations of all games.

        Raises:
            ValueError: Their number is not `num_envs`, or one is of another game.
            TypeError: One is not a `State`.
        """
        if not isinstance(states, (list, tuple)):
            raise TypeError(f"states must be a list, one state per game, not {show(states)}")
        if len(states) != self.num_envs:
            raise ValueError(
                f"{counted(len(states), 'state')} for {counted(self.num_envs, 'game')}"
            )
        for i, state in enumerate(states):
            if not isinstance(state, State):
                raise TypeError(
                    f"states[{i}] must be a State, not {type(state).__name__}: {show(state)}"
                )
            if state.game != self.game:
                raise ValueError(f"states[{i}] is of {state.game!r}, the batch of {self.game!r}")
        for i, state in enumerate(states):
            self._states[i] = state._array
        if self.copy:
            self._terminated, self._truncated = self._terminated.copy(), self._truncated.copy()
            self._rewards = np.zeros_like(self._rewards)
        self._rewards[:] = [state.returns() for state in states]
        self._truncated[:] = [state.is_truncated() for state in states]
        self._terminated[:] = [s.is_terminal() and not s.is_truncated() for s in states]
        self._show_states(np.ones(self.num_envs, np.bool_), fresh=False)
        self._started = True
        return self._observations()

    def __repr__(self) -> str:
        return f"<{counted(self.num_envs, 'game')} of {self.game!r}>"


_OPTIONS = (
    "seed",
    "autoreset",
    "num_threads",
    "illegal",
    "copy",
    "render_mode",
    "render_size",
    "orientation",
)


def make_vec(name: str, num_envs: int = 1, **options: Any) -> VectorGame:
    """Return a batch of games: both seats are played, with one action for each game and step.

        >>> import ludarium
        >>> games = ludarium.make_vec("sphlag", num_envs=64, seed=1)
        >>> obs, info = games.reset()
        >>> obs["observation"].shape, obs["action_mask"].shape
        ((64, 7, 7, 25), (64, 268))
        >>> obs, rewards, terminated, truncated, info = games.step(games.sample_actions())
        >>> rewards.shape, games.current_player.shape
        ((64, 2), (64,))

    ``reset(seed=None, options=None)`` returns ``(obs, info)`` and ``step(actions)`` returns
    ``(obs, rewards, terminated, truncated, info)``: actions int64 [N]; observations int8
    [N, H, W, C] and masks int8 [N, A] of the player to move, whose number is `current_player`
    int8 [N]; rewards float32 [N, 2] of both players; the flags bool [N]. `sample_actions()` returns
    uniformly random legal actions, `states()` the games as `ludarium.State` objects.

    Args:
        name: name of the game, one of `ludarium.list_games`.
        num_envs: number of games, N.
        **options: the game's options, and those of `VectorGame`: `seed`, `autoreset`
            (``"next_step"``, ``"same_step"``, ``"disabled"``), `num_threads`, `illegal`
            (``"terminate"``, ``"raise"``, ``"penalize"``), `copy`, `render_mode` (None,
            ``"rgb_array"``), `render_size` and `orientation`.

    Raises:
        ValueError: The game or an option is unknown, or a value is not allowed.
    """
    kind = game_type(name)
    theirs, ours = split_options(f"make_vec() of {name}", options, kind.all_options(), _OPTIONS)
    return VectorGame(kind.load(**theirs), num_envs, **ours)
