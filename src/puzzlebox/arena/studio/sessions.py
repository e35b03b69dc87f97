"""All pages that play at the same time, the worlds of pages that have just disconnected, and what they share."""

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
from puzzlebox.arena.studio.recovery import MAX_UNSTORED, RESTART, progress, recover_episode
from puzzlebox.arena.studio.schedule import SessionSchedule
from puzzlebox.arena.studio.tab import Tab
from puzzlebox.arena.studio.watched_agent import AgentDriver, find_agent
from puzzlebox.arena.world.actions import ACTIONS
from puzzlebox.record import Store
from puzzlebox.record.entries import checked_participant
from puzzlebox.studio.limits import LARGEST_MESSAGE, PLAYERS
from puzzlebox.studio.links import Link
from puzzlebox.studio.page_messages import InvalidMessage, NoPlaceFree, read_number, read_text
from puzzlebox.studio.resuming import DELETED, NOT_RESUMED, CannotResume, unstored_actions

# Worlds of disconnected pages that are kept, and for how many seconds; later, an episode is rebuilt from the store.
MAX_DETACHED, DETACHED_SECONDS = 32, 120.0
_MAX_SEED = 2**63 - 1
_MAX_STEPS = 2**31
_EPISODE = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NOT_OPEN = "this task is not open at the moment; ask the person who sent the link"

Result = TypeVar("Result")


