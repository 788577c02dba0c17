"""Episodes as one PNG: a sheet of positions, row by row, the last one at its end."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
import numpy.typing as npt

from ludarium.core.options import at_least_one
from ludarium.drawing.themes import check_theme

if TYPE_CHECKING:
    from ludarium.drawing.canvas import Frame
    from ludarium.records.episode import Episode

COLUMNS = 4  # the fewest columns of a sheet with as many pictures, unless they are given
MOST_COLUMNS = 100
GAP, GREY = 8, 128  # between the pictures, in pixels; 0 to 255
MOST_PIXELS = 60_000_000  # of a sheet: viewers warn of pictures above 90 million


def shown(count: int, height: int, width: int) -> list[int]:
    """Return which of `count` positions a sheet of pictures of this size shows.

    All of them if they fit; otherwise the first, the last, and as many evenly spaced ones between
    as fit.

    >>> shown(5, 512, 512)
    [0, 1, 2, 3, 4]
    """
    room = max(2, MOST_PIXELS // ((height + GAP + _label(height)) * (width + GAP)))
    if count <= room:
        return list(range(count))
    found: list[int] = np.linspace(0, count - 1, room).round().astype(int).tolist()
    return found


def _label(height: int) -> int:
    """Return the height of the line over a picture, in pixels."""
    return max(12, height // 20)


def check_columns(columns: int | None) -> int | None:
    """Return a number of columns, or raise ValueError; None leaves the choice to the sheet."""
    return None if columns is None else at_least_one("columns", columns, MOST_COLUMNS)


def note(episode: Episode) -> str | None:
    """Return which positions the sheet of an episode shows, None where it shows all."""
    count = len(episode.states)
    indices = shown(count, *episode.shape)
    if len(indices) == count and episode.whole:
        return None
    numbers = ", ".join(str(episode.skipped + index) for index in indices)
    return f"{len(indices)} of {episode.num_actions + 1} positions, those after actions {numbers}"


def write_png(file: BinaryIO, episode: Episode, columns: int | None = None) -> None:
    """Write a sheet. Where positions are left out, each picture says after which action it is.

    `columns` is the number of pictures side by side; None: about as many as make a square.
    """
    from PIL import Image

    height, width = episode.shape
    indices = shown(len(episode.states), height, width)
    count = len(indices)
    if columns is None:
        columns = max(COLUMNS, math.ceil(math.sqrt(count * height / width)))
    columns = min(count, columns)
    label = 0 if episode.whole and count == len(episode.states) else _label(height)
    rows, step = math.ceil(count / columns), height + GAP + label
    shape = rows * step - GAP, columns * (width + GAP) - GAP, 3
    sheet = np.full(shape, GREY, np.uint8)
    for place, index in enumerate(indices):
        top, left = place // columns * step, place % columns * (width + GAP)
        frame = episode.frame(index)
        if label:
            words = f"after action {episode.skipped + index} of {episode.num_actions}"
            line = _line(words, label, width, episode.picture_theme)
            sheet[top : top + label, left : left + width] = line
        sheet[top + label : top + label + height, left : left + width] = frame
    Image.fromarray(sheet).save(file, format="PNG")


def _line(words: str, height: int, width: int, theme: str) -> Frame:
    """Return a line of text as a picture."""
    from PIL import Image

    from ludarium.drawing import sprites

    colours = check_theme(theme)
    image = Image.new("RGB", (width, height), colours.background)
    pixels = max(7, round(height * 0.72))
    mask, dx, dy, left, _ = sprites.text(words, pixels)
    middle = round(height / 2 + pixels * 0.355)
    image.paste(colours.ink, (height // 2 - left + dx, middle + dy), mask)
    found: npt.NDArray[np.uint8] = np.array(image)
    return found
