"""Who may talk to the studio: local by default, with a token otherwise; no other site's pages, in no way.

A participant's link is no token: with it the page and the socket of its task are open, and every other address is
closed, whatever else the browser knows.

A page from elsewhere could reach a server on this machine in three ways: by its own requests (they carry a foreign
`Origin`), by a name that suddenly means this machine (it shows in `Host`), and by framing the studio (forbidden by the
headers). Each is answered here, before anything else looks at a request.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from secrets import token_urlsafe
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from puzzlebox.studio.links import Link, Links, has_key

# The largest request: a task file at its own limit, and room for its headers.
MOST_BYTES = (1 << 20) + 4096
_METHODS = ("GET", "HEAD", "POST")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_REFUSED_SOCKET = 1008
NOT_VALID = "this link is not valid; ask the person who sent it"
_ANOTHER_SITE = "a page of another site may not use this server"
# What a proxy adds to a request. A studio for one machine must not be shown to everybody by accident.
_OF_PROXIES = ("x-forwarded-for", "x-forwarded-host", "forwarded", "x-real-ip")
_PROXY = "this studio is for its own machine only, but a proxy shows it to others; start it with --address"
_NOTHING_ELSE = "this link opens one task and nothing else; go back to it"
_SENTENCE_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Puzzlebox</title>
<meta name="color-scheme" content="light dark">
<body style="display:grid;place-items:center;min-height:90vh;margin:0 24px;font:1.1rem/1.5 system-ui,sans-serif">
<p>{}.</p></body></html>
"""


def is_local(host: str) -> bool:
    """Whether a name or number means this machine only."""
    if host in _LOOPBACK:
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Policy:
    """What is let in.

    Attributes:
        host: what the server is bound to.
        token: what one must know; None where only this machine can connect.
        names: names this machine may be called by, beside numbers.
        links: checks participants' links; None where there are none.
        secure: whether browsers reach the studio by an encrypted connection.
        public: the address under which a proxy shows the studio, without a slash at its end; None: there is no proxy.
    """

    host: str = "127.0.0.1"
    token: str | None = None
    names: frozenset[str] = field(default_factory=frozenset)
    links: Links | None = None
    secure: bool = False
    public: str | None = None

    @classmethod
    def for_host(
        cls,
        host: str,
        *names: str,
        links: Links | None = None,
        secure: bool = False,
        public: str | None = None,
    ) -> "Policy":
        """Local without a token, anything else with a new one. Who comes by a proxy may come from anywhere."""
        if is_local(host) and public is None:
            return cls(host, None, frozenset({"localhost", host.lower()}), links, secure)
        outside = "" if public is None else urlsplit(public).hostname or ""
        secure = secure or (public or "").startswith("https:")
        known = frozenset(name.lower() for name in ("localhost", host, outside, *names) if name)
        return cls(host, token_urlsafe(24), known, links, secure, public)

    def known_host(self, header: str) -> str | None:
        """What a `Host` means, where it may mean us: a name of ours, or a number, which nobody can redirect.

        Returns:
            The name or number and the port, written by us; None: somebody else is meant.
        """
        try:
            parts = urlsplit(f"//{header}")
            host, port = parts.hostname or "", parts.port
        except ValueError:
            return None
        if parts.netloc != header or "@" in header:
            return None
        if host not in self.names:
            try:
                number = ip_address(host)
            except ValueError:
                return None
            if not number.is_loopback and self.token is None:
                return None
            host = f"[{number}]" if number.version == 6 else str(number)
        return host if port is None else f"{host}:{port}"

    @property
    def cookie(self) -> str:
        """The name the token is kept under."""
        return "puzzlebox_token"

    def knows(self, token: str | None) -> bool:
        """Whether this is the token, or none is needed."""
        return self.token is None or (token is not None and compare_digest(token.encode(), self.token.encode()))


def headers_for(host: str, secure: bool = False) -> dict[str, str]:
    """What every answer carries.

    Args:
        host: what the studio is called, as `Policy.known_host` writes it.
        secure: whether the connection is encrypted.
    """
    # 'self' does not mean WebSockets in every browser.
    socket = f" {'wss' if secure else 'ws'}://{host}" if host else ""
    content = (
        "default-src 'self'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
        f"img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'{socket}; "
        "worker-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return {
        "Content-Security-Policy": content,
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }


