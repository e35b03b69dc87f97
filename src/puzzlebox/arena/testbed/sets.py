"""The three sets of the testbed: test, training and held-out. No layout is in two of them.

The set of a task follows from its layout: what is left of the task without colours, themes, skins and metadata, and
with the variables that a level lists as `looks` at their first value. A task with a reserved value belongs to the
held-out set. Of all others, three in ten layouts, by their hash, are for testing and the rest for training.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Literal

from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.testbed.level import Level, Row, TemplateUse
from puzzlebox.arena.variations import Template, Variation
from puzzlebox.arena.variations.narrowing import Narrowed, same_value, values_at, vary_plan
from puzzlebox.arena.variations.shuffle import Shuffle
from puzzlebox.arena.variations.space import Choice, Selection
from puzzlebox.seeds import named_seed

Part = Literal["test", "train", "held-out"]
# Of ten layouts, how many are for testing.
_FOR_TESTING, _ALL = 3, 10
TRAINING_SHARE = 1 - _FOR_TESTING / _ALL
# Keys that change what is seen and not where anything is.
_LOOKS = frozenset({"color", "theme", "skin", "metadata", "id", "texture"})
# The variables of templates by which the whole arena is turned or mirrored.
_ORIENTATION = ("turn", "flip", "mirror")
# The most combinations that are looked at to find the next one of a set.
_MOST_CANDIDATES = 20_000


def layout_hash(task: Task) -> str:
    """Return a SHA-256 of the layout of a task: equal for tasks that differ in colours, themes and metadata alone."""
    plain = _without_looks(task.model_dump(mode="json", exclude_defaults=True))
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def _without_looks(value: Any) -> Any:
    kind = type(value)
    if kind is dict:
        return {key: _without_looks(each) for key, each in value.items() if key not in _LOOKS}
    if kind is list or kind is tuple:
        return [_without_looks(each) for each in value]
    return float(value) if kind is int else value


def layout_of(template: Template, variation: Variation, use: TemplateUse, *, oriented: bool = True) -> str:
    """Return the hash of the layout of a variation, with all variables that are looks at their first value.

    Args:
        template: its template.
        variation: the variation.
        use: how its level uses the template.
        oriented: whether a turned or mirrored arena is another layout; if not, the variables for that are at their
            first value, too.
    """
    return _drawn_as(template, variation, use).layout(oriented=oriented)


def footprint(task: Task) -> str:
    """Return a SHA-256 of where everything stands, the same for a turned or mirrored task; headings do not count.

    Returns:
        The hash; "" if a place is random, so that nothing is known of it.
    """
    arena = task.arenas[0]
    width, depth = arena.size
    things = [(item.name, item.at, item.explicit_values().get("size")) for item in arena.items]
    if any(at is None or None in at for _, at, _ in things):
        return ""
    # Places as seen from the middle; a size counts whichever side is longer.
    places = [
        (name, at[0] - width / 2, at[1], at[2] - depth / 2, repr(sorted(map(str, size))) if size else "")
        for name, at, size in things
        if at is not None
    ]
    seen = []
    for sign in (1, -1):
        turned = [(name, sign * x, y, z, size) for name, x, y, z, size in places]
        for sides in ((width, depth), (depth, width)) * 2:
            # Adding zero makes -0.0 a 0.0.
            seen.append((sides, sorted((n, round(x, 2) + 0.0, y, round(z, 2) + 0.0, s) for n, x, y, z, s in turned)))
            turned = [(name, z, y, -x, size) for name, x, y, z, size in turned]
    return sha256(repr(min(seen)).encode()).hexdigest()


def part_of(template: Template, variation: Variation, use: TemplateUse) -> Part:
    """Return the set that a variation of a template belongs to."""
    return _drawn_as(template, variation, use).part


def _drawn_as(template: Template, variation: Variation, use: TemplateUse) -> "Drawn":
    selection: Selection = {}
    vary_plan(template).space.unrank(variation.number % template.count, selection)
    drawn = Drawn(template, use, variation.number, selection)
    drawn.keep(variation)
    return drawn


class Drawn:
    """A combination of a template, of which no more is produced than what is asked for.

    Args:
        template: the template.
        use: how its level uses the template.
        number: the number of the variation.
        selection: its options.
    """

    def __init__(self, template: Template, use: TemplateUse, number: int, selection: Selection) -> None:
        self._template = template
        self._use = use
        self._number = number
        self._selection = selection
        self._plan = vary_plan(template)
        self._looks = self._plan.choices_named(use.looks)
        self._changed = self._plan.choices_named([*use.looks, *_ORIENTATION])
        self._reuse = self._plan.reuse_without(frozenset(self._changed))
        # Variations and their layouts by the options of the choices that layouts change.
        self._produced: dict[tuple[int, ...], Variation] = {}
        self._layouts: dict[tuple[int, ...], str] = {}

    @property
    def variation(self) -> Variation:
        """The variation."""
        return self._with(())[1]

    @property
    def part(self) -> Part:
        """The set that it belongs to."""
        for name in self._use.reserved:
            value = self._value(name)
            if any(same_value(value, reserved) for reserved in self._use.reserved_values(name)):
                return "held-out"
        return "test" if int(self.layout()[:8], 16) % _ALL < _FOR_TESTING else "train"

    def layout(self, *, oriented: bool = True) -> str:
        """Return the hash of its layout, see `layout_of`."""
        key, variation = self._with(self._looks if oriented else self._changed)
        if key not in self._layouts:
            self._layouts[key] = layout_hash(variation.task)
        return self._layouts[key]

    def keep(self, variation: Variation) -> None:
        """Keep the variation, if it was produced already."""
        self._produced[self._key(self._selection)] = variation

    def _value(self, name: str) -> Any:
        """Return the value of a variable, without producing the variation if nothing drawn can change it."""
        if name in self._plan.chosen_names and not self._produced:
            return self._plan.cell(self._selection, [name])[0]
        return self.variation.values.get(name)

    def _key(self, selection: Selection) -> tuple[int, ...]:
        return tuple(selection[choice] for choice in self._changed)

    def _with(self, first: Sequence[Choice]) -> tuple[tuple[int, ...], Variation]:
        """Return the variation with some choices at their first option, and its key."""
        selection = self._selection | dict.fromkeys(first, 0)
        key = self._key(selection)
        if key not in self._produced:
            self._produced[key] = self._template.produce(self._number, selection, self._reuse)
        return key, self._produced[key]


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
