"""The commands that inspect games: `list`, `show` and `perft`."""

from __future__ import annotations

import shutil
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ludarium.cli.arguments import (
    console,
    force_option,
    game_argument,
    load,
    orientation_option,
    position_option,
    seed_option,
    size_option,
    state_at,
    theme_option,
)
from ludarium.core.text import in_columns

if TYPE_CHECKING:
    from ludarium.agents import SearchAgent
    from ludarium.core.state import State
    from ludarium.drawing.overlays import Overlay

# ---------------------------------------------------------------- list

#: Forms of the specs of this package's agents; agents of other packages are listed by name.
FORMS = {
    "alphabeta": "alphabeta:TURNS or alphabeta:MILLISECONDSms (for a whole turn)",
    "alphazero": "alphazero:SIMULATIONS:FILE",
    "guided": "guided:SIMULATIONS:FILE (an alias of alphazero)",
    "mcts": "mcts:SIMULATIONS or mcts:MILLISECONDSms (for a whole turn)",
    "sb3": "sb3:FILE",
}


@click.command("list", short_help="List the installed games, their options and the agents.")
def list_command() -> None:
    """List the installed games with their options, and the installed agents."""
    from rich.table import Table

    from ludarium.agents import list_agents
    from ludarium.core.game import game_type
    from ludarium.core.registry import list_games

    table = Table("game", "title", "designer", "year", "version", "options", title="Games")
    for name in list_games():
        registered = game_type(name)
        resolved = registered.load().options
        allowed = {key: option.choice for key, option in registered.all_options().items()}
        options = "\n".join(f"{key}={value} ({allowed[key]})" for key, value in resolved.items())
        year, version = str(registered.year), str(registered.version)
        table.add_row(name, registered.title, registered.designer, year, version, options)
    out = console()
    out.print(table)
    forms = [FORMS.get(name, name) for name in list_agents()]
    out.print(f"Agents: {', '.join(forms)}", highlight=False)


# ---------------------------------------------------------------- show


@click.command("show", short_help="Print a position of GAME and facts about it.")
@game_argument
@position_option
@click.option(
    "--out",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write a picture to a .png or .svg file.",
)
@click.option("--turns", "list_turns", is_flag=True, help="List all legal turns.")
@click.option(
    "--ask",
    metavar="AGENT",
    help="Print the analysis of a search agent, and mark it in the picture.",
)
@click.option(
    "--overlay",
    metavar="legal|AGENT",
    help="Mark in the picture, and list, the legal actions or the actions that an agent considers.",
)
@click.option(
    "--top",
    metavar="K",
    type=click.IntRange(min=1),
    help="List and mark only the K best actions of --ask or --overlay.",
)
@seed_option("Seed of a random set-up.")
@orientation_option
@size_option
@theme_option
@force_option
def show_command(
    game: str,
    options: tuple[str, ...],
    position: str | None,
    out: Path | None,
    list_turns: bool,
    ask: str | None,
    overlay: str | None,
    top: int | None,
    seed: int,
    orientation: int | str,
    size: int,
    theme: str,
    force: bool,
) -> None:
    """Print a position of GAME as a diagram, with the number of legal turns and other facts.

    \b
    Examples:
      ludarium show sphlag
      ludarium show sphlag --turns --out start.png
      ludarium show sphlag --ask mcts:1000 --top 3 --out best.png
      ludarium show sphlag --overlay mcts:1000 --out start.svg --theme dark
      ludarium show sphlag --position "R.W...R..R...B.R/........./..../. W 0 - 2"
    """
    from rich.table import Table

    from ludarium.core.files import check_target
    from ludarium.core.turns import turns
    from ludarium.drawing.overlays import read_overlay
    from ludarium.drawing.pictures import PICTURES, write_picture

    if out is not None:
        check_target(out, PICTURES, force)
    analyst = None if ask is None else _analyst(ask)
    loaded = load(game, options)
    state = state_at(loaded, position, seed)
    if top is not None and ask is None and overlay is None:
        raise click.UsageError("--top is the number of actions of --ask or --overlay: give one")
    marks = None if overlay is None else read_overlay(state, overlay, top)
    click.echo(state.render("ansi", orientation=orientation))
    legend = getattr(loaded.type.submodule("notation"), "LEGEND", None)
    if legend is not None:
        click.echo(textwrap.fill(f"{legend}.", min(shutil.get_terminal_size().columns, 80)))
    click.echo(f"\n{state.to_string()}")
    texts = [text for text, _ in turns(state)]
    settled = ", ".join(f"{name}={value}" for name, value in loaded.options.items())
    height, width, channels = loaded.observation_shape
    table = Table.grid(padding=(0, 2))
    for name, value in (
        ("legal turns", str(len(texts))),
        ("legal actions", f"{len(state.legal_actions())} of {loaded.num_distinct_actions}"),
        ("turns completed", str(state.turn_number())),
        ("game", f"{loaded.name}, version {loaded.version}, {settled}"),
        ("observation", f"{height} x {width}, {channels} planes"),
    ):
        table.add_row(name, value)
    click.echo()
    console().print(table, highlight=False)
    if list_turns and texts:
        click.echo()
        click.echo(in_columns(texts, shutil.get_terminal_size().columns))
    if analyst is not None and texts:
        import numpy as np

        analysis = analyst.analyse(state, np.random.default_rng(seed))
        click.echo(f"\n{ask} {analysis.text() if top is None else analysis.text(top)}")
        if overlay is None:
            marks = read_overlay(state, analysis, top)
    if overlay is not None and marks is not None:
        click.echo(f"\n{overlay}: {_overlay_text(state, marks)}")
    if out is not None:
        write_picture(state, out, size, theme, marks, force, orientation)
        click.echo(f"\nwrote {out}")


