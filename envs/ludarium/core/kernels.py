"""Kernels over any game's jitted rules: step, observe, count, play out.

A template, not a module to import: `ludarium.core.game.kernels_for` executes this file once for
each game, with `rules` and `observation` standing for the game's own modules. What these must offer
is written in ``core/contract.pyi`` and, in words, in ``CONTRIBUTING.md``.

Every kernel is jitted, releases the GIL, and keeps nothing between calls. In the comments W is the
length of a state, A the number of actions, F the length of a flat observation.
"""

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from ludarium.core.bits import JIT, below
from ludarium.core.status import (
    BY_DRAW,
    BY_ILLEGAL,
    BY_MAX_GAME_LENGTH,
    BY_MAX_TURNS,
    BY_WIN,
    DISABLED,
    DRAWN,
    ILLEGAL,
    NOBODY,
    NOT_OVER,
    PENALIZE,
    PHASE_SHIFT,
    PLAYER_SHIFT,
    RUNNING,
    SAME_STEP,
    STATUS_MASK,
    TERMINATE,
    TRUNCATED,
    TURN_SHIFT,
    WON_0,
    WON_1,
)

if TYPE_CHECKING:
    from ludarium.core.contract import observation, rules
elif "rules" not in globals():
    raise ImportError(f"{__name__} is a template: ludarium.core.game.kernels_for() executes it")

# ---------------------------------------------------------------- one game


@njit(**JIT)
def update_terminal(state, scratch):
    """List the legal actions of a state just played to or read, or end the game.

    A player to move who has no legal action loses; at max_turns a game is truncated, after
    everything the rules decide. Returns the number of legal actions, 0 when the game is over.
    """
    if state[rules.STATUS] != RUNNING:
        return np.int64(0)
    n = rules.legal(state, scratch)
    if n == 0:
        state[rules.STATUS] = WON_1 if state[rules.PLAYER] == 0 else WON_0
    elif state[rules.TURN] >= state[rules.MAX_TURNS]:
        state[rules.STATUS] = TRUNCATED
        n = np.int64(0)
    return n


@njit(**JIT)
def pack(state):
    """Return status, player to move, phase and turn number of a state as one integer."""
    return (
        np.int64(state[rules.STATUS])
        | np.int64(state[rules.PLAYER]) << PLAYER_SHIFT
        | np.int64(rules.phase(state)) << PHASE_SHIFT
        | np.int64(state[rules.TURN]) << TURN_SHIFT
    )


@njit(**JIT)
def load(state, mask):
    """Do update_terminal() and write the mask int8[A], zeros after the end; returns pack()."""
    scratch = np.empty(rules.SCRATCH_SIZE, rules.SCRATCH_DTYPE)
    if update_terminal(state, scratch):
        rules.write_mask(state, scratch, mask)
    else:
        mask[:] = 0
    return pack(state)


@njit(**JIT)
def start(state, rng, mask):
    """Set up a new game, by rng uint64[1] where the options leave it to chance; returns load()."""
    rules.new_game(state, rng)
    return load(state, mask)


@njit(**JIT)
def step(state, action, mask):
    """Play an action that is legal by `mask`, the mask of this state, and return load().

    Returns ILLEGAL, and changes nothing, when the action is out of range or not in the mask.
    """
    if action < 0 or action >= len(mask) or mask[action] == 0:
        return np.int64(ILLEGAL)
    rules.apply(state, action)
    return load(state, mask)


@njit(**JIT)
def observe(state, player, planes):
    """Write the observation int8[H, W, C] of either player."""
    observation.observe(state, player, planes.reshape(-1))


@njit(**JIT)
def step_and_observe(state, action, mask, planes):
    """Do step() and write the observation int8[H, W, C] of the player to move.

    After the end it is that of player 0.
    """
    packed = step(state, action, mask)
    if packed != ILLEGAL:
        player = np.int64(state[rules.PLAYER])
        observe(state, player if packed & STATUS_MASK == RUNNING else np.int64(0), planes)
    return packed


