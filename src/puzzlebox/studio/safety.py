"""Decides which requests the studio answers: those of this machine, those with a token, and participants' links.

A participant's link is not a token: it opens the page and the socket of its task, and every other address is refused,
even if the browser also has the token.

A page of another site could reach a server on this machine in three ways: by requests of its own (they carry a foreign
`Origin`), by a host name that resolves to this machine (it shows in `Host`), and by framing the studio (the headers
forbid it). Such requests are refused here, before the application sees them.
"""

from collections.abc import Collection, Mapping
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

from puzzlebox.studio.limits import MAX_REQUEST_BYTES
from puzzlebox.studio.links import Link, Links, has_key
from puzzlebox.wings import ARENA

_METHODS = ("GET", "HEAD", "POST")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_POLICY_VIOLATION = 1008
NOT_VALID = "this link is not valid; ask the person who sent it"
_ANOTHER_SITE = "a page of another site may not use this server"
# Headers that proxies add. A proxy must not make a studio without a token public by accident.
_PROXY_HEADERS = ("x-forwarded-for", "x-forwarded-host", "forwarded", "x-real-ip")
_PROXY = "this studio is for its own machine only, but a proxy shows it to others; start it with --address"
_ONLY_ONE_TASK = "this link opens one task and nothing else; go back to it"
_SENTENCE_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Puzzlebox</title>
<meta name="color-scheme" content="light dark">
<body style="display:grid;place-items:center;min-height:90vh;margin:0 24px;font:1.1rem/1.5 system-ui,sans-serif">
<p>{}.</p></body></html>
"""


def is_local(host: str) -> bool:
    """Return whether a host name or IP address means this machine only."""
    if host in _LOOPBACK:
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Policy:
    """The conditions under which the studio answers requests.

    Attributes:
        host: the address the server listens on.
        token: the secret that researchers need; None if only this machine can connect.
        names: the host names of this machine that requests may use, besides IP addresses.
        links: checks participants' links; None if there are none.
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
        """Return the policy for a host: without a token if only this machine can connect, otherwise with a new one.

        Args:
            host: the address the server listens on.
            names: other host names of this machine.
            links: checks participants' links.
            secure: whether the server has a certificate.
            public: the address under which a proxy shows the studio; anybody may connect through it.
        """
        if is_local(host) and public is None:
            return cls(host, None, frozenset({"localhost", host.lower()}), links, secure)
        outside = "" if public is None else urlsplit(public).hostname or ""
        secure = secure or (public or "").startswith("https:")
        all_names = frozenset(name.lower() for name in ("localhost", host, outside, *names) if name)
        return cls(host, token_urlsafe(24), all_names, links, secure, public)

    def known_host(self, header: str) -> str | None:
        """Return the host and port of a `Host` header, if it is a name of this machine or an IP address.

        IP addresses are accepted because, unlike names, they cannot be made to resolve to another machine.

        Returns:
            The host and port in normal form; None for other hosts.
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
                address = ip_address(host)
            except ValueError:
                return None
            if not address.is_loopback and self.token is None:
                return None
            host = f"[{address}]" if address.version == 6 else str(address)
        return host if port is None else f"{host}:{port}"

    @property
    def cookie(self) -> str:
        """The name of the cookie that holds the token."""
        return "puzzlebox_token"

    def accepts(self, token: str | None) -> bool:
        """Return whether a token is correct; any is if the policy has none."""
        return self.token is None or (token is not None and compare_digest(token.encode(), self.token.encode()))


def headers_for(host: str, secure: bool = False) -> dict[str, str]:
    """Return the security headers of every answer.

    Args:
        host: the host of the request, as `Policy.known_host` returns it.
        secure: whether the connection is encrypted.
    """
    # In some browsers 'self' does not include WebSockets.
    socket = f" {'wss' if secure else 'ws'}://{host}" if host else ""
    content_policy = (
        "default-src 'self'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
        f"img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'{socket}; "
        "worker-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return {
        "Content-Security-Policy": content_policy,
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }


class Guard:
    """Refuses requests that the policy does not allow, and passes all others to the application.

    Args:
        app: the application.
        policy: which requests are answered.
        files: addresses of the page's own files. They are part of the published program and contain nothing of a
            study; they are answered without a token because a participant's page needs them.
        for_participants: the other addresses that a participant's link opens, by the wing of its task: those that the
            pages of the wing name (`Pages.for_participants`; in the arena `/play` and `/ws`). All others are refused.
    """

    def __init__(
        self,
        app: ASGIApp,
        policy: Policy,
        files: Collection[str] = (),
        for_participants: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        self._app, self._policy, self._files = app, policy, frozenset(files)
        self._for_participants = {wing: frozenset(paths) for wing, paths in (for_participants or {}).items()}

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes of the application."""
        return list(getattr(self._app, "routes", ()))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the application, or refuse it with one sentence."""
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
                await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer_headers = MutableHeaders(scope=message)
                for name, value in headers_for(host or "", self._policy.secure).items():
                    answer_headers[name] = value
                answer_headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await (self._app if refusal is None else refusal)(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """Return the answer to a request that is refused or redirected; None if it is allowed."""
        socket = scope["type"] == "websocket"
        if not socket and scope["method"] not in _METHODS:
            return _refuse(405, "only GET and POST are answered")
        origin = headers.get("origin")
        # Browsers always send the origin of a WebSocket, and of a POST from another site.
        if (origin is None and socket) or (origin is not None and not _same_origin(origin, headers.get("host", ""))):
            return _refuse(403, _ANOTHER_SITE)
        if _from_another_site(scope, headers):
            return _refuse(403, _ANOTHER_SITE)
        if self._policy.token is None and any(name in headers for name in _PROXY_HEADERS):
            return _refuse(403, _PROXY, scope)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 12 or int(length) > MAX_REQUEST_BYTES:
            return _refuse(413, f"a request may have at most {MAX_REQUEST_BYTES} bytes", scope)
        if not socket and scope["path"] in self._files:
            return None
        if has_key(_query(scope)):
            return self._check_link(scope)
        return self._check_token(scope, headers)

    def _check_link(self, scope: Scope) -> Response | None:
        """Return the refusal of a request with a participant's link, or None; a token in the browser does not count."""
        link: Link | None = None if self._policy.links is None else self._policy.links.read(_query(scope))
        if link is None:
            return _refuse(403, NOT_VALID, scope)
        # Names of tasks outside the arena begin with the name of their wing.
        wing = (link.task or "").partition("/")[0]
        opened = self._for_participants.get(wing if wing != ARENA else "", self._for_participants.get(ARENA, ()))
        if scope["path"] not in opened:
            return _refuse(403, _ONLY_ONE_TASK, scope)
        scope["state"] = {**scope.get("state", {}), "link": link}
        return None

    def _check_token(self, scope: Scope, headers: Headers) -> Response | None:
        policy = self._policy
        if policy.token is None or policy.accepts(_cookie(headers, policy.cookie)):
            return None
        query = parse_qsl(_query(scope), keep_blank_values=True)
        if scope["type"] == "http" and scope["method"] == "GET" and policy.accepts(dict(query).get("token")):
            rest = urlencode([pair for pair in query if pair[0] != "token"])
            # The path without its leading slashes: `//elsewhere` would lead to another host.
            path = "/" + quote(scope["path"].lstrip("/\\"))
            answer = RedirectResponse(f"{path}?{rest}" if rest else path, 303)
            answer.set_cookie(
                policy.cookie, policy.token, httponly=True, samesite="strict", secure=policy.secure, path="/"
            )
            return answer
        if "participant" in dict(query):  # a participant's link without its key
            return _refuse(403, NOT_VALID, scope)
        return _refuse(403, "this studio asks for a token; open the link that was printed when it started", scope)


def _query(scope: Scope) -> str:
    """Return the query of an address: the part after the question mark."""
    return bytes(scope.get("query_string", b"")).decode("latin-1")


def _cookie(headers: Headers, name: str) -> str | None:
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return None
    return None if cookie is None else cookie.value


def _from_another_site(scope: Scope, headers: Headers) -> bool:
    """Return whether the browser reports that a page of another site requests anything but a page of the studio.

    Other sites may link to pages. Pictures, films and data are for the studio's own pages only.
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
    """Return a refusal of one sentence: as JSON below /api, elsewhere as a page that is readable on a phone."""
    if scope is None or scope["type"] == "websocket":
        return PlainTextResponse(sentence + "\n", status)
    if scope["path"].startswith("/api/"):
        return JSONResponse({"message": sentence}, status)
    return HTMLResponse(_SENTENCE_PAGE.format(sentence[0].upper() + sentence[1:]), status)
