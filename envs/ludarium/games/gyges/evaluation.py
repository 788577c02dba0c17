"""What agents know of Gygès beyond its rules: immediate wins, and what a position is worth."""

import numpy as np
from numba import njit

from ludarium.core.bits import JIT, U, below, borrowed, count, lowest
from ludarium.games.gyges.rules import (
    COUNT,
    FIRST_LANDING,
    GOAL,
    LANDINGS,
    MOVE,
    ONE,
    PHASE,
    PLAYER,
    SCRATCH_DTYPE,
    SCRATCH_SIZE,
    SIX,
    TO_GOAL,
    ZERO,
    landings,
    legal,
    nth_action,
    playable,
)

ALWAYS_A_TURN = True  # G5

# ---------------------------------------------------------------- playouts


@njit(**JIT)
def playout_action(state, scratch, rng):
    """Return the landing on the goal where there is one, else a random action."""
    state, scratch, rng = borrowed(state), borrowed(scratch), borrowed(rng)
    if state[PHASE] != MOVE:
        return nth_action(state, scratch, below(rng, legal(state, scratch)))
    player = np.int64(state[PLAYER])
    scratch[:COUNT] = ZERO
    total = ZERO
    movers = playable(state, player)
    while movers:
        cell = lowest(movers)
        movers &= movers - ONE
        ends = landings(state, cell, scratch)
        column = np.int64(cell % SIX)
        if ends & GOAL:
            seen = 5 - column if player else column
            return np.int64(FIRST_LANDING + LANDINGS * seen + TO_GOAL)
        scratch[column] = ends
        total += count(ends)
    scratch[COUNT] = total
    return nth_action(state, scratch, below(rng, np.int64(total)))


# ---------------------------------------------------------------- evaluation

THREAT, PIECE, TURN_WORTH = 60, 3, 10


@njit(**JIT)
def _prospects(state, player, scratch):
    """Return (landings on cells, whether one reaches the goal, movers), were it a player's turn."""
    state, scratch = borrowed(state), borrowed(scratch)
    mover = state[PLAYER]
    state[PLAYER] = U(player)
    ends, goal, movers = ZERO, False, np.int64(0)
    pieces = playable(state, player)
    while pieces:
        cell = lowest(pieces)
        pieces &= pieces - ONE
        reached = landings(state, cell, scratch)
        goal = goal or reached & GOAL != ZERO
        ends += count(reached & ~GOAL)
        movers += 1
    state[PLAYER] = mover
    return np.int64(ends), goal, movers


@njit(**JIT)
def evaluate(state, player):
    """Return what a running position is worth for a player: what each could do were it to move.

    A cell that a piece of the player's playable row can land on counts 1, such a piece 3, a way to
    the goal 60, and the turn 10. Until both first rows are set up every position is worth nothing.
    """
    state = borrowed(state)
    if state[PHASE] != MOVE:
        return np.int64(0)
    scratch = np.empty(SCRATCH_SIZE, SCRATCH_DTYPE)
    mine, threat, movers = _prospects(state, player, scratch)
    theirs, danger, others = _prospects(state, 1 - player, scratch)
    worth = mine - theirs + PIECE * (movers - others)
    worth += THREAT * (np.int64(threat) - np.int64(danger))
    return worth + (TURN_WORTH if np.int64(state[PLAYER]) == player else -TURN_WORTH)
