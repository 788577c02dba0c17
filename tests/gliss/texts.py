"""What the tests of every game need to know of a Gliss text, by reading alone."""

from __future__ import annotations

import re
from typing import Any

COLOURS = str.maketrans("RB", "BR")


def options_for(text: str) -> dict[str, Any]:
    """The options under which a text is to be read: a board with as many rows."""
    return {"board_size": text.split(" ")[0].count("/") + 1}


def mirror(text: str) -> str:
    """The position in which the other player faces the same: half a turn, colours swapped."""
    board, side, core, turns = text.split(" ")
    rows = board.split("/")
    board = "/".join("".join(re.findall(r"\d+|[RB]", row)[::-1]) for row in rows[::-1])
    if core != "-":
        column, row = "abcdefghijklmnopqrs".index(core[0]) + 1, int(core[1:])
        core = f"{'abcdefghijklmnopqrs'[len(rows) - column]}{len(rows) + 1 - row}"
    return " ".join((board.translate(COLOURS), side.translate(COLOURS), core, turns))
