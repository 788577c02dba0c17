"""A window that shows frames: that of ``render_mode="human"``; pygame-ce, imported when needed."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ludarium.core.errors import install
from ludarium.drawing.shapes import Frame


def _import_pygame() -> Any:
    """Import pygame without its greeting.

    Raises:
        ImportError: pygame-ce is not installed; the message names the extra.
    """
    name = "PYGAME_HIDE_SUPPORT_PROMPT"
    asked = name in os.environ
    os.environ.setdefault(name, "1")
    try:
        import pygame
    except ImportError as error:
        raise ImportError(f"a window needs pygame-ce: {install('human')}", name="pygame") from error
    finally:
        if not asked:
            os.environ.pop(name, None)
    if not hasattr(pygame, "Window"):
        raise ImportError(
            f"a window needs pygame-ce, not pygame {pygame.version.ver}: "
            f"pip uninstall pygame; {install('human')}",
            name="pygame",
        )
    return pygame


_UNSEEN = ("dummy", "offscreen")  # SDL's drivers without a display
_TICK = 0.02  # seconds between two polls of events while a frame is held

# Those that can be seen. Events come for all windows of a process at once; who asks hands them on.
_open: list[Window] = []


class Window:
    """A window with a title, opened by its first frame.

    Once the user has closed it, it stays closed: later frames are ignored.

    Args:
        title: text of the title bar.
        on_event: called with pygame and each event.
        minimum: smallest width and height to which the user can resize the window, in pixels; None:
            the window has the size of its frame.

    Raises:
        ImportError: pygame-ce is not installed; the message names the extra ``ludarium[human]``.
    """

    def __init__(
        self,
        title: str,
        on_event: Callable[[Any, Any], None] | None = None,
        minimum: tuple[int, int] | None = None,
    ) -> None:
        self._pygame = _import_pygame()
        self._title, self._on_event, self._minimum = title, on_event, minimum
        self._window: Any = None
        self._closed = False
        self._frame: Frame | None = None  # that the window shows
        self._shown_at = 0.0  # monotonic time at which it was shown first

    def __repr__(self) -> str:
        state = "open" if self.is_open else "closed" if self._closed else "not opened yet"
        return f"<Window {self._title!r}, {state}>"

    @property
    def is_open(self) -> bool:
        """Whether the window is open."""
        return self._window is not None

    @property
    def size(self) -> tuple[int, int] | None:
        """Width and height of the open window, in pixels; None if it is not open."""
        if self._window is None:
            return None
        width, height = self._window.size
        return width, height

    @property
    def is_closed(self) -> bool:
        """Whether the window was closed, by the user or by `close`; it never opens again."""
        return self._closed

    def check_display(self) -> None:
        """Raise OSError if there is no display. A driver named by SDL_VIDEODRIVER counts as one.

        Without a display SDL draws off screen. That suits an environment that is rendered on the
        side, but not a program that waits for a person.
        """
        pygame = self._pygame
        if "SDL_VIDEODRIVER" in os.environ:
            return
        names = ("DISPLAY", "WAYLAND_DISPLAY")
        found = sys.platform != "linux" or any(os.environ.get(name) for name in names)
        if found:
            with contextlib.suppress(pygame.error):
                pygame.display.init()
            found = pygame.display.get_init() and pygame.display.get_driver() not in _UNSEEN
        if not found:
            raise OSError("there is no display to open a window on: set DISPLAY, or omit --window")

    def show(self, frame: Frame, seconds: float = 0.0) -> None:
        """Show a frame, and poll events.

        A frame equal to the one that the window shows already is not waited for.

        Args:
            frame: uint8 [height, width, 3].
            seconds: how long the frame before it stays at least, see `hold`.

        Raises:
            ValueError: The frame does not have this shape and type.
        """
        if frame.ndim != 3 or frame.shape[2] != 3 or frame.dtype != "uint8":
            raise ValueError(
                f"a frame is a uint8 array [height, width, 3], not {frame.dtype} {frame.shape}"
            )
        if self._frame is not None and np.array_equal(frame, self._frame):
            self.poll_events()
            return
        self.hold(seconds)
        if self._closed:
            return
        pygame, size = self._pygame, (frame.shape[1], frame.shape[0])
        if self._window is None:
            pygame.display.init()
            self._window = pygame.Window(self._title, size, resizable=self._minimum is not None)
            if self._minimum is not None:
                self._window.minimum_size = self._minimum
            _open.append(self)
        elif self._minimum is None and self._window.size != size:
            self._window.size = size
        self._frame, self._shown_at = frame, time.monotonic()
        self.poll_events()
        self._paint()

    def _paint(self) -> None:
        """Paint the current frame, if the window is open and has one."""
        if self._window is None or self._frame is None:
            return
        # blit, not a copy of the array: a window system may give the window another size
        picture = self._pygame.surfarray.make_surface(self._frame.swapaxes(0, 1))
        self._window.get_surface().blit(picture, (0, 0))
        self._window.flip()

    def hold(self, seconds: float) -> None:
        """Wait until the current frame was shown for some seconds, and handle events meanwhile.

        Only what is left of the time is waited for, and nothing where no window is open or SDL
        draws without a display.
        """
        while self.is_open and self._pygame.display.get_driver() not in _UNSEEN:
            left = self._shown_at + seconds - time.monotonic()
            if left <= 0:
                return
            self.poll_events()
            if self.is_open:
                time.sleep(min(left, _TICK))

    def poll_events(self) -> None:
        """Poll events, so that the system does not mark the window as unresponsive."""
        if not self.is_open:
            return
        pygame = self._pygame
        for event in pygame.event.get():
            if event.type in (pygame.WINDOWEXPOSED, pygame.WINDOWRESTORED):
                for window in _open:
                    window._paint()
            if self._on_event is not None:
                self._on_event(pygame, event)
            for window in list(_open):
                if event.type == pygame.QUIT or (
                    event.type == pygame.WINDOWCLOSE and event.window is window._window
                ):
                    window.close()

    def close(self) -> None:
        """Close the window for good; idempotent."""
        self._closed, self._frame = True, None
        if self._window is not None:
            _open.remove(self)
            self._window.destroy()
            self._window = None
