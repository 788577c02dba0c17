"""The picture of the window: the position, targets of clicks, turns, a line of text, buttons.

The picture is an rgb array, drawn with the canvas of all other pictures; it needs no display.
"""

from __future__ import annotations

from PIL import Image

from ludarium.core.game import Game
from ludarium.core.state import State
from ludarium.drawing.canvas import Canvas, Colour, Frame, Point, check_theme, mix
from ludarium.drawing.pictures import draw, draw_ghost
from ludarium.drawing.pointing import Layout, Target
from ludarium.play.controller import Button, Controller
from ludarium.play.session import Session

GAP = 0.16  # between buttons, as a share of the height of one
SIZES = (128, 2048)  # smallest and largest longer side of the board's picture, in pixels
MINIMUM = (300, 180)  # smallest width and height of the window, in pixels, so that all can be read
KEYS_MIN_WIDTH = 400  # width of the window, in pixels, from which buttons show their keys
LIST_SHARE = 0.24  # width of the list of turns, as a share of that of the window
LIST_WIDTHS = (150, 260)  # smallest and largest width of the list, in pixels
LIST_COST = 0.8  # the list is shown where the board keeps this share of the size without it


def _text_width(canvas: Canvas, text: str, pixels: int) -> float:
    """Return the width of a text of a height in pixels, in pixels."""
    return canvas.width_of(text, pixels / canvas.scale) * canvas.scale


def _clip(value: float, least: float, most: float) -> int:
    return round(max(least, min(most, value)))


