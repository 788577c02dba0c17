"""The contract of `State`, over every registered game: actions, copies, comparison, text."""

from __future__ import annotations

import copy
import pickle
import random
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from registered import every_variant, facts, load, moments, walk

import ludarium

# What is no action in any game.
NO_ACTIONS = [-1, 10**9, 10**30, None, "0", "pass", b"0", 0.0, 1.5, float("nan"), [], [0], {}]
NO_ACTIONS += [np.float64(0), np.array([0, 1]), ..., True]

# ---------------------------------------------------------------- what can be done


@every_variant
def test_legal_actions(title: str, options: dict[str, Any]) -> None:
    """Ascending ints, the ones of the mask; some while the game runs, none when it is over."""
    game = load(title, **options)
    for state in walk(game, seed=1):
        actions, mask = state.legal_actions(), state.legal_actions_mask()
        assert type(actions) is list and all(type(action) is int for action in actions)
        assert mask.dtype == np.int8 and mask.shape == (game.num_distinct_actions,)
        assert set(np.unique(mask).tolist()) <= {0, 1}
        assert actions == np.flatnonzero(mask).tolist()
        assert bool(actions) != state.is_terminal()


@every_variant
def test_what_is_returned_is_the_callers_own(title: str, options: dict[str, Any]) -> None:
    """Writing into lists and arrays that a state gave away does not reach it."""
    for state in moments(load(title, **options), seed=2):
        before = facts(state)
        state.legal_actions_mask()[:] = 1
        state.legal_actions().append(5)
        state.history().append(5)
        state.returns()[0] = 9.0
        for player in (None, 0, 1):
            state.observation_tensor(player)[:] = 1
        assert facts(state) == before


@every_variant
def test_players_turns_and_results(title: str, options: dict[str, Any]) -> None:
    """A player makes a whole turn, then the other; -1 and a result when the game is over."""
    for seed in range(4):
        last = None
        for state in walk(load(title, **options), seed):
            player, turn = state.current_player(), state.turn_number()
            returns = state.returns()
            assert type(returns) is list and all(type(score) is float for score in returns)
            assert len(returns) == 2 and sum(returns) == 0 and set(returns) <= {-1.0, 0.0, 1.0}
            if last is None:  # 0, or the turns of a set-up that is drawn
                assert turn == state.game.new_initial_state().turn_number()
            else:
                assert turn - last[1] in (0, 1)
                assert state.is_terminal() or (player != last[0]) == (turn > last[1])
            assert (player == -1) == state.is_terminal() and player in (-1, 0, 1)
            assert state.is_terminal() or (returns == [0.0, 0.0] and not state.is_truncated())
            assert not state.is_truncated() or returns == [0.0, 0.0]
            last = player, turn


@every_variant
def test_wrong_actions(title: str, options: dict[str, Any]) -> None:
    """Whatever is no legal action raises IllegalActionError, names it, and changes nothing."""
    assert issubclass(ludarium.IllegalActionError, ValueError)
    assert issubclass(ludarium.IllegalActionError, AssertionError)
    game, rng = load(title, **options), random.Random(3)
    for state in moments(game, seed=3, most=8):
        before, legal = facts(state), state.legal_actions()
        illegal = sorted(set(range(game.num_distinct_actions)) - set(legal))
        wrong = [*NO_ACTIONS, game.num_distinct_actions, *rng.sample(illegal, min(5, len(illegal)))]
        if legal:
            wrong += [float(legal[0]), str(legal[0]), state.action_to_string(legal[0])]
        for action in wrong:
            for use in (state.apply_action, state.child, state.action_to_string):
                with pytest.raises(ludarium.IllegalActionError) as caught:
                    use(action)
                named = str(action) if isinstance(action, int) else repr(action)
                assert named in str(caught.value)
        assert facts(state) == before


@every_variant
def test_actions_of_any_integer_kind(title: str, options: dict[str, Any]) -> None:
    """NumPy's integers and 0-d arrays are actions too; the history has plain ints."""
    state = load(title, **options).new_initial_state(seed=4)
    action = state.legal_actions()[-1]
    expected = facts(state.child(action))
    for kind in (np.int64, np.int32, np.uint64, np.array):
        after = state.child(kind(action))
        assert facts(after) == expected and type(after.history()[0]) is int
        after = state.clone()
        after.apply_action(kind(action))
        assert facts(after) == expected


