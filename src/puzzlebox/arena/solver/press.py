"""Pressing: buttons, and zones that do something when an animal enters them."""

from dataclasses import dataclass
from math import atan2, degrees, hypot, radians

import numpy as np

from puzzlebox.arena.solver.drive import angle_between
from puzzlebox.arena.solver.ground import Ground
from puzzlebox.arena.solver.operators import Reached, costs_from_animal
from puzzlebox.arena.solver.run import Run
from puzzlebox.arena.things.buttons import TRIGGER, SpawnerButton
from puzzlebox.arena.things.goals import Goal
from puzzlebox.arena.things.zones import DataZone
from puzzlebox.arena.world.actions import BACKWARDS, FORWARDS, LEFT, NOOP, RIGHT

# Decisions of a press, and how long to wait for its effect at most. A zone entered on the way to it has had its effect.
_MOST_PRESS, _MOST_WAIT, _WAIT_INSIDE = 60, 120, 10
# Metres before the button at which a press begins.
_BACK = 1.2


@dataclass(frozen=True)
class Press:
    """A press of a button, or a visit of a zone.

    Attributes:
        thing: the id of the button or zone.
        name: what it is called.
        at: where the animal stands before it.
        direction: where it drives, in radians clockwise from +z.
        zone: whether it is a zone.
    """

    thing: int
    name: str
    at: tuple[float, float]
    direction: float
    zone: bool = False

    def words(self) -> str:
        """Return the step."""
        return f"enter {self.name} {self.thing}" if self.zone else f"press button {self.thing}"

    def apply(self, run: Run, ground: Ground, fastest: float) -> list[Reached]:
        """Drive into it until it is pressed, back off, and wait for what it brings."""
        world, start = run.world, run.decisions
        before, count = _inventory(run), _presses(run, self.thing)
        most_wait = _WAIT_INSIDE if self._done(run, count) else _MOST_WAIT
        while not world.over and run.decisions - start < _MOST_PRESS and not self._done(run, count):
            vx, _, vz = run.velocity
            off = degrees(angle_between(self.direction, radians(run.animal.heading)))
            turn = RIGHT if off > 3.0 else LEFT if off < -3.0 else NOOP
            run.step(turn + (FORWARDS if hypot(vx, vz) < 3.0 else NOOP))
        if world.over or not self._done(run, count):
            return []
        if not self.zone:
            for _ in range(4):
                if not world.over:
                    run.step(BACKWARDS)
        pressed = Reached(run.decisions, self.words())
        for _ in range(most_wait):
            if world.over or _inventory(run) != before:
                break
            run.step(NOOP)
        return [] if world.over else [pressed, Reached(run.decisions, self.words())]

    def _done(self, run: Run, count: int) -> bool:
        if self.zone:
            thing = run.world.present.get(self.thing)
            return thing is None or bool(run.world.inside(thing))
        return _presses(run, self.thing) > count


def _presses(run: Run, thing: int) -> int:
    button = run.world.present.get(thing)
    return button.presses if isinstance(button, SpawnerButton) else 0


def _inventory(run: Run) -> object:
    """Return which things there are, and where the goals are."""
    goals = [thing.id for thing in run.world.present.values() if isinstance(thing, Goal)]
    return (tuple(run.world.present), tuple(goals))


def presses(run: Run, ground: Ground) -> list[Press]:
    """Return the buttons that can be pressed and the zones that can be entered now."""
    costs = costs_from_animal(run, ground)
    if costs is None:
        return []
    found: list[tuple[float, Press]] = []
    for thing in run.world.present.values():
        if isinstance(thing, SpawnerButton):
            at, angle = run.world.engine.pose(thing.id)[0], radians(thing.yaw)
            # The button faces +x at rotation 0; a rotation turns it clockwise.
            own_x, _, own_z = TRIGGER.at
            own = [(own_x + _BACK, own_z), (own_x, own_z)]
            (fx, fz), (tx, tz) = (
                (at[0] + np.cos(angle) * a + np.sin(angle) * b, at[2] - np.sin(angle) * a + np.cos(angle) * b)
                for a, b in own
            )
            press = Press(thing.id, "button", (float(fx), float(fz)), atan2(tx - fx, tz - fz))
        elif isinstance(thing, DataZone) and thing.settings["operations"]:
            at = run.world.engine.pose(thing.id)[0]
            press = Press(thing.id, "zone", (at[0], at[2]), 0.0, zone=True)
        else:
            continue
        near = [each for each in ground.places_in(*press.at) if np.isfinite(costs[each])]
        if near:
            found.append((float(costs[near].min()), press))
    return [press for _, press in sorted(found, key=lambda pair: pair[0])]
