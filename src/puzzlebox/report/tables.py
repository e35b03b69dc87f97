"""The tables of a report: with all columns for a file, and with a few for the page."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from puzzlebox.report import words
from puzzlebox.report.episodes import ReportEpisode, agents_of, grouped, levels_of, participants_of, passes, returns
from puzzlebox.stats import (
    Interval,
    difference_of_rates,
    interquartile_mean,
    wilson,
)

Show = Callable[[dict[str, Any]], str]


@dataclass(frozen=True)
class Table:
    """A table of a report.

    Attributes:
        name: the name of its file, without the suffix.
        caption: its caption.
        rows: its rows, by the names of the columns of the file.
        columns: the columns of the page: each a heading, and a function that formats a row's cell.
        most: the most rows that the page shows; the file has all. 0: the table is only in its file.
        ditto: whether the page leaves out a first cell that repeats the one above.
        remarks: sentences below the table.
    """

    name: str
    caption: str
    rows: list[dict[str, Any]]
    columns: Sequence[tuple[str, Show]]
    most: int = 60
    ditto: bool = False
    remarks: list[str] = field(default_factory=list)


def text(key: str) -> Show:
    """Return a formatter that shows a column as it is."""
    return lambda row: words.NOT_KNOWN if row[key] in (None, "") else str(row[key])


def real(key: str, digits: int = 2) -> Show:
    """Return a formatter for a column of numbers."""
    return lambda row: words.number(row[key], digits)


def share(key: str = "pass_rate") -> Show:
    """Return a formatter for a proportion with its limits, in percent."""
    return lambda row: words.percent_interval(_interval_in(row, key))


def points(key: str) -> Show:
    """Return a formatter for a difference of proportions with its limits, in percentage points."""
    return lambda row: words.interval(_interval_in(row, key, 100), 1)


def interval_cells(key: str, interval: Interval | None) -> dict[str, float | None]:
    """Return a value with its limits as three cells of a row, for `share` and `points`; None: unknown."""
    value = (None, None, None) if interval is None else (interval.value, interval.low, interval.high)
    return dict(zip((key, f"{key}_low", f"{key}_high"), value, strict=True))


def _interval_in(row: dict[str, Any], key: str, scale: float = 1) -> Interval | None:
    """Return the interval of three cells of a row, multiplied; None if it is unknown."""
    return None if row[key] is None else Interval(*(scale * row[f"{key}{which}"] for which in ("", "_low", "_high")))


def rate(rows: Sequence[ReportEpisode]) -> Interval | None:
    """Return the proportion passed with its interval, or None if it is unknown for all episodes."""
    passed, decided = passes(rows)
    return wilson(passed, decided) if decided else None


def measures(rows: Sequence[ReportEpisode]) -> dict[str, Any]:
    """Return the measures of a set of episodes by column name: passes, returns, latencies, goals."""
    passed, decided = passes(rows)
    totals = returns(rows)
    latencies = [row.latency for row in rows if row.latency is not None]
    of_passes = [row.latency for row in rows if row.passed and row.latency is not None]
    goals = [row.goals for row in rows if row.goals is not None]
    quartiles = np.quantile(totals, (0.25, 0.5, 0.75)) if len(totals) else [None] * 3
    return {
        "episodes": len(rows),
        "decided": decided,
        "passes": passed if decided else None,
        **interval_cells("pass_rate", rate(rows)),
        "return_mean": float(totals.mean()) if len(totals) else None,
        # One episode has no standard deviation.
        "return_sd": float(totals.std(ddof=1)) if len(totals) > 1 else None,
        "return_lower_quartile": _plain(quartiles[0]),
        "return_median": _plain(quartiles[1]),
        "return_upper_quartile": _plain(quartiles[2]),
        "return_interquartile_mean": interquartile_mean(totals) if len(totals) else None,
        "latency_median": float(np.median(latencies)) if latencies else None,
        "latency_median_of_passes": float(np.median(of_passes)) if of_passes else None,
        "goals_mean": float(np.mean(goals)) if goals else None,
    }


def _plain(value: Any) -> float | None:
    return None if value is None else float(value)


# Columns of the page about returns, in tables whose rows have `measures`.
RETURNS: list[tuple[str, Show]] = [
    ("return, mean (SD)", lambda row: f"{words.number(row['return_mean'])} ({words.number(row['return_sd'])})"),
    ("median", real("return_median")),
]
_TIMES: list[tuple[str, Show]] = [
    ("median latency (s)", real("latency_median", 1)),
    ("of passes (s)", real("latency_median_of_passes", 1)),
]


def by_agent(rows: Sequence[ReportEpisode], name: str = "agents") -> Table:
    """Tabulate the measures of each agent over all its episodes."""
    groups = grouped(rows, lambda row: row.agent)
    lines = [
        {"agent": agent, "tasks": len({row.task for row in groups[agent]}), **measures(groups[agent])}
        for agent in agents_of(rows)
    ]
    columns = [
        ("agent", text("agent")),
        ("tasks", text("tasks")),
        ("episodes", text("episodes")),
        ("passed", share()),
        *RETURNS,
        *_TIMES,
    ]
    caption = "Episodes, proportion passed with 95 % Wilson interval, returns, and latency in simulated time."
    return Table(name, caption, lines, columns)


def by_participant(rows: Sequence[ReportEpisode], name: str = "participants") -> Table:
    """Tabulate the measures of each participant with an id over all their episodes."""
    groups = grouped(rows, lambda row: (row.agent, row.participant))
    lines = [
        {
            "agent": agent,
            "participant": participant,
            "tasks": len({row.task for row in groups[agent, participant]}),
            **measures(groups[agent, participant]),
        }
        for agent in agents_of(rows)
        for participant in participants_of(rows)
        if (agent, participant) in groups
    ]
    columns = [
        ("participant", text("participant")),
        ("tasks", text("tasks")),
        ("episodes", text("episodes")),
        ("passed", share()),
        *RETURNS,
        *_TIMES,
    ]
    caption = "Each participant over all episodes; intervals are 95 % Wilson intervals."
    return Table(name, caption, lines, columns)


def by_level(rows: Sequence[ReportEpisode], name: str = "levels", titles: dict[str, str] | None = None) -> Table:
    """Tabulate the measures of each agent on each level."""
    groups = grouped(rows, lambda row: (row.level, row.agent))
    lines = [
        {"level": level, "title": (titles or {}).get(level, ""), "agent": agent, **measures(groups[level, agent])}
        for level in levels_of(rows)
        for agent in agents_of(rows)
        if (level, agent) in groups
    ]
    columns = [
        ("level", lambda row: f"{row['level']} {row['title']}".strip()),
        ("agent", text("agent")),
        ("episodes", text("episodes")),
        ("passed", share()),
        *RETURNS,
        *_TIMES,
    ]
    return Table(
        name, "Each agent on each level; intervals are 95 % Wilson intervals.", lines, columns, most=120, ditto=True
    )


def by_task(rows: Sequence[ReportEpisode], name: str = "tasks") -> Table:
    """Tabulate the measures of each agent on each task."""
    groups = grouped(rows, lambda row: (row.level, row.task, row.agent))
    level_order = {level: index for index, level in enumerate(["", *levels_of(rows)])}
    agent_order = {agent: index for index, agent in enumerate(agents_of(rows))}
    keys = sorted(groups, key=lambda key: (level_order[key[0]], key[1], agent_order[key[2]]))
    lines = [
        {"task": task, "level": level, "agent": agent, **measures(groups[level, task, agent])}
        for level, task, agent in keys
    ]
    columns = [
        ("task", text("task")),
        ("agent", text("agent")),
        ("episodes", text("episodes")),
        ("passed", share()),
        *RETURNS,
        ("goals, mean", real("goals_mean", 1)),
        *_TIMES,
    ]
    caption = "Each agent on each task; intervals are 95 % Wilson intervals."
    if several_arenas(rows):
        caption += " The arenas of a task are pooled; the next table has them separately."
    return Table(name, caption, lines, columns, most=40, ditto=True)


def several_arenas(rows: Iterable[ReportEpisode]) -> list[ReportEpisode]:
    """Return the episodes on tasks that were played in more than one arena, such as a control and a test."""
    by_task = grouped(rows, lambda row: row.task)
    return [row for own in by_task.values() if len({row.arena for row in own}) > 1 for row in own]


def by_arena(rows: Sequence[ReportEpisode], name: str = "arenas") -> Table:
    """Tabulate the measures of each agent in each arena of the tasks that have several."""
    chosen = several_arenas(rows)
    groups = grouped(chosen, lambda row: (row.task, row.arena, row.agent))
    agent_order = {agent: index for index, agent in enumerate(agents_of(chosen))}
    last: dict[tuple[str, int], int] = {}
    for row in chosen:
        last[row.task, row.arena] = max(last.get((row.task, row.arena), 0), row.last_arena or 0, row.arena)
    lines = [
        {"task": task, "arena": arena + 1, "last_arena": last[task, arena] + 1, "agent": agent}
        | measures(groups[task, arena, agent])
        for task, arena, agent in sorted(groups, key=lambda key: (*key[:2], agent_order[key[2]]))
    ]
    columns = [
        ("task and arena", _task_and_arenas),
        ("agent", text("agent")),
        ("episodes", text("episodes")),
        ("passed", share()),
        *RETURNS,
        *_TIMES,
    ]
    caption = (
        "Each agent in each arena of the tasks that have several, counted from 1 in the order of the file; arenas "
        "that merge are one episode, which is counted once. Intervals are 95 % Wilson intervals."
    )
    return Table(name, caption, lines, columns, most=40, ditto=True)


def _task_and_arenas(row: dict[str, Any]) -> str:
    """Return the name of a task with its arena, or with all arenas that are one episode."""
    first, last = row["arena"], row["last_arena"]
    return f"{row['task']}, arena {first}" if first == last else f"{row['task']}, arenas {first} to {last}"


def trained_and_held_out(rows: Sequence[ReportEpisode]) -> Table:
    """Tabulate the proportions that each agent passed of the tasks it was trained on and of those held out."""
    lines = []
    for agent in agents_of(rows):
        own = [row for row in rows if row.agent == agent]
        if all(row.trained_on is None for row in own):
            continue
        trained, held_out = [row for row in own if row.trained_on], [row for row in own if row.trained_on is False]
        line: dict[str, Any] = {"agent": agent}
        for which, part in (("trained_on", trained), ("held_out", held_out)):
            line |= {f"{which}_episodes": len(part), **interval_cells(which, rate(part))}
        counts = passes(trained), passes(held_out)
        comparable = all(trials for _, trials in counts)
        gap = difference_of_rates((counts[0][0], counts[1][0]), (counts[0][1], counts[1][1])) if comparable else None
        lines.append(line | interval_cells("difference", gap))
    columns = [
        ("agent", text("agent")),
        ("trained on: episodes", text("trained_on_episodes")),
        ("passed", share("trained_on")),
        ("held out: episodes", text("held_out_episodes")),
        ("passed", share("held_out")),
        ("difference, percentage points", points("difference")),
    ]
    caption = (
        "Tasks that an agent was trained on, and held-out tasks; difference with Newcombe's 95 % interval. Agents "
        "whose training tasks are unknown are left out."
    )
    return Table("trained_and_held_out", caption, lines, columns)


def differences(rows: Sequence[ReportEpisode]) -> Table:
    """Tabulate the difference of the proportions passed for each pair of agents."""
    counts = {agent: passes([row for row in rows if row.agent == agent]) for agent in agents_of(rows)}
    lines = []
    for first, second in combinations([agent for agent, (_, trials) in counts.items() if trials], 2):
        gap = difference_of_rates((counts[first][0], counts[second][0]), (counts[first][1], counts[second][1]))
        lines.append({"first": first, "second": second, **interval_cells("difference", gap)})
    columns = [
        ("pair", lambda row: f"{row['first']} – {row['second']}"),
        ("difference, percentage points", points("difference")),
    ]
    caption = (
        "Difference of the proportions passed, first minus second, with Newcombe's 95 % interval for independent "
        "episodes."
    )
    return Table("differences", caption, lines, columns, most=28)


def failures(broken: Sequence[ReportEpisode]) -> Table:
    """Tabulate the episodes that failed for a technical reason."""
    lines = [
        {
            "run": row.run,
            "task": row.task,
            "agent": row.agent,
            "repetition": row.repetition,
            "error": row.error or "no return",
        }
        for row in broken
    ]
    columns = [(name, text(name)) for name in ("run", "task", "agent", "repetition", "error")]
    return Table("failures", "Episodes that failed for a technical reason; they are excluded.", lines, columns, most=20)
