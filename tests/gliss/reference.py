"""Slow, plain reference implementation of Gliss, written from the numbered rulings alone.

It exists to be compared with the fast implementation, so it shares nothing with it: stones are
sets of (column, row) pairs counted from zero at the lower left, shapes are found by flood fill,
and flights by walking the board one step at a time. "L7" and so on name the ruling that a function
implements.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from types import MappingProxyType

RED, BLUE = 0, 1
SIDES = "RB"
MIN_SIZE, MAX_SIZE = 12, 19
TOWERS_TO_WIN = 12
FIRST_TURN_JUDGED = 3

Vertex = tuple[int, int]
Stones = frozenset[Vertex]


@dataclass(frozen=True)
class Position:
    """All that the rules need to know (L1): the stones, who moves, and how many turns are over.

    `core` is the core of the glider already chosen when a turn is half made, otherwise None.
    """

    n: int
    red: Stones
    blue: Stones
    side: int
    core: Vertex | None
    completed: int


def start(n: int = 12) -> Position:
    """The empty board, Red to move (L1)."""
    if not MIN_SIZE <= n <= MAX_SIZE:
        raise ValueError(f"board size {n}: must be {MIN_SIZE} to {MAX_SIZE}")
    return Position(n, frozenset(), frozenset(), RED, None, 0)


# Vertices, groups and shapes


@cache
def neighbours(vertex: Vertex) -> Stones:
    """The four vertices joined to this one by a line (L1).

    Some may lie outside the board. They never hold a stone, so nobody needs to filter them.
    """
    x, y = vertex
    return frozenset({(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)})


@cache
def vertices(n: int) -> Stones:
    """All vertices of the board (L1)."""
    return frozenset((x, y) for x in range(n) for y in range(n))


def group(stones, first: Vertex) -> Stones:
    """All stones orthogonally connected to `first`, by flood fill (L2)."""
    found = {first}
    waiting = [first]
    while waiting:
        new = (neighbours(waiting.pop()) & stones) - found
        found |= new
        waiting.extend(new)
    return frozenset(found)


def is_base(stones: Stones) -> bool:
    """Whether these stones are exactly a 2x2 block (L2)."""
    columns = {x for x, _ in stones}
    rows = {y for _, y in stones}
    return (
        len(stones) == 4
        and len(columns) == len(rows) == 2
        and max(columns) - min(columns) == 1
        and max(rows) - min(rows) == 1
    )


def is_glider(stones: Stones) -> bool:
    """Whether these stones are exactly an L of three, that is a 2x2 block short of one (L2)."""
    if len(stones) != 3:
        return False
    left, low = min(x for x, _ in stones), min(y for _, y in stones)
    return all(x - left <= 1 and y - low <= 1 for x, y in stones)


def shapes(stones) -> tuple[frozenset[Stones], frozenset[Stones], Stones]:
    """Sort one colour's stones into (bases, gliders, towers) (L2).

    Bases and gliders are sets of stones, a tower is its vertex. ValueError on any other group.
    """
    return _shapes(frozenset(stones))


@lru_cache(maxsize=1024)  # the same stones are looked at several times in one turn
def _shapes(stones: Stones) -> tuple[frozenset[Stones], frozenset[Stones], Stones]:
    """The work of `shapes` (L2)."""
    bases, gliders, towers = set(), set(), set()
    waiting = set(stones)
    while waiting:
        first = next(iter(waiting))
        found = group(stones, first)
        waiting -= found
        if len(found) == 1:
            towers.add(first)
        elif is_glider(found):
            gliders.add(found)
        elif is_base(found):
            bases.add(found)
        else:
            names = " ".join(name(vertex) for vertex in sorted(found))
            raise ValueError(f"{names}: not a base, a glider or a tower")
    return frozenset(bases), frozenset(gliders), frozenset(towers)


def opposite(base: Stones, vertex: Vertex) -> Vertex:
    """The stone of a base diagonally across from `vertex` (L5, L13)."""
    (far,) = base - neighbours(vertex) - {vertex}
    return far


def core_of(glider: Stones) -> Vertex:
    """The corner of an L: the one stone next to both others (L2)."""
    (core,) = [vertex for vertex in glider if len(neighbours(vertex) & glider) == 2]
    return core


def ell(core: Vertex, u: tuple[int, int]) -> Stones:
    """The three vertices of a glider with this core and these arm directions (L2)."""
    x, y = core
    return frozenset({(x, y), (x + u[0], y), (x, y + u[1])})


def dock(core: Vertex, u: tuple[int, int]) -> Vertex:
    """The vertex that completes the glider's 2x2 (L7)."""
    return core[0] + u[0], core[1] + u[1]


