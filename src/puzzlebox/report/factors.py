"""Experimental factors of episodes: their values, their columns in tables, and the units that a factor is tested by."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from puzzlebox.record.columns import FACTOR
from puzzlebox.record.episode import FIELDS
from puzzlebox.report.cells import CannotRead
from puzzlebox.report.episodes import ReportEpisode, Source, grouped
from puzzlebox.report.pairing import mean
from puzzlebox.report.tables import Table
from puzzlebox.report.units import Units
from puzzlebox.text import nearest

# A factor of numbers with more values than this is divided into quarters.
MOST_VALUES = 8
# Columns that have a meaning of their own in tables of episodes, and cannot become factors by another name.
_OURS = frozenset(column.name for column in FIELDS.values())


def factors_in(rows: Iterable[ReportEpisode]) -> list[str]:
    """Return the names of the factors of some episodes, in order of appearance."""
    return list(dict.fromkeys(name for row in rows for name in row.factors))


def require_factors(names: Sequence[str], rows: Sequence[ReportEpisode], sources: Sequence[Source] = ()) -> None:
    """Refuse names that are no factors of these episodes.

    Args:
        names: the names.
        rows: the episodes.
        sources: where these come from; a table may have the factor in a column with another name.

    Raises:
        CannotRead: one is not; the message names the column to rename, or the nearest factor.
    """
    known = factors_in(rows)
    for name in names:
        if name not in known:
            table = next((each.path for each in sources if name in each.columns and name not in _OURS), None)
            if table is not None:
                raise CannotRead(
                    f"these episodes have no factor {name!r}; {table} has a column {name!r}, which must be called "
                    f"{FACTOR + name!r}"
                )
            hint = nearest(name, known) if known else "; a factor comes from a template or the metadata of a task"
            raise CannotRead(f"these episodes have no factor {name!r}{hint}")


def value_text(value: Any) -> str:
    """Return the value of a factor as a text: 3 for 3.0, true for True."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, int | float) else str(value)


@dataclass(frozen=True)
class Factor:
    """A factor of some episodes.

    Attributes:
        name: its name.
        values: the texts of its values, in order: numbers by size, texts by first appearance.
        value: a function that returns the text of an episode's value; "" if it has none.
        binned: whether the values are ranges of numbers.
    """

    name: str
    values: list[str]
    value: Callable[[ReportEpisode], str]
    binned: bool = False

    @classmethod
    def of(cls, name: str, rows: Sequence[ReportEpisode]) -> "Factor":
        """Find the values of a factor; many numbers are divided into quarters with equally many tasks."""
        present = [row.factors[name] for row in rows if name in row.factors]
        numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in present)
        distinct = list(dict.fromkeys(present))
        if numeric and len(distinct) > MOST_VALUES:
            return cls._in_quarters(name, rows)
        texts = list(dict.fromkeys(map(value_text, sorted(distinct) if numeric else distinct)))
        return cls(name, texts, lambda row: value_text(row.factors[name]) if name in row.factors else "")

    @classmethod
    def _in_quarters(cls, name: str, rows: Sequence[ReportEpisode]) -> "Factor":
        # A place may have several values, if the factor varies within tasks.
        places = {(row.task, row.arena, row.factors[name]) for row in rows if name in row.factors}
        values = [value for *_, value in places]
        limits = [float(each) for each in np.unique(np.quantile(values, (0, 0.25, 0.5, 0.75, 1)))]
        texts = [f"{low:g} to {high:g}" for low, high in pairwise(limits)]

        def value(row: ReportEpisode) -> str:
            if name not in row.factors:
                return ""
            place = int(np.searchsorted(limits[1:-1], row.factors[name], side="left"))
            return texts[place]

        return cls(name, texts, value, binned=True)


def unit_of(units: Units, row: ReportEpisode) -> Hashable:
    """Return the unit of evidence of an episode for factors: who played, if that is a sample, otherwise its task."""
    return units.subject(row) or units.task(row)


def unit_word(units: Units, agent: str) -> str:
    """Return what these units are called: "participant", "run", "task" or "variant"."""
    return units.subject_word(agent) or units.word


def unit_means(
    units: Units, rows: Iterable[ReportEpisode], measure: Callable[[ReportEpisode], float | None]
) -> dict[Hashable, float]:
    """Return the mean of a measure for each unit; its tasks and arenas weigh equally, whatever their episodes."""
    means = {}
    for unit, own in grouped(rows, lambda row: unit_of(units, row)).items():
        places = grouped((row for row in own if measure(row) is not None), lambda row: (row.task, row.arena)).values()
        if places:
            means[unit] = mean([mean([float(measure(row) or 0.0) for row in place]) for place in places])
    return means


def passed(row: ReportEpisode) -> float | None:
    """Return 1 for a passed episode, 0 for a failed one, and None for others."""
    return None if row.passed is None else float(row.passed)


def total(row: ReportEpisode) -> float | None:
    """Return the return of an episode."""
    return row.total


def with_factor_columns(table: Table, rows: Sequence[ReportEpisode]) -> Table:
    """Return a table with a column for each factor; a cell is empty if the line is about several values.

    Only tables with a column `task` get them: the lines of other tables are about all tasks.
    """
    names = factors_in(rows)
    if not names or not table.rows or "task" not in table.rows[0]:
        return table
    values: dict[Hashable, dict[str, Any]] = {}
    for row in rows:
        for key in ((row.task, None), (row.task, row.arena + 1)):
            own = values.setdefault(key, {})
            for name in names:
                value = row.factors.get(name)
                own[name] = value if own.setdefault(name, value) == value else None

    def cells(line: Mapping[str, Any]) -> dict[str, Any]:
        own = values.get((line["task"], line.get("arena")), {})
        return {FACTOR + name: own.get(name) for name in names}

    return replace(table, rows=[line | cells(line) for line in table.rows])
