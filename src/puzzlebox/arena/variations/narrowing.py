"""The combinations of a template in which some variables have given values, by arithmetic, in any order."""

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any

from puzzlebox.arena.variations.parts import Context, realise, value_text
from puzzlebox.arena.variations.plan import Plan
from puzzlebox.arena.variations.space import Choice, Selection
from puzzlebox.arena.variations.template import Template
from puzzlebox.arena.variations.vary_form import VaryPlan
from puzzlebox.text import nearest

# The most options of a variable that are compared with a value, and of those that a message names.
_MOST_OPTIONS = 100_000


class Unmatched(ValueError):
    """A variable never has a value that was asked for; the message says which it has."""


def fixed_options(template: Template, values: Mapping[str, Any]) -> tuple[dict[Choice, set[int]], dict[str, Any]]:
    """Return the options of choices that give variables some values, and the values that only a trial can show.

    Args:
        template: a template in the Puzzlebox format that names no others.
        values: the value of each variable, or the label of the option.

    Returns:
        For each choice that a value fixes, the numbers of the options that are left; and those values whose variable
        is no choice but follows from others.

    Raises:
        Unmatched: a variable has no such option.
    """
    plan = vary_plan(template)
    options: dict[Choice, set[int]] = {}
    later: dict[str, Any] = {}
    for name, value in values.items():
        choice = _choice_of(plan, name)
        if choice is None:
            later[name] = value
            continue
        names = list(plan.names.parts)
        texts: dict[str, None] = {}
        left = set()
        for number in range(min(len(choice.options), _MOST_OPTIONS)):
            context = Context({choice: number}, plan.names.parts)
            option = plan.names.parts[name].realise(context) if name in names else choice.realise(context)
            label = choice.options[number].label
            texts[value_text(option) if label is None else label] = None
            if same_value(option, value) or (label is not None and label == value):
                left.add(number)
        if not left:
            raise Unmatched(f"`{name}` is never {value_text(value)}{nearest(value_text(value), texts)}")
        options[choice] = options[choice] & left if choice in options else left
    return options, later


def values_at(template: Template, number: int, names: Iterable[str]) -> dict[str, Any]:
    """Return the values of some variables in one combination of a template, without making its task."""
    plan = vary_plan(template)
    selection: Selection = {}
    plan.space.unrank(number % template.count, selection)
    context = Context(selection, plan.names.parts)
    return {name: realise(plan.names.parts[name], context) for name in names}


def vary_plan(template: Template) -> VaryPlan:
    """Return the plan of a template; refuse families and procgen-companion's format."""
    plan: Plan = template.plan
    if not isinstance(plan, VaryPlan):
        raise ValueError(f"{template.name} is no template with a `vary` section")
    return plan


def _choice_of(plan: VaryPlan, name: str) -> Choice | None:
    """Return the choice that decides a variable alone; None if it follows from others, or is drawn."""
    part = plan.names.parts.get(name)
    if part is None:
        return next((axis for axis in plan.space.axes if axis.name == name), None)
    choice = getattr(part, "choice", part)
    if not isinstance(choice, Choice) or choice not in plan.space.axes:
        return None
    # Options with expressions depend on other choices as well.
    return choice if plan.names.dependencies(choice)[0] <= {choice} else None


def same_value(one: Any, other: Any) -> bool:
    """Return whether two values are equal; a truth value equals no number."""
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same_value, one, other))
    return bool(one == other)


class Narrowed:
    """The numbers of those combinations of a template in which some variables have given values.

    They are computed, not listed. Values of variables that follow from others are not considered (see `later`).

    Args:
        template: the template.
        values: the value of each variable.

    Attributes:
        count: how many combinations there are.
        later: the values whose variable follows from others, for the caller to compare.
    """

    def __init__(self, template: Template, values: Mapping[str, Any]) -> None:
        options, self.later = fixed_options(template, values)
        self._space = vary_plan(template).space
        axes = self._space.axes
        tied = {position for table in self._space.tables for position in table.positions}
        allowed = {position: options.get(axis) for position, axis in enumerate(axes)}
        # Each digit: the positions of its choices, and the rows of their numbers.
        self._digits: list[tuple[tuple[int, ...], Sequence[Any]]] = []
        for position, axis in enumerate(axes):
            if position not in tied:
                numbers: Sequence[int] = range(axis.count)
                left = allowed[position]
                if left is not None:
                    numbers = [number for number in numbers if _option(axis, number) in left]
                self._digits.append(((position,), numbers))
        for table in self._space.tables:
            rows = table.rows
            for column, position in enumerate(table.positions):
                left = allowed[position]
                if left is not None:
                    rows = [row for row in rows if _option(axes[position], row[column]) in left]
            self._digits.append((table.positions, rows))
        self.count = prod(len(rows) for _, rows in self._digits)

    def __getitem__(self, place: int) -> int:
        """Return the number in the template of one of the combinations."""
        if not 0 <= place < self.count:
            raise IndexError(place)
        selection: Selection = {}
        for positions, rows in reversed(self._digits):
            place, digit = divmod(place, len(rows))
            row = rows[digit]
            for position, number in zip(positions, row if isinstance(row, tuple) else (row,), strict=True):
                self._space.axes[position].unrank(number, selection)
        return self._space.rank(selection)


def _option(axis: Choice, number: int) -> int:
    """Return which option of a choice one of its combinations has."""
    selection: Selection = {}
    axis.unrank(number, selection)
    return selection[axis]
