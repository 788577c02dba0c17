"""The single-agent environment and its vector form, for every game."""

from __future__ import annotations

import contextlib
import copy
import pickle
import subprocess
import sys
import types
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from PIL import Image
from test_video import frames_of

import ludarium
from ludarium.environments.infos import REASONS, RESULTS
from ludarium.single_agent.layout import NUMBERS

IDS = {name: f"ludarium:ludarium/{name.capitalize()}-v0" for name in ludarium.list_games()}
SHORT = 12  # turns of a short game


def single(name: str, **options: Any) -> Any:
    """Make the single-agent environment without Gymnasium's wrappers."""
    return gymnasium.make(IDS[name], **options).unwrapped


def first_legal(info: dict[str, Any]) -> Any:
    """Return the first legal action of each game of a batch, 0 where it is over."""
    return info["action_mask"].argmax(1)


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


@pytest.mark.parametrize("variant", ["", "-flat"])
def test_checker_of_stable_baselines3(name: str, variant: str) -> None:
    """It takes planes for an image, and warns of nothing else; of flat observations, of nothing."""
    from stable_baselines3.common import env_checker as checker

    env = gymnasium.make(IDS[name].replace("-v", f"{variant}-v")).unwrapped
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        checker.check_env(env)
    assert all("is an image" in str(w.message) or "36x36" in str(w.message) for w in caught)
    assert bool(caught) == (variant == "")


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
        assert total == sums[f"player_{info['seat']}"] == state.returns()[info["seat"]]
        assert info["result"] == (state.returns().index(1) if any(state.returns()) else 2)
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
    assert (total, REASONS[info["reason"]], info["turn"]) == (0.0, "max_turns", 4)
    assert RESULTS[info["result"]] == "nobody has won"


