"""Episodes as files: an animation, a film, a sheet of pictures, a page to step through, a record.

The suffix of the file's name says which. A new kind of file is one more line in `_KINDS`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ludarium.core.files import check_target, replacing
from ludarium.records import html, movies, sheet
from ludarium.records.episode import Episode, Source, episode_of


def _write_jsonl(file: BinaryIO, episode: Episode) -> None:
    """Write the game record."""
    file.write(episode.record.to_json().encode() + b"\n")


def _nothing() -> None:
    """Need nothing that may be missing."""


class _Kind(NamedTuple):
    write: Callable[[BinaryIO, Episode], None]
    check: Callable[[], None] = _nothing  # raises ImportError where an extra is missing


_KINDS: dict[str, _Kind] = {
    ".html": _Kind(html.write_html),
    ".gif": _Kind(movies.write_gif),
    ".mp4": _Kind(movies.write_mp4, movies.check_mp4),
    ".png": _Kind(sheet.write_png),
    ".jsonl": _Kind(_write_jsonl),
}

#: What the name of an episode's file may end in.
SUFFIXES = tuple(_KINDS)


def check_episode_file(path: str | os.PathLike[str], overwrite: bool = False) -> Path:
    """Return the path of an episode's file that is to be written later, or say why it cannot be.

    Raises:
        ValueError: The suffix is not allowed.
        OSError: The file cannot be written, or is there already.
        ImportError: This kind of file needs an extra that is not installed; the message names it.
    """
    target = check_target(path, SUFFIXES, overwrite)
    _KINDS[target.suffix.lower()].check()
    return target


def record_episode(
    episode: Source,
    path: str | os.PathLike[str],
    size: int = 512,
    overwrite: bool = False,
    theme: str = "light",
) -> Path:
    """Write an episode to a file, of the kind that its suffix says.

    Args:
        episode: a game record; a state with its history; states in their order; or a PettingZoo
            environment.
        path: the file: ``.html``, a page to step through the game, that needs nothing else;
            ``.gif``, an animation; ``.mp4``, a film (extra ``ludarium[video]``); ``.png``, a sheet
            of positions; ``.jsonl``, the record. The last position and the result are in all of
            them. A sheet that has no room for all positions says which ones it shows.
        size: the longer side of each picture in pixels, 128 to 2048.
        overwrite: whether a file that is there may be replaced.
        theme: ``"light"`` or ``"dark"``; a page can be switched.

    Returns:
        The path of the file.

    Raises:
        ValueError: The suffix, the size or the theme is not allowed, the episode is empty, or the
            record cannot be replayed.
        ImportError: An extra is missing; the message names it.
        OSError: The file cannot be written, or is there already. No half-written file is left.
    """
    target = check_episode_file(path, overwrite)
    shown = episode_of(episode, size, theme)
    with replacing(target, overwrite) as file:
        _KINDS[target.suffix.lower()].write(file, shown)
    return target
