"""The batch of single-agent environments: learners and opponents play in kernels."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from ludarium.agents import Agent
from ludarium.agents.players import name_of
from ludarium.core.errors import IllegalActionError
from ludarium.core.game import Game, game_type, kernels_for
from ludarium.core.options import check_choice, split_options
from ludarium.core.seeds import seed_stream
from ludarium.core.state import State
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
from ludarium.single_agent.env import (
    OBSERVATIONS,
    SEATS,
    check_seat,
    observation_space_of,
)
from ludarium.single_agent.layout import (
    ASKED,
    COLUMNS,
    CURRENT,
    ENDED,
    FINAL,
    IN_KERNEL,
    LEARNER_KERNELS,
    NUMBERS,
    OUTSIDE,
    PROGRESS,
    REWARD,
    SLOT,
    TERMINATED,
    TRUNCATED,
    UNIT,
    UNLIMITED,
    Games,
    Ints,
)
from ludarium.single_agent.opponents import (
    BatchAgent,
    Opponent,
    as_mixture,
    ask_one_by_one,
    ask_together,
    check_pickles,
    illegal_rows,
)

Bools: TypeAlias = npt.NDArray[np.bool_]


class SingleAgentVector(ThreadedVector):
    """A batch of `SingleAgentGame`: one learner in each of N games.

    Made by ``gymnasium.make_vec(id, num_envs, vectorization_mode="vector_entry_point", ...)``.

    ``info`` has the keys of the single environments' infos, and the same dtypes as when Gymnasium
    makes a batch of them: ``action_mask`` int8 [N, A], and int64 [N] each of ``seat``,
    ``opponent``, ``length``, ``turn``, ``stage``, ``result`` and ``reason``;
    `ludarium.environments.infos` explains them. Each ``key`` has a mask bool [N] ``_key``. Under
    ``"same_step"``, a step that ends games, and no other, has their last infos and observations in
    ``info["final_info"]`` and ``info["final_obs"]``; ``info["_final_info"]`` and
    ``info["_final_obs"]`` mark their rows.

    The opponents `random` and `greedy` play in the kernels; agents with ``select_actions`` (a
    `BatchAgent`) answer for many games at once; others are asked game by game.

    Args:
        game: the game, with its options.
        num_envs: number of games, N.
        opponent, seat, observation, illegal: as of `SingleAgentGame`.
        autoreset: ``"next_step"``, ``"same_step"`` or ``"disabled"``, as of `VectorGame`.
        seed: of the first `reset` that has none; None: a fresh seed.
        num_threads: number of threads that share a step; results do not depend on it.
        copy: True: the arrays returned are the caller's own. False: observations are views that the
            next step overwrites.
        render_mode: None, or ``"rgb_array"``: `render` returns a tuple of N pictures.
        render_size: longer side of a picture in pixels, 128 to 2048; both sides are even.
        orientation: whose side of the board is at the bottom of a picture: 0, 1, or ``"mover"``,
            the player to move.

    Raises:
        ValueError: An option is not allowed, or there is no such opponent.
        TypeError: The opponent is not an agent, a policy, a spec, or a mixture of them.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int = 1,
        opponent: Opponent = "random",
        seat: int | str = "random",
        observation: str = "planes",
        illegal: str = "terminate",
        autoreset: Any = "next_step",
        seed: int | None = None,
        num_threads: int = 1,
        copy: bool = True,
        render_mode: str | None = None,
        render_size: int = 512,
        orientation: int | str = 0,
    ) -> None:
        check_choice("observation", observation, OBSERVATIONS)
        check_choice("illegal", illegal, ILLEGAL_MODES)
        check_choice("copy", copy, (True, False))
        self.game, self.illegal, self.observation = game, illegal, observation
        self.num_envs, self.num_threads = n, _ = check_batch(game, num_envs, num_threads)
        self.copy = bool(copy)
        self.seat = check_seat(seat)
        self._describe(autoreset, render_mode, render_size, orientation)
        max_length = game.max_game_length if illegal == "penalize" else UNLIMITED
        settings = [AUTORESET.index(self.autoreset), SEATS.index(self.seat), max_length]
        self.single_observation_space = observation_space_of(game, observation)
        self.observation_space = batch_space(self.single_observation_space, n)
        actions, flat = game.num_distinct_actions, int(np.prod(game.observation_shape))
        self.single_action_space = spaces.Discrete(actions)
        self.action_space = batch_space(self.single_action_space, n)
        self._agents: list[Agent] = []
        self._games = Games(
            settings=np.array(settings, np.int64),
            opponents=np.zeros((0, 2), np.int64),
            states=np.tile(game._blank, (n, 1)),
            chance=np.zeros(n, np.uint64),
            table=np.zeros((n, COLUMNS), np.int64),
            masks=np.zeros((n, actions), np.int8),
            planes=np.zeros((n, flat), np.int8),
            final_planes=np.zeros((n if self.autoreset == "same_step" else 0, flat), np.int8),
        )
        self._sampling, self._sampled = np.zeros(n, np.uint64), np.zeros(n, np.int64)
        self._asked_masks, self._asked_planes = np.zeros((0, 0), np.int8), np.zeros((0, 0), np.int8)
        self._rng = np.random.default_rng()  # of opponents outside the kernels
        self._started = False
        self.set_opponent(opponent)
        self._reseed(seed, np.ones(n, np.bool_))

    # ---------------------------------------------------------------- opponents

    @property
    def opponents(self) -> tuple[str, ...]:
        """The names of the opponents, by their number in infos; `set_opponent` changes both."""
        return tuple(name_of(agent) for agent in self._agents)

    def set_opponent(self, opponent: Opponent) -> None:
        """Change the opponent, or mixture of them, of the games that begin from now on.

        Games that have begun keep their opponent.

        Raises:
            ValueError: There is no agent of a spec, or a weight is not allowed.
            TypeError: One is not an agent, a policy or a spec.
        """
        agents, weights = as_mixture(opponent)
        slots = self._games.table[:, SLOT]
        in_use = np.unique(slots).tolist() if self._agents else []
        kept = [self._agents[slot] for slot in in_use]
        moved = np.zeros(max(in_use, default=0) + 1, np.int64)
        moved[in_use] = np.arange(len(kept)) + len(agents)
        everyone = [*agents, *kept]
        shares = np.full(len(everyone), UNIT, np.int64)
        shares[: len(agents)] = np.round(np.cumsum(weights) * UNIT)
        shares[int(np.flatnonzero(weights)[-1]) :] = UNIT
        if self._agents:
            slots[:] = moved[slots]
        kinds = np.array([IN_KERNEL.get(type(agent), OUTSIDE) for agent in everyone], np.int64)
        self._agents = everyone
        self._games = self._games._replace(opponents=np.stack([kinds, shares], 1))

    def _ask(self) -> None:
        """Ask the opponents outside the kernels until the learner is to move everywhere."""
        games, kernels = self._games, kernels_for(self.game.type, LEARNER_KERNELS)
        while True:
            asked = games.table[:, ASKED]
            rows = np.flatnonzero(asked >= 0)
            if not rows.size:
                return
            answers = np.empty(len(rows), np.int64)
            for slot in np.unique(asked[rows]):
                mine = np.flatnonzero(asked[rows] == slot)
                answers[mine] = self._answers(self._agents[slot], rows[mine], kernels)
            kernels.answer(rows, answers, *games)

    def _answers(self, agent: Agent, rows: Ints, kernels: ModuleType) -> Ints:
        """Return the answers of an agent for the games `rows`, int64 [n], all legal."""
        if not isinstance(agent, BatchAgent):
            return ask_one_by_one(agent, [self._state(row) for row in rows], self._rng)
        if not len(self._asked_masks):
            self._asked_masks = np.empty_like(self._games.masks)
            self._asked_planes = np.empty_like(self._games.planes)
        n = len(rows)
        masks, planes = self._asked_masks[:n], self._asked_planes[:n]
        kernels.look(rows, self._games.states, masks, planes)
        shape = (n, *self.game.observation_shape)
        seen = {"observation": planes.reshape(shape), "action_mask": masks}
        return ask_together(agent, seen, self._rng, lambda k: self._state(rows[k]))

    # ---------------------------------------------------------------- playing

    def _reseed(self, seed: int | Sequence[int] | None, chosen: Bools) -> None:
        seeds = list_seeds(seed, self.num_envs)
        self._note_seed(seed)
        for i in np.flatnonzero(chosen):
            self._games.chance[i : i + 1] = seed_stream(seeds[i])
            self._sampling[i : i + 1] = seed_stream(seeds[i], 1)
        self._rng = np.random.default_rng(None if None in seeds else [s or 0 for s in seeds])

    def reset(
        self,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, Info]:
        """Start new games.

        Args:
            seed: game i is seeded with ``seed + i``; or a list with one seed per game; None: the
                streams go on.
            options: ``{"reset_mask": bool [N]}`` starts only those games; the first reset starts
                all. Other keys are ignored.

        Raises:
            ValueError: A seed or the mask is not allowed.
            IllegalActionError: An opponent answered illegally; the message names it.
        """
        chosen = rows_to_reset(options, self.num_envs, self._started)
        if seed is not None:
            self._reseed(seed, chosen)
        self._play(kernels_for(self.game.type, LEARNER_KERNELS).reset, chosen)
        self._started = True
        return self._seen(), self._info()

    def step(self, actions: Any) -> tuple[Any, npt.NDArray[np.float32], Bools, Bools, Info]:
        """Play the learner's action in each game, and the replies of the opponents.

        Args:
            actions: integers [N]; ignored where a game is over, but in the range there too.

        Returns:
            Observations; rewards float32 [N]; terminated bool [N]; truncated bool [N]; infos.

        Raises:
            ValueError: `reset` was not called, or the actions have a wrong length or type.
            IllegalActionError: An action is out of range; or not legal, and `illegal` is
                ``"raise"``; or an opponent answered illegally, which the message says. No game has
                stepped.
        """
        if not self._started:
            raise ValueError("reset() needs to be called before step()")
        numbers = in_range(actions, self.num_envs, self.game.num_distinct_actions)
        if self.illegal == "raise":
            live = self._games.table[:, PROGRESS] == 0
            bad = [i for i in illegal_rows(numbers, self._games.masks) if live[i]]
            if bad:
                message = self._state(bad[0]).illegal_action(int(numbers[bad[0]]))
                raise IllegalActionError(f"{name_games(bad)}: {message}")
        penalize = 1 if self.illegal == "penalize" else 0
        self._play(kernels_for(self.game.type, LEARNER_KERNELS).step, numbers, penalize)
        info = self._info()
        games = self._games
        ended = games.table[:, ENDED] != 0
        if self.autoreset == "same_step" and ended.any():
            numbers = games.table[:, FINAL].T * ended
            info["final_obs"] = self._shaped(games.final_planes.copy(), None)
            info["final_info"] = batch_info(np.zeros_like(games.masks), NUMBERS, numbers, ended)
            info["_final_obs"] = info["_final_info"] = ended
        rewards = games.table[:, REWARD].astype(np.float32)
        terminated = games.table[:, TERMINATED] != 0
        truncated = games.table[:, TRUNCATED] != 0
        return self._seen(), rewards, terminated, truncated, info

    def _play(self, kernel: Any, *arguments: Any) -> None:
        """Run a kernel and ask the opponents; if one fails, restore all arrays."""
        games = self._games
        outside = bool((games.opponents[:, 0] == OUTSIDE).any())
        arrays: list[npt.NDArray[Any]] = list(games)
        before = [array.copy() for array in arrays] if outside else []
        if self.copy:
            self._games = games = games._replace(planes=np.empty_like(games.planes))
        self._run(kernel, [*arguments, *games])
        if not outside:
            return
        try:
            self._ask()
        except BaseException:
            for array, old in zip(arrays, before, strict=True):
                array[:] = old
            raise

    # ---------------------------------------------------------------- what the caller sees

    def _shaped(self, planes: npt.NDArray[np.int8], masks: npt.NDArray[np.int8] | None) -> Any:
        """Return planes [N, F] in the form of the observations; masks None: zeros."""
        if self.observation == "flat":
            return planes
        planes = planes.reshape(self.num_envs, *self.game.observation_shape)
        if self.observation == "planes":
            return planes
        mask = np.zeros_like(self._games.masks) if masks is None else masks.copy()
        return {"observation": planes, "action_mask": mask}

    def _seen(self) -> Any:
        return self._shaped(self._games.planes, self._games.masks)

    def _info(self) -> Info:
        numbers = self._games.table[:, CURRENT].T.copy()
        return batch_info(self.action_masks(), NUMBERS, numbers, np.ones(self.num_envs, np.bool_))

    def action_masks(self) -> npt.NDArray[np.int8]:
        """Return the legal actions of the learner, int8 [N, A]; zeros where a game is over.

        Raises:
            ValueError: `reset` was not called.
        """
        if not self._started:
            raise ValueError("reset() needs to be called before action_masks()")
        return self._games.masks.copy()

    def sample_actions(self) -> Ints:
        """Return a uniformly random legal action of the learner for each game; 0 where it is over.

        Raises:
            ValueError: `reset` was not called.
        """
        if not self._started:
            raise ValueError("reset() needs to be called before sample_actions()")
        kernel = kernels_for(self.game.type, LEARNER_KERNELS).sample
        self._run(kernel, [self._sampling, self._sampled, self._games.masks])
        return self._sampled.copy()

    def states(self) -> list[State]:
        """Return a `State` for each game, independent; its history begins here.

        Raises:
            ValueError: `reset` was not called.
        """
        if not self._started:
            raise ValueError("reset() needs to be called before states()")
        return [self._state(i) for i in range(self.num_envs)]

    def _state(self, i: int) -> State:
        return State.from_array(self.game, self._games.states[i])

    def __getstate__(self) -> dict[str, Any]:
        check_pickles(self._agents)
        return super().__getstate__()

    def __repr__(self) -> str:
        return f"<{self.num_envs} single agents of {self.game!r}>"


_OPTIONS = (
    "opponent",
    "seat",
    "observation",
    "illegal",
    "autoreset",
    "seed",
    "num_threads",
    "copy",
    "render_mode",
    "render_size",
    "orientation",
)


def make_batch(game: str, num_envs: int = 1, **options: Any) -> SingleAgentVector:
    """Return the batch of a game's single-agent environments: the vector entry point of its id.

    Args:
        game: name of the game.
        num_envs: number of games.
        **options: the game's options and those of `SingleAgentVector`. Gymnasium also passes the
            `max_episode_steps` of a specification, which is `max_game_length`.

    Raises:
        ValueError: The game or an option is unknown, or a value is not allowed.
    """
    kind = game_type(game)
    limit = options.pop("max_episode_steps", None)
    theirs, ours = split_options(
        f"the environment of {game}", options, kind.all_options(), _OPTIONS
    )
    loaded = kind.load(**theirs)
    if limit not in (None, loaded.max_game_length):
        raise ValueError(
            f"max_episode_steps={limit!r} is not allowed: it is {loaded.max_game_length} here, and "
            "max_turns makes games shorter"
        )
    return SingleAgentVector(loaded, num_envs, **ours)
