"""What is doubtful in the data themselves, said before anybody reads a number: each check found a published mistake.

The mistakes are listed in docs/original/experiments.md#problems: equal outcomes that rank differently, ties that depend
on the last digit, rows under the wrong task's name, tasks some agents never met. Runs that are not over, and episodes
that repeat one another, would lead to more.
"""

import shlex
from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from puzzlebox.report import words
from puzzlebox.report.alike import repetitions
from puzzlebox.report.comparisons import DECIMALS, Comparisons, TaskTest
from puzzlebox.report.played import Played, Results, Source, agents_of, grouped
from puzzlebox.report.published_claims import TIMED_OUT, tied_time_outs
from puzzlebox.stats import CannotCompute, dunn, kruskal_wallis

# Below this share of time-outs with the right limit, names and rows do not belong together.
_NAMED_RIGHT = 0.95
_FEW = 20
_MOST = 6
# Where to look when not everybody met the same tasks, or arenas.
_INSTEAD = {"tasks": "tasks and levels", "arenas": "the table of arenas"}


def doubts(results: Results, comparisons: Comparisons) -> list[str]:
    """Sentences about what a reader should not trust."""
    rows = results.rows
    found = [
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
    told = [line for test in comparisons.done for line in (*_bookkeeping(test), *_last_digits(test))]
    if len(told) > _MOST:
        told = [*told[:_MOST], f"The same holds for {len(told) - _MOST} more tests."]
    return found + told


def _unfinished(sources: Sequence[Source]) -> Iterator[str]:
    for source in sources:
        if source.missing:
            there = source.scheduled - source.missing
            typed = [part.get("command", "") for part in source.settings.get("commands", ())]
            command = f"`{_here(typed[-1], source)}`" if typed and typed[-1] else "the same run, begun again,"
            yield (
                f"{source.name}: {there:,} of {words.count(source.scheduled, 'episode')} "
                f"{'is' if there == 1 else 'are'} there; {command} plays the rest."
            )


def _here(command: str, source: Source) -> str:
    """The command that resumes a run: with the folder where the run is now, and `--repair` where it is damaged."""
    try:
        parts = shlex.split(command)
    except ValueError:  # somebody changed it
        return command
    place, new = str(source.path), []
    for before, word in zip(["", *parts], parts, strict=False):
        if before in ("-o", "--output"):
            word = place
        elif word.startswith("--output="):
            word = f"--output={place}"
        elif word.startswith("-o") and word != "-o":
            word = f"-o{place}"
        new.append(word)
    if source.damaged and "--repair" not in new:
        new.append("--repair")
    return shlex.join(new)


def _different_tasks_of_one_name(rows: Sequence[Played]) -> Iterator[str]:
    hashes = grouped((row for row in rows if row.task_hash), lambda row: row.task)
    torn = [task for task, own in hashes.items() if len({row.task_hash for row in own}) > 1]
    if torn:
        yield (
            f"{words.listed(torn)}: episodes under this name were played on different versions of the task "
            "(their hashes differ), so they should not be compared."
        )


def _different_rules(rows: Sequence[Played]) -> Iterator[str]:
    rules = sorted({row.rules for row in rows} - {""})
    if len(rules) > 1:
        yield f"Episodes were played by different rules ({', '.join(rules)}); times and returns are not the same thing."


def _doubled(rows: Sequence[Played]) -> Iterator[str]:
    # People may meet the same chances: from one link, and again.
    seeded = [row for row in rows if row.seed and not row.person]
    meetings = grouped(seeded, lambda row: (row.task_hash or row.task, row.arena, row.agent, row.seed, row.rules))
    again = sum(len(own) - 1 for own in meetings.values())
    if again:
        yield (
            f"{words.count(again, 'episode')} of the same agent on the same task with the same seed "
            f"{'is' if again == 1 else 'are'} there more than once; repeated episodes make intervals too narrow."
        )


def _repeated(rows: Sequence[Played]) -> Iterator[str]:
    again = repetitions(rows)
    if not again:
        return
    tasks = {agent: len({row.task for row in own}) for agent, own in grouped(rows, lambda row: row.agent).items()}
    alike = grouped((own[0] for own in again), lambda row: row.agent)
    who = [
        f"{agent} on {len({row.task for row in alike[agent]})} of {words.count(tasks[agent], 'task')}"
        for agent in agents_of(rows)
        if agent in alike
    ]
    yield (
        f"{words.listed(who)}: all episodes of an arena are alike in steps, return and (where they are kept) actions, "
        f"though their seeds differ. These {sum(map(len, again)):,} episodes are "
        f"{words.count(len(again), 'observation')} repeated, but intervals and tests take them for independent and "
        "promise too much. Play one episode of each, or vary the task (`vary`, in a template)."
    )


def _not_the_same_tasks(rows: Sequence[Played]) -> Iterator[str]:
    # Who never met a task never met its arenas either, so only one of the two is said.
    for what, key in (("tasks", _task), ("arenas", _arena)):
        met = {agent: set(map(key, own)) for agent, own in grouped(rows, lambda row: row.agent).items()}
        common = set.intersection(*met.values()) if met else set()
        everything = set().union(*met.values()) if met else set()
        if len(common) < len(everything):
            counts = ", ".join(f"{agent} {len(met[agent])}" for agent in agents_of(rows))
            yield (
                f"Not everybody met the same {what} (of {len(everything)}: {counts}; all: {len(common)}); "
                f"overall rates compare different sets, so look at {_INSTEAD[what]}."
            )
            return


def _not_the_same_arenas(rows: Sequence[Played], comparisons: Comparisons) -> Iterator[str]:
    own = grouped(rows, _task)
    torn = [test.task for test in comparisons.done if len(_sets_of_arenas(own[test.task])) > 1]
    if torn:
        yield (
            f"{words.listed(torn)}: the test of returns compares agents that met different arenas of the task, which "
            "may be all that it finds; each arena has its own rows below."
        )


def _sets_of_arenas(rows: Sequence[Played]) -> set[frozenset[int]]:
    return {frozenset(row.arena for row in own) for own in grouped(rows, lambda row: row.agent).values()}


def _task(row: Played) -> Hashable:
    return row.task


def _arena(row: Played) -> Hashable:
    return row.task, row.arena


def _wrong_names(rows: Sequence[Played]) -> Iterator[str]:
    """A runner's time-outs return the same for the same limit; where they do not, rows carry other tasks' names."""
    low, high = TIMED_OUT
    outs = [row for row in rows if row.time_limit is not None and low <= row.total <= high]
    for agent, own in grouped(outs, lambda row: row.agent).items():
        right = 0
        for same in grouped(own, lambda row: row.time_limit).values():
            _, counts = np.unique([round(row.total, 4) for row in same], return_counts=True)
            right += int(counts.max())
        if len(own) >= _FEW and right < _NAMED_RIGHT * len(own):
            yield (
                f"{agent}: only {right} of {len(own)} time-outs return what others with the same time limit do; "
                "the rows probably carry other tasks' names."
            )


def _whole_times(rows: Sequence[Played]) -> Iterator[str]:
    old = [row for row in rows if row.whole_time and row.latency is not None]
    if old:
        one, many = "episode comes from a table", "episodes come from tables"
        yield (
            f"{words.count(len(old), one, many)} without latencies; the whole time of the episode stands in for each, "
            "with the wait at the start and the showing of the result."
        )


def _bookkeeping(test: TaskTest) -> Iterator[str]:
    """Whether equal outcomes got different ranks because runners sum rewards differently."""
    low, high = TIMED_OUT
    outs = {
        agent: sorted(set(np.round(values[(low <= values) & (values <= high)], 6).tolist()))
        for agent, values in test.groups.items()
    }
    kinds = {value for values in outs.values() for value in values}
    if len(kinds) < 2:
        return
    tied = tied_time_outs(test.groups)
    try:
        overall, pairs = kruskal_wallis(tied), dunn(tied)
    except CannotCompute:
        return
    turned = [
        f"{pair.first}–{pair.second} (Bonferroni {words.p_equals(old['p_bonferroni'])} becomes "
        f"{words.p_value(pair.p_bonferroni)})"
        for pair, old in zip(pairs, test.pairs, strict=True)
        if (pair.p_bonferroni < 0.05) != (old["p_bonferroni"] < 0.05)
    ]
    assert test.overall is not None
    if turned or abs(overall.h - test.overall.h) > 0.05 * test.overall.h:
        yield (
            f"{test.task}: time-outs return {len(kinds)} different values ({words.number(min(kinds), 4)} to "
            f"{words.number(max(kinds), 4)}), so equal outcomes rank differently. With all time-outs tied "
            f"H = {words.number(overall.h)} instead of {words.number(test.overall.h)}"
            + (f"; this turns {words.listed(turned, 4)}." if turned else ".")
        )


def _last_digits(test: TaskTest) -> Iterator[str]:
    """Whether the result hangs on digits nobody can mean."""
    assert test.overall is not None
    exact, as_r = kruskal_wallis(test.groups), kruskal_wallis(test.groups, "r")
    if max(abs(exact.h - test.overall.h), abs(as_r.h - test.overall.h)) > 0.003 * test.overall.h:
        yield (
            f"{test.task}: H depends on digits nobody can mean: {words.number(exact.h)} with returns as they were "
            f"written, {words.number(as_r.h)} with R's rule for ties (15 digits), {words.number(test.overall.h)} "
            f"rounded to {DECIMALS} decimals, which is used here."
        )
