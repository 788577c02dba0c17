"""Look into an observation: planes, the action mask, and the meaning of action numbers.

python examples/02_action_mask.py --game sphlag
"""

import argparse

import numpy as np

import ludarium


def main() -> None:
    """Show the first decision of a game as both players see it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=ludarium.list_games(), default="sphlag")
    arguments = parser.parse_args()

    env = ludarium.make(arguments.game)
    env.reset(seed=1)
    observation, _, _, _, info = env.last()
    planes, mask = observation["observation"], observation["action_mask"]
    print(f"planes {planes.dtype} {planes.shape}, mask {mask.dtype} {mask.shape}")
    assert np.array_equal(mask, info["action_mask"])  # some libraries look for the mask there

    state = env.game_state
    for action in np.flatnonzero(mask)[:5]:
        print(f"  {action} is {state.action_to_string(action)}")

    # The agent that is not to move sees the board too, and has no legal action.
    other = next(agent for agent in env.agents if agent != env.agent_selection)
    print(f"{other}: {env.observe(other)['action_mask'].sum()} legal actions")

    # What each plane shows, in this position
    for number, name in enumerate(state.game.observation_planes):
        print(f"  plane {number:2d} has {int(planes[:, :, number].sum()):3d} ones: {name}")

    # An illegal action: the mover loses (the default), tries again, or gets an exception.
    strict = ludarium.make(arguments.game, illegal="raise")
    strict.reset(seed=1)
    try:
        strict.step(int(np.flatnonzero(mask == 0)[0]))
    except ludarium.IllegalActionError as error:
        print(f"refused: {error}")


if __name__ == "__main__":
    main()
