"""The rule book of Gliss as tests: one for each ruling L1-L23 of RULES.md, named after it.

Everything goes through the public interface. `at` makes a position from names of vertices; "+c4"
stands for a base with that lower left vertex. Before the third turn bases do not count (L20), so
most positions here have 0 turns completed and hold nothing but what a ruling is about.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gliss import reference

import ludarium

GAMES = {n: ludarium.load_game("gliss", board_size=n) for n in range(12, 20)}
RULES = Path(ludarium.gliss.__file__).with_name("RULES.md").read_text()
DIRECTIONS = list(itertools.product((1, -1), repeat=2))
Vertex = tuple[int, int]

# ---------------------------------------------------------------- reading and making positions


def named(name: str) -> Vertex:
    """Column and row of a name, from 0 at the lower left."""
    return ord(name[0]) - ord("a"), int(name[1:]) - 1


def name(vertex: Vertex) -> str:
    """The name of a vertex."""
    return f"{chr(ord('a') + vertex[0])}{vertex[1] + 1}"


def block(corner: Vertex) -> set[Vertex]:
    """The four vertices of a base with this lower left one."""
    return {(corner[0] + i, corner[1] + j) for i in (0, 1) for j in (0, 1)}


def ell(core: Vertex, u: Vertex) -> set[Vertex]:
    """The three vertices of a glider."""
    return {core, (core[0] + u[0], core[1]), (core[0], core[1] + u[1])}


def dock(core: Vertex, u: Vertex) -> Vertex:
    """The fourth vertex of its square."""
    return core[0] + u[0], core[1] + u[1]


def beside(stones: set[Vertex]) -> set[Vertex]:
    """All neighbours of some vertices."""
    steps = ((1, 0), (-1, 0), (0, 1), (0, -1))
    return {(x + i, y + j) for x, y in stones for i, j in steps} - stones


def stones_of(words: str) -> set[Vertex]:
    """The vertices of names, "+c4" being four of them."""
    found: set[Vertex] = set()
    for word in words.split():
        found |= block(named(word[1:])) if word[0] == "+" else {named(word)}
    return found


def text(
    red: set[Vertex],
    blue: set[Vertex],
    side: str = "R",
    core: str = "-",
    turns: int = 0,
    n: int = 12,
) -> str:
    """The line of text of a position."""
    rows = []
    for y in reversed(range(n)):
        row = "".join("R" if (x, y) in red else "B" if (x, y) in blue else "." for x in range(n))
        rows.append(re.sub(r"\.+", lambda run: str(len(run[0])), row))
    return f"{'/'.join(rows)} {side} {core} {turns}"


def at(
    red: str = "", blue: str = "", side: str = "R", core: str = "-", turns: int = 0, n: int = 12
) -> Any:
    """The state of a position."""
    line = text(stones_of(red), stones_of(blue), side, core, turns, n)
    return GAMES[n].state_from_string(line)


def board(state: Any) -> tuple[set[Vertex], set[Vertex]]:
    """The red and the blue stones of a state."""
    rows = state.to_string().split(" ")[0].split("/")
    found: tuple[set[Vertex], set[Vertex]] = (set(), set())
    for y, row in enumerate(reversed(rows)):
        x = 0
        for token in re.findall("[RB]|[0-9]+", row):
            if token in "RB":
                found["RB".index(token)].add((x, y))
                x += 1
            else:
                x += int(token)
    return found


def can(state: Any) -> set[str]:
    """The texts of the legal actions."""
    return {state.action_to_string(action) for action in state.legal_actions()}


def builds(state: Any) -> set[str]:
    """The bases that can be built, each by its lower left vertex."""
    return {action[1:] for action in can(state) if action[0] == "+"}


def cores(state: Any) -> set[str]:
    """The gliders that can be chosen."""
    return {action for action in can(state) if action[0] != "+"}


def play(state: Any, *actions: str) -> Any:
    """The state after some actions."""
    for action in actions:
        state = state.child(state.string_to_action(action))
    return state


def ends(state: Any, core: str) -> set[str]:
    """How the flight of a glider can end."""
    return can(play(state, core))


def after(state: Any, turn: str) -> tuple[set[Vertex], set[Vertex]]:
    """The stones after a whole turn that flies."""
    core, end = turn.split("-")
    return board(play(state, core, f"-{end}"))


def random_games(count: int, n: int, seed: int) -> Iterator[list[Any]]:
    """The positions before each turn of games that do not end at once, and the last one."""
    rng = random.Random(seed)
    for _ in range(count):
        state = GAMES[n].new_initial_state()
        states = [state]
        while not state.is_terminal():
            found = dict(ludarium.turns(state))
            player = state.current_player()
            safe = [t for t, s in found.items() if not s.is_terminal() or s.returns()[player] > 0]
            flights = [t for t in safe if t[0] != "+" and not t.endswith("-off")]
            pool = flights if flights and rng.random() < 0.7 else safe or list(found)
            state = found[rng.choice(pool)]
            states.append(state)
        yield states


# ---------------------------------------------------------------- shapes


def test_L1_board() -> None:
    """12 to 19 lines, empty, Red first; no letter is skipped; a diagonal is no contact."""
    for n, game in GAMES.items():
        state = game.new_initial_state()
        assert state.to_string() == "/".join([str(n)] * n) + " R - 0"
        assert state.current_player() == 0
        assert builds(state) == {name((x, y)) for x in range(n - 1) for y in range(n - 1)}
        last = f"{'abcdefghijklmnopqrs'[n - 2]}{n - 1}"
        assert board(play(state, f"+{last}"))[0] == block((n - 2, n - 2))
    assert {"i11", "j11"} <= builds(GAMES[12].new_initial_state())
    for bad in (11, 20, 0, -12, 12.5, "13", True, None):
        with pytest.raises(ValueError, match="board_size is an int, 12 to 19"):
            ludarium.load_game("gliss", board_size=bad)
    assert ludarium.load_game("gliss").options["board_size"] == 12
    diagonal = at("c3 d4 e3 e5")  # four towers
    assert cores(diagonal) == set()
    # stones do not run out: two hundred of one colour
    crowd = {v for x in range(0, 18, 3) for y in range(0, 18, 3) for v in block((x, y))}
    crowd |= {v for x in range(0, 18, 3) for v in [(x, 18)]}
    full = GAMES[19].state_from_string(text(crowd, set(), n=19))
    assert len(board(full)[0]) > 140 and can(full)


def polyominoes(size: int) -> set[frozenset[Vertex]]:
    """All connected groups of so many vertices around (5, 5)."""
    found = {frozenset({(5, 5)})}
    for _ in range(size - 1):
        found = {group | {v} for group in found for v in beside(set(group))}
    return found


def test_L2_shapes() -> None:
    """A connected group is a base, a glider or a tower, or the text is refused."""
    accepted = dict.fromkeys(range(1, 6), 0)
    for size in accepted:
        for group in polyominoes(size):
            xs, ys = {x for x, _ in group}, {y for _, y in group}
            square = len(xs) == len(ys) == 2
            line = text(set(group), set())
            if size == 1 or (square and size in (3, 4)):
                assert GAMES[12].state_from_string(line).to_string() == line
                accepted[size] += 1
            else:
                with pytest.raises(ValueError, match=r"board, Red's .*: not a base, a glider"):
                    GAMES[12].state_from_string(line)
                blue = text(set(), set(group))
                with pytest.raises(ValueError, match=r"board, Blue's .*: not a base, a glider"):
                    GAMES[12].state_from_string(blue)
    # every place of a tower, of four gliders and of a base that covers (5, 5)
    assert accepted == {1: 1, 2: 0, 3: 12, 4: 4, 5: 0}
    # the other colour does not matter: a red base with a blue one at its side, and a mixed square
    both = at("+c3 f7 g8", "+e3 f8 g7")
    assert {"c3", "d3", "c4", "d4"} == cores(both)
    planes = both.observation_tensor(0)
    assert planes[:, :, [0, 3, 4, 7]].sum((0, 1)).tolist() == [4, 2, 4, 2]


def test_L3_a_core_names_its_glider() -> None:
    """A free glider is named by its corner, each stone of a base is the core of one glider."""
    for u in DIRECTIONS:
        glider = ell((5, 5), u)
        state = GAMES[12].state_from_string(text(glider, set()))
        assert cores(state) == {name((5, 5))}
    assert cores(at("+e5")) == {"e5", "f5", "e6", "f6"}
    for core, far in (("e5", "f6"), ("f5", "e6"), ("e6", "f5"), ("f6", "e5")):
        state = play(at("+e5"), core)
        shown = {
            name((int(j), 11 - int(i)))
            for i, j in zip(*state.observation_tensor(0)[:, :, 8].nonzero(), strict=True)
        }
        assert shown == {"e5", "f5", "e6", "f6"} - {far}
    # a tower is nobody's core
    assert cores(at("e5 +h8")) == {"h8", "i8", "h9", "i9"}


# ---------------------------------------------------------------- a turn


def test_L4_building() -> None:
    """On four empty vertices, none beside a friend; diagonals and enemies do not matter."""
    state = at("+e5", "+h5")
    closed = block((4, 4)) | beside(block((4, 4))) | block((7, 4))
    assert builds(state) == {
        name((x, y)) for x in range(11) for y in range(11) if not block((x, y)) & closed
    }
    assert {"g7", "c3", "j5", "f3"} - builds(state) == {"f3"}
    red, blue = board(play(state, "+j5"))
    assert (red, blue) == (block((4, 4)) | block((9, 4)), block((7, 4)))
    # beside a glider and a tower too, and for Blue
    state = at("+e5", "c3 d3 c4 j9", side="B")
    closed = stones_of("+e5 c3 d3 c4 j9") | beside(stones_of("c3 d3 c4 j9"))
    assert builds(state) == {
        name((x, y)) for x in range(11) for y in range(11) if not block((x, y)) & closed
    }


def test_L5_flying() -> None:
    """The glider is lifted and flies; a base leaves its fourth stone as a tower. No pass."""
    base = at("+e5")
    for u, core in (((1, 1), "e5"), ((-1, 1), "f5"), ((1, -1), "e6"), ((-1, -1), "f6")):
        rest = dock(named(core), u)
        target = named(core)[0] + 3 * u[0], named(core)[1]
        red, _ = after(base, f"{core}-{name(target)}")
        assert red == {rest} | ell(target, u)
    free = at("e5 f5 e6")
    assert after(free, "e5-f5")[0] == ell((5, 4), (1, 1))
    # lifted stones are not in the way of themselves; the one that stays is (L10 counts on it)
    assert ends(free, "e5") == {"-f5", "-e6"}
    assert "-f5" not in ends(base, "e5")
    for states in random_games(3, 12, seed=5):
        for state in states[:-1]:
            assert all(re.fullmatch(r"\+?[a-l]\d+", action) for action in can(state))
            for core in cores(state):
                assert all(re.fullmatch(r"-([a-l]\d+\*?|off)", end) for end in ends(state, core))


def test_L6_steps() -> None:
    """Along either arm, in any order, without turning the L."""
    # d4 cannot stop on e4, f4, g4 or h4: straight on to i4, or up from any of them
    state = at("d4 e4 d5 g4")
    assert ends(state, "d4") == {"-d5", "-e5", "-f6", "-g6", "-h5", "-i4"}
    for u in DIRECTIONS:
        core = (5, 5)
        lone = GAMES[12].state_from_string(text(ell(core, u), set()))
        targets = {(5 + u[0], 5), (5, 5 + u[1])}
        assert ends(lone, name(core)) == {f"-{name(v)}" for v in targets}
        for target in targets:
            assert after(lone, f"{name(core)}-{name(target)}")[0] == ell(target, u)


def test_L7_where_a_flight_ends() -> None:
    """It goes on over friends and beside them, and stops where it may, docked or alone."""
    # the arm would touch the tower on h4 from f4, so e4 is the first place to stop, and the end
    assert ends(at("d4 e4 d5 h4"), "d4") == {"-d5", "-e4"}
    # g4 holds the L off e4, f4, g4 and h4: touched or covered
    assert "-i4" in ends(at("d4 e4 d5 g4"), "d4")
    assert not {"-e4", "-f4", "-g4", "-h4"} & ends(at("d4 e4 d5 g4"), "d4")
    # a tower on the dock of e4 lets it stop there, and makes it a base
    assert after(at("d4 e4 d5 f5"), "d4-e4")[0] == block((4, 3))
    # a base or a glider there does not: its other stones would belong to the group
    assert "-e4" not in ends(at("d4 e4 d5 +f5"), "d4")
    assert "-e4" not in ends(at("d4 e4 d5 f5 g5 g6"), "d4")
    # nor does a tower on the dock with another one beside the L
    assert "-e4" not in ends(at("d4 e4 d5 f5 f3"), "d4")
    # at least one step: no flight ends where it began
    for states in random_games(3, 12, seed=7):
        for state in states[:-1]:
            for core in cores(state):
                assert not {f"-{core}", f"-{core}*"} & ends(state, core)


def test_L8_towers_shield() -> None:
    """No landing upon an enemy tower, and no flying on from there."""
    landings = {end[1:] for end in ends(at("+d4"), "d4")}
    for x, y in itertools.product(range(12), repeat=2):
        if (x, y) not in block((3, 3)):
            shielded = {v for v in landings if (x, y) in ell(named(v), (1, 1))}
            assert ends(at("+d4", name((x, y))), "d4") == {f"-{v}" for v in landings - shielded}
    free = "d4 e4 d5"
    assert ends(at(free), "d4") == {"-d5", "-e4"}
    assert ends(at(free, "f4"), "d4") == {"-d5"}
    assert ends(at(free, "d6"), "d4") == {"-e4"}
    for blue in ("f4 d6", "e5"):  # both ways shut: it cannot even be chosen
        assert cores(at(free, blue)) == set()
        line = at(free, blue).to_string().replace(" - ", " d4 ")
        with pytest.raises(ValueError, match="chosen core 'd4': this glider cannot fly"):
            GAMES[12].state_from_string(line)
    # a friendly dock does not help
    assert ends(at(f"{free} f5"), "d4") >= {"-e4"}
    assert "-e4" not in ends(at(f"{free} f5", "f4"), "d4")


def test_L9_enemies_in_passing() -> None:
    """Enemies on the way change nothing: all flights of random games, with and without them."""
    for blue in ("f4 g5 h5 g6", "+e5"):  # under the L on its way to i4
        state = at("d4 e4 d5 g4", blue)
        assert ends(state, "d4") == ends(at("d4 e4 d5 g4"), "d4")
        assert after(state, "d4-i4") == (stones_of("g4 i4 j4 i5"), stones_of(blue))
    for states in random_games(3, 12, seed=9):
        for state in states[:-1]:
            mover = state.current_player()
            sides = [set(stones) for stones in board(state)]
            towers = {v for v in sides[1 - mover] if not beside({v}) & sides[1 - mover]}
            sides[1 - mover] = set()
            alone = GAMES[12].state_from_string(text(*sides, side="RB"[mover]))
            for core in cores(alone):
                u = reference.movable(frozenset(sides[mover]))[named(core)]
                want = {
                    end
                    for end in ends(alone, core)
                    if end == "-off" or not ell(named(end[1:]), u) & towers
                }
                assert (core in cores(state)) == bool(want)
                if want:
                    assert {end.rstrip("*") for end in ends(state, core)} == want


def test_L10_paths() -> None:
    """A lone base gives each glider five landings, whatever the path; none is listed twice."""
    for u in DIRECTIONS:
        home = block((9, 9))
        (core,) = [v for v in home if ell(v, u) <= home]
        state = GAMES[19].state_from_string(text(home, set(), n=19))
        landings = {
            name((core[0] + dx * u[0], core[1] + dy * u[1]))
            for dx, dy in ((0, 3), (1, 3), (2, 2), (3, 1), (3, 0))
        }
        assert ends(state, name(core)) == {f"-{v}" for v in landings}
        assert len(play(state, name(core)).legal_actions()) == 5


def test_L11_off_the_board() -> None:
    """Over the edge in whatever way: one move, beside landings too; a base leaves a tower."""
    # k5 goes over the right edge with its first step, or up to k8
    state = at("+k5")
    assert ends(state, "k5") == {"-k8", "-off"}
    assert after(state, "k5-off")[0] == {named("l6")}
    # a free glider: nothing is left
    assert ends(at("k11 l11 k12"), "k11") == {"-off"}
    assert after(at("k11 l11 k12"), "k11-off")[0] == set()
    # arms that point inwards lead nowhere near an edge
    assert ends(at("l12 k12 l11"), "l12") == {"-k12", "-l11"}
    # later: own towers carry it on to the edge
    assert "-off" in ends(at("f4 g4 f5 i4 k4 l6"), "f4")
    assert "-off" not in ends(at("f4 g4 f5 i4"), "f4")


# ---------------------------------------------------------------- capture


def test_L12_free_gliders() -> None:
    """Landing on any stone of a free glider takes all three; towers cannot be landed on."""
    for u in DIRECTIONS:
        for glider_core in itertools.product(range(4, 9), repeat=2):
            glider = ell(glider_core, u)
            under = ell((7, 4), (1, 1))  # where e5 of the base +e5 lands on h5
            if glider & stones_of("+e5"):
                continue
            state = GAMES[12].state_from_string(text(stones_of("+e5"), glider))
            _, blue = after(state, "e5-h5")
            assert blue == (set() if glider & under else glider)
    assert "-h5" not in ends(at("+e5", "h5"), "e5")


def test_L13_bases() -> None:
    """One stone of a base hit: it is the core of what is taken; the stone across from it stays."""
    under = stones_of("h5 i5 h6")
    for corner, hit, left in (("g4", "h5", "g4"), ("i4", "i5", "j4"), ("g6", "h6", "g7")):
        assert block(named(corner)) & under == {named(hit)}
        assert after(at("+e5", f"+{corner}"), "e5-h5")[1] == {named(left)}
    # a base on the dock is not hit
    assert after(at("+e5", "+i6"), "e5-h5")[1] == block(named("i6"))


def shapes_hit(under: set[Vertex]) -> list[set[Vertex]]:
    """Every base and every glider with a stone on these vertices."""
    corners = {(x - i, y - j) for x, y in under for i in (0, 1) for j in (0, 1)}
    blocks = [block(corner) for corner in sorted(corners)]
    gliders = {frozenset(square - {v}) for square in blocks for v in square}
    return blocks + [set(g) for g in sorted(gliders, key=sorted) if g & under]


def expected(shape: set[Vertex], under: set[Vertex], core: Vertex, star: bool) -> set[Vertex]:
    """What a landing leaves of a shape (L12-L14)."""
    hit = shape & under
    if not hit:
        return shape
    if len(shape) == 3:
        return set()
    if len(hit) == 1:
        (taken,) = hit
    else:
        taken = next(iter(hit - {core})) if star else core
    return shape - {taken} - beside({taken})


@pytest.mark.parametrize("u", DIRECTIONS)
@pytest.mark.parametrize("axis", [0, 1])
def test_L14_a_choice(u: Vertex, axis: int) -> None:
    """Every arrangement of one and two shapes under a landing, by enumeration."""
    home = block((5, 5))
    (core,) = [v for v in home if ell(v, u) <= home]
    target = (core[0] + (3 - 3 * axis) * u[0], core[1] + 3 * axis * u[1])
    under, last = ell(target, u), dock(target, u)
    fourth = dock(core, u)
    everything = [shape for shape in shapes_hit(under) if not shape & home]
    pairs = [(a, b) for a, b in itertools.combinations(everything, 2) if not (a | beside(a)) & b]
    choices, hits = 0, [(shape,) for shape in everything] + pairs
    for arrangement in hits:
        blue = set().union(*arrangement)
        state = GAMES[12].state_from_string(text(home, blue))
        found = ends(state, name(core))
        twos = [s for s in arrangement if len(s) == 4 and len(s & under) == 2]
        assert (f"-{name(target)}*" in found) == bool(twos)
        for star in ("", "*") if twos else ("",):
            left = set().union(*(expected(s, under, target, bool(star)) for s in arrangement))
            mine = {fourth} | under
            if left == {last}:  # what three stones leave is converted (L18)
                mine, left = mine | {last}, set()
            assert after(state, f"{name(core)}-{name(target)}{star}") == (mine, left)
        if twos:
            choices += 1
            (both,) = twos
            assert target in both and len(arrangement) == 1  # the core and an arm; nothing else
        if len(arrangement) == 2:
            assert all(len(shape & under) == 1 and target not in shape for shape in arrangement)
    assert choices == 2
    # never three
    for a, b in pairs:
        others = [c for c in everything if not (a | beside(a) | b | beside(b)) & c]
        assert others == []


def test_L15_no_declining() -> None:
    """Whatever is landed on is gone: in every turn of random games."""
    captures = 0
    for states in random_games(6, 12, seed=15):
        for state in states[:-1]:
            mover = state.current_player()
            foe = board(state)[1 - mover]
            for turn, end in ludarium.turns(state):
                if turn[0] == "+" or turn.endswith("-off"):
                    assert board(end)[1 - mover] == foe
                    continue
                landed = board(end)[mover] - board(state)[mover]
                if landed & foe:
                    assert len(foe) - len(board(end)[1 - mover]) >= 1
                    assert not landed & board(end)[1 - mover]
                    captures += 1
    assert captures > 20


# ---------------------------------------------------------------- docking


def test_L16_friendly_tower() -> None:
    """It completes a base."""
    for u in DIRECTIONS:
        core, target = (5, 5), (5 + u[0], 5)
        last = dock(target, u)
        state = GAMES[12].state_from_string(text(ell(core, u) | {last}, set()))
        red, _ = after(state, f"{name(core)}-{name(target)}")
        assert red == ell(target, u) | {last}
        shown = play(state, name(core), f"-{name(target)}").observation_tensor(0)
        assert shown[:, :, :4].sum((0, 1)).tolist() == [4, 0, 0, 0]


def test_L17_enemy_tower() -> None:
    """It is converted, unless it would touch a further friend; no other shape is."""
    free = "d4 e4 d5"
    assert after(at(free, "f5"), "d4-e4") == (block((4, 3)), set())
    for friend in ("g5", "f6"):
        assert after(at(f"{free} {friend}", "f5"), "d4-e4") == (
            stones_of(f"e4 f4 e5 {friend}"),
            {named("f5")},
        )
    # a friend diagonally across is no contact
    assert after(at(f"{free} g6", "f5"), "d4-e4") == (block((4, 3)) | {named("g6")}, set())
    for blue in ("+f5", "f5 g5 f6", "f5 f6 g6"):  # a base, a core, an arm on the dock
        assert after(at(free, blue), "d4-e4") == (stones_of("e4 f4 e5"), stones_of(blue))
    # it is not optional: one landing there, and no other text for it
    assert ends(at(free, "f5"), "d4") == {"-e4", "-d5"}


def test_L18_a_tower_just_left() -> None:
    """Three stones on a base: the fourth is on the dock and is converted, or touches a friend."""
    state = at("+e5", "+h5")
    assert after(state, "e5-h5") == (stones_of("f6") | block((7, 4)), set())
    refused = at("+e5 j6", "+h5")
    assert after(refused, "e5-h5") == (stones_of("f6 j6 h5 i5 h6"), {named("i6")})
    # a capture by one arm can leave a tower elsewhere, which is nothing to this landing
    assert after(at("+e5", "+i4"), "e5-h5")[1] == {named("j4")}


def test_L19_order() -> None:
    """Lift, fly, take, put down, convert: each step sees what the one before has left."""
    # lifted before it flies: the glider may land where its own arm stood
    assert after(at("e5 f5 e6"), "e5-f5")[0] == stones_of("f5 g5 f6")
    # taken before it is put down and converts: the dock's tower was part of a base until then
    assert after(at("+e5", "+h5"), "e5-h5")[1] == set()
    # put down before it converts: the fourth stone of the own base is a friend of the dock
    own = at("+e5 j6", "+h5")
    assert named("i6") in after(own, "e5-h5")[1]


# ---------------------------------------------------------------- the end


def test_L20_bases() -> None:
    """From the third turn on: without a base the mover loses; else the other, without one, does."""
    for turns in range(6):
        checked = turns >= 3
        # with Blue to move Red has made the last turn
        for red, blue, winner in (
            ("+c3", "h8", 0),
            ("c3", "+h8", 1),
            ("c3", "h8", 1),
            ("+c3", "+h8", None),
        ):
            state = at(red, blue, side="B", turns=turns)
            over = checked and winner is not None
            assert state.is_terminal() == over
            score = 1.0 if winner == 0 else -1.0
            assert state.returns() == ([score, -score] if over else [0.0, 0.0])
            mirrored = at(blue, red, side="R", turns=turns)
            assert mirrored.returns() == state.returns()[::-1]
    # by play: the last base flies off the board in the third turn, and in the first
    lost = play(at("+k5", "+c3", turns=2), "k5", "-off")
    assert lost.returns() == [-1.0, 1.0]
    assert not play(at("+k5", "+c3", turns=1), "k5", "-off").is_terminal()
    # the opponent's last base is taken; and taken by the own last one, docked as a base again
    assert play(at("+e5 +a1", "+i4", turns=8), "e5", "-h5").returns() == [1.0, -1.0]
    assert play(at("+e5", "+h5", turns=8), "e5", "-h5").returns() == [1.0, -1.0]
    assert play(at("+e5", "+i4", turns=8), "e5", "-h5").returns() == [-1.0, 1.0]


def test_L21_twelve_towers() -> None:
    """At the start of the own turn, after L20."""
    towers = [f"{column}{row}" for row in (8, 10, 12) for column in "aceg"]
    twelve, eleven = " ".join(towers), " ".join(towers[1:])
    for turns in (0, 1, 20):
        assert at(f"+c3 {twelve}", "+h3", turns=turns).returns() == [1.0, -1.0]
        assert not at(f"+c3 {eleven}", "+h3", turns=turns).is_terminal()
        assert not at(f"+c3 {twelve}", "+h3", side="B", turns=turns).is_terminal()
        assert at("+h3", f"+c3 {twelve}", side="B", turns=turns).returns() == [-1.0, 1.0]
    assert at(twelve, "+h3", turns=20).returns() == [-1.0, 1.0]  # L20 comes first
    # the opponent hands over the twelfth by a capture from a base
    handed = play(at("+e2 +a1", f"+i1 +k6 {eleven}", turns=20), "e2", "-h2")
    assert named("j1") in board(handed)[1]
    assert handed.returns() == [-1.0, 1.0]
    # a half-made turn is not tested
    half = at(f"+c3 {twelve}", "+h3", core="c3", turns=20)
    assert not half.is_terminal() and half.legal_actions()


def test_L22_no_move() -> None:
    """Who can neither build nor fly loses."""
    # nowhere two empty rows or columns side by side
    packed = ["12", "BB1BB1BB1BB1", "BB1BB1BB1BB1"]
    line = "/".join(packed * 4)
    state = GAMES[12].state_from_string(f"{line} R - 2")
    assert state.is_terminal() and state.returns() == [-1.0, 1.0] and state.legal_actions() == []
    assert not GAMES[12].state_from_string(f"{line} B - 2").is_terminal()
    # with a glider that can fly the game goes on; shut in by towers it is lost
    rows = "/".join(packed * 3)
    state = GAMES[12].state_from_string(f"{rows}/12/R2B1B1B1B1B/RR2B1B1B1B1 R - 2")
    assert not state.is_terminal() and can(state) == {"a1"}
    state = GAMES[12].state_from_string(f"{rows}/12/RB1B1B1B1B1B/RRB1B1B1B1B1 R - 2")
    assert state.is_terminal() and state.returns() == [-1.0, 1.0]


def test_L22_comes_before_max_turns() -> None:
    """A player without a move has lost even when the last turn has been made."""
    line = "/".join(["12", "BB1BB1BB1BB1", "BB1BB1BB1BB1"] * 4)
    game = ludarium.load_game("gliss", max_turns=2)
    state = game.state_from_string(f"{line} R - 2")
    assert state.returns() == [-1.0, 1.0] and not state.is_truncated()
    assert game.state_from_string(f"{line} B - 2").is_truncated()


@pytest.mark.parametrize(("n", "games"), [(12, 4), (13, 3), (16, 2), (19, 1)])
def test_L23_no_draw(n: int, games: int) -> None:
    """No position comes back: the measure changes as the ruling says, in turns of all kinds."""
    kinds = set()
    rng = random.Random(n)
    for states in random_games(games, n, seed=n):
        assert sorted(states[-1].returns()) == [-1.0, 1.0]
        boards = {state.to_string().split(" ")[0] for state in states}
        assert len(boards) == len(states)
        for state in states[:-1]:
            position = reference.parse(state.to_string())
            structures, flyers, squares = reference.measure(position)
            mover = state.current_player()
            found = list(ludarium.turns(state))
            for turn, end in rng.sample(found, min(30, len(found))):
                now = reference.measure(reference.parse(end.to_string()))
                kind, captures = kind_of(turn, state, end, mover)
                kinds.add((kind, captures))
                assert now[0] == structures + (kind == "build")
                if kind == "build":
                    continue
                assert now[1] == flyers - captures - (kind == "off")
                if kind == "land" and not captures:
                    core, target = (named(v) for v in turn.rstrip("*").split("-"))
                    steps = abs(core[0] - target[0]) + abs(core[1] - target[1])
                    assert now[2] == squares - steps < squares
    assert {("build", 0), ("land", 0), ("land", 1), ("off", 0)} <= kinds


def kind_of(turn: str, state: Any, end: Any, mover: int) -> tuple[str, int]:
    """What kind of turn it was, and how many gliders it took."""
    lost = len(board(state)[1 - mover]) - len(board(end)[1 - mover])
    if turn[0] == "+" or turn.endswith("-off"):
        assert lost == 0
        return "build" if turn[0] == "+" else "off", 0
    captures, converted = divmod(lost, 3)
    assert converted == len(board(end)[mover]) - len(board(state)[mover])
    return "land", captures


# ---------------------------------------------------------------- the tables of RULES.md


def table(heading: str) -> list[list[str]]:
    """The rows of the tables below a heading."""
    section = RULES.split(f"\n{heading}\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_every_ruling_has_its_test() -> None:
    rulings = re.findall(r"^- \*\*(L\d+)\*\*", RULES, re.MULTILINE)
    assert rulings == [f"L{k}" for k in range(1, 24)]
    for ruling in rulings:
        assert any(function.startswith(f"test_{ruling}_") for function in globals()), ruling


def test_diagram_of_the_rules() -> None:
    drawn = RULES.split("```\n")[1].splitlines()
    (position,) = re.findall(r"^(\S+/\S+ R - 8)$", RULES, re.MULTILINE)
    shown = str(GAMES[12].state_from_string(position)).splitlines()
    assert [line[:27] for line in drawn] == [line[:27] for line in shown[:13]]


def test_action_tables() -> None:
    examples = [row for row in table("## Actions") if re.fullmatch("`.* [RB] .*`", row[0])]
    assert len(examples) == 9
    for position, action, number in examples:
        state = GAMES[12].state_from_string(position.strip("`"))
        assert state.string_to_action(action.strip("`")) == int(number)
        assert state.action_to_string(int(number)) == action.strip("`")


@pytest.mark.parametrize("n", [12, 13, 16, 19])
def test_actions_are_numbered_as_the_table_says(n: int) -> None:
    """Every legal action of random games, for both players, from its text alone."""
    assert GAMES[n].num_distinct_actions == 4 * n * n + 1
    seen = set()
    for states in random_games(2, n, seed=n):
        for state in states[:-1]:
            blue = state.current_player() == 1
            for first in [state, *(play(state, core) for core in sorted(cores(state))[::5])]:
                for number in first.legal_actions():
                    action = first.action_to_string(number)
                    seen.add((re.sub(r"[a-s]\d+", "v", action), blue))
                    if action == "-off":
                        assert number == 4 * n * n
                        continue
                    x, y = named(action.strip("+-*"))
                    plane = 0 if action[0] == "+" else 2 + ("*" in action) if "-" in action else 1
                    if blue and plane == 0:
                        x, y = x + 1, y + 1  # the corner that Blue sees at the lower left
                    row, column = (y, n - 1 - x) if blue else (n - 1 - y, x)
                    assert number == plane * n * n + row * n + column
                assert first.stage() == ("choose" if first is state else "land")
    assert {kind for kind, _ in seen} >= {"+v", "v", "-v", "-v*", "-off"}


TOWER_PLANES = {"my": (11,), "their": (11, 12)}


def test_plane_table() -> None:
    rows = table("## Observation planes")[2:]
    assert [(int(row[0]), row[1]) for row in rows] == list(enumerate(GAMES[12].observation_planes))
    for n, game in GAMES.items():
        assert game.observation_shape == (n, n, len(rows))


@pytest.mark.parametrize("n", [12, 13, 16, 19])
def test_planes_show_what_the_table_says(n: int) -> None:
    """Both players' observations of random games, whole and half-made turns, from the text."""
    names = GAMES[n].observation_planes
    for states in random_games(2, n, seed=100 + n):
        for state in states:
            half = [play(state, core) for core in sorted(cores(state))[:2]]
            for shown in (state, *half):
                for player in (0, 1):
                    planes = shown.observation_tensor(player)
                    want = planes_by_text(shown, player, n)
                    assert set(want) == set(names)
                    for channel, plane in enumerate(names):
                        ones = {
                            (int(i), int(j))
                            for i, j in zip(*planes[:, :, channel].nonzero(), strict=True)
                        }
                        assert ones == want[plane], (shown.to_string(), player, plane)
                    assert planes.max() == 1 and planes.min() == 0


