"""Game and State: the one contract of every game, thin Python over its kernels.

Names and meanings follow OpenSpiel. A `GameType` says what a game's folder offers; a `Game` is a
type with its options settled, immutable; a `State` is one position of one game.
"""

from __future__ import annotations

import functools
import importlib
import operator
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType, ModuleType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ludarium.core.errors import IllegalActionError, one_of
from ludarium.core.jit import import_jitted, instantiate

Int8Array: TypeAlias = npt.NDArray[np.int8]
IndexArray: TypeAlias = npt.NDArray[np.int64]

# As in core.kernels, which is executed once for each game and imported by nobody.
RUNNING, WON_0, WON_1, DRAWN, TRUNCATED = 0, 1, 2, 3, 4
ILLEGAL = -1

_RETURNS = {WON_0: (1.0, -1.0), WON_1: (-1.0, 1.0)}
_MAX_TURNS_LIMIT = 10**9  # fits every game's state

# ---------------------------------------------------------------- options


@dataclass(frozen=True)
class Option:
    """One option of a game: its default and what it may be.

    Attributes:
        default: value when the user says nothing, or a function of the options before it.
        allowed: what it may be: a range of integers, or a tuple of values.
        help: one line for people.
    """

    default: Any
    allowed: range | tuple[Any, ...]
    help: str

    def check(self, name: str, value: Any) -> Any:
        """Return the value in its plain form.

        Raises:
            ValueError: It is not allowed; the message names the option, the value and the choice.
        """
        if isinstance(self.allowed, range):
            number = _as_int(value)
            if number is not None and number in self.allowed:
                return number
        else:
            for allowed in self.allowed:
                if type(allowed) is type(value) and allowed == value:
                    return allowed
        raise ValueError(f"{name}={value!r} is not allowed: {name} is {self.choice}")

    @property
    def choice(self) -> str:
        """What it may be, in words."""
        if not isinstance(self.allowed, range):
            return one_of(self.allowed)
        low, high = self.allowed[0], self.allowed[-1]
        return f"an int >= {low}" if high >= _MAX_TURNS_LIMIT else f"an int, {low} to {high}"


def _as_int(value: Any) -> int | None:
    """Return an integer of any kind as int; None for everything else, bool included."""
    if isinstance(value, (bool, np.bool_)):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


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
        """Import what is jitted now, so that however it is imported later it has its cache."""
        import_jitted(self.package, "rules", "observation")

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
        """The drivers of core.kernels, compiled for this game."""
        return instantiate(
            "ludarium.core.kernels",
            self.package,
            rules=self.rules,
            observation=self.observation,
        )

    def part(self, name: str) -> ModuleType:
        """Import another module of the folder: actions, notation, symmetry or render."""
        return importlib.import_module(f"{self.package}.{name}")

    def all_options(self) -> dict[str, Option]:
        """Return the game's own options and `max_turns`."""
        limit = range(1, _MAX_TURNS_LIMIT + 1)
        help_ = "whole turns after which a game without a winner is truncated"
        return {**self.options, "max_turns": Option(self.max_turns, limit, help_)}

    def load(self, **options: Any) -> Game:
        """Return the game with these options.

        Raises:
            ValueError: An option is unknown or its value is not allowed.
        """
        known = self.all_options()
        for name in options:
            if name not in known:
                raise ValueError(f"{self.name} has no option {name!r}: it has {one_of(known)}")
        resolved: dict[str, Any] = {}
        for name, option in known.items():
            value = options.get(name)
            if name not in options or (value is None and name == "max_turns"):
                value = option.default(resolved) if callable(option.default) else option.default
            resolved[name] = option.check(name, value)
        return Game(self, resolved)


# ---------------------------------------------------------------- games


