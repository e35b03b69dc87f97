"""Animal-AI's classes one by one, as its own unit tests check them: signatures, values, mistakes."""

import csv
import inspect
import re
import subprocess
import sys
from collections import deque
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import puzzlebox.animalai as animalai
from puzzlebox.animalai import agents
from puzzlebox.animalai.actions import AAIAction, AAIActions
from puzzlebox.animalai.agents.braitenberg import Braitenberg
from puzzlebox.animalai.agents.randomActionAgent import RandomActionAgent
from puzzlebox.animalai.base_env import ActionTuple
from puzzlebox.animalai.environment import AnimalAIEnvironment, UnityEnvironment
from puzzlebox.animalai.LLM_scaffolds import environment_scaffolds as scaffolds
from puzzlebox.animalai.LLM_scaffolds.environment_scaffolds import EnvironmentScaffold, FrameByFrameScaffold
from puzzlebox.animalai.raycastparser import RayCastObjects, RayCastParser
from puzzlebox.arena.rules import PRESETS
from test_animalai import FOOD

NAME = "AnimalAI?team=0"
MEMBERS = (
    *("ARENA", "IMMOVABLE", "MOVABLE", "GOODGOAL", "GOODGOALMULTI", "BADGOAL", "GOALSPAWNER", "DEATHZONE", "HOTZONE"),
    *("RAMP", "SPAWNERBUTTON", "SIGNBOARD", "DECOYGOAL", "DECOYGOALBOUNCE", "HOLLOWBOX", "BADGOALMULTI", "DATAZONE"),
)


@pytest.fixture
def food(tmp_path: Path) -> str:
    path = tmp_path / "food.yml"
    path.write_text(FOOD)
    return str(path)


def parameters(callable_: Any) -> dict[str, Any]:
    """Return the names of the arguments and their defaults."""
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    given = inspect.signature(callable_).parameters.values()
    return {each.name: each.default for each in given if each.kind not in kinds}


# --- rays


def rays_of(*columns: int, tags: int = 12) -> Any:
    """Return rays that hit these columns; ray i is 0.1 (i + 1) away."""
    raw = np.zeros((len(columns), tags + 2))
    raw[np.arange(len(columns)), columns] = 1
    raw[:, -1] = 0.1 * np.arange(1, len(columns) + 1)
    return raw.ravel()


def test_what_rays_tell_apart() -> None:
    assert {each.name: each.value for each in RayCastObjects} == {name: i for i, name in enumerate(MEMBERS)}
    assert RayCastObjects.GOODGOAL != 3  # a plain Enum


def test_the_parser_holds_its_arguments() -> None:
    assert list(parameters(RayCastParser)) == ["listOfObjects", "numberOfRays"]
    parser = RayCastParser([RayCastObjects.ARENA, RayCastObjects.GOODGOAL], 3)
    assert (parser.numberOfRays, parser.numberOfObjects, parser.listofObjectVals) == (3, 2, [0, 3])
    assert parser.listOfObjects == [RayCastObjects.ARENA, RayCastObjects.GOODGOAL]


@pytest.mark.parametrize("wrong", [0, -1, 2.5, "5", None, True])
def test_a_number_of_rays_that_is_none(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"numberOfRays is .*; it must be a whole number, 1 or more"):
        RayCastParser([RayCastObjects.ARENA], wrong)


@pytest.mark.parametrize("wrong", ["ARENA", 3, None])
def test_an_object_that_is_none(wrong: Any) -> None:
    with pytest.raises(ValueError, match="is not a member of RayCastObjects"):
        RayCastParser([RayCastObjects.ARENA, wrong], 3)


@pytest.mark.parametrize("tags", [6, 12, 18])
def test_three_rays_are_three_columns_under_any_build(tags: int) -> None:
    parser = RayCastParser([RayCastObjects.ARENA, RayCastObjects.GOODGOAL], 3)
    raw = rays_of(0, 3, 0, tags=tags)
    expected = pytest.approx(np.array([[0.3, 0.1, 0.0], [0.0, 0.0, 0.2]]))
    for form in (raw, raw.tolist(), {"rays": raw}, {"rays": raw.tolist(), "health": 100}):
        assert parser.parse(form) == expected
        assert parser.numberDetectableObjects == tags


def test_an_object_these_rays_cannot_tell_is_never_seen() -> None:
    parser = RayCastParser(list(RayCastObjects), 3)
    assert parser.parse(rays_of(0, 1, 13)).shape == (17, 3)
    assert not parser.parse(rays_of(0, 1, 13))[12:].any()  # column 13 is the distance, not an object


