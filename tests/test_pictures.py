"""Pictures of positions in other forms than arrays: SVG, PNG files, sheets; and what is refused."""

from __future__ import annotations

import io
import itertools
import os
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import golden
import numpy as np
import pytest
from PIL import Image

import ludarium
from ludarium.drawing import pictures
from ludarium.drawing.pointing import Layout
from ludarium.drawing.themes import THEMES
from ludarium.records import record_episode
from ludarium.records import sheet as sheet_file
from ludarium.records.episode import episode_of
from ludarium.records.export import SUFFIXES
from ludarium.records.game_record import GameRecord

SVG = "{http://www.w3.org/2000/svg}"
THEME_NAMES = sorted(THEMES)


def some(name: str) -> list[Any]:
    """Return some states of golden games, first, last and half-made ones."""
    return [state for states in golden.games(name)[:3] for state in [*states[::9], states[-1]]]


# ---------------------------------------------------------------- State.render


def test_a_state_gives_every_form(name: str) -> None:
    state = some(name)[2]
    frame = state.render()
    assert frame.dtype == np.uint8 and max(frame.shape) == 512
    assert frame.flags.owndata and not np.shares_memory(frame, state.render())
    draw = state.game.type.submodule("render").draw
    assert np.array_equal(frame, draw(state, 512))
    assert np.array_equal(state.render("rgb_array", 200, "dark"), draw(state, 200, "dark"))
    assert state.render("ansi") == str(state)
    with Image.open(io.BytesIO(state._repr_png_())) as image:
        assert image.format == "PNG" and 300 < max(image.size) < 600


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "human"}, "mode='human' is not allowed: mode is 'rgb_array', 'svg' or 'ansi'"),
        ({"mode": None}, "mode=None"),
        ({"size": 127}, "size=127 is not allowed: size is an int, 128 to 2048 pixels"),
        ({"size": 2049}, "size=2049"),
        ({"size": 300.0}, r"size=300\.0"),
        ({"size": True}, "size=True"),
        ({"theme": "sepia"}, "theme='sepia' is not allowed: theme is 'light' or 'dark'"),
        ({"theme": None}, "theme=None"),
        ({"mode": "ansi", "overlay": "legal"}, "an overlay is drawn on a picture"),
    ],
)
def test_what_a_picture_cannot_be(name: str, game: Any, options: Any, message: str) -> None:
    for mode in ("rgb_array", "svg"):
        with pytest.raises(ValueError, match=message):
            game.new_initial_state(1).render(**{"mode": mode, **options})


# ---------------------------------------------------------------- SVG


@pytest.mark.parametrize("theme", THEME_NAMES)
def test_svg_is_well_formed_and_of_the_same_shape(name: str, theme: str) -> None:
    for state in some(name):
        for size in (128, 512):
            text = state.render("svg", size, theme)
            root = ElementTree.fromstring(text)
            assert root.tag == f"{SVG}svg"
            height, width = state.render(size=size, theme=theme).shape[:2]
            assert root.get("viewBox") == f"0 0 {width} {height}"
            ids = {e.get("id") for e in root.iter() if e.get("id")}
            for element in root.iter():
                for value in element.attrib.values():
                    assert "nan" not in value and "inf" not in value and "\0" not in value
                    if value.startswith(("url(#", "#")) and element.tag == f"{SVG}use":
                        assert value[1:] in ids
            assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
            assert len(text) < 60_000


def test_svg_has_the_captions_words_and_the_result(name: str) -> None:
    for states in golden.games(name)[:4]:
        for state in (states[0], states[-1]):
            words = [e.text for e in ElementTree.fromstring(state.render("svg")).iter(f"{SVG}text")]
            if state.is_terminal():
                outcome = state.game.type.submodule("notation").outcome(state)
                assert outcome[0].upper() + outcome[1:] in words
            else:
                assert any("to move" in word or "sets up" in word for word in words if word)


def test_every_action_changes_the_svg(name: str) -> None:
    texts = [state.render("svg") for state in golden.games(name)[0][:30]]
    assert len(set(texts)) == len(texts)


