"""The original's less common names: for each, a script in its style with only its imports changed."""

import logging
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest

import puzzlebox
from puzzlebox.animalai import AnimalAIEnvironment, arenas, download_binary, get_package_version
from puzzlebox.animalai.actions import AAIActions, stack_actions
from puzzlebox.animalai.base_env import ActionTuple, BaseEnv, BehaviorMapping, DecisionSteps, TerminalSteps
from puzzlebox.animalai.envs.settings import AAIOptions
from puzzlebox.animalai.executable import find_executable
from puzzlebox.animalai.gym import UnityToGymWrapper as FiveValues
from puzzlebox.animalai.LLM_scaffolds import ACTION_MAP, AVAILABLE_ACTIONS, FrameByFrameScaffold
from puzzlebox.animalai.side_channel import IncomingMessage, OutgoingMessage, SideChannel
from puzzlebox.animalai.side_channel.engine_configuration_channel import EngineConfig, EngineConfigurationChannel
from puzzlebox.animalai.side_channel.environment_parameters_channel import EnvironmentParametersChannel
from puzzlebox.animalai.side_channel.raw_bytes_channel import RawBytesChannel
from puzzlebox.animalai.side_channel.stats_side_channel import StatsAggregationMethod, StatsSideChannel
from puzzlebox.animalai.unity_gym_env import UnityToGymWrapper
from puzzlebox.arena.schema import TaskError
from studio_page import TIMEOUT_SECONDS, ask
from test_animalai import FOOD

NAME = "AnimalAI?team=0"


@pytest.fixture
def food(tmp_path: Path) -> str:
    path = tmp_path / "food.yml"
    path.write_text(FOOD)
    return str(path)


@pytest.fixture(autouse=True)
def _notes_are_seen(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "puzzlebox.animalai")


# --- the program that is not needed


def test_downloading_the_original_program_downloads_nothing(caplog: pytest.LogCaptureFixture) -> None:
    path = download_binary(version="4.3.1", force=True)
    assert path == find_executable("env")
    assert caplog.messages == ["there is nothing to download: Puzzlebox runs without Animal-AI's program"]
    env = AnimalAIEnvironment(
        file_name=str(path), arenas_configurations=arenas.GOOD_GOAL_FIXED_POS, useCamera=False, additional_args=["-x"]
    )
    assert caplog.messages[1:] == ["these arguments of Animal-AI have no effect here: additional_args, file_name"]
    assert env.arena.world.task.arenas[0].time_limit == 250
    assert get_package_version() == puzzlebox.__version__


def test_the_arguments_of_the_original_program() -> None:
    rest = "--rayMaxDegrees 60 --decisionPeriod 3"
    args = AnimalAIEnvironment.executable_args()
    assert " ".join(args) == f"--playerMode 0 --useCamera --resolution 150 --useRayCasts --raysPerSide 2 {rest}"
    args = AnimalAIEnvironment.executable_args(
        play=True, useCamera=False, resolution=None, grayscale=True, useRayCasts=False, raysPerSide=4.5
    )
    assert " ".join(args) == f"--playerMode 1 --grayscale --raysPerSide 4.5 {rest}"


# --- actions and the base of all environments


def test_actions_of_several_agents_are_stacked(food: str) -> None:
    do = AAIActions()
    both = stack_actions([do.LEFT, do.FORWARDSRIGHT.action_tuple])
    assert both.discrete.tolist() == [[0, 2], [1, 1]]
    assert both.discrete.dtype == np.int32
    assert both.continuous.shape == (2, 0)
    assert stack_actions([ActionTuple(discrete=[[1, 0]])]).continuous.shape == (1, 0)
    with pytest.raises(ValueError, match="there are no actions to stack"):
        stack_actions([])
    env = AnimalAIEnvironment(arenas_configurations=food, useCamera=False)
    env.set_actions(NAME, stack_actions([do.FORWARDS]))
    env.step()
    assert env.get_obs_dict(env.get_steps(NAME)[0].obs)["velocity"][2] > 0


def test_the_environment_has_the_interface_of_ml_agents(food: str) -> None:
    env = AnimalAIEnvironment(arenas_configurations=food, useCamera=False)
    assert isinstance(env, BaseEnv)
    specs = env.behavior_specs
    assert isinstance(specs, BehaviorMapping)
    assert (list(specs), len(specs), specs[NAME].action_spec.discrete_size) == ([NAME], 1, 2)
    with pytest.raises(TypeError):
        specs[NAME] = specs[NAME]  # type: ignore[index]
    with pytest.raises(TypeError, match="abstract"):
        BaseEnv()  # type: ignore[abstract]


