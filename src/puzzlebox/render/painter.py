"""The native painter: one ray per pixel against the analytic forms of a Scene."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from puzzlebox._native import paint, shade
from puzzlebox.scene.scene import Scene, Table
from puzzlebox.scene.shapes import Vector

# Of the animal's eye, from top to bottom of the picture (animal-ai.md 6.1).
FOV_DEGREES = 100.0
# What `ids` say where there is no thing.
SKY, FLOOR, FENCE, CEILING = -1, -2, -3, -4
# How soft shadows are: points on the sun, and its radius at a distance of one metre.
_SUN_POINTS, _SUN_RADIUS = 16, 0.035
# Bytes to linear colour.
_BYTES = np.arange(256, dtype=np.float32) / 255
_LINEAR = np.where(_BYTES <= 0.04045, _BYTES / 12.92, ((_BYTES + 0.055) / 1.055) ** 2.4).astype(np.float32)


@dataclass(frozen=True)
class View:
    """Where an eye is and where it looks.

    Attributes:
        eye: its place in metres.
        heading: degrees to the right of +z: 90 looks along +x.
        pitch: degrees upwards.
        fov_degrees: the field of view from top to bottom.
    """

    eye: Vector
    heading: float = 0.0
    pitch: float = 0.0
    fov_degrees: float = FOV_DEGREES


def _bytes(table: Table) -> NDArray[np.uint8]:
    """The same memory as a row of bytes."""
    return table.reshape(-1).view(np.uint8)


class Painter:
    """Paints one Scene; it follows the Scene's changes, in place or by new tables."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._tables = self._read()

    def _read(self) -> tuple[NDArray[np.uint8], ...]:
        scene = self._scene
        self._seen = (scene.parts, scene.poses, scene.planes, scene.pixels, scene.surroundings)
        return tuple(_bytes(table) for table in self._seen)

    def paint(
        self,
        image: NDArray[np.uint8],
        eye: Vector,
        heading: float = 0.0,
        pitch: float = 0.0,
        fov_degrees: float = FOV_DEGREES,
        *,
        lights: bool = True,
        distance: NDArray[np.float32] | None = None,
        ids: NDArray[np.int32] | None = None,
        skip_thing: int = -1,
    ) -> None:
        """Paint into an image.

        Args:
            image: height x width x 3 (colour) or 1 (grey).
            eye: where one looks from.
            heading: degrees to the right of +z.
            pitch: degrees upwards.
            fov_degrees: from top to bottom.
            lights: without, the picture is black.
            distance: if given, gets the metres along the axis of view to what is opaque; infinite in the sky.
            ids: if given, gets the row of `poses` each pixel shows, or `SKY`, `FLOOR`, `FENCE`, `CEILING`.
            skip_thing: the row of `poses` that is not painted: whose eye it is.
        """
        scene, seen = self._scene, self._seen
        if (
            scene.parts is not seen[0]
            or scene.poses is not seen[1]
            or scene.planes is not seen[2]
            or scene.pixels is not seen[3]
            or scene.surroundings is not seen[4]
        ):
            self._tables = self._read()
        paint(*self._tables, eye, heading, pitch, fov_degrees, image, lights, distance, ids, skip_thing)

    def picture(
        self,
        view: View,
        width: int,
        height: int,
        *,
        samples: int = 2,
        shadows: bool | None = None,
        skip_thing: int = -1,
    ) -> NDArray[np.uint8]:
        """A new colour picture for people: painted finer and averaged, with soft shadows.

        Args:
            view: from where.
            width: in pixels.
            height: in pixels.
            samples: so many times as fine in both directions.
            shadows: whether things keep the sun from each other; left out: where the picture is averaged.
            skip_thing: the row of `poses` that is not painted, and throws no shadow.
        """
        if shadows is None:
            shadows = samples > 1
        image = np.empty((height * samples, width * samples, 3), np.uint8)
        looking = (view.eye, view.heading, view.pitch, view.fov_degrees)
        self.paint(image, *looking, skip_thing=skip_thing)
        if samples == 1 and not shadows:
            return image
        fine = _LINEAR[image]
        if shadows:
            # The same picture without the sun is what it looks like in the shade.
            sunless = self._scene.surroundings.copy()
            sunless["sunlight"] = 0.0
            paint(*self._tables[:4], _bytes(sunless), *looking, image, True, None, None, skip_thing)
            sun = np.empty(image.shape[:2], np.float32)
            shade(*self._tables, *looking, sun, _SUN_POINTS, _SUN_RADIUS, skip_thing)
            shaded = _LINEAR[image]
            fine = shaded + (fine - shaded) * sun[..., None]
        mean = fine.reshape(height, samples, width, samples, 3).mean(axis=(1, 3))
        encoded = np.where(mean < 0.0031308, 12.92 * mean, 1.055 * np.maximum(mean, 1e-6) ** (1 / 2.4) - 0.055)
        return np.asarray(np.rint(encoded * 255), np.uint8)
