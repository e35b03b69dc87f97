"""Curricula by name or file: their tasks, how long they last, and their stages for a number of decisions."""

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from puzzlebox.learn.curricula import Curriculum, InOrder, Learnability, Stage, Stages
from puzzlebox.learn.tasks import TaskList, find_training_tasks
from puzzlebox.text import nearest

_FILE = Path(__file__).with_name("curricula.yml")
_TESTBED, _LEARNABILITY = "testbed", "learnability"
# The testbed of Voudouris et al. (2024): two million decisions with each level more, then five with all ten.
_TESTBED_STEPS, _TESTBED_TASKS, _LEVEL_SHARE, _LAST_SHARE = 25_000_000, "testbed-train/*", 2, 5


@dataclass(frozen=True)
class Course:
    """A curriculum with the tasks that it draws from.

    Attributes:
        name: its name or file; "" without a curriculum.
        sources: what names its tasks.
        tasks: the tasks.
        steps: the default number of decisions; None if there is none.
        stages: the sources and ends of its stages, as in `curricula.yml`; None if it has none.
    """

    name: str
    sources: tuple[str, ...]
    tasks: TaskList
    steps: int | None = None
    stages: tuple[Mapping[str, Any], ...] | None = None

    def curriculum(self, steps: int) -> Curriculum:
        """Return the curriculum for a number of decisions in all."""
        if self.name == _LEARNABILITY:
            return Learnability(self.tasks.names)
        if self.stages is None:
            return InOrder()
        whole, done = sum(each.get("share", 0) for each in self.stages), 0.0
        stages = []
        for each in self.stages:
            names = tuple(each["names"]) if "names" in each else tuple(find_training_tasks(each["tasks"]).names)
            if "share" in each:
                done += each["share"]
                stages.append(Stage(names, last_step=round(steps * done / whole)))
            else:
                stages.append(Stage(names, None, float(each["success"]), int(each["episodes"])))
        return Stages(self.tasks.names, stages)


def curriculum_names() -> list[str]:
    """Return the names of all curricula."""
    return [*_bundled(), _TESTBED, _LEARNABILITY]


def find_course(name: str | None, sources: Sequence[str], order: Path | None = None) -> Course:
    """Return a curriculum with its tasks.

    Args:
        name: one of `curriculum_names`, or a YAML file of the same form as `curricula.yml` has for one of them. None:
            no curriculum.
        sources: the tasks that the user names; only `testbed` and `learnability` take them.
        order: for `testbed`, a CSV file with the columns `stage` and `arena_ids_in_order`, which says which tasks of a
            folder each stage has.

    Raises:
        ValueError: there is no such curriculum, it has tasks of its own, or the file is not valid.
        FileNotFoundError: a file or task does not exist.
    """
    if order is not None and name != _TESTBED:
        raise ValueError("--order belongs to --curriculum testbed")
    if not name:
        return Course("", tuple(sources), find_training_tasks(sources))
    if name == _TESTBED:
        sources = tuple(sources) or (_TESTBED_TASKS,)
        tasks = find_training_tasks(sources)
        groups = _by_level(tasks) if order is None else _by_file(tasks, order)
        stages = [{"names": names, "share": _LEVEL_SHARE} for names in groups]
        stages.append({"names": groups[-1], "share": _LAST_SHARE})
        return Course(name, sources, tasks, _TESTBED_STEPS, tuple(stages))
    if name == _LEARNABILITY:
        return Course(name, tuple(sources), find_training_tasks(sources))
    about = _bundled().get(name)
    if about is None:
        if not Path(name).is_file():
            raise ValueError(f"there is no curriculum {name!r}, and no such file{nearest(name, curriculum_names())}")
        about = _read(Path(name))
    if sources:
        raise ValueError(f"the curriculum {name} has its own tasks; leave {sources[0]} out")
    own = tuple(dict.fromkeys(source for stage in about["stages"] for source in stage["tasks"]))
    return Course(name, own, find_training_tasks(own), about.get("steps"), tuple(about["stages"]))


def _bundled() -> dict[str, Any]:
    return yaml.safe_load(_FILE.read_text(encoding="utf-8"))


