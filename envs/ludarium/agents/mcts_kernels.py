"""Kernels of Monte Carlo tree search over any game's jitted rules.

A template like `ludarium.agents.turn_kernels`, with the same names.

UCT (Kocsis and Szepesvari 2006) with proven nodes (Winands, Bjornsson, Saito 2008). Each simulation
descends by upper confidence bounds, adds one node, plays the game out from there, and counts the
result in all nodes of its path. Results are always those of player 0, so that no sign changes on
the way up, however many actions a turn has; only the choice of a child depends on who is to move.

    nodes    int32[capacity, FIELDS], a row for each node; its columns are named below
    tree     int64[2], SIZE and ROOT
    scratch  what the game's legal() writes to

The children of a node are a linked list; each visit adds one, in a pseudorandom order. A node is
PROVEN when its result is certain: the game is over there, the player to move has a winning turn, or
all its children are proven. Proven nodes are not visited again. When the tree is full, simulations
continue without new nodes.
"""

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from ludarium.core.bits import JIT, below, borrowed, put
from ludarium.core.status import DRAWN, RUNNING, WON_0, WON_1

if TYPE_CHECKING:
    from ludarium.core import kernels
    from ludarium.core.contract import evaluation, rules
elif "rules" not in globals():
    raise ImportError(f"{__name__} is a template: ludarium.core.game.kernels_for() executes it")


# Columns of a node:
ACTION = 0  # the action that led to it
PLAYER = 1  # the player to move
LEGAL, MADE = 2, 3  # number of legal actions, number of children
CHILD, NEXT = 4, 5  # rows of the first child and of the next sibling, or NONE
VISITS = 6
TOTAL = 7  # sum of the results of the visits: +1 won by player 0, -1 by player 1
PROVEN = 8  # the status that is certain, or RUNNING
FIELDS = 10  # one spare column: a row has 40 bytes
NONE = 0  # row 0 is the first root, which is nobody's child

# The tree: the number of rows in use, and the row of the root.
SIZE, ROOT = 0, 1

LONGEST = 400  # nodes of a path
CONTEMPT = -0.3  # a certain draw is declined unless everything open is clearly worse

# Columns of what children() returns.
CHILD_ACTION, CHILD_VISITS, CHILD_TOTAL, CHILD_PROVEN = 0, 1, 2, 3

# Steps through the legal actions: primes larger than MAX_NUM_ACTIONS, so that each comes once.
STRIDES = np.array([2147483647, 2147483629, 2147483587, 2147483579, 2147483563], np.int64)

# ---------------------------------------------------------------- playing out

if evaluation is not None and hasattr(evaluation, "playout_action"):
    playout_action = evaluation.playout_action
else:

    @njit(**JIT)
    def wins(state, action, scratch):
        """Return whether an action wins for the player to move, at once or with a second one."""
        won, turn = WON_0 + np.int64(state[rules.PLAYER]), state[rules.TURN]
        middle = state.copy()
        rules.apply(middle, action)
        if middle[rules.STATUS] != RUNNING or middle[rules.TURN] != turn:
            return np.int64(middle[rules.STATUS]) == won
        actions = np.empty(rules.MAX_ACTIONS, np.int64)
        rules.legal(middle, scratch)
        n = rules.list_actions(middle, scratch, actions)
        after = middle.copy()
        for k in range(n):
            put(after, middle)
            rules.apply(after, actions[k])
            if np.int64(after[rules.STATUS]) == won:
                return True
        return False

    @njit(**JIT)
    def playout_action(state, scratch, rng):
        """Return the first action of a turn that wins, or a random one, or -1 if there is none."""
        actions = np.empty(rules.MAX_ACTIONS, np.int64)
        rules.legal(state, scratch)
        n = rules.list_actions(state, scratch, actions)
        for k in range(n):
            if wins(state, actions[k], scratch):
                return actions[k]
        if n == 0:
            return np.int64(-1)
        return actions[below(rng, n)]


