"""Walk a game and its slow reference side by side, and stop at the first difference.

    python tests/lockstep.py sphlag --turns 200000 --seed 1

At every decision of a walk the sets of legal actions, at every position the text, and at the end
the results are compared. `tests/<game>/walks.py` says how walks start and how they choose; it is
what makes rare things happen.
"""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ludarium

sys.path.insert(0, str(Path(__file__).parent))


def walk(game: Any, walks: Any, choose: Callable[..., str], rng: random.Random) -> Iterator[int]:
    """Play one game; yields the number of turns completed after every action."""
    text = walks.start(rng, game)
    state = game.state_from_string(text)
    position = walks.reference.parse(text)
    while True:
        where = state.to_string()
        assert where == walks.reference.text(position), where
        result = walks.reference.result(position)
        if result is not None:
            assert state.is_terminal() and not state.is_truncated(), f"{where}: not over"
            assert state.returns() == list(result), f"{where}: {state.returns()} != {result}"
            assert state.legal_actions() == []
            return
        if state.turn_number() >= game.max_turns:
            assert state.is_truncated() and state.returns() == [0, 0], f"{where}: not truncated"
            return
        theirs = walks.decisions(position)
        ours = {state.action_to_string(a): a for a in state.legal_actions()}
        assert len(ours) == len(state.legal_actions()), f"{where}: two actions of one name"
        assert set(ours) == set(theirs), (
            f"{where}: too many {sorted(set(ours) - set(theirs))}, "
            f"too few {sorted(set(theirs) - set(ours))}"
        )
        action = choose(rng, position, sorted(theirs))
        state.apply_action(ours[action])
        position = walks.play(position, action)
        yield state.turn_number()


def walks_of(name: str) -> Any:
    """Return the module tests/<game>/walks.py."""
    return importlib.import_module(f"{name}.walks")


def lockstep(
    name: str, turns: int, seed: int, options: dict[str, Any] | None = None
) -> Iterator[int]:
    """Walk until `turns` turns are done, each kind of walk in its turn; yields turns done."""
    walks = walks_of(name)
    rng = random.Random(seed)
    done = 0
    games = [ludarium.load_game(name, **{**o, **(options or {})}) for o in walks.OPTIONS]
    while done < turns:
        for game in games:
            for choose in walks.CHOOSERS:
                last = None
                for number in walk(game, walks, choose, rng):
                    if last is not None and number != last:
                        done += 1
                        yield done
                    last = number
                    if done >= turns:
                        return


def main() -> None:
    """Run from the command line."""
    import argparse

    from rich.progress import Progress

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("game", choices=ludarium.list_games())
    parser.add_argument("--turns", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with Progress() as progress:
        task = progress.add_task(arguments.game, total=arguments.turns)
        for done in lockstep(arguments.game, arguments.turns, arguments.seed):
            progress.update(task, completed=done)
    print(
        f"{arguments.game}: {arguments.turns} turns in lock-step with the reference, no difference"
    )


if __name__ == "__main__":
    main()
