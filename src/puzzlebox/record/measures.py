"""Values computed from the steps and events of an episode: goals, latency, seconds, idle time."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from puzzlebox.record.entries import plain_event
from puzzlebox.record.episode import FACTORS, Episode
from puzzlebox.wings import Task, Wing, wing_named
from puzzlebox.wings.actions import actions_in

# The shortest stretch without an action, in seconds of simulated time, that counts as idle time.
IDLE_SECONDS = 5.0


def plain_events(events: Iterable[Any]) -> list[dict[str, Any]]:
    """Convert events to plain values for JSON, without empty ones."""
    plain = [plain_event(event) for event in events]
    return [{name: value for name, value in event.items() if value not in (None, {})} for event in plain]


def seconds(steps: int, step_seconds: float) -> float:
    """Convert steps to seconds of simulated time."""
    return round(steps * step_seconds, 6)


def with_events(episode: Episode, events: Sequence[Mapping[str, Any]], wing: Wing | None = None) -> Episode:
    """Return an episode with its events, and the goals and latency that follow from them.

    Args:
        episode: the episode.
        events: its events.
        wing: what computes goals and latency. Default: the wing of the episode.
    """
    wing = wing or wing_named(episode.wing)
    latency = None if episode.error else wing.latency(events)
    return replace(episode, events=plain_events(events), goals=wing.goals(events), latency=latency)


def with_conditions(episode: Episode, task: Task | None) -> Episode:
    """Return a recorded episode with the title and the factors of its arena; `task` is None if it cannot be read."""
    if task is None or episode.arena not in task.starts:
        return episode
    conditions = task.conditions(episode.arena)
    title, factors = conditions.get("title", ""), conditions.get(FACTORS, {})
    return replace(episode, arena_title=title or episode.arena_title, factors=dict(episode.factors) | factors)


class Idleness:
    """Adds up the stretches of at least `IDLE_SECONDS` in which a participant could act and did nothing."""

    def __init__(self, episode: Episode, wing: Wing) -> None:
        self._wing = wing
        self._shortest = IDLE_SECONDS / (episode.step_seconds or 1.0)
        self._counted = self._stretch = self._before = 0

    def add(self, step: int, actions: str, flags: int) -> None:
        """Add the next step: its number, the text of its actions, and its flags."""
        if actions and self._wing.is_idle(actions_in(actions)[0], flags):
            self._stretch += step - self._before
        else:
            self._counted, self._stretch = self.steps, 0
        self._before = step

    @property
    def steps(self) -> int:
        """The number of idle steps so far."""
        return self._counted + (self._stretch if self._stretch >= self._shortest else 0)


def events_json(events: Iterable[Any]) -> str:
    """Return events as JSON text, for a cell of a table."""
    return json.dumps(plain_events(events), separators=(",", ":"), default=str)
