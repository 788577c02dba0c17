"""Run tasks one after the other, in processes of this machine, or on a Ray cluster."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from ludarium.core.errors import install, show

Task = TypeVar("Task")
Result = TypeVar("Result")

CONNECT_SECONDS = 10
PARENT_SECONDS = 0.5  # between two looks of a worker whether its parent still lives


def check_workers(workers: int | None, ray: str | None) -> None:
    """Validate worker options.

    Args:
        workers: number of processes, or None.
        ray: address of a Ray cluster, or None.

    Raises:
        ValueError: The address does not have one of the allowed forms.
        ImportError: A library that these options need is not installed.
    """
    if ray is not None:
        _host_and_port(ray)
    module, extra = ("ray", "ray") if ray is not None else ("joblib", "arena")
    if (ray is not None or (workers or 1) > 1) and importlib.util.find_spec(module) is None:
        raise ImportError(f"these workers need {module}: {install(extra)}")


def do_all(
    do: Callable[[Task], Result], tasks: Iterable[Task], workers: int | None, ray: str | None
) -> Iterator[Result]:
    """Run tasks and yield their results as they are finished, in any order.

    A task is taken from the iterable when a worker is free, or a little earlier. If this process
    is killed, its workers notice and exit.

    Args:
        do: a function that every worker can import.
        tasks: the arguments of the function, one for each task; arguments and results are pickled.
        workers: number of workers; None: one, or with `ray` as many as the cluster has processors.
        ray: address of a Ray cluster; None: use this machine.

    Raises:
        ConnectionError: There is no Ray cluster at the address.
        Exception: A task raised it; tasks that have not begun are dropped.
    """
    if ray is not None:
        yield from _on_ray(do, tasks, workers, ray)
    elif workers is None or workers == 1:
        yield from map(do, tasks)
    else:
        import joblib

        parallel = joblib.Parallel(
            n_jobs=workers, batch_size=1, return_as="generator_unordered", backend="loky"
        )
        parent = os.getpid()
        yield from parallel(joblib.delayed(_do_as_worker)(do, task, parent) for task in tasks)


# ---------------------------------------------------------------- processes of this machine


_watched: set[int] = set()  # the parents that this process exits with


def _do_as_worker(do: Callable[[Task], Result], task: Task, parent: int) -> Result:
    """Run a task in a worker, which exits when the process `parent` does."""
    if parent not in _watched:
        _watched.add(parent)
        threading.Thread(target=_exit_with, args=(parent,), daemon=True).start()
    return do(task)


def _exit_with(parent: int) -> None:
    """Wait until a process has ended, however it did, then end this one at once.

    The pool's own workers wait for the next task for minutes when the process that feeds them was
    killed, and first finish the tasks that were handed to them.
    """
    if sys.platform == "win32":
        import ctypes

        kernel = ctypes.windll.kernel32
        handle = kernel.OpenProcess(0x00100000, False, parent)  # SYNCHRONIZE
        if handle:
            kernel.WaitForSingleObject(handle, 0xFFFFFFFF)
            os._exit(1)
        return
    # a child learns of its parent's end by its new parent; other processes have to be asked for
    child = os.getppid() == parent
    while os.getppid() == parent if child else _lives(parent):
        time.sleep(PARENT_SECONDS)
    os._exit(1)


def _lives(process: int) -> bool:
    """Return whether there is a process with this id."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # it belongs to another user
    return True


# ---------------------------------------------------------------- Ray


def _on_ray(
    do: Callable[[Task], Result], tasks: Iterable[Task], workers: int | None, address: str
) -> Iterator[Result]:
    """Run tasks on a cluster, which ends them itself when this process is gone.

    These are Ray's plain tasks and not its pools: a pool starts all its processes first and
    returns results in blocks.
    """
    with _connected(address) as ray:
        # two for each processor, so that its next task is waiting, unless the caller wants fewer
        most = workers or 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))
        remote, waiting = ray.remote(do), []
        try:
            for task in tasks:
                waiting.append(remote.remote(task))
                if len(waiting) >= most:
                    ready, waiting = ray.wait(waiting)
                    yield _get(ray, ready[0])
            while waiting:
                ready, waiting = ray.wait(waiting)
                yield _get(ray, ready[0])
        finally:
            for reference in waiting:
                ray.cancel(reference)


def _get(ray: Any, reference: Any) -> Any:
    """Return a result, or raise the exception of the task itself, not Ray's wrapper of it."""
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error


def _host_and_port(address: Any) -> tuple[str, int] | None:
    """Return the host and port of a cluster's address; None if only Ray can resolve it.

    Raises:
        ValueError: The address does not have one of the allowed forms.
    """
    text = address.removeprefix("ray://") if isinstance(address, str) else ""
    host, _, port = text.rpartition(":")
    if host and "/" not in host and port.isascii() and port.isdigit() and int(port) < 1 << 16:
        return host.strip("[]"), int(port)
    if text in ("auto", "local") or "://" in text:
        return None
    raise ValueError(
        f"ray={show(address)} is not allowed: "
        "ray is 'auto', 'local', 'HOST:PORT' or 'ray://HOST:PORT'"
    )


def _init(ray: Any, address: str) -> None:
    """Connect to a cluster; a client's own server that did not start in time is tried again.

    Ray gives it half a minute, which a busy machine can exceed once.
    """
    options = {"address": address, "log_to_driver": False, "logging_level": "ERROR"}
    try:
        ray.init(**options)
    except ConnectionError as error:
        if "Initialization failure" not in str(error):
            raise
        ray.shutdown()
        ray.init(**options)


@contextlib.contextmanager
def _connected(address: str) -> Iterator[Any]:
    """Connect to a cluster unless the program is connected already, and yield the library."""
    import ray

    if ray.is_initialized():
        yield ray
        return
    try:
        place = _host_and_port(address)
        if place is not None:  # Ray itself retries for minutes before it raises
            socket.create_connection(place, timeout=CONNECT_SECONDS).close()
        _init(ray, address)
    except (OSError, ValueError, RuntimeError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ConnectionError(f"there is no Ray cluster at {address!r}: {reason}") from error
    try:
        yield ray
    finally:
        ray.shutdown()