# ---------------------------------------------------------------- many games

# Rows of the numbers in the infos.
TURN_ROW, STAGE_ROW, RESULT_ROW, REASON_ROW, NUMBER_ROWS = 0, 1, 2, 3, 4


@njit(**JIT)
def _write_numbers(state, i, numbers):
    """Write turn, stage, result and reason of game i, as its state has them, into its column."""
    status = state[rules.STATUS]
    numbers[TURN_ROW, i] = state[rules.TURN]
    numbers[STAGE_ROW, i] = rules.phase(state)
    if status == RUNNING:
        result, reason = NOT_OVER, NOT_OVER
    elif status == WON_0:
        result, reason = 0, BY_WIN
    elif status == WON_1:
        result, reason = 1, BY_WIN
    elif status == DRAWN:
        result, reason = NOBODY, BY_DRAW
    else:
        result, reason = NOBODY, BY_MAX_TURNS
    numbers[RESULT_ROW, i] = result
    numbers[REASON_ROW, i] = reason


@njit(**JIT)
def first_illegal(actions, current, masks, begin):
    """Return the first game from `begin` on whose action int64[N] is not legal, or N.

    Games that are over, with `current` -1, accept any action.
    """
    for i in range(begin, len(actions)):
        if current[i] >= 0 and masks[i, actions[i]] == 0:
            return i
    return len(actions)


@njit(**JIT)
def _show(state, scratch, n, i, masks, planes, current, sampling, sampled, draw):
    """Write the mask, the observation and the sampled action of game i.

    `scratch` lists its n legal actions.
    """
    mask = masks[i]
    if n == 0:
        mask[:] = 0
        current[i] = -1
        sampled[i] = 0
        observation.observe(state, np.int64(0), planes[i])
        return
    rules.write_mask(state, scratch, mask)
    player = np.int64(state[rules.PLAYER])
    current[i] = player
    observation.observe(state, player, planes[i])
    if draw:  # peek only: sample_actions() is what advances the stream
        stream = sampling[i]
        sampled[i] = rules.nth_action(state, scratch, below(sampling[i : i + 1], n))
        sampling[i] = stream


@njit(**JIT)
def reset_batch(
    begin,
    end,
    chosen,
    fresh,
    states,
    setup,
    masks,
    planes,
    current,
    sampling,
    sampled,
    lengths,
    numbers,
):
    """Start new games (`fresh`) or observe the states as they are, in rows where `chosen` is True.

    `chosen` is bool[N]; the other arrays are those of step_batch().
    """
    scratch = np.empty(rules.SCRATCH_SIZE, rules.SCRATCH_DTYPE)
    for i in range(begin, end):
        if not chosen[i]:
            continue
        state = states[i]
        if fresh:
            rules.new_game(state, setup[i : i + 1])
        n = update_terminal(state, scratch)
        lengths[i] = 0
        _write_numbers(state, i, numbers)
        _show(state, scratch, n, i, masks, planes, current, sampling, sampled, False)


@njit(**JIT)
def observe_batch(begin, end, states, current, planes):
    """Write the observations of the games from `begin` to `end`."""
    for i in range(begin, end):
        observation.observe(states[i], np.int64(max(current[i], 0)), planes[i])


