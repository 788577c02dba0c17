"""The rule book of Gygès as tests: one for each ruling G1-G15 of RULES.md, named after it.

Everything goes through the public interface. Positions are in text notation: rows 1 to 6, each from
column a; the side to move; the stage; the turns completed. `positions.py` says how they are read:
`can(state)` are its legal actions, `ends(state, cell)` where the piece on a cell can land,
`drops(state)` where the piece in hand can go. Where South is shown to do something, North does the
same on the board turned by 180 degrees.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gyges import walks
from gyges.positions import (
    CELLS,
    GAME,
    START,
    at,
    beside,
    board,
    can,
    drops,
    ends,
    filled,
    near,
    play,
    playable,
    random_positions,
    turned,
)
from gyges.texts import mirror

import ludarium

pytestmark = pytest.mark.quick

LOOP = "001330/000000/000000/000000/212233/000121 S move 20"
RUNNERS = "000000/000000/000000/300303/110011/222023 S move 20"


def both(text: str) -> Iterator[tuple[Any, Any]]:
    """A position and a function that names cells in it; the same for North, turned."""
    yield at(text), lambda names: set(names)
    yield at(str(mirror(text))), lambda names: {turned(name) for name in names}


# ---------------------------------------------------------------- board and set-up


def test_G1_board_and_pieces() -> None:
    """36 cells, each with its orthogonal neighbours; goals at both ends; four pieces of a kind."""
    assert Counter(board(at(START)).values()) == {1: 4, 2: 4, 3: 4}
    for cell in CELLS[:18]:  # one ring, alone in its row, the others at the far end
        text = filled({cell: 1}, reversed(CELLS))
        for state, named in both(f"{text} S move 20"):
            start = named([cell]).pop()
            assert ends(state, start) == named(beside(cell)), cell
    for column in "abcdef":  # three rings, with nothing between them and the goal
        others = [cell for cell in reversed(CELLS) if cell[0] != column]
        for state, named in both(f"{filled({column + '4': 3}, others)} S move 20"):
            start = named([column + "4"]).pop()
            assert "goal" in ends(state, start)
            assert play(state, f"{start}-goal").is_terminal()
    for wrong in ("321122", "321120", "321133"):
        with pytest.raises(ValueError, match="four of each kind"):
            at(START.replace("321123", wrong, 1))


def test_G2_set_up() -> None:
    """South arranges 1,1,2,2,3,3 in one of 90 ways, North sees it and does so too; South moves."""
    state = GAME.new_initial_state()
    assert state.to_string() == "000000/000000/000000/000000/000000/000000 S setup 0"
    assert len(can(state)) == 90
    assert {tuple(sorted(row)) for row in can(state)} == {tuple("112233")}
    state = play(state, "322131")
    assert state.to_string() == "322131/000000/000000/000000/000000/000000 N setup 1"
    assert state.observation_tensor(1).any((0, 1))[:3].all()
    assert len(can(state)) == 90
    state = play(state, "112332")
    assert state.to_string() == "322131/000000/000000/000000/000000/112332 S move 2"
    assert state.turn_number() == 2 and state.current_player() == 0
    # each reads the row from the own left: the same number, turned texts
    for action in (0, 17, 89):
        south = GAME.new_initial_state().action_to_string(action)
        assert (
            at("112233/000000/000000/000000/000000/000000 N setup 1").action_to_string(action)
            == (south[::-1])
        )


def test_G2_random_set_up() -> None:
    """With setup="random" both rows are drawn, evenly and apart, and play begins at turn 2."""
    game = ludarium.load_game("gyges", setup="random")
    assert game.new_initial_state(7) == game.new_initial_state(7)
    seen: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    same = 0
    for seed in range(9000):
        first, *between, last = game.new_initial_state(seed).to_string().split(" ")[0].split("/")
        assert between == ["000000"] * 4
        seen[0][first] += 1
        seen[1][last] += 1
        same += first == last
    for counts in seen:
        assert set(counts) == can(GAME.new_initial_state())
        assert min(counts.values()) > 60 and max(counts.values()) < 150  # 100 on average
    assert 60 < same < 150
    state = game.new_initial_state(7)
    assert (state.turn_number(), state.current_player(), state.stage()) == (2, 0, "move")
    assert len({game.new_initial_state().to_string() for _ in range(8)}) > 1
    assert GAME.new_initial_state(7) == GAME.new_initial_state(8)  # nothing is drawn


# ---------------------------------------------------------------- which piece


def test_G3_the_first_row() -> None:
    """Only pieces of the first row that is not empty, counted from the own end."""
    text = "000000/003030/201101/000000/000000/321232"
    assert playable(at(f"{text} S move 20")) == {"c2", "e2"}
    assert playable(at(f"{text} N move 20")) == {f"{column}6" for column in "abcdef"}
    for state in random_positions(150, seed=3):
        own = "123456" if state.current_player() == 0 else "654321"
        nearest = min(own.index(cell[1]) for cell in board(state))
        assert {own.index(cell[1]) for cell in playable(state)} == {nearest}


BLOCKED = {
    "030303/121211/023200/000000/000000/000000 S move 20": "acef",
    "303030/222211/000001/130000/000000/000000 S move 20": "abcdef",
    "333322/221111/000000/000000/000000/000000 S move 20": "abcdef",
    "230322/211331/000000/000100/000000/000000 S move 20": "abcdef",
}


@pytest.mark.parametrize("text", BLOCKED)
def test_G4_a_blocked_row(text: str) -> None:
    """With no move on the first row, the next row is playable; with one there, it is not."""
    for state, named in both(text):
        assert playable(state) == named(column + "2" for column in BLOCKED[text])
        for action in state.legal_actions():
            after = state.child(action)
            assert after.turn_number() == 21 or after.stage() == "drop"


def test_G4_one_free_piece_is_enough() -> None:
    """As the first blocked row, with d2 and d3 cleared: d1 can walk, and nothing else may."""
    for state, named in both("030303/121011/023022/000000/000000/000000 S move 20"):
        assert playable(state) == named(["d1"])


def test_G4_only_the_last_row_can_be_blocked() -> None:
    """With an empty row behind the first row, that row has a move."""
    for state in random_positions(300, seed=4):
        own = "123456" if state.current_player() == 0 else "654321"
        nearest = min(own.index(cell[1]) for cell in board(state))
        assert nearest == 0 or {own.index(cell[1]) for cell in playable(state)} == {nearest}


def test_G5_there_is_always_a_move() -> None:
    """In play, in crowded positions, in blocked ones, and for a piece shut in on all sides."""
    rng = random.Random(5)
    for kind in walks.KINDS:
        for _ in range(60):
            assert at(walks.made_up(rng, kind)).legal_actions()
    for stage in ("move", "drop"):
        assert all(state.legal_actions() for state in random_positions(100, 5, stage))
    # a piece of one ring in the corner between two others bounces or replaces
    for state, named in both(near({"a1": 1, "b1": 3, "a2": 2})):
        assert named(["a2", "b1"]) <= ends(state, named(["a1"]).pop())


# ---------------------------------------------------------------- walking


def test_G6_the_count() -> None:
    """As many steps as rings, turning freely, over empty cells; the cell left counts as empty."""
    for rings, cells in (
        (1, "b1 c2 d1"),
        (2, "a1 b2 c3 d2 e1"),
        (3, "c4 b3 d3 a2 c2 e2 b1 d1 f1"),
    ):
        for state, named in both(near({"c1": rings})):
            assert ends(state, named(["c1"]).pop()) == named(cells.split())
    for state, named in both(near({"c1": 2, "c2": 3, "d1": 3})):
        # nothing goes through c2 or d1; d2 needs one of them, c3 and e1 too
        assert ends(state, named(["c1"]).pop()) == named(["a1", "b2"])
    for state, named in both(near({"b1": 3, "a1": 3})):
        # by b2, a2, a1, then over the cell that it left and c1
        assert named(["c2", "d1"]) <= ends(state, named(["b1"]).pop())


def test_G7_on_an_empty_cell() -> None:
    """The move ends there; on the cell where it began the board stays as it was."""
    for state, named in both(LOOP):
        start = named(["c1"]).pop()
        after = play(state, f"{start}-{start}")
        assert board(after) == board(state)
        assert after.turn_number() == 21 and after.current_player() == 1 - state.current_player()
        end = named(["c2"]).pop()
        after = play(state, f"{start}-{end}")
        assert board(after) == {k: v for k, v in board(state).items() if k != start} | {end: 1}
        assert after.stage() == "move" and after.current_player() == 1 - state.current_player()


def test_G8_bounce_or_replace() -> None:
    """On a piece: on by the count of that piece, as often as one likes, or stay."""
    for state, named in both(near({"a1": 1, "a2": 1, "a3": 2})):
        start, there = named(["a1"]).pop(), named(["a3"]).pop()
        # a2 in one step, from there one step, a3 among them, from there two steps
        assert ends(state, start) == named(["a2", "b1", "a3", "b2", "a5", "b4", "c3"])
        half = play(state, f"{start}-{there}")
        assert half.stage() == "drop" and half.current_player() == state.current_player()
        assert half.turn_number() == 20 and board(half)[there] == 1
        assert half.to_string().split(" ")[2] == f"drop:{there}:2"
    # without a3 the second bounce is missing
    for state, named in both(near({"a1": 1, "a2": 1})):
        assert ends(state, named(["a1"]).pop()) == named(["a2", "b1", "a3", "b2"])


def test_G9_no_segment_twice() -> None:
    """A segment serves once in a move, in either direction, bounces included."""
    for state, named in both(near({"a1": 1, "a2": 1})):
        # a2 is met over the segment to a1, which then is closed
        assert not named(["a1"]) & ends(state, named(["a1"]).pop())
    for state, named in both(near({"b1": 2})):
        # out and back in two steps would take one segment twice
        assert ends(state, named(["b1"]).pop()) == named(["a2", "c2", "b3", "d1"])
    for state, named in both(near({"a1": 1, "a2": 3})):
        # three steps from a2 end on a1 by way of b2 and b1, never straight
        assert named(["a1"]) <= ends(state, named(["a1"]).pop())
    # a cell may serve twice: c1 d1, then d2 c2 c1
    for state, named in both(LOOP):
        assert named(["c1"]) <= ends(state, named(["c1"]).pop())


def test_G10_the_goal() -> None:
    """Entered from the row before it, by the last step of a count; never passed, never the own."""
    for state, named in both(RUNNERS):
        in_goal = {action for action in can(state) if action.endswith("goal")}
        # d4 in three steps; a4 lands on d4 and goes on by three; f4 has no way
        assert {action[:2] for action in in_goal} == named(["a4", "d4"])
    # d4 in a corridor: three rings enter, two stop before the goal and do not go through it
    corridor = [column + row for row in "456" for column in "abf"] + ["c4", "e4"]
    for state, named in both(f"{filled({'d4': 3}, corridor)} S move 20"):
        assert "goal" in ends(state, named(["d4"]).pop())
    for state, named in both(f"{filled({'d4': 2}, corridor)} S move 20"):
        assert ends(state, named(["d4"]).pop()) == named(["c3", "c5", "d2", "d6", "e3", "e5"])
    # two rings end on d6; by way of e6, which has two, the count fits
    for state, named in both("000000/000000/000000/100200/333011/322021 S move 20"):
        assert named(["d6"]) | {"goal"} <= ends(state, named(["d4"]).pop())
    # the own goal is closed to every first row
    for first in walks.reference.SETUP_ROWS:
        for state, _ in both(START.replace("321123", first, 1)):
            assert not any(action.endswith("goal") for action in can(state))


# ---------------------------------------------------------------- replacing


def test_G11_drop() -> None:
    """The replaced piece goes to an empty cell, not behind the opponent's first row."""
    # North's first row is row 5, row 6 is behind it
    for state, named in both("001330/000000/000000/000121/212233/000000 S move 20"):
        start, there = named(["c1"]).pop(), named(["d1"]).pop()
        half = play(state, f"{start}-{there}")
        taken = {"d1", "e1", "d4", "e4", "f4"}
        open_cells = {cell for cell in CELLS if cell[1] in "1234"} - taken
        assert drops(half) == named(open_cells)  # the cell left too; row 5 is allowed but full
        for cell in drops(half):
            after = play(half, f"={cell}")
            assert board(after) == board(half) | {cell: 3}
            assert after.turn_number() == 21 and after.stage() == "move"
            assert after.current_player() == 1 - state.current_player()
    # North's first row is row 6 although none of its pieces can move: the example of RULES.md
    for state, named in both("000000/000000/000000/002320/112121/303030 S move 20"):
        start, there = named(["c4"]).pop(), named(["b5"]).pop()
        half = play(state, f"{start}-{there}")
        assert named({"b6", "d6", "f6"}) <= drops(half) and len(drops(half)) == 25
        theirs = at(state.to_string().translate(str.maketrans("SN", "NS")))
        assert playable(theirs) == named({cell + "5" for cell in "abdf"})
    for state in random_positions(150, 11, "drop"):
        far = "654321" if state.current_player() == 0 else "123456"
        nearest = min(far.index(cell[1]) for cell in board(state))
        allowed = {cell for cell in CELLS if far.index(cell[1]) >= nearest}
        assert drops(state) == allowed - set(board(state)) != set()


