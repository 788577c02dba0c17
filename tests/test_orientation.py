"""Pictures of a turned board: places, text, captions, overlays and the places of clicks."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from PIL import Image

import ludarium
from ludarium.drawing.pictures import bottom_player, draw, write_picture
from ludarium.drawing.pointing import Layout, clicks
from ludarium.records import record_episode
from ludarium.records.episode import episode_of

SIZE = 480


def states(name: str, turns: int = 24) -> Iterator[Any]:
    """Yield the states of a random game."""
    choose, state = random.Random(7), ludarium.load_game(name).new_initial_state(2)
    while not state.is_terminal() and state.turn_number() < turns:
        yield state.clone()
        state.apply_action(choose.choice(state.legal_actions()))


def texts(svg: str) -> list[tuple[str, float, float]]:
    """Return text, x and baseline of the texts of an SVG."""
    found = re.findall(r'<text x="([-.\d]+)" y="([-.\d]+)"[^>]*>([^<]*)</text>', svg)
    return [(text, float(x), float(y)) for x, y, text in found]


def test_places_turn_with_the_board(name: str) -> None:
    """At the centre of every target the turned picture has the colour of the other one."""
    game = ludarium.load_game(name)
    layouts = Layout(game, SIZE), Layout(game, SIZE, turned=True)
    checked = 0
    for state in states(name):
        frames = [draw(state, SIZE, orientation=number).astype(int) for number in (0, 1)]
        assert frames[0].shape == frames[1].shape
        assert not np.array_equal(*frames)
        paths = clicks(state), clicks(state, turned=True)
        for action in paths[0]:
            for one, other in zip(paths[0][action], paths[1][action], strict=True):
                pixels = []
                for frame, layout, target in zip(frames, layouts, (one, other), strict=True):
                    x, y = layout.to_pixels(target.x, target.y)
                    assert layout.to_units(x, y) == pytest.approx((target.x, target.y))
                    pixels.append(frame[round(y) - 3 : round(y) + 4, round(x) - 3 : round(x) + 4])
                assert np.abs(pixels[0].mean((0, 1)) - pixels[1].mean((0, 1))).max() < 40, one
                checked += 1
    assert checked > 50


def test_a_turned_board_is_turned_by_180_degrees(name: str) -> None:
    game = ludarium.load_game(name)
    upright, turned = Layout(game, SIZE), Layout(game, SIZE, turned=True)
    board = game.type.submodule("render").board_of(game.new_initial_state(0))
    for state in states(name, 4):
        for path in clicks(state).values():
            for target in path:
                x, y = upright.to_pixels(target.x, target.y)
                u, v = turned.to_pixels(target.x, target.y)
                assert (u, v) == pytest.approx(
                    (board.width * upright.scale - x, board.height * upright.scale - y)
                )


def test_what_is_lifted_is_drawn_further_up_on_a_turned_board_too() -> None:
    """In Sphlag a hole on a sphere is up in the picture, whoever looks."""
    game = ludarium.load_game("sphlag")
    lifted = 0
    for state in states("sphlag", 40):
        paths = clicks(state), clicks(state, turned=True)
        for action, path in paths[0].items():
            for one, other in zip(path, paths[1][action], strict=True):
                flat = one.y + one.lift  # where it would be on the board itself
                for layout, target in (
                    (Layout(game, SIZE), one),
                    (Layout(game, SIZE, turned=True), other),
                ):
                    _, y = layout.to_pixels(target.x, target.y)
                    _, ground = layout.to_pixels(target.x, flat)
                    assert ground - y == pytest.approx(one.lift * layout.scale)
                lifted += one.lift > 0
    assert lifted > 5


def test_text_stays_upright_beside_its_place(name: str) -> None:
    """Coordinates turn with the board, and no text is turned."""
    game = ludarium.load_game(name)
    board = game.type.submodule("render").board_of(game.new_initial_state(0))
    scale = Layout(game, SIZE).scale
    for state in states(name, 6):
        one, other = (state.render("svg", SIZE, orientation=number) for number in (0, 1))
        assert "rotate" not in other and "matrix" not in other
        before, after = texts(one), texts(other)
        assert sorted(text for text, _, _ in before) == sorted(text for text, _, _ in after)
        coordinates = [entry for entry in before if len(entry[0]) <= 2 and entry[0] != "pass"]
        assert len(coordinates) >= 20
        for text, x, y in coordinates:
            height = float(re.search(rf'font-size="(\d+)"[^>]*>{re.escape(text)}<', one)[1])  # type: ignore[index]
            middle = y - height * 0.355
            place = board.width * scale - x, board.height * scale - middle + height * 0.355
            assert any(
                label == text and abs(u - place[0]) < 1.5 and abs(v - place[1]) < 1.5
                for label, u, v in after
            ), text


def test_captions_stay_below_the_board(name: str) -> None:
    for state in states(name, 6):
        frames = [draw(state, SIZE, orientation=number) for number in (0, 1)]
        assert np.array_equal(frames[0][-30:], frames[1][-30:])


def test_overlays_turn_with_the_board(name: str) -> None:
    """Each target that is marked in one picture is marked in the other."""
    game = ludarium.load_game(name)
    for state in [*states(name, 12)][4::5]:
        action = max(a for a, path in clicks(state).items() if path)
        for turned in (0, 1):
            target = clicks(state, bool(turned))[action][-1]
            plain = draw(state, SIZE, orientation=turned).astype(int)
            marked = draw(state, SIZE, overlay={action: 1}, orientation=turned).astype(int)
            x, y = Layout(game, SIZE, bool(turned)).to_pixels(target.x, target.y)
            there = np.abs(marked - plain)[round(y) - 9 : round(y) + 9, round(x) - 9 : round(x) + 9]
            assert (there.max(2) > 30).mean() > 0.5


def test_the_mover_sits_at_the_bottom(name: str) -> None:
    state = next(iter(states(name)))
    while True:
        player = state.current_player()
        assert bottom_player(state, "mover") == player
        assert np.array_equal(
            draw(state, 200, orientation="mover"), draw(state, 200, orientation=player)
        )
        if state.turn_number() == 3:
            break
        state.apply_action(state.legal_actions()[0])
    last = ludarium.load_game(name, max_turns=2).new_initial_state(1)
    while not last.is_terminal():
        last.apply_action(last.legal_actions()[0])
    assert bottom_player(last, "mover") == 1, "player 1 made the last turn"
    assert bottom_player(last, 0) == 0 and bottom_player(last, 1) == 1


def test_files_and_renderings_are_turned(name: str, tmp_path: Path) -> None:
    state = next(iter(states(name)))
    turned = draw(state, 256, "dark", orientation=1)
    assert np.array_equal(state.render(size=256, theme="dark", orientation=1), turned)
    path = write_picture(state, tmp_path / "a.png", 256, "dark", orientation=1)
    assert np.array_equal(np.array(Image.open(path)), turned)
    path = write_picture(state, tmp_path / "a.svg", 256, orientation=1)
    assert path.read_text("utf-8") == state.render("svg", 256, orientation=1)
    assert path.read_text("utf-8") != state.render("svg", 256)


@pytest.mark.parametrize("orientation", [2, -1, "south", None, True, 0.5])
def test_rejects_other_orientations(name: str, orientation: Any) -> None:
    state = next(iter(states(name)))
    for mode in ("rgb_array", "svg", "ansi"):
        with pytest.raises(ValueError, match="orientation is 0, 1 or 'mover'"):
            state.render(mode, orientation=orientation)


def test_diagrams_turn(name: str) -> None:
    """The same signs in the opposite order, and every coordinate beside its own row."""
    for state in states(name):
        upright, turned = (state.render("ansi", orientation=n).splitlines() for n in (0, 1))
        assert upright == str(state).splitlines() != turned
        mover = state.current_player()
        assert state.render("ansi", orientation="mover").splitlines() == (upright, turned)[mover]
        if name == "sphlag":  # whose rows hold three levels side by side: see below
            continue
        row = re.compile(r" *(\d+)  (.*?)  (\d+)")
        rows = [
            [found.groups() for line in lines if (found := row.fullmatch(line))]
            for lines in (upright, turned)
        ]
        assert len(rows[0]) == len(rows[1]) >= 6
        for (left, signs, right), other in zip(rows[0], reversed(rows[1]), strict=True):
            assert left == right == other[0] == other[2]
            mirrored = other[1][::-1].translate(str.maketrans("[]", "]["))
            assert mirrored.split() == signs.split()


@pytest.mark.parametrize("orientation", [0, 1, "mover"])
def test_environments_turn_their_diagrams(name: str, orientation: int | str) -> None:
    options = {"render_mode": "ansi", "orientation": orientation}
    id_ = f"ludarium:ludarium/{name.capitalize()}-v0"
    for env in (
        ludarium.make(name, **options),
        getattr(ludarium, name).parallel_env(**options),
        gymnasium.make(id_, seat=1, **options),
    ):
        env.reset(seed=3)
        state = env.unwrapped.game_state
        assert env.render() == state.render("ansi", orientation=orientation)
        assert (env.render() == str(state)) is (bottom_player(state, orientation) == 0)


def test_a_turned_diagram_of_sphlag() -> None:
    state = ludarium.load_game("sphlag").new_initial_state()
    for text in ("E7/0", "A5/0"):
        state.apply_action(state.string_to_action(text))
    lines = state.render("ansi", orientation=1).splitlines()
    assert lines[1].split() == ["GFEDCBA", "FEDCB", "EDC"]
    assert lines[2].startswith("7  R W . .     6") and lines[4].startswith("5  . . R B")


def _environments(name: str, **options: Any) -> list[Any]:
    """Return an environment of each interface, with pictures of 160 pixels."""
    options = {"render_mode": "rgb_array", "render_size": 160, **options}
    id_ = f"ludarium:ludarium/{name.capitalize()}-v0"
    return [
        ludarium.make(name, **options),
        getattr(ludarium, name).parallel_env(**options),
        gymnasium.make(id_, seat=1, **options),
        gymnasium.make_vec(id_, 2, vectorization_mode="vector_entry_point", seat=1, **options),
        ludarium.make_vec(name, 2, **options),
    ]


@pytest.mark.parametrize("orientation", [0, 1, "mover"])
def test_environments_turn_their_pictures(name: str, orientation: int | str) -> None:
    for env in _environments(name, orientation=orientation):
        env.reset(seed=3)
        inner = env.unwrapped
        many = hasattr(inner, "states")
        states = inner.states() if many else [inner.game_state]
        frames = env.render() if many else [env.render()]
        for state, frame in zip(states, frames, strict=True):
            bottom = bottom_player(state, orientation)
            # in a batch the history, and so the marks of the last turn, is not known
            assert np.array_equal(frame, draw(state, 160, orientation=bottom)), env
            assert not np.array_equal(frame, draw(state, 160, orientation=1 - bottom)), env
        env.close()


@pytest.mark.parametrize("orientation", [2, "south", None, True])
def test_environments_reject_other_orientations(name: str, orientation: Any) -> None:
    id_ = f"ludarium:ludarium/{name.capitalize()}-v0"
    for make in (
        lambda: ludarium.make(name, orientation=orientation),
        lambda: getattr(ludarium, name).parallel_env(orientation=orientation),
        lambda: gymnasium.make(id_, orientation=orientation),
        lambda: gymnasium.make_vec(id_, 2, orientation=orientation),
        lambda: ludarium.make_vec(name, 2, orientation=orientation),
    ):
        with pytest.raises(ValueError, match="orientation is 0, 1 or 'mover'"):
            make()


def test_exports_are_turned(name: str, tmp_path: Path) -> None:
    state = [*states(name, 6)][-1]
    for index, frame in enumerate(episode_of(state, 160, orientation=1).frames()):
        position = episode_of(state).states[index]
        assert np.array_equal(frame, draw(position, 160, orientation=1))
    pages = [
        record_episode(state, tmp_path / f"{number}.html", orientation=number).read_text("utf-8")
        for number in (0, 1)
    ]
    assert pages[0] != pages[1]
    with pytest.raises(ValueError, match="orientation is 0, 1 or 'mover'"):
        record_episode(state, tmp_path / "a.gif", orientation=3)
    assert not (tmp_path / "a.gif").exists()


@pytest.mark.parametrize("size", [128, 129, 131, 200, 333, 511, 512])
def test_both_sides_of_every_picture_are_even(name: str, size: int) -> None:
    """Players of films refuse the colours of odd frames."""
    for env in _environments(name, render_size=size):
        env.reset(seed=3)
        frames = env.render()
        for frame in frames if isinstance(frames, tuple) else (frames,):
            height, width = frame.shape[:2]
            assert height % 2 == 0 and width % 2 == 0
            assert max(height, width) == size - size % 2
        env.close()
