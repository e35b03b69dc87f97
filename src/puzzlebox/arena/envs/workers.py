"""Environments in this process and in others, since the engine's step holds the GIL."""

import gc
import pickle
import select
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import pairwise
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any
from weakref import finalize

from puzzlebox.arena.envs.group import Group, Job, Updates
from puzzlebox.arena.envs.sources import NamedTask
from puzzlebox.delayed_interrupt import DelayedInterrupt
from puzzlebox.processes import CONTEXT, cores, exit_code, start_worker, stop_workers, without_main

# The messages of most steps, sent without pickling: the request to step a group, and the reply that there are no
# updates. No pickle has the length of the request.
_STEPS, _NO_UPDATES = [bytes([group]) for group in range(256)], b"done"
# How long to poll for a message before sleeping: waking up takes as long as some steps. Only if each process has a
# core of its own.
_POLL_SECONDS = 2e-4
# How many new containers of a worker start a garbage collection. Environments leave no cycles behind, so that there is
# hardly ever anything to collect, and all other processes wait for the tenth of a second that it takes.
_COLLECT_AFTER = 200_000
# Errors of these classes, which a user's mistake can cause, are raised again with their class.
_ERRORS = {kind.__name__: kind for kind in (ValueError, TypeError, FileNotFoundError, AttributeError)}


class _Receiver:
    """Waits until a message can be read: polls for a short time if `poll_first`, then sleeps."""

    def __init__(self, connection: Connection, poll_first: bool) -> None:
        self._connection = connection
        self._poll_seconds = _POLL_SECONDS if poll_first else 0.0
        self._poll = None
        if hasattr(select, "poll"):
            poll = select.poll()
            poll.register(connection.fileno(), select.POLLIN)
            self._poll = poll.poll

    def __call__(self) -> None:
        """Wait for a message; an interrupt here loses nothing."""
        if self._poll is None:
            self._connection.poll(None)
            return
        end = time.perf_counter() + self._poll_seconds
        while time.perf_counter() < end:
            if self._poll(0):
                return
        self._poll()


def _work(connection: Connection, memory: Any, jobs: Sequence[Job], poll_first: bool) -> None:
    """Create this process's part of each group, and answer requests until the connection is closed."""
    groups: list[Group] = []
    wait = _Receiver(connection, poll_first)
    while True:
        try:
            if not groups:
                groups = [Group(job, memory) for job in jobs]
                gc.freeze()
                gc.set_threshold(_COLLECT_AFTER)
                reply: Any = None
            else:
                wait()
                message = connection.recv_bytes()
                number, name, args = (message[0], "step", ()) if len(message) == 1 else pickle.loads(message)
                reply = getattr(groups[number], name)(*args)
            if isinstance(reply, Updates) and not reply:
                connection.send_bytes(_NO_UPDATES)
            else:
                connection.send((None, reply))
        except (EOFError, ConnectionError):
            return
        except Exception as problem:
            with suppress(ConnectionError):  # the connection is closed
                connection.send(((type(problem).__name__, str(problem)), None))
            if not groups:
                return


