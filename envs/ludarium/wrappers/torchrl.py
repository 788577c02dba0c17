"""TorchRL: its own `PettingZooWrapper` does, but for what it takes of infos."""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import BaseWrapper


class TorchRLInfos(BaseWrapper[str, Any, Any]):
    """An AEC environment with infos that TorchRL can take: numbers, and no mask.

    TorchRL makes a tensor of everything in an info, so ``stage``, a word, is left out; and it
    stumbles over a mask that is in the observation and in the info. The one of the observation
    remains:

        PettingZooWrapper(TorchRLInfos(ludarium.make("gliss")), use_mask=True)
    """

    def __init__(self, env: AECEnv[str, Any, Any]) -> None:
        super().__init__(env)

    @property
    def infos(self) -> dict[str, dict[str, int]]:
        """For each agent ``turn``: whole turns completed."""
        return {agent: {"turn": info["turn"]} for agent, info in self.env.infos.items()}