class Game:
    """A game with its options settled; immutable, hashable, and pickled by name and options.

    Made by `ludarium.load_game`. Two games are equal when name, version and options are.

    Attributes:
        name: short name.
        version: the N of its ids.
        options: the resolved options, `max_turns` included (read only).
        num_players: 2.
        num_distinct_actions: number of action ids, A.
        observation_shape: (H, W, C) of the observation tensors.
        observation_planes: what each channel shows, C names.
        max_turns: whole turns after which a game without a winner is truncated.
        max_game_length: most actions that a game can have.
    """

    num_players = 2

    def __init__(self, game_type: GameType, options: Mapping[str, Any]) -> None:
        """Use `ludarium.load_game`, which checks the options."""
        actions, observation = game_type.part("actions"), game_type.observation
        facts = {
            "type": game_type,
            "name": game_type.name,
            "version": game_type.version,
            "options": MappingProxyType(dict(options)),
            "num_distinct_actions": int(actions.num_actions(options)),
            "observation_shape": tuple(int(n) for n in observation.shape(options)),
            "observation_planes": tuple(observation.PLANES),
            "max_turns": int(options["max_turns"]),
            "max_game_length": int(game_type.max_game_length(options)),
            "_blank": game_type.rules.blank_state(options),
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
            seed: where the options leave the set-up to chance, decides it; without one the draw is
                fresh. Elsewhere it is ignored.

        Raises:
            ValueError: The seed is not an int >= 0.
        """
        state = State._empty(self)
        state._restart(seed)
        return state

    def state_from_string(self, text: str) -> State:
        """Return the position that a line of text describes.

        The checks are local: the form of each field, counts, shapes, support, stage. Whether a
        position can be reached is not asked. Text at or beyond `max_turns` is truncated unless won.

        Raises:
            ValueError: The text is not a position of this game; the message names the field.
            TypeError: The text is no string.
        """
        if not isinstance(text, str):
            raise TypeError(f"a position is a str, not {type(text).__name__}: {text!r}")
        state = State._empty(self)
        state._array[:] = self.type.part("notation").from_text(text, self._blank)
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


@functools.lru_cache(maxsize=32)
def _symmetries(game: Game) -> list[tuple[IndexArray, IndexArray]]:
    found: list[tuple[IndexArray, IndexArray]] = game.type.part("symmetry").symmetries(game.options)
    return found


def _reload(name: str, version: int, options: dict[str, Any]) -> Game:
    """Unpickle a game."""
    from ludarium.core.registry import load_game

    game = load_game(name, **options)
    if game.version != version:
        raise ValueError(f"saved with version {version} of {name}; this is version {game.version}")
    return game


def seed_stream(seed: int | None, index: int = 0) -> npt.NDArray[np.uint64]:
    """Return the start of random stream `index` of a seed, uint64[1], as the kernels want it.

    The streams are those of SplitMix64 (Steele, Lea, Flood 2014), one step of it for each index,
    and never 0, where a xorshift generator would stay. Without a seed the stream is fresh.

    Raises:
        ValueError: The seed is not an int >= 0.
    """
    if seed is None:
        return np.array([secrets.randbits(64) | 1], np.uint64)
    number = _as_int(seed)
    if number is None or number < 0:
        raise ValueError(f"seed={seed!r} is not allowed: a seed is an int >= 0, or None")
    folded = 0
    while number:  # any size: 64 bits at a time
        folded = _mix((folded ^ number) & _WORD)
        number >>= 64
    return np.array([_mix((folded + index * _GOLDEN) & _WORD) or 1], np.uint64)


_WORD, _GOLDEN = 2**64 - 1, 0x9E3779B97F4A7C15


def _mix(x: int) -> int:
    """Return the next output of SplitMix64 from the counter x."""
    x = (x + _GOLDEN) & _WORD
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _WORD
    return x ^ (x >> 31)


# ---------------------------------------------------------------- states


class State:
    """One position of one game, with the actions that led to it.

    Made by `Game.new_initial_state` and `Game.state_from_string`. States are equal when game,
    options and `to_string()` are equal. The hash follows and so changes with the state: put clones
    into sets and dicts.
    """

    __slots__ = ("__weakref__", "_array", "_game", "_history", "_mask", "_packed", "_start")

    _game: Game
    _array: npt.NDArray[Any]  # what the kernels know, [W]
    _start: npt.NDArray[Any]  # the same where the history begins; never written to
    _history: list[int]
    _mask: Int8Array  # of the legal actions, always up to date, [A]
    _packed: int  # status, player, stage, turn number: core.kernels.pack

    def __init__(self) -> None:
        """Use `Game.new_initial_state` or `Game.state_from_string`.

        Raises:
            TypeError: Always.
        """
        raise TypeError("states come from game.new_initial_state() or game.state_from_string(text)")

    @classmethod
    def _empty(cls, game: Game) -> State:
        state = object.__new__(cls)
        state._game = game
        state._array = game._blank.copy()
        state._mask = np.zeros(game.num_distinct_actions, np.int8)
        return state

    def _restart(self, seed: int | None) -> None:
        """Set up a new game in place."""
        stream = seed_stream(seed)
        self._packed = self._game.type.kernels.start(self._array, stream, self._mask)
        self._start = self._array.copy()
        self._history = []

    def _begin(self) -> None:
        """Settle an array that was just filled from outside; the history begins here."""
        self._packed = self._game.type.kernels.load(self._array, self._mask)
        self._start = self._array.copy()
        self._history = []

    # ---- what it is

    @property
    def game(self) -> Game:
        """The game, with its options."""
        return self._game

    def current_player(self) -> int:
        """Return the player to move, 0 or 1, or -1 when the game is over."""
        return -1 if self._packed & 7 else self._packed >> 3 & 1

    def is_terminal(self) -> bool:
        """Say whether the game is over, by the rules or by `max_turns`."""
        return self._packed & 7 != RUNNING

    def is_truncated(self) -> bool:
        """Say whether the game was ended by `max_turns` only."""
        return self._packed & 7 == TRUNCATED

    def returns(self) -> list[float]:
        """Return the final scores of both players: +1 and -1, or zeros unless somebody has won."""
        return list(_RETURNS.get(self._packed & 7, (0.0, 0.0)))

    def turn_number(self) -> int:
        """Return how many whole turns are completed."""
        return self._packed >> 8

    def stage(self) -> str:
        """Return which decision is to be made: `turn`, or a name of the game's own."""
        stages: tuple[str, ...] = self._game.type.rules.STAGES
        return stages[self._packed >> 4 & 15]

    def history(self) -> list[int]:
        """Return the actions since the start, or since the text that the state came from."""
        return self._history.copy()

    # ---- what can be done

    def legal_actions(self) -> list[int]:
        """Return the legal actions in ascending order; none when the game is over."""
        found: list[int] = np.flatnonzero(self._mask).tolist()
        return found

    def legal_actions_mask(self) -> Int8Array:
        """Return a new array int8 [A] with 1 for each legal action."""
        return self._mask.copy()

    def apply_action(self, action: int) -> None:
        """Play an action, in place.

        Raises:
            IllegalActionError: It is not legal here; the state is as before.
        """
        number = self._legal(action)
        self._packed = self._game.type.kernels.step(self._array, number, self._mask)
        self._history.append(number)

    def child(self, action: int) -> State:
        """Return the state after an action; this one stays as it is.

        Raises:
            IllegalActionError: The action is not legal here.
        """
        self._legal(action)
        state = self.clone()
        state.apply_action(action)
        return state

    def _legal(self, action: Any) -> int:
        """Return a legal action as int, or raise."""
        number = _as_int(action)
        if number is not None and 0 <= number < len(self._mask) and self._mask[number]:
            return number
        raise self._illegal(action)

    def _illegal(self, action: Any) -> IllegalActionError:
        """Say what is wrong with an action."""
        number, last = _as_int(action), len(self._mask) - 1
        if number is None:
            return IllegalActionError(f"action {action!r} is not an int, 0 to {last}")
        if not 0 <= number <= last:
            return IllegalActionError(f"action {number} is out of range: actions are 0 to {last}")
        if self.is_terminal():
            return IllegalActionError(f"action {number} is illegal: the game is over")
        legal = [f"{a} ({self.action_to_string(a)})" for a in self.legal_actions()[:9]]
        more = " ..." if self._mask.sum() > len(legal) else ""
        return IllegalActionError(
            f"action {number} is illegal in {self.to_string()!r}; legal: {', '.join(legal)}{more}"
        )

    # ---- tensors

    def observation_tensor(self, player: int | None = None) -> Int8Array:
        """Return the observation of a player as a new array int8 [H, W, C] of zeros and ones.

        Args:
            player: 0 or 1, to move or not; None means the player to move, 0 after the end.

        Raises:
            ValueError: There is no such player.
        """
        if player is None:
            number: int | None = max(self.current_player(), 0)
        else:
            number = _as_int(player)
        if number not in (0, 1):
            raise ValueError(f"player={player!r} is not allowed: player is 0, 1 or None")
        planes = np.empty(self._game.observation_shape, np.int8)
        self._game.type.kernels.observe(self._array, number, planes)
        return planes

    # ---- text

    def action_to_string(self, action: int) -> str:
        """Return the text of a legal action.

        Raises:
            IllegalActionError: The action is not legal here.
        """
        number = self._legal(action)
        text: str = self._game.type.part("actions").action_to_string(self._array, number)
        return text

    def string_to_action(self, text: str) -> int:
        """Return the legal action with this text.

        Raises:
            IllegalActionError: No legal action has this text.
            TypeError: The text is no string.
        """
        if not isinstance(text, str):
            raise TypeError(f"the text of an action is a str, not {type(text).__name__}: {text!r}")
        to_string = self._game.type.part("actions").action_to_string
        names = {to_string(self._array, action): action for action in self.legal_actions()}
        if text in names:
            return names[text]
        if self.is_terminal():
            raise IllegalActionError(f"{text!r} is illegal: the game is over")
        some = ", ".join(list(names)[:9]) + (" ..." if len(names) > 9 else "")
        raise IllegalActionError(f"{text!r} is illegal in {self.to_string()!r}; legal: {some}")

    def to_string(self) -> str:
        """Return the position in one line, the same for both players."""
        text: str = self._game.type.part("notation").to_text(self._array)
        return text

    def __str__(self) -> str:
        diagram: str = self._game.type.part("notation").diagram(self)
        return diagram

    def __repr__(self) -> str:
        return f"<{self._game.name} {self.to_string()!r}>"

    # ---- pictures

    def render(
        self,
        mode: str = "rgb_array",
        size: int = 512,
        theme: str = "light",
        overlay: Any = None,
    ) -> npt.NDArray[np.uint8] | str:
        """Return a picture of the position.

        Args:
            mode: ``"rgb_array"``, a new array uint8 [height, width, 3]; ``"svg"``, the text of an
                SVG file; ``"ansi"``, a diagram.
            size: the longer side in pixels, 128 to 2048.
            theme: ``"light"`` or ``"dark"``.
            overlay: ``"legal"``, weights of actions, or an agent; see `ludarium.core.overlays`.

        Raises:
            ValueError: One of them is not allowed.
        """
        from ludarium.core.pictures import render

        return render(self, mode, size, theme, overlay)

    def _repr_png_(self) -> bytes:
        """Return the picture that a notebook shows."""
        from ludarium.core.pictures import draw, png

        return png(draw(self, 400))

    # ---- turns

    def last_turn(self) -> tuple[State, list[int]] | None:
        """Return the state before the last whole turn and that turn's actions.

        None when no whole turn was played since the history began. Costs a replay of the history.
        """
        state = self._at_start()
        before, actions, found = state.clone(), [], None
        turn = state.turn_number()
        for action in self._history:
            state.apply_action(action)
            actions.append(action)
            if state.turn_number() != turn or state.is_terminal():
                turn = state.turn_number()
                found = (before, actions)
                before, actions = state.clone(), []
        return found

    def _at_start(self) -> State:
        """Return the state where the history begins."""
        state = State._empty(self._game)
        state._array[:] = self._start
        state._begin()
        return state

    # ---- copies and comparison

    def clone(self) -> State:
        """Return an independent copy, history included."""
        state = object.__new__(State)
        state._game = self._game
        state._array = self._array.copy()
        state._start = self._start
        state._history = self._history.copy()
        state._mask = self._mask.copy()
        state._packed = self._packed
        return state

    def __copy__(self) -> State:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> State:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._game, self._array, self._start, self._history)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self._game == other._game and self.to_string() == other.to_string()

    def __hash__(self) -> int:
        return hash((self._game, self.to_string()))