@every_variant
def test_child(title: str, options: dict[str, Any]) -> None:
    """A child is the state after an action; the parent stays as it is."""
    rng = random.Random(5)
    for state in moments(load(title, **options), seed=5):
        before = facts(state)
        for action in rng.sample(state.legal_actions(), min(4, len(state.legal_actions()))):
            child, played = state.child(action), state.clone()
            assert played.apply_action(action) is None
            assert facts(child) == facts(played)
            assert child.history() == [*state.history(), action]
            if child.legal_actions():
                child.apply_action(child.legal_actions()[0])
        assert facts(state) == before


@every_variant
def test_history(title: str, options: dict[str, Any]) -> None:
    """The actions since the start, which lead here again; none for a state read from text."""
    game = load(title, **options)
    *_, state = walk(game, seed=6)
    again = game.new_initial_state(seed=6)
    assert again.history() == []
    for n, action in enumerate(state.history()):
        assert again.history() == state.history()[:n]
        again.apply_action(action)
    assert facts(again) == facts(state)
    for moment in moments(game, seed=6):
        read = game.state_from_string(moment.to_string())
        assert read.history() == []
        for action in moment.legal_actions()[:1]:
            assert read.child(action).history() == [action]


@every_variant
def test_last_turn(title: str, options: dict[str, Any]) -> None:
    """The state before the last whole turn and the actions of the turn; None before the first."""
    game = load(title, **options)
    first = game.new_initial_state(seed=7)
    last = first.turn_number()  # a drawn set-up counts as turns
    starts = {last: first}
    for state in walk(game, seed=7):
        if state.is_terminal() and state.turn_number() == last:
            break  # lost in the middle of a turn
        if state.turn_number() > last:
            last = state.turn_number()
            starts[last] = state.clone()
        if last == first.turn_number():
            assert state.last_turn() is None
        else:
            before, actions = state.last_turn()
            assert before == starts[last - 1] and before.turn_number() == last - 1
            for action in actions:
                before.apply_action(action)
            assert before == starts[last]


# ---------------------------------------------------------------- copies and comparison


def copies_of(state: Any) -> Iterator[Any]:
    """Every way to get another state like this one."""
    yield state.clone()
    yield copy.copy(state)
    yield copy.deepcopy(state)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        yield pickle.loads(pickle.dumps(state, protocol))


@every_variant
def test_copies_are_exact_and_independent(title: str, options: dict[str, Any]) -> None:
    """In mid-turn and at the end: all is the same, then each goes its own way."""
    for state in moments(load(title, **options), seed=8, most=8):
        before = facts(state)
        for other in copies_of(state):
            assert other is not state and facts(other) == before
            assert other == state and hash(other) == hash(state)
            for action in state.legal_actions()[-1:]:
                expected = facts(state.child(action))
                other.apply_action(action)
                assert facts(other) == expected and facts(state) == before
        for other in copies_of(state.clone()):
            for action in state.legal_actions()[:1]:
                state.clone().apply_action(action)
                assert facts(other) == before


@every_variant
def test_a_copy_survives_its_original(title: str, options: dict[str, Any]) -> None:
    """Playing the original on leaves copies where they were made, and they can go on to the end."""
    game = load(title, **options)
    for state in moments(game, seed=9, most=6):
        before, made = facts(state), list(copies_of(state))
        rng = random.Random(9)
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
        for other in made:
            assert facts(other) == before
        rng, other = random.Random(9), made[-1]
        while not other.is_terminal():
            other.apply_action(rng.choice(other.legal_actions()))
        assert facts(other) == facts(state)


def test_deepcopy_keeps_shared_states_shared(game: Any) -> None:
    """One state twice in a list is one state twice in its deep copy."""
    state = game.new_initial_state(seed=1)
    first, second = copy.deepcopy([state, state])
    assert first is second and first is not state and first == state


