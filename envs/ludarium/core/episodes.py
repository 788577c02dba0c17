"""Episodes as files: an animation, a sheet of pictures, a game record.

The suffix of the file's name says which. A new kind of file is one more line in `_WRITERS`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO, TypeAlias

import numpy as np
import numpy.typing as npt

from ludarium.core.aec import AECGame, check_size
from ludarium.core.files import check_target, replacing
from ludarium.core.game import State
from ludarium.core.parallel import ParallelGame
from ludarium.core.records import GameRecord, replay

Frame: TypeAlias = npt.NDArray[np.uint8]
Episode: TypeAlias = "GameRecord | State | Iterable[State] | AECGame | ParallelGame"

FRAME_MS, LAST_MS = 700, 4000  # how long a GIF shows a position, and the last one
SHEET_COLUMNS, SHEET_PICTURES = 4, 16
SHEET_GAP, SHEET_GREY = 8, 128  # between the pictures of a sheet, in pixels; 0 to 255


# ---------------------------------------------------------------- what an episode is


def _positions(episode: Episode) -> tuple[list[State], GameRecord]:
    """Return the states of an episode, one after each action, and its record."""
    if isinstance(episode, (AECGame, ParallelGame)):
        episode = episode.game_state
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
        states = list(episode)
        for state in states:
            if not isinstance(state, State):
                raise TypeError(f"an episode is made of states, not {type(state).__name__}")
        if not states:
            raise ValueError("the episode is empty: there is no position to show")
    return states, record or GameRecord.from_state(states[-1])


def _draw(state: State, size: int) -> Frame:
    frame: Frame = state.game.type.part("render").draw(state, size)
    return frame


# ---------------------------------------------------------------- kinds of files


def _write_gif(file: BinaryIO, states: list[State], record: GameRecord, size: int) -> None:
    """Write an animation: every position, the last one held longer."""
    from PIL import Image

    pictures = [
        Image.fromarray(_draw(state, size)).quantize(256, dither=Image.Dither.NONE)
        for state in states
    ]
    pictures[0].save(
        file,
        format="GIF",
        save_all=True,
        append_images=pictures[1:],
        duration=[FRAME_MS] * (len(pictures) - 1) + [LAST_MS],
        loop=0,
    )


def _write_png(file: BinaryIO, states: list[State], record: GameRecord, size: int) -> None:
    """Write a sheet of positions, evenly spread, row by row, the last one at its end."""
    from PIL import Image

    count = min(len(states), SHEET_PICTURES)
    chosen = np.linspace(0, len(states) - 1, count).round().astype(int) if count > 1 else [-1]
    frames = [_draw(states[index], size) for index in chosen]
    columns = min(count, SHEET_COLUMNS)
    height, width = frames[0].shape[:2]
    rows = math.ceil(count / columns)
    shape = rows * (height + SHEET_GAP) - SHEET_GAP, columns * (width + SHEET_GAP) - SHEET_GAP, 3
    sheet = np.full(shape, SHEET_GREY, np.uint8)
    for index, frame in enumerate(frames):
        top = index // columns * (height + SHEET_GAP)
        left = index % columns * (width + SHEET_GAP)
        sheet[top : top + height, left : left + width] = frame
    Image.fromarray(sheet).save(file, format="PNG")


def _write_jsonl(file: BinaryIO, states: list[State], record: GameRecord, size: int) -> None:
    """Write the game record."""
    file.write(record.to_json().encode() + b"\n")


_WRITERS: dict[str, Callable[[BinaryIO, list[State], GameRecord, int], None]] = {
    ".gif": _write_gif,
    ".png": _write_png,
    ".jsonl": _write_jsonl,
}

#: What the name of an episode's file may end in.
SUFFIXES = tuple(_WRITERS)


def record_episode(
    episode: Episode, path: str | os.PathLike[str], size: int = 512, overwrite: bool = False
) -> Path:
    """Write an episode to a file, of the kind that its suffix says.

    Args:
        episode: a game record; a state with its history; states in their order; or an environment.
        path: the file: ``.gif``, an animation; ``.png``, a sheet of positions; ``.jsonl``, the
            record. The last position, and so the result, is in all of them.
        size: the longer side of each picture in pixels, 128 to 2048.
        overwrite: whether a file that is there may be replaced.

    Returns:
        The path of the file.

    Raises:
        ValueError: The suffix or the size is not allowed, the episode is empty, or the record
            cannot be replayed.
        OSError: The file cannot be written, or is there already. No half-written file is left.
    """
    target = check_target(path, SUFFIXES, overwrite)
    pixels = check_size(size)
    states, record = _positions(episode)
    with replacing(target, overwrite) as file:
        _WRITERS[target.suffix.lower()](file, states, record, pixels)
    return target
