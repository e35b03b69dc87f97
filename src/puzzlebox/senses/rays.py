"""Rays: how far it is to the next thing in some directions, and what kind of thing that is."""

from math import radians
from typing import Any

import numpy as np
import numpy.typing as npt

from puzzlebox.things.rules import Rules
from puzzlebox.world import World
from puzzlebox.world.engine import FENCE, SOLID

# animal-ai.md 6.2
RADIUS = 0.5
LENGTH = 200.0
MOST_RAYS = 1001
# What the rays can tell apart, in the order of the columns (animal-ai.md 6.3); older builds knew the first 12 or 6.
TAGS = (
    *("arena", "Immovable", "Movable", "goodGoal", "goodGoalMulti", "badGoal"),
    *("GoalSpawner", "DeathZone", "HotZone", "Ramp", "PillarButton", "SignPoster"),
    *("DecoyGoal", "DecoyGoalBounce", "HollowObj", "badGoalMulti", "DataZone", "agent"),
)
# What a thing is seen as where its own tag was not known yet: with six tags a DeathZone was a bad goal.
_SEEN_AS = {6: {"DeathZone": "badGoal"}}

Floats = npt.NDArray[np.float32]


class Rays:
    """Balls of half a metre cast from the animal's middle, level, in a fan around where it looks.

    Each ray gives one number for each tag (1 where that is what it met), 1 if it met nothing, and the distance over
    200 m. The ray in the middle comes first, then the nearest on the right, the nearest on the left, and so on. What an
    animal overlaps it does not see; zones are seen from outside, also invisible ones.

    Attributes:
        count: how many rays; an odd number.
        degrees: the whole fan, from the leftmost to the rightmost ray.
    """

    def __init__(self, count: int = 5, degrees: float = 60.0) -> None:
        if (
            not isinstance(count, int | np.integer)
            or isinstance(count, bool)
            or not 1 <= count <= MOST_RAYS
            or not count % 2
        ):
            raise ValueError(
                f"rays is {count!r}; it must be an odd number from 1 to {MOST_RAYS}: one ray ahead, pairs beside it"
            )
        if isinstance(degrees, bool) or not isinstance(degrees, int | float | np.number) or not 0 <= degrees <= 360:
            raise ValueError(f"ray_degrees is {degrees!r}; it must be from 0 to 360: the whole fan")
        self.count = int(count)
        self.degrees = float(degrees)
        side = self.count // 2
        step = radians(self.degrees) / 2 / side if side else 0.0
        self._turns = [0.0]
        for number in range(1, side + 1):
            self._turns += [number * step, -number * step]

    @staticmethod
    def tags(rules: Rules) -> tuple[str, ...]:
        """The names of the columns that tell what was met."""
        return TAGS[: rules.ray_tags]

    def size(self, rules: Rules) -> int:
        """How many numbers a cast gives."""
        return self.count * (rules.ray_tags + 2)

    def seen(self, world: World, animal_index: int = 0) -> list[tuple[str, float]]:
        """The tag of what each ray meets ("": something without one, "none": nothing) and the distance over 200 m."""
        return [(tag, distance / LENGTH) for tag, distance in self._met(world, animal_index)]

    def _met(self, world: World, animal_index: int) -> list[tuple[str, float]]:
        animal, things = world.animals[animal_index], world.present
        heading = radians(animal.heading)
        yaws = [heading + turn for turn in self._turns]
        hits: list[tuple[int, int, float]] = world.engine.solids.cast(world.state(), animal.id, yaws, RADIUS, LENGTH)
        met = []
        for identity, parts, distance in hits:
            if identity == FENCE:
                tag = "arena"
            elif identity < 0:
                tag = "none"
            else:
                thing = things[identity]
                # The place from which a button is pressed blocks rays too, but has no name (animal-ai.md 6.4).
                tag = thing.tag if parts & SOLID or thing.passable else ""
            met.append((tag, distance))
        return met

    def cast(self, world: World, animal_index: int = 0, out: Floats | None = None) -> Floats:
        """The numbers of all rays, one ray after the other; in the dark zeros, where the rules say so."""
        tags = world.rules.ray_tags
        if out is None:
            out = np.zeros(self.size(world.rules), np.float32)
        else:
            out.fill(0.0)
        if not world.lights and world.rules.dark_rays:
            return out
        columns, base = _COLUMNS[tags], 0
        for tag, distance in self._met(world, animal_index):
            if tag in columns:
                out[base + columns[tag]] = 1.0
            base += tags + 2
            out[base - 1] = distance / LENGTH
        return out


def _columns(count: int) -> dict[str, int]:
    columns = {tag: column for column, tag in enumerate(TAGS[:count])}
    columns |= {tag: columns[other] for tag, other in _SEEN_AS.get(count, {}).items()}
    return columns | {"none": count}


_COLUMNS: dict[Any, dict[str, int]] = {count: _columns(count) for count in (18, 12, 6)}
