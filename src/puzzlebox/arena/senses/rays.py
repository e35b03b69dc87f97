"""Rays: the distance to the nearest thing in several directions, and the kind of that thing."""

from collections.abc import Mapping
from math import radians
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from puzzlebox._native import Cruise
from puzzlebox.arena.rules import PRESETS, Rules
from puzzlebox.arena.senses.sense import Cruising, Sense
from puzzlebox.arena.things import CATALOGUE, Thing
from puzzlebox.arena.things.thing import NO_TAG
from puzzlebox.arena.world import World
from puzzlebox.arena.world.engine import FENCE, NOTHING, SOLID
from puzzlebox.scene.scene import no_such_animal

# The original casts balls of this radius, this far, both in metres (docs/original/senses.md#rays).
RADIUS = 0.5
LENGTH = 200.0
MOST_RAYS, MOST_DEGREES = 1001, 360
# The tags that the rays of the original distinguish, in the order of the columns; older builds had the first 12 or 6
# (docs/original/senses.md#tags).
TAGS = (
    *("arena", "Immovable", "Movable", "goodGoal", "goodGoalMulti", "badGoal"),
    *("GoalSpawner", "DeathZone", "HotZone", "Ramp", "PillarButton", "SignPoster"),
    *("DecoyGoal", "DecoyGoalBounce", "HollowObj", "badGoalMulti", "DataZone", "agent"),
)
# Tags of the original for which its rays have no column: a ray that hits such a thing sets none.
_WITHOUT_COLUMN = ("", "GrowGoal", "ShrinkGoal")
# The tag reported for a thing whose own tag did not exist yet, by the number of tags: a DeathZone was a bad goal.
_REPORTED_AS = {6: {"DeathZone": "badGoal"}}

Floats = npt.NDArray[np.float32]


