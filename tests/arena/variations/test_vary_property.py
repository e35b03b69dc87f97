"""Random templates, against a straightforward enumeration."""

from itertools import islice, product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from puzzlebox.arena.variations import Template
from puzzlebox.arena.variations.procgen_form import PALETTE
from puzzlebox.arena.variations.shuffle import Shuffle, split_range

# A node of a template as plain data: ("value", v), ("list", options), ("seq", children),
# ("repeat", amount, child), ("colour", n), ("labelled", [(label, child)]).
TemplateNode = tuple[Any, ...]
VALUES = st.builds(lambda value: ("value", value), st.integers(0, 5))


def deeper(inner: st.SearchStrategy[TemplateNode]) -> st.SearchStrategy[TemplateNode]:
    several = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        st.builds(lambda options: ("list", options), several),
        st.builds(lambda children: ("seq", children), several),
        st.builds(lambda amount, child: ("repeat", amount, child), st.integers(1, 3), inner),
        st.builds(lambda number: ("colour", number), st.integers(1, 3)),
        st.builds(lambda options: ("labelled", [(f"l{i}", each) for i, each in enumerate(options)]), several),
    )


NODES = st.recursive(VALUES, deeper, max_leaves=5)


def text_of(node: TemplateNode) -> str:
    match node:
        case ("value", value):
            return str(value)
        case ("list", options):
            return f"!ProcList [{', '.join(map(text_of, options))}]"
        case ("seq", children):
            return f"[{', '.join(map(text_of, children))}]"
        case ("repeat", amount, child):
            return f"!ProcRepeatChoice {{amount: {amount}, value: {text_of(child)}}}"
        case ("colour", number):
            return f"!ProcColor {number}"
        case ("labelled", options):
            entries = (f"{{label: {label}, value: {text_of(child)}}}" for label, child in options)
            return f"!ProcListLabelled [{', '.join(entries)}]"
    raise AssertionError(node)


def expand(node: TemplateNode) -> list[tuple[Any, list[str]]]:
    """Return every value of a node, in order, each with its labels."""
    match node:
        case ("value", value):
            return [(value, [])]
        case ("list", options):
            return [each for option in options for each in expand(option)]
        case ("seq", children):
            rows = product(*map(expand, children))
            return [([value for value, _ in row], [word for _, words in row for word in words]) for row in rows]
        case ("repeat", amount, child):
            return [([value] * amount, labels) for value, labels in expand(child)]
        case ("colour", number):
            return [(dict(zip("rgb", colour, strict=True)), []) for colour in PALETTE[:number]]
        case ("labelled", options):
            return [(value, [label, *labels]) for label, child in options for value, labels in expand(child)]
    raise AssertionError(node)


@settings(max_examples=150)
@given(NODES, NODES, st.lists(st.integers(0, 5), min_size=1, max_size=3), st.integers(0, 5))
def test_procgen_tags_enumerate_all_combinations(
    first: TemplateNode, second: TemplateNode, marks: list[int], limit: int
) -> None:
    """Count, order, contents and labels are right, also where a condition precedes what it refers to."""
    text = f"""!ArenaConfig
id: root
arenas:
  0: !Arena
    mergeNextArena: !ProcIf {{value: root.arenas.0.passMark, cases: [!R [0, {limit}]], then: [low], default: high}}
    blackouts: {text_of(first)}
    passMark: !ProcList {marks}
    timeLimit: {text_of(second)}
"""
    template = Template(text)
    template.check()
    expected = list(product(expand(first), marks, expand(second)))
    assert template.count == len(template) == len(expected)
    for variation, ((blackouts, before), mark, (time, after)) in islice(zip(template, expected, strict=True), 60):
        arena = variation.data["arenas"]["0"]
        assert (arena["blackouts"], arena["passMark"], arena["timeLimit"]) == (blackouts, mark, time)
        assert arena["mergeNextArena"] == ("low" if mark <= limit else "high")
        assert variation.labels == before + after
    assert list(template)[-1].text == template[-1].text


VARIABLES = st.lists(st.lists(st.integers(-3, 6), min_size=1, max_size=4, unique=True), min_size=2, max_size=4)
COMPARED = st.tuples(st.integers(0, 3), st.sampled_from(["!=", "<", "<=", "=="]), st.integers(0, 3), st.integers(-2, 2))
PYTHON = {"!=": int.__ne__, "<": int.__lt__, "<=": int.__le__, "==": int.__eq__}


@settings(max_examples=150)
@given(VARIABLES, st.lists(COMPARED, max_size=2), st.booleans())
def test_variations_are_the_combinations_that_requirements_allow(
    lists: list[list[int]], rules: list[tuple[int, str, int, int]], inner: bool
) -> None:
    """The combinations are the product without the forbidden ones, in its order; ranks and combinations agree."""
    names = [f"v{number}" for number in range(len(lists))]
    used = [(names[a % len(names)], op, names[b % len(names)], add) for a, op, b, add in rules]
    lines = ["vary:", *(f"  {name}: {options}" for name, options in zip(names, lists, strict=True))]
    if used:
        lines.append("require:")
        lines += [f"  - {a} {op} {b} + {add}" for a, op, b, add in used]
    lines += ["arenas:", "  - time_limit: $v0 + 10"]
    lines += ["    pass_mark: {vary: [0, {vary: [1, 2]}]}"] if inner else []
    expected = []
    for row in product(*lists):
        values = dict(zip(names, row, strict=True))
        if all(PYTHON[op](values[a], values[b] + add) for a, op, b, add in used):
            expected += [(values, mark) for mark in ((0, 1, 2) if inner else (None,))]
    try:
        template = Template("\n".join(lines))
    except ValueError as problem:
        assert not expected and "no combination satisfies" in str(problem)
        return
    assert template.count == len(expected)
    for variation, (values, mark) in zip(template, expected, strict=True):
        assert {name: variation.values[name] for name in names} == values
        assert variation.data["arenas"][0].get("pass_mark") == mark
        assert variation.data["arenas"][0]["time_limit"] == values["v0"] + 10
    for index in range(template.count):
        selection: dict[Any, int] = {}
        template._plan.space.unrank(index, selection)
        assert template._plan.space.rank(selection) == index
    numbers = [variation.number for variation in template.sample(template.count, seed=1)]
    assert sorted(numbers) == list(range(template.count))


@settings(max_examples=60)
@given(st.integers(1, 10**30), st.integers(0, 5), st.data())
def test_shuffle_is_one_to_one(count: int, seed: int, data: st.DataObject) -> None:
    order = Shuffle(count, seed)
    place = data.draw(st.integers(0, count - 1))
    assert 0 <= order[place] < count
    assert order.place(order[place]) == place
    first = [order[each] for each in range(min(count, 50))]
    assert len(set(first)) == len(first)


@settings(max_examples=60)
@given(st.integers(0, 1000), st.lists(st.floats(0.01, 1), min_size=1, max_size=4))
def test_shares_cover_every_variation_once(count: int, weights: list[float]) -> None:
    parts = split_range(count, [weight / sum(weights) for weight in weights])
    assert [number for part in parts for number in part] == list(range(count))
