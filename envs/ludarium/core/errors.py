"""The errors that callers can catch, and how their messages list what is allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


class IllegalActionError(ValueError, AssertionError):
    """An action that is not legal, or a value that is not an action; nothing has changed.

    It is a `ValueError` and also an `AssertionError`, which PettingZoo's wrappers raise.
    """


class MissingExtraError(ImportError):
    """An agent's library is not installed.

    Attributes:
        check: function that raises ValueError if the argument of a spec is malformed; it needs no
            library, so a wrong spec is named before the library is.
    """

    def __init__(self, message: str, check: Callable[[str | None], object]) -> None:
        super().__init__(message)
        self.check = check


def show(value: Any, most: int = 200) -> str:
    """Return the repr of a value for a message, cut after `most` characters.

    >>> show("x")
    "'x'"

    Python refuses to write out an int of more than 4300 digits; such a one is described:

    >>> show(1 << 99_999)
    'an int of 100000 bits'
    """
    try:
        text = repr(value)
    except Exception:  # of any kind, as the value may be anything
        if isinstance(value, int):
            return f"an int of {value.bit_length()} bits"
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= most else f"{text[:most]}..."


def join_or(values: Iterable[Any]) -> str:
    """Return values for a message, or ``none`` when there are no values.

    >>> join_or(["a", "b", "c"])
    "'a', 'b' or 'c'"
    """
    words = [repr(value) for value in values]
    if len(words) < 2:
        return "".join(words) or "none"
    return f"{', '.join(words[:-1])} or {words[-1]}"