@njit(**JIT)
def step_batch(
    begin,
    end,
    actions,
    autoreset,
    illegal,
    max_length,
    draw,
    states,
    setup,
    masks,
    planes,
    current,
    sampling,
    sampled,
    lengths,
    numbers,
    rewards,
    terminated,
    truncated,
    final,
    final_planes,
    final_numbers,
):
    """Play one action in each of the games from `begin` to `end`.

    Args:
        begin: the first game.
        end: one past the last.
        actions: int64[N], from 0 to A - 1.
        autoreset: NEXT_STEP, SAME_STEP or DISABLED.
        illegal: TERMINATE or PENALIZE.
        max_length: under PENALIZE, the number of actions, refused ones included, that truncates.
        draw: whether to draw the next sampled actions.
        states: [N, W], changed in place.
        setup: uint64[N], random streams for the set-ups.
        masks: int8[N, A], of the player to move; read, then written.
        planes: int8[N, F], written.
        current: int8[N], the player to move, -1 when over; read, then written.
        sampling: uint64[N], random streams for the sampled actions, not advanced.
        sampled: int64[N], written if `draw`: a uniform legal action, 0 when over.
        lengths: int64[N], actions in each game, refused ones included; read, then written.
        numbers: int64[NUMBER_ROWS, N], of the infos; kept where a game waits, else written.
        rewards: float32[N, 2], written.
        terminated: bool[N], written.
        truncated: bool[N], written.
        final: bool[N], written under SAME_STEP: whether the row of final_planes is new.
        final_planes: int8[N, F], written under SAME_STEP where a game ended.
        final_numbers: int64[NUMBER_ROWS, N], written under SAME_STEP: of the infos of the games
            that ended, 0 elsewhere.
    """
    scratch = np.empty(rules.SCRATCH_SIZE, rules.SCRATCH_DTYPE)
    for i in range(begin, end):
        state = states[i]
        rewards[i, 0] = 0
        rewards[i, 1] = 0
        final[i] = False
        if autoreset == SAME_STEP:
            final_numbers[:, i] = 0
        n = np.int64(0)
        refused = NOT_OVER  # why the environment ends a game that its rules would go on with
        if current[i] < 0:
            if autoreset == DISABLED:
                observation.observe(state, np.int64(0), planes[i])
                continue
            rules.new_game(state, setup[i : i + 1])
            n = update_terminal(state, scratch)
            lengths[i] = 0
            terminated[i] = False
            truncated[i] = state[rules.STATUS] == TRUNCATED  # a random set-up can take all turns
        elif masks[i, actions[i]] == 0:
            lengths[i] += 1
            rewards[i, np.int64(state[rules.PLAYER])] = -1
            terminated[i] = illegal == TERMINATE
            truncated[i] = False
            if illegal == TERMINATE:
                refused = BY_ILLEGAL
            elif lengths[i] >= max_length:
                refused = BY_MAX_GAME_LENGTH
                truncated[i] = True
            else:
                n = update_terminal(state, scratch)
        else:
            lengths[i] += 1
            rules.apply(state, actions[i])
            n = update_terminal(state, scratch)
            status = state[rules.STATUS]
            terminated[i] = status == WON_0 or status == WON_1 or status == DRAWN
            truncated[i] = status == TRUNCATED
            if status == WON_0:
                rewards[i, 0] = 1
                rewards[i, 1] = -1
            elif status == WON_1:
                rewards[i, 0] = -1
                rewards[i, 1] = 1
            elif n > 0 and illegal == PENALIZE and lengths[i] >= max_length:
                n = np.int64(0)
                refused = BY_MAX_GAME_LENGTH
                truncated[i] = True
        _write_numbers(state, i, numbers)
        if refused != NOT_OVER:
            numbers[RESULT_ROW, i] = NOBODY
            numbers[REASON_ROW, i] = refused
        if n == 0 and autoreset == SAME_STEP:
            final[i] = True
            final_numbers[:, i] = numbers[:, i]
            observation.observe(state, np.int64(0), final_planes[i])
            rules.new_game(state, setup[i : i + 1])
            n = update_terminal(state, scratch)
            lengths[i] = 0
            _write_numbers(state, i, numbers)
        _show(state, scratch, n, i, masks, planes, current, sampling, sampled, draw)


