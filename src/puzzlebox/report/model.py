"""The model of passing: its choice by the design, its fit, and its results as numbers.

    passed ~ agent + level + FACTOR + (1 | task) + (1 | task:agent) + (1 | subject)

The unit of evidence is the task, the participant or the training run, never the episode. Tests are likelihood-ratio
tests against F distributions with the degrees of freedom of these units. Where there is no model, agents are compared
by a permutation over tasks, or the report says why not; episodes are never pooled.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import hypot

import numpy as np

from puzzlebox.report.episodes import ReportEpisode, agents_of, levels_of
from puzzlebox.report.factors import Factor
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
# Episodes of each agent on each task below which odds ratios are said to be approximate.
_FEWEST_EPISODES = 5
# A standard deviation below this counts as 0.
_NO_SPREAD = 1e-3
# Values of an experimental factor that a model has terms for at most.
_MOST_VALUES = 12


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
        by: the experimental factors that are terms of the model, by name.
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
    by: Mapping[str, Factor] = field(default_factory=dict)

    @property
    def differ(self) -> dict[frozenset[str], bool]:
        """Whether each pair of agents differs, by its p value adjusted for all pairs."""
        return {frozenset((pair.first, pair.second)): pair.p_holm < 0.05 for pair in self.pairs}

    def category(self, row: ReportEpisode, factor: str) -> str:
        """Return the category of an episode in a factor of the model."""
        return category_of(row, factor, self.by)

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
        by: those of the fixed factors that are experimental factors of the tasks.
    """

    units: Units
    rows: list[ReportEpisode]
    agents: list[str]
    factors: list[str]
    random: tuple[str, ...]
    tasks: dict[str, set[str]]
    subjects: dict[str, set[str]]
    by: Mapping[str, Factor]
    # The profiles that were asked for: each takes a pass over all episodes.
    _known: dict[tuple[str, ...], dict[tuple[str, ...], float]] = field(default_factory=dict, repr=False)

    def category(self, row: ReportEpisode, factor: str) -> str:
        """Return the category of an episode in a fixed factor."""
        return category_of(row, factor, self.by)

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

    def factor_df(self, factor: str) -> float:
        """Return the degrees of freedom of a comparison of categories other than agents: levels or a factor's values.

        A factor whose values differ between tasks is compared between them; one that tasks have several values of is
        compared within these tasks.
        """
        if TASK not in self.random:
            return self.df()
        several = [unit for unit, own in self._categories(factor).items() if len(own) > 1]
        if several:
            return max(1, len(several) - 1)
        between = [each for each in self.factors if each != "agent" and self._between(each)]
        return max(1, len(self.units_played) - 1 - sum(len(self.weights(each)) - 1 for each in between))

    @property
    def units_played(self) -> set[str]:
        """The tasks of all agents."""
        return set.union(*self.tasks.values())

    def _categories(self, factor: str) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for row in self.rows:
            found.setdefault(self.units.task(row), set()).add(self.category(row, factor))
        return found

    def _between(self, factor: str) -> bool:
        return all(len(own) == 1 for own in self._categories(factor).values())

    def profiles(self, factors: Sequence[str]) -> dict[tuple[str, ...], float]:
        """Return the share of the tasks with each combination of categories, which is that of its weight in a mean."""
        if tuple(factors) in self._known:
            return self._known[tuple(factors)]
        found: dict[str, set[tuple[str, ...]]] = {}
        for row in self.rows:
            unit = row.task if "task" in factors else self.units.task(row)
            found.setdefault(unit, set()).add(tuple(self.category(row, factor) for factor in factors))
        shares: dict[tuple[str, ...], float] = {}
        for own in found.values():
            for profile in own:
                shares[profile] = shares.get(profile, 0.0) + 1 / len(own) / len(found)
        return self._known.setdefault(tuple(factors), dict(sorted(shares.items())))

    def weights(self, factor: str) -> dict[str, float]:
        """Return the share of the tasks in each category of a factor, which is that of its weight in a mean."""
        return {name: share for (name,), share in self.profiles([factor]).items()}

    def own_df(self, agent: str) -> float:
        """Return the degrees of freedom of a statement about one agent."""
        found = [len(self.tasks[agent])] if TASK in self.random else []
        if SUBJECT in self.random and agent in self.subjects:
            found.append(len(self.subjects[agent]))
        return max(1, min(found, default=2) - 1)


