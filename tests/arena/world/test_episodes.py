"""The rules of an episode: health, reward, ends, merging, schedule, lights, notices, several agents."""

from itertools import pairwise, repeat
from typing import Any

import numpy as np
import pytest

from puzzlebox.arena.world import ArenaSchedule, Rules, World
from worlds import (
    AGENT,
    FINE,
    FORWARDS,
    GOAL,
    NOOP,
    TWO_AGENTS,
    kinds,
    multis,
    parsed,
    run,
    world_of,
)

# --- the clock


@pytest.mark.parametrize("limit", [1, 7, 50, 250, 333])
@pytest.mark.parametrize("period", [1, 3, 5])
def test_without_goals_an_episode_lasts_five_steps_a_unit_and_costs_one(limit: int, period: int) -> None:
    world = world_of(AGENT, time_limit=limit, rules=Rules(decision_period=period))
    run(world, repeat(NOOP, 5 * limit + 1))
    assert world.clock == 5 * limit
    assert world.animals[0].total == pytest.approx(-1.0, abs=1e-12)
    assert world.animals[0].health == 0.0
    assert (world.terminated, world.truncated) == (False, True)


def test_no_limit_means_no_cost_and_no_end() -> None:
    world = world_of(AGENT)
    run(world, repeat(NOOP, 500))
    assert not world.over
    assert world.animals[0].total == 0.0


@pytest.mark.parametrize("size", [0.5, 1, 3])
def test_a_goal_pays_a_little_less_than_its_size_minus_the_time(size: float) -> None:
    world = world_of(AGENT, f"name: GoodGoal, at: [20, 0, 12], size: {size}", time_limit=100)
    run(world, repeat(FORWARDS, 300))
    assert world.terminated
    steps = world.clock
    assert world.animals[0].total == pytest.approx(0.999 * size - steps / 500)


def test_food_refills_health_to_the_brim_and_prolongs_the_episode() -> None:
    items = [f"name: GoodGoalMulti, at: [20, 0, {z}], size: 1" for z in (10, 15, 35)]
    world = world_of("name: Agent, at: [20, 0, 5], rotation: 0", *items, time_limit=20)
    run(world, repeat(NOOP, 15))
    assert world.animals[0].health < 60
    healths = []
    while not world.over and world.position_of(world.animals[0])[2] < 20:
        world.step([FORWARDS])
        healths.append(world.animals[0].health)
    assert max(healths) >= 98.0  # full, except for the rest of that decision
    run(world, repeat(NOOP, 100))
    assert world.truncated
    assert world.clock > 100


def test_a_step_that_holds_a_reward_and_the_last_of_health_terminates() -> None:
    """Time alone truncates; the same end in a hot zone is the zone's doing."""
    hot = "name: HotZone, at: [20, 0, 5], rotation: 0, size: [5, 1, 5]"
    world = world_of(AGENT, hot, time_limit=10)
    run(world, repeat(NOOP, 100))
    assert (world.terminated, world.truncated) == (True, False)
    assert world.clock < 50


# --- ends and passing


def test_a_small_bad_goal_ends_by_touch_a_large_one_by_health() -> None:
    for size, cause in ((0.5, "completed"), (1.5, "health")):
        world = world_of(AGENT, f"name: BadGoal, at: [20, 0, 10], size: {size}", time_limit=100)
        events = run(world, repeat(FORWARDS, 100))
        assert world.terminated
        assert [event.details["cause"] for event in events if event.kind == "ended"] == [cause]


@pytest.mark.parametrize(("mark", "passed"), [(0.5, True), (0.95, False), (0, True)])
def test_passed_means_the_return_reaches_the_mark(mark: float, passed: bool) -> None:
    world = world_of(AGENT, GOAL, time_limit=100, pass_mark=mark)
    events = run(world, repeat(FORWARDS, 100))
    assert world.passed() is passed
    assert [event.details["passed"] for event in events if event.kind == "finished"] == [passed]


def test_stepping_a_finished_world_is_refused() -> None:
    world = world_of(AGENT, time_limit=1)
    run(world, repeat(NOOP, 10))
    with pytest.raises(RuntimeError, match="the episode is over"):
        world.step([NOOP])


@pytest.mark.parametrize(("actions", "sentence"), [([9], "9 is not an action"), ([0, 0], "2 actions"), ([0.5], "0.5")])
def test_invalid_actions_are_refused_before_any_time_passes(actions: Any, sentence: str) -> None:
    world = world_of(AGENT)
    with pytest.raises(ValueError, match=sentence):
        world.step(actions)
    assert world.clock == 0


# --- goals to collect


