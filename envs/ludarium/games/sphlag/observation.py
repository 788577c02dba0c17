"""The planes of Sphlag: what each channel of the 7 x 7 observation shows, and the kernel for it."""

import numpy as np
from numba import njit

from ludarium.core.bits import JIT, borrowed, count, lowest
from ludarium.core.status import RUNNING
from ludarium.games.sphlag.rules import (
    BLACK,
    HOLES,
    KO,
    MAX_TURNS,
    NO_BOARD,
    ONE,
    OWN_HALF,
    PASSES,
    PLAYER,
    STATUS,
    SUPPLY,
    TOUCH_LOWER,
    TURN,
    WHITE,
    ZERO,
    bit_of,
    half_turn,
    position_of,
)

LATE, VERY_LATE = 40, 10  # turns to max_turns

PLANES = tuple(
    f"{whose} spheres, level {level}{when}"
    for when in ("", ", before the last turn")
    for whose in ("my", "their")
    for level in (0, 1, 2)
) + (
    "my flag",
    "their flag",
    "walls",
    "my half",
    "holes that touch their flag",
    "holes that touch my flag",
    "the last turn was a pass",
    "my supply is empty",
    "their supply is empty",
    f"{LATE} turns or fewer to max_turns",
    f"{VERY_LATE} turns or fewer to max_turns",
    "I am to move",
    "ones",
)
NUM_PLANES = len(PLANES)
SHAPE = (7, 7, NUM_PLANES)
# Numbers of planes, as NumPy numbers: for each plain literal Numba would compile a function again.
MINE, THEIRS, MINE_BEFORE, THEIRS_BEFORE = np.arange(0, 12, 3, dtype=np.int64)
PASSED, MINE_OUT, THEIRS_OUT, NEAR, NEARER, TO_MOVE = np.arange(18, 24, dtype=np.int64)

# [player, bit] offset of (row, column, level) in the flat observation of that player
CELL = np.zeros((2, 64), np.int64)
for _hole in HOLES:
    for _player, _seen in enumerate((_hole, half_turn(_hole))):
        _column, _row = position_of(_seen)
        CELL[_player, bit_of(_hole)] = (7 * _row + _column) * NUM_PLANES + _hole[0]

# the planes that never change: the same for both players, each seeing the board from below
_terrain = np.zeros(SHAPE, np.int8)
_terrain[6, 6, 12] = _terrain[0, 0, 13] = _terrain[4, 2, 14] = _terrain[2, 4, 14] = 1
for _hole in OWN_HALF:
    _terrain[position_of(_hole)[1], position_of(_hole)[0], 15] = 1
for _hole in TOUCH_LOWER:
    _terrain[position_of(_hole)[1], position_of(_hole)[0], 17] = 1
    _terrain[6 - position_of(_hole)[1], 6 - position_of(_hole)[0], 16] = 1
_terrain[:, :, NUM_PLANES - 1] = 1
TERRAIN = _terrain.reshape(-1)


@njit(**JIT)
def _scatter(board, player, plane, planes):
    planes = borrowed(planes)
    while board:
        planes[CELL[player, lowest(board)] + plane] = 1
        board &= board - ONE


@njit(**JIT)
def _fill(plane, planes):
    planes = borrowed(planes)
    for cell in range(plane, 49 * NUM_PLANES, NUM_PLANES):
        planes[cell] = 1


@njit(**JIT)
def observe(state, player, planes):
    """Write the observation of `player` (0 or 1, to move or not) over planes int8[7 * 7 * C]."""
    state, planes = borrowed(state), borrowed(planes)
    for i in range(49 * NUM_PLANES):  # a loop: a slice assignment is three times as slow
        planes[i] = TERRAIN[i]
    own, foe = state[WHITE + player], state[BLACK - player]
    _scatter(own, player, MINE, planes)
    _scatter(foe, player, THEIRS, planes)
    if state[KO] != NO_BOARD:
        _scatter(state[KO + player], player, MINE_BEFORE, planes)
        _scatter(state[KO + 1 - player], player, THEIRS_BEFORE, planes)
    if state[PASSES] != ZERO:
        _fill(PASSED, planes)
    if count(own) >= SUPPLY:
        _fill(MINE_OUT, planes)
    if count(foe) >= SUPPLY:
        _fill(THEIRS_OUT, planes)
    left = np.int64(state[MAX_TURNS]) - np.int64(state[TURN])
    if left <= LATE:
        _fill(NEAR, planes)
        if left <= VERY_LATE:
            _fill(NEARER, planes)
    if state[STATUS] == RUNNING and np.int64(state[PLAYER]) == player:
        _fill(TO_MOVE, planes)


def shape(options):
    """Return the shape (H, W, C) of an observation."""
    return SHAPE
