"""The names of the players above the pictures of an episode."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image

from ludarium.core.history import Position
from ludarium.drawing import pictures
from ludarium.drawing.canvas import Canvas, Colour, Frame, check_theme
from ludarium.drawing.svg import start_svg
from ludarium.records.results import plain

SHARE = 0.06  # height of the line of names, as a share of the longer side of a picture
MIN_HEIGHT = 18  # of the line of names, in pixels


def line_of_names(
    players: tuple[str, str], positions: Sequence[Position], width: int, size: int, theme_name: str
) -> Frame:
    """Return a line with the names of both players, each beside a disc of the player's colour.

    Args:
        players: names of player 0 and player 1.
        positions: the positions of the game.
        width: width of the pictures, in pixels.
        size: longer side of the pictures, in pixels.
        theme_name: ``"light"`` or ``"dark"``.

    Returns:
        uint8 [height, width, 3], the same for all pictures of the episode; the height is even.
    """
    theme = check_theme(theme_name)
    height = max(MIN_HEIGHT, round(size * SHARE))
    height += height % 2
    image = Image.new("RGB", (width, height), theme.background)
    canvas = Canvas(width, height, max(width, height), theme, image)
    scale, middle, gap = canvas.scale, height / 2, height * 0.3
    colours = _colours(positions, size, theme_name)
    first, second = (plain(name) for name in players)
    room = width / 2 - 3 * gap - height * 0.6  # in pixels, for each name
    pixels = round(height * 0.56)
    while pixels > 7 and _widest(canvas, (first, second), pixels) > room:
        pixels -= 1
    for player, name in enumerate((first, second)):
        while len(name) > 4 and _widest(canvas, (name,), pixels) > room:
            name = name[:-4] + "..."
        left = gap if player == 0 else width - gap - height * 0.6
        anchor, shift = ("left", height * 0.6 + gap) if player == 0 else ("right", -gap)
        colour = colours.get(player)
        radius = height * 0.3
        if colour is not None:
            x = (left + radius) / scale
            line = max(1.0, radius / 5) / scale
            canvas.disc(x, middle / scale, radius / scale, colour, theme.ink, line)
        canvas.text((left + shift) / scale, middle / scale, name, pixels / scale, anchor=anchor)
    return canvas.frame()


def with_names(frame: Frame, names: Frame) -> Frame:
    """Return a picture with the line of names above it, as a new array."""
    return np.concatenate([names, frame])


def _widest(canvas: Canvas, names: tuple[str, ...], pixels: int) -> float:
    """Return the width of the widest name in pixels."""
    return max(canvas.width_of(name, pixels / canvas.scale) for name in names) * canvas.scale


def _colours(positions: Sequence[Position], size: int, theme: str) -> dict[int, Colour]:
    """Return the colour of each player who is to move in some position.

    The painter of a game names it: the caption begins with a disc of the colour of the player to
    move.
    """
    colours: dict[int, Colour] = {}
    first = positions[0].state
    bare = start_svg(first.game.type.submodule("render").board_of(first), size, theme)
    for state, last_turn in positions:
        player = state.current_player()
        if player >= 0 and player not in colours:
            canvas = pictures.draw_on(bare.bare(), state, last_turn=last_turn)
            if canvas.caption_colour is not None:
                colours[player] = canvas.caption_colour
        if len(colours) == 2:
            break
    return colours
