"""Three scenes of a laboratory for infants: a high chair at a table, a crib, and a room."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import cos, radians, sin

from puzzlebox.infant.body.growth import Growth
from puzzlebox.infant.body.poses import POSES, Pose
from puzzlebox.infant.body.shapes import Vector
from puzzlebox.infant.body.skeleton import Skeleton
from puzzlebox.infant.scenes import catalogue
from puzzlebox.infant.scenes.people import ADULT, Person
from puzzlebox.infant.scenes.props import Prop, Tie, box, cylinder, turned
from puzzlebox.infant.scenes.room import Room
from puzzlebox.infant.scenes.stage import Stage

# The height of the seat of the high chair and of the surface of the table, for a child of 18 months, in metres.
SEAT_HEIGHT, TABLE_HEIGHT = 0.50, 0.645
# The table along x and y, and the gap between the middle of the seat and its near edge.
TABLE_DEPTH, TABLE_WIDTH, TABLE_GAP = 0.45, 0.60, 0.11
# How far the face of the caregiver is from that of the child, and the loudspeakers from its head.
OPPOSITE, SPEAKER_DISTANCE, SPEAKER_DEGREES = 0.70, 0.50, 80.0
_CHAIR = 0.45
# How far the table is below the elbows of the child.
_BELOW = 0.03
_HAND = {name: angle for name, angle in POSES["sit"].angles.items() if name.partition(".")[0] not in ("thigh", "shin")}
SEATED = Pose(
    0,
    {
        **_HAND,
        **{"thigh.flex": 84, "thigh.abduct": 14, "thigh.rotate": 6, "shin.flex": 70, "foot.raise": -8},
        **{"lumbar.bend": 2, "thorax.bend": 1, "chest.bend": 1, "neck.bend": 0, "head.bend": 2},
        **{"upper_arm.flex": 6, "upper_arm.abduct": 26, "upper_arm.rotate": -6},
        **{"forearm.flex": 98, "forearm.pronate": 60},
    },
)
# The same with hands drawn back to the body, away from what lies on the table.
WAITING = Pose(0, {**SEATED.angles, "upper_arm.flex": -30, "forearm.flex": 134, "upper_arm.abduct": 22})
SITTING_ADULT = Pose(
    0,
    {
        **{name: angle for name, angle in _HAND.items() if "_" in name.partition(".")[0]},
        **{"thigh.flex": 88, "thigh.abduct": 8, "shin.flex": 86},
        **{"upper_arm.flex": 2, "upper_arm.abduct": 12, "forearm.flex": 40, "forearm.pronate": 40},
        **{"neck.bend": 4, "head.bend": 4},
    },
)


@dataclass(frozen=True)
class Seat:
    """Where things are in the scene with the high chair, for a child of some age, in metres.

    Attributes:
        eyes: the middle between the eyes of the child in its first posture.
        table: the height of the table.
        near: the x of the near edge of the table.
        shoulders: the left and the right shoulder.
        arm: the length of an arm from the shoulder to the middle of the palm.
    """

    eyes: Vector
    table: float
    near: float
    shoulders: tuple[Vector, Vector]
    arm: float

    @classmethod
    def of(cls, age_months: float) -> "Seat":
        """Return the places for a child of some age; the chair lifts a small child to the table."""
        skeleton = Skeleton(Growth.at(age_months))
        skeleton.pose((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), SEATED.targets())
        # The table is a little below the elbows.
        elbow = float(skeleton.point("left_forearm")[2])
        skeleton.pose((0.0, 0.0, TABLE_HEIGHT + _BELOW - elbow), (1.0, 0.0, 0.0, 0.0), SEATED.targets())
        eyes = (skeleton.point("left_eye") + skeleton.point("right_eye")) / 2
        left, right = (skeleton.point(f"{side}_upper_arm") for side in ("left", "right"))
        return cls(_vector(eyes), TABLE_HEIGHT, TABLE_GAP, (_vector(left), _vector(right)), skeleton.arm_length)

    def around(self, degrees: float, distance: float, lift: float = 0.0) -> Vector:
        """Return a place around the eyes: degrees to the child's left, metres away, and metres above them."""
        angle = radians(degrees)
        x, y, z = self.eyes
        return (x + distance * cos(angle), y + distance * sin(angle), z + lift)


