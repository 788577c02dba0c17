"""Drawing: canvas, shapes and themes of every game's picture, SVG, overlays, pointing, windows.

Read in this order: themes, canvas, shapes, pictures, svg, overlays, pointing, window.
"""

from typing import Any

from ludarium.core.lazy import listed, submodule


def __getattr__(name: str) -> Any:
    return submodule(__name__, name)


def __dir__() -> list[str]:
    return listed(__name__)
