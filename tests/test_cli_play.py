"""The command `play` at the terminal: sessions, and records that are never lost."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from children import interruptible

from ludarium import records


def the_record(folder: Path) -> records.GameRecord:
    """Return the one record in the one file of a folder."""
    (path,) = folder.glob("*.jsonl")
    (record,) = records.read(path)
    return record


def test_terminal_session(run, tmp_path):
    lines = ["?", "? e", "? zz", "help", "undo", "nonsense", "", "e7/0", "undo", "G5/0", "board"]
    status, out, err = run("play", "sphlag", "--seed", "1", stdin="\n".join([*lines, "quit"]))
    assert (status, err) == (0, "")
    assert "G3/0  E5/0  G5/0  C7/0  E7/0  pass" in out
    assert "turn> E5/0  E7/0\n" in out
    assert "No legal action begins with zz; type ? to list all 6." in out
    assert "take back your last action" in out
    assert "nothing to take back" in out
    assert "nonsense is not legal here" in out
    assert "Type an action" in out
    assert len(re.findall(r"greedy plays \S+", out)) == 2
    record = the_record(tmp_path)
    assert record.players == ("human", "greedy")
    assert (record.seed, record.reason, len(record.turns)) == (1, "unfinished", 2)
    assert record.turns[0] == "G5/0"
    *_, last = records.replay(record)
    assert out.count(str(last)) == 2  # after the agent's turn, and for `board`
    name = next(tmp_path.glob("*.jsonl")).name
    assert re.fullmatch(r"ludarium-sphlag-\d{8}-\d{6}\.jsonl", name)
    assert f"The record is in {name}" in out


@pytest.mark.parametrize("seat", [0, 1])
def test_a_finished_game_is_appended_to_a_file(run, seat):
    words = ("play", "sphlag", "--against", "random", "--seat", str(seat), "--out", "games.jsonl")
    for count in (1, 2):
        status, out, err = run(*words, "--seed", str(count), stdin="pass\n" * 250)
        assert (status, err) == (0, "")
        assert len(records.read("games.jsonl")) == count
    record = records.read("games.jsonl")[-1]
    assert record.players[seat] == "human"
    assert set(record.turns[seat::2]) == {"pass"}
    assert record.reason in ("won", "drawn")
    *_, last = records.replay(record)
    assert last.is_terminal()
    assert {1: "You win.", 0: "Nobody wins.", -1: "You lose."}[record.result[seat]] in out


def test_turns_may_be_typed_whole_or_action_by_action(run, name, game, tmp_path):
    """Type a turn as a whole and action by action; both give the same record."""
    for whole in (True, False):
        state, lines = game.new_initial_state(7), []
        for _ in range(3):
            turn, player, text = state.turn_number(), state.current_player(), ""
            while state.current_player() == player and state.turn_number() == turn:
                action = state.legal_actions()[len(state.legal_actions()) // 2]
                text += state.action_to_string(action) + ("" if whole else "\n")
                state.apply_action(action)
            lines.append(text.strip())
        path = tmp_path / f"{whole}.jsonl"
        status, out, err = run(
            *("play", name, "--seed", "7", "--against", "random", "--out", str(path)),
            stdin=lines[0] + "\nquit\n",
        )
        assert (status, err) == (0, "")
        assert records.read(path)[0].turns[0] == lines[0].replace("\n", "")
        assert "is not legal here" not in out


def test_play_from_a_position(run, tmp_path):
    text = "R.W...R..R...B.R/........./..../. B 0 - 3"
    status, _, err = run(
        *("play", "sphlag", "--position", text, "--seat", "1", "--seed", "1"),
        stdin="pass\nquit\n",
    )
    assert (status, err) == (0, "")
    record = the_record(tmp_path)
    assert (record.start, record.turns[0]) == (text, "pass")


@pytest.mark.usefixtures("broken")
def test_a_failing_agent_at_the_terminal_loses_no_record(run, tmp_path):
    status, out, err = run("play", "sphlag", "--against", "broken:x", stdin="pass\n" * 9)
    assert (status, err) == (0, "")
    assert "broken:x answered an illegal action: you win." in out
    record = the_record(tmp_path)
    assert (record.result, record.reason, len(record.turns)) == ((1, -1), "illegal", 7)
    next(tmp_path.glob("*.jsonl")).unlink()
    status, out, err = run("play", "sphlag", "--against", "broken:raises", stdin="pass\n" * 9)
    assert (status, err) == (2, "ludarium: broken:raises raised RuntimeError: out of luck\n")
    record = the_record(tmp_path)
    assert (record.result, record.reason, len(record.turns)) == (None, "unfinished", 7)


def test_a_game_in_which_nothing_was_played_leaves_no_record(run, tmp_path):
    for lines in ("quit\n", "?\nboard\n", "E7/0\nundo\nquit\n"):
        status, out, err = run("play", "sphlag", "--seed", "1", stdin=lines)
        assert (status, err) == (0, "")
        assert "record is in" not in out
        assert not list(tmp_path.iterdir())


def test_resigning_at_the_terminal_ends_the_game(run, tmp_path):
    status, out, err = run("play", "sphlag", "--seed", "1", stdin="E7/0\nresign\n")
    assert (status, err) == (0, "")
    assert "You have resigned: greedy wins." in out
    record = the_record(tmp_path)
    assert (record.result, record.reason) == ((-1, 1), "resigned")


def test_end_of_input_quits(run, tmp_path):
    status, _, err = run("play", "sphlag", stdin="E7/0\n")
    assert (status, err) == (0, "")
    assert the_record(tmp_path).turns[0] == "E7/0"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_writes_the_record(tmp_path, number):
    with interruptible():
        session = subprocess.Popen(
            [sys.executable, "-u", "-m", "ludarium", "play", "sphlag", "--seed", "1"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
        )
    assert session.stdin is not None and session.stdout is not None
    session.stdin.write("E7/0\n")
    session.stdin.flush()
    seen = ""
    while "greedy plays" not in seen:
        line = session.stdout.readline()
        assert line, seen
        seen += line
    while "2 turns" not in seen:
        seen += session.stdout.readline()
    session.send_signal(number)
    out, err = session.communicate(timeout=60)
    assert "The record is in" in out
    assert err == ""
    assert len(the_record(tmp_path).turns) == 2


def test_a_file_that_holds_no_records_is_refused_before_the_game(run, tmp_path):
    path = tmp_path / "notes.jsonl"
    path.write_text("my notes")
    status, out, err = run("play", "sphlag", "--out", str(path), stdin="E7/0\n")
    assert (status, out) == (2, "") and err.count("\n") == 1
    assert "notes.jsonl' does not hold game records" in err and "line 1" in err
    assert path.read_text() == "my notes"


def test_a_record_that_cannot_be_written_is_printed(run, monkeypatch):
    def full(*arguments: Any, **keywords: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ludarium.records.game_record.write", full)
    status, out, err = run("play", "sphlag", stdin="E7/0\n")
    assert (status, err) == (2, "ludarium: No space left on device\n")
    assert records.GameRecord.from_json(out.splitlines()[-1]).turns[0] == "E7/0"