def _by_level(tasks: TaskList) -> list[list[str]]:
    """Return the names of levels 1 to k for each level k that tasks have."""
    levels: dict[int, list[str]] = {}
    for name in tasks.names:
        # `testbed-train/03` and its templates name their level; so do tasks of a testbed, such as 03-12-01.
        found = tasks.wing.level_of(name)
        word = found[0] if found else name.split("/")[1] if name.startswith("testbed-train/") else ""
        if not word.isdecimal():
            raise ValueError(f"the task {name} has no level in its name; the curriculum testbed needs one (LL-TT-VV)")
        levels.setdefault(int(word), []).append(name)
    groups: list[list[str]] = []
    for level in sorted(levels):
        groups.append([*(groups[-1] if groups else []), *levels[level]])
    return groups


def _by_file(tasks: TaskList, order: Path) -> list[list[str]]:
    """Return the names of the tasks of each stage that a file lists."""
    known: dict[str, str] = {}
    for name in tasks.names:
        word = name.rpartition("/")[2]
        known |= {word: name, word.rpartition("-")[0]: name} if word.endswith("-01") else {word: name}
    groups = []
    try:
        with order.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        stages = [(row["stage"], row["arena_ids_in_order"].split()) for row in rows]
    except (KeyError, csv.Error, UnicodeDecodeError, AttributeError):
        raise ValueError(
            f"{order} is not an order of stages: it needs the columns stage and arena_ids_in_order"
        ) from None
    for number, ids in stages:
        missing = [each for each in ids if each not in known]
        if missing:
            raise ValueError(f"{order}, stage {number}: there is no task {missing[0]}{nearest(missing[0], known)}")
        groups.append([known[each] for each in ids])
    if not groups:
        raise ValueError(f"{order} has no stage")
    return groups


def _read(path: Path) -> dict[str, Any]:
    """Return a curriculum from a file.

    Raises:
        ValueError: it is not one; the message says what is wrong.
    """
    try:
        about = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as problem:
        raise ValueError(f"{path} is not YAML: {' '.join(str(problem).split())}") from None
    stages = about.get("stages") if isinstance(about, dict) else None
    if not isinstance(stages, list) or not stages:
        raise ValueError(f"{path} is not a curriculum: it needs `stages`, a list")
    foreign = [each for each in about if each not in ("stages", "steps")]
    if foreign:
        raise ValueError(f"{path}: there is no key {foreign[0]!r}{nearest(str(foreign[0]), ('stages', 'steps'))}")
    steps = about.get("steps", 1)
    if isinstance(steps, bool) or not isinstance(steps, int | float) or not 1 <= steps < math.inf:
        raise ValueError(f"{path}: steps is {steps!r}; it must be a number, 1 or more")
    for number, stage in enumerate(stages, 1):
        where = f"{path}, stage {number}"
        tasks = stage.get("tasks") if isinstance(stage, dict) else None
        if not isinstance(tasks, list) or not tasks or not all(isinstance(each, str) for each in tasks):
            raise ValueError(f"{where}: it needs `tasks`, a list of names")
        unknown = [each for each in stage if each not in ("tasks", "share", "success", "episodes")]
        if unknown:
            allowed = nearest(str(unknown[0]), ("tasks", "share", "success", "episodes"))
            raise ValueError(f"{where}: there is no key {unknown[0]!r}{allowed}")
        numbers = {key: stage[key] for key in ("share", "success", "episodes") if key in stage}
        if "share" in numbers if {"success", "episodes"} <= set(numbers) else "share" not in numbers:
            raise ValueError(f"{where}: it needs either `share`, or `success` and `episodes`")
        for key, value in numbers.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
                raise ValueError(f"{where}: {key} is {value!r}; it must be a number above 0")
        if numbers.get("episodes", 1) % 1:
            raise ValueError(f"{where}: episodes is {numbers['episodes']!r}; it must be a whole number")
        if not 0 < numbers.get("success", 1) <= 1:
            raise ValueError(f"{where}: success is {numbers['success']!r}; it must be from 0 to 1")
    if len({"share" in stage for stage in stages}) > 1:
        raise ValueError(f"{path}: either all stages have `share`, or all have `success` and `episodes`")
    return about
