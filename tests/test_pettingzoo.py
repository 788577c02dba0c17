"""The PettingZoo environments of every game: PettingZoo's own tests, and what they do not ask."""

from __future__ import annotations

import copy
import functools
import pickle
import warnings
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test
from pettingzoo.utils import wrappers
from pettingzoo.utils.env_logger import EnvLogger

import ludarium
from ludarium.environments.aec import AGENTS, AECGame, has_window
from ludarium.environments.infos import REASONS, RESULTS, reason_word, result_word

# PettingZoo warns about every Dict observation that is not its own; nothing else may be warned of.
DICT_WARNINGS = (
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
)


def play(env: Any, rng: np.random.Generator, steps: int) -> int:
    """Take up to `steps` random legal actions; returns how many were taken."""
    for step in range(steps):
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            return step
        env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    return steps


def fresh(name: str, **options: Any) -> AECGame:
    """Return an environment that was reset."""
    env = ludarium.make(name, **options)
    env.reset(seed=1)
    return env


# ---------------------------------------------------------------- PettingZoo's own tests


@pytest.mark.filterwarnings(*DICT_WARNINGS)
@pytest.mark.parametrize("factory", ["env", "raw_env"])
def test_api_test(name: str, factory: str, capsys: Any) -> None:
    api_test(getattr(getattr(ludarium, name), factory)(), num_cycles=200)
    assert "Passed" in capsys.readouterr().out


@pytest.mark.filterwarnings(*DICT_WARNINGS)
def test_api_test_of_the_wrapped_environment(name: str, capsys: Any) -> None:
    api_test(stock(getattr(ludarium, name).raw_env()), num_cycles=100)
    assert "Passed" in capsys.readouterr().out


def test_seed_test(name: str) -> None:
    module = getattr(ludarium, name)
    seed_test(module.env, 100)
    parallel_seed_test(functools.partial(module.parallel_env, illegal="penalize"), 100)


@pytest.mark.parametrize("pygame", [False, True])
def test_render_test(name: str, pygame: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """PettingZoo builds the human mode first and asks for the modes there are."""
    if pygame:
        monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
        assert has_window(), "the test extra brings pygame-ce"
    else:
        monkeypatch.setattr("ludarium.environments.aec.has_window", lambda: False)
    render_test(getattr(ludarium, name).env)
    modes = getattr(ludarium, name).env().metadata["render_modes"]
    assert modes == ["ansi", "rgb_array"] + ["human"] * pygame


def test_parallel_api_test(name: str) -> None:
    env = getattr(ludarium, name).parallel_env()
    parallel_api_test(env, num_cycles=100)
    assert env.max_cycles == 100


# ---------------------------------------------------------------- the same as the stock wrappers


def stock(env: AECGame) -> Any:
    """Put PettingZoo's three wrappers around an environment, as its own games do."""
    env_ = wrappers.TerminateIllegalWrapper(env, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env_))


def situation(env: Any) -> dict[str, Any]:
    """Return everything that a caller can see of an environment."""
    seen: dict[str, Any] = {}
    for field in ("agents", "rewards", "terminations", "truncations", "infos"):
        seen[field] = copy.deepcopy(getattr(env, field))
    seen["agent"] = env.agent_selection if env.agents else None
    seen["cumulative"] = dict(env.unwrapped._cumulative_rewards)
    if env.agents:
        seen["last"] = env.last()
    seen["observations"] = [env.observe(agent) for agent in env.possible_agents]
    seen["state"] = env.state()
    return seen


def act(env: Any, call: str, *arguments: Any) -> tuple[Any, list[str]]:
    """Call a method; returns the kind of its error, if any, and what PettingZoo logged."""
    EnvLogger.flush()
    try:
        getattr(env, call)(*arguments)
        error = None
    except (AssertionError, ValueError, AttributeError) as caught:
        error = [k for k in (AssertionError, ValueError, AttributeError) if isinstance(caught, k)]
    return error, list(EnvLogger.mqueue)


