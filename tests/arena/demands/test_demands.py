"""The demands of a task: each is read off an arena that demands just that, and the bundled tasks have sensible ones."""

from pathlib import Path

import numpy as np
import pytest

from puzzlebox.arena.demands import DEMANDS, DIMENSIONS, demands
from puzzlebox.arena.demands.terrain import Terrain
from puzzlebox.arena.schema import load_task
from puzzlebox.arena.wing import WING
from puzzlebox.arena.world import World
from puzzlebox.batteries import bundled_names
from worlds import task_of

ANIMAL = "name: Agent, at: [20, 0, 5], rotation: 0"
FOOD = "name: GoodGoal, at: [20, 0, 25], size: [1, 1, 1]"
# A wall across the arena with a gap of two metres at one side.
WALL = "name: Wall, at: [19, 0, 15], size: [38, 4, 1], rotation: 0"


def of(*items: str, **arena: object) -> dict[str, float]:
    return demands(task_of(*items, **arena))


def test_food_straight_ahead_demands_nothing_but_the_distance() -> None:
    found = of(ANIMAL, FOOD, time_limit=250)
    assert found["distance"] == pytest.approx(20, abs=0.1)
    assert found["size"] == pytest.approx(1, abs=0.01)
    assert found["smallness"] == pytest.approx(np.log2(20) + 1, abs=0.05)
    assert found["turn"] < 1
    assert found["path"] == pytest.approx(19, abs=0.5)
    nothing = {each.name for each in DIMENSIONS} - {"smallness", "haste", "detour", "climb"}
    assert {name for name in nothing if found[name]} == set()
    assert found["detour"] < 0.1
    assert found["climb"] < 0.05


def test_an_animal_that_looks_away_must_turn() -> None:
    found = of("name: Agent, at: [20, 0, 5], rotation: 180", FOOD)
    assert found["turn"] == pytest.approx(180, abs=1)
    assert not found["hidden"]


def test_a_wall_hides_and_obstructs_and_a_pane_only_obstructs() -> None:
    behind = of(ANIMAL, WALL, FOOD)
    assert behind["hidden"] == behind["obstructed"] == 1
    assert 0.5 < behind["detour"] < 1.5
    glass = of(ANIMAL, WALL.replace("Wall", "WallTransparent"), FOOD)
    assert (glass["hidden"], glass["obstructed"], glass["glass"]) == (0, 1, 1)
    assert glass["path"] == pytest.approx(behind["path"], abs=0.1)


def test_a_gap_must_be_as_wide_as_the_animal() -> None:
    closed = of(ANIMAL, "name: Wall, at: [19.7, 0, 15], size: [39.4, 4, 1], rotation: 0", FOOD)
    assert closed["beyond_reach"] == 1
    assert not of(ANIMAL, WALL, FOOD)["beyond_reach"]


def test_a_block_in_the_way_must_be_pushed() -> None:
    walls = [f"name: Wall, at: [{x}, 0, 15], size: [18, 4, 1], rotation: 0" for x in (9, 31)]
    found = of(ANIMAL, *walls, "name: LightBlock, at: [20, 0, 15], size: [3.8, 2, 1], rotation: 0", FOOD)
    assert (found["push"], found["beyond_reach"]) == (1, 0)
    assert of(ANIMAL, *walls, FOOD)["push"] == 0


