"""Where an animal can stand and walk in an arena: a grid of places at one or more heights, and the paths over it.

The grid is an estimate made without physics. An animal is a ball of one metre; it drops from any height, rolls over a
low step, and climbs ramps that its drive can overcome. Tunnels are walked through, not over.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from puzzlebox.arena.things import Agent, Thing
from puzzlebox.arena.things.goals import Goal
from puzzlebox.arena.world import World
from puzzlebox.scene.shapes import TUBE_RATIO, Ball, Box, Hull, Shape, Tube, Wedge
from puzzlebox.stats.extras import import_extra

# Metres of a cell.
CELL = 0.25
# Metres of an animal that count as solid: a little less than its radius and its diameter, because cells are coarse.
RADIUS, TALL = 0.45, 0.95
# Where drive (50 m/s²), gravity and friction (0.6) balance: the steepest ramp, and the highest step of a ball.
STEEPEST, STEP = 1.1, 0.16
# Metres around a death zone or a bad goal that a path keeps clear of.
_CLEARANCE = 0.4
_NEIGHBOURS = tuple((i, k) for i in (-1, 0, 1) for k in (-1, 0, 1) if (i, k) != (0, 0))
# Cells that an animal clears when it drops: beside a wall no ball can stand.
_DROPS = tuple((far * i, far * k) for far in (2, 3, 4) for i, k in _NEIGHBOURS)

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]


@dataclass(frozen=True)
class Block:
    """An upright box or ramp that an animal cannot pass.

    Attributes:
        at: its middle, along x and z.
        half: half its sizes along its own x and z.
        turn: cosine and sine of its rotation about the vertical.
        low: the height of its lower side.
        high: the height of its upper side.
        ramp: whether it rises from `low` at its +z side to `high` at its -z side.
    """

    at: tuple[float, float]
    half: tuple[float, float]
    turn: tuple[float, float]
    low: float
    high: float
    ramp: bool = False

    @property
    def slope(self) -> float:
        """Rise over run of a ramp; 0 for a box."""
        return (self.high - self.low) / (2 * self.half[1]) if self.ramp else 0.0

    def own(self, x: Floats, z: Floats) -> tuple[Floats, Floats]:
        """Return positions in the frame of the block."""
        dx, dz = x - self.at[0], z - self.at[1]
        cos, sin = self.turn
        return cos * dx - sin * dz, sin * dx + cos * dz

    def away(self, x: Floats, z: Floats) -> Floats:
        """Return the horizontal distance of positions from the block; 0 inside."""
        across, along = self.own(x, z)
        return np.hypot(np.maximum(np.abs(across) - self.half[0], 0), np.maximum(np.abs(along) - self.half[1], 0))

    def top(self, x: Floats, z: Floats) -> Floats:
        """Return the height of the upper side at positions inside."""
        if not self.ramp:
            return np.full(x.shape, self.high)
        _, along = self.own(x, z)
        share = np.clip((self.half[1] - along) / (2 * self.half[1]), 0, 1)
        return self.low + share * (self.high - self.low)


def blocks_of(world: World, thing: Thing) -> list[Block]:
    """Return the blocks that a thing consists of, where it is now."""
    at, (w, x, y, z) = world.engine.pose(thing.id)
    rotation = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    shapes = (*thing.shapes(), *thing.soft_shapes())
    return [block for shape in shapes for block in _blocks(shape, np.array(at), rotation)]


def _blocks(shape: Shape, at: Floats, rotation: Floats) -> list[Block]:
    if isinstance(shape, Tube):
        return _sides(shape, at, rotation)
    if isinstance(shape, Box):
        middle, half = np.array(shape.at), np.array(shape.half)
    elif isinstance(shape, Ball):
        middle, half = np.array(shape.at), np.full(3, shape.radius)
    elif isinstance(shape, Wedge):
        middle, half = np.zeros(3), np.array(shape.half)
    else:
        assert isinstance(shape, Hull)
        points = np.array(shape.points)
        middle, half = (points.max(0) + points.min(0)) / 2, (points.max(0) - points.min(0)) / 2
    x, y, z = rotation @ middle + at
    if rotation[1, 1] < 0.98:  # tipped over: the upright box around it
        width, height, depth = np.abs(rotation) @ half
        return [Block((x, z), (width, depth), (1.0, 0.0), y - height, y + height)]
    turn = (float(rotation[0, 0]), float(rotation[0, 2]))
    ramp = isinstance(shape, Wedge)
    return [Block((x, z), (half[0], half[2]), turn, y - half[1], y + half[1], ramp)]


def _sides(tube: Tube, at: Floats, rotation: Floats) -> list[Block]:
    """Return the two sides of a tunnel, as thick as they are at the height of an animal's middle."""
    wide, high, long = tube.half
    inner = TUBE_RATIO * sqrt(max(1 - (0.5 / (TUBE_RATIO * high)) ** 2, 0.0)) * wide
    sides = []
    for sign in (-1.0, 1.0):
        x, y, z = rotation @ np.array((sign * (wide + inner) / 2, 0.0, 0.0)) + at
        turn = (float(rotation[0, 0]), float(rotation[0, 2]))
        sides.append(Block((x, z), ((wide - inner) / 2, long), turn, y, y + high))
    return sides


