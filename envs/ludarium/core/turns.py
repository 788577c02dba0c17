"""Counting and listing the whole turns from a position."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ludarium.core.errors import show
from ludarium.core.options import as_int
from ludarium.core.state import State, check_state

MAX_DEPTH = 1000  # in turns
CHUNK = 100_000  # actions played between two moments in which a signal can be handled


def check_depth(depth: Any) -> int:
    """Return a number of turns to count to.

    Raises:
        ValueError: It is not an int, 0 to 1000.
    """
    number = as_int(depth)
    if number is None or not 0 <= number <= MAX_DEPTH:
        raise ValueError(f"depth={show(depth)} is not allowed: depth is an int, 0 to {MAX_DEPTH}")
    return number


def perft(state: State, depth: int) -> int:
    """Count the sequences of `depth` whole turns from a state.

    A game that ends early adds nothing to deeper counts. A half-made turn counts as one. The count
    grows with the depth like a power of the number of legal turns, and so does the time; signals,
    like that of Ctrl-C, end it at once.

    >>> import ludarium
    >>> ludarium.perft(ludarium.load_game("sphlag").new_initial_state(), 1)
    6

    Raises:
        ValueError: The depth is not an int, 0 to 1000, or a turn has more actions than the game
            declares.
        TypeError: `state` is not a `State`.
    """
    check_state(state)
    number = check_depth(depth)
    if number == 0:
        return 1
    game = state.game
    if state.is_terminal() or state.turn_number() + number > game.max_turns:
        return 0
    kernels = game.type.kernels
    levels = kernels.rules.ACTIONS_PER_TURN * number + 1
    arrays = (
        np.zeros(3, np.int64),
        np.empty((levels, len(state._array)), state._array.dtype),
        np.empty((levels, kernels.rules.MAX_ACTIONS), np.int64),
        np.zeros(levels, np.int64),
    )
    kernels.perft_begin(state._array, number, *arrays)
    while not kernels.perft_advance(CHUNK, *arrays):
        pass
    total = int(arrays[0][kernels.PERFT_COUNT])
    if total == kernels.PERFT_TOO_LONG:
        most = kernels.rules.ACTIONS_PER_TURN
        raise ValueError(
            f"a turn of {game.name} has more actions than rules.ACTIONS_PER_TURN, {most}"
        )
    return total


def turns(state: State) -> Iterator[tuple[str, State]]:
    """Return an iterator over the distinct turns from a state: text and state after it.

    The text of a whole turn is the texts of its actions joined; from a half-made turn only the rest
    is listed.

    >>> import ludarium
    >>> state = ludarium.load_game("sphlag").new_initial_state()
    >>> [text for text, after in ludarium.turns(state)][:3]
    ['G3/0', 'E5/0', 'G5/0']

    Raises:
        TypeError: `state` is not a `State`.
    """
    check_state(state)  # now, and not when the first turn is asked for
    return _turns(state)


def _turns(state: State) -> Iterator[tuple[str, State]]:
    number = state.turn_number()
    for action in state.legal_actions():
        text, after = state.action_to_string(action), state.child(action)
        if after.turn_number() == number and not after.is_terminal():
            for rest, end in _turns(after):
                yield text + rest, end
        else:
            yield text, after
