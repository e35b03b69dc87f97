"""`AnimalAIEnvironment` with its original arguments and methods, implemented with `ArenaEnv`."""

from collections.abc import Sequence
from math import isfinite
from os import PathLike
from subprocess import Popen
from typing import Any, ClassVar, NamedTuple
from uuid import UUID

import numpy as np

from puzzlebox.animalai.base_env import (
    ActionSpec,
    ActionTuple,
    BaseEnv,
    BehaviorMapping,
    BehaviorSpec,
    DecisionSteps,
    DimensionProperty,
    Floats,
    ObservationSpec,
    ObservationType,
    TerminalSteps,
    UnityActionException,
    UnityEnvironmentException,
)
from puzzlebox.animalai.notes import warn_ignored
from puzzlebox.animalai.observation_log import ObservationLog
from puzzlebox.animalai.side_channel.engine_configuration_channel import EngineConfigurationChannel
from puzzlebox.animalai.side_channel.raw_bytes_channel import RawBytesChannel
from puzzlebox.animalai.side_channel.side_channel import SideChannel
from puzzlebox.animalai.studio_process import open_page
from puzzlebox.arena.envs.arena import ArenaEnv
from puzzlebox.arena.envs.settings import Observation, refuse_unknown
from puzzlebox.arena.schema import Task
from puzzlebox.arena.senses.rays import Rays

BEHAVIOR = "AnimalAI?team=0"
# The task that is played by default.
_DEFAULT_TASK = "examples/food"
_VITALS = 7
# Builds up to 4.3 have at most this many tags; in them an episode whose time runs out is not interrupted.
_OLD_RAY_TAGS = 12
# Arguments that only Unity needed, with their defaults.
_WITHOUT_EFFECT = {
    "additional_args": None,
    "file_name": None,
    "worker_id": 0,
    "base_port": 5005,
    "inference": False,
    "no_graphics": False,
    "use_YAML": True,
    "timescale": 1,
    "targetFrameRate": 60,
    "captureFrameRate": 0,
}
# Arguments of versions 1 and 2, which had several arenas in one process and ran in a container.
_OLDER = ("n_arenas", "docker_training")


class PlayTrain(NamedTuple):
    """A number for play by a participant, and another for training."""

    play: int
    train: int


class UnityEnvironment(BaseEnv):
    """The base class of `AnimalAIEnvironment` in ML-Agents; it has no other subclass here."""


