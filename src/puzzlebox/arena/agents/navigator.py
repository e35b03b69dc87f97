"""Our own scripted agent: it looks, draws a map, goes to food and keeps out of harm's way. It learns nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import atan2, cos, degrees, hypot, radians, sin
from typing import Any

import numpy as np

from puzzlebox.arena.agents.groundplan import GroundPlan, cell_of, place_of
from puzzlebox.arena.agents.sight import checked_rays
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

_FOOD = ("goodGoalMulti", "goodGoal")
_SOLID = ("arena", "Immovable", "GoalSpawner", "SignPoster", "HollowObj", "agent")
# What one may go through but had better not, and how dearly: metres of way it is worth to go round.
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
# Degrees an animal turns in one decision (docs/original/motion.md#actions), at the usual three physics steps.
_TURN = 6.0
_SECONDS = 0.06
# How far an animal slides once it stops, per metre a second.
_SLIDE = 0.22
_PLAN_AGAIN = 6


@dataclass
class Morsel:
    """Food somewhere: where the nearest side of it is, how large it looks, and when it was last seen."""

    x: float
    z: float
    kind: str
    size: float
    seen_at: int
    tries: int = 0


class NavigatorAgent:
    """Looks around, draws a map from its rays, goes to food, round walls and zones, and gets itself unstuck.

    It knows its rays and what it feels of itself, nothing else; the way it looks it works out from how it moves.

    Args:
        rays: how many, an odd number.
        ray_degrees: the whole fan of them.
    """

    def __init__(self, rays: int = 91, ray_degrees: float = 180.0) -> None:
        self.senses: Mapping[str, Any] = {"camera": None, "rays": checked_rays(rays), "ray_degrees": ray_degrees}
        side = rays // 2
        step = radians(ray_degrees) / 2 / side if side else 0.0
        turns = [0.0]
        for number in range(1, side + 1):
            turns += [number * step, -number * step]
        # From left to right, as a person would read them.
        self._order = np.argsort(turns)
        self._turns = np.array(turns, np.float32)[self._order]
        self._step = max(step, 1e-6)
        self.begin(0)

    def begin(self, seed: int) -> None:
        """A new place: nothing is known of it."""
        self._rng = rng_from(seed)
        self._map = GroundPlan()
        self._food: list[Morsel] = []
        # Where it looks, in radians, clockwise from +z; None until it has moved.
        self._heading: float | None = None
        self._before: tuple[float, float] | None = None
        self._last = NOOP
        self._clock = 0
        self._stuck = 0
        self._forced: list[int] = []
        self._path: list[tuple[int, int]] = []
        self._planned_at = -_PLAN_AGAIN
        self._turned = 0
        self._target: tuple[float, float] | None = None
        self._since_target = 0

    # --- one decision

    def act(self, observation: dict[str, Any], info: dict[str, Any]) -> int:
        """Feel, look, decide."""
        _, right, _, forward, x, _, z = (float(each) for each in observation["vitals"])
        self._clock += 1
        self._feel(x, z, right, forward)
        action = self._decide(observation, info, x, z, forward)
        self._before, self._last = (x, z), action
        if action in (LEFT, FORWARDS_LEFT, BACKWARDS_LEFT):
            self._turn(-1)
        elif action in (RIGHT, FORWARDS_RIGHT, BACKWARDS_RIGHT):
            self._turn(1)
        return action

    def _turn(self, way: int) -> None:
        if self._heading is not None:
            self._heading += way * radians(_TURN)

    def _feel(self, x: float, z: float, right: float, forward: float) -> None:
        """Work out where it looks: the way it moved, against the way it felt itself moving."""
        if self._before is None or self._last not in (FORWARDS, BACKWARDS):
            return
        dx, dz = x - self._before[0], z - self._before[1]
        if hypot(dx, dz) < 0.04 or hypot(right, forward) < 0.7:
            return
        measured = atan2(dx, dz) - atan2(right, forward)
        if self._heading is None:
            self._heading = measured
        elif abs(forward) > 2.0 and abs(right) < 0.2 * abs(forward):
            error = (measured - self._heading + np.pi) % (2 * np.pi) - np.pi
            self._heading += 0.3 * error if abs(error) < 0.5 else error

    def _decide(self, observation: dict[str, Any], info: dict[str, Any], x: float, z: float, forward: float) -> int:
        tags, lengths = self._look(observation, info)
        if self._heading is None:
            return self._find_out(tags, lengths)
        if tags is not None:
            self._draw(tags, lengths, x, z)
        if self._forced:
            return self._forced.pop(0)
        if self._is_stuck(forward):
            return self._back_off(x, z)
        direct = None if tags is None else self._in_sight(tags, lengths)
        if direct is not None:
            self._path, self._planned_at = [], -_PLAN_AGAIN
            return self._steer(direct[0], direct[1], forward, tags, lengths, through=True)
        if self._turned < 30 and not self._food:
            self._turned += 1
            return RIGHT
        way = self._way(x, z)
        if way is None:
            return RIGHT
        turn = (atan2(way[0] - x, way[1] - z) - self._heading + np.pi) % (2 * np.pi) - np.pi
        return self._steer(turn, hypot(way[0] - x, way[1] - z), forward, tags, lengths)

    def _find_out(self, tags: list[str] | None, lengths: Any) -> int:
        """It does not know where it looks yet: a step ahead, or back where something is in the way, tells."""
        if tags is not None and lengths[len(lengths) // 2] < 1.5:
            return BACKWARDS if self._clock % 24 < 16 else FORWARDS
        return FORWARDS if self._clock % 24 < 16 else BACKWARDS

    # --- looking

    def _look(self, observation: dict[str, Any], info: dict[str, Any]) -> tuple[list[str] | None, Any]:
        """What each ray meets, from left to right, and how far away; None in the dark."""
        names = info["ray_tags"]
        rays = observation["rays"].reshape(-1, len(names) + 2)[self._order]
        if not rays.any():
            return None, None
        known = (*names, "none", "")
        marked = rays[:, :-1]
        columns = np.where(marked.any(1), marked.argmax(1), len(names) + 1)
        return [known[column] for column in columns.tolist()], rays[:, -1] * _FAR

    def _draw(self, tags: list[str], lengths: Any, x: float, z: float) -> None:
        assert self._heading is not None
        angles = self._turns + np.float32(self._heading)
        sines, cosines = np.sin(angles), np.cos(angles)
        kinds = np.array(tags)
        if self._clock % 2:
            self._map.pass_along(x, z, sines, cosines, lengths)
            met = np.isin(kinds, _SOLID)
            for beyond in (0.15, 0.5):
                far = lengths[met] + beyond
                self._map.meet(x + sines[met] * far, z + cosines[met] * far)
            for kind, (toll, around) in _TOLLS.items():
                met = kinds == kind
                if met.any():
                    for beyond in (0.3, 0.9):
                        far = lengths[met] + beyond
                        self._map.charge(x + sines[met] * far, z + cosines[met] * far, toll, around)
        self._remember_food(tags, lengths, sines, cosines, x, z)

    def _remember_food(self, tags: list[str], lengths: Any, sines: Any, cosines: Any, x: float, z: float) -> None:
        for kind, first, last in _groups(tags):
            near = first + int(np.argmin(lengths[first : last + 1]))
            half = (last - first + 1) * self._step / 2
            far = float(lengths[near])
            s = min(sin(min(half, 1.4)), 0.95)
            size = min(max(2 * (s * far + _RADIUS * s - _RADIUS) / (1 - s), 0.5), 5.0)
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
        """Whether one looks right through where it was."""
        assert self._heading is not None
        if morsel.seen_at == self._clock or morsel.tries > 6:
            return morsel.tries > 6
        far = hypot(morsel.x - x, morsel.z - z)
        turn = (atan2(morsel.x - x, morsel.z - z) - self._heading + np.pi) % (2 * np.pi) - np.pi
        if far < 1.0:
            return True
        if abs(turn) > float(self._turns[-1]):
            return False
        return bool(lengths[int(np.argmin(np.abs(self._turns - turn)))] > far + 0.7)

    def _in_sight(self, tags: list[str], lengths: Any) -> tuple[float, float] | None:
        """The direction and distance of food one can go straight to: a ray is as wide as the animal."""
        groups = [each for each in _groups(tags)]
        if not groups:
            return None
        kinds = {each[0] for each in groups} | {each.kind for each in self._food}
        wanted = next(kind for kind in _FOOD if kind in kinds)
        groups = [each for each in groups if each[0] == wanted]
        if not groups:
            return None
        sizes = []
        for _, first, last in groups:
            far = float(lengths[first : last + 1].min())
            s = min(sin(min((last - first + 1) * self._step / 2, 1.4)), 0.95)
            size = min(max(2 * (s * far + _RADIUS * s - _RADIUS) / (1 - s), 0.5), 5.0)
            sizes.append((size if wanted == "goodGoal" else 0.0, -far))
        # Of food that ends the episode the largest counts, of other food the nearest.
        largest = max(size for size, _ in sizes)
        chosen = max(
            (index for index, (size, _) in enumerate(sizes) if size > 0.75 * largest or not largest),
            key=lambda index: sizes[index][1],
        )
        _, first, last = groups[chosen]
        middle = (first + last) // 2
        return float(self._turns[middle]), float(lengths[middle])

    # --- going

    def _way(self, x: float, z: float) -> tuple[float, float] | None:
        """The next place on the way to food, or to where nobody has looked."""
        start = cell_of(x, z)
        if self._clock - self._planned_at >= _PLAN_AGAIN or not self._path:
            self._plan(x, z, start)
        while len(self._path) > 1 and hypot(*np.subtract(place_of(self._path[0]), (x, z))) < 0.5:
            self._path.pop(0)
        if not self._path:
            return None
        for cell in reversed(self._path):
            there = place_of(cell)
            if self._map.is_open(x, z, *there):
                return there
        return place_of(self._path[0])

    def _plan(self, x: float, z: float, start: tuple[int, int]) -> None:
        self._planned_at = self._clock
        kinds = [each.kind for each in self._food]
        wanted = next((kind for kind in _FOOD if kind in kinds), None)
        food = [each for each in self._food if each.kind == wanted]
        targets = [cell_of(each.x, each.z) for each in food]
        if targets:
            ways = self._map.ways_to(targets, start)
            if float(ways[start]) > 250.0:  # only through something solid or deadly: look for another way first
                targets = []
        if not targets:
            targets = self._map.frontier()
            if targets:
                ways = self._map.ways_to(targets, start)
            if not targets or float(ways[start]) > 250.0:
                self._map.give_up(x, z, 6)
                self._nothing_left()
                return
        self._path = self._map.descend(ways, start)
        if not self._path or float(ways[start]) < 3.0:
            self._map.give_up(x, z, 3)
            for each in food:
                if hypot(each.x - x, each.z - z) < 1.5:
                    each.tries += 1
        self._forget_slowly(x, z)

    def _forget_slowly(self, x: float, z: float) -> None:
        """A place one has been heading for too long is given up."""
        if self._path:
            there = place_of(self._path[-1])
            if self._target is not None and hypot(there[0] - self._target[0], there[1] - self._target[1]) < 1.5:
                self._since_target += 1
            else:
                self._target, self._since_target = there, 0
            if self._since_target > 6:
                self._map.give_up(there[0], there[1], 3)
                self._since_target = 0

    def _nothing_left(self) -> None:
        """Everything was looked at: things may have moved, so look again, elsewhere, from scratch."""
        solid = self._map.solid.copy()
        toll = self._map.toll.copy()
        self._map = GroundPlan()
        self._map.solid, self._map.toll = solid * 0.5, np.where(toll < 100, toll * 0.5, toll)
        self._turned = 0
        self._food = []
        self._path = []
        turn = RIGHT if self._rng.random() < 0.5 else LEFT
        self._forced = [turn] * int(self._rng.integers(3, 25)) + [FORWARDS] * int(self._rng.integers(2, 8))

    def _steer(
        self, turn: float, far: float, forward: float, tags: list[str] | None, lengths: Any, through: bool = False
    ) -> int:
        """Turn towards a place and go there, no faster than one can stop before what kills."""
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
        """How fast it may go: it must be able to stop before anything deadly ahead."""
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
        """Remember that it does not go on here, and try from elsewhere."""
        assert self._heading is not None
        self._stuck = 0
        for far in (0.5, 1.0):
            ahead_x, ahead_z = x + far * sin(self._heading), z + far * cos(self._heading)
            self._map.charge(np.array([ahead_x]), np.array([ahead_z]), 40.0, 1)
        for each in self._food:
            if hypot(each.x - x, each.z - z) < 3.0:
                each.tries += 1
        left = self._rng.random() < 0.5
        self._forced = [BACKWARDS_LEFT if left else BACKWARDS_RIGHT] * int(self._rng.integers(3, 8))
        self._forced += [FORWARDS_LEFT if left else FORWARDS_RIGHT] * int(self._rng.integers(0, 4))
        self._path, self._planned_at = [], -_PLAN_AGAIN
        return self._forced.pop(0)


def _groups(tags: list[str]) -> list[tuple[str, int, int]]:
    """Neighbouring rays that meet the same kind of food: the kind, the first and the last."""
    groups: list[tuple[str, int, int]] = []
    for index, tag in enumerate(tags):
        if tag not in _FOOD:
            continue
        if groups and groups[-1][0] == tag and groups[-1][2] == index - 1:
            groups[-1] = (tag, groups[-1][1], index)
        else:
            groups.append((tag, index, index))
    return groups
