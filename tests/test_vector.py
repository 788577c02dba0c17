"""Batches of games: equal to single ones, repeatable, and careful at the borders of episodes."""

from __future__ import annotations

import multiprocessing
import pickle
import threading
import tracemalloc
from typing import Any

import numpy as np
import pytest
from children import ends, play_batch
from gymnasium.vector import AutoresetMode
from lockstep import walks_of

import ludarium
from ludarium.environments.aec import AGENTS
from ludarium.environments.infos import REASONS

MODES = ("next_step", "same_step", "disabled")
N = 24


def option_sets(name: str) -> list[dict[str, Any]]:
    """Return the option sets that a game's walks try, and its defaults."""
    return [{}, *walks_of(name).OPTIONS]


def batch(name: str, **options: Any) -> Any:
    """Return a batch that was reset."""
    vector = ludarium.make_vec(name, **{"num_envs": N, "seed": 5, **options})
    vector.reset()
    return vector


# ---------------------------------------------------------------- the same as single games


def expect_equal(vector: Any, i: int, state: Any, planes: Any, mask: Any) -> None:
    """Game i shows what its state shows."""
    assert vector.current_player[i] == state.current_player()
    np.testing.assert_array_equal(mask[i], state.legal_actions_mask())
    np.testing.assert_array_equal(planes[i], state.observation_tensor())


def expect_info(info: Any, i: int, state: Any) -> None:
    """The numbers of game i are those of its state."""
    result = reason = -1
    if state.is_terminal():
        result = state.returns().index(1) if any(state.returns()) else 2
        reason = REASONS.index(
            "max_turns" if state.is_truncated() else "won" if result < 2 else "drawn"
        )
    stage = state.game.stages.index(state.stage())
    theirs = {"turn": state.turn_number(), "stage": stage, "result": result, "reason": reason}
    for key, value in theirs.items():
        assert info[key].dtype == np.int64 and info[key][i] == value, key
        assert info[f"_{key}"].dtype == np.bool_ and info[f"_{key}"][i]


@pytest.mark.parametrize("mode", MODES)
def test_lock_step_with_single_games(name: str, mode: str, rng: np.random.Generator) -> None:
    """Whole games, through their ends: observation, mask, rewards, flags, current player."""
    for options in option_sets(name):
        options = {"max_turns": 40, **options}
        game = ludarium.load_game(name, **options)
        vector = ludarium.make_vec(name, num_envs=N, seed=5, autoreset=mode, **options)
        obs, info = vector.reset()
        states = vector.states()
        ended = 0
        for _ in range(150):
            planes, mask = obs["observation"], obs["action_mask"]
            for i in range(N):
                expect_equal(vector, i, states[i], planes, mask)
                expect_info(info, i, states[i])
            actions = vector.sample_actions()
            was_over = [state.is_terminal() for state in states]
            obs, rewards, terminated, truncated, info = vector.step(actions)
            assert rewards.shape == (N, 2) and rewards.dtype == np.float32
            for i in range(N):
                if was_over[i]:
                    assert actions[i] == 0 and not rewards[i].any()
                    if mode == "next_step":
                        assert not terminated[i] and not truncated[i]
                        states[i] = vector._state(i)
                        assert states[i].turn_number() == vector_start_turn(game)
                    continue
                states[i].apply_action(actions[i])
                over = states[i].is_terminal()
                assert truncated[i] == states[i].is_truncated()
                assert terminated[i] == (over and not truncated[i])
                assert rewards[i].tolist() == states[i].returns()
                if over:
                    ended += 1
                if mode == "same_step":
                    assert ("_final_obs" in info and bool(info["_final_obs"][i])) == over
                    if over:
                        expect_info(info["final_info"], i, states[i])
                        last = info["final_obs"]["observation"][i]
                        np.testing.assert_array_equal(last, states[i].observation_tensor())
                        assert not info["final_obs"]["action_mask"][i].any()
                        states[i] = vector._state(i)
            if mode == "disabled" and all(s.is_terminal() for s in states):
                break
            if mode == "disabled" and rng.random() < 0.1:
                chosen = np.array([s.is_terminal() for s in states]) & (rng.random(N) < 0.7)
                obs, info = vector.reset(options={"reset_mask": chosen})
                for i in np.flatnonzero(chosen):
                    states[i] = vector._state(i)
        assert ended > N / 2


