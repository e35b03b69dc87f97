"""One WebSocket: what the page says, checked, and what it is told, never more than it can take."""

import asyncio
import json
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from puzzlebox.arena.studio.play import Play, Prepared
from puzzlebox.arena.studio.recovery import DELETED, GONE
from puzzlebox.arena.studio.teller import VIEWS
from puzzlebox.arena.studio.watched_agent import FASTEST, SLOWEST, ByAgent
from puzzlebox.arena.world import Record
from puzzlebox.arena.world.actions import ACTIONS, NOOP
from puzzlebox.record import CannotWrite, EpisodeFault, StoreError
from puzzlebox.studio import protocol
from puzzlebox.studio.links import Link
from puzzlebox.text import nearest

if TYPE_CHECKING:
    from puzzlebox.arena.studio.rooms import Rooms

# Seconds a page may take to say what it wants.
_PATIENCE = 10.0
# Messages a second, and at once: a gamepad asks 125 times a second at most.
_RATE, _BURST = 200.0, 400.0
# Texts that wait for a page that takes nothing; after that its connection is given up.
_MOST_TEXTS = 1000
_LARGEST_KEY = 2**32 - 1
# What a participant is told whose episode was given up.
FAULT = "this episode cannot be recorded any further; what could not be stored was set aside for the researcher"
# What a participant is told while nothing can be recorded; the researcher reads why.
NOT_NOW, _ASK = "nothing can be recorded at the moment", "please tell the person in charge"
# A socket closes with one of these: after a mistake of the page, when another took its place, when all are taken.
_MISTAKE, _TAKEN_OVER, _NO_PLACE = 1008, 4001, 4002


class Mistake(Exception):
    """Something a page may not say; one sentence.

    Attributes:
        gone: what the page has kept of an episode cannot be of use to anybody any more.
    """

    def __init__(self, sentence: str, *, gone: bool = False) -> None:
        super().__init__(sentence)
        self.gone = gone


class Full(Exception):
    """All places are taken; one sentence."""

    def __init__(self, players: int) -> None:
        super().__init__(f"{'the only place is' if players == 1 else f'all {players} places are'} taken")


