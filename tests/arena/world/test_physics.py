"""Physics: nothing passes through, falls over, leaves or moves that should not."""

from collections.abc import Callable
from math import cos, radians, sin, tan
from typing import Any

import numpy as np
import pytest

from puzzlebox.arena.rules import Rules
from puzzlebox.arena.schema.models import Item
from puzzlebox.arena.things import CATALOGUE, Agent
from puzzlebox.arena.world import World
from puzzlebox.arena.world.engine import FLOOR_TOP
from staging import item, motion, staged, the, watched
from worlds import BACKWARDS, FORWARDS, NOOP, run

SECOND = 50
THIN = 0.1
CORNER = item("Agent", 1, 1)
# Rotation, position, velocity and spin of each body.
ROW = 13


def rows(world: World) -> Any:
    return np.frombuffer(world.state(), np.float32).reshape(-1, ROW)


# --- nothing passes through anything


@pytest.mark.parametrize("wall", ["Wall", "WallTransparent"])
@pytest.mark.parametrize("heading", [0, 20, 45, 70])
def test_no_agent_tunnels_through_a_thin_wall(wall: str, heading: float) -> None:
    # A step at top speed is longer than the wall is thick: try all positions at the start of a step.
    for phase in np.linspace(0.0, 0.53, 9):
        run_up, angle = 27.0 + phase, radians(heading)
        agent = item("Agent", 35 - run_up * sin(angle), 30 - run_up * cos(angle), rotation=heading)
        world = staged(agent, item(wall, 20, 30, size=[40, 3, THIN]), size=[40, 60])
        path = watched(world, world.animals[0], 4 * SECOND, FORWARDS)
        assert path[:, 2].max() > 29.4, "it never came to the wall"
        assert path[:, 2].max() < 30, f"it was in the middle of the wall or beyond, from {run_up} m"


@pytest.mark.parametrize("name", ["GoodGoalMultiBounce", "DecoyGoalBounce"])
@pytest.mark.parametrize("size", [0.5, 2])
def test_no_launched_goal_tunnels_through_a_thin_wall(name: str, size: float) -> None:
    for phase in np.linspace(0.0, 0.2, 5):
        goal = item(name, 20, 26 - phase, size=size)
        world = staged(CORNER, goal, item("Wall", 20, 30, size=[10, 3, THIN]))
        assert watched(world, the(world, name), 2 * SECOND)[:, 2].max() < 30


@pytest.mark.parametrize("name", ["LightBlock", "HeavyBlock", "HollowBox", "UBlock"])
@pytest.mark.parametrize("between", ["nothing", "DecoyGoal", "LightBlock"])
def test_nothing_is_pushed_through_a_thin_wall(name: str, between: str) -> None:
    """The animal pushes a block for 30 m, against the wall or against a small thing just in front of it."""
    size = [3, 1, 5] if name == "UBlock" else 1
    for gap in (0.05, 0.2, 3.0):
        for phase in (0.0, 0.1, 0.2):
            squeezed = [] if between == "nothing" else [item(between, 20, 35.7 - gap, size=0.5)]
            wall = item("Wall", 20, 36, size=[40, 3, THIN])
            world = staged(item("Agent", 20, 2), item(name, 20, 5 + phase, size=size), wall, *squeezed)
            for _ in range(6 * SECOND):
                world.step([FORWARDS])
                beyond = [type(each).__name__ for each in world.things if world.position_of(each)[2] > 36]
                assert not beyond, (gap, phase)


@pytest.mark.parametrize(
    "name", ["GoodGoal", "LightBlock", "HeavyBlock", "HollowBox", "UBlock", "LBlock", "JBlock", "Wall", "Ramp"]
)
def test_what_falls_from_a_height_stops_on_a_thin_roof(name: str) -> None:
    size_of_thing = {"Wall": [0.5, 0.1, 0.5], "Ramp": [0.5, 0.1, 0.5], "GoodGoal": 0.5}.get(name)
    size = size_of_thing or ([1, 0.3, 3] if name[1:] == "Block" else 0.5)
    posts = [item("Wall", x, z, size=[0.5, 2, 0.5]) for x in (17, 23) for z in (17, 23)]
    roof = item("Wall", 20, 20, 2, size=[8, THIN, 8])
    world = staged(CORNER, *posts, roof, item(name, 20, 20, 40, size=size))
    falling = [each for each in world.things if type(each).__name__ == name][-1]
    heights = watched(world, falling, 8 * SECOND)[:, 1]
    assert 2.0 < heights[-1] < 3.0
    assert np.ptp(heights[-SECOND:]) < 1e-3, "it does not rest"


