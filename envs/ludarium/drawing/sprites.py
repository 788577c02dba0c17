"""Smooth masks and sprites for the canvas, made once and cached.

Positions and lengths are whole sub-pixels, a quarter of a pixel each: fine enough for the eye, and
coarse enough that the pieces of a board share their masks.
"""

from __future__ import annotations

import functools
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeAlias

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ludarium.drawing.themes import Colour

# ---------------------------------------------------------------- kept images


class Store:
    """A cache of images that drops the least recently used ones beyond a number of bytes."""

    def __init__(self, most_bytes: int) -> None:
        self._most, self._used = most_bytes, 0
        self._images: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<Store of {len(self._images)} images, {self._used} of {self._most} bytes>"

    def get(self, key: Hashable, make: Callable[[], tuple[Any, int]]) -> Any:
        """Return the image cached under a key; `make` returns a new one with its size in bytes."""
        with self._lock:
            found = self._images.get(key)
            if found is not None:
                self._images.move_to_end(key)
                return found[0]
        value, size = make()
        with self._lock:
            if key not in self._images:
                self._images[key] = value, size
                self._used += size
            while self._used > self._most and len(self._images) > 1:
                self._used -= self._images.popitem(last=False)[1][1]
        return value


boards = Store(64_000_000)
_kept = Store(64_000_000)

FINE = 4  # sub-pixels: positions are whole numbers of them, masks are drawn with them

# One filled form of a mask: kind, ink (255 adds, 0 cuts out), coordinates in sub-pixels, radius.
Form: TypeAlias = tuple[str, int, tuple[int, ...], int]


