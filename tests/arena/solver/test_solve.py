"""The solver: a small task for each thing it can do, and what it must not do."""

import warnings
from pathlib import Path
from time import monotonic

import pytest

import puzzlebox
from conftest import each_reference_file
from puzzlebox.arena.schema import Task, load_task
from puzzlebox.arena.solver import Plan, solve
from puzzlebox.arena.solver.touch import has_pushed
from puzzlebox.arena.world import World
from worlds import parsed, task_of

AGENT = "name: Agent, at: [10, 0, 5], rotation: 0"
FOOD = "name: GoodGoal, at: [10, 0, 15], size: 1"
SIZE = "[20, 20]"
# A room of its own behind a wall, with a doorway of three metres that a block fills.
DOORWAY = (
    AGENT,
    "name: Wall, at: [4.25, 0, 10], size: [8.5, 3, 0.6], rotation: 0",
    "name: Wall, at: [15.75, 0, 10], size: [8.5, 3, 0.6], rotation: 0",
    "name: LightBlock, at: [10, 0, 9.5], size: [2.6, 1.5, 1.5], rotation: 0",
    "name: GoodGoal, at: [4, 0, 17], size: 1",
)


def solved(task: Task, *, seconds: float = 20.0, **settings: object) -> Plan:
    """Return a plan, after checking that its replay passes."""
    plan = solve(task, seconds=seconds, **settings)  # type: ignore[arg-type]
    assert plan is not None
    world = World.replay(plan.record)
    assert world.passed() is True
    assert world.over
    assert world.total == plan.total
    assert plan.decisions == len(plan.actions) == len(world.actions)
    return plan


def test_food_ahead() -> None:
    plan = solved(task_of(AGENT, FOOD, size=SIZE, time_limit=100))
    assert plan.steps == ("go to (10.0, 15.0)",)
    assert plan.seconds < 2.0


def test_food_behind_a_wall() -> None:
    wall = "name: Wall, at: [10, 0, 10], size: [14, 3, 1], rotation: 0"
    plan = solved(task_of(AGENT, wall, FOOD, size=SIZE, time_limit=200))
    assert plan.seconds < 6.0


def test_food_up_a_ramp() -> None:
    platform = "name: Wall, at: [10, 0, 15], size: [6, 2, 6], rotation: 0"
    ramp = "name: Ramp, at: [10, 0, 9.5], size: [4, 2, 5], rotation: 180"
    solved(task_of(AGENT, platform, ramp, "name: GoodGoal, at: [10, 2, 16], size: 1", size=SIZE, time_limit=200))


def test_food_beyond_a_death_zone() -> None:
    zone = "name: DeathZone, at: [9, 0, 10], size: [18, 0.5, 5], rotation: 0"
    plan = solved(task_of(AGENT, zone, FOOD, size=SIZE, time_limit=200))
    assert plan.total > 0.5


def test_a_hot_zone_is_crossed_only_if_needed() -> None:
    def heat(width: float) -> float:
        """Return what the zone cost."""
        zone = f"name: HotZone, at: [10, 0, 10], size: [{width}, 0.5, 4], rotation: 0"
        plan = solved(task_of(AGENT, zone, FOOD, size=SIZE, time_limit=300))
        return 0.999 - plan.seconds / 30 - plan.total

    assert heat(5) < 0.01
    assert heat(20) > 0.05


def test_two_goals_in_order() -> None:
    """The green goal ends the episode, so the golden one comes first, though it is further away."""
    gold = "name: GoodGoalMulti, at: [3, 0, 16], size: 1"
    plan = solved(task_of(AGENT, FOOD, gold, size=SIZE, time_limit=300, pass_mark=1.5))
    assert plan.steps == ("go to (3.0, 16.0)", "go to (10.0, 15.0)")


def test_small_food_that_ends_too_early_is_left() -> None:
    small = "name: GoodGoal, at: [10, 0, 10], size: 1"
    large = "name: GoodGoal, at: [10, 0, 16], size: 2"
    assert solved(task_of(AGENT, small, large, size=SIZE, time_limit=300, pass_mark=1.5)).total > 1.5


def test_food_that_grows_is_waited_for() -> None:
    ripe = "name: RipenGoalEpEnding, at: [10, 0, 15], initial_value: 0, final_value: 2, change_rate: 0.01"
    plan = solved(task_of(AGENT, ripe, size=SIZE, time_limit=500, pass_mark=1))
    assert any(step.startswith("wait") for step in plan.steps)


def test_food_that_falls_is_waited_for() -> None:
    plan = solved(task_of(AGENT, "name: GoodGoal, at: [10, 30, 15], size: 1", size=SIZE, time_limit=300))
    assert plan.seconds > 2.0


def test_food_that_rolls_is_met() -> None:
    rolling = "name: GoodGoalBounce, at: [4, 0, 15], size: 1, rotation: 90"
    solved(task_of(AGENT, rolling, size=SIZE, time_limit=300))


def test_an_animal_that_starts_frozen_waits() -> None:
    plan = solved(task_of(AGENT + ", frozen_delay: 2", FOOD, size=SIZE, time_limit=200))
    assert plan.steps[0] == "wait 2.0 s"


def test_a_button_is_pressed() -> None:
    button = "name: SpawnerButton, at: [10, 0, 15], rotation: 90, reward_names: [GoodGoal], reward_at: [4, 0, 4]"
    task = task_of(AGENT, button, size=SIZE, time_limit=300)
    assert any(step.startswith("press button") for step in solved(task).steps)
    assert solve(task, seconds=2.0, may_press=False) is None


