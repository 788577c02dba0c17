"""What a flight of Gliss does to the board: lift, capture, put down, dock (L5, L12-L19)."""

from numba import njit

from ludarium.core.bits import JIT, borrowed
from ludarium.games.gliss.board import BASES, TOWERS, arms, away, rows_of


@njit(**JIT)
def toggle(state, rows, r, c, dr, w):
    """Lift the three stones of a glider, or put them down."""
    state = borrowed(state)
    core = 1 << c
    state[rows + r] ^= core | away(core, w)
    state[rows + r + dr] ^= core


@njit(**JIT)
def lift(state, player, r, c):
    """Remove the glider with this core; the fourth stone of a base stays, as a tower (L5, L13).

    Returns (dr, w) of the glider.
    """
    state = borrowed(state)
    rows = rows_of(player)
    dr, w = arms(state, rows, r, c)
    toggle(state, rows, r, c, dr, w)
    base = (state[rows + r + dr] >> (c + 1 - w)) & 1
    state[BASES + player] -= base
    state[TOWERS + player] += base
    return dr, w


@njit(**JIT)
def capture(state, player, r, c):
    """Remove the free glider that has a stone here, or the glider of a base with its core here.

    (L12, L13)
    """
    state = borrowed(state)
    rows = rows_of(player)
    if ((state[rows + r - 1] | state[rows + r + 1]) >> c) & 1 == 0:  # a horizontal arm
        c += 1 if (state[rows + r] >> (c + 1)) & 1 else -1
    elif ((state[rows + r] >> (c - 1)) | (state[rows + r] >> (c + 1))) & 1 == 0:  # a vertical arm
        r += 1 if (state[rows + r + 1] >> c) & 1 else -1
    lift(state, player, r, c)


@njit(**JIT)
def land(state, player, r, c, dr, w, under_arm):
    """Capture, put the lifted glider down and dock (L12-L19)."""
    state = borrowed(state)
    own, foe = rows_of(player), rows_of(1 - player)
    side = c + 1 - w  # the column of the horizontal arm and of the dock
    if (state[foe + r] >> c) & 1 and not under_arm:
        capture(state, 1 - player, r, c)
    if (state[foe + r + dr] >> c) & 1:  # empty if that stone was removed with the core's glider
        capture(state, 1 - player, r + dr, c)
    if (state[foe + r] >> side) & 1:
        capture(state, 1 - player, r, side)
    toggle(state, own, r, c, dr, w)
    dock = 1 << side
    if state[own + r + dr] & dock:  # L16
        state[TOWERS + player] -= 1
        state[BASES + player] += 1
    elif state[foe + r + dr] & dock:
        beyond = state[own + r + 2 * dr] | state[foe + r + 2 * dr]
        beside = state[own + r + dr] | state[foe + r + dr]
        if not (beyond & dock or beside & away(dock, w)):  # it is a tower, and touches no friend
            state[foe + r + dr] ^= dock
            state[own + r + dr] |= dock
            state[TOWERS + 1 - player] -= 1
            state[BASES + player] += 1
