"""The three sets of the testbed: test, training and held-out. No layout is in two of them.

The set of a task follows from its layout: what is left of the task without colours, themes, skins and metadata, and
with the variables that a level lists as `looks` at their first value. A task with a reserved value belongs to the
held-out set. Of all others, three in ten layouts, by their hash, are for testing and the rest for training.
"""

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, Literal

from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.testbed.level import Level, Row, TemplateUse
from puzzlebox.arena.variations import Template, Variation
from puzzlebox.arena.variations.narrowing import Narrowed, same_value, values_at, vary_plan
from puzzlebox.arena.variations.shuffle import Shuffle
from puzzlebox.arena.variations.space import Selection
from puzzlebox.seeds import named_seed

Part = Literal["test", "train", "held-out"]
# Of ten layouts, how many are for testing.
_FOR_TESTING, _ALL = 3, 10
TRAINING_SHARE = 1 - _FOR_TESTING / _ALL
# Keys that change what is seen and not where anything is.
_LOOKS = frozenset({"color", "theme", "skin", "metadata", "id", "texture"})
# The variable of templates by which the whole arena is turned.
_TURN = "turn"
# The most combinations that are looked at to find the next one of a set.
_MOST_CANDIDATES = 20_000


def layout_hash(task: Task) -> str:
    """Return a SHA-256 of the layout of a task: equal for tasks that differ in colours, themes and metadata alone."""
    plain = _without_looks(task.model_dump(mode="json", exclude_defaults=True))
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def _without_looks(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_looks(each) for key, each in value.items() if key not in _LOOKS}
    if isinstance(value, list | tuple):
        return [_without_looks(each) for each in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def layout_of(template: Template, variation: Variation, use: TemplateUse, *, turned: bool = True) -> str:
    """Return the hash of the layout of a variation, with all variables that are looks at their first value.

    Args:
        template: its template.
        variation: the variation.
        use: how its level uses the template.
        turned: whether a turned arena is another layout; if not, `turn` is at its first value, too.
    """
    selection: Selection = {}
    plan = vary_plan(template)
    plan.space.unrank(variation.number % template.count, selection)
    changed = dict(selection)
    for choice in plan.choices_named(use.looks if turned else [*use.looks, _TURN]):
        changed[choice] = 0
    if changed == selection:
        return layout_hash(variation.task)
    return layout_hash(template.produce(variation.number, changed).task)


def part_of(template: Template, variation: Variation, use: TemplateUse) -> Part:
    """Return the set that a variation of a template belongs to."""
    for name in use.reserved:
        if any(same_value(variation.values.get(name), value) for value in use.reserved_values(name)):
            return "held-out"
    return "test" if int(layout_of(template, variation, use)[:8], 16) % _ALL < _FOR_TESTING else "train"


def combinations(template: Template, values: Mapping[str, Any], seed: str) -> Iterator[int]:
    """Yield the numbers of the variations that have some values, in an order that depends on the seed alone."""
    narrowed = Narrowed(template, values)
    order = Shuffle(narrowed.count, named_seed("testbed", seed))
    for place in range(min(narrowed.count, _MOST_CANDIDATES)):
        number = narrowed[order[place]]
        own = values_at(template, number, narrowed.later)
        if all(same_value(own[name], value) for name, value in narrowed.later.items()):
            yield number


def candidates(
    level: Level, row: Row, seed: str, values: Mapping[str, Any] | None = None, part: Part = "test"
) -> Iterator[Variation]:
    """Yield the variations that a task may be made of, in an order that depends on the seed alone.

    No two of them have the same layout.

    Args:
        level: the level.
        row: the row of the task.
        seed: the name of the task.
        values: values that it must have beside those of the row. Default: none.
        part: the set that it is for.
    """
    template, use = level.templates[row.template], level.about.templates[row.template]
    layouts: set[str] = set()
    for number in combinations(template, {**row.values, **(values or {})}, seed):
        variation = template.at(number)
        if part_of(template, variation, use) != part:
            continue
        layout = layout_of(template, variation, use)
        if layout not in layouts:
            layouts.add(layout)
            yield variation
