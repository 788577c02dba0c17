"""The command line: the output of each command, and user mistakes."""

from __future__ import annotations

import dataclasses
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from children import interruptible
from PIL import Image

import ludarium
from ludarium import records
from ludarium.cli import cli

# ---------------------------------------------------------------- help


def test_help_names_every_command_with_examples(run):
    for words in ((), ("--help",), ("-h",)):
        status, out, err = run(*words)
        assert (status, err) == (0, "")
        for command in ("list", "show", "play", "match", "tournament", "perft", "record", "replay"):
            assert re.search(rf"^  {command} ", out, re.MULTILINE)
        assert "ludarium match sphlag" in out


@pytest.mark.parametrize("command", sorted(cli.commands))
def test_each_command_has_help(run, command):
    status, out, err = run(command, "--help")
    assert (status, err) == (0, "")
    assert f"Usage: ludarium {command}" in out


@pytest.mark.parametrize("command", ["match", "perft", "play", "record", "show", "tournament"])
def test_the_examples_in_the_help_run(run, command):
    examples = re.findall(
        rf"^    ludarium ({command} .*)$", run(command, "--help")[1], re.MULTILINE
    )
    assert examples
    for example in examples:
        if "--window" in example:
            continue  # needs a screen: tests/test_play_window.py
        words = re.findall(r'"[^"]*"|\S+', example)
        status, _, err = run(*[word.strip('"') for word in words], stdin="quit\n")
        assert (status, err) == (0, ""), example


def test_version(run):
    assert run("--version") == (0, f"ludarium, version {ludarium.__version__}\n", "")


@pytest.mark.parametrize("command", [None, *sorted(cli.commands)])
def test_no_line_of_help_is_cut_or_too_long(run, command):
    status, out, err = run(*([] if command is None else [command]), "--help")
    assert (status, err) == (0, "")
    lines = out.splitlines()[1:]  # after the line of usage
    assert [line for line in lines if len(line) > 80 or line.endswith("...")] == []


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("plya sphlag", "Did you mean 'play'"),
        ("show glis", "Did you mean 'gliss'?"),
        ("show gliss -o bord_size=13", "Did you mean 'board_size'?"),
        ("match gliss gredy random", "Did you mean 'greedy'?"),
        ("show gliss --them dark", "Did you mean one of: '--help', '--theme'?"),
    ],
)
def test_a_mistyped_word_is_answered_with_what_was_meant(run, words, meant):
    status, out, err = run(*words.split())
    assert (status, out) == (2, "") and meant in err and err.count("\n") == 1


def test_help_needs_no_game_and_no_compiler():
    code = (
        "import sys\n"
        "from ludarium.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print(sorted({'numba', 'PIL', 'rich', 'ludarium.games.sphlag'} & set(sys.modules)))\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[-1] == "[]"


# ---------------------------------------------------------------- list, show, perft


def test_list_prints_games_options_and_agents(run):
    status, out, err = run("list")
    assert (status, err) == (0, "")
    for name in ludarium.list_games():
        game = ludarium.load_game(name)
        assert re.search(rf"\b{name}\b", out)
        for option, value in game.options.items():
            assert f"{option}={value} (" in out
    assert "an int, 1 to 999999999" in out and "'chosen' or 'random'" in out
    line = " ".join(out[out.index("Agents:") :].split())
    for form in (
        "alphabeta:TURNS",
        "greedy",
        "mcts:MILLISECONDSms (for a whole turn)",
        "random",
        "sb3:FILE",
    ):
        assert form in line


def test_show_prints_the_start(run, name, game):
    status, out, err = run("show", name)
    state = game.new_initial_state(0)
    assert (status, err) == (0, "")
    assert out.startswith(f"{state}\n")
    assert f"\n{state.to_string()}\n" in out
    count = len(list(ludarium.turns(state)))
    assert re.search(rf"legal turns +{count}\b", out)
    assert re.search(rf"legal actions +{len(state.legal_actions())} of", out)


def test_show_lists_turns_and_writes_a_picture(run):
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
        ("first", result.by_seat[0]),
        ("second", result.by_seat[1]),
        ("both", result),
    ):
        counts = (part.games, part.wins, part.draws, part.truncations, part.losses)
        line = next(line for line in out.splitlines() if row in line)
        assert [int(number) for number in re.findall(r"\d+", line)[:5]] == list(counts)
        assert f"{100 * part.win_rate:.1f} %" in line
        assert len(line) <= 80


