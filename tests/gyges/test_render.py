"""Gygès' pictures against the positions: a piece, mark or way that is missing is found."""

from __future__ import annotations

import itertools
import random
from typing import Any

import golden
import numpy as np
import pytest
from gyges.positions import CELLS, GAME, START, at, board, can, drops, play, playable, turned
from gyges.texts import mirror

from ludarium.core.history import last_turn_of
from ludarium.drawing.canvas import THEMES, mix, start
from ludarium.games.gyges.render import (
    FLAT,
    GOAL_Y,
    HAND_X,
    HEIGHT,
    LEAST_THICK,
    MARK,
    RADIUS,
    THICK,
    WIDTH,
    colour_of,
    draw,
    levels,
    paint_board,
    place_of,
)
from ludarium.games.gyges.walks import walked as made_by

HALF = "310032/000000/000000/000010/002000/203113 S drop:e4:2 4"
RUNNERS = "000000/000000/000000/300303/110011/222023 S move 20"
THEME_NAMES = sorted(THEMES)


class Picture:
    """A picture of a state that can be asked in units."""

    def __init__(self, state: Any, size: int = 512, theme: str = "light") -> None:
        self.frame = draw(state, size, theme)
        self.canvas = start(WIDTH, HEIGHT, size, theme, paint_board)

    def at(self, x: float, y: float) -> Any:
        column, row = self.canvas.to_pixels(x, y)
        return self.frame[int(row), int(column)].astype(int)

    def shows(self, x: float, y: float, colour: Any, most: int = 30) -> bool:
        """Whether a point has a colour, nearly."""
        return int(np.abs(self.at(x, y) - np.array(colour)).max()) < most

    def shows_near(self, x: float, y: float, colour: Any, most: int = 40) -> bool:
        """Whether a point or one beside it, where a line may be a pixel off, has a colour."""
        offsets = (-0.05, 0.0, 0.05)
        return any(self.shows(x + u, y + v, colour, most) for u in offsets for v in offsets)

    def rings_at(self, x: float, y: float) -> int:
        """The rings of the piece at a point, 0 if there is none: top ring, its hole, its wall."""
        found = []
        for rings in (1, 2, 3):
            colour, top = colour_of(self.canvas, rings), levels(y, rings)[1]
            side = RADIUS * 0.76
            ring = all(self.shows(x + u, top, colour) for u in (-side, side))
            front = top + RADIUS * FLAT + THICK / 2  # of the highest ring
            wall = self.shows(x, front, mix(colour, (0, 0, 0), 0.16))
            if ring and wall and self.shows(x, top, mix(colour, (0, 0, 0), 0.6)):
                found.append(rings)
        assert len(found) < 2
        return sum(found)


def positions() -> list[Any]:
    """Every tenth position of a game."""
    rng = random.Random(9)
    state, found = GAME.new_initial_state(), []
    while not state.is_terminal() and len(found) < 8:
        state = state.child(rng.choice(state.legal_actions()))
        if len(state.history()) % 5 == 2:
            found.append(state)
    return found


# ---------------------------------------------------------------- pieces


@pytest.mark.parametrize("theme", THEME_NAMES)
@pytest.mark.parametrize("size", [256, 512, 1024])
def test_every_cell_shows_what_it_holds(size: int, theme: str) -> None:
    """A piece of each kind, or nothing, in every cell."""
    for state in positions():
        bare = at(state.to_string())  # marks of the last turn lie around the pieces
        picture, pieces = Picture(bare, size, theme), board(state)
        for cell in CELLS:
            assert picture.rings_at(*place_of(cell)) == pieces.get(cell, 0), (cell, state)


