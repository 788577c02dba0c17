"""The tables of RULES.md against the code: actions, planes, text, symmetries, numbers."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sphlag.positions import GAME, RED_HOLES, at, board, holes, number, random_positions

import ludarium

PAGE = Path(ludarium.sphlag.__file__).with_name("RULES.md").read_text("utf-8")

# ---------------------------------------------------------------- reading the page


def table(first: str, second: str) -> list[list[str]]:
    """The rows below the heading ``| first | second ...``, cells without backquotes."""
    pattern = rf"^\| {re.escape(first)} \| {re.escape(second)} .*\|\n\|[-|]+\|\n((?:\|.*\|\n)+)"
    found = re.findall(pattern, PAGE, re.M)
    assert len(found) == 1, f"tables {first} | {second}: {len(found)}"
    return [
        [cell.strip().strip("`") for cell in row.strip("|").split("|")]
        for row in found[0].splitlines()
    ]


def span(cell: str) -> range:
    """The numbers of a cell like 9-17 or 267."""
    low, _, high = cell.partition("-")
    return range(int(low), int(high or low) + 1)


def turned(hole: str) -> str:
    """The hole that Black reads for a hole of a table: column and row n become 8 - n."""
    return f"{'GFEDCBA'['ABCDEFG'.index(hole[0])]}{8 - int(hole[1])}/{hole[3]}"


def texts_of_the_page(player: int) -> list[str]:
    """The text of each action number of a player, as the page has it."""
    texts = [""] * GAME.num_distinct_actions
    for action, hole in enumerate(table("number", "0")[player][1:]):
        texts[action] = hole
    for start, numbers, ends in table("from", "numbers"):
        actions, targets = span(numbers), ends.split()
        assert len(actions) == len(targets)
        for action, end in zip(actions, targets, strict=True):
            assert texts[action] == ""
            pair = (turned(start), turned(end)) if player else (start, end)
            texts[action] = "-".join(pair)
    texts[-1] = "pass"
    return texts


# ---------------------------------------------------------------- actions


def test_layout_of_the_numbers() -> None:
    """9 placings, 258 moves, the pass: 268 numbers, none twice and none left over."""
    (places, _), (moves, _), (last, _) = table("numbers", "what")
    assert (len(span(places)), len(span(moves)), len(span(last))) == (9, 258, 1)
    assert [*span(places), *span(moves), *span(last)] == list(range(GAME.num_distinct_actions))
    for player in (0, 1):
        texts = texts_of_the_page(player)
        assert "" not in texts and len(set(texts)) == 268


def test_order_of_the_numbers() -> None:
    """Holes count in the order of the text, pairs by their first hole and then their second."""
    white, black = texts_of_the_page(0), texts_of_the_page(1)
    order = {hole: i for i, hole in enumerate(holes())}
    key = [[order[hole] for hole in text.split("-")] for text in white[:-1]]
    assert key[:9] == sorted(key[:9]) and key[9:] == sorted(key[9:])
    assert [turned(hole) for hole in white[:9]] == black[:9]
    assert set(white[:9]) == {
        hole for hole in holes() if number(hole) > 8 and hole not in RED_HOLES
    }


def test_every_number_has_its_text() -> None:
    """Number and text are as on the page, and each of the 268 is legal in some position."""
    expected = texts_of_the_page(0), texts_of_the_page(1)
    missing = [set(range(268)), set(range(268))]
    for state in random_positions(20_000, seed=268):
        player = state.current_player()
        for action in missing[player].intersection(state.legal_actions()):
            assert state.action_to_string(action) == expected[player][action]
            assert state.string_to_action(expected[player][action]) == action
            missing[player].remove(action)
        if missing == [set(), set()]:
            break
    assert missing == [set(), set()]


@pytest.mark.parametrize("position, text, action", table("position", "action"))
def test_examples(position: str, text: str, action: str) -> None:
    """The worked examples of the page."""
    state = at(position)
    assert state.string_to_action(text) == int(action)
    assert state.action_to_string(int(action)) == text


@pytest.mark.parametrize(
    "position, text, action",
    [
        ("R.....R..R.....R/........./..../. W 0 - 0", "G3/0", 0),
        ("R.....R..R.....R/........./..../. W 0 - 0", "E5/0", 1),
        ("R.....R..R.....R/........./..../. W 0 - 0", "G5/0", 2),
        ("R.....R..R.....R/........./..../. W 0 - 0", "C7/0", 3),
        ("R.....R..R.....R/........./..../. W 0 - 0", "E7/0", 4),
        ("R.....R..R...W.R/........./..../. W 0 - 0", "C7/0-A5/0", 101),
    ],
)
def test_numbers_of_the_contract(position: str, text: str, action: int) -> None:
    """These numbers are promised to users and must not change."""
    assert at(position).string_to_action(text) == action


# ---------------------------------------------------------------- planes


def test_names_of_the_planes() -> None:
    """The page lists every channel by its number and name, in order."""
    rows = table("channel", "name")
    assert [int(channel) for channel, _, _ in rows] == list(range(GAME.observation_shape[2]))
    assert [name for _, name, _ in rows] == list(GAME.observation_planes)
    assert GAME.observation_shape == (7, 7, 25)


def expected_planes(state: Any, player: int) -> dict[str, Any]:
    """What the page says of each channel, from the text of the position alone."""
    text, side, passes, before, turns = state.to_string().split(" ")
    mine, theirs = "WB"[player], "WB"[1 - player]
    flags = {"W": "G7/0", "B": "A1/0"}
    touch = {"W": {"E7/0", "F6/1", "G5/0"}, "B": {"A3/0", "B2/1", "C1/0"}}
    now, past = board(text), {} if before == "-" else board(before)
    half = {h for h in holes() if h not in RED_HOLES and (number(h) - 8) * (1 - 2 * player) > 0}
    left = state.game.max_turns - int(turns)

    def cells(found: set[str]) -> Any:
        plane = np.zeros((7, 7), np.int8)
        for hole in found if player == 0 else map(turned, found):
            plane[int(hole[1]) - 1, "ABCDEFG".index(hole[0])] = 1
        return plane

    def spheres(colours: dict[str, str], colour: str, level: int) -> Any:
        return cells({h for h, c in colours.items() if c == colour and h[3] == str(level)})

    def everywhere(fact: bool) -> Any:
        return np.full((7, 7), fact, np.int8)

    planes = {}
    for colours, when in ((now, ""), (past, ", before the last turn")):
        for colour, whose in ((mine, "my"), (theirs, "their")):
            for level in (0, 1, 2):
                planes[f"{whose} spheres, level {level}{when}"] = spheres(colours, colour, level)
    return planes | {
        "my flag": cells({flags[mine]}),
        "their flag": cells({flags[theirs]}),
        "walls": cells({"C5/0", "E3/0"}),
        "my half": cells(half),
        "holes that touch their flag": cells(touch[theirs]),
        "holes that touch my flag": cells(touch[mine]),
        "the last turn was a pass": everywhere(passes != "0"),
        "my supply is empty": everywhere(list(now.values()).count(mine) == 16),
        "their supply is empty": everywhere(list(now.values()).count(theirs) == 16),
        "40 turns or fewer to max_turns": everywhere(left <= 40),
        "10 turns or fewer to max_turns": everywhere(left <= 10),
        "I am to move": everywhere(not state.is_terminal() and side == mine),
        "ones": everywhere(True),
    }


def test_planes() -> None:
    """Both players' observations are what the page says, in play and after the end."""
    states = list(random_positions(200, seed=25))
    for seed in range(6):  # boards before the last turn, and endings
        rng, state = random.Random(seed), GAME.new_initial_state()
        while not state.is_terminal():
            state = state.child(rng.choice(state.legal_actions()))
            states.append(state)
    states.append(at("RBWWBWRWWRWWWWWR/.WWWW.WW./..../. W 0 - 160"))  # an empty supply
    states += [at(f"R.....R..R.....R/........./..../. B 1 - {n}") for n in (159, 160, 189, 190)]
    lit = np.zeros(25, bool)
    for state in states:
        for player in (0, 1):
            planes = expected_planes(state, player)
            expected = np.stack([planes[name] for name in GAME.observation_planes], axis=-1)
            found = state.observation_tensor(player)
            wrong = (found != expected).any((0, 1))
            assert not wrong.any(), (state, np.array(GAME.observation_planes)[wrong])
            lit |= found.any((0, 1))
    assert lit.all()


