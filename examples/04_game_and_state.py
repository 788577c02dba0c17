"""Games and states without an environment, with the method names of OpenSpiel, for search.

python examples/04_game_and_state.py --game sphlag
"""

import argparse
import random

import ludarium


def main() -> None:
    """Play, look ahead, go back, and read a position from its text."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=ludarium.list_games(), default="sphlag")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    game = ludarium.load_game(arguments.game)
    state = game.new_initial_state(seed=arguments.seed)
    print(f"{game}: {game.num_distinct_actions} actions, observations {game.observation_shape}")

    rng = random.Random(arguments.seed)
    for _ in range(3):
        state.apply_action(rng.choice(state.legal_actions()))
    print(state)  # a diagram, in the middle of a turn too

    # child() does not change the state, so no action has to be taken back.
    text, after = next(ludarium.turns(state))
    print(f"after {text}, player {after.current_player()} is to move")

    # Counting the turns to some depth is the standard check of rules.
    print(f"turns from here: {ludarium.perft(state, 1)}")

    # One line of text describes a position exactly, also in the middle of a turn or after the end.
    line = state.to_string()
    assert game.state_from_string(line) == state
    print(line)

    # The board symmetries, for data augmentation: gathers over the observation and the mask
    planes, mask = state.observation_tensor(), state.legal_actions_mask()
    for over_planes, over_actions in game.symmetries():
        image = planes.reshape(-1)[over_planes].reshape(planes.shape)
        print(f"an image with {image.sum()} ones and {mask[over_actions].sum()} legal actions")


if __name__ == "__main__":
    main()
