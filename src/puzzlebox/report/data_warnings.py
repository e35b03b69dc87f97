"""Warnings about the data of a report, shown before any number.

Most checks are for mistakes in published results, listed in docs/original/experiments.md#problems: equal outcomes that
rank differently, ties that depend on the last digit, rows under the name of another task, tasks that some agents did
not play. Others are for incomplete runs and for episodes that repeat one another.
"""

import shlex
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from puzzlebox.report import words
from puzzlebox.report.comparisons import Comparisons
from puzzlebox.report.episodes import ReportEpisode, Results, Source, agents_of, grouped
from puzzlebox.report.rank_warnings import rank_warnings
from puzzlebox.report.time_outs import timed_out
from puzzlebox.report.units import Units

# The smallest proportion of time-outs that agree with the time limit of their task; fewer mean wrong task names.
_LEAST_AGREEMENT = 0.95
# Fewest time-outs of an agent for that check.
_FEWEST_TIME_OUTS = 20
# Rules that may differ: agents and participants act at different intervals, which changes no reward.
_HARMLESS_RULES = {"decision_period"}
# Warnings about single tests, at most.
_MOST_WARNINGS = 6
# What to compare if agents did not play the same tasks, or arenas.
_ALTERNATIVE = {"tasks": "tasks and levels", "arenas": "the table of arenas"}


def data_warnings(results: Results, comparisons: Comparisons) -> list[str]:
    """Return warnings about the data, as sentences."""
    rows = results.rows
    units = Units.of(rows)
    warnings = [
        *(sentence for source in results.sources for sentence in source.damaged),
        *_unfinished(results.sources),
        *_different_tasks_of_one_name(rows),
        *_different_rules(rows),
        *_similar_names(rows),
        *_doubled(units),
        *_repeated(rows, units),
        *_not_the_same_tasks(rows),
        *_not_the_same_arenas(rows, comparisons),
        *_wrong_names(rows),
        *_whole_times(rows),
    ]
    of_tasks = grouped(rows, _task)
    about_tests = [line for test in comparisons.done for line in rank_warnings(test.task, of_tasks[test.task])]
    if len(about_tests) > _MOST_WARNINGS:
        more = len(about_tests) - _MOST_WARNINGS
        about_tests = [*about_tests[:_MOST_WARNINGS], f"The same holds for {more} more tests."]
    return warnings + about_tests


def _unfinished(sources: Sequence[Source]) -> Iterator[str]:
    for source in sources:
        if source.missing:
            played = source.scheduled - source.missing
            commands = [part.get("command", "") for part in source.settings.get("commands", ())]
            command = (
                f"`{_resume_command(commands[-1], source)}`"
                if commands and commands[-1]
                else "the same command, given again,"
            )
            yield (
                f"{source.name} is incomplete: it has {played:,} of {words.count(source.scheduled, 'episode')}; "
                f"{command} plays the rest."
            )


def _resume_command(command: str, source: Source) -> str:
    """Return the command that resumes a run: with its current folder, and with `--repair` if it is damaged."""
    try:
        parts = shlex.split(command)
    except ValueError:  # the command in `run.json` was edited
        return command
    folder, new = str(source.path), []
    for before, word in zip(["", *parts], parts, strict=False):
        if before in ("-o", "--output"):
            word = folder
        elif word.startswith("--output="):
            word = f"--output={folder}"
        elif word.startswith("-o") and word != "-o":
            word = f"-o{folder}"
        new.append(word)
    if source.damaged and "--repair" not in new:
        new.append("--repair")
    return shlex.join(new)


def _different_tasks_of_one_name(rows: Sequence[ReportEpisode]) -> Iterator[str]:
    hashes = grouped((row for row in rows if row.task_hash), lambda row: row.task)
    tasks = [task for task, own in hashes.items() if len({row.task_hash for row in own}) > 1]
    if tasks:
        yield (
            f"{words.listed(tasks)}: episodes under this name were played on different versions of the task "
            "(their hashes differ), so they should not be compared."
        )


def _different_rules(rows: Sequence[ReportEpisode]) -> Iterator[str]:
    names = sorted({row.rules for row in rows} - {""})
    fields = {id(row.rules_fields): row.rules_fields for row in rows if row.rules_fields}.values()
    differing = sorted(
        name
        for name in {name for each in fields for name in each} - _HARMLESS_RULES
        if len({repr(each.get(name)) for each in fields}) > 1
    )
    everywhere = all(row.rules_fields or not row.rules for row in rows)
    if differing:
        named = f"{', '.join(names)}; " if len(names) > 1 else ""
        yield (
            f"Episodes were played by different rules ({named}they differ in {words.listed(differing)}); times and "
            "returns are not comparable."
        )
    elif len(names) > 1 and not everywhere:
        yield f"Episodes were played by different rules ({', '.join(names)}); times and returns are not comparable."


