"""The logistic model of passing: its choice by the design, its fit, and its results in sentences and a table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from puzzlebox.report import words
from puzzlebox.report.episodes import ReportEpisode, agents_of, levels_of, participants_of
from puzzlebox.report.tables import Table, real
from puzzlebox.stats import NODES, CannotCompute, Fit, Separated, fit_mixed_logistic, without_separation

Group = Literal["auto", "participant", "task", "seed", "run", "none"]
GROUPS: tuple[Group, ...] = ("auto", "participant", "task", "seed", "run", "none")
# Fewest groups for a random intercept: with fewer, the variance between them cannot be estimated.
_FEWEST_GROUPS = 5
# Numbers of quadrature nodes that are tried in turn.
_NODES = (NODES, 3 * NODES, 9 * NODES)
# Most terms of a model; one with more is of no use to a reader.
_MOST_TERMS = 80


@dataclass(frozen=True)
class Model:
    """The model of passing of a report.

    Attributes:
        fit: the fitted model; None if there is none.
        formula: the formula, in the notation of lme4.
        group: the grouping factor of the random intercepts, or "none".
        separated: categories that were left out because all or none of their episodes passed.
        why_not: why there is no model, as a clause.
    """

    fit: Fit | None
    formula: str
    group: str
    separated: list[Separated] = field(default_factory=list)
    why_not: str = ""

    @property
    def remarks(self) -> list[str]:
        """Sentences about categories that were left out and about limits of the fit."""
        if self.fit is None:
            return []
        lines = [f"{each}; it is left out of the model, which changes no other estimate." for each in self.separated]
        lines = [line[0].upper() + line[1:] for line in lines]
        return lines + self.fit.remarks

    @property
    def sentences(self) -> list[str]:
        """The result in sentences for a results section."""
        if self.fit is None:
            return [f"There is no model of passing: {self.why_not}."]
        ratios = [
            f"{term.name} {words.ratio(term.odds_ratio)} (95 % CI [{words.ratio(term.low)}, "
            f"{words.ratio(term.high)}], z = {words.number(term.z)}, {words.p_equals(term.p)})"
            if term.settled
            else f"{term.name} without a finite estimate"
            for term in self.fit.terms
            if term.factor == "agent"
        ]
        reference = self.fit.references["agent"]
        return [f"Odds ratios of passing, with {reference} as the reference: {'; '.join(ratios)}."]


def fit_model(rows: Sequence[ReportEpisode], group: Group = "auto") -> Model:
    """Fit the model that the design allows: agent, a few tasks or else several levels, and a random intercept.

    Args:
        rows: the episodes.
        group: the grouping factor of the random intercepts; `auto` chooses participants if enough have an id, else
            tasks if there are enough, else seeds if several agents played episodes with the same ones.
    """
    decided = [row for row in rows if row.passed is not None]
    chosen = _group(decided) if group == "auto" else group
    kinds = _factors(decided, chosen)
    formula = f"passed ~ {' + '.join(kinds)}" + (f" + (1 | {chosen})" if chosen != "none" else "")
    if not decided:
        return Model(None, formula, chosen, why_not="it is not known which episodes passed")
    if len(agents_of(decided)) < 2:
        return Model(None, formula, chosen, why_not="only one agent played, so there is no comparison")
    factors = {kind: [str(getattr(row, kind)) for row in decided] for kind in kinds}
    if sum(len(set(names)) for names in factors.values()) > _MOST_TERMS:
        return Model(None, formula, chosen, why_not=f"it would have more than {_MOST_TERMS} terms")
    kept, separated = without_separation([bool(row.passed) for row in decided], factors)
    left = [row for row, keep in zip(decided, kept, strict=True) if keep]
    if len(agents_of(left)) < 2:
        reasons = "; ".join(str(each) for each in separated) or "every episode ended the same way"
        why = f"agents are separated completely ({reasons}), and no other agent is left to compare with"
        return Model(None, formula, chosen, separated, why)
    factors = {kind: [str(getattr(row, kind)) for row in left] for kind in kinds}
    references = {"agent": agents_of(left)[0]} | ({"level": levels_of(left)[0]} if "level" in kinds else {})
    groups = None if chosen == "none" else [_name(row, chosen) for row in left]
    outcome = [bool(row.passed) for row in left]

    try:
        fit = _converged_fit(lambda nodes: fit_mixed_logistic(outcome, factors, groups, references, nodes))
        if fit is None:
            fit = fit_mixed_logistic(outcome, factors, None, references)
            fit.remarks.insert(0, f"A random intercept for each {chosen} could not be estimated and was left out.")
            formula, chosen = f"passed ~ {' + '.join(kinds)}", "none"
    except CannotCompute as problem:
        return Model(None, formula, chosen, separated, str(problem))
    if not any(term.settled for term in fit.terms if term.factor == "agent"):
        why = f"{' and '.join(kinds)} together separate passed from failed episodes, so no odds ratio is finite"
        return Model(None, formula, chosen, separated, why)
    return Model(fit, formula, chosen, separated)


def _converged_fit(fit_with: Callable[[int], Fit]) -> Fit | None:
    """Return the first fit that more nodes do not change; None if there is none, or no finite estimates.

    If groups hold too little information about their intercepts, the estimates depend on the number of nodes: the sum
    over a few nodes is then far from the integral, and the likelihood has no maximum.
    """
    fit = fit_with(_NODES[0])
    for nodes in _NODES[1:]:
        if not fit.spread:  # nothing to integrate over
            return fit
        finer = fit_with(nodes)
        if fit.agrees(finer):
            return fit if fit.settled else None
        fit = finer
    return None


def _factors(rows: Sequence[ReportEpisode], group: str) -> list[str]:
    """Return the fixed factors: the agent, and a few tasks, or else the levels of many."""
    # Tasks are nested in levels. If there are too few tasks for a random intercept, they are a factor, and levels add
    # nothing to them; with levels alone, episodes of one task would count as independent and intervals be too narrow.
    if group != "task" and 1 < len({row.task for row in rows}) < _FEWEST_GROUPS:
        return ["agent", "task"]
    return ["agent", "level"] if len(levels_of(rows)) > 1 and all(row.level for row in rows) else ["agent"]


def _name(row: ReportEpisode, group: str) -> str:
    if group == "participant":  # as in the published analysis: one group for each child and for each agent
        return f"participant {row.participant}" if row.participant else f"agent {row.agent}"
    if group == "task":
        return row.task
    return row.run if group == "run" else f"{row.task}/{row.arena}/{row.seed}"


def _group(rows: Sequence[ReportEpisode]) -> Group:
    if len(participants_of(rows)) >= _FEWEST_GROUPS:
        return "participant"
    if len({row.task for row in rows}) >= _FEWEST_GROUPS:
        return "task"
    agents_by_seed: dict[str, set[str]] = {}
    for row in rows:
        if row.seed:
            agents_by_seed.setdefault(_name(row, "seed"), set()).add(row.agent)
    return "seed" if sum(len(agents) > 1 for agents in agents_by_seed.values()) >= _FEWEST_GROUPS else "none"


def model_table(fit: Fit) -> Table:
    """Tabulate the odds ratios of all terms."""
    lines = [
        {
            "factor": term.factor,
            "term": term.name,
            # Empty without a finite estimate.
            "estimate": term.estimate if term.settled else None,
            "standard_error": term.error if term.settled else None,
            "odds_ratio": term.odds_ratio if term.settled else None,
            "odds_ratio_low": term.low if term.settled else None,
            "odds_ratio_high": term.high if term.settled else None,
            "z": term.z if term.settled else None,
            "p": term.p if term.settled else None,
        }
        for term in fit.terms
    ]
    columns = [
        ("term", lambda row: f"{row['factor']} {row['term']}".strip()),
        ("estimate (SE)", lambda row: f"{words.number(row['estimate'])} ({words.number(row['standard_error'])})"),
        (
            "odds ratio [95 % CI]",
            lambda row: (
                f"{words.ratio(row['odds_ratio'])} [{words.ratio(row['odds_ratio_low'])}, "
                f"{words.ratio(row['odds_ratio_high'])}]"
            ),
        ),
        ("z", real("z")),
        ("p", lambda row: words.p_value(row["p"])),
    ]
    references = ", ".join(f"{factor} {name}" for factor, name in fit.references.items())
    spread = "" if fit.spread is None else f" SD of the random intercepts {words.number(fit.spread)}."
    caption = (
        f"Logistic {'mixed ' if fit.spread is not None else ''}model of passing; reference: {references}. "
        f"{words.count(fit.rows, 'episode')}"
        + (f", {words.count(fit.groups, 'group')}" if fit.groups else "")
        + f"; log-likelihood {words.number(fit.log_likelihood)}, AIC {words.number(fit.aic)}.{spread}"
    )
    return Table("odds_ratios", caption, lines, columns)
