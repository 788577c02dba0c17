"""The single-agent environment and its vector form, for every game."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import ludarium

IDS = {name: f"ludarium:ludarium/{name.capitalize()}-v0" for name in ludarium.list_games()}
SHORT = 12  # turns of a short game


def single(name: str, **options: Any) -> Any:
    """Make the single-agent environment without Gymnasium's wrappers."""
    return gymnasium.make(IDS[name], **options).unwrapped


def batch(name: str, num_envs: int, **options: Any) -> Any:
    """Make its vector form."""
    mode = "vector_entry_point"
    return gymnasium.make_vec(IDS[name], num_envs, vectorization_mode=mode, **options)


def pick(observation: dict[str, Any]) -> int:
    """Answer a legal action that follows from what is seen: a policy without chance."""
    legal = np.flatnonzero(observation["action_mask"])
    planes = observation["observation"].reshape(-1)
    return int(legal[int(np.flatnonzero(planes).sum()) % len(legal)])


class Picker:
    """The same as an agent, asked state by state."""

    name = "picker"

    def select_action(self, state: Any, rng: Any) -> int:
        return pick(
            {"observation": state.observation_tensor(), "action_mask": state.legal_actions_mask()}
        )


class BatchPicker(Picker):
    """The same, asked for many states at once."""

    def select_actions(self, observations: Any, rng: Any) -> Any:
        rows = zip(observations["observation"], observations["action_mask"], strict=True)
        return np.array([pick({"observation": o, "action_mask": m}) for o, m in rows])


class Cheat:
    """Answers an action that is not legal after some good ones."""

    name = "cheat"

    def __init__(self, honest: int = 2) -> None:
        self.honest = honest

    def select_action(self, state: Any, rng: Any) -> int:
        self.honest -= 1
        if self.honest >= 0:
            return state.legal_actions()[0]
        return int(np.flatnonzero(state.legal_actions_mask() == 0)[0])


def episode(env: Any, choose: Any, seed: int | None = None) -> tuple[float, dict[str, Any], list]:
    """Play one game; returns the return, the last info and all observations."""
    observation, info = env.reset(seed=seed)
    seen, total, over = [observation], 0.0, False
    while not over:
        observation, reward, terminated, truncated, info = env.step(choose(env, info))
        assert not (reward and not (terminated or truncated))
        seen.append(observation)
        total, over = total + reward, terminated or truncated
    return total, info, seen


def uniform(seed: int) -> Any:
    """Return a learner that chooses legal actions uniformly."""
    rng = np.random.default_rng(seed)
    return lambda env, info: int(rng.choice(np.flatnonzero(info["action_mask"])))


# ---------------------------------------------------------------- ids


def test_ids_need_no_import(name: str) -> None:
    code = f"import gymnasium; print(gymnasium.make({IDS[name]!r}).reset(seed=1)[1]['seat'])"
    out = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True
    )
    assert out.returncode == 0, out.stderr
    assert out.stdout.strip() in ("0", "1")


def test_registering_twice_changes_nothing() -> None:
    from ludarium.registration import register_with_gymnasium

    before = dict(gymnasium.registry)
    register_with_gymnasium()
    assert dict(gymnasium.registry) == before


def test_async_workers_find_the_id(name: str) -> None:
    env = gymnasium.make_vec(
        IDS[name], 2, vectorization_mode="async", vector_kwargs={"context": "spawn"}
    )
    _, info = env.reset(seed=3)
    actions = [int(np.flatnonzero(mask)[0]) for mask in info["action_mask"]]
    assert env.step(np.array(actions))[1].shape == (2,)
    env.close()


# ---------------------------------------------------------------- checks of others