class View:
    """Draws a `Controller` and maps pixels to points of the board and to buttons.

    Args:
        game: the game, whose options decide the size of the board.
        size: longer side of the board's picture before `resize`, in pixels, 128 to 2048.
        theme: ``"light"`` or ``"dark"``.

    Attributes:
        width: width of the window, in pixels.
        height: height of the window, in pixels, with the line of text and the buttons.
        size: longer side of the board's picture, in pixels.
        list_width: width of the list of turns, in pixels; 0 where the window is too narrow for it.

    Raises:
        ValueError: The theme is not allowed.
    """

    def __init__(self, game: Game, size: int, theme: str) -> None:
        self._game, self._theme = game, check_theme(theme)
        self._scrolled = 0  # lines of the list below those that are shown
        self._listed = 0  # turns in the list when it was scrolled
        self._board: tuple[tuple[object, ...], Image.Image] | None = None  # the last, by its key
        board = Layout(game, size)
        width, height = board.width, board.height
        for _ in range(8):  # what stands beside the board grows with the window, and comes to rest
            width = max(MINIMUM[0], board.width + self._list_width_of(width))
            height = max(MINIMUM[1], board.height + self._bottom_of(self._row_of(width, height)))
        self.resize(width, height)

    def __repr__(self) -> str:
        return f"<View of {self._game!r}>"

    @staticmethod
    def _list_width_of(width: int) -> int:
        """Return the width of the list of turns in a window of a width, in pixels."""
        return _clip(width * LIST_SHARE, *LIST_WIDTHS)

    @staticmethod
    def _row_of(width: int, height: int) -> int:
        """Return the height of the line of text in a window, in pixels."""
        return _clip(min(width, height) * 0.055, 18, 60)

    @staticmethod
    def _bottom_of(row: int) -> int:
        """Return the height of the line of text and the buttons, in pixels."""
        return row + round(row * 1.3)

    def resize(self, width: int, height: int) -> None:
        """Lay out a window of another size: the board is as large as fits, the list at its right.

        Args:
            width: width of the window, in pixels.
            height: height of the window, in pixels.
        """
        self.width, self.height = max(1, width), max(1, height)
        self._row = self._row_of(self.width, self.height)
        self._floor = self.height - self._bottom_of(self._row)  # top of the line of text
        list_width = self._list_width_of(self.width)
        alone = self._largest(self.width, self._floor)
        beside = self._largest(self.width - list_width, self._floor)
        is_shown = beside.width + list_width <= self.width
        is_shown &= max(beside.width, beside.height) >= LIST_COST * max(alone.width, alone.height)
        self._layout, self.list_width = (beside, list_width) if is_shown else (alone, 0)
        self.size = max(self._layout.width, self._layout.height)
        self._turned_layout = Layout(self._game, self.size, turned=True)
        self._left = max(0, (self.width - self.list_width - self._layout.width) // 2)
        self._top = max(0, (self._floor - self._layout.height) // 2)

    def _largest(self, width: int, height: int) -> Layout:
        """Return the layout of the largest picture of the board that fits, the smallest if none."""
        layout = Layout(self._game, SIZES[1])
        size = int(SIZES[1] * min(1.0, width / layout.width, height / layout.height)) + 2
        while True:
            size = max(SIZES[0], min(SIZES[1], size))
            layout = Layout(self._game, size)
            if size == SIZES[0] or (layout.width <= width and layout.height <= height):
                return layout
            size -= 1

    # ---- positions

    def to_units(self, x: float, y: float, turned: bool = False) -> Point | None:
        """Return the point of the board at a pixel, in units; None outside its picture.

        Args:
            x: pixel from the left edge.
            y: pixel from the upper edge.
            turned: whether the board is turned, as `Controller.turned` says.
        """
        x, y = x - self._left, y - self._top
        if not (0 <= x < self._layout.width and 0 <= y < self._layout.height):
            return None
        return (self._turned_layout if turned else self._layout).to_units(x, y)

    def to_pixels(self, target: Target, turned: bool = False) -> Point:
        """Return the pixel (x, y) of the centre of a target, on a board that is turned or not."""
        layout = self._turned_layout if turned else self._layout
        x, y = layout.to_pixels(target.x, target.y)
        return x + self._left, y + self._top

    def box(self, buttons: list[Button], index: int) -> tuple[float, float, float, float]:
        """Return left, top, width and height of a button, in pixels."""
        high = self._row
        gap = high * GAP
        wide = (self.width - gap * (len(buttons) + 1)) / len(buttons)
        return gap + index * (wide + gap), self._floor + high + gap, wide, high

    def button_at(self, controller: Controller, x: float, y: float) -> str | None:
        """Return the name of the button at a pixel; None where there is none."""
        buttons = controller.buttons()
        for index, button in enumerate(buttons):
            left, top, wide, high = self.box(buttons, index)
            if left <= x < left + wide and top <= y < top + high:
                return button.name
        return None

    # ---- the list of turns

    def lines(self, session: Session) -> list[tuple[int, str, str]]:
        """Return the lines of the list that are shown: a turn's number, and a turn of each player.

        The number is that of the first turn in the line; a player's text is empty where the line
        has no turn of that player.
        """
        lines = self._all_lines(session)
        last = len(lines) - self._offset(session)
        return lines[max(0, last - self._line_count()) : last]

    def scroll(self, session: Session, lines: int) -> bool:
        """Scroll the list of turns; return whether anything has changed.

        Args:
            session: the game.
            lines: number of lines towards the beginning, negative towards the end.
        """
        most = max(0, len(self._all_lines(session)) - self._line_count())
        before = self._offset(session)
        self._scrolled = max(0, min(most, before + lines)) if self.list_width else 0
        self._listed = len(session.turns())
        return self._scrolled != before

    def _offset(self, session: Session) -> int:
        """Return the number of lines below those that are shown; a new turn scrolls to the end."""
        return self._scrolled if len(session.turns()) == self._listed else 0

    @staticmethod
    def _all_lines(session: Session) -> list[tuple[int, str, str]]:
        lines: list[tuple[int, str, str]] = []
        for number, player, text in session.turns():
            if player == 1 and lines and not lines[-1][2]:
                lines[-1] = (*lines[-1][:2], text)
            else:
                lines.append((number, "", text) if player else (number, text, ""))
        return lines

    def _line_height(self) -> int:
        return _clip(self._row * 0.62, 13, 30)

    def _line_count(self) -> int:
        """Return the number of lines for which there is room, below the names of the players."""
        return max(1, (self._floor - self._line_height() // 2) // self._line_height() - 2)

    # ---- the picture

    def frame(self, controller: Controller) -> Frame:
        """Return the picture as a new uint8 array [height, width, 3]."""
        state, theme = controller.session.state, self._theme
        board = self._picture(state, controller.turned).copy()
        wide, high, *_ = state.game.type.submodule("render").board_of(state)
        canvas = Canvas(wide, high, self.size, theme, board, controller.turned)
        if controller.session.over and not state.is_terminal():
            canvas.caption(controller.session.result().rstrip("."), over=True)
        else:
            if controller.preview is not None:
                ghost = draw_ghost(
                    state, controller.preview, self.size, theme.name, controller.turned
                )
                board.paste(Image.fromarray(ghost))
            self._paint_choices(canvas, controller)
            self._paint_hint(canvas, controller.hint)
        image = Image.new("RGB", (self.width, self.height), theme.background)
        image.paste(board, (self._left, self._top))
        canvas = Canvas(wide, high, self.size, theme, image)
        if self.list_width:
            self._paint_list(canvas, controller.session)
        self._paint_status(canvas, controller)
        buttons = controller.buttons()
        for index, button in enumerate(buttons):
            self._paint_button(canvas, button, self.box(buttons, index))
        return canvas.frame()

    def _picture(self, state: State, turned: bool) -> Image.Image:
        """Return the picture of a position; it is kept, as the mouse changes only marks on it."""
        key = (state.to_string(), *state.history(), self.size, turned)
        if self._board is None or self._board[0] != key:
            self._board = key, self._draw(state, turned)
        return self._board[1]

    def _draw(self, state: State, turned: bool) -> Image.Image:
        frame = draw(state, self.size, self._theme.name, orientation=int(turned))
        return Image.fromarray(frame)

    def _paint_choices(self, canvas: Canvas, controller: Controller) -> None:
        """Paint a ring around each chosen target and a dot on each target that can be next."""
        selection = controller.selection
        if selection is None:
            return
        for target in selection.chosen:
            reach = min(target.wide, target.high)
            canvas.mark_chosen(target.x, target.y, reach * 0.96)
            if target.label:
                ink, paper = canvas.theme.ink, canvas.theme.background
                canvas.text(target.x, target.y, target.label, reach, ink, halo=paper, bold=True)
        self._paint_hovered(canvas, controller.hovered)
        if not selection.chosen and (controller.hint or controller.session.half_made):
            return  # show a hint alone; a half-made turn's picture already marks its destinations
        for target in selection.next_targets():
            if target == controller.hovered and controller.preview is not None:
                continue  # the ghost shows it
            middle = 0.2 if selection.chosen else 0.15
            if controller.session.half_made:
                middle = 0.34  # larger than the dots that mark destinations in the picture
            radius = canvas.least(middle * min(target.wide, target.high, 0.5) * 2, 2.0)
            edge = canvas.least(0.035, 1.0)
            canvas.disc(target.x, target.y, radius + edge, canvas.theme.background, opacity=0.7)
            canvas.disc(target.x, target.y, radius, canvas.theme.chosen)

    def _paint_hovered(self, canvas: Canvas, target: Target | None) -> None:
        """Paint a thin ring around the target under the mouse, and the label it would get."""
        if target is None:
            return
        theme, reach = canvas.theme, min(target.wide, target.high)
        width = canvas.least(reach * 0.1, 1.5)
        canvas.ring(target.x, target.y, reach * 0.96 + width / 2, theme.background, width * 2)
        canvas.ring(target.x, target.y, reach * 0.96, theme.chosen, width)
        if target.label:
            faint = mix(theme.background, theme.ink, 0.55)
            halo = theme.background
            canvas.text(target.x, target.y, target.label, reach, faint, halo=halo, bold=True)

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

    def _paint_list(self, canvas: Canvas, session: Session) -> None:
        """Paint the list of turns: the names of the players, and a line for a turn of each."""
        theme, high = self._theme, self._line_height()
        left, right = self.width - self.list_width, self.width - high // 2
        pixels, lines = round(high * 0.72), self.lines(session)
        number_width = _text_width(canvas, "000", pixels) + high * 0.3
        starts = [left + number_width + k * (right - left - number_width) / 2 for k in (0, 1)]
        room = (right - left - number_width) / 2 - high * 0.3
        names = ["You" if session.seat == k else session.agent_name for k in (0, 1)]
        y = high * 1.0
        for x, name in zip(starts, names, strict=True):
            self._write(canvas, x, y, name, pixels, room, theme.muted)
        longest = [text for line in lines for text in line[1:]]
        while pixels > 9 and any(_text_width(canvas, text, pixels) > room for text in longest):
            pixels -= 1  # the same for all lines
        self._bar(canvas, left, y + high * 0.7, right - left, 1.0, theme.grid)
        for row, (number, *texts) in enumerate(lines):
            y = high * (row + 2.3)
            self._write(canvas, left, y, str(number), pixels, number_width, theme.muted)
            for x, text in zip(starts, texts, strict=True):
                self._write(canvas, x, y, text, pixels, room, theme.ink)
        count = len(self._all_lines(session))
        if len(lines) < count:  # a bar that shows which part of the list is seen
            top, track = high * 1.8, high * len(lines)
            first = count - self._offset(session) - len(lines)
            start, length = top + track * first / count, track * len(lines) / count
            x, wide = self.width - high * 0.3, max(2.0, high * 0.14)
            self._bar(canvas, x, start, wide, length, theme.muted)

    @staticmethod
    def _bar(
        canvas: Canvas, left: float, top: float, wide: float, high: float, colour: Colour
    ) -> None:
        scale = canvas.scale
        canvas.rectangle(left / scale, top / scale, wide / scale, high / scale, colour)

    @staticmethod
    def _write(
        canvas: Canvas, x: float, y: float, text: str, pixels: int, room: float, colour: Colour
    ) -> None:
        """Write a text, smaller or else cut where it is too long for the room in pixels."""
        while pixels > 9 and _text_width(canvas, text, pixels) > room:
            pixels -= 1
        while len(text) > 4 and _text_width(canvas, text, pixels) > room:
            text = text[:-4] + "..."
        scale = canvas.scale
        canvas.text(x / scale, y / scale, text, pixels / scale, colour, anchor="left")

    def _paint_status(self, canvas: Canvas, controller: Controller) -> None:
        """Paint the status of the controller below the board, shortened where it is too long."""
        text, scale, row = controller.status(), canvas.scale, self._row
        room, pixels = self.width - row * 0.5, round(row * 0.52)
        while pixels > 7 and _text_width(canvas, text, pixels) > room:
            pixels -= 1
        while len(text) > 4 and _text_width(canvas, text, pixels) > room:
            text = text[:-4] + "..."
        middle = self._floor + row * 0.56
        canvas.text(row * 0.25 / scale, middle / scale, text, pixels / scale, anchor="left")

    def _paint_button(
        self, canvas: Canvas, button: Button, box: tuple[float, float, float, float]
    ) -> None:
        """Paint a button, faint if it is disabled, with a mark if it waits for a second press."""
        theme, scale = canvas.theme, canvas.scale
        left, top, wide, high = box
        fill = mix(theme.background, theme.board, 0.8 if button.enabled else 0.25)
        edge = theme.edge if button.enabled else mix(theme.background, theme.edge, 0.4)
        ink = theme.ink if button.enabled else mix(theme.background, theme.muted, 0.55)
        line, corner = max(1.0, high / 24) / scale, high * 0.2 / scale
        if button.asked:
            edge, line = theme.flag, max(2.0, high / 10) / scale
        x, y = left / scale, top / scale
        canvas.rectangle(x, y, wide / scale, high / scale, fill, edge, line, corner)
        label = button.label + ("?" if button.asked else "")
        pixels, key = round(high * 0.46), f"  {button.key}" if self.width >= KEYS_MIN_WIDTH else ""
        while pixels > 7 and _text_width(canvas, label + key, pixels) > wide * 0.9:
            pixels -= 1
        x = left + (wide - _text_width(canvas, label + key, pixels)) / 2
        y, height = (top + high * 0.5) / scale, pixels / scale
        canvas.text(x / scale, y, label, height, ink, "left")
        if key:
            right = x + _text_width(canvas, label + key, pixels)
            canvas.text(right / scale, y, button.key, height, mix(ink, fill, 0.5), "right")
