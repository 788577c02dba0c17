"""How gliders of Gliss fly (L5-L11), and which of them can.

A flight never turns back: each step goes along one of the two arms. So one sweep over the rows in
the direction of the vertical arm finds every landing. Stones are read as in board.py.
"""

import numpy as np
from numba import njit

from ludarium.core.bits import JIT, borrowed, count, lowest
from ludarium.games.gliss.board import (
    CHOSEN,
    END,
    PLAYER,
    ROWS,
    SIZE,
    TOP,
    arms,
    away,
    rows_of,
    toward,
    towers_in,
    vertex,
)

# The scratch array, int64[145]. Rows 0-23 list the legal actions of a phase by their vertices: in
# the low half builds or landings, in the high half gliders to choose or landings that capture under
# the arm. The rest is what `embedded` needs: rows of vertices, arms to the east in the low half and
# to the west in the high half.
UP, DOWN = ROWS, 2 * ROWS  # flights along the vertical arm from here succeed
GO_UP, GO_DOWN = 3 * ROWS, 4 * ROWS  # here an L cannot stop
FOE_TOWERS = 5 * ROWS
OFF = 6 * ROWS  # 1 if the chosen glider can fly off the board
SCRATCH_SIZE, SCRATCH_DTYPE = 6 * ROWS + 1, np.int64
HIGH = 32

# Arguments as NumPy numbers: for each plain literal Numba would compile the function once more.
EAST, WEST = np.int64(0), np.int64(2)  # w of board.py
PROBE, LIST = np.bool_(True), np.bool_(False)  # what fly() is for

# ---------------------------------------------------------------- where an L can stop


@njit(**JIT)
def blocked(behind, here, ahead, beyond, w):
    """Return the cores of a row from which an L must fly on (L7 a), friendly rows being given.

    The rows are those of the core, `here`, and of the vertical arm, `ahead`, and one to each side.
    No friendly stone may stand under the L or next to it, except a lone tower on the dock.
    """
    next_to_dock = toward(toward(ahead, w), w) | toward(beyond, w)
    return (
        (behind | toward(behind, w))
        | (away(here, w) | here | toward(here, w) | toward(toward(here, w), w))
        | (away(ahead, w) | ahead | (toward(ahead, w) & next_to_dock))
        | beyond
    )


@njit(**JIT)
def under(here, ahead, w):
    """Return the cores of a row whose L would cover one of these stones."""
    return here | ahead | toward(here, w)


