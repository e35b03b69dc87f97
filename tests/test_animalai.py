"""Animal-AI's own names: a script for the original runs with changed imports."""

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import puzzlebox
from living import parsed
from puzzlebox.animalai import AnimalAIEnvironment
from puzzlebox.animalai.actions import AAIAction, AAIActions
from puzzlebox.animalai.agents import Braitenberg, RandomActionAgent
from puzzlebox.animalai.base_env import ActionTuple, UnityActionException
from puzzlebox.animalai.raycastparser import RayCastObjects, RayCastParser
from puzzlebox.animalai.unity_gym_env import UnityGymException, UnityToGymWrapper
from test_envs import THREE

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


def test_a_script_of_theirs(food: str, caplog: pytest.LogCaptureFixture) -> None:
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
            somethingNew=1,
        )
    assert [record.message for record in caplog.records] == [
        "these arguments of Animal-AI have no effect here: file_name, worker_id, timescale, somethingNew"
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


def test_observations_as_ml_agents_gives_them(food: str) -> None:
    env = AnimalAIEnvironment(arenas_configurations=food, resolution=32, useRayCasts=True)
    specs = env.behavior_specs["AnimalAI?team=0"]
    assert [spec.shape for spec in specs.observation_specs] == [(3, 32, 32), (100,), (7,)]
    assert [spec.name for spec in specs.observation_specs] == [
        "CameraSensor",
        "RayPerceptionSensor",
        "VectorSensor_size7",
    ]
    assert specs.action_spec.discrete_branches == (3, 3)
    assert specs.action_spec.is_discrete()
    assert specs.action_spec.random_action(4).discrete.shape == (4, 2)
    decision, terminal = env.get_steps("AnimalAI?team=0")
    assert [part.shape for part in decision.obs] == [(1, 3, 32, 32), (1, 100), (1, 7)]
    assert all(part.dtype == np.float32 for part in decision.obs)
    assert decision.obs[0].max() <= 1.0
    assert (len(decision), len(terminal)) == (1, 0)
    assert [part.shape for part in terminal.obs] == [(0, 3, 32, 32), (0, 100), (0, 7)]
    named = env.get_obs_dict(decision.obs)
    assert named["health"] == 100
    assert named["position"].tolist() == pytest.approx([20, 0.51, 20])
    assert env.get_obs_dict(decision.obs) is named
    assert decision[int(decision.agent_id[0])].reward == 0
    ours = puzzlebox.make(food, camera=32).reset(seed=0)[0]["camera"]
    assert np.array_equal(np.rint(decision.obs[0][0].transpose(1, 2, 0) * 255).astype(np.uint8), ours)


def test_the_fan_is_given_per_side(food: str) -> None:
    env = AnimalAIEnvironment(
        arenas_configurations=food, useCamera=False, useRayCasts=True, raysPerSide=4.0, rayMaxDegrees=30
    )
    rays = env.get_obs_dict(env.get_steps("AnimalAI?team=0")[0].obs)["rays"].reshape(9, -1)
    # animal-ai.md 11.1
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
        assert terminal.interrupted.tolist() == [True]
        assert terminal.agent_id[0] != decision.agent_id[0]
        assert env.arena.world.clock == 0
    assert seen == [0, 4, 7, 0]
    env.step()
    env.reset()
    assert env.arena.world.arena.id == 7


def test_another_file_and_one_that_is_not_there(food: str) -> None:
    env = AnimalAIEnvironment(useCamera=False)
    env.reset(arenas_configurations=food)
    assert env.arena.world.task == parsed(FOOD)
    with pytest.raises(FileNotFoundError):
        env.reset(arenas_configurations="not/there.yml")
    with pytest.raises(FileNotFoundError):
        AnimalAIEnvironment(arenas_configurations="not/there.yml")


def test_actions_that_do_not_fit(food: str) -> None:
    env = AnimalAIEnvironment(arenas_configurations=food, useCamera=False)
    for wrong in ([[0, 3]], [[0]], [[0, 0], [1, 1]]):
        with pytest.raises(UnityActionException, match="give one row of two numbers from 0 to 2"):
            env.set_actions("AnimalAI?team=0", ActionTuple(discrete=np.array(wrong)))
    with pytest.raises(UnityActionException, match="there is no behaviour"):
        env.get_steps("nobody")


@pytest.mark.parametrize("flat", [True, False])
@pytest.mark.parametrize("multiple", [True, False])
def test_the_gym_wrapper(food: str, flat: bool, multiple: bool) -> None:
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
    with pytest.raises(UnityGymException, match="call reset"):
        env.step(env.action_space.sample())
    assert env.reset() is not None
    assert env.render().shape == (3, 16, 16)


def test_the_gym_wrapper_without_a_camera(food: str) -> None:
    env = UnityToGymWrapper(AnimalAIEnvironment(arenas_configurations=food, useCamera=False, useRayCasts=True))
    assert env.reset().shape == (107,)


def test_the_parsers_order() -> None:
    raw = np.zeros((5, 8), np.float32)
    raw[:, -1] = [0.1, 0.2, 0.3, 0.4, 0.5]  # centre, right 1, left 1, right 2, left 2
    raw[:, RayCastObjects.GOODGOAL] = 1
    parser = RayCastParser([RayCastObjects.GOODGOAL, RayCastObjects.ARENA], 2)
    assert parser.parse(raw.ravel()) == pytest.approx(np.array([[0.3, 0.5, 0.1, 0.4, 0.2], [0] * 5]))
    assert parser.prettyPrint(raw.ravel()).startswith("GOODGOAL: [0.3")
    with pytest.raises(ValueError, match="AGENT is not among the 6 objects"):
        RayCastParser([RayCastObjects.AGENT], 2).parse(raw)
    with pytest.raises(ValueError, match="41 numbers cannot come from 5 rays"):
        parser.parse(np.zeros(41))


def test_the_actions() -> None:
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


def test_the_random_agent() -> None:
    agent = RandomActionAgent(step_length_distribution=lambda: -3.9, remove_prev_step=True)
    assert list(agent.get_num_steps(4)) == [4, 4, 4]
    assert all(agent.get_new_action(2) != 2 for _ in range(50))
    assert RandomActionAgent(prev_step_bias=1).get_new_action(5) == 5
    assert RandomActionAgent(action_biases=[0] * 3 + [1000] + [0] * 5).get_new_action(0) == 3
    assert str(agent.actions[5]) == "forwards&left"
    with pytest.raises(ValueError, match="there are 9 actions"):
        RandomActionAgent(action_biases=[1])
