"""The agent `sb3:FILE`: a MaskablePPO model from a file, always asked with masks.

SB3's own `load` unpickles what stands in the file, and so runs whatever code its author put there.
Here only the weights are read, by torch's `weights_only`, into a network rebuilt from settings that
the file names in plain JSON and that are looked up in short lists; see `sb3_files`.
"""

from __future__ import annotations

import contextlib
import itertools
import reprlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ludarium.core.errors import MissingExtraError, install
from ludarium.wrappers.sb3_specs import check_file_argument

try:
    import torch
    from gymnasium import spaces
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
except ImportError as error:  # pragma: no cover
    raise MissingExtraError(
        f"agent 'sb3' needs sb3-contrib: {install('train')}", check_file_argument
    ) from error

from ludarium.core.errors import join_or
from ludarium.core.game import game_type, load_game
from ludarium.core.registry import list_games
from ludarium.single_agent.env import observation_space_of
from ludarium.single_agent.opponents import Observation
from ludarium.wrappers.sb3 import describe
from ludarium.wrappers.sb3_files import (
    STATISTICS_ENTRY,
    ModelFile,
    check_tensor,
    check_tensors,
    damage,
    fits,
    read_file,
    settings_of_sb3,
)
from ludarium.wrappers.sb3_networks import ACTIVATIONS, EXTRACTORS, Network, Unfit
from ludarium.wrappers.sb3_wrapped import FORMS, Normalization, training_of

if TYPE_CHECKING:
    from ludarium.core.game import Game
    from ludarium.core.state import State

FEW = 16  # positions that one thread answers sooner than several, which wait for each other
MOST_CHOICES = 64  # values of an option that are tried to find the game of a model

# ---------------------------------------------------------------- any policy as an agent


class PolicyNetworkAgent:
    """An SB3 actor-critic policy as an agent, for one position or in batches.

    Args:
        policy: the policy; its present weights are used at each question, on its own device.
        game: the game that it plays.
        name: name for tables.
        sample: whether to draw actions from the policy instead of taking the likeliest.
        normalization: statistics of the `VecNormalize` that the policy was trained with.
    """

    def __init__(
        self,
        policy: Any,
        game: Game,
        name: str = "sb3",
        sample: bool = False,
        normalization: Normalization | None = None,
    ) -> None:
        self.policy, self.game, self.name, self.sample = policy, game, name, sample
        self.normalization = normalization

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}, {_title(self.game)}>"

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
        mask = observations["action_mask"]
        with torch.no_grad(), threads_for(len(mask)), _unvalidated():
            seen = self.tensors(observations)
            logits = self.policy.get_distribution(seen).distribution.logits.cpu().numpy()
        if self.sample:  # the largest of logits with Gumbel noise is a draw
            logits = logits + rng.gumbel(size=logits.shape)
        best: npt.NDArray[np.int64] = np.where(mask != 0, logits, -np.inf).argmax(1)
        return best

    def tensors(self, observations: Observation) -> Any:
        """Return observations as the policy takes them: float tensors on its device."""
        space, device = self.policy.observation_space, self.policy.device

        def tensor(key: str, shape: tuple[int, ...]) -> torch.Tensor:
            rows: npt.NDArray[Any] = observations[key]
            rows = rows.reshape(len(rows), *shape)
            if self.normalization is not None:
                rows = self.normalization.apply(key, rows)
            return torch.from_numpy(rows).to(device).float()

        if isinstance(space, spaces.Dict):
            return {key: tensor(key, part.shape or ()) for key, part in space.spaces.items()}
        return tensor("observation", space.shape)

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
    """Let torch use one thread for a few positions, and restore its setting afterwards."""
    before = torch.get_num_threads()
    if positions > FEW or before == 1:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def _unvalidated() -> Iterator[None]:
    """Let torch not validate distributions, which on a GPU waits for the device each time."""
    kind: Any = torch.distributions.Distribution
    before = kind._validate_args
    kind.set_default_validate_args(False)
    try:
        yield
    finally:
        kind.set_default_validate_args(before)


def _title(game: Game) -> str:
    options = ", ".join(f"{name}={value!r}" for name, value in game.options.items())
    return f"{game.name} v{game.version} ({options})"


# ---------------------------------------------------------------- models from files


