"""One episode on a page: its steps, their recording, and how it is resumed."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from puzzlebox.infant.studio.frames import FrameFlag
from puzzlebox.infant.studio.player import WING, Player, full_name, numbers_of
from puzzlebox.record import Breaks, End, Episode, Start, Step, Store
from puzzlebox.record.entries import now
from puzzlebox.studio.break_timer import BreakTimer
from puzzlebox.studio.resuming import CannotResume, start_of, unstored_actions
from puzzlebox.wings.gymnasium_wing import GymnasiumRecord

# Entries of an episode that may wait for the disk before it stands still. The page keeps the actions of these steps, so
# that none is lost if the server is killed meanwhile; even 82 joints a step fit into one message then.
MAX_UNSAVED = 30


@dataclass(frozen=True)
class Recorded:
    """What the store knows of an episode that is resumed.

    Attributes:
        unstored: the steps that only the page has seen, to be stored first.
        time_ms: the time of the last step, in milliseconds from the start.
        breaks: how long it has stood still so far.
    """

    unstored: tuple[Step, ...]
    time_ms: float
    breaks: Breaks


class PlayedEpisode:
    """An episode that is played on a page. It does not begin, and is not recorded, before `begin`.

    Args:
        store: where it is recorded; None: it is only shown.
        player: the child, at the beginning of the episode or where it is resumed.
        start: the entry that begins its recording.
        events: the events of its preparation.
        recorded: what is stored already, if it is resumed.
        clock: the time in seconds.

    Attributes:
        id: its id in the store.
        start: the entry that begins its recording.
        player: the child.
        waiting: whether it waits for a key before it goes on.
        near: whether the picture from outside shows the child alone, and not the whole room.
        breaks: counts how long it has stood still.
    """

    def __init__(
        self,
        store: Store | None,
        player: Player,
        start: Start,
        events: Sequence[Any] = (),
        recorded: Recorded | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store, self.player, self.start, self._events = store, player, start, events
        self._recorded, self._clock = recorded, clock
        self.id, self.waiting, self.near = start.id, True, True
        self.breaks = BreakTimer(clock)
        self._begun, self._ended, self._last = False, False, (0, 0.0)
        self._began = clock()

    @property
    def over(self) -> bool:
        """Whether it has ended, by itself or because the participant left it."""
        return self._ended or self.player.session.over

    @property
    def shown(self) -> bool:
        """Whether it is a recording that is only shown."""
        return self._store is None

    @property
    def begun(self) -> bool:
        """Whether it was played on this page."""
        return self._begun

    @property
    def moving(self) -> bool:
        """Whether time passes."""
        return not self.waiting and not self.over and not self.breaks.stopped

    def begin(self) -> None:
        """Let time pass, and record the episode from now on."""
        self.waiting = False
        if self._begun:
            self.set_hidden(False)
            return
        self._begun = True
        done, store = self._recorded, self._store
        self._began = self._clock() - (0.0 if done is None else done.time_ms / 1000)
        self.breaks.start(*(() if done is None else (done.breaks.hidden_ms, done.breaks.paused_ms)))
        if store is None:
            self._ended = not self.player.left
            return
        if done is None:
            self.start = replace(self.start, started=now())
            store.begin(self.start)
            store.step(self.id, replace(Step.of(self.player.session, None, 0.0), events=self._events))
            return
        for step in done.unstored:
            store.step(self.id, step)
        if self.player.session.over:
            self._end(self.player.session.cause or "completed")

    def step(self, values: Sequence[float], key: int, painted: bool) -> bytes:
        """Take a control step, record it, and return its frame.

        Args:
            values: those of the controls.
            key: the number of the `keys` message they came with.
            painted: whether the frame has pictures.
        """
        player = self.player
        outcome = player.act(values)
        self._last = (key, float(outcome.rewards[0]))
        if self._store is not None:
            step = Step.of(player.session, outcome, 1000 * (self._clock() - self._began))
            self._store.step(self.id, step)
        if player.session.over:
            self._end(player.session.cause or "completed")
        elif self.shown and not player.left:
            self._ended = True
        return self.frame(painted)

    def frame(self, painted: bool = True) -> bytes:
        """Return the message about this moment."""
        flags = (FrameFlag.WAITING if self.waiting else 0) | (FrameFlag.PAUSED if self.breaks.stopped else 0)
        return self.player.frame(*self._last, flags, self.near if painted else None)

    def update_stall(self) -> None:
        """Stand still while too many entries wait for the disk."""
        if self._store is None or not self._begun:
            return
        unsaved = self._store.waiting(self.id)
        stalled = unsaved >= (MAX_UNSAVED // 2 if self.breaks.stalled else MAX_UNSAVED)
        if stalled != self.breaks.stalled:
            self.breaks.set_stalled(stalled)

    def set_paused(self, on: bool) -> None:
        """Stop the episode while the participant has paused it, or continue it."""
        self.breaks.set_paused(on)
        self._store_breaks()

    def set_hidden(self, on: bool) -> None:
        """Stop the episode while its page is hidden, or continue it."""
        self.breaks.set_hidden(on)
        self._store_breaks()

    def abandon(self, reason: str) -> None:
        """End the episode early, for a reason such as "restart"; nothing is stored of one that has not begun."""
        if self._begun and not self.over:
            self._end(reason)

    def _end(self, cause: str) -> None:
        self._store_breaks()
        self._ended = True
        if self._store is not None:
            self._store.end(self.id, End.of(self.player.session, cause))

    def _store_breaks(self) -> None:
        if self._store is not None and self._begun and self.start.agent is None and not self._ended:
            self._store.breaks(self.id, Breaks(self.breaks.hidden_ms, self.breaks.paused_ms))

    def result(self) -> dict[str, Any]:
        """Return what the page shows at the end."""
        session = self.player.session
        failed = session.over and session.passed() is False
        return {
            "episode": self.id,
            "step": session.clock,
            "passed": session.passed(),
            "return": session.total,
            "cause": session.cause,
            "reason": self.player.core.task.reason(self.player.core.play) if failed else "",
            "measures": dict(session.measures()),
        }


def new_episode(
    store: Store, player: Player, seed: int, *, agent: str | None = None, participant: str | None = None
) -> PlayedEpisode:
    """Prepare an episode that is not in the store yet."""
    events = player.begin(seed)
    start = Start.of(
        player.task,
        name=full_name(player.task),
        seed=seed,
        player="human" if agent is None else "agent",
        agent=agent,
        participant=participant,
    )
    return PlayedEpisode(store, player, start, events)


def shown_episode(store: Store, id: str) -> PlayedEpisode:
    """Prepare a recorded episode that is only shown.

    Raises:
        KeyError: there is no such episode.
        ValueError: it is not one of this wing.
    """
    episode, record = _stored(store, id)
    player = Player(record.task)
    player.begin(record.seed, [actions[0] for actions in record.actions])
    return PlayedEpisode(None, player, start_of(episode, store.task_text(id)))


def recover_episode(store: Store, id: str, step: int, page_actions: Sequence[Sequence[float]]) -> PlayedEpisode:
    """Claim an unfinished episode for this server, and play it again up to where the connection broke.

    Args:
        store: where the episode is stored.
        id: the id of the episode.
        step: the last step that was reported to the page as stored.
        page_actions: the actions the page saw after it, each as a row of numbers.

    Raises:
        CannotResume: the episode cannot be resumed.
        PlayedElsewhere: another server plays the episode.
    """
    store.claim(id)
    try:
        return _recovered(store, id, step, page_actions)
    except BaseException:
        store.release(id)
        raise


def _recovered(store: Store, id: str, step: int, page_actions: Sequence[Sequence[float]]) -> PlayedEpisode:
    try:
        episode, record = _stored(store, id)
    except (KeyError, ValueError):
        raise CannotResume("it had not been stored yet, or was deleted") from None
    if episode.finished:
        raise CannotResume("it is over")
    if store.fault(id) is not None:
        raise CannotResume("it cannot be recorded any further")
    if not episode.by_person:
        raise CannotResume("only what a participant plays can be resumed")
    player, times = Player(record.task), store.steps(id)["time_ms"]
    stored = [actions[0] for actions in record.actions]
    pages = [list(each) for each in page_actions]
    unstored = unstored_actions([numbers_of(each) for each in stored], step, pages)
    events = player.begin(record.seed)
    entries = [] if times else [replace(Step.of(player.session, None, 0.0), events=events)]
    for action in stored:
        player.repeat(action)
    time_ms = times[-1] if times else 0.0
    for numbers in unstored:
        if player.session.over:
            break
        if len(numbers) != int(np.prod(player.shape)):
            raise CannotResume("what the page has seen are no actions of this task")
        outcome = player.repeat(np.reshape(numbers, player.shape).tolist())
        # The true times were lost with the server; steps are one control step apart.
        time_ms += 1000 * (episode.step_seconds or 0.0)
        entries.append(Step.of(player.session, outcome, time_ms))
    player.steering.begin()
    breaks = Breaks(episode.hidden_ms or 0.0, episode.paused_ms or 0.0)
    start = start_of(episode, store.task_text(id))
    return PlayedEpisode(store, player, start, recorded=Recorded(tuple(entries), time_ms, breaks))


def _stored(store: Store, id: str) -> tuple[Episode, GymnasiumRecord]:
    episode = store.episode(id)
    if episode.wing != WING:
        raise ValueError(f"episode {id} is not one of an infant task")
    record: GymnasiumRecord = store.record(id)
    return episode, record
