"""Games for alpha-zero-general: its `Game` interface over any game of this package.

python examples/33_alpha_zero_general.py --game gyges

It plays one random game through the adapter and prints how it ended. docs/alpha-zero-general.md
explains what to change in that program's search.
"""

import argparse
from typing import Any

import numpy as np

import ludarium


class AlphaZeroGame:
    """A board is a pair: a state, and the player (0 or 1) that the program calls 1."""

    def __init__(self, name: str, **options: Any):
        self.game = ludarium.load_game(name, **options)
        self.getBoardSize = lambda: self.game.observation_shape
        self.getActionSize = lambda: self.game.num_distinct_actions
        self.getInitBoard = lambda: (self.game.new_initial_state(), 0)
        self.getCanonicalForm = lambda board, player: (board[0], board[1] ^ (player == -1))
        self.stringRepresentation = lambda board: f"{board[1]} {board[0].to_string()}"

    def getNextState(self, board: Any, player: int, action: int) -> tuple[Any, int]:  # noqa: D102
        state, one = board[0].child(action), board[1]
        if state.is_terminal():
            return (state, one), -player  # nobody moves: as if the turn had passed
        return (state, one), 1 if state.current_player() == one else -1

    def getValidMoves(self, board: Any, player: int) -> np.ndarray:  # noqa: D102
        return board[0].legal_actions_mask()

    def getGameEnded(self, board: Any, player: int) -> float:  # noqa: D102
        state, viewer = board[0], board[1] ^ (player == -1)
        return (state.returns()[viewer] or 1e-4) if state.is_terminal() else 0

    def getSymmetries(self, board: Any, pi: Any) -> list[tuple[np.ndarray, np.ndarray]]:  # noqa: D102
        planes, pi = board[0].observation_tensor(), np.asarray(pi)
        return [(planes.flat[i].reshape(planes.shape), pi[j]) for i, j in self.game.symmetries()]


def main() -> None:
    """Play a random game as that program's arena does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=ludarium.list_games(), default="gyges")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--smoke", action="store_true", help="no effect: the example takes seconds")
    arguments = parser.parse_args()
    game, rng = AlphaZeroGame(arguments.game), np.random.default_rng(arguments.seed)
    board, player, actions, twice = game.getInitBoard(), 1, 0, 0
    while game.getGameEnded(board, player) == 0:
        canonical = game.getCanonicalForm(board, player)
        legal = np.flatnonzero(game.getValidMoves(canonical, 1))
        before = player
        board, player = game.getNextState(board, player, int(rng.choice(legal)))
        actions, twice = actions + 1, twice + (player == before)
    result = game.getGameEnded(board, 1)
    print(f"{actions} actions, {twice} times the same player acted again; for player 1: {result:+}")


if __name__ == "__main__":
    main()
