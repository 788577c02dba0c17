"""Random walks over Gygès that make the rare things happen, for tests/lockstep.py."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from gyges import reference

OPTIONS: list[dict[str, Any]] = [
    {"max_turns": 60},
    {"max_turns": 60, "setup": "random"},
    {"max_turns": 6},
]
PIECES = "111122223333"


def start(rng: random.Random, game: Any) -> str:
    """Begin before the set-up, or in a made-up position of some kind."""
    if game.options["setup"] == "chosen" and rng.random() < 0.4:
        return str(reference.text(reference.start()))
    return made_up(rng, rng.choice(KINDS))


def decisions(position: Any) -> list[str]:
    """The legal actions."""
    return list(reference.actions(position))


def play(position: Any, action: str) -> Any:
    """The position after a legal action."""
    return reference.play(position, action)


# ---------------------------------------------------------------- made-up positions


def made_up(rng: random.Random, kind: Any) -> str:
    """A position of a kind before a move, for either side."""
    rows = kind(rng)
    side = rng.choice("SN")
    if side == "N":
        rows = rows[::-1]
    lines = "/".join(rows[first : first + 6] for first in range(0, 36, 6))
    return f"{lines} {side} move {rng.randrange(2, 6)}"


def placed(rng: random.Random, cells: list[int]) -> str:
    """Twelve pieces on some of these cells, which are numbered from the mover's left front."""
    pieces = dict(zip(rng.sample(cells, 12), rng.sample(PIECES, 12), strict=True))
    return "".join(pieces.get(cell, "0") for cell in range(36))


def sparse(rng: random.Random) -> str:
    """Pieces anywhere."""
    return placed(rng, list(range(36)))


def crowded(rng: random.Random) -> str:
    """Pieces close together, in two to four rows."""
    height = rng.choice([2, 3, 3, 4])
    first = 6 * rng.randrange(0, 7 - height)
    return placed(rng, list(range(first, first + 6 * height)))


def near_goal(rng: random.Random) -> str:
    """Pieces in the three rows next to the goal to enter."""
    return placed(rng, list(range(18, 36)))


def near_own_goal(rng: random.Random) -> str:
    """Pieces in the three rows next to the own goal, which is closed."""
    return placed(rng, list(range(18)))


def first_rows(rng: random.Random) -> str:
    """As after a set-up."""
    rows = [rng.choice(reference.SETUP_ROWS) for _ in range(2)]
    return "0" * 24 + rows[0] + rows[1] if rng.random() < 0.1 else rows[0] + "0" * 24 + rows[1]


def blocked(rng: random.Random) -> str:
    """No piece of the first row has a move (G4), which takes the row next to the own goal.

    A full row lies above it; a gap in it is one cell wide and has only pieces of three rings
    beside it, which need two empty cells.
    """
    while True:
        gaps = rng.sample(range(6), rng.choice([0, 1, 2, 3]))
        row = [rng.choice("23") for _ in range(6)]
        for gap in gaps:
            row[gap] = "0"
            for i in {gap - 1, gap + 1} & set(range(6)):
                row[i] = "0" if i in gaps else "3"
        left = Counter(PIECES) - Counter(row)
        if "00" in "".join(row) or sum(left.values()) != 6 + len(gaps):
            continue
        others = rng.sample(list(left.elements()), sum(left.values()))
        above = dict(zip(rng.sample(range(6, 24), len(gaps)), others[6:], strict=True))
        rest = "".join(above.get(cell, "0") for cell in range(6, 30))
        return "".join(row) + "".join(others[:6]) + rest


KINDS = (sparse, crowded, crowded, near_goal, near_own_goal, first_rows, blocked, blocked)


# ---------------------------------------------------------------- ways to choose


def anything(rng: random.Random, position: Any, actions: list[str]) -> str:
    """Any action."""
    return rng.choice(actions)


def no_goal(rng: random.Random, position: Any, actions: list[str]) -> str:
    """Enter the goal only with nothing else, so that games are long."""
    return rng.choice([a for a in actions if not a.endswith("goal")] or actions)


def win(rng: random.Random, position: Any, actions: list[str]) -> str:
    """Enter the goal when possible."""
    return rng.choice([a for a in actions if a.endswith("goal")] or actions)


def stay(rng: random.Random, position: Any, actions: list[str]) -> str:
    """Often a null move (G7)."""
    null = [a for a in actions if a[:2] == a[3:]]
    return rng.choice(null) if null and rng.random() < 0.7 else no_goal(rng, position, actions)


def replace(rng: random.Random, position: Any, actions: list[str]) -> str:
    """Land on pieces, and put them down as near to the own side as possible, so that it fills."""
    if position.stage == "drop":
        near = "123456" if position.side == "S" else "654321"
        return min(actions, key=lambda a: (near.index(a[2]), rng.random()))
    digits = zip(reference.CELLS, "".join(position.rows), strict=True)
    taken = {cell for cell, found in digits if found != "0"}
    found = [a for a in actions if a[3:] in taken and a[:2] != a[3:]]
    return rng.choice(found) if found else no_goal(rng, position, actions)


CHOOSERS = (anything, no_goal, stay, replace, win)
