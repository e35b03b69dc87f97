"""Actions of every kind of Gymnasium space survive recording, and become what the environment expects."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Text, Tuple

from corridor import Corridor, CorridorWing
from puzzlebox.wings.actions import actions_in, actions_text, plain_action
from puzzlebox.wings.gymnasium_wing import GymnasiumApparatus, GymnasiumTask, action_in

SPACES: dict[str, gym.Space[Any]] = {
    "discrete": Discrete(5),
    "discrete from 7": Discrete(300, start=7),
    "several choices": MultiDiscrete([3, 3]),
    "bits": MultiBinary(4),
    "numbers": Box(-1.0, 1.0, (82,), np.float32),
    "exact numbers": Box(-1e9, 1e9, (2, 3), np.float64),
    "bytes": Box(0, 255, (3,), np.uint8),
    "text": Text(12),
    "named parts": Dict({"arm": Box(-1.0, 1.0, (2,), np.float32), "voice": Discrete(4)}),
    "nested parts": Tuple((Discrete(3), Dict({"eye": Box(0.0, 1.0, (2,), np.float32)}))),
}


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(np.array_equal(one, other))


@pytest.mark.parametrize("name", SPACES)
def test_actions_of_a_space_are_restored_exactly(name: str) -> None:
    space = SPACES[name]
    space.seed(0)
    for _ in range(20):
        actions = [space.sample(), space.sample()]
        restored = [action_in(space, each) for each in actions_in(actions_text(actions))]
        assert all(map(space.contains, restored))
        assert all(map(same, actions, restored))


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused(number: float) -> None:
    with pytest.raises(ValueError, match="numbers must be finite"):
        plain_action({"arm": np.array([0.0, number])})
    with pytest.raises(ValueError):
        actions_in(f"[[{number}]]".replace("nan", "NaN").replace("inf", "Infinity"))


def test_recorded_actions_are_copies() -> None:
    """An agent may use one array for all its actions."""
    apparatus = GymnasiumApparatus(CorridorWing(), {})
    apparatus.begin(GymnasiumTask("corridor", "short", {"length": 5.0}), 0, 0)
    action = np.zeros(1, np.float32)
    for value in (0.25, 0.5):
        action[0] = value
        apparatus.act({0: action})
    assert apparatus.session.actions == [((0.25,),), ((0.5,),)]
    assert isinstance(apparatus._env, Corridor)
