"""Connections of unknown clients: too many, too slow, or with nonsense; other players are not disturbed."""

import asyncio
import errno
import json
import logging
import random
import resource
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner
from websockets.asyncio.client import connect as open_socket
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from programs import program
from puzzlebox.cli.app import app
from puzzlebox.cli.play import PLAYERS as CLI_PLAYERS
from puzzlebox.studio import connections, limits
from puzzlebox.studio.certificate import CertificateError, check_certificate, names_host
from puzzlebox.studio.limits import PLAYERS, Limits
from puzzlebox.studio.listener import Listener
from puzzlebox.studio.log import RateLimit
from puzzlebox.studio.safety import Policy
from puzzlebox.studio.server import open_listener
from studio_page import TIMEOUT_SECONDS, Page, Studio, ask, free_port, run_async, running, server, wait_for

UPGRADE = (
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
CERTIFICATES = Path(__file__).parent / "certificates"


@pytest.fixture
def hurried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Studio]:
    """A studio with time limits of a fifth of a second."""
    monkeypatch.setattr(connections, "_CHECK_SECONDS", 0.05)
    for name in ("REQUEST_SECONDS", "UPLOAD_SECONDS", "STALLED_SECONDS"):
        monkeypatch.setattr(limits, name, 0.2)
    with running(tmp_path / "recordings.sqlite") as studio:
        yield studio


@contextmanager
def sockets(port: int, count: int, first: bytes = b"") -> Iterator[list[socket.socket]]:
    """Open connections, each of which has sent `first`."""
    with ExitStack() as stack:
        clients = []
        for _ in range(count):
            each = stack.enter_context(socket.create_connection(("127.0.0.1", port), TIMEOUT_SECONDS))
            if first:
                each.sendall(first)
            clients.append(each)
        yield clients


def closed(each: socket.socket) -> bool:
    """Whether the other side has closed a connection, after all data was read."""
    each.settimeout(0.01)
    try:
        while each.recv(65536):
            pass
    except TimeoutError:
        return False
    except OSError:
        pass
    return True


# --- how many


def test_idle_connections_do_not_block_others(tmp_path: Path) -> None:
    """More of them than the program may have files: the page opens, nothing spins, and nothing fills the log."""
    port = free_port()
    command = [sys.executable, "-m", "puzzlebox.cli", "play", "--no-browser", "--port", str(port)]
    with program(
        [*command, "--data", str(tmp_path / "r.sqlite")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (220, 220)),
    ) as process:
        assert process.stdout is not None and process.stdout.readline()
        with sockets(port, 300):
            for _ in range(3):
                assert ask(port, "/")[0] == 200
        process.terminate()
        words = process.communicate(timeout=TIMEOUT_SECONDS)[1]
    assert "Traceback" not in words and len(words) < 1000, words[:2000]


def test_a_new_connection_replaces_the_oldest_idle_one(tmp_path: Path) -> None:
    with running(tmp_path / "r.sqlite") as studio:
        studio.listener.limits = Limits(8, 6)
        with sockets(studio.port, 8) as silent, studio.page(task="examples/food") as page:
            page.until_step(1)
            wait_for(lambda: closed(silent[0]))
            assert not closed(silent[-1])
            assert ask(studio.port, "/")[0] == 200
            page.until_step(page.step + 2)
        wait_for(lambda: len(studio.listener) == 0)


@pytest.mark.parametrize("kind", ["body", "socket", "answered"])
def test_unfinished_requests_do_not_block_others(tmp_path: Path, kind: str) -> None:
    """An upload that breaks off, a WebSocket that sends nothing, a browser that has got its page."""
    with running(tmp_path / "r.sqlite") as studio:
        studio.listener.limits = Limits(8, 6)
        head = f"Host: {studio.host}\r\nOrigin: http://{studio.host}\r\n"
        first = {
            "body": f"POST /api/check HTTP/1.1\r\n{head}Content-Length: 100000\r\n\r\n#",
            "socket": f"GET /ws HTTP/1.1\r\n{head}{UPGRADE}",
            "answered": f"GET /api/agents HTTP/1.1\r\n{head}\r\n",
        }[kind]
        with sockets(studio.port, 8, first.encode()) as unfinished:
            if kind != "body":
                assert all(each.recv(1) for each in unfinished)  # the beginning of an answer
            wait_for(lambda: len(studio.listener._idle) == 8)
            with studio.page(task="examples/food") as page:
                page.until_step(1)
                wait_for(lambda: any(map(closed, unfinished)))
                assert ask(studio.port, "/")[0] == 200
                page.until_step(page.step + 2)