def test_one_row_in_the_parsers_order() -> None:
    assert RayCastParser([], 5).reorderRow([0, 1, 2, 3, 4]).tolist() == [2, 4, 0, 3, 1]
    assert RayCastParser([], 1).reorderRow(np.array([7.0])).tolist() == [7.0]


@pytest.mark.parametrize("wrong", ["rays", 5, None, {"camera": [1]}, (1.0, 2.0)])
def test_what_cannot_be_parsed(wrong: Any) -> None:
    with pytest.raises(TypeError, match="rays are a list, an array or a dictionary with the key `rays`"):
        RayCastParser([RayCastObjects.ARENA], 3).parse(wrong)


@pytest.mark.parametrize("empty", [[], np.zeros(0), {"rays": []}])
def test_no_rays_at_all(empty: Any) -> None:
    with pytest.raises(ValueError, match="there are no ray numbers"):
        RayCastParser([RayCastObjects.ARENA], 3).parse(empty)


def test_the_parser_prints(capsys: pytest.CaptureFixture[str]) -> None:
    parser = RayCastParser([RayCastObjects.ARENA, RayCastObjects.GOODGOAL], 3)
    assert parser.prettyPrint(rays_of(0, 3, 0)) is None  # type: ignore[func-returns-value]
    assert capsys.readouterr().out == "ARENA: [0.3 0.1 0. ]\nGOODGOAL: [0.  0.  0.2]\n"
    parser.prettyPrint([])
    assert "there are no ray numbers" in capsys.readouterr().out
    Braitenberg(3).prettyPrint(rays_of(0, 3, 0))
    assert capsys.readouterr().out.splitlines()[0] == "GOODGOAL: [0.  0.  0.2]"


# --- agents


def test_the_vehicle() -> None:
    assert list(parameters(Braitenberg.ahead)) == ["self", "obs", "object"]
    vehicle = Braitenberg(no_rays=3)
    seen = vehicle.raycast_parser.parse(rays_of(3, 0, 0))
    where = (vehicle.ahead, vehicle.left, vehicle.right)
    assert [look(seen, object=RayCastObjects.GOODGOAL) for look in where] == [True, False, False]
    for ray, action in ((0, "forwards"), (1, "right"), (2, "left")):
        columns = [0, 0, 0]
        columns[ray] = 3
        assert vehicle.get_action(obs=rays_of(*columns)).name == action


def test_the_random_agents_arguments() -> None:
    assert parameters(RandomActionAgent) == {
        "max_step_length": 10,
        "step_length_distribution": None,
        "action_biases": None,
        "prev_step_bias": 0,
        "remove_prev_step": False,
    }
    assert agents.RandomActionAgent is RandomActionAgent
    for wrong in ({"action_biases": [1] * 8}, {"prev_step_bias": 1.1}, {"prev_step_bias": -0.1}):
        with pytest.raises(AssertionError):
            RandomActionAgent(**wrong)


def test_the_order_of_the_biases() -> None:
    names = ["noop", "left", "right", "forwards", "backwards"]
    names += ["forwards&left", "forwards&right", "backwards&left", "backwards&right"]
    assert [action.name for action in RandomActionAgent().actions] == names
    for place, name in enumerate(names):
        biases = [0.0] * 9
        biases[place] = 1000.0
        action = RandomActionAgent(action_biases=biases).get_new_action(AAIActions().NOOP)
        assert isinstance(action, AAIAction)
        assert action.name == name


def test_the_previous_action_again_or_never() -> None:
    before = AAIActions().LEFT
    sticky, fleeing = RandomActionAgent(prev_step_bias=1), RandomActionAgent(remove_prev_step=True)
    assert all(sticky.get_new_action(prev_step=before) is before for _ in range(20))
    drawn = {fleeing.get_new_action(before).name for _ in range(500)}
    assert len(drawn) == 8
    assert "left" not in drawn


@pytest.mark.parametrize(("draw", "length"), [(None, 4), (lambda: -3.9, 3), (lambda: 0.9, 0), (lambda: 5, 5)])
def test_an_action_lasts_as_long_as_the_distribution_draws(draw: Any, length: int) -> None:
    before = AAIActions().FORWARDS
    steps = RandomActionAgent(max_step_length=4, step_length_distribution=draw).get_num_steps(prev_step=before)
    assert steps == deque([before] * length)


