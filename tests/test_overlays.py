"""Overlays on pictures of every registered game: what they mark, and what is not an overlay."""

from __future__ import annotations

from typing import Any

import golden
import gymnasium
import numpy as np
import pytest

import ludarium
from ludarium.agents import make_agent
from ludarium.drawing.overlays import Overlay, check_overlay
from ludarium.drawing.pointing import Layout, clicks
from ludarium.drawing.themes import THEMES

THEME_NAMES = sorted(THEMES)


def moments(name: str) -> list[Any]:
    """Return running states of a game, whole and half-made turns, set-ups and passes too."""
    found = [state for states in golden.games(name)[:2] for state in states[::7]]
    return [state for state in found if not state.is_terminal()]


def changed(state: Any, overlay: Any, size: int, theme: str) -> Any:
    """Return where an overlay changes a picture, bool [H, W]."""
    with_it = state.render(size=size, theme=theme, overlay=overlay).astype(int)
    return np.abs(with_it - state.render(size=size, theme=theme)).max(2) > 30


def band_of(picture: Any) -> int:
    """Return the height of a picture's caption, in pixels."""
    return max(16, round(max(picture.shape[:2]) * 0.068))


def at(picture: Any, state: Any, place: Any, reach: int = 2) -> Any:
    """Return a square of a picture around a place."""
    layout = Layout(state.game, max(picture.shape[:2]))
    x, y = (int(v) for v in layout.to_pixels(place.x, place.y))
    return picture[max(y - reach, 0) : y + reach + 1, max(x - reach, 0) : x + reach + 1]


# ---------------------------------------------------------------- what is marked


@pytest.mark.parametrize("theme", THEME_NAMES)
@pytest.mark.parametrize("size", [200, 512])
def test_every_legal_action_is_marked(name: str, size: int, theme: str) -> None:
    green = THEMES[theme].chosen
    for state in moments(name):
        picture = state.render(size=size, theme=theme, overlay="legal").astype(int)
        for way in clicks(state).values():
            if way:
                gap = np.abs(at(picture, state, way[-1]) - np.array(green)).max(2)
                assert gap.min() < 20, (state, way)


@pytest.mark.parametrize("theme", THEME_NAMES)
def test_one_action_is_marked_alone(name: str, theme: str) -> None:
    """A weight marks where its action ends, and nowhere another one does that is far from it."""
    for state in moments(name)[::3]:
        ways = clicks(state)
        for action in state.legal_actions()[::9]:
            found = changed(state, {action: 2}, 400, theme)
            if not ways[action]:
                assert found.any(), "a pass is written"
                continue
            assert at(found, state, ways[action][-1]).any(), (state, action)
            assert found.mean() < 0.12


def test_larger_shares_are_larger_discs(name: str) -> None:
    state = next(s for s in moments(name)[2:] if len(s.legal_actions()) > 3)
    ways = clicks(state)
    ends: dict[Any, int] = {}
    for action in state.legal_actions():
        if ways[action] and not ways[action][-1].label:
            ends.setdefault(ways[action][-1], action)
    order = sorted(ends, key=lambda place: (place.x, place.y))
    assert len(order) > 1
    places = order[0], order[-1]
    areas = []
    for weights in ((9, 1), (1, 9)):
        overlay = {ends[place]: weight for place, weight in zip(places, weights, strict=True)}
        found = changed(state, overlay, 512, "light")
        areas.append([at(found, state, place, 14).sum() for place in places])
    assert areas[0][0] > areas[0][1] and areas[1][1] > areas[1][0]


def test_without_an_overlay_nothing_differs(name: str) -> None:
    for state in moments(name)[::5]:
        text, plain = state.to_string(), state.render(size=200)
        assert np.array_equal(state.game.type.submodule("render").draw(state, 200), plain)
        state.render(size=200, overlay="legal")
        assert np.array_equal(state.render(size=200), plain)
        assert state.to_string() == text


# ---------------------------------------------------------------- what an overlay may be


def test_weights_in_every_form_are_the_same(name: str) -> None:
    state = moments(name)[3]
    actions = state.legal_actions()
    rng = np.random.default_rng(2)
    visits = {a: int(n) for a, n in zip(actions, rng.integers(0, 90, len(actions)), strict=True)}
    visits[actions[0]] = 50
    array = np.zeros(state.game.num_distinct_actions)
    array[list(visits)] = list(visits.values())
    expected = state.render(overlay=visits)
    forms = (array, array / array.sum(), array.astype(np.float32), array.tolist())
    for form in (*forms, {np.int64(a): float(n) for a, n in visits.items()}):
        assert np.array_equal(state.render(overlay=form), expected)
    shares = check_overlay(state, visits)
    assert shares is not None and sum(shares.values()) == pytest.approx(1)
    # what is not legal has no place
    illegal = np.flatnonzero(state.legal_actions_mask() == 0)
    array[illegal] = 7
    assert np.array_equal(state.render(overlay=array), expected)
    assert np.array_equal(state.render(overlay=np.zeros(len(array))), state.render())
    mask = state.legal_actions_mask()
    assert np.array_equal(state.render(overlay=mask), state.render(overlay=mask.astype(bool)))