def scripts(name: str, kind: str) -> list[list[Any]]:
    """Return actions to try; a float below 1 stands for a legal action, chosen by it."""
    rng = np.random.default_rng(7)
    actions = ludarium.load_game(name).num_distinct_actions
    legal = [float(x) for x in rng.random(700)]
    if kind == "random":
        return [[*legal, None, None, None]]
    if kind == "numpy":
        return [[(x, t) for x in legal[:60] for t in (np.int64, np.int8, np.array)]]
    if kind == "illegal":
        return [[*legal[:k], ("illegal", k), 0, None, 0, None, None, 1] for k in (0, 1, 5, 12)]
    if kind == "range":
        wrong = (-1, actions, 10**9, 1.0, 2.5, "3", [1], np.array([1]), np.float64(1), None)
        return [[*legal[:k], w, *legal[k : k + 3]] for k in (0, 4) for w in wrong]
    return [[None, *legal[:9], None, None], [0.5, None, 0.5, None]]


def resolve(action: Any, env: Any) -> Any:
    """Turn an entry of a script into an action in this position."""
    cast: Any = int
    if isinstance(action, tuple):
        action, cast = action
    if action == "illegal":
        mask = env.observe(env.agent_selection)["action_mask"]
        return int(np.flatnonzero(mask == 0)[cast])
    if not isinstance(action, float) or action >= 1:
        return action
    if not env.agents:
        return None
    legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
    if not legal.size:
        return None
    number = legal[int(action * legal.size)]
    return cast(min(number, 127)) if cast is np.int8 else cast(number)


@pytest.mark.parametrize("kind", ["random", "numpy", "illegal", "range", "none"])
def test_traces_equal_those_of_the_stock_wrappers(name: str, kind: str) -> None:
    """Errors, warnings, rewards, flags, infos and observations, action by action."""
    for script in scripts(name, kind):
        ours = getattr(ludarium, name).env()
        theirs = stock(getattr(ludarium, name).raw_env())
        for env in (ours, theirs):
            env.reset(seed=3)
        for action in script:
            action = resolve(action, theirs)
            mine, other = act(ours, "step", action), act(theirs, "step", action)
            if other[0] is None or mine[0] is None:
                assert mine == other, f"{action!r}: {mine}, the wrappers {other}"
            else:  # ours may be of more kinds
                assert set(mine[0]) >= set(other[0]) and mine[1] == other[1], action
            np.testing.assert_equal(situation(ours), situation(theirs), f"after {action!r}")


def test_before_reset_like_the_stock_wrappers(name: str) -> None:
    for env in (getattr(ludarium, name).env(), stock(getattr(ludarium, name).raw_env())):
        calls = (("step", 0), ("observe", AGENTS[0]), ("state",), ("render",), ("agent_iter",))
        for call, *arguments in calls:
            with pytest.raises(AssertionError, match="reset"):
                getattr(env, call)(*arguments)
        for attribute in ("agents", "rewards", "terminations", "truncations", "infos"):
            with pytest.raises(AttributeError, match="reset"):
                getattr(env, attribute)
        with pytest.raises(AttributeError):
            _ = env.agent_selection
        with pytest.raises(AttributeError):
            _ = env.num_agents
        assert env.possible_agents == list(AGENTS) and env.max_num_agents == 2


def test_agent_iter_wants_a_step(name: str) -> None:
    env = fresh(name)
    with pytest.raises(AssertionError, match="step"):
        for _ in env.agent_iter():
            env.last()


# ---------------------------------------------------------------- observations, masks, infos


def test_masks_and_observations(name: str, rng: np.random.Generator) -> None:
    """The mask is legality, in both places; the other agent has zeros; spaces contain it all."""
    env = fresh(name)
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        state, mover = env.game_state, env.agent_selection
        assert AGENTS.index(mover) == state.current_player()
        for player, agent in enumerate(AGENTS):
            observation = env.observe(agent)
            assert list(observation) == ["observation", "action_mask"]
            assert env.observation_space(agent).contains(observation)
            legal = state.legal_actions_mask() * (agent == mover)
            np.testing.assert_array_equal(observation["action_mask"], legal)
            np.testing.assert_array_equal(env.infos[agent]["action_mask"], legal)
            np.testing.assert_array_equal(
                observation["observation"], state.observation_tensor(player)
            )
            assert env.infos[agent]["action_mask"].dtype == np.int8
            assert env.infos[agent]["turn"] == state.turn_number()
            assert state.game.stages[env.infos[agent]["stage"]] == state.stage()
            assert env.infos[agent]["result"] == env.infos[agent]["reason"] == -1
        assert env.last()[4] is env.infos[mover]
        np.testing.assert_array_equal(env.state(), state.observation_tensor(0))
        assert env.state_space.contains(env.state())
        env.step(env.action_space(mover).sample(env.observe(mover)["action_mask"]))
    assert list(env.observation_space(AGENTS[0]).spaces) == ["observation", "action_mask"]
    for agent in AGENTS:  # answers until the next reset, also for agents that have left
        env.step(None)
        for other in AGENTS:
            assert not env.observe(other)["action_mask"].any(), agent
            assert env.observe(other)["observation"].any()
    assert env.agents == []


