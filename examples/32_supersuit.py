"""A masked game in SuperSuit's vectors: two rows for each game; a waiting player's mask is 0.

python examples/32_supersuit.py --game gliss --copies 8

Needs SuperSuit: pip install supersuit. The batch of this package, `ludarium.make_vec`, does the
same hundreds of times faster: examples/05_vector_throughput.py.
"""

import argparse
import time

import numpy as np

import ludarium

try:
    import supersuit
except ImportError as error:
    raise SystemExit(f"{error}; this example needs: pip install supersuit") from error


def main() -> None:
    """Play random games in a vector; count results and measure the speed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=ludarium.list_games(), default="sphlag")
    parser.add_argument("--copies", type=int, default=8)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--smoke", action="store_true", help="seconds only, to see that it runs")
    arguments = parser.parse_args()

    env = getattr(ludarium, arguments.game).parallel_env()
    single = supersuit.pettingzoo_env_to_vec_env_v1(env)
    vector = supersuit.concat_vec_envs_v1(single, arguments.copies)
    observations, _ = vector.reset(seed=arguments.seed)
    rng = np.random.default_rng(arguments.seed)
    steps = 200 if arguments.smoke else arguments.steps
    wins = np.zeros(2, int)
    begun = time.perf_counter()
    for _ in range(steps):
        masks = observations["action_mask"]  # [2 * copies, A], zeros for the waiting player
        scores = rng.random(masks.shape) * masks
        observations, rewards, _, _, _ = vector.step(scores.argmax(axis=1))
        wins += (rewards.reshape(arguments.copies, 2) > 0).sum(axis=0)
    seconds = time.perf_counter() - begun
    vector.close()
    print(f"player 0 won {wins[0]} games, player 1 won {wins[1]}")
    print(f"{steps * arguments.copies / seconds:,.0f} actions a second")


if __name__ == "__main__":
    main()
