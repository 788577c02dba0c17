"""Stable-Baselines3: a batch of games as its `VecEnv`, a network for planes, models in files."""

from __future__ import annotations

import io
import json
import os
import time
import zipfile
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ludarium.core.errors import install

try:
    import torch
    from gymnasium import spaces
    from stable_baselines3.common.base_class import BaseAlgorithm
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:  # pragma: no cover
    raise ImportError(f"this needs Stable-Baselines3: {install('train')}") from error

from ludarium.core.files import check_target, replacing
from ludarium.core.game import Game
from ludarium.single_agent.opponents import Opponent
from ludarium.single_agent.vector import make_batch
from ludarium.wrappers.sb3_files import FORMAT, SIDE_ENTRY, STATISTICS_ENTRY
from ludarium.wrappers.sb3_networks import (
    ACTIVATIONS,
    EXTRACTORS,
    Network,
    Unfit,
    name_in,
)
from ludarium.wrappers.sb3_networks import PlanesExtractor as PlanesExtractor
from ludarium.wrappers.sb3_wrapped import training_of

RECENT = 400  # the win rate of a seat is that of its last 400 games

# ---------------------------------------------------------------- the batch as a VecEnv


class SB3VecEnv(VecEnv):
    """A batch of single-agent games as a `VecEnv` of Stable-Baselines3; made for MaskablePPO.

    It offers `action_masks`, resets games that have ended, and reports at the end of a game what
    `Monitor` reports: ``info["episode"]`` with ``r``, ``l`` (actions of the learner) and ``t``
    (seconds); also ``is_success``, from which SB3 logs its success rate, and the ints ``seat``,
    ``opponent`` (an index of ``batch.opponents``), ``result`` and ``reason``
    (`ludarium.environments.infos` has their words). `win_rates` returns the win rate of each seat.
    With ``render_mode="rgb_array"`` SB3's `VecVideoRecorder` films the batch.

    A game that `max_turns` ends has the reward 0 as its result, and nothing comes after it. So
    ``TimeLimit.truncated`` is False, and SB3 adds no value of the last position to the reward.

    Args:
        game: name of the game.
        num_envs: number of games.
        **options: the game's options, and those of
            `ludarium.single_agent.vector.SingleAgentVector` except `autoreset`: opponent, seat,
            observation, illegal, seed, num_threads, render_mode, render_size, orientation.

    Raises:
        ValueError: The game or an option is unknown, or a value is not allowed.
    """

    def __init__(self, game: str, num_envs: int = 64, **options: Any) -> None:
        if "autoreset" in options:
            raise ValueError(
                "autoreset is not allowed: Stable-Baselines3 always resets in the same step"
            )
        self.batch = make_batch(game, num_envs, autoreset="same_step", **options)
        self.game: Game = self.batch.game
        self.started = time.time()
        self._recent: tuple[deque[float], ...] = (deque(maxlen=RECENT), deque(maxlen=RECENT))
        self._actions: npt.NDArray[Any] = np.zeros(num_envs, np.int64)
        super().__init__(
            num_envs, self.batch.single_observation_space, self.batch.single_action_space
        )
        self.metadata = {**self.metadata, "render_fps": self.batch.metadata["render_fps"]}

    def __repr__(self) -> str:
        return f"<SB3VecEnv of {self.batch!r}>"

    def set_opponent(self, opponent: Opponent) -> None:
        """Change the opponent, or mixture of them, of the games that begin from now on."""
        self.batch.set_opponent(opponent)

    def win_rates(self) -> tuple[float, float]:
        """Return the win rates as player 0 and as player 1 over the last games of each.

        The rate of a seat without games is nan. A game without a winner counts as half a win.
        """
        first, second = (sum(seat) / len(seat) if seat else np.nan for seat in self._recent)
        return first, second

    def reset(self) -> Any:
        """Start a new game in each place of the batch; returns observations."""
        seeds = [seed for seed in self._seeds if seed is not None]
        observations, info = self.batch.reset(seed=seeds if len(seeds) == self.num_envs else None)
        self.reset_infos = [{"seat": int(seat)} for seat in info["seat"]]
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Store the learner's actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, npt.NDArray[np.float32], npt.NDArray[np.bool_], Any]:
        """Play the stored actions; returns observations, rewards, whether games ended, infos."""
        observations, rewards, terminated, truncated, info = self.batch.step(self._actions)
        over = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if over.any():
            ends, last = info["final_info"], info["final_obs"]
            seconds = round(time.time() - self.started, 6)
            for i in np.flatnonzero(over):
                reward, seat = float(rewards[i]), int(ends["seat"][i])
                self._recent[seat].append((reward + 1) / 2)
                final = {key: rows[i] for key, rows in last.items()} if _is_dict(last) else last[i]
                infos[i] = {
                    "terminal_observation": final,
                    "TimeLimit.truncated": False,
                    "episode": {"r": reward, "l": int(ends["length"][i]), "t": seconds},
                    "is_success": reward > 0,
                    "seat": seat,
                    "opponent": int(ends["opponent"][i]),
                    "result": int(ends["result"][i]),
                    "reason": int(ends["reason"][i]),
                }
        return observations, rewards, over, infos

    # ---- what algorithms ask of single environments

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Return for each game its row of `action_masks`, the only method of single games."""
        if method_name != "action_masks":
            raise AttributeError(f"the batch has no method {method_name!r} of single games")
        masks = self.batch.action_masks()
        return [masks[i] for i in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute for each game: `action_masks`, or an attribute of the whole batch."""
        rows = list(self._get_indices(indices))
        if attr_name == "action_masks":
            return [lambda i=i: self.batch.action_masks()[i] for i in rows]
        return [getattr(self.batch, attr_name)] * len(rows)

    def has_attr(self, attr_name: str) -> bool:
        """Return whether `get_attr` knows an attribute."""
        return hasattr(self.batch, attr_name)

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refuse: single games have no attributes of their own."""
        raise AttributeError(f"{attr_name!r} cannot be set for single games of a batch")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return True for `Monitor`, whose statistics are reported here, and False for others."""
        wrapped = isinstance(wrapper_class, type) and issubclass(Monitor, wrapper_class)
        return [wrapped for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[npt.NDArray[np.uint8] | None]:
        """Return a picture of each game, or None for each if there is no `render_mode`."""
        pictures = self.batch.render() if self.render_mode else None
        return [None] * self.num_envs if pictures is None else list(pictures)

    def close(self) -> None:
        """Stop the threads of the batch."""
        self.batch.close()


def _is_dict(observations: Any) -> bool:
    return isinstance(observations, dict)


# ---------------------------------------------------------------- models in files


def describe(model: BaseAlgorithm, game: Game | None = None) -> dict[str, Any]:
    """Return what a model's file says about it: game, version, options, settings of the network.

    Args:
        model: a MaskablePPO model, or another with such a policy.
        game: the game that the model plays; None: the game of its environment.

    Raises:
        ValueError: The game is not known; a wrapper of the environment changes observations (only
            `VecNormalize` is allowed, whose statistics are saved); or the network has parts that
            a file cannot name.
    """
    training = training_of(model, game)
    policy: Any = model.policy
    about = {
        "format": FORMAT,
        "game": training.game.name,
        "version": training.game.version,
        "options": dict(training.game.options),
        "num_timesteps": int(model.num_timesteps),
        "observation": training.observation,
        "network": {
            "net_arch": policy.net_arch,
            "activation": name_in("activation", policy.activation_fn, ACTIVATIONS),
            "extractor": name_in("extractor", policy.features_extractor_class, EXTRACTORS),
            "extractor_options": policy.features_extractor_kwargs,
            "share_features_extractor": bool(policy.share_features_extractor),
        },
    }
    try:
        Network.of(about)
    except Unfit as error:
        raise ValueError(f"the model cannot be rebuilt from a file: it {error}") from error
    statistics = training.normalization()
    return about if statistics is None else {**about, "normalize": statistics.about()}


def save_model(
    model: BaseAlgorithm,
    path: str | os.PathLike[str],
    game: Game | None = None,
    overwrite: bool = False,
) -> Path:
    """Write a model to a file that `make_agent("sb3:FILE")` plays and SB3's own `load` reads.

    The statistics of a `VecNormalize` around the environment are part of the file. An interrupted
    write leaves the old file as it was.

    Args:
        model: a MaskablePPO model.
        path: path of the file, which ends in ``.zip``.
        game: the game that the model plays; None: the game of its environment.
        overwrite: whether an existing file may be replaced.

    Raises:
        ValueError: See `describe`; or the name does not end in ``.zip``.
        OSError: The file cannot be written, or exists already.
    """
    target = check_target(path, (".zip",), overwrite)
    text = json.dumps(describe(model, game), indent=1)
    statistics = training_of(model, game).normalization()
    buffer = io.BytesIO()
    model.save(buffer)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(SIDE_ENTRY, text)
        if statistics is not None:
            archive.writestr(STATISTICS_ENTRY, statistics.to_bytes())
    with replacing(target, overwrite) as file:
        file.write(buffer.getvalue())
    return target


def save_network(
    game: Game,
    body: torch.nn.Sequential,
    policy: torch.nn.Linear,
    value: torch.nn.Linear,
    path: str | os.PathLike[str],
    num_timesteps: int = 0,
    overwrite: bool = False,
) -> Path:
    """Write a network trained without SB3 to a file that `make_agent("sb3:FILE")` plays.

    Args:
        game: the game that the network plays.
        body: layers in the order of `PlanesExtractor.network`; it takes the planes, channels
            first, and all its convolutions have the same number of channels.
        policy: layer from features to the logits of all actions.
        value: layer from features to one number, whose tanh is the value of the position.
        path: path of the file, which ends in ``.zip``.
        num_timesteps: number of actions that the network has learnt from.
        overwrite: whether an existing file may be replaced.

    Raises:
        ValueError: The network has other parts, or does not fit this game; or the name does not
            end in ``.zip``.
        OSError: The file cannot be written, or exists already.
    """
    target = check_target(path, (".zip",), overwrite)
    convolutions = [part for part in body if isinstance(part, torch.nn.Conv2d)]
    options = {
        "channels": convolutions[0].out_channels if convolutions else 0,
        "layers": len(convolutions),
        "features_dim": policy.in_features,
    }
    pattern = spaces.Box(0, 1, game.observation_shape, np.int8)
    heads = torch.nn.ModuleDict({"action_net": policy, "value_net": value}).state_dict()
    layers = {name: tensor.detach().cpu().clone() for name, tensor in body.state_dict().items()}
    weights = {name: tensor.detach().cpu().clone() for name, tensor in heads.items()}
    # SB3 keeps the one extractor that policy and value share under three names
    for owner in ("features_extractor", "pi_features_extractor", "vf_features_extractor"):
        weights.update({f"{owner}.network.{name}": tensor for name, tensor in layers.items()})
    try:
        extractor = PlanesExtractor(pattern, **options)
        extractor.network.load_state_dict(layers)
    except (RuntimeError, ValueError) as error:
        raise ValueError(
            f"the body does not have the layers of PlanesExtractor: {error}"
        ) from error
    if policy.out_features != game.num_distinct_actions or value.out_features != 1:
        raise ValueError(
            f"the heads give {policy.out_features} logits and {value.out_features} values: "
            f"{game.name} takes {game.num_distinct_actions} and 1"
        )
    about = {
        "format": FORMAT,
        "game": game.name,
        "version": game.version,
        "options": dict(game.options),
        "num_timesteps": int(num_timesteps),
        "observation": "planes",
        "value": "tanh",
        "network": {
            "net_arch": [],
            "activation": "ReLU",
            "extractor": "PlanesExtractor",
            "extractor_options": options,
            "share_features_extractor": True,
        },
    }
    tensors = io.BytesIO()
    torch.save(weights, tensors)
    with replacing(target, overwrite) as file, zipfile.ZipFile(file, "w") as archive:
        archive.writestr(SIDE_ENTRY, json.dumps(about, indent=1))
        archive.writestr("policy.pth", tensors.getvalue())
    return target
