"""The training space: templates of the testbed without the layouts of its battery and of its held-out set.

A task that differs from one of those sets only in its orientation, in the heading of what stands in it, or by half a
metre or less in every place, has another layout, but is hardly a new task, so it is left out as well.
"""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from glob import has_magic
from os import PathLike
from random import Random
from typing import Any

from puzzlebox.arena.schema import load_task
from puzzlebox.arena.schema.loading import several_spaces, whole_space
from puzzlebox.arena.testbed.level import Level, TemplateUse
from puzzlebox.arena.testbed.manifest import read_manifest
from puzzlebox.arena.testbed.placements import Placements
from puzzlebox.arena.testbed.reading import read_level
from puzzlebox.arena.testbed.sets import TRAINING_SHARE, Drawn, layout_of
from puzzlebox.arena.variations import Template, Variation
from puzzlebox.arena.variations import is_template as is_template_file
from puzzlebox.arena.variations.narrowing import fixed_options
from puzzlebox.arena.variations.parts import Data
from puzzlebox.arena.variations.plan import Design, VariationData
from puzzlebox.batteries.testbed import (
    BATTERY,
    HELD_OUT,
    MANIFEST,
    TESTBED,
    TRAINING,
    battery_names,
    broken,
    training_names,
)
from puzzlebox.seeds import sample_rng
from puzzlebox.text import nearest

# Of ten draws three are expected to be for testing; a template of which so many in a row are has no training space.
_MOST_DRAWS = 2_000
_SAMPLE = 100
Source = str | bytes | PathLike[str]


def open_template(source: Source, *, seed: int = 0) -> Template:
    """Return a template, or a part of the training space by its name, such as `testbed-train/08`.

    Raises:
        TemplateError: the template has mistakes.
        FileNotFoundError: there is no such template.
    """
    return TrainingSpace(str(source), seed=seed) if _is_training(source) else Template(source, seed=seed)


def is_template(source: Source) -> bool:
    """Return whether a path, a name or a text is a template or a part of the training space rather than a task."""
    return str(source) in training_names() if _is_training(source) else is_template_file(source)


def _is_training(source: Source) -> bool:
    return not isinstance(source, bytes) and f"{source}/".startswith(f"{TRAINING}/")


