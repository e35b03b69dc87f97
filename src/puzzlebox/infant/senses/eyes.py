"""The sense of sight: two pictures from the pupils, as a child of its age sees them.

The pictures follow the eyes of the body, so that turning the eyes towards each other (vergence) moves both. A foveal
patch shows the middle of each picture at a higher resolution. Depth and segments are for scoring: they are not
filtered.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.body import Body
from puzzlebox.infant.looks.gaze import EYE_FOV_DEGREES, SIDES, eye_view
from puzzlebox.infant.looks.portrait import Portrait, Sights
from puzzlebox.infant.senses.retina import Retina, within
from puzzlebox.infant.senses.sight import PERFECT, Sight
from puzzlebox.render import Painter, View
from puzzlebox.render.eye import FAR, LARGEST, SMALLEST, SURROUNDINGS
from puzzlebox.render.painter import SKY
from puzzlebox.scene.scene import Flag, Scene

# The largest number of samples along each side of a pixel.
_MOST_SAMPLES = 8
_BYTES = np.arange(256, dtype=np.float64) / 255
_LINEAR = np.where(_BYTES <= 0.04045, _BYTES / 12.92, ((_BYTES + 0.055) / 1.055) ** 2.4).astype(np.float32)


@dataclass(frozen=True)
class EyeSettings:
    """The pictures of the eyes.

    Attributes:
        size: pixels along each side of a picture.
        fov_degrees: the field of view across a picture.
        fovea: pixels along each side of the foveal patch; 0 for none.
        fovea_degrees: the field of view across the patch.
        sight: what limits the eyes. Default: as usual at the age of the child; `PERFECT` for no limits.
        samples: samples along each side of a pixel. With one, patterns finer than pixels turn into coarser ones.
        depth: whether to return the distance of each pixel.
        segments: whether to return the thing that each pixel shows.
    """

    size: int = 84
    fov_degrees: float = EYE_FOV_DEGREES
    fovea: int = 0
    fovea_degrees: float = 6.0
    sight: Sight | None = None
    samples: int = 1
    depth: bool = False
    segments: bool = False

    def __post_init__(self) -> None:
        """Raise a ValueError if a setting makes no sense."""
        for name in ("size", "fovea", "samples"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise ValueError(f"{name} is {value!r}; it must be a whole number")
        sizes = f"{SMALLEST} to {LARGEST}"
        checks = (
            ("size", SMALLEST <= self.size <= LARGEST, sizes),
            ("fov_degrees", 0 < self.fov_degrees <= 150, "more than 0, up to 150"),
            ("fovea", self.fovea == 0 or SMALLEST <= self.fovea <= LARGEST, f"0 (none) or {sizes}"),
            ("fovea_degrees", 0 < self.fovea_degrees <= 150, "more than 0, up to 150"),
            ("samples", 1 <= self.samples <= _MOST_SAMPLES, f"1 to {_MOST_SAMPLES}"),
        )
        for name, good, allowed in checks:
            if not good:
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be {allowed}")


class Glance(NamedTuple):
    """What both eyes see at one moment; the first index is the eye: left, right.

    Attributes:
        images: 2 x size x size x 3, bytes of sRGB.
        fovea: 2 x fovea x fovea x 3, or None.
        depth: 2 x size x size, metres along the axis of the eye; 200 in the sky. None if it was not asked for.
        segments: 2 x size x size, the id of the thing (`Scene.owners`) or one of `puzzlebox.render.eye.SURROUNDINGS`.
            None if it was not asked for.
    """

    images: NDArray[np.uint8]
    fovea: NDArray[np.uint8] | None
    depth: NDArray[np.float32] | None
    segments: NDArray[np.int32] | None


class Eyes:
    """The sense of sight of one child."""

    def __init__(self, child: Body, portrait: Sights | None = None, settings: EyeSettings | None = None) -> None:
        """Prepare the painter and the filters.

        Args:
            child: the body whose eyes these are.
            portrait: the Scene that the eyes see, which follows the body. Default: the child alone in a bare room.
            settings: the pictures.
        """
        self.child = child
        self.portrait = portrait or Portrait(child)
        self.settings = settings or EyeSettings()
        self.sight = Sight.at(child.age_months) if self.settings.sight is None else self.settings.sight
        self.shape = (len(SIDES), self.settings.size, self.settings.size, 3)
        self._painter = Painter(self.portrait.scene)
        self._first_row = self.portrait.first_row(child)
        self._retina = Retina(self.settings.size, self.settings.fov_degrees, self.sight)
        self._fovea = (
            Retina(self.settings.fovea, self.settings.fovea_degrees, self.sight) if self.settings.fovea else None
        )

    def read(self) -> Glance:
        """Return what the eyes see now."""
        scene, settings = self.portrait.update(), self.settings
        images = np.empty(self.shape, np.uint8)
        depth = np.empty(self.shape[:3], np.float32) if settings.depth or self._retina.needs_depth else None
        rows = np.empty(self.shape[:3], np.int32) if settings.segments else None
        patch = None if self._fovea is None else np.empty((len(SIDES), settings.fovea, settings.fovea, 3), np.uint8)
        for eye, side in enumerate(SIDES):
            view = eye_view(self.child, side, settings.fov_degrees, self._first_row)
            own_depth = None if depth is None else depth[eye]
            own_rows = None if rows is None else rows[eye]
            focus = self._look(self._retina, view, images[eye], own_depth, own_rows)
            if self._fovea is not None and patch is not None:
                near = np.empty(patch.shape[1:3], np.float32) if self._fovea.needs_depth else None
                self._look(self._fovea, view, patch[eye], near, None, focus)
        if rows is not None and self.portrait.dark:
            rows[~np.isin(rows, glowing_rows(scene))] = SKY
        segments = None if rows is None else _things(rows, scene.owners, len(scene.poses))
        return Glance(images, patch, depth if settings.depth else None, segments)

    def _look(
        self,
        retina: Retina,
        view: View,
        image: NDArray[np.uint8],
        depth: NDArray[np.float32] | None,
        rows: NDArray[np.int32] | None,
        focus: float | None = None,
    ) -> float:
        """Fill a filtered picture and what belongs to it, and return the focus in dioptres.

        The painted picture is wider by a margin, so that blur at its edges is that of what is beyond them.
        """
        margin = retina.margin
        if margin == 0:
            self._paint(view, retina.fov_degrees, 0, image, depth, rows)
            focus = retina.focus(depth) if focus is None else focus
            retina.filter(image, depth, focus)
            return focus
        side = retina.size + 2 * margin
        wide = np.empty((side, side, 3), np.uint8)
        wide_depth = None if depth is None else np.empty((side, side), np.float32)
        wide_rows = None if rows is None else np.empty((side, side), np.int32)
        self._paint(view, retina.fov_degrees, margin, wide, wide_depth, wide_rows)
        if depth is not None and wide_depth is not None:
            depth[...] = within(wide_depth, retina.size)
        if rows is not None and wide_rows is not None:
            rows[...] = within(wide_rows, retina.size)
        focus = retina.focus(depth) if focus is None else focus
        retina.filter(wide, wide_depth, focus, image)
        return focus

    def _paint(
        self,
        view: View,
        fov_degrees: float,
        margin: int,
        image: NDArray[np.uint8],
        depth: NDArray[np.float32] | None,
        rows: NDArray[np.int32] | None,
    ) -> None:
        direction = (view.eye, view.heading, view.pitch, fov_degrees)
        paint = self._painter.paint
        paint(image, *direction, distance=depth, ids=rows, skip_thing=view.skip_thing, roll=view.roll, margin=margin)
        if depth is not None:
            np.minimum(depth, FAR, out=depth)
        count = self.settings.samples
        if count > 1:
            size = len(image)
            fine = np.empty((size * count, size * count, 3), np.uint8)
            paint(fine, *direction, skip_thing=view.skip_thing, roll=view.roll, margin=margin * count)
            light = _LINEAR[fine].reshape(size, count, size, count, 3).mean(axis=(1, 3))
            # Back to bytes by the nearest linear value.
            image[...] = np.searchsorted((_LINEAR[1:] + _LINEAR[:-1]) / 2, light)


def glowing_rows(scene: Scene) -> NDArray[np.int32]:
    """Return the rows of a Scene's poses that have a part that glows: what can be seen in the dark."""
    return np.unique(scene.parts["thing"][(scene.parts["flags"] & Flag.GLOWS) != 0])


def _things(rows: NDArray[np.int32], owners: NDArray[np.int32], count: int) -> NDArray[np.int32]:
    """Return the ids of things for rows of a Scene's poses."""
    if len(owners) != count:
        raise ValueError(f"the Scene has {count} poses and {len(owners)} owners; each pose must have an owner")
    # Surroundings have negative numbers, which index from the end of the table.
    return np.concatenate((owners, np.array(sorted(SURROUNDINGS), np.int32)))[rows].astype(np.int32)


__all__ = ["PERFECT", "EyeSettings", "Eyes", "Glance", "Sight", "Sights"]
