"""Comparisons of agents on each task: rank tests of returns, effect sizes, and sentences for a results section."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.report import words
from puzzlebox.report.episodes import ReportEpisode, agents_of, grouped, returns
from puzzlebox.report.tables import Table, real, text
from puzzlebox.report.units import rounded
from puzzlebox.stats import (
    CannotCompute,
    KruskalWallis,
    cliffs_delta,
    dunn,
    epsilon_squared,
    holm,
    kruskal_wallis,
)
from puzzlebox.stats.effects import size_in_words

# Fewest episodes of each agent for a rank test; with fewer it has hardly any power.
FEWEST = 5
# The number of tasks for which the page gives the test in a sentence and in tables.
SPELLED_OUT = 8


@dataclass(frozen=True)
class TaskTest:
    """The tests of one task.

    Attributes:
        task: the name of the task.
        groups: the returns of each agent, not rounded.
        overall: the Kruskal-Wallis test; None if there is none.
        pairs: Dunn's test and the effect size of each pair of agents.
        why_not: why there is no test, as a clause.
    """

    task: str
    groups: dict[str, NDArray[np.float64]]
    overall: KruskalWallis | None
    pairs: list[dict[str, Any]]
    why_not: str = ""

    @property
    def sentence(self) -> str:
        """The result in a sentence for a results section."""
        if self.overall is None:
            return f"{self.task}: returns were not tested because {self.why_not}."
        test = self.overall
        differ = "differed" if test.p < 0.05 else "did not differ significantly"
        line = (
            f"{self.task}: returns {differ} between agents (Kruskal–Wallis H({test.df}) = {words.number(test.h)}, "
            f"{words.p_equals(test.p)}, ε² = {words.number(epsilon_squared(test))}, n = {test.n})."
        )
        if len(self.groups) < 3:
            return f"{line} Cliff's δ = {words.number(self.pairs[0]['cliffs_delta'])} ({self.pairs[0]['effect']})."
        pairs = [f"{pair['first']} and {pair['second']}" for pair in self.pairs if pair["p_holm"] < 0.05]
        if not pairs:
            return f"{line} No pair of agents differed significantly (Dunn's test, Holm-adjusted)."
        differing = "all pairs" if len(pairs) == len(self.pairs) else words.listed(pairs, 8)
        return f"{line} Pairs that differed (Dunn's test, Holm-adjusted p < .05): {differing}."


@dataclass(frozen=True)
class Comparisons:
    """All tests of a report, and remarks about tasks without one."""

    tests: list[TaskTest]
    remarks: list[str] = field(default_factory=list)

    @property
    def done(self) -> list[TaskTest]:
        """The tests that could be computed."""
        return [test for test in self.tests if test.overall is not None]


def compare(rows: Sequence[ReportEpisode]) -> Comparisons:
    """Test the returns on each task that at least two agents played often enough."""
    tests = [_of_task(task, own) for task, own in sorted(grouped(rows, lambda row: row.task).items())]
    done = [test for test in tests if test.overall is not None]
    remarks = []
    reasons = Counter(test.why_not for test in tests if test.overall is None)
    for reason, many in reasons.items():
        if len(tests) > 1:
            remarks.append(f"Returns were not tested on {many} of {len(tests)} tasks: {reason}.")
        else:
            remarks.append(f"Returns were not tested: {reason}.")
    if len(done) > 1:
        remarks.append("The table file also has p values adjusted by Holm for the number of tasks.")
    return Comparisons(tests, remarks)


def _of_task(task: str, rows: Sequence[ReportEpisode]) -> TaskTest:
    by_agent = grouped(rows, lambda row: row.agent)
    groups = {agent: returns(by_agent[agent]) for agent in agents_of(rows)}
    if len(groups) < 2:
        return TaskTest(task, groups, None, [], "only one agent played")
    few = [agent for agent, values in groups.items() if len(values) < FEWEST]
    if few:
        return TaskTest(task, groups, None, [], f"an agent has fewer than {FEWEST} episodes")
    ranked = {agent: rounded(values) for agent, values in groups.items()}
    try:
        overall = kruskal_wallis(ranked)
        pairs = dunn(ranked)
    except CannotCompute as problem:
        return TaskTest(task, groups, None, [], str(problem))
    lines = []
    for pair in pairs:
        delta = cliffs_delta(ranked[pair.first], ranked[pair.second])
        lines.append({"task": task, **pair._asdict(), "cliffs_delta": delta, "effect": size_in_words(delta)})
    return TaskTest(task, groups, overall, lines)


def overall_table(comparisons: Comparisons) -> Table:
    """Tabulate the test of each task."""
    done = comparisons.done
    adjusted = holm([test.overall.p for test in done if test.overall])
    lines = []
    for test, p in zip(done, adjusted, strict=True):
        assert test.overall is not None
        lines.append(
            {
                "task": test.task,
                "agents": len(test.groups),
                "episodes": test.overall.n,
                "h": test.overall.h,
                "df": test.overall.df,
                "p": test.overall.p,
                "p_holm_over_tasks": p,
                "epsilon_squared": epsilon_squared(test.overall),
            }
        )
    columns = [
        ("task", text("task")),
        ("agents", text("agents")),
        ("episodes", text("episodes")),
        ("H", real("h")),
        ("df", text("df")),
        ("p", lambda row: words.p_value(row["p"])),
        ("ε²", real("epsilon_squared")),
    ]
    return Table("kruskal_wallis", "Kruskal–Wallis tests of returns on each task.", lines, columns, most=SPELLED_OUT)


def pairs_table(comparisons: Comparisons) -> Table:
    """Tabulate Dunn's test of each pair of agents on each task."""
    lines = [pair for test in comparisons.done for pair in test.pairs]
    tasks = {line["task"] for line in lines}
    most = next((i for i, line in enumerate(lines) if line["task"] not in sorted(tasks)[:SPELLED_OUT]), len(lines))
    columns = [
        ("task", text("task")),
        ("pair", lambda row: f"{row['first']} – {row['second']}"),
        ("z", real("z")),
        ("p", lambda row: words.p_value(row["p"])),
        ("Bonferroni", lambda row: words.p_value(row["p_bonferroni"])),
        ("Holm", lambda row: words.p_value(row["p_holm"])),
        ("Cliff's δ", lambda row: f"{words.number(row['cliffs_delta'])} ({row['effect']})"),
    ]
    caption = (
        "Dunn's tests of each pair of agents; z is the mean rank of the first minus that of the second, in standard "
        "errors."
    )
    return Table("dunn", caption, lines, columns, most=most, ditto=True)
