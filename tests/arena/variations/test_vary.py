"""Templates in both formats: the tasks they stand for, and the messages about mistakes."""

from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from puzzlebox.arena.schema import TaskError, load_task
from puzzlebox.arena.variations import Template, TemplateError, is_template
from puzzlebox.arena.variations.design import square
from puzzlebox.batteries import template_names

A = """!ArenaConfig
arenas:
  0: !Arena
    passMark: !ProcList [0, 1]
    timeLimit: 300
    items:
      - !Item
        name: Agent
        id: subject
        positions: [!Vector3 {x: !ProcList [5, 35], y: 0, z: 20}]
        rotations: [!ProcIf {value: subject.positions.0.x, cases: [!R [0, 20]], then: [90], default: 270,
          labels: [west], default_label: east}]
      - !Item
        name: GoodGoal
        positions: [!Vector3 {x: 20, y: 0, z: 20}]
        sizes: [!ProcVector3Scaled {scales: [0.5, 1, 2], labels: [tiny, normal, big]}]
"""
B = """!ArenaConfig
proc_meta:
  proc_labels:
    - !ProcIfLabels {value: gap.sizes.0.z, cases: [!R [0, 1], !R [1, 3]], labels: [narrow, wide]}
arenas:
  0: !Arena
    items:
      - !Item
        name: Wall
        id: gap
        sizes: [!Vector3 {x: 1, y: 1, z: !ProcList [1, 2]}]
        colors: !ProcRepeatChoice {amount: 2, value: !ProcRestrictCombinations {amount: 3, item: !ProcList [a, b]}}
"""


def procgen(arena: str, top: str = "") -> str:
    return f"!ArenaConfig\n{top}arenas:\n  0: !Arena\n" + "".join(f"    {line}\n" for line in arena.strip().split("\n"))


def ours(vary: str, arena: str = "time_limit: 250", rest: str = "") -> str:
    return f"vary: {{{vary}}}\n{rest}\narenas:\n  - {arena}\n"


def values(template: Template, *path: Any) -> list[Any]:
    """Return the value at a path in every variation."""
    results = []
    for variation in template:
        value: Any = variation.data
        for step in path:
            value = value[step]
        results.append(value)
    return results


# --- procgen-companion's format


def test_lists_and_scaled_vectors_of_procgen_are_expanded_in_order() -> None:
    template = Template(A)
    template.check()
    assert template.explanation == "2#ProcList x 2#ProcList x 3#ProcVector3Scaled"
    sizes, sides = ("tiny", "normal", "big"), ("west", "east")
    wanted = [f"{size}_{side}" for _ in range(2) for side in sides for size in sizes]
    assert [variation.stem() for variation in template] == [f"{i:05d}_{name}" for i, name in enumerate(wanted)]
    assert values(template, "arenas", "0", "passMark") == [0] * 6 + [1] * 6
    assert [variation.task.arenas[0].items[0].rotation for variation in template] == ([90] * 3 + [270] * 3) * 2
    assert [variation.labels for variation in template.sample(3, seed=1234)] == [
        ["tiny", "west"],
        ["big", "west"],
        ["normal", "west"],
    ]


def test_repeated_choices_of_procgen_are_expanded_in_order() -> None:
    template = Template(B)
    assert template.count == 6
    assert template.explanation == "2#ProcList x 3#ProcRepeatChoice"
    assert [variation.stem()[6:] for variation in template] == ["narrow"] * 3 + ["wide"] * 3
    colours = values(template, "arenas", "0", "items", 0, "colors")
    assert all(one == other for one, other in colours)
    # Both occur before one is repeated, and the draws are the same for every outer combination.
    assert {one for one, _ in colours[:2]} == {"a", "b"} and colours[:3] == colours[3:]


