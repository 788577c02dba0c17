"""The rules of Gliss: legal actions, playing one, and the end.

Everything here is jitted and works on one game at a time. ``RULES.md`` has the rulings L1-L23,
board.py how a state is laid out, flight.py how gliders fly, landing.py what a landing does.

Actions, 4 n^2 + 1 of them, are relative to the player to move, who sees his own side below: player
1 sees the half-turn of the board.

    plane 0   build the base whose lower left vertex this is
    plane 1   choose the glider whose core stands here
    plane 2   land with the core here; with a choice, capture under the core
    plane 3   land with the core here, capturing under the arm
    then      fly off the board

The vertices of a plane are numbered row by row from the far left. The scratch array lists legal
actions by absolute vertices: rows of bits, two planes at once (see flight.py).
"""

import numpy as np
from numba import njit

from ludarium.core.bits import JIT, U, below, borrowed, count, lowest, store8
from ludarium.core.status import RUNNING, WON_0, WON_1
from ludarium.games.gliss.board import (
    BASES,
    CHOSEN,
    END,
    MAX_SIZE,
    MAX_TURNS,
    NONE,
    PLAYER,
    ROWS,
    SIZE,
    STATE_SIZE,
    STATUS,
    TOP,
    TOWERS,
    TURN,
    rows_of,
    vertex,
)
from ludarium.games.gliss.flight import (
    HIGH,
    OFF,
    PROBE,
    SCRATCH_DTYPE,
    SCRATCH_SIZE,
    fly,
    landings,
    strike_grounded,
)
from ludarium.games.gliss.landing import land, lift

__all__ = [
    "ACTIONS_PER_TURN",
    "MAX_ACTIONS",
    "MAX_TURNS",
    "PHASES",
    "PLAYER",
    "SCRATCH_DTYPE",
    "SCRATCH_SIZE",
    "STATUS",
    "TURN",
    "apply",
    "blank_state",
    "check_end",
    "legal",
    "list_actions",
    "new_game",
    "nth_action",
    "phase",
    "random_action",
    "write_mask",
]

PHASES = ("choose", "land")  # the decisions of a turn, in words
BUILD, CHOOSE, LAND, LAND_UNDER_ARM, FLY_OFF = range(5)
ACTIONS_PER_TURN = 2  # at most: a glider is chosen, then it lands
MAX_ACTIONS = 2 * MAX_SIZE**2 + 1  # no phase has more

TOWERS_TO_WIN = 12  # L21
FIRST_TURN_CHECKED = 3  # L20

# ---------------------------------------------------------------- action numbers


@njit(**JIT)
def number_of(state, plane, r, c):
    """Return the number of an action; a build is given by its absolute lower left vertex."""
    state = borrowed(state)
    n = state[SIZE]
    v = (r - TOP) * n + c - 1
    if state[PLAYER]:
        v = n * n - 1 - v
        if plane == BUILD:  # seen from the other side another vertex is the lower left one
            v += n - 1
    return plane * n * n + v


@njit(**JIT)
def meaning_of(state, action):
    """Return (plane, r, c) of an action: the inverse of number_of()."""
    state = borrowed(state)
    n = state[SIZE]
    size = n * n
    plane = action // size
    if plane == FLY_OFF:
        return plane, 0, 0
    v = action - plane * size
    if state[PLAYER]:
        if plane == BUILD:
            v -= n - 1
        v = size - 1 - v
    r = v // n
    return plane, r + TOP, v - r * n + 1


# ---------------------------------------------------------------- legal actions


@njit(**JIT)
def candidates(state, scratch):
    """List builds and all gliders, whether they can fly or not; returns their number.

    A loop of fixed length without branches: the compiler does several rows at once.
    """
    state, scratch = borrowed(state), borrowed(scratch)
    own = rows_of(state[PLAYER] & 1)
    foe = ROWS - own
    n = state[SIZE]
    columns = (1 << n) - 2  # of lower left vertices
    total = 0
    for r in range(TOP, END):
        a, b, x, y = state[own + r - 2], state[own + r - 1], state[own + r], state[own + r + 1]
        core = x & (b | y) & ((x << 1) | (x >> 1))
        pair = b | x
        taken = pair | a | y | (pair << 1) | (pair >> 1) | state[foe + r - 1] | state[foe + r]
        rows = columns if (r > TOP) & (r < n + TOP) else 0
        scratch[r] = (rows & ~(taken | (taken >> 1))) | core << HIGH  # L4, L5
        total += count(scratch[r])
    return total


