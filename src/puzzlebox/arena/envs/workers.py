"""Groups of environments in this process and in others, since the engine's step lets only one thread do anything."""

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

from puzzlebox.arena.envs.group import Group, Job, News
from puzzlebox.arena.envs.undisturbed import Undisturbed
from puzzlebox.processes import CONTEXT, cores, exit_code, start_worker, stop_workers, without_main

# What is said at nearly every step, without pickling: act as the board says; it is done, and there is no news.
_STEP, _NO_NEWS = b"step", b"done"
# So long one looks for the other's answer before one sleeps until it comes: to be woken takes as long as some steps.
# Only where each process has a core for itself.
_WATCH = 2e-4
# What a user can have got wrong is passed on as it is.
_KNOWN = {kind.__name__: kind for kind in (ValueError, TypeError, FileNotFoundError, AttributeError)}


class _Watch:
    """Waits until something can be read: awake for a moment where that is asked for, then asleep."""

    def __init__(self, connection: Connection, awake: bool) -> None:
        self._connection = connection
        self._moment = _WATCH if awake else 0.0
        self._poll = None
        if hasattr(select, "poll"):
            watch = select.poll()
            watch.register(connection.fileno(), select.POLLIN)
            self._poll = watch.poll

    def __call__(self) -> None:
        """It can be interrupted here, and nothing is lost."""
        if self._poll is None:
            self._connection.poll(None)
            return
        end = time.perf_counter() + self._moment
        while time.perf_counter() < end:
            if self._poll(0):
                return
        self._poll()


def _work(connection: Connection, memory: Any, job: Job, awake: bool) -> None:
    """Do what is asked until nobody asks any more."""
    group: Group | None = None
    wait = _Watch(connection, awake)
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
            if isinstance(reply, News) and not reply:
                connection.send_bytes(_NO_NEWS)
            else:
                connection.send((None, reply))
        except (EOFError, ConnectionError):
            return
        except Exception as problem:
            with suppress(ConnectionError):  # nobody asks any more
                connection.send(((type(problem).__name__, str(problem)), None))
            if group is None:
                return


