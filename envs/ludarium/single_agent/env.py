"""The Gymnasium environment of a game: one learner, and an opponent who plays inside."""

from __future__ import annotations

import copy as copy_module
from typing import Any, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from ludarium.agents import Agent
from ludarium.agents.players import name_of
from ludarium.core import status as codes
from ludarium.core.errors import join_or, show
from ludarium.core.game import Game, check_is_game, game_type
from ludarium.core.options import as_int, check_choice, check_reset_options, split_options
from ludarium.core.seeds import seed_stream
from ludarium.core.state import State
from ludarium.environments.aec import ILLEGAL_MODES, AECGame
from ludarium.environments.batches import RENDER_FPS, bounded_spec
from ludarium.environments.infos import Info
from ludarium.single_agent.opponents import Opponent, as_mixture, check_pickles, legal_answer

Frame: TypeAlias = npt.NDArray[np.uint8]

SEATS = (0, 1, "random")
OBSERVATIONS = ("planes", "flat", "dict")
RENDER_MODES = ("ansi", "rgb_array", "rgb_array_list", "human")


def check_seat(seat: Any) -> int | str:
    """Return a seat: 0, 1 or ``"random"``.

    Raises:
        ValueError: It is none of them.
    """
    number = as_int(seat)
    value = seat if number is None else number
    if not isinstance(value, (int, str)) or isinstance(seat, bool):
        value = None
    if value not in SEATS:
        raise ValueError(f"seat={show(seat)} is not allowed: seat is {join_or(SEATS)}")
    return value


def observation_space_of(game: Game, observation: str) -> spaces.Space[Any]:
    """Return the space of one observation in the form ``planes``, ``flat`` or ``dict``."""
    planes = spaces.Box(0, 1, game.observation_shape, np.int8)
    if observation == "planes":
        return planes
    if observation == "flat":
        return spaces.Box(0, 1, (int(np.prod(game.observation_shape)),), np.int8)
    mask = spaces.Box(0, 1, (game.num_distinct_actions,), np.int8)
    return spaces.Dict(observation=planes, action_mask=mask)


