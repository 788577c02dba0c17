"""Import the modules of a package when they are first used as its attributes."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
from types import ModuleType


def submodule(package: str, name: str) -> ModuleType:
    """Import a module of a package, for the package's own ``__getattr__``.

    With it ``import ludarium; ludarium.wrappers.sb3`` works without a second import, and
    ``import ludarium`` alone does not load these modules.

    Args:
        package: full name of the package.
        name: name of the attribute that is looked up.

    Raises:
        AttributeError: The package has no such module.
        ImportError: The module needs a library that is not installed.
    """
    full = f"{package}.{name}"
    if name.startswith("_") or importlib.util.find_spec(full) is None:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return importlib.import_module(full)


def listed(package: str) -> list[str]:
    """Return the public names of a package and its modules, for the package's own ``__dir__``.

    Args:
        package: full name of the package.
    """
    module = sys.modules[package]
    special = {name for name in vars(module) if name.startswith("__")}
    modules = {found.name for found in pkgutil.iter_modules(module.__path__)}
    public = {name for name in modules if not name.startswith("_")}
    return sorted(special | public | set(getattr(module, "__all__", ())))
