"""Adapters for other libraries, one module each; each library is an extra or the user's own."""

from typing import Any

from ludarium.core.lazy import listed, submodule


def __getattr__(name: str) -> Any:
    return submodule(__name__, name)


def __dir__() -> list[str]:
    return listed(__name__)
