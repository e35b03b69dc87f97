"""The model of passing: its choice by the design, its fit, and its results as numbers.

    passed ~ agent + level + (1 | task) + (1 | task:agent) + (1 | subject)

The unit of evidence is the task, the participant or the training run, never the episode. Tests are likelihood-ratio
tests against F distributions with the degrees of freedom of these units. Where there is no model, agents are compared
by a permutation over tasks, or the report says why not; episodes are never pooled.
"""

from dataclasses import dataclass, field
from itertools import combinations
from math import hypot

import numpy as np

from puzzlebox.report.episodes import ReportEpisode, agents_of, levels_of
from puzzlebox.report.shares import Shares
from puzzlebox.report.units import FEWEST_UNITS, Units
from puzzlebox.stats import CannotCompute, Interval, holm
from puzzlebox.stats.crossed import CrossedFit, Test, fit_crossed, mean_probability, odds
from puzzlebox.stats.crossed_likelihood import PAIR, SUBJECT, TASK, Array
from puzzlebox.stats.permutation import SignFlip, sign_flip

# Cells times contrasts up to which all intervals are profiled and all pairs tested by likelihood ratios, which takes
# some ten seconds. With more, standard errors are used: their intervals are the same with so many episodes.
_MOST_PROFILED, _MOST_TESTED = 300_000, 300_000
# Units that a level term must leave: with fewer, tasks tell next to nothing about levels.
_FEWEST_LEFT = FEWEST_UNITS - 1


@dataclass(frozen=True)
class Term:
    """A category compared with the reference of its factor.

    Attributes:
        factor: the factor, such as "agent".
        name: the category.
        log_odds: the difference in log odds with its 95 % interval.
        error: the standard error.
        test: the test that it is 0.
    """

    factor: str
    name: str
    log_odds: Interval
    error: float
    test: Test

    @property
    def odds_ratio(self) -> float:
        """The ratio of the odds to those of the reference."""
        return odds(self.log_odds.value)

    @property
    def low(self) -> float:
        """The lower 95 % limit of the odds ratio."""
        return odds(self.log_odds.low)

    @property
    def high(self) -> float:
        """The upper 95 % limit of the odds ratio."""
        return odds(self.log_odds.high)

    @property
    def settled(self) -> bool:
        """Whether the estimate is finite, which the penalty ensures."""
        return True


@dataclass(frozen=True)
class Pair:
    """Two agents compared.

    Attributes:
        first: the first agent.
        second: the second agent.
        log_odds: the difference in log odds, first minus second; None without a model.
        error: its standard error; None without a model.
        gap: the difference of the probabilities of passing, averaged over tasks like these.
        df: the degrees of freedom; None without a model.
        statistic: the likelihood-ratio statistic; None without a model.
        p: the p value.
        p_holm: the p value adjusted for all pairs by Holm's method.
    """

    first: str
    second: str
    log_odds: float | None
    error: float | None
    gap: float
    df: float | None
    statistic: float | None
    p: float
    p_holm: float


@dataclass(frozen=True)
class Model:
    """The model of passing of a report.

    Attributes:
        fit: the fitted model; None if there is none.
        formula: the formula, in the notation of lme4.
        units: the units of evidence.
        terms: each category compared with its reference, in the order of the report.
        overall: the test whether agents differ at all; None without a model.
        pairs: all pairs of agents, from the model or by permutation over tasks.
        marginal: the probability that each agent passes, averaged over tasks like these, with its interval.
        profiled: whether intervals are profile-likelihood intervals.
        tested: whether pairs are tested by likelihood ratios; otherwise by their standard errors.
        flips: the permutation tests, by pair, if there is no model.
        why_not: why there is no model, as a clause.
        remarks: sentences about limits of the model.
    """

    fit: CrossedFit | None
    formula: str
    units: Units
    terms: list[Term] = field(default_factory=list)
    overall: Test | None = None
    pairs: list[Pair] = field(default_factory=list)
    marginal: dict[str, Interval] = field(default_factory=dict)
    profiled: bool = True
    tested: bool = True
    flips: dict[tuple[str, str], SignFlip] = field(default_factory=dict)
    why_not: str = ""
    remarks: list[str] = field(default_factory=list)

    @property
    def references(self) -> dict[str, str]:
        """The reference category of each factor."""
        return dict(self.fit.references) if self.fit else {}