def _bottom(skeleton: Skeleton) -> float:
    """Return the height of the lowest point of the pelvis and the thighs: what rests on a seat."""
    model, data = skeleton.model, skeleton.data
    lows = []
    for bone in ("pelvis", "left_thigh", "right_thigh"):
        row = skeleton.row(bone)
        for geom in range(model.body_geomadr[row], model.body_geomadr[row] + model.body_geomnum[row]):
            size, axis = model.geom_size[geom], abs(float(data.geom_xmat[geom, 8]))
            capsule = size[1] * axis if size[1] else 0.0
            lows.append(float(data.geom_xpos[geom, 2] - size[0] - capsule))
    return min(lows)


def _vector(array: object) -> Vector:
    x, y, z = (float(each) for each in array)  # type: ignore[attr-defined]
    return (x, y, z)


def seat_scene(
    props: Sequence[Prop] = (),
    *,
    child: Person | None = None,
    caregiver: bool = True,
    speakers: bool = True,
    lamp: float = 1.0,
    room: Room | None = None,
    ties: Sequence[Tie] = (),
    pose: Pose = SEATED,
) -> Stage:
    """Return the scene SEAT: a child in a high chair at a table of 60 x 45 cm, opposite a caregiver.

    Things named in `props` come on top of `table`, `high chair`, and the loudspeakers `left speaker`, `right speaker`
    (80 degrees to each side of the child's head, 50 cm away) and `middle speaker`.

    Args:
        props: further things.
        child: who sits in the chair; its posture and place are set here. Default: a child of 18 months with joints.
        caregiver: whether the caregiver sits opposite, with the face at 70 cm.
        speakers: whether there are loudspeakers.
        lamp: the light at the start.
        room: the room. Default: 3 x 3 m.
        ties: knots between things.
        pose: how the child sits; only its arms, neck and head may differ from `SEATED`.
    """
    person = child or Person(jointed=True)
    places = Seat.of(person.age_months)
    seat, height = seat_heights(person)
    person = replace(person, pose=pose, at=(0.0, 0.0), heading=0.0, height=height, seated=True)
    furniture = [
        catalogue.high_chair(seat=seat),
        catalogue.table(depth=TABLE_DEPTH, width=TABLE_WIDTH, height=TABLE_HEIGHT).with_(
            at=(TABLE_GAP + TABLE_DEPTH / 2, 0.0, TABLE_HEIGHT)
        ),
    ]
    if speakers:
        for name, degrees in (("left", SPEAKER_DEGREES), ("right", -SPEAKER_DEGREES), ("middle", 0.0)):
            distance = SPEAKER_DISTANCE if degrees else 1.2
            speaker = catalogue.loudspeaker(f"{name} speaker").with_(
                at=places.around(degrees, distance, 0.0 if degrees else -0.35), turn=turned(degrees)
            )
            furniture.append(speaker)
    adults = []
    if caregiver:
        adults.append(seated_adult(places))
        furniture.append(stool("chair", _CHAIR).with_(at=(*adults[0].at, 0.0)))
    return Stage([*furniture, *props], [person], adults, room=room, lamp=lamp, ties=ties)


def seat_heights(person: Person) -> tuple[float, float]:
    """Return the height of the seat for a child, and that of the lowest point of its body, which are its feet."""
    skeleton = Skeleton(person.growth or Growth.at(person.age_months))
    skeleton.pose((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), SEATED.targets())
    bottom, elbow = _bottom(skeleton), float(skeleton.point("left_forearm")[2])
    seat = TABLE_HEIGHT + _BELOW - (elbow - bottom)
    return seat, seat - (bottom - skeleton.lowest())


def seated_adult(places: Seat, name: str = "caregiver") -> Person:
    """Return a caregiver who sits opposite the child."""
    growth = Growth.of(ADULT)
    skeleton = Skeleton(growth)
    skeleton.pose((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), SITTING_ADULT.targets())
    face = float(skeleton.point("left_eye")[0])
    height = _CHAIR - (_bottom(skeleton) - skeleton.lowest())
    at = (places.eyes[0] + OPPOSITE + face, 0.0)
    return Person.adult(name, pose=SITTING_ADULT, at=at, heading=180.0, height=height)


