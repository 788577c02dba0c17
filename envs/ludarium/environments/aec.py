"""The PettingZoo AEC environment: one class for all games.

The checks of PettingZoo's three stock wrappers (order of calls, range of actions, illegal actions)
are built in, because the wrappers take longer than the games do: a test compares the traces.
"""

from __future__ import annotations

import copy as copy_module
import importlib.util
from collections.abc import Iterator
from typing import Any, TypeAlias

import gymnasium.logger
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable, AECIterator
from pettingzoo.utils.env_logger import EnvLogger

from ludarium.core import status as codes
from ludarium.core.errors import IllegalActionError, join_or, show
from ludarium.core.game import Game, check_is_game
from ludarium.core.options import (
    as_int,
    check_choice,
    check_orientation,
    check_reset_options,
    check_size,
)
from ludarium.core.state import State, check_state
from ludarium.core.status import ILLEGAL, TRUNCATED
from ludarium.environments.infos import REASON_BY_STATUS, RESULT_BY_STATUS

Observation: TypeAlias = dict[str, npt.NDArray[np.int8]]
Frame: TypeAlias = npt.NDArray[np.uint8]

AGENTS = ("player_0", "player_1")
_PLAYER = {"player_0": 0, "player_1": 1}
_NO_AGENT = object()  # compares unequal to the name of every agent
_INT8 = np.dtype(np.int8)  # passing a dtype object is faster than passing the type
RENDER_MODES = ("ansi", "rgb_array", "human")
ILLEGAL_MODES = ("terminate", "raise", "penalize")
OBSERVATIONS = ("planes", "flat")

# Made by `_wire`: a copy leaves them out and makes its own.
_NOT_COPIED = ("_mask", "_view", "_planes_view", "_no_action", "_own_mask")

# Attributes that exist from the first reset on, as with PettingZoo's order-enforcing wrapper.
_AFTER_RESET = frozenset(
    (
        "game_state",
        "agents",
        "agent_selection",
        "rewards",
        "terminations",
        "truncations",
        "infos",
        "num_agents",
    )
)


def has_window() -> bool:
    """Return whether pygame, which the window extra installs, can be imported."""
    return importlib.util.find_spec("pygame") is not None


# ---------------------------------------------------------------- agent by agent


