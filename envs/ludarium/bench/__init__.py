"""The benchmark: speed, start-up time and memory of the games and of other libraries.

`rows` measures and `report` makes tables; the command is ``ludarium bench``. The module
``benchmarks.py`` of a game names the sizes to measure (`SIZES`), the figures that they have to
reach (`BAR`), and kernels to measure (`KERNELS`).
"""

from typing import Any

from ludarium.bench.report import as_markdown, as_table, machine
from ludarium.bench.rows import GROUPS, Row, measure
from ludarium.core.lazy import listed, submodule

__all__ = ["GROUPS", "Row", "as_markdown", "as_table", "machine", "measure"]


def __getattr__(name: str) -> Any:
    return submodule(__name__, name)


def __dir__() -> list[str]:
    return listed(__name__)
