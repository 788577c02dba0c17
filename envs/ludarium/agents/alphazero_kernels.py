"""Kernels of a tree search that a network guides, over many games in lock-step.

A template like `ludarium.agents.turn_kernels`, with the same names.

Each simulation walks down every game's tree to a new node. The new nodes of all games are a batch
for the network, between `descend` and `grow`; where a game is over at the new node, its result
counts and no network is asked. Selection is that of Gumbel AlphaZero (Danihelka, Guez,
Schrittwieser and Silver 2022): sequential halving at the root, below it the action whose share of
the visits lags most behind the improved policy.

A tree is row i of the arrays of `ludarium.agents.alphazero.Tree`, for N games, M nodes each, W the
length of a state, K the most actions at once:

    states   [N, M, W]
    node     int32[N, M, FIELDS], the columns below
    value    float32[N, M], the network's value, or the result where the game is over
    total    float32[N, M], sum of the values of the visits
    actions  int32[N, M, K], the legal ones
    logits   float32[N, M, K], logarithms of the network's probabilities
    child    int32[N, M, K], the node that an action leads to, or NONE

Values are always those of player 0, so that no sign changes on the way up, however many actions a
turn has; only the choice of an action depends on who is to move.
"""

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from ludarium.core.bits import JIT, borrowed, put
from ludarium.core.status import RUNNING, WON_0, WON_1

if TYPE_CHECKING:
    from ludarium.core import kernels
    from ludarium.core.contract import observation, rules
elif "rules" not in globals():
    raise ImportError(f"{__name__} is a template: ludarium.core.game.kernels_for() executes it")


# A node: 1 where the game is over, the player to move, the number of legal actions, the visits, and
# the node above (NONE: it is the root).
OVER, PLAYER, LEGAL, VISITS, ABOVE = range(5)
FIELDS = 5
NONE, ROOT = -1, 0

LEAST_LOGIT = -50.0  # so that the probability of an action is never zero

# ---------------------------------------------------------------- nodes


@njit(**JIT)
def add_node(i, row, above, tree, scratch, numbers):
    """Describe the node of game i whose state was just written; returns whether it runs on."""
    tree, scratch, numbers = borrowed(tree), borrowed(scratch), borrowed(numbers)
    state, node = tree.states[i, row], tree.node[i, row]
    legal = kernels.update_terminal(state, scratch)
    status = np.int64(state[rules.STATUS])
    node[OVER] = status != RUNNING
    node[PLAYER] = np.int64(state[rules.PLAYER])
    node[LEGAL] = legal
    node[VISITS] = 0
    node[ABOVE] = above
    tree.total[i, row] = 0
    tree.value[i, row] = 0
    if status == WON_0:
        tree.value[i, row] = 1
    elif status == WON_1:
        tree.value[i, row] = -1
    if legal:
        rules.list_actions(state, scratch, numbers)
        for k in range(legal):
            tree.actions[i, row, k] = numbers[k]
            tree.child[i, row, k] = NONE
    return legal > 0


@njit(**JIT)
def count_visit(i, row, tree):
    """Add the value of a node to itself and all nodes above."""
    tree = borrowed(tree)
    value = tree.value[i, row]
    while row != NONE:
        tree.node[i, row, VISITS] += 1
        tree.total[i, row] += value
        row = tree.node[i, row, ABOVE]


@njit(**JIT)
def begin(roots, tree, where, planes):
    """Start a tree at each of the states [n, W].

    Returns how many of them run on: for those, rows of `where` int64[N, 2] are written (game, node)
    and rows of `planes` int8[N, F], what the player to move sees.
    """
    scratch = np.empty(rules.SCRATCH_SIZE, rules.SCRATCH_DTYPE)
    numbers = np.empty(rules.MAX_ACTIONS, np.int64)
    return _begin(roots, tree, where, planes, scratch, numbers)


@njit(**JIT)
def _begin(roots, tree, where, planes, scratch, numbers):
    """Do what begin() says, with arrays that the caller keeps alive."""
    roots, tree, where = borrowed(roots), borrowed(tree), borrowed(where)
    planes, scratch, numbers = borrowed(planes), borrowed(scratch), borrowed(numbers)
    asked = 0
    for i in range(len(roots)):
        put(tree.states[i, ROOT], roots[i])
        if add_node(i, ROOT, NONE, tree, scratch, numbers):
            player = np.int64(tree.node[i, ROOT, PLAYER])
            observation.observe(tree.states[i, ROOT], player, planes[asked])
            where[asked, 0] = i
            where[asked, 1] = ROOT
            asked += 1
    return asked


