"""How a game gets its own set of compiled kernels, from its modules and from shared templates.

A template is a module of kernels that work on any game, like ``core.kernels``. It is not imported
but executed once for each game, so that Numba compiles and caches it for that game (see
`instantiate`). ``core/cache.py`` has the folder in which compiled code is kept.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import importlib.util
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from ludarium.core.cache import game_folder

#: Sources that the compiled code of every game depends on: jitted functions, frozen constants.
SHARED_SOURCES = tuple(
    Path(__file__).with_name(name) for name in ("jit.py", "bits.py", "status.py")
)

_lock = threading.RLock()


@contextlib.contextmanager
def cache_folder(package: str, *sources: Path) -> Iterator[None]:
    """Cache the functions that are jitted inside this block for the game of `package`.

    Numba's settings are global, so they are restored afterwards; a lock keeps threads apart. A
    function keeps its cache after the block, and reads and writes it when it is first called.

    Args:
        package: full name of the game's package, for example ``ludarium.games.sphlag``.
        *sources: files outside the game's folder that have jitted functions which are used.

    Raises:
        ValueError: `package` is not a package.
    """
    import numba
    from numba.core import dispatcher

    from ludarium.core.checked_cache import no_cache, open_cache

    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ValueError(f"{package!r} is not a package")
    here = Path(spec.submodule_search_locations[0])
    files = [*sorted(here.glob("*.py")), *SHARED_SOURCES, *sorted(set(sources))]
    with _lock:
        folder = game_folder(package, files)
        cache = functools.partial(no_cache if folder is None else open_cache, package=package)
        settings = [
            (numba.config, "CACHE_DIR", str(folder or "")),
            (numba.config, "CACHE_LOCATOR_CLASSES", ""),  # not in every version of Numba
            (dispatcher, "FunctionCache", cache),
        ]
        settings = [setting for setting in settings if hasattr(*setting[:2])]
        before = [(place, name, getattr(place, name)) for place, name, _ in settings]
        try:
            for setting in settings:
                setattr(*setting)
            yield
        finally:
            for setting in before:
                setattr(*setting)


def _let_numbers_wrap(module: ModuleType) -> None:
    """Where compiling is switched off, silence NumPy's warnings of overflow in a module's kernels.

    Random streams and bit boards rely on integers that wrap around, as they do in compiled code.
    """
    import numba

    if not numba.config.DISABLE_JIT:
        return
    for name, function in list(vars(module).items()):
        if isinstance(function, FunctionType) and function.__module__ == module.__name__:
            setattr(module, name, _wrapping(function))


def _wrapping(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that ignores overflow while it runs."""
    if hasattr(function, "__wrapped__"):
        return function

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*arguments, **options)

    return call


def import_jitted(package: str, *names: str) -> list[ModuleType]:
    """Import modules of a game whose functions are jitted, so that they use its cache folder.

    Args:
        package: full name of the game's package.
        *names: names of the modules inside it.
    """
    with cache_folder(package):
        modules = [importlib.import_module(f"{package}.{name}") for name in names]
    for module in modules:
        _let_numbers_wrap(module)
    return modules


def _source(template: str) -> Path:
    """Return the file of a template."""
    spec = importlib.util.find_spec(template)
    if spec is None or spec.origin is None:
        raise ValueError(f"there is no module {template!r}")
    return Path(spec.origin)


def used_by(template: str) -> dict[str, str]:
    """Return what a template uses: its own name for each module -> the full name of that module.

    A template says so at its top, by what it imports under ``if TYPE_CHECKING:``. For a type
    checker these are imports; when the template is executed the names stand for what
    `instantiate` was given.

    >>> used_by("ludarium.core.kernels")
    {'observation': 'ludarium.core.contract.observation', 'rules': 'ludarium.core.contract.rules'}

    Raises:
        ValueError: There is no such template.
    """
    uses = {}
    for block in ast.parse(_source(template).read_text("utf-8")).body:
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING":
            for line in block.body:
                if isinstance(line, ast.ImportFrom):
                    for alias in line.names:
                        uses[alias.asname or alias.name] = f"{line.module}.{alias.name}"
    return uses


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
    source = _source(template)
    name = f"{template}_for_{package.replace('.', '_')}"
    spec = importlib.util.spec_from_file_location(name, source)
    if spec is None or spec.loader is None:
        raise ValueError(f"{template!r} cannot be loaded from a file")
    module = importlib.util.module_from_spec(spec)
    vars(module).update(names)
    # what the template calls is compiled into its code, so those sources count as well
    called = [Path(m.__file__) for m in names.values() if getattr(m, "__file__", None)]
    with cache_folder(package, source, *called):
        sys.modules[name] = module
        spec.loader.exec_module(module)
    _let_numbers_wrap(module)
    return module
