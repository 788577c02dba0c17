"""Kernels for one learner in each of many games, with the opponents' replies inside.

A template like `ludarium.core.kernels`. `kernels` and `turn_kernels` stand for those templates,
compiled for the same game.

An opponent that compiled code cannot call is OUTSIDE: its games stop with ASKED set until `answer`
brings its actions. All kernels take the same arrays, for N games, K opponents, W the length of a
state, A actions, F the length of a flat observation:

    settings      int64[3], AUTORESET, SEAT_OPTION and MAX_LENGTH
    opponents     int64[K, 2], KIND and SHARE
    states        [N, W]
    chance        uint64[N], a random stream for each game
    table         int64[N, COLUMNS], the columns below
    masks         int8[N, A], of the learner
    planes        int8[N, F], the learner's observation
    final_planes  int8[N, F], under SAME_STEP the last observation of a game that ended
"""

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from ludarium.core.bits import JIT, below, borrowed
from ludarium.core.status import (
    BY_DRAW,
    BY_ILLEGAL,
    BY_MAX_GAME_LENGTH,
    BY_MAX_TURNS,
    BY_WIN,
    DISABLED,
    DRAWN,
    NOBODY,
    NOT_OVER,
    PENALIZE,
    SAME_STEP,
    TRUNCATED,
    WON_0,
    WON_1,
)

if TYPE_CHECKING:
    from ludarium.agents import turn_kernels
    from ludarium.core import kernels
    from ludarium.core.contract import observation, rules
elif "rules" not in globals():
    raise ImportError(f"{__name__} is a template: ludarium.core.game.kernels_for() executes it")

ILLEGAL, EXHAUSTED = 5, 6  # reported like a status: the learner's action was illegal, or refused
RANDOM, GREEDY, OUTSIDE = 0, 1, 2  # kinds of opponents

AUTORESET = 0
SEAT_OPTION = 1  # 0, 1, or 2 for a random seat in each game
MAX_LENGTH = 2  # actions of the learner, refused ones included, after which a game is truncated
KIND, SHARE = 0, 1  # share: cumulative weights, the last one UNIT

# Columns of the table. The first NUMBERS are those of the infos of batches, in their order:
SEAT = 0  # the learner's
SLOT = 1  # number of the opponent
LENGTH = 2  # actions of the learner in this game, refused ones included
TURN, STAGE = 3, 4  # of the state
RESULT, REASON = 5, 6  # codes of core/status.py
NUMBERS = 7
FINAL = 7  # the first of NUMBERS columns: the same of the game that ended in this step
PROGRESS = 14  # where the game stands
ASKED = 15  # number of the outside opponent that must answer, or -1
REWARD, TERMINATED, TRUNCATED_NOW = 16, 17, 18  # of this step
ENDED = 19  # whether a game ended in this step
COLUMNS = 20

# Where a game stands, PROGRESS:
PLAYING = 0  # the learner is to move, or an opponent that is ASKED
OPENING = 1  # an opponent that is ASKED plays before the learner's first action
UNREPORTED = 2  # over before the learner's first action: the next step brings the result
OVER = 3  # over, and the learner knows

UNIT = 1 << 30  # the last of the cumulated weights of opponents

# ---------------------------------------------------------------- one game


@njit(**JIT)
def _new_game(i, settings, opponents, states, chance, table, scratch):
    """Start a new game: choose seat, opponent and set-up; returns the number of legal actions."""
    settings, opponents, states = borrowed(settings), borrowed(opponents), borrowed(states)
    chance, table, scratch = borrowed(chance), borrowed(table), borrowed(scratch)
    stream = chance[i : i + 1]
    table[i, SEAT] = (
        settings[SEAT_OPTION] if settings[SEAT_OPTION] < 2 else below(stream, np.int64(2))
    )
    table[i, SLOT] = 0
    if len(opponents) > 1:
        drawn = below(stream, np.int64(UNIT))
        while drawn >= opponents[table[i, SLOT], SHARE]:
            table[i, SLOT] += 1
    rules.new_game(states[i], stream)
    table[i, PROGRESS] = OPENING
    table[i, LENGTH] = 0
    table[i, RESULT] = table[i, REASON] = NOT_OVER
    return kernels.update_terminal(states[i], scratch)


@njit(**JIT)
def _reply(i, n, opponents, states, chance, table, scratch):
    """Let the opponent of game i play; returns the number of legal actions of the next player.

    `n` is that number before the call. Stops when the learner is to move, the game is over, or the
    opponent is outside, and then sets ASKED.
    """
    opponents, states, chance = borrowed(opponents), borrowed(states), borrowed(chance)
    table, scratch = borrowed(table), borrowed(scratch)
    state = states[i]
    table[i, ASKED] = -1
    while n > 0 and np.int64(state[rules.PLAYER]) != table[i, SEAT]:
        kind = opponents[table[i, SLOT], KIND]
        if kind == OUTSIDE:
            table[i, ASKED] = table[i, SLOT]
            break
        if kind == RANDOM:
            k = below(chance[i : i + 1], n)
            action = np.int64(rules.nth_action(state, scratch, k))
        else:
            action = np.int64(turn_kernels.choose_greedily(state, chance[i : i + 1]))
        rules.apply(state, action)
        n = kernels.update_terminal(state, scratch)
    return n


