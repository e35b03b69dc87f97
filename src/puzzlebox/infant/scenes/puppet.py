"""A body that is moved by animation: the bones of a child of any size, without forces.

A private model of the body alone turns joint angles and the pose of the pelvis into poses of bones. The stage moves its
own copies of the bones there, evenly over the physics steps of a control step. They push what is free and are pushed by
nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from puzzlebox.infant.body.body import Motion, upright
from puzzlebox.infant.body.bones import BONE_NAMES, JOINT_NAMES
from puzzlebox.infant.body.build import Tables
from puzzlebox.infant.body.growth import Growth
from puzzlebox.infant.body.physics import CONTROL_STEP, Physics
from puzzlebox.infant.body.poses import Pose, pose_named
from puzzlebox.infant.body.skeleton import Skeleton, heading_of
from puzzlebox.infant.body.stillness import Stillness

Array = NDArray[np.float64]
_GRAVITY = 9.81


@dataclass(frozen=True)
class PuppetSnapshot:
    """The state of a puppet between two steps."""

    numbers: bytes


class Puppet:
    """A body that is moved by animation.

    Set where it is to be at the end of the next control step with `set`, `pose` or `stand`; the stage moves it there.

    Attributes:
        name: its name on the stage.
        age_months: the age of its senses.
        physics: the world it is in.
        model: the MuJoCo model of that world.
        data: the MuJoCo state of that world.
        position: where the pelvis is to be, in metres.
        rotation: how the pelvis is to be turned (w, x, y, z).
    """

    def __init__(self, name: str, age_months: float, growth: Growth, physics: Physics, prefix: str) -> None:
        """Prepare the body.

        Args:
            name: its name on the stage.
            age_months: the age of its senses.
            growth: its size.
            physics: the world, which has its bones as bodies without degrees of freedom.
            prefix: what stands before the names of its bones there.
        """
        self.name, self.age_months = name, age_months
        self.physics, self.model, self.data = physics, physics.model, physics.data
        self._skeleton = Skeleton(growth)
        skeleton = self._skeleton.built
        bodies = np.array([physics.body(prefix + bone) for bone in BONE_NAMES], np.int32)
        self._built = Tables(physics.model, growth, skeleton.low, skeleton.high, skeleton.strength, bodies)
        self.mocaps = physics.model.body_mocapid[bodies].astype(np.int32)
        self._stillness = Stillness(physics, bodies)
        self._targets = np.zeros(len(JOINT_NAMES))
        self.position, self.rotation = np.zeros(3), np.array((1.0, 0.0, 0.0, 0.0))
        # The angles at the end of the last step and of the one before, and the last three poses of the head.
        self._shown, self._before = self._targets.copy(), self._targets.copy()
        self._head = np.zeros((3, 7))

    # --- what senses read

    @property
    def built(self) -> Tables:
        """The model and its tables."""
        return self._built

    @property
    def angles(self) -> Array:
        """The angle of each joint in radians."""
        return self._targets.copy()

    @property
    def speeds(self) -> Array:
        """The speed of each joint in radians a second, over the last control step."""
        return (self._shown - self._before) / CONTROL_STEP

    @property
    def torques(self) -> Array:
        """Zeros: a puppet has no muscles."""
        return np.zeros(len(JOINT_NAMES))

    def row(self, bone: str) -> int:
        """Return the MuJoCo body of a bone."""
        return int(self._built.bodies[BONE_NAMES.index(bone)])

    def motion(self) -> Motion:
        """Return the acceleration and the rotation of the head in its own frame, from its last three poses."""
        places, turns = self._head[:, :3], self._head[:, 3:]
        acceleration = (places[2] - 2 * places[1] + places[0]) / CONTROL_STEP**2 + (0.0, 0.0, _GRAVITY)
        matrix, rotation = np.empty(9), np.empty(3)
        mujoco.mju_quat2Mat(matrix, turns[2])
        mujoco.mju_subQuat(rotation, turns[2], turns[1])
        return Motion(matrix.reshape(3, 3).T @ acceleration, rotation / CONTROL_STEP)

    def near(self) -> NDArray[np.int32]:
        """Return the pairs of geoms that are near each other and may touch the skin (n x 2).

        MuJoCo finds those with free things; those with what has no degrees of freedom (the floor, furniture, other
        puppets, the puppet itself) by `Stillness`.
        """
        found = np.asarray(self.data.contact.geom)
        still = self._stillness.near()
        return np.concatenate((found, still)) if len(still) else found

    # --- what animations set

    def set(self, angles: Array | None = None, position: Array | None = None, rotation: Array | None = None) -> None:
        """Say where the body is to be at the end of the next control step; what is not given stays.

        Args:
            angles: the angle of each joint in radians, clipped to its limits.
            position: of the pelvis, in metres.
            rotation: of the pelvis (w, x, y, z).
        """
        if angles is not None:
            self._targets[:] = np.clip(angles, self._built.low, self._built.high)
        if position is not None:
            self.position = np.array(position, np.float64)
        if rotation is not None:
            self.rotation = np.array(rotation, np.float64) / np.linalg.norm(rotation)

    def pose(self, pose: str | Pose) -> None:
        """Set the angles of a posture."""
        self.set((pose_named(pose) if isinstance(pose, str) else pose).targets())

    def turn_joints(self, degrees: Mapping[str, float]) -> None:
        """Set the angles of some joints, in degrees, by their names."""
        angles = self._targets.copy()
        for name, angle in degrees.items():
            angles[JOINT_NAMES.index(name)] = np.radians(angle)
        self.set(angles)

    def stand(
        self,
        at: tuple[float, float] = (0.0, 0.0),
        heading: float = 0.0,
        pose: str | Pose = "stand",
        height: float = 0.0,
    ) -> None:
        """Take a posture with the lowest point of the body at some height.

        Args:
            at: where the pelvis is, x and y in metres.
            heading: degrees by which the body is turned to its left; at 0 it faces along x.
            pose: a posture or the name of one.
            height: in metres above the floor.
        """
        posture = pose_named(pose) if isinstance(pose, str) else pose
        self.set(posture.targets(), np.array((*at, 0.0)), upright(posture.pitch, heading))
        self.position[2] = height - self.skeleton().lowest()

    @property
    def heading(self) -> float:
        """How far the pelvis is turned to its left, in degrees; 0 faces along x."""
        return heading_of(self.rotation)

    def skeleton(self) -> Skeleton:
        """Return its bones where they are to be, in a model of their own; it can find the angles that reach a place."""
        self._skeleton.pose(self.position, self.rotation, self._targets)
        return self._skeleton

    def bones(self) -> tuple[Array, Array]:
        """Return where all bones are to be: position (bones x 3) and rotation (bones x 4)."""
        skeleton = self.skeleton()
        rows = skeleton.built.bodies
        return skeleton.data.xpos[rows], skeleton.data.xquat[rows]

    # --- what the stage calls

    def rest(self) -> tuple[Array, Array]:
        """Take the current posture as the one it had for long, and return the poses of its bones."""
        self._shown[:] = self._before[:] = self._targets
        places, turns = self.bones()
        head = BONE_NAMES.index("head")
        self._head[:] = np.concatenate((places[head], turns[head]))
        return places, turns

    def advance(self) -> tuple[Array, Array]:
        """Begin a control step, and return the poses of its bones at its end."""
        self._before[:], self._shown[:] = self._shown, self._targets
        places, turns = self.bones()
        head = BONE_NAMES.index("head")
        self._head[:2] = self._head[1:]
        self._head[2] = np.concatenate((places[head], turns[head]))
        return places, turns

    def snapshot(self) -> PuppetSnapshot:
        """Return its state."""
        numbers = (self._targets, self._shown, self._before, self.position, self.rotation, self._head.ravel())
        return PuppetSnapshot(np.concatenate(numbers).tobytes())

    def restore(self, snapshot: PuppetSnapshot) -> None:
        """Go back to a state."""
        numbers, count = np.frombuffer(snapshot.numbers), len(JOINT_NAMES)
        ends = np.cumsum((count, count, count, 3, 4))
        self._targets, self._shown, self._before, self.position, self.rotation, head = (
            each.copy() for each in np.split(numbers, ends)
        )
        self._head = head.reshape(3, 7)
