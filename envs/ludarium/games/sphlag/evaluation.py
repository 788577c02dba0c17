"""What agents know of Sphlag beyond its rules: immediate wins, and what a position is worth."""

import numpy as np
from numba import njit

from ludarium.core.bits import JIT, below, borrowed, count, lowest
from ludarium.games.sphlag.rules import ACTION as ACTIONS
from ludarium.games.sphlag.rules import (
    GOAL,
    HOLES,
    ONE,
    PASSES,
    PLAYER,
    RED,
    ROWS,
    ZERO,
    bit_of,
    half_turn,
    legal,
    nth_action,
    position_of,
    settle,
    upon,
)
from ludarium.games.sphlag.rules import LANDINGS as ENDS
from ludarium.games.sphlag.rules import PASS as PASSING

# ---------------------------------------------------------------- playouts


@njit(**JIT)
def passing_wins(own, foe, player):
    """Return whether the second pass in a row wins for the one who passes (S20)."""
    mine, theirs = count(own & GOAL[player]), count(foe & GOAL[1 - player])
    return mine > theirs or (mine == theirs and count(own) < count(foe))


@njit(**JIT)
def winning_row(state, scratch, player):
    """Return an action among those of legal() that brings the second contact (S19), else -1.

    Without a contact now it takes a drop onto the upper touch hole, and so a sphere of the player
    above it.
    """
    state, scratch = borrowed(state), borrowed(scratch)
    own, foe = state[player], state[1 - player]
    goal = GOAL[player]
    if not own & goal and not own & upon(goal):
        return np.int64(-1)
    filled = own | foe | RED
    for row in range(np.int64(scratch[ROWS])):
        x, ends = scratch[row], scratch[ENDS + row]
        rest = own ^ x
        if x and upon(x) & filled:
            rest, _, _ = settle(own, foe, filled, x)
        contacts = count(rest & goal)
        if contacts == ONE:
            ends &= goal
        elif contacts == ZERO:
            ends = ZERO
        if ends:
            end = lowest(ends)
            return ACTIONS[player, lowest(x) if x else end, end]
    return np.int64(-1)


@njit(**JIT)
def playout_action(state, scratch, rng):
    """Return an action that wins at once, else a random one.

    A second pass in a row ends the game: it is played only to win, or with nothing else to do.
    """
    state, scratch, rng = borrowed(state), borrowed(scratch), borrowed(rng)
    player = np.int64(state[PLAYER])
    n = legal(state, scratch)
    action = winning_row(state, scratch, player)
    if action >= 0:
        return action
    if state[PASSES]:
        if passing_wins(state[player], state[1 - player], player):
            return np.int64(PASSING)
        if n > 1:
            n -= 1  # the pass is the last of them
    return nth_action(state, scratch, below(rng, n))


# ---------------------------------------------------------------- evaluation


def _nearness(hole):
    """Return 0 to 12: how near a hole is to the lower flag, in rows and columns."""
    return sum(position_of(hole))


NEAR = np.zeros((2, 64), np.int64)  # [player, bit]
for _hole in HOLES:
    NEAR[0, bit_of(half_turn(_hole))] = _nearness(_hole)
    NEAR[1, bit_of(_hole)] = _nearness(_hole)

CONTACT = 40  # worth of a sphere that touches the opposing flag; nearness is worth 1 a step


@njit(**JIT)
def _worth(board, player):
    """Return the worth of one player's spheres: contacts, and the nearness of the best three."""
    worth = CONTACT * np.int64(count(board & GOAL[player]))
    first = second = third = np.int64(0)
    while board:
        near = NEAR[player, lowest(board)]
        board &= board - ONE
        if near > first:
            first, second, third = near, first, second
        elif near > second:
            second, third = near, second
        elif near > third:
            third = near
    return worth + 2 * first + 2 * second + third


@njit(**JIT)
def evaluate(state, player):
    """Return what a running position is worth for a player: contacts and spheres on their way.

    A contact counts 40; the three spheres nearest to the opposing flag count a step each, the
    first two double. The turn counts 6.
    """
    state = borrowed(state)
    worth = _worth(state[player], player) - _worth(state[1 - player], 1 - player)
    return worth + (6 if np.int64(state[PLAYER]) == player else -6)
