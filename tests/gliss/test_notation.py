"""Gliss in text: what is refused and why, diagrams, results in words."""

from __future__ import annotations

import re
from typing import Any

import pytest

import ludarium

pytestmark = pytest.mark.quick

GAME = ludarium.load_game("gliss")
EMPTY = "/".join(["12"] * 12)
BASE = f"{EMPTY[:-5]}RR10/RR10"  # on a1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has 1 fields, not 4: board, side, chosen core, turns"),
        (f"{EMPTY} R -", "has 3 fields"),
        (f"{EMPTY}  R - 0", "has 5 fields"),
        (f"{EMPTY} R - 0 ", "has 5 fields"),
        (f"{EMPTY} R - 0\n", r"turns '0\n'"),
        ("/".join(["13"] * 13) + " R - 0", "13 rows; this game has board_size=12"),
        ("/".join(["12"] * 11) + " R - 0", "11 rows; this game has board_size=12"),
        (f"{EMPTY}/ R - 0", "13 rows; this game has board_size=12"),
        (f"{EMPTY[:-2]}11 R - 0", "board, row 1 '11': its vertices do not add up to 12"),
        (f"{EMPTY[:-2]}13 R - 0", "board, row 1 '13': its vertices do not add up to 12"),
        (f"13{EMPTY[2:]} R - 0", "board, row 12 '13': its vertices do not add up to 12"),
        (f"{EMPTY[:-2]} R - 0", "board, row 1 '': its vertices do not add up to 12"),
        (f"{EMPTY[:-2]}99999999999999999999 R - 0", "do not add up to 12"),
        (f"{EMPTY[:-2]}{'9' * 5000} R - 0", "do not add up to 12"),
        (f"{EMPTY[:-2]}66 R - 0", "board, row 1 '66': its vertices do not add up"),
        (f"{EMPTY[:-2]}012 R - 0", "board, row 1 '012': '0' is not R, B or a number without"),
        (f"{EMPTY[:-2]}0R11 R - 0", "board, row 1 '0R11': '0' is not R, B or a number without"),
        (f"{EMPTY[:-2]}R0R10 R - 0", "board, row 1 'R0R10': '0' is not R, B or a number"),
        (f"{EMPTY[:-2]}r11 R - 0", "board, row 1 'r11': 'r' is not R, B or a number"),
        (f"{EMPTY[:-2]}1² R - 0", "board, row 1 '1²': '²' is not R, B or a number"),
        (f"{EMPTY[:-2]}RR10 R - 0", "board, Red's a1 b1: not a base, a glider or a tower"),
        (f"{EMPTY[:-2]}9BBB B - 0", "board, Blue's j1 k1 l1: not a base, a glider or a tower"),
        (f"{EMPTY} W - 0", "side 'W': the side to move is R or B"),
        (f"{EMPTY} r - 0", "side 'r': the side to move is R or B"),
        (f"{EMPTY} RB - 0", "side 'RB': the side to move is R or B"),
        (f"{EMPTY}  - 0", "side '': the side to move is R or B"),
        (f"{EMPTY} R - 00", "turns '00': a number without leading zeros"),
        (f"{EMPTY} R - -1", "turns '-1'"),
        (f"{EMPTY} R - x", "turns 'x'"),
        (f"{EMPTY} R - ", "turns ''"),
        (f"{EMPTY} R m1 0", "chosen core 'm1': it is a vertex, a1 to l12, or -"),
        (f"{EMPTY} R a13 0", "chosen core 'a13': it is a vertex, a1 to l12, or -"),
        (f"{EMPTY} R a01 0", "chosen core 'a01': it is a vertex, a1 to l12, or -"),
        (f"{EMPTY} R A1 0", "chosen core 'A1': it is a vertex"),
        (f"{EMPTY} R  0", "chosen core '': it is a vertex"),
        (f"{EMPTY} R a1 0", "chosen core 'a1': no glider of Red has its core there"),
        (f"{BASE} B a1 0", "chosen core 'a1': no glider of Blue has its core there"),
        (f"{EMPTY[:-2]}R11 R a1 0", "chosen core 'a1': no glider of Red has its core there"),
        (f"{EMPTY[:-5]}R11/RR10 R b1 0", "chosen core 'b1': no glider of Red has its core"),
        (f"{EMPTY[:-5]}RB10/RRB9 R a1 0", "chosen core 'a1': this glider cannot fly"),
    ],
)
def test_bad_text(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        GAME.state_from_string(text)


def test_text_of_another_type() -> None:
    for bad in (None, 3, b"x", [EMPTY]):
        with pytest.raises(TypeError, match="a position is a str"):
            GAME.state_from_string(bad)


@pytest.mark.parametrize("n", range(12, 20))
def test_each_size_reads_its_own_text_only(n: int) -> None:
    line = "/".join([str(n)] * n) + " R - 0"
    for m in range(12, 20):
        game = ludarium.load_game("gliss", board_size=m)
        if m == n:
            assert game.state_from_string(line) == game.new_initial_state()
        else:
            with pytest.raises(ValueError, match=f"{n} rows; this game has board_size={m}"):
                game.state_from_string(line)


def shown(text: str, **options: Any) -> str:
    return str(ludarium.load_game("gliss", **options).state_from_string(text))


def test_diagram() -> None:
    text = "12/12/12/12/3RR1BB4/3RR1BB4/12/12/12/9B2/B7BB2/8R2R R d8 1"
    lines = shown(text).splitlines()
    assert lines[0] == lines[13] == "    a b c d e f g h i j k l"
    assert lines[5] == " 8  . . . * * . b b . . . .  8"
    assert lines[6] == " 7  . . . * B . b b . . . .  7"
    assert lines[12] == " 1  . . . . . . . . T . . T  1"
    assert lines[14:16] == [
        "Red: 1 base, 0 gliders, 2 towers of 12",
        "Blue: 1 base, 1 glider, 1 tower of 12",
    ]
    assert lines[16].startswith("Red flies the glider with its core on d8 (*): ")
    assert set(lines[16].split(": ")[1].split("; ")[0].split(" ")) == {
        "-d5", "-e5", "-f6", "-g7", "-g7*", "-g8",
    }  # fmt: skip
    assert lines[16].endswith("; 1 turn")
    big = shown("/".join(["19"] * 19) + " B - 0", board_size=19).splitlines()
    assert big[0].split() == list("abcdefghijklmnopqrs")
    assert big[1].startswith("19  .") and big[1].endswith(".  19")
    assert big[-1] == "Blue to move; 0 turns"


TWELVE = "/".join(["R1R1R1R1R3", "12", "R1R1R1R1R3", "12", "R1R9"])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{BASE} B - 3", "Red has won: Blue has no base left"),
        (f"{BASE} R - 4", "Red has won: Blue has no base left after Blue's own turn"),
        (f"{EMPTY} R - 4", "Red has won: Blue has no base left after Blue's own turn"),
        (
            f"{TWELVE}/12/12/12/12/12/RR8BB/RR8BB R - 20",
            "Red has won: Red starts the turn with 12 towers",
        ),
        ("/".join(["12", "BB1BB1BB1BB1", "BB1BB1BB1BB1"] * 4) + " R - 2",
         "Blue has won: Red has no legal turn"),
        (f"{EMPTY[:-5]}RR8BB/RR8BB R - 432", "no winner: max_turns reached"),
    ],
)  # fmt: skip
def test_results_in_words(text: str, reason: str) -> None:
    assert shown(text).splitlines()[-1].startswith(f"{reason}; ")
