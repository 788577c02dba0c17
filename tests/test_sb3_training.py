"""What training with Stable-Baselines3 hands on: devices, wrappers, statistics."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.wrappers import DelayObservation, FrameStackObservation, TransformReward
from sb3_contrib import MaskablePPO
from sb3_contrib.common.wrappers import ActionMasker
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import (
    DummyVecEnv,
    VecCheckNan,
    VecEnvWrapper,
    VecFrameStack,
    VecMonitor,
    VecNormalize,
)
from torch._subclasses.fake_tensor import FakeTensorMode

import ludarium
from ludarium.agents import make_agent
from ludarium.wrappers.sb3 import PlanesExtractor, SB3VecEnv, save_model
from ludarium.wrappers.sb3_agent import PolicyNetworkAgent, SB3Agent, load_weights
from ludarium.wrappers.sb3_alphazero import SB3AlphaZeroAgent
from ludarium.wrappers.sb3_callbacks import Checkpoint, Evaluate, SelfPlay, agent_of

GAME = ludarium.list_games()[-1]


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def tiny_model(env: Any, policy: str = "MlpPolicy", **kwargs: Any) -> MaskablePPO:
    settings = {"n_steps": 16, "batch_size": 32, "n_epochs": 2, "seed": 1, "device": "cpu"}
    return MaskablePPO(policy, env, **settings, policy_kwargs={"net_arch": [16], **kwargs})


PLANES = {
    "features_extractor_class": PlanesExtractor,
    "features_extractor_kwargs": {"channels": 4, "features_dim": 16},
}


def states(number: int, rng: np.random.Generator) -> list[Any]:
    """Return running positions of one game, played at random."""
    found: list[Any] = []
    state = ludarium.load_game(GAME).new_initial_state()
    while len(found) < number:
        found.append(state.clone())
        state.apply_action(int(rng.choice(state.legal_actions())))
        if state.is_terminal():
            state = state.game.new_initial_state()
    return found


def seen_in(state: Any, form: str) -> Any:
    planes, mask = state.observation_tensor(), state.legal_actions_mask()
    if form == "dict":
        return {"observation": planes, "action_mask": mask}
    return planes if form == "planes" else planes.reshape(-1)


# ---------------------------------------------------------------- GPU


def to_cuda(module: torch.nn.Module) -> None:
    """Give every parameter the device "cuda", inside a FakeTensorMode: no GPU is needed."""
    for inner in module.modules():
        for name, parameter in list(inner.named_parameters(recurse=False)):
            fake = torch.empty(tuple(parameter.shape), device="cuda")
            setattr(inner, name, torch.nn.Parameter(fake, requires_grad=False))


def test_a_policy_on_a_gpu_is_asked_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Observations go to its device, and answers come back by cpu(), with and without a search."""
    seen: list[str] = []

    def numpy(tensor: torch.Tensor) -> Any:
        if tensor.device.type != "cpu":
            raise TypeError(f"can't convert {tensor.device} tensor to numpy")
        seen.append(tensor.device.type)
        return np.zeros(tuple(tensor.shape), np.float32)

    game = ludarium.load_game(GAME)
    state = game.new_initial_state()
    planes, mask = state.observation_tensor()[None], state.legal_actions_mask()[None]
    rng = np.random.default_rng(0)
    for form, policy, kwargs in (
        ("planes", "MlpPolicy", PLANES),
        ("flat", "MlpPolicy", {}),
        ("dict", "MultiInputPolicy", {}),
    ):
        env = VecNormalize(SB3VecEnv(GAME, 2, observation=form))
        model = tiny_model(env, policy, **kwargs)
        path = save_model(model, tmp_path / f"{form}.zip")
        searching = None if form == "dict" else SB3AlphaZeroAgent(f"2:{path}")
        agents = [agent_of(model), agent_of(model, sample=True), SB3Agent(str(path))]
        with FakeTensorMode(), monkeypatch.context() as patch:
            patch.setattr(torch.Tensor, "numpy", numpy)
            for agent in agents:
                to_cuda(agent.policy)
                assert agent.policy.device.type == "cuda"
                answers = agent.select_actions({"observation": planes, "action_mask": mask}, rng)
                assert mask[0, answers[0]] == 1
            if searching is not None:
                to_cuda(searching.model.policy)
                logits, values = searching._answer(planes)
                assert logits.shape == (1, game.num_distinct_actions) and values.shape == (1,)
    assert set(seen) == {"cpu"} and len(seen) == 13


# ---------------------------------------------------------------- VecNormalize


