"""The search agents: forced wins and losses, plain minimax, symmetry, turns of two actions."""

from __future__ import annotations

import json
import math
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wins import Prover

import ludarium
from ludarium.agents import Analysis, make_agent
from ludarium.agents import budget as budgets
from ludarium.agents.budget import is_turn_begun, parse_budget
from ludarium.core.game import kernels_for

SPECS = ("mcts:60", "mcts:5ms", "alphabeta:1", "alphabeta:5ms")


def whole_turn(agent: Any, state: Any, rng: np.random.Generator) -> tuple[str, Any]:
    """Play an agent's turn; returns its text and the state after it."""
    text, turn = "", state.turn_number()
    while state.turn_number() == turn and not state.is_terminal():
        action = agent.select_action(state, rng)
        text += state.action_to_string(action)
        state = state.child(action)
    return text, state


def walk(game: Any, seed: int) -> Iterator[Any]:
    """Yield all decisions of random games, one game after the other."""
    rng = np.random.default_rng(seed)
    while True:
        state = game.new_initial_state(int(rng.integers(2**32)))
        while not state.is_terminal():
            yield state.clone()
            state.apply_action(int(rng.choice(state.legal_actions())))


# ---------------------------------------------------------------- budgets


@pytest.mark.parametrize("name_", ["mcts", "alphabeta"])
@pytest.mark.parametrize(
    "argument", [None, "", "0", "-1", "1.5", "ms", "0ms", "2 ms", "2MS", "007", "x", "9" * 9, "²"]
)
def test_a_bad_budget_is_named_with_what_is_allowed(name_, argument):
    spec = name_ if argument is None else f"{name_}:{argument}"
    with pytest.raises(ValueError, match="1 to") as caught:
        make_agent(spec)
    assert repr(spec) in str(caught.value)
    assert "ms" in str(caught.value)


def test_budgets_are_counts_or_times():
    assert parse_budget("mcts", "200", "simulations", 1000).count == 200
    assert parse_budget("mcts", "250ms", "simulations", 10).ms == 250
    for spec in SPECS:
        assert make_agent(spec).name == spec


# ---------------------------------------------------------------- as agents


def test_answers_are_legal_and_repeat_with_the_seed(name, game):
    for spec in ("mcts:60", "alphabeta:1"):
        histories = []
        for _ in range(2):
            agent, rng = make_agent(spec), np.random.default_rng(3)
            state = game.new_initial_state(4)
            for _ in range(40):
                if state.is_terminal():
                    break
                text = state.to_string()
                action = agent.select_action(state, rng)
                assert type(action) is int
                assert state.to_string() == text
                state.apply_action(action)
            histories.append(state.history())
        assert histories[0] == histories[1]


def test_agents_answer_within_a_time_and_can_be_pickled(name, game):
    state = game.new_initial_state(0)
    for spec in SPECS:
        agent = make_agent(spec)
        agent.prepare(game)
        assert agent.select_action(state, np.random.default_rng(1)) in state.legal_actions()
        again = pickle.loads(pickle.dumps(agent))
        assert again.name == spec
        action = again.select_action(state, np.random.default_rng(1))
        assert action in state.legal_actions()
        if "ms" not in spec:
            assert action == make_agent(spec).select_action(state, np.random.default_rng(1))


