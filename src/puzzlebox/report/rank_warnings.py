"""Warnings about tests of ranks that depend on how programs sum up rewards."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from puzzlebox.report import words
from puzzlebox.report.episodes import ReportEpisode, agents_of, grouped, returns
from puzzlebox.report.time_outs import nothing_happened
from puzzlebox.report.units import DECIMALS, rounded
from puzzlebox.stats import CannotCompute, KruskalWallis, dunn, kruskal_wallis

# Fewest episodes of an agent on a task.
_FEWEST = 5
# The smallest change of H that is worth a warning: relative and absolute.
_RELATIVE, _ABSOLUTE = 0.003, 0.05
_Groups = dict[str, NDArray[np.float64]]


def rank_warnings(task: str, rows: Sequence[ReportEpisode]) -> Iterator[str]:
    """Yield warnings about the ranks of the returns of all agents on a task.

    Args:
        task: the name of the task.
        rows: all its episodes.
    """
    groups = {agent: own for agent, own in grouped(rows, lambda row: row.agent).items() if len(own) >= _FEWEST}
    kept = {agent: groups[agent] for agent in agents_of(rows) if agent in groups}
    values = {agent: returns(own) for agent, own in kept.items()}
    try:
        used = kruskal_wallis({agent: rounded(own) for agent, own in values.items()})
        yield from _bookkeeping(task, kept, values, used)
        yield from _last_digits(task, values, used)
    except CannotCompute:
        return


def _bookkeeping(
    task: str, groups: dict[str, list[ReportEpisode]], values: _Groups, used: KruskalWallis
) -> Iterator[str]:
    """Warn if equal outcomes have different ranks because programs sum rewards differently."""
    # Arenas with other time limits may have other sums, for all agents alike.
    sums: dict[int, set[float]] = {}
    masks = {agent: np.array([nothing_happened(row) for row in own]) for agent, own in groups.items()}
    for agent, own in groups.items():
        for row, out in zip(own, masks[agent], strict=True):
            if out:
                sums.setdefault(row.arena, set()).add(round(row.total, 6))
    differing = [each for each in sums.values() if len(each) > 1]
    if not differing:
        return
    # All time-outs in one arena have the lowest of their returns.
    lowest = {arena: min(each) for arena, each in sums.items()}
    tied = {
        agent: np.where(masks[agent], [lowest.get(row.arena, row.total) for row in own], rounded(values[agent]))
        for agent, own in groups.items()
    }
    overall = kruskal_wallis(tied)
    before = {(pair.first, pair.second): pair for pair in dunn({each: rounded(own) for each, own in values.items()})}
    changed = [
        f"{pair.first}–{pair.second} (Bonferroni {words.p_equals(old.p_bonferroni)} becomes "
        f"{words.p_value(pair.p_bonferroni)})"
        for pair in dunn(tied)
        if (pair.p_bonferroni < 0.05) != ((old := before[pair.first, pair.second]).p_bonferroni < 0.05)
    ]
    if changed or abs(overall.h - used.h) > max(0.05 * used.h, _ABSOLUTE):
        totals = set().union(*differing)
        yield (
            f"{task}: time-outs have {len(totals)} different returns ({words.number(min(totals), 4)} to "
            f"{words.number(max(totals), 4)}), because programs sum rewards differently. They are equal outcomes, and "
            "the tests of this report count them as ties; the files `kruskal_wallis` and `dunn`, in the style of "
            "published results, do not. With all time-outs tied, "
            f"H = {words.number(overall.h)} instead of {words.number(used.h)} (Kruskal–Wallis)"
            + (f"; this changes the conclusion for {words.listed(changed, 4)}." if changed else ".")
        )


def _last_digits(task: str, values: _Groups, used: KruskalWallis) -> Iterator[str]:
    """Warn if the result depends on digits beyond the precision of the returns."""
    exact, as_r = kruskal_wallis(values), kruskal_wallis(values, "r")
    if max(abs(exact.h - used.h), abs(as_r.h - used.h)) > max(_RELATIVE * used.h, _ABSOLUTE):
        yield (
            f"{task}: H (Kruskal–Wallis) depends on digits beyond the precision of the returns: "
            f"{words.number(exact.h)} with returns as recorded, {words.number(as_r.h)} with R's rule for ties (15 "
            f"digits), and {words.number(used.h)} with returns rounded to {DECIMALS} decimals, which is used here."
        )