def test_the_last_of_several_goals_ends_the_episode() -> None:
    world = world_of(AGENT, *multis(10, 15, 20), time_limit=100)
    events = run(world, repeat(FORWARDS, 200))
    assert kinds(events).count("collected") == 3
    assert world.terminated


def test_a_good_goal_ends_before_the_others_are_collected() -> None:
    world = world_of(AGENT, GOAL, *multis(20), time_limit=100)
    events = run(world, repeat(FORWARDS, 200))
    assert kinds(events).count("collected") == 1
    assert world.terminated


def test_changing_goals_count_among_those_to_collect() -> None:
    decay = "name: DecayGoal, at: [20, 0, 10], initial_value: 1, final_value: 0.5"
    world = world_of(AGENT, decay, *multis(20), time_limit=100)
    events = run(world, repeat(FORWARDS, 200))
    assert kinds(events).count("collected") == 2
    world = world_of(AGENT, decay, *multis(20), time_limit=100, rules="4.3")
    events = run(world, repeat(FORWARDS, 200))
    assert kinds(events).count("collected") == 1  # that build ends with the first


@pytest.mark.parametrize(("rules", "collected"), [("puzzlebox", 2), ("4.3", 1)])
def test_decoys_end_the_episode_only_in_the_original(rules: str, collected: int) -> None:
    world = world_of(AGENT, *multis(10, name="DecoyGoal"), *multis(20), time_limit=100, rules=rules)
    assert kinds(run(world, repeat(FORWARDS, 200))).count("collected") == collected
    assert world.terminated


@pytest.mark.parametrize(("count", "ends"), [(1, True), (2, False), (-1, False)])
def test_goals_still_to_be_dispensed_count_among_those_to_collect(count: int, ends: bool) -> None:
    container = (
        f"name: SpawnerContainerShort, at: [30, 0, 30], spawn_count: {count}, door_delay: 0, time_between_spawns: 60"
    )
    world = world_of("name: Agent, at: [20, 0, 30], rotation: 90", container)
    events = run(world, [NOOP] * 60 + [FORWARDS] * 60)
    assert kinds(events).count("collected") == 1
    assert world.over is ends


def test_goals_a_button_might_bring_do_not_count() -> None:
    button = "name: SpawnerButton, at: [5, 0, 35], reward_names: [GoodGoal]"
    world = world_of(AGENT, button, *multis(10))
    run(world, repeat(FORWARDS, 60))
    assert world.over


# --- merging and schedule

TWO = """
arenas:
  - {id: 0, time_limit: 50, merge_next_arena: true, pass_mark: MARK, items: [
      {name: Agent, at: [20, 0, 20], rotation: 0}, {name: GoodGoal, at: [20, 0, 25], size: 1}]}
  - {id: 1, time_limit: 100, blackouts: [5], items: [
      {name: Agent, at: [10, 0, 20], rotation: 0}, {name: GoodGoalMulti, at: [10, 0, 25], size: 1}]}
  - {id: 2, time_limit: 10, items: [{name: Agent}]}
"""


def test_merging_keeps_reward_and_health_and_takes_over_the_rest() -> None:
    world = World(parsed(TWO.replace("MARK", "0.5")), rules=FINE)
    while world.position == 0:
        world.step([FORWARDS])
    before = world.animals[0].total
    assert before == pytest.approx(0.999 - world.clock / 250)
    assert world.position_of(world.animals[0])[0] == 10.0
    assert world.arena_clock == 0
    world.step([NOOP])
    assert world.animals[0].total == pytest.approx(before - 1 / 500)
    events = run(world, repeat(FORWARDS, 300))
    assert [event.details["on"] for event in events if event.kind == "lights"] == [False]
    assert world.terminated
    assert world.animals[0].total > 1.5


@pytest.mark.parametrize(("mark", "action"), [("0.99", FORWARDS), ("0", NOOP)])
def test_failing_ends_a_merged_episode(mark: str, action: int) -> None:
    world = World(parsed(TWO.replace("MARK", mark)))
    run(world, repeat(action, 300))
    assert world.over
    assert world.position == 0


def test_arenas_come_in_order_and_followers_never_by_themselves() -> None:
    schedule = ArenaSchedule(parsed(TWO.replace("MARK", "0")))
    rng = np.random.default_rng(0)
    assert [schedule.next(rng) for _ in range(5)] == [0, 2, 0, 2, 0]


