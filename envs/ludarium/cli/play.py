"""The command play: a person against an agent, at the terminal or in a window."""

from __future__ import annotations

import contextlib
import importlib
import itertools
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ludarium.cli.arguments import game_argument, load, position_option, seed_option, state_at
from ludarium.cli.games import in_columns

if TYPE_CHECKING:
    import numpy as np

    from ludarium.agents import Agent
    from ludarium.core.state import State
    from ludarium.play.session import Session

WINDOW_SIZE = 640  # pixels of the longer side of the board

HELP = """\
Type a turn, or one action of it, as the lists show it. Besides:
  ?         list the legal actions;  ? b1  those that begin with b1
  undo      take your last action back, and the answer to it
  board     print the board again
  help      print this
  quit      leave; the game so far is written to the record"""


@click.command("play")
@game_argument
@click.option("--against", metavar="AGENT", default="greedy", show_default=True, help="Opponent.")
@click.option(
    "--seat",
    type=click.IntRange(0, 1),
    default=0,
    show_default=True,
    help="Which player you are; 0 moves first.",
)
@position_option
@seed_option("Decides the set-up and the agent's chance; fresh if not given.", default=None)
@click.option(
    "--out",
    "--record",
    metavar="FILE.jsonl",
    type=click.Path(path_type=Path),
    help="Where the record is added; a new file in this folder if not given.",
)
@click.option("--window", is_flag=True, help="Play by mouse in a window (extra: human).")
@click.option(
    "--theme", type=click.Choice(["light", "dark"]), help="Colours of the window.  [default: light]"
)
@click.option(
    "--size",
    type=click.IntRange(128, 2048),
    help=f"The longer side of the window's board, in pixels.  [default: {WINDOW_SIZE}]",
)
def play_command(
    game: str,
    options: tuple[str, ...],
    against: str,
    seat: int,
    position: str | None,
    seed: int | None,
    out: Path | None,
    window: bool,
    theme: str | None,
    size: int | None,
) -> None:
    """Play GAME against an agent, at the terminal or in a window.

    At the terminal type actions as text; ? lists the legal ones, undo takes back, quit leaves.

    In a window click a piece, then where it goes; green dots are what can be clicked. Buttons and
    keys: U undo, H hint (what the agent would play), P pass, R resign, N new game, Esc or the right
    button to choose anew, Q to leave.

    However a game ends, its record is written to a file that is named when you leave.

    \b
    Examples:
      ludarium play sphlag
      ludarium play sphlag --against random --seat 1 --out games.jsonl
      ludarium play gliss --window --against mcts:1000 --theme dark
    """
    import secrets

    import numpy as np

    from ludarium.agents import make_agent
    from ludarium.play.session import Session

    if not window and (theme is not None or size is not None):
        raise ValueError(f"--{'size' if theme is None else 'theme'} is for a window: add --window")
    loaded = load(game, options)
    agent = make_agent(against)
    getattr(agent, "check", lambda game: None)(loaded)
    target = _record_file(out, loaded.name)
    number = secrets.randbits(32) if seed is None else seed
    state = state_at(loaded, position, number)
    if state.is_terminal():
        raise ValueError(f"the game is over in {state.to_string()!r}")
    if window:
        size = WINDOW_SIZE if size is None else size
        _play_by_mouse(
            state, position, agent, against, seat, number, target, size, theme or "light"
        )
        return
    session = Session(state, against, seat, number)
    terminal = _Terminal(session, agent, np.random.default_rng([number, 1 - seat]))
    with contextlib.suppress(ImportError):
        importlib.import_module("readline")  # from now on input() can be edited
    try:
        with signals_as_exit():
            terminal.run()
    except (EOFError, KeyboardInterrupt):
        click.echo()
    finally:
        _keep(session, target)
        click.echo(f"The record is in {target}")


