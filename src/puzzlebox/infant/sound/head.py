"""The filters of a head: what the shape of head and ears does to sound from any direction.

Between measured directions, a response is the bilinear mean of four measured ones: two neighbours in azimuth on the
ring below and two on the ring above, each ring with its own spacing. The mean of two responses that start at different
times would have echoes, so each measured response is first moved to a common start, and the time of its start is
averaged separately and put back.
"""

from bisect import bisect_left
from functools import cache
from math import asin, atan2, degrees, sqrt

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.sound.kemar import MEASURED_AT, Kemar, read_kemar
from puzzlebox.infant.sound.rate import SAMPLE_RATE

# Samples before the start of a response that is moved to the common start: room for what precedes its peak.
_LEAD = 24
# Length of the transforms that align responses: twice that of a response, so that nothing wraps around.
_LENGTH = 1024
# Frequencies well above this many hertz do not decide when a response starts: their phase is ambiguous.
_START_BAND = 4000.0
# A source nearer to an ear than this, in metres, is in it.
_SAME_PLACE = 1e-6


class Head:
    """The filters of the KEMAR head.

    Attributes:
        taps: samples of a response that was moved to the common start.
        latest: an upper bound of the start of a response, in samples.
    """

    def __init__(self, kemar: Kemar) -> None:
        self.rings: list[float] = np.unique(kemar.elevation).tolist()
        self._azimuths: list[list[float]] = []
        self._rows: list[list[int]] = []
        for ring in self.rings:
            rows = np.flatnonzero(kemar.elevation == ring)
            rows = rows[np.argsort(kemar.azimuth[rows])]
            # The first azimuth again after a full turn.
            self._rows.append([*rows.tolist(), int(rows[0])])
            self._azimuths.append([*kemar.azimuth[rows].tolist(), float(kemar.azimuth[rows[0]]) + 360.0])
        # A loudness of 1: the mean power of all directions and ears, so that a distant sound keeps its level.
        power = (kemar.responses.astype(np.float64) ** 2).sum(axis=2).mean()
        self.scale = float(1.0 / np.sqrt(power))
        self.starts, self._aligned = _align(kemar.responses.transpose(1, 0, 2) * np.float32(self.scale))
        self.taps = self._aligned.shape[2]
        self.latest = int(np.ceil(self.starts.max()))

    def corners(self, azimuth: float, elevation: float) -> tuple[list[int], list[float]]:
        """Return the rows of the four measured directions around a direction, and their weights.

        Args:
            azimuth: in degrees, 90 to the left.
            elevation: in degrees; below the lowest ring (-40), that ring counts.
        """
        rings = self.rings
        height = min(max(elevation, rings[0]), rings[-1])
        upper = min(max(bisect_left(rings, height), 1), len(rings) - 1)
        share = (height - rings[upper - 1]) / (rings[upper] - rings[upper - 1])
        turn = azimuth % 360.0
        rows: list[int] = []
        weights: list[float] = []
        for ring, weight in ((upper - 1, 1.0 - share), (upper, share)):
            azimuths = self._azimuths[ring]
            after = min(max(bisect_left(azimuths, turn), 1), len(azimuths) - 1)
            part = (turn - azimuths[after - 1]) / (azimuths[after] - azimuths[after - 1])
            rows += self._rows[ring][after - 1 : after + 1]
            weights += (weight * (1.0 - part), weight * part)
        return rows, weights

    def response(self, ear: int, azimuth: float, elevation: float) -> tuple[NDArray[np.float32], float]:
        """Return the response of an ear for a direction, moved to the common start, and its delay in samples."""
        rows, weights = self.corners(azimuth, elevation)
        shares = np.array(weights)
        delay = float(shares @ self.starts[ear, rows]) - _LEAD
        return shares.astype(np.float32) @ self._aligned[ear, rows], delay


@cache
def kemar_head() -> Head:
    """Return the filters of the KEMAR head, made once for each process."""
    return Head(read_kemar())


def seen_from_the_middle(place: NDArray[np.float64], ear: NDArray[np.float64]) -> tuple[float, float]:
    """Return azimuth and elevation, in degrees, of the measured direction by which a source reaches an ear.

    The responses were measured at 1.4 m from the middle of the head. A source at another distance is on another line
    through the ear; its direction is where that line meets the sphere of 1.4 m, seen from the middle of the head.

    Args:
        place: the source in the frame of the head, from the middle between the ears: x forwards, y left, z up; metres.
        ear: the ear in the same frame.
    """
    ear_x, ear_y, ear_z = ear.tolist()
    place_x, place_y, place_z = place.tolist()
    x, y, z = place_x - ear_x, place_y - ear_y, place_z - ear_z
    length = sqrt(x * x + y * y + z * z)
    if length < _SAME_PLACE:
        x, y, z = ear_x, ear_y, ear_z
        length = sqrt(x * x + y * y + z * z)
    along = (x * ear_x + y * ear_y + z * ear_z) / length
    beyond = ear_x * ear_x + ear_y * ear_y + ear_z * ear_z - MEASURED_AT**2
    reach = (sqrt(along * along - beyond) - along) / length
    x, y, z = ear_x + reach * x, ear_y + reach * y, ear_z + reach * z
    return degrees(atan2(y, x)), degrees(asin(min(max(z / MEASURED_AT, -1.0), 1.0)))


def _align(responses: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """Return the start of each response in samples, and the responses moved so that all start at `_LEAD`.

    The start is the delay behind the response of least phase with the same spectrum, where both correlate best.
    """
    spectra = np.fft.rfft(responses, _LENGTH)
    size = np.maximum(np.abs(spectra), 1e-5)
    folded = np.fft.irfft(np.log(size), _LENGTH)
    folded[..., 1 : _LENGTH // 2] *= 2.0
    folded[..., _LENGTH // 2 + 1 :] = 0.0
    least = np.exp(np.fft.rfft(folded, _LENGTH))
    low = np.exp(-((np.fft.rfftfreq(_LENGTH, 1 / SAMPLE_RATE) / _START_BAND) ** 2)).astype(np.float32)
    likeness = np.fft.irfft(spectra * least.conj() * low, _LENGTH)
    best = likeness[..., 1:200].argmax(axis=2)[..., None] + 1
    before, at, after = (np.take_along_axis(likeness, best + step, axis=2)[..., 0] for step in (-1, 0, 1))
    # The top of a parabola through the best sample and its neighbours.
    starts = best[..., 0] + 0.5 * (before - after) / (before - 2.0 * at + after)
    turns = -2j * np.pi * np.arange(_LENGTH // 2 + 1) / _LENGTH
    moved = np.fft.irfft(spectra * np.exp(turns * (_LEAD - starts)[..., None]), _LENGTH)
    return starts.astype(np.float64), np.ascontiguousarray(moved[..., : responses.shape[2]], np.float32)
