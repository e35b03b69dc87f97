"""Functions that read the parameters of requests, and answers that several parts of the studio use."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from puzzlebox.text import nearest

# Width and height of pictures and films, in pixels.
SMALLEST, LARGEST = 16, 1600


def read_view(request: Request, allowed: Sequence[str], default: str) -> str:
    """Return the view that a request asks for.

    Raises:
        HTTPException: there is no such view.
    """
    view = request.query_params.get("view", default)
    if view not in allowed:
        raise HTTPException(400, f"there is no view {view[:40]!r}{nearest(view, allowed)}")
    return view


def read_side(request: Request, name: str, default: int) -> int:
    """Return the width or height that a request asks for, in pixels.

    Raises:
        HTTPException: it is not a whole number, or out of range.
    """
    return read_number(request, name, default, SMALLEST, LARGEST)


def read_number(request: Request, name: str, default: int, least: int, most: int) -> int:
    """Return a whole number among the parameters of a request.

    Raises:
        HTTPException: it is not a whole number, or out of range.
    """
    text = request.query_params.get(name)
    if text is None:
        return default
    if not text.isdecimal() or len(text) > 12 or not least <= int(text) <= most:
        raise HTTPException(400, f"{name} is {text[:40]!r}; it must be a whole number from {least} to {most}")
    return int(text)


def answer_head(media_type: str) -> Response:
    """Return the answer to HEAD: the media type, without making the content."""
    answer = Response(media_type=media_type)
    del answer.headers["content-length"]  # not known before the content is made
    return answer


async def answer_refusal(request: Request, problem: Exception) -> Response:
    """Return the answer to a refused request, one sentence: as JSON below /api, as text elsewhere."""
    assert isinstance(problem, HTTPException)
    if request.url.path.startswith("/api/"):
        return JSONResponse({"message": problem.detail}, problem.status_code, problem.headers)
    return PlainTextResponse(problem.detail + "\n", problem.status_code, problem.headers)


class QueuedStream(Response):
    """A streamed answer that waits for its slot in a `WorkQueue`.

    Args:
        slot: entered before the first block is made, and left after the last one is sent.
        make: makes the blocks.
        media_type: the media type of the content.
    """

    def __init__(
        self, slot: AbstractAsyncContextManager[None], make: Callable[[], Awaitable[Iterator[bytes]]], media_type: str
    ) -> None:
        super().__init__(media_type=media_type)
        self._slot, self._make = slot, make

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer."""
        async with self._slot:
            await StreamingResponse(await self._make(), media_type=self.media_type)(scope, receive, send)
