"""One connection of a browser, HTTP or WebSocket, which is closed if the other side takes too long."""

import asyncio
from asyncio.transports import BaseTransport, Transport
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState

from puzzlebox.studio import limits
from puzzlebox.studio.listener import Listener

# Bytes that are buffered for a page that reads slowly: a few frames. With more, frames would arrive late instead of
# being skipped.
_MAX_BUFFERED = 16 * 1024
_CHECK_SECONDS = 5.0


class _Watchdog:
    """Checks one connection every few seconds, and closes it if its data is not taken or `check` returns False.

    Args:
        transport: the connection.
        check: called with the time and the number of bytes not sent yet; returns whether the connection may stay.
    """

    def __init__(self, transport: Transport, check: Any) -> None:
        self._transport, self._check = transport, check
        self._loop = asyncio.get_running_loop()
        self._unsent, self._last_progress = 0, self._loop.time()
        self._timer = self._loop.call_later(_CHECK_SECONDS, self._check_progress)

    def _check_progress(self) -> None:
        now, unsent = self._loop.time(), self._transport.get_write_buffer_size()
        if unsent == 0 or unsent != self._unsent:
            self._unsent, self._last_progress = unsent, now
        if now - self._last_progress >= limits.STALLED_SECONDS or not self._check(now, unsent):
            self._transport.abort()
            return
        self._timer = self._loop.call_later(_CHECK_SECONDS, self._check_progress)

    def stop(self) -> None:
        """Stop checking, because the connection is closed or handed over."""
        self._timer.cancel()


class Http(H11Protocol):
    """An HTTP connection with a time limit for each request."""

    _watchdog: _Watchdog | None = None
    _answering, _since = False, 0.0

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Start the time limit of the first request."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self._watchdog = _Watchdog(transport, self._in_time)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop checking the connection."""
        self._stop_watchdog()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read data; the time limit of a request that arrives byte by byte is not extended."""
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._start_answering()
        elif self._answering:
            self._mark_active()

    def on_response_complete(self) -> None:
        """Start the time limit of the next request."""
        before = self.cycle
        self._answering, self._since = False, self.loop.time()
        listener = _listener(self.config)
        if listener is not None and self.client is not None:
            listener.mark_idle(self.client)
        super().on_response_complete()
        if self.cycle is not before:  # the next request had arrived already
            self._start_answering()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection over to the WebSocket protocol."""
        self._stop_watchdog()
        super().handle_websocket_upgrade(event)

    def _start_answering(self) -> None:
        # The answer to a refused request may be complete already.
        if not self.cycle.response_complete:
            self._answering, self._since = True, self.loop.time()
            self._mark_active()

    def _mark_active(self) -> None:
        """Protect the connection from removal once its request is complete, with its body."""
        listener = _listener(self.config)
        if listener is not None and self.client is not None and not self.cycle.more_body:
            listener.mark_active(self.client)

    def _in_time(self, now: float, unsent: int) -> bool:
        waited = now - self._since
        if self._answering:
            return not self.cycle.more_body or waited < limits.UPLOAD_SECONDS
        # The last answer is still being sent; `_Watchdog` checks that it makes progress.
        return unsent > 0 or waited < limits.REQUEST_SECONDS

    def _stop_watchdog(self) -> None:
        if self._watchdog is not None:
            self._watchdog.stop()


class WebSocket(WebSocketsSansIOProtocol):
    """A WebSocket with a small send buffer, and a limit for pings and message fragments."""

    _watchdog: _Watchdog | None = None
    _control = 0

    def connection_made(self, transport: BaseTransport) -> None:
        """Set the size of the send buffer, and start checking the connection."""
        assert isinstance(transport, Transport)
        transport.set_write_buffer_limits(high=_MAX_BUFFERED)
        super().connection_made(transport)
        self.close_timeout = limits.CLOSE_SECONDS
        self._watchdog = _Watchdog(transport, self._reset_count)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop checking the connection."""
        if self._watchdog is not None:
            self._watchdog.stop()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Close the connection because the studio stops.

        uvicorn raises for a connection that is being closed already, and recordings would then not be written.
        """
        try:
            super().shutdown()
        except InvalidState:
            self.transport.close()

    def send_receive_event_to_app(self) -> None:
        """Pass a message on; a connection that sends messages is protected from removal."""
        listener = _listener(self.config)
        if listener is not None and self.client is not None:
            listener.mark_active(self.client)
        super().send_receive_event_to_app()

    def handle_ping(self) -> None:
        """Answer a ping, unless there are too many."""
        self._count_control()
        super().handle_ping()

    def handle_cont(self, event: Any) -> None:
        """Accept a fragment of a message, unless there are too many."""
        self._count_control()
        super().handle_cont(event)

    def _count_control(self) -> None:
        self._control += 1
        if self._control > limits.MAX_CONTROL_FRAMES:
            self.transport.abort()

    def _reset_count(self, now: float, unsent: int) -> bool:
        self._control = 0
        return True


class Server(uvicorn.Server):
    """A uvicorn server for a `Listener`."""

    async def startup(self, sockets: Any = None) -> None:
        """Start accepting connections."""
        listener = sockets[0] if sockets else None
        if isinstance(listener, Listener):
            self.config.listener = listener  # type: ignore[attr-defined]
        if self.config.is_ssl:
            # uvicorn does not set the timeout of the handshake; asyncio's default is a minute.
            loop: Any = asyncio.get_running_loop()
            create = loop.create_server

            async def create_server(*arguments: Any, **more: Any) -> Any:
                return await create(*arguments, ssl_handshake_timeout=limits.HANDSHAKE_SECONDS, **more)

            loop.create_server = create_server
        await super().startup(sockets)


def _listener(config: uvicorn.Config) -> Listener | None:
    return getattr(config, "listener", None)
