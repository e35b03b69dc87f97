"""A child with its senses: what environments wrap."""

from dataclasses import dataclass
from typing import Any

from puzzlebox.infant.body.build import Control, Furnish
from puzzlebox.infant.body.child import Child, ChildSnapshot
from puzzlebox.infant.body.growth import REFERENCE_MONTHS, Growth
from puzzlebox.infant.body.poses import Pose
from puzzlebox.infant.senses.ears import EarsSettings
from puzzlebox.infant.senses.eyes import EyeSettings
from puzzlebox.infant.senses.senses import Senses, SensesSettings, SensesSnapshot, State
from puzzlebox.infant.senses.skin import SkinSettings


@dataclass(frozen=True)
class Snapshot:
    """The state of a child and of its senses between two steps."""

    body: ChildSnapshot
    senses: SensesSnapshot


class Infant:
    """A child with skin, joints and balance, alone in its world.

    Its state is a dictionary of arrays: `skin` (one value from 0 to 1 for each taxel), `joints` (angles, speeds,
    torques and rotations of bones) and `balance` (acceleration and rotation of the head), `ears` (the sound of the last
    control step at the left and the right ear) and `eyes` (bytes, a picture for each eye) if it was built with them.
    """

    def __init__(
        self,
        age_months: float = REFERENCE_MONTHS,
        *,
        control: str | Control = Control.POSITION,
        skin: SkinSettings | bool = True,
        ears: EarsSettings | bool = False,
        eyes: EyeSettings | bool = False,
        growth: Growth | None = None,
        furnish: Furnish | None = None,
    ) -> None:
        """Build the body and its senses.

        Args:
            age_months: 0 to 24.
            control: what an action means: `position`, `velocity` or `torque`.
            skin: the constants of the sense of touch, or False for a child without it.
            ears: how the child hears, or True for the defaults; then the state has `ears`, 2 x 2,940 samples.
            eyes: what the child sees, or True for the defaults; then the state has `eyes`, 2 x 84 x 84 x 3 bytes, and
                `fovea`, `depth` and `segments` if the settings ask for them.
            growth: the size of the body, if it is not that of the age.
            furnish: adds things to the description of the world before it is compiled. The eyes do not see them;
                `puzzlebox.infant.scenes.stage.Stage` has things that can be seen.
        """
        self.body = Child(age_months, control=control, growth=growth, furnish=furnish)
        self.senses = Senses(self.body, SensesSettings(skin=skin, ears=ears, eyes=eyes))
        self.skin, self.ears, self.eyes = self.senses.skin, self.senses.ears, self.senses.eyes
        self.state: State = self.senses.read()

    def reset(self, seed: int | None = None, pose: str | Pose = "sit") -> State:
        """Start again in a posture and return the state."""
        self.body.reset(seed, pose)
        self.senses.reset()
        self.state = self.senses.read()
        return self.state

    def step(self, action: Any = None) -> State:
        """Hold an action for one control step and return the state; errors are those of `Child.step`."""
        self.body.step(action)
        self.state = self.senses.read()
        return self.state

    def snapshot(self) -> Snapshot:
        """Return the state of the body, of its senses, and of everything else in the world."""
        return Snapshot(self.body.snapshot(), self.senses.snapshot())

    def restore(self, snapshot: Snapshot) -> State:
        """Go back to a snapshot of an infant that was built alike, and return the state it had."""
        self.body.restore(snapshot.body)
        self.state = self.senses.restore(snapshot.senses)
        return self.state
