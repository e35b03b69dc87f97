"""The native painter: one ray per pixel against the analytic forms of a Scene."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox._native import Tables
from puzzlebox.scene.scene import Scene, Table
from puzzlebox.scene.shapes import Vector

if TYPE_CHECKING:
    from puzzlebox.render.views import View

# Of the animal's eye, across its square picture (docs/original/senses.md#camera).
FOV_DEGREES = 100.0
# What `ids` say where there is no thing.
SKY, FLOOR, FENCE, CEILING = -1, -2, -3, -4
# How soft shadows are: points on the sun, and its radius at a distance of one metre.
_SUN_POINTS, _SUN_RADIUS = 16, 0.035
# How finely a picture may be painted, and how many pixels a side the kernel then paints at most.
_FINEST, _LARGEST = 16, 16384
# Bytes to linear colour.
_BYTES = np.arange(256, dtype=np.float32) / 255
_LINEAR = np.where(_BYTES <= 0.04045, _BYTES / 12.92, ((_BYTES + 0.055) / 1.055) ** 2.4).astype(np.float32)


def _bytes(table: Table) -> NDArray[np.uint8]:
    """The same memory as a row of bytes."""
    return table.reshape(-1).view(np.uint8)


def checked_kind(name: str, value: Any, kind: type, source: str) -> None:
    """Refuse what is something else than it should be, and say where one gets that."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} is a {type(value).__name__}; it must be a {kind.__name__}, as `{source}` gives")


def _checked_count(name: str, value: Any, most: int, unit: str = "") -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value <= most:
        raise ValueError(f"{name} is {value!r}; it must be a whole number from 1 to {most}{unit}")
    return int(value)


class Painter:
    """Paints one Scene; it follows the Scene's changes, in place or by new tables."""

    def __init__(self, scene: Scene) -> None:
        checked_kind("scene", scene, Scene, "world.scene()")
        self._scene = scene
        self._tables = self._read()

    def _read(self) -> Tables:
        scene = self._scene
        self._seen = (scene.parts, scene.poses, scene.planes, scene.pixels, scene.surroundings)
        return Tables(*map(_bytes, self._seen))

    def tables(self) -> Tables:
        """The scene's tables as they are now, for the kernel."""
        scene, seen = self._scene, self._seen
        if (
            scene.parts is not seen[0]
            or scene.poses is not seen[1]
            or scene.planes is not seen[2]
            or scene.pixels is not seen[3]
            or scene.surroundings is not seen[4]
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
    ) -> None:
        """Paint into an image.

        Args:
            image: height x width x 3 (colour) or 1 (grey).
            eye: where one looks from.
            heading: degrees to the right of +z.
            pitch: degrees upwards.
            fov_degrees: across the shorter side of the image.
            lights: without, the picture is black.
            distance: if given, gets the metres along the axis of view to the nearest surface; infinite in the sky.
            ids: if given, gets the row of `poses` that surface belongs to, or `SKY`, `FLOOR`, `FENCE`, `CEILING`.
            skip_thing: the row of `poses` that is not painted: whose eye it is.
            through: distance and ids look through what can be seen through; else that is a surface like others.
        """
        self.tables().paint(eye, heading, pitch, fov_degrees, image, lights, distance, ids, skip_thing, through)

    def look(
        self,
        image: NDArray[np.uint8],
        row: int,
        heading: float,
        distance: NDArray[np.float32] | None = None,
        ids: NDArray[np.int32] | None = None,
        through: bool = False,
    ) -> None:
        """The same as seen by the animal in that row of `poses`, which is not painted itself."""
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
        """A new colour picture for people: painted finer and averaged, with soft shadows.

        Args:
            view: from where.
            width: in pixels; `samples` times as many are 16384 at most.
            height: in pixels; likewise.
            samples: so many times as fine in both directions, 1 to 16.
            shadows: whether things keep the sun from each other; left out: where the picture is averaged.
        """
        from puzzlebox.render.views import View

        checked_kind("view", view, View, "View.first(scene)")
        samples = _checked_count("samples", samples, _FINEST)
        most, unit = _LARGEST // samples, f" pixels where samples is {samples}"
        width, height = _checked_count("width", width, most, unit), _checked_count("height", height, most, unit)
        if shadows is None:
            shadows = samples > 1
        image = np.empty((height * samples, width * samples, 3), np.uint8)
        looking = (view.eye, view.heading, view.pitch, view.fov_degrees)
        self.paint(image, *looking, skip_thing=view.skip_thing)
        if samples == 1 and not shadows:
            return image
        fine = _LINEAR[image]
        if shadows:
            # The same picture without the sun is what it looks like in the shade.
            sunless = self._scene.surroundings.copy()
            sunless["sunlight"] = 0.0
            in_shade = Tables(*map(_bytes, (*self._seen[:4], sunless)))
            in_shade.paint(*looking, image, skip_thing=view.skip_thing)
            sun = np.empty(image.shape[:2], np.float32)
            self._tables.shade(*looking, sun, _SUN_POINTS, _SUN_RADIUS, view.skip_thing)
            shaded = _LINEAR[image]
            fine = shaded + (fine - shaded) * sun[..., None]
        mean = fine.reshape(height, samples, width, samples, 3).mean(axis=(1, 3))
        encoded = np.where(mean < 0.0031308, 12.92 * mean, 1.055 * np.maximum(mean, 1e-6) ** (1 / 2.4) - 0.055)
        return np.asarray(np.rint(encoded * 255), np.uint8)
