"""Pictures of positions: as an rgb array, as PNG and as SVG, from the same drawing code.

A game's `render.py` says what is drawn on (`board_of`) and draws a state on it (`paint`); here are
the canvases for both kinds of picture.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ludarium.core.errors import join_or
from ludarium.core.files import check_target, replacing
from ludarium.drawing.canvas import Board, Canvas, Frame, start

if TYPE_CHECKING:
    from ludarium.core.state import State

AnyCanvas = TypeVar("AnyCanvas", bound=Canvas)

#: The forms of a picture that `State.render` makes.
MODES = ("rgb_array", "svg", "ansi")
#: What the name of a picture's file may end in.
PICTURES = (".png", ".svg")


def draw(
    state: State,
    size: int = 512,
    theme: str = "light",
    overlay: Any = None,
    ending: str | None = None,
) -> Frame:
    """Return a picture of a state as a new array uint8 [height, width, 3].

    Args:
        state: of any game.
        size: the longer side in pixels, 128 to 2048.
        theme: ``"light"`` or ``"dark"``.
        overlay: what to mark on it, see `ludarium.drawing.overlays`.
        ending: a result that does not follow from the position, to be written as the caption.

    Raises:
        ValueError: The size, the theme or the overlay is not allowed.
    """
    board = _board_of(state)
    canvas = start(board.width, board.height, size, theme, board.paint, *board.args)
    return draw_on(canvas, state, overlay, ending).frame()


def draw_svg(
    state: State,
    size: int = 512,
    theme: str = "light",
    overlay: Any = None,
    ending: str | None = None,
) -> str:
    """Return a picture of a state as the text of an SVG file; as `draw`."""
    from ludarium.drawing.svg import start_svg

    canvas = start_svg(_board_of(state), size, theme)
    draw_on(canvas, state, overlay, ending)
    return canvas.document(f"{state.game.type.title}: {state.to_string()}")


def _board_of(state: State) -> Board:
    board: Board = state.game.type.submodule("render").board_of(state)
    return board


def draw_on(
    canvas: AnyCanvas, state: State, overlay: Any = None, ending: str | None = None
) -> AnyCanvas:
    """Draw a state on a canvas that has the board on it; returns the canvas."""
    canvas.ending = ending
    state.game.type.submodule("render").paint(canvas, state)
    if overlay is not None:
        from ludarium.drawing.overlays import paint_overlay

        paint_overlay(canvas, state, overlay)
    return canvas


def png(frame: Frame) -> bytes:
    """Return a picture as the bytes of a PNG file."""
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(frame).save(file, format="PNG")
    return file.getvalue()


def write_picture(
    state: State,
    path: str | os.PathLike[str],
    size: int = 512,
    theme: str = "light",
    overlay: Any = None,
    overwrite: bool = False,
) -> Path:
    """Write a picture of a state to a file, ``.png`` or ``.svg``.

    Raises:
        ValueError: The suffix, the size, the theme or the overlay is not allowed.
        OSError: The file cannot be written, or is there already. No half-written file is left.
    """
    target = check_target(path, PICTURES, overwrite)
    if target.suffix.lower() == ".svg":
        content = draw_svg(state, size, theme, overlay).encode()
    else:
        content = png(draw(state, size, theme, overlay))
    with replacing(target, overwrite) as file:
        file.write(content)
    return target


def render(state: State, mode: str, size: int, theme: str, overlay: Any) -> Frame | str:
    """Return what `State.render` returns."""
    if mode not in MODES:
        raise ValueError(f"mode={mode!r} is not allowed: mode is {join_or(MODES)}")
    if mode == "ansi":
        if overlay is not None:
            raise ValueError("an overlay is drawn on a picture: mode is 'rgb_array' or 'svg'")
        return str(state)
    return (draw if mode == "rgb_array" else draw_svg)(state, size, theme, overlay)
