"""The reference against the recorded evidence and against what the rulings prove."""

import importlib.util
import itertools
import json
import random
from pathlib import Path

import pytest

HERE = Path(__file__).parent

_spec = importlib.util.spec_from_file_location("gliss_reference", HERE / "reference.py")
ref = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(ref)


def json_lines(file):
    lines = (HERE / file).read_text(encoding="ascii").splitlines()
    return [json.loads(line) for line in lines if line]


def perft_rows():
    for line in (HERE / "perft.txt").read_text(encoding="ascii").splitlines():
        if line.strip():
            row, pos, counts, kinds = (field.strip() for field in line.split("|"))
            yield pytest.param(pos, [int(count) for count in counts.split()], kinds, id=row)


def numbered(cases):
    return [pytest.param(case, id=str(i)) for i, case in enumerate(cases, 1)]


POSITIONS = json_lines("positions.jsonl")
TEXTS = json_lines("texts.jsonl")
EMPTY = "/".join(["12"] * 12)


def returns(position):
    found = ref.result(position)
    return None if found is None else list(found)


def kind(turn):
    return "build" if turn.startswith("+") else "off" if turn.endswith("-off") else "glide"


# The evidence


@pytest.mark.parametrize(("pos", "counts", "kinds"), list(perft_rows()))
def test_perft(pos, counts, kinds):
    position = ref.parse(pos)
    assert [ref.perft(position, depth) for depth in range(1, len(counts) + 1)] == counts
    found = [kind(turn) for turn in ref.turns(position)]
    builds, glides, offs = (found.count(word) for word in ("build", "glide", "off"))
    assert f"builds {builds} glides {glides} offs {offs}" == kinds


@pytest.mark.parametrize("case", numbered(POSITIONS))
def test_recorded_position(case):
    position = ref.parse(case["pos"])
    assert ref.text(position) == case["pos"]
    turns = ref.turns(position)
    assert list(turns) == sorted(case["turns"])
    after = turns[case["play"]]
    assert ref.text(after) == case["next"]
    assert ref.parse(case["next"]) == after
    assert returns(after) == case["returns"]


@pytest.mark.parametrize("case", numbered(TEXTS))
def test_recorded_text(case):
    position = ref.parse(case["pos"])
    assert ref.text(position) == case["pos"]
    assert ref.actions(position) == case["actions"]
    assert returns(position) == case.get("returns")
    if position.core is not None:
        assert list(ref.turns(position)) == case["actions"]


@pytest.mark.parametrize("case", numbered(POSITIONS[::5]))
def test_turns_are_their_actions_joined(case):
    position = ref.parse(case["pos"])
    joined = {}
    for action in ref.actions(position):
        middle = ref.play(position, action)
        if action.startswith("+"):
            joined[action] = middle
            continue
        assert ref.result(middle) is None
        assert ref.parse(ref.text(middle)) == middle
        assert ref.actions(middle), "a glider that cannot fly was offered"
        for ending in ref.actions(middle):
            joined[action + ending] = ref.play(middle, ending)
    assert joined == ref.turns(position)


# The board has no up, down, left or right, and the colours differ only in who begins.


def mirrored(position, image):
    red, blue = (frozenset(map(image, stones)) for stones in (position.red, position.blue))
    return ref.Position(position.n, red, blue, position.side, None, position.completed)


def mirrored_turn(turn, image):
    def moved(vertex):
        return ref.name(image(ref.vertex_named(vertex)))

    if turn.startswith("+"):
        return "+" + ref.name(min(map(image, ref.block(ref.vertex_named(turn[1:])))))
    core, target = turn.split("-")
    if target == "off":
        return f"{moved(core)}-off"
    return f"{moved(core)}-{moved(target.removesuffix('*'))}{'*' if target.endswith('*') else ''}"


@pytest.mark.parametrize("case", numbered(POSITIONS[::15]))
def test_symmetry(case):
    position = ref.parse(case["pos"])
    turns = ref.turns(position)
    last = position.n - 1
    for flip_x, flip_y, swap in itertools.product((False, True), repeat=3):

        def image(vertex, flip_x=flip_x, flip_y=flip_y, swap=swap):
            x, y = vertex
            x, y = (last - x if flip_x else x), (last - y if flip_y else y)
            return (y, x) if swap else (x, y)

        assert ref.turns(mirrored(position, image)) == {
            mirrored_turn(turn, image): mirrored(after, image) for turn, after in turns.items()
        }

    def other(p):
        return ref.Position(p.n, p.blue, p.red, 1 - p.side, None, p.completed)

    assert ref.turns(other(position)) == {turn: other(after) for turn, after in turns.items()}


