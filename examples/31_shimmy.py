"""A game of this package as a PettingZoo environment, by way of OpenSpiel and Shimmy.

python examples/31_shimmy.py --game gyges

Needs OpenSpiel and Shimmy: pip install open_spiel shimmy. It shows that code written for Shimmy's
OpenSpiel environments takes these games; `ludarium.make` returns the same directly.
"""

import argparse

import numpy as np

import ludarium

try:
    from shimmy.openspiel_compatibility import OpenSpielCompatibilityV0

    from ludarium.wrappers.openspiel import register
except ImportError as error:
    raise SystemExit(f"{error}; this example needs: pip install open_spiel shimmy") from error


def main() -> None:
    """Play random games and count results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=ludarium.list_games(), default="sphlag")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--smoke", action="store_true", help="seconds only, to see that it runs")
    arguments = parser.parse_args()

    register()
    # By name and config: an object given as `env` is loaded again, without its options, by reset().
    env = OpenSpielCompatibilityV0(game_name=f"ludarium_{arguments.game}", config={"max_turns": 60})
    rng = np.random.default_rng(arguments.seed)
    results = {1.0: 0, 0.0: 0, -1.0: 0}  # of player_0
    for game in range(2 if arguments.smoke else arguments.games):
        env.reset(seed=arguments.seed + game)
        for _ in env.agent_iter():
            _, _, terminated, truncated, info = env.last()
            over = terminated or truncated
            env.step(None if over else rng.choice(np.flatnonzero(info["action_mask"])))
        # `last()` counts the reward of the second agent twice (Shimmy 2.0): ask the state.
        results[env.game_state.returns()[0]] += 1
    print(f"player_0 won {results[1.0]} games, lost {results[-1.0]}, {results[0.0]} were undecided")


if __name__ == "__main__":
    main()
