"""Find a place for a thing: draw what the task leaves open and test for room, at most twenty times."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import cos, radians, sin
from typing import Any

import numpy as np

from puzzlebox.arena.rules import PHYSICS_STEP, Rules
from puzzlebox.arena.schema.models import Item
from puzzlebox.arena.things import CATALOGUE, PARAMETERS, Agent, Notices, Origin, Thing
from puzzlebox.arena.world.engine import BLOCKS, ENTERED, FENCE, SOLID, Build, Engine, facing
from puzzlebox.scene.shapes import Box, Vector, thinnest, turned

ATTEMPTS = 20
AGENT_ATTEMPTS = 100
# An agent whose position is exactly on the border starts here instead (docs/original/placement.md#the-agent).
_INSTEAD_OF_BORDER = (1.0, 0.0, 1.0)
# In one physics step a body moves at most half its own thickness plus half that of the thinnest wall; otherwise it
# could end up behind that wall. Bodies other than animals keep a margin, but may always move at 12 m/s.
_THINNEST_WALL = 0.1
_MARGIN = 0.9
_ALWAYS_ALLOWED = 12.0
# How far (metres) a pile in the corner is from the fence, and the heights at which it looks for room.
_OFF_THE_FENCE = 0.01
_PILE_STEP, _PILE_STEPS = 0.5, 100


@dataclass(frozen=True)
class Unplaced:
    """A thing that could not be placed: its name, its position, and what is in the way."""

    name: str
    item: int | None
    at: Vector
    against: str

    def __str__(self) -> str:
        x, y, z = self.at
        number = "" if self.item is None else f" (item {self.item + 1})"
        return f"{self.name}{number} found no place: at ({x:.2f}, {y:.2f}, {z:.2f}) it would cut into {self.against}"


def make(item: Item, number: int | None, rules: Rules) -> Thing:
    """Create the thing that an item describes, without a position."""
    values: Mapping[str, Any] = {name: getattr(item, name) for name in item.model_fields_set if name in PARAMETERS}
    thing = CATALOGUE[item.name](values, rules)
    thing.item = number
    return thing


def build_of(thing: Thing) -> Build:
    """Return what the engine needs to create the body of a thing."""
    passable = thing.passable
    shapes = thing.shapes()
    animal = isinstance(thing, Agent)
    fastest = None
    if not thing.fixed:
        fastest = (min(map(thinnest, shapes)) + _THINNEST_WALL) / 2 / PHYSICS_STEP
        if not animal:  # an animal cannot reach this speed on its own
            fastest = max(_MARGIN * fastest, _ALWAYS_ALLOWED)
    return Build(
        solid=() if passable else shapes,
        at=thing.at,
        turn=facing(thing.yaw),
        soft=thing.soft_shapes(),
        entered=thing.entrances(),
        touched=thing.notices is Notices.TOUCH,
        blocks=not passable,
        mass=None if thing.fixed else thing.weight(),
        friction=thing.friction,
        drag=thing.rules.drag if animal else 0.0,
        fastest=fastest,
        kinematic=thing.kinematic,
        upright=animal,
    )


class Placer:
    """Finds places in one arena, with the random stream of the episode."""

    def __init__(self, engine: Engine, rng: np.random.Generator, names: Mapping[int, str]) -> None:
        self._engine = engine
        self._rng = rng
        self._names = names

    def place(self, thing: Thing, state: bytes | None = None) -> Unplaced | None:
        """Draw size, position and rotation until the thing fits; return None, or what was in the way."""
        against = ""
        for _ in range(AGENT_ATTEMPTS if isinstance(thing, Agent) else ATTEMPTS):
            thing.draw_size(self._rng, (self._engine.width, np.inf, self._engine.depth))
            anywhere = self._draw_position(thing)
            thing.yaw = self._draw_rotation(thing)
            hit = self._in_the_way(thing, anywhere, state)
            if hit is None:
                return None
            against = hit
            if not self._varies(thing):
                break  # the next attempt would be the same
        return Unplaced(type(thing).__name__, thing.item, thing.at, against)

    def _varies(self, thing: Thing) -> bool:
        """Return whether another attempt could turn out differently."""
        size, at = thing.settings.get("size"), thing.settings["at"] or (None,)
        drawn_size = thing.size is not None and (size is None or None in size)
        drawn_rotation = thing.settings["rotation"] is None and thing.turns
        return drawn_size or drawn_rotation or None in at or bool(thing.settings.get("at_one_of"))

    def _draw_position(self, thing: Thing) -> bool:
        """Draw the position of a thing; return whether it could be anywhere on the floor."""
        width, depth = self._engine.width, self._engine.depth
        at = thing.settings["at"] or (None, 0.0, None)
        if isinstance(thing, Agent):
            if thing.settings["at_one_of"]:
                choices = thing.settings["at_one_of"]
                at = choices[int(self._rng.integers(len(choices)))]
            if at[0] in (0.0, width) or at[2] in (0.0, depth):
                at = _INSTEAD_OF_BORDER
            reach = (0.5, 0.5)
        else:
            probe = thing.probe()
            reach = (probe.half[0], probe.half[2])
        x = self._draw_coordinate(at[0], reach[0], width)
        z = self._draw_coordinate(at[2], reach[1], depth)
        thing.at = (x, thing.height(at[1]), z)
        return at[0] is None and at[2] is None

    def _draw_coordinate(self, value: float | None, reach: float, most: float) -> float:
        if value is not None:
            return min(max(float(value), 0.0), most)
        return float(self._rng.uniform(min(reach, most / 2), max(most - reach, most / 2)))

    def _draw_rotation(self, thing: Thing) -> float:
        rotation = thing.settings["rotation"]
        if rotation is None:
            rotation = self._rng.uniform(0.0, 360.0) if thing.turns else 0.0
        return float(rotation) % 360.0

    def _in_the_way(self, thing: Thing, anywhere: bool, state: bytes | None) -> str | None:
        """Return the name of what the thing would cut into (docs/original/placement.md#things); None when it fits."""
        solids = self._engine.solids
        if isinstance(thing, Agent):
            # At a position the task gives, only the centre must be free; at a random one, the whole body.
            radius = thing.extent[0] / 2 if anywhere else 0.0
            hits = solids.near(state, thing.at, radius, BLOCKS | ENTERED)
        else:
            probe = thing.probe()
            hits = solids.cut_by_box(state, _probe_centre(probe, thing), probe.half, radians(thing.yaw), BLOCKS)
            if thing.passable:
                hits = [hit for hit in hits if hit == FENCE]
        return None if not hits else self._names.get(hits[0], "the fence")

    def pile_up(self, thing: Thing) -> bool:
        """Put a thing on top of the pile in the corner; return whether there was room."""
        probe = thing.probe()
        aside = turned(probe.at, thing.yaw)
        c, s = abs(cos(radians(thing.yaw))), abs(sin(radians(thing.yaw)))
        reach_x = probe.half[0] * c + probe.half[2] * s + _OFF_THE_FENCE
        reach_z = probe.half[0] * s + probe.half[2] * c + _OFF_THE_FENCE
        if 2 * reach_x > self._engine.width or 2 * reach_z > self._engine.depth:
            return False
        for step in range(_PILE_STEPS):
            thing.at = (reach_x - aside[0], thing.height(step * _PILE_STEP), reach_z - aside[2])
            if self._in_the_way(thing, False, None) is None:
                return True
            if thing.origin is Origin.FLOOR:
                return False  # it can only lie on the floor
        return False

    def rests_on(self, thing: Thing, gap: float, state: bytes | None = None) -> list[set[int]]:
        """Return the ids of what lies within `gap` metres below each half of a thing: right, left, front and back."""
        return [self._under(thing, gap, state, side) for side in ((1, 0), (-1, 0), (0, 1), (0, -1))]

    def _under(self, thing: Thing, gap: float, state: bytes | None, side: tuple[int, int]) -> set[int]:
        probe = thing.probe()
        across, along = (0.99 * probe.half[axis] / (1 + abs(side[axis // 2])) for axis in (0, 2))
        aside = turned((side[0] * across, 0.0, side[1] * along), thing.yaw)
        x, y, z = _probe_centre(probe, thing)
        middle = (x + aside[0], y - probe.half[1] - gap / 2, z + aside[2])
        half = (across, gap / 2, along)
        return set(self._engine.solids.cut_by_box(state, middle, half, radians(thing.yaw), SOLID))


def _probe_centre(probe: Box, thing: Thing) -> Vector:
    aside = turned(probe.at, thing.yaw)
    return (thing.at[0] + aside[0], thing.at[1] + aside[1], thing.at[2] + aside[2])
