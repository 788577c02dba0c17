"""The planes of Gliss: what each channel of the n x n observation shows, and the kernel for it."""

from numba import njit

from ludarium.core.bits import JIT, U, borrowed, lowest, store8
from ludarium.core.status import RUNNING
from ludarium.games.gliss.board import (
    CHOSEN,
    MAX_TURNS,
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
)

EARLY = 2  # with fewer turns completed, the next one ends without a look at the bases (L20)
LATE = 10  # turns to max_turns

PLANES = (
    *(
        f"{whose} {kind}"
        for whose in ("my", "their")
        for kind in ("bases", "glider cores", "glider arms", "towers")
    ),
    "the chosen glider",
    "my towers >= 11",
    "their towers >= 11",
    "their towers >= 12",
    f"fewer than {EARLY} turns are completed",
    f"{LATE} turns or fewer to max_turns",
    "I am to move",
    "ones",
)
NUM_PLANES = len(PLANES)
# A vertex takes two words of eight bytes, a byte for each plane. The first shows its stone, the
# second is the same all over the board, but for its first byte: the chosen glider.
CHOSEN_PLANE = 8

BOTH = 1 | 1 << 32  # the lowest bit of both halves: the viewer's stones are in the low half


@njit(**JIT)
def flags(state, player):
    """Return the second word of every vertex, as the player sees the game."""
    state = borrowed(state)
    mine, theirs = state[TOWERS + player], state[TOWERS + 1 - player]
    word = U(1) << U(56)
    word |= U(mine >= 11) << U(8)
    word |= U(theirs >= 11) << U(16)
    word |= U(theirs >= 12) << U(24)
    word |= U(state[TURN] < EARLY) << U(32)
    word |= U(state[MAX_TURNS] - state[TURN] <= LATE) << U(40)
    word |= U((state[STATUS] == RUNNING) & (state[PLAYER] == player)) << U(48)
    return word


@njit(**JIT)
def place_of(n, player, r, c):
    """Return where the planes of a vertex begin, as the player sees the board."""
    v = (r - TOP) * n + c - 1
    return (n * n - 1 - v if player else v) * NUM_PLANES


@njit(**JIT)
def observe(state, player, planes):
    """Write the observation of `player` (0 or 1, to move or not) over planes int8[n * n * 16]."""
    state, planes = borrowed(state), borrowed(planes)
    n = state[SIZE]
    second = flags(state, player)
    for i in range(0, n * n * NUM_PLANES, NUM_PLANES):
        store8(planes, i, U(0))
        store8(planes, i + 8, second)
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
