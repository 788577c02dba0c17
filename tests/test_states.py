"""The contract of `State`, `turns` and `perft`, over every registered game."""

from __future__ import annotations

import copy
import pickle
import random
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from registered import every_variant, facts, half_made, load, moments, part, walk

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


# ---------------------------------------------------------------- tensors


@every_variant
def test_observations(title: str, options: dict[str, Any]) -> None:
    """int8 zeros and ones [H, W, C] for either player at any time; the last plane is ones."""
    game = load(title, **options)
    for state in walk(game, seed=15):
        mover = state.current_player() if not state.is_terminal() else 0
        for player in (None, 0, 1, np.int64(1)):
            tensor = state.observation_tensor(player)
            assert tensor.dtype == np.int8 and tensor.shape == game.observation_shape
            assert tensor.flags.c_contiguous and tensor.flags.owndata and tensor.flags.writeable
            assert not (tensor & ~1).any() and tensor[:, :, -1].all()
        default = state.observation_tensor()
        assert np.array_equal(default, state.observation_tensor(player=mover))


@pytest.mark.parametrize("player", [2, -1, 10**20, "0", b"", 0.0, [], [0], True, ...], ids=repr)
def test_observation_of_nobody(game: Any, player: Any) -> None:
    """The players are 0 and 1; the error shows who was asked for."""
    with pytest.raises((ValueError, TypeError)) as caught:
        game.new_initial_state(seed=1).observation_tensor(player)
    assert repr(player) in str(caught.value) and "0, 1" in str(caught.value)


SWAPPED = {"my": "their", "their": "my", "I": "they", "they": "I"}


@every_variant
def test_the_other_player_sees_the_board_turned(title: str, options: dict[str, Any]) -> None:
    """Each plane is the other player's, turned by 180 degrees, with mine and theirs exchanged.

    Planes are named by my, their, I and they. Those without a counterpart, like whether I am to
    move, are for test_mirrored_play.
    """
    game = load(title, **options)
    names = game.observation_planes
    partner = [" ".join(SWAPPED.get(word, word) for word in name.split(" ")) for name in names]
    pairs = [(n, names.index(other)) for n, other in enumerate(partner) if other in names]
    assert len(pairs) > len(names) / 2 and any(n != m for n, m in pairs)
    here, there = (list(side) for side in zip(*pairs, strict=True))
    lit = np.zeros(len(here), bool)
    for seed in (16, 17):
        for state in walk(game, seed):
            first, second = state.observation_tensor(0), state.observation_tensor(1)
            turned = second[::-1, ::-1][:, :, there]
            wrong = (first[:, :, here] != turned).any((0, 1))
            assert not wrong.any(), [names[n] for n, bad in zip(here, wrong, strict=True) if bad]
            lit |= turned.any((0, 1))
    assert lit.sum() > 3


@every_variant
def test_mirrored_play(title: str, options: dict[str, Any]) -> None:
    """The other player in the mirrored position has the same numbers, observations and result."""
    game, compared, rng = load(title, **options), 0, random.Random(18)
    mirror = part(title, "texts").mirror
    for state in (s for seed in range(3) for s in moments(game, seed)):
        text = mirror(state.to_string())
        if text is None:
            continue
        compared += 1
        image = game.state_from_string(text)
        assert mirror(text) == state.to_string() != text
        for _ in range(30):
            assert image.legal_actions() == state.legal_actions()
            assert image.is_truncated() == state.is_truncated()
            assert image.returns() == state.returns()[::-1]
            for player in (0, 1):
                mine, theirs = (
                    state.observation_tensor(player),
                    image.observation_tensor(1 - player),
                )
                assert np.array_equal(mine, theirs)
            if state.is_terminal():
                break
            assert image.current_player() == 1 - state.current_player()
            action = rng.choice(state.legal_actions())
            state, image = state.child(action), image.child(action)
            assert image.to_string() == mirror(state.to_string())
    assert compared > 5


@every_variant
def test_observations_tell_half_made_turns_apart(title: str, options: dict[str, Any]) -> None:
    """A begun turn is seen, by both players, and so is which one; the same look, the same mask."""
    game, rng = load(title, **options), random.Random(19)
    seen = [state.clone() for seed in range(3) for state in walk(game, seed)]
    looks: dict[bytes, list[int]] = {}
    for state in seen:
        look = state.observation_tensor().tobytes()
        assert looks.setdefault(look, state.legal_actions()) == state.legal_actions()
    for state in rng.sample(seen, min(30, len(seen))):
        children = {child.to_string(): child for child in map(state.child, state.legal_actions())}
        begun = [child for child in children.values() if half_made([state, child])]
        for player in (0, 1):
            tensors = {child.observation_tensor(player).tobytes() for child in begun}
            assert len(tensors) == len(begun)
            assert state.observation_tensor(player).tobytes() not in tensors


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
