"""Rank tests of the values of some agents: of pairs where they share units, of independent groups where they do not."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from puzzlebox.report import words
from puzzlebox.report.pairing import UnitValues, shared_units
from puzzlebox.report.units import rounded
from puzzlebox.stats import (
    CannotCompute,
    Interval,
    McNemar,
    brunner_munzel,
    concordance_interval,
    delta_interval,
    epsilon_squared_interval,
    friedman,
    holm,
    kruskal_wallis,
    mcnemar,
    paired_delta_interval,
    signed_ranks,
)

SIGNED_RANKS, BRUNNER_MUNZEL = "Wilcoxon signed-rank", "Brunner–Munzel"
FRIEDMAN, KRUSKAL_WALLIS, PAIRS_ONLY = "Friedman", "Kruskal–Wallis", "pairs only"


@dataclass(frozen=True)
class PairTest:
    """The test of one pair of agents.

    Attributes:
        first: the first agent.
        second: the second agent.
        method: `SIGNED_RANKS` or `BRUNNER_MUNZEL`.
        statistic: z of signed ranks or t; positive if the first agent tends to higher returns.
        df: the degrees of freedom of t; None for signed ranks.
        p: the two-sided p value, not adjusted.
        n: the number of pairs twice, or the number of units of each agent.
        higher: the number of pairs in which the first agent had the higher return; None without pairs.
        lower: the number of pairs in which it had the lower return.
        delta: Cliff's delta with its interval; None if it has none.
        size: the type I error that the test can reach at .05.
        passes: McNemar's test of the passes in shared episodes; None without such pairs.
        p_holm: p adjusted for all pairs of agents.
    """

    first: str
    second: str
    method: str
    statistic: float
    df: float | None
    p: float
    n: tuple[int, int]
    higher: int | None = None
    lower: int | None = None
    delta: Interval | None = None
    size: float = 0.05
    passes: McNemar | None = None
    p_holm: float = 1.0

    @property
    def paired(self) -> bool:
        """Whether it is a test of pairs."""
        return self.method == SIGNED_RANKS

    @property
    def text(self) -> str:
        """The statistic as in a results section."""
        name = "z" if self.df is None else f"t({words.number(self.df, 1)})"
        return f"{self.method} {name} = {words.number(self.statistic)}"


@dataclass(frozen=True)
class RankTests:
    """The tests of some agents.

    Attributes:
        agents: the agents that were tested.
        unit: what a unit is.
        method: the test of all agents at once; that of the pair if there are two agents.
        text: its statistic as in a results section.
        p: its p value.
        units: the number of shared units, or of all units of all agents.
        effect: epsilon squared (Kruskal-Wallis), Kendall's W (Friedman) or Cliff's delta (two agents).
        pairs: the tests of all pairs.
    """

    agents: list[str]
    unit: str
    method: str
    text: str
    p: float
    units: int
    effect: Interval | None
    pairs: list[PairTest]

    @property
    def paired(self) -> bool:
        """Whether all agents shared their units."""
        return self.method in (SIGNED_RANKS, FRIEDMAN)

    @property
    def conservative(self) -> bool:
        """Whether a pair has so few possible p values that its type I error is below .03."""
        return any(pair.size < 0.03 for pair in self.pairs)

    @property
    def effect_text(self) -> str:
        """The effect size as in a results section; "" if there is none."""
        name = {KRUSKAL_WALLIS: "ε²", FRIEDMAN: "Kendall's W"}.get(self.method, "Cliff's δ")
        return "" if self.effect is None else f"{name} = {words.interval(self.effect)}"


def compare_agents(values: Mapping[str, UnitValues], *, only_pairs: bool = False) -> RankTests:
    """Test whether the values of at least two agents differ.

    Args:
        values: the values of each agent.
        only_pairs: leave out pairs of agents that do not share their units. Default: compare them as independent.

    Raises:
        CannotCompute: there is no test; the message gives the reason.
    """
    pairs = []
    for first, second in combinations(values, 2):
        shared = shared_units([values[first], values[second]])
        if shared:
            pairs.append(_paired(first, second, values[first], values[second], shared))
        elif not only_pairs:
            pairs.append(_independent(first, second, values[first], values[second]))
    if not pairs:
        raise CannotCompute("the agents share too few units")
    adjusted = holm([pair.p for pair in pairs])
    pairs = [PairTest(**vars(pair) | {"p_holm": p}) for pair, p in zip(pairs, adjusted, strict=True)]
    words_of_units = dict.fromkeys(each.unit for each in values.values())
    unit = next(iter(words_of_units)) if len(words_of_units) == 1 else "unit"
    agents = list(values)
    if len(agents) == 2:
        (pair,) = pairs
        units = pair.n[0] if pair.paired else sum(pair.n)
        return RankTests(agents, unit, pair.method, pair.text, pair.p, units, pair.delta, pairs)
    return _several(values, unit, pairs)


def _several(values: Mapping[str, UnitValues], unit: str, pairs: Sequence[PairTest]) -> RankTests:
    """Add the test of three or more agents at once."""
    agents, lines = list(values), list(pairs)
    shared = shared_units(list(values.values()))
    if shared:
        table = {agent: rounded([own.returns[key] for key in shared]) for agent, own in values.items()}
        try:
            test = friedman(table)
        except CannotCompute:  # all agents had the same return in every unit
            return RankTests(agents, unit, FRIEDMAN, f"{FRIEDMAN} F = 0", 1.0, len(shared), None, lines)
        text = f"{FRIEDMAN} F({test.df[0]}, {test.df[1]}) = {words.number(test.f)}"
        return RankTests(agents, unit, FRIEDMAN, text, test.p, len(shared), concordance_interval(test), lines)
    total = sum(len(own.returns) for own in values.values())
    if not any(pair.paired for pair in pairs):
        groups = kruskal_wallis({agent: own.array for agent, own in values.items()})
        text = f"{KRUSKAL_WALLIS} H({groups.df}) = {words.number(groups.h)}"
        return RankTests(agents, unit, KRUSKAL_WALLIS, text, groups.p, total, epsilon_squared_interval(groups), lines)
    # Some agents share units and others do not: neither test of all agents holds, and Holm's smallest p does.
    text = f"smallest p of {words.count(len(pairs), 'pair')}, adjusted by Holm"
    return RankTests(agents, unit, PAIRS_ONLY, text, min(pair.p_holm for pair in pairs), total, None, lines)


def _paired(first: str, second: str, a: UnitValues, b: UnitValues, shared: Sequence[Hashable]) -> PairTest:
    ours, theirs = (np.array([own.returns[key] for key in shared]) for own in (a, b))
    # Half of each, because the difference of two returns near the largest double is infinite.
    differences = rounded(ours / 2 - theirs / 2)
    higher, lower = int(np.sum(differences > 0)), int(np.sum(differences < 0))
    n = (len(shared), len(shared))
    delta = paired_delta_interval(rounded(ours), rounded(theirs))
    passes = _passes(a, b, shared)
    if not higher and not lower:
        return PairTest(first, second, SIGNED_RANKS, 0.0, None, 1.0, n, 0, 0, delta, passes=passes)
    test = signed_ranks(differences)
    return PairTest(first, second, SIGNED_RANKS, test.z, None, test.p, n, higher, lower, delta, test.size, passes)


def _passes(a: UnitValues, b: UnitValues, shared: Sequence[Hashable]) -> McNemar | None:
    """Return McNemar's test of the shared episodes; None if fewer than two thirds of them were decided by both."""
    both = [(a.passed[key], b.passed[key]) for key in shared if key in a.passed and key in b.passed]
    if 3 * len(both) < 2 * len(shared):
        return None
    one, other = sum(x and not y for x, y in both), sum(y and not x for x, y in both)
    try:
        return mcnemar(one, other)
    except CannotCompute:
        return McNemar(0, 0, 1.0, 1.0)


def _independent(first: str, second: str, a: UnitValues, b: UnitValues) -> PairTest:
    n = (len(a.returns), len(b.returns))
    try:
        test = brunner_munzel(a.array, b.array)
    except CannotCompute:  # all values are equal
        return PairTest(first, second, BRUNNER_MUNZEL, 0.0, float(min(n) - 1), 1.0, n)
    delta = delta_interval(test)
    return PairTest(first, second, BRUNNER_MUNZEL, test.t, test.df, test.p, n, delta=delta)
