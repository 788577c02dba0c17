"""A thousand games at once: step them, and count the actions.

python examples/05_vector_throughput.py --game sphlag --num-envs 1024 --seconds 3
"""

import argparse
import time

import ludarium


def main() -> None:
    """Step a batch with random legal actions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=ludarium.list_games(), default="sphlag")
    parser.add_argument("--num-envs", type=int, default=1024)
    parser.add_argument("--num-threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3.0)
    arguments = parser.parse_args()

    games = ludarium.make_vec(
        arguments.game,
        num_envs=arguments.num_envs,
        seed=0,
        autoreset="same_step",
        num_threads=arguments.num_threads,
        copy=False,  # views: the next step overwrites them
    )
    obs, _ = games.reset()
    print({name: (array.dtype, array.shape) for name, array in obs.items()})

    steps, wins, ended = 0, 0, 0
    games.step(games.sample_actions())  # the first call may compile
    start = time.perf_counter()
    while time.perf_counter() - start < arguments.seconds:
        # A network would look at obs["observation"] and obs["action_mask"] here, both of the
        # player to move: games.current_player.
        obs, rewards, terminated, truncated, _ = games.step(games.sample_actions())
        ended += int((terminated | truncated).sum())
        wins += int((rewards[:, 0] > 0).sum())
        steps += 1
    rate = steps * arguments.num_envs / (time.perf_counter() - start)
    print(f"{rate:,.0f} actions/s; {ended} games ended, player 0 won {wins}")


if __name__ == "__main__":
    main()
