"""Groups of environments in this process and in others, since the engine's step holds the GIL."""

import pickle
import select
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any
from weakref import finalize

from puzzlebox.arena.envs.delayed_interrupt import DelayedInterrupt
from puzzlebox.arena.envs.group import Group, Job, Updates
from puzzlebox.processes import CONTEXT, cores, exit_code, start_worker, stop_workers, without_main

# The messages of most steps, sent without pickling: the request to step, and the reply that there are no updates.
_STEP, _NO_UPDATES = b"step", b"done"
# How long to poll for a message before sleeping: waking up takes as long as some steps. Only if each process has a
# core of its own.
_POLL_SECONDS = 2e-4
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


def _work(connection: Connection, memory: Any, job: Job, poll_first: bool) -> None:
    """Create a group and answer its requests until the connection is closed."""
    group: Group | None = None
    wait = _Receiver(connection, poll_first)
    while True:
        try:
            if group is None:
                group = Group(job, memory)
                reply: Any = None
            else:
                wait()
                message = connection.recv_bytes()
                name, args = ("step", ()) if message == _STEP else pickle.loads(message)
                reply = getattr(group, name)(*args)
            if isinstance(reply, Updates) and not reply:
                connection.send_bytes(_NO_UPDATES)
            else:
                connection.send((None, reply))
        except (EOFError, ConnectionError):
            return
        except Exception as problem:
            with suppress(ConnectionError):  # the connection is closed
                connection.send(((type(problem).__name__, str(problem)), None))
            if group is None:
                return


class Workers:
    """Groups that step at the same time: the first in this process, each of the others in a separate process.

    Attributes:
        memory: the block of memory of the board.
        closed: whether the workers have stopped.
    """

    def __init__(self, job: Job, count: int, size: int) -> None:
        self.closed = False
        poll_first = count <= cores()
        self.memory: Any = CONTEXT.RawArray("b", size) if count > 1 else bytearray(size)
        self._connections: list[Connection] = []
        self._receivers: list[_Receiver] = []
        self._processes: list[BaseProcess] = []
        # The garbage collector may finalize a connection within a cycle, which closes its handle without marking it as
        # closed; closing it again would close another file. The finalizer holds the connections outside of the cycle.
        self._finalizer = finalize(self, _stop_all, self._connections, self._processes)
        self._finalizer.atexit = False
        # Whether a reply is still to come: an interrupt may occur between request and reply.
        self._pending: list[bool] = []
        self._bounds = [len(job.shares) * number // count for number in range(count + 1)]
        first, *others = [
            replace(job, shares=job.shares[low:high], first=low)
            for low, high in zip(self._bounds, self._bounds[1:], strict=False)
        ]
        try:
            with without_main():
                for part in others:
                    ours, process = start_worker(_work, self.memory, part, poll_first)
                    self._connections.append(ours)
                    self._receivers.append(_Receiver(ours, poll_first))
                    self._processes.append(process)
                    self._pending.append(True)
            self._own = Group(first, self.memory)
            for error, _ in self._replies():
                if error:
                    raise _rebuild_error(*error)
        except BaseException:
            self.close()
            raise

    def __len__(self) -> int:
        """Return the number of processes that run the environments, this one included."""
        return len(self._bounds) - 1

    def check(self, requests: Sequence[Any]) -> None:
        """Raise an error if a reset is not possible; no environment has been reset then."""
        self._request("check", [(part,) for part in self._parts(requests)])

    def reset(self, requests: Sequence[Any]) -> list[Updates]:
        """Start an episode in each environment that has a request."""
        return self._request("reset", [(part,) for part in self._parts(requests)])

    def restore(self, snapshots: Sequence[Any]) -> list[Updates]:
        """Return to the states of snapshots, in each environment that has one."""
        return self._request("restore", [(part,) for part in self._parts(snapshots)])

    def set_attribute(self, selected: Sequence[bool], name: str, values: Sequence[Any]) -> None:
        """Set an attribute of each selected environment."""
        parts = zip(self._parts(selected), self._parts(values), strict=True)
        self._request("set_attribute", [(own, name, part) for own, part in parts])

    def _parts(self, values: Sequence[Any]) -> list[Sequence[Any]]:
        """Return the values of each group's environments."""
        return [values[low:high] for low, high in zip(self._bounds, self._bounds[1:], strict=False)]

    @property
    def own(self) -> int:
        """Return how many environments run in this process; they are the first."""
        return self._bounds[1]

    def step(self, meanwhile: Callable[[], None]) -> list[Updates]:
        """Step each environment by its action on the board; `meanwhile` runs after this process's own group."""
        return self._request("step", [()] * len(self), meanwhile)

    def query(self, what: str, selected: Sequence[bool], *args: Any) -> list[Any]:
        """Return `get_attribute` or `call` of each selected environment."""
        arguments = [(own, *args) for own in self._parts(selected)]
        return [each for part in self._request(what, arguments) for each in part]

    def _request(
        self, name: str, arguments: Sequence[tuple[Any, ...]], meanwhile: Callable[[], None] = lambda: None
    ) -> list[Any]:
        """Return the result of each group; an error is raised only after all groups have replied."""
        if any(self._pending):
            self._replies()
        own, *others = arguments
        messages = [_STEP if name == "step" else pickle.dumps((name, args)) for args in others]
        for number, message in enumerate(messages):
            with self._exchange(number) as connection:
                connection.send_bytes(message)
                self._pending[number] = True
        error, result = None, None
        try:
            result = getattr(self._own, name)(*own)
            meanwhile()
        except Exception as own_error:
            error = own_error
        replies = self._replies()
        errors = [error, *(_rebuild_error(*details) if details else None for details, _ in replies)]
        for error in errors:
            if error is not None:
                raise error
        return [result, *(reply for _, reply in replies)]

    def _replies(self) -> list[Any]:
        """Return one reply of each worker that has one pending."""
        replies = []
        for number, pending in enumerate(self._pending):
            if not pending:
                continue
            self._receivers[number]()
            with self._exchange(number) as connection:
                message = connection.recv_bytes()
                self._pending[number] = False  # even if unpickling fails
            replies.append((None, Updates()) if message == _NO_UPDATES else pickle.loads(message))
        return replies

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
        low, high = self._bounds[number + 1], self._bounds[number + 2] - 1
        self.close()
        return RuntimeError(
            f"the worker of environments {low} to {high} ended unexpectedly (exit code {code}); the vector is closed"
        )

    def close(self) -> None:
        """Stop all workers."""
        self.closed = True
        _stop_all(self._connections, self._processes)
        self._pending = []


def _stop_all(connections: list[Connection], processes: list[BaseProcess]) -> None:
    """Stop all workers and clear both lists."""
    stop_workers(connections, processes)
    connections.clear()
    processes.clear()


def _rebuild_error(kind: str, text: str) -> Exception:
    """Return the error of a worker as an exception of its own class, or else a RuntimeError."""
    return _ERRORS[kind](text) if kind in _ERRORS else RuntimeError(f"an environment failed: {kind}: {text}")
