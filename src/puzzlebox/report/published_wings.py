"""Published results that a wing brings for its own tasks, beside those of the agents of a report."""

from collections.abc import Sequence
from typing import Any

from puzzlebox.report import summaries, words
from puzzlebox.report.episodes import ReportEpisode, agents_of, grouped
from puzzlebox.report.tables import Table, text
from puzzlebox.report.units import family_of
from puzzlebox.wings import find_published, find_wing


def wing_tables(rows: Sequence[ReportEpisode]) -> list[Table]:
    """Return a table for each wing with published results on tasks of the report: mean returns, in percent."""
    tables = []
    for name, of_wing in grouped(rows, lambda row: row.wing).items():
        published = find_published(find_wing(name))
        if published is None:
            continue
        own = grouped(of_wing, family_of)
        rates = [rate for rate in published.rates if rate.task in own]
        if not rates:
            continue
        models = list(dict.fromkeys(rate.agent for rate in rates))
        values = {(rate.agent, rate.task): rate.value for rate in rates}
        agents = agents_of(of_wing)
        lines: list[dict[str, Any]] = []
        for task in sorted(own, key=[rate.task for rate in published.rates].index):
            cells = grouped(own[task], lambda row: row.agent)
            line: dict[str, Any] = {"task": task}
            for agent in agents:
                line[agent] = summaries.mean([row.total for row in cells[agent]]) if agent in cells else None
            lines.append(line | {f"{model} (published)": values.get((model, task)) for model in models})
        columns = [("task", text("task")), *((column, _percent(column)) for column in list(lines[0])[1:])]
        caption = "Mean return on each task, in percent, with published results."
        tables.append(Table(f"published_{name}", caption, lines, columns, remarks=list(published.remarks)))
    return tables


def advice(rows: Sequence[ReportEpisode], shown: bool) -> list[str]:
    """Return the sentence that says for which wings there are published results, unless they are shown."""
    wings = [name for name in dict.fromkeys(row.wing for row in rows) if find_published(find_wing(name)) is not None]
    if shown or not wings:
        return []
    return [f"There are published results on tasks of {words.listed(wings)}; --published shows them beside these."]


def _percent(key: str) -> Any:
    return lambda row: words.NOT_KNOWN if row[key] is None else f"{100 * row[key]:.1f}"
