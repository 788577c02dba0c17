"""The slow referee against worked evidence, against hand-made cases and against itself."""

import importlib.util
import json
import random
import re
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def load_reference():
    """Load the referee by its path, as there is no package to import it from."""
    spec = importlib.util.spec_from_file_location("gyges_reference", HERE / "reference.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


ref = load_reference()


def read_lines(name):
    return (HERE / name).read_text(encoding="ascii").splitlines()


PERFT = [[field.strip() for field in line.split("|")] for line in read_lines("perft.txt")]
POSITIONS = [json.loads(line) for line in read_lines("positions.jsonl")]
TEXTS = [json.loads(line) for line in read_lines("texts.jsonl")]

# The first row of the side to move is blocked. The last two were made up for this: in the fourth
# South may only move pieces of the very row that limits its drops, and the fifth is North's.
BLOCKED = {
    "030303/121211/023200/000000/000000/000000 S move 20": "2",
    "303030/222211/000001/130000/000000/000000 S move 20": "2",
    "000000/000000/000000/001110/210202/333230 N move 20": "5",
    "333322/221111/000000/000000/000000/000000 S move 20": "2",
    "000000/000000/000000/010000/101213/232323 N move 20": "5",
}


def random_positions(number, seed):
    """Positions before a move, picked from random games at various depths."""
    rng = random.Random(seed)
    found = []
    while len(found) < number:
        position = ref.start()
        for _ in range(rng.randrange(2, 60)):
            after = ref.turns(position)
            if not after:
                break
            position = after[rng.choice(sorted(after))]
        if position.stage == "move":
            found.append(position)
    return found


SAMPLE = [
    *(ref.parse(case["pos"]) for case in POSITIONS),
    *(ref.parse(position) for _, position, _ in PERFT),
    *(ref.parse(position) for position in BLOCKED),
    *random_positions(100, seed=20),
]


def playable_cells(position):
    return {action.split("-")[0] for action in ref.actions(position)}


def all_walks(position, **switches):
    """The walks of all pieces that may move."""
    return [
        walk
        for cell in sorted(playable_cells(position))
        for walk in ref.walks(position, cell, **switches)
    ]


# ---------------------------------------------------------------------------------------------
# Evidence


@pytest.mark.parametrize(("name", "position", "counts"), PERFT, ids=[row[0] for row in PERFT])
def test_perft(name, position, counts):
    position = ref.parse(position)
    for depth, count in enumerate(counts.split(), start=1):
        assert ref.perft(position, depth) == int(count)


@pytest.mark.parametrize("case", POSITIONS, ids=[case["pos"] for case in POSITIONS])
def test_position(case):
    position = ref.parse(case["pos"])
    assert ref.text(position) == case["pos"]
    after = ref.turns(position)
    assert sorted(after) == sorted(case["turns"])
    assert ref.text(after[case["play"]]) == case["next"]
    returns = ref.result(after[case["play"]])
    assert returns == (case["returns"] and tuple(case["returns"]))


@pytest.mark.parametrize("case", TEXTS, ids=[case["pos"] for case in TEXTS])
def test_text(case):
    position = ref.parse(case["pos"])
    assert ref.text(position) == case["pos"]
    assert ref.actions(position) == sorted(case["actions"])
    assert ref.result(position) == (tuple(case["returns"]) if "returns" in case else None)


# ---------------------------------------------------------------------------------------------
# Actions and turns agree


def play_turn(position, turn):
    """Play a whole turn action by action."""
    move, equals, drop = turn.partition("=")
    position = ref.play(position, move)
    return ref.play(position, equals + drop) if equals else position


@pytest.mark.parametrize("position", SAMPLE[::20], ids=ref.text)
def test_turns_are_their_actions_joined(position):
    joined = []
    for action in ref.actions(position):
        half = ref.play(position, action)
        assert ref.parse(ref.text(half)) == half
        if half.stage != "drop":
            joined.append(action)
            continue
        assert half.side == position.side
        assert half.turns_completed == position.turns_completed
        drops = ref.actions(half)
        assert drops, "a replaced piece always has somewhere to go"
        assert sorted(ref.turns(half)) == drops
        joined += [action + drop for drop in drops]
    after = ref.turns(position)
    assert sorted(after) == sorted(joined)
    for turn, next_position in after.items():
        assert play_turn(position, turn) == next_position
        assert next_position.turns_completed == position.turns_completed + 1
        assert next_position.side != position.side
        assert ref.parse(ref.text(next_position)) == next_position


def test_set_up():
    position = ref.start()
    assert ref.text(position) == "/".join(["000000"] * 6) + " S setup 0"
    assert len(ref.actions(position)) == len(ref.turns(position)) == 90
    assert ref.perft(position, 1) == 90
    assert ref.perft(position, 2) == 90 * 90
    position = ref.play(position, "321123")
    assert ref.text(position) == "321123/000000/000000/000000/000000/000000 N setup 1"
    position = ref.play(position, "112332")
    assert ref.text(position) == "321123/000000/000000/000000/000000/112332 S move 2"


def test_random_games_keep_the_pieces_and_never_run_out_of_moves():
    rng = random.Random(7)
    finished = 0
    for _ in range(30):
        position = ref.start()
        while position.turns_completed < 100 and position.stage != "goal":
            assert ref.parse(ref.text(position)) == position
            assert ref.result(position) is None
            legal = ref.actions(position)
            assert legal == sorted(set(legal))
            assert legal  # G5
            position = ref.play(position, rng.choice(legal))
        if position.stage == "goal":
            finished += 1
            winner = 1 if position.side == "S" else 0
            assert ref.result(position)[winner] == 1
            assert sum(ref.result(position)) == 0
            assert ref.parse(ref.text(position)) == position
            assert ref.actions(position) == []
            assert ref.turns(position) == {}
            assert ref.perft(position, 1) == 0
    assert finished


@pytest.mark.parametrize(
    ("position", "action"),
    [
        ("000000/000000/000000/000000/000000/000000 S setup 0", "111233"),
        ("000000/000000/000000/000000/000000/000000 S setup 0", "a1-a2"),
        ("321123/000000/000000/000000/000000/321123 S move 2", "321123"),
        ("321123/000000/000000/000000/000000/321123 S move 2", "a1-a2"),
        ("321123/000000/000000/000000/000000/321123 S move 2", "a6-a3"),
        ("321123/000000/000000/000000/000000/321123 S move 2", "a1-goal"),
        ("321123/000000/000000/000000/000000/321123 S move 2", "c1-d1=c1"),
        ("310032/000000/000000/000010/002000/203113 S drop:e4:2 4", "=a1"),
        ("310032/000000/000000/000010/002000/203113 S drop:e4:2 4", "c1"),
        ("310032/000000/000000/000010/002000/203113 S drop:e4:2 4", "=goal"),
        ("000000/010032/200030/301210/030002/000000 N goal 27", "e2-e1"),
    ],
)
def test_illegal_actions_are_refused(position, action):
    with pytest.raises(ValueError, match=re.escape(action)):
        ref.play(ref.parse(position), action)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("", "fields"),
        ("321123/000000/000000/000000/000000/321123 S move", "fields"),
        ("321123/000000/000000/000000/000000/321123  S move 2", "fields"),
        ("321123/000000/000000/000000/000000/321123 S move 2 ", "fields"),
        ("321123/000000/000000/000000/321123 S move 2", "rows"),
        ("321123/000000/000000/000000/00000/321123 S move 2", "rows"),
        ("421123/000000/000000/000000/000000/321123 S move 2", "rows"),
        ("321123/000000/000000/000000/000000/321123 W move 2", "side"),
        ("321123/000000/000000/000000/000000/321123 S walk 2", "stage"),
        ("321123/000000/000000/000000/000000/321123 S drop 2", "stage"),
        ("321123/000000/000000/000000/000000/321123 S drop:g1:2 2", "stage"),
        ("321123/000000/000000/000000/000000/321123 S drop:a1:4 2", "stage"),
        ("321123/000000/000000/000000/000000/321123 S move 02", "turns"),
        ("321123/000000/000000/000000/000000/321123 S move -2", "turns"),
        ("321123/000000/000000/000000/000000/321123 S move 2\n", "turns"),
        ("321123/000000/000000/000000/000000/321122 S move 2", "rows"),
        ("321123/000000/000000/000000/000000/321120 S move 2", "rows"),
        ("321123/000000/000000/000000/000000/321123 S goal 2", "rows"),
        ("321122/000000/000000/000000/000000/321120 S goal 2", "rows"),
        ("321123/000000/000000/000000/000000/321123 S drop:a1:3 2", "rows"),
        ("321123/000000/000000/000000/000000/321120 S drop:a2:3 2", "rows"),
        ("321123/000000/000000/000000/000000/321120 S drop:a1:2 2", "rows"),
        ("321123/000000/000000/000000/000000/000000 S setup 0", "rows"),
        ("000000/000000/000000/000000/000000/000000 N setup 1", "rows"),
        ("321122/000000/000000/000000/000000/000000 N setup 1", "rows"),
        ("321123/000000/000000/000000/000000/321123 N setup 1", "rows"),
    ],
)
def test_bad_text_names_the_field(text, field):
    with pytest.raises(ValueError, match=field):
        ref.parse(text)


