"""Control of joints: targets for all joints of a child or for some, while the others are locked."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from puzzlebox.infant.body.bones import JOINT_NAMES
from puzzlebox.infant.body.child import Child
from puzzlebox.infant.control.numbers import action_numbers
from puzzlebox.text import closest

_ARM = ("collarbone", "upper_arm", "forearm", "hand")
_FINGER = ("thumb", "index", "middle", "ring", "little")
_LEG = ("thigh", "shin", "foot", "toes")
_TRUNK, _HEAD = ("lumbar", "thorax", "chest"), ("neck", "head")


def _joints_of(bones: Sequence[str]) -> tuple[str, ...]:
    """Return the joints of bones on both sides; a bone may be named by its first word."""
    out = []
    for name in JOINT_NAMES:
        bone = name.partition(".")[0].removeprefix("left_").removeprefix("right_")
        if bone in bones or bone.partition("_")[0] in bones:
            out.append(name)
    return tuple(out)


# Groups of joints by name; both sides.
GROUPS: dict[str, tuple[str, ...]] = {
    "all": JOINT_NAMES,
    "arms": _joints_of(_ARM),
    "fingers": _joints_of(_FINGER),
    "legs": _joints_of(_LEG),
    "trunk": _joints_of(_TRUNK),
    "neck": _joints_of(_HEAD),
    "eyes": _joints_of(("eye",)),
    "upper": _joints_of((*_TRUNK, *_HEAD, *_ARM, *_FINGER)),
}


def joints_named(names: str | Sequence[str]) -> tuple[str, ...]:
    """Return joints given by their names, by those of groups, or by a mixture, in the order of `JOINT_NAMES`.

    Raises:
        ValueError: there is no such joint or group.
    """
    chosen: set[str] = set()
    for name in (names,) if isinstance(names, str) else names:
        if name not in GROUPS and name not in JOINT_NAMES:
            known = [*GROUPS, *JOINT_NAMES]
            raise ValueError(
                f"there is no joint {name!r}; there are the groups {', '.join(GROUPS)} and the joints of "
                f"puzzlebox.infant.body.bones.JOINT_NAMES{closest(name, known)}"
            )
        chosen |= set(GROUPS.get(name, (name,)))
    if not chosen:
        raise ValueError("no joints were named; there must be at least one")
    return tuple(name for name in JOINT_NAMES if name in chosen)


class JointControl:
    """Normalised targets of some joints.

    Attributes:
        names: the joints, in the order of the action.
        locked: all other joints.
        space: the action space; -1 is the lower limit of a joint and 1 the upper one.
        base: the full action that keeps the posture in which an episode began; locked joints follow it.
    """

    def __init__(self, names: str | Sequence[str] = "all") -> None:
        self.names = joints_named(names)
        self.locked = tuple(name for name in JOINT_NAMES if name not in self.names)
        self.space = Box(-1.0, 1.0, (len(self.names),), np.float32)
        self._rows = np.array([JOINT_NAMES.index(name) for name in self.names])
        self.base = np.zeros(len(JOINT_NAMES))

    def begin(self, child: Child) -> None:
        """Take the posture of the child as the one that locked joints keep; call it after each reset."""
        self.base = child.action_for(child.angles)

    def full(self, action: Any) -> NDArray[np.float64]:
        """Return the action of all joints for an action of this control.

        Raises:
            ValueError: the action has the wrong shape or a number that is not finite.
        """
        numbers = action_numbers(action, self.space.shape)
        if not np.isfinite(numbers).all():
            name = self.names[int(np.flatnonzero(~np.isfinite(numbers))[0])]
            raise ValueError(f"an action has a number for {name} that is not finite")
        out = self.base.copy()
        out[self._rows] = np.clip(numbers, -1.0, 1.0)
        return out

    def pick(self, action: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return those numbers of an action of all joints that are in the action space."""
        return np.asarray(action[self._rows], np.float32)

    def current(self, child: Child) -> NDArray[np.float32]:
        """Return the action that keeps the posture the child has now."""
        return np.asarray(np.clip(child.action_for(child.angles)[self._rows], -1.0, 1.0), np.float32)