def test_a_block_is_pushed_out_of_a_doorway() -> None:
    plan = solved(task_of(*DOORWAY, size=SIZE, time_limit=400))
    assert any(step.startswith("push LightBlock") and "north" in step for step in plan.steps)


def test_without_pushing_the_doorway_stays_closed() -> None:
    assert solve(task_of(*DOORWAY, size=SIZE, time_limit=400), seconds=2.0, may_push=False) is None


def test_without_pushing_nothing_is_moved() -> None:
    """A block stands in the straight way, and there is room to go round it."""
    block = "name: LightBlock, at: [10, 0, 10], size: [3, 1, 1], rotation: 0"
    plan = solved(task_of(AGENT, block, FOOD, size=SIZE, time_limit=300), may_push=False)
    world = World.replay(plan.record)
    thing = next(each for each in world.describe()["things"] if each["name"] == "LightBlock")
    assert thing["at"][0] == pytest.approx(10, abs=0.1)
    assert thing["at"][2] == pytest.approx(10, abs=0.1)


def test_a_wall_is_leapt_over() -> None:
    wall = "name: Wall, at: [10, 0, 13], size: [20, 1, 0.5], rotation: 0"
    ramp = "name: Ramp, at: [10, 0, 9], size: [4, 2, 4], rotation: 180"
    food = "name: GoodGoal, at: [10, 0, 18], size: 1"
    plan = solved(task_of("name: Agent, at: [10, 0, 1], rotation: 0", wall, ramp, food, size=SIZE, time_limit=400))
    assert any(step.startswith("leap") for step in plan.steps)


def test_arenas_that_merge_are_played_to_the_end() -> None:
    arena = f"size: {SIZE}, time_limit: 200, merge_next_arena: true, items: [{{{AGENT}}}, {{{FOOD}}}]"
    last = f"size: {SIZE}, time_limit: 200, items: [{{{AGENT}}}, {{name: GoodGoal, at: [4, 0, 15], size: 1}}]"
    plan = solved(parsed(f"arenas:\n  - {{id: 0, {arena}}}\n  - {{id: 1, {last}}}\n"))
    assert plan.steps == ("go to (10.0, 15.0)", "go to (4.0, 15.0)")


def test_a_push_in_the_second_arena_is_found() -> None:
    first = f"size: {SIZE}, time_limit: 200, merge_next_arena: true, items: [{{{AGENT}}}, {{{FOOD}}}]"
    last = f"size: {SIZE}, time_limit: 400, items: [{', '.join(f'{{{item}}}' for item in DOORWAY)}]"
    plan = solved(parsed(f"arenas:\n  - {{id: 0, {first}}}\n  - {{id: 1, {last}}}\n"))
    assert plan.steps[0] == "go to (10.0, 15.0)"
    assert any(step.startswith("push") for step in plan.steps)


def test_pushes_are_noticed_in_every_arena() -> None:
    first = f"size: {SIZE}, time_limit: 200, merge_next_arena: true, items: [{{{AGENT}}}, {{{FOOD}}}]"
    last = f"size: {SIZE}, time_limit: 400, items: [{', '.join(f'{{{item}}}' for item in DOORWAY)}]"
    task = parsed(f"arenas:\n  - {{id: 0, {first}}}\n  - {{id: 1, {last}}}\n")
    assert has_pushed(solved(task).record)
    assert has_pushed(solved(task_of(*DOORWAY, size=SIZE, time_limit=400)).record)
    assert not has_pushed(solved(task_of(AGENT, FOOD, DOORWAY[3], size=SIZE, time_limit=400), may_push=False).record)


def test_a_search_without_anywhere_to_go_ends_early() -> None:
    start = monotonic()
    assert solve(task_of(AGENT, size=SIZE, time_limit=100), seconds=60) is None
    assert monotonic() - start < 20


def test_two_calls_give_the_same_plan() -> None:
    task = task_of(*DOORWAY, size=SIZE, time_limit=400)
    assert solved(task) == solved(task)


def test_food_that_cannot_be_reached_has_no_plan() -> None:
    walls = [
        f"name: Wall, at: [{x}, 0, {z}], size: [{w}, 5, {d}], rotation: 0"
        for x, z, w, d in ((10, 13, 6, 0.5), (10, 17, 6, 0.5), (7.5, 15, 0.5, 3.2), (12.5, 15, 0.5, 3.2))
    ]
    assert solve(task_of(AGENT, FOOD, *walls, size=SIZE, time_limit=100), seconds=0.5) is None


def test_progress_is_reported() -> None:
    reports: list[tuple[float, str]] = []
    task = task_of(*DOORWAY, size=SIZE, time_limit=400)
    solve(task, seconds=20, progress=lambda share, words: reports.append((share, words)))
    assert reports
    assert all(0 <= share <= 1 for share, _ in reports)
    assert any(words.startswith("push") for _, words in reports)


@pytest.mark.parametrize("name", ["examples/ramp", "causes/the-gate", "causes/magic-mat", "memory/left-or-right"])
def test_bundled_tasks_are_solved(name: str) -> None:
    solved(load_task(name))


# What the solver does not solve of the original's sample, and why: docs/guides/solving.md.
UNSOLVED = {"04-26-02", "06-08-02", "08-29-02", "10-23-02"} | {f"09-{number:02}-02" for number in range(2, 29, 3)}


@pytest.mark.slow
@pytest.mark.parametrize("path", each_reference_file())
def test_the_sample_of_the_original_is_solved(path: Path) -> None:
    if path.parent.name != "testbed-sample":
        pytest.skip("no task of the testbed")
    if path.stem in UNSOLVED:
        pytest.skip("no plan is known")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        task = puzzlebox.load_task(path)
    solved(task, rules="3.1", seconds=120.0)
