"""The application behind the studio's addresses: pages, recordings, and what each wing adds.

docs/reference/studio-protocol.md describes every address.
"""

import asyncio
import gc
import logging
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from puzzlebox.record import Episode, Store, StoreError
from puzzlebox.record.film import film_name
from puzzlebox.studio import recordings
from puzzlebox.studio.pages import Pages, StudioContext, find_galleries
from puzzlebox.studio.requests import QueuedStream, answer_head, answer_refusal, read_number, read_side, read_view
from puzzlebox.studio.safety import Guard, Policy
from puzzlebox.studio.static import load_page_files
from puzzlebox.studio.training import TrainingApi
from puzzlebox.studio.work_queue import WorkQueue

# The pages that belong to no wing.
_PAGES = ("/", "/recordings", "/recordings/{id}", "/training", "/training/{name:path}")
_MAX_LISTED = 500
_FILMS = {"mp4": "video/mp4", "gif": "image/gif"}
# Seconds after which Python may switch to another thread; shorter than its default, so that painting and replaying do
# not delay the steps of players.
_SWITCH_SECONDS = 0.001
# Seconds to wait for a disk that cannot be written when the studio stops; browsers still have what is not stored.
_CLOSE_SECONDS = 5.0


def make_app(
    context: StudioContext, pages: Mapping[str, Pages], policy: Policy, ready: Callable[[], None] | None = None
) -> Guard:
    """Make the application.

    Args:
        context: what all pages share.
        pages: the pages of each wing, by its name.
        policy: which requests are answered.
        ready: called when requests can be answered.
    """
    recordings_api = _RecordingsApi(context.store)
    files = load_page_files()

    async def page(request: Request) -> Response:
        return files["/"].answer(request)

    async def file(request: Request) -> Response:
        page_file = files.get(request.url.path)
        if page_file is None:
            raise HTTPException(404, "there is nothing at this address")
        return page_file.answer(request)

    async def galleries(request: Request) -> Response:
        return JSONResponse({"galleries": [asdict(each) for each in find_galleries(pages)]})

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        sys.setswitchinterval(_SWITCH_SECONDS)
        # Objects that exist now live until the end; the garbage collector need not visit them while people play.
        gc.collect()
        gc.freeze()
        for each in pages.values():
            await each.open()
        if ready is not None:
            ready()
        yield
        for each in pages.values():
            await each.close()
        try:
            context.store.close(_CLOSE_SECONDS)
        except StoreError as problem:
            logging.getLogger(__name__).error("%s", problem)
        gc.unfreeze()

    recording = "/api/recordings/{id}"
    routes = [
        *(Route(path, page) for path in (*_PAGES, *(path for each in pages.values() for path in each.addresses))),
        *(Route(path, file) for path in files if path != "/"),
        Route("/api/galleries", galleries),
        *TrainingApi(context.runs.resolve(), pages).routes(),
        Route("/api/recordings", recordings_api.list_all),
        Route(recording, recordings_api.describe),
        Route(recording + "/frames", recordings_api.frames),
        Route(recording + "/steps", recordings_api.steps),
        Route(recording + "/picture.png", recordings_api.picture),
        Route(recording + "/film.{ending}", recordings_api.film),
        *(route for each in pages.values() for route in each.routes(context)),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: answer_refusal}, lifespan=lifespan)
    # Starlette would redirect /play/ to an address made from the `Host` header.
    app.router.redirect_slashes = False
    return Guard(
        app,
        policy,
        files=[path for path in files if path != "/"],
        for_participants={wing: each.for_participants for wing, each in pages.items()},
    )


