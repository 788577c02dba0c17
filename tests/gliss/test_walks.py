"""The walks of walks.py bring about all that they are for."""

from __future__ import annotations

import random
from collections import Counter
from types import SimpleNamespace
from typing import Any

from gliss import reference, walks


def walked(rng: random.Random, n: int, choose: Any) -> Counter[str]:
    """Count what happens in one walk of the reference."""
    found: Counter[str] = Counter()
    position = reference.parse(walks.start(rng, SimpleNamespace(options={"board_size": n})))
    while reference.result(position) is None:
        before, turn = position, ""
        while position.completed == before.completed:
            action = choose(rng, position, sorted(walks.decisions(position)))
            turn += action
            position = walks.play(position, action)
        found.update(walks.events(before, turn, position))
    found[walks.ending(position)] += 1
    return found


def test_walks_make_rare_things_happen() -> None:
    rng = random.Random(3)
    found: Counter[str] = Counter()
    for _ in range(3):
        for n in (12, 13):
            for choose in walks.CHOOSERS:
                found += walked(rng, n, choose)
    for event, least in {
        "build": 100,
        "fly out of a base": 100,
        "fly a free glider": 20,
        "a glider of a base off": 20,
        "a free glider off": 5,
        "a tower in the way of a landing": 20,
        "capture a free glider": 10,
        "1 on a base": 10,
        "two stones on a base, under the core": 5,
        "two stones on a base, under the arm": 5,
        "3 on a base": 5,
        "two shapes at once": 2,
        "capture and convert": 5,
        "convert": 5,
        "a conversion refused": 1,
        "dock at a friendly tower": 10,
        "the mover has no base": 2,
        "the other has no base": 2,
        "nobody has a base": 1,
        "twelve towers": 5,
        "no legal turn": 1,
    }.items():
        assert found[event] >= least, (event, found)
