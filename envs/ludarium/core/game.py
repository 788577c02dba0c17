"""GameType and Game: a game without and with its options, thin Python over its kernels.

Names and meanings follow OpenSpiel. A `GameType` says what a game's folder offers; a `Game` is a
type with its options, immutable; a `State` (state.py) is one position of one game.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType, ModuleType
from typing import Any

import numpy.typing as npt

from ludarium.core.errors import show
from ludarium.core.jit import import_jitted, instantiate, used_by
from ludarium.core.limits import check_modules, check_sizes
from ludarium.core.options import MAX_TURNS_LIMIT, Option, split_options
from ludarium.core.registry import find_game
from ludarium.core.state import IndexArray, State
from ludarium.core.status import NUM_PLAYERS

# ---------------------------------------------------------------- what a game's folder offers


@dataclass(frozen=True, eq=False)
class GameType:
    """A game before its options are chosen: facts, and the modules of its folder.

    Attributes:
        name: short name, as in `load_game`.
        version: the N of its ids; raised when rules, action numbers or observations change.
        package: full name of the folder's package.
        title: the name as people write it.
        designer: who invented it.
        year: when.
        max_turns: default limit of whole turns, or a function of the other options.
        options: the game's own options by name.
        max_game_length: most actions of a game, from its resolved options.
    """

    name: str
    version: int
    package: str
    title: str
    designer: str
    year: int
    max_turns: int | Callable[[Mapping[str, Any]], int]
    max_game_length: Callable[[Mapping[str, Any]], int]
    options: Mapping[str, Option] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Import the jitted modules first, so that they use the cache; check what they declare.

        Raises:
            ValueError: A module lacks a name, or exceeds a limit of the kernels.
        """
        rules, observation = import_jitted(self.package, "rules", "observation")
        check_modules(self.name, rules, observation)

    @functools.cached_property
    def rules(self) -> ModuleType:
        """The game's rules.py."""
        return import_jitted(self.package, "rules")[0]

    @functools.cached_property
    def observation(self) -> ModuleType:
        """The game's observation.py."""
        return import_jitted(self.package, "observation")[0]

    @functools.cached_property
    def kernels(self) -> ModuleType:
        """The kernels of core/kernels.py, compiled for this game."""
        return kernels_for(self, "ludarium.core.kernels")

    def submodule(self, name: str) -> ModuleType:
        """Import a module of the game's folder: actions, notation, symmetry or render."""
        return importlib.import_module(f"{self.package}.{name}")

    def all_options(self) -> dict[str, Option]:
        """Return the game's own options and `max_turns`."""
        limit = range(1, MAX_TURNS_LIMIT + 1)
        help_ = "whole turns after which a game without a winner is truncated"
        return {**self.options, "max_turns": Option(self.max_turns, limit, help_)}

    def load(self, **options: Any) -> Game:
        """Return the game with these options.

        Raises:
            ValueError: An option is unknown or its value is not allowed.
        """
        known = self.all_options()
        split_options(self.name, options, known, ())
        resolved: dict[str, Any] = {}
        for name, option in known.items():
            value = options.get(name)
            if name not in options or (value is None and name == "max_turns"):
                value = option.default(resolved) if callable(option.default) else option.default
            resolved[name] = option.check(name, value)
        return Game(self, resolved)


_CONTRACT = "ludarium.core.contract."


@functools.cache
def kernels_for(game_type: GameType, template: str) -> ModuleType:
    """Return the kernels of a template, compiled for a game when they are first called.

    What the template uses is found and compiled with it: modules of the game, None for an
    ``evaluation.py`` that the game does not have, and other templates.

    Args:
        game_type: the game.
        template: full name of a module of kernels, for example ``ludarium.agents.turn_kernels``.

    Raises:
        ValueError: There is no such template.
    """
    modules: dict[str, ModuleType | None] = {}
    for name, used in used_by(template).items():
        if not used.startswith(_CONTRACT):
            modules[name] = kernels_for(game_type, used)
            continue
        part = used.removeprefix(_CONTRACT)
        known = importlib.util.find_spec(f"{game_type.package}.{part}") is not None
        modules[name] = import_jitted(game_type.package, part)[0] if known else None
    return instantiate(template, game_type.package, **modules)


# ---------------------------------------------------------------- games by name


def game_type(name: str) -> GameType:
    """Return a game before its options are chosen.

    Raises:
        ValueError: The game is unknown.
        TypeError: The name is not a str.
    """
    found: GameType = find_game(name)
    return found


def load_game(name: str, **options: Any) -> Game:
    """Return a game with its options.

        >>> import ludarium
        >>> game = ludarium.load_game("sphlag", max_turns=100)
        >>> game.num_distinct_actions, game.observation_shape
        (268, (7, 7, 25))

    Args:
        name: name of the game, one of `list_games`.
        **options: the game's options; `max_turns` is one of every game.

    Raises:
        ValueError: The game or an option is unknown, or a value is not allowed.
        TypeError: The name is not a str.
    """
    return game_type(name).load(**options)