@dataclass(frozen=True)
class _Design:
    """What was played: the units of each agent, and the terms that these allow.

    Attributes:
        units: the units of evidence.
        rows: the episodes that count and passed or failed.
        agents: the agents, the reference first.
        factors: the fixed factors.
        random: the random intercepts.
        tasks: the tasks of each agent.
        subjects: the participants or runs of each agent that has any.
    """

    units: Units
    rows: list[ReportEpisode]
    agents: list[str]
    factors: list[str]
    random: tuple[str, ...]
    tasks: dict[str, set[str]]
    subjects: dict[str, set[str]]

    @property
    def formula(self) -> str:
        """The formula, in the notation of lme4."""
        subject = next((self.units.subject_word(agent) for agent in self.subjects), "subject")
        names = {TASK: self.units.word, PAIR: f"{self.units.word}:agent", SUBJECT: subject}
        return f"passed ~ {' + '.join([*self.factors, *(f'(1 | {names[each]})' for each in self.random)])}"

    def df(self, *agents: str) -> float:
        """Return the degrees of freedom of a comparison of agents: those of the units that carry it, the fewest."""
        chosen = agents or tuple(self.agents)
        found = []
        if TASK in self.random:
            several = set.union(*(self.tasks[a] & self.tasks[b] for a, b in combinations(chosen, 2)))
            found.append((len(several) - 1) * (len(chosen) - 1))
        if SUBJECT in self.random:
            people = [self.subjects[agent] for agent in chosen if agent in self.subjects]
            if people:
                found.append(len(set.union(*people)) - len(people))
        return max(1, min(found))

    def level_df(self) -> float:
        """Return the degrees of freedom of a comparison of levels."""
        return len(set.union(*self.tasks.values())) - len({row.level for row in self.rows})

    def own_df(self, agent: str) -> float:
        """Return the degrees of freedom of a statement about one agent."""
        found = [len(self.tasks[agent])] if TASK in self.random else []
        if SUBJECT in self.random and agent in self.subjects:
            found.append(len(self.subjects[agent]))
        return max(1, min(found, default=2) - 1)


def fit_model(units: Units, reference: str = "") -> Model:
    """Fit the model that the design allows, or compare agents by permutation.

    Args:
        units: the episodes and their units of evidence.
        reference: the agent that the odds of the others are compared with. Default: the first of the report.
    """
    rows = [row for row in units.rows if row.passed is not None]
    if not rows:
        return Model(None, "", units, why_not="it is not known which episodes passed")
    agents = agents_of(rows)
    if len(agents) < 2:
        return Model(None, "", units, why_not="only one agent played, so there is no comparison")
    remarks = []
    if reference in agents:
        agents = [reference, *(agent for agent in agents if agent != reference)]
    elif reference:
        remarks.append(f"It is not known whether {reference} passed any of these episodes, so it is no reference.")
    design = _design(units, rows, agents)
    if not design.random:
        why = (
            f"there {'is' if len(units.tasks) == 1 else 'are'} {len(units.tasks)} {units.word}"
            f"{'' if len(units.tasks) == 1 else 's'}, and a statement about {units.word}s like these needs "
            f"{FEWEST_UNITS} (or {FEWEST_UNITS} participants or training runs)"
        )
        return Model(None, "", units, why_not=why, remarks=remarks)
    lonely = [agent for agent in agents if not _connected(design, agent)]
    if lonely:
        why = f"{lonely[0]} and the other agents have fewer than {FEWEST_UNITS} {units.word}s in common"
        return _permuted(design, why, remarks)
    try:
        fit = fit_crossed(
            [bool(row.passed) for row in rows],
            {kind: [str(getattr(row, kind)) for row in rows] for kind in design.factors},
            [units.task(row) for row in rows],
            [subject_of(units, row) for row in rows] if SUBJECT in design.random else None,
            references={"agent": agents[0]} | ({"level": levels_of(rows)[0]} if "level" in design.factors else {}),
            random=design.random,
        )
        return _results(design, fit, [*remarks, *_remarks(design, fit)])
    except CannotCompute as problem:
        return _permuted(design, str(problem), remarks)


