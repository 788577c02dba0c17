"""Where actions are on the pictures of every registered game, over golden games."""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from registered import TESTS, game_of, lines, load

from ludarium.drawing import pointing
from ludarium.drawing.pointing import Layout, Target, clicks, hit, orders

SIZES = (128, 129, 255, 512, 2048)


def golden_states(name: str, games: int = 3) -> Iterator[Any]:
    """Yield the states of golden games, and of positions with rare turns."""
    for path in sorted((TESTS / name / "games").glob("*.jsonl"))[:: 12 // games]:
        head, *found, _ = lines(name, f"games/{path.name}")
        state = load(name, **head["options"]).new_initial_state(head["seed"])
        yield state
        for line in found:
            state.apply_action(line["action"])
            yield state
    for line in lines(name, "texts.jsonl"):
        text = line["pos"]
        yield game_of(name, text).state_from_string(text)


def test_every_legal_action_is_in_the_picture(name: str) -> None:
    layouts: dict[Any, list[Layout]] = {}
    for state in golden_states(name):
        found = clicks(state)
        assert sorted(found) == state.legal_actions()
        if state.game not in layouts:
            layouts[state.game] = [Layout(state.game, size) for size in SIZES]
        for target in {target for path in found.values() for target in path}:
            assert target.wide > 0 and target.high > 0
            for layout in layouts[state.game]:
                x, y = layout.to_pixels(target.x, target.y)
                assert 0 < x < layout.width and 0 < y < layout.height
                assert layout.to_units(x, y) == pytest.approx((target.x, target.y))


def test_clicks_tell_actions_apart(name: str) -> None:
    """No action's clicks are, or begin, those of another: when all are made it is clear."""
    for state in golden_states(name):
        paths = [order for path in clicks(state).values() for order in orders(path)]
        assert len(set(paths)) == len(paths)
        begun = {path[:count] for path in paths for count in range(1, len(path))}
        assert not begun & set(paths)
        assert sum(path == () for path in paths) <= 1


def test_a_click_on_a_target_means_that_target(name: str) -> None:
    for state in golden_states(name):
        paths = [order for path in clicks(state).values() for order in orders(path)]
        choices: dict[Any, set[Target]] = {}
        for path in paths:
            for count, target in enumerate(path):
                choices.setdefault(path[:count], set()).add(target)
        for targets in choices.values():
            for target in targets:
                assert hit(targets, target.x, target.y) == target
                assert hit(targets, target.x + target.wide * 0.3, target.y) == target


def test_the_layout_is_that_of_the_picture(name: str) -> None:
    options: dict[Any, Any] = {}
    for state in golden_states(name, games=12):
        options.setdefault(state.game, state)
    for game, state in options.items():
        for size in SIZES:
            layout = Layout(game, size)
            frame = game.type.submodule("render").draw(state, size)
            assert frame.shape == (layout.height, layout.width, 3)


def test_nothing_is_pointed_at_when_the_game_is_over(name: str) -> None:
    (state,) = [s for s in list(golden_states(name, 1)) if s.is_terminal()][:1]
    assert clicks(state) == {}


# ---------------------------------------------------------------- targets


def test_what_a_point_means() -> None:
    low, high = Target(0, 0, 1, 1, layer=0), Target(0, 1, 1, 1, layer=1)
    assert hit([low, high], 0, -0.5) == low
    assert hit([low, high], 0, 0.4) == high, "what lies on top is meant"
    assert hit([low, high._replace(layer=0)], 0, 0.4) == low, "else what is nearer"
    assert hit([low, high], 0.8, -0.8) is None, "a corner is no part of a disc"
    wide = Target(0, 0, 3, 0.5, round=False)
    assert hit([wide], 2.9, 0.4) == wide
    assert hit([wide], 2.9, 0.6) is None
    assert hit([], 0, 0) is None


def test_alike_targets_may_be_clicked_in_any_order() -> None:
    a, b, c = (Target(x, 0, 1, 1, label="1") for x in range(3))
    d, e = Target(0, 0, 1, 1), Target(1, 0, 1, 1)
    assert set(orders((a, b, c))) == set(itertools.permutations((a, b, c)))
    assert list(orders((d, e))) == [(d, e)]
    assert set(orders((a, b, d))) == {(a, b, d), (b, a, d)}
    assert list(orders(())) == [()]


def test_a_game_without_the_module_is_named(
    name: str, game: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pointing.check_can_be_pointed_at(game)
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec",
        lambda module: None if module.endswith(".pointing") else found(module),
    )
    with pytest.raises(ValueError, match=f"{name} cannot be played by mouse"):
        clicks(game.new_initial_state())
