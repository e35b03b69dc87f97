"""Control of a seated child by six primitives: it turns its head, reaches to where it looks, grasps and lets go."""

from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass
from math import cos, radians
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.bones import JOINT_NAMES
from puzzlebox.infant.body.physics import CONTROL_STEP
from puzzlebox.infant.scenes.puppet import Puppet
from puzzlebox.infant.scenes.stage import Stage

Array = NDArray[np.float64]
WALK, TURN, HEAD_PITCH, HEAD_YAW, GRAB, ACT = range(6)
# Beyond this, `grab` does something.
TRIGGER = 0.5
# Degrees a second of the head, and how far it turns; metres a second of a hand.
_HEAD_SPEED, _UP, _DOWN, _ASIDE, _HAND_SPEED = 60.0, 45.0, -55.0, 75.0, 0.4
# A thing can be reached for within this cone around the gaze, and is grasped at this distance from the palm.
_CONE, _NEAR = cos(radians(30.0)), 0.045
# Seconds in which a hand closes, and degrees by which its fingers bend.
_CLOSING, _BENT = 0.3, 60.0
_FINGERS = ("index", "middle", "ring", "little")


@dataclass
class _State:
    pitch: float = 0.0
    yaw: float = 0.0
    side: str = "right"
    # Where a hand goes, and whether it is on its way back.
    goal: tuple[float, float, float] | None = None
    aim: str = ""
    back: bool = False
    held: str = ""
    closed: tuple[float, float] = (0.0, 0.0)