@lru_cache(maxsize=1024)
def movable(stones: Stones) -> Mapping[Vertex, tuple[int, int]]:
    """Every glider its owner could try to fly: the free ones and four in each base (L3, L5).

    The key is the core, the value (+1 or -1, +1 or -1) tells which way the horizontal and the
    vertical arm point from it.
    """
    bases, gliders, _ = shapes(stones)
    found = {}
    for base in bases:
        for core in base:
            far = opposite(base, core)
            found[core] = far[0] - core[0], far[1] - core[1]
    for glider in gliders:
        core = core_of(glider)
        dx, dy = (sum(vertex[i] - core[i] for vertex in glider) for i in (0, 1))
        found[core] = dx, dy
    return MappingProxyType(found)  # read only, because it is remembered


def sides(position: Position) -> tuple[Stones, Stones]:
    """The stones of the player to move, then those of the other (L1)."""
    if position.side == RED:
        return position.red, position.blue
    return position.blue, position.red


def after_turn(position: Position, own: Stones, enemy: Stones) -> Position:
    """The position when a turn has left these stones: the other player is to move (L4, L19)."""
    own, enemy = frozenset(own), frozenset(enemy)
    red, blue = (own, enemy) if position.side == RED else (enemy, own)
    return Position(position.n, red, blue, 1 - position.side, None, position.completed + 1)


# Building


def block(corner: Vertex) -> Stones:
    """The 2x2 block with this lower left vertex (L2, L4)."""
    x, y = corner
    return frozenset({(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)})


def builds(position: Position):
    """Yield the lower left vertex of each base that may be built (L4)."""
    own, enemy = sides(position)
    beside_own = {vertex for stone in own for vertex in neighbours(stone)}
    closed = own | enemy | beside_own
    for x in range(position.n - 1):
        for y in range(position.n - 1):
            if not block((x, y)) & closed:
                yield x, y


def build(position: Position, corner: Vertex) -> Position:
    """The position after building there (L4)."""
    own, enemy = sides(position)
    return after_turn(position, own | block(corner), enemy)


# Flying


def can_stop(rest: Stones, core: Vertex, u: tuple[int, int]) -> bool:
    """Whether the glider may come down here, as far as its own colour is concerned (L7).

    `rest` are the friendly stones without the flying ones. Put the L among them and look at the
    group it becomes part of: a lone L is fine, and so is a 2x2, whose fourth stone can then only
    have been a tower on the dock.
    """
    flying = ell(core, u)
    if rest & flying:
        return False
    joined = group(rest | flying, core)
    return joined == flying or is_base(joined)


def endings(position: Position, core: Vertex):
    """Fly the glider with this core in every possible way, breadth first (L5 to L11).

    Yield (landing core, steps) for each place where it may land, nearest first, and (None, steps)
    when it first leaves the board. A path goes on from a vertex only where the glider cannot stop.
    Where it can stop, the path ends: in a landing, or in nothing when an enemy tower stands in the
    way (L8). Other enemy stones are not looked at (L9). A vertex is visited once, whatever the
    path to it (L10), and leaving the board is one ending, whatever the direction (L11).
    """
    own, enemy = sides(position)
    u = movable(own)[core]
    rest = own - ell(core, u)
    enemy_towers = shapes(enemy)[2]
    board = vertices(position.n)
    off = False
    seen = {core}
    waiting = [(core, 0)]
    for (x, y), steps in waiting:  # the list grows while it is walked: a plain queue
        for target in ((x + u[0], y), (x, y + u[1])):
            if target in seen:
                continue
            seen.add(target)
            # The core and the dock are two far corners of the 2x2 around the glider.
            if target not in board or dock(target, u) not in board:
                if not off:
                    yield None, steps + 1
                off = True
            elif not can_stop(rest, target, u):
                waiting.append((target, steps + 1))
            elif not ell(target, u) & enemy_towers:
                yield target, steps + 1


def has_choice(enemy: Stones, under: Stones) -> bool:
    """Whether a landing on these vertices may take either of two gliders (L14)."""
    return any(len(base & under) == 2 for base in shapes(enemy)[0])


def captured(enemy: Stones, core: Vertex, u: tuple[int, int], under_arm: bool) -> set[Vertex]:
    """The enemy stones taken by a landing with the core there (L12 to L15)."""
    bases, gliders, _ = shapes(enemy)
    under = ell(core, u)
    gone = set()
    for glider in gliders:
        if glider & under:
            gone |= glider
    for base in bases:
        hit = base & under
        if len(hit) == 1:
            (lost_core,) = hit
        elif len(hit) == 2 and under_arm:
            (lost_core,) = hit - {core}
        elif hit:
            lost_core = core  # with three stones hit, the one across from it is on the dock
        else:
            continue
        gone |= base - {opposite(base, lost_core)}
    return gone


