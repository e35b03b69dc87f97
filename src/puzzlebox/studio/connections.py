"""One connection of a browser: HTTP or WebSocket, and given up where the other side takes too long."""

import asyncio
from asyncio.transports import BaseTransport, Transport
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState

from puzzlebox.studio import limits
from puzzlebox.studio.door import Door

# What waits on its way to a page that reads slowly: a few frames. More would be told late instead of left out.
_WAITING = 16 * 1024
_CHECK_SECONDS = 5.0


class _Watch:
    """Looks after one connection every few seconds.

    Args:
        transport: the connection.
        check: what else is to be looked at; whether the connection may stay.
    """

    def __init__(self, transport: Transport, check: Any) -> None:
        self._transport, self._check = transport, check
        self._loop = asyncio.get_running_loop()
        self._unsent, self._taken = 0, self._loop.time()
        self._timer = self._loop.call_later(_CHECK_SECONDS, self._look)

    def _look(self) -> None:
        now, unsent = self._loop.time(), self._transport.get_write_buffer_size()
        if unsent == 0 or unsent != self._unsent:
            self._unsent, self._taken = unsent, now
        if now - self._taken >= limits.STALLED_SECONDS or not self._check(now, unsent):
            self._transport.abort()
            return
        self._timer = self._loop.call_later(_CHECK_SECONDS, self._look)

    def end(self) -> None:
        """The connection is closed."""
        self._timer.cancel()


class Http(H11Protocol):
    """A connection that has a limited time for each request."""

    _watch: _Watch | None = None
    _answering, _since = False, 0.0

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self._watch = _Watch(transport, self._in_time)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._end_watch()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; what arrives byte by byte has no more time than anything else."""
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._request()
        elif self._answering:
            self._heard()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        before = self.cycle
        self._answering, self._since = False, self.loop.time()
        door = _door(self.config)
        if door is not None and self.client is not None:
            door.answered(self.client)
        super().on_response_complete()
        if self.cycle is not before:  # it was there already
            self._request()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection over."""
        self._end_watch()
        super().handle_websocket_upgrade(event)

    def _request(self) -> None:
        # The answer to a request that is refused may be complete already.
        if not self.cycle.response_complete:
            self._answering, self._since = True, self.loop.time()
            self._heard()

    def _heard(self) -> None:
        """Keep the place where the request is complete, with its body."""
        door = _door(self.config)
        if door is not None and self.client is not None and not self.cycle.more_body:
            door.heard(self.client)

    def _in_time(self, now: float, unsent: int) -> bool:
        waited = now - self._since
        if self._answering:
            return not self.cycle.more_body or waited < limits.UPLOAD_SECONDS
        # What is on its way is still being taken; `_Watch` sees whether it is.
        return unsent > 0 or waited < limits.REQUEST_SECONDS

    def _end_watch(self) -> None:
        if self._watch is not None:
            self._watch.end()


class WebSocket(WebSocketsSansIOProtocol):
    """A WebSocket that notices soon when a page cannot keep up, and bounds what is no message."""

    _watch: _Watch | None = None
    _control = 0

    def connection_made(self, transport: BaseTransport) -> None:
        """Begin."""
        assert isinstance(transport, Transport)
        transport.set_write_buffer_limits(high=_WAITING)
        super().connection_made(transport)
        self.close_timeout = limits.CLOSE_SECONDS
        self._watch = _Watch(transport, self._orderly)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        if self._watch is not None:
            self._watch.end()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Close the connection because the studio stops; one that is being closed already cannot be closed again.

        uvicorn would raise, and what is still to be written would never be.
        """
        try:
            super().shutdown()
        except InvalidState:
            self.transport.close()

    def send_receive_event_to_app(self) -> None:
        """Hand a message over; whoever says something keeps their place."""
        door = _door(self.config)
        if door is not None and self.client is not None:
            door.heard(self.client)
        super().send_receive_event_to_app()

    def handle_ping(self) -> None:
        """Answer, unless there are too many."""
        self._count()
        super().handle_ping()

    def handle_cont(self, event: Any) -> None:
        """Keep a piece of a message, unless there are too many."""
        self._count()
        super().handle_cont(event)

    def _count(self) -> None:
        self._control += 1
        if self._control > limits.MOST_CONTROL:
            self.transport.abort()

    def _orderly(self, now: float, unsent: int) -> bool:
        self._control = 0
        return True


class Server(uvicorn.Server):
    """The server of a door."""

    async def startup(self, sockets: Any = None) -> None:
        """Begin to accept connections."""
        door = sockets[0] if sockets else None
        if isinstance(door, Door):
            self.config.door = door  # type: ignore[attr-defined]
        if self.config.is_ssl:
            # uvicorn leaves the time for the handshake at asyncio's minute.
            loop: Any = asyncio.get_running_loop()
            create = loop.create_server

            async def create_server(*arguments: Any, **more: Any) -> Any:
                return await create(*arguments, ssl_handshake_timeout=limits.HANDSHAKE_SECONDS, **more)

            loop.create_server = create_server
        await super().startup(sockets)


def _door(config: uvicorn.Config) -> Door | None:
    return getattr(config, "door", None)