def vector_start_turn(game: Any) -> int:
    """Return the turn number at which games start."""
    return int(game.new_initial_state(seed=1).turn_number())


def test_single_game_with_the_same_seed(name: str) -> None:
    """Game i is seeded as a single game with seed + i."""
    for options in option_sets(name):
        vector = ludarium.make_vec(name, num_envs=5, seed=70, **options)
        vector.reset()
        for i, state in enumerate(vector.states()):
            env = ludarium.make(name, **options)
            env.reset(seed=70 + i)
            assert env.game_state == state


# ---------------------------------------------------------------- repeatable


def trajectory(vector: Any, steps: int = 120) -> list[Any]:
    """Return everything that a batch shows over some steps, in copies."""
    vector.reset()
    seen: list[Any] = []
    for _ in range(steps):
        actions = vector.sample_actions()
        obs, *rest, _ = vector.step(actions)
        seen.append([a.copy() for a in (*obs.values(), actions, *rest, vector.current_player)])
    return seen


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_trajectories_depend_on_the_seed_alone(name: str, mode: str) -> None:
    """Not on the number of games, threads, copies, nor on other games in the batch."""
    options = {"autoreset": mode, "max_turns": 30, **walks_of(name).OPTIONS[0]}
    whole = trajectory(ludarium.make_vec(name, num_envs=12, seed=9, **options))
    for change in ({"num_threads": 3}, {"copy": False}, {"num_threads": 2, "copy": False}):
        other = trajectory(ludarium.make_vec(name, num_envs=12, seed=9, **options, **change))
        np.testing.assert_equal(other, whole)
    part = trajectory(ludarium.make_vec(name, num_envs=5, seed=9, **options))
    np.testing.assert_equal(part, [[array[:5] for array in step] for step in whole])
    shifted = trajectory(ludarium.make_vec(name, num_envs=4, seed=11, **options))
    np.testing.assert_equal(shifted, [[array[2:6] for array in step] for step in whole])
    again = ludarium.make_vec(name, num_envs=12, seed=1, **options)
    trajectory(again, 7)
    again.reset(seed=9)
    again._reseed(9)
    np.testing.assert_equal(trajectory(again), whole)


def test_sampling_is_the_same_whenever_it_is_asked(name: str) -> None:
    """Drawn in the step or later, asked once or twice: one stream for each game."""
    first, second = batch(name), batch(name)
    first.sample_actions()
    second.sample_actions()
    actions = first.sample_actions()
    np.testing.assert_array_equal(second.sample_actions(), actions)
    first.step(actions)  # draws inside the step
    second.step(actions)
    second._ready = False  # as if it had not
    np.testing.assert_array_equal(first.sample_actions(), second.sample_actions())
    np.testing.assert_array_equal(first.sample_actions(), second.sample_actions())


def test_sampling_is_uniform_over_legal_actions(name: str) -> None:
    vector = ludarium.make_vec(name, num_envs=4000, seed=3)
    vector.reset()
    state = vector.states()[0]
    for _ in range(2):
        drawn = np.bincount(vector.sample_actions(), minlength=vector.game.num_distinct_actions)
        legal = state.legal_actions()
        assert drawn[legal].sum() == 4000
        expected = 4000 / len(legal)
        assert ((drawn[legal] - expected) ** 2 / expected).sum() < len(legal) + 6 * len(
            legal
        ) ** 0.5


# ---------------------------------------------------------------- spaces, states, copies


