"""Drawing Sphlag: the board as a diamond, seen from the lower player's side.

The board is turned by 45 degrees: A1, the upper flag, is at the top, G7, the lower flag, at the
bottom, column letters run along the upper right edge and row numbers along the upper left one. In
these turned axes a hole at (column, row) lies at a = (column - row) / 2, b = (column + row) / 2.

Each level is drawn LIFT units further up than the one below. A third of a unit spreads the three
levels evenly: the spheres of one column of the picture are then two thirds apart, more than their
radius, so that the centre of every sphere can be seen in any position.

    b = 0   A1/0 .       level 0 at   0   2   4   6
        1        . 1     level 1 at  2/3 8/3 14/3
        2   C3/0 . 2     level 2 at  4/3 10/3
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from ludarium.drawing.canvas import Board, Canvas, Colour, Point, Theme, mix
from ludarium.drawing.pictures import pictures
from ludarium.games.sphlag.actions import HOLE
from ludarium.games.sphlag.notation import PLAYERS, outcome
from ludarium.games.sphlag.rules import HOLES, REDS, SUPPLY, TOUCH_LOWER, half_turn, position_of

if TYPE_CHECKING:
    from ludarium.core.history import LastTurn
    from ludarium.core.state import State

Hole = tuple[int, int, int]

WIDTH, HEIGHT = 8.2, 8.0  # size of the board area, in units
CENTRE, TOP = WIDTH / 2, 1.06  # where A1/0 is
LIFT = 1 / 3
REACH = 0.85  # from the centre of a sphere to the end of its shadow and marks
RADIUS = (0.48, 0.495, 0.51)  # radius of a sphere on each level
CLEAR = 0.27  # least distance of an arrow from the centres of spheres
BESIDE = 0.9  # spheres closer than this overlap: an arrow runs beside them
MARGIN = 0.74  # from the outer holes to the edge of the board

FLAGS = (REDS[3], REDS[0])  # the flag that each player defends
TOUCH = (TOUCH_LOWER, [half_turn(hole) for hole in TOUCH_LOWER])  # the holes around them


def place_of(hole: Hole, turned: bool = False) -> Point:
    """Return where the centre of a sphere in this hole is, in units.

    On a turned board, where the units run upwards, a higher level is further down in units.
    """
    column, row = position_of(hole)
    lift = -LIFT if turned else LIFT
    return CENTRE + (column - row) / 2, TOP + (column + row) / 2 - lift * hole[0]


def colour_of(theme: Theme, player: int, level: int) -> Colour:
    """Return the colour of a player's spheres on a level, lighter on higher levels."""
    base = theme.pieces[player]
    if player:
        return mix(base, (255, 255, 255), 0.1 * level)
    return mix(base, (0, 0, 0), 0.12 - 0.06 * level)


# ---------------------------------------------------------------- the board


def paint_board(canvas: Canvas) -> None:
    """Paint what is constant: the diamond, holes, coordinates, flags, walls, touch holes."""
    theme = canvas.theme
    corners = [place_of(HOLE[name]) for name in ("A1/0", "G1/0", "G7/0", "A7/0")]
    edge = canvas.least(0.05, 1.0)
    canvas.line([*corners, corners[0]], theme.edge, 2 * MARGIN)
    canvas.line([*corners, corners[0]], theme.board, 2 * (MARGIN - edge))
    canvas.polygon(corners, theme.board)
    line = canvas.least(0.03, 1.0)
    canvas.line([place_of(HOLE["A7/0"]), place_of(HOLE["G1/0"])], theme.board_dark, line)
    for hole in HOLES:
        if hole[0] == 0:
            x, y = place_of(hole)
            canvas.disc(x, y, RADIUS[0] * 0.62, mix(theme.board_dark, theme.edge, 0.35))
            (below,) = canvas.around(x, y, [(0, 0.04)])
            canvas.disc(*below, RADIUS[0] * 0.54, theme.board_dark)
    for holes in TOUCH:
        for hole in holes:
            _paint_touch_hole(canvas, hole)
    for hole in REDS:
        _paint_red(canvas, hole)
    _paint_coordinates(canvas)


def _paint_red(canvas: Canvas, hole: Hole) -> None:
    """Paint a flag with a pennant of its defender's colour, or a wall with bricks."""
    theme = canvas.theme
    x, y = place_of(hole)
    r = RADIUS[0]
    if hole in FLAGS:
        canvas.sphere(x, y, r, theme.flag)
        player = FLAGS.index(hole)
        pole = canvas.around(x, y, [(-0.12, -0.3), (-0.12, 0.3)])
        cloth = canvas.around(x, y, [(-0.1, -0.3), (0.27, -0.14), (-0.1, 0.04)])
        canvas.line(pole, theme.pieces[player], 0.08)
        canvas.polygon(cloth, theme.pieces[player])
        return
    brick, mortar = mix(theme.flag, (60, 40, 36), 0.5), mix(theme.flag, (255, 235, 220), 0.55)
    canvas.sphere(x, y, r, brick, gloss=0.2)
    width = canvas.least(0.045, 1.0)
    for line in (
        [(x - 0.36, y - 0.15), (x + 0.36, y - 0.15)],
        [(x - 0.36, y + 0.15), (x + 0.36, y + 0.15)],
        [(x, y - 0.38), (x, y - 0.15)],
        [(x - 0.2, y - 0.15), (x - 0.2, y + 0.15)],
        [(x + 0.2, y - 0.15), (x + 0.2, y + 0.15)],
        [(x, y + 0.15), (x, y + 0.38)],
    ):
        canvas.line(line, mortar, width)


