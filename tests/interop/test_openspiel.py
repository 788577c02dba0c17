"""The games as OpenSpiel's: its own checks, the same positions as ours, its algorithms."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
from typing import Any

import numpy as np
import pyspiel
import pytest
from checks import run_example
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import (
    evaluate_bots,
    generate_playthrough,
    mcts,
    minimax,
    tabular_qlearner,
)
from open_spiel.python.bots import uniform_random
from open_spiel.python.observation import make_observation
from open_spiel.python.tests import games_sim_test

import ludarium
from ludarium.arena import play_match
from ludarium.wrappers.openspiel import AgentBot, BotAgent, register

register()

VARIANTS = [
    *(f"ludarium_{name}" for name in ludarium.list_games()),
    "ludarium_gliss(board_size=14,max_turns=40)",
    "ludarium_gyges(setup=random)",
]


def begin(game: Any, seed: int = 0) -> Any:
    """Return the first position in which a player is to act."""
    state = game.new_initial_state()
    if state.is_chance_node():
        state.apply_action(seed)
    return state


def walk(game: Any, seed: int, most: int = 10**6) -> Any:
    """Play random actions; returns the state."""
    rng, state = random.Random(seed), begin(game, seed)
    while not state.is_terminal() and most:
        state.apply_action(rng.choice(state.legal_actions()))
        most -= 1
    return state


# ---------------------------------------------------------------- OpenSpiel's own checks


@pytest.mark.parametrize("text", VARIANTS)
def test_checkers(text: str, record_property: Any) -> None:
    game = pyspiel.load_game(text)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)
    record_property("checker", "pyspiel.random_sim_test")
    games_sim_test.GamesSimTest().sim_game(game)
    record_property("checker", "games_sim_test")


def test_a_playthrough(name: str) -> None:
    """OpenSpiel writes down all that its interface tells of a game, and finds it again."""
    lines = generate_playthrough.playthrough(f"ludarium_{name}(max_turns=3)", action_sequence=None)
    assert f'GameType.short_name = "ludarium_{name}"' in lines
    assert "IsTerminal() = True" in lines


# ---------------------------------------------------------------- the same as ours


def test_registering_again_changes_nothing(name: str) -> None:
    names = register()
    assert names == [f"ludarium_{other}" for other in ludarium.list_games()]
    assert pyspiel.registered_names().count(f"ludarium_{name}") == 1


def test_positions_are_those_of_our_states(name: str) -> None:
    """Every step of a game agrees; a turn of two actions is two actions of one player."""
    ours = ludarium.load_game(name)
    theirs = pyspiel.load_game(f"ludarium_{name}")
    assert theirs.num_distinct_actions() == ours.num_distinct_actions
    assert theirs.max_game_length() == ours.max_game_length
    rng, twice = random.Random(4), 0
    state, spiel = ours.new_initial_state(), theirs.new_initial_state()
    while not state.is_terminal():
        assert str(spiel) == state.to_string()
        assert spiel.current_player() == state.current_player()
        assert spiel.legal_actions() == state.legal_actions()
        assert spiel.legal_actions_mask() == state.legal_actions_mask().tolist()
        assert spiel.legal_actions(1 - state.current_player()) == []
        for player in (0, 1):
            planes = np.array(spiel.observation_tensor(player))
            planes = planes.reshape(theirs.observation_tensor_shape())
            expected = state.observation_tensor(player).transpose(2, 0, 1)
            np.testing.assert_array_equal(planes, expected)
        action, before = rng.choice(state.legal_actions()), state.current_player()
        text = state.action_to_string(action)
        assert spiel.action_to_string(action) == text
        assert spiel.string_to_action(text) == action
        state.apply_action(action)
        spiel.apply_action(action)
        twice += state.current_player() == before
    assert spiel.is_terminal() and spiel.current_player() == pyspiel.PlayerId.TERMINAL
    assert spiel.returns() == spiel.rewards() == state.returns()
    assert spiel.history() == state.history() and spiel.legal_actions() == []
    assert (twice > 0) == (ours.max_game_length > ours.max_turns)


def test_layout_is_channels_first(name: str) -> None:
    game = pyspiel.load_game(f"ludarium_{name}")
    height, width, channels = ludarium.load_game(name).observation_shape
    assert game.observation_tensor_shape() == [channels, height, width]
    assert game.observation_tensor_layout() == pyspiel.TensorLayout.CHW
    observation, state = make_observation(game), walk(game, 1, 7)
    observation.set_from(state, 1)
    assert observation.tensor.tolist() == state.observation_tensor(1)
    assert observation.dict["observation"].shape == (channels, height, width)
    assert observation.string_from(state, 0) == str(state)


@pytest.mark.parametrize("text", VARIANTS)
def test_copies(text: str) -> None:
    game = pyspiel.load_game(text)
    for most in (0, 1, 2, 9):
        state = walk(game, 3, most)
        saved = pyspiel.serialize_game_and_state(game, state)
        copies = [
            state.clone(),
            pickle.loads(pickle.dumps(state)),
            pyspiel.deserialize_game_and_state(saved)[1],
        ]
        for other in copies:
            assert str(other) == str(state) and other.history() == state.history()
            other.apply_action(other.legal_actions()[-1])
            assert str(other) != str(state)
            assert len(state.history()) + 1 == len(other.history())


def test_an_illegal_action_raises_and_changes_nothing(name: str) -> None:
    state = walk(pyspiel.load_game(f"ludarium_{name}"), 2, 5)
    before, history = str(state), state.history()
    illegal = next(a for a, legal in enumerate(state.legal_actions_mask()) if not legal)
    for action in (illegal, 10**6):
        with pytest.raises(ludarium.IllegalActionError, match=str(action)):
            state.apply_action(action)
        assert str(state) == before and state.history() == history
        assert str(action) in state.action_to_string(action)


def test_a_position_can_be_given_as_text(name: str) -> None:
    game = pyspiel.load_game(f"ludarium_{name}")
    text = str(walk(game, 5, 3))
    state = game.new_initial_state(text)
    assert str(state) == text and state.history() == []
    copy = state.clone()
    copy.apply_action(copy.legal_actions()[0])
    assert str(state) == text and len(copy.history()) == 1
    with pytest.raises(ValueError, match="nonsense"):
        game.new_initial_state("nonsense")


# ---------------------------------------------------------------- options


def test_parameters_are_the_options() -> None:
    game = pyspiel.load_game("ludarium_gliss", {"board_size": 13})
    assert game.game == ludarium.load_game("gliss", board_size=13)
    assert str(game) == "ludarium_gliss(board_size=13)"
    for text in (
        "ludarium_gliss(board_size=99)",
        "ludarium_gyges(setup=odd)",
        "ludarium_sphlag(max_turns=-3)",
    ):
        with pytest.raises(ValueError, match="is not allowed"):
            pyspiel.load_game(text)


def test_a_random_setup_is_drawn_by_chance() -> None:
    game = pyspiel.load_game("ludarium_gyges(setup=random)")
    assert game.get_type().chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    state = game.new_initial_state()
    assert state.is_chance_node() and not any(state.observation_tensor(0))
    outcomes, chances = zip(*state.chance_outcomes(), strict=True)
    assert len(outcomes) == game.max_chance_outcomes() and abs(sum(chances) - 1) < 1e-9
    starts = {str(begin(game, seed)) for seed in outcomes[:40]}
    assert len(starts) > 30
    assert begin(game, 7).state == game.game.new_initial_state(7)
    with pytest.raises(ValueError, match="4096"):
        state.apply_action(4096)
    for other in ludarium.list_games():
        kind = pyspiel.load_game(f"ludarium_{other}").get_type()
        assert kind.chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC


# ---------------------------------------------------------------- processes


FRESH = """
import pickle, sys
game, state = pickle.loads(bytes.fromhex(sys.argv[1])), None
print(game, game.new_initial_state())
"""


def test_a_pickled_game_arrives_in_a_new_process(name: str) -> None:
    """The process ends well, too: OpenSpiel's registry outlives Python."""
    game = pyspiel.load_game(f"ludarium_{name}(max_turns=30)")
    command = [sys.executable, "-W", "error", "-c", FRESH, pickle.dumps(game).hex()]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == f"{game} {game.new_initial_state()}"