@every_variant
def test_equality_and_hash(title: str, options: dict[str, Any]) -> None:
    """Equal when game, options and text are equal, however the state came about."""
    game = load(title, **options)
    other = load(title, **{**game.options, "max_turns": game.max_turns + 1})
    seen = [state.clone() for state in walk(game, seed=10)]
    for state in seen:
        read = game.state_from_string(state.to_string())
        assert read == state and not read != state and hash(read) == hash(state)  # noqa: SIM202
        foreign = other.state_from_string(state.to_string())
        assert foreign.to_string() == state.to_string() and foreign != state
        for thing in (None, 0, state.to_string(), game, state.history()):
            assert state != thing
    assert len(set(seen)) == len({state.to_string() for state in seen}) > 1
    assert all((a == b) == (a.to_string() == b.to_string()) for a in seen[:20] for b in seen[:20])


@every_variant
def test_hash_follows_the_state(title: str, options: dict[str, Any]) -> None:
    """A state that has moved on is another key; a clone in a set stays what it was."""
    state = load(title, **options).new_initial_state(seed=11)
    kept, before = {state.clone()}, hash(state)
    assert state in kept
    state.apply_action(state.legal_actions()[0])
    assert hash(state) != before and state not in kept


def test_states_are_made_by_games() -> None:
    """The class itself makes none, and says who does."""
    with pytest.raises(TypeError, match="new_initial_state"):
        ludarium.State()


# ---------------------------------------------------------------- text


@every_variant
def test_text_round_trips(title: str, options: dict[str, Any]) -> None:
    """At every action of random games, half-made turns and finished games too."""
    game = load(title, **options)
    for seed in range(3):
        for state in walk(game, 100 + seed):
            text = state.to_string()
            assert text == text.strip() and len(text.splitlines()) == 1 and text.isascii()
            read = game.state_from_string(text)
            assert read.to_string() == text and read == state
            everything, theirs = list(facts(state)), list(facts(read))
            assert theirs[10] == [] and everything[10] == state.history()
            for n in (2, 10):  # diagrams may show the last turn
                everything[n] = theirs[n] = None
            assert everything == theirs


@every_variant
def test_diagram_and_representation(title: str, options: dict[str, Any]) -> None:
    """`str` is several lines for people and differs where the text does; `repr` has the text."""
    seen = [state.clone() for state in walk(load(title, **options), seed=12)]
    for state in seen:
        assert len(str(state).splitlines()) > 3
        assert str(state) == "\n".join(line.rstrip() for line in str(state).splitlines())
        assert state.to_string() in repr(state) and title in repr(state)
    assert len({str(state) for state in seen}) == len({state.to_string() for state in seen})


@every_variant
def test_action_texts(title: str, options: dict[str, Any]) -> None:
    """Every legal action has a text of its own that is read back; nothing else is read."""
    game = load(title, **options)
    pool = {state.action_to_string(a) for state in walk(game, 13) for a in state.legal_actions()}
    rng, pool_list = random.Random(13), sorted(pool)
    for state in moments(game, seed=14):
        before = facts(state)
        names = {action: state.action_to_string(action) for action in state.legal_actions()}
        assert len(set(names.values())) == len(names)
        for action in rng.sample(sorted(names), min(40, len(names))):
            text = names[action]
            assert type(text) is str and re.fullmatch(r"\S+", text) and text.isascii()
            found = state.string_to_action(text)
            assert type(found) is int and found == action
        wrong = {"", " ", "nonsense", "-", *rng.sample(pool_list, min(20, len(pool_list)))}
        for text in list(names.values())[:5]:
            wrong |= {f" {text}", f"{text} ", f"{text}\n", f"{text}{text}", text.upper(), text[:-1]}
        for text in wrong - set(names.values()):
            with pytest.raises(ludarium.IllegalActionError) as caught:
                state.string_to_action(text)
            assert repr(text) in str(caught.value)
        for thing in (None, 0, b"pass", ["pass"]):
            with pytest.raises((TypeError, ValueError)):
                state.string_to_action(thing)
        assert facts(state) == before
