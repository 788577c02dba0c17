"""The canvas: exact sizes, colours where they belong, edges that are smooth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PIL import Image

from ludarium.drawing import sprites
from ludarium.drawing.canvas import THEMES, Canvas, contrast, mix, start

INK = (10, 20, 200)


def plain(canvas: Canvas) -> None:
    """Paint a board of one colour."""
    canvas.rectangle(0, 0, canvas.width, canvas.height, canvas.theme.board)


def board_of(canvas: Canvas, units: int) -> None:
    """Paint a board that depends on something."""
    canvas.disc(units, units, 1, INK)


def at(canvas: Canvas, x: float, y: float) -> tuple[int, ...]:
    """Return the colour at a point in units."""
    column, row = canvas.to_pixels(x, y)
    return tuple(int(v) for v in canvas.frame()[int(row), int(column)])


def pile(canvas: Canvas, x: float, y: float, colour: Any) -> None:
    """Paint shapes that cover each other in part, within 1.5 units."""
    canvas.shadow(x, y + 0.3, 1.1, 0.4)
    canvas.disc(x, y, 0.9, colour, opacity=0.5)
    canvas.polygon([(x - 1, y), (x, y - 1), (x + 1, y + 0.4)], INK, (250, 220, 90), 0.1)
    canvas.sphere(x + 0.4, y + 0.2, 0.5, colour)


@pytest.mark.parametrize("size", [128, 131, 255, 512, 1000, 2048])
@pytest.mark.parametrize("form", [(10, 10), (8, 11), (20, 7), (10.8, 10), (9.3, 10), (3, 1)])
def test_both_sides_are_even_and_the_longer_is_the_size(
    size: int, form: tuple[float, float]
) -> None:
    canvas = start(*form, size, "light", plain)
    frame = canvas.frame()
    assert frame.shape == (*canvas.shape, 3) and frame.dtype == np.uint8
    assert max(frame.shape) == size - size % 2
    assert frame.shape[0] % 2 == frame.shape[1] % 2 == 0
    # the whole board is in the picture, above the caption
    right, bottom = canvas.to_pixels(*form)
    assert right <= frame.shape[1] + 0.51 and bottom <= frame.shape[0] - canvas.band + 0.51
    assert canvas.to_units(right, bottom) == pytest.approx(form)


@pytest.mark.parametrize("size", [128, 333, 512])
def test_a_kept_drawing_looks_like_its_shapes(size: int) -> None:
    kept, direct = (start(10, 10, size, "light", plain) for _ in range(2))
    for x, y, colour in ((2.03, 2.61, INK), (2.03, 2.61, (200, 0, 0)), (0.4, 7.37, INK)):
        before = kept.frame()
        for _ in range(2):  # made, then found
            kept._image = Image.fromarray(before)
            kept.drawing(x, y, 1.6, pile, colour)
            direct._image = Image.fromarray(before)
            pile(direct, x, y, colour)
            gap = np.abs(kept.frame().astype(int) - direct.frame())
            assert gap.max() <= 6
            assert (kept.frame() != before).any()


@pytest.mark.parametrize("theme", sorted(THEMES))
def test_forms_have_their_colours(theme: str) -> None:
    canvas = start(10, 10, 400, theme, plain)
    board = canvas.theme.board
    canvas.disc(2, 2, 1, INK, (200, 0, 0), 0.2)
    assert at(canvas, 2, 2) == INK and at(canvas, 2.9, 2) == (200, 0, 0)
    assert at(canvas, 2.8, 2.8) == board
    canvas.ring(5, 2, 1, INK, 0.3)
    assert at(canvas, 5, 2) == board and at(canvas, 5.85, 2) == INK and at(canvas, 5, 1.15) == INK
    canvas.dashed_ring(8, 2, 1, INK, 0.3)
    around = {
        at(canvas, 8 + 0.85 * np.cos(t), 2 + 0.85 * np.sin(t)) for t in np.arange(0, 6.2, 0.1)
    }
    assert INK in around and board in around
    canvas.line([(1, 4), (4, 4), (4, 5)], INK, 0.3)
    assert at(canvas, 2.5, 4) == INK and at(canvas, 4, 4.5) == INK and at(canvas, 2.5, 4.5) == board
    canvas.polygon([(6, 4), (8, 4), (8, 6)], INK, (200, 0, 0), 0.2)
    assert at(canvas, 7.5, 4.5) == INK and at(canvas, 7, 4) == (200, 0, 0)
    assert at(canvas, 6.4, 5.6) == board
    canvas.rectangle(1, 7, 2, 2, INK, (200, 0, 0), 0.2, radius=0.6)
    assert at(canvas, 2, 8) == INK and at(canvas, 1.1, 8) == (200, 0, 0)
    assert at(canvas, 1.05, 7.05) == board
    canvas.arrow([(5, 8), (8, 8)], INK, 0.2, head=1, start_gap=0.5, end_gap=0.5)
    assert at(canvas, 5.2, 8) == board and at(canvas, 6, 8) == INK
    assert at(canvas, 6.7, 8.3) == INK and at(canvas, 7.7, 8) == board
    canvas.sphere(9, 9, 0.8, INK)
    assert at(canvas, 9, 9) == INK and at(canvas, 9.75, 9.75) == board


def test_opacity_mixes() -> None:
    canvas = start(10, 10, 300, "light", plain)
    board = canvas.theme.board
    canvas.disc(3, 3, 2, INK, opacity=0.5)
    canvas.line([(6, 6), (9, 9)], INK, 1, opacity=0.5)
    for x, y in ((3, 3), (7.5, 7.5)):
        assert np.abs(np.array(at(canvas, x, y)) - mix(board, INK, 0.5)).max() <= 2


def test_edges_are_smooth() -> None:
    canvas = start(10, 10, 300, "light", plain)
    canvas.disc(5, 5, 3, INK)
    colours = {tuple(c) for c in canvas.frame()[: -canvas.band].reshape(-1, 3)}
    assert len(colours) > 20


@pytest.mark.parametrize("shift", [0.0, 0.003, 0.3, 0.77])
def test_discs_are_where_they_should_be(shift: float) -> None:
    canvas = start(10, 10, 300, "light", plain)
    canvas.disc(4 + shift, 5 + shift / 2, 1.5, (0, 0, 0))
    dark = 255 - canvas.frame()[: -canvas.band].mean(2)
    dark -= dark.min()
    rows, columns = np.indices(dark.shape) + 0.5
    x, y = canvas.to_pixels(4 + shift, 5 + shift / 2)
    assert abs((dark * columns).sum() / dark.sum() - x) < 0.2
    assert abs((dark * rows).sum() / dark.sum() - y) < 0.2


def test_forms_beyond_the_picture_are_cut() -> None:
    canvas = start(10, 10, 200, "light", plain)
    for x, y in ((-0.5, 5), (10.5, 5), (5, -0.5), (-20, -20), (5, 30)):
        canvas.disc(x, y, 1, INK)
        canvas.sphere(x, y, 1, INK)
        canvas.line([(x, y), (x + 1, y)], INK, 0.2)
        canvas.text(x, y, "beyond", 1)
    for x, y in ((0.2, 5), (9.8, 5), (5, 0.2)):
        assert at(canvas, x, y) != canvas.theme.board


@pytest.mark.parametrize("anchor", ["left", "middle", "right"])
def test_text_stands_at_its_anchor(anchor: str) -> None:
    canvas = start(10, 10, 500, "light", plain)
    before = canvas.frame()
    canvas.text(5, 5, "H1", 1.5, anchor=anchor)
    rows, columns = np.nonzero(np.abs(canvas.frame().astype(int) - before).max(2) > 60)
    x, y = canvas.to_pixels(5, 5)
    assert abs((rows.min() + rows.max() + 1) / 2 - y) <= 2
    edge = {
        "left": columns.min(),
        "middle": (columns.min() + columns.max() + 1) / 2,
        "right": columns.max() + 1,
    }[anchor]
    assert abs(edge - x) <= (4 if anchor == "middle" else 1)


@pytest.mark.parametrize("size", [128, 512])
@pytest.mark.parametrize("theme", sorted(THEMES))
def test_caption(size: int, theme: str) -> None:
    colours = THEMES[theme]
    frames = []
    for over in (False, True):
        canvas = start(10, 10, size, theme, plain)
        canvas.caption("Red to move", colours.players[0], "turn 3", over)
        band = canvas.frame()[-canvas.band :]
        paper = colours.ink if over else colours.background
        assert tuple(band[3, -2]) == paper
        assert (np.abs(band.astype(int) - colours.players[0]).max(2) < 3).sum() > 10, "no disc"
        assert (np.abs(band.astype(int) - paper).max(2) > 100).sum() > size / 4, "no text"
        frames.append(canvas.frame())
    assert np.array_equal(*(frame[: -canvas.band] for frame in frames))


def test_long_captions_leave_no_room_for_the_note() -> None:
    bands = []
    for note in ("", "a note"):
        canvas = start(10, 10, 128, "light", plain)
        canvas.caption("No winner: max_turns reached", None, note, over=True)
        bands.append(canvas.frame()[-canvas.band :])
    assert np.array_equal(*bands)
    assert (bands[0][:, -2] == THEMES["light"].ink).all(), "the text is not cut"


def test_boards_are_painted_once_and_kept() -> None:
    painted: list[Any] = []

    def board(canvas: Canvas, mark: int) -> None:
        painted.append(mark)
        canvas.disc(mark, mark, 1, INK)

    first = start(10, 10, 150, "light", board, 3)
    first.disc(8, 8, 1, (0, 0, 0))
    again = start(10, 10, 150, "light", board, 3)
    assert painted == [3]
    assert at(again, 8, 8) == THEMES["light"].background, "drawn on the board that is kept"
    start(10, 10, 150, "light", board, 4)
    start(10, 10, 151, "light", board, 3)
    start(10, 10, 150, "dark", board, 3)
    assert painted == [3, 4, 3, 3]
    one, two = start(9, 9, 150, "light", board_of, 2), start(9, 9, 150, "light", board_of, 6)
    assert at(one, 2, 2) == INK != at(one, 6, 6)
    assert at(two, 6, 6) == INK != at(two, 2, 2)


def test_store_keeps_the_latest() -> None:
    store = sprites.Store(100)
    made: list[str] = []

    def make(name: str) -> Any:
        made.append(name)
        return name.upper(), 40

    for name in ("a", "b", "a", "c", "a", "b"):
        assert store.get(name, lambda name=name: make(name)) == name.upper()
    assert made == ["a", "b", "c", "b"], "b was used least recently when c came"


def test_themes_can_be_read() -> None:
    def gap(a: Any, b: Any) -> float:
        """Return the WCAG contrast of two colours."""

        def light(colour: Any) -> float:
            parts = [v / 255 for v in colour]
            r, g, b = (v / 12.92 if v <= 0.04 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
            return 0.2126 * r + 0.7152 * g + 0.0722 * b

        bright, dark = sorted((light(a), light(b)), reverse=True)
        return (bright + 0.05) / (dark + 0.05)

    for theme in THEMES.values():
        assert gap(theme.ink, theme.background) > 10
        assert gap(theme.muted, theme.background) > 4.5
        assert gap(*theme.pieces) > 8
        for colour in (*theme.players, *theme.pieces):
            assert gap(contrast(colour), colour) > 3.5


def test_players_differ_for_colour_blind_eyes() -> None:
    # Machado, Oliveira, Fernandes 2009, severity 1, on linear RGB
    kinds = {
        "protan": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
        "deutan": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
        "tritan": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
    }
    for theme in THEMES.values():
        for pair in (theme.players, theme.pieces, (theme.last, theme.chosen)):
            linear = [(np.array(colour) / 255) ** 2.2 for colour in pair]
            for kind, matrix in kinds.items():
                one, two = (np.clip(np.array(matrix) @ c, 0, 1) ** (1 / 2.2) * 255 for c in linear)
                assert np.abs(one - two).max() > 50, (theme.name, pair, kind)
