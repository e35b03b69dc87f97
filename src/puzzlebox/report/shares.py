"""Proportions passed of a report: one function for tables, figures and sentences, for two kinds of statements."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from puzzlebox.report.episodes import ReportEpisode
from puzzlebox.report.units import FEWEST_UNITS, Units
from puzzlebox.stats import CannotCompute, Interval
from puzzlebox.stats.intervals import wilson
from puzzlebox.stats.proportions import (
    Outcomes,
    Proportion,
    difference_on_tasks_like_these,
    difference_on_these_tasks,
)

Rows = Sequence[ReportEpisode]


class Difference(NamedTuple):
    """The difference of two proportions, and its limits for these tasks and for tasks like these; None: unknown.

    Attributes:
        value: the difference.
        tasks: the number of tasks that both have.
        these: the difference with its interval for these tasks.
        like_these: the difference with its interval for tasks like these.
        df: the degrees of freedom of the latter.
    """

    value: float
    tasks: int
    these: Interval | None
    like_these: Interval | None
    df: float | None = None


@dataclass(frozen=True)
class Shares:
    """The proportions passed of some episodes.

    Tasks weigh equally; within a task its arenas and variants, within these participants or runs. Identical episodes
    count once.

    Attributes:
        units: the units of evidence of all episodes.
    """

    units: Units

    @classmethod
    def of(cls, rows: Rows) -> "Shares":
        """Prepare the proportions of some episodes."""
        return cls(Units.of(rows))

    def value(self, rows: Rows) -> float | None:
        """Return the proportion passed; None if it is unknown for all episodes."""
        outcomes = self.outcomes(rows)
        return None if outcomes is None else outcomes.value

    def these_tasks(self, rows: Rows) -> Proportion | None:
        """Return the proportion passed for these tasks; None if it is unknown, or has too few participants or runs."""
        return self._proportion(rows, Outcomes.these_tasks)

    def tasks_like_these(self, rows: Rows) -> Proportion | None:
        """Return the proportion passed for tasks like these; None if it is unknown, or there are too few tasks."""
        return self._proportion(rows, Outcomes.tasks_like_these)

    def bar(self, rows: Rows, like_these: bool = False) -> Interval | None:
        """Return the proportion passed with its error bar, which has no length without an interval; None: unknown."""
        found = (self.tasks_like_these if like_these else self.these_tasks)(rows)
        if found is not None:
            return found.interval
        value = self.value(rows)
        return None if value is None else Interval(value, value, value)

    def enough_tasks(self, rows: Rows) -> bool:
        """Return whether there are enough tasks for a statement about tasks like these."""
        return len({self.units.task(row) for row in rows if row.passed is not None}) >= FEWEST_UNITS

    def differences(self, groups: Mapping[str, Rows]) -> dict[tuple[str, str], Difference]:
        """Return the difference of the proportions of each pair of groups, on the tasks that both have."""
        decided = {name: self._decided(rows) for name, rows in groups.items()}
        tasks = {name: frozenset(map(self.units.task, rows)) for name, rows in decided.items()}
        # Most agents played the same tasks, so that the outcomes of each are prepared once for all pairs.
        prepared: dict[tuple[str, frozenset[str]], Outcomes | None] = {}

        def outcomes(name: str, common: frozenset[str]) -> Outcomes | None:
            if (name, common) not in prepared:
                rows = decided[name]
                kept = rows if common == tasks[name] else [row for row in rows if self.units.task(row) in common]
                prepared[name, common] = self._outcomes(kept)
            return prepared[name, common]

        found = {}
        for first, second in combinations(groups, 2):
            common = tasks[first] & tasks[second]
            one, two = outcomes(first, common), outcomes(second, common)
            if one is not None and two is not None:
                found[first, second] = _difference(one, two)
        return found

    def outcomes(self, rows: Rows, strata: Callable[[ReportEpisode], str] | None = None) -> Outcomes | None:
        """Return the outcomes of the episodes that count; None if none passed or failed."""
        return self._outcomes(self._decided(rows), strata)

    def _decided(self, rows: Rows) -> list[ReportEpisode]:
        return [row for row in self.units.counted(rows) if row.passed is not None]

    def _outcomes(
        self, decided: list[ReportEpisode], strata: Callable[[ReportEpisode], str] | None = None
    ) -> Outcomes | None:
        if not decided:
            return None
        units = self.units
        subjects = [units.subject(row) for row in decided]
        return Outcomes(
            [bool(row.passed) for row in decided],
            [units.task(row) for row in decided],
            [f"{row.task} {row.arena}" for row in decided],
            subjects if any(subjects) else None,
            [units.certain(row) for row in decided],
            None if strata is None else [strata(row) for row in decided],
        )

    def _proportion(self, rows: Rows, estimate: Callable[[Outcomes], Proportion]) -> Proportion | None:
        decided = self._decided(rows)
        if estimate is Outcomes.these_tasks and len({(row.task, row.arena) for row in decided}) == 1:
            if not any(map(self.units.subject, decided)) and not any(map(self.units.certain, decided)):
                # In one arena episodes are all there is, and the proportion is that of independent trials.
                passed = sum(bool(row.passed) for row in decided)
                return Proportion(*wilson(passed, len(decided)), len(decided), len(decided) - 1)
        outcomes = self._outcomes(decided)
        if outcomes is None:
            return None
        try:
            return estimate(outcomes)
        except CannotCompute:
            return None


def _difference(first: Outcomes, second: Outcomes) -> Difference:
    these = like_these = df = None
    with suppress(CannotCompute):
        these = difference_on_these_tasks(first, second)
    with suppress(CannotCompute):
        like_these, df = difference_on_tasks_like_these(first, second)
    return Difference(first.value - second.value, first.tasks, these, like_these, df)