@njit(**JIT)
def legal(state, scratch):
    """List the legal actions of a phase; returns their number, 0 if there is none (L22)."""
    state, scratch = borrowed(state), borrowed(scratch)
    if state[CHOSEN] != NONE:
        return landings(state, scratch)
    return candidates(state, scratch) - strike_grounded(state, scratch)


@njit(**JIT)
def nth_listed(state, scratch, k):
    """Return (plane, r, c) of the k-th action listed in scratch."""
    state, scratch = borrowed(state), borrowed(scratch)
    plane = LAND if state[CHOSEN] != NONE else BUILD
    for r in range(TOP, state[SIZE] + TOP):
        row = scratch[r]
        n = count(row)
        if k < n:
            for _ in range(k):
                row &= row - 1
            c = lowest(row)
            return plane + (c >> 5), r, c & 31
        k -= n
    return FLY_OFF, 0, 0


@njit(**JIT)
def nth_action(state, scratch, k):
    """Return the k-th of the actions that legal() found, 0 <= k < their number."""
    state, scratch = borrowed(state), borrowed(scratch)
    plane, r, c = nth_listed(state, scratch, k)
    if plane == FLY_OFF:
        return FLY_OFF * state[SIZE] * state[SIZE]
    return number_of(state, plane, r, c)


@njit(**JIT)
def list_actions(state, scratch, actions):
    """Write the numbers of the actions that legal() found, in no order; returns how many."""
    state, scratch, actions = borrowed(state), borrowed(scratch), borrowed(actions)
    plane = LAND if state[CHOSEN] != NONE else BUILD
    k = 0
    for r in range(TOP, state[SIZE] + TOP):
        row = scratch[r]
        while row:
            c = lowest(row)
            row &= row - 1
            actions[k] = number_of(state, plane + (c >> 5), r, c & 31)
            k += 1
    if plane == LAND and scratch[OFF]:
        actions[k] = FLY_OFF * state[SIZE] * state[SIZE]
        k += 1
    return k


@njit(**JIT)
def random_action(state, scratch, rng):
    """Return a uniformly drawn legal action, or -1 if there is none.

    A first action is chosen at random from all candidates, and again without it when it is a
    glider that cannot fly. That is uniform too, and tests one or two gliders instead of all.
    """
    state, scratch, rng = borrowed(state), borrowed(scratch), borrowed(rng)
    if state[CHOSEN] != NONE:
        return nth_action(state, scratch, below(rng, landings(state, scratch)))
    total = candidates(state, scratch)
    while total:
        plane, r, c = nth_listed(state, scratch, below(rng, total))
        if plane == BUILD or fly(state, scratch, vertex(r, c), PROBE):
            return number_of(state, plane, r, c)
        scratch[r] ^= 1 << (c + HIGH)
        total -= 1
    return np.int64(-1)


# ---------------------------------------------------------------- the mask


@njit(**JIT)
def spread(bits):
    """Return a uint64 whose byte k is bit k of these eight, and of 0s and 1s only."""
    picked = bits * U(0x0101010101010101) & U(0x8040201008040201)
    return (picked + U(0x7F7F7F7F7F7F7F7F)) >> U(7) & U(0x0101010101010101)


@njit(**JIT)
def spread_back(bits):
    """Return a uint64 whose byte k is bit 7 - k of these eight, and of 0s and 1s only."""
    picked = bits * U(0x0101010101010101) & U(0x0102040810204080)
    return (picked + U(0x7F7F7F7F7F7F7F7F)) >> U(7) & U(0x0101010101010101)


