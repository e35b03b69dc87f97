"""Worker processes: how they are started, how they end, and how many may be of use.

The vectors of environments and the runs of agents both have workers that answer over a pipe; this module is what they
share. What a worker computes never depends on how many there are: `puzzlebox.seeds` says why.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any

# Workers are spawned: neither the physics engine nor the threads of a learner survive a fork.
CONTEXT = get_context("spawn")
# Seconds a worker is given to end by itself before it is terminated.
SECONDS_TO_END = 5.0


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def without_main() -> Iterator[None]:
    """Start processes in here that do not import the user's script again, which may have no `__main__` guard."""
    own = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    sys.modules["__main__"].__spec__ = None
    try:
        yield
    finally:
        sys.modules["__main__"] = own


def start_worker(work: Callable[..., None], *args: Any) -> tuple[Connection, BaseProcess]:
    """Start a process that calls `work(connection, *args)`, and return our end of the pipe and the process.

    The worker ends with this process, and an interruption from the keyboard (SIGINT) does not reach it: this process is
    interrupted and stops its workers. Call it inside `without_main`.
    """
    ours, theirs = CONTEXT.Pipe()
    process = CONTEXT.Process(target=_serve, args=(work, theirs, *args), daemon=True)
    process.start()
    theirs.close()
    return ours, process


def _serve(work: Callable[..., None], connection: Connection, *args: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    work(connection, *args)


def stop_workers(connections: Sequence[Connection], processes: Sequence[BaseProcess]) -> None:
    """Close all connections, which tells the workers to end, and wait for them; terminate those that do not."""
    for connection in connections:
        connection.close()
    for process in processes:
        process.join(SECONDS_TO_END)
        if process.is_alive():
            process.terminate()
            process.join(SECONDS_TO_END)


def exit_code(process: BaseProcess) -> int | None:
    """Return how a worker ended that no longer answers."""
    process.join(SECONDS_TO_END)
    return process.exitcode