def land(position: Position, core: Vertex, target: Vertex, under_arm: bool = False) -> Position:
    """The position after the glider has landed with its core on `target` (L12 to L19)."""
    own, enemy = sides(position)
    u = movable(own)[core]
    own = own - ell(core, u)
    enemy = enemy - captured(enemy, target, u, under_arm)
    own = own | ell(target, u)
    last = dock(target, u)
    # A friendly tower on the dock needs nothing more (L16). An enemy one, perhaps just left by the
    # capture (L18), changes colour unless it would touch friends besides the two arms (L17).
    if last in shapes(enemy)[2] and neighbours(last) & own <= ell(target, u):
        enemy = enemy - {last}
        own = own | {last}
    return after_turn(position, own, enemy)


def fly_off(position: Position, core: Vertex) -> Position:
    """The position after the glider has left the board; a base leaves its fourth stone (L11)."""
    own, enemy = sides(position)
    return after_turn(position, own - ell(core, movable(own)[core]), enemy)


def continuations(position: Position, core: Vertex) -> dict[str, Position]:
    """Each way to finish a turn with this glider, and the position after it (L5 to L19)."""
    own, enemy = sides(position)
    u = movable(own)[core]
    found = {}
    for target, _ in endings(position, core):
        if target is None:
            found["-off"] = fly_off(position, core)
            continue
        found[f"-{name(target)}"] = land(position, core, target)
        if has_choice(enemy, ell(target, u)):
            found[f"-{name(target)}*"] = land(position, core, target, under_arm=True)
    return found


def can_fly(position: Position, core: Vertex) -> bool:
    """Whether the player to move has a glider with this core and a way to end its flight.

    (L3, L7, L8, L11)
    """
    if core not in movable(sides(position)[0]):
        return False
    return any(True for _ in endings(position, core))


# Playing


def actions(position: Position) -> list[str]:
    """The legal actions of this stage, sorted; none when the game is over (L4, L5, L20 to L22)."""
    return list(_actions(position))


@lru_cache(maxsize=1024)  # whoever plays an action has usually just asked for all of them
def _actions(position: Position) -> tuple[str, ...]:
    """The work of `actions` (L4, L5, L20 to L22)."""
    if result(position) is not None:
        return ()
    if position.core is not None:
        return tuple(sorted(continuations(position, position.core)))
    found = ["+" + name(corner) for corner in builds(position)]
    found += [name(core) for core in movable(sides(position)[0]) if can_fly(position, core)]
    return tuple(sorted(found))


def play(position: Position, action: str) -> Position:
    """The position after one legal action (L4 to L19). ValueError when it is not legal."""
    if action not in _actions(position):
        raise ValueError(f"{action!r} is not legal in {text(position)}")
    if position.core is not None:
        return continuations(position, position.core)[action]
    if action.startswith("+"):
        return build(position, vertex_named(action[1:]))
    core = vertex_named(action)
    return Position(
        position.n, position.red, position.blue, position.side, core, position.completed
    )


def turns(position: Position) -> dict[str, Position]:
    """Each legal whole turn and the position after it; the rest of a half-made turn (L4 to L22)."""
    if result(position) is not None:
        return {}
    if position.core is not None:
        found = continuations(position, position.core)
    else:
        found = {"+" + name(corner): build(position, corner) for corner in builds(position)}
        for core in movable(sides(position)[0]):
            for ending, after in continuations(position, core).items():
                found[name(core) + ending] = after
    return dict(sorted(found.items()))


def result(position: Position) -> tuple[int, int] | None:
    """Returns for Red and Blue when the rules have ended the game, otherwise None (L20 to L22).

    A half-made turn is never over: the tests belong between turns.
    """
    if position.core is not None:
        return None
    mover = 1 - position.side  # who made the last turn
    winner = None
    own, last_moved = (shapes(stones) for stones in sides(position))
    if position.completed >= FIRST_TURN_JUDGED and not last_moved[0]:
        winner = position.side
    elif position.completed >= FIRST_TURN_JUDGED and not own[0]:
        winner = mover
    elif len(own[2]) >= TOWERS_TO_WIN:
        winner = position.side
    elif not has_turn(position):
        winner = mover
    if winner is None:
        return None
    return (1, -1) if winner == RED else (-1, 1)


def has_turn(position: Position) -> bool:
    """Whether the player to move can build or fly at all (L22)."""
    if any(True for _ in builds(position)):
        return True
    return any(can_fly(position, core) for core in movable(sides(position)[0]))


def perft(position: Position, depth: int) -> int:
    """How many sequences of `depth` turns there are (L4 to L22).

    A game that ends sooner adds nothing.
    """
    if depth == 0:
        return 1
    return sum(perft(after, depth - 1) for after in turns(position).values())


# Text


