"""Conditions that tie choices together, made into tables of what they allow."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from puzzlebox.arena.schema.diagnostics import Place
from puzzlebox.arena.variations.budget import Budget, Spent
from puzzlebox.arena.variations.parts import Context
from puzzlebox.arena.variations.problems import refuse
from puzzlebox.arena.variations.space import Choice, Selection, Space, Table

# So many combinations of the choices that conditions tie together are looked at; beyond, the template is refused.
MOST_LOOKED_AT = 400_000
_MOST_SHOWN = 5


@dataclass(frozen=True)
class Constraint:
    """What must hold for a combination.

    Attributes:
        axes: the choices it looks at, all among those of the space.
        holds: whether it does.
        place: where it stands.
    """

    axes: frozenset[Choice]
    holds: Callable[[Context], Any]
    place: Place


def tie(space: Space, constraints: Sequence[Constraint], budget: Budget, names: Any = None) -> None:
    """Give a space the tables that its constraints make."""
    groups = _groups([constraint for constraint in constraints if constraint.axes])
    order = {axis: number for number, axis in enumerate(space.axes)}
    for together in groups:
        axes = sorted({axis for constraint in together for axis in constraint.axes}, key=order.__getitem__)
        try:
            rows = _rows(axes, together, names, budget)
        except Spent as spent:
            refuse(f"to try this condition on all combinations {spent}", together[0].place, "too-many")
        if not rows:
            refuse("no combination satisfies this condition", together[-1].place, "empty")
        space.tables.append(Table([order[axis] for axis in axes], rows))


def _groups(constraints: Iterable[Constraint]) -> list[list[Constraint]]:
    """Constraints that share a choice belong together."""
    above: dict[Choice, Choice] = {}

    def top(axis: Choice) -> Choice:
        while (higher := above.setdefault(axis, axis)) is not axis:
            above[axis] = above[higher]
            axis = higher
        return axis

    asked = list(constraints)
    for constraint in asked:
        first, *others = constraint.axes
        for other in others:
            above[top(other)] = top(first)
    groups: dict[Choice, list[Constraint]] = {}
    for constraint in asked:
        # A group stands where its last constraint does: draws depend on the order of the tables.
        root = top(next(iter(constraint.axes)))
        groups[root] = [*groups.pop(root, []), constraint]
    return list(groups.values())


def _rows(
    axes: Sequence[Choice], constraints: Sequence[Constraint], names: Any, budget: Budget
) -> list[tuple[int, ...]]:
    """All rows that satisfy the constraints, each of which is asked as soon as its last choice is made."""
    ready: list[list[Constraint]] = [[] for _ in axes]
    position = {axis: number for number, axis in enumerate(axes)}
    for constraint in constraints:
        ready[max(position[axis] for axis in constraint.axes)].append(constraint)
    rows: list[tuple[int, ...]] = [()]
    looked = 0
    for axis, asked in zip(axes, ready, strict=True):
        looked += len(rows) * axis.count
        if looked > MOST_LOOKED_AT:
            tied = ", ".join(f"`{each.name}`" for each in axes[:_MOST_SHOWN])
            if len(axes) > _MOST_SHOWN:
                tied += f" and {len(axes) - _MOST_SHOWN} more"
            refuse(
                f"the conditions tie {tied} together, which takes more than {MOST_LOOKED_AT:,} combinations to look "
                "through; give fewer values or tie fewer of them",
                constraints[0].place,
                "too-many",
            )
        rows = [(*row, number) for row in rows for number in range(axis.count)]
        if asked:
            rows = [row for row in rows if _holds(axes, row, asked, names, budget)]
    return rows


def _holds(
    axes: Sequence[Choice], row: tuple[int, ...], asked: Sequence[Constraint], names: Any, budget: Budget
) -> bool:
    budget.spend(len(row) + len(asked))
    selection: Selection = {}
    for axis, number in zip(axes, row, strict=False):
        axis.unrank(number, selection)
    context = Context(selection, names, budget=budget)
    return all(constraint.holds(context) for constraint in asked)
