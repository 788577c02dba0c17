"""The window of ``play --window``: its picture, its events, and a real one under Xvfb."""

from __future__ import annotations

import itertools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from children import interruptible
from test_play_controller import ControllerHarness
from test_play_controller import play as play_turns

import ludarium
from ludarium import records
from ludarium.core.errors import install
from ludarium.drawing.canvas import THEMES, mix
from ludarium.drawing.pictures import draw
from ludarium.drawing.pointing import clicks
from ludarium.play.controller import Controller
from ludarium.play.session import Session
from ludarium.play.view import MINIMUM, View
from ludarium.play.window import WindowShell

SIZES = (128, 333, 512, 1024)

# ---------------------------------------------------------------- the picture


def near(pixel: Any, colour: Any) -> bool:
    return int(np.abs(pixel.astype(int) - np.array(colour)).max()) < 24


def at(frame: Any, point: Any) -> Any:
    return frame[int(point[1]), int(point[0])]


@pytest.mark.parametrize("theme", sorted(THEMES))
def test_the_picture_of_a_controller(game: Any, theme: str) -> None:
    harness = ControllerHarness(game)
    for size in SIZES:
        view = View(game, size, theme)
        frame = view.frame(harness.controller)
        assert frame.dtype == np.uint8 and frame.shape == (view.height, view.width, 3)
        assert frame.flags.owndata and frame.flags.writeable
        board = game.type.submodule("render").draw(harness.state, view.size, theme)
        at_least = size == 128 and (view.width, view.height) == MINIMUM
        assert size - view.size in (0, 1) or at_least
        assert view.width >= board.shape[1] + view.list_width and view.list_width > 0
        assert view.height > board.shape[0]
        assert harness.controller.selection is not None
        for place in harness.controller.selection.next_targets():
            assert near(at(frame, view.to_pixels(place)), THEMES[theme].chosen), (size, place)
        assert near(frame[-1, 0], THEMES[theme].background)


def test_chosen_targets_are_marked(game: Any) -> None:
    harness, view = ControllerHarness(game), View(game, 600, "light")
    while not any(len(way) > 1 for way in clicks(harness.state).values()):
        action = harness.state.legal_actions()[0]
        harness.click(action)
        if not harness.controller.session.persons_turn:
            harness.agent()
    way = next(way for way in clicks(harness.state).values() if len(way) > 1)
    before = view.frame(harness.controller)
    harness.controller.click(way[0].x, way[0].y)
    frame = view.frame(harness.controller)
    assert not np.array_equal(frame, before)
    assert harness.controller.selection is not None
    for place in harness.controller.selection.next_targets():
        assert near(at(frame, view.to_pixels(place)), THEMES["light"].chosen)


def test_a_hint_is_painted(game: Any) -> None:
    harness, view = ControllerHarness(game, "greedy"), View(game, 600, "light")
    harness.controller.press("hint")
    harness.agent()
    frame = view.frame(harness.controller)
    assert harness.controller.hint
    for place in harness.controller.hint:
        x, y = view.to_pixels(place)
        reach = round(min(place.wide, place.high) * view.size / 8)
        around = frame[int(y) - reach : int(y) + reach, int(x) - reach : int(x) + reach]
        colour = np.array(THEMES["light"].capture)
        assert (np.abs(around.astype(int) - colour).max(2) < 24).sum() > 10


@pytest.mark.parametrize("size", SIZES)
def test_buttons_are_clicked_where_they_are_painted(game: Any, size: int) -> None:
    harness, view = ControllerHarness(game), View(game, size, "light")
    frame, buttons = view.frame(harness.controller), harness.controller.buttons()
    seen = []
    for index, button in enumerate(buttons):
        left, top, wide, high = view.box(buttons, index)
        assert left >= 0 and left + wide <= view.width and top + high <= view.height
        assert view.button_at(harness.controller, left + wide / 2, top + high / 2) == button.name
        assert view.button_at(harness.controller, left + wide / 2, top - 2) is None
        inside = frame[int(top) + 3 : int(top + high) - 3, int(left) + 3 : int(left + wide) - 3]
        seen.append(int((inside.astype(int).sum(2) < 300).sum()))  # dark ink
        assert (seen[-1] > 0) == button.enabled, button
        share = 0.8 if button.enabled else 0.25
        fill = mix(THEMES["light"].background, THEMES["light"].board, share)
        assert near(at(frame, (left + wide / 2, top + high * 0.16)), fill)
    assert view.to_units(5, view.height - 2) is None
    assert view.to_units(view.width - 2, 5) is None, "the list of turns"
    assert view.to_units((view.width - view.list_width) / 2, 5) is not None