@njit(**JIT)
def grow(asked, where, logits, values, tree):
    """Give the nodes that `where` names the network's answer, and count their visits.

    Args:
        asked: number of rows that count.
        where: int64[N, 2], game and node.
        logits: float32[n, A], of any scale; those of illegal actions are ignored.
        values: float32[n], for the player to move.
        tree: changed.
    """
    where, logits, values, tree = (
        borrowed(where),
        borrowed(logits),
        borrowed(values),
        borrowed(tree),
    )
    for b in range(asked):
        i, row = where[b, 0], where[b, 1]
        node, own = tree.node[i, row], tree.logits[i, row]
        most = -np.inf
        for k in range(node[LEGAL]):
            own[k] = logits[b, tree.actions[i, row, k]]
            most = max(most, own[k])
        whole = 0.0
        for k in range(node[LEGAL]):
            whole += np.exp(own[k] - most)
        shift = most + np.log(whole)
        for k in range(node[LEGAL]):
            own[k] = max(own[k] - shift, LEAST_LOGIT)
        tree.value[i, row] = values[b] if node[PLAYER] == 0 else -values[b]
        count_visit(i, row, tree)


# ---------------------------------------------------------------- choosing


@njit(**JIT)
def improve(i, row, tree, value_scale, scores):
    """Write the logits of the improved policy of a node into scores float64[K].

    To each action's logit comes its value for the player to move, times a scale that grows with the
    visits. An action that was never tried is taken to be worth what the node is: the value that the
    network gave it, mixed with those of the tried actions, weighted by their probabilities.
    """
    tree, scores = borrowed(tree), borrowed(scores)
    node, logits, child = tree.node[i, row], tree.logits[i, row], tree.child[i, row]
    sign = 1.0 - 2.0 * node[PLAYER]
    most, tried, weight, weighted = 0, 0, 0.0, 0.0
    for k in range(node[LEGAL]):
        if child[k] != NONE:
            visits = tree.node[i, child[k], VISITS]
            scores[k] = sign * tree.total[i, child[k]] / visits
            most = max(most, visits)
            tried += visits
            probability = np.exp(logits[k])
            weight += probability
            weighted += probability * scores[k]
    mixed = sign * tree.value[i, row]
    if tried:
        mixed = (mixed + tried * weighted / weight) / (1 + tried)
    scale = value_scale * (50 + most)
    for k in range(node[LEGAL]):
        scores[k] = logits[k] + scale * (mixed if child[k] == NONE else scores[k])


@njit(**JIT)
def to_probabilities(scores, n):
    """Turn the first n logits of scores into probabilities, in place."""
    scores = borrowed(scores)
    most, whole = -np.inf, 0.0
    for k in range(n):
        most = max(most, scores[k])
    for k in range(n):
        scores[k] = np.exp(scores[k] - most)
        whole += scores[k]
    for k in range(n):
        scores[k] /= whole


@njit(**JIT)
def visits_of(i, row, k, tree):
    """Return how often an action of a node was tried."""
    tree = borrowed(tree)
    child = tree.child[i, row, k]
    return 0 if child == NONE else tree.node[i, child, VISITS]


@njit(**JIT)
def choose_at_root(i, tree, value_scale, noise, wanted, scores):
    """Return the index of the best action among those of the root with `wanted` visits."""
    tree, noise, scores = borrowed(tree), borrowed(noise), borrowed(scores)
    improve(i, ROOT, tree, value_scale, scores)
    best, highest = 0, -np.inf
    for k in range(tree.node[i, ROOT, LEGAL]):
        if visits_of(i, ROOT, k, tree) == wanted and scores[k] + noise[k] > highest:
            best, highest = k, scores[k] + noise[k]
    return best


@njit(**JIT)
def choose_below(i, row, tree, value_scale, scores):
    """Return the index of the action that lags most behind the improved policy."""
    tree, scores = borrowed(tree), borrowed(scores)
    improve(i, row, tree, value_scale, scores)
    n, visits = tree.node[i, row, LEGAL], tree.node[i, row, VISITS]
    to_probabilities(scores, n)
    best, highest = 0, -np.inf
    for k in range(n):
        lag = scores[k] - visits_of(i, row, k, tree) / visits
        if lag > highest:
            best, highest = k, lag
    return best


