"""A child's body that can be stepped: what environments wrap.

A step holds one action for `CONTROL_STEP` seconds. The same seed and actions give the same bytes, and a restored
snapshot continues byte for byte like the uninterrupted body.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.body import Motion, Underside, upright
from puzzlebox.infant.body.bones import BONE_NAMES, BONES, JOINT_NAMES
from puzzlebox.infant.body.build import (
    FASTEST_TARGET,
    PHYSICS_STEP,
    SEAT,
    SUPPORT,
    Built,
    Control,
    Furnish,
    build,
)
from puzzlebox.infant.body.growth import REFERENCE_MONTHS, Growth, check_age
from puzzlebox.infant.body.physics import CONTROL_STEP, Physics, PhysicsSnapshot
from puzzlebox.infant.body.poses import Pose, pose_named
from puzzlebox.infant.body.stillness import Stillness
from puzzlebox.seeds import check_seed, rng_from
from puzzlebox.text import closest

PHYSICS_STEPS = round(CONTROL_STEP / PHYSICS_STEP)
# How far a seed moves each joint from its pose at a reset: a normal deviate, in radians.
_JITTER = 0.01


@dataclass(frozen=True)
class ChildSnapshot:
    """The state of a body and of its world between two steps.

    Attributes:
        physics: the state of the world.
        angles: the angle of each joint in radians, as bytes; the world does not hold those of locked joints.
    """

    physics: PhysicsSnapshot
    angles: bytes


class Child:
    """The body of a child of some age on a floor, with whatever else `furnish` adds to its world.

    Attributes:
        age_months: its age.
        built: the model and its tables.
        physics: the world it is in.
        model: the MuJoCo model.
        data: the MuJoCo state; positions, contacts and speeds in it are those of the end of the last step.
    """

    def __init__(
        self,
        age_months: float = REFERENCE_MONTHS,
        *,
        control: str | Control = Control.POSITION,
        growth: Growth | None = None,
        furnish: Furnish | None = None,
        locked: Collection[str] = (),
        fixed: bool = False,
    ) -> None:
        """Build the body.

        Args:
            age_months: 0 to 24.
            control: what an action means: `position`, `velocity` or `torque`.
            growth: the size of the body, if it is not that of the age.
            furnish: adds things to the description of the world before it is compiled.
            locked: joints that keep the angle of the posture, by name; the fewer joints move, the faster is a step.
            fixed: whether the pelvis stays exactly where a reset puts it.
        """
        self.age_months = check_age(age_months)
        self.built: Built = build(
            growth or Growth.at(self.age_months), _control_named(control), furnish, locked=locked, fixed=fixed
        )
        self.model = self.built.model
        self.physics = Physics(self.model)
        self.data = self.physics.data
        self._locked = frozenset(locked)
        self._with_locked = [
            bone for bone in BONES if any(f"{bone.name}.{each.name}" in locked for each in bone.joints)
        ]
        self._angles = np.zeros(self.action_size)
        self._still = Stillness(self.physics, self.built.bodies) if fixed else None
        self._underside = Underside(self.model, self.built.bodies)
        sensors = (self.model.sensor("acceleration"), self.model.sensor("rotation"))
        self._sensors = [slice(int(each.adr[0]), int(each.adr[0]) + 3) for each in sensors]
        self.reset()

    @property
    def steps(self) -> int:
        """Control steps since the reset."""
        return self.physics.steps

    @property
    def action_size(self) -> int:
        """The count of numbers in an action: one for each degree of freedom."""
        return len(JOINT_NAMES)

    def reset(
        self,
        seed: int | None = None,
        pose: str | Pose = "sit",
        *,
        at: tuple[float, float] = (0.0, 0.0),
        height: float = 0.0,
        heading: float = 0.0,
        seated: bool = False,
    ) -> None:
        """Start again in a posture, at rest and just touching the floor.

        Args:
            seed: moves every joint that can move a little from the posture. Default: none, the exact posture.
            pose: a posture or the name of one.
            at: where the pelvis is, x and y in metres.
            height: how high the lowest point of the body is above the floor, in metres.
            heading: degrees by which the body is turned to its left; at 0 it faces along x.
            seated: whether the pelvis is held in its place, as by a high chair.
        """
        posture = pose_named(pose) if isinstance(pose, str) else pose
        targets = posture.targets()
        if seed is not None:
            jitter = rng_from(check_seed(seed)).normal(0.0, _JITTER, len(targets))
            targets[self.built.moving] += jitter[self.built.moving]
        targets = np.clip(targets, self.built.low, self.built.high)
        mujoco.mj_resetData(self.model, self.data)
        self.set_angles(targets)
        place, turn = self._root()
        turn[:], place[:2] = upright(posture.pitch, heading), at
        mujoco.mj_kinematics(self.model, self.data)
        place[2] += height - self.lowest()
        if self.built.control is Control.POSITION:
            self._control(targets)
        self.support(posture.supported)
        self.seat(seated and not self.built.fixed)
        mujoco.mj_forward(self.model, self.data)
        self.physics.steps = 0

    def set_angles(self, angles: NDArray[np.float64]) -> None:
        """Set the angle of each joint in radians, those of locked ones too, without moving anything else."""
        self.data.qpos[self.built.positions] = angles[self.built.moving]
        self._angles[:] = angles
        for bone in self._with_locked:
            # Turns of locked joints are moved to the front, where the frame of the bone holds them: they turn the axes
            # of the joints before them the other way.
            turn, part, back = np.array((1.0, 0.0, 0.0, 0.0)), np.empty(4), np.empty(4)
            for joint in reversed(bone.joints):
                name, axis = f"{bone.name}.{joint.name}", np.array(joint.axis, np.float64)
                axis /= np.linalg.norm(axis)
                if name in self._locked:
                    mujoco.mju_axisAngle2Quat(part, axis, angles[JOINT_NAMES.index(name)])
                    mujoco.mju_mulQuat(turn, part, turn.copy())
                else:
                    mujoco.mju_negQuat(back, turn)
                    mujoco.mju_rotVecQuat(self.model.joint(name).axis, axis, back)
            self.model.body_quat[self.row(bone.name)] = turn

    def _root(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return position and rotation of the pelvis, which may be set."""
        if self.built.fixed:
            row = self.model.body_mocapid[self.row("pelvis")]
            return self.data.mocap_pos[row], self.data.mocap_quat[row]
        return self.data.qpos[:3], self.data.qpos[3:7]

    def _control(self, values: NDArray[np.float64]) -> None:
        """Set the controls of all joints that move."""
        self.data.ctrl[: len(self.built.moving)] = values[self.built.moving]

    def support(self, held: bool) -> None:
        """Let hands hold the chest where it is now, or let it go."""
        self._hold(SUPPORT, "chest", held)

    def seat(self, held: bool) -> None:
        """Let a high chair hold the pelvis where it is now, or let it go."""
        self._hold(SEAT, "pelvis", held)

    def _hold(self, holder: str, bone: str, held: bool) -> None:
        mujoco.mj_kinematics(self.model, self.data)
        body, row = self.data.body(bone), self.model.body(holder).mocapid[0]
        self.data.mocap_pos[row], self.data.mocap_quat[row] = body.xpos, body.xquat
        equality = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_EQUALITY, holder)
        # The bone is held in place; without this the weld would restore the posture of the compiled model.
        self.model.eq_data[equality, :3] = 0.0
        self.model.eq_data[equality, 3:6] = 0.0
        self.model.eq_data[equality, 6:10] = (1.0, 0.0, 0.0, 0.0)
        self.data.eq_active[equality] = held

    def lowest(self) -> float:
        """Return the height of the lowest point of the body above the floor, in metres."""
        return self._underside.height(self.data)

    def row(self, bone: str) -> int:
        """Return the MuJoCo body of a bone."""
        return int(self.built.bodies[BONE_NAMES.index(bone)])

    def step(self, action: Any = None) -> None:
        """Hold an action for one control step.

        Args:
            action: a number from -1 to 1 for each degree of freedom, in the order of `JOINT_NAMES`; numbers outside
                are clipped. Default: the last action.

        Raises:
            ValueError: the action has the wrong size or a number that is not finite.
            FloatingPointError: the simulation failed; the message is MuJoCo's reason. The body must be reset.
        """
        if action is not None:
            self.command(action)
        self.physics.advance()

    def command(self, action: Any) -> None:
        """Set the action of the next control step, which the physics may take without `step`."""
        self._control(self.controls(action))

    def controls(self, action: Any) -> NDArray[np.float64]:
        """Return the controls of MuJoCo for an action."""
        numbers = np.asarray(action, np.float64)
        if numbers.shape != (self.action_size,):
            raise ValueError(f"an action has the shape {numbers.shape}; it must be ({self.action_size},)")
        if not np.isfinite(numbers).all():
            joint = JOINT_NAMES[int(np.flatnonzero(~np.isfinite(numbers))[0])]
            raise ValueError(f"an action has a number for {joint} that is not finite")
        numbers = np.clip(numbers, -1.0, 1.0)
        if self.built.control is Control.TORQUE:
            return numbers * self.built.strength
        if self.built.control is Control.VELOCITY:
            return numbers * FASTEST_TARGET
        return self.built.low + (numbers + 1.0) / 2.0 * (self.built.high - self.built.low)

    def action_for(self, angles: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the action that asks for these angles in radians, under position control."""
        return 2.0 * (angles - self.built.low) / (self.built.high - self.built.low) - 1.0

    @property
    def angles(self) -> NDArray[np.float64]:
        """The angle of each joint in radians."""
        out = self._angles.copy()
        out[self.built.moving] = self.data.qpos[self.built.positions]
        return out

    @property
    def speeds(self) -> NDArray[np.float64]:
        """The speed of each joint in radians a second."""
        return self._spread(self.data.qvel)

    @property
    def torques(self) -> NDArray[np.float64]:
        """The torque of the muscles of each joint in newton metres."""
        return self._spread(self.data.qfrc_actuator)

    def _spread(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return one of MuJoCo's values for each joint, and 0 for those that do not move."""
        out = np.zeros(self.action_size)
        out[self.built.moving] = values[self.built.speeds]
        return out

    def motion(self) -> Motion:
        """Return the acceleration and the rotation of the head, in its own frame."""
        acceleration, rotation = (self.data.sensordata[each] for each in self._sensors)
        return Motion(acceleration, rotation)

    def near(self) -> NDArray[np.int32]:
        """Return the pairs of geoms that are near each other and may touch the skin (n x 2)."""
        found = np.asarray(self.data.contact.geom)
        still = self._still.near() if self._still is not None else found[:0]
        return np.concatenate((found, still)) if len(still) else found

    @property
    def warnings(self) -> int:
        """How often MuJoCo has warned since the reset, of anything."""
        return self.physics.warnings

    def snapshot(self) -> ChildSnapshot:
        """Return the state of the body and of everything else in its world."""
        return ChildSnapshot(self.physics.snapshot(), self.angles.tobytes())

    def restore(self, snapshot: ChildSnapshot) -> None:
        """Go back to a snapshot of a body that was built alike."""
        self.set_angles(np.frombuffer(snapshot.angles))
        self.physics.restore(snapshot.physics)


def _control_named(control: str | Control) -> Control:
    try:
        return Control(control)
    except ValueError:
        names = [each.value for each in Control]
        near = closest(str(control), names)
        raise ValueError(f"control is {control!r}; it must be one of {', '.join(names)}{near}") from None
