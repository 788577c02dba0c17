"""The rules of Sphlag: layout of a state, legal actions, playing one, and the end.

Everything here is jitted and works on one game at a time. ``RULES.md`` has the rulings S1-S21.

Boards. One uint64 a colour. The hole in level l, row i, column j (counted inside its level) is bit
25 l + 5 i + j. The fifth column and the spare rows are padding, always empty: a step over the edge
falls into it and is masked away, so that the same shifts serve all levels.

    level 0, bits 0-18          level 1, bits 25-37     level 2, bits 50-56
         A  C  E  G                  B  D  F                 C  E
    1    0  1  2  3  .          2   25 26 27  .         3   50 51  .
    3    5  6  7  8  .          4   30 31 32  .         5   55 56  .
    5   10 11 12 13  .          6   35 36 37  .
    7   15 16 17 18  .

    a step inside a level         << 1  >> 1  << 5  >> 5
    the four holes upon a hole    << 25  << 24  << 20  << 19
D4/3 can never be filled (S5) and has no bit. Boards are absolute; action numbers are relative to
the player to move, by tables with a leading player index: player 1 sees the half-turn of the board.

Constants that meet a board are np.uint64: uint64 mixed with int64 silently becomes float64.
"""

import numpy as np
from numba import njit

from ludarium.core.bits import JIT, U, below, borrowed, count, lowest
from ludarium.core.status import DRAWN, RUNNING, WON_0, WON_1

# ---------------------------------------------------------------- the state: uint64[9]

WHITE, BLACK = 0, 1  # spheres of each colour
KO = 2  # KO, KO + 1: the same before the last turn, or NO_BOARD (S17)
PLAYER, PASSES, TURN, MAX_TURNS, STATUS = 4, 5, 6, 7, 8
STATE_SIZE = 9
SCRATCH_SIZE, SCRATCH_DTYPE = 64, np.uint64  # scratch of legal(): movers, then their landing holes
ROWS, LANDINGS, COUNT = 30, 31, 63  # layout of the scratch array, see legal()

PHASES = ("turn",)  # the decisions of a turn, in words

# ---------------------------------------------------------------- geometry (plain Python, once)

# the 29 usable holes as (level, row, column inside the level), in the order of the text
HOLES = [(k, i, j) for k in range(3) for i in range(4 - k) for j in range(4 - k)]
REDS = [(0, 0, 0), (0, 1, 2), (0, 2, 1), (0, 3, 3)]  # A1 E3 C5 G7 (S2)


def bit_of(hole):
    """Return the bit of a hole given as (level, row, column)."""
    return 25 * hole[0] + 5 * hole[1] + hole[2]


def position_of(hole):
    """Return (column, row) of a hole on the 7 x 7 grid, both 0 to 6."""
    return hole[0] + 2 * hole[2], hole[0] + 2 * hole[1]


def half_turn(hole):
    """Return the hole that takes this one's place when the board is turned by 180 degrees."""
    k, i, j = hole
    return k, 3 - k - i, 3 - k - j


def _board(holes):
    return U(sum(1 << bit_of(h) for h in set(holes)))


def _offset(a, b):
    (x, y), (u, v) = position_of(a), position_of(b)
    return abs(x - u), abs(y - v), b[0] - a[0]


def _climbs(a, b):
    """S13 (b): one level up or down, three columns and one row away or the other way round."""
    dx, dy, dz = _offset(a, b)
    return abs(dz) == 1 and {dx, dy} == {1, 3}


def _possible(a, b):
    """Return whether any position allows the move a-b (S13, S14): those have an action number."""
    if a == b or a in REDS or b in REDS:
        return False
    dx, dy, dz = _offset(a, b)
    if dz:
        return _climbs(a, b) or (dz == 1 and dx == dy == 1)
    between = [h for h in HOLES if _offset(a, h) in STEPS and _offset(h, b) in STEPS]
    return (dx, dy, dz) in STEPS or (dx + dy == 4 and any(h not in REDS for h in between))


STEPS = ((0, 2, 0), (2, 0, 0))
OWN_HALF = [h for h in HOLES if sum(position_of(h)) > 6 and h not in REDS]  # of White (S3)
TOUCH_LOWER = [(0, 2, 3), (0, 3, 2), (1, 2, 2)]  # G5/0 E7/0 F6/1 (S4)
MOVES = [(a, b) for a in HOLES for b in HOLES if _possible(a, b)]

PASS = len(OWN_HALF) + len(MOVES)
NUM_ACTIONS = PASS + 1
ACTIONS_PER_TURN = 1
MAX_ACTIONS = NUM_ACTIONS  # most legal actions at once

