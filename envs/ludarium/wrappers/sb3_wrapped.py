"""What stands between a Stable-Baselines3 model and its games: wrappers, and their statistics.

A model plays later as it was trained only if it sees what it saw in training. `VecNormalize` is
replayed; wrappers that leave observations alone are ignored; every other wrapper is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces, wrappers
from sb3_contrib.common.wrappers import ActionMasker
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import (
    DummyVecEnv,
    VecCheckNan,
    VecEnv,
    VecEnvWrapper,
    VecMonitor,
    VecNormalize,
    VecVideoRecorder,
)

from ludarium.core.errors import join_or
from ludarium.core.game import Game
from ludarium.single_agent.env import observation_space_of
from ludarium.wrappers.films import RecordTurns

FORMS = ("planes", "flat", "dict")

#: Wrappers that change neither observations nor the meaning of actions.
HARMLESS: tuple[type, ...] = (
    VecMonitor,
    VecCheckNan,
    VecVideoRecorder,
    Monitor,
    ActionMasker,
    wrappers.Autoreset,
    wrappers.FlattenObservation,  # of planes: the same as observation="flat"
    wrappers.HumanRendering,
    wrappers.NormalizeReward,
    wrappers.OrderEnforcing,
    wrappers.PassiveEnvChecker,
    wrappers.RecordEpisodeStatistics,
    wrappers.RecordVideo,
    wrappers.RenderCollection,
    wrappers.TimeLimit,
    RecordTurns,
)

# ---------------------------------------------------------------- statistics


@dataclass(frozen=True)
class Normalization:
    """The statistics of a `VecNormalize`, as plain arrays.

    Attributes:
        means: mean of each normalized part of an observation, float64; for a model that sees
            planes or a flat array the one key is ``observation``.
        variances: variance of each, float64, of the same shapes.
        counts: how many observations the statistics of each part stand for.
        clip: largest absolute value of a normalized number; inf: no limit.
        epsilon: added to variances.
        returns: mean, variance and count of the discounted returns, from which rewards are
            normalized; needed only to resume training.
    """

    means: dict[str, npt.NDArray[np.float64]]
    variances: dict[str, npt.NDArray[np.float64]]
    counts: dict[str, float]
    clip: float
    epsilon: float
    returns: tuple[float, float, float]

    @classmethod
    def of(cls, wrapper: VecNormalize) -> Normalization:
        """Return a copy of the present statistics of a wrapper."""
        tables: Any = getattr(wrapper, "obs_rms", None) if wrapper.norm_obs else {}
        if not isinstance(tables, dict):
            tables = {"observation": tables}
        rewards = wrapper.ret_rms
        return cls(
            {key: np.array(table.mean, np.float64) for key, table in tables.items()},
            {key: np.array(table.var, np.float64) for key, table in tables.items()},
            {key: float(table.count) for key, table in tables.items()},
            float(wrapper.clip_obs),
            float(wrapper.epsilon),
            (float(rewards.mean), float(rewards.var), float(rewards.count)),
        )

    def apply(self, key: str, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return one part of observations, [n, ...], as the model saw it in training."""
        if key not in self.means:
            return rows
        # the same operations in the same order as SB3, so that the results are equal to the bit
        scaled = (rows - self.means[key]) / np.sqrt(self.variances[key] + self.epsilon)
        clipped: npt.NDArray[Any] = np.clip(scaled, -self.clip, self.clip)
        return clipped.astype(np.float32)

    def restore(self, wrapper: VecNormalize) -> None:
        """Put the statistics into a wrapper, to resume training."""
        tables: Any = wrapper.obs_rms if self.means else {}
        if not isinstance(tables, dict):
            tables = {"observation": tables}
        for key, table in tables.items():
            table.mean, table.var = self.means[key].copy(), self.variances[key].copy()
            table.count = self.counts[key]
        rewards: Any = wrapper.ret_rms
        rewards.mean, rewards.var = (np.array(value) for value in self.returns[:2])
        rewards.count = self.returns[2]

    # ---- in files

    def about(self) -> dict[str, Any]:
        """Return the settings as JSON takes them; `to_bytes` has the arrays."""
        return {
            "counts": self.counts,
            "clip": self.clip if math.isfinite(self.clip) else None,
            "epsilon": self.epsilon,
            "returns": list(self.returns),
        }

    def to_bytes(self) -> bytes:
        """Return all means and variances, key by key, as little-endian float64."""
        arrays = [a for key in self.means for a in (self.means[key], self.variances[key])]
        return b"".join(array.astype("<f8").tobytes() for array in arrays)

    @classmethod
    def from_file(cls, about: Any, data: bytes, space: spaces.Space[Any]) -> Normalization:
        """Return what `about` and `to_bytes` gave, for observations of a space.

        Raises:
            ValueError: A value is missing or not allowed.
        """
        if not isinstance(about, dict) or not isinstance(about.get("counts"), dict):
            raise ValueError("normalize has no counts")
        shapes = shapes_of(space)
        counts = {key: _number(f"counts[{key!r}]", n) for key, n in about["counts"].items()}
        for key in counts:
            if key not in shapes:
                raise ValueError(f"normalize names {key!r}: it may name {join_or(shapes)}")
        clip = math.inf if about.get("clip") is None else _number("clip", about["clip"])
        returns = about.get("returns")
        if not isinstance(returns, list) or len(returns) != 3:
            raise ValueError("normalize's returns are not three numbers")
        mean = _number("returns", returns[0], least=-math.inf)
        variance, count = (_number("returns", value) for value in returns[1:])
        epsilon = _number("epsilon", about.get("epsilon"))
        numbers = np.frombuffer(data, "<f8").astype(np.float64)
        sizes = {key: math.prod(shapes[key]) for key in counts}
        if len(numbers) != 2 * sum(sizes.values()):
            raise ValueError(
                f"the statistics are {len(numbers)} numbers, not {2 * sum(sizes.values())}"
            )
        if not np.isfinite(numbers).all():
            raise ValueError("the statistics contain numbers that are not finite")
        means, variances, at = {}, {}, 0
        for key, size in sizes.items():
            means[key] = numbers[at : at + size].reshape(shapes[key])
            variances[key] = numbers[at + size : at + 2 * size].reshape(shapes[key])
            at += 2 * size
            if (variances[key] < 0).any() or not (variances[key] + epsilon > 0).all():
                raise ValueError("the statistics contain a variance that is not positive")
        return cls(means, variances, counts, clip, epsilon, (mean, variance, count))


