"""Options of games, and the checks of options that environments and pictures share."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ludarium.core.errors import join_or, show, with_question

MAX_TURNS_LIMIT = 10**9 - 1  # fits into the state of every game, and into its text
LEAST_SIZE, MOST_SIZE = 128, 2048  # longer side of a picture, in pixels


@dataclass(frozen=True)
class Option:
    """One option of a game: its default and the values that are allowed.

    Attributes:
        default: value if the user gives none, or a function of the options before this one.
        allowed: allowed values: a range of integers, or a tuple of values.
        help: description in one line.
    """

    default: Any
    allowed: range | tuple[Any, ...]
    help: str

    def check(self, name: str, value: Any) -> Any:
        """Return an allowed value as one of Python's own types.

        Raises:
            ValueError: The value is not allowed; the message names the option, the value and what
                is allowed.
        """
        if isinstance(self.allowed, range):
            number = as_int(value)
            if number is not None and number in self.allowed:
                return number
        else:
            for allowed in self.allowed:
                if type(allowed) is type(value) and allowed == value:
                    return allowed
        raise ValueError(f"{name}={show(value)} is not allowed: {name} is {self.choice}")

    @property
    def choice(self) -> str:
        """The allowed values, in words."""
        if not isinstance(self.allowed, range):
            return join_or(self.allowed)
        return f"an int, {self.allowed[0]} to {self.allowed[-1]}"


#: The orientations of the board in pictures: whose side is at the bottom.
ORIENTATIONS = (0, 1, "mover")


def as_int(value: Any) -> int | None:
    """Return an integer of any type as int; None for everything else, bool included."""
    if isinstance(value, (bool, np.bool_)):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def as_float(value: Any) -> float:
    """Return a real number of any type as float; nan for everything else, bool and text included.

    >>> as_float(2), as_float("2")
    (2.0, nan)
    """
    if isinstance(value, (bool, np.bool_, str, bytes)):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan
    except OverflowError:
        return math.inf


def check_choice(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    """Raise ValueError unless `value` is one of `allowed`; the message names all three."""
    if not any(isinstance(value, type(choice)) and value == choice for choice in allowed):
        raise ValueError(f"{name}={show(value)} is not allowed: {name} is {join_or(allowed)}")


def at_least_one(name: str, value: Any, most: int | None = None) -> int:
    """Return an int from 1 to `most`, or raise ValueError naming the option."""
    number = as_int(value)
    if number is None or number < 1 or (most is not None and number > most):
        allowed = "an int >= 1" if most is None else f"an int, 1 to {most}"
        raise ValueError(f"{name}={show(value)} is not allowed: {name} is {allowed}")
    return number


def check_orientation(orientation: Any) -> int | str:
    """Return an orientation: 0, 1 or ``"mover"``.

    Raises:
        ValueError: It is none of them.
    """
    value: int | str | None = orientation if isinstance(orientation, str) else as_int(orientation)
    if value is None or isinstance(orientation, bool) or value not in ORIENTATIONS:
        raise ValueError(
            f"orientation={show(orientation)} is not allowed: "
            f"orientation is {join_or(ORIENTATIONS)}"
        )
    return value


def check_reset_options(options: Any) -> None:
    """Raise ValueError unless the `options` of a reset are a dict or None."""
    if options is not None and not isinstance(options, dict):
        raise ValueError(f"options={show(options)} is not allowed: options is a dict, or None")


def check_size(size: Any, name: str = "size") -> int:
    """Return the longer side of a picture in pixels.

    Raises:
        ValueError: The size is not an int, 128 to 2048; the message calls it `name`.
    """
    pixels = as_int(size)
    if pixels is None or not LEAST_SIZE <= pixels <= MOST_SIZE:
        raise ValueError(
            f"{name}={show(size)} is not allowed: "
            f"{name} is an int, {LEAST_SIZE} to {MOST_SIZE} pixels"
        )
    return pixels


def split_options(
    what: str, options: Mapping[str, Any], game_options: Iterable[str], own: Iterable[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Separate the options of a game from those of the environment around it.

    Args:
        what: name of what takes the options, for the message.
        options: all options that were given.
        game_options: names of the game's options.
        own: names of the environment's own options.

    Returns:
        The options of the game, and those of the environment.

    Raises:
        ValueError: An option is unknown; the message names it and all options that exist.
    """
    allowed = (*game_options, *own)
    for name in options:
        if name not in allowed:
            message = f"{what} has no option {show(name)}: it has {join_or(allowed)}"
            raise ValueError(with_question(message, name, allowed))
    ours = {name: value for name, value in options.items() if name in own}
    return {name: value for name, value in options.items() if name not in ours}, ours
