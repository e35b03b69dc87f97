"""Conditions that tie choices together, made into tables of what they allow."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from puzzlebox.schema.diagnostics import Place
from puzzlebox.variations.parts import Context
from puzzlebox.variations.problems import refuse
from puzzlebox.variations.space import Choice, Selection, Space, Table

# So many combinations of the choices that conditions tie together are looked at; beyond, the template is refused.
MOST_LOOKED_AT = 400_000


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


def tie(space: Space, constraints: Sequence[Constraint], names: Any = None) -> None:
    """Give a space the tables that its constraints make."""
    groups = _groups([constraint for constraint in constraints if constraint.axes])
    order = {axis: number for number, axis in enumerate(space.axes)}
    for together in groups:
        axes = sorted({axis for constraint in together for axis in constraint.axes}, key=order.__getitem__)
        rows = _rows(axes, together, names)
        if not rows:
            refuse("no combination satisfies this condition", together[-1].place, "empty")
        space.tables.append(Table([order[axis] for axis in axes], rows))


def _groups(constraints: Iterable[Constraint]) -> list[list[Constraint]]:
    """Constraints that share a choice belong together."""
    groups: list[tuple[set[Choice], list[Constraint]]] = []
    for constraint in constraints:
        axes, together = set(constraint.axes), [constraint]
        rest = []
        for others, known in groups:
            if others & axes:
                axes |= others
                together = known + together
            else:
                rest.append((others, known))
        groups = [*rest, (axes, together)]
    return [together for _, together in groups]


def _rows(axes: Sequence[Choice], constraints: Sequence[Constraint], names: Any) -> list[tuple[int, ...]]:
    """All rows that satisfy the constraints, each of which is asked as soon as its last choice is made."""
    ready: list[list[Constraint]] = [[] for _ in axes]
    for constraint in constraints:
        ready[max(axes.index(axis) for axis in constraint.axes)].append(constraint)
    rows: list[tuple[int, ...]] = [()]
    looked = 0
    for axis, asked in zip(axes, ready, strict=True):
        looked += len(rows) * axis.count
        if looked > MOST_LOOKED_AT:
            tied = ", ".join(f"`{each.name}`" for each in axes)
            refuse(
                f"the conditions tie {tied} together, which takes more than {MOST_LOOKED_AT:,} combinations to look "
                "through; give fewer values or tie fewer of them",
                constraints[0].place,
                "too-many",
            )
        rows = [(*row, number) for row in rows for number in range(axis.count)]
        if asked:
            rows = [row for row in rows if _holds(axes, row, asked, names)]
    return rows


def _holds(axes: Sequence[Choice], row: tuple[int, ...], asked: Sequence[Constraint], names: Any) -> bool:
    selection: Selection = {}
    for axis, number in zip(axes, row, strict=False):
        axis.unrank(number, selection)
    context = Context(selection, names)
    return all(constraint.holds(context) for constraint in asked)
