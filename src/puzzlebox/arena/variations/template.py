"""Templates: how many tasks each holds, a task by its number, samples and splits."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from math import prod
from os import PathLike
from pathlib import Path
from random import Random
from typing import Any

from puzzlebox.arena.schema.data_form import task_of_data
from puzzlebox.arena.schema.diagnostics import Diagnostic, Place
from puzzlebox.arena.schema.draft import PUZZLEBOX
from puzzlebox.arena.schema.factors import LONGEST
from puzzlebox.arena.schema.models import Task
from puzzlebox.arena.schema.reading import Reading, read
from puzzlebox.arena.schema.tree import SCALAR, Refused, compose
from puzzlebox.arena.variations.budget import STEPS_TO_CHECK, Budget, BudgetSpent
from puzzlebox.arena.variations.parts import Reuse, value_text
from puzzlebox.arena.variations.plan import Design, Plan, ProcgenPlan, VariationData, form_of
from puzzlebox.arena.variations.problems import Mistake, TemplateError
from puzzlebox.arena.variations.shuffle import Shuffle, split_range
from puzzlebox.arena.variations.space import Selection
from puzzlebox.arena.variations.template_source import is_template_tree, plan_of, read_source, tree_of
from puzzlebox.arena.variations.text import text_of
from puzzlebox.arena.variations.vary_form import TEMPLATE_KEYS
from puzzlebox.seeds import named_seed, round_seed, sample_rng, variation_rng
from puzzlebox.text import nearest

# The most attempts to draw values that satisfy all conditions.
_MOST_ATTEMPTS = 1_000
# The most repeated draws in a row before the rest of a sample comes from a shuffled list.
_MOST_REPEATED_DRAWS = 100
# Different draws of random values for each combination.
_REDRAWS = 2**32
# Words of which every template has at least one.
_WORDS = re.compile(r"!Proc|proc_meta|" + "|".join(rf"\b{key}\s*:" for key in TEMPLATE_KEYS))
# Most file systems allow names of 255 bytes.
_LONGEST_STEM = 200
_UNSAFE = re.compile(r"[^A-Za-z0-9.+=-]+")


class Variation:
    """A task of a template.

    Attributes:
        number: its number in the template, from 0.
        values: the selected values, by the name of the variable or the path of the generator.
        labels: the words of its file name.
        form: the format its text is written in.
    """

    def __init__(self, number: int, produced: VariationData, form: str) -> None:
        self.number = number
        self.values: dict[str, Any] = produced.values
        self.labels = produced.labels
        self.data = produced.data
        self.form = form

    @cached_property
    def text(self) -> str:
        """The text of the task file."""
        return text_of(self.data, self.form)

    @cached_property
    def reading(self) -> Reading:
        """The task with all findings about it."""
        return read(self.text)

    @cached_property
    def _task_of_data(self) -> Task | None:
        return task_of_data(self.data) if self.form == PUZZLEBOX else None

    @property
    def task(self) -> Task:
        """The task.

        Raises:
            TemplateError: it is not valid; the message names the combination.
        """
        # Writing a text and reading it again takes many times as long, and only findings need it.
        if "reading" not in self.__dict__ and self._task_of_data is not None:
            return self._task_of_data
        if self.reading.task is None:
            raise TemplateError(f"variation {self.number}", [self.explain(self.reading.findings[0])])
        return self.reading.task

    def explain(self, finding: Diagnostic) -> Diagnostic:
        """Return a finding about this task with the combination added to its message."""
        message = f"line {finding.place.line} of the task: {finding.message} (with {self.description()})"
        return Diagnostic(finding.code, finding.severity, message, Place(0, 0))

    @property
    def factors(self) -> dict[str, Any]:
        """The selected values as factors of an experiment: lists and mappings as texts, too long texts shortened."""
        factors: dict[str, Any] = {}
        for name, value in self.values.items():
            if isinstance(value, bool | int | float):
                factors[name] = value
            elif value is not None:
                text = value_text(value)
                factors[name] = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
        return factors

    def description(self) -> str:
        """Return the values of everything that varies as one text."""
        text = ", ".join(f"{name} = {value_text(value)}" for name, value in self.values.items())
        return text if len(text) <= 300 else text[:297] + "..."

    def stem(self, number: int | None = None) -> str:
        """Return the name of its file without the ending: five digits and the labels, at most 200 characters."""
        words = [_UNSAFE.sub("-", label).strip("-") or "-" for label in self.labels]
        return "_".join([f"{self.number if number is None else number:05d}", *words])[:_LONGEST_STEM]

    def __repr__(self) -> str:
        return f"Variation({self.number}, {self.description()})"


class Variations:
    """A sequence of different variations of a template, each produced on access."""

    def __init__(self, template: "Template", indices: Sequence[int], count: int) -> None:
        self._template = template
        self._indices = indices
        self.count = count

    def __len__(self) -> int:
        return _length(self.count)

    def __getitem__(self, number: Any) -> Any:
        return _select(number, self.count, lambda position: self._template.at(self._indices[position]))

    def __iter__(self) -> Iterator[Variation]:
        return (self[number] for number in _numbers(self.count))

    def sample(self, amount: int, seed: int = 0) -> list[Variation]:
        """Return different variations, drawn at random."""
        return [self._template.at(index) for index in self.indices(amount, seed)]

    def indices(self, amount: int | None = None, seed: int = 0) -> Iterator[int]:
        """Return the numbers of all variations, or of an amount of them drawn at random."""
        if amount is None:
            return (self._indices[number] for number in _numbers(self.count))
        _check_amount(amount, self.count)
        order = Shuffle(self.count, named_seed("sample", seed))
        return (self._indices[order[number]] for number in range(amount))


@dataclass(frozen=True)
class _Shuffled(Sequence[int]):
    """A slice of a shuffled range."""

    order: Shuffle
    stretch: range

    def __len__(self) -> int:
        return len(self.stretch)

    def __getitem__(self, number: Any) -> Any:
        return self.order[self.stretch[number]]


class Template:
    """A template: one file that describes many tasks.

    Args:
        source: the path of a template, the name of a bundled one such as "object-permanence", or the text itself.
        seed: the seed of drawn values and of restricted combinations.
        others: whether it may name other templates, which are read from their files.

    Attributes:
        name: the source as given, for messages.
        text: the text of the template.
        texts: its text, and those of all templates it names.
        count: how many combinations there are.
        endless: whether numbers are drawn, so that each combination has any number of variations.
        columns: the names of everything that varies.
        design: the sample and splits it asks for.

    Raises:
        TemplateError: the template has mistakes; the message names each with its place.
        FileNotFoundError: there is no such template.
    """

    def __init__(self, source: str | bytes | PathLike[str], *, seed: int = 0, others: bool = True) -> None:
        self.name, self.text, path = read_source(source)
        self.seed = seed
        self._open(None if path is None else path.parent, others)

    @classmethod
    def load(cls, source: str | bytes | PathLike[str], *, seed: int = 0) -> "Template":
        """Return a template; the same as calling the class."""
        return cls(source, seed=seed)

    def _open(self, folder: Path | None, others: bool = True) -> None:
        self._folder = folder
        texts = [self.text]
        with self._sentences("to read the template"):
            self._plan = plan_of(tree_of(self.text), folder, self.seed, texts, others=others)
        self.texts = tuple(texts)
        self.count = self._plan.space.count
        self.endless = self._plan.endless
        self.columns: list[str] = self._plan.columns
        self.design: Design = self._plan.design

    def _error(self, mistake: Mistake) -> TemplateError:
        return TemplateError(mistake.source or self.name, [mistake.finding])

    @contextmanager
    def _sentences(self, doing: str) -> Iterator[None]:
        """Turn any failure into a TemplateError with one sentence that names the file."""
        try:
            yield
        except Mistake as mistake:
            raise self._error(mistake) from None
        except BudgetSpent as spent:
            raise self._error(Mistake(f"{doing} {spent}", code="too-many")) from None
        except RecursionError:
            raise self._error(Mistake(f"{doing} takes too many steps within one another", code="too-deep")) from None

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (self.text, self.name, self._folder, self.seed))

    def check(self) -> None:
        """Evaluate every condition on all combinations of what it refers to.

        Raises:
            TemplateError: one fails; the message gives the place and the values.
        """
        with self._sentences("to check the template"):
            self._plan.check(Budget(STEPS_TO_CHECK))

    @property
    def title(self) -> str:
        """The title in the template's metadata; "" if it has none."""
        metadata = tree_of(self.text).get("metadata")
        title = metadata.get("title") if metadata is not None else None
        return str(title.value) if title is not None and title.kind == SCALAR else ""

    @property
    def explanation(self) -> str:
        """The factors of the count, as a text."""
        if isinstance(self._plan, ProcgenPlan):
            return self._plan.explanation()
        space = self._plan.space
        factors = " x ".join(f"{axis.count}#{axis.name}" for axis in space.axes) or "No variations"
        return f"{factors}, of which conditions leave {self.count}" if space.tables else factors

    @property
    def plan(self) -> Plan:
        """The plan: the space of its combinations, and how one becomes a task."""
        return self._plan

    # --- by number

    def __len__(self) -> int:
        return _length(self.count)

    def __getitem__(self, index: Any) -> Any:
        return _select(index, self.count, self.at)

    def __iter__(self) -> Iterator[Variation]:
        return (self.at(number) for number in _numbers(self.count))

    def at(self, index: int) -> Variation:
        """Return the variation with a number; where something is drawn, numbers beyond the count draw it again."""
        selection: Selection = {}
        self._plan.space.unrank(index % self.count, selection)
        return self.produce(index, selection)

    def produce(self, index: int, selection: Selection, reuse: Reuse | None = None) -> Variation:
        """Return the variation with a selection of options; the number is that of what is drawn in it.

        Args:
            index: the number.
            selection: the number of the option of each choice.
            reuse: what similar selections of the same number have in common. Default: nothing.
        """
        budget = Budget()
        for attempt in range(_MOST_ATTEMPTS):
            with self._sentences(f"to make variation {index}"):
                data = self._plan.produce(
                    selection, lambda name: variation_rng(self.seed, index, name), attempt, budget, reuse
                )
            if data is not None:
                return Variation(index, data, form_of(self._plan, selection))
        mistake = Mistake(f"in variation {index} no draw in {_MOST_ATTEMPTS:,} satisfies what is required")
        raise self._error(mistake)

    def indices(self) -> Iterable[int]:
        """Return the numbers of all variations."""
        return range(self.count)

    # --- at random

    def draw(self, rng: Random) -> Variation:
        """Return a variation drawn at random by the weights; the same one may come again."""
        if not self.count:
            raise ValueError(f"{self.name} has no variations")
        return self.produce(*self.draw_selection(rng))

    def draw_selection(self, rng: Random) -> tuple[int, Selection]:
        """Return the number of a variation drawn at random by the weights, and its selection of options."""
        selection: Selection = {}
        self._plan.space.draw(rng, selection)
        index = self._plan.space.rank(selection)
        return index + self.count * rng.randrange(_REDRAWS) if self.endless else index, selection

    def sample(self, amount: int, seed: int = 0) -> list[Variation]:
        """Return different variations, drawn at random by the weights."""
        return [self.at(index) for index in self.sample_indices(amount, seed)]

    def sample_indices(self, amount: int, seed: int = 0) -> Iterator[int]:
        """Yield the numbers of different variations, drawn at random by the weights.

        A longer sample begins like a shorter one with the same seed.
        """
        if not self.endless:
            _check_amount(amount, self.count)
        if self.design.balance:
            yield from self._balanced(amount, seed)
            return
        remaining, round_ = amount, 0
        while remaining > 0:
            for index in self._one_round(min(remaining, self.count), round_seed(seed, round_)):
                yield index + round_ * self.count
            remaining -= self.count
            round_ += 1

    def _one_round(self, amount: int, seed: Any) -> Iterator[int]:
        rng, drawn = sample_rng(seed), set[int]()
        repeated = 0
        while len(drawn) < amount and repeated < _MOST_REPEATED_DRAWS:
            selection: Selection = {}
            self._plan.space.draw(rng, selection)
            index = self._plan.space.rank(selection)
            repeated = repeated + 1 if index in drawn else 0
            if not repeated:
                drawn.add(index)
                yield index
        rest = Shuffle(self.count, named_seed("rest", seed))
        position = 0
        while len(drawn) < amount:
            if rest[position] not in drawn:
                drawn.add(rest[position])
                yield rest[position]
            position += 1

    def _balanced(self, amount: int, seed: int) -> Iterator[int]:
        """Yield numbers with each combination of the balanced variables equally often, as nearly as possible."""
        order = Shuffle(self.count, named_seed("balance", seed))
        cells = prod(max(1, self._plan.levels(name)) for name in self.design.balance)
        indices_of_cell: dict[str, list[int]] = {}
        position = yielded = round_ = 0
        # In each round, one of every cell; the search for cells that conditions may leave empty is limited.
        while yielded < amount:
            ready = [cell for cell in indices_of_cell if len(indices_of_cell[cell]) > round_]
            if len(ready) == cells or position >= min(self.count, 200 * amount + 10_000):
                if not ready:
                    raise ValueError(f"only {yielded} variations can be drawn in balance; {amount} were asked for")
                for cell in ready[: amount - yielded]:
                    yield indices_of_cell[cell][round_]
                    yielded += 1
                round_ += 1
                continue
            index = order[position]
            position += 1
            selection: Selection = {}
            self._plan.space.unrank(index, selection)
            with self._sentences(f"to balance variation {index}"):
                cell = value_text(self._plan.cell(selection, self.design.balance))
            indices_of_cell.setdefault(cell, []).append(index)

    # --- splits

    @property
    def splits(self) -> tuple[str, ...]:
        """The names of the splits."""
        return tuple(self.design.splits)

    def split(self, name: str) -> Variations:
        """Return the variations of one split; no two splits share a combination."""
        if name not in self.design.splits:
            hint = nearest(name, self.splits) if self.splits else "; the template has no `splits`"
            raise ValueError(f"there is no split `{name}`{hint}")
        stretch = split_range(self.count, list(self.design.splits.values()))[self.splits.index(name)]
        order = Shuffle(self.count, named_seed("splits", self.design.split_seed))
        return Variations(self, _Shuffled(order, stretch), stretch.stop - stretch.start)


