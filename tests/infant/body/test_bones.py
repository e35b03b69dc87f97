"""The table of bones: its counts, its mirror, its masses."""

from collections import Counter

import numpy as np
import pytest

from puzzlebox.infant.body.bones import BONES, JOINT_NAMES, LEFT, RIGHT, all_joints
from puzzlebox.infant.body.shapes import Ball, Egg, Rod


def test_there_are_47_bones_with_82_degrees_of_freedom() -> None:
    assert len(BONES) == 47
    assert len(JOINT_NAMES) == 82
    assert len({bone.name for bone in BONES}) == 47
    assert len(set(JOINT_NAMES)) == 82


def test_a_parent_comes_before_its_children() -> None:
    seen = {""}
    for bone in BONES:
        assert bone.parent in seen, bone.name
        seen.add(bone.name)


def test_the_shares_of_mass_are_those_of_a_whole_body() -> None:
    assert sum(bone.share for bone in BONES) == pytest.approx(100, abs=1)


def test_limits_contain_the_upright_posture_and_muscles_have_strength() -> None:
    for name, _, joint in all_joints():
        assert joint.low <= 0 <= joint.high and joint.low < joint.high, name
        assert joint.torque > 0, name
        assert np.linalg.norm(joint.axis) == pytest.approx(1, abs=0.01), name


def test_the_right_side_mirrors_the_left_and_turns_the_same_way() -> None:
    bones = {bone.name: bone for bone in BONES}
    pairs = [name.removeprefix(LEFT) for name in bones if name.startswith(LEFT)]
    assert len(pairs) == 20
    for name in pairs:
        left, right = bones[LEFT + name], bones[RIGHT + name]
        assert right.at == (left.at[0], -left.at[1], left.at[2])
        assert [joint.name for joint in left.joints] == [joint.name for joint in right.joints]
    # Abduction of either leg takes it away from the body, but both eyes turn to the left.
    assert bones["left_thigh"].joints[1].axis == (1, 0, 0) and bones["right_thigh"].joints[1].axis == (-1, 0, 0)
    assert bones["left_eye"].joints[0].axis == bones["right_eye"].joints[0].axis == (0, 0, 1)


def test_the_documented_list_of_joints_is_the_real_one() -> None:
    kinds = Counter(bone.name.removeprefix(LEFT).removeprefix(RIGHT) for bone in BONES for _ in bone.joints)
    trunk = sum(kinds[name] for name in ("lumbar", "thorax", "chest", "neck", "head"))
    thumbs = sum(count for name, count in kinds.items() if name.startswith("thumb"))
    fingers = sum(count for name, count in kinds.items() if name.startswith(("index", "ring", "little")))
    assert (trunk, kinds["jaw"], kinds["eye"], thumbs, fingers) == (15, 1, 4, 8, 18)
    assert kinds["middle_base"] + kinds["middle_tip"] == 4
    assert kinds["thigh"] + kinds["shin"] + kinds["foot"] + kinds["toes"] == 14


@pytest.mark.parametrize("shape", [Ball((0, 0, 0), 2.0), Rod((0, 0, 0), (0, 0, 3), 2.0), Egg((0, 0, 0), (1, 2, 3))])
def test_volumes_grow_with_the_cube_of_the_size(shape: Ball | Rod | Egg) -> None:
    assert shape.grown((2, 2, 2)).volume == pytest.approx(8 * shape.volume)
