"""The built testbed: its names, hashes and solutions, and that its sets share no layout."""

import random
import sys
from functools import cache
from pathlib import Path

import pytest

from puzzlebox.arena.schema import load_task, read
from puzzlebox.arena.testbed.level import Level
from puzzlebox.arena.testbed.manifest import Entry, read_manifest, read_solutions
from puzzlebox.arena.testbed.pairs import partner_of
from puzzlebox.arena.testbed.reading import read_level
from puzzlebox.arena.testbed.sets import layout_hash
from puzzlebox.arena.testbed.solutions import Solution, actions_from, actions_text, replay
from puzzlebox.arena.testbed.training import TrainingSpace
from puzzlebox.batteries.testbed import BATTERY, HELD_OUT, battery_names, level_folders, training_names
from puzzlebox.record.entries import hash_of

LEVELS = level_folders()
ENTRIES: dict[str, Entry] = {name: each for folder in LEVELS for name, each in read_manifest(folder).items()}
SOLUTIONS: dict[str, list[Solution]] = {
    name: each for folder in LEVELS for name, each in read_solutions(folder).items()
}
NAMES = (*battery_names(BATTERY), *battery_names(HELD_OUT))
# Draws from the training space of each level.
DRAWS = 300


def test_every_task_is_in_the_manifest_and_has_a_solution() -> None:
    assert set(NAMES) == set(ENTRIES) == set(SOLUTIONS)


@pytest.mark.parametrize("folder", LEVELS, ids=lambda folder: folder.name)
def test_a_level_is_complete(folder: Path) -> None:
    level = read_level(int(folder.name))
    for row in level.rows:
        for variant in (1, 2, 3):
            assert f"{BATTERY}/{folder.name}-{row:02d}-{variant}" in NAMES
    held_out = {f"{HELD_OUT}/{folder.name}-{kind}-{number}" for kind in (1, 2, 3) for number in (1, 2, 3)}
    assert held_out == {name for name in NAMES if name.startswith(f"{HELD_OUT}/{folder.name}")}


@pytest.mark.parametrize("folder", LEVELS, ids=lambda folder: folder.name)
def test_the_texts_are_those_of_the_manifest_and_of_the_level(folder: Path) -> None:
    level = read_level(int(folder.name))
    for name in (name for name in NAMES if name.split("/")[1].startswith(folder.name)):
        task, entry = load_task(name, strict=True), ENTRIES[name]
        assert hash_of(task.text) == entry.task_hash
        about = task.metadata.model_extra or {}
        row = level.rows[int(about["task"])]
        assert (task.metadata.title, task.metadata.description) == (row.title, row.tests)
        assert (task.metadata.level, task.metadata.citation) == (level.number, row.reference)
        assert (about["condition"], about["paradigm"], about["template"]) == (row.condition, row.paradigm, row.template)
        made = level.templates[entry.template].at(entry.number)
        assert layout_hash(made.task) == layout_hash(task)


def is_pair(names: list[str]) -> bool:
    """Return whether some tasks are a variant of a test and that of the control that is matched with it."""
    places = [name.removeprefix(f"{BATTERY}/").split("-") for name in names]
    if len(places) != 2 or not all(place[0].isdigit() for place in places):
        return False
    (level, row, variant), other = places
    return other == [level, f"{partner_of(level_of(int(level)), int(row)):02d}", variant]


@cache
def level_of(number: int) -> Level:
    return read_level(number)


