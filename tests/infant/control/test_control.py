"""Actions of primitives and of joints, the rule of grabbing, and delays."""

import mujoco
import numpy as np
import pytest

from puzzlebox.infant.body.bones import JOINT_NAMES
from puzzlebox.infant.body.child import Child
from puzzlebox.infant.body.poses import POSES, Pose
from puzzlebox.infant.control.delay import Delay
from puzzlebox.infant.control.grab import GrabRule, choose
from puzzlebox.infant.control.joints import GROUPS, JointControl, joints_named
from puzzlebox.infant.control.primitives import NAMES, PrimitiveControl
from puzzlebox.infant.control.speeds import speeds_at

AHEAD = np.array((1.0, 0.0, 0.0))


def chosen(things: dict[str, tuple[float, float, float]], hidden: str = "", rule: GrabRule | None = None) -> str | None:
    places = [(name, np.array(place)) for name, place in things.items()]
    return choose(np.zeros(3), AHEAD, places, lambda name: name != hidden, rule or GrabRule())


def test_the_thing_nearest_to_the_middle_of_the_view_is_grabbed() -> None:
    things = {"aside": (0.3, 0.1, 0.0), "central": (0.7, 0.05, 0.0), "behind": (-0.2, 0.0, 0.0)}
    assert chosen(things) == "central"
    assert chosen(things, hidden="central") == "aside"
    assert chosen(things, rule=GrabRule(reach=0.5)) == "aside"


def test_nothing_is_grabbed_outside_the_cone_or_out_of_reach() -> None:
    assert chosen({"outside": (0.3, 0.3 * np.tan(np.radians(31)), 0.0)}) is None
    assert chosen({"inside": (0.3, 0.3 * np.tan(np.radians(29)), 0.0)}) == "inside"
    assert chosen({"far": (0.76, 0.0, 0.0)}) is None
    assert chosen({}) is None


def test_primitives_may_be_some_of_the_six() -> None:
    control = PrimitiveControl(("walk", "turn"))
    assert control.full(np.array((0.5, -3.0))).tolist() == [0.5, -1.0, 0, 0, 0, 0]
    assert PrimitiveControl("all").names == NAMES
    assert PrimitiveControl().space.shape == (6,)
    with pytest.raises(ValueError, match=r"no primitive 'wlak'; there are walk, turn.*walk"):
        PrimitiveControl(("wlak",))
    with pytest.raises(ValueError, match="must be different names"):
        PrimitiveControl(("walk", "walk"))
    with pytest.raises(ValueError, match=r"shape \(3,\); it must be \(2,\)"):
        control.full(np.zeros(3))
    with pytest.raises(ValueError, match="not finite"):
        control.full(np.array((np.nan, 0.0)))


def test_joints_are_named_one_by_one_or_in_groups() -> None:
    assert len(GROUPS["arms"]) == 18
    assert len(GROUPS["all"]) == len(JOINT_NAMES) == 82
    assert joints_named(["jaw.open", "eyes"])[0] == "jaw.open"
    assert sum(len(GROUPS[name]) for name in ("arms", "fingers", "legs", "trunk", "neck", "eyes")) == 81  # and the jaw
    with pytest.raises(ValueError, match=r"no joint 'arm'.*arms"):
        joints_named("arm")


def test_locked_joints_stay_where_they_are_while_the_others_move() -> None:
    control = JointControl([*(name for name in GROUPS["arms"] if name != "left_upper_arm.rotate"), "jaw.open"])
    child = Child(locked=control.locked)
    child.reset(seed=1, pose="sit")
    control.begin(child)
    before = child.angles.copy()
    rng = np.random.default_rng(0)
    for step in range(45):
        if step % 5 == 0:
            action = rng.uniform(-1, 1, 18).astype(np.float32)
        child.step(control.full(action))
    moved = np.degrees(np.abs(child.angles - before))
    free = np.isin(JOINT_NAMES, control.names)
    # Also in the left shoulder, whose other joints move.
    assert not moved[~free].any() and not child.speeds[~free].any()
    assert moved[free].max() > 20.0
    assert child.model.nv == 6 + 18
    assert control.current(child).shape == (18,)