CROWD = ["LightBlock", "HeavyBlock", "HollowBox", "UBlock", "LBlock", "JBlock", "DecoyGoalMulti", "BadGoalMulti"]


@pytest.mark.parametrize("seed", range(4))
def test_nothing_leaves_the_arena(seed: int) -> None:
    draw = np.random.default_rng(seed)
    walls = [item("Wall", x, 10, size=[4, 1, THIN], rotation=float(30 * x)) for x in (4, 10, 16)]
    crowd = [f"name: {name}" + (", size: [1, 0.5, 3]" if name[1:] == "Block" else ", size: 0.8") for name in CROWD]
    launched = [f"name: DecoyGoalBounce, size: {size}" for size in (0.5, 1, 2)]
    world = staged(item("Agent", 10, 2), *walls, *crowd, *launched, size=[20, 20], seed=seed)
    fixed = [each for each in world.things if each.fixed]
    assert len(fixed) == len(walls)
    before = [world.position_of(each) for each in fixed]
    for _ in range(60):
        run(world, [int(draw.choice([3, 3, 3, 4, 5, 6]))] * 15)
        state = rows(world)
        assert np.isfinite(state).all()
        assert (state[:, [4, 6]] > 0).all()
        assert (state[:, [4, 6]] < 20).all()
        assert (state[:, 5] > FLOOR_TOP - 0.02).all()
    assert not world.over
    assert [world.position_of(each) for each in fixed] == before


@pytest.mark.parametrize(("size", "speed"), [(0.5, 1.75), (1, 3.5), (3, 50 / 7), (5, 50 / 7)])
def test_nothing_spins_faster_than_seven_radians_a_second(size: float, speed: float) -> None:
    """A launched ball slides until it rolls, and a small one cannot roll fast (docs/original/things.md#goals)."""
    world = staged(CORNER, item("DecoyGoalBounce", 50, 5, size=size), size=[100, 100])
    ball = the(world, "DecoyGoalBounce")
    # The engine applies the limit at the start of a step; friction may exceed it by its end.
    added = 2.5 * 0.6 * 9.81 / SECOND / (size / 2)
    for _ in range(5 * SECOND):
        world.step([NOOP])
        assert np.linalg.norm(rows(world)[:, 10:], axis=1).max() <= 7.0 + added + 0.05
    # Rolling loses a little speed to drag.
    assert 0.92 * speed < world.body(ball).get_linear_velocity()[2] < 1.01 * speed


# --- what stands


def test_a_tower_with_a_ball_on_top_stands() -> None:
    blocks = [item("HeavyBlock", 20, 20, height, size=1) for height in range(5)]
    world = staged(CORNER, *blocks, item("GoodGoal", 20, 20, 5, size=1))
    tower = [*(the(world, "HeavyBlock", number) for number in range(5)), the(world, "GoodGoal")]
    run(world, [NOOP] * SECOND)
    before = np.array([world.position_of(each) for each in tower])
    assert before[:, 1] == pytest.approx(np.arange(6) * 0.999 + 0.49, abs=0.01)
    run(world, [NOOP] * 10 * SECOND)
    assert np.abs(np.array([world.position_of(each) for each in tower]) - before).max() < 0.01


@pytest.mark.parametrize("turned", [0, 30])
@pytest.mark.parametrize("rails_first", [False, True])
def test_a_fence_of_rails_on_posts_stands(rails_first: bool, turned: float) -> None:
    posts = [item("Wall", 20, z, size=[THIN, 1, THIN], rotation=turned) for z in (18, 20, 22)]
    rails = [item("Wall", 20, z, 1, size=[THIN, THIN, 2]) for z in (19, 21)]
    parts = [*rails, *posts] if rails_first else [*posts, *rails]
    world = staged(item("Agent", 10, 20, rotation=90), *parts)
    fence = [each for each in world.things if not isinstance(each, Agent)]
    assert all(each.fixed for each in fence)
    run(world, [NOOP])
    before = [world.position_of(each) for each in fence]
    tops = sorted({round(at[1], 3) for at in before})
    assert tops == pytest.approx([0.4895, 0.989 + 0.05], abs=0.003), "the rails do not lie on the posts"
    watched(world, world.animals[0], 3 * SECOND, FORWARDS)
    assert [world.position_of(each) for each in fence] == before


