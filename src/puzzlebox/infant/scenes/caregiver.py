"""A caregiver: an adult who looks, points, speaks, takes, hands over, puts down and walks.

Each action takes some time and follows a smooth curve; actions of the head, of each arm, of the legs and of the voice
go on at the same time. A hand carries a thing as animated hands do: it moves with the hand until it is let go.
"""

from copy import deepcopy
from dataclasses import dataclass, field
from math import atan2, cos, degrees, hypot, radians, sin
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.body import Body, upright
from puzzlebox.infant.body.bones import JOINT_NAMES
from puzzlebox.infant.body.physics import CONTROL_STEP
from puzzlebox.infant.body.skeleton import FINGERTIP, palm_of
from puzzlebox.infant.scenes.puppet import Puppet
from puzzlebox.infant.scenes.stage import Stage
from puzzlebox.infant.scenes.thing import Grip, Thing
from puzzlebox.infant.sound.voice import NEUTRAL

Array = NDArray[np.float64]
# What can be looked at, pointed at or reached: a thing or a person by name, or a place.
Target = str | tuple[float, float, float]
# Metres a second of a hand and of walking, degrees a second of turning, and the length of a step in metres.
_HAND_SPEED, _WALK_SPEED, _TURN_SPEED, _STRIDE = 0.5, 0.7, 120.0, 0.6
# Degrees a second with which head and eyes turn.
_LOOK_SPEED = 150.0
_FINGERS = ("index", "middle", "ring", "little")
_JAW = 14.0
# A hand that is let go of stays for this many seconds, so that nothing is torn away.
_LINGER = 0.2
# How far beside a palm a thing is before it is laid into it, in metres.
_ASIDE = 0.045
# Where in a hand a thing is laid, from the wrist to the fingers at 18 months, in metres.
_ALONG = -0.044
# It follows the palm for this share of its way.
_FOLLOWS = 0.65


@dataclass
class _Motion:
    """A motion of one hand: from where it is to a place, then something happens.

    Attributes:
        goal: the place of the palm, or of the fingertip if it points; None for the posture at rest.
        seconds: how long it takes.
        points: whether it points there with the index finger.
        then: what happens at its end: `take`, `let go` or nothing.
        thing: the thing that it takes or lets go.
        hold: how many seconds the hand stays there.
    """

    goal: Any
    seconds: float
    points: bool = False
    then: str = ""
    thing: str = ""
    hold: float = 0.0
    passed: float = 0.0
    start: Array | None = None
    done: bool = False


@dataclass
class _Lay:
    """A thing that is laid into a palm: how, and how far it has come."""

    thing: str
    to: str
    hand: str
    own: str
    press: float
    seconds: float = 1.0
    passed: float = 0.0
    start: Array | None = None
    goal: tuple[Array, Array, Array] | None = None


@dataclass
class _State:
    """Everything of a caregiver that changes."""

    look: Target | None = None
    hands: dict[str, list[_Motion]] = field(default_factory=lambda: {"left": [], "right": []})
    walk: list[tuple[float, float]] = field(default_factory=list)
    face: float | None = None
    phase: float = 0.0
    walking: float = 0.0
    shut: float = 0.0
    lay: _Lay | None = None


