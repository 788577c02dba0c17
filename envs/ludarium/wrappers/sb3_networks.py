"""Networks of Stable-Baselines3 that this package can name in a file and rebuild from it."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import (
    BaseFeaturesExtractor,
    CombinedExtractor,
    FlattenExtractor,
)

from ludarium.core.errors import join_or
from ludarium.core.game import Game
from ludarium.wrappers.sb3_wrapped import FORMS

MOST_LAYERS, MOST_WIDTH = 64, 8192  # of a network in a file

# ---------------------------------------------------------------- a network for planes


class PlanesExtractor(BaseFeaturesExtractor):
    """Convolutions over planes, channels last as the environments give them, then one layer.

    Pass it as ``policy_kwargs={"features_extractor_class": PlanesExtractor}``; SB3's own
    `NatureCNN` refuses boards.

    Args:
        observation_space: a Box (H, W, C).
        channels: of each convolution, 3 x 3.
        layers: how many convolutions.
        features_dim: length of the features.
    """

    def __init__(
        self,
        observation_space: spaces.Box,
        channels: int = 32,
        layers: int = 2,
        features_dim: int = 128,
    ) -> None:
        if len(observation_space.shape) != 3:
            raise ValueError(f"planes are needed, (H, W, C), not {observation_space.shape}")
        super().__init__(observation_space, features_dim)
        height, width, planes = observation_space.shape
        parts: list[torch.nn.Module] = []
        for layer in range(layers):
            parts += [torch.nn.Conv2d(channels if layer else planes, channels, 3, padding=1)]
            parts += [torch.nn.ReLU()]
        flat = height * width * (channels if layers else planes)
        parts += [torch.nn.Flatten(), torch.nn.Linear(flat, features_dim), torch.nn.ReLU()]
        self.network = torch.nn.Sequential(*parts)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Return features float [N, features_dim] of planes float [N, H, W, C]."""
        features: torch.Tensor = self.network(observations.permute(0, 3, 1, 2))
        return features


# ---------------------------------------------------------------- names in files

#: What a model's settings may name: an agent's network is built from these and nothing else.
EXTRACTORS = {
    kind.__name__: kind for kind in (PlanesExtractor, FlattenExtractor, CombinedExtractor)
}
ACTIVATIONS = {
    kind.__name__: kind
    for kind in (torch.nn.Tanh, torch.nn.ReLU, torch.nn.ELU, torch.nn.SiLU, torch.nn.LeakyReLU)
}
#: The options of `PlanesExtractor` and their defaults; the other extractors have none.
PLANES_OPTIONS = {"channels": 32, "layers": 2, "features_dim": 128}


class Unfit(ValueError):
    """What is wrong with a model's file, in words that follow its name."""


def name_in(what: str, value: Any, known: Mapping[str, Any]) -> str:
    """Return the name of a class that a file can name.

    Raises:
        ValueError: It is none of the known ones.
    """
    for name, kind in known.items():
        if kind is value:
            return name
    raise ValueError(
        f"the model's {what} is {value!r}: only {join_or(known)} can be named in a file"
    )


# ---------------------------------------------------------------- settings of a network


