"""The listening socket: it accepts only so many connections, and prefers new ones to those that say nothing.

Without this, a few hundred connections that never say anything would use up all file descriptors: no page would open
any more, and asyncio would try to accept, fail and log that without a pause.
"""

import errno
import os
import socket
from collections import Counter, OrderedDict
from contextlib import suppress
from ipaddress import ip_address
from typing import Any

from puzzlebox.studio.limits import Limits

Peer = tuple[str, int]
# Connections that are refused in a row before other work has its turn.
_IN_A_ROW = 64
_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nRetry-After: 30\r\n"
    b"Connection: close\r\n\r\nThe studio has too many connections at the moment; try again in a minute.\n"
)


class _Connection(socket.socket):
    """A connection that tells its door when it is closed."""

    door: "Door | None" = None
    peer: Peer = ("", 0)

    def close(self) -> None:
        """Close the connection, and make room for another one."""
        super().close()
        door, self.door = self.door, None
        if door is not None:
            door._left(self)


class Door(socket.socket):
    """A listening socket that bounds what it accepts.

    Attributes:
        limits: how many connections it accepts.
        encrypted: whether connections begin with a TLS handshake; such a one is refused without a sentence.
    """

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.limits, self.encrypted = Limits(), False
        self._open: Counter[str] = Counter()
        # Connections accepted since the program last had time for something else.
        self._in_a_row = 0
        self._connections: dict[Peer, _Connection] = {}
        # Those that nothing is done for at the moment, the oldest first.
        self._silent: OrderedDict[Peer, _Connection] = OrderedDict()
        # Closed for a moment where there is no other descriptor left to refuse a connection with.
        self._spare = os.open(os.devnull, os.O_RDONLY)

    def __len__(self) -> int:
        """How many connections are open."""
        return self._open.total()

    def __bool__(self) -> bool:
        """Whether the door is there, even if nobody has come in yet."""
        return True

    def accept(self) -> tuple[socket.socket, Any]:
        """The next connection that may come in.

        Raises:
            BlockingIOError: there is none at the moment.
        """
        # In between, those that came first must be heard, or a crowd behind them would take their places.
        if self._in_a_row >= max(1, self.limits.connections // 4):
            self._in_a_row = 0
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        for _ in range(_IN_A_ROW):
            made, address = self._next()
            if made is None:
                continue
            peer = (str(address[0]), int(address[1]))
            if not self._has_room(peer[0]):
                if not self.encrypted:
                    with suppress(OSError):
                        made.setblocking(False)
                        made.send(_FULL)
                made.close()
                continue
            connection = _Connection(made.family, made.type, made.proto, fileno=made.detach())
            connection.door, connection.peer = self, peer
            self._in_a_row += 1
            self._open[peer[0]] += 1
            self._connections[peer] = self._silent[peer] = connection
            return connection, address
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    def _next(self) -> tuple[socket.socket | None, Any]:
        try:
            return super().accept()
        except BlockingIOError:
            self._in_a_row = 0
            raise
        except OSError as problem:
            if problem.errno not in (errno.EMFILE, errno.ENFILE):
                raise
        os.close(self._spare)
        try:
            super().accept()[0].close()
        finally:
            self._spare = os.open(os.devnull, os.O_RDONLY)
        return None, None

    def _has_room(self, host: str) -> bool:
        """Whether one more may come in, if need be instead of the one that has been silent for longest."""
        crowded = not _is_this_machine(host) and self._open[host] >= self.limits.per_address
        if not crowded and len(self) < self.limits.connections:
            return True
        for peer, connection in self._silent.items():
            if not crowded or peer[0] == host:
                del self._silent[peer]
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
                return True
        return False

    def heard(self, peer: Peer) -> None:
        """A connection has made a complete request, or plays: it keeps its place."""
        self._silent.pop(peer, None)

    def answered(self, peer: Peer) -> None:
        """A connection has got its answer, and may give way to others until it asks for something else."""
        if peer in self._connections:
            self._silent[peer] = self._connections[peer]

    def _left(self, connection: _Connection) -> None:
        if self._connections.get(connection.peer) is connection:
            del self._connections[connection.peer]
            self._silent.pop(connection.peer, None)
        host = connection.peer[0]
        self._open[host] -= 1
        if self._open[host] <= 0:
            del self._open[host]

    def close(self) -> None:
        """Accept nothing more."""
        super().close()
        spare, self._spare = self._spare, -1
        if spare >= 0:
            os.close(spare)


def _is_this_machine(host: str) -> bool:
    """Whether a connection comes from this machine, perhaps through a proxy that runs on it."""
    number = ip_address(host.split("%")[0])
    mapped = getattr(number, "ipv4_mapped", None)
    return bool((mapped or number).is_loopback)