def test_G12_when_that_row_is_read() -> None:
    """Before the piece is lifted, once it is lifted, or placed: the same cells are open."""
    checked = 0
    for state in random_positions(120, seed=12):
        far = "654321" if state.current_player() == 0 else "123456"
        for action in can(state):
            half = play(state, action)
            if half.stage() != "drop":
                continue
            checked += 1
            lifted = {cell: rings for cell, rings in board(state).items() if cell != action[:2]}
            for pieces in (board(state), lifted, board(half)):
                nearest = min(far.index(cell[1]) for cell in pieces)
                allowed = {cell for cell in CELLS if far.index(cell[1]) >= nearest}
                assert drops(half) == allowed - set(board(half))
    assert checked > 300


def test_G13_one_turn() -> None:
    """A turn is from, to and drop, whatever the walk: each once, and each has its own text."""
    state = at(START)
    found = [text for text, _ in ludarium.turns(state)]
    assert len(found) == len(set(found)) == ludarium.perft(state, 1) == 224
    # two ways round the corner from a1 to b3 are one action
    assert sum(action == "a1-b3" for action in map(state.action_to_string, state.legal_actions()))
    for state in random_positions(20, seed=13):
        counts = Counter(text for text, _ in ludarium.turns(state))
        assert set(counts.values()) == {1}
        assert len(counts) == ludarium.perft(state, 1)


