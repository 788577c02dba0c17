"""Random walks over Sphlag that make the rare things happen, for tests/lockstep.py."""

from __future__ import annotations

import functools
import random
from typing import Any

from sphlag import reference

OPTIONS: list[dict[str, Any]] = [{"max_turns": 120}, {"max_turns": 7}]

_turns = functools.lru_cache(maxsize=64)(reference.turns)


def start(rng: random.Random, game: Any) -> str:
    """Begin at the first position."""
    return str(reference.text(reference.start()))


def decisions(position: Any) -> list[str]:
    """The legal actions."""
    return list(_turns(position))


def play(position: Any, action: str) -> Any:
    """The position after a legal action."""
    return _turns(position)[action]


def anything(rng: random.Random, position: Any, actions: list[str]) -> str:
    """Any turn, the pass like the others."""
    return rng.choice(actions)


def no_pass(rng: random.Random, position: Any, actions: list[str]) -> str:
    """Pass only with nothing else."""
    return rng.choice([a for a in actions if a != "pass"] or actions)


def drops(rng: random.Random, position: Any, actions: list[str]) -> str:
    """Move a sphere that carries another, where one can."""
    board = dict(position.board)
    found = [a for a in actions if "-" in a and reference.loads(board, a.split("-")[0])]
    return rng.choice(found) if found and rng.random() < 0.8 else no_pass(rng, position, actions)


def fill(rng: random.Random, position: Any, actions: list[str]) -> str:
    """Place wherever possible, highest first, so that the pyramid and the supply fill up."""
    places = [a for a in actions if "-" not in a and a != "pass"]
    climbs = [a for a in actions if "-" in a and a[-1] > a[3]]
    return rng.choice(places or climbs or actions)


def meet(rng: random.Random, position: Any, actions: list[str]) -> str:
    """Go for the opposing flag, so that games end by contact."""
    goal = {"W": ("A3/0", "B2/1", "C1/0"), "B": ("E7/0", "F6/1", "G5/0")}[position.side]
    found = [a for a in actions if a.endswith(goal) and "-" in a]
    return rng.choice(found or actions)


CHOOSERS = (anything, no_pass, drops, fill, meet)
