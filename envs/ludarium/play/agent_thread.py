"""An agent that thinks in a thread of its own, so that a window never waits for it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ludarium.play.session import agents_turn

if TYPE_CHECKING:
    import numpy as np

    from ludarium.agents import Agent
    from ludarium.core.state import State


class AgentThread:
    """Asks an agent one question after the other.

    The thread never holds a process up: it ends with it, in the middle of a thought.

    Args:
        agent: who thinks.
        name: of the agent, for messages.
    """

    def __init__(self, agent: Agent, name: str) -> None:
        self._agent, self._name = agent, name
        self._questions: queue.SimpleQueue[tuple[int, State, np.random.Generator] | None]
        self._questions = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[tuple[int, list[int] | Exception]] = queue.SimpleQueue()
        self._dropped = threading.Event()
        self._asked = 0
        self._thread = threading.Thread(target=self._work, name=f"{name} thinks", daemon=True)
        self._thread.start()

    def ask(self, state: State, rng: np.random.Generator) -> int:
        """Ask how the agent makes, or ends, the turn of a state; returns the question's number."""
        self._asked += 1
        self._questions.put((self._asked, state.clone(), rng))
        return self._asked

    def answers(self) -> Iterator[tuple[int, list[int] | Exception]]:
        """Yield what has been answered since: a question's number, and actions or what was raised.

        An exception is an `IllegalActionError`, or says what went wrong.
        """
        while True:
            try:
                yield self._answers.get_nowait()
            except queue.Empty:
                return

    def close(self) -> None:
        """Let the thread end with the question that it is at; nothing can be asked any more."""
        self._dropped.set()
        self._questions.put(None)

    def _work(self) -> None:
        prepare = getattr(self._agent, "prepare", None)
        prepared = None
        while True:
            question = self._questions.get()
            if question is None or self._dropped.is_set():
                return
            number, state, rng = question
            try:
                if prepare is not None and prepared != state.game:
                    prepare(state.game)
                    prepared = state.game
                self._answers.put((number, agents_turn(self._agent, self._name, state, rng)))
            except Exception as error:
                self._answers.put((number, error))
