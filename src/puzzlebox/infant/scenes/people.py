"""The people of a scene, described: who they are, where they are and what they sense."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from puzzlebox.infant.body.build import Control
from puzzlebox.infant.body.growth import OLDEST, REFERENCE_MONTHS, Growth, Measures
from puzzlebox.infant.body.poses import Pose
from puzzlebox.infant.looks.paint import Colour
from puzzlebox.infant.senses.senses import SensesSettings

# A woman of 1.65 m: round values of adults, written down from memory and not verified.
ADULT = Measures(165.0, 62.0, 55.0, 87.0, 52.0, 17.5, 24.5, 88.0, 27.0)
_CLOTHES: Mapping[str, Colour] = {"shirt": (108, 140, 122), "trousers": (70, 74, 96), "hair": (84, 54, 36)}


@dataclass(frozen=True)
class Person:
    """Somebody on a stage.

    Attributes:
        name: by which the stage knows the person.
        age_months: the age of body and senses, 0 to 24.
        growth: the size of the body, if it is not that of the age.
        jointed: whether muscles move the body, by an action for each joint. Otherwise an animation does. At most one
            person of a stage has joints.
        control: what an action means for a jointed body: `position`, `velocity` or `torque`.
        pose: the posture at the start of an episode.
        at: where the pelvis is then, x and y in metres.
        height: how high the lowest point of the body is then.
        heading: degrees by which the body is turned to its left then; at 0 it faces along x.
        seated: whether a high chair holds the pelvis in its place.
        locked: joints of a jointed body that keep the angle of `pose`, by name. If there are any, the pelvis of a
            seated body does not move at all.
        senses: what the person senses. Default: nothing.
        clothes: other colours of hair and clothes, by the names of `paint.COVERS`.
    """

    name: str = "child"
    age_months: float = REFERENCE_MONTHS
    growth: Growth | None = None
    jointed: bool = False
    control: str | Control = Control.POSITION
    pose: str | Pose = "sit"
    at: tuple[float, float] = (0.0, 0.0)
    height: float = 0.0
    heading: float = 0.0
    seated: bool = False
    locked: tuple[str, ...] = ()
    senses: SensesSettings | None = None
    clothes: Mapping[str, Colour] | None = None

    @classmethod
    def adult(cls, name: str = "caregiver", **more: object) -> "Person":
        """Return an adult, who stands; `more` sets other attributes."""
        person = cls(name, OLDEST, Growth.of(ADULT), pose="stand", clothes=_CLOTHES)
        return replace(person, **more)  # type: ignore[arg-type]
