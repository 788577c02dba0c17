"""The PettingZoo parallel environment: dicts of actions and results, around the AEC environment."""

from __future__ import annotations

import copy as copy_module
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import ParallelEnv
from pettingzoo.utils.env_logger import EnvLogger

from ludarium.core.errors import IllegalActionError, show
from ludarium.core.game import Game
from ludarium.core.state import State
from ludarium.environments.aec import AGENTS, AECGame, Frame


class ParallelGame(ParallelEnv[str, Any, Any]):
    """A game as a PettingZoo parallel environment: each step plays the action of the mover.

    Actions of the agent not to move are ignored and may be missing; its mask is all zeros.
    Observations, infos and options are those of `AECGame`. `max_cycles` can be read and assigned;
    the new value counts from the next reset.

    A step after the end logs PettingZoo's warning and returns five empty dicts, because no agent is
    left to be in them. `close` closes the window only: the environment can be used after it. With
    ``render_mode="human"`` `reset` and `step` show the position themselves, as those of `AECGame`.

    Args:
        env: the AEC environment that plays.

    Raises:
        TypeError: The argument is not an `AECGame`.
    """

    metadata: dict[str, Any]

    def __init__(self, env: AECGame) -> None:
        if not isinstance(env, AECGame):
            raise TypeError(
                f"env is an AECGame, such as ludarium.make(name) returns, not "
                f"{type(env).__name__}: {show(env)}"
            )
        self.aec_env = env
        self.metadata = {**env.metadata, "is_parallelizable": True}
        env.metadata = self.metadata  # a frame rate set by the user counts for both
        self.possible_agents = list(AGENTS)
        self.observation_spaces = env.observation_spaces
        self.action_spaces = env.action_spaces
        self.state_space = env.state_space
        self.render_mode = env.render_mode
        self._next_game: Game | None = None  # that the next reset starts

    def __repr__(self) -> str:
        return f"<parallel {self.aec_env!r}>"

    @property
    def agents(self) -> list[str]:
        """The agents still in the game.

        Raises:
            AttributeError: `reset` was not called.
        """
        both: list[str] = self.aec_env.agents
        return both

    @property
    def game(self) -> Game:
        """The game, with its options."""
        return self.aec_env.game

    @property
    def max_cycles(self) -> int:
        """Whole turns after which a game without a winner is truncated."""
        return (self._next_game or self.game).max_turns

    @max_cycles.setter
    def max_cycles(self, turns: int) -> None:
        game_type = self.game.type
        limit = game_type.all_options()["max_turns"].check("max_cycles", turns)
        self._next_game = game_type.load(**{**self.game.options, "max_turns": limit})

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations, always the same object."""
        return self.aec_env.observation_space(agent)

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions, always the same object."""
        return self.aec_env.action_space(agent)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Start a new game; returns observations and infos of both agents."""
        running = self.aec_env.game
        self.aec_env.game = self._next_game or running
        try:
            self.aec_env.reset(seed, options)
        except ValueError:  # a bad seed: nothing has changed
            self.aec_env.game = running
            raise
        self._next_game = None
        return {agent: self.aec_env.observe(agent) for agent in AGENTS}, dict(self.aec_env.infos)

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[
        dict[str, Any],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Play the action of the agent to move.

        Returns:
            Observations, rewards, terminations, truncations and infos of the agents in the game;
            all are empty after its end.

        Raises:
            AssertionError: `reset` was not called.
            IllegalActionError: The mover's action is missing or out of range; or it is not legal,
                and `illegal` is ``"raise"``.
            ValueError: The actions are not a dict.
        """
        env = self.aec_env
        if not isinstance(actions, dict):
            raise ValueError(f"actions are a dict by agent, not {show(actions)}")
        if env._state is None:
            EnvLogger.error_step_before_reset()
        if not env.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return {}, {}, {}, {}, {}
        mover = env.agent_selection
        begun_over = env.terminations[mover] or env.truncations[mover]
        if not begun_over:
            if mover not in actions:
                raise IllegalActionError(
                    f"{mover} is to move, and its action is missing: {show(actions)}"
                )
            env.step(actions[mover])
        results = (
            {agent: env.observe(agent) for agent in AGENTS},
            dict(env.rewards),
            dict(env.terminations),
            dict(env.truncations),
            dict(env.infos),
        )
        if env.terminations[mover] or env.truncations[mover]:
            env.agents = []
        return results

    def state(self) -> npt.NDArray[np.int8]:
        """Return the global state, as `AECGame.state`."""
        return self.aec_env.state()

    @property
    def game_state(self) -> State:
        """A copy of the current `State`."""
        return self.aec_env.game_state

    def set_game_state(self, state: State) -> None:
        """Go to a state of the same game, as `AECGame.set_game_state`."""
        self.aec_env.set_game_state(state)

    def render(self, overlay: Any = None, top: int | None = None) -> str | Frame | None:
        """Return a diagram or a picture, or show a window, as `AECGame.render`."""
        return self.aec_env.render(overlay, top)

    def close(self) -> None:
        """Close the window, if one is open. The environment can be used after it."""
        self.aec_env.close()

    def __copy__(self) -> ParallelGame:
        return self.clone()  # a shallow copy would share the game

    def clone(self) -> ParallelGame:
        """Return an independent copy: same options, same position."""
        return copy_module.deepcopy(self)
