"""Pictures of positions: as an rgb array, as PNG and as SVG, from the same drawing code.

The `render.py` of a game has `board_of`, which says what a state is drawn on, and `paint`, which
draws a state and its last turn on it. `pictures` makes of these two the functions `draw` and
`render` of the game, as `environments` makes its environments.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ludarium.core.errors import join_or, show
from ludarium.core.files import check_target, replacing
from ludarium.core.history import LastTurn, last_turn_of
from ludarium.core.options import check_orientation
from ludarium.drawing.canvas import Board, Canvas, Frame, start

if TYPE_CHECKING:
    from ludarium.core.state import State

AnyCanvas = TypeVar("AnyCanvas", bound=Canvas)

#: The modes of `State.render`.
MODES = ("rgb_array", "svg", "ansi")
#: The suffixes of a picture's file.
PICTURES = (".png", ".svg")


def pictures(
    board_of: Callable[[State], Board], paint: Callable[[Canvas, State, LastTurn], None]
) -> tuple[Callable[..., Frame], Callable[..., Frame | str]]:
    """Return the functions `draw` and `render` of a game's `render.py`.

    Args:
        board_of: returns the board that a state is drawn on.
        paint: paints a state and its last turn on a canvas that shows the board.

    Returns:
        draw: draws a state, as `draw` of this module.
        render: draws a state in a mode, as `State.render`.
    """

    def draw(
        state: State,
        size: int = 512,
        theme: str = "light",
        overlay: Any = None,
        ending: str | None = None,
        last_turn: LastTurn | None = None,
        orientation: int | str = 0,
        top: int | None = None,
    ) -> Frame:
        canvas = _start(board_of(state), size, theme, bottom_player(state, orientation) == 1)
        return draw_on(canvas, state, overlay, ending, last_turn, top).frame()

    def draw_svg(
        state: State,
        size: int,
        theme: str,
        overlay: Any,
        orientation: int | str,
        top: int | None,
    ) -> str:
        from ludarium.drawing.svg import start_svg

        turned = bottom_player(state, orientation) == 1
        canvas = start_svg(board_of(state), size, theme, turned=turned)
        draw_on(canvas, state, overlay, top=top)
        return canvas.document(f"{state.game.type.title}: {state.to_string()}")

    def render(
        state: State,
        mode: str = "rgb_array",
        size: int = 512,
        theme: str = "light",
        overlay: Any = None,
        orientation: int | str = 0,
        top: int | None = None,
    ) -> Frame | str:
        if mode not in MODES:
            raise ValueError(f"mode={show(mode)} is not allowed: mode is {join_or(MODES)}")
        if mode == "ansi":
            if overlay is not None:
                raise ValueError("an overlay is drawn on a picture: mode is 'rgb_array' or 'svg'")
            turned = bottom_player(state, orientation) == 1
            diagram: str = state.game.type.submodule("notation").diagram(state, turned)
            return diagram
        if mode == "svg":
            return draw_svg(state, size, theme, overlay, orientation, top)
        return draw(state, size, theme, overlay, orientation=orientation, top=top)

    return draw, render


def draw(
    state: State,
    size: int = 512,
    theme: str = "light",
    overlay: Any = None,
    ending: str | None = None,
    last_turn: LastTurn | None = None,
    orientation: int | str = 0,
    top: int | None = None,
) -> Frame:
    """Return a picture of a state as a new array uint8 [height, width, 3].

    Args:
        state: of any game.
        size: the longer side in pixels, 128 to 2048. Both sides are even, because films need it:
            an odd size gives a picture that is one pixel smaller.
        theme: ``"light"`` or ``"dark"``.
        overlay: candidate actions to mark, see `ludarium.drawing.overlays`.
        ending: a result that does not follow from the position, written as the caption.
        last_turn: what was played immediately before; None: replay the history to find it.
        orientation: whose side of the board is at the bottom, see `bottom_player`.
        top: the number of best actions that the overlay marks; None: all.

    Raises:
        ValueError: The size, the theme, the overlay, `top` or the orientation is not allowed.
    """
    module = _module(state)
    frame: Frame = module.draw(state, size, theme, overlay, ending, last_turn, orientation, top)
    return frame


def draw_ghost(state: State, after: State, size: int, theme: str, turned: bool = False) -> Frame:
    """Return a picture of a state with a faint picture of another one over its board.

    Shapes are halfway between those of both states. Texts, such as counts, and the caption are
    those of the first state alone: two texts over each other could not be read.

    Args:
        state: the position.
        after: the position after it, of the same game.
        size: the longer side in pixels, 128 to 2048.
        theme: ``"light"`` or ``"dark"``.
        turned: whether the board is turned by 180 degrees.

    Raises:
        ValueError: The size or the theme is not allowed.
    """
    board = _module(state).board_of(state)
    canvases = [_start(board, size, theme, turned) for _ in range(3)]
    for canvas, one, writes in zip(
        canvases, (state, state, after), (True, False, False), strict=True
    ):
        canvas.writes = writes
        draw_on(canvas, one)
    whole, bare, other = (canvas.frame() for canvas in canvases)
    middle = ((bare.astype(np.uint16) + other + 1) // 2).astype(np.uint8)
    kept = (whole != bare).any(2)
    kept[-canvases[0].band :] = True
    middle[kept] = whole[kept]
    return middle


def _start(board: Board, size: int, theme: str, turned: bool) -> Canvas:
    """Return a canvas that shows a board."""
    return start(board.width, board.height, size, theme, board.paint, *board.args, turned=turned)


def bottom_player(state: State, orientation: int | str) -> int:
    """Return the player whose side of the board an orientation puts at the bottom.

    Args:
        state: the position.
        orientation: 0 or 1, the number of the player; ``"mover"``, the player to move, and in a
            finished game the one who moved last.

    Raises:
        ValueError: The orientation is none of them.
    """
    value = check_orientation(orientation)
    if isinstance(value, int):
        return value
    if not state.is_terminal():
        return state.current_player()
    last = state.last_turn()
    return 0 if last is None else last[0].current_player()


def draw_on(
    canvas: AnyCanvas,
    state: State,
    overlay: Any = None,
    ending: str | None = None,
    last_turn: LastTurn | None = None,
    top: int | None = None,
) -> AnyCanvas:
    """Draw a state on a canvas that shows the board; returns the canvas. As `draw`."""
    canvas.ending = ending
    if last_turn is None:
        last_turn = last_turn_of(state)
    if overlay is None and top is None:
        _module(state).paint(canvas, state, last_turn)
        return canvas
    from ludarium.drawing.overlays import check_top, paint_overlay, read_overlay, remark_of

    if overlay is None:
        raise ValueError(
            f"top={check_top(top)} is the number of best actions of an overlay: give one"
        )
    read = read_overlay(state, overlay, top)
    canvas.remark = remark_of(state, read)
    _module(state).paint(canvas, state, last_turn)
    paint_overlay(canvas, state, read)
    return canvas


def _module(state: State) -> Any:
    """Return the module `render` of a state's game."""
    return state.game.type.submodule("render")


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
    orientation: int | str = 0,
    top: int | None = None,
) -> Path:
    """Write a picture of a state to a file, ``.png`` or ``.svg``; the arguments are as of `draw`.

    Raises:
        ValueError: The suffix, the size, the theme, the overlay or the orientation is not allowed.
        OSError: The file cannot be written, or exists already. No half-written file is left.
    """
    target = check_target(path, PICTURES, overwrite)
    if target.suffix.lower() == ".svg":
        content = str(state.render("svg", size, theme, overlay, orientation, top)).encode()
    else:
        content = png(draw(state, size, theme, overlay, orientation=orientation, top=top))
    with replacing(target, overwrite) as file:
        file.write(content)
    return target
