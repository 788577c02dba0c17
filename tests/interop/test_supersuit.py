"""SuperSuit's vectors of masked games: observations are dicts, the other player waits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import supersuit
from checks import audit, draw, recorded, run_example

import ludarium
from ludarium.environments.parallel import ParallelGame


def vector(name: str, folder: Path, copies: int, cpus: int = 0) -> Any:
    """Return SuperSuit's vector of parallel games: two rows for each game."""
    both = ParallelGame(recorded(name, folder, max_turns=150))
    single = supersuit.pettingzoo_env_to_vec_env_v1(both)
    return supersuit.concat_vec_envs_v1(single, copies, num_cpus=cpus) if copies else single


def choose(masks: Any, rng: np.random.Generator) -> Any:
    """Return a legal action for each row, 0 for who waits."""
    return np.array([draw(mask, rng) if mask.any() else 0 for mask in masks])


@pytest.mark.parametrize("copies", [0, 1, 3])
def test_supersuit_96_pettingzoo_551_vectors_of_masked_games(
    name: str, copies: int, tmp_path: Path, rng: np.random.Generator
) -> None:
    """Rewards arrive in the rows of both players at the end of each game."""
    many = vector(name, tmp_path, copies)
    obs, _ = many.reset(seed=1)
    games = max(copies, 1)
    space = ludarium.make(name).observation_space("player_0")
    given: list[tuple[float, float]] = []
    while len(given) < 4:
        assert obs["observation"].shape == (2 * games, *space["observation"].shape)
        moving = obs["action_mask"].any(axis=1).reshape(games, 2)
        assert (moving.sum(axis=1) == 1).all()  # one of each game
        obs, rewards, terminated, truncated, infos = many.step(choose(obs["action_mask"], rng))
        over = (terminated.astype(bool) | truncated.astype(bool)).reshape(games, 2)
        pairs = np.asarray(rewards).reshape(games, 2)
        assert not pairs[~over].any()
        for game in np.flatnonzero(over.all(axis=1)):
            assert "terminal_observation" in infos[2 * game]
            given.append(tuple(pairs[game].tolist()))
    many.close()
    assert sorted(given) == sorted(game.returns for game in audit(tmp_path, least=4))


def test_workers(name: str, tmp_path: Path, rng: np.random.Generator) -> None:
    many = vector(name, tmp_path, copies=2, cpus=2)
    obs, _ = many.reset(seed=1)
    ends = 0
    while ends < 4:
        obs, _, terminated, truncated, _ = many.step(choose(obs["action_mask"], rng))
        ends += int((np.asarray(terminated, bool) | np.asarray(truncated, bool)).sum()) // 2
    many.close()
    audit(tmp_path, least=4, processes=2)


def test_agent_by_agent(name: str, tmp_path: Path, rng: np.random.Generator) -> None:
    """`vectorize_aec_env_v0`: games whose agent is another one pass."""
    many = supersuit.vectorize_aec_env_v0(recorded(name, tmp_path, max_turns=150), 3)
    many.reset(seed=1)
    given: list[tuple[float, float]] = []
    over = np.zeros(3, bool)
    for agent in many.agent_iter(4000):
        obs, _, terminated, truncated, _, _, passes, infos = many.last()
        acts = ~(passes.astype(bool) | terminated.astype(bool) | truncated.astype(bool))
        actions = np.zeros(3, np.int64)
        for i in np.flatnonzero(acts):
            assert agent == many.envs[i].agent_selection
            np.testing.assert_array_equal(obs[i]["action_mask"], infos[i]["action_mask"])
            actions[i] = draw(obs[i]["action_mask"], rng)
        many.step(actions)
        before, over = over, np.array([env.terminations["player_0"] for env in many.envs])
        over |= np.array([env.truncations["player_0"] for env in many.envs])
        for i in np.flatnonzero(over & ~before):
            given.append(tuple(float(many.rewards[a][i]) for a in many.possible_agents))
    assert sorted(given) == sorted(game.returns for game in audit(tmp_path, least=6))


def test_checker_takes_what_a_vector_holds(name: str, record_property: Any) -> None:
    """SuperSuit has no checker: what it takes has to pass PettingZoo's."""
    from pettingzoo.test import parallel_api_test

    parallel_api_test(getattr(ludarium, name).parallel_env(), num_cycles=50)
    record_property("checker", "PettingZoo's parallel_api_test")


def test_the_example(tmp_path: Path) -> None:
    run_example("32_supersuit", tmp_path)
