"""The Gymnasium environment of a game: one learner, and an opponent who plays inside."""

from __future__ import annotations

import copy as copy_module
from typing import Any, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from ludarium.agents import Agent
from ludarium.core.errors import join_or
from ludarium.core.game import Game, game_type
from ludarium.core.options import as_int, check_choice, split_options
from ludarium.core.seeds import seed_stream
from ludarium.core.state import State
from ludarium.environments.aec import ILLEGAL_MODES, AECGame
from ludarium.records.results import DRAWN, ILLEGAL, MAX_TURNS, WON
from ludarium.single_agent.opponents import Opponent, as_mixture, check_pickles, legal_answer

Frame: TypeAlias = npt.NDArray[np.uint8]
Info: TypeAlias = dict[str, Any]

SEATS = (0, 1, "random")
OBSERVATIONS = ("planes", "flat", "dict")


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
        raise ValueError(f"seat={seat!r} is not allowed: seat is {join_or(SEATS)}")
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
    """A game for one learner: the opponent plays inside, all actions of its turns.

    Made by ``gymnasium.make("ludarium:ludarium/<Game>-v<N>", ...)``. The learner sees the board
    from its own seat, also after the end. Rewards are +1 for a win, -1 for a loss, 0 otherwise,
    whoever ends the game; `max_turns` truncates.

    ``info`` has ``action_mask`` (int8 [A], zeros after the end), ``seat``, ``turn`` and ``stage``;
    at the end also ``result`` (scores of player 0 and 1) and ``reason`` (``won``, ``drawn``,
    ``max_turns`` or ``illegal``). Should the opponent end a game before the learner's first action,
    as `max_turns` of 1 does, the mask is zeros, and the next step, whose action is ignored, brings
    the result.

    Args:
        game: the game, with its options.
        opponent: the spec of an agent; an agent; a policy ``f(observation_dict) -> action``; a list
            of these, or a dict of them with weights, of which one is drawn for each game.
        seat: which player the learner is: 0, 1, or ``"random"``, drawn for each game.
        observation: ``"planes"`` int8 [H, W, C]; ``"flat"``, the same in one row; ``"dict"``:
            ``{"observation": planes, "action_mask": int8 [A]}``. Stable-Baselines3's `check_env`
            warns of planes because they are no pictures of 0 to 255; of ``"flat"`` it does not.
        illegal: what an illegal action of the learner does: ``"terminate"``: -1, terminated;
            ``"raise"``: `IllegalActionError`, and the state is kept; ``"penalize"``: -1, and the
            learner tries again. An action out of range raises in every mode.
        render_mode: None, ``"ansi"``, ``"rgb_array"`` or ``"human"`` (extra ``ludarium[human]``).
        render_size: the longer side of a picture in pixels, 128 to 2048.

    Raises:
        ValueError: An option is not allowed, or there is no such opponent.
        TypeError: The opponent is nothing that can play.
    """

    metadata: dict[str, Any]

    def __init__(
        self,
        game: Game,
        opponent: Opponent = "random",
        seat: int | str = "random",
        observation: str = "planes",
        illegal: str = "terminate",
        render_mode: str | None = None,
        render_size: int = 512,
    ) -> None:
        check_choice("observation", observation, OBSERVATIONS)
        check_choice("illegal", illegal, ILLEGAL_MODES)
        self.game, self.illegal, self.observation = game, illegal, observation
        self.seat = check_seat(seat)
        self._agents, self._weights = as_mixture(opponent)
        self._pictures = AECGame(game, render_mode=render_mode, render_size=render_size)
        self.render_mode = render_mode
        self.metadata = {
            "name": self._pictures.metadata["name"],
            "render_modes": self._pictures.metadata["render_modes"],
            "render_fps": self._pictures.metadata["render_fps"],
        }
        self.observation_space = observation_space_of(game, observation)
        self.action_space = spaces.Discrete(game.num_distinct_actions)
        self._state: State | None = None
        self._agent = self._agents[0]  # the opponent of this game
        self._player = 0  # the learner's seat in this game
        self._over = False  # the result was given

    # ---------------------------------------------------------------- playing

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, Info]:
        """Start a new game, in which the opponent has played if it begins.

        Args:
            seed: decides seats, set-ups and the chance of the opponent (not of a policy, whose
                chance is its own), in this game and those after it.
            options: ignored.

        Returns:
            The learner's observation, and the info.

        Raises:
            IllegalActionError: The opponent answered illegally; the message names it.
        """
        seed_stream(seed)  # refuses what is no seed
        super().reset(seed=None if seed is None else int(seed))
        player = self.seat
        if not isinstance(player, int):
            player = int(self.np_random.integers(2))
        agent = self._agents[0]
        if len(self._agents) > 1:
            agent = self._agents[int(self.np_random.choice(len(self._agents), p=self._weights))]
        state = self.game.new_initial_state(int(self.np_random.integers(2**62)))
        self._reply(state, agent, player)
        self._state, self._agent, self._player, self._over = state, agent, player, False
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
            return self._ending(state)
        number, actions = as_int(action), self.game.num_distinct_actions
        if number is None and isinstance(action, np.ndarray) and action.size == 1:
            number = as_int(action.item())
        if number is None or not 0 <= number < actions:
            raise state._illegal(action)
        if not state._mask[number]:
            if self.illegal == "raise":
                raise state._illegal(number)
            return self._refuse()
        after = state.clone()
        after.apply_action(number)
        self._reply(after, self._agent, self._player)
        self._state = after
        if after.is_terminal():
            return self._ending(after)
        seen, info = self._seen()
        return seen, 0.0, False, False, info

    def _running(self) -> State:
        if self._state is None:
            raise ValueError("reset() needs to be called before this")
        if self._over:
            raise ValueError("the game is over: reset() needs to be called before step()")
        return self._state

    def _reply(self, state: State, agent: Agent, player: int) -> None:
        """Let the opponent play, in place, until the learner is to move or the game is over."""
        while state.current_player() == 1 - player:
            answer = agent.select_action(state.clone(), self.np_random)
            state.apply_action(legal_answer(agent, state, answer))

    def _ending(self, state: State) -> tuple[Any, float, bool, bool, Info]:
        """Return what the step that ends a game does."""
        self._over = True
        seen, info = self._seen()
        first, second = state.returns()
        info["result"] = (first, second)
        truncated = state.is_truncated()
        info["reason"] = MAX_TURNS if truncated else WON if first else DRAWN
        return seen, info["result"][self._player], not truncated, truncated, info

    def _refuse(self) -> tuple[Any, float, bool, bool, Info]:
        """Return what the step with an illegal action does."""
        self._over = self.illegal == "terminate"
        seen, info = self._seen()
        if self._over:
            info["result"] = (-1.0, 0.0) if self._player == 0 else (0.0, -1.0)
            info["reason"] = ILLEGAL
        return seen, -1.0, self._over, False, info

    def _seen(self) -> tuple[Any, Info]:
        """Return the observation and info of the learner."""
        assert self._state is not None
        mask = self.action_masks()
        planes = self._state.observation_tensor(self._player)
        info: Info = {
            "action_mask": mask,
            "seat": self._player,
            "turn": self._state.turn_number(),
            "stage": self._state.stage(),
        }
        if self.render_mode == "human":
            self.render()
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
            raise ValueError("reset() needs to be called before this")
        if self._over:
            return np.zeros(self.game.num_distinct_actions, np.int8)
        return self._state.legal_actions_mask()

    # ---------------------------------------------------------------- looking

    @property
    def game_state(self) -> State:
        """The position, a copy.

        Raises:
            ValueError: `reset` was not called.
        """
        if self._state is None:
            raise ValueError("reset() needs to be called before this")
        return self._state.clone()

    def render(self, overlay: Any = None) -> str | Frame | None:
        """Return a diagram (``"ansi"``) or a new array uint8 [height, width, 3], or show a window.

        Args:
            overlay: marks on the picture; see `ludarium.drawing.overlays`.

        Raises:
            ValueError: `reset` was not called, or the overlay is not allowed.
            ImportError: The mode is ``"human"`` and the window extra is not installed.
        """
        self._pictures.set_game_state(self.game_state)
        return self._pictures.render(overlay)

    def close(self) -> None:
        """Close the window, if one is open."""
        self._pictures.close()

    # ---------------------------------------------------------------- copies

    def __getstate__(self) -> dict[str, Any]:
        check_pickles(self._agents)
        return self.__dict__.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> SingleAgentGame:
        copied = object.__new__(type(self))
        memo[id(self)] = copied
        copied.__dict__.update(copy_module.deepcopy(self.__dict__, memo))
        return copied

    def __str__(self) -> str:
        return f"<single agent of {self.game!r}>"


_OPTIONS = ("opponent", "seat", "observation", "illegal", "render_mode", "render_size")


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