class Ticks:
    """A clock that goes on by a millisecond whenever it is read."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.001
        return self.now


def two_action_turns(game: Any, count: int) -> Iterator[tuple[Any, Any]]:
    """Yield states that begin a turn of two actions, each with the state before its second."""
    last = None
    for state in walk(game, 3):
        if last is not None and state.turn_number() == last.turn_number() and state.history():
            yield last, state
            count -= 1
            if not count:
                return
        last = state


def test_the_phase_tells_whether_a_turn_is_begun(name, game):
    """Also in a state that has no history, such as one of a batch."""
    last = None
    states = walk(game, 3)
    for _ in range(300):
        state = next(states)
        expected = bool(
            last is not None and state.history() and state.turn_number() == last.turn_number()
        )
        assert is_turn_begun(state) is expected
        assert is_turn_begun(ludarium.State.from_array(game, state._array)) is expected
        last = state


@pytest.mark.parametrize("kind", ["mcts", "alphabeta"])
def test_a_time_is_for_a_whole_turn(name, game, kind, monkeypatch):
    clock = Ticks()
    monkeypatch.setattr(budgets, "perf_counter", clock)
    agent, rng = make_agent(f"{kind}:60ms"), np.random.default_rng(1)
    agent.prepare(game)
    turns = 0
    for state in walk(game, 4):
        if is_turn_begun(state) or state.turn_number() < 12:
            continue
        begin = clock.now
        whole_turn(agent, state, rng)
        assert clock.now - begin < 0.066  # the looks at the clock themselves included
        turns += 1
        if turns == 6:
            return


@pytest.mark.parametrize("kind", ["mcts", "alphabeta"])
def test_both_decisions_of_a_turn_get_a_share_of_its_time(name, game, kind, monkeypatch):
    """Whoever made the first one: the same agent, which knows what is left, or somebody else."""
    if game.type.rules.ACTIONS_PER_TURN == 1:
        clock = budgets.TurnClock(budgets.Budget(ms=90))
        clock.begin(game.new_initial_state(0))
        assert clock._next_check == clock._end  # the one action of a turn has the whole time
        return
    clock = Ticks()
    monkeypatch.setattr(budgets, "perf_counter", clock)
    rng = np.random.default_rng(1)
    agent = make_agent(f"{kind}:90ms")
    agent.prepare(game)
    spent = []
    for before, middle in two_action_turns(game, 12):
        begin = clock.now
        make_agent(f"{kind}:90ms").select_action(middle, rng)  # has not seen the first
        assert clock.now - begin < 0.036
        begin = clock.now
        action = agent.select_action(before, rng)
        first = clock.now - begin
        after = before.child(action)
        if after.is_terminal() or after.turn_number() != before.turn_number():
            continue
        assert first < 0.066
        again = ludarium.State.from_array(game, after._array)  # another object, the same position
        begin = clock.now
        agent.select_action(again, rng)
        spent.append((first, clock.now - begin))
        assert sum(spent[-1]) < 0.096
    assert spent


def test_a_first_decision_that_ends_the_turn_has_the_whole_time(monkeypatch):
    """And one whose first decision took no time leaves all of it to the second."""
    clock = Ticks()
    monkeypatch.setattr(budgets, "perf_counter", clock)
    game = ludarium.load_game("gyges")
    pairs = two_action_turns(game, 200)
    before, middle = next(
        pair for pair in pairs if any(ends_turn(pair[0], a) for a in pair[0].legal_actions())
    )
    ends = next(a for a in before.legal_actions() if ends_turn(before, a))
    goes_on = middle.history()[-1]
    watch = budgets.TurnClock(budgets.Budget(ms=90))
    for action, least, most in ((ends, 0.08, 0.095), (goes_on, 0.055, 0.065)):
        begin = clock.now
        watch.begin(before)
        while not watch.is_over(lambda action=action: action):
            pass
        assert least < clock.now - begin < most
    watch.begin(before)
    watch.finish(goes_on)  # at once
    begin = clock.now
    watch.begin(middle)
    while not watch.is_over(lambda: -1):
        pass
    assert 0.08 < clock.now - begin < 0.095


def ends_turn(state: Any, action: int) -> bool:
    after = state.child(action)
    return bool(after.is_terminal() or after.turn_number() != state.turn_number())


@pytest.mark.parametrize("spec", ["mcts:10000000", "mcts:3600000ms", "alphabeta:30"])
def test_a_search_can_be_broken_off(name, game, spec):
    """Once its event is set, it answers legally and soon; cleared, it searches in full again."""
    stop = threading.Event()
    agent = make_agent(spec)
    agent.prepare(game)
    agent.stop_event = stop
    state, rng = game.new_initial_state(0), np.random.default_rng(1)
    before = state.to_string()
    threading.Timer(0.2, stop.set).start()
    text, after = whole_turn(agent, state, rng)  # both actions of a turn
    assert after.turn_number() == 1 and text and state.to_string() == before
    assert agent.analyse(state, rng).effort < 10_000_000
    assert pickle.loads(pickle.dumps(agent)).stop_event is None


@pytest.mark.parametrize("spec", ["mcts:300", "alphabeta:2"])
def test_an_event_that_is_not_set_changes_no_answer(name, game, spec):
    answers = []
    for stop in (None, threading.Event()):
        agent, states = make_agent(spec), walk(game, 5)
        agent.stop_event = stop
        rng = np.random.default_rng(1)
        answers.append([agent.select_action(next(states), rng) for _ in range(6)])
    assert answers[0] == answers[1]


def test_agents_refuse_a_finished_game(name):
    state = ludarium.load_game(name, max_turns=1).new_initial_state(0)
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    for spec in SPECS:
        agent = make_agent(spec)
        for ask in (agent.select_action, agent.analyse):
            with pytest.raises(ValueError, match="over"):
                ask(state, np.random.default_rng(1))


def test_an_analysis_says_what_was_found(name, game):
    state = next(s for s in walk(game, 2) if s.turn_number() == 5)
    for spec in ("mcts:300", "alphabeta:2"):
        found = make_agent(spec).analyse(state, np.random.default_rng(1))
        assert isinstance(found, Analysis)
        assert found.action == make_agent(spec).select_action(state, np.random.default_rng(1))
        assert found.line[0] == state.action_to_string(found.action)
        assert -1 <= found.value <= 1
        assert found.line[0] in str(found) and "line:" in str(found)
        after = state
        for text in found.line:
            after = after.child(after.string_to_action(text))
    mcts = make_agent("mcts:300").analyse(state, np.random.default_rng(1))
    assert mcts.effort == 300
    assert set(mcts.visits) <= set(state.legal_actions())
    assert sum(mcts.visits.values()) == 300 or mcts.proven
    assert mcts.visits[mcts.action] == max(mcts.visits.values()) or mcts.proven


def test_the_tree_is_kept_within_a_turn(name, game):
    """And only there: any other state is searched afresh."""
    stages = game.stages
    state = next(s for s in walk(game, 5) if s.turn_number() > 3)
    agent, rng = make_agent("mcts:400"), np.random.default_rng(1)
    for _ in range(30):
        before, found = state, agent.analyse(state, rng)
        state = state.child(found.action)
        if state.is_terminal():
            break
        if state.turn_number() == before.turn_number():
            more = agent.analyse(state, rng)
            assert more.proven or sum(more.visits.values()) > 400
            fresh = agent.analyse(before, rng)
            assert fresh.proven or sum(fresh.visits.values()) == 400
            return
    assert len(stages) == 1 or stages == ("turn",), "no turn of two actions was met"


# ---------------------------------------------------------------- forced wins, forced losses


def evidence(name: str, kind: str) -> list[dict[str, Any]]:
    lines = (Path(__file__).parent / name / "wins.jsonl").read_text().splitlines()
    return [found for found in map(json.loads, lines) if found["kind"] == kind]


@pytest.mark.parametrize("spec", ["alphabeta:1", "mcts:1", "mcts:100"])
def test_a_win_is_taken(name, game, spec):
    found = evidence(name, "win1")
    assert len(found) >= 5
    for line in found:
        state = game.state_from_string(line["pos"])
        text, after = whole_turn(make_agent(spec), state, np.random.default_rng(1))
        assert text in line["turns"], line
        assert after.returns()[state.current_player()] == 1
        analysis = make_agent(spec).analyse(state, np.random.default_rng(1))
        assert analysis.proven and analysis.value == 1


def test_a_win_in_two_is_found_and_carried_through(name, game):
    found = evidence(name, "win2")
    assert len(found) >= 5
    rng = np.random.default_rng(1)
    for line in found:
        state, agent = game.state_from_string(line["pos"]), make_agent("alphabeta:3")
        analysis = agent.analyse(state, rng)
        assert analysis.proven and analysis.value == 1, line
        text, after = whole_turn(agent, state, rng)
        assert text in line["turns"], line
        _, answered = whole_turn(make_agent("greedy"), after, rng)
        if not answered.is_terminal():
            _, answered = whole_turn(agent, answered, rng)
        assert answered.returns()[state.current_player()] == 1


def test_mcts_finds_wins_in_two(name, game):
    """Or something as good: it need not be the shortest way."""
    proven = shortest = 0
    found = evidence(name, "win2")
    for line in found:
        state = game.state_from_string(line["pos"])
        analysis = make_agent("mcts:50000").analyse(state, np.random.default_rng(1))
        assert analysis.value > 0.8, line
        proven += analysis.proven
        assert not analysis.proven or analysis.value == 1
        assert not analysis.proven or analysis.effort < 50_000  # it is over when it is certain
        text, _ = whole_turn(make_agent("mcts:50000"), state, np.random.default_rng(1))
        shortest += text in line["turns"]
    assert proven >= len(found) / 3 and shortest >= len(found) / 2


@pytest.mark.parametrize("spec", ["alphabeta:2", "mcts:5000"])
def test_a_loss_is_avoided(name, game, spec):
    found = evidence(name, "save")
    assert len(found) >= 5
    for line in found:
        state = game.state_from_string(line["pos"])
        text, _ = whole_turn(make_agent(spec), state, np.random.default_rng(1))
        assert text in line["turns"], line


def test_the_evidence_is_what_the_reference_says(name):
    prover = Prover(name)
    for kind in ("win1", "save"):
        line = evidence(name, kind)[0]
        position = prover.reference.parse(line["pos"])
        sign = 1 if prover.reference.text(position).split()[1] in "WSR" else -1
        if kind == "win1":
            assert sorted(prover.wins(position, sign)) == line["turns"]
        else:
            everything = prover.turns(position).items()
            assert sorted(t for t, end in everything if prover.safe(end, sign)) == line["turns"]


def test_wins_at_sight_are_all_wins(name, game):
    """What playouts take is what brute force finds."""
    kernels, rules = kernels_for(game.type, "ludarium.agents.mcts_kernels"), game.type.rules
    scratch, stream = np.empty(rules.SCRATCH_SIZE, rules.SCRATCH_DTYPE), np.array([3], np.uint64)
    seen = [0, 0]
    texts = [line["pos"] for kind in ("win1", "win2", "save") for line in evidence(name, kind)]
    states = [game.state_from_string(text) for text in texts]
    walking = walk(game, 8)
    for state in [*states, *(next(walking) for _ in range(400))]:
        player = state.current_player()
        action = int(kernels.winning_action(state._array, scratch, stream))
        wins = [e for _, e in ludarium.turns(state) if e.is_terminal() and e.returns()[player] == 1]
        assert (action >= 0) == bool(wins), state
        seen[bool(wins)] += 1
        if action >= 0:
            after = state.child(action)
            if not after.is_terminal():
                _, after = whole_turn(make_agent("alphabeta:1"), after, np.random.default_rng(1))
            assert after.returns()[player] == 1
    assert min(seen) > 5


WITHOUT = """
import json, sys
import numpy as np
import ludarium
from ludarium.core.jit import instantiate

