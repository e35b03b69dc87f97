"""A task that is only turned or mirrored is hardly a new one: it is no other variant, and not used for training."""

from itertools import combinations
from random import Random

import pytest

from puzzlebox.arena.schema import load_task
from puzzlebox.arena.testbed.manifest import read_manifest
from puzzlebox.arena.testbed.reading import read_level
from puzzlebox.arena.testbed.sets import part_of
from puzzlebox.arena.testbed.training import TrainingSpace
from puzzlebox.arena.variations import Template, Variation
from puzzlebox.arena.variations.narrowing import vary_plan
from puzzlebox.arena.variations.space import Selection
from puzzlebox.batteries.testbed import BATTERY, HELD_OUT, TESTBED, battery_names


def copies_of(name: str, variable: str) -> tuple[str, list[Variation]]:
    """Return the template of a task of the battery, and copies of the task that differ in one variable alone."""
    number = int(name.split("/")[1][:2])
    level, entry = read_level(number), read_manifest(TESTBED / f"{number:02d}")[name]
    template = level.templates[entry.template]
    plan = vary_plan(template)
    selection = {}  # type: ignore[var-annotated]
    plan.space.unrank(entry.number, selection)
    (turn,) = plan.choices_named([variable])
    others = [{**selection, turn: option} for option in range(len(turn.options)) if option != selection[turn]]
    copies = [template.at(plan.space.rank(each)) for each in others]
    use = level.about.templates[entry.template]
    return entry.template, [each for each in copies if part_of(template, each, use) == "train"]


def selection_of(template: Template, number: int) -> Selection:
    selection: Selection = {}
    vary_plan(template).space.unrank(number, selection)
    return selection


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("testbed/03-17-1", "turn"),
        ("testbed/08-01-1", "turn"),
        ("testbed/10-01-2", "turn"),
        ("testbed/03-01-1", "flip"),
    ],
)
def test_a_copy_of_a_task_of_the_battery_is_not_drawn(
    name: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    template, copies = copies_of(name, variable)
    assert copies, "its layout alone would make it a training task"
    numbers = iter([each.number for each in copies])
    draw = Template.draw_selection

    def draw_copy(self: Template, rng: Random) -> tuple[int, Selection]:
        number = next(numbers, None)
        return draw(self, rng) if number is None else (number, selection_of(self, number))

    monkeypatch.setattr(Template, "draw_selection", draw_copy)
    drawn = TrainingSpace(f"testbed-train/{name[8:10]}/{template}").draw(Random(1))
    assert next(numbers, None) is None, "all copies were offered"
    assert drawn.values["turn"] is not None and drawn.number not in {each.number for each in copies}


def orientations(source: str) -> list[object]:
    """Return where everything stands, with its size, in the eight orientations of a task, its own first."""
    arena = load_task(source).arenas[0]
    width, depth = arena.size
    found: list[object] = []
    for sign in (1, -1):
        for turns in range(4):
            places = []
            for item in arena.items:
                x, y, z = item.at or (None, None, None)
                size = sorted(item.explicit_values().get("size") or ())
                if x is None or z is None:
                    places.append((item.name, x, y, z, size))
                    continue
                x, z = sign * (x - width / 2), z - depth / 2
                for _ in range(turns):
                    x, z = z, -x
                places.append((item.name, round(x, 2) + 0.0, y, round(z, 2) + 0.0, size))
            found.append(sorted(places, key=str))
    return found


@pytest.mark.parametrize("level", range(1, 11))
def test_no_variant_is_another_one_turned_or_mirrored(level: int) -> None:
    for task in range(1, 31):
        variants = [orientations(f"testbed/{level:02d}-{task:02d}-{variant}") for variant in (1, 2, 3)]
        for one, other in combinations(variants, 2):
            assert one[0] not in other, f"{level:02d}-{task:02d}"


@pytest.mark.parametrize("level", [1, 2, 8])
def test_nothing_stands_in_a_training_task_as_in_a_task_of_the_battery(level: int) -> None:
    names = [name for battery in (BATTERY, HELD_OUT) for name in battery_names(battery)]
    own = [name for name in names if f"/{level:02d}-" in name]
    known = {repr(each) for name in own for each in orientations(name) if "None" not in repr(each)}
    assert len(known) > 8 * 60
    space, rng = TrainingSpace(f"testbed-train/{level:02d}"), Random(7)
    for _ in range(60):
        drawn = space.draw(rng)
        assert repr(orientations(drawn.task.text)[0]) not in known, drawn.values