class Rays(Sense):
    """Balls of half a metre radius cast level from the animal's centre, in a fan around its heading.

    Each ray gives one number for each tag (1 for the thing it hit), 1 if it hit nothing, and the distance over 200 m.
    The ray in the middle comes first, then the nearest on the right, the nearest on the left, and so on. A ray does
    not hit what the animal overlaps; it hits zones from outside, also invisible ones.

    Attributes:
        count: the number of rays, which is odd.
        degrees: the angle of the whole fan, from the leftmost to the rightmost ray.

    Args:
        count: the number of rays, odd.
        degrees: the angle of the whole fan.
        rules: the rules of the episodes; they set the number of columns of a ray in `space`.
    """

    name = "rays"
    cruising = Cruising.JOINS

    def __init__(self, count: int = 5, degrees: float = 60.0, rules: Rules = PRESETS["puzzlebox"]) -> None:
        if (
            not isinstance(count, int | np.integer)
            or isinstance(count, bool)
            or not 1 <= count <= MOST_RAYS
            or not count % 2
        ):
            raise ValueError(
                f"rays is {count!r}; it must be an odd number from 1 to {MOST_RAYS}: one ray ahead, pairs beside it"
            )
        if (
            isinstance(degrees, bool)
            or not isinstance(degrees, int | float | np.number)
            or not 0 <= degrees <= MOST_DEGREES
        ):
            raise ValueError(f"ray_degrees is {degrees!r}; it must be from 0 to {MOST_DEGREES}: the whole fan")
        self.count = int(count)
        self.degrees = float(degrees)
        self.space = spaces.Box(0.0, 1.0, (self.size(rules),), np.float32)
        self._turns = ray_turns(self.count, self.degrees)
        self._things: Mapping[int, Thing] | None = None
        self._numbered = 0

    @staticmethod
    def tags(rules: Rules) -> tuple[str, ...]:
        """Return the names of the columns that state what a ray hit.

        Under rules with all tags of the original, the tags of things of other packages follow, sorted by name.
        """
        tags = TAGS[: rules.ray_tags]
        return tags if len(tags) < len(TAGS) else tags + other_tags()

    def size(self, rules: Rules) -> int:
        """Return how many numbers all rays give."""
        return self.count * (len(self.tags(rules)) + 2)

    def hits(self, world: World, animal_index: int = 0) -> list[tuple[str, float]]:
        """Return for each ray the tag of what it hits ("": no tag, "none": nothing) and the distance over 200 m."""
        try:
            animal = world.animals[animal_index]
        except (IndexError, TypeError):
            raise no_such_animal(animal_index, len(world.animals)) from None
        things = world.present
        heading = radians(animal.heading)
        yaws = [heading + turn for turn in self._turns]
        hits = world.engine.solids.cast(world.state(), animal.id, yaws, RADIUS, LENGTH)
        return [
            (_tag(things.get(number), number, solid=bool(parts & SOLID)), distance / LENGTH)
            for number, parts, distance in hits
        ]

    def read(self, world: World, animal_index: int, out: npt.NDArray[Any]) -> None:
        """Fill `out` with the numbers of all rays."""
        self.cast(world, animal_index, out)

    def cast(self, world: World, animal_index: int = 0, out: Floats | None = None) -> Floats:
        """Return the numbers of all rays, one ray after the other; zeros in the dark if the rules have `dark_rays`."""
        if out is None:
            out = np.zeros(self.size(world.rules), np.float32)
        if not world.lights and world.rules.dark_rays:
            out.fill(0.0)
            return out
        try:
            animal = world.animals[animal_index]
        except (IndexError, TypeError):
            raise no_such_animal(animal_index, len(world.animals)) from None
        world.engine.solids.scan(
            *(world.state(), animal.id, radians(animal.heading), self._turns, RADIUS, LENGTH),
            *(self._columns_in(world), out),
        )
        return out

    def join(self, cruise: Cruise, world: World, out: npt.NDArray[Any]) -> None:
        """Make a cruise fill `out` with the numbers of its animal's rays."""
        cruise.scan(self._turns, RADIUS, LENGTH, self._columns_in(world), out)

    def _columns_in(self, world: World) -> npt.NDArray[np.int32]:
        """Return the columns of all things, for the kernel; rebuilt after a thing was added."""
        if self._things is not world.present or self._numbered != world.numbered:
            self._things, self._numbered = world.present, world.numbered
            columns = _columns(world.rules)
            self._columns = np.full((self._numbered + 1, 2), -1, np.int32)
            for number in (NOTHING, FENCE, *world.present):
                thing = world.present.get(number)
                self._columns[number + 1] = [columns.get(_tag(thing, number, solid), -1) for solid in (True, False)]
        return self._columns


def ray_turns(count: int, degrees: float) -> list[float]:
    """Return the angles of a fan of rays in radians to the right: the middle, then right and left in turn."""
    side = count // 2
    step = radians(degrees) / 2 / side if side else 0.0
    turns = [0.0]
    for number in range(1, side + 1):
        turns += [number * step, -number * step]
    return turns


def _tag(thing: Thing | None, number: int, solid: bool) -> str:
    """Return the tag of what a ray hit; the fence and `NOTHING` have ids but are not things."""
    if thing is None:
        return "arena" if number == FENCE else NO_TAG
    # A button's press area blocks rays too, but has no tag (docs/original/senses.md#what-stops-a-ray).
    return thing.tag if solid or thing.passable else ""


def other_tags() -> tuple[str, ...]:
    """Return the tags, sorted by name, that only things of other packages have."""
    return tuple(sorted({thing.tag for thing in CATALOGUE.values()}.difference(TAGS, _WITHOUT_COLUMN)))


def _columns(rules: Rules) -> dict[str, int]:
    """Return the column of each tag under the given rules, and of `NO_TAG`."""
    tags = Rays.tags(rules)
    columns = {tag: column for column, tag in enumerate(tags)}
    columns |= {tag: columns[other] for tag, other in _REPORTED_AS.get(rules.ray_tags, {}).items()}
    return columns | {NO_TAG: len(tags)}
