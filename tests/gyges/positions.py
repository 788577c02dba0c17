"""Reading and making positions of Gygès for its tests, through the public interface only."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import ludarium

GAME = ludarium.load_game("gyges")
START = "321123/000000/000000/000000/000000/321123 S move 2"
CELLS = [column + row for row in "123456" for column in "abcdef"]  # in the order of the text

# ---------------------------------------------------------------- a state


def at(text: str) -> Any:
    """The state of a text."""
    return GAME.state_from_string(text)


def can(state: Any) -> set[str]:
    """The texts of the legal actions."""
    return {state.action_to_string(action) for action in state.legal_actions()}


def ends(state: Any, start: str) -> set[str]:
    """Where the piece on a cell can land."""
    return {action[3:] for action in can(state) if action.startswith(f"{start}-")}


def drops(state: Any) -> set[str]:
    """Where the piece in hand can be put down."""
    return {action[1:] for action in can(state) if action.startswith("=")}


def playable(state: Any) -> set[str]:
    """The cells of the pieces that may move."""
    return {action[:2] for action in can(state) if "-" in action}


def play(state: Any, *actions: str) -> Any:
    """The state after some actions."""
    for action in actions:
        state = state.child(state.string_to_action(action))
    return state


# ---------------------------------------------------------------- a board


def board(state: Any) -> dict[str, int]:
    """The rings of the piece on each cell that is not empty."""
    digits = state.to_string().split(" ")[0].replace("/", "")
    return {cell: int(rings) for cell, rings in zip(CELLS, digits, strict=True) if rings != "0"}


def rows(pieces: dict[str, int]) -> str:
    """The text of a board."""
    digits = "".join(str(pieces.get(cell, 0)) for cell in CELLS)
    return "/".join(digits[first : first + 6] for first in range(0, 36, 6))


def filled(pieces: dict[str, int], cells: Iterable[str]) -> str:
    """The text of a board with these pieces, and those that are missing on these cells in order."""
    left = Counter({1: 4, 2: 4, 3: 4}) - Counter(pieces.values())
    others = dict(zip(cells, left.elements(), strict=False))
    assert len(pieces | others) == 12
    return rows(pieces | others)


def near(pieces: dict[str, int], side: str = "S") -> str:
    """A position with these pieces, and the others far away from South, on rows 5 and 6."""
    return f"{filled(pieces, reversed(CELLS))} {side} move 20"


def beside(cell: str) -> set[str]:
    """The neighbours of a cell (G1)."""
    column, row = "abcdef".index(cell[0]), int(cell[1])
    near = ((column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1))
    return {"abcdef"[i] + str(j) for i, j in near if 0 <= i < 6 and 1 <= j <= 6}


def turned(cell: str) -> str:
    """The cell where this one comes to lie when the board is turned by 180 degrees."""
    return cell if cell == "goal" else "fedcba"["abcdef".index(cell[0])] + str(7 - int(cell[1]))


def random_positions(count: int, seed: int, stage: str = "move") -> Iterator[Any]:
    """Positions of random games, in one stage, well apart."""
    rng = random.Random(seed)
    while True:
        state = GAME.new_initial_state()
        while not state.is_terminal():
            if state.stage() == stage and rng.random() < 0.2:
                yield state.clone()
                count -= 1
                if count == 0:
                    return
            state.apply_action(rng.choice(state.legal_actions()))
