"""Pictures of every registered game: form, freshness, marks, result, and no display."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ludarium
from ludarium.drawing.canvas import THEMES

THEME_NAMES = sorted(THEMES)


def draw(state: Any, size: int = 256, theme: str = "light") -> Any:
    """Draw a state of any game."""
    return state.game.type.submodule("render").draw(state, size, theme)


def random_game(game: Any, rng: np.random.Generator, actions: int = 10**6) -> Iterator[Any]:
    """Yield the states of a game of random actions, from the first one on."""
    state = game.new_initial_state(seed=1)
    yield state
    while not state.is_terminal() and actions:
        state.apply_action(int(rng.choice(state.legal_actions())))
        actions -= 1
        yield state


def pixels_of(frame: Any, colour: Any) -> int:
    """Count the pixels of a colour, nearly."""
    return int((np.abs(frame.astype(int) - np.array(colour)).max(2) < 16).sum())


def ending(game: Any, rng: np.random.Generator) -> Any:
    """Return a state in which somebody has won."""
    while True:
        *_, state = random_game(game, rng)
        if any(state.returns()):
            return state


# ---------------------------------------------------------------- form


@pytest.mark.parametrize("size", [128, 129, 255, 512, 1024, 2048])
def test_form(name: str, game: Any, size: int, rng: np.random.Generator) -> None:
    *_, state = random_game(game, rng, 12)
    for theme in THEME_NAMES:
        frame = draw(state, size, theme)
        assert frame.dtype == np.uint8
        assert frame.ndim == 3 and frame.shape[2] == 3
        assert max(frame.shape[:2]) == size - size % 2 and min(frame.shape[:2]) > size / 2
        packed = frame.astype(np.int32) @ np.array([1, 256, 65536], np.int32)
        assert len(np.unique(packed)) > 20, "a picture, not a blank"


def test_each_call_gives_a_fresh_array(name: str, game: Any, rng: np.random.Generator) -> None:
    *_, state = random_game(game, rng, 8)
    one, two = draw(state), draw(state)
    assert one.flags.owndata and one.flags.writeable
    assert not np.shares_memory(one, two)
    before = two.copy()
    one[:] = 0
    assert np.array_equal(two, before)
    assert np.array_equal(draw(state), before)


def test_the_same_state_gives_the_same_picture(
    name: str, game: Any, rng: np.random.Generator
) -> None:
    for state in random_game(game, rng, 12):
        frame = draw(state)
        text = state.to_string()
        assert np.array_equal(draw(state.clone()), frame)
        assert np.array_equal(draw(pickle.loads(pickle.dumps(state))), frame)
        assert state.to_string() == text, "drawing changes nothing"


def test_each_action_changes_the_picture(name: str, game: Any, rng: np.random.Generator) -> None:
    last = None
    for state in random_game(game, rng, 30):
        frame = draw(state)
        assert last is None or not np.array_equal(frame, last), state
        last = frame


def test_themes_and_sizes_do_not_meet(name: str, game: Any) -> None:
    state = game.new_initial_state(seed=1)
    light = draw(state, 200, "light")
    dark = draw(state, 200, "dark")
    assert light.mean() > dark.mean() + 60
    assert draw(state, 202, "light").shape != light.shape
    assert np.array_equal(draw(state, 200, "light"), light)


def test_options_do_not_share_a_board(name: str, game: Any) -> None:
    for option, about in game.type.options.items():
        frames = [
            draw(ludarium.load_game(name, **{option: value}).new_initial_state(seed=1))
            for value in (about.allowed[0], about.allowed[-1])
        ]
        assert frames[0].shape != frames[1].shape or not np.array_equal(*frames)


@pytest.mark.parametrize("size", [127, 2049, 0, -5, 512.0, "512", None, True])
def test_sizes_that_are_not_allowed(name: str, game: Any, size: Any) -> None:
    with pytest.raises(ValueError, match=r"size=.* 128 to 2048"):
        draw(game.new_initial_state(), size)


@pytest.mark.parametrize("theme", ["sepia", "", None, 1])
def test_themes_that_are_not_allowed(name: str, game: Any, theme: Any) -> None:
    with pytest.raises(ValueError, match=r"theme=.*'light' or 'dark'"):
        draw(game.new_initial_state(), 256, theme)


# ---------------------------------------------------------------- marks and result


@pytest.mark.parametrize("theme", THEME_NAMES)
def test_the_last_turn_is_marked(
    name: str, game: Any, theme: str, rng: np.random.Generator
) -> None:
    amber = THEMES[theme].last
    marked = turns = 0
    for state in random_game(game, rng, 60):
        bare = game.state_from_string(state.to_string())
        assert pixels_of(draw(bare, 256, theme), amber) == 0, "amber is the last turn's only"
        if state.last_turn() is not None:
            turns += 1
            marked += pixels_of(draw(state, 256, theme), amber) > 8
    assert marked > turns * 0.8  # a pass, or a row set up, need not be


@pytest.mark.parametrize("theme", THEME_NAMES)
def test_half_made_turns_are_marked(
    name: str, game: Any, theme: str, rng: np.random.Generator
) -> None:
    green = THEMES[theme].chosen
    number = 0
    for state in random_game(game, rng, 60):
        chosen = pixels_of(draw(state, 256, theme), green)
        if state.history() and state.turn_number() == number and not state.is_terminal():
            assert chosen > 8, state
        number = state.turn_number()
    assert pixels_of(draw(game.new_initial_state(seed=1), 256, theme), green) == 0


@pytest.mark.parametrize("theme", THEME_NAMES)
@pytest.mark.parametrize("size", [128, 512])
def test_a_win_is_shown(
    name: str, game: Any, size: int, theme: str, rng: np.random.Generator
) -> None:
    state = ending(game, rng)
    running = state.clone()
    running._packed &= ~7  # the same board, still running
    assert not running.is_terminal()
    over, on = draw(state, size, theme), draw(running, size, theme)
    band = size // 20
    assert np.abs(over[-band:].astype(int) - on[-band:]).max(2).mean() > 60, "the caption"


@pytest.mark.parametrize("theme", THEME_NAMES)
def test_truncation_is_shown(name: str, theme: str) -> None:
    short, long = (ludarium.load_game(name, max_turns=n) for n in (3, 4))
    rng = np.random.default_rng(4)
    *_, cut = random_game(short, rng)
    rng = np.random.default_rng(4)
    on = next(s for s in random_game(long, rng) if s.turn_number() == cut.turn_number())
    assert cut.is_truncated() and not on.is_terminal()
    assert cut.to_string() == on.to_string()
    over, running = draw(cut, 512, theme), draw(on, 512, theme)
    assert np.abs(over[-25:].astype(int) - running[-25:]).max(2).mean() > 60


def test_winners_are_told_apart(name: str, game: Any, rng: np.random.Generator) -> None:
    bands: dict[float, Any] = {}
    while len(bands) < 2:
        state = ending(game, rng)
        bands[state.returns()[0]] = draw(state, 512)[-25:].astype(int)
    one, two = bands.values()
    assert np.abs(one - two).max() > 60


# ---------------------------------------------------------------- through the environment


def test_environment_gives_pictures(name: str, rng: np.random.Generator) -> None:
    env = ludarium.make(name, render_mode="rgb_array", render_size=200)
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        frame = env.render()
        assert np.array_equal(frame, draw(env.game_state, 200))
        frame[:] = 0
        assert env.render().any(), "not the caller's array"
        legal = np.flatnonzero(observation["action_mask"])
        env.step(None if termination or truncation else int(rng.choice(legal)))
        if len(env.game_state.history()) > 20:
            break
        assert agent in env.possible_agents
    env.close()


def test_environment_gives_text(name: str) -> None:
    env = ludarium.make(name, render_mode="ansi")
    env.reset(seed=1)
    text = env.render()
    assert isinstance(text, str) and text == str(env.game_state)
    assert "\n" in text and text.isprintable() is False
    env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
    assert env.render() != text
    env.close()


# ---------------------------------------------------------------- neither display nor pygame

BARE = """
import sys
import ludarium
for name in ludarium.list_games():
    env = ludarium.make(name, render_mode="rgb_array", render_size=128)
    env.reset(seed=1)
    frame = env.render()
    assert max(frame.shape) == 128, frame.shape
    env.close()
for module in ("pygame", "tkinter", "matplotlib", "cv2"):
    assert module not in sys.modules, module
print("drawn", *ludarium.list_games())
"""


def test_no_display_is_needed_and_no_pygame_imported() -> None:
    environment = {
        key: value
        for key, value in os.environ.items()
        if key not in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "XDG_RUNTIME_DIR")
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", BARE],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["drawn", *ludarium.list_games()]
    assert not done.stderr
