"""One episode written down while it is played: what is told to the store, and when it is over."""

import time
from collections.abc import Sequence
from dataclasses import replace

from puzzlebox.arena.world import Event, Outcome, World
from puzzlebox.record.rows import NOTIFICATION, End, Start, Step
from puzzlebox.record.store import Store


class Recording:
    """Writes an episode into a store, step by step, as soon as the world is built.

    Args:
        store: where.
        start: how it starts.
        world: built, and not stepped yet.
        view: the camera it is played with.
        events: what happened while it was built, where somebody has already taken that from the world.

    Attributes:
        start: how it started; `start.id` is its name in the store.
        open: whether its end is still to come.
    """

    def __init__(
        self, store: Store, start: Start, world: World, *, view: str = "", events: Sequence[Event] = ()
    ) -> None:
        self.start, self.open = start, True
        self._store, self._world = store, world
        self._notified = False
        self._began = time.monotonic()
        store.begin(start)
        store.step(start.id, replace(Step.of(world, None, 0.0, view), events=events))

    def stepped(self, outcome: Outcome, view: str = "", time_ms: float | None = None) -> Step:
        """The world took a step; where that was the last one, the episode ends."""
        if time_ms is None:
            time_ms = 1000 * (time.monotonic() - self._began)
        self._notified = self._notified or any(event.kind == "notified" for event in outcome.events)
        flags = NOTIFICATION if self._notified and not self._world.over else 0
        step = Step.of(self._world, outcome, time_ms, view, extra_flags=flags)
        self._store.step(self.start.id, step)
        if self._world.over:
            causes = [event.details["cause"] for event in outcome.events if event.kind == "ended"]
            self.stop(causes[-1])
        return step

    def stop(self, ended_by: str) -> None:
        """It is over, or nobody goes on with it."""
        if self.open:
            self.open = False
            self._store.end(self.start.id, End.of(self._world, ended_by))
