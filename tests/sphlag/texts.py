"""What the tests of every game need to know of a Sphlag text, by reading alone."""

from __future__ import annotations

COLOURS = str.maketrans("WB", "BW")


def mirror(text: str) -> str:
    """The position in which the other player faces the same: the half-turn of S6."""
    levels, side, passes, before, turns = text.split(" ")
    levels, before = ("/".join(level[::-1] for level in b.split("/")) for b in (levels, before))
    return " ".join((levels, side, passes, before, turns)).translate(COLOURS)
