"""Clicks of Gliss: the middle of a base to build; or a core, then where it lands.

If a landing can capture either of two gliders (L14), the core's new vertex is clicked first, then
the one of the two stones on the enemy base that is the core of the captured glider. A click on the
arrow beyond the edge makes a glider fly off the board.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludarium.drawing.pointing import ClickPath, Target
from ludarium.games.gliss.notation import BASE, SIDES, Shape, glider_at, shapes
from ludarium.games.gliss.render import place_of, read_board_of, vertex_named, way_off

if TYPE_CHECKING:
    from ludarium.core.state import State
    from ludarium.games.gliss.render import Vertex


def _vertex(vertex: Vertex) -> Target:
    return Target(*place_of(vertex), 0.5, 0.5)


def clicks(state: State) -> dict[int, ClickPath]:
    """Return the targets to click for each legal action."""
    grid, player, core = read_board_of(state)
    n = len(grid)
    glider = None if core == "-" else glider_at(core, grid, player)
    paths: dict[int, ClickPath] = {}
    choices: dict[Vertex, ClickPath] = {}  # by the core's landing: its capture under the arm
    bases: list[Shape] = []
    legal = {action: state.action_to_string(action) for action in state.legal_actions()}
    if any(text.endswith("*") for text in legal.values()):
        bases = [shape for shape in shapes(grid, SIDES[1 - player]) if shape.kind == BASE]
    for action, text in legal.items():
        if text.startswith("+"):
            i, j = vertex_named(text[1:], n)
            x, y = place_of((i, j))
            paths[action] = (Target(x + 0.5, y - 0.5, 0.5, 0.5),)
        elif text == "-off" and glider is not None:
            (x0, y0), (x1, y1) = way_off(glider, n)
            paths[action] = (Target((x0 + x1) / 2, (y0 + y1) / 2, 0.5, 0.5),)
        elif text.endswith("*") and glider is not None:
            vertex = vertex_named(text[1:-1], n)
            arm = _arm_on_the_same_base(glider, vertex, bases)
            choices[vertex] = (_vertex(vertex), _vertex(arm))
            paths[action] = choices[vertex]
        else:
            paths[action] = (_vertex(vertex_named(text.strip("-"), n)),)
    for action, text in legal.items():
        if text.startswith("-") and text[-1].isdigit():
            vertex = vertex_named(text[1:], n)
            if vertex in choices:
                paths[action] = (_vertex(vertex), _vertex(vertex))
    return paths


def _arm_on_the_same_base(glider: Shape, landing: Vertex, bases: list[Shape]) -> Vertex:
    """Return the arm that lands on the same base as the core (L14)."""
    (i, j), *arms = glider.stones
    base = next(base.stones for base in bases if landing in base.stones)
    moved = [(u + landing[0] - i, v + landing[1] - j) for u, v in arms]
    return next(vertex for vertex in moved if vertex in base)


def prompt(state: State, chosen: ClickPath) -> str:
    """Return what to click next, in words."""
    if chosen:
        return "click the core of the glider that you take"
    if state.stage() == "land":
        return "click where the core lands"
    return "click the middle of a base to build, or a core to fly"