def test_spaces_and_attributes(name: str) -> None:
    vector = batch(name, num_envs=3)
    obs, info = vector.reset()
    assert list(obs) == ["observation", "action_mask"]
    assert info["action_mask"] is obs["action_mask"]
    assert vector.observation_space.contains(obs)
    assert list(vector.observation_space.spaces) == ["observation", "action_mask"]
    env = ludarium.make(name)
    assert vector.single_observation_space == env.observation_space("player_0")
    assert vector.single_action_space == env.action_space("player_0")
    assert vector.action_space.contains(vector.sample_actions())
    assert vector.num_envs == 3
    for mode in AutoresetMode:
        for spelling in (mode, mode.name, mode.name.lower(), mode.value, mode.value.lower()):
            vector = ludarium.make_vec(name, num_envs=1, autoreset=spelling)
            assert vector.metadata["autoreset_mode"] is mode
    vector.close()


def test_states_round_trip(name: str) -> None:
    vector = batch(name, max_turns=20)
    for _ in range(25):
        vector.step(vector.sample_actions())
    states = vector.states()
    assert any(s.is_terminal() for s in states) or len({s.to_string() for s in states}) > 1
    other = ludarium.make_vec(name, num_envs=N, seed=1, max_turns=20)
    obs = other.set_states(states)
    assert other.states() == states
    for i, state in enumerate(states):
        expect_equal(other, i, state, obs["observation"], obs["action_mask"])
    live = next(i for i, s in enumerate(states) if not s.is_terminal())
    states[live].apply_action(states[live].legal_actions()[0])
    assert vector.states()[live] != states[live], "states are independent"
    other.step(other.sample_actions())
    assert (other.current_player >= -1).all()


def test_copies_and_views(name: str) -> None:
    own, views = batch(name), batch(name, copy=False)
    kept = []
    for _ in range(12):
        actions = own.sample_actions()
        obs, *rest, _ = own.step(actions)
        kept.append((obs, rest, pickle.dumps((obs, rest))))
        view, *_ = views.step(actions)
        np.testing.assert_equal(view, obs)
    for obs, rest, frozen in kept:
        np.testing.assert_equal((obs, rest), pickle.loads(frozen))
    obs["action_mask"][:] = 1  # the caller's own
    own.step(own.sample_actions())
    first = views.reset()[0]
    second = views.step(views.sample_actions())[0]
    assert all(np.shares_memory(first[k], second[k]) for k in first)


def test_pickled_batches_go_on(name: str) -> None:
    vector = batch(name, num_threads=2)
    vector.step(vector.sample_actions())
    other = pickle.loads(pickle.dumps(vector))
    for _ in range(20):
        actions = vector.sample_actions()
        np.testing.assert_array_equal(other.sample_actions(), actions)
        np.testing.assert_equal(other.step(actions), vector.step(actions))


# ---------------------------------------------------------------- bad input


def test_bad_options(name: str) -> None:
    wrong: list[dict[str, Any]] = [
        {"num_envs": 0},
        {"num_envs": -3},
        {"num_envs": 2.0},
        {"num_threads": 0},
        {"autoreset": "later"},
        {"autoreset": 1},
        {"render_mode": "human"},
        {"render_size": 100},
        {"illegal": "ignore"},
        {"copy": 2},
        {"seed": -1},
        {"seed": "x"},
        {"max_turns": 0},
        {"boards": 3},
    ]
    for options in wrong:
        key = next(iter(options))
        with pytest.raises((ValueError, TypeError), match=key):
            ludarium.make_vec(name, **{"num_envs": 2, **options})
    with pytest.raises(ValueError, match="3 seeds for 2 games"):
        ludarium.make_vec(name, num_envs=2).reset(seed=[1, 2, 3])
    for mask in ([1, 0], np.ones(3, bool), "yes"):
        with pytest.raises(ValueError, match="reset_mask"):
            ludarium.make_vec(name, num_envs=2).reset(options={"reset_mask": mask})
    with pytest.raises(ValueError, match=r"reset\(\)"):
        ludarium.make_vec(name, num_envs=2).step([0, 0])
    with pytest.raises(ValueError, match=r"reset\(\)"):
        ludarium.make_vec(name, num_envs=2).sample_actions()


