"""The contract of `turns`, `perft` and `max_turns`, over every registered game."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from registered import every_variant, facts, load, moments, walk

import ludarium

# ---------------------------------------------------------------- turns


def walked_turns(state: Any, number: int, text: str = "") -> Iterator[tuple[str, Any]]:
    """Whole turns by brute force: play on until the turn number has changed."""
    for action in state.legal_actions():
        after = state.clone()
        words = text + after.action_to_string(action)
        after.apply_action(action)
        if after.turn_number() > number or after.is_terminal():
            yield words, after
        else:
            yield from walked_turns(after, number, words)


@every_variant
def test_turns(title: str, options: dict[str, Any]) -> None:
    """The texts and resulting states of all turns, from half-made ones too; nothing is changed."""
    for state in moments(load(title, **options), seed=20, most=6):
        before = facts(state)
        found = ludarium.turns(state)
        assert iter(found) is found
        listed = list(found)
        assert facts(state) == before
        expected = list(walked_turns(state, state.turn_number()))
        assert len(listed) == len(expected)
        assert {text: (after.to_string(), after.history()) for text, after in listed} == {
            text: (after.to_string(), after.history()) for text, after in expected
        }
        assert len({text for text, _ in listed}) == len(listed)
        assert ludarium.perft(state, 1) == len(listed)


@every_variant
def test_perft(title: str, options: dict[str, Any]) -> None:
    """One way to do nothing; at each depth the sum over the turns; none from a finished game."""
    rng = random.Random(21)
    for state in moments(load(title, **options), seed=21, most=5):
        before, after = facts(state), [end for _, end in ludarium.turns(state)]
        assert ludarium.perft(state, 0) == 1
        assert ludarium.perft(state, np.int64(1)) == len(after)
        assert type(ludarium.perft(state, 1)) is int
        assert ludarium.perft(state, 2) == sum(ludarium.perft(end, 1) for end in after)
        for end in rng.sample(after, min(2, len(after))):
            onward = [last for _, last in ludarium.turns(end)]
            assert ludarium.perft(end, 2) == sum(ludarium.perft(last, 1) for last in onward)
        assert facts(state) == before
    assert state.is_terminal() and [ludarium.perft(state, depth) for depth in (0, 1, 2)] == [
        1,
        0,
        0,
    ]


@pytest.mark.parametrize("depth", [-1, 1.0, "1", None, [], True], ids=repr)
def test_wrong_depth(game: Any, depth: Any) -> None:
    """A depth is an int >= 0; the error shows what was given."""
    with pytest.raises((ValueError, TypeError)) as caught:
        ludarium.perft(game.new_initial_state(seed=1), depth)
    assert repr(depth) in str(caught.value)


# ---------------------------------------------------------------- max_turns


def unlimited(title: str, options: dict[str, Any]) -> Any:
    """The game with the limit that it has by default."""
    return load(title, **{key: value for key, value in options.items() if key != "max_turns"})


@every_variant
def test_truncation(title: str, options: dict[str, Any]) -> None:
    """After max_turns turns, and not before, a game that nobody has won ends with zeros."""
    long, cut = unlimited(title, options), 0
    for limit in (1, 2, 3, 6):
        short = load(title, **{**long.options, "max_turns": limit})
        for seed in range(3):
            for state, whole in zip(walk(short, seed), walk(long, seed), strict=False):
                assert state.to_string() == whole.to_string()
                if whole.is_terminal():
                    assert (state.is_truncated(), state.returns()) == (False, whole.returns())
                elif whole.turn_number() < limit:
                    assert not state.is_terminal()
                else:
                    cut += 1
                    assert state.is_terminal() and state.is_truncated()
                    first = long.new_initial_state().turn_number()
                    assert state.turn_number() == max(limit, first)
                    assert state.returns() == [0.0, 0.0]
                    assert state.current_player() == -1 and state.legal_actions() == []
                    assert not state.legal_actions_mask().any()
                    assert list(ludarium.turns(state)) == []
    assert cut > 3


def won_game(game: Any) -> list[Any]:
    """The states of a random game that somebody wins after the second turn."""
    for seed in range(200):
        seen = [state.clone() for state in walk(game, seed)]
        if any(seen[-1].returns()) and seen[-1].turn_number() > 2:
            return seen
    raise AssertionError("nobody wins")


@every_variant
def test_a_win_on_the_last_turn_is_a_win(title: str, options: dict[str, Any]) -> None:
    """With just enough turns the result stands; with one less the game is truncated before."""
    long = unlimited(title, options)
    seen = won_game(long)
    won, turns = seen[-1], seen[-1].turn_number()
    enough = load(title, **{**long.options, "max_turns": turns})
    state = enough.state_from_string(seen[0].to_string())
    for action in won.history():
        assert not state.is_terminal()
        state.apply_action(action)
    assert state.is_terminal() and not state.is_truncated() and state.returns() == won.returns()

    few = load(title, **{**long.options, "max_turns": turns - 1})
    state = few.state_from_string(seen[0].to_string())
    for action in won.history():
        if not state.is_terminal():
            state.apply_action(action)
    assert state.is_truncated() and state.turn_number() == turns - 1
    assert state.returns() == [0.0, 0.0]


@every_variant
def test_text_beyond_max_turns(title: str, options: dict[str, Any]) -> None:
    """Text at or beyond max_turns reads as truncated, half-made turns too, unless it is won."""
    long = unlimited(title, options)
    seen = won_game(long)
    for limit in (1, 2, seen[-1].turn_number() - 1):
        short = load(title, **{**long.options, "max_turns": limit})
        for state in seen[:-1]:
            read = short.state_from_string(state.to_string())
            assert read.to_string() == state.to_string()
            assert read.is_truncated() == read.is_terminal() == (state.turn_number() >= limit)
        read = short.state_from_string(seen[-1].to_string())
        assert read.is_terminal() and not read.is_truncated()
        assert read.returns() == seen[-1].returns()


# ---------------------------------------------------------------- a count that takes long


@every_variant
def test_perft_in_chunks(
    title: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However small the chunks between which a signal is handled, the counts are the same."""
    for state in moments(load(title, **options), seed=23, most=3):
        expected = [ludarium.perft(state, depth) for depth in (1, 2)]
        for chunk in (1, 7):
            with monkeypatch.context() as patch:
                patch.setattr("ludarium.core.turns.CHUNK", chunk)
                assert ludarium.perft(state, 1) == expected[0]
                if expected[1] < 3000:
                    assert ludarium.perft(state, 2) == expected[1]