# ---------------------------------------------------------------- the end


def test_G14_winning() -> None:
    """Who enters the opponent's goal has won; the piece has left the board, nothing is drawn."""
    won = play(at(RUNNERS), "d4-goal")
    assert won.to_string() == "000000/000000/000000/300003/110011/222023 N goal 21"
    assert won.is_terminal() and not won.is_truncated() and won.returns() == [1.0, -1.0]
    assert won.current_player() == -1 and won.legal_actions() == []
    lost = play(at(str(mirror(RUNNERS))), "c3-goal")
    assert lost.to_string() == mirror(won.to_string()) and lost.returns() == [-1.0, 1.0]
    for state in random_positions(100, seed=14):
        for action in can(state):
            assert play(state, action).is_terminal() == action.endswith("goal")


def test_G15_length() -> None:
    """After max_turns turns, set-up included, the game is truncated; the last may still win."""
    assert GAME.max_turns == 200 == GAME.options["max_turns"]
    last = at(RUNNERS.replace("move 20", "move 199"))
    cut = play(last, "f4-f3")
    assert cut.is_terminal() and cut.is_truncated() and cut.returns() == [0.0, 0.0]
    assert cut.legal_actions() == [] and cut.current_player() == -1
    won = play(last, "d4-goal")
    assert won.is_terminal() and not won.is_truncated() and won.returns() == [1.0, -1.0]
    # a landing on a piece is half of the last turn
    half = play(at("001330/000000/000000/000121/212233/000000 S move 199"), "c1-d1")
    assert not half.is_terminal() and play(half, "=c1").is_truncated()
    for turns in (200, 201, 5000):
        assert at(RUNNERS.replace("move 20", f"move {turns}")).is_truncated()
        assert at(won.to_string().replace("goal 200", f"goal {turns}")).returns() == [1.0, -1.0]
    short = ludarium.load_game("gyges", max_turns=3).new_initial_state()
    short = play(short, "321123", "321123")
    assert not short.is_terminal() and play(short, "a1-a4").is_truncated()
    # the longest games: one action a set-up, two actions a turn
    for limit, longest in ((1, 1), (2, 2), (3, 4), (200, 398)):
        assert ludarium.load_game("gyges", max_turns=limit).max_game_length == longest
    drawn = ludarium.load_game("gyges", max_turns=200, setup="random")
    assert drawn.max_game_length == 396


