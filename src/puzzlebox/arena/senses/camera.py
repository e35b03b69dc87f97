"""What an animal sees: a square picture from its middle, straight ahead (docs/original/senses.md#camera)."""

import numpy as np
from numpy.typing import NDArray

from puzzlebox._native import Cruise
from puzzlebox.arena.world import World
from puzzlebox.render import CEILING, FENCE, FLOOR, FOV_DEGREES, SKY, Painter
from puzzlebox.scene.scene import Scene, no_such_animal

SMALLEST, LARGEST = 4, 512
# How far it is to where there is nothing, in metres: further than anything in the largest arena.
FAR = 200.0
# What `segments` says where there is no thing; SKY also in the dark.
SURROUNDINGS = {SKY: "sky", FLOOR: "floor", FENCE: "fence", CEILING: "ceiling"}

Depths = NDArray[np.float32]
Numbers = NDArray[np.int32]


class Camera:
    """The eye of an animal: `size` x `size` pixels, in colour (3 channels) or grey (1).

    It can also say how far away what it sees is (`depth`) and which thing that is (`segments`). Both speak of the
    nearest surface that can be seen, so that glass and the haze of zones are things like others; with `through` they
    speak of the nearest one that is opaque. What cannot be seen at all is in neither.
    """

    def __init__(self, size: int = 64, grayscale: bool = False, *, through: bool = False) -> None:
        if isinstance(size, bool) or not isinstance(size, int | np.integer) or not SMALLEST <= size <= LARGEST:
            raise ValueError(f"a camera of {size!r} pixels a side; it can have {SMALLEST} to {LARGEST}")
        self.shape = (int(size), int(size), 1 if grayscale else 3)
        self.through = through
        self._scene: Scene | None = None
        self._owners: Numbers | None = None
        self._scratch: NDArray[np.uint8] | None = None

    def look(self, world: World, animal: int = 0, out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        """What one animal has before it now; `out` is filled and returned, if given."""
        image = np.empty(self.shape, np.uint8) if out is None else out
        self.see(world, animal, image)
        return image

    def depth(self, world: World, animal: int = 0, out: Depths | None = None) -> Depths:
        """Metres along the axis of view to what each pixel shows; `FAR` in the sky, and everywhere in the dark."""
        depth = np.empty(self.shape[:2], np.float32) if out is None else out
        self.see(world, animal, depth=depth)
        return depth

    def segments(self, world: World, animal: int = 0, out: Numbers | None = None) -> Numbers:
        """The number of the thing each pixel shows, as in `World.present` and events, or one of `SURROUNDINGS`."""
        segments = np.empty(self.shape[:2], np.int32) if out is None else out
        self.see(world, animal, segments=segments)
        return segments

    def see(
        self,
        world: World,
        animal: int = 0,
        image: NDArray[np.uint8] | None = None,
        depth: Depths | None = None,
        segments: Numbers | None = None,
    ) -> None:
        """Fill the arrays that are given, all in one look."""
        if not world.lights:
            for part, nothing in ((image, 0), (depth, FAR), (segments, SKY)):
                if part is not None:
                    part.fill(nothing)
            return
        scene = self._attend(world)
        try:
            row = scene.animals[animal]
        except (IndexError, TypeError):
            raise no_such_animal(animal, len(scene.animals)) from None
        if image is None:
            if self._scratch is None:
                self._scratch = np.empty(self.shape, np.uint8)
            image = self._scratch
        self._painter.look(image, row, world.animals[animal].heading, depth, segments, self.through)
        if depth is not None:
            np.minimum(depth, FAR, out=depth)
        if segments is not None:
            if self._owners is not scene.owners:
                # What is no thing has a negative number, which counts from the end.
                self._owners, around = scene.owners, sorted(SURROUNDINGS)
                self._numbers = np.concatenate((scene.owners, np.array(around, np.int32)))
            segments[...] = self._numbers[segments]

    def join(self, cruise: Cruise, world: World, image: NDArray[np.uint8]) -> None:
        """Let a cruise fill the image with what its animal sees."""
        scene = self._attend(world)
        cruise.see(self._painter.tables(), scene.animals[0], FOV_DEGREES, image)

    def _attend(self, world: World) -> Scene:
        """What there is to see, and a painter for it."""
        scene = world.scene()
        if scene is not self._scene:
            self._scene, self._painter = scene, Painter(scene)
        return scene
