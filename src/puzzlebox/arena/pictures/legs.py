"""The way of an animal until its episode was decided, arena by arena, over pictures from above."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from puzzlebox.arena.pictures.paths import pixels
from puzzlebox.arena.world import Record, World
from puzzlebox.render import Painter, View
from puzzlebox.wings.protocols import Image, Leg


def legs(record: Record, side: int, wanted: Callable[[int], bool]) -> list[Leg]:
    """Play an episode again until it was decided: a leg for each arena it came to, in order.

    Args:
        record: the episode.
        side: width and height of the pictures, in pixels.
        wanted: whether a picture of the arena of a position is wanted.
    """
    world = World(record.task, arena=record.arena, seed=record.seed, rules=record.rules)
    made = [_Way(world, side, wanted)]
    done = False
    for actions in record.actions:
        before, position = world.clock, world.position
        events = world.step(actions).events
        if world.position != position:
            made[-1].went_on = True
            made.append(_Way(world, side, wanted))
            done = False
            continue
        # What comes after the deciding event says nothing of the animal.
        decided = next((event for event in events if event.kind == "finished" and event.animal == 0), None)
        if not done:
            points, after = made[-1].points, np.array(world.position_of(world.animals[0]))
            if decided is not None:
                share = (decided.step - before) / max(1, world.clock - before)
                after = points[-1] + share * (after - points[-1])
            points.append(after)
        done = done or decided is not None
        if world.cause is not None:
            break
    return [each.leg() for each in made]


class _Way:
    """A leg while it is walked."""

    def __init__(self, world: World, side: int, wanted: Callable[[int], bool]) -> None:
        scene = world.scene()
        self._arena, self._side, self._view = world.position, side, View.top(scene, 1.0)
        self._picture: Image | None = Painter(scene).picture(self._view, side, side) if wanted(world.position) else None
        self.points: list[NDArray[np.float64]] = [np.array(world.position_of(world.animals[0]))]
        self.went_on = False

    def leg(self) -> Leg:
        way = pixels(np.array(self.points), self._view, self._side, self._side)
        return Leg(self._arena, self._picture, way, self.went_on)
