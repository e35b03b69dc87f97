"""The camera of an animal: a square picture from its centre, straight ahead, with depth and segments on request."""

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
# The largest id a thing can have; dispensers may create any number of things.
_LARGEST_ID = np.iinfo(np.int32).max


class Camera(Sense):
    """The camera of an animal: `size` x `size` pixels, in colour (3 channels) or grey (1).

    It takes the Scene and the animal's pose from a World; `render.Eye` paints the picture.

    Attributes:
        shape: height, width and channels of the picture.
        depths: an array that each `read` also fills with the depth of the picture, or None.
        numbers: an array that each `read` also fills with the segments of the picture, or None.
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
        """Fill `out` with the picture, and the arrays of the senses `Depth` and `Segments` if they are in use."""
        self.see(world, animal_index, out, self.depths, self.numbers)

    def look(self, world: World, animal: int = 0, out: Picture | None = None) -> Picture:
        """Return the picture one animal sees now; with `out`, fill and return that array."""
        image = np.empty(self.shape, np.uint8) if out is None else out
        self.see(world, animal, image)
        return image

    def depth(self, world: World, animal: int = 0, out: Depths | None = None) -> Depths:
        """Return metres along the axis of view for each pixel; `FAR` in the sky, and everywhere in the dark."""
        depth = np.empty(self.shape[:2], np.float32) if out is None else out
        self.see(world, animal, depth=depth)
        return depth

    def segments(self, world: World, animal: int = 0, out: Numbers | None = None) -> Numbers:
        """Return the id of the thing each pixel shows, as in `World.present` and events, or one of `SURROUNDINGS`."""
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
        """Fill the given arrays, all from one rendering."""
        if not world.lights:
            self._eye.fill_dark(image, depth, segments)
            return
        scene = world.scene()
        try:
            row = scene.animals[animal]
        except (IndexError, TypeError):
            raise no_such_animal(animal, len(scene.animals)) from None
        self._eye.see_from_row(scene, row, world.animals[animal].heading, image, depth, segments)

    def join(self, cruise: Cruise, world: World, out: NDArray[Any]) -> None:
        """Make a cruise fill `out` with the picture of its animal."""
        scene = world.scene()
        cruise.see(self._eye.painter(scene).tables(), scene.animals[0], FOV_DEGREES, out)


class Depth(Sense):
    """The depth of each pixel of a camera's picture in metres; it must be read after that camera."""

    name = "depth"
    picture = True

    def __init__(self, camera: Camera) -> None:
        self._latest = camera.depths = np.empty(camera.shape[:2], np.float32)
        self.space = spaces.Box(0.0, FAR, camera.shape[:2], np.float32)

    def read(self, world: World, animal_index: int, out: NDArray[Any]) -> None:
        """Fill `out` with the depth of the picture its camera read last."""
        out[...] = self._latest


class Segments(Sense):
    """The thing each pixel of a camera's picture shows, by id; it must be read after that camera."""

    name = "segments"
    picture = True

    def __init__(self, camera: Camera) -> None:
        self._latest = camera.numbers = np.empty(camera.shape[:2], np.int32)
        self.space = spaces.Box(min(SURROUNDINGS), _LARGEST_ID, camera.shape[:2], np.int32)

    def read(self, world: World, animal_index: int, out: NDArray[Any]) -> None:
        """Fill `out` with the segments of the picture its camera read last."""
        out[...] = self._latest
