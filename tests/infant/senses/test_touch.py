"""Touch: the paper's formula, pressed taxels and their neighbours, many contacts at once, every age."""

import mujoco
import numpy as np
import pytest

from infant_bodies import child_of
from puzzlebox.infant.body.bones import BONE_NAMES
from puzzlebox.infant.body.child import Child
from puzzlebox.infant.body.poses import POSES, Pose
from puzzlebox.infant.envs.core import Core
from puzzlebox.infant.senses.habituation import Habituation
from puzzlebox.infant.senses.neighbours import links_between
from puzzlebox.infant.senses.skin import SOFTNESS, Skin, SkinSettings
from puzzlebox.infant.senses.taxels import VECA_TAXELS, spread_taxels

PROBE, RADIUS = "probe", 0.005


def with_probe(spec: mujoco.MjSpec) -> None:
    """Add a small ball that can be put anywhere and is moved by nothing."""
    ball = spec.worldbody.add_body(name=PROBE, mocap=True, pos=[0, 0, 5])
    ball.add_geom(name=PROBE, type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[RADIUS, 0, 0])


@pytest.fixture(scope="module")
def probed() -> Child:
    return Child(18, furnish=with_probe)


def press(child: Child, skin: Skin, taxel: int, depth: float) -> np.ndarray:
    """Press the probe into the skin at a taxel, along its normal; return the displacement of all taxels."""
    mesh = skin._mesh
    triangle = mesh.triangles[skin.taxels.triangle[taxel]]
    bodies = child.built.bodies
    moved = mesh.moved(child.data.xpos[bodies], child.data.xmat[bodies].reshape(-1, 3, 3))[triangle]
    normal = np.cross(moved[1] - moved[0], moved[2] - moved[0])
    normal /= np.linalg.norm(normal)
    place = skin.positions()[taxel] + (RADIUS - depth) * normal
    child.data.mocap_pos[child.model.body(PROBE).mocapid[0]] = place
    mujoco.mj_step1(child.model, child.data)
    return skin.measure()


def held_up(child: Child) -> None:
    """Put the child in the air, so that nothing else touches it."""
    child.reset(pose="spread")
    child.data.qpos[2] += 1.0
    mujoco.mj_step1(child.model, child.data)


def formula(s: float, t: int, s_max: float, rate: float, delta: float) -> float:
    value = min(1.0, s / s_max) * np.exp(-rate * t)
    return value if value >= delta else 0.0


def test_habituation_follows_the_formula() -> None:
    s_max, rate, delta = 0.004, 0.11, 0.05
    sense = Habituation(3, s_max, rate, delta, release_frames=3)
    for t in range(40):
        displacement = np.array([0.001, 0.004, 0.02])
        felt = sense.respond(displacement)
        expected = [formula(s, t, s_max, rate, delta) for s in displacement]
        assert felt == pytest.approx(expected, rel=1e-6), t
    assert felt.tolist() == [0, 0, 0]


def test_a_stimulus_ends_after_some_frames_of_release() -> None:
    sense = Habituation(1, 0.005, 0.1, 0.0, release_frames=3)
    on, off = np.array([0.005]), np.array([0.0])
    assert [sense.respond(on)[0] for _ in range(3)] == pytest.approx(np.exp([0, -0.1, -0.2]))
    # A gap of two frames is part of the stimulus, one of three frames is not.
    assert [sense.respond(off)[0] for _ in range(2)] == [0, 0]
    assert sense.respond(on)[0] == pytest.approx(np.exp(-0.5))
    for _ in range(3):
        sense.respond(off)
    assert sense.respond(on)[0] == 1


def test_without_habituation_a_constant_pressure_is_felt_for_ever() -> None:
    sense = Habituation(1, 0.005, 0.0, 0.02, 3)
    assert {float(sense.respond(np.array([0.0025]))[0]) for _ in range(100)} == {0.5}


