"""The contract of observation tensors, over every registered game."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from registered import every_variant, half_made, load, moments, part, walk


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