def test_a_body_with_locked_joints_has_the_posture_of_one_without() -> None:
    loose, rigid = Child(), Child(locked=JointControl("arms").locked, fixed=True)
    for child in (loose, rigid):
        child.reset(pose="sit", at=(0.3, -0.2), height=0.1, heading=40.0)
    for child in (loose, rigid):
        assert child.lowest() == pytest.approx(0.1)
    assert loose.angles == pytest.approx(rigid.angles)
    bones = loose.built.bodies, rigid.built.bodies
    assert loose.data.xpos[bones[0]] == pytest.approx(rigid.data.xpos[bones[1]], abs=1e-9)
    turns = (loose.data.xquat[bones[0]] * rigid.data.xquat[bones[1]]).sum(axis=1)
    assert np.abs(turns) == pytest.approx(1.0)
    before = rigid.data.xpos[rigid.row("pelvis")].copy()
    for _ in range(5):
        rigid.step(np.ones(rigid.action_size))
    assert (rigid.data.xpos[rigid.row("pelvis")] == before).all()
    assert rigid.motion().acceleration @ rigid.data.xmat[rigid.row("head")].reshape(3, 3).T == pytest.approx(
        (0.0, 0.0, 9.81), abs=1e-6
    )


@pytest.mark.parametrize("free", [(0,), (1,), (2,), (0, 2), (1, 2)])
def test_a_bone_with_some_locked_joints_turns_as_if_they_were_held(free: tuple[int, ...]) -> None:
    firsts = [JOINT_NAMES.index(name) for name in ("left_upper_arm.flex", "right_thigh.flex", "head.bend")]
    names = [JOINT_NAMES[first + row] for first in firsts for row in free]
    loose, part = Child(), Child(locked=JointControl(names).locked)
    angles = Pose(0, {**POSES["lie"].angles, "head.twist": 20, "head.lean": 10, "upper_arm.rotate": -30}).targets()
    part.set_angles(angles)
    # Then the free joints move.
    angles[np.isin(JOINT_NAMES, names)] += 0.3
    loose.set_angles(angles)
    part.data.qpos[part.built.positions] = angles[part.built.moving]
    for child in (loose, part):
        child.data.qpos[:7] = (0, 0, 1, 1, 0, 0, 0)
        mujoco.mj_kinematics(child.model, child.data)
    assert part.model.nv == 6 + len(names)
    for bone in ("left_hand", "right_toes", "jaw"):
        one, two = loose.data.body(bone), part.data.body(bone)
        assert one.xpos == pytest.approx(two.xpos, abs=1e-9)
        assert one.xmat == pytest.approx(two.xmat, abs=1e-9)
    assert part.angles == pytest.approx(loose.angles)


def test_what_passes_through_a_delay_comes_out_later() -> None:
    delay = Delay(2)
    delay.reset("rest")
    assert [delay.pass_on(each) for each in "abc"] == ["rest", "rest", "a"]
    state = delay.snapshot()
    assert delay.pass_on("d") == "b"
    delay.restore(state)
    assert delay.pass_on("d") == "b"
    assert Delay(0).pass_on("now") == "now"
    for wrong in (-1, 1.5, True, 1000):
        with pytest.raises(ValueError, match="a delay is"):
            Delay(wrong)  # type: ignore[arg-type]


def test_children_get_faster_with_age_and_walk_from_11_months() -> None:
    speeds = [speeds_at(age) for age in (0, 6, 9, 12, 18, 24)]
    assert [each.crawl for each in speeds] == sorted(each.crawl for each in speeds)
    assert [each.walks for each in speeds] == [False, False, False, True, True, True]
    with pytest.raises(ValueError, match="the age is 25"):
        speeds_at(25)