def test_observations_are_the_callers_own(name: str) -> None:
    env = fresh(name)
    first = env.observe(env.agent_selection)
    kept = copy.deepcopy(first)
    first["observation"][:] = 1
    first["action_mask"][:] = 1
    env.infos[env.agent_selection]["action_mask"][:] = 1
    np.testing.assert_equal(env.observe(env.agent_selection), kept)
    illegal = int(np.flatnonzero(kept["action_mask"] == 0)[0])
    env.illegal = "raise"
    with pytest.raises(ludarium.IllegalActionError):
        env.step(illegal)


def test_views_of_copy_false(name: str, rng: np.random.Generator) -> None:
    """They are read-only, show the same as copies, and the next step overwrites them."""
    env, copies = fresh(name, copy=False), fresh(name)
    kept = env.observe(env.agent_selection)["observation"]
    for _ in range(30):
        np.testing.assert_equal(env.last(), copies.last())
        observation = env.last()[0]
        if env.agents and any(env.terminations.values()):
            break
        with pytest.raises(ValueError, match="read-only"):
            observation["observation"][0] = 1
        with pytest.raises(ValueError, match="read-only"):
            observation["action_mask"][0] = 1
        assert np.shares_memory(kept, observation["observation"])
        action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
        env.step(action)
        copies.step(action)


# ---------------------------------------------------------------- the end, and illegal actions


def test_rewards_at_the_end(name: str, rng: np.random.Generator) -> None:
    """Both agents get their reward: +1 and -1 at a win (PettingZoo 1147, 355), 0 if truncated."""
    kinds = set()
    for seed in range(60):
        env = fresh(name, max_turns=(4, 400)[seed % 2])
        totals = dict.fromkeys(AGENTS, 0.0)
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, _ = env.last()
            totals[agent] += reward
            if terminated or truncated:
                returns = env.game_state.returns()
                assert terminated != truncated == env.game_state.is_truncated()
                action = None
            else:
                action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
            env.step(action)
        assert [totals[a] for a in AGENTS] == returns
        kinds.add(tuple(returns))
        if len(kinds) == 3:
            return
    assert {(1.0, -1.0), (-1.0, 1.0), (0.0, 0.0)} <= kinds, kinds


def test_illegal_actions_in_each_mode(name: str, rng: np.random.Generator) -> None:
    for steps in range(6):
        for mode in ("terminate", "raise", "penalize"):
            env = fresh(name, illegal=mode)
            if play(env, np.random.default_rng(5), steps) < steps:
                continue
            mover, before = env.agent_selection, env.game_state
            other = AGENTS[1 - AGENTS.index(mover)]
            action = int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[3])
            if mode == "raise":
                seen = situation(env)
                with pytest.raises(ludarium.IllegalActionError, match=str(action)) as caught:
                    env.step(action)
                assert isinstance(caught.value, ValueError)
                assert isinstance(caught.value, AssertionError)
                np.testing.assert_equal(situation(env), seen)
                continue
            env.step(action)
            assert env.rewards == {mover: -1, other: 0}
            assert env.game_state == before
            if mode == "penalize":
                assert env.agent_selection == mover and env.agents == list(AGENTS)
                assert env.last()[1] == -1
                assert not any(env.terminations.values()) and not any(env.truncations.values())
                assert play(env, rng, 1) == 1
                assert env.rewards == {mover: 0, other: 0}
                assert env._cumulative_rewards[mover] == 0
            else:
                assert all(env.terminations.values()) and all(env.truncations.values())
                assert not env.observe(mover)["action_mask"].any()
                while env.agents:
                    env.step(None)


