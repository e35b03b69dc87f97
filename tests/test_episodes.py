"""The rules of an episode: health, reward, ends, merging, order, lights, notices, operations, several agents."""

from itertools import pairwise, repeat
from typing import Any

import numpy as np
import pytest

from living import BACKWARDS, FINE, FORWARDS, NOOP, RIGHT, kinds, parsed, run, task_of, thing, world_of
from puzzlebox.scene.themes import THEMES, Surface
from puzzlebox.world import PRESETS, ArenaOrder, Rules, World

AGENT = "name: Agent, at: [20, 0, 5], rotation: 0"
GOAL = "name: GoodGoal, at: [20, 0, 10], size: 1"


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
    assert max(healths) >= 98.0  # full, but for what is left of that decision
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
def test_actions_that_are_none(actions: Any, sentence: str) -> None:
    world = world_of(AGENT)
    with pytest.raises(ValueError, match=sentence):
        world.step(actions)
    assert world.clock == 0


# --- goals to collect


def multis(*places: float, name: str = "GoodGoalMulti") -> list[str]:
    return [f"name: {name}, at: [20, 0, {z}], size: 1" for z in places]


def test_the_last_of_several_ends() -> None:
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
def test_decoys_end_only_in_the_game(rules: str, collected: int) -> None:
    world = world_of(AGENT, *multis(10, name="DecoyGoal"), *multis(20), time_limit=100, rules=rules)
    assert kinds(run(world, repeat(FORWARDS, 200))).count("collected") == collected
    assert world.terminated


@pytest.mark.parametrize(("count", "ends"), [(1, True), (2, False), (-1, False)])
def test_what_is_still_to_be_dispensed_counts(count: int, ends: bool) -> None:
    container = (
        f"name: SpawnerContainerShort, at: [30, 0, 30], spawn_count: {count}, door_delay: 0, time_between_spawns: 60"
    )
    world = world_of("name: Agent, at: [20, 0, 30], rotation: 90", container)
    events = run(world, [NOOP] * 60 + [FORWARDS] * 60)
    assert kinds(events).count("collected") == 1
    assert world.over is ends


def test_what_a_button_might_bring_does_not_count() -> None:
    button = "name: SpawnerButton, at: [5, 0, 35], reward_names: [GoodGoal]"
    world = world_of(AGENT, button, *multis(10))
    run(world, repeat(FORWARDS, 60))
    assert world.over


# --- merging and order

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
    order = ArenaOrder(parsed(TWO.replace("MARK", "0")))
    generator = np.random.default_rng(0)
    assert [order.next(generator) for _ in range(5)] == [0, 2, 0, 2, 0]


def test_random_order_plays_each_once_before_any_comes_again() -> None:
    arenas = "".join(f"  - {{id: {number}, items: [{{name: Agent}}]}}\n" for number in range(5))
    task = parsed("randomize_arenas: true\narenas:\n" + arenas)
    firsts = set()
    for seed in range(40):
        order, generator = ArenaOrder(task), np.random.default_rng(seed)
        drawn = [order.next(generator) for _ in range(15)]
        for start in (0, 5, 10):
            assert sorted(drawn[start : start + 5]) == [0, 1, 2, 3, 4]
        assert all(one != other for one, other in pairwise(drawn))
        firsts.add(drawn[0])
    assert firsts == {0, 1, 2, 3, 4}


def test_one_arena_in_random_order_is_no_trouble() -> None:
    order = ArenaOrder(parsed("randomize_arenas: true\narenas: [{items: [{name: Agent}]}]"))
    assert [order.next(np.random.default_rng(0)) for _ in range(3)] == [0, 0, 0]


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
    seen = set()
    events = []
    for step in range(60):
        if not world.lights:
            seen.add(step)
        events += run(world, [NOOP])
    assert seen == dark
    changes = [event.step for event in events if event.kind == "lights"]
    assert [step for step in changes if step < 60] == [
        step for step in range(60) if (step in dark) != (step - 1 in dark)
    ]


def test_a_notice_holds_everything_for_two_and_a_half_seconds() -> None:
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


# --- zones and operations


def zone(operations: str, z: float = 12) -> str:
    return (
        f"name: DataZone, at: [20, 0, {z}], size: [10, 0.5, 4], rotation: 0, zone_id: here, operations: [{operations}]"
    )