def is_obstacle(thing: Thing) -> bool:
    """Return whether a thing is solid and neither an animal nor a goal."""
    return not thing.passable and not isinstance(thing, Agent | Goal) and bool(thing.shapes())


class Terrain:
    """The places where an animal can stand, and how it gets from one to another.

    Args:
        world: the arena.
        pushed: whether movable things count as out of the way.
        reckless: whether paths may cross death zones and bad goals.
    """

    def __init__(self, world: World, *, pushed: bool = False, reckless: bool = False) -> None:
        self._size = (world.arena.size[0], world.arena.size[1])
        obstacles = [thing for thing in world.present.values() if is_obstacle(thing)]
        still = [thing for thing in obstacles if not (pushed and is_movable(thing))]
        self.blocks = [block for thing in still for block in blocks_of(world, thing)]
        self._columns = int(np.ceil(self._size[1] / CELL)) + 1
        x, z, height, slope = self._surfaces()
        kept = self._free(x, z, height, slope)
        if not reckless:
            kept &= ~in_harm(world, x, z, height)
        self.x, self.z, self.height, self.slope = x[kept], z[kept], height[kept], slope[kept]

    def _surfaces(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Return position, height and slope of all places to stand: the floor, and the tops of blocks."""
        middles = [np.arange(CELL / 2, side, CELL) for side in self._size]
        all_x, all_z = (each.ravel() for each in np.meshgrid(*middles, indexing="ij"))
        parts = [(all_x, all_z, np.zeros(all_x.shape), np.zeros(all_x.shape))]
        for block in self.blocks:
            inside = block.away(all_x, all_z) == 0
            if inside.any() and block.high > STEP and block.slope <= STEEPEST:
                x, z = all_x[inside], all_z[inside]
                parts.append((x, z, block.top(x, z), np.full(x.shape, block.slope)))
        return tuple(np.concatenate(each) for each in zip(*parts, strict=True))  # type: ignore[return-value]

    def _free(self, x: Floats, z: Floats, height: Floats, slope: Floats) -> Truths:
        """Return at which places no block is in the way of a standing animal."""
        fits = (x > RADIUS) & (x < self._size[0] - RADIUS) & (z > RADIUS) & (z < self._size[1] - RADIUS)
        # On a ramp, what is a little higher lies ahead: the rest of the ramp, and the platform it leads to.
        allowed = height + STEP + slope * (RADIUS + CELL)
        for block in self.blocks:
            away = block.away(x, z)
            top = block.top(x, z)
            near = away == 0 if block.ramp and block.slope <= STEEPEST else away < RADIUS
            fits &= ~(near & (top > allowed) & (block.low < height + TALL))
        return fits

    def nearest(self, x: float, y: float, z: float) -> int | None:
        """Return the place nearest to a position (y: the height of the animal's foot); None if there is none."""
        if not len(self.x):
            return None
        away = np.hypot(self.x - x, self.z - z) + np.abs(self.height - y)
        index = int(away.argmin())
        return index if away[index] < 2.5 else None

    def distances(self, start: int) -> Floats:
        """Return the length of the shortest path in metres from a place to each place; infinite where there is none."""
        rows, columns, lengths = self.steps()
        graph = import_extra("scipy.sparse").csr_matrix((lengths, (rows, columns)), shape=(len(self.x), len(self.x)))
        found: Floats = import_extra("scipy.sparse.csgraph").dijkstra(graph, indices=start)
        return found

    def steps(self) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
        """Return from where to where an animal can go directly, and how far that is."""
        cell_x, cell_z = (self.x / CELL).astype(int), (self.z / CELL).astype(int)
        keys = cell_x * self._columns + cell_z
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        parts: list[tuple[NDArray[np.intp], NDArray[np.intp], Floats]] = []
        for offsets, dropping in ((_NEIGHBOURS, False), (_DROPS, True)):
            # A drop starts above the floor.
            sources = np.nonzero(self.height > STEP)[0] if dropping else np.arange(len(keys))
            for i, k in offsets:
                wanted = keys[sources] + i * self._columns + k
                first, last = np.searchsorted(ordered, wanted), np.searchsorted(ordered, wanted, side="right")
                far = CELL * float(np.hypot(i, k))
                for layer in range(int((last - first).max(initial=0))):
                    there = first + layer < last
                    start, end = sources[there], order[(first + layer)[there]]
                    rise = self.height[end] - self.height[start]
                    if dropping:
                        possible = rise < -STEP
                    else:
                        steep = np.maximum(self.slope[start], self.slope[end])
                        possible = rise <= STEP + 1.5 * steep * far
                    start, end, rise = start[possible], end[possible], rise[possible]
                    parts.append((start, end, np.hypot(far, np.maximum(rise, 0))))
        if not parts:
            return np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0)
        starts, ends, lengths = zip(*parts, strict=True)
        return np.concatenate(starts), np.concatenate(ends), np.concatenate(lengths)

    def touching(self, at: Sequence[float], radius: float) -> NDArray[np.intp]:
        """Return the places at which an animal touches a ball with its middle at a position."""
        above = at[1] - (self.height + 0.5)
        # A ball that is only just within reach from below slips away or is passed by.
        level = np.sqrt(np.maximum((radius + 0.5) ** 2 - above**2, 0.0))
        return np.nonzero((level > 0.3) & (np.hypot(self.x - at[0], self.z - at[2]) <= level + CELL))[0]


def is_movable(thing: Thing) -> bool:
    """Return whether an animal can push a thing away."""
    return thing.category.value == "movable"


def in_harm(world: World, x: Floats, z: Floats, height: Floats) -> Truths:
    """Return at which places an animal would touch a death zone or a goal that ends the episode with a penalty."""
    harmed = np.zeros(x.shape, bool)
    for thing in world.present.values():
        if type(thing).__name__ == "DeathZone":
            for block in blocks_of(world, thing):
                harmed |= (block.away(x, z) < _CLEARANCE) & (height < block.high)
        elif isinstance(thing, Goal) and thing.ends and thing.value < 0:
            (at_x, at_y, at_z), radius = world.engine.pose(thing.id)[0], thing.extent[0] / 2
            away = np.sqrt((x - at_x) ** 2 + (height + 0.5 - at_y) ** 2 + (z - at_z) ** 2)
            harmed |= away < radius + 0.5 + 0.1
    return harmed