def _similar_names(rows: Sequence[ReportEpisode]) -> Iterator[str]:
    """Warn of names that differ only in letter case or spaces, which are probably the same."""
    for what, names in (("agents", agents_of(rows)), ("tasks", sorted({row.task for row in rows}))):
        alike: dict[str, list[str]] = {}
        for name in names:
            alike.setdefault("".join(name.split()).casefold(), []).append(f"“{name}”")
        pairs = [words.listed(each) for each in alike.values() if len(each) > 1]
        if pairs:
            yield (
                f"Some names of {what} differ only in letter case or spaces, and are counted as different {what}: "
                f"{'; '.join(pairs[:_MOST_WARNINGS])}{' and others' if len(pairs) > _MOST_WARNINGS else ''}."
            )


def _doubled(units: Units) -> Iterator[str]:
    surplus = sum(units.doubled.values())
    if surplus:
        yield (
            f"{words.count(surplus, 'episode')} {'has' if surplus == 1 else 'have'} the same agent, task, seed, length "
            "and return as another one, as if read twice; duplicates count once as evidence."
        )


def _repeated(rows: Sequence[ReportEpisode], units: Units) -> Iterator[str]:
    repeated = units.repeated
    if not repeated:
        return
    counts = Counter(row.agent for row in rows)
    counts.subtract(units.doubled)
    who = [
        f"{agent} ({counts[agent]:,} episodes, effective n = {counts[agent] - repeated[agent]:,})"
        for agent in agents_of(rows)
        if agent in repeated
    ]
    yield (
        f"{words.listed(who)}: episodes in an arena are identical although their seeds differ, because neither the "
        "agent nor the task is random. Identical episodes count once as evidence. Play one episode of each, or vary "
        "the task (`vary`, in a template)."
    )


def _not_the_same_tasks(rows: Sequence[ReportEpisode]) -> Iterator[str]:
    # Different tasks imply different arenas, so at most one of the two is reported.
    unsure = {row.task for row in rows if not row.arena_known}
    for what, key in (("tasks", _task), ("arenas", _arena)):
        rows = [row for row in rows if what == "tasks" or row.task not in unsure]
        played = {agent: set(map(key, own)) for agent, own in grouped(rows, lambda row: row.agent).items()}
        common = set.intersection(*played.values()) if played else set()
        everything = set().union(*played.values()) if played else set()
        if len(common) < len(everything):
            counts = ", ".join(f"{agent} {len(played[agent])}" for agent in agents_of(rows))
            yield (
                f"Agents did not play the same {what} (of {len(everything)}: {counts}; all of them: {len(common)}); "
                f"overall proportions are of different sets, so compare {_ALTERNATIVE[what]}."
            )
            return


def _not_the_same_arenas(rows: Sequence[ReportEpisode], comparisons: Comparisons) -> Iterator[str]:
    own = grouped(rows, _task)
    tasks = [test.task for test in comparisons.done if len(_sets_of_arenas(own[test.task])) > 1]
    if tasks:
        yield (
            f"{words.listed(tasks)}: the test of returns compares agents that played different arenas of the task, "
            "which alone may explain a difference; the table of arenas has each arena on its own."
        )


def _sets_of_arenas(rows: Sequence[ReportEpisode]) -> set[frozenset[int]]:
    known = (row for row in rows if row.arena_known)
    return {frozenset(row.arena for row in own) for own in grouped(known, lambda row: row.agent).values()}


def _task(row: ReportEpisode) -> Hashable:
    return row.task


def _arena(row: ReportEpisode) -> Hashable:
    return row.task, row.arena


def _wrong_names(rows: Sequence[ReportEpisode]) -> Iterator[str]:
    """Warn if time-outs with the same limit have different returns, which means that task names are wrong."""
    # The hash of a task is its name in our own tables, and cannot be that of another task.
    time_outs = [row for row in rows if row.time_limit is not None and _only_named(row) and timed_out(row)]
    for agent, own in grouped(time_outs, lambda row: row.agent).items():
        agreeing = 0
        for same in grouped(own, lambda row: (row.time_limit, row.rules, row.decision_period)).values():
            _, counts = np.unique([round(row.total, 4) for row in same], return_counts=True)
            agreeing += int(counts.max())
        if len(own) >= _FEWEST_TIME_OUTS and agreeing < _LEAST_AGREEMENT * len(own):
            yield (
                f"{agent}: only {agreeing} of {len(own)} time-outs have the same return as others with the same time "
                "limit; the rows probably have the names of other tasks."
            )


def _only_named(row: ReportEpisode) -> bool:
    return row.named_only or not row.task_hash


def _whole_times(rows: Sequence[ReportEpisode]) -> Iterator[str]:
    without = [row for row in rows if row.whole_time and row.latency is not None]
    if without:
        one, many = "episode comes from a table", "episodes come from tables"
        yield (
            f"{words.count(len(without), one, many)} without latencies; the length of the episode is used instead, "
            "which includes the delay at the start and the notification at the end."
        )
