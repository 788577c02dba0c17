"""Where compiled kernels are kept, and how a game gets its own set of drivers.

Numba's disk cache does not notice an edit in another file, and it must never be shared between
users: it executes what it finds. So the kernels of a game are cached in a folder that is named by
a hash of every source they can depend on, belongs to the user and is closed to everybody else.
With that, jitted functions may call across files, and the generic drivers of ``core.kernels`` can
be cached for each game by executing that file once per game (see `instantiate`).
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import os
import shutil
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

#: Options of every kernel: cached on disk, free of the GIL, no checks for division by zero.
JIT: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}

CACHE_VARIABLE = "LUDARIUM_CACHE_DIR"
_STALE_SECONDS = 30 * 24 * 3600.0
_lock = threading.RLock()


def _candidates() -> Iterator[Path]:
    """Yield the places for compiled code, best first."""
    for variable in (CACHE_VARIABLE, "NUMBA_CACHE_DIR"):
        if os.environ.get(variable):
            yield Path(os.environ[variable]).expanduser() / "ludarium"
    if sys.platform == "win32":
        yield Path(os.environ.get("LOCALAPPDATA", "~\\AppData\\Local")).expanduser() / "ludarium"
    elif sys.platform == "darwin":
        yield Path("~/Library/Caches/ludarium").expanduser()
    else:
        yield Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "ludarium"
    owner = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    yield Path(tempfile.gettempdir()) / f"ludarium-{owner}"


def _private(folder: Path) -> bool:
    """Make `folder` and say whether it is ours alone and can be written."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if hasattr(os, "getuid"):
            found = folder.lstat()
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
                return False
            if stat.S_IMODE(found.st_mode) & 0o077:
                folder.chmod(0o700)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except (OSError, RuntimeError):
        return False


def cache_root() -> Path:
    """Return the folder for compiled kernels: private to the user, created with mode 0700.

    ``LUDARIUM_CACHE_DIR`` and ``NUMBA_CACHE_DIR`` come first, then the user's cache folder, then a
    folder below the system's temporary one. When none can be used, compiled code lives in a
    fresh temporary folder, and only as long as the process.
    """
    for folder in _candidates():
        if _private(folder):
            return folder
    folder = Path(tempfile.mkdtemp(prefix="ludarium-"))
    import atexit

    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _digest(package: str, sources: Iterable[Path]) -> str:
    """Hash a package's name, sources, Numba's version and its settings that change code."""
    import numba

    config = numba.config
    facts = package, numba.__version__, sys.version_info[:3], config.BOUNDSCHECK, config.OPT
    digest = hashlib.sha256(repr(facts).encode())
    for path in sources:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _forget_stale(root: Path, keep: Path) -> None:
    """Remove compiled code of older sources that nobody has used for a month."""
    for folder in root.glob("*-*"):
        with contextlib.suppress(OSError):
            if folder != keep and folder.stat().st_mtime < time.time() - _STALE_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def cache_folder(package: str, *sources: Path) -> Iterator[None]:
    """Let functions that are jitted inside this block be cached for the game of `package`.

    Numba's own setting is global, so it is put back afterwards; a lock keeps threads apart.

    Args:
        package: full name of the game's package, for example ``ludarium.games.sphlag``.
        *sources: files outside the game's folder that have jitted functions which are used.
    """
    import numba

    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ValueError(f"{package!r} is not a package")
    here = Path(spec.submodule_search_locations[0])
    files = [*sorted(here.glob("*.py")), Path(__file__), *sorted(set(sources))]
    with _lock:
        root = cache_root()
        folder = root / f"{package.rpartition('.')[2]}-{_digest(package, files)}"
        if not folder.exists():
            _forget_stale(root, folder)
        folder.mkdir(mode=0o700, exist_ok=True)
        with contextlib.suppress(OSError):
            os.utime(folder)
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(folder)
        try:
            yield
        finally:
            numba.config.CACHE_DIR = before


def import_jitted(package: str, *names: str) -> list[ModuleType]:
    """Import modules of a game whose functions are jitted, with its cache folder in force."""
    with cache_folder(package):
        return [importlib.import_module(f"{package}.{name}") for name in names]


def instantiate(template: str, package: str, **names: Any) -> ModuleType:
    """Execute a module of drivers once more, for one game.

    A driver that takes jitted functions as arguments or from a closure never hits Numba's disk
    cache; one that finds them among its module's globals does. So the template refers to a game's
    rules by global names, and each game gets its own copy of the module, cached in its own folder.

    Args:
        template: full name of the module to execute, for example ``ludarium.core.kernels``.
        package: the game's package.
        **names: what the template's free names mean for this game (``rules``, ``observation``).

    Returns:
        A module of its own. It is entered in `sys.modules`, where Numba looks for the module of a
        function that it loads from its cache.
    """
    found = importlib.util.find_spec(template)
    if found is None or found.origin is None:
        raise ValueError(f"no module {template!r}")
    name = f"{template}_for_{package.replace('.', '_')}"
    spec = importlib.util.spec_from_file_location(name, found.origin)
    if spec is None or spec.loader is None:
        raise ValueError(f"{template!r} cannot be loaded from a file")
    module = importlib.util.module_from_spec(spec)
    vars(module).update(names)
    # what the template calls is compiled into its code, so those sources count as well
    called = [Path(m.__file__) for m in names.values() if getattr(m, "__file__", None)]
    with cache_folder(package, Path(found.origin), *called):
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return module
