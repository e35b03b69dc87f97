"""Tests and controls that share their drawn values, so that they differ only in what the test is about."""

from puzzlebox.arena.testbed.level import Level, Row
from puzzlebox.arena.variations import Template, Variation
from puzzlebox.arena.variations.narrowing import fixed_options, same_value, vary_plan
from puzzlebox.arena.variations.space import Choice, Selection


def partner_of(level: Level, number: int) -> int | None:
    """Return the row whose variants share their drawn values with those of a row; None if there is none.

    A control is matched with the first test that names it and is made from the same template.
    """
    row = level.rows[number]
    control = number if row.is_control else row.control
    if control is None:
        return None
    template = level.rows[control].template
    first = next((n for n, each in level.rows.items() if each.control == control and each.template == template), None)
    if row.is_control:
        return first
    return control if first == number else None


def matched_variation(template: Template, variation: Variation, row: Row) -> Variation | None:
    """Return the variation with the values of a row that is otherwise the same as another one.

    Where a condition of the template forbids that, as few further variables as possible are changed.

    Returns:
        The variation, or None if a value of the row that follows from others cannot be had.
    """
    space = vary_plan(template).space
    options, later = fixed_options(template, row.values)
    selection = _selection_of(template, variation)
    for choice, allowed in options.items():
        if selection[choice] not in allowed:
            selection[choice] = min(allowed)
    for table in space.tables:
        axes = [space.axes[position] for position in table.positions]
        wanted = tuple(selection[axis] for axis in axes)
        if wanted in table.row_set:
            continue
        fitting = [each for each in table.rows if _fits(each, axes, options)]
        if not fitting:
            return None
        nearest = min(fitting, key=lambda each: sum(a != b for a, b in zip(each, wanted, strict=True)))
        selection |= dict(zip(axes, nearest, strict=True))
    found = template.at(space.rank(selection))
    return found if all(same_value(found.values.get(name), value) for name, value in later.items()) else None


def differences(template: Template, one: Variation, other: Variation) -> set[str]:
    """Return the names of the choices of a template in which two variations differ, linked variables as one name."""
    first, second = _selection_of(template, one), _selection_of(template, other)
    return {choice.name for choice, option in first.items() if second[choice] != option}


def _selection_of(template: Template, variation: Variation) -> Selection:
    selection: Selection = {}
    vary_plan(template).space.unrank(variation.number % template.count, selection)
    return selection


def _fits(row: tuple[int, ...], axes: list[Choice], options: dict[Choice, set[int]]) -> bool:
    return all(axis not in options or number in options[axis] for number, axis in zip(row, axes, strict=True))
