"""Animal-AI's own names: a script for the original runs with changed imports."""

import copy
import logging
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import puzzlebox
from puzzlebox.animalai import AnimalAIEnvironment
from puzzlebox.animalai.actions import AAIAction, AAIActions
from puzzlebox.animalai.agents import Braitenberg
from puzzlebox.animalai.base_env import ActionTuple, UnityActionException
from puzzlebox.animalai.raycastparser import RayCastObjects, RayCastParser
from puzzlebox.animalai.unity_gym_env import UnityGymException, UnityToGymWrapper
from puzzlebox.animalai.wrappers import (
    AnimalAIGymnasiumWrapper,
    UnityToGymnasiumWrapper,
    make_animalai_env_fns,
    make_animalai_vec_env,
)
from test_envs import THREE
from worlds import parsed

FOOD = """
!ArenaConfig
arenas:
  0: !Arena
    timeLimit: 50
    items:
    - !Item
      name: Agent
      positions: [!Vector3 {x: 20, y: 0, z: 20}]
      rotations: [0]
    - !Item
      name: GoodGoal
      positions: [!Vector3 {x: 20, y: 0, z: 25}]
      sizes: [!Vector3 {x: 1, y: 1, z: 1}]
"""


@pytest.fixture
def food(tmp_path: Path) -> str:
    path = tmp_path / "food.yml"
    path.write_text(FOOD)
    return str(path)


def test_the_loop_of_the_originals_documentation_runs(food: str, caplog: pytest.LogCaptureFixture) -> None:
    """The loop of the original's documentation: Braitenberg on rays."""
    with caplog.at_level(logging.WARNING):
        env = AnimalAIEnvironment(
            file_name="env/AnimalAI.x86_64",
            seed=123,
            arenas_configurations=food,
            worker_id=7,
            base_port=5005,
            play=False,
            useCamera=False,
            useRayCasts=True,
            raysPerSide=7,
            rayMaxDegrees=30,
            timescale=300,
        )
    assert [record.message for record in caplog.records] == [
        "these arguments of Animal-AI have no effect here: file_name, worker_id, timescale"
    ]
    braitenberg = Braitenberg(15)
    behavior = next(iter(env.behavior_specs.keys()))
    assert behavior == "AnimalAI?team=0"
    total, done = 0.0, False
    env.step()
    dec, term = env.get_steps(behavior)
    while not done:
        if len(dec.reward) > 0:
            total += dec.reward[0]
        rays = env.get_obs_dict(dec.obs)["rays"]
        env.set_actions(behavior, braitenberg.get_action(rays).action_tuple)
        env.step()
        dec, term = env.get_steps(behavior)
        if len(term) > 0:
            total += term.reward[0]
            done = True
    env.close()
    assert total == pytest.approx(0.87, abs=0.03)


@pytest.mark.parametrize(
    ("given", "meant"), [({"useRaycasts": True}, "useRayCasts"), ({"resoluton": 20}, "resolution")]
)
def test_a_misspelt_argument_is_refused(food: str, given: dict[str, Any], meant: str) -> None:
    name = next(iter(given))
    with pytest.raises(TypeError, match=f"got an unexpected keyword argument '{name}'.*did you mean `{meant}`"):
        AnimalAIEnvironment(arenas_configurations=food, useCamera=False, **given)