@njit(**JIT)
def columns_for(n, w):
    """Return the columns in which a core keeps both its stones of the row on the board."""
    return ((1 << (n - 1)) - 1) << (1 + w // 2)


# ---------------------------------------------------------------- one glider


@njit(**JIT)
def two_gliders(state, foe, r, cores, dr, w):
    """Return those of these landings that hit exactly two stones of a base (L14).

    They are always the core and one arm: an L with both arms on a base has three stones on it.
    """
    state = borrowed(state)
    x = state[foe + r]
    above, below = state[foe + r - 1], state[foe + r + 1]
    left = x & (x >> 1) & ((above & (above >> 1)) | (below & (below >> 1)))  # of bases
    return cores & (left | (left << 1)) & (state[foe + r + dr] ^ toward(x, w))


@njit(**JIT)
def fly(state, scratch, core, probe):
    """List the ways to end the flight of the glider with this core; returns their number.

    With `probe` the result only tells whether there are any, and nothing is listed. Otherwise
    scratch[OFF] is set, and the rows of scratch[0:24] that the flight reaches are written.

    For each row the sweep needs two facts: where the flight enters it from the previous row, and
    how far it continues inside the row, through blocked vertices only.
    """
    state, scratch = borrowed(state), borrowed(scratch)
    own = rows_of(state[PLAYER] & 1)
    foe = ROWS - own
    n = state[SIZE]
    r, c = core >> 5, core & 31
    dr, w = arms(state, own, r, c)
    columns = columns_for(n, w)
    edge = 4 if w else 1 << (n - 1)  # the core's last column and last row: a step more is off
    last = n if dr > 0 else TOP + 1

    enter = start = 1 << c
    behind = state[own + r - dr]
    here = state[own + r] & ~(start | away(start, w))  # the glider is lifted (L5)
    ahead = state[own + r + dr] & ~start
    towers = towers_in(state, foe, r)
    total = off = 0
    while True:
        beyond = state[own + r + 2 * dr]
        towers_ahead = towers_in(state, foe, r + dr)
        go = (blocked(behind, here, ahead, beyond, w) & columns) | start
        start = 0  # a flight has at least one step
        on = enter & go
        if w:  # by doubling steps; `run` are the vertices that so long a step may cross
            run = go
            for k in (1, 2, 4, 8, 16):
                on |= run & (on >> k)
                run &= run >> k
        else:  # the carry of an addition runs through each run of blocked vertices
            on |= go & ~(go + on)
        stop = (enter | away(on, w)) & columns & ~go & ~under(towers, towers_ahead, w)  # L7 b, L8
        if r == last:
            off |= on != 0
        off |= (on & edge) != 0
        if probe:
            if off or stop:
                return 1
        else:
            choice = stop & state[foe + r]
            if choice:
                choice = two_gliders(state, foe, r, choice, dr, w)
            scratch[r] = stop | choice << HIGH
            total += count(scratch[r])
        if on == 0 or r == last:
            break
        behind, here, ahead, towers = here, ahead, beyond, towers_ahead
        enter = on
        r += dr
    if probe:
        return 0
    scratch[OFF] = off
    return total + off


# ---------------------------------------------------------------- all gliders at once


@njit(**JIT)
def straight(state, scratch):
    """Find the vertices from which straight flights along the vertical arm succeed.

    Writes scratch[UP + r] and scratch[DOWN + r].

    A flight succeeds if it comes to a landing or leaves the board. No glider is lifted here. That
    is correct for gliders in bases, at their own core: whatever their own stones block, the fourth
    stone, which stays, blocks too, and the core itself has to be left in any case.
    """
    state, scratch = borrowed(state), borrowed(scratch)
    own = rows_of(state[PLAYER] & 1)
    foe = ROWS - own
    n = state[SIZE]
    for r in range(TOP, END):
        scratch[FOE_TOWERS + r] = towers_in(state, foe, r)
    for r in range(TOP, END):
        a, b, x = state[own + r - 2], state[own + r - 1], state[own + r]
        y, z = state[own + r + 1], state[own + r + 2]
        up, here = scratch[FOE_TOWERS + r - 1], scratch[FOE_TOWERS + r]
        down = scratch[FOE_TOWERS + r + 1]
        go_up = blocked(y, x, b, a, EAST) | blocked(y, x, b, a, WEST) << HIGH
        go_down = blocked(b, x, y, z, EAST) | blocked(b, x, y, z, WEST) << HIGH
        scratch[GO_UP + r] = go_up
        scratch[GO_DOWN + r] = go_down
        scratch[UP + r] = ~(go_up | under(here, up, EAST) | under(here, up, WEST) << HIGH)
        scratch[DOWN + r] = ~(go_down | under(here, down, EAST) | under(here, down, WEST) << HIGH)
    columns = columns_for(n, EAST) | columns_for(n, WEST) << HIGH
    well = columns  # one step past the last row is off the board
    for r in range(TOP + 1, n + TOP):
        well = columns & (scratch[UP + r] | (scratch[GO_UP + r] & well))
        scratch[UP + r] = well
    well = columns
    for r in range(n + TOP - 2, TOP - 1, -1):
        well = columns & (scratch[DOWN + r] | (scratch[GO_DOWN + r] & well))
        scratch[DOWN + r] = well


@njit(**JIT)
def strike_grounded(state, scratch):
    """Strike the gliders that cannot fly from the high half of scratch[0:24]; returns how many.

    Most gliders stand in bases and have a straight flight, which one pass finds for all of them.
    The others are tested one by one.
    """
    state, scratch = borrowed(state), borrowed(scratch)
    straight(state, scratch)
    own = rows_of(state[PLAYER] & 1)
    struck = 0
    above = 0  # upper left corners of bases one row up
    for r in range(TOP, state[SIZE] + TOP):
        x, y = state[own + r], state[own + r + 1]
        corner = x & (x >> 1) & y & (y >> 1)
        well = (corner | corner << (HIGH + 1)) & scratch[DOWN + r]
        well |= (above | above << (HIGH + 1)) & scratch[UP + r]
        above = corner
        doubt = (scratch[r] >> HIGH) & ~(well | well >> HIGH)
        while doubt:
            c = lowest(doubt)
            doubt &= doubt - 1
            if not fly(state, scratch, vertex(r, c), PROBE):
                scratch[r] ^= 1 << (c + HIGH)
                struck += 1
    return struck


@njit(**JIT)
def landings(state, scratch):
    """List the ways to end the flight of the chosen glider; returns their number."""
    state, scratch = borrowed(state), borrowed(scratch)
    for r in range(ROWS):
        scratch[r] = 0
    return fly(state, scratch, state[CHOSEN], LIST)
