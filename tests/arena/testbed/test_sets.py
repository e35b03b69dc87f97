"""Combinations that fit a row are found by arithmetic, and no layout is in two sets."""

from itertools import islice
from random import Random

import pytest

from puzzlebox.arena.testbed.level import TemplateUse
from puzzlebox.arena.testbed.reading import read_level
from puzzlebox.arena.testbed.sets import candidates, layout_hash, layout_of, part_of
from puzzlebox.arena.variations import Template
from puzzlebox.arena.variations.narrowing import Narrowed, Unmatched, fixed_options

TEMPLATE = """
vary:
  a: [1, 2, 3]
  b, word: [[10, ten], [20, twenty]]
  c: {range: [0, 9]}
  d: {named: {low: 0.5, high: 2}}
  flip: [none, x]
  paint: [red, blue]
require: a * 10 != b
let: {sum: a + c}
arenas:
  - time_limit: 250
    pass_mark: 0.1
    mirror: $flip
    items:
      - {name: Agent, at: [20, 0, 3], rotation: 0}
      - {name: Wall, at: [20, 0, $10 + c], rotation: 0, size: [$a, 1, 1], color: $paint}
      - {name: GoodGoal, at: [20, 0, $b + 12], size: $d}
"""


@pytest.mark.parametrize(
    "values", [{}, {"a": 2}, {"word": "ten"}, {"d": "high", "c": 3}, {"a": 1, "b": 20, "flip": "x"}, {"d": 0.5}]
)
def test_narrowed_combinations_are_exactly_those_with_the_values(values: dict[str, object]) -> None:
    template = Template(TEMPLATE)
    narrowed = Narrowed(template, values)
    plain = values | ({"d": 2} if values.get("d") == "high" else {})
    expected = [each.number for each in template if all(each.values[name] == value for name, value in plain.items())]
    assert sorted(narrowed[place] for place in range(narrowed.count)) == expected


def test_a_value_that_follows_from_others_is_left_to_the_caller() -> None:
    narrowed = Narrowed(Template(TEMPLATE), {"sum": 4, "a": 1})
    assert narrowed.later == {"sum": 4}
    with pytest.raises(Unmatched, match="`a` is never 4; allowed: 1, 2, 3"):
        fixed_options(Template(TEMPLATE), {"a": 4})


def test_what_only_changes_the_look_does_not_change_the_set() -> None:
    template, use = Template(TEMPLATE), TemplateUse(looks=["paint"], reserved={"c": [7]})
    parts: dict[str, set[str]] = {}
    for variation in template:
        parts.setdefault(layout_of(template, variation, use), set()).add(part_of(template, variation, use))
    assert all(len(each) == 1 for each in parts.values())
    # Mirrored about its own axis, an arena is the same: half of the combinations are no layouts of their own.
    assert len(parts) == template.count / 4
    shares = [next(iter(each)) for each in parts.values()]
    assert {"test", "train", "held-out"} == set(shares)


def test_variables_listed_as_looks_count_at_their_first_value() -> None:
    template, use = Template(TEMPLATE), TemplateUse(looks=["d"])
    low, high = (next(each for each in template if each.values["d"] == size) for size in (0.5, 2))
    assert low.values | {"d": 2} == high.values
    assert layout_of(template, low, use) == layout_of(template, high, use)
    assert layout_hash(low.task) != layout_hash(high.task)


def test_candidates_are_the_same_every_time_and_differ_in_layout() -> None:
    level = read_level(3)
    row = level.rows[17]
    first, again = (list(islice(candidates(level, row, "03-17"), 6)) for _ in range(2))
    other = list(islice(candidates(level, row, "03-18"), 6))
    assert [each.number for each in first] == [each.number for each in again] != [each.number for each in other]
    assert len({layout_hash(each.task) for each in first}) == 6
    assert all(each.values["opening"] == "left" and each.values["boxes"] == 1 for each in first)
    template, use = level.templates["box"], level.about.templates["box"]
    assert {part_of(template, each, use) for each in first} == {"test"}


def test_about_three_tenths_are_for_testing() -> None:
    level = read_level(3)
    template, use = level.templates["detour"], TemplateUse()
    rng = Random(0)
    parts = [part_of(template, template.draw(rng), use) for _ in range(400)]
    assert 0.22 < parts.count("test") / len(parts) < 0.38
