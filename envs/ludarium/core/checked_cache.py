"""Numba's disk cache, so that damaged files, vanished folders and full disks stop nobody.

A file that cannot be trusted counts as missing: its function is compiled again and the file is
replaced. Code that cannot be saved is used all the same, with one warning per process. Numba reads
and writes the cache of a function when the function is first called with arguments of new types,
which can be long after it was imported, so the checks belong to the cache itself.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import io
import multiprocessing
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from numba import config
from numba.core import caching
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    NullCache,
)

from ludarium.core.cache import CACHE_VARIABLE, make_private
from ludarium.core.compiling import tell

# Numba before 0.61 has it with an underscore
_UserLocator: Any = getattr(caching, "UserProvidedCacheLocator", None) or (
    caching._UserProvidedCacheLocator
)

_DIGEST_SIZE = hashlib.sha256().digest_size
_warned = False


class _Locator(_UserLocator):
    """The folder that is in force when a function is jitted; made again if it vanishes."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        super().__init__(py_func, py_file)
        self._folder = Path(config.CACHE_DIR)

    def ensure_cache_path(self) -> None:
        """Make the folder if it is not there, readable only by its owner.

        Raises:
            OSError: It cannot be made or written to.
        """
        if not self._folder.is_dir():
            make_private(self._folder.parent)
            self._folder.mkdir(mode=0o700, exist_ok=True)
        path = Path(self.get_cache_path())
        if path.exists() and not path.is_dir():
            path.unlink()
        super().ensure_cache_path()


class _Implementation(CompileResultCacheImpl):
    """Numba's way to store compiled code, in our folder or nowhere."""

    _locator_classes = (_Locator,)


class _CheckedFiles(IndexDataCacheFile):
    """The index of a function and its files of code, each followed by a digest of its content."""

    @contextlib.contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        content = io.BytesIO()
        yield content
        data = content.getvalue()
        with super()._open_for_write(filepath) as file:
            file.write(data + hashlib.sha256(data).digest())

    def _load_index(self) -> Any:
        return super()._load_index() if _is_sound(self._index_path) else {}

    def _load_data(self, name: str) -> Any:
        path = self._data_path(name)
        if not _is_sound(path):
            raise OSError(f"{path!r} is damaged")  # which load() takes for a missing file
        return super()._load_data(name)

    def unblock(self) -> bool:
        """Remove folders that stand where a file belongs; return whether there were any."""
        removed = False
        stem = self._index_name.removesuffix("nbi")
        for path in Path(self._cache_path).iterdir():
            if path.name.startswith(stem) and path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
                removed = True
        return removed


@contextlib.contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the garbage collector.

    With the first function of a process Numba loads its library: tens of thousands of objects,
    all of which stay. Looking through them again and again took a tenth of a warm start.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _is_sound(path: str) -> bool:
    """Return whether a file can be read and ends with the digest of what stands before it."""
    try:
        data = Path(path).read_bytes()
    except OSError:
        return False
    return hashlib.sha256(data[:-_DIGEST_SIZE]).digest() == data[-_DIGEST_SIZE:]


class _CheckedCache(FunctionCache):
    """The cache of one function."""

    _impl_class = _Implementation

    def __init__(self, py_func: Any, package: str) -> None:
        super().__init__(py_func)
        self._module, self._package = py_func.__module__, package
        self._cache_file = _CheckedFiles(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=self._impl.locator.get_source_stamp(),
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return compiled code, or None if there is none that can be used."""
        code = None
        with contextlib.suppress(Exception), _collector_paused():  # loading can fail in any way
            code = super().load_overload(sig, target_context)
        if code is None:  # it is compiled now
            tell(self._module, self._package, kept=True)
        return code

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save compiled code if that is possible; otherwise warn, once per process."""
        try:
            try:
                super().save_overload(sig, data)
            except OSError:
                if not self._cache_file.unblock():
                    raise
                super().save_overload(sig, data)
        except OSError as error:
            _warn(self._cache_path, error)


class _NoCache(NullCache):
    """The cache of a function whose compiled code cannot be kept."""

    def __init__(self, py_func: Any, package: str) -> None:
        super().__init__()
        self._module, self._package = py_func.__module__, package

    def load_overload(self, sig: Any, target_context: Any) -> None:
        """Return None: there is no compiled code."""
        tell(self._module, self._package, kept=False)


def open_cache(py_func: Any, package: str) -> Any:
    """Return the cache of a function in the folder that is in force, or one that keeps nothing.

    Args:
        py_func: the function.
        package: full name of the package of its game.
    """
    try:
        return _CheckedCache(py_func, package)
    except (OSError, RuntimeError) as error:  # RuntimeError: Numba cannot use the folder
        _warn(config.CACHE_DIR, error)
        return _NoCache(py_func, package)


def no_cache(py_func: Any, package: str) -> Any:
    """Return a cache that keeps nothing, because no folder can be used."""
    _warn(None, "no folder can be written to")
    return _NoCache(py_func, package)


def _warn(folder: str | None, reason: Exception | str) -> None:
    """Warn that compiled code is not saved: once, and only in the process that started others."""
    global _warned
    if _warned or multiprocessing.parent_process() is not None:
        return
    _warned = True
    if isinstance(reason, OSError) and reason.strerror:
        reason = reason.strerror
    where = "" if folder is None else f" in {folder!r}"
    warnings.warn(
        f"compiled code cannot be saved{where} ({reason}), so each process compiles it again; set "
        f"{CACHE_VARIABLE} to a folder that can be written to and has free space",
        RuntimeWarning,
        stacklevel=3,
    )
