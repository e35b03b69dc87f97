"""The body in motion: postures hold, limits are respected, energy falls, bytes repeat."""

import mujoco
import numpy as np
import pytest

from infant_bodies import child_of
from puzzlebox.infant.body.body import lowest
from puzzlebox.infant.body.bones import JOINT_NAMES
from puzzlebox.infant.body.child import CONTROL_STEP, PHYSICS_STEPS, Child
from puzzlebox.infant.body.physics import Physics
from puzzlebox.infant.body.poses import POSES, Pose

AGES = (1, 6, 18, 24)
TEN_SECONDS = round(10 / CONTROL_STEP)


def random_steps(child: Child, count: int, seed: int) -> None:
    """Step with random targets, each held for a third of a second."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        child.step(rng.uniform(-1, 1, child.action_size) if number % 5 == 0 else None)


def test_a_control_step_is_a_fifteenth_of_a_second() -> None:
    child = child_of()
    child.reset()
    child.step()
    assert child.data.time == pytest.approx(1 / 15)
    assert child.model.opt.timestep * PHYSICS_STEPS == pytest.approx(CONTROL_STEP)


@pytest.mark.parametrize("age", AGES)
@pytest.mark.parametrize("pose", ["lie", "sit", "stand", "prone"])
def test_postures_hold_for_ten_seconds(pose: str, age: float) -> None:
    child = child_of(age)
    child.reset(seed=1, pose=pose)
    before = child.angles.copy()
    height = child.data.body("head").xpos[2]
    for _ in range(TEN_SECONDS):
        child.step()
    assert child.warnings == 0
    # It is still, it has kept its posture, and its head is where it was, up to the give of skin and muscles.
    assert np.abs(child.data.qvel).max() < 0.02
    assert np.degrees(np.abs(child.angles - before)).max() < 15
    assert child.data.body("head").xpos[2] == pytest.approx(height, abs=0.05)


@pytest.mark.parametrize("age", AGES)
@pytest.mark.parametrize("pose", ["lie", "sit", "prone"])
def test_postures_begin_without_bones_inside_each_other_or_the_floor(pose: str, age: float) -> None:
    child = child_of(age)
    # Seeds turn joints by a degree or two.
    for seed in (None, *range(8)):
        child.reset(seed, pose)
        assert min(child.data.contact.dist, default=0.0) > -0.002, f"seed {seed}"


@pytest.mark.parametrize("age", AGES)
def test_a_child_that_sits_gains_no_energy_when_its_muscles_let_go(age: float) -> None:
    child = Child(age)
    child.model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    child.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
    child.reset(pose="sit")
    energies = [float(child.data.energy.sum())]
    child.physics.watchers.append(lambda number: energies.append(float(child.data.energy.sum())))
    for _ in range(6):
        child.step()
    # Children that began with their hands inside their shins gained 0.4 to 1 J.
    assert max(energies) - energies[0] < 0.01


@pytest.mark.parametrize("age", AGES)
def test_a_child_that_sits_keeps_its_head_up(age: float) -> None:
    child = child_of(age)
    child.reset(seed=1, pose="sit")
    for _ in range(45):
        child.step()
    forwards = child.data.body("head").xmat.reshape(3, 3)[:, 0]
    assert abs(np.degrees(np.arcsin(forwards[2]))) < 15


def test_without_support_a_standing_child_falls() -> None:
    child = child_of()
    child.reset(pose="stand")
    child.support(False)
    child.data.qvel[0] = 0.3
    for _ in range(45):
        child.step()
    assert child.data.body("head").xpos[2] < 0.4


@pytest.mark.parametrize("age", AGES)
@pytest.mark.parametrize("end", [-1.0, 1.0])
def test_every_joint_reaches_its_limits_and_respects_them(end: float, age: float) -> None:
    child = Child(age)
    # Without weight and contacts, only a joint itself can stop its motion.
    child.model.opt.gravity[:] = 0
    child.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    child.reset(pose=Pose(supported=True))
    for _ in range(40):
        child.step(np.full(child.action_size, end))
    limit = child.built.low if end < 0 else child.built.high
    reached = np.degrees(child.angles - limit) * end
    assert {name: each for name, each in zip(JOINT_NAMES, reached, strict=True) if abs(each) > 2} == {}


def test_a_muscle_cannot_push_its_joint_beyond_the_limit() -> None:
    child = Child(18, control="torque")
    child.model.opt.gravity[:] = 0
    child.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    for end, limit in ((1.0, child.built.high), (-1.0, child.built.low)):
        child.reset(pose=Pose(supported=True))
        for _ in range(30):
            child.step(np.full(child.action_size, end))
        beyond = np.degrees(child.angles - limit) * end
        assert {name: each for name, each in zip(JOINT_NAMES, beyond, strict=True) if not -0.5 < each < 5} == {}


def test_joints_stay_near_their_limits_in_random_motion() -> None:
    child = child_of()
    child.reset(seed=3)
    rng, worst = np.random.default_rng(3), 0.0
    for number in range(300):
        child.step(rng.uniform(-1, 1, child.action_size) if number % 5 == 0 else None)
        beyond = np.maximum(child.angles - child.built.high, child.built.low - child.angles)
        worst = max(worst, float(beyond.max()))
    assert np.degrees(worst) < 8


@pytest.mark.parametrize("age", AGES)
def test_energy_does_not_grow_without_muscles(age: float) -> None:
    child = child_of(age)
    flags = child.model.opt.enableflags, child.model.opt.disableflags
    try:
        child.model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
        child.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
        child.reset(seed=2, pose="stand")
        child.support(False)
        child.data.qpos[2] += 0.1
        child.data.qvel[6:] = np.random.default_rng(2).normal(0, 1, child.model.nv - 6)
        mujoco.mj_forward(child.model, child.data)
        energies = [float(child.data.energy.sum())]
        for _ in range(90):
            child.step()
            energies.append(float(child.data.energy.sum()))
    finally:
        child.model.opt.enableflags, child.model.opt.disableflags = flags
    whole = energies[0] - min(energies)
    assert whole > 1.0
    # Soft contacts and limits give back what they stored, never more than a hundredth of what was lost.
    assert max(np.diff(energies)) < 0.01 * whole
    assert energies[-1] == pytest.approx(min(energies), abs=0.01 * whole)


@pytest.mark.parametrize("age", AGES)
def test_random_steps_give_no_warning(age: float) -> None:
    child = child_of(age)
    child.reset(seed=int(age), pose="lie")
    random_steps(child, 400, int(age))
    assert child.warnings == 0
    assert np.isfinite(child.data.qpos).all()


@pytest.mark.slow
@pytest.mark.parametrize("control", ["position", "velocity", "torque"])
@pytest.mark.parametrize("age", (*AGES, 12))
def test_a_hundred_thousand_random_steps_give_no_warning(age: float, control: str) -> None:
    child = Child(age, control=control)
    child.reset(seed=int(age), pose="stand")
    child.support(False)
    random_steps(child, 100_000, int(age))
    assert child.warnings == 0


def test_no_limb_is_thrown_about_where_the_sparse_solver_gives_up() -> None:
    child = Child(12, control="torque")
    child.reset(seed=0, pose="stand")
    child.support(False)
    rng, fastest = np.random.default_rng(0), 0.0
    # In step 872 an elbow went from 16 to 1,313 rad/s within one physics step.
    for number in range(880):
        child.step(np.sign(rng.uniform(-1, 1, child.action_size)) if number % 5 == 0 else None)
        fastest = max(fastest, float(np.abs(child.data.qvel).max()))
    assert fastest < 100.0
    assert 0 < child.physics.repeated < 10


def test_a_repeated_physics_step_is_the_one_of_dense_matrices() -> None:
    repeating, dense = Child(), Child()
    for child in (repeating, dense):
        child.reset(seed=4, pose="lie")
    # This solver gives up at once.
    repeating.model.opt.iterations = 1
    repeating.physics = Physics(repeating.model)
    repeating.data = repeating.physics.data
    dense.model.opt.jacobian, dense.model.opt.iterations = mujoco.mjtJacobian.mjJAC_DENSE, 100
    repeating.physics.restore(dense.physics.snapshot())
    for child in (repeating, dense):
        random_steps(child, 20, 4)
    assert repeating.physics.repeated > 100
    assert repeating.data.time == dense.data.time
    np.testing.assert_allclose(repeating.data.qpos, dense.data.qpos, atol=1e-6)


def play(seed: int, count: int) -> list[bytes]:
    child = Child(18)
    child.reset(seed=seed, pose="lie")
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(count):
        child.step(rng.uniform(-1, 1, child.action_size))
        out.append(child.data.qpos.tobytes() + child.data.sensordata.tobytes())
    return out


def test_the_same_seed_and_actions_give_the_same_bytes() -> None:
    assert play(5, 30) == play(5, 30)
    assert play(5, 2)[0] != play(6, 2)[0]


def test_a_restored_snapshot_continues_byte_for_byte() -> None:
    child, other = child_of(), Child(18)
    child.reset(seed=4, pose="lie")
    random_steps(child, 20, 4)
    snapshot = child.snapshot()
    contacts = child.data.contact.dist.copy()
    random_steps(child, 20, 9)
    expected = child.data.qpos.tobytes() + child.data.sensordata.tobytes()
    for body in (child, other):
        body.restore(snapshot)
        assert body.steps == 20
        assert body.data.contact.dist.tobytes() == contacts.tobytes()
        random_steps(body, 20, 9)
        assert body.data.qpos.tobytes() + body.data.sensordata.tobytes() == expected


@pytest.mark.parametrize("fixed", [False, True])
def test_a_snapshot_remembers_the_angles_of_locked_joints(fixed: bool) -> None:
    locked = ("left_thigh.flex", "left_upper_arm.abduct", "lumbar.bend")
    child, other = (Child(18, locked=locked, fixed=fixed) for _ in range(2))
    child.reset(3, "lie")
    random_steps(child, 5, 4)
    snapshot, angles = child.snapshot(), child.angles
    bones = child.data.xpos[child.built.bodies].copy()
    random_steps(child, 10, 9)
    expected = child.data.qpos.tobytes() + child.data.xpos.tobytes()
    child.reset(3, "sit")
    for body in (child, other):
        body.restore(snapshot)
        assert body.angles.tobytes() == angles.tobytes()
        assert body.data.xpos[body.built.bodies].tobytes() == bones.tobytes()
        random_steps(body, 10, 9)
        assert body.data.qpos.tobytes() + body.data.xpos.tobytes() == expected


def test_a_snapshot_remembers_the_hands_that_hold_the_chest() -> None:
    one, two = Child(18), Child(18)
    one.reset(seed=1, pose="stand")
    two.restore(one.snapshot())
    for child in (one, two):
        for _ in range(20):
            child.step()
    assert one.data.qpos.tobytes() == two.data.qpos.tobytes()
    assert two.data.body("head").xpos[2] > 0.6


@pytest.mark.parametrize("control", ["velocity", "torque"])
def test_other_controls_move_a_joint_the_right_way(control: str) -> None:
    child = child_of(18.0, control)
    child.reset(pose="stand")
    elbow = JOINT_NAMES.index("left_forearm.flex")
    before = child.angles[elbow]
    action = np.zeros(child.action_size)
    action[elbow] = 0.5
    for _ in range(6):
        child.step(action)
    assert child.angles[elbow] > before + 0.2


def test_eyes_move_together_and_apart() -> None:
    child = child_of()
    left, right = (JOINT_NAMES.index(f"{side}_eye.turn") for side in ("left", "right"))
    for turns in ((0.4, 0.4), (-0.2, 0.2)):
        child.reset(pose="sit")
        targets = child.angles.copy()
        targets[[left, right]] = turns
        for _ in range(8):
            child.step(child.action_for(targets))
        assert child.angles[[left, right]] == pytest.approx(turns, abs=0.03)


def test_a_bad_action_is_refused() -> None:
    child = child_of()
    with pytest.raises(ValueError, match=r"shape \(3,\); it must be \(82,\)"):
        child.step([0, 0, 0])
    bad = np.zeros(82)
    bad[7] = np.nan
    with pytest.raises(ValueError, match=f"number for {JOINT_NAMES[7]} that is not finite"):
        child.step(bad)


def test_unknown_names_get_the_nearest_one() -> None:
    with pytest.raises(ValueError, match=r"there is no pose 'sitt'.*did you mean `sit`"):
        Child(18).reset(pose="sitt")
    with pytest.raises(ValueError, match=r"control is 'positions'.*did you mean `position`"):
        Child(18, control="positions")
    with pytest.raises(ValueError, match=r"there is no joint 'left_thigh.flexx'.*left_thigh.flex"):
        Pose(angles={"left_thigh.flexx": 3}).targets()


def test_postures_are_within_the_limits() -> None:
    built = child_of().built
    for name, pose in POSES.items():
        targets = pose.targets()
        assert (targets >= built.low - 1e-9).all() and (targets <= built.high + 1e-9).all(), name


def test_a_furnished_world_has_its_things_and_the_ball_rests_on_the_floor() -> None:
    def furnish(spec: mujoco.MjSpec) -> None:
        ball = spec.worldbody.add_body(name="ball", pos=[0.6, 0, 0.2])
        ball.add_freejoint()
        ball.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.05, 0, 0], mass=0.1)

    child = Child(18, furnish=furnish)
    child.reset(seed=0)
    for _ in range(45):
        child.step()
    assert child.data.body("ball").xpos[2] == pytest.approx(0.05, abs=0.004)


def test_the_underside_of_bones_is_their_lowest_point() -> None:
    child = Child()
    rng = np.random.default_rng(4)
    own = np.isin(child.model.geom_bodyid, child.built.bodies) & (child.model.geom_contype > 0)
    for _ in range(5):
        child.step(rng.uniform(-1, 1, child.action_size))
        assert child.lowest() == pytest.approx(lowest(child.model, child.data, np.flatnonzero(own)), abs=1e-12)