# ---------------------------------------------------------------------------------------------
# The board turned round and in the mirror


def transform(text, cell_map, rows_map, sides):
    """A position or turn with its cells moved, and its rows and sides where it has any."""
    text = re.sub("[0-3]{6}(/[0-3]{6}){5}", lambda match: rows_map(match[0]), text)
    text = re.sub("[a-f][1-6]", lambda match: cell_map(match[0]), text)
    return re.sub("[SN]", lambda match: sides[match[0]], text)


def turned(text):
    return transform(
        text,
        lambda cell: "abcdef"["fedcba".index(cell[0])] + str(7 - int(cell[1])),
        lambda rows: rows[::-1],
        {"S": "N", "N": "S"},
    )


def mirrored(text):
    return transform(
        text,
        lambda cell: "abcdef"["fedcba".index(cell[0])] + cell[1],
        lambda rows: "/".join(row[::-1] for row in rows.split("/")),
        {"S": "S", "N": "N"},
    )


@pytest.mark.parametrize("change", [turned, mirrored])
def test_neither_side_nor_hand_matters(change):
    for position in SAMPLE[::2]:
        expected = {
            change(turn): change(ref.text(after)) for turn, after in ref.turns(position).items()
        }
        changed = ref.parse(change(ref.text(position)))
        found = {turn: ref.text(after) for turn, after in ref.turns(changed).items()}
        assert found == expected


