"""Everybody who plays at the same time: the pages, the worlds of those who have just left, and what they share."""

import asyncio
import logging
import re
import time
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any, TypeVar

from puzzlebox.arena.rules import Rules
from puzzlebox.arena.schema import Task
from puzzlebox.arena.studio import one_of_each
from puzzlebox.arena.studio.catalogue import Catalogue, UnknownTask
from puzzlebox.arena.studio.pacer import Pacer
from puzzlebox.arena.studio.play import Play, Prepared
from puzzlebox.arena.studio.recovery import (
    DELETED,
    GONE,
    MOST_UNSTORED,
    RESTART,
    CannotResume,
    later_actions,
    progress,
    recovered,
)
from puzzlebox.arena.studio.schedule import SessionSchedule
from puzzlebox.arena.studio.tab import Full, Mistake, Tab, number
from puzzlebox.arena.studio.watched_agent import ByAgent, known_agent
from puzzlebox.arena.world.actions import ACTIONS
from puzzlebox.record import Store
from puzzlebox.record.entries import checked_participant
from puzzlebox.studio.limits import LARGEST_MESSAGE, PLAYERS
from puzzlebox.studio.links import Link

# Worlds of pages that have gone, and seconds they are kept; after that an episode is rebuilt from the store.
MOST_KEPT, KEPT_SECONDS = 32, 120.0
_LARGEST_SEED = 2**63 - 1
_MOST_STEPS = 2**31
_EPISODE = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NOT_OPEN = "this task is not open at the moment; ask the person who sent the link"

Made = TypeVar("Made")


