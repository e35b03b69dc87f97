"""The presets and single fields of the rules, and special cases of the world."""

from itertools import repeat
from typing import Any

import numpy as np
import pytest

from puzzlebox import make
from puzzlebox.arena.rules import PRESETS
from puzzlebox.arena.world import Record, Rules, World
from puzzlebox.scene.themes import THEMES, Surface
from worlds import (
    AGENT,
    FINE,
    FORWARDS,
    NOOP,
    RIGHT,
    TWO_AGENTS,
    button,
    kinds,
    multis,
    parsed,
    run,
    task_of,
    thing,
    world_of,
    zone,
)

# --- rules


def test_the_presets_have_their_names_and_values() -> None:
    assert set(PRESETS) == {"puzzlebox", "4.3", "3.1", "2019"}
    assert Rules.named("puzzlebox") == Rules()
    assert Rules.named("2019").masses["Agent"] == 1.0


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: Rules.named("4.5"), "no rules named '4.5'; allowed: puzzlebox, 4.3, 3.1, 2019; did you mean `4.3`"),
        (lambda: Rules.named("4.3", drvie=3), "no field 'drvie'; did you mean `drive`"),
        (lambda: Rules(decision_period=0), "decision_period is 0"),
        (lambda: Rules(drag=50), "drag is 50; it must be a number from 0 to 40"),
        (lambda: Rules(drive="50"), "drive is '50'; it must be a number"),  # type: ignore[arg-type]
        (lambda: Rules(masses={"Wall": 0}), "the mass of Wall is 0"),
        (lambda: Rules(masses={"Wall": "9"}), "the mass of Wall is '9'"),  # type: ignore[dict-item]
        (lambda: World(task_of(AGENT), arena=3), "no arena at position 3"),
        (lambda: Rules.named("3.1", left_out="yes"), "left_out is 'yes'; it must be True or False"),
        (lambda: Rules(decision_period=True), "decision_period is True; it must be a whole number from 1 to 100"),
        (lambda: Rules(hot_zone_floor="a"), "hot_zone_floor is 'a'; it must be a number from 0 to 1,000,000"),  # type: ignore[arg-type]
        (lambda: Rules(hot_zone_floor=float("nan")), "hot_zone_floor is nan; it must be a number from 0 to 1,000,000"),
        (lambda: Rules(hot_zone_floor=float("inf")), "hot_zone_floor is inf; it must be a number from 0 to 1,000,000"),
        (lambda: Rules(hot_zone_floor=1e308), r"hot_zone_floor is 1e\+308; it must be a number from 0 to 1,000,000"),
        (lambda: Rules(masses={"Nope": 1}), "the rules give a mass to Nope, which is not a thing"),
        (lambda: Rules(masses={1: 1}), "the rules give a mass to 1, which is not a thing"),  # type: ignore[dict-item]
        (lambda: Rules.named("3.1", masses={"Walll": 1}), "a mass to Walll, which is not a thing; did you mean `Wall`"),
        (lambda: Rules(hot_zone_floor=-5), "hot_zone_floor is -5; it must be a number from 0 to 1,000,000"),
        (lambda: Rules.named(3), "rules is 3; it must be a Rules, a mapping of its fields, or the name of a preset"),  # type: ignore[arg-type]
        (lambda: Rules.named("3.1", masses=3), "masses is 3; it must be a mapping from names of things to kilograms"),
        (lambda: World(task_of(AGENT), rules=3), "rules is 3; it must be a Rules"),  # type: ignore[arg-type]
        (lambda: World(task_of(AGENT), seed=True), "the seed is True; it must be a whole number, 0 or more"),
        (lambda: World(task_of(AGENT), seed="x"), "the seed is 'x'; it must be a whole number, 0 or more"),  # type: ignore[arg-type]
        (lambda: World(task_of(AGENT), seed=None), "the seed is None; it must be a whole number, 0 or more"),  # type: ignore[arg-type]
        (lambda: World(task_of(AGENT), seed=1.5), "the seed is 1.5; it must be a whole number, 0 or more"),  # type: ignore[arg-type]
        (lambda: World(task_of(AGENT), seed=-1), "the seed is -1; it must be a whole number, 0 or more"),
        (lambda: World(task_of(AGENT), arena="x"), "arena is 'x'; it must be the position of an arena, a whole number"),  # type: ignore[arg-type]
        (lambda: World("food/first-steps"), "task is 'food/first-steps'; it must be a Task: puzzlebox.load_task"),  # type: ignore[arg-type]
        (lambda: world_of(AGENT).step(3), "actions is 3; it must be a list with one number from 0 to 8 for each"),  # type: ignore[arg-type]
        (lambda: world_of(AGENT).restore(3), "record is 3; it must be a Record, as `World.snapshot` returns"),  # type: ignore[arg-type]
        (lambda: Record.from_json("[]"), "this is not a Record; it must be the text that `Record.to_json` wrote"),
        (lambda: Record.from_json("x"), "this is not a Record; it must be the text that `Record.to_json` wrote"),
        (lambda: make("foraging", rays=0), "rays is 0; it must be an odd number from 1 to 1001"),
    ],
)
def test_invalid_arguments_of_rules_and_worlds_are_refused(call: Any, sentence: str) -> None:
    with pytest.raises((ValueError, TypeError), match=sentence):
        call()


