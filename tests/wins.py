"""Make tests/<game>/wins.jsonl: positions in which somebody can force a win, or must avoid a loss.

    python tests/wins.py sphlag --each 8 --seed 1 > tests/sphlag/wins.jsonl

Games of middling players supply the positions, and a fast search picks those worth a look. What is
written is proven by exhaustive search with tests/<game>/reference.py, to two turns of the player to
move and one of the opponent in between. A line has `kind`, `pos` (text) and `turns`, all that do:

    win1    turns that win at once; there are some
    win2    turns after which every answer allows a turn that wins; there are some, and no win1
    save    turns that neither lose nor let the opponent win at once; there are some, at most half
            of all turns, and no win1
"""

from __future__ import annotations

import argparse
import functools
import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import ludarium
from ludarium.agents import make_agent
from ludarium.core.game import kernels_for

sys.path.insert(0, str(Path(__file__).parent))

PLAYERS = ("greedy", "random", "alphabeta:1")
KINDS = ("win1", "win2", "save")


class Prover:
    """Exhaustive search with the reference of a game."""

    def __init__(self, name: str) -> None:
        self.reference: Any = importlib.import_module(f"{name}.reference")
        self.turns = functools.lru_cache(maxsize=200_000)(self.reference.turns)
        self.won_by = functools.lru_cache(maxsize=200_000)(self._won_by)

    def _won_by(self, position: Any) -> float | None:
        """The score of player 0 in a finished game, None in a running one."""
        result = self.reference.result(position)
        return None if result is None else float(result[0])

    def wins(self, position: Any, sign: int) -> list[str]:
        """The turns that win at once for the player to move, who has `sign`."""
        return [t for t, after in self.turns(position).items() if self.won_by(after) == sign]

    def can_win(self, position: Any, sign: int) -> bool:
        """Whether there is such a turn."""
        return any(self.won_by(after) == sign for after in self.turns(position).values())

    def forces(self, after: Any, sign: int) -> bool:
        """Whether every answer to a turn, `after` it, allows a win at once."""
        if self.won_by(after) is not None:
            return False
        for answered in self.turns(after).values():
            result = self.won_by(answered)
            if result == sign:
                continue
            if result is not None or not self.can_win(answered, sign):
                return False
        return True

    def safe(self, after: Any, sign: int) -> bool:
        """Whether a turn, `after` it, neither loses nor lets the opponent win at once."""
        result = self.won_by(after)
        if result is not None:
            return result != -sign
        return not self.can_win(after, -sign)


def positions(game: Any, seed: int) -> Iterator[Any]:
    """Yield whole-turn positions from the last part of games, a few of each."""
    rng = np.random.default_rng(seed)
    while True:
        agents = [make_agent(PLAYERS[rng.integers(len(PLAYERS))]) for _ in range(2)]
        state = game.new_initial_state(int(rng.integers(2**32)))
        found, turn = [], -1
        while not state.is_terminal():
            if state.turn_number() != turn:
                turn = state.turn_number()
                found.append(state.clone())
            state.apply_action(agents[state.current_player()].select_action(state, rng))
        yield from (found[-k] for k in (1, 2, 3, 4, 5) if k <= len(found))


def seem_safe(state: Any) -> float:
    """Return which part of all turns seems to be safe, by the kernels."""
    kernels = kernels_for(state.game.type, "ludarium.agents.turn_kernels")
    player, safe, count = state.current_player(), 0, 0
    for _, after in ludarium.turns(state):
        count += 1
        if after.is_terminal():
            safe += after.returns()[player] == 0
        else:
            safe += kernels.best_result(after._array) != kernels.WIN
    return safe / count


def find(
    name: str, each: int, seed: int, kinds: tuple[str, ...] = KINDS
) -> Iterator[dict[str, Any]]:
    """Yield so many positions of each kind."""
    game, prover = ludarium.load_game(name), Prover(name)
    searcher, rng = make_agent("alphabeta:3"), np.random.default_rng(seed)
    wanted = dict.fromkeys(kinds, each)
    seen: set[str] = set()
    for state in positions(game, seed):
        text, sign = state.to_string(), 1 - 2 * state.current_player()
        if text in seen:
            continue
        seen.add(text)
        analysis = searcher.analyse(state, rng)
        sure = analysis.proven and analysis.value > 0
        position = prover.reference.parse(text)
        kind = "save"
        if sure:
            kind = "win1" if analysis.depth == 1 else "win2"
        if not wanted.get(kind) or (kind == "save" and not 0 < seem_safe(state) <= 0.5):
            continue
        if kind == "win1":
            turns = prover.wins(position, sign)
            assert turns, text
        elif kind == "win2":
            turns = [t for t, a in prover.turns(position).items() if prover.forces(a, sign)]
            assert turns and not prover.can_win(position, sign), text
        else:
            everything = prover.turns(position)
            turns = [t for t, after in everything.items() if prover.safe(after, sign)]
            if not turns or 2 * len(turns) > len(everything) or prover.can_win(position, sign):
                continue
        yield {"kind": kind, "pos": text, "turns": sorted(turns)}
        wanted[kind] -= 1
        if not any(wanted.values()):
            return


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("game", choices=ludarium.list_games())
    parser.add_argument("--each", type=int, default=8, help="positions of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    arguments = parser.parse_args()
    kinds = tuple(arguments.kinds)
    for line in find(arguments.game, arguments.each, arguments.seed, kinds):
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
