"""Deal out places of the right choice to the variants of rows, so that neither their number nor their order tells one.

A deal begins at random. Then one place is changed, or two are exchanged, over and over: changes by which the deal tells
more are kept at first now and then, and later hardly ever (simulated annealing). Of some such deals, the one that tells
least is taken.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise, product
from math import exp, prod
from random import Random

from puzzlebox.seeds import shuffle_rng

# What a variant gets: for each variable, the number of its value.
Place = tuple[int, ...]
Deal = dict[int, list[Place]]
_DEALS, _CHANGES = 3, 12_000
_WARMEST, _COLDEST = 6.0, 0.1
# A row whose variants all have the same value is worse than anything else.
_ALL_THE_SAME = 100.0
# How often a value is right tells more than which follows which.
_FREQUENCY = 3.0


@dataclass(frozen=True)
class Group:
    """Rows whose variants have the same places to choose from.

    Attributes:
        rows: the numbers of the rows.
        variables: the variables that are dealt out. Groups with a variable of the same name are balanced together.
        counts: the number of values of each variable.
    """

    rows: tuple[int, ...]
    variables: tuple[str, ...]
    counts: tuple[int, ...]


@cache
def deal(groups: tuple[Group, ...], variants: int, seed: str) -> Deal:
    """Return a place for each variant of each row.

    Each value of a variable is used about equally often, over all and by each variant, and so is each combination of
    values in a group. No row has the same value in all of its variants. A value tells neither that of the next task
    nor that of another variant of its row.

    Args:
        groups: the rows. No row is in two groups.
        variants: the number of variants of a row.
        seed: the seed of everything random.
    """
    rng, parts = shuffle_rng(f"{seed}/deal"), _parts(groups)
    made = [_improved(groups, parts, variants, rng) for _ in range(_DEALS)]
    return min(made, key=lambda each: sum(part.telling(each) for part in parts))


@dataclass(frozen=True)
class _Part:
    """Rows that have some variables in common, of which their places shall tell nothing.

    Attributes:
        rows: the numbers of the rows.
        positions: of each row, where in its places the variable is, or the two variables.
        count: the number of values, or of combinations of values.
        radix: the number of values of the last variable.
        in_order: whether one value shall not tell the next either.
    """

    rows: tuple[int, ...]
    positions: tuple[tuple[int, ...], ...]
    count: int
    radix: int
    in_order: bool

    def telling(self, dealt: Deal) -> float:
        """Return how much a deal tells here: 0 if all is even."""
        if len(self.positions[0]) == 1:
            own = [[place[at] for place in dealt[row]] for row, (at,) in zip(self.rows, self.positions, strict=True)]
        else:
            own = [
                [place[one] * self.radix + place[other] for place in dealt[row]]
                for row, (one, other) in zip(self.rows, self.positions, strict=True)
            ]
        total = _FREQUENCY * _uneven_columns(own, self.count)
        return total + _sequence(own, self.count) if self.in_order else total


def _parts(groups: Iterable[Group]) -> list[_Part]:
    """Return each group with each of its variables and each pair of them, and all rows that have these variables."""
    parts = []
    common: dict[tuple[str, ...], dict[int, tuple[int, ...]]] = {}
    counts: dict[tuple[str, ...], tuple[int, int]] = {}
    for group in groups:
        for chosen in (each for size in (1, 2) for each in combinations(range(len(group.variables)), size)):
            names = tuple(group.variables[position] for position in chosen)
            counts[names] = prod(group.counts[position] for position in chosen), group.counts[chosen[-1]]
            parts.append(_Part(group.rows, (chosen,) * len(group.rows), *counts[names], in_order=False))
            common.setdefault(names, {}).update(dict.fromkeys(group.rows, chosen))
    for names, chosen_of in common.items():
        rows = tuple(sorted(chosen_of))
        parts.append(_Part(rows, tuple(chosen_of[row] for row in rows), *counts[names], in_order=len(names) == 1))
    return parts


def _improved(groups: Sequence[Group], parts: Sequence[_Part], variants: int, rng: Random) -> Deal:
    """Return a deal made at random, and changed until it tells little."""
    places = {row: list(product(*map(range, group.counts))) for group in groups for row in group.rows}
    alike = {row: group.rows for group in groups for row in group.rows}
    rows = sorted(places)
    # Rows of a group are in the same parts, so that a change concerns no others.
    concerned = {row: [each for each, part in enumerate(parts) if row in part.rows] for row in rows}
    dealt: Deal = {row: [rng.choice(places[row]) for _ in range(variants)] for row in rows}
    now = [part.telling(dealt) for part in parts]
    for change in range(_CHANGES):
        warmth = _WARMEST * (1 - change / _CHANGES) ** 2 + _COLDEST
        row, variant = rng.choice(rows), rng.randrange(variants)
        other, its = rng.choice(alike[row]), rng.randrange(variants)
        before = dealt[row][variant], dealt[other][its]
        if rng.random() < 0.5:
            dealt[row][variant], dealt[other][its] = dealt[other][its], dealt[row][variant]
        else:
            dealt[row][variant] = rng.choice(places[row])
        then = {each: parts[each].telling(dealt) for each in concerned[row]}
        worse = sum(then.values()) - sum(now[each] for each in then)
        if worse <= 0 or rng.random() < exp(-worse / warmth):
            for each, telling in then.items():
                now[each] = telling
        else:
            dealt[row][variant], dealt[other][its] = before
    return dealt


def _sequence(rows: list[list[int]], count: int) -> float:
    """Return how much a value tells of the next one, or of another variant of its row."""
    columns = list(zip(*rows, strict=True))
    total = _ALL_THE_SAME * sum(len(set(row)) == 1 for row in rows)
    for one, other in combinations(columns, 2):
        total += _uneven_steps(zip(one, other, strict=True), count)
    for tasks in ([each for row in rows for each in row], [each for column in columns for each in column]):
        total += _uneven_steps(pairwise(tasks), count)
    for column in columns:  # somebody may go round the places, in either direction, and begin anew with each variant
        for direction in (1, -1):
            total += _uneven([(value + direction * turn) % count for turn, value in enumerate(column)], count)
    return total


def _uneven_columns(rows: Sequence[Sequence[int]], count: int) -> float:
    """Return how unevenly values are used over all rows, and by each variant."""
    by_variant = sum(_uneven(column, count) for column in zip(*rows, strict=True))
    return _uneven([each for row in rows for each in row], count) + by_variant


def _uneven_steps(steps: Iterable[tuple[int, int]], count: int) -> float:
    return _uneven([(after - before) % count for before, after in steps], count)


def _uneven(values: Sequence[int], count: int) -> float:
    """Return the sum of squares by which numbers of values, of which there are `count`, differ from equal numbers."""
    packed = bytes(values)  # they are counted much faster there
    return sum(packed.count(each) ** 2 for each in range(count)) - len(values) ** 2 / count
