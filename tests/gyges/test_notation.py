"""Bad text in Gygès: every field, wrong in several ways, is refused and named; and diagrams."""

from __future__ import annotations

import pytest
from gyges.positions import GAME, START, at, can, play

import ludarium

pytestmark = pytest.mark.quick

FIELDS = ("rows", "side", "stage", "turns")
GOOD = START.split(" ")
ROWS = GOOD[0]
DROP = "310032/000000/000000/000010/002000/203113 S drop:e4:2 4"

BAD = [
    *(
        (0, rows, "six rows of six digits 0 to 3")
        for rows in (
            "",
            "-",
            ROWS[:-1],
            ROWS + "0",
            ROWS[:-7],
            ROWS + "/000000",
            ROWS + "/",
            ROWS.replace("/", ""),
            ROWS.replace("/", ",", 1),
            ROWS.replace("000000", "6", 1),
            ROWS.replace("3", "4", 1),
            ROWS.replace("3", ".", 1),
            ROWS.replace("3", "\N{SUPERSCRIPT TWO}", 1),
            ROWS.replace("3", "\N{ARABIC-INDIC DIGIT THREE}", 1),
        )
    ),
    (0, ROWS.replace("321123", "321120", 1), "4 of 1 ring, 4 of 2 rings, 3 of 3 rings; there are"),
    (0, ROWS.replace("321123", "321122", 1), "4 of 1 ring, 5 of 2 rings, 3 of 3 rings; there are"),
    (0, ROWS.replace("000000", "100000", 1), "5 of 1 ring, 4 of 2 rings, 4 of 3 rings; there are"),
    (0, "/".join(["000000"] * 6), "0 of 1 ring, 0 of 2 rings, 0 of 3 rings; there are four"),
    *((1, side, "the side to move is S or N") for side in ("", "s", "n", "W", "SN", "0", "South")),
    *(
        (2, stage, "setup, move, goal, or drop:CELL:RINGS")
        for stage in (
            "",
            "Move",
            "set-up",
            "drop",
            "drop:",
            "drop:d2",
            "drop:d2:",
            "drop:d2:0",
            "drop:d2:4",
            "drop:d7:1",
            "drop:g2:1",
            "drop:D2:1",
            "drop:2d:1",
            "drop:d2:1:1",
            "drop:goal:1",
            "drop:d2:\N{SUPERSCRIPT TWO}",
            "won",
            "-",
        )
    ),
    *(
        (3, turns, "without leading zeros")
        for turns in ("", "-1", "00", "01", "007", "+1", "1.0", "1e3", "x", "-", "0x1", "1_0")
    ),
    (3, "1000000000", "below 1000000000"),
    (3, "\N{SUPERSCRIPT TWO}", "without leading zeros"),
]


@pytest.mark.parametrize("field, bad, message", BAD, ids=[f"{FIELDS[b[0]]}={b[1]}" for b in BAD])
def test_a_wrong_field_is_named(field: int, bad: str, message: str) -> None:
    """The message begins with the name of the field and the wrong value, and says what is wrong."""
    with pytest.raises(ValueError, match=message) as caught:
        at(" ".join([*GOOD[:field], bad, *GOOD[field + 1 :]]))
    assert str(caught.value).startswith(f"{FIELDS[field]} {bad!r}")


@pytest.mark.parametrize(
    "text, count",
    [
        ("", 1),
        (ROWS, 1),
        (f"{ROWS} S move", 3),
        (f"{START} 0", 5),
        (f"{START} ", 5),
        (f" {START}", 5),
        (START.replace(" ", "  ", 1), 5),
        (START.replace(" ", "\t", 1), 3),
    ],
)
def test_four_fields(text: str, count: int) -> None:
    """There are four fields with one space between them."""
    with pytest.raises(ValueError, match=f"has {count} fields, not 4: rows, side, stage, turns"):
        at(text)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\0", "\N{NO-BREAK SPACE}"])
def test_nothing_follows_the_text(end: str) -> None:
    """A line end belongs to a file, not to a position."""
    with pytest.raises(ValueError, match="turns"):
        at(START + end)


# ---------------------------------------------------------------- counts and stages


@pytest.mark.parametrize(
    "text, field, message",
    [
        # a set-up that is none
        ("321123/000000/000000/000000/000000/000000 S setup 0", "rows", "before South sets up"),
        ("000000/000000/000000/000000/000000/321123 S setup 0", "rows", "before South sets up"),
        ("000000/000000/000000/000000/000000/000000 N setup 1", "rows", "not South's set-up"),
        ("321122/000000/000000/000000/000000/000000 N setup 1", "rows", "of 1,1,2,2,3,3"),
        ("111222/000000/000000/000000/000000/000000 N setup 1", "rows", "row 1 is 111222"),
        ("000000/321123/000000/000000/000000/000000 N setup 1", "rows", "row 1 is 000000"),
        (f"{ROWS} N setup 1", "rows", "all but row 1 before North"),
        ("321123/000000/000000/000300/000000/000000 N setup 1", "rows", "all but row 1"),
        # a piece in hand that does not fit, and no piece where the mover should stand
        (DROP.replace(":2", ":1"), "rows", "piece in hand of stage 'drop:e4:1'.* 5 of 1 ring"),
        (DROP.replace(":2", ":3"), "rows", "piece in hand of stage 'drop:e4:3'.* 5 of 3 rings"),
        (f"{ROWS} S drop:a1:2 2", "rows", "piece in hand .* 5 of 2 rings"),
        (DROP.replace("e4", "e5"), "stage", "e5 is empty"),
        # a goal that took none or two
        (f"{ROWS} N goal 3", "rows", "eleven are left"),
        ("000000/010032/200030/301210/030003/000000 N goal 27", "rows", "eleven are left"),
        ("000000/010032/200030/301210/030000/000000 N goal 27", "rows", "eleven are left"),
        # eleven pieces without a piece in the goal
        ("000000/010032/200030/301210/030002/000000 N move 27", "rows", "four of each kind"),
    ],
)
def test_pieces_that_do_not_fit_the_stage(text: str, field: str, message: str) -> None:
    """Counts are checked in every stage."""
    with pytest.raises(ValueError, match=message) as caught:
        at(text)
    assert str(caught.value).startswith(field)


