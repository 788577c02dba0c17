"""The search that a network guides: against a slow one, signs, exact ends, batches; its agent."""

from __future__ import annotations

import json
import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ludarium
from ludarium.agents.alphazero import AlphaZeroAgent, AlphaZeroSearch, root_schedule
from ludarium.arena import play_game
from ludarium.arena.evaluate import Score, evaluate


class Guess:
    """A network of fixed random weights: bounded logits, values between -1 and 1."""

    def __init__(self, game: Any, seed: int = 5) -> None:
        rng, size = np.random.default_rng(seed), int(np.prod(game.observation_shape))
        self.policy = rng.normal(0, 0.3, (size, game.num_distinct_actions)).astype(np.float32)
        self.value = rng.normal(0, 0.2, size).astype(np.float32)
        self.batches: list[int] = []

    def __call__(self, planes: Any) -> tuple[Any, Any]:
        self.batches.append(len(planes))
        flat = planes.reshape(len(planes), -1).astype(np.float32)
        return flat @ self.policy, np.tanh(flat @ self.value)


class Same(Guess):
    """Every action alike, every position worth `worth` for the player to move."""

    def __init__(self, game: Any, worth: float = 0.0) -> None:
        self.actions, self.worth = game.num_distinct_actions, worth

    def __call__(self, planes: Any) -> tuple[Any, Any]:
        n = len(planes)
        return np.zeros((n, self.actions), np.float32), np.full(n, self.worth, np.float32)


def walk(game: Any, rng: Any, actions: int) -> Any:
    """Return a running state after so many random actions, or fewer."""
    state = game.new_initial_state(0)
    for _ in range(actions):
        after = state.child(int(rng.choice(state.legal_actions())))
        if after.is_terminal():
            break
        state = after
    return state


def positions(game: Any, rng: Any, number: int = 12) -> list[Any]:
    return [walk(game, rng, int(rng.integers(0, 40))) for _ in range(number)]


# ---------------------------------------------------------------- a slow search


class Node:
    """A position of the slow search; its value and total are of its own player to move."""

    def __init__(self, state: Any, ask: Any) -> None:
        self.state, self.ask, self.children = state, ask, {}
        self.player = state.current_player()
        self.visits, self.total = 0, 0.0
        if state.is_terminal():
            self.value = None
            return
        logits, values = ask(state.observation_tensor()[None])
        self.legal = state.legal_actions()
        own = logits[0, self.legal].astype(float)
        own = own - own.max()
        self.logits = np.maximum(own - np.log(np.exp(own).sum()), -50)
        self.value = float(values[0])

    def child_value(self, action: int) -> float:
        """What an action is worth for the player to move here: the sign turns with the player."""
        child = self.children[action]
        if child.state.is_terminal():
            return float(child.state.returns()[self.player])
        mean = child.total / child.visits
        return float(mean if child.player == self.player else -mean)

    def improved(self, value_scale: float) -> Any:
        tried = [k for k, a in enumerate(self.legal) if a in self.children]
        visits = [self.children[self.legal[k]].visits for k in tried]
        prior = np.exp(self.logits)
        values = np.zeros(len(self.legal))
        values[tried] = [self.child_value(self.legal[k]) for k in tried]
        mixed = self.value
        if tried:
            mean = (prior[tried] * values[tried]).sum() / prior[tried].sum()
            mixed = (self.value + sum(visits) * mean) / (1 + sum(visits))
        completed = np.full(len(self.legal), mixed)
        completed[tried] = values[tried]
        return self.logits + value_scale * (50 + max(visits, default=0)) * completed

    def simulate(self, choice: int, value_scale: float) -> tuple[float, int]:
        """Try an action; returns a value and the player for whom it is."""
        action = self.legal[choice]
        if action not in self.children:
            child = self.children[action] = Node(self.state.child(action), self.ask)
            found = (child.value, child.player)
            if child.value is None:
                found = (child.state.returns()[0], 0)
            child.visits, child.total = 1, found[0]
        else:
            child = self.children[action]
            if child.state.is_terminal():
                found = (child.state.returns()[0], 0)
            else:
                share = np.exp(scores := child.improved(value_scale)) / np.exp(scores).sum()
                lag = [
                    p - (child.children[a].visits if a in child.children else 0) / child.visits
                    for p, a in zip(share, child.legal, strict=True)
                ]
                found = child.simulate(int(np.argmax(lag)), value_scale)
            child.visits += 1
            child.total += found[0] if child.player == found[1] else -found[0]
        return found


