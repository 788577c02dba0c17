"""The built-in agents against brute force over states; specs; agents of other packages."""

from __future__ import annotations

import importlib
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ludarium
from ludarium.agents import Agent, list_agents, make_agent
from ludarium.arena import play_match

# ---------------------------------------------------------------- specs


def test_specs_make_agents_that_are_named_after_them():
    assert {"greedy", "random"} <= set(list_agents())
    for spec in ("greedy", "random"):
        agent = make_agent(spec)
        assert isinstance(agent, Agent)
        assert agent.name == spec
        assert make_agent(spec) is not agent


@pytest.mark.parametrize(
    "spec", ["greed", "", ":", "Greedy", "mctss:3", "nobody:3", "greedy random"]
)
def test_an_unknown_spec_is_named_with_what_there_is(spec):
    with pytest.raises(ValueError, match="greedy") as caught:
        make_agent(spec)
    assert repr(spec) in str(caught.value)
    assert "random" in str(caught.value)


@pytest.mark.parametrize("spec", ["random:", "random:3", "greedy:2", "greedy:"])
def test_an_argument_that_an_agent_does_not_take_is_named(spec):
    with pytest.raises(ValueError, match=spec):
        make_agent(spec)


@pytest.mark.parametrize("spec", [None, 3, ["greedy"]])
def test_a_spec_of_another_type_is_a_type_error(spec):
    with pytest.raises(TypeError, match="spec of an agent"):
        make_agent(spec)


def test_guided_is_an_alias_of_alphazero():
    points = {point.name: point.value for point in entry_points(group="ludarium.agents")}
    assert points["guided"] == points["alphazero"]
    assert ludarium.agents.guided is ludarium.agents.alphazero


def test_another_package_adds_an_agent_by_an_entry_point(tmp_path, monkeypatch):
    info = tmp_path / "stranger-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[ludarium.agents]\nlast = stranger:Last\n")
    (tmp_path / "stranger.py").write_text(
        "class Last:\n"
        "    def __init__(self, argument):\n"
        "        self.name = f'last:{argument}'\n"
        "    def select_action(self, state, rng):\n"
        "        return state.legal_actions()[-1]\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    registry = importlib.import_module("ludarium.core.registry")
    registry._agent_points.cache_clear()
    try:
        assert "last" in list_agents()
        agent = make_agent("last:abc:d")
        assert agent.name == "last:abc:d"
        assert make_agent("last").name == "last:None"
        assert play_match("sphlag", "last:1", "random", games=2).players[0] == "last:1"
    finally:
        registry._agent_points.cache_clear()


# ---------------------------------------------------------------- every game


def positions(game: Any, count: int, seed: int) -> Iterator[Any]:
    """Yield the last few decisions of games, where there is something to win and to lose."""
    rng = np.random.default_rng(seed)
    greedy, chance = make_agent("greedy"), make_agent("random")
    while True:
        state = game.new_initial_state(int(rng.integers(2**32)))
        states = []
        while not state.is_terminal():
            states.append(state.clone())
            agent = greedy if rng.random() < 0.6 else chance
            state.apply_action(agent.select_action(state, rng))
        for found in states[-4:]:
            yield found
            count -= 1
            if not count:
                return


def score(state: Any, player: int) -> float | None:
    """Return a finished game's score, None for a running or truncated one."""
    if not state.is_terminal() or state.is_truncated():
        return None
    return state.returns()[player]


def best_reply(state: Any, player: int) -> float | None:
    """Return 1 or 0 if the opponent of `player` can win or at best draw with one turn."""
    best = None
    for _, after in ludarium.turns(state):
        reached = score(after, 1 - player)
        if reached == 1:
            return 1
        if reached == 0:
            best = 0
    return best


def rank(after: Any, player: int) -> int:
    """Return how good a turn is for greedy: 4 wins, 3 safe, 2 drawish, 1 gives the win, 0 loses."""
    reached = score(after, player)
    if reached is not None:
        return {1: 4, 0: 2, -1: 0}[reached]
    if after.is_terminal():
        return 3
    return {None: 3, 0: 2, 1: 1}[best_reply(after, player)]


def test_greedy_takes_wins_and_gives_none_away(name, game):
    agent, rng = make_agent("greedy"), np.random.default_rng(5)
    seen = dict.fromkeys(range(5), 0)
    avoided = 0  # positions in which a turn drawn at random would have been worse
    for state in positions(game, 60, seed=11):
        player, turn = state.current_player(), state.turn_number()
        after = state
        while after.turn_number() == turn and not after.is_terminal():
            after = after.child(agent.select_action(after, rng))
        chosen = rank(after, player)
        seen[chosen] += 1
        if chosen == 4:
            continue
        ends = [end for _, end in ludarium.turns(state)]
        if chosen == 3:
            assert all(score(end, player) != 1 for end in ends), state
            avoided += rank(ends[rng.integers(len(ends))], player) < 3
        else:
            assert all(rank(end, player) <= chosen for end in ends), state
    assert seen[4] > 5 and seen[3] > 5 and seen[0] + seen[1] > 0, seen
    assert avoided > 1


def test_agents_answer_legally_at_every_decision_and_repeat_with_the_seed(name, game):
    for spec in ("greedy", "random"):
        histories = []
        for _ in range(2):
            agent, rng = make_agent(spec), np.random.default_rng(3)
            state = game.new_initial_state(4)
            for _ in range(60):
                if state.is_terminal():
                    break
                text = state.to_string()
                action = agent.select_action(state, rng)
                assert type(action) is int
                assert state.to_string() == text
                state.apply_action(action)
            histories.append(state.history())
        assert histories[0] == histories[1]


def test_agents_are_random_where_nothing_decides(name, game):
    state = game.new_initial_state(0)
    rng = np.random.default_rng(0)
    for spec in ("greedy", "random"):
        agent = make_agent(spec)
        assert len({agent.select_action(state, rng) for _ in range(50)}) > 2


def test_agents_can_be_pickled(name, game):
    state = game.new_initial_state(0)
    for spec in ("greedy", "random"):
        agent = make_agent(spec)
        before = agent.select_action(state, np.random.default_rng(1))
        again = pickle.loads(pickle.dumps(agent))
        assert again.select_action(state, np.random.default_rng(1)) == before


def test_agents_refuse_a_finished_game(name):
    state = ludarium.load_game(name, max_turns=1).new_initial_state(0)
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    for spec in ("greedy", "random"):
        with pytest.raises(ValueError, match="over"):
            make_agent(spec).select_action(state, np.random.default_rng(1))


def test_greedy_beats_random(name, game):
    assert play_match(game, "greedy", "random", games=60, seed=2).win_rate > 0.85


# ---------------------------------------------------------------- what a game may add

HUNGRY = """
import types
import numpy as np
import ludarium
from ludarium.core.jit import instantiate

game = ludarium.load_game("sphlag")

def gain(before, after, player):
    count = lambda board: int(board).bit_count()
    return count(after[player]) - count(before[player])

parts = dict(rules=game.type.rules, kernels=game.type.kernels)
hungry = instantiate("ludarium.agents.turn_kernels", game.type.package, **parts,
                     evaluation=types.SimpleNamespace(gain=gain))
stream = np.array([1], np.uint64)
state = game.new_initial_state()
for _ in range(10):
    placings = [a for a in state.legal_actions() if "/" in state.action_to_string(a)
                and "-" not in state.action_to_string(a)]
    action = int(hungry.choose_greedily(state._array, stream))
    assert not placings or action in placings, (state, action)
    state.apply_action(action)
print("placed")
"""


def test_greedy_prefers_what_the_game_calls_a_gain_and_runs_without_jit(tmp_path):
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "LUDARIUM_CACHE_DIR": str(tmp_path)}
    found = subprocess.run(
        [sys.executable, "-W", "error", "-c", HUNGRY],
        capture_output=True,
        text=True,
        env=environment,
        cwd=tmp_path,
        check=False,
    )
    assert found.stdout == "placed\n", found.stderr


