"""Zones, buttons and the operations they run."""

from itertools import repeat
from typing import Any

import numpy as np
import pytest

from puzzlebox.arena.world import Rules
from worlds import AGENT, BACKWARDS, FINE, FORWARDS, NOOP, button, kinds, run, thing, world_of, zone

# --- zones and operations


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


def test_entering_and_leaving_are_one_event_each() -> None:
    world = world_of(AGENT, zone(""))
    events = run(world, repeat(FORWARDS, 40))
    passages = [event for event in events if event.kind in ("entered", "left")]
    assert [(event.kind, event.details["zone_id"]) for event in passages] == [("entered", "here"), ("left", "here")]


def test_grant_reward_pays_once_and_grant_continuous_reward_every_step() -> None:
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


def test_a_zone_adds_a_thing_and_removes_it_again() -> None:
    item = "{do: toggle_object, items: [{name: Wall, at: [5, 0, 35], size: 1, rotation: 0}]}"
    world = world_of(AGENT, zone(item))
    events = run(world, [FORWARDS] * 40 + [BACKWARDS] * 40)
    assert kinds(events).count("appeared") == 1
    assert kinds(events).count("vanished") == 1
    assert [each for each in world.describe()["things"] if each["name"] == "Wall"] == []


def test_a_thing_present_at_the_start_vanishes_on_entry() -> None:
    item = "{do: toggle_object, initially_present: true, items: [{name: Wall, at: [5, 0, 35], size: 1, rotation: 0}]}"
    world = world_of(AGENT, zone(item))
    assert thing(world, "Wall")["fixed"]
    assert "vanished" in kinds(run(world, repeat(FORWARDS, 40)))


def test_forget_adds_one_more_thing_each_time_up_to_a_limit() -> None:
    item = "{do: toggle_object, forget: true, items: [{name: GoodGoalMulti, size: 0.5}]}"
    for operation, count in ((item, 4), (f"{{do: limited, times: 2, operation: {item}}}", 2)):
        world = world_of(AGENT, zone(operation))
        events = run(world, ([FORWARDS] * 25 + [BACKWARDS] * 30) * 2)
        assert kinds(events).count("entered") == 4
        assert kinds(events).count("appeared") + kinds(events).count("unplaced") == count


def test_one_of_draws_an_operation_by_its_weight() -> None:
    choice = "{do: one_of, operations: [{do: grant_reward, reward: 1}, {do: nothing}], weights: [3, 1]}"
    drawn = []
    for seed in range(60):
        world = world_of(AGENT, zone(choice), seed=seed)
        drawn.append(kinds(run(world, repeat(FORWARDS, 20))).count("granted"))
    assert 0.55 < np.mean(drawn) < 0.95


def test_a_thing_without_room_is_an_event_and_does_not_appear() -> None:
    item = "{do: toggle_object, items: [{name: Wall, at: [20, 0, 30], size: 2, rotation: 0}]}"
    world = world_of(AGENT, "name: Wall, at: [20, 0, 30], size: 2, rotation: 0", zone(item))
    (failure,) = (event for event in run(world, repeat(FORWARDS, 40)) if event.kind == "unplaced")
    assert failure.details["against"] == "Wall"


def test_a_press_adds_the_reward_when_the_button_is_in() -> None:
    world = world_of(AGENT, button(move_duration=0.5, reward_names="[GoodGoal]", reward_at="[10, 0, 30]"), rules=FINE)
    events = run(world, repeat(FORWARDS, 100))
    pressed, appeared = (next(event.step for event in events if event.kind == kind) for kind in ("pressed", "appeared"))
    assert appeared - pressed == 25
    assert thing(world, "GoodGoal")["at"][0] == 10.0


@pytest.mark.parametrize(("keys", "pays"), [({}, 1.0), ({"reward_size": 1}, 0.999), ({"reward_size": 2}, 1.998)])
def test_the_reward_of_a_button_pays_one_unless_the_file_gives_a_size(keys: dict[str, Any], pays: float) -> None:
    world = world_of(AGENT, button(reward_names="[GoodGoal]", reward_at="[30, 0, 30]", move_duration=0, **keys))
    run(world, repeat(FORWARDS, 30))
    assert thing(world, "GoodGoal")["value"] == pytest.approx(pays)


def test_a_button_must_be_left_before_it_can_be_pressed_again() -> None:
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
def test_a_press_brings_a_reward_with_the_given_probability(keys: dict[str, Any], low: float, high: float) -> None:
    brought = []
    for seed in range(24):
        world = world_of(AGENT, button(move_duration=0, reward_at="[30, 0, 30]", **keys), seed=seed)
        run(world, repeat(FORWARDS, 30))
        brought.append(any(each["name"] == "GoodGoal" for each in world.describe()["things"]))
    assert low <= np.mean(brought) <= high
