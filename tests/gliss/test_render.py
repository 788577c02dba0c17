"""Gliss's pictures against the positions: a stone, mark or result that is missing is found."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Any

import golden
import numpy as np
import pytest

import ludarium
from ludarium.drawing.canvas import THEMES, mix, start
from ludarium.games.gliss.notation import outcome, read_board, shapes
from ludarium.games.gliss.render import STONE, area, draw, paint_board, place_of

# Red has a base, a glider and a tower; Blue two bases, one of them under attack, and a glider
MIDDLE = "12/1R10/12/2BB8/2BB8/12/12/3RR1BB2B1/3RR1BB2BB/12/1R10/1RR9 R - 8"


def random_game(n: int, seed: int) -> Iterator[Any]:
    """Yield the states of a game, half-made turns too."""
    rng = random.Random(seed)
    state = ludarium.load_game("gliss", board_size=n).new_initial_state()
    yield state
    while not state.is_terminal():
        player = state.current_player()
        found = list(ludarium.turns(state))
        safe = [t for t, s in found if not s.is_terminal() or s.returns()[player] > 0]
        turn = rng.choice(safe or [t for t, _ in found])
        for action in [turn] if turn[0] == "+" else turn.replace("-", " -").split():
            state = state.child(state.string_to_action(action))
            yield state


class Picture:
    """A picture of a state that can be asked in units."""

    def __init__(self, state: Any, size: int, theme: str) -> None:
        self.n = state.game.options["board_size"]
        self.theme = THEMES[theme]
        self.frame = draw(state, size, theme)
        self.canvas = start(*area(self.n), size, theme, paint_board, self.n)

    def at(self, x: float, y: float) -> Any:
        column, row = self.canvas.to_pixels(x, y)
        return self.frame[int(row), int(column)].astype(int)

    def at_all(self, points: Any) -> Any:
        places = np.array([self.canvas.to_pixels(*point) for point in points]).astype(int)
        return self.frame[places[:, 1], places[:, 0]].astype(int)

    def named(self, name: str) -> tuple[float, float]:
        return place_of((self.n - int(name[1:]), ord(name[0]) - ord("a")))

    def share(self, name: str, radius: float, colour: Any, most: int = 60) -> float:
        """Return how much of a circle around a vertex has a colour, nearly."""
        x, y = self.named(name)
        circle = [(math.cos(k * math.pi / 36), math.sin(k * math.pi / 36)) for k in range(72)]
        hits = [near(self.at(x + radius * u, y + radius * v), colour) < most for u, v in circle]
        return sum(hits) / 72


def near(pixel: Any, colour: Any) -> int:
    """Return how far two colours are apart."""
    return int(np.abs(pixel - np.array(colour)).max())


def near_all(pixels: Any, colour: Any) -> list[int]:
    """Return how far each of several colours is from another."""
    found: list[int] = np.abs(pixels - np.array(colour)).max(1).tolist()
    return found


def state_of(text: str, *actions: str, **options: Any) -> Any:
    n = text.split(" ")[0].count("/") + 1
    state = ludarium.load_game("gliss", board_size=n, **options).state_from_string(text)
    for action in actions:
        state = state.child(state.string_to_action(action))
    return state


# ---------------------------------------------------------------- stones


@pytest.mark.parametrize("theme", sorted(THEMES))
@pytest.mark.parametrize(("size", "n"), [(200, 12), (512, 12), (512, 19)])
def test_every_vertex_shows_what_it_holds(size: int, n: int, theme: str) -> None:
    """Without marks, which come from the history, centres have the colour of their stone."""
    players = THEMES[theme].players
    for state in list(random_game(n, 4))[::5]:
        text = state.to_string()
        bare = state_of(" ".join((*text.split(" ")[:2], "-", "1")))
        picture = Picture(bare, size, theme)
        for i, row in enumerate(read_board(text.split(" ")[0], n)):
            for j, holds in enumerate(row):
                pixel = picture.at(*place_of((i, j)))
                if holds == ".":
                    assert min(near(pixel, colour) for colour in players) > 40, (i, j)
                else:
                    assert near(pixel, players["RB".index(holds)]) < 20, (i, j, holds)


@pytest.mark.parametrize("theme", sorted(THEMES))
@pytest.mark.parametrize("size", [256, 512])
def test_shapes_can_be_told_apart(size: int, theme: str) -> None:
    picture = Picture(state_of(MIDDLE), size, theme)
    for side, player in (("R", 0), ("B", 1)):
        colour = THEMES[theme].players[player]
        light = theme == "dark" and player == 1  # a dark stone on a dark board has a light rim
        dark = mix(colour, (255, 255, 255) if light else (0, 0, 0), 0.42)
        for kind, stones in shapes(read_board(MIDDLE.split(" ")[0], 12), side):
            points = [place_of(v) for v in stones]
            middle = [sum(axis) / len(points) for axis in zip(*points, strict=True)]
            if kind == "base":  # dark between its four stones
                assert near(picture.at(*middle), dark) < 40
            if kind == "glider":  # the heads of its arms reach on, and nothing is on its dock
                core, *arms = points
                for x, y in arms:
                    assert (
                        near(picture.at(x + (x - core[0]) * 0.4, y + (y - core[1]) * 0.4), colour)
                        < 60
                    )
                    assert (
                        near(picture.at(x - (x - core[0]) * 0.4, y - (y - core[1]) * 0.4), colour)
                        < 60
                    )
                dock = [arms[0][k] + arms[1][k] - core[k] for k in (0, 1)]
                assert near(picture.at(*dock), colour) > 60
            if kind == "tower":  # a light ring
                (x, y), light = points[0], mix(colour, (255, 255, 255), 0.8)
                around = [picture.at(x + r * 0.01, y) for r in range(20, 40)]
                assert min(near(pixel, light) for pixel in around) < 60
            else:
                x, y = points[0]
                light = mix(colour, (255, 255, 255), 0.8)
                around = [picture.at(x + r * 0.01, y - r * 0.004) for r in range(33)]
                assert min(near(pixel, light) for pixel in around) > 60


# ---------------------------------------------------------------- golden games


@pytest.fixture(scope="module")
def golden_games() -> list[list[Any]]:
    """The states of all golden games."""
    return golden.games("gliss")


@pytest.mark.parametrize("theme", sorted(THEMES))
@pytest.mark.parametrize("size", [200, 320])
def test_every_position_of_golden_games(
    size: int, theme: str, golden_games: list[list[Any]]
) -> None:
    """Stones, what was captured, where a glider can land, the last turn, the side or result."""
    colours = THEMES[theme]
    captures = landings = 0
    for states in golden_games:
        whole = taken = None
        for state in states:
            picture, grid = Picture(state, size, theme), board(state)
            half = " - " not in state.to_string()
            if not half:  # a turn was made: who stood where the other one does no more
                taken = {
                    name
                    for name, holds in (whole[1] if whole else {}).items()
                    if whole and holds not in (".", whole[0]) and holds != grid[name]
                }
                whole = side_of(state), grid
            dots = set()
            if half:
                legal = [state.action_to_string(action) for action in state.legal_actions()]
                dots = {text.strip("-*") for text in legal} - {"off"}
            pixels = picture.at_all(picture.named(name) for name in grid)
            to_players = [near_all(pixels, colour) for colour in colours.players]
            to_green, to_purple = (
                near_all(pixels, colours.chosen),
                near_all(pixels, colours.capture),
            )
            for k, (name, holds) in enumerate(grid.items()):
                if name in dots:
                    landings += 1
                    assert to_green[k] < 60, (state, name)
                elif taken and name in taken:  # crossed out, or a ring where it changed sides
                    captures += 1
                    ring = STONE - picture.canvas.least(STONE * 0.14, 1.4) / 2
                    assert to_purple[k] < 60 or picture.share(name, ring, colours.capture) > 0.3
                elif holds == ".":
                    for number, colour in enumerate(colours.players):
                        # the edge of a mark may have such a colour in a pixel; a stone is a disc
                        alone = to_players[number][k] > 40
                        assert alone or picture.share(name, 0.25, colour, 40) < 0.6, (state, name)
                else:
                    assert to_players["RB".index(holds)][k] < 60, (state, name)
            if state.turn_number():
                assert pixels_of(picture.frame, colours.last) > 2, state
            paper = colours.ink if state.is_terminal() else colours.background
            assert near(picture.frame[-3, -3].astype(int), paper) < 5, state
        assert states[-1].is_terminal()
    assert captures > 50 and landings > 200


def pixels_of(frame: Any, colour: Any) -> int:
    """Count the pixels of a colour, nearly."""
    gap = np.abs(frame.astype(np.int16) - np.array(colour, np.int16))
    return int((gap < 16).all(2).sum())


def board(state: Any) -> dict[str, str]:
    """Return what each vertex holds."""
    rows = read_board(state.to_string().split(" ")[0], state.game.options["board_size"])
    return {
        f"{chr(97 + j)}{len(rows) - i}": holds
        for i, row in enumerate(rows)
        for j, holds in enumerate(row)
    }


def side_of(state: Any) -> str:
    """Return whose turn it is, R or B."""
    return str(state.to_string().split(" ")[1])


# ---------------------------------------------------------------- marks


@pytest.mark.parametrize("theme", sorted(THEMES))
@pytest.mark.parametrize("size", [256, 512])
def test_the_last_turn_is_marked(size: int, theme: str) -> None:
    amber, purple = THEMES[theme].last, THEMES[theme].capture
    built = Picture(state_of(MIDDLE, "+i9"), size, theme)
    x, y = built.named("i10")
    edge = STONE + 0.05 + built.canvas.least(0.12, 1.5) * 0.5
    assert near(built.at(x + 0.5, y - edge), amber) < 60
    # d4 takes what it lands on: three stones of a base
    before = state_of(MIDDLE)
    after = state_of(MIDDLE, "d4", "-g4")
    picture = Picture(after, size, theme)
    for origin in ("d4", "e4", "d5"):
        width = picture.canvas.least(STONE * 0.14, 1.5)
        assert picture.share(origin, STONE - width / 2, amber) > 0.5
    for taken in ("g4", "g5"):
        assert near(picture.at(*picture.named(taken)), purple) < 60
        assert near(Picture(before, size, theme).at(*picture.named(taken)), purple) > 60
    # no history, no marks
    bare = Picture(state_of(after.to_string()), size, theme)
    assert np.abs(bare.frame.astype(int) - np.array(amber)).max(2).min() > 20
    assert np.abs(bare.frame.astype(int) - np.array(purple)).max(2).min() > 20


@pytest.mark.parametrize("theme", sorted(THEMES))
def test_captured_and_converted_stones_are_marked(theme: str) -> None:
    purple = THEMES[theme].capture
    text = "12/12/12/12/12/12/12/4RR1BB3/4RR1BB3/12/RR10/RR10 R - 0"
    picture = Picture(state_of(text, "e4", "-h4"), 512, theme)
    for taken in ("h4", "i4", "h5"):
        assert near(picture.at(*picture.named(taken)), purple) < 60
    assert near(picture.at(*picture.named("i5")), purple) > 60
    assert picture.share("i5", STONE - 0.025, purple) > 0.5
    # where nobody has landed a shadow of what was taken is left
    text = "12/12/12/12/12/12/12/8B3/4RR2BB2/4RR6/12/12 R - 0"
    picture = Picture(state_of(text, "e3", "-h4"), 512, theme)
    shadow = mix(THEMES[theme].board, THEMES[theme].players[1], 0.35)
    for taken in ("j4", "i5"):
        assert near(picture.at(*picture.named(taken)), purple) < 60
        x, y = picture.named(taken)
        assert near(picture.at(x + 0.1, y - 0.3), shadow) < 20


@pytest.mark.parametrize("theme", sorted(THEMES))
@pytest.mark.parametrize("size", [256, 512])
def test_the_half_made_turn_is_marked(size: int, theme: str) -> None:
    green = THEMES[theme].chosen
    whole, half = state_of(MIDDLE), state_of(MIDDLE, "d4")
    picture, plain = Picture(half, size, theme), Picture(whole, size, theme)
    for name in ("d4", "e4", "d5"):
        ring = STONE + 0.04 - picture.canvas.least(STONE * 0.2, 2.0) / 2
        assert picture.share(name, ring, green) > 0.3
        assert plain.share(name, ring, green) == 0
    assert picture.share("e5", STONE - 0.02, green) < 0.3
    landings = {half.action_to_string(a).strip("-*") for a in half.legal_actions()}
    landings -= {"off"}
    for column in "abcdefghijkl":
        for row in range(1, 13):
            name = f"{column}{row}"
            dotted = near(picture.at(*picture.named(name)), green) < 40
            assert dotted == (name in landings), name
    # a free glider: its core, and a green edge around its heads
    free = Picture(state_of(MIDDLE, "b1"), size, theme)
    x, y = free.named("b2")
    line = [free.at(x + k * 0.02, y + 0.2) for k in range(15, 45)]
    assert min(near(pixel, green) for pixel in line) < 60


def test_the_choice_and_the_way_off_are_marked() -> None:
    green = THEMES["light"].chosen
    text = "12/12/12/12/3RR1BB4/3RR1BB4/12/12/12/12/BB8RR/BB8RR R d8 10"
    picture = Picture(state_of(text), 512, "light")
    assert picture.share("g7", 0.36, green, 40) > 0.8  # under the core or under the arm
    assert picture.share("g8", 0.36, green, 40) < 0.2
    off = Picture(state_of(text.replace("d8", "k1")), 512, "light")
    x, y = off.named("l1")
    assert near(off.at(x + 0.7, y), green) < 40 or near(off.at(x, y + 0.7), green) < 40
    assert near(picture.at(x + 0.7, y), green) > 40 and near(picture.at(x, y + 0.7), green) > 40


# ---------------------------------------------------------------- counts and result


@pytest.mark.parametrize("theme", sorted(THEMES))
def test_towers_are_counted(theme: str) -> None:
    colours = THEMES[theme].players
    names = [f"{column}{row}" for row in (8, 10) for column in "acegik"]
    for towers in (0, 1, 7, 12):
        rows = [["."] * 12 for _ in range(12)]
        for name in names[:towers]:
            rows[12 - int(name[1:])][ord(name[0]) - ord("a")] = "R"
        board = "/".join("".join(row) for row in rows)
        for run in range(12, 0, -1):
            board = board.replace("." * run, str(run))
        picture = Picture(state_of(f"{board} B - 0"), 512, theme)
        width, height = area(12)
        filled = {}
        for player, strip in ((0, height - 0.9), (1, 0.0)):
            lines = [
                sum(
                    near(picture.at(k * 0.05, strip + h * 0.05), colours[player]) < 30
                    for k in range(int(width * 10))
                )
                for h in range(2, 17)
            ]
            filled[player] = max(lines)
        assert filled[1] == 0
        assert abs(filled[0] - towers * 8.5) <= towers * 2.5, (towers, filled)


def band_of(state: Any, size: int, theme: str) -> Any:
    """Return the caption of a picture."""
    picture = Picture(state, size, theme)
    return picture.frame[-picture.canvas.band :].astype(int)


@pytest.mark.parametrize("theme", sorted(THEMES))
@pytest.mark.parametrize("size", [128, 512])
def test_the_result_is_in_the_picture(size: int, theme: str) -> None:
    colours = THEMES[theme]
    won = state_of(MIDDLE.replace("3RR1BB2B1", "6BB2B1").replace("3RR1BB2BB", "6BB2BB"))
    assert outcome(won).startswith("Blue has won")
    over, on = band_of(won, size, theme), band_of(state_of(MIDDLE), size, theme)
    assert near(over[2, -2], colours.ink) < 5
    assert near(on[2, -2], colours.background) < 5


def test_side_to_move_and_results_differ() -> None:
    board = MIDDLE.split(" ")[0]
    no_red = board.replace("3RR1BB", "6BB")
    no_blue = board.replace("2BB8", "12").replace("1BB2B", "5B")
    texts = (
        f"{board} R - 8",
        f"{board} B - 8",
        f"{board} R d4 8",
        f"{board} R - 432",  # truncated
        f"{no_red} R - 8",
        f"{no_blue} R - 8",
    )
    for theme in THEMES:
        bands = [band_of(state_of(text), 512, theme) for text in texts]
        for i, one in enumerate(bands):
            for other in bands[i + 1 :]:
                assert np.abs(one - other).max() > 80


@pytest.mark.parametrize("n", [12, 15, 19])
@pytest.mark.parametrize("size", [128, 129, 256, 777, 2048])
def test_shape(size: int, n: int) -> None:
    state = ludarium.load_game("gliss", board_size=n).new_initial_state()
    frame = draw(state, size)
    assert frame.dtype == np.uint8
    assert frame.shape[0] == size - size % 2 and size * 0.75 < frame.shape[1] < size
    assert draw(state, size) is not frame
