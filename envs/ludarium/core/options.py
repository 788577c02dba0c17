"""Options of games: defaults, what they may be, and whole numbers of any kind."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ludarium.core.errors import one_of

MAX_TURNS_LIMIT = 10**9  # fits every game's state


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
            number = as_int(value)
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
        return f"an int >= {low}" if high >= MAX_TURNS_LIMIT else f"an int, {low} to {high}"


def as_int(value: Any) -> int | None:
    """Return an integer of any kind as int; None for everything else, bool included."""
    if isinstance(value, (bool, np.bool_)):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None
