"""Number fields in the text notation of games, and columns of text for the terminal."""

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
