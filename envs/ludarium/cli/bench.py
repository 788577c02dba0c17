"""The command `bench`."""

from __future__ import annotations

from pathlib import Path

import click

from ludarium.cli.arguments import console, force_option


@click.command("bench", short_help="Measure speed, start and memory.")
@click.option(
    "--only",
    "groups",
    metavar="NAME",
    multiple=True,
    help="Measure this group; may be repeated.",
)
@click.option(
    "--game",
    "games",
    metavar="GAME",
    multiple=True,
    help="Measure this game; may be repeated.",
)
@click.option(
    "--json", "out", metavar="FILE", type=click.Path(path_type=Path), help="Save the result."
)
@click.option("--markdown", is_flag=True, help="Print the table as Markdown.")
@click.option(
    "--from",
    "source",
    metavar="FILE",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Show a result that --json wrote instead of measuring.",
)
@force_option
def bench_command(
    groups: tuple[str, ...],
    games: tuple[str, ...],
    out: Path | None,
    markdown: bool,
    source: Path | None,
    force: bool,
) -> None:
    """Measure the speed, start-up time and memory of the games and of other libraries.

    The groups are vector, threads, limit, aec, playout, kernel, search, render, start, cold, memory
    and peers. Each
    figure is the median of several runs on one core, next to the bar that it has to reach. Other
    libraries are measured if they are installed (extra `bench`).

    \b
    Examples:
      ludarium bench --only vector --only aec
      ludarium bench --json bench.json
      ludarium bench --from bench.json --markdown
    """
    import json
    from dataclasses import asdict

    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from ludarium.bench import GROUPS, Row, as_markdown, as_table, machine, measure
    from ludarium.core.files import check_target, replacing
    from ludarium.core.game import game_type
    from ludarium.core.options import check_choice

    for group in groups:
        check_choice("--only", group, tuple(GROUPS))
    for game in games:
        game_type(game)
    if out is not None:
        check_target(out, (".json",), force)
    if source is not None:
        try:
            result = json.loads(source.read_text())
            rows, facts = [Row(**row) for row in result["rows"]], result["machine"]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{str(source)!r} is not a benchmark result: {error}") from error
    else:
        rows, facts = [], machine()
        columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
        with Progress(*columns, console=console(error=True), transient=True) as progress:
            task = progress.add_task("measuring")
            for row in measure(list(groups) or None, list(games) or None):
                rows.append(row)
                progress.update(task, description=f"{row.group}: {row.subject}")
    if out is not None:
        text = json.dumps({"machine": facts, "rows": [asdict(row) for row in rows]}, indent=1)
        with replacing(out, force) as file:
            file.write(text.encode() + b"\n")
    if markdown:
        click.echo(as_markdown(rows, facts))
    else:
        console().print(as_table(rows, facts))
