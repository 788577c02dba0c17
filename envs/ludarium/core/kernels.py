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

from ludarium.core.bits import JIT, below, borrowed, put
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
    state, scratch = borrowed(state), borrowed(scratch)
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
    state = borrowed(state)
    return (
        np.int64(state[rules.STATUS])
        | np.int64(state[rules.PLAYER]) << PLAYER_SHIFT
        | np.int64(rules.phase(state)) << PHASE_SHIFT
        | np.int64(state[rules.TURN]) << TURN_SHIFT
    )


# What drive() does to a game.
START, LOAD, STEP, OBSERVE, STEP_AND_OBSERVE = 0, 1, 2, 3, 4

# What stands for an array that is not used.
NO_MASK, NO_PLANES = np.zeros(1, np.int8), np.zeros((1, 1, 1), np.int8)


@njit(**JIT)
def _drive(what, state, number, mask, planes, scratch):
    """Do what drive() says, with a scratch array that the caller keeps alive."""
    state, mask, planes = borrowed(state), borrowed(mask), borrowed(planes)
    scratch = borrowed(scratch)
    packed, player = np.int64(0), np.int64(number)
    if what != OBSERVE:
        if what == START:
            stream = np.empty(1, np.int64)
            stream[0] = number
            rules.new_game(state, stream.view(np.uint64))
        elif what != LOAD:
            if number < 0 or number >= len(mask) or mask[number] == 0:
                return np.int64(ILLEGAL)
            rules.apply(state, number)
        if update_terminal(state, scratch):
            rules.write_mask(state, scratch, mask)
        else:
            mask[:] = 0
        packed = pack(state)
        if what != STEP_AND_OBSERVE:
            return packed
        player = np.int64(0)
        if packed & STATUS_MASK == RUNNING:
            player = np.int64(state[rules.PLAYER])
    observation.observe(state, player, planes)
    return packed


@njit(**JIT)
def drive(what, state, number, mask, planes):
    """Do to one game what Python asks for: the functions below say what each `what` means.

    They share this entry because compiling takes seconds: each entry compiles the whole game.

    Args:
        what: START, LOAD, STEP, OBSERVE or STEP_AND_OBSERVE.
        state: [W], changed unless what is OBSERVE.
        number: the action; of OBSERVE the player; of START a random stream, as int64.
        mask: int8[A], read and written, unless what is OBSERVE.
        planes: int8[H, W, C], written by OBSERVE and STEP_AND_OBSERVE.

    Returns:
        pack() or ILLEGAL; 0 for OBSERVE.
    """
    scratch = np.empty(rules.SCRATCH_SIZE, rules.SCRATCH_DTYPE)
    return _drive(what, state, number, mask, planes.reshape(-1), scratch)


def load(state, mask):
    """Do update_terminal() and write the mask int8[A], zeros after the end; returns pack()."""
    return drive(LOAD, state, 0, mask, NO_PLANES)


def start(state, rng, mask):
    """Set up a new game and return load().

    Where the options leave it to chance, rng uint64[1] decides, which stays as it is.
    """
    return drive(START, state, int(rng.view(np.int64)[0]), mask, NO_PLANES)


def step(state, action, mask):
    """Play an action that is legal by `mask`, the mask of this state, and return load().

    Returns ILLEGAL, and changes nothing, when the action is out of range or not in the mask.
    """
    return drive(STEP, state, action, mask, NO_PLANES)


def observe(state, player, planes):
    """Write the observation int8[H, W, C] of either player."""
    drive(OBSERVE, state, player, NO_MASK, planes)


def step_and_observe(state, action, mask, planes):
    """Do step() and write the observation int8[H, W, C] of the player to move.

    After the end it is that of player 0.
    """
    return drive(STEP_AND_OBSERVE, state, action, mask, planes)


# ---------------------------------------------------------------- many games

# Rows of the numbers in the infos.
TURN_ROW, STAGE_ROW, RESULT_ROW, REASON_ROW, NUMBER_ROWS = 0, 1, 2, 3, 4


@njit(**JIT)
def _write_numbers(state, i, numbers):
    """Write turn, stage, result and reason of game i, as its state has them, into its column."""
    state, numbers = borrowed(state), borrowed(numbers)
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
    state = borrowed(state)
    scratch = borrowed(scratch)
    masks = borrowed(masks)
    planes = borrowed(planes)
    current = borrowed(current)
    sampling = borrowed(sampling)
    sampled = borrowed(sampled)
    mask = masks[i]
    player = np.int64(0)
    if n == 0:
        mask[:] = 0
        current[i] = -1
        sampled[i] = 0
    else:
        rules.write_mask(state, scratch, mask)
        player = np.int64(state[rules.PLAYER])
        current[i] = player
        if draw:  # peek only: SAMPLE is what advances the stream
            stream = sampling[i]
            sampled[i] = rules.nth_action(state, scratch, below(sampling[i : i + 1], n))
            sampling[i] = stream
    observation.observe(state, player, planes[i])


# What drive_batch() does to the games, and the columns of its settings.
RESET_BATCH, STEP_BATCH, SAMPLE_BATCH = 0, 1, 2
AUTORESET, ILLEGAL_MODE, MAX_LENGTH = 0, 1, 2
SETTINGS = 3


