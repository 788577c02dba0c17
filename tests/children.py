"""What tests run in child processes: spawned ones must be able to import it."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import ludarium


def ends(vector: Any, steps: int = 40) -> int:
    """Step a batch with its own samples; returns how many games ended by the rules."""
    vector.reset()
    return sum(int(vector.step(vector.sample_actions())[2].sum()) for _ in range(steps))


def play_batch(name: str, results: Any) -> None:
    """Play a batch with threads and put `ends` into a queue."""
    results.put(ends(ludarium.make_vec(name, num_envs=40, seed=4, num_threads=2)))


def shut_pipe(*arguments: str) -> tuple[int, str]:
    """Run Python, read one line of what it prints and close; returns exit status and stderr."""
    command = [sys.executable, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None and child.stderr is not None
        child.stdout.readline()
        child.stdout.close()
        errors = child.stderr.read().decode()
        return child.wait(), errors


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Let children that begin here heed SIGINT, where these tests run in a shell's background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