game = ludarium.load_game("sphlag")
rules = game.type.rules
plain = instantiate("ludarium.agents.mcts_kernels", game.type.package, rules=rules,
                    kernels=game.type.kernels, evaluation=None)
scratch, stream = np.empty(rules.SCRATCH_SIZE, rules.SCRATCH_DTYPE), np.array([3], np.uint64)
for line in map(json.loads, open(sys.argv[1])):
    state = game.state_from_string(line["pos"])
    action = int(plain.winning_action(state._array, scratch, stream))
    assert (action >= 0) == (line["kind"] == "win1"), line
    assert action < 0 or state.action_to_string(action) in line["turns"], line
print("found")
"""


def test_a_game_without_an_evaluation_is_searched_too(tmp_path):
    """In a process and with a cache of its own: compiled code does not tell the two apart."""
    found = subprocess.run(
        [sys.executable, "-c", WITHOUT, str(Path(__file__).parent / "sphlag" / "wins.jsonl")],
        capture_output=True,
        text=True,
        env={**os.environ, "LUDARIUM_CACHE_DIR": str(tmp_path)},
    )
    assert found.stdout == "found\n", found.stderr


# ---------------------------------------------------------------- plain minimax

WIN = 1_000_000


def minimax(state: Any, player: int, last: int, start: int, evaluate: Any) -> int:
    """Return the value of a position for a player, by looking at everything."""
    if state.is_terminal():
        return int(state.returns()[player] * (WIN - (state.turn_number() - start)))
    if state.turn_number() >= last:
        mover = state.current_player()
        return int(evaluate(state._array, mover)) * (1 if mover == player else -1)
    values = [
        minimax(state.child(action), player, last, start, evaluate)
        for action in state.legal_actions()
    ]
    return max(values) if state.current_player() == player else min(values)


def test_alphabeta_is_plain_minimax(name, game):
    evaluate = kernels_for(game.type, "ludarium.agents.alphabeta_kernels").evaluate
    rng = np.random.default_rng(1)
    compared = {1: 0, 2: 0}
    half_made = 0
    walking = walk(game, 21)
    for number in range(400):
        state = next(walking)
        depth = 1 + number % 2
        if number % 7 or ludarium.perft(state, depth) > 4000:
            continue
        start, player = state.turn_number(), state.current_player()
        expected = minimax(state, player, start + depth, start, evaluate)
        agent = make_agent(f"alphabeta:{depth}")
        _, _, action, score, _ = agent._search(state, rng)
        assert score == expected, state
        after = minimax(state.child(action), player, start + depth, start, evaluate)
        assert after == expected, state
        compared[depth] += 1
        half_made += state.stage() in ("drop", "land")
    assert min(compared.values()) >= 5, compared
    assert half_made or len(game.stages) == 1


# ---------------------------------------------------------------- signs and symmetry


def test_alpha_zero_general_306_both_actions_of_a_turn_have_the_same_sign(name, game):
    """Negating at every action makes a piece look as bad as its landing is good."""
    if len(game.stages) == 1:  # no such turns: the player changes every time
        for state, _ in zip(walk(game, 4), range(40), strict=False):
            after = state.child(state.legal_actions()[0])
            assert after.is_terminal() or after.current_player() != state.current_player()
        return
    rng = np.random.default_rng(2)
    judge = make_agent("alphabeta:1")
    for state, _ in zip(walk(game, 6), range(60), strict=False):  # a turn is worth its best half
        value = judge.analyse(state, rng).value
        for action in state.legal_actions()[:12]:
            after = state.child(action)
            if after.current_player() == state.current_player():
                assert value >= judge.analyse(after, rng).value, (state, action)
    compared = 0
    for line in evidence(name, "win2"):
        state = game.state_from_string(line["pos"])
        for spec in ("alphabeta:3", "mcts:20000"):
            assert make_agent(spec).analyse(state, rng).value > 0.5, (line, spec)
        for turn in line["turns"]:
            for action in state.legal_actions():
                after = state.child(action)
                first = state.action_to_string(action)
                if not turn.startswith(first) or turn == first or after.is_terminal():
                    continue
                assert after.current_player() == state.current_player()
                for spec in ("alphabeta:3", "mcts:20000"):
                    value = make_agent(spec).analyse(after, rng).value
                    assert value > 0.5, (line, first, spec, value)
                compared += 1
            if compared >= 8:
                return
    assert compared >= 2


def test_symmetrical_actions_get_the_same_value(name, game):
    """To within what chance allows, at a start that its symmetries leave as it is."""
    state = game.new_initial_state(0)
    tensor = state.observation_tensor()
    found = make_agent("mcts:40000").analyse(state, np.random.default_rng(1))
    compared = 0
    for gather, actions in game.symmetries()[1:]:
        if not np.array_equal(tensor.flat[gather].reshape(tensor.shape), tensor):
            continue
        for action, visits in found.visits.items():
            other = int(actions[action])
            if other != action and visits > 100 and found.visits.get(other, 0) > 100:
                noise = math.sqrt(1 / visits + 1 / found.visits[other])
                assert abs(found.values[action] - found.values[other]) < 4.5 * noise
                compared += 1
    assert compared >= 2
    assert abs(found.value) < 0.6


def test_an_analysis_says_why_it_declines_what_it_looked_at_most() -> None:
    state = ludarium.load_game("sphlag").new_initial_state()
    analyst = make_agent("mcts:500")
    found = analyst.analyse(state, np.random.default_rng(0))  # type: ignore[attr-defined]
    most = max(found.visits, key=lambda action: found.visits[action])
    assert found.texts[most] == "pass" and found.action != most
    assert "not pass, which has the most visits: it draws, or lets the opponent draw" in str(found)
    other = make_agent("alphabeta:1").analyse(state, np.random.default_rng(0))  # type: ignore[attr-defined]
    assert other.note == ""
