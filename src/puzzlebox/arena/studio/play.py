"""One player: the World of one page, the keys that are held, what is recorded, and what the page must be told."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from puzzlebox.arena.rules import PHYSICS_STEP
from puzzlebox.arena.studio.presence import Presence
from puzzlebox.arena.studio.schedule import SessionSchedule
from puzzlebox.arena.studio.teller import VIEWS, Teller, about_arena, events_text, moment_of
from puzzlebox.arena.world import Event, Outcome, Record, World
from puzzlebox.arena.world.actions import NOOP
from puzzlebox.record import Breaks, End, Start, Step, Store
from puzzlebox.record.entries import now
from puzzlebox.studio import protocol
from puzzlebox.studio.protocol import FrameFlag, Moment
from puzzlebox.wings import ARENA, wing_named

# Seconds from the end of an episode to the next one; where the end was shown, that was pause enough.
PAUSE, PAUSE_AFTER_NOTICE = 1.5, 0.4
NO_BREAKS = Breaks(0.0, 0.0)
# Entries of one episode that may wait for the disk (40 s of playing) before time stands still in it. A page keeps 3000
# steps that are not stored (resuming.MOST_UNSTORED), so that none is lost even where the server is killed meanwhile.
MOST_UNSAVED = 2000


@dataclass(frozen=True)
class Prepared:
    """An episode ready to be played: built beside the clock, since building may take longer than a step.

    Attributes:
        start: how it is stored.
        world: where it is.
        stored: physics steps that are in the store already, or -1 when it does not know the episode yet.
        unstored: what the steps after them were, to be stored.
        events: what happened while the arena was built.
        time_ms: when the last step was.
        notified: whether success is being shown at its end; None while nothing is.
        cause: why it is over, where it is and the store does not know yet.
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
    def fresh(cls, schedule: SessionSchedule, record: Record) -> "Prepared":
        """A new episode."""
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
    """Which action the keys held now mean. A key pressed and let go between two steps counts for one."""

    def __init__(self) -> None:
        self._held, self._tapped = (0, NOOP), (0, NOOP)
        self._taken = self._free = True

    def press(self, key: int, action: int) -> None:
        """Message number `key` says what is held."""
        if self._free and not self._taken and action == NOOP and self._held[1] != NOOP:
            self._tapped = self._held
        self._held, self._taken = (key, action), False
        self._free = self._free or action == NOOP

    def renew(self) -> None:
        """Another episode waits: a key that is held already begins it only after it was let go of."""
        self._tapped, self._taken = (0, NOOP), True
        self._free = self._held[1] == NOOP

    @property
    def acts(self) -> bool:
        """Whether a key is held that was pressed since the episode waits."""
        return self._free and self._held[1] != NOOP

    def take(self) -> tuple[int, int]:
        """What counts in the step that is taken now: the number of the message and the action."""
        if self._tapped[1] != NOOP:
            now, self._tapped = self._tapped, (0, NOOP)
            return now
        self._taken = True
        return self._held

    def let_go(self) -> None:
        """Nobody holds anything any more."""
        self._held, self._tapped, self._taken = (self._held[0], NOOP), (0, NOOP), True


