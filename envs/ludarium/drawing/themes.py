"""The colours of all pictures: one visual language for all games, in a light and a dark theme."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ludarium.core.errors import join_or, show

Colour: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True)
class Theme:
    """The colours of a picture.

    Attributes:
        name: as in `draw(state, size, theme)`.
        background: the area around the board.
        board: the playing area.
        board_dark: a second tone of the board: other cells, holes, goals.
        edge: borders of the board.
        grid: lines on the board.
        ink: text and strong lines.
        muted: coordinates and other secondary text.
        players: colours of player 0 and player 1, the first much lighter, so that they differ in
            grey and for colour-blind readers too.
        pieces: a light and a dark piece, for games whose players are White and Black.
        rims: an outline for each of `pieces`.
        neutral: pieces that belong to nobody.
        flag: targets and walls, red.
        last: the last turn.
        chosen: the half-made turn, and where it can go.
        capture: captured pieces.
        outline: around the marks of the last turn, so that they show on every ground.
    """

    name: str
    background: Colour
    board: Colour
    board_dark: Colour
    edge: Colour
    grid: Colour
    ink: Colour
    muted: Colour
    players: tuple[Colour, Colour]
    pieces: tuple[Colour, Colour]
    rims: tuple[Colour, Colour]
    neutral: Colour
    flag: Colour
    last: Colour
    chosen: Colour
    capture: Colour
    outline: Colour


THEMES = {
    theme.name: theme
    for theme in (
        Theme(
            name="light",
            background=(247, 245, 240),
            board=(226, 211, 182),
            board_dark=(205, 186, 152),
            edge=(150, 128, 94),
            grid=(140, 122, 96),
            ink=(38, 38, 42),
            muted=(112, 106, 98),
            players=((228, 106, 26), (0, 58, 122)),
            pieces=((246, 244, 238), (52, 54, 60)),
            rims=((120, 112, 100), (20, 20, 24)),
            neutral=(168, 156, 140),
            flag=(196, 48, 52),
            last=(244, 180, 0),
            chosen=(0, 110, 84),
            capture=(206, 80, 176),
            outline=(66, 46, 0),
        ),
        Theme(
            name="dark",
            background=(28, 30, 35),
            board=(72, 76, 84),
            board_dark=(54, 57, 64),
            edge=(116, 122, 132),
            grid=(120, 126, 136),
            ink=(236, 236, 232),
            muted=(168, 172, 178),
            players=((255, 172, 96), (34, 98, 188)),
            pieces=((240, 238, 230), (24, 25, 29)),
            rims=((90, 90, 92), (150, 154, 162)),
            neutral=(172, 162, 146),
            flag=(222, 70, 72),
            last=(255, 220, 60),
            chosen=(96, 252, 190),
            capture=(222, 106, 198),
            outline=(30, 26, 12),
        ),
    )
}


def mix(a: Colour, b: Colour, share: float) -> Colour:
    """Return the colour between `a` (share 0) and `b` (share 1)."""
    r, g, b_ = (round(x + (y - x) * share) for x, y in zip(a, b, strict=True))
    return r, g, b_


def contrast(colour: Colour) -> Colour:
    """Return black or white, whichever is legible on a colour."""
    r, g, b = colour
    return (20, 20, 24) if 0.299 * r + 0.587 * g + 0.114 * b > 120 else (250, 250, 248)


def check_theme(theme: str) -> Theme:
    """Return a theme by its name.

    Raises:
        ValueError: No theme has this name.
    """
    if not isinstance(theme, str) or theme not in THEMES:
        raise ValueError(f"theme={show(theme)} is not allowed: theme is {join_or(THEMES)}")
    return THEMES[theme]