def test_there_are_as_many_taxels_as_in_veca_and_hands_and_lips_have_more() -> None:
    taxels = spread_taxels()
    assert len(taxels) == VECA_TAXELS == 9888
    skin = Skin(child_of())
    mesh = skin._mesh
    corners = mesh.at[mesh.triangles].astype(np.float64)
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    region_of = dict(zip(taxels.triangle.tolist(), taxels.region.tolist(), strict=True))

    def density(name: str) -> float:
        return sum(taxels.region == name) / area[[t for t, region in region_of.items() if region == name]].sum()

    assert density("lips") > density("fingertips") > density("hand") > density("face") > 2 * density("trunk")
    assert len(spread_taxels(500)) == 500


@pytest.mark.parametrize("count", [0, -3, 2.5, True, "many"])
def test_a_bad_number_of_taxels_is_refused(count: object) -> None:
    with pytest.raises(ValueError, match="must be a whole number, 1 or more"):
        spread_taxels(count)


def test_taxels_lie_in_their_triangles_and_move_with_the_skin() -> None:
    child = child_of()
    skin = Skin(child, SkinSettings(flesh=0.0))
    assert (skin.taxels.share >= 0).all() and skin.taxels.share.sum(axis=1) == pytest.approx(1)
    child.reset(pose="sit")
    bodies = child.built.bodies
    vertices = skin._mesh.moved(child.data.xpos[bodies], child.data.xmat[bodies].reshape(-1, 3, 3))
    on_mesh = skin.taxels.at(vertices, skin._mesh.triangles)
    # A taxel mixes the bones of its corners and keeps four of them; where five meet, it is a little beside.
    away = np.linalg.norm(skin.positions() - on_mesh, axis=1)
    assert np.quantile(away, 0.98) < 0.001
    assert away.max() < 0.005


