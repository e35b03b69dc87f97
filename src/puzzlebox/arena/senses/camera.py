"""What an animal sees: a square picture from its middle, straight ahead, with depth and segments on request."""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from puzzlebox._native import Cruise
from puzzlebox.arena.senses.sense import Cruising, Sense
from puzzlebox.arena.world import World
from puzzlebox.render import FOV_DEGREES
from puzzlebox.render.eye import FAR, LARGEST, SMALLEST, SURROUNDINGS, Depths, Eye, Numbers, Picture
from puzzlebox.scene.scene import no_such_animal

__all__ = ["FAR", "LARGEST", "SMALLEST", "SURROUNDINGS", "Camera", "Depth", "Segments"]
# No thing has a larger number; dispensers may bring any number of things.
_LAST_NUMBER = np.iinfo(np.int32).max


class Camera(Sense):
    """The eye of an animal: `size` x `size` pixels, in colour (3 channels) or grey (1).

    It takes the Scene and the animal's pose from a World, and leaves the rest to `render.Eye`.

    Attributes:
        shape: height, width and channels of the picture.
        depths: if there is such an array, each `read` also fills it with the depth of the picture.
        numbers: if there is such an array, each `read` also fills it with the segments of the picture.
    """

    name = "camera"
    picture = True
    cruising = Cruising.JOINS

    def __init__(self, size: int = 64, grayscale: bool = False, *, through: bool = False) -> None:
        self._eye = Eye(size, grayscale, through=through)
        self.shape = self._eye.shape
        self.space = spaces.Box(0, 255, self.shape, np.uint8)
        self.depths: Depths | None = None
        self.numbers: Numbers | None = None

    def read(self, world: World, animal_index: int, out: NDArray[Any]) -> None:
        """Fill `out` with the picture, and the depth and segments that others read next."""
        self.see(world, animal_index, out, self.depths, self.numbers)

    def look(self, world: World, animal: int = 0, out: Picture | None = None) -> Picture:
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
        image: Picture | None = None,
        depth: Depths | None = None,
        segments: Numbers | None = None,
    ) -> None:
        """Fill the arrays that are given, all in one look."""
        if not world.lights:
            self._eye.see_nothing(image, depth, segments)
            return
        scene = world.scene()
        try:
            row = scene.animals[animal]
        except (IndexError, TypeError):
            raise no_such_animal(animal, len(scene.animals)) from None
        self._eye.see_as(scene, row, world.animals[animal].heading, image, depth, segments)

    def join(self, cruise: Cruise, world: World, out: NDArray[Any]) -> None:
        """Let a cruise fill the image with what its animal sees."""
        scene = world.scene()
        cruise.see(self._eye.painter(scene).tables(), scene.animals[0], FOV_DEGREES, out)


class Depth(Sense):
    """How many metres away each pixel of a camera's picture is; read after the camera, which fills it in one look."""

    name = "depth"
    picture = True

    def __init__(self, camera: Camera) -> None:
        self._seen = camera.depths = np.empty(camera.shape[:2], np.float32)
        self.space = spaces.Box(0.0, FAR, camera.shape[:2], np.float32)

    def read(self, world: World, animal_index: int, out: NDArray[Any]) -> None:
        """Fill `out` with the depth of the picture its camera read last."""
        out[...] = self._seen


class Segments(Sense):
    """Which thing each pixel of a camera's picture shows; read after the camera, which fills it in one look."""

    name = "segments"
    picture = True

    def __init__(self, camera: Camera) -> None:
        self._seen = camera.numbers = np.empty(camera.shape[:2], np.int32)
        self.space = spaces.Box(min(SURROUNDINGS), _LAST_NUMBER, camera.shape[:2], np.int32)

    def read(self, world: World, animal_index: int, out: NDArray[Any]) -> None:
        """Fill `out` with the segments of the picture its camera read last."""
        out[...] = self._seen
