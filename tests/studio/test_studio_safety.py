"""Only the user's own pages may use the studio, and no request may name a file of this machine."""

import http.client
import json
import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from puzzlebox.arena.studio import catalogue
from puzzlebox.studio import recordings
from puzzlebox.studio.limits import MAX_REQUEST_BYTES
from puzzlebox.studio.safety import Guard, Policy, is_local
from puzzlebox.studio.static import load_page_files
from studio_page import TIMEOUT_SECONDS, Page, Studio, run_async, running


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with running(tmp_path_factory.mktemp("studio") / "recordings.sqlite") as studio:
        yield studio


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A studio that others can reach, here still only on this machine."""
    policy = Policy.for_host("0.0.0.0", "lab-computer")
    with running(tmp_path_factory.mktemp("remote") / "recordings.sqlite", policy) as studio:
        yield studio


def status_of_socket(studio: Studio, **headers: str) -> int:
    """Return the status of the answer to a WebSocket request: 101, or a refusal."""
    try:
        with connect(
            f"ws://127.0.0.1:{studio.port}/ws",
            additional_headers=headers,
            compression=None,
            open_timeout=TIMEOUT_SECONDS,
        ):
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


# --- headers


@pytest.mark.parametrize("path", ["/", "/api/tasks", "/nothing", "/icon.svg"])
def test_every_answer_carries_the_headers(studio: Studio, path: str) -> None:
    _, headers, _ = studio.ask(path)
    policy = headers["content-security-policy"]
    assert "default-src 'self'" in policy and "script-src 'self';" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe-eval" not in policy
    assert "script-src 'self' " not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"


def test_answers_of_the_api_are_not_cached(studio: Studio) -> None:
    for path in ("/api/tasks", "/api/recordings", "/api/agents", "/api/nothing"):
        assert studio.ask(path)[1]["cache-control"] == "no-store"


def test_the_page_has_no_inline_script(studio: Studio) -> None:
    _, headers, body = studio.ask("/")
    assert headers["content-type"] == "text/html; charset=utf-8"
    text = body.decode()
    assert all("src=" in piece.split(">")[0] for piece in text.split("<script")[1:])
    assert " onload=" not in text and "javascript:" not in text


@pytest.mark.parametrize("page", ["/play", "/watch", "/recordings", "/recordings/abc123"])
def test_all_addresses_serve_the_same_html(studio: Studio, page: str) -> None:
    assert studio.ask(page)[2] == studio.ask("/")[2]


def test_files_are_compressed_if_the_client_accepts_gzip(studio: Studio) -> None:
    import gzip

    address = next(path for path, file in load_page_files().items() if path.endswith(".js") and len(file.data) > 2000)
    _, plain, body = studio.ask(address)
    _, packed, small = studio.ask(address, headers={"Accept-Encoding": "gzip"})
    assert packed["content-encoding"] == "gzip" and "content-encoding" not in plain
    assert gzip.decompress(small) == body and len(small) < len(body)
    assert "immutable" in plain["cache-control"]


# --- names and origins


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8808", "192.168.1.5", "", "127.0.0.1.evil.example", "[", "a b"]
)
def test_another_name_for_this_machine_is_refused(studio: Studio, host: str) -> None:
    """A foreign name that resolves to 127.0.0.1 (DNS rebinding)."""
    assert studio.ask("/api/tasks", headers={"Host": host})[0] in (400, 421)
    assert status_of_socket(studio, Host=host, Origin=f"http://{host}") in (400, 403)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:8808", "[::1]:8808", "127.0.0.1:5173"])
def test_its_own_names_are_accepted(studio: Studio, host: str) -> None:
    assert studio.ask("/api/agents", headers={"Host": host})[0] == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://127.0.0.1:1", "file://", "https://localhost.evil.example", "http://["],
)
def test_a_page_of_another_site_is_refused(studio: Studio, origin: str) -> None:
    assert status_of_socket(studio, Origin=origin) == 403
    text = b"arenas: [{items: []}]"
    assert studio.ask("/api/check", method="POST", body=text, headers={"Origin": origin})[0] == 403
    assert studio.ask("/api/recordings", headers={"Origin": origin})[0] == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_pictures_and_answers_are_not_for_pages_of_other_sites(studio: Studio, site: str) -> None:
    """A picture in a page of another site carries no `Origin`; but browsers send its site."""
    image = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
    for path in ("/api/thumbnails/examples/food.png", "/api/recordings/x/film.mp4", "/api/tasks", "/icon.svg", "/"):
        status, _, body = studio.ask(path, headers=image)
        assert (status, body) == (403, b"a page of another site may not use this server\n"), path
    opened = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert studio.ask("/api/recordings", headers=opened)[0] == 403
    # A link in a mail leads to a page.
    for path in ("/", "/play?task=examples/food", "/recordings"):
        assert studio.ask(path, headers=opened)[0] == 200


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_its_own_pages_get_pictures(studio: Studio, site: str) -> None:
    assert studio.ask("/api/thumbnails/examples/food.png", headers={"Sec-Fetch-Site": site})[0] == 200


HOSTS = (
    "localhost:1; script-src *",
    "127.0.0.1:99999",
    "evil@localhost",
    "localhost:80@evil.example",
    "localhost#x",
    "a,b",
)


@pytest.mark.parametrize("host", HOSTS)
def test_a_host_that_is_more_than_a_name_is_refused(studio: Studio, host: str) -> None:
    status, headers, body = studio.ask("/", headers={"Host": host})
    assert status in (400, 421)
    assert host not in str(headers) and host.encode() not in body


def test_the_host_header_is_not_echoed(studio: Studio) -> None:
    """The host is written in normal form, not as it was sent."""
    for path in ("/", "/play/", "/api/tasks/", "/nothing", "/api/recordings/x", "//"):
        status, headers, body = studio.ask(path, headers={"Host": "LocalHost:0080"})
        assert "location" not in headers and status in (200, 404)
        assert "LocalHost" not in str(headers) and "0080" not in str(headers) and b"LocalHost" not in body
    content = studio.ask("/", headers={"Host": "[::1]:8808"})[1]["content-security-policy"]
    assert "connect-src 'self' ws://[::1]:8808;" in content


def test_head_makes_no_film_and_no_picture(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    with studio.page(task="examples/food") as page:
        page.until(lambda page: page.acknowledged)

    def nothing(*_: object) -> bytes:
        raise AssertionError("HEAD must not make content")

    for name in ("make_film", "paint_picture", "read_blocks"):
        monkeypatch.setattr(recordings, name, nothing)
    monkeypatch.setattr(catalogue, "paint", nothing)
    one = f"/api/recordings/{page.episode}"
    for path, kind in (
        (f"{one}/film.mp4", "video/mp4"),
        (f"{one}/film.gif", "image/gif"),
        (f"{one}/picture.png", "image/png"),
        (f"{one}/frames", "application/octet-stream"),
        ("/api/thumbnails/examples/food.png?width=77", "image/png"),
    ):
        status, headers, body = studio.ask(path, method="HEAD")
        assert (status, headers["content-type"], body) == (200, kind, b"")
    for path in ("/api/recordings/none/film.mp4", f"{one}/film.avi", "/api/thumbnails/none.png"):
        assert studio.ask(path, method="HEAD")[0] == 404


def test_the_number_of_waiting_films_is_limited(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    with studio.page(task="examples/food") as page:
        page.until(lambda page: page.acknowledged)
    films, goes_on = [], threading.Event()

    def film(*_: object) -> bytes:
        films.append(1)
        assert goes_on.wait(TIMEOUT_SECONDS)
        return b"film"

    monkeypatch.setattr(recordings, "make_film", film)
    path = f"/api/recordings/{page.episode}/film.mp4"
    with ThreadPoolExecutor(12) as pool:
        requests = {pool.submit(studio.ask, path) for _ in range(12)}
        refused: set[Future[tuple[int, dict[str, str], bytes]]] = set()
        while len(refused) < 3:
            done, _ = wait(requests - refused, TIMEOUT_SECONDS, return_when=FIRST_COMPLETED)
            assert done
            refused |= done
        sentence = "9 films are being made or wait for that; try again in a minute"
        for status, headers, body in (each.result() for each in refused):
            assert (status, json.loads(body), headers["retry-after"]) == (503, {"message": sentence}, "60")
        # One is made at a time, and other requests do not wait for it.
        assert len(films) == 1 and studio.ask("/api/agents")[0] == 200
        goes_on.set()
        assert [each.result()[0] for each in requests - refused] == [200] * 9


def test_a_socket_must_send_its_origin(studio: Studio) -> None:
    assert status_of_socket(studio) == 403
    assert status_of_socket(studio, Origin=f"http://{studio.host}") == 101


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_other_methods_are_refused(studio: Studio, method: str) -> None:
    assert studio.ask("/api/tasks", method=method)[0] == 405


def test_posting_where_nothing_is_posted_is_refused(studio: Studio) -> None:
    assert studio.ask("/api/tasks", method="POST", body=b"x")[0] == 405


# --- sizes


def test_too_large_a_file_is_refused(studio: Studio) -> None:
    status, _, body = studio.ask("/api/check", method="POST", body=b"#" * (MAX_REQUEST_BYTES - 100))
    assert status == 413 and b"at most 1048576 bytes" in body


def test_a_file_announced_as_too_large_is_not_read(studio: Studio) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=TIMEOUT_SECONDS)
    connection.putrequest("POST", "/api/check")
    connection.putheader("Content-Length", str(10**10))
    connection.endheaders()
    answer = connection.getresponse()
    assert answer.status == 413 and list(json.loads(answer.read())) == ["message"]
    connection.close()


def test_a_file_in_pieces_without_a_length_is_limited_too(studio: Studio) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=TIMEOUT_SECONDS)
    pieces = (b"#" * 100_000 for _ in range(14))
    connection.request("POST", "/api/check", pieces, {"Transfer-Encoding": "chunked"}, encode_chunked=True)
    assert connection.getresponse().status == 413
    connection.close()


# --- files


SECRETS = (
    "/../../../../etc/passwd",
    "/assets/../../../../../etc/passwd",
    "/assets/..%2f..%2f..%2f..%2fetc%2fpasswd",
    "/assets/%2e%2e/%2e%2e/__init__.py",
    "/..%5c..%5c__init__.py",
    "//etc/passwd",
    "/assets//etc/passwd",
    "/static/index.html",
    "/index.html/../../app.py",
    "/api/thumbnails/../../../../etc/passwd.png",
    "/api/thumbnails/..%2f..%2f..%2fetc%2fpasswd.png",
    "/api/thumbnails//etc/passwd.png",
    "/api/thumbnails/file:%2fetc%2fpasswd.png",
    "/api/recordings/..%2f..%2fetc%2fpasswd",
    "/api/recordings/..%2f..%2fetc%2fpasswd/frames",
    "/assets/%00",
)


@pytest.mark.parametrize("path", SECRETS)
def test_no_address_names_another_file(studio: Studio, path: str) -> None:
    status, _, body = studio.ask(path)
    assert status in (400, 404)
    assert b"root:" not in body and b"import" not in body


def test_only_listed_files_are_served(tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<p>page</p>")
    (tmp_path / "assets" / "a.js").write_text("1")
    (tmp_path / "assets" / "notes.txt").write_text("not for the page")
    (tmp_path / "assets" / "link.js").symlink_to("/etc/hostname")
    assert sorted(load_page_files(tmp_path)) == ["/", "/assets/a.js"]


def test_a_page_that_is_not_built_is_replaced_by_a_sentence(tmp_path: Path) -> None:
    assert b"has not been built" in load_page_files(tmp_path)["/"].data


# --- the token


def test_only_this_machine_needs_no_token() -> None:
    assert all(map(is_local, ("127.0.0.1", "localhost", "::1", "127.5.5.5")))
    assert not any(map(is_local, ("0.0.0.0", "::", "192.168.0.7", "example.org", "")))
    assert Policy.for_host("127.0.0.1").token is None
    tokens = {Policy.for_host("0.0.0.0").token for _ in range(20)}
    assert len(tokens) == 20 and all(token is not None and len(token) >= 32 for token in tokens)


def test_other_machines_need_the_token(remote: Studio) -> None:
    token = remote.policy.token
    for path in ("/", "/api/tasks", "/api/recordings", "/recordings", "/?token=wrong", "/?token=", "/?token=%00"):
        status, headers, body = remote.ask(path)
        assert status == 403 and b"token" in body and str(token) not in body.decode()
        assert "set-cookie" not in headers
    assert remote.ask("/api/check?token=" + str(token), method="POST", body=b"x")[0] == 403
    assert status_of_socket(remote, Origin=f"http://127.0.0.1:{remote.port}") == 403


def test_the_printed_link_gives_access(remote: Studio) -> None:
    status, headers, _ = remote.ask(f"/play?task=foraging&token={remote.policy.token}&seed=3")
    assert (status, headers["location"]) == (303, "/play?task=foraging&seed=3")
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie and "samesite=strict" in cookie.lower()
    key = cookie.split(";")[0]
    assert remote.ask("/api/tasks", headers={"Cookie": key})[0] == 200
    assert status_of_socket(remote, Origin=f"http://127.0.0.1:{remote.port}", Cookie=key) == 101
    assert remote.ask("/api/tasks", headers={"Cookie": key + "x"})[0] == 403
    with Page(remote.port, {"type": "start", "task": "examples/food"}, {"Cookie": key}) as page:
        page.until_step(2)


def test_the_token_redirect_stays_on_this_host(remote: Studio) -> None:
    for path in ("//evil.example/", "/%5cevil.example/", "/\\evil.example"):
        _, headers, _ = remote.ask(f"{path}?token={remote.policy.token}")
        location = headers.get("location", "/")
        assert location.startswith("/") and not location.startswith(("//", "/\\", "/%5c", "/%5C"))


def test_a_reachable_studio_still_checks_the_host(remote: Studio) -> None:
    key = {"Cookie": f"{remote.policy.cookie}={remote.policy.token}"}
    for host in ("lab-computer:8808", "192.168.1.5:8808", "0.0.0.0"):
        assert remote.ask("/api/tasks", headers={"Host": host, **key})[0] == 200
    assert remote.ask("/api/tasks", headers={"Host": "evil.example", **key})[0] == 421


def test_the_guard_lets_other_messages_pass() -> None:
    """The guard passes lifespan messages through."""
    scopes = []

    async def app(scope: dict[str, str], receive: object, send: object) -> None:
        scopes.append(scope["type"])

    run_async(lambda: Guard(app, Policy())({"type": "lifespan"}, None, None))  # type: ignore[arg-type]
    assert scopes == ["lifespan"]


def test_agents_by_import_path_are_for_the_command_line(studio: Studio) -> None:
    """A page must not be able to have any module imported."""
    with studio.page(task="examples/food", agent="os:system") as page:
        assert page.error() == "there is no agent 'os:system'; allowed: " + ", ".join(
            agent["name"] for agent in studio.json("/api/agents")["agents"]
        )


def test_the_title_of_a_task_is_only_text(studio: Studio) -> None:
    title = "<script>alert(1)</script>"
    task = studio.upload(f"metadata: {{title: '{title}'}}\narenas: [{{items: [{{name: Agent}}]}}]")
    with studio.page(task=task) as page:
        page.until(lambda page: page.acknowledged)
        assert page.episodes[0]["title"] == title
    _, headers, body = studio.ask("/api/recordings")
    assert headers["content-type"] == "application/json"
    assert json.loads(body)["recordings"][0]["title"] == title
