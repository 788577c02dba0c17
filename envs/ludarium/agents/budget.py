"""The argument of a search agent's spec: a count, or a time in milliseconds."""

from __future__ import annotations

from dataclasses import dataclass

MOST_MS = 3_600_000  # an hour


@dataclass(frozen=True)
class Budget:
    """How long a search agent may think about one decision.

    Exactly one of the two attributes is set.

    Attributes:
        count: number of simulations or turns; the same count and seed give the same answer.
        ms: time in milliseconds.
    """

    count: int | None = None
    ms: int | None = None


def parse_budget(name: str, argument: str | None, what: str, most: int) -> Budget:
    """Return the budget that an argument like ``200`` or ``250ms`` stands for.

    Args:
        name: name of the agent.
        argument: the text behind the colon.
        what: what is counted, such as ``simulations``.
        most: largest count that is allowed.

    Raises:
        ValueError: The argument is not allowed; the message names it and what is allowed.

    >>> parse_budget("mcts", "250ms", "simulations", 1000)
    Budget(count=None, ms=250)
    """
    text = argument or ""
    digits = text.removesuffix("ms")
    if digits.isascii() and digits.isdigit() and len(digits) < 12 and not digits.startswith("0"):
        value = int(digits)
        if digits != text and value <= MOST_MS:
            return Budget(ms=value)
        if digits == text and value <= most:
            return Budget(count=value)
    given = name if argument is None else f"{name}:{argument}"
    raise ValueError(
        f"agent {given!r} is not allowed: it is {name}:N, N {what}, 1 to {most}, "
        f"or {name}:Tms, T milliseconds, 1 to {MOST_MS}"
    )
