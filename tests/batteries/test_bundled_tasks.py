"""The bundled tasks: each is complete, can be passed, and is not passed by doing nothing or by the typical mistake."""

from functools import cache, partial
from pathlib import Path

import pytest

from bundled_solutions import MISTAKES, SOLUTIONS
from player import Player, solved
from puzzlebox.arena.schema import load_task
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.world import World
from puzzlebox.arena.world.actions import NOOP
from puzzlebox.batteries import bundled_names

LEVELS = {
    "food": 1,
    "preferences": 2,
    "obstacles": 3,
    "avoidance": 4,
    "space": 5,
    "generalisation": 6,
    "models": 7,
    "memory": 8,
    "numbers": 9,
    "causes": 10,
}
OWN = [name for name in bundled_names() if name.split("/")[0] in LEVELS]
# A participant in a browser should finish an arena within a minute.
LONGEST = 600

load = cache(load_task)


def arenas(names: list[str]) -> list[tuple[str, int]]:
    """Return every arena of these tasks."""
    return [(name, arena) for name in names for arena in range(len(load(name).arenas))]


def test_each_level_has_tasks_and_each_task_a_solution() -> None:
    assert set(SOLUTIONS) == set(OWN)
    assert set(MISTAKES) <= set(OWN)
    for folder in LEVELS:
        assert len([name for name in OWN if name.startswith(f"{folder}/")]) >= 3


@pytest.mark.parametrize("name", OWN)
def test_each_task_has_a_level_title_description_and_tags(name: str) -> None:
    task: Task = load(name)
    about = task.metadata
    assert about.level == LEVELS[name.split("/")[0]]
    assert about.title and len(about.title) <= 30
    assert about.description and about.description.endswith(".") and 40 <= len(about.description) <= 220
    assert len(about.tags) >= 2
    assert len(task.arenas) <= 3
    for arena in task.arenas:
        assert 0 < arena.time_limit <= LONGEST
        assert arena.pass_mark > 0


def test_no_two_tasks_have_the_same_title() -> None:
    titles = [load(name).metadata.title for name in bundled_names()]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize(("name", "arena"), arenas(OWN))
def test_every_thing_is_placed_and_at_rest(name: str, arena: int) -> None:
    for seed in range(5):
        world = World(load(name), arena=arena, seed=seed)
        assert not world.unplaced, [str(each) for each in world.unplaced]


@pytest.mark.parametrize(("name", "arena"), arenas(OWN))
def test_each_arena_is_passed_by_its_scripted_solution(name: str, arena: int) -> None:
    for seed in range(2):
        solved(load(name), partial(SOLUTIONS[name], arena=arena), arena=arena, seed=seed)


@pytest.mark.parametrize(("name", "arena"), arenas(OWN))
def test_doing_nothing_does_not_pass(name: str, arena: int) -> None:
    world = World(load(name), arena=arena)
    while not world.over:
        world.step([NOOP] * len(world.animals))
    assert not world.passed()
    assert world.error is None


@pytest.mark.parametrize(("name", "arena"), arenas(sorted(MISTAKES)))
def test_the_mistake_a_task_tests_for_does_not_pass_it(name: str, arena: int) -> None:
    player = Player(load(name), arena=arena)
    MISTAKES[name](player, arena)
    while not player.world.over:
        player.do(NOOP)
    assert not player.world.passed(), player.animal.total


@pytest.mark.parametrize("name", OWN)
def test_the_page_of_bundled_tasks_is_current(name: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "tasks-bundled.md").read_text()
    about = load(name).metadata
    row = f"| `{name}` | {about.title} | {about.description} | {len(load(name).arenas)} | {', '.join(about.tags)} |"
    assert row in page, "python tools/bundled_sheet.py writes it anew"
