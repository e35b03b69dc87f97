"""The filter of one eye: what a child of an age sees of a picture.

In this order, on linear light: blur of what is out of focus, blur by acuity, loss of contrast below the threshold in
each octave of detail, paler colours, a narrow field. Bytes in, bytes out; the arithmetic is native and the same on all
processors.
"""

from math import ceil, log, log2, pi, radians, sqrt, tan
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from puzzlebox._native import Retina as NativeRetina
from puzzlebox.infant.senses.sight import DEFAULT_SENSITIVITY, Sight

Scalar = TypeVar("Scalar", bound=np.generic)

# A blur narrower than this standard deviation, in pixels, leaves 95 % of the finest grating that pixels can show.
_LEAST_BLUR = 0.1
# Outer weights of a blur that are smaller than this are left out.
_LEAST_WEIGHT = 0.003
# Of the disc that a point out of focus becomes: its diameter is so many standard deviations of the blur.
_DISC = 4.0
# The field fades out over this share of its radius.
_FADE = 0.12
# The coarsest octave with a threshold of contrast has nearly this many degrees a wave, but at least one wave in the
# picture, and at most this many.
_COARSEST, _MOST_WAVES = 12.0, 5.0


def pixels_per_degree(size: int, fov_degrees: float) -> float:
    """Return how dense pixels are in the middle of a square picture; towards its edges they become denser."""
    return size / 2 / tan(radians(fov_degrees / 2)) * pi / 180


def blur_degrees(sight: Sight) -> float:
    """Return the standard deviation of the blur by acuity in degrees.

    A black and white grating at the acuity keeps a contrast that is just visible.
    """
    if sight.acuity is None:
        return 0.0
    return sqrt(log(sight.contrast_sensitivity or DEFAULT_SENSITIVITY) / 2) / (pi * sight.acuity)


def blur_kernel(sigma: float) -> NDArray[np.float32]:
    """Return the weights of a Gaussian blur, from the middle outwards, for a standard deviation in pixels.

    They have the Gaussian's effect on every grating that pixels can show. Values of the Gaussian itself would blur
    fine gratings too little.
    """
    if sigma < _LEAST_BLUR:
        return np.ones(1, np.float32)
    frequency = (np.arange(512) + 0.5) / 1024
    passed = np.exp(-2 * (pi * sigma * frequency) ** 2)
    reach = max(5, ceil(4 * sigma))
    weights = np.cos(2 * pi * np.outer(np.arange(reach + 1), frequency)) @ passed / 512
    weights = weights[: 1 + int(np.flatnonzero(np.abs(weights) > _LEAST_WEIGHT)[-1])]
    return np.asarray(weights / (weights[0] + 2 * weights[1:].sum()), np.float32)


def field_mask(size: int, fov_degrees: float, sight: Sight) -> NDArray[np.float32]:
    """Return 1 for each pixel inside the visible field, falling to 0 outside it; empty if all is inside."""
    if sight.field_across is None and sight.field_up is None:
        return np.empty(0, np.float32)
    side = np.tan(np.radians(fov_degrees / 2)) * (2 * (np.arange(size) + 0.5) / size - 1)
    angle = np.degrees(np.arctan(side))
    across = angle / (sight.field_across or np.inf)
    up = angle / (sight.field_up or np.inf)
    radius = np.hypot(across[None, :], up[:, None])
    mask = np.clip((1 + _FADE / 2 - radius) / _FADE, 0, 1).astype(np.float32)
    return np.empty(0, np.float32) if (mask == 1).all() else mask.ravel()


class Retina:
    """The filter of square pictures of one size and field, for one sight."""

    def __init__(self, size: int, fov_degrees: float, sight: Sight) -> None:
        self.size, self.fov_degrees, self.sight = size, fov_degrees, sight
        density = pixels_per_degree(size, fov_degrees)
        kernel, mask = blur_kernel(blur_degrees(sight) * density), field_mask(size, fov_degrees, sight)
        self._threshold = 1 / sight.contrast_sensitivity if sight.contrast_sensitivity else 0.0
        waves = min(max(fov_degrees / _COARSEST, 1.0), _MOST_WAVES)
        bands = max(1, round(log2(size / 2 / waves))) if self._threshold else 0
        self._saturation = 1.0 if sight.saturation is None else sight.saturation
        # A point that is one dioptre out of focus becomes a disc as wide as the pupil, seen from one metre.
        self._defocus = 0.0 if sight.focus_distance is None else np.degrees(sight.pupil) / _DISC * density
        # Coarse octaves reach far beyond the edges of a narrow picture: its outermost pixels would count too much.
        self._margin = min(len(kernel) - 1, size // 2)
        self._native = NativeRetina(size, kernel, mask, bands, bool(waves < _MOST_WAVES))
        self._idle = len(kernel) == 1 and not (self._threshold or mask.size or self._defocus) and self._saturation == 1

    @property
    def margin(self) -> int:
        """How many pixels beyond each edge of a picture its blur by acuity needs."""
        return self._margin

    @property
    def needs_depth(self) -> bool:
        """Whether the blur depends on distance."""
        return self._defocus > 0

    def focus(self, depth: NDArray[np.float32] | None) -> float:
        """Return the focus in dioptres of an eye that looks at the middle of a depth image, in metres."""
        if self.sight.focus_distance is None:
            return 0.0
        resting = 1 / self.sight.focus_distance
        if depth is None or not self.sight.accommodation:
            return resting
        middle, reach = self.size // 2, max(1, self.size // 40)
        part = np.sort(depth[middle - reach : middle + reach, middle - reach : middle + reach], axis=None)
        wanted = 1 / max(float(part[len(part) // 2]), 0.01)
        return resting + self.sight.accommodation * (wanted - resting)

    def filter(
        self,
        picture: NDArray[np.uint8],
        depth: NDArray[np.float32] | None = None,
        focus: float | None = None,
        out: NDArray[np.uint8] | None = None,
    ) -> None:
        """Filter a picture.

        Args:
            picture: size x size x 3, bytes of sRGB, or with the same number of pixels more at each edge. Without
                `margin` of them, its mirror image or its outermost pixels stand for what is beyond an edge, and fine
                gratings leave traces there.
            depth: metres for each pixel of the picture. Default: everything is in focus.
            focus: in dioptres. Default: as `focus` returns for the depth.
            out: where the filtered size x size x 3 bytes go. Default: the picture, which must have that size.
        """
        target = picture if out is None else out
        if self._idle:
            if out is not None:
                out[...] = within(picture, self.size)
            return
        if focus is None:
            focus = self.focus(None if depth is None else within(depth, self.size))
        limits = (self._threshold, self._saturation, focus, self.sight.depth_of_focus, self._defocus)
        self._native.filter(picture, depth, *limits, target)


def within(picture: NDArray[Scalar], size: int) -> NDArray[Scalar]:
    """Return the middle of a square picture, without its margin."""
    margin = (len(picture) - size) // 2
    return picture[margin : margin + size, margin : margin + size]
