"""The same loops over other libraries: random legal actions, with masks and observations.

A library is measured if it is installed (extra ``ludarium[bench]``).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

Run = Callable[[], int]

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


# ---------------------------------------------------------------- Pgx


def _animal_shogi(batch: int = 1024, steps: int = 4) -> Run | None:
    """Return the loop of a batch on the CPU: jitted step and sampling, with Pgx's auto_reset."""
    if importlib.util.find_spec("pgx") is None or importlib.util.find_spec("jax") is None:
        return None
    jax: Any = importlib.import_module("jax")
    pgx: Any = importlib.import_module("pgx")
    auto_reset = importlib.import_module("pgx.experimental").auto_reset
    env = pgx.make("animal_shogi")
    step = auto_reset(env.step, env.init)

    def play(state: Any, key: Any) -> Any:
        key, action_key, step_key = jax.random.split(key, 3)
        logits = jax.numpy.log(state.legal_action_mask.astype(jax.numpy.float32))
        actions = jax.random.categorical(action_key, logits, axis=1)
        return jax.vmap(step)(state, actions, jax.random.split(step_key, batch)), key

    jitted = jax.jit(play)
    key = jax.random.PRNGKey(0)
    state, key = jax.jit(jax.vmap(env.init))(jax.random.split(key, batch)), key

    def run() -> int:
        nonlocal state, key
        for _ in range(steps):
            state, key = jitted(state, key)
        state.observation.block_until_ready()
        return batch * steps

    return run


#: Subject, unit, and a function that returns a run, or None if the library is missing.
LOOPS: list[tuple[str, str, Callable[[], Run | None]]] = [
    ("PettingZoo connect_four_v3, AEC", "steps/s", _classic("connect_four_v3")),
    ("PettingZoo chess_v6, AEC", "steps/s", _classic("chess_v6")),
    ("OpenSpiel breakthrough, Python with tensor and mask", "steps/s", _breakthrough),
    ("Pgx animal_shogi on CPU, batch 1,024", "actions/s", _animal_shogi),
]