def planes_by_text(state: Any, player: int, n: int) -> dict[str, set[Vertex]]:
    """The ones of each plane, found from the text by the reference."""
    position = reference.parse(state.to_string())
    colours = (position.red, position.blue)
    everywhere = {(i, j) for i in range(n) for j in range(n)}
    found: dict[str, set[Vertex]] = {}

    def seen(stones: Any) -> set[Vertex]:
        return {(y, n - 1 - x) if player else (n - 1 - y, x) for x, y in stones}

    def flag(plane: str, on: bool) -> None:
        found[plane] = everywhere if on else set()

    for whose, colour in (("my", player), ("their", 1 - player)):
        bases, gliders, towers = reference.shapes(colours[colour])
        heads = {reference.core_of(glider) for glider in gliders}
        found[f"{whose} bases"] = seen(frozenset().union(*bases))
        found[f"{whose} glider cores"] = seen(heads)
        found[f"{whose} glider arms"] = seen(frozenset().union(*gliders) - heads)
        found[f"{whose} towers"] = seen(towers)
        for number in TOWER_PLANES[whose]:
            flag(f"{whose} towers >= {number}", len(towers) >= number)
    core = position.core
    found["the chosen glider"] = set()
    if core is not None:
        u = reference.movable(colours[position.side])[core]
        found["the chosen glider"] = seen(reference.ell(core, u))
    flag("fewer than 2 turns are completed", position.completed < 2)
    flag("10 turns or fewer to max_turns", 3 * n * n - position.completed <= 10)
    flag("I am to move", state.current_player() == player)
    flag("ones", True)
    return found


