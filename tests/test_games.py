"""The contract of `Game`, of options and seeds, over every registered game."""

from __future__ import annotations

import copy
import itertools
import pickle
import random
from typing import Any

import numpy as np
import pytest
from registered import every_variant, facts, load, moments, walk

import ludarium

FIRST = ludarium.list_games()[0]

# Wrong for every option there can be, each for its own reason.
WRONG = ["nonsense", "", "200", b"1", -1, 1.5, float("nan"), float("inf"), [], {}, (1,), ...]
WRONG_INTEGERS = [0, -5, 10**30, True, False, np.float32(12), np.array([5, 6]), np.bool_(True)]


def is_integer(value: Any) -> bool:
    """Say whether an option's resolved value is an int, and no bool."""
    return isinstance(value, int) and not isinstance(value, bool)


# ---------------------------------------------------------------- finding games


def test_list_of_games() -> None:
    """Names in alphabetical order, a new list each time; each is a game, and a module."""
    names = ludarium.list_games()
    assert names == sorted(set(names)) and names
    for name in names:
        assert ludarium.load_game(name).name == name and callable(getattr(ludarium, name).env)
    names.clear()
    assert ludarium.list_games()


@pytest.mark.parametrize("wrong", ["", "chess", FIRST.upper(), f"{FIRST} ", f"{FIRST}-v0"])
def test_unknown_game(wrong: str) -> None:
    """The error names the game asked for and those that there are."""
    with pytest.raises(ValueError, match="there is no game") as caught:
        ludarium.load_game(wrong)
    for known in (wrong, *ludarium.list_games()):
        assert repr(known) in str(caught.value)


@pytest.mark.parametrize("wrong", [None, 3, FIRST.encode(), [FIRST], {}, ...])
def test_name_of_a_wrong_type(wrong: Any) -> None:
    """A name that is no string is a TypeError that shows it."""
    with pytest.raises(TypeError) as caught:
        ludarium.load_game(wrong)
    assert repr(wrong) in str(caught.value)


# ---------------------------------------------------------------- facts of a game


@every_variant
def test_attributes(title: str, options: dict[str, Any]) -> None:
    """What a game says of itself is of the promised kinds and agrees."""
    game = load(title, **options)
    assert isinstance(game, ludarium.Game)
    assert game.name == title and type(game.version) is int and game.version >= 0
    assert game.num_players == 2
    assert type(game.num_distinct_actions) is int and game.num_distinct_actions > 0
    assert type(game.observation_shape) is tuple and len(game.observation_shape) == 3
    assert all(type(size) is int and size > 0 for size in game.observation_shape)
    planes = game.observation_planes
    assert len(planes) == len(set(planes)) == game.observation_shape[2]
    assert all(isinstance(name, str) and name for name in planes)
    assert type(game.max_turns) is int and game.max_turns == game.options["max_turns"]
    assert type(game.max_game_length) is int
    assert game.max_turns <= game.max_game_length <= 2 * game.max_turns
    for name, value in options.items():
        assert game.options[name] == value


@every_variant
def test_max_game_length(title: str, options: dict[str, Any]) -> None:
    """No game has more actions, and the bound follows max_turns."""
    game = load(title, **options)
    for seed in range(3):
        *_, state = walk(game, seed)
        assert len(state.history()) <= game.max_game_length
        assert state.turn_number() <= game.max_turns
    twice = load(title, **{**options, "max_turns": 2 * game.max_turns})
    assert game.max_game_length < twice.max_game_length <= 2 * twice.max_turns


def test_immutable(game: Any) -> None:
    """Nothing of a game can be set, deleted or added, nor its options changed."""
    before = repr(game), dict(game.options), hash(game)
    for name in ("name", "version", "max_turns", "options", "observation_shape", "anything"):
        with pytest.raises(AttributeError, match=name):
            setattr(game, name, 1)
    for name in ("name", "options"):
        with pytest.raises(AttributeError, match=name):
            delattr(game, name)
    with pytest.raises(TypeError):
        game.options["max_turns"] = 1
    with pytest.raises(TypeError):
        del game.options["max_turns"]
    assert (repr(game), dict(game.options), hash(game)) == before


