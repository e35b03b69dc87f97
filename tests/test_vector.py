"""The native vector environment: the same bytes as single ones whatever runs it, and what Gymnasium expects."""

import copy
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import puzzlebox
from puzzlebox.envs.programme import share, tasks_of
from puzzlebox.envs.vector import ArenaVectorEnv
from test_envs import FORAGING, THREE, TWO_AGENTS

LIGHT: dict[str, Any] = {"camera": None, "rays": 3}
FULL: dict[str, Any] = {"camera": 16, "rays": 3}
OTHER = "arenas: [{id: 9, time_limit: 4, items: [{name: GoodGoal, size: 1}, {name: LightBlock}]}]"
SHARED = ("arena", "passed", "episode_return", "health", "lights", "error")
workers = pytest.mark.parametrize("workers", [0, 1, 2])


def actions(envs: int, steps: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 9, (steps, envs))


def equal(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> bool:
    return a.keys() == b.keys() and all(a[key].tobytes() == b[key].tobytes() for key in a)


@workers
def test_byte_for_byte_as_single_environments(workers: int) -> None:
    count, tasks = 5, tasks_of([THREE, OTHER])
    singles = [puzzlebox.make(share(tasks, index, count), **FULL) for index in range(count)]
    envs = puzzlebox.make_vec([THREE, OTHER], num_envs=count, workers=workers, **FULL)
    assert envs.workers == workers
    observations, infos = envs.reset(seed=7)
    firsts = [single.reset(seed=7 + index) for index, single in enumerate(singles)]
    over = [False] * count
    for index, (first, info) in enumerate(firsts):
        assert equal(first, {name: part[index] for name, part in observations.items()})
        assert infos["events"][index] == info["events"]
    for row in actions(count, 50):
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
    envs.close()


def test_as_gymnasiums_own_vector() -> None:
    ours = puzzlebox.make_vec(THREE, num_envs=3, workers=0, **LIGHT)
    theirs = SyncVectorEnv([lambda: puzzlebox.make(THREE, **LIGHT)] * 3)
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    a, b = ours.reset(seed=3), theirs.reset(seed=3)
    for row in actions(3, 40):
        assert equal(a[0], b[0])
        assert a[-1].keys() == b[-1].keys()
        for key in a[-1]:
            assert a[-1][key].dtype == b[-1][key].dtype, key
            assert a[-1][key].tolist() == b[-1][key].tolist()
        a, b = ours.step(row), theirs.step(row)
        assert all(np.array_equal(x, y) for x, y in zip(a[1:4], b[1:4], strict=True))


@workers
def test_the_next_episode_in_the_same_step(workers: int) -> None:
    ours = puzzlebox.make_vec(THREE, num_envs=3, workers=workers, autoreset=AutoresetMode.SAME_STEP, **LIGHT)
    assert puzzlebox.make_vec(THREE, workers=0, autoreset="same_step", **LIGHT).metadata == ours.metadata
    make = [lambda: puzzlebox.make(THREE, **LIGHT)] * 3
    theirs = SyncVectorEnv(make, autoreset_mode=AutoresetMode.SAME_STEP)
    assert ours.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    ours.reset(seed=3), theirs.reset(seed=3)
    ends = 0
    for row in actions(3, 40):
        a, b = ours.step(row), theirs.step(row)
        assert equal(a[0], b[0])
        assert all(np.array_equal(x, y) for x, y in zip(a[1:4], b[1:4], strict=True))
        assert ("final_obs" in a[4]) == ("final_obs" in b[4]) == bool(np.any(a[2] | a[3]))
        for index in np.flatnonzero(a[2] | a[3]):
            ends += 1
            mine, his = (
                infos["final_obs"]["rays"][index]
                if isinstance(infos["final_obs"], dict)
                else infos["final_obs"][index]["rays"]
                for infos in (a[4], b[4])
            )
            assert np.array_equal(mine, his)
            assert a[4]["final_info"]["episode_return"][index] == b[4]["final_info"]["episode_return"][index]
    assert ends > 3
    ours.close()


def test_through_gymnasium() -> None:
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


def test_branches() -> None:
    envs = puzzlebox.make_vec(FORAGING, num_envs=2, workers=0, actions="branches", **LIGHT)
    plain = puzzlebox.make_vec(FORAGING, num_envs=2, workers=0, **LIGHT)
    envs.reset(seed=0), plain.reset(seed=0)
    assert equal(envs.step(np.array([[1, 2], [2, 0]]))[0], plain.step(np.array([5, 6]))[0])


def test_the_pattern_of_the_readme() -> None:
    envs = puzzlebox.make_vec("operant-curriculum/*", num_envs=7, workers=0, **LIGHT)
    envs.reset(seed=0)
    expected = [tasks_of("operant-curriculum/*")[index % 5] for index in range(7)]
    assert [world.task for world in envs.get_attr("world")] == expected


@workers
def test_tasks_and_arenas_can_be_changed(workers: int) -> None:
    envs = puzzlebox.make_vec(FORAGING, num_envs=3, workers=workers, **LIGHT)
    assert envs.reset(options={"task": [OTHER, THREE]})[1]["arena"].tolist() == [9, 0, 9]
    assert envs.reset()[1]["arena"].tolist() == [0, 9, 0]
    assert envs.reset(options={"task": THREE, "arena": 7})[1]["arena"].tolist() == [7, 7, 7]
    with pytest.raises(ValueError, match="there is no arena 5; the task has 0, 4, 7"):
        envs.reset(options={"arena": 5})
    assert envs.reset(seed=[1, None, 3])[1]["arena"].tolist() == [0, 0, 0]
    envs.close()


@workers
def test_questions_to_all(workers: int) -> None:
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
    ("asked", "said"),
    [
        ({"num_envs": 0}, "num_envs is 0; it must be a whole number, 1 or more"),
        ({"workers": -1}, "workers is -1; it must be a whole number, 0 or more"),
        ({"workers": 1.5}, "workers is 1.5"),
        ({"autoreset": "same"}, "autoreset is 'same'; did you mean `same_step`?"),
        ({"autoreset": AutoresetMode.DISABLED}, "autoreset is 'disabled'; allowed: next_step, same_step"),
        ({"num_env": 2}, "there is no setting `num_env`; did you mean `num_envs`?"),
        ({"wokers": 2}, "there is no setting `wokers`; did you mean `workers`?"),
        ({"rays": 2}, "rays is 2; it must be an odd number"),
        ({"render_mode": "human"}, "render_mode is 'human'"),
    ],
    ids=str,
)
def test_bad_settings_get_one_sentence(asked: dict[str, Any], said: str) -> None:
    with pytest.raises((ValueError, TypeError)) as problem:
        puzzlebox.make_vec(FORAGING, **{"num_envs": 2, "camera": None, **asked})
    assert said in str(problem.value)
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