@pytest.mark.parametrize("region", ["hand", "fingertips", "lips", "trunk", "foot", "leg", "arm", "face"])
def test_a_pressed_taxel_and_only_its_neighbours_fire(region: str, probed: Child) -> None:
    skin = Skin(probed)
    held_up(probed)
    assert skin.measure().max() == 0
    rows = np.flatnonzero(skin.taxels.region == region)
    positions = skin.positions()
    for taxel in rows[:: max(1, len(rows) // 5)][:5].tolist():
        displacement = press(probed, skin, taxel, 0.002)
        fired = displacement > 0
        probe = probed.data.mocap_pos[probed.model.body(PROBE).mocapid[0]]
        inside = np.linalg.norm(positions - probe, axis=1) < RADIUS
        assert inside[taxel] and fired[inside].all(), taxel
        # Neighbours that the ball pushes in further may pull the taxel along.
        assert 0.0019 <= displacement[taxel] < 0.004, taxel
        # All others that fire are pulled along by one inside the ball.
        soft = max(SOFTNESS[region] for region in skin.taxels.region[inside].tolist())
        apart = np.linalg.norm(positions[fired & ~inside][:, None] - positions[inside], axis=2).min(axis=1, initial=9)
        assert (apart < 3.01 * soft).all()
        assert fired.sum() >= 2


@pytest.mark.parametrize("region", ["trunk", "head", "leg"])
def test_what_sinks_in_deeper_than_it_is_thick_is_felt_more_and_not_less(region: str, probed: Child) -> None:
    skin = Skin(probed, SkinSettings(softness=0.0))
    held_up(probed)
    flesh = skin._thickness()
    thick = np.flatnonzero((skin.taxels.region == region) & (flesh > 2.2 * RADIUS))
    positions = skin.positions()
    normals = skin.taxels.at(skin._mesh.normal, skin._mesh.triangles)
    normals = np.einsum("tij,tj->ti", skin._matrices()[skin.taxels.bone, :, :3], normals)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    for taxel in thick[:: max(1, len(thick) // 6)].tolist():
        felt = []
        for depth in (0.002, 0.004, 0.006, 0.008, 0.011, 0.013, 0.016, 0.019):
            place = positions[taxel] + (RADIUS - depth) * normals[taxel]
            probed.data.mocap_pos[probed.model.body(PROBE).mocapid[0]] = place
            mujoco.mj_step1(probed.model, probed.data)
            displacement = skin.measure()
            felt.append((min(depth, flesh[taxel]), displacement[taxel]))
            # Nothing fires that is farther from the ball than the flesh is thick, and nothing by more than that.
            fired = displacement > 0
            away = np.linalg.norm(positions - place, axis=1) - RADIUS
            assert (away[fired] < flesh[fired]).all()
            assert (displacement[fired] <= np.maximum(flesh[fired], -away[fired]) + 1e-6).all()
            if depth <= RADIUS:
                assert displacement == pytest.approx(np.maximum(-away, 0.0), abs=1e-6)
        assert [each for _, each in felt] == pytest.approx([each for each, _ in felt], rel=0.02)


@pytest.mark.parametrize(
    ("kind", "size", "turn"),
    [
        (mujoco.mjtGeom.mjGEOM_SPHERE, [0.006, 0, 0], [1, 0, 0, 0]),
        (mujoco.mjtGeom.mjGEOM_CAPSULE, [0.008, 0.03, 0], [1, 1, 0, 0]),
        (mujoco.mjtGeom.mjGEOM_CAPSULE, [0.008, 0.03, 0], [1, 0, 0, 0]),
        (mujoco.mjtGeom.mjGEOM_BOX, [0.04, 0.04, 0.002], [1, 0, 0, 0]),
        (mujoco.mjtGeom.mjGEOM_CYLINDER, [0.02, 0.002, 0], [1, 0, 0, 0]),
        (mujoco.mjtGeom.mjGEOM_ELLIPSOID, [0.02, 0.02, 0.004], [1, 0, 0, 0]),
    ],
)
def test_small_and_thin_things_that_rest_on_the_chest_are_felt(
    kind: mujoco.mjtGeom, size: list[float], turn: list[float]
) -> None:
    def furnish(spec: mujoco.MjSpec) -> None:
        toy = spec.worldbody.add_body(name="toy", pos=[0, 0, 2.0])
        toy.add_joint(name="toy", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1], damping=0.3)
        toy.add_geom(type=kind, size=size, quat=turn, mass=0.03)

    child = Child(18, furnish=furnish)
    child.reset(pose="lie")
    skin = Skin(child, SkinSettings(softness=0.0))
    positions = skin.positions()
    above = np.flatnonzero(np.linalg.norm((positions - child.data.body("thorax").xpos)[:, :2], axis=1) < 0.02)
    taxel = above[np.argmax(positions[above, 2])]
    toy = child.model.body("toy").id
    child.model.body_pos[toy] = positions[taxel] + (0, 0, 0.045)
    mujoco.mj_forward(child.model, child.data)
    for _ in range(45):
        child.step()
    assert child.data.geom_xpos[child.model.body_geomadr[toy], 2] < skin.positions()[taxel, 2] + max(size)
    assert skin.measure()[taxel] > 0.01


def test_softer_skin_lets_more_neighbours_fire(probed: Child) -> None:
    held_up(probed)
    counts = []
    for softness in (0.0, 1.0, 2.0):
        skin = Skin(probed, SkinSettings(softness=softness))
        taxel = int(np.flatnonzero(skin.taxels.region == "trunk")[100])
        counts.append(int((press(probed, skin, taxel, 0.002) > 0).sum()))
    assert counts[0] < counts[1] < counts[2]
    assert counts[0] >= 1


def test_skin_that_only_hands_read_feels_the_same_there() -> None:
    task = Core("grab-object", senses=("skin",))
    task.reset(seed=3)
    child = task.play.child
    whole, hands = Skin(child), Skin(child, SkinSettings(regions=("hand", "fingertips")))
    read = np.isin(whole.taxels.region, ("hand", "fingertips"))
    touched, saved = 0, 0
    for _ in range(30):
        task.step(task.script())
        all_felt, felt = whole.measure(), hands.measure()
        assert (felt[read] == all_felt[read]).all()
        touched += int((felt[read] > 0).sum())
        saved += int((felt[~read] < all_felt[~read]).sum())
    assert touched > 0 and saved > 0


def test_several_contacts_are_felt_at_once() -> None:
    child = child_of()
    skin = Skin(child)
    child.reset(pose="stand")
    for _ in range(15):
        child.step()
    skin.reset()
    felt = skin.read()
    feet = {side: (felt[np.isin(skin.taxels.bone, rows)] > 0).sum() for side, rows in _feet().items()}
    assert min(feet.values()) > 20
    assert (felt[skin.taxels.region == "face"] == 0).all()


def _feet() -> dict[str, list[int]]:
    from puzzlebox.infant.body.bones import BONE_NAMES

    return {side: [BONE_NAMES.index(f"{side}_{bone}") for bone in ("foot", "toes")] for side in ("left", "right")}


@pytest.mark.parametrize("age", [1, 6, 24])
def test_children_of_all_ages_feel_the_floor(age: float) -> None:
    child = child_of(age)
    skin = Skin(child)
    child.reset(pose="lie")
    for _ in range(15):
        child.step()
    regions = set(skin.taxels.region[skin.measure() > 0].tolist())
    assert {"trunk", "head"} <= regions


def test_links_are_those_of_all_pairs() -> None:
    points = np.random.default_rng(0).uniform(0, 1, (300, 3))
    reaches = np.where(np.arange(300) % 3, 0.15, 0.3)
    one, other, distance = links_between(points, reaches)
    assert (np.diff(one) >= 0).all()
    for row in range(0, 300, 17):
        away = np.linalg.norm(points - points[row], axis=1)
        expected = [i for i in np.flatnonzero(away < reaches[row]).tolist() if i != row]
        assert other[one == row].tolist() == expected
        assert distance[one == row] == pytest.approx(away[expected])


def test_constants_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match=r"largest_displacement is 0; it must be more than 0"):
        SkinSettings(largest_displacement=0)
    with pytest.raises(ValueError, match=r"threshold is 2; it must be 0 to 1"):
        SkinSettings(threshold=2)


@pytest.mark.parametrize("kind", ["BOX", "CYLINDER", "CAPSULE", "ELLIPSOID"])
def test_every_shape_pushes_the_skin_in_where_it_is(kind: str) -> None:
    def furnish(spec: mujoco.MjSpec) -> None:
        body = spec.worldbody.add_body(name="toy", mocap=True, pos=[0, 0, 5])
        body.add_geom(name="toy", type=getattr(mujoco.mjtGeom, f"mjGEOM_{kind}"), size=[0.03, 0.04, 0.05])

    child = Child(18, furnish=furnish)
    skin = Skin(child)
    held_up(child)
    belly = child.data.body("thorax").xpos
    child.data.mocap_pos[child.model.body("toy").mocapid[0]] = belly + np.array((0.09, 0, 0))
    mujoco.mj_step1(child.model, child.data)
    displacement = skin.measure()
    places = skin.positions()[displacement > 0]
    assert len(places) > 5
    assert places[:, 0].min() > belly[0] + 0.03, "only the front of the trunk"


@pytest.mark.parametrize("age", [1, 6, 18, 24])
def test_the_arms_of_a_standing_child_hang_beside_its_trunk_and_press_nothing(age: float) -> None:
    child = Child(age)
    skin = Skin(child)
    child.reset(seed=1, pose="stand")
    for _ in range(30):
        child.step()
    names = [{child.model.body(child.model.geom_bodyid[geom]).name for geom in pair} for pair in child.near()]
    arms = np.array([any("arm" in name for name in pair) for pair in names])
    assert (child.data.contact.dist[arms] > 0).all()
    flanks = np.isin(skin.taxels.bone, [BONE_NAMES.index(name) for name in ("lumbar", "thorax", "chest")])
    assert skin.measure()[flanks].max() < 0.004


def test_the_skin_of_an_armpit_does_not_feel_its_own_arm_and_feels_other_things(probed: Child) -> None:
    skin = Skin(probed)
    # The bones of arm and trunk are 12 mm apart.
    probed.reset(pose=Pose(0, {**POSES["stand"].angles, "upper_arm.abduct": 30}, supported=True))
    probed.data.qpos[2] += 1.0
    mujoco.mj_step1(probed.model, probed.data)
    thorax = skin.taxels.bone == BONE_NAMES.index("thorax")
    follows = (skin._bones == BONE_NAMES.index("left_collarbone")) & (skin._weights > 0.05)
    armpit = np.flatnonzero(thorax & follows.any(axis=1))
    assert len(armpit) >= 5 and skin.measure()[thorax].max() == 0
    for taxel in armpit.tolist():
        assert press(probed, skin, taxel, 0.002)[taxel] >= 0.0019
