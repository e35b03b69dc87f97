"""The parts of a template, which become data once everything is chosen."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from random import Random
from typing import Any

from puzzlebox.arena.schema.diagnostics import Place
from puzzlebox.arena.variations.budget import MOST_CHARACTERS, Budget, Sized, refuse_large, size_of
from puzzlebox.arena.variations.expressions import Expression, ExpressionError
from puzzlebox.arena.variations.problems import NOWHERE, Mistake, refuse
from puzzlebox.arena.variations.space import Choice, Selection

_MOST_DRAWS = 1_000
# Whole numbers of more digits are cut in messages and names.
_UNREADABLE = 10**60


class Data(dict[str, Any]):
    """A mapping of a finished task.

    Attributes:
        tag: its tag in Animal-AI's format, if any.
        fixed: whether it is the same in every variation, so that its text can be cached.
        size: how many values it holds, if that was counted.
    """

    tag: str | None = None
    fixed = False
    text: str | None = None
    size: int | None = None


class ChoiceNeeded(Exception):
    """A choice is needed that is not in the selection."""

    def __init__(self, choice: Choice) -> None:
        super().__init__(choice.name)
        self.choice = choice


class DrawNeeded(Exception):
    """A drawn value is needed where nothing can be drawn."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class Reuse:
    """The data of parts that are the same in several variations with one number, so that they are made once.

    Args:
        parts: the parts that depend on none of the choices in which the variations differ.

    Attributes:
        data: the data of those parts that were made so far.
    """

    def __init__(self, parts: Set[Any]) -> None:
        self.parts = parts
        self.data: dict[Any, Any] = {}
        self._attempt = 0

    def begin(self, attempt: int) -> None:
        """Forget what was made in another attempt, whose drawn values differ."""
        if attempt != self._attempt:
            self._attempt = attempt
            self.data = {}


class Context:
    """The selections of one variation: options by choice, values by name.

    Args:
        selection: the number of the selected option of each choice.
        names: the parts of the named values.
        rng_of: returns the random stream of a drawn value, by its name; None: nothing can be drawn.
        budget: the steps that may be taken; None: as many as a variation may take.

    Attributes:
        cases: the number of the case that matches, for each condition evaluated so far.
        reuse: data of parts that are the same in similar variations; None: there are none.
    """

    def __init__(
        self,
        selection: Mapping[Choice, int],
        names: Mapping[str, Any] | None = None,
        rng_of: Callable[[str], Random] | None = None,
        budget: Budget | None = None,
    ) -> None:
        self.budget = Budget() if budget is None else budget
        self.cases: dict[Any, int] = {}
        self.selection = selection
        self.names: Mapping[str, Any] = {} if names is None else names
        self._rng_of = rng_of
        self._values: dict[str, Any] = {}
        self._pending: list[str] = []
        self.reuse: Reuse | None = None

    def choose(self, choice: Choice) -> int:
        """Return the number of the selected option."""
        try:
            return self.selection[choice]
        except KeyError:
            raise ChoiceNeeded(choice) from None

    def value(self, name: str) -> Any:
        """Return the value of a name."""
        if name in self._values:
            return self._values[name]
        if name in self._pending:
            cycle = " -> ".join([*self._pending[self._pending.index(name) :], name])
            part = self.names[name]
            refuse(f"`{name}` depends on itself: {cycle}", getattr(part, "place", NOWHERE), "cycle")
        self._pending.append(name)
        try:
            self._values[name] = result = realise(self.names[name], self)
        finally:
            self._pending.pop()
        return result

    def rng(self, name: str) -> Random:
        """Return the random stream of a drawn value."""
        if self._rng_of is None:
            raise DrawNeeded(name)
        return self._rng_of(name)

    def with_fixed(self, pinned: Selection) -> "Context":
        """Return a context in which some choices are fixed."""
        return Context({**self.selection, **pinned}, self.names, self._rng_of, self.budget)


def realise(part: Any, context: Context) -> Any:
    """Return the data of a part of a template, with the values of its variables."""
    if not hasattr(part, "realise"):
        return part
    context.budget.spend()
    reuse = context.reuse
    if reuse is None or part not in reuse.parts:
        return part.realise(context)
    if part not in reuse.data:
        reuse.data[part] = part.realise(context)
    return reuse.data[part]


def is_dynamic(part: Any) -> bool:
    """Return whether a part can differ between variations."""
    return bool(getattr(part, "dynamic", False))


class MappingPart:
    """A mapping of a template."""

    def __init__(
        self,
        pairs: Sequence[tuple[str, Any]],
        place: Place,
        tag: str | None = None,
        id: str | None = None,
        order: Mapping[str, int] | None = None,
    ) -> None:
        self.pairs = list(pairs)
        # The order of keys in the task may differ from that in the template.
        self.ordered_pairs = (
            self.pairs if order is None else sorted(self.pairs, key=lambda pair: order.get(pair[0], len(order)))
        )
        self.place = place
        self.tag = tag
        self.id = id
        self.dynamic = any(is_dynamic(value) for _, value in pairs)
        self._fixed: Data | None = None

    def get(self, key: str) -> Any:
        """Return the part of a key, or None; of a repeated key the last."""
        return next((value for name, value in reversed(self.pairs) if name == key), None)

    def realise(self, context: Context) -> Data:
        """Return the mapping with everything in it chosen."""
        if self._fixed is not None:
            return self._fixed
        data = Data(
            (key, data_part)
            for key, value in self.ordered_pairs
            if (data_part := realise(value, context)) is not ABSENT
        )
        data.size = 1 + sum(map(size_of, data.values()))
        refuse_large(data.size, self.place)
        data.tag = self.tag
        if not self.dynamic:
            data.fixed = True
            self._fixed = data
        return data


