"""One WebSocket: checks what the page sends, and limits what is sent to a slow page."""

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocket

from puzzlebox.arena.studio.play import Play, Prepared
from puzzlebox.arena.studio.scene_stream import VIEWS
from puzzlebox.arena.studio.watched_agent import FASTEST, SLOWEST, AgentDriver
from puzzlebox.arena.world import Record
from puzzlebox.arena.world.actions import ACTIONS, NOOP
from puzzlebox.record import CannotWrite, StoreError
from puzzlebox.studio import protocol
from puzzlebox.studio.links import Link
from puzzlebox.studio.page_messages import InvalidMessage, read_number
from puzzlebox.studio.page_socket import PageSocket, cancel
from puzzlebox.studio.resuming import DELETED, NOT_RESUMED
from puzzlebox.text import nearest

if TYPE_CHECKING:
    from puzzlebox.arena.studio.sessions import Sessions

# Texts that may wait for a page that reads nothing; with more, its connection is closed.
_MAX_TEXTS = 1000
_LARGEST_KEY = 2**32 - 1


class Tab(PageSocket):
    """The connection of one page that plays or watches.

    Attributes:
        link: the participant's link the page was opened with; None: it is the researcher's page.
        play: the episodes of this page; None before it has one, and after another page has taken over.
        agent: the agent that plays; None: a participant plays.
        note: one sentence for the participant, to be shown with the first episode.
    """

    def __init__(self, socket: WebSocket, sessions: "Sessions", link: Link | None = None) -> None:
        super().__init__(socket, link)
        self._sessions = sessions
        self._texts: deque[str] = deque()
        self._stored: dict[str, int] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._written = asyncio.Event()
        self._changing = False
        self._next_timer: asyncio.TimerHandle | None = None
        self.play: Play | None = None
        self.agent: AgentDriver | None = None
        self.note: str | None = None

    # --- the connection

    async def _admit(self, first: dict[str, Any]) -> None:
        await self._sessions.admit(self, first)

    async def _leave(self, *tasks: asyncio.Task[None]) -> None:
        self._sessions.remove(self)
        await cancel(*tasks, *self._tasks)

    async def _send_waiting(self) -> None:
        """Send texts; while the page reads nothing, frames are skipped and few texts are queued."""
        while self._texts or self._stored:
            while self._texts:
                await self._socket.send_text(self._texts.popleft())
            stored, self._stored = self._stored, {}
            for episode, step in stored.items():
                await self._socket.send_text(protocol.compact({"type": "stored", "episode": episode, "step": step}))

    async def _send_pictures(self) -> None:
        """Send frames. All texts are sent before, so that a scene never precedes its `episode` message."""
        if self.play is not None:
            for message in self.play.take_messages():
                await self._socket.send_bytes(message)
        if self.agent is not None:
            for message in self.agent.take_messages():
                await self._socket.send_bytes(message)

    def send_text(self, text: str) -> None:
        """Queue a text for the page."""
        self._texts.append(text)
        if len(self._texts) > _MAX_TEXTS:
            self._texts.clear()
            self.fail("the page reads its messages too slowly", retry=True)
        self._has_news.set()

    def report_stored(self, episode: str, step: int) -> None:
        """Report to the page that an episode is stored up to a step."""
        self._stored[episode] = step
        self._has_news.set()

    def report_writing(self, problem: CannotWrite | None) -> None:
        """Report to the page why nothing can be written at the moment, or, with None, that it can again."""
        self._written.set()
        super().report_writing(problem)

    def _queue(self, message: dict[str, Any]) -> None:
        self.send_text(protocol.compact(message))

    # --- playing

    def attach(self, play: Play, agent: AgentDriver | None) -> None:
        """Let the page play the episodes of `play`, or watch an agent play them."""
        self.play, self.agent = play, agent
        play.send_text = self.send_text
        if agent is not None:
            self.send_text(agent.senses_message())
            self._tasks.append(asyncio.create_task(self._run_agent(agent)))

    def detach(self) -> None:
        """Stop playing on this page; another page may continue."""
        for task in self._tasks:
            task.cancel()
        if self._next_timer is not None:
            self._next_timer.cancel()
        self.play = self.agent = self._next_timer = None

    async def _run_agent(self, agent: AgentDriver) -> None:
        try:
            await agent.run()
        except Exception as problem:
            self._sessions.log.exception("an agent failed")
            self.fail(f"the agent failed: {problem}")

    def tick(self) -> bool:
        """Take the physics step that is due, unless time stands still; returns whether it was taken."""
        play = self.play
        if play is None or self._changing or self._failure is not None:
            return False
        if play.update_stall():
            self.wake()
        if not play.moving:
            return False
        if self.agent is not None:
            return self.agent.tick()
        play.step(*play.keys.take())
        self.after_step()
        return True

    def after_step(self) -> None:
        """Have the new state sent; after the last step, schedule the next episode or the end of the task."""
        self._has_news.set()
        play = self.play
        if play is not None and play.over and self._next_timer is None and not self._changing:
            loop = asyncio.get_running_loop()
            self._next_timer = loop.call_later(play.pause_at_end, self._start_next)

    def _start_next(self) -> None:
        self._next_timer = None
        if self.play is not None and not self._changing:
            self._tasks = [task for task in self._tasks if not task.done()]
            self._tasks.append(asyncio.create_task(self._show_next(self.play.schedule.next())))

    async def _show_next(self, record: Record | None, note: str | None = None) -> None:
        """Build and show an episode; for None, report that the task is finished."""
        play = self.play
        if play is None or self._changing:
            return
        self._changing = True
        if self._next_timer is not None:
            self._next_timer.cancel()
            self._next_timer = None
        try:
            prepared = None if record is None else await self._sessions.build(Prepared.new, play.schedule, record)
            await self._until_written(play)
            if self.play is not play:  # another page has taken over meanwhile
                return
            if prepared is None:
                play.finish()
            else:
                self.present(prepared, note)
        except StoreError as problem:
            self.handle_failure(problem)
        except Exception as problem:
            self._sessions.log.exception("an episode cannot begin")
            self.fail(f"the next episode cannot begin: {problem}")
        finally:
            self._changing = False

    async def _until_written(self, play: Play) -> None:
        """Wait until all of an episode is in the file, because a page keeps unstored steps of one episode only."""
        while self.play is play and play.unsaved:
            self._written.clear()
            await self._written.wait()

    def present(
        self, prepared: Prepared, note: str | None = None, *, waits: bool = True, page_step: int | None = None
    ) -> None:
        """Show an episode; for the arguments see `Play.present`."""
        assert self.play is not None
        self._sessions.set_player(self, prepared.start.id)
        self.play.present(prepared, note, waits=waits, page_step=page_step)
        self.after_step()

    async def _handle(self, message: dict[str, Any]) -> None:
        """Handle a message of the page other than the first."""
        play, kind = self.play, message["type"]
        if play is None:  # another page has taken over; the error is being sent
            return
        acts = kind in ("begin", "restart", "next") or (kind == "keys" and message.get("action") != NOOP)
        blocked = play.waiting and self._sessions.store.error is not None
        if acts and blocked and kind != "keys":
            return
        if acts and play.waiting and not blocked and not self._changing and await self._sessions.is_deleted(play):
            await self._show_next(play.schedule.repeat(), NOT_RESUMED.format(DELETED))
        elif kind == "keys":
            play.press(read_number(message, "key", _LARGEST_KEY), read_number(message, "action", len(ACTIONS) - 1))
        elif kind == "begin":
            if play.waiting:
                play.begin()
        elif kind in ("restart", "next"):
            # An episode that has not begun cannot be restarted, nor can a participant skip it.
            refused = play.untouched and (kind == "restart" or play.schedule.participant is not None)
            allowed = play.schedule.task.can_reset_episode and not play.schedule.finished
            if allowed and not self._changing and not refused:
                play.abandon(kind)
                await self._show_next(play.schedule.next() if kind == "next" else play.schedule.repeat())
        elif kind == "again":
            if play.schedule.finished and play.schedule.participant is None and not self._changing:
                await self._show_next(play.schedule.restart())
        elif kind in ("pause", "hidden"):
            (play.pause if kind == "pause" else play.hide)(message.get("on") is True)
            self.wake()
        elif kind == "view":
            if message.get("view") not in VIEWS.values():
                raise InvalidMessage(
                    f"there is no view {message.get('view')!r}{nearest(str(message.get('view')), VIEWS.values())}"
                )
            play.set_view(message["view"])
        elif kind == "speed":
            times = message.get("times")
            if isinstance(times, bool) or not isinstance(times, int | float) or not SLOWEST <= times <= FASTEST:
                raise InvalidMessage(f"times is {times!r}; it must be from {SLOWEST:g} to {FASTEST:g}")
            if self.agent is not None:
                self.agent.speed = float(times)
        else:
            kinds = ("keys", "begin", "restart", "next", "again", "pause", "hidden", "view", "speed")
            raise InvalidMessage(f"a page may not send {kind!r} here{nearest(kind, kinds)}")
