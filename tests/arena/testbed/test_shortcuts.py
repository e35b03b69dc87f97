"""Tests of levels 3, 5 and 10 need other actions than their controls: what solves a control fails its tests."""

import pytest

from puzzlebox.arena.schema import load_task
from puzzlebox.arena.testbed.level import VARIANTS
from puzzlebox.arena.testbed.manifest import read_solutions
from puzzlebox.arena.testbed.reading import read_level
from puzzlebox.arena.testbed.solutions import Solution, solved_by

LEVELS = (3, 5, 10)


def pairs(number: int, variant: int) -> list[tuple[str, Solution]]:
    """Return the tests of a level that have a control, each with the solution of that control."""
    level = read_level(number)
    solutions = read_solutions(level.folder)
    names = {row: f"testbed/{number:02d}-{row:02d}-{variant}" for row in level.rows}
    return [(names[row], solutions[names[each.control]][0]) for row, each in level.rows.items() if each.control]


def passes(name: str, solution: Solution) -> bool:
    """Return whether what solves another task passes a task."""
    return solved_by(load_task(name), solution.actions, solution.seed)


@pytest.mark.parametrize("number", LEVELS)
@pytest.mark.parametrize("variant", range(1, VARIANTS + 1))
def test_what_solves_a_control_fails_its_tests(number: int, variant: int) -> None:
    found = pairs(number, variant)
    assert len(found) >= 20
    assert [name for name, solution in found if passes(name, solution)] == []


def test_a_task_is_solved_by_its_own_solution() -> None:
    name = "testbed/10-01-1"
    assert passes(name, read_solutions(read_level(10).folder)[name][0])