def test_the_status_line_shows_the_status(game: Any) -> None:
    harness, view = ControllerHarness(game), View(game, 512, "light")
    frames = [view.frame(harness.controller)]
    harness.resign()
    frames.append(view.frame(harness.controller))
    board = game.type.submodule("render").draw(harness.state, 512).shape[0]
    assert not np.array_equal(frames[0][board:], frames[1][board:])
    ink = THEMES["light"].ink
    caption = frames[1][board - 30 : board - 8, :40].reshape(-1, 3)
    assert any(near(pixel, ink) for pixel in caption), "the result is the picture's caption"


def long_game(name: str, turns: int, seat: int = 0) -> ControllerHarness:
    harness = ControllerHarness(ludarium.load_game(name), seat=seat)
    play_turns(harness, random.Random(4), turns)
    return harness


def test_the_turns_are_listed_beside_the_board(name: str) -> None:
    harness, view = long_game(name, 8), View(ludarium.load_game(name), 640, "light")
    session = harness.controller.session
    texts = [text for _, _, text in session.turns()]
    lines = view.lines(session)
    assert [text for line in lines for text in line[1:] if text] == texts
    assert [line[0] for line in lines] == list(range(1, len(texts) + 1, 2))
    frame = view.frame(harness.controller)
    ink = THEMES["light"].ink
    beside = frame[: view.height // 2, view.width - view.list_width :].reshape(-1, 3)
    count = sum(near(pixel, ink) for pixel in beside)
    assert count > 50
    empty = view.frame(ControllerHarness(harness.game).controller)
    bare = empty[: view.height // 2, view.width - view.list_width :].reshape(-1, 3)
    assert not any(near(pixel, ink) for pixel in bare)


def test_the_list_of_turns_scrolls(name: str) -> None:
    harness, view = long_game(name, 12), View(ludarium.load_game(name), 300, "dark")
    session = harness.controller.session
    view.resize(400, 200)
    lines = View(harness.game, 2048, "dark").lines(session)
    shown = len(view.lines(session))
    assert view.list_width > 0 and shown < len(lines)
    assert view.lines(session) == lines[-shown:], "the last turns"
    frames = [view.frame(harness.controller)]
    assert view.scroll(session, 1) and view.lines(session) == lines[-shown - 1 : -1]
    frames.append(view.frame(harness.controller))
    assert not np.array_equal(*frames)
    assert view.scroll(session, 1000) and view.lines(session) == lines[:shown]
    assert not view.scroll(session, 1)
    assert view.scroll(session, -1000) and view.lines(session) == lines[-shown:]
    assert not view.scroll(session, -1)
    view.scroll(session, 2)
    harness.controller.press("undo")
    last = [text for _, _, text in session.turns()][-1]
    assert last in view.lines(session)[-1], "a change of the game shows the end again"


def test_lists_of_games_that_player_1_begins() -> None:
    state = ludarium.load_game("sphlag").new_initial_state(1)
    state.apply_action(state.legal_actions()[0])
    later = state.game.state_from_string(state.to_string())
    later.apply_action(later.legal_actions()[0])
    session = Session(later, "random", 1, 1)
    (line,) = View(state.game, 400, "light").lines(session)
    assert line == (2, "", session.turns()[0][2])


WINDOWS = [MINIMUM, (300, 800), (900, 300), (640, 480), (1000, 1000), (2600, 2400)]


@pytest.mark.parametrize("size", WINDOWS)
def test_the_picture_follows_the_size_of_the_window(game: Any, size: tuple[int, int]) -> None:
    """The board is as large as fits, clicks and buttons hit what is painted there."""
    harness, view = ControllerHarness(game), View(game, 640, "light")
    view.resize(*size)
    frame = view.frame(harness.controller)
    assert frame.shape == (size[1], size[0], 3) == (view.height, view.width, 3)
    room = size[0] - view.list_width, view.height
    board = game.type.submodule("render").draw(harness.state, view.size).shape
    assert board[1] <= room[0] and board[0] < room[1]
    larger = game.type.submodule("render").draw(harness.state, min(2048, view.size + 8)).shape
    if view.size < 2048:
        assert larger[1] > room[0] or larger[0] > view._floor, "there is room for a larger board"
    assert (view.list_width > 0) == (size != (300, 800))
    assert harness.controller.selection is not None
    for place in harness.controller.selection.next_targets():
        x, y = view.to_pixels(place)
        assert near(at(frame, (x, y)), THEMES["light"].chosen)
        assert view.to_units(x, y) == pytest.approx((place.x, place.y))
    buttons = harness.controller.buttons()
    for index, button in enumerate(buttons):
        left, top, wide, high = view.box(buttons, index)
        assert left + wide <= size[0] and top + high <= size[1]
        assert view.button_at(harness.controller, left + wide / 2, top + high / 2) == button.name


def test_windows_smaller_than_the_minimum_are_drawn(game: Any) -> None:
    harness, view = ControllerHarness(game), View(game, 300, "light")
    for size in ((1, 1), (40, 500), (500, 40)):
        view.resize(*size)
        assert view.frame(harness.controller).shape == (size[1], size[0], 3)
    view.resize(300, 300)
    assert view.size < 300 and view.list_width == 0


def test_the_picture_of_a_turned_board(game: Any) -> None:
    harness, view = ControllerHarness(game, seat=1, orientation=1), View(game, 500, "light")
    harness.agent()
    frame, controller = view.frame(harness.controller), harness.controller
    assert controller.selection is not None
    for place in controller.selection.next_targets():
        x, y = view.to_pixels(place, turned=True)
        assert near(at(frame, (x, y)), THEMES["light"].chosen)
        assert view.to_units(x, y, turned=True) == pytest.approx((place.x, place.y))
    controller.selection = None
    plain = view.frame(controller)
    board = draw(harness.state, view.size, orientation=1)
    assert np.array_equal(plain[: board.shape[0], : board.shape[1]], board)


def texts_kept(before: Any, frame: Any, layout: Any) -> bool:
    """Return whether the caption is as before: two texts over each other are illegible."""
    band = max(16, round(max(layout.height, layout.width) * 0.068))
    rows = slice(layout.height - band, layout.height)
    return np.array_equal(before[rows, : layout.width], frame[rows, : layout.width])


@pytest.mark.parametrize("theme", sorted(THEMES))
def test_what_a_click_would_play_is_a_ghost(game: Any, theme: str) -> None:
    """Halfway between the pictures before and after, with a ring around the target."""
    harness, view = ControllerHarness(game), View(game, 500, theme)
    controller = harness.controller
    while not any(len(way) == 1 for way in clicks(harness.state).values()):
        assert controller.selection is not None
        place = controller.selection.next_targets()[0]  # Gygès: the cells of a set-up
        before = view.frame(controller)
        controller.hover(place.x, place.y)
        assert not np.array_equal(before, view.frame(controller))
        controller.click(place.x, place.y)
        if not controller.session.persons_turn:
            harness.agent()
        if harness.state.turn_number() > 30:
            return  # a game without turns of one click
    action, (place,) = next((a, way) for a, way in clicks(harness.state).items() if len(way) == 1)
    before = view.frame(controller)
    controller.hover(place.x, place.y)
    frame, after = view.frame(controller), harness.state.child(action)
    pictures = [
        game.type.submodule("render").draw(state, view.size, theme).astype(int)
        for state in (harness.state, after)
    ]
    middle = at(frame, view.to_pixels(place))
    x, y = view._layout.to_pixels(place.x, place.y)
    assert np.abs(middle - (at(pictures[0], (x, y)) + at(pictures[1], (x, y))) / 2).max() <= 2
    x, y = view.to_pixels(place)
    reach = round(min(place.wide, place.high) * view._layout.scale) + 3
    around = frame[int(y) - reach : int(y) + reach, int(x) - reach : int(x) + reach]
    colour = np.array(THEMES[theme].chosen)
    assert (np.abs(around.astype(int) - colour).max(2) < 24).sum() > 20, "the ring"
    assert texts_kept(before, frame, view._layout)
    controller.hover(-5.0, -5.0)
    assert np.array_equal(view.frame(controller), before)


def test_a_button_that_asks_is_marked(game: Any) -> None:
    harness, view = ControllerHarness(game), View(game, 400, "light")
    buttons = harness.controller.buttons()
    index = [button.name for button in buttons].index("resign")
    left, top, wide, _ = (round(number) for number in view.box(buttons, index))
    edge = slice(top, top + 3), slice(left + 10, left + wide - 10)
    harness.controller.press("resign")
    frame = view.frame(harness.controller)
    assert near(frame[edge].reshape(-1, 3)[wide], THEMES["light"].flag)
    harness.controller.press("cancel")
    frame = view.frame(harness.controller)
    assert not near(frame[edge].reshape(-1, 3)[wide], THEMES["light"].flag)


# ---------------------------------------------------------------- events, without a screen


@pytest.fixture
def pygame(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return pygame with SDL's driver without a screen."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_MOUSE_FOCUS_CLICKTHROUGH", "1")  # monkeypatch restores it
    monkeypatch.setenv("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    import pygame

    yield pygame
    pygame.display.quit()


def press(pygame: Any, x: float, y: float, button: int = 1) -> None:
    event = pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=(int(x), int(y)), button=button)
    pygame.event.post(event)


def key(pygame: Any, name: str) -> None:
    code = pygame.K_ESCAPE if name == "escape" else pygame.key.key_code(name)
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=code))


def test_events_become_clicks_and_buttons(game: Any, pygame: Any) -> None:
    harness, view = ControllerHarness(game), View(game, 300, "light")
    shell = WindowShell(harness.controller, view, "A title")
    before = harness.state.clone()
    for place in next(way for way in clicks(harness.state).values() if way):
        press(pygame, *view.to_pixels(place))
        shell.show()
    assert harness.state != before
    key(pygame, "u")
    shell.show()
    assert harness.state == before
    way = next(way for way in clicks(harness.state).values() if way)
    press(pygame, *view.to_pixels(way[0]), button=2)  # the middle button does nothing
    shell.show()
    assert harness.state == before
    buttons = harness.controller.buttons()
    index = [button.name for button in buttons].index("resign")
    left, top, wide, high = view.box(buttons, index)
    for asked in ("resign", ""):
        press(pygame, left + wide / 2, top + high / 2)
        shell.show()
        assert harness.controller.asked == asked
    assert harness.controller.session.resigned
    key(pygame, "n")
    shell.show()
    assert harness.begun == 2
    for stop in ("escape", "x"):
        key(pygame, stop)
        shell.show()
    assert harness.state.history() == []
    shell.close()
    shell.close()


def test_the_mouse_marks_targets_and_scrolls_the_list(name: str, pygame: Any) -> None:
    harness = long_game(name, 12)
    view = View(harness.game, 300, "light")
    shell = WindowShell(harness.controller, view, "A title")
    assert harness.controller.selection is not None
    place = harness.controller.selection.next_targets()[0]

    def move(x: float, y: float) -> None:
        position = (round(x), round(y))
        event = pygame.event.Event(pygame.MOUSEMOTION, pos=position, rel=(0, 0), buttons=(0, 0, 0))
        pygame.event.post(event)
        shell.show()

    move(*view.to_pixels(place))
    assert harness.controller.hovered == place
    move(2, view.height - 2)
    assert harness.controller.hovered is None
    move(*view.to_pixels(place))
    pygame.event.post(pygame.event.Event(pygame.WINDOWLEAVE, window=shell._window._window))
    shell.show()
    assert harness.controller.hovered is None
    shell._window._window.size = (400, 200)  # as the person resizes it
    shell.show()
    assert (view.width, view.height) == (400, 200)
    shown = shell._window._frame
    assert shown is not None and shown.shape == (200, 400, 3)
    lines = view.lines(harness.controller.session)
    pygame.event.post(pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=1))
    shell.show()
    assert view.lines(harness.controller.session) != lines
    assert not np.array_equal(shell._window._frame, shown)
    key(pygame, "page down")
    shell.show()
    assert view.lines(harness.controller.session) == lines
    key(pygame, "page up")
    shell.show()
    assert view.lines(harness.controller.session) != lines
    shell.close()


