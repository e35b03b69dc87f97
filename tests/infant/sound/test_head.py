"""The filters of the head against the measurements they come from."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from puzzlebox.infant.sound.head import kemar_head, seen_from_the_middle
from puzzlebox.infant.sound.kemar import LEFT_EAR, MEASURED_AT, RIGHT_EAR, read_kemar
from puzzlebox.infant.sound.mixer import Mixer, Sounding
from puzzlebox.infant.sound.propagation import DistanceLaw
from puzzlebox.infant.sound.rate import FRAME, SAMPLE_RATE

EARS = np.array(((0.0, 0.07, 0.0), (0.0, -0.07, 0.0)))
# All around, between and on the measured directions, high and low.
DIRECTIONS = [(float(azimuth), elevation) for elevation in (0.0, 23.0, -17.0) for azimuth in range(3, 360, 45)]
# A sample, and half a decibel: what estimating from a second of noise may add to the error of the grid.
SAMPLE, DECIBEL = 1.0, 0.5


def place(azimuth: float, elevation: float, distance: float = MEASURED_AT) -> NDArray[np.float64]:
    turn, rise = np.radians(azimuth), np.radians(elevation)
    return distance * np.array((np.cos(turn) * np.cos(rise), np.sin(turn) * np.cos(rise), np.sin(rise)))


def listen(where: NDArray[np.float64], signal: NDArray[np.float32], law: DistanceLaw) -> NDArray[np.float32]:
    mixer = Mixer(EARS, law)
    heard = mixer.new()
    path = np.append(where, 1.0)[None, :]
    frames = [mixer.frame([Sounding(heard, part, path)]) for part in signal.reshape(-1, FRAME)]
    return np.concatenate(frames, axis=1)


def time_difference(left: NDArray[np.float32], right: NDArray[np.float32]) -> float:
    """Return by how many samples the right ear hears later, from frequencies below 1.5 kHz."""
    size = 2 * len(left)
    spectrum = np.fft.rfft(right, size) * np.fft.rfft(left, size).conj()
    spectrum *= np.exp(-((np.fft.rfftfreq(size, 1 / SAMPLE_RATE) / 1500.0) ** 4))
    likeness = np.roll(np.fft.irfft(spectrum, size), 60)[:121]
    best = int(np.clip(likeness.argmax(), 1, 119))
    before, at, after = likeness[best - 1 : best + 2]
    return float(best - 60 + 0.5 * (before - after) / (before - 2 * at + after))


def level_difference(left: NDArray[np.float32], right: NDArray[np.float32]) -> float:
    return float(10 * np.log10((left.astype(np.float64) ** 2).sum() / (right.astype(np.float64) ** 2).sum()))


NOISE = np.random.default_rng(1).standard_normal(4 * FRAME).astype(np.float32)


@pytest.mark.parametrize(("azimuth", "elevation"), DIRECTIONS)
def test_time_and_level_between_the_ears_are_those_of_the_measured_neighbours(azimuth: float, elevation: float) -> None:
    kemar = read_kemar()
    left, right = listen(place(azimuth, elevation), NOISE, DistanceLaw(exponent=0.0))
    measured = []
    for row in np.flatnonzero(np.abs(kemar.elevation - elevation) < 10):
        apart = abs((kemar.azimuth[row] - azimuth + 180) % 360 - 180)
        if apart < 6.5:
            ears = [np.convolve(NOISE, kemar.responses[row, ear])[: len(NOISE)] for ear in (LEFT_EAR, RIGHT_EAR)]
            measured.append((time_difference(*ears), level_difference(*ears)))
    assert len(measured) >= 2
    times, levels = np.array(measured).T
    assert times.min() - SAMPLE <= time_difference(left, right) <= times.max() + SAMPLE
    assert levels.min() - DECIBEL <= level_difference(left, right) <= levels.max() + DECIBEL


def test_there_are_24_directions_with_large_and_small_differences() -> None:
    assert len(DIRECTIONS) == 24
    left = listen(place(90, 0), NOISE, DistanceLaw())
    right = listen(place(270, 0), NOISE, DistanceLaw())
    assert 25 < time_difference(*left) < 36 and level_difference(*left) > 8
    np.testing.assert_allclose(left[0], right[1], atol=2e-3)
    ahead = listen(place(0, 0), NOISE, DistanceLaw())
    assert abs(time_difference(*ahead)) < 0.1 and abs(level_difference(*ahead)) < 0.1


def test_a_measured_direction_gives_the_measured_response() -> None:
    kemar, head = read_kemar(), kemar_head()
    impulse = np.zeros(FRAME, np.float32)
    impulse[0] = 1.0
    for row in (0, 60, 200, 330, 500, 640, 709):
        heard = listen(place(kemar.azimuth[row], kemar.elevation[row]), impulse, DistanceLaw(exponent=0.0))
        expected = head.scale * kemar.responses[row]
        np.testing.assert_allclose(heard[:, :512], expected, atol=0.004 * np.abs(expected).max())


def test_the_grid_has_the_spacing_of_each_ring() -> None:
    head, kemar = kemar_head(), read_kemar()
    for elevation, step in ((0.0, 5.0), (30.0, 6.0), (-40.0, 360 / 56), (50.0, 8.0), (80.0, 30.0)):
        rows, weights = head.corners(-step / 4, elevation)
        used = {
            round(float(kemar.azimuth[row]), 6): weight for row, weight in zip(rows, weights, strict=True) if weight
        }
        assert used == pytest.approx({0.0: 0.75, round(360.0 - step, 6): 0.25})
    rows, weights = head.corners(10.0, 85.0)
    assert sum(weights) == pytest.approx(1.0) and {float(kemar.elevation[row]) for row in rows} == {80.0, 90.0}
    assert head.corners(77.0, -80.0) == head.corners(77.0, -40.0)


def test_interpolation_predicts_a_measurement_it_does_not_use_better_than_a_plain_mean() -> None:
    kemar, head = read_kemar(), kemar_head()
    rows = np.flatnonzero(kemar.elevation == 0)
    aligned, plain = [], []
    for before, at, after in zip(rows[0:36:2], rows[1:36:2], rows[2:37:2], strict=True):
        expected = head.scale * np.fft.rfft(kemar.responses[at, LEFT_EAR], 1024)
        mean = head.scale * np.fft.rfft(kemar.responses[[before, after], LEFT_EAR].mean(axis=0), 1024)
        delay = head.starts[LEFT_EAR, [before, after]].mean() - 24
        moved = np.fft.rfft(head._aligned[LEFT_EAR, [before, after]].mean(axis=0), 1024)
        moved *= np.exp(-2j * np.pi * np.arange(513) / 1024 * delay)
        power = (np.abs(expected) ** 2).sum()
        aligned.append((np.abs(moved - expected) ** 2).sum() / power)
        plain.append((np.abs(mean - expected) ** 2).sum() / power)
    assert np.mean(aligned) < 0.01 < 0.05 < np.mean(plain)


def test_a_source_behind_differs_from_one_in_front_as_it_does_in_the_measurements() -> None:
    kemar = read_kemar()
    hertz = np.fft.rfftfreq(len(NOISE), 1 / SAMPLE_RATE)
    # Thirds of an octave from 250 Hz to 16 kHz.
    edges = 250.0 * 2.0 ** (np.arange(19) / 3)

    def bands(sound: NDArray[np.float32]) -> NDArray[np.float64]:
        power = np.abs(np.fft.rfft(sound.astype(np.float64))) ** 2
        sums = [power[(low <= hertz) & (hertz < high)].sum() for low, high in pairwise(edges.tolist())]
        return 10 * np.log10(np.array(sums))

    heard = [bands(listen(place(azimuth, 0), NOISE, DistanceLaw())[LEFT_EAR]) for azimuth in (0.0, 180.0)]
    rows = [np.flatnonzero((kemar.azimuth == azimuth) & (kemar.elevation == 0))[0] for azimuth in (0.0, 180.0)]
    measured = [bands(np.convolve(NOISE, kemar.responses[row, LEFT_EAR])[: len(NOISE)]) for row in rows]
    difference = heard[0] - heard[1]
    np.testing.assert_allclose(difference, measured[0] - measured[1], atol=0.1)
    # Listeners notice a change of about 1 dB: most bands differ by more.
    assert (np.abs(difference) > 1.0).mean() > 0.5


def test_a_near_source_is_farther_to_the_side_for_its_ear() -> None:
    near, far = place(30, 0, 0.3), place(30, 0, 100.0)
    left, right = EARS
    assert seen_from_the_middle(place(30, 10), left) == pytest.approx((30.0, 10.0))
    assert seen_from_the_middle(near, left)[0] < 30 < seen_from_the_middle(near, right)[0]
    assert abs(seen_from_the_middle(far, left)[0] - seen_from_the_middle(far, right)[0]) < 6
    assert seen_from_the_middle(left, left)[0] == pytest.approx(90.0)
