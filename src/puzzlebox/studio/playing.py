"""One player: the World of one page, the keys that are held, what is recorded, and what the page must be told."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from puzzlebox.lab import End, Start, Step, Store
from puzzlebox.lab.rows import rules_name
from puzzlebox.studio import protocol
from puzzlebox.studio.course import Course
from puzzlebox.studio.protocol import FrameFlag, Moment
from puzzlebox.studio.telling import VIEWS, Teller, about_arena, events_text, moment_of
from puzzlebox.things.rules import PHYSICS_STEP
from puzzlebox.world import Event, Outcome, Record, World
from puzzlebox.world.actions import NOOP

# Seconds from the end of an episode to the next one; where the end was shown, that was pause enough.
PAUSE, PAUSE_AFTER_NOTICE = 1.5, 0.4


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
        notified: its end is being shown.
        cause: why it is over, where it is and the store does not know yet.
    """

    start: Start
    world: World
    stored: int = -1
    unstored: tuple[Step, ...] = ()
    events: tuple[Event, ...] = ()
    time_ms: float = 0.0
    notified: bool = False
    cause: str | None = None

    @classmethod
    def fresh(cls, course: Course, record: Record) -> "Prepared":
        """A new episode."""
        world = World(record.task, arena=record.arena, seed=record.seed, rules=record.rules)
        start = Start.of(
            record.task,
            name=course.name,
            arena=record.arena,
            seed=record.seed,
            rules=record.rules,
            player="human" if course.agent is None else "agent",
            agent=course.agent,
            participant=course.participant,
        )
        return cls(start, world, events=world.take_events())


class Keys:
    """Which action the keys held now mean. A key pressed and let go between two steps counts for one."""

    def __init__(self) -> None:
        self._held, self._tapped = (0, NOOP), (0, NOOP)
        self._taken = True

    def press(self, key: int, action: int) -> None:
        """Message number `key` says what is held."""
        if not self._taken and action == NOOP and self._held[1] != NOOP:
            self._tapped = self._held
        self._held, self._taken = (key, action), False

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
        course: which they are.
        keys: what is held.
        view: the camera that is looked through; recorded.
        paused: the menu is open.
        say: has a JSON text sent; replaced while nobody listens.
    """

    def __init__(self, course: Course, store: Store) -> None:
        self.course, self._store = course, store
        self.keys, self.paused = Keys(), False
        self.view = VIEWS[course.task.default_perspective]
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
        """Whether there is an episode that is not over."""
        return self._prepared is not None and not self.world.over

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

    def begin(self, prepared: Prepared, note: str | None = None) -> None:
        """Play an episode that was made ready; whatever was played before has ended."""
        if self._prepared is not None:
            self._previous_return = self.world.animals[0].total
        self._prepared, self.note = prepared, note
        self._notified = prepared.notified
        self._last = (0, NOOP)
        self._seen = prepared.world.clock
        self._began = time.monotonic() - prepared.time_ms / 1000
        if prepared.stored < 0:
            self._store.begin(prepared.start)
            self._store.step(self.episode, before_the_first(prepared.world, prepared.events, self.view))
        for step in prepared.unstored:
            self._store.step(self.episode, step)
        if prepared.cause is not None:
            self._store.end(self.episode, End.of(prepared.world, prepared.cause))
        self.introduce()
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
            "rules": rules_name(self.course.rules.as_dict()),
            **about_arena(self.world),
            "view": self.view,
            "agent": start.agent,
            "participant": start.participant,
            "previous_return": self._previous_return,
            "step": self.world.clock,
            "note": self.note,
        }

    def abandon(self, why: str) -> None:
        """The player does not play it to the end."""
        if self.running:
            self._store.end(self.episode, End.of(self.world, why))

    # --- steps

    def step(self, key: int, action: int) -> Outcome:
        """One physics step: it is taken, recorded, and its events told."""
        world = self.world
        before = world.position
        outcome = world.step((action, *[NOOP] * (len(world.animals) - 1)))
        self._last = (key, action)
        self._notified = self._notified or any(event.kind == "notified" for event in outcome.events)
        time_ms = 1000 * (time.monotonic() - self._began)
        step = Step.of(world, outcome, time_ms, self.view, extra_flags=self._notice())
        self._store.step(self.episode, step)
        if outcome.events:
            if world.position != before:
                self.say(protocol.compact(self._about()))
            self.say(events_text(world.clock, outcome.events))
        if world.over:
            cause = _cause(outcome.events) or "error"
            self._store.end(self.episode, End.of(world, cause))
            self._announce_end(cause)
        return outcome

    @property
    def pause_at_end(self) -> float:
        """Seconds until the next episode begins by itself."""
        return PAUSE_AFTER_NOTICE if self.course.task.show_notification else PAUSE

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
        }
        self.say(protocol.compact(told))

    def _notice(self) -> int:
        return FrameFlag.NOTIFICATION if self._notified and not self.world.over else 0

    # --- what a page is told

    def look_through(self, view: str) -> None:
        """Change the camera, where the task lets people."""
        if view in VIEWS.values() and self.course.task.can_change_perspective:
            self.view = view

    def frames(self) -> list[bytes]:
        """The newest state, for a page that has got all messages before; nothing where it knows it."""
        world = self.world
        key, action = self._last
        flags = self._notice() | (FrameFlag.PAUSED if self.paused else 0)
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


def before_the_first(world: World, events: Sequence[Event], view: str = "") -> Step:
    """How things are before the first step, and what happened while the arena was built."""
    return replace(Step.of(world, None, 0.0, view), events=events)


def gone_on(start: Start, record: Record, last_ms: float | None, later: Sequence[int]) -> Prepared:
    """An episode as it was, rebuilt by playing it again: what is stored, and then what only the page has seen.

    Args:
        start: how it started.
        record: what is stored of it.
        last_ms: when the last stored step was; None where not even the moment before the first is stored.
        later: what the player did after that.
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
        shown = not world.over and any(event.kind == "notified" for event in events)
        unstored.append(Step.of(world, outcome, time_ms, extra_flags=FrameFlag.NOTIFICATION if shown else 0))
    return Prepared(
        start,
        world,
        len(record.actions),
        tuple(unstored),
        () if world.clock else built,
        time_ms,
        any(event.kind == "notified" for event in events),
        _cause(events),
    )
