"""AgileRL: PPO on a batch of games as in the example, DQN and MADDPG on PettingZoo's."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pettingzoo.test
import pytest
import torch
from agilerl.algorithms import DQN, MADDPG
from agilerl.components import ReplayBuffer
from agilerl.rollouts.on_policy import collect_rollouts
from agilerl.training.train_multi_agent_off_policy import train_multi_agent_off_policy
from agilerl.vector import AsyncPettingZooVecEnv
from checks import audit, load_example, recorded, run_example

import ludarium
from ludarium.arena import play_match
from ludarium.environments.aec import AGENTS
from ludarium.environments.infos import REASONS
from ludarium.environments.parallel import ParallelGame
from ludarium.wrappers.agilerl import MaskInInfos


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(1)
    np.random.seed(1)  # noqa: NPY002  # AgileRL draws with it


# ---------------------------------------------------------------- one learner


class Watched:
    """A batch of games that remembers what was done to it and what it gave."""

    def __init__(self, envs: Any) -> None:
        self.envs, self.mask = envs, None
        self.results: list[tuple[float, float]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.envs, name)

    def reset(self, **words: Any) -> Any:
        seen, info = self.envs.reset(**words)
        self.mask = info["action_mask"]
        return seen, info

    def step(self, actions: Any) -> Any:
        assert self.mask is not None
        assert self.mask[np.arange(len(actions)), actions].all()
        found = self.envs.step(actions)
        self.mask = found[4]["action_mask"]
        over = found[2] | found[3]
        assert not found[1][~over].any()
        for row in np.flatnonzero(over):
            ended = found[4]["final_info"]
            assert REASONS[ended["reason"][row]] in ("won", "drawn", "max_turns")
            seat = int(ended["seat"][row])
            won = float({seat: 1, 1 - seat: -1}.get(int(ended["result"][row]), 0))
            self.results.append((float(found[1][row]), won))
        return found


def test_masked_ppo(name: str) -> None:
    """It plays legally and sees the game's rewards, -1 among them; the policy is learnt masked."""
    parts = load_example("24_agilerl")
    arguments = argparse.Namespace(
        game=name, opponent="greedy", num_envs=4, num_steps=60, epochs=1, minibatch=64,
        width=16, learning_rate=1e-3, gamma=0.99, lam=0.95, entropy=0.01,
    )  # fmt: skip
    envs, learner = parts.make_parts(arguments, max_turns=40)
    watched = Watched(envs)
    before = [weight.detach().clone() for weight in learner.actor.parameters()]
    for _ in range(3):
        completed, *_ = collect_rollouts(learner, watched)
        assert learner.rollout_buffer.buffer["action_masks"].any(-1).all()
        learner.learn()
    assert any((a != b).any() for a, b in zip(before, learner.actor.parameters(), strict=True))
    assert len(watched.results) >= 4
    assert all(reward == result for reward, result in watched.results)
    assert any(reward == -1 for reward, _ in watched.results)
    assert {float(score) for score in completed} <= {-1.0, 0.0, 1.0}
    learner.set_training_mode(False)
    result = play_match(name, parts.PPOAgent(learner), "random", games=2)
    assert (result.games, result.illegal) == (2, 0)


def test_masked_dqn_self_play(name: str, tmp_path: Path) -> None:
    """DQN takes the mask of PettingZoo's infos, alone or in a batch, whoever acts."""
    env = recorded(name, tmp_path, max_turns=40)
    planes = env.observation_space("player_0")["observation"]
    learner = DQN(
        planes.__class__(0, 1, (int(np.prod(planes.shape)),), np.int8),
        env.action_space("player_0"),
        net_config={"encoder_config": {"hidden_size": [16]}},
    )
    for seed in range(4):
        env.reset(seed=seed)
        for _ in env.agent_iter():
            observation, _, terminated, truncated, info = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            flat = observation["observation"].reshape(1, -1)
            found = learner.get_action(flat, epsilon=0.3, action_mask=info["action_mask"][None])
            env.step(int(np.asarray(found).ravel()[0]))
    audit(tmp_path, least=4)


# ---------------------------------------------------------------- two learners


def parallel(name: str, folder: Path) -> MaskInInfos:
    return MaskInInfos(ParallelGame(recorded(name, folder, max_turns=40)))


def test_the_adapter_is_a_parallel_environment(name: str, record_property: Any) -> None:
    env = MaskInInfos(getattr(ludarium, name).parallel_env(max_turns=40))
    pettingzoo.test.parallel_api_test(env, num_cycles=50)
    seen, infos = env.reset(seed=1)
    for agent in env.possible_agents:
        assert env.observation_space(agent).contains(seen[agent])
        assert env.observation_space(agent) is env.observation_space(agent)
    assert infos["player_0"]["action_mask"].any() and not infos["player_1"]["action_mask"].any()
    record_property("checker", "PettingZoo's parallel_api_test")


def test_masked_maddpg(name: str, tmp_path: Path) -> None:
    """AgileRL's own training of several agents, with workers: legal, and with the right rewards.

    Its IPPO takes no masks of more than one agent: it compares arrays with None.
    """
    envs = AsyncPettingZooVecEnv([lambda: parallel(name, tmp_path)] * 2)
    memory = ReplayBuffer(2000)
    try:
        learner = MADDPG(
            [envs.single_observation_space(agent) for agent in envs.agents],
            [envs.single_action_space(agent) for agent in envs.agents],
            agent_ids=list(envs.agents),
            net_config={"encoder_config": {"hidden_size": [16]}},
            vect_noise_dim=2,
            batch_size=32,
            learn_step=50,
        )
        before = [weight.detach().clone() for weight in learner.actors.parameters()]
        train_multi_agent_off_policy(
            envs, name, "MADDPG", [learner], memory, sum_scores=False, max_steps=600,
            evo_steps=600, eval_steps=20, verbose=False,
        )  # fmt: skip
        assert any((a != b).any() for a, b in zip(before, learner.actors.parameters(), strict=True))
    finally:
        envs.close()
    finished = audit(tmp_path, least=4, processes=2)
    assert any(min(one.returns) == -1 for one in finished)
    stored = memory.sample(len(memory))["reward"]
    losses = sum(float((stored[agent] == -1).sum()) for agent in AGENTS)
    assert 0 < losses <= sum(min(one.returns) == -1 for one in finished)


def test_example(tmp_path: Path) -> None:
    shown = run_example("24_agilerl", tmp_path, "--out", "run")
    assert "agilerl at" in shown and (tmp_path / "run" / "results.md").is_file()
    assert (tmp_path / "run" / "checkpoint.pt").is_file()