@njit(**JIT)
def play_out(state, scratch, rng):
    """Play to the end, in place, by random actions and turns that win; returns the status."""
    state, scratch, rng = borrowed(state), borrowed(scratch), borrowed(rng)
    while state[rules.STATUS] == RUNNING:
        if state[rules.TURN] >= state[rules.MAX_TURNS]:
            kernels.update_terminal(state, scratch)
            break
        action = playout_action(state, scratch, rng)
        if action < 0:
            state[rules.STATUS] = WON_1 if state[rules.PLAYER] == 0 else WON_0
            break
        rules.apply(state, action)
    return np.int64(state[rules.STATUS])


@njit(**JIT)
def winning_action(state, scratch, rng):
    """Return the first action of a turn that wins, -1 if there is none."""
    after = np.empty_like(state)
    return find_winning(state, scratch, rng, after)


@njit(**JIT)
def find_winning(state, scratch, rng, after):
    """Do what winning_action() says; `after` [W] is written over."""
    state, scratch = borrowed(state), borrowed(scratch)
    rng, after = borrowed(rng), borrowed(after)
    won, turn = WON_0 + np.int64(state[rules.PLAYER]), state[rules.TURN]
    put(after, state)
    first = playout_action(after, scratch, rng)
    action = first
    while action >= 0:
        rules.apply(after, action)
        if after[rules.STATUS] != RUNNING or after[rules.TURN] != turn:
            break
        action = playout_action(after, scratch, rng)
    return first if np.int64(after[rules.STATUS]) == won else np.int64(-1)


# ---------------------------------------------------------------- the tree


@njit(**JIT)
def add_node(nodes, tree, action, player, legal, status):
    """Add a node without children; returns its row."""
    nodes, tree = borrowed(nodes), borrowed(tree)
    row = tree[SIZE]
    tree[SIZE] = row + 1
    node = nodes[row]
    node[:] = 0
    node[ACTION] = action
    node[PLAYER] = player
    node[LEGAL] = legal
    node[PROVEN] = status
    return row


@njit(**JIT)
def add_child(nodes, tree, parent, action, state, legal):
    """Add the child that an action of `parent` leads to, `state` being the one there."""
    nodes, tree, state = borrowed(nodes), borrowed(tree), borrowed(state)
    player, status = np.int64(state[rules.PLAYER]), np.int64(state[rules.STATUS])
    row = add_node(nodes, tree, action, player, legal, status)
    nodes[row, NEXT] = nodes[parent, CHILD]
    nodes[parent, CHILD] = row
    nodes[parent, MADE] += 1
    return row


@njit(**JIT)
def begin(state, nodes, tree, rng):
    """Start a new tree at a running state; the root is proven if a turn wins at once."""
    scratch = np.empty(rules.SCRATCH_SIZE, rules.SCRATCH_DTYPE)
    tree[SIZE] = 0
    n = rules.legal(state, scratch)
    tree[ROOT] = add_node(nodes, tree, np.int64(-1), np.int64(state[rules.PLAYER]), n, RUNNING)
    prove_win(state, nodes, tree, rng)


@njit(**JIT)
def prove_win(state, nodes, tree, rng):
    """Give the root, if the player to move can win with this turn, a proven child for it."""
    scratch = np.empty(rules.SCRATCH_SIZE, rules.SCRATCH_DTYPE)
    root = tree[ROOT]
    action = winning_action(state, scratch, rng)
    if action >= 0:
        row = add_node(nodes, tree, action, nodes[root, PLAYER], 0, WON_0 + nodes[root, PLAYER])
        nodes[row, VISITS] = 1
        nodes[row, TOTAL] = 1 - 2 * nodes[root, PLAYER]
        nodes[row, NEXT] = nodes[root, CHILD]
        nodes[root, CHILD] = row
        nodes[root, PROVEN] = WON_0 + nodes[root, PLAYER]


