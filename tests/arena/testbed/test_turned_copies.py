"""A task of the battery that is only turned looks the same to the animal, so it is not used for training either."""

from random import Random

import pytest

from puzzlebox.arena.testbed.manifest import read_manifest
from puzzlebox.arena.testbed.reading import read_level
from puzzlebox.arena.testbed.sets import part_of
from puzzlebox.arena.testbed.training import TrainingSpace
from puzzlebox.arena.variations import Template, Variation
from puzzlebox.arena.variations.narrowing import vary_plan
from puzzlebox.batteries.testbed import TESTBED


def turned_copies(name: str) -> tuple[str, list[Variation]]:
    """Return the template of a task of the battery, and copies of the task that differ in the turn alone."""
    number = int(name.split("/")[1][:2])
    level, entry = read_level(number), read_manifest(TESTBED / f"{number:02d}")[name]
    template = level.templates[entry.template]
    plan = vary_plan(template)
    selection = {}  # type: ignore[var-annotated]
    plan.space.unrank(entry.number, selection)
    (turn,) = plan.choices_named(["turn"])
    others = [{**selection, turn: option} for option in range(len(turn.options)) if option != selection[turn]]
    copies = [template.at(plan.space.rank(each)) for each in others]
    use = level.about.templates[entry.template]
    return entry.template, [each for each in copies if part_of(template, each, use) == "train"]


@pytest.mark.parametrize("name", ["testbed/03-17-1", "testbed/08-01-1", "testbed/10-01-2"])
def test_a_turned_copy_of_a_task_of_the_battery_is_not_drawn(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    template, copies = turned_copies(name)
    assert copies, "its layout alone would make it a training task"
    draws = iter(copies)
    draw = Template.draw
    monkeypatch.setattr(Template, "draw", lambda self, rng: next(draws, None) or draw(self, rng))
    drawn = TrainingSpace(f"testbed-train/{name[8:10]}/{template}").draw(Random(1))
    assert next(draws, None) is None, "all copies were offered"
    assert drawn.values["turn"] is not None and drawn.number not in {each.number for each in copies}
