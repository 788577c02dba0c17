"""The command `tournament`."""

from __future__ import annotations

import contextlib
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludarium.cli.arguments import console, force_option, game_argument, load, seed_option

if TYPE_CHECKING:
    from ludarium.arena import TournamentResult
    from ludarium.core.game import Game

RUNS = Path("runs")


@click.command("tournament", short_help="Play a tournament and print a table.")
@game_argument
@click.option("--agents", metavar="A,B,...", required=True, help="The agents, two or more.")
@click.option(
    "--games",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Games of each pair; the agents swap seats after each game.",
)
@seed_option("The same seed gives the same games.")
@click.option(
    "--record",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File that keeps every game; by default one in runs/, named by a hash of the arguments.",
)
@click.option(
    "--out",
    metavar="FILE",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Write the table (.csv, .json, .md) or the cross-table (.png); may be repeated.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Number of processes (extra: arena); by default 1, or with --ray all of the cluster.",
)
@click.option(
    "--ray",
    metavar="ADDRESS",
    help="Play on a Ray cluster (extra: ray): auto, HOST:PORT, ray://HOST:PORT, or local, which "
    "starts one.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Time for each decision; an agent that takes longer ends the game without a result.",
)
@click.option("--early-stop", is_flag=True, help="Stop a pair when a sequential test has decided.")
@click.option("--no-openings", is_flag=True, help="Start every game from the initial state.")
@click.option("--times", is_flag=True, help="Show the mean time for a decision of each agent.")
@click.option("--restart", is_flag=True, help="Play all games again and replace the record file.")
@force_option
def tournament_command(
    game: str,
    options: tuple[str, ...],
    agents: str,
    games: int,
    seed: int,
    record: Path | None,
    out: tuple[Path, ...],
    workers: int | None,
    ray: str | None,
    time_limit: float | None,
    early_stop: bool,
    no_openings: bool,
    times: bool,
    restart: bool,
    force: bool,
) -> None:
    """Play a round-robin tournament of GAME and print a table with ratings.

    Every game is saved as soon as it is over. To continue an interrupted run, give the same
    command again: the result is the same as that of an uninterrupted run. To play more games, give
    the command with a larger --games. The time of an agent such as mcts:250ms is for a whole turn.

    \b
    Examples:
      ludarium tournament sphlag --agents random,greedy --games 10
      ludarium tournament sphlag --agents random,greedy,mcts:50 --games 4 --times
    """
    from ludarium.arena import tournament
    from ludarium.arena.ledger import remove_ledger
    from ludarium.arena.reports import WRITERS, as_cross_table, as_table
    from ludarium.core.files import check_folder, check_target, replacing

    loaded = load(game, options)
    specs = [spec.strip() for spec in agents.split(",")]
    for path in out:
        check_target(path, tuple(WRITERS), force)
    target = record or _default_record(loaded, specs, seed, not no_openings)
    if record is None:
        RUNS.mkdir(exist_ok=True)
    check_folder(target)
    if restart:
        remove_ledger(target, loaded)
    with _Progress() as progress:
        try:
            result = tournament(
                loaded,
                specs,
                games,
                seed,
                record=target,
                workers=workers,
                ray=ray,
                openings=not no_openings,
                early_stop=early_stop,
                time_limit=time_limit,
                on_game=progress.advance,
            )
        except ImportError as error:
            raise click.ClickException(str(error)) from error
    screen = console()
    screen.print(as_table(result, times))
    screen.print(as_cross_table(result))
    _print_failures(result)
    click.echo(f"games: {target}")
    for path in out:
        with replacing(path, force) as file:
            WRITERS[path.suffix.lower()](file, result, times)
        click.echo(f"wrote {path}")


def _default_record(game: Game, specs: list[str], seed: int, openings: bool) -> Path:
    """Return the default record file, the same for the same games, so that a run continues."""
    what: list[Any] = [game.version, dict(game.options), sorted(specs), seed, openings]
    digest = hashlib.sha256(json.dumps(what).encode()).hexdigest()[:10]
    return RUNS / f"tournament-{game.name}-{digest}.jsonl"


def _print_failures(result: TournamentResult) -> None:
    """Print how many games each agent broke off, with the first error of each."""
    seen = set()
    for entry in result.failures:
        if entry.failed not in seen:
            seen.add(entry.failed)
            count = sum(other.failed == entry.failed for other in result.failures)
            click.echo(f"{entry.failed} broke {count} of its games off; the first: {entry.failure}")


class _Progress:
    """A progress bar with the remaining time; hidden without a terminal."""

    def __init__(self) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.progress import TimeRemainingColumn as Remaining

        error_console = console(error=True)
        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Remaining()
        self._bar = Progress(*columns, console=error_console, transient=True)
        self._task = self._bar.add_task("playing", total=None)
        self._shown = error_console.is_terminal
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> _Progress:
        if self._shown:
            self._stack.enter_context(self._bar)
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def advance(self, entry: Any, over: int, total: int) -> None:
        """Count one more game."""
        from rich.markup import escape

        text = escape(f"{entry.a} - {entry.b}")
        self._bar.update(self._task, completed=over, total=total, description=text)