def test_the_place_of_a_hole() -> None:
    """E7/0 is at row 6, column 4 for White, and at row 0, column 2 for Black."""
    state = at("R.....R..R....WR/........./..../. B 0 - 1")
    assert np.argwhere(state.observation_tensor(0)[:, :, 0]).tolist() == [[6, 4]]
    assert np.argwhere(state.observation_tensor(1)[:, :, 3]).tolist() == [[0, 2]]


# ---------------------------------------------------------------- text, symmetries, numbers


def test_diagram_of_the_board() -> None:
    """The picture of the page marks flags, walls, touch holes, halves and the diagonal."""
    picture = PAGE.split("```")[1].splitlines()[3:]
    heads = PAGE.split("```")[1].splitlines()[2]
    marks = {}
    for line in picture:
        for i, mark in enumerate(line):
            if mark in "Ftb#w-":
                level = sum(i >= border for border in (17, 34, 50))
                row = re.findall(r"\d", line[:i])[-1]
                marks[f"{heads[i]}{row}/{level}"] = mark
    touch = {"E7/0", "F6/1", "G5/0", "A3/0", "B2/1", "C1/0"}
    for hole in holes():
        expected = "-" if number(hole) == 8 else "w" if number(hole) > 8 else "b"
        expected = "t" if hole in touch else expected
        expected = {"A1/0": "F", "G7/0": "F", "C5/0": "#", "E3/0": "#"}.get(hole, expected)
        assert marks[hole] == expected, hole
    assert len(marks) == 30


