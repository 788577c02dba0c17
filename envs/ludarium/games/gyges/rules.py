"""The rules of Gygès: layout of a state, legal actions, playing one, and the end.

Everything here is jitted and works on one game at a time. ``RULES.md`` has the rulings G1-G15.

Boards. One uint64 for the pieces of each number of rings; cell c is bit c. South sees the board as
drawn and plays upwards; North sees its half-turn, where cell c is 35 - c. Action numbers and
tensors count the cells in the same way, as the player to move sees them.

         the goal that South enters
    6    0   1   2   3   4   5
    5    6   7   8   9  10  11
    4   12  13  14  15  16  17
    3   18  19  20  21  22  23
    2   24  25  26  27  28  29
    1   30  31  32  33  34  35
         a   b   c   d   e   f

Segments (G9) are two boards: `across` has the segment from a cell to its right neighbour at the
bit of the cell, `along` that to its lower neighbour; none leads over the edge of the board.
"""

import numpy as np
from numba import njit

from ludarium.core.bits import JIT, U, below, borrowed, count, lowest, reverse, zeros_above
from ludarium.core.status import RUNNING, WON_1

# ---------------------------------------------------------------- the state: uint64[11]

ONES, TWOS, THREES = 0, 1, 2  # pieces by rings - 1
PHASE, MOVER, HAND = 3, 4, 5  # phase; in a drop the cell of the mover, rings of the piece in hand
PLAYER, TURN, STATUS = 6, 7, 8
MAX_TURNS, RANDOM = 9, 10  # the options; RANDOM is 1 where the first rows are drawn (G2)

SETUP, MOVE, DROP = 0, 1, 2  # values of PHASE
PHASES = ("setup", "move", "drop")  # the decisions of a turn, in words

# Scratch of legal(): landings from each of 6 columns, drop cells, number of actions, the mask in
# bits, the stack of landings(): a walk has 11 pieces to bounce off, by at most 36 paths from each.
DROPS, COUNT, BITS, STACK = 6, 7, 8, 14
SCRATCH_SIZE, SCRATCH_DTYPE = STACK + 4 * (11 * 36 + 1), np.uint64

# ---------------------------------------------------------------- actions

# as the mover sees them, in lexicographic order
ARRANGEMENTS = [r for r in np.ndindex((4,) * 6) if sorted(r) == [1, 1, 2, 2, 3, 3]]
TO_GOAL = 36  # the landing after those on cells 0-35
LANDINGS = 37  # of each column of the playable row
FIRST_LANDING = len(ARRANGEMENTS)
FIRST_DROP = FIRST_LANDING + 6 * LANDINGS
NUM_ACTIONS = FIRST_DROP + 36
ACTIONS_PER_TURN = 2  # at most: a landing, then a drop (G11)
MAX_ACTIONS = 6 * LANDINGS  # most legal actions at once

VIEW = np.array([range(37), [*range(35, -1, -1), 36]], np.int64)  # [player, cell or TO_GOAL]
FIRST_ROW = np.zeros((2, FIRST_LANDING, 3), np.uint64)  # [player, arrangement, rings - 1]
for _player, _i, _column in np.ndindex(2, FIRST_LANDING, 6):
    _bit = U(1 << int(VIEW[_player, 30 + _column]))
    FIRST_ROW[_player, _i, ARRANGEMENTS[_i][_column] - 1] |= _bit

# ---------------------------------------------------------------- geometry (plain Python, once)

# np.uint64 all of them: a uint64 mixed with an int64 silently becomes a float64
ZERO, ONE, TWO, THREE, FOUR, SIX, S28 = U(0), U(1), U(2), U(3), U(4), U(6), U(28)
BOARD, GOAL, ALONG = U(2**36 - 1), U(1 << TO_GOAL), U(2**30 - 1)
GOAL_ROW = np.array([63, 63 << 30], np.uint64)  # [player] the cells next to the goal to enter
ACROSS = U(sum(1 << cell for cell in range(36) if cell % 6 < 5))


