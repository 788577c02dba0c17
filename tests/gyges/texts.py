"""What the tests of every game need to know of a Gygès text, by reading alone."""

from __future__ import annotations


def mirror(text: str) -> str | None:
    """The position in which the other player faces the same: the half-turn of the board.

    None during the set-up, which South begins.
    """
    rows, side, stage, turns = text.split(" ")
    if stage == "setup":
        return None
    if stage.startswith("drop"):
        column, row = stage[5:7]
        stage = f"drop:{'fedcba'['abcdef'.index(column)]}{7 - int(row)}{stage[7:]}"
    return " ".join((rows[::-1], "NS"["SN".index(side)], stage, turns))
