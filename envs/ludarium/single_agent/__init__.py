"""Gymnasium environments: the caller is one learner, and the opponent plays inside `step`.

Read in this order: env, opponents, vector, layout, learner_kernels.
"""

from typing import Any

from ludarium.core.lazy import submodule


def __getattr__(name: str) -> Any:
    return submodule(__name__, name)
