"""The true state of a world as plain data: everything in it, or the values of a recorded step."""

from typing import TYPE_CHECKING, Any

from puzzlebox.arena.rules import PHYSICS_STEP
from puzzlebox.arena.things import Agent, Thing
from puzzlebox.arena.world.engine import facing
from puzzlebox.wings import flags

if TYPE_CHECKING:
    from puzzlebox.arena.world.world import World

# The keys of `World.measures`.
MEASURES = ("x", "y", "z", "vx", "vy", "vz", "heading", "health")


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


def measures_of(world: "World") -> dict[str, float | None]:
    """Return the measures of the first animal in a world; see `World.measures`."""
    animal = world.animals[0]
    values = (*world.position_of(animal), *world.engine.velocity(animal.id), animal.heading, animal.health)
    return dict(zip(MEASURES, values, strict=True))


def flags_of(world: "World") -> int:
    """Return the state of the first animal and the light in a world as bits; see `World.flags`."""
    animal = world.animals[0]
    bits = (
        (flags.LIGHT_ON, world.lights),
        (flags.OVER, world.over),
        (flags.CANNOT_MOVE, bool(animal.held or animal.done)),
        (flags.HEALTH_STANDS, bool(animal.spared)),
        (flags.PASSED, world.passed(animal) is True),
    )
    return sum(bit for bit, true in bits if true)
