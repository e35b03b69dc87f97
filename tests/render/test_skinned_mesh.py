"""The kernel's triangles: a skin of one triangle, two bones, and tables that do not fit together."""

import numpy as np
import pytest
from puzzlebox._native import camera_level, set_camera_level

from puzzlebox.render import Painter
from puzzlebox.scene.scene import BONE, PART, POSE, VERTEX, Flag, Kind, Scene
from puzzlebox.scene.surroundings import surroundings
from puzzlebox.scene.themes import DEFAULT_THEME, THEMES

SIZE = 41
EYE = (20.0, 2.0, 10.0)


def square(colour: tuple[float, float, float] = (1.0, 0.0, 0.0)) -> Scene:
    """Return a square of two metres that faces -z at z = 20, whose left and right halves follow two bones."""
    vertices = np.zeros(4, VERTEX)
    vertices["at"] = [(19, 1, 20), (21, 1, 20), (21, 3, 20), (19, 3, 20)]
    vertices["normal"], vertices["color"] = (0, 0, -1), colour
    vertices["bones"][:, 0] = (0, 1, 1, 0)
    vertices["weights"][:, 0] = 1
    bones, poses = np.zeros(2, BONE), np.zeros(2, POSE)
    bones["thing"], bones["at"], bones["turn"] = (0, 1), (20, 2, 20), (1, 0, 0, 0)
    poses["at"], poses["turn"] = (20, 2, 20), (1, 0, 0, 0)
    parts = np.zeros(1, PART)
    parts["kind"], parts["count"], parts["flags"], parts["color"] = Kind.SKIN, 2, Flag.GLOWS, 1
    # Clockwise as seen by an eye that looks along +z, with x to the right.
    triangles = np.array([(0, 3, 2), (0, 2, 1)], np.int32)
    around = surroundings(THEMES[DEFAULT_THEME], 40, 40)
    return Scene(parts, poses, surroundings=around, vertices=vertices, triangles=triangles, bones=bones)