class Rooms:
    """What all players share.

    Attributes:
        store: where episodes are recorded.
        catalogue: the tasks.
        pacer: the clock.
        rules: what is played by.
        players: how many pages may play at the same time.
        agent: an agent the command line named, which may be an import path.
    """

    def __init__(
        self, store: Store, catalogue: Catalogue, rules: str | Rules = "puzzlebox", players: int = PLAYERS
    ) -> None:
        self.store, self.catalogue, self.rules, self.players = store, catalogue, Rules.named(rules), players
        self.agent: str | None = None
        self.log = logging.getLogger("puzzlebox.studio")
        self.pacer = Pacer()
        self._tabs: set[Tab] = set()
        self._players: dict[str, Tab] = {}
        self._kept: dict[str, tuple[float, Play, ByAgent | None]] = {}
        # Pages of one participant are let in one after the other, so that each finds what the one before it plays.
        self._doors: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()
        self._pool = ThreadPoolExecutor(2, "puzzlebox-builder")
        self._thinking = ThreadPoolExecutor(8, "puzzlebox-agent")

    async def open(self) -> None:
        """Start the clock."""
        loop = asyncio.get_running_loop()
        self._clock = asyncio.create_task(self.pacer.run())
        self._stop_listening = self.store.listen(lambda done: loop.call_soon_threadsafe(self._stored, done))

    async def close(self) -> None:
        """Stop the clock, and let go of everything that was kept; episodes that are not over can be resumed later."""
        self._stop_listening()
        self._clock.cancel()
        await asyncio.gather(self._clock, return_exceptions=True)
        for pool in (self._pool, self._thinking):
            pool.shutdown(wait=False, cancel_futures=True)
        self._kept.clear()

    async def build(self, make: Callable[..., Made], *arguments: Any) -> Made:
        """Make something that takes a while, beside the clock."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, make, *arguments)

    def _stored(self, done: dict[str, int]) -> None:
        for episode, step in done.items():
            tab = self._players.get(episode)
            if tab is not None:
                tab.stored(episode, step)
        problem = self.store.error
        for tab in self._tabs:
            tab.notice(problem)

    # --- coming and going

    async def welcome(self, tab: Tab, message: dict[str, Any]) -> None:
        """A page says what it wants."""
        if len(self._tabs) >= self.players and not self._replaces(tab, message):
            raise Full(self.players)
        self._tabs.add(tab)
        # Nobody begins what could not be recorded.
        await self.build(self.store.try_out)
        note = None
        if tab.link is not None:
            message, note = await self._bound(message, tab.link)
        async with self._door(message):
            if message["type"] == "start":
                await self._start(tab, message, note)
            elif message["type"] == "resume":
                await self._resume(tab, message)
            else:
                raise Mistake(f"a page begins with 'start' or 'resume', not with {message['type'][:40]!r}")
            self.pacer.add(tab)

    def _replaces(self, tab: Tab, message: dict[str, Any]) -> bool:
        """Whether a page takes another one's place: with the same episode, or the same participant and task."""
        episode = message.get("episode")
        if isinstance(episode, str) and episode in self._players:
            return True
        asked = message if tab.link is None else asdict(tab.link)
        who, task = asked.get("participant"), asked.get("task") or one_of_each.NAME
        schedules = [other.play.schedule for other in self._tabs if other.play is not None]
        return who is not None and any((each.participant, each.name) == (who, task) for each in schedules)

    def _door(self, message: dict[str, Any]) -> asyncio.Lock:
        """The lock that lets in one page at a time of a participant, or of an episode nobody in particular plays."""
        who = _participant(message)
        whose = f"participant {who}" if who is not None else f"episode {message.get('episode')!r}"
        if who is None and message.get("episode") is None:
            return asyncio.Lock()
        return self._doors.setdefault(whose, asyncio.Lock())

    async def _bound(self, message: dict[str, Any], link: Link) -> tuple[dict[str, Any], str | None]:
        """What a page may ask for that was opened with a participant's link, whatever it says, and a note for it.

        An episode of somebody else's, or of another task, is answered like one that does not exist.
        """
        message = {**message, **asdict(link), "arena": None, "agent": None}
        if message["type"] != "resume":
            return message, None
        owner = await self._owner(_episode(message))
        if owner == (link.participant, link.task or one_of_each.NAME):
            return message, None
        return message | {"type": "start"}, None if _untouched(message) else GONE.format("it is not one of this link")

    async def _owner(self, episode: str) -> tuple[str | None, str] | None:
        """The participant and the task of an episode; None where there is no such episode."""
        tab = self._players.get(episode)
        play = tab.play if tab is not None else self._kept[episode][1] if episode in self._kept else None
        if play is not None:
            return play.schedule.participant, play.schedule.name
        await self.build(self.store.flush, 0.0)
        try:
            stored = await self.build(self.store.episode, episode)
        except KeyError:
            return None
        return stored.participant, stored.task

    async def forgotten(self, play: Play) -> bool:
        """Whether the episode that is played was recorded, and its recording deleted since (`puzzlebox forget`)."""
        if play.untouched or not play.running:
            return False
        await self.build(self.store.flush, 0.0)
        return not await self.build(self.store.knows, play.episode)

    def plays(self, tab: Tab, episode: str) -> None:
        """A page begins an episode; it is told what is stored of this one and of those before."""
        self._players[episode] = tab

    def leave(self, tab: Tab) -> None:
        """A page has gone; its world waits a while for it to come back."""
        self.pacer.remove(tab)
        self._tabs.discard(tab)
        self._players = {episode: other for episode, other in self._players.items() if other is not tab}
        play, agent = tab.play, tab.agent
        tab.stand_up()
        if play is not None and play.running and self.store.fault(play.episode) is None:
            play.leave()
            left, episode = time.monotonic(), play.episode
            self._kept[episode] = (left, play, agent)
            asyncio.get_running_loop().call_later(KEPT_SECONDS, self._drop, episode, left)
        oldest = sorted(self._kept, key=lambda episode: self._kept[episode][0])[:-MOST_KEPT]
        late = time.monotonic() - KEPT_SECONDS
        for episode in {*oldest, *(each for each, (left, *_) in self._kept.items() if left < late)}:
            self._drop(episode)

    def _drop(self, episode: str, left: float | None = None) -> None:
        """Keep a world no longer, unless its page was back since it left; other servers may resume the episode."""
        if episode in self._kept and left in (None, self._kept[episode][0]):
            del self._kept[episode]
            self.store.release(episode)

    async def _start(self, tab: Tab, message: dict[str, Any], note: str | None = None) -> None:
        """A new player."""
        name, agent = (_text(message, key) for key in ("task", "agent"))
        arena, seed = (_number(message, key) for key in ("arena", "seed"))
        participant = _participant(message)
        try:
            entry = await self.build(self.catalogue.find, name)
            schedule = SessionSchedule(
                entry.name,
                entry.task,
                self.rules,
                arena=None if arena is None else _arena_id(entry.task, arena),
                seed=seed,
                agent=agent,
                participant=participant,
            )
            if participant is None or not await self._open_again(tab, schedule):
                await self._play(tab, schedule, note or tab.note)
        except UnknownTask as problem:
            # Which other tasks there are is not for participants.
            raise Mistake(str(problem) if tab.link is None else _NOT_OPEN) from None
        except ValueError as problem:
            raise Mistake(str(problem)) from None

    async def _open_again(self, tab: Tab, schedule: SessionSchedule) -> bool:
        """Lead a participant who opens the link again to where they were; whether there is anything to resume.

        Without that, arenas which are done are left out of the schedule.
        """
        for other in tuple(self._tabs):
            if other is not tab and other.play is not None and other.play.schedule.same_session(schedule):
                self.leave(other)
                other.give_way()
        for episode, (_, play, _) in tuple(self._kept.items()):
            if not play.schedule.same_session(schedule):
                continue
            if await self.forgotten(play):
                self._kept.pop(episode, None)
                tab.note = GONE.format(DELETED)
            elif episode in self._kept:
                self._come_back(tab, episode, 0, [], schedule.participant, waits=True)
                return True
        await self.build(self.store.flush, 0.0)
        done, unfinished = await self.build(progress, self.store, schedule)
        schedule.leave_out(done)
        if unfinished is None:
            return False
        if unfinished.id in self._players:  # opened with another seed in its address
            other = self._players[unfinished.id]
            self.leave(other)
            other.give_way()
        if unfinished.id in self._kept:
            self._come_back(tab, unfinished.id, 0, [], schedule.participant, waits=True)
            return True
        try:
            prepared, *_ = await self.build(recovered, self.store, unfinished.id, 0, [])
        except CannotResume:
            return False
        schedule.continue_after(unfinished.arena)
        tab.sit_down(Play(schedule, self.store), None)
        tab.present(prepared)
        return True

    async def _play(self, tab: Tab, schedule: SessionSchedule, note: str | None = None) -> None:
        play = Play(schedule, self.store)
        if schedule.finished:
            tab.sit_down(play, None)
            play.recorded = True  # that is how it is known to be finished
            play.finish()
            return
        driver = None
        if schedule.agent is not None:
            agent = await self.build(known_agent, schedule.agent, self.agent)
            driver = ByAgent(play, agent, self._thinking, tab.after_step)
        prepared = await self.build(Prepared.fresh, schedule, schedule.again())
        tab.sit_down(play, driver)
        tab.present(prepared, note)

    async def _resume(self, tab: Tab, message: dict[str, Any]) -> None:
        """A player comes back: to the world that waited, or to one rebuilt from the store."""
        episode = _episode(message)
        step, seen = number(message, "step", _MOST_STEPS), message.get("actions")
        if not isinstance(seen, list) or not all(type(each) is int and 0 <= each < len(ACTIONS) for each in seen):
            raise Mistake(f"actions must be a list of numbers from 0 to {len(ACTIONS) - 1}")
        if len(seen) > MOST_UNSTORED:
            raise Mistake(f"there are {len(seen)} actions; a page keeps {MOST_UNSTORED} at most")
        participant = _participant(message)
        before = self._players.get(episode)
        try:
            if before is not None and before is not tab:
                if before.play is not None:
                    _refuse_others(participant, before.play.schedule.participant)
                self.leave(before)
                before.give_way()
            if episode in self._kept and await self.forgotten(self._kept[episode][1]):
                self._kept.pop(episode, None)
                raise CannotResume(DELETED)
            if episode in self._kept:
                self._come_back(tab, episode, step, seen, participant)
            else:
                await self._rebuild(tab, episode, step, seen, participant, _number(message, "seed"))
        except CannotResume as reason:
            if seen:  # the page will forget it
                self.log.warning("episode %s: %s; after step %d its page had seen %s", episode, reason, step, seen)
            await self._instead(tab, episode, message, str(reason))

    def _come_back(
        self, tab: Tab, episode: str, step: int, seen: list[int], participant: str | None, waits: bool = False
    ) -> None:
        """The world has waited."""
        _, play, driver = self._kept[episode]
        _refuse_others(participant, play.schedule.participant)
        if later_actions([actions[0] for actions in play.world.actions], step, seen):
            raise CannotResume("the page has seen more than has happened")
        del self._kept[episode]
        self.plays(tab, episode)
        play.come_back(waits=waits)
        tab.sit_down(play, driver)
        if driver is not None:
            driver.stepped = tab.after_step
        play.introduce(None if waits else step + len(seen))
        tab.after_step()
        if not self.store.waiting(episode):
            tab.stored(episode, play.world.clock)

    async def _rebuild(
        self, tab: Tab, episode: str, step: int, seen: list[int], participant: str | None, seed: int | None
    ) -> None:
        """The server was stopped: play again what is stored, and what the page has seen beyond it."""
        await self.build(self.store.flush, 0.0)
        prepared, stored, record = await self.build(recovered, self.store, episode, step, seen)
        _refuse_others(participant, stored.participant)
        schedule = SessionSchedule(stored.task, record.task, record.rules, seed=seed, participant=stored.participant)
        done, _ = await self.build(progress, self.store, schedule)
        schedule.leave_out(done)
        schedule.continue_after(record.arena)
        tab.sit_down(Play(schedule, self.store), None)
        tab.present(prepared, waits=False, seen=step + len(seen))
        tab.stored(episode, len(record.actions))

    async def _instead(self, tab: Tab, episode: str, message: dict[str, Any], reason: str) -> None:
        """A new episode of the same task, for one that cannot be resumed."""
        note = GONE.format(reason)
        try:
            await self.build(self.store.flush, 0.0)
            stored = await self.build(self.store.episode, episode)
            record = await self.build(self.store.record, episode)
        except KeyError:
            if message.get("task") is None:
                raise Mistake(f"there is no episode {episode} to resume; start again", gone=True) from None
            wanted = ("task", "arena", "seed", "agent", "participant")
            await self._start(tab, {key: message.get(key) for key in wanted}, None if _untouched(message) else note)
            return
        agent = None if stored.by_person else stored.agent
        who = None if agent is not None else _participant(message) or stored.participant
        seed = _number(message, "seed")
        schedule = SessionSchedule(stored.task, record.task, self.rules, seed=seed, agent=agent, participant=who)
        if who is None:
            schedule.continue_after(record.arena)
            if stored.finished and stored.ended_by != RESTART:  # it ended while nobody was there
                schedule.next()
        elif await self._open_again(tab, schedule):
            return
        await self._play(tab, schedule, None if stored.finished else note)