def test_penalized_games_end(name: str, rng: np.random.Generator) -> None:
    """Refused actions count with the played ones; then the game is truncated for both agents."""
    module = getattr(ludarium, name)
    options = {"illegal": "penalize", "max_turns": 3}
    limit = ludarium.load_game(name, max_turns=3).max_game_length
    for played in (0, 1, 2):
        env, parallel = module.env(**options), module.parallel_env(**options)
        env.reset(seed=1)
        parallel.reset(seed=1)
        last = None
        for step in range(limit):
            mover = env.agent_selection
            mask = env.observe(mover)["action_mask"]
            assert mask.any() and env.infos[mover]["reason"] == -1
            # the last actions are played, so that a legal one ends the game too
            legal = step >= limit - played
            action = int(rng.choice(np.flatnonzero(mask == legal)))
            env.step(action)
            last = parallel.step({mover: action})
            assert last[1] == env.rewards and last[1][mover] in ((0, 1) if legal else (-1,))
            np.testing.assert_equal(last[4], env.infos)
        assert env.truncations == last[3] == dict.fromkeys(AGENTS, True)
        assert env.terminations == last[2] == dict.fromkeys(AGENTS, False)
        assert parallel.agents == [] and env.agent_selection == AGENTS[0]
        for agent in AGENTS:
            info = env.infos[agent]
            assert (RESULTS[info["result"]], REASONS[info["reason"]]) == (
                "nobody has won",
                "max_game_length",
            )
            assert not info["action_mask"].any() and not env.observe(agent)["action_mask"].any()
        while env.agents:
            env.step(None)
        env.reset(seed=1)
        assert env.last()[0]["action_mask"].any()


def test_infos_say_how_a_game_ended(name: str, rng: np.random.Generator) -> None:
    """The same keys with ints at every step; codes are read by the tables."""
    reasons = set()
    for seed in range(40):
        env = fresh(name, max_turns=(3, 300)[seed % 2])
        for _ in env.agent_iter():
            observation, _, terminated, truncated, info = env.last()
            assert list(info) == ["action_mask", "turn", "stage", "result", "reason"]
            assert all(type(info[key]) is int for key in list(info)[1:])
            over = terminated or truncated
            assert over == (info["result"] >= 0) == (info["reason"] >= 0)
            if over:
                returns = env.game_state.returns()
                winner = returns.index(1) if any(returns) else 2
                assert info["result"] == winner
                word = "max_turns" if truncated else "won" if winner < 2 else "drawn"
                assert REASONS[info["reason"]] == reason_word(info) == word
                assert result_word(info) == RESULTS[winner]
                reasons.add(word)
            env.step(None if over else draw(observation["action_mask"], rng))
        if {"won", "max_turns"} <= reasons:
            break
    assert {"won", "max_turns"} <= reasons
    env = fresh(name)
    env.step(int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0]))
    assert [REASONS[info["reason"]] for info in env.infos.values()] == ["illegal"] * 2


def draw(mask: Any, rng: np.random.Generator) -> int:
    """Return a random legal action."""
    return int(rng.choice(np.flatnonzero(mask)))


@pytest.mark.parametrize("copied", [True, False])
def test_flat_observations(name: str, copied: bool, rng: np.random.Generator) -> None:
    """The same numbers in one row, in spaces, observe, state and the parallel form."""
    module = getattr(ludarium, name)
    flat, planes = fresh(name, observation="flat", copy=copied), fresh(name)
    both = module.parallel_env(observation="flat")
    seen, _ = both.reset(seed=1)
    for _ in range(6):
        for agent in AGENTS:
            space = flat.observation_space(agent)
            assert space["observation"].shape == (int(np.prod(flat.game.observation_shape)),)
            for _twice in range(2):
                view = flat.observe(agent)
                assert space.contains(view) and list(view) == ["observation", "action_mask"]
                theirs = planes.observe(agent)
                assert np.array_equal(view["observation"], theirs["observation"].ravel())
                assert np.array_equal(view["action_mask"], theirs["action_mask"])
            np.testing.assert_equal(seen[agent], view)
        assert flat.state_space.contains(flat.state())
        assert np.array_equal(flat.state(), planes.state().ravel())
        action = draw(planes.last()[0]["action_mask"], rng)
        mover = planes.agent_selection
        flat.step(action)
        planes.step(action)
        seen = both.step({mover: action})[0]
    again = pickle.loads(pickle.dumps(flat))
    np.testing.assert_equal(again.last(), flat.last())


@pytest.mark.filterwarnings(*DICT_WARNINGS)
def test_api_test_of_flat_observations(name: str, capsys: Any) -> None:
    api_test(getattr(ludarium, name).env(observation="flat"), num_cycles=100)
    assert "Passed" in capsys.readouterr().out


