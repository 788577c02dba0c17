"""RLlib on its new API stack, and the tournament's workers, both on a Ray cluster of two nodes."""

from __future__ import annotations

import collections
import dataclasses
import json
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Ray reads it when it is imported; without it, it would write a token into the user's home.
os.environ["RAY_AUTH_MODE"] = "token"
os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

import checks
import numpy as np
import pytest
import ray
from checks import ILLEGAL, audit, games, recorded, run_example
from ray.cluster_utils import Cluster
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module import MultiRLModuleSpec, RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.utils.pre_checks.env import check_multiagent_environments

import ludarium
from ludarium.arena import play_match, tournament
from ludarium.environments.aec import AGENTS
from ludarium.wrappers.rllib import MaskedModule, ModuleAgent

GAME = ludarium.list_games()[-1]  # one is enough where the game makes no difference

# what is defined in tests goes to the workers as it is: they cannot import it
for module in (checks, sys.modules[__name__]):
    ray.cloudpickle.register_pickle_by_value(module)


@pytest.fixture(scope="module")
def addresses() -> Iterator[tuple[str, str]]:
    """The address of a cluster of two nodes on this machine, and that of its client server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    head = {"num_cpus": 2, "ray_client_server_port": port}
    nodes = Cluster(initialize_head=True, head_node_args=head)
    nodes.add_node(num_cpus=2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_ADDRESS", nodes.address)  # what "auto" finds
        yield nodes.address, f"ray://127.0.0.1:{port}"
    ray.shutdown()
    nodes.shutdown()


@pytest.fixture
def cluster(addresses: tuple[str, str]) -> str:
    """The address of the cluster."""
    return addresses[0]


@pytest.fixture
def connected(cluster: str) -> Iterator[None]:
    """A connection for one test."""
    ray.init(address=cluster, log_to_driver=False, logging_level="ERROR")
    yield
    ray.shutdown()


# ---------------------------------------------------------------- RLlib


def test_pre_check(name: str, record_property: Any) -> None:
    """It plays one action without looking at the mask, which a game has to survive."""
    for _ in range(10):
        check_multiagent_environments(PettingZooEnv(ludarium.make(name)))
    record_property("checker", "check_multiagent_environments")


class Recorded(PettingZooEnv):
    """Ray's environment of a game that is written down."""

    def __init__(self, config: Any) -> None:
        super().__init__(recorded(config["name"], config["folder"], max_turns=40))


def note_samples(*, env_runner: Any, samples: list[Any], **_: Any) -> None:
    """Write down what a runner hands to the learner: a line for each agent of each piece."""
    folder = env_runner.config.env_config["folder"]
    with (Path(folder) / f"samples-{os.getpid()}.txt").open("a", encoding="utf-8") as lines:
        for piece in samples:
            for agent, own in piece.agent_episodes.items():
                seen, actions = own.get_observations(slice(0, len(own))), own.get_actions()
                legal = np.asarray(seen["action_mask"])[np.arange(len(own)), np.asarray(actions)]
                line = {
                    "game": piece.id_,
                    "agent": agent,
                    "rewards": [float(reward) for reward in own.get_rewards()],
                    "legal": bool(legal.all()),
                    "over": [bool(piece.is_terminated), bool(piece.is_truncated)],
                }
                lines.write(json.dumps(line) + "\n")


def read_samples(folder: Path) -> collections.Counter[Any]:
    """Return (steps, return) of both agents, and how it ended, of each game that the learner saw.

    Games come in pieces.
    """
    steps: dict[str, dict[str, list[float]]] = {}
    ends: dict[str, list[bool]] = {}
    for file in folder.glob("samples-*.txt"):
        for line in map(json.loads, file.read_text().splitlines()):
            assert line["legal"]
            own = steps.setdefault(line["game"], {agent: [] for agent in AGENTS})
            own[line["agent"]] += line["rewards"]
            if any(line["over"]):
                ends[line["game"]] = line["over"]
    return collections.Counter(
        (
            tuple((len(steps[game][agent]), sum(steps[game][agent])) for agent in AGENTS),
            "truncated" if over[1] else "terminated",  # RLlib calls the former both
        )
        for game, over in ends.items()
    )


