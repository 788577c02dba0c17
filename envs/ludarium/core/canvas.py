"""Drawing: shapes, marks and a caption, from a game's own units to an rgb array.

Knows no game; Pillow and numpy only; no display. A game's `render.py` has three functions:

    def paint_board(canvas, ...): what never changes: board, grid, coordinates
    def paint(canvas, state):     pieces, marks of the last turn, caption
    def draw(state, size, theme="light"):
        canvas = start(WIDTH, HEIGHT, size, theme, paint_board, ...)
        paint(canvas, state)
        return canvas.frame()

Coordinates are in units that the game chooses: (0, 0) is the upper left corner of the board area,
(width, height) its lower right one; a caption is added below. All lengths, line widths and type
sizes are in these units too. Later shapes cover earlier ones; all edges are smooth.

One visual language for all games: a player is a colour of `Theme.players` or a light and a dark
piece (`Theme.pieces`); what happened in the last turn is amber (`mark_from`, `mark_to`, `arrow` in
`theme.last`); what the player to move has chosen so far is green and dashed (`mark_chosen`), where
it may go a green dot (`mark_landing`); a captured piece is crossed out (`mark_capture`), one that
changed sides gets a double ring (`mark_converted`); the result is a caption in inverted colours.

Shapes are kept (see sprites), so that a frame is a copy of the board and some pasting.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Hashable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image

from ludarium.core import sprites
from ludarium.core.sprites import FINE, Form
from ludarium.core.themes import THEMES, Colour, Theme, check_theme, contrast, mix

Frame: TypeAlias = npt.NDArray[np.uint8]
Point: TypeAlias = tuple[float, float]

__all__ = [
    "LEAST_SIZE",
    "MOST_SIZE",
    "THEMES",
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

LEAST_SIZE, MOST_SIZE = 128, 2048  # pixels of the longer side

# ---------------------------------------------------------------- the canvas


class Canvas:
    """A picture in the making. Made by `start`.

    Attributes:
        theme: the colours.
        width: of the board area, in units.
        height: of the board area, in units.
        size: the longer side in pixels.
        scale: pixels in a unit.
        shape: (height, width) of the picture in pixels.
        band: height of the caption in pixels.
    """

    def __init__(
        self,
        width: float,
        height: float,
        size: int,
        theme: Theme,
        board: Image.Image | None = None,
    ) -> None:
        """Use `start`, which checks what it is given and keeps the board."""
        self.theme, self.width, self.height, self.size = theme, width, height, size
        self.band = max(16, round(size * 0.068))
        self.scale = min((size - self.band) / height, size / width)
        if height * self.scale + self.band >= width * self.scale:
            self.shape = size, max(1, min(size, round(width * self.scale)))
        else:
            self.shape = min(size, round(height * self.scale) + self.band), size
        if board is None:
            board = Image.new("RGB", (self.shape[1], self.shape[0]), theme.background)
        self._image = board

    # ---- units and pixels

    def to_pixels(self, x: float, y: float) -> Point:
        """Return where a point in units is in the picture, (x, y) in pixels."""
        return x * self.scale, y * self.scale

    def to_units(self, x: float, y: float) -> Point:
        """Return which point in units a pixel shows."""
        return x / self.scale, y / self.scale

    def least(self, units: float, pixels: float) -> float:
        """Return a length in units that is at least so many pixels: for lines that must be seen."""
        return max(units, pixels / self.scale)

    def frame(self) -> Frame:
        """Return the picture as a new array uint8 [height, width, 3]."""
        return np.array(self._image)

    # ---- forms

    def disc(
        self,
        x: float,
        y: float,
        radius: float,
        fill: Colour | None,
        outline: Colour | None = None,
        width: float = 0.0,
        opacity: float = 1.0,
    ) -> None:
        """Draw a disc; the outline lies inside the radius. `fill` None: the outline only."""
        if outline is not None and width > 0:
            self.ring(x, y, radius, outline, width, opacity)
            radius -= width * 0.9
        if fill is not None and radius > 0:
            self._stamp([("ellipse", 255, self._circle(x, y, radius), 0)], fill, opacity)

    def ring(
        self, x: float, y: float, radius: float, colour: Colour, width: float, opacity: float = 1.0
    ) -> None:
        """Draw a ring whose outer radius is `radius`."""
        forms: list[Form] = [("ellipse", 255, self._circle(x, y, radius), 0)]
        if radius > width:
            forms.append(("ellipse", 0, self._circle(x, y, radius - width), 0))
        self._stamp(forms, colour, opacity)

    def dashed_ring(
        self,
        x: float,
        y: float,
        radius: float,
        colour: Colour,
        width: float,
        dashes: int = 8,
        opacity: float = 1.0,
    ) -> None:
        """Draw a ring of `dashes` arcs whose outer radius is `radius`."""
        forms: list[Form] = []
        for k in range(dashes):
            start, stop = 2 * math.pi * k / dashes, 2 * math.pi * (k + 0.6) / dashes
            steps = [start + (stop - start) * i / 6 for i in range(7)]
            outer = [(x + radius * math.cos(t), y + radius * math.sin(t)) for t in steps]
            inner = radius - width
            back = [(x + inner * math.cos(t), y + inner * math.sin(t)) for t in reversed(steps)]
            forms.append(("polygon", 255, self._path(outer + back), 0))
        self._stamp(forms, colour, opacity)

    def sphere(
        self,
        x: float,
        y: float,
        radius: float,
        colour: Colour,
        rim: Colour | None = None,
        gloss: float = 0.8,
    ) -> None:
        """Draw a lit sphere: its centre has the colour itself, its edge the colour `rim`."""
        rim = mix(colour, (0, 0, 0), 0.45) if rim is None else rim
        r, left, top, dx, dy = self._square(x, y, radius)
        image, mask = sprites.sphere(r, dx, dy, colour, rim, gloss)
        self._image.paste(image, (left, top), mask)

    def shadow(self, x: float, y: float, radius: float, opacity: float = 0.45) -> None:
        """Draw a soft dark disc, to be put under a piece that lies above the others."""
        r, left, top, dx, dy = self._square(x, y, radius)
        self._image.paste((0, 0, 0), (left, top), sprites.shadow(r, dx, dy, opacity))

    def polygon(
        self,
        points: Sequence[Point],
        fill: Colour | None,
        outline: Colour | None = None,
        width: float = 0.0,
        opacity: float = 1.0,
    ) -> None:
        """Draw a closed polygon; the outline, with round corners, lies half inside."""
        if fill is not None:
            self._stamp([("polygon", 255, self._path(points), 0)], fill, opacity)
        if outline is not None and width > 0:
            self.line([*points, points[0]], outline, width, opacity)

    def rectangle(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: Colour | None,
        outline: Colour | None = None,
        line: float = 0.0,
        radius: float = 0.0,
        opacity: float = 1.0,
    ) -> None:
        """Draw a rectangle from its upper left corner; corners of a radius, outline inside."""

        def form(ink: int, inset: float) -> Form:
            corners = self._path([(x + inset, y + inset), (x + width - inset, y + height - inset)])
            return "rounded", ink, corners, max(0, self._length(radius - inset))

        if outline is not None and line > 0:
            self._stamp([form(255, 0), form(0, line)], outline, opacity)
        if fill is not None:
            inset = line * 0.9 if outline is not None else 0.0
            self._stamp([form(255, inset)], fill, opacity)

    def line(
        self, points: Sequence[Point], colour: Colour, width: float, opacity: float = 1.0
    ) -> None:
        """Draw a line through points, with round corners and ends."""
        self._stamp(self._stroke(points, width), colour, opacity)

    def arrow(
        self,
        points: Sequence[Point],
        colour: Colour,
        width: float,
        head: float = 0.0,
        start_gap: float = 0.0,
        end_gap: float = 0.0,
        outline: Colour | None = None,
        opacity: float = 1.0,
    ) -> None:
        """Draw an arrow along points.

        Args:
            points: at least two; a path may bend.
            colour: of the arrow.
            width: of its line.
            head: length of its head; 0 means three and a half widths.
            start_gap: how much to leave out at the start, such as the radius of a piece.
            end_gap: the same at the end, where the tip then is.
            outline: colour of a thin edge that sets it off from what it crosses.
            opacity: 0 to 1.
        """
        path = _shorten(_shorten(list(points), start_gap)[::-1], end_gap)[::-1]
        if len(path) < 2:
            return
        head = head or width * 3.5
        tip, shaft = path[-1], _shorten(path[::-1], head * 0.8)[::-1]
        (x0, y0), (x1, y1) = path[-2], tip
        length = math.hypot(x1 - x0, y1 - y0) or 1.0
        ux, uy = (x1 - x0) / length, (y1 - y0) / length
        bx, by = x1 - ux * head, y1 - uy * head
        half = head * 0.55
        triangle = [tip, (bx - uy * half, by + ux * half), (bx + uy * half, by - ux * half)]
        if outline is not None:
            edge = self.least(width * 0.3, 1.0)
            forms = self._stroke(shaft, width + 2 * edge) if len(shaft) > 1 else []
            forms += self._stroke([*triangle, tip], 2 * edge)
            self._stamp(forms, outline, opacity)
        forms = self._stroke(shaft, width) if len(shaft) > 1 else []
        self._stamp([*forms, ("polygon", 255, self._path(triangle), 0)], colour, opacity)

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
            x: of the anchor.
            y: of the middle of a capital.
            text: what to write.
            height: size of the type; never less than 7 pixels.
            colour: None means the theme's ink.
            anchor: ``"left"``, ``"middle"`` or ``"right"``: the end of the text that is at x.
            halo: colour of an outline, so that the text can be read on anything.
            bold: heavier.
        """
        pixels = max(7, round(height * self.scale))
        px, py = self.to_pixels(x, y)
        self._write(px, py, text, pixels, colour or self.theme.ink, anchor, halo, bold)

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
        stroke = round(pixels * FINE / 40) if bold else 0
        layers = [(stroke, colour)]
        if halo is not None:
            layers.insert(0, (stroke + max(FINE, pixels * FINE // 9), halo))
        middle = round(y + pixels * 0.355)  # capitals are 0.71 of the type size high
        left, right = self._extent(text, pixels)
        start = {"left": -left, "middle": 0, "right": -right}[anchor]
        for edge, ink in layers:
            mask, dx, dy, _ = sprites.text(text, pixels, edge)
            self._image.paste(ink, (round(x + start) + dx, middle + dy), mask)

    @staticmethod
    def _extent(text: str, pixels: int) -> tuple[int, int]:
        _, left, _, right = sprites.text(text, pixels)
        return left, right

    # ---- marks

    def mark_from(self, x: float, y: float, radius: float) -> None:
        """Mark where a piece of the last turn came from: a thin amber ring."""
        self.ring(x, y, radius, self.theme.last, self.least(radius * 0.14, 1.5))

    def mark_to(self, x: float, y: float, radius: float) -> None:
        """Mark where a piece of the last turn has come to: a strong amber ring."""
        self.ring(x, y, radius, self.theme.last, self.least(radius * 0.24, 2.0))

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
            for sign in (1, -1):
                self.line([(x - r, y - sign * r), (x + r, y + sign * r)], colour, line)

    def mark_converted(self, x: float, y: float, radius: float) -> None:
        """Mark a piece that has changed sides: a double ring."""
        width = self.least(radius * 0.12, 1.0)
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
        """Write the line below the board: side to move or result.

        Args:
            text: `White to move`, or the result.
            colour: of the player to move or the winner, shown as a disc before the text.
            note: the last turn, or the turn number, at the right end; left out where there is no
                room for it.
            over: the game has ended: the line is set in inverted colours.
        """
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
            rim = mix(ink, paper, 0.3)
            self.disc(
                (x + radius) / s, middle / s, radius / s, colour, rim, max(1.0, radius / 7) / s
            )
            x += 2 * radius + margin
        pixels = max(9, round(self.band * 0.58))
        while pixels > 7 and self._length_of(text, pixels) > width - x - margin:
            pixels -= 1
        self._write(x, middle, text, pixels, ink, "left", bold=over)
        x += self._length_of(text, pixels) + 2 * margin
        small = max(8, round(pixels * 0.88))
        if note and x + self._length_of(note, small) + margin <= width:
            faint = mix(ink, paper, 0.3)
            self._write(width - margin, middle, note, small, faint, "right")

    def _length_of(self, text: str, pixels: int) -> int:
        left, right = self._extent(text, pixels)
        return right - left

    # ---- from units to masks

    def _length(self, units: float) -> int:
        return round(units * self.scale * FINE)

    def _path(self, points: Sequence[Point]) -> tuple[int, ...]:
        s = self.scale * FINE
        return tuple(round(v * s) for point in points for v in point)

    def _circle(self, x: float, y: float, radius: float) -> tuple[int, int, int, int]:
        s = self.scale * FINE
        cx, cy, r = round(x * s), round(y * s), max(1, round(radius * s))
        return cx - r, cy - r, cx + r, cy + r

    def _square(self, x: float, y: float, radius: float) -> tuple[int, int, int, int, int]:
        """Return radius [sub-pixels], left and top [pixels] and the sub-pixels beyond those."""
        s = self.scale * FINE
        r = max(2, round(radius * s))
        left, top = round(x * s) - r, round(y * s) - r
        return r, left // FINE - 1, top // FINE - 1, left % FINE, top % FINE

    def _stroke(self, points: Sequence[Point], width: float) -> list[Form]:
        """Return the forms of a line with round ends: a bar for each part, discs between."""
        half = width / 2
        forms: list[Form] = [("ellipse", 255, self._circle(x, y, half), 0) for x, y in points]
        for (x0, y0), (x1, y1) in itertools.pairwise(points):
            length = math.hypot(x1 - x0, y1 - y0)
            if length:
                nx, ny = -(y1 - y0) / length * half, (x1 - x0) / length * half
                bar = [
                    (x0 + nx, y0 + ny),
                    (x1 + nx, y1 + ny),
                    (x1 - nx, y1 - ny),
                    (x0 - nx, y0 - ny),
                ]
                forms.append(("polygon", 255, self._path(bar), 0))
        return forms

    def _stamp(self, forms: Sequence[Form], colour: Colour, opacity: float) -> None:
        """Paste a colour through the mask that forms make, kept for the next time."""
        left = min(min(form[2][0::2]) for form in forms) // FINE - 1
        top = min(min(form[2][1::2]) for form in forms) // FINE - 1
        right = max(max(form[2][0::2]) for form in forms) // FINE + 2
        bottom = max(max(form[2][1::2]) for form in forms) // FINE + 2
        dx, dy = left * FINE, top * FINE
        moved = tuple(
            (kind, ink, tuple(n - (dy if i & 1 else dx) for i, n in enumerate(numbers)), radius)
            for kind, ink, numbers, radius in forms
        )
        size = right - left, bottom - top
        self._image.paste(colour, (left, top), sprites.mask(moved, size, opacity))


def _shorten(path: list[Point], gap: float) -> list[Point]:
    """Return a path without its first `gap` units."""
    path = list(path)
    while len(path) > 1 and gap > 0:
        (x0, y0), (x1, y1) = path[0], path[1]
        length = math.hypot(x1 - x0, y1 - y0)
        if length > gap:
            share = gap / length
            path[0] = (x0 + (x1 - x0) * share, y0 + (y1 - y0) * share)
            return path
        gap -= length
        path.pop(0)
    return path


# ---------------------------------------------------------------- starting


def start(
    width: float,
    height: float,
    size: int,
    theme: str,
    paint_board: Callable[..., None],
    *args: Hashable,
) -> Canvas:
    """Return a canvas with the board on it, which is painted once and kept.

    Args:
        width: of the board area, in units.
        height: of the board area, in units, the caption excluded.
        size: pixels of the longer side of the picture, 128 to 2048; it is met exactly.
        theme: ``"light"`` or ``"dark"``.
        paint_board: a module's function that paints what never changes, called with the canvas
            and `args`.
        *args: what the board depends on, such as its size.

    Raises:
        ValueError: The size or the theme is not allowed.
    """
    colours = check_theme(theme)
    try:
        pixels = operator.index(size)
    except TypeError:
        pixels = 0
    if isinstance(size, bool) or not LEAST_SIZE <= pixels <= MOST_SIZE:
        raise ValueError(
            f"size={size!r} is not allowed: size is an int, {LEAST_SIZE} to {MOST_SIZE} pixels"
        )

    def make() -> tuple[Image.Image, int]:
        canvas = Canvas(width, height, pixels, colours)
        paint_board(canvas, *args)
        return canvas._image, canvas._image.width * canvas._image.height * 3

    key = (paint_board, args, width, height, pixels, theme)
    board = sprites.boards.get(key, make)
    return Canvas(width, height, pixels, colours, board.copy())