@pytest.mark.parametrize("name", ["Wall", "WallTransparent", "Ramp"])
def test_what_stands_on_the_floor_is_fixed_whatever_its_size_and_rotation(name: str) -> None:
    draw = np.random.default_rng(0)
    for _ in range(100):
        x, z, turned = draw.uniform(8, 32), draw.uniform(8, 32), draw.uniform(0, 360)
        world = staged(CORNER, item(name, x, z, size=list(draw.uniform(0.1, 8, 3)), rotation=turned))
        assert the(world, name).fixed, (x, z, turned)


def test_what_rests_on_what_is_fixed_is_fixed_and_the_rest_is_free() -> None:
    for support, height, fixed in (
        (item("Wall", 20, 20, size=[2, 1, 2]), 1.0, True),
        (item("SignBoard", 20, 20), 2.0, True),
        (item("SpawnerContainerShort", 20, 20), 1.61, True),
        (item("CylinderTunnel", 20, 20, size=3), 1.5, True),
        (item("LightBlock", 20, 20, size=[2, 1, 2]), 1.0, False),
        (item("HollowBox", 20, 20, size=[2, 1, 2]), 1.1, False),
    ):
        world = staged(CORNER, support, item("WallTransparent", 20, 20, height, size=[1.9, 0.5, 1.9]))
        board = the(world, "WallTransparent")
        assert board.fixed == fixed, support
        heights = watched(world, board, 4 * SECOND)[:, 1]
        assert heights[-1] == pytest.approx(height + 0.25, abs=0.05), support


@pytest.mark.parametrize(("y", "fixed"), [(0.0, True), (1.0, True), (2.0, False)])
def test_a_wall_that_comes_later_is_fixed_as_if_it_had_always_been_there(y: float, fixed: bool) -> None:
    x = 30.0 if y == 0.0 else 20.0
    world = staged(CORNER, item("Wall", 20, 20, size=[2, 1, 2]))
    run(world, [NOOP] * SECOND)
    wall = world.bring(Item(name="Wall", at=(x, y, 20.0), rotation=30.0, size=(1.0, 1.0, 1.0)))
    assert wall is not None
    assert wall.fixed == fixed
    heights = watched(world, wall, 2 * SECOND)[:, 1]
    assert heights[-1] == pytest.approx((0.989 if x == 20.0 else -0.01) + 0.4995, abs=0.003)


@pytest.mark.parametrize("name", ["Wall", "WallTransparent", "Ramp"])
def test_a_structure_in_the_air_falls_and_is_free(name: str) -> None:
    world = staged(CORNER, item(name, 20, 20, 3, size=[2, 1, 2]))
    thing = the(world, name)
    assert not thing.fixed
    heights = watched(world, thing, 2 * SECOND)[:, 1]
    assert heights[0] == pytest.approx(3.51, abs=0.01)
    assert heights[-1] == pytest.approx(0.5 + FLOOR_TOP, abs=0.01)


@pytest.mark.parametrize("support", ["Wall", "Ramp", "CylinderTunnel"])
def test_a_block_rests_on_what_is_fixed(support: str) -> None:
    below = {
        "Wall": item("Wall", 20, 20, size=[3, 2, 3]),
        "Ramp": item("Ramp", 20, 20, size=[4, 0.4, 4]),
        "CylinderTunnel": item("CylinderTunnel", 20, 20, size=4),
    }[support]
    world = staged(CORNER, below, item("HeavyBlock", 20, 20, 2 if support != "Ramp" else 0.4, size=1))
    block = the(world, "HeavyBlock")
    path = watched(world, block, 7 * SECOND)
    assert path[-1, 1] > (2.4 if support != "Ramp" else 0.6)
    assert np.abs(path[-5 * SECOND :] - path[-1]).max() < 1e-3


# --- passages, over and up


@pytest.mark.parametrize("size", [3, 4, 10])
@pytest.mark.parametrize("name", ["CylinderTunnel", "CylinderTunnelTransparent"])
def test_a_tunnel_can_be_walked_through_and_over(name: str, size: float) -> None:
    tunnel = item(name, 20, 20, size=size)
    world = staged(item("Agent", 20, 20 - size), tunnel)
    path = watched(world, world.animals[0], 2 * SECOND, FORWARDS)
    assert path[-1, 2] > 20 + size / 2
    assert path[10:, 1] == pytest.approx(0.5 + FLOOR_TOP, abs=0.01), "it did not stay on the floor"

    world = staged(item("Agent", 20, 20.6 - size / 2, size / 2), tunnel)
    run(world, [NOOP] * SECOND)
    path = watched(world, world.animals[0], 6 if size < 4 else 10, FORWARDS)
    assert path[:, 1] == pytest.approx(size * 0.999 / 2 + 0.5, abs=0.02), "it does not stand on the tunnel"