def category_of(row: ReportEpisode, factor: str, by: Mapping[str, Factor]) -> str:
    """Return the category of an episode in a fixed factor: its agent, level or task, or a value of one of `by`."""
    return by[factor].value(row) if factor in by else str(getattr(row, factor))


def fit_model(units: Units, reference: str = "", by: Sequence[str] = ()) -> Model:
    """Fit the model that the design allows, or compare agents by permutation.

    Args:
        units: the episodes and their units of evidence.
        reference: the agent that the odds of the others are compared with. Default: the first of the report.
        by: the names of experimental factors that are terms of the model.
    """
    rows = [row for row in units.weighed if row.passed is not None]
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
    design = _design(units, rows, agents, by, remarks)
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
            {kind: [design.category(row, kind) for row in rows] for kind in design.factors},
            [units.task(row) for row in rows],
            [subject_of(units, row) for row in rows] if SUBJECT in design.random else None,
            references={"agent": agents[0]}
            | ({"level": levels_of(rows)[0]} if "level" in design.factors else {})
            | {name: factor.values[0] for name, factor in design.by.items()},
            random=design.random,
        )
        return _results(design, fit, [*remarks, *_remarks(design, fit)])
    except CannotCompute as problem:
        return _permuted(design, str(problem), remarks)


def _design(
    units: Units, rows: list[ReportEpisode], agents: list[str], by: Sequence[str], remarks: list[str]
) -> _Design:
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
    chosen = _usable(by, rows, factors, remarks)
    return _Design(units, rows, agents, [*factors, *chosen], tuple(random), tasks, subjects, chosen)


def _usable(
    by: Sequence[str], rows: Sequence[ReportEpisode], factors: Sequence[str], remarks: list[str]
) -> dict[str, Factor]:
    """Return those of some factors that can be terms of the model; `remarks` receives why others cannot."""
    chosen: dict[str, Factor] = {}
    before = _rank(rows, factors, chosen)
    for name in dict.fromkeys(by):
        factor = Factor.of(name, rows)
        why = ""
        if name in ("agent", "level", "task"):
            why = "the model has a term of that name"
        elif not all(map(factor.value, rows)):
            why = "some episodes have no value of it"
        elif not 2 <= len(factor.values) <= _MOST_VALUES:
            why = f"it has {len(factor.values)} value{'' if len(factor.values) == 1 else 's'}"
        else:
            rank = _rank(rows, [*factors, *chosen, name], {**chosen, name: factor})
            if rank < before + len(factor.values) - 1:
                why = "its values cannot be told from those of other terms"
        if why:
            remarks.append(f"The factor {name} is not in the model: {why}.")
        else:
            chosen[name], before = factor, rank
    return chosen


def _rank(rows: Sequence[ReportEpisode], factors: Sequence[str], by: Mapping[str, Factor]) -> int:
    """Return the rank of the matrix of fixed effects."""
    profiles = sorted({tuple(category_of(row, factor, by) for factor in factors) for row in rows})
    columns = [np.ones(len(profiles))]
    for index in range(len(factors)):
        for name in sorted({profile[index] for profile in profiles}):
            columns.append(np.array([float(profile[index] == name) for profile in profiles]))
    return int(np.linalg.matrix_rank(np.column_stack(columns)))


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
            df = design.df(order[0], name) if factor == "agent" else design.factor_df(factor)
            test = fit.test(weights, df) if profiled else fit.wald(weights, df)
            terms.append(Term(factor, name, interval(weights, df), fit.estimate(weights)[1], test))
    marginal = {}
    for agent in agents:
        limits = interval(_average(design, fit, agent), design.own_df(agent))
        marginal[agent] = Interval(*(_probability(design, fit, agent, each) for each in limits))
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
    return Model(
        fit,
        design.formula,
        design.units,
        terms,
        overall,
        pairs,
        marginal,
        profiled,
        tested,
        remarks=remarks,
        by=design.by,
    )