def test_perft_can_be_interrupted(game: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python has its turn, and handles signals, after a bounded number of actions."""
    kernels, calls = game.type.kernels, []
    advance = kernels.perft_advance

    def interrupted(most: int, *arrays: Any) -> bool:
        assert most <= 100_000
        calls.append(most)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return bool(advance(2000, *arrays))

    monkeypatch.setattr(kernels, "perft_advance", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ludarium.perft(game.new_initial_state(seed=1), 9)


def test_perft_beyond_max_turns_is_zero_at_once(name: str) -> None:
    """Truncated games add nothing to deeper counts, so nothing is counted."""
    state = ludarium.load_game(name, max_turns=40).new_initial_state(seed=1)
    assert ludarium.perft(state, 1000) == ludarium.perft(state, 41) == 0
    last = ludarium.load_game(name, max_turns=state.turn_number() + 2).new_initial_state(seed=1)
    assert ludarium.perft(last, 2) == ludarium.perft(state, 2) > 0 == ludarium.perft(last, 3)


@pytest.mark.parametrize("wrong", ["x", None, 3])
def test_what_is_no_state_is_refused_at_the_call(wrong: Any) -> None:
    with pytest.raises(TypeError, match="State"):
        ludarium.turns(wrong)
    with pytest.raises(TypeError, match="GameRecord"):
        ludarium.records.replay(wrong)
