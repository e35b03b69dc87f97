"""The native vector environment: the same bytes as single ones with any number of workers, and Gymnasium's rules."""

import copy
import errno
import gc
import os
import signal
import subprocess
import sys
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import puzzlebox
from puzzlebox.arena.envs.schedule import share
from puzzlebox.arena.envs.sources import tasks_of
from puzzlebox.arena.envs.vector import ArenaVectorEnv
from puzzlebox.arena.world import Outcome, World
from puzzlebox.batteries import bundled_names
from test_envs import FORAGING, THREE, TWO_AGENTS
from test_world_fuzz import Plan

LIGHT: dict[str, Any] = {"camera": None, "rays": 3}
FULL: dict[str, Any] = {"camera": 16, "rays": 3}
OTHER = "arenas: [{id: 9, time_limit: 4, items: [{name: GoodGoal, size: 1}, {name: LightBlock}]}]"
VARIED = """
vary: {size: [1, 1.5]}
arenas: [{time_limit: 4, items: [{name: GoodGoal, size: $size}]}]
"""
SHARED = ("task", "arena", "episode_return", "health", "lights", "error")
workers = pytest.mark.parametrize("workers", [0, 2, pytest.param(3, marks=pytest.mark.slow)])


def actions(envs: int, steps: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 9, (steps, envs))


