"""Conditions that tie choices together, as tables of the combinations they allow."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from puzzlebox.arena.schema.diagnostics import Place
from puzzlebox.arena.variations.budget import Budget, BudgetSpent
from puzzlebox.arena.variations.parts import Context
from puzzlebox.arena.variations.problems import refuse
from puzzlebox.arena.variations.space import Choice, Selection, Space, Table

# The most combinations of choices that a group of conditions may tie together; beyond, the template is refused.
MOST_COMBINATIONS = 400_000
_MOST_SHOWN = 5


@dataclass(frozen=True)
class Constraint:
    """A condition on a combination of choices.

    Attributes:
        axes: the choices it refers to, all among those of the space.
        holds: returns whether it is satisfied.
        place: its place in the template.
    """

    axes: frozenset[Choice]
    holds: Callable[[Context], Any]
    place: Place


def tie(space: Space, constraints: Sequence[Constraint], budget: Budget, names: Any = None) -> None:
    """Add the tables of some constraints to a space."""
    groups = _groups([constraint for constraint in constraints if constraint.axes])
    order = {axis: number for number, axis in enumerate(space.axes)}
    for together in groups:
        axes = sorted({axis for constraint in together for axis in constraint.axes}, key=order.__getitem__)
        try:
            rows = _rows(axes, together, names, budget)
        except BudgetSpent as spent:
            refuse(f"to try this condition on all combinations {spent}", together[0].place, "too-many")
        if not rows:
            refuse("no combination satisfies this condition", together[-1].place, "empty")
        space.tables.append(Table([order[axis] for axis in axes], rows))


def _groups(constraints: Iterable[Constraint]) -> list[list[Constraint]]:
    """Return the constraints in groups; those that share a choice belong together."""
    above: dict[Choice, Choice] = {}

    def top(axis: Choice) -> Choice:
        while (higher := above.setdefault(axis, axis)) is not axis:
            above[axis] = above[higher]
            axis = higher
        return axis

    all_constraints = list(constraints)
    for constraint in all_constraints:
        first, *others = constraint.axes
        for other in others:
            above[top(other)] = top(first)
    groups: dict[Choice, list[Constraint]] = {}
    for constraint in all_constraints:
        # A group takes the position of its last constraint: draws depend on the order of the tables.
        root = top(next(iter(constraint.axes)))
        groups[root] = [*groups.pop(root, []), constraint]
    return list(groups.values())


def _rows(
    axes: Sequence[Choice], constraints: Sequence[Constraint], names: Any, budget: Budget
) -> list[tuple[int, ...]]:
    """Return all rows that satisfy the constraints; each is checked as soon as its last choice is made."""
    ready: list[list[Constraint]] = [[] for _ in axes]
    position = {axis: number for number, axis in enumerate(axes)}
    for constraint in constraints:
        ready[max(position[axis] for axis in constraint.axes)].append(constraint)
    rows: list[tuple[int, ...]] = [()]
    examined = 0
    for axis, complete in zip(axes, ready, strict=True):
        examined += len(rows) * axis.count
        if examined > MOST_COMBINATIONS:
            names_text = ", ".join(f"`{each.name}`" for each in axes[:_MOST_SHOWN])
            if len(axes) > _MOST_SHOWN:
                names_text += f" and {len(axes) - _MOST_SHOWN} more"
            refuse(
                f"the conditions tie {names_text} together, which takes more than {MOST_COMBINATIONS:,} combinations "
                "to look through; give fewer values or tie fewer of them",
                constraints[0].place,
                "too-many",
            )
        rows = [(*row, number) for row in rows for number in range(axis.count)]
        if complete:
            rows = [row for row in rows if _holds(axes, row, complete, names, budget)]
    return rows


def _holds(
    axes: Sequence[Choice], row: tuple[int, ...], constraints: Sequence[Constraint], names: Any, budget: Budget
) -> bool:
    budget.spend(len(row) + len(constraints))
    selection: Selection = {}
    for axis, number in zip(axes, row, strict=False):
        axis.unrank(number, selection)
    context = Context(selection, names, budget=budget)
    return all(constraint.holds(context) for constraint in constraints)
