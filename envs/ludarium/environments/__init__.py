"""Environments with both seats outside: PettingZoo (AEC, parallel) and the batch of many games.

Read in this order: aec, parallel, factories, batches, vector.
"""

from typing import Any

from ludarium.core.lazy import submodule


def __getattr__(name: str) -> Any:
    return submodule(__name__, name)
