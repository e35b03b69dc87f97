"""The infant server: it accepts connections, checks their token, and gives each a process with its environments.

A thread for each connection reads the greeting and then waits for the process. Before the right token has come, nothing
is started and at most 1 KiB is read; afterwards the process reads all further bytes itself.
"""

import socket
from contextlib import suppress
from hmac import compare_digest
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from secrets import token_urlsafe
from threading import Lock, Thread, current_thread

from puzzlebox.infant.remote.limits import BACKLOG, LARGEST_GREETING, STRANGERS, Limits
from puzzlebox.infant.remote.protocol import Kind, RefusedError, receive, refuse
from puzzlebox.infant.remote.session import work
from puzzlebox.processes import STOP_TIMEOUT_SECONDS, start_worker, without_main

HOST, PORT = "127.0.0.1", 8818
_SHORTEST_TOKEN, _LONGEST_TOKEN = 8, 256


def new_token() -> str:
    """Return a random token."""
    return token_urlsafe(24)


def check_token(token: str) -> str:
    """Return a token; raise a ValueError if it is too short or too long, or has other than visible ASCII characters."""
    if not _SHORTEST_TOKEN <= len(token) <= _LONGEST_TOKEN or not all("!" <= each <= "~" for each in token):
        raise ValueError(
            f"the token has {len(token)} characters; it must have {_SHORTEST_TOKEN} to {_LONGEST_TOKEN} letters, "
            "digits or signs without spaces"
        )
    return token


class Server:
    """A server of infant environments; it listens from its creation until `close`.

    Args:
        host: the address to listen on; others than this machine can connect if it is not 127.0.0.1.
        port: the port; 0 for any that is free.
        token: the secret that clients must show. Default: a random one.
        limits: what clients are granted.

    Attributes:
        token: the secret that clients must show.
        address: the host and port, as `connect` takes it.

    Raises:
        OSError: the address cannot be listened on.
        ValueError: the token is too short or too long.
    """

    def __init__(
        self, host: str = HOST, port: int = PORT, token: str | None = None, limits: Limits | None = None
    ) -> None:
        self.token = new_token() if token is None else check_token(token)
        self.limits = limits or Limits()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
        name = f"[{host}]" if ":" in host else host
        self.address = f"{name}:{self._listener.getsockname()[1]}"
        self._lock = Lock()
        # Starting a process replaces `__main__` for a moment, which two threads must not do at once.
        self._start_lock = Lock()
        self._strangers, self._guests = 0, 0
        self._workers: dict[Thread, tuple[Connection, BaseProcess]] = {}
        self._closed = False

    def serve(self) -> None:
        """Accept connections until `close` is called from another thread, or until KeyboardInterrupt."""
        while not self._closed:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                if self._closed:
                    return
                raise
            if self._closed:
                connection.close()
                return
            with self._lock:
                admitted = self._strangers < STRANGERS
                self._strangers += admitted
            if admitted:
                Thread(target=self._welcome, args=(connection,), daemon=True).start()
            else:
                connection.close()

    def _welcome(self, connection: socket.socket) -> None:
        try:
            problem = self._greet(connection)
            with self._lock:
                if not problem and self._guests >= self.limits.connections:
                    problem = f"the server has {self._guests} connections, as many as it allows; try again later"
                self._guests += not problem
            if problem:
                refuse(connection, problem)
        finally:
            with self._lock:
                self._strangers -= 1
        if problem:
            return
        try:
            self._host(connection)
        finally:
            with self._lock:
                self._guests -= 1

    def _greet(self, connection: socket.socket) -> str:
        """Read a greeting and return why it is refused; "" if it is accepted."""
        seconds = self.limits.handshake_seconds
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            kind, content = receive(connection, LARGEST_GREETING, seconds, whole=True)
        except RefusedError as problem:
            return str(problem)
        except TimeoutError:
            return f"there was no greeting within {seconds:g} seconds"
        except OSError:
            return "the connection is broken"
        token = content.get("token")
        if kind is not Kind.HELLO or not isinstance(token, str):
            return "the first message must be a greeting with the token"
        if not compare_digest(token.encode(), self.token.encode()):
            return "the token is wrong; the server printed the right one when it started, or has it in its file"
        return ""

    def _host(self, connection: socket.socket) -> None:
        """Start the process of a connection and wait until it ends."""
        with connection, self._start_lock, without_main():
            life, process = start_worker(work, connection, self.limits)
        own = current_thread()
        with self._lock:
            self._workers[own] = (life, process)
            late = self._closed
        if late:
            life.close()
        wait([process.sentinel])
        process.join()
        with self._lock:
            del self._workers[own]
        life.close()

    def close(self) -> None:
        """Stop listening and end all connections and their processes."""
        self._closed = True
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes up `serve`
        self._listener.close()
        with self._lock:
            workers = dict(self._workers)
        for life, _ in workers.values():
            life.close()
        for thread, (_, process) in workers.items():
            thread.join(STOP_TIMEOUT_SECONDS)
            if thread.is_alive():
                process.terminate()
                thread.join(STOP_TIMEOUT_SECONDS)

    def __enter__(self) -> "Server":
        """Serve in a thread of this process."""
        Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Close the server."""
        self.close()
