"""The window of render_mode="human", on SDL's driver without a screen."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterator
from typing import Any

import gymnasium
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
    assert env._window is None, "the window opens at the first frame"
    env.reset(seed=1)
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


# ---------------------------------------------------------------- frames shown by environments


def gymnasium_env(name: str, **options: Any) -> Any:
    """Return the bare single-agent environment of a game."""
    return gymnasium.make(f"ludarium:ludarium/{name.title()}-v0", **options).unwrapped


@pytest.fixture
def frames(pygame: Any, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Collect the different frames that windows show, one after the other."""
    collected: list[Any] = []
    paint = Window._paint

    def collect(window: Window) -> None:
        paint(window)
        if not collected or collected[-1] is not window._frame:
            collected.append(window._frame)

    monkeypatch.setattr(Window, "_paint", collect)
    return collected


def picture(state: Any) -> Any:
    return state.game.type.submodule("render").draw(state, 128)


def assert_shows(frames: list[Any], states: list[Any]) -> None:
    assert len(frames) == len(states)
    for frame, state in zip(frames, states, strict=True):
        assert np.array_equal(frame, picture(state)), state.to_string()


@pytest.mark.parametrize("factory", ["env", "parallel_env"])
def test_reset_and_each_step_show_the_position(name: str, factory: str, frames: list[Any]) -> None:
    module = getattr(ludarium, name)
    env = getattr(module, factory)(render_mode="human", render_size=128, max_turns=4)
    assert frames == []
    env.reset(seed=1)
    state = env.game_state
    states = [state.clone()]
    while not state.is_terminal():
        action = state.legal_actions()[-1]
        agent = f"player_{state.current_player()}"
        env.step(action if factory == "env" else {agent: action})
        state.apply_action(action)
        states.append(state.clone())
        assert_shows(frames, states)
    if factory == "env":
        for _ in range(2):
            env.step(None)
    assert_shows(frames, states)  # the agents that leave a finished game change nothing
    env.close()


def test_going_to_a_state_shows_it(name: str, frames: list[Any]) -> None:
    env = ludarium.make(name, render_mode="human", render_size=128)
    start = env.game.new_initial_state(1)
    state = start.child(start.legal_actions()[0])
    env.set_game_state(state)
    assert_shows(frames, [state])
    env.close()


def episode(name: str, mode: str, seat: int) -> tuple[Any, list[list[Any]]]:
    """Play a game by first actions against `random`; return the environment and its states.

    The states are those to be shown, in a list for `reset` and one for each step: the positions
    after each action of the learner, and after each turn of the opponent.
    """
    env = gymnasium_env(
        name, render_mode=mode, render_size=128, max_turns=6, seat=seat, illegal="penalize"
    )
    env.metadata["render_fps"] = 0
    _, info = env.reset(seed=3)
    after, over = [env.game_state], False
    while not over:
        _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        over = terminated or truncated
        after.append(env.game_state)
    position = after[-1]._at_start()
    shown: list[list[Any]] = [[position.clone()]]
    for number, state in enumerate(after):
        if number:
            shown.append([])
        for action in state.history()[len(position.history()) :]:
            player, turn = position.current_player(), position.turn_number()
            position.apply_action(action)
            if player == seat or position.turn_number() != turn or position.is_terminal():
                shown[-1].append(position.clone())
    return env, shown


@pytest.mark.parametrize("seat", [0, 1])
def test_the_window_shows_the_turns_of_both_players(
    name: str, seat: int, frames: list[Any]
) -> None:
    env, shown = episode(name, "human", seat)
    assert_shows(frames, [state for step in shown for state in step])
    assert any(len(step) == 2 for step in shown[1:]), "the learner's action and the answer"
    env.close()