# ---------------------------------------------------------------------------------------------
# Which piece (G3, G4)


def test_only_the_first_row_may_move():
    position = ref.parse("003030/201101/000000/000000/000000/321232 S move 20")
    assert playable_cells(position) == {"c1", "e1"}
    north = ref.parse("003030/201101/000000/000000/000000/321232 N move 20")
    assert {cell[1] for cell in playable_cells(north)} == {"6"}


@pytest.mark.parametrize("change", [str, turned, mirrored])
@pytest.mark.parametrize(("position", "row"), BLOCKED.items())
def test_a_blocked_first_row_passes_the_right_on(position, row, change):
    row = change("a" + row)[1]
    position = ref.parse(change(position))
    first_row = ref._first_row(position.rows, position.side)
    assert first_row != row
    on_first_row = [cell for cell in ref._pieces(position) if cell[1] == first_row]
    assert on_first_row
    assert not any(ref.walks(position, cell) for cell in on_first_row)
    assert {cell[1] for cell in playable_cells(position)} == {row}
    for walk in all_walks(position):
        assert ref.check_walk(position, walk.cells)


def test_one_free_piece_keeps_the_right_on_the_first_row():
    # As the first blocked row above, but with d2 and d3 cleared, so that d1 alone can walk.
    position = ref.parse("030303/121011/023022/000000/000000/000000 S move 20")
    assert playable_cells(position) == {"d1"}
    assert ref.check_walk(position, ["d1", "d2", "d3", "d4"])
    assert ref.walk_fault(position, ["a2", "a3"]) == "d1 can move and is nearer"


def test_two_full_rows_worked_out_by_hand():
    # Nothing on row 1 has an empty neighbour or a single ring. North's first row is row 2, so
    # that the only empty cell for a replaced piece is the one the mover has left.
    position = ref.parse("333322/221111/000000/000000/000000/000000 S move 20")
    turns = set(ref.turns(position))
    assert {turn for turn in turns if turn.startswith("a2")} == {"a2-a4", "a2-b3"}
    assert {turn for turn in turns if turn.startswith("b2")} == {"b2-a3", "b2-b4", "b2-c3"}
    assert "c2-c1=c2" in turns
    assert all(turn[:2] == turn[-2:] for turn in turns if "=" in turn)


