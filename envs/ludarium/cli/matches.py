"""The commands in which two agents play: `match` and `record`."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ludarium.cli.arguments import (
    console,
    game_argument,
    load,
    seed_option,
)
from ludarium.cli.episodes import EpisodeOptions, episode_options, write_game

if TYPE_CHECKING:
    from ludarium.arena import MatchResult
    from ludarium.records.game_record import GameRecord

# ---------------------------------------------------------------- match


@click.command("match", short_help="Play a match between two agents.")
@game_argument
@click.argument("a")
@click.argument("b")
@click.option(
    "--games",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="Number of games; the agents swap seats after each game.",
)
@seed_option("The same seed gives the same games.")
@click.option("--early-stop", is_flag=True, help="Stop when a sequential test has decided.")
@click.option("--no-openings", is_flag=True, help="Start every game from the initial state.")
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Time for each decision; an agent that takes longer ends the match.",
)
def match_command(
    game: str,
    options: tuple[str, ...],
    a: str,
    b: str,
    games: int,
    seed: int,
    early_stop: bool,
    no_openings: bool,
    time_limit: float | None,
) -> None:
    """Play a match of GAME between the agents A and B and print the result for A.

    An agent is a name such as `greedy`, or a name and an argument such as `mcts:200`; `ludarium
    list` prints them all. The time of an agent such as `mcts:250ms` is for a whole turn. Draws and
    games that reach max_turns count as half a win in the win rate. Each pair of games starts with
    a few random turns, which differ from pair to pair.

    \b
    Examples:
      ludarium match sphlag greedy random
      ludarium match sphlag greedy random --games 400 --seed 1 -o max_turns=100
    """
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    from ludarium.agents import make_agent
    from ludarium.arena import PlayerError, play_match

    loaded = load(game, options)
    agents = make_agent(a), make_agent(b)
    title = f"{loaded.type.title}: {a} against {b}, seed {seed}"
    error_console = console(error=True)
    won = 0

    def advance(record: GameRecord, seat: int) -> None:
        nonlocal won
        won += bool(record.result and record.result[seat] > 0)
        progress.update(task, advance=1, description=f"{escape(a)} has won {won}")

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Remaining()
    progress = Progress(*columns, console=error_console, transient=True)
    task = progress.add_task(escape(f"{a} against {b}"), total=games)
    try:
        with progress if error_console.is_terminal else contextlib.nullcontext():
            result = play_match(
                loaded,
                *agents,
                games=games,
                seed=seed,
                on_game=advance,
                openings=not no_openings,
                early_stop=early_stop,
                time_limit=time_limit,
            )
    except PlayerError as error:
        if error.result is not None and error.result.games:
            _print_result(title, error.result)
        raise click.ClickException(f"{error} (in game {_number(error)})") from error
    _print_result(title, result)


def _number(error: object) -> int:
    """Return the number, from 1, of the game of a match that an error stopped."""
    result: MatchResult | None = getattr(error, "result", None)
    return 1 + (result.games if result is not None else 0)


def _print_result(title: str, result: MatchResult) -> None:
    from rich.markup import escape
    from rich.table import Table

    a, b = result.players
    table = Table("seat", title=escape(title), caption=escape(f"results of {a}"))
    for name in ("games", "wins", "draws", "truncated", "losses", "win rate", "95 % range"):
        table.add_column(name, justify="right", no_wrap=True)
    first, second = result.by_seat
    for name, part in (("first", first), ("second", second), ("both", result)):
        if name == "both":
            table.add_section()
        counts = part.games, part.wins, part.draws, part.truncations, part.losses
        rate, interval = "-", "-"
        if part.games:
            low, high = part.interval
            rate, interval = f"{100 * part.win_rate:.1f} %", f"{100 * low:.1f}-{100 * high:.1f} %"
        table.add_row(name, *map(str, counts), rate, interval)
    console().print(table)
    for name, count in zip((a, b), result.illegal_by, strict=True):
        if count:
            click.echo(f"{name} lost {count} of the games by an illegal action")
    for text in result.illegal_answers[:3]:
        click.echo(f"  {text}")


# ---------------------------------------------------------------- record


@click.command("record", short_help="Play one game and write it to a file.")
@game_argument
@click.option("--agents", metavar="A,B", required=True, help="The agents of player 0 and player 1.")
@click.option(
    "--out",
    metavar="FILE",
    required=True,
    type=click.Path(path_type=Path),
    help="The suffix decides the format: .html, a page to step through; .gif, an animation; .mp4, "
    "a film (extra `video`); .png, a sheet of positions; .jsonl, the game record.",
)
@seed_option("The same seed gives the same game.")
@episode_options
def record_command(
    game: str,
    options: tuple[str, ...],
    agents: str,
    out: Path,
    seed: int,
    look: EpisodeOptions,
) -> None:
    """Play one game of GAME between two agents and write it to a file.

    \b
    Examples:
      ludarium record sphlag --agents greedy,random --out game.html
      ludarium record sphlag --agents greedy,random --out game.gif --names
      ludarium record sphlag --agents greedy,random --out a.png --from 10
      ludarium record sphlag --agents random,random --out a.jsonl --seed 7 --force
    """
    from ludarium.agents import make_agent
    from ludarium.arena import PlayerError, play_game
    from ludarium.records.export import SUFFIXES

    look.check(out, SUFFIXES)
    loaded = load(game, options)
    specs = [spec.strip() for spec in agents.split(",")]
    if len(specs) != 2:
        raise click.BadParameter(
            f"{agents!r}: give two agents, such as greedy,random",
            param_hint="--agents",
        )
    players = make_agent(specs[0]), make_agent(specs[1])
    error_console = console(error=True)
    shown = error_console.status("playing and drawing") if error_console.is_terminal else None
    try:
        with shown or contextlib.nullcontext():
            record = play_game(loaded, *players, seed=seed)
            lines = write_game(record, out, look)
    except PlayerError as error:
        raise click.ClickException(str(error)) from error
    for line in lines:
        click.echo(line)
