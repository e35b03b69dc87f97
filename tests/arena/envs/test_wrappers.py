"""Common wrappers and learners, and the camera's depth and segments."""

import copy
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.utils.env_checker import check_env

import puzzlebox
from puzzlebox.arena.senses.camera import FAR, SURROUNDINGS, Camera
from test_envs import FORAGING, THREE, alike, play, same
from test_parallel import text
from worlds import world_of

ALL: dict[str, Any] = {"camera": 16, "depth": True, "segments": True, "rays": 3}


def make_env(**settings: Any) -> Any:
    return gym.make("puzzlebox/Arena-v1", task=THREE, **settings)


def picture_only(**settings: Any) -> Any:
    """Return an environment that observes the camera's picture alone, as wrappers for pictures need it."""
    env = make_env(**{"camera": 40, "vitals": False, **settings})
    return wrappers.TransformObservation(env, lambda parts: parts["camera"], env.observation_space["camera"])


def rolled(env: Any, steps: int = 15) -> Any:
    observation, _ = env.reset(seed=0)
    assert observation in env.observation_space
    for _ in range(steps):
        observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
        assert observation in env.observation_space
        if terminated or truncated:
            env.reset()
    return observation


# --- depth and segments

SCENE = (
    "name: Agent, at: [20, 0, 10], rotation: 0",
    "name: Wall, at: [20, 0, 20], size: [6, 4, 1], rotation: 0",
    "name: WallTransparent, at: [20, 0, 14], size: [2, 1, 1], rotation: 0",
    "name: GoodGoal, at: [14, 0, 14], size: 2",
)


def test_depth_is_the_distance_along_the_view() -> None:
    world, camera = world_of(*SCENE), Camera(65)
    depth = camera.depth(world)
    assert (depth.shape, depth.dtype) == ((65, 65), np.float32)
    # To the glass, or through it; a wall is a little smaller than its size, and all pixels of its front have one depth.
    assert depth[32, 28:37] == pytest.approx(3.5005, abs=1e-4)
    assert Camera(65, through=True).depth(world)[32, 25:40] == pytest.approx(9.5005, abs=1e-4)
    assert (depth[0] == FAR).all()
    assert depth.min() > 0
    eye = world.position_of(world.animals[0])[1]
    below = (65 / 2 - 0.5) / (65 / 2) * np.tan(np.radians(50))
    assert depth[64, 32] == pytest.approx((eye + 0.01) / below, rel=1e-3)


def test_segments_are_the_numbers_of_things() -> None:
    world, camera = world_of(*SCENE), Camera(65)
    segments = camera.segments(world)
    assert (segments.shape, segments.dtype) == ((65, 65), np.int32)
    names = {number: type(thing).__name__ for number, thing in world.present.items()} | SURROUNDINGS
    around, opaque = {"floor", "fence", "sky"}, {"Wall", "GoodGoal"}
    assert {names[number] for number in np.unique(segments).tolist()} == around | opaque | {"WallTransparent"}
    assert names[int(segments[32, 32])] == "WallTransparent"
    behind = Camera(65, through=True).segments(world)
    assert {names[number] for number in np.unique(behind).tolist()} == around | opaque
    assert names[int(behind[32, 32])] == "Wall"
    (goal,) = (number for number, name in names.items() if name == "GoodGoal")
    assert np.flatnonzero((segments == goal).any(axis=0)).max() < 20
    assert names[int(segments[0, 0])] == "sky"


def test_all_channels_show_the_same_picture() -> None:
    world, camera = world_of(*SCENE), Camera(32)
    image, depth, segments = (
        np.empty((32, 32, 3), np.uint8),
        np.empty((32, 32), np.float32),
        np.empty((32, 32), np.int32),
    )
    camera.see(world, 0, image, depth, segments)
    assert np.array_equal(image, Camera(32).look(world))
    assert np.array_equal(depth, camera.depth(world))
    assert np.array_equal(segments, camera.segments(world))
    grey = Camera(32, grayscale=True)
    assert np.array_equal(grey.depth(world), depth)
    with pytest.raises(ValueError, match="it can have 4 to 512"):
        Camera(2)


def test_things_that_come_and_go_keep_their_numbers() -> None:
    world, camera = world_of(*SCENE), Camera(64)
    goal = next(thing for thing in world.things if type(thing).__name__ == "GoodGoal")
    assert (camera.segments(world) == goal.id).any()
    number = goal.id
    wall = next(thing for thing in world.things if type(thing).__name__ == "Wall")
    world.vanish(goal)
    segments = camera.segments(world)
    assert not (segments == number).any()
    assert (segments == wall.id).any()


def test_another_agent_is_a_thing_and_oneself_is_not_seen() -> None:
    agents = "{name: Agent, at: [20, 0, 10], rotation: 0}, {name: Agent, at: [20, 0, 13], rotation: 180}"
    env = puzzlebox.make_parallel(f"arenas: [{{items: [{agents}]}}]", camera=32, segments=True)
    observations, infos = env.reset(seed=0)
    first, second = (animal.id for animal in env.world.animals)
    assert (observations["agent_0"]["segments"] == second).any()
    assert not (observations["agent_0"]["segments"] == first).any()
    assert (observations["agent_1"]["segments"] == first).any()
    assert dict(infos["agent_0"]["things"]) == {first: "Agent", second: "Agent"}