@pytest.mark.parametrize("seat", [0, 1])
def test_lists_of_pictures_show_the_turns_of_both_players(name: str, seat: int) -> None:
    env, shown = episode(name, "rgb_array_list", seat)
    assert_shows(env.render(), [state for step in shown for state in step])
    assert env.render() == []
    with pytest.raises(ValueError, match="an overlay is drawn on the current position"):
        env.render("legal")
    env.reset(seed=3)
    assert_shows(env.render(), shown[0])
    mask = env.action_masks()
    env.step(int(mask.argmin()))  # illegal: the same position again
    assert_shows(env.render(), shown[0][-1:])


def test_a_refused_answer_of_the_opponent_leaves_no_picture(name: str) -> None:
    answers = iter([-1])
    policy = lambda observation: next(answers)  # noqa: E731
    env = gymnasium_env(
        name, opponent=policy, seat=0, render_mode="rgb_array_list", render_size=128
    )
    _, info = env.reset(seed=1)
    start = env.game_state
    env.render()
    with pytest.raises(ludarium.IllegalActionError):
        while True:
            _, *_, info = env.step(int(info["action_mask"].argmax()))
            start = env.game_state
            env.render()
    assert env.game_state == start and env.render() == []


class Clock:
    """A clock that only sleeping moves, in place of the module `time`."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.mark.parametrize("kind", ["env", "parallel_env", "gymnasium"])
def test_positions_stay_for_the_time_of_a_frame(
    kind: str, pygame: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what is left of it is waited for; nothing where there is no display."""
    clock = Clock()
    monkeypatch.setattr("ludarium.drawing.window.time", clock)
    options = {"render_mode": "human", "render_size": 128}
    if kind == "gymnasium":
        env = gymnasium_env("sphlag", seat=0, **options)
    else:
        env = getattr(ludarium.sphlag, kind)(**options)

    def step() -> None:
        state = env.game_state
        action = state.legal_actions()[0]
        agent = f"player_{state.current_player()}"
        env.step({agent: action} if kind == "parallel_env" else action)

    env.reset(seed=1)
    step()
    assert clock.now == 100, "the driver without a display shows nothing"
    monkeypatch.setattr("ludarium.drawing.window._UNSEEN", ())
    frames = 2 if kind == "gymnasium" else 1  # of a step
    for fps in (env.metadata["render_fps"], 8, 0.5):
        env.metadata["render_fps"] = fps
        env.reset(seed=1)
        start = clock.now
        step()
        assert clock.now - start == pytest.approx(frames / fps)
        clock.now += 0.3 / fps  # the agent thinks
        start = clock.now
        step()
        assert clock.now - start == pytest.approx(frames / fps - 0.3 / fps)
        env.render()  # the position that the window shows already
        clock.now += 5 / fps
        start = clock.now
        step()
        assert clock.now - start == pytest.approx((frames - 1) / fps)
    start = clock.now
    env.close()
    assert clock.now - start == pytest.approx(1 / fps), "the last position stays as long"
    env.metadata["render_fps"] = 0
    start = clock.now
    env.reset(seed=1)
    step()
    env.close()
    assert clock.now == start
    env.metadata["render_fps"] = 1
    env.reset(seed=1)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    step()
    step()
    assert clock.now == start, "a window that the user has closed is not waited for"
    env.close()


def test_an_exposed_window_is_painted_again(pygame: Any) -> None:
    window = Window("one")
    window.show(GREY)
    surface = window._window.get_surface()
    for event in (pygame.WINDOWEXPOSED, pygame.WINDOWRESTORED):
        surface.fill((0, 0, 0))
        pygame.event.post(pygame.event.Event(event, window=window._window))
        window.poll_events()
        assert tuple(surface.get_at((20, 10)))[:3] == (250, 130, 5)
    window.close()


def test_names_the_extra_when_pygame_is_missing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    env = ludarium.make(name, render_mode="human")
    for call in (lambda: env.reset(seed=1), env.render):
        with pytest.raises(ImportError, match=r"ludarium\[human\]"):
            call()
    assert env.game_state == env.game.new_initial_state(1)
    learner = gymnasium_env(name, render_mode="human")
    for call in (learner.reset, learner.reset):
        with pytest.raises(ImportError, match=r"ludarium\[human\]"):
            call()


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
