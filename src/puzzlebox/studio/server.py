"""The server process: finds a port, says where the studio is, opens it in the browser, and ends cleanly."""

import socket
import threading
import webbrowser
from asyncio.transports import BaseTransport, Transport
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from puzzlebox.lab import Store
from puzzlebox.studio.app import make_app
from puzzlebox.studio.catalogue import Catalogue
from puzzlebox.studio.links import Link, Links
from puzzlebox.studio.rooms import LARGEST_MESSAGE, Rooms
from puzzlebox.studio.safety import Policy
from puzzlebox.things import Rules

PORT, _PORTS = 8808, 20
# What waits on its way to a page that reads slowly: a few frames. More would be told late instead of left out.
_WAITING, _WAITING_IN_SYSTEM = 16 * 1024, 64 * 1024
_GRACE_SECONDS = 2


class CannotServe(Exception):
    """One sentence why the server does not start."""


class _Socket(WebSocketsSansIOProtocol):
    """A WebSocket that notices soon when a page cannot keep up."""

    def connection_made(self, transport: BaseTransport) -> None:
        assert isinstance(transport, Transport)
        transport.set_write_buffer_limits(high=_WAITING)
        super().connection_made(transport)


def server_for(app: ASGIApp) -> uvicorn.Server:
    """What runs the application."""
    config = uvicorn.Config(
        app,
        ws=_Socket,
        ws_max_size=LARGEST_MESSAGE,
        ws_per_message_deflate=False,
        loop="asyncio",
        lifespan="on",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    return uvicorn.Server(config)


def listening(host: str, port: int | None) -> socket.socket:
    """A socket on the port asked for, or on the first free one."""
    problem: OSError | None = None
    for number in range(PORT, PORT + _PORTS) if port is None else (port,):
        try:
            family, _, _, _, address = socket.getaddrinfo(host, number, type=socket.SOCK_STREAM)[0]
        except (socket.gaierror, OverflowError):
            raise CannotServe(f"{host} is no address of this machine; 127.0.0.1 is, and 0.0.0.0 means all") from None
        # asyncio turns off the wait for more to send (TCP_NODELAY) only where the protocol is named.
        made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _WAITING_IN_SYSTEM)
        try:
            made.bind(address)
            made.listen(128)
        except OSError as failed:
            made.close()
            problem = failed
            continue
        return made
    assert problem is not None
    where = f"port {port}" if port is not None else f"the ports {PORT} to {PORT + _PORTS - 1}"
    raise CannotServe(f"{where} of {host} cannot be used: {problem.strerror}")


def link_of(made: socket.socket, policy: Policy, address: str = "/") -> str:
    """What a researcher opens in a browser."""
    link = _base_of(made) + address
    if policy.token is None:
        return link
    return f"{link}{'&' if '?' in address else '?'}{urlencode({'token': policy.token})}"


def _base_of(made: socket.socket) -> str:
    """The address of the studio, without a page."""
    host, port = made.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # all of them; this is one others can reach
        host = socket.gethostname()
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"


def address_of(task: str | None, *, seed: int | None = None, agent: str | None = None) -> str:
    """The page that plays a task, or on which an agent does."""
    asked: dict[str, Any] = {"task": task, "agent": agent, "seed": seed}
    query = urlencode({name: value for name, value in asked.items() if value is not None})
    return ("/play" if agent is None else "/watch") + (f"?{query}" if query else "")


def serve(
    *,
    task: str | None = None,
    address: str | None = None,
    seed: int | None = None,
    agent: str | None = None,
    participants: Sequence[str] = (),
    rules: str | Rules = "puzzlebox",
    host: str = "127.0.0.1",
    port: int | None = None,
    data: Path | None = None,
    browser: bool = True,
    say: Callable[[str, Sequence[str]], None] = lambda link, participants: print(link, *participants, sep="\n"),
) -> None:
    """Run the studio until it is interrupted.

    Args:
        task: a file or a bundled task to play.
        address: the page to open instead.
        seed: of its episodes.
        agent: who plays it; None: a person.
        participants: ids of people who play; each gets a link of their own to the task, and nothing else is open
            to them.
        rules: what is played by.
        host: where to listen; anything but this machine asks for a token.
        port: which port; None: 8808, or the next that is free.
        data: the file recordings are kept in.
        browser: open it.
        say: is given the researcher's link, and the links of the participants in their order.

    Raises:
        CannotServe, LinksError, StoreError, TaskError, FileNotFoundError, ValueError: it does not start, and why.
    """
    catalogue = Catalogue()
    name = None if task is None else catalogue.add_file(task)
    made = listening(host, port)
    try:
        rooms = Rooms(Store(data), catalogue, rules)
        rooms.agent = agent
        # Links that were sent around earlier are valid also where nobody asks for new ones.
        links = Links.beside(rooms.store.path, make=bool(participants))
        policy = Policy.for_host(host, socket.gethostname(), links=links)
        link = link_of(made, policy, address or ("/" if participants else address_of(name, seed=seed, agent=agent)))
        for_participants = [_base_of(made) + links.address(Link(id, name, seed)) for id in participants if links]
        # Where one participant plays on this machine, that is who sits before it.
        opened = for_participants[0] if len(participants) == 1 and policy.token is None else link

        def ready() -> None:
            say(link, for_participants)
            if browser:
                # Finding a browser may take seconds.
                threading.Thread(target=webbrowser.open, args=(opened,), daemon=True).start()

        try:
            server_for(make_app(rooms, policy, ready)).run(sockets=[made])
        except KeyboardInterrupt:  # uvicorn raises it again once everything is closed
            pass
    finally:
        made.close()