def test_in_the_dark_depth_and_segments_show_nothing() -> None:
    env = puzzlebox.make("arenas: [{blackouts: [1, 3], items: [{name: Agent, rotation: 0}, {name: Wall}]}]", **ALL)
    observation, _ = env.reset(seed=0)
    assert (observation["depth"] < FAR).any()
    for _ in range(2):
        observation, *_ = env.step(0)
    assert (observation["depth"] == FAR).all()
    assert {SURROUNDINGS[number] for number in np.unique(observation["segments"]).tolist()} == {"sky"}


def test_channels_are_only_there_on_request() -> None:
    env = puzzlebox.make(FORAGING, camera=16)
    observation, info = env.reset(seed=0)
    assert set(observation) == {"camera", "vitals"}
    assert "things" not in info
    more, info = puzzlebox.make(FORAGING, **ALL).reset(seed=0)
    assert set(more) == {"camera", "depth", "segments", "rays", "vitals"}
    assert same({"camera": more["camera"]}, {"camera": observation["camera"]})
    assert {name for _, name in info["things"]} == {"Agent", "SpawnerTree"}
    space: Any = puzzlebox.make(FORAGING, **ALL).observation_space
    assert all(np.isfinite(space[name].low).all() and np.isfinite(space[name].high).all() for name in space)


def test_the_checkers_accept_all_channels() -> None:
    from stable_baselines3.common.env_checker import check_env as check_env_for_sb3

    settings = {**ALL, "camera": 36}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make_env(**settings).unwrapped, skip_render_check=True)
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        check_env_for_sb3(puzzlebox.make(THREE, **settings))
    # Neither is a picture of bytes; SB3 warns of that and flattens them.
    assert [str(note.message).split(" has an")[0] for note in notes] == [
        "Your observation depth",
        "Your observation segments",
    ]


@pytest.mark.parametrize("workers", [0, 2])
def test_channels_in_a_vector_equal_those_of_single_environments(workers: int) -> None:
    envs = puzzlebox.make_vec(THREE, num_envs=3, workers=workers, **ALL)
    singles = [puzzlebox.make(THREE, **ALL) for _ in range(3)]
    observations, infos = envs.reset(seed=2)
    for index, single in enumerate(singles):
        observation, info = single.reset(seed=2 + index)
        assert same(observation, {name: part[index] for name, part in observations.items()})
        assert infos["things"][index] == info["things"]
    for action in (3, 1, 4, 3):
        observations, _, _, _, infos = envs.step(np.full(3, action))
        for index, single in enumerate(singles):
            observation, _, _, _, info = single.step(action)
            assert same(observation, {name: part[index] for name, part in observations.items()})
            assert infos["things"][index] == info["things"]
    envs.close()


# --- Gymnasium's wrappers


@pytest.mark.parametrize(
    ("wrapped", "shape"),
    [
        (lambda: wrappers.FlattenObservation(make_env(**ALL)), (16 * 16 * 5 + 60 + 7,)),
        (lambda: wrappers.GrayscaleObservation(picture_only()), (40, 40)),
        (lambda: wrappers.ResizeObservation(picture_only(), (36, 30)), (36, 30, 3)),
        (lambda: wrappers.FrameStackObservation(wrappers.GrayscaleObservation(picture_only()), 4), (4, 40, 40)),
        (lambda: wrappers.MaxAndSkipObservation(picture_only(), 3), (40, 40, 3)),
        (lambda: wrappers.NormalizeObservation(wrappers.FlattenObservation(make_env(camera=None))), (7,)),
        (lambda: wrappers.AddRenderObservation(make_env(camera=None, render_mode="rgb_array")), (512, 512, 3)),
        (lambda: wrappers.DtypeObservation(picture_only(), np.float32), (40, 40, 3)),
    ],
    ids=["flatten", "grey", "resize", "stack", "skip", "normalize", "render", "dtype"],
)
def test_gymnasiums_observation_wrappers_give_the_expected_shapes(
    wrapped: Callable[[], Any], shape: tuple[int, ...]
) -> None:
    assert rolled(wrapped(), 6).shape == shape


def test_frames_of_a_dictionary_are_stacked() -> None:
    observation = rolled(wrappers.FrameStackObservation(make_env(camera=16, rays=3), 4))
    assert {name: part.shape for name, part in observation.items()} == {
        "camera": (4, 16, 16, 3),
        "rays": (4, 60),
        "vitals": (4, 7),
    }