@pytest.mark.parametrize("observation", ["planes", "flat", "dict"])
def test_gymnasiums_checker(name: str, observation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    check_env(single(name, observation=observation))  # warnings are errors


# ---------------------------------------------------------------- results


def test_returns_equal_those_of_the_aec_game_replayed(name: str) -> None:
    """And the loser gets -1, whoever ended the game (tianshou 399, PettingZoo 1147)."""
    env, aec = single(name, opponent=["random", "greedy"]), ludarium.make(name)
    counts = {-1.0: 0, 0.0: 0, 1.0: 0}
    ended_by_opponent = 0
    for game in range(40):
        total, info, seen = episode(env, uniform(game), seed=game)
        state = env.game_state
        aec.set_game_state(state._at_start())
        sums = dict.fromkeys(aec.possible_agents, 0.0)
        mover = -1
        for action in state.history():
            mover = int(aec.agent_selection[-1])
            aec.step(action)
            for agent in aec.possible_agents:
                sums[agent] += aec.rewards[agent]
        assert aec.game_state == state
        assert total == sums[f"player_{info['seat']}"] == info["result"][info["seat"]]
        assert info["result"] == tuple(state.returns())
        assert np.array_equal(seen[-1], aec.observe(f"player_{info['seat']}")["observation"])
        assert not info["action_mask"].any()
        counts[total] += 1
        ended_by_opponent += total < 0 and mover != info["seat"]
    assert counts[-1.0] > 5
    assert ended_by_opponent > 0
    assert counts[-1.0] + counts[0.0] + counts[1.0] == 40


def test_what_one_wins_the_other_loses(name: str) -> None:
    """The same game from the other chair, the former learner's actions read out by a policy."""
    for seat in (0, 1):
        ours = single(name, opponent=Picker(), seat=seat)
        total, _, _ = episode(ours, uniform(5), seed=5)
        start, spoken = ours.game_state._at_start(), {0: [], 1: []}
        for action in ours.game_state.history():
            spoken[start.current_player()].append(action)
            start.apply_action(action)
        script = iter(spoken[seat])
        theirs = single(name, opponent=lambda _, lines=script: next(lines), seat=1 - seat)
        theirs.reset(seed=5)
        assert sum(theirs.step(action)[1] for action in spoken[1 - seat]) == -total != 0
        assert theirs.game_state == ours.game_state


def test_truncation(name: str) -> None:
    env = single(name, max_turns=4, opponent="random")
    total, info, _ = episode(env, uniform(1), seed=1)
    assert (total, info["reason"], info["turn"]) == (0.0, "max_turns", 4)
    assert info["result"] == (0.0, 0.0)


def test_a_game_that_the_opponent_ends_before_the_learner_acts(name: str) -> None:
    env = single(name, max_turns=1, seat=1)
    _, info = env.reset(seed=0)
    assert not info["action_mask"].any()
    _, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated, info["reason"]) == (0.0, False, True, "max_turns")
    many = batch(name, 3, max_turns=1, seat=1)
    _, info = many.reset(seed=0)
    assert not info["action_mask"].any()
    _, rewards, terminated, truncated, info = many.step(np.zeros(3, int))
    assert truncated.all() and not terminated.any() and not rewards.any()
    assert info["reason"].tolist() == ["max_turns"] * 3


# ---------------------------------------------------------------- repeatability and copies


def test_seeds_repeat(name: str) -> None:
    """PettingZoo 558 and 1223."""
    runs = [
        episode(single(name, opponent="random"), uniform(3), seed=seed)[2] for seed in (7, 7, 8)
    ]
    assert len(runs[0]) == len(runs[1])
    assert all(np.array_equal(a, b) for a, b in zip(runs[0], runs[1], strict=True))
    assert len(runs[0]) != len(runs[2]) or any(
        not np.array_equal(a, b) for a, b in zip(runs[0], runs[2], strict=True)
    )


def test_seats_are_drawn_and_fixed(name: str) -> None:
    env = single(name)
    env.reset(seed=0)
    assert {env.reset()[1]["seat"] for _ in range(20)} == {0, 1}
    for seat in (0, 1):
        assert {single(name, seat=seat).reset(seed=s)[1]["seat"] for s in range(5)} == {seat}


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_in_the_middle_of_a_game(name: str, copied: Any) -> None:
    """Gymnasium 737, PettingZoo 1307."""
    env, choose, compared = single(name, opponent="random"), uniform(1), 0
    for seed in range(5):
        _, info = env.reset(seed=seed)
        *_, info = env.step(choose(env, info))
        twin = copied(env)
        while info["action_mask"].any():
            action = choose(env, info)
            *_, info = env.step(action)
            twin.step(action)
            assert twin.game_state == env.game_state
            compared += 1
    assert compared > 10
    assert twin.game_state.history() == env.game_state.history()


