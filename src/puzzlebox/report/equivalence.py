"""Equivalence beside "no difference": whether two agents pass tasks like these equally often, within a bound.

A test that finds no difference does not show that there is none. For each pair of agents, two one-sided tests show
whether their proportions passed differ by less than a bound; they use the interval of the difference for tasks like
these, and people like these, that the page shows.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from puzzlebox.report import words
from puzzlebox.report.episodes import ReportEpisode, agents_of, grouped
from puzzlebox.report.shares import Difference, Shares
from puzzlebox.report.tables import Table, interval_cells, points
from puzzlebox.stats.equivalence import Equivalence, equivalence
from puzzlebox.stats.proportions import FEWEST_UNITS

# Percentage points up to which two proportions count as equal, unless chosen otherwise.
POINTS = 10.0
# Fewer tasks than this make the tests conservative: of two agents that differ by exactly the bound, they call .006
# equivalent with 10 tasks, instead of .05 (`python -m benchmarks calibration equivalence-10`).
FEW_TASKS = 20
# Pairs of agents that get a sentence at most; the table has all.
MOST_SENTENCES = 6


class PairEquivalence(NamedTuple):
    """The equivalence of one pair of agents.

    Attributes:
        first: the first agent.
        second: the second agent.
        test: the tests; None if there are none.
        units: what the tests are over, such as "12 tasks".
        tasks: the number of tasks.
    """

    first: str
    second: str
    test: Equivalence | None
    units: str
    tasks: int = 0

    @property
    def clause(self) -> str:
        """The result as a clause, for the end of a sentence that says that no difference was found."""
        if self.test is None:
            return f"equivalence was not tested, which needs {FEWEST_UNITS} tasks that both played"
        low, high = (words.number(100 * each, 1) for each in self.test.difference[1:])
        tests = f"TOST over {self.units}, {words.p_equals(self.test.p)}, 90 % CI [{low}, {high}]"
        bound = f"± {100 * self.test.bound:g} percentage points"
        if self.test.shown:
            return f"they are equivalent within {bound} ({tests})"
        if not self.no_difference:
            # The interval of this pair alone, which is not adjusted, excludes 0.
            return f"equivalence within {bound} is not shown ({tests})"
        return f"neither a difference nor equivalence within {bound} is shown ({tests})"

    @property
    def no_difference(self) -> bool:
        """Whether the same interval shows no difference, so that equivalence is the question."""
        return self.test is not None and self.test.p_difference >= 0.05


def equivalences(
    rows: Sequence[ReportEpisode], shares: Shares, percentage_points: float = POINTS
) -> list[PairEquivalence]:
    """Test the equivalence of each pair of agents of which it is known what they passed."""
    groups = grouped((row for row in rows if row.passed is not None), lambda row: row.agent)
    gaps = shares.differences({agent: groups[agent] for agent in agents_of(rows) if agent in groups})
    return [_of_pair(first, second, gap, shares, percentage_points) for (first, second), gap in gaps.items()]


def _of_pair(first: str, second: str, gap: Difference, shares: Shares, percentage_points: float) -> PairEquivalence:
    if gap.like_these is None or gap.df is None:
        return PairEquivalence(first, second, None, "")
    test = equivalence(gap.like_these, gap.df, percentage_points / 100)
    return PairEquivalence(first, second, test, words.count(gap.tasks, shares.units.word), gap.tasks)


def blocks(
    rows: Sequence[ReportEpisode],
    shares: Shares,
    percentage_points: float = POINTS,
    differ: Mapping[frozenset[str], bool] | None = None,
) -> list[str | Table]:
    """Return what the page says about equivalence: a sentence for each pair that shows no difference, and the table.

    Args:
        rows: the episodes.
        shares: their proportions passed.
        percentage_points: the bound.
        differ: whether the test that decides, that of the model or of permutations, calls a pair different. For other
            pairs the interval of their difference decides.
    """
    pairs = equivalences(rows, shares, percentage_points)
    if not any(pair.test for pair in pairs):
        return []
    decided = differ or {}
    asked = [
        pair
        for pair in pairs
        if pair.test is not None and not decided.get(frozenset((pair.first, pair.second)), not pair.no_difference)
    ]
    spelled = [f"{pair.first} – {pair.second}: {pair.clause}." for pair in asked[:MOST_SENTENCES]]
    if len(asked) > MOST_SENTENCES:
        spelled.append(f"These are the first {MOST_SENTENCES} of {len(asked)} such pairs; the table has all.")
    if any(pair.test and pair.tasks < FEW_TASKS for pair in asked):
        spelled.append(
            f"With fewer than {FEW_TASKS} {shares.units.word}s these tests are conservative: they seldom show "
            "equivalence, even of agents that are equivalent."
        )
    return [*spelled, equivalence_table(pairs, percentage_points)]


def equivalence_table(pairs: Sequence[PairEquivalence], percentage_points: float = POINTS) -> Table:
    """Tabulate the equivalence of each pair of agents."""
    lines = []
    for pair in pairs:
        test = pair.test
        lines.append(
            {
                "first": pair.first,
                "second": pair.second,
                **interval_cells("difference", None if test is None else test.difference),
                "units": pair.units,
                "p": None if test is None else test.p,
                "finding": "not tested" if test is None else "equivalent" if test.shown else "not shown",
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
        "these: two one-sided tests with 90 % intervals. “Not shown” does not mean that they differ, and two agents "
        "that differ can be equivalent, by less than the bound."
    )
    return Table("equivalence", caption, lines, columns, most=28)


def methods_sentence(percentage_points: float = POINTS) -> str:
    """Return the sentence about these tests for the methods of a paper."""
    return (
        "Equivalence of proportions was tested by two one-sided t tests (Schuirmann 1987) of the differences for tasks "
        f"like these, with bounds of ± {percentage_points:g} percentage points."
    )