def test_match_early_stop_without_openings(run):
    words = ("match", "sphlag", "greedy", "random", "--games", "60", "--early-stop")
    status, out, err = run(*words, "--no-openings", "--time-limit", "60")
    assert (status, err) == (0, "")
    result = ludarium.arena.play_match(
        "sphlag", "greedy", "random", games=60, early_stop=True, openings=False
    )
    assert result.games < 20
    assert re.search(rf"both\W+{result.games}\W+{result.wins}\W", out), out


def test_show_ask_prints_an_analysis(run):
    status, out, err = run("show", "sphlag", "--ask", "mcts:60")
    assert (status, err) == (0, "")
    assert re.search(r"mcts:60 plays \S+: value .*60 simulations", out)
    assert "visits" in out and "line: " in out
    status, _, err = run("show", "sphlag", "--ask", "greedy")
    assert status == 2 and "'greedy' does not search" in err


def test_match_with_one_game_and_options(run):
    status, out, err = run(
        *("match", "sphlag", "random", "random", "--games", "1", "-o", "max_turns=1")
    )
    assert (status, err) == (0, "")
    line = next(line for line in out.splitlines() if "both" in line)
    assert [int(number) for number in re.findall(r"\d+", line)[:5]] == [1, 0, 0, 1, 0]


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


@pytest.mark.parametrize("suffix", ["html", "gif", "mp4", "png", "jsonl"])
def test_record_chooses_the_format_by_suffix(run, suffix):
    words = ("record", "sphlag", "--agents", "greedy,random", "--out", f"game.{suffix}")
    status, out, err = run(*words, "--seed", "2", "--size", "128")
    assert (status, err) == (0, "")
    record = ludarium.arena.play_game("sphlag", "greedy", "random", seed=2)
    assert f"wrote game.{suffix}: greedy (player 0) won after {len(record.turns)} turns" in out
    before = Path(f"game.{suffix}").read_bytes()
    if suffix == "jsonl":
        assert records.read("game.jsonl") == [record]
    elif suffix == "html":
        assert before.startswith(b"<!DOCTYPE html>")
    elif suffix == "mp4":
        assert before[4:8] == b"ftyp"
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


# ---------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("nothing", "there is no command 'nothing': there is 'list'.*; see ludarium --help"),
        ("--nothing", "No such option.*; see ludarium --help"),
        ("show", "Missing argument 'GAME'; see ludarium show --help"),
        ("show chess", "there is no game 'chess': there is .*'sphlag'"),
        ("perft chess --depth 1", "there is no game 'chess'"),
        ("match chess random random", "there is no game 'chess'"),
        ("record chess --agents random,random --out a.gif", "there is no game 'chess'"),
        ("play chess", "there is no game 'chess'"),
        (
            "show sphlag -o max_turns=0",
            "max_turns=0 is not allowed: max_turns is an int, 1 to 999999999",
        ),
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
        ("match sphlag random nobody", "there is no agent 'nobody': there is 'alphabeta'"),
        ("match sphlag random random:3", "agent 'random' takes no argument: random:3"),
        ("match sphlag random random --games 0", "Invalid value for '--games'"),
        ("record sphlag --out a.gif", "Missing option '--agents'"),
        ("record sphlag --agents random --out a.gif", "'random': give two agents"),
        ("record sphlag --agents random,nobody --out a.gif", "there is no agent 'nobody'"),
        (
            "record sphlag --agents random,random --out a.mp3",
            "'.html', '.gif', '.mp4', '.png' or '.jsonl'",
        ),
        ("record sphlag --agents random,random --out no/a.gif", "there is no folder 'no'"),
        ("play sphlag --seat 2", "Invalid value for '--seat'"),
        ("play sphlag --against nobody", "there is no agent 'nobody'"),
        ("play sphlag --out a.txt", "'a.txt' is not allowed: the name ends in '.jsonl'"),
        ("play sphlag --out no/a.jsonl", "there is no folder 'no'"),
        ("play sphlag --position nonsense", "'nonsense' has 1 fields"),
    ],
)
def test_user_mistakes_print_one_line_and_exit_with_2(run, words, message, tmp_path):
    status, out, err = run(*words.split(), stdin="quit\n")
    assert (status, out) == (2, "")
    assert err.startswith("ludarium: ")
    assert err.count("\n") == 1
    assert re.search(message, err), err
    assert os.listdir(tmp_path) == []