class Workers:
    """Groups that act at the same time: the first in this process, which would only wait, the others in theirs.

    Attributes:
        memory: where the board of all environments lies.
        closed: they are gone, and nothing can be asked any more.
    """

    def __init__(self, job: Job, count: int, size: int) -> None:
        self.closed = False
        awake = count <= cores()
        self.memory: Any = CONTEXT.RawArray("b", size) if count > 1 else bytearray(size)
        self._connections: list[Connection] = []
        self._waits: list[_Watch] = []
        self._processes: list[BaseProcess] = []
        # In a cycle the collector may finalise a connection, which closes its handle and forgets to note it, before
        # whoever closes it again; this holds the connections outside, so that they are closed first, and once.
        self._left_open = finalize(self, _shut, self._connections, self._processes)
        self._left_open.atexit = False
        # Whether an answer is still to come: somebody may interrupt this process between question and answer.
        self._owing: list[bool] = []
        self._bounds = [len(job.shares) * number // count for number in range(count + 1)]
        first, *others = [
            replace(job, shares=job.shares[low:high], first=low)
            for low, high in zip(self._bounds, self._bounds[1:], strict=False)
        ]
        try:
            with without_main():
                for part in others:
                    ours, process = start_worker(_work, self.memory, part, awake)
                    self._connections.append(ours)
                    self._waits.append(_Watch(ours, awake))
                    self._processes.append(process)
                    self._owing.append(True)
            self._own = Group(first, self.memory)
            for complaint, _ in self._replies():
                if complaint:
                    raise _problem(*complaint)
        except BaseException:
            self.close()
            raise

    def __len__(self) -> int:
        """How many processes run the environments, this one included."""
        return len(self._bounds) - 1

    def check(self, wishes: Sequence[Any]) -> None:
        """Complain where a reset cannot be done; none has begun then."""
        self._ask("check", [(part,) for part in self._parts(wishes)])

    def reset(self, wishes: Sequence[Any]) -> list[News]:
        """Begin an episode in each environment that has a wish."""
        return self._ask("reset", [(part,) for part in self._parts(wishes)])

    def restore(self, snapshots: Sequence[Any]) -> list[News]:
        """Be where snapshots were taken, in each environment that has one."""
        return self._ask("restore", [(part,) for part in self._parts(snapshots)])

    def put(self, wanted: Sequence[bool], name: str, values: Sequence[Any]) -> None:
        """Set an attribute of each environment that is wanted."""
        parts = zip(self._parts(wanted), self._parts(values), strict=True)
        self._ask("put", [(own, name, part) for own, part in parts])

    def _parts(self, values: Sequence[Any]) -> list[Sequence[Any]]:
        """What concerns the environments of each group."""
        return [values[low:high] for low, high in zip(self._bounds, self._bounds[1:], strict=False)]

    @property
    def own(self) -> int:
        """How many of the first environments are in this process."""
        return self._bounds[1]

    def step(self, meanwhile: Callable[[], None]) -> list[News]:
        """Let each act as the board says; `meanwhile` is done as soon as the own ones have, where others still may."""
        return self._ask("step", [()] * len(self), meanwhile)

    def query(self, what: str, wanted: Sequence[bool], *args: Any) -> list[Any]:
        """What `get` or `call` of a group says of each environment that is wanted."""
        asked = [(own, *args) for own in self._parts(wanted)]
        return [each for part in self._ask(what, asked) for each in part]

    def _ask(
        self, name: str, arguments: Sequence[tuple[Any, ...]], meanwhile: Callable[[], None] = lambda: None
    ) -> list[Any]:
        """What each group answers; complaints come only after all have spoken, so that none is in the middle of it."""
        if any(self._owing):
            self._replies()
        own, *others = arguments
        questions = [_STEP if name == "step" else pickle.dumps((name, args)) for args in others]
        for number, question in enumerate(questions):
            with self._exchanging(number) as connection:
                connection.send_bytes(question)
                self._owing[number] = True
        problem, answer = None, None
        try:
            answer = getattr(self._own, name)(*own)
            meanwhile()
        except Exception as own_problem:
            problem = own_problem
        answers = self._replies()
        problems = [problem, *(_problem(*complaint) if complaint else None for complaint, _ in answers)]
        for problem in problems:
            if problem is not None:
                raise problem
        return [answer, *(reply for _, reply in answers)]

    def _replies(self) -> list[Any]:
        """One answer of each of the others that owes one."""
        replies = []
        for number, owing in enumerate(self._owing):
            if not owing:
                continue
            self._waits[number]()
            with self._exchanging(number) as connection:
                message = connection.recv_bytes()
                self._owing[number] = False  # whatever becomes of the answer
            replies.append((None, News()) if message == _NO_NEWS else pickle.loads(message))
        return replies

    @contextmanager
    def _exchanging(self, number: int) -> Iterator[Connection]:
        """Send or receive one message, whole: half of one would make nonsense of all that follow."""
        with Undisturbed():
            try:
                yield self._connections[number]
            except (EOFError, OSError):
                raise self._lost(number) from None
            except BaseException:  # a signal of another kind
                self.close()
                raise

    def _lost(self, number: int) -> RuntimeError:
        """A worker is gone; without it the vector is of no use."""
        code = exit_code(self._processes[number])
        low, high = self._bounds[number + 1], self._bounds[number + 2] - 1
        self.close()
        return RuntimeError(
            f"the worker of environments {low} to {high} ended unexpectedly (exit code {code}); the vector is closed"
        )

    def close(self) -> None:
        """Stop all workers."""
        self.closed = True
        _shut(self._connections, self._processes)
        self._owing = []


def _shut(connections: list[Connection], processes: list[BaseProcess]) -> None:
    """Stop all workers and forget them."""
    stop_workers(connections, processes)
    connections.clear()
    processes.clear()


def _problem(kind: str, text: str) -> Exception:
    """What a worker complained of."""
    return _KNOWN[kind](text) if kind in _KNOWN else RuntimeError(f"an environment failed: {kind}: {text}")