# Random games (L3, L23)


def random_turn(position, turns, rng):
    """A turn at random, kinds weighted so that games last, not losing at once if avoidable."""
    returned = {turn: ref.result(after) for turn, after in turns.items()}
    safe = [t for t, r in returned.items() if r is None or r[position.side] == 1]
    kinds = {}
    for turn in safe or turns:
        kinds.setdefault(kind(turn), []).append(turn)
    weights = {"build": 30, "glide": 65, "off": 5}
    chosen = rng.choices(list(kinds), [weights[word] for word in kinds])[0]
    return rng.choice(kinds[chosen])


def check_measure(position, measured, turn, after):
    """How the three quantities of L23 change in one turn. The number of captures is returned."""
    structures, flyers, squares = measured
    new_structures, new_flyers, new_squares = ref.measure(after)
    if kind(turn) == "build":
        assert new_structures == structures + 1
        return 0
    assert new_structures == structures
    own, enemy = ref.sides(position)
    new_enemy, new_own = ref.sides(after)  # the other player is to move now
    converted = len(new_own) - len(own) + (3 if kind(turn) == "off" else 0)
    assert converted in (0, 1)
    captures, remainder = divmod(len(enemy) - len(new_enemy) - converted, 3)
    assert remainder == 0
    assert captures in (0, 1, 2)
    if kind(turn) == "off":
        assert captures == converted == 0
        assert new_flyers == flyers - 1
        return 0
    assert new_flyers == flyers - captures
    steps = ref.steps_flown(position, turn)
    core, target = (ref.vertex_named(v) for v in turn.removesuffix("*").split("-"))
    assert steps == abs(core[0] - target[0]) + abs(core[1] - target[1]) > 0
    if captures == 0:
        assert new_squares == squares - steps
    return captures


@pytest.mark.parametrize(("n", "games"), [(12, 8), (13, 5), (16, 2), (19, 1)])
def test_every_turn_of_random_games(n, games):
    rng = random.Random(n)
    lengths = []
    all_captures = set()
    for _ in range(games):
        position = ref.start(n)
        boards = {(position.red, position.blue)}
        while ref.result(position) is None:
            turns = ref.turns(position)
            measured = ref.measure(position)
            for turn, after in turns.items():
                all_captures.add(check_measure(position, measured, turn, after))
                assert after.completed == position.completed + 1
                assert after.side != position.side
            own = ref.sides(position)[0]
            bases, gliders, _ = ref.shapes(own)
            assert len(ref.movable(own)) == 4 * len(bases) + len(gliders)
            position = turns[random_turn(position, turns, rng)]
            assert ref.parse(ref.text(position)) == position
            boards.add((position.red, position.blue))
            assert len(boards) == position.completed + 1, "a position came back"
            assert not position.red & position.blue
        assert sorted(ref.result(position)) == [-1, 1]
        assert ref.actions(position) == []
        assert ref.turns(position) == {}
        assert ref.perft(position, 1) == 0
        lengths.append(position.completed)
    assert max(lengths) > 20, "the games are too short to show anything"
    assert {0, 1} <= all_captures


# Landing on enemies, by enumeration (L12 to L18)


def blocks_around(under):
    """Each 2x2 block with at least one of these vertices."""
    corners = {(x - dx, y - dy) for x, y in under for dx in (0, 1) for dy in (0, 1)}
    return [ref.block(corner) for corner in sorted(corners)]


def shapes_hit(under):
    """Each base and each glider with at least one stone on these vertices."""
    blocks = blocks_around(under)
    gliders = {block - {gap} for block in blocks for gap in block}
    gliders = sorted((g for g in gliders if g & under), key=sorted)
    return blocks + gliders


def apart(one, two):
    """Whether two shapes of one colour may stand so: no shared and no adjacent vertices."""
    return not any(one & ({v} | ref.neighbours(v)) for v in two)


