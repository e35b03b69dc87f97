"""Mixing: no clicks, distance, reflections, repetition."""

import numpy as np
import pytest
from numpy.typing import NDArray

from puzzlebox.infant.sound import mixer as mixing
from puzzlebox.infant.sound.kemar import MEASURED_AT, read_kemar
from puzzlebox.infant.sound.mixer import Mixer, Sounding
from puzzlebox.infant.sound.propagation import DistanceLaw, Room
from puzzlebox.infant.sound.rate import FRAME, SAMPLE_RATE, SPEED_OF_SOUND
from puzzlebox.infant.sound.sources import Noise, Source, Tone

EARS = np.array(((0.0, 0.07, 0.0), (0.0, -0.07, 0.0)))
HERTZ = 400.0


def at(*place: float) -> NDArray[np.float64]:
    return np.array((*place, 1.0))[None, :]


def around(degrees: float, distance: float = 1.0) -> NDArray[np.float64]:
    return at(distance * np.cos(np.radians(degrees)), distance * np.sin(np.radians(degrees)), 0.0)


def play(source: Source, paths: list[NDArray[np.float64]]) -> NDArray[np.float32]:
    mixer = Mixer(EARS)
    heard = mixer.new()
    return np.concatenate([mixer.frame([Sounding(heard, source.emit(), each)]) for each in paths], axis=1)


def roughness(sound: NDArray[np.float32]) -> float:
    """Return the largest second difference after the start: a jump shows in it, a low tone hardly."""
    return float(np.abs(np.diff(sound[:, FRAME:].astype(np.float64), 2)).max())


@pytest.mark.parametrize("degrees_a_frame", [4.0, 30.0, 60.0])
def test_a_moving_source_does_not_click(degrees_a_frame: float, monkeypatch: pytest.MonkeyPatch) -> None:
    moves = [around(degrees_a_frame * frame, 1.0 + 0.05 * frame) for frame in range(12)]
    still = max(roughness(play(Tone(HERTZ), [around(azimuth)] * 3)) for azimuth in range(0, 360, 30))
    # No jump is larger than 5 % more than the curvature of the tone itself.
    assert roughness(play(Tone(HERTZ), moves)) <= 1.05 * still
    monkeypatch.setattr(mixing, "_fades", _abrupt)
    assert roughness(play(Tone(HERTZ), moves)) > 1.5 * still


def _abrupt(steps: int) -> NDArray[np.float32]:
    out = np.zeros((steps + 1, FRAME), np.float32)
    out[-1] = 1.0
    return out


def test_a_change_of_level_does_not_click() -> None:
    tone = Tone(HERTZ, level=0.1)
    mixer = Mixer(EARS)
    heard = mixer.new()
    frames = []
    for level in (0.1, 0.1, 0.0, 0.0, 0.2, 0.2):
        tone.level = level
        frames.append(mixer.frame([Sounding(heard, tone.emit(), at(1.0, 0.0, 0.0))]))
    assert roughness(np.concatenate(frames, axis=1)) <= 1.05 * roughness(
        play(Tone(HERTZ, level=0.2), [at(1.0, 0, 0)] * 3)
    )


def test_loudness_falls_with_the_square_of_distance_and_stops_growing_at_half_a_metre() -> None:
    def loudness(distance: float) -> float:
        # Both ears in the middle of the head: the direction of a source does not change with its distance.
        mixer, noise = Mixer(np.zeros((2, 3))), Noise(0.05)
        return float(np.sqrt((mixer.frame([Sounding(mixer.new(), noise.emit(), at(distance, 0, 0))]) ** 2).mean()))

    one = loudness(1.0)
    assert loudness(2.0) / one == pytest.approx(0.25)
    assert loudness(4.0) / one == pytest.approx(0.0625)
    assert loudness(0.45) / one == pytest.approx(4.0)
    assert loudness(0.2) / one == pytest.approx(4.0)
    assert [DistanceLaw().gain(each) for each in (0.0, 0.5, 1.0, 2.0)] == [4.0, 4.0, 1.0, 0.25]
    assert DistanceLaw(nearest=0.1, exponent=1.0).gain(0.2) == pytest.approx(5.0)