def test_bad_actions_change_nothing(name: str) -> None:
    for mode in ("terminate", "raise", "penalize"):
        vector = batch(name, illegal=mode)
        vector.step(vector.sample_actions())
        before = [state.to_string() for state in vector.states()]
        good, last = vector.sample_actions(), vector.game.num_distinct_actions
        wrong = [good[:-1], np.append(good, 0), good.reshape(1, -1), good.astype(float), good > 0]
        wrong += ["actions", None]
        for actions in wrong:
            with pytest.raises(ValueError, match="actions"):
                vector.step(actions)
        for number in (-1, last, 10**12):
            actions = good.copy()
            actions[[2, 7]] = number
            with pytest.raises(ludarium.IllegalActionError, match=f"games 2, 7: action {number}"):
                vector.step(actions)
        assert [state.to_string() for state in vector.states()] == before
        vector.step(good.astype(np.int32))
        vector.step([int(a) for a in vector.sample_actions()])


@pytest.mark.parametrize("autoreset", MODES)
def test_an_illegal_action_in_one_game_of_many(name: str, autoreset: str) -> None:
    for mode in ("terminate", "raise", "penalize"):
        vector, plain = (batch(name, illegal=m, autoreset=autoreset) for m in (mode, "terminate"))
        for _ in range(3):
            actions = vector.sample_actions()
            vector.step(actions)
            plain.step(plain.sample_actions())
        masks = plain.states()[4].legal_actions_mask()
        actions = vector.sample_actions()
        bad = actions.copy()
        bad[4] = np.flatnonzero(masks == 0)[0]
        before, mover = vector.states(), vector.current_player[4]
        if mode == "raise":
            with pytest.raises(ludarium.IllegalActionError, match="game 4: action"):
                vector.step(bad)
            assert vector.states() == before
            vector.step(actions)
            continue
        obs, rewards, terminated, truncated, info = vector.step(bad)
        expected = plain.step(actions)
        others = np.arange(N) != 4
        for mine, theirs in zip((rewards, terminated, truncated), expected[1:4], strict=True):
            np.testing.assert_array_equal(mine[others], theirs[others])
        assert rewards[4, mover] == -1 and rewards[4, 1 - mover] == 0 and not truncated[4]
        assert terminated[4] == (mode == "terminate")
        if mode == "penalize":
            assert vector.states()[4] == before[4]
            np.testing.assert_array_equal(obs["action_mask"][4], masks)
        elif autoreset == "same_step":
            np.testing.assert_array_equal(info["_final_obs"], terminated | truncated)
            assert vector.states()[4].history() == [] and obs["action_mask"][4].any()
        else:
            assert vector.current_player[4] == -1 and not obs["action_mask"][4].any()


@pytest.mark.parametrize("autoreset", MODES)
def test_penalized_games_end(name: str, autoreset: str, rng: np.random.Generator) -> None:
    """Refused actions count with the played ones, as in the single environment."""
    options = {"illegal": "penalize", "max_turns": 3}
    vector = ludarium.make_vec(name, num_envs=4, seed=3, autoreset=autoreset, **options)
    obs, info = vector.reset()
    singles = [ludarium.make(name, **options) for _ in range(4)]
    for env, state in zip(singles, vector.states(), strict=True):
        env.set_game_state(state)
    limit = vector.game.max_game_length
    for step in range(limit):
        legal = np.array([False, step == 0, step == limit - 1, step % 2 == 1])
        actions = np.array(
            [rng.choice(np.flatnonzero(obs["action_mask"][i] == legal[i])) for i in range(4)]
        )
        obs, rewards, terminated, truncated, info = vector.step(actions)
        for i, env in enumerate(singles):
            env.step(int(actions[i]))
            assert rewards[i].tolist() == list(env.rewards.values())
            assert truncated[i] == env.truncations[AGENTS[0]]
            assert terminated[i] == env.terminations[AGENTS[0]]
            ended = truncated[i] or terminated[i]
            shown = info["final_info"] if ended and autoreset == "same_step" else info
            for key in ("turn", "stage", "result", "reason"):
                assert shown[key][i] == env.infos[AGENTS[0]][key]
    assert truncated[[0, 1, 2]].all() and not terminated[[0, 1, 2]].any()
    assert [REASONS[k] for k in shown["reason"][:3]] == ["max_game_length"] * 3
    if autoreset != "same_step":
        assert (vector.current_player[:3] == -1).all() and not obs["action_mask"][:3].any()
        vector.step(np.zeros(4, int))
    running = autoreset != "disabled"
    assert (vector.current_player[:3] >= 0).all() == running


