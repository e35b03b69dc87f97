"""Where the animal can drive and what that costs: places to stand, and fields of the cheapest ways to targets."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from puzzlebox.arena.demands.terrain import CELL, RADIUS, STEP, Terrain, blocks_of, is_movable
from puzzlebox.arena.solver.style import Style
from puzzlebox.arena.things.goals import Goal
from puzzlebox.arena.world import World
from puzzlebox.stats.extras import import_extra

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]
Places = NDArray[np.intp]

# The additional cost of a metre on the rim of a surface, and one, two and three cells further in.
_RIMS = (4.0, 2.0, 0.8, 0.25)
# The additional cost of a metre through a movable thing that has to be pushed.
_PUSHED = 5.0
# The additional cost of a metre through harm, in estimates.
_HARMED = 30.0
# Metres between the points at which a straight line is checked.
_SAMPLE = 0.2


@dataclass(frozen=True)
class Field:
    """The cheapest ways from everywhere to some places.

    Attributes:
        cost: of each place, the cost to get there, in metres of easy ground; infinite where there is no way.
        following: of each place, the next one on the way; negative at the end.
    """

    cost: Floats
    following: NDArray[np.int32]


class Ground:
    """The places of a world where the animal can drive, as one style sees them.

    `blocked` marks the places that it can only imagine: in things to push, and in harm for a reckless style.

    Args:
        world: the world as it is now.
        style: how much paths keep clear of harm, and whether movable things are in the way.
        avoided: the ids of goals that must not be touched.
    """

    def __init__(self, world: World, style: Style, avoided: Collection[int] = ()) -> None:
        self.terrain = Terrain(world, pushed=style.push, reckless=True)
        self._size = (world.arena.size[0], world.arena.size[1])
        self._cells = (int(np.ceil(self._size[0] / CELL)) + 1, int(np.ceil(self._size[1] / CELL)) + 1)
        terrain = self.terrain
        harmed = harm_at(world, terrain.x, terrain.z, terrain.height, style.clearance, avoided)
        self.blocked = np.zeros(0, bool)
        if style.reckless:
            self.blocked, harmed = harmed, np.zeros(harmed.shape, bool)
        terrain.x, terrain.z = terrain.x[~harmed], terrain.z[~harmed]
        terrain.height, terrain.slope = terrain.height[~harmed], terrain.slope[~harmed]
        self.x, self.z, self.height, self.slope = terrain.x, terrain.z, terrain.height, terrain.slope
        if not style.reckless:
            self.blocked = np.zeros(len(self.x), bool)
        self._index_cells()
        self._floor_harm = self._raster(world, avoided)
        starts, ends, lengths = terrain.steps()
        self.cost = 1.0 + style.caution * self._rim_cost(starts, ends) + self._zone_cost(world, style)
        weights = lengths * (self.cost[starts] + self.cost[ends]) / 2
        sparse = import_extra("scipy.sparse")
        count = len(self.x)
        self._onwards = sparse.csr_matrix((weights, (starts, ends)), shape=(count, count))
        self._back = sparse.csr_matrix((weights, (ends, starts)), shape=(count, count))

    def _index_cells(self) -> None:
        """Note which places lie in each cell: one in a table, further ones by their cell."""
        i, k = (self.x / CELL).astype(int), (self.z / CELL).astype(int)
        self._first = np.full(self._cells, -1, np.int64)
        self._first[i[::-1], k[::-1]] = np.arange(len(self.x))[::-1]
        others = np.nonzero(self._first[i, k] != np.arange(len(self.x)))[0]
        self._others: dict[tuple[int, int], list[int]] = {}
        for place in others.tolist():
            self._others.setdefault((int(i[place]), int(k[place])), []).append(place)

    def _raster(self, world: World, avoided: Collection[int]) -> Truths:
        """Return in which cells an animal on the floor comes to harm."""
        middles = [(np.arange(count) + 0.5) * CELL for count in self._cells]
        x, z = (each.ravel() for each in np.meshgrid(*middles, indexing="ij"))
        return harm_at(world, x, z, np.zeros(x.shape), 0.0, avoided).reshape(self._cells)

    def _rim_cost(self, starts: Places, ends: Places) -> Floats:
        """Return the additional cost of places near the rim of their surface: beside walls, harm and drops."""
        rise = np.abs(self.height[ends] - self.height[starts])
        steep = np.maximum(self.slope[starts], self.slope[ends])
        away = np.hypot(self.x[ends] - self.x[starts], self.z[ends] - self.z[starts])
        level = (away < 1.5 * CELL) & (rise <= STEP + 1.5 * steep * CELL)
        starts, ends = starts[level], ends[level]
        near = np.bincount(starts, minlength=len(self.x)) < 8
        cost = np.zeros(len(self.x))
        for extra in _RIMS:
            cost[near & (cost == 0)] = extra
            wider = near.copy()
            wider[ends[near[starts]]] = True
            near = wider
        return cost

    def _zone_cost(self, world: World, style: Style) -> Floats:
        """Return the additional cost of places in hot zones, at goals that cost something, and in things to push."""
        cost = _HARMED * self.blocked
        for thing in world.present.values():
            if type(thing).__name__ == "HotZone":
                for block in blocks_of(world, thing):
                    away, low = block.away(self.x, self.z), self.height < block.high
                    cost[low & (away < 0.45)] += style.hot
                    cost[low & (away < 1.2)] += 1.0
            elif isinstance(thing, Goal) and thing.value < 0 and not thing.ends:
                at = world.engine.pose(thing.id)[0]
                cost[np.hypot(self.x - at[0], self.z - at[2]) < thing.extent[0] / 2 + 0.8] += 20.0
            elif style.push and is_movable(thing):
                for block in blocks_of(world, thing):
                    inside = (block.away(self.x, self.z) < RADIUS) & (block.high > self.height + STEP)
                    inside &= block.low < self.height + 0.9
                    cost[inside] += _PUSHED
                    self.blocked |= inside
        return cost

    # --- places

    def places_in(self, x: float, z: float) -> list[int]:
        """Return the places in the cell of a position."""
        i, k = int(x / CELL), int(z / CELL)
        if not (0 <= i < self._cells[0] and 0 <= k < self._cells[1]):
            return []
        first = int(self._first[i, k])
        return [] if first < 0 else [first, *self._others.get((i, k), ())]

    def place_at(self, x: float, foot: float, z: float) -> int | None:
        """Return the place where an animal is, given the height of its foot; None if none is near."""
        found = [each for each in self.places_in(x, z) if abs(self.height[each] - foot) < 0.3]
        if found:
            return min(found, key=lambda each: abs(self.height[each] - foot))
        if not len(self.x):
            return None
        away = np.hypot(self.x - x, self.z - z) + 2.0 * np.abs(self.height - foot)
        # What is higher cannot be reached from here.
        away[self.height > foot + 0.4] += 5.0
        index = int(away.argmin())
        return index if away[index] < 4.0 else None

    def harms(self, x: float, z: float) -> bool:
        """Return whether an animal on the floor comes to harm at a position."""
        i, k = int(x / CELL), int(z / CELL)
        return 0 <= i < self._cells[0] and 0 <= k < self._cells[1] and bool(self._floor_harm[i, k])

    def touching(self, at: Sequence[float], radius: float) -> Places:
        """Return the places at which an animal touches a ball."""
        return self.terrain.touching(at, radius)

    # --- ways

    def field_to(self, places: Places) -> Field | None:
        """Return the cheapest ways from everywhere to any of some places; None if there are no places."""
        if not len(places):
            return None
        dijkstra = import_extra("scipy.sparse.csgraph").dijkstra
        cost, following, _ = dijkstra(self._back, indices=places, min_only=True, return_predecessors=True)
        return Field(cost, following)

    def costs_from(self, place: int) -> Floats:
        """Return the cost of the way from a place to each place."""
        found: Floats = import_extra("scipy.sparse.csgraph").dijkstra(self._onwards, indices=place)
        return found

    def way(self, field: Field, place: int, most: int) -> list[int]:
        """Return the first places of the way along a field, with the place it starts from."""
        found = [place]
        for _ in range(most):
            place = int(field.following[place])
            if place < 0:
                break
            found.append(place)
        return found

    def straight_cost(self, start: int, x: float, z: float, to_x: float, to_z: float) -> float:
        """Return the cost of driving straight from a place to a position; infinite if something is in the way."""
        far = sqrt((to_x - x) ** 2 + (to_z - z) ** 2)
        count = max(int(far / _SAMPLE), 1)
        place, total = start, 0.0
        for step in range(1, count + 1):
            share = step / count
            here = self.places_in(x + share * (to_x - x), z + share * (to_z - z))
            height, slope = self.height[place], self.slope[place]
            following = -1
            for each in here:
                if abs(self.height[each] - height) <= STEP + 1.5 * max(slope, self.slope[each]) * CELL:
                    following = each
                    break
            if following < 0:
                return float("inf")
            place = following
            total += self.cost[place] * far / count
        return total


def harm_at(
    world: World, x: Floats, z: Floats, height: Floats, clearance: float, avoided: Collection[int] = ()
) -> Truths:
    """Return at which places an animal touches a death zone, or a goal that it must not touch."""
    harmed = np.zeros(x.shape, bool)
    for thing in world.present.values():
        if type(thing).__name__ == "DeathZone":
            for block in blocks_of(world, thing):
                # A ball of 0.5 m beside a low zone touches it later than with its middle.
                below = max(0.5 - block.high, 0.0)
                reach = sqrt(max(0.25 - below**2, 0.0))
                harmed |= (block.away(x, z) < reach + clearance) & (height < block.high)
        elif isinstance(thing, Goal) and (thing.id in avoided or (thing.ends and thing.value < 0)):
            (at_x, at_y, at_z), radius = world.engine.pose(thing.id)[0], thing.extent[0] / 2
            away = np.sqrt((x - at_x) ** 2 + (height + 0.5 - at_y) ** 2 + (z - at_z) ** 2)
            harmed |= away < radius + 0.5 + 0.6 * clearance
    return harmed
