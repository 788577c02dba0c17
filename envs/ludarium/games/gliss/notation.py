"""Gliss in text: a position in one line, and as a diagram.

    12/12/12/12/12/12/12/12/4RR6/4RR6/12/12 B - 1

The rows from the top, runs of empty vertices as numbers; the side to move, R or B; the core of the
chosen glider, or ``-``; the turns completed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from ludarium.core.text import counted, natural
from ludarium.games.gliss.actions import COLUMNS, vertex_name
from ludarium.games.gliss.board import (
    BASES,
    CHOSEN,
    MAX_SIZE,
    NONE,
    PLAYER,
    ROWS,
    SIZE,
    TOP,
    TOWERS,
    TURN,
    vertex,
)
from ludarium.games.gliss.rules import (
    FIRST_TURN_CHECKED,
    SCRATCH_DTYPE,
    SCRATCH_SIZE,
    TOWERS_TO_WIN,
    check_end,
    legal,
)

if TYPE_CHECKING:
    from ludarium.core.state import State

Array = npt.NDArray[np.int64]

SIDES = "RB"
PLAYERS = ("Red", "Blue")
BASE, GLIDER, TOWER = "base", "glider", "tower"
_SIGNS = str.maketrans("012", ".RB")
_RUN_OR_STONE = re.compile(r"[RB]|[1-9][0-9]*", re.ASCII)


# ---------------------------------------------------------------- shapes


class Shape(NamedTuple):
    """A group of stones: its kind, and its vertices (row from the top, column), a core first."""

    kind: str
    stones: tuple[tuple[int, int], ...]


def shapes(grid: list[str], side: str) -> list[Shape]:
    """Return the shapes of one colour, R or B, on a board given as in `read_board` (L2).

    Raises:
        ValueError: A group of stones is none of the three; the message names its vertices.
    """
    n = len(grid)
    stones = [(i, j) for i in range(n) for j in range(n) if grid[i][j] == side]
    left = set(stones)
    found = []
    for stone in stones:
        if stone not in left:
            continue
        group = [stone]
        left.remove(stone)
        for i, j in group:  # grows while it is walked
            near = {(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)} & left
            left -= near
            group.extend(near)
        found.append(_shape(group, n))
    return found


def _shape(group: list[tuple[int, int]], n: int) -> Shape:
    """Name the shape of a connected group."""
    square = len({i for i, _ in group}) == 2 == len({j for _, j in group})
    if len(group) == 1:
        return Shape(TOWER, tuple(group))
    if square and len(group) == 4:
        return Shape(BASE, tuple(sorted(group)))
    if square and len(group) == 3:
        # the core is the one stone that is next to both others
        far = {v: sum(abs(v[0] - i) + abs(v[1] - j) for i, j in group) for v in group}
        return Shape(GLIDER, tuple(sorted(group, key=lambda v: far[v])))
    names = " ".join(vertex_name(n, i, j) for i, j in sorted(group, key=lambda v: (v[1], -v[0])))
    raise ValueError(f"{names}: not a base, a glider or a tower")


# ---------------------------------------------------------------- one line


def board_rows(state: Array) -> list[str]:
    """Return the n rows of a state's board as `read_board` does: R, B or . from the top left."""
    n = int(state[SIZE])
    rows = []
    for r in range(TOP, n + TOP):
        # binary digits read as decimal ones, so that a sum has a digit for each vertex
        red, blue = (int(f"{int(state[part + r]) >> 1:b}") for part in (0, ROWS))
        rows.append(f"{red + 2 * blue:0{n}d}"[::-1].translate(_SIGNS))
    return rows


def to_text(state: Array) -> str:
    """Return the position of a state in one line.

    Raises:
        ValueError: The array has another size than a board can have, as a damaged pickle may.
    """
    n, core = int(state[SIZE]), int(state[CHOSEN])
    if not 1 <= n <= MAX_SIZE:
        raise ValueError(f"the size of the board is {n}: it is at most {MAX_SIZE}")
    rows = [re.sub(r"\.+", lambda run: str(len(run[0])), row) for row in board_rows(state)]
    chosen = "-" if core == NONE else vertex_name(n, (core >> 5) - TOP, (core & 31) - 1)
    return f"{'/'.join(rows)} {SIDES[int(state[PLAYER])]} {chosen} {int(state[TURN])}"


def read_board(text: str, n: int) -> list[str]:
    """Return the n rows of a board from the top, n characters R, B or . each.

    Raises:
        ValueError: The text is not a board of this size.
    """
    rows = text.split("/")
    if len(rows) != n:
        raise ValueError(
            f"board {text!r}: {counted(len(rows), 'row')}; this game has board_size={n}"
        )
    grid = []
    for number, row in zip(range(n, 0, -1), rows, strict=True):
        where = f"board, row {number} {row!r}"
        wrong = _RUN_OR_STONE.sub("", row)
        if wrong:
            raise ValueError(f"{where}: {wrong[0]!r} is not R, B or a number without leading zeros")
        read = ""
        for found in _RUN_OR_STONE.findall(row):
            if found not in SIDES:
                found = "." * (int(found) if len(found) < 3 else n + 1)
            read += found
        if len(read) != n:
            raise ValueError(f"{where}: its vertices do not add up to {n}")
        grid.append(read)
    return grid


