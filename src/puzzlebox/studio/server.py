"""The server process: finds a port, prints the links, opens the browser, and stops cleanly."""

import logging
import socket
import threading
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import uvicorn
from starlette.types import ASGIApp

from puzzlebox.record import Store, StoreError
from puzzlebox.studio.app import make_app
from puzzlebox.studio.certificate import CertificateError, check_certificate
from puzzlebox.studio.connections import Http, Server, WebSocket
from puzzlebox.studio.limits import (
    BACKLOG,
    KEEP_ALIVE_SECONDS,
    LARGEST_MESSAGE,
    PING_SECONDS,
    PLAYERS,
    PONG_SECONDS,
    Limits,
    raise_file_limit,
)
from puzzlebox.studio.links import Link, Links
from puzzlebox.studio.listener import Listener
from puzzlebox.studio.log import log_to_stderr
from puzzlebox.studio.pages import Pages, StudioContext, load_pages
from puzzlebox.studio.safety import Policy
from puzzlebox.wings import ARENA, split_source

# The first port to try, and how many.
PORT, _PORT_COUNT = 8808, 20
# Bytes that the operating system buffers for a page that reads slowly.
_SEND_BUFFER_BYTES = 64 * 1024
_GRACE_SECONDS = 2


class CannotServe(Exception):
    """The server cannot start; the text is one sentence that says why."""