class SB3Agent(PolicyNetworkAgent):
    """A model from a file that `ludarium.wrappers.sb3.save_model` or SB3's own `save` wrote.

    SB3's own file does not say which game it is of. The game is found by the shapes of observations
    and actions where exactly one installed game has them; otherwise it has to be named.

    Args:
        argument: the file, or ``FILE:GAME``; as a spec, ``sb3:FILE`` or ``sb3:FILE:GAME``.
        sample: whether to draw actions from the policy instead of taking the likeliest.
        trusted: whether to read the file with SB3's own `load`, which executes code that stands in
            it. Only this reads networks made of other parts. Never use it for files of others.

    Raises:
        ValueError: The file is not a model, is damaged, or is of a game, version or options that
            are not installed.
        OSError: The file cannot be read.
    """

    def __init__(self, argument: str | None, sample: bool = False, trusted: bool = False) -> None:
        path, named = split_argument(check_file_argument(argument))
        file = read_file(path)
        about, game = _identify(file, named)
        if trusted:
            policy = MaskablePPO.load(path, device="cpu").policy
        else:
            policy = _rebuild(file, about, game)
        policy.set_training_mode(False)
        self.digest = file.digest
        #: What the file says about the model.
        self.about: dict[str, Any] = about
        statistics = _statistics(file, about, policy.observation_space)
        super().__init__(policy, game, f"sb3:{argument}", sample, statistics)


def split_argument(argument: str) -> tuple[Path, str | None]:
    """Return the file and the game of ``FILE`` or ``FILE:GAME``; a file may have a colon."""
    file, colon, game = argument.rpartition(":")
    if colon and file and game in list_games() and not Path(argument).is_file():
        return Path(file), game
    return Path(argument), None


def _identify(file: ModelFile, named: str | None) -> tuple[dict[str, Any], Game]:
    """Return what is known about a model, in the form of `describe`, and its game."""
    about, path = file.about, str(file.path)
    if about is None:
        return _search_game(file, named)
    try:
        game = load_game(about["game"], **about["options"])
    except Exception as error:
        raise ValueError(
            f"{path!r}: the model's game is not installed: {str(error)[:300]}"
        ) from error
    if about.get("version") != game.version:
        raise ValueError(
            f"{path!r} is a model of version {reprlib.repr(about.get('version'))} of {game.name}; "
            f"version {game.version} is installed"
        )
    if named not in (None, game.name):
        raise ValueError(f"{path!r} is a model of {game.name}, not of {named}")
    return about, game


def _search_game(file: ModelFile, named: str | None) -> tuple[dict[str, Any], Game]:
    """Return what SB3's own file says about a model, and the one game whose shapes it has."""
    with damage(file.path):
        if "data" not in file.entries:
            raise Unfit("is not a model: it has neither ludarium.json nor SB3's data")
        about, seen = settings_of_sb3(file.entries["data"])
        found: list[tuple[Game, str]] = []
        for name in list_games() if named is None else [named]:
            found += itertools.islice(
                (
                    (game, form)
                    for game in _variants(name)
                    for form in FORMS
                    if fits(seen, form, game)
                ),
                1,
            )
        if not found:
            shown = reprlib.repr(seen.get("shape", seen.get("spaces")))
            raise Unfit(
                f"is a model that sees {shown}, {seen['dtype'] or 'of several parts'}, and has "
                f"{seen['actions']} actions, which does not fit {named or 'any installed game'}"
            )
        if len(found) > 1:
            names = [game.name for game, _ in found]
            raise Unfit(f"may be a model of {join_or(names)}: name it, as sb3:FILE:GAME")
        ((game, form),) = found
        return {**about, "game": game.name, "observation": form}, game


def _variants(name: str) -> Iterator[Game]:
    """Yield a game with its default options, then with each other choice of its own options."""
    kind = game_type(name)
    yield kind.load()
    choices = [
        [(key, value) for value in option.allowed]
        for key, option in kind.options.items()
        if len(option.allowed) <= MOST_CHOICES
    ]
    for options in itertools.islice(itertools.product(*choices), MOST_CHOICES**2):
        with contextlib.suppress(ValueError):  # options that exclude each other
            yield kind.load(**dict(options))


def _rebuild(file: ModelFile, about: dict[str, Any], game: Game) -> Any:
    """Return the policy, from settings in plain words and tensors of the shapes they need."""
    with damage(file.path, "cannot be rebuilt"):
        network = Network.of(about)
        tensors = check_tensors(file.tensors(), network.shapes(game))
        policy = MaskableActorCriticPolicy(
            observation_space_of(game, network.observation),
            spaces.Discrete(game.num_distinct_actions),
            lr_schedule=lambda _: 0.0,
            net_arch=network.net_arch,
            activation_fn=ACTIVATIONS[network.activation],
            ortho_init=False,  # all weights are replaced, and it takes minutes for wide layers
            features_extractor_class=EXTRACTORS[network.extractor],
            features_extractor_kwargs=dict(network.extractor_options),
            share_features_extractor=network.share_features_extractor,
        )
        policy.load_state_dict(tensors)
    return policy