@njit(**JIT)
def descend(state, nodes, tree, action, rng):
    """Make the child that an action leads to the root; `state` is the one after it, running.

    Returns whether there is such a node.
    """
    row = nodes[tree[ROOT], CHILD]
    while row != NONE and nodes[row, ACTION] != action:
        row = nodes[row, NEXT]
    if row == NONE or nodes[row, LEGAL] == 0:
        return False
    tree[ROOT] = row
    if nodes[row, PROVEN] == WON_0 + nodes[row, PLAYER]:  # perhaps by a playout, without a child
        prove_win(state, nodes, tree, rng)
    return True


@njit(**JIT)
def select(nodes, node, explore):
    """Return the child with the largest upper confidence bound, NONE if all are proven."""
    nodes = borrowed(nodes)
    sign = 1.0 - 2.0 * nodes[node, PLAYER]
    scale = explore * explore * np.log(np.float64(nodes[node, VISITS]))
    best, bound = NONE, -np.inf
    row = nodes[node, CHILD]
    while row != NONE:
        if nodes[row, PROVEN] == RUNNING:
            part = 1.0 / nodes[row, VISITS]
            value = sign * nodes[row, TOTAL] * part + np.sqrt(scale * part)
            if value > bound:
                best, bound = row, value
        row = nodes[row, NEXT]
    return best


@njit(**JIT)
def certain_result(nodes, node):
    """Return the result of a node with a proven child: RUNNING if it is not certain yet."""
    nodes = borrowed(nodes)
    won, lost = WON_0 + nodes[node, PLAYER], WON_1 - nodes[node, PLAYER]
    open_, result = nodes[node, MADE] < nodes[node, LEGAL], lost
    row = nodes[node, CHILD]
    while row != NONE:
        status = nodes[row, PROVEN]
        if status == won:
            return won
        if status == RUNNING:
            open_ = True
        elif status != lost:
            result = status
        row = nodes[row, NEXT]
    return RUNNING if open_ else result


@njit(**JIT)
def simulate(start, nodes, tree, rng, count, explore):
    """Run simulations from the root, whose state is `start`; returns how many.

    Stops early when the root is proven.

    Args:
        start: [W], a running state.
        nodes: int32[capacity, FIELDS], changed.
        tree: int64[2], changed.
        rng: uint64[1], advanced.
        count: of simulations.
        explore: weight of the confidence term.
    """
    scratch = np.empty(rules.SCRATCH_SIZE, rules.SCRATCH_DTYPE)
    path = np.empty(LONGEST, np.int64)
    state = np.empty_like(start)
    return _simulate(start, nodes, tree, rng, count, explore, scratch, path, state)


@njit(**JIT)
def _simulate(start, nodes, tree, rng, count, explore, scratch, path, state):
    """Do what simulate() says, with arrays that the caller keeps alive: path int64[LONGEST]."""
    start, nodes, tree, rng = borrowed(start), borrowed(nodes), borrowed(tree), borrowed(rng)
    scratch, path, state = borrowed(scratch), borrowed(path), borrowed(state)
    root = tree[ROOT]
    for done in range(count):
        if nodes[root, PROVEN] != RUNNING:
            return done
        put(state, start)
        node, depth = root, 1
        path[0] = root
        while depth < LONGEST:
            made, legal = nodes[node, MADE], nodes[node, LEGAL]
            if made < legal and tree[SIZE] < len(nodes):
                rules.legal(state, scratch)
                stride = STRIDES[node % len(STRIDES)]
                k = (np.int64(node) * 40503 + (made + 1) * stride) % legal
                action = rules.nth_action(state, scratch, k)
                rules.apply(state, action)
                node = add_child(nodes, tree, node, action, state, np.int64(0))
                legal = kernels.update_terminal(state, scratch)
                nodes[node, LEGAL] = legal
                nodes[node, PROVEN] = np.int64(state[rules.STATUS])
                path[depth] = node
                depth += 1
                break
            child = select(nodes, node, explore)
            if child == NONE:
                break
            rules.apply(state, nodes[child, ACTION])
            node = child
            path[depth] = node
            depth += 1
        status = np.int64(state[rules.STATUS])
        if status == RUNNING:
            mover, turn = np.int64(state[rules.PLAYER]), np.int64(state[rules.TURN])
            status = play_out(state, scratch, rng)
            if status == WON_0 + mover and np.int64(state[rules.TURN]) <= turn + 1:
                nodes[node, PROVEN] = status
        result = 0
        if status == WON_0:
            result = 1
        elif status == WON_1:
            result = -1
        for i in range(depth):
            nodes[path[i], VISITS] += 1
            nodes[path[i], TOTAL] += result
        if nodes[node, PROVEN] != RUNNING:
            for i in range(depth - 2, -1, -1):
                proven = certain_result(nodes, path[i])
                if proven == RUNNING:
                    break
                nodes[path[i], PROVEN] = proven
    return count


