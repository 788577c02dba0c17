"""Episodes as moving pictures: GIF, and MP4 with the extra `video`."""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ludarium.core.errors import install

if TYPE_CHECKING:
    from ludarium.records.episode import Episode

FRAME_MS, LAST_MS = 700, 4000  # duration of a position and of the last one
MP4_FPS = 10  # frames per second: some video players reject fewer


def write_gif(file: BinaryIO, episode: Episode) -> None:
    """Write an animation: every position, the last one held longer."""
    from PIL import Image

    pictures = [
        Image.fromarray(frame).quantize(256, dither=Image.Dither.NONE) for frame in episode.frames()
    ]
    pictures[0].save(
        file,
        format="GIF",
        save_all=True,
        append_images=pictures[1:],
        duration=[FRAME_MS] * (len(pictures) - 1) + [LAST_MS],
        loop=0,
    )


def check_mp4() -> None:
    """Raise ImportError if no film can be written; the message names the extra."""
    for module in ("imageio", "imageio_ffmpeg"):
        if importlib.util.find_spec(module) is None:
            raise ImportError(
                f"MP4 needs imageio with ffmpeg ({module} is not installed): {install('video')}",
                name=module,
            )


def write_mp4(file: BinaryIO, episode: Episode) -> None:
    """Write a film (H.264): every position, the last one held longer."""
    import imageio.v2

    # ffmpeg needs a file name: it seeks back to the start at the end
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "film.mp4"
        film: Any = imageio.v2.get_writer(
            path,
            format="FFMPEG",
            mode="I",
            fps=MP4_FPS,
            codec="libx264",
            pixelformat="yuv420p",
            macro_block_size=2,
            quality=8,
            output_params=["-movflags", "+faststart"],
        )
        with film:
            for index, frame in enumerate(episode.frames()):
                last = index == len(episode.states) - 1
                for _ in range((LAST_MS if last else FRAME_MS) * MP4_FPS // 1000):
                    film.append_data(frame)
        file.write(path.read_bytes())
