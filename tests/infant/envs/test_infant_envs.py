"""Every task of the toolkit: its id, its spaces, the same bytes for the same seed, snapshots, and its script."""

import pickle
from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import puzzlebox.infant
from puzzlebox.infant.catalogue import CATALOGUE, entry_named
from puzzlebox.infant.envs.env import InfantEnv

SMALL: dict[str, Any] = {"pixels": 16, "taxels": 300}
# Both kinds of control, moving things, several children, and things that are carried.
SOME = ("kick-the-ball", "multi-agent-nav", "disk-tower", "transport")


def same(one: Any, two: Any) -> bool:
    """Return whether two observations have the same bytes."""
    return one.keys() == two.keys() and all(np.array_equal(one[name], two[name]) for name in one)


def actions(env: InfantEnv, count: int, seed: int = 0) -> list[Any]:
    env.action_space.seed(seed)
    return [env.action_space.sample() for _ in range(count)]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", CATALOGUE)
def test_every_task_has_an_id_and_passes_the_checker(name: str) -> None:
    entry = CATALOGUE[name]
    env = gym.make(entry.id, **SMALL)
    assert isinstance(env.unwrapped, InfantEnv)
    assert env.unwrapped.core.entry is entry
    assert entry_named(entry.code) is entry_named(entry.id) is entry
    check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_same_seed_gives_the_same_bytes_and_a_snapshot_continues_them(name: str) -> None:
    first, second = (InfantEnv(name, **SMALL) for _ in range(2))
    both = [env.reset(seed=5)[0] for env in (first, second)]
    assert same(*both)
    plan = actions(first, 14)
    for action in plan[:7]:
        one, two = first.step(action), second.step(action)
        assert same(one[0], two[0])
        assert one[1:] == two[1:]
    saved = pickle.loads(pickle.dumps(first.snapshot()))
    ahead = [first.step(action) for action in plan[7:]]
    # Another environment, which has played something else meanwhile, and the same one.
    other = InfantEnv(name, **SMALL)
    other.reset(seed=99)
    other.step(plan[0])
    for env in (other, first):
        observation, info = env.restore(saved)
        assert same(observation, two[0])
        assert info == two[4]
        for action, wanted in zip(plan[7:], ahead, strict=True):
            found = env.step(action)
            assert same(found[0], wanted[0])
            assert found[1:] == wanted[1:]


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_seed_begins_differently(name: str) -> None:
    env = InfantEnv(name, senses=("joints",) if entry_named(name).group == "joint control" else ("eyes",), pixels=16)
    starts = [env.reset(seed=seed)[0] for seed in range(3)]
    assert not same(starts[0], starts[1])
    assert same(starts[2], env.reset(seed=2)[0])
    assert env.reset()[1]["passed"] is None


def played(name: str, scripted: bool, seeds: range, **settings: Any) -> float:
    """Return the mean return of the script or of random actions."""
    group = entry_named(name).group
    env = InfantEnv(name, script=scripted, senses=("balance",) if group == "joint control" else ("touch",), **settings)
    total = 0.0
    for seed in seeds:
        _, info = env.reset(seed=seed)
        env.action_space.seed(seed)
        over = False
        while not over:
            action = info["script"] if scripted else env.action_space.sample()
            _, reward, ended, truncated, info = env.step(action)
            total += reward
            over = ended or truncated
    return total / len(seeds)


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_script_beats_random_actions(name: str) -> None:
    seeds = range(1, 4)
    settings: dict[str, Any] = {}
    if name == "maze-nav":
        settings = {"searches": 1, "max_steps": 256}
    elif name == "disk-tower":
        settings = {"discs": 3, "max_steps": 300}
    elif name == "baby-run":
        settings = {"max_steps": 90}
    assert played(name, True, seeds, **settings) > played(name, False, seeds, **settings) + 0.2


def passes(name: str, seed: int, action: Any = None, **settings: Any) -> bool:
    """Return whether an episode is passed with one action all the time, or with the script if there is none."""
    env = InfantEnv(name, script=True, senses=("joints",), **settings)
    _, info = env.reset(seed=seed)
    over = False
    while not over:
        _, _, ended, truncated, info = env.step(info["script"] if action is None else action)
        over = ended or truncated
    return bool(info["passed"])


@pytest.mark.parametrize(
    ("name", "seeds", "settings"),
    [
        # Hands that pressed too little let these blocks slip, and nothing corrected where they were carried.
        ("grabs-block", (3,), {}),
        ("transport", (0, 3, 4, 7), {}),
        # The child turned aside and galloped in circles.
        ("baby-run", (13, 26, 27), {"max_steps": 60}),
        ("baby-run", (0, 1), {"turn": True, "max_steps": 120}),
        ("kick-the-ball", range(8), {}),
        ("kick-the-ball", range(8), {"level": "hard2"}),
    ],
)
def test_scripts_pass_where_it_is_hard(name: str, seeds: Sequence[int], settings: dict[str, Any]) -> None:
    assert [seed for seed in seeds if not passes(name, seed, **settings)] == []


