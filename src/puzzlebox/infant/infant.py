"""A child with its bodily senses: what environments wrap."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.build import Control, Furnish
from puzzlebox.infant.body.child import Child
from puzzlebox.infant.body.child import Snapshot as BodySnapshot
from puzzlebox.infant.body.growth import REFERENCE_MONTHS, Growth
from puzzlebox.infant.body.poses import Pose
from puzzlebox.infant.senses.balance import Balance
from puzzlebox.infant.senses.ears import Ears, EarsSettings, EarsSnapshot
from puzzlebox.infant.senses.joints import Joints
from puzzlebox.infant.senses.skin import Skin, SkinSettings


@dataclass(frozen=True)
class Snapshot:
    """The state of a child and of its senses between two steps."""

    body: BodySnapshot
    skin: tuple[bytes, bytes] | None
    state: dict[str, NDArray[np.float32]]
    ears: EarsSnapshot | None = None


class Infant:
    """A child with skin, joints and balance.

    Its state is a dictionary of float32 arrays: `skin` (one value from 0 to 1 for each taxel), `joints` (angles,
    speeds, torques and rotations of bones) and `balance` (acceleration and rotation of the head), and `ears` (the sound
    of the last control step at the left and the right ear) if it was built with them.
    """

    def __init__(
        self,
        age_months: float = REFERENCE_MONTHS,
        *,
        control: str | Control = Control.POSITION,
        skin: SkinSettings | bool = True,
        ears: EarsSettings | bool = False,
        growth: Growth | None = None,
        furnish: Furnish | None = None,
    ) -> None:
        """Build the body and its senses.

        Args:
            age_months: 0 to 24.
            control: what an action means: `position`, `velocity` or `torque`.
            skin: the constants of the sense of touch, or False for a child without it.
            ears: how the child hears, or True for the defaults; then the state has `ears`, 2 x 2,940 samples.
            growth: the size of the body, if it is not that of the age.
            furnish: adds things to the description of the world before it is compiled.
        """
        self.body = Child(age_months, control=control, growth=growth, furnish=furnish)
        settings = SkinSettings() if skin is True else skin
        self.skin = Skin(self.body, settings) if settings else None
        hearing = EarsSettings() if ears is True else ears
        self.ears = Ears(self.body, hearing) if hearing else None
        self.joints, self.balance = Joints(self.body), Balance(self.body)
        self.state: dict[str, NDArray[np.float32]] = self._sense()

    def reset(self, seed: int | None = None, pose: str | Pose = "sit") -> dict[str, NDArray[np.float32]]:
        """Start again in a posture and return the state."""
        self.body.reset(seed, pose)
        if self.skin is not None:
            self.skin.reset()
        if self.ears is not None:
            self.ears.reset()
        self.state = self._sense()
        return self.state

    def step(self, action: Any = None) -> dict[str, NDArray[np.float32]]:
        """Hold an action for one control step and return the state; errors are those of `Child.step`."""
        self.body.step(action)
        self.state = self._sense()
        return self.state

    def _sense(self) -> dict[str, NDArray[np.float32]]:
        state = {"joints": self.joints.read().flat(), "balance": np.concatenate(self.balance.read())}
        if self.skin is not None:
            state["skin"] = self.skin.read()
        if self.ears is not None:
            state["ears"] = self.ears.read()
        return state

    def snapshot(self) -> Snapshot:
        """Return the state of the body, of habituation, and of everything else in the world."""
        skin = None if self.skin is None else self.skin.snapshot()
        ears = None if self.ears is None else self.ears.snapshot()
        return Snapshot(self.body.snapshot(), skin, {name: each.copy() for name, each in self.state.items()}, ears)

    def restore(self, snapshot: Snapshot) -> dict[str, NDArray[np.float32]]:
        """Go back to a snapshot of an infant that was built alike, and return the state it had."""
        self.body.restore(snapshot.body)
        if self.skin is not None and snapshot.skin is not None:
            self.skin.restore(snapshot.skin)
        if self.ears is not None and snapshot.ears is not None:
            self.ears.restore(snapshot.ears)
        self.state = {name: each.copy() for name, each in snapshot.state.items()}
        return self.state
