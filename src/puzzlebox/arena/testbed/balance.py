"""Where the right choice is: which values the variants of a row should have, so that no side is favoured.

A level lists under `balance` the variables of a template that say on which side, or in which place, the right choice
is. Their values are dealt out to all variants of the rows that leave the same values open.
"""

from collections.abc import Sequence
from itertools import islice, product
from typing import Any

from puzzlebox.arena.testbed.deal import Group, Place, deal
from puzzlebox.arena.testbed.level import VARIANTS, Level, Row
from puzzlebox.arena.testbed.pairs import partner_of
from puzzlebox.arena.testbed.sets import combinations
from puzzlebox.arena.variations.narrowing import same_value, values_at
from puzzlebox.arena.variations.parts import value_text

# How many combinations of a row are looked at to find the values that a variable has in it.
_LOOKED_AT = 80
Values = dict[str, Any]


def places(level: Level, row: Row) -> dict[str, list[Any]]:
    """Return, for each variable to balance that a row leaves open, its values in the order of their texts."""
    template, use = level.templates[row.template], level.about.templates[row.template]
    names = [name for name in use.balance if name not in row.values]
    if not names:
        return {}
    numbers = islice(combinations(template, row.values, f"places/{level.number}/{row.template}"), _LOOKED_AT)
    looked_at = [values_at(template, number, names) for number in numbers]
    found: dict[str, list[Any]] = {}
    for name in names:
        seen = {value_text(each[name]): each[name] for each in looked_at}
        values = [seen[text] for text in sorted(seen)]
        if len(values) > 1:
            found[name] = values
    return found


def preferences(level: Level) -> dict[int, list[list[Values]]]:
    """Return, for each row and each of its variants, the values to try, those dealt to it first.

    A control that is matched with a test has the values of that test, and none of its own.
    """
    alike: dict[str, list[int]] = {}
    open_places: dict[int, dict[str, list[Any]]] = {}
    for number, row in level.rows.items():
        found = places(level, row)
        if found and not (row.is_control and partner_of(level, number) is not None):
            open_places[number] = found
            alike.setdefault(f"{row.template} {found}", []).append(number)
    groups = tuple(_group(rows, open_places[rows[0]]) for rows in alike.values())
    dealt = deal(groups, VARIANTS, str(level.number))
    preferred: dict[int, list[list[Values]]] = {number: [[{}] for _ in range(VARIANTS)] for number in level.rows}
    for number, row_places in dealt.items():
        preferred[number] = [_beginning_with(place, open_places[number]) for place in row_places]
    return preferred


def _group(rows: list[int], open_places: dict[str, list[Any]]) -> Group:
    """Return the rows that leave the same values open, with names that are equal where variables and values are."""
    names = tuple(f"{name} {' '.join(map(value_text, values))}" for name, values in open_places.items())
    return Group(tuple(rows), names, tuple(map(len, open_places.values())))


def _beginning_with(place: Place, open_places: dict[str, list[Any]]) -> list[Values]:
    """Return all combinations of values, beginning with the one at a place."""
    rotated = [values[first:] + values[:first] for first, values in zip(place, open_places.values(), strict=True)]
    return [dict(zip(open_places, each, strict=True)) for each in product(*rotated)]


def repeats(values: Values, earlier: Sequence[Values]) -> bool:
    """Return whether all variants of a row would have the same value of a variable to balance."""
    if len(earlier) < VARIANTS - 1:
        return False
    return any(all(same_value(each.get(name), value) for each in earlier) for name, value in values.items())
