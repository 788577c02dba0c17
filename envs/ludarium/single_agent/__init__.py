"""Gymnasium environments: one learner, and an opponent who plays inside.

Read in this order: env, opponents, vector, layout, learner_kernels.
"""

from typing import Any

from ludarium.core.lazy import submodule


def __getattr__(name: str) -> Any:
    return submodule(__name__, name)