def test_the_board_is_flipped_by_its_key(name: str, pygame: Any) -> None:
    """Clicks and the mouse hit what the turned board shows."""
    harness = long_game(name, 4)
    controller, view = harness.controller, View(harness.game, 300, "light")
    shell = WindowShell(controller, view, "A title")
    before = harness.state.clone()
    shown = shell._window._frame
    key(pygame, "f")
    shell.show()
    assert controller.turned and not np.array_equal(shell._window._frame, shown)
    for place in next(way for way in clicks(before, turned=True).values() if way):
        x, y = (round(n) for n in view.to_pixels(place, turned=True))
        pygame.event.post(
            pygame.event.Event(pygame.MOUSEMOTION, pos=(x, y), rel=(0, 0), buttons=(0, 0, 0))
        )
        shell.show()
        assert controller.hovered == place
        press(pygame, x, y)
        shell.show()
    assert harness.state != before
    shell.close()


def test_the_key_of_quit_asks_once_more(game: Any, pygame: Any) -> None:
    harness = ControllerHarness(game)
    harness.turn(random.Random(1))
    shell = WindowShell(harness.controller, View(game, 200, "dark"), "A title")
    key(pygame, "q")
    shell.show()
    assert shell._window.is_open and "Press Q again" in harness.controller.status()
    key(pygame, "q")
    shell.show()
    assert not shell._window.is_open


