"""The arena's pages of the studio: tasks to choose from, playing, watching agents, and the addresses behind them."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket

from puzzlebox.arena.schema.tree import MAX_BYTES
from puzzlebox.arena.studio.catalogue import THUMBNAIL_VIEWS, Catalogue, UnknownTask
from puzzlebox.arena.studio.sessions import Sessions
from puzzlebox.arena.studio.tab import Tab
from puzzlebox.arena.studio.watched_agent import list_agents
from puzzlebox.studio.pages import StudioContext
from puzzlebox.studio.requests import answer_head, read_side, read_view
from puzzlebox.studio.work_queue import WorkQueue

_PLAY, _WATCH, _SOCKET = "/play", "/watch", "/ws"


class ArenaPages:
    """The arena's pages.

    Attributes:
        catalogue: the tasks that can be played.
        sessions: the pages that play; set by `routes`.
    """

    addresses: Sequence[str] = (_PLAY, _WATCH)
    for_participants: Sequence[str] = (_PLAY, _SOCKET)

    def __init__(self) -> None:
        self.catalogue = Catalogue()
        self.sessions: Sessions
        # A gallery asks for dozens of pictures at once; other requests must not wait behind them.
        self._painter = ThreadPoolExecutor(1, "puzzlebox-painter")
        self._checking = WorkQueue("checks", 2, 30)

    def add_task(self, source: str) -> str:
        """Add a task file or a bundled task, and return the name under which pages play it."""
        return self.catalogue.add_file(source)

    def address_of(self, task: str | None, *, seed: int | None = None, agent: str | None = None) -> str:
        """Return the address of the page that plays a task, or that shows an agent playing it."""
        parameters: dict[str, Any] = {"task": task, "agent": agent, "seed": seed}
        query = urlencode({name: value for name, value in parameters.items() if value is not None})
        return (_PLAY if agent is None else _WATCH) + (f"?{query}" if query else "")

    def routes(self, context: StudioContext) -> Sequence[BaseRoute]:
        """Return the routes of the arena's addresses."""
        self.sessions = Sessions(context.store, self.catalogue, context.rules or "puzzlebox", context.players)
        self.sessions.agent = context.agent

        async def socket(websocket: WebSocket) -> None:
            await Tab(websocket, self.sessions, getattr(websocket.state, "link", None)).run()

        return [
            Route("/api/tasks", self._tasks),
            Route("/api/batteries", self._batteries),
            Route("/api/thumbnails/{name:path}", self._thumbnail),
            Route("/api/check", self._check, methods=["POST"]),
            Route("/api/agents", self._agents),
            Route("/api/pace", self._pace),
            WebSocketRoute(_SOCKET, socket),
        ]

    async def open(self) -> None:
        """Start the clock that drives all players."""
        await self.sessions.open()

    async def close(self) -> None:
        """Stop painting and playing; unfinished episodes can be resumed later."""
        self._painter.shutdown(wait=False, cancel_futures=True)
        await self.sessions.close()

    async def _tasks(self, request: Request) -> Response:
        """List the tasks that can be played: those of a battery, or those in none."""
        battery = request.query_params.get("battery", "")
        try:
            return JSONResponse({"tasks": await asyncio.to_thread(self.catalogue.list_tasks, battery)})
        except UnknownTask as problem:
            raise HTTPException(404, str(problem)) from None

    async def _batteries(self, request: Request) -> Response:
        """List the batteries."""
        return JSONResponse({"batteries": await asyncio.to_thread(self.catalogue.list_batteries)})

    async def _agents(self, request: Request) -> Response:
        """List the agents that can be watched."""
        return JSONResponse({"agents": await asyncio.to_thread(list_agents)})

    async def _pace(self, request: Request) -> Response:
        """Report how punctual the clock is."""
        return JSONResponse(self.sessions.pacer.statistics())

    async def _thumbnail(self, request: Request) -> Response:
        """Send a picture of a task."""
        name = request.path_params["name"]
        if not name.endswith(".png"):
            raise HTTPException(404, "pictures of tasks end in .png")
        name = name.removesuffix(".png")
        view = read_view(request, THUMBNAIL_VIEWS, "third")
        size = read_side(request, "width", 480), read_side(request, "height", 320)
        try:
            if request.method == "HEAD":
                await asyncio.to_thread(self.catalogue.find, name)
                return answer_head("image/png")
            paint, loop = self.catalogue.thumbnail, asyncio.get_running_loop()
            data = await loop.run_in_executor(self._painter, paint, name, view, *size)
        except UnknownTask as problem:
            raise HTTPException(404, str(problem)) from None
        return Response(data, media_type="image/png", headers={"Cache-Control": "private, max-age=600"})

    async def _check(self, request: Request) -> Response:
        """Check a task file that was dropped onto the page, and add it to the tasks that can be played."""
        data = bytearray()
        try:
            async for piece in request.stream():
                data += piece
                if len(data) > MAX_BYTES:
                    raise HTTPException(413, f"a task file has at most {MAX_BYTES} bytes")
        except ClientDisconnect:
            raise HTTPException(400, "the file broke off") from None
        async with self._checking.slot(request):
            return JSONResponse(await asyncio.to_thread(self.catalogue.check, bytes(data)))
