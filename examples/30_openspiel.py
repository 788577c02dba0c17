"""OpenSpiel's tree search against that of this package, with equal numbers of simulations.

python examples/30_openspiel.py --game gyges --games 4

Needs OpenSpiel: pip install open_spiel. Its search is written in Python and needs milliseconds
for a simulation, so a few games take up to a minute.
"""

import argparse

import numpy as np

import ludarium
from ludarium.arena import play_match

try:
    import pyspiel
    from open_spiel.python.algorithms import mcts
except ImportError as error:
    raise SystemExit(f"{error}; this example needs: pip install open_spiel") from error

from ludarium.wrappers.openspiel import BotAgent, register


def main() -> None:
    """Register the games with OpenSpiel, show one of them, and play a match."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=ludarium.list_games(), default="gyges")
    parser.add_argument("--simulations", type=int, default=20)
    parser.add_argument("--games", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--smoke", action="store_true", help="seconds only, to see that it runs")
    arguments = parser.parse_args()
    simulations = 3 if arguments.smoke else arguments.simulations
    options = "max_turns=20" if arguments.smoke else ""

    register()
    game = pyspiel.load_game(f"ludarium_{arguments.game}({options})")
    print(f"{game}: {game.num_distinct_actions()} actions, at most {game.max_game_length()} long")

    # Any algorithm of open_spiel.python takes the game; a turn of two actions is two of its moves.
    state = game.new_initial_state()
    rng = np.random.RandomState(arguments.seed)
    players: list[int] = []
    while len(players) < 24 and not state.is_terminal():
        players.append(state.current_player())
        state.apply_action(rng.choice(state.legal_actions()))
    print(f"players of some random actions: {players}\n{state}")

    evaluator = mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=rng)
    bot = mcts.MCTSBot(game, 1.4, simulations, evaluator, solve=True, random_state=rng)
    theirs = BotAgent(bot, game, name=f"openspiel:{simulations}")
    result = play_match(
        game.game,
        theirs,
        f"mcts:{simulations}",
        games=2 if arguments.smoke else arguments.games,
        seed=arguments.seed,
    )
    print(result)


if __name__ == "__main__":
    main()
