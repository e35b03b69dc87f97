"""The `info` of a step: what an agent may know besides its observation."""

from dataclasses import asdict
from typing import Any

from puzzlebox.arena.things import Agent
from puzzlebox.arena.world import Event, World

# The value of `passed` and `latency` until they are known, where `info` holds numbers only. NaN does not equal itself,
# so that checks that compare two episodes would fail.
UNKNOWN = -1.0


def info_of(world: World, animal: Agent, events: tuple[Event, ...]) -> dict[str, Any]:
    """Return the `info` of an animal's agent that does not depend on the settings."""
    passed, latency = decision_of(world, animal)
    return {
        "arena": world.arena.id,
        "passed": passed,
        "latency": latency,
        "episode_return": animal.total,
        "health": animal.health,
        "lights": world.lights,
        "events": events,
        "error": world.error,
    }


def decision_of(world: World, animal: Agent) -> tuple[bool | None, float | None]:
    """Return whether an animal has passed, and its latency in seconds; None until that is decided."""
    passed = world.passed(animal)
    return passed, None if passed is None else animal.latency


def filter_info(info: dict[str, Any], mode: str) -> dict[str, Any]:
    """Return an `info` as the setting `infos` defines it."""
    if mode == "all":
        return info
    if mode == "plain":
        return info | {"events": plain_events(info["events"])}
    numbers = {name: value for name, value in info.items() if isinstance(value, bool | int | float)}
    decision = {name: UNKNOWN if info[name] is None else float(info[name]) for name in ("passed", "latency")}
    return numbers | decision


def plain_events(events: tuple[Event, ...]) -> tuple[dict[str, Any], ...]:
    """Return events as dictionaries, which can be read without Puzzlebox."""
    return tuple(asdict(event) for event in events)


def things_of(world: World) -> tuple[tuple[int, str], ...]:
    """Return the id and name of everything in the arena, for agents that see segments."""
    return tuple((number, type(thing).__name__) for number, thing in world.present.items())
