"""All pages that play infant tasks at the same time: who may enter, whose episode is resumed, and who is taken over."""

import asyncio
import logging
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from puzzlebox.infant.catalogue import CATALOGUE
from puzzlebox.infant.studio.episode import (
    MAX_UNSAVED,
    PlayedEpisode,
    new_episode,
    recover_episode,
    shown_episode,
)
from puzzlebox.infant.studio.player import Player, find_agent, full_name, task_named
from puzzlebox.infant.studio.tab import Tab
from puzzlebox.record import Store
from puzzlebox.record.entries import checked_participant, hash_of
from puzzlebox.seeds import new_seed
from puzzlebox.studio.page_messages import InvalidMessage, NoPlaceFree, read_number, read_text
from puzzlebox.studio.resuming import NOT_RESUMED, CannotResume

_MAX_SEED, _MAX_STEPS = 2**63 - 1, 2**31
_EPISODE = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NOT_OPEN = "this task is not open at the moment; ask the person who sent the link"
# The task of a recording whose page names none; its own is shown.
_DEFAULT = "kick-the-ball"
# Pages at the same time: each needs up to a third of a processor.
MOST_PLAYERS = 16

Result = TypeVar("Result")


class Sessions:
    """Connects pages with their episodes.

    An episode whose page is closed stays unfinished in the store. The same page, or another one of the same
    participant, resumes it: its stored steps are played again, and then those that only the page has seen.

    Attributes:
        store: where episodes are recorded.
        players: the number of pages that may play at the same time.
        agent: the agent that the command line named, which may be an import path.
        log: the logger of the studio.
    """

    def __init__(self, store: Store, players: int, agent: str | None = None) -> None:
        self.store, self.players, self.agent = store, min(players, MOST_PLAYERS), agent
        self.log = logging.getLogger("puzzlebox.studio")
        self._tabs: set[Tab] = set()
        self._requests: dict[Tab, dict[str, Any]] = {}
        self._players: dict[Tab, Player] = {}
        # Pages enter one at a time, so that each finds the episode of the one before it.
        self._entry = asyncio.Lock()
        self._pool = ThreadPoolExecutor(self.players + 2, "puzzlebox-infant")

    async def open(self) -> None:
        """Report what is stored to the pages."""
        loop = asyncio.get_running_loop()
        self._stop_listening = self.store.listen(lambda done: loop.call_soon_threadsafe(self._report_stored, done))

    async def close(self) -> None:
        """Stop all pages; unfinished episodes can be resumed later."""
        self._stop_listening()
        await asyncio.gather(*(tab.stop() for tab in tuple(self._tabs)))
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def work(self, make: Callable[..., Result], *arguments: Any) -> Result:
        """Call a slow function in another thread."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, make, *arguments)

    def _report_stored(self, done: dict[str, int]) -> None:
        for tab in self._tabs:
            if tab.episode is not None and tab.episode.id in done:
                tab.report_stored(done[tab.episode.id])
            tab.report_writing(self.store.error)

    # --- pages

    async def admit(self, tab: Tab, message: dict[str, Any]) -> None:
        """Start or resume an episode on a page, as its first message asks.

        Raises:
            NoPlaceFree: all places are taken.
            InvalidMessage: the message is not a valid first message.
            StoreError: nothing can be recorded.
        """
        if message["type"] not in ("start", "resume"):
            raise InvalidMessage(f"a page begins with 'start' or 'resume', not with {message['type'][:40]!r}")
        request = _request_of(tab, message)
        async with self._entry:
            await self._take_over(request)
            if len(self._tabs) >= self.players:
                raise NoPlaceFree(self.players)
            self._tabs.add(tab)
            self._requests[tab] = request
            # An episode that could not be recorded must not begin.
            await self.work(self.store.check_writable)
            await self.work(self.store.flush, 0.0)
            episode, note = await self._open(request)
            self._players[tab] = episode.player
            await tab.present(episode, note)

    async def _open(self, request: dict[str, Any]) -> tuple[PlayedEpisode, str | None]:
        """Return the episode that a page asks for, and a note about it."""
        note = None
        try:
            if request["shown"] is not None:
                return await self.work(shown_episode, self.store, request["shown"]), None
            resumed = request["episode"] if request["type"] == "resume" else None
            wanted = resumed or await self.work(self._unfinished, request)
            if wanted is not None and request["agent"] is None:
                own = resumed is not None
                step, actions = (request["step"], request["actions"]) if own else (0, [])
                try:
                    await self._require_owner(wanted, request)
                    return await self.work(recover_episode, self.store, wanted, step, actions), None
                except CannotResume as reason:
                    untouched = not step and not actions
                    note = None if untouched else NOT_RESUMED.format(reason)
            agent = None if request["agent"] is None else await self.work(find_agent, request["agent"], self.agent)
            player = await self.work(Player, task_named(request["task"]), agent)
            return await self.work(self._new, player, request, 0), note
        except KeyError as problem:
            raise InvalidMessage(str(problem.args[0])) from None
        except (ValueError, ImportError) as problem:
            raise InvalidMessage(str(problem)) from None

    def _new(self, player: Player, request: dict[str, Any], number: int) -> PlayedEpisode:
        """Prepare the episode after `number` others of a page; those of a participant count from the first one."""
        seed = request["seed"]
        if seed is None:
            seed = new_seed()
        elif request["participant"] is not None:
            seed += sum(each.finished and each.seed is not None for each in self._episodes(request))
        else:
            seed += number
        agent, participant = request["agent"], request["participant"]
        return new_episode(self.store, player, seed, agent=agent, participant=participant)

    def _episodes(self, request: dict[str, Any]) -> list[Any]:
        return self.store.episodes_of(request["participant"], hash_of(task_named(request["task"]).text))

    def _unfinished(self, request: dict[str, Any]) -> str | None:
        """Return the newest episode of a participant in a task, if it is not over."""
        if request["participant"] is None:
            return None
        played = self._episodes(request)
        return played[-1].id if played and not played[-1].finished else None

    async def _require_owner(self, id: str, request: dict[str, Any]) -> None:
        """Refuse to resume an episode of another participant or another task."""
        try:
            stored = await self.work(self.store.episode, id)
        except KeyError:
            raise CannotResume("it had not been stored yet, or was deleted") from None
        if (stored.participant, stored.task) != (request["participant"], request["task"]):
            raise CannotResume("it does not belong to this page")

    async def _take_over(self, request: dict[str, Any]) -> None:
        """Stop another page that plays the same episode, or the same task for the same participant."""
        for other in tuple(self._tabs):
            theirs = self._requests[other]
            same = request["participant"] is not None and request["agent"] is None and request["shown"] is None
            same = same and (theirs["participant"], theirs["task"]) == (request["participant"], request["task"])
            if same or (other.episode is not None and other.episode.id == request["episode"]):
                other.close_taken_over()
                await self._detach(other)

    async def show_next(self, tab: Tab, *, same: bool) -> None:
        """Show the next episode on a page: the same one again, or one with another seed."""
        request, player, before = self._requests[tab], self._players[tab], tab.episode
        assert before is not None
        if before.shown:
            await tab.present(await self.work(shown_episode, self.store, before.id))
            return
        request["number"] += 0 if same else 1
        if same:
            seed, agent, participant = before.start.seed, request["agent"], request["participant"]
            make = lambda: new_episode(self.store, player, seed, agent=agent, participant=participant)  # noqa: E731
            episode = await self.work(make)
        else:
            await self.work(self.store.flush, 0.0)
            episode = await self.work(self._new, player, request, request["number"])
        episode.near = before.near
        await tab.present(episode)

    async def remove(self, tab: Tab) -> None:
        """Remove a page that has disconnected; the episode of an agent ends there."""
        async with self._entry:
            await self._detach(tab)

    async def _detach(self, tab: Tab) -> None:
        if tab not in self._tabs:
            return
        self._tabs.discard(tab)
        self._requests.pop(tab, None)
        self._players.pop(tab, None)
        await tab.stop()
        episode = tab.episode
        if episode is None or episode.shown:
            return
        if episode.start.agent is not None:
            episode.abandon("left")
        elif not episode.over and episode.begun:
            episode.set_hidden(True)
        try:
            await self.work(self.store.flush, 0.0)
        finally:
            self.store.release(episode.id)


def _request_of(tab: Tab, message: dict[str, Any]) -> dict[str, Any]:
    """Return what a page asks for; with a participant's link, what the link says.

    Raises:
        InvalidMessage: a value is not valid.
    """
    task, agent, participant = (read_text(message, name) for name in ("task", "agent", "participant"))
    seed = None if message.get("seed") is None else read_number(message, "seed", _MAX_SEED)
    shown = read_text(message, "shown")
    if tab.link is not None:
        task, agent, participant, seed, shown = tab.link.task, None, tab.link.participant, tab.link.seed, None
    elif shown is not None and (agent, seed) != (None, None):
        name = "agent" if seed is None else "seed"
        raise InvalidMessage(f"a recording is shown, which has its own {name}; leave out `{name}` or `shown`")
    if participant is not None:
        try:
            checked_participant(participant)
        except ValueError as problem:
            raise InvalidMessage(str(problem)) from None
        if agent is not None:
            raise InvalidMessage("an agent plays, so there is no participant; leave one of the two out")
    if task is None and shown is None and tab.link is None:
        raise InvalidMessage(f"no task was named; there are {', '.join(CATALOGUE)}")
    try:
        # A recording has its own task.
        task = full_name(task_named(task or _DEFAULT))
    except ValueError as problem:
        # Participants must not see the names of other tasks.
        raise InvalidMessage(str(problem) if tab.link is None else _NOT_OPEN) from None
    request = {"type": message["type"], "task": task, "agent": agent, "participant": participant, "seed": seed}
    request |= {"shown": shown, "episode": None, "step": 0, "actions": [], "number": 0}
    if message["type"] == "resume":
        episode = message.get("episode")
        if not isinstance(episode, str) or not _EPISODE.fullmatch(episode):
            raise InvalidMessage("a page that resumes must name its episode")
        request |= {"episode": episode, "step": read_number(message, "step", _MAX_STEPS)}
        request["actions"] = _actions(message.get("actions"))
    return request


def _actions(actions: Any) -> list[list[float]]:
    """Return the actions that a page has kept, each as a row of numbers."""
    if not isinstance(actions, list) or len(actions) > 4 * MAX_UNSAVED:
        raise InvalidMessage(f"actions must be a list of at most {4 * MAX_UNSAVED} rows of numbers")
    for row in actions:
        if not isinstance(row, list) or not all(type(each) in (int, float) and -1 <= each <= 1 for each in row):
            raise InvalidMessage("actions must be rows of numbers from -1 to 1")
    return [[float(each) for each in row] for row in actions]
