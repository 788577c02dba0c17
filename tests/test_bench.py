"""The benchmark: its tables, its result file, and one measured row."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from ludarium.bench import GROUPS, Row, rows

ROWS = [
    Row("aec", "sphlag", 9000.0, "steps/s", bar=8000),
    Row("render", "sphlag", 12.0, "ms", bar=5, more=False),
    Row("peers", "PettingZoo connect_four_v3, AEC", 3000.0, "steps/s"),
]


def test_shows_a_saved_result(run: Any, tmp_path: Path) -> None:
    result = {"machine": {"cores": 2}, "rows": [asdict(row) for row in ROWS]}
    (tmp_path / "bench.json").write_text(json.dumps(result))
    status, out, err = run("bench", "--from", "bench.json", "--markdown", "--json", "copy.json")
    assert (status, err) == (0, "")
    assert "| aec | sphlag | 9,000 | steps/s | >= 8,000 | yes |" in out
    assert "| render | sphlag | 12 | ms | <= 5 | NO |" in out
    assert "| ratio | sphlag, aec / connect_four_v3 | 3 | times | | |" in out
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
