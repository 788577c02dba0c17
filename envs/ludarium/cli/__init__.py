"""The command line: ``ludarium list | show | play | match | tournament | perft | record``.

Games, Numba and pictures are imported by the commands that need them, when they run.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

import click

from ludarium.cli.bench import bench_command
from ludarium.cli.games import list_command, perft_command, show_command
from ludarium.cli.matches import match_command, record_command
from ludarium.cli.play import play_command
from ludarium.cli.signals import signals_as_exit
from ludarium.cli.tournament import tournament_command

MISTAKE, INTERRUPTED = 2, 130  # exit status


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="ludarium", prog_name="ludarium")
@click.pass_context
def cli(context: click.Context) -> None:
    """Modern abstract board games for people and for learning agents.

    \b
    Examples:
      ludarium list
      ludarium show sphlag
      ludarium play sphlag --against greedy
      ludarium match sphlag greedy random --games 400
      ludarium tournament sphlag --agents random,greedy,mcts:200 --games 20
      ludarium record sphlag --agents greedy,random --out game.gif
      ludarium perft sphlag --depth 4

    A game's options are given as -o NAME=VALUE, as often as needed. `ludarium COMMAND --help` says
    more.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (
    list_command,
    show_command,
    play_command,
    match_command,
    tournament_command,
    record_command,
    perft_command,
    bench_command,
):
    cli.add_command(command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit status.

    0, or 2 after one line on stderr for a mistake of the user's or a missing extra, or 130 when
    interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # names have letters that not every terminal has
    try:
        with signals_as_exit():  # so that nothing half written is left behind
            status = cli.main(arguments, prog_name="ludarium", standalone_mode=False)
            sys.stdout.flush()
    except click.Abort:
        click.echo("ludarium: interrupted", err=True)
        sys.exit(INTERRUPTED)
    except click.ClickException as error:
        _fail(_usage(error))
    except (BrokenPipeError, SystemExit) as leaving:
        # Whoever reads has seen enough: click and rich leave with 1. A signal keeps its status.
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
    """Return what is wrong with the words of a command, and where help is."""
    message = error.format_message()
    context = getattr(error, "ctx", None)
    if context is None:
        return message
    return f"{message.removesuffix('.')}; see {context.command_path} --help"


def _reason(error: OSError) -> str:
    """Return an error of the system without its number."""
    if isinstance(error, FileExistsError):
        return f"{error}; --force overwrites it"
    if error.strerror is None:
        return str(error)
    return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"


def _fail(message: str) -> None:
    """Leave with one line on stderr."""
    click.echo(f"ludarium: {' '.join(message.splitlines())}", err=True)
    sys.exit(MISTAKE)