@pytest.mark.parametrize(("rules", "floor"), [("puzzlebox", 1e-5), ("4.3", 1e-3)])
@pytest.mark.parametrize("limit", [0, 250, 100_000])
def test_a_hot_zone_costs_ten_times_the_time(rules: str, floor: float, limit: int) -> None:
    world = world_of(
        AGENT,
        "name: HotZone, at: [20, 0, 5], rotation: 0, size: [5, 1, 5]",
        time_limit=limit,
        rules=Rules.named(rules, decision_period=1),
    )
    run(world, repeat(NOOP, 20))
    before = world.animals[0].total
    run(world, repeat(NOOP, 10))
    time = 1 / (5 * limit) if limit else 0.0
    assert before - world.animals[0].total == pytest.approx(10 * (time + max(10 * time, floor)))


def test_death_wins_where_zones_overlap() -> None:
    zones = [f"name: {name}, at: [20, 0, 12], rotation: 0, size: [5, 1, 5]" for name in ("HotZone", "DeathZone")]
    world = world_of(AGENT, *zones, time_limit=100, rules=FINE)
    run(world, repeat(FORWARDS, 100))
    assert world.terminated
    assert world.animals[0].total == pytest.approx(-1 - world.clock / 500)


def test_entering_and_leaving_are_told_once() -> None:
    world = world_of(AGENT, zone(""))
    events = run(world, repeat(FORWARDS, 40))
    passages = [event for event in events if event.kind in ("entered", "left")]
    assert [(event.kind, event.details["zone_id"]) for event in passages] == [("entered", "here"), ("left", "here")]


def test_a_reward_once_and_a_reward_that_lasts() -> None:
    world = world_of(
        AGENT, zone("{do: grant_reward, reward: 0.5}, {do: grant_continuous_reward, reward_per_step: 0.01}")
    )
    events = run(world, repeat(FORWARDS, 40))
    entered, left = (next(event.step for event in events if event.kind == kind) for kind in ("entered", "left"))
    assert world.animals[0].total == pytest.approx(0.5 + 0.01 * (left - entered))


def test_freezing_stops_the_animal_but_not_the_clock() -> None:
    world = world_of(AGENT, zone("{do: freeze_agent, steps: 60}"), time_limit=100, rules=FINE)
    events = run(world, repeat(FORWARDS, 45))
    assert "froze" in kinds(events)
    place = world.position_of(world.animals[0])
    run(world, repeat(FORWARDS, 20))
    assert world.position_of(world.animals[0]) == pytest.approx(place, abs=1e-3)
    assert world.animals[0].total == pytest.approx(-65 / 500)
    run(world, repeat(FORWARDS, 50))
    assert world.position_of(world.animals[0])[2] > place[2] + 1


def test_a_zone_brings_a_thing_and_takes_it_away_again() -> None:
    item = "{do: toggle_object, items: [{name: Wall, at: [5, 0, 35], size: 1, rotation: 0}]}"
    world = world_of(AGENT, zone(item))
    events = run(world, [FORWARDS] * 40 + [BACKWARDS] * 40)
    assert kinds(events).count("appeared") == 1
    assert kinds(events).count("vanished") == 1
    assert [each for each in world.describe()["things"] if each["name"] == "Wall"] == []


def test_there_from_the_start_and_gone_on_entry() -> None:
    item = "{do: toggle_object, initially_present: true, items: [{name: Wall, at: [5, 0, 35], size: 1, rotation: 0}]}"
    world = world_of(AGENT, zone(item))
    assert thing(world, "Wall")["fixed"]
    assert "vanished" in kinds(run(world, repeat(FORWARDS, 40)))


def test_forgetting_brings_one_more_each_time_and_a_limit_stops_that() -> None:
    item = "{do: toggle_object, forget: true, items: [{name: GoodGoalMulti, size: 0.5}]}"
    for operation, count in ((item, 4), (f"{{do: limited, times: 2, operation: {item}}}", 2)):
        world = world_of(AGENT, zone(operation))
        events = run(world, ([FORWARDS] * 25 + [BACKWARDS] * 30) * 2)
        assert kinds(events).count("entered") == 4
        assert kinds(events).count("appeared") + kinds(events).count("unplaced") == count


def test_one_of_several_by_weight() -> None:
    choice = "{do: one_of, operations: [{do: grant_reward, reward: 1}, {do: nothing}], weights: [3, 1]}"
    drawn = []
    for seed in range(60):
        world = world_of(AGENT, zone(choice), seed=seed)
        drawn.append(kinds(run(world, repeat(FORWARDS, 20))).count("granted"))
    assert 0.55 < np.mean(drawn) < 0.95


