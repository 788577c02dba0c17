"""Stable-Baselines3: the batch as a VecEnv, models in files, the agent that plays them."""

from __future__ import annotations

import functools
import io
import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import SubprocVecEnv, VecVideoRecorder

import ludarium
from ludarium.agents import make_agent
from ludarium.arena import play_match
from ludarium.wrappers.sb3 import PlanesExtractor, SB3VecEnv, save_model, save_network
from ludarium.wrappers.sb3_agent import SB3Agent, load_weights

GAME = ludarium.list_games()[-1]  # one is enough where the game makes no difference
OTHER = ludarium.list_games()[0]


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def tiny_model(name: str = GAME, extractor: Any = PlanesExtractor, **options: Any) -> MaskablePPO:
    """Return an untrained model with few weights."""
    kwargs: dict[str, Any] = {"net_arch": [16], "activation_fn": torch.nn.ReLU}
    if extractor is PlanesExtractor:
        kwargs["features_extractor_kwargs"] = {"channels": 4, "features_dim": 16}
    return MaskablePPO(
        "MlpPolicy",
        SB3VecEnv(name, 4, seed=1, **options),
        n_steps=8,
        batch_size=16,
        n_epochs=1,
        seed=1,
        device="cpu",
        policy_kwargs={**kwargs, "features_extractor_class": extractor},
    )


def make_id(name: str) -> str:
    return f"ludarium:ludarium/{name.capitalize()}-v{ludarium.load_game(name).version}"


# ---------------------------------------------------------------- single environments


def test_sb3s_checker(name: str) -> None:
    """Flat observations pass without a warning; planes are told to be no picture."""
    for illegal in ("terminate", "penalize"):
        check_env(gymnasium.make(make_id(name), observation="flat", illegal=illegal).unwrapped)
    with pytest.warns(UserWarning, match="image"):
        check_env(gymnasium.make(make_id(name)).unwrapped)


def test_subprocess_workers_with_the_prefixed_id() -> None:
    """They need the id to bring its module along; masks go through their pipes."""
    make = functools.partial(gymnasium.make, make_id(GAME), observation="flat")
    env = SubprocVecEnv([make] * 2, start_method="spawn")
    try:
        env.seed(3)
        env.reset()
        assert is_masking_supported(env)
        for _ in range(5):
            masks = get_action_masks(env)
            assert masks.shape == (2, ludarium.load_game(GAME).num_distinct_actions)
            _, rewards, _, _ = env.step(masks.argmax(1))
            assert rewards.shape == (2,)
    finally:
        env.close()


# ---------------------------------------------------------------- the batch as a VecEnv


def test_masks_are_found(name: str) -> None:
    """sb3-contrib 49: they come from the batch, not from pickled functions."""
    env = SB3VecEnv(name, 3, seed=0)
    env.reset()
    assert env.has_attr("action_masks") and is_masking_supported(env)
    masks = get_action_masks(env)
    assert np.array_equal(masks, env.batch.action_masks())
    assert np.array_equal(env.get_attr("action_masks", 1)[0](), masks[1])
    assert np.array_equal(env.env_method("action_masks", indices=[2])[0], masks[2])
    assert env.env_is_wrapped(Monitor) == [True] * 3
    assert env.env_is_wrapped(gymnasium.wrappers.TimeLimit) == [False] * 3
    with pytest.raises(AttributeError, match="jump"):
        env.env_method("jump")
    with pytest.raises(AttributeError, match="seat"):
        env.set_attr("seat", 1)
    with pytest.raises(ValueError, match="autoreset"):
        SB3VecEnv(name, 3, autoreset="disabled")


