"""The command line: what each command prints, a session at the terminal, and mistakes."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import ludarium
from ludarium import records
from ludarium.cli import cli, main

Run = Callable[..., "tuple[int, str, str]"]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run a command in an empty folder; returns its exit status, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def ludarium_command(*words: str, stdin: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as left:
            main(words)
        out, err = capsys.readouterr()
        return left.value.code, out, err  # type: ignore[return-value]

    return ludarium_command


# ---------------------------------------------------------------- help


def test_help_names_every_command_with_examples(run):
    for words in ((), ("--help",), ("-h",)):
        status, out, err = run(*words)
        assert (status, err) == (0, "")
        for command in ("list", "show", "play", "match", "perft", "record"):
            assert re.search(rf"^  {command} ", out, re.MULTILINE)
        assert "ludarium match sphlag" in out


@pytest.mark.parametrize("command", sorted(cli.commands))
def test_each_command_has_help(run, command):
    status, out, err = run(command, "--help")
    assert (status, err) == (0, "")
    assert f"Usage: ludarium {command}" in out


@pytest.mark.parametrize("command", ["match", "perft", "play", "record", "show"])
def test_the_examples_in_the_help_run(run, command):
    examples = re.findall(
        rf"^    ludarium ({command} .*)$", run(command, "--help")[1], re.MULTILINE
    )
    assert examples
    for example in examples:
        words = re.findall(r'"[^"]*"|\S+', example)
        status, _, err = run(*[word.strip('"') for word in words], stdin="quit\n")
        assert (status, err) == (0, ""), example


def test_version(run):
    assert run("--version") == (0, f"ludarium, version {ludarium.__version__}\n", "")


def test_help_needs_no_game_and_no_compiler():
    code = (
        "import sys\n"
        "from ludarium.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print(sorted({'numba', 'PIL', 'rich', 'ludarium.sphlag'} & set(sys.modules)))\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[-1] == "[]"


# ---------------------------------------------------------------- list, show, perft


def test_list_names_games_options_and_agents(run):
    status, out, err = run("list")
    assert (status, err) == (0, "")
    for name in ludarium.list_games():
        game = ludarium.load_game(name)
        assert re.search(rf"\b{name}\b", out)
        for option, value in game.options.items():
            assert f"{option}={value}" in out
    assert "greedy, random" in out


def test_show_prints_the_start(run, name, game):
    status, out, err = run("show", name)
    state = game.new_initial_state(0)
    assert (status, err) == (0, "")
    assert out.startswith(f"{state}\n")
    assert f"\n{state.to_string()}\n" in out
    count = len(list(ludarium.turns(state)))
    assert re.search(rf"legal turns +{count}\b", out)
    assert re.search(rf"legal actions +{len(state.legal_actions())} of", out)


def test_show_lists_turns_and_draws(run):
    text = "R.W...R..R...B.R/........./..../. W 0 - 2"
    status, out, err = run(
        *("show", "sphlag", "--position", text, "--turns", "--out", "a.png", "--size", "200")
    )
    assert (status, err) == (0, "")
    state = ludarium.load_game("sphlag").state_from_string(text)
    turns = [turn for turn, _ in ludarium.turns(state)]
    assert [word for word in out.split() if word in turns] == turns
    with Image.open("a.png") as image:
        assert max(image.size) == 200


def test_show_of_a_finished_game(run):
    status, out, _ = run("show", "sphlag", "-o", "max_turns=1", "--turns", "--position")
    assert status == 2
    text = "R.....R..R.....R/........./..../. W 0 - 1"
    status, out, _ = run("show", "sphlag", "-o", "max_turns=1", "--turns", "--position", text)
    assert status == 0
    assert re.search(r"legal turns +0\b", out)


def test_perft_prints_a_line_for_each_depth(run):
    assert run("perft", "sphlag", "--depth", "4") == (0, "1 6\n2 36\n3 298\n4 2465\n", "")


def test_perft_counts_from_a_position(run, name, game):
    state = game.new_initial_state(0)
    for action in (0, -1, 0):
        state.apply_action(state.legal_actions()[action])
    status, out, err = run("perft", name, "--position", state.to_string(), "--depth", "1")
    assert (status, out, err) == (0, f"1 {ludarium.perft(state, 1)}\n", "")


# ---------------------------------------------------------------- match, record


def test_match_prints_counts_by_seat(run):
    status, out, err = run("match", "sphlag", "greedy", "random", "--games", "20", "--seed", "3")
    assert (status, err) == (0, "")
    result = ludarium.arena.play_match("sphlag", "greedy", "random", games=20, seed=3)
    for row, part in (
        ("moving first", result.by_seat[0]),
        ("moving second", result.by_seat[1]),
        ("all", result),
    ):
        counts = (part.games, part.wins, part.draws, part.truncations, part.losses)
        line = next(line for line in out.splitlines() if row in line)
        assert [int(number) for number in re.findall(r"\d+", line)[:5]] == list(counts)
        assert f"{100 * part.win_rate:.1f} %" in line


def test_match_with_one_game_and_options(run):
    status, out, err = run(
        *("match", "sphlag", "random", "random", "--games", "1", "-o", "max_turns=1")
    )
    assert (status, err) == (0, "")
    line = next(line for line in out.splitlines() if "all" in line)
    assert [int(number) for number in re.findall(r"\d+", line)[:5]] == [1, 0, 0, 1, 0]


class Broken:
    """An agent of another package that answers or raises badly after some decisions."""

    def __init__(self, argument: str | None) -> None:
        self.name = f"broken:{argument}"
        self.kind, self.asked = argument, 0

    def select_action(self, state: Any, rng: Any) -> int:
        self.asked += 1
        if self.asked < 4:
            return state.legal_actions()[0]  # type: ignore[no-any-return]
        if self.kind == "raises":
            raise RuntimeError("out of luck")
        return -5


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let specs `broken:...` make the agent above."""
    make = ludarium.agents.make_agent
    monkeypatch.setattr(
        "ludarium.agents.make_agent",
        lambda spec: Broken(spec[7:]) if spec.startswith("broken:") else make(spec),
    )


