"""Tools for scripts that know everything: where to look and where to reach, in both modes of control."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from puzzlebox.infant.body.bones import JOINT_NAMES
from puzzlebox.infant.body.child import Child
from puzzlebox.infant.body.physics import CONTROL_STEP
from puzzlebox.infant.body.skeleton import Skeleton
from puzzlebox.infant.items.seated import GRAB, HEAD_PITCH, HEAD_YAW
from puzzlebox.infant.items.session import CHILD, Session

Array = NDArray[np.float64]
_FINGERS = ("index", "middle", "ring", "little")
# Metres a second with which a script moves a hand, and how much of an error it corrects in a step.
_HAND_SPEED, _CORRECTION = 0.45, 0.12
# Within how many metres of its goal a hand slows down, and to what speed.
_NEAR, _SLOW = 0.14, 0.15


class Script:
    """Builds the actions of one step. A new one is made for each step; what lasts is kept in `memory`."""

    def __init__(self, session: Session, memory: dict[str, Any]) -> None:
        """Begin a step.

        Args:
            session: what is played.
            memory: kept from step to step; emptied when a trial begins or ends.
        """
        self.session, self.memory = session, memory
        self.body = session.stage.person(CHILD).body
        self.data = session.stage.physics.data
        self.numbers = np.zeros(6)
        pose = session.start_angles
        self.angles = memory.get("angles", pose).copy()

    def action(self) -> Array:
        """Return the action."""
        child = self.session.child
        if child is None:
            return self.numbers
        self.memory["angles"] = self.angles
        return np.clip(child.action_for(self.angles), -1.0, 1.0)

    # --- looking

    def look(self, place: ArrayLike) -> None:
        """Turn head and eyes to a place."""
        if self.session.child is not None:
            self._look_with_joints(np.asarray(place, np.float64))
        else:
            self._look_with_head(np.asarray(place, np.float64))

    def _look_with_head(self, place: Array) -> None:
        driver = self.session.driver
        assert driver is not None
        eyes, gaze = driver.gaze()
        away = place - eyes
        turn = np.arctan2(away[1], away[0]) - np.arctan2(gaze[1], gaze[0])
        lift = np.arcsin(away[2] / np.linalg.norm(away)) - np.arcsin(np.clip(gaze[2], -1.0, 1.0))
        most = np.radians(60.0) * CONTROL_STEP
        self.numbers[HEAD_YAW] = np.clip(0.7 * turn / most, -1.0, 1.0)
        self.numbers[HEAD_PITCH] = np.clip(0.7 * lift / most, -1.0, 1.0)

    def _look_with_joints(self, place: Array) -> None:
        child = self.session.child
        assert child is not None
        skeleton = self._skeleton(child)
        wanted = skeleton.face(place, self.angles)
        rows = [row for row, name in enumerate(JOINT_NAMES) if name.split(".")[0] in ("neck", "head")]
        self.angles[rows] = wanted[rows]
        # The eyes make up for what the head lacks, from where it really is.
        head = self.data.xmat[child.row("head")].reshape(3, 3)
        for side in ("left", "right"):
            x, y, z = head.T @ (place - self.data.xpos[child.row(f"{side}_eye")])
            self.set({f"{side}_eye.turn": np.arctan2(y, x), f"{side}_eye.raise": np.arctan2(z, np.hypot(x, y))})

    def set(self, radians: Mapping[str, float]) -> None:
        """Set the targets of some joints."""
        for name, angle in radians.items():
            row = JOINT_NAMES.index(name)
            self.angles[row] = np.clip(angle, self.body.built.low[row], self.body.built.high[row])

    def _skeleton(self, child: Child) -> Skeleton:
        skeleton = self.session.skeleton
        pelvis = child.row("pelvis")
        skeleton.pose(self.data.xpos[pelvis], self.data.xquat[pelvis], self.angles)
        return skeleton

    # --- hands

    def palm(self, side: str) -> Array:
        """Return where a palm was at the end of the last step."""
        return np.array(self.session.log.entries[-1].hands[side].palm)

    def reach(self, place: ArrayLike, side: str) -> None:
        """Bring a palm to a place, evenly; with primitives: look there and grab."""
        goal = np.asarray(place, np.float64)
        child = self.session.child
        if child is None:
            self.look(goal)
            driver = self.session.driver
            assert driver is not None
            eyes, gaze = driver.gaze()
            away = goal - eyes
            # What is seen need not be in the very middle of the view; in the dark the gaze says where to reach.
            if float(away @ gaze / np.linalg.norm(away)) > (0.95 if self.session.stage.lamp else 0.9995):
                self.numbers[GRAB] = 1.0
            return
        key = f"way of {side}"
        way = self.memory.get(key)
        if way is None:
            way = {"at": self.palm(side), "error": np.zeros(3)}
        # A hand comes from above, so that it does not get below the edge of the table.
        level = float(np.hypot(*(goal - self.palm(side))[:2]))
        step = goal + np.array((0.0, 0.0, min(0.05, 0.6 * level))) - way["at"]
        # Fingers are ahead of the palm: what they strike fast flies off before it is felt.
        fastest = _HAND_SPEED if level > _NEAR else _SLOW
        way["at"] = way["at"] + step * min(1.0, fastest * CONTROL_STEP / max(float(np.linalg.norm(step)), 1e-9))
        # Muscles give way to gravity: aim beside the place until the palm is there.
        way["error"] = np.clip(way["error"] + _CORRECTION * (way["at"] - self.palm(side)), -0.12, 0.12)
        self.memory[key] = way
        skeleton = self._skeleton(child)
        place = way["at"] + way["error"]
        self.angles = skeleton.reach(side, place, self.angles, trunk=True, rest=self.session.start_angles)

    def close(self, side: str) -> None:
        """Close a hand around something thin; with primitives: grab."""
        self.numbers[GRAB] = 1.0
        for finger in _FINGERS:
            # A fist with full strength would squeeze a rod out.
            self.set({f"{side}_{finger}_{part}.flex": np.radians(60.0) for part in ("base", "tip")})
        self.set({f"{side}_thumb_base.oppose": np.radians(50.0), f"{side}_thumb_base.close": 0.0})
        self.set({f"{side}_thumb_{part}.flex": np.radians(40.0) for part in ("middle", "tip")})