@dataclass(frozen=True)
class Network:
    """The settings of a network, checked: all that is needed to build it.

    Attributes:
        observation: ``planes``, ``flat`` or ``dict``.
        net_arch: widths of the layers after the features, of policy and value.
        activation: a name in `ACTIVATIONS`.
        extractor: a name in `EXTRACTORS`.
        extractor_options: its keyword arguments.
        share_features_extractor: whether policy and value share it.
    """

    observation: str
    net_arch: dict[str, list[int]]
    activation: str
    extractor: str
    extractor_options: dict[str, int]
    share_features_extractor: bool

    @classmethod
    def of(cls, about: Mapping[str, Any]) -> Network:
        """Return the settings that a side entry names.

        Raises:
            Unfit: A setting is missing, unknown or not allowed.
        """
        network = about.get("network")
        if not isinstance(network, dict):
            raise Unfit(f"describes no network: {reprlib.repr(network)}")
        form = _choice("observation", about.get("observation"), FORMS)
        extractor = _choice("extractor", network.get("extractor"), EXTRACTORS)
        usual = {"planes": "PlanesExtractor", "dict": "CombinedExtractor"}.get(form)
        if extractor not in (usual, "FlattenExtractor" if form != "dict" else usual):
            raise Unfit(f"has extractor {extractor}, which does not take {form} observations")
        return cls(
            form,
            _layers(network.get("net_arch")),
            _choice("activation", network.get("activation"), ACTIVATIONS),
            extractor,
            _extractor_options(extractor, network.get("extractor_options")),
            _choice("shared extractor", network.get("share_features_extractor"), (False, True)),
        )

    def shapes(self, game: Game) -> dict[str, tuple[int, ...]]:
        """Return the shape of each tensor of the network for a game, by SB3's names."""
        height, length, planes = game.observation_shape
        features = height * length * planes
        inside: dict[str, tuple[int, ...]] = {}

        def layer(owner: dict[str, tuple[int, ...]], name: str, *shape: int) -> int:
            owner[f"{name}.weight"], owner[f"{name}.bias"] = shape, shape[:1]
            return shape[0]

        if self.extractor == "PlanesExtractor":
            options = {**PLANES_OPTIONS, **self.extractor_options}
            channels, number = planes, options["layers"]
            for k in range(number):
                channels = layer(inside, f"network.{2 * k}", options["channels"], channels, 3, 3)
            flat = height * length * channels
            features = layer(inside, f"network.{2 * number + 1}", options["features_dim"], flat)
        elif self.extractor == "CombinedExtractor":
            features += game.num_distinct_actions
        shapes: dict[str, tuple[int, ...]] = {}
        for owner in ("features_extractor", "pi_features_extractor", "vf_features_extractor"):
            shapes.update({f"{owner}.{name}": shape for name, shape in inside.items()})
        ends = {}
        for head, name in (("pi", "policy_net"), ("vf", "value_net")):
            ends[head] = features
            for k, width in enumerate(self.net_arch[head]):
                ends[head] = layer(shapes, f"mlp_extractor.{name}.{2 * k}", width, ends[head])
        layer(shapes, "action_net", game.num_distinct_actions, ends["pi"])
        layer(shapes, "value_net", 1, ends["vf"])
        return shapes


def _choice(name: str, value: Any, known: Iterable[Any]) -> Any:
    if not isinstance(value, (str, bool)) or value not in known:
        raise Unfit(f"has {name} {reprlib.repr(value)}: allowed is {join_or(known)}")
    return value


def _layers(value: Any) -> dict[str, list[int]]:
    """Return the widths of layers of policy and value, from a list for both or a dict."""
    both = value if isinstance(value, dict) else {"pi": value, "vf": value}
    if not both.keys() <= {"pi", "vf"}:
        raise Unfit(f"has layers of {reprlib.repr(sorted(both))}: allowed are 'pi' and 'vf'")
    layers = {}
    for head in ("pi", "vf"):
        widths = both.get(head, [])
        if not isinstance(widths, list) or len(widths) > MOST_LAYERS:
            raise Unfit(f"has layers {reprlib.repr(widths)}: a list of up to {MOST_LAYERS} ints")
        layers[head] = [_size("a layer", width, 1) for width in widths]
    return layers


def _extractor_options(extractor: str, value: Any) -> dict[str, int]:
    known = PLANES_OPTIONS if extractor == "PlanesExtractor" else {}
    options = {} if value is None else value
    if not isinstance(options, dict) or not options.keys() <= known.keys():
        raise Unfit(f"has options {reprlib.repr(value)} of {extractor}: it has {join_or(known)}")
    sizes = {key: _size(key, number, 0) for key, number in options.items()}
    layers = sizes.get("layers", 2)
    if layers > MOST_LAYERS or (layers and sizes.get("channels") == 0):
        raise Unfit(f"has options {sizes} of {extractor}: up to {MOST_LAYERS} layers of channels")
    if sizes.get("features_dim") == 0:
        raise Unfit(f"has options {sizes} of {extractor}: features are needed")
    return sizes


def _size(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MOST_WIDTH:
        raise Unfit(f"has {name} {reprlib.repr(value)}: allowed is an int, {least} to {MOST_WIDTH}")
    return value