def test_the_environment_can_be_used_after_close(name: str) -> None:
    """Closing twice is allowed, and every form goes on."""
    module = getattr(ludarium, name)
    for env in (fresh(name, render_mode="rgb_array"), module.parallel_env(render_mode="rgb_array")):
        env.reset(seed=1)
        env.close()
        env.close()
        mover = env.agents[0]
        action = env.game_state.legal_actions()[0]
        env.step({mover: action} if hasattr(env, "aec_env") else action)
        assert env.render().shape[2] == 3
        env.close()
        env.reset(seed=1)
        assert env.game_state.history() == []


def test_actions_of_other_types(name: str) -> None:
    """What the spaces contain is played; arrays of shape (1,), which they do not, are refused."""
    env = fresh(name)
    action = env.game_state.legal_actions()[0]
    space = env.action_space(AGENTS[0])
    for good in (action, np.int64(action), np.array(action), np.uint16(action)):
        assert space.contains(good)
        env.reset(seed=1)
        env.step(good)
        assert env.game_state.history() == [action]
    for bad in (np.array([action]), [action], float(action), str(action)):
        assert not space.contains(bad)
        env.reset(seed=1)
        both = getattr(ludarium, name).parallel_env()
        both.reset(seed=1)
        for refused in (
            lambda e=env, a=bad: e.step(a),
            lambda e=both, a=bad: e.step({AGENTS[0]: a}),
            lambda e=env, a=bad: e.game_state.apply_action(a),
        ):
            with pytest.raises(ludarium.IllegalActionError):
                refused()


def test_out_of_range_raises_in_every_mode(name: str) -> None:
    for mode in ("terminate", "raise", "penalize"):
        env = fresh(name, illegal=mode)
        seen = situation(env)
        for action in (-1, env.game.num_distinct_actions, None, 0.0, "0", True):
            with pytest.raises(ludarium.IllegalActionError):
                env.step(action)
        np.testing.assert_equal(situation(env), seen)


def test_actions_of_agents_at_their_end(name: str, rng: np.random.Generator) -> None:
    env = fresh(name, max_turns=3)
    play(env, rng, 10**6)
    seen = situation(env)
    with pytest.raises(ValueError, match="None"):
        env.step(0)
    np.testing.assert_equal(situation(env), seen)
    env.step(None)
    env.step(None)
    EnvLogger.flush()
    env.step(None)
    assert "reset" in EnvLogger.mqueue[-1]


# ---------------------------------------------------------------- copies, states, ids, options


def test_copies_are_exact_and_independent(name: str, rng: np.random.Generator) -> None:
    """deepcopy, pickle and clone keep the game, mid-turn too (PettingZoo 1307, Gymnasium 737)."""
    for steps in (0, 1, 2, 3, 9, 10, 10**6):
        env = fresh(name, max_turns=30, illegal="penalize")
        play(env, rng, steps)
        seen = situation(env)
        for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env)), env.clone()):
            assert type(other) is type(env) and other.illegal == "penalize"
            np.testing.assert_equal(situation(other), seen)
            a, b = np.random.default_rng(1), np.random.default_rng(1)
            here = env.clone()
            assert play(other, a, 40) == play(here, b, 40)
            np.testing.assert_equal(situation(other), situation(here))
            np.testing.assert_equal(situation(env), seen)
    before = ludarium.make(name)
    with pytest.raises(AssertionError):
        copy.deepcopy(before).step(0)


def test_try_an_action_and_take_it_back(name: str, rng: np.random.Generator) -> None:
    """What users of PettingZoo miss (1186, 1271)."""
    env = fresh(name)
    play(env, rng, 7)
    state, seen = env.game_state, situation(env)
    play(env, rng, 3)
    assert env.game_state != state
    env.set_game_state(state)
    again = situation(env)
    for field in ("agent", "observations", "state", "infos"):
        np.testing.assert_equal(again[field], seen[field])
    assert env.rewards == dict.fromkeys(AGENTS, 0)
    state.apply_action(state.legal_actions()[0])
    assert env.game_state != state, "the environment keeps a copy"


def test_set_game_state_at_the_end(name: str, rng: np.random.Generator) -> None:
    env = fresh(name)
    play(env, rng, 10**6)
    other = ludarium.make(name)
    other.set_game_state(env.game_state)
    np.testing.assert_equal(other.last(), env.last())
    assert other.rewards == env.rewards and other.terminations == env.terminations
    with pytest.raises(ValueError, match="max_turns"):
        ludarium.make(name, max_turns=77).set_game_state(env.game_state)
    with pytest.raises(TypeError):
        env.set_game_state("x")  # type: ignore[arg-type]


