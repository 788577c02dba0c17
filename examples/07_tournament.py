"""A round-robin tournament: a table with ratings; each game is appended to a file.

python examples/07_tournament.py --game sphlag --games 10 --out tournament.jsonl

If it is stopped or killed, the same command continues where it was. Ratings and workers need
`pip install "ludarium[arena]"`; `ludarium tournament` does the same from the command line.
"""

import argparse

import ludarium
from ludarium.arena import tournament


def main() -> None:
    """Play a tournament and print its table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=ludarium.list_games(), default="sphlag")
    parser.add_argument("--agents", default="random,greedy,mcts:50,alphabeta:1")
    parser.add_argument("--games", type=int, default=10, help="of each pair")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", help="file for the games")
    arguments = parser.parse_args()

    result = tournament(
        arguments.game,
        arguments.agents.split(","),
        games=arguments.games,
        seed=arguments.seed,
        record=arguments.out,
        workers=arguments.workers,
    )
    print(f"{'player':<14}{'rating':>8}{'95 % interval':>18}{'win rate':>10}{'ms a turn':>11}")
    for row in result.standings():
        rating, interval = "-", "-"
        if row.rating is not None:  # the rating of random is 0
            rating = f"{row.rating.value:.0f}"
            interval = f"{row.rating.low:.0f} to {row.rating.high:.0f}"
        print(
            f"{row.name:<14}{rating:>8}{interval:>18}{row.win_rate:>10.2f}{row.ms_per_turn:>11.2f}"
        )


if __name__ == "__main__":
    main()
