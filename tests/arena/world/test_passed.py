"""Whether an episode was passed: one meaning in events, notification, merging, `info`, vectors and tables."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import puzzlebox
from episodes import row_of
from puzzlebox.arena.rules import Rules
from puzzlebox.arena.wing import WING
from puzzlebox.arena.world import Event, World
from puzzlebox.cli.app import app
from puzzlebox.record.entries import End, plain_event
from puzzlebox.run.player import Plan, Player
from puzzlebox.run.schedule import Slot
from puzzlebox.run.tasks import RunTask
from puzzlebox.wings.flags import PASSED
from worlds import parsed

NOOP, FORWARDS = 0, 3
AGENT = "{name: Agent, at: [20, 0, 5], rotation: 0}"
ZONE = "name: DataZone, at: [20, 0, 5], size: [4, 1, 4]"
AHEAD = "at: [20, 0, 8]"
FOOD = f"{{name: GoodGoalMulti, {AHEAD}, size: 1}}"
FAR = "{name: GoodGoalMulti, at: [2, 0, 38], size: 1}"


def latency_of(events: Any) -> float | None:
    return WING.latency([plain_event(event) for event in events])


def task_of(*items: str, **keys: Any) -> str:
    settings = "".join(f", {key}: {value}" for key, value in {"time_limit": 0, **keys}.items())
    return f"show_notification: true\narenas:\n  - {{items: [{', '.join((AGENT, *items))}]{settings}}}\n"


def zone(operation: str) -> str:
    return f"{{{ZONE}, operations: [{operation}]}}"


def played(text: str, action: int = FORWARDS, rules: str = "puzzlebox", most: int = 400) -> tuple[World, list[Event]]:
    world = World(parsed(text), rules=rules)
    events = list(world.take_events())
    for _ in range(most):
        if world.over:
            break
        events += world.step([action]).events
    return world, events


def one(events: list[Event], kind: str) -> Event:
    (event,) = [event for event in events if event.kind == kind]
    return event


ENDINGS = {
    "food": (task_of(f"{{name: GoodGoal, {AHEAD}, size: 1}}"), True),
    "a mark that is reached": (task_of(f"{{name: GoodGoal, {AHEAD}, size: 1}}", pass_mark=0.5), True),
    "a mark that is not": (task_of(f"{{name: GoodGoal, {AHEAD}, size: 1}}", pass_mark=1.5), False),
    "nothing, completed": (task_of(zone("{do: end_episode, reward: 0}")), True),
    "nothing, completed, but time cost something": (
        task_of(zone("{do: end_episode, reward: 0}"), time_limit=50),
        False,
    ),
    "a bad goal that leaves health": (task_of(f"{{name: BadGoal, {AHEAD}, size: 0.5}}"), False),
    "a bad goal after more food": (
        task_of("{name: GoodGoalMulti, at: [20, 0, 7], size: 2}", FAR, "{name: BadGoal, at: [20, 0, 10], size: 0.5}"),
        False,
    ),
    "a death zone after more food": (
        task_of(
            "{name: GoodGoalMulti, at: [20, 0, 7], size: 2}",
            FAR,
            "{name: DeathZone, at: [20, 0, 12], size: [2, 0, 2]}",
        ),
        False,
    ),
    "a penalty made good, completed": (
        task_of(
            zone("{do: grant_reward, reward: -0.5}, {do: grant_reward, reward: 0.5}, {do: end_episode, reward: 0}")
        ),
        False,
    ),
    "time alone": (task_of(time_limit=2), False),
    "time, with more than nothing": (task_of(FOOD, FAR, time_limit=1, pass_mark=-5), True),
    "time after food": (task_of(f"{{name: GoodGoalMulti, {AHEAD}, size: 3}}", FAR, time_limit=10), True),
}


@pytest.mark.parametrize(("text", "passed"), ENDINGS.values(), ids=ENDINGS)
def test_events_notification_and_world_say_the_same(text: str, passed: bool) -> None:
    world, events = played(text)
    assert world.over and world.passed() is passed
    assert one(events, "finished").details["passed"] is passed
    assert one(events, "notified").details["success"] is passed
    assert End.of(world, "left").passed is passed
    assert bool(world.flags() & PASSED) is passed


@pytest.mark.parametrize(("text", "passed"), ENDINGS.values(), ids=ENDINGS)
def test_the_game_notifies_by_completion_and_mark_alone(text: str, passed: bool) -> None:
    """Branches 2 and 3 of the original's update rule; whether an episode is passed does not depend on the rules."""
    world, events = played(text, rules="2019")
    finished = one(events, "finished").details
    assert world.passed() is finished["passed"] is passed
    mark, total = world.arena.pass_mark, world.animals[0].total
    success = finished["cause"] == "completed" and (mark == 0 or total >= mark)
    assert one(events, "notified").details["success"] is success