def _paths(cell, left, between=0, across=0, along=0):
    """Yield (end, cells between, segments across, along) of each walk of `left` steps (G6, G9)."""
    if left == 0:
        yield cell, between, across, along
    for there in (cell - 6, cell - 1, cell + 1, cell + 6) if left else ():
        flat = there // 6 == cell // 6
        if 0 <= there < 36 and (flat or there % 6 == cell % 6):
            bit = 1 << min(cell, there)
            closed = (across | bit * flat, along | bit * (not flat))
            if closed != (across, along):
                yield from _paths(there, left - 1, between | (left > 1) << there, *closed)


# The paths of two and three steps from a to b: PATH[36 * (36 * (rings - 2) + a) + b] is four times
# the index of the first, plus their number. None leads over its own end: a bounce needs a piece.
PATH = np.zeros(2 * 36 * 36, np.uint16)
_found: list[tuple[int, int, int]] = []  # of each path: cells between, segments across, along
for _rings, _a in [(r, a) for r in (2, 3) for a in range(36)]:
    _from = list(_paths(_a, _rings))
    for _b in range(36):
        _some = [p[1:] for p in _from if p[0] == _b != _a and not p[1] >> _b & 1]
        PATH[36 * (36 * (_rings - 2) + _a) + _b] = len(_found) << 2 | len(_some)
        _found += _some
PATH_BETWEEN, PATH_ACROSS, PATH_ALONG = np.array(_found, np.uint64).T.copy()

# the bits of a byte as eight bytes
SPREAD = np.unpackbits(np.arange(256, dtype=np.uint8), bitorder="little").view(np.uint64)

# ---------------------------------------------------------------- boards


@njit(**JIT)
def turned(board):
    """Return the half-turn of a board; GOAL stays."""
    return reverse(board & BOARD) >> S28 | board & GOAL


@njit(**JIT)
def first_row(pieces, player):
    """Return the leftmost cell, 0, 6, .. 30, of the first row in which a player meets a piece."""
    return (lowest(pieces) if player else U(63) - zeros_above(pieces)) // SIX * SIX


@njit(**JIT)
def open_cells(filled, player):
    """Return the cells where a player may put a replaced piece down (G11)."""
    row = first_row(filled, 1 - player)
    reachable = (ONE << (row + SIX)) - ONE if player else ~((ONE << row) - ONE)
    return BOARD & ~filled & reachable


@njit(**JIT)
def beside(cells):
    """Return the neighbours of these cells."""
    flat = (cells & ACROSS) << ONE | (cells >> ONE) & ACROSS
    return flat | (cells & ALONG) << SIX | cells >> SIX


@njit(**JIT)
def playable(state, player):
    """Return the pieces that a player may move, were it that player's turn (G3, G4).

    Every cell has two neighbours or more, and the last cell of a count may be filled. So one ring
    suffices for a move (G5), two need an empty neighbour, three one with an empty neighbour.
    """
    state = borrowed(state)
    ones, twos, threes = state[ONES], state[TWOS], state[THREES]
    free = BOARD & ~(ones | twos | threes)
    near = beside(free)
    movers = ones | twos & near | threes & beside(free & near)
    return movers & U(63) << first_row(movers, player) if movers else ZERO


# ---------------------------------------------------------------- walking


@njit(**JIT)
def push(scratch, top, across, along, left, cell):
    """Put a place where a count begins on the stack of landings(); returns the new top."""
    scratch = borrowed(scratch)
    scratch[top], scratch[top + ONE] = across, along
    scratch[top + TWO], scratch[top + THREE] = left, cell
    return top + FOUR


