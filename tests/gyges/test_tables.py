"""The tables of RULES.md against the code: actions, planes, text, symmetries, numbers."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gyges import walks
from gyges.positions import CELLS, GAME, START, at, board, drops, play, playable, turned
from gyges.texts import mirror

import ludarium

PAGE = Path(ludarium.gyges.__file__).with_name("RULES.md").read_text("utf-8")

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
    """The numbers of a cell like 90-311."""
    low, _, high = cell.partition("-")
    return range(int(low), int(high or low) + 1)


def first_rows() -> list[str]:
    """The table of first rows, by number."""
    return [row for _, line in table("first", "rows") for row in line.split()]


def end_numbers() -> dict[str, int]:
    """The number of each end, as South reads it."""
    numbers = {
        column + row: int(number)
        for row, *cells in table("end", "a")
        for column, number in zip("abcdef", cells, strict=True)
    }
    return numbers | {"goal": int(re.findall(r"^The opponent's goal is end (\d+)", PAGE, re.M)[0])}


def numbers_of_the_page(player: int, row: str) -> dict[str, int]:
    """The number of each action of a player whose playable row is this one, as the page has it."""
    seen = turned if player else lambda cell: cell
    ends = {seen(end): number for end, number in end_numbers().items()}
    (columns,) = table("column", "a")
    drop = int(re.findall(r"^\*\*Drops\.\*\* The number is (\d+) plus", PAGE, re.M)[0])
    texts = {text[::-1] if player else text: n for n, text in enumerate(first_rows())}
    for column, number in zip("fedcba" if player else "abcdef", columns[1:], strict=True):
        for end, more in ends.items():
            texts[f"{column}{row}-{end}"] = int(number) + more
    return texts | {f"={cell}": drop + ends[cell] for cell in CELLS}


# ---------------------------------------------------------------- actions


def test_layout_of_the_numbers() -> None:
    """90 first rows, 6 x 37 landings, 36 drops: 348 numbers, none twice and none left over."""
    (rows, _), (landings, _), (drop, _) = table("numbers", "what")
    assert (len(span(rows)), len(span(landings)), len(span(drop))) == (90, 222, 36)
    every = [*span(rows), *span(landings), *span(drop)]
    assert every == list(range(GAME.num_distinct_actions)) == list(range(348))
    for player in (0, 1):
        assert sorted(numbers_of_the_page(player, "3").values()) == every
    for number, (first, line) in enumerate(table("first", "rows")):
        assert first == f"{10 * number}-{10 * number + 9}" and len(line.split()) == 10
    assert first_rows() == sorted(set(first_rows())) == sorted(walks.reference.SETUP_ROWS)


def test_every_number_has_its_text() -> None:
    """Number and text are as on the page, and each of the 348 is legal in some position."""
    missing = [set(range(348)), set(range(348))]
    rng = random.Random(348)
    states = [GAME.new_initial_state(), play(GAME.new_initial_state(), "321123")]
    while missing != [set(), set()]:
        if not states:
            state = at(walks.made_up(rng, rng.choice(walks.KINDS)))
            halves = [state.child(action) for action in state.legal_actions()]
            states = [state, *(half for half in halves if half.stage() == "drop")]
        state = states.pop()
        player = state.current_player()
        row = next(iter(playable(state)), "a3")[1]
        page = numbers_of_the_page(player, row)
        for action in state.legal_actions():
            assert page[state.action_to_string(action)] == action
        missing[player].difference_update(state.legal_actions())


@pytest.mark.parametrize("position, text, action", table("position", "action"))
def test_examples(position: str, text: str, action: str) -> None:
    """The worked examples of the page."""
    state = at(position)
    assert state.string_to_action(text) == int(action)
    assert state.action_to_string(int(action)) == text


@pytest.mark.parametrize(
    "position, text, action",
    [
        ("000000/000000/000000/000000/000000/000000 S setup 0", "112233", 0),
        ("321123/000000/000000/000000/000000/000000 N setup 1", "112233", 89),
        (START, "a1-a4", 102),
        (START.replace("S", "N"), "f6-f3", 102),
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
    assert GAME.observation_shape == (6, 6, 16)


def movable(state: Any, side: str) -> set[str]:
    """The pieces that a side could move, by the reference."""
    text, _, stage, _ = state.to_string().split(" ")
    if stage == "setup" and text.count("0") == 36:
        return set()
    position = walks.reference.Position(tuple(text.split("/")), side, "move", 0)
    return {action[:2] for action in walks.reference.actions(position)}


def expected_planes(state: Any, player: int) -> dict[str, Any]:
    """What the page says of each channel, from the text of the position and the reference."""
    _, side, stage, turns = state.to_string().split(" ")
    pieces = board(state)
    left = state.game.max_turns - int(turns)
    _, mover, hand = stage.split(":") if stage.startswith("drop") else (stage, None, "0")

    def cells(found: Any) -> Any:
        plane = np.zeros((6, 6), np.int8)
        for cell in found if player == 0 else map(turned, found):
            plane[6 - int(cell[1]), "abcdef".index(cell[0])] = 1
        return plane

    def everywhere(fact: bool) -> Any:
        return np.full((6, 6), fact, np.int8)

    words = ("one ring", "two rings", "three rings")
    planes = {
        f"pieces of {word}": cells([cell for cell, n in pieces.items() if n == rings])
        for rings, word in enumerate(words, start=1)
    }
    planes |= {
        f"a piece of {word} is in hand": everywhere(hand == str(rings))
        for rings, word in enumerate(words, start=1)
    }
    far = "6" if player == 0 else "1"
    return planes | {
        "pieces that I may move": cells(movable(state, "SN"[player])),
        "pieces that they may move": cells(movable(state, "NS"[player])),
        "the piece that has just moved": cells([mover] if mover else []),
        "cells for the piece in hand": cells(open_to(state) if mover else []),
        "cells next to the goal that I enter": cells([cell for cell in CELLS if cell[1] == far]),
        "the first rows are being set up": everywhere(stage == "setup"),
        "40 turns or fewer to max_turns": everywhere(left <= 40),
        "10 turns or fewer to max_turns": everywhere(left <= 10),
        "I am to move": everywhere(not state.is_terminal() and side == "SN"[player]),
        "ones": everywhere(True),
    }


def open_to(state: Any) -> set[str]:
    """The drop cells of a drop, running or cut off by max_turns."""
    return drops(at(state.to_string().rsplit(" ", 1)[0] + " 2"))


def test_planes() -> None:
    """Both players' observations are what the page says, in every stage and after the end."""
    rng = random.Random(16)
    states = []
    for _ in range(3):
        state = GAME.new_initial_state()
        states.append(state)
        while not state.is_terminal() and len(states) < 200:
            state = state.child(rng.choice(state.legal_actions()))
            states.append(state)
    states += [at(walks.made_up(rng, kind)) for kind in walks.KINDS for _ in range(4)]
    states += [state.child(rng.choice(state.legal_actions())) for state in states[-32:]]
    states += [at(START.replace(" 2", f" {n}")) for n in (159, 160, 189, 190, 199, 200, 201)]
    half = "310032/000000/000000/000010/002000/203113 {} drop:e4:2 {}"
    states += [at(half.format(side, n)) for side in "SN" for n in (4, 195, 200)]
    states.append(at("310032/000000/000000/000010/002000/203113 N drop:e4:2 4"))
    lit = np.zeros(16, bool)
    for state in states:
        for player in (0, 1):
            planes = expected_planes(state, player)
            expected = np.stack([planes[name] for name in GAME.observation_planes], axis=-1)
            found = state.observation_tensor(player)
            wrong = (found != expected).any((0, 1))
            assert not wrong.any(), (state, np.array(GAME.observation_planes)[wrong])
            lit |= found.any((0, 1))
    assert lit.all()