def test_the_window_shows_the_view(game: Any, pygame: Any) -> None:
    harness, view = ControllerHarness(game), View(game, 200, "dark")
    shell = WindowShell(harness.controller, view, "A title")
    surface = shell._window._window.get_surface()
    shown = pygame.surfarray.array3d(surface).swapaxes(0, 1)
    assert np.array_equal(shown, view.frame(harness.controller))
    harness.resign()
    shell.show()
    shown = pygame.surfarray.array3d(surface).swapaxes(0, 1)
    assert np.array_equal(shown, view.frame(harness.controller))
    shell.close()


@pytest.mark.parametrize("how", ["key", "QUIT", "WINDOWCLOSE"])
def test_the_window_can_be_closed_while_the_agent_thinks(game: Any, pygame: Any, how: str) -> None:
    harness = ControllerHarness(game, seat=1)  # the agent is thinking
    shell = WindowShell(harness.controller, View(game, 200, "light"), "A title")
    if how == "key":
        key(pygame, "q")
    else:
        about = {"window": shell._window._window} if how == "WINDOWCLOSE" else {}
        pygame.event.post(pygame.event.Event(getattr(pygame, how), **about))
    shell.run()
    assert not shell._window.is_open


# ---------------------------------------------------------------- the command


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch, pygame: Any) -> Callable[..., None]:
    """Return a function that sets steps: one is called in place of each pause of the window.

    A step that returns False is called again.
    """

    def set_script(*steps: Callable[[], bool | None]) -> None:
        left, sleep = list(steps), time.sleep

        def rest(seconds: float) -> None:
            sleep(0.002)
            if left and left[0]() is not False:
                left.pop(0)

        monkeypatch.setattr("ludarium.play.window.time.sleep", rest)

    return set_script