def test_output_is_laid_out_as_procgen_does() -> None:
    assert Template(A)[3].text == (
        "!ArenaConfig\narenas:\n  0: !Arena\n    passMark: 0\n    timeLimit: 300\n    items:\n"
        "    - !Item\n      name: Agent\n      positions:\n      - !Vector3 {x: 35, y: 0, z: 20}\n"
        "      rotations: [270]\n    - !Item\n      name: GoodGoal\n      positions:\n"
        "      - !Vector3 {x: 20, y: 0, z: 20}\n      sizes:\n      - !Vector3 {x: 0.5, y: 0.5, z: 0.5}\n"
    )


def test_two_arenas_multiply_and_the_second_is_fastest() -> None:
    text = (
        "!ArenaConfig\narenas:\n  0: !Arena {passMark: !ProcList [0, 1]}\n  1: !Arena {passMark: !ProcList [0, 1, 2]}\n"
    )
    pairs = [(v.data["arenas"]["0"]["passMark"], v.data["arenas"]["1"]["passMark"]) for v in Template(text)]
    assert pairs == [(a, b) for a in (0, 1) for b in (0, 1, 2)]


def test_colour_gives_as_many_as_asked() -> None:
    template = Template(procgen("passMark: !ProcList [0, 1]\nitems: [!Item {name: Wall, colors: [!ProcColor 3]}]"))
    reds = [item["colors"][0] for (item,) in values(template, "arenas", "0", "items")]
    assert reds == [{"r": 255, "g": 0, "b": 0}, {"r": 0, "g": 255, "b": 0}, {"r": 0, "g": 0, "b": 255}] * 2


def test_nested_tags_expand() -> None:
    template = Template(procgen("timeLimit: !ProcList [1, !ProcList [2, 3]]\nblackouts: !ProcList [[1, 2], [-20]]"))
    assert values(template, "arenas", "0", "timeLimit") == [1, 1, 2, 2, 3, 3]
    base = "!Vector3 {x: !ProcList [1, 2], y: 1, z: 1}"
    template = Template(
        procgen(f"items: [!Item {{name: Wall, sizes: [!ProcVector3Scaled {{scales: [1, 2], base: {base}}}]}}]")
    )
    assert [item["sizes"][0]["x"] for (item,) in values(template, "arenas", "0", "items")] == [1.0, 2.0, 2.0, 4.0]


def test_generators_within_a_case_count_only_there() -> None:
    """A generator in `then` varies only where its case matches."""
    then = "!ProcIf {value: arenas.0.passMark, cases: [0, 1], then: [!ProcList [10, 20, 30], 40]}"
    template = Template(procgen(f"timeLimit: {then}\npassMark: !ProcList [0, 1]"))
    pairs = [(v.data["arenas"]["0"]["passMark"], v.data["arenas"]["0"]["timeLimit"]) for v in template]
    assert sorted(pairs) == [(0, 10), (0, 20), (0, 30), (1, 40)]
    assert template.count == 4


def test_conditions_on_conditions_and_on_the_root() -> None:
    second = "!ProcIf {value: arenas.0.timeLimit, cases: [100], then: [true], default: false}"
    first = "!ProcIf {value: root.arenas.0.passMark, cases: [!R [1, 2]], then: [100], default: 200}"
    text = procgen(f"mergeNextArena: {second}\ntimeLimit: {first}\npassMark: !ProcList [0, 1]", "id: root\n")
    template = Template(text)
    template.check()
    assert values(template, "arenas", "0", "mergeNextArena") == [False, True]


def test_an_id_may_live_in_two_options() -> None:
    items = "!ProcList [!Item {id: it, name: Wall, rotations: [0]}, !Item {id: it, name: Ramp, rotations: [90]}]"
    text = procgen(f"timeLimit: !ProcIf {{value: it.rotations.0, cases: [0, 90], then: [10, 20]}}\nitems: [{items}]")
    template = Template(text)
    template.check()
    assert values(template, "arenas", "0", "timeLimit") == [10, 20]


