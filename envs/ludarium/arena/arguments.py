"""Checks of the arguments of games, matches and tournaments; each message names the value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ludarium.core.errors import show
from ludarium.core.game import Game, load_game
from ludarium.core.options import as_float, as_int

SEED_BITS = 128  # the entropy of NumPy's seeds
LONGEST_VALUE = 60  # characters of a value in a message


def brief(value: Any) -> str:
    """Return a value as Python writes it, on one line of limited length, for a message.

    Unlike ``repr`` it never raises, not even for an integer of many thousands of digits.

    >>> brief([1, 2]), brief("x" * 100) == repr("x" * 100)[:60] + "..."
    ('[1, 2]', True)
    """
    return " ".join(show(value, LONGEST_VALUE).split())


def check_game(game: Any) -> Game:
    """Return a game, which may be given by its name.

    Raises:
        ValueError: There is no such game.
        TypeError: The argument is neither a game nor a name.
    """
    return game if isinstance(game, Game) else load_game(game)


def check_int(name: str, value: Any, least: int, most: int) -> int:
    """Return an integer of any kind as int.

    Raises:
        ValueError: The value is not an integer from `least` to `most`.

    >>> check_int("games", 3.5, 1, 10)
    Traceback (most recent call last):
    ValueError: games=3.5 is not allowed: games is an int, 1 to 10
    """
    number = as_int(value)
    if number is None or not least <= number <= most:
        raise ValueError(
            f"{name}={brief(value)} is not allowed: {name} is an int, {least} to {most}"
        )
    return number


def check_seed(name: str, value: Any) -> int:
    """Return a seed as int.

    Raises:
        ValueError: The value is not an integer from 0 to 2**128 - 1.
    """
    number = as_int(value)
    if number is None or number < 0 or number >> SEED_BITS:
        raise ValueError(
            f"{name}={brief(value)} is not allowed: {name} is an int, 0 to 2**{SEED_BITS} - 1"
        )
    return number


def check_seconds(name: str, value: Any) -> float | None:
    """Return a time in seconds as float, or None for no limit.

    Raises:
        ValueError: The value is neither a finite number > 0 nor None.
    """
    if value is None:
        return None
    number = as_float(value)
    if not 0 < number < math.inf:
        raise ValueError(
            f"{name}={brief(value)} is not allowed: {name} is a number > 0 in seconds, or None"
        )
    return number


def check_flag(name: str, value: Any) -> bool:
    """Return a truth value as bool.

    Raises:
        ValueError: The value is neither True nor False.
    """
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name}={brief(value)} is not allowed: {name} is True or False")
    return bool(value)


def check_callback(name: str, value: Any) -> None:
    """Raise ValueError unless a value is callable or None."""
    if value is not None and not callable(value):
        raise ValueError(f"{name}={brief(value)} is not allowed: {name} is a function, or None")
