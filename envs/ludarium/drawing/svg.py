"""The canvas whose picture is SVG: the same shapes, marks and captions, as elements.

An element is a template with a gap for each colour, so that a picture in two themes can be written
as one; see `records/html.py`. Lengths are pixels of a picture of the requested size.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from ludarium.core.options import check_size
from ludarium.drawing.canvas import Board, Canvas
from ludarium.drawing.shapes import Point
from ludarium.drawing.themes import Colour, Theme, check_theme, mix

GAP = "\0"  # stands in a template for a colour
FONT = "Aileron, Helvetica, Arial, 'Liberation Sans', sans-serif"
# How much wider than in the typeface of the other pictures a text can be in one that stands in for
# it. DejaVu Sans, the widest in common use, has 1.27 and 1.32 times the width in captions.
WIDER, WIDER_BOLD = 1.3, 1.35

Elements: TypeAlias = "list[Element]"


class Element(NamedTuple):
    """A piece of SVG with gaps, and the colours that fill them."""

    template: str
    colours: tuple[Colour, ...]

    def text(self, name: Callable[[Colour], str]) -> str:
        """Return it with each colour as `name` says it."""
        parts = self.template.split(GAP)
        return "".join(a + b for a, b in zip(parts, [*map(name, self.colours), ""], strict=True))


def hexadecimal(colour: Colour) -> str:
    """Return a colour as CSS writes it."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _number(value: float) -> str:
    """Return a length, exact to a hundredth of a pixel and as short as that can be."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


# ---------------------------------------------------------------- the canvas


class SvgCanvas(Canvas):
    """A picture being drawn, made by `start_svg`.

    Attributes:
        elements: the elements drawn so far, in order.
        definitions: definitions that elements refer to, by name.
        caption_colour: colour of the disc in the caption: of the player to move, or of the winner.
    """

    def __init__(
        self,
        width: float,
        height: float,
        size: int,
        theme: Theme,
        name: str,
        turned: bool = False,
    ) -> None:
        """Use `start_svg`; `name` begins the names of definitions."""
        super().__init__(width, height, size, theme, turned=turned)
        self.elements: Elements = []
        self.definitions: dict[str, Elements] = {}
        self.caption_colour: Colour | None = None
        self._name = name

    def bare(self) -> SvgCanvas:
        """Return an empty canvas of the same size and theme, without the board."""
        return SvgCanvas(self.width, self.height, self.size, self.theme, self._name, self.turned)

    def document(self, title: str) -> str:
        """Return the picture as the text of an SVG file."""
        height, width = self.shape
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="{FONT}" role="img">',
            f"<title>{html.escape(title)}</title>",
            "<defs>",
            *self._texts(e for found in self.definitions.values() for e in found),
            "</defs>",
            f'<rect width="100%" height="100%" fill="{hexadecimal(self.theme.background)}"/>',
            *self._texts(self.elements),
            "</svg>",
        ]
        return "\n".join(parts) + "\n"

    @staticmethod
    def _texts(elements: Iterable[Element]) -> list[str]:
        return [element.text(hexadecimal) for element in elements]

    # ---- elements

    def _add(self, template: str, *colours: Colour) -> None:
        self.elements.append(Element(template, colours))

    def _x(self, units: float) -> str:
        return _number(units * self.scale)

    def _points(self, points: Sequence[Point]) -> str:
        turned = [self._turn(x, y) for x, y in points]
        return " ".join(f"{self._x(x)},{self._x(y)}" for x, y in turned)

    @staticmethod
    def _opacity(opacity: float) -> str:
        return "" if opacity >= 1 else f' opacity="{_number(opacity)}"'

    def _round(self, x: float, y: float, radius: float, rest: str, *colours: Colour) -> None:
        x, y = self._turn(x, y)
        place = f'cx="{self._x(x)}" cy="{self._x(y)}" r="{self._x(max(radius, 0.0))}"'
        self._add(f"<circle {place} {rest}/>", *colours)

    def _define(self, name: str, elements: Elements) -> str:
        """Store a definition and return the name that refers to it."""
        name = f"{self._name}{name}"
        self.definitions.setdefault(name, elements)
        return name

    def _gradient(self, name: str, focus: str, stops: Sequence[tuple[float, str, float]]) -> str:
        """Define a radial gradient of (place, colour, opacity); the same in both themes."""
        inner = "".join(
            f'<stop offset="{_number(at)}" stop-color="{colour}" stop-opacity="{_number(alpha)}"/>'
            for at, colour, alpha in stops
        )
        known = f"{self._name}{name}"
        template = f'<radialGradient id="{known}"{focus}>{inner}</radialGradient>'
        return self._define(name, [Element(template, ())])

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
        if fill is not None:
            inset = width / 2 if outline is not None else 0.0
            self._round(x, y, radius - inset, f'fill="{GAP}"{self._opacity(opacity)}', fill)
        if outline is not None and width > 0:
            self.ring(x, y, radius, outline, width, opacity)

    def ring(
        self, x: float, y: float, radius: float, colour: Colour, width: float, opacity: float = 1.0
    ) -> None:
        """Draw a ring whose outer radius is `radius`."""
        self.dashed_ring(x, y, radius, colour, width, 0, opacity)

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
        """Draw a ring of `dashes` arcs whose outer radius is `radius`; 0: a whole one."""
        width = min(width, radius)
        middle = radius - width / 2
        rest = f'fill="none" stroke="{GAP}" stroke-width="{self._x(width)}"{self._opacity(opacity)}'
        if dashes:
            part = 2 * 3.141592653589793 * middle / dashes
            rest += f' stroke-dasharray="{self._x(part * 0.6)} {self._x(part * 0.4)}"'
        self._round(x, y, middle, rest, colour)

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
        width = self.least(radius * 0.07, 1.0)
        self._round(x, y, radius, f'fill="{GAP}"', colour)
        light = self._gradient(
            f"light-{round(gloss * 100)}",
            ' fx=".32" fy=".28"',
            [(0, "#fff", gloss), (0.3, "#fff", 0), (0.7, "#000", 0), (1, "#000", 0.25)],
        )
        edge = f'fill="url(#{light})" stroke="{GAP}" stroke-width="{self._x(width)}"'
        self._round(x, y, radius - width / 2, edge, rim)

    def shadow(self, x: float, y: float, radius: float, opacity: float = 0.45) -> None:
        """Draw a soft dark disc, painted below a piece that lies above others."""
        stops = [(0.6, "#000", opacity), (0.8, "#000", opacity / 2), (1, "#000", 0)]
        soft = self._gradient(f"shadow-{round(opacity * 100)}", "", stops)
        self._round(x, y, radius, f'fill="url(#{soft})"')

    def polygon(
        self,
        points: Sequence[Point],
        fill: Colour | None,
        outline: Colour | None = None,
        width: float = 0.0,
        opacity: float = 1.0,
    ) -> None:
        """Draw a closed polygon; the outline, with round corners, lies half inside."""
        rest, colours = ' fill="none"', []
        if fill is not None:
            rest, colours = f' fill="{GAP}"', [fill]
        if outline is not None and width > 0:
            rest += f' stroke="{GAP}" stroke-width="{self._x(width)}" stroke-linejoin="round"'
            colours.append(outline)
        rest += self._opacity(opacity)
        self._add(f'<polygon points="{self._points(points)}"{rest}/>', *colours)

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
        if self.turned:
            x, y = self._turn(x + width, y + height)
        colours = []
        rest = ' fill="none"'
        if fill is not None:
            rest = f' fill="{GAP}"'
            colours.append(fill)
        inset = 0.0
        if outline is not None and line > 0:
            inset = line / 2
            rest += f' stroke="{GAP}" stroke-width="{self._x(line)}"'
            colours.append(outline)
        if radius > inset:
            rest += f' rx="{self._x(radius - inset)}"'
        place = f'x="{self._x(x + inset)}" y="{self._x(y + inset)}"'
        size = f'width="{self._x(width - 2 * inset)}" height="{self._x(height - 2 * inset)}"'
        self._add(f"<rect {place} {size}{rest}{self._opacity(opacity)}/>", *colours)

    def line(
        self, points: Sequence[Point], colour: Colour, width: float, opacity: float = 1.0
    ) -> None:
        """Draw a line through points, with round corners and ends."""
        self._add(
            f'<polyline points="{self._points(points)}" fill="none" stroke="{GAP}" '
            f'stroke-width="{self._x(width)}" stroke-linecap="round" stroke-linejoin="round"'
            f"{self._opacity(opacity)}/>",
            colour,
        )

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
        if opacity < 1:  # its parts overlap: they are faded together
            self._add(f'<g opacity="{_number(opacity)}">')
        if outline is not None:
            if len(shaft) > 1:
                self.line(shaft, outline, width + 2 * edge)
            self.polygon(triangle, outline, outline, 2 * edge)
        if len(shaft) > 1:
            self.line(shaft, colour, width)
        self.polygon(triangle, colour)
        if opacity < 1:
            self._add("</g>")

    def drawing(
        self, x: float, y: float, reach: float, paint: Callable[..., None], *args: Hashable
    ) -> None:
        """Draw what `paint` paints from many shapes, defined once and referred to."""
        words = [paint.__name__, *map(str, args)]
        name = re.sub(r"[^a-z0-9]+", "-", " ".join(words).lower()).strip("-")
        known = f"{self._name}{name}"
        if known not in self.definitions:
            kept, self.elements = self.elements, []
            with self.upright():
                paint(self, 0.0, 0.0, *args)
            inner, self.elements = self.elements, kept
            template = "".join(element.template for element in inner)
            colours = tuple(colour for element in inner for colour in element.colours)
            self._define(name, [Element(f'<g id="{known}">{template}</g>', colours)])
        x, y = self._turn(x, y)
        self._add(f'<use href="#{known}" x="{self._x(x)}" y="{self._x(y)}"/>')

    # ---- text

    def caption(
        self, text: str, colour: Colour | None = None, note: str = "", over: bool = False
    ) -> None:
        """Write the line below the board: the side to move, or the result."""
        self.caption_colour = colour
        super().caption(text, colour, note, over)

    def _room_for(self, text: str, pixels: int, bold: bool = False) -> float:
        """Return the width to keep free where a viewer lacks the typeface and `textLength`."""
        return self._length_of(text, pixels) * (WIDER_BOLD if bold else WIDER)

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
        colours = [colour]
        rest = (
            "" if anchor == "left" else f' text-anchor="{ {"right": "end"}.get(anchor, anchor) }"'
        )
        if len(text) > 1:  # as wide as in the typeface of the other pictures
            rest += f' textLength="{self._length_of(text, pixels)}" lengthAdjust="spacingAndGlyphs"'
        if bold:
            rest += ' font-weight="bold"'
        if halo is not None:
            width = _number(max(2, pixels / 4.5))
            rest += f' stroke="{GAP}" stroke-width="{width}" stroke-linejoin="round"'
            rest += ' paint-order="stroke"'
            colours.append(halo)
        place = f'x="{_number(x)}" y="{_number(y + pixels * 0.355)}" font-size="{pixels}"'
        shown = html.escape(text, quote=False).replace(GAP, "")
        self._add(f'<text {place} fill="{GAP}"{rest}>{shown}</text>', *colours)


# ---------------------------------------------------------------- starting


def start_svg(
    board: Board, size: int, theme: str, name: str | None = None, turned: bool = False
) -> SvgCanvas:
    """Return a canvas that shows the board.

    Args:
        board: the board.
        size: the longer side of the picture in pixels, 128 to 2048, at its natural size; an odd
            one is made even, one pixel less.
        theme: ``"light"`` or ``"dark"``.
        name: begins the names of what elements refer to; None: one that no picture of another
            theme or size has, so that several can stand in one page.
        turned: whether the board is turned by 180 degrees.

    Raises:
        ValueError: The size or the theme is not allowed.
    """
    colours, pixels = check_theme(theme), check_size(size)
    if name is None:
        name = f"{theme}-{pixels}-"
    canvas = SvgCanvas(board.width, board.height, pixels, colours, name, turned)
    board.paint(canvas, *board.args)
    return canvas