def test_numbers_match_nearly_and_booleans_are_numbers() -> None:
    template = Template(
        procgen(
            "mergeNextArena: !ProcList [true, false]\n"
            "passMark: !ProcIf {value: arenas.0.timeLimit, cases: [1.0000000000001], then: [5]}\n"
            "timeLimit: 1\n"
            "blackouts: !ProcIf {value: arenas.0.mergeNextArena, cases: [!R [1, 2]], then: [[1]], default: [2]}"
        )
    )
    assert values(template, "arenas", "0", "passMark") == [5, 5]
    assert values(template, "arenas", "0", "blackouts") == [[1], [2]]


def test_an_empty_list_means_none() -> None:
    assert Template(procgen("passMark: !ProcList []")).count == 0


def test_labels_are_safe_in_file_names() -> None:
    template = Template(procgen("passMark: !ProcListLabelled [{label: a/b c, value: 1}, {label: 7, value: 2}]"))
    assert [variation.stem() for variation in template] == ["00000_a-b-c", "00001_7"]


def test_a_plain_task_is_a_template_of_one() -> None:
    template = Template("arenas:\n  - items: [{name: Agent}, {name: GoodGoal}]\n")
    assert template.count == 1 and template[0].task.arenas[0].items[1].name == "GoodGoal"
    assert not is_template("arenas:\n  - items: [{name: Agent}]\n")


def test_restricted_combinations_are_different_and_seeded() -> None:
    text = procgen(
        "blackouts: !ProcRestrictCombinations {amount: 20, item: [!ProcList [1, 2, 3, 4, 5], !ProcList [6, 7, 8, 9]]}"
    )
    drawn = values(Template(text, seed=3), "arenas", "0", "blackouts")
    assert len({tuple(each) for each in drawn}) == 20
    assert drawn == values(Template(text, seed=3), "arenas", "0", "blackouts")
    assert drawn != values(Template(text, seed=4), "arenas", "0", "blackouts")


# --- the Puzzlebox format


def test_lists_are_counted_and_uniform_values_are_endless() -> None:
    text = """
vary: {wall_x: {uniform: [5, 35]}, colour: [red, blue]}
arenas:
  - items:
      - {name: Agent, at: [20, 0, 5], rotation: 0}
      - {name: Wall, at: [$wall_x, 0, 20], rotation: 0, size: 1, color: $colour}
"""
    template = Template(text, seed=1)
    assert template.count == 2 and template.endless
    walls = [variation.task.arenas[0].items[1] for variation in template.sample(50)]
    places = {wall.at[0] for wall in walls if wall.at and wall.at[0]}
    assert len(places) > 40 and 5 <= min(places) and max(places) <= 35
    assert sorted(Counter(wall.color for wall in walls).values()) == [25, 25]
    assert [v.text for v in Template(text, seed=1)] == [v.text for v in template]
    assert [v.text for v in Template(text, seed=2)] != [v.text for v in template]


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("[1, 2]", [1, 2]),
        ("{range: [1, 4]}", [1, 2, 3, 4]),
        ("{range: [0, 1, 0.25]}", [0, 0.25, 0.5, 0.75, 1]),
        ("{range: [0, 9], steps: 4}", [0, 3, 6, 9]),
        ("{named: {small: 0.5, big: 2}}", [0.5, 2]),
        ("{options: [1, 2], labels: [a, b], weights: [1, 9]}", [1, 2]),
        ("{permutations: [1, 2, 3]}", [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]]),
        ("{subsets: [1, 2, 3], size: 2}", [[1, 2], [1, 3], [2, 3]]),
        ("[$y + 1, $y * 2]", [6, 10]),
        ("[1, {vary: [2, 3]}]", [1, 2, 3]),
    ],
)
def test_each_way_to_vary_gives_the_expected_values(written: str, wanted: list[Any]) -> None:
    template = Template(ours(f"x: {written}, y: [5]"))
    assert [variation.values["x"] for variation in template] == wanted


