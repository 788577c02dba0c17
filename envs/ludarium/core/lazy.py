"""Attributes of a package that import its modules when they are first used."""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType


def submodule(package: str, name: str) -> ModuleType:
    """Import a module of a package, for the package's own ``__getattr__``.

    So ``import ludarium; ludarium.wrappers.sb3`` works without a second import, and costs nothing
    to those who do not ask.

    Args:
        package: full name of the package.
        name: of the attribute that is asked for.

    Raises:
        AttributeError: The package has no such module.
        ImportError: The module needs a library that is not installed.
    """
    full = f"{package}.{name}"
    if name.startswith("_") or importlib.util.find_spec(full) is None:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return importlib.import_module(full)
