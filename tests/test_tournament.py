"""Tournaments: tables, ratings, files, workers, and runs that are killed."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import ludarium
from ludarium import records
from ludarium.arena import play_game, play_match, tournament, workers
from ludarium.arena.ledger import is_torn
from ludarium.arena.openings import opening_seed, opening_turns, play_opening
from ludarium.arena.ratings import rate
from ludarium.arena.reports import as_table, draw_cross_table, to_csv, to_json, to_markdown
from ludarium.arena.sequential import decided_after

AGENTS = ["random", "greedy", "mcts:20"]


def timeless(result: Any) -> list[Any]:
    """The table without the times, which are different each time."""
    return [dataclasses.replace(standing, ms_per_turn=0.0) for standing in result.standings()]


class First:
    """Always the first legal action: an agent without chance."""

    def __init__(self, name: str) -> None:
        self.name = name

    def select_action(self, state: Any, rng: np.random.Generator) -> int:
        return int(state.legal_actions()[0])


class Slow(First):
    """Takes its time."""

    def select_action(self, state: Any, rng: np.random.Generator) -> int:
        time.sleep(0.05)
        return super().select_action(state, rng)


class Fragile(First):
    """Raises in the second seat."""

    def select_action(self, state: Any, rng: np.random.Generator) -> int:
        if state.current_player() == 1:
            raise KeyError("weights")
        return super().select_action(state, rng)


# ---------------------------------------------------------------- openings


def test_openings_are_varied_and_leave_the_game_open(name, game):
    state = game.new_initial_state(0)
    turns = opening_turns(game)
    assert turns % 2 == 0 and turns > 0
    texts = set()
    for number in range(20):
        opened = play_opening(state, opening_seed(7, number))
        assert opened.turn_number() == state.turn_number() + turns
        assert not opened.is_terminal()
        player = opened.current_player()
        assert not any(
            end.is_terminal() and end.returns()[player] == 1 for _, end in ludarium.turns(opened)
        )
        texts.add(opened.to_string())
        assert play_opening(state, opening_seed(7, number)) == opened
    assert len(texts) >= 9
    assert opening_seed(7, 0) == opening_seed(7, 1) != opening_seed(7, 2)
    assert state == game.new_initial_state(0)


def test_openings_leave_a_turn_below_the_limit(name):
    for limit in (1, 2, 3, 5):
        game = ludarium.load_game(name, max_turns=limit)
        state = play_opening(game.new_initial_state(0), 3)
        assert not state.is_terminal()


def test_agents_without_chance_play_different_games(name, game):
    result = play_match(game, First("a"), First("b"), games=6, seed=1)
    turns = opening_turns(game)
    assert len({record.turns for record in result.records}) >= 3
    for even, odd in zip(result.records[::2], result.records[1::2], strict=True):
        assert even.turns[:turns] == odd.turns[:turns]
    same = play_match(game, First("a"), First("b"), games=6, seed=1, openings=False)
    assert len({record.turns for record in same.records}) == 1
    again = play_game(game, First("a"), First("b"), result.records[0].seed or 0, opening=5)
    *_, last = records.replay(again)
    assert last.is_terminal()


# ---------------------------------------------------------------- early stop, time


def test_the_sequential_test_errs_as_rarely_as_it_says():
    rng = np.random.default_rng(5)
    wrong = lengths = 0
    for _ in range(1000):
        scores = np.where(rng.random(400) < 0.6, 1, -1)
        stop = decided_after(scores)
        assert stop is not None
        wrong += scores[:stop].sum() < 0
        lengths += stop
    assert wrong / 1000 < 0.06
    assert lengths / 1000 < 60
    assert decided_after([0] * 100) is None


def test_a_match_stops_when_it_is_decided():
    result = play_match("sphlag", "greedy", "random", games=50, seed=1, early_stop=True)
    assert decided_after(result.scores) == result.games < 20
    full = play_match("sphlag", "greedy", "random", games=50, seed=1)
    assert full.games == 50 and full.records[: result.games] == result.records
    table = tournament("sphlag", ["greedy", "random"], games=50, early_stop=True)
    assert decided_after(table.match("greedy", "random").scores) == len(table.entries) < 20


def test_time_limits_are_kept():
    from ludarium.arena import PlayerError

    game = ludarium.load_game("sphlag", max_turns=8)
    with pytest.raises(PlayerError, match=r"slow took .* s for a decision; it has 0\.01 s"):
        play_game(game, Slow("slow"), First("first"), time_limit=0.01)
    assert play_game(game, Slow("slow"), First("first"), time_limit=60).result is not None
    for bad in (0, -1, "1", float("nan"), True):
        with pytest.raises(ValueError, match="time_limit="):
            play_game(game, "random", "random", time_limit=bad)  # type: ignore[arg-type]


# ---------------------------------------------------------------- the tournament


def test_everybody_meets_everybody_from_both_seats(name, game):
    result = tournament(game, AGENTS, games=4, seed=3)
    assert len(result.entries) == 12
    for a in AGENTS:
        for b in AGENTS:
            if a != b:
                match, back = result.match(a, b), result.match(b, a)
                assert sorted(match.seats) == [0, 0, 1, 1]
                assert (match.wins, match.losses) == (back.losses, back.wins)
                for record, seat in zip(match.records, match.seats, strict=True):
                    assert record.players[seat] == a and record.players[1 - seat] == b
                    *_, last = records.replay(record)
                    assert last.is_terminal()
    table = result.standings()
    assert sum(s.wins for s in table) == sum(s.losses for s in table)
    assert all(s.games == 8 for s in table)
    assert all(s.games == s.wins + s.losses + s.draws + s.truncations for s in table)
    anchor = next(s for s in table if s.name == "random")
    assert anchor.rating is not None
    assert (anchor.rating.value, anchor.rating.low, anchor.rating.high) == (0, 0, 0)
    assert table[-1].name == "random"
    assert timeless(tournament(game, AGENTS, games=4, seed=3)) == timeless(result)
    backwards = tournament(game, AGENTS[::-1], games=4, seed=3)
    assert backwards.entries[0].record == result.entries[0].record


def test_policies_play_and_illegal_answers_lose():
    def policy(observation: dict[str, Any]) -> int:
        return int(np.flatnonzero(observation["action_mask"])[0])

    def wrong(observation: dict[str, Any]) -> int:
        return 10**6

    result = tournament("sphlag", [policy, wrong, "random"], games=2)
    lost = next(s for s in result.standings() if s.name == "wrong")
    assert (lost.losses, lost.illegal, lost.failures) == (4, 4, 0)
    assert "illegal" in to_markdown(result)


def test_failures_are_reported_and_count_for_nobody():
    result = tournament("sphlag", [Fragile("fragile"), "random", "greedy"], games=4, openings=False)
    assert len(result.failures) == 4
    assert all(entry.failed == "fragile" for entry in result.failures)
    assert "KeyError: 'weights'" in str(result.failures[0].failure)
    row = {standing.name: standing for standing in result.standings()}
    assert (row["fragile"].failures, row["fragile"].games) == (4, 4)
    assert (row["random"].failures, row["random"].games) == (0, 6)
    assert json.loads(to_json(result))["failures"][0]["failure"]
    assert "failed" in to_markdown(result)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"game": "chess"}, ValueError, "chess"),
        ({"agents": ["random"]}, ValueError, "two or more"),
        ({"agents": ["random", "random"]}, ValueError, "two players are called 'random'"),
        ({"agents": ["random", "nobody"]}, ValueError, "nobody"),
        ({"agents": "random"}, TypeError, "list of players"),
        ({"games": 0}, ValueError, "games=0"),
        ({"seed": -1}, ValueError, "seed=-1"),
        ({"workers": 0}, ValueError, "workers=0"),
        ({"time_limit": 0}, ValueError, "time_limit=0"),
        ({"games": 10**9}, ValueError, "games=1000000000 is not allowed: .* 1 to 100000"),
        ({"games": 2.0}, ValueError, "games=2.0"),
        ({"seed": 10**5000}, ValueError, "seed=an int of"),
        ({"workers": 10**6}, ValueError, "workers=1000000 is not allowed: .* 1 to 1000"),
        ({"workers": "2"}, ValueError, "workers='2'"),
        ({"openings": None}, ValueError, "openings=None"),
        ({"early_stop": "yes"}, ValueError, "early_stop='yes'"),
        ({"on_game": "print"}, ValueError, "on_game='print'"),
        ({"record": 3}, ValueError, "record=3 is not allowed: record is a path, or None"),
        ({"record": ""}, ValueError, "record=''"),
        ({"agents": {"random", "greedy"}}, TypeError, "list of players, not set"),
        ({"agents": []}, ValueError, "two or more"),
        ({"agents": ["random", 3]}, TypeError, "a player is"),
    ],
)
def test_a_mistake_is_named(change, error, message):
    arguments: dict[str, Any] = {"game": "sphlag", "agents": ["random", "greedy"], **change}
    with pytest.raises(error, match=message):
        tournament(**arguments)


# ---------------------------------------------------------------- ratings


def test_ratings_recover_known_strengths():
    strengths = np.array([0.0, 150.0, 400.0, 520.0, 800.0])
    n, games = len(strengths), 400
    rng = np.random.default_rng(4)
    covered = 0
    for _ in range(10):
        wins, draws = np.zeros((n, n)), np.zeros((n, n))
        for i in range(n):
            for j in range(i):
                expected = 1 / (1 + 10 ** ((strengths[j] - strengths[i]) / 400))
                decisive = rng.random(games) < 0.9
                won = (rng.random(games) < expected)[decisive].sum()
                # a draw has half a win for each, so only decisive games follow the model here
                wins[i, j], wins[j, i] = won, decisive.sum() - won
        found = rate(wins, draws, anchor=0)
        values = np.array([rating.value for rating in found])
        assert np.abs(values - strengths).max() < 90
        assert list(np.argsort(values)) == list(range(n))
        covered += sum(
            rating.low <= strength <= rating.high
            for rating, strength in zip(found[1:], strengths[1:], strict=True)
        )
    assert covered >= 33  # of 40; 38 are expected


def test_ratings_of_extremes_are_finite_and_ordered():
    wins = np.array([[0, 0, 0], [50, 0, 0], [50, 50, 0]], float)
    ratings = rate(wins, np.zeros((3, 3)), anchor=0)
    values = [rating.value for rating in ratings]
    assert values == sorted(values) and values[0] == 0 and values[2] < 5000
    assert all(rating.low <= rating.value <= rating.high for rating in ratings)
    even = rate(np.zeros((2, 2)), np.array([[0, 9], [9, 0]], float))
    assert [round(rating.value, 6) for rating in even] == [0, 0]


def test_groups_that_never_met_are_named():
    wins = np.zeros((5, 5))
    wins[0, 1] = wins[3, 2] = wins[3, 4] = 4
    with pytest.raises(ValueError, match=r"cannot compare them: 'c', 'd', 'e' \| 'a', 'b'"):
        rate(wins, np.zeros((5, 5)), names=list("abcde"))
    with pytest.raises(ValueError, match=r"compare them: 2, 3, 4 \| 0, 1"):
        rate(wins, np.zeros((5, 5)))
    with pytest.raises(ValueError, match=r"compare them: 0 \| 1"):
        rate(np.zeros((2, 2)), np.zeros((2, 2)))
    assert [r.value for r in rate([[0]], [[0]])] == [0]


@pytest.mark.parametrize(
    ("wins", "draws", "anchor", "message"),
    [
        ([[0, 1]], [[0, 0]], None, "wins of shape"),
        ([[0, -1], [1, 0]], [[0, 0], [0, 0]], None, "wins of shape"),
        ([[0, float("nan")], [1, 0]], [[0, 0], [0, 0]], None, "wins of shape"),
        ([[0, "x"], [1, 0]], [[0, 0], [0, 0]], None, "wins is not allowed"),
        ([[0, 1], [1, 0]], [[0, 1], [0, 0]], None, "draws of shape"),
        ([[0, 1], [1, 0]], [[0]], None, "draws of shape"),
        ([[0, 1], [1, 0]], [[0, 0], [0, 0]], 2, "anchor=2"),
        ([[0, 1], [1, 0]], [[0, 0], [0, 0]], "0", "anchor='0'"),
    ],
)
def test_bad_tables_of_results_are_named(wins, draws, anchor, message):
    with pytest.raises(ValueError, match=message):
        rate(wins, draws, anchor)


def test_a_player_without_a_finished_game_leaves_the_others_their_ratings():
    class Broken(First):
        def select_action(self, state: Any, rng: np.random.Generator) -> int:
            raise RuntimeError("broken")

    result = tournament("sphlag", [Broken("broken"), "random", "greedy"], games=2)
    assert result.groups == (("random", "greedy"), ("broken",))
    table = {standing.name: standing for standing in result.standings()}
    assert table["broken"].rating is None and table["greedy"].rating is not None
    assert result.standings()[-1].name == "broken"
    text = to_markdown(result)
    assert "no finished game connects them with the others: broken" in text
    none = tournament("sphlag", [Broken("broken"), "random"], games=2)
    assert [standing.rating for standing in none.standings()] == [None, None]
    assert to_markdown(none) and to_json(none)


def test_more_games_narrow_the_interval():
    few, many = (
        rate(np.array([[0, n], [3 * n, 0]], float), np.zeros((2, 2)), anchor=0)[1] for n in (5, 80)
    )
    assert many.high - many.low < (few.high - few.low) / 2


# ---------------------------------------------------------------- files


def test_each_game_is_in_the_file_once_and_as_a_record(tmp_path):
    path = tmp_path / "games.jsonl"
    seen = []
    result = tournament(
        "sphlag", AGENTS, games=2, record=path, on_game=lambda *given: seen.append(given[1:])
    )
    assert seen == [(k, 6) for k in range(1, 7)]
    found = records.read(path)
    assert len(found) == 6
    assert {record.turns for record in found} == {e.record.turns for e in result.entries}
    before = path.read_bytes()
    again = tournament("sphlag", AGENTS, games=2, record=path)
    assert path.read_bytes() == before
    assert again.standings() == result.standings()
    more = tournament("sphlag", [*AGENTS, "alphabeta:1"], games=4, record=path)
    assert path.read_bytes().startswith(before)
    assert len(more.entries) == 24
    assert timeless(more) == timeless(tournament("sphlag", [*AGENTS, "alphabeta:1"], games=4))


def test_a_torn_line_is_struck_and_its_game_played_again(tmp_path):
    path = tmp_path / "games.jsonl"
    result = tournament("sphlag", AGENTS, games=2, record=path)
    content = path.read_bytes()
    path.write_bytes(content[:-40])
    assert timeless(tournament("sphlag", AGENTS, games=2, record=path)) == timeless(result)
    assert len(records.read(path)) == 6


def test_a_file_of_something_else_is_refused_and_kept(tmp_path):
    path = tmp_path / "games.jsonl"
    tournament("sphlag", ["random", "greedy"], games=2, record=path)
    before = path.read_bytes()
    for change, message in (
        ({"seed": 1}, "seed"),
        ({"game": ludarium.load_game("sphlag", max_turns=9)}, "options"),
        ({"openings": False}, "opening"),
    ):
        arguments: dict[str, Any] = {"game": "sphlag", **change}
        with pytest.raises(ValueError, match=f"another tournament: {message}"):
            tournament(agents=["random", "greedy"], games=2, record=path, **arguments)
        assert path.read_bytes() == before


FOREIGN = [
    "hello",
    "hello\n",
    '{"game": 1}\n',
    '{"name": "a package of somebody else", "private": true}',
    "{ }",
    '{"a": 1',
    "[1, 2",
    '{"game": "chess", "version": 0, "options": {}, "seed": 1, "pla',
    '{"game": "sphlag", "version": 0, "options": {"max_turns": 9}, "seed": 1, "pla',
    '{"game": "sphlag", "version": 0, "options": {"max_turns": 200}, "moves": ["a',
    '{"game": "sphlag", "version": 0, "options": {"max_turns": 200}, "seed": "7", "pla',
    '{"game": "sphlag", "version": 0, "options": {"max_turns": 200}, "seed": 7, "players": "\u00e4',
]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("text", FOREIGN)
def test_a_foreign_line_is_refused_and_kept(tmp_path, text, after, entry_line):
    """Only the beginning of a line of this tournament may be removed, also as the first line."""
    path = tmp_path / "games.jsonl"
    path.write_text((entry_line + "\n") * after + text, encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(ValueError, match=f"line {1 + after}"):
        tournament("sphlag", ["random", "greedy"], games=2, record=path)
    assert path.read_bytes() == before


def test_every_torn_line_of_ours_is_recognised(entry_line):
    game = ludarium.load_game("sphlag")
    assert all(is_torn(entry_line[:end].encode(), game) for end in range(1, len(entry_line)))
    assert not is_torn(entry_line.encode(), game)
    record = json.dumps({k: v for k, v in json.loads(entry_line).items() if k != "match"})
    assert not is_torn(record.encode(), game), "a whole record of another writer"


def test_a_refused_file_keeps_its_torn_line_and_a_lost_newline_costs_nothing(tmp_path, entry_line):
    path = tmp_path / "games.jsonl"
    torn = f"{entry_line}\n{entry_line[:300]}"
    path.write_text(torn)
    with pytest.raises(ValueError, match="another tournament: seed"):
        tournament("sphlag", ["random", "greedy"], games=1, seed=1, record=path)
    assert path.read_text() == torn
    path.write_text(entry_line)
    tournament("sphlag", ["random", "greedy"], games=2, record=path)
    assert path.read_text().startswith(entry_line + "\n")
    assert len(records.read(path)) == 2


def test_anew_keeps_a_foreign_file(run, tmp_path, entry_line):
    path = tmp_path / "notes.jsonl"
    words = ["tournament", "sphlag", "--agents", "random,greedy", "--games", "1"]
    path.write_text("notes\n")
    status, _, err = run(*words, "--restart", "--record", str(path))
    assert status == 2 and "line 1" in err and path.read_text() == "notes\n"


@pytest.fixture(scope="module")
def entry_line() -> str:
    """The line of the first game of random and greedy at Sphlag."""
    entry = tournament("sphlag", ["random", "greedy"], games=1).entries[0]
    return entry.to_json()


DEEP = "[" * 5000 + "]" * 5000


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("round", "1e999", "match.round inf"),
        ("round", "-1", "match.round -1"),
        ("round", "true", "match.round True"),
        ("round", "9" * 4000, "match.round 9"),
        ("opening", "1.5", "match.opening 1.5"),
        ("opening", str(2**60), "match.opening"),
        ("seconds", "[NaN, 1]", "match.seconds"),
        ("seconds", "[1e999, 1]", "match.seconds"),
        ("seconds", f"[1, {'9' * 400}]", "match.seconds"),
        ("seconds", '["1", "2"]', "match.seconds"),
        ("seconds", "[1, -1]", "match.seconds"),
        ("turns", f"[1, {'9' * 400}]", "match.turns"),
        ("turns", "[1]", "match.turns"),
        ("turns", "{}", "match.turns"),
        ("a", "3", "match.a 3"),
        ("a", '"random"', "players|match.a"),
        ("b", '"nobody"', "players"),
        ("failed", '"stranger"', "match.failed"),
        ("failed", '"greedy"', "match.failed"),
        ("failure", '["x"]', "match.failure"),
        ("digests", "[1, 2]", "match.digests"),
        ("digests", "null", "match.digests"),
        ("spec_time", '"game"', "match.spec_time"),
        ("seconds", DEEP, "line 1"),
        (None, "null", "match None"),
        (None, "[]", "match"),
        (None, "{}", "match.a is missing"),
        ("result", "[1e999, 0]", "result"),
        ("result", "[NaN, NaN]", "result"),
        ("result", "[0.5, -0.5]", "result"),
        ("result", "[1, 1]", "result"),
        ("result", "null", "result"),
        ("version", "1e999", "version"),
        ("seed", "-5", "seed"),
        ("options", DEEP, "line 1"),
    ],
)
def test_hostile_entries_are_named_by_line_and_field(tmp_path, entry_line, field, value, message):
    fields = json.loads(entry_line)
    place = fields if field in (None, "result", "version", "seed", "options") else fields["match"]
    place["match" if field is None else field] = "HERE"
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps(fields).replace('"HERE"', value) + "\n")
    before = path.read_bytes()
    with pytest.raises(ValueError, match=message) as caught:
        tournament("sphlag", ["random", "greedy"], games=2, record=path)
    assert "line 1" in str(caught.value) and str(path) in str(caught.value)
    assert len(str(caught.value)) < 600
    assert path.read_bytes() == before


def test_bytes_that_are_not_text_are_refused(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"\xff\xfe\n")
    with pytest.raises(ValueError, match="line 1: not UTF-8"):
        tournament("sphlag", ["random", "greedy"], games=1, record=path)


def test_a_player_that_cannot_be_pickled_is_named():
    class Open(First):
        def __init__(self, name: str) -> None:
            super().__init__(name)
            self.file = open(os.devnull, "rb")  # noqa: SIM115

    player = Open("open")
    try:
        with pytest.raises(ValueError, match="player 'open' cannot be sent to workers"):
            tournament("sphlag", [player, "random"], games=2, workers=2)
    finally:
        player.file.close()


def test_an_odd_number_of_games_is_said(tmp_path):
    odd = tournament("sphlag", ["random", "greedy"], games=3)
    assert "3 games of each pair, the first in the alphabet beginning once more" in to_markdown(odd)
    assert "beginning" not in to_markdown(tournament("sphlag", ["random", "greedy"], games=2))
    assert "2 players, 3 games, 0 failures" in repr(odd)


def test_workers_change_nothing(tmp_path):
    alone = tournament("sphlag", AGENTS, games=4)
    path = tmp_path / "games.jsonl"
    several = tournament("sphlag", AGENTS, games=4, workers=2, record=path)
    assert timeless(several) == timeless(alone)
    assert len(records.read(path)) == 12


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ({"workers": 2}, r"joblib: pip install 'ludarium\[arena\]'"),
        ({"ray": "auto"}, r"ray: pip install 'ludarium\[ray\]'"),
    ],
)
def test_a_missing_library_is_named(monkeypatch, wish, message):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=message):
        tournament("sphlag", ["random", "greedy"], games=1, **wish)


@pytest.mark.parametrize("address", ["", "nowhere", "host:", "host:99999", ":6379", 6379])
def test_what_is_no_address_of_a_cluster(address):
    with pytest.raises(ValueError, match=r"'HOST:PORT' or 'ray://HOST:PORT'"):
        tournament("sphlag", ["random", "greedy"], games=1, ray=address)


def test_tables_say_the_same_in_every_form():
    result = tournament("sphlag", AGENTS, games=2)
    standings = result.standings()
    rows = list(csv.DictReader(io.StringIO(to_csv(result))))
    assert [row["player"] for row in rows] == [standing.name for standing in standings]
    assert [int(row["wins"]) for row in rows] == [standing.wins for standing in standings]
    fields = json.loads(to_json(result))
    assert fields["game"] == "sphlag" and len(fields["pairs"]) == 3
    assert [row["player"] for row in fields["standings"]] == [row["player"] for row in rows]
    text = to_markdown(result)
    for standing in standings:
        assert f"| {standing.name} |" in text
    assert "random = 0" in text
    assert as_table(result).row_count == 3
    assert "ms per turn" in to_markdown(result, times=True) and "ms" not in text
    picture = draw_cross_table(result)
    assert picture.size[0] >= 3 * 64 and len(picture.getcolors(100_000)) > 3


# ---------------------------------------------------------------- the command, killed

COMMAND = ["tournament", "sphlag", "--agents", "random,greedy,mcts:400", "--games", "30"]


def start(folder: Path, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "ludarium", *COMMAND, *more],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )


def finish(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out


def lines_in(folder: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in folder.glob("runs/*.jsonl"))


def test_a_killed_run_goes_on_to_the_same_table(tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    expected = finish(start(whole, "--out", "table.md"))
    assert lines_in(whole) == 90
    for stop in (5, 30):
        process = start(killed, "--out", "table.md")
        deadline = time.monotonic() + 240
        while lines_in(killed) < stop and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        assert process.poll() is None, process.communicate()
        process.send_signal(signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
        process.communicate()
        assert stop <= lines_in(killed) < 90
        assert not (killed / "table.md").exists()
    assert finish(start(killed, "--out", "table.md")) == expected
    assert lines_in(killed) == 90
    assert (killed / "table.md").read_text() == (whole / "table.md").read_text()


WORKERS_OF = """
import os, sys, time
from pathlib import Path
from ludarium.arena.workers import do_all

