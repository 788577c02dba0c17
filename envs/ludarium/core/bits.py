"""What jitted code of all games and kernels shares: options of Numba, bits, and random numbers.

A leaf: it imports nothing of the package, so that every ``rules.py`` may import it. Boards are
int64 or uint64. A uint64 that meets an int64 silently becomes a float64, so constants that meet a
uint64 are made with `U`. Under ``NUMBA_DISABLE_JIT=1`` plain Python functions take the place of the
intrinsics.

The functions here are compiled into their callers and not cached by themselves; this file is part
of the digest that names each game's cache (see ``core/jit.py``).
"""

from typing import Any

import numpy as np
from numba import config, njit, types
from numba.extending import intrinsic

#: Options of every kernel: cached on disk, free of the GIL, no checks for division by zero, and
#: without an entry for C code, which nobody uses and which takes a tenth of the time to compile.
JIT: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
}
_INSIDE = {**JIT, "cache": False}  # of functions that are only compiled into others

U = np.uint64

# ---------------------------------------------------------------- bits


def _bit_function(plain, emit):
    """Return a function of an int64 or uint64 whose result has the same type.

    Args:
        plain: what it does to an int, without a compiler.
        emit: what it adds to the LLVM code, from a builder, the value and the constant true.
    """
    if config.DISABLE_JIT:
        return lambda x: U(plain(int(x))) if isinstance(x, np.uint64) else plain(int(x))

    @intrinsic
    def function(typingctx, x):
        def codegen(context, builder, signature, arguments):
            return emit(builder, arguments[0], context.get_constant(types.boolean, True))

        kind = types.uint64 if x == types.uint64 else types.int64
        return kind(kind), codegen

    return function


#: Index of the lowest bit that is set; the argument is not 0.
lowest = _bit_function(
    lambda x: (x & -x).bit_length() - 1, lambda builder, x, true: builder.cttz(x, true)
)
#: Number of zeros above the highest bit that is set; the argument is not 0.
zeros_above = _bit_function(
    lambda x: 64 - x.bit_length(), lambda builder, x, true: builder.ctlz(x, true)
)
#: Number of bits that are set.
count = _bit_function(lambda x: x.bit_count(), lambda builder, x, _: builder.ctpop(x))
#: The 64 bits in reverse order.
reverse = _bit_function(
    lambda x: int(f"{x:064b}"[::-1], 2), lambda builder, x, _: builder.bitreverse(x)
)

if config.DISABLE_JIT:

    def times(x, y):
        """Return the low half of the product of two uint64."""
        return U(int(x) * int(y) & (2**64 - 1))

    def store8(array, index, word):
        """Write a uint64 over array[index : index + 8], int8, lowest byte first."""
        array[index : index + 8] = np.frombuffer(int(word).to_bytes(8, "little"), np.int8)

    def store_cells(array, index, column, turn, first, second, third, fourth, rest):
        """Write eight cells of sixteen bytes over array[index : index + 128], int8.

        Byte k of cell j is bit `column` + j of the k-th of the four words, or `column` - j with
        turn 2**64 - 1 in place of 0; byte 4 + k is the bit 32 places higher. The last eight bytes
        of each cell are `rest`, lowest byte first.
        """
        for j in range(8):
            shift = int(column) + (-j if turn else j)
            words = [int(word) >> shift for word in (first, second, third, fourth)]
            cell = [word & 1 for word in words] + [word >> 32 & 1 for word in words]
            array[index + 16 * j : index + 16 * j + 8] = cell
            store8(array, index + 16 * j + 8, rest)

    def borrowed(arrays):
        """Return the same: only compiled code counts references one by one."""
        return arrays

