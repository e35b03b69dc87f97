"""What an animal can see from where it is, and where it can go straight ahead, by the arena's own camera and rays."""

from math import atan2, hypot, radians

import numpy as np

from puzzlebox.arena.demands.goals import Target
from puzzlebox.arena.senses.rays import LENGTH, RADIUS
from puzzlebox.arena.things import Thing
from puzzlebox.arena.world import World
from puzzlebox.render.eye import Eye, Pose
from puzzlebox.render.painter import FOV_DEGREES

# Pixels a side of the pictures in which goals are looked for: a quarter of a degree each.
_PIXELS = 256
_EYE = Eye(_PIXELS, through=True)
# Rays around the animal: one every two degrees, the angle of a ball of half a metre at 14 m.
_YAWS = [radians(2 * each) for each in range(180)]


def visible_things(world: World) -> dict[int, int]:
    """Return the number of pixels of each thing that an animal sees if it turns around once, lights on."""
    animal = world.animals[0]
    scene = world.scene()
    at = world.engine.pose(animal.id)[0]
    counts: dict[int, int] = {}
    segments = np.empty((_PIXELS, _PIXELS), np.int32)
    for turn in np.arange(0.0, 360.0, FOV_DEGREES):
        pose = Pose(at, animal.heading + float(turn), row=scene.animals[0])
        _EYE.see(scene, pose, segments=segments)
        for thing, count in zip(*np.unique(segments, return_counts=True), strict=True):
            counts[int(thing)] = counts.get(int(thing), 0) + int(count)
    return counts


def met_first(world: World, target: Target) -> tuple[bool, Thing | None]:
    """Return whether an animal that goes straight to a target reaches it, and the first thing that it meets there.

    As wide as the animal, a ball is cast level in the direction of the target, and in those of the other rays.
    """
    animal = world.animals[0]
    x, _, z = world.engine.pose(animal.id)[0]
    towards = atan2(target.at[0] - x, target.at[2] - z)
    hits = world.engine.solids.cast(world.state(), animal.id, [towards, *_YAWS], RADIUS, LENGTH)
    ids = {target.thing.id, *(part.id for part in target.thing.parts)}
    met = any(thing in ids for thing, _, _ in hits)
    # A goal that the animal touches already is not hit by any ray.
    near = hypot(target.at[0] - x, target.at[2] - z) < target.radius + 0.6
    return met or near, world.present.get(hits[0][0])
