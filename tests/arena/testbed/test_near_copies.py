"""A task in which everything stands within half a metre of a task of the battery is not used for training."""

from itertools import islice
from pathlib import Path
from random import Random

import pytest

from puzzlebox.arena.schema import load_task, read
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.testbed.level import TASKS
from puzzlebox.arena.testbed.manifest import read_manifest
from puzzlebox.arena.testbed.placements import Placements
from puzzlebox.arena.testbed.reading import read_level
from puzzlebox.arena.testbed.sets import layout_of
from puzzlebox.arena.testbed.training import TrainingSpace
from puzzlebox.batteries.testbed import BATTERY, HELD_OUT, battery_names, level_folders

Things = list[tuple[str, float, float]]

TASK = """\
arenas:
  - time_limit: 250
    pass_mark: 0.5
    size: [20, 30]
    items:
      - {name: Agent, at: [4, 0, 5], rotation: 0}
      - {name: GoodGoal, at: [16, 0, 20], size: 1}
      - {name: Wall, at: [8, 0, 10], size: [2, 1, 2], rotation: 0}
      - {name: Wall, at: [12, 0, 10], size: [2, 1, 2], rotation: 0}
"""


def task_with(*changes: tuple[str, str]) -> Task:
    text = TASK
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    task = read(text).task
    assert task is not None
    return task


@pytest.mark.parametrize(
    "changes",
    [
        [],
        [("[16, 0, 20]", "[16, 0, 20.5]"), ("[8, 0, 10]", "[8.3, 0, 9.6]")],
        [("rotation: 0", "rotation: 90")],
        [("[16, 0, 20]", "[16, 3, 20]")],
        [("[8, 0, 10]", "[12.0, 0, 10]"), ("[12, 0, 10]", "[8.0, 0, 10]")],
        [("[4, 0, 5]", "[16, 0, 5]"), ("[16, 0, 20]", "[4, 0, 20]")],
        [
            ("[20, 30]", "[30, 20]"),
            ("[4, 0, 5]", "[5, 0, 16]"),
            ("[16, 0, 20]", "[20, 0, 4]"),
            ("[8, 0, 10]", "[10, 0, 12]"),
            ("[12, 0, 10]", "[10, 0, 8]"),
        ],
    ],
    ids=["the same", "half a metre away", "another heading", "higher", "walls in another order", "mirrored", "turned"],
)
def test_a_task_is_near(changes: list[tuple[str, str]]) -> None:
    assert Placements([task_with()]).has_near(task_with(*changes))


@pytest.mark.parametrize(
    "changes",
    [
        [("[16, 0, 20]", "[16, 0, 20.6]")],
        [("[12, 0, 10]", "[8, 0, 10.25]")],
        [("GoodGoal", "GoodGoalMulti")],
        [("      - {name: Wall, at: [12, 0, 10], size: [2, 1, 2], rotation: 0}\n", "")],
        [("at: [16, 0, 20], ", "")],
    ],
    ids=["farther", "both walls in one place", "other food", "a wall less", "a random place"],
)
def test_a_task_is_not_near(changes: list[tuple[str, str]]) -> None:
    assert not Placements([task_with()]).has_near(task_with(*changes))


def things_of(task: Task) -> Things | None:
    arena = task.arenas[0]
    things = []
    for item in arena.items:
        if item.at is None or None in item.at:
            return None
        x, _, z = (float(each) for each in item.at)
        things.append((item.name, x - arena.size[0] / 2, z - arena.size[1] / 2))
    return things


def are_near(one: Things, other: Things) -> bool:
    def near(thing: tuple[str, float, float], things: Things) -> bool:
        return any(
            each[0] == thing[0] and sum((a - b) ** 2 for a, b in zip(each[1:], thing[1:], strict=True)) <= 0.2501
            for each in things
        )

    alike = sorted(each[0] for each in one) == sorted(each[0] for each in other)
    return alike and all(near(each, other) for each in one) and all(near(each, one) for each in other)


def orientations(things: Things) -> list[Things]:
    found = []
    for sign in (1, -1):
        turned = [(name, sign * x, z) for name, x, z in things]
        for _ in range(4):
            found.append(turned)
            turned = [(name, z, -x) for name, x, z in turned]
    return found


@pytest.mark.parametrize(
    ("name", "others"), [("06/wall", "06"), ("08/terraces", "08"), ("04/gates", "01")], ids=lambda each: each
)
def test_nothing_near_a_task_of_the_battery_is_drawn(name: str, others: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks of another level are looked at, too: without its walls, a level may have the same food in the open."""
    tasks = [each for battery in (BATTERY, HELD_OUT) for each in battery_names(battery) if f"/{others}-" in each]
    known = [turned for each in tasks for turned in orientations(things_of(load_task(each)) or [])]
    space = TrainingSpace(f"testbed-train/{name}")

    def near_ones(seed: int) -> int:
        rng = Random(seed)
        drawn = [things_of(space.draw(rng).task) for _ in range(150)]
        return sum(any(are_near(each, other) for other in known) for each in drawn if each is not None)

    assert near_ones(3) == 0
    monkeypatch.setattr(Placements, "has_near", lambda *_: False)
    assert near_ones(3) > 0, "some combinations are near a task of the battery"


def test_no_held_out_task_is_nearly_a_task_of_the_battery() -> None:
    known = Placements(map(load_task, battery_names(BATTERY)))
    assert [name for name in battery_names(HELD_OUT) if known.has_near(load_task(name))] == []


@pytest.mark.parametrize("folder", level_folders(), ids=lambda folder: folder.name)
def test_no_variant_is_nearly_another_one_of_its_row(folder: Path) -> None:
    rows: dict[str, list[Task]] = {}
    for name in battery_names(BATTERY):
        if name.startswith(f"{BATTERY}/{folder.name}-"):
            rows.setdefault(name[:-2], []).append(load_task(name))
    assert len(rows) == TASKS
    near = [
        name
        for name, tasks in rows.items()
        if any(Placements(tasks[:number]).has_near(task) for number, task in enumerate(tasks))
    ]
    assert near == []


def test_a_training_space_has_no_order_by_which_other_tasks_could_be_had() -> None:
    space = TrainingSpace("testbed-train/03/box")
    with pytest.raises(TypeError, match=r"testbed-train/03/box has no order.*use `sample`"):
        space[0]
    layouts = {each.layout_hash for each in read_manifest(level_folders()[2]).values()}
    level = read_level(3)
    template, use = level.templates["box"], level.about.templates["box"]
    drawn = [layout_of(template, template.at(each.number), use) for each in islice(space, 40)]
    assert not layouts & {*drawn}