def stay(folder):
    Path(folder, str(os.getpid())).touch()
    time.sleep(600)

if __name__ == "__main__":
    import workers_of
    list(do_all(workers_of.stay, [sys.argv[1]] * 8, 2, None))
"""


def alive(process: int) -> bool:
    """Whether a process runs; one that ended and waits for init to collect it does not."""
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except ProcessLookupError:
        return False
    except OSError:
        return not Path("/proc/self/stat").exists()
    return state not in "ZX"


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM"])
def test_workers_leave_when_their_parent_is_killed(tmp_path, name):
    (tmp_path / "pids").mkdir()
    script = tmp_path / "workers_of.py"
    script.write_text(WORKERS_OF)
    package = str(Path(ludarium.__file__).parents[1])
    parent = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / "pids")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), package])},
    )
    try:
        deadline = time.monotonic() + 240
        while len(pids := os.listdir(tmp_path / "pids")) < 2 and time.monotonic() < deadline:
            assert parent.poll() is None
            time.sleep(0.05)
        workers = [int(pid) for pid in pids]
        assert len(workers) == 2 and all(map(alive, workers))
        parent.send_signal(getattr(signal, name))
        parent.wait(60)
        deadline = time.monotonic() + 120  # they sleep for 600 s, and wait for tasks for 300 s
        while any(map(alive, workers)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not any(map(alive, workers))
    finally:
        parent.kill()
        for pid in os.listdir(tmp_path / "pids"):
            with contextlib.suppress(OSError):
                os.kill(int(pid), signal.SIGKILL)


def test_the_command_writes_what_is_asked_and_nothing_over(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["tournament", "sphlag", "--agents", "random,greedy", "--games", "2"]
    outs = [w for s in ("csv", "json", "md", "png") for w in ("--out", f"table.{s}")]
    status, out, err = run(*words, *outs, "--times")
    assert (status, err) == (0, "")
    assert "random = 0" in out and "ms per turn" in out
    with Image.open(tmp_path / "table.png") as picture:
        assert picture.format == "PNG"
    status, _, err = run(*words, "--out", "table.csv")
    assert status == 2 and "exists" in err
    kept = lines_in(tmp_path)
    assert run(*words, "--out", "table.csv", "--force")[0] == 0
    assert lines_in(tmp_path) == kept == 2
    assert run(*words, "--restart")[0] == 0
    assert lines_in(tmp_path) == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("sphlag --agents random", "two or more are needed"),
        ("sphlag --agents random,nobody", "there is no agent 'nobody'"),
        ("sphlag --agents random,random", "two players are called 'random'"),
        ("sphlag --agents random,greedy --out table.txt", "the name ends in"),
        ("chess --agents random,greedy", "there is no game 'chess'"),
        ("sphlag --agents random,greedy --games 0", "--games"),
    ],
)
def test_mistakes_at_the_command(run, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    status, out, err = run("tournament", *words.split())
    assert (status, out) == (2, "")
    assert err.startswith("ludarium: ") and err.count("\n") == 1
    assert message in err
    assert not list(tmp_path.glob("runs/*"))


# ---------------------------------------------------------------- agents from files


class FromFile:
    """An agent that says what file it is made of, and which game it plays."""

    def __init__(self, digest, game="sphlag"):
        self.name, self.digest, self.game = "made", digest, game

    def check(self, game):
        if game.name != self.game:
            raise ValueError(f"{self.name} cannot play {game.name}")

    def select_action(self, state, rng):
        return int(rng.choice(state.legal_actions()))


def test_games_of_an_older_file_are_not_taken_for_those_of_a_newer_one(tmp_path):
    path = tmp_path / "games.jsonl"
    first = tournament("sphlag", [FromFile("one"), "random"], games=2, record=path)
    again = tournament("sphlag", [FromFile("one"), "random"], games=2, record=path)
    assert [e.to_json() for e in again.entries] == [e.to_json() for e in first.entries]
    before = path.read_bytes()
    with pytest.raises(ValueError, match="another made, whose file has changed"):
        tournament("sphlag", [FromFile("two"), "random"], games=4, record=path)
    assert path.read_bytes() == before


def test_games_with_times_for_one_action_are_not_mixed_with_times_for_a_turn(tmp_path):
    """Files of older versions lack the mark; without a time in a spec they go on as before."""
    for spec, refused in (("mcts:2ms", True), ("mcts:2", False)):
        path = tmp_path / f"{refused}.jsonl"
        result = tournament("sphlag", [spec, "random"], games=2, record=path)
        assert [entry.spec_time for entry in result.entries] == ["turn", "turn"]
        older = path.read_text().replace(', "spec_time": "turn"', "")
        assert older != path.read_text()
        path.write_text(older)
        if refused:
            with pytest.raises(ValueError, match=r"one action.*whole turn.*--restart"):
                tournament("sphlag", [spec, "random"], games=4, record=path)
            assert path.read_text() == older
        else:
            more = tournament("sphlag", [spec, "random"], games=4, record=path)
            assert sorted(e.spec_time for e in more.entries) == ["action"] * 2 + ["turn"] * 2


def test_who_cannot_play_the_game_is_refused_before_a_file_is_made(tmp_path):
    path = tmp_path / "games.jsonl"
    with pytest.raises(ValueError, match="made cannot play gyges"):
        tournament("gyges", [FromFile("one"), "random"], games=2, record=path)
    assert not path.exists()


class FakeRay:
    """Ray, whose server for a client fails to start some times."""

    def __init__(self, failures: int, message: str) -> None:
        self.failures, self.message, self.calls = failures, message, list[str]()

    def init(self, **options: Any) -> None:
        self.calls.append("init")
        if self.failures:
            self.failures -= 1
            raise ConnectionError(self.message)

    def shutdown(self) -> None:
        self.calls.append("shutdown")


def test_a_client_whose_server_started_too_late_is_connected_again() -> None:
    late = FakeRay(1, "Initialization failure from server:\n")
    workers._init(late, "ray://127.0.0.1:1")
    assert late.calls == ["init", "shutdown", "init"]
    never = FakeRay(9, "Initialization failure from server:\n")
    with pytest.raises(ConnectionError, match="Initialization failure"):
        workers._init(never, "ray://127.0.0.1:1")
    assert never.calls == ["init", "shutdown", "init"]
    other = FakeRay(1, "ray client connection timeout")
    with pytest.raises(ConnectionError, match="timeout"):
        workers._init(other, "ray://127.0.0.1:1")
    assert other.calls == ["init"]