@pytest.mark.usefixtures("broken")
def test_match_reports_illegal_answers_and_keeps_what_was_played(run):
    status, out, err = run("match", "sphlag", "broken:x", "random", "--games", "4")
    assert (status, err) == (0, "")
    assert "broken:x lost 4 of the games by an illegal action" in out
    status, out, err = run("match", "sphlag", "random", "broken:raises", "--games", "9")
    assert status == 2
    assert re.fullmatch(
        r"ludarium: broken:raises raised RuntimeError: out of luck \(in game \d\)\n", err
    )


@pytest.mark.parametrize("suffix", ["gif", "png", "jsonl"])
def test_record_writes_by_suffix(run, suffix):
    words = ("record", "sphlag", "--agents", "greedy,random", "--out", f"game.{suffix}")
    status, out, err = run(*words, "--seed", "2", "--size", "128")
    assert (status, err) == (0, "")
    record = ludarium.arena.play_game("sphlag", "greedy", "random", seed=2)
    assert f"wrote game.{suffix}: greedy (player 0) won after {len(record.turns)} turns" in out
    before = Path(f"game.{suffix}").read_bytes()
    if suffix == "jsonl":
        assert records.read("game.jsonl") == [record]
    else:
        with Image.open(f"game.{suffix}") as image:
            assert image.format == suffix.upper()
    status, out, err = run(*words, "--seed", "3")
    assert (status, out) == (2, "")
    assert "--force" in err
    assert Path(f"game.{suffix}").read_bytes() == before
    assert run(*words, "--seed", "3", "--force", "--size", "128")[0] == 0
    assert Path(f"game.{suffix}").read_bytes() != before
    assert os.listdir() == [f"game.{suffix}"]


# ---------------------------------------------------------------- play


def the_record(folder: Path) -> records.GameRecord:
    """Return the one record in the one file of a folder."""
    (path,) = folder.glob("*.jsonl")
    (record,) = records.read(path)
    return record


def test_a_session_at_the_terminal(run, tmp_path):
    lines = ["?", "? e", "? zz", "help", "undo", "nonsense", "", "e7/0", "undo", "G5/0", "board"]
    status, out, err = run("play", "sphlag", "--seed", "1", stdin="\n".join([*lines, "quit"]))
    assert (status, err) == (0, "")
    assert "G3/0  E5/0  G5/0  C7/0  E7/0  pass" in out
    assert "turn> E5/0  E7/0\n" in out
    assert "None of the 6 legal actions begins with zz" in out
    assert "take your last action back" in out
    assert "nothing to take back" in out
    assert "nonsense is not legal here" in out
    assert "Type an action" in out
    assert len(re.findall(r"greedy plays \S+", out)) == 2
    record = the_record(tmp_path)
    assert record.players == ("human", "greedy")
    assert (record.seed, record.reason, len(record.turns)) == (1, "unfinished", 2)
    assert record.turns[0] == "G5/0"
    *_, last = records.replay(record)
    assert out.count(str(last)) == 2  # after the agent's turn, and when asked
    name = next(tmp_path.glob("*.jsonl")).name
    assert re.fullmatch(r"ludarium-sphlag-\d{8}-\d{6}\.jsonl", name)
    assert f"The record is in {name}" in out


@pytest.mark.parametrize("seat", [0, 1])
def test_a_game_is_played_to_its_end_and_added_to_a_file(run, seat):
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
    """Type the turns of a game played before, in both ways, and get the same game."""
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
def test_an_agent_that_fails_at_the_terminal_loses_nothing(run, tmp_path):
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


def test_the_end_of_input_is_a_quit(run, tmp_path):
    status, _, err = run("play", "sphlag", stdin="E7/0\n")
    assert (status, err) == (0, "")
    assert the_record(tmp_path).turns[0] == "E7/0"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_loses_nothing(tmp_path, number):
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