def test_with_all_connections_busy_the_next_one_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with running(tmp_path / "r.sqlite") as studio:
        studio.listener.limits = Limits(2, 2)
        with studio.page(task="examples/food") as one, studio.page(task="examples/food") as two:
            one.until_step(1)
            two.until_step(1)
            with sockets(studio.port, 1) as (third,):
                answer = third.recv(4096)
            assert answer.startswith(b"HTTP/1.1 503 ") and answer.endswith(b"try again in a minute.\n")
            one.until_step(one.step + 2)
        wait_for(lambda: len(studio.listener) == 0)
        assert ask(studio.port, "/")[0] == 200


def test_one_address_cannot_take_all_places() -> None:
    with open_listener("127.0.0.1", 0) as listener:
        listener.limits = Limits(8, 6)
        listener._open.update({"192.0.2.1": 6, "127.0.0.1": 1})
        assert not listener._make_room("192.0.2.1")
        assert listener._make_room("192.0.2.2") and listener._make_room("127.0.0.1") and listener._make_room("::1")
        listener._open.update({"127.0.0.1": 1})
        assert not any(map(listener._make_room, ("192.0.2.2", "127.0.0.1", "::ffff:127.0.0.1", "fe80::1%eth0")))


def test_without_a_free_descriptor_connections_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    accept, failures = socket.socket.accept, [OSError(errno.EMFILE, "Too many open files")]

    def sometimes(self: socket.socket) -> Any:
        if failures:
            raise failures.pop()
        return accept(self)

    with open_listener("127.0.0.1", 0) as listener, sockets(listener.getsockname()[1], 2) as (first, second):
        monkeypatch.setattr(socket.socket, "accept", sometimes)
        accepted, address = listener.accept()
        with accepted:
            assert closed(first) and not closed(second)
            assert address == second.getsockname()
        monkeypatch.setattr(listener, "_next", lambda: (None, None))
        with pytest.raises(BlockingIOError):
            Listener.accept(listener)


def test_accepted_connections_are_read_before_many_more_are_accepted() -> None:
    """Only a few are accepted in a row, so that the first are not closed as idle before they were read."""
    with open_listener("127.0.0.1", 0) as listener, sockets(listener.getsockname()[1], 7), ExitStack() as opened:
        listener.setblocking(False)
        listener.limits = Limits(8, 8)
        in_a_row = []
        while sum(in_a_row) < 7:
            in_a_row.append(0)
            try:
                while True:
                    opened.enter_context(listener.accept()[0])
                    in_a_row[-1] += 1
            except BlockingIOError:
                pass
        assert in_a_row == [2, 2, 2, 1]


@pytest.mark.parametrize(
    ("players", "files", "connections"), [(64, None, 640), (100, 4096, 928), (64, 256, 64), (9, 1, 16)]
)
def test_there_are_connections_enough_for_all_players_and_files_for_all_connections(
    players: int, files: int | None, connections: int
) -> None:
    computed = Limits.of(players, files)
    assert computed.connections == connections and computed.per_address < connections
    assert PLAYERS == CLI_PLAYERS


# --- how long


