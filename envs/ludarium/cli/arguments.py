"""Arguments and options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import Console

    from ludarium.core.game import Game
    from ludarium.core.state import State

Command = TypeVar("Command", bound=Callable[..., Any])


def game_argument(command: Command) -> Command:
    """Add the argument GAME and the option -o."""
    option = click.option(
        "-o",
        "--option",
        "options",
        metavar="NAME=VALUE",
        multiple=True,
        help="An option of the game, such as max_turns=100; may be repeated.",
    )
    return click.argument("game")(option(command))


def position_option(command: Command) -> Command:
    """Add the option --position."""
    return click.option(
        "--position",
        metavar="TEXT",
        help="Start from this position, in one line as `show` prints it.",
    )(command)


def seed_option(help_: str, default: int | None = 0) -> Callable[[Command], Command]:
    """Add the option --seed."""
    return click.option(
        "--seed",
        type=click.IntRange(min=0),
        default=default,
        show_default=default is not None,
        help=help_,
    )


def size_option(command: Command) -> Command:
    """Add the option --size."""
    return click.option(
        "--size",
        type=click.IntRange(128, 2048),
        default=512,
        show_default=True,
        help="Longer side of a picture, in pixels.",
    )(command)


def names_option(command: Command) -> Command:
    """Add the option --names."""
    return click.option(
        "--names",
        is_flag=True,
        help="Name the players above each picture; a page always names them.",
    )(command)


def orientation_option(command: Command) -> Command:
    """Add the option --orientation, whose value is 0, 1 or ``"mover"``."""
    return click.option(
        "--orientation",
        type=click.Choice(["0", "1", "mover"]),
        default="0",
        show_default=True,
        callback=lambda context, option, value: value if value == "mover" else int(value),
        help="Whose side of the board is at the bottom: a player, or the player to move.",
    )(command)


def theme_option(command: Command) -> Command:
    """Add the option --theme."""
    return click.option(
        "--theme",
        type=click.Choice(["light", "dark"]),
        default="light",
        show_default=True,
        help="Colours of pictures.",
    )(command)


def force_option(command: Command) -> Command:
    """Add the option --force."""
    return click.option("--force", is_flag=True, help="Overwrite an existing file.")(command)


def load(name: str, pairs: Sequence[str]) -> Game:
    """Return a game with the options given as NAME=VALUE.

    Raises:
        ValueError: The game or an option is unknown, or a value is not allowed.
    """
    from ludarium.core.game import load_game

    options: dict[str, Any] = {}
    for pair in pairs:
        option, equals, value = pair.partition("=")
        if not equals or not option:
            raise ValueError(f"option {pair!r} is not of the form NAME=VALUE")
        if option in options:
            raise ValueError(f"option {option!r} is given twice")
        options[option] = _value(value)
    return load_game(name, **options)


def _value(text: str) -> int | str:
    """Return the int of a decimal number, and any other text unchanged."""
    digits = text[1:] if text.startswith("-") else text
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 19 else text


def state_at(game: Game, position: str | None, seed: int | None = None) -> State:
    """Return the position that a text describes, or the initial state.

    Raises:
        ValueError: The text is not a position of the game.
    """
    if position is None:
        return game.new_initial_state(seed)
    return game.state_from_string(position)


def console(error: bool = False) -> Console:
    """Return a console for tables; without a terminal it is 200 characters wide."""
    from rich.console import Console

    terminal = Console(stderr=error)
    return terminal if terminal.is_terminal else Console(stderr=error, width=200)
