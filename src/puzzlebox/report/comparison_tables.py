"""Tables of the comparisons of returns: the tests of the page, and those that published results used."""

from collections.abc import Sequence
from typing import Any

from puzzlebox.report import words
from puzzlebox.report.comparisons import SPELLED_OUT, Comparisons
from puzzlebox.report.rank_tests import PairTest, RankTests
from puzzlebox.report.tables import Table, interval_cells, text
from puzzlebox.stats import Interval, epsilon_squared, holm
from puzzlebox.stats.effects import size_in_words


def overall_table(comparisons: Comparisons) -> Table:
    """Tabulate the test of all agents on each task, and over tasks."""
    lines = []
    across = comparisons.across
    if across.tests is not None:
        lines.append(_overall_line(f"all {across.word}s", across.tests, across.tests.p))
    for test in comparisons.done:
        assert test.tests is not None
        lines.append(_overall_line(test.task, test.tests, test.p_adjusted))
    columns = [
        ("task", text("task")),
        ("agents", text("agents")),
        ("test", text("test")),
        ("units", lambda row: f"{row['units']} {row['unit']}s"),
        ("p", lambda row: words.p_value(row["p"])),
        ("adjusted over tasks", lambda row: words.p_value(row["p_holm_over_tasks"])),
        ("effect", lambda row: row["effect_text"] or words.NOT_KNOWN),
    ]
    first = f", and of mean returns with {across.word}s as units in the first row" if across.tests is not None else ""
    caption = (
        f"Tests of returns of all agents on each task{first}. "
        "Effects have 95 % intervals; that of ε² and Kendall's W is too wide for large effects."
    )
    return Table("returns_tests", caption, lines, columns, most=SPELLED_OUT + 1)


def _overall_line(task: str, tests: RankTests, p_adjusted: float) -> dict[str, Any]:
    line = {
        "task": task,
        "agents": len(tests.agents),
        "test": tests.text,
        "method": tests.method,
        "unit": "shared seed" if tests.paired and tests.unit == "episode" else tests.unit,
        "units": tests.units,
        "p": tests.p,
        "p_holm_over_tasks": p_adjusted,
        "effect_text": tests.effect_text,
    }
    return line | interval_cells("effect", tests.effect)


def pairs_table(comparisons: Comparisons) -> Table:
    """Tabulate the test of each pair of agents on each task, and over tasks."""
    across = comparisons.across
    lines = []
    if across.tests is not None:
        lines += [_pair_line(f"all {across.word}s", pair, pair.p_holm, None) for pair in across.tests.pairs]
    passes = [pair.passes.p for test in comparisons.done if test.tests for pair in test.tests.pairs if pair.passes]
    adjusted = iter(holm(passes))
    for test in comparisons.done:
        assert test.tests is not None
        for pair, p in zip(test.tests.pairs, test.pairs_adjusted, strict=True):
            lines.append(_pair_line(test.task, pair, p, next(adjusted) if pair.passes else None))
    columns = [
        ("task", text("task")),
        ("pair", lambda row: f"{row['first']} – {row['second']}"),
        ("test", text("test")),
        ("n", lambda row: f"{row['n_first']} pairs" if row["paired"] else f"{row['n_first']}, {row['n_second']}"),
        ("p", lambda row: words.p_value(row["p"])),
        ("adjusted", lambda row: words.p_value(row["p_holm_over_tasks"])),
        ("Cliff's δ", _delta),
        ("passed by one only", _only_one),
        ("McNemar p, adjusted", lambda row: words.p_value(row["mcnemar_p_holm"])),
    ]
    caption = (
        "Tests of each pair of agents: signed ranks where they share seeds, participants, runs or tasks, "
        "Brunner–Munzel otherwise; a positive statistic means higher returns of the first. p values are adjusted by "
        "Holm over all pairs of all tasks. McNemar's test is about passes in shared episodes; its p is exact, and "
        "conservative if few episodes were passed by only one of the two (the file has mid-p as well)."
    )
    return Table("returns_pairs", caption, lines, columns, most=_most_lines(lines), ditto=True)


def _pair_line(task: str, pair: PairTest, p_adjusted: float, mcnemar_adjusted: float | None) -> dict[str, Any]:
    passes = pair.passes
    return {
        "task": task,
        "first": pair.first,
        "second": pair.second,
        "test": pair.text,
        "method": pair.method,
        "statistic": pair.statistic,
        "df": pair.df,
        "paired": pair.paired,
        "n_first": pair.n[0],
        "n_second": pair.n[1],
        "higher": pair.higher,
        "lower": pair.lower,
        "p": pair.p,
        "p_holm": pair.p_holm,
        "p_holm_over_tasks": p_adjusted,
        **interval_cells("cliffs_delta", pair.delta),
        "effect": None if pair.delta is None else size_in_words(pair.delta.value),
        "type_1_error": pair.size,
        "passed_by_first_only": None if passes is None else passes.first_only,
        "passed_by_second_only": None if passes is None else passes.second_only,
        "mcnemar_p": None if passes is None else passes.p,
        "mcnemar_mid_p": None if passes is None else passes.mid_p,
        "mcnemar_p_holm": mcnemar_adjusted,
    }


def _delta(row: dict[str, Any]) -> str:
    if row["cliffs_delta"] is None:
        return words.NOT_KNOWN
    limits = Interval(row["cliffs_delta"], row["cliffs_delta_low"], row["cliffs_delta_high"])
    return f"{words.interval(limits)} ({row['effect']})"


def _only_one(row: dict[str, Any]) -> str:
    if row["passed_by_first_only"] is None:
        return words.NOT_KNOWN
    return f"{row['passed_by_first_only']} – {row['passed_by_second_only']}"


def _most_lines(lines: Sequence[dict[str, Any]]) -> int:
    """Return how many lines the page shows: those over all tasks, and all of the first tasks."""
    shown = list(dict.fromkeys(line["task"] for line in lines))[: SPELLED_OUT + 1]
    return next((index for index, line in enumerate(lines) if line["task"] not in shown), len(lines))


def published_style_tables(comparisons: Comparisons) -> list[Table]:
    """Return the Kruskal-Wallis and Dunn's tests of all episodes as published results have them; for files only.

    They take episodes for independent units and agents for unrelated, which is true of neither shared seeds nor
    participants with several episodes.
    """
    done = [test for test in comparisons.done if test.overall is not None]
    adjusted = holm([test.overall.p for test in done if test.overall])
    overall = [
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
        for test, p in zip(done, adjusted, strict=True)
        if test.overall is not None
    ]
    pairs = [pair for test in done for pair in test.pairs]
    return [Table("kruskal_wallis", "", overall, ()), Table("dunn", "", pairs, ())]
