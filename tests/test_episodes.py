"""Episodes: a game is played once to be shown, in whatever form and from whatever source."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo.utils.wrappers
import pytest

import ludarium
from ludarium import records
from ludarium.core.history import LastTurn, last_turn_of, retrace
from ludarium.core.state import State
from ludarium.records import GameRecord, record_episode
from ludarium.records.episode import episode_of
from ludarium.records.export import SUFFIXES

TURNS = 24


def played(name: str, turns: int = TURNS) -> State:
    """Return a state after some turns, with a half-made turn at the end where the game has them."""
    rng = random.Random(3)
    state = ludarium.load_game(name).new_initial_state(1)
    while state.turn_number() < turns:
        before, action = state, rng.choice(state.legal_actions())
        state = state.child(action)
        if state.is_terminal():
            state = before.child(before.legal_actions()[0])
    for action in state.legal_actions():
        if state.child(action).turn_number() == state.turn_number():
            return state.child(action)
    return state


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, int]]:
    """Count the calls of State.apply_action and State.clone."""
    counts = {"apply_action": 0, "clone": 0}

    def counted(name: str) -> Any:
        original = getattr(State, name)

        def call(self: State, *arguments: Any) -> Any:
            counts[name] += 1
            return original(self, *arguments)

        return call

    for name in counts:
        monkeypatch.setattr(State, name, counted(name))
    yield counts


# ---------------------------------------------------------------- linear exports


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("source", ["record", "state", "states", "turns"])
def test_an_export_plays_the_game_once(
    name: str, suffix: str, source: str, tmp_path: Path, calls: dict[str, int]
) -> None:
    """At most 3 n calls of apply_action for n turns, whatever the file is made of."""
    state = played(name)
    record = GameRecord.from_state(state)
    shown: Any = {
        "record": record,
        "state": state,
        "states": [position.state for position in retrace(state)],
        "turns": list(records.replay(record)),
    }[source]
    calls.update(apply_action=0, clone=0)
    record_episode(shown, tmp_path / f"game{suffix}", size=128)
    assert 0 < calls["apply_action"] <= 3 * len(record.turns)
    assert calls["clone"] <= 3 * len(record.turns) + 3


def test_a_single_picture_replays_the_history_once(name: str, calls: dict[str, int]) -> None:
    state = played(name)
    for picture in (
        lambda: state.render(size=128),
        lambda: state.render("svg", 128),
        state.__str__,
    ):
        calls.update(apply_action=0, clone=0)
        picture()
        assert calls["apply_action"] <= len(state.history()) + 2


# ---------------------------------------------------------------- the last turn


def test_every_position_has_the_turn_that_led_to_it(name: str) -> None:
    """The line of a game, the replay of each state, and `State.last_turn` say the same."""
    state = played(name)
    line = list(retrace(state))
    assert [position.state.history() for position in line] == [
        state.history()[:count] for count in range(len(line))
    ]
    for shown, last_turn in line:
        assert last_turn_of(shown) == last_turn
        expected = shown.last_turn()
        if last_turn.whole is None:
            assert expected is None
        else:
            assert expected == (last_turn.whole.before, list(last_turn.whole.actions))
            start = last_turn.whole.before
            for action, text in zip(last_turn.whole.actions, last_turn.whole.texts, strict=True):
                assert start.action_to_string(action) == text
                start = start.child(action)
        if last_turn.begun is not None:
            assert last_turn.begun.before.turn_number() == shown.turn_number()
    assert line[0].last_turn == LastTurn()


def test_pictures_are_the_same_alone_and_in_an_episode(name: str) -> None:
    state = played(name)
    episode = episode_of(state, 128, "dark")
    for index, shown in enumerate(episode.states):
        assert np.array_equal(episode.frame(index), shown.render(size=128, theme="dark"))
    by_record = episode_of(GameRecord.from_state(state), 128, "dark")
    assert by_record.positions == episode.positions and by_record.texts == episode.texts
    assert by_record.record == episode.record == GameRecord.from_state(state)
    assert episode_of(episode, 256) == episode_of(state, 256)
    assert repr(episode) == f"<Episode of {name}, {len(state.history()) + 1} positions>"


@pytest.mark.parametrize("size", [128, 320])
def test_names_are_a_line_above_every_picture(name: str, size: int) -> None:
    """The pictures below the line do not change; the line is the same in all of them."""
    record = dataclasses.replace(
        GameRecord.from_state(played(name)), players=("ann", "a name too long for any picture")
    )
    plain, named = episode_of(record, size), episode_of(record, size, names=True)
    extra = named.shape[0] - plain.shape[0]
    assert extra >= 12 and extra % 2 == 0 and named.shape[1] == plain.shape[1]
    line = named.frame(0)[:extra]
    for index in (0, 1, len(named.states) - 1):
        assert np.array_equal(named.frame(index)[extra:], plain.frame(index))
        assert np.array_equal(named.frame(index)[:extra], line)
    other = episode_of(dataclasses.replace(record, players=("bob", "eve")), size, names=True)
    assert not np.array_equal(other.frame(0)[:extra], line)
    paper = line[0, 0]
    assert (line[:, [0, -1]] == paper).all(), "a name is cut off at the edge"
    left, right = line[:, : extra // 2 + 4], line[:, -(extra // 2 + 4) :]
    assert (left != paper).any() and (right != paper).any(), "a player has no disc"


def test_states_that_do_not_follow_from_each_other(name: str) -> None:
    """They have no text of a turn; each keeps its own last turn."""
    state = played(name)
    states = [position.state for position in retrace(state)]
    loose = ludarium.load_game(name).state_from_string(states[4].to_string())
    mixed = [states[4], states[1], loose, states[4], states[-1]]
    episode = episode_of(mixed)
    assert episode.states == mixed
    assert episode.texts[:4] == (None, None, None, None)
    texts = [text or "" for text in episode_of(state).texts]
    assert episode.texts[4] == "".join(texts[5:])
    for shown, last_turn in episode.positions:
        assert last_turn_of(shown) == last_turn
    after = loose.child(loose.legal_actions()[0])
    text = loose.action_to_string(loose.legal_actions()[0])
    assert episode_of([loose, after, states[-1]]).texts == (None, text, None)


# ---------------------------------------------------------------- environments


def test_an_environment_of_any_kind_wrapped_or_not(name: str, tmp_path: Path) -> None:
    module, wrappers = getattr(ludarium, name), pettingzoo.utils.wrappers
    state = played(name, 4)
    aec, parallel = module.env(), module.parallel_env()
    single = gymnasium.make(f"ludarium:ludarium/{name.title()}-v0")
    aec.reset(), parallel.reset(), single.reset(seed=1)
    aec.set_game_state(state)
    parallel.set_game_state(state)
    expected = episode_of(state)
    for env in (
        aec,
        wrappers.OrderEnforcingWrapper(aec),
        wrappers.BaseWrapper(wrappers.OrderEnforcingWrapper(aec)),
        parallel,
        wrappers.BaseParallelWrapper(parallel),
    ):
        assert episode_of(env).record == expected.record
    mask = single.unwrapped.action_masks()
    single.step(int(np.flatnonzero(mask)[0]))
    for env in (single, single.unwrapped, gymnasium.wrappers.RecordEpisodeStatistics(single)):
        path = record_episode(env, tmp_path / "single.jsonl", overwrite=True)
        (record,) = records.read(path)
        assert record == GameRecord.from_state(single.unwrapped.game_state) and record.turns


class Foreign(gymnasium.Env[Any, Any]):
    """An environment of somebody else, with a game_state of its own."""

    game_state = "somewhere"


@pytest.mark.parametrize("what", [Foreign(), gymnasium.make("CartPole-v1"), 3, None, {"a": 1}])
def test_what_is_not_an_episode_is_a_type_error(what: Any, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"an episode is (of|made of|a)"):
        record_episode(what, tmp_path / "game.gif")
    assert not list(tmp_path.iterdir())


def test_what_draws_and_shows_has_a_useful_repr() -> None:
    from ludarium.drawing.canvas import start
    from ludarium.drawing.pointing import Layout
    from ludarium.drawing.sprites import Store
    from ludarium.drawing.svg import start_svg

    game = ludarium.load_game("sphlag")
    board = game.type.submodule("render").board_of(game.new_initial_state())
    canvas = start(board.width, board.height, 200, "dark", board.paint)
    height, width = canvas.shape
    assert repr(canvas) == f"<Canvas {width} x {height} pixels, dark>"
    assert repr(start_svg(board, 200, "light")) == f"<SvgCanvas {width} x {height} pixels, light>"
    assert repr(Layout(game, 200)).startswith(f"<Layout {width} x {height}, ")
    assert repr(Store(100)) == "<Store of 0 images, 0 of 100 bytes>"