@pytest.mark.parametrize(
    ("first", "piece"),
    [(b"", b""), (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ", b"x"), (b"G", b"")],
)
def test_a_request_that_does_not_come_to_an_end_is_given_up(hurried: Studio, first: bytes, piece: bytes) -> None:
    with sockets(hurried.port, 3, first) as slow:
        _until_closed(slow, piece)
    assert ask(hurried.port, "/")[0] == 200


@pytest.mark.parametrize("path", ["/api/check", "/nothing"])
def test_a_body_that_does_not_come_to_an_end_is_given_up(hurried: Studio, path: str) -> None:
    """Also after it was refused, when its body is not read any more."""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n".encode()
    with sockets(hurried.port, 3, head) as slow:
        _until_closed(slow, b"#")


def test_a_page_that_takes_nothing_is_given_up(hurried: Studio) -> None:
    requests = b"GET /api/tasks HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 300
    with socket.socket() as lazy:
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        lazy.connect(("127.0.0.1", hurried.port))
        lazy.sendall(requests)
        wait_for(lambda: len(hurried.listener) == 1)
        wait_for(lambda: len(hurried.listener) == 0)


def test_time_limits_do_not_apply_to_players(hurried: Studio) -> None:
    with hurried.page(task="examples/food") as page:
        page.until_step(60)  # more than a second
        assert ask(hurried.port, "/")[0] == 200


def _until_closed(slow: list[socket.socket], piece: bytes) -> None:
    end = time.monotonic() + TIMEOUT_SECONDS
    while not all(map(closed, slow)):
        assert time.monotonic() < end
        for each in slow:
            try:
                each.sendall(piece)
            except OSError:
                pass


# --- frames that are not messages


@pytest.mark.parametrize("opcode", [0x09, 0x00])
def test_pings_and_empty_pieces_without_end_are_not_taken(hurried: Studio, opcode: int) -> None:
    request = f"GET /ws HTTP/1.1\r\nHost: {hurried.host}\r\nOrigin: http://{hurried.host}\r\n{UPGRADE}"
    fin = 0x80 if opcode else 0
    start = b"" if opcode else bytes([0x01, 0x80, 0, 0, 0, 0])
    with sockets(hurried.port, 1, request.encode() + start) as (each,):
        piece = bytes([fin | opcode, 0x80, 0, 0, 0, 0]) * 2000
        _until_closed([each], piece)
    wait_for(lambda: len(hurried.listener) == 0)


KNOWN = ("start", "resume", "keys", "begin", "restart", "next", "again", "pause", "hidden", "view", "speed")
NAMES = (
    *("task", "arena", "seed", "agent", "participant", "episode"),
    *("step", "actions", "key", "action", "on", "view", "times"),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 8, 9, 2**31, 2**63, 2**64, 10**300, 0.5, -0.0, 1e308, float("inf"), float("nan")),
    *("", "x", "\x00", "\ud800", "../..", "examples/food", "everything", "random", "os:system", "P07", "third"),
    *("a" * 400, [], [0], [0] * 3001, [True], ["a"], [[]], [8, 9], {}, {"type": "start"}, {"a": [None]}),
)
NO_MESSAGES = ("", "[]", "null", '"start"', "{", "{}", '{"type": 1}', "[" * 5000, '{"type": ' + "9" * 5000 + "}")


def _nonsense(rng: random.Random) -> str:
    """A message no page would send, or nearly one."""
    if rng.random() < 0.1:
        return rng.choice(NO_MESSAGES)
    message = {name: rng.choice(VALUES) for name in rng.sample(NAMES, rng.randrange(len(NAMES)))}
    return json.dumps(message | {"type": rng.choice((*KNOWN, *KNOWN, *KNOWN, "", "\ud800", "é"))})


@pytest.mark.parametrize("seed", range(2))
def test_nonsense_is_answered_with_a_sentence(tmp_path: Path, caplog: pytest.LogCaptureFixture, seed: int) -> None:
    """Before and after `start`; no exception is logged, and another player is not disturbed."""
    rng = random.Random(seed)
    with running(tmp_path / "r.sqlite") as studio, studio.page(task="examples/food") as witness:
        witness.until_step(1)
        sentences = []
        for number in range(60):
            first: dict[str, Any] = {"type": "start", "task": "examples/food"}
            if number % 2:
                some = {name: rng.choice(VALUES) for name in rng.sample(NAMES, 3)}
                first = some | {"type": rng.choice(("start", "resume", *KNOWN))}
            sentences += _errors_for(studio, [json.dumps(first), *(_nonsense(rng) for _ in range(30))])
        assert len(set(sentences)) > 10
        assert not [sentence for sentence in sentences if "the studio failed" in sentence or "\n" in sentence]
        witness.until_step(witness.step + 2)
    assert not [record for record in caplog.records if record.exc_info], caplog.text


def _errors_for(studio: Studio, messages: list[str]) -> list[str]:
    """The sentences with which the studio closes a connection that sends all these messages."""
    sentences = []
    origin: Any = f"http://{studio.host}"
    with connect(f"ws://{studio.host}/ws", origin=origin, compression=None, close_timeout=1) as each:
        try:
            for message in messages:
                each.send(message)
        except ConnectionClosed:
            pass
        try:
            while True:
                message = each.recv(TIMEOUT_SECONDS)
                if isinstance(message, str) and json.loads(message)["type"] == "error":
                    sentences.append(str(json.loads(message)["message"]))
        except ConnectionClosed as end:
            assert end.rcvd is not None and end.rcvd.code in (1008, 4001), end
    return sentences


# --- the log


def test_the_same_message_is_logged_only_a_few_times_a_minute() -> None:
    now = [0.0]
    limit = RateLimit(lambda: now[0])

    def logged(message: str, *arguments: object) -> str | None:
        record = logging.LogRecord("uvicorn.error", logging.WARNING, "", 0, message, arguments, None)
        return record.getMessage() if limit.filter(record) else None

    entries = [logged("Invalid request of %s", number) for number in range(1000)]
    assert [text for text in entries if text] == [
        *(f"Invalid request of {number}" for number in range(4)),
        "Invalid request of 4 (left out for the rest of this minute, should it come again)",
    ]
    # Other messages are logged, up to the limit for all.
    assert sum(logged(f"message {number}") is not None for number in range(1000)) == 55
    now[0] = 61.0
    assert (
        logged("Invalid request of %s", "x") == "Invalid request of x (1940 more entries were left out before this one)"
    )
    assert logged("message 1") == "message 1"


# --- encryption


@pytest.mark.parametrize(
    ("certificate", "key", "sentence"),
    [
        ("good.pem", "other.key", "the key .*other.key does not belong to the certificate .*good.pem"),
        ("good.pem", "locked.key", "locked.key is protected by a password"),
        ("expired.pem", "good.key", "the certificate .*expired.pem has expired"),
        ("none.pem", "good.key", "none.pem cannot be read: No such file"),
        ("good.key", "good.key", "good.key holds no certificate in PEM form"),
        ("good.pem", "good.pem", "good.pem holds no private key in PEM form"),
    ],
)
def test_a_certificate_that_cannot_be_used_is_refused_in_one_sentence(
    certificate: str, key: str, sentence: str
) -> None:
    with pytest.raises(CertificateError, match=sentence):
        check_certificate(CERTIFICATES / certificate, CERTIFICATES / key)


def test_a_broken_certificate_is_refused_in_one_sentence(tmp_path: Path) -> None:
    broken = tmp_path / "broken.pem"
    broken.write_text((CERTIFICATES / "good.pem").read_text().replace("A", "B", 20))
    with pytest.raises(CertificateError, match="cannot be used"):
        check_certificate(broken, CERTIFICATES / "good.key")


@pytest.mark.parametrize(
    ("host", "named"), [("localhost", True), ("127.0.0.1", True), ("lab-computer", False), ("192.0.2.2", False)]
)
def test_a_certificate_names_the_host_of_the_links_or_not(host: str, named: bool) -> None:
    assert names_host(CERTIFICATES / "good.pem", CERTIFICATES / "good.key", host) is named


def test_an_encrypted_studio_is_played(tmp_path: Path) -> None:
    port = free_port()
    trust = ssl.create_default_context(cafile=CERTIFICATES / "good.pem")
    options = ["--certificate", str(CERTIFICATES / "good.pem"), "--key", str(CERTIFICATES / "good.key")]
    command = [sys.executable, "-m", "puzzlebox.cli", "play", "--no-browser", "--port", str(port), "--host", "0.0.0.0"]
    with program(
        [*command, *options, "--participant", "P07", "--data", str(tmp_path / "r.sqlite")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        link = process.stdout.readline().strip()
        own = process.stderr.readline().split()[-1]
        assert link.startswith("https://") and own.startswith("https://")
        # Connections without a handshake are closed after a while; these are still within their time.
        with sockets(port, 20):
            head = _secure(port, trust, "/?" + own.split("?")[1])
            assert b" 303 " in head and b"; Secure" in head
            assert b"wss://127.0.0.1" in head and b" ws://" not in head
            query = link.split("?")[1]
            with connect(
                f"wss://127.0.0.1:{port}/ws?{query}",
                origin=f"https://127.0.0.1:{port}",  # type: ignore[arg-type]
                ssl=trust,
                compression=None,
            ) as page:
                page.send('{"type": "start"}')
                message = json.loads(page.recv(TIMEOUT_SECONDS))
                assert (message["type"], message["participant"]) == ("episode", "P07")
        process.terminate()
        words = process.communicate(timeout=TIMEOUT_SECONDS)[1]
    assert "not encrypted" not in words and "Traceback" not in words


def _secure(port: int, trust: ssl.SSLContext, path: str) -> bytes:
    with socket.create_connection(("127.0.0.1", port), TIMEOUT_SECONDS) as plain:
        with trust.wrap_socket(plain, server_hostname="127.0.0.1") as each:
            each.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
            answer = b""
            while piece := each.recv(65536):
                answer += piece
            return answer


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--certificate", "a.pem"], "--certificate needs --key beside it"),
        (["--key", "a.pem"], "--key needs --certificate beside it"),
        (["--certificate", "a.pem", "--key", "b.pem"], "a.pem cannot be read: No such file or directory"),
        (["--address", "lab.example.org"], "'lab.example.org' is not an address of a studio; one is https://lab"),
        (
            ["--address", "https://lab.example.org/studio"],
            "the studio must be at the root of its address, not below /studio",
        ),
        (["--address", "https://a:b"], "'https://a:b' is not an address of a studio"),
    ],
)
def test_options_that_do_not_go_together_are_reported(tmp_path: Path, arguments: list[str], sentence: str) -> None:
    done = CliRunner().invoke(app, ["play", *arguments, "--no-browser", "--data", str(tmp_path / "r.sqlite")])
    assert done.exit_code == 1
    assert done.stderr.startswith(f"error: {sentence}") and done.stderr.count("\n") == 1, done.stderr


# --- behind a proxy


def test_behind_a_proxy_links_have_its_address_and_ask_for_a_token(tmp_path: Path) -> None:
    port = free_port()
    command = [sys.executable, "-m", "puzzlebox.cli", "play", "--no-browser", "--port", str(port)]
    with program(
        [*command, "--address", "https://lab.example.org/", "--data", str(tmp_path / "r.sqlite")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        link = process.stdout.readline().strip()
        assert link.startswith("https://lab.example.org/play?token=")
        forwarded = {"Host": "lab.example.org", "X-Forwarded-For": "192.0.2.7", "X-Forwarded-Proto": "https"}
        assert ask(port, "/", headers=forwarded)[0] == 403
        assert ask(port, "/")[0] == 403
        status, headers, _ = ask(port, link.removeprefix("https://lab.example.org"), headers=forwarded)
        assert (status, headers["location"]) == (303, "/play")
        assert "; Secure" in headers["set-cookie"]
        assert "connect-src 'self' wss://lab.example.org;" in headers["content-security-policy"]
        with Page(
            port,
            {"type": "start", "task": "examples/food"},
            {"Cookie": headers["set-cookie"].split(";")[0]},
        ) as page:
            page.until_step(2)
        process.terminate()
        words = process.communicate(timeout=TIMEOUT_SECONDS)[1]
    assert "not encrypted" not in words


def test_behind_a_proxy_a_token_is_needed() -> None:
    assert Policy.for_host("127.0.0.1", public="http://localhost:9000").token is not None
    assert Policy.for_host("127.0.0.1", public="https://lab.example.org").token is not None


@pytest.mark.parametrize("name", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "X-Forwarded-Host"])
def test_a_studio_for_one_machine_is_not_shown_by_a_proxy(tmp_path: Path, name: str) -> None:
    """A proxy on the same machine that names the studio 127.0.0.1 would otherwise make all of it public."""
    with running(tmp_path / "r.sqlite") as studio:
        status, _, body = studio.ask("/api/recordings", headers={name: "192.0.2.7"})
        assert status == 403 and b"start it with --address" in body


# --- many players


@pytest.mark.slow
def test_a_hundred_play_and_the_next_one_waits(tmp_path: Path) -> None:
    port = free_port()
    with server(port, tmp_path / "r.sqlite", "examples/food", "--players", "100", link="/play?task=examples%2Ffood"):
        sentence, stored = run_async(lambda: _crowd(port, 100), 10 * TIMEOUT_SECONDS)
    assert sentence == "all 100 places are taken; try again in a few minutes"
    assert all(stored)


async def _crowd(port: int, players: int) -> tuple[str, list[bool]]:
    """Return the error of a page beyond the last place, and for each player whether steps were stored."""
    everybody, over = asyncio.Barrier(players + 1), asyncio.Event()

    async def play(number: int) -> bool:
        async with open_socket(f"ws://127.0.0.1:{port}/ws", origin=origin, compression=None) as page:
            await page.send(json.dumps({"type": "start", "task": "operant", "seed": number}))
            while not isinstance(await page.recv(), bytes):
                pass
            await everybody.wait()
            await page.send('{"type": "begin"}')
            while (message := await page.recv()) is not None:
                if isinstance(message, str) and json.loads(message)["type"] == "stored":
                    break
            await over.wait()
            return True

    origin: Any = f"http://127.0.0.1:{port}"
    playing = [asyncio.create_task(play(number)) for number in range(players)]
    await everybody.wait()
    async with open_socket(f"ws://127.0.0.1:{port}/ws", origin=origin, compression=None) as late:
        await late.send('{"type": "start"}')
        message = json.loads(await late.recv())
        assert message["type"] == "error" and message["full"] is True
    over.set()
    return str(message["message"]), await asyncio.gather(*playing)
