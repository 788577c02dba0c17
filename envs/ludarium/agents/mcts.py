"""The agent `mcts`: Monte Carlo tree search for any game, in compiled kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ludarium.agents.analysis import Analysis, line_texts
from ludarium.agents.budget import TurnClock, is_turn_begun, parse_budget
from ludarium.agents.question import check_question
from ludarium.core.game import check_is_game, kernels_for

if TYPE_CHECKING:
    import threading
    from types import ModuleType

    from ludarium.core.game import Game
    from ludarium.core.state import State

EXPLORE = 1.0  # weight of the confidence term; results are +1 and -1
MOST_SIMULATIONS = 10_000_000
MOST_NODES = 4_000_000  # of one tree, 40 bytes each; it serves searches limited by time
NODES_PER_MS = 600  # more than any game adds
CHUNK = 128  # simulations between two looks at the clock and at the event that stops a search
LONG_CHUNK = 50_000  # where there is neither
_ready: set[Any] = set()  # types of games whose kernels are loaded


class MCTSAgent:
    """Search with ``mcts:200`` simulations for each decision, or ``mcts:250ms`` for each turn.

    See ``mcts_kernels.py``. With a number of simulations the answer depends only on the position
    and the seed and, for the second action of a turn, on the tree of the first, which is kept.
    """

    def __init__(self, argument: str | None = None) -> None:
        """Take the number of simulations or the time; see `make_agent`."""
        self.budget = parse_budget("mcts", argument, "simulations", MOST_SIMULATIONS)
        self.name = f"mcts:{argument}"
        self.stop_event: threading.Event | None = None
        self._forget()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    def _forget(self) -> None:
        self._clock = TurnClock(self.budget)
        self._game: Any = None  # that the arrays belong to
        self._expected: Any = None  # state array of the next decision of the same turn
        self._action = -1  # that leads there
        self._nodes: Any = None
        self._tree = np.zeros(2, np.int64)

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "budget": self.budget}

    def __setstate__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)
        self.stop_event = None
        self._forget()

    def prepare(self, game: Game) -> None:
        """Load the kernels of a game, so that the first decision does not wait for them."""
        check_is_game(game)
        is_turn_begun(game.new_initial_state(0))  # looked up once for each game
        if game.type not in _ready:
            _ready.add(game.type)
            state, rng = game.type.load().new_initial_state(0), np.random.default_rng(0)
            agent = MCTSAgent("1")
            kernels, _ = agent._search(state, rng)
            action = agent._answer(kernels, state)
            stream = np.ones(1, np.uint64)
            kernels.descend(state.child(action)._array, agent._nodes, agent._tree, action, stream)

    def select_action(self, state: State, rng: np.random.Generator) -> int:
        """Return the action to play in a running state.

        Raises:
            ValueError: The game is over.
            TypeError: An argument has a wrong type.
        """
        kernels, _ = self._search(state, rng)
        return self._answer(kernels, state)

    def analyse(self, state: State, rng: np.random.Generator) -> Analysis:
        """Return the action that `select_action` returns, with the statistics of the search.

        Raises:
            ValueError: The game is over.
            TypeError: An argument has a wrong type.
        """
        kernels, done = self._search(state, rng)
        root, sign = int(self._tree[kernels.ROOT]), 1 - 2 * state.current_player()
        found = kernels.children(self._nodes, root)
        line = kernels.principal_line(self._nodes, root).tolist()
        certain = {kernels.RUNNING: None, kernels.WON_0: 1.0, kernels.WON_1: -1.0}
        values, visits = {}, {}
        for action, count, total, status in found.tolist():
            known = certain.get(status, 0.0)
            visits[action] = count
            values[action] = sign * (total / count if known is None else known)
        proven = int(self._nodes[root, kernels.PROVEN]) != kernels.RUNNING
        action = self._answer(kernels, state)
        texts = {a: state.action_to_string(a) for a in visits}
        note, most = "", max(visits, key=lambda a: visits[a])
        if visits[most] > visits[action] and values[action] < 1:
            lost = values[most] == -1
            why = "it is lost" if lost else "it draws, or lets the opponent draw"
            note = f"not {texts[most]}, which has the most visits: {why}"
        return Analysis(
            action=action,
            value=values[action],
            proven=proven,
            line=line_texts(state, line),
            effort=done,
            visits=visits,
            values=values,
            texts=texts,
            note=note,
        )

    def _answer(self, kernels: ModuleType, state: State) -> int:
        """Return the chosen action, and remember the position if the turn goes on after it."""
        action = self._best(kernels)
        self._clock.finish(action)
        after = state.child(action)
        self._action, self._expected = action, None
        if after.turn_number() == state.turn_number() and not after.is_terminal():
            self._expected = after._array
        return action

    def _best(self, kernels: ModuleType) -> int:
        """Return the action that the tree favours."""
        chosen = kernels.best_child(self._nodes, self._tree[kernels.ROOT])
        return int(self._nodes[chosen, kernels.ACTION])

    def _search(self, state: State, rng: np.random.Generator) -> tuple[ModuleType, int]:
        """Grow the tree of a state; returns the kernels and the number of simulations."""
        check_question(state, rng)
        kernels = kernels_for(state.game.type, "ludarium.agents.mcts_kernels")
        stream = rng.integers(1, 2**64, size=1, dtype=np.uint64)
        array, count, ms = state._array, self.budget.count, self.budget.ms
        self._clock.begin(state)
        if not self._kept(kernels, state, stream):
            self._prepare(kernels, state)
            kernels.begin(array, self._nodes, self._tree, stream)
        stop = self.stop_event
        chunk = LONG_CHUNK if ms is None and stop is None else CHUNK
        done = 0
        while True:  # in pieces, to look at the clock and for interrupts
            piece = chunk if count is None else min(chunk, count - done)
            more = int(kernels.simulate(array, self._nodes, self._tree, stream, piece, EXPLORE))
            done += more
            if more < piece or done == count or self._clock.is_over(lambda: self._best(kernels)):
                return kernels, done
            if stop is not None and stop.is_set():
                return kernels, done

    def _kept(self, kernels: ModuleType, state: State, stream: Any) -> bool:
        """Return whether the tree of the turn's first decision can be used for this state."""
        expected, self._expected = self._expected, None
        if expected is None or self._game != state.game:
            return False
        if not np.array_equal(expected, state._array):
            return False
        return bool(kernels.descend(state._array, self._nodes, self._tree, self._action, stream))

    def _prepare(self, kernels: ModuleType, state: State) -> None:
        """Allocate nodes for the decisions of a turn: one for each simulation, and the root."""
        count = self.budget.count
        if count is None:
            count = NODES_PER_MS * (self.budget.ms or 0)
        capacity = min(2 * count + 4, MOST_NODES)
        if self._nodes is None or len(self._nodes) != capacity:
            self._nodes = np.empty((capacity, kernels.FIELDS), np.int32)
        self._game = state.game