def test_an_opponent_that_cannot_be_pickled_is_named(name: str) -> None:
    """sb3-contrib 49."""

    def local_policy(observation: Any) -> int:
        return pick(observation)

    env = single(name, opponent=local_policy)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="'local_policy' cannot be pickled"):
        pickle.dumps(env)
    many = batch(name, 2, opponent=local_policy)
    with pytest.raises(ValueError, match="'local_policy' cannot be pickled"):
        pickle.dumps(many)
    assert copy.deepcopy(env).game_state == env.game_state


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"opponent": "greeedy"}, ValueError, "greeedy"),
        ({"opponent": 3}, TypeError, "opponent"),
        ({"opponent": []}, ValueError, "at least one"),
        ({"opponent": {"random": -1}}, ValueError, "weight"),
        ({"opponent": {"random": 0}}, ValueError, "weights"),
        ({"seat": 2}, ValueError, "seat=2"),
        ({"seat": True}, ValueError, "seat=True"),
        ({"observation": "image"}, ValueError, "observation='image'"),
        ({"illegal": "ignore"}, ValueError, "illegal='ignore'"),
        ({"colour": 1}, ValueError, "colour"),
        ({"max_turns": 0}, ValueError, "max_turns=0"),
    ],
)
def test_bad_options(name: str, options: Any, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        single(name, **options)
    with pytest.raises(error, match=message):
        batch(name, 2, **options)


def test_bad_options_of_one_form(name: str) -> None:
    with pytest.raises(ValueError, match="render_mode='film'"):
        single(name, render_mode="film")
    with pytest.raises(ValueError, match="autoreset='never'"):
        batch(name, 2, autoreset="never")
    with pytest.raises(ValueError, match="num_envs=0"):
        batch(name, 0)


def test_order_of_calls(name: str) -> None:
    env = single(name)
    for call in (env.action_masks, lambda: env.step(0), env.render, lambda: env.game_state):
        with pytest.raises(ValueError, match="reset"):
            call()
    episode(env, uniform(0), seed=0)
    with pytest.raises(ValueError, match="over"):
        env.step(0)
    many = batch(name, 2)
    for call in (many.sample_actions, lambda: many.step([0, 0])):
        with pytest.raises(ValueError, match="reset"):
            call()


@pytest.mark.parametrize("illegal", ["terminate", "raise", "penalize"])
def test_illegal_actions(name: str, illegal: str) -> None:
    env, many = single(name, illegal=illegal, seat=0), batch(name, 3, illegal=illegal, seat=0)
    _, info = env.reset(seed=0)
    many.reset(seed=0)
    before = env.game_state
    bad = int(np.flatnonzero(info["action_mask"] == 0)[0])
    good = int(np.flatnonzero(info["action_mask"])[0])
    for wrong in (-1, len(info["action_mask"]), None, "a"):
        with pytest.raises(ludarium.IllegalActionError):
            env.step(wrong)
    assert env.game_state == before
    if illegal == "raise":
        with pytest.raises(ludarium.IllegalActionError, match="legal:"):
            env.step(bad)
        with pytest.raises(ludarium.IllegalActionError, match="game 1:"):
            many.step([good, bad, good])
        assert env.game_state == before
        assert many.states() == [before] * 3
        return
    _, reward, terminated, truncated, info = env.step(bad)
    _, rewards, terminations, truncations, infos = many.step([good, bad, good])
    assert (reward, truncated, terminated) == (-1.0, False, illegal == "terminate")
    assert rewards.tolist() == [0, -1, 0]
    assert terminations.tolist() == [False, illegal == "terminate", False]
    assert not truncations.any()
    assert env.game_state == many.states()[1] == before
    if illegal == "terminate":
        assert info["reason"] == infos["reason"][1] == "illegal"
        assert info["result"] == tuple(infos["result"][1]) == (-1.0, 0.0)
        assert not infos["action_mask"][1].any()
    else:
        assert infos["action_mask"][1][good]


def test_an_opponent_that_answers_illegally_is_named(name: str) -> None:
    env = single(name, opponent=Cheat(), seat=0)
    _, info = env.reset(seed=0)
    with pytest.raises(ludarium.IllegalActionError, match="opponent 'cheat' answered"):
        for _ in range(10):
            before = env.game_state
            *_, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
    assert env.game_state == before
    many = batch(name, 2, opponent=Cheat(4), seat=0)
    _, info = many.reset(seed=0)
    with pytest.raises(ludarium.IllegalActionError, match="opponent 'cheat' answered"):
        for _ in range(10):
            states = many.states()
            *_, info = many.step(info["action_mask"].argmax(1))
    assert many.states() == states
    assert np.array_equal(many.action_masks(), [s.legal_actions_mask() for s in states])


# ---------------------------------------------------------------- the vector form


@pytest.mark.parametrize("observation", ["planes", "flat", "dict"])
@pytest.mark.parametrize(
    "opponent", [Picker(), BatchPicker(), pick], ids=["one", "batch", "policy"]
)
def test_vector_equals_single(name: str, opponent: Any, observation: str) -> None:
    """Without chance the batch plays what single environments play."""
    options = {"opponent": opponent, "observation": observation, "max_turns": SHORT}
    for seat in (0, 1):
        env, many = single(name, seat=seat, **options), batch(name, 3, seat=seat, **options)
        if many.game.options.get("setup") == "random":
            continue
        one, info = env.reset(seed=0)
        seen, infos = many.reset(seed=0)
        for step in range(3 * SHORT):
            for row in range(3):
                mine = seen if observation != "dict" else seen["observation"]
                theirs = one if observation != "dict" else one["observation"]
                assert np.array_equal(mine[row], theirs)
                assert np.array_equal(infos["action_mask"][row], info["action_mask"])
                assert infos["seat"][row] == info["seat"]
            legal = np.flatnonzero(info["action_mask"])
            action = int(legal[step % len(legal)]) if len(legal) else 0
            if not len(legal):  # over: next_step starts anew on this step
                one, info = env.reset()
                seen, rewards, terminated, truncated, infos = many.step(np.zeros(3, int))
                assert not (rewards.any() or terminated.any() or truncated.any())
                continue
            one, reward, ended, cut, info = env.step(action)
            seen, rewards, terminated, truncated, infos = many.step([action] * 3)
            assert rewards.tolist() == [reward] * 3
            assert terminated.tolist() == [ended] * 3
            assert truncated.tolist() == [cut] * 3
            if ended or cut:
                assert infos["reason"].tolist() == [info["reason"]] * 3
                assert [tuple(row) for row in infos["result"]] == [info["result"]] * 3


@pytest.mark.parametrize("opponent", ["random", "greedy", ["random", "greedy", Picker()]])
def test_replies_in_the_batch_are_legal_turns(name: str, opponent: Any) -> None:
    """Each state that the learner sees is one legal turn of the opponent away."""
    many = batch(name, 8, opponent=opponent, autoreset="disabled")
    many.reset(seed=11)
    checked = 0
    for _ in range(6):
        before, actions = many.states(), many.sample_actions()
        _, rewards, terminated, truncated, info = many.step(actions)
        for row, after in enumerate(many.states()):
            if before[row].is_terminal():
                continue
            state = before[row].child(int(actions[row]))
            seat = int(info["seat"][row])
            if not state.is_terminal() and state.current_player() != seat:
                assert after in [end for _, end in ludarium.turns(state)]
                checked += 1
            else:
                assert after == state
            over = after.is_terminal()
            assert rewards[row] == (after.returns()[seat] if over else 0)
            assert truncated[row] == after.is_truncated()
            assert (terminated[row] or truncated[row]) == over
    assert checked > 10


def test_autoreset_modes(name: str) -> None:
    """The three modes play the same games from the same seeds and choices of the learner."""
    results = {}
    for mode in ("next_step", "same_step", "disabled"):
        many = batch(name, 4, autoreset=mode, max_turns=SHORT, seat=0)
        assert many.metadata["autoreset_mode"] in (mode, getattr(_modes(), mode.upper(), None))
        seen, info = many.reset(seed=2)
        games: list[list[tuple[bytes, float]]] = [[] for _ in range(4)]
        for _ in range(40):
            waiting = ~info["action_mask"].any(1)
            if mode == "disabled" and waiting.any():
                seen, info = many.reset(options={"reset_mask": waiting})
                waiting[:] = False
            seen, rewards, terminated, truncated, info = many.step(info["action_mask"].argmax(1))
            over = terminated | truncated
            if mode == "same_step":
                assert info["action_mask"].any(1).all()
                assert over.any() == ("final_obs" in info)
                if over.any():
                    assert np.array_equal(info["_final_obs"], over)
                    assert np.array_equal(info["final_info"]["_result"], over)
            else:
                assert np.array_equal(~info["action_mask"].any(1), over)
                assert over.any() == ("result" in info)
            last = info["final_obs"] if mode == "same_step" and over.any() else seen
            for row in range(4):
                assert not (waiting[row] and (rewards[row] or over[row]))
                if over[row]:
                    games[row].append((last[row].tobytes(), float(rewards[row])))
        results[mode] = games
    for row in range(4):
        lists = [results[mode][row] for mode in results]
        shortest = min(map(len, lists))
        assert shortest >= 2
        assert lists[0][:shortest] == lists[1][:shortest] == lists[2][:shortest]


def _modes() -> Any:
    return getattr(gymnasium.vector, "AutoresetMode", None)


def test_disabled_waits(name: str) -> None:
    many = batch(name, 3, autoreset="disabled", max_turns=2, seat=0)
    _, info = many.reset(seed=0)
    for _ in range(4):
        _, _, _, truncated, info = many.step(info["action_mask"].argmax(1))
    assert truncated.all()
    before = many.states()
    _, rewards, _, truncated, info = many.step([0, 0, 0])
    assert truncated.all() and not rewards.any() and many.states() == before
    assert "result" not in info
    only = np.array([True, False, False])
    many.reset(options={"reset_mask": only})
    assert [state.is_terminal() for state in many.states()] == [False, True, True]


def test_the_batch_repeats_and_threads_change_nothing(name: str) -> None:
    runs = []
    for threads, copied in ((1, True), (2, True), (1, False)):
        many = batch(name, 5, opponent={"random": 1, "greedy": 1}, num_threads=threads, copy=copied)
        many.reset(seed=9)
        trace = []
        for _ in range(30):
            seen, rewards, *_, info = many.step(many.sample_actions())
            trace.append((seen.tobytes(), rewards.tobytes(), info["action_mask"].tobytes()))
        runs.append(trace)
        many.close()
    assert runs[0] == runs[1] == runs[2]


def test_observations_are_the_callers_own(name: str) -> None:
    many = batch(name, 2, seat=0)
    seen, info = many.reset(seed=0)
    kept = seen.copy(), info["action_mask"].copy()
    many.step(many.sample_actions())
    assert np.array_equal(seen, kept[0]) and np.array_equal(info["action_mask"], kept[1])


def test_mixtures_draw_by_weight_and_can_be_changed(name: str) -> None:
    many = batch(name, 64, opponent={"random": 3, "greedy": 1}, max_turns=4, autoreset="same_step")
    many.reset(seed=0)

    def opponents(steps: int) -> list[str]:
        found = []
        for _ in range(steps):
            info = many.step(many.sample_actions())[-1]
            if "final_info" in info:
                rows = info["_final_info"]
                found += info["final_info"]["opponent"][rows].tolist()
        return found

    drawn = opponents(30)
    share = drawn.count("greedy") / len(drawn)
    assert len(drawn) > 200 and 0.15 < share < 0.35
    many.set_opponent(Picker())
    opponents(6)  # the old games end
    assert set(opponents(6)) == {"picker"}
    with pytest.raises(ValueError, match="greeedy"):
        many.set_opponent("greeedy")
    assert set(opponents(6)) == {"picker"}


def test_gymnasiums_wrappers_take_the_batch(name: str) -> None:
    many = gymnasium.wrappers.vector.RecordEpisodeStatistics(batch(name, 4, max_turns=4))
    many.reset(seed=0)
    found = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(12):
            info = many.step(many.unwrapped.sample_actions())[-1]
            found += int(info.get("_episode", np.zeros(4)).sum())
    assert found >= 4
