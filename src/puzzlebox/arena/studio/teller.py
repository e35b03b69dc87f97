"""What one page has been told of a world, and so what it must be told now: never more than the newest state."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from puzzlebox.arena.rules import TIME_UNIT
from puzzlebox.arena.world import Event, World
from puzzlebox.record.entries import plain_event
from puzzlebox.scene.scene import Scene, Table
from puzzlebox.studio import protocol
from puzzlebox.studio.protocol import Moment

# How a task names the views of the page.
VIEWS = {"first": "first", "third": "third", "birdsEye": "top"}


class Teller:
    """Remembers what was sent; a page that is slow is told less often, and then all that is new."""

    def __init__(self) -> None:
        self._scene: Scene | None = None
        self._poses: Table | None = None
        self._parts: Table | None = None
        self._seen_parts: Table | None = None
        self._version = -1

    def forget(self) -> None:
        """Begin anew: the next messages tell everything."""
        self._scene = None

    def tell(self, world: World, moment: Moment) -> list[bytes]:
        """The messages that make a page know the world as it is now."""
        scene = world.scene()
        told: list[bytes] = []
        if scene is not self._scene or scene.parts is not self._parts:
            names = [type(world.present[number]).__name__ for number in scene.owners.tolist()]
            told.append(protocol.scene_message(scene, world.clock, names))
            self._scene, self._parts, self._version = scene, scene.parts, scene.version
            self._seen_parts, self._poses = scene.parts.copy(), scene.poses.copy()
            moved = np.arange(0)
        else:
            if scene.version != self._version:
                told += self._changed(scene)
            assert self._poses is not None
            moved = protocol.rows_that_differ(scene.poses, self._poses)
            self._poses[moved] = scene.poses[moved]
        told.append(protocol.frame_message(moment, scene.poses, moved))
        return told

    def _changed(self, scene: Scene) -> list[bytes]:
        """Things that look different from before."""
        assert self._seen_parts is not None
        changed = protocol.rows_that_differ(scene.parts, self._seen_parts)
        self._seen_parts[changed] = scene.parts[changed]
        self._version = scene.version
        return [protocol.parts_message(scene.parts, changed)] if len(changed) else []


def moment_of(world: World, *, key: int = 0, action: int = 0, extra_flags: int = 0) -> Moment:
    """What a frame says of this moment beside where things are."""
    animal = world.animals[0]
    limit = world.arena.time_limit * TIME_UNIT
    # Time is paid for with health: so long it lasts if nothing else is gained or lost.
    left = animal.health / 100 * limit if limit else -1.0
    flags = world.flags() | extra_flags
    return Moment(flags, world.clock, key, action, animal.health, animal.total, left, animal.heading)


def about_arena(world: World) -> dict[str, Any]:
    """What the page shows of the arena that is played now."""
    task, arena = world.task, world.arena
    return {
        "arena": arena.id,
        "position": world.position,
        "arenas": len(task.arenas),
        "size": list(arena.size),
        "time_limit": arena.time_limit * TIME_UNIT,
        "pass_mark": arena.pass_mark,
        "can_change_perspective": task.can_change_perspective,
        "can_reset": task.can_reset_episode,
        "view": VIEWS[task.default_perspective],
        "notification": task.show_notification,
    }


def events_text(step: int, events: Iterable[Event]) -> str:
    """What happened."""
    return protocol.compact({"type": "events", "step": step, "events": [plain_event(event) for event in events]})
