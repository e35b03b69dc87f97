"""Helpers for tests that run a world: arenas from short texts, and sequences of actions."""

from collections.abc import Iterable, Sequence
from typing import Any

from puzzlebox.arena.schema import Task, read
from puzzlebox.arena.world import Event, Record, Rules, World
from puzzlebox.arena.world.moments import moments

NOOP, RIGHT, LEFT, FORWARDS, BACKWARDS = 0, 1, 2, 3, 6
# One action per physics step.
FINE = Rules(decision_period=1)


def task_of(*items: str, **keys: Any) -> Task:
    """Return a task of one arena: items as flow mappings without braces, arena keys by name."""
    lines = ["arenas:", "  - id: 0", *(f"    {key}: {value}" for key, value in keys.items())]
    lines += ["    items:", *(f"      - {{{item}}}" for item in items)]
    return parsed("\n".join(lines))


def parsed(text: str) -> Task:
    """Return the task of a text without errors."""
    reading = read(text)
    assert reading.task is not None, [str(finding) for finding in reading.findings]
    return reading.task


def world_of(*items: str, rules: str | Rules = "puzzlebox", seed: int = 0, **keys: Any) -> World:
    """Return a world of one arena with these items."""
    return World(task_of(*items, **keys), seed=seed, rules=rules)


def run(world: World, actions: Iterable[int | Sequence[int]]) -> list[Event]:
    """Take actions until they or the episode end; return the events."""
    events: list[Event] = []
    for action in actions:
        if world.over:
            break
        events += world.step(action if isinstance(action, Sequence) else [action] * len(world.animals)).events
    return events


def kinds(events: Iterable[Event]) -> list[str]:
    """Return the kinds of events, in order."""
    return [event.kind for event in events]


def thing(world: World, name: str) -> dict[str, Any]:
    """Return the true state of the first thing of a name."""
    return next(each for each in world.describe()["things"] if each["name"] == name)


# Items that many tests use.
AGENT = "name: Agent, at: [20, 0, 5], rotation: 0"
GOAL = "name: GoodGoal, at: [20, 0, 10], size: 1"
TWO_AGENTS = ("name: Agent, at: [10, 0, 5], rotation: 0", "name: Agent, at: [30, 0, 5], rotation: 0, team: 1")


def multis(*places: float, name: str = "GoodGoalMulti") -> list[str]:
    """Return balls of food ahead of `AGENT`."""
    return [f"name: {name}, at: [20, 0, {z}], size: 1" for z in places]


def zone(operations: str, z: float = 12) -> str:
    """Return a zone ahead of `AGENT` with operations."""
    return (
        f"name: DataZone, at: [20, 0, {z}], size: [10, 0.5, 4], rotation: 0, zone_id: here, operations: [{operations}]"
    )


def button(**keys: Any) -> str:
    """Return a button ahead of `AGENT`."""
    return "name: SpawnerButton, at: [20, 0, 12], rotation: 90" + "".join(f", {key}: {keys[key]}" for key in keys)


def world_at(record: Record, step: int) -> World:
    """Return the world after a number of physics steps, or at the end if that is earlier."""
    for moment in moments(record):
        if moment.world.clock >= step:
            break
    return moment.world