def test_a_record_that_cannot_be_written_is_printed(run, monkeypatch):
    def full(*arguments: Any, **keywords: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ludarium.core.records.write", full)
    status, out, err = run("play", "sphlag", stdin="E7/0\n")
    assert (status, err) == (2, "ludarium: No space left on device\n")
    assert records.GameRecord.from_json(out.splitlines()[-1]).turns[0] == "E7/0"


# ---------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("nothing", "No such command 'nothing'; see ludarium --help"),
        ("--nothing", "No such option.*; see ludarium --help"),
        ("show", "Missing argument 'GAME'; see ludarium show --help"),
        ("show chess", "there is no game 'chess': there is .*'sphlag'"),
        ("perft chess --depth 1", "there is no game 'chess'"),
        ("match chess random random", "there is no game 'chess'"),
        ("record chess --agents random,random --out a.gif", "there is no game 'chess'"),
        ("play chess", "there is no game 'chess'"),
        ("show sphlag -o max_turns=0", "max_turns=0 is not allowed: max_turns is an int >= 1"),
        ("show sphlag -o max_turns=x", "max_turns='x' is not allowed"),
        ("show sphlag -o max_turns=-3", "max_turns=-3 is not allowed"),
        ("show sphlag -o size=3", "sphlag has no option 'size': it has 'max_turns'"),
        ("show sphlag -o size", "option 'size' is not of the form NAME=VALUE"),
        ("show sphlag -o =3", "option '=3' is not of the form NAME=VALUE"),
        ("show sphlag -o max_turns=3 -o max_turns=4", "option 'max_turns' is given twice"),
        ("show sphlag --position nonsense", "'nonsense' has 1 fields, not 5"),
        ("show sphlag --out a.gif", "'a.gif' is not allowed: the name ends in '.png'"),
        ("show sphlag --out nowhere/a.png", "there is no folder 'nowhere'"),
        ("show sphlag --size 9 --out a.png", "Invalid value for '--size'"),
        ("show sphlag --seed -1", "Invalid value for '--seed'"),
        ("perft sphlag", "Missing option '--depth'"),
        ("perft sphlag --depth 0", "Invalid value for '--depth'"),
        ("perft sphlag --depth x", "Invalid value for '--depth'"),
        ("match sphlag random", "Missing argument 'B'"),
        ("match sphlag random nobody", "there is no agent 'nobody': there is 'greedy' or 'random'"),
        ("match sphlag random random:3", "agent 'random' takes no argument: random:3"),
        ("match sphlag random random --games 0", "Invalid value for '--games'"),
        ("record sphlag --out a.gif", "Missing option '--agents'"),
        ("record sphlag --agents random --out a.gif", "'random': two agents are needed"),
        ("record sphlag --agents random,nobody --out a.gif", "there is no agent 'nobody'"),
        ("record sphlag --agents random,random --out a.mp3", "'.gif', '.png' or '.jsonl'"),
        ("record sphlag --agents random,random --out no/a.gif", "there is no folder 'no'"),
        ("play sphlag --seat 2", "Invalid value for '--seat'"),
        ("play sphlag --against nobody", "there is no agent 'nobody'"),
        ("play sphlag --out a.txt", "'a.txt' is not allowed: the name ends in '.jsonl'"),
        ("play sphlag --out no/a.jsonl", "there is no folder 'no'"),
        ("play sphlag --position nonsense", "'nonsense' has 1 fields"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(run, words, message, tmp_path):
    status, out, err = run(*words.split(), stdin="quit\n")
    assert (status, out) == (2, "")
    assert err.startswith("ludarium: ")
    assert err.count("\n") == 1
    assert re.search(message, err), err
    assert os.listdir(tmp_path) == []


def test_a_finished_position_cannot_be_played(run):
    text = "R.....R..R.....R/........./..../. W 2 - 4"
    status, _, err = run("play", "sphlag", "--position", text)
    assert status == 2
    assert "the game is over" in err


def test_an_unwritable_file_is_noticed_before_the_work(run, monkeypatch):
    def never(*arguments: Any, **keywords: Any) -> None:
        raise AssertionError("played in vain")

    def refuse(*arguments: Any, **keywords: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("ludarium.arena.play_game", never)
    monkeypatch.setattr("ludarium.core.records.write", never)
    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    for words in (
        ("record", "sphlag", "--agents", "random,random", "--out", "a.gif"),
        ("show", "sphlag", "--out", "a.png"),
        ("play", "sphlag"),
    ):
        status, out, err = run(*words)
        assert (status, out) == (2, "")
        assert err == "ludarium: cannot write in the folder '.': Permission denied\n"


def test_a_reader_that_leaves_early_is_no_mistake_of_ours():
    code = "from ludarium.cli import main; main(['show', 'sphlag', '--turns'])"
    command = f'{sys.executable} -c "{code}" | true'
    found = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert "Traceback" not in found.stderr
