"""Why an action is not legal in Gliss, in words for a person who typed it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ludarium.games.gliss.actions import COLUMNS, vertex_name
from ludarium.games.gliss.notation import (
    BASE,
    GLIDER,
    PLAYERS,
    SIDES,
    TOWER,
    Shape,
    glider_at,
    read_board,
    shapes,
)

if TYPE_CHECKING:
    from ludarium.core.state import State

Vertex = tuple[int, int]  # row from the top, column

_FORM = re.compile(r"(\+|-|)([a-z][0-9]+)(\*?)|-off", re.ASCII)


class _Position:
    """What the text of a state says, with the names of vertices."""

    def __init__(self, state: State) -> None:
        board, side, core, _ = state.to_string().split(" ")
        self.size = board.count("/") + 1
        self.grid = read_board(board, self.size)
        self.player, self.core = SIDES.index(side), None if core == "-" else core
        self.own = SIDES[self.player]
        self.vertices = {
            vertex_name(self.size, i, j): (i, j) for i in range(self.size) for j in range(self.size)
        }

    def name(self, vertex: Vertex) -> str:
        return vertex_name(self.size, *vertex)

    def at(self, vertex: Vertex) -> str:
        """Return R, B or ., and - off the board."""
        i, j = vertex
        return self.grid[i][j] if 0 <= i < self.size and 0 <= j < self.size else "-"

    def shape_at(self, vertex: Vertex, colour: str) -> Shape:
        return next(shape for shape in shapes(self.grid, colour) if vertex in shape.stones)

    def own_beside(self, vertex: Vertex) -> Vertex | None:
        """Return a friendly stone next to a vertex."""
        i, j = vertex
        for near in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
            if self.at(near) == self.own:
                return near
        return None


def why_illegal(state: State, text: str) -> str | None:
    """Return why an action is not legal in a running state; None for what is not of its form.

    Args:
        state: the state.
        text: an action that is not legal there, such as ``+c4``, ``c4``, ``-f6`` or ``-off``.
    """
    found = _FORM.fullmatch(text)
    if found is None or (found[3] and found[1] != "-"):
        return None
    position = _Position(state)
    example = state.action_to_string(state.legal_actions()[-1])
    landing = text.startswith("-")
    if position.core is None and landing:
        return f"no glider is chosen yet; a flight begins with a core such as {example}"
    if position.core is not None and not landing:
        return f"the glider with its core on {position.core} flies first, such as {example}"
    if text == "-off":
        return "every path of the flight ends in a landing before the edge"
    name = found[2]
    if name not in position.vertices:
        last = f"{COLUMNS[position.size - 1]}{position.size}"
        return f"there is no vertex {name}: vertices are a1 to {last}"
    vertex = position.vertices[name]
    if found[1] == "+":
        return _why_not_built(position, vertex)
    if position.core is None:
        return _why_not_chosen(position, vertex)
    legal = {state.action_to_string(action) for action in state.legal_actions()}
    if found[3] and f"-{name}" in legal:
        return f"there is nothing to choose on {name}: write -{name}"
    return _why_not_landed(position, vertex)


def _why_not_built(position: _Position, vertex: Vertex) -> str | None:
    """Say what forbids a base whose lower left vertex this is (L4)."""
    i, j = vertex
    stones = [(i, j), (i, j + 1), (i - 1, j), (i - 1, j + 1)]
    if any(position.at(stone) == "-" for stone in stones):
        return f"a base with its lower left stone on {position.name(vertex)} is not on the board"
    for stone in stones:
        if position.at(stone) != ".":
            return f"{position.name(stone)} is not empty"
    for stone in stones:
        near = position.own_beside(stone)
        if near is not None:
            return f"the base would touch {position.name(near)}, a stone of the same colour"
    return None


def _why_not_chosen(position: _Position, vertex: Vertex) -> str:
    """Say why no flight begins with this core (L3, L5)."""
    name, found = position.name(vertex), position.at(vertex)
    if found == ".":
        return f"{name} is empty"
    if found != position.own:
        return f"{name} is a stone of {PLAYERS[1 - position.player]}'s"
    shape = position.shape_at(vertex, found)
    if shape.kind == TOWER:
        return f"{name} is a tower, and towers do not fly"
    if shape.kind == GLIDER and shape.stones[0] != vertex:
        core = position.name(shape.stones[0])
        return f"{name} is an arm of a glider; its core is {core}"
    what = "glider of the base" if shape.kind == BASE else "glider"
    return f"the {what} with its core on {name} has nowhere to land and no way off the board"


def _why_not_landed(position: _Position, vertex: Vertex) -> str:
    """Say why the chosen glider does not land with its core here (L6-L8)."""
    assert position.core is not None
    core, *arms = glider_at(position.core, position.grid, position.player).stones
    down = sum(i - core[0] for i, _ in arms)  # the direction of each arm, +1 or -1
    right = sum(j - core[1] for _, j in arms)
    i, j = vertex
    where = f"{'down' if down > 0 else 'up'} and {'right' if right > 0 else 'left'}"
    if vertex == core or (i - core[0]) * down < 0 or (j - core[1]) * right < 0:
        return f"from {position.core} this glider flies {where}, as its arms point"
    stones = [(i, j), (i + down, j), (i, j + right)]
    if any(position.at(stone) == "-" for stone in stones):
        return "a stone of the glider would be off the board; flying off is written -off"
    lifted = {core, *arms}
    position.grid = [
        "".join("." if (r, c) in lifted else x for c, x in enumerate(row))
        for r, row in enumerate(position.grid)
    ]
    for stone in stones:
        if position.at(stone) == position.own:
            return f"the glider would cover {position.name(stone)}, a stone of the same colour"
    dock = (i + down, j + right)
    for stone in stones:
        near = position.own_beside(stone)
        if near is not None and (near != dock or position.own_beside(dock) is not None):
            return f"the glider would touch {position.name(near)}, and no base would come of it"
    for stone in stones:
        if position.at(stone) == SIDES[1 - position.player]:
            shape = position.shape_at(stone, position.at(stone))
            if shape.kind == TOWER:
                return f"the enemy tower on {position.name(stone)} cannot be captured"
    return f"every path of the flight ends before {position.name(vertex)}"