@every_variant
def test_equality(title: str, options: dict[str, Any]) -> None:
    """Games are equal when name and resolved options are; the hash follows."""
    game = ludarium.load_game(title, **options)
    same = ludarium.load_game(title, **dict(reversed(game.options.items())))
    assert game == same and hash(game) == hash(same)
    other = ludarium.load_game(title, **{**game.options, "max_turns": game.max_turns + 1})
    assert game != other
    assert {game, same, other} == {game, other}
    for foreign in (None, title, repr(game), dict(game.options), game.new_initial_state()):
        assert game != foreign
    for name in ludarium.list_games():
        assert (game == load(name)) == (name == title and game.options == load(name).options)


@every_variant
def test_copies_of_a_game(title: str, options: dict[str, Any]) -> None:
    """Copies and pickles are equal games that play alike."""
    game = load(title, **options)
    copies = [copy.copy(game), copy.deepcopy(game)]
    copies += [pickle.loads(pickle.dumps(game, p)) for p in range(pickle.HIGHEST_PROTOCOL + 1)]
    for other in copies:
        assert other == game and hash(other) == hash(game)
        assert dict(other.options) == dict(game.options) and repr(other) == repr(game)
        assert facts(other.new_initial_state(seed=3)) == facts(game.new_initial_state(seed=3))


@every_variant
def test_repr_of_a_game(title: str, options: dict[str, Any]) -> None:
    """The representation is the call that makes the game."""
    game = load(title, **options)
    assert eval(repr(game), {"load_game": ludarium.load_game}) == game


# ---------------------------------------------------------------- options


def test_unknown_option(name: str) -> None:
    """The error names the option asked for and those that there are."""
    with pytest.raises(ValueError) as caught:
        ludarium.load_game(name, size_of_the_moon=3)
    for known in ("size_of_the_moon", *load(name).options):
        assert repr(known) in str(caught.value)


@pytest.mark.parametrize("wrong", [*WRONG, *WRONG_INTEGERS], ids=repr)
def test_wrong_value(game: Any, wrong: Any) -> None:
    """The error names option and value, and what the option may be."""
    for option, value in game.options.items():
        if not is_integer(value) and any(wrong is bad for bad in WRONG_INTEGERS):
            continue  # a number out of range is wrong for numbers
        with pytest.raises((ValueError, TypeError)) as caught:
            ludarium.load_game(game.name, **{option: wrong})
        message = str(caught.value)
        assert option in message and repr(wrong) in message
        assert ("int" if is_integer(value) else repr(value)) in message


def test_max_turns(game: Any) -> None:
    """At least 1; any integer will do, and is kept as an int."""
    for turns in (1, 7, 10**6, np.int64(9), np.uint8(9), np.array(9)):
        found = ludarium.load_game(game.name, max_turns=turns)
        assert type(found.max_turns) is int and found.max_turns == turns
        assert type(found.options["max_turns"]) is int
    with pytest.raises(ValueError, match="max_turns=0 is not allowed"):
        ludarium.load_game(game.name, max_turns=0)


# ---------------------------------------------------------------- seeds


@every_variant
def test_seeds(title: str, options: dict[str, Any]) -> None:
    """A seed decides what is left to chance; without one the draw is fresh."""
    game = load(title, **options)
    starts = {game.new_initial_state(seed=seed) for seed in range(20)}
    fresh = {game.new_initial_state() for _ in range(20)}
    if len(starts) == 1:  # nothing is random
        assert fresh == starts
    else:
        assert len(fresh) > 1
    for seed in (0, 5, 2**31, 2**64 - 1, 2**64, 2**200):
        again = game.new_initial_state(seed)
        assert facts(game.new_initial_state(seed=seed)) == facts(again)
        if seed < 2**63:
            assert facts(game.new_initial_state(np.uint64(seed))) == facts(again)


