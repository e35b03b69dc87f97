"""A window onto an environment: the play page, shown what a program does. Gymnasium's render mode `human`."""

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
from puzzlebox.arena.studio.teller import Teller, about_arena, events_text, moment_of
from puzzlebox.arena.world import Event, World
from puzzlebox.studio import protocol
from puzzlebox.studio.safety import Guard, Policy
from puzzlebox.studio.server import link_of, listening, server_for
from puzzlebox.studio.static import page_files

# Seconds the first picture waits for somebody to look.
_PATIENCE = 10.0
_PLAYER = "your program"


class _Onlooker:
    """One page. The program's thread writes its messages, the server's thread sends them."""

    def __init__(self, websocket: WebSocket) -> None:
        self._socket = websocket
        self._loop = asyncio.get_running_loop()
        self._waiting = asyncio.Event()
        self._messages: list[str | bytes] = []
        self._teller = Teller()
        self._world: World | None = None
        # It has been sent everything, and can take the next moment; a slow page misses some.
        self.ready = True

    def show(self, world: World, number: int, events: Sequence[Event]) -> None:
        """Have the page told of this moment."""
        told: list[str | bytes] = []
        if world is not self._world:
            self._world = world
            self._teller.forget()
            about = {
                "type": "episode",
                "episode": f"window-{number}",
                "task": "",
                "title": world.task.metadata.title or "",
                "seed": world.seed,
                "rules": "",
                **about_arena(world),
                "agent": _PLAYER,
                "previous_return": None,
                "step": world.clock,
                "note": None,
            }
            told.append(protocol.compact(about))
        if events:
            told.append(events_text(world.clock, events))
        action = world.actions[-1][0] if world.actions else 0
        told += self._teller.tell(world, moment_of(world, action=action))
        self.ready = False
        self._loop.call_soon_threadsafe(self._hand_over, told)

    def _hand_over(self, told: list[str | bytes]) -> None:
        self._messages += told
        self._waiting.set()

    async def run(self) -> None:
        """Send until the page goes."""
        sender = asyncio.create_task(self._send())
        try:
            while (await self._socket.receive())["type"] != "websocket.disconnect":
                pass  # what the page says changes nothing: the program decides
        finally:
            sender.cancel()
            await asyncio.gather(sender, return_exceptions=True)

    async def _send(self) -> None:
        while True:
            await self._waiting.wait()
            self._waiting.clear()
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
    """Opens a page in the browser and shows worlds on it, in real time; any number of pages may look.

    Attributes:
        link: where it is.
    """

    def __init__(self, browser: bool = True) -> None:
        self._onlookers: list[_Onlooker] = []
        self._somebody, self._serving = threading.Event(), threading.Event()
        self._world: World | None = None
        self._number = 0
        self._due = 0.0
        made = listening("127.0.0.1", None)
        policy = Policy.for_host("127.0.0.1")
        self.link = link_of(made, policy, "/play")
        self._patience = _PATIENCE if browser else 0.0
        self._server = server_for(Guard(self._app(), policy))
        self._thread = threading.Thread(target=self._serve, args=(made,), name="puzzlebox-window", daemon=True)
        self._thread.start()
        self._serving.wait(_PATIENCE)
        if browser:
            wait = f"the program waits up to {_PATIENCE:g} s for it"
            print(f"If no page appears, open {self.link} in a browser; {wait}.", file=sys.stderr, flush=True)
            threading.Thread(target=webbrowser.open, args=(self.link,), daemon=True).start()

    def _serve(self, made: socket.socket) -> None:
        try:
            self._server.run(sockets=[made])
        finally:
            made.close()

    def _app(self) -> Starlette:
        files = page_files()

        async def page(request: Request) -> Response:
            return files["/"].answer(request)

        async def file(request: Request) -> Response:
            return files[request.url.path].answer(request)

        async def missing(request: Request, problem: Exception) -> Response:
            return Response(status_code=404)

        async def look(websocket: WebSocket) -> None:
            await websocket.accept()
            onlooker = _Onlooker(websocket)
            self._onlookers.append(onlooker)
            self._somebody.set()
            try:
                await onlooker.run()
            finally:
                self._onlookers.remove(onlooker)

        @asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncIterator[None]:
            self._serving.set()
            yield

        routes: list[Any] = [
            *(Route(path, page) for path in ("/", "/play")),
            *(Route(path, file) for path in files if path != "/"),
            WebSocketRoute("/ws", look),
        ]
        return Starlette(routes=routes, exception_handlers={HTTPException: missing}, lifespan=lifespan)

    def show(self, world: World, events: Sequence[Event] = ()) -> None:
        """Show this moment, and return when it is time for the next one."""
        if self._patience:
            self._somebody.wait(self._patience)
            self._patience = 0.0
        if world is not self._world:
            self._world, self._number = world, self._number + 1
            self._due = time.monotonic()
        for onlooker in tuple(self._onlookers):
            if onlooker.ready:
                onlooker.show(world, self._number, events)
        self._due += world.rules.decision_period * PHYSICS_STEP
        time.sleep(max(0.0, self._due - time.monotonic()))
        self._due = max(self._due, time.monotonic() - PHYSICS_STEP)

    def close(self) -> None:
        """Close it; the page says that the connection is lost."""
        self._server.should_exit = True
        self._thread.join(_PATIENCE)
