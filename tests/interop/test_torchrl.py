"""TorchRL: its checker, random rollouts, and masked PPO on what the example learns with."""

from __future__ import annotations

import argparse
import collections
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from checks import audit, load_example, recorded, run_example
from torchrl.envs import MarlGroupMapType, PettingZooWrapper, SerialEnv, check_env_specs

import ludarium
from ludarium.arena import play_match
from ludarium.environments.aec import AGENTS
from ludarium.environments.infos import REASONS, RESULTS
from ludarium.wrappers.torchrl import TorchRLInfos

pytestmark = pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested")

ALL_IN_ONE = MarlGroupMapType.ALL_IN_ONE_GROUP


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(1)


def result_of(returns: tuple[float, ...]) -> int:
    """Return the code of a result."""
    return returns.index(1.0) if any(returns) else RESULTS.index("nobody has won")


def reason_of(truncated: bool, returns: tuple[float, ...]) -> int:
    """Return the code of the reason why a game ended."""
    return REASONS.index("max_turns" if truncated else "won" if any(returns) else "drawn")


@pytest.mark.parametrize("groups", [ALL_IN_ONE, MarlGroupMapType.ONE_GROUP_PER_AGENT])
def test_check_env_specs(name: str, groups: Any, record_property: Any) -> None:
    wrapped = TorchRLInfos(ludarium.make(name))
    check_env_specs(PettingZooWrapper(wrapped, use_mask=True, group_map=groups))
    record_property("checker", "check_env_specs")


def test_infos_are_numbers(name: str) -> None:
    """They are the environment's own, without the mask, also at the end of a game."""
    env = TorchRLInfos(ludarium.make(name, max_turns=3))
    env.reset(seed=1)
    over = False
    while not over:
        state = env.game_state
        over = state.is_terminal()
        expected = {
            "turn": state.turn_number(),
            "stage": state.game.stages.index(state.stage()),
            "result": result_of(tuple(state.returns())) if over else -1,
            "reason": reason_of(state.is_truncated(), tuple(state.returns())) if over else -1,
        }
        assert env.infos == dict.fromkeys(AGENTS, expected)
        assert all(type(number) is int for info in env.infos.values() for number in info.values())
        if not over:
            env.step(state.legal_actions()[0])


def test_pytorch_rl_2990_random_rollouts(name: str, tmp_path: Path) -> None:
    """Both agents are observed at every action; actions are random among the legal ones."""
    wrapped = TorchRLInfos(recorded(name, tmp_path, max_turns=40))
    env = PettingZooWrapper(wrapped, use_mask=True, group_map=ALL_IN_ONE)
    played = env.rollout(400, break_when_any_done=False)
    ended = played["next", "done"].squeeze(-1)
    rewards = played["next", "agents", "reward"].squeeze(-1)
    assert (played["agents", "mask"].sum(-1) == 1).all()
    finished = audit(tmp_path, least=4)
    assert rewards[ended].tolist() == [list(one.returns) for one in finished]
    assert not rewards[~ended].any()
    infos = played["next", "agents", "info"]
    results = [[result_of(one.returns)] * 2 for one in finished]
    reasons = [[reason_of(one.end == "truncated", one.returns)] * 2 for one in finished]
    for key, numbers in (("result", results), ("reason", reasons)):
        assert infos[key][ended].tolist() == numbers
        assert (infos[key][~ended] == -1).all()


def test_masked_ppo(name: str, tmp_path: Path) -> None:
    """The parts of the example learn; the loser's -1 is among the rewards that they learn from."""
    parts = load_example("23_torchrl")
    game = ludarium.load_game(name)

    def make() -> PettingZooWrapper:
        wrapped = TorchRLInfos(recorded(name, tmp_path, max_turns=40))
        return PettingZooWrapper(wrapped, use_mask=True, group_map=ALL_IN_ONE)

    network = parts.Network(game.observation_shape, game.num_distinct_actions, 4, 16)
    arguments = argparse.Namespace(gamma=0.99, lam=0.95, entropy=0.01, epochs=1, minibatch=64)
    actor, advantages, loss = parts.make_parts(network, arguments)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    before = [weight.detach().clone() for weight in network.parameters()]
    envs = SerialEnv(3, make)
    seen, sums = envs.reset(), []
    running = np.zeros((3, 2))
    for _ in range(4):
        batch, seen = parts.play(envs, actor, seen, 60)
        rewards = batch["next", "agents", "reward"].squeeze(-1).numpy()
        over = batch["next", "done"].squeeze(-1).numpy()
        legal = batch["agents", "action_mask"].gather(-1, batch["agents", "action"][..., None])
        assert legal.all()
        for t in range(60):
            running += rewards[:, t]
            for row in np.flatnonzero(over[:, t]):
                sums.append(tuple(running[row]))
                running[row] = 0
        parts.learn(advantages(batch), loss, optimizer, network, arguments)
    assert all((a != b).any() for a, b in zip(before, network.parameters(), strict=True))
    finished = audit(tmp_path, least=4)
    assert collections.Counter(sums) == collections.Counter(one.returns for one in finished)
    assert any(min(pair) == -1 for pair in sums)
    result = play_match(name, parts.NetworkAgent(network), "random", games=2)
    assert (result.games, result.illegal) == (2, 0)


def test_advantages_know_no_opponent() -> None:
    """Each agent's advantage follows from its own rewards, whoever acts, twice in a row or not."""
    parts = load_example("23_torchrl")
    shape, actions = (3, 3, 2), 5
    network = parts.Network(shape, actions, 2, 4)
    arguments = argparse.Namespace(gamma=0.9, lam=1.0, entropy=0.01)
    _, advantages, _ = parts.make_parts(network, arguments)
    with torch.no_grad():
        network.value.weight.zero_()
        network.value.bias.zero_()
    steps = 4

    def part(end: bool) -> Any:
        over = torch.zeros(1, steps, 2, 1, dtype=torch.bool)
        rewards = torch.zeros(1, steps, 2, 1)
        if end:
            over[:, -1], rewards[0, -1, 0], rewards[0, -1, 1] = True, 1.0, -1.0
        fields = {
            "observation": {"observation": torch.zeros(1, steps, 2, *shape, dtype=torch.int8)},
            "mask": torch.ones(1, steps, 2, dtype=torch.bool),
            "done": over,
            "terminated": over,
        }
        return {"agents": {**fields, "reward": rewards} if end else fields}

    data = parts.TensorDict({**part(False), "next": part(True)}, [1, steps])
    found = advantages(data)["agents", "advantage"].squeeze(-1)[0]
    expected = torch.tensor([[0.9**3, -(0.9**3)], [0.81, -0.81], [0.9, -0.9], [1.0, -1.0]])
    torch.testing.assert_close(found, expected)


def test_example(tmp_path: Path) -> None:
    shown = run_example("23_torchrl", tmp_path, "--out", "run")
    assert "torchrl at" in shown and (tmp_path / "run" / "results.md").is_file()
    assert (tmp_path / "run" / "weights.pt").is_file()
