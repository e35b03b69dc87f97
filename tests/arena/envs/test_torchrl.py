"""torchrl's wrappers."""

import warnings
from typing import Any

import pytest

import puzzlebox
from test_envs import FORAGING, THREE
from test_parallel import text

pytestmark = pytest.mark.filterwarnings("ignore")
SENSES: dict[str, Any] = {"camera": 8, "rays": 3}


@pytest.fixture(scope="module")
def envs() -> Any:
    """Import torchrl, which takes seconds, only where its tests run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("torchrl.envs")


def test_torchrl_wraps_an_environment(envs: Any) -> None:
    env = envs.GymWrapper(puzzlebox.make(THREE, **SENSES), categorical_action_encoding=True)
    envs.check_env_specs(env)
    assert env.rollout(5)["next", "camera"].shape == (5, 8, 8, 3)


@pytest.mark.parametrize("settings", [{}, {"frame_skip": 2}, {"from_pixels": True, "pixels_only": False}], ids=str)
def test_torchrl_makes_an_environment_by_its_name(envs: Any, settings: dict[str, Any]) -> None:
    """It tries keyword arguments, and finds unsupported ones by the wording of Python's own error."""
    env = envs.GymEnv("puzzlebox/Arena-v1", task=FORAGING, **SENSES, **settings)
    envs.check_env_specs(env)
    assert env.rollout(3).shape == (3,)
    assert env.unwrapped.world.clock == 3 * 3 * settings.get("frame_skip", 1)


@pytest.mark.parametrize("autoreset", ["disabled", "same_step"])
def test_torchrl_wraps_a_vector(envs: Any, autoreset: str) -> None:
    infos = "numbers" if autoreset == "same_step" else "all"
    vector = puzzlebox.make_vec(THREE, 2, workers=1, autoreset=autoreset, infos=infos, max_episode_steps=4, **SENSES)
    env = envs.GymWrapper(vector)
    envs.check_env_specs(env)
    played = env.rollout(20, break_when_any_done=False)
    assert played["next", "done"].sum() >= 8
    env.close()


def test_torchrl_wraps_several_agents(envs: Any) -> None:
    env = envs.PettingZooWrapper(puzzlebox.make_parallel(text(), infos="numbers", **SENSES), use_mask=True)
    envs.check_env_specs(env)
    played = env.rollout(4)
    assert played["next", "agent", "info", "health"].shape == (4, 2)
    assert played["next", "agent", "observation", "camera"].shape == (4, 2, 8, 8, 3)
