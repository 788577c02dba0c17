"""Gumbel AlphaZero for any game: a tree search guided by a network, for many games in lock-step.

Train with `AlphaZeroSearch` on a batch of games; play with `AlphaZeroAgent`. The network may come
from any library: it is a function from planes to logits and values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ludarium.agents.analysis import Analysis, line_texts
from ludarium.agents.question import check_rng, check_running
from ludarium.core.errors import show
from ludarium.core.game import check_is_game, kernels_for
from ludarium.core.options import as_float, at_least_one
from ludarium.core.state import check_state
from ludarium.environments.vector import VectorGame

if TYPE_CHECKING:
    import threading

    from ludarium.core.game import Game
    from ludarium.core.state import State

Floats: TypeAlias = npt.NDArray[np.float32]
#: A function from planes, int8 [n, H, W, C], as the player to move sees them, to logits,
#: float32 [n, A], and values, float32 [n], from -1 to 1 for the player to move.
Network: TypeAlias = Callable[[npt.NDArray[np.int8]], tuple[Floats, Floats]]


class Tree(NamedTuple):
    """The arrays of N trees of M nodes each; ``alphazero_kernels.py`` has their shapes."""

    states: npt.NDArray[Any]
    node: npt.NDArray[np.int32]
    value: Floats
    total: Floats
    actions: npt.NDArray[np.int32]
    logits: Floats
    child: npt.NDArray[np.int32]


class SearchOutput(NamedTuple):
    """The answer of a search for each of n positions; zeros where the game is over.

    Attributes:
        actions: int64 [n], the action to play.
        action_weights: float32 [n, A], the improved policy, the target for the network's policy.
        visits: int32 [n, A], number of simulations that began with each action.
        values: float32 [n], mean value of all visits, for the player to move.
    """

    actions: npt.NDArray[np.int64]
    action_weights: Floats
    visits: npt.NDArray[np.int32]
    values: Floats


class AlphaZeroSearch:
    """Search many positions at once; the network sees the new nodes of all trees as one batch.

    The algorithm is Gumbel AlphaZero (Danihelka, Guez, Schrittwieser, Silver 2022), which learns
    from few simulations: Gumbel noise on the logits selects `max_num_considered_actions` actions
    at the root, sequential halving compares them, and the search returns one of them and an
    improved policy over all legal actions. A finished game in the tree counts with its exact
    result, a truncated one as 0. Values change their sign when the player changes, not after every
    action, so a turn may be two actions.

    Args:
        game: the game, with its options.
        network: the function that evaluates positions; see `Network`.
        num_simulations: number of simulations of each search; each adds one node to the tree or
            visits a finished game again.
        max_num_considered_actions: maximum number of actions that are tried at the root.
        value_scale: weight of the values against the network's logits in the improved policy.

    Raises:
        ValueError: A number is out of range.
        TypeError: The game is not a `Game`, or the network cannot be called.
    """

    def __init__(
        self,
        game: Game,
        network: Network,
        num_simulations: int = 32,
        max_num_considered_actions: int = 16,
        value_scale: float = 0.3,
    ) -> None:
        check_is_game(game)
        self.game, self.network = game, _checked_network(network)
        self.num_simulations = at_least_one("num_simulations", num_simulations)
        self.max_num_considered_actions = at_least_one(
            "max_num_considered_actions", max_num_considered_actions
        )
        if not 0 < as_float(value_scale) < math.inf:
            raise ValueError(
                f"value_scale={show(value_scale)} is not allowed: "
                "value_scale is a finite number > 0"
            )
        self.value_scale = float(value_scale)
        self._schedule = root_schedule(self.max_num_considered_actions, self.num_simulations)
        self.stop_event: threading.Event | None = None  # once it is set, a search ends early
        self._tree: Tree | None = None
        self._where = np.zeros((0, 2), np.int64)
        self._planes = np.zeros((0, 0), np.int8)

    def __repr__(self) -> str:
        return (
            f"<AlphaZeroSearch of {self.game!r}: num_simulations={self.num_simulations} "
            f"max_num_considered_actions={self.max_num_considered_actions} "
            f"value_scale={self.value_scale:g}>"
        )

    def search(
        self,
        positions: VectorGame | Sequence[State],
        rng: np.random.Generator | None = None,
    ) -> SearchOutput:
        """Search the positions of a batch of games, or states, without changing them.

        Args:
            positions: a batch from `ludarium.make_vec`, or states; finished games are allowed.
            rng: source of the Gumbel noise, for self-play; None: no noise, for the strongest play.

        Raises:
            ValueError: There is no position, the batch was not reset, a position belongs to another
                game, or the network's answer has the wrong shape.
        """
        if rng is not None:
            check_rng(rng)
        roots = self._roots(positions)
        n, kernels = len(roots), kernels_for(self.game.type, "ludarium.agents.alphazero_kernels")
        if self._tree is None or len(self._tree.states) < n:
            self._make_room(kernels, n)
        tree, where, planes = self._tree, self._where, self._planes
        width = kernels.rules.MAX_ACTIONS
        noise = np.zeros((n, width)) if rng is None else rng.gumbel(size=(n, width))
        asked = kernels.begin(roots, tree, where, planes)
        self._ask(kernels, asked)
        for row in range(1, self.num_simulations + 1):
            asked = kernels.descend(
                n, row, self._schedule, self.value_scale, noise, tree, where, planes
            )
            self._ask(kernels, asked)
            if self.stop_event is not None and self.stop_event.is_set():
                break
        actions = self.game.num_distinct_actions
        output = SearchOutput(
            np.empty(n, np.int64),
            np.empty((n, actions), np.float32),
            np.empty((n, actions), np.int32),
            np.empty(n, np.float32),
        )
        kernels.answer(n, self.value_scale, noise, tree, *output)
        return output

    def analyse(self, state: State) -> Analysis:
        """Search one position without noise, and return the answer and what it is built on.

        A value is proven only where the answer wins at once.

        Raises:
            ValueError: The position belongs to another game.
        """
        check_state(state)
        action = int(self.search([state]).actions[0])
        kernels = kernels_for(self.game.type, "ludarium.agents.alphazero_kernels")
        tree: Any = self._tree
        actions, children = tree.actions[0], tree.child[0]
        visits_of, sign = tree.node[0, :, kernels.VISITS], 1 - 2 * state.current_player()
        visits, values = {}, {}
        legal = int(tree.node[0, kernels.ROOT, kernels.LEGAL])
        for k in np.flatnonzero(children[kernels.ROOT, :legal] != kernels.NONE):
            row = int(children[kernels.ROOT, k])
            number = int(actions[kernels.ROOT, k])
            visits[number] = int(visits_of[row])
            values[number] = float(sign * tree.total[0, row] / visits_of[row])
        line, row, best = [], kernels.ROOT, action
        while True:
            line.append(best)
            legal = int(tree.node[0, row, kernels.LEGAL])
            row = int(children[row, np.flatnonzero(actions[row, :legal] == best)[0]])
            legal = int(tree.node[0, row, kernels.LEGAL])
            below = [k for k in range(legal) if children[row, k] != kernels.NONE]
            if not below:
                break
            best = int(actions[row, max(below, key=lambda k: visits_of[children[row, k]])])
        after = state.child(action)
        won = after.is_terminal() and after.returns()[state.current_player()] == 1
        return Analysis(
            action=action,
            value=values[action],
            proven=won,
            line=line_texts(state, line),
            effort=sum(visits.values()),
            visits=visits,
            values=values,
            texts={number: state.action_to_string(number) for number in visits},
        )

    def _ask(self, kernels: Any, asked: int) -> None:
        """Evaluate the new nodes with the network and store its answers in the trees."""
        if asked:
            planes = self._planes[:asked].reshape(asked, *self.game.observation_shape)
            logits, values = self._checked(self.network(planes), asked)
            kernels.grow(asked, self._where, logits, values, self._tree)

    def _checked(self, answer: Any, n: int) -> tuple[Floats, Floats]:
        """Return the network's answer for n positions in the form that the kernels read.

        Compiled code does not check bounds, so a wrong shape must not reach it.
        """
        try:
            logits, values = (np.ascontiguousarray(part, np.float32) for part in answer)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"a network returns two arrays of floats, logits and values: {error}"
            ) from error
        shapes = (n, self.game.num_distinct_actions), (n,)
        if (logits.shape, values.shape) != shapes:
            raise ValueError(
                f"the network returned logits of shape {logits.shape} and values of shape "
                f"{values.shape}; for {n} positions the shapes are {shapes[0]} and {shapes[1]}"
            )
        if np.isnan(logits).any() or np.isnan(values).any():
            raise ValueError("the network returned nan: logits and values are numbers")
        return logits, values

    def _roots(self, positions: VectorGame | Sequence[State]) -> npt.NDArray[Any]:
        """Return the arrays of the positions, [n, W]."""
        if isinstance(positions, VectorGame):
            if not positions._started:
                raise ValueError("call reset() of the batch of games before searching it")
            games, roots = {positions.game}, positions._states
        else:
            if not isinstance(positions, Sequence) or isinstance(positions, str):
                raise TypeError(
                    "positions is a batch of games or a sequence of states, not "
                    f"{type(positions).__name__}"
                )
            if not positions:
                raise ValueError("there is no position to search: positions is empty")
            for state in positions:
                check_state(state)
            games = {state.game for state in positions}
            roots = np.stack([state._array for state in positions])
        for game in games - {self.game}:
            raise ValueError(f"a position belongs to {game!r}, but the search to {self.game!r}")
        return roots

    def _make_room(self, kernels: Any, n: int) -> None:
        """Allocate the arrays of n trees."""
        nodes, width = self.num_simulations + 1, kernels.rules.MAX_ACTIONS
        blank = self.game._blank
        self._tree = Tree(
            np.zeros((n, nodes, len(blank)), blank.dtype),
            np.zeros((n, nodes, kernels.FIELDS), np.int32),
            np.zeros((n, nodes), np.float32),
            np.zeros((n, nodes), np.float32),
            np.zeros((n, nodes, width), np.int32),
            np.zeros((n, nodes, width), np.float32),
            np.zeros((n, nodes, width), np.int32),
        )
        self._where = np.zeros((n, 2), np.int64)
        self._planes = np.zeros((n, math.prod(self.game.observation_shape)), np.int8)


def root_schedule(num_considered: int, num_simulations: int) -> npt.NDArray[np.int32]:
    """Return the visit schedule of sequential halving at the root.

    Row m is the schedule for m actions: the number of visits that the action of each simulation
    must have had before. First all m actions get equally many visits, then the better half of
    them, and so on down to two, until the simulations are used up.

    Args:
        num_considered: maximum number of actions.
        num_simulations: number of simulations.

    Returns:
        int32 [num_considered + 1, num_simulations].

    >>> root_schedule(4, 8)[4].tolist()
    [0, 0, 0, 0, 1, 1, 2, 2]
    """
    schedule = np.zeros((num_considered + 1, num_simulations), np.int32)
    schedule[:2] = np.arange(num_simulations)
    for m in range(2, num_considered + 1):
        visits, left = [0] * m, m
        wanted: list[int] = []
        while len(wanted) < num_simulations:
            for _ in range(max(1, num_simulations // (left * math.ceil(math.log2(m))))):
                wanted += visits[:left]
                visits[:left] = [count + 1 for count in visits[:left]]
            left = max(2, left // 2)
        schedule[m] = wanted[:num_simulations]
    return schedule


def _checked_network(network: Any) -> Network:
    """Return a network, or raise TypeError if it cannot be called."""
    if not callable(network):
        raise TypeError(
            "network is a function from planes to logits and values, not "
            f"{type(network).__name__}: {show(network)}"
        )
    checked: Network = network
    return checked


class AlphaZeroAgent:
    """Play the action that `AlphaZeroSearch` chooses without noise, in one position or in many.

    Args:
        network: the function that evaluates positions; see `Network`.
        num_simulations: number of simulations of each search.
        name: name of the agent in tables.
        options: further options of `AlphaZeroSearch`.
    """

    def __init__(
        self, network: Network, num_simulations: int = 64, name: str = "alphazero", **options: Any
    ) -> None:
        self.network = _checked_network(network)
        self.num_simulations = at_least_one("num_simulations", num_simulations)
        self.name, self.options = name, options
        self.stop_event: threading.Event | None = None
        self._search: AlphaZeroSearch | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "stop_event": None, "_search": None}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    def prepare(self, game: Game) -> None:
        """Compile the kernels of a game, so that no decision waits for the compiler."""
        check_is_game(game)
        self.search_actions([game.new_initial_state(0)])

    def select_action(self, state: State, rng: np.random.Generator | None = None) -> int:
        """Return the action to play in a running state; the answer is deterministic.

        Args:
            state: the position, which is not changed.
            rng: ignored, as the search uses no noise.

        Raises:
            ValueError: The game is over.
        """
        check_running(state)
        return int(self.search_actions([state])[0])

    def search_actions(
        self, states: Sequence[State], rng: np.random.Generator | None = None
    ) -> npt.NDArray[np.int64]:
        """Return the actions to play in states of one game, int64 [n]; 0 where a game is over.

        Raises:
            ValueError: There is no state, or the states belong to different games.
        """
        if not isinstance(states, Sequence) or isinstance(states, str):
            raise TypeError(f"states is a sequence of states, not {type(states).__name__}")
        if not states:
            raise ValueError("there is no position to search: states is empty")
        check_state(states[0])
        return self._search_of(states[0].game).search(states).actions

    def analyse(self, state: State, rng: np.random.Generator | None = None) -> Analysis:
        """Return the action that `select_action` returns, and what it is built on.

        Args:
            state: the position, which is not changed.
            rng: ignored, as the search uses no noise.

        Raises:
            ValueError: The game is over.
        """
        check_running(state)
        return self._search_of(state.game).analyse(state)

    def _search_of(self, game: Game) -> AlphaZeroSearch:
        """Return the search of a game, which keeps its arrays from one question to the next."""
        if self._search is None or self._search.game != game:
            self._search = AlphaZeroSearch(game, self.network, self.num_simulations, **self.options)
        self._search.stop_event = self.stop_event
        return self._search