def test_episode_statistics(name: str) -> None:
    """Returns, lengths and win rates by seat are those counted step by step."""
    env = SB3VecEnv(name, 6, opponent="random", seed=5, max_turns=40)
    env.reset()
    seats = np.array([info["seat"] for info in env.reset_infos])
    sums, lengths = np.zeros(6), np.zeros(6, int)
    counted: tuple[list[float], list[float]] = ([], [])
    while min(map(len, counted)) < 20:
        observations, rewards, over, infos = env.step(env.batch.sample_actions())
        sums += rewards
        lengths += 1
        for i in range(6):
            assert ("episode" in infos[i]) == over[i]
            if not over[i]:
                continue
            info = infos[i]
            assert (info["episode"]["r"], info["episode"]["l"]) == (sums[i], lengths[i])
            assert info["seat"] == seats[i]
            assert {info["seat"]: 1, 1 - info["seat"]: -1}.get(info["result"], 0) == sums[i]
            assert info["is_success"] == (sums[i] > 0)
            assert info["terminal_observation"].shape == observations[i].shape
            assert info["TimeLimit.truncated"] is False
            counted[seats[i]].append((sums[i] + 1) / 2)
            sums[i] = lengths[i] = 0
        seats = env.get_attr("_games")[0].table[:, 0].copy()  # of the new games where some ended
    assert env.win_rates() == pytest.approx((np.mean(counted[0]), np.mean(counted[1])))


def test_seeding_repeats(name: str) -> None:
    def trace(seed: int) -> list[bytes]:
        env = SB3VecEnv(name, 4)
        env.seed(seed)
        first = env.reset()
        steps = [env.step(get_action_masks(env).argmax(1))[0] for _ in range(20)]
        return [first.tobytes(), *(step.tobytes() for step in steps)]

    assert trace(4) == trace(4)
    assert trace(4) != trace(5)