def slowly(state: Any, ask: Any, simulations: int, considered: int, value_scale: float) -> Any:
    """Return the root of a search without noise, and its chosen action."""
    root = Node(state, ask)
    order = root_schedule(considered, simulations)[min(considered, len(root.legal))]

    def counts() -> Any:
        return np.array([root.children[a].visits if a in root.children else 0 for a in root.legal])

    for wanted in order:
        scores = np.where(counts() == wanted, root.improved(value_scale), -np.inf)
        root.simulate(int(scores.argmax()), value_scale)
    scores = np.where(counts() == counts().max(), root.improved(value_scale), -np.inf)
    return root, root.legal[int(scores.argmax())]


def test_the_search_is_the_slow_one(name: str, game: Any, rng: Any) -> None:
    """Visits, policy, value and action, from whole and half-made turns of both players.

    alpha-zero-general 306: a sign turned at every action would call the winner's a loss.
    """
    states = positions(game, rng, 8) + [
        game.state_from_string(line["pos"]) for line in wins(name, ("win1", "save"), 8)
    ]
    ask = Guess(game)
    search = AlphaZeroSearch(
        game, ask, num_simulations=48, max_num_considered_actions=8, value_scale=0.02
    )
    output = search.search(states)
    for i, state in enumerate(states):
        root, action = slowly(state, ask, 48, 8, 0.02)
        visits = np.zeros(game.num_distinct_actions, int)
        for a, child in root.children.items():
            visits[a] = child.visits
        assert visits.tolist() == output.visits[i].tolist(), state
        assert output.actions[i] == action
        improved = np.exp(scores := root.improved(0.02)) / np.exp(scores).sum()
        assert output.action_weights[i][root.legal] == pytest.approx(improved, abs=1e-4)
        values = [root.child_value(a) * child.visits for a, child in root.children.items()]
        assert output.values[i] == pytest.approx((root.value + sum(values)) / 49, abs=1e-4)
    assert len({state.current_player() for state in states}) == 2


# ---------------------------------------------------------------- what must always hold


def test_the_schedule_halves() -> None:
    schedule = root_schedule(4, 8)
    assert schedule[1].tolist() == list(range(8))
    assert schedule[2].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert schedule[4].tolist() == [0, 0, 0, 0, 1, 1, 2, 2]
    for m, row in enumerate(root_schedule(16, 64)):
        counts = [0] * max(1, m)
        for wanted in row:  # there is always an action with as many visits as are wanted
            counts[counts.index(wanted)] += 1
        assert sum(counts) == 64 and max(counts) >= 64 / max(1, m)


def test_counts_and_legality_with_noise(name: str, game: Any, rng: Any) -> None:
    """Along games of self-play: every simulation counts, and only legal actions do."""
    games = ludarium.make_vec(name, num_envs=16, seed=3, autoreset="same_step", illegal="raise")
    search = AlphaZeroSearch(game, Guess(game), num_simulations=12, max_num_considered_actions=6)
    obs, _ = games.reset()
    for _ in range(60):
        output, mask = search.search(games, rng), obs["action_mask"] != 0
        assert (output.visits.sum(1) == 12).all()
        assert not output.visits[~mask].any() and not output.action_weights[~mask].any()
        assert output.action_weights.sum(1) == pytest.approx(np.ones(16), abs=1e-5)
        assert (np.abs(output.values) <= 1).all()
        assert (output.visits[np.arange(16), output.actions] == output.visits.max(1)).all()
        obs, *_ = games.step(output.actions)


def test_a_batch_is_its_games(name: str, game: Any, rng: Any) -> None:
    """The network sees all games at once; each is searched as if alone."""
    states = positions(game, rng)
    before = [state.to_string() for state in states]
    ask = Guess(game)
    together = AlphaZeroSearch(game, ask, num_simulations=16).search(states)
    assert len(ask.batches) <= 17 and ask.batches[0] == len(states)
    alone = AlphaZeroSearch(game, ask, num_simulations=16)
    for i, state in enumerate(states):
        one = alone.search([state])
        assert one.visits[0].tolist() == together.visits[i].tolist()
        assert one.values[0] == pytest.approx(together.values[i], abs=1e-5)
    assert [state.to_string() for state in states] == before
    again = AlphaZeroSearch(game, ask, num_simulations=16)
    noisy = [again.search(states, np.random.default_rng(seed)) for seed in (1, 1, 2)]
    assert (noisy[0].visits == noisy[1].visits).all()
    assert (noisy[0].visits != noisy[2].visits).any()