def paint(scene: Scene, **more: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    image, ids = np.empty((SIZE, SIZE, 3), np.uint8), np.empty((SIZE, SIZE), np.int32)
    metres = np.empty((SIZE, SIZE), np.float32)
    Painter(scene).paint(image, EYE, 0.0, 0.0, 30.0, ids=ids, distance=metres, **more)
    return image, ids, metres


def test_a_square_is_where_it_is_expected() -> None:
    image, ids, metres = paint(square())
    rows, columns = np.nonzero(ids == 0)
    # Two metres at a distance of ten, in a picture of 2 tan(15 degrees) x 10 = 5.36 metres: 15.3 of 41 pixels.
    assert len(set(columns.tolist())) in (15, 16) and len(set(rows.tolist())) in (15, 16)
    assert len(rows) == len(set(rows.tolist())) * len(set(columns.tolist())), "no gap along the diagonal"
    assert columns.mean() == pytest.approx(20, abs=0.1) and rows.mean() == pytest.approx(20, abs=0.1)
    assert metres[20, 20] == pytest.approx(10, abs=1e-4)
    assert image[20, 20].tolist() == [255, 0, 0]


def test_it_is_not_seen_from_behind() -> None:
    scene = square()
    scene.triangles = scene.triangles[:, ::-1].copy()
    assert (paint(scene)[1] == 0).sum() == 0


def test_vertices_follow_their_bones() -> None:
    scene = square()
    scene.poses["at"][1] = (21, 2, 20)
    _, ids, _ = paint(scene)
    columns = np.flatnonzero((ids == 0).any(axis=0))
    assert columns.mean() == pytest.approx(24, abs=0.5)
    # A vertex that follows both bones alike goes half the way.
    scene.vertices["bones"][1:3, 1], scene.vertices["weights"][1:3] = 0, (0.5, 0.5, 0, 0)
    assert np.flatnonzero((paint(scene)[1] == 0).any(axis=0)).mean() == pytest.approx(22, abs=0.5)


def test_a_bone_that_turns_takes_its_vertices_along() -> None:
    scene = square()
    half = np.radians(45) / 2
    scene.poses["turn"] = (np.cos(half), 0, 0, np.sin(half))
    _, ids, _ = paint(scene)
    rows = np.flatnonzero((ids == 0).any(axis=1))
    assert len(rows) == pytest.approx(15.3 * 2**0.5, abs=1.5)


def test_roll_turns_the_picture() -> None:
    plain, rolled = paint(square((0.2, 0.9, 0.3))), paint(square((0.2, 0.9, 0.3)), roll=90.0)
    # An eye that leans to its right sees the world turned to its left.
    assert np.array_equal(np.rot90(plain[1] == 0), rolled[1] == 0)
    sky_row = plain[1][0]
    assert (sky_row != -2).all() and (rolled[1][:, 0] == sky_row[::-1]).mean() > 0.9


def test_what_is_nearer_hides_it() -> None:
    scene = square()
    box = np.zeros(1, PART)
    box["thing"], box["kind"], box["half"], box["turn"], box["color"] = 2, Kind.BOX, 0.25, (1, 0, 0, 0), 1
    scene.parts = np.concatenate((scene.parts, box))
    pose = np.zeros(1, POSE)
    pose["at"], pose["turn"] = (20, 2, 15), (1, 0, 0, 0)
    scene.poses = np.concatenate((scene.poses, pose))
    _, ids, _ = paint(scene)
    assert ids[20, 20] == 2 and (ids == 0).sum() > 20
    scene.poses["at"][2] = (20, 2, 25)
    assert paint(scene)[1][20, 20] == 0


def test_light_and_darkness() -> None:
    scene = square((0.5, 0.5, 0.5))
    scene.parts["flags"] = 0
    bright = paint(scene)[0][20, 20].astype(int)
    scene.surroundings["light"] = 0.2
    assert (paint(scene)[0][20, 20] < bright - 40).all()


def test_a_part_for_shadows_only_is_not_painted() -> None:
    scene = square()
    ball = np.zeros(1, PART)
    ball["kind"], ball["half"], ball["turn"], ball["flags"] = Kind.BALL, 3.0, (1, 0, 0, 0), Flag.SHADOW_ONLY
    before = paint(scene)
    scene.parts = np.concatenate((scene.parts, ball))
    after = paint(scene)
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


def test_every_instruction_set_draws_the_same() -> None:
    own, pictures = camera_level(), {}
    scene = square((0.3, 0.6, 0.2))
    scene.parts["flags"] = 0
    scene.poses["turn"] = (0.9, 0.2, 0.3, 0.1)
    scene.poses["turn"] /= np.linalg.norm(scene.poses["turn"], axis=1)[:, None]
    try:
        for level in ("baseline", "avx2", "avx512"):
            if set_camera_level(level):
                pictures[level] = paint(scene)
    finally:
        set_camera_level(own)
    image, ids, metres = pictures.pop("baseline")
    assert (ids == 0).sum() > 100
    for other in pictures.values():
        assert (ids != other[1]).mean() < 0.003
        same = ids == other[1]
        assert np.abs(image.astype(int) - other[0])[same].max() <= 2
        finite = same & np.isfinite(metres)
        assert metres[finite] == pytest.approx(other[2][finite], rel=1e-4)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda scene: scene.parts.__setitem__("count", 3), "a mesh has no triangles"),
        (lambda scene: scene.parts.__setitem__("first", -1), "a mesh has no triangles"),
        (lambda scene: scene.triangles.__setitem__((0, 0), 4), "no such vertex"),
        (lambda scene: scene.vertices["bones"].__setitem__((0, 0), 2), "no such bone"),
        (lambda scene: scene.bones.__setitem__("thing", 2), "a bone belongs to no thing"),
    ],
)
def test_tables_that_do_not_fit_together_are_refused(change, problem: str) -> None:
    scene = square()
    change(scene)
    with pytest.raises(ValueError, match=problem):
        paint(scene)