def test_a_game_that_the_opponent_ends_before_the_learner_acts(name: str) -> None:
    env = single(name, max_turns=1, seat=1)
    _, info = env.reset(seed=0)
    assert not info["action_mask"].any()
    _, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert REASONS[info["reason"]] == "max_turns"
    many = batch(name, 3, max_turns=1, seat=1)
    _, info = many.reset(seed=0)
    assert not info["action_mask"].any()
    _, rewards, terminated, truncated, info = many.step(np.zeros(3, int))
    assert truncated.all() and not terminated.any() and not rewards.any()
    assert info["reason"].tolist() == [REASONS.index("max_turns")] * 3


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
        ({"render_size": 3}, ValueError, "render_size=3"),
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
    with pytest.raises(ValueError, match="render_mode='film'"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Gymnasium's, of the unknown mode
        single(name, render_mode="film")
    with pytest.raises(ValueError, match="render_mode='ansi'"):
        batch(name, 2, render_mode="ansi")
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
        assert REASONS[info["reason"]] == "illegal"
        assert infos["reason"].tolist() == [-1, info["reason"], -1]
        assert infos["result"].tolist() == [-1, info["result"], -1]
        assert RESULTS[info["result"]] == "nobody has won"
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
                assert {key: infos[key][row] for key in NUMBERS} == {k: info[k] for k in NUMBERS}
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
                assert np.array_equal(info["result"] >= 0, over)
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
    assert info["reason"].tolist() == [REASONS.index("max_turns")] * 3  # repeated while it waits
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
                found += [many.opponents[k] for k in info["final_info"]["opponent"][rows]]
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


# ---------------------------------------------------------------- infos


@pytest.mark.parametrize("autoreset", ["NextStep", "SameStep", "Disabled"])
def test_infos_of_both_batches_are_alike(name: str, autoreset: str) -> None:
    """The fast batch and Gymnasium's own give the same keys, dtypes and shapes, step by step.

    Without chance they give the same numbers too.
    """
    options = {"opponent": Picker(), "seat": 0, "max_turns": 5, "illegal": "penalize"}
    fast = batch(name, 3, autoreset=autoreset, **options)
    sync = gymnasium.make_vec(IDS[name], 3, "sync", {"autoreset_mode": autoreset}, **options)
    infos = fast.reset(seed=1)[1], sync.reset(seed=1)[1]
    ends, over = 0, np.zeros(3, bool)
    same(*infos)
    for step in range(24):
        if autoreset == "Disabled" and over.any():
            infos = tuple(v.reset(options={"reset_mask": over.copy()})[1] for v in (fast, sync))
            assert set(infos[0]) == set(infos[1])  # Gymnasium's has values of these games only
        actions = first_legal(infos[0])
        if step % 4 == 3:
            actions[1] = infos[0]["action_mask"][1].argmin()
        infos = fast.step(actions), sync.step(actions)
        assert np.array_equal(infos[0][1], infos[1][1])
        over = infos[0][2] | infos[0][3]
        ends += int(over.sum())
        infos = infos[0][4], infos[1][4]
        same(*infos)
    assert ends >= 3


def same(ours: Any, theirs: Any) -> None:
    """Both infos have the same keys, dtypes, shapes and values."""
    assert set(ours) == set(theirs)
    for key, value in ours.items():
        if isinstance(value, dict):
            same(value, theirs[key])
        elif key != "final_obs":  # Gymnasium's is an array of objects
            assert value.dtype == theirs[key].dtype, key
            assert np.array_equal(value, theirs[key]), key
            assert value.dtype.kind in "biu"


def test_infos_have_the_same_keys_at_every_step(name: str) -> None:
    """Ints and the mask, nothing else; from the first to the last step."""
    env = single(name, opponent=("random", "greedy"), max_turns=SHORT)
    assert env.opponents == ("random", "greedy")
    drawn = set()
    for seed in range(12):
        _, info = env.reset(seed=seed)
        over, steps = False, 0
        while True:
            assert list(info) == ["action_mask", *NUMBERS]
            assert all(type(info[key]) is int for key in NUMBERS)
            assert over == (info["result"] >= 0) == (info["reason"] >= 0)
            assert info["length"] == steps and 0 <= info["stage"] < len(env.game.stages)
            drawn.add(info["opponent"])
            if over:
                break
            *_, terminated, truncated, info = env.step(uniform(seed)(env, info))
            over, steps = terminated or truncated, steps + 1
    assert drawn == {0, 1}


# ---------------------------------------------------------------- penalize ends


@pytest.mark.parametrize("autoreset", ["next_step", "same_step", "disabled"])
def test_penalized_games_end(name: str, autoreset: str) -> None:
    """Refused actions count with the played ones; single and batch alike."""
    options = {"opponent": Picker(), "seat": 0, "illegal": "penalize", "max_turns": 4}
    env, many = single(name, **options), batch(name, 2, autoreset=autoreset, **options)
    limit = env.game.max_game_length
    for played in (0, 1):
        _, info = env.reset(seed=1)
        _, infos = many.reset(seed=1)
        for step in range(limit):
            assert info["reason"] == -1 and infos["reason"].tolist() != [4, 4]
            legal = step >= limit - played
            action = int(np.flatnonzero(info["action_mask"] == legal)[0])
            _, reward, terminated, truncated, info = env.step(action)
            _, rewards, ended, cut, infos = many.step([action] * 2)
            assert rewards.tolist() == [reward] * 2 and reward == (0 if legal else -1)
            assert cut.tolist() == [truncated] * 2 and ended.tolist() == [terminated] * 2
        assert truncated and not terminated
        assert REASONS[info["reason"]] == "max_game_length" and info["length"] == limit
        assert not info["action_mask"].any()
        shown = infos["final_info"] if autoreset == "same_step" else infos
        assert {key: shown[key].tolist() for key in NUMBERS} == {k: [info[k]] * 2 for k in NUMBERS}
        with pytest.raises(ValueError, match="over"):
            env.step(0)


def test_an_untrained_policy_is_evaluated_under_penalize(name: str) -> None:
    """A deterministic policy that does not know the rules repeats itself, and its games end."""
    env = gymnasium.make(
        IDS[name].replace("-v", "-flat-v"), illegal="penalize", max_turns=6, opponent="greedy"
    )
    weights = np.random.default_rng(0).normal(
        size=(env.observation_space.shape[0], env.action_space.n)
    )
    for seed in range(3):
        seen, _ = env.reset(seed=seed)
        total, steps, over = 0.0, 0, False
        while not over:
            seen, reward, terminated, truncated, info = env.step(int((seen @ weights).argmax()))
            total, steps, over = total + reward, steps + 1, terminated or truncated
            assert steps <= env.spec.max_episode_steps
        assert info["length"] == steps and total < 0


def test_stable_baselines3_evaluates_an_untrained_model_under_penalize(name: str) -> None:
    from stable_baselines3 import PPO
    from stable_baselines3.common.evaluation import evaluate_policy

    env = gymnasium.make(IDS[name].replace("-v", "-flat-v"), illegal="penalize", max_turns=3)
    model = PPO("MlpPolicy", env, n_steps=8, batch_size=8, seed=1, device="cpu")
    rewards, lengths = evaluate_policy(
        model, model.get_env(), n_eval_episodes=2, deterministic=True, return_episode_rewards=True
    )
    assert len(rewards) == 2 and max(lengths) <= env.spec.max_episode_steps


def test_the_spec_bounds_episodes(name: str) -> None:
    """Wrappers read `max_episode_steps`; making from the spec again plays the same."""
    for options in ({}, {"max_turns": 7}):
        env = gymnasium.make(IDS[name], **options)
        bound = ludarium.load_game(name, **options).max_game_length
        assert env.spec.max_episode_steps == env.unwrapped.spec.max_episode_steps == bound
        assert gymnasium.spec(IDS[name].split(":")[1]).max_episode_steps is None
        wrapped = env
        while isinstance(wrapped, gymnasium.Wrapper):
            assert not isinstance(wrapped, gymnasium.wrappers.TimeLimit)
            wrapped = wrapped.env
        aware = gymnasium.wrappers.TimeAwareObservation(
            gymnasium.make(IDS[name].replace("-v", "-flat-v"), **options)
        )
        assert aware.max_timesteps == bound
        again = gymnasium.make(env.spec)
        assert again.spec.max_episode_steps == bound
        assert again.unwrapped.game == env.unwrapped.game
        many = batch(name, 2, **options)
        assert many.spec.max_episode_steps == bound
        assert gymnasium.make_vec(many.spec).unwrapped.game == env.unwrapped.game
    with pytest.raises(ValueError, match="max_episode_steps=5"):
        batch(name, 2, max_episode_steps=5)


# ---------------------------------------------------------------- ids, mixtures, seeds, close


def test_flat_ids(name: str) -> None:
    id_ = IDS[name].replace("-v", "-flat-v")
    env = gymnasium.make(id_)
    size = (int(np.prod(env.unwrapped.game.observation_shape)),)
    assert env.observation_space.shape == size and env.reset(seed=1)[0].shape == size
    assert gymnasium.make_vec(id_, 2).single_observation_space.shape == size
    assert gymnasium.make(id_, observation="planes").observation_space.shape != size


class Listed(Sequence):  # as omegaconf's ListConfig, which is no list
    """A sequence that is not a list."""

    def __init__(self, *items: Any) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: Any) -> Any:
        return self.items[index]


