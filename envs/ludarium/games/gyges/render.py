"""Drawing Gygès: stacks of rings on a board of cells between two goals, South's end below.

One unit is a cell. A piece is a stack of its rings, seen from above and a little from the front;
pieces with more rings are darker. The walk of the last turn is a line from cell to cell, with a
ring around each piece that it bounced off; a dotted line shows where a replaced piece went. A piece
in hand lies beside the goal of the player who has to put it down.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

from ludarium.drawing.canvas import Board, Canvas, Colour, Point, Theme, contrast, mix
from ludarium.drawing.pictures import pictures
from ludarium.games.gyges.notation import PLAYERS, SIDES, outcome
from ludarium.games.gyges.walks import COLUMNS, GOAL, Walked, pieces_of, walked

if TYPE_CHECKING:
    from ludarium.core.history import LastTurn
    from ludarium.core.state import State

MARGIN = 1.1  # width of the area on each side of the board
GOAL_HEIGHT, GAP = 0.9, 0.08  # height of a goal, and its distance from the board
TOP = 0.62 + GOAL_HEIGHT + GAP  # upper edge of the board: above it are column letters and a goal
WIDTH, HEIGHT = 6 + 2 * MARGIN, 6 + 2 * TOP
GOAL_Y = (
    HEIGHT - TOP + GAP + GOAL_HEIGHT / 2,
    TOP - GAP - GOAL_HEIGHT / 2,
)  # centre of each player's goal
HAND_X = WIDTH - MARGIN / 2  # of the piece in hand, beside the player's goal

RADIUS, FLAT = 0.36, 0.6  # radius of a ring; height over width, as seen from the front
THICK = 0.15  # height of a ring
LEAST_THICK = 3.0  # pixels of a ring below which a stack is drawn from the front
HOLE = 0.5  # radius of the hole, as a part of a ring's radius
MARK = 0.46  # radius of a mark around a piece
REACH = 0.62  # extent of a painted piece and its shadow, from its centre
WHITE, BLACK = (255, 255, 255), (0, 0, 0)


def place_of(cell: str) -> Point:
    """Return where the centre of a cell is, in units."""
    return MARGIN + 0.5 + COLUMNS.index(cell[0]), TOP + 6.5 - int(cell[1])


def goal_colour(theme: Theme, player: int) -> Colour:
    """Return the colour of the goal that a player defends."""
    return mix(theme.players[player], theme.background, 0.72)


# ---------------------------------------------------------------- the board


def paint_board(canvas: Canvas) -> None:
    """Paint what is the same in all positions: cells, goals, coordinates."""
    theme = canvas.theme
    edge, line = canvas.least(0.05, 1.0), canvas.least(0.025, 1.0)
    canvas.rectangle(MARGIN, TOP, 6, 6, theme.board)
    for k in range(1, 6):
        canvas.line([(MARGIN + k, TOP), (MARGIN + k, TOP + 6)], theme.grid, line)
        canvas.line([(MARGIN, TOP + k), (MARGIN + 6, TOP + k)], theme.grid, line)
    out = edge / 2
    side = 6 + 2 * out
    canvas.rectangle(MARGIN - out, TOP - out, side, side, None, theme.edge, edge, edge)
    for player in (0, 1):
        colour, fill = theme.players[player], goal_colour(theme, player)
        y = GOAL_Y[player] - GOAL_HEIGHT / 2
        canvas.rectangle(MARGIN, y, 6, GOAL_HEIGHT, fill, colour, edge, GOAL_HEIGHT * 0.4)
    for k, letter in enumerate(COLUMNS):
        for y in (0.34, HEIGHT - 0.34):
            canvas.text(MARGIN + 0.5 + k, y, letter, 0.4, theme.muted)
        for x in (MARGIN * 0.45, WIDTH - MARGIN * 0.45):
            canvas.text(x, TOP + 0.5 + k, str(6 - k), 0.4, theme.muted)


# ---------------------------------------------------------------- pieces


@functools.cache
def _arc(radius: float, start: int, stop: int) -> list[Point]:
    """Return points of a flattened circle around (0, 0), from one part of 32 to another."""
    angles = [2 * math.pi * k / 32 for k in range(start, stop + 1)]
    return [(radius * math.cos(t), radius * FLAT * math.sin(t)) for t in angles]


def _at(points: list[Point], x: float, y: float) -> list[Point]:
    return [(x + u, y + v) for u, v in points]


def colour_of(canvas: Canvas, rings: int) -> Colour:
    """Return the colour of a piece, darker for more rings."""
    neutral = canvas.theme.neutral
    return (mix(neutral, WHITE, 0.6), neutral, mix(neutral, BLACK, 0.4))[rings - 1]


def levels(y: float, rings: int) -> tuple[float, float]:
    """Return where the lowest and the highest side of a stack with its middle at y are."""
    return y + 0.5 * THICK * rings + 0.02, y - 0.5 * THICK * rings + 0.02


def paint_piece(canvas: Canvas, x: float, y: float, rings: int) -> None:
    """Paint a stack of rings whose middle is at (x, y), which takes a dozen shapes only once."""
    canvas.drawing(x, y, REACH, _paint_rings, rings)


def _paint_rings(canvas: Canvas, x: float, y: float, rings: int) -> None:
    if THICK * canvas.scale < LEAST_THICK:
        _paint_bars(canvas, x, y, rings)
        return
    colour = colour_of(canvas, rings)
    wall, groove = mix(colour, BLACK, 0.16), mix(colour, BLACK, 0.85)
    line = canvas.least(0.032, 0.9)
    base, top = levels(y, rings)
    canvas.shadow(x, base - 0.08, RADIUS * 1.1, 0.3)
    for k in range(rings):
        bottom = base - k * THICK
        front = _at(_arc(RADIUS, 0, 16), x, bottom)
        side = [(x + RADIUS, bottom - THICK), *front, (x - RADIUS, bottom - THICK)]
        canvas.polygon(side, wall)
        canvas.line(side, groove, line)
    whole = _at(_arc(RADIUS, 0, 32), x, top)
    canvas.polygon(whole, colour, groove, line)
    hole = _at(_arc(RADIUS * HOLE, 0, 32), x, top)
    canvas.polygon(hole, mix(colour, BLACK, 0.6), groove, line)


def _paint_bars(canvas: Canvas, x: float, y: float, rings: int) -> None:
    """Paint a stack seen from the front, where rings seen from above would run together.

    A bar of whole pixels for each ring, with a dark line around each, so that they can be counted.
    """
    colour, pixel = colour_of(canvas, rings), 1 / canvas.scale
    dark = mix(colour, BLACK, 0.85)
    bar, line = max(2, round(THICK * canvas.scale)) * pixel, pixel
    half = round(RADIUS * canvas.scale) * pixel
    high = rings * (bar + line) + line
    left, top = (round(v * canvas.scale) * pixel for v in (x - half, y - high / 2))
    canvas.rectangle(left, top, 2 * half, high, dark, radius=1.5 * pixel)
    for k in range(rings):
        inner = top + line + k * (bar + line)
        canvas.rectangle(left + line, inner, 2 * (half - line), bar, colour)


# ---------------------------------------------------------------- the last turn


def _way(turn: Walked) -> list[Point]:
    """Return the points of a walk; the goal is entered straight."""
    way = [place_of(cell) for cell in turn.walk if cell != GOAL]
    if turn.walk[-1] == GOAL:
        way.append((way[-1][0], GOAL_Y[1 - turn.player]))
    return way


def _paint_turn(canvas: Canvas, turn: Walked, brief: bool) -> None:
    """Paint what lies under the pieces for the last turn; `brief`: only where things stand now."""
    colour = canvas.theme.last
    if turn.walk and not brief:
        _paint_walk(canvas, turn, colour)
    if turn.walk and turn.walk[-1] != GOAL:
        canvas.mark_to(*place_of(turn.walk[-1]), MARK)
    if turn.drop is None:
        return
    x, y = place_of(turn.drop)
    canvas.last_ring(x, y, MARK, canvas.least(0.05, 1.2))
    if turn.walk and not brief:
        u, v = _way(turn)[-1]
        length = math.hypot(x - u, y - v)
        for k in range(1, int(length / 0.2)):
            share = 0.2 * k / length
            canvas.last_disc(u + (x - u) * share, v + (y - v) * share, canvas.least(0.045, 1.0))


def _paint_walk(canvas: Canvas, turn: Walked, colour: Colour) -> None:
    """Paint where a piece came from, its way, and a ring around each piece it bounced off."""
    way, edge = _way(turn), canvas.outline_width
    dark = canvas.theme.outline

    def ring(x: float, y: float, radius: float, width: float) -> None:
        canvas.ring(x, y, radius + edge, dark, width + 2 * edge)
        canvas.ring(x, y, radius, colour, width)

    canvas.disc(*way[0], 0.11 + edge, dark)
    canvas.disc(*way[0], 0.11, colour)
    ring(*way[0], MARK * 0.72, canvas.least(0.06, 1.5))
    canvas.arrow(way, colour, canvas.least(0.1, 1.5), 0.3, 0, 0.36, dark)
    for cell in turn.bounces:
        ring(*place_of(cell), MARK, canvas.least(0.07, 1.5))


# ---------------------------------------------------------------- the picture


def paint(canvas: Canvas, state: State, last_turn: LastTurn) -> None:
    """Paint pieces, the last turn or a turn in progress, and the caption."""
    theme = canvas.theme
    rows, side, stage, _ = state.to_string().split(" ")
    player, pieces = SIDES.index(side), pieces_of(state)
    whole, half = walked(last_turn.whole), walked(last_turn.begun)
    _, mover, hand = stage.split(":") if stage.startswith("drop") else (stage, None, "0")
    arrived = None  # where in the goal a piece is
    if stage == "goal":
        arrived = _way(whole)[-1][0] if whole is not None and whole.walk else WIDTH / 2
    _paint_names(canvas, player, arrived)
    if whole is not None:
        _paint_turn(canvas, whole, brief=mover is not None)
    if half is not None:
        _paint_walk(canvas, half, theme.chosen)
    for cell in sorted(pieces, key=lambda cell: int(cell[1]), reverse=not canvas.turned):
        paint_piece(canvas, *place_of(cell), pieces[cell])
    if arrived is not None:
        missing = next(rings for rings in (1, 2, 3) if rows.count(str(rings)) == 3)
        paint_piece(canvas, arrived, GOAL_Y[player], missing)
    if mover is not None:
        _paint_hand(canvas, state, player, mover, int(hand))
    elif not state.is_terminal():
        _paint_row(canvas, state, player)
    turns = state.turn_number()
    turn = half or whole
    note = f"turn {turns}: {turn.text}" if turn is not None else f"turn {turns}"
    if state.is_terminal():
        result, score = outcome(state), state.returns()[0]
        winner = None if score == 0 else theme.players[0 if score > 0 else 1]
        canvas.caption(result[0].upper() + result[1:], winner, note, over=True)
    else:
        words = {"setup": "sets up", "move": "to move", "drop": "drops a piece"}
        text = f"{PLAYERS[player]} {words[state.stage()]}"
        canvas.caption(text, theme.players[player], note)


def _paint_names(canvas: Canvas, taken: int, arrived: float | None) -> None:
    """Write its owner's name on each goal, beside a piece that is in it."""
    for player, name in enumerate(PLAYERS):
        x, fill = WIDTH / 2, goal_colour(canvas.theme, player)
        if player == taken and arrived is not None:
            x += 1.4 if arrived <= WIDTH / 2 else -1.4
        ink = mix(canvas.theme.players[player], contrast(fill), 0.35)
        canvas.text(x, GOAL_Y[player], f"{name}'s goal", 0.44, ink)