def test_the_smallest_tunnel_is_too_low() -> None:
    world = staged(item("Agent", 20, 15), item("CylinderTunnel", 20, 20, size=2.5))
    assert watched(world, world.animals[0], 3 * SECOND, FORWARDS)[:, 2].max() < 19.5


@pytest.mark.parametrize(("slope", "climbs"), [(20, True), (45, True), (52, False), (60, False)])
@pytest.mark.parametrize("turned", [0, 30])
def test_an_agent_climbs_slopes_up_to_45_degrees_from_rest(slope: float, climbs: bool, turned: float) -> None:
    height, length = 4.0, 4.0 / tan(radians(slope))
    # The low edge faces +z at rotation 0; the agent walks to the foot and rests there first.
    away = length / 2 + 0.6
    x, z = 20 + away * sin(radians(turned)), 20 + away * cos(radians(turned))
    ramp = item("Ramp", 20, 20, size=[8, height, length], rotation=turned)
    world = staged(item("Agent", x, z, rotation=turned + 180), ramp)
    agent = world.animals[0]
    run(world, [FORWARDS] * 6 + [NOOP] * 50)
    start = world.position_of(agent)[1]
    assert start == pytest.approx(0.5 + FLOOR_TOP, abs=0.02)
    highest = watched(world, agent, 8 * SECOND, FORWARDS)[:, 1].max()
    if climbs:
        assert highest > height + 0.3
    else:
        assert highest < start + 0.1


@pytest.mark.parametrize(("build", "height"), [("puzzlebox", 0.275 + 0.5), ("4.3", 1.68 + 0.5)])
def test_a_hollow_box_is_solid_in_the_original(build: str, height: float) -> None:
    rules = Rules.named(build, decision_period=1)
    world = staged(CORNER, item("HollowBox", 20, 20, size=2), item("DecoyGoal", 20, 20, 4, size=1), rules=rules)
    path = watched(world, the(world, "DecoyGoal"), 6 * SECOND)
    assert path[-1] == pytest.approx([20, height + FLOOR_TOP, 20], abs=0.03)
    box = the(world, "HollowBox")
    run(world, [NOOP] * SECOND)
    assert world.position_of(box)[::2] == pytest.approx([20, 20], abs=0.01)


def test_a_hollow_box_carries_what_is_in_it() -> None:
    world = staged(item("Agent", 20, 8), item("HollowBox", 20, 10, size=2), item("DecoyGoal", 20, 10, 3, size=1))
    run(world, [NOOP] * 3 * SECOND)
    start = world.position_of(the(world, "HollowBox"))[2]
    run(world, [FORWARDS] * 2 * SECOND + [NOOP] * 2 * SECOND)
    box, ball = (np.array(world.position_of(the(world, name))) for name in ("HollowBox", "DecoyGoal"))
    assert box[2] - start > 2
    assert np.abs((ball - box)[[0, 2]]).max() < 0.9
    assert ball[1] < 1.0


# --- growing


def niche(width: float) -> list[str]:
    return [item("Wall", 20 + side * (width + 1) / 2, 20, size=[1, 3, 4]) for side in (-1, 1)]


def roof(height: float) -> list[str]:
    posts = [item("Wall", x, 20, size=[0.5, height, 4]) for x in (17, 23)]
    return [*posts, item("Wall", 20, 20, height, size=[7, 0.5, 4])]


@pytest.mark.parametrize(
    ("around", "room"),
    [(niche, 1.0), (niche, 2.0), (roof, 1.0), (roof, 1.7)],
    ids=["niche-1", "niche-2", "roof-1", "roof-2"],
)
def test_growth_stops_where_space_is_short(around: Callable[[float], list[str]], room: float) -> None:
    world = staged(CORNER, *around(room), item("GrowGoal", 20, 20, final_value=5, initial_value=0.5))
    goal = the(world, "GrowGoal")
    path = watched(world, goal, 20 * SECOND)
    assert room - 0.1 < goal.extent[0] < room + 0.15
    assert path[-1] == pytest.approx([20, goal.extent[0] / 2, 20], abs=0.1), "it was squeezed out"
    assert world.error is None
    free = staged(CORNER, item("GrowGoal", 20, 20, final_value=5, initial_value=0.5))
    run(free, [NOOP] * 20 * SECOND)
    assert the(free, "GrowGoal").extent[0] == pytest.approx(5)


# --- arenas of all sizes


