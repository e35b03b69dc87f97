"""One WebSocket of a page that plays or watches, in any wing: how it is served and closed with a sentence."""

import asyncio
import logging
from abc import ABC, abstractmethod
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from puzzlebox.record import CannotWrite, EpisodeFault, StoreError
from puzzlebox.studio import protocol
from puzzlebox.studio.links import Link
from puzzlebox.studio.page_messages import Inbox, InvalidMessage, NoPlaceFree

_LOG = logging.getLogger("puzzlebox.studio")
# Seconds a page may take to send its first message.
_FIRST_MESSAGE_SECONDS = 10.0
# Close codes of the socket: after an invalid message, when another page has taken over, when all places are taken.
_INVALID, _TAKEN_OVER, _NO_PLACE = 1008, 4001, 4002
# Shown to a participant whose episode cannot be recorded any further.
_FAULT = "this episode cannot be recorded any further; what could not be stored was set aside for the researcher"
# Shown to participants while nothing can be recorded; the researcher's page shows the reason.
NOT_NOW, _ASK_FOR_HELP = "nothing can be recorded at the moment", "please tell the person in charge"
_ELSEWHERE = "this task is open in another tab or window; go on there, or continue here"


class PageSocket(ABC):
    """The connection of one page that plays or watches. A wing handles the messages and chooses what is sent.

    Args:
        socket: the connection.
        link: the participant's link the page was opened with; None: it is the researcher's page.
    """

    def __init__(self, socket: WebSocket, link: Link | None) -> None:
        self._socket, self.link = socket, link
        self._inbox = Inbox(socket)
        self._has_news = asyncio.Event()
        self._failure: dict[str, Any] | None = None
        self._code = _INVALID
        self._trouble: str | None = None

    # --- what a wing defines

    @abstractmethod
    async def _admit(self, first: dict[str, Any]) -> None:
        """Start or resume an episode, as the first message of the page asks."""

    @abstractmethod
    async def _handle(self, message: dict[str, Any]) -> None:
        """Handle a message of the page other than the first."""

    @abstractmethod
    async def _send_waiting(self) -> None:
        """Send all messages that wait for the page."""

    async def _send_pictures(self) -> None:
        """Send what may be skipped while the page is slow; it is called once nothing else waits."""
        return

    @abstractmethod
    async def _leave(self, *tasks: asyncio.Task[None]) -> None:
        """Remove the page from all others, and `cancel` the tasks that serve it."""

    @abstractmethod
    def _queue(self, message: dict[str, Any]) -> None:
        """Queue a message for the page."""

    # --- the connection

    async def run(self) -> None:
        """Serve the page until either side closes the connection."""
        await self._socket.accept()
        sender, listener = asyncio.create_task(self._send()), asyncio.create_task(self._listen())
        try:
            await asyncio.wait((sender, listener), return_when=asyncio.FIRST_COMPLETED)
        finally:
            await self._leave(listener, sender)

    async def _listen(self) -> None:
        try:
            async with asyncio.timeout(_FIRST_MESSAGE_SECONDS):
                first = await self._inbox.receive()
            await self._admit(first)
            while True:
                await self._handle(await self._inbox.receive())
        except (WebSocketDisconnect, asyncio.CancelledError):
            return
        except TimeoutError:
            self.fail("the page sent no message")
        except (InvalidMessage, NoPlaceFree, StoreError) as problem:
            self.handle_failure(problem)
        except Exception as problem:
            _LOG.exception("a player's page failed")
            self.fail(f"the studio failed ({type(problem).__name__}); start again")
        # `_send` sends the sentence and closes the connection, which ends this task.
        await asyncio.Event().wait()

    async def _send(self) -> None:
        try:
            while True:
                await self._has_news.wait()
                self._has_news.clear()
                await self._send_waiting()
                if self._failure is not None:
                    await self._socket.send_text(protocol.compact({"type": "error"} | self._failure))
                    await self._socket.close(self._code)
                    return
                await self._send_pictures()
        except (WebSocketDisconnect, RuntimeError, OSError):
            return  # the page has disconnected

    def wake(self) -> None:
        """Wake the sender, because there is something new."""
        self._has_news.set()

    def fail(self, sentence: str, code: int = _INVALID, **more: bool) -> None:
        """Send an error, and close the connection.

        Args:
            sentence: the error message.
            code: the close code of the socket.
            more: flags of the `error` message. `elsewhere`: another connection plays; `full`: all places are taken;
                `retry`: the page is to connect again later, with its unstored steps; `gone`: it can discard them.
        """
        if self._failure is None:
            self._failure = {"message": sentence} | {name: True for name, value in more.items() if value}
            self._code = code
        self._has_news.set()

    def handle_failure(self, problem: Exception) -> None:
        """Close the connection with the sentence of a problem."""
        if isinstance(problem, InvalidMessage):
            self.fail(str(problem), gone=problem.gone)
        elif isinstance(problem, NoPlaceFree):
            self.fail(f"{problem}; try again in a few minutes", _NO_PLACE, full=True)
        elif isinstance(problem, EpisodeFault):
            self.fail(str(problem) if self.link is None else _FAULT, gone=True)
        elif isinstance(problem, StoreError):
            if self.link is not None:
                _LOG.warning("participant %s waits: %s", self.link.participant, problem)
            reason = f"{NOT_NOW}: {_remedy(problem)}" if isinstance(problem, CannotWrite) else str(problem)
            self.fail(reason if self.link is None else NOT_NOW, retry=True)
        else:
            self.fail(f"the episode cannot go on: {problem}")

    def close_taken_over(self) -> None:
        """Close the connection because another one has taken over the episode."""
        self.fail(_ELSEWHERE, _TAKEN_OVER, elsewhere=True)

    def report_writing(self, problem: CannotWrite | None) -> None:
        """Report to the page why nothing can be written at the moment, or, with None, that it can again."""
        # Participants cannot free a disk or stop a program, so they are asked to get help.
        trouble = None if problem is None else _remedy(problem) if self.link is None else _ASK_FOR_HELP
        if trouble != self._trouble:
            self._trouble = trouble
            self._queue({"type": "recording", "trouble": trouble})


async def cancel(*tasks: asyncio.Task[None]) -> None:
    """Cancel some tasks, and wait until they have ended."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _remedy(problem: CannotWrite) -> str:
    """Return why nothing can be written, and what to do about it."""
    return f"{problem.reason}; {problem.remedy}"