# ---------------------------------------------------------------- ghosts


@pytest.mark.parametrize("theme", THEME_NAMES)
def test_counts_can_be_read_below_a_ghost(name: str, theme: str) -> None:
    """Where the counts change, those of the position are written, and the shapes are a ghost."""
    changed = 0
    for before, after in itertools.pairwise(golden.games(name)[0]):
        if after.is_terminal():
            break
        ghost = pictures.draw_ghost(before, after, 400, theme).astype(int)
        two = [state.render(size=400, theme=theme).astype(int) for state in (before, after)]
        band = max(16, round(400 * 0.068))
        assert np.array_equal(ghost[-band:], two[0][-band:]), "the caption"
        if name == "gliss":
            width = ghost.shape[1]
            scale = Layout(before.game, 400).scale
            words = slice(0, round(0.9 * scale)), slice(width // 2 + width // 8, width)
            assert np.array_equal(ghost[words], two[0][words])
            changed += not np.array_equal(two[1][words], two[0][words])
        faint = np.abs(ghost - (two[0] + two[1]) / 2).max(2) <= 1
        assert faint[:-band].mean() > 0.97, "all but texts"
    assert changed or name != "gliss"


# ---------------------------------------------------------------- files of one picture


def test_pictures_are_written_by_suffix(name: str, tmp_path: Path) -> None:
    state = some(name)[3]
    png = pictures.write_picture(state, tmp_path / "a.png", 200, "dark", "legal")
    with Image.open(png) as image:
        assert np.array_equal(np.asarray(image), state.render("rgb_array", 200, "dark", "legal"))
    svg = pictures.write_picture(state, tmp_path / "a.svg", 200, "dark", "legal")
    assert svg.read_text() == state.render("svg", 200, "dark", "legal")
    for path, content in ((png, png.read_bytes()), (svg, svg.read_bytes())):
        with pytest.raises(FileExistsError, match="exists already and is not overwritten"):
            pictures.write_picture(state, path)
        assert path.read_bytes() == content
        pictures.write_picture(state, path, overwrite=True)
        assert path.read_bytes() != content


def test_show_draws_what_it_is_asked(run: Any, name: str) -> None:
    state = ludarium.load_game(name).new_initial_state(0)
    words = "show", name, "--size", "200", "--theme", "dark"
    status, out, err = run(*words, "--overlay", "legal", "--out", "a.png")
    assert (status, err) == (0, "")
    listed = next(line for line in out.splitlines() if line.startswith("legal: "))
    assert listed.split()[1:] == [state.action_to_string(a) for a in state.legal_actions()]
    with Image.open("a.png") as image:
        assert np.array_equal(np.asarray(image), state.render("rgb_array", 200, "dark", "legal"))
    status, out, err = run(*words, "--overlay", "mcts:60", "--out", "a.svg")
    assert (status, err) == (0, "") and "mcts:60: " in out and " %" in out
    assert Path("a.svg").read_text() == state.render("svg", 200, "dark", "mcts:60")
    assert run("show", name, "--overlay", "mcts:60")[0] == 0
    before = sorted(os.listdir())
    for bad in ("legall", "mcts:x"):
        status, out, err = run(*words, "--overlay", bad, "--out", "b.png")
        assert (status, out) == (2, "") and err.count("\n") == 1 and bad in err
    assert run(*words[:2], "--theme", "sepia", "--out", "b.png")[0] == 2
    assert sorted(os.listdir()) == before


# ---------------------------------------------------------------- sheets


def test_a_sheet_shows_all_or_says_what_it_shows(
    name: str, tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = golden.games(name)[1]
    episode = episode_of(states[-1], 128)
    height, width = episode.shape
    assert sheet_file.note(episode) is None
    assert sheet_file.shown(len(states), height, width) == list(range(len(states)))
    whole = record_episode(states[-1], tmp_path / "all.png", 128)
    with Image.open(whole) as image:
        tiles = (image.height + sheet_file.GAP) // (height + sheet_file.GAP)
        tiles *= (image.width + sheet_file.GAP) // (width + sheet_file.GAP)
    assert tiles >= len(states)

    monkeypatch.setattr(sheet_file, "MOST_PIXELS", 9 * (height + 40) * (width + sheet_file.GAP))
    indices = sheet_file.shown(len(states), height, width)
    assert 4 < len(indices) < len(states) and indices == sorted(set(indices))
    assert indices[0] == 0 and indices[-1] == len(states) - 1
    note = sheet_file.note(episode)
    assert note is not None and f"{len(indices)} of {len(states)} positions" in note
    assert note.endswith(f", {indices[-1]}")
    part = record_episode(states[-1], tmp_path / "part.png", 128)
    label = sheet_file._label(height)
    with Image.open(part) as image:
        sheet = np.asarray(image)
    columns = (sheet.shape[1] + sheet_file.GAP) // (width + sheet_file.GAP)
    for place, index in enumerate(indices):
        top = place // columns * (height + sheet_file.GAP + label)
        left = place % columns * (width + sheet_file.GAP)
        tile = sheet[top + label : top + label + height, left : left + width]
        assert np.array_equal(tile, states[index].render(size=128))
        words = sheet[top : top + label, left : left + width]
        assert (words.max(2) < 120).any(), "its number is written over it"
    out = run("record", name, "--agents", "random,random", "--out", "a.png", "--size", "128")[1]
    assert "the sheet shows " in out


def test_one_of_few_pictures_is_still_the_last(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheet_file, "MOST_PIXELS", 1)
    assert sheet_file.shown(50, 128, 128) == [0, 49]
    assert sheet_file.shown(1, 128, 128) == [0]


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    ("what", "options", "error", "message"),
    [
        ("good", {"size": 127}, ValueError, "size=127 is not allowed: size is an int, 128 to 2048"),
        ("good", {"size": 2049}, ValueError, "size=2049"),
        ("good", {"size": "512"}, ValueError, "size='512'"),
        ("good", {"theme": "sepia"}, ValueError, "theme='sepia' is not allowed"),
        ("empty", {}, ValueError, "the episode is empty"),
        ("number", {}, TypeError, "an episode is a record, a state, .* not int"),
        ("numbers", {}, TypeError, "an episode is made of states, not int"),
        ("mixed", {}, ValueError, "an episode is of one game"),
        ("version", {}, ValueError, "the record is of version 9"),
        ("broken", {}, ValueError, "turn 1: 'nonsense' is illegal"),
        ("folder", {}, OSError, "there is no folder"),
        ("file", {}, OSError, "there is no folder"),
    ],
)
def test_bad_episodes_leave_no_file(
    suffix: str, what: str, options: Any, error: Any, message: str, tmp_path: Path
) -> None:
    name, other = ludarium.list_games()[:2]
    state = ludarium.load_game(name).new_initial_state(1)
    record = GameRecord.from_state(state, seed=1)
    (tmp_path / "file").write_text("")
    path = tmp_path / {"folder": "none", "file": "file"}.get(what, ".") / f"game{suffix}"
    episode: Any = {
        "empty": [],
        "number": 5,
        "numbers": [5],
        "mixed": [state, ludarium.load_game(other).new_initial_state(1)],
        "version": GameRecord(**{**record.__dict__, "version": 9}),
        "broken": GameRecord(**{**record.__dict__, "turns": ("nonsense",)}),
    }.get(what, record)
    with pytest.raises(error, match=message):
        record_episode(episode, path, **options)
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_failure_in_the_middle_leaves_what_was_there(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = ludarium.load_game(ludarium.list_games()[0]).new_initial_state(1)
    path = tmp_path / f"game{suffix}"
    path.write_text("mine")

    def fails(*arguments: Any, **keywords: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fails)
    for overwrite in (True, False):
        with pytest.raises(OSError, match=r"disk full|not overwritten"):
            record_episode(state, path, 128, overwrite)
    assert os.listdir(tmp_path) == [path.name] and path.read_text() == "mine"