# ---------------------------------------------------------------- its algorithms


@pytest.mark.parametrize("text", VARIANTS)
def test_its_tree_search_plays(text: str) -> None:
    game = pyspiel.load_game(text)
    rng = np.random.RandomState(1)
    search = mcts.MCTSBot(
        game, 1.4, 3, mcts.RandomRolloutEvaluator(1, rng), solve=True, random_state=rng
    )
    bots = [search, uniform_random.UniformRandomBot(1, rng)]
    start = game.new_initial_state()
    if start.is_chance_node():
        start.apply_action(3)
    else:  # near the end
        start = last_positions(game, 1)[0]
    returns = evaluate_bots.evaluate_bots(start, bots, rng)
    assert sum(returns) == 0 and start.is_terminal() and returns == start.state.returns()


def last_positions(game: Any, count: int) -> list[Any]:
    """Return positions of random games, won by the rules, from which the mover's turn wins."""
    found: list[Any] = []
    for seed in range(200):
        states = [begin(game, seed)]
        rng = random.Random(seed)
        while not states[-1].is_terminal():
            states.append(states[-1].child(rng.choice(states[-1].legal_actions())))
        winner = int(np.argmax(states[-1].returns()))
        if not any(states[-1].returns()) or states[-2].current_player() != winner:
            continue
        turn = states[-2].state.turn_number()
        found.append(next(state for state in states if state.state.turn_number() == turn))
        if len(found) == count:
            return found
    raise AssertionError("random games are not won often enough")


