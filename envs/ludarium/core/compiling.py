"""A word to a person at a terminal who waits while Numba compiles."""

from __future__ import annotations

import contextlib
import multiprocessing
import sys
from collections.abc import Iterator

#: What is compiled, by the folder of the template; everything else is the rules of a game.
_PARTS = {"agents": "the agents for", "single_agent": "the single-agent environment for"}

_told: set[tuple[str, str]] = set()


_silent = False


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Say nothing inside this block, where another progress is shown."""
    global _silent
    before, _silent = _silent, True
    try:
        yield
    finally:
        _silent = before


def tell(module: str, package: str, kept: bool) -> None:
    """Say on stderr what is being compiled: once per process for each part of each game.

    Nothing is said unless stderr is a terminal, so that pipes and files stay as they are, nor in
    processes that others have started.

    Args:
        module: full name of the module whose function is compiled.
        package: full name of the game's package, for example ``ludarium.games.sphlag``.
        kept: whether the compiled code is kept for the next time.
    """
    own, _, _ = __name__.partition(".")
    folder = module.removeprefix(f"{own}.").partition(".")[0]
    part = _PARTS.get(folder, "the rules of")
    if _silent or (part, package) in _told or multiprocessing.parent_process() is not None:
        return
    with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, or there is none
        if sys.stderr.isatty():
            game = getattr(sys.modules.get(package), "GAME", None)
            title = getattr(game, "title", package.rpartition(".")[2])
            often = ", first time only" if kept else ""
            print(f"compiling {part} {title}{often} ...", file=sys.stderr, flush=True)
            _told.add((part, package))
