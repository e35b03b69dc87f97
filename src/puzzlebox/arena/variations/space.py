"""All combinations of choices as numbers: from number to combination and back by arithmetic.

Choices are in the order of the document, and the last one varies fastest. An option may contain further choices, which
count only if that option is selected. Conditions that tie choices together are stored as tables of the combinations
they allow, so that the order stays that of the full product without the forbidden combinations.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import prod
from random import Random
from typing import TYPE_CHECKING, Any

from puzzlebox.arena.schema.diagnostics import Place

if TYPE_CHECKING:
    from puzzlebox.arena.variations.parts import Context

Selection = dict["Choice", int]
# The most draws that a condition may forbid before an allowed combination is drawn from its table.
_MOST_REJECTED_DRAWS = 100


class Option:
    """One of the values of a choice, with its label and the choices within it."""

    __slots__ = ("inner", "label", "value")

    def __init__(self, value: Any, label: str | None = None, inner: "Space | None" = None) -> None:
        self.value = value
        self.label = label
        self.inner = inner


class Choice:
    """A place in a template that holds one of several options.

    Args:
        name: its name in the manifest.
        kind: its name in the explanation of a count.
        place: its place in the template.
        options: the options in order; may be computed on demand, if they contain no further choices.
        weights: the relative frequency of each option in draws; None: all equal.
    """

    def __init__(
        self,
        name: str,
        kind: str,
        place: Place,
        options: Sequence[Option],
        weights: Sequence[float] | None = None,
    ) -> None:
        self.name = name
        self.kind = kind
        self.place = place
        self.options = options
        self.weights = weights
        # The part that it counts with in the explanation of a count, if any.
        self.within: object = None

    @cached_property
    def _ends(self) -> list[int] | None:
        """The number of combinations up to each option; None if each option is one combination."""
        if not isinstance(self.options, list) or all(option.inner is None for option in self.options):
            return None
        ends, total = [], 0
        for option in self.options:
            total += 1 if option.inner is None else option.inner.count
            ends.append(total)
        return ends

    @cached_property
    def _possible(self) -> list[int] | None:
        """The numbers of the options that have any combination; None if all do."""
        if self._ends is None:
            return None
        possible = [n for n, option in enumerate(self.options) if option.inner is None or option.inner.count]
        return possible if len(possible) < len(self.options) else None

    @property
    def count(self) -> int:
        """The number of combinations of its options."""
        return len(self.options) if self._ends is None else self._ends[-1] if self._ends else 0

    def unrank(self, index: int, selection: Selection) -> None:
        """Select combination `index`."""
        if self._ends is None:
            selection[self] = index
            return
        number = bisect_right(self._ends, index)
        selection[self] = number
        inner = self.options[number].inner
        if inner is not None:
            inner.unrank(index - (self._ends[number - 1] if number else 0), selection)

    def rank(self, selection: Mapping["Choice", int]) -> int:
        """Return the number of the selected combination."""
        number = selection[self]
        if self._ends is None:
            return number
        inner = self.options[number].inner
        return (self._ends[number - 1] if number else 0) + (0 if inner is None else inner.rank(selection))

    def draw(self, rng: Random, selection: Selection) -> None:
        """Select at random: an option first, then the choices within it."""
        if self._possible is not None:
            weights = None if self.weights is None else [self.weights[number] for number in self._possible]
            number = rng.choices(self._possible, weights if weights and any(weights) else None)[0]
        elif self.weights is None:
            number = rng.randrange(len(self.options))
        else:
            number = rng.choices(range(len(self.options)), self.weights)[0]
        selection[self] = number
        inner = self.options[number].inner
        if inner is not None:
            inner.draw(rng, selection)

    dynamic = True

    def realise(self, context: "Context") -> Any:
        """Return the value of the selected option."""
        from puzzlebox.arena.variations.parts import realise

        return realise(self.options[context.choose(self)].value, context)


class Table:
    """The combinations of some choices that a condition allows: rows of their numbers, in order."""

    def __init__(self, positions: Sequence[int], rows: list[tuple[int, ...]]) -> None:
        self.positions = tuple(positions)
        self.rows = rows
        self.row_set = frozenset(rows)

    def group(self, low: int, high: int, column: int, value: int) -> tuple[int, int]:
        """Return the range of rows with a value in a column, among rows that agree in all columns before it."""
        key = self.rows[low][:column] if low < high else ()
        start = bisect_left(self.rows, (*key, value), low, high)
        end = bisect_left(self.rows, (*key, value + 1), start, high)
        return start, end


class Space:
    """Independent choices, and the tables that tie some of them together."""

    def __init__(self, axes: Iterable[Choice] = (), elements: Iterable[Any] = ()) -> None:
        self.axes = list(axes)
        # Choices, conditions and drawn numbers in the order of the document, for labels and for the manifest.
        self.elements = list(elements)
        self.tables: list[Table] = []

    @cached_property
    def count(self) -> int:
        """The number of combinations."""
        tied = {position for table in self.tables for position in table.positions}
        free = prod(axis.count for position, axis in enumerate(self.axes) if position not in tied)
        return free * prod(len(table.rows) for table in self.tables)

    @cached_property
    def _column(self) -> dict[int, tuple[int, int]]:
        """The table and the column in it of each choice that a table ties, by position."""
        return {
            position: (number, column)
            for number, table in enumerate(self.tables)
            for column, position in enumerate(table.positions)
        }

    @cached_property
    def _free_after(self) -> list[int]:
        """The number of combinations of the free choices after each choice."""
        result, total = [1] * len(self.axes), 1
        for position in reversed(range(len(self.axes))):
            result[position] = total
            if position not in self._column:
                total *= self.axes[position].count
        return result

    def unrank(self, index: int, selection: Selection) -> None:
        """Select combination `index`, counted from 0."""
        if not self.tables:
            for axis in reversed(self.axes):
                index, number = divmod(index, axis.count)
                axis.unrank(number, selection)
            return
        ranges = [(0, len(table.rows)) for table in self.tables]
        for position, axis in enumerate(self.axes):
            if position not in self._column:
                number, index = divmod(index, self._free_after[position] * _size(ranges))
                axis.unrank(number, selection)
                continue
            which, column = self._column[position]
            table, (low, high) = self.tables[which], ranges[which]
            others = self._free_after[position] * _size(ranges, which)
            # Rows that agree in this column are adjacent; find the group of rows that the number falls into.
            row = min(low + index // others, high - 1)
            value = table.rows[row][column]
            start, end = table.group(low, high, column, value)
            index -= (start - low) * others
            ranges[which] = (start, end)
            axis.unrank(value, selection)

    def rank(self, selection: Mapping[Choice, int]) -> int:
        """Return the number of the selected combination."""
        index = 0
        if not self.tables:
            for axis in self.axes:
                index = index * axis.count + axis.rank(selection)
            return index
        ranges = [(0, len(table.rows)) for table in self.tables]
        for position, axis in enumerate(self.axes):
            value = axis.rank(selection)
            if position not in self._column:
                index += value * self._free_after[position] * _size(ranges)
                continue
            which, column = self._column[position]
            low, high = ranges[which]
            start, end = self.tables[which].group(low, high, column, value)
            index += (start - low) * self._free_after[position] * _size(ranges, which)
            ranges[which] = (start, end)
        return index

    def draw(self, rng: Random, selection: Selection) -> None:
        """Select at random among the combinations that the tables allow."""
        for axis in self.axes:
            axis.draw(rng, selection)
        for table in self.tables:
            for _ in range(_MOST_REJECTED_DRAWS):
                if tuple(self.axes[position].rank(selection) for position in table.positions) in table.row_set:
                    break
                for position in table.positions:
                    self.axes[position].draw(rng, selection)
            else:
                row = table.rows[rng.randrange(len(table.rows))]
                for position, value in zip(table.positions, row, strict=True):
                    self.axes[position].unrank(value, selection)


def _size(ranges: Sequence[tuple[int, int]], without: int = -1) -> int:
    """Return how many combinations the tables leave, apart from the table `without`."""
    return prod(high - low for number, (low, high) in enumerate(ranges) if number != without)
