"""A body that animation moves: it walks, crawls, squats, turns its head, reaches, holds and kicks, and never trips.

The pelvis moves over the floor at the speed that was asked for, and the legs follow. Every posture rests on the floor.
"""

from dataclasses import dataclass, replace
from math import atan2, cos, hypot, pi, radians, sin

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.bones import LEFT, RIGHT
from puzzlebox.infant.body.growth import REFERENCE_MONTHS, Growth
from puzzlebox.infant.body.physics import CONTROL_STEP
from puzzlebox.infant.body.skeleton import ARM, Skeleton
from puzzlebox.infant.control.cycles import (
    ALL_FOURS,
    CRAWL_STRIDE,
    KICK_STEPS,
    ROWS,
    SQUAT,
    SQUATTING,
    WALK_STRIDE,
    blended,
    crawling,
    kicking,
    walking,
)
from puzzlebox.infant.control.ground import Ground
from puzzlebox.infant.control.speeds import BACKWARDS, Speeds, speeds_at

Floats = NDArray[np.float64]
# Control steps in which an arm reaches out, and in which it comes back.
REACH_STEPS = 3
# Control steps in which a child gets down on hands and knees, or up again.
DOWN_STEPS = 6
# The radius of the disc that a body needs on the floor, relative to its stature.
RADIUS = 0.15
# How far head and eyes turn and nod, in radians: neck and head together reach 55 degrees down, and the eyes the rest.
HEAD_UP, HEAD_DOWN, HEAD_ASIDE = radians(50), radians(-75), radians(70)
# A child that walks looks a little downwards.
RESTING_PITCH = radians(-12)
# Where a hand holds a thing, in the frame of the chest at 18 months, in metres; y is outwards.
_HOLD = (0.175, 0.035, 0.010)
# Shoulders of a standing child are this high, relative to its stature.
_SHOULDERS = 0.70


@dataclass(frozen=True)
class WalkerState:
    """All that changes of an animated body.

    Attributes:
        x: where the pelvis is, in metres.
        y: where the pelvis is, in metres.
        heading: where it faces, in radians: 0 along x, counter-clockwise.
        phase: of the steps, from 0 to 1.
        effort: the speed relative to the fastest one, of the last step.
        down: 0 upright, 1 on hands and knees.
        goes_down: whether it is getting, or is, on hands and knees.
        head_pitch: how far the head looks up, in radians.
        head_yaw: how far the head is turned to the left, in radians.
        kick: control steps since a kick began; -1 for none.
        side: the hand that reaches and holds.
        target: the place to which that hand reaches, in metres; None for none.
        reach: how far it has come, from 0 to 1.
        returns: whether it is on its way back.
        holds: whether it holds something.
    """

    x: float = 0.0
    y: float = 0.0
    heading: float = 0.0
    phase: float = 0.0
    effort: float = 0.0
    down: float = 0.0
    goes_down: bool = False
    head_pitch: float = RESTING_PITCH
    head_yaw: float = 0.0
    kick: int = -1
    side: str = RIGHT
    target: tuple[float, float, float] | None = None
    reach: float = 0.0
    returns: bool = False
    holds: bool = False


@dataclass(frozen=True)
class Posture:
    """A posture in the room.

    Attributes:
        place: where the pelvis is, in metres.
        turn: how it is turned: w, x, y, z.
        angles: the angle of each joint in radians, in the order of `JOINT_NAMES`.
    """

    place: Floats
    turn: Floats
    angles: Floats


