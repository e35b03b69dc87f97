from typing import Any

import numpy as np
import pytest

from puzzlebox.infant.envs.env import InfantEnv


@pytest.mark.parametrize("pixels", [-3, 3, 100_000, 2.5, "a", True])
def test_wrong_sizes_of_pictures_are_named(pixels: object) -> None:
    with pytest.raises(ValueError, match=r"pixels is .*; it must be a whole number from 4 to 512"):
        InfantEnv("kick-the-ball", pixels=pixels)


@pytest.mark.parametrize("settings", [{"level": "hard2"}, {"fakes": 6}])
def test_there_are_enough_wrong_toys_of_the_same_shape(settings: dict[str, object]) -> None:
    env = InfantEnv("object-nav", senses=("joints",), same_shape=True, **settings)
    for seed in range(3):
        env.reset(seed=seed)


@pytest.mark.parametrize(
    ("task", "settings", "name"),
    [
        ("grab-object", {"discrete": True}, "discrete is True"),
        ("grab-object", {"primitives": "nonsense"}, "primitives is 'nonsense'"),
        ("kick-the-ball", {"joints": "nonsense"}, "joints is 'nonsense'"),
        ("kick-the-ball", {"discrete": True, "primitives": ("walk",)}, r"primitives is \('walk',\)"),
    ],
)
def test_settings_of_the_other_kind_of_control_are_refused(task: str, settings: dict[str, Any], name: str) -> None:
    with pytest.raises(ValueError, match=rf"^{name}, but .*; leave (it|one of them) out$"):
        InfantEnv(task, **settings)


@pytest.mark.parametrize(
    ("task", "settings"),
    [
        ("kick-the-ball", {"discrete": "no"}),
        ("object-nav", {"same_shape": "no"}),
        ("cognia-nav", {"always_sound": 1}),
        ("kick-the-ball", {"script": "yes"}),
    ],
)
def test_truth_values_are_true_or_false(task: str, settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"it must be True or False$"):
        InfantEnv(task, **settings)


def test_numbers_and_truth_values_of_numpy_are_those_of_python() -> None:
    given = {
        "pixels": np.int64(32),
        "discrete": np.bool_(True),
        "age_months": np.float32(12.0),
        "max_steps": np.int32(7),
    }
    env = InfantEnv("object-nav", **given, max_steps=np.int32(7), fakes=np.uint8(3), script=np.bool_(False))
    assert env.core.settings.plain() == {
        "pixels": 32,
        "discrete": True,
        "age_months": 12.0,
        "max_steps": 7,
        "fakes": 3,
    }
    assert all(type(each) in (int, float, bool) for each in env.core.settings.plain().values())


@pytest.mark.parametrize(
    "settings",
    [{"senses": 5}, {"senses": [5]}, {"joints": 5}, {"joints": [1]}, {"primitives": 7}, {"primitives": [None]}],
)
def test_names_are_texts(settings: dict[str, Any]) -> None:
    task = "grab-object" if "joints" in settings else "kick-the-ball"
    with pytest.raises(ValueError, match=r"it must be a name or a list of names$"):
        InfantEnv(task, **settings)
