"""The same loops over other libraries: random legal actions, with masks and observations.

A library is measured if it is installed (extra ``ludarium[bench]``).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Run = Callable[[], int]
STEPS = 16  # of a run of a library that compiles its loop

# ---------------------------------------------------------------- PettingZoo


def aec_loop(env: Any, steps: int = 500) -> Run:
    """Return a function that runs `steps` of an AEC environment with random legal actions."""
    rng = np.random.default_rng(0)
    flatnonzero = np.flatnonzero

    def run() -> int:
        for _ in range(steps):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            legal = flatnonzero(observation["action_mask"])
            env.step(int(legal[int(rng.random() * legal.size)]))
        return steps

    return run


def _classic(name: str) -> Callable[[], Run | None]:
    def make() -> Run | None:
        if importlib.util.find_spec("pygame") is None:
            return None
        import warnings

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                module = importlib.import_module(f"pettingzoo.classic.{name}")
                env = module.env()
        except ImportError:
            return None
        env.reset(seed=0)
        return aec_loop(env, 50)

    return make


# ---------------------------------------------------------------- OpenSpiel


def _breakthrough() -> Run | None:
    """Return the Python loop, with observation tensor and mask as NumPy arrays."""
    if importlib.util.find_spec("pyspiel") is None:
        return None
    pyspiel: Any = importlib.import_module("pyspiel")
    game, rng = pyspiel.load_game("breakthrough"), np.random.default_rng(0)
    states = [game.new_initial_state()]

    def run() -> int:
        for _ in range(200):
            state = states[0]
            if state.is_terminal():
                states[0] = state = game.new_initial_state()
            np.asarray(state.observation_tensor(), np.float32)
            legal = np.flatnonzero(np.asarray(state.legal_actions_mask(), np.int8))
            state.apply_action(int(legal[int(rng.random() * legal.size)]))
        return 200

    return run


def _opening_search(simulations: int = 1000) -> Run | None:
    """Return OpenSpiel's tree search in C++, with one random playout for each simulation."""
    if importlib.util.find_spec("pyspiel") is None:
        return None
    pyspiel: Any = importlib.import_module("pyspiel")
    game = pyspiel.load_game("breakthrough")
    evaluator = pyspiel.RandomRolloutEvaluator(1, 0)
    bot = pyspiel.MCTSBot(game, evaluator, 1.4, simulations, 1000, True, 0, False)
    state = game.new_initial_state()

    def run() -> int:
        bot.step(state)
        return simulations

    return run


# ---------------------------------------------------------------- JAX


def _jax_loop(env: Any, observe: Callable[[Any], Any], batch: int) -> Run:
    """Return the loop of a batch on the CPU: one jitted call of `STEPS` steps.

    Each step samples legal actions, plays them, puts finished games back to the start and makes the
    observations, which are added up so that the compiler cannot leave them out. Sampling by the
    number of legal actions is several times faster than `jax.random.categorical`.

    Args:
        env: an environment with `init(key)` and `step(state, action)` of one game, whose states
            have `legal_action_mask`, `terminated` and `truncated`.
        observe: function from a batch of states to its observations.
        batch: number of games.
    """
    jax: Any = importlib.import_module("jax")
    jnp = jax.numpy
    init, step = jax.vmap(env.init), jax.vmap(env.step)
    start = jax.jit(init)(jax.random.split(jax.random.PRNGKey(0), batch))  # all games start alike

    def play(carry: Any, key: Any) -> Any:
        state, total = carry
        counts = jnp.cumsum(state.legal_action_mask, axis=1)
        chosen = (jax.random.uniform(key, (batch,)) * counts[:, -1]).astype(jnp.int32)
        state = step(state, (counts > chosen[:, None]).argmax(axis=1))
        over = state.terminated | state.truncated

        def choose(new: Any, old: Any) -> Any:
            return jnp.where(over.reshape(-1, *[1] * (old.ndim - 1)), new, old)

        state = jax.tree_util.tree_map(choose, start, state)
        return (state, total + observe(state).sum()), None

    def several(state: Any, key: Any) -> Any:
        key, *keys = jax.random.split(key, STEPS + 1)
        (state, total), _ = jax.lax.scan(play, (state, jnp.zeros(())), jnp.stack(keys))
        return state, key, total

    jitted, state, key = jax.jit(several), start, jax.random.PRNGKey(1)

    def run() -> int:
        nonlocal state, key
        state, key, total = jitted(state, key)
        total.block_until_ready()
        return batch * STEPS

    return run


