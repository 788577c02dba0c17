"""Random walks over Gliss that make the rare things happen, for tests/lockstep.py.

`events` names what a turn did; test_walks.py counts that the walks bring about all of it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from gliss import reference

OPTIONS: list[dict[str, Any]] = [
    {"board_size": 12},
    {"board_size": 13},
    {"board_size": 16},
    {"board_size": 19},
    {"board_size": 12, "max_turns": 9},
]

Position = reference.Position


def decisions(position: Position) -> list[str]:
    """The legal actions."""
    return reference.actions(position)


def play(position: Position, action: str) -> Position:
    """The position after a legal action."""
    return reference.play(position, action)


# ---------------------------------------------------------------- where walks start


def start(rng: random.Random, game: Any) -> str:
    """Begin on the empty board, or in the middle of something."""
    n = game.options["board_size"]
    scene = rng.choice((empty, empty, scattered, scattered, crowded))
    return reference.text(scene(rng, n))


def empty(rng: random.Random, n: int) -> Position:
    """The first position."""
    return reference.start(n)


def scattered(rng: random.Random, n: int) -> Position:
    """Shapes of both colours anywhere, with a number of towers that may be near to twelve."""
    board = reference.vertices(n)
    stones: list[set[Any]] = [set(), set()]
    shapes = []
    for player in (0, 1):
        shapes += [(player, "base")] * rng.randint(1, n // 2)
        shapes += [(player, "glider")] * rng.randint(0, n // 2)
        shapes += [(player, "tower")] * rng.choice((0, 3, 6, 9, 10, 10, 11))
    for player, kind in shapes:
        for _ in range(20):
            block = sorted(reference.block((rng.randrange(n), rng.randrange(n))))
            rng.shuffle(block)
            shape = set(block[: {"base": 4, "glider": 3, "tower": 1}[kind]])
            near = {v for stone in shape for v in reference.neighbours(stone)}
            if shape <= board and not shape & (stones[0] | stones[1]) and not near & stones[player]:
                stones[player] |= shape
                break
    red, blue = map(frozenset, stones)
    return Position(n, red, blue, rng.randrange(2), None, rng.choice((0, 1, 2, 3, 20)))


def crowded(rng: random.Random, n: int) -> Position:
    """Bases of one colour packed so closely that the other can hardly build."""
    stones: set[Any] = set()
    for x in range(0, n - 1, 3):
        for y in range(0, n - 1, 3):
            if rng.random() < 0.97:
                stones |= reference.block((x, y))
    side = rng.randrange(2)
    sides = [frozenset(), frozenset(stones)]
    return Position(n, sides[side], sides[1 - side], side, None, rng.randrange(3))


# ---------------------------------------------------------------- what a turn did


def flight(position: Position, turn: str) -> tuple[Any, Any, Any]:
    """The core, its arms, and where it lands (None: off the board) of a turn that flies."""
    core, target = turn.removesuffix("*").split("-")
    vertex = reference.vertex_named(core)
    u = reference.movable(reference.sides(position)[0])[vertex]
    return vertex, u, None if target == "off" else reference.vertex_named(target)


def events(position: Position, turn: str, after: Position) -> Iterator[str]:
    """Name what a whole turn did, found by looking at the stones before and after."""
    own, enemy = reference.sides(position)
    bases, gliders, _ = reference.shapes(enemy)
    if turn.startswith("+"):
        yield "build"
        return
    core, u, target = flight(position, turn)
    free = any(core in glider for glider in reference.shapes(own)[1])
    yield "fly a free glider" if free else "fly out of a base"
    if target is None:
        yield "a free glider off" if free else "a glider of a base off"
        return
    under = reference.ell(target, u)
    dock = reference.dock(target, u)
    hit = [shape for shape in (*bases, *gliders) if shape & under]
    for shape in hit:
        if len(shape) == 3:
            yield "capture a free glider"
        elif len(shape & under) == 2:
            yield f"two stones on a base, under the {'arm' if turn.endswith('*') else 'core'}"
        else:
            yield f"{len(shape & under)} on a base"
    if len(hit) == 2:
        yield "two shapes at once"
    if dock in own:
        yield "dock at a friendly tower"
    if dock in enemy and dock in reference.sides(after)[1]:
        yield "convert" if frozenset({dock}) not in bases and not hit else "capture and convert"
    if dock in reference.shapes(reference.sides(after)[0])[2]:
        yield "a conversion refused"
    bare = enemy - reference.shapes(enemy)[2]
    without = replace(position, red=own, blue=bare)
    if position.side:
        without = replace(position, red=bare, blue=own)
    if {end for end, _ in reference.endings(without, core)} != {
        end for end, _ in reference.endings(position, core)
    }:
        yield "a tower in the way of a landing"


def ending(position: Position) -> str:
    """Name the reason of a result."""
    mine, theirs = (reference.shapes(stones) for stones in reference.sides(position))
    if position.completed >= reference.FIRST_TURN_JUDGED and not theirs[0]:
        return "the mover has no base" if mine[0] else "nobody has a base"
    if position.completed >= reference.FIRST_TURN_JUDGED and not mine[0]:
        return "the other has no base"
    if len(mine[2]) >= reference.TOWERS_TO_WIN:
        return "twelve towers"
    return "no legal turn"


# ---------------------------------------------------------------- how walks choose


def anything(rng: random.Random, position: Position, actions: list[str]) -> str:
    """Any action."""
    return rng.choice(actions)


def build(rng: random.Random, position: Position, actions: list[str]) -> str:
    """Build more often than not."""
    builds = [a for a in actions if a.startswith("+")]
    return rng.choice(builds if builds and rng.random() < 0.7 else actions)


def fly(rng: random.Random, position: Position, actions: list[str]) -> str:
    """Fly, and stay on the board."""
    if position.core is None and len(reference.shapes(reference.sides(position)[0])[0]) < 2:
        return build(rng, position, actions)
    flights = [a for a in actions if not a.startswith("+") and a != "-off"]
    return rng.choice(flights if flights and rng.random() < 0.9 else actions)


def crowd(rng: random.Random, position: Position, actions: list[str]) -> str:
    """Build row by row as closely as possible, then fly about in the crowd."""
    builds = [a for a in actions if a.startswith("+")]
    if builds and rng.random() < 0.9:
        return min(builds, key=lambda a: (int(a[2:]), a[1]))
    return rng.choice(actions)


def off(rng: random.Random, position: Position, actions: list[str]) -> str:
    """Leave the board where that does not lose at once."""
    bases = len(reference.shapes(reference.sides(position)[0])[0])
    if position.core is None:
        return build(rng, position, actions) if bases < 3 else fly(rng, position, actions)
    return "-off" if "-off" in actions and bases > 1 else rng.choice(actions)


def seek(
    wish: Callable[[Position, Position], float],
) -> Callable[[random.Random, Position, list[str]], str]:
    """Mostly choose a turn whose outcome is best by `wish`; looks at a few builds and gliders."""

    def choose(rng: random.Random, position: Position, actions: list[str]) -> str:
        if position.core is not None:
            found = {action: play(position, action) for action in actions}
        elif rng.random() < 0.2:
            return rng.choice(actions)
        else:
            found = _some_turns(rng, position, actions)
        value = {turn: wish(position, after) for turn, after in found.items()}
        highest = max(value.values())
        turn = rng.choice([turn for turn in value if value[turn] == highest])
        return turn if turn.startswith(("+", "-")) else turn.split("-")[0]

    choose.__doc__ = wish.__doc__
    return choose


def _some_turns(rng: random.Random, position: Position, actions: list[str]) -> dict[str, Position]:
    """Up to four builds, and all that up to six gliders can do."""
    builds = [action for action in actions if action.startswith("+")]
    cores = [action for action in actions if not action.startswith("+")]
    found = {a: play(position, a) for a in rng.sample(builds, min(4, len(builds)))}
    for core in rng.sample(cores, min(6, len(cores))):
        ends = reference.continuations(position, reference.vertex_named(core))
        found |= {core + end: after for end, after in ends.items()}
    return found


def _lost(position: Position, after: Position) -> bool:
    """Whether the mover has lost by the turn."""
    result = reference.result(after)
    return result is not None and result[position.side] < 0


def _won(position: Position, after: Position) -> bool:
    """Whether the mover has won by the turn."""
    result = reference.result(after)
    return result is not None and result[position.side] > 0


def captures(position: Position, after: Position) -> float:
    """Take as many stones as possible."""
    enemy = len(reference.sides(position)[1]) - len(reference.sides(after)[0])
    return -9 if _lost(position, after) else enemy


def towers(position: Position, after: Position) -> float:
    """Gather towers, and keep a base."""
    if _lost(position, after):
        return -9
    return len(reference.shapes(reference.sides(after)[1])[2])


def bases(position: Position, after: Position) -> float:
    """Gather bases by docking, at friendly and at enemy towers, rather than by building."""
    own, mine = reference.sides(position)[0], reference.sides(after)[1]
    if _lost(position, after):
        return -9
    docked = len(reference.shapes(mine)[0]) - len(reference.shapes(own)[0])
    return docked if len(mine) <= len(own) + 1 else 0.5


def wins(position: Position, after: Position) -> float:
    """Win at once, or lose no base."""
    return 9 if _won(position, after) else -_lost(position, after)


def ruin(position: Position, after: Position) -> float:
    """Empty the board of bases, the own ones included."""
    return -sum(len(reference.shapes(stones)[0]) for stones in reference.sides(after))


SEEKERS = tuple(seek(wish) for wish in (captures, towers, bases, wins, ruin))
CHOOSERS = (anything, build, fly, crowd, off, *SEEKERS)
