"""A game between a person and an agent: what the terminal and the window share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludarium.agents.players import legal_answer
from ludarium.records import game_record
from ludarium.records.results import ILLEGAL

if TYPE_CHECKING:
    import numpy as np

    from ludarium.agents import Agent
    from ludarium.core.state import State

HUMAN = "human"
RESIGNED = "resigned"  # the reason in the record of a game that the person has resigned


class AgentError(Exception):
    """An agent raised an error instead of answering; the message names both."""


def agents_turn(agent: Agent, name: str, state: State, rng: np.random.Generator) -> list[int]:
    """Ask an agent for the actions that complete the current turn.

    Args:
        agent: the agent.
        name: name of the agent, for messages.
        state: the position; unchanged.
        rng: random generator of the agent.

    Raises:
        IllegalActionError: The agent answered an action that is not legal.
        AgentError: The agent raised an error.
    """
    position, actions = state.clone(), []
    while position.current_player() == state.current_player() and not position.is_terminal():
        if position.turn_number() != state.turn_number():
            break
        try:
            answer = agent.select_action(position.clone(), rng)
        except Exception as error:
            raise AgentError(f"{name} raised {type(error).__name__}: {error}") from error
        actions.append(legal_answer(position, answer))
        position.apply_action(actions[-1])
    return actions


def turn_text(state: State, actions: list[int]) -> str:
    """Return the joined texts of actions played from a state.

    >>> import ludarium
    >>> turn_text(ludarium.load_game("gyges").new_initial_state(), [0])
    '112233'
    """
    position, text = state.clone(), ""
    for action in actions:
        text += position.action_to_string(action)
        position.apply_action(action)
    return text


class Session:
    """A game between a person and an agent, independent of how it is shown.

    Args:
        state: the first position.
        agent_name: name of the agent in the record.
        seat: player number of the person, 0 or 1.
        seed: seed of the game, for the record.

    Attributes:
        state: the current position.
        agent_name: name of the agent in the record.
        seat: player number of the person.
        seed: seed of the game, for the record.
        illegal: whether the agent has lost by answering an illegal action.
        resigned: whether the person has resigned.
    """

    def __init__(self, state: State, agent_name: str, seat: int, seed: int) -> None:
        self.state, self.agent_name, self.seat, self.seed = state, agent_name, seat, seed
        self.illegal = self.resigned = False
        self._undo_states: list[State] = []  # the positions in which the person acted
        self._turns: tuple[list[int], list[tuple[int, int, str]]] | None = None  # of a history

    def __repr__(self) -> str:
        return f"Session({self.state.to_string()!r}, {self.agent_name!r}, seat={self.seat})"

    # ---- whose turn it is

    @property
    def over(self) -> bool:
        """Whether the game has ended in any way."""
        return self.state.is_terminal() or self.illegal or self.resigned

    @property
    def begun(self) -> bool:
        """Whether there is anything to record: an action, or an end without one."""
        return bool(self.state.history()) or self.over

    @property
    def persons_turn(self) -> bool:
        """Whether the person is to act."""
        return not self.over and self.state.current_player() == self.seat

    @property
    def half_made(self) -> bool:
        """Whether the person has begun a turn and not completed it."""
        if not self._undo_states or not self.persons_turn:
            return False
        return self._undo_states[-1].turn_number() == self.state.turn_number()

    @property
    def turn_start(self) -> State | None:
        """The position before the last action of a half-made turn; None without one."""
        return self._undo_states[-1].clone() if self.half_made else None

    @property
    def can_undo(self) -> bool:
        """Whether there is anything to take back."""
        return bool(self._undo_states) or self.resigned

    # ---- playing

    def act(self, actions: list[int]) -> None:
        """Play legal actions of the person as one step that `undo` takes back."""
        self._undo_states.append(self.state.clone())
        self.apply(actions)

    def apply(self, actions: list[int]) -> None:
        """Play legal actions of the agent, which `undo` takes back with the person's."""
        for action in actions:
            self.state.apply_action(action)

    def undo(self) -> bool:
        """Take back the person's last step or resignation; return whether there was one."""
        if self.resigned:
            self.resigned = False
            return True
        if not self._undo_states:
            return False
        self.state = self._undo_states.pop()
        self.illegal = False
        return True

    def undo_turn(self) -> bool:
        """Take back the person's last or half-made turn; return whether there was one."""
        undone = self.undo()
        while undone and self.half_made:
            self.undo()
        return undone

    def turns(self) -> list[tuple[int, int, str]]:
        """Return for each turn, a half-made one included, its number from 1, player and text."""
        history = self.state.history()
        if self._turns is not None and self._turns[0] == history:
            return self._turns[1]
        position, number = self.state._at_start(), -1
        turns: list[tuple[int, int, str]] = []
        for action in history:
            text, player = position.action_to_string(action), position.current_player()
            if position.turn_number() != number:
                number = position.turn_number()
                turns.append((number + 1, player, ""))
            turns[-1] = (*turns[-1][:2], turns[-1][2] + text)
            position.apply_action(action)
        self._turns = history, turns
        return turns

    # ---- result and record

    def result(self) -> str:
        """Return the result of an ended game in words, as seen by the person."""
        if self.illegal:
            return f"{self.agent_name} answered an illegal action: you win."
        if self.resigned:
            return f"You have resigned: {self.agent_name} wins."
        if not self.state.returns()[0]:
            return "Nobody wins."
        return "You win." if self.state.returns()[self.seat] > 0 else "You lose."

    def record(self) -> game_record.GameRecord:
        """Return the record of the game so far."""
        players = (HUMAN, self.agent_name) if self.seat == 0 else (self.agent_name, HUMAN)
        ending: dict[str, Any] = {}
        if self.illegal or self.resigned:
            won = self.seat if self.illegal else 1 - self.seat
            ending["result"] = (1.0, -1.0) if won == 0 else (-1.0, 1.0)
            ending["reason"] = ILLEGAL if self.illegal else RESIGNED
        return game_record.GameRecord.from_state(self.state, players, self.seed, **ending)


def save_record(session: Session, path: Path, write: Callable[[str], None]) -> None:
    """Append the record of a session to a file.

    Args:
        session: the game, finished or not.
        path: the file of records.
        write: prints the record if the file cannot be written, so that the game is not lost.

    Raises:
        ValueError: The file holds something else than records.
        OSError: The record cannot be written.
    """
    record = session.record()
    try:
        game_record.write(record, path)
    except (OSError, ValueError):  # ValueError: the file holds something else than records
        write(record.to_json())
        raise