# ---------------------------------------------------------------- models in files


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of an untrained model of one game."""
    torch.set_num_threads(1)
    return save_model(tiny_model(), tmp_path_factory.mktemp("models") / "model.zip")


def test_a_saved_model_plays_as_the_model_does(saved: Path, rng: Any) -> None:
    model, agent = tiny_model(), make_agent(f"sb3:{saved}")
    state = ludarium.load_game(GAME).new_initial_state()
    for _ in range(6):
        mask = state.legal_actions_mask()
        expected, _ = model.predict(
            state.observation_tensor(), action_masks=mask, deterministic=True
        )
        assert agent.select_action(state, rng) == expected
        state.apply_action(int(rng.choice(state.legal_actions())))


def test_sb3_contrib_212_it_always_passes_masks(saved: Path) -> None:
    """There: predict without masks plays illegal actions."""
    for sample in (False, True):
        result = play_match(GAME, SB3Agent(str(saved), sample=sample), "random", games=6)
        assert result.illegal == 0 and result.games == 6


@pytest.mark.parametrize("extractor", ["planes", "flat"])
def test_flat_and_planes(tmp_path: Path, extractor: str) -> None:
    from stable_baselines3.common.torch_layers import FlattenExtractor

    kind = PlanesExtractor if extractor == "planes" else FlattenExtractor
    model = tiny_model(extractor=kind, observation=extractor)
    agent = SB3Agent(str(save_model(model, tmp_path / "m.zip")))
    assert play_match(GAME, agent, agent, games=2).illegal == 0


def test_sb3_itself_reads_the_file(saved: Path) -> None:
    model = MaskablePPO.load(saved, device="cpu")
    pairs = zip(model.policy.parameters(), tiny_model().policy.parameters(), strict=True)
    assert all(torch.equal(ours, theirs) for ours, theirs in pairs)
    assert SB3Agent(str(saved), trusted=True).game.name == GAME


def own_network(actions: int | None = None) -> tuple[Any, Any, Any]:
    """Return body, policy and value of a network made without SB3."""
    game = ludarium.load_game(GAME)
    height, width, planes = game.observation_shape
    torch.manual_seed(3)
    body = torch.nn.Sequential(
        torch.nn.Conv2d(planes, 4, 3, padding=1),
        torch.nn.ReLU(),
        torch.nn.Flatten(),
        torch.nn.Linear(4 * height * width, 16),
        torch.nn.ReLU(),
    )
    actions = game.num_distinct_actions if actions is None else actions
    return body, torch.nn.Linear(16, actions), torch.nn.Linear(16, 1)


def test_a_network_of_ones_own_plays_as_it_answers(tmp_path: Path, rng: Any) -> None:
    game, (body, policy, value) = ludarium.load_game(GAME), own_network()
    agent = SB3Agent(str(save_network(game, body, policy, value, tmp_path / "own.zip", 7)))
    state = game.new_initial_state()
    for _ in range(6):
        seen = torch.from_numpy(state.observation_tensor()[None]).float().permute(0, 3, 1, 2)
        logits = policy(body(seen))[0].detach().numpy()
        legal = state.legal_actions()
        assert agent.select_action(state, rng) == legal[int(np.argmax(logits[legal]))]
        state.apply_action(int(rng.choice(legal)))
    with pytest.raises(ValueError, match="holds only the network"):
        load_weights(
            MaskablePPO(
                "MlpPolicy",
                SB3VecEnv(GAME, 4),
                policy_kwargs={
                    "net_arch": [],
                    "activation_fn": torch.nn.ReLU,
                    "features_extractor_class": PlanesExtractor,
                    "features_extractor_kwargs": {"channels": 4, "layers": 1, "features_dim": 16},
                },
            ),
            str(tmp_path / "own.zip"),
        )


def test_a_network_of_ones_own_must_fit(tmp_path: Path) -> None:
    game, (body, policy, value) = ludarium.load_game(GAME), own_network()
    path = tmp_path / "own.zip"
    with pytest.raises(ValueError, match="does not have the layers"):
        save_network(game, torch.nn.Sequential(*body, torch.nn.Linear(16, 16)), policy, value, path)
    with pytest.raises(ValueError, match="logits"):
        save_network(game, *own_network(actions=3), path)
    save_network(game, body, policy, value, path)
    with pytest.raises(FileExistsError, match="exists"):
        save_network(game, body, policy, value, path)
    with pytest.raises(ValueError, match="zip"):
        save_network(game, body, policy, value, tmp_path / "own.pt")


def test_it_can_be_pickled_into_workers(saved: Path, rng: Any) -> None:
    agent = SB3Agent(str(saved))
    state = ludarium.load_game(GAME).new_initial_state()
    twin = pickle.loads(pickle.dumps(agent))
    assert twin.select_action(state, rng) == agent.select_action(state, rng)


def test_a_model_of_another_game(saved: Path, rng: Any) -> None:
    agent = make_agent(f"sb3:{saved}")
    for state in (
        ludarium.load_game(OTHER).new_initial_state(),
        *(
            ludarium.load_game(name, board_size=13).new_initial_state()
            for name in ludarium.list_games()
            if "board_size" in ludarium.load_game(name).options
        ),
    ):
        with pytest.raises(
            ValueError, match=f"model of {GAME} v0 .* cannot play {state.game.name}"
        ):
            agent.select_action(state, rng)


def rewritten(source: Path, target: Path, **changes: Any) -> Path:
    """Copy a model's file with other entries; None leaves one out."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for entry in old.namelist():
            data = changes.get(entry.replace(".", "_"), old.read(entry))
            if data is not None:
                new.writestr(entry, data)
    return target


def about(source: Path, **changes: Any) -> bytes:
    """Return the side entry of a file with other values."""
    with zipfile.ZipFile(source) as archive:
        return json.dumps({**json.loads(archive.read("ludarium.json")), **changes}).encode()


