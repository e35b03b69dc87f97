"""Where one of several ways, or pieces of food, is right, no plan leads to the food without it."""

from collections.abc import Iterator

import pytest

from puzzlebox.arena.schema import load_task
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.solver import solve
from puzzlebox.arena.testbed.level import VARIANTS
from puzzlebox.arena.testbed.reading import read_level

# What makes the right way in the templates of levels 5 and 10, whose first thing of this kind belongs to it.
RIGHT = {
    (5, "tower"): "Ramp",
    (5, "yards"): "Ramp",
    (5, "bridges"): "Ramp",
    (5, "table"): "Ramp",
    (5, "court"): "Ramp",
    (5, "support"): "GoodGoal",
    (10, "tube"): "GoodGoal",
    (10, "hook"): "GoodGoal",
    (10, "pillar"): "GoodGoal",
}


def with_wrong_ways() -> Iterator[tuple[str, str]]:
    """Yield the tests in which there are several of those things, and the kind."""
    for (number, template), kind in RIGHT.items():
        level = read_level(number)
        rows = (row for row, each in level.rows.items() if each.template == template and not each.is_control)
        for name in (f"testbed/{number:02d}-{row:02d}-{variant}" for row in rows for variant in range(1, VARIANTS + 1)):
            if sum(item.name == kind for item in load_task(name).arenas[0].items) > 1:
                yield name, kind


def without_first(task: Task, kind: str) -> Task:
    """Return a task without the first thing of a kind."""
    arena = task.arenas[0]
    left_out = next(item for item in arena.items if item.name == kind)
    items = tuple(item for item in arena.items if item is not left_out)
    return task.model_copy(update={"arenas": (arena.model_copy(update={"items": items}),)})


TESTS = list(with_wrong_ways())


def test_the_tests_with_a_wrong_way_are_known() -> None:
    assert len(TESTS) > 40
    assert {name[8:13] for name, _ in TESTS} >= {"05-03", "05-05", "05-10", "05-15", "05-21", "05-26", "05-28", "10-29"}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind"), TESTS)
def test_without_the_right_way_there_is_no_plan(name: str, kind: str) -> None:
    task = load_task(name)
    assert solve(without_first(task, kind), seconds=20.0) is None