def test_window_command(run: Any, script: Any, pygame: Any, name: str, tmp_path: Path) -> None:
    state = ludarium.load_game(name).new_initial_state(3)
    view = View(state.game, 300, "dark")
    steps = [
        lambda place=place: press(pygame, *view.to_pixels(place))
        for place in next(way for way in clicks(state).values() if way)
    ]
    script(*steps, *(lambda name=name: key(pygame, name) for name in "rrnq"))
    words = ("play", name, "--window", "--size", "300", "--theme", "dark", "--seed", "3")
    status, out, err = run(*words, "--record", "games.jsonl")
    assert (status, err) == (0, "")
    assert "You play " in out and "You have resigned" in out
    assert out.endswith("The record is in games.jsonl\n")
    (record,) = records.read("games.jsonl")
    assert (record.seed, record.reason, record.players) == (3, "resigned", ("human", "greedy"))
    assert len(record.turns) >= 1


@pytest.mark.parametrize(
    ("words", "turned"),
    [
        ((), False),
        (("--seat", "1"), True),
        (("--seat", "1", "--orientation", "0"), False),
        (("--orientation", "1"), True),
        (("--seat", "1", "--orientation", "mover"), False),  # player 0 moves first
    ],
)
def test_the_person_sits_at_the_bottom(
    run: Any, script: Any, controllers: list[Controller], name: str, words: Any, turned: bool
) -> None:
    def check_and_quit() -> None:
        assert controllers[0].turned == turned
        controllers[0].press("quit")

    script(check_and_quit)
    status, _, err = run("play", name, "--window", "--size", "128", "--record", "g.jsonl", *words)
    assert (status, err) == (0, "")


@pytest.fixture
def controllers(monkeypatch: pytest.MonkeyPatch) -> list[Controller]:
    """Collect the controllers that the command creates."""
    created: list[Controller] = []

    def create(*arguments: Any, **options: Any) -> Controller:
        created.append(Controller(*arguments, **options))
        return created[-1]

    monkeypatch.setattr("ludarium.play.window.Controller", create)
    return created


