"""The best choices of overlays, their values and that of the position; overlays in every phase."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import golden
import gymnasium
import numpy as np
import pytest

import ludarium
from ludarium.agents.analysis import Analysis
from ludarium.drawing.overlays import Overlay, read_overlay
from ludarium.drawing.pictures import write_picture
from ludarium.drawing.pointing import clicks, marks

SVG = "{http://www.w3.org/2000/svg}"


def moment(name: str) -> Any:
    """Return a running position with actions that begin or end on several targets of the board."""
    return next(
        state
        for states in golden.games(name)
        for state in states[4:]
        if not state.is_terminal() and len({way[-1] for way in clicks(state).values() if way}) > 5
    )


def analysis_of(state: Any, chosen: int = 0) -> Analysis:
    """Return a made-up analysis: the first of six targets has six visits, the last one."""
    ends: dict[Any, int] = {}
    for action, way in clicks(state).items():
        if way:
            ends.setdefault(way[-1], action)
    actions = list(ends.values())[:6]
    visits = {action: 6 - k for k, action in enumerate(actions)}
    values = {action: 0.75 - 0.25 * k for k, action in enumerate(actions)}
    texts = {action: state.action_to_string(action) for action in actions}
    line = (texts[actions[chosen]],)
    return Analysis(actions[chosen], 0.31, False, line, 21, 0, visits, values, texts)


def words_of(state: Any, overlay: Any, **options: Any) -> list[str]:
    """Return what is written on a picture."""
    text = state.render("svg", overlay=overlay, **options)
    return [element.text or "" for element in ElementTree.fromstring(text).iter(f"{SVG}text")]


def test_top_marks_the_best_alone(name: str) -> None:
    state = moment(name)
    analysis = analysis_of(state)
    order = list(analysis.visits)
    for top in (1, 3, 6, 99):
        read = read_overlay(state, analysis, top)
        assert list(read.shares or ()) == order[:top]
        whole = {a: analysis.visits[a] / 21 for a in order[:top]}
        assert read.shares == pytest.approx(whole), "parts of the whole"
        assert (read.value, read.top) == (0.31, top)
        shown = [word for word in words_of(state, analysis, top=top) if word.isdecimal()]
        for share in whole.values():
            assert f"{100 * share:.0f}" in shown, share
    # those that are not marked leave their place as it was
    plain, marked = state.render(), state.render(overlay=analysis, top=1)
    assert (plain != marked).any(2).mean() < 0.1
    assert not np.array_equal(marked, state.render(overlay=analysis))
    # ties go to the better value, and the choice of the agent goes first
    other = analysis_of(state, chosen=4)
    assert list(read_overlay(state, other, 2).shares or ()) == [order[4], order[0]]
    equal = dict.fromkeys(order, 1)
    assert list(read_overlay(state, equal, 2).shares or ()) == sorted(order)[:2]
    weights = np.zeros(state.game.num_distinct_actions)
    weights[order[2]], weights[order[5]] = 0.6, 0.3
    assert list(read_overlay(state, weights, 1).shares or ()) == [order[2]]


def test_values_are_those_of_the_player_to_move(name: str) -> None:
    state = moment(name)
    analysis = analysis_of(state)
    player = state.game.type.submodule("notation").PLAYERS[state.current_player()]
    words = words_of(state, analysis)
    assert f"value +0.31 for {player}" in words
    assert not any(re.fullmatch(r"[+-]0\.\d\d", word) for word in words), "only with `top`"
    words = words_of(state, analysis, top=4)
    assert f"value +0.31 for {player}" in words
    values = [word for word in words if re.fullmatch(r"[+-]\d\.\d\d", word)]
    assert sorted(values) == ["+0.00", "+0.25", "+0.50", "+0.75"]
    proven = Overlay({analysis.action: 1.0}, value=-1.0, proven=True)
    assert f"value -1.00 for {player} (proven)" in words_of(state, proven)
    assert not any("value" in word for word in words_of(state, analysis.visits))
    assert not any("value" in word for word in words_of(state, "legal"))


def test_every_interface_takes_top(name: str, tmp_path: Path) -> None:
    for env in (
        ludarium.make(name, render_mode="rgb_array", render_size=200),
        getattr(ludarium, name).parallel_env(render_mode="rgb_array", render_size=200),
        gymnasium.make(
            f"ludarium:ludarium/{name.capitalize()}-v0",
            render_mode="rgb_array",
            render_size=200,
            seat=0,
        ).unwrapped,
    ):
        env.reset(seed=1)
        state = env.game_state  # type: ignore[union-attr]
        weights = {action: k + 1 for k, action in enumerate(state.legal_actions())}
        expected = state.render(size=200, overlay=weights, top=1)
        assert np.array_equal(env.render(weights, top=1), expected)  # type: ignore[call-arg]
        env.close()
    state = moment(name)
    weights = {action: k + 1 for k, action in enumerate(state.legal_actions())}
    best = max(weights, key=lambda action: weights[action])
    expected = state.render(size=200, overlay=weights, top=1)
    assert not np.array_equal(expected, state.render(size=200, overlay=weights))
    read = read_overlay(state, weights, 1)
    assert list(read.shares or ()) == [best]
    assert np.array_equal(state.render(size=200, overlay=read), expected)
    path = write_picture(state, tmp_path / "a.svg", 200, overlay=weights, top=1)
    assert path.read_text() == state.render("svg", 200, overlay=weights, top=1)


@pytest.mark.parametrize("top", [0, -1, 1.5, "3", True])
def test_rejects_what_is_no_number_of_actions(name: str, top: Any) -> None:
    state = ludarium.load_game(name).new_initial_state(seed=1)
    with pytest.raises(ValueError, match=f"top={top!r} is not allowed: top is an int, at least 1"):
        state.render(overlay={0: 1}, top=top)
    with pytest.raises(ValueError, match="top=3 is not allowed with overlay='legal'"):
        state.render(overlay="legal", top=3)
    with pytest.raises(ValueError, match="top=3 is the number of best actions of an overlay"):
        state.render(top=3)
    illegal = int(np.flatnonzero(state.legal_actions_mask() == 0)[0])
    with pytest.raises(ValueError, match="was read for another position"):
        state.render(overlay=Overlay({illegal: 1.0}))


def phases(name: str) -> Iterator[Any]:
    """Yield a position of each phase of each player."""
    seen = set()
    for states in golden.games(name):
        for state in states:
            if not state.is_terminal() and (state.stage(), state.current_player()) not in seen:
                seen.add((state.stage(), state.current_player()))
                yield state
    assert {stage for stage, _ in seen} == set(ludarium.load_game(name).stages)


@pytest.mark.parametrize("size", [128, 320])
def test_every_phase_can_be_overlaid(name: str, size: int) -> None:
    for state in phases(name):
        plain = state.render(size=size)
        overlays = [("legal", None), ("mcts:40", None), ("mcts:40", 2), ("greedy", 1)]
        overlays += [(state.legal_actions_mask(), None), ({state.legal_actions()[-1]: 1}, 3)]
        for overlay, top in overlays:
            for orientation in (0, 1):
                picture = state.render(size=size, overlay=overlay, top=top, orientation=orientation)
                bare = state.render(size=size, orientation=orientation) if orientation else plain
                # above the caption
                assert (picture != bare)[: -bare.shape[0] // 8].any(), (state, overlay)


def test_a_first_row_is_shown_whole() -> None:
    """All six pieces with their rings, and the row with its share in the caption."""
    state = ludarium.load_game("gyges").new_initial_state()
    for action in (state.legal_actions()[0], state.legal_actions()[-1]):
        text = state.action_to_string(action)
        discs = sorted(marks(state)[action], key=lambda target: target.x)
        assert "".join(target.label for target in discs) == text
        words = words_of(state, {action: 1.0})
        assert f"{text} 100 %" in words
        assert [words.count(rings) for rings in "123"] == [4, 4, 4], "two beside the board's two"


def test_a_pass_has_a_share_and_a_value(name: str) -> None:
    """It has no place on the board, and is written in a corner."""
    found = 0
    for state in (state for states in golden.games(name) for state in states):
        passes = [] if state.is_terminal() else [a for a, way in clicks(state).items() if not way]
        for action in passes[:1]:
            analysis = Analysis(action, 0.5, False, ("pass",), 4, 0, {action: 4}, {action: -0.25})
            assert "pass 100 %" in words_of(state, analysis)
            assert "pass 100 % -0.25" in words_of(state, analysis, top=1)
            found += 1
        if found > 2:
            break
    assert found or name != "sphlag"


# ---------------------------------------------------------------- the command


def test_show_lists_and_marks_the_best(run: Any, name: str) -> None:
    status, out, err = run("show", name, "--ask", "mcts:200", "--top", "2", "--out", "a.svg")
    assert (status, err) == (0, "")
    listed = out[out.index("line: ") :].splitlines()[1:]
    assert sum("visits" in line and "value" in line for line in listed) in (2, 3)
    assert re.search(r">(\S+ \d+ %, )?value [+-]\d\.\d\d for \w+", Path("a.svg").read_text())
    status, out, err = run("show", name, "--overlay", "mcts:200", "--top", "2", "--out", "b.svg")
    assert (status, err) == (0, "")
    line = next(line for line in out.splitlines() if line.startswith("mcts:200: "))
    assert (
        re.fullmatch(
            r"mcts:200: (\S+ \d+\.\d % \(value [+-]\d\.\d\d\)(, )?){2} \.\.\.; "
            r"value [+-]\d\.\d\d for \w+( \(proven\))?",
            line,
        )
        or line.count(" % (value ") == 2
    )
    state = ludarium.load_game(name).new_initial_state(0)
    assert Path("b.svg").read_text() == state.render("svg", overlay="mcts:200", top=2)
    for bad in (("--top", "0", "--overlay", "mcts:9"), ("--top", "2"), ("--top", "x")):
        status, out, err = run("show", name, *bad)
        assert (status, out) == (2, "") and "--top" in err, bad
