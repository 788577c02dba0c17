"""The benchmark: what the games cost here, what the bar is, and what others cost on this machine.

`rows` measures; `report` makes tables of the result. `ludarium bench` is the command. A game says
in its folder's ``benchmarks.py`` which sizes are measured (`SIZES`), what they must reach (`BAR`),
and may add kernels of its own (`KERNELS`).
"""

from typing import Any

from ludarium.bench.report import as_markdown, as_table, machine
from ludarium.bench.rows import GROUPS, Row, measure
from ludarium.core.lazy import submodule

__all__ = ["GROUPS", "Row", "as_markdown", "as_table", "machine", "measure"]


def __getattr__(name: str) -> Any:
    return submodule(__name__, name)
