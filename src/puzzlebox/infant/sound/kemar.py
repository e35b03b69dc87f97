"""The head-related impulse responses of the KEMAR dummy head, read from the data file of the package `slab`.

They were measured by Bill Gardner and Keith Martin (MIT Media Laboratory, Technical Report 280, 1994): 710 directions
at 1.4 m, 512 samples at 44.1 kHz for each ear. Rings of equal elevation are 10 degrees apart, from -40 to 90 degrees; a
ring has 72 azimuths at the horizon and fewer above and below.

The file is a compressed pickle. It is read without importing `slab` (which would import scipy and matplotlib), by a
reader that accepts arrays of numbers and two empty classes, and refuses everything else.
"""

import bz2
import io
import pickle
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.sound.rate import SAMPLE_RATE

# The distance of the loudspeaker from the middle of the head, in metres.
MEASURED_AT = 1.4
LEFT_EAR, RIGHT_EAR = 0, 1
_FILE = Path("data") / "mit_kemar_normal_pinna.bz2"


@dataclass(frozen=True)
class Kemar:
    """The measurements.

    Attributes:
        azimuth: of each direction, in degrees: 0 in front, 90 to the left, 270 to the right.
        elevation: of each direction, in degrees: 0 at the height of the ears, 90 above.
        responses: directions x 2 ears (left, right) x 512 samples, as they are in the file.
    """

    azimuth: NDArray[np.float64]
    elevation: NDArray[np.float64]
    responses: NDArray[np.float32]


class _Fields:
    """Stands for the classes of `slab` in the file: it receives their fields."""


_ALLOWED: dict[tuple[str, str], Any] = {
    ("slab.hrtf", "HRTF"): _Fields,
    ("slab.filter", "Filter"): _Fields,
    ("numpy.core.multiarray", "_reconstruct"): np.empty(0).__reduce__()[0],
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
}


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ALLOWED:
            raise pickle.UnpicklingError(f"the KEMAR file names {module}.{name}; only arrays of numbers are expected")
        return _ALLOWED[module, name]


@cache
def read_kemar() -> Kemar:
    """Return the measurements, read once for each process.

    Raises:
        ModuleNotFoundError: `slab` is not installed.
        ValueError: its data file is not the expected one.
    """
    spec = find_spec("slab")
    if spec is None or spec.origin is None:
        message = "hearing needs the package slab, which is not installed: pip install 'puzzlebox[infant]'"
        raise ModuleNotFoundError(message, name="slab")
    file = Path(spec.origin).parent / _FILE
    content = _Reader(io.BytesIO(bz2.decompress(file.read_bytes()))).load()
    sources = np.asarray(content.sources, np.float64)
    responses = np.array([each.data for each in content.data], np.float32).transpose(0, 2, 1)
    if content.samplerate != SAMPLE_RATE or len(sources) != len(responses) or responses.shape[1] != 2:
        raise ValueError(
            f"{file} has {responses.shape} numbers at {content.samplerate} Hz; expected (710, 2, 512) at 44100"
        )
    return Kemar(sources[:, 0], sources[:, 1], np.ascontiguousarray(responses))