class SeatedDriver:
    """Drives a seated puppet by six numbers: walk, turn, head pitch, head yaw, grab, act; the first two do nothing.

    `grab` above 0.5 closes the hands. If something lies in a palm, that hand holds it. Otherwise a hand reaches for the
    visible thing nearest to the middle of the view, or to where the gaze meets the table, and holds what it finds
    there. Below -0.5 it lets go. `act` above 0.5 says something.
    """

    def __init__(
        self,
        stage: Stage,
        name: str,
        *,
        table: float,
        grabs: Iterable[str] = (),
        visible: Callable[[str], bool] = lambda name: True,
    ) -> None:
        """Prepare the control.

        Args:
            stage: where the child is.
            name: its name there.
            table: the height of the table.
            grabs: the things that it can grasp.
            visible: whether a thing can be seen.
        """
        self.stage, self.name, self.table = stage, name, table
        self.grabs, self.visible = tuple(grabs), visible
        self.puppet: Puppet = stage.puppet(name)
        self._rest = self.puppet.angles
        self._state = _State()
        self._start_pitch = self._pitch_at_rest()

    def _pitch_at_rest(self) -> float:
        rows = [JOINT_NAMES.index(f"{bone}.bend") for bone in ("neck", "head")]
        return -float(np.degrees(self._rest[rows].sum()))

    # --- what the stage calls

    def reset(self) -> None:
        """Sit as at the start, with empty hands."""
        self._rest = self.puppet.angles
        self._state = _State(pitch=self._pitch_at_rest())

    def recentre(self) -> None:
        """Go back to the posture at the start of the episode, with empty hands."""
        self._let_go()
        self._state = _State(pitch=self._start_pitch)
        self.puppet.set(self._rest)

    def drive(self, action: Any) -> None:
        """Carry out six numbers; None is six zeros."""
        numbers = np.zeros(6) if action is None else np.clip(np.asarray(action, np.float64), -1.0, 1.0)
        if numbers.shape != (6,) or not np.isfinite(numbers).all():
            raise ValueError(f"an action is {action!r}; it must be six finite numbers")
        state = self._state
        most = _HEAD_SPEED * CONTROL_STEP
        state.pitch = float(np.clip(state.pitch + most * numbers[HEAD_PITCH], _DOWN, _UP))
        state.yaw = float(np.clip(state.yaw + most * numbers[HEAD_YAW], -_ASIDE, _ASIDE))
        if numbers[GRAB] < -TRIGGER:
            self._let_go()
        elif numbers[GRAB] > TRIGGER and not state.held:
            self._grab()
        if numbers[ACT] > TRIGGER and not self.stage.person(self.name).voice.speaking:
            self.stage.person(self.name).voice.say("ma")
        self._move(numbers[GRAB] > TRIGGER)

    def snapshot(self) -> Any:
        """Return the state."""
        return deepcopy((self._state, self._rest))

    def restore(self, snapshot: Any) -> None:
        """Go back to a state."""
        self._state, self._rest = deepcopy(snapshot)

    # --- what it does

    def gaze(self) -> tuple[Array, Array]:
        """Return the middle between the eyes and the direction in which they look."""
        skeleton = self.puppet.skeleton()
        eyes = (skeleton.point("left_eye") + skeleton.point("right_eye")) / 2
        return eyes, skeleton.data.xmat[skeleton.row("head")].reshape(3, 3)[:, 0].copy()

    def _things(self) -> list[tuple[str, Array]]:
        things = [(name, self.stage[name]) for name in self.grabs]
        return [(name, thing.position) for name, thing in things if not thing.hidden]

    def _grab(self) -> None:
        state = self._state
        for side in ("left", "right"):
            palm = self.puppet.skeleton().palm(side)
            for name, place in self._things():
                if np.linalg.norm(place - palm) < _NEAR:
                    self._take(name, side)
                    return
        if state.goal is not None:
            return
        eyes, gaze = self.gaze()
        found = []
        for name, place in self._things():
            away = place - eyes
            cosine = float(away @ gaze / np.linalg.norm(away))
            if cosine > _CONE and self.visible(name):
                found.append((cosine, name))
        if found:
            self._reach(self.stage[max(found)[1]].position, max(found)[1])
        elif gaze[2] < -0.05:
            self._reach(eyes + gaze * ((self.table + 0.02 - eyes[2]) / gaze[2]), "")

    def _reach(self, place: Array, aim: str) -> None:
        state, skeleton = self._state, self.puppet.skeleton()
        state.side = "left" if place[1] > 0 else "right"
        shoulder = skeleton.point(f"{state.side}_upper_arm")
        # A hand cannot go farther than the arm is long.
        arm = 0.29 * self.puppet.built.growth.scales["arm"][2]
        away = place - shoulder
        place = shoulder + away * min(1.0, arm / float(np.linalg.norm(away)))
        x, y, z = place.tolist()
        state.goal, state.aim, state.back = (x, y, max(z, self.table + 0.012)), aim, False

    def _take(self, name: str, side: str) -> None:
        state = self._state
        thing = self.stage[name]
        thing.release()
        thing.hold(self.puppet, f"{side}_hand")
        state.held, state.side = name, side
        if state.goal is not None:
            state.back = True

    def _let_go(self) -> None:
        state = self._state
        if state.held and self.stage[state.held].held:
            self.stage[state.held].release()
        state.held = ""

    def _move(self, closes: bool) -> None:
        state = self._state
        angles = self._arms()
        for bone in ("neck", "head"):
            angles[JOINT_NAMES.index(f"{bone}.bend")] = -radians(state.pitch) / 2
            angles[JOINT_NAMES.index(f"{bone}.twist")] = radians(state.yaw) / 2
        step = CONTROL_STEP / _CLOSING
        closed = []
        for side, now in zip(("left", "right"), state.closed, strict=True):
            wanted = 1.0 if closes or (state.held and state.side == side) else 0.0
            now = float(np.clip(wanted, now - step, now + step))
            closed.append(now)
            for finger in _FINGERS:
                for part in ("base", "tip"):
                    angles[JOINT_NAMES.index(f"{side}_{finger}_{part}.flex")] += radians(_BENT) * now
        state.closed = (closed[0], closed[1])
        self.puppet.set(angles)

    def _arms(self) -> Array:
        """Return the angles with a hand on its way, from those at rest."""
        state, puppet = self._state, self.puppet
        angles = self._rest.copy()
        if state.goal is None:
            return angles
        skeleton = puppet.skeleton()
        here = skeleton.palm(state.side)
        skeleton.pose(puppet.position, puppet.rotation, angles)
        home = skeleton.palm(state.side)
        goal = home if state.back else np.array(state.goal)
        away = goal - here
        distance = float(np.linalg.norm(away))
        place = here + away * min(1.0, _HAND_SPEED * CONTROL_STEP / max(distance, 1e-9))
        if distance < 0.015:
            if state.back:
                state.goal = None
                return angles
            if not state.held:
                near = [(float(np.linalg.norm(at - here)), name) for name, at in self._things()]
                if near and min(near)[0] < 1.5 * _NEAR:
                    self._take(min(near)[1], state.side)
            state.back = True
        return skeleton.reach(state.side, place, puppet.angles, trunk=True, rest=self._rest)