def test_mixtures_may_be_any_sequence(name: str) -> None:
    mixture = Listed("random", "greedy")
    assert single(name, opponent=mixture).opponents == ("random", "greedy")
    assert batch(name, 2, opponent=mixture).opponents == ("random", "greedy")
    assert single(name, opponent="greedy").opponents == ("greedy",)
    with pytest.raises((ValueError, TypeError)):
        single(name, opponent=b"greedy")


def test_the_seed_is_remembered(name: str) -> None:
    env, many = single(name), batch(name, 2)
    for forms in (env, many):
        forms.reset(seed=7)
        assert forms.np_random_seed == 7
        forms.reset()
        assert forms.np_random_seed == 7
    assert many.np_random.integers(9) == gymnasium.utils.seeding.np_random(7)[0].integers(9)
    assert batch(name, 2, seed=3).np_random_seed == 3


def test_environments_can_be_used_after_close(name: str) -> None:
    env = single(name, render_mode="rgb_array", render_size=128)
    many = batch(name, 2, render_mode="rgb_array", render_size=128, num_threads=2)
    for _ in range(2):
        for form in (env, many):
            _, info = form.reset(seed=1)
            form.close()
            form.close()
            form.step(first_legal(info) if form is many else int(info["action_mask"].argmax()))
            assert form.render() is not None


