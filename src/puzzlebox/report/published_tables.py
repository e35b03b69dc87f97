"""Tables that compare the agents of a report with published results (`--published`)."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from puzzlebox.report import published, summaries, words
from puzzlebox.report.episodes import ReportEpisode, agents_of, grouped, passes
from puzzlebox.report.shares import Shares
from puzzlebox.report.tables import RETURNS, Table, interval_cells, measures, share, text
from puzzlebox.report.units import family_of
from puzzlebox.stats import CannotCompute, Interval, wilson
from puzzlebox.wings import ARENA, find_published, find_wing, wing_named

# The measures that published experiments have as well.
_BOTH = ("episodes", "return_mean", "return_sd", "return_median", *interval_cells("pass_rate", None))


def testbed_rows(rows: Sequence[ReportEpisode]) -> list[ReportEpisode]:
    """Return the episodes on tasks of the testbed, which are known by their names (`01-01-01`).

    The level alone does not tell: bundled tasks and those of others have levels 1 to 10 as well.
    """
    return [row for row in rows if row.level in published.LEVELS and _is_of_testbed(row.task)]


@cache
def _is_of_testbed(task: str) -> bool:
    return wing_named(ARENA).level_of(task) is not None


def levels_table(rows: Sequence[ReportEpisode], shares: Shares) -> Table | None:
    """Tabulate the proportion passed on each level: agents of the report, then published ones; None without any."""
    own = testbed_rows(rows)
    if not own:
        return None
    cells = grouped(own, lambda row: (row.agent, row.level))
    lines: list[dict[str, Any]] = []
    for agent in agents_of(own):
        line: dict[str, Any] = {"agent": agent, "source": "this report"}
        for level in published.LEVELS:
            line[f"level_{level}"] = shares.value(cells.get((agent, level), []))
        of_agent = [row for row in own if row.agent == agent]
        tasks = len({row.task for row in of_agent})
        lines.append(line | {"overall": shares.value(of_agent), "tasks": tasks, "episodes": passes(of_agent)[1]})
    for each in published.shown():
        line = {"agent": f"{each.name} (published)", "source": published.SOURCES[each.source]}
        line |= {f"level_{level}": each.rates[level] for level in published.LEVELS}
        lines.append(line | {"overall": each.overall, "tasks": each.tasks, "episodes": each.episodes})
    columns = [
        ("agent", text("agent")),
        *((level, _percent(f"level_{level}")) for level in published.LEVELS),
        ("all", _percent("overall")),
        ("tasks", text("tasks")),
        ("episodes", text("episodes")),
    ]
    missing = [level for level in published.LEVELS if not any((agent, level) in cells for agent in agents_of(own))]
    remarks = [
        f"{published.SHOWN[name].capitalize() if name.startswith('c') else published.SHOWN[name]}: {why}."
        for name, why in published.CAUTIONS.items()
    ]
    if missing:
        remarks.append(f"This report has no episodes on level {words.listed(missing, 10)}.")
    others = len({row.task for row in rows if row.level in published.LEVELS} - {row.task for row in own})
    if others:
        remarks.append(
            f"{words.count(others, 'other task is', 'other tasks are')} not included, as "
            f"{'it only shares' if others == 1 else 'they only share'} level numbers with the testbed."
        )
    caption = "Episodes passed on each level of the testbed, in percent, with published results."
    return Table("published_levels", caption, lines, columns, remarks=remarks)


def _percent(key: str) -> Any:
    return lambda row: words.NOT_KNOWN if row[key] is None else f"{100 * row[key]:.1f}"


def places_table(rows: Sequence[ReportEpisode], shares: Shares) -> Table | None:
    """Tabulate the rank of each agent among the 64 entrants; None without episodes on the testbed."""
    own = testbed_rows(rows)
    lines: list[dict[str, Any]] = []
    complete = True
    for agent in agents_of(own):
        of_agent = [row for row in own if row.agent == agent and row.passed is not None]
        outcomes = shares.outcomes(of_agent, lambda row: row.level)
        if outcomes is None:
            continue
        levels = {row.level for row in of_agent}
        tasks = len({row.task for row in of_agent})
        complete = complete and tasks == 900
        try:
            # The entrants played the same 900 tasks; others are a sample of them.
            rate = (outcomes.these_tasks() if tasks == 900 else outcomes.tasks_like_these()).interval
        except CannotCompute:
            rate = Interval(outcomes.value, 0.0, 1.0)
        place = published.place_among_entrants(rate)
        lines.append(
            {
                "agent": agent,
                "tasks": tasks,
                "levels": len(levels),
                **interval_cells("rate", rate),
                "place": place.place,
                "best_place": place.best,
                "worst_place": place.worst,
            }
        )
    if not lines:
        return None
    entrants = len(published.leaderboard())
    columns = [
        ("agent", text("agent")),
        ("tasks", text("tasks")),
        ("levels", text("levels")),
        ("passed, equal weight for each level", share("rate")),
        (f"rank of {entrants}", lambda row: f"{row['place']} ({row['best_place']}–{row['worst_place']})"),
    ]
    first = published.leaderboard()[0]
    caption = (
        f"Rank among the {entrants} entrants (60 of the 2019 competition, four agents of 2024; {first.agent} leads "
        f"with {words.percent(first.overall)}), with the range of ranks that the 95 % interval allows."
    )
    remarks = [] if complete else ["The entrants played all 900 tasks; ranks from a sample of them are approximate."]
    return Table("published_places", caption, lines, columns, remarks=remarks)


def experiments_table(rows: Sequence[ReportEpisode], shares: Shares) -> Table | None:
    """Tabulate returns in foraging and the operant chamber with those of 2024; None without such episodes."""
    lines: list[dict[str, Any]] = []
    for task, own in sorted(grouped(rows, lambda row: row.task).items()):
        experiment = published.EXPERIMENTS.get(task)
        if experiment is None:
            continue
        for agent in agents_of(own):
            values = measures([row for row in own if row.agent == agent], shares)
            lines.append({"task": task, "agent": agent, "source": "this report"} | {key: values[key] for key in _BOTH})
        for each in published.experiments():
            if each.experiment == experiment:
                lines.append(
                    {
                        "task": task,
                        "agent": f"{each.agent} (published)",
                        "source": published.SOURCES["paper-2024"],
                        "episodes": each.episodes,
                        "return_mean": each.mean,
                        "return_sd": each.sd,
                        "return_median": each.median,
                        **interval_cells("pass_rate", wilson(each.passes, each.episodes)),
                    }
                )
    if not lines:
        return None
    columns = [
        ("task", text("task")),
        ("agent", text("agent")),
        ("episodes", text("episodes")),
        ("passed", share()),
        *RETURNS,
    ]
    caption = (
        "Results of the 2024 experiments (pass marks 15 and 0; played on build 3.1.3, so they compare to runs with "
        "`--rules 3.1`)."
    )
    return Table("published_experiments", caption, lines, columns)


def wing_tables(rows: Sequence[ReportEpisode]) -> list[Table]:
    """Return a table for each wing with published results on tasks of the report: mean returns, in percent."""
    tables = []
    for name, of_wing in grouped(rows, lambda row: row.wing).items():
        brought = find_published(find_wing(name))
        if brought is None:
            continue
        own = grouped(of_wing, family_of)
        rates = [rate for rate in brought.rates if rate.task in own]
        if not rates:
            continue
        models = list(dict.fromkeys(rate.agent for rate in rates))
        values = {(rate.agent, rate.task): rate.value for rate in rates}
        agents = agents_of(of_wing)
        lines: list[dict[str, Any]] = []
        for task in sorted(own, key=[rate.task for rate in brought.rates].index):
            cells = grouped(own[task], lambda row: row.agent)
            line: dict[str, Any] = {"task": task}
            for agent in agents:
                line[agent] = summaries.mean([row.total for row in cells[agent]]) if agent in cells else None
            lines.append(line | {f"{model} (published)": values.get((model, task)) for model in models})
        columns = [("task", text("task")), *((column, _percent(column)) for column in list(lines[0])[1:])]
        caption = "Mean return on each task, in percent, with published results."
        tables.append(Table(f"published_{name}", caption, lines, columns, remarks=list(brought.remarks)))
    return tables


def wing_advice(rows: Sequence[ReportEpisode], shown: bool) -> list[str]:
    """Return the sentence that says for which wings there are published results, unless they are shown."""
    wings = [name for name in dict.fromkeys(row.wing for row in rows) if find_published(find_wing(name)) is not None]
    if shown or not wings:
        return []
    return [f"There are published results on tasks of {words.listed(wings)}; --published shows them beside these."]


def nothing_published(rows: Sequence[ReportEpisode]) -> str:
    """Return the sentence for a report whose tasks have no published results."""
    names = ", ".join(sorted({row.task for row in rows})[:3])
    if any(row.level in published.LEVELS for row in rows):
        return (
            f"There are no published results for these tasks ({names}): they are other tasks than those of the testbed "
            "and only share its level numbers."
        )
    return (
        f"There are no published results for these tasks ({names}), only for levels 1 to 10 of the testbed, foraging "
        "and the operant chamber."
    )
