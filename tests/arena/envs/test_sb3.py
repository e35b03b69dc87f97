"""The vector for Stable-Baselines3: the same bytes as its own vectors, under its wrappers and learners."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import puzzlebox
from puzzlebox.arena.envs.schedule import share
from puzzlebox.arena.envs.sources import tasks_of
from test_envs import FORAGING, THREE, same
from test_vector import OTHER, VARIED, actions

if TYPE_CHECKING:
    from stable_baselines3.common.vec_env import DummyVecEnv

SENSES: dict[str, Any] = {"camera": 36, "rays": 3, "max_episode_steps": 8}


def theirs(tasks: Any, count: int, **settings: Any) -> "DummyVecEnv":
    """Return the same environments in Stable-Baselines3's own vector."""
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import DummyVecEnv

    shares = [share(tasks_of(tasks), index, count) for index in range(count)]
    return DummyVecEnv([lambda own=own: Monitor(puzzlebox.make(own, **settings)) for own in shares])  # type: ignore[misc]


def like(ours: dict[str, Any], their: dict[str, Any]) -> bool:
    """Return whether everything in their `info` is in ours."""
    for name, value in their.items():
        if name == "terminal_observation":
            assert same(ours[name], value)
        elif name == "episode":
            assert ours[name]["r"] == pytest.approx(value["r"])
            assert ours[name]["l"] == value["l"]
        else:
            assert ours[name] == value, name
    return True


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("settings", [SENSES, {"camera": None, "segments": False}, {"camera": 8, "segments": True}])
def test_make_sb3_equals_stable_baselines_own_vector(settings: dict[str, Any], workers: int) -> None:
    tasks = [THREE, OTHER, VARIED]
    a, b = puzzlebox.make_sb3(tasks, 4, workers=workers, **settings), theirs(tasks, 4, **settings)
    assert a.observation_space == b.observation_space
    assert a.action_space == b.action_space
    a.seed(3), b.seed(3)
    assert same(a.reset(), b.reset())  # type: ignore[arg-type]
    assert all(map(like, a.reset_infos, b.reset_infos))
    ends = 0
    for row in actions(4, 40):
        one, two = a.step(row), b.step(row)
        assert same(one[0], two[0])
        assert one[1].dtype == two[1].dtype == np.float32
        assert np.array_equal(one[1], two[1]) and np.array_equal(one[2], two[2])
        assert all(map(like, one[3], two[3]))
        assert all(map(like, a.reset_infos, b.reset_infos))
        ends += one[2].sum()
        for done, info in zip(one[2], one[3], strict=True):
            assert done == ("episode" in info)
            if done:
                assert info["is_success"] == info["passed"] == info["episode"]["passed"]
                assert info["episode"]["task"] == info["task"]
                assert info["episode"]["latency"] == info["latency"]
    assert ends > 6
    a.close()


def test_seeds_and_options_are_used_once() -> None:
    envs = puzzlebox.make_sb3(THREE, 2, workers=1, camera=None)
    envs.seed(5)
    envs.set_options([{"arena": 7}, {"task": OTHER}])
    first = envs.reset()
    assert [info["arena"] for info in envs.reset_infos] == [7, 9]
    assert [world.seed for world in envs.get_attr("world")] == [5, 6]
    assert not same(envs.reset(), first)
    assert [info["arena"] for info in envs.reset_infos] == [0, 9]
    envs.set_options({"arena": 5})
    with pytest.raises(ValueError, match="environment 0: there is no arena 5"):
        envs.reset()


@pytest.mark.parametrize("workers", [1, 3])
def test_calls_and_attributes_reach_the_chosen_environments(workers: int) -> None:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecMonitor

    envs = puzzlebox.make_sb3(FORAGING, 3, workers=workers, camera=None, render_mode="rgb_array")
    envs.seed(5)
    envs.reset()
    assert [each.record.seed for each in envs.env_method("snapshot", indices=[2, 0])] == [7, 5]
    assert [each.record.seed for each in envs.env_method("snapshot", indices=-1)] == [7]
    envs.set_attr("note", 4, indices=1)
    assert envs.get_attr("note", 1) == [4]
    assert envs.has_attr("snapshot") and not envs.has_attr("nonsense")
    assert callable(envs.get_attr("snapshot", 0)[0])
    with pytest.raises(AttributeError, match="note"):
        envs.get_attr("note", [0])
    assert envs.env_is_wrapped(Monitor) == [True] * 3
    assert envs.env_is_wrapped(VecMonitor, indices=[0]) == [False]  # type: ignore[arg-type]
    picture = envs.render()
    assert picture is not None and picture.shape == (1024, 1024, 3)
    envs.step(np.zeros(3, np.int64))
    envs.close()


