"""Walls that let a camera see through them: those between it and a child."""

import dataclasses

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.looks.axes import place_in_scene
from puzzlebox.infant.tasks.play import Play
from puzzlebox.infant.tasks.settings import JOINTS
from puzzlebox.render import View
from puzzlebox.render.painter import FENCE
from puzzlebox.scene.scene import Flag, Kind, Scene, State, Table

Floats = NDArray[np.float64]
# The opacity of a wall in front of a child: low enough to see the child, high enough to see the wall.
_FAINT = 0.35
# By how much each wall counts as larger on all sides, in metres: a child is wider than its bones.
_MARGIN = 0.02
# The bones that must be in sight. A child at a table is behind the table all the time, and its table stays as it is.
_WALKER, _SEATED = ("head", "pelvis", "left_foot", "right_foot"), ("head",)


def without_near_walls(play: Play, view: View) -> Scene:
    """Return the scene of an episode, with faint walls where they stand between a camera and a child.

    Args:
        play: the episode.
        view: the camera.
    """
    scene = play.stage.scene
    walls = _walls(play, scene)
    bones = _SEATED if play.task.control == JOINTS else _WALKER
    bodies = [play.stage.person(name).body for name in play.names]
    places = place_in_scene(np.array([body.data.xpos[body.row(bone)] for body in bodies for bone in bones]))
    hiding = [row for row in walls if _between(scene.parts[row], scene, np.array(view.eye), places)]
    if not hiding:
        return scene
    parts, shadows = scene.parts.copy(), scene.parts[hiding]
    parts["color"][hiding, 3] = _FAINT
    parts["flags"][hiding] |= np.uint8(Flag.SEE_THROUGH)
    # What is see-through casts no shadow; that of the wall must not come and go with the way of the child.
    shadows["flags"] |= np.uint8(Flag.SHADOW_ONLY)
    return dataclasses.replace(scene, parts=np.concatenate((parts, shadows)))


def _walls(play: Play, scene: Scene) -> list[int]:
    """Return the rows of parts that are walls: those of the room, and boxes of things that cannot be moved."""
    fixed = [thing.id for thing in play.stage.things.values() if not thing.prop.free]
    things = scene.parts["thing"]
    owners = scene.owners[things]
    shown = (scene.poses["flags"][things] & State.HIDDEN) == 0
    chosen = shown & (scene.parts["kind"] == Kind.BOX) & np.isin(owners, [FENCE, *fixed])
    return [int(row) for row in np.flatnonzero(chosen)]


def _between(part: Table, scene: Scene, eye: Floats, places: Floats) -> bool:
    """Return whether a box is between an eye and any of some places."""
    pose = scene.poses[part["thing"]]
    # In the frame of the box its faces are at -half and half.
    start = _unturned(part["turn"], _unturned(pose["turn"], eye - pose["at"]) - part["at"])
    ends = _unturned(part["turn"], _unturned(pose["turn"], places - pose["at"]) - part["at"])
    way, half = ends - start, part["half"] + _MARGIN
    way = np.where(np.abs(way) < 1e-9, 1e-9, way)
    one, two = (-half - start) / way, (half - start) / way
    enters, leaves = np.minimum(one, two).max(axis=1), np.maximum(one, two).min(axis=1)
    return bool(np.any((enters < leaves) & (leaves > 0.0) & (enters < 1.0)))


def _unturned(turn: Table, places: Floats) -> Floats:
    """Return places as seen from a frame with a rotation (w, x, y, z)."""
    w, axis = float(turn[0]), -np.asarray(turn[1:], np.float64)
    return np.asarray(places + 2 * np.cross(axis, np.cross(axis, places) + w * places))