def _ordered(design: _Design, fit: CrossedFit) -> dict[str, list[str]]:
    """Return the categories of each factor in the order of the report, the reference first."""
    orders = {"agent": design.agents, "level": levels_of(design.rows)}
    orders |= {name: factor.values for name, factor in design.by.items()}
    return {factor: orders.get(factor, list(names)) for factor, names in fit.categories.items()}


def _average(design: _Design, fit: CrossedFit, agent: str) -> Array:
    """Return the weights of the fixed effects in the log odds of an agent, averaged over tasks that weigh equally."""
    weights = np.array([float(each.factor == "") for each in fit.effects])
    for index, each in enumerate(fit.effects):
        if each.factor == "agent":
            weights[index] = each.name == agent
        elif each.factor:
            weights[index] = design.weights(each.factor)[each.name]
    return weights


def _probability(design: _Design, fit: CrossedFit, agent: str, log_odds: float) -> float:
    """Return the probability that an agent passes, averaged over levels, tasks, and its participants or runs.

    Args:
        design: the design.
        fit: the model.
        agent: the agent.
        log_odds: its log odds, averaged over levels.
    """
    subjects = fit.spreads.get(SUBJECT, 0.0) if agent in design.subjects else 0.0
    spread = hypot(fit.spreads.get(TASK, 0.0), fit.spreads.get(PAIR, 0.0), subjects)
    others = [factor for factor in design.factors if factor != "agent"]
    effects = {(each.factor, each.name): each.estimate for each in fit.effects}
    profiles = {
        profile: (share, sum(effects.get(each, 0.0) for each in zip(others, profile, strict=True)))
        for profile, share in design.profiles(others).items()
    }
    middle = sum(share * effect for share, effect in profiles.values())
    return sum(share * mean_probability(log_odds + effect - middle, spread) for share, effect in profiles.values())


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
    if PAIR in design.random:
        played = {(row.agent, design.units.task(row)) for row in design.rows}
        if len(design.rows) < _FEWEST_EPISODES * len(played):
            remarks.append(
                f"With about {len(design.rows) / len(played):.0f} episodes of each agent on each {word}, odds ratios "
                "are approximate (Laplace's method); the probabilities and differences below are not affected."
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
    return [*remarks, *_singular(design, fit)]


def _singular(design: _Design, fit: CrossedFit) -> list[str]:
    """Return the sentence about standard deviations that are estimated as 0; empty if there are none."""
    word = design.units.word
    subject = next(filter(None, map(design.units.subject_word, design.agents)), "participant")
    names = {TASK: f"{word}s", PAIR: f"{word}s by agent", SUBJECT: f"{subject}s"}
    none = [names[name] for name, spread in fit.spreads.items() if spread < _NO_SPREAD]
    if not none:
        return []
    of = f"SD of {none[0]} is" if len(none) == 1 else f"SDs of {' and of '.join(none)} are"
    return [
        f"The estimated {of} 0: the data show no such variation beyond chance (a singular fit, as lme4 calls it); "
        f"tests still use the degrees of freedom of {names[TASK if TASK in design.random else SUBJECT]}."
    ]


def _always_or_never(design: _Design) -> list[str]:
    """Return clauses about the categories that passed all or none of their episodes."""
    clauses = []
    for factor in design.factors:
        outcomes: dict[str, set[bool | None]] = {}
        for row in design.rows:
            outcomes.setdefault(design.category(row, factor), set()).add(row.passed)
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
