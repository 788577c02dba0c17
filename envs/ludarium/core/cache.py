"""Where compiled kernels are kept: one private folder per game and state of its sources.

Numba's disk cache does not notice an edit in another file, and it must never be shared between
users, because it executes what it reads. The kernels of a game are therefore cached in a folder
that is named after a hash of every source they can depend on, and that only its owner can read.

A cache must never be the reason why a program stops: ``checked_cache.py`` copes with damaged files,
folders that vanish and full disks. When no folder can be used at all, nothing is cached.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

CACHE_VARIABLE = "LUDARIUM_CACHE_DIR"
_STALE_SECONDS = 30 * 24 * 3600.0

# ---------------------------------------------------------------- the folder


def _candidates() -> Iterator[Path]:
    """Yield the folders in which compiled code may be kept, best first.

    A folder whose ``~`` or ``~user`` cannot be expanded is left out.
    """
    places = [os.environ.get(variable) for variable in (CACHE_VARIABLE, "NUMBA_CACHE_DIR")]
    if sys.platform == "win32":
        places.append(os.environ.get("LOCALAPPDATA") or "~/AppData/Local")
    elif sys.platform == "darwin":
        places.append("~/Library/Caches")
    else:
        places.append(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    for place in places:
        if place:
            with contextlib.suppress(RuntimeError):  # no such user, or no home directory
                yield Path(place).expanduser() / "ludarium"
    owner = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    with contextlib.suppress(OSError):  # no temporary folder can be used
        yield Path(tempfile.gettempdir()) / f"ludarium-{owner}"


def make_private(folder: Path) -> bool:
    """Make a folder that only its owner can read; return whether it can be used.

    False when it cannot be made or written to, or belongs to somebody else.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if hasattr(os, "getuid"):
            status = folder.lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
                return False
            if stat.S_IMODE(status.st_mode) & 0o077:
                folder.chmod(0o700)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except (OSError, ValueError):
        return False


def cache_root() -> Path | None:
    """Return the folder for compiled kernels, which only its owner can read.

    ``LUDARIUM_CACHE_DIR`` and ``NUMBA_CACHE_DIR`` come first, then the user's cache folder, then a
    folder below the system's temporary one. When none of them can be used, it is a new temporary
    folder that is removed when the process ends, or None if that cannot be made either.
    """
    for folder in _candidates():
        if make_private(folder):
            return folder
    return _temporary_root()


def keeping_root() -> Path:
    """Return the folder for compiled kernels, if what is in it is there for later processes too.

    Raises:
        OSError: None of the folders can be used; the message names them.
    """
    tried = []
    for folder in _candidates():
        if make_private(folder):
            return folder
        tried.append(str(folder))
    raise OSError(f"compiled code cannot be kept in {' or '.join(tried)}: set {CACHE_VARIABLE}")


@functools.lru_cache(maxsize=1)
def _temporary_root() -> Path | None:
    """Make a folder that is removed when the process ends."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="ludarium-"))
    except OSError:
        return None
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _digest(package: str, sources: Iterable[Path]) -> str:
    """Hash a package's name, its sources, and the settings of Numba that change compiled code."""
    import numba

    config = numba.config
    facts = package, numba.__version__, sys.version_info[:3], config.BOUNDSCHECK, config.OPT
    digest = hashlib.sha256(repr(facts).encode())
    for path in sources:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _remove_stale(root: Path, keep: Path) -> None:
    """Remove compiled code of older sources that has not been used for a month."""
    with contextlib.suppress(OSError):
        for folder in root.glob("*-*"):
            with contextlib.suppress(OSError):
                if folder != keep and folder.stat().st_mtime < time.time() - _STALE_SECONDS:
                    shutil.rmtree(folder, ignore_errors=True)


def game_folder(package: str, sources: Iterable[Path]) -> Path | None:
    """Return the folder for a game's kernels, or None if nothing can be cached.

    Args:
        package: full name of the game's package, for example ``ludarium.games.sphlag``.
        sources: every file from which kernels of the game are compiled.
    """
    name = f"{package.rpartition('.')[2]}-{_digest(package, sources)}"
    root = cache_root()
    if root is None:
        return None
    folder = root / name
    if not folder.exists():
        _remove_stale(root, folder)
    with contextlib.suppress(OSError):
        if not folder.is_dir():
            folder.unlink(missing_ok=True)  # a file in its place
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.utime(folder)
    return folder