class AECGame(AECEnv[str, Any, Any]):
    """A game as a PettingZoo AEC environment.

    An observation is ``{"observation": int8 [H, W, C], "action_mask": int8 [A]}``, as seen by the
    agent that it is for: with their own pieces in the first planes and their own side nearest. The
    mask is all zeros for an agent who is not to move. ``infos[agent]`` has the same mask and the
    numbers ``turn``, ``stage``, ``result`` and ``reason``; `ludarium.environments.infos` explains
    them. Rewards are +1 and -1 when a player has won (termination), 0 and 0 at a draw
    (termination) and at `max_turns` (truncation). An agent may act twice in a row: a turn is one or
    two actions.

    An action is an int or an integer array of shape (), as the action space contains them.

    After the end, as PettingZoo has it: an agent at its end takes ``step(None)``, and any other
    action raises ValueError, so that an agent never acts on a finished game unnoticed. When both
    agents have left, `step` logs PettingZoo's warning and does nothing. `close` closes the window
    only: the environment can be stepped, rendered and reset after it.

    With ``render_mode="human"`` `reset`, `set_game_state` and `step` show the position themselves,
    in a window that the first of them opens. A position stays for at least ``1 / render_fps``
    seconds of `metadata`, the last one until `close`; 0 waits for nothing. A window that the user
    closes stays closed until `close`, and the game goes on without it.

    Args:
        game: the game, with its options.
        render_mode: None, ``"ansi"``, ``"rgb_array"`` or ``"human"`` (extra ``ludarium[human]``).
        render_size: longer side of a picture in pixels, 128 to 2048; both sides are even.
        orientation: whose side of the board is at the bottom of a picture: 0, 1, or ``"mover"``,
            the player to move.
        illegal: what an illegal action in the range does. ``"terminate"``: a warning, -1 to the
            mover, 0 to the other, both agents terminated and truncated, as with PettingZoo's
            wrapper. ``"raise"``: `IllegalActionError`, and the state is as before. ``"penalize"``:
            -1, the state is as before, and the same agent acts again; refused actions count with
            the played ones, and the game is truncated when there are ``game.max_game_length`` of
            them. The checkers of other libraries play actions without looking at the mask, so
            ``"raise"`` does not suit them. An action out of range raises in every mode.
        copy: True: observations are the caller's own arrays. False: those of the agent to move are
            read-only views that the next step overwrites.
        observation: ``"planes"``, or ``"flat"``: ``observation`` and `state` are int8 [H * W * C].

    Raises:
        ValueError: An option is not allowed.
        TypeError: The first argument is not a `Game`.
    """

    metadata: dict[str, Any]

    def __init__(
        self,
        game: Game,
        render_mode: str | None = None,
        render_size: int = 512,
        illegal: str = "terminate",
        copy: bool = True,
        observation: str = "planes",
        orientation: int | str = 0,
    ) -> None:
        super().__init__()
        check_is_game(game)
        check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        check_choice("illegal", illegal, ILLEGAL_MODES)
        check_choice("copy", copy, (True, False))
        check_choice("observation", observation, OBSERVATIONS)
        self.game = game
        self.render_mode = render_mode
        self.render_size = check_size(render_size, "render_size")
        self.orientation = check_orientation(orientation)
        self.illegal = illegal
        self.copy = bool(copy)
        self.observation = observation
        self.metadata = {
            "name": f"{game.name}_v{game.version}",
            "render_modes": [m for m in RENDER_MODES if m != "human" or has_window()],
            "is_parallelizable": False,
            "render_fps": 2,
        }
        self.possible_agents = list(AGENTS)
        shape, actions = game.observation_shape, game.num_distinct_actions
        seen = (int(np.prod(shape)),) if observation == "flat" else shape
        self.observation_spaces = {
            agent: spaces.Dict(  # keywords keep this order: a plain dict would be sorted
                observation=spaces.Box(0, 1, seen, np.int8),
                action_mask=spaces.Box(0, 1, (actions,), np.int8),
            )
            for agent in AGENTS
        }
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in AGENTS}
        self.state_space = spaces.Box(0, 1, seen, np.int8)
        self._num_actions, self._shape = actions, shape
        self._flat = observation == "flat"
        self._state: State | None = None
        self._step_cache: tuple[Any, ...] | None = None
        self._mover: object = _NO_AGENT  # who has legal actions
        self._refused = 0  # actions refused in this game
        self._first = 0  # length of the state's history when this game began
        self._stepped = False  # since agent_iter() last named an agent
        self._planes = np.zeros(shape, np.int8)  # seen by the player to move
        self._planes_handed_out = False  # by observe(): its next call must copy
        self._nothing = np.zeros(actions, np.int8)  # a mask
        self._window: Any = None

    # ---- spaces

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations, always the same object."""
        self._index(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions, always the same object."""
        self._index(agent)
        return self.action_spaces[agent]

    @staticmethod
    def _index(agent: str) -> int:
        player = _PLAYER.get(agent) if isinstance(agent, str) else None
        if player is None:
            raise ValueError(f"there is no agent {show(agent)}: there is {join_or(AGENTS)}")
        return player

    # ---- starting

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game.

        Args:
            seed: decides what the game leaves to chance; None: a fresh seed.
            options: a dict, whose keys are ignored, or None; PettingZoo's tests send unknown ones.

        Raises:
            ValueError: The seed is not an int >= 0, or the options are not a dict.
            ImportError: The mode is ``"human"`` and the extra ``ludarium[human]`` is not installed.
        """
        check_reset_options(options)
        self._begin(self.game.new_initial_state(seed))

    def set_game_state(self, state: State) -> None:
        """Go to a state of the same game and options, as if a reset had led there.

        The environment keeps a copy. If the game is over there, both agents are at their end, with
        the final rewards.

        Raises:
            ValueError: The state is of another game or has other options.
            TypeError: The argument is not a `State`.
        """
        check_state(state)
        if state.game != self.game:
            raise ValueError(f"the state is of {state.game!r}, the environment of {self.game!r}")
        self._begin(state.clone())

    def _begin(self, state: State) -> None:
        """Start an episode at a state."""
        self._state = state
        self._refused, self._first = 0, len(state._history)
        self._wire()
        self._planes = np.empty(self.game.observation_shape, np.int8) if self.copy else self._planes
        self._planes_handed_out = False
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        # Whatever ends an episode, a wrapper included, puts another dict in place of this one.
        self.terminations = self._alive = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._skip_agent_selection: str | None = None
        self._stepped = True
        mover = max(state.current_player(), 0)
        self.game.type.kernels.observe(state._array, mover, self._planes)
        self.infos: dict[str, dict[str, Any]] = {}
        self._arrive(state._packed)

    def _wire(self) -> None:
        """Collect what every step needs of the state."""
        assert self._state is not None
        self._mask = self._state._mask
        self._view = self._mask.view()
        self._view.flags.writeable = False
        self._planes_view = self._planes.reshape(-1) if self._flat else self._planes.view()
        self._planes_view.flags.writeable = False
        self._no_action = self._nothing.copy
        self._own_mask = self._mask.copy if self.copy else self._view.view
        kernels = self.game.type.kernels
        # one tuple: attribute look-ups dominate the time of step()
        self._step_cache = (
            self._state,
            self._state._array,
            self._mask,
            kernels.drive,
            kernels.STEP_AND_OBSERVE,
            self._num_actions,
            self._shape if self.copy else None,
            self._own_mask,
            self._no_action,
            self.render_mode == "human",
        )

    def _arrive(self, packed: int) -> None:
        """Set who acts next, infos and, at the end, rewards, from a packed status."""
        if packed & 7:
            mover, other, mask = "player_0", "player_1", self._no_action()
            self._mover = _NO_AGENT
            self._finish(packed)
        else:
            mover, other = ("player_1", "player_0") if packed & 8 else AGENTS
            mask = self._own_mask()
            self._mover = mover
        self.agent_selection = mover
        self.infos = {
            agent: {
                "action_mask": own,
                "turn": packed >> 8,
                "stage": packed >> 4 & 15,
                "result": RESULT_BY_STATUS[packed & 7],
                "reason": REASON_BY_STATUS[packed & 7],
            }
            for agent, own in ((mover, mask), (other, self._no_action()))
        }
        if self.render_mode == "human":
            self.render()

    def _finish(self, packed: int) -> None:
        """Put both agents at their end, with their rewards."""
        assert self._state is not None
        cut = packed & 7 == TRUNCATED
        self.terminations = dict.fromkeys(AGENTS, not cut)
        self.truncations = dict.fromkeys(AGENTS, cut)
        self.rewards = dict(zip(AGENTS, self._state.returns(), strict=True))
        self._accumulate_rewards()

    # ---- acting

    def step(self, action: Any) -> None:
        """Play the action of the selected agent; ``None`` for an agent at its end.

        Args:
            action: an int in the range of the action space, of any integer type.

        Raises:
            AssertionError: `reset` was not called.
            IllegalActionError: The action is out of range or None; or not legal, and `illegal` is
                ``"raise"``. The state is as before.
            ValueError: An agent at its end was given an action.
        """
        if self._step_cache is None:
            EnvLogger.error_step_before_reset()
            return
        (
            state,
            array,
            legal,
            drive,
            what,
            num_actions,
            shape,
            own_mask,
            no_action,
            human,
        ) = self._step_cache
        self._stepped = True
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        agent = self.agent_selection
        if self.terminations is not self._alive and (
            self.terminations[agent] or self.truncations[agent]
        ):
            number = as_int(action)
            if action is not None and (number is None or not 0 <= number < num_actions):
                raise self._out_of_range(action)
            self._was_dead_step(action)
            return
        number = action if type(action) is int else as_int(action)
        if number is None or not 0 <= number < num_actions:
            raise self._out_of_range(action)
        planes = np.empty(shape, _INT8) if shape else self._planes
        packed = drive(what, array, number, legal, planes)
        if packed == ILLEGAL:
            self._illegal(agent, number)
            return
        self._planes = planes
        self._planes_handed_out = False
        state._packed = packed
        state._history.append(number)
        self._cumulative_rewards[agent] = 0.0
        if self._refused:
            self._clear_rewards()  # of a refused action; otherwise they are zeros
            if not packed & 7 and self._is_exhausted():
                self._arrive(packed)
                self._end_early(codes.BY_MAX_GAME_LENGTH)
                return
        if packed & 7:
            self._arrive(packed)
            return
        # the same as _arrive(), without its look-ups
        mover, other = ("player_1", "player_0") if packed & 8 else AGENTS
        self._mover = self.agent_selection = mover
        turn, stage = packed >> 8, packed >> 4 & 15
        self.infos = {
            mover: {
                "action_mask": own_mask(),
                "turn": turn,
                "stage": stage,
                "result": -1,
                "reason": -1,
            },
            other: {
                "action_mask": no_action(),
                "turn": turn,
                "stage": stage,
                "result": -1,
                "reason": -1,
            },
        }
        if human:
            self.render()

    def _out_of_range(self, action: Any) -> IllegalActionError:
        return IllegalActionError(
            f"action {show(action)} is not in the action space: "
            f"an int, 0 to {self._num_actions - 1}"
        )

    def _illegal(self, agent: str, action: int) -> None:
        """Answer an action in the range that is not legal."""
        assert self._state is not None
        if self.illegal == "raise":
            raise self._state.illegal_action(action)
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self.rewards[agent] = -1.0
        self._accumulate_rewards()
        if self.illegal == "terminate":
            EnvLogger.warn_on_illegal_move()
            self._end_early(codes.BY_ILLEGAL)
            return
        self._refused += 1
        if self._is_exhausted():
            self._end_early(codes.BY_MAX_GAME_LENGTH)

    def _is_exhausted(self) -> bool:
        """Return whether played and refused actions have reached `max_game_length`."""
        played = len(self._current()._history) - self._first
        return played + self._refused >= self.game.max_game_length

    def _end_early(self, reason: int) -> None:
        """End a game that is not over by its rules."""
        self.terminations = dict.fromkeys(AGENTS, reason == codes.BY_ILLEGAL)
        self.truncations = dict.fromkeys(AGENTS, True)
        self._deads_step_first(reason)

    def _deads_step_first(self, reason: int = codes.BY_ILLEGAL) -> str:
        """Select the first agent at its end; no agent has a legal action any more.

        PettingZoo's own wrapper for illegal actions calls this too, after it has ended the game.
        """
        self._mover = _NO_AGENT
        for info in self.infos.values():
            info["action_mask"] = self._no_action()
            if info["result"] == codes.NOT_OVER:
                info["result"], info["reason"] = codes.NOBODY, reason
        first: str = super()._deads_step_first()
        return first

    # ---- looking

    def observe(self, agent: str) -> Observation:
        """Return an agent's observation, to move or not; after its end too, until the next reset.

        Raises:
            AssertionError: `reset` was not called.
            ValueError: There is no such agent.
        """
        if agent == self._mover:
            if not self.copy:
                planes = self._planes_view
            else:
                if self._planes_handed_out:
                    planes = self._current().observation_tensor()
                else:
                    planes = self._planes
                    self._planes_handed_out = True
                if self._flat:
                    planes = planes.reshape(-1)
            return {"observation": planes, "action_mask": self._own_mask()}
        if self._state is None:
            EnvLogger.error_observe_before_reset()
        planes = self._current().observation_tensor(self._index(agent))
        if self._flat:
            planes = planes.reshape(-1)
        return {"observation": planes, "action_mask": self._no_action()}

    def state(self) -> npt.NDArray[np.int8]:
        """Return the global state: player 0's observation, int8 [H, W, C] or [H * W * C].

        Raises:
            AssertionError: `reset` was not called.
        """
        if self._state is None:
            EnvLogger.error_state_before_reset()
        planes = self._current().observation_tensor(0)
        return planes.reshape(-1) if self._flat else planes

    @property
    def game_state(self) -> State:
        """A copy of the current `State`.

        Raises:
            AttributeError: `reset` was not called.
        """
        if self._state is None:
            raise AttributeError("game_state cannot be accessed before reset")
        return self._state.clone()

    def _current(self) -> State:
        assert self._state is not None, "reset() needs to be called first"
        return self._state

    def render(self, overlay: Any = None, top: int | None = None) -> str | Frame | None:
        """Return a diagram (``"ansi"``) or a new array uint8 [height, width, 3], or show a window.

        Args:
            overlay: marks on the picture: ``"legal"``, a weight for each action, an agent or the
                spec of one; see `ludarium.drawing.overlays`.
            top: the number of best actions that the overlay marks; None: all.

        Raises:
            AssertionError: `reset` was not called.
            ValueError: The overlay or `top` is not allowed, or `render_mode` makes no picture to
                draw it on.
            ImportError: The mode is ``"human"`` and the extra ``ludarium[human]`` is not installed.
        """
        if self._state is None:
            EnvLogger.error_render_before_reset()
        return self.render_state(self._current(), overlay, top)

    def render_state(
        self, state: State, overlay: Any = None, top: int | None = None
    ) -> str | Frame | None:
        """Render another state than the current one, otherwise as `render`."""
        check_state(state)
        if self.render_mode is None:
            gymnasium.logger.warn(
                f"render() does nothing without a render_mode: make it with {join_or(RENDER_MODES)}"
            )
            return None
        if self.render_mode == "ansi":
            if overlay is not None or top is not None:
                raise ValueError("an overlay is drawn on pictures: render_mode is 'rgb_array'")
            return state.render("ansi", orientation=self.orientation)
        if self.render_mode == "human":
            if self._window is None:
                from ludarium.drawing.window import Window

                self._window = Window(self.game.type.title)
            if self._window.is_closed:
                return None
        draw = self.game.type.submodule("render").draw
        frame: Frame = draw(
            state, self.render_size, overlay=overlay, orientation=self.orientation, top=top
        )
        if self.render_mode == "rgb_array":
            return frame
        self._window.show(frame, self._frame_seconds())
        return None

    def _frame_seconds(self) -> float:
        """Return for how long a frame stays in the window at least."""
        fps = self.metadata["render_fps"]
        return 1 / fps if fps else 0.0

    def close(self) -> None:
        """Close the window, if one is open. The environment can be used after it."""
        if self._window is not None:
            self._window.hold(self._frame_seconds())
            self._window.close()
            self._window = None

    # ---- iterating

    def agent_iter(self, max_iter: int = 2**63) -> _Agents:
        """Yield the agent to act until the game is over; `step` must follow each one.

        Raises:
            AssertionError: `reset` was not called, or `step` did not follow an agent.
        """
        if self._state is None:
            EnvLogger.error_agent_iter_before_reset()
        return _Agents(self, max_iter)

    # ---- copies

    def clone(self) -> AECGame:
        """Return an independent copy: same options, same position."""
        return copy_module.deepcopy(self)

    def __copy__(self) -> AECGame:
        return self.clone()  # a shallow copy would share the game

    def __getstate__(self) -> dict[str, Any]:
        fields = self.__dict__.copy()
        for name in ("_window", *_NOT_COPIED):
            fields.pop(name, None)
        fields["_step_cache"] = None
        return fields

    def __setstate__(self, fields: dict[str, Any]) -> None:
        self.__dict__.update(fields)
        self._window = None
        if self._state is not None:
            self._planes = self._state.observation_tensor()  # the old array may be the caller's
            self._planes_handed_out = False
            self._wire()

    def __getattr__(self, name: str) -> Any:
        if name in _AFTER_RESET:
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        return f"<{self.metadata['name']} environment of {self.game!r}>"


class _Agents(AECIterable[str, Any, Any]):
    def __iter__(self) -> _AgentIterator:
        return _AgentIterator(self.env, self.max_iter)


class _AgentIterator(AECIterator[str, Any, Any], Iterator[str]):
    def __next__(self) -> str:
        agent: str = super().__next__()
        assert self.env._stepped, "need to call step() or reset() in a loop over `agent_iter`"
        self.env._stepped = False
        return agent
