"""Compile beforehand what users of a game reach, so that nobody waits later.

What is compiled is kept in the folder of `ludarium.core.cache`, for the same sources, Python, Numba
and processor: for an image of a container, a job of continuous integration, or a classroom.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ludarium.agents import SearchAgent, make_agent
from ludarium.agents.alphazero import AlphaZeroAgent
from ludarium.arena.match import play_match
from ludarium.core.cache import keeping_root
from ludarium.core.turns import perft, turns
from ludarium.environments.aec import AECGame
from ludarium.environments.vector import VectorGame
from ludarium.single_agent.env import SingleAgentGame
from ludarium.single_agent.vector import SingleAgentVector

if TYPE_CHECKING:
    from ludarium.core.game import Game

SPECS = ("random", "greedy", "alphabeta:1", "mcts:2")  # of the agents that need no file


def _play_one(game: Game) -> None:
    """Use a state and the environment of PettingZoo."""
    state = game.new_initial_state(0)
    state.observation_tensor(1)
    next(turns(state))
    perft(game.state_from_string(state.to_string()), 1)
    env = AECGame(game)
    env.reset(seed=0)
    env.last()
    env.step(state.legal_actions()[0])


def _play_batches(game: Game) -> None:
    """Use a batch in every mode."""
    for autoreset in ("next_step", "same_step", "disabled"):
        for illegal in ("terminate", "penalize", "raise"):
            batch = VectorGame(game, 2, autoreset=autoreset, illegal=illegal)
            batch.reset(seed=0)
            batch.step(batch.sample_actions())
    batch.set_states(batch.states())
    batch.reset(options={"reset_mask": np.ones(2, bool)})


def _ask_agents(game: Game) -> None:
    """Use the agents that need no file, a match and the search of AlphaZero."""
    rng, state = np.random.default_rng(0), game.new_initial_state(0)
    for spec in SPECS:
        agent = make_agent(spec)
        agent.select_action(state, rng)
        if isinstance(agent, SearchAgent):
            agent.analyse(state, rng)
    short = game.type.load(**{**game.options, "max_turns": 8})
    for a, b in (("greedy", "random"), ("mcts:2", "alphabeta:1")):  # with trees that are kept
        play_match(short, a, b, games=2)

    def network(planes: Any) -> Any:
        n = len(planes)
        return np.zeros((n, game.num_distinct_actions), np.float32), np.zeros(n, np.float32)

    AlphaZeroAgent(network, 2).select_action(state, rng)


def _learn(game: Game) -> None:
    """Use the environments of Gymnasium, with opponents inside and outside of the kernels."""
    for opponent in ("random", "greedy", "mcts:2"):
        env = SingleAgentGame(game, opponent=opponent)
        _, info = env.reset(seed=0)
        env.step(int(np.flatnonzero(info["action_mask"])[0]))
        for autoreset in ("next_step", "same_step", "disabled"):
            batch = SingleAgentVector(game, 2, opponent=opponent, autoreset=autoreset)
            _, info = batch.reset(seed=0)
            batch.step(info["action_mask"].argmax(1))


#: What is made ready: in words, and the function that uses it once.
PARTS: tuple[tuple[str, Callable[[Game], None]], ...] = (
    ("rules, states and PettingZoo", _play_one),
    ("batches", _play_batches),
    ("agents and matches", _ask_agents),
    ("Gymnasium and learning", _learn),
)


def compiled_files() -> dict[Path, int]:
    """Return the files of compiled code that are kept, and their sizes in bytes.

    Raises:
        OSError: No folder can be written to, in which they would be kept.
    """
    return {path: path.stat().st_size for path in keeping_root().rglob("*.nbc")}