@pytest.mark.usefixtures("broken")
def test_an_agent_that_raises_in_the_window_is_named_at_the_end(
    run: Any, script: Any, pygame: Any, controllers: list[Controller]
) -> None:
    """Pass until the agent raises: the window shows the error and stays open until Q."""
    rests = itertools.count()

    def pass_until_the_agent_raises() -> bool:
        (controller,) = controllers
        assert not controller.session.over and next(rests) < 100_000
        if controller.session.persons_turn and not controller.thinking:
            key(pygame, "p")
        return controller.error != ""

    def check_and_quit() -> None:
        assert controllers[0].status() == "broken:raises raised RuntimeError: out of luck"
        for _ in range(2):
            key(pygame, "q")

    script(pass_until_the_agent_raises, check_and_quit)
    words = ("play", "sphlag", "--window", "--against", "broken:raises", "--seed", "1")
    status, out, err = run(*words, "--record", "games.jsonl")
    assert (status, err) == (2, "ludarium: broken:raises raised RuntimeError: out of luck\n")
    assert out.endswith("The record is in games.jsonl\n")
    (record,) = records.read("games.jsonl")
    assert (record.reason, record.result, len(record.turns)) == ("unfinished", None, 7)


def test_missing_pygame_names_the_extra(
    run: Any, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    status, out, err = run("play", name, "--window")
    assert (status, out) == (2, "")
    assert err == f"ludarium: a window needs pygame-ce: {install('human')}\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can lack a display")
def test_missing_display_is_reported(
    run: Any, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SDL_MOUSE_FOCUS_CLICKTHROUGH", "1")  # monkeypatch restores it
    for variable in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    status, out, err = run("play", name, "--window")
    assert (status, out) == (2, "")
    assert re.fullmatch(r"ludarium: there is no display .*\n", err)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--theme", "dark"), "--theme needs --window"),
        (("--size", "300"), "--size needs --window"),
        (("--window", "--orientation", "2"), "'2' is not one of '0', '1', 'mover'"),
        (("--window", "--size", "100"), "100 is not in the range 128<=x<=2048"),
        (("--window", "--theme", "sepia"), "'sepia' is not one of"),
        (("--window", "--record", "no/where.jsonl"), "there is no folder"),
        (("--window", "--record", "game.gif"), "the name ends in '.jsonl'"),
    ],
)
def test_rejects_invalid_window_options(run: Any, pygame: Any, words: Any, message: str) -> None:
    status, out, err = run("play", "sphlag", *words)
    assert (status, out) == (2, "")
    assert message in err and err.count("\n") == 1


# ---------------------------------------------------------------- a real window


NEEDED = [tool for tool in ("Xvfb", "xdotool") if shutil.which(tool) is None]
real = pytest.mark.skipif(
    bool(NEEDED), reason=f"no {' and no '.join(NEEDED)} here (apt-get install xvfb xdotool)"
)


@pytest.fixture
def display() -> Iterator[dict[str, str]]:
    """Start an X server without a screen; yield the environment variables for its clients."""
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as lines:
        number = lines.readline().strip()
    environment = {**os.environ, "DISPLAY": f":{number}", "PYTHONUNBUFFERED": "1"}
    for variable in ("SDL_VIDEODRIVER", "WAYLAND_DISPLAY"):
        environment.pop(variable, None)
    yield environment
    server.terminate()
    server.wait()


