"""Comparisons of the returns of agents: on each task, and over all tasks, with sentences for a results section."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlebox.report import pairing, words
from puzzlebox.report.episodes import ReportEpisode, agents_of, grouped, returns
from puzzlebox.report.pairing import UnitValues
from puzzlebox.report.rank_tests import PairTest, RankTests, compare_agents
from puzzlebox.report.time_outs import tied
from puzzlebox.report.units import FEWEST_UNITS, Units, rounded
from puzzlebox.stats import CannotCompute, KruskalWallis, cliffs_delta, dunn, holm, kruskal_wallis
from puzzlebox.stats.effects import size_in_words

__all__ = ["FEWEST", "SPELLED_OUT", "Comparisons", "TaskTest", "compare"]

# Fewest units (episodes, participants, runs) of an agent for a test; with fewer it has hardly any power.
FEWEST = FEWEST_UNITS
# The number of tasks for which the page gives the test in a sentence and in tables.
SPELLED_OUT = 8


@dataclass(frozen=True)
class TaskTest:
    """The tests of one task.

    Attributes:
        task: the name of the task.
        groups: the returns of all episodes of each agent that was tested, not rounded.
        overall: the Kruskal-Wallis test of these episodes, as published results have it; None if there is no test.
        pairs: Dunn's test and the effect size of each pair of agents, as published results have them.
        why_not: why there is no test, as a clause.
        tests: the tests of units, which the sentences and the page are about.
        left_out: agents with too few units, which were not tested.
        p_adjusted: the p value adjusted by Holm over all tasks.
        pairs_adjusted: the p value of each pair adjusted by Holm over all pairs of all tasks.
    """

    task: str
    groups: dict[str, NDArray[np.float64]]
    overall: KruskalWallis | None
    pairs: list[dict[str, Any]]
    why_not: str = ""
    tests: RankTests | None = None
    left_out: tuple[str, ...] = ()
    p_adjusted: float = 1.0
    pairs_adjusted: tuple[float, ...] = ()

    @property
    def sentence(self) -> str:
        """The result in a sentence for a results section."""
        if self.tests is None:
            return f"{self.task}: returns were not tested because {self.why_not}."
        return f"{self.task}: {_sentence(self.tests, 'on this task alone', self.p_adjusted, self.pairs_adjusted)}"


@dataclass(frozen=True)
class AcrossTasks:
    """The test of mean returns over tasks.

    Attributes:
        word: what the units are called: "task" or "variant".
        tests: the tests; None if there are none.
        why_not: why there is no test, as a clause.
    """

    word: str
    tests: RankTests | None
    why_not: str = ""

    @property
    def sentence(self) -> str:
        """The result in a sentence for a results section."""
        if self.tests is None:
            return f"Over {self.word}s: mean returns were not tested because {self.why_not}."
        about = f"for {self.word}s like these"
        adjusted = tuple(pair.p_holm for pair in self.tests.pairs)
        return f"Over {self.word}s: {_sentence(self.tests, about, self.tests.p, adjusted, 'mean returns')}"


@dataclass(frozen=True)
class Comparisons:
    """All tests of a report.

    Attributes:
        tests: the tests of each task.
        remarks: sentences about tasks and agents without a test, and about how p values were adjusted.
        across: the test over all tasks.
    """

    tests: list[TaskTest]
    remarks: list[str] = field(default_factory=list)
    across: AcrossTasks = field(default_factory=lambda: AcrossTasks("task", None, "there are no tasks"))

    @property
    def done(self) -> list[TaskTest]:
        """The tests that could be computed."""
        return [test for test in self.tests if test.tests is not None]


def compare(rows: Sequence[ReportEpisode], units: Units | None = None) -> Comparisons:
    """Test the returns on each task that at least two agents played often enough, and over all tasks.

    Args:
        rows: the episodes.
        units: their units of evidence. Default: found from the episodes.
    """
    units = units or Units.of(rows)
    subjects = {agent: units.subject_word(agent) for agent in agents_of(rows)}
    counted = tied(units.rows)
    by_task, unique, again = (grouped(each, lambda row: row.task) for each in (rows, counted, units.repetitions))
    tests = _adjusted(
        [
            _of_task(task, own, unique[task], again.get(task, []), units, subjects)
            for task, own in sorted(by_task.items())
        ]
    )
    across = _across(rows, counted, units)
    return Comparisons(tests, _remarks(tests, rows, units, across), across)


def _of_task(
    task: str,
    rows: Sequence[ReportEpisode],
    unique: Sequence[ReportEpisode],
    again: Sequence[ReportEpisode],
    units: Units,
    subjects: Mapping[str, str],
) -> TaskTest:
    own, episodes, repeated = (grouped(each, lambda row: row.agent) for each in (unique, rows, again))
    values = {
        agent: pairing.of_task(units, own[agent], subjects[agent], repeated.get(agent, []))
        for agent in agents_of(unique)
    }
    few = tuple(agent for agent, each in values.items() if len(each.returns) < FEWEST)
    kept = {agent: each for agent, each in values.items() if agent not in few}
    groups = {agent: returns(episodes[agent]) for agent in kept or values}
    if len(values) < 2:
        return TaskTest(task, groups, None, [], "only one agent played")
    if len(kept) < 2:
        which = "no agent has" if not kept else "only one agent has"
        return TaskTest(task, groups, None, [], f"{which} {FEWEST} different {_plural(values)}", left_out=few)
    ranked = {agent: rounded(each) for agent, each in groups.items()}
    try:
        overall, lines = kruskal_wallis(ranked), []
        for pair in dunn(ranked):
            delta = cliffs_delta(ranked[pair.first], ranked[pair.second])
            lines.append({"task": task, **pair._asdict(), "cliffs_delta": delta, "effect": size_in_words(delta)})
        return TaskTest(task, groups, overall, lines, tests=compare_agents(kept), left_out=few)
    except CannotCompute as problem:
        return TaskTest(task, groups, None, [], str(problem), left_out=few)


def _plural(values: dict[str, UnitValues]) -> str:
    kinds = list(dict.fromkeys(each.unit for each in values.values()))
    return f"{kinds[0]}s" if len(kinds) == 1 else " or ".join(f"{each}s" for each in kinds)


def _adjusted(tests: list[TaskTest]) -> list[TaskTest]:
    """Return the tests with p values adjusted by Holm over all tasks."""
    done = [test for test in tests if test.tests is not None]
    overall = dict(zip([test.task for test in done], holm([_p(test) for test in done]), strict=True))
    pairs = iter(holm([pair.p for test in done for pair in _pairs(test)]))
    return [
        replace(test, p_adjusted=overall.get(test.task, 1.0), pairs_adjusted=tuple(next(pairs) for _ in _pairs(test)))
        for test in tests
    ]


def _p(test: TaskTest) -> float:
    return 1.0 if test.tests is None else test.tests.p


def _pairs(test: TaskTest) -> list[PairTest]:
    return [] if test.tests is None else test.tests.pairs


def _across(rows: Sequence[ReportEpisode], counted: Sequence[ReportEpisode], units: Units) -> AcrossTasks:
    """Test mean returns with tasks as units; what agents have in common on a task cancels out within it."""
    values = {agent: pairing.of_tasks(units, counted, agent) for agent in agents_of(rows)}
    if len(values) < 2:
        return AcrossTasks(units.word, None, "only one agent played")
    try:
        return AcrossTasks(units.word, compare_agents(values, only_pairs=True))
    except CannotCompute:
        return AcrossTasks(units.word, None, f"no two agents share {FEWEST_UNITS} {units.word}s or more")


def _sentence(tests: RankTests, about: str, p: float, pairs_p: Sequence[float], what: str = "returns") -> str:
    """Return the result of some tests in words; p values are the adjusted ones."""
    differ = "differed" if p < 0.05 else "did not differ significantly"
    who = f"between {words.listed(tests.agents)}" if len(tests.agents) == 2 else f"between {len(tests.agents)} agents"
    adjusted = "" if abs(p - tests.p) < 1e-12 else ", adjusted over tasks by Holm"
    details = [f"{tests.text}, {words.p_equals(p)}{adjusted}", _number_of_units(tests), tests.effect_text]
    line = f"{about}, {what} {differ} {who} ({'; '.join(each for each in details if each)})."
    if len(tests.agents) == 2:
        return line
    found = [f"{pair.first} – {pair.second}" for pair, own in zip(tests.pairs, pairs_p, strict=True) if own < 0.05]
    if p >= 0.05 or not found:
        return f"{line} No pair of agents differed significantly." if p < 0.05 else line
    which = "all pairs" if len(found) == len(tests.pairs) else words.listed(found, 8)
    methods = " or ".join(dict.fromkeys(pair.method for pair in tests.pairs))
    return f"{line} Pairs that differed ({methods}, Holm-adjusted p < .05): {which}."


def _number_of_units(tests: RankTests) -> str:
    names = {"episode": "shared seed", "unit": "unit"} if tests.paired else {}
    name = names.get(tests.unit, tests.unit)
    return words.count(tests.units, name)


def _remarks(tests: Sequence[TaskTest], rows: Sequence[ReportEpisode], units: Units, across: AcrossTasks) -> list[str]:
    remarks = []
    reasons = Counter(test.why_not for test in tests if test.tests is None)
    for reason, many in reasons.items():
        where = f" on {many} of {len(tests)} tasks" if len(tests) > 1 else ""
        remarks.append(f"Returns were not tested{where}: {reason}.")
    without = Counter(agent for test in tests if test.tests is not None for agent in test.left_out)
    for agent, many in without.items():
        same = " Identical episodes count once." if units.repeated.get(agent) else ""
        remarks.append(
            f"{agent} was left out of the tests of {words.count(many, 'task')}, for which it has fewer than {FEWEST} "
            f"units.{same}"
        )
    nameless = [agent for agent in agents_of(rows) if _has_nameless_people(agent, rows)]
    if nameless and any(test.tests is not None for test in tests):
        remarks.append(
            f"Episodes of {words.listed(nameless)} have no participant ids; they were taken for episodes of different "
            "people."
        )
    conservative = [test.task for test in tests if test.tests is not None and test.tests.conservative]
    conservative += [f"all {across.word}s"] if across.tests is not None and across.tests.conservative else []
    if conservative:
        remarks.append(
            f"With so few pairs the signed-rank test has only a few possible p values and errs in less than 3 % of "
            f"cases ({words.listed(conservative, 4)}): it is conservative, and a true difference is easily missed."
        )
    if sum(test.tests is not None for test in tests) > 1:
        remarks.append(
            "Each test of a task is about that task alone. Their p values are adjusted by Holm for the number of "
            "tasks, those of pairs for all pairs of all tasks; the files have unadjusted ones as well."
        )
    return remarks


def _has_nameless_people(agent: str, rows: Sequence[ReportEpisode]) -> bool:
    own = [row for row in rows if row.agent == agent]
    return len(own) > 1 and all(row.person and not row.participant for row in own)
