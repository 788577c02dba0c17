"""Reading and making positions of Sphlag for its tests, through the public interface only."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import ludarium

GAME = ludarium.load_game("sphlag")

# Every hole but D4/3 is filled. White and Black have only their own touch holes, and spheres that
# could swap places with their load are of the same colour as it.
FULL = "RBBWBBRWBRWWBWWR/BBWBWWBWW/BWBW/."
RED_HOLES = {"A1/0", "C5/0", "E3/0", "G7/0"}

# ---------------------------------------------------------------- a state


def at(text: str) -> Any:
    """The state of a text."""
    return GAME.state_from_string(text)


def can(state: Any) -> set[str]:
    """The texts of the legal actions."""
    return {state.action_to_string(action) for action in state.legal_actions()}


def places(state: Any) -> set[str]:
    """The holes that can be placed on."""
    return {action for action in can(state) if "-" not in action and action != "pass"}


def reach(state: Any, hole: str) -> set[str]:
    """The holes that the sphere in a hole can move to."""
    return {action[5:] for action in can(state) if action.startswith(f"{hole}-")}


def play(state: Any, *actions: str) -> Any:
    """The state after some actions."""
    for action in actions:
        state = state.child(state.string_to_action(action))
    return state


def levels(state: Any) -> str:
    """The board in text."""
    return str(state.to_string().split(" ")[0])


def holes() -> list[str]:
    """All 30 holes in the order of the text (S1)."""
    return [
        f"{column}{row}/{level}"
        for level in range(4)
        for row in range(1 + level, 8 - level, 2)
        for column in "ABCDEFG"[level : 7 - level : 2]
    ]


def board(text: str) -> dict[str, str]:
    """Colour by hole of the filled holes of a board in text."""
    found = dict(zip(holes(), text.replace("/", ""), strict=True))
    return {hole: colour for hole, colour in found.items() if colour != "."}


def board_text(colours: dict[str, str]) -> str:
    """The text of a board."""
    row = "".join(colours.get(hole, ".") for hole in holes())
    return f"{row[:16]}/{row[16:25]}/{row[25:29]}/{row[29]}"


def below(hole: str) -> set[str]:
    """The four holes that a hole above level 0 rests on (S1)."""
    column, row, level = "ABCDEFG".index(hole[0]), int(hole[1]), int(hole[3])
    return {f"{'ABCDEFG'[column + i]}{row + j}/{level - 1}" for i in (-1, 1) for j in (-1, 1)}


def number(hole: str) -> int:
    """Column, A being 1, plus row (S3)."""
    return "ABCDEFG".index(hole[0]) + 1 + int(hole[1])


def random_positions(count: int, seed: int) -> Iterator[Any]:
    """Running positions of every fill, the spheres strewn over them at random."""
    rng = random.Random(seed)
    while count:
        colours = dict.fromkeys(RED_HOLES, "R")
        full = [rng.choice((0.4, 0.8, 1)), rng.choice((0.2, 0.6, 1)), rng.random()]
        for hole in holes()[:-1]:
            firm = hole[3] == "0" or below(hole) <= set(colours)
            if firm and hole not in RED_HOLES and rng.random() < full[int(hole[3])]:
                colours[hole] = rng.choice("WB")
        if max(list(colours.values()).count(colour) for colour in "WB") > 16:
            continue
        side, passes, turns = rng.choice("WB"), rng.choice("01"), rng.randrange(200)
        state = at(f"{board_text(colours)} {side} {passes} - {turns}")
        if not state.is_terminal():
            count -= 1
            yield state