def _statistics(
    file: ModelFile, about: dict[str, Any], space: spaces.Space[Any]
) -> Normalization | None:
    """Return the statistics that a file has for observations of a space; None without any."""
    if "normalize" not in about:
        return None
    with damage(file.path):
        data = file.entries.get(STATISTICS_ENTRY, b"")
        return Normalization.from_file(about["normalize"], data, space)


# ---------------------------------------------------------------- resuming


def load_weights(model: Any, path: str) -> dict[str, Any]:
    """Put the weights, the optimizer's state and the step count of a file into a model; resume.

    The model must have been made for the same game with the same network; the statistics of a
    `VecNormalize` go into that of the model's environment. Nothing is changed if an error is
    raised.

    Returns:
        What the file says about itself.

    Raises:
        ValueError: The file is not a model, is damaged, or is of another game or network.
    """
    file = read_file(Path(path))
    about, _ = _identify(file, None)
    if file.about is None:
        raise ValueError(f"{path!r} was not written by save_model: load it with SB3's own load")
    ours, training = describe(model), training_of(model)
    for key in ("game", "version", "options", "observation", "network"):
        if about.get(key) != ours[key]:
            raise ValueError(
                f"{path!r}: {key} is {reprlib.repr(about.get(key))}, the model's is {ours[key]!r}"
            )
    statistics = _statistics(file, about, model.observation_space)
    keys = [
        None if one is None else list(one.means) for one in (statistics, training.normalization())
    ]
    if keys[0] != keys[1]:
        raise ValueError(
            f"{path!r}: VecNormalize normalizes {keys[0] or 'nothing'} in the file and "
            f"{keys[1] or 'nothing'} around the model's environment"
        )
    if "policy.optimizer.pth" not in file.entries:
        raise ValueError(f"{path!r} holds only the network: no training can be resumed from it")
    with damage(file.path):
        steps = about.get("num_timesteps")
        if isinstance(steps, bool) or not isinstance(steps, int) or not 0 <= steps < 2**63:
            raise Unfit(f"has num_timesteps {reprlib.repr(steps)}, not an int >= 0")
        shapes = {name: tuple(own.shape) for name, own in model.policy.state_dict().items()}
        tensors = check_tensors(file.tensors(), shapes)
        optimizer = _check_optimizer(file.tensors("policy.optimizer.pth"), model.policy)
    model.policy.load_state_dict(tensors)
    model.policy.optimizer.load_state_dict(optimizer)
    model.num_timesteps = steps
    if statistics is not None and training.normalizer is not None:
        statistics.restore(training.normalizer)
    return about


def _check_optimizer(found: Any, policy: Any) -> dict[str, Any]:
    """Return the state of an optimizer, if it is one of a policy's optimizer.

    Raises:
        Unfit: It is of another form.
    """
    ours = policy.optimizer.state_dict()
    if not isinstance(found, dict) or found.keys() != ours.keys():
        raise Unfit("has no state of an optimizer")
    groups, states = found["param_groups"], found["state"]
    if not isinstance(groups, list) or len(groups) != len(ours["param_groups"]):
        raise Unfit("has an optimizer with other groups of parameters")
    for group, own in zip(groups, ours["param_groups"], strict=True):
        if not isinstance(group, dict) or group.get("params") != own["params"]:
            raise Unfit("has an optimizer of other parameters")
        for key, value in group.items():
            plain = [value] if not isinstance(value, (list, tuple)) else value
            if not all(one is None or isinstance(one, (bool, int, float)) for one in plain):
                raise Unfit(f"has an optimizer whose {key!r} is not a number")
    own_parameters = [p for group in policy.optimizer.param_groups for p in group["params"]]
    if not isinstance(states, dict) or not states.keys() <= set(range(len(own_parameters))):
        raise Unfit("has an optimizer with the state of unknown parameters")
    for number, state in states.items():
        if not isinstance(state, dict):
            raise Unfit("has an optimizer with a damaged state")
        for key, value in state.items():
            shape = () if key == "step" else tuple(own_parameters[number].shape)
            if not (key == "step" and isinstance(value, int)):
                check_tensor(f"{key} of parameter {number}", value, shape)
    return found
