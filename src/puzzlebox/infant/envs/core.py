"""One task that is played episode after episode: what all kinds of environments have in common."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from gymnasium import spaces

from puzzlebox.infant.catalogue import Entry, entry_named
from puzzlebox.infant.control.delay import Delay
from puzzlebox.infant.envs.perception import Observation, observe, space_of
from puzzlebox.infant.tasks.play import Play, PlaySnapshot
from puzzlebox.infant.tasks.settings import Settings
from puzzlebox.infant.tasks.task import Outcome, Task


@dataclass(frozen=True)
class Snapshot:
    """The state of an environment between two steps.

    Attributes:
        task: the name of the task.
        settings: its settings, as plain values.
        play: the state of the stage, of bodies, senses and task.
        late: observations and actions on their way.
        outcome: that of the last step.
        rng: the state of the random stream of later episodes.
    """

    task: str
    settings: Mapping[str, Any]
    play: PlaySnapshot
    late: tuple[tuple[Any, ...], tuple[Any, ...]]
    outcome: Outcome
    rng: Mapping[str, Any]


def task_class(entry: Entry) -> type[Task[Any]]:
    """Return the class of a task; this imports MuJoCo.

    Raises:
        ImportError: MuJoCo is not installed; the message says what brings it.
    """
    module, _, name = entry.place.partition(":")
    try:
        found: type[Task[Any]] = getattr(import_module(module), name)
    except ModuleNotFoundError as problem:
        if problem.name in ("mujoco", "slab"):
            raise ImportError(f"infant tasks need {problem.name}; pip install 'puzzlebox[infant]' brings it") from None
        raise
    return found


class Core:
    """One task with its stage.

    Attributes:
        entry: the task in the catalogue.
        settings: its settings.
        task: the task.
        play: the episode that is played.
        outcome: that of the last step.
        observation_space: that of one agent.
        action_space: that of one agent.
    """

    def __init__(self, name: str, **settings: Any) -> None:
        self.entry = entry_named(name)
        kind = task_class(self.entry)
        self.settings: Settings = kind.settings_class.of(**settings)
        self.task = kind(self.settings)
        self.observation_space = self.new_observation_space()
        self.play = Play(self.task)
        self.action_space = self.new_action_space()
        self.outcome = Outcome([0.0] * self.task.agents)
        self._begun = False
        self._senses_delay, self._muscles_delay = Delay(self.settings.sense_delay), Delay(self.settings.muscle_delay)

    def new_observation_space(self) -> spaces.Dict:
        """Return another observation space of one agent."""
        return space_of(self.settings, len(self.task.targets), len(self.task.colours))

    def new_action_space(self) -> spaces.Box | spaces.Discrete[Any]:
        """Return another action space of one agent."""
        return deepcopy(self.play.control.space)

    @property
    def agents(self) -> int:
        """How many agents play together."""
        return self.task.agents

    def reset(self, seed: int) -> list[Observation]:
        """Begin an episode and return the observation of each agent."""
        self.play.begin(seed)
        self._begun = True
        self.outcome = Outcome([0.0] * self.agents)
        observations = self._observe()
        self._senses_delay.reset(observations)
        self._muscles_delay.reset([self.play.idle(agent) for agent in range(self.agents)])
        return observations

    def step(self, actions: Sequence[Any]) -> list[Observation]:
        """Take one control step and return the observation of each agent; `outcome` has the rest.

        Raises:
            ValueError: an action does not fit the action space.
        """
        checked = [self.play.checked(action) for action in actions]
        self.outcome = self.play.step(self._muscles_delay.pass_on(checked))
        late: list[Observation] = self._senses_delay.pass_on(self._observe())
        return late

    @property
    def truncated(self) -> bool:
        """Whether the episode has lasted as long as it may."""
        return not self.outcome.over and self.play.steps >= self.settings.limit

    def info(self) -> dict[str, Any]:
        """Return `info`: the verdict, measures and events of the last step.

        The last event of an episode that is not passed is `failed`, with the reason as a sentence.
        """
        passed = self.outcome.passed
        if passed is None and self.truncated:
            passed = False
        measures = {name: float(value) for name, value in self.task.measures(self.play).items()}
        events = list(self.play.events)
        if passed is False and (self.outcome.over or self.truncated):
            events.append({"kind": "failed", "details": {"reason": self.task.reason(self.play)}})
        return {"passed": passed, "measures": measures, "events": events}

    def script(self) -> list[Any]:
        """Return the next action of the script of the task, for each agent."""
        return [self.play.scripted(agent) for agent in range(self.agents)]

    def _observe(self) -> list[Observation]:
        task, touch = self.task, "touch" in self.settings.chosen_senses
        return [
            observe(
                self.settings, state, touch and task.touches(self.play, agent), task.target(agent), task.colour(agent)
            )
            for agent, state in enumerate(self.play.states())
        ]

    def snapshot(self, rng: Mapping[str, Any]) -> Snapshot:
        """Return the state of everything, with that of a random stream.

        Raises:
            RuntimeError: no episode has begun.
        """
        if not self._begun:
            raise RuntimeError("there is no episode; call reset() first")
        return Snapshot(
            self.entry.name,
            self.settings.plain(),
            self.play.save(),
            (deepcopy(self._senses_delay.snapshot()), deepcopy(self._muscles_delay.snapshot())),
            deepcopy(self.outcome),
            dict(rng),
        )

    def restore(self, snapshot: Snapshot) -> list[Observation]:
        """Go back to a snapshot and return the observation of each agent.

        Raises:
            TypeError: it is not a snapshot.
            ValueError: it is one of another task or of other settings.
        """
        if not isinstance(snapshot, Snapshot):
            raise TypeError(f"only what `snapshot` returned can be restored, not {type(snapshot).__name__}")
        if (snapshot.task, snapshot.settings) != (self.entry.name, self.settings.plain()):
            raise ValueError(
                f"the snapshot is one of {snapshot.task} with the settings {dict(snapshot.settings)}; this environment "
                f"is {self.entry.name} with {dict(self.settings.plain())}"
            )
        self.play.load(snapshot.play)
        self._begun = True
        self.outcome = deepcopy(snapshot.outcome)
        senses, muscles = deepcopy(snapshot.late)
        self._senses_delay.restore(senses)
        self._muscles_delay.restore(muscles)
        observations = self._observe()
        return senses[-1] if senses else observations