def _draw_mask(forms: tuple[Form, ...], size: tuple[int, int], opacity: float) -> tuple[Any, int]:
    """Draw forms [sub-pixels] as a smooth mask of `size` pixels."""
    width, height = size
    fine = FINE if max(width, height) <= 1024 else FINE // 2
    mask = Image.new("L", (width * fine, height * fine), 0)
    draw = ImageDraw.Draw(mask)
    for kind, ink, numbers, radius in forms:
        if fine != FINE:
            numbers, radius = tuple(n * fine // FINE for n in numbers), radius * fine // FINE
        if kind == "polygon":
            draw.polygon(numbers, fill=ink)
            continue
        x0, y0, x1, y1 = numbers
        box = (x0, y0, max(x1 - 1, x0), max(y1 - 1, y0))
        if kind == "ellipse":
            draw.ellipse(box, fill=ink)
        else:
            draw.rounded_rectangle(box, radius, fill=ink)
    mask = mask.reduce(fine)
    if opacity < 1:
        mask = mask.point([round(level * opacity) for level in range(256)])
    return mask, width * height


@functools.lru_cache(maxsize=64)
def _font(pixels: int) -> Any:
    return ImageFont.load_default(size=pixels)


def _draw_text(line: str, pixels: int, stroke: int) -> tuple[Any, int]:
    """Draw text as (mask, its left and top, left and right of the ink) in pixels.

    All are counted from the middle of the base line.

    The text is drawn large and scaled down: small type is placed at whole pixels, unevenly.
    """
    font = _font(pixels * FINE)
    x0, y0, x1, y1 = font.getbbox(line, anchor="ms", stroke_width=stroke)
    x0, y0 = math.floor(x0 / FINE), math.floor(y0 / FINE)
    x1, y1 = max(math.ceil(x1 / FINE), x0 + 1), max(math.ceil(y1 / FINE), y0 + 1)
    image = Image.new("L", ((x1 - x0) * FINE, (y1 - y0) * FINE), 0)
    ImageDraw.Draw(image).text(
        (-x0 * FINE, -y0 * FINE), line, fill=255, font=font, anchor="ms", stroke_width=stroke
    )
    ink = image.getbbox() or (0, 0, image.width, image.height)
    left, right = x0 + ink[0] // FINE, x0 + -(-ink[2] // FINE)
    return (image.reduce(FINE), x0, y0, left, right), image.width * image.height // FINE**2


def _draw_sphere(
    radius: int, dx: int, dy: int, colour: Colour, rim: Colour, gloss: float
) -> tuple[Any, int]:
    """Draw a lit sphere as (image, mask); all lengths in sub-pixels."""
    r = radius / FINE
    side = math.ceil(r * 2 + 2)
    y, x = np.mgrid[0:side, 0:side] + 0.5
    x, y = (x - r - 1 - dx / FINE) / r, (y - r - 1 - dy / FINE) / r
    distance = np.sqrt(x * x + y * y)
    # light from the upper left; most of the face keeps the colour itself
    lit = np.clip(1 - np.hypot(x + 0.38, y + 0.42) / 1.5, 0, 1)
    shade = np.clip(distance - 0.45, 0, 1) ** 2 * 1.1 * (1 - lit)
    shine = np.clip(1 - np.hypot(x + 0.36, y + 0.44) / 0.42, 0, 1) ** 2 * gloss
    band = np.clip((distance - 1) * r + max(1.0, r * 0.07) + 0.5, 0, 1) * 0.85
    face = np.array(colour, float) * (1 - shade[..., None] * 0.8)
    face += (255 - face) * shine[..., None]
    face += (np.array(rim, float) - face) * band[..., None]
    alpha = np.clip((1 - distance) * r + 0.5, 0, 1) * 255
    image = Image.fromarray(np.clip(face + 0.5, 0, 255).astype(np.uint8))
    mask = Image.fromarray((alpha + 0.5).astype(np.uint8))
    return (image, mask), side * side * 4


def _draw_circle(radius: int, dx: int, dy: int, width: int, opacity: float) -> tuple[Any, int]:
    """Draw a disc, or a ring of a width, as a mask; lengths in sub-pixels."""
    r = radius / FINE
    side = math.ceil(r * 2 + 2)
    y, x = np.mgrid[0:side, 0:side] + 0.5
    distance = np.hypot(x - r - 1 - dx / FINE, y - r - 1 - dy / FINE)
    alpha = np.clip(r - distance + 0.5, 0, 1)
    if width:
        alpha -= np.clip(r - width / FINE - distance + 0.5, 0, 1)
    return Image.fromarray((alpha * opacity * 255 + 0.5).astype(np.uint8)), side * side


def _draw_shadow(radius: int, dx: int, dy: int, opacity: float) -> tuple[Any, int]:
    """Draw a soft disc as a mask; lengths in sub-pixels."""
    r = radius / FINE
    side = math.ceil(r * 2 + 2)
    y, x = np.mgrid[0:side, 0:side] + 0.5
    distance = np.hypot(x - r - 1 - dx / FINE, y - r - 1 - dy / FINE) / r
    alpha = np.clip((1 - distance) / 0.4, 0, 1)
    alpha = alpha * alpha * (3 - 2 * alpha) * 255 * opacity
    return Image.fromarray((alpha + 0.5).astype(np.uint8)), side * side


# ---------------------------------------------------------------- kept ones


def mask(forms: tuple[Form, ...], size: tuple[int, int], opacity: float) -> Image.Image:
    """Return the mask of `size` pixels that forms make."""
    found: Image.Image = _kept.get((forms, size, opacity), lambda: _draw_mask(forms, size, opacity))
    return found


def text(line: str, pixels: int, stroke: int = 0) -> tuple[Image.Image, int, int, int, int]:
    """Return a line of text: its mask, left and top of that, left and right of the ink.

    They are counted from the middle of the base line. `stroke` makes the text bolder by so many
    sub-pixels on each side.
    """
    found: tuple[Image.Image, int, int, int, int] = _kept.get(
        ("text", line, pixels, stroke), lambda: _draw_text(line, pixels, stroke)
    )
    return found


def sphere(
    radius: int, dx: int, dy: int, colour: Colour, rim: Colour, gloss: float
) -> tuple[Image.Image, Image.Image]:
    """Return the image and mask of a sphere `dx, dy` sub-pixels off the pixels' corner."""
    found: tuple[Image.Image, Image.Image] = _kept.get(
        ("sphere", radius, dx, dy, colour, rim, gloss),
        lambda: _draw_sphere(radius, dx, dy, colour, rim, gloss),
    )
    return found


def circle(radius: int, dx: int, dy: int, width: int = 0, opacity: float = 1.0) -> Image.Image:
    """Return the mask of a disc, or of a ring `width` sub-pixels wide."""
    found: Image.Image = _kept.get(
        ("circle", radius, dx, dy, width, opacity),
        lambda: _draw_circle(radius, dx, dy, width, opacity),
    )
    return found


def shadow(radius: int, dx: int, dy: int, opacity: float) -> Image.Image:
    """Return the mask of a soft disc."""
    found: Image.Image = _kept.get(
        ("shadow", radius, dx, dy, opacity), lambda: _draw_shadow(radius, dx, dy, opacity)
    )
    return found


def drawing(key: Hashable, draw: Callable[[], Image.Image]) -> tuple[Image.Image, int, int]:
    """Return an image RGBA, cut down to what is seen, and what was cut off left and above it.

    Args:
        key: all that the drawing depends on.
        draw: returns an image RGBX, all zeros before colours were pasted through masks: the
            fourth band of a colour is 255, which makes it the opacity.
    """

    def make() -> tuple[Any, int]:
        image = draw()
        left, top, right, bottom = image.getbbox() or (0, 0, 1, 1)
        image = image.crop((left, top, right, bottom))
        # a colour blended with zeros has been multiplied by its opacity
        image = Image.frombytes("RGBa", image.size, image.tobytes()).convert("RGBA")
        return (image, left, top), image.width * image.height * 4

    found: tuple[Image.Image, int, int] = _kept.get(("drawing", key), make)
    return found
