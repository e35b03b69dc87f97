"""The tables of demands beside the manifests: complete, of the present texts, and as read off the arenas."""

from pathlib import Path

import pytest

from puzzlebox.arena.schema import load_task
from puzzlebox.arena.testbed.demands import PREFIX, read_demands, stored_demands
from puzzlebox.arena.testbed.manifest import read_manifest
from puzzlebox.batteries.testbed import battery_names, level_folders
from puzzlebox.run.tasks import find_tasks
from puzzlebox.wings import ARENA, wing_named

WING = wing_named(ARENA)


@pytest.mark.parametrize("folder", level_folders(), ids=lambda folder: folder.name)
def test_every_task_has_its_demands(folder: Path) -> None:
    hashes = {name: entry.task_hash for name, entry in read_manifest(folder).items()}
    assert {name: found for name, (found, _) in read_demands(folder).items()} == hashes
    names = [column.name for column in WING.dimensions]
    assert all(list(demands) == names for _, demands in read_demands(folder).values())


def check(name: str) -> None:
    task = load_task(name)
    measured = WING.demands(task, 0, WING.rules(None))
    stored = stored_demands(name, task.text)
    assert {each.removeprefix(PREFIX): value for each, value in stored.items()} == pytest.approx(
        {column.name: measured[column.name] for column in WING.dimensions}, rel=1e-4, abs=1e-3
    )


@pytest.mark.parametrize("name", ["testbed/03-05-1", "testbed/08-13-1", "testbed-held-out/10-1-1"])
def test_the_table_holds_what_is_read_off_the_arena(name: str) -> None:
    check(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", battery_names())
def test_the_whole_table_holds_what_is_read_off_the_arenas(name: str) -> None:
    check(name)


def test_demands_are_factors_of_runs() -> None:
    (found,) = find_tasks(["testbed/03-05-1"])
    assert found.factors["demand_detour"] > 1
    assert "demand_push" in found.factors


def test_a_changed_task_has_no_stored_demands() -> None:
    name = "testbed/03-05-1"
    assert stored_demands(name, load_task(name).text + "\n") == {}
    assert stored_demands("testbed/99-01-1", "") == {}
