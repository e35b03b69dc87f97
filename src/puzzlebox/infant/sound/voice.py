"""The voice of a caregiver: syllables such as "mama" from the formants of vowels and a few consonants.

A voiced sound is a sum of harmonics of the pitch, each as loud as the formants make it; formants glide from sound to
sound. Plosives are a short silence and a burst of noise, fricatives are noise in a band. The formants are round values
of an adult woman, near those of Peterson and Barney (1952), written down from memory and **not verified**.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.sound.rate import FRAME, SAMPLE_RATE
from puzzlebox.infant.sound.sources import Samples, Source
from puzzlebox.seeds import rng_from
from puzzlebox.text import closest

# The pitch of speech to infants in hertz, and how far it rises above and falls below it within an utterance.
PITCH, _MELODY = 260.0, 0.25
_BANDWIDTHS = (80.0, 110.0, 160.0, 220.0)
# Formants and loudness are computed at every so many samples, and change evenly between.
_HOP = 220
_HIGHEST = 8_000.0
# The root mean square of an utterance at a level of 1.
_LOUD = 0.25


@dataclass(frozen=True)
class Sound:
    """One sound of speech.

    Attributes:
        formants: the resonances of the mouth in hertz.
        seconds: how long it lasts.
        voice: the loudness of the voice, 0 to 1.
        noise: the loudness of noise, 0 to 1.
        band: the lowest and highest frequency of the noise in hertz.
    """

    formants: tuple[float, float, float, float]
    seconds: float
    voice: float
    noise: float = 0.0
    band: tuple[float, float] = (1000.0, 4000.0)


SOUNDS: Mapping[str, Sound] = {
    "a": Sound((850.0, 1220.0, 2810.0, 3800.0), 0.20, 1.0),
    "e": Sound((610.0, 2330.0, 2990.0, 3900.0), 0.18, 0.9),
    "i": Sound((310.0, 2790.0, 3310.0, 4100.0), 0.18, 0.8),
    "o": Sound((590.0, 920.0, 2710.0, 3700.0), 0.19, 0.9),
    "u": Sound((370.0, 950.0, 2670.0, 3600.0), 0.19, 0.8),
    "m": Sound((270.0, 1000.0, 2200.0, 3300.0), 0.09, 0.45),
    "n": Sound((270.0, 1650.0, 2500.0, 3400.0), 0.08, 0.45),
    "l": Sound((360.0, 1100.0, 2800.0, 3600.0), 0.07, 0.6),
    "b": Sound((250.0, 850.0, 2200.0, 3300.0), 0.07, 0.12, 0.10, (200.0, 1200.0)),
    "d": Sound((250.0, 1800.0, 2800.0, 3600.0), 0.06, 0.12, 0.15, (2500.0, 5000.0)),
    "g": Sound((250.0, 2100.0, 2500.0, 3500.0), 0.07, 0.12, 0.15, (1500.0, 3000.0)),
    "s": Sound((350.0, 1700.0, 2700.0, 3600.0), 0.11, 0.0, 0.25, (5000.0, 9000.0)),
    "h": Sound((600.0, 1500.0, 2600.0, 3600.0), 0.07, 0.1, 0.12, (800.0, 4000.0)),
    " ": Sound((500.0, 1500.0, 2500.0, 3500.0), 0.16, 0.0),
}


# The pitch over an utterance relative to that of the voice, at even distances from its start to its end. The numbers
# are ours: a call is high and stays up, "there" falls, "whoops" jumps up and drops, a question rises at its end.
NEUTRAL = "neutral"
TONES: Mapping[str, tuple[float, ...]] = {
    NEUTRAL: (),
    "call": (1.15, 1.45, 1.5, 1.5, 1.45),
    "there": (1.35, 1.2, 1.0, 0.85, 0.75),
    "whoops": (0.9, 1.7, 1.6, 0.8, 0.65),
    "question": (1.0, 0.95, 0.95, 1.2, 1.65),
}


@lru_cache(maxsize=64)
def speak(text: str, pitch: float = PITCH, tone: str = NEUTRAL) -> Samples:
    """Return the samples of an utterance; the same text, pitch and tone give the same samples.

    Args:
        text: letters of `SOUNDS`, such as `mama` or `hello baba`; a space is a pause.
        pitch: of the voice in hertz, 60 to 600.
        tone: one of `TONES`: how the pitch rises and falls.

    Raises:
        ValueError: the text is empty or has another letter, the pitch is out of range, or there is no such tone.
    """
    unknown = sorted(set(text) - set(SOUNDS))
    if not text or unknown:
        what = f"letters {', '.join(map(repr, unknown))}" if unknown else "no letters"
        raise ValueError(
            f"the utterance {text!r} has {what}; the voice knows {' '.join(sorted(SOUNDS)).strip()} and spaces"
        )
    if not 60 <= pitch <= 600:
        raise ValueError(f"pitch is {pitch!r}; it must be 60 to 600 hertz")
    if tone not in TONES:
        raise ValueError(f"the tone is {tone!r}; it must be one of {', '.join(TONES)}{closest(tone, list(TONES))}")
    sounds = [SOUNDS[letter] for letter in text]
    ends = np.cumsum([each.seconds for each in sounds])
    count = round(float(ends[-1]) * SAMPLE_RATE)
    marks = np.arange(0, count + _HOP, _HOP)
    # Each sound is reached in its middle, and the mouth moves evenly between the middles.
    middles = (ends - np.array([each.seconds for each in sounds]) / 2) * SAMPLE_RATE
    formants = np.array([np.interp(marks, middles, [each.formants[row] for each in sounds]) for row in range(4)])
    edge = np.minimum(1.0, np.minimum(marks, np.maximum(count - marks, 0)) / (0.02 * SAMPLE_RATE))
    loud = np.interp(marks, middles, [each.voice for each in sounds]) * edge
    melody = pitch * (1.0 + _MELODY * np.sin(np.pi * marks / count) - _MELODY * marks / count)
    if TONES[tone]:
        melody = pitch * np.interp(marks / count, np.linspace(0.0, 1.0, len(TONES[tone])), TONES[tone])
    out = _voiced(marks, count, melody, formants, loud)
    rms = float(np.sqrt(np.mean(out**2)))
    if rms > 0:
        out *= _LOUD / rms
    start = 0
    for each, end in zip(sounds, (ends * SAMPLE_RATE).round().astype(int).tolist(), strict=True):
        if each.noise:
            out[start:end] += each.noise * _noise(min(end, count) - start, each.band, text)
        start = end
    samples = out.astype(np.float32)
    samples.setflags(write=False)
    return samples


def _voiced(
    marks: NDArray[np.int64],
    count: int,
    melody: NDArray[np.float64],
    formants: NDArray[np.float64],
    loud: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the sum of harmonics."""
    time = np.arange(count)
    phase = 2.0 * np.pi * np.cumsum(np.interp(time, marks, melody)) / SAMPLE_RATE
    out = np.zeros(count)
    for number in range(1, int(_HIGHEST / melody.min()) + 1):
        hertz = number * melody
        # The glottis: 12 dB less for each octave, of which the lips give back 6.
        gain = loud / number * (hertz < _HIGHEST)
        for formant, width in zip(formants, _BANDWIDTHS, strict=True):
            square = formant**2 + (width / 2) ** 2
            gain = gain * square / np.abs((width / 2 + 1j * hertz) ** 2 + formant**2)
        out += np.interp(time, marks, gain) * np.sin(number * phase)
    return out


