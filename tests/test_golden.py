"""Golden games replay exactly: positions, masks, observations, results."""

from __future__ import annotations

import json
from pathlib import Path

from golden import lines

import ludarium

FOLDER = Path(__file__).parent


def test_golden_games(name: str) -> None:
    files = sorted((FOLDER / name / "games").glob("*.jsonl"))
    assert len(files) >= 3
    results = set()
    for file in files:
        golden = [json.loads(line) for line in file.read_text().splitlines()]
        head, last = golden[0], golden[-1]
        assert head["game"] == name
        game = ludarium.load_game(name, **head["options"])
        assert head["version"] == game.version
        actions = [line["action"] for line in golden[1:-1]]
        for found, expected in zip(lines(game, actions, head["seed"]), golden, strict=True):
            assert found == expected, file
        results.add(tuple(last["returns"]))
    assert len(results) > 1, "the golden games show more than one result"