def _restore(
    game: Game, array: npt.NDArray[Any], start: npt.NDArray[Any], history: list[int]
) -> State:
    """Unpickle a state."""
    state = State._empty(game)
    state._array[:] = array
    state._begin()
    state._start = start
    state._history = list(history)
    return state


# ---------------------------------------------------------------- counting and listing turns


_DEEPEST = 1000  # of perft: far beyond what can be counted


def _check_state(state: Any) -> None:
    if not isinstance(state, State):
        raise TypeError(f"a State is needed, not {type(state).__name__}: {state!r}")


def perft(state: State, depth: int) -> int:
    """Count the sequences of `depth` whole turns from a state.

    A game that ends early adds nothing to deeper counts. A half-made turn counts as one.

    Raises:
        ValueError: The depth is not an int, 0 to 1000.
        TypeError: There is no `State`.
    """
    _check_state(state)
    number = _as_int(depth)
    if number is None or not 0 <= number <= _DEEPEST:
        raise ValueError(f"depth={depth!r} is not allowed: depth is an int, 0 to {_DEEPEST}")
    return int(state._game.type.kernels.perft(state._array, number))


def turns(state: State) -> Iterator[tuple[str, State]]:
    """Yield each distinct turn from a state: its text and the state after it.

    A whole turn's text is the texts of its actions joined; from a half-made turn the rest of it.

    Raises:
        TypeError: There is no `State`.
    """
    _check_state(state)
    number = state.turn_number()
    for action in state.legal_actions():
        text, after = state.action_to_string(action), state.child(action)
        if after.turn_number() == number and not after.is_terminal():
            for rest, end in turns(after):
                yield text + rest, end
        else:
            yield text, after
