"""Play against an agent: the session, the controller of clicks, the terminal, the window."""

from typing import Any

from ludarium.core.lazy import listed, submodule


def __getattr__(name: str) -> Any:
    return submodule(__name__, name)


def __dir__() -> list[str]:
    return listed(__name__)
