"""Gymnasium environments: the caller is one learner, and the opponent plays inside `step`.

Read in this order: env, opponents, vector, layout, learner_kernels.
"""

from typing import Any

from ludarium.core.lazy import listed, submodule


def __getattr__(name: str) -> Any:
    return submodule(__name__, name)


def __dir__() -> list[str]:
    return listed(__name__)
