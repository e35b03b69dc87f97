"""Random arenas: no exception, no lost body, and the same bytes every time.

`make slow` plays 150,000 steps and reports what it met; PUZZLEBOX_FUZZ_STEPS asks for more, PUZZLEBOX_FUZZ_SEED for
others. `make test` plays a share. A failure names a seed and a number: `play(seed, number)` plays that arena again.
"""

import hashlib
import json
import os
import time
import traceback
import warnings
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from arenas import chance, pick, random_actions, random_task
from puzzlebox import TaskWarning
from puzzlebox.arena.rules import PRESETS
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.things import CATALOGUE
from puzzlebox.arena.world import KINDS, Outcome, Record, World

STEPS = int(os.environ.get("PUZZLEBOX_FUZZ_STEPS", "150000"))
SEED = int(os.environ.get("PUZZLEBOX_FUZZ_SEED", "1"))
# Some arenas end as soon as they begin; this many episodes of one are enough.
EPISODES = 8
# A dispenser without limits fills any arena slowly; nothing new happens in a heap of balls.
CROWD = 250
# How far the position of a body may be beyond the fence or below the ground, in metres; test_excursions.py looks at
# every physics step.
PRESSED_IN = 0.05 + 1e-6


class Strange(Exception):
    """A violated invariant that raised no exception."""


@dataclass
class Report:
    """Statistics of the run."""

    arenas: int = 0
    episodes: int = 0
    steps: int = 0
    physics_steps: int = 0
    things: Counter[str] = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    unplaced: int = 0
    repeated: int = 0
    slowest_reset: tuple[float, str] = (0.0, "")
    # The greatest distance beyond the fence or below the floor, height and speed, and the thing concerned.
    deepest: tuple[float, str] = (0.0, "")
    highest: tuple[float, str] = (0.0, "")
    fastest: tuple[float, str] = (0.0, "")
    failures: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [
            f"{self.arenas} arenas, {self.episodes} episodes, {self.steps} steps, {self.physics_steps} physics steps",
            f"{sum(self.things.values())} things of {len(self.things)} kinds, {self.unplaced} unplaced; "
            f"{self.repeated} arenas played twice; rules {dict(self.rules)}",
            f"events {dict(self.events.most_common())}",
            f"slowest reset {self.slowest_reset[0] * 1e3:.0f} ms ({self.slowest_reset[1]})",
            f"deepest {self.deepest[0]:.3f} m ({self.deepest[1]}), highest {self.highest[0]:.1f} m "
            f"({self.highest[1]}), fastest {self.fastest[0]:.1f} m/s ({self.fastest[1]})",
            f"{len(self.failures)} failures",
            *self.failures[:20],
        ]
        return "\n".join(lines)


@dataclass(frozen=True)
class Plan:
    """Everything that is drawn for one arena before it is played."""

    task: Task
    arena: int
    rules: str
    seed: int
    actions: list[tuple[int, ...]]
    twice: bool

    @classmethod
    def draw(cls, seed: int, number: int, *, wild: bool = False) -> "Plan":
        rng = np.random.default_rng((seed, number))
        task = random_task(rng, wild=wild)
        agents = max(1, len(task.arenas[0].agents()))
        steps = int(pick(rng, (20, 60, 60, 120, 120, 300, 900)))
        actions = random_actions(rng, agents, steps)
        arena = int(rng.integers(len(task.arenas)))
        return cls(task, arena, pick(rng, list(PRESETS)), int(rng.integers(2**31)), actions, chance(rng, 0.05))


def look(world: World, outcome: Outcome | None, report: Report, name: str) -> None:
    """Check the invariants after a step, and note extremes."""
    if world.error is not None:
        raise Strange(world.error)
    if outcome is not None:
        report.events.update(event.kind for event in outcome.events)
        if not all(map(np.isfinite, outcome.rewards)):
            raise Strange(f"rewards {outcome.rewards}")
        if unknown := {event.kind for event in outcome.events} - KINDS.keys():
            raise Strange(f"events {unknown}")
    state = np.frombuffer(world.state(), np.float32).reshape(-1, 13)
    engine = world.engine
    if len(state) != len(engine.rows()):
        raise Strange(f"{len(state)} rows for {len(engine.rows())} bodies")
    if not np.isfinite(state).all():
        raise Strange("a state that is not finite")
    at, speed = state[:, 4:7], np.linalg.norm(state[:, 7:10], axis=1)
    beyond = np.maximum(-at, at - (engine.width, np.inf, engine.depth)).max(axis=1)
    for row in np.flatnonzero(beyond > min(report.deepest[0], PRESSED_IN)):
        thing = world.present[engine.rows()[row]]
        if thing.kinematic:  # it hangs in its place
            continue
        where = f"{type(thing).__name__}, {name}, step {world.clock}"
        report.deepest = max(report.deepest, (float(beyond[row]), where))
        if beyond[row] > PRESSED_IN:
            raise Strange(f"{type(thing).__name__} {thing.id} is {beyond[row]:.3f} m outside at {at[row]}")
    for values, extreme in ((at[:, 1], "highest"), (speed, "fastest")):
        row = int(values.argmax()) if len(values) else 0
        if values[row] > getattr(report, extreme)[0]:
            thing = world.present[engine.rows()[row]]
            setattr(report, extreme, (float(values[row]), f"{type(thing).__name__}, {name}"))