def test_gymnasiums_episode_wrappers_work() -> None:
    env: Any = wrappers.Autoreset(wrappers.RecordEpisodeStatistics(wrappers.TimeLimit(make_env(camera=None), 4)))
    env = wrappers.TransformReward(wrappers.StickyAction(env, 0.25), lambda reward: 10 * reward)
    env.reset(seed=0)
    lengths = []
    for _ in range(11):
        *_, info = env.step(0)
        if "episode" in info:
            lengths.append(info["episode"]["l"])
    assert lengths == [4, 4]
    assert gym.make("puzzlebox/Arena-v1", task=THREE, camera=None, max_episode_steps=3).spec.max_episode_steps == 3  # type: ignore[union-attr]
    aware = wrappers.TimeAwareObservation(wrappers.TimeLimit(make_env(camera=None), 4))
    assert aware.reset(seed=0)[0].shape == (8,)


def test_gymnasiums_render_collection_holds_a_picture_of_each_step() -> None:
    env: Any = wrappers.RenderCollection(make_env(camera=None, render_mode="rgb_array"))
    env.reset(seed=0)
    env.step(3)
    first, second = env.render()
    assert first.shape == second.shape == (512, 512, 3)
    assert len(np.unique(first.reshape(-1, 3), axis=0)) > 500


def test_episodes_are_filmed(tmp_path: Path) -> None:
    pytest.importorskip("moviepy")
    film: Any = wrappers.RecordVideo(make_env(camera=None, render_mode="rgb_array"), str(tmp_path), disable_logger=True)
    rolled(film, 12)
    film.close()
    assert list(tmp_path.glob("*.mp4"))


def test_gymnasiums_vector_wrappers_work() -> None:
    envs: Any = puzzlebox.make_vec(THREE, num_envs=2, workers=0, camera=None)
    envs = gym.wrappers.vector.RecordEpisodeStatistics(envs)
    envs = gym.wrappers.vector.FlattenObservation(envs)
    observations, _ = envs.reset(seed=0)
    assert observations.shape == (2, 7)
    lengths = []
    for _ in range(12):
        *_, infos = envs.step(np.zeros(2, np.int64))
        if "episode" in infos:
            lengths.append(infos["episode"]["l"].tolist())
    assert lengths == [[9, 9]]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_wrapped_copies_in_mid_episode_continue_equally(copied: Any) -> None:
    env: Any = wrappers.FrameStackObservation(wrappers.TimeLimit(make_env(**ALL), 50), 2)
    env.reset(seed=3)
    env.action_space.seed(5)
    for action in (3, 4, 3, 1):
        env.step(action)
    twin = copied(env)
    assert twin.action_space.sample() == env.action_space.sample()
    assert alike(play(twin, 30), play(env, 30))


@pytest.mark.parametrize(
    "task",
    [
        "examples/food",
        "examples/button",
    ],
)
def test_a_restored_environment_sees_the_same(task: str) -> None:
    env = puzzlebox.make(task, **ALL)
    env.reset(seed=4)
    seen = [env.step(action)[0] for action in (3, 3, 4, 1)]
    state = env.snapshot()
    env.reset()
    other = puzzlebox.make(FORAGING, **ALL)
    for each in (env, other):
        observation, _ = each.restore(pickle.loads(pickle.dumps(state)))
        assert same(observation, seen[-1])
    assert alike(play(env, 10), play(other, 10))


# --- learners


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_learners_of_stable_baselines_run() -> None:
    from stable_baselines3 import A2C, PPO
    from stable_baselines3.common.vec_env import DummyVecEnv, VecFrameStack

    env = puzzlebox.make(FORAGING, camera=36, rays=3)
    assert PPO("MultiInputPolicy", env, n_steps=16, batch_size=16, n_epochs=1, seed=0).learn(32).num_timesteps == 32
    stacked = VecFrameStack(DummyVecEnv([lambda: puzzlebox.make(THREE, camera=36, vitals=False)] * 2), 4)
    assert stacked.observation_space["camera"].shape == (36, 36, 12)  # type: ignore[index]
    model = A2C("MultiInputPolicy", stacked, seed=0).learn(20)
    action, _ = model.predict(stacked.reset())  # type: ignore[arg-type]
    assert action.shape == (2,)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_learners_of_stable_baselines_run_for_longer() -> None:
    from stable_baselines3 import A2C, PPO

    for learner in (PPO, A2C):
        env = puzzlebox.make(FORAGING, camera=64, rays=5, depth=True)
        assert learner("MultiInputPolicy", env, n_steps=128, seed=0).learn(256).num_timesteps == 256


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_rllib_runs_single_vector_and_several() -> None:
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.connectors.env_to_module import FlattenObservations
    from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
    from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
    from ray.rllib.utils.pre_checks.env import check_multiagent_environments

    for mode in (gym.VectorizeMode.SYNC, gym.VectorizeMode.VECTOR_ENTRY_POINT):
        config = PPOConfig().environment("puzzlebox/Arena-v1", env_config={"task": FORAGING, "camera": None, "rays": 3})
        config = config.env_runners(
            num_envs_per_env_runner=2,
            gym_env_vectorize_mode=mode,
            env_to_module_connector=lambda *_, **__: FlattenObservations(),
        )
        episodes = SingleAgentEnvRunner(config=config).sample(num_timesteps=20, random_actions=True)
        assert [len(episode) for episode in episodes] == [10, 10]
    check_multiagent_environments(ParallelPettingZooEnv(puzzlebox.make_parallel(text(), camera=None)))
