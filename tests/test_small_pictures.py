"""What is written on pictures can be read at every size, in every viewer, or is left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import golden
import pytest
from browsing import needs_chromium

import ludarium
from ludarium.drawing.canvas import LEAST_CAPTION, Canvas, start
from ludarium.drawing.themes import THEMES

SVG = "{http://www.w3.org/2000/svg}"
SIZES = (128, 200, 320, 512)


def plain(canvas: Canvas) -> None:
    """A board with nothing on it."""


def written(caption: str, size: int, note: str = "", over: bool = True) -> list[tuple[str, int]]:
    """Return the texts of a caption and the sizes of their type in pixels."""
    canvas = start(10, 10, size, "light", plain)
    texts: list[tuple[str, int]] = []
    write = canvas._write

    def spy(x: float, y: float, text: str, pixels: int, *rest: Any, **more: Any) -> None:
        texts.append((text, pixels))
        write(x, y, text, pixels, *rest, **more)

    canvas._write = spy  # type: ignore[method-assign]
    canvas.caption(caption, THEMES["light"].players[0], note, over)
    band = canvas.frame()[-canvas.band :]
    paper = THEMES["light"].ink if over else THEMES["light"].background
    assert (band[1:, -2] == paper).all(), "the text is not cut by the edge"
    return texts


def states_of(name: str) -> list[Any]:
    """Return the first, a middle and the last position of each golden game."""
    return [
        s
        for states in golden.games(name)
        for s in (states[0], states[len(states) // 2], states[-1])
    ]


@pytest.mark.parametrize("size", SIZES)
def test_captions_are_large_enough_to_read(size: int) -> None:
    long = "Red has won: Red starts the turn with 12 towers"
    for caption in (
        "Red to move",
        long,
        "No winner (a reason of the recorder)",
        "somebody has won by an illegal action of somebody else",
        "W" * 60,
    ):
        ((text, pixels),) = written(caption, size)
        assert pixels >= LEAST_CAPTION
        if text != caption:
            assert written(caption, size, "turn 3") == [(text, pixels)], "no note beside it"
            cut = text.endswith("...") and caption.startswith(text[:-3])
            assert cut or caption.startswith((f"{text}: ", f"{text} (")), text
    assert written(long, 128) == [("Red has won", 9)]
    assert written(long, 512)[0][0] == long
    assert len(written("W" * 60, 128)[0][0]) > 5
    assert [t for t, _ in written("Red to move", 200, "turn 3", False)] == ["Red to move", "turn 3"]


@needs_chromium
def test_svg_has_room_for_wider_letters(name: str, browser: Any, tmp_path: Path) -> None:
    """A viewer may know neither the typeface nor `textLength`: words stay in the picture.

    Numbers of rows, which are two letters at most, may reach a pixel or two beyond.
    """
    ElementTree.register_namespace("", SVG.strip("{}"))
    page = browser.new_page()
    for size in (128, 320, 512):
        documents = []
        for state in states_of(name):
            root = ElementTree.fromstring(state.render("svg", size))
            root.set("font-family", "DejaVu Sans, Verdana, sans-serif")
            for element in root.iter(f"{SVG}text"):
                element.attrib.pop("textLength", None)
                element.attrib.pop("lengthAdjust", None)
            documents.append(ElementTree.tostring(root, "unicode"))
        page.set_content("".join(documents))
        assert page.locator("svg text").count() > 3 * len(documents)
        outside = page.evaluate(
            """() => [...document.querySelectorAll('svg')].flatMap(svg => {
                const [, , width, height] = svg.getAttribute('viewBox').split(' ').map(Number);
                const texts = [...svg.querySelectorAll('text')].map(t => [t, t.getBBox()]);
                const band = texts.filter(([t, b]) => b.y + b.height / 2 > height - 16);
                const [one, two] = band.map(([t, b]) => b);
                const touching = two && one.x + one.width > two.x ? ['caption and note'] : [];
                const beyond = b => b.x < -0.5 || b.x + b.width > width + 0.5;
                return texts.filter(([t, b]) => t.textContent.length > 2 && beyond(b))
                    .map(([t]) => t.textContent).concat(touching);
            })"""
        )
        assert outside == [], (size, outside)
    page.close()


def test_coordinates_have_room_or_are_left_out() -> None:
    """Numbers beside a board of 19 lines would lie on one another in the smallest picture."""
    for n, size, labels in ((12, 128, True), (19, 128, False), (19, 200, True)):
        state = ludarium.load_game("gliss", board_size=n).new_initial_state()
        texts = ElementTree.fromstring(state.render("svg", size)).iter(f"{SVG}text")
        assert ("a" in [text.text for text in texts]) == labels, (n, size)