def wins(name: str, kinds: tuple[str, ...], number: int) -> list[dict[str, Any]]:
    lines = (Path(__file__).parent / name / "wins.jsonl").read_text().splitlines()
    return [line for line in map(json.loads, lines) if line["kind"] in kinds][:number]


def winning(state: Any) -> set[int]:
    """The actions that win at once."""
    player = state.current_player()
    return {a for a in state.legal_actions() if state.child(a).returns()[player] == 1}


def test_a_win_in_one_is_found_without_knowledge(name: str, game: Any) -> None:
    """By a network that knows nothing, in positions where an action wins; also a turn's second."""
    agent = AlphaZeroAgent(Same(game), num_simulations=700, max_num_considered_actions=400)
    lines = wins(name, ("win1",), 8)
    assert lines
    for line in lines:
        state = game.state_from_string(line["pos"])
        if not winning(state):
            player = state.current_player()
            halves = [state.child(a) for a in state.legal_actions()]
            state = next(s for s in halves if s.current_player() == player and winning(s))
        assert agent.select_action(state, np.random.default_rng(0)) in winning(state)


def test_ends_are_exact(name: str) -> None:
    """The last turn before the limit is worth 0, whatever a network that hopes would say."""
    game = ludarium.load_game(name, max_turns=1)
    state = game.new_initial_state(0)
    assert all(state.child(action).is_truncated() for action in state.legal_actions())
    output = AlphaZeroSearch(game, Same(game, 0.9), num_simulations=199).search([state])
    assert output.values[0] == pytest.approx(0.9 / 200)  # asked once, of the root
    state.apply_action(state.legal_actions()[0])
    over = AlphaZeroSearch(game, Same(game)).search([state])
    assert (over.actions[0], over.values[0]) == (0, 0)
    assert not over.visits.any() and not over.action_weights.any()


# ---------------------------------------------------------------- the agent


class First:
    """Takes the first legal action."""

    name = "first"

    def select_action(self, state: Any, rng: Any) -> int:
        return state.legal_actions()[0]


def test_evaluation_counts_what_the_arena_counts(name: str) -> None:
    """All games in lock-step, or one by one."""
    game = ludarium.load_game(name, max_turns=30)
    agent = AlphaZeroAgent(Guess(game), num_simulations=8)
    results = [
        play_game(game, agent, First()).result[0],
        play_game(game, First(), agent).result[1],
    ]
    score = evaluate(agent, game, First(), games=4)
    assert score == Score(*(2 * results.count(value) for value in (1.0, 0.0, -1.0)))
    copy = pickle.loads(pickle.dumps(agent))
    assert evaluate(copy, game, First(), games=4) == score


def wrong_answers(game: Any) -> dict[str, Any]:
    n, float32 = game.num_distinct_actions, np.float32
    bad = np.full((1, n), np.nan, float32)
    return {
        "two arrays": np.zeros((1, n), float32),
        "returns two": None,
        f"\\(1, {n - 1}\\)": (np.zeros((1, n - 1), float32), np.zeros(1, float32)),
        "of shape \\(1, 1\\)": (np.zeros((1, n), float32), np.zeros((1, 1), float32)),
        "returned nan": (bad, np.zeros(1, float32)),
    }


@pytest.mark.parametrize("index", range(5))
def test_rejects_a_wrong_answer_of_the_network(name: str, game: Any, index: int) -> None:
    """Compiled code reads the network's arrays without checking their bounds."""
    message, answer = list(wrong_answers(game).items())[index]
    search = AlphaZeroSearch(game, lambda planes: answer, num_simulations=2)
    with pytest.raises(ValueError, match=message):
        search.search([game.new_initial_state(0)])


def test_a_network_may_answer_in_lists_and_other_floats(name: str, game: Any) -> None:
    ask, state = Guess(game), game.new_initial_state(0)
    expected = AlphaZeroSearch(game, ask, num_simulations=4).search([state])

    def lists(planes: Any) -> Any:
        logits, values = ask(planes)
        return logits.astype(np.float64).tolist(), values.astype(np.float64)[::-1][::-1]

    output = AlphaZeroSearch(game, lists, num_simulations=4).search([state])
    assert (output.visits == expected.visits).all() and "num_simulations=4" in repr(
        AlphaZeroSearch(game, ask, num_simulations=4)
    )


