"""Helpers of the studio's tests: a server in this process, and a page without a browser that collects its messages."""

import asyncio
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from puzzlebox.arena.studio.pages import ArenaPages
from puzzlebox.arena.studio.sessions import Sessions
from puzzlebox.record import Store
from puzzlebox.scene.scene import MASK, PART, POSE, SURROUNDINGS, Scene
from puzzlebox.studio import protocol
from puzzlebox.studio.app import make_app
from puzzlebox.studio.listener import Listener
from puzzlebox.studio.pages import Pages, StudioContext
from puzzlebox.studio.protocol import FrameFlag, Message
from puzzlebox.studio.safety import Policy
from puzzlebox.studio.server import make_server, open_listener
from puzzlebox.wings import ARENA

Result = TypeVar("Result")

# A test that waits longer for the studio has failed.
TIMEOUT_SECONDS = 30.0
FOOD = """
metadata: {title: Straight ahead}
arenas:
  - time_limit: 100
    pass_mark: 0.5
    items:
      - {name: Agent, at: [20, 0, 15], rotation: 0, skin: pig}
      - {name: GoodGoal, at: [20, 0, 18], size: 1}
"""
# The same arena twice.
FOOD_TWICE = FOOD + FOOD[FOOD.index("  - time_limit") :].lstrip("\n")


