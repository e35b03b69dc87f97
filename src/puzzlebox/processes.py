"""Worker processes: how to start and stop them, and how many are useful.

Vectors of environments and runs of agents both use workers that answer over a pipe; this module is their common part.
The results never depend on the number of workers: `puzzlebox.seeds` explains why.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any

# Workers are spawned: neither the physics engine nor the threads of a learner survive a fork.
CONTEXT = get_context("spawn")
# How long a worker may take to end by itself before it is terminated.
STOP_TIMEOUT_SECONDS = 5.0


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def without_main() -> Iterator[None]:
    """Start processes inside that do not import the user's script again, which may have no `__main__` guard."""
    user_main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    sys.modules["__main__"].__spec__ = None
    try:
        yield
    finally:
        sys.modules["__main__"] = user_main


def start_worker(work: Callable[..., None], *args: Any) -> tuple[Connection, BaseProcess]:
    """Start a process that calls `work(connection, *args)`, and return our end of the pipe and the process.

    The worker ends when it next uses the pipe after this process has ended. It ignores SIGINT: on Ctrl-C this process
    stops its workers. Call this function inside `without_main`.
    """
    ours, theirs = CONTEXT.Pipe()
    process = CONTEXT.Process(target=_serve, args=(work, theirs, *args), daemon=True)
    with _interrupt_blocked():
        process.start()
    theirs.close()
    return ours, process


@contextmanager
def _interrupt_blocked() -> Iterator[None]:
    """Start processes inside that cannot get SIGINT until they ignore it; here, it arrives at the end of the block."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Starting the tracker unblocks SIGINT, so it must be running before.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(work: Callable[..., None], connection: Connection, *args: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    work(connection, *args)


def stop_workers(connections: Sequence[Connection], processes: Sequence[BaseProcess]) -> None:
    """Close all connections, which makes the workers end; wait for them, and terminate those that do not."""
    for connection in connections:
        connection.close()
    for process in processes:
        process.join(STOP_TIMEOUT_SECONDS)
        if process.is_alive():
            process.terminate()
            process.join(STOP_TIMEOUT_SECONDS)


def exit_code(process: BaseProcess) -> int | None:
    """Return the exit code of a worker that no longer answers; None if it is still running."""
    process.join(STOP_TIMEOUT_SECONDS)
    return process.exitcode