def _noise(count: int, band: tuple[float, float], text: str) -> NDArray[np.float64]:
    """Return noise of a band that swells and fades, the same for the same text."""
    spectrum = np.fft.rfft(rng_from(int.from_bytes(text.encode(), "big")).standard_normal(count))
    hertz = np.fft.rfftfreq(count, 1 / SAMPLE_RATE)
    spectrum[(hertz < band[0]) | (hertz > band[1])] = 0.0
    wave = np.fft.irfft(spectrum, count) * np.sin(np.pi * (np.arange(count) + 0.5) / count)
    return np.asarray(wave / max(float(np.abs(wave).max()), 1e-9))


class Voice(Source):
    """Somebody who speaks.

    Args:
        level: the loudness at 1 m; at 1, the root mean square of an utterance is 0.25.
        pitch: of the voice in hertz.
    """

    def __init__(self, level: float = 0.4, pitch: float = PITCH) -> None:
        super().__init__(level)
        self.pitch = pitch
        self._text, self._tone, self._position = "", NEUTRAL, 0

    @property
    def speaking(self) -> bool:
        """Whether an utterance is not over."""
        return bool(self._text)

    def say(self, text: str, tone: str = NEUTRAL) -> None:
        """Say something with the next frame, instead of what is being said; errors are those of `speak`."""
        speak(text, self.pitch, tone)
        self._text, self._tone, self._position = text, tone, 0

    def emit(self) -> Samples | None:
        """Return the next frame, or None in silence."""
        levels = self._levels()
        if not self._text:
            return None
        samples = speak(self._text, self.pitch, self._tone)
        part = samples[self._position : self._position + FRAME]
        self._position += FRAME
        if self._position >= len(samples):
            self._text, self._position = "", 0
        if levels is None:
            return None
        out = np.zeros(FRAME, np.float32)
        out[: len(part)] = part * levels[: len(part)]
        return out

    def reset(self) -> None:
        """Fall silent."""
        super().reset()
        self._text, self._position = "", 0

    def snapshot(self) -> tuple[Any, ...]:
        """Return the state."""
        return (*super().snapshot(), self.pitch, self._text, self._tone, self._position)

    def restore(self, snapshot: tuple[Any, ...]) -> None:
        """Go back to a state."""
        super().restore(snapshot)
        self.pitch, self._text, self._tone, self._position = snapshot[2:]