@njit(**JIT)
def descend(num_games, row, schedule, value_scale, noise, tree, where, planes):
    """Descend from each root to a new node, `row`, or to where the game is over.

    Args:
        num_games: n.
        row: the node to be made: simulations are numbered from 1.
        schedule: int32[max_num_considered_actions + 1, num_simulations], from `root_schedule`: by
            the number of actions considered, the visits that the root's next action must have.
        value_scale: weight of values against the network's logits.
        noise: float64[N, K], for the actions of the root.
        tree: changed.
        where: int64[N, 2], written: game and node of the rows of planes.
        planes: int8[N, F], written: what the player to move sees.

    Returns:
        The number of new nodes that run on, for which the network is to be asked.
    """
    scratch = np.empty(rules.SCRATCH_SIZE, rules.SCRATCH_DTYPE)
    numbers = np.empty(rules.MAX_ACTIONS, np.int64)
    scores = np.empty(rules.MAX_ACTIONS, np.float64)
    return _descend(
        num_games, row, schedule, value_scale, noise, tree, where, planes, scratch, numbers, scores
    )


@njit(**JIT)
def _descend(
    num_games, row, schedule, value_scale, noise, tree, where, planes, scratch, numbers, scores
):
    """Do what descend() says, with arrays that the caller keeps alive."""
    schedule, noise, tree, where = (
        borrowed(schedule),
        borrowed(noise),
        borrowed(tree),
        borrowed(where),
    )
    planes, scratch, numbers, scores = (
        borrowed(planes),
        borrowed(scratch),
        borrowed(numbers),
        borrowed(scores),
    )
    asked = 0
    for i in range(num_games):
        if tree.node[i, ROOT, OVER]:
            continue
        considered = min(len(schedule) - 1, tree.node[i, ROOT, LEGAL])
        wanted = schedule[considered, row - 1]
        at = ROOT
        k = choose_at_root(i, tree, value_scale, noise[i], wanted, scores)
        while tree.child[i, at, k] != NONE:
            at = tree.child[i, at, k]
            if tree.node[i, at, OVER]:
                break
            k = choose_below(i, at, tree, value_scale, scores)
        if tree.node[i, at, OVER]:
            count_visit(i, at, tree)
            continue
        put(tree.states[i, row], tree.states[i, at])
        rules.apply(tree.states[i, row], np.int64(tree.actions[i, at, k]))
        tree.child[i, at, k] = row
        if add_node(i, row, at, tree, scratch, numbers):
            player = np.int64(tree.node[i, row, PLAYER])
            observation.observe(tree.states[i, row], player, planes[asked])
            where[asked, 0] = i
            where[asked, 1] = row
            asked += 1
        else:
            count_visit(i, row, tree)
    return asked


# ---------------------------------------------------------------- the answer


@njit(**JIT)
def answer(num_games, value_scale, noise, tree, actions, policies, visits, values):
    """Write the result of each search; zeros where the game is over.

    The action is, among the most visited, the one with the largest improved logit and noise.

    Args:
        num_games: n.
        value_scale: as of descend().
        noise: as of descend().
        tree: read.
        actions: int64[n], written.
        policies: float32[n, A], written: the improved policy.
        visits: int32[n, A], written.
        values: float32[n], written: mean of all visits, for the player to move.
    """
    scores = np.empty(rules.MAX_ACTIONS, np.float64)
    for i in range(num_games):
        actions[i] = 0
        policies[i] = 0
        visits[i] = 0
        values[i] = 0
        node = tree.node[i, ROOT]
        if node[OVER]:
            continue
        most = 0
        for k in range(node[LEGAL]):
            count = visits_of(i, ROOT, k, tree)
            visits[i, tree.actions[i, ROOT, k]] = count
            most = max(most, count)
        best = choose_at_root(i, tree, value_scale, noise[i], most, scores)
        actions[i] = tree.actions[i, ROOT, best]
        to_probabilities(scores, node[LEGAL])
        for k in range(node[LEGAL]):
            policies[i, tree.actions[i, ROOT, k]] = scores[k]
        mean = tree.total[i, ROOT] / node[VISITS]
        values[i] = mean if node[PLAYER] == 0 else -mean