@pytest.mark.parametrize("theme", THEME_NAMES)
@pytest.mark.parametrize("size", [256, 400])
def test_every_position_of_golden_games(size: int, theme: str) -> None:
    """Pieces, that in hand or in a goal, where it can go, the last turn, the side or the result."""
    colours = THEMES[theme]
    goals = dotted = 0
    for states in golden.games("gyges"):
        for state in states:
            picture, pieces = Picture(state, size, theme), board(state)
            _, side, stage, _ = state.to_string().split(" ")
            mover = stage.split(":")[1] if stage.startswith("drop") else None
            dots = drops(state) if mover else set()
            whole, half = map(made_by, last_turn_of(state))
            walked = half.walk if half is not None else ()  # green too
            for cell in CELLS:
                place = place_of(cell)
                assert picture.rings_at(*place) == pieces.get(cell, 0), (cell, state)
                green = picture.shows(*place, colours.chosen)
                assert green == (cell in dots) or cell in walked, (cell, state)
            player = "SN".index(side)
            hand = int(stage.split(":")[2]) if mover else 0
            assert picture.rings_at(HAND_X, GOAL_Y[player]) == hand, state
            dotted += len(dots)
            turn, colour = (whole, colours.last) if half is None else (half, colours.chosen)
            if turn is not None and turn.walk:
                gap = np.abs(picture.frame.astype(np.int16) - np.array(colour, np.int16))
                assert (gap < 16).all(2).sum() > 8, state
            if stage == "goal":
                goals += 1
                line = [WIDTH / 2, *(place_of(column + "1")[0] for column in "abcdef")]
                missing = {1, 2, 3} - {r for r in (1, 2, 3) if [*pieces.values()].count(r) == 4}
                assert {picture.rings_at(x, GOAL_Y[player]) for x in line} - {0} == missing, state
            paper = colours.ink if state.is_terminal() else colours.background
            assert picture.shows(*picture.canvas.to_units(3, picture.frame.shape[0] - 2), paper, 5)
        assert states[-1].is_terminal()
    assert goals and dotted > 200


@pytest.mark.parametrize("theme", THEME_NAMES)
@pytest.mark.parametrize("size", [128, 150, 196, 200, 256])
def test_rings_can_be_counted_at_every_size(size: int, theme: str) -> None:
    """On a line up from the middle of a piece's lower edge: a light band for each ring."""
    for row, side in itertools.product(("123123", "312231"), (0, 1)):
        state = at(f"{row}/000000/000000/000000/000000/{row} S move 2")
        frame = draw(state, size, theme, orientation=side)
        grey = frame.astype(int) @ np.array([0.299, 0.587, 0.114])
        canvas = start(WIDTH, HEIGHT, size, theme, paint_board, turned=side == 1)
        small = THICK * canvas.scale < LEAST_THICK
        for cell in [column + rank for column in "abcdef" for rank in "16"]:
            (x, y), rings = canvas.to_pixels(*place_of(cell)), board(state)[cell]
            base, top = levels(y / canvas.scale, rings)
            # where a whole piece is seen from above, its bands are below the top of the stack
            ends = (y - 0.45 * canvas.scale, y + 0.45 * canvas.scale)
            if not small:
                ends = tuple((v + RADIUS * FLAT) * canvas.scale for v in (top, base))
            line = grey[int(ends[0] - 0.5) : int(ends[1] + 0.5) + 1, int(x)]
            line = line / (np.array(colour_of(canvas, rings)) @ [0.299, 0.587, 0.114])
            edges = np.flatnonzero(line < (0.3 if small else 0.66))
            light = line[edges[0] : edges[-1] + 1] > 0.7
            bands = sum(b and not a for a, b in itertools.pairwise([False, *light]))
            assert bands == rings, (cell, size, side)


@pytest.mark.parametrize("theme", THEME_NAMES)
def test_kinds_differ_in_grey(theme: str) -> None:
    """By height, by the number of bands in front, and by tone."""
    picture = Picture(at("123123/000000/000000/000000/000000/123123 S move 2"), 1024, theme)
    grey = picture.frame.astype(int) @ np.array([0.299, 0.587, 0.114])
    tops = []
    for rings, cell in ((1, "a1"), (2, "b1"), (3, "c1")):
        x, y = place_of(cell)
        bottom, top = levels(y, rings)
        column = int(picture.canvas.to_pixels(x, 0)[0])
        rows = [int(picture.canvas.to_pixels(0, v + RADIUS * FLAT)[1]) for v in (top, bottom)]
        front = grey[rows[0] - 3 : rows[1] + 4, column]
        dark = front < (front.max() + front.min()) / 2
        grooves = sum(b and not a for a, b in itertools.pairwise([False, *dark]))
        assert grooves == rings + 1, "an edge above the bands, and one below each of them"
        tops.append((bottom - top, picture.at(x - RADIUS * 0.76, top) @ [0.299, 0.587, 0.114]))
    (h1, t1), (h2, t2), (h3, t3) = tops
    assert h3 - h2 > THICK * 0.9 < h2 - h1
    assert t1 - t2 > 30 and t2 - t3 > 30


