"""The tables of a report: with all columns for a file, and with a few for the page."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from puzzlebox.report import summaries, words
from puzzlebox.report.episodes import ReportEpisode, agents_of, grouped, levels_of, participants_of, passes
from puzzlebox.report.shares import Shares
from puzzlebox.report.units import FEWEST_UNITS
from puzzlebox.stats import (
    Interval,
)
from puzzlebox.stats.proportions import Proportion, combined

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


def limits(key: str) -> Show:
    """Return a formatter for the limits of a proportion, in percent, whose value is in a column of its own."""

    def show(row: dict[str, Any]) -> str:
        low, high = row[f"{key}_low"], row[f"{key}_high"]
        if low is None:
            return words.NOT_KNOWN
        return "exact" if low == high else f"[{words.number(100 * low, 1)}, {words.number(100 * high, 1)}]"

    return show


def _value_and_limits(row: dict[str, Any], key: str) -> str:
    """Format a proportion with its limits in percent; a single number if it has none."""
    if row[f"{key}_low"] is None:
        return words.percent(row[key])
    return f"{words.percent(row[key])} {limits(key)(row)}"


def share_cells(rows: Sequence[ReportEpisode], shares: Shares) -> dict[str, Any]:
    """Return the proportion passed as cells of a row: its value, and its limits for both kinds of statements."""
    these, like = shares.these_tasks(rows), shares.tasks_like_these(rows)

    def ends(found: Proportion | None) -> tuple[float | None, float | None]:
        return (None, None) if found is None else (found.low, found.high)

    names = ("pass_rate_low", "pass_rate_high", "pass_rate_tasks_like_these_low", "pass_rate_tasks_like_these_high")
    return {
        "counted": len(shares.units.counted(rows)),
        "pass_rate": shares.value(rows),
        **dict(zip(names, (*ends(these), *ends(like)), strict=True)),
    }


# The column of the page with a proportion passed in a single task, arena and so on.
PASSED_HERE: list[tuple[str, Show]] = [("passed", lambda row: _value_and_limits(row, "pass_rate"))]


def passed_columns(shares: Shares) -> list[tuple[str, Show]]:
    """Return the columns with a proportion passed: the value, and its limits for both kinds of statements."""
    word = shares.units.word
    return [
        (f"passed, these {word}s", PASSED_HERE[0][1]),
        (f"{word}s like these", limits("pass_rate_tasks_like_these")),
    ]


def _episodes_cell(row: dict[str, Any]) -> str:
    """Return the number of episodes, and how many of them count, if identical ones count once."""
    return (
        f"{row['episodes']}" if row["counted"] == row["episodes"] else f"{row['episodes']} ({row['counted']} counted)"
    )


EPISODES: tuple[str, Show] = ("episodes", _episodes_cell)


def intervals_sentence(rows: Sequence[ReportEpisode], shares: Shares) -> str:
    """Return the part of a caption that says what the intervals are about."""
    units = shares.units
    kinds = {word for agent in agents_of(rows) if (word := units.subject_word(agent))}
    people = f", and of {' and '.join(f'{kind}s' for kind in sorted(kinds))} like these" if kinds else ""
    text = (
        f"95 % intervals: of these {units.word}s, and of {units.word}s like these{people}; {units.word}s weigh equally."
    )
    if units.repeated:
        text += " Identical episodes of an agent count once; a deterministic agent is known exactly on these "
        text += f"{units.word}s."
    return text


def measures(rows: Sequence[ReportEpisode], shares: Shares) -> dict[str, Any]:
    """Return the measures of a set of episodes by column name: passes, returns, latencies, goals."""
    passed, decided = passes(rows)
    totals = [row.total for row in rows]
    latencies = [row.latency for row in rows if row.latency is not None]
    of_passes = [row.latency for row in rows if row.passed and row.latency is not None]
    goals = [row.goals for row in rows if row.goals is not None]
    quartiles = summaries.quantiles(totals, (0.25, 0.5, 0.75)) if totals else [None] * 3
    return {
        "episodes": len(rows),
        "decided": decided,
        "passes": passed if decided else None,
        **share_cells(rows, shares),
        "return_mean": summaries.mean(totals) if totals else None,
        # One episode has no standard deviation.
        "return_sd": summaries.standard_deviation(totals) if len(totals) > 1 else None,
        "return_lower_quartile": quartiles[0],
        "return_median": quartiles[1],
        "return_upper_quartile": quartiles[2],
        "return_interquartile_mean": summaries.interquartile_mean(totals) if totals else None,
        "latency_median": summaries.quantiles(latencies, (0.5,))[0] if latencies else None,
        "latency_median_of_passes": summaries.quantiles(of_passes, (0.5,))[0] if of_passes else None,
        "goals_mean": summaries.mean(goals) if goals else None,
    }


# Columns of the page about returns, in tables whose rows have `measures`.
RETURNS: list[tuple[str, Show]] = [
    ("return, mean (SD)", lambda row: f"{words.number(row['return_mean'])} ({words.number(row['return_sd'])})"),
    ("median return", real("return_median")),
]
_TIMES: list[tuple[str, Show]] = [
    ("median latency (s)", real("latency_median", 1)),
    ("median latency of passes (s)", real("latency_median_of_passes", 1)),
]


def by_agent(rows: Sequence[ReportEpisode], name: str = "agents", shares: Shares | None = None) -> Table:
    """Tabulate the measures of each agent over all its episodes."""
    shares = shares or Shares.of(rows)
    groups = grouped(rows, lambda row: row.agent)
    lines = [
        {"agent": agent, "tasks": len({row.task for row in groups[agent]}), **measures(groups[agent], shares)}
        for agent in agents_of(rows)
    ]
    columns = [
        ("agent", text("agent")),
        EPISODES,
        *passed_columns(shares),
        *RETURNS,
        *_TIMES,
    ]
    caption = f"Proportion passed, returns, and latency in simulated time. {intervals_sentence(rows, shares)}"
    return Table(name, caption, lines, columns)


def by_participant(rows: Sequence[ReportEpisode], name: str = "participants", shares: Shares | None = None) -> Table:
    """Tabulate the measures of each participant with an id over all their episodes."""
    shares = shares or Shares.of(rows)
    groups = grouped(rows, lambda row: (row.agent, row.participant))
    lines = [
        {
            "agent": agent,
            "participant": participant,
            "tasks": len({row.task for row in groups[agent, participant]}),
            **measures(groups[agent, participant], shares),
        }
        for agent in agents_of(rows)
        for participant in participants_of(rows)
        if (agent, participant) in groups
    ]
    # Ids alone do not say who is in which group.
    several = len({line["agent"] for line in lines}) > 1
    columns = [
        *([("group", text("agent"))] if several else []),
        ("participant", text("participant")),
        ("tasks", text("tasks")),
        EPISODES,
        *passed_columns(shares),
        *RETURNS,
        *_TIMES,
    ]
    caption = f"Each participant over all episodes. {_of_one(shares)}"
    return Table(name, caption, lines, columns, ditto=several)


def by_level(
    rows: Sequence[ReportEpisode],
    name: str = "levels",
    titles: dict[str, str] | None = None,
    shares: Shares | None = None,
) -> Table:
    """Tabulate the measures of each agent on each level."""
    shares = shares or Shares.of(rows)
    groups = grouped(rows, lambda row: (row.level, row.agent))
    lines = [
        {"level": level, "title": (titles or {}).get(level, ""), "agent": agent}
        | measures(groups[level, agent], shares)
        for level in levels_of(rows)
        for agent in agents_of(rows)
        if (level, agent) in groups
    ]
    columns = [
        ("level", lambda row: f"{row['level']} {row['title']}".strip()),
        ("agent", text("agent")),
        EPISODES,
        *passed_columns(shares),
        *RETURNS,
        *_TIMES,
    ]
    caption = (
        f"Each agent on each level. {intervals_sentence(rows, shares)} A level with fewer than {FEWEST_UNITS} "
        f"{shares.units.word}s has no interval for {shares.units.word}s like these."
    )
    return Table(name, caption, lines, columns, most=120, ditto=True)


def by_task(rows: Sequence[ReportEpisode], name: str = "tasks", shares: Shares | None = None) -> Table:
    """Tabulate the measures of each agent on each task."""
    shares = shares or Shares.of(rows)
    groups = grouped(rows, lambda row: (row.level, row.task, row.agent))
    level_order = {level: index for index, level in enumerate(["", *levels_of(rows)])}
    agent_order = {agent: index for index, agent in enumerate(agents_of(rows))}
    keys = sorted(groups, key=lambda key: (level_order[key[0]], key[1], agent_order[key[2]]))
    lines = [
        {"task": task, "level": level, "agent": agent, **measures(groups[level, task, agent], shares)}
        for level, task, agent in keys
    ]
    columns = [
        ("task", text("task")),
        ("agent", text("agent")),
        EPISODES,
        *PASSED_HERE,
        *RETURNS,
        ("goals, mean", real("goals_mean", 1)),
        *_TIMES,
    ]
    caption = f"Each agent on each task. {_of_one(shares)}"
    if several_arenas(rows):
        caption += " The arenas of a task weigh equally; the next table has them separately."
    return Table(name, caption, lines, columns, most=40, ditto=True)


def several_arenas(rows: Iterable[ReportEpisode]) -> list[ReportEpisode]:
    """Return the episodes on tasks that were played in more than one arena, such as a control and a test."""
    by_task = grouped(rows, lambda row: row.task)
    return [row for own in by_task.values() if len({row.arena for row in own}) > 1 for row in own]


def _of_one(shares: Shares) -> str:
    """Return the part of a caption about intervals of one task, arena or participant."""
    text = (
        f"95 % intervals are about these {shares.units.word}s and arenas alone, and count participants, training "
        "runs, or else episodes; fewer than five participants or runs have none."
    )
    return f"{text} Identical episodes of an agent count once and are known exactly." if shares.units.repeated else text


def by_arena(rows: Sequence[ReportEpisode], name: str = "arenas", shares: Shares | None = None) -> Table:
    """Tabulate the measures of each agent in each arena of the tasks that have several."""
    shares = shares or Shares.of(rows)
    chosen = several_arenas(rows)
    groups = grouped(chosen, lambda row: (row.task, row.arena, row.agent))
    agent_order = {agent: index for index, agent in enumerate(agents_of(chosen))}
    last: dict[tuple[str, int], int] = {}
    for row in chosen:
        last[row.task, row.arena] = max(last.get((row.task, row.arena), 0), row.last_arena or 0, row.arena)
    titles = {(row.task, row.arena): row.arena_title for row in chosen if row.arena_title}
    lines = [
        {"task": task, "arena": arena + 1, "last_arena": last[task, arena] + 1, "agent": agent}
        | {"arena_title": titles.get((task, arena), "")}
        | measures(groups[task, arena, agent], shares)
        for task, arena, agent in sorted(groups, key=lambda key: (*key[:2], agent_order[key[2]]))
    ]
    columns = [
        ("task and arena", _task_and_arenas),
        ("agent", text("agent")),
        EPISODES,
        *PASSED_HERE,
        *RETURNS,
        *_TIMES,
    ]
    caption = (
        "Each agent in each arena of the tasks that have several, by title, or counted from 1 in the order of the "
        f"file; arenas that merge are one episode, which is counted once. {_of_one(shares)}"
    )
    return Table(name, caption, lines, columns, most=40, ditto=True)


def _task_and_arenas(row: dict[str, Any]) -> str:
    """Return the name of a task with the title or number of its arena, or with all arenas that are one episode."""
    first, last, title = row["arena"], row["last_arena"], row["arena_title"]
    if first == last:
        return f"{row['task']}, {title or f'arena {first}'}"
    return f"{row['task']}, {title} (arenas {first} to {last})" if title else f"{row['task']}, arenas {first} to {last}"


def trained_and_held_out(rows: Sequence[ReportEpisode], shares: Shares | None = None) -> Table:
    """Tabulate the proportions that each agent passed of the tasks it was trained on and of those held out."""
    shares = shares or Shares.of(rows)
    lines = []
    for agent in agents_of(rows):
        own = [row for row in rows if row.agent == agent]
        if all(row.trained_on is None for row in own):
            continue
        line: dict[str, Any] = {"agent": agent}
        found: list[Interval | None] = []
        for which, chosen in (("trained_on", True), ("held_out", False)):
            part = [row for row in own if row.trained_on is chosen]
            proportion = shares.tasks_like_these(part)
            value = shares.value(part)
            cells = interval_cells(which, proportion.interval if proportion else None) | {which: value}
            line |= {f"{which}_tasks": len({shares.units.task(row) for row in part})}
            line |= {f"{which}_episodes": len(part), **cells}
            found.append(proportion.interval if proportion else None)
        gap = combined(found[0], found[1]) if found[0] and found[1] else None
        lines.append(line | interval_cells("difference", gap))
    columns = [
        ("agent", text("agent")),
        ("trained on: tasks", text("trained_on_tasks")),
        ("passed, tasks like these", lambda row: _value_and_limits(row, "trained_on")),
        ("held out: tasks", text("held_out_tasks")),
        ("passed, tasks like these", lambda row: _value_and_limits(row, "held_out")),
        ("difference, percentage points", points("difference")),
    ]
    caption = (
        "Tasks that an agent was trained on, and held-out tasks, with 95 % intervals of tasks like these, which need "
        f"{FEWEST_UNITS} tasks of each kind; tasks weigh equally. The interval of the difference combines both "
        "(Newcombe). Agents whose training tasks are unknown are left out."
    )
    return Table("trained_and_held_out", caption, lines, columns)


def differences(rows: Sequence[ReportEpisode], shares: Shares | None = None) -> Table:
    """Tabulate the difference of the proportions passed for each pair of agents."""
    shares = shares or Shares.of(rows)
    groups = grouped((row for row in rows if row.passed is not None), lambda row: row.agent)
    lines: list[dict[str, Any]] = []
    ordered = {agent: groups[agent] for agent in agents_of(rows) if agent in groups}
    for (first, second), gap in shares.differences(ordered).items():
        line = {"first": first, "second": second, "tasks": gap.tasks}
        line |= interval_cells("difference", gap.these) | {"difference": gap.value}
        like = interval_cells("difference_tasks_like_these", gap.like_these)
        lines.append(line | {key: value for key, value in like.items() if key != "difference_tasks_like_these"})
    word = shares.units.word
    columns = [
        ("pair", lambda row: f"{row['first']} – {row['second']}"),
        (f"common {word}s", text("tasks")),
        ("difference, percentage points", lambda row: words.number(100 * row["difference"], 1)),
        (f"these {word}s", limits("difference")),
        (f"{word}s like these", limits("difference_tasks_like_these")),
    ]
    caption = (
        f"Difference of the proportions passed, first minus second, on the {word}s that both played, which weigh "
        f"equally. 95 % intervals: of these {word}s, combined from those of the two agents (Newcombe); and of {word}s "
        f"like these, from the differences on single {word}s (t), which need {FEWEST_UNITS} {word}s."
    )
    if any(_wider_on_these(line) for line in lines):
        caption += (
            f" Where the interval of these {word}s is the wider one, single {word}s have so few episodes that the "
            f"variance within them is not known well, whereas the differences vary little between {word}s."
        )
    return Table("differences", caption, lines, columns, most=28)


def _wider_on_these(line: dict[str, Any]) -> bool:
    """Return whether the interval of a difference on these tasks is wider than that for tasks like these."""
    key = "difference"
    if line[f"{key}_low"] is None or line[f"{key}_tasks_like_these_low"] is None:
        return False
    these = line[f"{key}_high"] - line[f"{key}_low"]
    return bool(these > line[f"{key}_tasks_like_these_high"] - line[f"{key}_tasks_like_these_low"] + 1e-9)


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
