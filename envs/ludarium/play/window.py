"""Playing in a window: events become clicks and buttons of a `Controller`, shown by a `View`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ludarium.drawing.pointing import check_can_be_pointed_at
from ludarium.drawing.window import Window
from ludarium.play.agent_thread import AgentThread
from ludarium.play.controller import Controller
from ludarium.play.session import AgentError, Session, save_record
from ludarium.play.view import MINIMUM, View

if TYPE_CHECKING:
    from ludarium.agents import Agent

TICK = 0.02  # seconds between two polls of events and answers
WHEEL_LINES = 2  # of the list of turns, that a step of the mouse's wheel scrolls
PAGE_LINES = 10  # that Page Up and Page Down scroll
NOWHERE = (-1e9, -1e9)  # a point that is on no target


class WindowShell:
    """A window that passes clicks and keys to a controller; it opens at once.

    Args:
        controller: the controller of the game.
        view: draws the controller.
        title: title of the window.

    Raises:
        ImportError: pygame-ce is not installed; the message names the extra.
        OSError: There is no display.
    """

    def __init__(self, controller: Controller, view: View, title: str) -> None:
        self._controller, self._view = controller, view
        # by default SDL drops a click that also brings the window to the front
        os.environ.setdefault("SDL_MOUSE_FOCUS_CLICKTHROUGH", "1")
        self._window = Window(title, self._on_event, MINIMUM)
        self._window.check_display()
        self._shown_revision = -1
        self._mouse: tuple[int, int] | None = None  # where it is in the window
        self.show()

    def __repr__(self) -> str:
        return f"<WindowShell of {self._controller!r}>"

    def run(self) -> None:
        """Play until the person closes the window."""
        try:
            while self._window.is_open:
                time.sleep(TICK)
                self._controller.poll()
                self.show()
        finally:
            self.close()

    def show(self) -> None:
        """Handle the pending events, and draw what has changed: the controller or the size."""
        self._window.poll_events()
        if self._controller.quitting:
            self.close()
        self._resize()
        if self._shown_revision != self._controller.revision:
            self._hover()
            self._shown_revision = self._controller.revision
            self._window.show(self._view.frame(self._controller))

    def close(self) -> None:
        """Close the window (idempotent)."""
        self._window.close()

    def _on_event(self, pygame: Any, event: Any) -> None:
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == pygame.BUTTON_LEFT:
            self._mouse = event.pos
            self._click(*event.pos)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == pygame.BUTTON_RIGHT:
            self._controller.press("cancel")
        elif event.type == pygame.MOUSEMOTION:
            self._mouse = event.pos
            self._hover()
        elif event.type == pygame.WINDOWRESIZED:
            self._resize()  # now, as clicks may follow at once
        elif event.type == pygame.WINDOWLEAVE:
            self._mouse = None
            self._hover()
        elif event.type == pygame.MOUSEWHEEL:
            self._scroll(event.y * WHEEL_LINES)
        elif event.type == pygame.KEYDOWN:
            self._press_key(pygame, event)

    def _resize(self) -> None:
        """Let the picture follow the size of the window."""
        size = self._window.size
        if size is not None and size != (self._view.width, self._view.height):
            self._view.resize(*size)
            self._shown_revision = -1

    def _hover(self) -> None:
        """Mark the target under the mouse, of which there is none outside the board."""
        point = None
        if self._mouse is not None:
            point = self._view.to_units(*self._mouse, self._controller.turned)
        self._controller.hover(*(point or NOWHERE))

    def _scroll(self, lines: int) -> None:
        if self._view.scroll(self._controller.session, lines):
            self._shown_revision = -1

    def _click(self, x: int, y: int) -> None:
        button = self._view.button_at(self._controller, x, y)
        point = self._view.to_units(x, y, self._controller.turned)
        if button is not None:
            self._controller.press(button)
        elif point is not None:
            self._controller.click(*point)

    def _press_key(self, pygame: Any, event: Any) -> None:
        if event.key == pygame.K_ESCAPE:
            self._controller.press("cancel")
        elif event.key == pygame.K_q:
            self._controller.press("quit")
        elif event.key == pygame.K_f:
            self._controller.press("flip")
        elif event.key in (pygame.K_PAGEUP, pygame.K_PAGEDOWN):
            self._scroll(PAGE_LINES if event.key == pygame.K_PAGEUP else -PAGE_LINES)
        for button in self._controller.buttons():
            if event.key == getattr(pygame, f"K_{button.key.lower()}"):
                self._controller.press(button.name)
                return


def play_in_window(
    session: Session,
    new_session: Callable[[], Session],
    agent: Agent,
    path: Path,
    size: int,
    theme: str,
    orientation: int | str | None = None,
    write: Callable[[str], None] = print,
) -> None:
    """Play in a window, one game after the other, and save the records.

    Args:
        session: the first game.
        new_session: returns the session of a new game.
        agent: the person's opponent.
        path: file to which the records are appended.
        size: longer side of the board in pixels, 128 to 2048, until the window is resized.
        theme: ``"light"`` or ``"dark"``.
        orientation: whose side of the board is at the bottom: 0, 1, or ``"mover"``, the player to
            move; None: the person's.
        write: prints turns, results and messages.

    Raises:
        AgentError: The agent raised an error, and the person then closed the window.
        ValueError: The game cannot be played by mouse.
        ImportError: pygame-ce is not installed; the message names the extra.
        OSError: There is no display, or a record cannot be written; it is printed instead.
    """
    game = session.state.game
    check_can_be_pointed_at(game)
    rng, hint_rng = (
        np.random.default_rng([session.seed, stream]) for stream in (1 - session.seat, 2)
    )
    agent_thread = AgentThread(agent, session.agent_name)
    controller = Controller(
        session,
        new_session,
        agent_thread,
        rng,
        hint_rng,
        lambda session: save_record(session, path, write),
        write,
        orientation=session.seat if orientation is None else orientation,
    )
    shell = WindowShell(controller, View(game, size, theme), f"{game.type.title} - ludarium")
    try:
        shell.run()
        if controller.error:
            raise AgentError(controller.error)
    except KeyboardInterrupt:
        write("")
    finally:
        shell.close()
        agent_thread.close()
        controller.save_record()
        if controller.recorded:
            write(f"The record is in {path}")
