"""Films of Gymnasium environments that show the turns of both players."""

from __future__ import annotations

from typing import Any

import gymnasium


class RecordTurns(gymnasium.wrappers.RecordVideo[Any, Any]):
    """Gymnasium's `RecordVideo` with all frames of a step: the learner's and the opponent's turn.

    `RecordVideo` itself takes one frame of each step, the last one, so that only the opponent's
    turns are seen to be played. Arguments, files and triggers are those of `RecordVideo`;
    `video_length` counts frames.

    Args:
        env: an environment with ``render_mode="rgb_array_list"``.
        video_folder: folder of the films.
        **options: the other arguments of `RecordVideo`.

    Raises:
        ValueError: The environment has another render mode.
        gymnasium.error.DependencyNotInstalled: MoviePy is not installed (extra ``video``).
    """

    def __init__(self, env: gymnasium.Env[Any, Any], video_folder: str, **options: Any) -> None:
        if env.render_mode != "rgb_array_list":
            raise ValueError(
                f"render_mode={env.render_mode!r} has one frame for each step: make the "
                "environment with render_mode='rgb_array_list'"
            )
        super().__init__(env, video_folder, **options)

    def _capture_frame(self) -> None:
        frames = self.env.render()
        assert isinstance(frames, list)
        self.recorded_frames += frames