def test_bad_seeds_and_no_episode() -> None:
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
    with pytest.raises(TypeError, match="there is no option `tsak`; did you mean `task`"):
        envs.reset(options={"tsak": FORAGING})


def test_closing_ends_the_processes() -> None:
    envs = puzzlebox.make_vec(FORAGING, num_envs=2, workers=2, **LIGHT)
    processes = list(envs._many._processes)  # type: ignore[union-attr]
    envs.reset(seed=0)
    envs.close()
    envs.close()
    assert [process.exitcode for process in processes] == [0, 0]
    with pytest.raises(RuntimeError, match="the vector is closed"):
        envs.reset()


def test_a_worker_that_dies_is_named() -> None:
    envs = puzzlebox.make_vec(FORAGING, num_envs=4, workers=2, **LIGHT)
    envs.reset(seed=0)
    os.kill(envs._many._processes[1].pid, signal.SIGKILL)  # type: ignore[union-attr]
    with pytest.raises(RuntimeError, match=r"the worker of environments 2 to 3 ended unexpectedly \(exit code -9\)"):
        for _ in range(3):
            envs.step(np.zeros(4, np.int64))
    with pytest.raises(RuntimeError, match="the vector is closed"):
        envs.step(np.zeros(4, np.int64))


def test_a_script_needs_no_guard(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import puzzlebox\n"
        "print('once')\n"
        "envs = puzzlebox.make_vec('foraging', num_envs=2, workers=2, camera=None)\n"
        "print(envs.reset(seed=0)[0]['vitals'].shape)\n"
    )
    said = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=60)
    assert said.stdout.splitlines() == ["once", "(2, 7)"]
    assert said.stderr == ""
