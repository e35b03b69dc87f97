"""A scripted agent of our own: it builds a map from its rays, goes to food and avoids harm. It learns nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import atan2, cos, degrees, hypot, radians, sin
from typing import Any

import numpy as np

from puzzlebox.arena.agents.groundplan import GroundPlan, cell_of, place_of
from puzzlebox.arena.agents.sight import checked_rays
from puzzlebox.arena.senses.rays import ray_turns
from puzzlebox.arena.world.actions import (
    BACKWARDS,
    BACKWARDS_LEFT,
    BACKWARDS_RIGHT,
    FORWARDS,
    FORWARDS_LEFT,
    FORWARDS_RIGHT,
    LEFT,
    NOOP,
    RIGHT,
)
from puzzlebox.seeds import rng_from
from puzzlebox.wings import ARENA

_FOOD = ("goodGoalMulti", "goodGoal")
_SOLID = ("arena", "Immovable", "GoalSpawner", "SignPoster", "HollowObj", "agent")
# What can be crossed but should be avoided: the detour in cells that it is worth, and the cells around it that count.
_TOLLS = {
    "DeathZone": (300.0, 2),
    "badGoal": (300.0, 1),
    "badGoalMulti": (60.0, 1),
    "HotZone": (12.0, 1),
    "DecoyGoal": (20.0, 1),
    "DecoyGoalBounce": (20.0, 1),
    "Movable": (6.0, 0),
    "Ramp": (3.0, 0),
}
_DEADLY = ("DeathZone", "badGoal")
_RADIUS = 0.5
_FAR = 200.0
# Degrees an animal turns in one decision of three physics steps (docs/original/motion.md#actions).
_TURN = 6.0
# Metres an animal slides when it stops, for each metre per second of its speed.
_SLIDE = 0.22
# Decisions between two plans.
_REPLAN_DECISIONS = 6


@dataclass
class Morsel:
    """A piece of food: the position of its nearest side, its kind, its diameter (metres) and when it was last seen."""

    x: float
    z: float
    kind: str
    size: float
    seen_at: int
    tries: int = 0


class NavigatorAgent:
    """Builds a map from its rays, goes to food, around walls and zones, and frees itself when stuck.

    It uses only its rays and its vitals; it estimates its heading from its motion.

    Args:
        rays: the number of rays, odd.
        ray_degrees: the angle of the whole fan.
    """

    wing = ARENA

    def __init__(self, rays: int = 91, ray_degrees: float = 180.0) -> None:
        self.senses: Mapping[str, Any] = {"camera": None, "rays": checked_rays(rays), "ray_degrees": ray_degrees}
        turns = ray_turns(rays, ray_degrees)
        # From left to right.
        self._order = np.argsort(turns)
        self._turns = np.array(turns, np.float32)[self._order]
        self._step = max(turns[1] if rays > 1 else 0.0, 1e-6)
        self.begin(0)

    def begin(self, seed: int) -> None:
        """Start an episode with an empty map."""
        self._rng = rng_from(seed)
        self._map = GroundPlan()
        self._food: list[Morsel] = []
        # The estimated heading in radians, clockwise from +z; None until it has moved.
        self._heading: float | None = None
        self._last_position: tuple[float, float] | None = None
        self._last = NOOP
        self._clock = 0
        self._stuck = 0
        self._queue: list[int] = []
        self._path: list[tuple[int, int]] = []
        self._planned_at = -_REPLAN_DECISIONS
        self._turns_made = 0
        self._target: tuple[float, float] | None = None
        self._since_target = 0

    # --- one decision

    def act(self, observation: dict[str, Any], info: dict[str, Any]) -> int:
        """Return the next action: estimate the heading, update the map, decide."""
        _, right, _, forward, x, _, z = (float(each) for each in observation["vitals"])
        self._clock += 1
        self._update_heading(x, z, right, forward)
        action = self._decide(observation, info, x, z, forward)
        self._last_position, self._last = (x, z), action
        if action in (LEFT, FORWARDS_LEFT, BACKWARDS_LEFT):
            self._turn(-1)
        elif action in (RIGHT, FORWARDS_RIGHT, BACKWARDS_RIGHT):
            self._turn(1)
        return action

    def _turn(self, direction: int) -> None:
        if self._heading is not None:
            self._heading += direction * radians(_TURN)

    def _turn_to(self, dx: float, dz: float) -> float:
        """Return the angle from the heading to a direction, in radians to the right."""
        assert self._heading is not None
        return _wrap(atan2(dx, dz) - self._heading)

    def _food_size(self, first: int, last: int, far: float) -> float:
        """Return the diameter of food, in metres, from the rays that hit it and its distance."""
        s = min(sin(min((last - first + 1) * self._step / 2, 1.4)), 0.95)
        return min(max(2 * (s * far + _RADIUS * s - _RADIUS) / (1 - s), 0.5), 5.0)

    def _update_heading(self, x: float, z: float, right: float, forward: float) -> None:
        """Estimate the heading from the direction of motion in the arena and relative to the body."""
        if self._last_position is None or self._last not in (FORWARDS, BACKWARDS):
            return
        dx, dz = x - self._last_position[0], z - self._last_position[1]
        if hypot(dx, dz) < 0.04 or hypot(right, forward) < 0.7:
            return
        measured = atan2(dx, dz) - atan2(right, forward)
        if self._heading is None:
            self._heading = measured
        elif abs(forward) > 2.0 and abs(right) < 0.2 * abs(forward):
            error = _wrap(measured - self._heading)
            self._heading += 0.3 * error if abs(error) < 0.5 else error

    def _decide(self, observation: dict[str, Any], info: dict[str, Any], x: float, z: float, forward: float) -> int:
        tags, lengths = self._look(observation, info)
        if self._heading is None:
            return self._probe_heading(tags, lengths)
        if tags is not None:
            self._update_map(tags, lengths, x, z)
        if self._queue:
            return self._queue.pop(0)
        if self._is_stuck(forward):
            return self._back_off(x, z)
        direct = None if tags is None else self._visible_food(tags, lengths)
        if direct is not None:
            self._path, self._planned_at = [], -_REPLAN_DECISIONS
            return self._steer(direct[0], direct[1], forward, tags, lengths, through=True)
        if self._turns_made < 30 and not self._food:
            self._turns_made += 1
            return RIGHT
        waypoint = self._next_waypoint(x, z)
        if waypoint is None:
            return RIGHT
        turn = self._turn_to(waypoint[0] - x, waypoint[1] - z)
        return self._steer(turn, hypot(waypoint[0] - x, waypoint[1] - z), forward, tags, lengths)

    def _probe_heading(self, tags: list[str] | None, lengths: Any) -> int:
        """Return a step ahead, or back where something is near, so that the motion shows the heading."""
        if tags is not None and lengths[len(lengths) // 2] < 1.5:
            return BACKWARDS if self._clock % 24 < 16 else FORWARDS
        return FORWARDS if self._clock % 24 < 16 else BACKWARDS

    # --- looking

    def _look(self, observation: dict[str, Any], info: dict[str, Any]) -> tuple[list[str] | None, Any]:
        """Return the tag and distance (metres) of each ray, from left to right; None in the dark."""
        names = info["ray_tags"]
        rays = observation["rays"].reshape(-1, len(names) + 2)[self._order]
        if not rays.any():
            return None, None
        tags = (*names, "none", "")
        marked = rays[:, :-1]
        columns = np.where(marked.any(1), marked.argmax(1), len(names) + 1)
        return [tags[column] for column in columns.tolist()], rays[:, -1] * _FAR

    def _update_map(self, tags: list[str], lengths: Any, x: float, z: float) -> None:
        assert self._heading is not None
        angles = self._turns + np.float32(self._heading)
        sines, cosines = np.sin(angles), np.cos(angles)
        kinds = np.array(tags)
        if self._clock % 2:
            self._map.mark_free(x, z, sines, cosines, lengths)
            hit = np.isin(kinds, _SOLID)
            for beyond in (0.15, 0.5):
                far = lengths[hit] + beyond
                self._map.mark_solid(x + sines[hit] * far, z + cosines[hit] * far)
            for kind, (toll, around) in _TOLLS.items():
                hit = kinds == kind
                if hit.any():
                    for beyond in (0.3, 0.9):
                        far = lengths[hit] + beyond
                        self._map.add_toll(x + sines[hit] * far, z + cosines[hit] * far, toll, around)
        self._remember_food(tags, lengths, sines, cosines, x, z)

    def _remember_food(self, tags: list[str], lengths: Any, sines: Any, cosines: Any, x: float, z: float) -> None:
        for kind, first, last in _groups(tags):
            near = first + int(np.argmin(lengths[first : last + 1]))
            far = float(lengths[near])
            size = self._food_size(first, last, far)
            at_x, at_z = x + float(sines[near]) * (far + _RADIUS), z + float(cosines[near]) * (far + _RADIUS)
            for morsel in self._food:
                if morsel.kind == kind and hypot(morsel.x - at_x, morsel.z - at_z) < 2.0:
                    morsel.x, morsel.z, morsel.seen_at = at_x, at_z, self._clock
                    morsel.size = 0.7 * morsel.size + 0.3 * size
                    break
            else:
                self._food.append(Morsel(at_x, at_z, kind, size, self._clock))
        self._food = [each for each in self._food if not self._is_gone(each, lengths, x, z)]

    def _is_gone(self, morsel: Morsel, lengths: Any, x: float, z: float) -> bool:
        """Return whether rays now pass through where the food was, or it was tried too often."""
        assert self._heading is not None
        if morsel.seen_at == self._clock or morsel.tries > 6:
            return morsel.tries > 6
        far = hypot(morsel.x - x, morsel.z - z)
        turn = self._turn_to(morsel.x - x, morsel.z - z)
        if far < 1.0:
            return True
        if abs(turn) > float(self._turns[-1]):
            return False
        return bool(lengths[int(np.argmin(np.abs(self._turns - turn)))] > far + 0.7)

    def _visible_food(self, tags: list[str], lengths: Any) -> tuple[float, float] | None:
        """Return direction and distance of food with a free straight path: a ray is as wide as the animal."""
        groups = _groups(tags)
        if not groups:
            return None
        kinds = {each[0] for each in groups} | {each.kind for each in self._food}
        kind_to_seek = next(kind for kind in _FOOD if kind in kinds)
        groups = [each for each in groups if each[0] == kind_to_seek]
        if not groups:
            return None
        sizes = []
        for _, first, last in groups:
            far = float(lengths[first : last + 1].min())
            size = self._food_size(first, last, far)
            sizes.append((size if kind_to_seek == "goodGoal" else 0.0, -far))
        # Food that ends the episode is chosen by size, other food by distance.
        largest = max(size for size, _ in sizes)
        chosen = max(
            (index for index, (size, _) in enumerate(sizes) if size > 0.75 * largest or not largest),
            key=lambda index: sizes[index][1],
        )
        _, first, last = groups[chosen]
        middle = (first + last) // 2
        return float(self._turns[middle]), float(lengths[middle])

    # --- moving

    def _next_waypoint(self, x: float, z: float) -> tuple[float, float] | None:
        """Return the next position on the path to food, or to where nothing was explored yet."""
        start = cell_of(x, z)
        if self._clock - self._planned_at >= _REPLAN_DECISIONS or not self._path:
            self._plan(x, z, start)
        while len(self._path) > 1 and hypot(*np.subtract(place_of(self._path[0]), (x, z))) < 0.5:
            self._path.pop(0)
        if not self._path:
            return None
        for cell in reversed(self._path):
            place = place_of(cell)
            if self._map.is_open(x, z, *place):
                return place
        return place_of(self._path[0])

    def _plan(self, x: float, z: float, start: tuple[int, int]) -> None:
        self._planned_at = self._clock
        kinds = [each.kind for each in self._food]
        kind_to_seek = next((kind for kind in _FOOD if kind in kinds), None)
        food = [each for each in self._food if each.kind == kind_to_seek]
        targets = [cell_of(each.x, each.z) for each in food]
        if targets:
            distances = self._map.distances_to(targets, start)
            if float(distances[start]) > 250.0:  # only through something solid or deadly: explore first
                targets = []
        if not targets:
            targets = self._map.frontier()
            if targets:
                distances = self._map.distances_to(targets, start)
            if not targets or float(distances[start]) > 250.0:
                self._map.mark_explored(x, z, 6)
                self._restart_search()
                return
        self._path = self._map.path_from(distances, start)
        if not self._path or float(distances[start]) < 3.0:
            self._map.mark_explored(x, z, 3)
            for each in food:
                if hypot(each.x - x, each.z - z) < 1.5:
                    each.tries += 1
        self._limit_attempts(x, z)

    def _limit_attempts(self, x: float, z: float) -> None:
        """Give up a target that was planned for too many times in a row."""
        if self._path:
            place = place_of(self._path[-1])
            if self._target is not None and hypot(place[0] - self._target[0], place[1] - self._target[1]) < 1.5:
                self._since_target += 1
            else:
                self._target, self._since_target = place, 0
            if self._since_target > 6:
                self._map.mark_explored(place[0], place[1], 3)
                self._since_target = 0

    def _restart_search(self) -> None:
        """Explore again after everything was explored, since things may have moved: halve old marks, turn at random."""
        solid = self._map.solid.copy()
        toll = self._map.toll.copy()
        self._map = GroundPlan()
        self._map.solid, self._map.toll = solid * 0.5, np.where(toll < 100, toll * 0.5, toll)
        self._turns_made = 0
        self._food = []
        self._path = []
        turn = RIGHT if self._rng.random() < 0.5 else LEFT
        self._queue = [turn] * int(self._rng.integers(3, 25)) + [FORWARDS] * int(self._rng.integers(2, 8))

    def _steer(
        self, turn: float, far: float, forward: float, tags: list[str] | None, lengths: Any, through: bool = False
    ) -> int:
        """Turn towards a place and drive there, at a speed that allows stopping before anything deadly."""
        off = degrees(turn)
        limit = 3.0 + 3.0 * far if not through else 30.0
        if tags is not None:
            limit = min(limit, self._safe_speed(tags, lengths))
        drive = forward < limit
        if abs(off) > 25.0 or (abs(off) > 12.0 and forward > 3.0):
            return RIGHT if off > 0 else LEFT
        if abs(off) > _TURN / 2:
            if drive and abs(off) < 15.0:
                return FORWARDS_RIGHT if off > 0 else FORWARDS_LEFT
            return RIGHT if off > 0 else LEFT
        if drive:
            return FORWARDS
        return NOOP

    def _safe_speed(self, tags: list[str], lengths: Any) -> float:
        """Return the greatest speed at which the animal can stop before anything deadly ahead."""
        middle, side = len(tags) // 2, int(radians(20.0) / self._step)
        nearest = min(
            (
                float(lengths[index])
                for index in range(max(middle - side, 0), min(middle + side + 1, len(tags)))
                if tags[index] in _DEADLY
            ),
            default=_FAR,
        )
        return max(1.2, (nearest - 0.3) / _SLIDE)

    def _is_stuck(self, forward: float) -> bool:
        moving = self._last in (FORWARDS, FORWARDS_LEFT, FORWARDS_RIGHT)
        self._stuck = self._stuck + 1 if moving and abs(forward) < 0.4 else 0
        return self._stuck > 6

    def _back_off(self, x: float, z: float) -> int:
        """Mark the place ahead as costly, and drive back in a random curve."""
        assert self._heading is not None
        self._stuck = 0
        for far in (0.5, 1.0):
            ahead_x, ahead_z = x + far * sin(self._heading), z + far * cos(self._heading)
            self._map.add_toll(np.array([ahead_x]), np.array([ahead_z]), 40.0, 1)
        for each in self._food:
            if hypot(each.x - x, each.z - z) < 3.0:
                each.tries += 1
        left = self._rng.random() < 0.5
        self._queue = [BACKWARDS_LEFT if left else BACKWARDS_RIGHT] * int(self._rng.integers(3, 8))
        self._queue += [FORWARDS_LEFT if left else FORWARDS_RIGHT] * int(self._rng.integers(0, 4))
        self._path, self._planned_at = [], -_REPLAN_DECISIONS
        return self._queue.pop(0)


def _wrap(angle: float) -> float:
    """Return an angle in radians within -pi and pi."""
    return (angle + np.pi) % (2 * np.pi) - np.pi


def _groups(tags: list[str]) -> list[tuple[str, int, int]]:
    """Group neighbouring rays that hit the same kind of food: the kind, the first and the last ray."""
    groups: list[tuple[str, int, int]] = []
    for index, tag in enumerate(tags):
        if tag not in _FOOD:
            continue
        if groups and groups[-1][0] == tag and groups[-1][2] == index - 1:
            groups[-1] = (tag, groups[-1][1], index)
        else:
            groups.append((tag, index, index))
    return groups