def test_rules_survive_as_plain_data() -> None:
    for rules in PRESETS.values():
        assert Rules.named(rules.as_dict()) == rules


def test_light_blocks_slide_further_under_old_masses() -> None:
    block = "name: LightBlock, at: [20, 0, 8], size: 1, rotation: 0"
    ways = []
    for rules in ("puzzlebox", "3.1"):
        world = world_of(AGENT, block, rules=rules)
        run(world, [FORWARDS] * 12 + [NOOP] * 30)
        ways.append(thing(world, "LightBlock")["at"][2])
    assert ways[1] > ways[0] + 2


@pytest.mark.parametrize(("rules", "pays"), [("puzzlebox", 2.0), ("3.1", 2.24775), ("4.3", 1.0)])
def test_rewards_of_fruits_in_the_published_foraging(rules: str, pays: float) -> None:
    world = world_of(AGENT, "name: SpawnerTree, at: [20, 0, 20], spawn_count: 10, final_value: 2", rules=rules)
    run(world, repeat(NOOP, 500))
    assert thing(world, "GoodGoalMulti")["value"] == pytest.approx(pays)


@pytest.mark.parametrize(("rules", "places"), [("puzzlebox", 3), ("3.1", 1), ("4.3", 1)])
def test_fruits_hang_at_the_same_places_in_old_builds(rules: str, places: int) -> None:
    first = {}
    for seed in range(3):
        world = world_of(AGENT, "name: SpawnerTree, at: [20, 0, 20]", rules=rules, seed=seed)
        run(world, repeat(NOOP, 40))
        first[tuple(thing(world, "GoodGoalMulti")["at"])] = seed
    assert len(first) == places
    if places == 1:
        # The first two numbers of System.Random(1), as .NET prints them.
        azimuth, polar = 2 * np.pi * 0.24866858415709278, (0.2 + 0.6 * 0.11074397718102856) * np.pi
        way = (np.sin(polar) * np.cos(azimuth), np.cos(polar), np.sin(polar) * np.sin(azimuth))
        assert next(iter(first)) == pytest.approx(np.add((19.9, 4.3, 19.9), np.multiply(2.25, way)), abs=0.02)


@pytest.mark.parametrize("rules", ["3.1", "4.3"])
@pytest.mark.parametrize("at", ["[0.7, 0, 0.7]", "[39.3, 0, 39.3]", "[0.7, 0, 20]", "[20, 0, 39.3]"])
def test_fruits_stay_within_the_fence(rules: str, at: str) -> None:
    tree = f"name: SpawnerTree, at: {at}, spawn_count: 10, final_value: 3, time_between_spawns: 1, ripen_time: 1"
    world = world_of("name: Agent, at: [20, 0, 20]", tree, rules=rules)
    run(world, repeat(NOOP, 700))
    assert world.error is None
    fruits = [each["at"] for each in world.describe()["things"] if each["name"] == "GoodGoalMulti"]
    assert len(fruits) >= 5 and all(0 < x < 40 and 0 < z < 40 for x, _, z in fruits)


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


def test_an_arena_with_a_seed_is_the_same_in_every_episode() -> None:
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


def test_the_theme_of_an_arena_overrides_its_base() -> None:
    theme = "{base: meadow, floor: {color: [9, 8, 7]}, ceiling: {pattern: planks}, light: 0.5}"
    look = world_of(AGENT, theme=theme).look
    plain = THEMES["meadow"]
    assert look.floor == Surface((9, 8, 7), plain.floor.pattern)
    assert look.ceiling == Surface(plain.walls.color, "planks")
    assert (look.light, look.fence, look.sky) == (0.5, plain.fence, plain.sky)
    assert world_of(AGENT).look == THEMES["classic"]


# --- special cases


def test_every_event_names_a_thing_that_was_there() -> None:
    world = world_of(AGENT, *multis(10, 15), zone("{do: grant_reward}"), button(reward_names="[GoodGoal]"))
    names = {each["id"]: each["name"] for each in world.describe()["things"]}
    for event in run(world, repeat(FORWARDS, 60)):
        names.update((each["id"], each["name"]) for each in world.describe()["things"])
        if event.thing is not None:
            assert names[event.thing] == event.name


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


def test_the_description_holds_the_heading_of_an_animal() -> None:
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
    world = World(parsed(text), rules="4.3")  # in which a penalty does not prevent merging
    outcome = world.step([NOOP])
    assert outcome.rewards[0] == pytest.approx(-1.1)
    assert (outcome.terminated, outcome.truncated) == (True, False)


