"""One player: the World of one page, the keys that are held, the recording, and the messages for the page."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from puzzlebox.arena.rules import PHYSICS_STEP
from puzzlebox.arena.studio.scene_stream import VIEWS, SceneStream, describe_arena, events_message, moment_of
from puzzlebox.arena.studio.schedule import SessionSchedule
from puzzlebox.arena.world import Event, Outcome, Record, World
from puzzlebox.arena.world.actions import NOOP
from puzzlebox.record import Breaks, End, Start, Step, Store
from puzzlebox.record.entries import now
from puzzlebox.studio import protocol
from puzzlebox.studio.break_timer import BreakTimer
from puzzlebox.studio.protocol import FrameFlag, Moment
from puzzlebox.wings import ARENA, wing_named

# Seconds from the end of an episode to the next one; shorter if a notification has shown the end already.
PAUSE_SECONDS, PAUSE_AFTER_NOTICE_SECONDS = 1.5, 0.4
NO_BREAKS = Breaks(0.0, 0.0)
# Entries of one episode that may wait for the disk (40 s of playing) before the episode stands still. A page keeps 3000
# steps that are not stored (recovery.MAX_UNSTORED), so that none is lost even if the server is killed meanwhile.
MAX_UNSAVED = 2000


@dataclass(frozen=True)
class Prepared:
    """An episode ready to be played. It is built in another thread, since building may take longer than a step.

    Attributes:
        start: the entry that begins its recording.
        world: its world.
        stored: the number of physics steps in the store, or -1 when the store does not know the episode yet.
        unstored: the steps after those, still to be stored.
        events: the events of building the arena.
        time_ms: the time of the last step, in milliseconds from the start.
        notified: the success that its closing notification shows; None before there is one.
        cause: why it ended, if it has and the store does not know yet.
        breaks: how long it has stood still so far.
    """

    start: Start
    world: World
    stored: int = -1
    unstored: tuple[Step, ...] = ()
    events: tuple[Event, ...] = ()
    time_ms: float = 0.0
    notified: bool | None = None
    cause: str | None = None
    breaks: Breaks = NO_BREAKS

    @classmethod
    def new(cls, schedule: SessionSchedule, record: Record) -> "Prepared":
        """Build a new episode, which is not in the store yet."""
        world = World(record.task, arena=record.arena, seed=record.seed, rules=record.rules)
        start = Start.of(
            record.task,
            name=schedule.name,
            arena=record.arena,
            seed=record.seed,
            rules=record.rules,
            player="human" if schedule.agent is None else "agent",
            agent=schedule.agent,
            participant=schedule.participant,
        )
        return cls(start, world, events=world.take_events())


class Keys:
    """The action of the keys that are held. A key pressed and released between two steps counts for one step."""

    def __init__(self) -> None:
        self._held, self._tapped = (0, NOOP), (0, NOOP)
        self._taken = self._free = True

    def press(self, key: int, action: int) -> None:
        """Take note of the action that is held now, by the `keys` message number `key`."""
        if self._free and not self._taken and action == NOOP and self._held[1] != NOOP:
            self._tapped = self._held
        self._held, self._taken = (key, action), False
        self._free = self._free or action == NOOP

    def reset(self) -> None:
        """Prepare for an episode that waits to begin: a key that is held already counts only after its release."""
        self._tapped, self._taken = (0, NOOP), True
        self._free = self._held[1] == NOOP

    @property
    def pressed(self) -> bool:
        """Whether a key is held that was pressed after the last `reset`."""
        return self._free and self._held[1] != NOOP

    def take(self) -> tuple[int, int]:
        """Return what counts in the step that is taken now: the number of the `keys` message, and the action."""
        if self._tapped[1] != NOOP:
            tapped, self._tapped = self._tapped, (0, NOOP)
            return tapped
        self._taken = True
        return self._held

    def release(self) -> None:
        """Release all keys."""
        self._held, self._tapped, self._taken = (self._held[0], NOOP), (0, NOOP), True


class Play:
    """The episodes of one page, one after the other.

    Attributes:
        schedule: the arenas to play.
        keys: the keys that are held.
        view: the camera the page looks through; it is recorded.
        waiting: whether the episode is shown, but does not begin until the participant acts.
        recorded: whether any episode of this page is stored.
        send_text: sends a JSON text to the page; does nothing while no page is connected.
        note: one sentence for the participant, shown with the episode.
    """

    def __init__(self, schedule: SessionSchedule, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self.schedule, self._store, self._clock = schedule, store, clock
        self.keys, self._break_timer = Keys(), BreakTimer(clock)
        self.waiting = self.recorded = self._begun = self._start_stored = self._abandoned = False
        self.view = VIEWS[schedule.task.default_perspective]
        self.send_text: Callable[[str], None] = lambda text: None
        self._stream = SceneStream()
        self._prepared: Prepared | None = None
        self._previous_return: float | None = None
        self._sent_step = 0
        self._sent_moment: Moment | None = None
        self.note: str | None = None

    # --- episodes

    @property
    def running(self) -> bool:
        """Whether an episode is shown that has not ended; it may wait to begin."""
        return self._prepared is not None and not self._abandoned and not self.world.over

    @property
    def moving(self) -> bool:
        """Whether time passes in the episode; never before its start is in the file."""
        return self.running and not self.waiting and self._start_stored and not self._break_timer.stopped

    @property
    def over(self) -> bool:
        """Whether the episode on the page has ended."""
        return self._prepared is not None and self.world.over

    @property
    def untouched(self) -> bool:
        """Whether the participant has not acted in the episode yet, so that nothing of it is stored."""
        return self._prepared is not None and self._prepared.stored < 0 and not self._begun

    @property
    def unsaved(self) -> int:
        """The number of entries of the episode that are not in the file yet."""
        return 0 if self._prepared is None else self._store.waiting(self.episode)

    @property
    def world(self) -> World:
        """The world of the current episode."""
        assert self._prepared is not None
        return self._prepared.world

    @property
    def episode(self) -> str:
        """The id of the current episode in the store."""
        assert self._prepared is not None
        return self._prepared.start.id

    def present(
        self, prepared: Prepared, note: str | None = None, *, waits: bool = True, page_step: int | None = None
    ) -> None:
        """Show an episode on the page; the one before it has ended.

        Args:
            prepared: the episode.
            note: one sentence for the participant.
            waits: whether it begins only when the participant acts; ignored for agents and for ended episodes.
            page_step: the last step whose action the page knows. Default: the newest one.
        """
        self._remember_return()
        self._prepared, self.note, self._abandoned = prepared, note, False
        self._notified = prepared.notified
        actions = prepared.world.actions
        self._last = (0, actions[-1][0] if actions else NOOP)
        self._start_stored = prepared.stored >= 0
        self._break_timer.set_stalled(False)
        self.waiting, self._begun = waits and self.schedule.agent is None and not prepared.world.over, False
        self.keys.reset()
        self.send_description(page_step)
        if not self.waiting:
            self.begin()

    def _remember_return(self) -> None:
        if self._prepared is not None and not self.waiting:
            self._previous_return = self.world.animals[0].total

    def press(self, key: int, action: int) -> None:
        """Take note of the action that is held now; an episode that waits begins with the first key pressed."""
        self.keys.press(key, action)
        if self.waiting and self.keys.pressed:
            self.begin()

    def begin(self) -> None:
        """Begin the episode and record it; an episode that waits does not begin while nothing can be recorded."""
        prepared = self._prepared
        assert prepared is not None
        if self.waiting and self._store.error is not None:
            return
        self.waiting = False
        if self._begun:
            self.hide(False)
            return
        self._begun = self.recorded = True
        self._began = self._clock() - prepared.time_ms / 1000
        self._break_timer.set_hidden(False)  # a page that begins an episode is visible
        self._break_timer.start(prepared.breaks.hidden_ms, prepared.breaks.paused_ms)
        if prepared.stored < 0:
            prepared = self._prepared = replace(prepared, start=replace(prepared.start, started=now()))
            self._store.begin(prepared.start)
            self._store.step(self.episode, initial_step(prepared.world, prepared.events, self.view))
        for step in prepared.unstored:
            self._store.step(self.episode, step)
        self._store_breaks()
        if prepared.cause is not None:
            self._store.end(self.episode, End.of(prepared.world, prepared.cause))
        if prepared.events:
            self.send_text(events_message(prepared.world.clock, prepared.events))
        if prepared.cause is not None:
            self._announce_end(prepared.cause)

    def send_description(self, page_step: int | None = None) -> None:
        """Send the description of the episode; the next frames then contain the complete scene.

        Args:
            page_step: the last step whose action the page knows. Default: the newest one.
        """
        if self._prepared is None:
            return
        self._sent_step = self.world.clock if page_step is None else min(page_step, self.world.clock)
        self._stream.reset()
        self._sent_moment = None
        self.send_text(protocol.compact(self._description()))

    def _description(self) -> dict[str, Any]:
        assert self._prepared is not None
        start = self._prepared.start
        return {
            "type": "episode",
            "episode": start.id,
            "task": start.task,
            "title": start.title,
            "seed": start.seed,
            "rules": wing_named(ARENA).rules(self.schedule.rules).name,
            **describe_arena(self.world),
            "view": self.view,
            "agent": start.agent,
            "participant": start.participant,
            "previous_return": self._previous_return,
            "notified": self._notified,
            "step": self.world.clock,
            "note": self.note,
        }

    def finish(self) -> None:
        """Report that the last arena was played; without a participant, another round may follow."""
        self._remember_return()
        self._prepared, self.waiting = None, False
        title = self.schedule.task.metadata.title or self.schedule.name
        again = self.schedule.participant is None
        message = {"type": "finished", "title": title, "again": again, "recorded": self.recorded}
        self.send_text(protocol.compact(message))

    def abandon(self, reason: str) -> None:
        """End the episode early, for a reason such as "restart"; nothing is stored of one that has not begun."""
        if self.running and not self.untouched:
            if self._begun:
                self._store_breaks()
            self._store.end(self.episode, End.of(self.world, reason))
            self._abandoned = True

    def update_stall(self) -> bool:
        """Stop or continue the episode, depending on how many entries are unsaved; return whether that has changed."""
        if not self.running or not self._begun:
            return False
        unsaved = self.unsaved
        if not self._start_stored:
            self._start_stored = not unsaved
            self._began = self._clock()
            return self._start_stored
        stalled = unsaved >= (MAX_UNSAVED // 2 if self._break_timer.stalled else MAX_UNSAVED)
        if stalled == self._break_timer.stalled:
            return False
        self._break_timer.set_stalled(stalled)
        self._store_breaks()
        return True

    # --- breaks

    def pause(self, on: bool) -> None:
        """Stop the episode while the menu is open, or continue it."""
        self._break_timer.set_paused(on)
        self._after_break()

    def hide(self, on: bool) -> None:
        """Stop a participant's episode while the page is hidden or disconnected, or continue it."""
        self._break_timer.set_hidden(on and self.schedule.agent is None)
        self._after_break()

    def disconnect(self) -> None:
        """Stop the episode because its page has disconnected; `reconnect` continues it."""
        self.send_text = lambda text: None
        self.keys.release()
        self.hide(True)

    def reconnect(self, *, waits: bool = False) -> None:
        """Continue the episode on a page that has connected, with the menu closed.

        Args:
            waits: whether it continues only when the participant acts.
        """
        self._break_timer.set_paused(False)
        self.waiting = self.waiting or waits
        # The time that a begun episode waits counts as hidden.
        if not (self.waiting and self._begun):
            self.hide(False)

    def _after_break(self) -> None:
        if self.running and self._begun:
            self._store_breaks()

    def _store_breaks(self) -> None:
        if self.schedule.agent is None:
            self._store.breaks(self.episode, Breaks(self._break_timer.hidden_ms, self._break_timer.paused_ms))

    # --- steps

    def step(self, key: int, action: int) -> Outcome:
        """Take one physics step, record it, and send its events to the page."""
        world = self.world
        position = world.position
        outcome = world.step((action, *[NOOP] * (len(world.animals) - 1)))
        self._last = (key, action)
        self._notified = notified_success(outcome.events, self._notified)
        time_ms = 1000 * (self._clock() - self._began)
        step = Step.of(world, outcome, time_ms, self.view, extra_flags=self._notification_flag())
        self._store.step(self.episode, step)
        if outcome.events:
            if world.position != position:
                self.send_text(protocol.compact(self._description()))
            self.send_text(events_message(world.clock, outcome.events))
        if world.over:
            cause = _cause(outcome.events) or "error"
            self._store_breaks()
            self._store.end(self.episode, End.of(world, cause))
            self._announce_end(cause)
        return outcome

    @property
    def pause_at_end(self) -> float:
        """Seconds until the next episode is shown."""
        return PAUSE_AFTER_NOTICE_SECONDS if self.schedule.task.show_notification else PAUSE_SECONDS

    def _announce_end(self, cause: str) -> None:
        world = self.world
        message = {
            "type": "ended",
            "episode": self.episode,
            "step": world.clock,
            "cause": cause,
            "passed": world.passed(),
            "return": world.animals[0].total,
            "pause": self.pause_at_end,
            "last": self.schedule.last,
        }
        self.send_text(protocol.compact(message))

    def _notification_flag(self) -> int:
        return FrameFlag.NOTIFICATION if self._notified is not None and not self.world.over else 0

    # --- messages for the page

    def set_view(self, view: str) -> None:
        """Change the camera, if the task allows it."""
        if view in VIEWS.values() and self.schedule.task.can_change_perspective:
            self.view = view

    def take_messages(self) -> list[bytes]:
        """Return the messages that bring the page up to date; none if it is. All earlier ones must have been sent."""
        if self._prepared is None:
            return []
        world = self.world
        key, action = self._last
        flags = self._notification_flag() | (FrameFlag.PAUSED if self._break_timer.stopped else 0)
        flags |= FrameFlag.WAITING if self.waiting else 0
        moment = moment_of(world, key=key, action=action, extra_flags=flags)
        if moment == self._sent_moment:
            return []
        messages: list[bytes] = []
        if world.clock - self._sent_step > 1:  # actions of the steps for which no frame was sent
            messages += protocol.actions_messages(
                self._sent_step + 1, [each[0] for each in world.actions[self._sent_step : world.clock - 1]]
            )
        self._sent_step, self._sent_moment = world.clock, moment
        return messages + self._stream.messages(world, moment)


