"""Drawing Gliss: a grid with bases as squares, gliders as double arrows, towers as ringed discs.

One unit is the distance between two lines. The board is drawn from Red's view, with row 1 at the
bottom. The strip above it shows the numbers of Blue's towers and bases, the strip below it Red's.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, NamedTuple

from ludarium.core.text import counted
from ludarium.drawing.canvas import Board, Canvas, Colour, Point, contrast, mix
from ludarium.drawing.pictures import pictures
from ludarium.games.gliss.actions import COLUMNS, vertex_name
from ludarium.games.gliss.board import CHOSEN, NONE, PLAYER
from ludarium.games.gliss.board import TOP as FIRST_ROW
from ludarium.games.gliss.notation import (
    BASE,
    GLIDER,
    PLAYERS,
    SIDES,
    TOWER,
    Shape,
    board_rows,
    glider_at,
    outcome,
    shapes,
)
from ludarium.games.gliss.rules import TOWERS_TO_WIN

if TYPE_CHECKING:
    from ludarium.core.history import LastTurn, Turn
    from ludarium.core.state import State

Vertex = tuple[int, int]  # row from the top, column

MARGIN = 1.4  # from the outer lines to the edge of the board area
FRAME = 0.68  # from the outer lines to the edge of the board
WAY_OUT = 0.45, 0.9  # start and end of an arrow off the board, from the edge
STRIP = 0.9  # height of a line of counts
STONE = 0.41  # radius of a stone
RIM = 0.05  # how far the dark body of a shape reaches beyond its stones
RINGED = 4  # least radius of a stone, in pixels, on which a ring leaves its colour to be seen
BAR = 0.14  # half the width of what joins the stones of a glider
LABELLED = 6.0  # pixels between two lines below which there is no room for coordinates
HEAD = 0.5, 0.3, 0.4  # an arm: its tip ahead of the vertex, its base behind it, half its width
WHITE, BLACK = (255, 255, 255), (0, 0, 0)


def area(n: int) -> tuple[float, float]:
    """Return width and height of the picture without its caption, in units."""
    return n - 1 + 2 * MARGIN, n - 1 + 2 * (MARGIN + STRIP)


def place_of(vertex: Vertex) -> Point:
    """Return where a vertex is, in units."""
    return MARGIN + vertex[1], MARGIN + STRIP + vertex[0]


def vertex_named(name: str, n: int) -> Vertex:
    """Return the vertex of an n x n board with this name."""
    return n - int(name[1:]), COLUMNS.index(name[0])


# ---------------------------------------------------------------- the board


def paint_board(canvas: Canvas, n: int) -> None:
    """Paint what is the same in all positions: the board, its lines and coordinates."""
    theme = canvas.theme
    (x0, y0), (x1, y1) = place_of((0, 0)), place_of((n - 1, n - 1))
    side, edge = n - 1 + 2 * FRAME, canvas.least(0.05, 1.0)
    canvas.rectangle(x0 - FRAME, y0 - FRAME, side, side, theme.board, theme.edge, edge, 0.2)
    line = canvas.least(0.03, 1.0)
    for k in range(n):
        canvas.line([(x0 + k, y0), (x0 + k, y1)], theme.grid, line)
        canvas.line([(x0, y0 + k), (x1, y0 + k)], theme.grid, line)
    away = (FRAME + MARGIN) / 2
    if canvas.scale < LABELLED:
        return
    for k in range(0, n, 1 if canvas.scale >= 9 else 2):  # every other label where they would touch
        for y in (y0 - away, y1 + away):
            canvas.text(x0 + k, y, COLUMNS[k], 0.52, theme.muted)
        for x in (x0 - away, x1 + away):
            canvas.text(x, y1 - k, str(k + 1), 0.52, theme.muted)


# ---------------------------------------------------------------- shapes


@functools.cache
def _outline(grow: float) -> list[Point]:
    """Return the outline of a glider with its core at (0, 0) and its arms at (1, 0) and (0, 1).

    A disc for the core and arrowheads on two bars for the arms, all `grow` larger than the stones.
    """
    radius, bar = STONE + grow, BAR + grow
    tip, back, wide = 1 + HEAD[0] + 1.6 * grow, 1 - HEAD[1] - grow, HEAD[2] + 1.4 * grow
    corner = math.asin(bar / radius)  # where the bars meet the disc
    outline = [(back, -bar), (back, -wide), (tip, 0.0), (back, wide), (back, bar)]
    outline += _arc(radius, corner, math.pi / 2 - corner, 3)
    outline += [(bar, back), (wide, back), (0.0, tip), (-wide, back), (-bar, back)]
    return outline + _arc(radius, math.pi / 2 + corner, 2 * math.pi - corner, 12)


def _arc(radius: float, start: float, stop: float, parts: int) -> list[Point]:
    """Return points of an arc around (0, 0)."""
    angles = [start + (stop - start) * k / parts for k in range(parts + 1)]
    return [(radius * math.cos(t), radius * math.sin(t)) for t in angles]


def _paint_double_arrow(canvas: Canvas, glider: Shape, colour: Colour, grow: float) -> None:
    """Paint a glider, its arms wherever they point."""
    (x, y), (x1, y1), (x2, y2) = (place_of(v) for v in glider.stones)
    a, b, c, d = x1 - x, x2 - x, y1 - y, y2 - y
    canvas.polygon([(x + a * p + b * q, y + c * p + d * q) for p, q in _outline(grow)], colour)


def _paint_body(canvas: Canvas, shape: Shape, colour: Colour, rim: float = RIM) -> None:
    """Paint the body that lies behind the stones of a shape and joins them."""
    x, y = place_of(shape.stones[0])
    if shape.kind == GLIDER:
        _paint_double_arrow(canvas, shape, colour, rim)
    elif shape.kind == TOWER:
        canvas.disc(x, y, STONE + rim, colour)
    else:
        half = STONE + rim
        canvas.rectangle(x - half, y - half, 1 + 2 * half, 1 + 2 * half, colour, radius=half * 0.6)


def _paint_shape(canvas: Canvas, shape: Shape, player: int) -> None:
    """Paint a shape of a player: all its vertices have the player's colour at their centres."""
    colour = canvas.theme.players[player]
    # a dark stone on a dark board is told by a light rim
    dark = canvas.theme.name == "dark" and sum(contrast(colour)) > sum(colour)
    _paint_body(canvas, shape, mix(colour, WHITE if dark else BLACK, 0.42))
    if shape.kind == GLIDER:
        _paint_double_arrow(canvas, shape, colour, 0.0)
        return
    for vertex in shape.stones:
        x, y = place_of(vertex)
        canvas.disc(x, y, STONE, colour)
        if shape.kind == TOWER and STONE * canvas.scale >= RINGED:
            canvas.ring(x, y, STONE * 0.76, mix(colour, WHITE, 0.8), canvas.least(0.09, 0.6))


