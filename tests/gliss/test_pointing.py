"""Pointing at Gliss: cores, bases, landings, choices (L14), the way off, and choosing anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from registered import load, walk
from test_play_controller import ControllerHarness

from ludarium.drawing.canvas import THEMES
from ludarium.drawing.pointing import Layout, clicks
from ludarium.games.gliss.render import area, draw, place_of, read_board_of, vertex_named

CHOICE = "12/12/12/12/3RR1BB4/3RR1BB4/12/12/12/12/BB8RR/BB8RR R d8 10"
TWO_BASES = "12/12/12/12/3RR7/3RR7/12/12/12/12/BB8RR/BB8RR R - 10"


@pytest.mark.parametrize(("size", "theme"), [(200, "light"), (640, "dark")])
def test_the_place_of_a_core_has_its_players_colour(size: int, theme: str) -> None:
    game = load("gliss")
    layout, seen = Layout(game, size), 0
    for state in walk(game, 2):
        if state.stage() != "choose":
            continue
        frame = draw(state, size, theme)
        for action, (place,) in clicks(state).items():
            if state.action_to_string(action).startswith("+"):
                continue
            x, y = layout.to_pixels(place.x, place.y)
            colour = np.array(THEMES[theme].players[state.current_player()])
            assert np.abs(frame[int(y), int(x)].astype(int) - colour).max() < 24, str(state)
            seen += 1
    assert seen > 30


@pytest.mark.parametrize("side", ["R", "B"])
def test_a_base_is_built_by_its_middle(side: str) -> None:
    state = load("gliss").state_from_string(f"{'/'.join(['12'] * 12)} {side} - 0")
    way = clicks(state)[state.string_to_action("+c4")]
    corners = [place_of(vertex_named(name, 12)) for name in ("c4", "d4", "c5", "d5")]
    assert way[0][:2] == pytest.approx(np.mean(corners, 0))


def test_a_choice_is_a_second_click() -> None:
    """The glider of d8, with its arms on e8 and d7, lands on g7 and h7 of the base g7-h8."""
    state = load("gliss").state_from_string(CHOICE)
    ways = {state.action_to_string(action): way for action, way in clicks(state).items()}
    core, arm = place_of(vertex_named("g7", 12)), place_of(vertex_named("h7", 12))
    assert [place[:2] for place in ways["-g7"]] == [core, core]
    assert [place[:2] for place in ways["-g7*"]] == [core, arm]
    for text, way in ways.items():
        assert len(way) == (2 if text.removesuffix("*") + "*" in ways else 1)
    # the stone clicked is the core of what goes: that opposite to it in the base stays (L13)
    for text, stays, goes in (("-g7", "h8", "g8"), ("-g7*", "g8", "h8")):
        grid, *_ = read_board_of(state.child(state.string_to_action(text)))
        for name, stone in ((stays, "B"), (goes, ".")):
            i, j = vertex_named(name, 12)
            assert grid[i][j] == stone, (text, name)


def test_the_way_off_is_beside_the_board() -> None:
    text = TWO_BASES.replace("R - 10", "R k1 10")
    state = load("gliss").state_from_string(text)
    ((place,),) = [w for a, w in clicks(state).items() if state.action_to_string(a) == "-off"]
    inner, (width, height) = place_of((0, 0)), area(12)
    outside = (
        place.x < inner[0]
        or place.x > width - inner[0]
        or place.y < inner[1]
        or place.y > height - inner[1]
    )
    assert outside and 0 < place.x < width and 0 < place.y < height


def test_another_glider_may_be_chosen() -> None:
    game = load("gliss")
    start = game.state_from_string(TWO_BASES)
    harness: Any = ControllerHarness(game)
    harness.controller.session.state = start.clone()
    harness.controller._refresh()

    def click(name: str) -> str:
        x, y = place_of(vertex_named(name, 12))
        harness.controller.click(x, y)
        return str(harness.state.to_string().split(" ")[2])

    assert click("d8") == "d8"
    assert click("k1") == "k1", "another core: another glider"
    assert click("k1") == "-", "the same again: none"
    assert click("e7") == "e7"
    assert harness.state.history() == [start.string_to_action("e7")]
    harness.controller.press("cancel")
    assert harness.state == start
