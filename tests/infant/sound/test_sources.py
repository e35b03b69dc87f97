"""Sources: what they sound like, and that they repeat and resume."""

import pickle
import wave
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from puzzlebox.infant.sound.impacts import MATERIALS, Struck
from puzzlebox.infant.sound.rate import FRAME, SAMPLE_RATE
from puzzlebox.infant.sound.sources import Noise, Rattle, Recording, Source, Tone
from puzzlebox.infant.sound.voice import SOUNDS, Voice, speak
from puzzlebox.infant.sound.wav import write_wav


def frames(source: Source, count: int) -> NDArray[np.float32]:
    silence = np.zeros(FRAME, np.float32)
    emitted = [source.emit() for _ in range(count)]
    return np.concatenate([silence if each is None else each for each in emitted])


def struck() -> Struck:
    source = Struck("metal")
    source.strike(1.0, sample=2000)
    return source


def speaker() -> Voice:
    voice = Voice()
    voice.say("mama")
    return voice


def recording() -> Recording:
    source = Recording(np.sin(np.arange(7000) / 30.0))
    source.play()
    return source


MAKERS: list[Callable[[], Source]] = [Tone, Noise, lambda: Rattle(0.2), recording, struck, speaker]


@pytest.mark.parametrize("make", MAKERS)
def test_a_source_repeats_and_resumes_from_a_snapshot(make: Callable[[], Source]) -> None:
    source, again = make(), make()
    assert np.array_equal(frames(source, 2), frames(again, 2))
    state = pickle.loads(pickle.dumps(source.snapshot()))
    expected = frames(source, 3)
    assert expected.any()
    fresh = make()
    fresh.restore(state)
    assert np.array_equal(frames(fresh, 3), expected)


@pytest.mark.parametrize("make", MAKERS)
def test_a_reset_source_is_as_new(make: Callable[[], Source]) -> None:
    source = make()
    first = frames(source, 2)
    source.reset()
    after = frames(source, 2)
    assert np.array_equal(after, first) or not after.any()


def test_frames_of_a_tone_join() -> None:
    expected = 0.1 * np.sin(2 * np.pi * 440.0 * np.arange(3 * FRAME) / SAMPLE_RATE)
    np.testing.assert_allclose(frames(Tone(440.0, 0.1), 3), expected, atol=1e-6)


def test_noise_differs_by_seed_and_has_its_level() -> None:
    one, two = frames(Noise(0.05, 1), 5), frames(Noise(0.05, 2), 5)
    assert abs(np.corrcoef(one, two)[0, 1]) < 0.05
    assert one.std() == pytest.approx(0.05, rel=0.05)


def test_a_faster_blow_is_louder_and_brighter() -> None:
    def blow(speed: float) -> tuple[float, float]:
        source = Struck("rubber")
        source.strike(speed)
        sound = frames(source, 4).astype(np.float64)
        power = np.abs(np.fft.rfft(sound)) ** 2
        return float(np.abs(sound).max()), float(power @ np.fft.rfftfreq(len(sound), 1 / SAMPLE_RATE) / power.sum())

    (quiet, dull), (loud, bright) = blow(0.2), blow(2.0)
    assert loud > 8 * quiet and bright > dull


def test_materials_differ_in_pitch_and_in_how_long_they_ring() -> None:
    def ring(material: str, size: float = 0.06) -> tuple[float, float]:
        source = Struck(material, size)
        source.strike(1.0)
        sound = frames(source, 20).astype(np.float64)
        power = np.abs(np.fft.rfft(sound)) ** 2
        energy = np.cumsum(sound**2)
        hertz = float(power @ np.fft.rfftfreq(len(sound), 1 / SAMPLE_RATE) / power.sum())
        return hertz, float(np.searchsorted(energy, 0.9 * energy[-1]) / SAMPLE_RATE)

    heard = {name: ring(name) for name in MATERIALS}
    assert len({round(hertz) for hertz, _ in heard.values()}) == len(MATERIALS)
    assert heard["metal"][1] > 5 * heard["wood"][1] and heard["cloth"][0] < heard["wood"][0] < heard["glass"][0]
    assert ring("wood", 0.24)[0] < 0.5 * heard["wood"][0]
    source = Struck("wood")
    source.strike(1.0)
    frames(source, 30)
    assert source.emit() is None
    with pytest.raises(ValueError, match=r"material 'wod' is not known; it must be one of wood, .*did you mean"):
        Struck("wod")


def test_a_blow_starts_at_its_sample() -> None:
    sound = frames(struck(), 1)
    assert not sound[:2001].any() and np.abs(sound[2001:2100]).max() > 0.001


def test_vowels_have_their_formants() -> None:
    hertz = np.arange(0, 4000)
    for vowel in "aeiou":
        sound = speak(vowel * 3, 100.0).astype(np.float64)
        # Without the tilt of a voice, which falls by 6 dB for each octave.
        tilt = np.fft.rfftfreq(len(sound), 1 / SAMPLE_RATE)
        power = (np.abs(np.fft.rfft(sound * np.hanning(len(sound)))) * tilt) ** 2
        smooth = np.interp(hertz, np.fft.rfftfreq(len(sound), 1 / SAMPLE_RATE), power)
        smooth = np.convolve(smooth, np.hanning(220), "same")
        first, second = SOUNDS[vowel].formants[:2]
        assert abs(int(smooth[: int(first + second) // 2].argmax()) - first) < 90
        # More sounds at the second formant than well above it.
        assert smooth[int(second)] > 2 * smooth[min(int(1.3 * second), 3999)]


def test_the_voice_says_different_things_and_ends() -> None:
    voice = speaker()
    said = frames(voice, 12)
    assert not voice.speaking and voice.emit() is None
    assert 0.05 < np.sqrt((speak("mama") ** 2).mean()) < 0.4 and np.abs(said).max() < 1
    assert len(speak("baba")) != len(speak("mama"))
    with pytest.raises(ValueError, match="letters 'x', 'z'; the voice knows"):
        voice.say("xaz")
    with pytest.raises(ValueError, match="pitch is 5"):
        speak("a", 5)


def test_a_wav_file_holds_both_ears(tmp_path: Path) -> None:
    sound = np.stack((0.5 * np.ones(100), -2.0 * np.ones(100)))
    write_wav(tmp_path / "heard.wav", sound)
    with wave.open(str(tmp_path / "heard.wav")) as file:
        assert (file.getnchannels(), file.getframerate(), file.getsampwidth()) == (2, SAMPLE_RATE, 2)
        samples = np.frombuffer(file.readframes(100), "<i2").reshape(-1, 2)
    assert (samples == (16384, -32768)).all()
    with pytest.raises(ValueError, match="two for two ears"):
        write_wav(tmp_path / "three.wav", np.zeros((3, 5)))
