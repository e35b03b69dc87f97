"""The listening socket: it limits the number of connections, and closes idle ones in favour of new ones.

Without this, a few hundred connections that never send anything would use up all file descriptors: no page would open
any more, and asyncio would try to accept, fail and log that in an endless loop.
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
# Connections that are refused in one call of `accept` before the event loop continues.
_MAX_REFUSALS = 64
_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nRetry-After: 30\r\n"
    b"Connection: close\r\n\r\nThe studio has too many connections at the moment; try again in a minute.\n"
)


class _Connection(socket.socket):
    """A connection that is removed from its listener when it is closed."""

    listener: "Listener | None" = None
    peer: Peer = ("", 0)

    def close(self) -> None:
        """Close the connection, and free its place."""
        super().close()
        listener, self.listener = self.listener, None
        if listener is not None:
            listener._remove(self)


class Listener(socket.socket):
    """A listening socket with a limited number of connections.

    Attributes:
        limits: the numbers of connections it accepts.
        encrypted: whether connections begin with a TLS handshake; these are refused without an answer.
    """

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.limits, self.encrypted = Limits(), False
        self._open: Counter[str] = Counter()
        # Connections accepted since the event loop last continued.
        self._accepted_in_a_row = 0
        self._connections: dict[Peer, _Connection] = {}
        # Connections without a request in progress, the oldest first.
        self._idle: OrderedDict[Peer, _Connection] = OrderedDict()
        # Closed for a moment when no file descriptor is left to accept and refuse a connection with.
        self._spare = os.open(os.devnull, os.O_RDONLY)

    def __len__(self) -> int:
        """Return the number of open connections."""
        return self._open.total()

    def __bool__(self) -> bool:
        """Return True; without this, a listener without connections would count as False."""
        return True

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept the next connection within the limits; others are refused.

        Raises:
            BlockingIOError: there is none at the moment.
        """
        # Accepted connections must be read in between, or the ones behind them would displace them as idle.
        if self._accepted_in_a_row >= max(1, self.limits.connections // 4):
            self._accepted_in_a_row = 0
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        for _ in range(_MAX_REFUSALS):
            accepted, address = self._next()
            if accepted is None:
                continue
            peer = (str(address[0]), int(address[1]))
            if not self._make_room(peer[0]):
                if not self.encrypted:
                    with suppress(OSError):
                        accepted.setblocking(False)
                        accepted.send(_FULL)
                accepted.close()
                continue
            connection = _Connection(accepted.family, accepted.type, accepted.proto, fileno=accepted.detach())
            connection.listener, connection.peer = self, peer
            self._accepted_in_a_row += 1
            self._open[peer[0]] += 1
            self._connections[peer] = self._idle[peer] = connection
            return connection, address
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    def _next(self) -> tuple[socket.socket | None, Any]:
        try:
            return super().accept()
        except BlockingIOError:
            self._accepted_in_a_row = 0
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

    def _make_room(self, host: str) -> bool:
        """Return whether one more connection may be accepted; where necessary, close the one that was idle longest."""
        crowded = not _is_this_machine(host) and self._open[host] >= self.limits.per_address
        if not crowded and len(self) < self.limits.connections:
            return True
        for peer, connection in self._idle.items():
            if not crowded or peer[0] == host:
                del self._idle[peer]
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
                return True
        return False

    def mark_active(self, peer: Peer) -> None:
        """Protect a connection from removal: it has sent a complete request or a WebSocket message."""
        self._idle.pop(peer, None)

    def mark_idle(self, peer: Peer) -> None:
        """Allow the removal of a connection in favour of others: its request has been answered."""
        if peer in self._connections:
            self._idle[peer] = self._connections[peer]

    def _remove(self, connection: _Connection) -> None:
        if self._connections.get(connection.peer) is connection:
            del self._connections[connection.peer]
            self._idle.pop(connection.peer, None)
        host = connection.peer[0]
        self._open[host] -= 1
        if self._open[host] <= 0:
            del self._open[host]

    def close(self) -> None:
        """Close the socket; no more connections are accepted."""
        super().close()
        spare, self._spare = self._spare, -1
        if spare >= 0:
            os.close(spare)


def _is_this_machine(host: str) -> bool:
    """Return whether a connection comes from this machine, perhaps through a proxy that runs on it."""
    address = ip_address(host.split("%")[0])
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)
