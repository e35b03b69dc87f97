"""Tests and controls share their drawn values, and no side of a choice is favoured."""

from collections import Counter, defaultdict
from itertools import pairwise, permutations
from math import ceil
from pathlib import Path
from statistics import median

import pytest

from puzzlebox.arena.testbed.balance import places, preferences, repeats
from puzzlebox.arena.testbed.lengths import pair_steps
from puzzlebox.arena.testbed.level import VARIANTS, Level
from puzzlebox.arena.testbed.manifest import read_manifest
from puzzlebox.arena.testbed.pairs import differences, matched_variation, partner_of
from puzzlebox.arena.testbed.reading import read_level
from puzzlebox.arena.variations import Variation
from puzzlebox.arena.variations.narrowing import fixed_options, same_value
from puzzlebox.arena.variations.parts import value_text
from puzzlebox.batteries.testbed import BATTERY, level_folders

LEVELS = level_folders()
# Variables beside those of its row in which a control differs from its test, because a condition of the template ties
# them to these: without baffles, the animal starts in the middle of the maze and looks at the food.
TIED = {"03-24": {"start", "look"}}

# Levels whose controls take as long as their tests, in physics steps of the recorded solutions.
AS_LONG = (3, 8, 9, 10)


def variations(level: Level, number: int) -> list[Variation]:
    manifest = read_manifest(level.folder)
    names = [f"{BATTERY}/{level.number:02d}-{number:02d}-{variant}" for variant in range(1, VARIANTS + 1)]
    return [level.templates[manifest[name].template].at(manifest[name].number) for name in names]


@pytest.mark.parametrize("folder", LEVELS, ids=lambda folder: folder.name)
def test_a_control_differs_from_its_test_only_in_what_its_row_fixes(folder: Path) -> None:
    level = read_level(int(folder.name))
    for number in (number for number, row in level.rows.items() if row.is_control):
        name, partner = f"{level.number:02d}-{number:02d}", partner_of(level, number)
        assert partner is not None, f"{name}: no test of its template names it"
        template, row = level.templates[level.rows[number].template], level.rows[number]
        fixed = {choice.name for choice in fixed_options(template, row.values)[0]}
        for test, control in zip(variations(level, partner), variations(level, number), strict=True):
            assert differences(template, test, control) <= fixed | TIED.get(name, set()), name
            matched = matched_variation(template, test, row)
            assert matched is not None and matched.number == control.number


@pytest.mark.parametrize("number", AS_LONG)
def test_a_control_takes_as_long_as_its_test(number: int) -> None:
    ratios = []
    for (_, control), steps in pair_steps(read_level(number)).items():
        name = f"{number:02d}-{control:02d}"
        own = [test / other for test, other in steps]
        assert len(own) == VARIANTS and all(0.75 <= ratio <= 1.35 for ratio in own), (name, steps)
        ratios += own
    assert 0.9 <= median(ratios) <= 1.1


@pytest.mark.parametrize("folder", LEVELS, ids=lambda folder: folder.name)
def test_variants_do_not_all_have_the_right_choice_in_one_place(folder: Path) -> None:
    level = read_level(int(folder.name))
    used: dict[str, Counter[str]] = defaultdict(Counter)
    for number, row in level.rows.items():
        if row.is_control and partner_of(level, number) is not None:
            continue  # it has the values of its test
        own = variations(level, number)
        for name, values in places(level, row).items():
            found = [each.values[name] for each in own]
            assert not all(same_value(each, found[0]) for each in found), (number, name, found)
            kind = f"{row.template} {name} {sorted(map(value_text, values))}"
            used[kind].update(dict.fromkeys(map(value_text, values), 0))
            used[kind].update(map(value_text, found))
    for kind, counts in used.items():
        share = max(counts.values()) / sum(counts.values())
        assert share <= 1 / len(counts) + 0.25, (kind, counts)


def most_rows(rows: int, amount: int) -> int:
    """Return in how many rows a variant may have one place: half of them; of three places or more, about its share.

    Among many rows it may be one more, since variables that are dealt out together are crossed.
    """
    if rows < 2 * amount:
        return ceil(rows / 2)
    return ceil(rows / amount) + (amount > 2 or rows > 8)


@pytest.mark.parametrize("folder", LEVELS, ids=lambda folder: folder.name)
def test_no_variant_has_the_right_choice_in_one_place_in_most_rows(folder: Path) -> None:
    """A control that is matched with a test has its places and is not counted again.

    One or two rows say nothing: if each variant had another place in the second, the first would tell it.
    """
    level = read_level(int(folder.name))
    found: dict[tuple[str, int], list[list[str]]] = defaultdict(list)
    for number, row in level.rows.items():
        if row.is_control and partner_of(level, number) is not None:
            continue
        own = variations(level, number)
        for name, values in places(level, row).items():
            kind = f"{row.template} {name} {sorted(map(value_text, values))}"
            found[kind, len(values)].append([value_text(each.values[name]) for each in own])
    for (kind, amount), rows in found.items():
        for variant, used in enumerate(zip(*rows, strict=True), 1):
            counts = Counter(used)
            assert len(rows) <= 2 or max(counts.values()) <= most_rows(len(rows), amount), (kind, variant, counts)


