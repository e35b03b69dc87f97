"""Overlaps found from the file, against a brute-force comparison of points."""

from itertools import product
from math import cos, radians, sin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puzzlebox.arena.schema import Arena, Item, read
from puzzlebox.arena.schema.overlap import Footprint, footprint_of, overlaps, through_fence
from puzzlebox.arena.things import CATALOGUE, Solid

SOLIDS = [name for name, thing in CATALOGUE.items() if thing.solid is not Solid.OTHER and thing.size is not None]


def item(name: str, at: tuple[float, float, float], size: float | tuple[float, float, float], rotation: float) -> Item:
    return Item.model_validate({"name": name, "at": at, "size": size, "rotation": rotation})


def pairs(*items: Item) -> list[tuple[int, int]]:
    return list(overlaps(Arena(items=items)))


def test_stacked_and_touching_things_do_not_overlap() -> None:
    below = item("Wall", (10, 0, 10), (2, 1, 2), 0)
    assert pairs(below, item("Wall", (10, 1, 10), (2, 1, 2), 0)) == []
    assert pairs(below, item("Wall", (12, 0, 10), (2, 1, 2), 0)) == []
    assert pairs(below, item("Wall", (11.9, 0, 10), (2, 1, 2), 0)) == [(1, 0)]
    assert pairs(below, item("Wall", (10, 0.9, 10), (2, 1, 2), 0)) == [(1, 0)]


def test_a_goal_may_lie_under_a_slope_but_not_in_it() -> None:
    ramp = item("Ramp", (20, 0, 20), (4, 4, 8), 0)  # tall at z 16, low at z 24
    assert pairs(ramp, item("GoodGoal", (20, 2, 23), 1, 0)) == []
    assert pairs(ramp, item("GoodGoal", (20, 2, 17), 1, 0)) == [(1, 0)]
    rotated = item("Ramp", (20, 0, 20), (4, 4, 8), 180)
    assert pairs(rotated, item("GoodGoal", (20, 2, 23), 1, 0)) == [(1, 0)]
    assert pairs(rotated, item("GoodGoal", (20, 2, 17), 1, 0)) == []


def test_a_wall_may_stand_beside_a_ball_where_its_cube_would_not_fit() -> None:
    ball = item("GoodGoal", (10, 0, 10), 2, 0)
    assert pairs(ball, item("Wall", (11, 0, 11), (0.5, 0.5, 0.5), 0)) == []
    assert pairs(ball, item("Wall", (10.8, 0, 10), (0.5, 2, 0.5), 0)) == [(1, 0)]


def test_unplaced_things_are_not_obstacles() -> None:
    first, second, third = (item("Wall", (x, 0, 10), (2, 1, 2), 0) for x in (10, 11.5, 13))
    assert pairs(first, second, third) == [(1, 0)]


def test_the_agent_comes_first_wherever_it_stands_in_the_file() -> None:
    wall = item("Wall", (10, 0, 10), 2, 0)
    agent = Item(name="Agent", at=(10, 0, 10))
    assert pairs(wall, agent) == [(0, 1)]


@pytest.mark.parametrize(
    "other",
    [
        "{name: Wall, at: [11, 0, 10], size: [4, 1, 1]}",  # reaches the other only at some rotations
        "{name: Wall, at: [random, 0, 10], size: 1, rotation: 0}",
        "{name: Wall, at: [10.6, 0, 10], rotation: 0}",  # overlaps only if it comes out large
        "{name: Ramp, at: [10, 0, 10]}",
        "{name: DeathZone, at: [10, 0, 10], size: 2, rotation: 0}",  # zones are exempt
        "{name: HollowBox, at: [10, 0, 10], size: 2, rotation: 0}",
    ],
)
def test_an_overlap_that_depends_on_chance_is_not_reported(other: str) -> None:
    text = "arenas:\n- items:\n  - {name: Wall, at: [10, 0, 10], size: 1, rotation: 0}\n  - " + other
    assert [finding.code for finding in read(text).findings] == []


@pytest.mark.parametrize(
    "items",
    [
        # One random number makes the whole ball random.
        ["{name: GoodGoal, at: [10, 0, 1], size: [4, random, random]}"],
        # An agent on the border starts elsewhere.
        ["{name: Agent, at: [0, 0, 5], rotation: 0}", "{name: Wall, at: [0.6, 0, 5], size: 1, rotation: 0}"],
        # A thing moved to the edge does not fit there, so it is not an obstacle.
        ["{name: Wall, at: [50, 0, 20], size: [4, 1, 4], rotation: 0}", "{name: GoodGoal, at: [39, 0, 20], size: 1}"],
        # Only the centre of an agent needs room.
        ["{name: Agent, at: [10, 0, 10], rotation: 0}", "{name: Agent, at: [10.9, 0, 10], rotation: 0}"],
        # The wall itself may not fit beside the tree.
        [
            "{name: SpawnerTree, at: [10, 0, 10]}",
            "{name: Wall, at: [10, 0, 10], size: [10, 1, 1], rotation: 0}",
            "{name: GoodGoal, at: [14, 0, 10], size: 1}",
        ],
    ],
)
def test_things_that_do_not_overlap_are_not_reported(items: list[str]) -> None:
    text = "arenas:\n- items:\n" + "".join(f"  - {item}\n" for item in items)
    assert {finding.code for finding in read(text).findings} <= {"outside", "agent-on-border"}


