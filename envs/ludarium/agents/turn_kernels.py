"""Kernels for agents over any game's jitted rules: what a whole turn wins, and what it allows.

A template like `ludarium.core.kernels`. `kernels` stands for that one, compiled for the same game;
`evaluation` for the game's ``evaluation.py``, or None.

The optional ``evaluation.gain(before, after, player) -> int64`` returns what `player` has gained by
the turn that leads from one state to the other, both uint or int arrays [W]; before may be in the
middle of the turn. Larger is better, 0 is a quiet turn. The optional ``evaluation.ALWAYS_A_TURN``,
True where the rules leave no player to move without a legal action, saves looking for that.

A turn is one or two actions. Nothing is kept between calls.
"""

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from ludarium.core.bits import JIT, below, borrowed, put
from ludarium.core.status import DRAWN, RUNNING, TRUNCATED, WON_0, WON_1

if TYPE_CHECKING:
    from ludarium.core import kernels
    from ludarium.core.contract import evaluation, rules
elif "rules" not in globals():
    raise ImportError(f"{__name__} is a template: ludarium.core.game.kernels_for() executes it")

NOTHING, DRAW, WIN = 0, 1, 2  # what best_result() returns

# Columns of what list_turns() returns. REST is -1 for a turn, or rest of one, of a single action.
FIRST, REST, STATUS, GAIN = 0, 1, 2, 3

if evaluation is not None and hasattr(evaluation, "gain"):
    gain = evaluation.gain
else:

    @njit(**JIT)
    def gain(before, after, player):
        """Return 0: this game has no gain()."""
        return np.int64(0)


if getattr(evaluation, "ALWAYS_A_TURN", False):

    @njit(**JIT)
    def finish(state, scratch):
        """Do what kernels.update_terminal() does, without listing its legal actions."""
        if state[rules.STATUS] == RUNNING and state[rules.TURN] >= state[rules.MAX_TURNS]:
            state[rules.STATUS] = TRUNCATED
else:

    @njit(**JIT)
    def finish(state, scratch):
        """Do what kernels.update_terminal() does: a player without a legal action loses."""
        kernels.update_terminal(state, scratch)


@njit(**JIT)
def list_turns(state):
    """List all ways to finish the turn of a running state.

    Returns int64[n, 4]: first action, second action or -1, status after the turn, gain.
    """
    scratch = np.empty(rules.SCRATCH_SIZE, rules.SCRATCH_DTYPE)
    first = np.empty(rules.MAX_ACTIONS, np.int64)
    second = np.empty(rules.MAX_ACTIONS, np.int64)
    middle, after = np.empty_like(state), np.empty_like(state)
    turns = np.empty((rules.MAX_ACTIONS + 256, 4), np.int64)
    n = 0
    rules.legal(state, scratch)
    for k in range(rules.list_actions(state, scratch, first)):
        if n + rules.MAX_ACTIONS > len(turns):  # no action leads to more turns
            longer = np.empty((2 * len(turns), 4), np.int64)
            for i in range(n):
                put(longer[i], turns[i])
            turns = longer
        n += _list_rests(state, first[k], scratch, second, middle, after, turns[n:])
    return turns[:n]


@njit(**JIT)
def _list_rests(state, action, scratch, second, middle, after, turns):
    """Write the turns that begin with an action; returns their number."""
    state, scratch, second = borrowed(state), borrowed(scratch), borrowed(second)
    middle, after, turns = borrowed(middle), borrowed(after), borrowed(turns)
    player, turn = np.int64(state[rules.PLAYER]), state[rules.TURN]
    put(middle, state)
    rules.apply(middle, action)
    two = middle[rules.STATUS] == RUNNING and middle[rules.TURN] == turn
    rests = 1
    if two:
        rules.legal(middle, scratch)
        rests = rules.list_actions(middle, scratch, second)
    for j in range(rests):
        put(after, middle)
        if two:
            rules.apply(after, second[j])
        finish(after, scratch)
        turns[j, FIRST] = action
        turns[j, REST] = second[j] if two else -1
        turns[j, STATUS] = after[rules.STATUS]
        turns[j, GAIN] = gain(state, after, player)
    return rests