def _design(units: Units, rows: list[ReportEpisode], agents: list[str]) -> _Design:
    tasks: dict[str, set[str]] = {}
    subjects: dict[str, set[str]] = {}
    cells: dict[tuple[str, str], int] = {}
    levels: dict[str, set[str]] = {}
    for row in rows:
        unit, who = units.task(row), subject_of(units, row)
        tasks.setdefault(row.agent, set()).add(unit)
        levels.setdefault(unit, set()).add(row.level)
        cells[unit, row.agent] = cells.get((unit, row.agent), 0) + 1
        if who:
            subjects.setdefault(row.agent, set()).add(who)
    random = []
    factors = ["agent"]
    if len(levels) >= FEWEST_UNITS:
        # If each agent played each task once, its own difficulty with a task is part of the chance of that episode.
        random = [TASK, PAIR] if max(cells.values()) > 1 else [TASK]
        found = set.union(*levels.values())
        nested = "" not in found and all(len(each) == 1 for each in levels.values())
        if len(found) > 1 and nested and len(levels) - len(found) >= _FEWEST_LEFT:
            factors.append("level")
    elif len({row.task for row in rows}) > 1:
        factors.append("task")
    if subjects and len(set.union(*subjects.values())) >= FEWEST_UNITS:
        random.append(SUBJECT)
    return _Design(units, rows, agents, factors, tuple(random), tasks, subjects)


def subject_of(units: Units, row: ReportEpisode) -> str:
    """Return the participant of an episode, or the run of its agent: runs of two agents in one folder are two."""
    who = units.subject(row)
    return f"{row.agent} {who}" if who.startswith("run ") else who


def _connected(design: _Design, agent: str) -> bool:
    """Return whether an agent played enough units in common with all others together."""
    if TASK not in design.random:
        return True
    others = set.union(*(own for other, own in design.tasks.items() if other != agent))
    return len(design.tasks[agent] & others) >= FEWEST_UNITS


def _results(design: _Design, fit: CrossedFit, remarks: list[str]) -> Model:
    agents = design.agents
    cells = len(fit.cells.trials)
    profiled = cells * (len(fit.effects) + len(agents)) <= _MOST_PROFILED
    interval = fit.profile if profiled else fit.wald_interval
    terms = []
    for factor, order in _ordered(design, fit).items():
        for name in order[1:]:
            weights = fit.contrast(factor, name, order[0])
            if factor == "agent":
                df = design.df(order[0], name)
            else:
                df = design.level_df() if factor == "level" else design.df()
            test = fit.test(weights, df) if profiled else fit.wald(weights, df)
            terms.append(Term(factor, name, interval(weights, df), fit.estimate(weights)[1], test))
    marginal = {}
    for agent in agents:
        weights, spread = _average(design, fit, agent), _spread(design, fit, agent)
        limits = interval(weights, design.own_df(agent))
        marginal[agent] = Interval(*(mean_probability(each, spread) for each in limits))
    of_agents = {term.name: term for term in terms if term.factor == "agent"}
    both = list(combinations(agents, 2))
    tested = cells * len(both) <= _MOST_TESTED
    found = []
    for first, second in both:
        weights = fit.contrast("agent", first, second)
        if first == agents[0] and profiled == tested:
            test = of_agents[second].test
        else:
            test = (fit.test if tested else fit.wald)(weights, design.df(first, second))
        found.append((first, second, *fit.estimate(weights), test))
    adjusted = holm([each[-1].p for each in found])
    pairs = [
        Pair(a, b, value, error, marginal[a].value - marginal[b].value, test.df, test.statistic, test.p, p)
        for (a, b, value, error, test), p in zip(found, adjusted, strict=True)
    ]
    overall = fit.test(fit.all_contrasts("agent"), design.df())
    return Model(fit, design.formula, design.units, terms, overall, pairs, marginal, profiled, tested, remarks=remarks)


def _ordered(design: _Design, fit: CrossedFit) -> dict[str, list[str]]:
    """Return the categories of each factor in the order of the report, the reference first."""
    orders = {"agent": design.agents, "level": levels_of(design.rows)}
    return {factor: orders.get(factor, list(names)) for factor, names in fit.categories.items()}


