"""Sphlag's pictures against the positions: a piece, mark or result that is missing is found."""

from __future__ import annotations

import math
from typing import Any

import golden
import numpy as np
import pytest

import ludarium
from ludarium.drawing.canvas import THEMES, start
from ludarium.games.sphlag.actions import HOLE
from ludarium.games.sphlag.notation import outcome
from ludarium.games.sphlag.render import (
    FLAGS,
    HEIGHT,
    RADIUS,
    TOUCH,
    WIDTH,
    colour_of,
    draw,
    paint_board,
    place_of,
    way_of,
)
from ludarium.games.sphlag.rules import HOLES

WON = "RWWBBBRWBRBBWWWR/W.......W/..../. B 0 RWWBBBRWBRBBWWWR/..W.....W/..../. 67"


def found_in(state: Any) -> dict[Any, str]:
    """Return what the text says of each hole."""
    return dict(zip(HOLES, state.to_string().split(" ")[0].replace("/", "")[:-1], strict=True))


def random_game(seed: int) -> Any:
    """Yield the states of a game in which nobody passes of free will."""
    rng = np.random.default_rng(seed)
    state = ludarium.load_game("sphlag", max_turns=120).new_initial_state()
    while not state.is_terminal():
        state.apply_action(int(rng.choice(state.legal_actions()[:-1] or state.legal_actions())))
        yield state


class Picture:
    """A picture of a state that can be asked in units."""

    def __init__(self, state: Any, size: int, theme: str) -> None:
        self.frame = draw(state, size, theme)
        self.canvas = start(WIDTH, HEIGHT, size, theme, paint_board)

    def at(self, x: float, y: float) -> Any:
        column, row = self.canvas.to_pixels(x, y)
        return self.frame[int(row), int(column)].astype(int)

    def share_around(self, hole: Any, radius: float, colour: Any) -> float:
        """Return how much of a circle around a hole's centre has a colour, nearly."""
        x, y = place_of(hole)
        hits = 0
        for k in range(72):
            angle = k * math.pi / 36
            pixel = self.at(x + radius * math.cos(angle), y + radius * math.sin(angle))
            hits += near(pixel, colour) < 60
        return hits / 72


def near(pixel: Any, colour: Any) -> int:
    """Return how far two colours are apart."""
    return int(np.abs(pixel - np.array(colour)).max())


# ---------------------------------------------------------------- pieces


@pytest.mark.parametrize("theme", sorted(THEMES))
@pytest.mark.parametrize("size", [200, 512])
def test_every_hole_shows_what_it_holds(size: int, theme: str) -> None:
    colours = THEMES[theme]
    highest = 0
    for seed in (1, 2, 11):
        for state in random_game(seed):
            picture = Picture(state, size, theme)
            for hole, holds in found_in(state).items():
                pixel = picture.at(*place_of(hole))
                mine, others = [], [colours.last, colours.flag]
                for player in (0, 1):
                    group = mine if holds == "WB"[player] else others
                    group.append(colour_of(colours, player, hole[0]))
                if mine:
                    highest = max(highest, hole[0])
                    gaps = [near(pixel, colour) for colour in others]
                    assert near(pixel, mine[0]) < 50, (state, hole, holds, pixel)
                    assert near(pixel, mine[0]) < min(gaps), (state, hole, holds, pixel)
                elif holds == "." and hole[0] == 0:
                    pieces = [colour_of(colours, player, 0) for player in (0, 1)]
                    assert min(near(pixel, c) for c in pieces) > 25, (state, hole, pixel)
    assert highest == 2, "the games should reach level 2"


@pytest.mark.parametrize("theme", sorted(THEMES))
@pytest.mark.parametrize("size", [200, 320])
def test_every_position_of_golden_games(size: int, theme: str) -> None:
    """Spheres, the last turn, a captured flag, the side to move or the result."""
    colours = THEMES[theme]
    wins = 0
    for states in golden.games("sphlag"):
        for state in states:
            picture = Picture(state, size, theme)
            for hole, holds in found_in(state).items():
                pixel = picture.at(*place_of(hole))
                to = [near(pixel, colour_of(colours, player, hole[0])) for player in (0, 1)]
                if holds in "WB":
                    mine = "WB".index(holds)
                    assert to[mine] < 50 and to[mine] < to[1 - mine], (state, hole, pixel)
                elif holds == "." and hole[0] == 0:
                    assert min(to) > 25, (state, hole, pixel)
            last = state.last_turn()
            if last is not None and last[0].action_to_string(last[1][0]) != "pass":
                gap = np.abs(picture.frame.astype(np.int16) - np.array(colours.last, np.int16))
                assert (gap < 16).all(2).sum() > 8, state
            paper = colours.ink if state.is_terminal() else colours.background
            assert near(picture.frame[-3, -3].astype(int), paper) < 5, state
            for player in (0, 1):
                x, y = place_of(FLAGS[1 - player])
                marks = [picture.at(x + u, y + v) for u in (-0.2, 0.2) for v in (-0.2, 0.2)]
                crossed = min(near(pixel, colours.capture) for pixel in marks) < 60
                touching = sum(found_in(state)[h] == "WB"[player] for h in TOUCH[1 - player])
                assert crossed == (touching > 1), state
                wins += crossed
        assert states[-1].is_terminal()
    assert wins