VALID, RED, GROUND = _board(HOLES), _board(REDS), _board([h for h in HOLES if h[0] == 0])
# holes with something on their lower right shoulder, as far as the pyramid goes
CORNERS = _board([h for h in HOLES if h[0] < 2 and h[1] < 3 - h[0] and h[2] < 3 - h[0]])
HALF = np.array([_board(OWN_HALF), _board([half_turn(h) for h in OWN_HALF])], np.uint64)
GOAL = np.array([_board([half_turn(h) for h in TOUCH_LOWER]), _board(TOUCH_LOWER)], np.uint64)
CLIMBS = np.zeros(64, np.uint64)
for _a in HOLES:
    CLIMBS[bit_of(_a)] = _board([b for b in HOLES if _climbs(_a, b)])

FROM = np.zeros((2, NUM_ACTIONS), np.uint64)  # [player, action] the sphere moved, 0: none
TO = np.zeros((2, NUM_ACTIONS), np.uint64)  # [player, action] the hole filled, 0: pass
ACTION = np.full((2, 57, 57), -1, np.int64)  # [player, from, to]; from == to: place
for _player in (0, 1):
    for _action, (_a, _b) in enumerate([(h, h) for h in OWN_HALF] + MOVES):
        _a, _b = (half_turn(_a), half_turn(_b)) if _player else (_a, _b)
        FROM[_player, _action] = 0 if _a == _b else 1 << bit_of(_a)
        TO[_player, _action] = 1 << bit_of(_b)
        ACTION[_player, bit_of(_a), bit_of(_b)] = _action

ZERO, ONE, NO_BOARD, SUPPLY = U(0), U(1), U(2**64 - 1), U(16)
S1, S5, S6, S19, S20, S24, S25 = U(1), U(5), U(6), U(19), U(20), U(24), U(25)

# ---------------------------------------------------------------- support and settling


@njit(**JIT)
def upon(holes):
    """Return the holes that rest on any of these (S1)."""
    return ((holes << S25) | (holes << S24) | (holes << S20) | (holes << S19)) & VALID


@njit(**JIT)
def beside(holes):
    """Return the row and column neighbours of these holes, and padding: mask the result."""
    return (holes << S1) | (holes >> S1) | (holes << S5) | (holes >> S5)


@njit(**JIT)
def supported(filled):
    """Return the empty holes whose four supports are filled (S8); `filled` includes the reds."""
    corner = filled & (filled >> S1) & (filled >> S5) & (filled >> S6) & CORNERS
    return ((corner << S25) | GROUND) & ~filled


@njit(**JIT)
def settle(own, foe, filled, x):
    """Lift the sphere x of `own`, let its load drop, and the load of that (S10-S12).

    Returns own, foe and the one hole that is left empty in the end.
    """
    own ^= x
    gap = x
    load = upon(gap) & filled
    while load:
        if own & load:
            own ^= load | gap
        else:
            foe ^= load | gap
        gap = load
        load = upon(gap) & filled
    return own, foe, gap


# ---------------------------------------------------------------- legal actions


@njit(**JIT)
def allowed(own, foe, before_own, before_foe, landings):
    """Strike the landing that would bring `before` back, `own` being the mover's other spheres."""
    if foe == before_foe:
        back = own ^ before_own
        if back & (back - ONE) == ZERO:
            landings &= ~back
    return landings


@njit(**JIT)
def legal(state, scratch):
    """List the legal actions; returns their number, never 0 (S18).

    scratch[0:30] holds the spheres that can move (0: placing), scratch[31:61] the holes that each
    can reach, scratch[30] the number of such rows; the pass is not among them.
    """
    state, scratch = borrowed(state), borrowed(scratch)
    p = np.int64(state[PLAYER])
    own, foe = state[p], state[1 - p]
    before_own, before_foe = state[KO + p], state[KO + 1 - p]
    filled = own | foe | RED
    rest = supported(filled)
    a, b, c, d = filled >> S25, filled >> S24, filled >> S20, filled >> S19
    loaded = a | b | c | d
    locked = (a & b) | (c & d) | ((a | b) & (c | d))  # carries two or more (S10)
    rows = 0
    total = ONE  # the pass

    landings = allowed(own, foe, before_own, before_foe, rest & HALF[p])
    if landings and count(own) < SUPPLY:  # S8, S9
        scratch[0] = ZERO
        scratch[LANDINGS] = landings
        rows = 1
        total += count(landings)

    movers = own & ~loaded
    while movers:  # nothing settles: the landings are holes supported now
        x = movers & (~movers + ONE)
        movers ^= x
        one = beside(x) & rest
        landings = one | ((beside(one) | CLIMBS[lowest(x)]) & rest)  # S13
        landings = allowed(own ^ x, foe, before_own, before_foe, landings)
        if landings:
            scratch[rows] = x
            scratch[LANDINGS + rows] = landings
            rows += 1
            total += count(landings)

    movers = own & loaded & ~locked
    while movers:
        x = movers & (~movers + ONE)
        movers ^= x
        own1, foe1, gap = settle(own, foe, filled, x)
        # only the gap changed: it is free now, and what rested upon it does so no more
        room = (rest & ~upon(gap)) | gap
        one = beside(x) & room
        landings = one | ((beside(one) | CLIMBS[lowest(x)] | upon(x)) & room)  # S13, S14
        landings = allowed(own1, foe1, own, foe, landings)  # S16
        landings = allowed(own1, foe1, before_own, before_foe, landings)  # S17
        if landings:
            scratch[rows] = x
            scratch[LANDINGS + rows] = landings
            rows += 1
            total += count(landings)
    scratch[ROWS] = U(rows)
    return np.int64(total)


