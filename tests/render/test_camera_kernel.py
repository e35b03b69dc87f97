"""The native camera: its geometry against a slow reference that samples every ray, and its pictures."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import numpy as np
import pytest

from puzzlebox import _native
from puzzlebox.render import CEILING, FENCE, FLOOR, SKY, Painter, View
from puzzlebox.scene.scene import MASK, PART, POSE, SURROUNDINGS, Flag, Kind, Pattern, Scene, State
from puzzlebox.scene.shapes import TUBE_RATIO

Array = np.ndarray[Any, Any]
LEVELS = ("baseline", "avx2", "avx512")
FOV = 100.0


def surroundings(**more: object) -> Array:
    row = np.zeros(1, SURROUNDINGS)
    row["size"], row["floor_top"], row["fence_top"], row["light"] = (40, 40), -0.01, 5.9, 1.0
    row["post_top"], row["post_width"], row["panels"] = 7.1, 2.1, (3, 3)
    row["sun"], row["sunlight"] = (0.321, 0.766, -0.557), (0.6, 0.6, 0.6)
    row["above"], row["beside"], row["below"] = (0.3, 0.35, 0.4), (0.25, 0.25, 0.3), (0.1, 0.1, 0.1)
    for name, color, pattern in (
        ("floor", (0.2, 0.2, 0.1), Pattern.TILES),
        ("fence", (0.4, 0.4, 0.5), Pattern.PICKETS),
        ("sky", (0.1, 0.2, 0.4), Pattern.GRADIENT),
        ("lid", (0.5, 0.5, 0.5), Pattern.PLAIN),
    ):
        row[name] = (color, tuple(c / 2 for c in color), int(pattern), 0.7)
    for name, value in more.items():
        row[name] = value
    return row


def scene_of(*rows: dict[str, Any], **around: object) -> Scene:
    """Return a scene with one thing for each row; fields that are not given have plain values."""
    parts, poses = np.zeros(len(rows), PART), np.zeros(len(rows), POSE)
    for number, row in enumerate(rows):
        part, pose = parts[number], poses[number]
        part["thing"], part["turn"], pose["turn"] = number, (1, 0, 0, 0), (1, 0, 0, 0)
        part["color"], part["other"], part["half"] = (0.5, 0.5, 0.5, 1), (0.1, 0.1, 0.1, 0.3), (0.5, 0.5, 0.5)
        for name, value in row.items():
            if name in ("place", "rotation", "value", "state"):
                pose[{"place": "at", "rotation": "turn", "state": "flags"}.get(name, name)] = value
            elif name not in ("planes", "pixels"):
                part[name] = value
    made = Scene(parts=parts, poses=poses, surroundings=surroundings(**around))
    planes = [row["planes"] for row in rows if "planes" in row]
    if planes:
        made.planes = np.concatenate(planes).astype(np.float32)
    pixels = [row["pixels"] for row in rows if "pixels" in row]
    if pixels:
        made.pixels = np.concatenate(pixels).astype(np.uint8)
    return made


def look(
    scene: Scene, eye: tuple[float, float, float], heading: float = 0.0, size: int = 64, **more: Any
) -> tuple[Array, Array, Array]:
    """Return picture, distances and ids."""
    height, width = more.pop("shape", (size, size))
    image = np.zeros((height, width, more.pop("channels", 3)), np.uint8)
    distance, ids = np.zeros((height, width), np.float32), np.zeros((height, width), np.int32)
    Painter(scene).paint(image, eye, heading, distance=distance, ids=ids, **more)
    return image, distance, ids


def srgb(linear: Any) -> Array:
    x = np.asarray(linear, np.float64)
    return np.asarray(255 * np.where(x < 0.0031308, 12.92 * x, 1.055 * np.maximum(x, 1e-9) ** (1 / 2.4) - 0.055))


@pytest.fixture
def each_level() -> Iterator[list[str]]:
    own = _native.camera_level()
    yield [level for level in LEVELS if _native.set_camera_level(level)]
    _native.set_camera_level(own)


# The reference: tests whether thousands of points along each ray are inside a shape.


def rotation(q: Any) -> Array:
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def inside_capsule(p: Array, half: Array) -> Array:
    beyond = np.maximum(np.abs(p[..., 1]) - half[1], 0)
    return np.asarray(np.hypot(np.hypot(p[..., 0], p[..., 2]), beyond) <= half[0])


def inside_tube(p: Array, half: Array) -> Array:
    radius = np.hypot(p[..., 0] / half[0], p[..., 1] / half[1])
    return np.asarray((TUBE_RATIO <= radius) & (radius <= 1) & (p[..., 1] >= 0) & (np.abs(p[..., 2]) <= half[2]))


OCTAHEDRON = np.array([(x, y, z, 1) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float32)
OCTAHEDRON /= np.sqrt(3) * np.array([1, 1, 1, 1 / 1.3], np.float32)

# All but skins, which have no form of their own (test_skinned_mesh.py).
FORMS = [kind for kind in Kind if kind != Kind.SKIN]
INSIDE: dict[Kind, Callable[[Array, Array], Array]] = {
    Kind.BOX: lambda p, half: np.all(np.abs(p) <= half, axis=-1),
    Kind.BALL: lambda p, half: (p**2).sum(axis=-1) <= half[0] ** 2,
    Kind.ELLIPSOID: lambda p, half: ((p / half) ** 2).sum(axis=-1) <= 1,
    Kind.WEDGE: lambda p, half: np.all(np.abs(p) <= half, axis=-1) & ((p / half)[..., 1] + (p / half)[..., 2] <= 0),
    Kind.CYLINDER: lambda p, half: (np.hypot(p[..., 0], p[..., 2]) <= half[0]) & (np.abs(p[..., 1]) <= half[1]),
    Kind.CAPSULE: inside_capsule,
    Kind.TUBE: inside_tube,
    Kind.HULL: lambda p, half: np.all(p @ OCTAHEDRON[:, :3].T <= OCTAHEDRON[:, 3], axis=-1),
}


def directions(size: int, heading: float, pitch: float) -> Array:
    """Return the directions of the rays, one metre forwards each."""
    step = 2 * np.tan(np.radians(FOV / 2)) / size
    u = (np.arange(size) + 0.5 - size / 2) * step
    h, p = np.radians(heading), np.radians(pitch)
    right = np.array([np.cos(h), 0, -np.sin(h)])
    forward = np.array([np.sin(h) * np.cos(p), np.sin(p), np.cos(h) * np.cos(p)])
    up = np.cross(forward, right)
    return np.asarray(forward + u[None, :, None] * right - u[:, None, None] * up)


def reference(scene: Scene, eye: Array, heading: float, pitch: float, size: int, reach: float) -> tuple[Array, Array]:
    """Return the first point inside any shape along each ray, and the row of that shape (-1: none)."""
    rays = directions(size, heading, pitch).reshape(-1, 3)
    nearest, whose = np.full(len(rays), np.inf), np.full(len(rays), -1)
    samples = np.linspace(0.01, reach, 3000)
    for part in scene.parts:
        pose = scene.poses[part["thing"]]
        turn = rotation(pose["turn"]) @ rotation(part["turn"])
        middle = pose["at"] + rotation(pose["turn"]) @ part["at"]
        origin, along = (eye - middle) @ turn, rays @ turn
        inside, half = INSIDE[Kind(part["kind"])], part["half"].astype(np.float64)
        for number, direction in enumerate(along):
            hits = inside(origin + samples[:, None] * direction, half)
            first = int(np.argmax(hits))
            if not hits[first]:
                continue
            near, far = samples[max(first - 1, 0)], samples[first]
            for _ in range(30):
                middle_t = (near + far) / 2
                if inside(origin + middle_t * direction, half):
                    far = middle_t
                else:
                    near = middle_t
            if far < nearest[number]:
                nearest[number], whose[number] = far, part["thing"]
    return nearest.reshape(size, size), whose.reshape(size, size)


def edges(ids: Array) -> Array:
    """Return the pixels with a neighbour that shows something else."""
    out = np.zeros(ids.shape, bool)
    for axis in (0, 1):
        change = np.diff(ids, axis=axis) != 0
        out[tuple(slice(1, None) if a == axis else slice(None) for a in (0, 1))] |= change
        out[tuple(slice(None, -1) if a == axis else slice(None) for a in (0, 1))] |= change
    return out


def random_turn(random: np.random.Generator) -> Array:
    q = random.normal(size=4)
    return np.asarray(q / np.linalg.norm(q))


def random_row(kind: Kind, random: np.random.Generator, place: Array, upright: bool) -> dict[str, Any]:
    half = random.uniform(0.7, 1.3, 3)
    if kind == Kind.BALL:
        half[:] = half[0]
    if kind in (Kind.CYLINDER, Kind.CAPSULE):
        half[2] = half[0]
    row: dict[str, Any] = {"kind": kind, "half": half, "place": place, "at": random.uniform(-0.2, 0.2, 3)}
    if kind == Kind.HULL:
        row |= {"planes": OCTAHEDRON, "count": len(OCTAHEDRON), "half": (2.3, 2.3, 2.3)}
    yaw = random.uniform(0, np.pi)
    row["rotation"] = (np.cos(yaw), 0, np.sin(yaw), 0) if upright else random_turn(random)
    row["turn"] = (1, 0, 0, 0) if upright else random_turn(random)
    return row


@pytest.mark.parametrize("upright", [True, False], ids=["upright", "turned"])
@pytest.mark.parametrize("kind", FORMS, ids=lambda kind: kind.name.lower())
def test_forms_are_where_a_slow_reference_finds_them(kind: Kind, upright: bool, each_level: list[str]) -> None:
    random = np.random.default_rng(100 * kind + upright)
    for heading, pitch in ((0.0, 0.0), (250.0, 0.0), (110.0, -35.0)):
        eye = np.array([20, 6.0, 20])
        forward = directions(1, heading, pitch)[0, 0]
        rows = [random_row(kind, random, eye + forward * d + random.uniform(-1, 1, 3), upright) for d in (2.6, 4.5)]
        scene = scene_of(*rows, fence_top=0.0, post_width=0.0)
        if kind == Kind.HULL:
            scene.parts["first"] = np.arange(2) * len(OCTAHEDRON)
        depth, ids = reference(scene, eye, heading, pitch, 24, 9.0)
        for level, flags in product(each_level, (0, Flag.SEE_THROUGH)):
            _native.set_camera_level(level)
            scene.parts["flags"] = flags
            _, seen_depth, seen = look(scene, tuple(eye), heading, 24, pitch=pitch)
            seen = np.maximum(seen, -1)
            clear = ~edges(ids) & ~edges(seen)
            assert (ids >= 0).sum() > 15
            np.testing.assert_array_equal(seen[clear], ids[clear])
            there = clear & (ids >= 0)
            # Two faces of one thing meet without an edge of ids; the tolerance is the same.
            np.testing.assert_allclose(seen_depth[there], depth[there], atol=1e-3)


def test_an_eye_inside_a_form_does_not_see_it_but_sees_a_tunnel_around_it() -> None:
    for kind in set(FORMS) - {Kind.TUBE}:
        row = {"kind": kind, "half": (2, 2, 2), "place": (20, 1, 20), "planes": OCTAHEDRON, "count": 8}
        assert (look(scene_of(row), (20, 1, 20))[2] < 0).all(), kind
    tunnel = {"kind": Kind.TUBE, "half": (2, 2, 6), "place": (20, 0, 20)}
    _, distance, ids = look(scene_of(tunnel), (20, 0.5, 20), 90)
    assert ids[10, 32] == 0
    assert distance[31, 32] == pytest.approx(np.sqrt((2 * TUBE_RATIO) ** 2 - 0.5**2), abs=0.02)
    assert look(scene_of(tunnel), (20, 0.5, 20), 0)[2][32, 32] == FENCE


def test_forms_around_and_behind_the_eye_are_cut_where_they_pass_it() -> None:
    """A wall beside the eye fills its half of the picture, up to the edge."""
    wall = {"half": (1, 5, 30), "place": (22, 0, 20)}
    _, distance, ids = look(scene_of(wall), (20, 0.5, 20), 0)
    assert (ids[32, -10:] == 0).all()
    assert distance[32, -1] == pytest.approx(1 / (np.tan(np.radians(50)) * 63 / 64), rel=1e-3)
    assert (look(scene_of(wall), (20, 0.5, 20), 0)[2][:, :32] != 0).all()


# The original's pictures (docs/original/looks.md#screenshots), and which side is right.


def box_around(mask: Array) -> tuple[int, int, int, int]:
    rows, columns = np.nonzero(mask)
    return columns.min(), columns.max(), rows.min(), rows.max()


@pytest.mark.parametrize("kind", [Kind.BALL, Kind.BOX])
def test_a_thing_of_one_metre_ten_metres_away_is_as_large_as_in_the_original(kind: Kind) -> None:
    scene = scene_of({"kind": kind, "half": (0.4995,) * 3, "place": (20, 0.4895, 20)})
    ids = look(scene, (30, 0.49, 20), 270, 512)[2]
    left, right, top, bottom = box_around(ids == 0)
    near = 0 if kind == Kind.BALL else 1
    assert abs(left - 245) <= near and abs(right - 266) <= near
    assert abs(top - 245) <= near and abs(bottom - 266) <= near


def test_headings_turn_to_the_right() -> None:
    places = {0: (20, 0.5, 25), 90: (25, 0.5, 20), 180: (20, 0.5, 15), 270: (15, 0.5, 20)}
    scene = scene_of(*({"kind": Kind.BALL, "place": place} for place in places.values()))
    for number, heading in enumerate(places):
        _, _, ids = look(scene, (20, 0.5, 20), heading)
        assert ids[32, 32] == number
        # A direction 30 degrees to the right is in the right half of the picture.
        left, right, _, _ = box_around(look(scene, (20, 0.5, 20), heading - 30)[2] == number)
        assert left > 40 and right < 60


def test_pitch_looks_up_and_the_sky_is_on_top() -> None:
    scene = scene_of({"kind": Kind.BALL, "place": (20, 10, 25)})
    ids = look(scene, (20, 0.5, 20), 0, pitch=62.2)[2]
    assert ids[32, 32] == 0
    level = look(scene_of(), (20, 0.5, 20))[2]
    assert level[0, 0] == SKY and level[63, 0] == FLOOR and level[31, 32] == FENCE
    straight_down = look(scene, (20, 8, 20), 0, pitch=-90)
    assert (straight_down[2] == FLOOR).all() and straight_down[1] == pytest.approx(8.01, abs=1e-3)


def test_floor_fence_and_ceiling_are_as_far_as_they_are() -> None:
    scene = scene_of(ceiling=8.0, fence_top=8.0, post_width=0.0)
    _, distance, ids = look(scene, (30, 0.49, 20), 270, 512)
    step = np.tan(np.radians(50)) / 256
    for row in (300, 400, 511):
        assert distance[row, 256] == pytest.approx(0.5 / ((row + 0.5 - 256) * step), rel=1e-4)
        assert ids[row, 256] == FLOOR
    assert distance[255, 256] == pytest.approx(30, rel=1e-4) and ids[255, 256] == FENCE
    assert distance[10, 256] == pytest.approx(7.51 / ((256 - 10.5) * step), rel=1e-4) and ids[10, 256] == CEILING
    assert np.isinf(look(scene_of(), (30, 0.49, 20), 270)[1][0, 0])


def test_posts_stand_between_the_panels_and_the_sky_is_over_the_boards() -> None:
    ids = look(scene_of(), (20, 0.49, 20), 0, 512)[2]
    focal = 256 / np.tan(np.radians(50))
    row = 256 - int((6.5 - 0.49) * focal / 20)
    post = 256 + int((26.667 - 20) * focal / 20)
    assert ids[row, post] == FENCE and ids[row, 256] == SKY
    assert ids[256 - int((5.5 - 0.49) * focal / 20), 256] == FENCE


# Colours.


def test_what_glows_has_its_own_colour_and_the_rest_is_lit() -> None:
    color = (0.506, 0.749, 0.255)
    for light in (1.0, 0.3):
        scene = scene_of(
            {"kind": Kind.BALL, "color": (*color, 1), "flags": Flag.GLOWS, "place": (20, 0.5, 23)}, light=light
        )
        image, _, ids = look(scene, (20, 0.5, 20))
        assert np.abs(image[ids == 0] - np.round(srgb(color))).max() <= 1
    # A box face with normal -z gets the sun at its cosine, and the light from the side.
    scene = scene_of({"color": (*color, 1), "place": (20, 0.5, 23)})
    expected = srgb(np.array(color) * (0.557 * 0.6 + np.array([0.25, 0.25, 0.3])))
    assert np.abs(look(scene, (20, 0.5, 20))[0][32, 32] - expected).max() <= 1


def test_round_things_are_darker_below() -> None:
    for kind in (Kind.BALL, Kind.ELLIPSOID, Kind.CAPSULE):
        image, _, ids = look(scene_of({"kind": kind, "place": (20, 1.5, 21.5)}), (20, 1.5, 20))
        rows = np.nonzero(ids[:, 32] == 0)[0]
        assert image[rows[1], 32].sum() > image[rows[-2], 32].sum() + 60


def test_bytes_follow_the_curve_of_srgb(each_level: list[str]) -> None:
    for level in each_level:
        _native.set_camera_level(level)
        for value in np.linspace(0, 1, 41):
            row = {"color": (value, value**2, 1 - value, 1), "flags": Flag.GLOWS, "place": (20, 0.5, 21)}
            pixel = look(scene_of(row), (20, 0.5, 20))[0][32, 32]
            assert np.abs(pixel - srgb([value, value**2, 1 - value])).max() <= 0.65


def test_see_through_things_are_blended_from_the_back_to_the_front() -> None:
    def row(z: float, color: tuple[float, float, float], alpha: float) -> dict[str, Any]:
        glass = Flag.GLOWS | Flag.SEE_THROUGH
        return {"half": (2, 2, 0.1), "place": (20, 1, z), "color": (*color, alpha), "flags": glass}

    wall = {"half": (3, 3, 0.1), "place": (20, 1, 28), "color": (0, 0, 1, 1), "flags": Flag.GLOWS}
    rows = [row(22, (1, 0, 0), 0.5), row(26, (0, 1, 0), 0.25), wall, row(30, (1, 1, 1), 0.9), row(21, (1, 1, 1), 0)]
    expected = 0.5 * np.array([1, 0, 0]) + 0.5 * (0.25 * np.array([0, 1, 0]) + 0.75 * np.array([0, 0, 1]))
    for order in ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [1, 3, 0, 4, 2]):
        scene = scene_of(*(rows[i] for i in order))
        # Distances and ids are those of the nearest visible thing, or of the nearest opaque one.
        for through, nearest, metres in ((False, 0, 1.9), (True, 2, 7.9)):
            image, distance, ids = look(scene, (20, 1, 20), through=through)
            assert np.abs(image[32, 32] - srgb(expected)).max() <= 1
            assert ids[32, 32] == order.index(nearest) and distance[32, 32] == pytest.approx(metres, abs=1e-3)


def test_see_through_things_that_cross_are_ordered_pixel_by_pixel() -> None:
    pane = {"half": (2, 2, 0.05), "place": (20, 1, 24), "flags": Flag.GLOWS | Flag.SEE_THROUGH}
    sine, cosine = np.sin(np.pi / 8), np.cos(np.pi / 8)
    red = pane | {"rotation": (cosine, 0, sine, 0), "color": (1, 0, 0, 0.8)}
    blue = pane | {"rotation": (cosine, 0, -sine, 0), "color": (0, 0, 1, 0.8)}
    image, _, ids = look(scene_of(red, blue), (20, 1, 20))
    left, right = image[32, [26, 37]].astype(int)
    assert (left[0] > left[2] + 100) != (right[0] > right[2] + 100)
    assert ids[32, 26] == (left[0] < left[2]) and ids[32, 37] == (right[0] < right[2])
    np.testing.assert_array_equal(image, look(scene_of(blue, red), (20, 1, 20))[0])


def test_many_layers_keep_the_nearest() -> None:
    glass = Flag.GLOWS | Flag.SEE_THROUGH
    rows = [
        {"half": (1, 1, 0.05), "place": (20, 1, 21 + k), "color": (k / 12, 0, 0, 0.6), "flags": glass}
        for k in range(12)
    ]
    expected = np.zeros(3)
    for k in reversed(range(12)):
        expected = 0.4 * expected + 0.6 * np.array([k / 12, 0, 0])
    assert np.abs(look(scene_of(*rows), (20, 1, 20))[0][32, 32].astype(float)[0] - srgb(expected)[0]) <= 2


def test_grey_is_the_mean_of_the_three_colours() -> None:
    scene = busy_scene(12)
    colour = look(scene, (20, 0.5, 5))[0]
    grey = look(scene, (20, 0.5, 5), channels=1)[0]
    assert np.abs(grey[..., 0] - colour.mean(axis=2)).max() <= 1


def test_without_light_everything_is_black() -> None:
    scene = busy_scene(5)
    assert not look(scene, (20, 0.5, 5), lights=False)[0].any()
    image = np.full((4, 4, 3), 7, np.uint8)
    Painter(scene).paint(image, (20, 0.5, 5), lights=False)
    assert not image.any()


def test_hidden_things_and_the_own_body_are_not_seen() -> None:
    row = {"place": (20, 0.5, 23)}
    assert look(scene_of(row), (20, 0.5, 20))[2][32, 32] == 0
    assert look(scene_of(row | {"state": State.HIDDEN}), (20, 0.5, 20))[2][32, 32] == FENCE
    assert look(scene_of(row), (20, 0.5, 20), skip_thing=0)[2][32, 32] == FENCE


# Patterns.


@pytest.mark.parametrize("kind", FORMS, ids=lambda kind: kind.name.lower())
@pytest.mark.parametrize("pattern", list(Pattern), ids=lambda pattern: pattern.name.lower())
def test_every_pattern_on_every_form_stays_between_its_colours(kind: Kind, pattern: Pattern) -> None:
    row = {"kind": kind, "pattern": pattern, "flags": Flag.GLOWS, "half": (1, 1, 1), "place": (20, 1, 22.2)}
    row |= {"color": (0.5, 0.4, 0.3, 1), "other": (0.1, 0.2, 0.05, 0.3), "value": 0.5}
    if kind == Kind.HULL:
        row |= {"planes": OCTAHEDRON, "count": 8, "half": (2.3, 2.3, 2.3)}
    image, _, ids = look(scene_of(row), (20, 1, 20))
    shown = image[ids == 0].astype(int)
    assert len(shown) > 100
    if pattern not in (Pattern.PLAIN, Pattern.SYMBOL, Pattern.RING):
        assert len(np.unique(shown, axis=0)) > 1, "nothing to be seen of it"
    if pattern != Pattern.RING:  # its plate and square are white and black
        assert (shown <= 1.15 * srgb((0.5, 0.4, 0.3)) + 1).all() and (shown >= 0.85 * srgb((0.1, 0.2, 0.05)) - 1).all()


def test_symbols_are_read_from_the_front_from_left_to_right() -> None:
    mask = np.zeros((MASK, MASK), np.uint8)
    mask[: MASK // 2, : MASK // 2] = 255
    row = {"pattern": Pattern.SYMBOL, "half": (0.05, 1, 1), "place": (20, 1, 20), "count": MASK, "pixels": mask}
    scene = scene_of(row | {"color": (1, 1, 1, 1), "other": (0, 0, 0, 1)})
    front, _, ids = look(scene, (18, 1, 20), 90)
    left, right, top, bottom = box_around(ids == 0)
    bright = front.sum(axis=2) > 100
    assert bright[top + 2, left + 2] and not bright[top + 2, right - 2]
    assert not bright[bottom - 2, left + 2] and not bright[bottom - 2, right - 2]
    back, _, ids = look(scene, (22, 1, 20), 270)
    assert not (back.sum(axis=2) > 100)[ids == 0].any()


def test_a_ring_fills_with_its_value() -> None:
    def filled(value: float) -> int:
        row = {"kind": Kind.BALL, "pattern": Pattern.RING, "flags": Flag.GLOWS, "value": value, "place": (20, 1, 21)}
        image = look(scene_of(row | {"color": (0, 0, 1, 1), "other": (1, 0, 0, 1)}), (20, 1, 20))[0].astype(int)
        return int(((image[..., 0] > 150) & (image[..., 1] < 80)).sum())

    counts = [filled(value) for value in (0.0, 0.25, 0.5, 0.75, 1.0)]
    assert counts == sorted(counts) and counts[-1] > counts[0] + 20


# Everything else.


def busy_scene(count: int, seed: int = 3) -> Scene:
    """Return things of all kinds and patterns, some transparent."""
    random = np.random.default_rng(seed)
    rows = []
    for number in range(count):
        kind = FORMS[number % 8]
        place = random.uniform((5, 0.5, 5), (35, 1.5, 35))
        row = random_row(kind, random, place, upright=number % 3 > 0)
        row |= {"pattern": number % 10, "color": (*random.uniform(0.1, 0.9, 3), 1.0), "first": 0}
        if number % 5 == 4:
            row["color"] = (*row["color"][:3], 0.4)
            row["flags"] = Flag.SEE_THROUGH
        rows.append(row)
    return scene_of(*rows)


def test_all_instruction_sets_paint_the_same(each_level: list[str]) -> None:
    scene = busy_scene(40)
    for heading, through in product((0, 90, 200), (False, True)):
        pictures = []
        for level in each_level:
            assert _native.set_camera_level(level) and _native.camera_level() == level
            pictures.append(look(scene, (20, 0.6, 20), heading, 128, through=through))
        for image, distance, ids in pictures[1:]:
            same = ids == pictures[0][2]
            assert same.mean() > 0.998
            near = np.abs(image.astype(int) - pictures[0][0]).max(axis=2) <= 2
            assert near[same].mean() > 0.998
            finite = same & np.isfinite(distance)
            np.testing.assert_allclose(distance[finite], pictures[0][1][finite], rtol=1e-4, atol=1e-3)


def test_unknown_instruction_sets_are_refused() -> None:
    before = _native.camera_level()
    assert not _native.set_camera_level("abacus")
    assert _native.camera_level() == before


def test_every_size_works_and_writes_nothing_else(each_level: list[str]) -> None:
    painter = Painter(busy_scene(10))
    for level in each_level:
        _native.set_camera_level(level)
        for size in range(4, 513, 1 if level == each_level[-1] else 37):
            for channels in (1, 3):
                store = np.full(size * size * channels + 128, 77, np.uint8)
                painter.paint(store[64:-64].reshape(size, size, channels), (20, 0.5, 5))
                assert (store[:64] == 77).all() and (store[-64:] == 77).all()


@pytest.mark.parametrize("shape", [(80, 120), (120, 80)], ids=["wide", "tall"])
def test_the_middle_of_any_picture_is_what_a_square_one_shows(shape: tuple[int, int]) -> None:
    scene = busy_scene(20)
    image, _, ids = look(scene, (20, 0.5, 5), shape=shape)
    square = look(scene, (20, 0.5, 5), size=80)
    middle = tuple(slice((side - 80) // 2, (side + 80) // 2) for side in shape)
    assert (ids[middle] == square[2]).mean() > 0.999
    assert (np.abs(image[middle].astype(int) - square[0]) <= 1).mean() > 0.999


def test_the_same_scene_gives_the_same_bytes_in_any_order_and_thread() -> None:
    painter = Painter(busy_scene(30))

    def picture(heading: float) -> bytes:
        image = np.zeros((64, 64, 3), np.uint8)
        painter.paint(image, (20, 0.5, 20), heading)
        return image.tobytes()

    headings = [7.0 * k for k in range(50)]
    first = [picture(heading) for heading in headings]
    painter.picture(View((20, 5, 5), 0, -20), 120, 80)
    assert [picture(heading) for heading in reversed(headings)] == first[::-1]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(picture, headings)) == first


def test_poses_are_followed_in_place_and_new_tables_too() -> None:
    scene = scene_of({"place": (20, 0.5, 23)})
    painter, image, ids = Painter(scene), np.zeros((64, 64, 3), np.uint8), np.zeros((64, 64), np.int32)
    painter.paint(image, (20, 0.5, 20), ids=ids)
    assert ids[32, 32] == 0
    scene.poses["at"] = (20, 0.5, 15)
    painter.paint(image, (20, 0.5, 20), ids=ids)
    assert ids[32, 32] == FENCE
    other = scene_of({"place": (10, 0.5, 10)}, {"place": (20, 0.5, 24)})
    scene.parts, scene.poses = other.parts, other.poses
    painter.paint(image, (20, 0.5, 20), ids=ids)
    assert ids[32, 32] == 1


def test_a_large_picture_is_smooth() -> None:
    painter = Painter(scene_of({"kind": Kind.BALL, "place": (20, 1, 24), "color": (1, 0, 0, 1)}))
    view = View((20, 1, 20), fov_degrees=60)
    smooth = painter.picture(view, 120, 80)
    assert smooth.shape == (80, 120, 3) and smooth.dtype == np.uint8
    rough = painter.picture(view, 120, 80, samples=1)
    assert len(np.unique(smooth.reshape(-1, 3), axis=0)) > len(np.unique(rough.reshape(-1, 3), axis=0))


@pytest.mark.parametrize("kind", FORMS, ids=lambda kind: kind.name.lower())
def test_shadows_fall_where_a_slow_reference_finds_them(kind: Kind, each_level: list[str]) -> None:
    random = np.random.default_rng(int(kind))
    eye, size = np.array([20, 7.0, 23.5]), 80
    row = random_row(kind, random, np.array([20, 2.2, 19]), upright=False)
    scene = scene_of(row, fence_top=0.0, post_width=0.0)
    _, distance, ids = look(scene, tuple(eye), 180, size, pitch=-60)
    places = eye + distance[..., None] * directions(size, 180, -60)
    part, pose = scene.parts[0], scene.poses[0]
    turn = rotation(pose["turn"]) @ rotation(part["turn"])
    middle = pose["at"] + rotation(pose["turn"]) @ part["at"]
    expected = np.zeros((size, size))
    for place in zip(*np.nonzero(ids == FLOOR), strict=True):
        beam = places[place] + np.linspace(0.01, 8, 2000)[:, None] * scene.surroundings["sun"][0]
        expected[place] = not INSIDE[kind]((beam - middle) @ turn, part["half"].astype(np.float64)).any()
    clear = (ids == FLOOR) & ~edges(expected) & ~edges(ids)
    assert (expected[clear] == 0).sum() > 10 and (expected[clear] == 1).sum() > 10
    for level in each_level:
        _native.set_camera_level(level)
        tables = [t.reshape(-1).view(np.uint8) for t in (scene.parts, scene.poses, scene.planes, scene.pixels)]
        sun = np.zeros((size, size), np.float32)
        around = scene.surroundings.view(np.uint8)
        _native.Tables(*tables, around).shade(tuple(eye), 180, -60, FOV, sun, 1, 0.0)
        np.testing.assert_array_equal(sun[clear], expected[clear])


def test_soft_shadows_darken_the_floor_but_not_what_glows() -> None:
    rows = (
        {"half": (1, 1, 1), "place": (20, 1, 20)},
        {"kind": Kind.BALL, "flags": Flag.GLOWS, "place": (18.9, 0.5, 21.8)},
    )
    painter = Painter(scene_of(*rows))
    view = View((20, 10, 30), 180, -45, 60)
    lit, shaded = (painter.picture(view, 80, 60, shadows=shadows).astype(int) for shadows in (False, True))
    darker = (lit - shaded).max(axis=2)
    assert (darker >= -1).all() and 20 < (darker > 10).sum() < 800
    ids = np.zeros((60, 80), np.int32)
    painter.paint(np.zeros((60, 80, 3), np.uint8), view.eye, 180, -45, 60, ids=ids)
    assert darker[(ids == 1) & ~edges(ids)].max() <= 1


def test_tables_that_contradict_each_other_are_refused() -> None:
    scene, image = scene_of({"place": (20, 0.5, 23)}), np.zeros((8, 8, 3), np.uint8)

    def refused(words: str, change: Callable[[Scene], None], picture: Array = image) -> None:
        broken = scene_of({"place": (20, 0.5, 23)})
        change(broken)
        with pytest.raises(ValueError, match=words):
            Painter(broken).paint(picture, (20, 0.5, 20))

    refused("belongs to no thing", lambda s: s.parts.__setitem__("thing", 5))
    refused("unknown kind", lambda s: s.parts.__setitem__("kind", 99))
    refused("no planes", lambda s: (s.parts.__setitem__("kind", Kind.HULL), s.parts.__setitem__("count", 4)) and None)
    refused(
        "no pixels",
        lambda s: (s.parts.__setitem__("pattern", Pattern.SYMBOL), s.parts.__setitem__("count", 128)) and None,
    )
    refused("another layout", lambda s: setattr(s, "parts", np.zeros(3, np.float32)))
    refused("exactly one row", lambda s: setattr(s, "surroundings", np.zeros(2, SURROUNDINGS)))
    refused("height x width", lambda s: None, np.zeros((8, 8, 2), np.uint8))
    with pytest.raises(ValueError, match="one size"):
        Painter(scene).paint(image, (20, 0.5, 20), ids=np.zeros((9, 8), np.int32))
    with pytest.raises(ValueError, match="field of view"):
        Painter(scene).paint(image, (20, 0.5, 20), fov_degrees=180)