@njit(**JIT)
def sample_batch(begin, end, ready, states, current, sampling, sampled):
    """Advance the sampling streams; sample actions unless step_batch() did so (`ready`)."""
    scratch = np.empty(rules.SCRATCH_SIZE, rules.SCRATCH_DTYPE)
    for i in range(begin, end):
        if current[i] < 0:
            sampled[i] = 0
        elif ready:
            below(sampling[i : i + 1], np.int64(1))
        else:
            n = rules.legal(states[i], scratch)
            k = below(sampling[i : i + 1], n)
            sampled[i] = rules.nth_action(states[i], scratch, k)


# ---------------------------------------------------------------- many continuations


PERFT_LEVEL, PERFT_COUNT, PERFT_LAST = 0, 1, 2  # progress of a count, int64[3]
PERFT_TOO_LONG = -1  # the count when a turn has more actions than rules.ACTIONS_PER_TURN


@njit(**JIT)
def perft_begin(state, depth, progress, states, numbers, left):
    """Prepare to count the sequences of `depth` whole turns, at least one, from a running state.

    Args:
        state: [W], after update_terminal().
        depth: number of turns.
        progress: int64[3], written: the level of the search, the count so far, the last turn.
        states: [rules.ACTIONS_PER_TURN * depth + 1, W], written: the state at each level.
        numbers: int64[levels, MAX_ACTIONS], written: the legal actions at each level.
        left: int64[levels], zeros, written: how many of them are still to be played.
    """
    scratch = np.empty(rules.SCRATCH_SIZE, rules.SCRATCH_DTYPE)
    states[0] = state
    rules.legal(states[0], scratch)
    left[0] = rules.list_actions(states[0], scratch, numbers[0])
    progress[PERFT_LEVEL] = 0
    progress[PERFT_COUNT] = 0
    progress[PERFT_LAST] = np.int64(state[rules.TURN]) + depth


@njit(**JIT)
def perft_advance(most, progress, states, numbers, left):
    """Play at most that many actions of a count; returns whether it is complete.

    Depth first, over actions; a turn is over when the turn number has changed. A game that ends
    early adds nothing to deeper counts. The count grows by one at a time: no int64 overflows.
    """
    scratch = np.empty(rules.SCRATCH_SIZE, rules.SCRATCH_DTYPE)
    level, total, last = progress[PERFT_LEVEL], progress[PERFT_COUNT], progress[PERFT_LAST]
    while level >= 0 and most > 0:
        if left[level] == 0:
            level -= 1
            continue
        most -= 1
        left[level] -= 1
        child = states[level + 1]
        child[:] = states[level]
        rules.apply(child, numbers[level, left[level]])
        n = update_terminal(child, scratch)
        if np.int64(child[rules.TURN]) == last:
            total += 1
        elif n:
            level += 1
            if level + 1 == len(states):
                progress[PERFT_COUNT] = PERFT_TOO_LONG
                return True
            left[level] = rules.list_actions(child, scratch, numbers[level])
    progress[PERFT_LEVEL] = level
    progress[PERFT_COUNT] = total
    return level < 0


@njit(**JIT)
def playout(state, rng):
    """Play uniformly random actions to the end, in place; returns their number.

    Advances rng uint64[1]. The status of the state is the result.
    """
    scratch = np.empty(rules.SCRATCH_SIZE, rules.SCRATCH_DTYPE)
    actions = np.int64(0)
    while state[rules.STATUS] == RUNNING:
        if state[rules.TURN] >= state[rules.MAX_TURNS]:
            update_terminal(state, scratch)  # a player without a legal action loses even now
            break
        action = rules.random_action(state, scratch, rng)
        if action < 0:
            state[rules.STATUS] = WON_1 if state[rules.PLAYER] == 0 else WON_0
            break
        rules.apply(state, action)
        actions += 1
    return actions


@njit(**JIT)
def playouts(start, rng, games):
    """Play that many uniformly random games from a state; returns the number of actions."""
    state = start.copy()
    actions = np.int64(0)
    for _ in range(games):
        state[:] = start
        actions += playout(state, rng)
    return actions
