"""Filled shapes and lines in the units of a game: the part of the canvas that draws pixels."""

from __future__ import annotations

import contextlib
import copy
import itertools
import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image

from ludarium.drawing import sprites
from ludarium.drawing.sprites import FINE, Form
from ludarium.drawing.themes import Colour, Theme, mix

Frame: TypeAlias = npt.NDArray[np.uint8]
Point: TypeAlias = tuple[float, float]


class Shapes:
    """A picture being drawn, made by `start`.

    Attributes:
        theme: colours of the picture.
        width: width of the board area, in units.
        height: height of the board area, in units.
        size: the longer side in pixels, even.
        scale: pixels per unit.
        turned: whether the board is turned by 180 degrees: all points of the methods are, while
            text, spheres and the insides of a `drawing` stay upright.
        shape: (height, width) of the picture in pixels, both even, as films need them.
        band: height of the caption in pixels.
    """

    def __init__(
        self,
        width: float,
        height: float,
        size: int,
        theme: Theme,
        board: Image.Image | None = None,
        turned: bool = False,
    ) -> None:
        """Use `start`, which checks its arguments and caches the board."""
        self.turned = turned
        size -= size % 2
        self.theme, self.width, self.height, self.size = theme, width, height, size
        self.band = max(16, round(size * 0.068))
        self.scale = min((size - self.band) / height, size / width)
        if height * self.scale + self.band >= width * self.scale:
            self.shape = size, min(size, _even(width * self.scale))
        else:
            self.shape = min(size, _even(height * self.scale + self.band)), size
        if board is None:
            board = Image.new("RGB", (self.shape[1], self.shape[0]), theme.background)
        self._image = board

    def __repr__(self) -> str:
        height, width = self.shape
        return f"<{type(self).__name__} {width} x {height} pixels, {self.theme.name}>"

    # ---- units and pixels

    def to_pixels(self, x: float, y: float) -> Point:
        """Convert a point in units to (x, y) in pixels."""
        x, y = self._turn(x, y)
        return x * self.scale, y * self.scale

    def to_units(self, x: float, y: float) -> Point:
        """Convert a pixel to a point in units."""
        return self._turn(x / self.scale, y / self.scale)

    def _turn(self, x: float, y: float) -> Point:
        """Return where a point is in the picture, in units; the same turns it back."""
        return (self.width - x, self.height - y) if self.turned else (x, y)

    def around(self, x: float, y: float, offsets: Sequence[Point]) -> list[Point]:
        """Return points around a centre so that they form an upright figure on a turned board."""
        sign = -1 if self.turned else 1
        return [(x + sign * u, y + sign * v) for u, v in offsets]

    @contextlib.contextmanager
    def upright(self) -> Iterator[None]:
        """Draw without turning, for what has a place in the picture and not on the board."""
        turned, self.turned = self.turned, False
        try:
            yield
        finally:
            self.turned = turned

    def least(self, units: float, pixels: float) -> float:
        """Return a length in units, enlarged to a minimum in pixels so that it stays visible."""
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
            r, left, top, dx, dy = self._square(x, y, radius)
            self._image.paste(fill, (left, top), sprites.circle(r, dx, dy, 0, opacity))

    def ring(
        self, x: float, y: float, radius: float, colour: Colour, width: float, opacity: float = 1.0
    ) -> None:
        """Draw a ring whose outer radius is `radius`."""
        r, left, top, dx, dy = self._square(x, y, radius)
        mask = sprites.circle(r, dx, dy, min(r, max(1, self._length(width))), opacity)
        self._image.paste(colour, (left, top), mask)

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
        """Draw a soft dark disc, painted below a piece that lies above others."""
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
        """Draw a rectangle from its upper left corner; rounded corners, outline inside."""

        def form(ink: int, inset: float) -> Form:
            path = self._path([(x + inset, y + inset), (x + width - inset, y + height - inset)])
            corners = (*path[2:], *path[:2]) if self.turned else path
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
            points: the points of the line, at least two.
            colour: colour of the arrow.
            width: width of the line.
            head: length of the head; 0: three and a half widths.
            start_gap: length left out at the start, such as the radius of a piece.
            end_gap: length left out at the end, where the tip then is.
            outline: colour of a thin edge that separates the arrow from what it crosses.
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
        edge = self.least(width * 0.3, 1.0)
        self._arrow(shaft, triangle, colour, width, outline, edge, opacity)

    def _arrow(
        self,
        shaft: list[Point],
        triangle: list[Point],
        colour: Colour,
        width: float,
        outline: Colour | None,
        edge: float,
        opacity: float,
    ) -> None:
        """Draw the line and the head of an arrow."""
        if outline is not None:
            forms = self._stroke(shaft, width + 2 * edge) if len(shaft) > 1 else []
            forms += self._stroke([*triangle, triangle[0]], 2 * edge)
            self._stamp(forms, outline, opacity)
        forms = self._stroke(shaft, width) if len(shaft) > 1 else []
        self._stamp([*forms, ("polygon", 255, self._path(triangle), 0)], colour, opacity)

    def drawing(
        self, x: float, y: float, reach: float, paint: Callable[..., None], *args: Hashable
    ) -> None:
        """Draw what `paint` paints from many shapes, cached as one image.

        Args:
            x: horizontal position of the centre.
            y: vertical position of the centre.
            reach: the largest distance from the centre that is painted, to each side.
            paint: a module's function, called with a canvas, the centre on it, and `args`.
            *args: values that the drawing depends on besides position, size and theme.
        """
        x, y = self._turn(x, y)
        # kept for each place: a start at a whole pixel leaves every point at its own sub-pixel
        left, top = math.floor((x - reach) * self.scale), math.floor((y - reach) * self.scale)

        def draw() -> Image.Image:
            side = math.ceil(2 * reach * self.scale) + 1
            canvas = copy.copy(self)
            canvas.turned = False
            # not RGBA, where pasting onto what is wholly clear takes a colour as it is
            canvas._image = Image.new("RGBX", (side, side), (0, 0, 0, 0))
            paint(canvas, x - left / self.scale, y - top / self.scale, *args)
            return canvas._image

        key = paint, args, x, y, reach, self.scale, self.theme
        image, dx, dy = sprites.drawing(key, draw)
        self._image.paste(image, (left + dx, top + dy), image)

    # ---- from units to masks

    def _length(self, units: float) -> int:
        return round(units * self.scale * FINE)

    def _path(self, points: Sequence[Point]) -> tuple[int, ...]:
        s = self.scale * FINE
        if self.turned:
            points = [self._turn(*point) for point in points]
        return tuple(round(v * s) for point in points for v in point)

    def _circle(self, x: float, y: float, radius: float) -> tuple[int, int, int, int]:
        s = self.scale * FINE
        if self.turned:
            x, y = self._turn(x, y)
        cx, cy, r = round(x * s), round(y * s), max(1, round(radius * s))
        return cx - r, cy - r, cx + r, cy + r

    def _square(self, x: float, y: float, radius: float) -> tuple[int, int, int, int, int]:
        """Return radius [sub-pixels], left and top [pixels] and the sub-pixels beyond those."""
        s = self.scale * FINE
        if self.turned:
            x, y = self._turn(x, y)
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
        """Paste a colour through the mask of some shapes, which is cached."""
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


def _even(length: float) -> int:
    """Return the least even number of whole pixels that has room for a length."""
    return max(2, 2 * math.ceil(length / 2 - 1e-6))


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
