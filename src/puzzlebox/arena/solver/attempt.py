"""One attempt to pass: choose goals, drive to them one after the other, wait where waiting helps."""

from math import dist, hypot

import numpy as np

from puzzlebox.arena.demands.terrain import is_movable, is_obstacle
from puzzlebox.arena.solver.drive import Driver
from puzzlebox.arena.solver.forecast import Forecast
from puzzlebox.arena.solver.ground import Field, Ground
from puzzlebox.arena.solver.order import PACE, Sequence, good_goals, sequences, worth
from puzzlebox.arena.solver.run import Run
from puzzlebox.arena.solver.style import Style
from puzzlebox.arena.things.changing import ChangingGoal
from puzzlebox.arena.things.goals import Goal
from puzzlebox.arena.world.actions import NOOP
from puzzlebox.scene.shapes import Vector
from puzzlebox.seeds import rng_from

# Decisions after which the ground and moving targets are looked at again, and after which a target is given up.
_LOOK, _PATIENCE = 6, 500
# Decisions that an attempt waits in all for something to change when there is nowhere to go.
_IDLE = 2000
# Decisions after which it looks again whether there is somewhere to go.
_WAIT = 60


class Attempt:
    """Plays one episode, or the rest of one, in one style."""

    def __init__(self, run: Run, style: Style) -> None:
        self.run, self.style = run, style
        self._rng = rng_from(style.noise)
        self._ground: Ground | None = None
        self._signature: object = None
        self._forecast: Forecast | None = None
        self._choice = style.choice
        self._failed: dict[int, int] = {}
        self._idle = 0
        # Whether there was ever a goal to go to.
        self.went = False

    @property
    def passed(self) -> bool:
        """Return whether the episode is over and passed."""
        return self.run.world.over and self.run.world.passed() is True

    def play(self) -> bool:
        """Play to the end of the episode, or until there is nothing left to try; return whether it was passed."""
        run = self.run
        if self.style.pause:
            run.wait(self.style.pause)
        while not run.world.over:
            if run.animal.held:
                run.wait(1)
                continue
            arena, sequence = run.world.position, self.choose()
            if sequence is None:
                if not self._wait_for_change():
                    break
                continue
            self.went = True
            for goal in sequence.goals:
                if run.world.over or run.world.position != arena or goal not in run.world.present:
                    break
                if not self.collect(goal):
                    self._failed[goal] = self._failed.get(goal, 0) + 1
                    break
        return self.passed

    # --- what to collect

    def choose(self) -> Sequence | None:
        """Return the next goals to collect."""
        found = sequences(self.run, self.ground(), self.forecast())
        found = [each for each in found if not any(self._failed.get(goal, 0) > 1 for goal in each.goals)]
        # Without a sequence that reaches the mark, only goals that do not end the episode are worth collecting.
        found = [each for each in found if each.enough or not self._ends(each.goals[-1])]
        if not found:
            return None
        choice, self._choice = self._choice, 0
        return found[min(choice, len(found) - 1)]

    def _ends(self, goal: int) -> bool:
        thing = self.run.world.present.get(goal)
        return isinstance(thing, Goal) and thing.ends_at_once()

    def _avoided(self, wanted: int | None = None) -> frozenset[int]:
        """Return the goals that end the episode and are not wanted now."""
        return frozenset(goal.id for goal in good_goals(self.run) if goal.ends_at_once() and goal.id != wanted)

    def _wait_for_change(self) -> bool:
        """Wait a little, if anything can change by itself; return False if nothing can."""
        run, forecast = self.run, self.forecast()
        enough = run.world.total >= run.world.arena.pass_mark and run.animal.collected
        moving = any(not track.rests_after(run.decisions) for track in forecast.tracks.values())
        ticking = any(thing.ticks for thing in run.world.present.values())
        later = any(track.times[0] > run.decisions for track in forecast.tracks.values())
        if not (enough or moving or ticking or later) or self._idle > _IDLE:
            return False
        goals, around = [goal.id for goal in good_goals(run)], self._look_around(None)
        for count in range(_WAIT):
            if run.world.over or (count and [goal.id for goal in good_goals(run)] != goals):
                break
            if count % 10 == 9 and self._look_around(None) != around:
                break
            run.wait(1)
            self._idle += 1
        return True

    # --- ground and forecast

    def ground(self, wanted: int | None = None) -> Ground:
        """Return the ground as it is now, made again if something has moved."""
        signature = self._look_around(wanted)
        if self._ground is None or signature != self._signature:
            self._ground = self.run.ground(self.style, self._avoided(wanted))
            self._signature = signature
        return self._ground

    def _look_around(self, wanted: int | None) -> object:
        """Return what the ground depends on: which things there are, and where those that move have got to."""
        world, avoided = self.run.world, self._avoided(wanted)
        things: list[object] = [world.position, avoided]
        for thing in world.present.values():
            if is_obstacle(thing) or isinstance(thing, Goal):
                moves = is_movable(thing) or not thing.fixed
                harmful = isinstance(thing, Goal) and (thing.id in avoided or thing.value < 0)
                if isinstance(thing, Goal) and not harmful:
                    continue
                at = world.engine.pose(thing.id)[0] if moves else (0.0, 0.0, 0.0)
                things.append((thing.id, *(round(4 * each) for each in at)))
        return tuple(things)

    def forecast(self) -> Forecast:
        """Return where goals will be, computed again if one is not where it was expected."""
        if self._forecast is None or not self._forecast.holds(self.run):
            self._forecast = Forecast(self.run)
        return self._forecast

    # --- driving

    def collect(self, goal: int) -> bool:
        """Drive to a goal until it is collected; return False if that does not work."""
        run, start = self.run, self.run.decisions
        arena, driver, field, aim, when = run.world.position, None, None, (0.0, 0.0, 0.0), 0
        waited = 0
        while not run.world.over and run.world.position == arena and goal in run.world.present:
            if run.decisions - start > _PATIENCE + waited:
                return False
            if driver is None or (run.decisions - start) % _LOOK == 0:
                ground, meeting = self.ground(goal), None
                meeting = self._meeting(ground, goal)
                if meeting is None:
                    return False
                new_aim, when = meeting
                if driver is None or driver.ground is not ground or dist(new_aim, aim) > 0.2:
                    stuck = 0 if driver is None else driver.stuck
                    aim = new_aim
                    field = self._field(ground, goal, aim)
                    if field is None:
                        return False
                    driver = Driver(run, ground, self.style, self._rng)
                    driver.stuck = stuck
            if self._early(field, driver, when):
                run.step(NOOP)
                waited += 1
                continue
            if not driver.follow(field, self._beside(self._lead(goal, aim))):
                return False
        if not run.world.over and run.world.position == arena and goal in run.world.present:
            return False
        if waited:
            run.note_wait(waited)
        run.note(f"go to ({aim[0]:.1f}, {aim[2]:.1f})")
        return True

    def _field(self, ground: Ground, goal: int, aim: Vector) -> Field | None:
        track = self.forecast().tracks[goal]
        field = ground.field_to(ground.touching(aim, track.radius[-1]))
        x, y, z = self.run.position
        place = ground.place_at(x, y - 0.5, z)
        return field if field is not None and place is not None and np.isfinite(field.cost[place]) else None

    def _early(self, field: Field | None, driver: Driver, when: int) -> bool:
        """Return whether the animal would arrive before the time of the meeting."""
        now = self.run.decisions
        if when <= now or field is None:
            return False
        x, y, z = self.run.position
        place = driver.ground.place_at(x, y - 0.5, z)
        if place is None:
            return False
        left = float(field.cost[place])
        return left < 1.5 or left / PACE < (when - now) * self.run.seconds_of_decision - 3.0

    def _lead(self, goal: int, aim: Vector) -> Vector:
        """Return where to aim: at the goal itself where it is near, a little ahead of it if it moves."""
        world = self.run.world
        at, velocity = world.engine.pose(goal)[0], world.engine.velocity(goal)
        x, _, z = self.run.position
        away = hypot(at[0] - x, at[2] - z)
        if away > 5.0 or hypot(velocity[0], velocity[2]) < 0.3:
            return aim
        ahead = min(away / 6.0, 0.6)
        return (at[0] + velocity[0] * ahead, at[1], at[2] + velocity[2] * ahead)

    def _beside(self, aim: Vector) -> Vector:
        """Return an aim moved to the right by the offset of the style."""
        if not self.style.offset:
            return aim
        x, _, z = self.run.position
        far = max(hypot(aim[0] - x, aim[2] - z), 0.1)
        share = self.style.offset / far
        return (aim[0] + share * (aim[2] - z), aim[1], aim[2] - share * (aim[0] - x))

    def _meeting(self, ground: Ground, goal: int) -> tuple[Vector, int] | None:
        """Return where and at which decision the animal can meet a goal; None if it never can."""
        run, track = self.run, self.forecast().tracks.get(goal)
        if track is None:
            return None
        now = run.decisions
        ripe = self._ripe(goal)
        index = track.index(now)
        if dist(track.at[index], track.at[-1]) < 0.3 and track.rests_after(now):
            return track.at[-1], ripe
        x, y, z = run.position
        start = ground.place_at(x, y - 0.5, z)
        if start is None:
            return track.at[-1], ripe
        costs = ground.costs_from(start)
        for entry in range(index, len(track.times), max(1, (len(track.times) - index) // 60)):
            time = max(track.times[entry], now)
            places = ground.touching(track.at[entry], track.radius[entry])
            if len(places):
                travel = float(costs[places].min()) / PACE / run.seconds_of_decision
                if now + travel <= time:
                    return track.at[entry], max(time, ripe)
        places = ground.touching(track.at[-1], track.radius[-1])
        return (track.at[-1], max(track.times[-1], ripe)) if len(places) else None

    def _ripe(self, goal: int) -> int:
        """Return the decision from which a goal that gains value pays enough."""
        run, thing = self.run, self.run.world.present[goal]
        if not isinstance(thing, ChangingGoal) or thing.last <= thing.now:
            return 0
        track = self.forecast().tracks[goal]
        needed = min(0.98 * worth(thing), max(run.world.arena.pass_mark - run.world.total + 0.5, 0.0))
        if not thing.ends_at_once():
            needed = 0.98 * worth(thing)
        for time, value in zip(track.times, track.value, strict=True):
            if value >= needed:
                return time
        return 0
