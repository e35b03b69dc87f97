"""A child's body that can be stepped: what environments wrap.

A step holds one action for `CONTROL_STEP` seconds. The same seed and actions give the same bytes, and a restored
snapshot continues byte for byte like the uninterrupted body.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.bones import JOINT_NAMES
from puzzlebox.infant.body.build import FASTEST_TARGET, PHYSICS_STEP, SUPPORT, Built, Control, Furnish, build
from puzzlebox.infant.body.growth import REFERENCE_MONTHS, Growth, check_age
from puzzlebox.infant.body.poses import Pose, pose_named
from puzzlebox.seeds import check_seed, rng_from
from puzzlebox.text import closest

# Seconds of one control step, and how many physics steps it has.
CONTROL_STEP = 1 / 15
PHYSICS_STEPS = round(CONTROL_STEP / PHYSICS_STEP)
# The part of MuJoCo's state that determines everything that follows.
_STATE = mujoco.mjtState.mjSTATE_INTEGRATION
# How far a seed moves each joint from its pose at a reset: a normal deviate, in radians.
_JITTER = 0.01
# MuJoCo would write each warning into a file MUJOCO_LOG.TXT in the current folder; `step` raises an error instead.
mujoco.set_mju_user_warning(lambda message: None)
# What MuJoCo found wrong: a number that is not finite or too large.
_FATAL = (mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL, mujoco.mjtWarning.mjWARN_BADQACC)


@dataclass(frozen=True)
class Snapshot:
    """The state of a body between two steps."""

    state: bytes
    sensors: bytes
    torques: bytes
    steps: int


class Child:
    """The body of a child of some age on a floor, with whatever else `furnish` adds to its world.

    Attributes:
        built: the model and its tables.
        model: the MuJoCo model.
        data: the MuJoCo state; positions, contacts and speeds in it are those of the end of the last step.
        steps: control steps since the reset.
        watch: called with its number after each physics step of a control step, if it is set; it must change nothing.
    """

    def __init__(
        self,
        age_months: float = REFERENCE_MONTHS,
        *,
        control: str | Control = Control.POSITION,
        growth: Growth | None = None,
        furnish: Furnish | None = None,
    ) -> None:
        """Build the body.

        Args:
            age_months: 0 to 24.
            control: what an action means: `position`, `velocity` or `torque`.
            growth: the size of the body, if it is not that of the age.
            furnish: adds things to the description of the world before it is compiled.
        """
        self.age_months = check_age(age_months)
        self.built: Built = build(growth or Growth.at(self.age_months), _control_named(control), furnish)
        self.model = self.built.model
        self.data = mujoco.MjData(self.model)
        self.steps = 0
        self.watch: Callable[[int], None] | None = None
        self.reset()

    @property
    def action_size(self) -> int:
        """The count of numbers in an action: one for each degree of freedom."""
        return len(JOINT_NAMES)

    def reset(self, seed: int | None = None, pose: str | Pose = "sit") -> None:
        """Start again in a posture, at rest and just touching the floor.

        Args:
            seed: moves every joint a little from the posture. Default: none, the exact posture.
            pose: a posture or the name of one.
        """
        posture = pose_named(pose) if isinstance(pose, str) else pose
        targets = posture.targets()
        if seed is not None:
            targets = targets + rng_from(check_seed(seed)).normal(0.0, _JITTER, len(targets))
        targets = np.clip(targets, self.built.low, self.built.high)
        mujoco.mj_resetData(self.model, self.data)
        self.set_angles(targets)
        half = np.radians(posture.pitch) / 2
        self.data.qpos[3:7] = (np.cos(half), 0.0, np.sin(half), 0.0)
        mujoco.mj_kinematics(self.model, self.data)
        self.data.qpos[2] -= self.lowest()
        if self.built.control is Control.POSITION:
            self.data.ctrl[: self.action_size] = targets
        self.support(posture.supported)
        mujoco.mj_forward(self.model, self.data)
        self.steps = 0

    def set_angles(self, angles: NDArray[np.float64]) -> None:
        """Set the angle of each joint in radians, without moving anything else."""
        self.data.qpos[self.built.positions] = angles

    def support(self, held: bool) -> None:
        """Let hands hold the chest where it is now, or let it go."""
        mujoco.mj_kinematics(self.model, self.data)
        chest = self.data.body("chest")
        self.data.mocap_pos[0], self.data.mocap_quat[0] = chest.xpos, chest.xquat
        row = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_EQUALITY, SUPPORT)
        # The hands hold the chest in place; without this the weld would restore the posture of the compiled model.
        self.model.eq_data[row, :3] = 0.0
        self.model.eq_data[row, 3:6] = 0.0
        self.model.eq_data[row, 6:10] = (1.0, 0.0, 0.0, 0.0)
        self.data.eq_active[row] = held

    def lowest(self) -> float:
        """Return the height of the lowest point of the body above the floor, in metres."""
        lows = []
        for geom in range(self.model.ngeom):
            if self.model.geom_bodyid[geom] not in self.built.bodies or not self.model.geom_contype[geom]:
                continue
            size, axis = self.model.geom_size[geom], self.data.geom_xmat[geom].reshape(3, 3)[2]
            if self.model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_CAPSULE:
                reach = size[0] + size[1] * abs(axis[2])
            elif self.model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
                reach = float(np.linalg.norm(axis * size))
            else:
                reach = size[0]
            lows.append(self.data.geom_xpos[geom, 2] - reach)
        return float(min(lows))

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
            self.data.ctrl[: self.action_size] = self.controls(action)
        for number in range(PHYSICS_STEPS):
            mujoco.mj_step2(self.model, self.data)
            mujoco.mj_step1(self.model, self.data)
            if self.watch is not None:
                self.watch(number)
        self.steps += 1
        for kind in _FATAL:
            if self.data.warning[kind].number:
                raise FloatingPointError(f"the simulation failed in step {self.steps}: MuJoCo reports {kind.name}")

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
        return np.asarray(self.data.qpos[self.built.positions])

    @property
    def warnings(self) -> int:
        """How often MuJoCo has warned since the reset, of anything."""
        return sum(int(each.number) for each in self.data.warning)

    def snapshot(self) -> Snapshot:
        """Return the state of the body and of everything else in its world."""
        state = np.empty(mujoco.mj_stateSize(self.model, _STATE))
        mujoco.mj_getState(self.model, self.data, state, _STATE)
        return Snapshot(state.tobytes(), self.data.sensordata.tobytes(), self.data.qfrc_actuator.tobytes(), self.steps)

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of a body that was built alike."""
        mujoco.mj_setState(self.model, self.data, np.frombuffer(snapshot.state), _STATE)
        mujoco.mj_step1(self.model, self.data)
        self.data.sensordata[:] = np.frombuffer(snapshot.sensors)
        self.data.qfrc_actuator[:] = np.frombuffer(snapshot.torques)
        self.steps = snapshot.steps


def _control_named(control: str | Control) -> Control:
    try:
        return Control(control)
    except ValueError:
        names = [each.value for each in Control]
        near = closest(str(control), names)
        raise ValueError(f"control is {control!r}; it must be one of {', '.join(names)}{near}") from None
