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
@click.option("--ask", metavar="AGENT", help="Print the analysis of a search agent.")
@click.option(
    "--overlay",
    metavar="legal|AGENT",
    help="Mark in the picture, and list, the legal actions or the actions that an agent considers.",
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
      ludarium show sphlag --ask mcts:1000
      ludarium show sphlag --overlay mcts:1000 --out start.svg --theme dark
      ludarium show sphlag --position "R.W...R..R...B.R/........./..../. W 0 - 2"
    """
    from rich.table import Table

    from ludarium.core.files import check_target
    from ludarium.core.turns import turns
    from ludarium.drawing.overlays import LEGAL, check_overlay
    from ludarium.drawing.pictures import PICTURES, write_picture

    if out is not None:
        check_target(out, PICTURES, force)
    analyst = None if ask is None else _analyst(ask)
    loaded = load(game, options)
    state = state_at(loaded, position, seed)
    shares = None if overlay is None else check_overlay(state, overlay)
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

        click.echo(f"\n{ask} {analyst.analyse(state, np.random.default_rng(seed))}")
    if overlay is not None:
        click.echo(f"\n{overlay}: {_overlay_text(state, shares)}")
    if out is not None:
        marks = LEGAL if overlay == LEGAL else shares
        write_picture(state, out, size, theme, marks, force, orientation)
        click.echo(f"\nwrote {out}")


def _overlay_text(state: State, shares: dict[int, float] | None) -> str:
    """Return the legal actions, or the actions with the largest shares, as text."""
    if shares is None:
        return " ".join(map(state.action_to_string, state.legal_actions())) or "nothing"
    order = sorted(shares, key=lambda action: -shares[action])
    words = [f"{state.action_to_string(a)} {100 * shares[a]:.1f} %" for a in order[:12]]
    return ", ".join(words) + (" ..." if len(order) > 12 else "") or "nothing"


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
