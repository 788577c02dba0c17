"""Number fields in the text notation of games; counts and columns of text for people."""

from __future__ import annotations

import re

_NATURAL = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)


def natural(text: str, field: str) -> int:
    """Return the number of a field: digits without leading zeros, below 10**9.

    Raises:
        ValueError: The text is not such a number; the message names the field.
    """
    if not _NATURAL.fullmatch(text):
        raise ValueError(f"{field} {text!r}: a number without leading zeros, below 1000000000")
    return int(text)


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with a noun in the singular or the plural.

    Args:
        number: how many.
        noun: the noun in the singular.
        plural: its plural, if that is not the noun with an s.

    >>> counted(1, "game"), counted(2, "game"), counted(0, "loss", "losses")
    ('1 game', '2 games', '0 losses')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def in_columns(texts: list[str], width: int) -> str:
    """Return texts in as many columns as fit, row by row, without spaces at the ends of lines.

    Args:
        texts: one or more texts.
        width: width of the terminal, in characters.

    >>> print(in_columns(["a1-b2", "pass", "c3"], width=16))
    a1-b2  pass
    c3
    """
    column = max(map(len, texts)) + 2
    count = max(1, width // column)
    rows = [texts[start : start + count] for start in range(0, len(texts), count)]
    return "\n".join("".join(text.ljust(column) for text in row).rstrip() for row in rows)
