"""An episode in words: what it was, how it went, what happened when."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from puzzlebox.arena.rules import PHYSICS_STEP
from puzzlebox.arena.world import Record
from puzzlebox.record.measures import latency_among
from puzzlebox.record.replay import moments
from puzzlebox.record.rows import Episode, plain_event, rules_name

# What a person need not be told one by one.
_SILENT = ("finished", "unplaced")
_MOST = 40


def of_episode(episode: Episode, events: Iterable[Mapping[str, Any]]) -> list[str]:
    """Lines about a recorded episode."""
    events = list(events)
    who = episode.player if episode.agent is None else f"{episode.player} ({episode.agent})"
    ending = f"{_verdict(episode.passed)}, ended by {episode.ended_by}" if episode.finished else "not over"
    return [
        f"episode   {episode.id}",
        f"task      {episode.title or episode.task or 'without a name'}"
        + (f" ({episode.task})" if episode.title and episode.task and episode.task != episode.title else ""),
        f"arena     {episode.arena + 1}, seed {episode.seed}, rules {episode.rules_name}",
        f"player    {who}, {episode.started}",
        f"length    {_length(episode.steps, events)}",
        f"return    {episode.total:.3f}, {ending}",
        *_happenings(events, episode.arena),
    ]


def of_record(record: Record) -> list[str]:
    """Lines about an episode in a file, which is played again for it."""
    events: list[dict[str, Any]] = []
    for moment in moments(record):
        events += [plain_event(event) for event in (moment.outcome.events if moment.outcome else ())]
    world = moment.world
    ending = _verdict(world.passed()) if world.over else "not over"
    return [
        f"task      {record.task.metadata.title or 'without a title'}",
        f"arena     {record.arena + 1}, seed {record.seed}, rules {rules_name(record.rules.as_dict())}",
        f"length    {_length(world.clock, events)}",
        f"return    {world.animals[0].total:.3f}, {ending}",
        *_happenings(events, record.arena),
    ]


def _verdict(passed: bool | None) -> str:
    return "neither passed nor failed" if passed is None else "passed" if passed else "failed"


def _length(steps: int, events: Iterable[Mapping[str, Any]]) -> str:
    latency = latency_among(events)
    decided = "" if latency is None else f"; decided {latency:.2f} s after the animal could first move"
    return f"{_time(steps)} ({steps} physics steps){decided}"


def _happenings(events: Iterable[Mapping[str, Any]], arena: int) -> list[str]:
    told = [event for event in _with_numbers(events, arena) if event["kind"] not in _SILENT]
    lines = []
    for event in told[:_MOST]:
        details = ", ".join(f"{name} {_said(value)}" for name, value in event["details"].items())
        words = " ".join(str(part) for part in (event["kind"], event["name"]) if part)
        lines.append(f"  {_time(event['step']):>8}  {words}" + (f" ({details})" if details else ""))
    if len(told) > _MOST:
        lines.append(f"  and {len(told) - _MOST} more")
    return lines


def _with_numbers(events: Iterable[Mapping[str, Any]], arena: int) -> Iterator[Mapping[str, Any]]:
    """Events whose arenas are numbers, counted from 1, instead of the ids of the file; an episode starts in `arena`."""
    number = arena + 1
    for event in events:
        # The next arena takes over, and its start may be told after that.
        number += event["kind"] == "merged"
        yield {**event, "details": {**event["details"], "arena": number}} if "arena" in event["details"] else event


def _said(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _time(steps: int) -> str:
    return f"{steps * PHYSICS_STEP:.2f} s"
