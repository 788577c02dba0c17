"""Arguments of wrong types, copies, and calls in a wrong order."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

import ludarium
from ludarium.agents import make_agent
from ludarium.agents.alphazero import AlphaZeroAgent, AlphaZeroSearch
from ludarium.arena import PolicyAgent, play_game, play_match, tournament
from ludarium.environments.aec import AECGame
from ludarium.environments.infos import reason_word, result_word
from ludarium.environments.parallel import ParallelGame
from ludarium.environments.vector import VectorGame
from ludarium.single_agent.env import SingleAgentGame
from ludarium.single_agent.vector import SingleAgentVector

GAME = ludarium.load_game("sphlag")
RNG = np.random.default_rng(0)
ID = "ludarium:ludarium/Sphlag-v0"


def network(planes: Any) -> Any:
    return np.zeros((len(planes), GAME.num_distinct_actions)), np.zeros(len(planes))


def started() -> AECGame:
    env = ludarium.make("sphlag")
    env.reset(seed=1)
    return env


WRONG: list[tuple[str, Callable[[Any], Any]]] = [
    (f"{method} of {spec}", lambda bad, spec=spec, method=method: ask(spec, method, bad))
    for spec in ("random", "greedy", "mcts:5", "alphabeta:1")
    for method in ("select_action", "rng", "analyse", "prepare")
    if hasattr(make_agent(spec), "select_action" if method == "rng" else method)
]
WRONG += [
    ("AECGame", AECGame),
    ("ParallelGame", ParallelGame),
    ("VectorGame", VectorGame),
    ("SingleAgentGame", SingleAgentGame),
    ("SingleAgentVector", SingleAgentVector),
    ("load_game", ludarium.load_game),
    ("make", ludarium.make),
    ("make_vec", ludarium.make_vec),
    ("perft", lambda bad: ludarium.perft(bad, 1)),
    ("turns", lambda bad: list(ludarium.turns(bad))),
    ("make_agent", make_agent),
    ("play_match", lambda bad: play_match(bad, "random", "random", games=2)),
    ("player of play_match", lambda bad: play_match("sphlag", bad, "random", games=2)),
    ("play_game", lambda bad: play_game(bad, "random", "random")),
    ("tournament", lambda bad: tournament(bad, ["random", "greedy"])),
    ("agents of a tournament", lambda bad: tournament("sphlag", bad)),
    ("PolicyAgent", PolicyAgent),
    ("set_game_state", lambda bad: started().set_game_state(bad)),
    ("render_state", lambda bad: started().render_state(bad)),
    ("observe", lambda bad: started().observe(bad)),
    ("set_states", lambda bad: ludarium.make_vec("sphlag", 1).set_states([bad])),
    ("a game's array", lambda bad: ludarium.State.from_array(GAME, bad)),
    ("an array's game", lambda bad: ludarium.State.from_array(bad, np.zeros(9))),
    ("state_from_string", GAME.state_from_string),
    ("string_to_action", lambda bad: GAME.new_initial_state(0).string_to_action(bad)),
    ("apply_action", lambda bad: GAME.new_initial_state(0).apply_action(bad)),
    ("result_word", result_word),
    ("reason_word", reason_word),
    ("opponent", lambda bad: gymnasium.make(ID, opponent=bad)),
    ("AlphaZeroSearch", lambda bad: AlphaZeroSearch(bad, network)),
    ("network", lambda bad: AlphaZeroAgent(bad)),
    ("network of a search", lambda bad: AlphaZeroSearch(GAME, bad)),
    ("search", lambda bad: AlphaZeroSearch(GAME, network).search(bad)),
    ("search of one", lambda bad: AlphaZeroSearch(GAME, network).search([bad])),
    ("search.analyse", lambda bad: AlphaZeroSearch(GAME, network).analyse(bad)),
    ("AlphaZeroAgent", lambda bad: AlphaZeroAgent(network).select_action(bad)),
    ("AlphaZeroAgent.analyse", lambda bad: AlphaZeroAgent(network).analyse(bad)),
    ("AlphaZeroAgent.prepare", lambda bad: AlphaZeroAgent(network).prepare(bad)),
    ("search_actions", lambda bad: AlphaZeroAgent(network).search_actions(bad)),
    ("search_actions of one", lambda bad: AlphaZeroAgent(network).search_actions([bad])),
]


def ask(spec: str, method: str, bad: Any) -> Any:
    agent: Any = make_agent(spec)
    if method == "prepare":
        return agent.prepare(bad)
    if method == "rng":
        return agent.select_action(GAME.new_initial_state(0), bad)
    return getattr(agent, method)(bad, RNG)


@pytest.mark.parametrize("bad", [None, 5, {}, object()], ids=["None", "5", "{}", "object"])
@pytest.mark.parametrize(("what", "call"), WRONG, ids=[what for what, _ in WRONG])
def test_a_wrong_type_is_named(what, call, bad):
    """By an error of our own: an attribute or key that is missing tells nobody what is allowed."""
    with pytest.raises((TypeError, ValueError)) as caught:
        call(bad)
    text = str(caught.value)
    assert "has no attribute" not in text and "subscriptable" not in text, text
    assert type(bad).__name__ in text or repr(bad) in text or "empty" in text, text


def test_an_environment_is_not_a_state():
    with pytest.raises(TypeError, match="a State is needed, not AECGame"):
        make_agent("greedy").select_action(started(), RNG)  # type: ignore[arg-type]


@pytest.mark.parametrize("word", [result_word, reason_word])
def test_words_of_infos_name_bad_codes(word):
    key = word.__name__.split("_")[0]
    for info in ({key: 9}, {key: -2}, {key: np.array([0, 1])}, {key: "won"}):
        with pytest.raises(ValueError, match=f"{key} is an int, -1 to"):
            word(info)
    assert word({key: np.int64(0)}) is not None


# ---------------------------------------------------------------- copies


def environments(name: str) -> list[Any]:
    title = ludarium.load_game(name).name.capitalize()
    module = importlib.import_module(f"ludarium.games.{name}")
    entry = f"ludarium:ludarium/{title}-v0"
    batch = {"num_envs": 3, "vectorization_mode": "vector_entry_point"}
    return [
        module.env(),
        module.parallel_env(),
        gymnasium.make(entry, opponent="random").unwrapped,
        ludarium.make_vec(name, 3),
        gymnasium.make_vec(entry, **batch).unwrapped,
    ]


def texts(env: Any) -> list[str]:
    if hasattr(env, "states"):
        return [state.to_string() for state in env.states()]
    return [env.game_state.to_string()]


def act(env: Any, seed: int = 0) -> None:
    """Play one random legal action, or one in each game."""
    rng = np.random.default_rng(seed)
    if isinstance(env, AECGame):
        env.step(int(rng.choice(env.game_state.legal_actions())))
    elif isinstance(env, ParallelGame):
        env.step({agent: int(rng.choice(env.game_state.legal_actions())) for agent in env.agents})
    elif isinstance(env, SingleAgentGame):
        env.step(int(rng.choice(env.game_state.legal_actions())))
    else:
        env.step(env.sample_actions())


def test_a_shallow_copy_is_independent_too(name):
    for env in environments(name):
        env.reset(seed=1)
        act(env)
        before = texts(env)
        copied = copy.copy(env)
        assert type(copied) is type(env) and texts(copied) == before
        act(copied)
        assert texts(env) == before
        assert texts(copied) != before
        copied = copy.copy(env)
        act(env)
        assert texts(copied) == before
    for env in environments(name):
        copy.copy(env).reset(seed=1)  # also before the first reset


# ---------------------------------------------------------------- limits, and the order of calls


def test_the_limit_of_turns_is_named_and_is_that_of_texts(name):
    module = importlib.import_module(f"ludarium.games.{name}")
    for bad in (0, 10**9, 10**30, "x", 1.5):
        with pytest.raises(ValueError, match=r"max_turns is an int, 1 to 999999999$"):
            ludarium.load_game(name, max_turns=bad)
        for factory in (module.env, module.parallel_env):
            with pytest.raises(ValueError, match=r"max_cycles is an int, 1 to 999999999$"):
                factory(max_cycles=bad)
        env = module.parallel_env()
        with pytest.raises(ValueError, match=r"max_cycles is an int, 1 to 999999999$"):
            env.max_cycles = bad
    game = ludarium.load_game(name, max_turns=999_999_999)
    state = game.new_initial_state(0)
    assert game.state_from_string(state.to_string()) == state
    with pytest.raises(ValueError, match="'max_cycles'"):
        module.env(cycles=3)


@pytest.mark.parametrize("options", [5, [], "x"])
def test_options_of_a_reset_are_a_dict(name, options):
    for env in environments(name):
        env.reset(seed=1)
        before = texts(env)
        with pytest.raises(ValueError, match="options is a dict, or None"):
            env.reset(options=options)
        assert texts(env) == before
        env.reset(options={"unknown": 1})


def test_calls_before_a_reset_name_the_method():
    for env in environments("sphlag"):
        batch = hasattr(env, "states")
        if isinstance(env, (AECGame, ParallelGame)):
            continue  # PettingZoo's own messages, which test_pettingzoo compares
        for method, arguments in (("step", [[0, 0, 0] if batch else 0]), ("action_masks", [])):
            if hasattr(env, method):
                with pytest.raises(ValueError, match=rf"before {method}\(\)"):
                    getattr(env, method)(*arguments)
        env.render_mode = "rgb_array"
        with pytest.raises(ValueError, match=r"before render\(\)"):
            env.render()
    assert ludarium.make_vec("sphlag", 2).current_player.tolist() == [-1, -1]  # as documented


@pytest.mark.parametrize("seed", [-1, 1.5, "x", [1, -1], [1, 2]])
def test_a_bad_seed_is_named_with_what_is_allowed(name, seed):
    for env in environments(name):
        if isinstance(seed, list) and not hasattr(env, "states"):
            continue
        with pytest.raises(ValueError, match="seed is an int >= 0"):
            env.reset(seed=seed)


@pytest.mark.parametrize("package", ["", ".agents", ".arena", ".records", ".wrappers", ".drawing"])
def test_packages_list_only_their_names(package):
    module = importlib.import_module(f"ludarium{package}")
    names = {name for name in dir(module) if not name.startswith("_")}
    assert set(getattr(module, "__all__", ())) <= names
    assert not names & {"Any", "TYPE_CHECKING", "submodule", "listed", "importlib", "annotations"}


# ---------------------------------------------------------------- what the documentation says


def finished_batches(name: str) -> list[Any]:
    """Return batches in which each game is over and waits."""
    entry = f"ludarium:ludarium/{name.capitalize()}-v0"
    batch = {"num_envs": 2, "vectorization_mode": "vector_entry_point"}
    options = {"max_turns": 1, "autoreset": "disabled"}
    return [
        ludarium.make_vec(name, 2, **options),
        gymnasium.make_vec(entry, **batch, **options).unwrapped,
    ]


def test_actions_of_finished_games_are_in_the_range_too(name):
    for env in finished_batches(name):
        env.reset(seed=1)
        for _ in range(4):
            _, _, terminated, truncated, _ = env.step(env.sample_actions())
        assert (terminated | truncated).all()
        env.step([0, 0])  # ignored
        with pytest.raises(ludarium.IllegalActionError, match="game 1: action -1 is out of range"):
            env.step([0, -1])


def test_single_agent_infos_add_three_numbers(name):
    for env in environments(name):
        result = env.reset(seed=1)
        info = env.infos["player_0"] if isinstance(env, AECGame) else result[1]
        info = info.get("player_0", info)
        common = {"action_mask", "turn", "stage", "result", "reason"}
        more = {"seat", "opponent", "length"}
        single = isinstance(env, (SingleAgentGame, SingleAgentVector))
        assert {key for key in info if key[0] != "_"} == (common | more if single else common)


@pytest.mark.parametrize("answer", [None, "pass", 1.5, [0]])
def test_an_answer_of_a_wrong_type_loses_a_game_of_a_match(answer):
    result = play_match("sphlag", PolicyAgent(lambda seen: answer), "random", games=2)
    assert (result.losses, result.illegal) == (2, 2)


def test_only_steps_that_end_a_game_have_final_infos(name):
    entry = f"ludarium:ludarium/{name.capitalize()}-v0"
    options = {"max_turns": 14, "autoreset": "same_step", "seed": 1}
    batch = {"num_envs": 2, "vectorization_mode": "vector_entry_point"}
    for env in (
        ludarium.make_vec(name, 2, **options),
        gymnasium.make_vec(entry, **batch, **options).unwrapped,
    ):
        env.reset(seed=1)
        seen = set()
        for _ in range(40):
            _, _, terminated, truncated, info = env.step(env.sample_actions())
            ended = bool((terminated | truncated).any())
            for key in ("final_obs", "final_info", "_final_obs", "_final_info"):
                assert (key in info) is ended
            seen.add(ended)
        assert seen == {True, False}