@pytest.mark.parametrize("form", ["planes", "flat", "dict"])
def test_a_model_trained_in_vecnormalize_plays_as_trained(
    form: str, tmp_path: Path, rng: np.random.Generator
) -> None:
    """Trained shortly, saved, played as sb3:FILE: equal actions in all positions."""
    env = VecNormalize(SB3VecEnv(GAME, 4, seed=1, observation=form), clip_obs=3.0, epsilon=1e-6)
    model = tiny_model(env, "MultiInputPolicy" if form == "dict" else "MlpPolicy")
    model.learn(512)
    agent = make_agent(f"sb3:{save_model(model, tmp_path / 'm.zip')}")
    raw = 0
    for state in states(100, rng):
        mask, seen = state.legal_actions_mask(), seen_in(state, form)
        for trained in (agent, agent_of(model)):
            expected, _ = model.predict(
                env.normalize_obs(seen), action_masks=mask, deterministic=True
            )
            assert trained.select_action(state, rng) == expected
        raw += expected != model.predict(seen, action_masks=mask, deterministic=True)[0]
    assert raw > 5  # raw observations would have been answered otherwise
    reread = MaskablePPO.load(tmp_path / "m.zip", device="cpu")
    assert reread.num_timesteps == model.num_timesteps


def test_statistics_are_those_of_the_moment(tmp_path: Path) -> None:
    """An agent keeps its copy while training goes on; only parts that are normalized are kept."""
    space = SB3VecEnv(GAME, 4, seed=1, observation="dict")
    env = VecNormalize(space, norm_obs_keys=["observation"], clip_obs=np.inf)
    model = tiny_model(env, "MultiInputPolicy")
    model.learn(64)
    agent = agent_of(model)
    before = agent.normalization.means["observation"].copy()
    model.learn(64)
    assert (agent.normalization.means["observation"] == before).all()
    assert (env.obs_rms["observation"].mean != before).any()
    again = SB3Agent(str(save_model(model, tmp_path / "m.zip"))).normalization
    assert list(again.means) == ["observation"] and again.clip == np.inf
    assert (again.means["observation"] == env.obs_rms["observation"].mean).all()
    assert (again.variances["observation"] == env.obs_rms["observation"].var).all()
    rewards_only = VecNormalize(SB3VecEnv(GAME, 4, seed=1), norm_obs=False)
    agent = SB3Agent(str(save_model(tiny_model(rewards_only), tmp_path / "r.zip")))
    assert not agent.normalization.means


def test_resuming_goes_on_with_the_statistics(tmp_path: Path) -> None:
    env = VecNormalize(SB3VecEnv(GAME, 4, seed=1))
    model = tiny_model(env)
    model.learn(64, callback=Checkpoint(tmp_path / "m.zip", every=64))
    fresh = VecNormalize(SB3VecEnv(GAME, 4, seed=1))
    load_weights(tiny_model(fresh), str(tmp_path / "m.zip"))
    for name in ("mean", "var", "count"):
        assert np.array_equal(getattr(fresh.obs_rms, name), getattr(env.obs_rms, name))
        assert np.array_equal(getattr(fresh.ret_rms, name), getattr(env.ret_rms, name))
    with pytest.raises(ValueError, match="VecNormalize"):
        load_weights(tiny_model(SB3VecEnv(GAME, 4)), str(tmp_path / "m.zip"))