class Sessions:
    """Connects pages with their episodes, and holds what all players share.

    When a page is closed, reloaded or has crashed, its world is kept for `DETACHED_SECONDS`, and the same page, or
    one of the same participant, continues at the step it had reached (`_reattach`). After that, and after a restart of
    the studio, the episode is replayed up to the last step that was stored (`recovery.recover_episode`), and, if the
    page itself is still there, with the later actions that it has kept.

    Attributes:
        store: where episodes are recorded.
        catalogue: the tasks.
        pacer: the clock.
        rules: the rules of all episodes.
        players: the number of pages that may play at the same time.
        agent: the agent that the command line named, which may be an import path.
        log: the logger of the studio.
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
        self._detached: dict[str, tuple[float, Play, AgentDriver | None]] = {}
        # Pages of one participant are admitted one at a time, so that each finds the episode of the one before it.
        self._entry_locks: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()
        self._build_pool = ThreadPoolExecutor(2, "puzzlebox-builder")
        self._agent_pool = ThreadPoolExecutor(8, "puzzlebox-agent")

    async def open(self) -> None:
        """Start the clock, and report what is stored to the pages."""
        loop = asyncio.get_running_loop()
        self._clock = asyncio.create_task(self.pacer.run())
        self._stop_listening = self.store.listen(lambda done: loop.call_soon_threadsafe(self._report_stored, done))

    async def close(self) -> None:
        """Stop the clock and drop all worlds; unfinished episodes can be resumed later."""
        self._stop_listening()
        self._clock.cancel()
        await asyncio.gather(self._clock, return_exceptions=True)
        for pool in (self._build_pool, self._agent_pool):
            pool.shutdown(wait=False, cancel_futures=True)
        self._detached.clear()

    async def build(self, make: Callable[..., Result], *arguments: Any) -> Result:
        """Call a slow function in another thread, so that the clock is not delayed."""
        return await asyncio.get_running_loop().run_in_executor(self._build_pool, make, *arguments)

    def _report_stored(self, done: dict[str, int]) -> None:
        for episode, step in done.items():
            tab = self._players.get(episode)
            if tab is not None:
                tab.report_stored(episode, step)
        problem = self.store.error
        for tab in self._tabs:
            tab.report_writing(problem)

    # --- pages

    async def admit(self, tab: Tab, message: dict[str, Any]) -> None:
        """Start or resume an episode on a page, as its first message asks.

        Raises:
            NoPlaceFree: all places are taken.
            InvalidMessage: the message is not a valid first message.
            StoreError: nothing can be recorded.
        """
        if len(self._tabs) >= self.players and not self._takes_over(tab, message):
            raise NoPlaceFree(self.players)
        self._tabs.add(tab)
        # An episode that could not be recorded must not begin.
        await self.build(self.store.check_writable)
        note = None
        if tab.link is not None:
            message, note = await self._restrict(message, tab.link)
        async with self._entry_lock(message):
            if message["type"] == "start":
                await self._start(tab, message, note)
            elif message["type"] == "resume":
                await self._resume(tab, message)
            else:
                raise InvalidMessage(f"a page begins with 'start' or 'resume', not with {message['type'][:40]!r}")
            self.pacer.add(tab)

    def _takes_over(self, tab: Tab, message: dict[str, Any]) -> bool:
        """Return whether a page takes over another one's episode, or its task for the same participant."""
        episode = message.get("episode")
        if isinstance(episode, str) and episode in self._players:
            return True
        request = message if tab.link is None else asdict(tab.link)
        participant, task = request.get("participant"), request.get("task") or one_of_each.NAME
        schedules = [other.play.schedule for other in self._tabs if other.play is not None]
        return participant is not None and any(
            (each.participant, each.name) == (participant, task) for each in schedules
        )

    def _entry_lock(self, message: dict[str, Any]) -> asyncio.Lock:
        """Return the lock that admits one page at a time of a participant or, without one, of an episode."""
        participant = _participant(message)
        owner = f"participant {participant}" if participant is not None else f"episode {message.get('episode')!r}"
        if participant is None and message.get("episode") is None:
            return asyncio.Lock()
        return self._entry_locks.setdefault(owner, asyncio.Lock())

    async def _restrict(self, message: dict[str, Any], link: Link) -> tuple[dict[str, Any], str | None]:
        """Return the first message of a page, restricted to what its participant's link opens, and a note for the page.

        An episode of another participant or another task is treated like one that does not exist.
        """
        message = {**message, **asdict(link), "arena": None, "agent": None}
        if message["type"] != "resume":
            return message, None
        owner = await self._owner(_episode(message))
        if owner == (link.participant, link.task or one_of_each.NAME):
            return message, None
        note = None if _untouched(message) else NOT_RESUMED.format("it does not belong to this link")
        return message | {"type": "start"}, note

    async def _owner(self, episode: str) -> tuple[str | None, str] | None:
        """Return the participant and the task of an episode; None if there is no such episode."""
        tab = self._players.get(episode)
        play = tab.play if tab is not None else self._detached[episode][1] if episode in self._detached else None
        if play is not None:
            return play.schedule.participant, play.schedule.name
        await self.build(self.store.flush, 0.0)
        try:
            stored = await self.build(self.store.episode, episode)
        except KeyError:
            return None
        return stored.participant, stored.task

    async def is_deleted(self, play: Play) -> bool:
        """Return whether the recording of a running episode has been deleted (`puzzlebox forget`)."""
        if play.untouched or not play.running:
            return False
        await self.build(self.store.flush, 0.0)
        return not await self.build(self.store.knows, play.episode)

    def set_player(self, tab: Tab, episode: str) -> None:
        """Report to a page, from now on, what is stored of an episode."""
        self._players[episode] = tab

    def remove(self, tab: Tab) -> None:
        """Remove a page; the world of its running episode is kept for a while, so that a page can resume it."""
        self.pacer.remove(tab)
        self._tabs.discard(tab)
        self._players = {episode: other for episode, other in self._players.items() if other is not tab}
        play, agent = tab.play, tab.agent
        tab.detach()
        if play is not None and play.running and self.store.fault(play.episode) is None:
            play.disconnect()
            left, episode = time.monotonic(), play.episode
            self._detached[episode] = (left, play, agent)
            asyncio.get_running_loop().call_later(DETACHED_SECONDS, self._discard, episode, left)
        oldest = sorted(self._detached, key=lambda episode: self._detached[episode][0])[:-MAX_DETACHED]
        latest = time.monotonic() - DETACHED_SECONDS
        for episode in {*oldest, *(each for each, (left, *_) in self._detached.items() if left < latest)}:
            self._discard(episode)

    def _discard(self, episode: str, left: float | None = None) -> None:
        """Discard the world of a disconnected page, so that other servers may resume the episode.

        Args:
            episode: the id of the episode.
            left: discard it only if the page disconnected at this time, and not again later.
        """
        if episode in self._detached and left in (None, self._detached[episode][0]):
            del self._detached[episode]
            self.store.release(episode)

    async def _start(self, tab: Tab, message: dict[str, Any], note: str | None = None) -> None:
        """Start the task that a `start` message names, or resume its participant's unfinished episode."""
        name, agent = (read_text(message, key) for key in ("task", "agent"))
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
            if participant is None or not await self._reopen(tab, schedule):
                await self._play(tab, schedule, note or tab.note)
        except UnknownTask as problem:
            # Participants must not see the names of other tasks.
            raise InvalidMessage(str(problem) if tab.link is None else _NOT_OPEN) from None
        except ValueError as problem:
            raise InvalidMessage(str(problem)) from None

    async def _reopen(self, tab: Tab, schedule: SessionSchedule) -> bool:
        """Resume the unfinished episode of a participant who opens the link again; returns whether there was one.

        If there was none, the arenas that are done are removed from the schedule.
        """
        for other in tuple(self._tabs):
            if other is not tab and other.play is not None and other.play.schedule.same_session(schedule):
                self.remove(other)
                other.close_taken_over()
        for episode, (_, play, _) in tuple(self._detached.items()):
            if not play.schedule.same_session(schedule):
                continue
            if await self.is_deleted(play):
                self._detached.pop(episode, None)
                tab.note = NOT_RESUMED.format(DELETED)
            elif episode in self._detached:
                self._reattach(tab, episode, 0, [], schedule.participant, waits=True)
                return True
        await self.build(self.store.flush, 0.0)
        done, unfinished = await self.build(progress, self.store, schedule)
        schedule.skip(done)
        if unfinished is None:
            return False
        if unfinished.id in self._players:  # opened with another seed in its address
            other = self._players[unfinished.id]
            self.remove(other)
            other.close_taken_over()
        if unfinished.id in self._detached:
            self._reattach(tab, unfinished.id, 0, [], schedule.participant, waits=True)
            return True
        try:
            prepared, *_ = await self.build(recover_episode, self.store, unfinished.id, 0, [])
        except CannotResume:
            return False
        schedule.continue_after(unfinished.arena)
        tab.attach(Play(schedule, self.store), None)
        tab.present(prepared)
        return True

    async def _play(self, tab: Tab, schedule: SessionSchedule, note: str | None = None) -> None:
        play = Play(schedule, self.store)
        if schedule.finished:
            tab.attach(play, None)
            play.recorded = True  # only recordings can show that it is finished
            play.finish()
            return
        driver = None
        if schedule.agent is not None:
            agent = await self.build(find_agent, schedule.agent, self.agent)
            driver = AgentDriver(play, agent, self._agent_pool, tab.after_step)
        prepared = await self.build(Prepared.new, schedule, schedule.repeat())
        tab.attach(play, driver)
        tab.present(prepared, note)

    async def _resume(self, tab: Tab, message: dict[str, Any]) -> None:
        """Resume the episode of a `resume` message: in the world that was kept, or in one rebuilt from the store."""
        episode = _episode(message)
        step, page_actions = read_number(message, "step", _MAX_STEPS), message.get("actions")
        if not isinstance(page_actions, list) or not all(
            type(each) is int and 0 <= each < len(ACTIONS) for each in page_actions
        ):
            raise InvalidMessage(f"actions must be a list of numbers from 0 to {len(ACTIONS) - 1}")
        if len(page_actions) > MAX_UNSTORED:
            raise InvalidMessage(f"there are {len(page_actions)} actions; a page keeps {MAX_UNSTORED} at most")
        participant = _participant(message)
        player = self._players.get(episode)
        try:
            if player is not None and player is not tab:
                if player.play is not None:
                    _require_same_participant(participant, player.play.schedule.participant)
                self.remove(player)
                player.close_taken_over()
            if episode in self._detached and await self.is_deleted(self._detached[episode][1]):
                self._detached.pop(episode, None)
                raise CannotResume(DELETED)
            if episode in self._detached:
                self._reattach(tab, episode, step, page_actions, participant)
            else:
                await self._rebuild(tab, episode, step, page_actions, participant, _number(message, "seed"))
        except CannotResume as reason:
            if page_actions:  # the page will discard these actions
                self.log.warning(
                    "episode %s: %s; after step %d its page had seen %s", episode, reason, step, page_actions
                )
            await self._start_replacement(tab, episode, message, str(reason))

    def _reattach(
        self, tab: Tab, episode: str, step: int, page_actions: list[int], participant: str | None, waits: bool = False
    ) -> None:
        """Resume an episode in the world that was kept for its page.

        Raises:
            CannotResume: another participant played it, or the page has seen other actions.
        """
        _, play, driver = self._detached[episode]
        _require_same_participant(participant, play.schedule.participant)
        if unstored_actions([actions[0] for actions in play.world.actions], step, page_actions):
            raise CannotResume("the page has seen more steps than were played")
        del self._detached[episode]
        self.set_player(tab, episode)
        play.reconnect(waits=waits)
        tab.attach(play, driver)
        if driver is not None:
            driver.on_steps = tab.after_step
        play.send_description(None if waits else step + len(page_actions))
        tab.after_step()
        if not self.store.waiting(episode):
            tab.report_stored(episode, play.world.clock)

    async def _rebuild(
        self, tab: Tab, episode: str, step: int, page_actions: list[int], participant: str | None, seed: int | None
    ) -> None:
        """Resume an episode in a world rebuilt from its stored steps and the later ones that the page has seen."""
        await self.build(self.store.flush, 0.0)
        prepared, stored, record = await self.build(recover_episode, self.store, episode, step, page_actions)
        _require_same_participant(participant, stored.participant)
        schedule = SessionSchedule(stored.task, record.task, record.rules, seed=seed, participant=stored.participant)
        done, _ = await self.build(progress, self.store, schedule)
        schedule.skip(done)
        schedule.continue_after(record.arena)
        tab.attach(Play(schedule, self.store), None)
        tab.present(prepared, waits=False, page_step=step + len(page_actions))
        tab.report_stored(episode, len(record.actions))

    async def _start_replacement(self, tab: Tab, episode: str, message: dict[str, Any], reason: str) -> None:
        """Start a new episode of the same task instead of one that cannot be resumed."""
        note = NOT_RESUMED.format(reason)
        try:
            await self.build(self.store.flush, 0.0)
            stored = await self.build(self.store.episode, episode)
            record = await self.build(self.store.record, episode)
        except KeyError:
            if message.get("task") is None:
                raise InvalidMessage(f"there is no episode {episode} to resume; start again", gone=True) from None
            names = ("task", "arena", "seed", "agent", "participant")
            await self._start(tab, {name: message.get(name) for name in names}, None if _untouched(message) else note)
            return
        agent = None if stored.by_person else stored.agent
        participant = None if agent is not None else _participant(message) or stored.participant
        seed = _number(message, "seed")
        schedule = SessionSchedule(
            stored.task, record.task, self.rules, seed=seed, agent=agent, participant=participant
        )
        if participant is None:
            schedule.continue_after(record.arena)
            if stored.finished and stored.ended_by != RESTART:  # it ended after the page had disconnected
                schedule.next()
        elif await self._reopen(tab, schedule):
            return
        await self._play(tab, schedule, None if stored.finished else note)


