"""What is to be run: tasks of a wing, each under one name."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from puzzlebox.record.entries import hash_of
from puzzlebox.wings import Found, Wing, split_source

# So many broken tasks are named; a folder of something else has hundreds.
_MOST_BROKEN = 10


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
    task: Any
    level: str = ""
    variant: str = ""

    @cached_property
    def text(self) -> str:
        """The task as it is stored."""
        return str(self.task.text)

    @cached_property
    def hash(self) -> str:
        """The SHA-256 of the text; equal tasks have equal ones."""
        return hash_of(self.text)

    @property
    def starts(self) -> Sequence[int]:
        """The positions an episode can start in."""
        return self.task.starts  # type: ignore[no-any-return]


def subjects_of(sources: Iterable[str], *, variations: int = 10, seed: int = 0) -> list[Subject]:
    """The tasks somebody names, in order, each once.

    Args:
        sources: files, folders, patterns, names of bundled tasks, of folders of them, and of templates; tasks of
            another wing than the arena begin with its name, as in `infant/...`.
        variations: how many variations of each template.
        seed: what those are drawn with.

    Raises:
        FileNotFoundError: nothing has that name or fits that pattern.
        TaskError: a task has mistakes.
        ValueError: several have, or there are tasks of two wings.
    """
    found: dict[str, Subject] = {}
    broken: dict[str, ValueError] = {}
    wings: dict[str, Wing] = {}
    for wing, name, place in _places(sources):
        wings[wing.name] = wing
        try:
            subjects = [subject(each) for each in wing.load(name, place, variations=variations, seed=seed)]
        except ValueError as problem:  # all of them are named, so that a folder is mended at once
            broken[place] = problem
            continue
        for each in subjects:
            if each.name in found and found[each.name].hash != each.hash:
                raise ValueError(f"two tasks are called {each.name}, and they differ; rename one, or run them apart")
            found[each.name] = each
    if broken:
        raise _all_of(list(broken.values()))
    if not found:
        raise ValueError("there is nothing to run; name tasks, folders or patterns")
    if len(wings) > 1:
        raise ValueError(f"a run has tasks of one wing, and these are of {' and '.join(wings)}; run them apart")
    return list(found.values())


def subject(found: Found) -> Subject:
    """A task that was found, as a run has it."""
    return Subject(*found)


def _places(sources: Iterable[str]) -> Iterator[tuple[Wing, str, str]]:
    for source in sources:
        wing, name = split_source(source)
        yield from ((wing, *place) for place in wing.places(name))


def _all_of(problems: Sequence[ValueError]) -> ValueError:
    """What is wrong with several tasks, in a line or more for each."""
    if len(problems) == 1:
        return problems[0]
    lines = [f"{len(problems)} tasks cannot be read", *map(str, problems[:_MOST_BROKEN])]
    if len(problems) > _MOST_BROKEN:
        lines.append(f"and {len(problems) - _MOST_BROKEN} more")
    return ValueError("\n".join(lines))
