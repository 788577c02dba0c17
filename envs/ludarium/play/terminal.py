"""Playing at the terminal: a person types turns, and text answers."""

from __future__ import annotations

import contextlib
import importlib
import shutil
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ludarium.core.errors import IllegalActionError, did_you_mean
from ludarium.core.reasons import reason_for
from ludarium.core.rule_page import plain_text, short_rules
from ludarium.core.text import in_columns
from ludarium.play.session import AgentError, Session, agents_turn, save_record, turn_text
from ludarium.records.replaying import turn_actions

if TYPE_CHECKING:
    from ludarium.agents import Agent

WIDTH = 80  # the most characters of a line of prose

HELP = """\
Type a turn, or one action of it, as the lists show it. The other commands are:
  ?         list the legal actions;  ? b1  lists those that begin with b1
  hint      print the turn that your opponent would play in your place
  undo      take back your last action and the agent's answer to it
  board     print the board again
  rules     print the rules that fit in a minute
  resign    give the game up
  help      print this help
  quit      leave; a game in which a turn was begun is saved in the record file"""


class TerminalShell:
    """Reads what a person types and prints what happens in a session.

    One board is printed for each exchange: after the agent's answer to the person's turn.

    Args:
        session: the game.
        agent: the person's opponent.
        rng: random generator of the agent's turns.
        hint_rng: random generator of the agent's hints; hints do not change the agent's turns.
        orientation: whose side of the board is at the bottom: 0, 1 or ``"mover"``.
        read: returns the line that the person types after a prompt.
        write: prints a text.
    """

    def __init__(
        self,
        session: Session,
        agent: Agent,
        rng: np.random.Generator,
        hint_rng: np.random.Generator,
        orientation: int | str = 0,
        read: Callable[[str], str] = input,
        write: Callable[[str], None] = print,
    ) -> None:
        self._session, self._agent, self._orientation = session, agent, orientation
        self._rng, self._hint_rng = rng, hint_rng
        self._read, self._write = read, write
        self._shown: list[int] | None = None  # the history of the position that was printed last
        self._notation = session.state.game.type.submodule("notation")

    def __repr__(self) -> str:
        return f"<TerminalShell of {self._session!r}>"

    def run(self) -> None:
        """Play until the game is over or the person quits.

        Raises:
            AgentError: The agent raised an error.
            EOFError: The input has ended.
        """
        session = self._session
        self._introduce()
        while not session.over:
            if not session.persons_turn:
                self._play_agents_turn()
                continue
            self._show_position()
            if not self._obey(self._read(f"{session.state.stage()}> ").strip()):
                return
        self._show_position()
        self._write(session.result())

    # ---- printing

    def _say(self, text: str) -> None:
        """Print a text in lines that fit the terminal; lines that fit already stay as they are."""
        width = min(shutil.get_terminal_size().columns, WIDTH)
        wrap = textwrap.TextWrapper(width, break_on_hyphens=False, break_long_words=False)
        for line in text.splitlines():
            self._write(line if len(line) <= width else wrap.fill(line))

    def _introduce(self) -> None:
        session, game = self._session, self._session.state.game
        names = getattr(self._notation, "PLAYERS", ("player 0", "player 1"))
        order = "first" if session.seat == 0 else "second"
        self._say(
            f"{game.type.title}: you are {names[session.seat]} and move {order}; "
            f"{session.agent_name} is {names[1 - session.seat]}."
        )
        if session.persons_turn:
            state = session.state
            example = state.action_to_string(state.legal_actions()[0])
            self._say(f"Type a turn, such as {example}, or a command:")
        else:
            self._say("Type a turn when you are asked to, or a command:")
        self._say("rules, ?, hint, undo, board, resign, help, quit.")
        self._say_legend()

    def _say_legend(self) -> None:
        legend = getattr(self._notation, "LEGEND", None)
        if legend is not None:
            self._say(legend + ".")

    def _show_position(self) -> None:
        """Print the board, or in the middle of a turn what is to be decided, unless it stands."""
        history = self._session.state.history()
        if self._shown == history:
            return
        if self._session.half_made:
            self._say(self._diagram().splitlines()[-1])
            self._shown = history
        else:
            self._show_board()

    def _show_board(self) -> None:
        self._write("")
        self._say(self._diagram())
        self._write("")
        self._shown = self._session.state.history()

    def _diagram(self) -> str:
        return str(self._session.state.render("ansi", orientation=self._orientation))

    # ---- the agent

    def _play_agents_turn(self) -> None:
        session = self._session
        try:
            actions = agents_turn(self._agent, session.agent_name, session.state, self._rng)
        except IllegalActionError:
            session.illegal = True
            return
        text = turn_text(session.state, actions)
        session.apply(actions)
        self._write(f"{session.agent_name} plays {text}")

    def _hint(self) -> None:
        session = self._session
        try:
            actions = agents_turn(self._agent, session.agent_name, session.state, self._hint_rng)
        except (IllegalActionError, AgentError) as error:
            self._say(f"There is no hint: {error}")
        else:
            self._write(f"{session.agent_name} would play {turn_text(session.state, actions)}")

    # ---- the person

    def _obey(self, line: str) -> bool:
        """Carry out a line; return False if the person quits."""
        word = line.lower()
        if word in ("quit", "exit", "q"):
            return False
        if word in ("help", "h"):
            self._write(HELP)
            self._say_legend()
        elif line.startswith("?"):
            self._list_actions(line[1:].strip())
        elif word == "hint":
            self._hint()
        elif word == "undo":
            self._undo()
        elif word == "resign":
            self._session.resigned = True
        elif word == "board":
            self._show_board()
        elif word == "rules":
            self._show_rules()
        elif not line:
            self._write("Type an action, ? for a list of the legal actions, or help.")
        else:
            self._act(line)
        return True

    def _list_actions(self, prefix: str) -> None:
        state = self._session.state
        names = [state.action_to_string(action) for action in state.legal_actions()]
        matches = [name for name in names if name.lower().startswith(prefix.lower())]
        if matches:
            self._write(in_columns(matches, shutil.get_terminal_size().columns))
        else:
            self._say(f"No legal action begins with {prefix}; type ? to list all {len(names)}.")

    def _show_rules(self) -> None:
        kind = self._session.state.game.type
        try:
            text = plain_text(short_rules(kind))
        except ValueError as error:  # the game of another package may have none
            self._say(str(error))
            return
        for paragraph in text.split("\n\n"):
            self._say(" ".join(paragraph.split()))
            self._write("")
        self._say(f"All of the rules: ludarium rules {kind.name}")

    def _undo(self) -> None:
        if not self._session.undo():
            self._write("There is nothing to take back.")
        elif self._session.state.history() == self._shown:
            self._shown = None

    def _act(self, line: str) -> None:
        for text in (line, line.lower(), line.upper()):
            try:
                actions = turn_actions(self._session.state, text)
            except ValueError:
                continue
            self._session.act(actions)
            return
        state = self._session.state
        reason = reason_for(state, line) or reason_for(state, line.lower())
        names = [state.action_to_string(action) for action in state.legal_actions()]
        meant = did_you_mean(line, names) or "Type ? to list the legal actions."
        why = "" if reason is None else f": {reason}"
        self._say(f"{line} is not legal here{why}. {meant}")


def play_in_terminal(
    session: Session,
    agent: Agent,
    path: Path,
    orientation: int | str = 0,
    write: Callable[[str], None] = print,
) -> None:
    """Play a session at the terminal and save its record, however the game ends.

    Args:
        session: the game.
        agent: the person's opponent.
        path: file to which the record is appended.
        orientation: whose side of the board is at the bottom: 0, 1 or ``"mover"``.
        write: prints a text.

    Raises:
        AgentError: The agent raised an error.
        OSError: The record cannot be written; it is printed instead.
    """
    rng, hint_rng = (
        np.random.default_rng([session.seed, stream]) for stream in (1 - session.seat, 2)
    )
    with contextlib.suppress(ImportError):
        importlib.import_module("readline")  # lets the person edit the line that input() reads
    try:
        TerminalShell(session, agent, rng, hint_rng, orientation, write=write).run()
    except (EOFError, KeyboardInterrupt):
        write("")
    finally:
        if session.begun:
            save_record(session, path, write)
            write(f"The record is in {path}")
