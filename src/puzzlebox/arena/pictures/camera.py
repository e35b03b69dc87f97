"""The camera of films and pictures: it follows an animal through a replay, smoothly where its view may jump."""

from dataclasses import replace
from math import atan2, degrees, exp, hypot

import numpy as np
from numpy.typing import NDArray

from puzzlebox.arena.rules import PHYSICS_STEP
from puzzlebox.arena.world import World
from puzzlebox.render import Painter, View
from puzzlebox.scene.scene import Scene
from puzzlebox.text import nearest

VIEWS = ("first", "third", "top")
# How fast the camera behind the animal approaches its target, per second (docs/original/playing.md#views).
_FOLLOW_RATE = 10.0
# The distance it keeps from opaque surfaces, in metres.
_CLEAR = 0.2

Image = NDArray[np.uint8]


def checked_view(view: str) -> str:
    """Return the name of a view, or raise a ValueError."""
    if view not in VIEWS:
        raise ValueError(f"there is no view {view!r}{nearest(view, VIEWS)}")
    return view


class FollowingCamera:
    """Paints a world repeatedly from one view.

    Args:
        view: "first", "third" or "top".
        size: width and height in pixels.
        fine: whether to paint soft shadows and average more samples, about thirty times as slow.
    """

    def __init__(self, view: str, size: tuple[int, int], *, fine: bool = False) -> None:
        self._view, self._size, self._fine = checked_view(view), size, fine
        self._scene: Scene | None = None
        self._clock = 0
        self._offset, self._heading, self._pitch = np.zeros(3), 0.0, 0.0

    def paint(self, world: World) -> Image:
        """Return a picture of the world now; in the dark only the view from above shows anything."""
        width, height = self._size
        if not world.lights and self._view != "top":
            return np.zeros((height, width, 3), np.uint8)
        view = self.look(world)
        # The first-person view is painted as the animal's camera does, without shadows.
        if self._fine and self._view != "first":
            return self._painter.picture(view, width, height)
        return self._paint_quickly(view)

    def _paint_quickly(self, view: View) -> Image:
        """Paint at twice the size, and average bytes."""
        width, height = self._size
        fine = np.empty((2 * height, 2 * width, 3), np.uint8)
        direction = (view.eye, view.heading, view.pitch, view.fov_degrees)
        self._painter.paint(fine, *direction, skip_thing=view.skip_thing)
        upper, lower = fine[::2].astype(np.uint16), fine[1::2]
        rows = upper + lower
        return np.asarray((rows[:, ::2] + rows[:, 1::2] + 2) >> 2, np.uint8)

    def look(self, world: World) -> View:
        """Return the current view; that from behind an animal depends on the views before."""
        scene = world.scene()
        fresh = self._scene is not scene
        if fresh:
            self._scene, self._painter = scene, Painter(scene)
        if self._view == "first":
            return View.first(scene)
        if self._view == "top":
            return View.top(scene, self._size[0] / self._size[1])
        target = View.third(scene)
        row = scene.animals[0]
        middle = scene.poses["at"][row].astype(float)
        offset = np.array(target.eye) - middle
        if fresh:
            self._offset, self._heading, self._pitch = offset, target.heading, target.pitch
        else:
            share = 1 - exp(-_FOLLOW_RATE * PHYSICS_STEP * (world.clock - self._clock))
            self._offset = self._offset + share * (offset - self._offset)
            self._heading += share * ((target.heading - self._heading + 180) % 360 - 180)
            self._pitch += share * (target.pitch - self._pitch)
        self._clock = world.clock
        eye = middle + self._offset * self._free_part(row, middle)
        return replace(target, eye=tuple(eye.tolist()), heading=self._heading % 360, pitch=self._pitch)

    def _free_part(self, row: int, middle: NDArray[np.float64]) -> float:
        """Return which part of the way to the camera, 0.1 to 1, has nothing opaque in it."""
        x, y, z = self._offset.tolist()
        arm = hypot(x, y, z)
        metres, image = np.empty((3, 3), np.float32), np.empty((3, 3, 1), np.uint8)
        direction = (degrees(atan2(x, z)), degrees(atan2(y, hypot(x, z))), 2 * degrees(atan2(_CLEAR, max(arm, 0.1))))
        place = (float(middle[0]), float(middle[1]), float(middle[2]))
        self._painter.paint(image, place, *direction, distance=metres, skip_thing=row, through=True)
        return min(1.0, max(0.1, (float(metres.min()) - _CLEAR) / max(arm, 0.1)))
