"""An eye: a square picture of a Scene from a pose, with how far away each pixel is and which thing it shows."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlebox.render.painter import CEILING, FENCE, FLOOR, SKY, Painter
from puzzlebox.scene.scene import Scene
from puzzlebox.scene.shapes import Vector

# How many pixels a side a picture of an eye can have.
SMALLEST, LARGEST = 4, 512
# How far it is to where there is nothing, in metres: further than anything in the largest arena.
FAR = 200.0
# What segments say where there is no thing; SKY also in the dark.
SURROUNDINGS = {SKY: "sky", FLOOR: "floor", FENCE: "fence", CEILING: "ceiling"}

Picture = NDArray[np.uint8]
Depths = NDArray[np.float32]
Numbers = NDArray[np.int32]


class Pose(NamedTuple):
    """Where an eye is and where it looks.

    Attributes:
        at: its position in metres.
        heading: degrees to the right of +z.
        pitch: degrees upwards.
        row: the row of the Scene's `poses` whose eye it is, and which it does not see; -1: nobody's.
    """

    at: Vector
    heading: float = 0.0
    pitch: float = 0.0
    row: int = -1


class Eye:
    """An eye of `size` x `size` pixels, in colour (3 channels) or grey (1).

    Depth and segments are about the nearest surface that can be seen, so that glass and the haze of zones are things
    like others; with `through`, about the nearest one that is opaque. What cannot be seen at all is in neither.
    """

    def __init__(self, size: int = 64, grayscale: bool = False, *, through: bool = False) -> None:
        if isinstance(size, bool) or not isinstance(size, int | np.integer) or not SMALLEST <= size <= LARGEST:
            raise ValueError(f"a camera of {size!r} pixels a side; it can have {SMALLEST} to {LARGEST}")
        self.shape = (int(size), int(size), 1 if grayscale else 3)
        self.through = through
        self._scene: Scene | None = None
        self._owners: Numbers | None = None
        self._scratch: Picture | None = None

    def see(
        self,
        scene: Scene,
        pose: Pose,
        image: Picture | None = None,
        depth: Depths | None = None,
        segments: Numbers | None = None,
    ) -> None:
        """Fill the arrays that are given, all in one look.

        Args:
            scene: what there is to see.
            pose: where the eye is and where it looks.
            image: the picture, of the eye's `shape`.
            depth: metres along the axis of view to what each pixel shows; `FAR` in the sky.
            segments: the number of the thing each pixel shows, or one of `SURROUNDINGS`.
        """
        at, heading, pitch, row = pose
        image = self._any(image)
        painter = self.painter(scene)
        painter.paint(image, at, heading, pitch, distance=depth, ids=segments, skip_thing=row, through=self.through)
        if depth is not None or segments is not None:
            self._finish(scene, depth, segments)

    def see_as(
        self,
        scene: Scene,
        row: int,
        heading: float,
        image: Picture | None = None,
        depth: Depths | None = None,
        segments: Numbers | None = None,
    ) -> None:
        """Fill the arrays as `see` does, from the middle of the thing in a row of the Scene's `poses`, straight ahead.

        Args:
            scene: what there is to see.
            row: whose eye it is.
            heading: degrees to the right of +z.
            image: the picture, of the eye's `shape`.
            depth: as for `see`.
            segments: as for `see`.
        """
        if scene is not self._scene:
            self._scene, self._painter = scene, Painter(scene)
        if image is None:
            image = self._any(image)
        self._painter.look(image, row, heading, depth, segments, self.through)
        if depth is not None or segments is not None:
            self._finish(scene, depth, segments)

    def _any(self, image: Picture | None) -> Picture:
        """The picture that was given, or one that nobody looks at."""
        if image is not None:
            return image
        if self._scratch is None:
            self._scratch = np.empty(self.shape, np.uint8)
        return self._scratch

    def _finish(self, scene: Scene, depth: Depths | None, segments: Numbers | None) -> None:
        """Bound the depth, and turn rows of the Scene into numbers of things."""
        if depth is not None:
            np.minimum(depth, FAR, out=depth)
        if segments is not None:
            if self._owners is not scene.owners:
                # What is no thing has a negative number, which counts from the end.
                self._owners, around = scene.owners, sorted(SURROUNDINGS)
                self._numbers = np.concatenate((scene.owners, np.array(around, np.int32)))
            segments[...] = self._numbers[segments]

    @staticmethod
    def see_nothing(image: Picture | None = None, depth: Depths | None = None, segments: Numbers | None = None) -> None:
        """Fill the arrays that are given with the dark."""
        for part, nothing in ((image, 0), (depth, FAR), (segments, SKY)):
            if part is not None:
                part.fill(nothing)

    def painter(self, scene: Scene) -> Painter:
        """The painter of a Scene, kept for as long as the Scene stays the same."""
        if scene is not self._scene:
            self._scene, self._painter = scene, Painter(scene)
        return self._painter