class Twice(BaseEnv):
    """A typical wrapper: every action is taken twice."""

    def __init__(self, env: BaseEnv) -> None:
        self.env, self.action, self.reward = env, ActionTuple(discrete=[[0, 0]]), 0.0

    @property
    def behavior_specs(self) -> BehaviorMapping:
        return self.env.behavior_specs

    def reset(self) -> None:
        self.env.reset()

    def step(self) -> None:
        for _ in range(2):
            self.env.set_actions(NAME, self.action)
            self.env.step()
            if len(self.env.get_steps(NAME)[1]):
                break

    def set_actions(self, behavior_name: str, action: ActionTuple) -> None:
        self.action = action

    def set_action_for_agent(self, behavior_name: str, agent_id: int, action: ActionTuple) -> None:
        self.action = action

    def get_steps(self, behavior_name: str) -> tuple[DecisionSteps, TerminalSteps]:
        return self.env.get_steps(behavior_name)

    def close(self) -> None:
        self.env.close()


def test_the_gym_wrapper_accepts_a_custom_environment(food: str) -> None:
    steps = []
    for env in (
        AnimalAIEnvironment(arenas_configurations=food, useCamera=False),
        Twice(AnimalAIEnvironment(arenas_configurations=food, useCamera=False)),
    ):
        gym, done, count = UnityToGymWrapper(env), False, 0
        gym.reset()
        while not done:
            _, _, done, _ = gym.step([1, 0])
            count += 1
        steps.append(count)
    assert steps[1] == (steps[0] + 1) // 2
    today = FiveValues(env)
    today.reset()
    assert len(today.step([1, 0])) == 5
    with pytest.raises(ValueError, match="arena_config is for an AnimalAIEnvironment, not Twice"):
        today.reset(options={"arena_config": food})


# --- channels


def test_engine_settings_are_noted(food: str, caplog: pytest.LogCaptureFixture) -> None:
    channel = EngineConfigurationChannel()
    channel.set_configuration_parameters(width=84, height=84, time_scale=20.0)
    channel.set_configuration(EngineConfig.default_config()._replace(width=None, height=None, quality_level=None))
    env = AnimalAIEnvironment(arenas_configurations=food, useCamera=False, side_channels=[channel])
    has_none = "these arguments of Animal-AI have no effect here: "
    assert caplog.messages == [
        has_none + "width, height, time_scale",
        has_none + "time_scale, target_frame_rate, capture_frame_rate",
        has_none + "side_channels",
    ]
    assert env.side_channels == [channel, env.arenas_parameters_side_channel]


def test_side_channels_of_a_subclass_are_used(food: str, caplog: pytest.LogCaptureFixture) -> None:
    class Mine(AnimalAIEnvironment):
        def create_engine_config_side_channel(self) -> EngineConfigurationChannel:
            self.mine = EngineConfigurationChannel()
            return self.mine

    env = Mine(arenas_configurations=food, useCamera=False)
    assert env.side_channels == [env.mine, env.arenas_parameters_side_channel]
    assert env.configure_side_channels(env.side_channels) == env.side_channels
    assert env.arenas_parameters_side_channel.channel_id == UUID(env.ARENA_CONFIG_SC_UUID)
    assert env.YAML_SC_UUID == "20b62eb2-cde3-4f5f-a8e5-af8d9677971d"
    assert caplog.messages == []