@pytest.mark.parametrize("side", [5, 100])
def test_animals_stop_at_every_fence_of_the_smallest_and_largest_arena(side: float) -> None:
    for heading, axis, towards in ((0, 2, 1), (90, 0, 1), (180, 2, -1), (270, 0, -1)):
        world = staged(item("Agent", side / 2, side / 2, rotation=heading), size=[side, side])
        path = watched(world, world.animals[0], 5 * SECOND, FORWARDS)
        fence = side if towards > 0 else 0.0
        assert path[-1, axis] == pytest.approx(fence - 0.5 * towards, abs=0.02)
        assert (path[:, [0, 2]] > 0).all()
        assert (path[:, [0, 2]] < side).all()


# --- things that appear and vanish

# Things that rest, roll, fall and are pushed, none of them near the things that appear and vanish.
SCENERY = [
    item("Agent", 10, 4),
    *(item("HeavyBlock", 30, 10, height, size=1) for height in range(3)),
    item("DecoyGoal", 30, 10, 3, size=1),
    item("LightBlock", 10, 8, size=1, rotation=10),
    item("DecoyGoalBounce", 20, 20, size=1, rotation=100),
    item("HollowBox", 22, 6, 1, size=1, rotation=40),
]


def history(world: World, actions: list[int], *guests: Item) -> list[bytes]:
    """Return the motion of everything present at the start, to the last bit, while other things appear and vanish."""
    others = [each for each in world.things if not each.fixed and type(each).__name__ != "GrowGoal"]
    moved, present = [], {}
    for step, action in enumerate(actions):
        for number, guest in enumerate(guests):
            if step == 20 + 15 * number:
                present[number] = world.bring(guest)
                assert present[number] is not None
            if step == 80 + 25 * number:
                world.vanish(present[number])
        world.step([action])
        moved.append(b"".join(motion(world, each) for each in others))
    return moved


PUSH_AND_REST = ([FORWARDS] * 25 + [NOOP] * 15) * 5


@pytest.mark.parametrize(
    "name",
    ["Wall", "CylinderTunnel", "GoodGoalMulti", "GoodGoalBounce", "HeavyBlock", "SpawnerDispenserTall", "GrowGoal"],
)
def test_things_that_appear_and_vanish_move_nothing_else(name: str) -> None:
    size = {"size": (3.0, 3.0, 3.0)} if CATALOGUE[name].size else {}
    guests = [Item(name=name, at=(x, 0.0, 34.0), rotation=0.0, **size) for x in (5.0, 15.0, 33.0)]
    plain = history(staged(*SCENERY), PUSH_AND_REST)
    assert history(staged(*SCENERY), PUSH_AND_REST, *guests) == plain


def test_things_a_button_adds_and_removes_move_nothing_else() -> None:
    def pressed(operation: dict[str, Any]) -> tuple[list[bytes], int]:
        agent = item("Agent", 10, 20, rotation=270)
        world = staged(agent, *SCENERY[1:], item("SpawnerButton", 5, 20.2, operations=[operation], reset_duration=0.2))
        moved = history(world, ([FORWARDS] * 60 + [BACKWARDS] * 20) * 4)
        return moved, the(world, "SpawnerButton").condition()["presses"]

    toggle = {"do": "toggle_object", "items": [{"name": "HeavyBlock", "at": [35, 0, 35], "size": 2}]}
    plain, presses = pressed({"do": "nothing"})
    assert presses > 1
    assert pressed(toggle) == (plain, presses)


def test_things_that_change_their_size_move_nothing_else() -> None:
    def beside(last: float) -> list[bytes]:
        goal = item("GrowGoal", 34, 34, initial_value=1, final_value=last, change_rate=0.05)
        return history(staged(*SCENERY, goal), PUSH_AND_REST)

    assert beside(3) == beside(1)


@pytest.mark.parametrize(("beam", "fixed"), [(20.0, True), (20.4, True), (22.5, False)])
def test_a_beam_on_one_post_tips_unless_the_post_carries_its_middle(beam: float, fixed: bool) -> None:
    world = staged(CORNER, item("Wall", 20, 20, size=[1, 2, 1]), item("WallTransparent", beam, 20, 2, size=[6, 0.3, 1]))
    board = the(world, "WallTransparent")
    assert board.fixed == fixed
    heights = watched(world, board, 3 * SECOND)[:, 1]
    assert (heights[-1] < 1.6) == (not fixed)


def test_a_beam_across_two_posts_stays() -> None:
    posts = [item("Wall", x, 20, size=[0.5, 2, 1]) for x in (17.5, 22.5)]
    world = staged(CORNER, *posts, item("WallTransparent", 20, 20, 2, size=[6, 0.3, 1]))
    assert the(world, "WallTransparent").fixed
