"""The position in which the other player faces the same, in text only (S6)."""

COLOURS = str.maketrans("WB", "BW")


def mirror(text: str) -> str:
    """Turn the board by 180 degrees and swap the colours, the side to move included."""
    levels, side, passes, before, turns = text.split(" ")
    levels, before = ("/".join(level[::-1] for level in b.split("/")) for b in (levels, before))
    return " ".join((levels, side, passes, before, turns)).translate(COLOURS)