def test_a_task_sent_by_hand_is_played_from_the_next_reset_on(food: str, caplog: pytest.LogCaptureFixture) -> None:
    channel = RawBytesChannel(UUID(AnimalAIEnvironment.ARENA_CONFIG_SC_UUID))
    env = AnimalAIEnvironment(arenas_configurations=food, useCamera=False, side_channels=[channel])
    assert caplog.messages == []
    assert env.arenas_parameters_side_channel is channel

    def limit() -> float:
        return env.arena.world.task.arenas[0].time_limit

    channel.send_raw_data(b"nothing.yml")
    channel.send_raw_data(bytearray(FOOD.replace("timeLimit: 50", "timeLimit: 70"), "utf-8"))
    assert limit() == 50
    env.reset()
    assert limit() == 70
    env.step()
    env.reset()
    assert limit() == 70
    channel.send_raw_data(food.encode())
    env.reset()
    assert limit() == 50
    channel.send_raw_data(b"arenas: [{items: [{name: Cat}]}]")
    with pytest.raises(TaskError, match="`Cat` is not a thing"):
        env.reset()
    channel.send_raw_data(b"arenas: [{items: [{name: Cat}]}]")
    env.reset(arenas_configurations=arenas.GOOD_GOAL_FIXED_POS)  # overrides the task that was sent
    env.reset()
    assert limit() == 250


def test_a_custom_side_channel_receives_messages() -> None:
    class Talk(SideChannel):
        def __init__(self) -> None:
            super().__init__(UUID("621f0a70-4f87-11ea-a6bf-784f4387d1f7"))
            self.heard: list[Any] = []

        def on_message_received(self, msg: IncomingMessage) -> None:
            self.heard.append(
                (msg.read_bool(), msg.read_int32(), msg.read_float32(), msg.read_float32_list(), msg.read_string())
            )

        def say(self) -> None:
            msg = OutgoingMessage()
            msg.write_bool(True)
            msg.write_int32(-7)
            msg.write_float32(0.5)
            msg.write_float32_list([1.5, 2.0])
            msg.write_string("héllo")
            super().queue_message_to_send(msg)

    talk = Talk()
    talk.say()
    (message,) = talk.message_queue
    assert bytes(message[:9]) == b"\x01\xf9\xff\xff\xff\x00\x00\x00\x3f"  # little-endian, as ML-Agents writes it
    talk.on_message_received(IncomingMessage(message))
    talk.on_message_received(IncomingMessage(b""))
    assert talk.heard == [(True, -7, 0.5, [1.5, 2.0], "héllo"), (False, 0, 0.0, [], "")]
    env = AnimalAIEnvironment(useCamera=False, side_channels=[talk])
    env.reset()
    assert talk.message_queue == []
    raw = RawBytesChannel(talk.channel_id)
    raw.on_message_received(IncomingMessage(b"abc"))
    assert (raw.get_and_clear_received_messages(), raw.get_and_clear_received_messages()) == ([b"abc"], [])


def test_parameters_are_kept_and_stats_collected() -> None:
    parameters = EnvironmentParametersChannel()
    parameters.set_float_parameter("size", 2)
    parameters.set_uniform_sampler_parameters("speed", 1, 3, seed=5)
    parameters.set_float_parameter("size", 4)
    assert parameters.parameters == {"size": 4.0, "speed": ("uniform", 1, 3, 5)}
    stats = StatsSideChannel()
    for value in (1.0, 2.0):
        message = OutgoingMessage()
        message.write_string("food")
        message.write_float32(value)
        message.write_int32(2)
        stats.on_message_received(IncomingMessage(message.buffer))
    add = StatsAggregationMethod.SUM
    assert stats.get_and_reset_stats() == {"food": [(1.0, add), (2.0, add)]}
    assert stats.get_and_reset_stats() == {}


# --- options and language models


def test_an_options_file_of_the_older_training_script_is_read(food: str, tmp_path: Path, caplog: Any) -> None:
    path = tmp_path / "options.yml"
    path.write_text(f"arenaConfig: {food}\nuseCamera: false\nuseRayCasts: true\nraysPerSide: 4\nnumEnvs: 8\n")
    options = AAIOptions.load_config(path)
    assert options == AAIOptions(arenaConfig=food, useCamera=False, useRayCasts=True, raysPerSide=4)
    assert caplog.messages == ["these arguments of Animal-AI have no effect here: numEnvs"]
    env = AnimalAIEnvironment(
        arenas_configurations=options.arenaConfig,
        useCamera=options.useCamera,
        resolution=options.resolution,
        useRayCasts=options.useRayCasts,
        raysPerSide=options.raysPerSide,
    )
    assert env.behavior_specs[NAME].observation_specs[0].shape == (126,)
    path.write_text("- useCamera\n")
    with pytest.raises(ValueError, match=r"options.yml is not an options file"):
        AAIOptions.load_config(path)