# ---------------------------------------------------------------- the last turn


class Marks(NamedTuple):
    """The marks of the last whole turn on the board after it."""

    text: str
    origin: tuple[Vertex, ...] = ()  # where the glider came from, its core first
    landed: tuple[Vertex, ...] = ()  # where it has landed, its core first; or the base built
    captured: frozenset[Vertex] = frozenset()
    converted: frozenset[Vertex] = frozenset()
    off: Shape | None = None  # the glider that flew off the board


def read_board_of(state: State) -> tuple[list[str], int, str]:
    """Return the rows of the board, the player to move and the chosen core, or ``-``."""
    array, n = state._array, int(state.game.options["board_size"])
    core = int(array[CHOSEN])
    chosen = "-" if core == NONE else vertex_name(n, (core >> 5) - FIRST_ROW, (core & 31) - 1)
    return board_rows(array), int(array[PLAYER]), chosen


def marks_of(turn: Turn | None, grid: list[str]) -> Marks | None:
    """Return the marks of a turn, from the boards before and after it; `grid` is the latter."""
    if turn is None:
        return None
    old, mover, _ = read_board_of(turn.before)
    text, words = turn.text, turn.texts
    every = [(i, j) for i in range(len(grid)) for j in range(len(grid))]
    own, foe = SIDES[mover], SIDES[1 - mover]
    new = {(i, j) for i, j in every if grid[i][j] == own != old[i][j]}
    gone = {(i, j) for i, j in every if old[i][j] == foe != grid[i][j]}
    if len(words) == 1:
        return Marks(text, landed=tuple(sorted(new)))
    glider = glider_at(words[0], old, mover)
    if words[1] == "-off":
        return Marks(text, glider.stones, off=glider)
    row, column = vertex_named(words[1].strip("-*"), len(grid))
    i, j = glider.stones[0]
    landed = tuple((row + u - i, column + v - j) for u, v in glider.stones)
    converted = frozenset(v for v in new & gone if v not in landed)
    return Marks(text, glider.stones, landed, frozenset(gone - converted), converted)


