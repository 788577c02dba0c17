"""Openings: a few random turns that a game begins with, so that no two games need be the same.

Agents without chance play one game for ever. So the two games of a pair, in which the players swap
seats, begin with the same random turns, and every pair with others.
"""

from __future__ import annotations

import functools

import numpy as np

from ludarium.core.game import Game, kernels_for
from ludarium.core.state import State

ENOUGH = 1000  # different openings that a game should have at least
MOST_TURNS = 6
TRIES = 100


@functools.lru_cache(maxsize=32)
def opening_turns(game: Game) -> int:
    """Return how many turns an opening has: even, and with enough different ones.

    At least one turn is left to play below `max_turns`.
    """
    state = game.new_initial_state(0)
    left = game.max_turns - state.turn_number() - 1
    for turns in range(2, MOST_TURNS + 1, 2):
        if turns > left:
            return max(0, turns - 2)
        if turns == MOST_TURNS or _sequences(state, turns, ENOUGH) == ENOUGH:
            return turns
    return MOST_TURNS


def _sequences(state: State, turns: int, most: int) -> int:
    """Count the sequences of `turns` whole turns, like `perft`, but only up to `most`.

    It plays them with the kernel of single steps, which a match needs anyway: compiling that of
    `perft` takes seconds.
    """
    last, found, left = state.turn_number() + turns, 0, [state]
    while left and found < most:
        here = left.pop()
        if here.turn_number() >= last:
            found += 1
        elif not here.is_terminal():
            left += [here.child(action) for action in here.legal_actions()]
    return found


def opening_seed(seed: int, number: int) -> int:
    """Return the seed of the opening of game `number` of a match; two games share one."""
    words = np.random.SeedSequence([seed, number // 2, 1]).generate_state(1, np.uint64)
    return int(words[0]) >> 11


def play_opening(state: State, seed: int) -> State:
    """Return the state after random turns that leave the game open.

    Not ended, and the player to move can neither win nor draw at once. Where no such turns are
    found in many tries, the state itself.

    Args:
        state: the start; stays as it is.
        seed: decides the turns.
    """
    turns = opening_turns(state.game)
    rng = np.random.default_rng(seed)
    kernels = kernels_for(state.game.type, "ludarium.agents.turn_kernels")
    for _ in range(TRIES):
        opened = state.clone()
        last = state.turn_number() + turns
        while opened.turn_number() < last and not opened.is_terminal():
            legal = opened.legal_actions()
            opened.apply_action(legal[int(rng.integers(len(legal)))])
        if not opened.is_terminal() and kernels.best_result(opened._array) == kernels.NOTHING:
            return opened
    return state.clone()