def _average(design: _Design, fit: CrossedFit, agent: str) -> Array:
    """Return the weights of the fixed effects in the log odds of an agent, averaged over tasks that weigh equally."""
    weights = np.array([float(each.factor == "") for each in fit.effects])
    for index, each in enumerate(fit.effects):
        if each.factor == "agent":
            weights[index] = each.name == agent
        elif each.factor:
            unit_of = {design.units.task(row): str(getattr(row, each.factor)) for row in design.rows}
            if each.factor == "task":
                unit_of = {row.task: row.task for row in design.rows}
            weights[index] = sum(name == each.name for name in unit_of.values()) / len(unit_of)
    return weights


def _spread(design: _Design, fit: CrossedFit, agent: str) -> float:
    """Return the standard deviation of the log odds of an agent over tasks, and over its participants or runs."""
    subjects = fit.spreads.get(SUBJECT, 0.0) if agent in design.subjects else 0.0
    return hypot(fit.spreads.get(TASK, 0.0), fit.spreads.get(PAIR, 0.0), subjects)


def _remarks(design: _Design, fit: CrossedFit) -> list[str]:
    remarks = []
    word = design.units.word
    if fit.penalised:
        names = [*_always_or_never(design)]
        because = f"{'; '.join(names)}, so" if names else "Agents and levels together separate passed episodes, so"
        remarks.append(
            f"{because[0].upper()}{because[1:]} the odds have no finite maximum-likelihood estimate. All estimates are "
            "penalised: the deviation of each category from the mean of its factor has a weak log-F(1, 1) prior, the "
            "weight of one episode that is half passed."
        )
    if TASK in design.random and PAIR not in design.random:
        remarks.append(
            f"Each agent played each {word} once, so the model has no intercept for each agent on each {word}."
        )
    if design.subjects and SUBJECT not in design.random:
        who = next(design.units.subject_word(agent) for agent in design.subjects)
        remarks.append(
            f"There are fewer than {FEWEST_UNITS} {who}s, so the model is about these {who}s, not about {who}s like "
            "them."
        )
    if TASK not in design.random:
        remarks.append(
            f"There are fewer than {FEWEST_UNITS} {word}s, so the model is about these {word}s, not about {word}s like "
            "these."
        )
    elif SUBJECT in design.random:
        single = [agent for agent in design.agents if agent not in design.subjects]
        if single:
            remarks.append(
                f"{' and '.join(single)} played in a single run: statements are about "
                f"{'this run' if len(single) == 1 else 'these runs'}, not about other runs or participants."
            )
    return remarks


def _always_or_never(design: _Design) -> list[str]:
    """Return clauses about the categories that passed all or none of their episodes."""
    clauses = []
    for factor in design.factors:
        outcomes: dict[str, set[bool | None]] = {}
        for row in design.rows:
            outcomes.setdefault(str(getattr(row, factor)), set()).add(row.passed)
        clauses += [
            f"{factor} {name} passed {'all' if True in own else 'none'} of its episodes"
            for name, own in outcomes.items()
            if len(own) == 1
        ]
    return clauses


def _permuted(design: _Design, why: str, remarks: list[str]) -> Model:
    """Compare agents without a model: by permutation over the units that both played."""
    shares = Shares(design.units)
    flips: dict[tuple[str, str], SignFlip] = {}
    if TASK in design.random:
        by_unit: dict[tuple[str, str], list[ReportEpisode]] = {}
        for row in design.rows:
            by_unit.setdefault((row.agent, design.units.task(row)), []).append(row)
        values = {key: shares.value(own) or 0.0 for key, own in by_unit.items()}
        for first, second in combinations(design.agents, 2):
            common = sorted(design.tasks[first] & design.tasks[second])
            if len(common) >= FEWEST_UNITS and first not in design.subjects and second not in design.subjects:
                flips[first, second] = sign_flip([values[first, unit] - values[second, unit] for unit in common])
    adjusted = holm([flip.p for flip in flips.values()]) if flips else []
    pairs = [
        Pair(*both, None, None, flip.mean, None, None, flip.p, p)
        for (both, flip), p in zip(flips.items(), adjusted, strict=True)
    ]
    return Model(None, design.formula, design.units, pairs=pairs, flips=flips, why_not=why, remarks=remarks)
