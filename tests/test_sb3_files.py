"""Model files of strangers: damage, hostile sizes and shapes, and files of SB3's own save."""

from __future__ import annotations

import base64
import io
import json
import pickle
import random
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecNormalize

import ludarium
from ludarium.agents import make_agent
from ludarium.wrappers import sb3_files
from ludarium.wrappers.sb3 import PlanesExtractor, SB3VecEnv, save_model
from ludarium.wrappers.sb3_agent import SB3Agent, load_weights
from ludarium.wrappers.sb3_alphazero import SB3AlphaZeroAgent
from ludarium.wrappers.sb3_networks import Network

GAME = ludarium.list_games()[-1]


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def tiny_model(env: Any = None, kind: Any = MaskablePPO, **kwargs: Any) -> Any:
    """Return an untrained model with few weights."""
    env = SB3VecEnv(GAME, 2, seed=1) if env is None else env
    several = not hasattr(env.observation_space, "dtype") or env.observation_space.dtype is None
    policy = "MultiInputPolicy" if several else "MlpPolicy"
    settings = {"n_steps": 8, "batch_size": 16, "n_epochs": 1, "seed": 1, "device": "cpu"}
    return kind(policy, env, **settings, policy_kwargs={"net_arch": [8], **kwargs})


PLANES = {
    "features_extractor_class": PlanesExtractor,
    "features_extractor_kwargs": {"channels": 2, "layers": 1, "features_dim": 4},
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a model trained within a VecNormalize: it has every entry that there is."""
    torch.set_num_threads(1)
    model = tiny_model(VecNormalize(SB3VecEnv(GAME, 2, seed=1)), **PLANES)
    model.learn(16)
    return save_model(model, tmp_path_factory.mktemp("models") / "model.zip")


def entries_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write(path: Path, entries: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return path


def packed(value: Any) -> bytes:
    buffer = io.BytesIO()
    torch.save(value, buffer)
    return buffer.getvalue()


# ---------------------------------------------------------------- damage


def flipped(data: bytes, rng: random.Random) -> bytes:
    """Return data with a few bytes changed, or cut, or with a piece missing or twice."""
    damaged = bytearray(data)
    way = rng.randrange(4)
    at, size = rng.randrange(len(data)), rng.randrange(1, 64)
    if way == 0:
        for _ in range(rng.randrange(1, 6)):
            damaged[rng.randrange(len(data))] = rng.randrange(256)
    elif way == 1:
        del damaged[at:]
    elif way == 2:
        del damaged[at : at + size]
    else:
        damaged[at:at] = damaged[at : at + size]
    return bytes(damaged)


HOSTILE: tuple[Any, ...] = (
    None, True, -1, 0, 10**9, 10**400, 1e999, float("nan"), "", "x" * 5000, [], [[]], {}, {"a": {}},
    [1] * 1000, {"pi": [8192] * 65}, [None], "os.system", [1e308], {"__class__": "x"},
)  # fmt: skip


def hostile_json(data: bytes, rng: random.Random) -> bytes:
    """Return JSON in which one value, at any depth, is another one."""
    root = json.loads(data)
    places: list[tuple[Any, Any]] = []

    def collect(node: Any) -> None:
        for key in list(node) if isinstance(node, dict) else range(len(node)):
            places.append((node, key))
            if isinstance(node[key], (dict, list)):
                collect(node[key])

    collect(root)
    node, key = rng.choice(places)
    node[key] = rng.choice(HOSTILE)
    return json.dumps(root).encode()


def damaged_files(saved: Path, target: Path, number: int, seed: int) -> Iterator[Path]:
    """Yield a file, again and again, damaged in another way each time."""
    rng, whole, entries = random.Random(seed), saved.read_bytes(), entries_of(saved)
    texts = [name for name in ("ludarium.json", "data") if name in entries]
    for turn in range(number):
        if turn % 3 == 0:
            target.write_bytes(flipped(whole, rng))
        elif turn % 3 == 1:  # damage that no checksum of the outer archive tells
            name = rng.choice(sorted(entries.keys() & sb3_files.LIMITS.keys()))
            write(target, {**entries, name: flipped(entries[name], rng)})
        else:
            name = rng.choice(texts)
            write(target, {**entries, name: hostile_json(entries[name], rng)})
        yield target


def check_damage(path: Path, load: Callable[[], Any]) -> bool:
    """Return whether a file is refused, by a ValueError that names it."""
    try:
        load()
    except ValueError as error:
        assert str(path) in str(error) and len(str(error)) < 1500, error
        return True
    return False


@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
def test_every_damage_is_one_value_error(saved: Path, tmp_path: Path) -> None:
    """Bytes changed, cut, missing or twice, inside and outside, and hostile JSON."""
    model = tiny_model(VecNormalize(SB3VecEnv(GAME, 2, seed=1)), **PLANES)
    before = [p.clone() for p in model.policy.parameters()]
    refused = 0
    for path in damaged_files(saved, tmp_path / "m.zip", 150, seed=1):
        refused += check_damage(path, lambda path=path: SB3Agent(str(path)))  # type: ignore[misc]
    assert refused > 75
    entries = entries_of(saved)
    rng = random.Random(2)
    for _ in range(30):
        name = rng.choice(("policy.optimizer.pth", "ludarium.json", "ludarium.f64"))
        path = write(tmp_path / "m.zip", {**entries, name: flipped(entries[name], rng)})
        if check_damage(path, lambda path=path: load_weights(model, str(path))):  # type: ignore[misc]
            assert all(map(torch.equal, before, model.policy.parameters()))
        before = [p.clone() for p in model.policy.parameters()]


@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
def test_damaged_files_of_sb3s_own_save(tmp_path: Path) -> None:
    tiny_model(**PLANES).save(tmp_path / "own.zip")
    refused = 0
    for path in damaged_files(tmp_path / "own.zip", tmp_path / "m.zip", 60, seed=3):
        refused += check_damage(path, lambda path=path: SB3Agent(str(path)))  # type: ignore[misc]
    assert refused > 20


def test_deep_json_is_damage(saved: Path, tmp_path: Path) -> None:
    entries = entries_of(saved)
    for deep in (b"[" * 200_000, b'{"a":' * 100_000, b"1" * 100_000):
        path = write(tmp_path / "m.zip", {**entries, "ludarium.json": deep})
        assert check_damage(path, lambda path=path: SB3Agent(str(path)))  # type: ignore[misc]


# ---------------------------------------------------------------- sizes


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_archives_that_unpack_to_gigabytes(saved: Path, tmp_path: Path, method: int) -> None:
    """Refused by what their table of contents says, before anything is unpacked."""
    bomb = bytes(20 << 20)
    for name in ("policy.pth", "ludarium.json"):
        path = write(tmp_path / "m.zip", {**entries_of(saved), name: bomb}, method)
        assert path.stat().st_size < 1 << 20
        tracemalloc.start()
        try:
            assert check_damage(path, lambda path=path: SB3Agent(str(path)))  # type: ignore[misc]
            assert tracemalloc.get_traced_memory()[1] < 8 << 20
        finally:
            tracemalloc.stop()


def test_an_archive_in_the_archive_is_not_unpacked(saved: Path, tmp_path: Path) -> None:
    """torch unpacks records without a limit: compressed ones are refused."""
    entries = entries_of(saved)
    inner = tmp_path / "inner.zip"
    with zipfile.ZipFile(io.BytesIO(entries["policy.pth"])) as archive:
        records = {name: archive.read(name) for name in archive.namelist()}
    write(inner, {**records, "archive/data/0": bytes(64 << 20)}, zipfile.ZIP_DEFLATED)
    path = write(tmp_path / "m.zip", {**entries, "policy.pth": inner.read_bytes()})
    with pytest.raises(ValueError, match="compressed"):
        SB3Agent(str(path))


def test_files_that_are_too_large(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sb3_files, "MOST_BYTES", 1000)
    with pytest.raises(ValueError, match="larger than"):
        SB3Agent(str(saved))


def test_tables_of_contents_that_are_too_large(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "m.zip", "w") as archive:
        for number in range(12_000):
            archive.writestr(f"{number:050d}", b"")
    with pytest.raises(ValueError, match="table of contents"):
        SB3Agent(str(tmp_path / "m.zip"))


def test_wide_networks_are_not_built(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shapes are compared with the stored tensors first; 8,192 wide took minutes and gigabytes."""

    def built(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("a network was built")

    monkeypatch.setattr("ludarium.wrappers.sb3_agent.MaskableActorCriticPolicy", built)
    entries = entries_of(saved)
    about = json.loads(entries["ludarium.json"])
    about["network"]["net_arch"] = [8192, 8192, 8192]
    path = write(tmp_path / "m.zip", {**entries, "ludarium.json": json.dumps(about).encode()})
    with pytest.raises(ValueError, match=r"needs|lacks"):
        SB3Agent(str(path))


@pytest.mark.parametrize(
    ("tensor", "message"),
    [
        (torch.zeros(1, 3), "of shape"),
        (torch.zeros(1).expand(8192, 8192), "of shape"),
        (torch.zeros(1, 8, dtype=torch.float64), "float32"),
        (torch.full((1, 8), torch.nan), "not finite"),
        (torch.zeros(1, 8).to_sparse(), "sparse"),
        ("weights", "instead of the tensor"),
        (None, "lacks the tensor"),
    ],
)
def test_tensors_that_do_not_fit(saved: Path, tmp_path: Path, tensor: Any, message: str) -> None:
    entries = entries_of(saved)
    tensors = torch.load(io.BytesIO(entries["policy.pth"]), weights_only=True)
    if tensor is None:
        del tensors["value_net.weight"]
    else:
        tensors["value_net.weight"] = tensor
    path = write(tmp_path / "m.zip", {**entries, "policy.pth": packed(tensors)})
    with pytest.raises(ValueError, match=message):
        SB3Agent(str(path))
    path = write(tmp_path / "m.zip", {**entries, "policy.pth": packed([1, 2])})
    with pytest.raises(ValueError, match="not tensors"):
        SB3Agent(str(path))


def test_tuples_that_take_for_ever_to_hash(saved: Path, tmp_path: Path) -> None:
    """A pickle of a hundred bytes whose only key is a tuple of 2**60 leaves."""
    nest = b"\x80\x02}" + b")" + b"q\x00" + b"h\x00h\x00\x86q\x01"
    for level in range(1, 60):
        nest += b"h" + bytes([level]) + b"h" + bytes([level]) + b"\x86q" + bytes([level + 1])
    inner = write(tmp_path / "inner.zip", {"a/data.pkl": nest + b"K\x01s.", "a/version": b"3\n"})
    path = write(tmp_path / "m.zip", {**entries_of(saved), "policy.pth": inner.read_bytes()})
    with pytest.raises(ValueError, match="tuples"):
        SB3Agent(str(path))


def test_old_forms_of_weights_are_refused(saved: Path, tmp_path: Path) -> None:
    """A plain pickle and torch's old form have no table of contents to look at first."""
    buffer = io.BytesIO()
    torch.save({}, buffer, _use_new_zipfile_serialization=False)
    for data in (buffer.getvalue(), pickle.dumps({}), b""):
        path = write(tmp_path / "m.zip", {**entries_of(saved), "policy.pth": data})
        with pytest.raises(ValueError, match="BadZipFile"):
            SB3Agent(str(path))


# ---------------------------------------------------------------- shapes by arithmetic


@pytest.mark.parametrize(
    ("form", "kwargs"),
    [
        ("planes", PLANES),
        ("planes", {**PLANES, "share_features_extractor": False}),
        ("planes", {"features_extractor_class": PlanesExtractor}),
        ("flat", {"net_arch": {"pi": [8, 4], "vf": []}}),
        ("planes", {"net_arch": []}),
        ("dict", {}),
    ],
)
def test_shapes_are_those_of_the_network(
    form: str, kwargs: Any, tmp_path: Path, rng: np.random.Generator
) -> None:
    """Also: each kind of network plays from its file as it plays from SB3."""
    model = tiny_model(SB3VecEnv(GAME, 2, seed=1, observation=form), **kwargs)
    agent = SB3Agent(str(save_model(model, tmp_path / "m.zip")))
    shapes = {name: tuple(tensor.shape) for name, tensor in model.policy.state_dict().items()}
    assert Network.of(agent.about).shapes(agent.game) == shapes
    state = agent.game.new_initial_state()
    for _ in range(4):
        planes, mask = state.observation_tensor(), state.legal_actions_mask()
        seen = {
            "planes": planes,
            "flat": planes.reshape(-1),
            "dict": {"observation": planes, "action_mask": mask},
        }[form]
        expected, _ = model.predict(seen, action_masks=mask, deterministic=True)
        assert agent.select_action(state, rng) == expected
        state.apply_action(int(rng.choice(state.legal_actions())))


# ---------------------------------------------------------------- SB3's own save


@pytest.mark.parametrize("form", ["planes", "flat", "dict"])
def test_a_model_of_sb3s_own_save_plays(
    form: str, name: str, tmp_path: Path, rng: np.random.Generator
) -> None:
    """Its game is the one whose observations and actions it has; no pickle in it is opened."""
    path = tmp_path / "own.zip"
    model = tiny_model(SB3VecEnv(name, 2, seed=1, observation=form))
    model.save(path)
    agent = make_agent(f"sb3:{path}")
    assert agent.game == ludarium.load_game(name) and agent.about["observation"] == form
    state = agent.game.new_initial_state()
    planes, mask = state.observation_tensor(), state.legal_actions_mask()
    whole = {"observation": planes, "action_mask": mask}
    seen = {"planes": planes, "flat": planes.reshape(-1), "dict": whole}[form]
    expected, _ = model.predict(seen, action_masks=mask, deterministic=True)
    assert agent.select_action(state, rng) == expected
    assert make_agent(f"sb3:{path}:{name}").name == f"sb3:{path}:{name}"
    other = next(one for one in ludarium.list_games() if one != name)
    with pytest.raises(ValueError, match=f"does not fit {other}"):
        make_agent(f"sb3:{path}:{other}")
    if name == GAME and form != "dict":
        assert SB3AlphaZeroAgent(f"2:{path}:{name}").select_action(state, rng) in np.flatnonzero(
            mask
        )


def test_a_saved_models_options_are_found_by_its_shapes(name: str, tmp_path: Path) -> None:
    """Such as the size of a board, for every option that shapes observations."""
    kind = ludarium.load_game(name).type
    for key, option in kind.options.items():
        value = option.allowed[-1]
        changed = ludarium.load_game(name, **{key: value})
        if changed.observation_shape != ludarium.load_game(name).observation_shape:
            tiny_model(SB3VecEnv(name, 2, **{key: value})).save(tmp_path / "own.zip")
            assert SB3Agent(str(tmp_path / "own.zip")).game.options[key] == value


def test_two_games_that_fit_make_a_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "own.zip"
    tiny_model().save(path)
    monkeypatch.setattr("ludarium.wrappers.sb3_agent.fits", lambda seen, form, game: True)
    with pytest.raises(ValueError, match="sb3:FILE:GAME"):
        make_agent(f"sb3:{path}")


def test_ppo_without_masks_plays_with_masks(tmp_path: Path) -> None:
    tiny_model(kind=PPO, **PLANES).save(tmp_path / "own.zip")
    agent = SB3Agent(str(tmp_path / "own.zip"))
    assert agent.about["network"]["extractor"] == "PlanesExtractor"


class Twice(torch.nn.Tanh):
    """An activation that no file can name."""


def test_what_sb3s_own_save_does_not_tell_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.zip"
    tiny_model(activation_fn=Twice).save(path)
    with pytest.raises(ValueError, match="activation_fn"):
        make_agent(f"sb3:{path}")
    model = tiny_model(VecNormalize(SB3VecEnv(GAME, 2)))
    model.learn(16)
    model.save(path)
    with pytest.raises(ValueError, match=r"VecNormalize.*save_model"):
        make_agent(f"sb3:{path}")
    write(path, {"policy.pth": b""})
    with pytest.raises(ValueError, match="neither"):
        make_agent(f"sb3:{path}")


class Attack:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.write_text, (self.path, "executed")


def test_no_pickle_of_sb3s_own_save_is_opened(tmp_path: Path) -> None:
    """Whichever setting hides code: what stands beside it as text is read instead."""
    own, mark = tmp_path / "own.zip", tmp_path / "mark"
    model = tiny_model(**PLANES)
    model.learn(16)
    model.save(own)
    entries = entries_of(own)
    data = json.loads(entries["data"])
    code = base64.b64encode(pickle.dumps(Attack(mark))).decode()
    hidden = [key for key, value in data.items() if ":serialized:" in str(value)]
    assert {"policy_kwargs", "observation_space", "_last_obs"} <= set(hidden)
    for key in hidden:
        data[key][":serialized:"] = code
    path = write(tmp_path / "m.zip", {**entries, "data": json.dumps(data).encode()})
    assert SB3Agent(str(path)).game.name == GAME and not mark.exists()
    with pytest.raises(Exception):  # noqa: B017 - whatever: the attack is real
        MaskablePPO.load(path, device="cpu")
    assert mark.read_text() == "executed"


def test_files_with_colons(tmp_path: Path) -> None:
    path = tmp_path / f"a:{GAME}"
    path.write_bytes(save_model(tiny_model(), tmp_path / "b.zip").read_bytes())
    assert make_agent(f"sb3:{path}").game.name == GAME
    with pytest.raises(ValueError, match="not of"):
        make_agent(f"sb3:{path}:{ludarium.list_games()[0]}")