class Studio:
    """A server that runs in this process."""

    def __init__(self, sessions: Sessions, listener: Listener, policy: Policy) -> None:
        self.sessions, self.listener, self.policy = sessions, listener, policy
        self.port = port = int(listener.getsockname()[1])
        self.store = sessions.store
        self.host = f"127.0.0.1:{port}"

    def ask(
        self, path: str, *, method: str = "GET", body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Send a request; return status, headers (names in lower case) and body."""
        return ask(self.port, path, method=method, body=body, headers=headers)

    def json(self, path: str, **request: Any) -> Any:
        """Send a request that must succeed; return its answer, read as JSON."""
        status, _, body = self.ask(path, **request)
        assert status == 200, body
        return json.loads(body)

    def page(self, first: dict[str, Any] | None = None, *, manual_start: bool = False, **start: Any) -> "Page":
        """Return a page that has sent its first message; with `manual_start` it begins no episode by itself."""
        return Page(self.port, first or {"type": "start", **start}, manual_start=manual_start)

    def upload(self, text: str) -> str:
        """Upload a task, and return the name under which it can be played."""
        checked = self.json("/api/check", method="POST", body=text.encode())
        assert checked["ok"], checked
        return str(checked["task"])


def ask(
    port: int, path: str, *, method: str = "GET", body: bytes | None = None, headers: dict[str, str] | None = None
) -> tuple[int, dict[str, str], bytes]:
    """Send a request to a server on this machine, with the path unchanged; see `Studio.ask`."""
    connection = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


@contextmanager
def running(path: Path, policy: Policy | None = None, **wings: Pages) -> Iterator[Studio]:
    """Run a studio on a free port, which records into a file, with the pages of the arena and of other wings."""
    policy = policy or Policy.for_host("127.0.0.1")
    listener, ready = open_listener("127.0.0.1", 0), threading.Event()
    pages = ArenaPages()
    server = make_server(make_app(StudioContext(Store(path)), {ARENA: pages, **wings}, policy, ready.set))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    assert ready.wait(TIMEOUT_SECONDS)
    try:
        yield Studio(pages.sessions, listener, policy)
    finally:
        server.should_exit = True
        thread.join(TIMEOUT_SECONDS)
        listener.close()
        assert not thread.is_alive()


class Mirror:
    """The page's copy of the scene, decoded from binary messages."""

    def __init__(self) -> None:
        self.scene: Scene | None = None
        self.names: list[str] = []
        self.head: Any = np.zeros((), protocol.FRAME)
        self.actions: dict[int, int] = {}
        self.kinds: list[int] = []
        self.rays: list[tuple[float, float, str]] = []
        self.camera = b""

    def take(self, data: bytes) -> None:
        """Decode one message, by the tables of the protocol."""
        kind = Message(data[0])
        self.kinds.append(kind)
        getattr(self, f"_{kind.name.lower()}")(data)

    def _scene(self, data: bytes) -> None:
        head = np.frombuffer(data, protocol.SCENE, 1)[0]
        start = protocol.SCENE.itemsize + int(head["header"])
        header = json.loads(data[protocol.SCENE.itemsize : start])
        assert start % 4 == 0

        def table(name: str, dtype: Any, width: int = 1) -> Any:
            offset, rows = header["tables"][name]
            return np.frombuffer(data, dtype, rows * width, start + offset).copy()

        self.names = header["names"]
        self.scene = Scene(
            parts=table("parts", PART),
            poses=table("poses", POSE),
            planes=table("planes", "<f4", 4).reshape(-1, 4),
            pixels=table("pixels", "u1", MASK).reshape(-1, MASK),
            surroundings=table("surroundings", SURROUNDINGS),
            owners=np.array(header["owners"], np.int32),
            animals=tuple(header["animals"]),
            version=header["version"],
        )

    def _frame(self, data: bytes) -> None:
        self.head = np.frombuffer(data, protocol.FRAME, 1)[0]
        rows = np.frombuffer(data, protocol.FRAME_ROW, int(self.head["rows"]), protocol.FRAME.itemsize)
        assert len(data) == protocol.FRAME.itemsize + rows.nbytes
        assert self.scene is not None
        for name, column in (("at", "at"), ("turn", "turn"), ("value", "value"), ("state", "flags")):
            self.scene.poses[column][rows["row"]] = rows[name]
        if self.head["step"]:
            self.actions[int(self.head["step"])] = int(self.head["action"])

    def _parts(self, data: bytes) -> None:
        count = int(np.frombuffer(data, protocol.PARTS, 1)[0]["rows"])
        rows = np.frombuffer(data, protocol.PARTS_ROW, count, protocol.PARTS.itemsize)
        assert self.scene is not None
        for name in ("at", "half", "color"):
            self.scene.parts[name][rows["row"]] = rows[name]

    def _actions(self, data: bytes) -> None:
        head = np.frombuffer(data, protocol.ACTIONS, 1)[0]
        run = data[protocol.ACTIONS.itemsize :]
        assert len(run) == head["count"]
        self.actions |= {int(head["first"]) + place: action for place, action in enumerate(run)}

    def _camera(self, data: bytes) -> None:
        self.camera = data[4:]

    def _rays(self, data: bytes) -> None:
        at, self.rays = 4, []
        for _ in range(int(np.frombuffer(data, protocol.RAYS, 1)[0]["count"])):
            degrees, metres = np.frombuffer(data, "<f4", 2, at).tolist()
            length = data[at + 8]
            self.rays.append((degrees, metres, data[at + 9 : at + 9 + length].decode()))
            at += 9 + length
        assert at == len(data)

    def at(self, name: str = "Agent") -> tuple[float, float, float]:
        """Return the position of the first thing of a name."""
        assert self.scene is not None
        x, y, z = self.scene.poses["at"][self.names.index(name)].tolist()
        return (x, y, z)


class Page:
    """A page without a browser: sends messages, and collects those it receives.

    Unless `manual_start` is set, it begins every episode as soon as it waits.
    """

    def __init__(
        self,
        port: int,
        first: dict[str, Any],
        headers: dict[str, str] | None = None,
        query: str = "",
        *,
        manual_start: bool = False,
    ) -> None:
        self._open = ExitStack()
        self.socket: ClientConnection = self._open.enter_context(
            connect(
                f"ws://127.0.0.1:{port}/ws{'?' if query else ''}{query}",
                origin=f"http://127.0.0.1:{port}",  # type: ignore[arg-type]
                additional_headers=headers,
                compression=None,
                open_timeout=TIMEOUT_SECONDS,
                close_timeout=1,
                max_size=None,
            )
        )
        self.texts: list[dict[str, Any]] = []
        self.episodes: list[dict[str, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.acknowledged: dict[str, int] = {}
        self.mirror = Mirror()
        self.frames = 0
        self.manual_start, self._begun = manual_start, ""
        self._key = 0
        self.send(first)

    def send(self, message: dict[str, Any] | str) -> None:
        """Send a message."""
        self.socket.send(message if isinstance(message, str) else json.dumps(message))

    def keys(self, action: int) -> int:
        """Hold the keys of an action; returns the number of the message."""
        self._key += 1
        self.send({"type": "keys", "key": self._key, "action": action})
        return self._key

    def receive(self) -> str:
        """Receive one message; returns its type, or the name of its kind."""
        data = self.socket.recv(TIMEOUT_SECONDS)
        if isinstance(data, bytes):
            self.mirror.take(data)
            if data[0] == Message.FRAME:
                self.frames += 1
                if (
                    self.mirror.head["flags"] & FrameFlag.WAITING
                    and not self.manual_start
                    and self._begun != self.episode
                ):
                    self._begun = self.episode
                    self.send({"type": "begin"})
            return Message(data[0]).name.lower()
        message = json.loads(data)
        self.texts.append(message)
        if message["type"] == "episode":
            self.episodes.append(message)
            if len(self.episodes) < 2 or self.episodes[-2]["episode"] != message["episode"]:
                self.mirror.actions, self.frames = {}, 0
        elif message["type"] == "events":
            self.events += message["events"]
        elif message["type"] == "stored":
            self.acknowledged[message["episode"]] = message["step"]
        return str(message["type"])

    def until(self, condition: Callable[["Page"], Any]) -> "Page":
        """Receive messages until a condition is true."""
        end = time.monotonic() + TIMEOUT_SECONDS
        while not condition(self):
            assert time.monotonic() < end, (self.texts[-5:], self.step)
            self.receive()
        return self

    def until_step(self, step: int) -> "Page":
        """Receive messages until a frame of this step or a later one."""
        return self.until(lambda page: page.frames and page.step >= step)

    def error(self) -> str:
        """Receive messages until the server closes the connection; returns the sentence of its error."""
        try:
            while True:
                if self.receive() == "error":
                    sentence = str(self.texts[-1]["message"])
        except ConnectionClosed:
            return sentence

    def last(self, kind: str) -> dict[str, Any]:
        """Return the newest text of a type."""
        return next(text for text in reversed(self.texts) if text["type"] == kind)

    def received(self, kind: str) -> bool:
        """Return whether a text of a type was received."""
        return any(text["type"] == kind for text in self.texts)

    @property
    def step(self) -> int:
        """The step of the newest frame."""
        return int(self.mirror.head["step"])

    @property
    def episode(self) -> str:
        """The id of the newest episode, or an empty text."""
        return str(self.episodes[-1]["episode"]) if self.episodes else ""

    def unstored(self) -> tuple[int, list[int]]:
        """Return the last step that was reported as stored, and the actions of all later steps."""
        stored = self.acknowledged.get(self.episode, 0)
        return stored, [self.mirror.actions[step] for step in range(stored + 1, self.step + 1)]

    def resume(self) -> dict[str, Any]:
        """Return the message with which the page resumes its episode."""
        step, actions = self.unstored()
        return {"type": "resume", "episode": self.episode, "step": step, "actions": actions}

    def close(self) -> None:
        """Close the connection."""
        self._open.close()

    def __enter__(self) -> "Page":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def run_async(main: Callable[[], Coroutine[Any, Any, Result]], timeout_seconds: float = TIMEOUT_SECONDS) -> Result:
    """Return the result of a coroutine, run in another thread: browser tests leave an event loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(main())).result(timeout_seconds)


def wait_for(condition: Callable[[], Any]) -> None:
    """Wait until a condition is true."""
    end = time.monotonic() + TIMEOUT_SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def free_port() -> int:
    """Return a port that is free at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def server(port: int, data: Path, *more: str, link: str = "/") -> Iterator[subprocess.Popen[str]]:
    """Run `puzzlebox play` in another process, and wait until it has printed its link."""
    command = [sys.executable, "-m", "puzzlebox.cli", "play", *more, "--no-browser", "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--data", str(data)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stderr is not None
    try:
        assert process.stdout.readline().startswith(f"http://127.0.0.1:{port}{link}"), process.stderr.read()
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
