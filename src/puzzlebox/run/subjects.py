"""What is to be run: files, folders, patterns, bundled tasks and batteries, templates, each task under one name."""

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from puzzlebox.arena.envs.sources import places_of
from puzzlebox.arena.schema import Task, TaskWarning, load_task, write
from puzzlebox.arena.variations import Template, is_template
from puzzlebox.batteries import bundled_names, template_names
from puzzlebox.record.rows import hash_of
from puzzlebox.text import closest

# So many broken tasks are told of; a folder of something else has hundreds.
_MOST_BROKEN = 10
# LL-TT-VV, as the testbed names its tasks: level, task, variant.
_TESTBED = re.compile(r"(?:^|/)(\d{2})-(\d{2})-(\d{2})$")


@dataclass(frozen=True)
class Subject:
    """A task to be run.

    Attributes:
        name: what it is called in the results; no other task of the run has the same name.
        task: the task.
        level: what tasks are compared by: the level of the testbed, or the battery a bundled task belongs to.
        variant: which of several forms of a task it is; "" where there is one.
    """

    name: str
    task: Task
    level: str = ""
    variant: str = ""

    @cached_property
    def text(self) -> str:
        """The task as it is written."""
        return write(self.task)

    @cached_property
    def hash(self) -> str:
        """The SHA-256 of that; equal tasks have equal ones."""
        return hash_of(self.text)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The positions of the arenas an episode can start in; one that another merges into is none."""
        return self.task.starts

    @cached_property
    def animals(self) -> int:
        """How many animals there are, in the arena that has most of them."""
        return max([1, *(len(arena.agents()) for arena in self.task.arenas)])


def subjects_of(sources: Iterable[str], *, variations: int = 10, seed: int = 0) -> list[Subject]:
    """The tasks somebody names, in order, each once.

    Args:
        sources: files, folders, patterns, names of bundled tasks, of folders of them, and of templates.
        variations: how many variations of each template.
        seed: what those are drawn with.

    Raises:
        FileNotFoundError: nothing has that name or fits that pattern.
        TaskError: a task has mistakes.
        ValueError: several have.
    """
    found: dict[str, Subject] = {}
    broken: dict[str, ValueError] = {}
    for name, where in (place for source in sources for place in places_of(source)):
        try:
            subjects = list(_subjects(name, where, variations, seed))
        except ValueError as problem:  # all of them are told of, so that a folder is mended at once
            broken[where] = problem
            continue
        for subject in subjects:
            if subject.name in found and found[subject.name].hash != subject.hash:
                raise ValueError(f"two tasks are called {subject.name}, and they differ; rename one, or run them apart")
            found[subject.name] = subject
    if broken:
        raise _all_of(list(broken.values()))
    if not found:
        raise ValueError("there is nothing to run; name tasks, folders or patterns")
    return list(found.values())


def _all_of(problems: Sequence[ValueError]) -> ValueError:
    """What is wrong with several tasks, in a line or more for each."""
    if len(problems) == 1:
        return problems[0]
    lines = [f"{len(problems)} tasks cannot be read", *map(str, problems[:_MOST_BROKEN])]
    if len(problems) > _MOST_BROKEN:
        lines.append(f"and {len(problems) - _MOST_BROKEN} more")
    return ValueError("\n".join(lines))


def _subjects(name: str, where: str, variations: int, seed: int) -> Iterator[Subject]:
    make = _template(where, variations, seed)
    if make is not None:
        yield from make(name)
    else:
        yield subject_of(name, _loaded(where))


def _loaded(where: str) -> Task:
    with warnings.catch_warnings():
        # The doubts of 900 files would hide the progress; `puzzlebox check` shows them.
        warnings.simplefilter("ignore", TaskWarning)
        try:
            return load_task(Path(where))
        except FileNotFoundError as problem:
            batteries = {name.split("/", 1)[0] for name in bundled_names() if "/" in name}
            hint = "" if "did you mean" in str(problem) else closest(where, [*sorted(batteries), *template_names()])
            raise FileNotFoundError(f"{problem}{hint}") from None


def subject_of(name: str, task: Task, variant: str = "", battery: str = "") -> Subject:
    """A task under a name, with the level and the variant that go with it, whoever plays it."""
    place = testbed_place(name)
    if place is not None:
        return Subject(name, task, *place)
    if task.metadata.level is not None:
        level = str(task.metadata.level)
    else:
        level = battery or (name.rsplit("/", 1)[0] if "/" in name else "")
    return Subject(name, task, level, variant)


def testbed_place(name: str) -> tuple[str, str] | None:
    """The level and the variant a name of the testbed tells; None where it is none."""
    match = _TESTBED.search(name)
    return (str(int(match[1])), match[3]) if match else None


def _template(where: str, variations: int, seed: int) -> Callable[[str], Iterator[Subject]] | None:
    """How to make tasks of a template; None where that is none."""
    if not is_template(where):
        return None
    template = Template(where, seed=seed)

    def make(name: str) -> Iterator[Subject]:
        amount = variations if template.endless else min(variations, template.count)
        for variation in template.sample(amount, seed=seed):
            yield subject_of(f"{name}@{variation.number}", variation.task, str(variation.number), battery=name)

    return make
