"""Drawing: shapes, marks and a caption, from a game's own units to an rgb array.

The canvas is independent of any game, and needs Pillow and numpy only, no display. The `render.py`
of a game has three functions and makes two more of them:

    def paint_board(canvas, ...):          paint what never changes: board, grid, coordinates
    def board_of(state):                   return Board(WIDTH, HEIGHT, paint_board, (size, ...))
    def paint(canvas, state, last_turn):   paint pieces, marks of the last turn, caption
    draw, render = pictures(board_of, paint)

The same functions draw SVG, on the canvas of `drawing/svg.py`; see `drawing/pictures.py`.

Coordinates are in units that the game chooses: (0, 0) is the upper left corner of the board area,
(width, height) its lower right one; a caption is added below. All lengths, line widths and type
sizes are in these units too. Later shapes cover earlier ones; all edges are smooth.

One visual language for all games: a player is a colour of `Theme.players` or a light and a dark
piece (`Theme.pieces`); what happened in the last turn is amber (`mark_from`, `mark_to`, `arrow` in
`theme.last`); what the player to move has chosen so far is green and dashed (`mark_chosen`), where
it may go a green dot (`mark_landing`); a captured piece is crossed out (`mark_capture`), one that
changed sides gets a double ring (`mark_converted`); the result is a caption in inverted colours.

Rendered shapes are cached (see `sprites`), so that a frame costs a copy of the board and a few
pastes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from typing import NamedTuple

from PIL import Image

from ludarium.core.options import check_size
from ludarium.drawing import sprites
from ludarium.drawing.shapes import Frame, Point, Shapes
from ludarium.drawing.sprites import FINE
from ludarium.drawing.themes import THEMES, Colour, Theme, check_theme, contrast, mix

__all__ = [
    "THEMES",
    "Board",
    "Canvas",
    "Colour",
    "Frame",
    "Point",
    "Theme",
    "check_theme",
    "contrast",
    "mix",
    "start",
]


LEAST_CAPTION = 8  # the smallest type of a caption that can be read, in pixels


class Board(NamedTuple):
    """The board that a game's pictures are drawn on.

    Attributes:
        width: width of the board area, in units.
        height: height of the board area without the caption, in units.
        paint: a module's function that paints what never changes, called with the canvas, `args`.
        args: values that the board depends on, such as its size.
    """

    width: float
    height: float
    paint: Callable[..., None]
    args: tuple[Hashable, ...] = ()


# ---------------------------------------------------------------- the canvas


class Canvas(Shapes):
    """A picture being drawn, made by `start`: `Shapes` with text, marks and a caption.

    Attributes:
        ending: a result that replaces the text of the caption, or None.
        remark: a text that replaces the note of the caption; empty: none.
        writes: whether texts are written; those of the board are in any case.
    """

    ending: str | None = None
    remark: str = ""
    writes: bool = True

    # ---- text

    def text(
        self,
        x: float,
        y: float,
        text: str,
        height: float,
        colour: Colour | None = None,
        anchor: str = "middle",
        halo: Colour | None = None,
        bold: bool = False,
    ) -> None:
        """Write one line, vertically centred on its capitals and digits.

        Args:
            x: position of the anchor.
            y: middle of a capital letter.
            text: the text.
            height: size of the type; at least 7 pixels.
            colour: colour of the text; None: the theme's ink.
            anchor: ``"left"``, ``"middle"`` or ``"right"``: the point of the text that is at x; on
                a turned board the other end, so that the text covers the same part of the board.
            halo: colour of an outline that keeps the text legible on any ground.
            bold: whether the text is bold.
        """
        pixels = self._type_size(height)
        px, py = self.to_pixels(x, y)
        if self.turned:
            anchor = {"left": "right", "right": "left"}.get(anchor, anchor)
        self._write(px, py, text, pixels, colour or self.theme.ink, anchor, halo, bold)

    def width_of(self, text: str, height: float) -> float:
        """Return the width of a line that `text` writes, in units."""
        return self._length_of(text, self._type_size(height)) / self.scale

    def _type_size(self, height: float) -> int:
        return max(7, round(height * self.scale))

    def _write(
        self,
        x: float,
        y: float,
        text: str,
        pixels: int,
        colour: Colour,
        anchor: str,
        halo: Colour | None = None,
        bold: bool = False,
    ) -> None:
        if not self.writes:
            return
        stroke = round(pixels * FINE / 40) if bold else 0
        layers = [(stroke, colour)]
        if halo is not None:
            layers.insert(0, (stroke + max(FINE, pixels * FINE // 9), halo))
        middle = round(y + pixels * 0.355)  # capitals are 0.71 of the type size high
        left, right = self._extent(text, pixels)
        start = {"left": -left, "middle": 0, "right": -right}[anchor]
        for edge, ink in layers:
            mask, dx, dy, _, _ = sprites.text(text, pixels, edge)
            self._image.paste(ink, (round(x + start) + dx, middle + dy), mask)

    @staticmethod
    def _extent(text: str, pixels: int) -> tuple[int, int]:
        *_, left, right = sprites.text(text, pixels)
        return left, right

    # ---- marks

    def mark_from(self, x: float, y: float, radius: float) -> None:
        """Mark where a piece of the last turn came from: a thin amber ring."""
        self.last_ring(x, y, radius, self.least(radius * 0.14, 1.5))

    def mark_to(self, x: float, y: float, radius: float) -> None:
        """Mark where a piece of the last turn has come to: a strong amber ring."""
        self.last_ring(x, y, radius, self.least(radius * 0.24, 2.0))

    def last_ring(self, x: float, y: float, radius: float, width: float) -> None:
        """Draw a ring of the last turn: amber, with an outline on both sides."""
        edge = self.outline_width
        self.ring(x, y, radius + edge, self.theme.outline, width + 2 * edge)
        self.ring(x, y, radius, self.theme.last, width)

    def last_disc(self, x: float, y: float, radius: float) -> None:
        """Draw a disc of the last turn: amber, with an outline."""
        self.disc(x, y, radius + self.outline_width, self.theme.outline)
        self.disc(x, y, radius, self.theme.last)

    @property
    def outline_width(self) -> float:
        """Width of the line around a mark of the last turn, in units."""
        return self.least(0.03, 0.7)

    def mark_chosen(self, x: float, y: float, radius: float) -> None:
        """Mark what the player to move has chosen so far: a dashed green ring."""
        self.dashed_ring(x, y, radius, self.theme.chosen, self.least(radius * 0.2, 2.0))

    def mark_landing(self, x: float, y: float, radius: float) -> None:
        """Mark where the chosen piece can go: a green dot."""
        self.disc(x, y, self.least(radius, 2.0), self.theme.chosen, opacity=0.9)

    def mark_capture(self, x: float, y: float, radius: float) -> None:
        """Mark where a piece was taken: a cross."""
        r, width = radius * 0.7, self.least(radius * 0.26, 1.5)
        edge = self.least(radius * 0.1, 0.8)
        for colour, line in (
            (self.theme.background, width + 2 * edge),
            (self.theme.capture, width),
        ):
            self.line([(x - r, y - r), (x + r, y + r)], colour, line)
            self.line([(x - r, y + r), (x + r, y - r)], colour, line)

    def mark_converted(self, x: float, y: float, radius: float) -> None:
        """Mark a piece that has changed sides: a double ring."""
        width = self.least(radius * 0.14, 1.4)
        self.ring(x, y, radius, self.theme.capture, width)
        self.ring(x, y, radius - 2 * width, self.theme.capture, width)

    # ---- caption

    def caption(
        self,
        text: str,
        colour: Colour | None = None,
        note: str = "",
        over: bool = False,
    ) -> None:
        """Write the line below the board: the side to move, or the result.

        The type shrinks to `LEAST_CAPTION` pixels where the text is long. Where it is still too
        long, the reason is left out (what follows a colon or stands in brackets), and then the
        text is cut.

        Args:
            text: the side to move, as in `White to move`, or the result.
            colour: colour of the player to move or of the winner, shown as a disc before the text.
            note: the last turn, or the turn number, at the right end; omitted where it does not
                fit, and where the text was shortened.
            over: whether the game has ended, which inverts the colours of the line.
        """
        if self.ending is not None:
            text, colour, over = self.ending, None, True
        with self.upright():
            self._caption(text, colour, note, over)

    def _caption(self, text: str, colour: Colour | None, note: str, over: bool) -> None:
        theme = self.theme
        height, width = self.shape
        paper, ink = (theme.ink, theme.background) if over else (theme.background, theme.ink)
        top, s = height - self.band, self.scale
        self.rectangle(0, top / s, width / s, self.band / s, paper)
        if not over:
            self.rectangle(0, top / s, width / s, max(1, self.size // 512) / s, theme.edge)
        middle, margin = top + self.band / 2, self.band * 0.3
        x = margin
        if colour is not None:
            radius = self.band * 0.3
            line = max(1.0, radius / 5) / s
            self.disc((x + radius) / s, middle / s, radius / s, colour, ink, line)
            x += 2 * radius + margin
        shown, pixels = self._fit(text, max(9, round(self.band * 0.58)), width - x - margin, over)
        self._write(x, middle, shown, pixels, ink, "left", bold=over)
        x += self._room_for(shown, pixels, over) + 2 * margin
        small = max(8, round(pixels * 0.88))
        if self.remark:  # more important than its size
            note, room = self.remark, width - x - margin
            while small > LEAST_CAPTION and self._room_for(note, small) > room:
                small -= 1
        if note and shown == text and x + self._room_for(note, small) + margin <= width:
            faint = mix(ink, paper, 0.3)
            self._write(width - margin, middle, note, small, faint, "right")

    def _fit(self, text: str, pixels: int, room: float, bold: bool) -> tuple[str, int]:
        """Return what is written of a text in a room, and the size of its type, in pixels."""
        for words in (text, re.split(r": | \(", text)[0]):
            for size in range(pixels, LEAST_CAPTION - 1, -1):
                if self._room_for(words, size, bold) <= room:
                    return words, size
        while len(words) > 1 and self._room_for(f"{words}...", LEAST_CAPTION, bold) > room:
            words = words[:-1].rstrip()
        return f"{words}...", LEAST_CAPTION

    def _room_for(self, text: str, pixels: int, bold: bool = False) -> float:
        """Return the width to keep free for a line of the caption, in pixels."""
        return self._length_of(text, pixels)

    def _length_of(self, text: str, pixels: int) -> int:
        left, right = self._extent(text, pixels)
        return right - left


# ---------------------------------------------------------------- starting


def start(
    width: float,
    height: float,
    size: int,
    theme: str,
    paint_board: Callable[..., None],
    *args: Hashable,
    turned: bool = False,
) -> Canvas:
    """Return a canvas that shows the board, which is painted once and cached.

    Args:
        width: width of the board area, in units.
        height: height of the board area without the caption, in units.
        size: the longer side of the picture in pixels, 128 to 2048; an odd one is made even, one
            pixel less, and so is the shorter side, because films need even sides.
        theme: ``"light"`` or ``"dark"``.
        paint_board: a module's function that paints what never changes, called with the canvas
            and `args`.
        *args: values that the board depends on, such as its size.
        turned: whether the board is turned by 180 degrees.

    Raises:
        ValueError: The size or the theme is not allowed.
    """
    colours, pixels = check_theme(theme), check_size(size)

    def make() -> tuple[Image.Image, int]:
        canvas = Canvas(width, height, pixels, colours, turned=turned)
        paint_board(canvas, *args)
        return canvas._image, canvas._image.width * canvas._image.height * 3

    key = (paint_board, args, width, height, pixels, theme, turned)
    board = sprites.boards.get(key, make)
    return Canvas(width, height, pixels, colours, board.copy(), turned)