def _rebuild(text: str, name: str, folder: Path | None, seed: int) -> Template:
    template = object.__new__(Template)
    template.name, template.text, template.seed = name, text, seed
    template._open(folder)
    return template


def is_template(source: str | bytes | PathLike[str]) -> bool:
    """Return whether a path, a name or a text is a template rather than a task; False if it cannot be read."""
    try:
        text = read_source(source)[1]
        # Most files are tasks, which a search for these words shows quickly.
        root = compose(text) if _WORDS.search(text) else None
    except (Refused, OSError, TemplateError):
        return False
    return root is not None and is_template_tree(root)


def _numbers(count: int) -> Iterator[int]:
    number = 0
    while number < count:
        yield number
        number += 1


def _select(index: Any, count: int, at: Callable[[int], Variation]) -> Any:
    """Return the variation at an index (negative: from the end), or those of a slice."""
    if isinstance(index, slice):
        return [at(each) for each in range(*index.indices(_length(count)))]
    number = index + count if index < 0 else index
    if not 0 <= number < count:
        raise IndexError(f"there is no variation {index}; there are {count}")
    return at(number)


def _length(count: int) -> int:
    if count > sys.maxsize:
        raise OverflowError(f"there are {count} variations, more than Python's len can return; use .count")
    return count


def _check_amount(amount: int, count: int) -> None:
    if isinstance(amount, bool) or not isinstance(amount, int) or amount < 0:
        raise ValueError(f"a sample has a whole number of variations, not {amount!r}")
    if amount > count:
        raise ValueError(f"{amount} variations were asked for, but there are only {count}")