def test_drawn_values_keep_to_their_bounds() -> None:
    text = ours("a: {uniform: [2, 3], decimals: 1}, b: {normal: [5, 2], min: 4, max: 6}, c: {uniform: [$a, $a + 1]}")
    for variation in Template(text).sample(60):
        a, b, c = (variation.values[name] for name in "abc")
        assert 2 <= a <= 3 and round(a, 1) == a and 4 <= b <= 6 and a <= c <= a + 1


def test_drawn_values_that_break_a_requirement_are_drawn_again() -> None:
    template = Template(ours("a: {uniform: [0, 10]}, b: [3, 6]", rest="require: a > b"))
    assert all(variation.values["a"] > variation.values["b"] for variation in template.sample(50))
    hopeless = Template(ours("a: {uniform: [0, 1]}, b: [3]", rest="require: a > b"))
    with pytest.raises(TemplateError, match="no draw in 1,000 satisfies"):
        hopeless.sample(1)


def test_linked_variables_vary_together() -> None:
    text = "vary:\n  x, side: [[5, left], [35, right]]\n  z: [1, 2]\narenas: [{time_limit: $x, pass_mark: $z}]\n"
    template = Template(text)
    assert [tuple(v.values[name] for name in ("x", "side", "z")) for v in template] == [
        (5, "left", 1),
        (5, "left", 2),
        (35, "right", 1),
        (35, "right", 2),
    ]
    assert template.columns == ["x", "side", "z"]


def test_a_value_that_varies_may_stand_in_let() -> None:
    template = Template(ours("x: [1, 2]", "time_limit: $y", "let: {y: {vary: [10, $x]}}"))
    assert [variation.data["arenas"][0]["time_limit"] for variation in template] == [10, 1, 10, 2]


def test_conditions_leave_things_out() -> None:
    items = (
        "[{name: Agent}, {name: Wall, when: wall == tall, size: [1, $height, 1], color: {if: height > 2, then: red}}]"
    )
    template = Template(ours("wall: [none, tall], height: {options: [1, 3], when: wall == tall}", f"items: {items}"))
    # Without a wall there is no height to vary.
    assert [(v.values["wall"], v.values["height"]) for v in template] == [("none", 1), ("tall", 1), ("tall", 3)]
    things = [[dict(item) for item in variation.data["arenas"][0]["items"]] for variation in template]
    assert [len(each) for each in things] == [1, 2, 2]
    assert "color" not in things[1][1] and things[2][1]["color"] == "red"


def test_variables_within_a_condition_count_only_there() -> None:
    size = "{if: wall == tall, then: {vary: [3, 4]}, else: {vary: {named: {flat: 1}}}}"
    template = Template(ours("wall: [low, tall]", f"time_limit: {size}"))
    assert [(v.values["wall"], v.values["arenas.0.time_limit"], v.labels) for v in template] == [
        ("low", 1, ["flat"]),
        ("tall", 3, []),
        ("tall", 4, []),
    ]


def test_an_item_may_be_an_option() -> None:
    vary = "extra: [[], [{name: Wall}], [{name: Ramp}, {name: Wall, rotation: {vary: [0, 90]}}]]"
    template = Template(ours(vary, "items: [{name: Agent}, $extra]"))
    names = [[item.name for item in variation.task.arenas[0].items] for variation in template]
    assert names == [["Agent"], ["Agent", "Wall"], ["Agent", "Ramp", "Wall"], ["Agent", "Ramp", "Wall"]]


def test_derived_values_are_used_in_labels_and_texts() -> None:
    text = """
metadata: {title: "A ${size} m wall costs $$5"}
vary: {size: [1, 2]}
let: {area: size ** 2, kind: {if: area > 2, then: wide, else: narrow}}
labels: {area: $area, kind: $kind}
arenas: [{time_limit: "$max(area, 3)"}]
"""
    first, second = Template(text)
    assert first.data["metadata"]["title"] == "A 1 m wall costs $$5" and first.stem() == "00000_1_narrow"
    assert second.stem() == "00001_4_wide" and second.data["arenas"][0]["time_limit"] == 4
    assert second.values == {"size": 2, "area": 4, "kind": "wide"}