class Play:
    """The episodes of one page, one after the other.

    Attributes:
        schedule: which they are.
        keys: what is held.
        view: the camera that is looked through; recorded.
        waiting: the episode is shown, but stands still until the person acts.
        recorded: whether anything of what was played here is stored.
        say: has a JSON text sent; replaced while nobody listens.
    """

    def __init__(self, schedule: SessionSchedule, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self.schedule, self._store, self._clock = schedule, store, clock
        self.keys, self._presence = Keys(), Presence(clock)
        self.waiting = self.recorded = self._begun = self._known = self._abandoned = False
        self.view = VIEWS[schedule.task.default_perspective]
        self.say: Callable[[str], None] = lambda text: None
        self._teller = Teller()
        self._prepared: Prepared | None = None
        self._previous_return: float | None = None
        self._seen = 0
        self._told: Moment | None = None
        self.note: str | None = None

    # --- episodes

    @property
    def running(self) -> bool:
        """Whether there is an episode that is not over; it may wait."""
        return self._prepared is not None and not self._abandoned and not self.world.over

    @property
    def moving(self) -> bool:
        """Whether time passes in it: never before its beginning is in the file."""
        return self.running and not self.waiting and self._known and not self._presence.away

    @property
    def over(self) -> bool:
        """Whether the episode that is shown has ended."""
        return self._prepared is not None and self.world.over

    @property
    def untouched(self) -> bool:
        """Whether nobody has done anything in the episode that is shown, so that nothing of it is stored."""
        return self._prepared is not None and self._prepared.stored < 0 and not self._begun

    @property
    def unsaved(self) -> int:
        """How many entries of the episode that is shown are not in the file yet."""
        return 0 if self._prepared is None else self._store.waiting(self.episode)

    @property
    def world(self) -> World:
        """The episode that is played."""
        assert self._prepared is not None
        return self._prepared.world

    @property
    def episode(self) -> str:
        """Its name in the store."""
        assert self._prepared is not None
        return self._prepared.start.id

    def present(
        self, prepared: Prepared, note: str | None = None, *, waits: bool = True, seen: int | None = None
    ) -> None:
        """Show an episode that was made ready; whatever was played before has ended.

        Args:
            prepared: the episode.
            note: one sentence for the player.
            waits: it stands still until the person acts. An agent's never does, nor one that is over.
            seen: the last step of it the page knows the action of. Default: the newest one.
        """
        self._remember_return()
        self._prepared, self.note, self._abandoned = prepared, note, False
        self._notified = prepared.notified
        actions = prepared.world.actions
        self._last = (0, actions[-1][0] if actions else NOOP)
        self._known = prepared.stored >= 0
        self._presence.stall(False)
        self.waiting, self._begun = waits and self.schedule.agent is None and not prepared.world.over, False
        self.keys.renew()
        self.introduce(seen)
        if not self.waiting:
            self.begin()

    def _remember_return(self) -> None:
        if self._prepared is not None and not self.waiting:
            self._previous_return = self.world.animals[0].total

    def press(self, key: int, action: int) -> None:
        """Message number `key` says what is held; whoever acts begins the episode that waits."""
        self.keys.press(key, action)
        if self.waiting and self.keys.acts:
            self.begin()

    def begin(self) -> None:
        """Let time pass in the episode that is shown, and record it from now on; not while nothing can be recorded."""
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
        self._presence.hide(False)  # whoever begins it is there
        self._presence.begin(prepared.breaks.hidden_ms, prepared.breaks.paused_ms)
        if prepared.stored < 0:
            prepared = self._prepared = replace(prepared, start=replace(prepared.start, started=now()))
            self._store.begin(prepared.start)
            self._store.step(self.episode, before_the_first(prepared.world, prepared.events, self.view))
        for step in prepared.unstored:
            self._store.step(self.episode, step)
        self._store_breaks()
        if prepared.cause is not None:
            self._store.end(self.episode, End.of(prepared.world, prepared.cause))
        if prepared.events:
            self.say(events_text(prepared.world.clock, prepared.events))
        if prepared.cause is not None:
            self._announce_end(prepared.cause)

    def introduce(self, seen: int | None = None) -> None:
        """Tell a page everything; `seen` is the last step it knows the action of."""
        if self._prepared is None:
            return
        self._seen = self.world.clock if seen is None else min(seen, self.world.clock)
        self._teller.forget()
        self._told = None
        self.say(protocol.compact(self._about()))

    def _about(self) -> dict[str, Any]:
        assert self._prepared is not None
        start = self._prepared.start
        return {
            "type": "episode",
            "episode": start.id,
            "task": start.task,
            "title": start.title,
            "seed": start.seed,
            "rules": wing_named(ARENA).rules(self.schedule.rules).name,
            **about_arena(self.world),
            "view": self.view,
            "agent": start.agent,
            "participant": start.participant,
            "previous_return": self._previous_return,
            "notified": self._notified,
            "step": self.world.clock,
            "note": self.note,
        }

    def finish(self) -> None:
        """Say that the last arena was played; a participant plays the task once."""
        self._remember_return()
        self._prepared, self.waiting = None, False
        title = self.schedule.task.metadata.title or self.schedule.name
        again = self.schedule.participant is None
        message = {"type": "finished", "title": title, "again": again, "recorded": self.recorded}
        self.say(protocol.compact(message))

    def abandon(self, why: str) -> None:
        """The player does not play it to the end; of one that nobody has touched nothing is stored."""
        if self.running and not self.untouched:
            if self._begun:
                self._store_breaks()
            self._store.end(self.episode, End.of(self.world, why))
            self._abandoned = True

    def attend(self) -> bool:
        """See how far the disk has come; whether that lets time pass, or makes it stand still."""
        if not self.running or not self._begun:
            return False
        unsaved = self.unsaved
        if not self._known:
            self._known = not unsaved
            self._began = self._clock()
            return self._known
        stalled = unsaved >= (MOST_UNSAVED // 2 if self._presence.stalled else MOST_UNSAVED)
        if stalled == self._presence.stalled:
            return False
        self._presence.stall(stalled)
        self._store_breaks()
        return True

    # --- breaks

    def pause(self, on: bool) -> None:
        """The menu is open, or closed again; time stands still meanwhile."""
        self._presence.pause(on)
        self._after_break()

    def hide(self, on: bool) -> None:
        """The page of a person is hidden or gone, or seen again; time stands still meanwhile."""
        self._presence.hide(on and self.schedule.agent is None)
        self._after_break()

    def leave(self) -> None:
        """Nobody is there any more; somebody may come back."""
        self.say = lambda text: None
        self.keys.let_go()
        self.hide(True)

    def come_back(self, *, waits: bool = False) -> None:
        """Somebody is there again, with no menu open; where it `waits`, time stands still until they act."""
        self._presence.pause(False)
        self.waiting = self.waiting or waits
        # Time in which an episode that was begun waits is time away, too.
        if not (self.waiting and self._begun):
            self.hide(False)

    def _after_break(self) -> None:
        if self.running and self._begun:
            self._store_breaks()

    def _store_breaks(self) -> None:
        if self.schedule.agent is None:
            self._store.breaks(self.episode, Breaks(self._presence.hidden_ms, self._presence.paused_ms))

    # --- steps

    def step(self, key: int, action: int) -> Outcome:
        """One physics step: it is taken, recorded, and its events told."""
        world = self.world
        before = world.position
        outcome = world.step((action, *[NOOP] * (len(world.animals) - 1)))
        self._last = (key, action)
        self._notified = shown_at_end(outcome.events, self._notified)
        time_ms = 1000 * (self._clock() - self._began)
        step = Step.of(world, outcome, time_ms, self.view, extra_flags=self._notice())
        self._store.step(self.episode, step)
        if outcome.events:
            if world.position != before:
                self.say(protocol.compact(self._about()))
            self.say(events_text(world.clock, outcome.events))
        if world.over:
            cause = _cause(outcome.events) or "error"
            self._store_breaks()
            self._store.end(self.episode, End.of(world, cause))
            self._announce_end(cause)
        return outcome

    @property
    def pause_at_end(self) -> float:
        """Seconds until the next episode is shown."""
        return PAUSE_AFTER_NOTICE if self.schedule.task.show_notification else PAUSE

    def _announce_end(self, cause: str) -> None:
        world = self.world
        told = {
            "type": "ended",
            "episode": self.episode,
            "step": world.clock,
            "cause": cause,
            "passed": world.passed(),
            "return": world.animals[0].total,
            "pause": self.pause_at_end,
            "last": self.schedule.last,
        }
        self.say(protocol.compact(told))

    def _notice(self) -> int:
        return FrameFlag.NOTIFICATION if self._notified is not None and not self.world.over else 0

    # --- what a page is told

    def look_through(self, view: str) -> None:
        """Change the camera, where the task lets people."""
        if view in VIEWS.values() and self.schedule.task.can_change_perspective:
            self.view = view

    def frames(self) -> list[bytes]:
        """The newest state, for a page that has got all messages before; nothing where it knows it."""
        if self._prepared is None:
            return []
        world = self.world
        key, action = self._last
        flags = self._notice() | (FrameFlag.PAUSED if self._presence.away else 0)
        flags |= FrameFlag.WAITING if self.waiting else 0
        moment = moment_of(world, key=key, action=action, extra_flags=flags)
        if moment == self._told:
            return []
        told: list[bytes] = []
        if world.clock - self._seen > 1:  # those of steps no frame was sent for
            told += protocol.actions_messages(
                self._seen + 1, [each[0] for each in world.actions[self._seen : world.clock - 1]]
            )
        self._seen, self._told = world.clock, moment
        return told + self._teller.tell(world, moment)


def _cause(events: Iterable[Event]) -> str | None:
    """Why an episode ended, where it did."""
    return next((event.details["cause"] for event in events if event.kind == "ended"), None)


def shown_at_end(events: Iterable[Event], before: bool | None = None) -> bool | None:
    """Whether success is shown at the end of an episode; None where nothing is shown yet."""
    return next((bool(event.details["success"]) for event in events if event.kind == "notified"), before)


def before_the_first(world: World, events: Sequence[Event], view: str = "") -> Step:
    """How things are before the first step, and what happened while the arena was built."""
    return replace(Step.of(world, None, 0.0, view), events=events)


def gone_on(
    start: Start, record: Record, last_ms: float | None, later: Sequence[int], breaks: Breaks = NO_BREAKS
) -> Prepared:
    """An episode as it was, rebuilt by playing it again: what is stored, and then what only the page has seen.

    Args:
        start: how it started.
        record: what is stored of it.
        last_ms: when the last stored step was; None where not even the moment before the first is stored.
        later: what the player did after that.
        breaks: how long it has stood still so far.
    """
    world = World(record.task, arena=record.arena, seed=record.seed, rules=record.rules)
    built = world.take_events()
    others, events = (NOOP,) * (len(world.animals) - 1), list[Event]()
    unstored = [before_the_first(world, built)] if last_ms is None else []
    for actions in record.actions:
        events += world.step(actions).events
    time_ms = last_ms or 0.0
    for action in later:
        if world.over:
            break
        outcome = world.step((action, *others))
        events += outcome.events
        # Their true moments went with the server; they were a physics step apart.
        time_ms += 1000 * PHYSICS_STEP
        shown = not world.over and shown_at_end(events) is not None
        unstored.append(Step.of(world, outcome, time_ms, extra_flags=FrameFlag.NOTIFICATION if shown else 0))
    return Prepared(
        start,
        world,
        len(record.actions),
        tuple(unstored),
        () if world.clock else built,
        time_ms,
        shown_at_end(events),
        _cause(events),
        breaks,
    )