@njit(**JIT)
def best_result(state):
    """Return the best that the player to move can reach with this turn: WIN, DRAW or NOTHING.

    Stops at the first turn that wins.
    """
    scratch = np.empty(rules.SCRATCH_SIZE, rules.SCRATCH_DTYPE)
    first = np.empty(rules.MAX_ACTIONS, np.int64)
    second = np.empty(rules.MAX_ACTIONS, np.int64)
    middle, after = np.empty_like(state), np.empty_like(state)
    return _best_result(state, scratch, first, second, middle, after)


@njit(**JIT)
def _best_result(state, scratch, first, second, middle, after):
    """Do what best_result() says, with arrays that the caller keeps alive."""
    state, scratch, first = borrowed(state), borrowed(scratch), borrowed(first)
    second, middle, after = borrowed(second), borrowed(middle), borrowed(after)
    if state[rules.STATUS] != RUNNING:
        return NOTHING
    won, turn = WON_0 + np.int64(state[rules.PLAYER]), state[rules.TURN]
    rules.legal(state, scratch)
    n = rules.list_actions(state, scratch, first)
    for k in range(n):  # first the cheap test of all of them
        put(middle, state)
        rules.apply(middle, first[k])
        if np.int64(middle[rules.STATUS]) == won:
            return WIN
    best = NOTHING
    for k in range(n):
        put(middle, state)
        rules.apply(middle, first[k])
        two = middle[rules.STATUS] == RUNNING and middle[rules.TURN] == turn
        rests = 1
        if two:
            rules.legal(middle, scratch)
            rests = rules.list_actions(middle, scratch, second)
        for j in range(rests):
            put(after, middle)
            if two:
                rules.apply(after, second[j])
            finish(after, scratch)
            status = np.int64(after[rules.STATUS])
            if status == won:
                return WIN
            if status == DRAWN:
                best = DRAW
    return best


@njit(**JIT)
def best_reply(state, first, rest):
    """Return best_result() for the opponent after a turn of one or two actions (rest -1)."""
    scratch = np.empty(rules.SCRATCH_SIZE, rules.SCRATCH_DTYPE)
    after = state.copy()
    rules.apply(after, first)
    if rest >= 0:
        rules.apply(after, rest)
    finish(after, scratch)
    return best_result(after)


@njit(**JIT)
def choose_greedily(state, rng):
    """Return the first action of the turn that `greedy` plays from a running state.

    In this order of preference: a turn that wins; one after which the opponent can neither win nor
    draw at once; one that draws or lets the opponent draw; one that does not lose by itself; any.
    Among equals the largest gain decides, then chance. The search stops at the first turn that
    will do, so that in most positions only the replies to a few turns are examined. Advances rng
    uint64[1].
    """
    turns = list_turns(state)
    n = len(turns)
    player = np.int64(state[rules.PLAYER])
    won, lost = WON_0 + player, WON_1 - player
    for k in range(n - 1, 0, -1):  # shuffle
        j = below(rng, k + 1)
        for column in range(4):
            turns[k, column], turns[j, column] = turns[j, column], turns[k, column]
    for k in range(n):
        if turns[k, STATUS] == won:
            return turns[k, FIRST]
    drawing = losing = -1
    tried = turns[:, STATUS] == lost
    while True:
        best = -1
        for k in range(n):
            if not tried[k] and (best < 0 or turns[k, GAIN] > turns[best, GAIN]):
                best = k
        if best < 0:
            break
        tried[best] = True
        result = DRAW
        if turns[best, STATUS] != DRAWN:
            result = best_reply(state, turns[best, FIRST], turns[best, REST])
        if result == NOTHING:
            return turns[best, FIRST]
        if result == DRAW and drawing < 0:
            drawing = best
        elif result == WIN and losing < 0:
            losing = best
    if drawing >= 0:
        return turns[drawing, FIRST]
    return turns[max(losing, 0), FIRST]
