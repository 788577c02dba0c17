"""The window of render_mode="human", on SDL's driver without a screen."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ludarium
from ludarium.drawing.window import Window

GREY = np.full((150, 200, 3), 90, np.uint8)
GREY[10, 20] = 250, 130, 5


@pytest.fixture
def pygame(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return pygame with SDL's driver without a screen."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    import pygame

    yield pygame
    pygame.display.quit()


def test_shows_a_frame(pygame: Any) -> None:
    window = Window("A title")
    assert not window.is_open, "the window opens at the first frame"
    window.show(GREY)
    assert window.is_open
    surface = window._window.get_surface()
    assert surface.get_size() == (200, 150)
    assert tuple(surface.get_at((20, 10)))[:3] == (250, 130, 5)
    assert tuple(surface.get_at((10, 20)))[:3] == (90, 90, 90)
    assert window._window.title == "A title"
    window.show(GREY[:100, :120])
    assert window._window.get_surface().get_size() == (120, 100)
    window.close()
    window.close()
    assert not window.is_open


@pytest.mark.parametrize("event", ["QUIT", "WINDOWCLOSE"])
def test_stays_closed_when_the_person_closes_it(pygame: Any, event: str) -> None:
    window = Window("one")
    window.show(GREY)
    about = {"window": window._window} if event == "WINDOWCLOSE" else {}
    pygame.event.post(pygame.event.Event(getattr(pygame, event), **about))
    for _ in range(3):
        window.show(GREY)
        assert not window.is_open
    window.close()


def test_keeps_the_event_queue_empty(pygame: Any) -> None:
    window = Window("one")
    window.show(GREY)
    for _ in range(50):
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_a))
    window.show(GREY)
    assert not pygame.event.get()
    window.close()


def test_windows_do_not_disturb_each_other(pygame: Any) -> None:
    one, two = Window("one"), Window("two")
    one.show(GREY)
    two.show(GREY[:100])
    pygame.event.post(pygame.event.Event(pygame.WINDOWCLOSE, window=one._window))
    two.show(GREY[:100])  # receives the event of the other window
    assert two.is_open and not one.is_open
    one.show(GREY)
    two.show(GREY[:100])
    assert two._window.get_surface().get_size() == (200, 100)
    two.close()


@pytest.mark.parametrize(
    "frame", [np.zeros((10, 10), np.uint8), np.zeros((10, 10, 3)), np.zeros((10, 10, 4), np.uint8)]
)
def test_rejects_invalid_frames(pygame: Any, frame: Any) -> None:
    with pytest.raises(ValueError, match="uint8 array"):
        Window("one").show(frame)


def test_environment_in_a_window(name: str, pygame: Any) -> None:
    env = ludarium.make(name, render_mode="human", render_size=160)
    env.reset(seed=1)
    assert env._window is None, "the window opens at the first frame"
    assert env.render() is None
    surface = env._window._window.get_surface()
    shown = pygame.surfarray.array3d(surface).swapaxes(0, 1)
    expected = env.game.type.submodule("render").draw(env.game_state, 160)
    assert np.array_equal(shown, expected)
    copy = pickle.loads(pickle.dumps(env))  # a copy has no window
    assert copy._window is None
    env.close()
    env.close()
    env.render()  # opens another window
    env.close()


def test_names_the_extra_when_pygame_is_missing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    env = ludarium.make(name, render_mode="human")
    env.reset(seed=1)
    state = env.game_state
    with pytest.raises(ImportError, match=r"ludarium\[human\]"):
        env.render()
    assert env.game_state == state
    env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))


def test_rejects_the_original_pygame(monkeypatch: pytest.MonkeyPatch) -> None:
    import types

    old = types.ModuleType("pygame")
    old.version = types.SimpleNamespace(ver="2.6.1")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pygame", old)
    with pytest.raises(ImportError, match=r"not pygame 2\.6\.1.*ludarium\[human\]"):
        Window("one")


def test_leaves_environment_variables_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYGAME_HIDE_SUPPORT_PROMPT", raising=False)
    monkeypatch.delenv("SDL_VIDEODRIVER", raising=False)
    Window("one")
    assert "SDL_VIDEODRIVER" not in os.environ
    assert "PYGAME_HIDE_SUPPORT_PROMPT" not in os.environ