def _paint_touch_hole(canvas: Canvas, hole: Hole) -> None:
    """Paint a ring in the flag's colour where a sphere touches a flag."""
    x, y = place_of(hole, canvas.turned)
    canvas.dashed_ring(x, y, RADIUS[0] * 0.8, canvas.theme.flag, canvas.least(0.055, 1.0), 10)


def _paint_coordinates(canvas: Canvas) -> None:
    """Paint letters and numbers along the four edges, those of the odd levels fainter."""
    theme = canvas.theme
    out = (MARGIN + 0.26) * 0.7071
    for k in range(7):
        a, b = k / 2, k / 2
        faint = mix(theme.muted, theme.background, 0.45) if k % 2 else theme.muted
        if k % 2 and canvas.size < 200:
            continue
        for x, y, text in (
            (CENTRE + a + out, TOP + b - out, "ABCDEFG"[k]),
            (CENTRE - 3 + a - out, TOP + 3 + b + out, "ABCDEFG"[k]),
            (CENTRE - a - out, TOP + b - out, str(k + 1)),
            (CENTRE + 3 - a + out, TOP + 3 + b + out, str(k + 1)),
        ):
            canvas.text(x, y, text, 0.36, faint)


# ---------------------------------------------------------------- spheres


def _paint_sphere(canvas: Canvas, hole: Hole, player: int, fresh: bool, contact: bool) -> None:
    """Paint a sphere with its shadow, its level, and whether it came last or touches a flag."""
    x, y = place_of(hole, canvas.turned)
    canvas.drawing(x, y, REACH, _paint_layers, hole[0], player, fresh, contact)


def _paint_layers(
    canvas: Canvas, x: float, y: float, level: int, player: int, fresh: bool, contact: bool
) -> None:
    theme = canvas.theme
    r = RADIUS[level]
    (below,) = canvas.around(x, y, [(0.03 * level, 0.12 + 0.05 * level)])
    canvas.shadow(*below, r * 1.06, 0.4)
    if fresh:
        canvas.last_disc(x, y, r + canvas.least(0.1, 2.0))
    if contact:
        canvas.disc(x, y, r + canvas.least(0.05, 1.2), theme.flag)
    colour = colour_of(theme, player, level)
    canvas.sphere(x, y, r, colour, theme.rims[player], 0.6)
    if level:
        type_ = canvas.least(0.36, 7)
        # the middle of the face keeps its colour
        (above,) = canvas.around(x, y, [(0, -0.1 - 0.355 * type_)])
        canvas.text(*above, str(level), type_, theme.pieces[1 - player], bold=True)


# ---------------------------------------------------------------- the last turn


def _drops(before: dict[Hole, str], vacated: Hole) -> list[tuple[Hole, Hole]]:
    """Return (from, to) of each sphere that drops when the one in a hole is lifted (S10, S11)."""
    drops: list[tuple[Hole, Hole]] = []
    gap = vacated
    while True:
        k, i, j = gap
        upon = [(k + 1, i - di, j - dj) for di in (0, 1) for dj in (0, 1)]
        load = [hole for hole in upon if before.get(hole, ".") in "WB"]
        if not load:
            return drops
        drops.append((load[0], gap))
        gap = load[0]


def way_of(came: Hole, went: Hole, found: dict[Hole, str], turned: bool = False) -> list[Point]:
    """Return the path of an arrow between two holes that avoids the centres of all other spheres.

    It is straight if possible, otherwise bent. It runs beside two spheres that overlap, so that two
    stacked spheres that change places have an arrow on each side.
    """
    (x0, y0), (x1, y1) = place_of(came, turned), place_of(went, turned)
    length = math.hypot(x1 - x0, y1 - y0)
    if length < BESIDE:
        u, v = (y1 - y0) / length * 0.6, (x0 - x1) / length * 0.6
        return [(x0 + u, y0 + v), (x1 + u, y1 + v)]
    others = [place_of(h, turned) for h in HOLES if found[h] in "WB" and h not in (came, went)]
    best: tuple[float, list[Point]] = (-1.0, [])
    for bend in (0.0, 0.3, -0.3, 0.5, -0.5):
        xc, yc = (x0 + x1) / 2 - (y1 - y0) * bend, (y0 + y1) / 2 + (x1 - x0) * bend
        way = [(x0, y0), (x1, y1)]
        if bend:  # a quadratic Bezier curve, in eight parts
            steps = [(k / 8, 1 - k / 8) for k in range(9)]
            way = [
                (r * r * x0 + 2 * r * t * xc + t * t * x1, r * r * y0 + 2 * r * t * yc + t * t * y1)
                for t, r in steps
            ]
        room = min((_distance(way, point) for point in others), default=CLEAR)
        if room >= CLEAR:
            return way
        best = max(best, (room, way))
    return best[1]