class Walker:
    """A body that animation moves.

    Attributes:
        state: all that changes.
        speeds: how fast it is.
        radius: of the disc it needs on the floor, in metres.
    """

    def __init__(
        self,
        age_months: float = REFERENCE_MONTHS,
        *,
        growth: Growth | None = None,
        speeds: Speeds | None = None,
    ) -> None:
        self.growth = growth or Growth.at(age_months)
        self.speeds = speeds or speeds_at(age_months)
        self.skeleton = Skeleton(self.growth)
        self._holding = {side: self._hold(side) for side in (LEFT, RIGHT)}
        scale = self.growth.scales
        self._leg = 0.345 * scale["leg"][2]
        self._thigh = 0.155 * scale["leg"][2]
        self.stature = 0.345 * scale["leg"][2] + 0.249 * scale["trunk"][2] + 0.221 * scale["head"][2]
        self.radius = RADIUS * self.stature
        self.state = WalkerState()
        self.place_at(0.0, 0.0, 0.0)

    @property
    def arm_length(self) -> float:
        """From the shoulder to the middle of the palm, in metres."""
        return self.skeleton.arm_length

    def place_at(self, x: float, y: float, heading: float) -> None:
        """Put the body somewhere, at rest with empty hands: upright, or on hands and knees if it cannot walk."""
        down = not self.speeds.walks
        self.state = WalkerState(x=x, y=y, heading=heading, down=float(down), goes_down=down)

    # --- what it is asked to do

    def move(self, walk: float, turn: float, head_pitch: float, head_yaw: float, ground: Ground) -> None:
        """Walk, turn and move the head for one control step; each number is from -1 to 1.

        Args:
            walk: the share of the fastest speed, negative backwards.
            turn: the share of the fastest turn, positive to the left.
            head_pitch: the share of the fastest nod, positive upwards.
            head_yaw: the share of the fastest turn of the head, positive to the left.
            ground: where it may walk.
        """
        state, speeds = self.state, self.speeds
        crawls = state.down >= 1.0
        busy = state.target is not None or 0.0 < state.down < 1.0 or state.kick >= 0
        effort = 0.0 if busy else (walk if walk >= 0 else walk * BACKWARDS)
        turning = 0.0 if busy and state.kick < 0 else turn
        heading = (state.heading + turning * radians(speeds.turn) * CONTROL_STEP + pi) % (2 * pi) - pi
        metres = effort * (speeds.crawl if crawls else speeds.walk) * CONTROL_STEP
        x, y = state.x + metres * cos(heading), state.y + metres * sin(heading)
        x, y = ground.moved(x, y, self.radius)
        stride = CRAWL_STRIDE * self._thigh if crawls else WALK_STRIDE * self._leg
        # A child that turns on the spot takes small steps, too.
        travelled = metres + abs(turning) * radians(speeds.turn) * CONTROL_STEP * 0.08
        shown = effort if abs(effort) > 0.25 or not turning else 0.25
        nod = head_pitch * radians(speeds.head) * CONTROL_STEP
        look = head_yaw * radians(speeds.head) * CONTROL_STEP
        self.state = replace(
            state,
            x=x,
            y=y,
            heading=heading,
            effort=shown,
            phase=(state.phase + travelled / stride) % 1.0,
            head_pitch=min(HEAD_UP, max(HEAD_DOWN, state.head_pitch + nod)),
            head_yaw=min(HEAD_ASIDE, max(-HEAD_ASIDE, state.head_yaw + look)),
        )
        self._animate()

    def look_at(self, place: Floats) -> None:
        """Turn the head towards a place at once, as far as it goes; for scripts, and at the start of an episode."""
        for _ in range(15):
            # The head nods about an axis that turns with it, so that the angles depend on each other.
            towards = np.asarray(place, np.float64) - self.eyes()
            eyes = [self.skeleton.row("left_eye"), self.skeleton.row("right_eye")]
            gaze = self.skeleton.data.xmat[eyes].reshape(2, 3, 3)[:, :, 0].mean(axis=0)
            wanted, now = (_angles(each) for each in (towards, gaze))
            yaw = self.state.head_yaw + 0.6 * ((wanted[0] - now[0] + pi) % (2 * pi) - pi)
            pitch = self.state.head_pitch + 0.6 * (wanted[1] - now[1])
            self.state = replace(
                self.state,
                head_pitch=max(HEAD_DOWN, min(HEAD_UP, pitch)),
                head_yaw=max(-HEAD_ASIDE, min(HEAD_ASIDE, yaw)),
            )

    def get_down(self, down: bool) -> None:
        """Get down on hands and knees, or up again; who cannot walk stays down, and who holds something stays up."""
        if not self.state.holds and self.state.target is None:
            self.state = replace(self.state, goes_down=down or not self.speeds.walks)

    def kick(self) -> None:
        """Begin to swing a leg; only upright."""
        if self.state.kick < 0 and self.state.down == 0.0:
            self.state = replace(self.state, kick=0)

    def reach_for(self, place: Floats) -> None:
        """Begin to reach for a place with the hand that is nearer to it."""
        x, y, z = (float(each) for each in place)
        state = self.state
        left = -sin(state.heading) * (x - state.x) + cos(state.heading) * (y - state.y)
        side = state.side if state.holds else (LEFT if left > 0 else RIGHT)
        self.state = replace(state, target=(x, y, z), reach=0.0, returns=False, side=side)

    @property
    def arrived(self) -> bool:
        """Whether the hand is where it reached for."""
        return self.state.target is not None and self.state.reach >= 1.0 and not self.state.returns

    @property
    def kicks_now(self) -> bool:
        """Whether the foot of a kick is at its foremost in this step."""
        return self.state.kick == KICK_STEPS // 2

    def take_back(self, holds: bool) -> None:
        """Let the hand come back from where it reached, with something in it or not."""
        self.state = replace(self.state, returns=True, holds=holds)

    def let_go(self) -> None:
        """Hold nothing any more."""
        self.state = replace(self.state, holds=False)

    def _animate(self) -> None:
        state = self.state
        reach, target, returns = state.reach, state.target, state.returns
        if target is not None:
            reach = reach - 1 / REACH_STEPS if returns else min(1.0, reach + 1 / REACH_STEPS)
            if returns and reach <= 1e-9:
                reach, target, returns = 0.0, None, False
        step = 1 / DOWN_STEPS
        down = min(1.0, state.down + step) if state.goes_down else max(0.0, state.down - step)
        kick = -1 if state.kick < 0 or state.kick + 1 > KICK_STEPS else state.kick + 1
        down = round(down, 9)
        self.state = replace(state, reach=reach, target=target, returns=returns, down=down, kick=kick)

    # --- where it is

    def posture(self) -> Posture:
        """Return the posture of the current state, resting on the floor."""
        state = self.state
        squat = self._squat()
        pitch = radians(SQUAT.pitch) * squat
        angles = blended(walking(state.phase, state.effort), SQUATTING, squat)
        if state.kick >= 0:
            angles = kicking(angles, state.kick)
        if state.down > 0:
            angles = blended(angles, crawling(state.phase, state.effort), state.down)
            pitch += (radians(ALL_FOURS.pitch) - pitch) * state.down
        self._turn_head(angles, pitch)
        place = np.array((state.x, state.y, 0.0))
        turn = _turn(state.heading, pitch)
        self.skeleton.pose(place, turn, angles)
        place[2] = -self.skeleton.lowest()
        self._move_arm(angles, place, turn)
        return Posture(place, turn, angles)

    def pose(self) -> Posture:
        """Return the posture, with the bones of the skeleton moved to it."""
        posture = self.posture()
        self.skeleton.pose(posture.place, posture.turn, posture.angles)
        return posture

    def eyes(self) -> Floats:
        """Return the middle between the eyes, in metres, after moving the skeleton."""
        self.pose()
        return (self.skeleton.point("left_eye") + self.skeleton.point("right_eye")) / 2

    def palm(self) -> Floats:
        """Return the middle of the palm of the hand that reaches and holds; call `pose` first."""
        return self.skeleton.palm(self.state.side.rstrip("_"))

    def _squat(self) -> float:
        """Return how far the body squats, from 0 to 1: low things need it."""
        state = self.state
        if state.target is None or state.down > 0:
            return 0.0
        needed = (_SHOULDERS * self.stature - state.target[2] - 0.7 * self.arm_length) / (0.30 * self.stature)
        return float(max(0.0, min(1.0, needed))) * state.reach

    def _turn_head(self, angles: Floats, pitch: float) -> None:
        """Turn neck and head, so that the head looks as high as it should however the trunk is bent."""
        state = self.state
        spine = sum(angles[ROWS[f"{bone}.bend"]] for bone in ("lumbar", "thorax", "chest"))
        bend = -state.head_pitch - pitch - spine
        for bone, limit in (("neck", radians(30)), ("head", radians(25))):
            angles[ROWS[f"{bone}.bend"]] = max(-limit, min(limit, bend / 2))
            angles[ROWS[f"{bone}.twist"]] = state.head_yaw / 2
        # The eyes look where the head does not get.
        rest = angles[ROWS["neck.bend"]] + angles[ROWS["head.bend"]] - bend
        for side in (LEFT, RIGHT):
            angles[ROWS[f"{side}eye.raise"]] = max(radians(-40), min(radians(30), rest))

    def _hold(self, side: str) -> Floats:
        """Return the angles of an arm that holds something in front of the chest."""
        outwards, scale = 1.0 if side == LEFT else -1.0, self.growth.scales["trunk"]
        angles = walking(0.0, 0.0)
        self.skeleton.pose(np.zeros(3), _turn(0.0, 0.0), angles)
        place = self.skeleton.point("chest", np.multiply(_HOLD, scale) * (1.0, outwards, 1.0))
        return self.skeleton.reach(side.rstrip("_"), place, angles)[_arm_rows(side)]

    def _move_arm(self, angles: Floats, place: Floats, turn: Floats) -> None:
        """Bring the arm that reaches or holds to where it should be."""
        state = self.state
        if state.target is None and not state.holds:
            return
        # A hand comes from where it holds things, so that its way depends on nothing but the place.
        held = angles.copy()
        held[_arm_rows(state.side)] = self._holding[state.side]
        out = held if state.holds else angles
        if state.target is not None:
            self.skeleton.pose(place, turn, held)
            out = blended(out, self.skeleton.reach(state.side.rstrip("_"), state.target, held), state.reach)
        angles[:] = out


def _arm_rows(side: str) -> list[int]:
    return [ROWS[side + name] for name in ARM]


def _angles(direction: Floats) -> tuple[float, float]:
    """Return how far a direction is turned to the left and upwards, in radians."""
    x, y, z = direction.tolist()
    return atan2(y, x), atan2(z, hypot(x, y))


def _turn(heading: float, pitch: float) -> Floats:
    """Return the rotation of a pelvis that faces somewhere and leans forwards, as w, x, y, z."""
    a, b, c, d = cos(heading / 2), sin(heading / 2), cos(pitch / 2), sin(pitch / 2)
    return np.array((a * c, -b * d, a * d, b * c))