def test_mirror_and_rotate_move_every_thing() -> None:
    text = """
vary: {flip: [none, x, z], turn: [0, 90, 180, 270]}
arenas:
  - size: [40, 20]
    mirror: $flip
    rotate: $turn
    items:
      - {name: Agent, at: [10, 0, 5], rotation: 30}
      - {name: LBlock, at: [[20, 0, 10], [30, 1, 5]], rotation: [0, 90], size: 1}
      - {name: SignBoard, at: [random, 0, 5], rotation: 0, symbol: left-arrow}
      - {name: SpawnerButton, at: [3, 0, 3], reward_names: [GoodGoal], reward_at: [6, 0, 1]}
"""
    found = {(v.values["flip"], v.values["turn"]): v.data["arenas"][0] for v in Template(text)}
    plain, mirrored, turned = found["none", 0], found["x", 0], found["none", 90]
    assert mirrored["items"][0] == {"name": "Agent", "at": [30, 0, 5], "rotation": 330}
    assert mirrored["items"][1]["name"] == "JBlock" and mirrored["items"][1]["at"] == [[20, 0, 10], [10, 1, 5]]
    assert mirrored["items"][2]["symbol"] == "right-arrow" and mirrored["items"][2]["at"] == ["random", 0, 5]
    assert mirrored["items"][3]["reward_at"] == [34, 0, 1] and mirrored["items"][3]["rotation"] == 0
    assert found["z", 0]["items"][0] == {"name": "Agent", "at": [10, 0, 15], "rotation": 150}
    # A quarter turn clockwise: what was ahead is now to the right.
    assert turned["size"] == [20, 40] and turned["items"][0] == {"name": "Agent", "at": [5, 0, 30], "rotation": 120}
    assert turned["items"][3]["rotation"] == 90
    assert found["none", 180]["items"][0]["at"] == [30, 0, 15]
    assert plain["items"][0]["at"] == [10, 0, 5]
    twice = found["x", 180]["items"][0]
    assert twice["at"] == found["z", 0]["items"][0]["at"] and twice["rotation"] == found["z", 0]["items"][0]["rotation"]


def test_splits_share_nothing() -> None:
    rest = "splits: {train: 0.7, validation: 0.2, test: 0.1, seed: 4}"
    template = Template(ours("a: {range: [1, 10]}, b: {range: [1, 10]}", rest=rest))
    parts = {name: {variation.number for variation in template.split(name)} for name in template.splits}
    assert [len(part) for part in parts.values()] == [70, 20, 10]
    assert len(set.union(*parts.values())) == 100
    assert {v.number for v in template.split("test").sample(4, seed=2)} <= parts["test"]
    with pytest.raises(ValueError, match="no split `tests`; allowed: train, validation, test; did you mean `test`"):
        template.split("tests")


def test_splits_of_a_billion_cost_nothing() -> None:
    rest = "splits: {train: 0.9, test: 0.1}"
    template = Template(ours("a: {range: [1, 100000]}, b: {range: [1, 100000]}", rest=rest))
    assert template.count == 10**10
    assert template.split("train").count == 9 * 10**9
    train = {variation.number for variation in template.split("train").sample(200)}
    test = {variation.number for variation in template.split("test").sample(200)}
    assert len(train) == len(test) == 200 and not train & test
    assert len({variation.number for variation in template.sample(500)}) == 500
    assert template[10**10 - 1].values == {"a": 100000, "b": 100000}


def test_a_latin_square_balances_positions_and_successors() -> None:
    for size in (2, 3, 4, 5, 6):
        rows = [[square(size, row, column) for column in range(size)] for row in range(size)]
        assert all(sorted(line) == list(range(size)) for line in (*rows, *zip(*rows, strict=True)))
        if size % 2 == 0:  # each follows each other one equally often
            followed = Counter(pair for row in rows for pair in pairwise(row))
            assert set(followed.values()) == {1}
    options = "[1, 2, 3, 4]"
    text = ours(
        f"group: {options}, trial: {options}, cup: {options}, side: [l, r]",
        rest="design: {latin_square: [group, trial, cup]}",
    )
    template = Template(text)
    assert template.count == 32
    assert Counter((v.values["group"], v.values["cup"]) for v in template) == dict.fromkeys(
        ((group, cup) for group in (1, 2, 3, 4) for cup in (1, 2, 3, 4)), 2
    )


