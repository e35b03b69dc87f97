"""One WebSocket of a page that plays an infant task: its clock of 15 steps a second, its messages, and its frames."""

import asyncio
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocket

from puzzlebox.infant.body.physics import CONTROL_STEP
from puzzlebox.infant.studio.controls import checked_values
from puzzlebox.infant.studio.episode import PlayedEpisode
from puzzlebox.record import StoreError
from puzzlebox.studio import protocol
from puzzlebox.studio.links import Link
from puzzlebox.studio.page_messages import InvalidMessage, read_number
from puzzlebox.studio.page_socket import PageSocket, cancel
from puzzlebox.text import nearest

if TYPE_CHECKING:
    from puzzlebox.infant.studio.sessions import Sessions

# Seconds for which writing the start of an episode is retried before the page is asked to try later.
_START_SECONDS = 5.0
# After a delay the clock catches up at most this many steps; the rest of the lost time is skipped.
_MAX_CATCH_UP_STEPS = 2
# Messages that may wait for a page that reads nothing (20 s of playing); with more, its connection is closed.
_MAX_WAITING = 300
_LARGEST_KEY = 2**32 - 1
_KINDS = ("keys", "begin", "again", "next", "pause", "hidden", "view")


class HeldControls:
    """The values of the controls; what was pressed and released between two steps counts for one step."""

    def __init__(self, count: int) -> None:
        self._held = [0.0] * count
        self._new: list[float] | None = None
        self._key = 0

    def press(self, key: int, values: list[float]) -> None:
        """Take note of the values that are held now, by the `keys` message number `key`."""
        before = self._new or [0.0] * len(values)
        self._new = [old if abs(old) > abs(value) else value for old, value in zip(before, values, strict=True)]
        self._held, self._key = values, key

    def take(self) -> tuple[list[float], int]:
        """Return what counts in the step that is taken now, and the number of the last `keys` message."""
        values, self._new = self._held if self._new is None else self._new, None
        return values, self._key

    def release(self) -> None:
        """Release everything."""
        self._held, self._new = [0.0] * len(self._held), None


