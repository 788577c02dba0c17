"""The history of a state: the states it passed, each with the turn that led to it.

A picture marks the last turn, and a state alone knows it only by a replay of its history. What
shows a whole game therefore goes through the history once, with `retrace`, and hands each state
over together with its last turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ludarium.core.status import RUNNING, STATUS_MASK, TURN_SHIFT

if TYPE_CHECKING:
    from ludarium.core.state import State


class Turn(NamedTuple):
    """A turn that was played, or the part of it that was played so far.

    Attributes:
        before: the state in which the turn began.
        actions: its actions, in order.
        texts: the text of each action.
    """

    before: State
    actions: tuple[int, ...] = ()
    texts: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text of the turn: those of its actions joined."""
        return "".join(self.texts)


class LastTurn(NamedTuple):
    """What was played immediately before a state.

    Attributes:
        whole: the last whole turn, None where the history has none.
        begun: the turn that is half made in the state, None between turns.
    """

    whole: Turn | None = None
    begun: Turn | None = None


class Position(NamedTuple):
    """A state and what was played immediately before it."""

    state: State
    last_turn: LastTurn

    def followed_by(self, action: int, text: str, after: State) -> Position:
        """Return the position of the state `after`, which an action with this text led to."""
        begun = self.last_turn.begun or Turn(self.state)
        turn = Turn(begun.before, (*begun.actions, action), (*begun.texts, text))
        if after.turn_number() != turn.before.turn_number() or after.is_terminal():
            return Position(after, LastTurn(turn))
        return Position(after, LastTurn(self.last_turn.whole, turn))


def start_of(state: State) -> State:
    """Return the state where the history of a state begins."""
    return state._at_start()


def retrace(state: State) -> Iterator[Position]:
    """Yield the position where a state's history begins, then the one after each action.

    Costs one `apply_action` for each action. The positions share their states: change none.

    >>> import ludarium
    >>> state = ludarium.load_game("sphlag").new_initial_state()
    >>> state.apply_action(state.string_to_action("E7/0"))
    >>> [last.whole.text if last.whole else None for _, last in retrace(state)]
    [None, 'E7/0']
    """
    position = Position(state._at_start(), LastTurn())
    yield position
    for action in state.history():
        text, after = position.state.action_to_string(action), position.state.child(action)
        position = position.followed_by(action, text, after)
        yield position


def last_turn_of(state: State) -> LastTurn:
    """Return what was played immediately before a state. Costs two replays of its history."""
    history = state.history()
    start = state._at_start()
    turn = start.turn_number()
    statuses = start._replay(history)
    ends = [0]  # numbers of actions after which a whole turn was completed
    for played, packed in enumerate(statuses, 1):
        if packed >> TURN_SHIFT != turn or packed & STATUS_MASK != RUNNING:
            ends.append(played)
            turn = packed >> TURN_SHIFT
    whole = begun = None
    if ends[-1] > 0:
        whole = _turn(_replayed(state, history[: ends[-2]]), history[ends[-2] : ends[-1]])
    if ends[-1] < len(history):
        begun = _turn(_replayed(state, history[: ends[-1]]), history[ends[-1] :])
    return LastTurn(whole, begun)


def _replayed(state: State, actions: list[int]) -> State:
    """Return the state after the first actions of a state's history."""
    found = state._at_start()
    found._replay(actions)
    return found


def _turn(before: State, actions: list[int]) -> Turn:
    """Return a turn with the texts of its actions."""
    state, texts = before, list[str]()
    for action in actions[:-1]:
        texts.append(state.action_to_string(action))
        state = state.child(action)
    return Turn(before, tuple(actions), (*texts, state.action_to_string(actions[-1])))