# ---------------------------------------------------------------- games


class Game:
    """A game with its options; immutable, hashable, and pickled by name and options.

    Made by `ludarium.load_game`. Two games are equal when name, version and options are.

    Attributes:
        name: short name.
        version: the N of its ids.
        options: the resolved options, `max_turns` included (read only).
        num_players: 2.
        num_distinct_actions: number of action ids, A.
        observation_shape: (H, W, C) of the observation tensors.
        observation_planes: what each channel shows, C names.
        stages: words for the decisions of a turn, as in `State.stage`.
        max_turns: whole turns after which a game without a winner is truncated.
        max_game_length: most actions that a game can have.
    """

    num_players = NUM_PLAYERS

    def __init__(self, game_type: GameType, options: Mapping[str, Any]) -> None:
        """Use `ludarium.load_game`, which checks the options.

        Args:
            game_type: the game before its options are chosen.
            options: the options, all of them and checked.
        """
        actions, observation = game_type.submodule("actions"), game_type.observation
        blank, num_actions = game_type.rules.blank_state(options), actions.num_actions(options)
        shape, planes = observation.shape(options), observation.PLANES
        check_sizes(game_type.name, game_type.rules, blank, num_actions, shape, planes, options)
        facts = {
            "type": game_type,
            "name": game_type.name,
            "version": game_type.version,
            "options": MappingProxyType(dict(options)),
            "num_distinct_actions": int(num_actions),
            "observation_shape": tuple(int(n) for n in shape),
            "observation_planes": tuple(planes),
            "stages": tuple(game_type.rules.PHASES),
            "max_turns": int(options["max_turns"]),
            "max_game_length": int(game_type.max_game_length(options)),
            "_blank": blank,
            "_key": (game_type.name, game_type.version, tuple(sorted(options.items()))),
        }
        for name, value in facts.items():
            object.__setattr__(self, name, value)

    type: GameType
    name: str
    version: int
    options: Mapping[str, Any]
    num_distinct_actions: int
    observation_shape: tuple[int, int, int]
    observation_planes: tuple[str, ...]
    stages: tuple[str, ...]
    max_turns: int
    max_game_length: int
    _blank: npt.NDArray[Any]
    _key: tuple[Any, ...]

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a game is immutable: load another one to change {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a game is immutable: {name!r} stays")

    def new_initial_state(self, seed: int | None = None) -> State:
        """Return the first position.

        Args:
            seed: decides the set-up where the options leave it to chance; None takes a fresh one.
                Without chance it is ignored.

        Raises:
            ValueError: The seed is not an int >= 0.
        """
        state = State._empty(self)
        state._restart(seed)
        return state

    def state_from_string(self, text: str) -> State:
        """Return the position that a line of text describes.

        The checks are local: the form of each field, counts, shapes, support, stage. Whether the
        position can be reached is not checked. Text at or beyond `max_turns` is truncated unless
        won.

        Raises:
            ValueError: The text is not a position of this game; the message names the field.
            TypeError: The text is not a str.
        """
        if not isinstance(text, str):
            raise TypeError(f"a position is a str, not {type(text).__name__}: {show(text)}")
        state = State._empty(self)
        state._array[:] = self.type.submodule("notation").from_text(text, self._blank)
        state._begin()
        return state

    def symmetries(self) -> list[tuple[IndexArray, IndexArray]]:
        """Return the board symmetries that keep the rules, identity first.

        Each is a pair of gathers ``(i, j)``: ``observation.flat[i]`` (reshaped) is the observation
        of the turned or mirrored position and ``mask[j]`` its mask, or any other array over
        actions.
        """
        return [(i.copy(), j.copy()) for i, j in _symmetries(self)]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __reduce__(self) -> tuple[Any, ...]:
        return _reload, (self.name, self.version, dict(self.options))

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"load_game({self.name!r}{options})"


def check_is_game(game: Any) -> None:
    """Raise TypeError unless `game` is a `Game`."""
    if not isinstance(game, Game):
        raise TypeError(
            f"a Game is needed, such as load_game(name) returns, not {type(game).__name__}: "
            f"{show(game)}"
        )


@functools.lru_cache(maxsize=32)
def _symmetries(game: Game) -> list[tuple[IndexArray, IndexArray]]:
    found: list[tuple[IndexArray, IndexArray]] = game.type.submodule("symmetry").symmetries(
        game.options
    )
    return found


def _reload(name: str, version: int, options: dict[str, Any]) -> Game:
    """Unpickle a game."""
    game = load_game(name, **options)
    if game.version != version:
        raise ValueError(f"saved with version {version} of {name}; this is version {game.version}")
    return game
