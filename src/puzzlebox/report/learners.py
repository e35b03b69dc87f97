"""The section for machine learners: interquartile mean, optimality gap, profiles and probability of improvement.

The measures are those of Agarwal et al. (2021), on a scale that is fixed for each task. Units are training runs or
participants; an agent with a single run has its episodes instead, and the page says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from puzzlebox.report import words
from puzzlebox.report.episodes import ReportEpisode, agents_of, grouped
from puzzlebox.report.figures.looks import Drawing, Looks
from puzzlebox.report.figures.profiles import Profile, profiles
from puzzlebox.report.scale import Scales
from puzzlebox.report.tables import Table, interval_cells, text
from puzzlebox.report.units import Units
from puzzlebox.stats import CannotCompute, Interval
from puzzlebox.stats.improvement import probability_of_improvement
from puzzlebox.stats.learners import (
    Resampled,
    Scores,
    interquartile_mean_interval,
    mean_interval,
    optimality_gap_interval,
    performance_profile,
    profile_band,
)

# Thresholds of a performance profile; and most pairs of agents, beyond which only those with the best agent are shown.
THRESHOLDS, MOST_PAIRS = 101, 300
_MEASURES = {"mean_score": mean_interval, "interquartile_mean": interquartile_mean_interval}
_GAP = {"optimality_gap": optimality_gap_interval}


@dataclass(frozen=True)
class Learner:
    """The scores of one agent, and their measures.

    Attributes:
        agent: the name of the agent.
        scores: its scores.
        word: what its units are called: "run", "participant" or "episode".
        measures: each measure with its interval; without one, both limits are the value itself.
        why_not: why the measures have no intervals; "" if they have.
        exact: whether it always did the same, so that its measures do not vary.
        by_place: the scores of each run or participant in each arena, which can be compared with those of single
            episodes; None if the units are episodes.
    """

    agent: str
    scores: Scores
    word: str
    measures: dict[str, Interval]
    why_not: str = ""
    exact: bool = False
    by_place: Scores | None = None

    @property
    def units(self) -> int:
        """The number of its units."""
        return len(np.unique(self.scores.unit_codes))


@dataclass(frozen=True)
class Learners:
    """All agents of the section.

    Attributes:
        agents: the agents, in the order of the report.
        scaled: whether returns are on the fixed scale; otherwise they are as paid.
        sources: what 0 on the scale means for how many tasks: the mean return of "random", that of
            "idle", or that of a "guess".
        without: the tasks that are left out because they have no scale.
        left_out: the agents that have no measures, with the reason of each, as a clause.
    """

    agents: list[Learner]
    scaled: bool
    sources: dict[str, int] = field(default_factory=dict)
    without: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)

    def of(self, agent: str) -> Learner:
        """Return an agent by its name."""
        return next(each for each in self.agents if each.agent == agent)


def learners_of(units: Units, scales: Scales, seed: int = 0) -> Learners:
    """Compute the measures of each agent.

    Args:
        units: the episodes, each set of identical ones once.
        scales: the scale of each arena that has one; without any, returns are used as paid.
        seed: the seed of the bootstrap.
    """
    known = {(row.task, row.arena): scales.get((row.task_hash, row.arena)) for row in units.rows}
    scaled = any(scale is not None for scale in known.values())
    rows = [row for row in units.rows if not scaled or known[row.task, row.arena] is not None]
    by_agent = grouped(rows, lambda row: row.agent)

    def score(row: ReportEpisode) -> float:
        scale = known[row.task, row.arena]
        return row.total if scale is None else (row.total - scale.chance) / (scale.best - scale.chance)

    agents, left_out = [], {}
    for agent in agents_of(rows):
        scored = [(row, score(row)) for row in by_agent[agent]]
        try:
            values, word = _scores(units, agent, scored, scaled)
        except CannotCompute as problem:
            left_out[agent] = str(problem)
            continue
        by_place = None if word == "episode" else _scores_by_place(units, scored)
        agents.append(replace(_learner(agent, values, word, scaled, seed), by_place=by_place))
    kinds = {task: scale.source for (task, _), scale in known.items() if scale is not None}
    sources = {source: list(kinds.values()).count(source) for source in sorted(set(kinds.values()), reverse=True)}
    without = sorted({task for (task, _), scale in known.items() if scale is None}) if scaled else []
    return Learners(agents, scaled, sources, without, left_out)


def _scores(
    units: Units,
    agent: str,
    scored: Sequence[tuple[ReportEpisode, float]],
    scaled: bool,
) -> tuple[Scores, str]:
    """Return the scores of an agent, and what its units are called."""
    ends = (0.0, 1.0) if scaled else ()
    subjects = {id(row): units.subject(row) for row, _ in scored}
    if not has_replicates(units, [row for row, _ in scored]):
        values = np.array([value for _, value in scored])
        tasks = [units.task(row) for row, _ in scored]
        places = [(row.task, row.arena) for row, _ in scored]
        exact = [units.certain(row) for row, _ in scored]
        return Scores(values, tasks, None, places, ends, exact), "episode"
    cells: dict[tuple[str, str], dict[tuple[str, int], list[float]]] = {}
    for row, value in scored:
        cell = cells.setdefault((subjects[id(row)], units.task(row)), {})
        cell.setdefault((row.task, row.arena), []).append(value)
    means = [float(np.mean([np.mean(each) for each in places.values()])) for places in cells.values()]
    names, tasks = [subject for subject, _ in cells], [task for _, task in cells]
    return Scores(np.array(means), tasks, names, ends=ends), units.subject_word(agent)


def _scores_by_place(units: Units, scored: Sequence[tuple[ReportEpisode, float]]) -> Scores:
    """Return the mean score of each participant or run in each arena of each task."""
    cells: dict[tuple[str, str, tuple[str, int]], list[float]] = {}
    for row, value in scored:
        cells.setdefault((units.subject(row), units.task(row), (row.task, row.arena)), []).append(value)
    means = np.array([np.mean(each) for each in cells.values()])
    names, tasks, places = zip(*cells, strict=True)
    return Scores(means, tasks, names, places)


def has_replicates(units: Units, rows: Sequence[ReportEpisode]) -> bool:
    """Return whether the episodes of an agent are those of several participants or runs on the same task.

    Two runs of an agent on different tasks are not several runs in this sense.
    """
    by_task = grouped(rows, units.task)
    return any(len({units.subject(row) for row in own}) > 1 for own in by_task.values())


def _learner(agent: str, scores: Scores, word: str, scaled: bool, seed: int) -> Learner:
    functions = _MEASURES | (_GAP if scaled else {})
    try:
        drawn = Resampled(scores, seed)
        return Learner(agent, scores, word, {name: measure(drawn) for name, measure in functions.items()})
    except CannotCompute as problem:
        exact = not scores.varying
        drawn = Resampled.alone(scores)
        values = {name: measure(drawn) for name, measure in functions.items()}
        return Learner(agent, scores, word, values, "" if exact else str(problem), exact)


def section(learners: Learners, look: Looks) -> list[str | Table | Drawing]:
    """Return the blocks of the section; empty if there is nothing to show."""
    if not learners.agents:
        return [*_left_out(learners)]
    blocks: list[str | Table | Drawing] = [_scale_sentence(learners), measures_table(learners)]
    blocks += _remarks(learners)
    cuts = _thresholds(learners)
    blocks.append(profiles([_profile(each, cuts) for each in learners.agents], look, _axis(learners), learners.scaled))
    blocks.append(profile_table(learners))
    pairs = improvement_table(learners)
    if pairs.rows:
        blocks += [pairs, *pairs.remarks]
    return blocks


def measures_table(learners: Learners) -> Table:
    """Tabulate the measures of each agent."""
    lines = []
    for each in learners.agents:
        line: dict[str, Any] = {
            "agent": each.agent,
            "tasks": len(each.scores.task_names),
            "units": each.units,
            "unit": each.word,
        }
        for name, value in each.measures.items():
            line |= interval_cells(name, value)
            if each.why_not:
                line |= {f"{name}_low": None, f"{name}_high": None}
        lines.append(line)

    def measure(name: str) -> Any:
        def show(row: dict[str, Any]) -> str:
            if row[f"{name}_low"] is None:
                return words.number(row[name])
            return words.interval(Interval(row[name], row[f"{name}_low"], row[f"{name}_high"]))

        return show

    columns = [
        ("agent", text("agent")),
        ("tasks", text("tasks")),
        ("units", lambda row: words.count(row["units"], row["unit"])),
        ("interquartile mean", measure("interquartile_mean")),
        ("mean", measure("mean_score")),
        *([("optimality gap", measure("optimality_gap"))] if learners.scaled else []),
    ]
    what = "scores" if learners.scaled else "returns"
    caption = (
        f"Interquartile mean (of the middle half of the {what}) and mean"
        f"{', and optimality gap (how far scores fall short of 1 on average)' if learners.scaled else ''}, with 95 % "
        "intervals for these tasks; tasks weigh equally."
    )
    return Table("learners", caption, lines, columns)


def improvement_table(learners: Learners) -> Table:
    """Tabulate the probability of improvement of each pair of agents."""
    able = learners.agents
    pairs = list(combinations(able, 2))
    remarks: list[str] = []
    if len(pairs) > MOST_PAIRS:
        best = max(able, key=lambda each: each.measures["interquartile_mean"].value)
        pairs = [(best, each) for each in able if each is not best]
        remarks.append(f"Only pairs with {best.agent}, which has the highest interquartile mean, are shown.")
    lines, why = [], dict[str, list[str]]()
    for first, second in pairs:
        try:
            share = probability_of_improvement(*_comparable(first, second))
        except CannotCompute as problem:
            why.setdefault(str(problem), []).append(f"{first.agent} – {second.agent}")
            continue
        lines.append({"first": first.agent, "second": second.agent, **interval_cells("probability", share)})
    remarks += [
        f"There is no probability of improvement for {words.listed(who)}: {reason}." for reason, who in why.items()
    ]
    columns = [
        ("pair", lambda row: f"{row['first']} – {row['second']}"),
        (
            "probability that the first is better",
            lambda row: words.interval(
                Interval(row["probability"], row["probability_low"], row["probability_high"]), 2
            ),
        ),
    ]
    caption = (
        "Probability of improvement: how likely the first agent scores higher than the second on the same task, ties "
        "counted half, averaged over tasks; 95 % intervals. Equal agents have 0.5."
    )
    return Table("probability_of_improvement", caption, lines, columns, most=28, remarks=remarks)


def _comparable(first: Learner, second: Learner) -> tuple[Scores, Scores]:
    """Return the scores of two agents in the same parts: tasks, or single arenas if one has only episodes."""
    if first.by_place is not None and second.by_place is not None:
        return first.scores, second.scores
    return first.by_place or first.scores, second.by_place or second.scores


def profile_table(learners: Learners) -> Table:
    """Tabulate the performance profiles at a few thresholds, for the page, and at all of them, for the file."""
    cuts = _thresholds(learners)
    shares = {each.agent: performance_profile(each.scores, cuts) for each in learners.agents}
    lines = [
        {"agent": agent, "threshold": round(float(cut), 6), "proportion_above": float(share)}
        for agent, own in shares.items()
        for cut, share in zip(cuts, own, strict=True)
    ]
    columns = [
        ("agent", text("agent")),
        ("threshold", lambda row: words.number(row["threshold"])),
        ("scores above it", lambda row: words.percent(row["proportion_above"])),
    ]
    return Table("performance_profiles", "Performance profiles: the numbers of the figure.", lines, columns, most=0)


def methods_sentences(learners: Learners) -> list[str]:
    """Return the sentences about this section for the methods of a paper."""
    if not learners.agents:
        return []
    from puzzlebox.stats.learners import RESAMPLES

    lines = [_scale_sentence(learners)] if learners.scaled else []
    kinds = dict.fromkeys({"run": "training run"}.get(each.word, each.word) for each in learners.agents)
    units = words.listed([f"{kind}s" for kind in kinds])
    several = len(learners.agents) > 1
    measures = ["interquartile means", *(["optimality gaps"] if learners.scaled else []), "performance profiles"]
    measures += ["probabilities of improvement"] if several else []
    text = (
        f"{words.listed(measures).capitalize()} are those of Agarwal et al. (2021), with equal weights of tasks. Their "
        f"units were {units}."
    )
    resampled = [each for each in learners.agents if not each.why_not and not each.exact]
    if resampled:
        whole = dict.fromkeys(
            f"{each.word}s" for each in resampled if each.word != "episode" and len(each.scores.task_names) > 1
        )
        text += (
            f" Intervals of means come from a bootstrap over units within tasks ({RESAMPLES} resamples) at the "
            "quantiles of Student's t (expanded percentiles, Hesterberg 2015)"
        )
        text += f"; {words.listed(list(whole))} that played several tasks were resampled whole." if whole else "."
        text += (
            f" Profiles{', probabilities of improvement' if several else ''} and, if no score is below 0, optimality "
            "gaps have Wilson intervals with the effective number of units (Korn and Graubard 1998)."
        )
    lines.append(text)
    return lines


def _scale_sentence(learners: Learners) -> str:
    if not learners.scaled:
        return (
            "Returns are shown as they were paid, because none of these tasks has a fixed scale; where tasks pay "
            "differently, those that pay most weigh most in a mean."
        )
    meaning = {
        "random": "the mean return of the random agent",
        "idle": "the return of an agent that does nothing",
        "guess": "what guessing returns",
    }
    best = ["the highest return of the task"] if "guess" in learners.sources else []
    best += ["the return for all food of the task at once"] if set(learners.sources) != {"guess"} else []
    counts = {source: f" ({words.count(many, 'task')})" for source, many in learners.sources.items()}
    parts = [meaning.get(source, source) + (count if len(counts) > 1 else "") for source, count in counts.items()]
    return (
        f"Scores are returns on a fixed scale: 0 is {' or '.join(parts)}, 1 {' or '.join(best)}. They do not depend on "
        "who else is in the report."
    )


def _left_out(learners: Learners) -> list[str]:
    """Return the sentences about agents without measures."""
    reasons: dict[str, list[str]] = {}
    for agent, why in learners.left_out.items():
        reasons.setdefault(why, []).append(agent)
    return [f"There are no measures of {words.listed(agents)}: {why}." for why, agents in reasons.items()]


def _remarks(learners: Learners) -> list[str]:
    lines = _left_out(learners)
    single = [each.agent for each in learners.agents if each.word == "episode" and not each.exact]
    if single:
        has, their = ("has", "its") if len(single) == 1 else ("have", "their")
        lines.append(
            f"{words.listed(single)} {has} only one run, so {their} episodes are the units: the intervals say how "
            "other episodes of the same agent would differ, and nothing about training it again."
        )
    exact = [each.agent for each in learners.agents if each.exact]
    if exact:
        lines.append(
            f"{words.listed(exact)} did the same in every episode of a task: the measures are exact for these tasks."
        )
    reasons = grouped_by_reason(learners.agents)
    lines += [f"There are no intervals for {words.listed(agents)}: {why}." for why, agents in reasons.items()]
    if learners.without:
        many = words.count(len(learners.without), "task")
        lines.append(
            f"{many} without a scale {'is' if len(learners.without) == 1 else 'are'} left out of this section: "
            f"{words.listed(learners.without)}. The best return is unlimited, unknown or not above chance."
        )
    return lines


def grouped_by_reason(agents: Sequence[Learner]) -> dict[str, list[str]]:
    """Return the agents without intervals, by the reason in words."""
    reasons: dict[str, list[str]] = {}
    for each in agents:
        if each.why_not:
            why = f"{each.why_not} {each.word}{'s' if each.units != 1 else ''}" if each.units < 5 else each.why_not
            reasons.setdefault(why, []).append(each.agent)
    return reasons


def _thresholds(learners: Learners) -> Any:
    if learners.scaled:
        return np.linspace(0, 1, THRESHOLDS)
    values = np.concatenate([each.scores.values for each in learners.agents])
    return np.linspace(values.min(), values.max(), THRESHOLDS)


def _profile(learner: Learner, cuts: Any) -> Profile:
    share = performance_profile(learner.scores, cuts)
    low = high = None
    if not learner.why_not and not learner.exact:
        low, high = profile_band(learner.scores, cuts)
    return Profile(learner.agent, cuts, share, low, high)


def _axis(learners: Learners) -> str:
    return "Score (0: chance, 1: all food)" if learners.scaled else "Return"
