"""The tasks of a run, each under a unique name."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from puzzlebox.record.entries import hash_of
from puzzlebox.wings import Wing, split_source

# Invalid tasks that an error message names at most: a folder of other files may have hundreds.
_MOST_BROKEN = 10


@dataclass(frozen=True)
class RunTask:
    """A task of a run.

    Attributes:
        name: its name in the results, unique in the run.
        task: the task.
        level: the group in which results are compared: the level of the testbed, or the battery of a bundled task.
        variant: the variant, if the task has several; otherwise "".
        factors: the values that a template drew for it, by name.
    """

    name: str
    task: Any
    level: str = ""
    variant: str = ""
    factors: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @cached_property
    def text(self) -> str:
        """The text of the task."""
        return str(self.task.text)

    @cached_property
    def hash(self) -> str:
        """The SHA-256 of the text; equal for equal tasks."""
        return hash_of(self.text)

    @property
    def starts(self) -> Sequence[int]:
        """The arenas an episode can start in, as indices from 0."""
        return self.task.starts  # type: ignore[no-any-return]


def find_tasks(sources: Iterable[str], *, variations: int = 10, seed: int = 0) -> list[RunTask]:
    """Load the tasks that some sources name, in order, each once.

    Args:
        sources: files, folders, patterns, and names of bundled tasks, folders and templates. Names of tasks outside
            the arena begin with the name of their wing, as in `infant/...`.
        variations: the number of variations of each template.
        seed: the seed with which variations are drawn.

    Raises:
        FileNotFoundError: nothing has that name or matches that pattern.
        TaskError: a task is not valid.
        ValueError: several tasks are not valid, or the tasks belong to two wings.
    """
    tasks: dict[str, RunTask] = {}
    broken: dict[str, ValueError] = {}
    wings: dict[str, Wing] = {}
    for wing, name, place in _places(sources):
        wings[wing.name] = wing
        try:
            loaded = [RunTask(*each) for each in wing.load(name, place, variations=variations, seed=seed)]
        except ValueError as problem:  # the message is about all invalid tasks of a folder
            broken[place] = problem
            continue
        for each in loaded:
            if each.name in tasks and tasks[each.name].hash != each.hash:
                raise ValueError(f"two tasks are called {each.name}, and they differ; rename one, or run them apart")
            tasks[each.name] = each
    if broken:
        raise _combine(list(broken.values()))
    if not tasks:
        raise ValueError("there is nothing to run; name tasks, folders or patterns")
    if len(wings) > 1:
        raise ValueError(f"a run has tasks of one wing, and these are of {' and '.join(wings)}; run them apart")
    return list(tasks.values())


def _places(sources: Iterable[str]) -> Iterator[tuple[Wing, str, str]]:
    for source in sources:
        wing, name = split_source(source)
        yield from ((wing, *place) for place in wing.places(name))


def _combine(problems: Sequence[ValueError]) -> ValueError:
    """Combine the errors of several tasks into one, with at least one line for each."""
    if len(problems) == 1:
        return problems[0]
    lines = [f"{len(problems)} tasks cannot be read", *map(str, problems[:_MOST_BROKEN])]
    if len(problems) > _MOST_BROKEN:
        lines.append(f"and {len(problems) - _MOST_BROKEN} more")
    return ValueError("\n".join(lines))