def test_the_notification_follows_the_rules_where_completion_and_passing_differ() -> None:
    for name in ("nothing, completed, but time cost something", "a bad goal that leaves health"):
        for rules, success in (("puzzlebox", False), ("4.3", True), ("3.1", True), ("2019", True)):
            _, events = played(ENDINGS[name][0], rules=rules)
            assert one(events, "notified").details["success"] is success, (name, rules)


@pytest.mark.parametrize("rules", ["puzzlebox", "4.3", "3.1", "2019"])
def test_a_bad_goal_merges_in_the_original_only(rules: str) -> None:
    first = task_of(f"{{name: BadGoal, {AHEAD}, size: 0.5}}", merge_next_arena="true")
    world, events = played(f"{first}  - {{time_limit: 1, items: [{AGENT}]}}\n", rules=rules)
    assert [event.kind for event in events].count("merged") == (rules != "puzzlebox")
    assert world.passed() is False


def test_time_never_merges() -> None:
    """An arena is left for the next one by completing it; a return that reaches the mark is not enough."""
    first = task_of(time_limit=1, pass_mark=-5, merge_next_arena="true")
    world, events = played(f"{first}  - {{time_limit: 1, items: [{AGENT}]}}\n")
    assert "merged" not in [event.kind for event in events]
    assert world.passed() is True and world.position == 0


def test_passed_is_unknown_before_the_deciding_event() -> None:
    text = task_of(f"{{name: GoodGoal, {AHEAD}, size: 1}}")
    world = World(parsed(text))
    while world.cause is None:
        assert world.passed() is None and not world.flags() & PASSED
        world.step([FORWARDS])
    assert not world.over, "the end is shown first"
    assert world.passed() is True and world.flags() & PASSED
    # A participant who leaves while the end is shown has finished all the same.
    assert (End.of(world, "left").ended_by, End.of(world, "left").passed) == ("completed", True)


def test_an_arena_that_merges_decides_nothing() -> None:
    first = task_of(f"{{name: GoodGoal, {AHEAD}, size: 1}}", merge_next_arena="true")
    world = World(parsed(f"{first}  - {{time_limit: 100, items: [{AGENT}]}}\n"))
    while world.position == 0:
        assert world.passed() is None
        world.step([FORWARDS])
    assert world.passed() is None and latency_of(world.take_events()) is None


def test_a_failed_physics_step_decides_nothing() -> None:
    world = World(parsed(task_of(f"{{name: GoodGoal, {AHEAD}, size: 1}}")))
    world.body(world.animals[0]).set_linear_velocity((float("nan"), 0.0, 0.0))
    outcome = world.step([NOOP])
    assert outcome.truncated and world.cause == "error" and world.passed() is None


def test_an_animal_whose_episode_another_one_ended_has_not_passed() -> None:
    two = "{name: Agent, at: [10, 0, 5], rotation: 0}, {name: GoodGoal, at: [20, 0, 8], size: 1}"
    world = World(parsed(f"arenas: [{{time_limit: 100, items: [{AGENT}, {two}]}}]"))
    while not world.over:
        outcome = world.step([FORWARDS, NOOP])
        events = outcome.events
    assert [world.passed(animal) for animal in world.animals] == [True, False]
    finished = [event for event in events if event.kind == "finished"]
    assert [(event.animal, event.details["cause"]) for event in finished] == [(0, "completed"), (1, "other")]
    assert len({event.details["latency"] for event in finished}) == 1 and events[-1].kind == "ended"


@pytest.mark.parametrize("episode_end", ["any", "all"])
def test_animals_whose_time_is_up_together_all_finish(episode_end: str) -> None:
    agents = "{name: Agent, at: [10, 0, 5]}, {name: Agent, at: [30, 0, 5], frozen_delay: 0}"
    world = World(parsed(f"arenas: [{{time_limit: 4, episode_end: {episode_end}, items: [{agents}]}}]"))
    events: list[Event] = []
    while not world.over:
        events += world.step([NOOP, NOOP]).events
    finished = [event for event in events if event.kind == "finished"]
    assert [(event.animal, event.details["cause"], event.details["latency"]) for event in finished] == [
        (0, "time", 0.4),
        (1, "time", 0.4),
    ]
    assert [event.kind for event in events].count("ended") == 1 and world.truncated


# --- truncated


def into_a_zone(reward: float) -> tuple[World, list[list[Event]]]:
    """Return an arena where an animal with health for 50 physics steps walks into a zone that gives a reward once."""
    grant = f"{{name: DataZone, at: [20, 0, 9], size: [4, 1, 4], operations: [{{do: grant_reward, reward: {reward}}}]}}"
    world = World(parsed(f"arenas: [{{time_limit: 10, items: [{AGENT}, {grant}]}}]"))
    decisions = []
    while not world.over:
        decisions.append(list(world.step([FORWARDS]).events))
    return world, decisions


