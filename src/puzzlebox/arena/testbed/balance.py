"""Where the right choice is: which values the variants of a row should have, so that no side is favoured.

A level lists under `balance` the variables of a template that say on which side, or in which place, the right choice
is. Row by row and variant by variant, their values are dealt out, so that each is used about equally often, and so that
over a level no variant has one of them in most rows.
"""

from collections.abc import Sequence
from itertools import count, islice, product
from math import gcd, prod
from typing import Any

from puzzlebox.arena.testbed.level import VARIANTS, Level, Row
from puzzlebox.arena.testbed.pairs import partner_of
from puzzlebox.arena.testbed.sets import combinations
from puzzlebox.arena.variations.narrowing import same_value, values_at
from puzzlebox.arena.variations.parts import value_text
from puzzlebox.seeds import shuffle_rng

# How many combinations of a row are looked at to find the values that a variable has in it.
_LOOKED_AT = 80
Values = dict[str, Any]


def places(level: Level, row: Row) -> dict[str, list[Any]]:
    """Return, for each variable to balance that a row leaves open, its values in a fixed shuffled order."""
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
        shuffle_rng(f"{level.number}/{row.template}/{name}/{len(values)}").shuffle(values)
        if len(values) > 1:
            found[name] = values
    return found


def preferences(level: Level) -> dict[int, list[list[Values]]]:
    """Return, for each row and each of its variants, the values to try, those whose turn it is first.

    A control that is matched with a test has the values of that test, and no turn of its own. The variants of a row
    have values that follow each other. Each turn begins with other values than the turn before, so that over the turns
    each variant comes to each combination of values once; from then on the variants of a row change places. Which row
    has which turn is shuffled, so that the values of one row do not tell those of the next.
    """
    alike: dict[str, list[int]] = {}
    open_places: dict[int, dict[str, list[Any]]] = {}
    for number, row in level.rows.items():
        found = places(level, row)
        if found and not (row.is_control and partner_of(level, number) is not None):
            open_places[number] = found
            alike.setdefault(f"{row.template} {found}", []).append(number)
    preferred: dict[int, list[list[Values]]] = {number: [[{}] for _ in range(VARIANTS)] for number in level.rows}
    for kind, numbers in alike.items():
        turns = list(range(len(numbers)))
        shuffle_rng(f"{level.number}/{kind}/order").shuffle(turns)
        for number, turn in zip(numbers, turns, strict=True):
            preferred[number] = [_values_of(open_places[number], turn, variant) for variant in range(VARIANTS)]
    return preferred


def _values_of(open_places: dict[str, list[Any]], turn: int, variant: int) -> list[Values]:
    """Return all combinations of values, beginning with those whose turn it is.

    Args:
        open_places: the values of each variable.
        turn: the turn of the row among those that leave the same values open.
        variant: the variant.
    """
    if turn // prod(map(len, open_places.values())) % 2:
        variant = VARIANTS - 1 - variant
    rotated: list[list[Any]] = []
    before = 1
    for values in open_places.values():
        # Turns begin so many values apart that all values are used.
        apart = next(each for each in count(VARIANTS) if gcd(each, len(values)) == 1)
        # A variable after others takes another step from turn to turn where it can, and goes on by one more value when
        # those have had all theirs, so that none tells another.
        more = apart * (turn // before) + variant // before if rotated else 0
        step = apart + 1 if rotated and gcd(apart + 1, len(values)) == 1 else apart
        first = (step * turn + variant + more) % len(values)
        rotated.append(values[first:] + values[:first])
        before *= len(values)
    return [dict(zip(open_places, each, strict=True)) for each in product(*rotated)]


def repeats(values: Values, earlier: Sequence[Values]) -> bool:
    """Return whether all variants of a row would have the same value of a variable to balance."""
    if len(earlier) < VARIANTS - 1:
        return False
    return any(all(same_value(each.get(name), value) for each in earlier) for name, value in values.items())
