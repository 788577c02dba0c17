"""The controller of the window: it turns clicks and buttons into actions of a session.

This module draws nothing, reads no events and needs no display: `window.py` passes on clicks and
names of buttons, and shows the picture that `view.py` draws of a `Controller`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ludarium.core.errors import IllegalActionError
from ludarium.core.options import check_orientation
from ludarium.drawing.pictures import bottom_player
from ludarium.drawing.pointing import ClickPath, Target, clicks, hit, orders, prompt
from ludarium.play.session import Session, turn_text

if TYPE_CHECKING:
    import numpy as np

    from ludarium.core.state import State
    from ludarium.play.agent_thread import AgentThread

PAUSE = 0.4  # seconds for which the person's turn is shown before the agent's answer


# ---------------------------------------------------------------- choosing an action


class Selection:
    """The targets that a person has chosen so far for the next action.

    Args:
        state: the position; a finished game has no targets.
        turned: whether the board is turned by 180 degrees.

    Attributes:
        chosen: the chosen targets, in the order of the clicks.
    """

    def __init__(self, state: State, turned: bool = False) -> None:
        self.chosen: ClickPath = ()
        self._click_paths: dict[ClickPath, int] = {}  # to the action that it completes
        for action, path in clicks(state, turned).items():
            for order in orders(path):
                self._click_paths[order] = action
        self._turn_continues = {
            action
            for action in set(self._click_paths.values())
            if (after := state.child(action)).turn_number() == state.turn_number()
            and not after.is_terminal()
        }

    def __repr__(self) -> str:
        return f"<Selection of {len(self.chosen)} targets>"

    @property
    def pass_action(self) -> int | None:
        """The action without clicks, a pass; None where there is none."""
        return self._click_paths.get(())

    def next_targets(self) -> list[Target]:
        """Return the targets that can be chosen next."""
        count = len(self.chosen)
        paths = [
            path for path in self._click_paths if len(path) > count and path[:count] == self.chosen
        ]
        return list(dict.fromkeys(path[count] for path in paths))

    def pieces(self) -> set[Target]:
        """Return the targets that begin a turn without completing it, such as pieces to move."""
        return {
            path[0]
            for path, action in self._click_paths.items()
            if (len(path) > 1 and not path[0].label) or (path and action in self._turn_continues)
        }

    def path_to(self, x: float, y: float) -> ClickPath:
        """Return what would be chosen after a click at a point; empty where it clears the choice.

        A point outside the next targets is tried as the first target.

        Args:
            x: horizontal position, in units of the canvas.
            y: vertical position, in units of the canvas.
        """
        target = hit(self.next_targets(), x, y)
        if target is not None:
            return (*self.chosen, target)
        if self.chosen:
            target = hit(dict.fromkeys(path[0] for path in self._click_paths if path), x, y)
        return () if target is None else (target,)

    def action_of(self, path: ClickPath) -> int | None:
        """Return the action that a path of targets completes, or None."""
        return self._click_paths.get(path) if path else None

    def click(self, x: float, y: float) -> int | None:
        """Choose the target at a point as `path_to`; return the action that it completes, or None.

        Args:
            x: horizontal position, in units of the canvas.
            y: vertical position, in units of the canvas.
        """
        self.chosen = self.path_to(x, y)
        return self.action_of(self.chosen)


# ---------------------------------------------------------------- the controller


class Button(NamedTuple):
    """A button.

    Attributes:
        name: name for `Controller.press`.
        label: text of the button.
        key: letter of its key.
        enabled: whether it does anything now.
        asked: whether it was pressed, and waits for a second press.
    """

    name: str
    label: str
    key: str
    enabled: bool
    asked: bool = False


#: What cannot be taken back, or ends the session, is asked once more, with this text.
QUESTIONS = {
    "resign": "Resign this game? Press Resign or R again; Esc plays on.",
    "new": "Leave this game for a new one? Press New game or N again; Esc plays on.",
    "quit": "Leave this game? Press Q again; Esc plays on.",
}


class Controller:
    """The state of the window: a session, the selection, a hint, and what the buttons do.

    Args:
        session: the first game.
        new_session: returns the session of a new game.
        agent_thread: thread that asks the agent.
        rng: random generator of the agent's turns.
        hint_rng: random generator of the agent's hints; hints do not change the agent's turns.
        save: called with each session that is left, to write its record.
        announce: called with each turn and each result in words.
        pause: seconds for which the person's turn is shown before the agent's answer.
        clock: returns a monotonic time in seconds.
        orientation: whose side of the board is at the bottom: 0, 1, or ``"mover"``.

    Attributes:
        session: the current game.
        selection: the targets chosen for the next action; None unless it is the person's turn.
        hovered: the target under the mouse that a click would choose, or None.
        preview: the position after that click, if it completes an action; else None.
        recorded: whether the record of any game was saved.
        hint: targets of the turn that the agent suggests; empty unless a hint is shown.
        asked: name of the button or key that waits for a second press; empty without one.
        quitting: whether the person has asked to close the window.
        turned: whether player 1's side of the board is at the bottom.
        revision: number that grows with every change of the picture.
        error: message of an error that the agent raised; empty after the next step.
    """

    def __init__(
        self,
        session: Session,
        new_session: Callable[[], Session],
        agent_thread: AgentThread,
        rng: np.random.Generator,
        hint_rng: np.random.Generator,
        save: Callable[[Session], None],
        announce: Callable[[str], None],
        pause: float = PAUSE,
        clock: Callable[[], float] = time.monotonic,
        orientation: int | str = 0,
    ) -> None:
        self._new_session, self._agent_thread = new_session, agent_thread
        self._save, self._announce = save, announce
        self._rng, self._hint_rng = rng, hint_rng
        self._pause, self._clock = pause, clock
        self._saved: Session | None = None  # the session that was saved last
        self.recorded = False
        self._hint_question: int | None = None  # number of the pending question for a hint
        self._turn_question: int | None = None  # number of the pending question for a turn
        self._orientation, self._flipped = check_orientation(orientation), False
        self.asked = ""
        self.quitting = False
        self.revision = 0
        self.session = session
        self._refresh()

    def __repr__(self) -> str:
        return f"<Controller of {self.session!r}>"

    def _refresh(self) -> None:
        """Start from the current state of the session; discard questions that are pending."""
        session = self.session
        if self.thinking:
            self._agent_thread.discard()
        self._hint_actions: list[int] = []
        self._look()
        self.error = self._notice = ""
        if session.over:
            self.asked = ""
        self._hint_question = self._turn_question = None
        self._since = self._clock()
        if not session.over and not session.persons_turn:
            self._turn_question = self._agent_thread.ask(session.state, self._rng)
        self.revision += 1

    def _look(self) -> None:
        """Set whose side is at the bottom, and what lies elsewhere in units of a turned board."""
        session = self.session
        bottom = bottom_player(session.state, self._orientation)
        self.turned = (bottom == 1) != self._flipped
        self.selection: Selection | None = None
        if session.persons_turn:
            self.selection = Selection(session.state, self.turned)
        self._restart: Selection | None = None  # of a half-made turn's start, once it is needed
        self.hovered: Target | None = None
        self.preview: State | None = None
        self._show_hint_actions()
        self.revision += 1

    def _show_hint_actions(self) -> None:
        self.hint: list[Target] = []
        state = self.session.state.clone()
        for action in self._hint_actions:
            self.hint += clicks(state, self.turned)[action]
            state.apply_action(action)

    # ---- what is shown

    @property
    def thinking(self) -> bool:
        """Whether a question to the agent is pending."""
        return self._turn_question is not None or self._hint_question is not None

    def status(self) -> str:
        """Return the text of the line below the board."""
        session = self.session
        if self.asked:
            return QUESTIONS[self.asked]
        if self.error:
            return self.error
        if session.over:
            return f"{session.result()} Undo to play on, or start a new game."
        if self._turn_question is not None:
            return f"{session.agent_name} is thinking ..."
        if self._hint_question is not None:
            return f"Your turn; {session.agent_name} is thinking of a hint ..."
        if self._notice:
            return self._notice
        chosen = self.selection.chosen if self.selection is not None else ()
        return f"Your turn: {prompt(session.state, chosen)}"

    def buttons(self) -> list[Button]:
        """Return the buttons, from left to right."""
        is_persons_turn = self.session.persons_turn
        selection = self.selection
        can_pass = selection is not None and selection.pass_action is not None
        help_button = Button("hint", "Hint", "H", is_persons_turn)
        if self.thinking:
            help_button = Button("stop", "Move now", "M", self._agent_thread.can_stop)
        return [
            Button("undo", "Undo", "U", self.session.can_undo),
            help_button,
            Button("pass", "Pass", "P", can_pass),
            Button("resign", "Resign", "R", not self.session.over, self.asked == "resign"),
            Button("new", "New game", "N", True, self.asked == "new"),
        ]

    # ---- input of the person

    def hover(self, x: float, y: float) -> None:
        """Mark the target at a point in units of the canvas, and preview what a click plays."""
        target, preview = None, None
        if self.selection is not None:
            path = self.selection.path_to(x, y)
            action = self.selection.action_of(path)
            if path:
                target = path[-1]
            elif not self.selection.chosen and self.session.half_made:
                target = self._other_piece(x, y)[0]
            if target == self.hovered:
                return
            if action is not None:
                preview = self.session.state.child(action)
        if target != self.hovered:
            self.hovered, self.preview = target, preview
            self.revision += 1

    def click(self, x: float, y: float) -> None:
        """Handle a click on the board, at a point in units of the canvas."""
        self._withdraw_question()
        if self.selection is None:
            return
        before = self.selection.chosen
        action = self.selection.click(x, y)
        if action is not None:
            self._act(action)
        elif self.selection.chosen != before:
            self._notice = ""
            self.hovered = self.preview = None
            self.revision += 1
        elif not before and self.session.half_made:
            self._restart_turn(x, y)

    def _restart_turn(self, x: float, y: float) -> None:
        """Replace the first action of a half-made turn if a click chooses another piece."""
        _, action = self._other_piece(x, y)
        if action is None:
            return
        is_same_action = self.session.state.history()[-1] == action
        self.session.undo()
        if is_same_action:
            self._refresh()
        else:
            self._act(action)

    def _other_piece(self, x: float, y: float) -> tuple[Target | None, int | None]:
        """Return the piece at a point that begins the half-made turn, and the action; else None."""
        turn_start = self.session.turn_start
        if turn_start is None:
            return None, None
        if self._restart is None:
            self._restart = Selection(turn_start, self.turned)
        path = self._restart.path_to(x, y)
        action = self._restart.action_of(path)
        if action is None or path[0] not in self._restart.pieces():
            return None, None
        return path[0], action

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
        """Press a button; a disabled button does nothing.

        What would lose a running game (`QUESTIONS`) only asks at the first press, and is done at
        the second; any other input withdraws the question.

        Args:
            name: name of the button; ``"cancel"`` to withdraw a question or to clear the selection;
                ``"flip"`` to turn the board, which clears the selection too; ``"quit"`` to close
                the window.

        Raises:
            ValueError: There is no button of this name.
        """
        enabled = {button.name: button.enabled for button in self.buttons()}
        names = ("undo", "hint", "stop", "pass", "resign", "new", "cancel", "flip", "quit")
        if name not in names:
            raise ValueError(f"there is no button {name!r}; the buttons are {', '.join(names)}")
        if not enabled.get(name, name in ("cancel", "flip", "quit")):
            return
        if name in QUESTIONS and name != self.asked and self._would_lose(name):
            self.asked = name
            self.revision += 1
            return
        if self._withdraw_question() and name == "cancel":
            return
        if name == "cancel":
            self._cancel()
        elif name == "undo":
            self.session.undo_turn()
            self._announce(f"Back to turn {self.session.state.turn_number()}")
            self._refresh()
        elif name == "hint":
            self._hint_actions, self.hint = [], []
            self._hint_question = self._agent_thread.ask(self.session.state, self._hint_rng)
            self.revision += 1
        elif name == "stop":
            self._agent_thread.stop()
        elif name == "flip":
            self._flipped = not self._flipped
            self._look()
        elif name == "quit":
            self.quitting = True
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

    def _would_lose(self, name: str) -> bool:
        """Return whether a button ends a running game; nothing is lost before the first action."""
        return not self.session.over and (name == "resign" or self.session.can_undo)

    def _withdraw_question(self) -> bool:
        """Forget the button that waits for a second press; return whether there was one."""
        was_asked = bool(self.asked)
        if was_asked:
            self.asked = ""
            self.revision += 1
        return was_asked

    def _cancel(self) -> None:
        """Clear the selection, or take back a half-made turn where nothing is chosen."""
        if self.selection is not None and self.selection.chosen:
            self.selection.chosen = ()
            self.hovered = self.preview = None
            self.revision += 1
        elif self.session.half_made:
            self.session.undo()
            self._refresh()

    def save_record(self) -> None:
        """Save the record of the session once; a game in which nothing was played has none."""
        session = self.session
        if session is not self._saved and session.begun:
            self._saved = session
            self._save(session)
            self.recorded = True

    # ---- answers of the agent

    def poll(self) -> None:
        """Apply the answers that have arrived; the window calls this repeatedly."""
        if self._turn_question is not None and self._clock() < self._since + self._pause:
            return
        for number, answer in self._agent_thread.answers():
            if number == self._turn_question:
                self._apply_answer(answer)
            elif number == self._hint_question:
                self._show_hint(answer)

    def _apply_answer(self, answer: list[int] | Exception) -> None:
        session, self._turn_question = self.session, None
        if isinstance(answer, IllegalActionError):
            session.illegal = True
            self._announce_result()
        elif isinstance(answer, Exception):
            self.error = " ".join(str(answer).split())
            self.revision += 1
            return
        else:
            session.apply(answer)
            self._announce_turn(f"{session.agent_name} plays")
        self._refresh()

    def _show_hint(self, answer: list[int] | Exception) -> None:
        self._hint_question = None
        state, name = self.session.state.clone(), self.session.agent_name
        self.revision += 1
        if isinstance(answer, IllegalActionError):
            self._notice = f"{name} answered an illegal action here."
        elif isinstance(answer, Exception):
            self._notice = " ".join(str(answer).split())
        else:
            self._notice = f"Hint: {name} would play {turn_text(state, answer)}"
            self._hint_actions = answer
            self._show_hint_actions()
