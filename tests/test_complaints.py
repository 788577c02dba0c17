"""What people who do this job complain about elsewhere: a test for each, named after its thread.

Each test has the library and the number of the public thread in its name. Those about learning and
search stand in test_sb3.py, test_learning.py and test_search.py, and those that need a library that
the test extra does not bring in interop/.
"""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from children import ends, play_batch
from PIL import Image

import ludarium

COMPLAINTS = {
    "pettingzoo": "1307 1186 1271 1147 1233 355 1260 1300 185 551 778 558 1223 1067",
    "gymnasium": "737",
    "gym": "2691",
    "alpha_zero_general": "306",
    "tianshou": "399",
    "supersuit": "96",
    "sb3_contrib": "49 212",
    "ray": "32850 44780 52290",
    "pytorch_rl": "2990",
    "open_spiel": "1068 920",
}


def test_every_complaint_has_its_test() -> None:
    names = [
        name
        for path in Path(__file__).parent.rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
    ]
    for library, numbers in COMPLAINTS.items():
        for number in numbers.split():
            named = re.compile(rf"_{library}_(\d+_)*{number}_")
            assert any(named.search(name) for name in names), f"{library} {number}"


def begun(name: str, steps: int, **options: Any) -> Any:
    """Return an environment after some random legal actions."""
    env = ludarium.make(name, **options)
    env.reset(seed=1)
    rng = np.random.default_rng(steps)
    for _ in range(steps):
        mask = env.last()[0]["action_mask"]
        if not mask.any():
            break
        env.step(int(rng.choice(np.flatnonzero(mask))))
    return env


