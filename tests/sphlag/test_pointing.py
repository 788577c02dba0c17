"""Pointing at Sphlag: the places of spheres have the colour of their player's spheres."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from registered import load, walk

from ludarium.drawing.canvas import THEMES
from ludarium.drawing.pointing import Layout, clicks, hit
from ludarium.games.sphlag.actions import HOLE
from ludarium.games.sphlag.render import colour_of, draw, found_in


def pixel(frame: Any, layout: Layout, place: Any) -> Any:
    x, y = layout.to_pixels(place.x, place.y)
    return frame[int(y), int(x)].astype(int)


@pytest.mark.parametrize(("size", "theme"), [(200, "light"), (640, "dark")])
def test_the_place_of_a_sphere_has_its_colour(size: int, theme: str) -> None:
    game = load("sphlag")
    layout, seen = Layout(game, size), 0
    for state in walk(game, 5):
        frame = draw(state, size, theme)
        for action, way in clicks(state).items():
            text = state.action_to_string(action)
            if len(way) == 2:
                hole = HOLE[text.split("-")[0]]
                player = "WB".index(found_in(state)[hole])
                colour = np.array(colour_of(THEMES[theme], player, hole[0]))
                assert player == state.current_player()
                assert np.abs(pixel(frame, layout, way[0]) - colour).max() < 24, (text, str(state))
                seen += 1
            else:
                assert len(way) == (text != "pass")
    assert seen > 50


def test_a_sphere_hides_what_is_below_it() -> None:
    """A click on the visible rim of an upper sphere means that one, not the covered one."""
    text = "RBBWWWRBBRBBBWWR/.B..WW.WW/...B/. W 0 RBBWWWRBBRBBBWWR/.BB.WW.WW/..../. 60"
    state = load("sphlag").state_from_string(text)
    starts = {way[0] for way in clicks(state).values() if len(way) == 2}
    upper = {place for place in starts if place.layer}
    assert upper and {place for place in starts if not place.layer}
    for place in upper:
        assert hit(starts, place.x, place.y - 0.9 * place.high) in upper
