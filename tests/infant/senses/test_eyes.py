"""The sense of sight: two eyes at two places, vergence, the foveal patch, and the limits of age in painted scenes."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from infant_bodies import child_of
from puzzlebox.infant.body.child import Child
from puzzlebox.infant.body.poses import Pose
from puzzlebox.infant.looks.axes import place_in_scene
from puzzlebox.infant.looks.gaze import angles_towards
from puzzlebox.infant.looks.portrait import Portrait
from puzzlebox.infant.senses.eyes import PERFECT, Eyes, EyeSettings, Sight
from puzzlebox.infant.senses.retina import pixels_per_degree
from puzzlebox.scene.scene import PART, POSE, Flag, Kind

TOY = 7
PLAIN_EYES = EyeSettings(sight=PERFECT, depth=True, segments=True)


def standing(age: float = 18.0, angles: dict[str, float] | None = None) -> Child:
    """Return a child that hovers upright and looks straight ahead, or along the angles of its eyes."""
    child = child_of(age)
    child.reset(pose=Pose(0, angles or {}))
    child.data.qpos[2] += 0.5
    mujoco.mj_kinematics(child.model, child.data)
    return child


def before(child: Child, *offset: float) -> NDArray[np.float64]:
    """Return the position that is so far from the middle of the eyes: forwards, to the left, up."""
    middle = np.mean([child.data.body(side + "eye").xpos for side in ("left_", "right_")], axis=0)
    return np.asarray(middle + np.array(offset))


def with_parts(child: Child, parts: NDArray, at: NDArray) -> Portrait:
    """Return a portrait with parts that belong to one more thing at a position in MuJoCo's axes."""
    portrait = Portrait(child)
    scene = portrait.scene
    parts["thing"], parts["turn"], parts["flags"] = len(scene.poses), (1, 0, 0, 0), Flag.GLOWS
    pose = np.zeros(1, POSE)
    pose["at"], pose["turn"] = place_in_scene(at), (1, 0, 0, 0)
    scene.parts, scene.poses = np.concatenate((scene.parts, parts)), np.concatenate((scene.poses, pose))
    scene.owners = np.append(scene.owners, np.int32(TOY)).astype(np.int32)
    return portrait


def with_ball(child: Child, at: NDArray, radius: float) -> Portrait:
    part = np.zeros(1, PART)
    part["kind"], part["half"], part["color"] = Kind.BALL, radius, (0.9, 0.1, 0.1, 1)
    return with_parts(child, part, at)


def columns_and_rows(segments: NDArray) -> list[tuple[float, float]]:
    """Return the centre of the toy in both pictures."""
    centres = []
    for each in segments:
        rows, columns = np.nonzero(each == TOY)
        centres.append((float(columns.mean()), float(rows.mean())))
    return centres


@pytest.mark.parametrize(("distance", "radius"), [(0.25, 0.02), (0.6, 0.05), (5.0, 0.3)])
def test_a_near_thing_is_at_different_places_in_both_eyes_and_a_far_one_at_the_same(
    distance: float, radius: float
) -> None:
    child = standing()
    at = before(child, distance, 0, 0)
    glance = Eyes(child, with_ball(child, at, radius), PLAIN_EYES).read()
    assert glance.segments is not None
    (left, _), (right, _) = columns_and_rows(glance.segments)
    apart = child.data.body("left_eye").xpos[1] - child.data.body("right_eye").xpos[1]
    from_pupil = distance - child.model.geom("left_eye.0").size[0]
    pixels = np.degrees(apart / from_pupil) * pixels_per_degree(84, 60)
    assert left - right == pytest.approx(pixels, abs=0.8)
    assert (left - right < 1) == (distance > 3)


@pytest.mark.parametrize("offset", [(0.25, 0, 0), (0.2, 0.06, -0.08), (0.5, -0.15, 0.1)])
def test_vergence_centres_a_near_thing_in_both_eyes(offset: tuple[float, float, float]) -> None:
    child = standing()
    at = before(child, *offset)
    child = standing(angles=angles_towards(child, at))
    glance = Eyes(child, with_ball(child, at, 0.02), PLAIN_EYES).read()
    assert glance.segments is not None and glance.depth is not None
    for eye, (column, row) in enumerate(columns_and_rows(glance.segments)):
        assert (column, row) == pytest.approx((41.5, 41.5), abs=0.7)
        assert glance.depth[eye, 42, 42] == pytest.approx(np.linalg.norm(offset) - 0.02, abs=0.02)


