"""What a wing may offer in addition to `protocols.Wing`: batteries, scales, training, pages of its own."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from puzzlebox.wings.protocols import Bundled

# `puzzlebox --help` imports this module; importing gymnasium would double its time.
if TYPE_CHECKING:
    import gymnasium as gym


class Battery(NamedTuple):
    """A large collection of tasks, of which `puzzlebox tasks` shows one line.

    Attributes:
        name: what the names of its tasks begin with, before the `/`.
        tasks: how many tasks it has.
        title: its title for people.
        tags: words that describe it.
    """

    name: str
    tasks: int
    title: str
    tags: Sequence[str]


class HasBatteries(Protocol):
    """What a wing may offer in addition: large collections of tasks, which are listed one at a time."""

    def batteries(self) -> Sequence[Battery]:
        """Return the batteries."""

    def battery(self, name: str, level: str = "") -> Iterator[Bundled]:
        """Yield the tasks of a battery, or those of one of its levels, in the order of their names."""


class HasSolutions(Protocol):
    """What a wing may offer in addition: recorded solutions of its tasks, which `puzzlebox replay` shows."""

    def solution(self, name: str) -> Any | None:
        """Return the record of an episode that passes a task, by the name of the task; None if there is none."""


class Scale(NamedTuple):
    """A fixed scale of returns, which does not depend on who has played.

    Attributes:
        chance: the return that is 0 on the scale.
        best: the return that is 1, above `chance`.
        source: what `chance` is: "random" for the mean return of the random agent, "idle" for the return of an agent
            that does nothing, "guess" for the mean return of a guess between answers.
    """

    chance: float
    best: float
    source: str


class HasScale(Protocol):
    """What a wing may offer in addition: a fixed scale of the returns of its tasks."""

    def scale(self, task: Any | None, task_hash: str, start: int) -> Scale | None:
        """Return the scale of the episodes from a start; None if there is none.

        Args:
            task: the task; None if only its hash is known.
            task_hash: the SHA-256 of its text.
            start: one of the starts of the task.
        """


class PublishedRate(NamedTuple):
    """A published result on one task.

    Attributes:
        agent: the agent or model, as the publication names it.
        task: the name of the task without its variant.
        value: its mean return.
    """

    agent: str
    task: str
    value: float


class Published(NamedTuple):
    """Published results on the tasks of a wing, and sentences that say what they are and what disagrees."""

    rates: Sequence[PublishedRate]
    remarks: Sequence[str]


class HasPublished(Protocol):
    """What a wing may offer in addition: published results, which reports show beside those of its tasks."""

    def published(self) -> Published:
        """Return the published results."""


class HasMethods(Protocol):
    """What a wing may offer in addition: what its episodes, returns and verdicts are, for the methods of a report."""

    def methods(self) -> Sequence[str]:
        """Return sentences for the methods section; without them, a report describes returns and pass marks."""


class HasEnvironment(Protocol):
    """What a wing may offer in addition: a Gymnasium environment that repeats recorded episodes, for datasets."""

    def environment(self, tasks: Sequence[Any], rules: Any, senses: Mapping[str, Any]) -> "gym.Env[Any, Any]":
        """Return an environment that plays tasks of one body; its `spec`, if it has one, recreates it.

        Args:
            tasks: the tasks, each once.
            rules: the rules of the records.
            senses: the settings of the senses.

        Raises:
            ValueError, TypeError: there is no such environment; the message says why.
        """

    def reset_options(self, task: Any, start: int) -> dict[str, Any]:
        """Return the `options` with which `reset` begins an episode of a task, as plain values."""

    def environment_action(self, env: "gym.Env[Any, Any]", action: Any) -> Any:
        """Return a recorded action as an element of the action space of the environment."""


class EpisodePage(NamedTuple):
    """The page of the studio that shows an episode, for a wing whose episodes are not shown step by step.

    Attributes:
        address: its address, such as `/intuitions?task=preference`.
        part: which part of the task was played, such as "pair 3".
    """

    address: str
    part: str


class HasEpisodePage(Protocol):
    """What a wing may offer in addition: a page of its own for each recorded episode."""

    def episode_page(self, task: Any, start: int, id: str) -> EpisodePage:
        """Return the page that shows an episode of a task, by its start and its id."""


class TrainingTask(NamedTuple):
    """What an agent is trained on: a task, or a template, of which each episode draws a new variation.

    Attributes:
        name: its name in `info["task"]`.
        task: the task or template.
        text: its text, from which its hash is computed.
    """

    name: str
    task: Any
    text: str


class HasTraining(Protocol):
    """What a wing may offer in addition: vectors of environments in which agents are trained.

    Attributes:
        trained_by: the command that trains something on the tasks of this wing in another way; "" if there is none,
            and agents are trained by playing.
    """

    trained_by: str

    def training_tasks(self, source: str) -> Iterator[TrainingTask]:
        """Yield what a source names, in order: a file, a folder, a pattern or a bundled name.

        Raises:
            FileNotFoundError: there is no such source.
        """

    def training_settings(self) -> Mapping[str, Any]:
        """Return the settings that every environment has, with their defaults; a task may have more."""

    def training_vector(
        self, tasks: Sequence[TrainingTask], num_envs: int, settings: Mapping[str, Any], **options: Any
    ) -> Any:
        """Make a Gymnasium vector whose environments play some tasks, with `autoreset="same_step"`.

        It has `task_names` and `set_task_weights`, and `snapshot` and `restore` as the vectors of the arena.

        Args:
            tasks: the tasks; environment i plays tasks i, i + num_envs, ... of the list, unless they have weights.
            num_envs: the number of environments.
            settings: the settings of the environments.
            options: `workers`, the number of processes, and what else the vector of this wing takes.

        Raises:
            ValueError, TypeError: a setting is not valid, or the tasks do not fit into one vector.
        """

    def training_senses(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the senses of an agent that was trained with some settings of environments."""