def one_arena(**settings: Any) -> Any:
    return puzzlebox.make_sb3(THREE, 2, workers=1, camera=None, **settings)


@pytest.mark.parametrize("indices", [5, -3, "x", 1.5, [0, 2], [0, "x"], True])
def test_invalid_indices_are_refused(indices: Any) -> None:
    with pytest.raises((TypeError, IndexError), match=r"indices is .*; it must be .* from 0 to 1"):
        one_arena().get_attr("settings", indices)


@pytest.mark.parametrize("indices", [None, 1, [1, 0], range(2), np.int64(1), np.array([0, 1]), -1])
def test_valid_indices_are_accepted(indices: Any) -> None:
    assert all(each.camera is None for each in one_arena().get_attr("settings", indices))


@pytest.mark.parametrize("seed", ["x", -1, 1.5, True])
def test_seeds_are_whole_numbers(seed: Any) -> None:
    with pytest.raises(ValueError, match=r"the seed is .*; it must be a whole number, 0 or more"):
        one_arena().seed(seed)


@pytest.mark.parametrize("options", [[1], [1, 2], 3, "ab", [{}], [{}, {}, {}]])
def test_options_are_a_dictionary_or_one_each(options: Any) -> None:
    with pytest.raises(TypeError, match=r"options is .*; it must be a dictionary, or a list of 2 of them"):
        one_arena().set_options(options)


def test_no_success_is_counted_where_nothing_was_decided() -> None:
    envs = one_arena(infos="numbers", max_episode_steps=2)
    envs.reset()
    envs.step(np.zeros(2, np.int64))
    *_, infos = envs.step(np.zeros(2, np.int64))
    assert [info["is_success"] for info in infos] == [None, None]


def test_wrappers_of_stable_baselines_work(tmp_path: Path) -> None:
    from stable_baselines3.common.vec_env import (
        VecCheckNan,
        VecFrameStack,
        VecMonitor,
        VecNormalize,
        VecTransposeImage,
    )

    envs = puzzlebox.make_sb3([THREE, OTHER], 2, workers=1, **SENSES)
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        monitor = VecMonitor(envs, str(tmp_path / "log"), info_keywords=("task", "passed", "latency"))
    envs: Any = VecNormalize(VecTransposeImage(VecFrameStack(VecCheckNan(monitor), 4)), norm_obs_keys=["vitals"])
    observations = envs.reset()
    assert observations["camera"].shape == (2, 12, 36, 36)
    for row in actions(2, 9):
        observations, _, dones, infos = envs.step(row)
        for info, done in zip(infos, dones, strict=True):
            assert not done or info["terminal_observation"]["camera"].shape == (12, 36, 36)
    lines = (tmp_path / "log.monitor.csv").read_text().splitlines()
    assert lines[1] == "r,l,t,task,passed,latency"
    assert len(lines) > 3
    envs.close()


def test_a_learner_logs_success() -> None:
    from stable_baselines3 import PPO

    envs = puzzlebox.make_sb3("examples/food", 2, workers=1, camera=None, frame_stack=2, scaled_vitals=True)
    near = "arenas: [{items: [{name: Agent, at: [9, 0, 9]}, {name: DeathZone, at: [9, 0, 9], size: [5, 1, 5]}]}]"
    envs.set_options([{"task": near}, {}])
    model = PPO("MultiInputPolicy", envs, n_steps=16, batch_size=16, n_epochs=1, seed=0).learn(32)
    assert {episode["task"] for episode in model.ep_info_buffer or ()} == {tasks_of(near)[0].name}
    assert set(model.ep_success_buffer or ()) == {False}
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'autoreset'"):
        puzzlebox.make_sb3(FORAGING, 2, autoreset="disabled")


def test_evaluation_needs_no_monitor() -> None:
    from stable_baselines3 import PPO
    from stable_baselines3.common.evaluation import evaluate_policy

    envs = puzzlebox.make_sb3(THREE, 2, workers=1, camera=None, max_episode_steps=4)
    model = PPO("MultiInputPolicy", envs, seed=0)
    returns, lengths = evaluate_policy(model, envs, 4, return_episode_rewards=True)
    assert lengths == [4, 4, 4, 4]
    assert len(returns) == 4  # type: ignore[arg-type]


def test_channels_first_needs_no_transposing() -> None:
    from stable_baselines3 import PPO

    envs = puzzlebox.make_sb3(FORAGING, 2, workers=1, camera=36, grayscale=True, frame_stack=4, channels_first=True)
    model = PPO("MultiInputPolicy", envs, n_steps=4, batch_size=8, n_epochs=1, seed=0)
    assert model.env is envs
    assert model.learn(8).num_timesteps == 8
