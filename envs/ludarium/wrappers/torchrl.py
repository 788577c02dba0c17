"""TorchRL: infos that its own `PettingZooWrapper` accepts."""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import BaseWrapper


class TorchRLInfos(BaseWrapper[str, Any, Any]):
    """An AEC environment whose infos hold numbers only, as TorchRL accepts them.

    TorchRL refuses a mask that is both in the observation and in the info, so only the mask of the
    observation is kept:

        PettingZooWrapper(TorchRLInfos(ludarium.make("gliss")), use_mask=True)

    TorchRL returns each number under ``(group, "info", key)``, as float32. The keys and codes are
    those of `ludarium.environments.infos`.
    """

    def __init__(self, env: AECEnv[str, Any, Any]) -> None:
        super().__init__(env)

    @property
    def infos(self) -> dict[str, dict[str, int]]:
        """The numbers of each agent's info: ``turn``, ``stage``, ``result`` and ``reason``."""
        return {
            agent: {key: number for key, number in info.items() if key != "action_mask"}
            for agent, info in self.env.infos.items()
        }