def _episode(message: dict[str, Any]) -> str:
    """The id of the episode a page comes back to."""
    episode = message.get("episode")
    if not isinstance(episode, str) or not _EPISODE.fullmatch(episode):
        raise Mistake("a page that comes back must name its episode")
    return episode


def _untouched(message: dict[str, Any]) -> bool:
    """Whether nobody had done anything yet in the episode a page comes back to: nothing is lost without it."""
    return message.get("step") == 0 and message.get("actions") == []


def _arena_id(task: Task, number: int) -> int:
    """The id of an arena by its number, from 1, as people count and pages show it."""
    count = len(task.arenas)
    if not 1 <= number <= count:
        raise Mistake(f"there is no arena {number}; the task has {'1 arena' if count == 1 else f'arenas 1 to {count}'}")
    return task.arenas[number - 1].id


def _participant(message: dict[str, Any]) -> str | None:
    """Who plays, as the page says; under a wrong id nothing may be recorded."""
    given = _text(message, "participant", longest=LARGEST_MESSAGE)
    try:
        return None if given is None else checked_participant(given)
    except ValueError as problem:
        raise Mistake(str(problem)) from None


def _number(message: dict[str, Any], name: str) -> int | None:
    """A whole number a message holds, or nothing."""
    return None if message.get(name) is None else number(message, name, _LARGEST_SEED)


def _refuse_others(named: str | None, played: str | None) -> None:
    """Refuse to let anybody resume what another participant began."""
    if named is not None and named != played:
        raise CannotResume("another participant played it")


def _text(message: dict[str, Any], name: str, longest: int = 300) -> str | None:
    """A text a message holds, or nothing."""
    value = message.get(name)
    if value is not None and (not isinstance(value, str) or len(value) > longest):
        raise Mistake(f"{name} is {str(value)[:40]!r}; it must be a text")
    return value