class _RecordingsApi:
    """Answers requests for recordings of all wings."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._films = WorkQueue("films", 1, 8)
        self._pictures = WorkQueue("pictures", 2, 30)
        self._replays = WorkQueue("replays", 4, 30)

    async def list_all(self, request: Request) -> Response:
        """List the stored episodes, newest first, and what is damaged."""
        limit, offset = read_number(request, "limit", 50, 1, _MAX_LISTED), read_number(request, "offset", 0, 0, 2**31)

        def list_page() -> dict[str, Any]:
            survey = self._store.survey(limit, offset, closely=True)
            return {
                "total": self._store.count(),
                "recordings": [recordings.describe(self._store, each) for each in survey.episodes],
                "damaged": survey.damaged,
            }

        return JSONResponse(await self._read(list_page))

    async def describe(self, request: Request) -> Response:
        """Describe one episode, with its events."""
        id, store = request.path_params["id"], self._store

        def describe_episode() -> dict[str, Any]:
            episode = store.episode(id)
            store.require_whole(episode)
            return recordings.describe(store, episode) | {"events": store.events(id)}

        return JSONResponse(await self._read(describe_episode))

    async def steps(self, request: Request) -> Response:
        """Send the steps of an episode, as columns."""
        id = (await self._episode(request)).id
        return JSONResponse(await self._read(lambda: recordings.read_columns(self._store, id)))

    async def frames(self, request: Request) -> Response:
        """Send the messages a page would have received while the episode was played."""
        id, media_type = (await self._episode(request)).id, "application/octet-stream"
        if request.method == "HEAD":
            return answer_head(media_type)
        make = partial(self._read, lambda: recordings.read_blocks(self._store, id))
        return QueuedStream(self._replays.slot(request), make, media_type)

    async def picture(self, request: Request) -> Response:
        """Send a picture of one step of an episode. Default: of its end."""
        episode = await self._episode(request)
        view = _view(request, episode)
        width, height = read_side(request, "width", 1200), read_side(request, "height", 800)
        step = read_number(request, "step", -1, 0, 2**31)
        if request.method == "HEAD":
            return answer_head("image/png")
        paint = partial(recordings.paint_picture, self._store, episode.id)
        async with self._pictures.slot(request):
            data = await self._read(lambda: paint(None if step < 0 else step, view, width, height))
        moment = "" if step < 0 else f"-step-{step}"
        return Response(data, media_type="image/png", headers=_file_name_header(episode, f"{moment}.png"))

    async def film(self, request: Request) -> Response:
        """Send a film of an episode; films are made one at a time."""
        ending = request.path_params["ending"]
        if ending not in _FILMS:
            raise HTTPException(404, "films end in .mp4 or .gif")
        episode = await self._episode(request)
        view = _view(request, episode)
        width, height = read_side(request, "width", 640), read_side(request, "height", 480)
        if request.method == "HEAD":
            return answer_head(_FILMS[ending])
        async with self._films.slot(request):
            data = await self._read(lambda: recordings.make_film(self._store, episode.id, ending, view, width, height))
        return Response(data, media_type=_FILMS[ending], headers=_file_name_header(episode, f".{ending}"))

    async def _episode(self, request: Request) -> Episode:
        episode: Episode = await self._read(lambda: self._store.episode(request.path_params["id"]))
        return episode

    async def _read(self, query: Callable[[], Any]) -> Any:
        """Read from the store in another thread, after everything recorded so far is written."""

        def read_after_writing() -> Any:
            # Recordings can be read even while nothing can be written.
            with suppress(StoreError):
                self._store.flush(retry_seconds=0.0)
            return query()

        try:
            return await asyncio.to_thread(read_after_writing)
        except KeyError as problem:
            raise HTTPException(404, str(problem.args[0])) from None
        except (ValueError, StoreError, ModuleNotFoundError) as problem:
            raise HTTPException(400, str(problem)) from None


def _view(request: Request, episode: Episode) -> str:
    views = recordings.views_of(episode)
    if not views:
        raise HTTPException(400, f"episodes of the wing {episode.wing!r} have no pictures")
    return read_view(request, views, views[0])


def _file_name_header(episode: Episode, ending: str) -> dict[str, str]:
    """Return the header that names a picture or a film when it is saved."""
    return {"Content-Disposition": f'inline; filename="{film_name(episode, ending)}"'}
