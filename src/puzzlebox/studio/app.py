"""The addresses of docs/reference/studio-protocol.md."""

import asyncio
import gc
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from puzzlebox.arena.schema.tree import MAX_BYTES
from puzzlebox.record import StoreError
from puzzlebox.record.film import film_name
from puzzlebox.studio import recordings
from puzzlebox.studio.catalogue import LARGEST, SMALLEST, THUMBNAIL_VIEWS, VIEWS, UnknownTask
from puzzlebox.studio.rooms import Rooms
from puzzlebox.studio.safety import Guard, Policy
from puzzlebox.studio.static import page_files
from puzzlebox.studio.tab import Tab
from puzzlebox.studio.turns import Turns
from puzzlebox.studio.watched_agent import agents
from puzzlebox.text import nearest

PAGES = ("/", "/play", "/watch", "/recordings", "/recordings/{id}")
_MOST_LISTED = 500
_FILMS = {"mp4": "video/mp4", "gif": "image/gif"}
# Threads take turns more often than usual, so that painting and replaying hold up nobody's step.
_TURN = 0.001


def make_app(rooms: Rooms, policy: Policy, ready: Callable[[], None] | None = None) -> Guard:
    """The application; `ready` is called when it can answer."""
    api = _Api(rooms)
    files = page_files()

    async def page(request: Request) -> Response:
        return files["/"].answer(request)

    async def file(request: Request) -> Response:
        found = files.get(request.url.path)
        if found is None:
            raise HTTPException(404, "there is nothing at this address")
        return found.answer(request)

    async def socket(websocket: WebSocket) -> None:
        await Tab(websocket, rooms, getattr(websocket.state, "link", None)).run()

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        sys.setswitchinterval(_TURN)
        # What is there now stays; the collector need not walk through it while people play.
        gc.collect()
        gc.freeze()
        await rooms.open()
        if ready is not None:
            ready()
        yield
        api.close()
        await rooms.close()
        gc.unfreeze()

    one = "/api/recordings/{id}"
    routes = [
        *(Route(path, page) for path in PAGES),
        *(Route(path, file) for path in files if path != "/"),
        Route("/api/tasks", api.tasks),
        Route("/api/thumbnails/{name:path}", api.thumbnail),
        Route("/api/check", api.check, methods=["POST"]),
        Route("/api/agents", api.agents),
        Route("/api/pace", api.pace),
        Route("/api/recordings", api.recordings),
        Route(one, api.recording),
        Route(one + "/frames", api.frames),
        Route(one + "/steps", api.steps),
        Route(one + "/picture.png", api.picture),
        Route(one + "/film.{ending}", api.film),
        WebSocketRoute("/ws", socket),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _sentence}, lifespan=lifespan)
    # Starlette would redirect /play/ to an address it makes from `Host`.
    app.router.redirect_slashes = False
    return Guard(app, policy, files=[path for path in files if path != "/"])


async def _sentence(request: Request, problem: Exception) -> Response:
    """A refusal, in one sentence."""
    assert isinstance(problem, HTTPException)
    if request.url.path.startswith("/api/"):
        return JSONResponse({"message": problem.detail}, problem.status_code, problem.headers)
    return PlainTextResponse(problem.detail + "\n", problem.status_code, problem.headers)