def test_a_language_model_finds_food(food: str) -> None:
    assert AVAILABLE_ACTIONS == list(ACTION_MAP)
    scaffold = FrameByFrameScaffold(AnimalAIEnvironment(arenas_configurations=food, resolution=36), skipframe=5)
    prompt = scaffold.get_default_system_prompt()
    assert all(action in prompt for action in scaffold.available_actions)
    picture, info = scaffold.reset()
    assert picture.dtype == np.uint8
    assert (picture.shape, info) == ((36, 36, 3), {})
    rewards = []
    while not scaffold.is_finished():
        picture, reward, done, info = scaffold.step("FORWARD")
        rewards.append(reward)
    assert done
    assert scaffold.total_reward == pytest.approx(sum(rewards))
    assert scaffold.total_reward > 0.8
    assert scaffold.get_results()["num_steps"] == len(rewards)
    scaffold.reset()
    assert scaffold.get_results() == {"num_steps": 0, "total_reward": 0.0}
    with pytest.raises(KeyError, match=r"'FORWARDS' is not an action.*did you mean `FORWARD`"):
        scaffold.step("FORWARDS")
    scaffold.close()


# --- playing


def start(tmp_path: Path, *arguments: str) -> "subprocess.Popen[str]":
    """Run a script that opens the play page, on a machine whose browser does nothing."""
    surroundings = {**os.environ, "PUZZLEBOX_DATA": str(tmp_path / "data"), "BROWSER": "true", "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=surroundings,
        start_new_session=True,
    )


def check_page(link: str, task: str) -> None:
    """Return the link to a task's page."""
    found = re.fullmatch(rf"http://127\.0\.0\.1:(\d+)/play\?task=file%3A{task}\n", link)
    assert found is not None, link
    assert ask(int(found[1]), "/play")[0] == 200


@pytest.mark.parametrize("config", [True, False], ids=["a file", "no file"])
def test_play_runs_as_a_module_until_ctrl_c(food: str, tmp_path: Path, config: bool) -> None:
    chosen = ["--config_path", food] if config else []
    with start(tmp_path, "-m", "puzzlebox.animalai.play", *chosen, "--AAI_path", "env/AAI.x86_64") as process:
        try:
            assert process.stdout is not None
            check_page(process.stdout.readline(), "food" if config else "good_goal_random_pos")
            os.killpg(process.pid, signal.SIGINT)
            _, words = process.communicate(timeout=TIMEOUT_SECONDS)  # the studio writes there, too: it has ended
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0, words
    assert "these arguments of Animal-AI have no effect here: file_name" in words
    assert "Traceback" not in words
    assert "Warning" not in words


PLAYS = """
import sys
from puzzlebox.animalai.environment import AnimalAIEnvironment

env = AnimalAIEnvironment(play=True, arenas_configurations=sys.argv[1])
assert env._process and env.timeout == 10
input()
env.reset(sys.argv[2])
input()
if len(sys.argv) > 3:
    env.close()
    assert env._process is None
"""


@pytest.mark.parametrize("last", [["close"], []], ids=["closed", "forgotten"])
def test_an_environment_in_play_mode_opens_the_studio(food: str, tmp_path: Path, last: list[str]) -> None:
    other = tmp_path / "other.yml"
    other.write_text(FOOD)
    with start(tmp_path, "-c", PLAYS, food, str(other), *last) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            check_page(process.stdout.readline(), "food")
            print(file=process.stdin, flush=True)
            check_page(process.stdout.readline(), "other")
            # Both studios write there, too: they have ended.
            _, words = process.communicate("\n", timeout=TIMEOUT_SECONDS)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0, words
    assert "Traceback" not in words


def test_play_refuses_a_missing_file(monkeypatch: pytest.MonkeyPatch) -> None:
    from puzzlebox.animalai import environment
    from puzzlebox.animalai.play import play

    opened: list[Any] = []
    monkeypatch.setattr(environment, "open_page", lambda *asked: opened.append(asked))
    with pytest.raises(FileNotFoundError):
        play("not/there.yml")
    assert opened == []
    play("examples/food")
    assert opened == [("examples/food", "4.3")]


def test_a_closed_environment_is_closed() -> None:
    env = AnimalAIEnvironment(useCamera=False)
    env.close()
    env.close()
    for use in (env.reset, env.step):
        with pytest.raises(RuntimeError, match="the environment is closed; make a new one"):
            use()