def finish(env: Any) -> dict[str, list[Any]]:
    """Play to the end; returns (reward, action is None) of each of an agent's looks."""
    rng, seen = np.random.default_rng(0), {agent: [] for agent in env.possible_agents}
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        over = terminated or truncated
        seen[agent].append((reward, over))
        env.step(None if over else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    return seen


@pytest.mark.parametrize("steps", [1, 2, 3, 8])
def test_pettingzoo_1307_gymnasium_737_copies_lose_the_game(name: str, steps: int) -> None:
    env = begun(name, steps)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert other.game_state == env.game_state
        np.testing.assert_equal(other.last(), env.last())
        assert finish(other) == finish(copy.deepcopy(env))


def test_pettingzoo_1186_1271_an_action_cannot_be_taken_back(name: str) -> None:
    env = begun(name, 5)
    before, seen = env.game_state, env.last()[0]
    env.step(before.legal_actions()[0])
    assert env.game_state != before
    env.set_game_state(before)
    np.testing.assert_equal(env.last()[0], seen)


def test_pettingzoo_1233_several_actions_a_turn(name: str) -> None:
    """The same agent is selected again until its turn is complete."""
    env = begun(name, 0)
    twice = False
    rng = np.random.default_rng(3)
    for _ in range(60):
        if not env.last()[0]["action_mask"].any():
            break
        agent, turn = env.agent_selection, env.game_state.turn_number()
        env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
        state = env.game_state
        if state.is_terminal():
            break
        assert (env.agent_selection == agent) == (state.turn_number() == turn)
        twice |= env.agent_selection == agent
    assert twice == (env.game.max_game_length > env.game.max_turns)


def test_pettingzoo_355_1260_1300_last_steps_and_rewards(name: str) -> None:
    """Each agent is shown its end exactly once, with the reward that is due to it."""
    for seed in range(8):
        env = begun(name, seed, max_turns=300)
        seen = finish(env)
        returns = dict(zip(env.possible_agents, env.game_state.returns(), strict=True))
        for agent, looks in seen.items():
            assert [over for _, over in looks].count(True) == 1
            assert looks[-1] == (returns[agent], True)
            assert all(reward == 0 for reward, _ in looks[:-1])


def test_tianshou_399_rewards_on_the_opponents_action_are_missed(name: str) -> None:
    """Who loses by the other's action sees -1 at the next look."""
    for seed in range(50):
        env = begun(name, seed)
        winner = None
        rng = np.random.default_rng(seed)
        while winner is None and env.last()[0]["action_mask"].any():
            mover = env.agent_selection
            env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
            if env.rewards[mover] == 1:
                winner = mover
        if winner is not None:
            loser = next(agent for agent in env.possible_agents if agent != winner)
            assert env.rewards[loser] == -1
            for agent, reward in ((winner, 1), (loser, -1)):
                env.agent_selection = agent
                assert env.last()[1:4] == (reward, True, False)
            return
    pytest.fail("nobody won")


def test_pettingzoo_185_an_illegal_action_need_not_end_the_game(name: str) -> None:
    env = begun(name, 3, illegal="penalize")
    state, agent = env.game_state, env.agent_selection
    illegal = np.flatnonzero(env.last()[0]["action_mask"] == 0)
    for action in illegal[:5]:
        env.step(int(action))
        assert env.agent_selection == agent and env.last()[1:4] == (-1, False, False)
        assert env.game_state == state


def test_supersuit_96_pettingzoo_551_vectors_of_masked_games(name: str) -> None:
    vector = ludarium.make_vec(name, num_envs=8)
    obs, _ = vector.reset()
    for _ in range(50):
        actions = vector.sample_actions()
        live = vector.current_player >= 0
        assert obs["action_mask"][np.arange(8), actions][live].all()
        obs, rewards, *_ = vector.step(actions)
        assert (rewards.sum(axis=1) == 0).all()


def test_pettingzoo_1147_who_loses_by_the_opponents_action_is_told(name: str) -> None:
    """There the learner never sees the -1 of a game that the opponent ends."""
    batch = gymnasium.make_vec(
        f"ludarium:ludarium/{name.capitalize()}-v{ludarium.load_game(name).version}",
        num_envs=16,
        vectorization_mode="vector_entry_point",
        opponent="greedy",
        autoreset="same_step",
    )
    batch.reset(seed=1)
    lost = 0
    while lost < 8:
        _, rewards, terminated, _, info = batch.step(batch.unwrapped.sample_actions())
        for i in np.flatnonzero(terminated):
            result, seat = info["final_info"]["result"][i], info["final_info"]["seat"][i]
            assert rewards[i] == {seat: 1, 1 - seat: -1}.get(result, 0)
            lost += rewards[i] == -1


@pytest.mark.parametrize("method", ["spawn"])
def test_sb3_contrib_49_masks_do_not_reach_workers(name: str, method: str) -> None:
    context: Any = multiprocessing.get_context(method)
    results = context.Queue()
    child = context.Process(target=play_batch, args=(name, results))
    child.start()
    assert results.get(timeout=120) == ends(ludarium.make_vec(name, num_envs=40, seed=4))
    child.join()


def test_pytorch_rl_2990_observe_is_called_for_any_agent(name: str) -> None:
    env = begun(name, 4)
    state = env.game_state
    for player, agent in enumerate(env.possible_agents):
        seen = env.observe(agent)
        np.testing.assert_array_equal(seen["observation"], state.observation_tensor(player))
        assert seen["action_mask"].any() == (agent == env.agent_selection)
        assert env.observation_space(agent).contains(seen)


def test_pettingzoo_778_gym_2691_no_display_and_no_pygame(name: str) -> None:
    code = (
        "import sys; sys.modules['pygame'] = None\n"
        f"import ludarium; env = ludarium.make({name!r}, render_mode='rgb_array')\n"
        "env.reset(); print(env.render().shape)"
    )
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    command = [sys.executable, "-W", "error", "-c", code]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "512" in result.stdout


def test_pettingzoo_558_1223_seeds_do_not_reproduce(name: str) -> None:
    """Whatever came before, a seed gives the same game; spaces keep their own seeds."""
    for options in ({}, {"max_turns": 30}):
        first, second = ludarium.make(name, **options), begun(name, 9, **options)
        for env in (first, second):
            env.reset(seed=11)
            for agent in env.agents:
                env.action_space(agent).seed(5)
        for _ in range(40):
            np.testing.assert_equal(first.last(), second.last())
            mask = first.last()[0]["action_mask"]
            if not mask.any():
                break
            actions = [e.action_space(e.agent_selection).sample(mask) for e in (first, second)]
            assert actions[0] == actions[1]
            first.step(actions[0])
            second.step(actions[1])


def test_open_spiel_1068_observation_tensors_are_arrays(name: str) -> None:
    """No list of Python floats is made on the way."""
    state = begun(name, 2).game_state
    planes = state.observation_tensor()
    assert type(planes) is np.ndarray and planes.dtype == np.int8 and planes.flags.c_contiguous
    assert planes.shape == state.game.observation_shape


def test_open_spiel_920_pictures_of_states(name: str, tmp_path: Path) -> None:
    from ludarium.records.export import record_episode

    env = begun(name, 12)
    frames = 1 + len(env.game_state.history())
    for suffix in (".gif", ".png"):
        path = tmp_path / f"game{suffix}"
        record_episode(env, path, 160)
        with Image.open(path) as picture:
            assert getattr(picture, "n_frames", 1) == (frames if suffix == ".gif" else 1)