class SingleAgentGame(gymnasium.Env[Any, Any]):
    """A game for one learner: the opponent plays all actions of its turns inside `step`.

    Made by ``gymnasium.make("ludarium:ludarium/<Game>-v<N>", ...)``; ids with ``-flat`` have
    ``observation="flat"``. The learner sees the board from its own seat, also after the end.
    Rewards are +1 for a win, -1 for a loss, 0 otherwise, whoever ends the game; `max_turns`
    truncates.

    ``info`` has ``action_mask`` (int8 [A], zeros after the end) and the ints ``seat``,
    ``opponent``, ``length``, ``turn``, ``stage``, ``result`` and ``reason``;
    `ludarium.environments.infos` explains them. If the opponent ends a game before the learner's
    first action, as `max_turns` of 1 does, the mask is zeros, and the next step, whose action is
    ignored, brings the result.

    With ``render_mode="human"`` `reset` and `step` show the positions themselves, in a window that
    the first of them opens: a frame for each action of the learner and one for each turn of the
    opponent. A position stays for at least ``1 / render_fps`` seconds of `metadata`, the last one
    until `close`; 0 waits for nothing. With ``"rgb_array_list"`` `render` returns the same frames,
    those since the last call or `reset`; with ``"rgb_array"`` it returns one picture of the current
    position, in which the last turn is marked, that of the opponent.

    An action is an int or an integer array of shape (), as the action space contains them. A step
    after the end raises ValueError: Gymnasium leaves it undefined, and an error shows the missing
    `reset`. `close` closes the window only: the environment can be stepped, rendered and reset
    after it.

    The specification's `max_episode_steps` is ``game.max_game_length``: no episode is longer.

    Args:
        game: the game, with its options.
        opponent: the spec of an agent; an agent; a policy ``f(observation_dict) -> action``; a
            sequence of these, or a mapping of them to weights: a random one for each game.
        seat: which player the learner is: 0, 1, or ``"random"``: a random one for each game.
        observation: ``"planes"`` int8 [H, W, C]; ``"flat"``, the same as int8 [H * W * C];
            ``"dict"``: ``{"observation": planes, "action_mask": int8 [A]}``. Stable-Baselines3's
            `check_env` takes three dimensions for an image and warns about ``"planes"`` and
            ``"dict"``; with ``"flat"`` it does not warn.
        illegal: what an illegal action of the learner does. ``"terminate"``: -1, terminated.
            ``"raise"``: `IllegalActionError`, and the state is as before. ``"penalize"``: -1, and
            the learner acts again; refused actions count with the played ones, and the game is
            truncated when there are ``game.max_game_length`` of them. An action out of range raises
            in every mode.
        render_mode: None, ``"ansi"``, ``"rgb_array"``, ``"rgb_array_list"`` or ``"human"`` (extra
            ``ludarium[human]``).
        render_size: longer side of a picture in pixels, 128 to 2048; both sides are even.
        orientation: whose side of the board is at the bottom of a picture: 0, 1, or ``"mover"``,
            the player to move.

    Raises:
        ValueError: An option is not allowed, or there is no such opponent.
        TypeError: The opponent is not an agent, a policy, a spec, or a mixture of them.
    """

    metadata: dict[str, Any]
    _spec: Any = None

    def __init__(
        self,
        game: Game,
        opponent: Opponent = "random",
        seat: int | str = "random",
        observation: str = "planes",
        illegal: str = "terminate",
        render_mode: str | None = None,
        render_size: int = 512,
        orientation: int | str = 0,
    ) -> None:
        check_is_game(game)
        check_choice("observation", observation, OBSERVATIONS)
        check_choice("illegal", illegal, ILLEGAL_MODES)
        check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        self.game, self.illegal, self.observation = game, illegal, observation
        self.seat = check_seat(seat)
        self._agents, self._weights = as_mixture(opponent)
        one_picture = "rgb_array" if render_mode == "rgb_array_list" else render_mode
        self._pictures = AECGame(
            game, render_mode=one_picture, render_size=render_size, orientation=orientation
        )
        self.render_mode = render_mode
        available = self._pictures.metadata["render_modes"]
        self.metadata = {
            "name": self._pictures.metadata["name"],
            "render_modes": [m for m in RENDER_MODES if m.removesuffix("_list") in available],
            "render_fps": self._pictures.metadata["render_fps"],
        }
        self._pictures.metadata = self.metadata  # a frame rate set by the user counts for both
        self._frames: list[Frame] = []  # that the next render() returns, of "rgb_array_list"
        self.observation_space = observation_space_of(game, observation)
        self.action_space = spaces.Discrete(game.num_distinct_actions)
        self._state: State | None = None
        self._agent = self._agents[0]  # the opponent of this game
        self._slot = 0  # its number among the opponents
        self._player = 0  # the learner's seat in this game
        self._length = 0  # actions of the learner in this game, refused ones included
        self._over = False  # the result was given
        self._result = self._reason = codes.NOT_OVER

    def __repr__(self) -> str:
        return str(self)

    @property
    def spec(self) -> Any:
        """Gymnasium's specification; its `max_episode_steps` is the game's `max_game_length`."""
        return self._spec

    @spec.setter
    def spec(self, spec: Any) -> None:
        self._spec = bounded_spec(spec, self.game)

    @property
    def opponents(self) -> tuple[str, ...]:
        """The names of the opponents, by their number in infos."""
        return tuple(name_of(agent) for agent in self._agents)

    # ---------------------------------------------------------------- playing

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, Info]:
        """Start a new game; if the opponent begins, its first turn has been played.

        Args:
            seed: decides seats, set-ups and the random choices of the opponent (a policy makes its
                own), in this game and those after it.
            options: a dict, whose keys are ignored, or None.

        Returns:
            The learner's observation, and the info.

        Raises:
            ValueError: The seed is not an int >= 0, or the options are not a dict.
            IllegalActionError: The opponent answered illegally; the message names it.
            ImportError: The mode is ``"human"`` and the window extra is not installed.
        """
        check_reset_options(options)
        seed_stream(seed)  # raises ValueError for what is not a seed
        super().reset(seed=None if seed is None else int(seed))
        player = self.seat
        if not isinstance(player, int):
            player = int(self.np_random.integers(2))
        slot = 0
        if len(self._agents) > 1:
            slot = int(self.np_random.choice(len(self._agents), p=self._weights))
        agent = self._agents[slot]
        state = self.game.new_initial_state(int(self.np_random.integers(2**62)))
        frames = self._show([], state)
        self._reply(state, agent, player, frames)
        self._frames = frames
        self._state, self._agent, self._slot, self._player = state, agent, slot, player
        self._length, self._over = 0, False
        self._result = self._reason = codes.NOT_OVER
        return self._seen()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        """Play the learner's action, and the opponent's until it is the learner's turn again.

        Returns:
            Observation, reward, terminated, truncated, info.

        Raises:
            ValueError: `reset` was not called, or the game is over.
            IllegalActionError: The action is out of range; or illegal, under ``illegal="raise"``;
                or the opponent answered illegally, which the message says. The state is kept.
        """
        state = self._running()
        if state.is_terminal():  # the opponent ended it before the learner's first action
            self._show(self._frames, state)
            return self._ending(state)
        number = as_int(action)
        if number is None or not 0 <= number < self.game.num_distinct_actions:
            raise state.illegal_action(action)
        if not state._mask[number]:
            if self.illegal == "raise":
                raise state.illegal_action(number)
            return self._refuse()
        after = state.clone()
        after.apply_action(number)
        frames = self._show([], after)
        self._reply(after, self._agent, self._player, frames)
        self._frames += frames
        self._state = after
        self._length += 1
        if after.is_terminal():
            return self._ending(after)
        if self.illegal == "penalize" and self._length >= self.game.max_game_length:
            return self._end(codes.NOBODY, codes.BY_MAX_GAME_LENGTH, 0.0)
        seen, info = self._seen()
        return seen, 0.0, False, False, info

    def _running(self) -> State:
        if self._state is None:
            raise ValueError("reset() needs to be called before step()")
        if self._over:
            raise ValueError("the game is over: reset() needs to be called before step()")
        return self._state

    def _reply(self, state: State, agent: Agent, player: int, frames: list[Frame]) -> None:
        """Let the opponent play, in place, until the learner is to move or the game is over.

        The position after each turn is shown, or its picture added to the frames.
        """
        while state.current_player() == 1 - player:
            turn = state.turn_number()
            answer = agent.select_action(state.clone(), self.np_random)
            state.apply_action(legal_answer(agent, state, answer))
            if state.turn_number() != turn or state.is_terminal():
                self._show(frames, state)

    def _show(self, frames: list[Frame], state: State) -> list[Frame]:
        """Show a position in the window, or add its picture to frames, as `render_mode` asks."""
        if self.render_mode == "human":
            self._pictures.render_state(state)
        elif self.render_mode == "rgb_array_list":
            frame = self._pictures.render_state(state)
            assert isinstance(frame, np.ndarray)
            frames.append(frame)
        return frames

    def _ending(self, state: State) -> tuple[Any, float, bool, bool, Info]:
        """Return the results of the step that ends a game by its rules or by `max_turns`."""
        returns = state.returns()
        if state.is_truncated():
            return self._end(codes.NOBODY, codes.BY_MAX_TURNS, 0.0)
        if not any(returns):
            return self._end(codes.NOBODY, codes.BY_DRAW, 0.0)
        return self._end(returns.index(1.0), codes.BY_WIN, returns[self._player])

    def _refuse(self) -> tuple[Any, float, bool, bool, Info]:
        """Return the results of the step with an illegal action."""
        self._length += 1
        assert self._state is not None
        self._show(self._frames, self._state)
        if self.illegal == "terminate":
            return self._end(codes.NOBODY, codes.BY_ILLEGAL, -1.0)
        if self._length >= self.game.max_game_length:
            return self._end(codes.NOBODY, codes.BY_MAX_GAME_LENGTH, -1.0)
        seen, info = self._seen()
        return seen, -1.0, False, False, info

    def _end(self, result: int, reason: int, reward: float) -> tuple[Any, float, bool, bool, Info]:
        """Return the results of the last step of a game."""
        self._over, self._result, self._reason = True, result, reason
        truncated = reason in (codes.BY_MAX_TURNS, codes.BY_MAX_GAME_LENGTH)
        seen, info = self._seen()
        return seen, reward, not truncated, truncated, info

    def _seen(self) -> tuple[Any, Info]:
        """Return the observation and info of the learner."""
        assert self._state is not None
        mask = self.action_masks()
        planes = self._state.observation_tensor(self._player)
        info: Info = {
            "action_mask": mask,
            "seat": self._player,
            "opponent": self._slot,
            "length": self._length,
            "turn": self._state.turn_number(),
            "stage": self.game.stages.index(self._state.stage()),
            "result": self._result,
            "reason": self._reason,
        }
        if self.observation == "flat":
            return planes.reshape(-1), info
        if self.observation == "dict":
            return {"observation": planes, "action_mask": mask.copy()}, info
        return planes, info

    def action_masks(self) -> npt.NDArray[np.int8]:
        """Return the legal actions of the learner as a new array int8 [A].

        Zeros after the end. Gymnasium's wrappers forward no names: ``env.unwrapped.action_masks()``
        or ``env.get_wrapper_attr("action_masks")()``.

        Raises:
            ValueError: `reset` was not called.
        """
        if self._state is None:
            raise ValueError("reset() needs to be called before action_masks()")
        if self._over:
            return np.zeros(self.game.num_distinct_actions, np.int8)
        return self._state.legal_actions_mask()

    # ---------------------------------------------------------------- looking

    @property
    def game_state(self) -> State:
        """A copy of the current `State`.

        Raises:
            ValueError: `reset` was not called.
        """
        if self._state is None:
            raise ValueError("reset() needs to be called before reading game_state")
        return self._state.clone()

    def render(self, overlay: Any = None, top: int | None = None) -> Any:
        """Return a diagram, a picture or a list of pictures, or show a window.

        Args:
            overlay: marks on the picture; see `ludarium.drawing.overlays`.
            top: the number of best actions that the overlay marks; None: all.

        Returns:
            ``"ansi"``: a str. ``"rgb_array"``: a new array uint8 [height, width, 3].
            ``"rgb_array_list"``: a list of such arrays, those since the last call or `reset`.
            ``"human"``: None.

        Raises:
            ValueError: `reset` was not called, the overlay is not allowed, or the mode is
                ``"rgb_array_list"``, whose pictures are drawn by `step`.
            ImportError: The mode is ``"human"`` and the window extra is not installed.
        """
        if self._state is None:
            raise ValueError("reset() needs to be called before render()")
        state = self._state.clone()
        if self.render_mode == "rgb_array_list":
            if overlay is not None or top is not None:
                raise ValueError(
                    "an overlay is drawn on the current position: "
                    "render_mode is 'rgb_array' or 'human', not 'rgb_array_list'"
                )
            frames, self._frames = self._frames, []
            return frames
        return self._pictures.render_state(state, overlay, top)

    def close(self) -> None:
        """Close the window, if one is open. The environment can be used after it."""
        self._pictures.close()

    # ---------------------------------------------------------------- copies

    def __getstate__(self) -> dict[str, Any]:
        check_pickles(self._agents)
        return self.__dict__.copy()

    def __copy__(self) -> SingleAgentGame:
        return copy_module.deepcopy(self)  # a shallow copy would share the game

    def __deepcopy__(self, memo: dict[int, Any]) -> SingleAgentGame:
        copied = object.__new__(type(self))
        memo[id(self)] = copied
        copied.__dict__.update(copy_module.deepcopy(self.__dict__, memo))
        return copied

    def __str__(self) -> str:
        return f"<single agent of {self.game!r}>"


_OPTIONS = (
    "opponent",
    "seat",
    "observation",
    "illegal",
    "render_mode",
    "render_size",
    "orientation",
)


def make_single(game: str, **options: Any) -> SingleAgentGame:
    """Return the single-agent environment of a game: the entry point of its Gymnasium id.

    Args:
        game: name of the game.
        **options: the game's options and those of `SingleAgentGame`.

    Raises:
        ValueError: The game or an option is unknown, or a value is not allowed.
    """
    kind = game_type(game)
    theirs, ours = split_options(
        f"the environment of {game}", options, kind.all_options(), _OPTIONS
    )
    return SingleAgentGame(kind.load(**theirs), **ours)


# gymnasium.make reads it to know the render modes.
make_single.metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # type: ignore[attr-defined]
