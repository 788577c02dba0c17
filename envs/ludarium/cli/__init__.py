"""The command line: ``ludarium COMMAND``.

The commands import games, Numba and pictures only when they run and need them.
"""

from __future__ import annotations

import atexit
import io
import os
import sys
from collections.abc import Sequence

import click

from ludarium.cli.bench import bench_command
from ludarium.cli.compile import compile_command
from ludarium.cli.games import list_command, perft_command, show_command
from ludarium.cli.matches import match_command, record_command
from ludarium.cli.play import play_command
from ludarium.cli.replays import replay_command
from ludarium.cli.rules import rules_command
from ludarium.cli.signals import signals_as_exit
from ludarium.cli.tournament import tournament_command
from ludarium.core.errors import join_or, with_question

USER_ERROR, INTERRUPTED = 2, 130  # exit statuses


class _Group(click.Group):
    """Commands; the nearest one is offered for a name that is none."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            message = f"there is no command {args[0]!r}: there is {join_or(self.commands)}"
            raise click.UsageError(with_question(message, args[0], self.commands), ctx) from error


@click.group(
    cls=_Group,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="ludarium", prog_name="ludarium")
@click.pass_context
def cli(context: click.Context) -> None:
    """Play, analyse and compare agents in modern abstract board games.

    \b
    Examples:
      ludarium list
      ludarium rules sphlag --short
      ludarium show sphlag
      ludarium play sphlag --against greedy
      ludarium match sphlag greedy random --games 400
      ludarium tournament sphlag --agents random,greedy,mcts:200 --games 20
      ludarium record sphlag --agents greedy,random --out game.gif
      ludarium replay games.jsonl --out game.html
      ludarium perft sphlag --depth 4

    Give the options of a game as -o NAME=VALUE; repeat -o for several options. Run
    `ludarium COMMAND --help` for the options and examples of a command.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (
    list_command,
    rules_command,
    show_command,
    play_command,
    match_command,
    tournament_command,
    record_command,
    replay_command,
    perft_command,
    compile_command,
    bench_command,
):
    cli.add_command(command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    The exit status is 0; 2 after a user's mistake or for a missing extra, with one line on stderr;
    or 130 after an interrupt.

    Args:
        arguments: the words after ``ludarium``; those of the process by default.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the shell, as in `ludarium list >&-`
            nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
            atexit.register(nowhere.close)
            setattr(sys, name, nowhere)
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # for terminals that lack some letters
    try:
        with signals_as_exit():  # removes partly written files
            status = cli.main(arguments, prog_name="ludarium", standalone_mode=False)
            sys.stdout.flush()
    except click.Abort:
        click.echo("ludarium: interrupted", err=True)
        sys.exit(INTERRUPTED)
    except click.ClickException as error:
        _fail(_usage(error))
    except (BrokenPipeError, SystemExit) as leaving:
        # The reader closed the pipe: click and rich exit with 1. A signal keeps its own status.
        if isinstance(leaving, SystemExit) and leaving.code != 1:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        _fail(_reason(error))
    except ValueError as error:  # IllegalActionError too
        _fail(str(error))
    except ImportError as error:
        if "ludarium[" not in str(error):
            raise
        _fail(str(error))
    else:
        sys.exit(status if isinstance(status, int) else 0)


def _usage(error: click.ClickException) -> str:
    """Return the message of an error, with the command whose --help explains the usage."""
    message = error.format_message()
    context = getattr(error, "ctx", None)
    if context is None:
        return message
    see = f"{context.command_path} --help"
    if message.endswith("?"):
        return f"{message} See {see}"
    return f"{message.removesuffix('.')}; see {see}"


def _reason(error: OSError) -> str:
    """Return the message of an error of the system, without its number."""
    if isinstance(error, FileExistsError):
        return f"{error}; --force overwrites it"
    if error.strerror is None:
        return str(error)
    return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"


def _fail(message: str) -> None:
    """Print one line on stderr and exit."""
    click.echo(f"ludarium: {' '.join(message.splitlines())}", err=True)
    sys.exit(USER_ERROR)
