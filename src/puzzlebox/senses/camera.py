"""What an animal sees: a square picture from its middle, straight ahead (animal-ai.md 6.1)."""

import numpy as np
from numpy.typing import NDArray

from puzzlebox.render import Painter
from puzzlebox.scene.scene import Scene
from puzzlebox.world import World

SMALLEST, LARGEST = 4, 512


class Camera:
    """The eye of an animal: `size` x `size` pixels, in colour (3 channels) or grey (1)."""

    def __init__(self, size: int = 64, grayscale: bool = False) -> None:
        if not SMALLEST <= size <= LARGEST:
            raise ValueError(f"a camera of {size} pixels a side; it can have {SMALLEST} to {LARGEST}")
        self.shape = (int(size), int(size), 1 if grayscale else 3)
        self._scene: Scene | None = None

    def look(self, world: World, animal: int = 0, out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        """What one animal has before it now; `out` is filled and returned, if given."""
        image = np.empty(self.shape, np.uint8) if out is None else out
        if not world.lights:
            image.fill(0)
            return image
        scene = world.scene()
        if scene is not self._scene:
            self._scene, self._painter = scene, Painter(scene)
        row = scene.animals[animal]
        self._painter.paint(image, scene.poses["at"][row].tolist(), world.animals[animal].heading, skip_thing=row)
        return image
