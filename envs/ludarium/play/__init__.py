"""A person plays: the session, what a click means, an agent in a thread, the window."""

from typing import Any

from ludarium.core.lazy import submodule


def __getattr__(name: str) -> Any:
    return submodule(__name__, name)