def test_play_rejects_a_finished_position(run):
    text = "R.....R..R.....R/........./..../. W 2 - 4"
    status, _, err = run("play", "sphlag", "--position", text)
    assert status == 2
    assert "the game is over" in err


def test_an_unwritable_file_is_reported_before_anything_is_played(run, monkeypatch):
    def never(*arguments: Any, **keywords: Any) -> None:
        raise AssertionError("played in vain")

    def refuse(*arguments: Any, **keywords: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("ludarium.arena.play_game", never)
    monkeypatch.setattr("ludarium.records.game_record.write", never)
    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    for words in (
        ("record", "sphlag", "--agents", "random,random", "--out", "a.gif"),
        ("show", "sphlag", "--out", "a.png"),
        ("play", "sphlag"),
    ):
        status, out, err = run(*words)
        assert (status, out) == (2, "")
        assert err == "ludarium: cannot write in the folder '.': Permission denied\n"


def test_a_reader_that_closes_the_pipe_causes_no_traceback():
    code = "from ludarium.cli import main; main(['show', 'sphlag', '--turns'])"
    command = f'{sys.executable} -c "{code}" | true'
    found = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_long_perft(number):
    """Whole depths are printed before it; it would run for years."""
    command = [sys.executable, "-m", "ludarium", "perft", "gliss", "--depth", "900"]
    with interruptible():
        process = subprocess.Popen(
            [*command, "-o", "max_turns=1000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    try:
        assert process.stdout.readline() == b"1 121\n"
        assert process.stdout.readline() == b"2 13680\n"
        process.send_signal(number)
        _, err = process.communicate(timeout=120)
    finally:
        process.kill()
        process.communicate()
    assert b"Traceback" not in err
    if number == signal.SIGINT:
        assert process.returncode == 130 and err.endswith(b"ludarium: interrupted\n")
    else:
        assert process.returncode == 128 + number


def test_perft_announces_a_count_that_takes_long(run, monkeypatch):
    """Growth of the counts so far says what the next one costs."""
    ticks = iter(range(0, 10_000, 900))
    monkeypatch.setattr("ludarium.cli.games.time.perf_counter", lambda: next(ticks))
    status, out, err = run("perft", "sphlag", "--depth", "3")
    assert (status, out) == (0, "1 6\n2 36\n3 298\n")
    assert err == "depth 3: about 2e+02 sequences, about 1.5 hours; Ctrl-C ends it\n"


def test_perft_refuses_an_absurd_depth(run):
    status, out, err = run("perft", "sphlag", "--depth", "1001")
    assert (status, out) == (2, "") and "depth=1001" in err


@pytest.mark.skipif(os.name != "posix", reason="Windows ends a process without asking it")
def test_a_signal_leaves_no_partial_file(tmp_path):
    words = ["record", "gliss", "-o", "board_size=19", "--agents", "random,random"]
    words += ["--size", "2048", "--out", "game.gif"]
    command = [sys.executable, "-m", "ludarium", *words]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE)
    try:
        while not os.listdir(tmp_path):  # until it starts to write
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.05)
        process.terminate()
        assert process.wait(60) == 128 + signal.SIGTERM
    finally:
        process.kill()
        process.communicate()
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(os.name != "posix", reason="descriptors are closed by a POSIX shell")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("list", 0),
        ("perft sphlag --depth 1", 0),
        ("show chess", 2),
    ],
)
def test_closed_streams_cause_no_traceback(words, status, closed):
    """`ludarium list >&-` ended in an AttributeError: Python has no stream for what is closed."""
    command = f"{sys.executable} -W error -m ludarium {words}"
    run = ["bash", "-c", f"{command} {closed}"]
    found = subprocess.run(run, capture_output=True, text=True)
    assert found.returncode == status, found.stderr
    assert "Traceback" not in found.stderr + found.stdout and "ignored" not in found.stderr
    if closed == ">&-" and status:
        assert found.stderr.startswith("ludarium: there is no game 'chess'")


# ---------------------------------------------------------------- replay


@pytest.fixture
def two_games(run):
    """Write a file with two games and return their records."""
    games = [ludarium.arena.play_game("sphlag", "greedy", "random", seed=seed) for seed in (1, 2)]
    records.write(games, "games.jsonl")
    return games


