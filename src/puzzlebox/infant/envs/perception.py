"""What an agent observes: the chosen senses of one body as arrays with fixed bounds."""

from functools import cache
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from puzzlebox.infant.body.bones import BONE_NAMES, JOINT_NAMES
from puzzlebox.infant.senses.taxels import spread_taxels
from puzzlebox.infant.sound.rate import FRAME
from puzzlebox.infant.tasks.settings import HAND_REGIONS, HANDS, SPECTRUM, WHOLE, Settings

Observation = dict[str, NDArray[Any]]
# The first bins of the spectrum of a frame: 15 Hz each, so up to 3.75 kHz; and what keeps the logarithm of silence
# finite. Both as in VECA's learners.
BINS, _FLOOR = 250, 1e-8
# The largest values of joints (rad, rad/s, N m, parts of rotations) and of balance (m/s², rad/s); others are clipped.
_ANGLE, _SPEED, _TORQUE, _TURN = 4.0, 100.0, 50.0, 1.0
_ACCELERATION, _ROTATION = 500.0, 100.0


def _joint_bounds() -> NDArray[np.float32]:
    count = len(JOINT_NAMES)
    parts = [_ANGLE] * count + [_SPEED] * count + [_TORQUE] * count + [_TURN] * (4 * len(BONE_NAMES))
    return np.array(parts, np.float32)


_JOINTS = _joint_bounds()
_BALANCE = np.array([_ACCELERATION] * 3 + [_ROTATION] * 3, np.float32)


def spectrum(wave: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the decimal logarithm of the spectrum of two ears (2 x 250), from -8 (silence) to 3.8."""
    return np.log10(np.abs(np.fft.rfft(wave, axis=1)[:, :BINS]) + _FLOOR).astype(np.float32)


@cache
def _hand_taxels(count: int) -> NDArray[np.intp]:
    return np.flatnonzero(np.isin(spread_taxels(count).region, HAND_REGIONS))


def taxels_of(settings: Settings) -> NDArray[np.intp]:
    """Return the numbers of the taxels that an observation has."""
    return _hand_taxels(settings.taxels) if settings.skin_part == HANDS else np.arange(settings.taxels)


def space_of(settings: Settings, targets: int, colours: int) -> spaces.Dict:
    """Return the observation space of one agent.

    Args:
        settings: which senses, and their sizes.
        targets: the length of the one-hot code of `target`; 0 if the task names none.
        colours: the length of the one-hot code of `colour`; 0 if the task names none.

    Raises:
        ValueError: a sense is not available in this task.
    """
    parts: dict[str, spaces.Space[Any]] = {}
    for name in settings.chosen_senses:
        parts[name] = _part(name, settings, targets, colours)
    return spaces.Dict(parts)


def _part(name: str, settings: Settings, targets: int, colours: int) -> spaces.Space[Any]:
    if name in ("eyes", "fovea"):
        size = settings.pixels if name == "eyes" else settings.fovea_pixels
        return spaces.Box(0, 255, (size, size, 6), np.uint8)
    if name == "ears":
        if settings.sound == SPECTRUM:
            return spaces.Box(-8.01, float(np.log10(2 * FRAME)), (2, BINS), np.float32)
        return spaces.Box(-1.0, 1.0, (2, FRAME), np.float32)
    if name == "skin":
        return spaces.Box(0.0, 1.0, (len(taxels_of(settings)),), np.float32)
    if name == "touch":
        return spaces.Box(0.0, 1.0, (1,), np.float32)
    if name == "joints":
        return spaces.Box(-_JOINTS, _JOINTS, dtype=np.float32)
    if name == "balance":
        return spaces.Box(-_BALANCE, _BALANCE, dtype=np.float32)
    count = targets if name == "target" else colours
    if not count:
        raise ValueError(f"this task names no {name}; leave the sense {name!r} out")
    return spaces.Box(0.0, 1.0, (count,), np.float32)


def observe(
    settings: Settings,
    state: dict[str, NDArray[Any]],
    touches: bool,
    target: NDArray[np.float32] | None,
    colour: NDArray[np.float32] | None,
) -> Observation:
    """Return an observation.

    Args:
        settings: which senses.
        state: what the senses of the body have read.
        touches: whether the body touches a thing of the task.
        target: the one-hot code of the target; None if the task names none.
        colour: that of its colour.
    """
    out: Observation = {}
    for name in settings.chosen_senses:
        if name in ("eyes", "fovea"):
            out[name] = np.concatenate((state[name][0], state[name][1]), axis=2)
        elif name == "ears":
            state.setdefault(name, np.zeros((2, FRAME), np.float32))  # silence
            out[name] = spectrum(state[name]) if settings.sound == SPECTRUM else state[name]
        elif name == "touch":
            out[name] = np.array([touches], np.float32)
        elif name in ("target", "colour"):
            code = target if name == "target" else colour
            assert code is not None
            out[name] = code
        elif name == "skin":
            out[name] = state[name] if settings.skin_part == WHOLE else state[name][taxels_of(settings)]
        elif name == "joints":
            out[name] = np.clip(state[name], -_JOINTS, _JOINTS)
        elif name == "balance":
            out[name] = np.clip(state[name], -_BALANCE, _BALANCE)
        else:
            out[name] = state[name]
    return out
