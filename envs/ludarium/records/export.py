"""Episodes as files: an animation, a film, a sheet of pictures, a page to step through, a record.

The suffix of the file's name selects the format. A new format is one more line in `_KINDS`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ludarium.core.errors import join_or
from ludarium.core.files import check_target, replacing
from ludarium.records import html, movies, sheet
from ludarium.records.episode import AUTO, Episode, Source, check_turns, episode_of


def _write_jsonl(file: BinaryIO, episode: Episode) -> None:
    """Write the game record."""
    file.write(episode.record.to_json().encode() + b"\n")


def _no_extra() -> None:
    """Check nothing: this format needs no extra."""


class _Kind(NamedTuple):
    write: Callable[..., None]  # called with the open file, the episode, and some of `options`
    options: tuple[str, ...] = ()  # what `record_episode` takes for this format only
    check: Callable[[], None] = _no_extra  # raises ImportError where an extra is missing


_KINDS: dict[str, _Kind] = {
    ".html": _Kind(html.write_html, ("turns",)),
    ".gif": _Kind(movies.write_gif, ("turns", "speed")),
    ".mp4": _Kind(movies.write_mp4, ("turns", "speed"), movies.check_mp4),
    ".png": _Kind(sheet.write_png, ("turns", "columns")),
    ".jsonl": _Kind(_write_jsonl),
}

#: The suffixes of an episode's file.
SUFFIXES = tuple(_KINDS)


def check_episode_file(path: str | os.PathLike[str], overwrite: bool = False) -> Path:
    """Return the path of a file to which an episode can be written, after checking it.

    Raises:
        ValueError: The suffix is not allowed.
        OSError: The file cannot be written, or exists already.
        ImportError: This format needs an extra that is not installed; the message names it.
    """
    target = check_target(path, SUFFIXES, overwrite)
    _KINDS[target.suffix.lower()].check()
    return target


def record_episode(
    episode: Source,
    path: str | os.PathLike[str],
    size: int = 512,
    overwrite: bool = False,
    theme: str = AUTO,
    orientation: int | str = 0,
    names: bool = False,
    turns: tuple[int, int | None] | None = None,
    speed: float | None = None,
    columns: int | None = None,
) -> Path:
    """Write an episode to a file, in the format that its suffix names.

    Args:
        episode: a game record; a state with its history; states in their order; or an environment
            of this package for PettingZoo or Gymnasium, wrapped or not.
        path: the file: ``.html``, a self-contained page to step through the game;
            ``.gif``, an animation; ``.mp4``, a film (extra ``ludarium[video]``); ``.png``, a sheet
            of positions; ``.jsonl``, the record. All of them show the last position
            and the result. A sheet too small for all positions says which ones it shows.
        size: the longer side of each picture in pixels, 128 to 2048.
        overwrite: whether an existing file is replaced.
        theme: ``"light"`` or ``"dark"``; a page can switch between them. ``"auto"``: a page begins
            with the theme of its reader's system, and other files are light.
        orientation: whose side of the board is at the bottom: 0, 1, or ``"mover"``, the player to
            move. In a page it is the first one for the whole game, and the reader can turn it.
        names: whether a line above each picture names the players; a page always names them.
        turns: the numbers of the first and the last turn to show, the position before them
            included; a last one of None is that of the game. Not for a record. None: all turns.
        speed: of an animation or a film: 2 shows each position half as long, 0.1 to 10. The last
            position is always held for four seconds. None: 1.
        columns: of a sheet: how many pictures stand side by side, 1 to 100. None: about as many as
            make the sheet a square.

    Returns:
        The path of the file.

    Raises:
        ValueError: The suffix, the size, the theme, the orientation or another option is not
            allowed or does not apply to this format, the episode is empty or has no such turns, or
            the record cannot be replayed.
        TypeError: The episode is none of these.
        ImportError: An extra is missing; the message names it.
        OSError: The file cannot be written, or exists already. No half-written file is left.
    """
    target = check_episode_file(path, overwrite)
    options: dict[str, object] = {}
    if speed is not None:
        options["speed"] = movies.check_speed(speed)
    if columns is not None:
        options["columns"] = sheet.check_columns(columns)
    if turns is not None:
        check_turns(turns)
    for name in ("turns", *options):
        if name in options or turns is not None:
            check_applies(target.suffix, name)
    shown = episode_of(episode, size, theme, orientation, names)
    if turns is not None:
        shown = shown.only_turns(turns)
    with replacing(target, overwrite) as file:
        _KINDS[target.suffix.lower()].write(file, shown, **options)
    return target


def check_applies(suffix: str, option: str) -> None:
    """Raise ValueError unless an option is one of a format; the message names those it is of."""
    if option not in _KINDS[suffix.lower()].options:
        formats = [known for known, kind in _KINDS.items() if option in kind.options]
        raise ValueError(
            f"{option} does not apply to {suffix.lower()}: it applies to {join_or(formats)}"
        )