@njit(**JIT)
def write_builds(state, scratch, mask):
    """Write the plane of builds, eight vertices at a time.

    What is written past the end of a row is written over by the next row, or by the next plane.
    """
    state, scratch, mask = borrowed(state), borrowed(scratch), borrowed(mask)
    n = state[SIZE]
    low = U(0xFFFFFFFF)
    for i in range(n):
        for j in range(0, n, 8):
            if state[PLAYER]:  # vertex j + k from bit n - 1 - j - k, one row on: see number_of
                bits = ((U(scratch[n + TOP - i]) & low) << U(16)) >> U(n + 8 - j)
                word = spread_back(bits & U(255))
            else:  # from bit j + k + 1
                bits = (U(scratch[i + TOP]) & low) >> U(j + 1)
                word = spread(bits & U(255))
            store8(mask, i * n + j, word)


@njit(**JIT)
def write_mask(state, scratch, mask):
    """Write the actions that legal() found as int8[4 n^2 + 1] of zeros and ones."""
    state, scratch, mask = borrowed(state), borrowed(scratch), borrowed(mask)
    n = state[SIZE]
    choosing = state[CHOSEN] == NONE
    plane, shift = LAND, 0
    if choosing:
        write_builds(state, scratch, mask)
        plane, shift = CHOOSE, HIGH
        mask[n * n :] = 0
    else:
        mask[:] = 0
        mask[FLY_OFF * n * n] = scratch[OFF]
    for r in range(TOP, n + TOP):
        row = scratch[r] >> shift
        while row:
            c = lowest(row)
            row &= row - 1
            mask[number_of(state, plane + (c >> 5), r, c & 31)] = 1


# ---------------------------------------------------------------- playing


def blank_state(options):
    """Return an empty state with the game's options: board_size and max_turns."""
    state = np.zeros(STATE_SIZE, np.int64)
    state[SIZE] = options["board_size"]
    state[MAX_TURNS] = options["max_turns"]
    return state


@njit(**JIT)
def new_game(state, rng):
    """Set up the empty board; SIZE and MAX_TURNS stay, and chance is not used."""
    state, rng = borrowed(state), borrowed(rng)
    for i in range(2 * ROWS):
        state[i] = 0
    state[PLAYER] = 0
    state[CHOSEN] = NONE
    state[TURN] = 0
    state[STATUS] = RUNNING
    for i in range(2):
        state[BASES + i] = 0
        state[TOWERS + i] = 0


@njit(**JIT)
def check_end(state):
    """Set STATUS by the rules, the player not to move having made the last turn (L20, L21)."""
    state = borrowed(state)
    player = state[PLAYER]
    state[STATUS] = RUNNING
    if state[CHOSEN] != NONE:
        return
    if state[TURN] >= FIRST_TURN_CHECKED and state[BASES + 1 - player] == 0:
        state[STATUS] = WON_0 + player
    elif state[TURN] >= FIRST_TURN_CHECKED and state[BASES + player] == 0:
        state[STATUS] = WON_1 - player
    elif state[TOWERS + player] >= TOWERS_TO_WIN:
        state[STATUS] = WON_0 + player


@njit(**JIT)
def apply(state, action):
    """Play a legal action of a running game, and check the end after a whole turn."""
    state = borrowed(state)
    player = state[PLAYER] & 1
    plane, r, c = meaning_of(state, action)
    if plane == CHOOSE:
        state[CHOSEN] = vertex(r, c)
        return
    if plane == BUILD:
        rows = rows_of(player)
        base = 3 << c
        state[rows + r] |= base
        state[rows + r - 1] |= base
        state[BASES + player] += 1
    else:
        core = state[CHOSEN]
        dr, w = lift(state, player, core >> 5, core & 31)
        if plane != FLY_OFF:
            land(state, player, r, c, dr, w, plane == LAND_UNDER_ARM)
    state[CHOSEN] = NONE
    state[PLAYER] = 1 - player
    state[TURN] += 1
    check_end(state)


@njit(**JIT)
def phase(state):
    """Return the index in PHASES of the decision to make."""
    return 1 if state[CHOSEN] != NONE else 0