def test_eyes_turn_no_farther_than_their_limits() -> None:
    child = standing()
    angles = angles_towards(child, before(child, -0.3, 1.0, 1.0))
    assert angles["left_eye.turn"] == pytest.approx(45)
    assert angles["right_eye.raise"] == pytest.approx(33)


def card(child: Child, wave: float, width: float, distance: float) -> Portrait:
    """Return a portrait with a card straight before the left eye: an upright grating with waves of a length in metres.

    Each wave has six bars of grey.
    """
    eye = child.data.body("left_eye")
    pupil = eye.xpos[0] + child.model.geom("left_eye.0").size[0]
    bar = wave / 6
    count = int(np.ceil(width / bar))
    parts = np.zeros(count, PART)
    parts["kind"] = Kind.BOX
    # No edge of a bar is exactly at a sample.
    parts["at"][:, 0] = (np.arange(count) - count / 2 + 0.31) * bar
    parts["half"] = (bar / 2, distance, 0.001)
    parts["color"] = (0.4 + 0.4 * np.cos(np.pi / 3 * np.arange(count)))[:, None]
    parts["color"][:, 3] = 1
    return with_parts(child, parts, np.array((pupil + distance, *eye.xpos[1:])))


@pytest.mark.parametrize("age", [1, 3, 6, 12])
def test_the_foveal_patch_shows_gratings_just_below_the_acuity_and_not_just_above_it(age: int) -> None:
    child = standing(age)
    # The card is far from where a young eye is sharp; this is about acuity.
    sight = replace(Sight.at(age), focus_distance=None)
    assert sight.acuity is not None
    size, distance, seen = 84, 1.0, []
    for factor in (0.88, 1.12):
        wave = distance * np.radians(1 / (factor * sight.acuity))
        # Five pixels a wave, exactly: what is finer than pixels then adds no stripes of its own.
        width = size * wave / 5
        degrees = float(2 * np.degrees(np.arctan(width / 2 / distance)))
        assert pixels_per_degree(size, degrees) > 4 * sight.acuity
        settings = EyeSettings(sight=sight, fovea=size, fovea_degrees=degrees, samples=4)
        patch = Eyes(child, card(child, wave, 1.2 * width, distance), settings).read().fovea
        assert patch is not None
        middle = patch[0, 24:60, 24:60, 1].astype(int)
        seen.append(int(middle.max() - middle.min()))
    assert seen[1] <= 1
    assert seen[0] >= 4


