"""The agent `random`: every legal action with equal probability."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludarium.agents.agent import no_argument
from ludarium.agents.question import check_question

if TYPE_CHECKING:
    import numpy as np

    from ludarium.core.state import State


class RandomAgent:
    """Play uniformly random actions.

    They are uniform over actions, not over whole turns: in a turn of two actions, each action is
    chosen by itself.
    """

    name = "random"

    def __init__(self, argument: str | None = None) -> None:
        """Take no argument; see `make_agent`."""
        no_argument(self.name, argument)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    def select_action(self, state: State, rng: np.random.Generator) -> int:
        """Return a legal action of a running state.

        Raises:
            ValueError: The game is over.
            TypeError: An argument has a wrong type.
        """
        check_question(state, rng)
        legal = state.legal_actions()
        return legal[int(rng.integers(len(legal)))]