def _paint_row(canvas: Canvas, state: State, player: int) -> None:
    """Paint a pointer at both ends of the row whose pieces may move (G3, G4)."""
    legal = state.legal_actions()
    if state.stage() != "move" or not legal:
        return
    cell = state.action_to_string(legal[0])[:2]
    y = place_of(cell)[1]
    for x, out in ((MARGIN - 0.1, -0.22), (WIDTH - MARGIN + 0.1, 0.22)):
        pointer = [(x, y), (x + out, y - 0.13), (x + out, y + 0.13)]
        canvas.polygon(pointer, canvas.theme.players[player])


def _paint_hand(canvas: Canvas, state: State, player: int, mover: str, rings: int) -> None:
    """Paint the piece in hand, the piece that replaced it, and where the piece in hand can go."""
    theme, y = canvas.theme, GOAL_Y[player]
    canvas.mark_chosen(*place_of(mover), MARK)
    canvas.mark_chosen(HAND_X, y, MARK)
    paint_piece(canvas, HAND_X, y, rings)
    if canvas.size >= 200:  # smaller it would lie on the letters
        below = y + (0.74 if player == 0 else -0.7)
        # to the edge of the picture, for letters that are wider in a viewer of SVG
        canvas.text(WIDTH - 0.03, below, "in hand", 0.3, theme.muted, "right")
    for action in state.legal_actions():
        u, v = place_of(state.action_to_string(action)[1:])
        canvas.disc(u, v, canvas.least(0.15, 3.0), theme.board)
        canvas.mark_landing(u, v, 0.1)


def board_of(state: State) -> Board:
    """Return the board that a state is drawn on."""
    return Board(WIDTH, HEIGHT, paint_board)


draw, render = pictures(board_of, paint)