def equal(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> bool:
    return a.keys() == b.keys() and all(a[key].tobytes() == b[key].tobytes() for key in a)


def check_equal_episodes(envs: ArenaVectorEnv, singles: list[Any], rows: np.ndarray, seed: int) -> None:
    """Check that a vector and single environments return the same from the first step on."""
    observations, infos = envs.reset(seed=seed)
    for index, single in enumerate(singles):
        first, info = single.reset(seed=seed + index)
        assert equal(first, {name: part[index] for name, part in observations.items()})
        assert infos["events"][index] == info["events"]
    over = [False] * len(singles)
    for row in rows:
        observations, rewards, terminations, truncations, infos = envs.step(row)
        for index, single in enumerate(singles):
            if over[index]:
                observation, info = single.reset()
                expected: tuple[Any, ...] = (observation, 0.0, False, False, info)
            else:
                expected = single.step(int(row[index]))
            observation, reward, terminated, truncated, info = expected
            over[index] = terminated or truncated
            assert equal(observation, {name: part[index] for name, part in observations.items()})
            assert (rewards[index], terminations[index], truncations[index]) == (reward, terminated, truncated)
            assert all(infos[name][index] == info[name] for name in (*SHARED, "events", "ray_tags"))
            for name in ("passed", "latency"):
                assert (infos[name][index] if infos[f"_{name}"][index] else None) == info[name]


@workers
def test_a_vector_equals_single_environments_byte_for_byte(workers: int) -> None:
    number, tasks = 5, tasks_of([THREE, OTHER])
    singles = [puzzlebox.make(share(tasks, index, number), **FULL) for index in range(number)]
    envs = puzzlebox.make_vec([THREE, OTHER], num_envs=number, workers=workers, **FULL)
    assert envs.workers == max(1, workers)
    check_equal_episodes(envs, singles, actions(number, 50), seed=7)
    envs.close()


@pytest.mark.parametrize("rules", ["puzzlebox", "3.1"])
def test_cruises_equal_ordinary_steps(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every bundled task, mostly straight ahead, so that animals meet things: zones, lights, buttons."""
    met = []
    resume = World.resume

    def counted(world: World, stretch: Any) -> Outcome:
        outcome = resume(world, stretch)
        met.extend(event.kind for event in outcome.events)
        return outcome

    monkeypatch.setattr(World, "resume", counted)
    rng, cruised = np.random.default_rng(3), 0
    for name in bundled_names():
        try:
            envs = puzzlebox.make_vec(name, num_envs=2, workers=1, rules=rules, **FULL)
        except ValueError as problem:
            assert "several agents" in str(problem)
            continue
        check_equal_episodes(
            envs, [puzzlebox.make(name, rules=rules, **FULL) for _ in range(2)], _onwards(rng, 90), seed=5
        )
        cruised += sum(cruise is not None for cruise in envs._workers._own._cruises)
        envs.close()
    assert cruised > 40 and {"collected", "entered", "ended"} <= set(met)


@pytest.mark.parametrize("number", range(int(os.environ.get("PUZZLEBOX_FUZZ_VECTORS", "12"))))
def test_random_arenas_equal_single_environments(number: int) -> None:
    plans = (Plan.draw(71, 1000 * number + again) for again in count())
    plan = next(each for each in plans if all(len(arena.agents()) <= 1 for arena in each.task.arenas))
    settings = {"rules": plan.rules, **FULL}
    envs = puzzlebox.make_vec(plan.task, num_envs=2, workers=1, **settings)
    rows = np.array([actions * 2 for actions in plan.actions])[:200]
    check_equal_episodes(envs, [puzzlebox.make(plan.task, **settings) for _ in range(2)], rows, plan.seed % 1000)
    envs.close()


def _onwards(rng: np.random.Generator, steps: int) -> np.ndarray:
    """Return actions of two animals that walk straight ahead except for some turns."""
    return np.where(rng.random((steps, 2)) < 0.8, 3, rng.integers(0, 9, (steps, 2)))


def same(a: Any, b: Any) -> bool:
    """Return whether two infos are equal, in arrays of the same type."""
    if isinstance(a, dict):
        # Gymnasium has no array for values that may be unknown: its type is that of the first value.
        if "passed" in a and not np.array_equal(a["passed"] & a["_passed"], b["passed"] == True):  # noqa: E712
            return False
        rest = [key for key in a if key.removeprefix("_") not in ("passed", "latency")]
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[key], b[key]) for key in rest)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype == object:
        return all(equal(x, y) if isinstance(x, dict) else x == y for x, y in zip(a, b, strict=True))
    return bool(np.array_equal(a, b))


@pytest.mark.parametrize("workers", [0, 2, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("segments", [True, False])  # with segments there are no cruises
def test_a_vector_equals_gymnasiums_vector(segments: bool, mode: AutoresetMode, workers: int) -> None:
    settings = {**LIGHT, "segments": segments, "camera": 8}
    ours = puzzlebox.make_vec(THREE, num_envs=3, workers=workers, autoreset=mode, **settings)
    theirs = SyncVectorEnv([lambda: puzzlebox.make(THREE, **settings)] * 3, autoreset_mode=mode)
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.metadata["render_modes"] == ["rgb_array"]
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"] == mode
    a, b = ours.reset(seed=3), theirs.reset(seed=3)
    assert equal(a[0], b[0])
    assert same(a[1], b[1])
    ends = 0
    for row in actions(3, 40):
        a, b = ours.step(row), theirs.step(row)
        assert equal(a[0], b[0])
        assert all(np.array_equal(x, y) for x, y in zip(a[1:4], b[1:4], strict=True))
        assert same(a[4], b[4])
        over = a[2] | a[3]
        ends += over.sum()
        if mode == AutoresetMode.DISABLED and over.any():
            first, second = ours.reset(options={"reset_mask": over}), theirs.reset(options={"reset_mask": over.copy()})
            assert equal(first[0], second[0])
            assert same(first[1], second[1])
    assert ends > 3
    ours.close()


@workers
def test_some_can_be_reset_while_others_continue(workers: int) -> None:
    envs = puzzlebox.make_vec(THREE, num_envs=3, workers=workers, **LIGHT)
    theirs = SyncVectorEnv([lambda: puzzlebox.make(THREE, **LIGHT)] * 3)
    some = np.array([False, True, True])
    with pytest.raises(ResetNeeded, match="no episode is under way"):
        envs.reset(options={"reset_mask": some})
    envs.reset(seed=0), theirs.reset(seed=0)
    for row in actions(3, 5):
        envs.step(row), theirs.step(row)
    options = {"reset_mask": some, "arena": 4}
    a, b = envs.reset(seed=[1, 2, 3], options=options), theirs.reset(seed=[1, 2, 3], options=dict(options))
    assert options == {"reset_mask": some, "arena": 4}
    assert equal(a[0], b[0])
    assert same(a[1], b[1])
    assert [world.clock > 0 for world in envs.get_attr("world")] == [True, False, False]
    for row in actions(3, 20):
        assert equal(envs.step(row)[0], theirs.step(row)[0])
    envs.close()


def test_nothing_begins_by_itself_when_disabled() -> None:
    envs = puzzlebox.make_vec(OTHER, num_envs=2, workers=0, autoreset="disabled", **LIGHT)
    envs.reset(seed=0)
    still = np.zeros(2, np.int64)
    steps = next(step for step in range(100) if np.any(envs.step(still)[3]))
    clocks = [world.clock for world in envs.get_attr("world")]
    assert steps > 3
    for _ in range(2):
        with pytest.raises(ResetNeeded, match="the episode of environment 0 is over; call reset with a reset_mask"):
            envs.step(still)
    assert [world.clock for world in envs.get_attr("world")] == clocks
    envs.reset()
    envs.step(still)


@pytest.mark.parametrize("wrong", [[True, False], np.ones(3, np.bool_), np.ones(2), np.zeros(2, np.bool_)])
def test_bad_masks_reach_no_environment(wrong: Any) -> None:
    envs = puzzlebox.make_vec(FORAGING, num_envs=2, workers=0, **LIGHT)
    envs.reset(seed=0)
    envs.step(np.zeros(2, np.int64))
    with pytest.raises(ValueError, match=r"reset_mask (is|has no environment)"):
        envs.reset(options={"reset_mask": wrong})
    assert [world.clock for world in envs.get_attr("world")] == [3, 3]


def test_gymnasiums_make_vec_returns_our_vector() -> None:
    envs = gym.make_vec(
        "puzzlebox/Arena-v1", num_envs=2, vectorization_mode="vector_entry_point", task=FORAGING, workers=0, **LIGHT
    )
    assert isinstance(envs, ArenaVectorEnv)
    envs = gym.wrappers.vector.RecordEpisodeStatistics(envs)
    observations, _ = envs.reset(seed=0)
    assert observations["rays"].shape == (2, 60)
    assert observations in envs.observation_space
    envs.step(envs.action_space.sample())
    for mode in ("sync", "async"):
        slow = gym.make_vec("puzzlebox/Arena-v1", num_envs=2, vectorization_mode=mode, task=FORAGING, **LIGHT)
        assert equal(slow.reset(seed=0)[0], observations)
        slow.close()


def test_a_vector_accepts_branches_as_actions() -> None:
    envs = puzzlebox.make_vec(FORAGING, num_envs=2, workers=0, actions="branches", **LIGHT)
    plain = puzzlebox.make_vec(FORAGING, num_envs=2, workers=0, **LIGHT)
    envs.reset(seed=0), plain.reset(seed=0)
    assert equal(envs.step(np.array([[1, 2], [2, 0]]))[0], plain.step(np.array([5, 6]))[0])


def test_tasks_of_a_pattern_are_dealt_to_the_environments() -> None:
    envs = puzzlebox.make_vec("operant-curriculum/*", num_envs=7, workers=0, **LIGHT)
    envs.reset(seed=0)
    expected = [tasks_of("operant-curriculum/*")[index % 5].task for index in range(7)]
    assert [world.task for world in envs.get_attr("world")] == expected


@workers
def test_tasks_and_arenas_can_be_changed(workers: int) -> None:
    envs = puzzlebox.make_vec(FORAGING, num_envs=3, workers=workers, **LIGHT)
    assert envs.reset(options={"task": [OTHER, THREE]})[1]["arena"].tolist() == [9, 0, 9]
    assert envs.reset()[1]["arena"].tolist() == [0, 9, 0]
    assert envs.reset(options={"task": THREE, "arena": 7})[1]["arena"].tolist() == [7, 7, 7]
    with pytest.raises(ValueError, match="there is no arena 5; the task has arenas 0, 4, 7"):
        envs.reset(options={"arena": 5})
    assert envs.reset(seed=[1, None, 3])[1]["arena"].tolist() == [0, 0, 0]
    envs.close()


@workers
def test_an_arena_only_some_have_is_refused_before_any_begins(workers: int) -> None:
    envs = puzzlebox.make_vec([THREE, OTHER], num_envs=4, workers=workers, **LIGHT)
    envs.reset(seed=0)
    envs.step(np.zeros(4, np.int64))
    before = [(world.seed, world.clock) for world in envs.get_attr("world")]
    for options in ({"arena": 4}, {"arena": 4, "task": [THREE, OTHER]}):
        with pytest.raises(ValueError) as problem:
            envs.reset(options=options)
        assert str(problem.value) == "environment 1: there is no arena 4; the task has only arena 9; none was reset"
        assert [(world.seed, world.clock) for world in envs.get_attr("world")] == before
    envs.step(np.zeros(4, np.int64))
    mask = np.array([True, False, True, False])
    assert envs.reset(options={"arena": 4, "reset_mask": mask})[1]["arena"].tolist() == [4, 0, 4, 0]
    # With a seed an environment starts over with its first task, without one it plays the next.
    turns = puzzlebox.make_vec([THREE, OTHER], num_envs=1, workers=0, **LIGHT)
    turns.reset(seed=0)
    with pytest.raises(ValueError, match="environment 0: there is no arena 7; the task has only arena 9; none"):
        turns.reset(options={"arena": 7})
    assert turns.reset(seed=0, options={"arena": 7})[1]["arena"].tolist() == [7]
    envs.close()


@workers
def test_attributes_and_calls_reach_all_environments(workers: int) -> None:
    envs = puzzlebox.make_vec(FORAGING, num_envs=3, workers=workers, **LIGHT)
    envs.reset(seed=5)
    assert [snapshot.record.seed for snapshot in envs.call("snapshot")] == [5, 6, 7]
    assert envs.get_attr("render_mode") == (None, None, None)
    envs.set_attr("note", [1, 2, 3])
    assert envs.get_attr("note") == (1, 2, 3)
    envs.set_attr("note", "same")
    assert envs.get_attr("note") == ("same",) * 3
    with pytest.raises(ValueError, match="there are 3 environments and 2 values"):
        envs.set_attr("note", [1, 2])
    with pytest.raises(TypeError, match="a vector can be neither copied nor pickled"):
        copy.deepcopy(envs)
    with pytest.raises(AttributeError, match="nonsense"):
        envs.call("nonsense")
    envs.step(np.zeros(3, np.int64))
    envs.close()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"num_envs": 0}, "num_envs is 0; it must be a whole number, 1 or more"),
        ({"workers": -1}, "workers is -1; it must be a whole number, 0 or more"),
        ({"workers": 1.5}, "workers is 1.5"),
        ({"autoreset": "same"}, "allowed: next_step, same_step, disabled; did you mean `same_step`?"),
        ({"autoreset": "never"}, "autoreset is 'never'; allowed: next_step, same_step, disabled"),
        ({"num_env": 2}, "there is no setting `num_env`; did you mean `num_envs`?"),
        ({"wokers": 2}, "there is no setting `wokers`; did you mean `workers`?"),
        ({"rays": 2}, "rays is 2; it must be an odd number"),
        ({"render_mode": "human"}, "render_mode is 'human'; allowed: rgb_array"),
        ({"rendermode": "rgb_array"}, "there is no setting `rendermode`; did you mean `render_mode`?"),
    ],
    ids=str,
)
def test_bad_settings_get_one_sentence(settings: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError)) as problem:
        puzzlebox.make_vec(FORAGING, **{"num_envs": 2, "camera": None, **settings})
    assert message in str(problem.value)
    assert "\n" not in str(problem.value)


def test_bad_tasks_get_one_sentence() -> None:
    with pytest.raises(ValueError, match=r"arena 3 has 2 agents; use puzzlebox.make_parallel"):
        puzzlebox.make_vec([FORAGING, TWO_AGENTS], num_envs=2, camera=None)
    with pytest.raises(FileNotFoundError, match="fits nothing"):
        puzzlebox.make_vec("nothing-*", num_envs=2, camera=None)


@pytest.mark.parametrize(
    "wrong", [np.zeros(3, np.int64), np.zeros((2, 2), np.int64), np.zeros(2), [9, 0], [0, -1], [1, [2]]]
)
def test_bad_actions_reach_no_environment(wrong: Any) -> None:
    envs = puzzlebox.make_vec(FORAGING, num_envs=2, workers=0, **LIGHT)
    envs.reset(seed=0)
    with pytest.raises(ValueError, match=r"actions have shape|is not an action"):
        envs.step(wrong)
    assert [world.clock for world in envs.get_attr("world")] == [0, 0]


def test_bad_seeds_and_a_step_before_reset_are_refused() -> None:
    envs = puzzlebox.make_vec(FORAGING, num_envs=2, workers=0, **LIGHT)
    with pytest.raises(ResetNeeded):
        envs.step(np.zeros(2, np.int64))
    with pytest.raises(ValueError, match="there are 2 environments and 3 seeds"):
        envs.reset(seed=[1, 2, 3])
    for wrong in (-1, 1.5, "ab", ["a", "b"], [0, -1]):
        with pytest.raises(ValueError, match="it must be a whole number, 0 or more"):
            envs.reset(seed=wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="options is 'task'; it must be a dictionary"):
        envs.reset(options="task")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="no option `tsak`; allowed: task, arena, reset_mask; did you mean `task`"):
        envs.reset(options={"tsak": FORAGING})


def test_episodes_leave_no_cycles_for_a_worker_to_collect() -> None:
    """Workers hardly ever collect garbage, so that episodes must not leave any that only a collection would free."""
    vector = puzzlebox.make_vec(["examples/*", "testbed/08-0?-1"], 4, workers=1, max_episode_steps=10)
    vector.reset(seed=0)
    actions = np.random.default_rng(0).integers(0, 9, (300, 4))
    for row in actions[:100]:
        vector.step(row)
    gc.collect()
    gc.disable()
    try:
        for row in actions[100:]:
            vector.step(row)
        assert gc.collect() < 100
    finally:
        gc.enable()
        vector.close()


def test_closing_ends_the_processes() -> None:
    envs = puzzlebox.make_vec(FORAGING, num_envs=3, workers=3, **LIGHT)
    processes = list(envs._workers._processes)
    envs.reset(seed=0)
    envs.close()
    envs.close()
    assert [process.exitcode for process in processes] == [0, 0]
    with pytest.raises(RuntimeError, match="the vector is closed"):
        envs.reset()


def test_a_worker_that_dies_is_named() -> None:
    envs = puzzlebox.make_vec(FORAGING, num_envs=4, workers=2, **LIGHT)
    envs.reset(seed=0)
    os.kill(envs._workers._processes[0].pid, signal.SIGKILL)
    with pytest.raises(RuntimeError, match=r"the worker of environments 2 to 3 ended unexpectedly \(exit code -9\)"):
        for _ in range(3):
            envs.step(np.zeros(4, np.int64))
    with pytest.raises(RuntimeError, match="the vector is closed"):
        envs.step(np.zeros(4, np.int64))


def test_a_vector_left_open_closes_each_handle_once() -> None:
    """A failed step leaves the vector in a cycle with its exception, which is collected in any order."""
    program = """
import gc, os, puzzlebox
from multiprocessing import active_children
held = [puzzlebox.make_vec("foraging", num_envs=2, workers=2, camera=None, rays=3)]
held[0].metadata = {"itself": held[0]}
connection = held[0]._workers._connections[0]
handle = connection.fileno()
# The collector moves what only a container holds behind what a variable holds: the connection then ends first.
gc.collect()
gc.collect()
del held, connection
gc.collect()
try:
    os.fstat(handle)
except OSError as error:
    print(error.errno, active_children())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout.split() == [str(errno.EBADF), "[]"]


@pytest.mark.parametrize("where", ["acting", "waiting", "send_bytes", "_send", "recv_bytes", "_recv"])
def test_an_interrupted_step_leaves_no_answers_behind(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt while a message is sent or received must not leave part of it in the pipe."""
    envs = puzzlebox.make_vec(THREE, num_envs=4, workers=2, **LIGHT)
    fresh = puzzlebox.make_vec(THREE, num_envs=4, workers=0, **LIGHT)
    envs.reset(seed=0)

    def interrupt(*_: Any) -> None:
        signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        if where == "acting":
            patch.setattr(envs._workers._own, "step", interrupt)
        elif where == "waiting":
            patch.setattr(envs._workers, "_receivers", [interrupt])
        else:
            patch.setattr(Connection, where, call_after(getattr(Connection, where), interrupt))
        with pytest.raises(KeyboardInterrupt):
            envs.step(np.zeros(4, np.int64))
    with pytest.raises(ResetNeeded, match="no episode is under way"):
        envs.step(np.zeros(4, np.int64))
    assert len(envs.get_attr("world")) == 4
    a, b = envs.reset(seed=1), fresh.reset(seed=1)
    assert equal(a[0], b[0])
    for row in actions(4, 5):
        assert equal(envs.step(row)[0], fresh.step(row)[0])
    envs.close()


def call_after(function: Any, by: Any) -> Any:
    """Return a function that calls `function`, then `by`."""

    def both(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        by()
        return result

    return both


def test_a_reply_that_could_not_be_read_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    envs = puzzlebox.make_vec(THREE, num_envs=2, workers=2, **LIGHT)
    envs.reset(seed=0)
    with monkeypatch.context() as patch:
        patch.setattr("pickle.loads", lambda *_: signal.raise_signal(signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            envs.get_attr("settings")
    assert len(envs.get_attr("settings")) == 2
    envs.close()


def test_a_signal_that_breaks_a_message_closes_the_vector(monkeypatch: pytest.MonkeyPatch) -> None:
    envs = puzzlebox.make_vec(THREE, num_envs=2, workers=2, **LIGHT)
    envs.reset(seed=0)

    def too_late(*_: Any) -> None:
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(Connection, "recv_bytes", too_late)
        with pytest.raises(SystemExit):
            envs.step(np.zeros(2, np.int64))
    with pytest.raises(RuntimeError, match="the vector is closed"):
        envs.reset(seed=0)


def test_final_infos_hold_the_drawn_values(tmp_path: Path) -> None:
    """Drawn values of any type are kept; without a template there is no `variation`."""
    file = tmp_path / "some.yml"
    file.write_text(VARIED)
    envs = puzzlebox.make_vec([file, OTHER], num_envs=8, workers=2, autoreset="same_step", **LIGHT)
    _, infos = envs.reset(seed=0)
    drawn = infos["variation"]
    assert infos["_variation"].tolist() == [True, False] * 4
    assert {type(each["size"]) for each in drawn if each} == {int, float}
    for _ in range(20):
        _, _, terminated, truncated, infos = envs.step(np.zeros(8, np.int64))
        over = terminated | truncated
        if over.any():
            final = infos["final_info"]
            assert final.get("_variation", np.zeros(8, bool)).tolist() == (over & [True, False] * 4).tolist()
            assert all(final["variation"][row] == drawn[row] for row in np.flatnonzero(over) if row % 2 == 0)
            drawn = infos["variation"]
    envs.close()


@pytest.mark.parametrize("mode", ["next_step", "disabled"])
def test_an_ended_episode_continues_after_restore(mode: str) -> None:
    envs = puzzlebox.make_vec(OTHER, num_envs=2, workers=2, autoreset=mode, **LIGHT)
    envs.reset(seed=0)
    still = np.zeros(2, np.int64)
    envs.step(still)
    (snapshot, _) = envs.call("snapshot")
    while not envs.step(still)[3].all():
        pass
    envs.call("restore", snapshot)
    clock = envs.get_attr("world")[0].clock
    assert not envs.step(still)[3].any()
    assert [world.clock for world in envs.get_attr("world")] == [clock + 3] * 2
    envs.close()


def test_a_script_needs_no_guard(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import puzzlebox\n"
        "print('once')\n"
        "envs = puzzlebox.make_vec('foraging', num_envs=2, workers=2, camera=None)\n"
        "print(envs.reset(seed=0)[0]['vitals'].shape)\n"
    )
    process = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=60)
    assert process.stdout.splitlines() == ["once", "(2, 7)"]
    assert process.stderr == ""
