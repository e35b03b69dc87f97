"""Joints, muscles and balance."""

import numpy as np
import pytest

from infant_bodies import child_of
from puzzlebox.infant.body.bones import BONE_NAMES, JOINT_NAMES
from puzzlebox.infant.body.poses import Pose
from puzzlebox.infant.senses.balance import Balance
from puzzlebox.infant.senses.joints import Joints


def test_a_child_at_rest_feels_gravity_and_no_rotation() -> None:
    child = child_of()
    balance = Balance(child)
    # On its back, up is where the face is: forwards in the frame of the head.
    for pose, axis in (("stand", 2), ("lie", 0)):
        child.reset(pose=pose)
        for _ in range(45):
            child.step()
        motion = balance.read()
        assert np.linalg.norm(motion.acceleration) == pytest.approx(9.81, abs=0.05)
        assert motion.acceleration[axis] > 8.5, pose
        assert np.abs(motion.rotation).max() < 0.02


def test_a_falling_child_feels_no_weight() -> None:
    child = child_of()
    child.reset(pose="sit")
    child.data.qpos[2] += 2.0
    child.step()
    child.step()
    assert np.linalg.norm(Balance(child).read().acceleration) < 1.5


def test_a_turning_head_feels_its_rotation() -> None:
    child = child_of()
    child.reset(pose="stand")
    for _ in range(10):
        child.step()
    targets = child.angles.copy()
    targets[JOINT_NAMES.index("head.twist")] = 0.6
    most = 0.0
    for _ in range(6):
        child.step(child.action_for(targets))
        most = max(most, float(Balance(child).read().rotation[2]))
    assert most > 0.5


def test_joints_feel_angles_speeds_and_torques() -> None:
    child = child_of()
    child.reset(pose="stand")
    joints = Joints(child)
    targets = child.angles.copy()
    elbow = JOINT_NAMES.index("right_forearm.flex")
    targets[elbow] += 0.8
    child.step(child.action_for(targets))
    posture = joints.read()
    assert posture.angles[elbow] == np.float32(child.angles[elbow])
    assert posture.speeds[elbow] > 0.5
    assert posture.torques[elbow] > 0
    assert np.abs(posture.torques).max() <= child.built.strength.max() + 1e-3
    assert posture.flat().shape == joints.shape == (3 * 82 + 4 * 47,)


def test_rotations_of_bones_are_relative_to_the_pelvis() -> None:
    child = child_of()
    for pitch in (0.0, -90.0, 40.0):
        child.reset(pose=Pose(pitch, {"neck.bend": 30}))
        turns = Joints(child).read().turns
        assert turns[0] == pytest.approx((1, 0, 0, 0), abs=1e-6)
        head = turns[BONE_NAMES.index("head")]
        assert head == pytest.approx((np.cos(np.pi / 12), 0, np.sin(np.pi / 12), 0), abs=1e-5)