def test_a_block_before_the_button_of_a_gate_must_be_pushed() -> None:
    closed = "name: Wall, at: [20, 0, 20], size: [40, 4, 1], rotation: 0"
    gate = "operations: [{do: toggle_object, items: [{name: Wall, at: [30, 0, 30]}]}]"
    button = f"name: SpawnerButton, at: [34, 0, 10], rotation: 180, {gate}"
    walls = [f"name: Wall, at: [28, 0, {z}], size: [1, 4, {long}], rotation: 0" for z, long in ((4, 8), (15.2, 8.4))]
    block = "name: LightBlock, at: [28, 0, 9.5], size: [1, 2, 2.8], rotation: 0"
    blocked = of(ANIMAL, closed, button, *walls, block, FOOD)
    assert (blocked["push"], blocked["beyond_reach"]) == (1, 1)
    free = of(ANIMAL, closed, button, *walls, FOOD)
    assert (free["push"], free["beyond_reach"]) == (0, 1)
    # Without a button, pushing leads nowhere.
    assert of(ANIMAL, closed, *walls, block, FOOD)["push"] == 0
    mat = f"name: DataZone, at: [34, 0, 10], size: [3, 0.5, 3], {gate}"
    assert of(ANIMAL, closed, mat, *walls, block, FOOD)["push"] == 1


def test_a_ramp_is_climbed_and_a_platform_without_one_is_beyond_reach() -> None:
    platform = "name: Wall, at: [20, 0, 27], size: [8, 2, 8], rotation: 0"
    food = "name: GoodGoal, at: [20, 2, 27], size: [1, 1, 1]"
    ramp = "name: Ramp, at: [20, 0, 20], size: [4, 2, 6], rotation: 180"
    climbed = of(ANIMAL, platform, ramp, food)
    assert climbed["climb"] == pytest.approx(2, abs=0.2)
    assert not climbed["beyond_reach"]
    assert of(ANIMAL, platform, food)["beyond_reach"] == 1
    steep = of(ANIMAL, platform, "name: Ramp, at: [20, 0, 22.5], size: [4, 2, 1], rotation: 180", food)
    assert steep["beyond_reach"] == 1


def test_an_animal_drops_from_a_platform_but_cannot_return() -> None:
    start = "name: Agent, at: [20, 3, 5], rotation: 0"
    platform = "name: Wall, at: [20, 0, 20], size: [2, 3, 39], rotation: 0"
    left, right = (f"name: GoodGoalMulti, at: [{x}, 0, 10], size: [1, 1, 1]" for x in (12, 28))
    found = of(start, platform, left, right, pass_mark=0.5)
    assert not found["beyond_reach"]
    assert found["commitment"] == 0.5


def test_paths_keep_clear_of_death_zones_and_red_goals() -> None:
    zone = "name: DeathZone, at: [20, 0, 15], size: [30, 0, 2], rotation: 0"
    found = of(ANIMAL, zone, FOOD)
    assert found["harm"] == found["harmful"] == 1
    assert found["detour"] > 0.3
    assert of(ANIMAL, "name: DeathZone, at: [20, 0, 15], size: [40, 0, 2], rotation: 0", FOOD)["beyond_reach"] == 1
    assert of(ANIMAL, "name: BadGoal, at: [20, 0, 15], size: [1, 1, 1]", FOOD)["harm"] == 1
    assert of(ANIMAL, "name: BadGoal, at: [30, 0, 15], size: [1, 1, 1]", FOOD)["harm"] == 0
    hot = of(ANIMAL, "name: HotZone, at: [20, 0, 15], size: [10, 0, 7], rotation: 0", FOOD)
    assert hot["hot"] == pytest.approx(3, abs=0.1)  # 7 m


def test_the_pass_mark_decides_which_and_how_many_goals_count() -> None:
    small = "name: GoodGoal, at: [18, 0, 10], size: [1, 1, 1]"
    large = "name: GoodGoal, at: [22, 0, 30], size: [3, 3, 3]"
    assert of(ANIMAL, small, large)["distance"] < 6
    picky = of(ANIMAL, small, large, pass_mark=2)
    assert picky["distance"] > 24
    assert picky["choice"] == 0.5
    several = [f"name: GoodGoalMulti, at: [{x}, 0, 10], size: [1, 1, 1]" for x in (10, 20, 30)]
    assert of(ANIMAL, *several, pass_mark=0.5)["goals"] == 0
    assert of(ANIMAL, *several, pass_mark=2.5)["goals"] == pytest.approx(np.log2(3))


