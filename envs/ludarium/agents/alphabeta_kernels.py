"""Kernels of alpha-beta search over any game's jitted rules.

A template like `ludarium.agents.turn_kernels`, with the same names, and `mcts` for the kernels of
`ludarium.agents.mcts_kernels`, compiled for the same game.

Depth is counted in whole turns. A value is that of the player to move. It is negated where the
player changes and only there, so that both actions of a turn have the same sign. The search keeps
everything in arrays, with a row of `frames` for each action of the line, so that it can stop after
any number of positions and continue later.

    facts    int64[FACTS], the search
    frames   int64[levels, FRAME], a row for each action of the line
    states   [levels, W]
    actions  int64[levels, MAX_ACTIONS], the legal ones
    scores   int64[levels, MAX_ACTIONS], the order in which they are tried
    keys     uint64[size], the transposition table: hashes of states; size is a power of two
    table    int64[size, 4], what is known of them
    history  int64[2 A], how often an action was good, by player
    killers  int64[levels, 2], the last good actions of a level

The columns are named below. The transposition table identifies a position by a 64-bit hash of the
whole state. An entry is used only at the depth that it was made with, so that the result is that of
plain minimax.
"""

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from ludarium.core.bits import JIT, U, below, borrowed, put, times
from ludarium.core.status import RUNNING, WON_0, WON_1

if TYPE_CHECKING:
    from ludarium.agents import mcts_kernels as mcts
    from ludarium.core import kernels
    from ludarium.core.contract import evaluation, rules
elif "rules" not in globals():
    raise ImportError(f"{__name__} is a template: ludarium.core.game.kernels_for() executes it")


WIN = 1_000_000  # value of a win, less the turns it takes
LIMIT = 2_000_000  # larger than any value
SURE = WIN - 100_000  # values beyond it are wins

# Columns of a frame: number of legal actions, number of those tried, the window, the best value and
# action so far, whether the position is new, and the lower end of the window when it was.
COUNT, TRIED, ALPHA, BETA, BEST, ACTION, FRESH, FLOOR = range(8)
FRAME = 8

# The search: level, turn at the root, turn at the horizon, positions visited, salt of the hash.
LEVEL, START, HORIZON, NODES, SALT = range(5)
FACTS = 5

# Columns of the table: value, depth, whether the value is exact or a bound, best action.
VALUE, DEPTH, BOUND, REPLY = range(4)
EXACT, AT_LEAST, AT_MOST = 0, 1, 2

if evaluation is not None and hasattr(evaluation, "evaluate"):
    evaluate = evaluation.evaluate
else:

    @njit(**JIT)
    def evaluate(state, player):
        """Return 0: this game has no evaluate()."""
        return np.int64(0)


@njit(**JIT)
def hashed(state, salt):
    """Return 64 bits for a state."""
    state = borrowed(state)
    h = times(U(salt), U(0x9E3779B97F4A7C15))
    for i in range(len(state)):
        h = times(h ^ U(state[i]), U(0xFF51AFD7ED558CCD))
        h ^= h >> U(29)
    return h


@njit(**JIT)
def final(state, start):
    """Return the value of a finished game for the player who would move."""
    state = borrowed(state)
    player, status = np.int64(state[rules.PLAYER]), np.int64(state[rules.STATUS])
    worth = WIN - (np.int64(state[rules.TURN]) - start)
    if status == WON_0 + player:
        return worth
    if status == WON_1 - player:
        return -worth
    return np.int64(0)


@njit(**JIT)
def begin(state, depth, facts, frames, states):
    """Start a search of that many turns from a running state."""
    put(states[0], state)
    facts[LEVEL] = 0
    facts[START] = np.int64(state[rules.TURN])
    facts[HORIZON] = facts[START] + depth
    frames[0, :] = 0
    frames[0, ALPHA], frames[0, BETA], frames[0, FRESH] = -LIMIT, LIMIT, 1
    frames[0, BEST], frames[0, ACTION] = -LIMIT, -1