def test_the_pass_mark_is_compared_despite_rounding() -> None:
    """Seven times 0.999 is 6.993, despite floating-point rounding."""
    text = "arenas: [{pass_mark: 6.993, items: [{name: GoodGoalMulti, size: 1, count: 7}]}]\n"
    assert read(text).findings == []


def test_an_overlap_for_every_size_and_rotation_is_reported() -> None:
    text = "arenas:\n- items:\n  - {name: Wall, at: [10, 0, 10]}\n  - {name: LightBlock, at: [10.2, 0, 10]}\n"
    assert [finding.code for finding in read(text).findings] == ["overlap"]


def test_things_that_reach_through_the_fence_are_reported() -> None:
    inside = item("Wall", (20, 0, 20), (40, 1, 1), 0)
    assert list(through_fence(Arena(items=(inside,)))) == []
    rotated = item("Wall", (20, 0, 20), (40, 1, 1), 10)
    assert [index for index, _ in through_fence(Arena(items=(inside, rotated)))] == []
    corner = item("Wall", (1, 0, 20), (4, 1, 1), 0)
    ((index, reach),) = through_fence(Arena(items=(inside, corner)))
    assert index == 1 and reach == pytest.approx(0.998)
    small = Arena(items=(inside,), size=(20, 30))
    assert [index for index, _ in through_fence(small)] == [0]


coordinate = st.floats(8, 12)
footprints = st.builds(
    item,
    st.sampled_from(SOLIDS),
    st.tuples(coordinate, st.floats(0, 1.5), coordinate),
    st.tuples(st.floats(0.5, 3), st.floats(0.5, 3), st.floats(0.5, 3)),
    st.floats(0, 360),
)


def inside(footprint: Footprint, x: float, y: float, z: float, margin: float) -> bool:
    """Return whether a point lies in the true form of a footprint, by plain geometry, at least `margin` deep."""
    dx, dz = x - footprint.x, z - footprint.z
    a, b = dx * footprint.cos - dz * footprint.sin, dx * footprint.sin + dz * footprint.cos
    if abs(a) > footprint.half_x - margin or abs(b) > footprint.half_z - margin:
        return False
    if not footprint.low + margin <= y <= footprint.high - margin:
        return False
    if footprint.solid is Solid.BALL:
        centre = (footprint.low + footprint.high) / 2
        return (a * a + b * b + (y - centre) ** 2) ** 0.5 <= footprint.half_x - margin
    if footprint.solid is Solid.WEDGE:
        return (
            y
            <= footprint.low
            + (footprint.high - footprint.low) * (footprint.half_z - b) / (2 * footprint.half_z)
            - margin
        )
    return True


@settings(max_examples=300)
@given(earlier=footprints, later=footprints)
def test_overlaps_agree_with_a_grid_of_points(earlier: Item, later: Item) -> None:
    """A point deep in both footprints proves an overlap; no reported overlap may be empty on a fine grid."""
    first, second = footprint_of(earlier, 0, (40, 40)), footprint_of(later, 1, (40, 40))
    assert first is not None and second is not None
    # The later thing is compared by its box.
    later_box = Footprint(1, Solid.BOX, *[getattr(second, name) for name in Footprint.__slots__[2:]])
    steps = [(i + 0.5) / 14 * 2 - 1 for i in range(14)]
    points = [
        (
            *later_box.world(u * later_box.half_x, w * later_box.half_z),
            later_box.low + (v + 1) / 2 * (later_box.high - later_box.low),
        )
        for u, v, w in product(steps, repeat=3)
    ]
    reported = pairs(earlier, later) == [(1, 0)]
    if any(inside(first, x, y, z, 0.01) for x, z, y in points):
        assert reported
    elif reported:
        # Only a sliver thinner than the grid can be missed by every point.
        widest = max(later_box.half_x, later_box.half_z, (later_box.high - later_box.low) / 2) / 7
        assert any(inside(first, x, y, z, -2 * widest) for x, z, y in points)


def test_yaw_is_clockwise_seen_from_above() -> None:
    footprint = footprint_of(item("Wall", (10, 0, 10), (4, 1, 1), 30), 0, (40, 40))
    assert footprint is not None
    x, z = footprint.world(1, 0)
    assert (x - 10, z - 10) == pytest.approx((cos(radians(30)), -sin(radians(30))))