NETWORK = {"net_arch": [1], "activation": "ReLU", "extractor": "FlattenExtractor"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 99}, "version 99"),
        ({"game": "checkers"}, "checkers"),
        ({"options": {"colour": 1}}, "colour"),
        ({"format": 7}, "format"),
        ({"network": {"net_arch": [16]}}, "extractor None"),
        ({"network": {**NETWORK, "net_arch": [10**9]}}, "a layer 1000000000"),
        ({"network": {**NETWORK, "activation": "os.system"}}, "activation 'os.system'"),
        ({"network": {**NETWORK, "extractor": "os.system"}}, "extractor 'os.system'"),
        ({"network": {**NETWORK, "extractor_options": {"device": 1}}}, "device"),
    ],
)
def test_files_that_do_not_fit(saved: Path, tmp_path: Path, changes: Any, message: str) -> None:
    path = rewritten(saved, tmp_path / "m.zip", ludarium_json=about(saved, **changes))
    with pytest.raises(ValueError, match=message):
        make_agent(f"sb3:{path}")


def test_files_that_are_none(saved: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no file"):
        make_agent(f"sb3:{tmp_path / 'nothing.zip'}")
    (tmp_path / "text.zip").write_text("hello")
    with pytest.raises(ValueError, match="not a model"):
        make_agent(f"sb3:{tmp_path / 'text.zip'}")
    for spec in ("sb3", "sb3:"):
        with pytest.raises(ValueError, match="sb3:FILE"):
            make_agent(spec)


class Attack:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.write_text, (self.path, "executed")


def test_no_code_of_a_file_is_executed(saved: Path, tmp_path: Path) -> None:
    """Neither what stands in SB3's settings nor what poses as weights; SB3's own load does."""
    mark = tmp_path / "mark"
    import base64

    import cloudpickle

    with zipfile.ZipFile(saved) as archive:
        data = json.loads(archive.read("data"))
    hidden = base64.b64encode(cloudpickle.dumps(Attack(mark))).decode()
    data["policy_kwargs"] = {":type:": "<class 'dict'>", ":serialized:": hidden}
    path = rewritten(saved, tmp_path / "settings.zip", data=json.dumps(data))
    make_agent(f"sb3:{path}")
    assert not mark.exists()
    buffer = io.BytesIO()
    torch.save({"weights": Attack(mark)}, buffer)
    path = rewritten(saved, tmp_path / "weights.zip", policy_pth=buffer.getvalue())
    with pytest.raises(ValueError, match="is not a model, or is damaged"):
        make_agent(f"sb3:{path}")
    assert not mark.exists()
    with pytest.raises(Exception):  # noqa: B017 - whatever: the attack is real
        SB3Agent(str(tmp_path / "settings.zip"), trusted=True)
    assert mark.read_text() == "executed"


def test_files_are_not_lost(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not overwritten by default; and an interrupted write leaves the old file."""
    path = tmp_path / "m.zip"
    path.write_bytes(saved.read_bytes())
    model = tiny_model()
    with pytest.raises(FileExistsError, match="not overwritten"):
        save_model(model, path)

    def killed(handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", killed)
    with pytest.raises(KeyboardInterrupt):
        save_model(model, path, overwrite=True)
    assert path.read_bytes() == saved.read_bytes()
    assert [file.name for file in tmp_path.iterdir()] == ["m.zip"]


def test_what_cannot_be_named_is_refused(tmp_path: Path) -> None:
    model = tiny_model()
    model.policy.activation_fn = torch.nn.Hardtanh
    with pytest.raises(ValueError, match="Hardtanh"):
        save_model(model, tmp_path / "m.zip")
    assert not list(tmp_path.iterdir())


def test_resuming_needs_the_same_game_and_network(saved: Path) -> None:
    model = tiny_model()
    model.num_timesteps = 5
    assert load_weights(model, str(saved))["game"] == GAME
    assert model.num_timesteps == 0
    with pytest.raises(ValueError, match="game is"):
        load_weights(tiny_model(OTHER), str(saved))
    with pytest.raises(ValueError, match="observation is"):
        load_weights(tiny_model(extractor=_flatten(), observation="flat"), str(saved))
    with pytest.raises(ValueError, match="network is"):
        load_weights(tiny_model(extractor=_flatten()), str(saved))


def _flatten() -> Any:
    from stable_baselines3.common.torch_layers import FlattenExtractor

    return FlattenExtractor


# ---------------------------------------------------------------- with a search


def test_a_model_that_searches(saved: Path, tmp_path: Path, rng: Any) -> None:
    game, (body, policy, value) = ludarium.load_game(GAME), own_network()
    own = save_network(game, body, policy, value, tmp_path / "own.zip")
    state = game.new_initial_state()
    for path in (saved, own):
        agent = make_agent(f"alphazero:8:{path}")
        assert agent.name == f"alphazero:8:{path}"
        for _ in range(3):
            action = agent.select_action(state, rng)
            assert action in state.legal_actions()
            twin = pickle.loads(pickle.dumps(agent))
            assert twin.select_action(state, rng) == action
            state.apply_action(action)
    planes = state.observation_tensor()[None]
    logits, values = make_agent(f"alphazero:8:{own}")._answer(planes)
    seen = torch.from_numpy(planes).float().permute(0, 3, 1, 2)
    with torch.no_grad():
        features = body(seen)
        assert np.allclose(logits, policy(features).numpy(), atol=1e-6)
        assert np.allclose(values, value(features).tanh().squeeze(1).numpy(), atol=1e-6)
    assert play_match(GAME, f"alphazero:8:{own}", "random", games=2).illegal == 0


@pytest.mark.parametrize("argument", ["", ":", "8", "8:", ":FILE", "x:FILE", "0:FILE", "-3:FILE"])
def test_specs_of_searching_models(argument: str, saved: Path, tmp_path: Path) -> None:
    spec = "alphazero" + (f":{argument}" if argument else "")
    with pytest.raises(ValueError, match="alphazero:N:FILE"):
        make_agent(spec.replace("FILE", str(saved)))
    with pytest.raises(ValueError, match="no file"):
        make_agent(f"alphazero:8:{tmp_path / 'none.zip'}")


def test_a_searching_model_of_another_game(saved: Path, rng: Any) -> None:
    agent = make_agent(f"alphazero:4:{saved}")
    with pytest.raises(ValueError, match=f"cannot play {OTHER}"):
        agent.select_action(ludarium.load_game(OTHER).new_initial_state(), rng)


def test_few_positions_take_one_thread_and_leave_the_setting(saved: Path, rng: Any) -> None:
    before = torch.get_num_threads()
    seen: list[int] = []
    agents = [make_agent(f"sb3:{saved}"), make_agent(f"alphazero:2:{saved}")]
    policies = [agents[0].policy, agents[1].model.policy]
    for policy in policies:
        policy.features_extractor.register_forward_hook(
            lambda *_: seen.append(torch.get_num_threads())
        )
    try:
        torch.set_num_threads(2)
        for agent in agents:
            agent.select_action(ludarium.load_game(GAME).new_initial_state(), rng)
            assert torch.get_num_threads() == 2
        assert set(seen) == {1}
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("count", [1, 3])
def test_the_batch_is_filmed(name: str, count: int, tmp_path: Path) -> None:
    """By Stable-Baselines3's recorder, all games in one picture."""
    env = SB3VecEnv(name, count, seed=1, max_turns=6, render_mode="rgb_array", render_size=128)
    film = VecVideoRecorder(env, str(tmp_path), lambda step: step == 0, video_length=3)
    film.reset()
    images = env.get_images()
    assert env.metadata["render_fps"] == env.batch.metadata["render_fps"]
    assert len(images) == count and all(image.dtype == np.uint8 for image in images)
    for _ in range(4):
        film.step(env.batch.sample_actions())
    film.close()
    (path,) = tmp_path.iterdir()
    assert path.suffix == ".mp4" and path.stat().st_size > 0
    assert SB3VecEnv(name, count).get_images() == [None] * count
