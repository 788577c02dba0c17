"""What a person does in the window: targets chosen one by one, buttons, and what the line says.

Nothing here draws, reads events or needs a display: `window.py` hands over clicks and names of
buttons, and shows what `picture.py` makes of a `Controller`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ludarium.core.errors import IllegalActionError
from ludarium.drawing.pointing import ClickPath, Target, clicks, hit, orders, prompt
from ludarium.play.session import Session, turn_text

if TYPE_CHECKING:
    import numpy as np

    from ludarium.core.state import State
    from ludarium.play.agent_thread import AgentThread

PAUSE = 0.4  # seconds for which the person's own turn is seen before the agent's


# ---------------------------------------------------------------- choosing an action


class Selection:
    """The targets of one state that a person has chosen so far.

    Args:
        state: the position; nothing can be chosen where the game is over.

    Attributes:
        chosen: the targets clicked, in order.
    """

    def __init__(self, state: State) -> None:
        self.chosen: ClickPath = ()
        self._click_paths: dict[ClickPath, int] = {}  # the action of each order of clicks
        for action, path in clicks(state).items():
            for order in orders(path):
                self._click_paths[order] = action
        self._goes_on = {
            action
            for action in set(self._click_paths.values())
            if (after := state.child(action)).turn_number() == state.turn_number()
            and not after.is_terminal()
        }

    @property
    def pass_action(self) -> int | None:
        """The action that needs no click, a pass; None where there is none."""
        return self._click_paths.get(())

    def choices(self) -> list[Target]:
        """Return the targets that can be chosen next."""
        count = len(self.chosen)
        found = [
            path for path in self._click_paths if len(path) > count and path[:count] == self.chosen
        ]
        return list(dict.fromkeys(path[count] for path in found))

    def pieces(self) -> set[Target]:
        """Return those targets whose choice only begins a turn: what may go somewhere."""
        return {
            path[0]
            for path, action in self._click_paths.items()
            if (len(path) > 1 and not path[0].label) or (path and action in self._goes_on)
        }

    def click(self, x: float, y: float) -> int | None:
        """Choose the target at a point; returns the action that is complete by it.

        A point that is no next target is taken as a first one, else nothing is chosen any more.
        """
        target = hit(self.choices(), x, y)
        if target is None and self.chosen:
            self.chosen = ()
            target = hit(self.choices(), x, y)
        if target is None:
            return None
        self.chosen += (target,)
        return self._click_paths.get(self.chosen)


# ---------------------------------------------------------------- the table


class Button(NamedTuple):
    """A button: its name for `Controller.press`, its label, its key, whether it is enabled."""

    name: str
    label: str
    key: str
    enabled: bool


class Controller:
    """A person and an agent at a game: what can be done, and what is to be seen.

    Args:
        new_session: returns the session of a new game; called at once, and for each new game.
        agent_thread: asks the agent.
        rng: the chance of the agent's turns.
        hint_rng: the chance of its hints, so that those who ask for none play the same games.
        save: is given a session that is left, to write its record.
        announce: is told each turn and each result in words.
        pause: seconds for which the person's turn is seen before it is answered.
        clock: seconds that go on.

    Attributes:
        session: the game.
        selection: what the person has chosen of the next action.
        hint: the targets of the agent's choice, when it was asked for.
        revision: a number that grows whenever the picture is another one.
        error: what the agent has raised, until something is done about it.
    """

    def __init__(
        self,
        new_session: Callable[[], Session],
        agent_thread: AgentThread,
        rng: np.random.Generator,
        hint_rng: np.random.Generator,
        save: Callable[[Session], None],
        announce: Callable[[str], None],
        pause: float = PAUSE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._new_session, self._agent_thread = new_session, agent_thread
        self._save, self._announce = save, announce
        self._rng, self._hint_rng = rng, hint_rng
        self._pause, self._clock = pause, clock
        self._saved: Session | None = None  # the last one that was written
        self.revision = 0
        self.session = new_session()
        self._refresh()

    def _refresh(self, notice: str = "") -> None:
        """Begin anew with the session as it is now; whatever was asked before is void."""
        session = self.session
        self.selection: Selection | None = None
        if session.persons_turn:
            self.selection = Selection(session.state)
        self.hint: list[Target] = []
        self.error, self._notice = "", notice
        self._hinting: int | None = None  # the question that waits for its answer
        self._answering: int | None = None
        self._since = self._clock()
        if not session.over and not session.persons_turn:
            self._answering = self._agent_thread.ask(session.state, self._rng)
        self.revision += 1

    # ---- what is to be seen

    @property
    def thinking(self) -> bool:
        """Whether the agent has been asked and has not answered."""
        return self._answering is not None or self._hinting is not None

    def status(self) -> str:
        """Return what the line below the board says."""
        session = self.session
        if self.error:
            return self.error
        if session.over:
            return f"{session.result()} Undo to play on, or begin a new game."
        if self._answering is not None:
            return f"{session.name} is thinking ..."
        if self._hinting is not None:
            return f"Your turn; {session.name} is thinking of a hint ..."
        if self._notice:
            return self._notice
        chosen = self.selection.chosen if self.selection is not None else ()
        return f"Your turn: {prompt(session.state, chosen)}"

    def buttons(self) -> list[Button]:
        """Return the buttons, from the left."""
        yours = self.session.persons_turn
        selection = self.selection
        can_pass = selection is not None and selection.pass_action is not None
        return [
            Button("undo", "Undo", "U", self.session.can_undo),
            Button("hint", "Hint", "H", yours and self._hinting is None),
            Button("pass", "Pass", "P", can_pass),
            Button("resign", "Resign", "R", not self.session.over),
            Button("new", "New game", "N", True),
        ]

    # ---- what the person does

    def click(self, x: float, y: float) -> None:
        """Take a click on the board, at a point in units."""
        if self.selection is None:
            return
        before = self.selection.chosen
        action = self.selection.click(x, y)
        if action is not None:
            self._act(action)
        elif self.selection.chosen != before:
            self._notice = ""
            self.revision += 1
        elif not before and self.session.half_made:
            self._restart_turn(x, y)

    def _restart_turn(self, x: float, y: float) -> None:
        """Where one click has begun the turn, let another one begin it otherwise."""
        turn_start = self.session.turn_start
        if turn_start is None:
            return
        selection = Selection(turn_start)
        action = selection.click(x, y)
        if action is None or selection.chosen[0] not in selection.pieces():
            return
        same = self.session.state.history()[-1] == action
        self.session.undo()
        if same:
            self._refresh()
        else:
            self._act(action)

    def _act(self, action: int) -> None:
        self.session.act([action])
        if not self.session.half_made:
            self._announce_turn("You play")
        self._refresh()

    def _announce_turn(self, who: str) -> None:
        last = self.session.state.last_turn()
        if last is not None:
            self._announce(f"{who} {turn_text(*last)}")
        self._announce_result()

    def _announce_result(self) -> None:
        if self.session.over:
            self._announce(self.session.result())

    def press(self, name: str) -> None:
        """Press a button by its name, or ``cancel`` what is chosen; one may do nothing.

        Raises:
            ValueError: There is no such button.
        """
        enabled = {button.name: button.enabled for button in self.buttons()} | {"cancel": True}
        if name not in enabled:
            raise ValueError(f"there is no button {name!r}: there is {', '.join(enabled)}")
        if not enabled[name]:
            return
        if name == "cancel":
            self._cancel()
        elif name == "undo":
            self.session.undo_turn()
            self._announce(f"Back to turn {self.session.state.turn_number()}")
            self._refresh()
        elif name == "hint":
            self.hint = []
            self._hinting = self._agent_thread.ask(self.session.state, self._hint_rng)
            self.revision += 1
        elif name == "pass" and self.selection is not None:
            action = self.selection.pass_action
            if action is not None:
                self._act(action)
        elif name == "resign":
            self.session.resigned = True
            self._announce_result()
            self._refresh()
        else:
            self.save_record()
            self.session = self._new_session()
            self._refresh()

    def _cancel(self) -> None:
        """Choose nothing any more; where nothing is chosen take back a turn that is half made."""
        if self.selection is not None and self.selection.chosen:
            self.selection.chosen = ()
            self.revision += 1
        elif self.session.half_made:
            self.session.undo()
            self._refresh()

    def save_record(self) -> None:
        """Have the record written, of a game in which nothing happened only if it is the first."""
        session = self.session
        if session is not self._saved and (session.state.history() or self._saved is None):
            self._saved = session
            self._save(session)

    # ---- what the agent does

    def poll(self) -> None:
        """Take the agent's answers, if there are any; to be called again and again."""
        if self._answering is not None and self._clock() < self._since + self._pause:
            return
        for number, answer in self._agent_thread.answers():
            if number == self._answering:
                self._answered(answer)
            elif number == self._hinting:
                self._hinted(answer)

    def _answered(self, answer: list[int] | Exception) -> None:
        session = self.session
        if isinstance(answer, IllegalActionError):
            session.illegal = True
            self._announce_result()
        elif isinstance(answer, Exception):
            self._answering, self.error = None, " ".join(str(answer).split())
            self.revision += 1
            return
        else:
            session.answer(answer)
            self._announce_turn(f"{session.name} plays")
        self._refresh()

    def _hinted(self, answer: list[int] | Exception) -> None:
        self._hinting = None
        state, name = self.session.state.clone(), self.session.name
        self.revision += 1
        if isinstance(answer, IllegalActionError):
            self._notice = f"{name} has no legal answer here."
        elif isinstance(answer, Exception):
            self._notice = " ".join(str(answer).split())
        else:
            self._notice = f"Hint: {name} would play {turn_text(state, answer)}"
            for action in answer:
                self.hint += clicks(state)[action]
                state.apply_action(action)
