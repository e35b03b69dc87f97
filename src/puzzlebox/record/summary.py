"""Summaries of episodes as lines of text: task, agent or participant, length, return, events."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from puzzlebox.record.entries import plain_event
from puzzlebox.record.episode import Episode
from puzzlebox.wings import ARENA, Wing, wing_named

# Kinds of events that a summary leaves out.
_OMITTED = ("finished", "unplaced")
_MOST_EVENTS = 40


def of_episode(episode: Episode, events: Iterable[Mapping[str, Any]]) -> list[str]:
    """Summarise a recorded episode in lines of text."""
    events = list(events)
    wing = wing_named(episode.wing)
    who = episode.player if episode.by_person or episode.agent is None else f"{episode.player} ({episode.agent})"
    ending = f"{_verdict(episode.passed)}, ended by {episode.ended_by}" if episode.finished else "not over"
    return [
        f"episode   {episode.id}",
        f"task      {episode.title or episode.task or 'without a name'}"
        + (f" ({episode.task})" if episode.title and episode.task and episode.task != episode.title else ""),
        _beginning(wing, episode.arena, episode.seed, episode.rules),
        f"player    {who}, {episode.started}",
        f"length    {_length(wing, episode.steps or 0, events)}",
        f"return    {episode.total:.3f}, {ending}",
        *([f"error     {episode.error}"] if episode.error else []),
        *_event_lines(wing, events, episode.arena),
    ]


def of_record(record: Any, progress: Callable[[int, int], None] | None = None) -> list[str]:
    """Replay an episode of a file and summarise it in lines of text.

    Args:
        record: the episode.
        progress: a function called after every step with the number of steps replayed and that of all.
    """
    wing = wing_named(record.wing)
    events: list[dict[str, Any]] = []
    steps = wing.length(record)
    for session, outcome in wing.replay(record):
        if progress is not None:
            progress(min(session.clock, steps), steps)
        events += [plain_event(event) for event in (outcome.events if outcome else ())]
    ending = _verdict(None if session.error else session.passed()) if session.over else "not over"
    return [
        f"task      {record.task.title or 'without a title'}",
        _beginning(wing, record.arena, record.seed, wing.rules(record.rules).name),
        f"length    {_length(wing, session.clock, events)}",
        f"return    {session.total:.3f}, {ending}",
        *([f"error     {session.error}"] if session.error else []),
        *_event_lines(wing, events, record.arena),
    ]


def _beginning(wing: Wing, start: int, seed: int | None, rules: str) -> str:
    """Return how an episode began; only the arena has arenas, and choices of rules."""
    if wing.name == ARENA:
        return f"arena     {start + 1}, seed {seed}, rules {rules}"
    return f"seed      {seed}" + (f", start {start + 1}" if start else "")


def _verdict(passed: bool | None) -> str:
    return "neither passed nor failed" if passed is None else "passed" if passed else "failed"


def _length(wing: Wing, steps: int, events: Sequence[Mapping[str, Any]]) -> str:
    latency = wing.latency(events)
    decided = "" if latency is None else f"; decided {latency:.2f} s after the animal could first move"
    return f"{_time(wing, steps)} ({steps} steps){decided}"


def _event_lines(wing: Wing, events: Iterable[Mapping[str, Any]], arena: int) -> list[str]:
    listed = [event for event in _with_numbers(events, arena) if event["kind"] not in _OMITTED]
    lines = []
    for event in listed[:_MOST_EVENTS]:
        details = ", ".join(f"{name} {_value_text(value)}" for name, value in event["details"].items())
        words = " ".join(str(part) for part in (event["kind"], event.get("name")) if part)
        lines.append(f"  {_time(wing, event['step']):>8}  {words}" + (f" ({details})" if details else ""))
    if len(listed) > _MOST_EVENTS:
        lines.append(f"  and {len(listed) - _MOST_EVENTS} more")
    return lines


def _with_numbers(events: Iterable[Mapping[str, Any]], arena: int) -> Iterator[Mapping[str, Any]]:
    """Yield events in which arenas have numbers from 1 instead of ids; the episode starts in `arena`, from 0."""
    number = arena + 1
    for event in events:
        # After "merged" the next arena is played, and later events are its own.
        number += event["kind"] == "merged"
        yield {**event, "details": {**event["details"], "arena": number}} if "arena" in event["details"] else event


def _value_text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _time(wing: Wing, steps: int) -> str:
    return f"{steps * wing.step_seconds:.2f} s"
