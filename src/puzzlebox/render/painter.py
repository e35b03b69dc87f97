"""The native painter: one ray per pixel against the analytic shapes of a Scene."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox._native import Tables
from puzzlebox.scene.scene import Scene, Table
from puzzlebox.scene.shapes import Vector

if TYPE_CHECKING:
    from puzzlebox.render.views import View

# The field of view of an animal's camera, across its square picture (docs/original/senses.md#camera).
FOV_DEGREES = 100.0
# The values of `ids` that are not things.
SKY, FLOOR, FENCE, CEILING = -1, -2, -3, -4
# Soft shadows: the number of points on the sun, and its radius at a distance of one metre.
_SUN_POINTS, _SUN_RADIUS = 16, 0.035
# The largest number of samples a side of a pixel, and the largest side the kernel paints, in pixels.
_MAX_SAMPLES, _MAX_SIDE = 16, 16384
# The linear value of each sRGB byte.
_BYTES = np.arange(256, dtype=np.float32) / 255
_LINEAR = np.where(_BYTES <= 0.04045, _BYTES / 12.92, ((_BYTES + 0.055) / 1.055) ** 2.4).astype(np.float32)


def _bytes(table: Table) -> NDArray[np.uint8]:
    """Return the memory of a table as a row of bytes."""
    return table.reshape(-1).view(np.uint8)


def check_type(name: str, value: Any, kind: type, source: str) -> None:
    """Raise a TypeError unless a value has the right type; the message names the call that returns it."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} is a {type(value).__name__}; it must be a {kind.__name__}, as `{source}` gives")


def _check_count(name: str, value: Any, most: int, unit: str = "") -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value <= most:
        raise ValueError(f"{name} is {value!r}; it must be a whole number from 1 to {most}{unit}")
    return int(value)


class Painter:
    """Paints one Scene, and follows its changes: values changed in place, or new tables."""

    def __init__(self, scene: Scene) -> None:
        check_type("scene", scene, Scene, "world.scene()")
        self._scene = scene
        self._tables = self._read()

    def _read(self) -> Tables:
        scene = self._scene
        self._arrays = (scene.parts, scene.poses, scene.planes, scene.pixels, scene.surroundings)
        self._skins = (scene.vertices, scene.triangles, scene.bones)
        return Tables(*map(_bytes, (*self._arrays, *self._skins)))

    def tables(self) -> Tables:
        """Return the scene's current tables, for the kernel."""
        scene, arrays, skins = self._scene, self._arrays, self._skins
        if (
            scene.parts is not arrays[0]
            or scene.poses is not arrays[1]
            or scene.planes is not arrays[2]
            or scene.pixels is not arrays[3]
            or scene.surroundings is not arrays[4]
            or scene.vertices is not skins[0]
            or scene.triangles is not skins[1]
            or scene.bones is not skins[2]
        ):
            self._tables = self._read()
        return self._tables

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
        through: bool = False,
        roll: float = 0.0,
        margin: int = 0,
    ) -> None:
        """Paint into an image, and optionally into arrays of distances and ids.

        Args:
            image: height x width x 3 (colour) or 1 (grey).
            eye: the position of the eye in metres.
            heading: degrees to the right of +z.
            pitch: degrees upwards.
            fov_degrees: the field of view across the shorter side of the image.
            lights: False for a black picture.
            distance: filled with metres along the axis of view to the nearest surface; infinite in the sky.
            ids: filled with the row of `poses` that surface belongs to, or `SKY`, `FLOOR`, `FENCE`, `CEILING`.
            skip_thing: the row of `poses` that is not painted, because the camera is inside it; -1: none.
            through: whether distance and ids ignore transparent surfaces.
            roll: degrees by which the eye leans to its right.
            margin: pixels at each edge that are beyond the field of view; those inside are the same without it.
        """
        outputs = (image, lights, distance, ids)
        self.tables().paint(eye, heading, pitch, fov_degrees, *outputs, skip_thing, through, roll, margin)

    def look(
        self,
        image: NDArray[np.uint8],
        row: int,
        heading: float,
        distance: NDArray[np.float32] | None = None,
        ids: NDArray[np.int32] | None = None,
        through: bool = False,
    ) -> None:
        """Paint from the centre of the thing in a row of `poses`, which is not painted itself; otherwise as `paint`."""
        self.tables().look(row, heading, FOV_DEGREES, image, distance, ids, through)

    def picture(
        self,
        view: "View",
        width: int,
        height: int,
        *,
        samples: int = 2,
        shadows: bool | None = None,
    ) -> NDArray[np.uint8]:
        """Return a new colour picture for people: painted finer and averaged, with soft shadows.

        Args:
            view: the position and direction of the camera.
            width: in pixels; `width * samples` is at most 16384.
            height: in pixels; likewise.
            samples: samples along each side of a pixel, 1 to 16.
            shadows: whether things cast shadows. Default: if `samples` is more than 1.
        """
        from puzzlebox.render.views import View

        check_type("view", view, View, "View.first(scene)")
        samples = _check_count("samples", samples, _MAX_SAMPLES)
        most, unit = _MAX_SIDE // samples, f" pixels if samples is {samples}"
        width, height = _check_count("width", width, most, unit), _check_count("height", height, most, unit)
        if shadows is None:
            shadows = samples > 1
        image = np.empty((height * samples, width * samples, 3), np.uint8)
        direction = (view.eye, view.heading, view.pitch, view.fov_degrees)
        self.paint(image, *direction, skip_thing=view.skip_thing, roll=view.roll)
        if samples == 1 and not shadows:
            return image
        fine = _LINEAR[image]
        if shadows:
            # Painted without the sun, the picture shows all surfaces in the shade.
            sunless = self._scene.surroundings.copy()
            sunless["sunlight"] = 0.0
            in_shade = Tables(*map(_bytes, (*self._arrays[:4], sunless, *self._skins)))
            in_shade.paint(*direction, image, skip_thing=view.skip_thing, roll=view.roll)
            sun = np.empty(image.shape[:2], np.float32)
            self._tables.shade(*direction, sun, _SUN_POINTS, _SUN_RADIUS, view.skip_thing, view.roll)
            shaded = _LINEAR[image]
            fine = shaded + (fine - shaded) * sun[..., None]
        mean = fine.reshape(height, samples, width, samples, 3).mean(axis=(1, 3))
        encoded = np.where(mean < 0.0031308, 12.92 * mean, 1.055 * np.maximum(mean, 1e-6) ** (1 / 2.4) - 0.055)
        return np.asarray(np.rint(encoded * 255), np.uint8)