@njit(**JIT)
def _write_position(i, states, table):
    """Write turn and stage of game i."""
    states, table = borrowed(states), borrowed(table)
    table[i, TURN] = states[i, rules.TURN]
    table[i, STAGE] = rules.phase(states[i])


@njit(**JIT)
def _report(i, status, states, table):
    """Write how game i ended; `status` is the state's, or ILLEGAL or EXHAUSTED."""
    states, table = borrowed(states), borrowed(table)
    table[i, PROGRESS] = OVER
    table[i, ENDED] = True
    cut = status == TRUNCATED or status == EXHAUSTED
    table[i, TRUNCATED_NOW] = cut
    table[i, TERMINATED] = not cut
    table[i, RESULT] = NOBODY
    if status == WON_0 or status == WON_1:
        winner = np.int64(0) if status == WON_0 else np.int64(1)
        table[i, RESULT] = winner
        table[i, REASON] = BY_WIN
        table[i, REWARD] = 1 if winner == table[i, SEAT] else -1
    elif status == DRAWN:
        table[i, REASON] = BY_DRAW
    elif status == TRUNCATED:
        table[i, REASON] = BY_MAX_TURNS
    elif status == ILLEGAL:
        table[i, REASON] = BY_ILLEGAL
        table[i, REWARD] = -1
    else:
        table[i, REASON] = BY_MAX_GAME_LENGTH
    _write_position(i, states, table)
    for column in range(NUMBERS):
        table[i, FINAL + column] = table[i, column]


@njit(**JIT)
def _continue(
    i, n, settings, opponents, states, chance, table, masks, planes, final_planes, scratch
):
    """Continue game i, which has n legal actions, until the learner or an outside opponent acts.

    Writes what the learner sees, unless an outside opponent is ASKED.
    """
    settings, opponents, states = borrowed(settings), borrowed(opponents), borrowed(states)
    chance, table, masks = borrowed(chance), borrowed(table), borrowed(masks)
    planes, final_planes, scratch = borrowed(planes), borrowed(final_planes), borrowed(scratch)
    n = _reply(i, n, opponents, states, chance, table, scratch)
    if table[i, ASKED] >= 0:
        return
    if table[i, PROGRESS] == PLAYING:
        if n == 0:
            _report(i, np.int64(states[i, rules.STATUS]), states, table)
        elif table[i, LENGTH] >= settings[MAX_LENGTH]:
            _report(i, np.int64(EXHAUSTED), states, table)
            n = np.int64(0)
    if table[i, PROGRESS] == OVER and settings[AUTORESET] == SAME_STEP:
        observation.observe(states[i], table[i, SEAT], final_planes[i])
        n = _new_game(i, settings, opponents, states, chance, table, scratch)
        n = _reply(i, n, opponents, states, chance, table, scratch)
        if table[i, ASKED] >= 0:
            return
    if n > 0:
        table[i, PROGRESS] = PLAYING
        rules.write_mask(states[i], scratch, masks[i])
    else:
        if table[i, PROGRESS] == OPENING:
            table[i, PROGRESS] = UNREPORTED
        masks[i, :] = 0
    _write_position(i, states, table)
    observation.observe(states[i], table[i, SEAT], planes[i])


# ---------------------------------------------------------------- many games


@njit(**JIT)
def reset(
    begin, end, chosen, settings, opponents, states, chance, table, masks, planes, final_planes
):
    """Start new games in the rows where `chosen` bool[N] is True."""
    scratch = np.empty(rules.SCRATCH_SIZE, rules.SCRATCH_DTYPE)
    return _reset(
        begin,
        end,
        chosen,
        settings,
        opponents,
        states,
        chance,
        table,
        masks,
        planes,
        final_planes,
        scratch,
    )


@njit(**JIT)
def _reset(
    begin,
    end,
    chosen,
    settings,
    opponents,
    states,
    chance,
    table,
    masks,
    planes,
    final_planes,
    scratch,
):
    """Do what reset() says, with a scratch array that the caller keeps alive."""
    chosen, settings, opponents = borrowed(chosen), borrowed(settings), borrowed(opponents)
    states, chance, table = borrowed(states), borrowed(chance), borrowed(table)
    masks, planes, final_planes = borrowed(masks), borrowed(planes), borrowed(final_planes)
    scratch = borrowed(scratch)
    for i in range(begin, end):
        table[i, ENDED] = False
        if chosen[i]:
            table[i, TERMINATED] = table[i, TRUNCATED_NOW] = False
            n = _new_game(i, settings, opponents, states, chance, table, scratch)
            _continue(
                i,
                n,
                settings,
                opponents,
                states,
                chance,
                table,
                masks,
                planes,
                final_planes,
                scratch,
            )
        else:
            observation.observe(states[i], table[i, SEAT], planes[i])