class Caregiver:
    """An actor of a stage that moves an adult.

    Attributes:
        stage: where the adult is.
        puppet: the body.
    """

    def __init__(self, stage: Stage, name: str = "caregiver") -> None:
        self.stage, self.name = stage, name
        self.puppet: Puppet = stage.puppet(name)
        self._state = _State()
        self._rest = self.puppet.angles
        stage.actors.append(self)

    # --- actions

    def look_at(self, target: Target | None) -> None:
        """Look at a thing, a person or a place until the next call; None looks ahead."""
        self._state.look = target

    def say(self, text: str, tone: str = NEUTRAL) -> None:
        """Speak; the jaw moves with the voice. Arguments are those of `Voice.say`."""
        self.stage.person(self.name).voice.say(text, tone)

    def point_at(self, target: Target, seconds: float = 3.0, hand: str | None = None) -> None:
        """Point at something with a straight arm and the index finger, and look at it."""
        side = hand or self._side(target)
        self.look_at(target)
        self._state.hands[side] += [_Motion(target, 0.7, points=True, hold=seconds), _Motion(None, 0.7)]

    def take(self, thing: str, hand: str | None = None) -> None:
        """Take a thing, and keep it in the hand."""
        side = hand or self._side(thing)
        self._state.hands[side].append(_Motion(thing, 0.0, then="take", thing=thing))

    def put(self, thing: str, at: tuple[float, float, float], hand: str | None = None, hold: float = 0.0) -> None:
        """Take a thing if no hand holds it, and put it somewhere along a curve; the frame of the thing comes to `at`.

        Args:
            thing: its name.
            at: where to, in metres.
            hand: which hand. Default: the one that holds it, or the one on its side.
            hold: for how many seconds it is held there before the hand lets go.
        """
        side = hand or self._holder(thing) or self._side(thing)
        motions = self._state.hands[side]
        if self._holder(thing) != side:
            motions.append(_Motion(thing, 0.0, then="take", thing=thing))
        motions += [_Motion(at, 0.0, then="let go", thing=thing, hold=hold), _Motion(None, 0.0)]

    def give(self, thing: str, to: str, hold: float = 2.0) -> None:
        """Hand a thing over: hold it in front of somebody, within reach, and let go after some seconds."""
        self.put(thing, self._in_front_of(to), hold=hold)
        self.look_at(to)

    def lay(self, thing: str, to: str, hand: str, press: float = 1.0) -> None:
        """Lay a thing into the palm of somebody, press it there lightly for some seconds, and let go.

        A rod, whose axis is z, comes to lie across the palm, along the thumb's side.
        """
        place = self.stage.person(to).body.row(f"{hand}_hand")
        own = self._side(tuple(self.stage.physics.data.xpos[place].tolist()))
        self._state.lay = _Lay(thing, to, hand, own, press)

    def relax(self) -> None:
        """Stop everything and go back to the posture at rest; what a hand holds falls."""
        for side in ("left", "right"):
            held = self.holds(side)
            if held is not None:
                self.stage[held].release()
        self._state = _State()

    def walk_to(self, x: float, y: float, facing: float | None = None) -> None:
        """Walk to a place in a straight line, and turn there to a heading in degrees."""
        self._state.walk.append((x, y))
        self._state.face = facing

    @property
    def busy(self) -> bool:
        """Whether hands, legs or voice are not done."""
        state = self._state
        hands = any(state.hands.values())
        hands = hands or state.lay is not None
        return hands or bool(state.walk) or state.face is not None or self.stage.person(self.name).voice.speaking

    def holds(self, hand: str) -> str | None:
        """Return the thing in a hand."""
        row = self.puppet.row(f"{hand}_hand")
        grips = ((name, thing.grip) for name, thing in self.stage.things.items())
        return next((name for name, grip in grips if grip is not None and grip.body == row), None)

    def _holder(self, thing: str) -> str | None:
        return next((side for side in ("left", "right") if self.holds(side) == thing), None)

    # --- what the stage calls

    def reset(self) -> None:
        """Stand or sit still."""
        self._state = _State()
        self._rest = self.puppet.angles

    def act(self) -> None:
        """Move everything by one control step."""
        self._walk()
        angles = self.puppet.angles
        for side in ("left", "right"):
            angles = self._move_hand(side, angles)
        lay = self._state.lay
        pose = None if lay is None else self._pose_of(lay)
        if lay is not None and pose is not None:
            angles = self._hold_at(lay, pose, angles)
        angles = self._move_head(angles)
        angles[JOINT_NAMES.index("jaw.open")] = radians(self._jaw())
        self.puppet.set(angles)
        if lay is not None and pose is not None:
            self._carry(lay, pose)

    def snapshot(self) -> Any:
        """Return the state."""
        return deepcopy((self._state, self._rest))

    def restore(self, snapshot: Any) -> None:
        """Go back to a state."""
        self._state, self._rest = deepcopy(snapshot)

    # --- places

    def place_of(self, target: Target) -> Array:
        """Return where a thing, the face of a person, or a place is."""
        if not isinstance(target, str):
            return np.array(target, np.float64)
        if target in self.stage.people:
            body = self.stage.person(target).body
            data = self.stage.physics.data
            return np.asarray((data.xpos[body.row("left_eye")] + data.xpos[body.row("right_eye")]) / 2)
        return self.stage[target].position

    def _side(self, target: Target) -> str:
        """Return the hand that is on the side of something."""
        towards = self.place_of(target) - self.puppet.position
        angle = radians(self.puppet.heading)
        return "left" if -towards[0] * sin(angle) + towards[1] * cos(angle) > 0 else "right"

    def _in_front_of(self, name: str) -> tuple[float, float, float]:
        """Return a place in front of the chest of somebody, on the way to the caregiver."""
        body, data = self.stage.person(name).body, self.stage.physics.data
        chest = data.xpos[body.row("chest")]
        own = self.puppet.skeleton().point("chest")
        away = (own - chest) * (1.0, 1.0, 0.0)
        scale = body.built.growth.scales["arm"][2]
        place = chest + 0.22 * scale * away / max(float(np.linalg.norm(away)), 1e-9)
        return (float(place[0]), float(place[1]), float(place[2]) + 0.02)

    # --- parts of the body

    def _walk(self) -> None:
        state, puppet = self._state, self.puppet
        if not state.walk and state.face is None and not state.walking:
            return
        position, heading = puppet.position, puppet.heading
        wanted = state.face
        step = 0.0
        if state.walk:
            x, y = state.walk[0]
            away = hypot(x - position[0], y - position[1])
            if away <= 1e-6:
                state.walk.pop(0)
                wanted = heading if state.walk else state.face
            else:
                towards = degrees(atan2(y - position[1], x - position[0]))
                wanted = towards
                if abs(_difference(heading, towards)) < 30.0:
                    step = min(away, _WALK_SPEED * CONTROL_STEP)
        if wanted is not None:
            turn = _difference(heading, wanted)
            heading += max(-_TURN_SPEED * CONTROL_STEP, min(_TURN_SPEED * CONTROL_STEP, turn))
            if not state.walk and abs(turn) < 1e-6:
                state.face = None
        if state.walk and step:
            x, y = state.walk[0]
            away = hypot(x - position[0], y - position[1])
            position = position + np.array((x - position[0], y - position[1], 0.0)) * (step / away)
        busy = bool(state.walk) or state.face is not None
        # The legs swing more and more when walking begins, and less and less when it ends.
        state.walking = min(1.0, state.walking + 0.2) if busy else max(0.0, state.walking - 0.2)
        state.phase += 2 * np.pi * max(step, 0.4 * _WALK_SPEED * CONTROL_STEP * busy) / (2 * _STRIDE)
        puppet.set(self._legs(puppet.angles), position, upright(0.0, heading))
        position[2] -= puppet.skeleton().lowest()
        puppet.set(position=position)

    def _legs(self, angles: Array) -> Array:
        out = angles.copy()
        for side, shift in (("left", 0.0), ("right", np.pi)):
            swing = sin(self._state.phase + shift)
            lifted = max(0.0, cos(self._state.phase + shift))
            for joint, value in (("thigh.flex", 24.0 * swing), ("shin.flex", 8.0 + 38.0 * lifted), ("foot.raise", 4.0)):
                row = JOINT_NAMES.index(f"{side}_{joint}")
                out[row] = self._rest[row] + self._state.walking * (radians(value) - self._rest[row])
        return out

    def _move_head(self, angles: Array) -> Array:
        look = self._state.look
        skeleton = self.puppet.skeleton()
        skeleton.pose(self.puppet.position, self.puppet.rotation, angles)
        rows = [row for row, name in enumerate(JOINT_NAMES) if name.split(".")[0] in _HEAD]
        wanted = self._rest if look is None else skeleton.face(self.place_of(look), angles)
        most = radians(_LOOK_SPEED) * CONTROL_STEP
        out = angles.copy()
        out[rows] += np.clip(wanted[rows] - out[rows], -most, most)
        return out

    def _jaw(self) -> float:
        """Return how far the jaw is open, in degrees: it opens and closes with each syllable."""
        state = self._state
        speaking = self.stage.person(self.name).voice.speaking
        state.shut = state.shut + CONTROL_STEP if speaking else 0.0
        return _JAW * abs(sin(np.pi * state.shut / 0.3)) if speaking else 0.0

    def _move_hand(self, side: str, angles: Array) -> Array:
        motions = self._state.hands[side]
        if not motions and self._state.lay is not None and self._state.lay.own == side:
            return angles
        if not motions:
            return self._settle(side, angles)
        motion = motions[0]
        skeleton = self.puppet.skeleton()
        skeleton.pose(self.puppet.position, self.puppet.rotation, angles)
        bone, at = (f"{side}_index_tip", _scaled_tip(self.puppet)) if motion.points else ("", None)
        here = skeleton.point(bone, at) if bone and at is not None else skeleton.palm(side)
        if motion.start is None:
            motion.start = here
        goal = self._goal(side, motion)
        if not motion.seconds:
            motion.seconds = max(0.4, float(np.linalg.norm(goal - motion.start)) / _HAND_SPEED)
        motion.passed += CONTROL_STEP
        share = min(1.0, motion.passed / motion.seconds)
        smooth = _smooth(share)
        place = motion.start + smooth * (goal - motion.start)
        if not motion.points:
            # A hand rises on its way, so that it does not sweep things off the table.
            rise = 1.2 * smooth * (1 - smooth) * float(np.linalg.norm(goal - motion.start))
            place = place + np.array((0.0, 0.0, rise))
        out = skeleton.reach(side, place, angles, bone=bone, at=at, trunk=not motion.points, rest=self._rest)
        out = self._fingers(side, out, motion.points, smooth)
        if share >= 1.0:
            self._arrive(side, motion)
            if motion.passed >= motion.seconds + motion.hold + (_LINGER if motion.then else 0.0):
                self._leave(motion)
                motions.pop(0)
        return out

    def _pose_of(self, lay: _Lay) -> tuple[Array, Array] | None:
        """Return where a thing that is laid into a palm is to be at the end of this step; None once it is let go."""
        thing, body = self.stage[lay.thing], self.stage.person(lay.to).body
        if lay.start is None:
            lay.start = np.concatenate((thing.position, thing.rotation))
        lay.passed += CONTROL_STEP
        if lay.passed > lay.seconds + lay.press:
            if thing.grip is not None and thing.grip.body == self.puppet.row(f"{lay.own}_hand"):
                thing.release()
            self._state.lay = None
            return None
        share = min(1.0, lay.passed / lay.seconds)
        if lay.goal is None or share < _FOLLOWS:
            # Later it does not follow the hand, which would push it away.
            lay.goal = self._in_palm(lay, thing, body)
        place, turn, aside = lay.goal
        if turn @ lay.start[3:] < 0:
            turn = -turn
        # It comes from the side of the palm, so that it does not strike the fingers.
        last = _smooth(max(0.0, (share - _FOLLOWS) / (1.0 - _FOLLOWS)))
        before = np.concatenate((place + _ASIDE * (1.0 - last) * aside, turn))
        mixed = lay.start + _smooth(min(1.0, share / _FOLLOWS)) * (before - lay.start)
        return mixed[:3], mixed[3:] / np.linalg.norm(mixed[3:])

    def _in_palm(self, lay: _Lay, thing: Thing, body: Body) -> tuple[Array, Array, Array]:
        """Return position and rotation of a thing that lies in a palm, and the direction away from the palm."""
        data = self.stage.physics.data
        hand, scale = body.row(f"{lay.hand}_hand"), body.built.growth.scales["hand"][0]
        place, turn = np.empty(3), np.empty(4)
        # The skin of the palm, and the thing on it, pressed in by 5 mm; z of the thing lies along x of the hand.
        side = 1.0 if lay.hand == "right" else -1.0
        out = scale * 0.014 + max(form.reach[0] for form in thing.prop.forms) - 0.005
        local = np.array((-0.004 * scale, side * out, _ALONG * scale))
        quarter = np.array((np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0))
        mujoco.mju_mulPose(place, turn, data.xpos[hand], data.xquat[hand], local, quarter)
        return place, turn, side * data.xmat[hand].reshape(3, 3)[:, 1]

    def _hold_at(self, lay: _Lay, pose: tuple[Array, Array], angles: Array) -> Array:
        """Return the angles that bring the own fingertips to the upper end of the thing."""
        skeleton = self.puppet.skeleton()
        skeleton.pose(self.puppet.position, self.puppet.rotation, angles)
        away = self.puppet.position - pose[0]
        level = away * (1.0, 1.0, 0.0) / max(float(np.hypot(away[0], away[1])), 1e-9)
        axis = np.empty(3)
        mujoco.mju_rotVecQuat(axis, np.array((0.0, 0.0, self.stage[lay.thing].prop.low)), pose[1])
        # The higher end, or of a level thing the one on the side of the own hand.
        outwards = skeleton.point(f"{lay.own}_upper_arm") - pose[0]
        if axis[2] < -0.01 or (axis[2] < 0.01 and axis @ outwards < 0):
            axis = -axis
        grip = pose[0] + axis + 0.02 * level + np.array((0.0, 0.0, 0.02))
        bone, tip = f"{lay.own}_middle_tip", _scaled_tip(self.puppet)
        return skeleton.reach(lay.own, grip, angles, bone=bone, at=tip, trunk=True, rest=self._rest)

    def _carry(self, lay: _Lay, pose: tuple[Array, Array]) -> None:
        """Let the own hand carry a thing so that it has a pose at the end of this step."""
        thing = self.stage[lay.thing]
        row = self.puppet.row(f"{lay.own}_hand")
        if thing.grip is not None and thing.grip.body != row:
            return  # somebody else has grasped it
        skeleton = self.puppet.skeleton()
        bone = skeleton.row(f"{lay.own}_hand")
        minus, inverse, place, turn = np.empty(3), np.empty(4), np.empty(3), np.empty(4)
        mujoco.mju_negPose(minus, inverse, skeleton.data.xpos[bone], skeleton.data.xquat[bone])
        mujoco.mju_mulPose(place, turn, minus, inverse, *pose)
        thing.grip = Grip(row, tuple(place.tolist()), tuple(turn.tolist()))

    def _goal(self, side: str, motion: _Motion) -> Array:
        """Return where the palm or the fingertip is to be."""
        if motion.goal is None:
            skeleton = self.puppet.skeleton()
            skeleton.pose(self.puppet.position, self.puppet.rotation, self._rest)
            return skeleton.palm(side)
        place = self.place_of(motion.goal)
        if motion.points:
            skeleton = self.puppet.skeleton()
            shoulder = skeleton.point(f"{side}_upper_arm")
            scales = self.puppet.built.growth.scales
            length = 0.225 * scales["arm"][2] + 0.07 * scales["hand"][2]
            away = place - shoulder
            return np.asarray(shoulder + min(length, 0.9 * float(np.linalg.norm(away))) * away / np.linalg.norm(away))
        if motion.then == "let go":
            grip = self.stage[motion.thing].grip
            if grip is not None:
                # The palm is where it has to be for the thing to come to its place.
                row = self.puppet.row(f"{side}_hand")
                data = self.stage.physics.data
                palm = data.xpos[row] + data.xmat[row].reshape(3, 3) @ np.array(palm_of(self.puppet.built.growth, side))
                return np.asarray(place - (self.stage[motion.thing].position - palm))
        if motion.then == "take":
            return np.asarray(place + np.array((0.0, 0.0, self.stage[motion.thing].prop.low + 0.02)))
        return place

    def _arrive(self, side: str, motion: _Motion) -> None:
        if motion.then == "take" and not motion.done:
            motion.done = True
            self.stage[motion.thing].hold(self.puppet, f"{side}_hand")

    def _leave(self, motion: _Motion) -> None:
        if motion.then == "let go":
            self.stage[motion.thing].release()

    def _fingers(self, side: str, angles: Array, points: bool, share: float) -> Array:
        """Return the angles with the index finger straight and the others bent, by a share."""
        if not points:
            return angles
        out = angles.copy()
        for finger in _FINGERS:
            for part in ("base", "tip"):
                row = JOINT_NAMES.index(f"{side}_{finger}_{part}.flex")
                out[row] += share * (radians(0.0 if finger == "index" else 75.0) - out[row])
        return out

    def _settle(self, side: str, angles: Array) -> Array:
        """Return the angles on the way to the posture at rest, for an arm without a task; a hand that holds stays."""
        if self.holds(side):
            return angles
        out = angles.copy()
        rows = [row for row, name in enumerate(JOINT_NAMES) if _is_arm(name, side)]
        if not any(self._state.hands.values()):
            rows += [row for row, name in enumerate(JOINT_NAMES) if name.split(".")[0] in ("lumbar", "thorax", "chest")]
        most = radians(120.0) * CONTROL_STEP
        out[rows] += np.clip(self._rest[rows] - out[rows], -most, most)
        return out


_HEAD = ("neck", "head", "left_eye", "right_eye")


def _is_arm(joint: str, side: str) -> bool:
    bone = joint.partition(".")[0]
    if not bone.startswith(f"{side}_"):
        return False
    return bone.removeprefix(f"{side}_").partition("_")[0] not in ("eye", "thigh", "shin", "foot", "toes")


def _scaled_tip(puppet: Puppet) -> Array:
    return np.multiply(FINGERTIP, puppet.built.growth.scales["hand"])


def _smooth(share: float) -> float:
    """Return how much of a way is done after a share of its time, if it begins and ends at rest."""
    return share**3 * (10 - 15 * share + 6 * share**2)


def _difference(heading: float, wanted: float) -> float:
    """Return how far a heading must be turned to become another one, from -180 to 180 degrees."""
    return (wanted - heading + 180.0) % 360.0 - 180.0