def test_weights_and_balance_set_the_frequencies_of_a_sample() -> None:
    vary = "food: {options: [good, bad], weights: [9, 1]}, x: {range: [1, 5000]}"
    drawn = Counter(variation.values["food"] for variation in Template(ours(vary)).sample(500))
    assert 420 < drawn["good"] < 480
    balanced = Template(ours(vary + ", side: [l, r]", rest="design: {balance: [food, side]}")).sample(42, seed=1)
    cells = Counter((variation.values["food"], variation.values["side"]) for variation in balanced)
    assert sorted(cells.values()) == [10, 10, 11, 11] and len({v.number for v in balanced}) == 42


def test_a_template_contains_other_templates(tmp_path: Path) -> None:
    (tmp_path / "one.yml").write_text(ours("x: [1, 2]", "time_limit: $x"))
    (tmp_path / "two.yml").write_text(ours("y: [3, 4, 5]", "time_limit: $y"))
    family = tmp_path / "family.yml"
    family.write_text("metadata: {title: Both}\ntemplates: {first: one.yml, second: {template: two.yml, weight: 3}}\n")
    template = Template(family)
    assert template.count == 5 and template.title == "Both"
    assert [v.stem() for v in template][:3] == ["00000_first", "00001_first", "00002_second"]
    assert [v.values.get("x", v.values.get("y")) for v in template] == [1, 2, 3, 4, 5]
    random = Random(0)
    drawn = Counter(template.draw(random).values["template"] for _ in range(400))
    assert 260 < drawn["second"] < 340
    both = tmp_path / "both.yml"
    both.write_text("vary: {z: [8, 9]}\narenas:\n  - template: one.yml\n  - time_limit: $z\n  - template: two.yml\n")
    times = [[arena["time_limit"] for arena in variation.data["arenas"]] for variation in Template(both)]
    assert len(times) == 12 and times[0] == [1, 8, 3] and times[-1] == [2, 9, 5]
    family.write_text("templates: {self: family.yml}\n")
    with pytest.raises(TemplateError, match="contains itself"):
        Template(family)


# --- mistakes