def test_replay_lists_the_games_of_a_file(run, two_games):
    status, out, err = run("replay", "games.jsonl")
    assert (status, err) == (0, "")
    for number, game in enumerate(two_games, 1):
        assert re.search(rf"{number} .*sphlag .*greedy .*random .* {len(game.turns)} ", out)


@pytest.mark.parametrize("suffix", ["html", "gif", "mp4", "png"])
def test_replay_writes_what_record_episode_writes(run, two_games, suffix):
    name = f"game.{suffix}"
    words = ("--game", "1", "--size", "128", "--theme", "dark", "--orientation", "1", "--names")
    status, out, err = run("replay", "games.jsonl", *words, "--out", name)
    assert (status, err) == (0, "")
    assert f"wrote {name}: greedy (player 0) won after {len(two_games[0].turns)} turns" in out
    records.record_episode(two_games[0], f"same.{suffix}", 128, False, "dark", 1, names=True)
    assert Path(name).read_bytes() == Path(f"same.{suffix}").read_bytes()
    assert run("replay", "games.jsonl", "--out", name)[0] == 2, "it exists"
    assert run("replay", "games.jsonl", "--out", name, "--force")[0] == 0


def test_replay_writes_the_last_position_as_svg(run, two_games):
    words = ("--game", "1", "--size", "128", "--orientation", "1", "--out", "end.svg")
    assert run("replay", "games.jsonl", *words)[0] == 0
    *_, last = records.replay(two_games[0])
    assert Path("end.svg").read_text() == last.render("svg", 128, orientation=1)
    assert run("replay", "games.jsonl", "--out", "end.svg")[0] == 2, "it exists"


def test_replay_shows_a_resigned_and_an_unfinished_game(run, two_games):
    """Such records come from `play`; their pictures end with the reason."""
    resigned = dataclasses.replace(
        two_games[0], turns=two_games[0].turns[:3], result=(-1.0, 1.0), reason="resigned"
    )
    unfinished = dataclasses.replace(resigned, result=None, reason="unfinished")
    Path("played.jsonl").write_text(f"{resigned.to_json()}\n{unfinished.to_json()}\n")
    _, out, _ = run("replay", "played.jsonl")
    assert "(resigned)" in out and "unfinished" in out
    for number, words in ((1, "won after 3 turns"), (2, "no winner after 3 turns (unfinished)")):
        status, out, _ = run("replay", "played.jsonl", "--game", str(number), "--out", "a.html")
        assert status == 0 and words in out
        Path("a.html").unlink()


def test_a_recorded_game_names_its_players_and_turns_the_board(run):
    words = ("sphlag", "--agents", "greedy,random", "--seed", "3", "--size", "128")
    look = ("--names", "--orientation", "1")
    assert run("record", *words, *look, "--out", "game.png")[0] == 0
    assert run("record", *words, "--out", "game.jsonl")[0] == 0
    assert run("replay", "game.jsonl", "--size", "128", *look, "--out", "same.png")[0] == 0
    assert Path("game.png").read_bytes() == Path("same.png").read_bytes()
    assert run("replay", "game.jsonl", "--size", "128", "--out", "plain.png")[0] == 0
    assert Path("game.png").read_bytes() != Path("plain.png").read_bytes()


def test_replay_takes_the_last_game_and_says_so(run, two_games):
    status, _, err = run("replay", "games.jsonl", "--out", "game.html")
    assert status == 0 and "games.jsonl holds 2 games; this is the last one" in err
    records.record_episode(two_games[1], "same.html")
    assert Path("game.html").read_bytes() == Path("same.html").read_bytes()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("replay no.jsonl", "no.jsonl: No such file"),
        ("replay empty.jsonl", "empty.jsonl holds no game records"),
        ("replay damaged.jsonl", "damaged.jsonl: line 3: not valid JSON"),
        ("replay games.jsonl --game 3 --out a.gif", "3 is not in the range 1 to 2"),
        ("replay games.jsonl --out a.mp3", "a.mp3"),
        ("replay games.jsonl --out games.jsonl --force", "ends in .html, .gif, .mp4, .png or .svg"),
    ],
)
def test_replay_names_what_is_wrong(run, two_games, words, message):
    before = Path("games.jsonl").read_bytes()
    Path("empty.jsonl").write_bytes(b"")
    Path("damaged.jsonl").write_bytes(before + b'{"game": "sph\n')
    status, _, err = run(*words.split())
    assert status == 2 and message in err
    assert Path("games.jsonl").read_bytes() == before