def play(seed: int, number: int, report: Report | None = None, *, wild: bool = False) -> None:
    """Build an arena and play episodes until its actions are used up."""
    report = report or Report()
    plan = Plan.draw(seed, number, wild=wild)
    name = f"seed {seed}, number {number}, rules {plan.rules}"
    report.arenas += 1
    report.rules[plan.rules] += 1
    digests = _live(plan, report, name)
    if plan.twice:
        report.repeated += 1
        if _live(plan, Report(), name) != digests:
            raise Strange("not the same bytes the second time")


def _live(plan: Plan, report: Report, name: str) -> list[str]:
    world: World | None = None
    digests = []
    digest = hashlib.sha256()
    for index, actions in enumerate(plan.actions):
        if world is None:
            if len(digests) >= EPISODES:
                break
            start = time.perf_counter()
            world = World(plan.task, arena=plan.arena, seed=plan.seed + len(digests), rules=plan.rules)
            report.slowest_reset = max(report.slowest_reset, (time.perf_counter() - start, name))
            report.episodes += 1
            report.things.update(type(thing).__name__ for thing in world.things)
            report.unplaced += len(world.unplaced)
            look(world, None, report, name)
        before = world.clock
        outcome = world.step(actions)
        report.steps += 1
        report.physics_steps += world.clock - before
        look(world, outcome, report, name)
        digest.update(world.state())
        digest.update(np.array(outcome.rewards).tobytes())
        last = index == len(plan.actions) - 1 or len(world.things) > CROWD
        if last and plan.twice:
            check_copies(world, plan)
        if world.over or last:
            check_description(world)
            digests.append(digest.hexdigest())
            world = None
        if last:
            break
    return digests


def check_description(world: World) -> None:
    """The description of a world is plain data."""
    text = json.dumps(world.describe(), allow_nan=False)
    if len(json.loads(text)["things"]) != len(world.things):
        raise Strange("not everything is described")


def check_copies(world: World, plan: Plan) -> None:
    """A replay equals the original, also after conversion to text and back; two branches stay equal to each other."""
    record = world.snapshot()
    with warnings.catch_warnings():  # such tasks cause many warnings
        warnings.simplefilter("ignore", TaskWarning)
        again = Record.from_json(record.to_json())
    for each in (record, again):
        twin = World.replay(each)
        if twin.state() != world.state() or twin.describe() != world.describe():
            raise Strange("a replay ends somewhere else")
    if world.over:
        return
    here = json.dumps(world.describe())
    branches = [world.branch(), world.branch()]
    for actions in plan.actions[:40]:
        outcomes = [branch.step(actions) for branch in branches]
        if outcomes[0] != outcomes[1] or branches[0].state() != branches[1].state():
            raise Strange("two branches differ")
        if branches[0].over:
            break
        if branches[0].error is not None:
            raise Strange(f"in a branch: {branches[0].error}")
    if json.dumps(world.describe()) != here:
        raise Strange("a branch moved the world it came from")


def fuzz(steps: int, seed: int, *, wild: bool = False, first: int = 0) -> Report:
    """Play arenas for a number of steps; continue after failures, to collect all of them."""
    report = Report()
    number = first
    while report.steps < steps:
        try:
            play(seed, number, report, wild=wild)
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = "" if isinstance(error, Strange) else f" ({where.filename.rsplit('/', 1)[-1]}:{where.lineno})"
            rules = Plan.draw(seed, number, wild=wild).rules
            report.failures.append(f"seed {seed}, number {number}, {rules}: {type(error).__name__}: {error}{place}")
            print(report.failures[-1], flush=True)
        number += 1
    return report


def assert_well(report: Report) -> None:
    assert not report.failures, f"\n{report}"
    assert len(report.things) >= len(CATALOGUE) and len(report.rules) == len(PRESETS), report


def test_random_arenas_are_played_without_a_failure() -> None:
    assert_well(fuzz(5_000, seed=1))


