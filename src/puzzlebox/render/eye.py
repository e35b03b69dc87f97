"""A square picture of a Scene from a pose, with the distance and the thing of each pixel."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlebox.render.painter import CEILING, FENCE, FLOOR, SKY, Painter
from puzzlebox.scene.scene import Scene
from puzzlebox.scene.shapes import Vector

# The smallest and largest side of an eye's picture, in pixels.
SMALLEST, LARGEST = 4, 512
# The depth of the sky in metres; more than the distance of anything in the largest arena.
FAR = 200.0
# The values of segments that are not things; in the dark all are SKY.
SURROUNDINGS = {SKY: "sky", FLOOR: "floor", FENCE: "fence", CEILING: "ceiling"}

Picture = NDArray[np.uint8]
Depths = NDArray[np.float32]
Numbers = NDArray[np.int32]


class Pose(NamedTuple):
    """The position and direction of an eye.

    Attributes:
        at: the position in metres.
        heading: degrees to the right of +z.
        pitch: degrees upwards.
        row: the row of the Scene's `poses` that is not painted, because it is the eye's own; -1: none.
    """

    at: Vector
    heading: float = 0.0
    pitch: float = 0.0
    row: int = -1


class Eye:
    """An eye of `size` x `size` pixels, in colour (3 channels) or grey (1).

    Depth and segments describe the nearest visible surface, so glass and the haze of zones count like other things;
    with `through`, they describe the nearest opaque surface. Invisible things are in neither.
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
        """Fill the given arrays, all from one rendering.

        Args:
            scene: the scene to paint.
            pose: the position and direction of the eye.
            image: the picture, of the eye's `shape`.
            depth: metres along the axis of view for each pixel; `FAR` in the sky.
            segments: the id of the thing each pixel shows, or one of `SURROUNDINGS`.
        """
        at, heading, pitch, row = pose
        picture, painter = self._image_or_scratch(image), self.painter(scene)
        painter.paint(picture, at, heading, pitch, distance=depth, ids=segments, skip_thing=row, through=self.through)
        self._finish(scene, depth, segments)

    def see_from_row(
        self,
        scene: Scene,
        row: int,
        heading: float,
        image: Picture | None = None,
        depth: Depths | None = None,
        segments: Numbers | None = None,
    ) -> None:
        """Fill the arrays as `see` does, from the centre of the thing in a row of the Scene's `poses`, looking level.

        Args:
            scene: the scene to paint.
            row: the row of the thing whose eye it is.
            heading: degrees to the right of +z.
            image: the picture, of the eye's `shape`.
            depth: as for `see`.
            segments: as for `see`.
        """
        picture = self._image_or_scratch(image)
        self.painter(scene).look(picture, row, heading, depth, segments, self.through)
        self._finish(scene, depth, segments)

    def _image_or_scratch(self, image: Picture | None) -> Picture:
        """Return the image, or without one an array whose contents are never read."""
        if image is not None:
            return image
        if self._scratch is None:
            self._scratch = np.empty(self.shape, np.uint8)
        return self._scratch

    def _finish(self, scene: Scene, depth: Depths | None, segments: Numbers | None) -> None:
        """Limit the depth to `FAR`, and turn rows of the Scene into ids of things."""
        if depth is not None:
            np.minimum(depth, FAR, out=depth)
        if segments is not None:
            if self._owners is not scene.owners:
                # Surroundings have negative numbers, which index from the end of the table.
                self._owners, others = scene.owners, sorted(SURROUNDINGS)
                self._numbers = np.concatenate((scene.owners, np.array(others, np.int32)))
            segments[...] = self._numbers[segments]

    @staticmethod
    def fill_dark(image: Picture | None = None, depth: Depths | None = None, segments: Numbers | None = None) -> None:
        """Fill the given arrays as in the dark."""
        for array, value in ((image, 0), (depth, FAR), (segments, SKY)):
            if array is not None:
                array.fill(value)

    def painter(self, scene: Scene) -> Painter:
        """Return the painter of a Scene, which is kept while the Scene stays the same."""
        if scene is not self._scene:
            self._scene, self._painter = scene, Painter(scene)
        return self._painter
