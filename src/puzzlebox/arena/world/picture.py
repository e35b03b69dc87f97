"""A world's Scene: made when an arena is built, kept up to date in place."""

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

    Bodies that can move have the first rows of `poses`, in the order of the engine's state, so that all of them are
    copied at once; that order changes when a body is made anew.
    """

    def __init__(self, arrangement: Arrangement, look: Look) -> None:
        engine = arrangement.engine
        self.scene = Scene(surroundings=surroundings(look, engine.width, engine.depth))
        self._arrangement = arrangement
        self._look = look
        self._seen = (-1, -1)
        self._moving: list[int] = []

    def __deepcopy__(self, memo: dict[int, Any]) -> None:
        """A branch makes its own."""
        return

    def update(self, motion: Motion) -> Scene:
        """The scene as it is now."""
        seen = self._arrangement.census()
        if seen != self._seen:
            self._seen = seen
            self._compose()
            motion.show_in(self._numbers, np.arange(len(self._moving)))
        elif self._arrangement.engine.rows() != self._moving:
            self._moving = list(self._arrangement.engine.rows())
            motion.show_in(self._numbers, np.array([self._places[number] for number in self._moving], np.int64))
        motion.show()
        for fading in self._fading:
            thing, place, first, before = fading
            now = thing.look_state()
            if now != before:
                fading[3] = now
                self._repaint(thing, place, first, now)
        return self.scene

    def _compose(self) -> None:
        """Write all tables anew: something appeared or vanished."""
        things, engine, scene = self._arrangement.things, self._arrangement.engine, self.scene
        self._moving = list(engine.rows())
        moving = set(self._moving)
        order = [*self._moving, *(number for number in things if number not in moving)]
        self._places = {number: place for place, number in enumerate(order)}
        poses = np.zeros(len(order), POSE)
        self._numbers: Table = poses.view(np.float32).reshape(len(order), POSE_WIDTH)
        animals: list[tuple[int, int]] = []
        # Things that change by themselves: the thing, its row, its first part, and what it showed last.
        self._fading: list[list[Any]] = []
        rows: list[tuple[object, ...]] = []
        tables = _Tables()
        for place, number in enumerate(order):
            thing = things[number]
            if isinstance(thing, Agent):
                animals.append((thing.index, place))
            if number not in moving:
                poses[place]["at"], poses[place]["turn"] = engine.pose(number)
            if thing.fades or thing.kinematic:
                shown = thing.look_state()
                self._fading.append([thing, place, len(rows), shown])
                poses[place]["value"] = min(shown, 1.0)
            for part in thing.looks(self._look):
                rows.append(row_of(part, place, *tables.place_of(part)))
        scene.poses, scene.owners, scene.parts = poses, np.array(order, np.int32), np.array(rows, PART)
        scene.planes, scene.pixels = tables.planes(), tables.pixels()
        scene.animals = tuple(place for _, place in sorted(animals))
        scene.version += 1
        self._half, self._at, self._color = scene.parts["half"], scene.parts["at"], scene.parts["color"][:, :3]

    def _repaint(self, thing: Thing, place: int, first: int, shown: float) -> None:
        """Let a thing look as it does now."""
        self._numbers[place, 7] = min(shown, 1.0)
        for row, part in enumerate(thing.looks(self._look), first):
            self._half[row] = part.half
            self._at[row] = part.at
            self._color[row] = part.color
        self.scene.version += 1


class _Tables:
    """Planes and pixels of the parts that need some, each form and each mask once."""

    def __init__(self) -> None:
        self._planes: list[Table] = []
        self._pixels: list[Table] = []
        self._known: dict[object, tuple[int, int]] = {}
        self._count = 0

    def place_of(self, part: Part) -> tuple[int, int]:
        """The first row and how many."""
        if part.kind is Kind.HULL:
            if part.points not in self._known:
                made = planes_of(part.points)
                self._known[part.points] = (self._count, len(made))
                self._planes.append(made)
                self._count += len(made)
            return self._known[part.points]
        if part.pattern is Pattern.SYMBOL:
            if part.mask not in self._known:
                self._known[part.mask] = (MASK * len(self._pixels), MASK)
                self._pixels.append(mask_of(part.mask))
            return self._known[part.mask]
        return (0, 0)

    def planes(self) -> Table:
        """All planes."""
        return _joined(self._planes, 4, np.float32)

    def pixels(self) -> Table:
        """All masks, one below the other."""
        return _joined(self._pixels, MASK, np.uint8)


def _joined(tables: Iterable[Table], width: int, kind: type) -> Table:
    return np.concatenate([np.zeros((0, width), kind), *tables])
