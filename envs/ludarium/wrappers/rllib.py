"""RLlib's new API stack: a network that applies the action mask, and trained modules as agents.

The environment needs no adapter of this package; Ray's own is enough:

    register_env("gliss", lambda options: PettingZooEnv(ludarium.make("gliss", **options)))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ludarium.core.errors import install

try:
    import torch
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
    from ray.rllib.core.rl_module.torch import TorchRLModule
except ImportError as error:  # pragma: no cover
    raise ImportError(
        f"this needs RLlib: pip install 'ray[rllib]' torch, and {install('ray')}"
    ) from error

from ludarium.single_agent.opponents import Observation

if TYPE_CHECKING:
    from ludarium.core.state import State

ILLEGAL_LOGIT = -1e9  # its softmax is 0, and differences of logits do not overflow


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """Convolutions over the planes, then logits of the legal actions and the value, for PPO.

    The observations hold the mask, so illegal actions have probability 0 both while games are
    played and while the network learns.

    ``RLModuleSpec(module_class=MaskedModule, model_config={...})`` takes ``channels`` (default 32)
    and ``layers`` (2) of the convolutions, and ``width`` (128) of the layer after them.
    """

    def setup(self) -> None:
        """Build the network; RLlib calls this."""
        config = dict(self.model_config or {})
        channels, width = config.get("channels", 32), config.get("width", 128)
        height, length, planes = self.observation_space["observation"].shape
        parts: list[torch.nn.Module] = []
        for layer in range(config.get("layers", 2)):
            inputs = channels if layer else planes
            parts += [torch.nn.Conv2d(inputs, channels, 3, padding=1), torch.nn.ReLU()]
        last = channels if parts else planes
        parts += [torch.nn.Flatten(), torch.nn.Linear(last * height * length, width)]
        self.body = torch.nn.Sequential(*parts, torch.nn.ReLU())
        self.policy = torch.nn.Linear(width, int(self.action_space.n))
        self.value = torch.nn.Linear(width, 1)
        torch.nn.init.orthogonal_(self.policy.weight, 0.01)

    def _features(self, batch: dict[str, Any]) -> torch.Tensor:
        planes = batch[Columns.OBS]["observation"]
        features: torch.Tensor = self.body(planes.float().permute(0, 3, 1, 2))
        return features

    def _logits(self, batch: dict[str, Any], features: torch.Tensor) -> torch.Tensor:
        illegal = batch[Columns.OBS]["action_mask"] == 0
        logits: torch.Tensor = self.policy(features).masked_fill(illegal, ILLEGAL_LOGIT)
        return logits

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Return the logits [N, A], for playing."""
        return {Columns.ACTION_DIST_INPUTS: self._logits(batch, self._features(batch))}

    def _forward_train(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Return, for learning, logits [N, A] and the features that the value is computed from."""
        features = self._features(batch)
        logits = self._logits(batch, features)
        return {Columns.ACTION_DIST_INPUTS: logits, Columns.EMBEDDINGS: features}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """Return the values [N] of positions, -1 to 1, for the player who observes them."""
        features = self._features(batch) if embeddings is None else embeddings
        return torch.tanh(self.value(features)).squeeze(-1)


class ModuleAgent:
    """A module of RLlib as an agent for the arena: it plays the likeliest action.

    Args:
        module: a `MaskedModule`, or another module that takes the observations of `env()`, such as
            the one that ``algorithm.get_module("both")`` returns. Each decision uses its weights of
            that moment.
        name: name in tables.
    """

    def __init__(self, module: Any, name: str = "rllib") -> None:
        self.module, self.name = module, name

    def select_action(self, state: State, rng: np.random.Generator) -> int:
        """Return the likeliest action for one position."""
        planes, mask = state.observation_tensor(), state.legal_actions_mask()
        return int(
            self.select_actions({"observation": planes[None], "action_mask": mask[None]}, rng)[0]
        )

    def select_actions(
        self, observations: Observation, rng: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """Return an action for each position, int64 [N]; see `BatchAgent`."""
        device = next(self.module.parameters()).device
        seen = {key: torch.from_numpy(array).to(device) for key, array in observations.items()}
        logits = self.module.forward_inference({Columns.OBS: seen})[Columns.ACTION_DIST_INPUTS]
        best: npt.NDArray[np.int64] = logits.argmax(1).cpu().numpy()
        return best