class Play:
    """A process of ``play --window``, with a mouse and a keyboard."""

    def __init__(self, display: dict[str, str], folder: Path, *words: str) -> None:
        self.display = display
        with interruptible():
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "ludarium",
                    "play",
                    *words,
                    "--window",
                    "--record",
                    "g.jsonl",
                ],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                cwd=folder,
                env=display,
            )
        # a window without a response fails the test instead of blocking it
        self._watch = threading.Timer(240, self.process.kill)
        self._watch.daemon = True
        self._watch.start()
        search = ("search", "--sync", "--onlyvisible", "--pid", str(self.process.pid))
        self.window = self.hand(*search).split()[-1]

    def hand(self, *words: str) -> str:
        found = subprocess.run(
            ["xdotool", *words], capture_output=True, text=True, env=self.display, timeout=120
        )
        assert found.returncode == 0, found.stderr
        return found.stdout

    def click(self, x: float, y: float) -> None:
        where = (str(round(x)), str(round(y)))
        self.hand("mousemove", "--sync", "--window", self.window, *where, "click", "1")

    def line(self, beginning: str) -> str:
        """Wait for a printed line."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(beginning):
                return line.strip()
        raise AssertionError(f"nothing more is printed: {self.process.communicate()[1]}")

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate()
        self._watch.cancel()
        return self.process.returncode, out, err


@real
def test_a_turn_is_clicked_in_a_real_window(
    display: dict[str, str], name: str, tmp_path: Path
) -> None:
    play = Play(display, tmp_path, name, "--seed", "1", "--size", "400")
    state = ludarium.load_game(name).new_initial_state(1)
    view = View(state.game, 400, "light")
    action, way = next((a, w) for a, w in clicks(state).items() if w)
    text = state.action_to_string(action)
    for place in way:
        play.click(*view.to_pixels(place))
    assert play.line("You play") == f"You play {text}"
    answer = play.line("greedy plays").removeprefix("greedy plays ")
    play.hand("key", "q", "key", "q")
    status, out, err = play.end()
    assert (status, out, err) == (0, "The record is in g.jsonl\n", "")
    (record,) = records.read(tmp_path / "g.jsonl")
    assert record.turns == (text, answer)
    assert record.reason == "unfinished"


@real
def test_a_turned_board_is_clicked_in_a_real_window(
    display: dict[str, str], name: str, tmp_path: Path
) -> None:
    """The person in seat 1 sits at the bottom: the answer to the agent's first turn is clicked."""
    play = Play(display, tmp_path, name, "--seed", "1", "--size", "400", "--seat", "1")
    state = ludarium.load_game(name).new_initial_state(1)
    answer = play.line("greedy plays").removeprefix("greedy plays ")
    state.apply_action(state.string_to_action(answer))
    view = View(state.game, 400, "light")
    action, way = next((a, w) for a, w in clicks(state, turned=True).items() if w)
    for place in way:
        play.click(*view.to_pixels(place, turned=True))
    assert play.line("You play") == f"You play {state.action_to_string(action)}"
    play.hand("key", "q", "key", "q")
    status, _, err = play.end()
    assert (status, err) == (0, "")


@real
def test_a_real_window_is_resized_and_clicked(
    display: dict[str, str], name: str, tmp_path: Path
) -> None:
    """The picture follows, and the clicks hit; a search is broken off by its key."""
    words = (name, "--seed", "1", "--size", "300", "--against", "mcts:10000000")
    play = Play(display, tmp_path, *words)
    state = ludarium.load_game(name).new_initial_state(1)
    view = View(state.game, 300, "light")
    view.resize(900, 620)
    play.hand("windowsize", "--sync", play.window, "900", "620")
    action, way = next((a, w) for a, w in clicks(state).items() if w)
    for place in way:
        play.click(*view.to_pixels(place))
    assert play.line("You play") == f"You play {state.action_to_string(action)}"
    play.hand("key", "m")
    answer = play.line("mcts:10000000 plays")
    play.hand("key", "q", "key", "q")
    status, out, err = play.end()
    assert (status, out, err) == (0, "The record is in g.jsonl\n", "")
    (record,) = records.read(tmp_path / "g.jsonl")
    assert record.turns[1] == answer.rpartition(" ")[2]


@real
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_closes_a_window_whose_agent_thinks(
    display: dict[str, str], number: int, tmp_path: Path
) -> None:
    """The process ends during a long search, and the record is written."""
    words = ("sphlag", "--seed", "1", "--against", "mcts:10000000", "--size", "300")
    play = Play(display, tmp_path, *words)
    state = ludarium.load_game("sphlag").new_initial_state(1)
    view = View(state.game, 300, "light")
    way = clicks(state)[state.string_to_action("E7/0")]
    play.click(*view.to_pixels(way[0]))
    play.line("You play E7/0")
    play.hand("key", "u")  # works while the agent thinks
    assert play.line("Back to turn") == "Back to turn 0"
    play.click(*view.to_pixels(way[0]))
    play.line("You play E7/0")
    play.process.send_signal(number)
    status, out, err = play.end()
    assert status == (0 if number == signal.SIGINT else 128 + number) and err == ""
    assert "The record is in g.jsonl" in out
    assert records.read(tmp_path / "g.jsonl")[0].turns == ("E7/0",)
