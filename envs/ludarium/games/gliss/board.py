"""The board of Gliss as rows of bits: layout of a state, and how its rows are read.

A state is int64[58]: 24 rows of Red's stones, 24 of Blue's, then the fields named below under
"the state". A vertex is named by its padded row and column (r, c): r is counted from 2 at the top
of the board, c from 1 at the left, and bit c of row r is set where a stone stands.

              c = 0   1   2  ..  n  n+1
    r = 0, 1      .   .   .  ..  .   .      two empty rows above
    r = 2         .  a12 b12 .. l12  .      (here n = 12)
      ..
    r = n + 1     .  a1  b1  .. l1   .
    and more      .   .   .  ..  .   .      at least two empty rows below

The empty border lets the rules read every vertex that they need without testing whether it is on
the board. Every size from 12 to 19 fits, so the same kernels serve all sizes.

An L is described by its core and by its two arms:

    dr   1 or -1   the vertical arm stands in row r + dr
    w    0 or 2    the horizontal arm stands to the east (0) or to the west (2), in column c + 1 - w

so that one formula serves both sides. See `toward` and `away`.

Rows of a player are located by `state[PLAYER] & 1`: the `& 1` tells the compiler that no index is
negative, so that it can vectorize the loops over rows.
"""

from numba import njit

from ludarium.core.bits import JIT, borrowed

# ---------------------------------------------------------------- the state

MAX_SIZE = 19
ROWS = 24  # rows of a colour, the empty ones included
TOP, END = 2, 22  # the rows that can hold stones are TOP to END - 1, on the largest board
SIZE, PLAYER, CHOSEN, TURN, MAX_TURNS, STATUS = range(2 * ROWS, 2 * ROWS + 6)
BASES, TOWERS = 54, 56  # BASES + player, TOWERS + player: numbers on the board
STATE_SIZE = 58

NONE = 0  # value of CHOSEN when no glider is chosen; otherwise its core, as vertex(r, c)

# ---------------------------------------------------------------- vertices and neighbours


@njit(**JIT)
def vertex(r, c):
    """Return a vertex as one number, from 65: r = it >> 5, c = it & 31."""
    return r << 5 | c


@njit(**JIT)
def toward(x, w):
    """Return the columns whose neighbour on the side of the horizontal arm is in x."""
    return (x << w) >> 1


@njit(**JIT)
def away(x, w):
    """Return the columns whose neighbour on the other side is in x.

    That is also where the stones of x come to stand when they step along the horizontal arm.
    """
    return (x << 1) >> w


@njit(**JIT)
def rows_of(player):
    """Return where the rows of a player begin."""
    return ROWS * player


@njit(**JIT)
def arms(state, rows, r, c):
    """Return (dr, w) of the glider with this core, a free one or one in a base."""
    state = borrowed(state)
    down = (state[rows + r + 1] >> c) & 1
    east = (state[rows + r] >> (c + 1)) & 1
    return 2 * down - 1, 2 - 2 * east


@njit(**JIT)
def towers_in(state, rows, r):
    """Return the control towers of a row: stones without a neighbour of their colour (L2)."""
    state = borrowed(state)
    x = state[rows + r]
    return x & ~((x << 1) | (x >> 1) | state[rows + r - 1] | state[rows + r + 1])
