"""Exact copies for search: each is a forked process, which includes the engine's memory."""

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

# The request that makes a copy fork itself; all other requests are calls.
_FORK = b"fork"
# How long `close` waits for the copy's process to end, and how often it checks. A process in a long call ends later.
_CLOSE_TIMEOUT_SECONDS, _POLL_SECONDS = 0.2, 0.001


class Fork:
    """An exact copy of a world, or of an environment, in a separate process.

    The copy continues byte for byte as the original would: everything the engine keeps is copied, contacts
    included. The cost does not depend on the length of the episode, but on the memory of this process.
    A copy lives until `close`, until the last reference to it is gone, or until this process ends.

    Args:
        subject: a `World`, or an environment of `puzzlebox.make` or `gym.make`. Vectors cannot be
            forked: their worker processes would not be copied.

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
                # A copy ends when the last end of its pipe is closed, so this process must not hold one.
                for fork in list(_forks):
                    fork._connection.close()
                _serve(subject, theirs)
            finally:
                os._exit(0)
        theirs.close()
        self._connect(ours, process)
        _children.add(process)

    def _connect(self, connection: Connection, process: int) -> None:
        self._connection, self._process = connection, process
        self._finalize = finalize(self, connection.close)
        self._finalize.atexit = False
        _forks.add(self)

    def call(self, function: str | Callable[..., Any], *arguments: Any) -> Any:
        """Call a method of the copy by its name, or a function with the copy as its first argument.

        Function, arguments and result are pickled, so the function must be defined at the top of a module. One call
        that plays many steps costs far less than a call for each. An exception in the copy is raised here.
        """
        answer = self._request((function, arguments))
        if isinstance(answer, _Raised):
            raise answer.error
        return answer

    def step(self, *arguments: Any) -> Any:
        """Step the copy: short for `call("step", ...)`."""
        return self.call("step", *arguments)

    def fork(self) -> "Fork":
        """Copy the copy in its current state."""
        self._check_open()
        ours, theirs = Pipe()
        self._connection.send_bytes(_FORK)
        send_handle(self._connection, theirs.fileno(), self._process)
        theirs.close()
        twin = object.__new__(Fork)
        twin._connect(ours, self._receive())
        return twin

    def close(self) -> None:
        """End the copy and wait up to 0.2 s for its process to end. Further calls do nothing."""
        self._finalize()
        _forks.discard(self)
        _reap()
        deadline = time.monotonic() + _CLOSE_TIMEOUT_SECONDS
        while self._process in _children and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
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

    def _request(self, request: Any) -> Any:
        self._check_open()
        message = pickle.dumps(request)  # before sending, so that an unpicklable request leaves the connection clean
        self._connection.send_bytes(message)
        return self._receive()

    def _receive(self) -> Any:
        try:
            return self._connection.recv()
        except (EOFError, ConnectionError):
            self.close()
            raise RuntimeError("the process of the fork has ended; make a new one") from None
        except BaseException:  # a late answer would be taken for that of the next request
            self.close()
            raise


class _Raised:
    """The exception that a call in a copy raised."""

    def __init__(self, error: Exception) -> None:
        self.error = error


# The copies this process is connected to, and the ids of its child processes, which it has to reap.
_forks: WeakSet[Fork] = WeakSet()
_children: set[int] = set()


def _reap() -> None:
    """Reap child processes that have ended."""
    for child in list(_children):
        try:
            ended, _ = os.waitpid(child, os.WNOHANG)
        except ChildProcessError:
            ended = child
        if ended:
            _children.discard(child)


def _fork() -> int:
    with warnings.catch_warnings():
        # Python warns if there are threads. The copy has none of them and needs none: it runs `_serve` alone.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _serve(subject: Any, connection: Connection) -> None:
    """Answer calls until the other end is closed."""
    gc.freeze()  # finalizers of the original's files and shared memory must not run here
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # copies of the copy need no reaping
    while True:
        try:
            request = connection.recv_bytes()
            if request != _FORK:
                connection.send_bytes(_answer(subject, request))
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


def _answer(subject: Any, request: bytes) -> bytes:
    """Return the pickled result of a call, or the exception it raised."""
    try:
        function, arguments = pickle.loads(request)
        if isinstance(function, str):
            return pickle.dumps(getattr(subject, function)(*arguments))
        return pickle.dumps(function(subject, *arguments))
    except Exception as error:
        return pickle.dumps(_Raised(_sendable(error)))


def _sendable(error: Exception) -> Exception:
    """Return the error, or one with the same text if it cannot be pickled."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