class _Api:
    """The answers below /api."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms, self._store = rooms, rooms.store
        # A gallery asks for dozens of pictures at once; other questions must not wait behind them.
        self._painter = ThreadPoolExecutor(1, "puzzlebox-painter")
        self._filming = Turns("films", 1, 8)
        self._painting = Turns("pictures", 2, 30)
        self._replaying = Turns("replays", 4, 30)
        self._checking = Turns("checks", 2, 30)

    def close(self) -> None:
        """Paint nothing more."""
        self._painter.shutdown(wait=False, cancel_futures=True)

    async def tasks(self, request: Request) -> Response:
        """What can be played."""
        return JSONResponse({"tasks": await asyncio.to_thread(self._rooms.catalogue.listing)})

    async def agents(self, request: Request) -> Response:
        """Who can be watched."""
        return JSONResponse({"agents": await asyncio.to_thread(agents)})

    async def pace(self, request: Request) -> Response:
        """How punctual the clock is."""
        return JSONResponse(self._rooms.pacer.figures())

    async def thumbnail(self, request: Request) -> Response:
        """A picture of a task."""
        name = request.path_params["name"]
        if not name.endswith(".png"):
            raise HTTPException(404, "pictures of tasks end in .png")
        view, width, height = (
            _view(request, THUMBNAIL_VIEWS),
            _side(request, "width", 480),
            _side(request, "height", 320),
        )
        paint, loop = self._rooms.catalogue.thumbnail, asyncio.get_running_loop()
        try:
            if request.method == "HEAD":
                await asyncio.to_thread(self._rooms.catalogue.find, name.removesuffix(".png"))
                return _nothing("image/png")
            data = await loop.run_in_executor(self._painter, paint, name.removesuffix(".png"), view, width, height)
        except UnknownTask as problem:
            raise HTTPException(404, str(problem)) from None
        return Response(data, media_type="image/png", headers={"Cache-Control": "private, max-age=600"})

    async def check(self, request: Request) -> Response:
        """Read a task somebody brought."""
        data = bytearray()
        try:
            async for piece in request.stream():
                data += piece
                if len(data) > MAX_BYTES:
                    raise HTTPException(413, f"a task file has at most {MAX_BYTES} bytes")
        except ClientDisconnect:
            raise HTTPException(400, "the file broke off") from None
        async with self._checking.take(request):
            return JSONResponse(await asyncio.to_thread(self._rooms.catalogue.check, bytes(data)))

    async def recordings(self, request: Request) -> Response:
        """What is stored, newest first."""
        limit, offset = _number(request, "limit", 50, 1, _MOST_LISTED), _number(request, "offset", 0, 0, 2**31)

        def listed() -> dict[str, Any]:
            survey = self._store.survey(limit, offset, closely=True)
            return {
                "total": self._store.count(),
                "recordings": [recordings.about(self._store, each) for each in survey.episodes],
                "damaged": survey.damaged,
            }

        return JSONResponse(await self._read(listed))

    async def recording(self, request: Request) -> Response:
        """One of them."""
        id, store = request.path_params["id"], self._store

        def told() -> dict[str, Any]:
            episode = store.episode(id)
            store.require_whole(episode)
            return recordings.about(store, episode) | {"events": store.events(id)}

        return JSONResponse(await self._read(told))

    async def steps(self, request: Request) -> Response:
        """Its steps, as columns."""
        id = await self._known(request)
        return JSONResponse(await self._read(lambda: recordings.columns(self._store, id)))

    async def frames(self, request: Request) -> Response:
        """Its messages, to scrub through."""
        id, kind = await self._known(request), "application/octet-stream"
        if request.method == "HEAD":
            return _nothing(kind)
        made = partial(self._read, lambda: recordings.blocks(self._store, id))
        return _InTurn(self._replaying.take(request), made, kind)

    async def picture(self, request: Request) -> Response:
        """One moment of it."""
        id = await self._known(request)
        view, width, height = _view(request), _side(request, "width", 1200), _side(request, "height", 800)
        step = _number(request, "step", -1, 0, 2**31)
        if request.method == "HEAD":
            return _nothing("image/png")
        paint = recordings.picture
        async with self._painting.take(request):
            data = await self._read(lambda: paint(self._store, id, None if step < 0 else step, view, width, height))
        moment = "" if step < 0 else f"-step-{step}"
        return Response(data, media_type="image/png", headers=await self._as_file(id, f"{moment}.png"))

    async def film(self, request: Request) -> Response:
        """All of it, as a film; one is made at a time."""
        ending = request.path_params["ending"]
        if ending not in _FILMS:
            raise HTTPException(404, "films end in .mp4 or .gif")
        id = await self._known(request)
        view, width, height = _view(request), _side(request, "width", 640), _side(request, "height", 480)
        if request.method == "HEAD":
            return _nothing(_FILMS[ending])
        async with self._filming.take(request):
            data = await self._read(lambda: recordings.film(self._store, id, ending, view, width, height))
        return Response(data, media_type=_FILMS[ending], headers=await self._as_file(id, f".{ending}"))

    async def _as_file(self, id: str, ending: str) -> dict[str, str]:
        name = film_name(await self._read(lambda: self._store.episode(id)), ending)
        return {"Content-Disposition": f'inline; filename="{name}"'}

    async def _known(self, request: Request) -> str:
        id: str = request.path_params["id"]
        await self._read(lambda: self._store.episode(id))
        return id

    async def _read(self, ask: Callable[[], Any]) -> Any:
        """Ask the store in a thread of its own; what a page was told of is in the answer."""

        def after_writing() -> Any:
            # Where nothing can be written any more, what was written can still be read.
            with suppress(StoreError):
                self._store.flush(retry_seconds=0.0)
            return ask()

        try:
            return await asyncio.to_thread(after_writing)
        except KeyError as problem:
            raise HTTPException(404, str(problem.args[0])) from None
        except (ValueError, StoreError, ModuleNotFoundError) as problem:
            raise HTTPException(400, str(problem)) from None


class _InTurn(Response):
    """An answer in pieces that waits for its turn before the first of them is made."""

    def __init__(
        self, turn: AbstractAsyncContextManager[None], make: Callable[[], Awaitable[Iterator[bytes]]], media_type: str
    ) -> None:
        super().__init__(media_type=media_type)
        self._turn, self._make = turn, make

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        async with self._turn:
            await StreamingResponse(await self._make(), media_type=self.media_type)(scope, receive, send)


def _nothing(kind: str) -> Response:
    """The answer to HEAD: what there is, without making it."""
    answer = Response(media_type=kind)
    del answer.headers["content-length"]  # nobody knows it yet
    return answer


def _view(request: Request, allowed: Sequence[str] = VIEWS) -> str:
    view = request.query_params.get("view", "third")
    if view not in allowed:
        raise HTTPException(400, f"there is no view {view[:40]!r}{nearest(view, allowed)}")
    return view


def _side(request: Request, name: str, default: int) -> int:
    return _number(request, name, default, SMALLEST, LARGEST)


def _number(request: Request, name: str, default: int, least: int, most: int) -> int:
    text = request.query_params.get(name)
    if text is None:
        return default
    if not text.isdecimal() or len(text) > 12 or not least <= int(text) <= most:
        raise HTTPException(400, f"{name} is {text[:40]!r}; it must be a whole number from {least} to {most}")
    return int(text)