def _cause(events: Iterable[Event]) -> str | None:
    """Return why an episode ended, or None if no event reports an end."""
    return next((event.details["cause"] for event in events if event.kind == "ended"), None)


def notified_success(events: Iterable[Event], before: bool | None = None) -> bool | None:
    """Return the success that a notification among the events shows; `before` if there is none."""
    return next((bool(event.details["success"]) for event in events if event.kind == "notified"), before)


def initial_step(world: World, events: Sequence[Event], view: str = "") -> Step:
    """Return the entry before the first step: the initial state, and the events of building the arena."""
    return replace(Step.of(world, None, 0.0, view), events=events)


def rebuild_episode(
    start: Start, record: Record, last_ms: float | None, unstored_actions: Sequence[int], breaks: Breaks = NO_BREAKS
) -> Prepared:
    """Rebuild an episode by playing it again: the stored steps, then those that only the page has seen.

    Args:
        start: the entry that begins its recording.
        record: its stored steps.
        last_ms: the time of the last stored step; None if not even the entry before the first step is stored.
        unstored_actions: the participant's actions after the stored ones.
        breaks: how long it has stood still so far.
    """
    world = World(record.task, arena=record.arena, seed=record.seed, rules=record.rules)
    built = world.take_events()
    others, events = (NOOP,) * (len(world.animals) - 1), list[Event]()
    unstored = [initial_step(world, built)] if last_ms is None else []
    for actions in record.actions:
        events += world.step(actions).events
    time_ms = last_ms or 0.0
    for action in unstored_actions:
        if world.over:
            break
        outcome = world.step((action, *others))
        events += outcome.events
        # The true times were lost with the server; steps are one physics step apart.
        time_ms += 1000 * PHYSICS_STEP
        shown = not world.over and notified_success(events) is not None
        unstored.append(Step.of(world, outcome, time_ms, extra_flags=FrameFlag.NOTIFICATION if shown else 0))
    return Prepared(
        start,
        world,
        len(record.actions),
        tuple(unstored),
        () if world.clock else built,
        time_ms,
        notified_success(events),
        _cause(events),
        breaks,
    )
