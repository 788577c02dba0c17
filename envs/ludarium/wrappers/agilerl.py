"""AgileRL's algorithms for several agents, which take masks from infos only.

Its algorithms for one agent need no adapter: the Gymnasium environments put masks into infos.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import ParallelEnv
from pettingzoo.utils import BaseParallelWrapper


class MaskInInfos(BaseParallelWrapper[str, Any, Any]):
    """A parallel environment whose observations are the planes alone, float32 [H * W * C].

    AgileRL refuses observations that have a mask, and takes ``infos[agent]["action_mask"]``:

        AsyncPettingZooVecEnv([lambda: MaskInInfos(ludarium.gliss.parallel_env())] * 8)

    As in every parallel environment of this package, the action of the agent who is not to move is
    ignored.
    """

    def __init__(self, env: ParallelEnv[str, Any, Any]) -> None:
        super().__init__(env)
        self._spaces = {}
        for agent in env.possible_agents:
            size = int(np.prod(env.observation_space(agent)["observation"].shape))
            self._spaces[agent] = spaces.Box(0, 1, (size,), np.float32)

    def observation_space(self, agent: str) -> spaces.Box:
        """Return the space of an agent's observations, always the same object."""
        return self._spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Start a new game; returns observations and infos of both agents."""
        seen, infos = self.env.reset(seed=seed, options=options)
        return _flat(seen), infos

    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], Any, Any, Any, Any]:
        """Play the action of the agent to move, as `ParallelGame.step`."""
        seen, rewards, terminations, truncations, infos = self.env.step(actions)
        return _flat(seen), rewards, terminations, truncations, infos


def _flat(seen: dict[str, Any]) -> dict[str, npt.NDArray[np.float32]]:
    return {agent: own["observation"].astype(np.float32).ravel() for agent, own in seen.items()}
