"""Actions of every kind of Gymnasium space survive recording, and become what the environment expects."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Text, Tuple

from corridor import Corridor, CorridorWing
from puzzlebox.wings.actions import actions_in, actions_text, plain_action
from puzzlebox.wings.gymnasium_wing import GymnasiumApparatus, GymnasiumTask
from puzzlebox.wings.spaces import action_in, require_bounds

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
        for action, each in zip(actions, restored, strict=True):
            require_bounds(space, plain_action(action), each)
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


@pytest.mark.parametrize(
    ("name", "action", "sentence"),
    [
        ("discrete", 5, "the action 5 is out of bounds; it must be from 0 to 4"),
        ("discrete from 7", 6, "the action 6 is out of bounds; it must be from 7 to 306"),
        ("several choices", (1, 3), "3 in the action (1, 3) is out of bounds; it must be from 0 to 2"),
        ("bits", (0, 1, 2, 0), "2 in the action (0, 1, 2, 0) is out of bounds; it must be from 0 to 1"),
        ("exact numbers", ((0.0, 0.0, 0.0), (0.0, 0.0, -2e9)), "it must be from -1e+09 to 1e+09"),
        ("text", "a sentence that is too long", "does not fit the action space Text("),
        (
            "named parts",
            {"arm": (0.5, -1.5), "voice": 0},
            "-1.5 in the action (0.5, -1.5) is out of bounds; it must be from -1 to 1",
        ),
        ("nested parts", (3, {"eye": (0.0, 0.0)}), "the action 3 is out of bounds; it must be from 0 to 2"),
        ("nested parts", (2, {"eye": (0.0, 1.25)}), "1.25 in the action (0.0, 1.25) is out of bounds"),
    ],
)
def test_actions_out_of_bounds_are_named_with_their_bounds(name: str, action: Any, sentence: str) -> None:
    with pytest.raises(ValueError) as refused:
        require_bounds(SPACES[name], action, action_in(SPACES[name], action))
    assert sentence in str(refused.value)


@pytest.mark.parametrize(("name", "action"), [("bytes", (0, 1, 1.5)), ("discrete", 1.5)])
def test_fractions_are_not_rounded_in_spaces_of_whole_numbers(name: str, action: Any) -> None:
    with pytest.raises(ValueError, match="has numbers that are not whole"):
        require_bounds(SPACES[name], action, action_in(SPACES[name], action))


def test_an_action_out_of_bounds_is_neither_played_nor_recorded() -> None:
    wing, task = CorridorWing(), GymnasiumTask("corridor", "short", {"length": 5.0})
    apparatus = GymnasiumApparatus(wing, {})
    apparatus.begin(task, 0, 0)
    with pytest.raises(ValueError, match=r"the action \(2\.0,\) is out of bounds; it must be from -1 to 1"):
        apparatus.act({0: np.array([2.0], np.float32)})
    assert apparatus.session.actions == [] and apparatus.session.clock == 0
    # An episode that an earlier version recorded is replayed as it was played.
    *_, (session, _) = wing.replay(wing.record(task.text, 0, 0, {}, [((2.0,),)]))
    assert session.measures()["x"] == 1.0
