"""The evidence of every registered game, through the public interface.

Slow references that share nothing with the package made these files: `perft.txt` counts sequences
of turns, `positions.jsonl` lists whole turns, `texts.jsonl` has half-made turns and endings.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from registered import TESTS, game_of, lines

import ludarium

NAMES = ludarium.list_games()


def rows(file: str) -> list[Any]:
    """The lines of a file of all games, numbered."""
    return [
        pytest.param(game, row, id=f"{game}-{number}")
        for game in NAMES
        for number, row in enumerate(lines(game, file), start=1)
    ]


def counts() -> Iterator[Any]:
    """Every line of every perft.txt: name | position | counts by depth | kinds of turns."""
    for game in NAMES:
        path = TESTS / game / "perft.txt"
        for line in path.read_text("utf-8").splitlines() if path.is_file() else []:
            label, position, found, *kinds = line.split(" | ")
            numbers = [int(count) for count in found.split()]
            words = kinds[0].split() if kinds else []
            yield pytest.param(
                game,
                position,
                numbers,
                [int(word) for word in words[1::2]],
                id=f"{game}-{label}",
            )


def returns_of(state: Any) -> list[float] | None:
    """The result in the form of the evidence."""
    returns: list[float] = state.returns()
    return returns if state.is_terminal() else None


def test_every_game_has_evidence(name: str) -> None:
    """A game cannot be registered without the files that prove it."""
    for file in ("perft.txt", "positions.jsonl", "texts.jsonl"):
        assert (TESTS / name / file).read_text("utf-8").strip(), file
    for file in ("reference.py", "walks.py", "texts.py", "test_rules.py"):
        assert (TESTS / name / file).is_file(), file


@pytest.mark.parametrize("game, position, numbers, kinds", list(counts()))
def test_perft(game: str, position: str, numbers: list[int], kinds: list[int]) -> None:
    """Sequences of turns of each length, and the kinds of turns add up to those of length 1."""
    state = game_of(game, position).state_from_string(position)
    assert [ludarium.perft(state, depth + 1) for depth in range(len(numbers))] == numbers
    assert not kinds or sum(kinds) == len(list(ludarium.turns(state)))


@pytest.mark.parametrize("game, row", rows("positions.jsonl"))
def test_position(game: str, row: dict[str, Any]) -> None:
    """All turns of a position, and where one of them leads."""
    state = game_of(game, row["pos"]).state_from_string(row["pos"])
    assert state.to_string() == row["pos"]
    found = dict(ludarium.turns(state))
    assert sorted(found) == sorted(row["turns"])
    assert ludarium.perft(state, 1) == len(row["turns"])
    after = found[row["play"]]
    assert after.to_string() == row["next"]
    assert returns_of(after) == row["returns"]
    assert after == state.game.state_from_string(row["next"])


@pytest.mark.parametrize("game, row", rows("texts.jsonl"))
def test_text(game: str, row: dict[str, Any]) -> None:
    """Half-made turns and finished games: their text, their actions and their result."""
    state = game_of(game, row["pos"]).state_from_string(row["pos"])
    assert state.to_string() == row["pos"]
    found = sorted(state.action_to_string(action) for action in state.legal_actions())
    assert found == sorted(row["actions"])
    assert returns_of(state) == row.get("returns")
