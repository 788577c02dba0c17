"""The benchmark: its tables, its result file, and one measured row."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from ludarium.bench import GROUPS, Row, peers, report, rows

ROWS = [
    Row("aec", "sphlag", 9000.0, "steps/s", bar=8000),
    Row("render", "sphlag", 12.0, "ms", bar=5, more=False),
    Row("peers", "slow library", 1000.0, "steps/s", against="aec"),
    Row("peers", "PettingZoo connect_four_v3", 3000.0, "steps/s", against="aec", note="7 actions"),
]


def test_shows_a_saved_result(run: Any, tmp_path: Path) -> None:
    result = {"machine": {"cores": 2}, "rows": [asdict(row) for row in ROWS]}
    (tmp_path / "bench.json").write_text(json.dumps(result))
    status, out, err = run("bench", "--from", "bench.json", "--markdown", "--json", "copy.json")
    assert (status, err) == (0, "")
    assert "| aec | sphlag | 9,000 | steps/s | >= 8,000 | yes |" in out
    assert "| render | sphlag | 12 | ms | <= 5 | NO |" in out
    ratios = [line for line in out.splitlines() if line.startswith("| ratio")]
    assert ratios == [  # the fastest peer first
        "| ratio | sphlag, aec / PettingZoo connect_four_v3 | 3 | times | | |",
        "| ratio | sphlag, aec / slow library | 9 | times | | |",
    ]
    assert "- PettingZoo connect_four_v3: 7 actions" in out
    assert out.endswith("Measured on: cores 2.\n\n")
    assert json.loads(Path("copy.json").read_text()) == result
    status, out, err = run("bench", "--from", "bench.json")
    assert (status, err) == (0, "") and "connect_four_v3" in out


def test_measures_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_rate", lambda run: [float(run())] * 3)
    measured = list(rows.measure(["playout"], ["sphlag"]))
    assert [row.group for row in measured] == ["playout"] * len(measured) and measured
    assert all(row.value > 0 and row.runs == [row.value] * 3 for row in measured)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--only", "luck"), f"--only is '{next(iter(GROUPS))}'"),
        (("--game", "chess"), "there is no game 'chess'"),
        (("--json", "bench.txt"), "the name ends in '.json'"),
        (("--from", "broken.json"), "'broken.json' is not a benchmark result"),
    ],
)
def test_rejects_invalid_options(run: Any, tmp_path: Path, words: Any, message: str) -> None:
    (tmp_path / "broken.json").write_text('{"rows": [{}]}')
    status, out, err = run("bench", *words)
    assert (status, out) == (2, "")
    assert message in err and err.count("\n") == 1


def test_every_group_gives_rows_with_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cheap groups, measured for a moment; a speed is nobody's test."""
    monkeypatch.setattr(rows, "_rate", lambda run: [float(run())] * 3)
    monkeypatch.setattr(rows, "RUNS", 1)
    monkeypatch.setattr(rows, "BATCH", 4)
    measured = list(rows.measure(["vector", "threads", "limit"], ["sphlag"]))
    assert [(row.group, row.unit) for row in measured] == [
        ("vector", "actions/s"),
        ("threads", "times"),
        ("limit", "actions/s"),
    ]
    assert all(row.value > 0 for row in measured)
    assert measured[0].bar and measured[0].aim and measured[0].aim > measured[0].bar
    assert measured[0].note == "268 actions; 1,493 bytes of mask and planes"


def test_a_batch_is_compared_with_its_limit() -> None:
    found = [
        Row("vector", "sphlag", 4e6, "actions/s"),
        Row("limit", "sphlag", 8e6, "actions/s"),
        Row("peers", "MCTSBot", 10.0, "simulations/s", against="search"),
        Row("search", "sphlag: mcts", 50.0, "simulations/s"),
        Row("search", "sphlag: alphabeta", 70.0, "positions/s"),
    ]
    assert report.ratios(found) == [
        ("sphlag: mcts, search / MCTSBot", 5.0),
        ("sphlag, vector / limit", 0.5),
    ]


def test_cold_rows_name_a_use_and_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr(rows, "COLD_RUNS", 1)
    monkeypatch.setattr(rows, "_fresh", lambda code, cache: seen.append(code) or [1.5])
    measured = list(rows.measure(["cold"], ["sphlag"]))
    assert [row.subject for row in measured] == [
        f"sphlag: {use}" for use in ("first env() step", "make_vec", "match", "mcts")
    ]
    assert [row.bar for row in measured] == [2.5, 2.5, 4.5, None]
    for code in seen:
        compile(code, "cold", "exec")


def test_peers_say_what_they_are() -> None:
    """Each has a group to be compared with and a note; what is not installed gives no run."""
    for peer in peers.PEERS:
        assert peer.against in GROUPS and peer.note and peer.unit.endswith("/s")
    missing = [peer for peer in peers.PEERS if peer.subject.startswith("Ludax")]
    if importlib.util.find_spec("ludax") is None:
        assert [peer.make() for peer in missing] == [None] * len(missing)
