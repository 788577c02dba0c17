"""Reasons why a typed action is not legal: always given, never for a legal one, and true."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

import ludarium
from ludarium.core.errors import did_you_mean
from ludarium.core.reasons import reason_for

GAMES = {
    "gliss": [{}, {"board_size": 13}],
    "gyges": [{}, {"setup": "random"}],
    "sphlag": [{}],
}


def positions(name: str, games: int = 6) -> Iterator[Any]:
    """Yield the running positions of random games, half-made turns too."""
    choose = random.Random(5)
    for number in range(games):
        options = GAMES[name][number % len(GAMES[name])]
        state = ludarium.load_game(name, **options).new_initial_state(number)
        while not state.is_terminal() and state.turn_number() < 60:
            yield state.clone()
            state.apply_action(choose.choice(state.legal_actions()))


def pool(name: str) -> list[str]:
    """Return texts of actions of all kinds, from all positions."""
    texts = {
        state.action_to_string(action)
        for state in positions(name)
        for action in state.legal_actions()
    }
    return sorted(texts)


def test_every_illegal_action_has_a_reason_and_no_legal_one(name: str) -> None:
    choose, texts = random.Random(6), pool(name)
    given = set()
    for state in positions(name):
        legal = {state.action_to_string(action) for action in state.legal_actions()}
        for text in choose.sample(texts, 25):
            if text in legal:
                continue
            reason = reason_for(state, text)
            assert reason, (text, state.to_string())
            assert reason[0].islower() or re.match(r"[A-Z]\w+ has no|[A-G]\d/\d ", reason), reason
            assert not reason.endswith((".", " "))
            check_truth(name, state, text, reason)
            given.add(
                re.sub(r"[A-G]\d/\d|\b[a-z]\d+\b|\d+|Red|Blue|South|North|White|Black", "X", reason)
            )
    assert len(given) >= {"gliss": 12, "gyges": 7, "sphlag": 12}[name], given


def check_truth(name: str, state: Any, text: str, reason: str) -> None:
    """Check what a reason says against the text of the position alone."""
    fields = state.to_string().split(" ")
    if name == "sphlag":
        names = [f"{c}{r}/0" for r in (1, 3, 5, 7) for c in "ACEG"]
        names += [f"{c}{r}/1" for r in (2, 4, 6) for c in "BDF"]
        names += [f"{c}{r}/2" for r in (3, 5) for c in "CE"]
        holes = dict(zip(names, fields[0].replace("/", ""), strict=False))
        if found := re.fullmatch(r"(\S+) is empty", reason):
            assert holes[found[1]] == "."
        found = re.fullmatch(r"(\S+) holds a (red|white|black) sphere.*", reason)
        if found and ("-" not in text or text.startswith(found[1])):  # nothing has dropped yet
            assert holes[found[1]] == found[2][0].upper()
        if "in the other half" in reason:
            column, row = "ABCDEFG".index(text[0]) + 1, int(text[1])
            assert (column + row > 8) is (fields[1] == "B") and column + row != 8
        if found := re.search(r"is (\d+) spaces from", reason):
            (a, b), (c, d) = (("ABCDEFG".index(x[0]), int(x[1])) for x in text.split("-"))
            assert abs(a - c) + abs(b - d) == int(found[1]) > 4
        if "as it was before" in reason:
            free = state.game.state_from_string(" ".join([*fields[:3], "-", fields[4]]))
            action = free.string_to_action(text)  # legal without ko
            after = free.child(action).to_string().split(" ")[0]
            assert after == fields[3]
        return
    if name == "gyges":
        rows = fields[0].split("/")
        cells = {f"{c}{r + 1}": rows[r]["abcdef".index(c)] for r in range(6) for c in "abcdef"}
        if found := re.fullmatch(r"(\S+) is empty", reason):
            assert cells[found[1]] == "0"
        if found := re.fullmatch(r"there is a piece on (\S+)", reason):
            assert cells[found[1]] != "0"
        if found := re.search(r"no walk of (\d) step", reason):
            assert cells[text[:2]] == found[1]
        if found := re.search(r"not in row (\d)", reason):
            legal = {state.action_to_string(a)[1] for a in state.legal_actions()}
            assert legal == {found[1]} and text[1] != found[1]
        if found := re.search(r"behind (\w+)'s first row, row (\d)", reason):
            far = (
                (lambda r: r > int(found[2]))
                if found[1] == "North"
                else (lambda r: r < int(found[2]))
            )
            assert far(int(text[2])) and rows[int(found[2]) - 1] != "000000"
        return
    board = [re.sub(r"\d+", lambda run: "." * int(run[0]), row) for row in fields[0].split("/")]
    size = len(board)

    def at(vertex: str) -> str:
        return board[size - int(vertex[1:])]["abcdefghijklmnopqrs".index(vertex[0])]

    own, other = fields[1], "RB".replace(fields[1], "")
    if found := re.fullmatch(r"(\S+) is empty", reason):
        assert at(found[1]) == "."
    if found := re.fullmatch(r"(\S+) is not empty", reason):
        assert at(found[1]) != "."
    if found := re.match(r"(\S+) is a stone of (\w+)'s", reason):
        assert at(found[1]) == other == found[2][0]
    if found := re.search(r"(?:touch|cover) (\w+),", reason):
        assert at(found[1]) == own
    if found := re.match(r"the enemy tower on (\w+)", reason):
        assert at(found[1]) == other
    if found := re.match(r"(\w+) is an arm of a glider; its core is (\w+)", reason):
        assert at(found[1]) == at(found[2]) == own


GLISS = "12/12/12/12/3RR1BB4/3RR1BB4/12/12/12/9B2/B7BB2/8R2R"
GYGES = "112233/000000/000000/000000/000000/112233 S move 2"
EMPTY = "000000/000000/000000/000000/000000/000000 S setup 0"
START = "R.....R..R.....R/........./..../. W 0 - 0"


@pytest.mark.parametrize(
    ("name", "position", "text", "reason"),
    [
        ("gliss", f"{GLISS} R - 4", "i1", "i1 is a tower, and towers do not fly"),
        ("gliss", f"{GLISS} B - 4", "j2", None),
        ("gliss", f"{GLISS} B - 4", "i2", "i2 is an arm of a glider; its core is j2"),
        ("gliss", f"{GLISS} R - 4", "+z9", "there is no vertex z9: vertices are a1 to l12"),
        ("gliss", f"{GLISS} R - 4", "+l3", "a base with its lower left stone on l3 is not on"),
        ("gliss", f"{GLISS} R - 4", "-f6", "no glider is chosen yet"),
        ("gliss", f"{GLISS} R d8 4", "-a1", "from d8 this glider flies down and right"),
        ("gliss", f"{GLISS} R d8 4", "+a1", "the glider with its core on d8 flies first"),
        ("gyges", GYGES, "b2-b3", "b2 is empty"),
        ("gyges", GYGES, "=c3", "no piece is in"),
        ("gyges", GYGES, "a6-a5", "a6 is not in row"),
        ("gyges", GYGES, "a1-a4", "no walk of 1 step"),
        ("gyges", EMPTY, "111111", "a first row has"),
        ("gyges", EMPTY, "a1-a2", "the pieces are"),
        ("sphlag", START, "A3/0", "A3/0 is in the other half"),
        ("sphlag", START, "E3/0", "E3/0 holds a red sphere"),
        ("sphlag", START, "F6/1", "F6/1 has no support"),
        ("sphlag", START, "G1/0", "G1/0 is on the diagonal"),
        ("sphlag", START, "H9/0", "there is no hole H9/0"),
        ("sphlag", START, "D4/3", "D4/3 is never filled"),
    ],
)  # fmt: skip
def test_reasons_in_words(name: str, position: str, text: str, reason: str | None) -> None:
    state = ludarium.load_game(name).state_from_string(position)
    if reason is None:
        assert text in {state.action_to_string(action) for action in state.legal_actions()}
        return
    given = reason_for(state, text)
    assert given is not None and given.startswith(reason)
    with pytest.raises(ludarium.IllegalActionError) as caught:
        state.string_to_action(text)
    assert given in str(caught.value) and repr(text) in str(caught.value)


def test_a_turn_is_explained_at_its_first_illegal_action() -> None:
    state = ludarium.load_game("gliss").state_from_string(f"{GLISS} R - 4")
    assert (
        reason_for(state, "d8-a1") == "from d8 this glider flies down and right, as its arms point"
    )
    assert reason_for(state, "+a10b9") == "the turn is complete with +a10"
    assert reason_for(state, "nonsense") is None


def test_a_finished_game_is_over() -> None:
    state = ludarium.load_game("sphlag", max_turns=1).new_initial_state()
    state.apply_action(0)
    assert reason_for(state, "E5/0") == "the game is over"


def test_what_was_meant() -> None:
    assert did_you_mean("e7", ["E7/0", "E5/0"]) == "Did you mean 'E7/0'?"
    assert did_you_mean("xyz", ["E7/0"]) == ""


def test_a_game_without_reasons_says_what_it_did(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda module: None)
    state = ludarium.load_game("sphlag").new_initial_state()
    assert reason_for(state, "A3/0") is None
    with pytest.raises(ludarium.IllegalActionError, match=r"'A3/0' is illegal in .*; legal: "):
        state.string_to_action("A3/0")