class ListPart:
    """A list of a template.

    Entries that are absent are left out; the entries of a variable whose value is a list are inserted.
    """

    def __init__(self, entries: Sequence[Any], place: Place = NOWHERE) -> None:
        self.entries = list(entries)
        self.place = place
        self.dynamic = any(is_dynamic(entry) for entry in self.entries)
        self._fixed: Sized | None = None

    def realise(self, context: Context) -> Sized:
        """Return the list with everything in it chosen."""
        if self._fixed is not None:
            return self._fixed
        result = Sized()
        for entry in self.entries:
            value = realise(entry, context)
            if value is ABSENT:
                continue
            result.size += size_of(value)
            refuse_large(result.size, self.place)
            if isinstance(value, Several):
                result += value
            else:
                result.append(value)
        if not self.dynamic:
            self._fixed = result
        return result


class Several(Sized):
    """Entries that are merged into the list around them."""

    def __init__(self, entries: Iterable[Any]) -> None:
        super().__init__(entries)
        self.size = 1 + sum(map(size_of, self))


class _Absent:
    """The value of a part that a condition leaves out."""


ABSENT = _Absent()


@dataclass(eq=False)
class Repeat:
    """A list of equal copies."""

    amount: int
    value: Any
    place: Place = NOWHERE
    dynamic: bool = True

    def realise(self, context: Context) -> Sized:
        """Return the copies; an amount below one still gives one, as in procgen-companion."""
        value, amount = realise(self.value, context), max(1, self.amount)
        size = 1 + amount * size_of(value)
        refuse_large(size, self.place)
        copies = Sized([value] * amount)
        copies.size = size
        return copies


@dataclass(eq=False)
class PinnedPart:
    """A part in which some choices are fixed."""

    value: Any
    selection: Selection
    # The choices and conditions within it.
    elements: Sequence[Any] = ()
    dynamic: bool = True

    def realise(self, context: Context) -> Any:
        """Return the data with the fixed choices."""
        return realise(self.value, context.with_fixed(self.selection))


@dataclass(eq=False)
class Formula:
    """A value computed from names."""

    expression: Expression
    place: Place
    # Words that are not names but options of some variable stand for themselves.
    words: frozenset[str] = frozenset()
    dynamic: bool = True

    def realise(self, context: Context) -> Any:
        """Return the value of the expression."""

        def value_of(name: str) -> Any:
            return name if name in self.words else context.value(name)

        context.budget.spend(self.expression.cost)
        try:
            value = self.expression.evaluate(value_of)
        except ExpressionError as problem:
            raise Mistake(str(problem), self.place, "expression") from None
        context.budget.spend(size_of(value))
        return value

    def names(self) -> Iterator[str]:
        """Return the names that the expression refers to."""
        return (name for name in self.expression.names if name not in self.words)


@dataclass(eq=False)
class Sentence:
    """A text with embedded values."""

    parts: list[Any]
    place: Place = NOWHERE
    dynamic: bool = True

    def realise(self, context: Context) -> str:
        """Return the text."""
        pieces, length = [], 0
        for part in self.parts:
            value = realise(part, context)
            context.budget.spend(size_of(value))
            pieces.append(value_text(value))
            length += len(pieces[-1])
            if length > MOST_CHARACTERS:
                refuse(f"the text has more than {MOST_CHARACTERS:,} characters", self.place, "too-long")
        return "".join(pieces)


@dataclass(eq=False)
class Condition:
    """A test that selects one of two parts."""

    test: Formula
    then: Any
    otherwise: Any = field(default_factory=lambda: ABSENT)
    dynamic: bool = True

    def realise(self, context: Context) -> Any:
        """Return the data of the part that the test selects."""
        return realise(self.then if self.test.realise(context) else self.otherwise, context)


@dataclass(eq=False)
class DrawnNumber:
    """A number drawn anew for every variation."""

    name: str
    law: str
    bounds: Any
    low: float | None
    high: float | None
    decimals: int
    place: Place
    dynamic: bool = True

    def realise(self, context: Context) -> float:
        """Return the number."""
        one, other = realise(self.bounds, context)
        for bound in (one, other):
            if isinstance(bound, bool) or not isinstance(bound, int | float):
                refuse(f"`{self.law}` of `{self.name}` expects two numbers; got {value_text(bound)}", self.place)
        if self.law == "uniform" and one > other:
            refuse(
                f"the range of `{self.name}` is empty: {value_text(one)} is above {value_text(other)}",
                self.place,
                "empty",
            )
        rng = context.rng(self.name)
        for _ in range(_MOST_DRAWS):
            context.budget.spend()
            value = rng.uniform(one, other) if self.law == "uniform" else rng.gauss(one, other)
            value = round(value, self.decimals)
            if (self.low is None or value >= self.low) and (self.high is None or value <= self.high):
                return value
        refuse(f"no draw of `{self.name}` lies between {value_text(self.low)} and {value_text(self.high)}", self.place)


def value_text(value: Any) -> str:
    """Return a value as a text for a name, a message or a manifest."""
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return "none"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, int) and abs(value) >= _UNREADABLE:
        return f"{str(value)[:20]}…"
    if isinstance(value, Mapping):
        tag = getattr(value, "tag", None)
        return (
            (f"{tag} " if tag else "")
            + "{"
            + ", ".join(f"{key}: {value_text(each)}" for key, each in value.items())
            + "}"
        )
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(value_text, value)) + "]"
    return str(value)
