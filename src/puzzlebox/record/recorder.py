"""One episode written into a store while it is played."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from puzzlebox.record.entries import End, Start, Step
from puzzlebox.record.store import Store
from puzzlebox.wings import Outcome, Session
from puzzlebox.wings.flags import NOTIFICATION


class Recorder:
    """Writes an episode into a store, step by step, from its beginning on.

    Args:
        store: where it is written.
        start: how it starts.
        session: the episode, of which no step was taken yet.
        view: the camera it is played with.
        events: what happened while it was prepared, where somebody has already taken that from the session.

    Attributes:
        start: how it started; `start.id` is its name in the store.
        open: whether its end is still to come.
    """

    def __init__(
        self, store: Store, start: Start, session: Session, *, view: str = "", events: Sequence[Any] = ()
    ) -> None:
        self.start, self.open = start, True
        self._store, self._session = store, session
        self._notified = False
        self._began = time.monotonic()
        store.begin(start)
        store.step(start.id, replace(Step.of(session, None, 0.0, view), events=events))

    def stepped(self, outcome: Outcome, view: str = "", time_ms: float | None = None) -> Step:
        """Record the step that was just taken; where that was the last one, the episode ends."""
        session = self._session
        if time_ms is None:
            time_ms = 1000 * (time.monotonic() - self._began)
        self._notified = self._notified or any(event.kind == "notified" for event in outcome.events)
        flags = NOTIFICATION if self._notified and not session.over else 0
        step = Step.of(session, outcome, time_ms, view, extra_flags=flags)
        self._store.step(self.start.id, step)
        if session.over:
            self.stop(session.cause or "completed")
        return step

    def stop(self, ended_by: str) -> None:
        """End the episode, whether or not it was played to its end."""
        if self.open:
            self.open = False
            self._store.end(self.start.id, End.of(self._session, ended_by))
