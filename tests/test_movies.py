"""Animations, films and sheets of games: colours, durations, the turns that they show."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from test_replays import data_of
from test_video import frames_of

import ludarium
from ludarium.arena import play_game
from ludarium.records import movies, record_episode, sheet
from ludarium.records.episode import Episode, episode_of
from ludarium.records.game_record import GameRecord
from ludarium.records.palette import MOST, Palette

SIZE = 160


@pytest.fixture(scope="module")
def games() -> dict[str, GameRecord]:
    """A game of each kind."""
    return {name: play_game(name, "greedy", "random", seed=1) for name in ludarium.list_games()}


@pytest.fixture
def record(games: dict[str, GameRecord], name: str) -> GameRecord:
    """A game."""
    return games[name]


@pytest.fixture
def episode(record: GameRecord) -> Episode:
    """The game in small pictures."""
    return episode_of(record, SIZE)


def local_palettes(data: bytes) -> list[bool]:
    """Return for each picture of a GIF whether it has colours of its own."""
    found, place = [], 13 + 3 * 2 ** ((data[10] & 7) + 1)
    while data[place : place + 1] != b";":
        if data[place] == 0x21:  # an extension
            place += 2
        else:
            flags = data[place + 9]
            found.append(bool(flags & 0x80))
            place += 11 + (3 * 2 ** ((flags & 7) + 1) if flags & 0x80 else 0)
        while data[place]:
            place += data[place] + 1
        place += 1
    return found


def pictures_of(path: Path) -> tuple[list[Any], list[int]]:
    """Return the pictures of a GIF, uint8 [H, W, 3], and their durations in milliseconds."""
    with Image.open(path) as image:
        pictures, durations = [], []
        for index in range(getattr(image, "n_frames", 1)):
            image.seek(index)
            pictures.append(np.asarray(image.convert("RGB")))
            durations.append(image.info["duration"])
    return pictures, durations


# ---------------------------------------------------------------- animations


def test_all_frames_have_one_palette(episode: Episode, tmp_path: Path) -> None:
    path = record_episode(episode, tmp_path / "game.gif", size=SIZE)
    assert local_palettes(path.read_bytes()) == [False] * len(episode.positions)
    pictures, durations = pictures_of(path)
    assert len(pictures) == len(episode.positions) == len(durations)
    colours = np.unique(np.concatenate([shown.reshape(-1, 3) for shown in pictures]), axis=0)
    assert len(colours) <= MOST
    for shown, frame in zip(pictures, episode.frames(), strict=True):
        assert np.abs(shown.astype(int) - frame).mean() < 1
        colour, count = np.unique(frame.reshape(-1, 3), axis=0, return_counts=True)
        surface = (frame == colour[count.argmax()]).all(2)
        assert (shown[surface] == frame[surface]).all(), "surfaces keep their colours exactly"


def test_what_does_not_change_does_not_flicker(episode: Episode, tmp_path: Path) -> None:
    pictures, _ = pictures_of(record_episode(episode, tmp_path / "game.gif", size=SIZE))
    frames = list(episode.frames())
    for index in range(1, len(frames)):
        same = (frames[index] == frames[index - 1]).all(2)
        assert (pictures[index][same] == pictures[index - 1][same]).all()


def test_an_animation_is_smaller_than_one_with_a_palette_for_each_frame(
    episode: Episode, tmp_path: Path
) -> None:
    path = record_episode(episode, tmp_path / "game.gif", size=SIZE)
    pictures = [Image.fromarray(frame).quantize(256, dither=0) for frame in episode.frames()]
    other = io.BytesIO()
    pictures[0].save(other, "GIF", save_all=True, append_images=pictures[1:], duration=700)
    assert path.stat().st_size < other.tell()


@pytest.mark.parametrize("colours", [1, 2, 3, 128, 255, 256, 4000])
def test_palettes_of_any_number_of_colours(colours: int, tmp_path: Path) -> None:
    frame = np.zeros((80, 80, 3), np.uint8)
    numbers = np.arange(6400) % colours
    frame[..., 0], frame[..., 1] = (numbers % 250).reshape(80, 80), (numbers // 250).reshape(80, 80)
    palette = Palette([frame, frame[::-1]])
    assert len(palette.entries) == len(np.unique(palette.entries, axis=0)) <= min(colours, MOST)
    for picture in (frame, frame[::-1]):
        shown = np.asarray(palette.image(picture).convert("RGB")).astype(int)
        assert np.abs(shown - picture).max() <= (0 if colours <= MOST else 40)


@pytest.mark.parametrize("speed", [0.1, 0.5, 1, 2, 10])
def test_a_speed_changes_all_durations_but_the_last(speed: float, tmp_path: Path) -> None:
    record = play_game("sphlag", "greedy", "random", seed=1)
    path = record_episode(record, tmp_path / "game.gif", size=128, speed=speed)
    _, durations = pictures_of(path)
    assert durations[-1] == movies.LAST_MS
    assert set(durations[:-1]) == {round(movies.FRAME_MS / speed / 10) * 10}


def test_a_game_without_turns_is_an_animation_of_one_picture(name: str, tmp_path: Path) -> None:
    state = ludarium.load_game(name).new_initial_state(1)
    path = record_episode(state, tmp_path / "game.gif", size=128)
    with Image.open(path) as image:
        shown = np.asarray(image.convert("RGB")).astype(int)
    assert np.abs(shown - state.render(size=128)).mean() < 0.5


@pytest.mark.parametrize("speed", [0.7, 2, 10])
def test_a_film_has_the_length_that_its_speed_says(speed: float, tmp_path: Path) -> None:
    record = play_game("sphlag", "greedy", "random", seed=1)
    path = record_episode(record, tmp_path / "game.mp4", size=128, speed=speed)
    about, frames = frames_of(path)
    fps = movies.MP4_FPS if speed <= 1 else 2 * movies.MP4_FPS
    assert f"{fps} fps" in about
    seconds = len(record.turns) * movies.FRAME_MS / speed / 1000 + movies.LAST_MS / 1000
    assert abs(len(frames) / fps - seconds) < 0.1


# ---------------------------------------------------------------- some turns only


def test_only_some_turns_are_shown(record: GameRecord, episode: Episode, tmp_path: Path) -> None:
    part = episode.only_turns((3, 5))
    assert part.turn_numbers == range(3, 6) and not part.whole
    assert part.states[0].turn_number() == 2 and part.states[-1].turn_number() == 5
    assert part.skipped + len(part.positions) + part.left_out == len(episode.positions)
    assert part.num_actions == episode.num_actions
    path = record_episode(record, tmp_path / "part.gif", size=SIZE, turns=(3, 5))
    pictures, _ = pictures_of(path)
    assert len(pictures) == len(part.positions)
    for shown, index in (
        (pictures[0], part.skipped),
        (pictures[-1], part.skipped + len(pictures) - 1),
    ):
        assert np.abs(shown.astype(int) - episode.frame(index)).mean() < 0.5
    page = record_episode(record, tmp_path / "part.html", turns=(3, 5)).read_text("utf-8")
    data = data_of(page)
    assert data["positions"] == [state.to_string() for state in part.states]
    assert [turn["number"] for turn in data["turns"]] == [3, 4, 5]
    assert data["addresses"][0] == "turn=2" and data["addresses"][-1] == "turn=5"
    assert data["status"][0] == "After turn 2"
    assert f"of {episode.num_actions}, turn 3" in data["status"][1]
    assert data["result"] == "The page ends after turn 5; the game goes on"


def test_the_last_turns_end_with_the_result(record: GameRecord, tmp_path: Path) -> None:
    count = len(record.turns)
    whole = data_of(record_episode(record, tmp_path / "whole.html").read_text("utf-8"))
    for index, last in enumerate((None, count, count + 90)):
        path = record_episode(record, tmp_path / f"{index}.html", turns=(count - 1, last))
        data = data_of(path.read_text("utf-8"))
        assert len(data["turns"]) == 2 and data["result"] == whole["result"]


def test_an_illegal_end_is_shown_only_with_the_end(name: str, tmp_path: Path) -> None:
    state = ludarium.load_game(name).new_initial_state(1)
    while state.turn_number() < 6:
        state.apply_action(state.legal_actions()[0])
    record = GameRecord.from_state(state, ("a", "b"), 1, result=(-1.0, 1.0), reason="illegal")
    episode = episode_of(record, SIZE)
    assert episode.ending is not None
    assert episode.only_turns((1, 3)).ending is None
    assert episode.only_turns((4, 6)).ending == episode.ending


@pytest.mark.parametrize(
    ("turns", "message"),
    [
        ((0, 3), "turns=(0, 3) is not allowed"),
        ((5, 4), "turns=(5, 4) is not allowed"),
        ((1.5, 2), "is not allowed"),
        (("1", "2"), "is not allowed"),
        (7, "turns=7 is not allowed"),
        ((99, None), "there is no turn 99: the game has turns 1 to "),
    ],
)
def test_turns_that_are_not_there_are_named(turns: Any, message: str, tmp_path: Path) -> None:
    record = play_game("sphlag", "greedy", "random", seed=1)
    with pytest.raises(ValueError) as caught:
        record_episode(record, tmp_path / "part.gif", turns=turns)
    assert message in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_states_that_do_not_follow_have_no_turns_to_choose(name: str, tmp_path: Path) -> None:
    state = ludarium.load_game(name).new_initial_state(1)
    later = state.child(state.legal_actions()[0])
    with pytest.raises(ValueError, match="each position follows from the one before"):
        record_episode([later, state, later], tmp_path / "a.gif", turns=(1, 1))


# ---------------------------------------------------------------- sheets


def tiles_of(path: Path, height: int, width: int, label: int = 0) -> list[list[Any]]:
    """Return the pictures of a sheet, row by row."""
    with Image.open(path) as image:
        pixels = np.asarray(image)
    step, across = height + sheet.GAP + label, width + sheet.GAP
    assert (pixels.shape[0] + sheet.GAP) % step == 0 == (pixels.shape[1] + sheet.GAP) % across
    return [
        [
            pixels[top + label : top + label + height, left : left + width]
            for left in range(0, pixels.shape[1], across)
        ]
        for top in range(0, pixels.shape[0], step)
    ]


@pytest.mark.parametrize("columns", [1, 3, 100])
def test_a_sheet_has_the_columns_it_is_told(columns: int, episode: Episode, tmp_path: Path) -> None:
    path = record_episode(episode, tmp_path / "game.png", size=SIZE, columns=columns)
    count, (height, width) = len(episode.positions), episode.shape
    rows = tiles_of(path, height, width)
    across = min(columns, count)
    assert [len(row) for row in rows] == [across] * -(-count // across)
    for index, frame in enumerate(episode.frames()):
        assert np.array_equal(rows[index // across][index % across], frame)


def test_a_sheet_of_some_positions_says_which(episode: Episode, tmp_path: Path) -> None:
    part = episode.between(2, 4)
    path = record_episode(part, tmp_path / "part.png", size=SIZE, columns=2)
    height, width = episode.shape
    label = max(12, height // 20)
    rows = tiles_of(path, height, width, label)
    for index in range(len(part.positions)):
        drawn = episode.frame(part.skipped + index)
        assert np.array_equal(rows[index // 2][index % 2], drawn)
    numbers = ", ".join(str(part.skipped + index) for index in range(len(part.positions)))
    count = f"{len(part.positions)} of {len(episode.positions)} positions"
    assert sheet.note(part) == f"{count}, those after actions {numbers}"


# ---------------------------------------------------------------- what applies to what


@pytest.mark.parametrize(
    ("suffix", "options", "message"),
    [
        ("html", {"speed": 2}, "speed does not apply to .html: it applies to '.gif' or '.mp4'"),
        ("png", {"speed": 2}, "speed does not apply to .png: it applies to '.gif' or '.mp4'"),
        ("gif", {"columns": 2}, "columns does not apply to .gif: it applies to '.png'"),
        ("jsonl", {"turns": (1, 2)}, "it applies to '.html', '.gif', '.mp4' or '.png'"),
        ("gif", {"speed": 0}, "speed=0 is not allowed: speed is a number, 0.1 to 10"),
        ("gif", {"speed": "2"}, "speed='2' is not allowed"),
        ("png", {"columns": 0}, "columns=0 is not allowed: columns is an int, 1 to 100"),
        ("png", {"columns": 1.5}, "columns=1.5 is not allowed"),
    ],
)
def test_options_that_do_not_apply_are_named(
    suffix: str, options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    record = play_game("sphlag", "random", "random", seed=1)
    with pytest.raises(ValueError) as caught:
        record_episode(record, tmp_path / f"game.{suffix}", **options)
    assert message in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.fixture
def saved(run: Any) -> GameRecord:
    """A game in the file games.jsonl."""
    record = play_game("sphlag", "greedy", "random", seed=1)
    record_episode(record, "games.jsonl")
    return record


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("a.gif --turns 3-5 --speed 2", {"turns": (3, 5), "speed": 2}),
        ("a.gif --turns 3", {"turns": (3, 3)}),
        ("a.mp4 --turns 20-", {"turns": (20, None)}),
        ("a.html --turns 20-999", {"turns": (20, 999)}),
        ("a.png --columns 2 --from 4", {"columns": 2, "turns": (5, None)}),
        ("a.png --from 2 --to 6", {"turns": (3, 6)}),
        ("a.png --to 6", {"turns": (1, 6)}),
    ],
)
def test_both_commands_take_the_same_options(
    run: Any, saved: GameRecord, words: str, options: dict[str, Any]
) -> None:
    suffix = words.split()[0][1:]
    status, out, err = run("replay", "games.jsonl", "--size", "128", "--out", *words.split())
    assert (status, err) == (0, "") and out.startswith(f"wrote a{suffix}: greedy (player 0) won")
    record_episode(saved, f"b{suffix}", size=128, **options)
    assert Path(f"a{suffix}").read_bytes() == Path(f"b{suffix}").read_bytes()
    game = ("record", "sphlag", "--agents", "greedy,random", "--seed", "1", "--size", "128")
    status, again, err = run(*game, "--force", "--out", *words.split())
    assert (status, again, err) == (0, out, "")
    assert Path(f"a{suffix}").read_bytes() == Path(f"b{suffix}").read_bytes()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "--out a.html --speed 2",
            "--speed: does not apply to '.html': it applies to '.gif' or '.mp4'",
        ),
        ("--out a.png --turns 2-3", "--turns: does not apply to '.png': it applies to '.html',"),
        ("--out a.gif --columns 2", "--columns: does not apply to '.gif': it applies to '.png'"),
        ("--out a.gif --from 2", "--from: does not apply to '.gif': it applies to '.png'"),
        ("--out a.html --to 2", "--to: does not apply to '.html': it applies to '.png'"),
        ("--out a.gif --turns 3-2", "'3-2': turns are numbered from 1, and A is not after B"),
        ("--out a.gif --turns 0", "'0': turns are numbered from 1"),
        ("--out a.gif --turns x", "'x' is not of the form A-B, A- or A"),
        ("--out a.gif --turns 99-", "there is no turn 99: the game has turns 1 to"),
        ("--out a.png --from 99", "there is no turn 99: the game has turns 1 to"),
        ("--out a.png --from 9 --to 3", "--to: 3 is before --from, 9"),
        ("--out a.gif --speed 0", "0.1<=x<=10"),
        ("--out a.png --columns 0", "1<=x<=100"),
    ],
)
@pytest.mark.usefixtures("saved")
def test_the_commands_name_what_does_not_apply(run: Any, words: str, message: str) -> None:
    game = ("record", "sphlag", "--agents", "greedy,random", "--seed", "1")
    for command in (("replay", "games.jsonl"), game):
        status, _, err = run(*command, *words.split())
        assert status == 2 and message in err and err.count("\n") == 1
    assert [path.name for path in Path().iterdir()] == ["games.jsonl"]


@pytest.mark.usefixtures("saved")
def test_options_of_a_file_need_one(run: Any) -> None:
    status, _, err = run("replay", "games.jsonl", "--speed", "2")
    assert status == 2 and "--speed: give a file with --out: it applies to '.gif' or '.mp4'" in err
    status, _, err = run("replay", "games.jsonl", "--out", "a.svg", "--turns", "1-2")
    assert status == 2 and "does not apply to '.svg'" in err
    game = ("record", "sphlag", "--agents", "greedy,random", "--out", "a.jsonl", "--turns", "1-2")
    status, _, err = run(*game)
    assert status == 2 and "does not apply to '.jsonl'" in err