def name(vertex: Vertex) -> str:
    """The name of a vertex, such as c4: letter of the column, number of the row (L1)."""
    return f"{chr(ord('a') + vertex[0])}{vertex[1] + 1}"


def vertex_named(text: str) -> Vertex:
    """The vertex with this name (L1)."""
    if not re.fullmatch("[a-s](?:[1-9]|1[0-9])", text):
        raise ValueError(f"{text!r} is not the name of a vertex")
    return ord(text[0]) - ord("a"), int(text[1:]) - 1


def parse(text: str) -> Position:
    """Read a position from its one-line text; ValueError names the bad field (L1, L2, L5)."""
    fields = text.split(" ")
    if len(fields) != 4:
        raise ValueError(f"{text!r}: four fields expected: board, side, chosen core, turns")
    board, side, chosen, completed = fields
    rows = board.split("/")
    n = len(rows)
    if not MIN_SIZE <= n <= MAX_SIZE:
        raise ValueError(f"board: {n} rows, must be {MIN_SIZE} to {MAX_SIZE}")
    stones = {"R": set(), "B": set()}
    for y, row in zip(reversed(range(n)), rows, strict=True):
        # Digits next to each other are one number, so runs of empties are as long as can be.
        if not re.fullmatch("(?:[RB]|[1-9][0-9]?(?![0-9]))+", row):
            raise ValueError(f"board: bad row {row!r}")
        x = 0
        for token in re.findall("[RB]|[0-9]+", row):
            if token in stones:
                stones[token].add((x, y))
                x += 1
            else:
                x += int(token)
        if x != n:
            raise ValueError(f"board: row {row!r} has {x} vertices, not {n}")
    for colour in stones:
        try:
            shapes(stones[colour])
        except ValueError as error:
            raise ValueError(f"board: {colour}: {error}") from None
    if side not in ("R", "B"):
        raise ValueError(f"side: {side!r}, must be R or B")
    if not re.fullmatch("0|[1-9][0-9]*", completed):
        raise ValueError(f"turns: {completed!r}, must be a whole number")
    position = Position(
        n,
        frozenset(stones["R"]),
        frozenset(stones["B"]),
        SIDES.index(side),
        None,
        int(completed),
    )
    if chosen == "-":
        return position
    try:
        core = vertex_named(chosen)
    except ValueError as error:
        raise ValueError(f"chosen core: {error}") from None
    if not can_fly(position, core):
        raise ValueError(f"chosen core: {chosen!r} names no glider of {side} that can fly")
    return Position(n, position.red, position.blue, position.side, core, position.completed)


def text(position: Position) -> str:
    """Write a position as one line: rows from the top, side, chosen core, turns (L1)."""
    rows = []
    for y in reversed(range(position.n)):
        row = ""
        empties = 0
        for x in range(position.n):
            stone = "R" if (x, y) in position.red else "B" if (x, y) in position.blue else ""
            if not stone:
                empties += 1
                continue
            row += (str(empties) if empties else "") + stone
            empties = 0
        rows.append(row + (str(empties) if empties else ""))
    chosen = "-" if position.core is None else name(position.core)
    return f"{'/'.join(rows)} {SIDES[position.side]} {chosen} {position.completed}"


# Why every game ends


def measure(position: Position) -> tuple[int, int, Fraction]:
    """The three quantities, both colours together, that show play cannot go on for ever (L23).

    They are: towers and bases; gliders and bases; and the sum of squares, in which a free glider
    counts for the difference between a base around it and a tower alone on its dock. So leaving a
    base and docking at a tower change nothing in themselves: only the steps do.
    """
    towers_and_bases = gliders_and_bases = 0
    squares = Fraction(0)
    for stones in (position.red, position.blue):
        bases, gliders, towers = shapes(stones)
        towers_and_bases += len(towers) + len(bases)
        gliders_and_bases += len(gliders) + len(bases)
        for x, y in towers:
            squares += x * x + y * y
        for base in bases:
            x, y = (Fraction(sum(vertex[i] for vertex in base), 4) for i in (0, 1))
            squares += x * x + y * y
        for glider in gliders:
            core = core_of(glider)
            u = movable(stones)[core]
            x, y = (core[i] + Fraction(u[i], 2) for i in (0, 1))
            squares += -(u[0] * x + u[1] * y) - Fraction(1, 2)
    return towers_and_bases, gliders_and_bases, squares


def steps_flown(position: Position, turn: str) -> int:
    """The steps of the flight in a whole turn that ends in a landing; none in a build (L7, L23).

    The steps come from the flight as it was walked, not from the distance between the two cores.
    """
    if turn.startswith("+"):
        return 0
    core, target = turn.removesuffix("*").split("-")
    if target == "off":
        raise ValueError(f"{turn!r} does not land")
    return dict(endings(position, vertex_named(core)))[vertex_named(target)]
