"""Pointing at Gygès: pieces, goals, and the four clicks of a first row."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from registered import load, walk

from ludarium.drawing.canvas import start
from ludarium.drawing.pointing import Layout, clicks, hit, orders
from ludarium.games.gyges.render import (
    GOAL_Y,
    HEIGHT,
    RADIUS,
    WIDTH,
    colour_of,
    draw,
    levels,
    paint_board,
)
from ludarium.games.gyges.walks import pieces_of


@pytest.mark.parametrize(("size", "theme"), [(300, "light"), (640, "dark")])
def test_the_place_of_a_piece_is_where_it_is_drawn(size: int, theme: str) -> None:
    game = load("gyges", setup="random")
    layout, seen = Layout(game, size), 0
    canvas = start(WIDTH, HEIGHT, size, theme, paint_board)
    for state in itertools.islice(walk(game, 3), 40):
        if state.stage() != "move":
            continue
        frame = draw(state, size, theme)
        for action, way in clicks(state).items():
            cell, end = state.action_to_string(action).split("-")
            rings = pieces_of(state)[cell]
            place = way[0]
            _, top = levels(place.y, rings)
            x, y = layout.to_pixels(place.x + RADIUS * 0.75, top)  # on the upper ring
            found = frame[int(y), int(x)].astype(int)
            assert np.abs(found - np.array(colour_of(canvas, rings))).max() < 24, (cell, str(state))
            assert (way[1].wide > 1) == (end == "goal")
            seen += 1
    assert seen > 200


def test_the_whole_goal_can_be_clicked() -> None:
    for side, row, goal in (("S", "000000/000000/000000/300303/110011/222023", 0), ("N", None, 1)):
        row = row or "222023/110011/300303/000000/000000/000000"
        state = load("gyges").state_from_string(f"{row} {side} move 20")
        actions = {state.action_to_string(a): way for a, way in clicks(state).items()}
        ways = [way for text, way in actions.items() if text.endswith("-goal")]
        assert ways
        place = ways[0][1]
        assert place.y == GOAL_Y[1 - goal]
        seconds = {way[1] for way in actions.values()}
        for x in np.linspace(WIDTH / 2 - 2.9, WIDTH / 2 + 2.9, 9):
            assert hit(seconds, float(x), place.y) == place


@pytest.mark.parametrize("turn", [0, 1])
def test_a_first_row_is_four_clicks_in_the_order_of_rings(turn: int) -> None:
    state: Any = load("gyges").new_initial_state()
    if turn:
        state.apply_action(0)
    ways = clicks(state)
    assert len(ways) == 90
    for action, way in ways.items():
        text = state.action_to_string(action)
        assert [place.label for place in way] == list("1122")
        for place in way:
            assert text["abcdef".index("abcdef"[round(place.x - 1.6)])] == place.label
        assert len(list(orders(way))) == 4
    (y,) = {place.y for way in ways.values() for place in way}
    assert (y > HEIGHT / 2) == (turn == 0), "each player's own first row"