else:

    @njit(**_INSIDE)
    def times(x, y):
        """Return the low half of the product of two uint64."""
        return x * y

    @intrinsic
    def store_cells(typingctx, array, index, column, turn, first, second, third, fourth, rest):
        """Write eight cells of sixteen bytes over array[index : index + 128], int8 and contiguous.

        Byte k of cell j is bit `column` + j of the k-th of the four words, or `column` - j with
        turn 2**64 - 1 in place of 0; byte 4 + k is the bit 32 places higher. The last eight bytes
        of each cell are `rest`, lowest byte first. The words are uint64, and so are column and
        turn. One vector store: a compiler does not find it in a loop, which takes twice as long.

        The place need not be aligned, and is not checked.
        """

        def codegen(context, builder, signature, arguments):
            from llvmlite import ir

            index, column, turn, *words, rest = arguments[1:]
            i32, vector = ir.IntType(32), ir.VectorType(ir.IntType(64), 8)
            unset = ir.Constant(vector, ir.Undefined)

            def constant(values):
                return ir.Constant(vector, list(values))

            def splat(word):
                one = builder.insert_element(unset, word, i32(0))
                return builder.shuffle_vector(
                    one, unset, ir.Constant(ir.VectorType(i32, 8), [0] * 8)
                )

            turned = splat(turn)  # (j ^ turn) - turn is j or -j
            steps = builder.sub(builder.xor(constant(range(8)), turned), turned)
            columns = builder.add(splat(column), steps)
            kinds = constant([0] * 8)
            for k, word in enumerate(words):
                both = builder.and_(builder.lshr(splat(word), columns), constant([1 | 1 << 32] * 8))
                kinds = builder.or_(kinds, builder.shl(both, constant([8 * k] * 8)))
            order = [i // 2 + 8 * (i & 1) for i in range(16)]  # kinds, rest, kinds, rest, ..
            order = ir.Constant(ir.VectorType(i32, 16), order)
            cells = builder.shuffle_vector(kinds, splat(rest), order)
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            place = builder.bitcast(builder.gep(data, [index]), cells.type.as_pointer())
            builder.store(cells, place, align=1)
            return context.get_dummy_value()

        return types.void(array, types.int64, *[types.uint64] * 7), codegen

    @intrinsic
    def borrowed(typingctx, arrays):
        """Return the same array, or tuple of arrays, without an owner: no references are counted.

        Compiled code counts a reference up and down for each array argument of each call, and for
        each row that it takes of an array; in small kernels that is a third of the time. A kernel
        that does ``state = borrowed(state)`` in its first line counts nothing from there on, nor
        do the kernels that it calls with such an array.

        Only for arguments, which the caller keeps alive until the kernel returns: never for an
        array that the kernel has made, whose memory would be freed too early, and never for what
        is returned to Python, whose memory would not be kept.
        """

        def disown(context, builder, kind, value):
            if isinstance(kind, types.BaseTuple):
                for i, part in enumerate(kind):
                    array = disown(context, builder, part, builder.extract_value(value, i))
                    value = builder.insert_value(value, array, i)
                return value
            made = context.make_array(kind)(context, builder, value)
            made.meminfo = made.meminfo.type(None)
            made.parent = made.parent.type(None)
            return made._getvalue()

        def codegen(context, builder, signature, arguments):
            return disown(context, builder, signature.args[0], arguments[0])

        return arrays(arrays), codegen

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


@njit(**_INSIDE)
def put(to, source):
    """Copy a one-dimensional array over the beginning of another one that is as long or longer.

    Kernels use it in place of a slice assignment, which compiles half as much again: the text of
    its error for shapes that differ.
    """
    for i in range(len(source)):
        to[i] = source[i]


# ---------------------------------------------------------------- random numbers


@njit(**_INSIDE)
def below(rng, bound):
    """Return a random integer in [0, bound) and advance rng, a xorshift64* stream uint64[1]."""
    x = rng[0]
    x ^= x >> U(12)
    x ^= x << U(25)
    x ^= x >> U(27)
    rng[0] = x
    return np.int64(((times(x, U(0x2545F4914F6CDD1D)) >> U(32)) * U(bound)) >> U(32))
