"""Play a random game through PettingZoo, in the usual loop of AEC environments.

python examples/01_random_game.py --game sphlag --seed 1
"""

import argparse

import ludarium


def main() -> None:
    """Play one game and print who won."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=ludarium.list_games(), default="sphlag")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    env = ludarium.make(arguments.game, render_mode="ansi")
    env.reset(seed=arguments.seed)
    for agent in env.agents:
        env.action_space(agent).seed(arguments.seed)
    totals = dict.fromkeys(env.possible_agents, 0.0)

    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        totals[agent] += reward
        if terminated or truncated:
            action = None  # the game is over: an agent leaves with its last reward
        else:
            action = env.action_space(agent).sample(observation["action_mask"])
        env.step(action)

    print(env.render())
    print(totals)


if __name__ == "__main__":
    main()
