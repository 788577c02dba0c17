"""The colours of pictures: told apart in grey, by colour-blind readers, and on every ground.

Lightness is compared by the contrast ratio of WCAG 2.1 (relative luminance). Colour blindness is
simulated with the matrices for severity 1.0 of Machado, Oliveira and Fernandes, "A
Physiologically-based Model for Simulation of Color Vision Deficiency" (2009), applied to linear
RGB; differences are those of CIE 1976 (Lab, white point D65).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import ludarium
from ludarium.drawing.pictures import draw
from ludarium.drawing.themes import THEMES, Colour

Floats = npt.NDArray[np.float64]

OWNERS = 3.0  # least contrast of two owners, and of a mark or its outline with its ground
APART = 18.0  # least difference of owners and marks; 2.3 is just noticeable
CHOICE = 20.0  # of what is chosen from what belongs to nobody

VISION = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
WHITE = np.array([0.95047, 1.0, 1.08883])


def linear(colour: Any) -> Floats:
    """Return a colour of 0 to 255 in linear RGB, 0 to 1."""
    c = np.asarray(colour, float) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(a: Any, b: Any) -> float:
    """Return the contrast ratio of two colours, 1 to 21."""
    low, high = sorted(float(TO_XYZ[1] @ linear(colour)) for colour in (a, b))
    return (high + 0.05) / (low + 0.05)


def lab(colour: Any, vision: str) -> Floats:
    """Return a colour in Lab, as it is seen."""
    xyz = TO_XYZ @ np.clip(VISION[vision] @ linear(colour), 0, 1) / WHITE
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def difference(a: Any, b: Any, vision: str) -> float:
    return float(np.linalg.norm(lab(a, vision) - lab(b, vision)))


themes = pytest.mark.parametrize("theme", sorted(THEMES))
visions = pytest.mark.parametrize("vision", sorted(VISION))


def test_the_measures_are_those_of_the_standards() -> None:
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((118, 118, 118), (255, 255, 255)) == pytest.approx(4.54, abs=0.01)
    assert lab((255, 255, 255), "usual") == pytest.approx([100, 0, 0], abs=0.02)
    assert lab((255, 0, 0), "usual") == pytest.approx([53.24, 80.09, 67.20], abs=0.05)
    for vision, matrix in VISION.items():  # grey stays grey
        assert matrix.sum(1) == pytest.approx(1, abs=1e-5), vision
    assert difference((200, 60, 60), (110, 110, 30), "deuteranopia") < 30
    assert difference((200, 60, 60), (110, 110, 30), "usual") > 60


@themes
def test_owners_differ_in_grey(theme: str) -> None:
    colours = THEMES[theme]
    for owners in (colours.players, colours.pieces):
        assert contrast(*owners) >= OWNERS


@themes
@visions
def test_owners_marks_and_choices_differ(theme: str, vision: str) -> None:
    t = THEMES[theme]
    pairs: list[tuple[str, Colour, Colour]] = [
        ("players", *t.players),
        ("pieces", *t.pieces),
        ("last, chosen", t.last, t.chosen),
        ("last, capture", t.last, t.capture),
        ("chosen, capture", t.chosen, t.capture),
        ("last, neutral", t.last, t.neutral),
        ("capture, neutral", t.capture, t.neutral),
    ]
    for number, player in enumerate(t.players):
        pairs += [
            (f"player {number}, last", player, t.last),
            (f"player {number}, chosen", player, t.chosen),
            (f"player {number}, capture", player, t.capture),
        ]
    found = {name: difference(a, b, vision) for name, a, b in pairs}
    assert {name: value for name, value in found.items() if value < APART} == {}
    assert difference(t.chosen, t.neutral, vision) >= CHOICE


@themes
def test_marks_show_on_every_ground(theme: str) -> None:
    """The amber of the last turn, or the outline that is always around it."""
    t = THEMES[theme]
    for ground in (t.background, t.board, t.board_dark, *t.players, *t.pieces, t.neutral, t.grid):
        assert max(contrast(t.last, ground), contrast(t.outline, ground)) >= OWNERS, ground


GLISS = "12/12/12/12/3RR1BB4/3RR1BB4/12/12/12/9B2/B7BB2/8R2R R - 12"


@themes
@pytest.mark.parametrize("size", [128, 320, 640])
def test_owners_of_gliss_differ_in_a_grey_picture(theme: str, size: int) -> None:
    """Bases, gliders and towers: at the centres of stones, and every stone on its board."""
    state = ludarium.load_game("gliss").state_from_string(GLISS)
    picture = draw(state, size, theme).astype(float)
    units = 11 + 2 * 1.4, 11 + 2 * (1.4 + 0.9)  # of the board and its margins
    scale = min(picture.shape[1] / units[0], picture.shape[0] / units[1])
    at = {}
    for player, vertices in enumerate((("d8", "e7", "i1", "l1"), ("g8", "h7", "j2", "a2"))):
        for vertex in vertices:
            column, row = "abcdefghijkl".index(vertex[0]), 12 - int(vertex[1:])
            x, y = (1.4 + column) * scale, (2.3 + row) * scale
            at[vertex] = player, picture[int(y), int(x)]
    for one, (player, colour) in at.items():
        for other, (owner, found) in at.items():
            if player != owner:
                assert contrast(colour, found) >= OWNERS, (one, other)
