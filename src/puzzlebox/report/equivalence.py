"""Equivalence beside "no difference": whether two agents pass tasks like these equally often, within a bound.

A test that finds no difference does not show that there is none. For each pair of agents, two one-sided tests over the
tasks that both have played (or over two groups of participants or runs) show whether their proportions passed differ
by less than a bound.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from puzzlebox.report import words
from puzzlebox.report.episodes import agents_of
from puzzlebox.report.tables import Table, interval_cells, points
from puzzlebox.report.units import Units
from puzzlebox.stats import CannotCompute
from puzzlebox.stats.equivalence import Equivalence, group_equivalence, paired_equivalence

# Percentage points up to which two proportions count as equal, unless chosen otherwise.
POINTS = 10.0
# Pairs of agents that get a sentence at most; the table has all.
MOST_SENTENCES = 6


class PairEquivalence(NamedTuple):
    """The equivalence of one pair of agents.

    Attributes:
        first: the first agent.
        second: the second agent.
        test: the tests; None if there are none.
        units: what the tests are over, such as "12 tasks".
        why_not: why there are none, as a clause; "" if there are.
    """

    first: str
    second: str
    test: Equivalence | None
    units: str
    why_not: str = ""

    @property
    def clause(self) -> str:
        """The result as a clause, for the end of a sentence that says that no difference was found."""
        if self.test is None:
            return f"equivalence was not tested: {self.why_not}"
        low, high = (words.number(100 * each, 1) for each in self.test.difference[1:])
        tests = f"TOST over {self.units}, {words.p_equals(self.test.p)}, 90 % CI [{low}, {high}]"
        bound = f"± {100 * self.test.bound:g} percentage points"
        if self.test.shown:
            return f"they are equivalent within {bound} ({tests})"
        return f"neither a difference nor equivalence within {bound} is shown ({tests})"

    @property
    def no_difference(self) -> bool:
        """Whether the same units show no difference, so that equivalence is the question."""
        return self.test is not None and self.test.p_difference >= 0.05


def pair_equivalence(units: Units, first: str, second: str, percentage_points: float = POINTS) -> PairEquivalence:
    """Test the equivalence of the proportions that two agents passed.

    The units are the tasks that both have played. Where the agents are two different groups of participants or runs,
    the units are these, and a proportion is that of the tasks that both groups have played.
    """
    bound = percentage_points / 100
    shares = {agent: _shares(units, agent) for agent in (first, second)}
    tasks = [task for task in shares[first] if task in shares[second]]
    try:
        if not tasks:
            raise CannotCompute("they have played no task in common")
        over_tasks = _over_tasks(units, (first, second), shares, tasks, bound)
        over_subjects = _over_subjects(units, (first, second), set(tasks), bound)
    except CannotCompute as problem:
        return PairEquivalence(first, second, None, "", str(problem))
    if over_subjects is not None and over_subjects[0].p > over_tasks.p:
        # People and tasks are both samples: the statement must hold for both.
        return PairEquivalence(first, second, *over_subjects)
    return PairEquivalence(first, second, over_tasks, words.count(len(tasks), units.word))


def equivalences(units: Units, percentage_points: float = POINTS) -> list[PairEquivalence]:
    """Test the equivalence of each pair of agents of which it is known what they passed."""
    agents = agents_of(row for row in units.rows if row.passed is not None)
    return [pair_equivalence(units, *pair, percentage_points) for pair in combinations(agents, 2)]


def equivalence_table(pairs: Sequence[PairEquivalence], percentage_points: float = POINTS) -> Table:
    """Tabulate the equivalence of each pair of agents."""
    lines = []
    for pair in pairs:
        test = pair.test
        finding = "not tested" if test is None else "equivalent" if test.shown else "not shown"
        lines.append(
            {
                "first": pair.first,
                "second": pair.second,
                **interval_cells("difference", None if test is None else test.difference),
                "units": pair.units,
                "p": None if test is None else test.p,
                "finding": finding,
                "why_not": pair.why_not,
            }
        )
    columns = [
        ("pair", lambda row: f"{row['first']} – {row['second']}"),
        ("difference, percentage points", points("difference")),
        ("over", lambda row: row["units"] or words.NOT_KNOWN),
        ("p", lambda row: words.p_value(row["p"])),
        (f"within ± {percentage_points:g}", lambda row: row["finding"]),
    ]
    caption = (
        f"Equivalence of the proportions passed within ± {percentage_points:g} percentage points, for tasks like "
        "these: two one-sided tests with 90 % intervals. “Not shown” does not mean that they differ."
    )
    return Table("equivalence", caption, lines, columns, most=28)


def blocks(units: Units, percentage_points: float = POINTS) -> list[str | Table]:
    """Return what the page says about equivalence: a sentence for each pair that shows no difference, and the table."""
    pairs = equivalences(units, percentage_points)
    asked = [pair for pair in pairs if pair.no_difference]
    spelled = [f"{pair.first} and {pair.second}: {pair.clause}." for pair in asked[:MOST_SENTENCES]]
    return [*spelled, equivalence_table(pairs, percentage_points)] if pairs else []


def methods_sentence(percentage_points: float = POINTS) -> str:
    """Return the sentence about these tests for the methods of a paper."""
    return (
        "Equivalence of proportions was tested by two one-sided t tests (Schuirmann 1987) over tasks, and over "
        f"participants or runs where there are any, with bounds of ± {percentage_points:g} percentage points."
    )


Shares = dict[str, tuple[float, int]]


def _shares(units: Units, agent: str) -> Shares:
    """Return the proportion that an agent passed of each unit of tasks, and the number of its episodes."""
    places: dict[str, dict[tuple[str, int], dict[str, list[bool]]]] = {}
    for row in units.rows:
        if row.agent == agent and row.passed is not None:
            place = places.setdefault(units.task(row), {}).setdefault((row.task, row.arena), {})
            place.setdefault(units.subject(row), []).append(row.passed)
    return {
        task: (
            float(np.mean([np.mean([np.mean(own) for own in place.values()]) for place in own_places.values()])),
            sum(len(own) for place in own_places.values() for own in place.values()),
        )
        for task, own_places in places.items()
    }


def _over_tasks(
    units: Units, pair: tuple[str, str], shares: dict[str, Shares], tasks: Sequence[str], bound: float
) -> Equivalence:
    values = {agent: np.array([shares[agent][task][0] for task in tasks]) for agent in pair}
    try:
        return paired_equivalence(values[pair[0]] - values[pair[1]], bound)
    except CannotCompute as problem:
        raise CannotCompute(f"{problem} {units.word}s" if len(tasks) < 5 else str(problem)) from None


def _over_subjects(
    units: Units, pair: tuple[str, str], tasks: set[str], bound: float
) -> tuple[Equivalence, str] | None:
    """Test the difference over participants or runs of both agents; None if one of them has none."""
    values, names = [], []
    for agent in pair:
        subjects = units.subjects(agent)
        if not subjects:
            return None
        own: dict[str, dict[str, list[bool]]] = {}
        for row in units.rows:
            if row.agent == agent and row.passed is not None and units.task(row) in tasks:
                own.setdefault(units.subject(row), {}).setdefault(units.task(row), []).append(row.passed)
        values.append(np.array([np.mean([np.mean(each) for each in of.values()]) for of in own.values()]))
        names.append(words.count(len(own), units.subject_word(agent)))
    try:
        return group_equivalence(*values, bound), " and ".join(names)
    except CannotCompute as problem:
        raise CannotCompute(f"{problem} participants or runs") from None