@pytest.mark.parametrize("theme", sorted(THEMES))
def test_reds_are_drawn_and_flags_differ_from_walls(theme: str) -> None:
    state = ludarium.load_game("sphlag").new_initial_state()
    picture = Picture(state, 512, theme)
    red = THEMES[theme].flag
    faces = {}
    for name in ("A1/0", "G7/0", "C5/0", "E3/0"):
        x, y = place_of(HOLE[name])
        faces[name] = picture.at(x - 0.3, y + 0.02)
        assert faces[name][0] > faces[name][1] + 60, (name, faces[name])
    assert near(faces["A1/0"], red) < 25 and near(faces["G7/0"], red) < 25
    assert near(faces["C5/0"], red) > 40 and near(faces["E3/0"], red) > 40


@pytest.mark.parametrize("theme", sorted(THEMES))
def test_levels_can_be_told_apart(theme: str) -> None:
    colours = THEMES[theme]
    for player in (0, 1):
        brightness = [sum(colour_of(colours, player, level)) for level in (0, 1, 2)]
        assert brightness[0] + 20 < brightness[1] and brightness[1] + 20 < brightness[2]
    game = ludarium.load_game("sphlag")
    state = game.state_from_string("RWBWWBRBBRWWBBWR/BBWWBW.WW/.B../. W 0 - 76")
    picture = Picture(state, 512, theme)
    for hole, holds in found_in(state).items():
        if holds in "WB" and hole[0]:
            x, y = place_of(hole)
            ink = colours.pieces["BW".index(holds)]
            line = [picture.at(x + k * 0.005, y - 0.2) for k in range(-24, 25)]
            assert min(near(pixel, ink) for pixel in line) < 60, (hole, "has no level number")


# ---------------------------------------------------------------- marks


@pytest.mark.parametrize("theme", sorted(THEMES))
@pytest.mark.parametrize("size", [200, 512])
def test_the_last_turn_is_marked(size: int, theme: str) -> None:
    amber = THEMES[theme].last
    placed = moved = dropped = 0
    for state in random_game(5):
        before, (action,) = state.last_turn()
        text = before.action_to_string(action)
        picture = Picture(state, size, theme)
        if text == "pass":
            continue
        *came, went = (HOLE[name] for name in text.split("-"))
        ring = RADIUS[went[0]] + picture.canvas.least(0.05, 1.0)
        assert picture.share_around(went, ring, amber) > 0.2, (state, text)
        placed += not came
        if came and found_in(state)[came[0]] == ".":
            width = picture.canvas.least(RADIUS[came[0][0]] * 0.85 * 0.14, 1.5)
            ring = RADIUS[came[0][0]] * 0.85 - width / 2
            assert picture.share_around(came[0], ring, amber) > 0.5, (state, text)
            moved += 1
        elif came and came[0] != went:
            ring = RADIUS[came[0][0]] + picture.canvas.least(0.05, 1.0)
            assert picture.share_around(came[0], ring, amber) > 0.2, (state, text)
            dropped += 1
    assert placed and moved and dropped


