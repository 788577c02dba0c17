"""Tianshou 2: its collector and DQN, with both seats played by one learner, as in the example."""

from __future__ import annotations

import argparse
import collections
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from checks import audit, load_example, recorded, run_example
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.torch_utils import policy_within_training_step

import ludarium
from ludarium.arena import play_match
from ludarium.environments.aec import AGENTS


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(1)
    np.random.seed(1)  # noqa: NPY002  # Tianshou explores with it


def test_masked_dqn(name: str, tmp_path: Path) -> None:
    """It plays legally, with and without noise, and learns from the rewards of the game."""
    parts = load_example("22_tianshou")
    arguments = argparse.Namespace(
        game=name, channels=4, width=16, learning_rate=1e-3, gamma=0.9, horizon=3
    )
    network, policy, both = parts.make_parts(arguments)
    before = [weight.detach().clone() for weight in network.parameters()]
    envs = DummyVectorEnv([lambda: PettingZooEnv(recorded(name, tmp_path, max_turns=40))] * 3)
    buffer = VectorReplayBuffer(3000, 3)
    collector = Collector(both, envs, buffer, exploration_noise=True)
    collector.reset()
    with policy_within_training_step(both.policy):
        for noise in (1.0, 0.3, 0.0, 0.3):
            policy.set_eps_inference(noise)
            collector.collect(n_step=150)
            both.update(buffer=buffer, sample_size=64)
    assert any((a != b).any() for a, b in zip(before, network.parameters(), strict=True))

    finished = audit(tmp_path, least=4)
    ended = buffer.done
    ends = collections.Counter(map(tuple, buffer.rew[ended].tolist()))
    assert ends == collections.Counter(one.returns for one in finished)
    assert any(min(pair) == -1 for pair in ends)
    assert not buffer.rew[~ended].any()
    everything, _ = buffer.sample(0)
    legal = everything.obs.mask[np.arange(len(everything)), everything.act]
    assert legal.all()

    result = play_match(name, parts.DQNAgent(network), "random", games=2)
    assert (result.games, result.illegal) == (2, 0)


def test_tianshou_399_the_losers_reward_is_learnt_from() -> None:
    """What a position is worth to who acts: the sign follows the player, not the action.

    The network says 0.5 of every position, for whoever is to move there.
    """
    parts = load_example("22_tianshou")
    name = ludarium.list_games()[-1]
    for horizon, expected in (
        # players 0, 0, 1, 0 act, and then 0 has won: by one action each
        (1, [0.5, -0.5, -0.5, 1.0]),
        # within two actions player 1 sees its -1
        (2, [-0.5, 0.5, -1.0, 1.0]),
    ):
        arguments = argparse.Namespace(
            game=name, channels=2, width=4, learning_rate=1e-3, gamma=1.0, horizon=horizon
        )
        network, _, both = parts.make_parts(arguments)
        with torch.no_grad():
            network.body[-2].weight.zero_()
            network.body[-2].bias.fill_(np.arctanh(0.5))
        learner = both.get_algorithm(AGENTS[0])
        if learner.model_old is not None:
            learner.model_old.module.load_state_dict(network.state_dict())
        game = ludarium.load_game(name)
        buffer = VectorReplayBuffer(10, 1)

        def seen(player: int, game: Any = game) -> Any:
            return {
                "agent_id": AGENTS[player],
                "obs": np.zeros(game.observation_shape, np.int8),
                "mask": np.ones(game.num_distinct_actions, bool),
            }

        players = [0, 0, 1, 0, 1]
        for step in range(4):
            over = step == 3
            row = Batch(
                obs=seen(players[step]),
                act=0,
                rew=np.array([1.0, -1.0]) if over else np.zeros(2),
                terminated=over,
                truncated=False,
                obs_next=seen(players[step + 1]),
                info={},
            )
            buffer.add(Batch.stack([row]), buffer_ids=[0])
        batch, indices = buffer.sample(0)
        found = both._preprocess_batch(batch, buffer, indices)
        worth = {agent: found[agent].returns.flatten().tolist() for agent in AGENTS}
        by_step = [worth[AGENTS[0]][0], worth[AGENTS[0]][1], worth[AGENTS[1]][0]]
        by_step.append(worth[AGENTS[0]][2])
        assert by_step == pytest.approx(expected)


def test_example(tmp_path: Path) -> None:
    shown = run_example("22_tianshou", tmp_path, "--out", "run")
    assert "tianshou at" in shown and (tmp_path / "run" / "results.md").is_file()
    assert (tmp_path / "run" / "weights.pt").is_file()
