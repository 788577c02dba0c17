"""Let a policy and an agent of your own play matches: PettingZoo policies work in the arena.

python examples/08_your_own_agent.py --game sphlag --games 40
"""

import argparse
from typing import Any

import numpy as np

import ludarium
from ludarium.arena import play_match

rng = np.random.default_rng(0)


def policy(observation: dict[str, Any]) -> int:
    """Return an action for what `env.observe(agent)` returns: planes [H, W, C] and a mask [A].

    This policy ignores the planes; a network would read observation["observation"].
    """
    return int(rng.choice(np.flatnonzero(observation["action_mask"])))


class Blunt:
    """An agent that reads the whole state: it wins at once if it can, else it plays at random."""

    name = "blunt"

    def select_action(self, state: Any, rng: np.random.Generator) -> int:
        """Return a legal action of a running state; all random numbers come from `rng`."""
        player = state.current_player()
        for action in state.legal_actions():
            after = state.child(action)
            if after.is_terminal() and after.returns()[player] > 0:
                return int(action)
        return int(rng.choice(state.legal_actions()))


def main() -> None:
    """Let both play against built-in agents."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=ludarium.list_games(), default="sphlag")
    parser.add_argument("--games", type=int, default=40)
    arguments = parser.parse_args()

    for player, opponent in ((policy, "random"), (Blunt(), "random"), (Blunt(), "greedy")):
        print(play_match(arguments.game, player, opponent, games=arguments.games))


if __name__ == "__main__":
    main()