@pytest.mark.parametrize("u", list(itertools.product((1, -1), repeat=2)))
def test_what_a_landing_can_hit(u):
    core = (5, 5)
    under = ref.ell(core, u)
    last = ref.dock(core, u)
    choices = 0
    for base in blocks_around(under):
        hit = base & under
        assert len(hit) in (1, 2, 3)
        assert ref.has_choice(base, under) == (len(hit) == 2)
        if len(hit) == 2:
            choices += 1
            assert core in hit
            assert last not in base
            assert ref.captured(base, core, u, False) == base - {ref.opposite(base, core)}
            (arm,) = hit - {core}
            assert ref.captured(base, core, u, True) == base - {ref.opposite(base, arm)}
        else:
            taken = ref.captured(base, core, u, False)
            assert len(taken) == 3
            assert hit <= taken
            # Only where all three stones land is the dock the stone that stays.
            assert (base - taken == {last}) == (len(hit) == 3)
    assert choices == 2
    everything = shapes_hit(under)
    pairs = [(a, b) for a, b in itertools.combinations(everything, 2) if apart(a, b)]
    assert pairs
    for one, two in pairs:
        # Two shapes are hit by one arm each, so that a second shape never goes with a choice.
        assert len(one & under) == len(two & under) == 1
        assert core not in one | two
        assert not any(apart(one, third) and apart(two, third) for third in everything)


@pytest.mark.parametrize("u", list(itertools.product((1, -1), repeat=2)))
@pytest.mark.parametrize("axis", [0, 1])
def test_landing_on_every_arrangement(u, axis):
    home = ref.block((5, 5))
    (core,) = [v for v in home if ref.dock(v, u) in home and ref.ell(v, u) <= home]
    target = tuple(core[i] + (3 * u[i] if i == axis else 0) for i in (0, 1))
    under = ref.ell(target, u)
    last = ref.dock(target, u)
    turn = f"{ref.name(core)}-{ref.name(target)}"
    everything = shapes_hit(under)
    hits = [(shape,) for shape in everything]
    hits += [pair for pair in itertools.combinations(everything, 2) if apart(*pair)]
    for arrangement in hits:
        blue = frozenset().union(*arrangement)
        turns = ref.turns(ref.Position(12, home, blue, ref.RED, None, 0))
        red_after = {ref.dock(core, u)} | under
        blue_after = set()
        choice = None
        for shape in arrangement:
            hit = shape & under
            if len(shape) == 3:
                continue
            if len(hit) == 3:
                red_after.add(last)  # left on the dock, and converted at once
            elif len(hit) == 2:
                choice = shape
            else:
                (stone,) = hit
                blue_after.add(ref.opposite(shape, stone))
        if choice is None:
            assert turn + "*" not in turns
            assert (turns[turn].red, turns[turn].blue) == (red_after, blue_after)
            continue
        (arm,) = choice & under - {target}
        for ending, lost_core in (("", target), ("*", arm)):
            after = turns[turn + ending]
            assert after.red == red_after
            assert after.blue == blue_after | {ref.opposite(choice, lost_core)}


# Single rulings


def placed(red=(), blue=(), side=ref.RED, completed=0, n=12):
    """A position from names of vertices; "+c4" stands for a base with that lower left vertex."""
    colours = []
    for names in (red, blue):
        stones = set()
        for word in names:
            stones |= (
                ref.block(ref.vertex_named(word[1:]))
                if word.startswith("+")
                else {ref.vertex_named(word)}
            )
        colours.append(frozenset(stones))
    return ref.Position(n, *colours, side, None, completed)


def flights(position, core):
    return sorted(t for t in ref.turns(position) if t.startswith(core + "-"))


@pytest.mark.parametrize("u", list(itertools.product((1, -1), repeat=2)))
def test_lone_base_has_five_landings_for_each_glider(u):
    home = ref.block((9, 9))
    (core,) = [v for v in home if ref.ell(v, u) <= home]
    position = ref.Position(19, home, frozenset(), ref.RED, None, 0)
    landings = {
        (core[0] + dx * u[0], core[1] + dy * u[1])
        for dx, dy in ((0, 3), (1, 3), (2, 2), (3, 1), (3, 0))
    }
    expected = sorted(f"{ref.name(core)}-{ref.name(v)}" for v in landings)
    assert flights(position, ref.name(core)) == expected


def test_builds_keep_clear_of_friends_only():
    turns = ref.turns(placed(red=["+e5"], blue=["+h5"], side=ref.RED))
    assert "+g7" in turns  # diagonal to the friend, on top of the enemy
    assert "+c5" not in turns  # beside the friend
    assert "+f7" not in turns
    assert "+j5" in turns  # beside the enemy
    assert "+i6" not in turns  # on the enemy
    assert "+l5" not in turns  # over the edge


