"""How a game is written to a file: the options that `record` and `replay` share."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludarium.cli.arguments import (
    force_option,
    names_option,
    orientation_option,
    size_option,
)

if TYPE_CHECKING:
    from ludarium.records.game_record import GameRecord

MOVING, SHEET, WITH_TURNS = (".gif", ".mp4"), (".png",), (".html", ".gif", ".mp4")
#: The formats that an option applies to; options that are not named here apply to all.
APPLIES = {
    "turns": WITH_TURNS,
    "speed": MOVING,
    "columns": SHEET,
    "from_turn": SHEET,
    "to_turn": SHEET,
}


class Turns(click.ParamType):  # type: ignore[type-arg]  # generic in newer releases of click
    """The numbers of a first and a last turn, as in ``5-12``, ``5-`` or ``5``."""

    name = "A-B"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int | None]:
        """Return the two numbers; None is the last turn of the game."""
        parts = re.fullmatch(r"([0-9]{1,9})(-([0-9]{1,9})?)?", str(value))
        if parts is None:
            self.fail(f"{value!r} is not of the form A-B, A- or A, such as 5-12", param, ctx)
        first, dash, last = int(parts[1]), parts[2], parts[3]
        stop = (None if dash else first) if last is None else int(last)
        if first < 1 or (stop is not None and stop < first):
            self.fail(f"{value!r}: turns are numbered from 1, and A is not after B", param, ctx)
        return first, stop


@dataclass(frozen=True)
class EpisodeOptions:
    """The options of a game's file, as they were given on the command line."""

    size: int
    theme: str
    names: bool
    orientation: int | str
    force: bool
    turns: tuple[int, int | None] | None
    speed: float | None
    columns: int | None
    from_turn: int | None
    to_turn: int | None

    def check(self, out: Path | None, formats: tuple[str, ...]) -> None:
        """Check the options and the name of a file before a game is played or read.

        Args:
            out: the file, None for no file.
            formats: the suffixes that the command writes.

        Raises:
            click.BadParameter: An option does not apply to this file, or the suffix is not one of
                the formats.
        """
        from ludarium.core.errors import join_or
        from ludarium.core.files import check_target
        from ludarium.records.export import SUFFIXES, check_episode_file

        for option, allowed in APPLIES.items():
            if getattr(self, option) is None:
                continue
            hint = f"--{option.removesuffix('_turn')}"
            words = f"it applies to {join_or(allowed)}"
            if out is None:
                raise click.BadParameter(f"give a file with --out: {words}", param_hint=hint)
            suffix = out.suffix.lower()
            if suffix in formats and suffix not in allowed:
                raise click.BadParameter(f"does not apply to {suffix!r}: {words}", param_hint=hint)
        if None not in (self.from_turn, self.to_turn) and self.from_turn > self.to_turn:  # type: ignore[operator]
            raise click.BadParameter(
                f"{self.to_turn} is before --from, {self.from_turn}", param_hint="--to"
            )
        if out is None:
            return
        if out.suffix.lower() in SUFFIXES and out.suffix.lower() in formats:
            check_episode_file(out, self.force)
        else:
            check_target(out, formats, self.force)


def episode_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a game's file; the command takes them as one argument, `look`."""

    @functools.wraps(command)
    def with_look(*args: Any, **values: Any) -> None:
        look = {name: values.pop(name) for name in EpisodeOptions.__dataclass_fields__}
        command(*args, look=EpisodeOptions(**look), **values)

    whole = click.IntRange(min=0)
    for option in (
        force_option,
        click.option(
            "--to", "to_turn", type=whole, metavar="N", help="Last position of a sheet, as --from."
        ),
        click.option(
            "--from",
            "from_turn",
            type=whole,
            metavar="N",
            help="First position of a sheet (.png): the one after turn N; 0 is the start.",
        ),
        click.option(
            "--columns",
            type=click.IntRange(1, 100),
            metavar="N",
            help="Pictures side by side in a sheet (.png).",
        ),
        click.option(
            "--speed",
            type=click.FloatRange(0.1, 10),
            metavar="FACTOR",
            help="Speed of a .gif or .mp4: 1 shows each position for 0.7 seconds, 2 half as long.",
        ),
        click.option(
            "--turns",
            type=Turns(),
            help="Show only turns A to B in a .html, .gif or .mp4; A- goes on to the end.",
        ),
        orientation_option,
        names_option,
        click.option(
            "--theme",
            type=click.Choice(["auto", "light", "dark"]),
            default="auto",
            show_default=True,
            help="Colours; auto: a page has those of its reader's system, others are light.",
        ),
        size_option,
    ):
        with_look = option(with_look)
    return with_look


def write_game(record: GameRecord, out: Path, look: EpisodeOptions) -> list[str]:
    """Write a game to a file and return the lines that say what was written."""
    from ludarium.drawing.pictures import write_picture
    from ludarium.records import sheet
    from ludarium.records.episode import episode_of
    from ludarium.records.export import record_episode

    shown = look.size, look.theme, look.orientation, look.names
    episode = episode_of(record, *shown)
    lines = [f"wrote {out}: {summary(record)}"]
    if out.suffix.lower() == ".svg":
        state, theme = episode.states[-1], episode.picture_theme
        write_picture(state, out, look.size, theme, None, look.force, look.orientation)
        return lines
    if look.from_turn is not None or look.to_turn is not None:
        known = episode.turn_numbers
        first = known.start - 1 if look.from_turn is None else look.from_turn
        last = known.stop - 1 if look.to_turn is None else min(look.to_turn, known.stop - 1)
        episode = episode.between(first, last)
    size, theme, orientation, names = shown
    record_episode(
        episode,
        out,
        size,
        look.force,
        theme,
        orientation,
        names,
        turns=look.turns,
        speed=look.speed,
        columns=look.columns,
    )
    note = sheet.note(episode) if out.suffix.lower() == ".png" else None
    if note is not None:
        lines.append(f"the sheet shows {note}")
    return lines


def summary(record: GameRecord) -> str:
    """Return the winner of a game and the number of turns in words."""
    count = f"{len(record.turns)} turn{'' if len(record.turns) == 1 else 's'}"
    if record.result is None or record.result[0] == 0:
        return f"no winner after {count} ({record.reason})"
    winner = 0 if record.result[0] > 0 else 1
    by = ", by an illegal action of the opponent" if record.reason == "illegal" else ""
    return f"{record.players[winner]} (player {winner}) won after {count}{by}"
