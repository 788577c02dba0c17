"""Episodes as moving pictures: GIF, and MP4 with the extra `video`."""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ludarium.core.errors import install, show
from ludarium.core.options import as_float
from ludarium.records.palette import Palette

if TYPE_CHECKING:
    from ludarium.records.episode import Episode

FRAME_MS, LAST_MS = 700, 4000  # duration of a position at speed 1, and of the last one
SLOWEST, FASTEST = 0.1, 10.0
MP4_FPS = 10  # frames per second: some video players reject fewer


def check_speed(speed: float) -> float:
    """Return a speed, or raise ValueError: 1 is the usual one, 2 shows positions half as long."""
    factor = as_float(speed)
    if not SLOWEST <= factor <= FASTEST:
        raise ValueError(
            f"speed={show(speed)} is not allowed: speed is a number, {SLOWEST:g} to {FASTEST:g}"
        )
    return factor


def write_gif(file: BinaryIO, episode: Episode, speed: float = 1.0) -> None:
    """Write an animation: every position, the last one held longer.

    All frames have one palette, so that they do not flicker. Pixels that do not change are marked
    as transparent, which compresses far better.
    """
    palette = Palette(episode.frames())
    pictures = [palette.image(frame) for frame in episode.frames()]
    each = max(20, round(FRAME_MS / speed / 10) * 10)  # GIF counts hundredths of a second
    pictures[0].save(
        file,
        format="GIF",
        save_all=True,
        append_images=pictures[1:],
        duration=[each] * (len(pictures) - 1) + [LAST_MS],
        loop=0,
        palette=palette.bytes,
        transparency=palette.transparent,
        optimize=True,
    )


def check_mp4() -> None:
    """Raise ImportError if no film can be written; the message names the extra."""
    for module in ("imageio", "imageio_ffmpeg"):
        if importlib.util.find_spec(module) is None:
            raise ImportError(
                f"MP4 needs imageio with ffmpeg ({module} is not installed): {install('video')}",
                name=module,
            )


def write_mp4(file: BinaryIO, episode: Episode, speed: float = 1.0) -> None:
    """Write a film (H.264): every position, the last one held longer."""
    import imageio.v2

    fps = MP4_FPS if speed <= 1 else 2 * MP4_FPS
    each = FRAME_MS / speed * fps / 1000  # frames of a position
    # ffmpeg needs a file name: it seeks back to the start at the end
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "film.mp4"
        film: Any = imageio.v2.get_writer(
            path,
            format="FFMPEG",
            mode="I",
            fps=fps,
            codec="libx264",
            pixelformat="yuv420p",
            macro_block_size=2,
            quality=8,
            output_params=["-movflags", "+faststart"],
        )
        with film:
            for index, frame in enumerate(episode.frames()):
                last = index == len(episode.states) - 1
                copies = round((index + 1) * each) - round(index * each)
                for _ in range(LAST_MS * fps // 1000 if last else copies):
                    film.append_data(frame)
        file.write(path.read_bytes())