def test_every_ruling_has_its_test() -> None:
    """RULES.md has G1 to G15 in order, each with its mark, and this file a test for each."""
    page = Path(ludarium.gyges.__file__).with_name("RULES.md").read_text("utf-8")
    marks = re.findall(r"^- \*\*G(\d+)\*\* \(([TFD/-]+)\) \*\*", page, re.M)
    assert [int(n) for n, _ in marks] == list(range(1, 16))
    assert " ".join(mark for _, mark in marks) == "T T/D T D F T T/D T T T/D T/D F - T D"
    text = Path(__file__).read_text("utf-8")
    assert {int(n) for n in re.findall(r"^def test_G(\d+)_", text, re.M)} == set(range(1, 16))


def test_the_page_names_the_program_that_differs() -> None:
    """Boardspace forbids the null move (G7) and reads the limit of a drop otherwise (G11)."""
    page = Path(ludarium.gyges.__file__).with_name("RULES.md").read_text("utf-8")
    words = re.sub(r"\s+", " ", page)
    for number in (7, 11):
        ruling = words.split(f"- **G{number}** ")[1].split(f"- **G{number + 1}** ")[0]
        assert "[other programs](#other-programs)" in ruling
    chapter = words.split("## Other programs")[1].split("## ")[0]
    assert "Boardspace" in chapter and "AbstractPlay" in chapter
    assert "its lists of turns equal ours on 2,000 positions" in chapter
