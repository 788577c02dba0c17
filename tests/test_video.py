"""Films: MP4 by `record_episode`, and by the RecordVideo of Gymnasium and PettingZoo."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from pathlib import Path
from typing import Any

import gymnasium
import imageio_ffmpeg
import numpy as np
import pettingzoo.utils.wrappers
import pytest

import ludarium
from ludarium.arena import play_game
from ludarium.records import movies, record_episode, replay
from ludarium.records.game_record import GameRecord
from ludarium.wrappers.films import RecordTurns


def frames_of(path: Path) -> tuple[str, list[Any]]:
    """Return what ffmpeg says of a film, and its pictures, uint8 [H, W, 3]."""
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24"]
    done = subprocess.run([*command, "-"], capture_output=True, check=True)
    about = re.findall(r"Stream .* Video: (.*)", done.stderr.decode())[0]
    width, height = (int(n) for n in re.findall(r", (\d+)x(\d+)[, ]", about)[0])
    return about, list(np.frombuffer(done.stdout, np.uint8).reshape(-1, height, width, 3))


@pytest.mark.parametrize("size", [129, 256])
def test_a_film_shows_every_position_and_holds_the_last(
    name: str, size: int, tmp_path: Path
) -> None:
    record = play_game(name, "greedy", "random", seed=1)
    path = record_episode(record, tmp_path / "game.mp4", size=size)
    *_, last = replay(record)
    states = [last._at_start()]
    for action in last.history():
        states.append(states[-1].child(action))
    about, frames = frames_of(path)
    assert about.startswith("h264") and "yuv420p" in about
    each = movies.FRAME_MS * movies.MP4_FPS // 1000
    held = movies.LAST_MS * movies.MP4_FPS // 1000
    assert len(frames) == each * (len(states) - 1) + held
    height, width = states[0].render(size=size).shape[:2]
    assert frames[0].shape == (height, width, 3)
    for index in (0, len(states) // 2, len(states) - 1):
        drawn = states[index].render(size=size).astype(int)
        gap = np.abs(frames[each * index + each - 1][:height, :width] - drawn)
        assert gap.mean() < 6, index
    assert np.abs(frames[-1].astype(int) - frames[-held]).mean() < 2


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name == "imageio_ffmpeg" else found(name)
    )
    state = ludarium.load_game(ludarium.list_games()[0]).new_initial_state(1)
    with pytest.raises(ImportError, match=r"pip install 'ludarium\[video\]'"):
        record_episode(state, tmp_path / "game.mp4")
    assert not list(tmp_path.iterdir())


def test_the_command_names_a_missing_extra_before_it_plays(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name == "imageio" else found(name)
    )
    monkeypatch.setattr("ludarium.arena.play_game", None)
    name = ludarium.list_games()[0]
    status, out, err = run("record", name, "--agents", "random,random", "--out", "a.mp4")
    assert (status, out) == (2, "")
    assert err.count("\n") == 1 and "pip install 'ludarium[video]'" in err


def test_a_film_that_fails_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = ludarium.load_game(ludarium.list_games()[0]).new_initial_state(1)

    def fails(*arguments: Any, **keywords: Any) -> None:
        raise OSError("no room")

    monkeypatch.setattr("imageio.v2.get_writer", fails)
    with pytest.raises(OSError, match="no room"):
        record_episode(GameRecord.from_state(state, seed=1), tmp_path / "game.mp4")
    assert not list(tmp_path.iterdir())


# ---------------------------------------------------------------- the wrappers of others


def ids() -> list[str]:
    """Return the Gymnasium ids."""
    return sorted(i for i in gymnasium.registry if i.startswith("ludarium/"))


@pytest.mark.parametrize("id_", ids())
def test_gymnasium_records_our_environments(id_: str, tmp_path: Path) -> None:
    env = gymnasium.make(f"ludarium:{id_}", render_mode="rgb_array", render_size=160)
    seen = gymnasium.wrappers.RecordVideo(
        env, str(tmp_path / "films"), episode_trigger=lambda episode: True, fps=4
    )
    rng = np.random.default_rng(0)
    _, info = seen.reset(seed=1)
    steps = 1
    over = False
    while not over and steps < 12:
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        _, _, terminated, truncated, info = seen.step(action)
        steps, over = steps + 1, terminated or truncated
    shown = env.render()
    seen.close()
    (path,) = (tmp_path / "films").glob("*.mp4")
    _, frames = frames_of(path)
    assert len(frames) == steps
    height, width = shown.shape[:2]  # type: ignore[union-attr]
    assert (
        np.abs(
            frames[-1][: height - 1, : width - 1].astype(int) - shown[: height - 1, : width - 1]
        ).mean()
        < 6
    )  # type: ignore[index]


def test_films_show_the_turns_of_both_players(name: str, tmp_path: Path) -> None:
    """RecordVideo itself takes the last frame of each step; RecordTurns takes all of them."""
    frame_counts = {}
    for wrapper in (gymnasium.wrappers.RecordVideo, RecordTurns):
        env = gymnasium.make(
            f"ludarium:ludarium/{name.title()}-v0",
            render_mode="rgb_array_list", render_size=128, seat=0, max_turns=8,
        )  # fmt: skip
        folder = tmp_path / wrapper.__name__
        film = wrapper(env, str(folder), episode_trigger=lambda episode: True)
        _, info = film.reset(seed=1)
        over, steps = False, 0
        while not over:
            action = int(np.flatnonzero(info["action_mask"])[0])
            _, _, terminated, truncated, info = film.step(action)
            over, steps = terminated or truncated, steps + 1
        film.close()
        (path,) = folder.glob("*.mp4")
        frame_counts[wrapper] = len(frames_of(path)[1])
        assert len(film.recorded_frames) == 0
    answers = 4  # turns of the opponent, the last of 8 turns is one of them
    assert frame_counts == {
        gymnasium.wrappers.RecordVideo: 1 + steps,
        RecordTurns: 1 + steps + answers,
    }


def test_films_of_both_players_need_lists_of_pictures(name: str, tmp_path: Path) -> None:
    env = gymnasium.make(f"ludarium:ludarium/{name.title()}-v0", render_mode="rgb_array")
    with pytest.raises(ValueError, match="render_mode='rgb_array' has one frame for each step"):
        RecordTurns(env, str(tmp_path / "films"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["env", "parallel_env"])
def test_pettingzoo_records_our_environments(name: str, kind: str, tmp_path: Path) -> None:
    module = getattr(ludarium, name)
    env = getattr(module, kind)(render_mode="rgb_array", render_size=160)
    wrapper = {
        "env": pettingzoo.utils.wrappers.RecordVideo,
        "parallel_env": pettingzoo.utils.wrappers.RecordVideoParallel,
    }[kind]
    seen = wrapper(env, str(tmp_path / "films"), episode_trigger=lambda episode: True, fps=4)
    seen.reset(seed=1)
    rng = np.random.default_rng(0)
    for _ in range(9):
        state = seen.unwrapped.game_state
        action = int(rng.choice(state.legal_actions()))
        if kind == "env":
            seen.step(action)
        else:
            seen.step({f"player_{state.current_player()}": action})
    seen.close()
    (path,) = (tmp_path / "films").glob("*.mp4")
    _, frames = frames_of(path)
    assert len(frames) >= 9