@pytest.mark.parametrize("towers", range(9, 15))
def test_tower_planes(towers: int) -> None:
    names = GAMES[12].observation_planes
    words = [f"{column}{row}" for row in (8, 10, 12) for column in "acegi"][:towers]
    for own, other in ((0, 1), (1, 0)):
        stones = ["+c3 " + " ".join(words), "+h3"]
        state = at(stones[own], stones[other], side="BR"[own], turns=20)
        for player, whose in ((own, "my"), (other, "their")):
            planes = state.observation_tensor(player)
            for number in TOWER_PLANES[whose]:
                plane = planes[:, :, names.index(f"{whose} towers >= {number}")]
                assert plane.min() == plane.max() == (towers >= number)


@pytest.mark.parametrize("left", [12, 11, 10, 9, 1, 0])
def test_planes_near_max_turns(left: int) -> None:
    names = GAMES[12].observation_planes
    state = at("+c3", "+h8", turns=432 - left)
    assert state.is_truncated() == (left == 0)
    planes = state.observation_tensor(0)
    plane = planes[:, :, names.index("10 turns or fewer to max_turns")]
    assert plane.min() == plane.max() == (left <= 10)


def test_numbers_to_check_against() -> None:
    assert "121 of one turn, 13680 of two" in RULES
    start = GAMES[12].new_initial_state()
    assert [ludarium.perft(start, depth) for depth in (1, 2)] == [121, 13680]
    assert {n: game.max_turns for n, game in GAMES.items()} == {n: 3 * n * n for n in GAMES}


def test_symmetries_move_bases_whole() -> None:
    """A build goes to the name of the base that its four vertices become; off stays."""
    for n in (12, 13):
        game = GAMES[n]
        found = game.symmetries()
        assert len(found) == 8
        assert (found[0][0] == range(len(found[0][0]))).all()
        assert (found[0][1] == range(len(found[0][1]))).all()
        assert len({tuple(mask) for _, mask in found}) == 8
        for planes, mask in found:
            assert sorted(planes) == list(range(n * n * 16))
            assert sorted(mask) == list(range(4 * n * n + 1))
            assert mask[4 * n * n] == 4 * n * n
            grid = planes.reshape(n, n, 16) // 16
            for i in range(1, n):
                for j in range(n - 1):
                    square = {int(grid[i - a, j + b, 0]) for a in (0, 1) for b in (0, 1)}
                    old = int(mask[i * n + j])
                    assert square == {old - a * n + b for a in (0, 1) for b in (0, 1)}
            for plane in (1, 2, 3):
                moved = mask[plane * n * n : (plane + 1) * n * n].reshape(n, n) - plane * n * n
                assert (moved == grid[:, :, 0]).all()
