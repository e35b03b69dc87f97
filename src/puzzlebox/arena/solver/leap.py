"""Leaps: full speed over the upper end of a ramp or the edge of a platform, to land on the other side of something."""

from dataclasses import dataclass
from math import atan2, degrees, hypot, radians

import numpy as np

from puzzlebox.arena.demands.terrain import STEEPEST, Block
from puzzlebox.arena.solver.drive import angle_between
from puzzlebox.arena.solver.ground import Floats, Ground
from puzzlebox.arena.solver.operators import Reached, costs_from_animal
from puzzlebox.arena.solver.run import Run
from puzzlebox.arena.world.actions import BACKWARDS, FORWARDS, LEFT, NOOP, RIGHT

# Metres of run-up before a ramp, and the lowest edge that is worth leaping from.
_RUN_UPS = (0.8, 3.0, 6.0, 10.0)
_LOWEST = 0.3
# Decisions that a leap may take.
_MOST = 120


@dataclass(frozen=True)
class Leap:
    """A leap.

    Attributes:
        at: where the run-up begins.
        direction: where it leads, in radians clockwise from +z.
        edge: the position of the edge it leads over.
    """

    at: tuple[float, float]
    direction: float
    edge: tuple[float, float]

    def words(self) -> str:
        """Return where the leap leads over."""
        return f"leap at ({self.edge[0]:.1f}, {self.edge[1]:.1f})"

    def apply(self, run: Run, ground: Ground, fastest: float) -> list[Reached]:
        """Drive over the edge, and brake after landing."""
        world, start, flown = run.world, run.decisions, False
        ahead = (np.sin(self.direction), np.cos(self.direction))
        fastest = max(fastest * 3.0, 8.0)
        while not world.over and run.decisions - start < _MOST:
            x, _, z = run.position
            vx, _, vz = run.velocity
            beyond = (x - self.edge[0]) * ahead[0] + (z - self.edge[1]) * ahead[1]
            grounded = bool(run.animal.grounded)
            flown = flown or (beyond > 0.0 and not grounded)
            speed = vx * ahead[0] + vz * ahead[1]
            if (flown and grounded) or beyond > 4.0:
                if hypot(vx, vz) < 1.0:
                    break
                run.step(BACKWARDS if speed > 2.0 else NOOP)
                continue
            aside = (x - self.at[0]) * ahead[1] - (z - self.at[1]) * ahead[0]
            wanted = self.direction - max(min(0.3 * aside, 0.3), -0.3)
            off = degrees(angle_between(wanted, radians(run.animal.heading)))
            turn = RIGHT if off > 3.0 else LEFT if off < -3.0 else NOOP
            run.step(turn + (FORWARDS if speed < fastest else NOOP))
            if beyond < 0.0 and run.decisions - start > 40 and hypot(vx, vz) < 0.2:
                return []
        return [Reached(run.decisions, self.words())] if flown else []


def leaps(run: Run, ground: Ground) -> list[Leap]:
    """Return all leaps whose run-up can be reached, the nearest first."""
    costs = costs_from_animal(run, ground)
    if costs is None:
        return []
    found: list[tuple[float, Leap]] = []
    for block in ground.terrain.blocks:
        if block.ramp:
            if block.slope <= STEEPEST:
                found += _over_ramp(ground, costs, block)
        elif block.high > _LOWEST and min(block.half) > 0.4:
            found += _over_edges(ground, costs, block)
        elif block.high > _LOWEST:
            found += _along_rail(ground, costs, block)
    return [leap for _, leap in sorted(found, key=lambda pair: pair[0])]


def _at(block: Block, across: float, along: float) -> tuple[float, float]:
    """Return the position of a point given in the block's own frame."""
    cos, sin = block.turn
    return block.at[0] + cos * across + sin * along, block.at[1] - sin * across + cos * along


def _leap(
    ground: Ground, costs: Floats, block: Block, start: tuple[float, float], edge: tuple[float, float], height: float
) -> list[tuple[float, Leap]]:
    at, over = _at(block, *start), _at(block, *edge)
    places = [
        each for each in ground.places_in(*at) if abs(ground.height[each] - height) < 0.3 and np.isfinite(costs[each])
    ]
    if not places:
        return []
    return [(float(costs[places[0]]), Leap(at, atan2(over[0] - at[0], over[1] - at[1]), over))]


def _over_ramp(ground: Ground, costs: Floats, block: Block) -> list[tuple[float, Leap]]:
    """Return the leaps up a ramp: it rises towards -z of its own frame."""
    found = []
    for back in _RUN_UPS:
        for share in (0.0, -0.5, 0.5):
            across = share * block.half[0]
            found += _leap(
                ground, costs, block, (across, block.half[1] + back), (across, -block.half[1]), max(block.low, 0.0)
            )
    return found


def _along_rail(ground: Ground, costs: Floats, block: Block) -> list[tuple[float, Leap]]:
    """Return the dashes along a narrow wall, from before one of its ends to the other."""
    found = []
    axis = 0 if block.half[0] > block.half[1] else 1
    for sign in (-1.0, 1.0):
        for back in (9.0, 5.0, 2.0):
            for side in (0.0, -0.2, 0.2, -0.35, 0.35):
                start, edge = (-sign * (block.half[axis] + back), side), (sign * block.half[axis], side)
                if axis:
                    start, edge = start[::-1], edge[::-1]
                found += _leap(ground, costs, block, start, edge, block.high)
    return found


def _over_edges(ground: Ground, costs: Floats, block: Block) -> list[tuple[float, Leap]]:
    """Return the leaps over the four edges of a platform, from its other side and from its middle."""
    found = []
    for axis in (0, 1):
        for sign in (-1.0, 1.0):
            for share in (0.0, -0.6, 0.6):
                side = share * max(block.half[1 - axis] - 0.5, 0.0)
                for back in (max(block.half[axis] - 0.6, 0.0), 0.0):
                    start, edge = (-sign * back, side), (sign * block.half[axis], side)
                    if axis:
                        start, edge = start[::-1], edge[::-1]
                    found += _leap(ground, costs, block, start, edge, block.high)
    return found
