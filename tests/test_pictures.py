"""The pictures at the top of the README are what `make pictures` draws."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
from PIL import Image

from ludarium import list_games, records

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def test_the_readme_opens_with_a_picture_of_each_game() -> None:
    opening = (ROOT / "README.md").read_text("utf-8").split("\n## ")[0]
    shown = re.findall(r'<img src="docs/(\w+)\.png"[^>]* alt="[^"]{10,}"', opening)
    assert shown == list_games()
    assert [record.game for record in records.read(DOCS / "pictures.jsonl")] == list_games()


def test_the_pictures_are_what_the_command_draws(tmp_path: Path) -> None:
    """Nearly: versions of Pillow draw letters and choose palettes a little differently."""
    command = [sys.executable, str(DOCS / "pictures.py"), "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    for name in list_games():
        kept, drawn = DOCS / f"{name}.png", tmp_path / f"{name}.png"
        assert kept.stat().st_size < 100_000
        pixels = [np.asarray(Image.open(path).convert("RGB")).astype(int) for path in (kept, drawn)]
        assert pixels[0].shape == pixels[1].shape
        difference = np.abs(pixels[0] - pixels[1]).max(2)
        assert (difference > 40).mean() < 0.005, name  # a turn changes more than that