def _play_by_mouse(
    state: State,
    position: str | None,
    agent: Agent,
    against: str,
    seat: int,
    seed: int,
    target: Path,
    size: int,
    theme: str,
) -> None:
    """Play in a window, one game after the other: the first from `state`, others with new seeds."""
    import numpy as np

    from ludarium.drawing.pointing import check_can_be_pointed_at
    from ludarium.play.agent_thread import AgentThread
    from ludarium.play.controller import Controller
    from ludarium.play.session import Session
    from ludarium.play.view import View
    from ludarium.play.window import WindowShell

    game = state.game
    check_can_be_pointed_at(game)
    seeds = itertools.count(seed)

    def begin() -> Session:
        number = next(seeds)
        fresh = state.clone() if number == seed else state_at(game, position, number)
        return Session(fresh, against, seat, number)

    rng, hint_rng = (np.random.default_rng([seed, stream]) for stream in (1 - seat, 2))
    agent_thread = AgentThread(agent, against)
    controller = Controller(
        begin, agent_thread, rng, hint_rng, lambda session: _keep(session, target), click.echo
    )
    shell = WindowShell(controller, View(game, size, theme), f"{game.type.title} - ludarium")
    try:
        with signals_as_exit():
            shell.run()
        if controller.error:
            raise click.ClickException(controller.error)
    except KeyboardInterrupt:
        click.echo()
    finally:
        shell.close()
        agent_thread.close()
        controller.save_record()
        click.echo(f"The record is in {target}")


def _keep(session: Session, target: Path) -> None:
    """Add the record of a game to a file.

    Raises:
        OSError: It cannot be written; it is printed instead.
    """
    from ludarium.records.game_record import write

    record = session.record()
    try:
        write(record, target)
    except OSError:
        click.echo(record.to_json())  # so that nothing is lost
        raise


def _record_file(out: Path | None, name: str) -> Path:
    """Return the file for the record.

    Raises:
        ValueError: Its name does not end in .jsonl.
        OSError: It cannot be written.
    """
    from ludarium.core.files import check_target

    target = out or Path(f"ludarium-{name}-{time.strftime('%Y%m%d-%H%M%S')}.jsonl")
    if target.is_file():
        check_target(target, (".jsonl",), overwrite=True)
        with open(target, "ab"):  # it can be added to
            return target
    return check_target(target, (".jsonl",))


@contextlib.contextmanager
def signals_as_exit() -> Iterator[None]:
    """Let a signal that ends the process, like a closed terminal, pass the code that cleans up."""

    def leave(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():
        numbers = []
    before = [(number, signal.signal(number, leave)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


# ---------------------------------------------------------------- at the terminal


class _Terminal:
    """The person's side of a session: lines read and printed."""

    def __init__(self, session: Session, agent: Agent, rng: np.random.Generator) -> None:
        self._session, self._agent, self._rng = session, agent, rng

    def run(self) -> None:
        """Play until the game is over or the person leaves."""
        session = self._session
        which = "first" if session.seat == 0 else "second"
        click.echo(
            f"You are player {session.seat}, who moves {which}. Type ? for actions, or help."
        )
        self._print_board()
        while not session.over:
            if not session.persons_turn:
                self._agent_turn()
            elif not self._person(input(f"{session.state.stage()}> ").strip()):
                return
        click.echo(session.result())

    def _print_board(self) -> None:
        click.echo(f"\n{self._session.state}\n")

    def _agent_turn(self) -> None:
        from ludarium.core.errors import IllegalActionError
        from ludarium.play.session import AgentError, agents_turn, turn_text

        session = self._session
        try:
            actions = agents_turn(self._agent, session.name, session.state, self._rng)
        except AgentError as error:
            raise click.ClickException(str(error)) from error
        except IllegalActionError:
            session.illegal = True
            return
        text = turn_text(session.state, actions)
        session.answer(actions)
        click.echo(f"{session.name} plays {text}")
        self._print_board()

    def _person(self, line: str) -> bool:
        """Do what a line says; False to leave."""
        word = line.lower()
        if word in ("quit", "exit", "q"):
            return False
        if word in ("help", "h"):
            click.echo(HELP)
        elif line.startswith("?"):
            self._list_actions(line[1:].strip())
        elif word == "undo":
            self._undo()
        elif word == "board":
            self._print_board()
        elif not line:
            click.echo("Type an action, ? for a list of them, or help.")
        else:
            self._act(line)
        return True

    def _list_actions(self, beginning: str) -> None:
        state = self._session.state
        names = [state.action_to_string(action) for action in state.legal_actions()]
        chosen = [name for name in names if name.lower().startswith(beginning.lower())]
        if chosen:
            in_columns(chosen)
        else:
            click.echo(f"None of the {len(names)} legal actions begins with {beginning}.")

    def _undo(self) -> None:
        if self._session.undo():
            self._print_board()
        else:
            click.echo("There is nothing to take back.")

    def _act(self, line: str) -> None:
        from ludarium.records.game_record import turn_actions

        for text in (line, line.lower(), line.upper()):
            try:
                actions = turn_actions(self._session.state, text)
            except ValueError:
                continue
            self._session.act(actions)
            self._print_board()
            return
        click.echo(f"{line} is not legal here; ? lists what is.")
