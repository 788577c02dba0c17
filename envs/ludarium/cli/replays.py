"""The command that shows a saved game: `replay`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ludarium.cli.arguments import console
from ludarium.cli.episodes import EpisodeOptions, episode_options, write_game

if TYPE_CHECKING:
    from ludarium.records.game_record import GameRecord


#: The suffixes that `replay` writes.
FORMATS = (".html", ".gif", ".mp4", ".png", ".svg")


@click.command("replay", short_help="List saved games, or make a page or a film of one.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--game",
    "number",
    type=click.IntRange(min=1),
    metavar="N",
    help="The number of the game in the file, from 1; by default the last game.",
)
@click.option(
    "--out",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The suffix decides the format: .html, a page to step through; .gif, an animation; .mp4, "
    "a film (extra `video`); .png, a sheet of positions; .svg, the last position. Without it the "
    "games are listed.",
)
@episode_options
def replay_command(
    file: Path,
    number: int | None,
    out: Path | None,
    look: EpisodeOptions,
) -> None:
    """List the games saved in FILE, or write one of them as a page, a film or a sheet.

    FILE holds game records, as `record`, `play` and `tournament` write them.

    \b
    Examples:
      ludarium replay games.jsonl
      ludarium replay games.jsonl --out game.html
      ludarium replay games.jsonl --game 2 --out game.gif --theme dark --names
      ludarium replay games.jsonl --out middle.gif --turns 10-20 --speed 2
    """
    from ludarium.records.game_record import read

    if out is not None and out.suffix.lower() == ".jsonl":  # it could be FILE, with more games
        raise click.BadParameter(
            f"{str(out)!r}: give a name that ends in .html, .gif, .mp4, .png or .svg",
            param_hint="--out",
        )
    look.check(out, FORMATS)
    try:
        games = read(file)
    except ValueError as error:
        raise click.ClickException(f"{file}: {error}") from error
    if not games:
        raise click.ClickException(f"{file} holds no game records")
    if number is not None and number > len(games):
        raise click.BadParameter(
            f"{number} is not in the range 1 to {len(games)}, the games of {file}",
            param_hint="--game",
        )
    if out is None:
        _print_games(file, games, number)
        return
    if number is None and len(games) > 1:
        click.echo(f"{file} holds {len(games)} games; this is the last one (see --game)", err=True)
    record = games[(number or len(games)) - 1]
    try:
        lines = write_game(record, out, look)
    except ValueError as error:
        raise click.ClickException(f"{file}: {error}") from error
    for line in lines:
        click.echo(line)


def _print_games(file: Path, games: list[GameRecord], only: int | None) -> None:
    """Print a table of the games of a file, or of one of them."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=escape(str(file)))
    table.add_column("number", justify="right")
    for name in ("game", "player 0", "player 1", "result"):
        table.add_column(name)
    table.add_column("turns", justify="right")
    for number, record in enumerate(games, 1):
        if only in (None, number):
            players = map(escape, record.players)
            turns = str(len(record.turns))
            table.add_row(str(number), escape(record.game), *players, _result(record), turns)
    console().print(table)


def _result(record: GameRecord) -> str:
    """Return who won and why the game ended."""
    if record.result is None or record.result[0] == 0:
        return record.reason
    winner = 0 if record.result[0] > 0 else 1
    return f"player {winner} won" + ("" if record.reason == "won" else f" ({record.reason})")
