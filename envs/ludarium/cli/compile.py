"""The command `compile`: make games ready, so that nobody waits for the compiler later."""

from __future__ import annotations

import sys
import time

import click

from ludarium.cli.arguments import console, load


@click.command("compile", short_help="Compile beforehand what games need.")
@click.argument("game", required=False)
@click.option(
    "-o",
    "--option",
    "options",
    metavar="NAME=VALUE",
    multiple=True,
    help="An option of the game; what is compiled serves all options.",
)
def compile_command(game: str | None, options: tuple[str, ...]) -> None:
    """Compile what GAME needs, or all games, and keep it for later processes.

    For images of containers, jobs of continuous integration and classrooms. It takes about a minute
    for a game. The folder is that of LUDARIUM_CACHE_DIR, or the cache folder of the user.

    \b
    Examples:
      ludarium compile
      ludarium compile gyges
    """
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from ludarium.arena.readiness import PARTS, compiled_files
    from ludarium.core import compiling
    from ludarium.core.cache import keeping_root
    from ludarium.core.registry import list_games

    if game is None and options:
        raise ValueError("-o is an option of a game: name the game")
    games = [load(name, options) for name in (list_games() if game is None else [game])]
    before, start = compiled_files(), time.perf_counter()
    on_terminal = sys.stderr.isatty()
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with (
        compiling.silence(),
        Progress(
            *columns, console=console(error=True), transient=True, disable=not on_terminal
        ) as bar,
    ):
        task = bar.add_task("", total=len(games) * len(PARTS))
        for one in games:
            for words, use in PARTS:
                bar.update(task, description=f"{one.type.title}: {words}")
                known = len(compiled_files())
                use(one)
                bar.advance(task)
                new = len(compiled_files()) - known
                done = f"{new} compiled" if new else "ready already"
                click.echo(f"{one.type.title}: {words}: {done}")
    after = compiled_files()
    size = sum(after.values()) / 2**20
    seconds = time.perf_counter() - start
    did = f"{len(after) - len(before)} functions compiled in {seconds:.0f} s"
    click.echo(
        f"{did if len(after) > len(before) else 'nothing had to be compiled'}; "
        f"{size:.1f} MB in {keeping_root()}"
    )
