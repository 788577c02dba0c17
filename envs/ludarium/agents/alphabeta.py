"""The agent `alphabeta`: alpha-beta search to a depth of whole turns, for any game."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ludarium.agents.analysis import Analysis, line_texts
from ludarium.agents.budget import TurnClock, is_turn_begun, parse_budget
from ludarium.agents.question import check_question
from ludarium.core.game import check_is_game, kernels_for

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from types import ModuleType

    from ludarium.core.game import Game
    from ludarium.core.state import State

MOST_TURNS = 30
CHUNK = 1000  # positions between two looks at the clock and at the event that stops a search
SCALE = 100  # an advantage that makes the value of a position 0.76
TABLE_BITS = {1: 10, 2: 16}  # entries of the table, by depth; deeper, and by the clock:
DEEP_BITS = 20

_ready: set[Any] = set()  # types of games whose kernels are loaded


@dataclass
class _Search:
    """The arrays of a search; see ``alphabeta_kernels.py``."""

    facts: Any
    frames: Any
    states: Any
    actions: Any
    scores: Any
    keys: Any
    table: Any
    history: Any
    killers: Any
    rng: Any

    def arrays(self) -> tuple[Any, ...]:
        """Return them in the order in which the kernel takes them."""
        return tuple(vars(self).values())


class AlphaBetaAgent:
    """Search all turns to a depth, ``alphabeta:2``, or as deep as time allows, ``alphabeta:250ms``.

    A time counts for a whole turn, of one action or of two.

    Leaves are scored by the evaluation function of the game's ``evaluation.py``, or as 0 if the
    game has none. The search deepens turn by turn. Among actions of equal value one is chosen at
    random.
    """

    def __init__(self, argument: str | None = None) -> None:
        """Take the depth in turns or the time; see `make_agent`."""
        self.budget = parse_budget("alphabeta", argument, "turns", MOST_TURNS)
        self.name = f"alphabeta:{argument}"
        self.stop_event: threading.Event | None = None
        self._clock = TurnClock(self.budget)
        self._table: Any = None
        self._searches = 0

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    def __getstate__(self) -> dict[str, Any]:
        fresh = {"stop_event": None, "_clock": TurnClock(self.budget), "_table": None}
        return {**self.__dict__, **fresh, "_searches": 0}

    def prepare(self, game: Game) -> None:
        """Load the kernels of a game, so that the first decision does not wait for them."""
        check_is_game(game)
        is_turn_begun(game.new_initial_state(0))  # looked up once for each game
        if game.type not in _ready:
            _ready.add(game.type)
            state = game.type.load().new_initial_state(0)
            AlphaBetaAgent("1").select_action(state, np.random.default_rng(0))

    def select_action(self, state: State, rng: np.random.Generator) -> int:
        """Return the action to play in a running state.

        Raises:
            ValueError: The game is over.
            TypeError: An argument has a wrong type.
        """
        return self._search(state, rng)[2]

    def analyse(self, state: State, rng: np.random.Generator) -> Analysis:
        """Return the action that `select_action` returns, with the statistics of the search.

        Raises:
            ValueError: The game is over.
            TypeError: An argument has a wrong type.
        """
        kernels, search, action, score, depth = self._search(state, rng)
        certain = abs(score) > kernels.SURE
        value = math.copysign(1.0, score) if certain else math.tanh(score / SCALE)
        line = [action]
        after = state.child(action)
        while not after.is_terminal() and len(line) < 2 * depth:
            more = int(kernels.reply(after._array, search.facts, search.keys, search.table))
            if more < 0 or not after._mask[more]:
                break
            line.append(more)
            after.apply_action(more)
        return Analysis(
            action=action,
            value=value,
            proven=certain,
            line=line_texts(state, line),
            effort=int(search.facts[kernels.NODES]),
            depth=depth,
            values={action: value},
            texts={action: state.action_to_string(action)},
        )

    def _search(
        self, state: State, rng: np.random.Generator
    ) -> tuple[ModuleType, _Search, int, int, int]:
        """Return kernels, search, action, its score and the depth of the last whole search."""
        check_question(state, rng)
        kernels = kernels_for(state.game.type, "ludarium.agents.alphabeta_kernels")
        self._clock.begin(state)
        search = self._prepare(kernels, state, rng)
        action, score, reached = -1, 0, 0

        def best_so_far() -> int:
            found = int(search.frames[0, kernels.ACTION])
            return found if found >= 0 else action

        for depth in range(1, (self.budget.count or MOST_TURNS) + 1):
            kernels.begin(state._array, depth, search.facts, search.frames, search.states)
            finished = False
            while not finished and (action < 0 or not self._is_stopped(best_so_far)):
                finished = bool(kernels.advance(CHUNK, *search.arrays()))
            best = int(search.frames[0, kernels.ACTION])
            if best >= 0:  # it tried the best action of the last depth first: never worse
                action, score = best, int(search.frames[0, kernels.BEST])
            if not finished:
                break
            reached = depth
            if abs(score) > kernels.SURE:
                break
        self._clock.finish(action)
        return kernels, search, action, score, reached

    def _is_stopped(self, best_so_far: Callable[[], int]) -> bool:
        stop = self.stop_event
        return self._clock.is_over(best_so_far) or (stop is not None and stop.is_set())

    def _prepare(self, kernels: ModuleType, state: State, rng: np.random.Generator) -> _Search:
        """Return the arrays of a new search. The table is kept; a salt invalidates old entries."""
        count = self.budget.count
        size = 1 << TABLE_BITS.get(count or 0, DEEP_BITS)
        levels, most = 2 * (count or MOST_TURNS) + 2, kernels.rules.MAX_ACTIONS
        if self._table is None:
            self._table = np.zeros(size, np.uint64), np.zeros((size, 4), np.int64)
        self._searches += 1
        keys, table = self._table
        facts = np.zeros(kernels.FACTS, np.int64)
        facts[kernels.SALT] = self._searches
        return _Search(
            facts=facts,
            frames=np.zeros((levels, kernels.FRAME), np.int64),
            states=np.zeros((levels, len(state._array)), state._array.dtype),
            actions=np.zeros((levels, most), np.int64),
            scores=np.zeros((levels, most), np.int64),
            keys=keys,
            table=table,
            history=np.zeros(2 * state.game.num_distinct_actions, np.int64),
            killers=np.full((levels, 2), -1, np.int64),
            rng=rng.integers(1, 2**64, size=1, dtype=np.uint64),
        )
