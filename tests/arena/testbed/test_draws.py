"""Drawing a training task takes shortcuts; none of them changes a layout, a set or a task."""

import hashlib
import json
from random import Random
from typing import Any

import pytest

from puzzlebox.arena.schema import read
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.testbed.level import Level, TemplateUse
from puzzlebox.arena.testbed.manifest import read_manifest
from puzzlebox.arena.testbed.reading import read_level
from puzzlebox.arena.testbed.sets import Drawn, layout_of, part_of
from puzzlebox.arena.testbed.training import TrainingSpace
from puzzlebox.arena.variations import Template, Variation
from puzzlebox.arena.variations.narrowing import vary_plan
from puzzlebox.batteries.testbed import level_folders, training_names

NUMBERS = [int(folder.name) for folder in level_folders()]
LOOKS = ("color", "theme", "skin", "metadata", "id", "texture")


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items() if key not in LOOKS}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def task_of(variation: Variation) -> Task:
    """Return the task as its text gives it."""
    task = read(variation.text).task
    assert task is not None
    return task


def plain_layout(template: Template, number: int, use: TemplateUse, *, oriented: bool) -> str:
    """Return the layout of a variation without any shortcut: produced afresh, written, read, dumped and hashed."""
    selection = {}  # type: ignore[var-annotated]
    plan = vary_plan(template)
    plan.space.unrank(number % template.count, selection)
    first = plan.choices_named(use.looks if oriented else [*use.looks, "turn", "flip", "mirror"])
    task = task_of(template.produce(number, {**selection, **dict.fromkeys(first, 0)}))
    text = json.dumps(plain(task.model_dump(mode="json", exclude_defaults=True)), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture(scope="module", params=NUMBERS)
def level(request: pytest.FixtureRequest) -> Level:
    return read_level(request.param)


def test_layouts_are_those_of_the_manifest(level: Level) -> None:
    for name, entry in read_manifest(level.folder).items():
        template, use = level.templates[entry.template], level.about.templates[entry.template]
        variation = template.at(entry.number)
        assert layout_of(template, variation, use) == entry.layout_hash, name
        assert part_of(template, variation, use) == ("test" if name.startswith("testbed/") else "held-out"), name


def test_a_draw_has_the_layout_and_the_set_of_its_text(level: Level) -> None:
    for name, template in level.templates.items():
        use, rng = level.about.templates[name], Random(3)
        for _ in range(4):
            number, selection = template.draw_selection(rng)
            drawn, variation = Drawn(template, use, number, selection), template.at(number)
            reserved = any(variation.values[each] in use.reserved_values(each) for each in use.reserved)
            layout = plain_layout(template, number, use, oriented=True)
            expected = "held-out" if reserved else "test" if int(layout[:8], 16) % 10 < 3 else "train"
            assert drawn.part == part_of(template, variation, use) == expected
            assert drawn.layout() == layout_of(template, variation, use) == layout
            unoriented = plain_layout(template, number, use, oriented=False)
            assert drawn.layout(oriented=False) == layout_of(template, variation, use, oriented=False) == unoriented
            assert drawn.variation.text == variation.text
            assert (drawn.variation.values, drawn.variation.labels) == (variation.values, variation.labels)


@pytest.mark.parametrize("name", [name for name in training_names() if name.count("/") == 1])
def test_a_drawn_task_is_that_of_its_text_and_of_its_number(name: str) -> None:
    space, rng = TrainingSpace(name), Random(5)
    for _ in range(12):
        variation = space.draw(rng)
        assert "reading" not in variation.__dict__, "no text is needed to make the task"
        task = variation.task
        assert "reading" not in variation.__dict__, "no text is needed to make the task"
        expected = task_of(variation)
        assert task == expected and task.model_dump_json() == expected.model_dump_json()
        assert task.text == expected.text == space.at(variation.number).task.text


def test_a_seed_draws_the_same_tasks_as_ever() -> None:
    drawn = [TrainingSpace(name).draw(Random(1)).number for name in ("testbed-train/03", "testbed-train/08/terraces")]
    assert drawn == [122862178, 1910967]