# --- words for actions


class Pretend:
    """An environment of ML-Agents with what a scaffold needs: it pays 0.5 a step and ends after some."""

    def __init__(self, length: int = 3, shape: tuple[int, ...] = (3, 4, 5)) -> None:
        self.behavior_specs = {NAME: None, "nobody": None}
        self.length, self.shape, self.clock, self.done, self.resets = length, shape, 0, [], 0

    def reset(self) -> None:
        self.clock, self.resets = 0, self.resets + 1

    def step(self) -> None:
        self.clock += 1

    def set_actions(self, name: str, action: ActionTuple) -> None:
        assert name == NAME
        assert action.discrete.dtype == np.int32
        self.done.append(action.discrete.tolist())

    def get_steps(self, name: str) -> Any:
        assert name == NAME
        over = self.clock >= self.length
        return self._some(not over), self._some(over)

    def _some(self, there: bool) -> Any:
        count = int(there)
        picture = np.full((count, *self.shape), self.clock / 255, np.float32)
        reward = np.full(count, 0.5 if self.clock else 0.0, np.float32)

        class Steps(SimpleNamespace):
            def __len__(self) -> int:
                return count

        return Steps(obs=[picture], reward=reward, agent_id=np.zeros(count, np.int32))

    def close(self) -> None:
        self.closed = True


def test_the_words() -> None:
    pairs = ((0, 0), (1, 0), (2, 0), (0, 1), (0, 2), (1, 1), (1, 2))
    words = ("NOOP", "FORWARD", "BACKWARD", "TURN_RIGHT", "TURN_LEFT", "FORWARD_RIGHT", "FORWARD_LEFT")
    assert dict(zip(words, pairs, strict=True)) == scaffolds.ACTION_MAP
    assert scaffolds.AVAILABLE_ACTIONS == list(words)
    assert scaffolds.DEFAULT_LAST_FRAME.size == 0
    defaults = (scaffolds.DEFAULT_TOTAL_STEPS, scaffolds.DEFAULT_TOTAL_REWARD, scaffolds.DEFAULT_DONE)
    assert defaults == (0, 0.0, False)
    prompt = FrameByFrameScaffold.get_default_system_prompt()  # static: no environment is needed
    assert all(word in prompt for word in words)
    assert prompt != scaffolds.START_PROMPT
    assert issubclass(FrameByFrameScaffold, EnvironmentScaffold)
    with pytest.raises(TypeError, match="abstract"):
        EnvironmentScaffold(Pretend())  # type: ignore[abstract, arg-type]


def test_pictures_for_a_model() -> None:
    picture = np.zeros((3, 4, 5), np.float32)
    picture[1, 2, 3] = 1.0
    shown = scaffolds._process_obs(picture)
    assert (shown.shape, shown.dtype, shown[2, 3].tolist()) == ((4, 5, 3), np.uint8, [0, 255, 0])
    assert scaffolds._process_obs(np.ones((1, 4, 5), np.float32)).tolist() == [[255] * 5] * 4
    already = np.full((3, 4, 5), 200, np.uint8)
    assert (scaffolds._process_obs(already) == 200).all()
    rows_first = np.zeros((4, 5, 3), np.float32)
    assert scaffolds._process_obs(rows_first).shape == (4, 5, 3)


def test_a_scaffold_looks_when_made_and_does_not_reset() -> None:
    env: Any = Pretend()
    scaffold = FrameByFrameScaffold(env)
    assert (scaffold.behavior_name, env.resets, scaffold.is_finished(), scaffold.total_reward) == (NAME, 0, False, 0.0)
    assert scaffold.last_frame.shape == (4, 5, 3)
    assert scaffold.available_actions == scaffolds.AVAILABLE_ACTIONS
    for wrong in (0, -1):
        with pytest.raises(AssertionError):
            FrameByFrameScaffold(env, skipframe=wrong)
    with pytest.raises(KeyError, match="FORWARDS"):
        scaffold.step("FORWARDS")
    assert scaffold.get_results() == {"num_steps": 0, "total_reward": 0.0}


