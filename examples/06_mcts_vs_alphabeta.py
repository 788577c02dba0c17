"""Two search agents look at a position, then play a match.

python examples/06_mcts_vs_alphabeta.py --game sphlag --games 20
"""

import argparse

import numpy as np

import ludarium
from ludarium.agents import SearchAgent, make_agent
from ludarium.arena import play_match


def main() -> None:
    """Show what both think of the start, and who wins."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=ludarium.list_games(), default="sphlag")
    parser.add_argument("--mcts", default="mcts:400", help="or a time, like mcts:100ms")
    parser.add_argument("--alphabeta", default="alphabeta:2", help="a depth in whole turns")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()

    game = ludarium.load_game(arguments.game)
    start = game.new_initial_state(seed=arguments.seed)
    for spec in (arguments.mcts, arguments.alphabeta):
        agent = make_agent(spec)
        if isinstance(agent, SearchAgent):  # value, principal line, visits
            analysis = agent.analyse(start, np.random.default_rng(arguments.seed))
            print(f"{spec} at the start of {game.name}\n{analysis}\n")

    # Seats are swapped after every game, and each pair of games has an opening of its own.
    result = play_match(
        game, arguments.mcts, arguments.alphabeta, games=arguments.games, seed=arguments.seed
    )
    low, high = result.interval
    print(
        f"{arguments.mcts} won {result.wins} of {result.games} games, lost {result.losses}; "
        f"{result.draws} were drawn, {result.truncations} cut off"
    )
    print(f"win rate {result.win_rate:.2f}, 95 % interval {low:.2f} to {high:.2f}")


if __name__ == "__main__":
    main()