@njit(**JIT)
def enter(
    level, facts, frames, states, actions, scores, keys, table, history, killers, rng, scratch
):
    """Visit the position of a level for the first time.

    Returns (whether its value is known, value).
    """
    facts, frames, states = borrowed(facts), borrowed(frames), borrowed(states)
    actions, scores, keys = borrowed(actions), borrowed(scores), borrowed(keys)
    table, history, killers = borrowed(table), borrowed(history), borrowed(killers)
    rng, scratch = borrowed(rng), borrowed(scratch)
    state, frame = states[level], frames[level]
    frame[FRESH] = 0
    start = facts[START]
    if state[rules.STATUS] != RUNNING:
        return True, final(state, start)
    player, turn = np.int64(state[rules.PLAYER]), np.int64(state[rules.TURN])
    depth = facts[HORIZON] - turn
    if depth <= 0 or level + 1 == len(frames):  # there is room for two actions a turn
        return True, np.int64(evaluate(state, player))
    key = hashed(state, facts[SALT])
    slot = np.int64(key & U(len(keys) - 1))
    known = np.int64(-1)
    if keys[slot] == key:
        known = table[slot, REPLY]
        value, bound = table[slot, VALUE], table[slot, BOUND]
        if level and table[slot, DEPTH] == depth:
            if bound == EXACT:
                return True, value
            if bound == AT_LEAST and value >= frame[BETA]:
                return True, value
            if bound == AT_MOST and value <= frame[ALPHA]:
                return True, value
    winning = mcts.find_winning(state, scratch, rng, states[level + 1])
    if winning >= 0:
        frame[ACTION], frame[BEST] = winning, WIN - (turn + 1 - start)
        return True, frame[BEST]
    rules.legal(state, scratch)
    n = rules.list_actions(state, scratch, actions[level])
    half = len(history) // 2
    for k in range(n):
        action = actions[level, k]
        score = history[half * player + action] + 1
        if action == known:
            score = 1 << 60
        elif action == killers[level, 0]:
            score = 1 << 59
        elif action == killers[level, 1]:
            score = 1 << 58
        scores[level, k] = score
    if level == 0:  # shuffle: the first of equally good actions is played
        for k in range(n - 1, 0, -1):
            j = below(rng, k + 1)
            actions[0, k], actions[0, j] = actions[0, j], actions[0, k]
            scores[0, k], scores[0, j] = scores[0, j], scores[0, k]
    frame[COUNT], frame[TRIED] = n, 0
    frame[BEST], frame[ACTION] = -LIMIT, -1
    frame[FLOOR] = frame[ALPHA]
    return False, np.int64(0)


@njit(**JIT)
def leave(level, facts, frames, states, actions, keys, table, history, killers):
    """Store the result for the position of a level in the table; returns its value."""
    facts, frames, states = borrowed(facts), borrowed(frames), borrowed(states)
    actions, keys, table = borrowed(actions), borrowed(keys), borrowed(table)
    history, killers = borrowed(history), borrowed(killers)
    state, frame = states[level], frames[level]
    turn = np.int64(state[rules.TURN])
    key = hashed(state, facts[SALT])
    slot = np.int64(key & U(len(keys) - 1))
    value, depth = frame[BEST], facts[HORIZON] - turn
    keys[slot] = key
    table[slot, VALUE], table[slot, DEPTH], table[slot, REPLY] = value, depth, frame[ACTION]
    table[slot, BOUND] = EXACT
    if value >= frame[BETA]:
        table[slot, BOUND] = AT_LEAST
        half = len(history) // 2
        history[half * np.int64(state[rules.PLAYER]) + frame[ACTION]] += depth * depth
        if killers[level, 0] != frame[ACTION]:
            killers[level, 1] = killers[level, 0]
            killers[level, 0] = frame[ACTION]
    elif value <= frame[FLOOR]:
        table[slot, BOUND] = AT_MOST
    return value


