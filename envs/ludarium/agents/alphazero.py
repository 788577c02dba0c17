"""A network that searches: Gumbel AlphaZero for any game, many games in lock-step.

Train with `AlphaZeroSearch` on a batch of games; play with `AlphaZeroAgent`. The network may come
from any library: it is a function of planes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ludarium.agents.drivers import drivers_of
from ludarium.core.options import at_least_one
from ludarium.environments.vector import VectorGame

if TYPE_CHECKING:
    from ludarium.core.game import Game
    from ludarium.core.state import State

Floats: TypeAlias = npt.NDArray[np.float32]
#: From planes int8 [n, H, W, C], each seen by the player to move, to logits float32 [n, A] and
#: values float32 [n] for the player to move, -1 to 1.
Network: TypeAlias = Callable[[npt.NDArray[np.int8]], tuple[Floats, Floats]]


class Tree(NamedTuple):
    """The arrays of N trees of M nodes each; see ``alphazero_kernels.py``."""

    states: npt.NDArray[Any]
    node: npt.NDArray[np.int32]
    value: Floats
    total: Floats
    actions: npt.NDArray[np.int32]
    logits: Floats
    child: npt.NDArray[np.int32]


class Found(NamedTuple):
    """What a search found in each of n positions; zeros where the game is over.

    Attributes:
        actions: int64 [n], to play.
        policies: float32 [n, A], the improved policy, which the network is to learn.
        visits: int32 [n, A], simulations by first action.
        values: float32 [n], mean value of all visits for the player to move.
    """

    actions: npt.NDArray[np.int64]
    policies: Floats
    visits: npt.NDArray[np.int32]
    values: Floats


class AlphaZeroSearch:
    """Search many positions at once, the network seeing the new nodes of all as one batch.

    This is Gumbel AlphaZero (Danihelka, Guez, Schrittwieser, Silver 2022), which learns with few
    simulations: noise on the logits chooses `considered` actions of the root, sequential halving
    compares them, and the answer is one of them and an improved policy over all. A game that is
    over in the tree counts with its exact result, a truncated one as 0. Values turn their sign
    with the player and not with the action, so a turn may be two actions.

    Args:
        game: the game, with its options.
        network: the function to ask.
        simulations: of each search; each adds one node, or counts an end of the game once more.
        considered: at most so many actions of the root are tried.
        sharpness: how much values weigh against the network's logits.

    Raises:
        ValueError: A number is not allowed.
    """

    def __init__(
        self,
        game: Game,
        network: Network,
        simulations: int = 32,
        considered: int = 16,
        sharpness: float = 0.3,
    ) -> None:
        self.game, self.network = game, network
        self.simulations = at_least_one("simulations", simulations)
        self.considered = at_least_one("considered", considered)
        if not sharpness > 0:
            raise ValueError(f"sharpness={sharpness!r} is not allowed: it is a number > 0")
        self.sharpness = float(sharpness)
        self._schedule = root_schedule(self.considered, self.simulations)
        self._tree: Tree | None = None
        self._where = np.zeros((0, 2), np.int64)
        self._planes = np.zeros((0, 0), np.int8)

    def search(
        self,
        positions: VectorGame | Sequence[State],
        rng: np.random.Generator | None = None,
    ) -> Found:
        """Search the positions of a batch of games, or states, which all stay as they are.

        Args:
            positions: they may be over.
            rng: of the noise, for self-play; None: without noise, the best answer.

        Raises:
            ValueError: A position is of another game.
        """
        roots = self._roots(positions)
        n, drivers = len(roots), drivers_of(self.game.type, "alphazero_kernels")
        if self._tree is None or len(self._tree.states) < n:
            self._make_room(drivers, n)
        tree, where, planes = self._tree, self._where, self._planes
        width = drivers.rules.MAX_ACTIONS
        noise = np.zeros((n, width)) if rng is None else rng.gumbel(size=(n, width))
        asked = drivers.begin(roots, tree, where, planes)
        self._ask(drivers, asked)
        for row in range(1, self.simulations + 1):
            asked = drivers.descend(
                n, row, self._schedule, self.sharpness, noise, tree, where, planes
            )
            self._ask(drivers, asked)
        actions = self.game.num_distinct_actions
        found = Found(
            np.empty(n, np.int64),
            np.empty((n, actions), np.float32),
            np.empty((n, actions), np.int32),
            np.empty(n, np.float32),
        )
        drivers.answer(n, self.sharpness, noise, tree, *found)
        return found

    def _ask(self, drivers: Any, asked: int) -> None:
        """Ask the network about the new nodes, and put its answers into the trees."""
        if asked:
            planes = self._planes[:asked].reshape(asked, *self.game.observation_shape)
            logits, values = self.network(planes)
            drivers.grow(asked, self._where, logits, values, self._tree)

    def _roots(self, positions: VectorGame | Sequence[State]) -> npt.NDArray[Any]:
        """Return the arrays of the positions, [n, W]."""
        if isinstance(positions, VectorGame):
            if not positions._started:
                raise ValueError("reset() of the games needs to be called before a search")
            games, roots = {positions.game}, positions._states
        else:
            if not positions:
                raise ValueError("there is no position to search")
            games = {state.game for state in positions}
            roots = np.stack([state._array for state in positions])
        for game in games - {self.game}:
            raise ValueError(f"a position is of {game!r}, the search of {self.game!r}")
        return roots

    def _make_room(self, drivers: Any, n: int) -> None:
        """Make the arrays of n trees."""
        nodes, width = self.simulations + 1, drivers.rules.MAX_ACTIONS
        blank = self.game._blank
        self._tree = Tree(
            np.zeros((n, nodes, len(blank)), blank.dtype),
            np.zeros((n, nodes, drivers.FIELDS), np.int32),
            np.zeros((n, nodes), np.float32),
            np.zeros((n, nodes), np.float32),
            np.zeros((n, nodes, width), np.int32),
            np.zeros((n, nodes, width), np.float32),
            np.zeros((n, nodes, width), np.int32),
        )
        self._where = np.zeros((n, 2), np.int64)
        self._planes = np.zeros((n, math.prod(self.game.observation_shape)), np.int8)


def root_schedule(considered: int, simulations: int) -> npt.NDArray[np.int32]:
    """Return what sequential halving visits at the root, int32 [considered + 1, simulations].

    Row m is for m actions: at each simulation, how many visits the next action must have. All m are
    visited alike; then the better half of them, and so on down to two, as long as there are
    simulations.
    """
    schedule = np.zeros((considered + 1, simulations), np.int32)
    schedule[:2] = np.arange(simulations)
    for m in range(2, considered + 1):
        visits, left = [0] * m, m
        wanted: list[int] = []
        while len(wanted) < simulations:
            for _ in range(max(1, simulations // (left * math.ceil(math.log2(m))))):
                wanted += visits[:left]
                visits[:left] = [count + 1 for count in visits[:left]]
            left = max(2, left // 2)
        schedule[m] = wanted[:simulations]
    return schedule


class AlphaZeroAgent:
    """Play what the search finds, without noise: one position at a time, or many together.

    Args:
        network: as of `AlphaZeroSearch`.
        simulations: of each search.
        name: for tables.
        options: further ones of `AlphaZeroSearch`.
    """

    def __init__(
        self, network: Network, simulations: int = 64, name: str = "alphazero", **options: Any
    ) -> None:
        self.network, self.simulations = network, at_least_one("simulations", simulations)
        self.name, self.options = name, options
        self._search: AlphaZeroSearch | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_search": None}

    def prepare(self, game: Game) -> None:
        """Load the kernels of a game, so that no decision waits for that."""
        self.search_actions([game.new_initial_state(0)])

    def select_action(self, state: State, rng: np.random.Generator | None = None) -> int:
        """Return the action to play in a running state; there is no chance in it.

        Raises:
            ValueError: The game is over.
        """
        if state.is_terminal():
            raise ValueError("the game is over: no action is left to choose")
        return int(self.search_actions([state])[0])

    def search_actions(
        self, states: Sequence[State], rng: np.random.Generator | None = None
    ) -> npt.NDArray[np.int64]:
        """Return the actions to play in states of one game, int64 [n]; 0 where one is over."""
        game = states[0].game
        if self._search is None or self._search.game != game:
            self._search = AlphaZeroSearch(game, self.network, self.simulations, **self.options)
        return self._search.search(states).actions
