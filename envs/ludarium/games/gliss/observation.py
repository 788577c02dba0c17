"""The planes of Gliss: what each channel of the n x n observation shows, and the kernel for it."""

from numba import njit

from ludarium.core.bits import JIT, U, borrowed, store_cells
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

ONE, HALF = U(1), U(32)  # rows of both players in one word: the viewer's are in the low half


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
    rest = flags(state, player)
    own = rows_of(player)
    foe = ROWS - own
    # a row of vertices is written in blocks of eight; the last one overlaps the one before it
    size = n * NUM_PLANES
    at, down, turn = 0, size, U(0)
    if player:  # the half-turn of the board: from the last row up, from the last column back
        at, down, turn = (n - 1) * size, -size, ~U(0)
    last = (n - 8) * NUM_PLANES
    above = pair_above = U(0)
    here = U(state[own + TOP]) | U(state[foe + TOP]) << HALF
    pair = here & here >> ONE
    for r in range(TOP, n + TOP):
        below = U(state[own + r + 1]) | U(state[foe + r + 1]) << HALF
        pair_below = below & below >> ONE
        left = pair & (pair_above | pair_below)
        base = left | left << ONE
        beside, near = here << ONE | here >> ONE, above | below
        core = here & near & beside & ~base
        tower = here & ~(near | beside)
        arm = here ^ base ^ core ^ tower
        for i in range(0, last, 8 * NUM_PLANES):
            j = i // NUM_PLANES
            column = U(n - j) if player else U(1 + j)
            store_cells(planes, at + i, column, turn, base, core, arm, tower, rest)
        column = U(8) if player else U(n - 7)
        store_cells(planes, at + last, column, turn, base, core, arm, tower, rest)
        at += down
        above, here, pair_above, pair = here, below, pair, pair_below
    if state[CHOSEN] != NONE:
        r, c = state[CHOSEN] >> 5, state[CHOSEN] & 31
        dr, w = arms(state, rows_of(state[PLAYER] & 1), r, c)
        planes[place_of(n, player, r, c) + CHOSEN_PLANE] = 1
        planes[place_of(n, player, r + dr, c) + CHOSEN_PLANE] = 1
        planes[place_of(n, player, r, c + 1 - w) + CHOSEN_PLANE] = 1


def shape(options):
    """Return the shape (H, W, C) of an observation."""
    return (options["board_size"], options["board_size"], NUM_PLANES)
