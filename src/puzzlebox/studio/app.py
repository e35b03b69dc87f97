"""The application behind the studio's addresses: pages, recordings, and what each wing adds.

docs/reference/studio-protocol.md describes every address.
"""

import asyncio
import gc
import logging
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
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
from puzzlebox.studio.pages import Desk, Pages
from puzzlebox.studio.requests import StreamInTurn, answer_head, answer_refusal, number_in, side_in, view_in
from puzzlebox.studio.safety import Guard, Policy
from puzzlebox.studio.static import page_files
from puzzlebox.studio.turns import Turns

# The pages that belong to no wing.
_PAGES = ("/", "/recordings", "/recordings/{id}")
_MOST_LISTED = 500
_FILMS = {"mp4": "video/mp4", "gif": "image/gif"}
# Seconds after which Python may switch to another thread; shorter than its default, so that painting and replaying do
# not delay the steps of those who play.
_SWITCH_SECONDS = 0.001
# Seconds to wait, at the end, for a disk that cannot be written; what is not stored is still in the browsers.
_CLOSE_SECONDS = 5.0


def make_app(desk: Desk, pages: Mapping[str, Pages], policy: Policy, ready: Callable[[], None] | None = None) -> Guard:
    """Make the application.

    Args:
        desk: what all pages share.
        pages: the pages of each wing, by its name.
        policy: who is let in.
        ready: is called when requests can be answered.
    """
    stored = _RecordingsApi(desk.store)
    files = page_files()

    async def page(request: Request) -> Response:
        return files["/"].answer(request)

    async def file(request: Request) -> Response:
        found = files.get(request.url.path)
        if found is None:
            raise HTTPException(404, "there is nothing at this address")
        return found.answer(request)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        sys.setswitchinterval(_SWITCH_SECONDS)
        # What exists now stays; the garbage collector need not visit it while people play.
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
            desk.store.close(_CLOSE_SECONDS)
        except StoreError as problem:
            logging.getLogger(__name__).error("%s", problem)
        gc.unfreeze()

    one = "/api/recordings/{id}"
    routes = [
        *(Route(path, page) for path in (*_PAGES, *(path for each in pages.values() for path in each.addresses))),
        *(Route(path, file) for path in files if path != "/"),
        Route("/api/recordings", stored.list_all),
        Route(one, stored.describe),
        Route(one + "/frames", stored.frames),
        Route(one + "/steps", stored.steps),
        Route(one + "/picture.png", stored.picture),
        Route(one + "/film.{ending}", stored.film),
        *(route for each in pages.values() for route in each.routes(desk)),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: answer_refusal}, lifespan=lifespan)
    # Starlette would redirect /play/ to an address it makes from `Host`.
    app.router.redirect_slashes = False
    return Guard(
        app,
        policy,
        files=[path for path in files if path != "/"],
        for_participants=[path for each in pages.values() for path in each.for_participants],
    )


class _RecordingsApi:
    """Answers requests for recordings, of whatever wing."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._filming = Turns("films", 1, 8)
        self._painting = Turns("pictures", 2, 30)
        self._replaying = Turns("replays", 4, 30)

    async def list_all(self, request: Request) -> Response:
        """List the stored episodes, newest first, and what is damaged."""
        limit, offset = number_in(request, "limit", 50, 1, _MOST_LISTED), number_in(request, "offset", 0, 0, 2**31)

        def list_page() -> dict[str, Any]:
            survey = self._store.survey(limit, offset, closely=True)
            return {
                "total": self._store.count(),
                "recordings": [recordings.about(self._store, each) for each in survey.episodes],
                "damaged": survey.damaged,
            }

        return JSONResponse(await self._read(list_page))

    async def describe(self, request: Request) -> Response:
        """Describe one episode, with its events."""
        id, store = request.path_params["id"], self._store

        def describe_episode() -> dict[str, Any]:
            episode = store.episode(id)
            store.require_whole(episode)
            return recordings.about(store, episode) | {"events": store.events(id)}

        return JSONResponse(await self._read(describe_episode))

    async def steps(self, request: Request) -> Response:
        """Send the steps of an episode, as columns."""
        id = (await self._episode(request)).id
        return JSONResponse(await self._read(lambda: recordings.columns(self._store, id)))

    async def frames(self, request: Request) -> Response:
        """Send the messages a page would have received while the episode was played."""
        id, media_type = (await self._episode(request)).id, "application/octet-stream"
        if request.method == "HEAD":
            return answer_head(media_type)
        make = partial(self._read, lambda: recordings.blocks(self._store, id))
        return StreamInTurn(self._replaying.take(request), make, media_type)

    async def picture(self, request: Request) -> Response:
        """Send a picture of one step of an episode. Default: of its end."""
        episode = await self._episode(request)
        view = _view(request, episode)
        width, height = side_in(request, "width", 1200), side_in(request, "height", 800)
        step = number_in(request, "step", -1, 0, 2**31)
        if request.method == "HEAD":
            return answer_head("image/png")
        paint = partial(recordings.picture, self._store, episode.id)
        async with self._painting.take(request):
            data = await self._read(lambda: paint(None if step < 0 else step, view, width, height))
        moment = "" if step < 0 else f"-step-{step}"
        return Response(data, media_type="image/png", headers=_name_file(episode, f"{moment}.png"))

    async def film(self, request: Request) -> Response:
        """Send a film of an episode; films are made one at a time."""
        ending = request.path_params["ending"]
        if ending not in _FILMS:
            raise HTTPException(404, "films end in .mp4 or .gif")
        episode = await self._episode(request)
        view = _view(request, episode)
        width, height = side_in(request, "width", 640), side_in(request, "height", 480)
        if request.method == "HEAD":
            return answer_head(_FILMS[ending])
        async with self._filming.take(request):
            data = await self._read(lambda: recordings.film(self._store, episode.id, ending, view, width, height))
        return Response(data, media_type=_FILMS[ending], headers=_name_file(episode, f".{ending}"))

    async def _episode(self, request: Request) -> Episode:
        episode: Episode = await self._read(lambda: self._store.episode(request.path_params["id"]))
        return episode

    async def _read(self, ask: Callable[[], Any]) -> Any:
        """Read from the store in another thread, after everything that pages have sent so far is written."""

        def read_after_writing() -> Any:
            # Where nothing can be written any more, what was written can still be read.
            with suppress(StoreError):
                self._store.flush(retry_seconds=0.0)
            return ask()

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
    return view_in(request, views, views[0])


def _name_file(episode: Episode, ending: str) -> dict[str, str]:
    """Return the header that names a picture or a film when it is saved."""
    return {"Content-Disposition": f'inline; filename="{film_name(episode, ending)}"'}