def test_a_scaffold_step_by_step() -> None:
    env: Any = Pretend(length=5)
    scaffold = FrameByFrameScaffold(env, skipframe=2)
    frame, reward, done, info = scaffold.step("FORWARD_LEFT")
    assert (frame.max(), reward, done, info) == (2, 1.0, False, {})
    assert env.done == [[[1, 2]]] * 2
    assert scaffold.step("NOOP")[1:3] == (1.0, False)
    frame, reward, done, _ = scaffold.step("TURN_RIGHT")
    assert (frame.max(), reward, done) == (5, 0.5, True)  # the last picture of the episode, and no step after it
    assert frame is scaffold.last_frame
    assert (len(env.done), scaffold.is_finished()) == (5, True)
    assert scaffold.get_results() == {"num_steps": 3, "total_reward": 2.5}
    assert scaffold.step("NOOP")[1:3] == (0.0, True)
    assert len(env.done) == 5
    assert scaffold.reset()[1] == {}
    assert (env.resets, scaffold.is_finished(), scaffold.total_reward) == (1, False, 0.0)
    assert scaffold.get_results() == {"num_steps": 0, "total_reward": 0.0}
    scaffold.close()
    assert env.closed


def test_an_episode_without_agents_is_over() -> None:
    env: Any = Pretend(length=0)
    scaffold = FrameByFrameScaffold(env)
    assert scaffold.step("FORWARD")[1:3] == (0.0, True)
    assert env.done == []


def test_a_scaffold_needs_a_camera(food: str) -> None:
    with pytest.raises(ValueError, match="made without a camera"):
        FrameByFrameScaffold(AnimalAIEnvironment(arenas_configurations=food, useCamera=False))


# --- the environment


def test_the_environments_arguments() -> None:
    assert parameters(AnimalAIEnvironment) == {
        **{"additional_args": None, "log_folder": "", "file_name": None, "worker_id": 0, "base_port": 5005, "seed": 0},
        **{"play": False, "arenas_configurations": "", "inference": False, "useCamera": True, "resolution": 150},
        **{"grayscale": False, "useRayCasts": False, "raysPerSide": 2, "rayMaxDegrees": 60, "decisionPeriod": 3},
        **{"side_channels": None, "no_graphics": False, "use_YAML": True, "timescale": 1, "targetFrameRate": 60},
        "captureFrameRate": 0,
    }
    assert list(parameters(AnimalAIEnvironment))[:8] == [
        *("additional_args", "log_folder", "file_name", "worker_id", "base_port", "seed", "play"),
        "arenas_configurations",
    ]
    assert issubclass(AnimalAIEnvironment, UnityEnvironment)
    sizes = (AnimalAIEnvironment.WINDOW_WIDTH, AnimalAIEnvironment.WINDOW_HEIGHT, AnimalAIEnvironment.QUALITY_LEVEL)
    assert [(each.play, each.train) for each in sizes] == [(1200, 32), (800, 32), (1, 1)]


@pytest.mark.parametrize(("rules", "numbers"), [({}, 70), ({"rules": "puzzlebox"}, 100), ({"rules": "2019"}, 40)])
def test_a_script_gets_the_rays_of_its_build(food: str, rules: dict[str, str], numbers: int) -> None:
    env = AnimalAIEnvironment(arenas_configurations=food, useCamera=False, useRayCasts=True, **rules)
    assert env.get_steps(NAME)[0].obs[0].shape == (1, numbers)
    assert (env.arena.rules == PRESETS["4.3"]) is (not rules)


@pytest.mark.parametrize("rules", ["4.3", "3.1", "2019", "puzzlebox"])
def test_running_out_of_time_interrupts_nothing_under_old_builds(rules: str, food: str) -> None:
    env = AnimalAIEnvironment(arenas_configurations=food, useCamera=False, rules=rules)
    while not len(env.get_steps(NAME)[1]):
        env.step()
    assert env.get_steps(NAME)[1].interrupted.tolist() == [rules == "puzzlebox"]
    wrapped = animalai.UnityToGymWrapper(AnimalAIEnvironment(arenas_configurations=food, useCamera=False, rules=rules))
    wrapped.reset()
    ends = (False, False)
    while not any(ends):
        ends = wrapped.step([0, 0])[2:4]
    assert ends == ((False, True) if rules == "puzzlebox" else (True, False))


def test_the_gym_wrapper_of_today(food: str) -> None:
    from puzzlebox.animalai.gym import UnityToGymWrapper

    assert UnityToGymWrapper is animalai.UnityToGymWrapper
    env: Any = UnityToGymWrapper(AnimalAIEnvironment(arenas_configurations=food, resolution=36), True, True, False)
    assert isinstance(env, gymnasium.Env)
    check_env(env, skip_render_check=True)
    observation, _ = env.reset()
    assert len(env.step(3)) == 5
    assert (env.name, env.action_size, env.game_over) == (NAME, 2, False)
    assert env.visual_obs.shape == env.group_spec.observation_specs[0].shape == observation.shape


