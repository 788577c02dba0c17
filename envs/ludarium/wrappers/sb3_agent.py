"""The agent `sb3:FILE`: a MaskablePPO model from a file, asked with masks, always.

SB3's own `load` unpickles what stands in the file, and so runs whatever code its author put there.
Here only the weights are read, by torch's `weights_only`, into a network rebuilt from settings that
the file names in plain JSON and that are looked up in short lists.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import pickle
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

try:
    import torch
    from gymnasium import spaces
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
except ImportError as error:  # pragma: no cover
    raise ImportError("agent 'sb3' needs sb3-contrib: pip install ludarium[train]") from error

from ludarium.core.game import load_game
from ludarium.single_agent.opponents import Observation
from ludarium.wrappers.sb3 import ACTIVATIONS, EXTRACTORS, FORMAT, SIDE_ENTRY

if TYPE_CHECKING:
    from ludarium.core.game import Game
    from ludarium.core.state import State

MOST_LAYERS, MOST_WIDTH = 64, 8192  # of a network in a file
FEW = 16  # positions that one thread answers sooner than several, which wait for each other

# ---------------------------------------------------------------- any policy as an agent


class PolicyNetworkAgent:
    """An SB3 actor-critic policy as an agent, alone or in batches.

    Args:
        policy: the policy; its weights are used as they are when asked.
        game: the game that it plays.
        name: for tables.
        sample: draw actions from the policy instead of taking the likeliest.
    """

    def __init__(self, policy: Any, game: Game, name: str = "sb3", sample: bool = False) -> None:
        self.policy, self.game, self.name, self.sample = policy, game, name, sample

    def select_action(self, state: State, rng: np.random.Generator) -> int:
        """Return the likeliest legal action, or a drawn one.

        Raises:
            ValueError: The state is of another game than the model, or the game is over.
        """
        self.check(state.game)
        if state.is_terminal():
            raise ValueError("the game is over: no action is left to choose")
        planes, mask = state.observation_tensor(), state.legal_actions_mask()
        seen = {"observation": planes[None], "action_mask": mask[None]}
        return int(self.select_actions(seen, rng)[0])

    def select_actions(
        self, observations: Observation, rng: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """Return an action for each position, int64 [N]; see `BatchAgent`."""
        planes = observations["observation"]
        shape = self.policy.observation_space.shape
        with torch.no_grad(), threads_for(len(planes)):
            tensor = torch.from_numpy(planes.reshape(len(planes), *shape)).float()
            logits = self.policy.get_distribution(tensor).distribution.logits.numpy()
        if self.sample:  # the largest of logits with Gumbel noise is a draw
            logits = logits + rng.gumbel(size=logits.shape)
        best: npt.NDArray[np.int64] = np.where(
            observations["action_mask"] != 0, logits, -np.inf
        ).argmax(1)
        return best

    def prepare(self, game: Game) -> None:
        """Raise ValueError unless the model is of this game: there is nothing else to prepare."""
        self.check(game)

    def check(self, game: Game) -> None:
        """Raise ValueError unless the network sees and answers what this game shows and takes."""
        ours = self.game
        if (ours.name, ours.version) != (game.name, game.version) or (
            ours.observation_shape,
            ours.num_distinct_actions,
        ) != (game.observation_shape, game.num_distinct_actions):
            raise ValueError(
                f"{self.name} is a model of {_title(ours)} and cannot play {_title(game)}"
            )


@contextlib.contextmanager
def threads_for(positions: int) -> Iterator[None]:
    """Let torch use one thread for a few positions; its setting is put back afterwards."""
    before = torch.get_num_threads()
    if positions > FEW or before == 1:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _title(game: Game) -> str:
    options = ", ".join(f"{name}={value!r}" for name, value in game.options.items())
    return f"{game.name} v{game.version} ({options})"


# ---------------------------------------------------------------- models from files


class SB3Agent(PolicyNetworkAgent):
    """A model that `ludarium.wrappers.sb3.save_model` wrote.

    Args:
        path: the file; as a spec, ``sb3:FILE``.
        sample: draw actions from the policy instead of taking the likeliest.
        trusted: read the file with SB3's own `load`, which executes code that stands in it. Only
            this reads networks made of other parts. Not for files of others.

    Raises:
        ValueError: It is no such file; or of a game, version or options that are not here.
        OSError: The file cannot be read.
    """

    def __init__(self, path: str | None, sample: bool = False, trusted: bool = False) -> None:
        if not path:
            raise ValueError("agent 'sb3' takes the file of a model: sb3:FILE")
        about, archive = _read(Path(path))
        try:
            game = load_game(about["game"], **about["options"])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path}: the model's game is not here: {error}") from error
        if about.get("version") != game.version:
            raise ValueError(
                f"{path}: a model of version {about.get('version')!r} of {game.name}; "
                f"this is version {game.version}"
            )
        if trusted:
            policy = MaskablePPO.load(path, device="cpu").policy
        else:
            policy = _rebuild(path, about, archive, game)
        policy.set_training_mode(False)
        self.digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]
        #: What the file says of the model.
        self.about: dict[str, Any] = about
        super().__init__(policy, game, f"sb3:{path}", sample)


def _read(path: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the side entry of a model's file, and its other entries that are needed."""
    if not path.is_file():
        raise ValueError(f"there is no file {str(path)!r}")
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            about = json.loads(archive.read(SIDE_ENTRY)) if SIDE_ENTRY in names else None
            wanted = ("policy.pth", "policy.optimizer.pth")
            entries = {name: archive.read(name) for name in wanted if name in names}
    except (zipfile.BadZipFile, json.JSONDecodeError, EOFError) as error:
        raise ValueError(f"{str(path)!r} is no model: {error}") from error
    if about is None:
        raise ValueError(
            f"{str(path)!r} does not say which game it plays: save models with "
            "ludarium.wrappers.sb3.save_model"
        )
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise ValueError(f"{str(path)!r} has an unknown format: {SIDE_ENTRY} is {about!r}")
    return about, entries


