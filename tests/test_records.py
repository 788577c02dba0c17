"""Game records: exact replay, reading, writing, and what is wrong with a bad one."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import ludarium
from ludarium import records
from ludarium.arena import play_game
from ludarium.core.game import game_type
from ludarium.drawing import pictures
from ludarium.records import GameRecord
from ludarium.records import sheet as sheet_file
from ludarium.records.export import record_episode
from ludarium.records.game_record import check_records_file


def games_of(name: str) -> Iterator[Any]:
    """Yield a game with its default options, then with each other value of each option."""
    yield ludarium.load_game(name)
    for option, about in game_type(name).options.items():
        values = about.allowed
        for value in (values[0], values[-1]) if isinstance(values, range) else values:
            yield ludarium.load_game(name, **{option: value})


def walk(game: Any, actions: int, seed: int = 0) -> Any:
    """Return the state after some random actions, fewer if the game ends."""
    rng = np.random.default_rng(seed)
    state = game.new_initial_state(seed)
    while actions and not state.is_terminal():
        legal = state.legal_actions()
        state.apply_action(legal[rng.integers(len(legal))])
        actions -= 1
    return state


def sphlag(*turns: str, **changes: Any) -> GameRecord:
    """Return a record of Sphlag."""
    state = ludarium.load_game("sphlag").new_initial_state()
    for turn in turns:
        state.apply_action(state.string_to_action(turn))
    return replace(GameRecord.from_state(state, ("a", "b"), 3), **changes)


# ---------------------------------------------------------------- replay


def test_a_record_replays_to_the_same_position_at_every_length(name):
    for game in games_of(name):
        for actions in (*range(9), 60):
            state = walk(game, actions, seed=actions)
            record = GameRecord.from_json(GameRecord.from_state(state, seed=actions).to_json())
            states = list(records.replay(record))
            assert states[-1] == state
            assert states[-1].history() == state.history()
            assert len(states) == len(record.turns) + 1
            assert states[0].history() == []
            numbers = [found.turn_number() for found in states]
            assert numbers[:-1] == list(range(numbers[0], numbers[0] + len(numbers) - 1))


def test_a_record_replays_from_a_position_in_the_middle(name):
    for game in games_of(name):
        for actions in range(4, 12):
            state = game.state_from_string(walk(game, actions).to_string())
            for _ in range(3):
                if not state.is_terminal():
                    state.apply_action(state.legal_actions()[-1])
            record = GameRecord.from_json(GameRecord.from_state(state).to_json())
            assert record.start is not None
            *_, last = records.replay(record)
            assert last == state


def test_the_start_stands_in_the_record_only_where_it_is_needed(name):
    for game in games_of(name):
        starts = {game.new_initial_state(seed).to_string() for seed in range(20)}
        record = GameRecord.from_state(walk(game, 3, seed=2), seed=2)
        assert (record.start is None) == (len(starts) == 1)
        if record.start is not None:  # without it the seed says as much
            assert list(records.replay(replace(record, start=None))) == list(records.replay(record))
            with pytest.raises(ValueError, match="a record needs `start` or `seed`"):
                next(records.replay(replace(record, start=None, seed=None)))


def test_replayed_states_are_the_callers_own():
    states = records.replay(sphlag("E7/0", "C1/0"))
    next(states).apply_action(0)
    assert next(states).turn_number() == 1


def test_result_and_reason_say_how_a_game_ended():
    assert (sphlag("E7/0").result, sphlag("E7/0").reason) == (None, "unfinished")
    drawn = sphlag("pass", "pass")
    assert (drawn.result, drawn.reason) == ((0, 0), "drawn")
    won = sphlag("E7/0", "pass", "pass")
    assert (won.result, won.reason) == ((-1, 1), "won")
    cut = GameRecord.from_state(walk(ludarium.load_game("sphlag", max_turns=2), 2))
    assert (cut.result, cut.reason) == ((0, 0), "max_turns")
    assert json.loads(drawn.to_json())["result"] == [0, 0]
    assert json.loads(sphlag("E7/0").to_json())["result"] is None


def test_a_line_has_the_fields_of_the_contract():
    line = sphlag("E7/0", "C1/0").to_json()
    assert "\n" not in line
    assert json.loads(line) == {
        "game": "sphlag",
        "version": 0,
        "options": {"max_turns": 200},
        "seed": 3,
        "players": ["a", "b"],
        "turns": ["E7/0", "C1/0"],
        "result": None,
        "reason": "unfinished",
    }


# ---------------------------------------------------------------- bad records


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 7}, "line 4: the record is of version 7 of sphlag; this is version 0"),
        ({"game": "chess"}, "line 4: there is no game 'chess'"),
        ({"options": {"size": 3}}, "line 4: sphlag has no option 'size'"),
        ({"options": {"self": 3}}, "line 4: "),
        ({"options": {"max_turns": [1]}}, r"line 4: max_turns=\[1\]"),
        ({"start": "nonsense"}, "line 4: 'nonsense' has 1 fields"),
        ({"turns": ("E7/0", "E7/0")}, "line 4: turn 2: 'E7/0' is illegal"),
        ({"turns": ("E7/0", "C1/0x")}, "line 4: turn 2: 'C1/0x' is illegal"),
        ({"turns": ("",)}, "line 4: turn 1: '' is illegal"),
        (
            {"turns": ("pass", "pass", "pass")},
            "line 4: turn 3: 'pass' is illegal: the game is over",
        ),
        ({"result": (1, -1)}, r"line 4: result .* is not that of the last position"),
        ({"turns": ("pass", "pass")}, r"line 4: result None \(unfinished\) is not that of"),
    ],
)
def test_replay_says_what_is_wrong_and_where(change, message):
    with pytest.raises(ValueError, match=message):
        list(records.replay(sphlag("E7/0", "C1/0", line=4, **change)))


def test_a_half_made_turn_stands_only_at_the_end(name, game):
    state = game.new_initial_state(0)
    rng = np.random.default_rng(0)
    while not state.is_terminal():
        legal = state.legal_actions()
        action = legal[rng.integers(len(legal))]
        after = state.child(action)
        if after.turn_number() == state.turn_number() and not after.is_terminal():
            record = GameRecord.from_state(after)
            *_, last = records.replay(record)
            assert last == after
            with pytest.raises(
                ValueError, match=f"turn {len(record.turns)}: .* is not a whole turn"
            ):
                list(records.replay(replace(record, turns=(*record.turns, "x"))))
            return
        state = after
    assert len(game.stages) == 1  # no game of two-action turns gets here


def fields(**changes: Any) -> str:
    """Return a line with some fields changed, or left out where the value is ...."""
    found = {**json.loads(sphlag("E7/0").to_json()), **changes}
    return json.dumps({key: value for key, value in found.items() if value is not ...})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("[]", "a record is a JSON object"),
        ("null", "a record is a JSON object"),
        (fields(game=...), "'game' is missing"),
        (fields(turns=...), "'turns' is missing"),
        (fields(game=3), "game 3"),
        (fields(version="0"), "version '0'"),
        (fields(version=True), "version True"),
        (fields(options=[]), "options"),
        (fields(seed=-1), "seed -1"),
        (fields(seed=1.5), "seed 1.5"),
        (fields(players=["a"]), "players"),
        (fields(players=["a", 3]), "players"),
        (fields(turns="E7/0"), "turns 'E7/0'"),
        (fields(turns=[1]), "turns"),
        (fields(result=[1]), "result"),
        (fields(result=[1, True]), "result"),
        (fields(result=[1e999, 0]), "result"),
        (fields(reason=None), "reason None"),
        (fields(start=3), "start 3"),
        (b"\xff\xfe", "not valid UTF-8"),
    ],
)
def test_read_names_the_line_and_the_field(tmp_path, line, message):
    path = tmp_path / "games.jsonl"
    line = line if isinstance(line, bytes) else line.encode()
    path.write_bytes(sphlag("E7/0").to_json().encode() + b"\n\n" + line + b"\n")
    with pytest.raises(ValueError, match=f"line 3: {message}"):
        records.read(path)


def test_fields_of_later_times_are_ignored(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text(fields(clock=[1, 2]) + "\n")
    assert records.read(path) == [sphlag("E7/0")]


# ---------------------------------------------------------------- files


def test_records_are_appended_and_read_back_with_their_lines(tmp_path):
    path = tmp_path / "games.jsonl"
    first, second, third = sphlag("E7/0"), sphlag("pass", "pass"), sphlag()
    records.write(first, path)
    records.write([second, third], path)
    found = records.read(path)
    assert found == [first, second, third]
    assert [record.line for record in found] == [1, 2, 3]
    records.write(third, path, overwrite=True)
    assert records.read(path) == [third]
    assert os.listdir(tmp_path) == ["games.jsonl"]


def test_a_record_is_never_joined_to_an_unfinished_line(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text(sphlag("E7/0").to_json())
    records.write(sphlag(), path)
    assert records.read(path) == [sphlag("E7/0"), sphlag()]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"my notes", 1),
        (b'{"a": 1}', 1),  # no line end: not to be taken for a torn record
        (b'{"game": "sphl', 1),
        (b'\n\n{"a": 1}\n', 3),
        (b"\xff\xfe\x00", 1),
        (b"[" * 100_000, 1),
        (b"RECORD\nmy notes\n", 2),
        (b"RECORD\nmy notes\nRECORD\n", 2),
        (b"my notes\nRECORD\n", 1),
        (b"RECORD\n" * 2000 + b"my notes\n", 2001),
    ],
)
def test_records_are_not_appended_to_another_file(tmp_path, content, line):
    """The file stays as it is; the message names it and the first line that is not a record."""
    path = tmp_path / "games.jsonl"
    path.write_bytes(content.replace(b"RECORD", sphlag("E7/0").to_json().encode()))
    before = path.read_bytes()
    for attempt in (records.write, lambda _, path: check_records_file(path)):
        with pytest.raises(ValueError, match=rf"games\.jsonl' does not hold .*: line {line} is"):
            attempt(sphlag(), path)
        assert path.read_bytes() == before
    records.write(sphlag(), path, overwrite=True)
    assert records.read(path) == [sphlag()]


@pytest.mark.parametrize("count", [1, 2000])
def test_records_are_appended_after_a_torn_line(tmp_path, count):
    path = tmp_path / "games.jsonl"
    whole = sphlag("E7/0").to_json() + "\n"
    path.write_text(whole * count + whole[:30])
    check_records_file(path)
    records.write(sphlag(), path)
    assert path.read_text() == whole * count + whole[:30] + "\n" + sphlag().to_json() + "\n"


def test_a_file_without_any_line_takes_records(tmp_path):
    for content in ("", "\n\n"):
        path = tmp_path / "games.jsonl"
        path.write_text(content)
        records.write(sphlag(), path)
        assert records.read(path) == [sphlag()]


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "games.jsonl"
    records.write(sphlag("E7/0"), path)
    before = path.read_bytes()
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: write(handle, data[:10]))
    with pytest.raises(OSError, match="only 10 of"):
        records.write(sphlag("pass"), path)
    assert path.read_bytes() == before


def test_a_file_that_is_not_there_is_an_os_error(tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        records.read(tmp_path / "nowhere.jsonl")
    with pytest.raises(OSError, match="nowhere"):
        records.write(sphlag(), tmp_path / "nowhere" / "games.jsonl")


# ---------------------------------------------------------------- episodes


def last_frame(path: Path) -> Any:
    """Return the last picture of a GIF, uint8 [H, W, 3], and all its durations."""
    with Image.open(path) as image:
        durations = []
        for index in range(image.n_frames):
            image.seek(index)
            durations.append(image.info["duration"])
        return np.asarray(image.convert("RGB")), durations


def test_an_animation_ends_with_the_last_position_held_longer(name, game, tmp_path):
    record = play_game(game, "greedy", "random", seed=1)
    path = record_episode(record, tmp_path / "game.gif", size=160)
    *_, last = records.replay(record)
    frame, durations = last_frame(path)
    drawn = game.type.submodule("render").draw(last, 160)
    assert frame.shape == drawn.shape
    assert np.abs(frame.astype(int) - drawn).mean() < 4  # 256 colours
    assert durations[-1] > max(durations[:-1])
    assert len(durations) > len(record.turns)


def test_a_sheet_has_the_last_position_at_its_end(name, game, tmp_path):
    record = play_game(game, "greedy", "random", seed=1)
    path = record_episode(record, tmp_path / "game.PNG", size=160)
    *_, last = records.replay(record)
    drawn = game.type.submodule("render").draw(last, 160)
    height, width = drawn.shape[:2]
    with Image.open(path) as image:
        sheet = np.asarray(image)
    columns = (sheet.shape[1] + sheet_file.GAP) // (width + sheet_file.GAP)
    rows = (sheet.shape[0] + sheet_file.GAP) // (height + sheet_file.GAP)
    found = [
        sheet[top : top + height, left : left + width]
        for top in range(0, sheet.shape[0], height + sheet_file.GAP)
        for left in range(0, sheet.shape[1], width + sheet_file.GAP)
    ]
    assert len(found) == rows * columns
    used = [tile for tile in found if (tile != sheet_file.GREY).any()]
    assert np.array_equal(used[-1], drawn)
    start = game.type.submodule("render").draw(next(records.replay(record)), 160)
    assert np.array_equal(used[0], start)


@pytest.mark.parametrize("suffix", ["gif", "png"])
def test_a_file_can_name_the_players(suffix, tmp_path):
    record = GameRecord.from_state(walk(ludarium.load_game("sphlag"), 3))
    heights = []
    for names in (False, True):
        path = record_episode(record, tmp_path / f"{names}.{suffix}", size=128, names=names)
        with Image.open(path) as picture:
            heights.append(picture.height)
    assert heights[1] > heights[0]


def test_an_episode_may_be_a_state_states_or_an_environment(tmp_path):
    state = walk(ludarium.load_game("sphlag"), 5)
    env = ludarium.make("sphlag")
    env.reset()
    for action in state.history():
        env.step(action)
    for index, episode in enumerate((state, env, GameRecord.from_state(state))):
        path = record_episode(episode, tmp_path / f"{index}.jsonl")
        assert records.read(path) == [GameRecord.from_state(state)]
        record_episode(episode, tmp_path / f"{index}.gif", size=128)
    frames = [last_frame(tmp_path / f"{index}.gif") for index in range(3)]
    assert all(np.array_equal(frame[0], frames[0][0]) for frame in frames)
    record_episode([state], tmp_path / "one.png", size=128)
    with Image.open(tmp_path / "one.png") as image:
        drawn = state.game.type.submodule("render").draw(state, 128)
        assert np.array_equal(np.asarray(image), drawn)


def test_a_file_is_not_overwritten_by_default(tmp_path):
    path = tmp_path / "game.jsonl"
    path.write_text("mine")
    with pytest.raises(FileExistsError, match="exists already and is not overwritten"):
        record_episode(sphlag(), path)
    assert path.read_text() == "mine"
    record_episode(sphlag(), path, overwrite=True)
    assert records.read(path) == [sphlag()]


@pytest.mark.parametrize("write", ["record_episode", "write", "write_picture"])
def test_a_symbolic_link_is_followed_when_its_file_is_replaced(tmp_path, write):
    """The link stays; the file it names is replaced and keeps its permissions."""
    suffix = ".png" if write == "write_picture" else ".jsonl"
    (tmp_path / "far").mkdir()
    real, link = tmp_path / "far" / f"game{suffix}", tmp_path / f"link{suffix}"
    link.symlink_to(Path("far") / real.name)

    def replace_it() -> None:
        if write == "record_episode":
            record_episode(sphlag(), link, overwrite=True)
        elif write == "write":
            records.write(sphlag(), link, overwrite=True)
        else:
            state = ludarium.load_game("sphlag").new_initial_state()
            pictures.write_picture(state, link, 128, overwrite=True)

    replace_it()  # a link to a file that is not there yet makes it
    assert link.is_symlink() and real.is_file() and not real.is_symlink()
    real.write_text("mine")
    real.chmod(0o640)
    replace_it()
    assert link.is_symlink() and real.read_bytes() != b"mine"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path)) == ["far", link.name]
    assert os.listdir(tmp_path / "far") == [real.name]


def test_a_link_that_leads_nowhere_is_named(tmp_path):
    missing, loop = tmp_path / "missing.jsonl", tmp_path / "loop.jsonl"
    missing.symlink_to(tmp_path / "nowhere" / "game.jsonl")
    loop.symlink_to(loop)
    for link, message in ((missing, "no folder"), (loop, "symbolic links")):
        with pytest.raises(OSError, match=message):
            record_episode(sphlag(), link, overwrite=True)
        assert link.is_symlink()
    assert len(os.listdir(tmp_path)) == 2


def test_a_link_is_not_overwritten_unless_asked(tmp_path):
    real, link = tmp_path / "game.jsonl", tmp_path / "link.jsonl"
    real.write_text("mine")
    link.symlink_to(real)
    with pytest.raises(FileExistsError, match="link"):
        record_episode(sphlag(), link)
    assert real.read_text() == "mine" and link.is_symlink()


def test_the_folder_of_the_file_behind_a_link_is_checked(tmp_path, monkeypatch):
    """What counts is the folder in which the new file is made."""
    far = tmp_path / "far"
    far.mkdir()
    (tmp_path / "link.jsonl").symlink_to(far / "game.jsonl")
    make = tempfile.TemporaryFile

    def refuse(*arguments: Any, dir: Path, **keywords: Any) -> Any:
        if Path(dir) == far:
            raise PermissionError(13, "Permission denied")
        return make(*arguments, dir=dir, **keywords)

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    with pytest.raises(PermissionError, match="far"):
        record_episode(sphlag(), tmp_path / "link.jsonl", overwrite=True)


def test_only_a_regular_file_is_replaced(tmp_path):
    path = tmp_path / "pipe.jsonl"
    os.mkfifo(path)
    with pytest.raises(OSError, match="not a regular file"):
        record_episode(sphlag(), path, overwrite=True)
    assert stat.S_ISFIFO(path.stat().st_mode)


@pytest.mark.parametrize("overwrite", [False, True])
def test_no_half_written_file_is_left(tmp_path, monkeypatch, overwrite):
    path = tmp_path / "game.gif"
    if overwrite:
        path.write_text("mine")

    def fails(*arguments: Any, **keywords: Any) -> None:
        arguments[1].write(b"GIF89a")
        raise OSError("disk full")

    monkeypatch.setattr(Image.Image, "save", fails)
    with pytest.raises(OSError, match="disk full"):
        record_episode(sphlag("E7/0"), path, overwrite=overwrite)
    assert os.listdir(tmp_path) == (["game.gif"] if overwrite else [])
    if overwrite:
        assert path.read_text() == "mine"


@pytest.mark.parametrize(
    ("episode", "file", "size", "error", "message"),
    [
        (
            "record",
            "game.mp3",
            512,
            ValueError,
            r"'\.html', '\.gif', '\.mp4', '\.png' or '\.jsonl'",
        ),
        ("record", "game", 512, ValueError, "game' is not allowed"),
        ("record", "game.gif", 100, ValueError, "size=100 is not allowed"),
        ("record", "nowhere/game.gif", 512, OSError, "no folder"),
        ("record", "folder.gif", 512, OSError, "is a folder"),
        ("record", "file.txt/game.gif", 512, OSError, "no folder"),
        ("empty", "game.gif", 512, ValueError, "empty"),
        ("wrong", "game.gif", 512, TypeError, "made of states, not int"),
        ("version", "game.gif", 512, ValueError, "version 9"),
    ],
)
def test_a_mistake_is_named_and_nothing_is_written(tmp_path, episode, file, size, error, message):
    (tmp_path / "folder.gif").mkdir()
    (tmp_path / "file.txt").write_text("")
    what = {
        "record": sphlag(),
        "empty": [],
        "wrong": [3],
        "version": sphlag(version=9),
    }[episode]
    with pytest.raises(error, match=message):
        record_episode(what, tmp_path / file, size)
    assert sorted(os.listdir(tmp_path)) == ["file.txt", "folder.gif"]


def test_a_folder_that_cannot_be_written_is_noticed(tmp_path, monkeypatch):
    def refuse(*arguments: Any, **keywords: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    with pytest.raises(PermissionError, match="cannot write in the folder"):
        record_episode(sphlag(), tmp_path / "game.gif")