@njit(**JIT)
def list_actions(state, scratch, actions):
    """Write the numbers of the actions that legal() found, in no order; returns how many."""
    state, scratch, actions = borrowed(state), borrowed(scratch), borrowed(actions)
    p = np.int64(state[PLAYER])
    k = 0
    for row in range(np.int64(scratch[ROWS])):
        landings = scratch[LANDINGS + row]
        start = lowest(scratch[row]) if scratch[row] else U(0)
        while landings:
            end = lowest(landings)
            landings &= landings - ONE
            actions[k] = ACTION[p, start if scratch[row] else end, end]
            k += 1
    actions[k] = PASS
    return k + 1


@njit(**JIT)
def write_mask(state, scratch, mask):
    """Write the actions that legal() found as int8[268] of zeros and ones."""
    state, scratch, mask = borrowed(state), borrowed(scratch), borrowed(mask)
    p = np.int64(state[PLAYER])
    mask[:] = 0
    for row in range(np.int64(scratch[ROWS])):
        landings = scratch[LANDINGS + row]
        start = lowest(scratch[row]) if scratch[row] else U(0)
        while landings:
            end = lowest(landings)
            landings &= landings - ONE
            mask[ACTION[p, start if scratch[row] else end, end]] = 1
    mask[PASS] = 1


@njit(**JIT)
def nth_action(state, scratch, k):
    """Return the k-th of the actions that legal() found, 0 <= k < their number."""
    state, scratch = borrowed(state), borrowed(scratch)
    p = np.int64(state[PLAYER])
    for row in range(np.int64(scratch[ROWS])):
        landings = scratch[LANDINGS + row]
        n = np.int64(count(landings))
        if k < n:
            for _ in range(k):
                landings &= landings - ONE
            end = lowest(landings)
            return ACTION[p, lowest(scratch[row]) if scratch[row] else end, end]
        k -= n
    return np.int64(PASS)


@njit(**JIT)
def random_action(state, scratch, rng):
    """Return a uniformly drawn legal action."""
    state, scratch, rng = borrowed(state), borrowed(scratch), borrowed(rng)
    return nth_action(state, scratch, below(rng, legal(state, scratch)))


# ---------------------------------------------------------------- playing, and the end


def blank_state(options):
    """Return an empty state with the game's options: max_turns."""
    state = np.zeros(STATE_SIZE, np.uint64)
    state[MAX_TURNS] = options["max_turns"]
    return state


@njit(**JIT)
def new_game(state, rng):
    """Set up the first position; MAX_TURNS stays, and chance is not used."""
    state, rng = borrowed(state), borrowed(rng)
    state[WHITE] = state[BLACK] = ZERO
    state[KO] = state[KO + 1] = NO_BOARD
    state[PLAYER] = state[PASSES] = state[TURN] = ZERO
    state[STATUS] = U(RUNNING)


@njit(**JIT)
def check_end(state):
    """Set STATUS by the rules, the player not to move having made the last turn (S19, S20)."""
    state = borrowed(state)
    mover = 1 - np.int64(state[PLAYER])
    own, foe = state[mover], state[1 - mover]
    mine, theirs = count(own & GOAL[mover]), count(foe & GOAL[1 - mover])
    result = RUNNING
    if mine > ONE:
        result = WON_0 + mover
    elif theirs > ONE:
        result = WON_1 - mover
    elif state[PASSES] > ONE:
        if mine == theirs:  # the fewer spheres the better
            mine, theirs = count(foe), count(own)
        if mine > theirs:
            result = WON_0 + mover
        elif mine < theirs:
            result = WON_1 - mover
        else:
            result = DRAWN
    state[STATUS] = U(result)


@njit(**JIT)
def apply(state, action):
    """Play a legal action of a running game, and check the end."""
    state = borrowed(state)
    p = np.int64(state[PLAYER])
    own, foe = state[p], state[1 - p]
    state[KO + p] = own
    state[KO + 1 - p] = foe
    x, to = FROM[p, action], TO[p, action]
    if x:
        own, foe, gap = settle(own, foe, own | foe | RED, x)
    state[p] = own | to
    state[1 - p] = foe
    state[PLAYER] = U(1 - p)
    state[PASSES] = ZERO if to else state[PASSES] + ONE
    state[TURN] += ONE
    check_end(state)


@njit(**JIT)
def phase(state):
    """Return the index in PHASES of the decision to make: a turn is one action."""
    return 0
