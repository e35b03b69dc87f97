"""Work that takes long: so much at once, so much that waits, and a sentence for everybody else."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.exceptions import HTTPException
from starlette.requests import Request


class Turns:
    """Lets requests do something costly one after the other.

    Args:
        what: what is done, as a noun in the plural ("films").
        at_once: how many are done at the same time.
        waiting: how many may wait for that.
    """

    def __init__(self, what: str, at_once: int, waiting: int) -> None:
        self._what, self._most = what, at_once + waiting
        self._free = asyncio.Semaphore(at_once)
        self._here = 0

    @asynccontextmanager
    async def take(self, request: Request) -> AsyncIterator[None]:
        """Wait for one's turn.

        Raises:
            HTTPException: too many wait already, or the page has gone meanwhile.
        """
        if self._here >= self._most:
            sentence = f"{self._here} {self._what} are being made or wait for that; try again in a minute"
            raise HTTPException(503, sentence, {"Retry-After": "60"})
        self._here += 1
        try:
            async with self._free:
                if await request.is_disconnected():
                    raise HTTPException(400, "the page has gone")
                yield
        finally:
            self._here -= 1
