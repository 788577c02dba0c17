"""The argument of a search agent's spec: a count for a decision, or a time for a whole turn."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ludarium.core.history import last_turn_of

if TYPE_CHECKING:
    from ludarium.core.game import Game
    from ludarium.core.state import State

FIRST_SHARE = 2 / 3  # of a turn's time, for the first of two decisions; the second gets the rest
LEAST_SECONDS = 0.001  # for a second decision whose first one has used up the time
MOST_MS = 3_600_000  # an hour


@dataclass(frozen=True)
class Budget:
    """How long a search agent may think.

    Exactly one of the two attributes is set.

    Attributes:
        count: number of simulations or turns, for each decision; the same count and seed give the
            same answer.
        ms: time in milliseconds, for a whole turn; see `TurnClock`.
    """

    count: int | None = None
    ms: int | None = None


def parse_budget(name: str, argument: str | None, what: str, most: int) -> Budget:
    """Return the budget that an argument like ``200`` or ``250ms`` stands for.

    Args:
        name: name of the agent.
        argument: the text behind the colon.
        what: what is counted, such as ``simulations``.
        most: largest count that is allowed.

    Raises:
        ValueError: The argument is not allowed; the message names it and what is allowed.

    >>> parse_budget("mcts", "250ms", "simulations", 1000)
    Budget(count=None, ms=250)
    """
    text = argument or ""
    digits = text.removesuffix("ms")
    if digits.isascii() and digits.isdigit() and len(digits) < 12 and not digits.startswith("0"):
        value = int(digits)
        if digits != text and value <= MOST_MS:
            return Budget(ms=value)
        if digits == text and value <= most:
            return Budget(count=value)
    given = name if argument is None else f"{name}:{argument}"
    raise ValueError(
        f"agent {given!r} is not allowed: it is {name}:N, N {what}, 1 to {most}, "
        f"or {name}:Tms, T milliseconds for a turn, 1 to {MOST_MS}"
    )


class TurnClock:
    """Divides the time of a turn between its decisions.

    The first decision of a turn gets the share `FIRST_SHARE`; it gets the whole time if the turn is
    over after it. The second decision gets what the first one has left. Where this clock has not
    seen the first one, because another agent or a person made it or the position came from a text,
    the second decision gets the rest of the shares. So the decisions of a turn never get more than
    its time together, whoever makes them.
    """

    def __init__(self, budget: Budget) -> None:
        self._seconds = math.inf if budget.ms is None else budget.ms / 1000
        self._state: State | None = None  # of the decision that is being made
        self._next_check = self._end = math.inf
        self._left: tuple[Game, Any, float] | None = None  # array, seconds of the second decision

    def __repr__(self) -> str:
        return f"<TurnClock of {self._seconds} seconds a turn>"

    def begin(self, state: State) -> None:
        """Start to measure a decision in a running state."""
        start, left = perf_counter(), self._left
        self._state, self._left = state, None
        self._next_check = self._end = start + self._seconds
        if self._seconds == math.inf or state.game.type.rules.ACTIONS_PER_TURN == 1:
            return
        if not is_turn_begun(state):
            self._next_check = start + FIRST_SHARE * self._seconds
            return
        seconds = (1 - FIRST_SHARE) * self._seconds
        if left is not None and left[0] == state.game and np.array_equal(left[1], state._array):
            seconds = max(left[2], LEAST_SECONDS)
        self._next_check = self._end = start + seconds

    def is_over(self, best: Callable[[], int]) -> bool:
        """Return whether the decision must be made now.

        Args:
            best: function that returns the best action so far; it is called after the share of a
                first decision, to see whether the turn goes on after that action.
        """
        now = perf_counter()
        if now < self._next_check:
            return False
        return now >= self._end or self._after(best()) is not None

    def finish(self, action: int) -> None:
        """Remember how much time the action that was chosen leaves to the next of its turn."""
        if self._seconds == math.inf:
            return
        assert self._state is not None
        after = self._after(action)
        if after is not None:
            self._left = after.game, after._array, self._end - perf_counter()

    def _after(self, action: int) -> State | None:
        """Return the state after an action, or None if the turn is over there."""
        assert self._state is not None
        after = self._state.child(action)
        if after.is_terminal() or after.turn_number() != self._state.turn_number():
            return None
        return after


def is_turn_begun(state: State) -> bool:
    """Return whether an action of the turn was already played in a running state.

    The phase tells it, also in a state without a history; where a phase can be the first and the
    second of a turn, the history decides.
    """
    firsts, seconds = _phases_of(state.game)
    stage = state.stage()
    if stage in seconds and stage in firsts:
        return last_turn_of(state).begun is not None
    return stage in seconds


@functools.lru_cache(maxsize=32)
def _phases_of(game: Game) -> tuple[frozenset[str], frozenset[str]]:
    """Return the phases that begin a turn, and those that go on with it, from random games."""
    rng = np.random.default_rng(0)
    firsts, seconds = set[str](), set[str]()
    for seed in range(4):
        state, turn = game.new_initial_state(seed), -1
        for _ in range(200):
            if state.is_terminal():
                break
            (seconds if state.turn_number() == turn else firsts).add(state.stage())
            turn = state.turn_number()
            state.apply_action(int(rng.choice(state.legal_actions())))
    return frozenset(firsts), frozenset(seconds)
