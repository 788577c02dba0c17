"""Boards of all sizes share their kernels and do not disturb each other."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

import ludarium

SIZES = (12, 13, 16, 19)


def steps(env: Any, seed: int) -> Any:
    """Play a random game; yields the text, mask and observation at each action."""
    rng = np.random.default_rng(seed)
    env.reset()
    while not env.game_state.is_terminal():
        observation, *_ = env.last()
        mask = observation["action_mask"]
        yield env.game_state.to_string(), mask.tobytes(), observation["observation"].tobytes()
        env.step(int(rng.choice(np.flatnonzero(mask))))
    yield env.game_state.to_string(), env.rewards


def alone(n: int, seed: int) -> list[Any]:
    """A game with nothing beside it."""
    return list(steps(ludarium.gliss.env(board_size=n), seed))


def test_interleaved() -> None:
    """One action here, one there: each game is as if it were alone."""
    games = {
        (n, seed): steps(ludarium.gliss.env(board_size=n), seed) for n in SIZES for seed in (0, 1)
    }
    seen: dict[tuple[int, int], list[Any]] = {key: [] for key in games}
    running = set(games)
    while running:
        for key in sorted(running):
            try:
                seen[key].append(next(games[key]))
            except StopIteration:
                running.remove(key)
    for (n, seed), found in seen.items():
        assert len(found) > 10
        assert found == alone(n, seed)


def test_in_threads() -> None:
    """At the same time: each game is as if it were alone."""
    want = {(n, seed): alone(n, seed) for n in SIZES for seed in range(3)}
    found: dict[tuple[int, int], list[Any]] = {}

    def play(n: int, seed: int) -> None:
        found[n, seed] = alone(n, seed)

    threads = [threading.Thread(target=play, args=key) for key in want]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == want


def test_states_of_different_sizes_differ() -> None:
    states = [ludarium.load_game("gliss", board_size=n).new_initial_state() for n in SIZES]
    assert len({state.to_string() for state in states}) == len(set(states)) == len(SIZES)
    for n, state in zip(SIZES, states, strict=True):
        after = state.child(state.string_to_action("+a1"))
        assert after.legal_actions_mask().shape == (4 * n * n + 1,)
        assert after.observation_tensor().shape == (n, n, 16)
