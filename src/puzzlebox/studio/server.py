"""The server process: finds a port, says where the studio is, opens it in the browser, and ends cleanly."""

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
from puzzlebox.studio.door import Door
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
from puzzlebox.studio.log import log_to_stderr
from puzzlebox.studio.pages import Desk, Pages, load_pages
from puzzlebox.studio.safety import Policy
from puzzlebox.wings import ARENA, split_source

PORT, _PORTS = 8808, 20
# What waits in the system on its way to a page that reads slowly.
_WAITING_IN_SYSTEM = 64 * 1024
_GRACE_SECONDS = 2


class CannotServe(Exception):
    """One sentence why the server does not start."""


def server_for(app: ASGIApp, certificate: Path | None = None, key: Path | None = None) -> uvicorn.Server:
    """What runs the application; encrypted where there is a certificate."""
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
        # What a proxy says of others, anybody can say.
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


def listening(host: str, port: int | None) -> Door:
    """A socket on the port asked for, or on the first free one."""
    problem: OSError | None = None
    for number in range(PORT, PORT + _PORTS) if port is None else (port,):
        try:
            family, _, _, _, address = socket.getaddrinfo(host, number, type=socket.SOCK_STREAM)[0]
        except (socket.gaierror, OverflowError):
            raise CannotServe(f"{host} is no address of this machine; 127.0.0.1 is, and 0.0.0.0 means all") from None
        # asyncio turns off the wait for more to send (TCP_NODELAY) only where the protocol is named.
        made = Door(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _WAITING_IN_SYSTEM)
        try:
            made.bind(address)
            made.listen(BACKLOG)
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
    link = base_of(made, policy) + address
    if policy.token is None:
        return link
    return f"{link}{'&' if '?' in address else '?'}{urlencode({'token': policy.token})}"


def base_of(made: socket.socket, policy: Policy) -> str:
    """The address of the studio, without a page."""
    if policy.public is not None:
        return policy.public
    host, port = made.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # all of them; this is one others can reach
        host = socket.gethostname()
    shown = f"[{host}]" if ":" in host else host
    return f"{'https' if policy.secure else 'http'}://{shown}:{port}"


def public_address(text: str) -> str:
    """The address under which a proxy shows the studio, without a slash at its end.

    Raises:
        CannotServe: it is no such address.
    """
    try:
        parts = urlsplit(text)
        fits = bool(parts.hostname) and (parts.port is None or parts.port > 0) and parts.username is None
    except ValueError:
        fits = False
    if not fits or parts.scheme not in ("http", "https") or parts.query or parts.fragment:
        raise CannotServe(f"{text[:100]!r} is no address of a studio; one is https://lab.example.org")
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
        rules: the name of the rules that tasks are played by. Default: those of the wing.
        host: where to listen; anything but this machine asks for a token.
        port: which port; None: 8808, or the next that is free.
        data: the file recordings are kept in.
        players: how many may play at the same time.
        certificate: a file with the certificate of this machine, for encrypted connections.
        key: the file with its private key.
        public: the address under which a proxy shows the studio to others, such as https://lab.example.org; links
            begin with it, and a token is asked for.
        browser: open it.
        say: is given the researcher's link, and the links of the participants in their order.

    Raises:
        CannotServe, LinksError, StoreError, TaskError, FileNotFoundError, ValueError: it does not start, and why.
    """
    public = None if public is None else public_address(public)
    _check_certificate(certificate, key)
    pages = load_pages()
    shown, name = _shown_task(task, pages)
    made = listening(host, port)
    made.limits, made.encrypted = Limits.of(players, raise_file_limit(players)), certificate is not None
    try:
        store = Store(data)
        # Links that were sent around earlier are valid also where nobody asks for new ones.
        links = Links.beside(store.path, make=bool(participants))
        secure = certificate is not None
        policy = Policy.for_host(host, socket.gethostname(), links=links, secure=secure, public=public)
        link = link_of(
            made, policy, address or ("/" if participants else shown.address_of(name, seed=seed, agent=agent))
        )
        base, page = base_of(made, policy), shown.for_participants[0]
        for_participants = [base + links.address(Link(id, name, seed), page) for id in participants if links]
        # Where one participant plays on this machine, that is who sits before it.
        opened = for_participants[0] if len(participants) == 1 and policy.token is None else link

        def ready() -> None:
            say(link, for_participants)
            if browser:
                # Finding a browser may take seconds.
                threading.Thread(target=webbrowser.open, args=(opened,), daemon=True).start()

        log_to_stderr()
        # A large file takes a while, and nobody has to wait for it.
        threading.Thread(target=warn_of_damage, args=(store,), daemon=True).start()
        try:
            server_for(make_app(Desk(store, rules, players, agent), pages, policy, ready), certificate, key).run(
                sockets=[made]
            )
        except KeyboardInterrupt:  # uvicorn raises it again once everything is closed
            pass
    finally:
        made.close()


def _shown_task(task: str | None, pages: Mapping[str, Pages]) -> tuple[Pages, str | None]:
    """Return the pages that a task is played on, and its name there; without a task, those of the arena."""
    if task is None:
        return pages[ARENA], None
    wing, source = split_source(task)
    if wing.name not in pages:
        raise CannotServe(f"tasks of the wing {wing.name!r} cannot be played in the browser")
    return pages[wing.name], pages[wing.name].add_task(source)


def warn_of_damage(store: Store) -> None:
    """Have SQLite look at the whole file of recordings, and log a warning where it is damaged."""
    try:
        store.check()
    except StoreError as problem:
        logging.getLogger(__name__).warning("%s", problem)


def _check_certificate(certificate: Path | None, key: Path | None) -> None:
    if certificate is None and key is None:
        return
    if certificate is None or key is None:
        missing, there = ("--certificate", "--key") if certificate is None else ("--key", "--certificate")
        raise CannotServe(f"{there} needs {missing} beside it: an encrypted studio has a certificate and its key")
    try:
        check_certificate(certificate, key)
    except CertificateError as problem:
        raise CannotServe(str(problem)) from None