def test_ids(name: str) -> None:
    """PettingZoo knows the games by id, and importing again warns of nothing."""
    import importlib

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        importlib.reload(ludarium)
    version = ludarium.load_game(name).version
    if not hasattr(pettingzoo, "make"):  # before 1.26 there are no ids to know
        assert not hasattr(pettingzoo, "register")
        return
    id_ = f"ludarium/{name}-v{version}"
    env = pettingzoo.make("aec", id_, max_turns=5, render_mode="ansi")
    assert isinstance(env, AECGame) and env.game == ludarium.load_game(name, max_turns=5)
    assert pettingzoo.make("aec", id_, max_cycles=6).game.max_turns == 6
    assert pettingzoo.make("parallel", id_).metadata["name"] == f"{name}_v{version}"


def test_options(name: str) -> None:
    factory = getattr(ludarium, name).env
    assert ludarium.make(name, max_cycles=9).game.max_turns == 9
    assert factory(max_cycles=9, max_turns=9).game.max_turns == 9
    wrong = (
        {"max_cycles": 8, "max_turns": 9},
        {"render_mode": "rgb"},
        {"render_size": 127},
        {"render_size": 2049},
        {"render_size": 300.0},
        {"illegal": "ignore"},
        {"copy": "no"},
        {"observation": "dict"},
        {"max_turns": 0},
        {"max_turns": 2.5},
        {"max_turns": True},
        {"board": 3},
    )
    for options in wrong:
        name_of_option = next(iter(options))
        with pytest.raises(ValueError, match=name_of_option):
            factory(**options)
        with pytest.raises(ValueError, match=name_of_option):
            getattr(ludarium, name).parallel_env(**options)
    with pytest.raises(ValueError, match="there is no game 'chess'"):
        ludarium.make("chess")
    with pytest.raises(ValueError, match="no agent"):
        fresh(name).observe("player_2")


def test_factories_can_be_pickled(name: str) -> None:
    """Workers get them by reference (sb3-contrib 49)."""
    for factory in ("env", "raw_env", "parallel_env"):
        function = getattr(getattr(ludarium, name), factory)
        assert pickle.loads(pickle.dumps(function)) is function
        assert "max_turns" in function.__doc__


# ---------------------------------------------------------------- parallel


def test_parallel_plays_the_same_game(name: str, rng: np.random.Generator) -> None:
    one, both = fresh(name, max_turns=40), getattr(ludarium, name).parallel_env(max_turns=40)
    observations, infos = both.reset(seed=1)
    while both.agents:
        mover = one.agent_selection
        for agent in AGENTS:
            np.testing.assert_equal(observations[agent], one.observe(agent))
            np.testing.assert_equal(infos[agent], one.infos[agent])
        action = int(rng.choice(np.flatnonzero(observations[mover]["action_mask"])))
        one.step(action)
        other = AGENTS[1 - AGENTS.index(mover)]
        actions = {mover: action, other: 10**9} if rng.random() < 0.5 else {mover: action}
        observations, rewards, terminations, truncations, infos = both.step(actions)
        assert rewards == one.rewards
        assert terminations == one.terminations and truncations == one.truncations
    assert not one.agents or any(one.terminations.values()) or any(one.truncations.values())
    assert both.step({}) == ({}, {}, {}, {}, {})


def test_parallel_needs_the_movers_action(name: str) -> None:
    env = getattr(ludarium, name).parallel_env()
    env.reset(seed=1)
    before = env.game_state
    for actions in ({}, {AGENTS[1]: 0}):
        with pytest.raises(ludarium.IllegalActionError, match=AGENTS[0]):
            env.step(actions)
    with pytest.raises(ValueError, match="dict"):
        env.step([0, 0])
    assert env.game_state == before
    with pytest.raises(AssertionError, match="reset"):
        getattr(ludarium, name).parallel_env().step({})


def test_max_cycles_counts_from_the_next_reset(name: str, rng: np.random.Generator) -> None:
    env = getattr(ludarium, name).parallel_env()
    env.reset(seed=1)
    env.max_cycles = 2
    assert env.max_cycles == 2
    env.reset(seed=1)
    while env.agents:
        mover = env.aec_env.agent_selection
        legal = np.flatnonzero(env.aec_env.observe(mover)["action_mask"])
        _, _, _, truncations, _ = env.step({mover: int(rng.choice(legal))})
    assert truncations == dict.fromkeys(AGENTS, True)
    with pytest.raises(ValueError, match="max_cycles=0 is not allowed: max_cycles is"):
        env.max_cycles = 0
