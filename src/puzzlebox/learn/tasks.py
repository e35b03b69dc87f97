"""The tasks that an agent is trained on: what sources name, all of one wing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from puzzlebox.record.entries import hash_of
from puzzlebox.wings import TrainingTask, Wing, find_training, split_source


@dataclass(frozen=True)
class TaskList:
    """Tasks of one wing.

    Attributes:
        wing: the wing.
        tasks: the tasks, in order.
    """

    wing: Wing
    tasks: tuple[TrainingTask, ...]

    @property
    def names(self) -> list[str]:
        """Return the names of the tasks."""
        return [each.name for each in self.tasks]

    def plain(self) -> list[dict[str, str]]:
        """Return name and hash of each task; of a template, the hash of the template."""
        return [{"name": each.name, "hash": hash_of(each.text)} for each in self.tasks]

    def vector(self, num_envs: int, settings: dict[str, Any], **options: Any) -> Any:
        """Make a vector of environments that play these tasks.

        Raises:
            ValueError: a setting is not valid, or the tasks do not fit into one vector.
        """
        try:
            return find_training(self.wing).training_vector(self.tasks, num_envs, settings, **options)
        except TypeError as problem:
            raise ValueError(str(problem).rpartition("argument ")[2]) from None


def find_training_tasks(sources: Sequence[str]) -> TaskList:
    """Return the tasks that some sources name, in order, each once.

    Args:
        sources: as for `puzzlebox run`; a template counts as one task, of which each episode draws a new variation.

    Raises:
        FileNotFoundError: nothing has that name.
        ValueError: there is no task, two differ under one name, or they belong to two wings or to one whose tasks
            are not learned by playing.
    """
    wings: dict[str, Wing] = {}
    tasks: dict[str, TrainingTask] = {}
    for source in sources:
        wing, name = split_source(source)
        wings[wing.name] = wing
        _add(tasks, find_training(wing).training_tasks(name))
    if len(wings) > 1:
        raise ValueError(f"an agent is trained on tasks of one wing, and these are of {' and '.join(wings)}")
    if not tasks:
        raise ValueError("there is nothing to train on; name tasks, folders or patterns")
    return TaskList(next(iter(wings.values())), tuple(tasks.values()))


def _add(tasks: dict[str, TrainingTask], found: Iterable[TrainingTask]) -> None:
    for each in found:
        if each.name in tasks and tasks[each.name].text != each.text:
            raise ValueError(f"two tasks are called {each.name}, and they differ; rename one")
        tasks[each.name] = each
