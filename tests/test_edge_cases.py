"""Edge cases: games that start finished, use before reset, unknown agents, wrong types."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from children import shut_pipe
from lockstep import walks_of

import ludarium
from ludarium.cli import main
from ludarium.environments.aec import AGENTS


def over(name: str) -> Any:
    """Return a finished state of a game."""
    rng = np.random.default_rng(2)
    state = ludarium.load_game(name, max_turns=5).new_initial_state(seed=1)
    while not state.is_terminal():
        state.apply_action(int(rng.choice(state.legal_actions())))
    return state


def random_set_ups_that_start_finished(name: str) -> list[dict[str, Any]]:
    """Return options of a game under which a random set-up already reaches max_turns."""
    kind = ludarium.load_game(name).type
    return [
        {option: value, "max_turns": turns}
        for option, known in kind.options.items()
        if not isinstance(known.allowed, range)
        for value in known.allowed
        for turns in (1, 2)
        if kind.load(**{option: value, "max_turns": turns}).new_initial_state(1).is_terminal()
    ]


# ---------------------------------------------------------------- games that start finished


def test_parallel_step_in_a_finished_game(name: str) -> None:
    """One step with any actions ends the episode with its results."""
    state = over(name)
    for actions in ({}, {AGENTS[0]: 0, AGENTS[1]: 0}, dict.fromkeys(AGENTS)):
        env = getattr(ludarium, name).parallel_env(max_turns=5)
        env.set_game_state(state)
        _, rewards, terminations, truncations, _ = env.step(actions)
        assert list(rewards.values()) == state.returns()
        assert set(truncations.values()) == {state.is_truncated()}
        assert set(terminations.values()) == {not state.is_truncated()}
        assert env.agents == []


def test_some_random_set_up_reaches_max_turns() -> None:
    assert any(random_set_ups_that_start_finished(name) for name in ludarium.list_games())


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_batch_reports_games_that_start_finished(name: str, mode: str) -> None:
    """Every step reports the truncation, so that a caller sees the end."""
    for options in random_set_ups_that_start_finished(name):
        vector = ludarium.make_vec(name, num_envs=3, autoreset=mode, **options)
        vector.reset()
        for _ in range(3):
            _, rewards, terminated, truncated, _ = vector.step(vector.sample_actions())
            assert truncated.all() and not terminated.any() and not rewards.any()


@pytest.mark.parametrize("spec", ["mcts:5", "alphabeta:1"])
def test_search_agents_accept_games_that_start_finished(name: str, spec: str) -> None:
    for options in random_set_ups_that_start_finished(name):
        game = ludarium.load_game(name, **options)
        ludarium.agents.make_agent(spec).prepare(game)
        assert ludarium.arena.play_game(game, spec, "random").reason == "max_turns"


# ---------------------------------------------------------------- invalid use


def test_rejects_unknown_agents(name: str) -> None:
    env = ludarium.make(name, max_turns=5)
    for agent in (None, "player_2", [], 0, ""):
        with pytest.raises(AssertionError, match="reset"):
            env.observe(agent)
    env.reset(seed=1)
    for finished in (False, True):
        if finished:
            env.set_game_state(over(name))
        for agent in (None, "player_2", [], 0, ""):
            for ask in (env.observe, env.observation_space, env.action_space):
                with pytest.raises(ValueError, match="there is no agent"):
                    ask(agent)


def test_rejects_use_before_reset(name: str) -> None:
    with pytest.raises(AttributeError, match="before reset"):
        _ = ludarium.make(name).game_state
    with pytest.raises(ValueError, match="reset"):
        ludarium.make_vec(name, num_envs=2).states()


def test_rejects_wrong_types(name: str) -> None:
    state = ludarium.load_game(name).new_initial_state(seed=1)
    for wrong in ("x", None, 3):
        with pytest.raises(TypeError, match="State"):
            ludarium.perft(wrong, 1)
        with pytest.raises(TypeError, match="State"):
            list(ludarium.turns(wrong))
    for depth in (-1, 1001, 2**63, 10**30, 1.0, "1"):
        with pytest.raises(ValueError, match="depth"):
            ludarium.perft(state, depth)
    vector = ludarium.make_vec(name, num_envs=2)
    for seed in (-1, 1.5, "x", np.array(1.5), True, [1, -1], [1, "x"]):
        with pytest.raises(ValueError, match="seed"):
            vector.reset(seed=seed)
    with pytest.raises(ValueError, match="options"):
        vector.reset(options=[1])
    with pytest.raises(TypeError, match="states"):
        vector.set_states(5)
    with pytest.raises(ValueError, match="illegal"):
        ludarium.make(name, illegal=np.array(["raise"]))


def test_an_invalid_seed_leaves_the_random_streams_unchanged(name: str) -> None:
    for options in walks_of(name).OPTIONS:
        one, two = (ludarium.make_vec(name, num_envs=2, seed=5, **options) for _ in "ab")
        one.reset()
        two.reset()
        with pytest.raises(ValueError, match="seed"):
            one.reset(seed=[7, -1])
        one.reset()
        two.reset()
        assert one.states() == two.states()
        np.testing.assert_array_equal(one.sample_actions(), two.sample_actions())


def test_single_agent_seeds(name: str) -> None:
    env = gymnasium.make(f"ludarium/{name.capitalize()}-v0").unwrapped
    for seed in (-1, "x", 1.5, True):
        with pytest.raises(ValueError, match="seed"):
            env.reset(seed=seed)
    first = env.reset(seed=np.int64(3))[0]
    np.testing.assert_array_equal(env.reset(seed=3)[0], first)


def test_reset_leaves_returned_batch_arrays_unchanged(name: str) -> None:
    vector = ludarium.make_vec(name, num_envs=64, seed=2, max_turns=6)
    vector.reset()
    while True:
        _, rewards, terminated, truncated, _ = vector.step(vector.sample_actions())
        if terminated.any() or truncated.any():
            break
    kept = [array.copy() for array in (rewards, terminated, truncated)]
    vector.reset()
    np.testing.assert_equal([rewards, terminated, truncated], kept)


def test_max_cycles_applies_from_the_next_reset(name: str) -> None:
    env = getattr(ludarium, name).parallel_env(max_turns=5)
    env.reset(seed=1)
    env.max_cycles = 7
    assert env.max_cycles == 7 and env.game.max_turns == 5
    env.set_game_state(env.game_state)
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed=-1)
    assert env.game.max_turns == 5
    env.reset(seed=1)
    assert env.game.max_turns == env.game_state.game.max_turns == 7


def test_only_a_closed_pipe_exits_with_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exit with another status, such as that of a signal, keeps its status."""

    def leave(*arguments: Any, **options: Any) -> None:
        raise SystemExit(143)

    monkeypatch.setattr("ludarium.cli.cli.main", leave)
    with pytest.raises(SystemExit) as left:
        main([])
    assert left.value.code == 143


def test_a_closed_pipe_exits_with_zero(name: str) -> None:
    assert shut_pipe("-m", "ludarium", "show", name, "--turns") == (0, "")
