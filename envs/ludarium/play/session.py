"""A person against an agent: what the game at the terminal and the one in a window share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ludarium.agents.players import legal_answer
from ludarium.records.game_record import GameRecord
from ludarium.records.results import ILLEGAL

if TYPE_CHECKING:
    import numpy as np

    from ludarium.agents import Agent
    from ludarium.core.state import State

HUMAN = "human"
RESIGNED = "resigned"  # why a game ended, in its record


class AgentError(Exception):
    """An agent has raised instead of answering; the message says which and what."""


def agents_turn(agent: Agent, name: str, state: State, rng: np.random.Generator) -> list[int]:
    """Return the actions with which an agent makes, or ends, the turn of a state.

    Raises:
        IllegalActionError: It answered an action that is not legal.
        AgentError: It raised something.
    """
    now, actions = state.clone(), []
    while now.current_player() == state.current_player() and not now.is_terminal():
        if now.turn_number() != state.turn_number():
            break
        try:
            answer = agent.select_action(now.clone(), rng)
        except Exception as error:
            raise AgentError(f"{name} raised {type(error).__name__}: {error}") from error
        actions.append(legal_answer(now, answer))
        now.apply_action(actions[-1])
    return actions


def turn_text(state: State, actions: list[int]) -> str:
    """Return the text of actions from a state, joined."""
    now, text = state.clone(), ""
    for action in actions:
        text += now.action_to_string(action)
        now.apply_action(action)
    return text


class Session:
    """A game between a person and an agent, without any way to see or to steer it.

    Args:
        state: the first position.
        name: of the agent, as in the record.
        seat: the person's, 0 or 1.
        seed: what the game was seeded with.

    Attributes:
        state: the position.
        illegal: whether the agent has lost by an illegal answer.
        resigned: whether the person has given up.
    """

    def __init__(self, state: State, name: str, seat: int, seed: int | None) -> None:
        self.state, self.name, self.seat, self.seed = state, name, seat, seed
        self.illegal = self.resigned = False
        self._before: list[State] = []  # the states in which the person acted

    # ---- whose turn it is

    @property
    def over(self) -> bool:
        """Whether the game has ended in any way."""
        return self.state.is_terminal() or self.illegal or self.resigned

    @property
    def persons_turn(self) -> bool:
        """Whether the person is to act."""
        return not self.over and self.state.current_player() == self.seat

    @property
    def half_made(self) -> bool:
        """Whether the person has begun a turn and not ended it."""
        begun = self._before and self._before[-1].turn_number() == self.state.turn_number()
        return bool(begun) and self.persons_turn

    @property
    def turn_start(self) -> State | None:
        """The state in which the person's half-made turn was added to; None without one."""
        return self._before[-1].clone() if self.half_made else None

    @property
    def can_undo(self) -> bool:
        """Whether there is anything to take back."""
        return bool(self._before) or self.resigned

    # ---- what happens

    def act(self, actions: list[int]) -> None:
        """Play actions of the person's, legal ones, as one step that `undo` takes back."""
        self._before.append(self.state.clone())
        self.answer(actions)

    def answer(self, actions: list[int]) -> None:
        """Play actions of the agent's, legal ones."""
        for action in actions:
            self.state.apply_action(action)

    def undo(self) -> bool:
        """Go back to where the person acted last, or gave up; False if that is nowhere."""
        if self.resigned:
            self.resigned = False
            return True
        if not self._before:
            return False
        self.state = self._before.pop()
        self.illegal = False
        return True

    def undo_turn(self) -> bool:
        """Go back to where the person's last turn began, or the one now half made."""
        found = self.undo()
        while found and self.half_made:
            self.undo()
        return found

    # ---- how it ended

    def result(self) -> str:
        """Return in words how an ended game has ended for the person."""
        if self.illegal:
            return f"{self.name} answered an illegal action: you win."
        if self.resigned:
            return f"You have resigned: {self.name} wins."
        if not self.state.returns()[0]:
            return "Nobody wins."
        return "You win." if self.state.returns()[self.seat] > 0 else "You lose."

    def record(self) -> GameRecord:
        """Return the record of the game so far."""
        players = (HUMAN, self.name) if self.seat == 0 else (self.name, HUMAN)
        ending: dict[str, Any] = {}
        if self.illegal or self.resigned:
            won = self.seat if self.illegal else 1 - self.seat
            ending["result"] = (1.0, -1.0) if won == 0 else (-1.0, 1.0)
            ending["reason"] = ILLEGAL if self.illegal else RESIGNED
        return GameRecord.from_state(self.state, players, self.seed, **ending)
