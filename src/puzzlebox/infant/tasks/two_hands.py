"""What tasks about reaching share: a child in a high chair at a table, a thing on it, and a script for two hands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.bones import LEFT, RIGHT
from puzzlebox.infant.body.growth import Growth
from puzzlebox.infant.body.poses import POSES, Pose
from puzzlebox.infant.body.skeleton import Skeleton, palm_of
from puzzlebox.infant.control.joints import JointControl
from puzzlebox.infant.scenes.catalogue import block, high_chair, table
from puzzlebox.infant.scenes.people import Person
from puzzlebox.infant.scenes.props import Prop
from puzzlebox.infant.scenes.room import Room
from puzzlebox.infant.senses.senses import SensesSettings
from puzzlebox.infant.tasks.play import Play
from puzzlebox.infant.tasks.settings import HANDS, JOINTS, Settings
from puzzlebox.infant.tasks.task import Task

Floats = NDArray[np.float64]
# The heights of the seat and of the table, and where the table begins, in metres at 18 months.
_SEAT, TABLE, _EDGE, _DEEP = 0.28, 0.43, 0.10, 0.45
# Flat hands grip a block between them.
_FINGERS = ("index", "middle", "ring", "little")
_FLAT = {f"{finger}_{part}.flex": 6.0 for finger in _FINGERS for part in ("base", "tip")}
SITTING = Pose(
    0,
    {
        **POSES["sit"].angles,
        **_FLAT,
        "thigh.flex": 88,
        "thigh.abduct": 12,
        "thigh.rotate": 0,
        "shin.flex": 85,
        "upper_arm.flex": 45,
        "upper_arm.abduct": 30,
        "forearm.flex": 70,
        "forearm.pronate": 0,
        "thumb_base.oppose": -5,
        "head.bend": 8,
        "neck.bend": 12,
    },
)
THING = "thing"
# The phases of the script in control steps: to both sides, together, and up.
_APART, _TOGETHER, _UP = 20, 12, 45
# How far below the surface of the thing the palms aim, in metres, so that they press.
_PRESS = 0.06
# How much of the error of a hand, or of a thing that is held, is corrected in a step, and metres of correction at most.
_CORRECTION, _MOST = 0.12, 0.10


@dataclass(frozen=True, kw_only=True)
class TwoHandsSettings(Settings):
    """Settings of the tasks at a table.

    Attributes:
        spread: how far the thing may be from its middle place, in metres to each side.
    """

    default_senses: ClassVar[tuple[str, ...]] = ("eyes", "skin", "joints")
    default_max_steps: ClassVar[int] = 150

    spread: float = 0.02
    skin_part: str = HANDS

    def __post_init__(self) -> None:
        """Raise a ValueError if a setting makes no sense."""
        super().__post_init__()
        self.number("spread", 0.0, 0.06)


class TwoHandsTask(Task[Any]):
    """A child in a high chair at a table uses both arms; all other joints are locked."""

    settings: TwoHandsSettings
    settings_class = TwoHandsSettings
    control = JOINTS
    joints = "arms"
    # The size of the thing and its mass, and where it is in front of the child, in metres and kilograms.
    size: ClassVar[float] = 0.09
    mass: ClassVar[float] = 0.15
    ahead: ClassVar[float] = 0.21

    def __init__(self, settings: Any) -> None:
        super().__init__(settings)
        growth = Growth.at(settings.age_months)
        self._skeleton = Skeleton(growth)
        self._palms = {side: np.array(palm_of(growth, side.rstrip("_"))) for side in (LEFT, RIGHT)}
        self._scale = growth.scales["trunk"][2]

    @property
    def room(self) -> Room:
        """A room of 3 m."""
        return Room(3.0, 3.0, 1.5)

    def person(self, name: str, senses: SensesSettings, clothes: Mapping[str, Any] | None) -> Person:
        """Return a child in a high chair, as high as its table."""
        return Person(
            name,
            self.settings.age_months,
            jointed=True,
            pose=SITTING,
            height=_SEAT - self._dangling(),
            seated=True,
            senses=senses,
            clothes=clothes,
        )

    def _dangling(self) -> float:
        """Return how far the lowest point of the sitting body is below its seat: its feet."""
        return 0.165 * Growth.at(self.settings.age_months).scales["leg"][2]

    @property
    def top(self) -> float:
        """The height of the table in metres; smaller children have a lower one."""
        return _SEAT + (TABLE - _SEAT) * self._scale

    def props(self) -> Sequence[Prop]:
        """Return chair, table and thing."""
        seat = high_chair(seat=_SEAT)
        board = table(depth=_DEEP, height=self.top).with_(at=(_EDGE + _DEEP / 2, 0.0, self.top))
        thing = block(THING, self.size, colour=(220, 60, 40), mass=self.mass).with_(friction=1.4)
        return [seat, board, thing]

    def begin(self, play: Play) -> None:
        """Put the thing in front of the child."""
        spread = self.settings.spread
        dx, dy = play.rng.uniform(-spread, spread, 2).tolist()
        play.show(THING, self.ahead + dx, dy, self.top + self.size / 2 + 0.001)
        self.memory.update(height=0.0, both=0, lifted=0, near=self.start_distance(dx, dy))

    def start_distance(self, dx: float, dy: float) -> float | None:
        """Return None: the first step measures the distance of the hands."""
        return None

    # --- what is measured

    def palms(self, play: Play) -> dict[str, Floats]:
        """Return where the middles of both palms are, in metres."""
        data, child, out = play.child.data, play.child, {}
        for side in (LEFT, RIGHT):
            row = child.row(f"{side}hand")
            out[side] = data.xpos[row] + data.xmat[row].reshape(3, 3) @ self._palms[side]
        return out

    def hand_distance(self, play: Play) -> float:
        """Return the sum of the distances of both palms from the thing, in metres."""
        place = play.place(THING)
        return float(sum(np.linalg.norm(place - palm) for palm in self.palms(play).values()))

    def both_touch(self, play: Play) -> bool:
        """Return whether both hands touch the thing."""
        return all(play.touches(0, THING, side) for side in (LEFT, RIGHT))

    def height(self, play: Play) -> float:
        """Return how high the thing is above the table, in metres."""
        return float(play.place(THING)[2] - self.size / 2 - self.top)

    def approach(self, play: Play) -> float:
        """Return by how much the hands came nearer in this step, in metres."""
        before, now = self.memory["near"], self.hand_distance(play)
        self.memory["near"] = now
        return 0.0 if before is None else before - now

    def measures(self, play: Play) -> Mapping[str, float]:
        """Return the height of the thing, and how far the hands are from it."""
        return {"height": self.height(play), "distance": self.hand_distance(play)}

    # --- the script

    def script(self, play: Play, agent: int) -> Any:
        """Bring both palms beside the thing, press them together, and lift."""
        return self.two_hands(play, self.memory.setdefault("start", play.place(THING).copy()), (0.0, 0.0, 0.14))

    def two_hands(self, play: Play, thing: Floats, goal: tuple[float, float, float]) -> Any:
        """Return targets of both arms for a grip at a place, which then moves.

        Args:
            play: the episode.
            thing: where the thing was at the start.
            goal: how far it is to be moved, in metres.
        """
        step, half, memory = play.steps, self.size / 2, self.memory
        share = float(np.clip((step - _APART - _TOGETHER) / _UP, 0.0, 1.0))
        closed = float(np.clip((step - _APART) / _TOGETHER, 0.0, 1.0))
        aside = (half + 0.07) * (1 - closed) + (half - _PRESS) * closed
        middle = thing + share * np.array(goal)
        # Muscles give way to weight: aim beside the place by what is missing.
        shift = memory.setdefault("shift", np.zeros(3))
        now = play.place(THING) if closed == 1.0 else sum(self.palms(play).values()) / 2
        memory["shift"] = shift = np.clip(shift + _CORRECTION * (middle - now), -_MOST, _MOST)
        return self.reach(play, middle + shift, aside)

    def reach(self, play: Play, middle: Floats, aside: float) -> Any:
        """Return targets of both arms that bring the palms to both sides of a place.

        Args:
            play: the episode.
            middle: the place between the palms, in metres.
            aside: how far each palm is from it, in metres; palms that aim below a surface press against it.
        """
        control, child, memory = play.control, play.child, self.memory
        assert isinstance(control, JointControl)
        pelvis, angles = child.row("pelvis"), memory.get("angles", SITTING.targets())
        self._skeleton.pose(child.data.xpos[pelvis], child.data.xquat[pelvis], angles)
        for side, sign in (("left", 1.0), ("right", -1.0)):
            place = middle + np.array((0.0, sign * aside, 0.0))
            angles = self._skeleton.reach(side, place, angles, rest=SITTING.targets())
        memory["angles"] = angles
        return np.clip(control.pick(child.action_for(angles)), -1.0, 1.0)
