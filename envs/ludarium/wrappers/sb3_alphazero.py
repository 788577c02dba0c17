"""The agent `alphazero:N:FILE`: a search guided by a network from a file as for `sb3:FILE`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ludarium.core.errors import MissingExtraError, install
from ludarium.wrappers.sb3_specs import split_search_argument

try:
    import torch
except ImportError as error:  # pragma: no cover
    raise MissingExtraError(
        f"agent 'alphazero' needs torch: {install('train')}", split_search_argument
    ) from error

from ludarium.agents.alphazero import AlphaZeroAgent
from ludarium.wrappers.sb3_agent import SB3Agent, threads_for

if TYPE_CHECKING:
    from ludarium.agents.alphazero import Floats
    from ludarium.agents.analysis import Analysis
    from ludarium.core.game import Game
    from ludarium.core.state import State


class SB3AlphaZeroAgent(AlphaZeroAgent):
    """Search with N simulations, guided by the policy and the value of a model.

    Args:
        argument: ``N:FILE``, the number of simulations and the file of a model that
            `ludarium.wrappers.sb3.save_model` or `save_network` wrote; as a spec,
            ``alphazero:64:FILE`` or, by its other name, ``guided:64:FILE``.

    Raises:
        ValueError: The argument is not of this form, or the file is not such a model; see
            `SB3Agent`.
    """

    def __init__(self, argument: str | None) -> None:
        number, path = split_search_argument(argument)
        self.model = SB3Agent(path)
        if self.model.about["observation"] == "dict":
            raise ValueError(
                f"agent 'alphazero:{argument}' cannot search: the model sees masks, a search shows "
                "planes only"
            )
        super().__init__(self._answer, number, f"alphazero:{argument}")
        self.model.name, self.digest = self.name, self.model.digest

    def check(self, game: Game) -> None:
        """Raise ValueError unless the model plays this game."""
        self.model.check(game)

    def select_action(self, state: State, rng: np.random.Generator | None = None) -> int:
        """Return the action to play in a running state; nothing about it is random.

        Raises:
            ValueError: The state is of another game than the model, or the game is over.
        """
        self.model.check(state.game)
        return super().select_action(state, rng)

    def analyse(self, state: State, rng: np.random.Generator | None = None) -> Analysis:
        """Return the action that `select_action` returns, and the statistics that explain it.

        Raises:
            ValueError: The state is of another game than the model, or the game is over.
        """
        self.model.check(state.game)
        return super().analyse(state, rng)

    def prepare(self, game: Game) -> None:
        """Load the kernels of a game, so that the first decision does not wait for them."""
        self.model.check(game)
        super().prepare(game)

    def _answer(self, planes: npt.NDArray[np.int8]) -> tuple[Floats, Floats]:
        """Return the model's logits float32 [n, A] and values float32 [n]."""
        policy: Any = self.model.policy
        with torch.no_grad(), threads_for(len(planes)):
            features = policy.extract_features(self.model.tensors({"observation": planes}))
            both = features if isinstance(features, tuple) else (features, features)
            extractor = policy.mlp_extractor
            logits = policy.action_net(extractor.forward_actor(both[0]))
            values = policy.value_net(extractor.forward_critic(both[1])).squeeze(1)
        # the value of a network saved by save_network needs a tanh; PPO's values are about -1 to 1
        values = values.tanh() if self.model.about.get("value") == "tanh" else values.clamp(-1, 1)
        return logits.cpu().numpy(), values.cpu().numpy()