@njit(**JIT)
def landings(state, start, scratch):
    """Return where the piece on a cell (uint64) can land, GOAL included (G6-G10).

    A depth-first search over bounces. An entry of the stack is a place where a count begins: the
    segments closed so far, the pieces left to bounce off, and the cell. All ends of a count are
    found at once, by shifting sets of cells; the paths to a bounce are taken one by one, as each
    closes segments of its own. A second bounce off one piece adds nothing (G9).
    """
    state, scratch = borrowed(state), borrowed(scratch)
    ones, threes = state[ONES], state[THREES]
    pieces = (ones | state[TWOS] | threes) ^ (ONE << start)
    free = BOARD & ~pieces  # the start counts as empty (G6)
    found = before_goal = ZERO
    bottom = U(STACK)
    top = push(scratch, bottom, ~ACROSS, ~ALONG, pieces, start)
    while top > bottom:
        top -= FOUR
        across, along = scratch[top], scratch[top + ONE]
        left, cell = scratch[top + TWO], scratch[top + THREE]
        row, column = ~across, ~along  # open segments
        x = ONE << cell
        e, w = (x & row) << ONE, (x >> ONE) & row  # one step in each direction
        s, n = (x & column) << SIX, (x >> SIX) & column
        if ones & x:
            found |= e | w | s | n
            before_goal |= x
            for end, flat, steep, there in (
                (e, x, ZERO, cell + ONE),
                (w, w, ZERO, cell - ONE),
                (s, ZERO, x, cell + SIX),
                (n, ZERO, n, cell - SIX),
            ):
                if end & left:
                    top = push(scratch, top, across | flat, along | steep, left ^ end, there)
            continue
        # further steps go straight on or turn; back would use the same segment
        e, w, s, n = e & free, w & free, s & free, n & free
        flat, steep = e | w, s | n
        paths = cell * U(36)
        if threes & x:
            e, w = ((e | steep) & row) << ONE & free, ((w | steep) >> ONE) & row & free
            s, n = ((s | flat) & column) << SIX & free, ((n | flat) >> SIX) & column & free
            flat, steep = e | w, s | n
            paths += U(36 * 36)
        before_goal |= flat | steep
        ends = ((e | steep) & row) << ONE | ((w | steep) >> ONE) & row
        ends |= ((s | flat) & column) << SIX | ((n | flat) >> SIX) & column
        found |= ends
        ends &= left
        while ends:
            end = lowest(ends)
            ends &= ends - ONE
            path = U(PATH[paths + end])
            for i in range(path >> TWO, (path >> TWO) + (path & THREE)):
                more, down = PATH_ACROSS[i], PATH_ALONG[i]
                if not PATH_BETWEEN[i] & pieces | more & across | down & along:
                    top = push(scratch, top, across | more, along | down, left ^ (ONE << end), end)
    if before_goal & GOAL_ROW[np.int64(state[PLAYER])]:
        found |= GOAL
    return found


# ---------------------------------------------------------------- legal actions


@njit(**JIT)
def legal(state, scratch):
    """List the legal actions; returns their number, never 0 (G5).

    scratch[0:6] holds the landings from each column a-f of the playable row (G3, G4),
    scratch[DROPS] the cells open to the piece in hand; each is empty in the other phases.
    """
    state, scratch = borrowed(state), borrowed(scratch)
    player = np.int64(state[PLAYER])
    scratch[:COUNT] = ZERO
    total = U(FIRST_LANDING)
    if state[PHASE] == DROP:
        scratch[DROPS] = open_cells(state[ONES] | state[TWOS] | state[THREES], player)
        total = count(scratch[DROPS])
    elif state[PHASE] == MOVE:
        movers = playable(state, player)
        total = ZERO
        while movers:
            cell = lowest(movers)
            movers &= movers - ONE
            scratch[cell % SIX] = landings(state, cell, scratch)
            total += count(scratch[cell % SIX])
    scratch[COUNT] = total
    return np.int64(total)