# ---------------------------------------------------------------- the answer


@njit(**JIT)
def lets_draw(nodes, node, player):
    """Return whether the opponent of `player` is to move in a node and has a proven draw."""
    if nodes[node, PLAYER] == player:
        return False
    row = nodes[node, CHILD]
    while row != NONE:
        if nodes[row, PROVEN] >= DRAWN:
            return True
        row = nodes[row, NEXT]
    return False


@njit(**JIT)
def better(nodes, a, b, sign):
    """Return whether child `a` has more visits than `b`, or as many and a larger value."""
    more = nodes[a, VISITS] - nodes[b, VISITS]
    return b == NONE or more > 0 or (more == 0 and sign * (nodes[a, TOTAL] - nodes[b, TOTAL]) > 0)


@njit(**JIT)
def best_child(nodes, node):
    """Return the child to play: a proven win, or else the most visited that is not lost.

    A draw, or what lets the opponent draw, is played only when the value of everything else is
    below CONTEMPT. NONE without children.
    """
    player = nodes[node, PLAYER]
    sign = 1 - 2 * player
    won, lost = WON_0 + player, WON_1 - player
    best = drawing = losing = NONE
    row = nodes[node, CHILD]
    while row != NONE:
        status = nodes[row, PROVEN]
        if status == won:
            return row
        if status == lost:
            if better(nodes, row, losing, sign):
                losing = row
        elif status != RUNNING or lets_draw(nodes, row, player):
            if better(nodes, row, drawing, sign):
                drawing = row
        elif better(nodes, row, best, sign):
            best = row
        row = nodes[row, NEXT]
    if drawing != NONE and sign * nodes[best, TOTAL] < CONTEMPT * nodes[best, VISITS]:
        return drawing
    if best != NONE:
        return best
    return drawing if drawing != NONE else losing


@njit(**JIT)
def children(nodes, node):
    """Return the children of a node, int64[n, 4] with the columns CHILD_ACTION to CHILD_PROVEN."""
    n = 0
    row = nodes[node, CHILD]
    while row != NONE:
        n += 1
        row = nodes[row, NEXT]
    rows = np.empty((n, 4), np.int64)
    row = nodes[node, CHILD]
    for i in range(n):
        rows[i, CHILD_ACTION] = nodes[row, ACTION]
        rows[i, CHILD_VISITS] = nodes[row, VISITS]
        rows[i, CHILD_TOTAL] = nodes[row, TOTAL]
        rows[i, CHILD_PROVEN] = nodes[row, PROVEN]
        row = nodes[row, NEXT]
    return rows


@njit(**JIT)
def principal_line(nodes, node):
    """Return the actions int64[n] of the principal variation from a node."""
    line = np.empty(LONGEST, np.int64)
    n = 0
    while n < LONGEST:
        node = best_child(nodes, node)
        if node == NONE:
            break
        line[n] = nodes[node, ACTION]
        n += 1
    return line[:n].copy()
