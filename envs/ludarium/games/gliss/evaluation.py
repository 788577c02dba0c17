"""What agents know of Gliss beyond its rules: immediate wins, and what a position is worth."""

import numpy as np
from numba import njit

from ludarium.core.bits import JIT, borrowed, lowest
from ludarium.core.status import WON_0
from ludarium.games.gliss.board import (
    BASES,
    CHOSEN,
    NONE,
    PLAYER,
    ROWS,
    SIZE,
    STATUS,
    TOP,
    TOWERS,
    TURN,
    arms,
    rows_of,
    vertex,
)
from ludarium.games.gliss.flight import HIGH, LIST, SCRATCH_SIZE, fly, under
from ludarium.games.gliss.rules import (
    CHOOSE,
    FIRST_TURN_CHECKED,
    LAND,
    TOWERS_TO_WIN,
    apply,
    candidates,
    number_of,
    random_action,
)

# ---------------------------------------------------------------- playouts

AT_ONCE = 2  # a landing hits two enemy shapes at most (L14)
APART = 3  # corners of two bases that one L touches are no farther apart, in rows and columns


@njit(**JIT)
def bases_in(state, rows, bases):
    """Write rows of the stones that stand in bases; returns whether one landing may hit them all.

    bases is int64[ROWS + 4], written: at its end the first and last row and column of the stones.
    """
    state, bases = borrowed(state), borrowed(bases)
    bases[:] = 0
    found, first_r, first_c = 0, 0, 0
    last_r, low_c, high_c = 0, ROWS, 0
    for r in range(TOP, state[SIZE] + TOP - 1):
        x, y = state[rows + r], state[rows + r + 1]
        corner = x & (x >> 1) & y & (y >> 1)
        square = corner | (corner << 1)
        bases[r] |= square
        bases[r + 1] |= square
        while corner:
            c = lowest(corner)
            corner &= corner - 1
            if found == 0:
                first_r, first_c = r, c
            elif r - first_r > APART or abs(c - first_c) > APART:
                return False
            last_r, low_c, high_c = r + 1, min(low_c, c), max(high_c, c + 1)
            found += 1
    bases[ROWS], bases[ROWS + 1], bases[ROWS + 2], bases[ROWS + 3] = first_r, last_r, low_c, high_c
    return found > 0


@njit(**JIT)
def may_reach(state, bases, rows, r, c):
    """Return whether the bases lie where the glider with this core can fly, along its two arms."""
    state, bases = borrowed(state), borrowed(bases)
    dr, w = arms(state, rows, r, c)
    vertical = bases[ROWS + 1] >= r if dr > 0 else bases[ROWS] <= r
    return vertical and (bases[ROWS + 2] <= c if w else bases[ROWS + 3] >= c)


@njit(**JIT)
def winning_landing(state, scratch, bases, core):
    """Return the landing of a glider that takes the opponent's last bases, -1 if none does.

    Args:
        state: in either phase.
        scratch: written.
        bases: int64[ROWS + 4], of bases_in() for the opponent.
        core: of the glider.
    """
    state, scratch, bases = borrowed(state), borrowed(scratch), borrowed(bases)
    player = state[PLAYER] & 1
    for r in range(ROWS):
        scratch[r] = 0
    if fly(state, scratch, core, LIST) == 0:
        return np.int64(-1)
    dr, w = arms(state, rows_of(player), core >> 5, core & 31)
    for r in range(TOP, state[SIZE] + TOP):
        row = scratch[r]
        if row == 0:
            continue
        hits = under(bases[r], bases[r + dr], w)
        row &= hits | hits << HIGH
        while row:
            c = lowest(row)
            row &= row - 1
            after = state.copy()
            after[CHOSEN] = core
            landing = number_of(state, LAND + (c >> 5), r, c & 31)
            apply(after, landing)
            if after[STATUS] == WON_0 + player:
                return landing
    return np.int64(-1)


@njit(**JIT)
def winning_first(state, scratch):
    """Return the next action of a turn that takes the opponent's last bases (L20), else -1."""
    state, scratch = borrowed(state), borrowed(scratch)
    player = state[PLAYER] & 1
    few = state[BASES + 1 - player] <= AT_ONCE
    if not few or state[TURN] + 1 < FIRST_TURN_CHECKED or state[BASES + 1 - player] == 0:
        return np.int64(-1)
    bases = np.empty(ROWS + 4, np.int64)
    if not bases_in(state, rows_of(1 - player), bases):
        return np.int64(-1)
    if state[CHOSEN] != NONE:
        return winning_landing(state, scratch, bases, state[CHOSEN])
    flights = np.empty(SCRATCH_SIZE, np.int64)
    own = rows_of(player)
    candidates(state, scratch)
    for r in range(TOP, state[SIZE] + TOP):
        cores = scratch[r] >> HIGH
        while cores:
            c = lowest(cores)
            cores &= cores - 1
            if not may_reach(state, bases, own, r, c):
                continue
            if winning_landing(state, flights, bases, vertex(r, c)) >= 0:
                return number_of(state, CHOOSE, r, c)
    return np.int64(-1)


@njit(**JIT)
def playout_action(state, scratch, rng):
    """Return the next action of a turn that wins by capture, else a random one, -1 if none."""
    state, scratch, rng = borrowed(state), borrowed(scratch), borrowed(rng)
    action = winning_first(state, scratch)
    if action >= 0:
        return action
    return random_action(state, scratch, rng)


# ---------------------------------------------------------------- evaluation

BASE, TOWER, LAST_TOWERS, FREE_GLIDER = 20, 12, 6, 4


@njit(**JIT)
def _worth(state, player):
    """Return the worth of one player's bases, towers and free gliders."""
    state = borrowed(state)
    rows = rows_of(player)
    stones = np.int64(0)
    for r in range(TOP, state[SIZE] + TOP):
        row = state[rows + r]
        while row:
            row &= row - 1
            stones += 1
    bases, towers = state[BASES + player], state[TOWERS + player]
    gliders = (stones - 4 * bases - towers) // 3
    worth = BASE * bases + TOWER * towers + FREE_GLIDER * gliders
    if towers > TOWERS_TO_WIN // 2:
        worth += LAST_TOWERS * (towers - TOWERS_TO_WIN // 2)
    if bases == 1:  # the last one: its loss is the end
        worth -= BASE
    return worth


@njit(**JIT)
def evaluate(state, player):
    """Return what a running position is worth for a player.

    A base counts 20, a tower 12 and from the seventh on 18, a free glider 4; a single base counts
    nothing, as its loss is the end.
    """
    state = borrowed(state)
    return _worth(state, player) - _worth(state, 1 - player)
