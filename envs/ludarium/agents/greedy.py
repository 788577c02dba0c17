"""The agent `greedy`, which looks one whole turn ahead for each player."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ludarium.agents.agent import no_argument
from ludarium.agents.question import check_question
from ludarium.core.game import check_is_game, kernels_for

if TYPE_CHECKING:
    from ludarium.core.game import Game
    from ludarium.core.state import State


class GreedyAgent:
    """Win at once where possible; otherwise avoid turns that lose or let the opponent win at once.

    Among safe turns it prefers those that neither draw nor let the opponent draw, then those with
    the largest gain, if the game has a function `gain`, and then it chooses at random. A turn of
    two actions is planned as a whole, and planned again before the second action.
    """

    name = "greedy"

    def __init__(self, argument: str | None = None) -> None:
        """Take no argument; see `make_agent`."""
        no_argument(self.name, argument)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    def prepare(self, game: Game) -> None:
        """Load the kernels of a game, so that the first decision does not wait for them."""
        check_is_game(game)
        kernels_for(game.type, "ludarium.agents.turn_kernels").choose_greedily(
            game.new_initial_state(0)._array, np.ones(1, np.uint64)
        )

    def select_action(self, state: State, rng: np.random.Generator) -> int:
        """Return the first action of the turn to play from a running state.

        Raises:
            ValueError: The game is over.
            TypeError: An argument has a wrong type.
        """
        check_question(state, rng)
        stream = rng.integers(1, 2**64, size=1, dtype=np.uint64)
        return int(
            kernels_for(state.game.type, "ludarium.agents.turn_kernels").choose_greedily(
                state._array, stream
            )
        )
