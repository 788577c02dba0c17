"""The picture of the window: the position, the targets of clicks, a line of text, buttons.

The picture is an rgb array, drawn with the canvas of all other pictures; it needs no display.
"""

from __future__ import annotations

from PIL import Image

from ludarium.core.game import Game
from ludarium.drawing.canvas import Canvas, Frame, Point, check_theme, mix
from ludarium.drawing.pointing import Layout, Target
from ludarium.play.controller import Button, Controller

GAP = 0.16  # between buttons, as a share of the height of one
MIN_WIDTH = 300  # of the window, in pixels, so that the buttons have room
KEYS_MIN_WIDTH = 400  # of the window, in pixels, to print the keys on the buttons


def _text_width(canvas: Canvas, text: str, pixels: int) -> float:
    """Return the width of a text of a height in pixels, in pixels."""
    return canvas.width_of(text, pixels / canvas.scale) * canvas.scale


class View:
    """Draws a `Controller` and maps pixels to points of the board and to buttons.

    Args:
        game: the game, whose options decide the size of the board.
        size: longer side of the board's picture, in pixels, 128 to 2048.
        theme: ``"light"`` or ``"dark"``.

    Attributes:
        width: width of the window, in pixels.
        height: height of the window, in pixels, with the line of text and the buttons.

    Raises:
        ValueError: The theme is not allowed.
    """

    def __init__(self, game: Game, size: int, theme: str) -> None:
        self._theme, self._size = check_theme(theme), size
        self._layout = Layout(game, size)
        self.width = max(MIN_WIDTH, self._layout.width)
        self._left = (self.width - self._layout.width) // 2  # of the board's picture, in pixels
        self._row = round(self.width * 0.066)  # height of the line of text, in pixels
        self.height = self._layout.height + self._row + round(self._row * 1.3)

    # ---- positions

    def to_units(self, x: float, y: float) -> Point | None:
        """Return the point of the board at a pixel, in units; None below the board."""
        return self._layout.to_units(x - self._left, y) if y < self._layout.height else None

    def to_pixels(self, target: Target) -> Point:
        """Return the pixel (x, y) of the centre of a target."""
        x, y = self._layout.to_pixels(target.x, target.y)
        return x + self._left, y

    def box(self, buttons: list[Button], index: int) -> tuple[float, float, float, float]:
        """Return left, top, width and height of a button, in pixels."""
        high = self._row
        gap = high * GAP
        wide = (self.width - gap * (len(buttons) + 1)) / len(buttons)
        return gap + index * (wide + gap), self._layout.height + high + gap, wide, high

    def button_at(self, controller: Controller, x: float, y: float) -> str | None:
        """Return the name of the button at a pixel; None where there is none."""
        buttons = controller.buttons()
        for index, button in enumerate(buttons):
            left, top, wide, high = self.box(buttons, index)
            if left <= x < left + wide and top <= y < top + high:
                return button.name
        return None

    # ---- the picture

    def frame(self, controller: Controller) -> Frame:
        """Return the picture as a new uint8 array [height, width, 3]."""
        state, theme = controller.session.state, self._theme
        picture = state.game.type.submodule("render").draw(state, self._size, theme.name)
        board = Image.fromarray(picture)
        wide, high, *_ = state.game.type.submodule("render").board_of(state)
        canvas = Canvas(wide, high, self._size, theme, board)
        if controller.session.over and not state.is_terminal():
            canvas.caption(controller.session.result().rstrip("."), over=True)
        else:
            self._paint_choices(canvas, controller)
            self._paint_hint(canvas, controller.hint)
        image = Image.new("RGB", (self.width, self.height), theme.background)
        image.paste(board, (self._left, 0))
        canvas = Canvas(wide, high, self._size, theme, image)
        self._paint_status(canvas, controller)
        buttons = controller.buttons()
        for index, button in enumerate(buttons):
            self._paint_button(canvas, button, self.box(buttons, index))
        return canvas.frame()

    def _paint_choices(self, canvas: Canvas, controller: Controller) -> None:
        """Paint a ring around each chosen target and a dot on each target that can be next."""
        selection = controller.selection
        if selection is None:
            return
        reach = 0.0
        for target in selection.chosen:
            reach = min(target.wide, target.high)
            canvas.mark_chosen(target.x, target.y, reach * 0.96)
            if target.label:
                ink, paper = canvas.theme.ink, canvas.theme.background
                canvas.text(target.x, target.y, target.label, reach, ink, halo=paper, bold=True)
        if not selection.chosen and (controller.hint or controller.session.half_made):
            return  # show a hint alone; a half-made turn's picture already marks its destinations
        for target in selection.next_targets():
            middle = 0.2 if selection.chosen else 0.15
            if controller.session.half_made:
                middle = 0.34  # larger than the dots that mark destinations in the picture
            radius = canvas.least(middle * min(target.wide, target.high, 0.5) * 2, 2.0)
            edge = canvas.least(0.035, 1.0)
            canvas.disc(target.x, target.y, radius + edge, canvas.theme.background, opacity=0.7)
            canvas.disc(target.x, target.y, radius, canvas.theme.chosen)

    def _paint_hint(self, canvas: Canvas, targets: list[Target]) -> None:
        """Paint a ring around each target of a hint, and an arrow along them."""
        theme = canvas.theme
        width = canvas.least(0.11, 2.0)
        for target in targets:
            reach = min(target.wide, target.high)
            canvas.ring(target.x, target.y, reach + width / 2, theme.background, width * 2)
            canvas.ring(target.x, target.y, reach, theme.capture, width)
        path = [(target.x, target.y) for target in targets]
        path = [point for k, point in enumerate(path) if k == 0 or point != path[k - 1]]
        if len(path) > 1:
            canvas.arrow(path, theme.capture, width, outline=theme.background)

    def _paint_status(self, canvas: Canvas, controller: Controller) -> None:
        """Paint the status of the controller below the board, shortened where it is too long."""
        text, scale, row = controller.status(), canvas.scale, self._row
        room, pixels = self.width - row * 0.5, round(row * 0.52)
        while pixels > 7 and _text_width(canvas, text, pixels) > room:
            pixels -= 1
        while len(text) > 4 and _text_width(canvas, text, pixels) > room:
            text = text[:-4] + "..."
        middle = self._layout.height + row * 0.56
        canvas.text(row * 0.25 / scale, middle / scale, text, pixels / scale, anchor="left")

    def _paint_button(
        self, canvas: Canvas, button: Button, box: tuple[float, float, float, float]
    ) -> None:
        """Paint a button, faint if it is disabled."""
        theme, scale = canvas.theme, canvas.scale
        left, top, wide, high = box
        fill = mix(theme.background, theme.board, 0.8 if button.enabled else 0.25)
        edge = theme.edge if button.enabled else mix(theme.background, theme.edge, 0.4)
        ink = theme.ink if button.enabled else mix(theme.background, theme.muted, 0.55)
        line, corner = max(1.0, high / 24) / scale, high * 0.2 / scale
        x, y = left / scale, top / scale
        canvas.rectangle(x, y, wide / scale, high / scale, fill, edge, line, corner)
        pixels, key = round(high * 0.46), f"  {button.key}" if self.width >= KEYS_MIN_WIDTH else ""
        while pixels > 7 and _text_width(canvas, button.label + key, pixels) > wide * 0.9:
            pixels -= 1
        x = left + (wide - _text_width(canvas, button.label + key, pixels)) / 2
        y, height = (top + high * 0.5) / scale, pixels / scale
        canvas.text(x / scale, y, button.label, height, ink, "left")
        if key:
            right = x + _text_width(canvas, button.label + key, pixels)
            canvas.text(right / scale, y, button.key, height, mix(ink, fill, 0.5), "right")