@pytest.mark.parametrize("age", [1, 3, 6, 12])
def test_gratings_finer_than_the_acuity_leave_no_traces_at_the_edges_of_pictures(age: int) -> None:
    child = standing(age)
    sight = replace(Sight.at(age), focus_distance=None, field_across=None, field_up=None)
    assert sight.acuity is not None
    wave = np.radians(1 / (1.12 * sight.acuity))
    for size, pixels_a_wave in ((84, 5.0), (84, 12.0), (252, 5.3)):
        degrees = float(2 * np.degrees(np.arctan(size * wave / pixels_a_wave / 2)))
        width = 1.0 + 2 * np.tan(np.radians(degrees / 2))
        settings = EyeSettings(size, degrees, fovea=size, fovea_degrees=degrees, sight=sight, samples=4)
        glance = Eyes(child, card(child, wave, width, 1.0), settings).read()
        assert glance.fovea is not None and (glance.fovea == glance.images).all()
        # The card is upright and before the left eye; rows above and below it are not on it.
        line = glance.images[0, size // 2, :, 1].astype(int)
        assert abs(line - np.median(line)).max() <= 3, (size, pixels_a_wave)


def test_the_margin_that_blur_needs_changes_neither_depth_nor_segments_nor_what_is_inside() -> None:
    child = standing(1)
    child.reset(1)
    wanted = EyeSettings(depth=True, segments=True)
    sharp = Eyes(child, settings=replace(wanted, sight=PERFECT)).read()
    blurred = Eyes(child, settings=wanted).read()
    assert (sharp.depth == blurred.depth).all() and (sharp.segments == blurred.segments).all()
    picture, retina = sharp.images[0].copy(), Eyes(child, settings=wanted)._retina
    assert 0 < retina.margin < 6
    retina.filter(picture, sharp.depth[0])
    inside = slice(3 * retina.margin, -3 * retina.margin)
    assert abs(picture[inside, inside].astype(int) - blurred.images[0][inside, inside]).max() <= 1


def test_the_patch_is_the_middle_of_the_picture_at_a_higher_resolution() -> None:
    child = standing()
    at = before(child, 0.4, 0.02, 0.01)
    child = standing(angles=angles_towards(child, at))
    portrait = with_ball(child, at, 0.012)
    glance = Eyes(
        child, portrait, EyeSettings(size=84, fov_degrees=60, fovea=84, fovea_degrees=6, sight=PERFECT)
    ).read()
    whole = Eyes(child, portrait, EyeSettings(fov_degrees=6, sight=PERFECT)).read()
    assert glance.fovea is not None
    assert np.array_equal(glance.fovea, whole.images)
    fine, coarse = (int((each[0, :, :, 1] < 120).sum()) for each in (glance.fovea, glance.images))
    # Ten times as fine, along both sides.
    assert coarse > 0 and fine == pytest.approx(110 * coarse, rel=0.5)


def test_by_default_an_eye_sees_as_at_the_age_of_the_child_and_returns_pictures_only() -> None:
    child = standing(1)
    eyes = Eyes(child)
    glance = eyes.read()
    assert eyes.sight == Sight.at(1)
    assert glance.images.shape == (2, 84, 84, 3) and glance.images.dtype == np.uint8
    assert glance.fovea is None and glance.depth is None and glance.segments is None
    assert not np.array_equal(glance.images, Eyes(child, settings=EyeSettings(sight=PERFECT)).read().images)


def test_depth_and_segments_are_not_filtered() -> None:
    child = standing(1)
    at = before(child, 0.3, 0, 0)
    portrait = with_ball(child, at, 0.03)
    young, perfect = (Eyes(child, portrait, replace(PLAIN_EYES, sight=sight)).read() for sight in (None, PERFECT))
    assert np.array_equal(young.depth, perfect.depth)  # type: ignore[arg-type]
    assert np.array_equal(young.segments, perfect.segments)  # type: ignore[arg-type]
    assert young.segments is not None and TOY in young.segments


def test_the_same_seed_gives_the_same_bytes() -> None:
    def bytes_after(seed: int) -> bytes:
        child = Child(3)
        child.reset(seed, "sit")
        eyes = Eyes(child, settings=EyeSettings(fovea=40, depth=True, segments=True))
        child.step(np.full(child.action_size, 0.1))
        return b"".join(each.tobytes() for each in eyes.read() if each is not None)

    first = bytes_after(4)
    assert first == bytes_after(4)
    assert first != bytes_after(5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"size": 2}, "size is 2; it must be 4 to 512"),
        ({"fovea": 3}, r"fovea is 3; it must be 0 \(none\) or 4 to 512"),
        ({"fov_degrees": 170.0}, "fov_degrees is 170.0; it must be more than 0, up to 150"),
        ({"size": 84.0}, "size is 84.0; it must be a whole number"),
        ({"samples": 0}, "samples is 0; it must be 1 to 8"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        EyeSettings(**settings)  # type: ignore[arg-type]


def test_segments_need_an_owner_for_each_thing() -> None:
    child = standing()
    portrait = with_ball(child, before(child, 0.3, 0, 0), 0.03)
    portrait.scene.owners = portrait.scene.owners[:-1]
    with pytest.raises(ValueError, match="48 poses and 47 owners"):
        Eyes(child, portrait, PLAIN_EYES).read()
