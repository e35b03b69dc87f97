"""What follows from the events and the length of an episode: goals, latency, seconds."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from puzzlebox.arena.rules import PHYSICS_STEP
from puzzlebox.arena.world import Event
from puzzlebox.record.rows import plain_event


def events_json(events: Iterable[Event | Mapping[str, Any]]) -> str:
    """Events as JSON, without what says nothing."""
    plain = [plain_event(event) for event in events]
    short = [{name: value for name, value in event.items() if value not in (None, {})} for event in plain]
    return json.dumps(short, separators=(",", ":"), default=str)


def goals_among(events: Iterable[Event | Mapping[str, Any]]) -> int:
    """How many goals the first animal collected."""
    plain = [plain_event(event) for event in events]
    return sum(event["kind"] == "collected" and event["animal"] == 0 for event in plain)


def latency_among(events: Iterable[Event | Mapping[str, Any]]) -> float | None:
    """Seconds from when the first animal could move to the event that decided its episode; None where none did."""
    latency = None
    for event in map(plain_event, events):
        if event["kind"] == "merged":
            latency = None
        elif event["kind"] == "finished" and event["animal"] == 0:
            latency = event["details"].get("latency")
    return latency


def seconds(steps: int) -> float:
    """Physics steps in seconds of the arena."""
    return round(steps * PHYSICS_STEP, 2)
