"""Exact copies for search: a second process that is a copy of this one, the engine's memory included."""

import gc
import os
import pickle
import signal
import time
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection, Pipe
from multiprocessing.reduction import recv_handle, send_handle
from typing import Any
from weakref import WeakSet, finalize

from puzzlebox.arena.world.world import World

# The message that asks a copy to copy itself; all others are calls.
_FORK = b"fork"
# Seconds `close` waits for the copy's process to end, and between two looks at it. One in a long call ends later.
_PATIENCE, _PAUSE = 0.2, 0.001


class Fork:
    """An exact copy of a world, or of an environment, in a process of its own.

    The copy continues byte for byte as the original would: everything the engine remembers is copied, contacts
    included. What it costs does not depend on how long the episode has lasted, but on the memory this process uses.
    A copy lives until `close`, until nobody refers to it, or until this process ends.

    Args:
        subject: a `World`, or an environment of `puzzlebox.make` or `gym.make`. Vectors have processes of their own,
            which no copy has.

    Raises:
        TypeError: the subject is something else.
        RuntimeError: this system cannot copy a running process (Windows).
    """

    def __init__(self, subject: Any) -> None:
        if not hasattr(os, "fork"):
            raise RuntimeError(
                "this system cannot copy a running process; use snapshot and restore, which give the same bytes"
            )
        if not isinstance(subject, World) and not hasattr(type(getattr(subject, "unwrapped", subject)), "world"):
            raise TypeError(
                "only a World or an environment of puzzlebox.make or gym.make can be forked, "
                f"not {type(subject).__name__}"
            )
        _reap()
        ours, theirs = Pipe()
        process = _fork()
        if not process:
            try:
                ours.close()
                for fork in list(_forks):  # otherwise they would not notice the end of the process that made them
                    fork._connection.close()
                _serve(subject, theirs)
            finally:
                os._exit(0)
        theirs.close()
        self._attend(ours, process)
        _children.add(process)

    def _attend(self, connection: Connection, process: int) -> None:
        self._connection, self._process = connection, process
        self._finalize = finalize(self, connection.close)
        self._finalize.atexit = False
        _forks.add(self)

    def call(self, function: str | Callable[..., Any], *arguments: Any) -> Any:
        """Call a method of the copy by its name, or a function with the copy as its first argument.

        Function, arguments and answer are pickled, so the function must be one a module defines. One call that plays
        many steps costs far less than a call for each. What the function raises is raised here.
        """
        answer = self._ask((function, arguments))
        if isinstance(answer, _Raised):
            raise answer.error
        return answer

    def step(self, *arguments: Any) -> Any:
        """Step the copy: short for `call("step", ...)`."""
        return self.call("step", *arguments)

    def fork(self) -> "Fork":
        """Copy the copy, where it is now."""
        self._check_open()
        ours, theirs = Pipe()
        self._connection.send_bytes(_FORK)
        send_handle(self._connection, theirs.fileno(), self._process)
        theirs.close()
        twin = object.__new__(Fork)
        twin._attend(ours, self._receive())
        return twin

    def close(self) -> None:
        """End the copy, and wait up to 0.2 s for its process to end. A second call does nothing."""
        self._finalize()
        _forks.discard(self)
        _reap()
        latest = time.monotonic() + _PATIENCE
        while self._process in _children and time.monotonic() < latest:
            time.sleep(_PAUSE)
            _reap()

    def __enter__(self) -> "Fork":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError("a Fork is a process and can be neither copied nor pickled; its method fork() copies it")

    def _check_open(self) -> None:
        if self._connection.closed:
            raise RuntimeError("the fork is closed; make a new one")

    def _ask(self, question: Any) -> Any:
        self._check_open()
        message = pickle.dumps(question)  # before anything is sent: what cannot be pickled disturbs nothing
        self._connection.send_bytes(message)
        return self._receive()

    def _receive(self) -> Any:
        try:
            return self._connection.recv()
        except (EOFError, ConnectionError):
            self.close()
            raise RuntimeError("the process of the fork has ended; make a new one") from None
        except BaseException:  # an answer may still come, which would be taken for that of the next question
            self.close()
            raise


class _Raised:
    """What a call in a copy raised."""

    def __init__(self, error: Exception) -> None:
        self.error = error


# The copies this process can ask, and its own children, which it has to reap.
_forks: WeakSet[Fork] = WeakSet()
_children: set[int] = set()


def _reap() -> None:
    """Let go of children that have ended."""
    for child in list(_children):
        try:
            ended, _ = os.waitpid(child, os.WNOHANG)
        except ChildProcessError:
            ended = child
        if ended:
            _children.discard(child)


def _fork() -> int:
    with warnings.catch_warnings():
        # Python warns where there are threads. The copy has none of them and needs none: it runs `_serve` alone.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _serve(subject: Any, connection: Connection) -> None:
    """Answer calls until the other end is closed."""
    gc.freeze()  # what the original would tidy up (files, shared memory) is not the copy's to tidy up
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # copies of the copy need no reaping
    while True:
        try:
            question = connection.recv_bytes()
            if question != _FORK:
                connection.send_bytes(_answer(subject, question))
                continue
            handle = recv_handle(connection)
            process = _fork()
            if process:
                os.close(handle)
                connection.send(process)
            else:
                connection.close()
                connection = Connection(handle)
        except (EOFError, ConnectionError):
            return


def _answer(subject: Any, question: bytes) -> bytes:
    """What a call returns or raises, pickled."""
    try:
        function, arguments = pickle.loads(question)
        if isinstance(function, str):
            return pickle.dumps(getattr(subject, function)(*arguments))
        return pickle.dumps(function(subject, *arguments))
    except Exception as error:
        return pickle.dumps(_Raised(_sendable(error)))


def _sendable(error: Exception) -> Exception:
    """The error, or one that says the same where it cannot be pickled."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
