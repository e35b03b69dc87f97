from typing import Any

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
