"""The tables of demands beside the manifests: complete, of the present texts, and as read off the arenas."""

from pathlib import Path

import pytest

from puzzlebox.arena.demands import demands
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
    assert all(list(own) == names for _, own in read_demands(folder).values())


def check(name: str) -> None:
    task = load_task(name)
    measured = demands(task)
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


def test_the_wing_takes_the_demands_of_default_rules_from_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    task = load_task("testbed/03-05-1")
    monkeypatch.setattr("puzzlebox.arena.demands.demands", lambda *_: {"detour": -1.0})
    assert WING.demands(task, 0, WING.rules(None))["detour"] > 1
    assert WING.demands(task, 0, WING.rules("3.1"))["detour"] == -1
    assert WING.demands(load_task("food/picnic"), 0, WING.rules(None))["detour"] == -1


@pytest.mark.parametrize("row", [17, 19, 20, 21, 23])
def test_a_block_before_a_button_must_be_pushed(row: int) -> None:
    for variant in (1, 2, 3):
        name = f"testbed/10-{row}-{variant}"
        stored = stored_demands(name, load_task(name).text)
        assert (stored["demand_push"], stored["demand_beyond_reach"]) == (1, 1)


@pytest.mark.parametrize("row", [18, 22, 24, 27, 30])
def test_an_open_gate_and_a_tool_demand_no_push(row: int) -> None:
    name = f"testbed/10-{row}-1"
    assert stored_demands(name, load_task(name).text)["demand_push"] == 0