@pytest.mark.parametrize("level", ["easy", "hard2"])
def test_no_ball_comes_to_a_child_that_stands_still(level: str) -> None:
    assert not any(passes("kick-the-ball", seed, np.zeros(2, np.float32), level=level) for seed in range(8))


@pytest.mark.slow
def test_the_script_stacks_all_six_discs() -> None:
    assert played("disk-tower", True, range(3)) == 5.0


@pytest.mark.parametrize("name", SOME)
def test_what_happens_is_in_info(name: str) -> None:
    env = InfantEnv(name, script=True, senses=("joints",), max_steps=120)
    _, info = env.reset(seed=1)
    kinds = set()
    for _ in range(120):
        _, _, over, truncated, info = env.step(info["script"])
        assert set(info) >= {"passed", "measures", "events"}
        kinds |= {event["kind"] for event in info["events"]}
        if over or truncated:
            break
    assert kinds & {"kicked", "reached", "grabbed", "arrived", "touched"}


def test_senses_and_actions_can_be_late() -> None:
    now, late = InfantEnv("object-nav", pixels=16), InfantEnv("object-nav", pixels=16, sense_delay=2, muscle_delay=3)
    start = now.reset(seed=3)[0]
    assert same(start, late.reset(seed=3)[0])
    forwards = np.array((1.0, 0.5), np.float32)
    seen = [now.step(forwards)[0] for _ in range(6)]
    delayed = [late.step(forwards)[0] for _ in range(6)]
    # Three steps pass until the muscles move, and two more until that is seen.
    assert all(same(each, start) for each in delayed[:4])
    assert not same(delayed[5], start)
    assert same(delayed[5], seen[0])


def test_only_chosen_senses_are_observed() -> None:
    senses = ("eyes", "fovea", "ears", "skin", "touch", "joints", "balance", "target")
    env = InfantEnv("object-nav", senses=senses, **SMALL, fovea_pixels=16, sound="spectrum", skin_part="whole")
    observation, _ = env.reset(seed=0)
    assert {name: part.shape for name, part in observation.items()} == {
        "eyes": (16, 16, 6),
        "fovea": (16, 16, 6),
        "ears": (2, 250),
        "skin": (300,),
        "touch": (1,),
        "joints": (434,),
        "balance": (6,),
        "target": (3,),
    }
    assert env.observation_space.contains(observation)
    assert observation["skin"].any()  # its feet touch the floor
    with pytest.raises(ValueError, match="this task names no colour"):
        InfantEnv("object-nav", senses=("colour",))


@pytest.mark.parametrize(
    ("settings", "words"),
    (
        ({"levle": 1}, "there is no setting 'levle'.*level"),
        ({"level": "esay"}, "level is 'esay'; it must be one of easy, hard, hard2.*easy"),
        ({"senses": ("eye",)}, "senses is 'eye'.*eyes"),
        ({"fakes": 99}, "fakes is 99; it must be a whole number from 0 to 6"),
        ({"hearing": "stereo"}, "hearing is 'stereo'"),
        ({"age_months": 99}, "the age is 99"),
        ({"sense_delay": -1}, "a delay is -1"),
        ({"primitives": ("fly",)}, "no primitive 'fly'"),
        ({"max_steps": 0}, "max_steps is 0"),
    ),
)
def test_wrong_settings_are_refused_with_a_sentence(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        puzzlebox.infant.make("object-nav", **settings)


def test_wrong_tasks_and_actions_are_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"no infant task 'grab'; there are baby-run.*grab"):
        puzzlebox.infant.make("grab")
    env = puzzlebox.infant.make("object-nav", pixels=16)
    with pytest.raises(RuntimeError, match="call reset"):
        env.step(np.zeros(2))
    env.reset(seed=0)
    with pytest.raises(ValueError, match="not finite"):
        env.step(np.array((np.nan, 0.0)))
    with pytest.raises(ValueError, match="shape"):
        env.step(np.zeros(5))
    other = puzzlebox.infant.make("object-nav", pixels=20)
    with pytest.raises(ValueError, match="the snapshot is one of object-nav"):
        other.restore(env.snapshot())
    with pytest.raises(TypeError, match="only what `snapshot` returned"):
        other.restore(3)  # type: ignore[arg-type]


def test_an_environment_paints_itself_from_outside() -> None:
    env = gym.make("puzzlebox/Infant-KickTheBall-v1", render_mode="rgb_array", senses=("touch",))
    env.reset(seed=0)
    picture: Any = env.render()
    assert picture.shape == (360, 480, 3)
    assert picture.std() > 10


def test_there_is_no_snapshot_before_the_first_episode() -> None:
    env = InfantEnv("kick-the-ball", senses=("balance",))
    with pytest.raises(RuntimeError, match=r"^there is no episode; call reset\(\) first$"):
        env.snapshot()
    env.reset(seed=1)
    other = InfantEnv("kick-the-ball", senses=("balance",))
    other.restore(env.snapshot())
    assert other.snapshot().task == "kick-the-ball"