def stool(name: str = "stool", height: float = 0.45) -> Prop:
    """Return a round stool; its frame is on the floor."""
    post = cylinder(0.04, height - 0.05, (0.0, 0.0, (height - 0.05) / 2))
    top = cylinder(0.19, 0.04, (0.0, 0.0, height - 0.02))
    foot = cylinder(0.17, 0.02, (0.0, 0.0, 0.01))
    return Prop(name, (top, post, foot), free=False, colour=(120, 96, 80))


def crib_scene(
    props: Sequence[Prop] = (), *, child: Person | None = None, lamp: float = 1.0, room: Room | None = None
) -> Stage:
    """Return the scene CRIB: a child on its back in a crib, under a bar with a mobile that a script turns.

    Args:
        props: things besides `crib`, `bar` and `mobile`.
        child: who lies there; posture and place are set here. Default: a child of 3 months with joints.
        lamp: the light at the start.
        room: the room. Default: 3 x 3 m.
    """
    person = child or Person(age_months=3.0, jointed=True)
    skeleton = Skeleton(person.growth or Growth.at(person.age_months))
    half = float(skeleton.point("head")[2]) / 2
    crib = catalogue.crib()
    person = replace(
        person, pose="lie", at=(0.10 + half / 4, 0.0), height=crib.at[2] + 0.002, heading=180.0, seated=False
    )
    posts = [box(0.03, 0.03, 0.8, (0.0, side * 0.34, 0.40)) for side in (-1, 1)]
    bar = Prop(
        "bar", (box(0.03, 0.71, 0.03, (0.0, 0.0, 0.80)), *posts), (0.18, 0.0, 0.0), free=False, colour=catalogue.WOOD
    )
    mobile = catalogue.mobile().with_(at=(0.18, 0.0, 0.68))
    return Stage([crib, bar, mobile, *props], [person], lamp=lamp, room=room)


def room_scene(
    props: Sequence[Prop] = (),
    *,
    child: Person | None = None,
    caregiver: bool = True,
    furniture: bool = True,
    lamp: float = 1.0,
    room: Room | None = None,
) -> Stage:
    """Return the scene ROOM: a child that stands free in a room of 3 x 3 m with furniture and a caregiver.

    Args:
        props: things besides the furniture: `shelf`, `chest`, `stool` and `pillow`.
        child: who is there. Default: a child of 18 months that an animation moves.
        caregiver: whether the caregiver stands at the far wall.
        furniture: whether there is furniture.
        lamp: the light at the start.
        room: the room. Default: 3 x 3 m, each wall of another colour.
    """
    space = room or Room(walls=((214, 222, 230), (232, 224, 206), (222, 232, 214), (236, 218, 214)))
    x, y = space.depth / 2, space.width / 2
    things: list[Prop] = []
    if furniture:
        boards = tuple(box(0.30, 0.80, 0.02, (0.0, 0.0, 0.02 + 0.3 * number)) for number in range(4))
        sides = tuple(box(0.30, 0.02, 0.92, (0.0, side * 0.40, 0.46)) for side in (-1, 1))
        things = [
            Prop("shelf", (*boards, *sides), (x - 0.16, y - 0.50, 0.0), free=False, colour=catalogue.WOOD),
            catalogue.box_with_lid("chest", (0.40, 0.60, 0.35)).with_(at=(x - 0.25, 0.5 - y, 0.0)),
            stool("stool", 0.30).with_(at=(0.3 - x, y - 0.3, 0.0)),
            Prop("pillow", (box(0.35, 0.35, 0.10),), soft=True, mass=0.4, colour=(180, 80, 90)).on(0.4 - x, 0.4 - y),
        ]
    person = child or Person(pose="stand", at=(-0.5, 0.0))
    adults = [Person.adult(at=(x - 0.5, 0.0), heading=180.0)] if caregiver else []
    return Stage([*things, *props], [person], adults, lamp=lamp, room=space)