class Tab(PageSocket):
    """The connection of one page that plays or watches.

    Attributes:
        link: the participant's link the page was opened with; None: it is the researcher's page.
        episode: the episode on the page; None before there is one.
    """

    def __init__(self, socket: WebSocket, sessions: "Sessions", link: Link | None = None) -> None:
        super().__init__(socket, link)
        self._sessions = sessions
        self._waiting: deque[str | bytes] = deque()
        self._goal = ""
        self._stopped = False
        self._clock: asyncio.Task[None] | None = None
        # Only one thread at a time uses the episode.
        self._using = asyncio.Lock()
        self._held = HeldControls(0)
        self.episode: PlayedEpisode | None = None

    # --- the connection

    async def _admit(self, first: dict[str, Any]) -> None:
        await self._sessions.admit(self, first)
        self._clock = asyncio.create_task(self._drive())

    async def _leave(self, *tasks: asyncio.Task[None]) -> None:
        await cancel(*tasks)
        await self._sessions.remove(self)

    async def _send_waiting(self) -> None:
        while self._waiting:
            message = self._waiting[0]
            if isinstance(message, str):
                await self._socket.send_text(message)
            else:
                await self._socket.send_bytes(message)
            # It counts as waiting until it is sent: while a page is slow, frames have no pictures.
            self._waiting.popleft()

    def _queue(self, message: dict[str, Any]) -> None:
        self.send(message)

    def send(self, message: str | bytes | dict[str, Any]) -> None:
        """Queue a message for the page."""
        self._waiting.append(protocol.compact(message) if isinstance(message, dict) else message)
        if len(self._waiting) > _MAX_WAITING:
            self.fail("the page reads its messages too slowly", retry=True)
        self._has_news.set()

    async def stop(self) -> None:
        """Take no more steps; return when the last one is taken. Another page may resume the episode then."""
        self._stopped = True
        if self._clock is not None:
            await asyncio.gather(self._clock, return_exceptions=True)

    # --- playing

    async def present(self, episode: PlayedEpisode, note: str | None = None) -> None:
        """Show an episode; what an agent or a recording plays begins at once."""
        self.episode = episode
        start, player = episode.start, episode.player
        self._goal = player.goal
        self._held = HeldControls(len(player.steering.controls))
        description = {
            "type": "episode",
            "episode": episode.id,
            "seed": start.seed,
            "agent": start.agent,
            "participant": start.participant,
            "step": player.session.clock,
            "goal": self._goal,
            "note": note,
            "shown": episode.shown,
        }
        self.send(description | player.describe())
        if start.agent is not None or episode.shown:
            episode.begin()
        self.send(await self._sessions.work(episode.frame))

    def report_stored(self, step: int) -> None:
        """Report to the page up to which step its episode is stored."""
        self.send({"type": "stored", "step": step})

    async def _drive(self) -> None:
        """Take the steps that are due until the page is closed; a step is due every 1/15 s."""
        due = time.monotonic()
        while not self._stopped and self._failure is None:
            due += CONTROL_STEP
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            if time.monotonic() - due > _MAX_CATCH_UP_STEPS * CONTROL_STEP:
                due = time.monotonic()
            try:
                async with self._using:
                    await self._step()
            except Exception as problem:
                if not isinstance(problem, StoreError | ValueError):
                    self._sessions.log.exception("a step of an infant task failed")
                self.handle_failure(problem)

    async def _step(self) -> None:
        episode = self.episode
        if episode is None:
            return
        stood = episode.breaks.stalled
        episode.update_stall()
        if episode.breaks.stalled != stood:
            self.send(episode.frame(False))
        if not episode.moving:
            return
        values, key = self._held.take()
        self.send(await self._sessions.work(episode.step, values, key, not self._waiting))
        if episode.player.goal != self._goal:
            self._goal = episode.player.goal
            self.send({"type": "goal", "goal": self._goal})
        if episode.over:
            self.send({"type": "ended"} | episode.result())

    async def _handle(self, message: dict[str, Any]) -> None:
        """Handle a message of the page other than the first."""
        kind, episode = message["type"], self.episode
        if kind not in _KINDS:
            raise InvalidMessage(f"a page may not send {kind[:40]!r} here{nearest(kind, _KINDS)}")
        if episode is None:
            return
        if kind == "keys":
            try:
                values = checked_values(message.get("values"), len(episode.player.steering.controls))
            except ValueError as problem:
                raise InvalidMessage(str(problem)) from None
            self._held.press(read_number(message, "key", _LARGEST_KEY), values)
            if any(values):
                await self._begin(episode)
        elif kind == "begin":
            await self._begin(episode)
        elif kind in ("again", "next"):
            async with self._using:
                episode.abandon("restart" if kind == "again" else "next")
                await self._sessions.show_next(self, same=kind == "again")
        elif kind == "view":
            episode.near = message.get("view") != "room"
            await self._show(episode)
        elif kind == "pause" or episode.start.agent is None:
            (episode.set_paused if kind == "pause" else episode.set_hidden)(message.get("on") is True)
            self._held.release()
            await self._show(episode)

    async def _show(self, episode: PlayedEpisode) -> None:
        """Send the picture of an episode in which no time passes."""
        if not episode.moving:
            async with self._using:
                self.send(await self._sessions.work(episode.frame))

    async def _begin(self, episode: PlayedEpisode) -> None:
        """Begin an episode that waits, unless nothing can be recorded."""
        if not episode.waiting or self._sessions.store.error is not None:
            return
        async with self._using:
            if episode.waiting and episode is self.episode:
                await self._sessions.work(episode.begin)
                # No time passes before the start is in the file: from then on the episode can be resumed.
                await self._sessions.work(self._sessions.store.flush, _START_SECONDS)
                if episode.over:  # the last step of a resumed episode was its end
                    self.send({"type": "ended"} | episode.result())