class AnimalAIEnvironment(UnityEnvironment):
    """Animal-AI's environment: the same arguments, observations and steps, without Unity.

    Arguments that only Unity needed are accepted, with a warning. `rayMaxDegrees` is the angle of one side of the fan.
    After an episode the next arena starts by itself; calling `reset` at that moment does not skip it.

    Args:
        log_folder: the folder of the original's log, `ObservationLogs/Observations_<time>.csv`: a row per physics step,
            written when an episode ends, at `reset` and at `close`. Default: no log.
        play: whether a participant can also play the file, on the studio's play page, which makes recordings of its
            own.
        rules: the build whose rules apply; see `puzzlebox.Rules`. Default: those of 4.3. Under builds up to 4.3 an
            episode whose time runs out ends like any other; `interrupted` is never true.
        older: `n_arenas` and `docker_training` of versions 1 and 2: accepted, with a warning.
        others: as in the original.
    """

    WINDOW_WIDTH: ClassVar[PlayTrain] = PlayTrain(1200, 32)
    WINDOW_HEIGHT: ClassVar[PlayTrain] = PlayTrain(800, 32)
    QUALITY_LEVEL: ClassVar[PlayTrain] = PlayTrain(1, 1)
    ARENA_CONFIG_SC_UUID: ClassVar[str] = "9c36c837-cad5-498a-b675-bc19c9370072"
    YAML_SC_UUID: ClassVar[str] = "20b62eb2-cde3-4f5f-a8e5-af8d9677971d"

    def __init__(
        self,
        additional_args: Any = None,
        log_folder: "str | PathLike[str]" = "",
        file_name: "str | PathLike[str] | None" = None,
        worker_id: int = 0,
        base_port: int = 5005,
        seed: int | None = 0,
        play: bool = False,
        arenas_configurations: "str | PathLike[str] | Task" = "",
        inference: bool = False,
        useCamera: bool = True,
        resolution: int | None = 150,
        grayscale: bool = False,
        useRayCasts: bool = False,
        raysPerSide: float = 2,
        rayMaxDegrees: float = 60,
        decisionPeriod: int = 3,
        side_channels: Sequence[SideChannel] | None = None,
        no_graphics: bool = False,
        use_YAML: bool = True,
        timescale: float = 1,
        targetFrameRate: int = 60,
        captureFrameRate: int = 0,
        *,
        rules: Any = "4.3",
        **older: Any,
    ) -> None:
        arguments = locals()
        refuse_unknown(older, [*(name for name in arguments if name not in ("self", "older")), *_OLDER], "argument")
        ignored = [name for name, default in _WITHOUT_EFFECT.items() if arguments[name] != default] + list(older)
        if play and log_folder:
            ignored.append("log_folder")
        if any(str(each.channel_id) != self.ARENA_CONFIG_SC_UUID for each in side_channels or ()):
            ignored.append("side_channels")
        warn_ignored(ignored)
        self.play, self.inference, self.timescale = play, inference, timescale
        self.targetFrameRate, self.captureFrameRate = targetFrameRate, captureFrameRate
        self.side_channels = self.configure_side_channels(side_channels)
        self.timeout = 10 if play else 60
        self.useCamera, self.useRayCasts = bool(useCamera), bool(useRayCasts)
        size = None
        if useCamera:
            size = min(max(int(_number("resolution", 84 if resolution is None else resolution)), 4), 512)
        rays = 2 * int(_number("raysPerSide", raysPerSide)) + 1
        self._env = ArenaEnv(
            arenas_configurations or _DEFAULT_TASK,
            camera=size,
            grayscale=bool(grayscale),
            rays=rays if useRayCasts else None,
            ray_degrees=min(2 * _number("rayMaxDegrees", rayMaxDegrees), 360.0),
            decision_period=int(_number("decisionPeriod", decisionPeriod)),
            rules=rules,
        )
        self.obsdict: dict[str, Any] = {"camera": [], "rays": [], "health": [], "velocity": [], "position": []}
        self._specs = BehaviorSpec(self._observation_specs(), ActionSpec(0, (3, 3)))
        self._action = 0
        self._agent = -1
        self._log: ObservationLog | None = None
        self._begin({}, seed)
        if log_folder and not play:
            settings = self._env.settings
            fan = None if settings.rays is None else Rays(settings.rays, settings.ray_degrees)
            self._log = ObservationLog(log_folder, fan)
        self._rules = rules
        self._process: Popen[bytes] | None = None
        self._open_page(arenas_configurations or _DEFAULT_TASK)

    @staticmethod
    def executable_args(
        play: bool = False,
        useCamera: bool = True,
        resolution: int | None = 150,
        grayscale: bool = False,
        useRayCasts: bool = True,
        raysPerSide: float = 2,
        rayMaxDegrees: float = 60,
        decisionPeriod: int = 3,
    ) -> list[str]:
        """Return the command-line arguments that the original's program had for these; no program is started here."""
        settings = {
            "useCamera": bool(useCamera),
            "resolution": resolution,
            "grayscale": bool(grayscale),
            "useRayCasts": bool(useRayCasts),
            "raysPerSide": raysPerSide,
            "rayMaxDegrees": rayMaxDegrees,
            "decisionPeriod": decisionPeriod,
        }
        words = ["--playerMode", str(int(play))]
        for name, value in settings.items():
            if value is None or value is False:
                continue
            words += [f"--{name}"] if value is True else [f"--{name}", str(value)]
        return words

    def configure_side_channels(self, side_channels: Sequence[SideChannel] | None) -> list[SideChannel]:
        """Return these channels, with one for the engine and one for arenas added if they are missing."""
        channels = list(side_channels or ())
        if not any(isinstance(each, EngineConfigurationChannel) for each in channels):
            channels.append(self.create_engine_config_side_channel())
        if not any(str(each.channel_id) == self.ARENA_CONFIG_SC_UUID for each in channels):
            channels.append(RawBytesChannel(UUID(self.ARENA_CONFIG_SC_UUID)))
        return channels

    def create_engine_config_side_channel(self) -> EngineConfigurationChannel:
        """Return a channel for the engine's settings, which have no effect."""
        return EngineConfigurationChannel()

    @property
    def arenas_parameters_side_channel(self) -> Any:
        """Return the channel over which a task, its path or its text, can be sent; the next `reset` plays it."""
        return next(each for each in self.side_channels if str(each.channel_id) == self.ARENA_CONFIG_SC_UUID)

    def _take_sent_task(self) -> str:
        """Return the latest message about arenas, or "", and clear all channels."""
        messages = list(self.arenas_parameters_side_channel.message_queue)
        for channel in self.side_channels:
            channel.message_queue.clear()
        return bytes(messages[-1]).decode() if messages else ""

    def _open_page(self, task: Any) -> None:
        """Show a task on the play page, if the environment was created with `play`."""
        if self.play:
            self._stop_play()
            self._process = open_page(task, self._rules)

    def _observation_specs(self) -> list[ObservationSpec]:
        specs, space = [], self._env.observation_space
        none, moves = DimensionProperty.NONE, DimensionProperty.TRANSLATIONAL_EQUIVARIANCE
        if self.useCamera:
            height, width, channels = space["camera"].shape  # type: ignore[index]
            axes: tuple[DimensionProperty, ...] = (none, moves, moves)
            specs.append(ObservationSpec((channels, height, width), axes, ObservationType.DEFAULT, "CameraSensor"))
        if self.useRayCasts:
            shape = space["rays"].shape  # type: ignore[index]
            specs.append(ObservationSpec(shape, (none,), ObservationType.DEFAULT, "RayPerceptionSensor"))
        specs.append(ObservationSpec((_VITALS,), (none,), ObservationType.DEFAULT, "VectorSensor_size7"))
        return specs

    @property
    def behavior_specs(self) -> BehaviorMapping:
        """Return the observations and actions of agents, by the name of their behaviour; there is one."""
        return BehaviorMapping({BEHAVIOR: self._specs})

    def _begin(self, options: dict[str, Any], seed: int | None = None) -> None:
        record = None if self._log is None else self._env.world.snapshot()
        observation, _ = self._env.reset(seed=seed, options=options)
        if self._log is not None and record is not None:
            self._log.write(record)
        if seed is not None:
            self._agent = -1  # with a seed, agents are numbered from 0 again
        self._terminal = TerminalSteps.empty(self._specs)
        self._wait(observation, 0.0, new=True)

    def _wait(self, observation: Observation, reward: float, *, new: bool = False) -> None:
        """Store the observation of the agent that waits for an action; each episode has a new agent."""
        self._agent += new
        self._fresh = new
        self._action = 0
        mask = [np.zeros((1, 3), np.bool_) for _ in range(2)]
        self._decision = DecisionSteps(self._batch(observation), _one(reward), self._ids(), mask)

    def _ids(self) -> Any:
        return np.array([self._agent], np.int32)

    @staticmethod
    def _batch(observation: Observation) -> list[Floats]:
        """Return an observation as in ML-Agents: a list, an axis for agents, pictures from 0 to 1, channels first."""
        parts: list[Floats] = []
        if "camera" in observation:
            parts.append((observation["camera"].transpose(2, 0, 1)[None] / np.float32(255)).astype(np.float32))
        if "rays" in observation:
            parts.append(observation["rays"][None])
        return [*parts, observation["vitals"][None]]

    def reset(self, arenas_configurations: "str | PathLike[str] | Task" = "", *, seed: int | None = None) -> None:
        """Start the next episode, of a new file if one is given; with a seed (not in the original), start over.

        Raises:
            FileNotFoundError: there is no such file.
        """
        sent_task = self._take_sent_task()
        task = arenas_configurations or sent_task
        if task:
            self._begin({"task": task}, seed)
            self._open_page(task)
        elif seed is not None:
            self._begin({}, seed)
        elif self._fresh:  # the episode has just started, and no arena is skipped
            self._terminal = TerminalSteps.empty(self._specs)
        else:
            self._begin({})

    def step(self) -> None:
        """Step the agent by its action; without one it does nothing."""
        outcome = self._env.act(self._action)
        observation, reward = self._env.perceive(), outcome.rewards[0]
        self._terminal = TerminalSteps.empty(self._specs)
        if not (outcome.terminated or outcome.truncated):
            self._wait(observation, reward)
            return
        interrupted = outcome.truncated and self._env.rules.ray_tags > _OLD_RAY_TAGS
        ended = TerminalSteps(self._batch(observation), _one(reward), np.array([interrupted]), self._ids())
        self._begin({})
        self._terminal = ended

    def get_steps(self, behavior_name: str) -> tuple[DecisionSteps, TerminalSteps]:
        """Return the agent that waits for an action, and the one whose episode ended in the last step."""
        self._check(behavior_name)
        return self._decision, self._terminal

    def set_actions(self, behavior_name: str, action: ActionTuple) -> None:
        """Set the next action of the agent, as one row."""
        self._check(behavior_name)
        chosen = np.asarray(getattr(action, "discrete", action))
        if chosen.shape != (1, 2) or chosen.dtype.kind not in "iuf" or not np.isin(chosen, (0, 1, 2)).all():
            raise UnityActionException(f"the actions are {chosen.tolist()}; give one row of two numbers from 0 to 2")
        self._action = int(3 * chosen[0, 0] + chosen[0, 1])

    def set_action_for_agent(self, behavior_name: str, agent_id: int, action: ActionTuple) -> None:
        """Set the next action of one agent."""
        if agent_id != self._agent:
            raise UnityEnvironmentException(f"agent {agent_id} does not wait for an action; agent {self._agent} does")
        self.set_actions(behavior_name, action)

    def _check(self, behavior_name: str) -> None:
        if behavior_name != BEHAVIOR:
            raise UnityActionException(f"there is no behaviour {behavior_name!r}; there is {BEHAVIOR!r}")

    def get_obs_dict(self, obs: list[Floats], agent_index: int = 0) -> dict[str, Any]:
        """Return the observations of an agent by name, always in the same dictionary."""
        parts = [part[agent_index] for part in obs]
        if self.useCamera:
            self.obsdict["camera"] = parts[0]
        if self.useRayCasts:
            self.obsdict["rays"] = parts[int(self.useCamera)]
        vitals = parts[-1]
        self.obsdict |= {"health": vitals[0], "velocity": vitals[1:4], "position": vitals[4:7]}
        return self.obsdict

    def get_obs_dicts(self, obs: list[Floats]) -> list[dict[str, Any]]:
        """Return the observations of each agent by name, each in its own dictionary."""
        return [dict(self.get_obs_dict(obs, index)) for index in range(len(obs[-1]))]

    @property
    def arena(self) -> ArenaEnv:
        """Return the Puzzlebox environment, for what the original could not do."""
        return self._env

    def close(self) -> None:
        """Close the environment for good, and the play page if there is one."""
        if self._log is not None:
            self._log.write(self._env.world.snapshot())
            self._log = None
        self._fresh = False
        self._env.close()
        self._stop_play()

    def _stop_play(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            self._process = None


def _number(name: str, value: Any) -> float:
    """Return an argument as a number; the original accepted anything that converts to one."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not isfinite(number) or number < 0:
        raise ValueError(f"{name} is {value!r}; it must be a number, 0 or more")
    return number


def _one(value: float) -> Floats:
    return np.array([value], np.float32)