def _overlay_text(state: State, marks: Overlay) -> str:
    """Return the legal actions, or the best actions and the value of the position, as text."""
    shares = marks.shares
    if shares is None:
        return " ".join(map(state.action_to_string, state.legal_actions())) or "nothing"
    most = marks.top or 12
    words = [
        f"{state.action_to_string(action)} {100 * share:.1f} %"
        + (f" (value {marks.values[action]:+.2f})" if marks.top and action in marks.values else "")
        for action, share in list(shares.items())[:most]
    ]
    text = ", ".join(words) + (" ..." if len(shares) > most else "") or "nothing"
    value = marks.value_text(state)
    return f"{text}; {value}" if value else text


def _analyst(spec: str) -> SearchAgent:
    """Return a search agent, which can analyse a position.

    Raises:
        ValueError: The agent does not search.
    """
    from ludarium.agents import SearchAgent, make_agent

    agent = make_agent(spec)
    if not isinstance(agent, SearchAgent):
        raise ValueError(
            f"agent {spec!r} does not search: ask mcts:N, alphabeta:D or alphazero:N:FILE"
        )
    return agent


# ---------------------------------------------------------------- perft


@click.command("perft", short_help="Count the sequences of legal turns of GAME.")
@game_argument
@position_option
@click.option("--depth", type=click.IntRange(min=1), required=True, help="Number of turns.")
@seed_option("Seed of a random set-up.")
def perft_command(
    game: str, options: tuple[str, ...], position: str | None, depth: int, seed: int
) -> None:
    """Count the sequences of legal turns of GAME: one line "DEPTH COUNT" for each depth.

    Perft is the standard check of rules: programs with the same counts agree on the legal turns.

    \b
    Examples:
      ludarium perft sphlag --depth 4
      ludarium perft gliss --depth 2 -o board_size=13
    """
    from ludarium.core.turns import check_depth, perft

    check_depth(depth)
    state = state_at(load(game, options), position, seed)
    last = 1
    for number in range(1, depth + 1):
        start = time.perf_counter()
        count = perft(state, number)
        click.echo(f"{number} {count}")
        if 1 < number < depth and last:  # depth 1 includes the time of loading
            growth = count / last
            _announce(number + 1, count * growth, (time.perf_counter() - start) * growth)
        last = count


def _announce(depth: int, count: float, seconds: float) -> None:
    """Say on stderr how large the next count will be, if it takes more than a minute."""
    if seconds < 60:
        return
    units = (("minutes", 60), ("hours", 3600), ("days", 86400), ("years", 31_557_600))
    unit, length = next((u for u in reversed(units) if seconds >= u[1]), units[0])
    click.echo(
        f"depth {depth}: about {count:.0e} sequences, about {seconds / length:.3g} {unit}; "
        "Ctrl-C ends it",
        err=True,
    )