def test_the_gym_wrapper_of_yesterday(food: str) -> None:
    from puzzlebox.animalai.envs.unity_gym_env import UnityToGymWrapper

    env = UnityToGymWrapper(AnimalAIEnvironment(arenas_configurations=food, useCamera=False))
    assert env.reset().shape == (7,)
    assert len(env.step([1, 0])) == 4


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["download", "--version", "4.3.1", "--platform", "Linux", "--force"], "there is nothing to download"),
        (["info"], f"Puzzlebox {animalai.__version__}"),
        (["cleanup", "--all"], "there is nothing to clean up"),
    ],
)
def test_the_command(words: list[str], says: str) -> None:
    done = subprocess.run([sys.executable, "-m", "puzzlebox.animalai", *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert says in done.stdout + done.stderr


def test_the_program_is_there_at_once() -> None:
    from puzzlebox.animalai.executable import find_executable, find_or_download_executable
    from puzzlebox.animalai.play import play

    assert find_or_download_executable("env", auto_download=False) == find_executable("env")
    assert list(parameters(play)) == ["configuration_file", "env_path", "log_path"]


# --- the log


def logs(folder: Path) -> list[Path]:
    return sorted((folder / "ObservationLogs").iterdir())


def test_the_log_of_a_script(food: str, tmp_path: Path) -> None:
    env = AnimalAIEnvironment(
        log_folder=str(tmp_path), arenas_configurations=food, useCamera=False, useRayCasts=True, raysPerSide=1
    )
    counts = []
    for action in (AAIActions().FORWARDS, AAIActions().NOOP):
        clock = 0
        while not len(env.get_steps(NAME)[1]):
            env.set_actions(NAME, action.action_tuple)
            clock = env.arena.world.clock
            env.step()
        counts.append(clock)
        env.reset()
    env.set_actions(NAME, AAIActions().LEFT.action_tuple)
    env.step()
    env.close()
    (log,) = logs(tmp_path)
    assert re.fullmatch(r"Observations_\d\d-\d\d-\d\d_\d{6}\.csv", log.name)
    lines = log.read_text().splitlines()
    assert [line for line in lines if line.startswith("Positive")] == [
        "Positive Goals Collected: 1",
        "Positive Goals Collected: 0",
        "Positive Goals Collected: 0",
    ]
    rows = [row for row in csv.DictReader(lines) if row["Episode"].isdigit()]
    assert [row["Episode"] for row in rows] == sorted(row["Episode"] for row in rows)
    steps = [[int(row["Step"]) for row in rows if row["Episode"] == episode] for episode in "123"]
    assert all(each == list(range(1, len(each) + 1)) for each in steps)
    # One row per physics step and one before the first; an action of three steps may end after one.
    assert [count + 1 < len(each) <= count + 4 for count, each in zip(counts, steps, strict=False)] == [True, True]
    assert len(steps[2]) == 4
    assert [row["CollectedRewardType"] for row in rows if row["CollectedRewardType"] != "None"] == ["GoodGoal"]
    assert rows[0]["CombinedRaycastData"].startswith("0.0200025:goodGoal;")
    assert rows[0]["CombinedRaycastData"].count(";") == 2
    assert rows[-1]["ActionRotateWithDescription"] == "2 (Rotate Left)"
    assert rows[-1]["arenaID"] == "0"


def test_there_is_no_log_without_a_log_folder(food: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    env = AnimalAIEnvironment(arenas_configurations=food, useCamera=False)
    env.step()
    env.close()
    asked = AnimalAIEnvironment(log_folder=str(tmp_path), arenas_configurations=food, useCamera=False)
    asked.reset()
    asked.close()  # no action was taken
    assert [path.name for path in tmp_path.iterdir()] == ["food.yml"]


def test_two_environments_log_to_two_files(food: str, tmp_path: Path) -> None:
    import copy

    one = AnimalAIEnvironment(log_folder=str(tmp_path), arenas_configurations=food, useCamera=False)
    one.step()
    two = copy.deepcopy(one)
    for env in (one, two):
        env.step()
        env.close()
    texts = [path.read_text() for path in logs(tmp_path)]
    assert len(texts) == 2
    assert texts[0] == texts[1]