def test_off_beside_a_landing_and_as_a_first_step():
    # Over the right edge directly; upwards the glider would land.
    assert flights(placed(red=["+k5"]), "k5") == ["k5-k8", "k5-off"]
    # A free glider pointing into its corner.
    assert flights(placed(red=["l12", "k12", "l11"]), "l12") == ["l12-k12", "l12-l11"]
    assert flights(placed(red=["a1", "b1", "a2"], side=ref.BLUE), "a1") == []
    corner = placed(red=["k11", "l11", "k12"])
    assert flights(corner, "k11") == ["k11-off"]
    assert ref.turns(corner)["k11-off"].red == frozenset()
    # A base leaves its fourth stone.
    assert ref.turns(placed(red=["+k5"]))["k5-off"].red == {ref.vertex_named("l6")}


def test_enemy_tower_under_a_stop_ends_the_flight():
    free = ["d4", "e4", "d5"]
    assert flights(placed(red=free), "d4") == ["d4-d5", "d4-e4"]
    # f4 would be covered by the arm at e4; the glider does not go on past it either.
    assert flights(placed(red=free, blue=["f4"]), "d4") == ["d4-d5"]
    # Both ways shut: the glider cannot even be chosen.
    shut = placed(red=free, blue=["f4", "d6"])
    assert "d4" not in ref.actions(shut)
    with pytest.raises(ValueError, match="chosen core"):
        ref.parse(ref.text(shut).replace(" - ", " d4 "))
    # A tower only passed over is nothing.
    passed = placed(red=["+d4"], blue=["f4"])
    assert "d4-g4" in ref.turns(passed)


def test_docking():
    free = ["d4", "e4", "d5"]
    # The tower on f5 is the dock of the glider on e4.
    at_home = ref.turns(placed(red=[*free, "f5"]))["d4-e4"]
    assert at_home.red == ref.block((4, 3))
    converted = ref.turns(placed(red=free, blue=["f5"]))["d4-e4"]
    assert converted.red == ref.block((4, 3))
    assert converted.blue == frozenset()
    # The converted stone would touch g5, so both stay.
    refused = ref.turns(placed(red=[*free, "g5"], blue=["f5"]))["d4-e4"]
    assert refused.red == ref.ell((4, 3), (1, 1)) | {ref.vertex_named("g5")}
    assert refused.blue == {ref.vertex_named("f5")}
    # An enemy base on the dock is no tower.
    solid = ref.turns(placed(red=free, blue=["+f5"]))["d4-e4"]
    assert solid.blue == ref.block((5, 4))
    assert solid.red == ref.ell((4, 3), (1, 1))


def test_friends_in_the_way_carry_the_glider_on():
    # On e4 the arm touches the tower on g4, so the glider goes on: straight through to i4, the
    # first free place of that row, or turning upwards at any vertex where it could not stop.
    turns = flights(placed(red=["d4", "e4", "d5", "g4"]), "d4")
    assert turns == ["d4-d5", "d4-e5", "d4-f6", "d4-g6", "d4-h5", "d4-i4"]


def test_end_by_bases():
    for completed in (0, 1, 2):
        assert ref.result(placed(red=["+c3"], side=ref.BLUE, completed=completed)) is None
    # With Blue to move it was Red who moved last.
    assert ref.result(placed(red=["+c3"], blue=["h8"], side=ref.BLUE, completed=3)) == (1, -1)
    assert ref.result(placed(red=["c3"], blue=["+h8"], side=ref.BLUE, completed=3)) == (-1, 1)
    # Neither has a base: the mover loses.
    assert ref.result(placed(red=["c3"], blue=["h8"], side=ref.BLUE, completed=3)) == (-1, 1)
    assert ref.result(placed(red=["c3"], blue=["h8"], side=ref.RED, completed=4)) == (1, -1)


def test_end_by_towers():
    towers = [f"{column}{row}" for row in (8, 10, 12) for column in "aceg"]
    assert ref.result(placed(["+c3", *towers], ["+h3"], ref.RED, 20)) == (1, -1)
    assert ref.result(placed(["+c3", *towers[1:]], ["+h3"], ref.RED, 20)) is None
    # Tested for the player to move only, and after the bases.
    assert ref.result(placed(["+c3", *towers], ["+h3"], ref.BLUE, 21)) is None
    assert ref.result(placed(towers, ["+h3"], ref.RED, 20)) == (-1, 1)


