"""Pushing: where an animal can set against a movable thing, and the drive that pushes it."""

from dataclasses import dataclass
from math import atan2, cos, degrees, hypot, radians, sin

import numpy as np

from puzzlebox.arena.demands.terrain import Block, blocks_of, is_movable
from puzzlebox.arena.solver.drive import SLIDE, angle_between
from puzzlebox.arena.solver.ground import Floats, Ground
from puzzlebox.arena.solver.operators import Reached, costs_from_animal
from puzzlebox.arena.solver.order import good_goals
from puzzlebox.arena.solver.run import Run
from puzzlebox.arena.things import Thing
from puzzlebox.arena.world.actions import FORWARDS, LEFT, NOOP, RIGHT

# Metres between the animal and the face when it sets against it.
_GAP = 0.3
# Metres of a push after which its result is looked at.
CHECKPOINTS = (1.0, 2.0, 3.5, 5.0, 7.0, 10.0, 14.0, 20.0)
# Decisions that a push may take.
_MOST_PUSH = 260
_COMPASS = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")


@dataclass(frozen=True)
class Push:
    """A push of one thing.

    Attributes:
        thing: its id.
        name: its name.
        at: where the animal sets against it.
        direction: where it pushes to, in radians clockwise from +z.
        towards: the id of a goal to which the thing is steered; None pushes straight on.
    """

    thing: int
    name: str
    at: tuple[float, float]
    direction: float
    towards: int | None = None

    def words(self) -> str:
        """Return which thing is pushed."""
        return f"push {self.name} {self.thing}"

    def step(self, metres: float) -> str:
        """Return the push as a step of a plan."""
        where = _COMPASS[round(degrees(self.direction) / 45) % 8]
        return f"push {self.name} {self.thing} {where} for {metres:.1f} m"

    def apply(self, run: Run, ground: Ground, fastest: float) -> list[Reached]:
        """Push until nothing moves any more or harm is near; return the states at each checkpoint."""
        world, begin = run.world, run.decisions
        first = world.engine.pose(self.thing)[0]
        reached: list[Reached] = []
        still, moved = 0, 0.0
        while not world.over and run.decisions - begin < _MOST_PUSH:
            x, _, z = run.position
            vx, _, vz = run.velocity
            wanted = self._wanted(run)
            ahead = (sin(wanted), cos(wanted))
            speed = vx * ahead[0] + vz * ahead[1]
            reach = SLIDE * max(speed, 0.0) + 0.2
            if any(ground.harms(x + ahead[0] * reach * share, z + ahead[1] * reach * share) for share in (0.5, 1.0)):
                break
            off = degrees(angle_between(wanted, radians(run.animal.heading)))
            turn = RIGHT if off > 3.0 else LEFT if off < -3.0 else NOOP
            run.step(turn + (FORWARDS if speed < fastest else NOOP))
            if self.thing not in world.present or world.over:
                break
            at = world.engine.pose(self.thing)[0]
            moved = hypot(at[0] - first[0], at[2] - first[2])
            still = still + 1 if hypot(*run.velocity[::2]) < 0.15 else 0
            if still > 12:
                break
            if len(reached) < len(CHECKPOINTS) and moved >= CHECKPOINTS[len(reached)]:
                reached.append(Reached(run.decisions, self.step(moved)))
        if moved > 0.3 and (not reached or run.decisions - reached[-1].decisions > 3):
            reached.append(Reached(run.decisions, self.step(moved)))
        return reached

    def _wanted(self, run: Run) -> float:
        """Return where to drive: along the line of the push, or so that the thing turns towards the goal."""
        x, _, z = run.position
        world = run.world
        if self.towards is None or self.towards not in world.present:
            aside = (x - self.at[0]) * cos(self.direction) - (z - self.at[1]) * sin(self.direction)
            return self.direction - max(min(0.35 * aside, 0.4), -0.4)
        thing, goal = world.engine.pose(self.thing)[0], world.engine.pose(self.towards)[0]
        bearing = atan2(thing[0] - x, thing[2] - z)
        course = atan2(goal[0] - thing[0], goal[2] - thing[2])
        # Driving past the middle on one side brings the animal to that side, and the thing turns to the other.
        return bearing + max(min(0.8 * angle_between(bearing, course), 0.5), -0.5)


def pushes(run: Run, ground: Ground) -> list[Push]:
    """Return all pushes that can be reached: against each face of each box of each movable thing."""
    costs = costs_from_animal(run, ground)
    if costs is None:
        return []
    found: list[tuple[float, Push]] = []
    for thing in _movable_things(run):
        for block in blocks_of(run.world, thing):
            found += _against(ground, costs, thing, block)
    return _cheapest_first(found)


def steered_pushes(run: Run, ground: Ground) -> list[Push]:
    """Return pushes that steer a movable thing to a goal, from the side opposite to it."""
    costs = costs_from_animal(run, ground)
    if costs is None:
        return []
    found: list[tuple[float, Push]] = []
    for thing in _movable_things(run):
        at = run.world.engine.pose(thing.id)[0]
        for goal in good_goals(run):
            to = run.world.engine.pose(goal.id)[0]
            course = atan2(to[0] - at[0], to[2] - at[2])
            for back in (0.8, 1.2, 1.7, 2.5, 4.0):
                behind = (at[0] - sin(course) * back, at[2] - cos(course) * back)
                near = [each for each in ground.places_in(*behind) if np.isfinite(costs[each])]
                if near:
                    push = Push(thing.id, type(thing).__name__, behind, course, goal.id)
                    found.append((float(costs[near].min()), push))
                    break
    return _cheapest_first(found)


def _movable_things(run: Run) -> list[Thing]:
    return [thing for thing in run.world.present.values() if is_movable(thing)]


def _cheapest_first(found: list[tuple[float, Push]]) -> list[Push]:
    return [push for _, push in sorted(found, key=lambda pair: pair[0])]


def _against(ground: Ground, costs: Floats, thing: Thing, block: Block) -> list[tuple[float, Push]]:
    """Return the pushes against the four faces of a block, with the cost of getting there."""
    found = []
    cos_, sin_ = block.turn
    for axis in (0, 1):
        for sign in (-1.0, 1.0):
            out, along = block.half[axis] + 0.5 + _GAP, block.half[1 - axis]
            for share in (0.0,) if along < 0.6 else (0.0, -0.6, 0.6):
                own = (sign * out, share * along) if axis == 0 else (share * along, sign * out)
                # The block's own frame, turned back.
                x = block.at[0] + cos_ * own[0] + sin_ * own[1]
                z = block.at[1] - sin_ * own[0] + cos_ * own[1]
                normal = (sign, 0.0) if axis == 0 else (0.0, sign)
                inwards = (-(cos_ * normal[0] + sin_ * normal[1]), -(-sin_ * normal[0] + cos_ * normal[1]))
                places = [
                    each
                    for each in ground.places_in(x, z)
                    if block.low - 0.3 < ground.height[each] < block.high - 0.2 and np.isfinite(costs[each])
                ]
                if places:
                    push = Push(thing.id, type(thing).__name__, (x, z), atan2(inwards[0], inwards[1]))
                    found.append((float(costs[places[0]]) + 2.0 * abs(share), push))
    return found
