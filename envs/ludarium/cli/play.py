"""The command `play`: a person against an agent, at the terminal or in a window."""

from __future__ import annotations

import itertools
import time
from pathlib import Path

import click

from ludarium.cli.arguments import game_argument, load, position_option, seed_option, state_at

WINDOW_SIZE = 640  # default of the longer side of the board in the window, in pixels


@click.command("play", short_help="Play GAME against an agent.")
@game_argument
@click.option(
    "--against",
    metavar="AGENT",
    default="greedy",
    show_default=True,
    help="Your opponent; a time, as in alphabeta:1000ms, is for a whole turn of it.",
)
@click.option(
    "--seat",
    type=click.IntRange(0, 1),
    default=0,
    show_default=True,
    help="Your player number; player 0 moves first.",
)
@position_option
@seed_option("Seed of the set-up and of the agent; chosen at random by default.", default=None)
@click.option(
    "--out",
    "--record",
    metavar="FILE.jsonl",
    type=click.Path(path_type=Path),
    help="File to which the record is appended; by default a new file in this folder.",
)
@click.option("--window", is_flag=True, help="Play by mouse in a window (extra: human).")
@click.option(
    "--theme", type=click.Choice(["light", "dark"]), help="Colours of the window.  [default: light]"
)
@click.option(
    "--size",
    type=click.IntRange(128, 2048),
    help=f"Longer side of the board in the window, in pixels, until you resize it.  "
    f"[default: {WINDOW_SIZE}]",
)
@click.option(
    "--orientation",
    type=click.Choice(["0", "1", "mover"]),
    help="Whose side of the board is at the bottom: that of a player number, or of the player to "
    "move.  [default: yours]",
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
    orientation: str | None,
) -> None:
    """Play GAME against an agent, at the terminal or in a window.

    At the terminal, type actions as text; ? lists the legal actions, hint prints the turn that
    the agent would play, undo takes back your last action, rules prints the rules in short, resign
    gives the game up, quit leaves.

    In the window, click a piece, then its destination; green dots mark what you can click, and
    under the mouse you see what a click would play. Your side of the board is at the bottom. The
    buttons and keys are: U undo (a resignation too), H hint (the turn that the agent would play),
    M move now (stop its search), P pass, R resign, N new game, F flip the board, Esc or the right
    mouse button to clear the selection, Q to quit; R, N and Q ask once more. The mouse wheel, Page
    Up and Page Down scroll the list of turns.

    However the game ends, its record is saved in a file, which is named when you leave. A
    game in which nothing was played leaves no file.

    \b
    Examples:
      ludarium play sphlag
      ludarium play sphlag --against random --seat 1 --out games.jsonl
      ludarium play gliss --window --against mcts:1000 --theme dark
    """
    import secrets

    from ludarium.agents import make_agent
    from ludarium.play.session import AgentError, Session

    needs_window = {"theme": theme, "size": size}
    for name, value in needs_window.items():
        if value is not None and not window:
            raise ValueError(f"--{name} needs --window")
    loaded = load(game, options)
    agent = make_agent(against)
    getattr(agent, "check", lambda game: None)(loaded)
    path = _record_path(out, loaded.name)
    seeds = itertools.count(secrets.randbits(32) if seed is None else seed)

    def new_session() -> Session:
        number = next(seeds)
        return Session(state_at(loaded, position, number), against, seat, number)

    session = new_session()
    if session.state.is_terminal():
        raise ValueError(f"the game is over in {session.state.to_string()!r}")
    bottom = int(orientation) if orientation in ("0", "1") else orientation
    try:
        if window:
            from ludarium.play.window import play_in_window

            size = WINDOW_SIZE if size is None else size
            theme = theme or "light"
            play_in_window(session, new_session, agent, path, size, theme, bottom, click.echo)
        else:
            from ludarium.play.terminal import play_in_terminal

            play_in_terminal(session, agent, path, seat if bottom is None else bottom, click.echo)
    except AgentError as error:
        raise click.ClickException(str(error)) from error


def _record_path(out: Path | None, name: str) -> Path:
    """Return the file to which the record is appended, after checking it.

    Raises:
        ValueError: The name of the file does not end in .jsonl, or it holds something else than
            records.
        OSError: The file cannot be written.
    """
    from ludarium.core.files import check_target
    from ludarium.records.game_record import check_records_file

    path = out or Path(f"ludarium-{name}-{time.strftime('%Y%m%d-%H%M%S')}.jsonl")
    if path.is_file():
        check_target(path, (".jsonl",), overwrite=True)
        check_records_file(path)
        with open(path, "ab"):  # raises OSError unless the file can be appended to
            return path
    return check_target(path, (".jsonl",))