def levels(mixer: Mixer, paths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the level at both ears of a sound with all frequencies, in decibels."""
    return np.asarray(10 * np.log10((np.abs(mixer.spectra(paths)) ** 2).mean(axis=1)))


@pytest.mark.parametrize("azimuth", [0, 30, 60, 90, 135, 180, 250])
def test_at_the_distance_of_the_measurements_the_level_difference_is_the_measured_one(azimuth: int) -> None:
    kemar = read_kemar()
    (row,) = np.flatnonzero((kemar.elevation == 0) & (kemar.azimuth == azimuth))
    power = (kemar.responses[row].astype(np.float64) ** 2).sum(axis=1)
    left, right = levels(Mixer(EARS), around(azimuth, MEASURED_AT))
    assert left - right == pytest.approx(10 * np.log10(power[0] / power[1]), abs=0.1)


def test_level_differences_are_sane_at_all_distances() -> None:
    mixer = Mixer(EARS)
    for azimuth in range(-90, 100, 15):
        differences = []
        for distance in (0.0, 0.03, 0.08, 0.15, 0.3, 0.5, 0.8, 1.4, 3.0, 10.0):
            left, right = levels(mixer, around(azimuth, distance))
            assert np.isfinite((left, right)).all() and max(left, right) < 24
            differences.append(left - right)
        # A source outside the head is louder on its side, by no more than the head ever shades.
        outside = np.array(differences[3:])
        assert (np.abs(outside) < 20).all()
        assert (outside * np.sign(azimuth) >= (1.0 if azimuth else -0.1)).all()


def test_numbers_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="nearest is 0"):
        DistanceLaw(nearest=0)
    with pytest.raises(ValueError, match=r"reflection is 1\.5; it must be 0 to 1"):
        Room(reflection=1.5)
    with pytest.raises(ValueError, match="below its opposite"):
        Room(low=(0, 0, 0), high=(1, 0, 1))


def test_the_wall_behind_gives_an_echo_at_its_time() -> None:
    room = Room(low=(-2, -2, -2), high=(2, 2, 2), reflection=0.5)
    mixer = Mixer(EARS, longest_detour=room.longest_detour)
    impulse = np.zeros(FRAME, np.float32)
    impulse[0] = 1.0
    source = np.array((1.0, 0.0, 0.0))
    images = room.images(source)
    assert sorted(np.linalg.norm(images, axis=1)) == pytest.approx(sorted([5.0, 3.0, *[17**0.5] * 4]))
    paths = np.concatenate((at(*source), np.column_stack((images, np.full(6, room.reflection)))))
    dry = mixer.frame([Sounding(mixer.new(), impulse, paths[:1])])
    wet = mixer.frame([Sounding(mixer.new(), impulse, paths)])
    echo = np.abs(wet - dry)[0]
    first = np.flatnonzero(echo > 0.1 * echo.max())[0]
    start = np.flatnonzero(np.abs(dry[0]) > 0.1 * np.abs(dry[0]).max())[0]
    assert first - start == pytest.approx(2.0 / SPEED_OF_SOUND * SAMPLE_RATE, abs=6)
    assert 0.02 < echo.max() / np.abs(dry[0]).max() < 0.12


def test_sources_add_up_and_silence_is_silent() -> None:
    mixer = Mixer(EARS)
    one, two = Noise(seed=1).emit(), Noise(seed=2).emit()
    left, right = around(80), around(-80)
    both = mixer.frame([Sounding(mixer.new(), one, left), Sounding(mixer.new(), two, right)])
    apart = mixer.frame([Sounding(mixer.new(), one, left)]) + mixer.frame([Sounding(mixer.new(), two, right)])
    np.testing.assert_allclose(both, apart, atol=1e-5)
    assert not mixer.frame([Sounding(mixer.new(), None, left)]).any()


def test_frames_join_to_the_convolution_of_the_whole_signal() -> None:
    noise = Noise(seed=3)
    signal = np.concatenate([noise.emit() for _ in range(3)])
    mixer = Mixer(EARS)
    heard = mixer.new()
    frames = [mixer.frame([Sounding(heard, part, around(40))]) for part in signal.reshape(3, FRAME)]
    response = np.fft.irfft(mixer.spectra(around(40)))
    for ear in (0, 1):
        expected = np.convolve(signal, response[ear, : mixer.past])[: len(signal)]
        np.testing.assert_allclose(np.concatenate(frames, axis=1)[ear], expected, atol=1e-4)
