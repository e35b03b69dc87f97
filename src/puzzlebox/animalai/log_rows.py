"""Animal-AI's own log of a replayed episode: 23 columns, one row per physics step (docs/original/playing.md#log)."""

from collections.abc import Iterator, Sequence
from math import cos, radians, sin
from typing import Any

import numpy as np

from puzzlebox.arena.senses.rays import Rays
from puzzlebox.arena.world import Event, Record, World
from puzzlebox.arena.world.moments import Moment, moments

COLUMNS = (
    *("Episode", "Step", "Health", "Reward", "XVelocity", "YVelocity", "ZVelocity", "XPosition", "YPosition"),
    *("ZPosition", "ActionForwardWithDescription", "ActionRotateWithDescription", "WasAgentFrozen?"),
    *("WasNotificationShown?", "WasRewardDispensed?", "DispensedRewardType", "CollectedRewardType"),
    *("WasSpawnerButtonTriggered?", "CombinedSpawnerInfo", "DataZoneMessage", "ActiveCamera", "CombinedRaycastData"),
    "arenaID",
)
_MOVES = ("0 (No Movement)", "1 (Move Forward)", "2 (Move Backward)")
_TURNS = ("0 (No Rotation)", "1 (Rotate Right)", "2 (Rotate Left)")
# The original swapped these names; here each names its own view.
_CAMERAS = {"first": "0 (First-Person)", "third": "1 (Third-Person)", "top": "2 (Bird's Eye)"}
# The rays of the original's own recorded runs.
_RAYS, _DEGREES = 9, 60.0


def number(value: float) -> str:
    """Return a number as the original writes it: single precision, seven digits."""
    return f"{np.float32(value) + 0:.7G}"  # + 0 turns -0 into 0


def log(
    record: Record, episode: int = 1, views: dict[int, str] | None = None, rays: Rays | None = None
) -> Iterator[tuple[World, list[Any]]]:
    """Yield the world and its row at every physics step of an episode, including the last, which the original omits.

    Args:
        record: the episode.
        episode: its number, for the first column.
        views: the camera shown from a step on, by step. Default: the first-person one.
        rays: the rays of the ray column. Default: those of the original's own recorded runs.
    """
    rays = Rays(_RAYS, _DEGREES) if rays is None else rays
    view, notification = "", "None"
    replay = moments(record)
    moment: Moment | None = next(replay)
    while moment is not None:
        world, events = moment.world, () if moment.outcome is None else moment.outcome.events
        view = (views or {}).get(world.clock, view)
        for event in events:
            if event.kind == "notified":
                notification = "Success" if event.details["success"] else "Failure"
        action = moment.actions[0] if moment.actions else 0
        row = [episode, world.clock + 1, *_state(world), _MOVES[action // 3], _TURNS[action % 3]]
        row += [_yes(world.animals[0].held > 0), notification, *_event_cells(world, events)]
        row += [_CAMERAS.get(view, _CAMERAS["first"]), _ray_cell(world, rays), world.arena.id]
        # The original writes the velocity after the next step has begun, when braking has already slowed the animal.
        velocity = _velocity(world)
        can_move, grounded = not (world.animals[0].held or world.animals[0].done), world.animals[0].grounded
        moment = next(replay, None)
        next_action = moment.actions[0] if moment is not None and moment.actions else action
        brakes = can_move and grounded and next_action < 3
        row[4:7] = [number(speed * (record.rules.quick_stop if brakes else 1.0)) for speed in velocity]
        yield world, row


def _state(world: World) -> list[str]:
    animal = world.animals[0]
    place = map(number, world.position_of(animal))
    return [number(animal.health), number(animal.total), "", "", "", *place]


def _velocity(world: World) -> tuple[float, float, float]:
    """Return the velocity of the animal relative to its heading: to the right, up, ahead."""
    animal = world.animals[0]
    x, y, z = world.engine.velocity(animal.id)
    angle = radians(animal.heading)
    return (x * cos(angle) - z * sin(angle), y, x * sin(angle) + z * cos(angle))


def _event_cells(world: World, events: Sequence[Event]) -> list[str]:
    """Return the cells about events: dispensed, collected, pressed, zones; several at once are all named."""
    by_kind = {kind: [event for event in events if event.kind == kind] for kind in _KINDS}
    dispensed, pressed = by_kind["dispensed"], by_kind["pressed"]
    collected = [str(event.name) for event in by_kind["collected"] if event.animal == 0]
    collected += ["End Episode Operation" for event in by_kind["granted"] if event.animal == 0]
    zones = []
    for kind, words in (("left", "Agent left DataZone: "), ("entered", "Agent was in DataZone: ")):
        ids = [str(e.details["zone_id"]) for e in by_kind[kind] if e.name == "DataZone" and e.animal == 0]
        zones += [words + " | ".join(ids)] if ids else []
    return [
        _yes(bool(dispensed)),
        " | ".join(str(event.name) for event in dispensed) or "None",
        " | ".join(collected) or "None",
        _yes(bool(pressed)),
        "|".join(_dispenser(world, event) for event in dispensed) or "N/A",
        " | ".join(zones) or "None",
    ]


_KINDS = ("dispensed", "pressed", "collected", "granted", "left", "entered")


def _dispenser(world: World, event: Event) -> str:
    identity = event.details["dispenser"]
    thing = world.present.get(identity)
    x, y, z = (0.0, 0.0, 0.0) if thing is None else world.position_of(thing)
    return f"SpawnerID:{identity}; Position:({x:.2f}, {y:.2f}, {z:.2f}); RewardType:{event.name}"


def _ray_cell(world: World, rays: Rays) -> str:
    names = {"": "Untagged", "none": "None"}
    return ";".join(f"{number(distance)}:{names.get(tag, tag)}" for tag, distance in rays.hits(world))


def _yes(value: bool) -> str:
    return "Yes" if value else "No"
