"""The world compared with recordings of the original: motion, health, reward, zones, returns."""

import csv
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from puzzlebox.arena.world import Rules, World
from worlds import BACKWARDS, FINE, FORWARDS, NOOP, parsed, run, world_of

# Recorded values have six or seven digits; the engine's arithmetic may differ in the last ones.
TOLERANCE = 1e-3


def episodes(path: Path) -> list[list[dict[str, str]]]:
    """Return the rows of each complete episode of a log."""
    with path.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["Episode"].isdigit()]
    numbers = sorted({row["Episode"] for row in rows})
    return [[row for row in rows if row["Episode"] == number] for number in numbers]


def action_of(row: dict[str, str]) -> int:
    """Return the action that led to a row."""
    return FORWARDS if row["ActionForwardWithDescription"].startswith("1") else NOOP


def shown_velocity(world: World, next_action: int) -> Any:
    """Return the velocity in the animal's frame as a log row shows it: after the quick stop of the next step."""
    animal = world.animals[0]
    x, y, z = world.body(animal).get_linear_velocity()
    angle = np.radians(animal.heading)
    local = np.array((x * np.cos(angle) - z * np.sin(angle), y, x * np.sin(angle) + z * np.cos(angle)))
    return local * (world.rules.quick_stop if animal.grounded and next_action == NOOP else 1.0)


@pytest.mark.parametrize(
    ("log", "file"),
    [("Template_datazones.csv", "testDatazone.yml"), ("Template_observations.csv", "testUnmergedArenas.yml")],
)
def test_replays_agree_with_every_row_of_the_originals_logs(log: str, file: str, reference: Path) -> None:
    folder = reference / "data" / "animal-ai" / "e2e"
    task = parsed((folder / file).read_text())
    compared = 0
    for number, rows in enumerate(episodes(folder / log)):
        world = World(task, arena=number % len(task.arenas), rules=FINE)
        for here, following in zip(rows, [*rows[1:], None], strict=True):
            animal, next_action = world.animals[0], action_of(following or here)
            recorded = [float(here[f"{axis}Position"]) for axis in "XYZ"]
            assert world.position_of(animal) == pytest.approx(recorded, abs=TOLERANCE), here["Step"]
            recorded = [float(here[f"{axis}Velocity"]) for axis in "XYZ"]
            off = np.abs(shown_velocity(world, next_action) - recorded)
            # At the start of a later episode the original's flag "grounded" is still that of the episode before.
            landing = number > 0 and int(here["Step"]) <= 7
            assert np.all(off < (TOLERANCE, 0.06 if landing else TOLERANCE, TOLERANCE)), here["Step"]
            assert animal.health == pytest.approx(float(here["Health"]), abs=TOLERANCE)
            assert animal.total == pytest.approx(float(here["Reward"]), abs=TOLERANCE)
            compared += 1
            if following is not None:
                events = world.step([next_action]).events
                passages = [event for event in events if event.kind in ("entered", "left")]
                messages = [f"Agent {_WORDS[event.kind]} DataZone: {event.details['zone_id']}" for event in passages]
                assert (messages or ["None"]) == [following["DataZoneMessage"]], following["Step"]
    assert compared > 30


_WORDS = {"entered": "was in", "left": "left"}


def test_the_goal_is_collected_in_the_step_the_original_collected_it(reference: Path) -> None:
    folder = reference / "data" / "animal-ai" / "e2e"
    world = World(parsed((folder / "testUnmergedArenas.yml").read_text()), rules=FINE)
    first = episodes(folder / "Template_observations.csv")[0]
    run(world, [action_of(row) for row in first[1:]])
    assert not world.over
    run(world, [FORWARDS])
    assert world.terminated
    assert world.animals[0].total == pytest.approx(0.999 - len(first) * 0.004)


def recurrence(steps: int, speed: float = 0.0) -> np.ndarray:
    """Return positions of an animal driving forwards on flat ground (docs/original/motion.md#on-the-ground)."""
    k, friction, positions, position = 0.968, 0.6 * 9.81 * 0.02 * 0.968, [], 0.0
    for _ in range(steps):
        speed = (speed + 1.0) * k - friction
        position += 0.02 * speed
        positions.append(position)
    return np.array(positions)


