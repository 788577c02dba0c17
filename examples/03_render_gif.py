"""Render a game to rgb arrays and save them as a GIF.

python examples/03_render_gif.py --game sphlag --out game.gif
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import ludarium
from ludarium.agents import make_agent


def main() -> None:
    """Let two agents play, with a picture after every action."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=ludarium.list_games(), default="sphlag")
    parser.add_argument("--out", type=Path, default=Path("game.gif"))
    parser.add_argument("--size", type=int, default=384)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.out.exists():
        parser.error(f"{arguments.out} exists: name another file with --out")

    env = ludarium.make(arguments.game, render_mode="rgb_array", render_size=arguments.size)
    env.reset(seed=arguments.seed)
    agents = {"player_0": make_agent("greedy"), "player_1": make_agent("random")}
    rng = np.random.default_rng(arguments.seed)
    frames: list[Any] = [env.render()]
    while not (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
        agent = agents[env.agent_selection]
        env.step(agent.select_action(env.game_state, rng))
        frames.append(env.render())  # uint8 [height, width, 3], a new array each time

    images = [Image.fromarray(frame) for frame in frames]
    times = [600] * (len(images) - 1) + [3000]  # milliseconds; the result stays longer
    images[0].save(arguments.out, save_all=True, append_images=images[1:], duration=times, loop=0)
    print(f"{len(images)} frames in {arguments.out}")


if __name__ == "__main__":
    main()
