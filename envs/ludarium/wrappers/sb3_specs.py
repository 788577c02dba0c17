"""The arguments of the agents `sb3` and `alphazero`; checked also where torch is not installed."""

from __future__ import annotations

MOST_SIMULATIONS = 10_000


def check_file_argument(argument: str | None) -> str:
    """Return the argument of ``sb3:FILE`` or ``sb3:FILE:GAME``.

    Raises:
        ValueError: It is empty.
    """
    if not argument:
        raise ValueError("agent 'sb3' takes the file of a model: sb3:FILE or sb3:FILE:GAME")
    return argument


def split_search_argument(argument: str | None) -> tuple[int, str]:
    """Return the number of simulations and the rest of ``alphazero:N:FILE``.

    Raises:
        ValueError: The argument is not of this form.
    """
    number, colon, path = (argument or "").partition(":")
    digits = number.isascii() and number.isdigit() and len(number) < 9
    if not colon or not path or not digits or not 1 <= int(number) <= MOST_SIMULATIONS:
        raise ValueError(
            f"agent 'alphazero:{argument or ''}' is not of the form alphazero:N:FILE, N an "
            f"int, 1 to {MOST_SIMULATIONS}, FILE a model's"
        )
    return int(number), path