class Tab:
    """A page that plays or watches.

    Attributes:
        link: the participant's link the page was opened with; None: it is the researcher's.
        note: one sentence for the player, to be shown with the first episode.
    """

    def __init__(self, socket: WebSocket, rooms: "Rooms", link: Link | None = None) -> None:
        self._socket, self._rooms, self.link = socket, rooms, link
        self._texts: deque[str] = deque()
        self._stored: dict[str, int] = {}
        self._news = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._failure: dict[str, Any] | None = None
        self._code = _MISTAKE
        self._trouble: str | None = None
        self._written = asyncio.Event()
        self._changing = False
        self._next: asyncio.TimerHandle | None = None
        self._allowance, self._counted = _BURST, time.monotonic()
        self.play: Play | None = None
        self.agent: ByAgent | None = None
        self.note: str | None = None

    # --- the connection

    async def run(self) -> None:
        """Talk until either side ends it."""
        await self._socket.accept()
        sender = asyncio.create_task(self._send())
        listener = asyncio.create_task(self._listen())
        try:
            await asyncio.wait((sender, listener), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._rooms.leave(self)
            for task in (listener, sender, *self._tasks):
                task.cancel()
            await asyncio.gather(listener, sender, *self._tasks, return_exceptions=True)

    async def _listen(self) -> None:
        try:
            async with asyncio.timeout(_PATIENCE):
                first = await self._receive()
            await self._rooms.welcome(self, first)
            while True:
                await self._heed(await self._receive())
        except (WebSocketDisconnect, asyncio.CancelledError):
            return
        except TimeoutError:
            self.fail("the page said nothing")
        except Mistake as mistake:
            self.fail(str(mistake), gone=mistake.gone)
        except Full as full:
            self.fail(f"{full}; try again in a few minutes", _NO_PLACE, full=True)
        except StoreError as problem:
            self.failed(problem)
        except Exception as problem:
            self._rooms.log.exception("a player's page failed")
            self.fail(f"the studio made a mistake ({type(problem).__name__}); start again")
        # The sentence is sent, and then the sender ends the connection.
        await asyncio.Event().wait()

    async def _receive(self) -> dict[str, Any]:
        """The next message."""
        while True:
            packet = await self._socket.receive()
            if packet["type"] == "websocket.disconnect":
                raise WebSocketDisconnect(packet.get("code", 1005))
            now = time.monotonic()
            self._allowance = min(_BURST, self._allowance + (now - self._counted) * _RATE) - 1
            self._counted = now
            if self._allowance < 0:
                raise Mistake(f"the page sent more than {_RATE:.0f} messages a second")
            try:
                message = json.loads(packet.get("text") or "")
            except (ValueError, RecursionError):
                message = None
            if not isinstance(message, dict) or not isinstance(message.get("type"), str):
                raise Mistake("a message must be a JSON object with a `type`")
            return message

    async def _send(self) -> None:
        """Tell the page what is new. While it takes nothing, nothing piles up but texts, and of those not many."""
        socket = self._socket
        try:
            while True:
                await self._news.wait()
                self._news.clear()
                while self._texts or self._stored:
                    while self._texts:
                        await socket.send_text(self._texts.popleft())
                    stored, self._stored = self._stored, {}
                    for episode, step in stored.items():
                        await socket.send_text(protocol.compact({"type": "stored", "episode": episode, "step": step}))
                if self._failure is not None:
                    await socket.send_text(protocol.compact({"type": "error"} | self._failure))
                    await socket.close(self._code)
                    return
                # All texts before this moment are sent, so that a scene never comes before its episode.
                if self.play is not None:
                    for message in self.play.frames():
                        await socket.send_bytes(message)
                if self.agent is not None:
                    for message in self.agent.news():
                        await socket.send_bytes(message)
        except (WebSocketDisconnect, RuntimeError, OSError):
            return  # the page has gone

    def wake(self) -> None:
        """There is something new."""
        self._news.set()

    def say(self, text: str) -> None:
        """Have a text sent."""
        self._texts.append(text)
        if len(self._texts) > _MOST_TEXTS:
            self._texts.clear()
            self.fail("the page takes too long", retry=True)
        self._news.set()

    def stored(self, episode: str, step: int) -> None:
        """So much cannot be lost any more."""
        self._stored[episode] = step
        self._news.set()

    def notice(self, problem: CannotWrite | None) -> None:
        """Something was written, or it is known why nothing is; None: all is well."""
        self._written.set()
        # A participant can neither make room on a disk nor end a program.
        known = None if problem is None else f"{problem.reason}; {problem.remedy}"
        trouble = _ASK if known is not None and self.link is not None else known
        if trouble != self._trouble:
            self._trouble = trouble
            self.say(protocol.compact({"type": "recording", "trouble": trouble}))

    def fail(self, sentence: str, code: int = _MISTAKE, **more: bool) -> None:
        """Say why, and end the connection.

        Args:
            sentence: why.
            code: what the socket is closed with.
            more: `elsewhere`: another connection plays; `full`: all places are taken; `retry`: the page is to come
                back in a while, with what it has kept; `gone`: what it has kept of its episode is of no use any more.
        """
        if self._failure is None:
            self._failure = {"message": sentence} | {name: True for name, true in more.items() if true}
            self._code = code
        self._news.set()

    def give_way(self) -> None:
        """The same episode is resumed in another connection."""
        self.fail(
            "this task is open in another tab or window; go on there, or continue here", _TAKEN_OVER, elsewhere=True
        )

    # --- playing

    def sit_down(self, play: Play, agent: ByAgent | None) -> None:
        """This page plays from now on."""
        self.play, self.agent = play, agent
        play.say = self.say
        if agent is not None:
            self.say(agent.senses_text())
            self._tasks.append(asyncio.create_task(self._watch(agent)))

    def stand_up(self) -> None:
        """It plays no longer; somebody else may go on."""
        for task in self._tasks:
            task.cancel()
        if self._next is not None:
            self._next.cancel()
        self.play = self.agent = self._next = None

    async def _watch(self, agent: ByAgent) -> None:
        try:
            await agent.run()
        except Exception as problem:
            self._rooms.log.exception("an agent failed")
            self.fail(f"the agent failed: {problem}")

    def tick(self) -> bool:
        """Another physics step is due."""
        play = self.play
        if play is None or self._changing or self._failure is not None:
            return False
        if play.attend():
            self.wake()
        if not play.moving:
            return False
        if self.agent is not None:
            return self.agent.tick()
        play.step(*play.keys.take())
        self.after_step()
        return True

    def failed(self, problem: Exception) -> None:
        """A step raised this."""
        if isinstance(problem, EpisodeFault):
            self.fail(str(problem) if self.link is None else FAULT, gone=True)
        elif isinstance(problem, StoreError):
            if self.link is not None:
                self._rooms.log.warning("participant %s waits: %s", self.link.participant, problem)
            self.fail(sentence_of(problem) if self.link is None else NOT_NOW, retry=True)
        else:
            self.fail(f"the episode cannot go on: {problem}")

    def after_step(self) -> None:
        """Something has moved; and after the last step comes the next episode, or the end of the task."""
        self._news.set()
        play = self.play
        if play is not None and play.over and self._next is None and not self._changing:
            loop = asyncio.get_running_loop()
            self._next = loop.call_later(play.pause_at_end, self._go_on)

    def _go_on(self) -> None:
        self._next = None
        if self.play is not None and not self._changing:
            self._tasks = [task for task in self._tasks if not task.done()]
            self._tasks.append(asyncio.create_task(self._change(self.play.schedule.next())))

    async def _change(self, record: Record | None, note: str | None = None) -> None:
        """Show another episode, or that there is none."""
        play = self.play
        if play is None or self._changing:
            return
        self._changing = True
        if self._next is not None:
            self._next.cancel()
            self._next = None
        try:
            prepared = None if record is None else await self._rooms.build(Prepared.fresh, play.schedule, record)
            await self._until_written(play)
            if self.play is not play:  # somebody has taken over meanwhile
                return
            if prepared is None:
                play.finish()
            else:
                self.present(prepared, note)
        except StoreError as problem:
            self.failed(problem)
        except Exception as problem:
            self._rooms.log.exception("an episode cannot begin")
            self.fail(f"the next episode cannot begin: {problem}")
        finally:
            self._changing = False

    async def _until_written(self, play: Play) -> None:
        """Wait until all of an episode is in the file: a page keeps what is not stored of one episode at a time."""
        while self.play is play and play.unsaved:
            self._written.clear()
            await self._written.wait()

    def present(
        self, prepared: Prepared, note: str | None = None, *, waits: bool = True, seen: int | None = None
    ) -> None:
        """The next episode is ready; of one that is rebuilt, the page has `seen` so many steps."""
        assert self.play is not None
        self._rooms.plays(self, prepared.start.id)
        self.play.present(prepared, note, waits=waits, seen=seen)
        self.after_step()

    async def _heed(self, message: dict[str, Any]) -> None:
        """Do what the page says."""
        play, kind = self.play, message["type"]
        if play is None:  # it has been taken over, and will be told so
            return
        acts = kind in ("begin", "restart", "next") or (kind == "keys" and message.get("action") != NOOP)
        blocked = play.waiting and self._rooms.store.error is not None
        if acts and blocked and kind != "keys":
            return
        if acts and play.waiting and not blocked and not self._changing and await self._rooms.forgotten(play):
            await self._change(play.schedule.again(), GONE.format(DELETED))
        elif kind == "keys":
            play.press(number(message, "key", _LARGEST_KEY), number(message, "action", len(ACTIONS) - 1))
        elif kind == "begin":
            if play.waiting:
                play.begin()
        elif kind in ("restart", "next"):
            # What nobody has touched cannot be restarted, nor can a participant leave it unseen.
            unseen = play.untouched and (kind == "restart" or play.schedule.participant is not None)
            allowed = play.schedule.task.can_reset_episode and not play.schedule.finished
            if allowed and not self._changing and not unseen:
                play.abandon(kind)
                await self._change(play.schedule.next() if kind == "next" else play.schedule.again())
        elif kind == "again":
            if play.schedule.finished and play.schedule.participant is None and not self._changing:
                await self._change(play.schedule.anew())
        elif kind in ("pause", "hidden"):
            (play.pause if kind == "pause" else play.hide)(message.get("on") is True)
            self.wake()
        elif kind == "view":
            if message.get("view") not in VIEWS.values():
                raise Mistake(
                    f"there is no view {message.get('view')!r}{nearest(str(message.get('view')), VIEWS.values())}"
                )
            play.look_through(message["view"])
        elif kind == "speed":
            times = message.get("times")
            if isinstance(times, bool) or not isinstance(times, int | float) or not SLOWEST <= times <= FASTEST:
                raise Mistake(f"times is {times!r}; it must be from {SLOWEST:g} to {FASTEST:g}")
            if self.agent is not None:
                self.agent.times = float(times)
        else:
            known = ("keys", "begin", "restart", "next", "again", "pause", "hidden", "view", "speed")
            raise Mistake(f"a page may not say {kind!r} here{nearest(kind, known)}")


def sentence_of(problem: StoreError) -> str:
    """What a player is told who cannot be recorded."""
    if isinstance(problem, CannotWrite):
        return f"nothing can be recorded at the moment: {problem.reason}; {problem.remedy}"
    return str(problem)


def number(message: dict[str, Any], name: str, most: int) -> int:
    """A whole number a message holds."""
    value = message.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise Mistake(f"{name} is {str(value)[:40]!r}; it must be a whole number from 0 to {most}")
    return value
