"""PettingZoo's further tests, conversions and wrappers on every game.

Three of its tests do not apply: `max_cycles_test` plays actions without looking at the mask,
`test_save_obs` saves observations that are pictures (boards are planes of zeros and ones), and
`bombardment_test` fails with PettingZoo's own classic games too (1.27): it compares the arrays of
dict observations with the dicts, and takes the None of `step` for an observation.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import audit, draw, play, recorded
from pettingzoo.test import parallel_api_test, state_test
from pettingzoo.utils import conversions
from pettingzoo.utils.random_demo import random_demo
from pettingzoo.utils.wrappers import MultiEpisodeEnv, MultiEpisodeParallelEnv

import ludarium
from ludarium.environments.parallel import ParallelGame

# ---------------------------------------------------------------- its tests


def test_state_test(name: str) -> None:
    module = getattr(ludarium, name)
    state_test(module.env(), module.parallel_env(), num_cycles=50)


def test_random_demo(name: str, tmp_path: Path) -> None:
    """Its demo looks at masks, draws every position and shares out no points in all."""
    env = recorded(name, tmp_path, render_mode="rgb_array", render_size=128, max_turns=30)
    assert random_demo(env, render=True, episodes=2) == 0
    audit(tmp_path, least=2)


# ---------------------------------------------------------------- its conversions


def test_turn_based_aec_to_parallel(name: str, tmp_path: Path, rng: np.random.Generator) -> None:
    """One action for each step, the mover's, as `parallel_env` has it."""
    env = conversions.turn_based_aec_to_parallel(recorded(name, tmp_path, max_turns=60))
    given = []
    for seed in range(3):
        seen, infos = env.reset(seed=seed)
        totals = np.zeros(2)
        while env.agents:
            mover = next(a for a in env.agents if infos[a]["action_mask"].any())
            np.testing.assert_array_equal(seen[mover]["action_mask"], infos[mover]["action_mask"])
            actions = dict.fromkeys(env.agents, None)
            actions[mover] = draw(infos[mover]["action_mask"], rng)
            seen, rewards, _, _, infos = env.step(actions)
            totals += [rewards[agent] for agent in env.possible_agents]
        given.append(tuple(totals))
    assert given == [game.returns for game in audit(tmp_path, least=3)]


def test_parallel_to_aec(name: str, tmp_path: Path, rng: np.random.Generator) -> None:
    """Both agents are asked at each step; what the waiting one answers is ignored."""
    env = conversions.parallel_to_aec(ParallelGame(recorded(name, tmp_path, max_turns=60)))

    def choose(seen: Any) -> int:
        return draw(seen["action_mask"], rng) if seen["action_mask"].any() else 0

    given = []
    for seed in range(3):
        env.reset(seed=seed)
        given.append(tuple(play(env, choose).values()))
    assert given == [game.returns for game in audit(tmp_path, least=3)]


def test_aec_to_parallel_is_refused(name: str) -> None:
    """It is for agents who act at once; and a game of turns says that it is none."""
    with pytest.raises(AssertionError, match="parallelizable"):
        conversions.aec_to_parallel(ludarium.make(name))


def test_a_conversion_and_back_is_the_same_environment(name: str) -> None:
    both = getattr(ludarium, name).parallel_env()
    assert conversions.aec_to_parallel(conversions.parallel_to_aec(both)) is both
    aec = ludarium.make(name)
    converted = conversions.turn_based_aec_to_parallel(aec)
    assert converted.unwrapped is aec


# ---------------------------------------------------------------- its wrappers


def test_several_episodes_in_one(name: str, tmp_path: Path, rng: np.random.Generator) -> None:
    env = MultiEpisodeEnv(recorded(name, tmp_path, max_turns=40), num_episodes=3)
    env.reset(seed=5)
    totals = play(env, lambda seen: draw(seen["action_mask"], rng))
    games = audit(tmp_path, least=3)
    assert len(games) == 3
    assert tuple(totals.values()) == tuple(np.sum([game.returns for game in games], axis=0))


def test_several_parallel_episodes_in_one(
    name: str, tmp_path: Path, rng: np.random.Generator
) -> None:
    both = ParallelGame(recorded(name, tmp_path, max_turns=40))
    env = MultiEpisodeParallelEnv(both, num_episodes=3)
    seen, _ = env.reset(seed=5)
    totals = np.zeros(2)
    while env.agents:
        actions = {
            agent: draw(view["action_mask"], rng) if view["action_mask"].any() else 0
            for agent, view in seen.items()
        }
        seen, rewards, _, _, _ = env.step(actions)
        totals += [rewards.get(agent, 0) for agent in both.possible_agents]
    games = audit(tmp_path, least=3)
    assert len(games) == 3
    assert tuple(totals) == tuple(np.sum([game.returns for game in games], axis=0))


def test_the_parallel_checker_takes_the_other_conversion(name: str) -> None:
    parallel_api_test(conversions.turn_based_aec_to_parallel(ludarium.make(name)), num_cycles=1)
