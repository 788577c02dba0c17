"""The command `rules`: the rules of a game, to read at the terminal."""

from __future__ import annotations

import shutil
import sys

import click

WIDTH = 100  # the most characters of a line of rules


@click.command("rules", short_help="Print the rules of GAME.")
@click.argument("game")
@click.option("--short", is_flag=True, help="Print only what can be read in a minute.")
@click.option("--pager", is_flag=True, help="Show the rules page by page.")
def rules_command(game: str, short: bool, pager: bool) -> None:
    """Print the rules of GAME: the game in a minute, every ruling, the notation and its tables.

    In a pipe or a file the rules are written as Markdown.

    \b
    Examples:
      ludarium rules gyges --short
      ludarium rules gyges --pager
    """
    from ludarium.core.game import game_type
    from ludarium.core.rule_page import rule_page, short_rules

    found = game_type(game)
    text = f"# {found.title}\n\n{short_rules(found)}" if short else rule_page(found).strip()
    if short:
        text += f"\n\nAll of the rules: `ludarium rules {found.name}`"
    if not sys.stdout.isatty():
        click.echo(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(width=min(shutil.get_terminal_size().columns, WIDTH))
    if pager:
        with console.pager(styles=True):
            console.print(Markdown(text))
    else:
        console.print(Markdown(text))
