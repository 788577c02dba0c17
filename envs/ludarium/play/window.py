"""The window of ``play --window``: hands events to a `Controller` and shows its `View`."""

from __future__ import annotations

import os
import time
from typing import Any

from ludarium.drawing.window import Window
from ludarium.play.controller import Controller
from ludarium.play.view import View

TICK = 0.02  # seconds between two looks at events and answers


class WindowShell:
    """A window that turns events into clicks and buttons of a table, and is open from now on.

    Args:
        controller: the game.
        view: how it looks.
        title: what stands over the window.

    Raises:
        ImportError: pygame-ce is not installed; the message names the extra.
        OSError: There is no display.
    """

    def __init__(self, controller: Controller, view: View, title: str) -> None:
        self._controller, self._view = controller, view
        # SDL drops a click that also brings a window to the front, unless it is asked not to
        os.environ.setdefault("SDL_MOUSE_FOCUS_CLICKTHROUGH", "1")
        self._window = Window(title, self._on_event)
        self._window.check_display()
        self._shown = -1  # the change of the table that is seen
        self.show()

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
        """Show what has changed, and take the events that have come."""
        if self._shown == self._controller.revision:
            self._window.heed()
        else:
            self._shown = self._controller.revision
            self._window.show(self._view.frame(self._controller))

    def close(self) -> None:
        """Close the window; closing twice is no fault."""
        self._window.close()

    def _on_event(self, pygame: Any, event: Any) -> None:
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == pygame.BUTTON_LEFT:
            self._click(*event.pos)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == pygame.BUTTON_RIGHT:
            self._controller.press("cancel")
        elif event.type == pygame.KEYDOWN:
            self._key(pygame, event)
        elif event.type in (pygame.WINDOWEXPOSED, pygame.WINDOWRESTORED, pygame.WINDOWSHOWN):
            self._shown = -1

    def _click(self, x: int, y: int) -> None:
        button = self._view.button_at(self._controller, x, y)
        point = self._view.to_units(x, y)
        if button is not None:
            self._controller.press(button)
        elif point is not None:
            self._controller.click(*point)

    def _key(self, pygame: Any, event: Any) -> None:
        if event.key == pygame.K_ESCAPE:
            self._controller.press("cancel")
        elif event.key == pygame.K_q:
            self.close()
        for button in self._controller.buttons():
            if event.key == getattr(pygame, f"K_{button.key.lower()}"):
                self._controller.press(button.name)
                return
