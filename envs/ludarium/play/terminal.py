"""Playing at the terminal: a person types turns, and text answers."""

from __future__ import annotations

import contextlib
import importlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ludarium.core.errors import IllegalActionError
from ludarium.core.text import in_columns
from ludarium.play.session import Session, agents_turn, save_record, turn_text
from ludarium.records.replaying import turn_actions

if TYPE_CHECKING:
    from ludarium.agents import Agent

HELP = """\
Type a turn, or one action of it, as the lists show it. The other commands are:
  ?         list the legal actions;  ? b1  lists those that begin with b1
  undo      take back your last action and the agent's answer to it
  board     print the board again
  resign    give the game up
  help      print this help
  quit      leave; a game in which a turn was begun is saved in the record file"""


class TerminalShell:
    """Reads what a person types and prints what happens in a session.

    Args:
        session: the game.
        agent: the person's opponent.
        rng: random generator of the agent's turns.
        read: returns the line that the person types after a prompt.
        write: prints a text.
    """

    def __init__(
        self,
        session: Session,
        agent: Agent,
        rng: np.random.Generator,
        read: Callable[[str], str] = input,
        write: Callable[[str], None] = print,
    ) -> None:
        self._session, self._agent, self._rng = session, agent, rng
        self._read, self._write = read, write

    def run(self) -> None:
        """Play until the game is over or the person quits.

        Raises:
            AgentError: The agent raised an error.
            EOFError: The input has ended.
        """
        session = self._session
        order = "first" if session.seat == 0 else "second"
        self._write(f"You are player {session.seat} and move {order}. Type ? for actions, or help.")
        self._print_board()
        while not session.over:
            if not session.persons_turn:
                self._play_agents_turn()
            elif not self._obey(self._read(f"{session.state.stage()}> ").strip()):
                return
        self._write(session.result())

    def _print_board(self) -> None:
        self._write(f"\n{self._session.state}\n")

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
        self._print_board()

    def _obey(self, line: str) -> bool:
        """Carry out a line; return False if the person quits."""
        word = line.lower()
        if word in ("quit", "exit", "q"):
            return False
        if word in ("help", "h"):
            self._write(HELP)
        elif line.startswith("?"):
            self._list_actions(line[1:].strip())
        elif word == "undo":
            self._undo()
        elif word == "resign":
            self._session.resigned = True
        elif word == "board":
            self._print_board()
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
            self._write(f"None of the {len(names)} legal actions begins with {prefix}.")

    def _undo(self) -> None:
        if self._session.undo():
            self._print_board()
        else:
            self._write("There is nothing to take back.")

    def _act(self, line: str) -> None:
        for text in (line, line.lower(), line.upper()):
            try:
                actions = turn_actions(self._session.state, text)
            except ValueError:
                continue
            self._session.act(actions)
            self._print_board()
            return
        self._write(f"{line} is not legal here; type ? to list the legal actions.")


def play_in_terminal(
    session: Session,
    agent: Agent,
    path: Path,
    write: Callable[[str], None] = print,
) -> None:
    """Play a session at the terminal and save its record, however the game ends.

    Args:
        session: the game.
        agent: the person's opponent.
        path: file to which the record is appended.
        write: prints a text.

    Raises:
        AgentError: The agent raised an error.
        OSError: The record cannot be written; it is printed instead.
    """
    rng = np.random.default_rng([session.seed, 1 - session.seat])
    with contextlib.suppress(ImportError):
        importlib.import_module("readline")  # lets the person edit the line that input() reads
    try:
        TerminalShell(session, agent, rng, write=write).run()
    except (EOFError, KeyboardInterrupt):
        write("")
    finally:
        if session.begun:
            save_record(session, path, write)
            write(f"The record is in {path}")