@pytest.mark.parametrize("rotation", [0, 30, 90, 215])
def test_a_hundred_steps_forwards_follow_the_measured_recurrence(rotation: int) -> None:
    world = world_of(f"name: Agent, at: [50, 0, 50], rotation: {rotation}", size="[100, 100]", rules=FINE)
    run(world, repeat(NOOP, 60))  # until it has landed
    start = np.array(world.position_of(world.animals[0]))
    way = []
    for _ in range(100):
        run(world, [FORWARDS])
        way.append(np.linalg.norm(np.array(world.position_of(world.animals[0])) - start))
    assert np.max(np.abs(np.array(way) - recurrence(100))) < 1e-4


def test_an_animal_stops_within_the_derived_distance() -> None:
    world = world_of("name: Agent, at: [50, 0, 5], rotation: 0", size="[100, 100]", rules=FINE)
    run(world, chain(repeat(NOOP, 60), repeat(FORWARDS, 180)))
    assert np.linalg.norm(world.body(world.animals[0]).get_linear_velocity()) == pytest.approx(26.689, abs=0.1)
    start = world.position_of(world.animals[0])[2]
    run(world, repeat(NOOP, 40))
    assert world.position_of(world.animals[0])[2] - start == pytest.approx(3.2, abs=0.1)
    assert np.linalg.norm(world.body(world.animals[0]).get_linear_velocity()) < 1e-3


def test_a_quarter_turn_takes_45_physics_steps() -> None:
    world = world_of("name: Agent, at: [20, 0, 20], rotation: 0")
    run(world, repeat(1, 15))
    assert world.animals[0].heading == 90.0
    run(world, repeat(2, 30))
    assert world.animals[0].heading == 270.0


def returns(world: World, policy: Any, steps: int = 2000) -> float:
    """Return the return of an episode whose actions are a function of the return so far."""
    for _ in range(steps):
        if world.over:
            break
        world.step([policy(world.animals[0].total)])
    assert world.over
    return world.animals[0].total


# What the original's own end-to-end tests expect (docs/original/rewards.md#expected-returns); they allow 0.2.
@pytest.mark.parametrize(
    ("file", "policy", "expected"),
    [
        ("testUnmergedArenas.yml", lambda total: FORWARDS, 0.8),
        ("testUnmergedArenas.yml", lambda total: NOOP, -1.0),
        ("testMergedArenas.yml", lambda total: BACKWARDS if total > 0 else FORWARDS, 1.6),
        ("testButtonsLegacy.yml", lambda total: BACKWARDS if total < -0.2 else FORWARDS, 0.8),
        ("testDatazone_freezeAgent.yml", lambda total: FORWARDS, 0.533),
    ],
)
def test_returns_agree_with_the_originals_test_suite(file: str, policy: Any, expected: float, reference: Path) -> None:
    task = parsed((reference / "data" / "animal-ai" / "e2e" / file).read_text())
    assert returns(World(task), policy) == pytest.approx(expected, abs=0.2)


def test_a_zone_ten_metres_ahead_ends_the_episode_with_the_originals_return() -> None:
    zone = (
        "name: DataZone, at: [20, 0, 15], size: [10, 0, 2], rotation: 0, operations: [{do: end_episode, reward: -0.5}]"
    )
    world = world_of("name: Agent, at: [20, 0, 5], rotation: 0", zone, time_limit=100)
    assert returns(world, lambda total: FORWARDS) == pytest.approx(-0.584, abs=0.01)


def test_a_goal_behind_a_goal_gives_the_originals_return() -> None:
    world = world_of(
        "name: Agent, at: [20, 0, 5], rotation: 0",
        "name: GoodGoalMulti, at: [20, 0, 7], size: 1",
        "name: GoodGoal, at: [20, 0, 15], size: 1",
        time_limit=50,
    )
    assert returns(world, lambda total: FORWARDS) == pytest.approx(1.82, abs=0.2)


def test_the_motion_of_2019_is_slower() -> None:
    world = world_of("name: Agent, at: [50, 0, 5], rotation: 0", size="[100, 100]", rules=Rules.named("2019"))
    run(world, repeat(FORWARDS, 80))
    speed = np.linalg.norm(world.body(world.animals[0]).get_linear_velocity())
    # (v + 0.6) 0.976 - 0.6 9.81 0.02 0.976 = v
    assert speed == pytest.approx((0.6 - 0.11772) * 0.976 / 0.024, abs=0.5)