def _episode(message: dict[str, Any]) -> str:
    """Return the episode id of a `resume` message."""
    episode = message.get("episode")
    if not isinstance(episode, str) or not _EPISODE.fullmatch(episode):
        raise InvalidMessage("a page that resumes must name its episode")
    return episode


def _untouched(message: dict[str, Any]) -> bool:
    """Return whether the episode of a `resume` message had not begun, so that nothing is lost without it."""
    return message.get("step") == 0 and message.get("actions") == []


def _arena_id(task: Task, number: int) -> int:
    """Return the id of an arena by its number, which counts from 1 as on the pages."""
    count = len(task.arenas)
    if not 1 <= number <= count:
        raise InvalidMessage(
            f"there is no arena {number}; the task has {'1 arena' if count == 1 else f'arenas 1 to {count}'}"
        )
    return task.arenas[number - 1].id


def _participant(message: dict[str, Any]) -> str | None:
    """Return the participant of a message, or None.

    Raises:
        InvalidMessage: the id is not valid; nothing may be recorded under it.
    """
    id = read_text(message, "participant", longest=LARGEST_MESSAGE)
    try:
        return None if id is None else checked_participant(id)
    except ValueError as problem:
        raise InvalidMessage(str(problem)) from None


def _number(message: dict[str, Any], name: str) -> int | None:
    """Return a whole number of a message, or None."""
    return None if message.get(name) is None else read_number(message, name, _MAX_SEED)


def _require_same_participant(participant: str | None, owner: str | None) -> None:
    """Refuse to resume an episode of another participant; a page that names none may resume any."""
    if participant is not None and participant != owner:
        raise CannotResume("another participant played it")