def test_no_layout_is_in_two_sets_or_twice_in_one() -> None:
    layouts: dict[str, list[str]] = {}
    plain: dict[str, list[str]] = {}
    for name, entry in ENTRIES.items():
        layouts.setdefault(entry.layout_hash, []).append(name)
        plain.setdefault(layout_hash(load_task(name)), []).append(name)
    # A control may differ from its own test in light or looks alone.
    shared = [names for same in (layouts, plain) for names in same.values() if len(names) > 1]
    assert [names for names in shared if not is_pair(names)] == []
    assert len({entry.task_hash for entry in ENTRIES.values()}) == len(ENTRIES)
    for name in (name for name in training_names() if name.count("/") == 1):
        space, rng = TrainingSpace(name), random.Random(19)
        drawn = {layout_hash(space.draw(rng).task) for _ in range(DRAWS)}
        assert not drawn & set(plain)
        assert len(drawn) > 0.9 * DRAWS


def test_held_out_tasks_have_values_that_nothing_else_has() -> None:
    for folder in LEVELS:
        level = read_level(int(folder.name))
        for name, entry in read_manifest(folder).items():
            use = level.about.templates[entry.template]
            values = level.templates[entry.template].at(entry.number).values
            reserved = any(values[each] in use.reserved_values(each) for each in use.reserved)
            assert reserved == name.startswith(HELD_OUT)


def check(name: str) -> None:
    task = load_task(name)
    for each in SOLUTIONS[name]:
        world = replay(task, each.actions, each.seed)
        assert world.over, f"{name}, seed {each.seed}: not over after {len(each.actions)} decisions"
        assert world.passed() is True, f"{name}, seed {each.seed}: {world.cause}, return {world.total}"
        assert world.total == pytest.approx(each.total, rel=1e-4)


@pytest.mark.parametrize("name", random.Random(19).sample(sorted(NAMES), min(30, len(NAMES))))
def test_a_sample_of_solutions_passes(name: str) -> None:
    check(name)


@pytest.mark.slow
def test_every_solution_passes() -> None:
    for name in NAMES:
        check(name)


def test_actions_are_written_as_runs() -> None:
    text = "F12 R3 .5 Fl B Bl2"
    actions = actions_from(text)
    assert (len(actions), actions[:13], actions[-3:]) == (24, (3,) * 12 + (1,), (6, 8, 8))
    assert actions_text(actions) == text
    with pytest.raises(ValueError, match="`X3` is no run of actions"):
        actions_from("F2 X3")


@pytest.mark.parametrize(("level", "rows"), [(3, [17]), (8, [1, 2]), (10, [25])])
def test_a_row_that_is_built_again_is_the_same(level: int, rows: list[int]) -> None:
    sys.path.insert(0, str(Path(__file__).parents[3] / "tools"))
    try:
        from testbed_build.rows import make_rows
    finally:
        sys.path.pop(0)
    made_rows = list(make_rows(level, rows, set(), {}, 180_000))
    assert len(made_rows) == 2  # A row is made together with its partner.
    for made in made_rows:
        assert made.entries == [ENTRIES[entry.id] for entry in made.entries]
        assert len(made.entries) == 3
        assert all(read(text).task == load_task(name) for name, text in made.texts.items())


def test_one_row_is_not_built_where_others_would_be_lost() -> None:
    sys.path.insert(0, str(Path(__file__).parents[3] / "tools"))
    try:
        from testbed_build.build import Data, _refuse_loss
    finally:
        sys.path.pop(0)
    level = read_level(8)
    data = Data(level)
    data.entries = dict(read_manifest(level.folder))
    _refuse_loss(data, level, 7)
    data.drop([f"testbed/08-07-{variant}" for variant in (1, 2, 3)])
    _refuse_loss(data, level, 7)  # it is the row that is built
    data.drop([f"testbed/08-{row}-{variant}" for row in (11, 12) for variant in (1, 2, 3)])
    with pytest.raises(SystemExit, match=r"in more than row 7: rows 11, 12 must be made again, too; .* without --task"):
        _refuse_loss(data, level, 7)
    data.entries = {name: entry for name, entry in read_manifest(level.folder).items() if name.startswith("testbed/")}
    with pytest.raises(SystemExit, match="the held-out tasks must be made again"):
        _refuse_loss(data, level, 7)
