"""The messages that keep one page's copy of a scene equal to the world: each time only what has changed since."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from puzzlebox.arena.rules import TIME_UNIT
from puzzlebox.arena.world import Event, World
from puzzlebox.record.entries import plain_event
from puzzlebox.scene.scene import Scene, Table
from puzzlebox.studio import protocol
from puzzlebox.studio.protocol import Moment

# The page's views, by the names that tasks use.
VIEWS = {"first": "first", "third": "third", "birdsEye": "top"}


class SceneStream:
    """Makes the messages that update one page, and remembers what they contained.

    It may be called at any moment: a slow page gets fewer updates, each with everything that changed since the last.
    """

    def __init__(self) -> None:
        self._scene: Scene | None = None
        self._sent_poses: Table | None = None
        self._parts: Table | None = None
        self._sent_parts: Table | None = None
        self._version = -1

    def reset(self) -> None:
        """Have the next messages contain the complete scene."""
        self._scene = None

    def messages(self, world: World, moment: Moment) -> list[bytes]:
        """Return the messages that bring the page up to date with a world; the last one is the frame."""
        scene = world.scene()
        messages: list[bytes] = []
        if scene is not self._scene or scene.parts is not self._parts:
            names = [type(world.present[number]).__name__ for number in scene.owners.tolist()]
            messages.append(protocol.scene_message(scene, world.clock, names))
            self._scene, self._parts, self._version = scene, scene.parts, scene.version
            self._sent_parts, self._sent_poses = scene.parts.copy(), scene.poses.copy()
            moved = np.arange(0)
        else:
            if scene.version != self._version:
                messages += self._part_changes(scene)
            assert self._sent_poses is not None
            moved = protocol.changed_rows(scene.poses, self._sent_poses)
            self._sent_poses[moved] = scene.poses[moved]
        messages.append(protocol.frame_message(moment, scene.poses, moved))
        return messages

    def _part_changes(self, scene: Scene) -> list[bytes]:
        assert self._sent_parts is not None
        changed = protocol.changed_rows(scene.parts, self._sent_parts)
        self._sent_parts[changed] = scene.parts[changed]
        self._version = scene.version
        return [protocol.parts_message(scene.parts, changed)] if len(changed) else []


def moment_of(world: World, *, key: int = 0, action: int = 0, extra_flags: int = 0) -> Moment:
    """Return the state of a world that a frame carries besides the poses of things."""
    animal = world.animals[0]
    limit = world.arena.time_limit * TIME_UNIT
    # Time costs health: this is how long the health lasts if nothing else changes it.
    left = animal.health / 100 * limit if limit else -1.0
    flags = world.flags() | extra_flags
    return Moment(flags, world.clock, key, action, animal.health, animal.total, left, animal.heading)


def describe_arena(world: World) -> dict[str, Any]:
    """Return the fields of an `episode` message that describe the arena being played."""
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


def events_message(step: int, events: Iterable[Event]) -> str:
    """Return the `events` message of a step, as JSON text."""
    return protocol.compact({"type": "events", "step": step, "events": [plain_event(event) for event in events]})
