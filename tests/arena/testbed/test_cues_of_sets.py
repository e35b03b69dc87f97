"""On level 9, only the amount of food tells the best set in most tests; where another cue does, it is listed."""

from math import ceil
from typing import Any

import pytest

from puzzlebox.arena.schema import load_task
from puzzlebox.arena.testbed.level import VARIANTS
from puzzlebox.arena.testbed.manifest import read_manifest
from puzzlebox.arena.testbed.reading import read_level
from puzzlebox.arena.things.changing import ShrinkGoal
from puzzlebox.arena.things.goals import Goal
from puzzlebox.arena.variations import Variation
from puzzlebox.arena.world import World

LEVEL = read_level(9)
MANIFEST = read_manifest(LEVEL.folder)
# Each piece of these sets is small and the other set is a single piece, or the best set has two or three times as many:
# however close together its pieces lie, the best set takes up more room.
ALWAYS_WIDER = {3, 4, 12, 13}


def names(template: str) -> list[str]:
    """Return the tests that are made from a template."""
    rows = [number for number, row in LEVEL.rows.items() if row.template == template and not row.is_control]
    return [f"testbed/09-{row:02d}-{variant}" for row in rows for variant in range(1, VARIANTS + 1)]


def variation_of(name: str) -> Variation:
    return LEVEL.templates[MANIFEST[name].template].at(MANIFEST[name].number)


def rooms(values: dict[str, Any]) -> list[float]:
    """Return the area of the rectangle around each set of pens, the best one first."""
    found = []
    for letter in "abc":
        count = values[f"n{letter}"] + (values["gb"] if letter == "b" else 0)
        columns, apart, size = values[f"c{letter}"], values[f"s{letter}"], values[f"d{letter}"]
        wide, deep = min(count, columns), ceil(count / columns)
        found.append(((wide - 1) * apart + size) * ((deep - 1) * apart + size) if count else 0.0)
    return found


def test_the_set_that_takes_up_most_room_is_right_in_about_half_of_the_tests_that_allow_it() -> None:
    open_ones = [
        name
        for name in names("pens")
        if int(name[11:13]) not in ALWAYS_WIDER and LEVEL.rows[int(name[11:13])].values["spread"] == "any"
    ]
    sizes = [rooms(variation_of(name).values) for name in open_ones]
    right = sum(best > max(others) for best, *others in sizes)
    assert len(open_ones) == 36 and 0.35 <= right / len(open_ones) <= 0.6, right


def test_the_set_of_which_a_piece_falls_first_is_the_best_one_in_few_tests() -> None:
    first = [variation_of(name).values["begins"] for name in names("drops")]
    assert len(first) == 9 and first.count(0) <= 4 and {0, 1, 2} <= set(first)


@pytest.mark.parametrize("name", [name for name in names("change") if name.startswith("testbed/09-29-")])
def test_the_ball_that_shrinks_is_the_largest_until_the_animal_may_go(name: str) -> None:
    world = World(load_task(name), seed=0)
    while world.animals[0].held:
        world.step((0,))
    goals = [each for each in world.present.values() if isinstance(each, Goal)]
    assert isinstance(max(goals, key=lambda each: each.extent[0]), ShrinkGoal)