def _number(name: str, value: Any, least: float = 0.0) -> float:
    """Return a finite number of a file, at least `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"normalize's {name} is {value!r}, not a number")
    number = float(value)
    if not math.isfinite(number) or number < least:
        raise ValueError(f"normalize's {name} is {value!r}, not a finite number >= {least}")
    return number


def shapes_of(space: spaces.Space[Any]) -> dict[str, tuple[int, ...]]:
    """Return the shape of each part of an observation; planes and flat have one part."""
    if isinstance(space, spaces.Dict):
        return {key: tuple(part.shape or ()) for key, part in space.spaces.items()}
    return {"observation": tuple(space.shape or ())}


# ---------------------------------------------------------------- what a model is trained on


@dataclass(frozen=True)
class Training:
    """What a model is trained on.

    Attributes:
        game: the game, with its options.
        observation: what the model sees: ``planes``, ``flat`` or ``dict``.
        normalizer: the `VecNormalize` around the games; None without one.
    """

    game: Game
    observation: str
    normalizer: VecNormalize | None

    def normalization(self) -> Normalization | None:
        """Return a copy of the present statistics; None without a `VecNormalize`."""
        return None if self.normalizer is None else Normalization.of(self.normalizer)


def training_of(model: BaseAlgorithm, game: Game | None = None) -> Training:
    """Return what a model is trained on.

    Args:
        model: a MaskablePPO model, or another whose policy is of that kind.
        game: the game, where the environment does not say it; None: that of the environment.

    Raises:
        ValueError: The game is not known; a wrapper changes observations or actions, so that the
            model could not be asked later as it is trained; or the model's spaces are not those
            of the game.
    """
    env = model.get_env()
    normalizer: VecNormalize | None = None
    while isinstance(env, VecEnvWrapper):
        if type(env) is VecNormalize and normalizer is None:
            normalizer = env
        elif type(env) not in HARMLESS:
            raise _refusal(env)
        env = env.venv
    found = game or _game_of(env)
    if not isinstance(found, Game):
        raise ValueError("the model's environment does not say its game: give game=load_game(...)")
    for form in FORMS:
        if model.observation_space == observation_space_of(found, form):
            break
    else:
        raise ValueError(
            f"the model sees {_short(model.observation_space)}, which is none of the observations "
            f"of {found!r}: a wrapper changes them, or the game has other options"
        )
    if model.action_space != spaces.Discrete(found.num_distinct_actions):
        raise ValueError(
            f"the model's actions are {model.action_space}, those of {found!r} are "
            f"Discrete({found.num_distinct_actions})"
        )
    return Training(found, form, normalizer)


def _game_of(env: VecEnv | None) -> Any:
    """Return the game of unwrapped environments, None if they do not say it; refuse wrappers."""
    if isinstance(env, DummyVecEnv):
        for single in env.envs:
            for wrapper in _wrappers(single):
                if not _is_harmless(wrapper):
                    raise _refusal(wrapper)
        return getattr(env.envs[0].unwrapped, "game", None)
    ours = getattr(env, "game", None) if env is not None else None
    if env is not None and ours is None and any(env.env_is_wrapped(gymnasium.ObservationWrapper)):
        raise ValueError(
            "the environments of the workers have a wrapper that changes observations "
            "(gymnasium.ObservationWrapper): a saved model could not be asked as it is trained"
        )
    return ours


def _wrappers(env: Any) -> Iterator[gymnasium.Wrapper[Any, Any, Any, Any]]:
    """Yield the wrappers around a single environment, the outermost first."""
    while isinstance(env, gymnasium.Wrapper):
        yield env
        env = env.env


def _is_harmless(wrapper: gymnasium.Wrapper[Any, Any, Any, Any]) -> bool:
    """Return whether a wrapper leaves observations and actions alone."""
    kind = type(wrapper)
    steps = (gymnasium.Wrapper.step, gymnasium.RewardWrapper.step)
    return kind in HARMLESS or (kind.reset is gymnasium.Wrapper.reset and kind.step in steps)


def _refusal(wrapper: Any) -> ValueError:
    """Return the error that names a wrapper and those that are allowed."""
    names = sorted({kind.__name__ for kind in (*HARMLESS, VecNormalize)})
    return ValueError(
        f"the model is trained with the wrapper {type(wrapper).__name__}, which may change "
        "observations or actions: the model could not be asked as it is trained. Allowed are one "
        f"VecNormalize, wrappers of rewards, and {', '.join(names)}"
    )


def _short(space: Any) -> str:
    """Return a space in words that fit a line."""
    if isinstance(space, spaces.Dict):
        return f"Dict with {join_or(space.spaces)}"
    return f"{type(space).__name__} of shape {space.shape} and dtype {space.dtype}"