def way_off(glider: Shape, n: int) -> list[Point]:
    """Return an arrow over the nearest edge that an arm of the glider points to."""
    (i, j), *arms = glider.stones
    ways = []
    for u, v in arms:
        du, dv = u - i, v - j
        ways.append((n - 1 - i if du > 0 else i if du else n - 1 - j if dv > 0 else j, du, dv))
    room, du, dv = min(ways)
    x, y = place_of((i + du * room, j + dv * room))
    return [(x + dv * out, y + du * out) for out in WAY_OUT]


def _paint_way_off(canvas: Canvas, glider: Shape, n: int, colour: Colour) -> None:
    """Paint the arrow that `way_off` returns."""
    way = way_off(glider, n)
    canvas.arrow(way, colour, canvas.least(0.18, 1.5), 0.38, outline=canvas.theme.outline)


def _paint_under(canvas: Canvas, turn: Marks, grid: list[str], mover: int) -> None:
    """Paint what lies under the stones: the way of the glider, and what has left the board."""
    theme = canvas.theme
    for i, j in turn.captured:
        if grid[i][j] == ".":
            canvas.disc(*place_of((i, j)), STONE, theme.players[1 - mover], opacity=0.35)
    for i, j in turn.origin:
        if grid[i][j] == ".":
            canvas.mark_from(*place_of((i, j)), STONE)
    if turn.off is not None:
        _paint_way_off(canvas, turn.off, len(grid), theme.last)
    elif turn.origin:
        way = [place_of(turn.origin[0]), place_of(turn.landed[0])]
        canvas.arrow(way, theme.last, canvas.least(0.14, 1.5), 0.5, STONE, STONE, theme.outline)


# ---------------------------------------------------------------- the picture


def _paint_choice(canvas: Canvas, state: State, glider: Shape, free: bool, grid: list[str]) -> None:
    """Paint the chosen glider and the ways to end its flight; a ring where it has two (L14)."""
    theme, n = canvas.theme, len(grid)
    for vertex in glider.stones[: 1 if free else 3]:  # the arrowheads of a free glider stay visible
        x, y = place_of(vertex)
        canvas.ring(x, y, STONE + 0.08, theme.background, canvas.least(0.16, 3.0))
        canvas.mark_chosen(x, y, STONE + 0.04)
    for action in state.legal_actions():
        text = state.action_to_string(action)
        if text == "-off":
            _paint_way_off(canvas, glider, n, theme.chosen)
            continue
        i, j = vertex_named(text.strip("-*"), n)
        x, y = place_of((i, j))
        if text.endswith("*"):
            canvas.ring(x, y, 0.4, theme.chosen, canvas.least(0.08, 1.2))
            continue
        if grid[i][j] != ".":
            canvas.disc(x, y, 0.29, theme.background)
        canvas.mark_landing(x, y, 0.22)