def test_actions_of_shape_1_are_refused(name: str) -> None:
    """As by the action space; of shape () they are taken."""
    env = single(name)
    _, info = env.reset(seed=1)
    action = int(info["action_mask"].argmax())
    with pytest.raises(ludarium.IllegalActionError):
        env.step(np.array([action]))
    env.step(np.array(action))
    many = batch(name, 2)
    many.reset()
    with pytest.raises(ValueError, match="shape"):
        many.step(np.zeros((2, 1), int))


# ---------------------------------------------------------------- pictures and wrappers


def test_lists_of_pictures(name: str) -> None:
    """As Gymnasium's RenderCollection has them: those since the last call.

    `test_window.py` says which there are.
    """
    env = gymnasium.make(IDS[name], render_mode="rgb_array_list", render_size=128, seat=0)
    _, info = env.reset(seed=1)
    env.step(int(info["action_mask"].argmax()))
    frames = env.render()
    assert len(frames) >= 2 and frames[0].dtype == np.uint8 and env.render() == []
    for mode in ("ansi", "rgb_array", "rgb_array_list", "human", None):
        assert gymnasium.make(IDS[name], render_mode=mode).render_mode == mode


@pytest.mark.parametrize("autoreset", ["next_step", "same_step", "disabled"])
def test_a_batch_is_filmed(name: str, autoreset: str, tmp_path: Path) -> None:
    many = batch(
        name, 4, autoreset=autoreset, max_turns=4, render_mode="rgb_array", render_size=128
    )
    warned = pytest.warns(UserWarning, match="same-step")
    with warned if autoreset == "same_step" else contextlib.nullcontext():
        film = gymnasium.wrappers.vector.RecordVideo(
            many, str(tmp_path / "films"), episode_trigger=lambda episode: episode == 0
        )
    _, info = film.reset(seed=1)
    assert all(frame.shape == many.render()[0].shape for frame in many.render())
    for _ in range(4):
        *_, info = film.step(first_legal(info))
    film.close()
    (path,) = (tmp_path / "films").iterdir()
    height, width, _ = many.render()[0].shape
    _, frames = frames_of(path)
    assert len(frames) >= 2 and frames[0].size >= 4 * height * width * 3  # the four boards


