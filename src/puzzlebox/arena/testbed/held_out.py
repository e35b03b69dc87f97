"""The held-out set of a level: nine tasks with values that neither the battery nor the training space has."""

from collections.abc import Iterator

from puzzlebox.arena.testbed.level import Level, Row
from puzzlebox.arena.variations.narrowing import Narrowed

KINDS, OF_A_KIND = 3, 3


def held_out_rows(level: Level) -> dict[tuple[int, int], list[int]]:
    """Return, for each kind and number of the held-out set, the rows it may be made from, the best one first.

    Kinds 1, 2 and 3 are made from the easier, the middle and the harder third of the rows with a reserved value to
    draw. Tests come before controls, and templates that were not used yet before others.
    """
    usable = [number for number, row in level.rows.items() if _has_reserved(level, row)]
    ranked = sorted(usable, key=lambda number: (level.rows[number].difficulty, number))
    places: dict[tuple[int, int], list[int]] = {}
    used: dict[str, int] = {}
    for kind in range(1, KINDS + 1):
        third = ranked[len(ranked) * (kind - 1) // KINDS : len(ranked) * kind // KINDS] or ranked
        left = list(third)
        for number in range(1, OF_A_KIND + 1):
            left = left or list(third)
            rest = sorted(left, key=lambda each: _rank(level.rows[each], used, each))
            places[kind, number] = [*rest, *(each for each in third if each not in rest)]
            if rest:
                left.remove(rest[0])
                template = level.rows[rest[0]].template
                used[template] = used.get(template, 0) + 1
    return places


def _rank(row: Row, used: dict[str, int], number: int) -> tuple[bool, int, int]:
    return row.is_control, used.get(row.template, 0), number


def _has_reserved(level: Level, row: Row) -> bool:
    """Return whether a row leaves a reserved value to be drawn."""
    return any(
        Narrowed(level.templates[row.template], {**row.values, **values}).count
        for values in reserved_values(level, row)
    )


def reserved_values(level: Level, row: Row) -> Iterator[dict[str, object]]:
    """Yield each reserved value that a row leaves to be drawn, as values to add to its own."""
    use = level.about.templates[row.template]
    for name in use.reserved:
        if name not in row.values:
            yield from ({name: value} for value in use.reserved_values(name))