BAD = {
    "cycle": (ours("x: [1]", rest="let: {a: b + 1, b: a + x}"), 2, "`a` depends on itself: a -> b -> a"),
    "unknown": (ours("wall_x: [1]", "time_limit: $wal_x"), 4, "no variable `wal_x`; did you mean `wall_x`?"),
    "range": (ours("x: {range: [5, 1]}"), 1, "the range of `x` is empty: 5 is above 1"),
    "uniform": (ours("x: {uniform: [5, 1]}"), 1, "the range of `x` is empty"),
    "no options": (ours("x: []"), 1, "the list of options of `x` is empty"),
    "comma": (ours("x: [1]", "items: [$max(x, 2)]"), 4, "put an expression with a comma in quotes"),
    "balance": (
        ours("x: {uniform: [1, 2]}", rest="design: {balance: [x]}"),
        1,
        "`x` is drawn by chance, so that it cannot be balanced",
    ),
    "within": (ours("x: {uniform: [{vary: [1, 2]}, 3]}"), 1, "expects a number"),
    "label varies": (ours("x: [1]", rest="labels: {a: {vary: [1, 2]}}"), 2, "nothing can `vary` within `labels.a`"),
    "too many": (
        ours("x: {range: [0, 1, 1e-300]}"),
        1,
        "the range of `x` has more than 1,000,000,000 values; give a larger step, or `uniform` to draw any number",
    ),
    "endless range": (ours("x: {range: [-1e308, 1e308]}"), 1, "expects a number from -1e15 to 1e15; got `-1e308`"),
    "huge weights": (
        ours("x: {options: [1, 2], weights: [1e308, 1e308]}"),
        1,
        "a weight of `x` expects a number from -1e15 to 1e15; got `1e308`",
    ),
    "huge whole": (ours(f"x: {{uniform: [0, 1{'0' * 400}]}}"), 1, "expects a number from -1e15 to 1e15; got `1000"),
    "root": (
        ours("x: [1]", "time_limit: $y", "let: {y: (-8)**0.5}"),
        2,
        "`(-8)**0.5` has no value: -8 is negative and has no power of 0.5",
    ),
    "root of a text": (
        ours("x: [1]", "time_limit: $len(text(y))", "let: {y: abs((-8)**0.5)}"),
        2,
        "-8 is negative and has no power of 0.5",
    ),
    "infinite option": (ours("x: [.inf, 1]", "time_limit: $x"), 1, "`.inf` is not a finite number"),
    "permutations": (
        ours(f"x: {{permutations: [{', '.join(map(str, range(3000)))}]}}"),
        1,
        "`x` has more than 10^15 permutations; at most 50,000 can be listed",
    ),
    "huge option": (
        ours(f"x: [1{'0' * 400}, 1]", "time_limit: $x"),
        1,
        "0...` is too large; numbers go from -1e15 to 1e15",
    ),
    "step": (ours("x: {range: [1, 5, 0]}"), 1, "the step of `x` must be above 0"),
    "law": (ours("x: {unifrom: [1, 2]}"), 1, "normal, permutations, subsets; did you mean `uniform`?"),
    "modifier": (ours("x: {range: [1, 2], weights: [1]}"), 1, "`weights` does not go with `range`"),
    "weights": (ours("x: {options: [1, 2], weights: [1]}"), 1, "must be a list of 2"),
    "twice": (ours("x: [1, 1]"), 1, "`1` is given twice"),
    "requirement": (ours("x: [1]", rest="require: x > 2"), 2, "no combination satisfies this condition"),
    "key": (
        ours("x: [1]", rest="requires: x > 2"),
        2,
        "`requires` is not a key of a template; did you mean `require`?",
    ),
    "function": (ours("x: [1]", "time_limit: $sqr(x)"), 4, "no function `sqr`; did you mean `sqrt`?"),
    "zero": (ours("x: [0, 1]", "time_limit: $1 / x"), 4, "has no value: division by zero (with x = 0)"),
    "square": (
        ours("a: [1, 2], b: [1, 2], c: [1]", rest="design: {latin_square: [a, b, c]}"),
        2,
        "equally many options; `a` has 2, `b` has 2, `c` has 1",
    ),
    "splits": (ours("x: [1]", rest="splits: {a: 0.8, b: 0.3}"), 2, "add up to 1 or less; they add up to 1.1"),
    "tied": (
        ours("a: {range: [1, 9999]}, b: {range: [1, 9999]}", rest="require: a < b"),
        2,
        "tie `a`, `b` together, which takes more than 400,000 combinations",
    ),
    "id": (
        A.replace("value: subject", "value: subjects"),
        11,
        "`id: subjects` is in this variation; did you mean `subject`?",
    ),
    "path": (A.replace("positions.0.x,", "positions.3.x,"), 11, "`subject.positions` has no `3`, only 0 to 0"),
    "case": (
        A.replace("default: 270,", "").replace(", default_label: east", ""),
        11,
        "no case of this !ProcIf matches",
    ),
    "then": (A.replace("then: [90]", "then: [90, 1]"), 11, "`then` has 2 entries for 1 cases"),
    "labels": (A.replace("[west]", "[west, x]"), 12, "`labels` has 2 entries for 1 cases"),
    "label": (A.replace(", default_label: east", ""), 11, "needs its `default_label`"),
    "cases": (A.replace("cases: [!R [0, 20]]", "cases: 3"), 11, "expects a list; got `3`"),
    "range of case": (A.replace("!R [0, 20]", "!R [20, 0]"), 11, "is empty"),
    "item key": (
        A.replace("rotations:", "rotation:"),
        11,
        "`rotation` is not a key of an item; did you mean `rotations`?",
    ),
    "tag": (
        A.replace("!ProcList [0, 1]", "!ProcLists [0, 1]"),
        4,
        "`!ProcLists` is not a tag of a template; did you mean `!ProcList`?",
    ),
    "colour": (procgen("items: [!Item {name: Wall, colors: [!ProcColor 11]}]"), 4, "from 1 to 10; got `11`"),
    "vector": (A.replace("y: 0, z: 20}]", "y: [0], z: 20}]"), 10, "is one number, not a list"),
    "null": (A.replace("timeLimit: 300", "timeLimit:"), 5, "a value is missing here"),
    "circle": (
        procgen(
            "passMark: !ProcIf {value: arenas.0.timeLimit, cases: [1], then: [1], default: 2}\n"
            "timeLimit: !ProcIf {value: arenas.0.passMark, cases: [1], then: [1], default: 2}"
        ),
        4,
        "depends on itself",
    ),
    "meta": (B.replace("proc_labels", "proc_label"), 3, "the only one is proc_labels"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_templates_get_one_sentence_with_its_place(name: str) -> None:
    text, line, sentence = BAD[name]
    with pytest.raises(TemplateError) as raised:
        Template(text).check()
    message = str(raised.value)
    assert sentence in message, message
    assert message.startswith(f"<text>:{line}:"), message
    assert "\n" not in message


def test_an_invalid_combination_is_named() -> None:
    template = Template(ours("who: [Wall, Wal]", "items: [{name: $who}]"))
    with pytest.raises(TemplateError, match=r"variation 1: .*`Wal` is not a thing.* \(with who = Wal\)"):
        _ = template[1].task
    assert template[0].task.arenas[0].items[0].name == "Wall"


def test_a_template_is_not_taken_for_a_task() -> None:
    for text, line in ((A, 4), (ours("x: [1]"), 1)):
        with pytest.raises(TaskError, match=f":{line}:1: error: this is a template of many tasks, not one task"):
            load_task(text)


def test_more_variations_than_there_are_is_refused() -> None:
    template = Template(ours("x: [1, 2]"))
    with pytest.raises(ValueError, match="3 variations were asked for, but there are only 2"):
        template.sample(3)
    with pytest.raises(IndexError, match="there is no variation 2; there are 2"):
        _ = template[2]
    with pytest.raises(OverflowError, match=r"use \.count"):
        len(Template(ours("x: {range: [1, 1000000000]}, y: {range: [1, 1000000000]}, z: {range: [1, 100]}")))
    with pytest.raises(FileNotFoundError, match="did you mean `basic-control`"):
        Template("basic-contrl")


def test_broken_templates_are_refused_with_one_sentence() -> None:
    """Words swapped, inserted and removed at random give a template or a TemplateError."""
    from puzzlebox.batteries import template_path

    paths = [template_path(name) for name in template_names() if "/" in name]
    texts = [A, B, *(path.read_text() for path in paths if path is not None)]
    words = [word for text in texts for word in text.split()]
    random, sound = Random(7), 0
    for _ in range(300):
        text = random.choice(texts)
        place = random.randrange(len(text))
        match random.randrange(3):
            case 0:
                text = text[:place] + random.choice(words) + text[place:]
            case 1:
                text = text[:place] + text[place + random.randrange(1, 8) :]
            case _:
                text = text.replace(random.choice(text.split()), random.choice(words), 1)
        try:
            template = Template(text)
            template.check()
            if template.count:
                assert template.at(template.count - 1).reading.text
                assert template.draw(random).stem()
            sound += 1
        except TemplateError as problem:
            assert "\n" not in str(problem) and "<text>" in str(problem)
    assert 20 < sound < 280