def winning(state: Any) -> set[int]:
    """Return the first actions of turns that win at once, found with our own states."""
    player = state.current_player()
    return {
        action
        for action in state.legal_actions()
        for _, after in ludarium.turns(state.state.child(action))
        if after.returns()[player] > 0
    } | {
        action
        for action in state.legal_actions()
        if state.state.child(action).returns()[player] > 0
    }


def test_alpha_zero_general_306_double_turns_and_signs(name: str) -> None:
    """Searches that look at who is to move see a win two actions away as a win."""
    game = pyspiel.load_game(f"ludarium_{name}")
    for state in last_positions(game, 3):
        wins = winning(state)
        actions = 1 + (game.game.max_game_length > game.game.max_turns)
        value, action = minimax.alpha_beta_search(
            game,
            state.clone(),
            value_function=lambda _: 0,
            maximum_depth=actions,
            maximizing_player_id=state.current_player(),
        )
        assert value == 1 and action in wins
        rng = np.random.RandomState(0)
        bot = mcts.MCTSBot(game, 1.4, 2000, ZeroEvaluator(), solve=True, random_state=rng)
        assert bot.step(state.clone()) in wins


class ZeroEvaluator(mcts.Evaluator):
    """Knows nothing: values of 0 and all actions alike."""

    def evaluate(self, state: Any) -> Any:
        return np.zeros(2)

    def prior(self, state: Any) -> Any:
        actions = state.legal_actions()
        return [(action, 1 / len(actions)) for action in actions]


def learn(name: str, agents: Any, games: int) -> int:
    """Let two of OpenSpiel's learners play each other; returns how often one acted twice."""
    env = rl_environment.Environment(f"ludarium_{name}", max_turns=12)
    twice = 0
    for _ in range(games):
        time_step, last = env.reset(), None
        while not time_step.last():
            player = time_step.observations["current_player"]
            twice += player == last
            last = player
            action = agents[player].step(time_step).action
            assert action in time_step.observations["legal_actions"][player]
            time_step = env.step([action])
        for agent in agents:
            agent.step(time_step)
        assert time_step.rewards == env.get_state.returns() == env.get_state.state.returns()
    return twice


def test_its_q_learner_learns(name: str) -> None:
    game = pyspiel.load_game(f"ludarium_{name}")
    agents = [tabular_qlearner.QLearner(i, game.num_distinct_actions()) for i in (0, 1)]
    twice = learn(name, agents, 20)
    assert (twice > 0) == (game.game.max_game_length > game.game.max_turns)


def test_its_dqn_learns(name: str) -> None:
    from open_spiel.python.pytorch import dqn

    game = pyspiel.load_game(f"ludarium_{name}")
    agents = [
        dqn.DQN(
            player_id,
            state_representation_size=game.observation_tensor_size(),
            num_actions=game.num_distinct_actions(),
            hidden_layers_sizes=[16],
            replay_buffer_capacity=256,
            batch_size=16,
            learn_every=8,
            min_buffer_size_to_learn=32,
        )
        for player_id in (0, 1)
    ]
    learn(name, agents, 15)
    assert all(agent.loss is not None for agent in agents)


# ---------------------------------------------------------------- agents and bots


def test_agents_play_there_and_bots_here(name: str) -> None:
    game = pyspiel.load_game(f"ludarium_{name}(max_turns=10)")
    rng = np.random.RandomState(0)
    bots = [AgentBot("greedy", seed=1), uniform_random.UniformRandomBot(1, rng)]
    state = game.new_initial_state()
    returns = evaluate_bots.evaluate_bots(state, bots, rng)
    assert state.is_terminal() and returns == state.returns()

    search = mcts.MCTSBot(game, 1.4, 2, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
    bot = BotAgent(search, game, name="theirs")
    result = play_match(game.game, bot, "random", games=2, seed=1)
    assert result.games == 2 and result.illegal == 0
    with pytest.raises(ValueError, match="theirs plays"):
        bot.select_action(ludarium.load_game(name).new_initial_state(), np.random.default_rng())


def test_the_example(tmp_path: Any) -> None:
    for name in ludarium.list_games():
        assert "win_rate" in run_example("30_openspiel", tmp_path, "--game", name)