def test_end_without_a_move():
    # Nowhere two empty rows or two empty columns side by side, and Red has nothing to fly.
    board = "/".join(["12", "BB1BB1BB1BB1", "BB1BB1BB1BB1"] * 4)
    assert ref.result(ref.parse(f"{board} R - 2")) == (-1, 1)
    assert ref.result(ref.parse(f"{board} B - 2")) is None


def test_half_made_turn_is_never_over():
    board = "12/12/12/12/12/12/12/12/12/3R8/3RR7/12"
    assert ref.result(ref.parse(f"{board} R - 8")) == (1, -1)
    assert ref.result(ref.parse(f"{board} R d2 8")) is None
    assert ref.actions(ref.parse(f"{board} R d2 8")) == ["-d3", "-e2"]


@pytest.mark.parametrize(
    ("stones", "sizes"),
    [
        ([], (0, 0, 0)),
        (["a1", "b2", "c1"], (0, 0, 3)),
        (["+a1", "+c3", "e1"], (2, 0, 1)),
        (["a1", "b1", "b2", "c3"], (0, 1, 1)),
        (["a1", "b1"], None),
        (["a1", "b1", "c1"], None),
        (["+a1", "c1"], None),
        (["a1", "b1", "b2", "c2"], None),
        (["a1", "b1", "c1", "d1"], None),
        (["a1", "b1", "c1", "b2"], None),
    ],
)
def test_shapes(stones, sizes):
    red = placed(red=stones).red
    if sizes is None:
        with pytest.raises(ValueError, match="not a base"):
            ref.shapes(set(red))
    else:
        assert tuple(map(len, ref.shapes(set(red)))) == sizes


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("", "four fields"),
        (f"{EMPTY} R -", "four fields"),
        (f"{EMPTY}  R - 0", "four fields"),
        (f"{EMPTY} R - 0\n", "turns"),
        ("/".join(["11"] * 11) + " R - 0", "board"),
        ("/".join(["20"] * 20) + " R - 0", "board"),
        (f"{EMPTY[:-2]}11 R - 0", "board"),
        (f"{EMPTY[:-2]}13 R - 0", "board"),
        (f"{EMPTY[:-2]}012 R - 0", "board"),
        (f"{EMPTY[:-2]}0R11 R - 0", "board"),
        (f"{EMPTY[:-2]}r11 R - 0", "board"),
        (f"{EMPTY[:-2]} R - 0", "board"),
        (f"{EMPTY[:-2]}RR10 R - 0", "board: R"),
        (f"{EMPTY[:-2]}9BBB B - 0", "board: B"),
        (f"{EMPTY} W - 0", "side"),
        (f"{EMPTY} r - 0", "side"),
        (f"{EMPTY} R - 00", "turns"),
        (f"{EMPTY} R - -1", "turns"),
        (f"{EMPTY} R - x", "turns"),
        (f"{EMPTY} R a1 0", "chosen core"),
        (f"{EMPTY} R a01 0", "chosen core"),
        (f"{EMPTY[:-5]}RR10/RR10 B a1 0", "chosen core"),
        (f"{EMPTY[:-5]}12/R11 R a1 0", "chosen core"),
    ],
)
def test_bad_text(text, field):
    with pytest.raises(ValueError, match=f"^.*{field}"):
        ref.parse(text)


def test_illegal_actions():
    position = ref.parse(f"{EMPTY[:-5]}RR10/RR10 R - 2")
    for action in ("+a1", "+c1", "+l1", "b2-off", "c3", "-off", "a1-a4", "", "+d01"):
        with pytest.raises(ValueError, match="not legal"):
            ref.play(position, action)
    chosen = ref.play(position, "a1")
    for action in ("a1", "+e5", "-a2", "-a4*", "-off", ""):
        with pytest.raises(ValueError, match="not legal"):
            ref.play(chosen, action)
    with pytest.raises(ValueError, match="board size"):
        ref.start(11)


def test_start():
    assert ref.text(ref.start()) == f"{EMPTY} R - 0"
    assert len(ref.actions(ref.start())) == 121
    assert hash(ref.start()) == hash(ref.parse(f"{EMPTY} R - 0"))