def test_a_thing_brought_where_there_is_no_room_is_told_of_and_left_out() -> None:
    item = "{do: toggle_object, items: [{name: Wall, at: [20, 0, 30], size: 2, rotation: 0}]}"
    world = world_of(AGENT, "name: Wall, at: [20, 0, 30], size: 2, rotation: 0", zone(item))
    (failure,) = (event for event in run(world, repeat(FORWARDS, 40)) if event.kind == "unplaced")
    assert failure.details["against"] == "Wall"


def button(**keys: Any) -> str:
    return "name: SpawnerButton, at: [20, 0, 12], rotation: 90" + "".join(f", {key}: {keys[key]}" for key in keys)


def test_a_press_brings_the_reward_when_the_button_is_in() -> None:
    world = world_of(AGENT, button(move_duration=0.5, reward_names="[GoodGoal]", reward_at="[10, 0, 30]"), rules=FINE)
    events = run(world, repeat(FORWARDS, 100))
    pressed, appeared = (next(event.step for event in events if event.kind == kind) for kind in ("pressed", "appeared"))
    assert appeared - pressed == 25
    assert thing(world, "GoodGoal")["at"][0] == 10.0


@pytest.mark.parametrize(("keys", "pays"), [({}, 1.0), ({"reward_size": 1}, 0.999), ({"reward_size": 2}, 1.998)])
def test_what_a_button_brings_pays_one_unless_the_file_gives_a_size(keys: dict[str, Any], pays: float) -> None:
    world = world_of(AGENT, button(reward_names="[GoodGoal]", reward_at="[30, 0, 30]", move_duration=0, **keys))
    run(world, repeat(FORWARDS, 30))
    assert thing(world, "GoodGoal")["value"] == pytest.approx(pays)


def test_a_button_wants_to_be_left_before_it_is_pressed_again() -> None:
    world = world_of(AGENT, button(move_duration=0.1, reset_duration=0.1, reward_names="[GoodGoalMulti]"), rules=FINE)
    assert kinds(run(world, repeat(FORWARDS, 200))).count("pressed") == 1
    assert kinds(run(world, [BACKWARDS] * 30 + [FORWARDS] * 60)).count("pressed") == 1


@pytest.mark.parametrize(
    ("keys", "low", "high"),
    [
        ({"reward_names": "[GoodGoal, BadGoal]", "reward_weights": "[0, 1]"}, 0, 0),
        ({"reward_names": "[GoodGoal]", "spawn_probability": 0}, 0, 0),
        ({"reward_names": "[GoodGoal]", "max_reward_counts": "[0]"}, 0, 0),
        ({"reward_names": "[nothing, GoodGoal]"}, 0.25, 0.75),
        ({"reward_names": "[GoodGoal]", "spawn_probability": 0.5}, 0.25, 0.75),
        ({"reward_names": "[GoodGoal]"}, 1, 1),
    ],
)
def test_what_a_press_may_bring(keys: dict[str, Any], low: float, high: float) -> None:
    brought = []
    for seed in range(24):
        world = world_of(AGENT, button(move_duration=0, reward_at="[30, 0, 30]", **keys), seed=seed)
        run(world, repeat(FORWARDS, 30))
        brought.append(any(each["name"] == "GoodGoal" for each in world.describe()["things"]))
    assert low <= np.mean(brought) <= high


# --- several agents

TWO_AGENTS = ("name: Agent, at: [10, 0, 5], rotation: 0", "name: Agent, at: [30, 0, 5], rotation: 0, team: 1")


def test_each_agent_has_its_own_action_health_and_reward() -> None:
    world = world_of(*TWO_AGENTS, "name: GoodGoalMulti, at: [10, 0, 12], size: 1", *multis(35), time_limit=100)
    rewards = np.sum([world.step([FORWARDS, NOOP]).rewards for _ in range(15)], axis=0)
    assert rewards[0] == pytest.approx(0.999 - 45 / 500)
    assert rewards[1] == pytest.approx(-45 / 500)
    assert world.animals[0].health > world.animals[1].health
    assert [animal.asked["team"] for animal in world.animals] == [0, 1]


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
        assert world.position_of(world.animals[0])[2] < place[2] + 4  # it only slid on


