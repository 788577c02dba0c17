"""One palette for all frames of an animation, so that no colour changes from frame to frame."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from PIL import Image

    from ludarium.drawing.canvas import Frame

MOST = 255  # colours of a palette: a GIF has 256, one of which marks unchanged pixels
EXACT = 96  # the commonest colours, those of surfaces, which a palette has unchanged
SAMPLE = 100_000  # pixels of which the others are chosen

Colours: TypeAlias = npt.NDArray[np.int64]  # 0xRRGGBB, ascending


class Palette:
    """A palette and, for each colour of the frames that it was made for, its nearest entry.

    Attributes:
        entries: the colours, uint8 [number, 3], at most `MOST`.
    """

    def __init__(self, frames: Iterable[Frame]) -> None:
        """Choose the colours for frames uint8 [height, width, 3]."""
        self._known, counts = _colours_of(frames)
        self.entries = _choose(self._known, counts)
        self._nearest = _nearest(_channels(self._known), self.entries)

    def __repr__(self) -> str:
        return f"<Palette of {len(self.entries)} colours>"

    @property
    def transparent(self) -> int:
        """The number of a further entry that no pixel of a frame has."""
        return len(self.entries)

    @property
    def bytes(self) -> bytes:
        """The palette as Pillow takes it: red, green and blue of each entry, the last unused."""
        return self.entries.tobytes() + b"\0\0\0"

    def image(self, frame: Frame) -> Image.Image:
        """Return one of the frames as an image of this palette."""
        from PIL import Image

        indices = self._nearest[np.searchsorted(self._known, _packed(frame))]
        image = Image.fromarray(indices)
        image.putpalette(self.bytes)
        return image


def _packed(frame: Frame) -> Colours:
    """Return each pixel of a frame as one number."""
    red, green, blue = (frame[..., channel].astype(np.int64) for channel in range(3))
    return (red << 16) | (green << 8) | blue


def _channels(colours: Colours) -> npt.NDArray[np.uint8]:
    """Return numbers of colours as red, green and blue, uint8 [number, 3]."""
    return np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1).astype(np.uint8)


def _colours_of(frames: Iterable[Frame]) -> tuple[Colours, npt.NDArray[np.int64]]:
    """Return the colours of all frames, and how many pixels have each."""
    known, counts = np.empty(0, np.int64), np.empty(0, np.int64)
    for frame in frames:
        colours, more = np.unique(_packed(frame), return_counts=True)
        known, places = np.unique(np.concatenate([known, colours]), return_inverse=True)
        counts = np.bincount(places, np.concatenate([counts, more])).astype(np.int64)
    return known, counts


def _choose(known: Colours, counts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    """Return the entries of a palette: the commonest colours, and others between the rest."""
    if len(known) <= MOST:
        return _channels(known)
    from PIL import Image

    order = np.argsort(-counts, kind="stable")
    rest = order[EXACT:]
    repeats = np.ceil(counts[rest] * (SAMPLE / counts[rest].sum())).astype(np.int64)
    sample = Image.fromarray(_channels(known[rest]).repeat(repeats, axis=0)[np.newaxis])
    chosen = sample.quantize(MOST - EXACT, Image.Quantize.MEDIANCUT).getpalette() or []
    between = np.array(chosen, np.uint8).reshape(-1, 3)[: MOST - EXACT]
    return np.unique(np.concatenate([_channels(known[order[:EXACT]]), between]), axis=0)


def _nearest(
    colours: npt.NDArray[np.uint8], entries: npt.NDArray[np.uint8]
) -> npt.NDArray[np.uint8]:
    """Return the number of the entry that is nearest to each colour."""
    nearest = np.empty(len(colours), np.uint8)
    for start in range(0, len(colours), 4096):  # to bound the memory
        part = colours[start : start + 4096, np.newaxis].astype(np.int32)
        nearest[start : start + 4096] = ((part - entries) ** 2).sum(2).argmin(1)
    return nearest