@njit(**JIT)
def take(level, value, frames, states):
    """Update a frame with the value of the position one level deeper.

    Returns whether it is the best so far.
    """
    frames, states = borrowed(frames), borrowed(states)
    if states[level, rules.PLAYER] != states[level + 1, rules.PLAYER]:
        value = -value
    frame = frames[level]
    if value > frame[BEST]:
        frame[BEST] = value
        if value > frame[ALPHA]:
            frame[ALPHA] = value
        return True
    return False


@njit(**JIT)
def advance(positions, facts, frames, states, actions, scores, keys, table, history, killers, rng):
    """Continue a search for a number of positions; returns whether it is finished.

    The arrays are described at the top of the module.

    Args:
        positions: how many to visit at most.
        facts: changed.
        frames: changed; of row 0, BEST and ACTION are the answer so far.
        states: changed.
        actions: changed.
        scores: changed.
        keys: changed.
        table: changed.
        history: changed.
        killers: changed.
        rng: uint64[1], advanced.
    """
    scratch = np.empty(rules.SCRATCH_SIZE, rules.SCRATCH_DTYPE)
    return _advance(
        positions, facts, frames, states, actions, scores, keys, table, history, killers, rng,
        scratch,
    )  # fmt: skip


@njit(**JIT)
def _advance(
    positions, facts, frames, states, actions, scores, keys, table, history, killers, rng, scratch
):
    """Do what advance() says, with a scratch array that the caller keeps alive."""
    facts, frames, states = borrowed(facts), borrowed(frames), borrowed(states)
    actions, scores, keys = borrowed(actions), borrowed(scores), borrowed(keys)
    table, history, killers = borrowed(table), borrowed(history), borrowed(killers)
    rng, scratch = borrowed(rng), borrowed(scratch)
    stop = facts[NODES] + positions
    while True:
        level = facts[LEVEL]
        frame = frames[level]
        value, known = np.int64(0), False
        if frame[FRESH]:
            if facts[NODES] >= stop:
                return False
            facts[NODES] += 1
            known, value = enter(
                level, facts, frames, states, actions, scores, keys, table, history, killers, rng,
                scratch,
            )  # fmt: skip
        if not known and (frame[TRIED] == frame[COUNT] or frame[BEST] >= frame[BETA]):
            value = leave(level, facts, frames, states, actions, keys, table, history, killers)
            known = True
        if known:
            if level == 0:
                return True
            facts[LEVEL] = level - 1
            action = actions[level - 1, frames[level - 1, TRIED] - 1]
            if take(level - 1, value, frames, states):
                frames[level - 1, ACTION] = action
            continue
        first = frame[TRIED]
        best = first
        for k in range(first + 1, frame[COUNT]):
            if scores[level, k] > scores[level, best]:
                best = k
        action = actions[level, best]
        actions[level, best], actions[level, first] = actions[level, first], action
        scores[level, best] = scores[level, first]
        frame[TRIED] = first + 1
        child = states[level + 1]
        put(child, states[level])
        rules.apply(child, action)
        kernels.update_terminal(child, scratch)
        next_ = frames[level + 1]
        next_[FRESH] = 1
        if child[rules.PLAYER] == states[level, rules.PLAYER]:
            next_[ALPHA], next_[BETA] = frame[ALPHA], frame[BETA]
        else:
            next_[ALPHA], next_[BETA] = -frame[BETA], -frame[ALPHA]
        facts[LEVEL] = level + 1


@njit(**JIT)
def reply(state, facts, keys, table):
    """Return the action that the table has for a running state, or -1."""
    key = hashed(state, facts[SALT])
    slot = np.int64(key & U(len(keys) - 1))
    return table[slot, REPLY] if keys[slot] == key else np.int64(-1)