def make_server(app: ASGIApp, certificate: Path | None = None, key: Path | None = None) -> uvicorn.Server:
    """Return the server of an application; its connections are encrypted if there is a certificate."""
    config = uvicorn.Config(
        app,
        http=Http,
        ws=WebSocket,
        ws_max_size=LARGEST_MESSAGE,
        ws_per_message_deflate=False,
        ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=PONG_SECONDS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        backlog=BACKLOG,
        # Anybody can send the headers of a proxy, so they are not trusted.
        proxy_headers=False,
        ssl_certfile=certificate,
        ssl_keyfile=key,
        loop="asyncio",
        lifespan="on",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    return Server(config)


def open_listener(host: str, port: int | None) -> Listener:
    """Return a listening socket on a port; for None, on the first free port from 8808 on.

    Raises:
        CannotServe: the host is not an address of this machine, or no port is free.
    """
    problem: OSError | None = None
    for number in range(PORT, PORT + _PORT_COUNT) if port is None else (port,):
        try:
            family, _, _, _, address = socket.getaddrinfo(host, number, type=socket.SOCK_STREAM)[0]
        except (socket.gaierror, OverflowError):
            raise CannotServe(
                f"{host} is not an address of this machine; 127.0.0.1 is, and 0.0.0.0 means all"
            ) from None
        # asyncio sets TCP_NODELAY only on sockets whose protocol is given.
        listener = Listener(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
        try:
            listener.bind(address)
            listener.listen(BACKLOG)
        except OSError as error:
            listener.close()
            problem = error
            continue
        return listener
    assert problem is not None
    where = f"port {port}" if port is not None else f"the ports {PORT} to {PORT + _PORT_COUNT - 1}"
    raise CannotServe(f"{where} of {host} cannot be used: {problem.strerror}")


def researcher_link(listener: socket.socket, policy: Policy, address: str = "/") -> str:
    """Return the link to a page that a researcher opens, with the token if there is one."""
    link = studio_address(listener, policy) + address
    if policy.token is None:
        return link
    return f"{link}{'&' if '?' in address else '?'}{urlencode({'token': policy.token})}"


def studio_address(listener: socket.socket, policy: Policy) -> str:
    """Return the address of the studio, without a path."""
    if policy.public is not None:
        return policy.public
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # all addresses of this machine; others reach it by its name
        host = socket.gethostname()
    shown = f"[{host}]" if ":" in host else host
    return f"{'https' if policy.secure else 'http'}://{shown}:{port}"


def public_address(text: str) -> str:
    """Check the address under which a proxy shows the studio, and return it without a slash at its end.

    Raises:
        CannotServe: it is not a valid address.
    """
    try:
        parts = urlsplit(text)
        valid = bool(parts.hostname) and (parts.port is None or parts.port > 0) and parts.username is None
    except ValueError:
        valid = False
    if not valid or parts.scheme not in ("http", "https") or parts.query or parts.fragment:
        raise CannotServe(f"{text[:100]!r} is not an address of a studio; one is https://lab.example.org")
    if parts.path not in ("", "/"):
        raise CannotServe(f"the studio must be at the root of its address, not below {parts.path[:100]}")
    return f"{parts.scheme}://{parts.netloc}"


def serve(
    *,
    task: str | None = None,
    address: str | None = None,
    seed: int | None = None,
    agent: str | None = None,
    participants: Sequence[str] = (),
    rules: str | None = None,
    host: str = "127.0.0.1",
    port: int | None = None,
    data: Path | None = None,
    players: int = PLAYERS,
    certificate: Path | None = None,
    key: Path | None = None,
    public: str | None = None,
    browser: bool = True,
    prepare: Callable[[Mapping[str, Pages]], None] = lambda pages: None,
    announce: Callable[[str, Sequence[str]], None] = lambda link, participants: print(link, *participants, sep="\n"),
) -> None:
    """Run the studio until it is interrupted.

    Args:
        task: a task file or a bundled task to play.
        address: the path of the page to open instead.
        seed: the seed of the task's episodes. Default: a new one for each.
        agent: the agent that plays the task. Default: a participant plays.
        participants: the ids of participants; each gets a link that opens the task and nothing else.
        rules: the name of the rules of all episodes. Default: those of the wing.
        host: the address to listen on; researchers need a token if it is not this machine's own.
        port: the port to listen on. Default: 8808, or the next free one.
        data: the file of recordings. Default: that of the user.
        players: how many may play at the same time.
        certificate: a PEM file with the certificate of this machine, for encrypted connections.
        key: a PEM file with its private key.
        public: the address under which a proxy shows the studio to others, such as https://lab.example.org; links
            begin with it, and researchers need a token.
        browser: whether to open the browser.
        prepare: called with the pages of each wing before anything else, for settings that only one wing has.
        announce: called with the researcher's link and the links of the participants, in their order.

    Raises:
        CannotServe, LinksError, StoreError, TaskError, FileNotFoundError, ValueError: the studio cannot start.
    """
    public = None if public is None else public_address(public)
    _check_certificate(certificate, key)
    pages = load_pages()
    prepare(pages)
    task_pages, name = _add_task(task, pages)
    listener = open_listener(host, port)
    listener.limits, listener.encrypted = Limits.of(players, raise_file_limit(players)), certificate is not None
    try:
        store = Store(data)
        # Links that were sent earlier stay valid when the studio is started without participants.
        links = Links.for_store(store.path, make=bool(participants))
        secure = certificate is not None
        policy = Policy.for_host(host, socket.gethostname(), links=links, secure=secure, public=public)
        link = researcher_link(
            listener, policy, address or ("/" if participants else task_pages.address_of(name, seed=seed, agent=agent))
        )
        base, page = studio_address(listener, policy), task_pages.for_participants[0]
        for_participants = [base + links.address(Link(id, name, seed), page) for id in participants if links]
        # A single participant of a local studio sits at this machine.
        opened = for_participants[0] if len(participants) == 1 and policy.token is None else link

        def ready() -> None:
            announce(link, for_participants)
            if browser:
                # Finding a browser may take seconds.
                threading.Thread(target=webbrowser.open, args=(opened,), daemon=True).start()

        log_to_stderr()
        # Checking a large file takes a while; the studio starts meanwhile.
        threading.Thread(target=warn_of_damage, args=(store,), daemon=True).start()
        try:
            make_server(
                make_app(StudioContext(store, rules, players, agent), pages, policy, ready), certificate, key
            ).run(sockets=[listener])
        except KeyboardInterrupt:  # uvicorn raises it again once everything is closed
            pass
    finally:
        listener.close()


def _add_task(task: str | None, pages: Mapping[str, Pages]) -> tuple[Pages, str | None]:
    """Add a task to the pages of its wing; returns the pages and the task's name. Without a task: the arena's pages."""
    if task is None:
        return pages[ARENA], None
    wing, source = split_source(task)
    if wing.name not in pages:
        raise CannotServe(f"tasks of the wing {wing.name!r} cannot be played in the browser")
    return pages[wing.name], pages[wing.name].add_task(source)


def warn_of_damage(store: Store) -> None:
    """Check the whole file of recordings, and log a warning if it is damaged."""
    try:
        store.check()
    except StoreError as problem:
        logging.getLogger(__name__).warning("%s", problem)


def _check_certificate(certificate: Path | None, key: Path | None) -> None:
    if certificate is None and key is None:
        return
    if certificate is None or key is None:
        missing, present = ("--certificate", "--key") if certificate is None else ("--key", "--certificate")
        raise CannotServe(f"{present} needs {missing} beside it: an encrypted studio has a certificate and its key")
    try:
        check_certificate(certificate, key)
    except CertificateError as problem:
        raise CannotServe(str(problem)) from None