class TrainingSpace(Template):
    """The training space of a level, or of one of its templates: a template of which only some combinations count.

    Args:
        name: `testbed-train/LL`, or `testbed-train/LL/TEMPLATE`.
        seed: the seed of drawn values.

    Attributes:
        count: about how many combinations there are.
    """

    def __init__(self, name: str, *, seed: int = 0) -> None:
        if fitting := [each for each in training_names() if has_magic(name) and fnmatchcase(each, name)]:
            raise FileNotFoundError(several_spaces(name, fitting))
        if name.rstrip("/") == TRAINING:
            raise FileNotFoundError(whole_space())
        if name not in training_names():
            hint = nearest(name, training_names())
            raise FileNotFoundError(f"there is no training space {name}{hint}")
        _, number, *template = name.split("/")
        self.name, self.seed = name, seed
        self._level = _bundled_level(int(number))
        templates, uses = self._level.templates, self._level.about.templates
        self._members = [(each, templates[each], uses[each]) for each in template or templates if each in templates]
        if not self._members:
            raise FileNotFoundError(f"the template {name} is not listed in level.yml")
        self.text = "\n".join(each.text for _, each, _ in self._members)
        self.texts = tuple(each.text for _, each, _ in self._members)
        self.count = sum(_size(each, use) for _, each, use in self._members)
        self.endless = True
        own = (column for _, each, _ in self._members for column in each.columns)
        self.columns = list(dict.fromkeys(["template", *own]))
        self.design = Design(sample=_SAMPLE)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (self.name, self.seed))

    @property
    def title(self) -> str:
        """The title of the level."""
        return f"{self._level.about.title} (training)"

    @property
    def explanation(self) -> str:
        """How the count comes about."""
        return f"about {self.count:,} combinations of {len(self._members)} templates are for training"

    def check(self) -> None:
        """Check nothing: the templates were checked when the testbed was built."""

    def __getitem__(self, index: Any) -> Any:
        raise TypeError(f"{self.name} has no order, since only some combinations are for training; use `sample`")

    def __iter__(self) -> Iterator[Variation]:
        return (self.at(index) for index in self.indices())

    def at(self, index: int) -> Variation:
        """Return the variation with a number."""
        number, place = divmod(index, len(self._members))
        return self._own(place, self._members[place][1].at(number))

    def _own(self, place: int, variation: Variation) -> Variation:
        """Return a variation of one of the templates as one of this space, with its level in the metadata."""
        name = self._members[place][0]
        metadata = Data({**variation.data.get("metadata", {}), "level": self._level.number, "template": name})
        data = VariationData(
            Data({**variation.data, "metadata": metadata}),
            {"template": name, **variation.values},
            [name, *variation.labels],
        )
        return Variation(variation.number * len(self._members) + place, data, variation.form)

    def draw(self, rng: Random) -> Variation:
        """Return a variation for training, drawn at random: a template first, then one of its combinations."""
        for _ in range(_MOST_DRAWS):
            place = rng.randrange(len(self._members))
            name, template, use = self._members[place]
            drawn = Drawn(template, use, *template.draw_selection(rng))
            if drawn.part == "train" and drawn.layout(oriented=False) not in _plain_layouts(self._level.number, name):
                if not _placements().has_near(drawn.variation.task):
                    return self._own(place, drawn.variation)
        raise ValueError(f"{self.name} has no variations for training")

    def sample_indices(self, amount: int, seed: int = 0) -> Iterator[int]:
        """Yield the numbers of different variations for training, drawn at random."""
        rng, drawn = sample_rng(seed), set[int]()
        repeated = 0
        while len(drawn) < amount:
            index = self.draw(rng).number
            repeated = repeated + 1 if index in drawn else 0
            if repeated > _MOST_DRAWS:
                raise ValueError(f"{self.name} has only about {len(drawn)} variations; {amount} were asked for")
            if not repeated:
                drawn.add(index)
                yield index

    def indices(self) -> Iterator[int]:
        """Yield the numbers of variations for training."""
        return self.sample_indices(self.count)


@cache
def _bundled_level(number: int) -> Level:
    """Return a level; all training spaces of a process share its templates."""
    return read_level(number, partial=True)


@cache
def _placements() -> Placements:
    """Return where everything stands in the tasks of the two other sets, whatever their level."""
    return Placements(load_task(name) for battery in (BATTERY, HELD_OUT) for name in battery_names(battery))


@cache
def _plain_layouts(number: int, name: str) -> frozenset[str]:
    """Return the layouts, before turning and mirroring, of all tasks that a template gave to the two other sets."""
    level = _bundled_level(number)
    template, use = level.templates[name], level.about.templates[name]
    folder = TESTBED / f"{number:02d}"
    known = read_manifest(folder)
    names = (each for battery in (BATTERY, HELD_OUT) for each in battery_names(battery))
    if missing := next((each for each in names if f"/{number:02d}-" in each and each not in known), None):
        raise broken(f"{folder / MANIFEST} has no {missing}")
    entries = known.values()
    # A template that was changed since may have fewer combinations than when the level was built.
    numbers = [each.number for each in entries if each.template == name and each.number < template.count]
    return frozenset(layout_of(template, template.at(each), use, oriented=False) for each in numbers)


def _size(template: Template, use: TemplateUse) -> int:
    """Return about how many combinations of a template are for training."""
    share = TRAINING_SHARE
    for name in use.reserved:
        for value in use.reserved_values(name):
            for choice, options in fixed_options(template, {name: value})[0].items():
                share *= 1 - len(options) / len(choice.options)
    return round(template.count * share)


def _rebuild(name: str, seed: int) -> TrainingSpace:
    return TrainingSpace(name, seed=seed)
