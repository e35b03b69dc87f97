"""Limits how many slow requests are worked on and wait at the same time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.exceptions import HTTPException
from starlette.requests import Request


class WorkQueue:
    """A queue of requests for slow work, with limited length.

    Args:
        what: the products of the work, as a noun in the plural ("films").
        at_once: how many requests are worked on at the same time.
        waiting: how many more may wait.
    """

    def __init__(self, what: str, at_once: int, waiting: int) -> None:
        self._what, self._max_requests = what, at_once + waiting
        self._free = asyncio.Semaphore(at_once)
        self._requests = 0

    @asynccontextmanager
    async def slot(self, request: Request) -> AsyncIterator[None]:
        """Wait until a request may be worked on, and hold its slot for the duration of the `with` block.

        Raises:
            HTTPException: too many requests wait already, or the page has disconnected meanwhile.
        """
        if self._requests >= self._max_requests:
            sentence = f"{self._requests} {self._what} are being made or wait for that; try again in a minute"
            raise HTTPException(503, sentence, {"Retry-After": "60"})
        self._requests += 1
        try:
            async with self._free:
                if await request.is_disconnected():
                    raise HTTPException(400, "the page has disconnected")
                yield
        finally:
            self._requests -= 1