def test_evaluation_and_self_play_in_vecnormalize(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What they ask has the statistics: the agent in evaluation, the newest, and snapshots."""
    asked: list[PolicyNetworkAgent] = []
    monkeypatch.setattr(
        "ludarium.wrappers.sb3_callbacks.evaluate",
        lambda agent, *_: asked.append(agent) or ludarium.arena.evaluate.Score(1, 0, 1),
    )
    env = VecNormalize(SB3VecEnv(GAME, 4, seed=1))
    pool = SelfPlay(tmp_path / "pool", every=64, built_in={"random": 0.2})
    best = tmp_path / "best.zip"
    tiny_model(env).learn(128, callback=[pool, Evaluate(("random",), every=64, best=best)])
    newest = env.unwrapped.batch._agents[0]
    assert newest.name == "newest" and len(pool.snapshots) == 2
    for agent in (newest, *pool.snapshots, *asked, SB3Agent(str(best))):
        assert agent.normalization is not None
    mean = newest.normalization.means["observation"]
    assert np.array_equal(mean, env.obs_rms.mean) and mean.any()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"clip": "x"}, "clip"),
        ({"counts": {"planes": 1.0}}, "'planes'"),
        ({"counts": {}}, "numbers, not 0"),
        ({"returns": [1, 2]}, "returns"),
        ({"epsilon": -1}, "epsilon"),
        (None, "statistics are 0 numbers"),
        ("nan", "not finite"),
    ],
)
def test_damaged_statistics(tmp_path: Path, change: Any, message: str) -> None:
    path = save_model(tiny_model(VecNormalize(SB3VecEnv(GAME, 2))), tmp_path / "m.zip")
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    about = json.loads(entries["ludarium.json"])
    if isinstance(change, dict):
        about["normalize"].update(change)
        entries["ludarium.json"] = json.dumps(about).encode()
    else:
        nan = np.full(len(entries["ludarium.f64"]) // 8, np.nan)
        entries["ludarium.f64"] = b"" if change is None else nan.tobytes()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    with pytest.raises(ValueError, match=message):
        SB3Agent(str(path))


# ---------------------------------------------------------------- other wrappers


class Shifted(VecEnvWrapper):
    """A wrapper of a user's own, of which nothing is known."""

    def reset(self) -> Any:
        return 1 - self.venv.reset()

    def step_wait(self) -> Any:
        observations, *rest = self.venv.step_wait()
        return 1 - observations, *rest


@pytest.mark.parametrize("wrapper", [VecFrameStack, Shifted])
def test_wrappers_that_change_observations_are_refused_at_once(
    wrapper: Any, tmp_path: Path
) -> None:
    """By save_model, and by each callback before the first step of training."""
    inner = SB3VecEnv(GAME, 2, seed=1)
    env = VecCheckNan(wrapper(inner, 2) if wrapper is VecFrameStack else wrapper(inner))
    model = tiny_model(env)
    with pytest.raises(ValueError, match=wrapper.__name__):
        save_model(model, tmp_path / "m.zip", game=inner.game)
    for callback in (
        SelfPlay(tmp_path / "pool"),
        Evaluate(),
        Evaluate(best=tmp_path / "b.zip"),
        Checkpoint(tmp_path / "c.zip"),
    ):
        with pytest.raises(ValueError, match=wrapper.__name__):
            model.learn(32, callback=callback)
    assert model.num_timesteps == 0 and not list(tmp_path.iterdir())


def make(observation: str = "planes") -> Any:
    version = ludarium.load_game(GAME).version
    return gymnasium.make(
        f"ludarium:ludarium/{GAME.capitalize()}-v{version}", observation=observation
    )


class Turned(gymnasium.ActionWrapper[Any, Any, Any]):
    """Gives actions another meaning."""

    def action(self, action: Any) -> Any:
        return action


@pytest.mark.parametrize(
    "wrap",
    [lambda env: FrameStackObservation(env, 2), lambda env: DelayObservation(env, 1), Turned],
)
def test_gymnasiums_wrappers_that_change_what_is_seen_are_refused(
    wrap: Any, tmp_path: Path
) -> None:
    env = DummyVecEnv([lambda: Monitor(wrap(make("flat")))])
    name = type(wrap(make("flat"))).__name__
    with pytest.raises(ValueError, match=name):
        save_model(tiny_model(env), tmp_path / "m.zip")


def test_harmless_wrappers_are_let_through(tmp_path: Path) -> None:
    """The game of single environments is known, too."""
    env: Any = VecCheckNan(SB3VecEnv(GAME, 2, seed=1), warn_once=False)
    assert SB3Agent(str(save_model(tiny_model(env), tmp_path / "a.zip"))).normalization is None

    def single() -> Any:
        return ActionMasker(
            TransformReward(make(), lambda reward: reward * 2),
            lambda env: env.unwrapped.action_masks(),
        )

    model = tiny_model(VecNormalize(VecMonitor(DummyVecEnv([single]))))
    model.learn(32)
    agent = SB3Agent(str(save_model(model, tmp_path / "b.zip")))
    assert agent.game.name == GAME and agent.normalization is not None
    with pytest.raises(ValueError, match="SB3VecEnv"):
        model.learn(32, callback=SelfPlay(tmp_path / "pool"))


def test_a_game_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    other = ludarium.load_game(ludarium.list_games()[0])
    with pytest.raises(ValueError, match="none of the observations"):
        save_model(tiny_model(SB3VecEnv(GAME, 2)), tmp_path / "m.zip", game=other)


# ---------------------------------------------------------------- names


def test_modules_are_reached_from_the_package() -> None:
    """As README writes them: `import ludarium` and no other import."""
    import subprocess
    import sys

    code = """
import ludarium
assert ludarium.wrappers.sb3.save_model and ludarium.agents.random.RandomAgent
try:
    assert "ludarium_gliss" in ludarium.wrappers.openspiel.register()
except ImportError as error:
    assert "pip install open_spiel" in str(error), error
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
