"""Bad text in Sphlag: every field, wrong in several ways, is refused and named."""

from __future__ import annotations

import pytest
from sphlag.positions import GAME, at, can

import ludarium
from ludarium.games.sphlag.notation import outcome

pytestmark = pytest.mark.quick

EMPTY = "R.....R..R.....R/........./..../."
START = [EMPTY, "W", "0", "-", "0"]
FIELDS = ("levels", "side", "passes", "levels before", "turns")

BAD_LEVELS = [
    ("", "16, 9, 4 and 1 holes"),
    ("-", "16, 9, 4 and 1 holes"),
    ("R.....R..R.....R/........./....", "16, 9, 4 and 1 holes"),  # no level 3
    ("R.....R..R.....R/........./..../", "16, 9, 4 and 1 holes"),
    ("R.....R..R.....R/........./..../../", "16, 9, 4 and 1 holes"),
    ("R.....R..R.....R/........./..../.W", "16, 9, 4 and 1 holes"),
    ("R.....R..R.....R/......../...../.", "16, 9, 4 and 1 holes"),
    ("R.....R..R....R/........./..../.", "16, 9, 4 and 1 holes"),  # one hole short
    ("R.....R..R......R/........./..../.", "16, 9, 4 and 1 holes"),
    ("./..../........./R.....R..R.....R", "16, 9, 4 and 1 holes"),
    ("R...../R..R.....R/........./..../.", "16, 9, 4 and 1 holes"),
    ("R5R2R5R/9/4/1", "16, 9, 4 and 1 holes"),  # no runs in this game
    ("R..x..R..R.....R/........./..../.", "'x' is none of R, W, B and ."),
    ("R..w..R..R.....R/........./..../.", "'w' is none of R, W, B and ."),
    ("R..0..R..R.....R/........./..../.", "'0' is none of R, W, B and ."),
    ("R.....R..R.....R/....-..../..../.", "'-' is none of R, W, B and ."),
    (".R....R..R.....R/........./..../.", "A1/0 has '.'; the reds are on A1, E3, C5, G7"),
    ("R....R...R.....R/........./..../.", "C3/0 has 'R'; the reds are on A1, E3, C5, G7"),
    ("R.....B..R.....R/........./..../.", "E3/0 has 'B'; the reds are on A1, E3, C5, G7"),
    ("R.....R..W.....R/........./..../.", "C5/0 has 'W'; the reds are on A1, E3, C5, G7"),
    ("R.....R..R....../........./..../.", "G7/0 has '.'; the reds are on A1, E3, C5, G7"),
    ("R.....R..R....RR/........./..../.", "E7/0 has 'R'; the reds are on A1, E3, C5, G7"),
    ("R.....R..RW..WWR/.......R./..../.", "D6/1 has 'R'; the reds are on A1, E3, C5, G7"),
    ("R.....R..R.....R/W......../..../.", "B2/1 rests on an empty hole"),
    ("R.....R..RW...WR/.......B./..../.", "D6/1 rests on an empty hole"),  # C7 is missing
    ("R.....R..R.....R/........./...B/.", "E5/2 rests on an empty hole"),
    ("R....BRW.RWB.WWR/....WB..W/...B/.", "E5/2 rests on an empty hole"),  # D6 is missing
    ("RBBWBBRWBRWWBWWR/BBWBWWBWW/BWBW/W", "D4/3 has 'W'; it can never be filled"),
    ("R.....R..R.....R/........./..../B", "D4/3 has 'B'; it can never be filled"),
    ("R.....R..R.....R/........./..../x", "D4/3 has 'x'"),
    ("RBWWBWRWWRWWWWWR/.WWWWWWW./..../.", "17 W; a player has 16"),
    ("RWBBWBRBBRBBBBBR/.BBBBBBB./..../.", "17 B; a player has 16"),
]

BAD = [
    *((0, *bad) for bad in BAD_LEVELS),
    *((3, *bad) for bad in BAD_LEVELS if bad[0] != "-"),
    *((1, side, "the side to move is W or B") for side in ("", "w", "b", "R", "0", "WB", "white")),
    *((2, passes, "0, 1 or 2") for passes in ("", "3", "-1", "00", "01", "+1", "x", "-", "1.0")),
    *((3, before, "16, 9, 4 and 1 holes") for before in ("--", "0", "?", "None")),
    *(
        (4, turns, "without leading zeros")
        for turns in ("", "-1", "00", "01", "007", "+1", "1.0", "1e3", "x", "-", "0x1", "1_0")
    ),
    (4, "1000000000", "below 1000000000"),
    (4, "9" * 40, "below 1000000000"),
    (4, "\N{SUPERSCRIPT TWO}", "without leading zeros"),
    (4, "\N{ARABIC-INDIC DIGIT ONE}", "without leading zeros"),
]


@pytest.mark.parametrize("field, bad, message", BAD, ids=[f"{FIELDS[b[0]]}={b[1]}" for b in BAD])
def test_a_wrong_field_is_named(field: int, bad: str, message: str) -> None:
    """The message begins with the name of the field and the wrong value, and says what is wrong."""
    with pytest.raises(ValueError, match=message) as caught:
        at(" ".join([*START[:field], bad, *START[field + 1 :]]))
    assert str(caught.value).startswith(f"{FIELDS[field]} {bad!r}")