@njit(**JIT)
def write_mask(state, scratch, mask):
    """Write the actions that legal() found as int8[348] of zeros and ones."""
    state, scratch, mask = borrowed(state), borrowed(scratch), borrowed(mask)
    bits = scratch[BITS : BITS + 6]  # written out eight at a time
    bits[:] = ZERO
    if state[PHASE] == SETUP:
        bits[0], bits[1] = ~ZERO, (ONE << U(FIRST_LANDING - 64)) - ONE
    for column in range(7):  # the last is DROPS
        ends = scratch[column]
        if state[PLAYER]:
            ends = turned(scratch[column if column == DROPS else 5 - column])
        at = FIRST_LANDING + LANDINGS * column  # never a multiple of 64
        bits[at // 64] |= ends << U(at % 64)
        bits[at // 64 + 1] |= ends >> U(64 - at % 64)
    words = mask[: NUM_ACTIONS // 8 * 8].view(np.uint64)
    for i in range(NUM_ACTIONS // 8):
        words[i] = SPREAD[bits[i // 8] >> U(i % 8 * 8) & U(255)]
    for i in range(NUM_ACTIONS // 8 * 8, NUM_ACTIONS):
        mask[i] = bits[i // 64] >> U(i % 64) & ONE


@njit(**JIT)
def nth_action(state, scratch, k):
    """Return the k-th of the actions that legal() found, 0 <= k < their number."""
    state, scratch = borrowed(state), borrowed(scratch)
    player = np.int64(state[PLAYER])
    if state[PHASE] == SETUP:
        return np.int64(k)
    column, n = 0, np.int64(count(scratch[0]))
    while k >= n:
        k -= n
        column += 1
        n = np.int64(count(scratch[column]))
    ends = scratch[column]
    for _ in range(k):
        ends &= ends - ONE
    seen = 5 - column if player and column != DROPS else column
    return FIRST_LANDING + LANDINGS * seen + VIEW[player, lowest(ends)]


@njit(**JIT)
def list_actions(state, scratch, actions):
    """Write the numbers of the actions that legal() found, in no order; returns how many."""
    state, scratch, actions = borrowed(state), borrowed(scratch), borrowed(actions)
    for k in range(np.int64(scratch[COUNT])):
        actions[k] = nth_action(state, scratch, k)
    return np.int64(scratch[COUNT])


@njit(**JIT)
def random_action(state, scratch, rng):
    """Return a uniformly drawn legal action."""
    state, scratch, rng = borrowed(state), borrowed(scratch), borrowed(rng)
    return nth_action(state, scratch, below(rng, legal(state, scratch)))


# ---------------------------------------------------------------- playing, and the end


def blank_state(options):
    """Return an empty state with the game's options: max_turns and setup."""
    state = np.zeros(RANDOM + 1, np.uint64)
    state[MAX_TURNS], state[RANDOM] = options["max_turns"], options["setup"] == "random"
    return state


@njit(**JIT)
def new_game(state, rng):
    """Set up the first position; with RANDOM both first rows are drawn, and two turns done (G2)."""
    state, rng = borrowed(state), borrowed(rng)
    state[:MAX_TURNS] = ZERO
    if state[RANDOM]:
        for _ in range(2):
            apply(state, below(rng, np.int64(FIRST_LANDING)))


@njit(**JIT)
def check_end(state):
    """Set STATUS by the rules: the goal is reached when a piece is missing, none in hand (G14)."""
    state = borrowed(state)
    pieces = count(state[ONES] | state[TWOS] | state[THREES])
    over = state[PHASE] == MOVE and pieces == U(11)
    state[STATUS] = U(WON_1) - state[PLAYER] if over else U(RUNNING)


@njit(**JIT)
def rings_at(state, cell):
    """Return the rings of the piece on a cell, 0 if it is empty."""
    state = borrowed(state)
    one, two, three = state[ONES] >> cell, state[TWOS] >> cell, state[THREES] >> cell
    return np.int64((one | three) & ONE | ((two | three) & ONE) << ONE)


@njit(**JIT)
def apply(state, action):
    """Play a legal action of a running game, and check the end after a whole turn."""
    state = borrowed(state)
    player = np.int64(state[PLAYER])
    if action < FIRST_LANDING:
        for i in range(3):
            state[i] |= FIRST_ROW[player, action, i]
        state[PHASE] = U(MOVE) if player else U(SETUP)
    elif action < FIRST_DROP:
        column, end = (action - FIRST_LANDING) // LANDINGS, (action - FIRST_LANDING) % LANDINGS
        row = first_row(playable(state, player), player)
        cell = row + U(5 - column if player else column)
        rings = rings_at(state, cell)
        state[rings - 1] ^= ONE << cell
        if end != TO_GOAL:
            cell = U(VIEW[player, end])
            replaced = rings_at(state, cell)
            if replaced:  # G11: the turn goes on
                state[replaced - 1] ^= ONE << cell
                state[rings - 1] |= ONE << cell
                state[PHASE], state[MOVER], state[HAND] = U(DROP), cell, U(replaced)
                return
            state[rings - 1] |= ONE << cell
    else:
        state[np.int64(state[HAND]) - 1] |= ONE << U(VIEW[player, action - FIRST_DROP])
        state[PHASE], state[MOVER], state[HAND] = U(MOVE), ZERO, ZERO
    state[PLAYER] = U(1 - player)
    state[TURN] += ONE
    check_end(state)


@njit(**JIT)
def phase(state):
    """Return the index in PHASES of the decision to make."""
    return np.int64(state[PHASE])