def test_mistakes_are_named(name: str, game: Any) -> None:
    ask = Same(game)
    for option in (
        {"num_simulations": 0},
        {"max_num_considered_actions": 0},
        {"value_scale": 0},
        {"value_scale": "0"},
    ):
        with pytest.raises(ValueError, match=f"{next(iter(option))}='?0"):
            AlphaZeroSearch(game, ask, **option)
    with pytest.raises(ValueError, match="num_simulations=0"):
        AlphaZeroAgent(ask, num_simulations=0)
    other = ludarium.load_game(name, max_turns=7)
    with pytest.raises(ValueError, match="max_turns=7"):
        AlphaZeroSearch(game, ask).search([other.new_initial_state(0)])
    with pytest.raises(ValueError, match="no position"):
        AlphaZeroSearch(game, ask).search([])
    with pytest.raises(TypeError, match="not State"):
        AlphaZeroSearch(game, ask).search(other.new_initial_state(0))
    with pytest.raises(ValueError, match="states is empty"):
        AlphaZeroAgent(ask).search_actions([])
    with pytest.raises(ValueError, match="reset"):
        AlphaZeroSearch(game, ask).search(ludarium.make_vec(name, num_envs=2))
    state = other.new_initial_state(0)
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    with pytest.raises(ValueError, match="over"):
        AlphaZeroAgent(ask).select_action(state, np.random.default_rng(0))


def test_an_analysis_is_the_search_in_words(name: str, game: Any, rng: Any) -> None:
    """As of `ludarium show --ask`: the action that is played, visits, values, an expected line."""
    agent = AlphaZeroAgent(Guess(game), num_simulations=24)
    for state in positions(game, rng, 4):
        before = state.to_string()
        analysis = agent.analyse(state, rng)
        assert analysis.action == agent.select_action(state, rng) and state.to_string() == before
        assert sum(analysis.visits.values()) == analysis.effort == 24
        assert analysis.line[0] == state.action_to_string(analysis.action)
        assert analysis.visits.keys() == analysis.values.keys() == analysis.texts.keys()
        assert all(-1 <= value <= 1 for value in analysis.values.values())
        assert analysis.value == analysis.values[analysis.action]
        assert f"plays {analysis.line[0]}" in str(analysis)
    for line in wins(name, ("win1",), 4):
        state = game.state_from_string(line["pos"])
        if winning(state):
            search = AlphaZeroAgent(Same(game), 700, max_num_considered_actions=400)
            analysis = search.analyse(state, rng)
            assert analysis.proven and analysis.value == 1 and len(analysis.line) == 1
            break


def test_a_search_can_be_broken_off(name: str, game: Any, rng: Any) -> None:
    """The network itself sets the event, after 20 questions."""
    stop, asked, guess = threading.Event(), [0], Guess(game)

    def network(planes: Any) -> Any:
        asked[0] += 1
        if asked[0] == 20:
            stop.set()
        return guess(planes)

    agent = AlphaZeroAgent(network, num_simulations=600)
    agent.stop_event = stop
    state = game.new_initial_state(1)
    assert agent.select_action(state) in state.legal_actions()
    assert asked[0] == 20
    assert agent.analyse(state).effort == 1, "the event is still set"
    stop.clear()
    assert agent.search_actions([state]).shape == (1,) and asked[0] > 300
    assert pickle.loads(pickle.dumps(AlphaZeroAgent(len))).stop_event is None


def test_show_asks_a_network(tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    """`ludarium show GAME --ask alphazero:N:FILE`, which needs `analyse`."""
    from ludarium.agents import SearchAgent
    from ludarium.cli import games

    name = ludarium.list_games()[-1]
    agent = AlphaZeroAgent(Same(ludarium.load_game(name)), 8)
    assert isinstance(agent, SearchAgent)
    monkeypatch.setattr("ludarium.agents.make_agent", lambda spec: agent)
    games.show_command.main([name, "--ask", "alphazero:8:FILE"], standalone_mode=False)
    assert "alphazero:8:FILE plays" in capsys.readouterr().out
