"""The planes of Gliss: what each channel of the n x n observation shows, and the kernel for it."""

from numba import njit

from ludarium.gliss.board import (
    CHOSEN,
    JIT,
    MAX_TURNS,
    NONE,
    PLAYER,
    ROWS,
    RUNNING,
    SIZE,
    STATUS,
    TOP,
    TOWERS,
    TURN,
    U,
    arms,
    lowest,
    rows_of,
    store8,
)

EARLY = 2  # with fewer turns completed, the next one ends without a look at the bases (L20)
LATE, LATER, LATEST = 40, 10, 2  # turns to max_turns

PLANES = (
    *(
        f"{whose} {kind}"
        for whose in ("my", "their")
        for kind in ("bases", "glider cores", "glider arms", "towers")
    ),
    "the chosen glider",
    "a glider is chosen",
    *(f"{whose} towers >= {number}" for whose in ("my", "their") for number in (10, 11, 12, 13)),
    f"fewer than {EARLY} turns are completed",
    *(f"{number} turns or fewer to max_turns" for number in (LATE, LATER, LATEST)),
    "I am to move",
    "ones",
)
NUM_PLANES = len(PLANES)
# A vertex takes three words of eight bytes, a byte for each plane. The first shows its stone. The
# others are the same all over the board, but for the first byte of the second: the chosen glider.
CHOSEN_PLANE = 8

BOTH = 1 | 1 << 32  # the lowest bit of both halves: the viewer's stones are in the low half


@njit(**JIT)
def flags(state, player):
    """Return the second and third word of every vertex, as the player sees the game."""
    mine, theirs = state[TOWERS + player], state[TOWERS + 1 - player]
    left = state[MAX_TURNS] - state[TURN]
    second = U(state[CHOSEN] != NONE) << U(8)
    third = U(1) << U(56)
    for i in range(4):
        second |= U(mine >= 10 + i) << U(16 + 8 * i)
    for i in range(2):
        second |= U(theirs >= 10 + i) << U(48 + 8 * i)
        third |= U(theirs >= 12 + i) << U(8 * i)
    third |= U(state[TURN] < EARLY) << U(16)
    third |= U(left <= LATE) << U(24)
    third |= U(left <= LATER) << U(32)
    third |= U(left <= LATEST) << U(40)
    third |= U((state[STATUS] == RUNNING) & (state[PLAYER] == player)) << U(48)
    return second, third


@njit(**JIT)
def place_of(n, player, r, c):
    """Return where the planes of a vertex begin, as the player sees the board."""
    v = (r - TOP) * n + c - 1
    return (n * n - 1 - v if player else v) * NUM_PLANES


@njit(**JIT)
def observe(state, player, planes):
    """Write the observation of `player` (0 or 1, to move or not) over planes int8[n * n * 24]."""
    n = state[SIZE]
    second, third = flags(state, player)
    for i in range(0, n * n * NUM_PLANES, NUM_PLANES):
        store8(planes, i, U(0))
        store8(planes, i + 8, second)
        store8(planes, i + 16, third)
    own = rows_of(player)
    foe = ROWS - own
    for r in range(TOP, n + TOP):
        stones = state[own + r] | state[foe + r] << 32
        above = state[own + r - 1] | state[foe + r - 1] << 32
        below = state[own + r + 1] | state[foe + r + 1] << 32
        beside = (stones << 1) | (stones >> 1)
        left = stones & (stones >> 1) & ((above & (above >> 1)) | (below & (below >> 1)))
        base = left | (left << 1)
        core = stones & (above | below) & beside & ~base
        tower = stones & ~(above | below | beside)
        arm = stones ^ base ^ core ^ tower
        occupied = (stones | stones >> 32) & 0xFFFFFFFF
        while occupied:
            c = lowest(occupied)
            occupied &= occupied - 1
            kind = (base >> c) & BOTH | ((core >> c) & BOTH) << 8
            kind |= ((arm >> c) & BOTH) << 16 | ((tower >> c) & BOTH) << 24
            store8(planes, place_of(n, player, r, c), U(kind))
    if state[CHOSEN] != NONE:
        r, c = state[CHOSEN] >> 5, state[CHOSEN] & 31
        dr, w = arms(state, rows_of(state[PLAYER] & 1), r, c)
        planes[place_of(n, player, r, c) + CHOSEN_PLANE] = 1
        planes[place_of(n, player, r + dr, c) + CHOSEN_PLANE] = 1
        planes[place_of(n, player, r, c + 1 - w) + CHOSEN_PLANE] = 1


def shape(options):
    """Return the shape (H, W, C) of an observation."""
    return (options["board_size"], options["board_size"], NUM_PLANES)