def test_absurd_numbers_are_refused_or_played() -> None:
    report = fuzz(1_500, seed=2, wild=True)
    assert not report.failures, f"\n{report}"


def _zone(*operations: dict[str, Any]) -> dict[str, Any]:
    return {"name": "DataZone", "at": (20, 0, 23), "size": (4, 1, 4), "operations": operations}


_FRUITS = {"delay": 0.0, "time_between_spawns": 0.1, "initial_value": 0.2, "final_value": 3.0, "ripen_time": 0.5}
_WALL = {"name": "Wall", "at": (10, 0, 10), "size": (2, 2, 2)}
# What these runs found, each reduced to a minimum: rules, actions, arena.
FOUND: dict[str, tuple[str, int, dict[str, Any]]] = {
    "a goal that changes, there from the start by an operation": (
        *("puzzlebox", 0),
        {"items": [_zone({"do": "toggle_object", "items": [{"name": "DecayGoal"}], "initially_present": True})]},
    ),
    "the last arena merges": (
        *("puzzlebox", 3),
        {"merge_next_arena": True, "items": [{"name": "GoodGoal", "at": (20, 0, 24), "size": (1, 1, 1)}]},
    ),
    "a tree at the fence": ("puzzlebox", 0, {"items": [{"name": "SpawnerTree", "at": (0.5, 0, 0.5), **_FRUITS}]}),
    "large fruits between the crown and the fence": (
        *("puzzlebox", 0),
        {"size": (5, 40), "items": [{"name": "SpawnerTree", "at": (2.5, 0, 2.5), **_FRUITS, "spawn_count": 40}]},
    ),
    "fruits that ripen where there is no room": (
        *("puzzlebox", 0),
        {
            "items": [
                {
                    "name": "SpawnerTree",
                    "at": (0.46, 0, 0.46),
                    **_FRUITS,
                    "time_between_spawns": 0.3,
                    "ripen_time": 2.0,
                },
                {"name": "SpawnerDispenserTall", "at": (1.15, 5.5, 1.15), "rotation": 0},
            ]
        },
    ),
    "a dispenser in the corner": ("4.3", 0, {"items": [_WALL, {"name": "SpawnerDispenserTall", "at": (10, 0, 10)}]}),
    "a block in a wall in the corner": (
        *("4.3", 0),
        {"items": [_WALL, {**_WALL, "size": (6, 6, 6)}, {"name": "HeavyBlock", "at": (10, 0, 10)}]},
    ),
    "the door of a raised dispenser over an animal": (
        *("puzzlebox", 0),
        {"items": [{"name": "SpawnerDispenserTall", "at": (20.75, 1.1, 20), "rotation": 0, "door_delay": 0}]},
    ),
    "a ball in the sky": ("puzzlebox", 0, {"items": [{"name": "GoodGoalMulti", "at": (10, 250, 10)}]}),
    "a fruit that never ripens": (
        *("puzzlebox", 0),
        {"items": [{"name": "SpawnerTree", "at": (10, 0, 10), "delay": 0, "ripen_time": 1e308}]},
    ),
    "an animal that never wakes": ("puzzlebox", 0, {"items": [{"name": "Agent", "frozen_delay": 1e308}]}),
    "a button that never moves in": ("puzzlebox", 0, {"items": [{"name": "SpawnerButton", "move_duration": 1e308}]}),
    "weights whose sum is too much": (
        *("puzzlebox", 3),
        {"items": [_zone({"do": "one_of", "operations": [{"do": "nothing"}] * 2, "weights": [1e308, 1e308]})]},
    ),
}


@pytest.mark.parametrize("case", FOUND)
def test_failures_found_before_stay_mended(case: str) -> None:
    rules, action, arena = FOUND[case]
    items = arena["items"]
    if not any(item["name"] == "Agent" for item in items):
        items = [{"name": "Agent", "at": (20, 0, 20), "rotation": 0}, *items]
    if arena.get("size"):
        items[0] = {"name": "Agent", "at": (1, 0, 30)}
    world = World(Task.model_validate({"arenas": [{**arena, "items": items}]}), rules=rules)
    report = Report()
    for _ in range(300):
        look(world, world.step([action] * len(world.animals)), report, case)
        check_description(world)
        if world.over:
            break


@pytest.mark.slow
def test_many_random_arenas_are_played_without_a_failure() -> None:
    report = fuzz(STEPS, SEED)
    print(f"\n{report}")
    assert_well(report)


@pytest.mark.slow
def test_many_absurd_numbers_are_refused_or_played() -> None:
    report = fuzz(STEPS // 5, SEED, wild=True)
    print(f"\n{report}")
    assert not report.failures, f"\n{report}"
