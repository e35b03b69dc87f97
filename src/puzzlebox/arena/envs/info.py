"""The `info` of a step: what is true for an agent beside its observation."""

from dataclasses import asdict
from typing import Any

from puzzlebox.arena.things import Agent
from puzzlebox.arena.world import Event, World

# What `passed` and `latency` are before they are known, where `info` holds numbers only. NaN would not equal itself,
# and checks that compare two episodes would fail.
UNKNOWN = -1.0


def info_of(world: World, animal: Agent, events: tuple[Event, ...]) -> dict[str, Any]:
    """What is true for the agent of an animal, whatever its settings are."""
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
    """Whether an animal has passed, and the seconds until that was decided; None while it is not."""
    passed = world.passed(animal)
    return passed, None if passed is None else animal.latency


def shaped(info: dict[str, Any], how: str) -> dict[str, Any]:
    """An `info` as the setting `infos` asks for it."""
    if how == "all":
        return info
    if how == "plain":
        return info | {"events": plain_events(info["events"])}
    numbers = {name: value for name, value in info.items() if isinstance(value, bool | int | float)}
    decision = {name: UNKNOWN if info[name] is None else float(info[name]) for name in ("passed", "latency")}
    return numbers | decision


def plain_events(events: tuple[Event, ...]) -> tuple[dict[str, Any], ...]:
    """Events as dictionaries, which can be read without Puzzlebox."""
    return tuple(asdict(event) for event in events)


def things_of(world: World) -> tuple[tuple[int, str], ...]:
    """The number and name of everything in the arena, for agents that see segments."""
    return tuple((number, type(thing).__name__) for number, thing in world.present.items())