def _pgx(name: str, batch: int = 1024) -> Callable[[], Run | None]:
    def make() -> Run | None:
        if importlib.util.find_spec("pgx") is None or importlib.util.find_spec("jax") is None:
            return None
        env = importlib.import_module("pgx").make(name)
        return _jax_loop(env, lambda state: state.observation, batch)

    return make


def _ludax(name: str, batch: int = 1024) -> Callable[[], Run | None]:
    def make() -> Run | None:
        if importlib.util.find_spec("ludax") is None:
            return None
        jax: Any = importlib.import_module("jax")
        rules = getattr(importlib.import_module("ludax.games"), name)
        env = importlib.import_module("ludax").LudaxEnvironment(game_str=rules)

        def planes(state: Any) -> Any:
            """Two planes of stones, mine and theirs: Ludax's step makes no observation."""
            board, player = state.game_state.board, state.current_player
            owners = jax.numpy.stack([player, 1 - player], 1)
            return board.reshape(batch, 1, -1) == owners[:, :, None]

        return _jax_loop(env, planes, batch)

    return make


# ---------------------------------------------------------------- the list


class Peer(NamedTuple):
    """A loop over another library.

    Attributes:
        subject: library and game.
        unit: unit of its rate.
        against: the group of rows of this package that it can be compared with.
        note: how simple the game is, and what the library writes for an action.
        make: returns a run, or None if the library is not installed.
    """

    subject: str
    unit: str
    against: str
    note: str
    make: Callable[[], Run | None]


PEERS = [
    Peer(
        "Pgx connect_four, batch 1,024",
        "actions/s",
        "vector",
        "a far simpler game: 7 actions; mask and 84 bytes of planes",
        _pgx("connect_four"),
    ),
    Peer(
        "Pgx othello, batch 1,024",
        "actions/s",
        "vector",
        "a simpler game: 65 actions, pieces flip; mask and 128 bytes of planes",
        _pgx("othello"),
    ),
    Peer(
        "Pgx animal_shogi, batch 1,024",
        "actions/s",
        "vector",
        "a game of pieces on 12 cells: 132 actions; mask and 2,328 bytes of planes",
        _pgx("animal_shogi"),
    ),
    Peer(
        "Ludax hex, batch 1,024",
        "actions/s",
        "vector",
        "a far simpler game: a stone a turn, 11 x 11; mask and two planes made by the benchmark",
        _ludax("hex"),
    ),
    Peer(
        "Ludax reversi, batch 1,024",
        "actions/s",
        "vector",
        "a simpler game: 64 actions, pieces flip; mask and two planes made by the benchmark",
        _ludax("reversi"),
    ),
    Peer(
        "PettingZoo connect_four_v3",
        "steps/s",
        "aec",
        "a far simpler game: 7 actions; mask and 84 bytes of planes",
        _classic("connect_four_v3"),
    ),
    Peer(
        "PettingZoo chess_v6",
        "steps/s",
        "aec",
        "a harder game: 4,672 actions; mask and 7,104 bytes of planes",
        _classic("chess_v6"),
    ),
    Peer(
        "OpenSpiel breakthrough, from Python",
        "steps/s",
        "aec",
        "rules in C++, 768 actions; mask and tensor as NumPy arrays, no checks",
        _breakthrough,
    ),
    Peer(
        "OpenSpiel MCTSBot at breakthrough, C++",
        "simulations/s",
        "search",
        "one uniformly random playout for each simulation; ours play one too, and take a win",
        _opening_search,
    ),
]