@every_variant
def test_seeds_leave_other_generators_alone(title: str, options: dict[str, Any]) -> None:
    """Starting and playing draws on no global generator, and is moved by none."""
    game = load(title, **options)
    random.seed(1)
    before, legacy = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    start = game.new_initial_state(seed=4)
    assert random.getstate() == before
    assert np.random.get_state()[1].tolist() == legacy  # noqa: NPY002
    random.seed(2)
    assert game.new_initial_state(seed=4) == start


@pytest.mark.parametrize(
    "wrong",
    [-1, -(2**70), 1.0, "1", b"1", [], [1], True, np.float64(1), np.array([1, 2]), ...],
    ids=repr,
)
def test_wrong_seed(game: Any, wrong: Any) -> None:
    """A seed is an int >= 0 or None, also where nothing is random; the error shows the value."""
    with pytest.raises((ValueError, TypeError)) as caught:
        game.new_initial_state(seed=wrong)
    assert repr(wrong) in str(caught.value) and "seed" in str(caught.value)


# ---------------------------------------------------------------- symmetries


@every_variant
def test_symmetries_are_a_group(title: str, options: dict[str, Any]) -> None:
    """Identity first; pairs of permutations, none twice; two in succession are another one."""
    game = load(title, **options)
    cells, actions = int(np.prod(game.observation_shape)), game.num_distinct_actions
    found = game.symmetries()
    assert found[0][0].tolist() == list(range(cells))
    assert found[0][1].tolist() == list(range(actions))
    for i, j in found:
        assert i.dtype.kind == j.dtype.kind == "i"
        assert np.array_equal(np.sort(i), np.arange(cells))
        assert np.array_equal(np.sort(j), np.arange(actions))
    keys = [(i.tobytes(), j.tobytes()) for i, j in found]
    assert len(set(keys)) == len(keys)
    for (i, j), (k, m) in itertools.product(found, found):
        assert (i[k].tobytes(), j[m].tobytes()) in keys


def test_symmetries_are_the_callers_own(game: Any) -> None:
    """Writing into the arrays changes nothing for the next caller."""
    first = game.symmetries()
    for i, j in first:
        i[:] = 0
        j[:] = 0
    assert game.symmetries()[0][1].tolist() == list(range(game.num_distinct_actions))


@every_variant
def test_symmetries_commute_with_play(title: str, options: dict[str, Any]) -> None:
    """A game and its image, played side by side, stay images of each other to the end."""
    game, compared = load(title, **options), 0
    for seed, (i, j) in itertools.product(range(4), game.symmetries()):
        state, image = game.new_initial_state(seed=seed), game.new_initial_state(seed=seed)
        if not is_image(state, image, i, j):
            continue  # a first position that was drawn need not be symmetric
        to = np.argsort(j)  # image_mask[k] = mask[j[k]], so action a is to[a] in the image
        rng = random.Random(seed)
        while not state.is_terminal():
            action = rng.choice(state.legal_actions())
            state.apply_action(action)
            image.apply_action(int(to[action]))
            assert is_image(state, image, i, j), state
            compared += 1
        assert image.is_terminal() and image.returns() == state.returns()
    assert compared or len({game.new_initial_state(seed=seed) for seed in range(4)}) > 1


def is_image(state: Any, image: Any, i: Any, j: Any) -> bool:
    """Say whether masks and both players' observations are gathered into those of the image."""
    return (
        np.array_equal(state.legal_actions_mask()[j], image.legal_actions_mask())
        and all(
            np.array_equal(
                state.observation_tensor(player).reshape(-1)[i],
                image.observation_tensor(player).reshape(-1),
            )
            for player in (0, 1)
        )
        and (state.current_player(), state.turn_number(), state.is_truncated())
        == (image.current_player(), image.turn_number(), image.is_truncated())
    )


@every_variant
def test_symmetries_do_not_mix_up_positions(title: str, options: dict[str, Any]) -> None:
    """Only a symmetric position is its own image, so the gathers do say something."""
    game, moved = load(title, **options), 0
    for state in moments(game, seed=5):
        for i, j in game.symmetries()[1:]:
            moved += not is_image(state, state, i, j)
    assert moved or len(game.symmetries()) == 1
