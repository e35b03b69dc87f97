"""What a search can do between two looks at the world: operators, each of which leaves states to continue from."""

from dataclasses import dataclass
from math import degrees, hypot, radians
from typing import Protocol

import numpy as np

from puzzlebox.arena.solver.drive import Driver, angle_between
from puzzlebox.arena.solver.ground import Floats, Ground
from puzzlebox.arena.solver.run import Run
from puzzlebox.arena.solver.style import Style
from puzzlebox.arena.world.actions import BACKWARDS, LEFT, NOOP, RIGHT

# Decisions that the way to an operator and turning there may take.
_MOST_APPROACH, _MOST_TURN = 260, 40


@dataclass(frozen=True)
class Reached:
    """A state that an operator led to: the number of decisions since the start, and the step in words."""

    decisions: int
    step: str


class Operator(Protocol):
    """Something to do at a place."""

    @property
    def at(self) -> tuple[float, float]:
        """Return where the animal has to stand."""
        ...

    @property
    def direction(self) -> float:
        """Return where the animal has to look, in radians clockwise from +z."""
        ...

    def words(self) -> str:
        """Return what it does, in a few words."""
        ...

    def apply(self, run: Run, ground: Ground, fastest: float) -> list[Reached]:
        """Do it from its place, at most so fast, and return the states to continue from, the first one first."""
        ...


def costs_from_animal(run: Run, ground: Ground) -> Floats | None:
    """Return the cost of the way from the animal to each place of the ground; None if it stands on no place."""
    x, y, z = run.position
    start = ground.place_at(x, y - 0.5, z)
    return None if start is None else ground.costs_from(start)


def approach(run: Run, ground: Ground, style: Style, operator: Operator, rng: np.random.Generator) -> bool:
    """Drive to where an operator begins and turn; return False if the animal does not get there."""
    places = np.array([each for each in ground.places_in(*operator.at)], np.intp)
    field = ground.field_to(places)
    if field is None:
        return False
    driver, start, world = Driver(run, ground, style, rng), run.decisions, run.world
    aim = (operator.at[0], 0.5, operator.at[1])
    while not world.over and run.decisions - start < _MOST_APPROACH:
        x, _, z = run.position
        vx, _, vz = run.velocity
        away = hypot(x - operator.at[0], z - operator.at[1])
        if away < 0.35 and hypot(vx, vz) < 1.0:
            break
        if not driver.follow(field, aim, through=False):
            return False
    else:
        return False
    for _ in range(_MOST_TURN):
        off = degrees(angle_between(operator.direction, radians(run.animal.heading)))
        if abs(off) <= 3.1 or world.over:
            break
        run.step(RIGHT if off > 0 else LEFT)
    return not world.over


def settle(run: Run, most: int = 60) -> None:
    """Back off a little, and wait until nothing moves."""
    world = run.world
    for index in range(most):
        if world.over:
            return
        moving = [
            thing
            for thing in world.present.values()
            if not thing.fixed and hypot(*world.engine.velocity(thing.id)) > 0.15
        ]
        if index >= 4 and not moving:
            return
        run.step(BACKWARDS if index < 2 else NOOP)
