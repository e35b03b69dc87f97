"""Gymnasium's render mode `human`: the play page of the studio shows what a program does in an environment."""

import asyncio
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from puzzlebox.arena.rules import PHYSICS_STEP
from puzzlebox.arena.studio.scene_stream import SceneStream, describe_arena, events_message, moment_of
from puzzlebox.arena.world import Event, World
from puzzlebox.studio import protocol
from puzzlebox.studio.safety import Guard, Policy
from puzzlebox.studio.server import make_server, open_listener, researcher_link
from puzzlebox.studio.static import load_page_files

# Seconds the first call of `show` waits for a page to connect.
_FIRST_PAGE_SECONDS = 10.0
_START_SECONDS, _STOP_SECONDS = 10.0, 10.0
_PLAYER = "your program"


class _Viewer:
    """One connected page. The program's thread makes its messages, the server's thread sends them."""

    def __init__(self, websocket: WebSocket) -> None:
        self._socket = websocket
        self._loop = asyncio.get_running_loop()
        self._has_messages = asyncio.Event()
        self._messages: list[str | bytes] = []
        self._stream = SceneStream()
        self._world: World | None = None
        # Whether everything has been sent; while it is False, `Window.show` leaves this page out.
        self.ready = True

    def show(self, world: World, number: int, events: Sequence[Event]) -> None:
        """Send the current state of a world to the page."""
        messages: list[str | bytes] = []
        if world is not self._world:
            self._world = world
            self._stream.reset()
            description = {
                "type": "episode",
                "episode": f"window-{number}",
                "task": "",
                "title": world.task.metadata.title or "",
                "seed": world.seed,
                "rules": "",
                **describe_arena(world),
                "agent": _PLAYER,
                "previous_return": None,
                "step": world.clock,
                "note": None,
            }
            messages.append(protocol.compact(description))
        if events:
            messages.append(events_message(world.clock, events))
        action = world.actions[-1][0] if world.actions else 0
        messages += self._stream.messages(world, moment_of(world, action=action))
        self.ready = False
        self._loop.call_soon_threadsafe(self._queue, messages)

    def _queue(self, messages: list[str | bytes]) -> None:
        self._messages += messages
        self._has_messages.set()

    async def run(self) -> None:
        """Send messages until the page disconnects."""
        sender = asyncio.create_task(self._send())
        try:
            while (await self._socket.receive())["type"] != "websocket.disconnect":
                pass  # keys are ignored: the program decides
        finally:
            sender.cancel()
            await asyncio.gather(sender, return_exceptions=True)

    async def _send(self) -> None:
        while True:
            await self._has_messages.wait()
            self._has_messages.clear()
            messages, self._messages = self._messages, []
            try:
                for message in messages:
                    if isinstance(message, str):
                        await self._socket.send_text(message)
                    else:
                        await self._socket.send_bytes(message)
            except (WebSocketDisconnect, RuntimeError, OSError):
                return
            self.ready = True


class Window:
    """Opens a page in the browser and shows worlds on it in real time; any number of pages may connect.

    Attributes:
        link: the address of the page.
    """

    def __init__(self, browser: bool = True) -> None:
        self._viewers: list[_Viewer] = []
        self._page_connected, self._serving = threading.Event(), threading.Event()
        self._world: World | None = None
        self._number = 0
        self._due = 0.0
        listener = open_listener("127.0.0.1", None)
        policy = Policy.for_host("127.0.0.1")
        self.link = researcher_link(listener, policy, "/play")
        self._wait_seconds = _FIRST_PAGE_SECONDS if browser else 0.0
        self._server = make_server(Guard(self._app(), policy))
        self._thread = threading.Thread(target=self._serve, args=(listener,), name="puzzlebox-window", daemon=True)
        self._thread.start()
        self._serving.wait(_START_SECONDS)
        if browser:
            wait = f"the program waits up to {_FIRST_PAGE_SECONDS:g} s for it"
            print(f"If no page appears, open {self.link} in a browser; {wait}.", file=sys.stderr, flush=True)
            threading.Thread(target=webbrowser.open, args=(self.link,), daemon=True).start()

    def _serve(self, listener: socket.socket) -> None:
        try:
            self._server.run(sockets=[listener])
        finally:
            listener.close()

    def _app(self) -> Starlette:
        files = load_page_files()

        async def page(request: Request) -> Response:
            return files["/"].answer(request)

        async def file(request: Request) -> Response:
            return files[request.url.path].answer(request)

        async def missing(request: Request, problem: Exception) -> Response:
            return Response(status_code=404)

        async def watch(websocket: WebSocket) -> None:
            await websocket.accept()
            viewer = _Viewer(websocket)
            self._viewers.append(viewer)
            self._page_connected.set()
            try:
                await viewer.run()
            finally:
                self._viewers.remove(viewer)

        @asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncIterator[None]:
            self._serving.set()
            yield

        routes: list[Any] = [
            *(Route(path, page) for path in ("/", "/play")),
            *(Route(path, file) for path in files if path != "/"),
            WebSocketRoute("/ws", watch),
        ]
        return Starlette(routes=routes, exception_handlers={HTTPException: missing}, lifespan=lifespan)

    def show(self, world: World, events: Sequence[Event] = ()) -> None:
        """Show the current state of a world, and return when the next decision is due."""
        if self._wait_seconds:
            self._page_connected.wait(self._wait_seconds)
            self._wait_seconds = 0.0
        if world is not self._world:
            self._world, self._number = world, self._number + 1
            self._due = time.monotonic()
        for viewer in tuple(self._viewers):
            if viewer.ready:
                viewer.show(world, self._number, events)
        self._due += world.rules.decision_period * PHYSICS_STEP
        time.sleep(max(0.0, self._due - time.monotonic()))
        self._due = max(self._due, time.monotonic() - PHYSICS_STEP)

    def close(self) -> None:
        """Stop the server; pages then show that the connection is lost."""
        self._server.should_exit = True
        self._thread.join(_STOP_SECONDS)