def test_agents_show_what_they_look_at(name: str) -> None:
    state = next(s for s in moments(name) if len(s.legal_actions()) > 3)
    agent = make_agent("mcts:150")
    analysis = agent.analyse(state.clone(), np.random.default_rng(0))  # type: ignore[attr-defined]
    shares = check_overlay(state, "mcts:150")
    total = sum(analysis.visits.values())
    assert shares == pytest.approx({a: n / total for a, n in analysis.visits.items() if n})
    expected = state.render(overlay=analysis)
    for overlay in ("mcts:150", make_agent("mcts:150")):
        assert np.array_equal(state.render(overlay=overlay), expected)
    # visits alone do not say what the position is worth
    visits, above = state.render(overlay=Overlay(shares)), -band_of(expected)
    assert np.array_equal(visits[:above], expected[:above])
    assert not np.array_equal(visits[above:], expected[above:])
    chosen = check_overlay(state, "alphabeta:1")
    assert chosen is not None and list(chosen.values()) == [1]
    assert next(iter(check_overlay(state, "greedy") or {})) in state.legal_actions()


def test_nothing_is_marked_when_the_game_is_over(name: str) -> None:
    state = golden.games(name)[0][-1]
    plain = state.render()
    ones = np.ones(state.game.num_distinct_actions)
    for overlay in ("legal", "mcts:50", make_agent("greedy"), ones, {0: 1}):
        assert np.array_equal(state.render(overlay=overlay), plain)


@pytest.mark.parametrize(
    ("overlay", "error", "message"),
    [
        ("legall", ValueError, "overlay='legall' is not allowed: overlay is 'legal', the spec of"),
        ("mcts:few", ValueError, "overlay='mcts:few' is not allowed.*few"),
        ("", ValueError, "overlay=''"),
        (np.ones(3), ValueError, r"the shape \(\d+,\), one for each action of .*, not \(3,\)"),
        ([], ValueError, r"not \(0,\)"),
        (np.ones((2, 2)), ValueError, r"not \(2, 2\)"),
        ("nan", ValueError, "weight nan of action 5 is not allowed: a weight is finite"),
        ("inf", ValueError, "weight inf of action 5"),
        ("minus", ValueError, "weight -1.0 of action 5"),
        ("text", ValueError, "weights are numbers"),
        ({-1: 1}, ValueError, "-1 is not an action: actions are ints, 0 to"),
        ({10**6: 1}, ValueError, "1000000 is not an action"),
        ({"a": 1}, ValueError, "'a' is not an action"),
        ({0: "much"}, ValueError, "weights are numbers"),
        ({0: float("nan")}, ValueError, "weight nan of action 0"),
        ({0: [1, 2]}, ValueError, "the weight of an action is one number"),
        (7, TypeError, "not 7"),
        (True, TypeError, "not True"),
        (dict, TypeError, "overlay is 'legal'"),
    ],
)
def test_rejects_invalid_overlays(name: str, overlay: Any, error: Any, message: str) -> None:
    state = ludarium.load_game(name).new_initial_state(seed=1)
    bad = {"nan": np.nan, "inf": np.inf, "minus": -1.0}
    if isinstance(overlay, str) and overlay in bad:
        weights = np.ones(state.game.num_distinct_actions)
        weights[5] = bad[overlay]
        overlay = weights
    elif isinstance(overlay, str) and overlay == "text":
        overlay = ["much"] * state.game.num_distinct_actions
    for mode in ("rgb_array", "svg"):
        with pytest.raises(error, match=message):
            state.render(mode, overlay=overlay)


@pytest.mark.parametrize("answer", [-1, 10**6, None, "pass", 1.5])
def test_an_agent_that_answers_illegally_is_named(name: str, answer: Any) -> None:
    class Wrong:
        name = "wrong"

        def select_action(self, state: Any, rng: Any) -> Any:
            return answer

    state = ludarium.load_game(name).new_initial_state(seed=1)
    with pytest.raises(ValueError, match=r"wrong answered .*, which is not legal here"):
        state.render(overlay=Wrong())


def test_huge_weights_are_shared_like_others(name: str) -> None:
    state = ludarium.load_game(name).new_initial_state(seed=1)
    huge = np.full(state.game.num_distinct_actions, 1e308)
    assert np.array_equal(state.render(overlay=huge), state.render(overlay=np.ones(len(huge))))


# ---------------------------------------------------------------- through environments


def test_environments_take_overlays(name: str) -> None:
    for env in (
        ludarium.make(name, render_mode="rgb_array", render_size=200),
        getattr(ludarium, name).parallel_env(render_mode="rgb_array", render_size=200),
        gymnasium.make(
            f"ludarium:ludarium/{name.capitalize()}-v0",
            render_mode="rgb_array",
            render_size=200,
        ).unwrapped,
    ):
        env.reset(seed=1)
        state = env.game_state  # type: ignore[union-attr]
        plain = env.render()
        expected = state.render(size=200, overlay="legal")
        assert np.array_equal(env.render(overlay="legal"), expected)  # type: ignore[call-arg]
        assert np.array_equal(env.render(), plain)
        with pytest.raises(ValueError, match="overlay='no'"):
            env.render(overlay="no")  # type: ignore[call-arg]
        env.close()
    env = ludarium.make(name, render_mode="ansi")
    env.reset(seed=1)
    with pytest.raises(ValueError, match="an overlay is drawn on pictures"):
        env.render(overlay="legal")
