"""Gymnasium's checker and its vectors, with the newest version and the libraries around it."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from checks import draw
from gymnasium.utils.env_checker import check_env

import ludarium
from ludarium.environments.infos import REASONS


def id_of(name: str) -> str:
    """Return the id of a game, found by a process that did not import the package."""
    return f"ludarium:ludarium/{name.capitalize()}-v{ludarium.load_game(name).version}"


@pytest.mark.parametrize("observation", ["planes", "flat", "dict"])
def test_checker(name: str, observation: str, record_property: Any) -> None:
    env = gymnasium.make(id_of(name), observation=observation, render_mode="rgb_array")
    check_env(env.unwrapped)
    record_property("checker", "check_env")


@pytest.mark.parametrize("mode", ["sync", "async", "vector_entry_point"])
def test_vectors(name: str, mode: str, rng: np.random.Generator) -> None:
    """Every kind of vector plays legally to results."""
    many = gymnasium.make_vec(id_of(name), num_envs=2, vectorization_mode=mode, max_turns=40)
    _, info = many.reset(seed=1)
    games = 0
    over = np.zeros(2, bool)
    while games < 4:
        actions = [0 if o else draw(m, rng) for m, o in zip(info["action_mask"], over, strict=True)]
        _, rewards, terminated, truncated, info = many.step(np.array(actions))
        over = terminated | truncated
        games += int(over.sum())
        for i in np.flatnonzero(over):
            assert REASONS[info["reason"][i]] in ("won", "drawn", "max_turns")
            seat = int(info["seat"][i])
            assert rewards[i] == {seat: 1, 1 - seat: -1}.get(int(info["result"][i]), 0)
    many.close()
