"""Episodes as files: an animation, a film, a sheet of pictures, a page to step through, a record.

The suffix of the file's name says which. A new kind of file is one more line in `_KINDS`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol, TypeAlias

from ludarium.core.files import check_target, replacing
from ludarium.core.options import check_size
from ludarium.core.state import State
from ludarium.drawing import pictures
from ludarium.drawing.canvas import Frame, check_theme
from ludarium.records import html, movies, sheet
from ludarium.records.game_record import GameRecord, replay
from ludarium.records.results import ending_of

Episode: TypeAlias = "GameRecord | State | Iterable[State] | HasGameState"


class HasGameState(Protocol):
    """An environment of this package, or what wraps one."""

    @property
    def unwrapped(self) -> Any:
        """The environment below all wrappers, which has a `game_state`."""


# ---------------------------------------------------------------- what an episode is


@dataclass(frozen=True)
class Reel:
    """An episode as it is to be shown.

    Attributes:
        states: one after each action, the first one before any.
        record: the same as a record.
        size: the longer side of a picture in pixels.
        theme: ``"light"`` or ``"dark"``.
    """

    states: list[State]
    record: GameRecord
    size: int
    theme: str

    @property
    def ending(self) -> str | None:
        """The result in words, where the last position does not tell it."""
        return ending_of(self.record, self.states[-1])

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of a picture in pixels."""
        height, width = self.frame(0).shape[:2]
        return height, width

    def frame(self, index: int) -> Frame:
        """Return the picture of a position, the result on the last one."""
        last = index in (-1, len(self.states) - 1)
        ending = self.ending if last else None
        return pictures.draw(self.states[index], self.size, self.theme, ending=ending)

    def frames(self) -> Iterator[Frame]:
        """Yield the picture of each position."""
        for index in range(len(self.states)):
            yield self.frame(index)


def reel_of(episode: Episode, size: int = 512, theme: str = "light") -> Reel:
    """Return an episode of any kind with the states after each action.

    Raises:
        ValueError: The size or the theme is not allowed, the episode is empty or its states are not
            those of one game, or a record cannot be replayed.
        TypeError: It is no episode.
    """
    pixels, name = check_size(size), check_theme(theme).name
    environment: Any = getattr(episode, "unwrapped", None)
    if hasattr(type(environment), "game_state"):
        episode = environment.game_state
    record = None
    if isinstance(episode, GameRecord):
        record = episode
        *_, episode = replay(episode)
    if isinstance(episode, State):
        state = episode._at_start()
        states = [state.clone()]
        for action in episode.history():
            state.apply_action(action)
            states.append(state.clone())
    else:
        states = _listed(episode)
    return Reel(states, record or GameRecord.from_state(states[-1]), pixels, name)


def _listed(episode: Any) -> list[State]:
    """Return an episode that is given as states."""
    try:
        states = list(episode)
    except TypeError:
        raise TypeError(
            "an episode is a record, a state, states in their order or a PettingZoo environment, "
            f"not {type(episode).__name__}"
        ) from None
    for state in states:
        if not isinstance(state, State):
            raise TypeError(f"an episode is made of states, not {type(state).__name__}")
        if state.game != states[0].game:
            raise ValueError(
                f"an episode is of one game: there are states of {states[0].game!r} and of "
                f"{state.game!r}"
            )
    if not states:
        raise ValueError("the episode is empty: there is no position to show")
    return states


# ---------------------------------------------------------------- kinds of files


def _write_jsonl(file: BinaryIO, reel: Reel) -> None:
    """Write the game record."""
    file.write(reel.record.to_json().encode() + b"\n")


def _nothing() -> None:
    """Need nothing that may be missing."""


class _Kind(NamedTuple):
    write: Callable[[BinaryIO, Reel], None]
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
    episode: Episode,
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
    reel = reel_of(episode, size, theme)
    with replacing(target, overwrite) as file:
        _KINDS[target.suffix.lower()].write(file, reel)
    return target