class Workers:
    """Processes that step environments at the same time, each its part of every group.

    With one group, this process is one of them and has the first part. With several, all parts are in other processes,
    which step one group while this process deals with another.

    Attributes:
        memory: the block of memory of the board.
        closed: whether the workers have stopped.
    """

    def __init__(self, job: Job, count: int, size: int, groups: int = 1) -> None:
        self.closed = False
        poll_first = count + (groups > 1) <= cores()
        self.memory: Any = CONTEXT.RawArray("b", size) if count > 1 or groups > 1 else bytearray(size)
        self._connections: list[Connection] = []
        self._receivers: list[_Receiver] = []
        self._processes: list[BaseProcess] = []
        # The garbage collector may finalize a connection within a cycle, which closes its handle without marking it as
        # closed; closing it again would close another file. The finalizer holds the connections outside of the cycle.
        self._finalizer = finalize(self, _stop_all, self._connections, self._processes)
        self._finalizer.atexit = False
        # The groups whose replies are still to come from each process, in order: an interrupt may occur between request
        # and reply; and replies that were read while waiting for that of another group.
        self._pending: list[deque[int]] = []
        self._stored: list[dict[int, Any]] = []
        edges = [len(job.shares) * group // groups for group in range(groups + 1)]
        # The first row of each part of each group.
        self._bounds = [
            [low + (high - low) * number // count for number in range(count + 1)] for low, high in pairwise(edges)
        ]
        jobs = [
            [replace(job, shares=job.shares[low:high], first=low) for low, high in pairwise(bounds)]
            for bounds in self._bounds
        ]
        self._own: Group | None = None
        try:
            with without_main():
                for number in range(groups == 1, count):
                    parts = [group[number] for group in jobs]
                    ours, process = start_worker(_work, self.memory, parts, poll_first)
                    self._connections.append(ours)
                    self._receivers.append(_Receiver(ours, poll_first))
                    self._processes.append(process)
                    self._pending.append(deque([0]))
                    self._stored.append({})
            if groups == 1:
                self._own = Group(jobs[0][0], self.memory)
            for error, _ in self._replies(0):
                if error:
                    raise _rebuild_error(*error)
        except BaseException:
            self.close()
            raise

    def __len__(self) -> int:
        """Return the number of processes that run environments."""
        return len(self._bounds[0]) - 1

    @property
    def own(self) -> int:
        """Return how many environments run in this process; they are the first."""
        return self._bounds[0][1] if self._own is not None else 0

    def rows(self, group: int) -> slice:
        """Return the rows of a group."""
        return slice(self._bounds[group][0], self._bounds[group][-1])

    def check(self, requests: Sequence[Any]) -> None:
        """Raise an error if a reset is not possible; no environment has been reset then."""
        self._request_all("check", requests)

    def reset(self, requests: Sequence[Any]) -> list[Updates]:
        """Start an episode in each environment that has a request."""
        return self._request_all("reset", requests)

    def restore(self, snapshots: Sequence[Any]) -> list[Updates]:
        """Return to the states of snapshots, in each environment that has one."""
        return self._request_all("restore", snapshots)

    def set_weights(self, tasks: tuple[NamedTask, ...] | None, weights: Sequence[float] | None) -> None:
        """Set the pool from which all environments draw the tasks of their next episodes (`Group.set_weights`)."""
        for group in range(len(self._bounds)):
            self._request(group, "set_weights", [(tasks, weights)] * len(self))

    def set_attribute(self, selected: Sequence[bool], name: str, values: Sequence[Any]) -> None:
        """Set an attribute of each selected environment."""
        for group in range(len(self._bounds)):
            parts = zip(self._parts(group, selected), self._parts(group, values), strict=True)
            self._request(group, "set_attribute", [(own, name, part) for own, part in parts])

    def query(self, what: str, selected: Sequence[bool], *args: Any) -> list[Any]:
        """Return `get_attribute` or `call` of each selected environment."""
        return [each for part in self._request_all(what, selected, *args) for each in part]

    def send(self, group: int) -> None:
        """Ask for a step of each environment of a group, by its action on the board."""
        for number in range(len(self._connections)):
            self._send(number, group, _STEPS[group])

    def receive(self, group: int, meanwhile: Callable[[], None] = lambda: None) -> list[Updates]:
        """Return the updates of a group that was sent; `meanwhile` runs after this process's own part."""
        return self._results(group, "step", (), meanwhile)

    def forget(self) -> None:
        """Read all replies that are still to come, and forget them."""
        for number, pending in enumerate(self._pending):
            while pending:
                self._read(number)
            self._stored[number].clear()

    def _parts(self, group: int, values: Sequence[Any]) -> list[Sequence[Any]]:
        """Return the values of each part of a group, out of those of all environments."""
        return [values[low:high] for low, high in pairwise(self._bounds[group])]

    def _request_all(self, name: str, values: Sequence[Any], *args: Any) -> list[Any]:
        """Return the results of all parts of all groups; each part receives the values of its environments."""
        results = []
        for group in range(len(self._bounds)):  # one after the other: two large messages could block each other
            results += self._request(group, name, [(part, *args) for part in self._parts(group, values)])
        return results

    def _request(self, group: int, name: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Return the result of each part of a group."""
        self.forget()
        own = () if self._own is None else arguments[0]
        for number, args in enumerate(arguments if self._own is None else arguments[1:]):
            self._send(number, group, pickle.dumps((group, name, args)))
        return self._results(group, name, own)

    def _results(
        self, group: int, name: str, own_args: tuple[Any, ...], meanwhile: Callable[[], None] = lambda: None
    ) -> list[Any]:
        """Return the result of each part of a group; an error is raised only after all have replied."""
        errors: list[Exception | None] = []
        results = []
        if self._own is not None:
            try:
                results.append(getattr(self._own, name)(*own_args))
                meanwhile()
            except Exception as error:
                errors.append(error)
        for details, reply in self._replies(group):
            errors.append(_rebuild_error(*details) if details else None)
            results.append(reply)
        for each in errors:
            if each is not None:
                raise each
        return results

    def _replies(self, group: int) -> list[Any]:
        """Return the reply of each process to the request of a group."""
        replies = []
        for number, stored in enumerate(self._stored):
            while group not in stored:
                self._read(number)
            replies.append(stored.pop(group))
        return replies

    def _send(self, number: int, group: int, message: bytes) -> None:
        """Send a request of a group to a process."""
        with self._exchange(number) as connection:
            connection.send_bytes(message)
            self._pending[number].append(group)

    def _read(self, number: int) -> None:
        """Read the next reply of a process."""
        self._receivers[number]()
        with self._exchange(number) as connection:
            message = connection.recv_bytes()
            group = self._pending[number].popleft()  # even if unpickling fails
        self._stored[number][group] = (None, Updates()) if message == _NO_UPDATES else pickle.loads(message)

    @contextmanager
    def _exchange(self, number: int) -> Iterator[Connection]:
        """Send or receive one whole message: a partly sent one would leave the connection unusable."""
        with DelayedInterrupt():
            try:
                yield self._connections[number]
            except (EOFError, OSError):
                raise self._close_after_loss(number) from None
            except BaseException:  # another signal
                self.close()
                raise

    def _close_after_loss(self, number: int) -> RuntimeError:
        """Close the vector after the loss of a worker, and return the error to raise."""
        code = exit_code(self._processes[number])
        part = number if self._own is None else number + 1
        rows = " and ".join(f"{bounds[part]} to {bounds[part + 1] - 1}" for bounds in self._bounds)
        self.close()
        return RuntimeError(
            f"the worker of environments {rows} ended unexpectedly (exit code {code}); the vector is closed"
        )

    def close(self) -> None:
        """Stop all workers."""
        self.closed = True
        _stop_all(self._connections, self._processes)
        self._pending, self._stored = [], []


def _stop_all(connections: list[Connection], processes: list[BaseProcess]) -> None:
    """Stop all workers and clear both lists."""
    stop_workers(connections, processes)
    connections.clear()
    processes.clear()


def _rebuild_error(kind: str, text: str) -> Exception:
    """Return the error of a worker as an exception of its own class, or else a RuntimeError."""
    return _ERRORS[kind](text) if kind in _ERRORS else RuntimeError(f"an environment failed: {kind}: {text}")