@pytest.mark.parametrize(
    "text",
    [
        START.replace("S", "N"),  # who has made how many turns is not asked
        START.replace(" 2", " 0"),
        "000000/000000/000000/000000/000000/000000 S setup 17",
        "333322/221111/000000/000000/000000/000000 N move 7",  # nor whether play leads here
        "000000/010032/200030/301210/030002/000000 S goal 0",
        "310032/000000/000000/000010/002000/203113 N drop:a1:2 999999999",
        DROP.replace("e4", "a1"),
    ],
)
def test_unreachable_positions_are_read(text: str) -> None:
    """The checks are local: what each field says is looked at, not how it came about."""
    assert at(text).to_string() == text


@pytest.mark.parametrize("text", [s.to_string() for s in (GAME.new_initial_state(),)])
def test_no_set_up_where_it_is_drawn(text: str) -> None:
    """Under setup="random" nobody arranges anything; the other stages are read."""
    drawn = ludarium.load_game("gyges", setup="random")
    after = text.replace("000000", "321123", 1).replace("S setup 0", "N setup 1")
    for setup in (text, after):
        assert at(setup).to_string() == setup
        with pytest.raises(ValueError, match=r"^stage 'setup': with setup='random'"):
            drawn.state_from_string(setup)
    for text in (START, DROP, "000000/010032/200030/301210/030002/000000 N goal 27"):
        assert drawn.state_from_string(text).to_string() == text


@pytest.mark.parametrize("value", ["", "Random", "drawn", None, 1, True, ["random"]])
def test_setup_option(value: object) -> None:
    """The option has two values; the message names it and both."""
    with pytest.raises(ValueError, match=r"setup=.* 'chosen' or 'random'"):
        ludarium.load_game("gyges", setup=value)


@pytest.mark.parametrize(
    "text",
    ["", "a1", "a1-a4 ", "A1-A4", "a1a4", "a1-a4=a1", "=a1", "321123", "a6-a3", "a1-goal", "102"],
)
def test_action_text(text: str) -> None:
    """Only the exact text of a legal action is one; the message lists some that are."""
    with pytest.raises(ludarium.IllegalActionError, match=r"legal: a1-a4, a1-b3") as caught:
        at(START).string_to_action(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("text", ["111222", "11223", "1122333", "123456", "332210", "112233 "])
def test_a_first_row_that_is_none(text: str) -> None:
    """A set-up is an arrangement of 1,1,2,2,3,3."""
    with pytest.raises(ludarium.IllegalActionError, match="legal: 112233, 112323"):
        GAME.new_initial_state().string_to_action(text)


# ---------------------------------------------------------------- diagrams


def test_diagram() -> None:
    """Both goals, coordinates, the piece that moved, the one in hand, the last turn, the status."""
    state = play(at(START), "c1-e1")
    board = [
        "   North's goal",
        "     a  b  c  d  e  f",
        " 6   3  2  1  1  2  3   6",
        " 5   .  .  .  .  .  .   5",
        " 4   .  .  .  .  .  .   4",
        " 3   .  .  .  .  .  .   3",
        " 2   .  .  .  .  .  .   2",
        " 1   3  2  .  1 [1] 3   1",
        "     a  b  c  d  e  f",
        "   South's goal",
    ]
    walk = ": 1 ring by c1 d1 e1, bouncing off d1"
    status = "South to put down the replaced piece of 2 rings; 2 turns"
    assert str(state).splitlines() == [*board, f"South played c1-e1{walk}", status]
    board[4], board[7] = " 4   .  .  2  .  .  .   4", " 1   3  2  .  1  1  3   1"
    after = str(play(state, "=c4")).splitlines()
    assert after == [*board, f"South played c1-e1=c4{walk}", "North to move; 3 turns"]


def test_diagram_of_the_end() -> None:
    """The piece in the goal, and who has won."""
    won = at("000000/010032/200030/301210/030002/000000 N goal 27")
    assert str(won).startswith("   North's goal [1]\n") and "South's goal\n" in str(won)
    assert str(won).endswith("\nSouth has won: a piece has reached the goal; 27 turns")
    lost = at("000000/010032/200030/301210/030002/000000 S goal 28")
    assert "   South's goal [1]\n" in str(lost) and str(lost).endswith(
        "North has won: a piece has reached the goal; 28 turns"
    )
    cut = at(START.replace(" 2", " 200"))
    assert str(cut).endswith("\nno winner: max_turns reached; 200 turns")


def test_diagram_of_the_set_up() -> None:
    """Who is to set up, and what was set up last."""
    state = GAME.new_initial_state()
    assert str(state).endswith("\nSouth to set up; 0 turns")
    assert can(state)
    state = play(state, "321123")
    assert str(state).endswith("\nSouth played 321123\nNorth to set up; 1 turn")
