"""The planes of Gygès: what each channel of the 6 x 6 observation shows, and the kernel for it."""

import numpy as np
from numba import njit

from ludarium.core.bits import JIT, U, borrowed
from ludarium.core.status import RUNNING
from ludarium.games.gyges.rules import (
    DROP,
    GOAL_ROW,
    HAND,
    MAX_TURNS,
    MOVER,
    ONE,
    ONES,
    PHASE,
    PLAYER,
    SETUP,
    STATUS,
    THREES,
    TURN,
    TWOS,
    ZERO,
    open_cells,
    playable,
    turned,
)

LATE, VERY_LATE = 40, 10  # turns to max_turns

PLANES = (
    "pieces of one ring",
    "pieces of two rings",
    "pieces of three rings",
    "pieces that I may move",
    "pieces that they may move",
    "the piece that has just moved",
    "cells for the piece in hand",
    "cells next to the goal that I enter",
    "a piece of one ring is in hand",
    "a piece of two rings is in hand",
    "a piece of three rings is in hand",
    "the first rows are being set up",
    f"{LATE} turns or fewer to max_turns",
    f"{VERY_LATE} turns or fewer to max_turns",
    "I am to move",
    "ones",
)
SHAPE = (6, 6, len(PLANES))

# The sixteen planes of a cell are two words of eight bytes: those above that differ from cell to
# cell, and those that are the same everywhere. A byte of 1 in each place of a word:
BYTE = np.eye(8, dtype=np.uint8).view(np.uint64).reshape(-1)
ONE_IN_HAND, SET_UP, NEAR, NEARER, TO_MOVE, ALWAYS = 0, 3, 4, 5, 6, 7


@njit(**JIT)
def observe(state, player, planes):
    """Write the observation of `player` (0 or 1, to move or not) over planes int8[6 * 6 * 16]."""
    state, planes = borrowed(state), borrowed(planes)
    mine, theirs = playable(state, player), playable(state, 1 - player)
    one, two, three = state[ONES], state[TWOS], state[THREES]
    mover = room = ZERO
    everywhere = BYTE[ALWAYS]
    if state[PHASE] == DROP:
        mover = ONE << state[MOVER]
        room = open_cells(one | two | three, np.int64(state[PLAYER]))
        everywhere |= BYTE[ONE_IN_HAND + np.int64(state[HAND]) - 1]
    elif state[PHASE] == SETUP:
        everywhere |= BYTE[SET_UP]
    left = np.int64(state[MAX_TURNS]) - np.int64(state[TURN])
    if left <= LATE:
        everywhere |= BYTE[NEAR]
    if left <= VERY_LATE:
        everywhere |= BYTE[NEARER]
    if state[STATUS] == RUNNING and np.int64(state[PLAYER]) == player:
        everywhere |= BYTE[TO_MOVE]
    goal = GOAL_ROW[0]  # the farthest row of either view
    if player:
        one, two, three = turned(one), turned(two), turned(three)
        mine, theirs, mover, room = turned(mine), turned(theirs), turned(mover), turned(room)
    words = planes.view(np.uint64)
    for cell in range(36):
        c = U(cell)
        words[2 * cell] = (
            (one >> c & ONE) * BYTE[0]
            | (two >> c & ONE) * BYTE[1]
            | (three >> c & ONE) * BYTE[2]
            | (mine >> c & ONE) * BYTE[3]
            | (theirs >> c & ONE) * BYTE[4]
            | (mover >> c & ONE) * BYTE[5]
            | (room >> c & ONE) * BYTE[6]
            | (goal >> c & ONE) * BYTE[7]
        )
        words[2 * cell + 1] = everywhere


def shape(options):
    """Return the shape (H, W, C) of an observation."""
    return SHAPE