def vector_wrappers(name: str, folder: Path) -> dict[str, Any]:
    """Return by name each of Gymnasium's wrappers for batches as a function of a batch.

    None: it takes no Discrete actions, or needs a library that is not here.
    """
    wrap, transform = gymnasium.wrappers.vector, gymnasium.wrappers
    flat = int(np.prod(ludarium.load_game(name).observation_shape))
    box = gymnasium.spaces.Box(0, 1, (flat,), np.float32)
    single_box = {"single_observation_space": box}
    return {
        "VectorizeTransformObservation": lambda e: wrap.VectorizeTransformObservation(
            e, transform.TransformObservation, func=lambda o: o, observation_space=box
        ),
        "VectorizeTransformReward": lambda e: wrap.VectorizeTransformReward(
            e, transform.TransformReward, func=lambda r: 2 * r
        ),
        "VectorizeTransformAction": lambda e: wrap.VectorizeTransformAction(
            e, transform.TransformAction, func=lambda a: a, action_space=e.single_action_space
        ),
        "TransformObservation": lambda e: wrap.TransformObservation(e, lambda o: o, **single_box),
        "FilterObservation": lambda e: wrap.FilterObservation(e, ["observation"]),
        "FlattenObservation": wrap.FlattenObservation,
        "ReshapeObservation": lambda e: wrap.ReshapeObservation(e, (1, flat)),
        "RescaleObservation": lambda e: wrap.RescaleObservation(
            wrap.DtypeObservation(e, np.float32), np.float32(-1), np.float32(1)
        ),
        "DtypeObservation": lambda e: wrap.DtypeObservation(e, np.float32),
        "NormalizeObservation": wrap.NormalizeObservation,
        "TransformAction": lambda e: wrap.TransformAction(e, lambda a: a),
        "TransformReward": lambda e: wrap.TransformReward(e, lambda r: 2 * r),
        "ClipReward": lambda e: wrap.ClipReward(e, -0.5, 0.5),
        "NormalizeReward": wrap.NormalizeReward,
        "RecordEpisodeStatistics": wrap.RecordEpisodeStatistics,
        "DictInfoToList": wrap.DictInfoToList,
        "RecordVideo": lambda e: wrap.RecordVideo(
            e, str(folder), step_trigger=lambda step: step == 0, video_length=2
        ),
        "HumanRendering": wrap.HumanRendering,
        # pictures, real-valued actions, other array libraries
        **dict.fromkeys(
            ("GrayscaleObservation", "ResizeObservation", "ClipAction", "RescaleAction")
        ),
        **dict.fromkeys(("ArrayConversion", "JaxToNumpy", "JaxToTorch", "NumpyToTorch")),
    }


@pytest.mark.parametrize("autoreset", ["next_step", "same_step", "disabled"])
def test_gymnasiums_wrappers_take_the_batch(
    name: str, autoreset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of them that accepts Discrete actions, through the ends of games, without a warning."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    # HumanRendering scales with OpenCV, which the test extra does not bring
    resize = lambda frame, size: np.asarray(Image.fromarray(frame).resize(size))  # noqa: E731
    monkeypatch.setitem(sys.modules, "cv2", types.SimpleNamespace(resize=resize))
    wrappers = vector_wrappers(name, tmp_path / "films")
    missing = set(gymnasium.wrappers.vector.__all__) - set(wrappers) - {"VectorObservationWrapper"}
    assert not {w for w in missing if not w.startswith("Vector")}, "say how to make it, or None"
    for wrapper, make in wrappers.items():
        if make is None or not hasattr(gymnasium.wrappers.vector, wrapper):
            continue
        form = "dict" if wrapper in ("FilterObservation", "FlattenObservation") else "flat"
        many = batch(
            name, 3, observation=form, autoreset=autoreset, max_turns=3,
            render_mode="rgb_array", render_size=128,
        )  # fmt: skip
        refuses = wrapper.endswith("Observation") and autoreset == "same_step"
        if refuses or (wrapper, autoreset) == ("NormalizeObservation", "disabled"):
            with pytest.raises(ValueError, match="autoreset_mode"):
                make(many)  # a rule of Gymnasium's for all batches
            continue
        warned = wrapper == "RecordVideo" and autoreset == "same_step"
        with pytest.warns(UserWarning) if warned else contextlib.nullcontext():
            env = make(many)
        env.reset(seed=2)
        ends, over = 0, np.zeros(3, bool)
        for _ in range(6):
            if autoreset == "disabled" and over.any():
                env.reset(options={"reset_mask": over.copy()})
            seen, rewards, terminated, truncated, info = env.step(many.sample_actions())
            over = np.asarray(terminated | truncated)
            ends += int(over.sum())
            if wrapper == "RecordEpisodeStatistics" and over.any():
                assert np.array_equal(info["_episode"], over)
            if wrapper == "DictInfoToList":
                ended = [one.get("final_info", one) for one in info]
                assert [one["reason"] >= 0 for one in ended] == over.tolist()
        assert ends >= 3, wrapper
        assert len(rewards) == 3 and env.observation_space.contains(seen)
        env.close()
