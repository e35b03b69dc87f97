"""Steering: which action brings the animal along a field towards an aim, at a speed at which it can still stop."""

from collections.abc import Callable
from math import atan2, cos, degrees, hypot, radians, sin

import numpy as np

from puzzlebox.arena.solver.ground import Field, Ground
from puzzlebox.arena.solver.run import Run
from puzzlebox.arena.solver.style import Style
from puzzlebox.arena.world.actions import BACKWARDS, FORWARDS, LEFT, NOOP, RIGHT

# Metres that an animal slides per m/s after it stops driving.
SLIDE = 0.22
# How far ahead a way is looked at, in places, and which of them are tried as the next aim, the furthest first.
_AHEAD = 48
_TRIED = (48, 36, 27, 20, 15, 11, 8, 6, 4, 3, 2, 1)
# Decisions without motion after which the animal is stuck, and how often it may get stuck on one way.
_STUCK, _MOST_STUCK = 14, 5
# Speed at which it takes a sharp turn.
_TURN_SPEED = 2.5

Aim = Callable[[], tuple[float, float, float] | None]


class Driver:
    """Drives one run over one ground."""

    def __init__(self, run: Run, ground: Ground, style: Style, rng: np.random.Generator) -> None:
        self.run, self.ground, self.style, self._rng = run, ground, style, rng
        self._still = 0
        self.stuck = 0

    def follow(self, field: Field | None, aim: tuple[float, float, float], *, through: bool = True) -> bool:
        """Play one decision towards an aim: along the field, and straight to the aim from where it ends.

        Args:
            field: the ways to places near the aim; None drives straight.
            aim: the position to get to.
            through: whether the animal need not stop there.

        Returns:
            False if it is stuck.
        """
        run = self.run
        x, y, z = run.position
        target, far, last, drops = self._next_aim(field, aim, x, y, z)
        limit = self.style.fastest
        if not last:
            limit = min(limit, self._turn_limit + 0.8 * far / SLIDE)
        elif not through:
            limit = min(limit, 0.3 + 0.8 * far / SLIDE)
        action = self._steer(target, limit, far, drops)
        run.step(action)
        return self._check_motion(action)

    def _next_aim(
        self, field: Field | None, aim: tuple[float, float, float], x: float, y: float, z: float
    ) -> tuple[tuple[float, float], float, bool, bool]:
        """Return the next position to drive to, its distance, whether it is the last, and whether a drop is planned."""
        self._turn_limit = _TURN_SPEED
        self._planned: list[int] = []
        ground = self.ground
        place = None if field is None else ground.place_at(x, y - 0.5, z)
        if field is None or place is None:
            return (aim[0], aim[2]), hypot(aim[0] - x, aim[2] - z), True, True
        way = ground.way(field, place, _AHEAD)
        self._planned = way
        heights = ground.height[way]
        drops = bool((heights[:8] < heights[0] - 0.2).any()) and not ground.slope[way[:8]].any()
        ends = int(field.following[way[-1]]) < 0
        if ends:
            direct = ground.straight_cost(place, x, z, float(ground.x[way[-1]]), float(ground.z[way[-1]]))
            if len(way) <= 2 or direct <= 1.1 * field.cost[place] + 0.2:
                return (aim[0], aim[2]), hypot(aim[0] - x, aim[2] - z), True, drops
        for index in _TRIED:
            if index >= len(way):
                continue
            to_x, to_z = float(ground.x[way[index]]), float(ground.z[way[index]])
            allowed = 1.1 * (field.cost[place] - field.cost[way[index]]) + 0.15
            if index == 1 or ground.straight_cost(place, x, z, to_x, to_z) <= allowed:
                break
        if index < len(way) - 1:
            onward = way[min(index + 6, len(way) - 1)]
            bend = _angle(
                atan2(float(ground.x[onward]) - to_x, float(ground.z[onward]) - to_z) - atan2(to_x - x, to_z - z)
            )
            self._turn_limit = _TURN_SPEED + max(0.0, cos(bend) - 0.5) * 12.0
        return (to_x, to_z), hypot(to_x - x, to_z - z), False, drops

    def _steer(self, target: tuple[float, float], limit: float, far: float, drops: bool) -> int:
        """Return the action that turns and drives towards a position."""
        run = self.run
        x, y, z = run.position
        vx, _, vz = run.velocity
        heading = radians(run.animal.heading)
        wanted = atan2(target[0] - x, target[1] - z)
        off = degrees(_angle(wanted - heading))
        ahead = vx * sin(heading) + vz * cos(heading)
        along = vx * sin(wanted) + vz * cos(wanted)
        aside = abs(vx * cos(wanted) - vz * sin(wanted))
        turn = RIGHT if off > 3.0 else LEFT if off < -3.0 else NOOP
        if self._comes_to_harm(x, y, z, vx, vz, drops):
            return turn + (BACKWARDS if ahead > 1.0 else FORWARDS if ahead < -1.0 else NOOP)
        if abs(off) > 30.0 or (aside > 1.0 and aside > 0.5 * along):
            # Stopping takes longer than turning at high speed, so it starts at once.
            return turn + (BACKWARDS if ahead > 6.0 else NOOP)
        if along > limit + 1.5:
            return turn + (BACKWARDS if ahead > 1.0 else NOOP)
        if abs(off) > 12.0 and along > 4.0:
            return turn
        return turn + (FORWARDS if along < limit else NOOP)

    def _comes_to_harm(self, x: float, y: float, z: float, vx: float, vz: float, drops: bool) -> bool:
        """Return whether the animal would slide into harm, or off an edge it does not mean to drop from."""
        speed = hypot(vx, vz)
        if speed < 0.8:
            return False
        foot, reach = y - 0.5, SLIDE * speed + 0.15
        high = foot > 0.3 and not drops
        ground = self.ground
        for step in range(1, int(reach / 0.2) + 2):
            far = min(0.2 * step, reach)
            at_x, at_z = x + vx / speed * far, z + vz / speed * far
            if foot < 0.35 and ground.harms(at_x, at_z):
                return True
            if high and speed > 2.0:
                heights = [float(ground.height[each]) for each in ground.places_in(at_x, at_z)]
                if heights and max(heights) < foot - 0.4 - 1.1 * far:
                    return True
        return False

    def _check_motion(self, action: int) -> bool:
        vx, _, vz = self.run.velocity
        pushing = action // 3 == 1 and hypot(vx, vz) < 0.25
        self._still = self._still + 1 if pushing else 0
        if self._still < _STUCK:
            return True
        self._still, self.stuck = 0, self.stuck + 1
        if self.stuck > _MOST_STUCK:
            return False
        self._back_off()
        return True

    def _back_off(self) -> None:
        """Drive back in a random curve."""
        turn = int(self._rng.integers(3))
        back, onwards = int(self._rng.integers(3, 9)), int(self._rng.integers(0, 4))
        for action in [BACKWARDS + turn] * back + [FORWARDS + turn] * onwards:
            if not self.run.world.over:
                self.run.step(action)


def angle_between(wanted: float, heading: float) -> float:
    """Return the turn from a heading to a wanted one, in radians within -pi and pi."""
    return _angle(wanted - heading)


def _angle(angle: float) -> float:
    """Return an angle in radians within -pi and pi."""
    return (angle + np.pi) % (2 * np.pi) - np.pi
