"""Atomic writes that never overwrite silently."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ludarium.core.errors import join_or


def check_target(
    path: str | os.PathLike[str], suffixes: tuple[str, ...], overwrite: bool = False
) -> Path:
    """Return the path of a file that is to be written later, or raise if it cannot be written.

    Args:
        path: path of the file.
        suffixes: allowed suffixes, in lower case, like ``(".gif", ".png")``.
        overwrite: whether an existing file may be replaced.

    Raises:
        ValueError: The suffix is not allowed.
        FileExistsError: The file exists, and `overwrite` is false.
        OSError: The folder does not exist or cannot be written to.
    """
    target = Path(path)
    if target.suffix.lower() not in suffixes:
        raise ValueError(f"{str(target)!r} is not allowed: the name ends in {join_or(suffixes)}")
    if target.is_dir():
        raise IsADirectoryError(f"{str(target)!r} is a folder")
    if not overwrite and target.exists():
        raise FileExistsError(f"{str(target)!r} exists already and is not overwritten")
    check_folder(_real(target))
    return target


def check_folder(target: Path) -> None:
    """Raise OSError if no new file can be made beside `target`."""
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(target.parent)!r} to write {target.name}")
    try:
        with tempfile.TemporaryFile(dir=target.parent):
            pass
    except OSError as error:
        reason = error.strerror or error
        raise type(error)(f"cannot write in the folder {str(target.parent)!r}: {reason}") from error


@contextlib.contextmanager
def replacing(target: Path, overwrite: bool = False) -> Iterator[BinaryIO]:
    """Open a new binary file that takes the name of `target` when the block ends well.

    Until then, and when the block raises, whatever has that name stays as it is. A symbolic link is
    followed: it stays, and the file that it names is replaced. A new file keeps the permissions of
    the file that it replaces.

    Raises:
        FileExistsError: The file exists, and `overwrite` is false.
        OSError: The folder cannot be written to, the target is not a regular file, or a symbolic
            link leads to itself.
    """
    real = _real(target)
    handle, name = tempfile.mkstemp(dir=real.parent, prefix=f".{real.name[:100]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if not overwrite and real.exists():
            raise FileExistsError(f"{str(target)!r} exists already and is not overwritten")
        os.chmod(name, _mode_of(real))
        os.replace(name, real)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _real(target: Path) -> Path:
    """Return the path of the file that is written where `target` is a symbolic link, or `target`.

    Raises:
        OSError: The link leads to itself, or to something that is not a regular file.
    """
    real = Path(os.path.realpath(target)) if target.is_symlink() else target
    if real.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(target))
    if real.exists() and not real.is_file():
        raise OSError(f"{str(target)!r} is not a regular file and is not replaced")
    return real


def _mode_of(path: Path) -> int:
    """Return the permissions of a file, or those of a new one where there is none."""
    try:
        return stat.S_IMODE(path.stat().st_mode) & 0o777
    except OSError:
        return 0o666 & ~_umask()


def _umask() -> int:
    """Return the process's mask for new files, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