def test_the_place_of_a_cell() -> None:
    """e1 is at row 5, column 4 for South, and at row 0, column 1 for North."""
    state = at("310032/000000/000000/000000/002010/203113 S drop:e1:2 4")
    assert np.argwhere(state.observation_tensor(0)[:, :, 5]).tolist() == [[5, 4]]
    assert np.argwhere(state.observation_tensor(1)[:, :, 5]).tolist() == [[0, 1]]


# ---------------------------------------------------------------- text, symmetries, numbers


def test_diagram_of_the_board() -> None:
    """The picture of the page is the diagram of the empty board, goals in the middle."""
    lines = [line.split() for line in PAGE.split("```")[1].strip("\n").splitlines()]
    shown = [line.split() for line in str(GAME.new_initial_state()).splitlines()[:-1]]
    assert lines == shown


def test_fields_of_the_text() -> None:
    """The page names the four fields in order, by the words that errors use, and the stages."""
    fields = [field for field, _, _ in table("field", "what")]
    assert fields == ["rows", "side", "stage", "turns"]
    good = START.split(" ")
    for i, field in enumerate(fields):
        with pytest.raises(ValueError, match=f"^{field} 'x'"):
            at(" ".join([*good[:i], "x", *good[i + 1 :]]))
    stages = [stage for stage, _, _ in table("stage", "what")]
    assert stages == ["setup", "move", "drop:d2:3", "goal"]


def test_two_symmetries() -> None:
    """The identity, and left for right, as the page says."""
    (planes, actions), (mirrored, moved) = GAME.symmetries()
    assert planes.tolist() == list(range(6 * 6 * 16)) and actions.tolist() == list(range(348))
    tensor = np.arange(6 * 6 * 16).reshape(6, 6, 16)
    assert (tensor.flat[mirrored].reshape(6, 6, 16) == tensor[:, ::-1]).all()
    texts = {number: text for text, number in numbers_of_the_page(0, "3").items()}
    swap = str.maketrans("abcdef", "fedcba")
    for action, image in enumerate(moved):
        text = texts[image]
        if text.endswith("-goal"):
            expected = text[:1].translate(swap) + text[1:]
        else:
            expected = text[::-1] if text.isdigit() else text.translate(swap)
        assert texts[action] == expected


def test_numbers_to_check_against() -> None:
    """Perft from the position of the page, for both players."""
    (row,) = table("depth", "1")
    for state in (at(START), at(str(mirror(START)))):
        assert [int(count) for count in row[1:]] == [ludarium.perft(state, d) for d in (1, 2)]


def test_version() -> None:
    """The last line of the version history is the version of the game."""
    assert int(table("version", "package")[-1][0]) == GAME.version