def test_pictures_of_batches(name: str) -> None:
    """One picture for each game, of its state; without a mode there is none."""
    vector = batch(name, num_envs=3, render_mode="rgb_array", render_size=128)
    vector.step(vector.sample_actions())
    assert vector.render_mode == "rgb_array"
    assert vector.metadata["render_modes"] == ["rgb_array"] and vector.metadata["render_fps"] > 0
    frames = vector.render()
    assert isinstance(frames, tuple) and len(frames) == 3
    for frame, state in zip(frames, vector.states(), strict=True):
        np.testing.assert_array_equal(frame, state.render("rgb_array", 128))
    plain = batch(name, num_envs=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert plain.render() is None
    with pytest.raises(ValueError, match=r"reset\(\)"):
        ludarium.make_vec(name, render_mode="rgb_array").render()


def test_the_seed_is_remembered(name: str) -> None:
    vector = ludarium.make_vec(name, num_envs=3, seed=5)
    assert vector.np_random_seed == 5
    vector.reset(seed=7)
    assert vector.np_random_seed == 7
    vector.np_random.integers(3)
    vector.reset()
    assert vector.np_random_seed == 7
    vector.reset(seed=[4, 5, 9])
    assert vector.np_random_seed == (4, 5, 9)


def test_the_batch_can_be_used_after_close(name: str) -> None:
    vector = batch(name, num_envs=4, num_threads=2, render_mode="rgb_array", render_size=128)
    for _ in range(2):
        vector.step(vector.sample_actions())
        assert len(vector.render()) == 4
        pool = vector._pool
        vector.close()
        vector.close()
        assert vector._pool is None and pool._shutdown, "the threads are stopped each time"
    vector.reset(seed=1)
    vector.close()


# ---------------------------------------------------------------- processes, threads, memory


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_processes(name: str, method: str) -> None:
    """A child plays the same games, forked with threads alive or spawned."""
    expected = ends(ludarium.make_vec(name, num_envs=40, seed=4, num_threads=2))
    context: Any = multiprocessing.get_context(method)
    results = context.Queue()
    child = context.Process(target=play_batch, args=(name, results))
    child.start()
    assert results.get(timeout=120) == expected
    child.join()
    assert child.exitcode == 0


def test_batches_in_threads_do_not_disturb_each_other(name: str) -> None:
    options = option_sets(name)[-2:]
    expected = [trajectory(ludarium.make_vec(name, num_envs=6, seed=2, **o)) for o in options]
    found: dict[int, Any] = {}

    def run(k: int) -> None:
        found[k] = trajectory(ludarium.make_vec(name, num_envs=6, seed=2, **options[k % 2]))

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in range(4):
        np.testing.assert_equal(found[k], expected[k % 2])


def test_memory_does_not_grow(name: str) -> None:
    vector = batch(name, num_envs=256)
    for _ in range(20):
        vector.step(vector.sample_actions())
    tracemalloc.start()
    try:
        vector.step(vector.sample_actions())
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(400):
            vector.step(vector.sample_actions())
        assert tracemalloc.get_traced_memory()[0] - before < 100_000
    finally:
        tracemalloc.stop()
