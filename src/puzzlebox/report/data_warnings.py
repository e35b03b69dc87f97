"""Warnings about the data of a report, shown before any number.

Most checks are for mistakes in published results, listed in docs/original/experiments.md#problems: equal outcomes that
rank differently, ties that depend on the last digit, rows under the name of another task, tasks that some agents did
not play. Others are for incomplete runs and for episodes that repeat one another.
"""

import shlex
from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from puzzlebox.report import words
from puzzlebox.report.comparisons import DECIMALS, Comparisons, TaskTest
from puzzlebox.report.episodes import ReportEpisode, Results, Source, agents_of, grouped
from puzzlebox.report.published_claims import TIMED_OUT, tied_time_outs
from puzzlebox.report.repeats import repeated_episodes
from puzzlebox.stats import CannotCompute, dunn, kruskal_wallis

# The smallest proportion of time-outs that agree with the time limit of their task; fewer mean wrong task names.
_LEAST_AGREEMENT = 0.95
# Fewest time-outs of an agent for that check.
_FEWEST_TIME_OUTS = 20
# Warnings about single tests, at most.
_MOST_WARNINGS = 6
# What to compare if agents did not play the same tasks, or arenas.
_ALTERNATIVE = {"tasks": "tasks and levels", "arenas": "the table of arenas"}


def data_warnings(results: Results, comparisons: Comparisons) -> list[str]:
    """Return warnings about the data, as sentences."""
    rows = results.rows
    warnings = [
        *(sentence for source in results.sources for sentence in source.damaged),
        *_unfinished(results.sources),
        *_different_tasks_of_one_name(rows),
        *_different_rules(rows),
        *_doubled(rows),
        *_repeated(rows),
        *_not_the_same_tasks(rows),
        *_not_the_same_arenas(rows, comparisons),
        *_wrong_names(rows),
        *_whole_times(rows),
    ]
    about_tests = [line for test in comparisons.done for line in (*_bookkeeping(test), *_last_digits(test))]
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
    rules = sorted({row.rules for row in rows} - {""})
    if len(rules) > 1:
        yield f"Episodes were played by different rules ({', '.join(rules)}); times and returns are not comparable."


def _doubled(rows: Sequence[ReportEpisode]) -> Iterator[str]:
    # Participants may have the same seed: links give it, and a task may be played again.
    seeded = [row for row in rows if row.seed and not row.person]
    groups = grouped(seeded, lambda row: (row.task_hash or row.task, row.arena, row.agent, row.seed, row.rules))
    surplus = sum(len(own) - 1 for own in groups.values())
    if surplus:
        yield (
            f"{words.count(surplus, 'episode')} {'has' if surplus == 1 else 'have'} the same agent, task and seed as "
            "another one; duplicates make intervals too narrow."
        )


def _repeated(rows: Sequence[ReportEpisode]) -> Iterator[str]:
    repeated = repeated_episodes(rows)
    if not repeated:
        return
    tasks = {agent: len({row.task for row in own}) for agent, own in grouped(rows, lambda row: row.agent).items()}
    alike = grouped((own[0] for own in repeated), lambda row: row.agent)
    who = [
        f"{agent} on {len({row.task for row in alike[agent]})} of {words.count(tasks[agent], 'task')}"
        for agent in agents_of(rows)
        if agent in alike
    ]
    yield (
        f"{words.listed(who)}: all episodes in an arena have the same steps, return and (if recorded) actions, "
        f"although their seeds differ. These {sum(map(len, repeated)):,} episodes are "
        f"{words.count(len(repeated), 'observation')} repeated, and count as such in proportions and in the model of "
        "passing. To learn more, vary the task (`vary`, in a template)."
    )


def _not_the_same_tasks(rows: Sequence[ReportEpisode]) -> Iterator[str]:
    # Different tasks imply different arenas, so at most one of the two is reported.
    for what, key in (("tasks", _task), ("arenas", _arena)):
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
    return {frozenset(row.arena for row in own) for own in grouped(rows, lambda row: row.agent).values()}


def _task(row: ReportEpisode) -> Hashable:
    return row.task


def _arena(row: ReportEpisode) -> Hashable:
    return row.task, row.arena


def _wrong_names(rows: Sequence[ReportEpisode]) -> Iterator[str]:
    """Warn if time-outs with the same limit have different returns, which means that task names are wrong."""
    low, high = TIMED_OUT
    time_outs = [row for row in rows if row.time_limit is not None and low <= row.total <= high]
    for agent, own in grouped(time_outs, lambda row: row.agent).items():
        agreeing = 0
        for same in grouped(own, lambda row: row.time_limit).values():
            _, counts = np.unique([round(row.total, 4) for row in same], return_counts=True)
            agreeing += int(counts.max())
        if len(own) >= _FEWEST_TIME_OUTS and agreeing < _LEAST_AGREEMENT * len(own):
            yield (
                f"{agent}: only {agreeing} of {len(own)} time-outs have the same return as others with the same time "
                "limit; the rows probably have the names of other tasks."
            )


def _whole_times(rows: Sequence[ReportEpisode]) -> Iterator[str]:
    without = [row for row in rows if row.whole_time and row.latency is not None]
    if without:
        one, many = "episode comes from a table", "episodes come from tables"
        yield (
            f"{words.count(len(without), one, many)} without latencies; the length of the episode is used instead, "
            "which includes the delay at the start and the notification at the end."
        )


def _bookkeeping(test: TaskTest) -> Iterator[str]:
    """Warn if equal outcomes have different ranks because programs sum rewards differently."""
    low, high = TIMED_OUT
    time_outs = {
        agent: sorted(set(np.round(values[(low <= values) & (values <= high)], 6).tolist()))
        for agent, values in test.groups.items()
    }
    totals = {value for values in time_outs.values() for value in values}
    if len(totals) < 2:
        return
    tied = tied_time_outs(test.groups)
    try:
        overall, pairs = kruskal_wallis(tied), dunn(tied)
    except CannotCompute:
        return
    changed = [
        f"{pair.first}–{pair.second} (Bonferroni {words.p_equals(old['p_bonferroni'])} becomes "
        f"{words.p_value(pair.p_bonferroni)})"
        for pair, old in zip(pairs, test.pairs, strict=True)
        if (pair.p_bonferroni < 0.05) != (old["p_bonferroni"] < 0.05)
    ]
    assert test.overall is not None
    if changed or abs(overall.h - test.overall.h) > 0.05 * test.overall.h:
        yield (
            f"{test.task}: time-outs have {len(totals)} different returns ({words.number(min(totals), 4)} to "
            f"{words.number(max(totals), 4)}), so equal outcomes rank differently. With all time-outs tied, "
            f"H = {words.number(overall.h)} instead of {words.number(test.overall.h)}"
            + (f"; this changes the conclusion for {words.listed(changed, 4)}." if changed else ".")
        )


def _last_digits(test: TaskTest) -> Iterator[str]:
    """Warn if the result depends on digits beyond the precision of the returns."""
    assert test.overall is not None
    exact, as_r = kruskal_wallis(test.groups), kruskal_wallis(test.groups, "r")
    if max(abs(exact.h - test.overall.h), abs(as_r.h - test.overall.h)) > 0.003 * test.overall.h:
        yield (
            f"{test.task}: H depends on digits beyond the precision of the returns: {words.number(exact.h)} with "
            f"returns as recorded, {words.number(as_r.h)} with R's rule for ties (15 digits), and "
            f"{words.number(test.overall.h)} with returns rounded to {DECIMALS} decimals, which is used here."
        )
