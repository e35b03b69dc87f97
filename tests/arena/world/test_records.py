"""Snapshots by replay, records as text, branches from packed state."""

import json
import pickle
import subprocess
import sys
from itertools import repeat
from pathlib import Path

import numpy as np
import pytest

from conftest import ROOT
from puzzlebox.arena.schema import Task, load_task
from puzzlebox.arena.world import Record, Rules, World
from puzzlebox.arena.world.engine import sapien
from worlds import FORWARDS, NOOP, parsed, run, world_of

# Everything that changes with time or draws from the random stream.
BUSY = """
arenas:
  - time_limit: 300
    blackouts: [20, 40]
    items:
      - {name: Agent, at: [20, 0, 5], rotation: 0}
      - {name: Wall, count: 3, size: 1}
      - {name: SpawnerTree, at: [12, 0, 20], time_between_spawns: 1, ripen_time: 1, delay: 0}
      - {name: SpawnerContainerShort, at: [30, 0, 30], door_delay: 1}
      - {name: GrowGoal, at: [5, 0, 5]}
      - {name: GoodGoalMultiBounce, count: 4}
      - {name: HeavyBlock, at: [20, 0, 9], size: 1}
      - {name: UBlock, at: [20, 0, 14], size: [1, 0.5, 3]}
      - name: DataZone
        at: [20, 0, 7]
        size: [10, 1, 2]
        operations:
          - do: one_of
            operations:
              - {do: toggle_object, items: [{name: LightBlock, size: 1}], forget: true}
              - {do: freeze_agent, steps: 5}
"""


@pytest.fixture
def busy() -> Task:
    return parsed(BUSY)