def variants_of_level_9() -> list[list[Variation]]:
    """Return the variants of all tests of level 9, row by row."""
    level = read_level(9)
    return [variations(level, number) for number, row in level.rows.items() if not row.is_control]


def test_no_pen_of_level_9_is_the_right_one_in_most_tests_of_a_variant() -> None:
    for variant in zip(*variants_of_level_9(), strict=True):
        counts = Counter(each.values["best"] for each in variant)
        assert sorted(counts) == [0, 1, 2] and max(counts.values()) <= 0.4 * len(variant), counts


@pytest.mark.parametrize("habit", list(permutations((0, 1, 2))))
def test_going_to_the_pens_in_turn_passes_few_tests_of_level_9(habit: tuple[int, int, int]) -> None:
    tests = variants_of_level_9()
    right = sum(each.values["best"] == pen for row in tests for each, pen in zip(row, habit, strict=True))
    assert right <= 0.4 * 3 * len(tests)


@pytest.mark.parametrize("habit", list(permutations((0, 1, 2))))
def test_going_to_the_pens_in_turn_from_row_to_row_passes_few_tests_of_level_9(habit: tuple[int, int, int]) -> None:
    """The rows of one variant after another, going on with the habit or beginning anew with each variant."""
    variants = list(zip(*variants_of_level_9(), strict=True))
    tests = [each for variant in variants for each in variant]
    for begin in range(3):
        turns = [habit[(number + begin) % 3] for number in range(len(tests))]
        going_on = sum(each.values["best"] == turn for each, turn in zip(tests, turns, strict=True))
        anew = sum(
            each.values["best"] == turn for variant in variants for each, turn in zip(variant, turns, strict=False)
        )
        assert max(going_on, anew) <= 0.45 * len(tests)


def test_neither_the_farther_nor_the_nearer_set_of_level_9_is_right_in_most_tests() -> None:
    farther = [each.values.get("farther", 0) for row in variants_of_level_9() for each in row]
    differ = [each for each in farther if each]
    assert len(differ) > 30
    assert sum(each > 0 for each in differ) <= ceil(len(differ) / 2)
    assert sum(each < 0 for each in differ) <= ceil(len(differ) / 2)


def test_turns_go_round() -> None:
    level = read_level(8)
    wanted = preferences(level)
    first = [variant[0]["target"] for number in (1, 7) for variant in wanted[number]]
    assert len(set(first[:3])) == 2 and len(set(first[3:])) == 3
    assert wanted[2] == [[{}]] * VARIANTS
    assert repeats({"target": 1}, [{"target": 1}, {"target": 1}])
    assert not repeats({"target": 1}, [{"target": 1}, {"target": 0}])
    assert not repeats({"target": 1}, [{"target": 1}])


def test_each_variant_comes_to_each_turn() -> None:
    level = read_level(9)
    wanted = preferences(level)
    # In rows of a certain length, how close together pieces lie is fixed.
    own = [
        wanted[number]
        for number, row in level.rows.items()
        if row.template == "pens" and not row.is_control and row.values["spread"] == "any"
    ]
    assert len(own) == 16
    for variant in range(VARIANTS):
        # Both variables together: no place of the best set goes with being far away.
        turns = Counter((row[variant][0]["best"], row[variant][0]["reach"]) for row in own)
        assert len(turns) == 9 and max(turns.values()) <= 3
        # Nor does the place in one row tell that in the next.
        steps = {(after[variant][0]["best"] - before[variant][0]["best"]) % 3 for before, after in pairwise(own)}
        assert steps == {0, 1, 2}


@pytest.mark.parametrize("template", ["doors", "change"])
def test_two_rows_do_not_deal_the_same_turns(template: str) -> None:
    """The farthest set would otherwise always be in one place."""
    level = read_level(9)
    wanted = preferences(level)
    one, other = (
        {(turn[0]["best"], turn[0]["reach"]) for turn in wanted[number]}
        for number, row in level.rows.items()
        if row.template == template and not row.is_control
    )
    assert not one & other


def test_two_variables_of_one_row_do_not_go_together() -> None:
    (first, second, third) = [variant[0] for variant in preferences(read_level(10))[20]]
    assert len({(each["side"], each["order"]) for each in (first, second, third)}) == 3


def test_a_pair_is_a_control_and_the_first_test_that_names_it() -> None:
    level = read_level(10)
    assert (partner_of(level, 2), partner_of(level, 1), partner_of(level, 3)) == (1, 2, None)
    assert partner_of(level, 30) is None


def test_the_food_of_level_10_does_not_tell_the_right_doorway() -> None:
    level = read_level(10)
    rows = [number for number, row in level.rows.items() if row.template == "doorway" and not row.is_control]
    tests = [each for number in rows for each in variations(level, number)]
    nearest = sum(each.values["food_at"] == each.values["place"] for each in tests)
    assert len(tests) == 18 and abs(nearest - len(tests) / 3) <= 1
