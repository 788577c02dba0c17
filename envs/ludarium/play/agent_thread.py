"""An agent that computes its answers in a thread, so that a window never waits for it."""

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
    """A daemon thread in which an agent answers one question after the other.

    The thread never delays the end of the process, even in the middle of a search.

    Args:
        agent: the agent. If it has a ``stop_event``, the thread takes that over, and its searches
            can be broken off.
        name: name of the agent, for messages.
    """

    def __init__(self, agent: Agent, name: str) -> None:
        self._agent, self._name = agent, name
        self.can_stop = hasattr(agent, "stop_event")
        self._stop_event = threading.Event()
        if self.can_stop:
            agent.stop_event = self._stop_event  # type: ignore[attr-defined]
        # The lock guards these numbers of questions, and that the event belongs to the current one.
        self._lock = threading.Lock()
        self._current = self._last_stopped = self._last_discarded = 0
        self._questions: queue.SimpleQueue[tuple[int, State, np.random.Generator] | None]
        self._questions = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[tuple[int, list[int] | Exception]] = queue.SimpleQueue()
        self._closed = threading.Event()
        self._num_questions = 0
        self._thread = threading.Thread(target=self._work, name=f"agent {name}", daemon=True)
        self._thread.start()

    def __repr__(self) -> str:
        return f"<AgentThread of {self._name!r}, {self._num_questions} questions asked>"

    def ask(self, state: State, rng: np.random.Generator) -> int:
        """Ask for the actions that complete a state's turn; return the number of the question."""
        self._num_questions += 1
        self._questions.put((self._num_questions, state.clone(), rng))
        return self._num_questions

    def stop(self) -> None:
        """Let the agent answer what it was asked so far soon, with the best actions found so far.

        An agent without a ``stop_event`` answers when it has finished.
        """
        with self._lock:
            self._last_stopped = self._num_questions
            if self._current and self._current <= self._last_stopped:
                self._stop_event.set()

    def discard(self) -> None:
        """Break off the questions asked so far; those not begun are never answered."""
        with self._lock:
            self._last_discarded = self._num_questions
        self.stop()

    def answers(self) -> Iterator[tuple[int, list[int] | Exception]]:
        """Yield each new answer: the number of its question, and the actions or an exception.

        The exception is an `IllegalActionError` where the agent answered an illegal action, an
        `AgentError` where it raised an error, or what `prepare` of the agent raised.
        """
        while True:
            try:
                yield self._answers.get_nowait()
            except queue.Empty:
                return

    def close(self) -> None:
        """Break off the current question, and end the thread; later questions are not answered."""
        self._closed.set()
        self.discard()
        self._questions.put(None)

    def _work(self) -> None:
        prepare = getattr(self._agent, "prepare", None)
        prepared = None
        while True:
            question = self._questions.get()
            if question is None or self._closed.is_set():
                return
            number, state, rng = question
            with self._lock:
                if number <= self._last_discarded:
                    continue
                self._current = number
                if number <= self._last_stopped:
                    self._stop_event.set()
                else:
                    self._stop_event.clear()
            try:
                if prepare is not None and prepared != state.game:
                    prepare(state.game)
                    prepared = state.game
                self._answers.put((number, agents_turn(self._agent, self._name, state, rng)))
            except Exception as error:
                self._answers.put((number, error))