def _paint_counts(canvas: Canvas, found: list[list[Shape]], n: int) -> None:
    """Paint how many towers of twelve and how many bases each player has."""
    theme = canvas.theme
    right = n - 1 + 2 * MARGIN
    upper = int(not canvas.turned)
    with canvas.upright():
        _paint_count(canvas, found[upper], theme.players[upper], STRIP * 0.62, right)
        lower = n - 1 + 2 * MARGIN + STRIP * 1.38
        _paint_count(canvas, found[1 - upper], theme.players[1 - upper], lower, right)


def _paint_count(
    canvas: Canvas, found: list[Shape], colour: Colour, y: float, right: float
) -> None:
    """Paint the counts of one player in a line; `right` is the right edge of the board."""
    theme = canvas.theme
    kinds = [shape.kind for shape in found]
    towers, bases = kinds.count(TOWER), kinds.count(BASE)
    step, x = 0.56, MARGIN - FRAME + 0.25
    edge, width = mix(theme.background, theme.muted, 0.6), canvas.least(0.05, 1.0)
    for k in range(TOWERS_TO_WIN):
        if k < towers:
            canvas.disc(x + k * step, y, 0.22, colour)
        else:
            canvas.ring(x + k * step, y, 0.22, edge, width)
    right_words = counted(bases, "base")
    canvas.text(right - MARGIN + FRAME, y, right_words, 0.6, theme.ink, "right")
    words, x = counted(towers, "tower"), x + TOWERS_TO_WIN * step + 0.1
    room = right - MARGIN + FRAME - x - canvas.width_of(f"  {right_words}", 0.6)
    if canvas.width_of(words, 0.6) > room:  # the discs show what is counted
        words = str(towers)
    canvas.text(x, y, words, 0.6, theme.ink, "left")


def paint(canvas: Canvas, state: State, last_turn: LastTurn) -> None:
    """Paint shapes, the last turn, a turn in progress, counts and the caption."""
    theme = canvas.theme
    grid, player, core = read_board_of(state)
    found = [shapes(grid, side) for side in SIDES]
    turn = marks_of(last_turn.whole, grid)
    if turn is not None:
        _paint_under(canvas, turn, grid, 1 - player)
        for shape in found[1 - player]:
            if set(shape.stones) & set(turn.landed):
                reach = RIM + canvas.least(0.12, 1.5)
                _paint_body(canvas, shape, theme.outline, reach + canvas.outline_width)
                _paint_body(canvas, shape, theme.last, reach)
    chosen = None if core == "-" else glider_at(core, grid, player)
    free = chosen in found[player]
    if chosen is not None and free:
        _paint_body(canvas, chosen, theme.chosen, RIM + canvas.least(0.12, 1.5))
    for number in (0, 1):
        for shape in found[number]:
            _paint_shape(canvas, shape, number)
    if turn is not None:
        for vertex in turn.captured:
            canvas.mark_capture(*place_of(vertex), STONE)
        for vertex in turn.converted:
            canvas.mark_converted(*place_of(vertex), STONE)
    if chosen is not None:
        _paint_choice(canvas, state, chosen, free, grid)
    _paint_counts(canvas, found, len(grid))
    turns = state.turn_number()
    note = f"turn {turns}: {turn.text}" if turn is not None else f"turn {turns}"
    if state.is_terminal():
        score = state.returns()[0]
        winner = None if score == 0 else theme.players[0 if score > 0 else 1]
        result = outcome(state)
        canvas.caption(result[0].upper() + result[1:], winner, note, over=True)
    else:
        words = f"{PLAYERS[player]} to move" if core == "-" else f"{PLAYERS[player]} flies {core}"
        canvas.caption(words, theme.players[player], note)


def board_of(state: State) -> Board:
    """Return the board that a state is drawn on."""
    n = int(state.game.options["board_size"])
    return Board(*area(n), paint_board, (n,))


draw, render = pictures(board_of, paint)