def test_two_blocked_rows_pass_the_right_on_twice():
    # Four pieces of a kind are too few for this, hence a position that no text would give.
    rows = ("333333", "333333", "111111", "000000", "000000", "000000")
    position = ref.Position(rows, "S", "move", 20)
    assert playable_cells(position) == {column + "3" for column in "abcdef"}
    assert ref.check_walk(position, ["a3", "a4"])
    position = ref.Position(rows[::-1], "N", "move", 20)
    assert playable_cells(position) == {column + "4" for column in "abcdef"}
    assert ref.check_walk(position, ["a4", "a3"])
    # On a full board with no single ring nobody can stir, and the referee says so.
    assert ref.actions(ref.Position(("222222",) * 6, "S", "move", 20)) == []


# ---------------------------------------------------------------------------------------------
# Walking, by hand (G6 to G11)

RUNNERS = "000000/000000/000000/300303/110011/222023 S move 20"
LOOP = "001330/000000/000000/000000/212233/000121 S move 20"


def test_the_goal_takes_an_exact_count():
    position = ref.parse(RUNNERS)
    assert {turn for turn in ref.turns(position) if "goal" in turn} == {"a4-goal", "d4-goal"}
    assert ref.check_walk(position, ["d4", "d5", "d6", "goal"])
    # a4 lands on d4 and goes on by the three rings it finds there.
    assert ref.check_walk(position, ["a4", "b4", "c4", "d4", "d5", "d6", "goal"])
    assert "enters the goal from d5" in ref.walk_fault(position, ["d4", "d5", "goal"])
    over = ref.play(position, "d4-goal")
    assert ref.text(over) == "000000/000000/000000/300003/110011/222023 N goal 21"
    assert ref.result(over) == (1, -1)
    assert ref.result(ref.play(ref.parse(turned(RUNNERS)), "c3-goal")) == (-1, 1)


def test_the_goal_is_not_passed_through():
    position = ref.parse(RUNNERS)
    assert "pass through" in ref.walk_fault(position, ["d4", "d5", "d6", "goal", "c6"])
    position = ref.parse("000000/000000/000000/100200/333011/322021 S move 20")
    # Two rings end on d6 and go no further.
    assert ref.check_walk(position, ["d4", "d5", "d6"])
    assert "has ended on d6" in ref.walk_fault(position, ["d4", "d5", "d6", "goal"])
    # The two rings on e6 are one too many at once, and just enough by way of d6.
    assert "pass through" in ref.walk_fault(position, ["d4", "d5", "e5", "e6", "goal"])
    assert ref.check_walk(position, ["d4", "d5", "e5", "e6", "d6", "goal"])


def test_the_own_goal_is_closed():
    position = ref.parse("321123/000000/000000/000000/000000/321123 S move 2")
    assert not any("goal" in turn for turn in ref.turns(position))
    assert "enters the goal from c1" in ref.walk_fault(position, ["c1", "goal"])


def test_the_cell_left_behind_counts_as_empty():
    # c1 lands on d1, and the three rings there lead round and back over the cell it left.
    position = ref.parse(LOOP)
    assert ref.check_walk(position, ["c1", "d1", "d2", "c2", "c1"])
    null = ref.turns(position)["c1-c1"]
    assert ref.text(null) == LOOP.replace("S move 20", "N move 21")
    # A replaced piece may be put there too.
    assert ref.turns(position)["c1-d1=c1"].rows[0] == "003130"


def test_a_segment_serves_once():
    position = ref.parse(LOOP)
    back = ("c1", "d1", "c1", "b1", "a1")
    assert "a second time" in ref.walk_fault(position, back)
    assert back not in [walk.cells for walk in ref.walks(position, "c1")]


@pytest.mark.parametrize(
    ("cells", "fault"),
    [
        ([], "begins with"),
        (["c2", "c3"], "no piece on 'c2'"),
        (["z9", "c3"], "no piece on 'z9'"),
        (["goal"], "no piece on 'goal'"),
        (["c1"], "1 short"),
        (["e1", "e2", "e3"], "1 short"),
        (["c1", "d1", "d2"], "2 short"),
        (["c1", "d2"], "not one orthogonal step"),
        (["c1", "c1"], "not one orthogonal step"),
        (["c1", "c0"], "off the board"),
        (["d1", "e1", "f1", "f2"], "passes over the piece on e1"),
        (["c1", "c2", "c3"], "has ended on c2"),
        (["b5", "b4"], "c1 can move and is nearer"),
    ],
)
def test_faults_of_walks(cells, fault):
    position = ref.parse(LOOP)
    assert fault in ref.walk_fault(position, cells)
    assert not ref.check_walk(position, cells)


