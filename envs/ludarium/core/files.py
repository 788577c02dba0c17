"""Writing files so that none is left half written and none is lost unasked."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ludarium.core.errors import join_or


def check_target(
    path: str | os.PathLike[str], suffixes: tuple[str, ...], overwrite: bool = False
) -> Path:
    """Return the path of a file that is to be written later, or say why it cannot be.

    Args:
        path: the file.
        suffixes: what its name may end in, in lower case, like ``(".gif", ".png")``.
        overwrite: whether a file that is there may be replaced.

    Raises:
        ValueError: The suffix is none of these.
        FileExistsError: There is such a file, and `overwrite` is false.
        OSError: Its folder is not there or cannot be written to.
    """
    target = Path(path)
    if target.suffix.lower() not in suffixes:
        raise ValueError(f"{str(target)!r} is not allowed: the name ends in {join_or(suffixes)}")
    if target.is_dir():
        raise IsADirectoryError(f"{str(target)!r} is a folder")
    if not overwrite and target.exists():
        raise FileExistsError(f"{str(target)!r} exists and is not overwritten unasked")
    check_folder(target)
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

    Until then, and when it does not, whatever has that name stays as it is.

    Raises:
        FileExistsError: There is such a file, and `overwrite` is false.
    """
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o666 & ~_umask())
        if not overwrite and target.exists():
            raise FileExistsError(f"{str(target)!r} exists and is not overwritten unasked")
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _umask() -> int:
    """Return the process's mask for new files, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
