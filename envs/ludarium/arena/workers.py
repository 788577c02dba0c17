"""Tasks done one after the other, by processes of this machine, or by a Ray cluster."""

from __future__ import annotations

import contextlib
import importlib.util
import socket
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

CONNECT_SECONDS = 10


def check_workers(workers: int | None, ray: str | None) -> None:
    """Raise what is wrong with the wish for workers.

    Raises:
        ValueError: The address is none.
        ImportError: A library for it is missing.
    """
    if ray is not None:
        _host_and_port(ray)
    module, extra = ("ray", "ray") if ray is not None else ("joblib", "arena")
    if (ray is not None or (workers or 1) > 1) and importlib.util.find_spec(module) is None:
        raise ImportError(f"this needs {module}: pip install 'ludarium[{extra}]'")


def do_all(
    do: Callable[[Task], Result], tasks: Iterable[Task], workers: int | None, ray: str | None
) -> Iterator[Result]:
    """Do tasks, and yield their results as they come, in any order.

    Tasks are taken from the iterable when a worker is free, or nearly.

    Args:
        do: a function of a module, which every worker can import.
        tasks: what to do; they and their results can be pickled.
        workers: how many work; None: one, or with `ray` as many as the cluster has processors.
        ray: address of a Ray cluster; None: this machine.

    Raises:
        ConnectionError: There is no such cluster.
        Exception: What a task raised; those not yet begun are dropped.
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
        yield from parallel(joblib.delayed(do)(task) for task in tasks)


# ---------------------------------------------------------------- Ray


def _on_ray(
    do: Callable[[Task], Result], tasks: Iterable[Task], workers: int | None, address: str
) -> Iterator[Result]:
    """Do tasks on a cluster.

    Ray's own tasks and not its pools: a pool starts all its processes first and gives results back
    in blocks.
    """
    with _connected(address) as ray:
        # so many that a processor finds its next task waiting, unless the caller wants fewer
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
    """Return a result, or raise what the task raised, as it would here."""
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error


def _host_and_port(address: Any) -> tuple[str, int] | None:
    """Return where a cluster is to be reached; None where Ray finds out.

    Raises:
        ValueError: The address has none of the forms.
    """
    text = address.removeprefix("ray://") if isinstance(address, str) else ""
    host, _, port = text.rpartition(":")
    if host and "/" not in host and port.isascii() and port.isdigit() and int(port) < 1 << 16:
        return host.strip("[]"), int(port)
    if text in ("auto", "local") or "://" in text:
        return None
    raise ValueError(
        f"ray={address!r} is not allowed: ray is 'auto', 'local', 'HOST:PORT' or 'ray://HOST:PORT'"
    )


@contextlib.contextmanager
def _connected(address: str) -> Iterator[Any]:
    """Connect to a cluster, unless the program is connected already; yield the library."""
    import ray

    if ray.is_initialized():
        yield ray
        return
    try:
        place = _host_and_port(address)
        if place is not None:  # Ray itself tries for minutes before it says so
            socket.create_connection(place, timeout=CONNECT_SECONDS).close()
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except (OSError, ValueError, RuntimeError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ConnectionError(f"there is no Ray cluster at {address!r}: {reason}") from error
    try:
        yield ray
    finally:
        ray.shutdown()