def test_random_order_plays_each_once_before_any_comes_again() -> None:
    arenas = "".join(f"  - {{id: {number}, items: [{{name: Agent}}]}}\n" for number in range(5))
    task = parsed("randomize_arenas: true\narenas:\n" + arenas)
    firsts = set()
    for seed in range(40):
        schedule, rng = ArenaSchedule(task), np.random.default_rng(seed)
        drawn = [schedule.next(rng) for _ in range(15)]
        for start in (0, 5, 10):
            assert sorted(drawn[start : start + 5]) == [0, 1, 2, 3, 4]
        assert all(one != other for one, other in pairwise(drawn))
        firsts.add(drawn[0])
    assert firsts == {0, 1, 2, 3, 4}


def test_a_single_arena_can_be_played_in_random_order() -> None:
    schedule = ArenaSchedule(parsed("randomize_arenas: true\narenas: [{items: [{name: Agent}]}]"))
    assert [schedule.next(np.random.default_rng(0)) for _ in range(3)] == [0, 0, 0]


# --- lights, notices, freezing


@pytest.mark.parametrize(
    ("blackouts", "dark"),
    [
        ("[]", set()),
        ("[0, 2]", set(range(0, 10))),
        ("[2, 3, 5]", {*range(10, 15), *range(25, 60)}),
        ("[-2]", {*range(10, 20), *range(30, 40), *range(50, 60)}),
    ],
)
def test_the_light_follows_its_schedule(blackouts: str, dark: set[int]) -> None:
    world = world_of(AGENT, blackouts=blackouts, rules=FINE)
    dark_steps = set()
    events = []
    for step in range(60):
        if not world.lights:
            dark_steps.add(step)
        events += run(world, [NOOP])
    assert dark_steps == dark
    changes = [event.step for event in events if event.kind == "lights"]
    assert [step for step in changes if step < 60] == [
        step for step in range(60) if (step in dark) != (step - 1 in dark)
    ]


def test_the_end_is_shown_for_two_and_a_half_seconds() -> None:
    text = f"show_notification: true\narenas: [{{time_limit: 100, items: [{{{AGENT}}}, {{{GOAL}}}]}}]"
    world = World(parsed(text), rules=FINE)
    events = run(world, repeat(FORWARDS, 400))
    finished = next(event for event in events if event.kind == "finished")
    assert [event.details["success"] for event in events if event.kind == "notified"] == [True]
    assert world.clock == finished.step + 125
    assert world.animals[0].total == pytest.approx(0.999 - finished.step / 500)
    assert world.terminated


def test_a_frozen_animal_neither_moves_nor_pays_until_its_seconds_are_over() -> None:
    world = world_of("name: Agent, at: [20, 0, 5], rotation: 0, frozen_delay: 1", time_limit=100, rules=FINE)
    run(world, repeat(FORWARDS, 50))
    assert world.animals[0].total == 0.0
    assert world.position_of(world.animals[0])[2] == 5.0
    run(world, repeat(FORWARDS, 10))
    assert world.animals[0].total == pytest.approx(-10 / 500)
    assert world.position_of(world.animals[0])[2] > 5.5


# --- several agents
def test_each_agent_has_its_own_action_health_and_reward() -> None:
    world = world_of(*TWO_AGENTS, "name: GoodGoalMulti, at: [10, 0, 12], size: 1", *multis(35), time_limit=100)
    rewards = np.sum([world.step([FORWARDS, NOOP]).rewards for _ in range(15)], axis=0)
    assert rewards[0] == pytest.approx(0.999 - 45 / 500)
    assert rewards[1] == pytest.approx(-45 / 500)
    assert world.animals[0].health > world.animals[1].health
    assert [animal.settings["team"] for animal in world.animals] == [0, 1]


@pytest.mark.parametrize("end", ["any", "all"])
def test_the_episode_ends_for_all_at_once(end: str) -> None:
    goals = [f"name: GoodGoal, at: [{x}, 0, 12], size: 1" for x in (10, 30)]
    world = world_of(*TWO_AGENTS, *goals, time_limit=100, episode_end=end)
    run(world, repeat([FORWARDS, NOOP], 30))
    assert world.over is (end == "any")
    if end == "all":
        resting = world.animals[0].total
        place = world.position_of(world.animals[0])
        run(world, repeat([FORWARDS, FORWARDS], 60))
        assert world.terminated
        assert world.animals[0].total == resting
        assert world.position_of(world.animals[0])[2] < place[2] + 4  # it only slid


def test_agents_push_each_other_and_both_meet_a_zone() -> None:
    world = world_of(
        "name: Agent, at: [20, 0, 5], rotation: 0",
        "name: Agent, at: [20, 0, 8], rotation: 0",
        "name: DataZone, at: [20, 0, 11], size: [10, 1, 2], rotation: 0",
    )
    events = run(world, repeat([FORWARDS, NOOP], 40))
    assert world.position_of(world.animals[1])[2] > 12
    assert {event.animal for event in events if event.kind == "entered"} == {0, 1}