def test_zones_act_only_after_an_animal_is_unfrozen() -> None:
    start = "name: Agent, at: [20, 0, 12], rotation: 0, frozen_delay: 1"
    world = world_of(start, zone("{do: grant_reward, reward: 1}"), rules=FINE)
    assert kinds(run(world, repeat(NOOP, 49))) == ["started"]
    assert kinds(run(world, repeat(NOOP, 2))) == ["entered", "granted"]


def test_a_finished_animal_does_not_leave_its_zone() -> None:
    goal = "name: GoodGoal, at: [10, 0, 8], size: 1"
    area = "name: DataZone, at: [10, 0, 8], size: [8, 1, 20], rotation: 0"
    world = world_of(*TWO_AGENTS, goal, area, episode_end="all")
    events = run(world, repeat([FORWARDS, NOOP], 30))
    assert "finished" in kinds(events)
    assert "left" not in kinds(events)


def test_leaving_is_an_event_when_the_zone_vanishes() -> None:
    world = world_of(AGENT, "name: DataZone, at: [20, 0, 5], size: [4, 1, 4], zone_id: here")
    run(world, repeat(NOOP, 5))
    world.vanish(next(each for each in world.things if type(each).__name__ == "DataZone"))
    assert "left" in kinds(run(world, [NOOP]))


def test_a_growing_goal_gains_at_most_five_centimetres_a_step() -> None:
    world = world_of(AGENT, "name: GrowGoal, at: [20, 0, 20], change_rate: 2", rules=FINE)
    run(world, repeat(NOOP, 39))
    assert thing(world, "GrowGoal")["value"] == pytest.approx(0.5 + 39 * 0.05)
    run(world, repeat(NOOP, 2))
    assert thing(world, "GrowGoal")["value"] == 2.5


def test_buttons_ignore_continuous_rewards() -> None:
    operation = "[{do: grant_continuous_reward, reward_per_step: 0.01}]"
    world = world_of(AGENT, button(operations=operation, move_duration=0))
    assert "pressed" in kinds(run(world, repeat(FORWARDS, 60)))
    assert world.animals[0].total == 0.0


def test_under_4_3_a_bad_goal_of_an_operation_does_not_end_the_episode() -> None:
    item = "{do: toggle_object, items: [{name: BadGoalMulti, at: [20, 0, 20], size: 0.5}]}"
    world = world_of(AGENT, zone(item), rules="4.3")
    assert "collected" in kinds(run(world, repeat(FORWARDS, 40)))
    assert not world.over


def test_under_4_3_goals_in_the_corner_need_not_be_collected() -> None:
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
def test_an_agent_with_a_position_needs_room_for_its_centre_only(at: str) -> None:
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
def test_invalid_fields_of_rules_are_refused(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Rules(**fields)


def test_equal_rules_have_equal_hashes() -> None:
    one, other = Rules(masses={"Wall": 3, "Ramp": 2}), Rules(masses={"Ramp": 2.0, "Wall": 3.0}, drive=50)
    assert one == other
    assert hash(one) == hash(other)


def test_under_4_3_unplaced_things_pile_up() -> None:
    items = [f"name: {name}, at: [20, 0, 20]" for name in ("LightBlock", "SpawnerButton", "HeavyBlock", "GoodGoal")]
    world = world_of(AGENT, "name: Wall, at: [20, 0, 20], size: 4, rotation: 0", *items, rules="4.3")
    assert len(world.unplaced) == 4
    assert len(world.things) == 6
    run(world, repeat(NOOP, 50))
    assert world.error is None


def test_a_wall_added_on_a_sign_stands_on_it() -> None:
    sign = "name: SignBoard, at: [20, 0, 20], rotation: 0, size: 1"
    item = "{do: toggle_object, items: [{name: Wall, at: [20, 2, 20], size: 1, rotation: 0}]}"
    world = world_of(AGENT, sign, zone(item))
    run(world, repeat(FORWARDS, 30))
    wall = thing(world, "Wall")
    assert wall["fixed"]
    assert wall["at"][1] - 0.4995 > 0.01 + 2 * 0.999 - 0.001


def test_no_operation_adds_an_agent() -> None:
    world = world_of(AGENT, zone("{do: toggle_object, items: [{name: Agent}]}"))
    (failure,) = (event for event in run(world, repeat(FORWARDS, 40)) if event.kind == "unplaced")
    assert failure.details["against"] == "the rule that operations bring no agents"
    assert str(world.unplaced[0]).startswith("Agent found no place")


def test_a_tree_stops_while_a_hundred_of_its_fruits_lie_around() -> None:
    tree = "name: SpawnerTree, at: [20, 0, 20], delay: 0, time_between_spawns: 0, ripen_time: 0, final_value: 0.2"
    world = world_of(AGENT, tree, size="[60, 60]")
    run(world, repeat(NOOP, 100))
    assert sum(each["name"] == "GoodGoalMulti" for each in world.describe()["things"]) == 100
