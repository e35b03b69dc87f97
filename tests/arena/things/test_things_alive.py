"""Every thing of the catalogue in a world: it builds at every size, rests, and acts as documented.

`OUTCOMES` states what each thing is for. A thing that is not in it fails, so that every new one gets an entry.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from math import cos, radians, sin
from typing import Any

import numpy as np
import pytest

from puzzlebox.arena.rules import Rules
from puzzlebox.arena.things import CATALOGUE, SHRINK, SKINS, Category, Stands, Thing
from puzzlebox.arena.things.dispensers import SpawnerDispenserTall
from puzzlebox.arena.things.goals import Goal
from puzzlebox.arena.world import Event, World
from puzzlebox.arena.world.engine import FLOOR_TOP
from staging import fetch, item, lowest, staged, the, watched
from worlds import BACKWARDS, FINE, FORWARDS, NOOP, RIGHT, kinds, run

SECOND = 50  # physics steps
AGENT = item("Agent", 20, 5)
FAR_FOOD = item("GoodGoalMulti", 3, 37, size=1)
Check = Callable[[str], None]


# --- building and resting


def sizes(name: str) -> dict[str, dict[str, Any]]:
    """Return settings for the smallest, the default and the largest of a thing; for changing goals, their values."""
    thing = CATALOGUE[name]
    if thing.size is not None:
        ends: Any = (list(thing.size.smallest), list(thing.size.largest))
        return {"smallest": {"size": ends[0]}, "default": {}, "largest": {"size": ends[1]}}
    limits = thing.takes().get("initial_value")
    if thing.category is Category.GOAL and limits is not None and limits.limits is not None:
        low, high = limits.limits
        return {
            "smallest": {"initial_value": low, "final_value": low},
            "default": {},
            "largest": {"initial_value": high, "final_value": high},
        }
    return {"only": {}}


def pose(world: World, thing: Thing) -> Any:
    described = next(each for each in world.describe()["things"] if each["id"] == thing.id)
    return np.array([*described["at"], *described["turn"]])


def builds_and_rests(name: str, settings: dict[str, Any], rotation: float) -> None:
    agent = () if name == "Agent" else (item("Agent", 5, 5),)
    world = staged(*agent, item(name, 60, 60, **{"rotation": rotation, **settings}), size=[100, 100])
    thing = the(world, name)
    cls, placed = type(thing), np.array(thing.at)
    if "size" in settings:
        unit = cls.unit or (1.0, 1.0, 1.0)
        expected = [SHRINK * side * scale for side, scale in zip(settings["size"], unit, strict=True)]
        assert thing.extent == pytest.approx(expected)
    if getattr(cls, "launched", False):
        # It rests for a physics step, as in the original, and is then launched; friction slows it at once.
        world.step([NOOP])
        assert world.position_of(thing)[::2] == pytest.approx(placed[::2], abs=1e-6)
        world.step([NOOP])
        along = [10 * sin(radians(rotation)), 10 * cos(radians(rotation))]
        assert np.array(world.body(thing).get_linear_velocity())[[0, 2]] == pytest.approx(along, abs=0.2)
        run(world, [NOOP] * 5 * SECOND)
        assert not world.over
        return

    # A changing thing has to finish first: the slowest change takes 400 steps.
    run(world, [NOOP] * (9 * SECOND if cls.ticks and cls.category is Category.GOAL else 3 * SECOND))
    rest_pose, movement = pose(world, thing), 0.0
    for _ in range(5 * SECOND):
        world.step([NOOP])
        movement = max(movement, float(np.abs(pose(world, thing) - rest_pose).max()))
    assert movement < 1e-3, f"it moves by {1000 * movement:.2f} mm at rest"
    assert np.abs(rest_pose[[0, 2]] - placed[[0, 2]]).max() < 2e-3, "it came to rest somewhere else"
    if cls.stands is Stands.WHERE_SUPPORTED:
        assert thing.fixed, "it stands on the floor and is not fixed"
    if cls.stands is not Stands.FIXED:
        assert rest_pose[1] + lowest(thing) == pytest.approx(FLOOR_TOP, abs=2e-3), "it does not stand on the floor"


# --- things that stay where they are


def blocks(name: str, aside: float = 0.0, **settings: Any) -> None:
    """An animal at top speed neither gets through it nor moves it, after a run-up of 15 m."""
    world = staged(item("Agent", 20 + aside, 5), item(name, 20, 22, **settings))
    thing, agent = the(world, name), world.animals[0]
    assert thing.fixed
    world.step([NOOP])
    before = pose(world, thing).tobytes()
    path = watched(world, agent, 4 * SECOND, FORWARDS)
    assert path[:, 2].max() < 22, "it got through"
    assert path[-1, 2] > 10, "it never came near"
    assert pose(world, thing).tobytes() == before, "it was moved"


# --- things that can be pushed


def pushed(name: str, metres: float, **settings: Any) -> None:
    """Check that an animal behind the middle of a thing pushes it a number of metres in two seconds from rest."""
    probe = the(staged(item(name, 20, 20, **settings)), name)
    shapes: Any = probe.shapes()
    volume = sum(shape.volume for shape in shapes)
    aside = sum(shape.volume * shape.at[0] for shape in shapes) / volume
    back = min(shape.at[2] - shape.half[2] for shape in shapes if abs(shape.at[0] - aside) < shape.half[0])
    world = staged(item("Agent", 20 + aside, 10 + back - 0.52), item(name, 20, 10, **settings))
    thing = the(world, name)
    run(world, [NOOP] * SECOND)
    start = np.array(world.position_of(thing))
    way = watched(world, thing, 2 * SECOND, FORWARDS)[-1] - start
    assert way[2] == pytest.approx(metres, rel=0.08)
    assert np.abs(way[:2]).max() < 0.2, "it was not pushed straight on"


# --- goals


def touch(name: str, *others: str, **settings: Any) -> tuple[World, Event, float]:
    """Walk into a goal 10 m ahead; return the world after it, the event, and the total reward."""
    world = staged(AGENT, item(name, 20, 15, **settings), *others)
    goal, total = the(world, name), 0.0
    for _ in range(8 * SECOND):
        outcome = world.step([FORWARDS])
        total += outcome.rewards[0]
        collected = [event for event in outcome.events if event.kind == "collected"]
        if collected:
            assert collected[0].thing is not None
            assert goal not in world.things, "it is still there"
            assert (outcome.terminated, outcome.truncated) == (world.over, False)
            return world, collected[0], total
    raise AssertionError(f"{name} was never collected")


def pays(name: str, times_size: float, *, ends: bool, ends_as_last: bool) -> None:
    for size in (0.5, 1.0, 3.0):
        for others in ((FAR_FOOD,), ()):
            world, collected, total = touch(name, *others, size=size)
            value = times_size * size * SHRINK
            assert (collected.details["value"], total) == pytest.approx((value, value), abs=1e-12)
            # Without health the episode ends, whatever the goal itself would do.
            assert world.over == ((ends if others else ends_as_last) or value <= -1.0)


def pays_its_value(name: str, first: float, last: float, rate: float, *, ends: bool) -> None:
    """It pays its value at the moment of the touch."""
    low, high = sorted((first, last))
    for others in ((FAR_FOOD,), ()):
        world, collected, total = touch(name, *others)
        value = min(max(first + rate * collected.step, low), high)
        assert 0 < collected.step < 100
        assert (collected.details["value"], total) == pytest.approx((value, value), abs=1e-9)
        assert world.over == (ends or not others)
    _, _, total = touch(name, FAR_FOOD, delay=300)
    assert total == pytest.approx(first), "it changed before its delay was over"
    # The sign of the rate is set for the author.
    first, last = (1.0, 2.0) if rate > 0 else (2.0, 1.0)
    _, _, total = touch(name, FAR_FOOD, initial_value=first, final_value=last, change_rate=-0.1 * np.sign(rate))
    assert total == pytest.approx(last), "it did not reach its last value, or went beyond"
    _, _, total = touch(name, FAR_FOOD, initial_value=last, final_value=first)
    assert total == pytest.approx(last), "a range the wrong way round changes nothing"


# --- zones


def kills(name: str) -> None:
    for others in ((), (item("HotZone", 20, 15, size=[4, 1, 4]),)):
        world = staged(AGENT, *others, item(name, 20, 15, size=[4, 1, 4]), FAR_FOOD)
        events = run(world, [FORWARDS] * 2 * SECOND)
        assert (world.terminated, world.truncated) == (True, False)
        assert (world.animals[0].total, world.animals[0].health) == (-1.0, 0.0)
        assert [event.details["passed"] for event in events if event.kind == "finished"] == [False]


def burns(name: str) -> None:
    """It costs ten times the price of time at each physics step inside; a minimum where time is free."""
    game = Rules.named("4.3", decision_period=1)
    for limit, rules, extra in ((100, FINE, 10 / 500), (0, FINE, 1e-5), (0, game, 1e-3), (2000, game, 1e-3)):
        world = staged(AGENT, item(name, 20, 15, size=[4, 0, 4]), rules=rules, time_limit=limit)
        cost = 1 / (5 * limit) if limit else 0.0
        rewards, clock = [], {}
        for _ in range(2 * SECOND):
            outcome = world.step([FORWARDS])
            rewards.append(outcome.rewards[0])
            clock |= {event.kind: event.step for event in outcome.events}
        inside = clock["left"] - clock["entered"]
        assert 5 < inside < 30
        assert rewards[clock["entered"] - 1 : clock["left"] - 1] == pytest.approx([-cost - extra] * inside)
        assert sum(rewards) == pytest.approx(-len(rewards) * cost - inside * extra)


def notes(name: str) -> None:
    grant = {"do": "grant_reward", "reward": 0.25}
    world = staged(AGENT, item(name, 20, 15, size=[4, 1, 4], zone_id="middle", operations=[grant]))
    agent, zone, events = world.animals[0], the(world, name), []
    for _ in range(2 * SECOND):
        # The animal's ball enters and leaves, not its middle, and the next step notices it.
        overlaps = abs(world.position_of(agent)[2] - 15) < 2 * SHRINK + 0.5
        events += world.step([FORWARDS]).events
        inside = next(each for each in world.describe()["things"] if each["id"] == zone.id)["inside"]
        assert inside == ([0] if overlaps else [])
    passages = [(event.kind, event.details["zone_id"], event.animal) for event in events if event.name == name]
    assert passages == [("entered", "middle", 0), ("left", "middle", 0)]
    assert agent.total == 0.25


# --- dispensers


def dispensed_goals(world: World) -> list[Thing]:
    return [thing for thing in world.things if type(thing).__name__ == "GoodGoalMulti"]


def dispensed(events: list[Event]) -> list[int]:
    return [event.step for event in events if event.kind == "dispensed"]


def gives_fruit(name: str) -> None:
    """Timing, growth and fall are as documented; fallen fruits can be collected, and the last one ends the episode."""
    settings = {"delay": 1, "initial_value": 0.4, "final_value": 1.2, "spawn_count": 3}
    timing = {"time_between_spawns": 2, "ripen_time": 3}
    world = staged(item("Agent", 20, 32), item(name, 20, 20, **settings, **timing, spawn_color="blue"))
    tree, fruit = the(world, name), []
    events = run(world, [NOOP] * (SECOND + 1))
    assert dispensed(events) == [SECOND + 1]
    (first,) = dispensed_goals(world)
    assert isinstance(first, Goal)
    hung = world.position_of(first)
    centre = np.array(hung) - np.array(tree.at) - (-0.1, 4.3, -0.1)
    assert np.linalg.norm(centre) == pytest.approx(2.25, abs=1e-4)
    assert first.value == pytest.approx(0.4)
    assert first.paint == (0.0, 0.0, 255.0)
    for age in range(1, 3 * SECOND + 1):
        events += world.step([NOOP]).events
        assert first.value == pytest.approx(0.4 + 0.8 * age / (3 * SECOND))
        fruit.append(world.position_of(first))
    assert np.array(fruit[:-1]) == pytest.approx(np.array([hung] * (len(fruit) - 1)), abs=1e-6), "it hangs still"
    events += run(world, [NOOP] * 20 * SECOND)
    assert dispensed(events) == [SECOND + 1, 3 * SECOND + 1, 5 * SECOND + 1]
    assert len(dispensed_goals(world)) == 3
    for each in dispensed_goals(world):
        assert world.position_of(each)[1] == pytest.approx(0.6 + FLOOR_TOP, abs=0.01), "it has not fallen"
    for each in dispensed_goals(world):
        assert not world.over
        events = fetch(world, each)
    assert world.terminated
    assert world.animals[0].total == pytest.approx(3.6)
    # By default there is no limit: one every four seconds after two, six seconds on the tree, 0.2 to 1 m.
    world = staged(item("Agent", 5, 5), item(name, 20, 20))
    events = run(world, [NOOP] * 20 * SECOND)
    assert dispensed(events) == [2 * SECOND + 1 + 4 * SECOND * number for number in range(5)]
    assert dispensed_goals(world)[0].extent[0] == pytest.approx(1.0)
    assert dispensed_goals(world)[-1].extent[0] == pytest.approx(0.2 + 0.8 * (2 * SECOND - 1) / (6 * SECOND))


def opens(name: str) -> None:
    """Goals wait behind the door, roll out on its side once it is open, and can be collected."""
    for rotation in (0, 90, 200):
        out = np.array((-cos(radians(rotation)), sin(radians(rotation))))
        settings = {"spawn_count": 3, "final_value": 0.8, "door_delay": 4, "time_between_spawns": 0.5}
        agent = item("Agent", *(20 + 12 * out))
        world = staged(agent, item(name, 20, 20, rotation=rotation, **settings))
        dispenser = the(world, name)

        def before_the_door(goal: Thing, world: World = world, out: Any = out) -> float:
            return float(np.dot(np.array(world.position_of(goal))[[0, 2]] - 20, out))

        run(world, [NOOP] * 4 * SECOND)
        assert dispenser.condition()["door"] == 0.0
        assert dispensed_goals(world)
        assert all(before_the_door(goal) < 0.7 for goal in dispensed_goals(world)), (
            "it came out through the closed door"
        )
        events = run(world, [NOOP] * SECOND)
        assert dispenser.condition()["door"] == 1.0
        while not world.over and world.clock < 60 * SECOND:
            free = [goal for goal in dispensed_goals(world) if before_the_door(goal) > 1.5]
            events += fetch(world, free[0]) if free else run(world, [NOOP] * 10)
        assert [event.details["value"] for event in events if event.kind == "collected"] == pytest.approx([0.8] * 3)
        assert (world.animals[0].total, world.terminated) == (pytest.approx(2.4), True)


def paces(name: str) -> None:
    """With the door open from the start, goals come at their times."""
    settings = {"delay": 1, "time_between_spawns": 3, "spawn_count": 3, "door_delay": 0, "spawn_color": "blue"}
    world = staged(AGENT, item(name, 30, 20, **settings))
    events = run(world, [NOOP] * 12 * SECOND)
    assert dispensed(events) == [SECOND + 1, 4 * SECOND + 1, 7 * SECOND + 1]
    assert [(goal.extent[0], goal.paint) for goal in dispensed_goals(world)] == [(1.0, (0.0, 0.0, 255.0))] * 3


def cycles(name: str) -> None:
    """A door cycle: one second for each way, open for at most 1.5 s, the rest of the time shut."""
    for cycle, period, opened in ((3.0, 5.0, 1.5), (0.0, 3.4, 1.4)):
        world = staged(AGENT, item(name, 20, 20, spawn_count=0, door_delay=1, time_between_door_opens=cycle))
        dispenser = the(world, name)
        door = []
        for _ in range(SECOND + round(2 * period * SECOND)):
            world.step([NOOP])
            door.append(dispenser.condition()["door"])
        assert set(door[:SECOND]) == {0.0}
        first, second = np.array_split(np.array(door[SECOND:]), 2)
        assert first == pytest.approx(second)
        assert (first == 1.0).sum() == pytest.approx(opened * SECOND, abs=1)
        assert np.abs(np.diff(first)).max() == pytest.approx(1 / SECOND)


def counts_down(name: str) -> None:
    """The number still to come includes goals that wait for room."""
    world = staged(AGENT, item(name, 20, 20, spawn_count=4, time_between_spawns=0.1, door_delay=100, final_value=1))
    dispenser = the(world, name)
    assert isinstance(dispenser, SpawnerDispenserTall)
    for _ in range(2 * SECOND):
        world.step([NOOP])
        assert dispenser.condition()["remaining"] + len(dispensed_goals(world)) == 4


def gives_on_a_press(name: str) -> None:
    """A press moves the button in, then brings the reward; for another, the animal must leave and come back."""
    settings = {"reward_names": ["GoodGoalMulti"], "move_duration": 0.4, "reset_duration": 0.6}
    for size, value in (({}, 1.0), ({"reward_size": [2, 2, 2]}, 2 * SHRINK)):
        # It faces +x at rotation 0, so the agent comes from there; `at` is a corner of the pillar.
        button = item(name, 20, 20.2, reward_at=[30, 0, 10], max_reward_counts=[2], **settings, **size)
        world = staged(item("Agent", 25, 20, rotation=270), button, FAR_FOOD)
        events = run(world, [FORWARDS] * 3 * SECOND)
        steps = {event.kind: event.step for event in events}
        assert Counter(kinds(events))["pressed"] == 1, "a press needs a new entry"
        assert steps["appeared"] - steps["pressed"] == 0.4 * SECOND
        goal = the(world, "GoodGoalMulti", 1)
        assert world.position_of(goal)[::2] == pytest.approx((30, 10))
        fetch(world, goal)
        assert world.animals[0].total == pytest.approx(value, abs=1e-9)
        assert the(world, name).condition() == {"pushed": 0.0, "presses": 1}
    back_and_forth = ([BACKWARDS] * 20 + [FORWARDS] * 60) * 4
    world = staged(item("Agent", 25, 20, rotation=270), button, FAR_FOOD)
    counted = Counter(kinds(run(world, [FORWARDS] * 2 * SECOND + back_and_forth)))
    assert (counted["pressed"], counted["appeared"]) == (5, 1), "nothing else fits where the first still lies"


def does_operations_on_a_press(name: str) -> None:
    operations = [{"do": "grant_reward", "reward": 0.5}, {"do": "freeze_agent", "steps": 30}]
    world = staged(item("Agent", 25, 20, rotation=270), item(name, 20, 20.2, operations=operations))
    events = run(world, [FORWARDS] * 3 * SECOND)
    assert [event.kind for event in events][1:] == ["pressed", "granted", "froze"]
    assert world.animals[0].total == 0.5


# --- the sign and the agent


def shows(name: str) -> None:
    def symbol_of(symbol: str, seed: int = 0) -> str:
        world = staged(AGENT, item(name, 20, 20, symbol=symbol), seed=seed)
        text: str = the(world, name).condition()["symbol"]
        return text

    assert symbol_of("star") == "star"
    assert symbol_of("01/10/11") == "01/10/11"
    drawn = {symbol_of("0*1/*1*/000", seed) for seed in range(40)}
    assert 4 <= len(drawn) <= 8
    for text in drawn:
        assert (text[0], text[2], text[5], text[8:]) == ("0", "1", "1", "000")
    assert symbol_of("0*1/*1*", 7) == symbol_of("0*1/*1*", 7)
    grids = [symbol_of("4x3", seed).split("/") for seed in range(5)]
    assert all([len(row) for row in grid] == [4, 4, 4] for grid in grids)
    assert len({"/".join(grid) for grid in grids}) > 1


def acts(name: str) -> None:
    """It walks, turns two degrees a physics step (docs/original/motion.md), and stands still while it is frozen."""
    world = staged(item(name, 20, 1))
    agent = world.animals[0]
    run(world, [NOOP] * 10)
    assert watched(world, agent, 75, FORWARDS)[-1, 2] - 1 == pytest.approx(25.30, abs=0.05)
    run(world, [RIGHT] * 30)
    assert agent.heading == 60.0

    for skin in SKINS:
        assert the(staged(item(name, 20, 20, skin=skin)), name).condition()["skin"] == skin
    drawn = [the(staged(item(name, 20, 20), seed=seed), name).condition()["skin"] for seed in range(30)]
    assert set(drawn) == set(SKINS)
    assert drawn[3] == the(staged(item(name, 20, 20), seed=3), name).condition()["skin"]

    for seconds in (0.5, 2.0):
        world = staged(item(name, 20, 5, frozen_delay=seconds), time_limit=100)
        agent = world.animals[0]
        held = round(seconds * SECOND)
        path = watched(world, agent, held, FORWARDS)
        assert path[-1, 2] == 5.0
        assert (agent.health, agent.total) == (100.0, 0.0), "time costs nothing while it is frozen"
        watched(world, agent, 1, FORWARDS)
        assert world.position_of(agent)[2] > 5.0
        assert agent.total == pytest.approx(-1 / 500)


FLAT = {"size": [3, 1, 5]}
OUTCOMES: dict[str, tuple[Check, ...]] = {
    "Agent": (acts,),
    "Wall": (partial(blocks, size=[6, 3, 0.1]), partial(blocks, size=[2, 2, 2]), partial(blocks, size=[1, 1, 1])),
    "WallTransparent": (partial(blocks, size=[6, 3, 0.1]), partial(blocks, size=[2, 2, 2])),
    "Ramp": (partial(blocks, size=[6, 3, 3]),),
    "CylinderTunnel": (partial(blocks, size=6, rotation=90),),
    "CylinderTunnelTransparent": (partial(blocks, size=6, rotation=90),),
    "LightBlock": (partial(pushed, metres=16.0, size=2), partial(pushed, metres=16.0, size=1)),
    "HeavyBlock": (partial(pushed, metres=8.5, size=2), partial(pushed, metres=8.5, size=1)),
    "UBlock": (partial(pushed, metres=16.5, **FLAT),),
    "LBlock": (partial(pushed, metres=16.5, **FLAT),),
    "JBlock": (partial(pushed, metres=16.5, **FLAT),),
    "HollowBox": (partial(pushed, metres=4.2, size=1), partial(pushed, metres=4.2, size=2)),
    "GoodGoal": (partial(pays, times_size=1, ends=True, ends_as_last=True),),
    "GoodGoalBounce": (partial(pays, times_size=1, ends=True, ends_as_last=True),),
    "GoodGoalMulti": (partial(pays, times_size=1, ends=False, ends_as_last=True),),
    "GoodGoalMultiBounce": (partial(pays, times_size=1, ends=False, ends_as_last=True),),
    "BadGoal": (partial(pays, times_size=-1, ends=True, ends_as_last=True),),
    "BadGoalBounce": (partial(pays, times_size=-1, ends=True, ends_as_last=True),),
    "BadGoalMulti": (partial(pays, times_size=-1, ends=False, ends_as_last=False),),
    "DecoyGoal": (partial(pays, times_size=0, ends=False, ends_as_last=False),),
    "DecoyGoalBounce": (partial(pays, times_size=0, ends=False, ends_as_last=False),),
    "DecoyGoalMulti": (partial(pays, times_size=0, ends=False, ends_as_last=False),),
    "DecayGoal": (partial(pays_its_value, first=2.5, last=0.5, rate=-0.005, ends=False),),
    "DecayGoalEpEnding": (partial(pays_its_value, first=2.5, last=0.5, rate=-0.005, ends=True),),
    "RipenGoal": (partial(pays_its_value, first=0.5, last=2.5, rate=0.005, ends=False),),
    "RipenGoalEpEnding": (partial(pays_its_value, first=0.5, last=2.5, rate=0.005, ends=True),),
    "GrowGoal": (partial(pays_its_value, first=0.5, last=2.5, rate=0.005, ends=False),),
    "ShrinkGoal": (partial(pays_its_value, first=2.5, last=0.5, rate=-0.005, ends=False),),
    "DeathZone": (kills,),
    "HotZone": (burns,),
    "DataZone": (notes,),
    "SpawnerTree": (blocks, gives_fruit),
    "SpawnerDispenserTall": (blocks, opens, paces, cycles, counts_down),
    "SpawnerContainerShort": (blocks, opens, paces, cycles, counts_down),
    "SpawnerButton": (partial(blocks, aside=-0.2), gives_on_a_press, does_operations_on_a_press),
    "SignBoard": (partial(blocks, rotation=90), shows),
}


def every_case() -> list[Any]:
    """Return the cases of every thing: each size at rest, and each outcome."""
    cases = []
    for name in CATALOGUE:
        for which, settings in sizes(name).items():
            for rotation in (0, 30):
                check = partial(builds_and_rests, settings=settings, rotation=rotation)
                cases.append(pytest.param(name, check, id=f"{name}-{which}-{rotation}"))
        for number, outcome in enumerate(OUTCOMES.get(name, ())):
            word = getattr(outcome, "func", outcome).__name__
            cases.append(pytest.param(name, outcome, id=f"{name}-{word}-{number}"))
    return cases


@pytest.mark.parametrize(("name", "check"), every_case())
def test_each_thing_behaves_as_expected_in_a_running_world(name: str, check: Check) -> None:
    check(name)


def test_every_thing_has_an_outcome() -> None:
    assert set(OUTCOMES) == set(CATALOGUE)
    assert all(OUTCOMES.values())


def test_lighter_blocks_are_pushed_further() -> None:
    def way(name: str) -> float:
        world = staged(item("Agent", 20, 9.48), item(name, 20, 10.55, size=1))
        run(world, [NOOP] * SECOND)
        return float(np.ptp(watched(world, the(world, name), 2 * SECOND, FORWARDS)[:, 2]))

    ways = [way(name) for name in ("LightBlock", "HeavyBlock", "HollowBox")]
    assert all(longer > 1.5 * shorter for longer, shorter in pairwise(ways)), ways
