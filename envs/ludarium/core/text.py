"""Reading fields that the texts of several games share."""

from __future__ import annotations

import re

_NATURAL = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)


def natural(text: str, field: str) -> int:
    """Return the number of a field: digits without leading zeros, below 10**9.

    Raises:
        ValueError: It is not such a number; the message names the field.
    """
    if not _NATURAL.fullmatch(text):
        raise ValueError(f"{field} {text!r}: a number without leading zeros, below 1000000000")
    return int(text)