def random_actions(count: int, seed: int = 0) -> list[list[int]]:
    """Return random actions, each held for a while."""
    rng = np.random.default_rng(seed)
    return [[int(action)] for action in np.repeat(rng.integers(0, 9, count // 5), 5)]


def played(task: Task, actions: list[list[int]], seed: int = 3) -> World:
    world = World(task, seed=seed)
    run(world, actions)
    return world


def test_same_task_seed_and_actions_same_bytes(busy: Task) -> None:
    actions = random_actions(300)
    one, other = World(busy, seed=3), World(busy, seed=3)
    for action in actions:
        assert one.step(action) == other.step(action)
        assert one.state() == other.state()
    assert one.describe() == other.describe()
    assert played(busy, actions, seed=4).state() != one.state()


def test_worlds_do_not_disturb_each_other(busy: Task) -> None:
    alone = played(busy, random_actions(150))
    world, others = World(busy, seed=3), []
    for number, action in enumerate(random_actions(150)):
        world.step(action)
        if number % 15 == 0:
            others.append(World(busy, seed=number, rules="4.3"))
        for other in others:
            run(other, [FORWARDS])
    assert world.state() == alone.state()


def test_restoring_gives_the_uninterrupted_run(busy: Task) -> None:
    actions = random_actions(300)
    uninterrupted = played(busy, actions)
    world = World(busy, seed=3)
    run(world, actions[:150])
    snapshot = world.snapshot()
    run(world, repeat(FORWARDS, 30))
    world.restore(snapshot)
    assert world.clock == 450
    run(world, actions[150:])
    assert world.state() == uninterrupted.state()
    assert world.describe() == uninterrupted.describe()


@pytest.mark.parametrize(
    "name", ["food/first-steps", "foraging", "generalisation/company", "models/flicker", "causes/which-button"]
)
def test_a_replay_is_what_steps_lead_to(name: str) -> None:
    """Replays play uneventful decisions on a cruise, with no visible difference then or later."""
    task = load_task(name)
    stepped = World(task, seed=3)
    moves = [np.repeat(each, len(stepped.animals)).tolist() for each in random_actions(200)]
    run(stepped, moves[:100])
    replayed = World.replay(stepped.snapshot())
    stepped.take_events()
    assert replayed.take_events() == ()
    assert replayed.snapshot() == stepped.snapshot()
    assert replayed.describe() == stepped.describe()
    for move in moves[100:]:
        if stepped.over:
            break
        assert replayed.step(move) == stepped.step(move)
        assert replayed.state() == stepped.state()
    assert [vars(each) for each in replayed.take_events()] == [vars(each) for each in stepped.take_events()]


def test_taking_a_snapshot_changes_nothing(busy: Task) -> None:
    actions = random_actions(200)
    world = World(busy, seed=3)
    for action in actions:
        world.snapshot()
        world.describe()
        world.step(action)
    assert world.state() == played(busy, actions).state()


def test_a_record_as_text_replays_in_another_process(busy: Task, tmp_path: Path) -> None:
    world = World(busy, seed=3, rules=Rules.named("3.1", decision_period=2))
    run(world, random_actions(200))
    text = world.snapshot().to_json()
    assert Record.from_json(text) == world.snapshot()
    record = tmp_path / "episode.json"
    record.write_text(text)
    code = (
        "import sys; from puzzlebox.arena.world import Record, World\n"
        "world = World.replay(Record.from_json(open(sys.argv[1]).read()))\n"
        "print(world.state().hex(), world.animals[0].total.hex())"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, str(record)], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert out.stdout.split() == [world.state().hex(), world.animals[0].total.hex()]


def test_a_record_of_another_format_is_refused(busy: Task) -> None:
    text = World(busy).snapshot().to_json().replace('"format":1', '"format":7')
    with pytest.raises(ValueError, match="format 7; this version reads format 1"):
        Record.from_json(text)


def test_branches_are_equal_and_leave_the_trunk_alone(busy: Task) -> None:
    actions = random_actions(300)
    world = World(busy, seed=3)
    run(world, actions[:150])
    branches = [world.branch() for _ in range(2)]
    assert branches[0].state() == world.state()
    for branch in branches:
        run(branch, random_actions(100, seed=9))
    assert branches[0].state() == branches[1].state()
    assert branches[0].describe() == branches[1].describe()
    run(world, actions[150:])
    assert world.state() == played(busy, actions).state()


def test_a_branch_goes_where_the_trunk_goes() -> None:
    world = world_of(
        "name: Agent, at: [20, 0, 5], rotation: 0",
        "name: GoodGoal, at: [20, 0, 20], size: 1",
        "name: HeavyBlock, at: [20, 0, 10], size: 1, rotation: 0",
        time_limit=200,
    )
    run(world, repeat(FORWARDS, 12))
    branch = world.branch()
    ends = []
    for each in (world, branch):
        run(each, repeat(FORWARDS, 12))
        ends.append(each.position_of(each.animals[0]))
    assert ends[0] == pytest.approx(ends[1], abs=0.05)
    assert branch.animals[0] is not world.animals[0]


def test_things_that_sleep_also_sleep_in_a_branch() -> None:
    """Awake, things would settle again, by some tenths of micrometres."""
    world = world_of(
        "name: Agent, at: [20, 0, 5], rotation: 90",
        "name: GoodGoalMulti, at: [5, 0, 20], size: 1",
        "name: HeavyBlock, at: [5, 0, 10], size: 1, rotation: 30",
        time_limit=200,
    )
    run(world, repeat(NOOP, 60))
    asleep = [world.engine.body(thing).is_sleeping for thing in world.engine.rows()]
    assert sorted(asleep) == [False, True, True]  # an animal that acts is awake
    branch = world.branch()
    assert [branch.engine.body(thing).is_sleeping for thing in branch.engine.rows()] == asleep
    for action in random_actions(60):
        assert branch.step(action) == world.step(action)
        assert branch.state() == world.state()


def test_a_plan_found_in_branches_replays_from_the_start() -> None:
    """A search one decision ahead finds food around a corner; the plan then works from the start."""
    world = world_of(
        "name: Agent, at: [20, 0, 5], rotation: 90", "name: GoodGoal, at: [26, 0, 9], size: 1", time_limit=50
    )
    for _ in range(40):
        if world.over:
            break
        best = None
        for action in (1, 2, 3, 4, 5):
            branch = world.branch()
            run(branch, repeat(action, 3))
            score = 9.0 if branch.terminated else -float(np.linalg.norm(np.subtract(_agent(branch), (26, 9))))
            best = max(best, (score, action)) if best else (score, action)
        assert best is not None
        run(world, [best[1]])
    replayed = World.replay(world.snapshot())
    assert replayed.terminated
    assert replayed.animals[0].total == world.animals[0].total > 0.5


def _agent(world: World) -> tuple[float, float]:
    x, _, z = world.position_of(world.animals[0])
    return x, z


def test_the_description_is_plain_data_and_complete(busy: Task) -> None:
    world = World(busy, seed=3)
    run(world, repeat(NOOP, 65))
    description = json.loads(json.dumps(world.describe()))
    names = [each["name"] for each in description["things"]]
    assert {"Agent", "Wall", "SpawnerTree", "GrowGoal", "DataZone", "Door", "GoodGoalMulti"} <= set(names)
    assert len(names) == len(world.things)
    assert not description["lights"]
    assert description["seconds"] == 3.9


def test_an_error_ends_the_episode_in_that_very_step(busy: Task) -> None:
    world = World(busy, seed=3)
    run(world, repeat(NOOP, 5))
    world.body(world.animals[0]).set_entity_pose(sapien.Pose((200.0, 1.0, 20.0)))
    outcome = world.step([NOOP])
    assert outcome.truncated
    assert not outcome.terminated
    assert "error" in [event.kind for event in outcome.events]
    assert world.clock == 16
    assert world.error == f"Agent {world.animals[0].id} left the arena or its state is not finite"


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_the_kernel_finds_every_number_that_is_not_finite(busy: Task, bad: float) -> None:
    world = World(busy, seed=3)
    state = world.state()
    rows = np.frombuffer(state, np.float32).reshape(-1, 13)
    for row in range(len(rows)):
        for column in range(13):
            spoiled = rows.copy()
            spoiled[row, column] = bad
            assert world.engine.solids.look(state, spoiled.tobytes())[1] == row
    assert world.engine.solids.look(state, state)[1] == -1


def test_a_world_is_pickled_as_its_record(busy: Task) -> None:
    world = World(busy, seed=np.int64(3))
    run(world, random_actions(60))
    twin = pickle.loads(pickle.dumps(world))
    for each in (world, twin):
        run(each, random_actions(60, seed=1))
    assert twin.state() == world.state()
    assert json.loads(world.snapshot().to_json())["seed"] == 3
