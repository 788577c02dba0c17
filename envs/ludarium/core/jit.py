"""How a game gets its own set of compiled kernels, from its modules and from shared templates.

The generic kernels of ``core.kernels`` are compiled and cached for each game by executing that file
once per game (see `instantiate`). ``core/cache.py`` has the folder in which compiled code is kept.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from ludarium.core.cache import cache_folder

#: Options of every kernel: cached on disk, free of the GIL, no checks for division by zero.
JIT: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}


def import_jitted(package: str, *names: str) -> list[ModuleType]:
    """Import modules of a game whose functions are jitted, so that they use its cache folder.

    Args:
        package: full name of the game's package.
        *names: names of the modules inside it.
    """
    with cache_folder(package):
        return [importlib.import_module(f"{package}.{name}") for name in names]


def instantiate(template: str, package: str, **names: Any) -> ModuleType:
    """Execute a template of kernels for one game, and return it as a module of its own.

    A jitted function that gets other jitted functions as arguments or from a closure never hits
    Numba's disk cache; one that has them among its module's globals does. So a template refers to
    a game's rules by global names, and each game has its own copy of the module, cached in its own
    folder.

    Args:
        template: full name of the module to execute, for example ``ludarium.core.kernels``.
        package: full name of the game's package.
        **names: what the template's free names mean for this game (``rules``, ``observation``).

    Returns:
        A new module. It is also entered in `sys.modules`, where Numba looks for the module of a
        function that it loads from its cache.

    Raises:
        ValueError: There is no such template or package.
    """
    source = importlib.util.find_spec(template)
    if source is None or source.origin is None:
        raise ValueError(f"there is no module {template!r}")
    name = f"{template}_for_{package.replace('.', '_')}"
    spec = importlib.util.spec_from_file_location(name, source.origin)
    if spec is None or spec.loader is None:
        raise ValueError(f"{template!r} cannot be loaded from a file")
    module = importlib.util.module_from_spec(spec)
    vars(module).update(names)
    # what the template calls is compiled into its code, so those sources count as well
    called = [Path(m.__file__) for m in names.values() if getattr(m, "__file__", None)]
    with cache_folder(package, Path(source.origin), *called):
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return module
