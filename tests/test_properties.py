"""Whatever a caller hands in, over every registered game: it works, or it is refused properly.

Hypothesis makes the input; runs are the same every time.
"""

from __future__ import annotations

import functools
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from registered import game_of, lines, load

import ludarium

NAMES = ludarium.list_games()
every_game = pytest.mark.parametrize("title", NAMES)
repeatable = settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow],
)

anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.binary(max_size=20),
    st.complex_numbers(),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
    st.tuples(st.integers()),
)


@functools.cache
def texts(title: str) -> list[str]:
    """The positions of a game's evidence, a few of each file."""
    return [row["pos"] for file in ("texts.jsonl", "positions.jsonl") for row in lines(title, file)]


@st.composite
def damaged(draw: st.DrawFn, title: str) -> tuple[str, str]:
    """A position of the evidence, and the same with some characters or fields changed."""
    good = draw(st.sampled_from(texts(title)))
    text, letters = good, "".join(sorted(set("".join(texts(title)[:40])))) + "x?\n\u0664\u00b2"
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(("replace", "insert", "delete", "field", "swap")))
        at = draw(st.integers(0, len(text)))
        if kind == "field":
            fields, other = text.split(" "), draw(st.sampled_from(texts(title))).split(" ")
            at %= min(len(fields), len(other))
            text = " ".join([*fields[:at], other[at], *fields[at + 1 :]])
        elif kind == "swap":
            text = text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :]
        else:
            new = "" if kind == "delete" else draw(st.sampled_from(letters))
            text = text[:at] + new + text[at + (kind != "insert") :]
    return good, text


def check_reading(game: Any, text: str) -> None:
    """Read a text that may be bad: ValueError with a reason, or a state that has this text."""
    try:
        state = game.state_from_string(text)
    except ValueError as error:
        assert str(error)
        return
    assert state.to_string() == text
    assert bool(state.legal_actions()) != state.is_terminal()
    for player in (0, 1):
        assert state.observation_tensor(player).shape == game.observation_shape
    for action in state.legal_actions()[:3]:
        child = state.child(action)
        assert game.state_from_string(child.to_string()) == child
    assert str(state)


# ---------------------------------------------------------------- text


@every_game
@repeatable
@given(text=st.text(max_size=60))
def test_any_text_as_a_position(title: str, text: str) -> None:
    """Random text is refused with a ValueError."""
    check_reading(load(title), text)


@every_game
@settings(repeatable, max_examples=600)
@given(data=st.data())
def test_damaged_positions(title: str, data: st.DataObject) -> None:
    """A text is refused, or it is exactly the text of the state that it gives."""
    good, text = data.draw(damaged(title))
    check_reading(game_of(title, good), text)


@every_game
def test_numbers_written_otherwise(title: str) -> None:
    """Each number of a text has one form: no signs, leading zeros, spaces or foreign digits."""
    for good in texts(title)[::5]:
        for number in re.finditer("[0-9]+", good):
            foreign = number[0].translate({ord("0") + n: 0x660 + n for n in range(10)})
            for other in ("0{}", "00{}", "+{}", "-{}", "{}.0", "{}e0", " {}", "{}_0", foreign, ""):
                text = good[: number.start()] + other.format(number[0]) + good[number.end() :]
                check_reading(game_of(title, good), text)


@every_game
@repeatable
@given(thing=anything)
def test_anything_as_a_position(title: str, thing: Any) -> None:
    """What is no string is a TypeError or ValueError."""
    if isinstance(thing, str):
        check_reading(load(title), thing)
    else:
        with pytest.raises((TypeError, ValueError)):
            load(title).state_from_string(thing)


@every_game
@repeatable
@given(data=st.data())
def test_any_text_as_an_action(title: str, data: st.DataObject) -> None:
    """Only the text of a legal action is read; a refusal is an IllegalActionError."""
    good = data.draw(st.sampled_from(texts(title)))
    state = game_of(title, good).state_from_string(good)
    names = {state.action_to_string(action): action for action in state.legal_actions()}
    parts = st.sampled_from([*names, *names, "-", "=", "*", "/", "+", ":"])
    text = data.draw(st.one_of(st.text(max_size=12), st.lists(parts, max_size=3).map("".join)))
    if text in names:
        assert state.string_to_action(text) == names[text]
    else:
        with pytest.raises(ludarium.IllegalActionError):
            state.string_to_action(text)
    assert state.to_string() == good


# ---------------------------------------------------------------- numbers


@every_game
@repeatable
@given(thing=anything)
def test_anything_as_an_action(title: str, thing: Any) -> None:
    """It is a legal int and played, or refused with nothing changed."""
    state = load(title).new_initial_state(seed=0)
    before = state.to_string()
    if type(thing) is int and thing in state.legal_actions():
        state.apply_action(thing)
        assert state.history() == [thing]
    else:
        with pytest.raises(ludarium.IllegalActionError):
            state.apply_action(thing)
        assert state.to_string() == before and state.history() == []


@every_game
@repeatable
@given(seed=anything)
def test_anything_as_a_seed(title: str, seed: Any) -> None:
    """An int >= 0 or None; all else is refused."""
    game = load(title)
    if seed is None or (type(seed) is int and seed >= 0):
        assert game.new_initial_state(seed).turn_number() == 0
    else:
        with pytest.raises((TypeError, ValueError)):
            game.new_initial_state(seed)


@every_game
@repeatable
@given(option=st.one_of(st.text(max_size=12), st.just("max_turns")), value=anything)
def test_anything_as_an_option(title: str, option: str, value: Any) -> None:
    """A known option with an allowed value, or a ValueError or TypeError."""
    try:
        game = ludarium.load_game(title, **{option: value})
    except (TypeError, ValueError) as error:
        assert option in str(error) or repr(option) in str(error)
    else:
        assert option in game.options
        assert value is None or game.options[option] == value


@given(name=anything)
@repeatable
def test_anything_as_a_game(name: Any) -> None:
    """A registered name, or a ValueError or TypeError."""
    if isinstance(name, str) and name in NAMES:
        assert ludarium.load_game(name).name == name
    else:
        with pytest.raises((TypeError, ValueError)):
            ludarium.load_game(name)


# ---------------------------------------------------------------- play


@every_game
@settings(repeatable, max_examples=60)
@given(choices=st.lists(st.integers(0, 2000), max_size=60), seed=st.integers(0, 2**70))
def test_any_play(title: str, choices: list[int], seed: int) -> None:
    """However a game is played: text, mask and clone agree, and the history leads here again."""
    game = load(title)
    state = game.new_initial_state(seed)
    for choice in choices:
        legal = state.legal_actions()
        if not legal:
            break
        action = legal[choice % len(legal)]
        assert state.string_to_action(state.action_to_string(action)) == action
        child = state.child(action)
        state.apply_action(action)
        assert child == state == game.state_from_string(state.to_string())
        assert (state.legal_actions_mask() == child.legal_actions_mask()).all()
    again = game.new_initial_state(seed)
    for action in state.history():
        again.apply_action(action)
    assert again == state and again.history() == state.history()