@pytest.mark.parametrize(
    "text, count",
    [
        ("", 1),
        (EMPTY, 1),
        (f"{EMPTY} W 0 -", 4),
        (f"{EMPTY} W 0 - 0 0", 6),
        (f"{EMPTY} W 0 - 0 ", 6),
        (f" {EMPTY} W 0 - 0", 6),
        (f"{EMPTY}  W 0 - 0", 6),
        (f"{EMPTY}\tW 0 - 0", 4),
    ],
)
def test_five_fields(text: str, count: int) -> None:
    """There are five fields with one space between them."""
    with pytest.raises(ValueError, match=rf"has {count} fields, not 5: levels, side, passes"):
        at(text)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\0", "\N{NO-BREAK SPACE}"])
def test_nothing_follows_the_text(end: str) -> None:
    """A line end belongs to a file, not to a position."""
    with pytest.raises(ValueError, match="turns"):
        at(f"{EMPTY} W 0 - 0{end}")


@pytest.mark.parametrize("text", [None, 5, b"R", [EMPTY, "W", "0", "-", "0"], EMPTY.split])
def test_no_string(text: object) -> None:
    """Something that is no string is refused as such."""
    with pytest.raises(TypeError, match="a position is a str"):
        at(text)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        f"{EMPTY} W 0 - 0",
        f"{EMPTY} B 0 - 0",  # who has made how many turns is not asked
        f"{EMPTY} W 1 - 0",
        f"{EMPTY} W 0 {EMPTY} 3",
        f"{EMPTY} B 2 RBBWBBRWBRWWBWWR/BBWBWWBWW/BWBW/. 199",  # nor whether play leads here
        "RBWWBWRWWRWWWWWR/.WWWW.WW./..../. W 0 - 999999999",
    ],
)
def test_unreachable_positions_are_read(text: str) -> None:
    """The checks are local: what each field says is looked at, not how it came about."""
    assert at(text).to_string() == text


@pytest.mark.parametrize("turns", [0, 1, 57, 199])
def test_unknown_board_before(turns: int) -> None:
    """``-`` is unknown at any turn: no ko, but a move must still change the board (S16, S17)."""
    stacked = "R.....R..RW..WWR/.......{}./..../."
    different = at(f"{stacked.format('B')} W 0 - {turns}")
    known = at(f"{stacked.format('B')} W 0 R.....R..RW..WBR/.......W./..../. {turns}")
    assert can(different) - can(known) == {"E7/0-D6/1"} and can(known) < can(different)
    same = at(f"{stacked.format('W')} W 0 - {turns}")
    assert not {"C7/0-D6/1", "E5/0-D6/1", "E7/0-D6/1"} & can(same)
    # what the first turn from here leaves behind is known
    assert different.child(different.string_to_action("pass")).to_string() == (
        f"{stacked.format('B')} B 1 {stacked.format('B')} {turns + 1}"
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "e7/0",
        "E7",
        "E7/1",
        "E7-C7",
        "E7/0 ",
        " E7/0",
        "Pass",
        "PASS",
        "C7/0-C7/0",
        "D4/3",
        "A1/0",
    ],
)
def test_action_text(text: str) -> None:
    """Only the exact text of a legal action is one; the message lists some that are."""
    state = GAME.new_initial_state()
    with pytest.raises(ludarium.IllegalActionError, match=r"legal: G3/0, E5/0, G5/0") as caught:
        state.string_to_action(text)
    assert repr(text) in str(caught.value)


def test_diagram() -> None:
    """`str(state)` shows the levels side by side, who moves or the result, and the turns."""
    text = "R....BRW.RWB.WWR/....WB.WW/...B/. W 1 - 20"
    assert str(at(text)) == "\n".join(
        [
            "level 0        level 1        level 2",
            "   ABCDEFG        BCDEF          CDE",
            "1  R . . .     2  . . .       3  . .",
            "2              3              4",
            "3  . B R W     4  . W B       5  . B",
            "4              5",
            "5  . R W B     6  . W W",
            "6",
            "7  . W W R",
            "White to move, the last turn was a pass; 20 turns",
        ]
    )
    assert str(at(f"{EMPTY} B 0 - 3")).endswith("\nBlack to move; 3 turns")
    assert str(at(f"{EMPTY} B 2 - 9")).endswith(
        "\ndraw: equal contacts and equal spheres after two passes; 9 turns"
    )
    assert str(at("R...W.R..R.....R/........./..../. B 2 - 9")).endswith(
        "White has won: more contacts after two passes; 9 turns"
    )
    assert str(at(f"{EMPTY} B 0 - 200")).endswith("\nno winner: max_turns reached; 200 turns")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("RW..W.R..R...B.R/........./..../. B 0 - 9", "White has won: two contacts"),
        ("R.....R..R.B..BR/........./..../. W 0 - 9", "Black has won: two contacts"),
        (
            "R...W.R..R...B.R/........./..../. B 2 - 9",
            "White has won: more contacts after two passes",
        ),
        (
            "R.....R.WR..W..R/........./..../. W 2 - 9",
            "Black has won: fewer spheres after two passes, 0 to 2",
        ),
        (
            "R.....R..R..WB.R/........./..../. W 2 - 9",
            "draw: equal contacts and equal spheres after two passes",
        ),
    ],
)
def test_results_have_their_reason(text: str, words: str) -> None:
    state = at(text)
    assert state.is_terminal() and outcome(state) == words
