"""Reads the parameters of requests, and answers in ways that several parts of the studio need."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from puzzlebox.text import nearest

# Width and height of pictures and films, in pixels.
SMALLEST, LARGEST = 16, 1600


def view_in(request: Request, allowed: Sequence[str], default: str) -> str:
    """Return the view that a request asks for.

    Raises:
        HTTPException: there is no such view.
    """
    view = request.query_params.get("view", default)
    if view not in allowed:
        raise HTTPException(400, f"there is no view {view[:40]!r}{nearest(view, allowed)}")
    return view


def side_in(request: Request, name: str, default: int) -> int:
    """Return the width or height that a request asks for, in pixels."""
    return number_in(request, name, default, SMALLEST, LARGEST)


def number_in(request: Request, name: str, default: int, least: int, most: int) -> int:
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
    """Answer HEAD: the kind of content, without making the content."""
    answer = Response(media_type=media_type)
    del answer.headers["content-length"]  # not known before the content is made
    return answer


async def answer_refusal(request: Request, problem: Exception) -> Response:
    """Answer a request that is refused, in one sentence: as JSON below /api, as text elsewhere."""
    assert isinstance(problem, HTTPException)
    if request.url.path.startswith("/api/"):
        return JSONResponse({"message": problem.detail}, problem.status_code, problem.headers)
    return PlainTextResponse(problem.detail + "\n", problem.status_code, problem.headers)


class StreamInTurn(Response):
    """A streamed answer that waits for its turn before its first block is made.

    Args:
        turn: is entered before the first block is made and left after the last one is sent.
        make: makes the blocks.
        media_type: the kind of content.
    """

    def __init__(
        self, turn: AbstractAsyncContextManager[None], make: Callable[[], Awaitable[Iterator[bytes]]], media_type: str
    ) -> None:
        super().__init__(media_type=media_type)
        self._turn, self._make = turn, make

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer."""
        async with self._turn:
            await StreamingResponse(await self._make(), media_type=self.media_type)(scope, receive, send)