def glider_at(core: str, grid: list[str], player: int) -> Shape:
    """Return the glider of a player, free or in a base, whose core has this name (L3).

    Raises:
        ValueError: There is none.
    """
    n = len(grid)
    names = {vertex_name(n, i, j): (i, j) for i in range(n) for j in range(n)}
    if core not in names:
        raise ValueError(f"chosen core {core!r}: it is a vertex, a1 to {COLUMNS[n - 1]}{n}, or -")
    i, j = names[core]
    for kind, stones in shapes(grid, SIDES[player]):
        if (kind == GLIDER and stones[0] == (i, j)) or (kind == BASE and (i, j) in stones):
            arms = [v for v in stones if abs(v[0] - i) + abs(v[1] - j) == 1]
            return Shape(GLIDER, ((i, j), *arms))
    raise ValueError(f"chosen core {core!r}: no glider of {PLAYERS[player]} has its core there")


def from_text(text: str, blank: Array) -> Array:
    """Return the state of a line of text; `blank` is a state with the game's options.

    Raises:
        ValueError: The text is not a position; the message names the field.
    """
    fields = text.split(" ")
    if len(fields) != 4:
        raise ValueError(
            f"{text!r} has {len(fields)} fields, not 4: board, side, chosen core, turns"
        )
    board, side, core, turns = fields
    state = blank.copy()
    grid = read_board(board, int(state[SIZE]))
    for player, colour in enumerate(SIDES):
        for r, row in enumerate(grid, TOP):
            state[ROWS * player + r] = sum(1 << c for c, x in enumerate(row, 1) if x == colour)
        try:
            kinds = [shape.kind for shape in shapes(grid, colour)]
        except ValueError as error:
            raise ValueError(f"board, {PLAYERS[player]}'s {error}") from None
        state[BASES + player] = kinds.count(BASE)
        state[TOWERS + player] = kinds.count(TOWER)
    if side not in ("R", "B"):
        raise ValueError(f"side {side!r}: the side to move is R or B")
    state[PLAYER] = SIDES.index(side)
    if core != "-":
        i, j = glider_at(core, grid, int(state[PLAYER])).stones[0]
        state[CHOSEN] = vertex(i + TOP, j + 1)
        if legal(state, np.empty(SCRATCH_SIZE, SCRATCH_DTYPE)) == 0:
            raise ValueError(f"chosen core {core!r}: this glider cannot fly")
    state[TURN] = natural(turns, "turns")
    check_end(state)
    return state


# ---------------------------------------------------------------- diagram


#: What the letters of a diagram stand for.
LEGEND = "Red: B base, G glider, T tower; Blue: b base, g glider, t tower; * the chosen glider"
_LETTERS = {BASE: "Bb", GLIDER: "Gg", TOWER: "Tt"}


def diagram(state: State, turned: bool = False) -> str:
    """Return the board with coordinates, a letter for each shape, the counts and the status.

    Of a half-made turn the ways to end it are listed. `LEGEND` explains the letters.

    Args:
        state: the state.
        turned: whether the board is turned by 180 degrees, so that Blue sits at the bottom.
    """
    board, side, core, turns = state.to_string().split(" ")
    n = board.count("/") + 1
    grid = read_board(board, n)
    letters = [["."] * n for _ in range(n)]
    found = [shapes(grid, colour) for colour in SIDES]
    for player, own in enumerate(found):
        for shape in own:
            for i, j in shape.stones:
                letters[i][j] = _LETTERS[shape.kind][player]
    if core != "-":
        for i, j in glider_at(core, grid, SIDES.index(side)).stones:
            letters[i][j] = "*"
    way = -1 if turned else 1
    columns = "    " + " ".join(COLUMNS[:n][::way])
    lines = [columns]
    for i in range(n)[::way]:
        lines.append(f"{n - i:>2}  {' '.join(letters[i][::way])}  {n - i}")
    lines.append(columns)
    for player in (0, 1):
        kinds = [shape.kind for shape in found[player]]
        lines.append(
            f"{PLAYERS[player]}: {counted(kinds.count(BASE), BASE)}, "
            f"{counted(kinds.count(GLIDER), GLIDER)}, "
            f"{counted(kinds.count(TOWER), TOWER)} of {TOWERS_TO_WIN}"
        )
    mover = PLAYERS[SIDES.index(side)]
    if state.is_terminal():
        status = outcome(state)
    elif core != "-":
        ends = " ".join(state.action_to_string(action) for action in state.legal_actions())
        status = f"{mover} flies the glider with its core on {core} (*): {ends}"
    else:
        status = f"{mover} to move"
    return "\n".join([*lines, f"{status}; {counted(int(turns), 'turn')}"])


def outcome(state: State) -> str:
    """Return the result of a finished game in words, with the reason."""
    if state.is_truncated():
        return "no winner: max_turns reached"
    board, side, _, turns = state.to_string().split(" ")
    player = SIDES.index(side)
    grid = read_board(board, board.count("/") + 1)
    counts = [[shape.kind for shape in shapes(grid, colour)] for colour in SIDES]
    checked = int(turns) >= FIRST_TURN_CHECKED
    winner = PLAYERS[0 if state.returns()[0] > 0 else 1]
    if checked and BASE not in counts[1 - player]:
        loser = PLAYERS[1 - player]
        reason = f"{loser} has no base left after {loser}'s own turn"
    elif checked and BASE not in counts[player]:
        reason = f"{PLAYERS[player]} has no base left"
    elif counts[player].count(TOWER) >= TOWERS_TO_WIN:
        reason = f"{PLAYERS[player]} starts the turn with {counts[player].count(TOWER)} towers"
    else:
        reason = f"{PLAYERS[player]} has no legal turn"
    return f"{winner} has won: {reason}"
