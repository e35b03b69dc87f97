"""BabyRun: move forwards with all joints of the body."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from puzzlebox.infant.body.bones import LEFT, RIGHT
from puzzlebox.infant.body.physics import CONTROL_STEP
from puzzlebox.infant.body.poses import POSES, Pose
from puzzlebox.infant.control.cycles import ROWS
from puzzlebox.infant.scenes.people import Person
from puzzlebox.infant.scenes.props import Prop
from puzzlebox.infant.scenes.room import Room
from puzzlebox.infant.senses.senses import SensesSettings
from puzzlebox.infant.tasks.play import Play
from puzzlebox.infant.tasks.settings import JOINTS, Settings
from puzzlebox.infant.tasks.task import Outcome, Task, difference

# On hands and knees, with straighter arms than those of a child that crawls by animation.
START = Pose(
    81,
    {
        **POSES["stand"].angles,
        **{"thigh.flex": 78, "thigh.abduct": 6, "thigh.rotate": 0, "shin.flex": 88, "foot.raise": -40},
        **{"upper_arm.flex": 72, "upper_arm.abduct": 4, "forearm.flex": 10, "forearm.pronate": 70, "hand.flex": -50},
        **{"neck.bend": -28, "head.bend": -22, "lumbar.bend": -4},
    },
)
# How far it must get, in metres.
_FAR = 1.0
# The gait of the script: strides a second, and for each joint the amplitude in rad, the phase, and the shift in rad
# from the posture on hands and knees; the right side is half a stride behind. Found by a random search.
STRIDES = 1.554
# By which factor the strides of other ages are faster: months, and factors. Found by trying 0.8 to 1.25 at each age.
_AGES, _FASTER = (15.0, 18.0, 21.0, 24.0), (1.25, 1.0, 1.0, 1.1)
_GAIT = {
    "thigh.flex": (1.386, 0.724, 0.271),
    "shin.flex": (0.533, 0.798, 0.442),
    "thigh.abduct": (-0.917, -0.324, 0.007),
    "upper_arm.flex": (1.344, 0.509, 0.161),
    "forearm.flex": (-0.403, 0.499, -0.069),
    "upper_arm.abduct": (0.182, -0.811, 0.339),
    "foot.raise": (-0.337, 0.299, 0.140),
}
# In this gait the child turns to the side on which limbs swing farther: by which share for each rad of a turn aside, by
# which share at most, and which joints.
_STEER, SHARPEST, _STEERING = 2.0, 0.5, ("thigh.flex", "upper_arm.flex")


@dataclass(frozen=True, kw_only=True)
class BabyRunSettings(Settings):
    """Settings of BabyRun.

    Attributes:
        gravity: in metres a second squared, 0.5 to 20.
        turn: whether turning to the left is rewarded, in rad, instead of moving forwards; passed after a quarter turn.
        effort_cost: what is taken off the reward for the mean square of an action.
    """

    default_senses: ClassVar[tuple[str, ...]] = ("skin", "joints", "balance")
    default_max_steps: ClassVar[int] = 300

    gravity: float = 9.81
    turn: bool = False
    effort_cost: float = 0.0

    def __post_init__(self) -> None:
        """Raise a ValueError if a setting makes no sense."""
        super().__post_init__()
        self.number("gravity", 0.5, 20.0)
        self.number("effort_cost", 0.0, 10.0)


class BabyRun(Task[BabyRunSettings]):
    """A child on hands and knees moves forwards as it likes."""

    settings_class = BabyRunSettings
    control = JOINTS
    joints = "all"
    reward = "metres that the middle of the body has moved forwards, less `effort_cost` (the amounts are ours)"
    end = "after 1 m; then it is passed"
    youngest = 0.0
    why_youngest = "muscles are all it takes"

    @property
    def room(self) -> Room:
        """An open floor."""
        return Room(20.0, 20.0, 0.0)

    def person(self, name: str, senses: SensesSettings, clothes: Mapping[str, Any] | None) -> Person:
        """Return a child on hands and knees."""
        return Person(name, self.settings.age_months, jointed=True, pose=START, senses=senses, clothes=clothes)

    def props(self) -> Sequence[Prop]:
        """Return nothing: the floor is empty."""
        return ()

    def begin(self, play: Play) -> None:
        """Set gravity; the posture of the child differs a little from seed to seed."""
        play.stage.physics.model.opt.gravity[2] = -self.settings.gravity
        self.memory.update(way=None, start=None)

    def _way(self, play: Play) -> float:
        """Return how far the middle of the body is ahead, in metres, or how far it has turned, in rad."""
        if not self.settings.turn:
            return float(play.child.data.subtree_com[play.child.row("pelvis"), 0])
        before = self.memory["way"] or 0.0
        return before + difference(before, self._heading(play))

    def _heading(self, play: Play) -> float:
        """Return how far the pelvis is turned to the left, in rad."""
        turn = play.child.data.xmat[play.child.row("pelvis")].reshape(3, 3)
        return float(np.arctan2(turn[1, 1], -turn[0, 1])) - np.pi / 2

    def step(self, play: Play) -> Outcome:
        """Pay for the way."""
        memory, way = self.memory, self._way(play)
        if memory["way"] is None:
            memory["way"] = memory["start"] = way
        reward = way - memory["way"] - self.settings.effort_cost * float(np.mean(play.actions[0] ** 2))
        memory["way"] = way
        over = way - memory["start"] >= (np.pi / 2 if self.settings.turn else _FAR)
        return Outcome([reward], bool(over), True if over else None)

    def measures(self, play: Play) -> Mapping[str, float]:
        """Return how far it has got, in metres or rad."""
        start = self.memory["start"]
        return {"way": 0.0 if start is None else self.memory["way"] - start}

    def reason(self, play: Play) -> str:
        """Return how far it has got."""
        way = self.measures(play)["way"]
        if self.settings.turn:
            return f"the child has turned by {np.degrees(way):.0f} of 90 degrees"
        return f"the child has come {way:.2f} m ahead; it must be {_FAR:g} m"

    def script(self, play: Play, agent: int) -> Any:
        """Gallop on hands and knees, and steer straight ahead, or to the left if turning is rewarded."""
        turned = difference(0.0, self._heading(play))
        steer = SHARPEST if self.settings.turn else float(np.clip(-_STEER * turned, -SHARPEST, SHARPEST))
        return self.gait(play, play.steps * CONTROL_STEP * self.strides, steer)

    @property
    def strides(self) -> float:
        """The strides a second of the gait at the age of the child."""
        return STRIDES * float(np.interp(self.settings.age_months, _AGES, _FASTER))

    def gait(self, play: Play, strides: float, steer: float, share: float = 1.0) -> Any:
        """Return the targets of all joints at a moment of the gait.

        Args:
            play: the episode.
            strides: how many strides have passed.
            steer: by which share the limbs of the left side swing farther, and those of the right side less.
            share: how far all limbs swing, as a share of what was found.
        """
        angles = START.targets()
        for joint, (amplitude, phase, shift) in _GAIT.items():
            for side, late, more in ((LEFT, 0.0, 1 + steer), (RIGHT, 0.5, 1 - steer)):
                swing = share * amplitude * (more if joint in _STEERING else 1.0)
                angles[ROWS[side + joint]] += shift + swing * np.sin(2 * np.pi * (strides + phase + late))
        return np.clip(play.child.action_for(angles), -1.0, 1.0)
