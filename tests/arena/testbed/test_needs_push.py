"""Every test of level 10 needs a push or a tool: without moving a movable thing, the solver finds no plan."""

import pytest

from puzzlebox.arena.rules import Rules
from puzzlebox.arena.schema import load_task
from puzzlebox.arena.solver import solve
from puzzlebox.arena.solver.touch import has_pushed
from puzzlebox.arena.testbed.manifest import read_solutions
from puzzlebox.arena.testbed.reading import read_level
from puzzlebox.arena.world import Record

LEVEL = read_level(10)
SOLUTIONS = read_solutions(LEVEL.folder)
TESTS = [
    f"testbed/10-{number:02d}-{variant}"
    for number, row in LEVEL.rows.items()
    if not row.is_control
    for variant in (1, 2, 3)
]


def pushes(name: str) -> bool:
    """Return whether the recorded solution of a task moves a movable thing."""
    solution = SOLUTIONS[name][0]
    actions = tuple((action,) for action in solution.actions)
    return has_pushed(Record(load_task(name), 0, solution.seed, Rules(), actions))


def test_every_recorded_solution_pushes_something() -> None:
    assert len(TESTS) == 63
    assert [name for name in TESTS if name.endswith("-1") and not pushes(name)] == []


@pytest.mark.parametrize("name", ["testbed/10-17-1", "testbed/10-24-1"])
def test_a_planner_that_moves_nothing_fails(name: str) -> None:
    assert solve(load_task(name), seconds=15.0, may_push=False) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", TESTS)
def test_a_planner_that_moves_nothing_fails_on_every_test(name: str) -> None:
    assert pushes(name)
    assert solve(load_task(name), seconds=15.0, may_push=False) is None
