"""The slow reference against the worked evidence, and against the geometry of the rulings."""

import importlib.util
import json
import random
from pathlib import Path

import pytest

HERE = Path(__file__).parent
_spec = importlib.util.spec_from_file_location("sphlag_reference", HERE / "reference.py")
reference = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(reference)

parse, text, play = reference.parse, reference.text, reference.play


def json_lines(file_name):
    return [json.loads(line) for line in (HERE / file_name).read_text("utf-8").splitlines()]


def perft_rows():
    for line in (HERE / "perft.txt").read_text("utf-8").splitlines():
        label, position, counts = line.split(" | ")
        for depth, count in enumerate(counts.split(), start=1):
            yield pytest.param(position, depth, int(count), id=f"{label}-{depth}")


POSITIONS = json_lines("positions.jsonl")
TEXTS = json_lines("texts.jsonl")
CASES = json_lines("cases.jsonl")
ALL_TEXTS = sorted(
    {row[key] for row in POSITIONS + TEXTS + CASES for key in ("pos", "next") if row.get(key)}
)


def returns_of(position):
    """The result in the form of the evidence, where pairs are JSON lists."""
    result = reference.result(position)
    return None if result is None else list(result)


def expect_next(row):
    after = play(parse(row["pos"]), row["play"])
    assert text(after) == row["next"]
    assert returns_of(after) == row["returns"]


# The evidence.


def test_evidence_is_there():
    assert (len(POSITIONS), len(TEXTS), len(CASES)) == (120, 25, 21)


@pytest.mark.parametrize("position, depth, count", list(perft_rows()))
def test_perft(position, depth, count):
    assert reference.perft(parse(position), depth) == count


@pytest.mark.parametrize("row", POSITIONS, ids=range(len(POSITIONS)))
def test_positions(row):
    position = parse(row["pos"])
    assert text(position) == row["pos"]
    assert reference.result(position) is None
    assert reference.actions(position) == sorted(row["turns"])
    assert set(reference.turns(position)) == set(row["turns"])
    expect_next(row)


@pytest.mark.parametrize("row", TEXTS, ids=range(len(TEXTS)))
def test_texts(row):
    position = parse(row["pos"])
    assert text(position) == row["pos"]
    assert reference.actions(position) == sorted(row["actions"])
    assert returns_of(position) == row.get("returns")


@pytest.mark.parametrize("row", CASES, ids=[row["id"] for row in CASES])
def test_cases(row):
    known = {"id", "why", "pos", "legal", "illegal", "exact", "exact_from", "play", "next"}
    assert set(row) <= known | {"returns"}, "a kind of evidence this test does not look at"
    position = parse(row["pos"])
    legal = reference.actions(position)
    assert set(row["legal"]) <= set(legal)
    for action in row["illegal"]:
        assert action not in legal
        with pytest.raises(ValueError, match="illegal turn"):
            play(position, action)
    if "exact" in row:
        assert legal == sorted(row["exact"])
    for origin, targets in row.get("exact_from", {}).items():
        moves = [action for action in legal if action.startswith(f"{origin}-")]
        assert moves == sorted(f"{origin}-{target}" for target in targets)
    if "play" in row:
        expect_next(row)


# The geometry, counted.


def test_start():
    assert text(reference.start()) == "R.....R..R.....R/........./..../. W 0 - 0"


def test_holes():
    """S1 to S4."""
    assert [len(reference.holes_of_level(level)) for level in range(4)] == [16, 9, 4, 1]
    assert reference.holes_of_level(2) == ("C3/2", "E3/2", "C5/2", "E5/2")
    assert len(set(reference.HOLES)) == 30
    for hole in reference.HOLES:
        assert len(reference.SUPPORTS[hole]) == (0 if hole.endswith("/0") else 4)
    for side in "WB":
        own = [h for h in reference.HOLES if reference.half(h) == side]
        open_ = [h for h in own if h not in reference.RED_HOLES]
        assert [sum(h.endswith(f"/{level}") for h in open_) for level in range(4)] == [5, 3, 1, 0]
        flag = reference.FLAG[side]
        near = set(reference.TOUCHING[flag])
        assert set(reference.TOUCH_HOLES[side]) == near
        assert near <= set(open_)


