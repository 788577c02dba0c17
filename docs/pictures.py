"""Draw the pictures at the top of the README: the last position of each game in pictures.jsonl.

python docs/pictures.py                 # beside this file, as `make pictures` does
python docs/pictures.py --out FOLDER
"""

from __future__ import annotations

import argparse
from pathlib import Path

from PIL import Image

from ludarium import records

HERE = Path(__file__).parent
SIZE = 560  # pixels; the README shows them at about half of that, which suits fine screens


def draw(folder: Path) -> list[Path]:
    """Write FOLDER/<game>.png for each record; returns the files."""
    written = []
    for record in records.read(HERE / "pictures.jsonl"):
        *_, state = records.replay(record)
        picture = Image.fromarray(state.render(size=SIZE))
        path = folder / f"{record.game}.png"
        # a palette cuts the file to a third, without a visible difference
        picture.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
        written.append(path)
    return written


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, default=HERE, help="the folder for the pictures")
    for path in draw(parser.parse_args().out):
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