def test_an_edit_of_a_template_is_seen(tmp_path, monkeypatch):
    """The cache is keyed by the source of a template too, not by the game's and core's alone."""
    jit = importlib.import_module("ludarium.core.jit")
    package = tmp_path / "template_of_test"
    package.mkdir()
    (package / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("LUDARIUM_CACHE_DIR", str(tmp_path / "cache"))
    folders = []
    for edit in ("", "", "# an edit\n"):
        code = f"import numba\nWHERE = numba.config.CACHE_DIR\n{edit}"
        Path(package / "kernels.py").write_text(code)
        folders.append(jit.instantiate("template_of_test.kernels", "ludarium.games.sphlag").WHERE)
    assert folders[0] == folders[1] != folders[2]


@pytest.mark.parametrize(
    ("spec", "malformed", "missing"),
    [
        ("sb3:", "sb3:FILE or sb3:FILE:GAME", "sb3:model.zip"),
        ("sb3", "sb3:FILE or sb3:FILE:GAME", "sb3:model.zip"),
        ("alphazero:0:model.zip", "N an int, 1 to 10000", "alphazero:8:model.zip"),
        ("guided:", "alphazero:N:FILE", "guided:8:model.zip"),
    ],
)
def test_a_malformed_spec_is_named_before_a_missing_library(monkeypatch, spec, malformed, missing):
    monkeypatch.setitem(sys.modules, "torch", None)  # as where it is not installed
    for module in ("ludarium.wrappers.sb3_agent", "ludarium.wrappers.sb3_alphazero"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(ValueError, match=malformed):
        make_agent(spec)
    with pytest.raises(ImportError, match=r"pip install 'ludarium\[train\]', or in a clone"):
        make_agent(missing)