def test_walks_belong_to_the_move_stage():
    over = ref.play(ref.parse(RUNNERS), "d4-goal")
    assert not ref.check_walk(over, ["a4", "b4", "c4", "c5"])
    with pytest.raises(ValueError, match="stage goal"):
        ref.walks(over, "a4")
    with pytest.raises(ValueError, match="no piece"):
        ref.walks(ref.parse(RUNNERS), "b4")


def test_drops_stop_at_the_first_row_of_the_opponent():
    # North's first row is row 5. It has no room here, and row 6 behind it is closed.
    position = ref.parse("001330/000000/000000/000121/212233/000000 S move 20")
    drops = {turn.split("=")[1] for turn in ref.turns(position) if turn.startswith("c1-d1=")}
    taken = {"d1", "e1", "d4", "e4", "f4"}
    assert drops == {cell for cell in ref.CELLS if cell[1] not in "56"} - taken
    # South's first row is row 2, which is open, while row 1 behind it is closed.
    position = ref.parse("000000/000330/000000/000121/212233/000001 N move 20")
    drops = {turn.split("=")[1] for turn in ref.turns(position) if turn.startswith("f6-f5=")}
    taken = {"d2", "e2", "d4", "e4", "f4"}
    assert drops == {cell for cell in ref.CELLS if cell[1] not in "15"} - taken


# ---------------------------------------------------------------------------------------------
# The search against the step by step check


def test_every_walk_found_passes_the_check():
    for position in SAMPLE[::2]:
        for walk in all_walks(position):
            assert ref.walk_fault(position, walk.cells) == ""
            pieces = ref._pieces(position)
            inner = walk.cells[1:-1]
            assert list(walk.bounces) == [
                cell for cell in inner if cell in pieces and cell != walk.cells[0]
            ]


def step_lists(cells, length):
    """All lists of at most so many steps that go on from these, in or out of the goal row."""
    if len(cells) > 1:
        yield cells
    if length == 0:
        return
    yield (*cells, "goal")
    for there in ref.NEIGHBOURS[cells[-1]]:
        yield from step_lists((*cells, there), length - 1)


@pytest.mark.parametrize("position", [ref.parse(RUNNERS), *SAMPLE[::30]], ids=ref.text)
def test_every_short_walk_that_passes_the_check_is_found(position):
    length = 6
    may_move = playable_cells(position)
    for cell in ref._pieces(position):
        passed = {cells for cells in step_lists((cell,), length) if ref.check_walk(position, cells)}
        found = {walk.cells for walk in ref.walks(position, cell) if len(walk.cells) <= length + 1}
        assert passed == (found if cell in may_move else set())


# ---------------------------------------------------------------------------------------------
# What makes no difference (G9, G12)


def test_a_second_bounce_on_a_piece_adds_no_result():
    positions_with_one = 0
    for position in SAMPLE:
        plain = all_walks(position)
        fewer = all_walks(position, second_bounce=False)
        twice = [walk for walk in plain if len(set(walk.bounces)) < len(walk.bounces)]
        positions_with_one += bool(twice)
        assert set(fewer) == set(plain) - set(twice)
        assert {(w.cells[0], w.cells[-1]) for w in fewer} == {
            (w.cells[0], w.cells[-1]) for w in plain
        }
        assert ref.turns(position, second_bounce=False) == ref.turns(position)
    assert positions_with_one > 50, "the sample must put the claim to the test"


def test_the_moment_of_reading_the_row_does_not_matter():
    touching = 0
    for position in SAMPLE:
        placed = ref.turns(position, drop_row_read="placed")
        assert ref.turns(position, drop_row_read="before") == placed
        assert ref.turns(position, drop_row_read="lifted") == placed
        # The moment could only matter when the row that is read loses or changes a piece.
        row = ref._first_row(position.rows, ref.OPPONENT[position.side])
        touching += any("=" in turn and row in (turn[1], turn[4]) for turn in placed)
    assert touching > 20, "the sample must put the claim to the test"


def test_switches_are_checked():
    position = ref.parse("310032/000000/000000/000010/002000/203113 S drop:e4:2 4")
    with pytest.raises(ValueError, match="before"):
        ref.turns(position, drop_row_read="before")
    with pytest.raises(ValueError, match="later"):
        ref.turns(position, drop_row_read="later")
