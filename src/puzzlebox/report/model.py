"""The odds of passing, for agents and levels at once: which model fits the design, and what came of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from puzzlebox.report import words
from puzzlebox.report.played import Played, agents_of, levels_of, participants_of
from puzzlebox.report.tables import Table, real
from puzzlebox.stats import NODES, CannotCompute, Fit, Separated, fit_mixed_logistic, without_separation

Group = Literal["auto", "participant", "task", "seed", "run", "none"]
GROUPS: tuple[Group, ...] = ("auto", "participant", "task", "seed", "run", "none")
# The spread between fewer groups cannot be estimated.
_FEWEST_GROUPS = 5
# How finely the integral over random intercepts is tried to be summed up.
_NODES = (NODES, 3 * NODES, 9 * NODES)
# Agents times levels beyond which a model tells nobody anything.
_MOST_TERMS = 80


@dataclass(frozen=True)
class Model:
    """The model of a report, or why there is none."""

    fit: Fit | None
    formula: str
    group: str
    separated: list[Separated] = field(default_factory=list)
    why_not: str = ""

    @property
    def remarks(self) -> list[str]:
        """What a reader must know."""
        if self.fit is None:
            return []
        lines = [f"{each}; it is left out of the model, which changes no other estimate." for each in self.separated]
        lines = [line[0].upper() + line[1:] for line in lines]
        return lines + self.fit.remarks

    @property
    def sentences(self) -> list[str]:
        """The result as one would write it."""
        if self.fit is None:
            return [f"No model of passing: {self.why_not}."]
        told = [
            f"{term.name} {words.ratio(term.odds_ratio)} times (95 % CI [{words.ratio(term.low)}, "
            f"{words.ratio(term.high)}], z = {words.number(term.z)}, {words.p_equals(term.p)})"
            if term.settled
            else f"{term.name} without a finite estimate"
            for term in self.fit.terms
            if term.factor == "agent"
        ]
        return [f"The odds of passing against those of {self.fit.references['agent']}: {'; '.join(told)}."]


def fit_model(rows: Sequence[Played], group: Group = "auto") -> Model:
    """Fit the model the data allow: agent, a few tasks or else several levels, and a random intercept.

    Args:
        rows: the episodes.
        group: what has a random intercept; `auto` takes participants where enough have an id, else tasks where there
            are several, and else the seeds that several agents met.
    """
    known = [row for row in rows if row.passed is not None]
    chosen = _group(known) if group == "auto" else group
    kinds = _factors(known, chosen)
    formula = f"passed ~ {' + '.join(kinds)}" + (f" + (1 | {chosen})" if chosen != "none" else "")
    if not known:
        return Model(None, formula, chosen, why_not="it is not known which episodes passed")
    if len(agents_of(known)) < 2:
        return Model(None, formula, chosen, why_not="only one agent played, so there is nobody to compare it with")
    factors = {kind: [str(getattr(row, kind)) for row in known] for kind in kinds}
    if sum(len(set(names)) for names in factors.values()) > _MOST_TERMS:
        return Model(None, formula, chosen, why_not=f"it would have more than {_MOST_TERMS} terms")
    kept, separated = without_separation([bool(row.passed) for row in known], factors)
    left = [row for row, keep in zip(known, kept, strict=True) if keep]
    if len(agents_of(left)) < 2:
        said = "; ".join(str(each) for each in separated) or "every episode ended the same way"
        why = f"agents are separated completely ({said}), and nobody is left to compare with"
        return Model(None, formula, chosen, separated, why)
    factors = {kind: [str(getattr(row, kind)) for row in left] for kind in kinds}
    references = {"agent": agents_of(left)[0]} | ({"level": levels_of(left)[0]} if "level" in kinds else {})
    groups = None if chosen == "none" else [_name(row, chosen) for row in left]
    outcome = [bool(row.passed) for row in left]

    try:
        fit = _steady(lambda nodes: fit_mixed_logistic(outcome, factors, groups, references, nodes))
        if fit is None:
            fit = fit_mixed_logistic(outcome, factors, None, references)
            fit.remarks.insert(0, f"A random intercept for each {chosen} could not be estimated and was left out.")
            formula, chosen = f"passed ~ {' + '.join(kinds)}", "none"
    except CannotCompute as problem:
        return Model(None, formula, chosen, separated, str(problem))
    if not any(term.settled for term in fit.terms if term.factor == "agent"):
        why = f"{' and '.join(kinds)} together separate what passed from what did not, so no odds ratio is finite"
        return Model(None, formula, chosen, separated, why)
    return Model(fit, formula, chosen, separated)


def _steady(fitted: Callable[[int], Fit]) -> Fit | None:
    """The first fit that more nodes do not change; None where none is, or where it has no finite estimates.

    With too little in each group to tell its intercept from everything else, the estimates are those of the nodes: the
    sum over a few of them is then far from the integral, and the likelihood has no top.
    """
    fit = fitted(_NODES[0])
    for nodes in _NODES[1:]:
        if not fit.spread:  # there is nothing to integrate over
            return fit
        finer = fitted(nodes)
        if fit.agrees(finer):
            return fit if fit.settled else None
        fit = finer
    return None


def _factors(rows: Sequence[Played], group: str) -> list[str]:
    """Agents, and what else tells easy episodes from hard ones: a few tasks, or the levels of many."""
    # Levels are made of tasks. Too few tasks for a random intercept are a factor, and levels would add nothing to them;
    # levels alone would take episodes of one task for independent, and make their own intervals too narrow.
    if group != "task" and 1 < len({row.task for row in rows}) < _FEWEST_GROUPS:
        return ["agent", "task"]
    return ["agent", "level"] if len(levels_of(rows)) > 1 and all(row.level for row in rows) else ["agent"]


def _name(row: Played, group: str) -> str:
    if group == "participant":  # as published: one for each child, and one for each agent
        return f"participant {row.participant}" if row.participant else f"agent {row.agent}"
    if group == "task":
        return row.task
    return row.run if group == "run" else f"{row.task}/{row.arena}/{row.seed}"


def _group(rows: Sequence[Played]) -> Group:
    if len(participants_of(rows)) >= _FEWEST_GROUPS:
        return "participant"
    if len({row.task for row in rows}) >= _FEWEST_GROUPS:
        return "task"
    met: dict[str, set[str]] = {}
    for row in rows:
        if row.seed:
            met.setdefault(_name(row, "seed"), set()).add(row.agent)
    return "seed" if sum(len(agents) > 1 for agents in met.values()) >= _FEWEST_GROUPS else "none"


def model_table(fit: Fit) -> Table:
    """Odds ratios of all terms."""
    lines = [
        {
            "factor": term.factor,
            "term": term.name,
            # What has no finite estimate has no number either.
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
    against = ", ".join(f"{factor} {name}" for factor, name in fit.references.items())
    spread = "" if fit.spread is None else f" SD of the random intercepts {words.number(fit.spread)}."
    caption = (
        f"Logistic {'mixed ' if fit.spread is not None else ''}model of passing, against {against}. "
        f"{words.count(fit.rows, 'episode')}"
        + (f", {words.count(fit.groups, 'group')}" if fit.groups else "")
        + f"; log-likelihood {words.number(fit.log_likelihood)}, AIC {words.number(fit.aic)}.{spread}"
    )
    return Table("odds_ratios", caption, lines, columns)