def test_truncated_is_the_step_whose_only_cost_was_time() -> None:
    """The zone leaves health for 0 to 8 more physics steps; the decision in which the health ends matters."""
    _, decisions = into_a_zone(-0.001)
    entry = next(event.step for events in decisions for event in events if event.kind == "granted")
    ends = set()
    for left in range(9):
        world, decisions = into_a_zone(-(1 - 0.02 * entry - 0.02 * left) + 0.001)
        rewarded = any(event.kind == "granted" for event in decisions[-1])
        assert (world.truncated, world.terminated) == (not rewarded, rewarded), left
        assert world.cause == ("health" if rewarded else "time")
        ends.add(rewarded)
    assert ends == {True, False}


# --- what learners see


def test_passed_in_info_is_unknown_until_the_end() -> None:
    env = puzzlebox.make("operant", camera=None)
    _, info = env.reset(seed=1)
    assert info["passed"] is None
    env = puzzlebox.make(task_of(f"{{name: GoodGoal, {AHEAD}, size: 1}}").replace("true", "false", 1), camera=None)
    env.reset(seed=1)
    over = False
    while not over:
        *_, terminated, truncated, info = env.step(FORWARDS)
        over = terminated or truncated
        assert (info["passed"] is None) is not over
    assert info["passed"] is True


@pytest.mark.parametrize("autoreset", ["next_step", "same_step"])
def test_the_mask_of_a_vector_shows_where_passed_is_known(autoreset: str) -> None:
    food = "{name: GoodGoal, at: [20, 0, 20], size: 1}"
    text = f"arenas: [{{time_limit: 30, items: [{{name: Agent, at: [20, 0, %s], rotation: 0}}, {food}]}}]"
    envs = puzzlebox.make_vec([text % 17, text % 5], 2, workers=1, camera=None, autoreset=autoreset)
    _, infos = envs.reset(seed=3)
    assert not infos["_passed"].any()
    decided, passed = [0, 0], [0, 0]
    for _ in range(120):
        _, _, terminated, truncated, infos = envs.step(np.full(2, FORWARDS))
        over = terminated | truncated
        if autoreset == "same_step":
            assert not infos["_passed"].any()
            infos = infos.get("final_info", {"_passed": np.zeros(2, bool), "passed": np.zeros(2, bool)})
        assert (infos["_passed"] == over).all()
        for row in np.flatnonzero(over):
            decided[row] += 1
            passed[row] += infos["passed"][row]
    assert passed[0] == decided[0] > 0 and decided[1] > 0
    envs.close()


# --- tables


def run(task: str, longest: int, agent: str = "random") -> list[dict[str, Any]]:
    plan = Plan("r", "arena", (RunTask("t", parsed(task)),), WING.rules(Rules()), 0, longest, False)
    return [row_of(Player(plan).play(Slot("t", 0, agent, number))[0]) for number in range(3)]


def test_a_run_that_was_cut_off_passed_nothing() -> None:
    rows = run(f"arenas: [{{items: [{AGENT}]}}]", longest=300)
    assert [(row["passed"], row["latency"], row["ended_by"]) for row in rows] == [(None, None, "limit")] * 3


def test_the_command_does_not_count_a_cut_off_episode_as_passed(tmp_path: Path) -> None:
    path = tmp_path / "empty.yml"
    path.write_text(f"arenas: [{{items: [{AGENT}]}}]")
    arguments = ["run", str(path), "--agent", "random", "--longest", "300", "-o", str(tmp_path / "r")]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "unknown (1 cut off)" in result.output and "100.0 %" not in result.output


# --- latency


@pytest.mark.parametrize("notice", ["true", "false"])
def test_latency_holds_neither_the_freeze_nor_the_notification(notice: str) -> None:
    food = f"{{name: GoodGoal, {AHEAD}, size: 1}}"
    plain, _ = played(task_of(food).replace("show_notification: true", f"show_notification: {notice}"))
    frozen = task_of(food).replace("rotation: 0", "rotation: 0, frozen_delay: 3")
    world, events = played(frozen.replace("show_notification: true", f"show_notification: {notice}"))
    seconds = world.clock * 0.02
    extra = 2.5 if notice == "true" else 0.0
    assert latency_of(events) == pytest.approx(seconds - 3.0 - extra, abs=0.05)
    assert latency_of(events) == pytest.approx(plain.clock * 0.02 - extra, abs=0.07)


def test_latency_of_merged_arenas_is_the_whole_way_less_every_freeze() -> None:
    food = f"{{name: GoodGoal, {AHEAD}, size: 1}}"
    agent = AGENT.replace("rotation: 0", "rotation: 0, frozen_delay: 1")
    arena = f"{{time_limit: 0, merge_next_arena: true, items: [{agent}, {food}]}}"
    world, events = played(f"arenas: [{arena}, {arena}]")
    assert [event.kind for event in events].count("merged") == 1
    assert latency_of(events) == pytest.approx(world.clock * 0.02 - 2.0)