def test_darkness_waiting_and_haste() -> None:
    dark = of(ANIMAL, FOOD, time_limit=100, blackouts="[50, 10000]")
    assert dark["dark"] == pytest.approx(0.5, abs=0.03)
    assert of("name: Agent, at: [20, 0, 5], frozen_delay: 3", FOOD)["wait"] == pytest.approx(3)
    assert of(ANIMAL, FOOD, time_limit=50)["haste"] == pytest.approx(of(ANIMAL, FOOD, time_limit=100)["haste"] + 1)


def test_food_that_moves_changes_or_must_be_brought() -> None:
    assert of(ANIMAL, "name: GoodGoalBounce, at: [20, 0, 25], size: [1, 1, 1], rotation: 90")["moving"] > 2
    assert of(ANIMAL, "name: RipenGoal, at: [20, 0, 25]")["changing"] == 1
    button = "name: SpawnerButton, at: [20, 0, 25], reward_names: [GoodGoal], reward_at: [10, 0, 10]"
    assert of(ANIMAL, button)["brought"] == 1


def test_food_that_is_covered_was_seen_at_first() -> None:
    found = demands(load_task("memory/left-or-right"))  # food rolls behind a screen
    assert (found["covered"], found["hidden"]) == (1, 0)


def test_random_positions_are_averaged_and_their_spread_is_known() -> None:
    found = of("name: Agent, at: [20, 0, 20]", "name: GoodGoal, size: [1, 1, 1]")
    assert found["spread"] > 3
    assert found["distance"] > 3
    assert found == of("name: Agent, at: [20, 0, 20]", "name: GoodGoal, size: [1, 1, 1]")
    assert of(ANIMAL, FOOD)["spread"] == 0


def test_an_arena_without_food_is_beyond_reach() -> None:
    assert of(ANIMAL)["beyond_reach"] == 1


def test_a_tunnel_is_walked_through() -> None:
    world = World(task_of(ANIMAL, "name: CylinderTunnel, at: [20, 0, 15], size: [4, 4, 6], rotation: 0", FOOD))
    terrain = Terrain(world)
    start = terrain.nearest(20, 0, 5)
    assert start is not None
    inside = terrain.nearest(20, 0, 15)
    assert inside is not None
    assert terrain.distances(start)[inside] == pytest.approx(10, abs=0.5)


@pytest.mark.parametrize("name", bundled_names()[::6])
def test_bundled_tasks_have_finite_demands(name: str) -> None:
    task = load_task(name)
    if task.bodies > 1:
        pytest.skip("a task for two")
    for start in task.starts:
        found = WING.demands(task, start, WING.rules(None))
        assert set(found) == {each.name for each in DEMANDS}
        assert all(np.isfinite(value) and value >= 0 for value in found.values()), found


@pytest.mark.parametrize(
    ("name", "dimension", "low", "high"),
    [
        ("obstacles/the-corner", "detour", 1.0, 2.0),
        ("obstacles/the-window", "hidden", 0.0, 0.0),
        ("space/round-the-back", "climb", 1.8, 2.2),
        ("causes/clear-the-doorway", "push", 1.0, 1.0),
        ("causes/the-stick", "beyond_reach", 1.0, 1.0),
        ("memory/three-pens", "dark", 0.8, 1.0),
        ("food/runaway-apple", "moving", 3.0, 5.0),
        ("food/picnic", "goals", 1.5, 3.0),
    ],
)
def test_bundled_tasks_demand_what_they_are_for(name: str, dimension: str, low: float, high: float) -> None:
    assert low <= demands(load_task(name))[dimension] <= high


def test_the_guide_has_every_dimension() -> None:
    guide = (Path(__file__).parents[3] / "docs" / "guides" / "abilities.md").read_text(encoding="utf-8")
    table = guide.split("| dimension | unit | meaning |\n|---|---|---|\n")[1].split("\n\n")[0]
    assert table.splitlines() == [f"| {each.name} | {each.unit} | {each.meaning} |" for each in DIMENSIONS]