def test_ray_32850_44780_52290_masked_self_play(name: str, connected: None, tmp_path: Path) -> None:
    """Two runners play and the learner learns: legally, with the rewards of the game."""
    config = PPOConfig().environment(Recorded, env_config={"name": name, "folder": str(tmp_path)})
    config.env_runners(num_env_runners=2, num_envs_per_env_runner=3, rollout_fragment_length=50)
    config.multi_agent(policies={"both"}, policy_mapping_fn=lambda agent, *_, **__: "both")
    small = RLModuleSpec(module_class=MaskedModule, model_config={"channels": 4, "width": 16})
    config.rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"both": small}))
    config.training(
        train_batch_size_per_learner=300, minibatch_size=100, num_epochs=1, use_kl_loss=False
    )
    config.callbacks(on_sample_end=note_samples)
    config.debugging(seed=1, log_level="ERROR")
    algorithm = config.build_algo()
    try:
        before = [w.detach().clone() for w in algorithm.get_module("both").parameters()]
        for _ in range(4):
            algorithm.train()
        module = algorithm.get_module("both")
        assert any((a != b).any() for a, b in zip(before, module.parameters(), strict=True))
        result = play_match(name, ModuleAgent(module), "random", games=2)
        assert (result.games, result.illegal) == (2, 0)
        same = ModuleAgent(algorithm.get_module("both"))
        assert play_match(name, same, "random", games=2).records == result.records
    finally:
        algorithm.stop()
    # Ray's pre-check plays one action without looking, once with each environment
    played = audit(tmp_path, least=4, illegal=6, processes=2)
    broken = [one for one in games(tmp_path) if one.end == ILLEGAL]
    assert all(len(one.steps) == 1 for one in broken)
    seen = read_samples(tmp_path)
    expected = collections.Counter(
        (
            tuple((sum(s[0] == p for s in one.steps), one.returns[p]) for p in (0, 1)),
            one.end,
        )
        for one in played
    )
    # a game that ended while another piece was waited for is not handed over any more
    assert sum(seen.values()) >= 4 and not seen - expected
    assert any(-1.0 in (first[1], second[1]) for (first, second), _ in seen)


def test_the_module_has_the_parts_that_were_asked_for() -> None:
    env = ludarium.make(GAME)
    sizes = []
    for config in ({}, {"layers": 0}, {"channels": 8, "width": 16}):
        module = MaskedModule(
            observation_space=env.observation_space("player_0"),
            action_space=env.action_space("player_0"),
            model_config=config,
        )
        sizes.append(sum(w.numel() for w in module.parameters()))
    assert sizes[0] > sizes[1] > sizes[2]


@pytest.mark.parametrize("address", [True, False])
def test_example(address: bool, cluster: str, tmp_path: Path) -> None:
    where = ["--address", cluster] if address else []
    shown = run_example("21_rllib", tmp_path, "--game", GAME, "--out", "run", *where)
    assert "rllib at" in shown and (tmp_path / "run" / "results.md").is_file()
    assert (tmp_path / "run" / "checkpoint").is_dir()


# ---------------------------------------------------------------- the tournament

AGENTS_OF_IT = ["random", "greedy"]


def timeless(result: Any) -> list[Any]:
    return [dataclasses.replace(standing, ms_per_turn=0.0) for standing in result.standings()]


class Last:
    """Plays the last legal action: defined here, so no worker can import it."""

    name = "last"

    def select_action(self, state: Any, rng: np.random.Generator) -> int:
        return int(state.legal_actions()[-1])


class Absent(Last):
    """Finds nothing to play with on the machine where it is."""

    def prepare(self, game: Any) -> None:
        raise ValueError("no weights here")


def test_a_tournament_is_the_same_on_a_cluster(cluster: str, tmp_path: Path) -> None:
    agents = [*AGENTS_OF_IT, Last()]
    alone = tournament(GAME, agents, games=4, seed=3)
    file = tmp_path / "games.jsonl"
    for workers in (None, 1):
        spread = tournament(GAME, agents, games=4, seed=3, ray=cluster, workers=workers)
        assert timeless(spread) == timeless(alone)
        assert not ray.is_initialized()
    half = tournament(GAME, agents, games=2, seed=3, ray=cluster, record=file)
    assert len(half.entries) == 6
    assert timeless(tournament(GAME, agents, games=4, seed=3, ray=cluster, record=file)) == (
        timeless(alone)
    )


def test_a_program_keeps_its_own_connection(connected: None) -> None:
    tournament(GAME, AGENTS_OF_IT, games=2, ray="auto")
    assert ray.is_initialized()


def test_what_an_agent_raises_on_a_worker_is_told_here(cluster: str) -> None:
    """With the others' games played on, as in one process."""
    result = tournament(GAME, ["random", "greedy", Absent()], games=2, ray=cluster)
    assert {entry.failure for entry in result.failures} == {
        "last raised ValueError: no weights here"
    }
    assert len(result.failures) == 4 and len(result.entries) == 6
    assert not ray.is_initialized()


def test_no_cluster_is_one_line(cluster: str) -> None:
    for address in ("127.0.0.1:1", "localhost:1", "ray://127.0.0.1:1"):
        with pytest.raises(ConnectionError, match=f"no Ray cluster at '{address}'"):
            tournament(GAME, AGENTS_OF_IT, games=2, ray=address)
    for wrong in ("", 3, "nowhere", "host:", "host:99999"):
        with pytest.raises(ValueError, match="HOST:PORT"):
            tournament(GAME, AGENTS_OF_IT, games=2, ray=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("form", ["auto", "HOST:PORT", "ray://HOST:PORT", "local"])
def test_the_command_takes_every_address(
    form: str, addresses: tuple[str, str], tmp_path: Path
) -> None:
    address = dict(zip(("HOST:PORT", "ray://HOST:PORT"), addresses, strict=True)).get(form, form)
    words = ["tournament", GAME, "--agents", "random,greedy", "--games", "4", "--ray", address]
    command = [sys.executable, "-W", "error", "-m", "ludarium", *words]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert found.returncode == 0, found.stderr
    assert "greedy" in found.stdout
    (file,) = (tmp_path / "runs").glob("*.jsonl")
    assert len(file.read_text().splitlines()) == 4
