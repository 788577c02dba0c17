"""There and back: our games through OpenSpiel, as PettingZoo environments of Shimmy.

Rewards are read at the step that ends a game: in Shimmy 2.0 `last()` counts the second agent's
twice, with OpenSpiel's own games as well, and `seed_test` cannot pass, because the spaces that it
seeds are made anew at every step.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import draw, run_example
from pettingzoo.test import api_test
from shimmy.openspiel_compatibility import OpenSpielCompatibilityV0

import ludarium
from ludarium.wrappers.openspiel import register

register()

VARIANTS = [
    *((name, None) for name in ludarium.list_games()),
    ("gliss", {"board_size": 13}),
    ("gyges", {"setup": "random"}),
    ("gyges", {"max_turns": 9}),
]


@pytest.mark.parametrize("title, config", VARIANTS)
def test_checker(title: str, config: Any, record_property: Any, capsys: Any) -> None:
    env = OpenSpielCompatibilityV0(game_name=f"ludarium_{title}", config=config)
    api_test(env, num_cycles=100)
    assert "Passed" in capsys.readouterr().out
    record_property("checker", "PettingZoo's api_test")


@pytest.mark.parametrize("title, config", VARIANTS)
def test_the_same_game(title: str, config: Any, rng: np.random.Generator) -> None:
    """Masks, agents, observations and rewards are those of our own environment."""
    theirs = OpenSpielCompatibilityV0(game_name=f"ludarium_{title}", config=config)
    ours = ludarium.make(title, **(config or {}))
    twice = 0
    for seed in range(3):
        theirs.reset(seed=seed)
        ours.reset()
        ours.set_game_state(theirs.game_state.state)
        while True:
            agent = ours.agent_selection
            assert theirs.agent_selection == agent
            seen, mask = ours.observe(agent), ours.infos[agent]["action_mask"]
            np.testing.assert_array_equal(theirs.infos[agent]["action_mask"], mask)
            expected = seen["observation"].transpose(2, 0, 1)
            np.testing.assert_array_equal(theirs.observe(agent), expected)
            action = draw(mask, rng)
            ours.step(action)
            theirs.step(action)
            assert theirs.rewards == ours.rewards
            over = ours.terminations[agent] or ours.truncations[agent]
            assert theirs.terminations[agent] == over  # OpenSpiel knows no truncation
            if over:
                break
            twice += ours.agent_selection == agent
        assert theirs.game_state.returns() == ours.game_state.returns()
    assert (twice > 0) == (ours.game.max_game_length > ours.game.max_turns)


def test_the_example(tmp_path: Path) -> None:
    run_example("31_shimmy", tmp_path)
