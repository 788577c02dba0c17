"""Environments in which the caller plays both seats: PettingZoo (AEC, parallel) and batches.

Read in this order: aec, parallel, factories, batches, vector.
"""

from typing import Any

from ludarium.core.lazy import listed, submodule


def __getattr__(name: str) -> Any:
    return submodule(__name__, name)


def __dir__() -> list[str]:
    return listed(__name__)
