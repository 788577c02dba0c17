"""PettingZoo's checkers, with the newest version and the libraries around it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pettingzoo.test
import pytest
from checks import audit, draw, play, recorded

import ludarium


def test_checkers(name: str, record_property: Any, capsys: Any) -> None:
    module = getattr(ludarium, name)
    pettingzoo.test.api_test(module.env(), num_cycles=200)
    assert "Passed" in capsys.readouterr().out
    pettingzoo.test.seed_test(module.env, 50)
    pettingzoo.test.parallel_api_test(module.parallel_env(), num_cycles=100)
    pettingzoo.test.render_test(module.env)
    pettingzoo.test.state_test(module.env(), module.parallel_env())
    for checker in ("api_test", "seed_test", "parallel_api_test", "render_test", "state_test"):
        record_property("checker", checker)


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_loop(name: str, wrapped: bool, tmp_path: Path, rng: np.random.Generator) -> None:
    env: Any = recorded(name, tmp_path, max_turns=200)
    if wrapped:
        env = pettingzoo.utils.wrappers.OrderEnforcingWrapper(env)
    given = []
    for seed in range(6):
        env.reset(seed=seed)
        given.append(tuple(play(env, lambda seen: draw(seen["action_mask"], rng)).values()))
    assert given == [game.returns for game in audit(tmp_path, least=6)]


def test_performance_benchmark(name: str, record_property: Any, capsys: Any) -> None:
    """It plays legal actions for five seconds; how many is for people."""
    pettingzoo.test.performance_benchmark(ludarium.make(name))
    assert "turns per second" in capsys.readouterr().out
    record_property("checker", "performance_benchmark")
