"""Where goals will be: the same episode played on without the animal moving."""

from bisect import bisect_right
from dataclasses import dataclass, field
from math import dist

from puzzlebox.arena.solver.run import Run
from puzzlebox.arena.things.goals import Goal
from puzzlebox.arena.world.actions import NOOP
from puzzlebox.scene.shapes import Vector

# Decisions that a forecast looks ahead at most, and after which nothing moves any more if nothing moved for as long.
_FURTHEST, _STILL = 1700, 120
# Metres by which a goal may be away from its forecast.
_TOLERANCE = 0.25


@dataclass
class Track:
    """The future of one goal; each entry holds from its decision until the next one.

    Attributes:
        times: the decisions since the start of the episode at which it moved or changed.
        at: where it was then.
        value: what it paid then.
        radius: half its diameter then.
        until: the decision at which it is gone; None if it stays.
    """

    times: list[int] = field(default_factory=list)
    at: list[Vector] = field(default_factory=list)
    value: list[float] = field(default_factory=list)
    radius: list[float] = field(default_factory=list)
    until: int | None = None

    def index(self, time: int) -> int:
        """Return the entry that holds at a decision."""
        return max(bisect_right(self.times, time) - 1, 0)

    def add(self, time: int, at: Vector, value: float, radius: float) -> bool:
        """Add an entry if the goal has moved or changed; return whether it has."""
        if self.times and dist(self.at[-1], at) < 0.02 and abs(self.value[-1] - value) < 0.01:
            return False
        self.times.append(time)
        self.at.append(at)
        self.value.append(value)
        self.radius.append(radius)
        return True

    def rests_after(self, time: int) -> bool:
        """Return whether the goal does not move after a decision."""
        rest = self.at[-1]
        return all(dist(each, rest) < 0.3 for each in self.at[self.index(time) :])


class Forecast:
    """The tracks of all goals if the animal does nothing from now on."""

    def __init__(self, run: Run) -> None:
        self.made_at = run.decisions
        self.tracks: dict[int, Track] = {}
        twin = run.again()
        still, position = 0, twin.world.position
        while not twin.world.over and twin.world.position == position and still < _STILL:
            moved = self._observe(twin)
            still = 0 if moved or self._changes(twin) else still + 1
            if twin.decisions - self.made_at > _FURTHEST:
                break
            twin.step(NOOP)
        self.end = twin.decisions

    def _changes(self, run: Run) -> bool:
        return any(thing.ticks for thing in run.world.present.values())

    def _observe(self, run: Run) -> bool:
        world, time, moved = run.world, run.decisions, False
        for thing in world.present.values():
            if isinstance(thing, Goal):
                track = self.tracks.setdefault(thing.id, Track())
                moved |= track.add(time, world.engine.pose(thing.id)[0], thing.value, max(thing.extent[0], 0.1) / 2)
        for identity, track in self.tracks.items():
            if track.until is None and identity not in world.present:
                track.until = time
        return moved

    def holds(self, run: Run) -> bool:
        """Return whether all goals are where the forecast has them now."""
        for thing in run.world.present.values():
            if isinstance(thing, Goal):
                track = self.tracks.get(thing.id)
                if track is None:
                    return False
                expected = track.at[track.index(run.decisions)]
                if dist(expected, run.world.engine.pose(thing.id)[0]) > _TOLERANCE:
                    return False
        return True
