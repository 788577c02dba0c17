"""TorchRL: infos that its own `PettingZooWrapper` accepts."""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import BaseWrapper


class TorchRLInfos(BaseWrapper[str, Any, Any]):
    """An AEC environment with infos that TorchRL accepts: numbers, without masks.

    TorchRL refuses a mask that is both in the observation and in the info, so only the mask of the
    observation is kept:

        PettingZooWrapper(TorchRLInfos(ludarium.make("gliss")), use_mask=True)
    """

    def __init__(self, env: AECEnv[str, Any, Any]) -> None:
        super().__init__(env)

    @property
    def infos(self) -> dict[str, dict[str, int]]:
        """For each agent ``turn``, the number of whole turns completed."""
        return {agent: {"turn": info["turn"]} for agent, info in self.env.infos.items()}
