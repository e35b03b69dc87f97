from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from puzzlebox.cli.app import app
from puzzlebox.infant import Infant, connect, make_parallel, make_vec
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
    env = InfantEnv("object-nav", **given, fakes=np.uint8(3), script=np.bool_(False))
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


def test_both_numbers_of_toys_are_refused() -> None:
    with pytest.raises(ValueError, match=r"toys is 4 and fakes is 2; both say how many toys there are"):
        InfantEnv("cog-sci-nav", toys=4, fakes=2)
    assert InfantEnv("cog-sci-nav", senses=("balance",)).core.settings.wrong_toys == 2  # type: ignore[attr-defined]


@pytest.mark.parametrize("settings", [{"skin": "yes"}, {"eyes": 5}, {"ears": None}])
def test_a_sense_is_a_truth_value_or_its_settings(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"it must be True or False or (Skin|Eye|Ears)Settings\(\.\.\.\)$"):
        Infant(**settings)


@pytest.mark.parametrize("action", [None, 0, {}, "left"])
def test_actions_of_several_agents_are_an_array(action: Any) -> None:
    env = InfantEnv("multi-agent-nav", senses=("balance",))
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"it must be an array with an action for each of 2 agents"):
        env.step(action)


@pytest.mark.parametrize("action", ["left", None, 1.5, float("nan"), float("inf"), [0, 1]])
def test_a_choice_is_a_whole_number(action: Any) -> None:
    env = InfantEnv("kick-the-ball", senses=("balance",), discrete=True)
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"it must be a whole number from 0 to 2"):
        env.step(action)


def test_in_pettingzoo_every_agent_acts() -> None:
    env = make_parallel("multi-agent-nav", senses=("balance",))
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"there is no action for agent_1; every agent acts in each step"):
        env.step({"agent_0": env.action_space("agent_0").sample()})
    with pytest.raises(ValueError, match=r"they must be a dictionary of actions"):
        env.step(None)


def test_vectors_name_the_tasks_that_are_left_out_or_refuse_a_setting() -> None:
    with pytest.raises(ValueError, match=r"num_envs is 1, but there are 2 tasks, so that maze-nav would not be played"):
        make_vec(["object-nav", "maze-nav"], num_envs=1, processes=False)
    with pytest.raises(ValueError, match=r"^object-nav: there is no setting 'cells'"):
        make_vec(["object-nav", "maze-nav"], num_envs=2, processes=False, cells=3)
    with pytest.raises(ValueError, match=r"task_settings has 'maze'; there are object-nav"):
        make_vec("object-nav", processes=False, task_settings={"maze": {}})


def test_an_address_is_a_text() -> None:
    with pytest.raises(ValueError, match=r"the address is 8818; it must be host:port"):
        connect(8818, "grab-object", token="secret words")  # type: ignore[arg-type]


def test_a_wrong_host_is_not_blamed_on_the_port() -> None:
    ended = CliRunner().invoke(app, ["infant", "serve", "--host", "999.1.1.1"])
    assert ended.exit_code == 1
    assert "--host: 999.1.1.1 is not an address of this machine" in ended.stderr
    assert "--port" not in ended.stderr
