"""A window that shows frames: that of ``render_mode="human"``; pygame-ce, imported when needed."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from typing import Any

from ludarium.drawing.shapes import Frame


def _import_pygame() -> Any:
    """Import pygame without its greeting.

    Raises:
        ImportError: It is not installed; the message names the extra.
    """
    name = "PYGAME_HIDE_SUPPORT_PROMPT"
    asked = name in os.environ
    os.environ.setdefault(name, "1")
    try:
        import pygame
    except ImportError as error:
        raise ImportError(
            "a window needs pygame-ce: pip install 'ludarium[human]'", name="pygame"
        ) from error
    finally:
        if not asked:
            os.environ.pop(name, None)
    if not hasattr(pygame, "Window"):
        raise ImportError(
            f"a window needs pygame-ce, not pygame {pygame.version.ver}: "
            "pip uninstall pygame; pip install 'ludarium[human]'",
            name="pygame",
        )
    return pygame


_UNSEEN = ("dummy", "offscreen")  # SDL's drivers without a display

# Those that can be seen. Events come for all windows of a process at once; who asks hands them on.
_open: list[Window] = []


class Window:
    """A window with a title, opened by its first frame.

    Once the person has closed it, it stays closed: later frames are taken and shown nowhere.

    Args:
        title: what stands over it.
        on_event: is called with pygame and each event that comes.

    Raises:
        ImportError: pygame-ce is not installed; the message names the extra ``ludarium[human]``.
    """

    def __init__(self, title: str, on_event: Callable[[Any, Any], None] | None = None) -> None:
        self._pygame = _import_pygame()
        self._title, self._on_event = title, on_event
        self._window: Any = None
        self._closed = False

    @property
    def is_open(self) -> bool:
        """Whether frames can be seen."""
        return self._window is not None

    def check_display(self) -> None:
        """Raise OSError if there is no display; a driver that was asked for is taken as one.

        Without a display SDL falls back on drawing where nobody can see it, which is right for
        frames that are shown in passing, and no good for whom waits for a person.
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
            raise OSError(
                "there is no display to open a window on: set DISPLAY, or do without the window"
            )

    def show(self, frame: Frame) -> None:
        """Show a frame uint8 [height, width, 3], and answer what the window system asks.

        Raises:
            ValueError: It is no such array.
        """
        if frame.ndim != 3 or frame.shape[2] != 3 or frame.dtype != "uint8":
            raise ValueError(
                f"a frame is a uint8 array [height, width, 3], not {frame.dtype} {frame.shape}"
            )
        if self._closed:
            return
        pygame, size = self._pygame, (frame.shape[1], frame.shape[0])
        if self._window is None:
            pygame.display.init()
            self._window = pygame.Window(self._title, size)
            _open.append(self)
        elif self._window.size != size:
            self._window.size = size
        self.heed()
        if self._window is not None:
            # drawn upon, not copied cell by cell: a window system may give it another size
            picture = pygame.surfarray.make_surface(frame.swapaxes(0, 1))
            self._window.get_surface().blit(picture, (0, 0))
            self._window.flip()

    def heed(self) -> None:
        """Take the events that have come, so that the window is not thought dead."""
        if not self.is_open:
            return
        pygame = self._pygame
        for event in pygame.event.get():
            if self._on_event is not None:
                self._on_event(pygame, event)
            for window in list(_open):
                if event.type == pygame.QUIT or (
                    event.type == pygame.WINDOWCLOSE and event.window is window._window
                ):
                    window.close()

    def close(self) -> None:
        """Close the window for good; closing twice is no fault."""
        self._closed = True
        if self._window is not None:
            _open.remove(self)
            self._window.destroy()
            self._window = None
