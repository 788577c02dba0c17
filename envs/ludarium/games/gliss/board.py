# mypy: ignore-errors
"""The board of Gliss as rows of bits: layout of a state, and how bits are read.

A state is int64[58]: 24 rows of Red's stones, 24 of Blue's, then what stands below under "the
state". A vertex is named by its padded row and column (r, c): r is counted from 2 at the top of the
board, c from 1 at the left, and bit c of row r is set where a stone stands.

              c = 0   1   2  ..  n  n+1
    r = 0, 1      .   .   .  ..  .   .      two empty rows above
    r = 2         .  a12 b12 .. l12  .      (here n = 12)
      ..
    r = n + 1     .  a1  b1  .. l1   .
    and more      .   .   .  ..  .   .      at least two empty rows below

Every vertex that a rule asks about can be read without asking whether it is on the board, and every
size from 12 to 19 fits: the same kernels serve all of them.

An L is described by its core and by its two arms:

    dr   1 or -1   the vertical arm stands in row r + dr
    w    0 or 2    the horizontal arm stands to the east (0) or to the west (2), in column c + 1 - w

so that one formula serves both sides. See `toward` and `away`.

Rows are found by `state[PLAYER] & 1`: then the compiler knows that no index is negative, and turns
the loops over rows into vectors.
"""

import numpy as np
from numba import config, njit, types
from numba.extending import intrinsic

U = np.uint64
JIT = {"cache": True, "nogil": True, "error_model": "numpy"}

# ---------------------------------------------------------------- the state

MAX_SIZE = 19
ROWS = 24  # rows of a colour, the empty ones included
TOP, END = 2, 22  # the rows that can hold stones are TOP to END - 1, on the largest board
SIZE, PLAYER, CHOSEN, TURN, MAX_TURNS, STATUS = range(2 * ROWS, 2 * ROWS + 6)
BASES, TOWERS = 54, 56  # BASES + player, TOWERS + player: how many stand on the board
STATE_SIZE = 58

NONE = 0  # value of CHOSEN when no glider is; otherwise the core, as vertex(r, c)
RUNNING, WON_0, WON_1, DRAWN, TRUNCATED = 0, 1, 2, 3, 4  # values of STATUS

# ---------------------------------------------------------------- bits and chance

if config.DISABLE_JIT:

    def lowest(x):
        """Return the index of the lowest bit of an integer that is not 0."""
        return (int(x) & -int(x)).bit_length() - 1

    def count(x):
        """Return the number of bits of an integer."""
        return int(x).bit_count()

    def times(x, y):
        """Return the low half of the product of two uint64."""
        return U(int(x) * int(y) & (2**64 - 1))

    def store8(array, index, word):
        """Write a uint64 over array[index : index + 8], int8, lowest byte first."""
        array[index : index + 8] = np.frombuffer(int(word).to_bytes(8, "little"), np.int8)

else:

    @intrinsic
    def lowest(typingctx, x):
        """Return the index of the lowest bit of an int64 that is not 0."""

        def codegen(context, builder, signature, arguments):
            from llvmlite import ir

            return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.int64), codegen

    @intrinsic
    def count(typingctx, x):
        """Return the number of bits of an int64."""

        def codegen(context, builder, signature, arguments):
            return builder.ctpop(arguments[0])

        return types.int64(types.int64), codegen

    @intrinsic
    def store8(typingctx, array, index, word):
        """Write a uint64 over array[index : index + 8], int8 and contiguous, lowest byte first.

        The place need not be aligned, and is not checked.
        """

        def codegen(context, builder, signature, arguments):
            from llvmlite import ir

            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            place = builder.gep(data, [arguments[1]])
            word = builder.bitcast(place, ir.IntType(64).as_pointer())
            builder.store(arguments[2], word, align=1)
            return context.get_dummy_value()

        return types.void(array, types.int64, types.uint64), codegen

    @njit(**JIT)
    def times(x, y):
        """Return the low half of the product of two uint64."""
        return x * y


@njit(**JIT)
def below(rng, bound):
    """Return a random integer in [0, bound) and advance rng, a xorshift64* stream uint64[1]."""
    x = rng[0]
    x ^= x >> U(12)
    x ^= x << U(25)
    x ^= x >> U(27)
    rng[0] = x
    return np.int64(((times(x, U(0x2545F4914F6CDD1D)) >> U(32)) * U(bound)) >> U(32))


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
    down = (state[rows + r + 1] >> c) & 1
    east = (state[rows + r] >> (c + 1)) & 1
    return 2 * down - 1, 2 - 2 * east


@njit(**JIT)
def towers_in(state, rows, r):
    """Return the control towers of a row: stones without a neighbour of their colour (L2)."""
    x = state[rows + r]
    return x & ~((x << 1) | (x >> 1) | state[rows + r - 1] | state[rows + r + 1])
