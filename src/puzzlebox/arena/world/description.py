"""The true state of a world as plain data, for tests, logs and agents that may know everything."""

from typing import TYPE_CHECKING, Any

from puzzlebox.arena.rules import PHYSICS_STEP
from puzzlebox.arena.things import Agent, Thing
from puzzlebox.arena.world.engine import facing

if TYPE_CHECKING:
    from puzzlebox.arena.world.world import World


def describe(world: "World") -> dict[str, Any]:
    """Return the true state of everything in a world, as plain data."""
    return {
        "arena": world.arena.id,
        "size": list(world.arena.size),
        "step": world.clock,
        "seconds": round(world.clock * PHYSICS_STEP, 2),
        "lights": world.lights,
        "over": world.over,
        "things": [_describe_thing(world, thing) for thing in world.present.values()],
    }


def _describe_thing(world: "World", thing: Thing) -> dict[str, Any]:
    at, turn = world.engine.pose(thing.id)
    if isinstance(thing, Agent):  # its body never turns
        turn = facing(thing.heading)
    return {
        "id": thing.id,
        "name": type(thing).__name__,
        "item": thing.item,
        "at": list(at),
        "turn": list(turn),
        "velocity": list(world.engine.velocity(thing.id)),
        "size": list(thing.extent),
        "fixed": thing.fixed,
        "color": None if thing.paint is None else list(thing.paint),
        **({"inside": world.inside(thing)} if thing.passable else {}),
        **thing.condition(),
    }