def _distance(way: list[Point], point: Point) -> float:
    """Return the least distance of a path from a point."""
    nearest = math.inf
    for (x0, y0), (x1, y1) in itertools.pairwise(way):
        u, v = x1 - x0, y1 - y0
        share = ((point[0] - x0) * u + (point[1] - y0) * v) / (u * u + v * v)
        share = min(max(share, 0.0), 1.0)
        nearest = min(nearest, math.hypot(x0 + share * u - point[0], y0 + share * v - point[1]))
    return nearest


def found_in(state: State) -> dict[Hole, str]:
    """Return what each hole holds: ``R``, ``W``, ``B`` or ``.``."""
    levels = state.to_string().split(" ")[0].replace("/", "")
    return dict(zip(HOLES, levels[:-1], strict=True))


# ---------------------------------------------------------------- the picture


def paint(canvas: Canvas, state: State, last_turn: LastTurn) -> None:
    """Paint spheres, the last turn and the caption."""
    theme = canvas.theme
    found = found_in(state)
    text, came, went = "", None, None
    drops: list[tuple[Hole, Hole]] = []
    if last_turn.whole is not None:
        text = last_turn.whole.text
        if text != "pass":
            *start, end = text.split("-")
            went = HOLE[end]
            if start:
                came = HOLE[start[0]]
                drops = _drops(found_in(last_turn.whole.before), came)
    landed = {went, *(to for _, to in drops)}
    for hole in HOLES:
        if found[hole] in "WB":
            player = "WB".index(found[hole])
            contact = hole in TOUCH[1 - player]
            _paint_sphere(canvas, hole, player, hole in landed, contact)
    if came is not None and went is not None:
        _paint_move(canvas, came, went, drops, found)
    for player in (0, 1):
        if sum(found[hole] == "WB"[player] for hole in TOUCH[1 - player]) > 1:
            canvas.mark_capture(*place_of(FLAGS[1 - player]), RADIUS[0])
    _paint_supply(canvas, found)
    turns = state.turn_number()
    note = f"turn {turns}: {text}" if text else f"turn {turns}"
    if state.is_terminal():
        result = outcome(state)
        score = state.returns()[0]
        winner = None if score == 0 else theme.pieces[0 if score > 0 else 1]
        canvas.caption(result[0].upper() + result[1:], winner, note, over=True)
    else:
        player = state.current_player()
        canvas.caption(f"{PLAYERS[player]} to move", theme.pieces[player], note)


def _paint_move(
    canvas: Canvas,
    came: Hole,
    went: Hole,
    drops: list[tuple[Hole, Hole]],
    found: dict[Hole, str],
) -> None:
    """Paint a ring where the sphere came from, its path, and the paths of spheres that dropped."""
    landed = {went, *(to for _, to in drops)}
    for a, _ in [(came, went), *drops]:
        if a not in landed:
            canvas.mark_from(*place_of(a, canvas.turned), RADIUS[a[0]] * 0.85)
    for a, b in drops:
        _paint_way(canvas, a, b, found, 0.7)
    _paint_way(canvas, came, went, found, 1.0)


def _paint_way(canvas: Canvas, a: Hole, b: Hole, found: dict[Hole, str], weight: float) -> None:
    """Paint an arrow from a hole to another."""
    theme = canvas.theme
    width, head = canvas.least(0.09, 1.5) * weight, 0.34 * math.sqrt(weight)
    length = math.dist(place_of(a, canvas.turned), place_of(b, canvas.turned))
    gap, end_gap = min(0.38, length - RADIUS[b[0]] - 0.3), RADIUS[b[0]] * 0.75
    if length < BESIDE:
        gap = end_gap = 0.0
    way = way_of(a, b, found, canvas.turned)
    canvas.arrow(way, theme.last, width, head, gap, end_gap, theme.outline)


def _paint_supply(canvas: Canvas, found: dict[Hole, str]) -> None:
    """Paint how many spheres each player has left, in the corners that the diamond leaves free."""
    theme = canvas.theme
    lower = int(canvas.turned)
    spheres = list(found.values())
    with canvas.upright():
        for player, x, y in ((lower, 0.55, HEIGHT - 0.5), (1 - lower, 0.55, 0.5)):
            left = SUPPLY - spheres.count("WB"[player])
            canvas.sphere(x, y, 0.3, colour_of(theme, player, 0), theme.rims[player], 0.6)
            canvas.text(x + 0.45, y, f"{left} left", 0.4, theme.muted, "left")


def board_of(state: State) -> Board:
    """Return the board that a state is drawn on."""
    return Board(WIDTH, HEIGHT, paint_board)


draw, render = pictures(board_of, paint)
