"""Which thing a child grabs, and where it puts it down.

The rule is that of VECA's task DiskTower: a thing can be grabbed if it is within a cone of 30 degrees around the
direction of the gaze, is not hidden, and is near enough. Of several, the one nearest to the middle of the view is
taken; without one, nothing happens. The cone is read as 30 degrees to each side. Lengths are rescaled with
`speeds.UNIT`: VECA's 3 units are 0.75 m from the eyes, both for grabbing and for putting down. A standing child of 18
months reaches that far downwards when it squats; straight ahead its arm of 0.26 m is shorter, and the thing moves the
rest of the way by itself.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import cos, radians

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class GrabRule:
    """The constants of grabbing.

    Attributes:
        cone_degrees: how far a thing may be from the middle of the view.
        reach: how far it may be from the eyes, in metres.
        release: how far from the eyes a thing is put down, in metres.
    """

    cone_degrees: float = 30.0
    reach: float = 0.75
    release: float = 0.75

    def __post_init__(self) -> None:
        """Raise a ValueError if a constant makes no sense."""
        if not 0 < self.cone_degrees <= 90:
            raise ValueError(f"cone_degrees is {self.cone_degrees!r}; it must be more than 0, up to 90")
        for name in ("reach", "release"):
            if not 0 < getattr(self, name) <= 10:
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be more than 0, up to 10 metres")


def choose(
    eyes: Floats,
    gaze: Floats,
    candidates: Iterable[tuple[str, Floats]],
    is_visible: Callable[[str], bool],
    rule: GrabRule,
) -> str | None:
    """Return the name of the thing that is grabbed; None if there is none.

    Args:
        eyes: the middle between the eyes, in metres.
        gaze: the direction in which they look; its length is 1.
        candidates: names and places of things that can be grabbed.
        is_visible: whether a thing is not hidden; called for near things only, the most central first.
        rule: the constants.
    """
    least = cos(radians(rule.cone_degrees))
    found = []
    for name, place in candidates:
        towards = place - eyes
        distance = float(np.sqrt(towards @ towards))
        cosine = float(towards @ gaze) / max(distance, 1e-9)
        if distance <= rule.reach and cosine >= least:
            found.append((-cosine, name))
    return next((name for _, name in sorted(found) if is_visible(name)), None)
