"""The recorder, which writes one episode into a store while it is played."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from puzzlebox.record.entries import End, Start, Step
from puzzlebox.record.store import Store
from puzzlebox.wings import Outcome, Session
from puzzlebox.wings.flags import NOTIFICATION


class Recorder:
    """Writes an episode into a store, step by step, from its start.

    Args:
        store: the store.
        start: the start of the episode.
        session: the episode, before its first step.
        view: the camera it is played with.
        events: the events of building the arena, if they were already taken from the session.

    Attributes:
        start: the start of the episode; `start.id` is its id in the store.
        open: whether the end of the episode is still to be recorded.
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
        """Record the step that was just taken, and the end of the episode if it was the last one."""
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
        """Record the end of the episode, unless that was done; `ended_by` counts if it was not played to its end."""
        if self.open:
            self.open = False
            self._store.end(self.start.id, End.of(self._session, ended_by))
