"""Walks of a piece as lists of cells, for people.

The rules need only the cells where a walk can end. Pictures, diagrams and records also show one
walk that leads there; these functions find it, in plain Python, from the text of a position.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ludarium.core.history import Turn
    from ludarium.core.state import State

GOAL = "goal"
COLUMNS, ROWS = "abcdef", "123456"
CELLS = tuple(column + row for row in ROWS for column in COLUMNS)  # in the order of the text


def pieces_of(state: State) -> dict[str, int]:
    """Return the rings of the piece on each cell that is not empty."""
    digits = state.to_string().split(" ")[0].replace("/", "")
    return {cell: int(found) for cell, found in zip(CELLS, digits, strict=True) if found != "0"}


def one_walk(state: State, start: str, end: str) -> list[str]:
    """Return the cells of one walk from a piece to a landing, a shortest one (G6-G10).

    Args:
        state: a state of Gygès, in the stage ``move``.
        start: the cell of a piece that may move, such as ``"b1"``.
        end: a cell it can land on, or ``"goal"``.

    Returns:
        The cells stepped on: `start` first, every cell between, `end` last.

    Raises:
        ValueError: The action from `start` to `end` is not legal here.
    """
    state.string_to_action(f"{start}-{end}")
    pieces = pieces_of(state)
    rings = pieces.pop(start)  # G6: its cell counts as empty
    goal_row = "61"[state.current_player()]
    # shortest walks first: those that end, and those that bounce off a piece and go on
    walks: list[tuple[int, tuple[str, ...], bool, frozenset[str]]]
    walks = [(0, (start,), False, frozenset(pieces))]
    while True:
        steps, cells, over, left = heapq.heappop(walks)
        if over:
            return list(cells)
        count = pieces[cells[-1]] if steps else rings
        for longer in _counts(cells, count, pieces, goal_row):
            last = longer[-1]
            if last == end:
                heapq.heappush(walks, (steps + count, longer, True, left))
            if last in left:  # a second bounce off the same piece reaches no new cells (G9)
                heapq.heappush(walks, (steps + count, longer, False, left - {last}))


def _counts(
    cells: tuple[str, ...], count: int, pieces: dict[str, int], goal_row: str
) -> Iterator[tuple[str, ...]]:
    """Yield every continuation of a walk by the steps of one piece (G6, G9, G10)."""
    if count == 0:
        yield cells
        return
    here = cells[-1]
    if count == 1 and here[1] == goal_row:
        yield (*cells, GOAL)
    used = {frozenset(step) for step in itertools.pairwise(cells)}
    for there in _beside(here):
        if frozenset((here, there)) not in used and (count == 1 or there not in pieces):
            yield from _counts((*cells, there), count - 1, pieces, goal_row)


def _beside(cell: str) -> Iterator[str]:
    """Yield the neighbours of a cell (G1)."""
    column, row = COLUMNS.index(cell[0]), ROWS.index(cell[1])
    for i, j in ((column, row + 1), (column, row - 1), (column - 1, row), (column + 1, row)):
        if 0 <= i < 6 and 0 <= j < 6:
            yield COLUMNS[i] + ROWS[j]


# ---------------------------------------------------------------- the last turn


class Walked(NamedTuple):
    """What happened in a turn, completed or in progress.

    Attributes:
        player: the player whose turn it was, or is.
        text: the texts of its actions, joined, as in ``b1-d2=c4``.
        rings: number of rings of the piece that moved; 0 if none did.
        walk: the cells that the piece stepped on, its first cell included.
        bounces: the cells where it bounced off a piece, in order.
        drop: the cell where the replaced piece was put; None if there is none.
    """

    player: int
    text: str
    rings: int
    walk: list[str]
    bounces: list[str]
    drop: str | None


def walked(turn: Turn | None) -> Walked | None:
    """Return what happened in a turn, or None if there is no turn.

    If the history holds only the second action of a turn, the turn has no walk.
    """
    if turn is None:
        return None
    before, texts = turn.before, turn.texts
    player = before.current_player()
    if before.stage() == "setup":
        return Walked(player, turn.text, 0, [], [], None)
    if before.stage() == "drop":
        return Walked(player, turn.text, 0, [], [], turn.text[1:])
    start, end = texts[0].split("-")
    pieces, walk = pieces_of(before), one_walk(before, start, end)
    bounces = [cell for cell in walk[1:-1] if cell in pieces and cell != start]
    drop = texts[1][1:] if texts[1:] else None
    return Walked(player, turn.text, pieces[start], walk, bounces, drop)