def _rebuild(path: str, about: dict[str, Any], entries: dict[str, bytes], game: Game) -> Any:
    """Return the policy, from settings in plain words and tensors."""
    try:
        network = about["network"]
        shape = game.observation_shape
        if about["observation"] == "flat":
            shape = (int(np.prod(shape)),)  # type: ignore[assignment]
        policy = MaskableActorCriticPolicy(
            spaces.Box(0, 1, shape, np.int8),
            spaces.Discrete(game.num_distinct_actions),
            lr_schedule=lambda _: 0.0,
            net_arch=_sizes(network["net_arch"]),
            activation_fn=ACTIVATIONS[network["activation"]],
            features_extractor_class=EXTRACTORS[network["extractor"]],
            features_extractor_kwargs=_sizes(network["extractor_options"]),
            share_features_extractor=network["share_features_extractor"] is True,
        )
        policy.load_state_dict(weights(entries["policy.pth"]))
    except (KeyError, TypeError, ValueError, RuntimeError, pickle.UnpicklingError) as error:
        raise ValueError(f"{path}: the model cannot be rebuilt: {error!r}") from error
    return policy


def weights(entry: bytes) -> Any:
    """Return the tensors of an entry of a model's file; executes nothing."""
    return torch.load(io.BytesIO(entry), map_location="cpu", weights_only=True)


def _sizes(value: Any) -> Any:
    """Return sizes as they stand, in lists and dicts, if all are sensible ints."""
    if isinstance(value, dict):
        return {str(key): _sizes(inner) for key, inner in value.items()}
    if isinstance(value, list) and len(value) <= MOST_LAYERS:
        return [_sizes(inner) for inner in value]
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_WIDTH:
        return value
    raise ValueError(f"{value!r} is no size of a network")


def load_weights(model: Any, path: str) -> dict[str, Any]:
    """Put the weights, the optimizer's state and the step count of a file into a model; resume.

    The model must have been made for the same game with the same network.

    Returns:
        What the file says of itself.

    Raises:
        ValueError: The file is no model, or one of another game or network.
    """
    from ludarium.wrappers.sb3 import describe

    about, entries = _read(Path(path))
    ours = describe(model)
    for key in ("game", "version", "options", "network"):
        if about.get(key) != ours[key]:
            raise ValueError(f"{path}: {key} is {about.get(key)!r}, the model's is {ours[key]!r}")
    if "policy.optimizer.pth" not in entries:
        raise ValueError(f"{path}: no training can be resumed from it, only the network is there")
    model.policy.load_state_dict(weights(entries["policy.pth"]))
    model.policy.optimizer.load_state_dict(weights(entries["policy.optimizer.pth"]))
    model.num_timesteps = int(about["num_timesteps"])
    return about