@njit(**JIT)
def step(
    begin,
    end,
    actions,
    illegal,
    settings,
    opponents,
    states,
    chance,
    table,
    masks,
    planes,
    final_planes,
):
    """Play the learner's action in each of the games from `begin` to `end`, and the replies.

    Args:
        begin: the first game.
        end: one past the last.
        actions: int64[N], in the range.
        illegal: TERMINATE or PENALIZE.
        settings, ...: as above; all but these two changed in place.
    """
    scratch = np.empty(rules.SCRATCH_SIZE, rules.SCRATCH_DTYPE)
    return _step(
        begin,
        end,
        actions,
        illegal,
        settings,
        opponents,
        states,
        chance,
        table,
        masks,
        planes,
        final_planes,
        scratch,
    )


@njit(**JIT)
def _step(
    begin,
    end,
    actions,
    illegal,
    settings,
    opponents,
    states,
    chance,
    table,
    masks,
    planes,
    final_planes,
    scratch,
):
    """Do what step() says, with a scratch array that the caller keeps alive."""
    actions, settings, opponents = borrowed(actions), borrowed(settings), borrowed(opponents)
    states, chance, table = borrowed(states), borrowed(chance), borrowed(table)
    masks, planes, final_planes = borrowed(masks), borrowed(planes), borrowed(final_planes)
    scratch = borrowed(scratch)
    for i in range(begin, end):
        table[i, REWARD] = 0
        table[i, ENDED] = False
        n = np.int64(0)
        if table[i, PROGRESS] == OVER:
            if settings[AUTORESET] == DISABLED:
                observation.observe(states[i], table[i, SEAT], planes[i])
                continue
            table[i, TERMINATED] = table[i, TRUNCATED_NOW] = False
            n = _new_game(i, settings, opponents, states, chance, table, scratch)
        elif table[i, PROGRESS] == UNREPORTED:
            table[i, PROGRESS] = PLAYING
        else:
            table[i, TERMINATED] = table[i, TRUNCATED_NOW] = False
            table[i, LENGTH] += 1
            if masks[i, actions[i]]:
                rules.apply(states[i], actions[i])
                n = kernels.update_terminal(states[i], scratch)
            elif illegal == PENALIZE:
                table[i, REWARD] = -1
                n = kernels.update_terminal(states[i], scratch)
            else:
                _report(i, np.int64(ILLEGAL), states, table)
        _continue(
            i, n, settings, opponents, states, chance, table, masks, planes, final_planes, scratch
        )


@njit(**JIT)
def look(rows, states, masks, planes):
    """Write what the players to move see in the games `rows` int64[n], into the first n rows.

    masks is int8[>= n, A], planes int8[>= n, F].
    """
    scratch = np.empty(rules.SCRATCH_SIZE, rules.SCRATCH_DTYPE)
    return _look(rows, states, masks, planes, scratch)


@njit(**JIT)
def _look(rows, states, masks, planes, scratch):
    """Do what look() says, with a scratch array that the caller keeps alive."""
    rows, states, masks = borrowed(rows), borrowed(states), borrowed(masks)
    planes, scratch = borrowed(planes), borrowed(scratch)
    for k in range(len(rows)):
        state = states[rows[k]]
        rules.legal(state, scratch)
        rules.write_mask(state, scratch, masks[k])
        observation.observe(state, np.int64(state[rules.PLAYER]), planes[k])


@njit(**JIT)
def answer(rows, answers, settings, opponents, states, chance, table, masks, planes, final_planes):
    """Play the legal actions `answers` int64[n] of outside opponents in the games `rows`."""
    scratch = np.empty(rules.SCRATCH_SIZE, rules.SCRATCH_DTYPE)
    return _answer(
        rows,
        answers,
        settings,
        opponents,
        states,
        chance,
        table,
        masks,
        planes,
        final_planes,
        scratch,
    )


@njit(**JIT)
def _answer(
    rows, answers, settings, opponents, states, chance, table, masks, planes, final_planes, scratch
):
    """Do what answer() says, with a scratch array that the caller keeps alive."""
    rows, answers, settings = borrowed(rows), borrowed(answers), borrowed(settings)
    opponents, states, chance = borrowed(opponents), borrowed(states), borrowed(chance)
    table, masks, planes = borrowed(table), borrowed(masks), borrowed(planes)
    final_planes, scratch = borrowed(final_planes), borrowed(scratch)
    for k in range(len(rows)):
        i = rows[k]
        rules.apply(states[i], answers[k])
        n = kernels.update_terminal(states[i], scratch)
        _continue(
            i, n, settings, opponents, states, chance, table, masks, planes, final_planes, scratch
        )


@njit(**JIT)
def sample(begin, end, sampling, sampled, masks):
    """Sample a uniformly random legal action of the learner in each game, 0 where it has none.

    sampling is uint64[N], random streams; sampled is int64[N], written.
    """
    for i in range(begin, end):
        mask = masks[i]
        n = np.int64(0)
        for a in range(len(mask)):
            n += mask[a]
        sampled[i] = 0
        if n > 0:
            k = below(sampling[i : i + 1], n)
            for a in range(len(mask)):
                if mask[a]:
                    if k == 0:
                        sampled[i] = a
                    k -= 1
