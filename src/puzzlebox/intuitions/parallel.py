"""The same work on many items in several processes; the results do not depend on their number."""

from collections.abc import Callable, Iterator, Sequence
from multiprocessing import connection
from typing import Any, TypeVar

from puzzlebox.processes import exit_code, start_worker, stop_workers, without_main

Item = TypeVar("Item")
Result = TypeVar("Result")
# Items sent to a worker in advance, so that it never waits for the next one.
_AHEAD = 2


def in_parallel(work: Callable[[Item], Result], items: Sequence[Item], workers: int) -> Iterator[tuple[Item, Result]]:
    """Yield each item with its result, in the order in which they finish.

    Args:
        work: a function that can be sent to other processes.
        items: what it is called with.
        workers: the number of processes; with 1, this process does the work.

    Raises:
        Exception: the first exception that `work` raised.
    """
    if workers <= 1 or len(items) <= 1:
        for item in items:
            yield item, work(item)
        return
    links: list[Any] = []
    processes: list[Any] = []
    try:
        with without_main():
            for _ in range(min(workers, len(items))):
                link, process = start_worker(_serve, work)
                links.append(link)
                processes.append(process)
        waiting = iter(items)
        pending: dict[Any, list[Item]] = {link: [] for link in links}
        for _ in range(_AHEAD):
            for link in links:
                _send(link, waiting, pending)
        while any(pending.values()):
            ready: list[Any] = connection.wait([link for link in links if pending[link]])
            for link in ready:
                try:
                    result, problem = link.recv()
                except (EOFError, ConnectionError):
                    code = exit_code(processes[links.index(link)])
                    raise RuntimeError(f"a worker process ended unexpectedly, with exit code {code}") from None
                if problem is not None:
                    raise problem
                item = pending[link].pop(0)
                _send(link, waiting, pending)
                yield item, result
    finally:
        stop_workers(links, processes)


def _send(link: Any, waiting: Iterator[Any], pending: dict[Any, list[Any]]) -> None:
    for item in waiting:
        pending[link].append(item)
        try:
            link.send(item)
        except ConnectionError:
            pass  # the worker has died; reading its answer raises
        return


def _serve(link: connection.Connection, work: Callable[[Any], Any]) -> None:
    """Do the work on each item that arrives, until the connection is closed."""
    while True:
        try:
            item = link.recv()
            answer: tuple[Any, Exception | None]
            try:
                answer = (work(item), None)
            except Exception as problem:
                answer = (None, problem)
            link.send(answer)
        except (EOFError, ConnectionError):
            return
