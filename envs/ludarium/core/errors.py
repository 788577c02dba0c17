"""The errors that callers can catch, and how their messages list what is allowed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class IllegalActionError(ValueError, AssertionError):
    """An action that is not legal, or no action at all; whatever was asked is as before.

    Both a `ValueError` and an `AssertionError`, which PettingZoo's wrappers raise.
    """


def join_or(values: Iterable[Any]) -> str:
    """Return ``'a', 'b' or 'c'`` for a message, ``none`` when there are no values."""
    words = [repr(value) for value in values]
    if len(words) < 2:
        return "".join(words) or "none"
    return f"{', '.join(words[:-1])} or {words[-1]}"