def test_top_is_out_of_reach():
    """S5: it is in no half, no platform leads to it, and a touching step up needs a drop."""
    assert reference.half("D4/3") is None
    assert reference.ACROSS["D4/3"] == ()
    assert set(reference.TOUCHING["D4/3"]) == set(reference.holes_of_level(2))


# Symmetries (S6): they send turns to turns, so they find mistakes in any one direction.


def mapped(position, coordinate_map, swap):
    """The position with its holes mapped, and with colours and side exchanged if asked."""
    colours = {"W": "B", "B": "W", "R": "R"} if swap else {"W": "W", "B": "B", "R": "R"}

    def board(cells):
        return frozenset((hole_map(h, coordinate_map), colours[c]) for h, c in cells)

    ko = None if position.ko is None else board(position.ko)
    return reference.Position(
        board(position.board), colours[position.side], position.passes, ko, position.completed
    )


def hole_map(hole, coordinate_map):
    column, row, level = reference.coordinates(hole)
    return reference.name(*coordinate_map(column, row), level)


def action_map(action, coordinate_map):
    if action == "pass":
        return action
    return "-".join(hole_map(hole, coordinate_map) for hole in action.split("-"))


@pytest.mark.parametrize(
    "coordinate_map, swap",
    [
        pytest.param(lambda c, r: (r, c), False, id="transposition"),
        pytest.param(lambda c, r: (8 - c, 8 - r), True, id="half-turn"),
    ],
)
def test_symmetry(coordinate_map, swap):
    for line in ALL_TEXTS:
        position = parse(line)
        image = mapped(position, coordinate_map, swap)
        result = reference.result(position)
        expected = result[::-1] if result and swap else result
        assert reference.result(image) == expected
        assert reference.turns(image) == {
            action_map(action, coordinate_map): mapped(after, coordinate_map, swap)
            for action, after in reference.turns(position).items()
        }


# What must hold after every turn.


def check_turns(position):
    before = dict(position.board)
    legal = reference.turns(position)
    for action, after in legal.items():
        # Reading the text back checks support, the reds, the top and the supply (S2, S5, S9, S15).
        assert parse(text(after)) == after
        assert hash(parse(text(after))) == hash(after)
        assert after.side != position.side
        assert after.completed == position.completed + 1
        assert after.ko == position.board
        if action == "pass":
            assert after.board == position.board
            assert after.passes == position.passes + 1
            continue
        assert after.passes == 0
        assert after.board not in (position.board, position.ko)
        added = 0 if "-" in action else 1
        board = dict(after.board)
        for colour in "WB":
            own = added if colour == position.side else 0
            assert reference.spheres(board, colour) == reference.spheres(before, colour) + own
        assert board[action.split("-")[-1]] == position.side
    return legal


def test_every_turn_of_the_evidence():
    for line in ALL_TEXTS:
        check_turns(parse(line))


def narrow_destinations(settled, origin):
    """Travel by the closed list of S13 and S14, without mixing steps as the reference does."""

    def open_ones(holes):
        return {hole for hole in holes if reference.can_enter(settled, hole)}

    def flat(hole):
        return open_ones(near for near in reference.TOUCHING[hole] if near[-1] == hole[-1])

    once = flat(origin)
    twice = {target for stop in once for target in flat(stop)}
    up_or_across = open_ones(reference.RESTING[origin] + reference.ACROSS[origin])
    return (once | twice | up_or_across) - {origin}


