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


def install(extra: str) -> str:
    """Return the commands that install an extra of this package, from an index and from a clone.

    >>> install("human")
    "pip install 'ludarium[human]', or in a clone pip install '.[human]'"
    """
    return f"pip install 'ludarium[{extra}]', or in a clone pip install '.[{extra}]'"


def join_or(values: Iterable[Any]) -> str:
    """Return values for a message, or ``none`` when there are no values.

    >>> join_or(["a", "b", "c"])
    "'a', 'b' or 'c'"
    """
    words = [repr(value) for value in values]
    if len(words) < 2:
        return "".join(words) or "none"
    return f"{', '.join(words[:-1])} or {words[-1]}"


ALIKE = 0.6  # from 0 to 1: how alike a text and what is offered for it have to be


def did_you_mean(text: Any, known: Iterable[str]) -> str:
    """Return the question ``Did you mean ...?`` about what is most like a text, or "".

    >>> did_you_mean("glis", ["gliss", "gyges", "sphlag"])
    "Did you mean 'gliss'?"
    >>> did_you_mean("chess", ["gliss", "gyges", "sphlag"])
    ''
    """
    import difflib  # only where something was mistyped

    if not isinstance(text, str):
        return ""
    folded = {name.lower(): name for name in known}
    found = difflib.get_close_matches(text[:100].lower(), list(folded), 3, ALIKE)
    return f"Did you mean {join_or([folded[name] for name in found])}?" if found else ""


def with_question(message: str, text: Any, known: Iterable[str]) -> str:
    """Return a message, followed by `did_you_mean` if that has something to ask."""
    question = did_you_mean(text, known)
    return f"{message}. {question}" if question else message