@pytest.mark.parametrize("size", [200, 512])
def test_arrows_show_the_way_of_each_sphere(size: int) -> None:
    amber = THEMES["light"].last
    moves = drops = 0
    for seed in (5, 6):
        for state in random_game(seed):
            before, (action,) = state.last_turn()
            text = before.action_to_string(action)
            if "-" not in text:
                continue
            came, went = (HOLE[name] for name in text.split("-"))
            now, then = found_in(state), found_in(before)
            pairs = [(came, went)]
            if now[came] != "." and came != went:  # something dropped into it
                loads = [
                    hole
                    for hole in HOLES
                    if hole[0] == came[0] + 1
                    and then[hole] in "WB"
                    and {came[1] - hole[1], came[2] - hole[2]} <= {0, 1}
                ]
                assert len(loads) == 1
                pairs.append((loads[0], came))
                drops += 1
            moves += 1
            picture = Picture(state, size, "light")
            for a, b in pairs:
                (x0, y0), *_, (x1, y1) = way = way_of(a, b, now)
                middle = way[len(way) // 2] if len(way) > 2 else ((x0 + x1) / 2, (y0 + y1) / 2)
                around = [
                    picture.at(middle[0] + u, middle[1] + v)
                    for u in (-0.05, 0, 0.05)
                    for v in (-0.05, 0, 0.05)
                ]
                assert min(near(pixel, amber) for pixel in around) < 40, (state, a, b)
    assert moves > 20 and drops > 5


def test_no_mark_without_a_last_turn() -> None:
    for theme in THEMES:
        for state in random_game(5):
            bare = state.game.state_from_string(state.to_string())
            frame = draw(bare, 256, theme).astype(int)
            assert np.abs(frame - THEMES[theme].last).max(2).min() > 20


@pytest.mark.parametrize("theme", sorted(THEMES))
def test_spheres_that_touch_the_foes_flag_are_marked(theme: str) -> None:
    red = THEMES[theme].flag
    game = ludarium.load_game("sphlag")
    #                               A3 white, C1 black; E7 black, G5 white
    state = game.state_from_string("R.B.W.R..R.W..BR/........./..../. W 0 - 20")
    picture = Picture(state, 512, theme)
    for name, player in (("A3/0", 0), ("C1/0", 1), ("E7/0", 1), ("G5/0", 0)):
        touches = HOLE[name] in TOUCH[1 - player]
        share = picture.share_around(HOLE[name], RADIUS[0] + 0.025, red)
        assert (share > 0.5) == touches, (name, share)


# ---------------------------------------------------------------- the result


def band_of(frame: Any, theme: str) -> Any:
    """Return the caption of a picture."""
    canvas = start(WIDTH, HEIGHT, frame.shape[0], theme, paint_board)
    return frame[-canvas.band :].astype(int)


@pytest.mark.parametrize("theme", sorted(THEMES))
@pytest.mark.parametrize("size", [128, 512])
def test_the_result_is_in_the_picture(size: int, theme: str) -> None:
    colours = THEMES[theme]
    game = ludarium.load_game("sphlag")
    won = game.state_from_string(WON)
    assert outcome(won) == "White has won: two contacts"
    running = game.state_from_string(WON.replace("R/W...", "R/....").replace("WWW", ".WW", 1))
    over, on = (band_of(draw(state, size, theme), theme) for state in (won, running))
    corner = 2, -2
    assert near(over[corner], colours.ink) < 5
    assert near(on[corner], colours.background) < 5
    # black and white have different captions, and the captured flag is crossed out
    x, y = place_of(FLAGS[1])
    picture = Picture(won, size, theme)
    ends = [picture.at(x + u, y + v) for u in (-0.2, 0.2) for v in (-0.2, 0.2)]
    assert min(near(pixel, colours.capture) for pixel in ends) < 60
    assert near(Picture(running, size, theme).at(x + 0.2, y + 0.2), colours.capture) > 60


def test_side_to_move_and_results_differ() -> None:
    texts = (
        "R...B.R..R.W...R/........./..../. W 0 - 4",
        "R...B.R..R.W...R/........./..../. B 0 - 4",
        "R...B.R..R.W...R/........./..../. B 0 - 200",  # truncated
        "R...B.R..R.W...R/........./..../. W 2 - 4",  # a draw
        "R...B.R..R.....R/........./..../. W 2 - 4",  # White has fewer spheres
        "R.....R..R.W...R/........./..../. W 2 - 4",  # Black has
    )
    game = ludarium.load_game("sphlag")
    for theme in THEMES:
        bands = [band_of(draw(game.state_from_string(t), 512, theme), theme) for t in texts]
        for i, one in enumerate(bands):
            for other in bands[i + 1 :]:
                assert np.abs(one - other).max() > 80


def test_supply_is_shown() -> None:
    game = ludarium.load_game("sphlag")
    one = draw(game.state_from_string("R...B.R..R.W...R/........./..../. W 0 - 4"), 512)
    two = draw(game.state_from_string("R...B.R..R.WW..R/........./..../. W 0 - 4"), 512)
    changed = np.abs(one.astype(int) - two).max(2) > 60
    height, width = changed.shape
    assert changed[height // 2 : -40, : width // 4].any()  # White's counter, lower left
    assert not changed[: height // 4, : width // 4].any()  # Black's, upper left


@pytest.mark.parametrize("size", [128, 129, 255, 256, 777, 1024])
def test_shape(size: int) -> None:
    frame = draw(ludarium.load_game("sphlag").new_initial_state(), size)
    assert frame.shape[0] == size - size % 2 and size * 0.85 < frame.shape[1] < size