def test_random_play():
    """Whole games: invariants, S11 (asserted by the reference), S14's closed list, an end."""
    rng = random.Random(2011)
    chains = ends = 0
    for _ in range(12):
        position = reference.start()
        while position.completed < 200:
            board = dict(position.board)
            for origin in reference.spheres_to_move(board, position.side):
                lifted = reference.board_after_lift(board, origin)
                settled = reference.board_after_settle(lifted, origin)
                # The last hole of the chain is left empty, its level tells how far it went.
                left = lifted.keys() - settled.keys()
                chains += any(int(hole[-1]) == int(origin[-1]) + 2 for hole in left)
                wide = reference.destinations(settled, origin)
                assert wide == narrow_destinations(settled, origin)
            legal = sorted(check_turns(position))
            if not legal:
                assert reference.result(position) is not None
                ends += 1
                break
            assert "pass" in legal
            # "pass" is the last in order; games are longer when it is only a last resort.
            position = play(position, rng.choice(legal[:-1] or legal))
    assert chains and ends


# Points the evidence leaves out.


def test_two_contacts_of_both_go_to_the_mover():
    """S19: the mover is the side that is not to move."""
    both = "RW..W.R..RWB..BR/........./..../."
    assert reference.result(parse(f"{both} B 0 - 30")) == (1, -1)
    assert reference.result(parse(f"{both} W 0 - 30")) == (-1, 1)


def test_unknown_board_before_still_forbids_no_change():
    """S16 without S17."""
    swap = "R.....R..RW..WWR/.......W./..../. W 0 - 20"
    assert not {"C7/0-D6/1", "E5/0-D6/1", "E7/0-D6/1"} & set(reference.actions(parse(swap)))


def test_ko_does_not_stop_a_pass():
    """S17: after a pass the present board is also the one before the last turn."""
    once = play(reference.start(), "pass")
    twice = play(once, "pass")
    assert reference.result(once) is None
    assert reference.result(twice) == (0, 0)
    assert reference.actions(twice) == []
    with pytest.raises(ValueError, match="illegal turn"):
        play(twice, "pass")


EMPTY = "R.....R..R.....R/........./..../."
UNSUPPORTED = "R.....R..R.....R/W......../..../."


@pytest.mark.parametrize(
    "line, message",
    [
        ("", "expected 5 fields"),
        (f"{EMPTY} W 0 -", "expected 5 fields"),
        (f"{EMPTY} W 0 - 0 ", "expected 5 fields"),
        (f"{EMPTY} W 0  - 0", "expected 5 fields"),
        ("R.....R..R.....R/........./.... W 0 - 0", "^board .* levels of"),
        ("R.....R..R.....R/......../...../. W 0 - 0", "^board .* levels of"),
        ("R.....R..R.....X/........./..../. W 0 - 0", "^board .*'X'"),
        ("R.....R..R....../........./..../. W 0 - 0", "^board .* reds"),
        ("RR....R..R.....R/........./..../. W 0 - 0", "^board .* reds"),
        (f"{UNSUPPORTED} W 0 - 0", "^board .*B2/1 has no support"),
        ("RWWWBBRWBRBBWWBR/BBBBBWWWW/WWBB/W W 0 - 40", "^board .*D4/3"),
        ("RWWWWWRWWRWWWWWR/WWWWWBBBB/..../. W 0 - 40", "^board .* more than 16"),
        (f"{EMPTY} w 0 - 0", "^side 'w'"),
        (f"{EMPTY} W 3 - 0", "^passes '3'"),
        (f"{EMPTY} W 00 - 0", "^passes '00'"),
        (f"{EMPTY} W 0 R 1", "^board before .* levels of"),
        (f"{EMPTY} W 0 {UNSUPPORTED} 1", "^board before .*B2/1 has no support"),
        (f"{EMPTY} W 0 - 01", "^turns '01'"),
        (f"{EMPTY} W 0 - -1", "^turns '-1'"),
        (f"{EMPTY} W 0 - 1\n", "^turns"),
    ],
)
def test_bad_text(line, message):
    with pytest.raises(ValueError, match=message):
        parse(line)