@njit(**JIT)
def _drive_batch(
    begin,
    end,
    what,
    flag,
    chosen,
    actions,
    settings,
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
    scratch,
):
    """Do what drive_batch() says, with a scratch array that the caller keeps alive."""
    chosen = borrowed(chosen)
    actions = borrowed(actions)
    settings = borrowed(settings)
    states = borrowed(states)
    setup = borrowed(setup)
    masks = borrowed(masks)
    planes = borrowed(planes)
    current = borrowed(current)
    sampling = borrowed(sampling)
    sampled = borrowed(sampled)
    lengths = borrowed(lengths)
    numbers = borrowed(numbers)
    rewards = borrowed(rewards)
    terminated = borrowed(terminated)
    truncated = borrowed(truncated)
    final = borrowed(final)
    final_planes = borrowed(final_planes)
    final_numbers = borrowed(final_numbers)
    scratch = borrowed(scratch)
    autoreset, max_length = settings[AUTORESET], settings[MAX_LENGTH]
    penalize = settings[ILLEGAL_MODE] == PENALIZE
    for i in range(begin, end):
        state = states[i]
        if what == SAMPLE_BATCH:
            if current[i] < 0:
                sampled[i] = 0
            elif flag:
                below(sampling[i : i + 1], np.int64(1))
            else:
                k = below(sampling[i : i + 1], rules.legal(state, scratch))
                sampled[i] = rules.nth_action(state, scratch, k)
            continue
        if what == RESET_BATCH:
            if not chosen[i]:
                observation.observe(state, np.int64(max(current[i], 0)), planes[i])
                continue
            if flag:
                rules.new_game(state, setup[i : i + 1])
            n = update_terminal(state, scratch)
            lengths[i] = 0
            _write_numbers(state, i, numbers)
            _show(state, scratch, n, i, masks, planes, current, sampling, sampled, np.bool_(False))
            continue
        rewards[i, 0] = 0
        rewards[i, 1] = 0
        final[i] = False
        if autoreset == SAME_STEP:
            for row in range(NUMBER_ROWS):
                final_numbers[row, i] = 0
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
            terminated[i] = not penalize
            truncated[i] = False
            if not penalize:
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
            elif n > 0 and penalize and lengths[i] >= max_length:
                n = np.int64(0)
                refused = BY_MAX_GAME_LENGTH
                truncated[i] = True
        _write_numbers(state, i, numbers)
        if refused != NOT_OVER:
            numbers[RESULT_ROW, i] = NOBODY
            numbers[REASON_ROW, i] = refused
        if n == 0 and autoreset == SAME_STEP:
            final[i] = True
            for row in range(NUMBER_ROWS):
                final_numbers[row, i] = numbers[row, i]
            observation.observe(state, np.int64(0), final_planes[i])
            rules.new_game(state, setup[i : i + 1])
            n = update_terminal(state, scratch)
            lengths[i] = 0
            _write_numbers(state, i, numbers)
        _show(state, scratch, n, i, masks, planes, current, sampling, sampled, flag)


@njit(**JIT)
def drive_batch(
    begin,
    end,
    what,
    flag,
    chosen,
    actions,
    settings,
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
    """Do to the games from `begin` to `end` what `what` says: one entry, as drive() is for one.

    - RESET_BATCH: in rows where `chosen` is True, start a new game if `flag`, and otherwise show
      the state as it is. The other rows keep everything but their planes, which are written again.
    - STEP_BATCH: play one action in each game; sample the next ones if `flag`.
    - SAMPLE_BATCH: advance the sampling streams; sample actions unless `flag`: the step did so.

    Args:
        begin: the first game.
        end: one past the last.
        what: one of the three.
        flag: as above.
        chosen: bool[N], read by RESET_BATCH.
        actions: int64[N], from 0 to A - 1, read by STEP_BATCH.
        settings: int64[SETTINGS]: NEXT_STEP, SAME_STEP or DISABLED; TERMINATE or PENALIZE; and,
            under PENALIZE, the number of actions, refused ones included, that truncates.
        states: [N, W], changed in place.
        setup: uint64[N], random streams for the set-ups.
        masks: int8[N, A], of the player to move; read, then written.
        planes: int8[N, F], written.
        current: int8[N], the player to move, -1 when over; read, then written.
        sampling: uint64[N], random streams for the sampled actions; only SAMPLE_BATCH advances
            them.
        sampled: int64[N], written: a uniform legal action, 0 when over.
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
    _drive_batch(
        begin,
        end,
        what,
        flag,
        chosen,
        actions,
        settings,
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
        scratch,
    )


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
    put(states[0], state)
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
    return _perft_advance(most, progress, states, numbers, left, scratch)


@njit(**JIT)
def _perft_advance(most, progress, states, numbers, left, scratch):
    """Do what perft_advance() says, with a scratch array that the caller keeps alive."""
    progress, states, numbers = borrowed(progress), borrowed(states), borrowed(numbers)
    left, scratch = borrowed(left), borrowed(scratch)
    level, total, last = progress[PERFT_LEVEL], progress[PERFT_COUNT], progress[PERFT_LAST]
    while level >= 0 and most > 0:
        if left[level] == 0:
            level -= 1
            continue
        most -= 1
        left[level] -= 1
        child = states[level + 1]
        put(child, states[level])
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
    return _playout(state, rng, scratch)


@njit(**JIT)
def _playout(state, rng, scratch):
    """Do what playout() says, with a scratch array that the caller keeps alive."""
    state, rng, scratch = borrowed(state), borrowed(rng), borrowed(scratch)
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
        put(state, start)
        actions += playout(state, rng)
    return actions
