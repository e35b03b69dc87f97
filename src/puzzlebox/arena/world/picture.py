"""The Scene of a world: created with the arena and updated in place."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from puzzlebox._native import Motion
from puzzlebox.arena.things import Agent, Thing
from puzzlebox.arena.world.arrangement import Arrangement
from puzzlebox.scene.parts import Part, mask_of, planes_of, row_of
from puzzlebox.scene.scene import MASK, PART, POSE, POSE_WIDTH, Kind, Pattern, Scene, Table
from puzzlebox.scene.surroundings import surroundings
from puzzlebox.scene.themes import Look


class Picture:
    """Keeps the `Scene` of one arena up to date.

    Moving bodies have the first rows of `poses`, in the order of the engine's state, so that all of them are copied at
    once; that order changes when a body is replaced.
    """

    def __init__(self, arrangement: Arrangement, look: Look) -> None:
        engine = arrangement.engine
        self.scene = Scene(surroundings=surroundings(look, engine.width, engine.depth))
        self._arrangement = arrangement
        self._look = look
        self._census = (-1, -1)
        self._moving: list[int] = []

    def __deepcopy__(self, memo: dict[int, Any]) -> None:
        """Copy nothing: a branch of a world creates its own."""
        return

    def update(self, motion: Motion) -> Scene:
        """Update the scene and return it."""
        census = self._arrangement.census()
        if census != self._census:
            self._census = census
            self._compose()
            motion.show_in(self._numbers, np.arange(len(self._moving)))
        elif self._arrangement.engine.rows() != self._moving:
            self._moving = list(self._arrangement.engine.rows())
            motion.show_in(self._numbers, np.array([self._places[number] for number in self._moving], np.int64))
        motion.show()
        for changing in self._changing:
            thing, place, first, before = changing
            now = thing.look_state()
            if now != before:
                changing[3] = now
                self._repaint(thing, place, first, now)
        return self.scene

    def _compose(self) -> None:
        """Rebuild all tables, after a thing appeared or vanished."""
        things, engine, scene = self._arrangement.things, self._arrangement.engine, self.scene
        self._moving = list(engine.rows())
        moving = set(self._moving)
        order = [*self._moving, *(number for number in things if number not in moving)]
        self._places = {number: place for place, number in enumerate(order)}
        poses = np.zeros(len(order), POSE)
        self._numbers: Table = poses.view(np.float32).reshape(len(order), POSE_WIDTH)
        animals: list[tuple[int, int]] = []
        # Things whose looks change: the thing, its row, its first part, and the value last drawn.
        self._changing: list[list[Any]] = []
        rows: list[tuple[object, ...]] = []
        tables = _Tables()
        for place, number in enumerate(order):
            thing = things[number]
            if isinstance(thing, Agent):
                animals.append((thing.index, place))
            if number not in moving:
                poses[place]["at"], poses[place]["turn"] = engine.pose(number)
            if thing.fades or thing.kinematic:
                value = thing.look_state()
                self._changing.append([thing, place, len(rows), value])
                poses[place]["value"] = min(value, 1.0)
            for part in thing.looks(self._look):
                rows.append(row_of(part, place, *tables.place_of(part)))
        scene.poses, scene.owners, scene.parts = poses, np.array(order, np.int32), np.array(rows, PART)
        scene.planes, scene.pixels = tables.planes(), tables.pixels()
        scene.animals = tuple(place for _, place in sorted(animals))
        scene.version += 1
        self._half, self._at, self._color = scene.parts["half"], scene.parts["at"], scene.parts["color"][:, :3]

    def _repaint(self, thing: Thing, place: int, first: int, value: float) -> None:
        """Write the current looks of a thing to the tables."""
        self._numbers[place, 7] = min(value, 1.0)
        for row, part in enumerate(thing.looks(self._look), first):
            self._half[row] = part.half
            self._at[row] = part.at
            self._color[row] = part.color
        self.scene.version += 1


class _Tables:
    """The planes of hulls and the pixels of symbols, each distinct hull and symbol once."""

    def __init__(self) -> None:
        self._planes: list[Table] = []
        self._pixels: list[Table] = []
        self._positions: dict[object, tuple[int, int]] = {}
        self._count = 0

    def place_of(self, part: Part) -> tuple[int, int]:
        """Return the first row of a part's planes or pixels, and the number of rows; (0, 0) for parts without any."""
        if part.kind is Kind.HULL:
            if part.points not in self._positions:
                planes = planes_of(part.points)
                self._positions[part.points] = (self._count, len(planes))
                self._planes.append(planes)
                self._count += len(planes)
            return self._positions[part.points]
        if part.pattern is Pattern.SYMBOL:
            if part.mask not in self._positions:
                self._positions[part.mask] = (MASK * len(self._pixels), MASK)
                self._pixels.append(mask_of(part.mask))
            return self._positions[part.mask]
        return (0, 0)

    def planes(self) -> Table:
        """Return the planes of all hulls."""
        return _concatenate(self._planes, 4, np.float32)

    def pixels(self) -> Table:
        """Return the masks of all symbols, one below the other."""
        return _concatenate(self._pixels, MASK, np.uint8)


def _concatenate(tables: Iterable[Table], width: int, kind: type) -> Table:
    return np.concatenate([np.zeros((0, width), kind), *tables])