class Guard:
    """Stands before the application.

    Args:
        app: the application.
        policy: who is let in.
        files: addresses of the page's own files. They are those of the published program, with nothing of a study in
            them, and are answered without a token: a participant's page needs them.
        for_participants: the other addresses that a participant's link opens; every other one is closed to it.
    """

    def __init__(
        self, app: ASGIApp, policy: Policy, files: Collection[str] = (), for_participants: Collection[str] = ()
    ) -> None:
        self._app, self._policy, self._files = app, policy, frozenset(files)
        self._for_participants = frozenset(for_participants)

    @property
    def routes(self) -> list[BaseRoute]:
        """What the application answers."""
        return list(getattr(self._app, "routes", ()))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or say why not."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host = self._policy.known_host(headers.get("host", ""))
        if host is None:
            refusal: Response | None = _refuse(421, "this is not a name of this server; use the link it printed")
        else:
            refusal = self._refusal(scope, headers)
        if scope["type"] == "websocket":
            if refusal is None:
                await self._app(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": _REFUSED_SOCKET})
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                carried = MutableHeaders(scope=message)
                for name, value in headers_for(host or "", self._policy.secure).items():
                    carried[name] = value
                carried.setdefault("Cache-Control", "no-store")
            await send(message)

        await (self._app if refusal is None else refusal)(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """The answer to somebody who may not come in, or has to come in by the door."""
        socket = scope["type"] == "websocket"
        if not socket and scope["method"] not in _METHODS:
            return _refuse(405, "only GET and POST are answered")
        origin = headers.get("origin")
        # Browsers always name the origin of a socket and of what is posted from elsewhere.
        if (origin is None and socket) or (origin is not None and not _same_origin(origin, headers.get("host", ""))):
            return _refuse(403, _ANOTHER_SITE)
        if _from_another_site(scope, headers):
            return _refuse(403, _ANOTHER_SITE)
        if self._policy.token is None and any(name in headers for name in _OF_PROXIES):
            return _refuse(403, _PROXY, scope)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 12 or int(length) > MOST_BYTES:
            return _refuse(413, f"a request may have {MOST_BYTES} bytes", scope)
        if not socket and scope["path"] in self._files:
            return None
        if has_key(_query(scope)):
            return self._by_link(scope)
        return self._without_token(scope, headers)

    def _by_link(self, scope: Scope) -> Response | None:
        """The answer to a participant who may not come in. The link counts even where the browser knows the token."""
        link: Link | None = None if self._policy.links is None else self._policy.links.read(_query(scope))
        if link is None:
            return _refuse(403, NOT_VALID, scope)
        if scope["path"] not in self._for_participants or scope.get("method", "GET") not in ("GET", "HEAD"):
            return _refuse(403, _NOTHING_ELSE, scope)
        scope["state"] = {**scope.get("state", {}), "link": link}
        return None

    def _without_token(self, scope: Scope, headers: Headers) -> Response | None:
        policy = self._policy
        if policy.token is None or policy.knows(_cookie(headers, policy.cookie)):
            return None
        query = parse_qsl(_query(scope), keep_blank_values=True)
        if scope["type"] == "http" and scope["method"] == "GET" and policy.knows(dict(query).get("token")):
            rest = urlencode([pair for pair in query if pair[0] != "token"])
            # The path without its leading slashes: `//elsewhere` would lead to another host.
            path = "/" + quote(scope["path"].lstrip("/\\"))
            answer = RedirectResponse(f"{path}?{rest}" if rest else path, 303)
            answer.set_cookie(
                policy.cookie, policy.token, httponly=True, samesite="strict", secure=policy.secure, path="/"
            )
            return answer
        if "participant" in dict(query):  # a participant's link that has lost its key
            return _refuse(403, NOT_VALID, scope)
        return _refuse(403, "this studio asks for a token; open the link that was printed when it started", scope)


def _query(scope: Scope) -> str:
    """The part of an address after the question mark."""
    return bytes(scope.get("query_string", b"")).decode("latin-1")


def _cookie(headers: Headers, name: str) -> str | None:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return None
    return None if found is None else found.value


def _from_another_site(scope: Scope, headers: Headers) -> bool:
    """Whether another site's page asks for anything but one of our pages, by the word of the browser.

    Links elsewhere may lead to a page. Pictures, films and answers are for our own pages only.
    """
    if headers.get("sec-fetch-site", "none") in ("same-origin", "none"):
        return False
    return headers.get("sec-fetch-mode") != "navigate" or scope["path"].startswith("/api/")


def _same_origin(origin: str, host: str) -> bool:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc) and parts.netloc.lower() == host.lower()


def _refuse(status: int, sentence: str, scope: Scope | None = None) -> Response:
    """One sentence: as JSON below /api, and for people in a form that a telephone shows large enough."""
    if scope is None or scope["type"] == "websocket":
        return PlainTextResponse(sentence + "\n", status)
    if scope["path"].startswith("/api/"):
        return JSONResponse({"message": sentence}, status)
    return HTMLResponse(_SENTENCE_PAGE.format(sentence[0].upper() + sentence[1:]), status)