def test_arguments_of_older_versions_are_accepted(food: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        older = {"n_arenas": 1, "docker_training": False}
        AnimalAIEnvironment(arenas_configurations=food, useCamera=False, **older).close()
    assert caplog.messages == ["these arguments of Animal-AI have no effect here: n_arenas, docker_training"]


OLD_SCRIPT = """
from animalai.envs.environment import AnimalAIEnvironment
from animalai.envs.actions import AAIActions
from animalai.envs.raycastparser import RayCastParser, RayCastObjects
from animalai.envs.braitenberg import Braitenberg
from animalai.executable import find_executable
from animalai.arenas import GOOD_GOAL_FIXED_POS, GOOD_GOAL_RANDOM_POS
from mlagents_envs.base_env import ActionTuple
from mlagents_envs.exception import UnityTimeOutException
from mlagents_envs.envs.unity_gym_env import UnityToGymWrapper
from mlagents_envs.side_channel.engine_configuration_channel import EngineConfigurationChannel
from gym_unity.envs import UnityToGymWrapper as Older
import numpy as np

assert Older is UnityToGymWrapper
channel = EngineConfigurationChannel()
channel.set_configuration_parameters(time_scale=20.0)
aai = AnimalAIEnvironment(file_name=str(find_executable("env")), seed=1, arenas_configurations=GOOD_GOAL_FIXED_POS,
                          useCamera=True, resolution=36, useRayCasts=True, raysPerSide=3, rayMaxDegrees=45,
                          side_channels=[channel], no_graphics=False, inference=False)
name = list(aai.behavior_specs.keys())[0]
parser = RayCastParser([RayCastObjects.GOODGOAL, RayCastObjects.ARENA], 7)
actions = AAIActions()
try:
    aai.step()
except UnityTimeOutException:
    raise SystemExit("no answer")
decision, terminal = aai.get_steps(name)
seen = parser.parse(aai.get_obs_dict(decision.obs)["rays"])
assert seen.shape == (2, 7) and seen[0, 3] > 0
aai.set_actions(name, ActionTuple(continuous=np.zeros((1, 0)), discrete=np.array([[1, 0]], dtype=np.int32)))
aai.step()
for agent in aai.get_steps(name)[0]:
    aai.set_action_for_agent(name, agent, actions.FORWARDS.action_tuple)
aai.step()
assert aai.get_obs_dict(aai.get_steps(name)[0].obs)["velocity"][2] > 0
aai.reset(arenas_configurations=GOOD_GOAL_RANDOM_POS)

env = UnityToGymWrapper(aai, uint8_visual=True, flatten_branched=True, allow_multiple_obs=False)
obs, done, steps = env.reset(), False, 0
while not done and steps < 40:
    obs, reward, done, info = env.step(np.array([3]))
    steps += 1
print(name, obs.shape, obs.dtype)
env.close()
"""


def test_a_whole_script_with_only_its_imports_changed(capsys: pytest.CaptureFixture[str]) -> None:
    script = OLD_SCRIPT
    for theirs in ("animalai", "mlagents_envs", "gym_unity"):
        script = script.replace(f"from {theirs}.", "from puzzlebox.animalai.")
    exec(compile(script, "script.py", "exec"), {})
    assert capsys.readouterr().out == "AnimalAI?team=0 (3, 36, 36) uint8\n"


def test_environments_take_seeds_and_can_be_copied(food: str) -> None:
    env = AnimalAIEnvironment(seed=None, arenas_configurations=food, useCamera=False)
    assert len(env.get_obs_dicts(env.get_steps("AnimalAI?team=0")[0].obs)) == 1
    env.set_actions("AnimalAI?team=0", np.array([[1, 0]]))  # type: ignore[arg-type]
    env.step()
    twin = copy.deepcopy(env)
    for each in (env, twin):
        each.step()
    both = [each.get_steps("AnimalAI?team=0")[0].obs[0].tobytes() for each in (env, twin)]
    assert both[0] == both[1]
    for wrong in ({"resolution": "big"}, {"useRayCasts": True, "raysPerSide": -1}, {"decisionPeriod": None}):
        with pytest.raises(ValueError, match="it must be a number, 0 or more"):
            AnimalAIEnvironment(arenas_configurations=food, **wrong)  # type: ignore[arg-type]


def test_the_gymnasium_wrapper_passes_the_checkers(food: str) -> None:
    from stable_baselines3.common.env_checker import check_env as check_env_for_sb3

    def make(**settings: Any) -> AnimalAIEnvironment:
        return AnimalAIEnvironment(arenas_configurations=food, **{"resolution": 36, "useRayCasts": True, **settings})

    env: Any = UnityToGymnasiumWrapper(make(), uint8_visual=True, flatten_branched=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env_for_sb3(env)
        check_env(env, skip_render_check=True)
    first, info = env.reset(seed=3)
    assert len(info["step"]) == 1
    assert env.render().shape == (36, 36, 3)
    total, over = 0.0, False
    while not over:
        _, reward, terminated, truncated, _ = env.step(3)
        total, over = total + reward, terminated or truncated
    assert (terminated, truncated) == (True, False)
    assert total > 0.8
    assert np.array_equal(env.reset(seed=3, options={"arena_config": food})[0], first)
    with pytest.raises(TypeError, match="there is no option `arena_confg`; did you mean `arena_config`"):
        env.reset(options={"arena_confg": food})
    named = AnimalAIGymnasiumWrapper(make(), include_velocity=False)
    observation, _ = named.reset()
    assert list(observation) == ["camera", "rays", "health", "position"]
    assert observation in named.observation_space
    assert named.step([1, 0])[0] in named.observation_space
    alone = AnimalAIGymnasiumWrapper(
        make(useRayCasts=False), include_health=False, include_velocity=False, include_position=False
    )
    assert alone.reset()[0] in alone.observation_space
    with pytest.raises(ValueError, match="include_rays is True, but the environment was made without rays"):
        AnimalAIGymnasiumWrapper(make(useRayCasts=False), include_rays=True)
    with pytest.raises(TypeError, match="the wrapper is for an AnimalAIEnvironment, not int"):
        UnityToGymnasiumWrapper(5)  # type: ignore[arg-type]
    envs = make_animalai_vec_env(2, arenas_configurations=food, env_kwargs={"useCamera": False})
    assert envs.reset(seed=0)[0]["position"].shape == (2, 3)
    with pytest.raises(ValueError, match="there are 2 environments and 1 files"):
        make_animalai_env_fns(2, arenas_configurations=[food])
    with pytest.raises(ValueError, match=r"vectorization_mode is 'asinc'; allowed: .*; did you mean `async`"):
        make_animalai_vec_env(2, vectorization_mode="asinc")


def test_reset_with_a_seed_starts_over(food: str) -> None:
    env, name = AnimalAIEnvironment(arenas_configurations=food, useCamera=False, seed=3), "AnimalAI?team=0"
    first = env.get_steps(name)[0]
    env.step()
    env.reset()
    assert env.get_steps(name)[0].agent_id.tolist() == [1]
    assert env.get_steps(name)[0] != first
    with pytest.raises(FileNotFoundError):
        env.reset("nowhere.yml", seed=3)
    assert env.get_steps(name)[0].agent_id.tolist() == [1]
    env.reset(seed=3)
    again, ended = env.get_steps(name)
    assert again == first
    assert again != ended
    first.obs[0][0, 0] += 1
    assert again != first


def test_observations_as_ml_agents_gives_them(food: str) -> None:
    env = AnimalAIEnvironment(arenas_configurations=food, resolution=32, useRayCasts=True)
    specs = env.behavior_specs["AnimalAI?team=0"]
    assert [spec.shape for spec in specs.observation_specs] == [(3, 32, 32), (70,), (7,)]
    assert [spec.name for spec in specs.observation_specs] == [
        "CameraSensor",
        "RayPerceptionSensor",
        "VectorSensor_size7",
    ]
    assert specs.action_spec.discrete_branches == (3, 3)
    assert specs.action_spec.is_discrete()
    assert specs.action_spec.random_action(4).discrete.shape == (4, 2)
    decision, terminal = env.get_steps("AnimalAI?team=0")
    assert [part.shape for part in decision.obs] == [(1, 3, 32, 32), (1, 70), (1, 7)]
    assert all(part.dtype == np.float32 for part in decision.obs)
    assert decision.obs[0].max() <= 1.0
    assert (len(decision), len(terminal)) == (1, 0)
    assert [part.shape for part in terminal.obs] == [(0, 3, 32, 32), (0, 70), (0, 7)]
    named = env.get_obs_dict(decision.obs)
    assert named["health"] == 100
    assert named["position"].tolist() == pytest.approx([20, 0.51, 20])
    assert env.get_obs_dict(decision.obs) is named
    assert decision[int(decision.agent_id[0])].reward == 0
    ours = puzzlebox.make(food, camera=32, rules="4.3").reset(seed=0)[0]["camera"]
    assert np.array_equal(np.rint(decision.obs[0][0].transpose(1, 2, 0) * 255).astype(np.uint8), ours)


def test_the_fan_is_given_per_side(food: str) -> None:
    env = AnimalAIEnvironment(
        arenas_configurations=food, useCamera=False, useRayCasts=True, raysPerSide=4.0, rayMaxDegrees=30
    )
    rays = env.get_obs_dict(env.get_steps("AnimalAI?team=0")[0].obs)["rays"].reshape(9, -1)
    # docs/original/senses.md#a-recorded-fan
    assert rays[::2, -1].tolist() == pytest.approx([0.0200025, 0.021001, 0.100939, 0.105533, 0.112583], abs=1e-5)


def test_an_episode_ends_with_both_steps_and_none_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "three.yml"
    path.write_text(THREE)
    env = AnimalAIEnvironment(arenas_configurations=path, useCamera=False)
    name = "AnimalAI?team=0"
    seen = []
    for _ in range(4):
        env.reset()
        seen.append(env.arena.world.arena.id)
        while not len(env.get_steps(name)[1]):
            env.step()
        decision, terminal = env.get_steps(name)
        assert (len(decision), len(terminal)) == (1, 1)
        assert terminal.interrupted.tolist() == [False]
        assert terminal.agent_id[0] != decision.agent_id[0]
        assert env.arena.world.clock == 0
    assert seen == [0, 4, 7, 0]
    env.step()
    env.reset()
    assert env.arena.world.arena.id == 7


def test_reset_takes_another_file_and_refuses_a_missing_one(food: str) -> None:
    env = AnimalAIEnvironment(useCamera=False)
    env.reset(arenas_configurations=food)
    assert env.arena.world.task == parsed(FOOD)
    with pytest.raises(FileNotFoundError):
        env.reset(arenas_configurations="not/there.yml")
    with pytest.raises(FileNotFoundError):
        AnimalAIEnvironment(arenas_configurations="not/there.yml")


def test_actions_of_the_wrong_shape_are_refused(food: str) -> None:
    env = AnimalAIEnvironment(arenas_configurations=food, useCamera=False)
    for wrong in ([[0, 3]], [[0]], [[0, 0], [1, 1]]):
        with pytest.raises(UnityActionException, match="give one row of two numbers from 0 to 2"):
            env.set_actions("AnimalAI?team=0", ActionTuple(discrete=np.array(wrong)))
    with pytest.raises(UnityActionException, match="there is no behaviour"):
        env.get_steps("nobody")


@pytest.mark.parametrize("flat", [True, False])
@pytest.mark.parametrize("multiple", [True, False])
def test_the_gym_wrapper_returns_observations_as_in_gym(food: str, flat: bool, multiple: bool) -> None:
    env = UnityToGymWrapper(
        AnimalAIEnvironment(arenas_configurations=food, resolution=16, useRayCasts=True),
        uint8_visual=True,
        flatten_branched=flat,
        allow_multiple_obs=multiple,
    )
    observation = env.reset()
    shown: Any = tuple(observation) if multiple else observation
    assert shown in env.observation_space
    total, done = 0.0, False
    while not done:
        observation, reward, done, info = env.step(3 if flat else [1, 0])
        total += reward
    assert total > 0.8
    assert info["step"].reward.shape == (1,)
    assert env.reset() is not None
    for wrong in (9, "left", [1, 2, 0]):
        with pytest.raises(UnityGymException, match="is not an action; it must be"):
            env.step(wrong)
    env.game_over = True
    with pytest.raises(UnityGymException, match="call reset"):
        env.step(env.action_space.sample())
    assert env.reset() is not None
    assert env.render().shape == (3, 16, 16)


def test_the_gym_wrapper_works_without_a_camera(food: str) -> None:
    env = UnityToGymWrapper(AnimalAIEnvironment(arenas_configurations=food, useCamera=False, useRayCasts=True))
    assert env.reset().shape == (77,)


def test_the_parser_puts_rays_in_the_originals_order() -> None:
    raw = np.zeros((5, 8), np.float32)
    raw[:, -1] = [0.1, 0.2, 0.3, 0.4, 0.5]  # centre, right 1, left 1, right 2, left 2
    raw[:, RayCastObjects.GOODGOAL.value] = 1
    parser = RayCastParser([RayCastObjects.GOODGOAL, RayCastObjects.ARENA], 5)
    assert parser.parse(raw.ravel()) == pytest.approx(np.array([[0.3, 0.5, 0.1, 0.4, 0.2], [0] * 5]))
    with pytest.raises(ValueError, match="41 numbers cannot come from 5 rays"):
        parser.parse(np.zeros(41))


def test_the_actions_have_the_names_and_numbers_of_the_original() -> None:
    actions = AAIActions()
    assert [str(action) for action in actions.allActions] == [
        *("noop", "left", "right", "forwards", "forwards&left", "forwards&right"),
        *("backwards", "backwards&left", "backwards&right"),
    ]
    assert actions.FORWARDSLEFT.action_tuple.discrete.tolist() == [[1, 2]]
    assert AAIActions(3).LEFT.action_tuple.discrete.shape == (3, 2)
    assert actions.random() in actions.allActions
    with pytest.raises(ValueError, match="no_agents is 0"):
        AAIActions(0)
    with pytest.raises(TypeError, match="ActionTuple"):
        AAIAction("left", [0, 2])  # type: ignore[arg-type]