def test_the_piece_in_the_goal() -> None:
    """It is in the goal that was entered, and the name of the goal is beside it."""
    for text, goal in (
        ("000000/010032/200030/301210/030002/000000 N goal 27", 1),
        ("000000/010032/200030/301210/030002/000000 S goal 28", 0),
    ):
        picture = Picture(at(text))
        assert picture.rings_at(WIDTH / 2, GOAL_Y[goal]) == 1
        assert picture.rings_at(WIDTH / 2, GOAL_Y[1 - goal]) == 0
    for text, action, goal in ((RUNNERS, "d4-goal", 1), (str(mirror(RUNNERS)), "c3-goal", 0)):
        won = play(at(text), action)
        assert Picture(won).rings_at(place_of(action[:2])[0], GOAL_Y[goal]) == 3


# ---------------------------------------------------------------- turns


def way(walk: list[str]) -> list[tuple[float, float]]:
    """The middles of the steps between cells, where no piece hides the way."""
    places = [place_of(cell) for cell in walk if cell != "goal"]
    return [((x + u) / 2, (y + v) / 2) for (x, y), (u, v) in itertools.pairwise(places)]


@pytest.mark.parametrize("theme", THEME_NAMES)
def test_the_way_of_the_last_turn(theme: str) -> None:
    """Amber from cell to cell, a ring around what it met, around its end, and around the drop."""
    amber = THEMES[theme].last
    rng, state = random.Random(10), at(START)
    steps = met = dropped = 0
    while steps < 100 or dropped < 5:
        if state.is_terminal():
            state = at(START)
        state = state.child(rng.choice(state.legal_actions()))
        last = made_by(last_turn_of(state).whole)
        if state.stage() == "drop" or last is None:
            continue
        picture = Picture(state, 512, theme)
        middles = way(last.walk)[:-1]  # the last one may be under the head of the arrow
        steps += len(middles)
        # the shadow of a piece may lie on it
        assert all(picture.shows_near(x, y, amber, 80) for x, y in middles), state
        marked = [*last.bounces, *([last.drop] if last.drop else [])]
        met += len(last.bounces)
        dropped += last.drop is not None
        for cell in marked:
            x, y = place_of(cell)
            found = [(x - MARK + 0.03, y), (x + MARK - 0.03, y), (x, y - MARK + 0.03)]
            assert sum(picture.shows(u, v, amber, 80) for u, v in found) >= 2, (cell, state)
    assert met > 20


@pytest.mark.parametrize("theme", THEME_NAMES)
@pytest.mark.parametrize("size", [256, 1024])
def test_the_half_made_turn(size: int, theme: str) -> None:
    """The piece in hand beside the goal, a green dot wherever it may go and nowhere else."""
    green = THEMES[theme].chosen
    for text, player in ((HALF, 0), (str(mirror(HALF)), 1)):
        state = at(text)
        picture = Picture(state, size, theme)
        assert picture.rings_at(HAND_X, GOAL_Y[player]) == 2
        assert picture.rings_at(HAND_X, GOAL_Y[1 - player]) == 0
        dots = {cell for cell in CELLS if picture.shows(*place_of(cell), green)}
        assert dots == drops(state)
    assert turned("e4") == "b3"  # where the mirrored one stands
    half = play(at(START), "c1-e1")
    picture = Picture(half, size, theme)
    assert all(picture.shows_near(x, y, green) for x, y in way(["c1", "d1"]))
    assert Picture(at(START), size, theme).rings_at(HAND_X, GOAL_Y[0]) == 0


@pytest.mark.parametrize("theme", THEME_NAMES)
def test_the_playable_row_is_pointed_at(theme: str) -> None:
    """A pointer in the colour of the player to move at both ends of the row, G4 included."""
    blocked = "030303/121211/023200/000000/000000/000000 S move 20"
    for text in (START, str(mirror(START)), RUNNERS, blocked, str(mirror(blocked))):
        state = at(text)
        picture = Picture(state, 512, theme)
        colour = THEMES[theme].players[state.current_player()]
        ends = [(place_of("a1")[0] - 0.7, 0), (place_of("f1")[0] + 0.7, 0)]
        rows = {
            row
            for row in "123456"
            for x, _ in ends
            if picture.shows(x, place_of("a" + row)[1], colour)
        }
        assert rows == {cell[1] for cell in playable(state)}
    assert can(at(START))


def test_every_goal_has_its_name() -> None:
    """Something is written on both goals, in the opening and at the end."""
    for state in (at(START), play(at(RUNNERS), "d4-goal")):
        frame = Picture(state).frame.astype(int)
        canvas = start(WIDTH, HEIGHT, 512, "light", paint_board)
        bare = canvas.frame().astype(int)
        for y in GOAL_Y:
            row = int(canvas.to_pixels(0, y)[1])
            changed = (np.abs(frame - bare).max(2) > 40)[row - 8 : row + 8]
            assert changed.sum() > 100
