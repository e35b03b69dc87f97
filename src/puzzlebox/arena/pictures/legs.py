"""The path of an animal until its episode was decided, arena by arena, over pictures from above."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from puzzlebox.arena.pictures.paths import pixels
from puzzlebox.arena.world import Record, World
from puzzlebox.render import Painter, View
from puzzlebox.wings.protocols import Image, Leg


def legs(record: Record, side: int, with_picture: Callable[[int], bool]) -> list[Leg]:
    """Replay an episode until it was decided; return a leg for each arena it came to, in order.

    Args:
        record: the episode.
        side: width and height of the pictures, in pixels.
        with_picture: returns whether to paint the arena at a position in the task.
    """
    world = World(record.task, arena=record.arena, seed=record.seed, rules=record.rules)
    unfinished = [_UnfinishedLeg(world, side, with_picture)]
    done = False
    for actions in record.actions:
        before, position = world.clock, world.position
        events = world.step(actions).events
        if world.position != position:
            unfinished[-1].went_on = True
            unfinished.append(_UnfinishedLeg(world, side, with_picture))
            done = False
            continue
        # After the deciding event, the position does not depend on the animal's actions.
        decided = next((event for event in events if event.kind == "finished" and event.animal == 0), None)
        if not done:
            points, after = unfinished[-1].points, np.array(world.position_of(world.animals[0]))
            if decided is not None:
                share = (decided.step - before) / max(1, world.clock - before)
                after = points[-1] + share * (after - points[-1])
            points.append(after)
        done = done or decided is not None
        if world.cause is not None:
            break
    return [each.leg() for each in unfinished]


class _UnfinishedLeg:
    """A leg during the replay."""

    def __init__(self, world: World, side: int, with_picture: Callable[[int], bool]) -> None:
        scene = world.scene()
        self._arena, self._side, self._view = world.position, side, View.top(scene, 1.0)
        self._picture: Image | None = (
            Painter(scene).picture(self._view, side, side) if with_picture(world.position) else None
        )
        self.points: list[NDArray[np.float64]] = [np.array(world.position_of(world.animals[0]))]
        self.went_on = False

    def leg(self) -> Leg:
        path = pixels(np.array(self.points), self._view, self._side, self._side)
        return Leg(self._arena, self._picture, path, self.went_on)