def test_fields_of_the_text() -> None:
    """The page names the five fields in order, by the words that errors use."""
    fields = [field for field, _, _ in table("field", "what")]
    good = ["R.....R..R.....R/........./..../.", "W", "0", "-", "0"]
    assert fields == ["levels", "side", "passes", "levels before", "turns"]
    for i, field in enumerate(fields):
        with pytest.raises(ValueError, match=f"^{field} 'x'"):
            at(" ".join([*good[:i], "x", *good[i + 1 :]]))


def test_two_symmetries() -> None:
    """The identity, and columns for rows, as the page says."""
    (planes, actions), (mirrored, moved) = GAME.symmetries()
    assert planes.tolist() == list(range(7 * 7 * 25)) and actions.tolist() == list(range(268))
    tensor = np.arange(7 * 7 * 25).reshape(7, 7, 25)
    assert (tensor.flat[mirrored].reshape(7, 7, 25) == tensor.transpose(1, 0, 2)).all()
    texts = texts_of_the_page(0)
    for action, image in enumerate(moved):
        swap = [
            f"{'ABCDEFG'[int(hole[1]) - 1]}{'ABCDEFG'.index(hole[0]) + 1}/{hole[3]}"
            for hole in texts[image].split("-")
            if hole != "pass"
        ]
        assert texts[action] == ("-".join(swap) or "pass")


def test_numbers_to_check_against() -> None:
    """Perft from the start."""
    (row,) = table("depth", "1")
    start = GAME.new_initial_state()
    assert [int(count) for count in row[1:]] == [ludarium.perft(start, d) for d in (1, 2, 3, 4)]


def test_version() -> None:
    """The last line of the version history is the version of the game."""
    assert int(table("version", "package")[-1][0]) == GAME.version