def test_agents_push_each_other_and_both_meet_a_zone() -> None:
    world = world_of(
        "name: Agent, at: [20, 0, 5], rotation: 0",
        "name: Agent, at: [20, 0, 8], rotation: 0",
        "name: DataZone, at: [20, 0, 11], size: [10, 1, 2], rotation: 0",
    )
    events = run(world, repeat([FORWARDS, NOOP], 40))
    assert world.position_of(world.animals[1])[2] > 12
    assert {event.animal for event in events if event.kind == "entered"} == {0, 1}


# --- rules


def test_the_presets() -> None:
    assert set(PRESETS) == {"puzzlebox", "4.3", "3.1", "2019"}
    assert Rules.named("puzzlebox") == Rules()
    assert Rules.named("2019").masses["Agent"] == 1.0


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: Rules.named("4.5"), "no rules named '4.5'; there are 'puzzlebox', '4.3', '3.1', '2019'"),
        (lambda: Rules.named("4.3", drvie=3), "no field 'drvie'; did you mean drive"),
        (lambda: Rules(decision_period=0), "decision_period is 0"),
        (lambda: Rules(masses={"Wall": 0}), "the mass of Wall is 0"),
        (lambda: World(task_of(AGENT), arena=3), "no arena at position 3"),
    ],
)
def test_what_rules_refuse(call: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        call()


def test_rules_survive_as_plain_data() -> None:
    for rules in PRESETS.values():
        assert Rules.named(rules.as_dict()) == rules


def test_masses_of_old_builds_let_a_block_fly() -> None:
    block = "name: LightBlock, at: [20, 0, 8], size: 1, rotation: 0"
    ways = []
    for rules in ("puzzlebox", "3.1"):
        world = world_of(AGENT, block, rules=rules)
        run(world, [FORWARDS] * 12 + [NOOP] * 30)
        ways.append(thing(world, "LightBlock")["at"][2])
    assert ways[1] > ways[0] + 2


@pytest.mark.parametrize(("rules", "pays"), [("puzzlebox", 2.0), ("3.1", 2.24775), ("4.3", 1.0)])
def test_what_a_fruit_of_the_published_foraging_pays(rules: str, pays: float) -> None:
    world = world_of(AGENT, "name: SpawnerTree, at: [20, 0, 20], spawn_count: 10, final_value: 2", rules=rules)
    run(world, repeat(NOOP, 500))
    assert thing(world, "GoodGoalMulti")["value"] == pytest.approx(pays)


def test_an_unplaced_thing_is_left_out_or_lies_in_the_corner() -> None:
    items = [f"name: Wall, at: [20, 0, 20], size: {size}, rotation: 0" for size in (3, 2)]
    for rules, count in (("puzzlebox", 1), ("4.3", 2)):
        world = world_of(AGENT, *items, rules=rules)
        assert [str(failure) for failure in world.unplaced] == [
            "Wall (item 3) found no place: at (20.00, 1.01, 20.00) it would cut into Wall"
        ]
        walls = [each for each in world.describe()["things"] if each["name"] == "Wall"]
        assert len(walls) == count
        if count == 2:
            assert walls[1]["at"][0] == walls[1]["at"][2] == pytest.approx(1.0, abs=0.02)


def test_a_seed_of_its_own_draws_the_same_arena_whatever_the_episode() -> None:
    items = ("name: Agent", "name: Wall", "name: GoodGoal")
    states = {world_of(*items, seed=seed, random_seed=5).describe()["things"][1]["at"][0] for seed in range(5)}
    assert len(states) == 1
    states = {world_of(*items, seed=seed).describe()["things"][1]["at"][0] for seed in range(5)}
    assert len(states) == 5


def test_turning_uses_the_new_heading_for_the_push() -> None:
    world = world_of("name: Agent, at: [20, 0, 20], rotation: 0", rules=FINE)
    run(world, repeat(NOOP, 10))
    run(world, [FORWARDS + RIGHT])
    x, _, z = world.body(world.animals[0]).get_linear_velocity()
    assert np.degrees(np.arctan2(x, z)) == pytest.approx(2.0, abs=0.01)


def test_the_theme_of_an_arena_in_full() -> None:
    theme = "{base: meadow, floor: {color: [9, 8, 7]}, ceiling: {pattern: planks}, light: 0.5}"
    look = world_of(AGENT, theme=theme).look
    plain = THEMES["meadow"]
    assert look.floor == Surface((9, 8, 7), plain.floor.pattern)
    assert look.ceiling == Surface(plain.walls.color, "planks")
    assert (look.light, look.fence, look.sky) == (0.5, plain.fence, plain.sky)
    assert world_of(AGENT).look == THEMES["classic"]


# --- what a careful reading found


def test_every_event_names_a_thing_that_was_there() -> None:
    world = world_of(AGENT, *multis(10, 15), zone("{do: grant_reward}"), button(reward_names="[GoodGoal]"))
    known = {each["id"]: each["name"] for each in world.describe()["things"]}
    for event in run(world, repeat(FORWARDS, 60)):
        known.update((each["id"], each["name"]) for each in world.describe()["things"])
        if event.thing is not None:
            assert known[event.thing] == event.name


def test_a_tree_that_is_taken_away_lets_its_fruits_fall() -> None:
    tree = "name: SpawnerTree, at: [8, 0, 30], delay: 0, time_between_spawns: 1"
    world = world_of(AGENT, tree)
    run(world, repeat(NOOP, 60))
    world.vanish(next(each for each in world.things if type(each).__name__ == "SpawnerTree"))
    run(world, repeat(NOOP, 100))
    fruits = [each for each in world.describe()["things"] if each["name"] == "GoodGoalMulti"]
    assert len(fruits) > 1
    assert all(each["at"][1] < each["size"][1] for each in fruits)


def test_two_agents_that_starve_together_end_the_episode_once() -> None:
    world = world_of(*TWO_AGENTS, time_limit=2)
    assert kinds(run(world, repeat(NOOP, 10)))[-2:] == ["finished", "ended"]
    assert world.truncated


def test_the_description_knows_which_way_an_animal_looks() -> None:
    world = world_of(AGENT)
    run(world, repeat(RIGHT, 15))
    assert thing(world, "Agent")["turn"] == pytest.approx([np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0])


def test_a_reward_before_a_merge_counts_for_the_step_that_ends() -> None:
    text = """
arenas:
  - {id: 0, merge_next_arena: true, items: [{name: Agent, at: [20, 0, 5], rotation: 0},
      {name: DataZone, at: [20, 0, 5], size: [4, 1, 4], operations: [{do: end_episode, reward: -0.7}]}]}
  - {id: 1, time_limit: 1, items: [{name: Agent, at: [20, 0, 5]}]}
"""
    world = World(parsed(text))
    outcome = world.step([NOOP])
    assert outcome.rewards[0] == pytest.approx(-1.1)
    assert (outcome.terminated, outcome.truncated) == (True, False)


def test_what_a_frozen_animal_meets_waits_for_it() -> None:
    start = "name: Agent, at: [20, 0, 12], rotation: 0, frozen_delay: 1"
    world = world_of(start, zone("{do: grant_reward, reward: 1}"), rules=FINE)
    assert kinds(run(world, repeat(NOOP, 49))) == ["started"]
    assert kinds(run(world, repeat(NOOP, 2))) == ["entered", "granted"]


def test_a_finished_animal_does_not_leave_where_it_stands() -> None:
    goal = "name: GoodGoal, at: [10, 0, 8], size: 1"
    area = "name: DataZone, at: [10, 0, 8], size: [8, 1, 20], rotation: 0"
    world = world_of(*TWO_AGENTS, goal, area, episode_end="all")
    events = run(world, repeat([FORWARDS, NOOP], 30))
    assert "finished" in kinds(events)
    assert "left" not in kinds(events)


def test_leaving_is_told_when_the_zone_goes_away() -> None:
    world = world_of(AGENT, "name: DataZone, at: [20, 0, 5], size: [4, 1, 4], zone_id: here")
    run(world, repeat(NOOP, 5))
    world.vanish(next(each for each in world.things if type(each).__name__ == "DataZone"))
    assert "left" in kinds(run(world, [NOOP]))


def test_a_goal_that_should_grow_in_one_leap_grows_fast() -> None:
    world = world_of(AGENT, "name: GrowGoal, at: [20, 0, 20], change_rate: 2", rules=FINE)
    run(world, repeat(NOOP, 39))
    assert thing(world, "GrowGoal")["value"] == pytest.approx(0.5 + 39 * 0.05)
    run(world, repeat(NOOP, 2))
    assert thing(world, "GrowGoal")["value"] == 2.5


def test_a_reward_that_lasts_is_for_zones() -> None:
    operation = "[{do: grant_continuous_reward, reward_per_step: 0.01}]"
    world = world_of(AGENT, button(operations=operation, move_duration=0))
    assert "pressed" in kinds(run(world, repeat(FORWARDS, 60)))
    assert world.animals[0].total == 0.0


def test_in_the_game_a_bad_goal_an_operation_brings_does_not_end_at_once() -> None:
    item = "{do: toggle_object, items: [{name: BadGoalMulti, at: [20, 0, 20], size: 0.5}]}"
    world = world_of(AGENT, zone(item), rules="4.3")
    assert "collected" in kinds(run(world, repeat(FORWARDS, 40)))
    assert not world.over


def test_in_the_game_goals_in_the_corner_need_not_be_collected() -> None:
    world = world_of(AGENT, *multis(10), "name: Wall, at: [5, 0, 30], size: 3, rotation: 0", *multis(10), rules="4.3")
    assert len(world.unplaced) == 1
    run(world, repeat(FORWARDS, 40))
    assert world.terminated


def test_single_fields_can_be_changed() -> None:
    decay = "name: DecayGoalEpEnding, at: [20, 0, 10], initial_value: 1, final_value: 1"
    for field, over in ((True, True), (False, False)):
        world = world_of(AGENT, decay, *multis(30), rules=Rules(ep_ending_goals_end=field))
        assert "collected" in kinds(run(world, repeat(FORWARDS, 22)))
        assert world.over is over


@pytest.mark.parametrize("at", ["at: [random, 0, 0.4]", "at_one_of: [[20, 0, 0.4], [10, 0, 0.4]]", "at: [20, 0, 0.4]"])
def test_where_the_author_says_an_agent_asks_with_its_middle(at: str) -> None:
    world = world_of(f"name: Agent, {at}, rotation: 0")
    assert world.unplaced == []
    run(world, repeat(NOOP, 20))
    assert world.position_of(world.animals[0])[2] > 0.45


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"spawners": "constnt"}, "spawners is 'constnt'; it must be one of 'documented', 'swollen', 'constant'"),
        ({"decision_period": 2.5}, "whole number"),
        ({"ray_tags": 7}, "ray_tags is 7"),
    ],
)
def test_rules_that_make_no_sense(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Rules(**fields)


def test_a_mass_for_something_unknown() -> None:
    with pytest.raises(ValueError, match="a mass to Walll, which is not a thing; did you mean `Wall`"):
        world_of(AGENT, rules=Rules(masses={"Walll": 3.0}))


def test_equal_rules_have_equal_hashes() -> None:
    one, other = Rules(masses={"Wall": 3, "Ramp": 2}), Rules(masses={"Ramp": 2.0, "Wall": 3.0}, drive=50)
    assert one == other
    assert hash(one) == hash(other)


def test_in_the_game_whatever_can_lie_on_a_heap_does() -> None:
    items = [f"name: {name}, at: [20, 0, 20]" for name in ("LightBlock", "SpawnerButton", "HeavyBlock", "GoodGoal")]
    world = world_of(AGENT, "name: Wall, at: [20, 0, 20], size: 4, rotation: 0", *items, rules="4.3")
    assert len(world.unplaced) == 4
    assert len(world.things) == 6
    run(world, repeat(NOOP, 50))
    assert world.error is None


def test_a_wall_brought_onto_a_sign_stands_on_it() -> None:
    sign = "name: SignBoard, at: [20, 0, 20], rotation: 0, size: 1"
    item = "{do: toggle_object, items: [{name: Wall, at: [20, 2, 20], size: 1, rotation: 0}]}"
    world = world_of(AGENT, sign, zone(item))
    run(world, repeat(FORWARDS, 30))
    wall = thing(world, "Wall")
    assert wall["fixed"]
    assert wall["at"][1] - 0.4995 > 0.01 + 2 * 0.999 - 0.001


def test_no_operation_brings_an_agent() -> None:
    world = world_of(AGENT, zone("{do: toggle_object, items: [{name: Agent}]}"))
    (failure,) = (event for event in run(world, repeat(FORWARDS, 40)) if event.kind == "unplaced")
    assert failure.details["against"] == "the rule that operations bring no agents"
    assert str(world.unplaced[0]).startswith("Agent found no place")


def test_a_tree_stops_while_a_hundred_of_its_fruits_lie_around() -> None:
    tree = "name: SpawnerTree, at: [20, 0, 20], delay: 0, time_between_spawns: 0, ripen_time: 0, final_value: 0.2"
    world = world_of(AGENT, tree, size="[60, 60]")
    run(world, repeat(NOOP, 100))
    assert sum(each["name"] == "GoodGoalMulti" for each in world.describe()["things"]) == 100
